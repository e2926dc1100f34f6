// SPDX-License-Identifier: BSD-3-Clause
#include "fortran_data.hpp"

#include "../text.hpp"
#include "fortran_text.hpp"

namespace tessera {
namespace {

bool is_name(const std::string &s) {
  return !s.empty() && s.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

void add(const std::string &text, bool fixed_form, fortran_data_names &out) {
  for (const fortran_statement &s : fortran_statements(text, fixed_form)) {
    const std::string &t = s.text;
    if (starts_with(t, "module") && !starts_with(t, "moduleprocedure") && is_name(t.substr(6)))
      out.modules.insert(t.substr(6));
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

std::string variable_of_module(const std::string &symbol, const std::string &module) {
  for (const std::string &head : {"__" + module + "_MOD_", "_QM" + module + "E"})
    if (starts_with(symbol, head) && is_name(symbol.substr(head.size())) && symbol[head.size()] != '_')
      return symbol.substr(head.size());
  return {};
}

}  // namespace tessera
