// SPDX-License-Identifier: BSD-3-Clause
#include "fortran_text.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "../../text_file.hpp"
#include "../text.hpp"

namespace tessera {
namespace {

char small(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
std::string small(std::string s) {
  for (char &c : s) c = small(c);
  return s;
}
bool letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool name_char(char c) { return letter(c) || std::isdigit(static_cast<unsigned char>(c)); }

bool is_name(const std::string &s) { return !s.empty() && letter(s[0]) && std::all_of(s.begin(), s.end(), name_char); }

// Lines put together to statements.
class joiner {
 public:
  explicit joiner(bool fixed) : fixed_(fixed) {}

  void line(std::string s, int number) {
    if (!s.empty() && s.back() == '\r') s.pop_back();
    if (!s.empty() && s[0] == '#') return;
    if (fixed_)
      fixed(s, number);
    else
      free(s, number);
  }

  std::vector<fortran_statement> end() {
    finish();
    return std::move(out_);
  }

 private:
  void fixed(std::string s, int number) {
    if (s.empty() || std::string("cC*!dD").find(s[0]) != std::string::npos) return;
    const std::size_t tab = s.find('\t');
    bool more = false;
    std::size_t from = 6;
    if (tab != std::string::npos && tab < 6) {
      from = tab + 1;
      more = from < s.size() && s[from] >= '1' && s[from] <= '9';
      if (more) ++from;
    } else {
      s = s.substr(0, 72);
      const std::size_t comment = s.substr(0, 6).find('!');
      if (comment != std::string::npos && comment != 5) return;
      more = s.size() > 5 && s[5] != ' ' && s[5] != '0';
    }
    if (from >= s.size() || s.find_first_not_of(" \t", from) == std::string::npos) return;
    if (!more) finish();
    add(s.substr(from), number);
  }

  void free(const std::string &s, int number) {
    std::size_t from = s.find_first_not_of(" \t");
    if (from == std::string::npos || (s[from] == '!')) return;
    if (!continues_) finish();
    if (continues_ && s[from] == '&') ++from;
    continues_ = false;
    add(s.substr(from), number);
    if (!now_.text.empty() && now_.text.back() == '&') {
      now_.text.pop_back();
      continues_ = true;
    }
    if (!continues_) quote_ = 0;
  }

  void add(const std::string &s, int number) {
    for (std::size_t i = 0; i < s.size(); ++i) {
      const char c = s[i];
      if (quote_) {
        if (c == quote_) quote_ = 0;
        if (!fixed_ && c == '&' && s.find_first_not_of(" \t", i + 1) == std::string::npos) now_.text += '&';
        continue;
      }
      if (c == '!') return;
      if (c == '\'' || c == '"') {
        quote_ = c;
      } else if (c == ';') {
        finish();
      } else if (c != ' ' && c != '\t') {
        if (now_.text.empty()) {
          now_.line = number;
          if (!fixed_ && std::isdigit(static_cast<unsigned char>(c))) {  // a label
            while (i + 1 < s.size() && std::isdigit(static_cast<unsigned char>(s[i + 1]))) ++i;
            continue;
          }
        }
        now_.text += small(c);
      }
    }
  }

  void finish() {
    if (!now_.text.empty()) out_.push_back(now_);
    now_ = {};
    quote_ = 0;
  }

  const bool fixed_;
  bool continues_ = false;
  char quote_ = 0;
  fortran_statement now_;
  std::vector<fortran_statement> out_;
};

std::size_t closing(const std::string &s, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < s.size(); ++i) {
    if (s[i] == '(') ++depth;
    if (s[i] == ')' && --depth == 0) return i;
  }
  return std::string::npos;
}

// subroutine name(...) or [types and attributes] function name(...)
bool procedure_head(const std::string &statement, fortran_entry &out) {
  std::string s = statement;
  for (bool more = true; more;) {
    more = false;
    for (const char *word : {"recursive", "pure", "elemental", "impure", "non_recursive", "module", "integer", "real",
                             "doubleprecision", "doublecomplex", "complex", "logical", "character", "type", "class"}) {
      if (!starts_with(s, word)) continue;
      std::string rest = s.substr(std::string(word).size());
      if (starts_with(rest, "*")) rest = rest.substr(std::min(rest.find_first_not_of("0123456789", 1), rest.size()));
      if (starts_with(rest, "(") && std::string(word) != "module") {
        const std::size_t close = closing(rest, 0);
        if (close == std::string::npos) return false;
        rest = rest.substr(close + 1);
      }
      if (rest.empty()) return false;
      s = rest;
      more = true;
      break;
    }
  }
  out.function = starts_with(s, "function");
  if (!out.function && !starts_with(s, "subroutine")) return false;
  s = s.substr(out.function ? 8 : 10);
  const std::size_t open = s.find('(');
  out.name = s.substr(0, open);
  if (!is_name(out.name) || (out.function && open == std::string::npos)) return false;
  out.arguments.clear();
  if (open == std::string::npos) return true;
  const std::size_t close = closing(s, open);
  if (close == std::string::npos) return false;
  std::string rest = s.substr(close + 1);
  if (!rest.empty() && !starts_with(rest, "result(") && !starts_with(rest, "bind(")) return false;
  for (std::size_t at = open + 1; at < close;) {
    const std::size_t end = std::min(s.find(',', at), close);
    out.arguments.push_back(s.substr(at, end - at));
    at = end + 1;
  }
  return true;
}

// Is `name` declared with a shape that comes with the argument: a(:), or dimension(:) :: a?
bool has_assumed_shape(const std::string &statement, const std::string &name) {
  const auto open_ended = [&](std::size_t open) {
    const std::size_t close = closing(statement, open);
    return close != std::string::npos && statement[close - 1] == ':';
  };
  for (std::size_t at = statement.find(name); at != std::string::npos; at = statement.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at > 0 && name_char(statement[at - 1])) || (end < statement.size() && name_char(statement[end]))) continue;
    const std::size_t colons = statement.rfind("::", at);
    if (colons == std::string::npos) continue;
    if (end < statement.size() && statement[end] == '(') return open_ended(end);
    const std::size_t dimension = statement.find("dimension(");
    return dimension < colons && open_ended(dimension + 9);
  }
  return false;
}

enum class scope { module, interface, procedure, program };

struct candidate {
  fortran_entry entry;
  bool internal;
};

class finder {
 public:
  explicit finder(std::string wanted) : wanted_(std::move(wanted)) {}

  void statement(const fortran_statement &s) {
    const std::string &t = s.text;
    for (const std::size_t k : inside_)
      for (std::size_t a = 0; a < found[k].entry.arguments.size(); ++a)
        if (has_assumed_shape(t, found[k].entry.arguments[a])) found[k].entry.assumed_shape[a] = true;
    if (is_end(t)) {
      if (!open_.empty()) {
        open_.pop_back();
        if (open_.size() < depth_) inside_.clear();
      }
      return;
    }
    if (open_.empty() || open_.back() != scope::interface) {
      if (starts_with(t, "interface") || t == "abstractinterface") {
        if (t.find('=') == std::string::npos) return open_.push_back(scope::interface);
      }
      if (starts_with(t, "module") && !starts_with(t, "moduleprocedure") && is_name(t.substr(6)) && open_.empty()) {
        module_ = t.substr(6);
        return open_.push_back(scope::module);
      }
      if (starts_with(t, "submodule(") && open_.empty()) {
        module_.clear();
        return open_.push_back(scope::program);
      }
      if (open_.empty() && ((starts_with(t, "program") && is_name(t.substr(7))) || starts_with(t, "blockdata")))
        return open_.push_back(scope::program);
      if (starts_with(t, "moduleprocedure") && !open_.empty()) return open_.push_back(scope::procedure);
    }
    fortran_entry e;
    if (procedure_head(t, e)) {
      e.line = s.line;
      const bool in_interface = !open_.empty() && open_.back() == scope::interface;
      if (!in_interface) add(e);
      return open_.push_back(scope::procedure);
    }
    if (starts_with(t, "entry") && !open_.empty() && open_.back() == scope::procedure && !inside_function_.empty()) {
      fortran_entry other;
      if (procedure_head((inside_function_.back() ? "function" : "subroutine") + t.substr(5), other)) {
        other.line = s.line;
        open_.pop_back();
        add(other);
        open_.push_back(scope::procedure);
      }
    }
    if (open_.empty()) open_.push_back(scope::program);  // a main program without a head
  }

  std::vector<candidate> found;
  std::set<std::string> names;

 private:
  static bool is_end(const std::string &t) {
    if (t == "end") return true;
    if (!starts_with(t, "end")) return false;
    for (const char *word :
         {"subroutine", "function", "program", "module", "submodule", "procedure", "interface", "blockdata"})
      if (t.compare(3, std::string(word).size(), word) == 0 && t.find('=') == std::string::npos) return true;
    return false;
  }

  void add(fortran_entry e) {
    const bool internal = !open_.empty() && open_.back() != scope::module;
    if (!internal) inside_function_.push_back(e.function);
    e.module = !open_.empty() && open_.back() == scope::module ? module_ : "";
    e.assumed_shape.assign(e.arguments.size(), false);
    names.insert(e.name);
    const bool named = wanted_ == e.name || (!e.module.empty() && wanted_ == e.module + "::" + e.name);
    if (!named) return;
    depth_ = open_.size() + 1;
    inside_.push_back(found.size());
    found.push_back({e, internal});
  }

  const std::string wanted_;
  std::string module_;
  std::vector<scope> open_;
  std::vector<std::size_t> inside_;  // candidates whose declarations are read
  std::vector<bool> inside_function_;
  std::size_t depth_ = 0;
};

}  // namespace

std::vector<fortran_statement> fortran_statements(const std::string &text, bool fixed_form) {
  joiner j(fixed_form);
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t newline = std::min(text.find('\n', begin), text.size());
    j.line(text.substr(begin, newline - begin), ++number);
    begin = newline + 1;
  }
  return j.end();
}

fortran_entry find_fortran_entry(const integrand_source &source) {
  const auto refuse = [&](const std::string &why, int line = 1) {
    throw compile_error(jit_stage::translate, source.file_name + "(" + std::to_string(line) + "): error: " + why);
  };
  finder f(small(source.function));
  for (const fortran_statement &s : fortran_statements(source.text, source.fixed_form)) f.statement(s);
  if (f.found.empty())
    for (const integrand_source::file &other : source.files)
      if (other.compiled)
        for (const fortran_statement &s : fortran_statements(other.text, other.fixed_form)) f.statement(s);
  const candidate *chosen = nullptr;
  for (const candidate &c : f.found) {
    if (c.internal) continue;
    if (chosen && chosen->entry.module != c.entry.module)
      refuse("there is more than one procedure '" + source.function + "'; write module::" + c.entry.name, c.entry.line);
    if (!chosen) chosen = &c;
  }
  if (!chosen && !f.found.empty())
    refuse("'" + source.function + "' is an internal procedure; it must stand in a module or by itself",
           f.found[0].entry.line);
  if (!chosen) {
    std::string all;
    int many = 0;
    for (const std::string &n : f.names)
      if (++many <= 8) all += (all.empty() ? "; it has '" : "', '") + n;
    refuse("the text defines no procedure '" + source.function + "'" + all + (all.empty() ? "" : "'"));
  }
  return chosen->entry;
}

std::vector<integrand_source::file> fortran_includes(const integrand_source &source) {
  std::vector<integrand_source::file> out;
  std::set<std::string> seen;
  std::vector<std::pair<std::string, std::string>> todo = {{source.file_name, source.text}};
  for (const integrand_source::file &f : source.files) todo.push_back({f.name, f.text});
  for (int count = 0; !todo.empty() && count < 1000; ++count) {
    const auto [name, text] = todo.back();
    todo.pop_back();
    const std::string here = contains(name, "/") ? name.substr(0, name.rfind('/') + 1) : "";
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t newline = std::min(text.find('\n', begin), text.size());
      const std::string line = text.substr(begin, newline - begin);
      begin = newline + 1;
      std::size_t at = line.find_first_not_of(" \t");
      if (at != std::string::npos && line[at] == '#') at = line.find_first_not_of(" \t", at + 1);
      if (at == std::string::npos || small(line.substr(at, 7)) != "include") continue;
      const std::size_t open = line.find_first_not_of(" \t", at + 7);
      if (open == std::string::npos || (line[open] != '\'' && line[open] != '"')) continue;
      const std::size_t close = line.find(line[open], open + 1);
      if (close == std::string::npos) continue;
      const std::string wanted = line.substr(open + 1, close - open - 1);
      if (wanted.empty() || !seen.insert(wanted).second) continue;
      for (const std::string &path : {wanted[0] == '/' ? wanted : here + wanted}) {
        integrand_source::file f;
        if (!read_text_file(path, f.text).empty()) continue;
        f.name = wanted;
        todo.push_back({path, f.text});
        out.push_back(std::move(f));
      }
    }
  }
  return out;
}

static std::string suffix_of(const std::string &path) {
  const std::size_t dot = path.rfind('.'), slash = path.rfind('/');
  return dot == std::string::npos || (slash != std::string::npos && dot < slash) ? "" : path.substr(dot + 1);
}

bool fixed_by_suffix(const std::string &path) { return is_one_of(small(suffix_of(path)), "f for ftn f77 fpp"); }

bool preprocessed_by_suffix(const std::string &path) {
  const std::string s = suffix_of(path);
  return (!s.empty() && s[0] == 'F') || s == "fpp";
}

}  // namespace tessera
