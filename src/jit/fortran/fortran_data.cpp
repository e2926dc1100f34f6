// SPDX-License-Identifier: BSD-3-Clause
#include "fortran_data.hpp"

#include <cctype>
#include <vector>

#include "../text.hpp"
#include "fortran_text.hpp"

namespace tessera {
namespace {

bool is_name(const std::string &s) {
  return !s.empty() && s.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

// Names of "a(:),b=3,c": what stands before a bracket or an equals sign, between commas outside of brackets.
std::vector<std::string> names_of_list(const std::string &list) {
  std::vector<std::string> out;
  std::string name;
  int depth = 0;
  bool over = false;
  for (const char c : list + ",") {
    if (c == '(' || c == '[') ++depth;
    if (depth == 0 && c == ',') {
      if (is_name(name)) out.push_back(name);
      name.clear();
      over = false;
    } else if (depth > 0 || c == '=' || c == '*') {
      over = true;
    } else if (!over && c != ')') {
      name += c;
    }
    if (c == ')' || c == ']') --depth;
  }
  return out;
}

// real,allocatable::a(:),b(:)   allocatable::a(:)   allocatablea(:)
std::vector<std::string> allocatable_names(const std::string &t) {
  const std::size_t colons = t.find("::");
  if (starts_with(t, "allocatable")) return names_of_list(t.substr(colons == 11 ? 13 : 11));
  if (colons == std::string::npos || !contains(t.substr(0, colons) + ",", ",allocatable,")) return {};
  return names_of_list(t.substr(colons + 2));
}

// All words of a text or of a part of it, in small letters.
void add_words(const std::string &text, std::set<std::string> &out) {
  std::string word;
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      if (!std::isdigit(static_cast<unsigned char>(word[0]))) out.insert(word);
      word.clear();
    }
  }
}

// save   savea,b   dataa,b/1,2/   real,save::a(3)   integer::n=3
void add_saved(const std::string &t, const std::string &text, std::set<std::string> &out) {
  const std::size_t colons = t.find("::");
  if (t == "save") return add_words(text, out);
  if (starts_with(t, "save") || starts_with(t, "data")) add_words(t.substr(4), out);
  if (colons != std::string::npos && (contains(t.substr(0, colons), "save") || contains(t, "=")))
    add_words(t.substr(colons + 2), out);
}

void add(const std::string &text, bool fixed_form, fortran_data_names &out) {
  std::string module;  // whose declarations are read
  bool in_type = false;
  for (const fortran_statement &s : fortran_statements(text, fixed_form)) {
    const std::string &t = s.text;
    add_saved(t, text, out.saved);
    if (starts_with(t, "module") && !starts_with(t, "moduleprocedure") && is_name(t.substr(6))) {
      module = t.substr(6);
      out.modules.insert(module);
    }
    if (t == "contains" || t == "end" || starts_with(t, "endmodule")) module.clear();
    if (starts_with(t, "type,") || starts_with(t, "type::") || (starts_with(t, "type") && is_name(t))) in_type = true;
    if (starts_with(t, "endtype")) in_type = false;
    if (!module.empty() && !in_type)
      for (const std::string &name : allocatable_names(t)) out.allocatable.insert({module, name});
    if (!starts_with(t, "common") || contains(t, "=")) continue;
    // common /a/ x, y(3) /b/ z;  common x, y
    std::size_t slash = t.find('/');
    if (slash != 6) out.commons.insert("");
    while (slash != std::string::npos) {
      const std::size_t end = t.find('/', slash + 1);
      if (end == std::string::npos) break;
      const std::string name = t.substr(slash + 1, end - slash - 1);
      if (name.empty() || is_name(name)) out.commons.insert(name);
      slash = t.find('/', end + 1);
    }
  }
}

}  // namespace

fortran_data_names find_fortran_data(const integrand_source &source) {
  fortran_data_names out;
  add(source.text, source.fixed_form, out);
  for (const integrand_source::file &f : source.files) add(f.text, f.compiled ? f.fixed_form : source.fixed_form, out);
  return out;
}

std::string gnu_symbol(const integrand_source::variable &v) {
  if (v.module.empty()) return v.name.empty() ? "__BLNK__" : v.name + "_";
  return "__" + v.module + "_MOD_" + v.name;
}

std::string llvm_symbol(const integrand_source::variable &v) {
  return v.module.empty() ? gnu_symbol(v) : "_QM" + v.module + "E" + v.name;
}

std::string variable_of_procedure(const std::string &symbol) {
  const std::size_t dot = symbol.find('.'), last = symbol.rfind('E');
  if (dot != std::string::npos && dot + 1 < symbol.size() &&
      symbol.find_first_not_of("0123456789", dot + 1) == std::string::npos && is_name(symbol.substr(0, dot)))
    return symbol.substr(0, dot);
  const bool procedure =
      starts_with(symbol, "_Q") && last != std::string::npos && contains(symbol.substr(0, last), "F");
  return procedure && is_name(symbol.substr(last + 1)) ? symbol.substr(last + 1) : "";
}

std::string variable_of_module(const std::string &symbol, const std::string &module) {
  for (const std::string &head : {"__" + module + "_MOD_", "_QM" + module + "E"})
    if (starts_with(symbol, head) && is_name(symbol.substr(head.size())) && symbol[head.size()] != '_')
      return symbol.substr(head.size());
  return {};
}

}  // namespace tessera
