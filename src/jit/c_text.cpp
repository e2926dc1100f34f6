// SPDX-License-Identifier: BSD-3-Clause
#include "c_text.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "text.hpp"

namespace tessera {
namespace {

using kind = c_token::kind;

struct variable {
  std::string name;
  std::size_t token;
  bool initialised = false;
};

struct item {
  std::size_t first = 0, last = 0;  // tokens first .. last-1
  enum class sort { function, variables, prototype, other } what = sort::other;
  std::string name;  // function, prototype
  std::size_t name_token = 0;
  std::size_t body = 0;  // token of the function's '{'
  bool is_const = false, is_extern = false, defines_type = false;
  std::vector<variable> variables;
  bool reached = false;
};

class reader {
 public:
  explicit reader(const std::string &text) {
    c_.text = text;
    all_ = tokenize_c(c_.text, c_.files);
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i].what != kind::directive) t_.push_back(all_[i]);
    match_brackets();
    find_items();
    find_macros();
  }

  c_text read(const std::string &function) {
    const item *entry = nullptr;
    std::string others;
    for (const item &i : items_)
      if (i.what == item::sort::function) {
        if (i.name == function) entry = &i;
        others += (others.empty() ? "" : ", ") + i.name;
      }
    if (!entry)
      throw compile_error(jit_stage::translate, c_.files.front() + "(1): error: the text defines no function '" +
                                                    function + "'" + (others.empty() ? "" : "; it defines " + others));
    reach(function);
    check_variables();
    check_statics();
    c_.parameters = count_parameters(entry->name_token + 1);
    drop();
    c_.tokens = tokenize_c(c_.text, c_.files);
    return c_;
  }

 private:
  std::string spell(std::size_t i) const { return i < t_.size() ? c_.spelling(t_[i]) : std::string(); }
  bool is(std::size_t i, const char *sign) const { return i < t_.size() && c_.spelling(t_[i]) == sign; }
  bool is_word(std::size_t i) const { return i < t_.size() && t_[i].what == kind::word; }

  [[noreturn]] void refuse(std::size_t token, const std::string &what) const {
    throw compile_error(jit_stage::translate, message(token, what));
  }
  std::string message(std::size_t token, const std::string &what) const {
    return c_.place(t_[std::min(token, t_.size() - 1)]) + ": error: " + what;
  }

  void match_brackets() {
    partner_.assign(t_.size(), 0);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < t_.size(); ++i) {
      const std::string s = t_[i].what == kind::sign ? spell(i) : std::string();
      if (s == "(" || s == "[" || s == "{") open.push_back(i);
      if (s == ")" || s == "]" || s == "}") {
        const std::string wanted = s == ")" ? "(" : s == "]" ? "[" : "{";
        if (open.empty() || !is(open.back(), wanted.c_str())) refuse(i, "'" + s + "' without its '" + wanted + "'");
        partner_[i] = open.back();
        partner_[open.back()] = i;
        open.pop_back();
      }
    }
    if (!open.empty()) refuse(open.back(), "'" + spell(open.back()) + "' is never closed");
  }

  void find_items() {
    for (std::size_t i = 0; i < t_.size();) {
      item it;
      it.first = i;
      bool equals = false;
      std::size_t arguments = 0;  // closing parenthesis of a declarator
      for (;; ++i) {
        if (i >= t_.size()) break;
        if (is(i, ";")) {
          ++i;
          break;
        }
        if (is(i, "=")) equals = true;
        if (is(i, "(") || is(i, "[")) {
          if (is(i, "(") && !equals && is_word(i - 1) && i > it.first) {
            it.name = spell(i - 1);
            it.name_token = i - 1;
            arguments = partner_[i];
            const std::string next = spell(arguments + 1);
            if (is_one_of(next, "double int const float long unsigned char short struct void register signed"))
              refuse(i - 1, "'" + it.name +
                                "' is defined in the style before ANSI C; write the types of its parameters "
                                "into the parentheses");
          }
          i = partner_[i];
          continue;
        }
        if (is(i, "{")) {
          const bool body = !equals && arguments != 0 && i > it.first && is(i - 1, ")");
          if (body) {
            it.what = item::sort::function;
            it.body = i;
            i = partner_[i] + 1;
            break;
          }
          it.defines_type = it.defines_type || !equals;
          i = partner_[i];
        }
      }
      it.last = i;
      if (it.what != item::sort::function) read_declaration(it);
      items_.push_back(it);
    }
  }

  void read_declaration(item &it) {
    const std::string first = spell(it.first);
    if (first == "typedef" || first == ";" || first == "_Static_assert") return;
    std::string name;
    std::size_t name_token = 0;
    bool initialised = false, any_prototype = false, value = false;
    const auto finish = [&] {
      if (!name.empty()) it.variables.push_back({name, name_token, initialised});
      name.clear();
      initialised = value = false;
    };
    bool type_word = false;  // a word was seen that may be the type: the last one before a separator is the name
    int words = 0;
    for (std::size_t i = it.first; i < it.last; ++i) {
      const std::string s = spell(i);
      if (s == "extern") it.is_extern = true;
      if (s == "const" && !value) it.is_const = true;
      if (s == "{") {
        i = partner_[i];
        type_word = true;
        ++words;
      } else if (s == "[" || (s == "(" && value)) {
        i = partner_[i];
      } else if (s == "(" && is(i + 1, "*") && is_word(i + 2)) {  // pointer to a function
        name = spell(i + 2);
        name_token = i + 2;
        i = partner_[i];
        if (is(i + 1, "(")) i = partner_[i + 1];
      } else if (s == "(") {
        any_prototype = true;
        name.clear();
        i = partner_[i];
      } else if (s == "=") {
        initialised = value = true;
      } else if (s == "," || s == ";") {
        finish();
      } else if (!value && is_word(i)) {
        const bool tag = i > it.first && is_one_of(spell(i - 1), "struct union enum");
        if ((++words > 1 || type_word) && !tag) {
          name = s;
          name_token = i;
        }
      }
    }
    if (any_prototype && it.variables.empty()) {
      it.what = item::sort::prototype;
    } else if (!it.variables.empty()) {
      it.what = item::sort::variables;
    }
  }

  // Words of a macro's replacement, by its name.
  void find_macros() {
    for (const c_token &d : all_) {
      if (d.what != kind::directive) continue;
      std::string body = c_.spelling(d);
      std::vector<std::string> words;
      for (std::size_t i = 0; i < body.size();) {
        if (!word_start(body[i])) {
          ++i;
          continue;
        }
        std::size_t end = i;
        while (end < body.size() && word_part(body[end])) ++end;
        words.push_back(body.substr(i, end - i));
        i = end;
      }
      if (words.size() > 1 && words[0] == "define")
        macros_[words[1]].insert(macros_[words[1]].end(), words.begin() + 2, words.end());
    }
  }

  void reach(const std::string &start) {
    std::map<std::string, std::vector<item *>> owners;
    for (item &i : items_) {
      if (i.what == item::sort::function || i.what == item::sort::prototype) owners[i.name].push_back(&i);
      for (const variable &v : i.variables) owners[v.name].push_back(&i);
      if (i.what == item::sort::other || i.defines_type) pinned_.push_back(&i);
    }
    std::vector<std::string> todo = {start};
    std::set<std::string> seen;
    const auto visit_item = [&](item &i) {
      if (i.reached) return;
      i.reached = true;
      for (std::size_t k = i.first; k < i.last; ++k)
        if (is_word(k)) todo.push_back(spell(k));
    };
    for (item *i : pinned_) visit_item(*i);
    while (!todo.empty()) {
      const std::string name = todo.back();
      todo.pop_back();
      if (!seen.insert(name).second) continue;
      const auto macro = macros_.find(name);
      if (macro != macros_.end())
        for (const std::string &w : macro->second) {
          todo.push_back(w);
          macro_words_.insert(w);
        }
      for (item *i : owners[name]) visit_item(*i);
    }
  }

  // What the function f declares from token i on.
  item local_declaration(const item &f, std::size_t i) {
    item out;
    out.first = i;
    while (i < f.last && !is(i, ";")) i = is(i, "{") || is(i, "(") || is(i, "[") ? partner_[i] + 1 : i + 1;
    out.last = std::min(i + 1, f.last);
    read_declaration(out);
    return out;
  }

  // Names that a function declares for itself.
  const std::set<std::string> &locals(const item &f) {
    const auto known = locals_.find(&f);
    if (known != locals_.end()) return known->second;
    std::set<std::string> &out = locals_[&f];
    const std::size_t close = partner_[f.name_token + 1];
    for (std::size_t i = f.name_token + 2; i <= close; ++i)
      if ((is(i, ",") || is(i, ")") || is(i, "[")) && is_word(i - 1)) out.insert(spell(i - 1));
    constexpr const char *statements = "return else do goto case if for while switch break continue default sizeof";
    std::size_t end_of_for = 0;
    for (std::size_t i = f.body + 1; i < f.last; ++i) {
      if (is(i, "(") && !is(i - 1, "for")) {
        i = partner_[i];
        continue;
      }
      const bool start = is(i - 1, "{") || is(i - 1, "}") || is(i - 1, ";") || is(i - 1, "(");
      const bool in_for = i < end_of_for && !is(i - 1, "(");  // no declaration after its first semicolon
      if (is(i - 1, "(")) end_of_for = partner_[i - 1];
      if (!start || in_for || !is_word(i) || is_one_of(spell(i), statements)) continue;
      std::size_t k = i + 1;
      while (is(k, "*")) ++k;
      if (!is_word(k) && !is(k, "{")) continue;
      for (const variable &v : local_declaration(f, i).variables) out.insert(v.name);
    }
    return out;
  }

  bool uses(const std::string &name, const item &f) {
    if (locals(f).count(name)) return false;
    for (std::size_t i = f.body; i < f.last; ++i)
      if (is_word(i) && spell(i) == name && !is(i - 1, ".") && !is(i - 1, "->")) return true;
    return false;
  }

  // Whether something that the integrand reaches reads the variable of the file.
  bool needed(const std::string &name, const item &owner) {
    if (macro_words_.count(name)) return true;
    for (const item &i : items_) {
      if (!i.reached || &i == &owner) continue;
      if (i.what == item::sort::function) {
        if (uses(name, i)) return true;
      } else if (i.what == item::sort::variables) {
        for (std::size_t k = i.first; k < i.last; ++k)
          if (is_word(k) && spell(k) == name && !is_own_name(i, k)) return true;
      }
    }
    return false;
  }
  static bool is_own_name(const item &i, std::size_t token) {
    return std::any_of(i.variables.begin(), i.variables.end(), [&](const variable &v) { return v.token == token; });
  }

  // Whether tokens first..last-1 give the variable a new value. With `address`, taking its address counts.
  bool writes(const std::string &name, std::size_t first, std::size_t last, bool address, std::size_t &where) const {
    for (std::size_t i = first; i < last; ++i) {
      if (!is_word(i) || spell(i) != name) continue;
      const std::string before = i > first ? spell(i - 1) : std::string();
      if (before == "." || before == "->") continue;
      std::size_t k = i + 1;
      while (k < last) {
        if (is(k, "["))
          k = partner_[k] + 1;
        else if (is(k, ".") || is(k, "->"))
          k += 2;
        else
          break;
      }
      std::size_t b = i;
      while (b > first && is(b - 1, "(")) --b;  // (*&(a))
      const std::string sign = b > first ? spell(b - 1) : std::string();
      where = i;
      if (is_one_of(spell(k), "= += -= *= /= %= &= |= ^= <<= >>= ++ --") || is_one_of(sign, "++ --")) return true;
      if (address && sign == "&") {
        const bool binary =
            b >= first + 2 && (t_[b - 2].what == kind::number || is(b - 2, ")") || is(b - 2, "]") ||
                               (is_word(b - 2) && !is_one_of(spell(b - 2), "return else case do goto sizeof")));
        if (!binary) return true;
      }
    }
    return false;
  }

  // Whether the text never takes the variable's address: no &v, and an array only with an index.
  bool only_values(const variable &v) const {
    const bool array = is(v.token + 1, "[");
    if (array && is(partner_[v.token + 1] + 1, "[")) return false;  // its rows are addresses too
    if (is(v.token - 1, "*") || macro_words_.count(v.name)) return false;
    for (std::size_t i = 1; i < t_.size(); ++i)
      if (is_word(i) && i != v.token && spell(i) == v.name && (is(i - 1, "&") || (array && !is(i + 1, "["))))
        return false;
    return true;
  }

  void check_variables() {
    for (const item &i : items_) {
      if (i.what != item::sort::variables || !i.reached) continue;
      bool only_read = !i.is_const && !i.is_extern && !i.defines_type;
      for (std::size_t k = i.first; k < i.variables.front().token; ++k) only_read = only_read && !is(k, "*");
      for (const variable &v : i.variables) {
        only_read = only_read && v.initialised && only_values(v);
        if (!needed(v.name, i)) continue;
        const bool defined_elsewhere = std::any_of(items_.begin(), items_.end(), [&](const item &other) {
          return &other != &i && std::any_of(other.variables.begin(), other.variables.end(), [&](const variable &w) {
            return w.name == v.name && (w.initialised || !other.is_extern);
          });
        });
        if (i.is_extern && !v.initialised) {
          if (!defined_elsewhere)
            refuse(v.token,
                   "the variable '" + v.name + "' is defined in another file; hand it over in the parameter block");
          continue;
        }
        std::size_t where = 0;
        bool written_here = false;
        for (const item &f : items_) {
          if (f.what != item::sort::function || locals(f).count(v.name)) continue;
          if (!writes(v.name, f.name_token + 1, f.last, !f.reached, where)) continue;
          if (!f.reached)
            refuse(where, "'" + f.name + "' sets the variable '" + v.name +
                              "' that the integrand reads, but is no part "
                              "of the integrand; hand the value over in the parameter block");
          written_here = true;
          if (c_.not_parallel.empty())
            c_.not_parallel = message(where, "'" + f.name + "' writes to the variable '" + v.name +
                                                 "', which all points would share; make it local");
        }
        if (!written_here && !v.initialised && !defined_elsewhere && !i.is_const)
          refuse(v.token, "nothing in this text gives the variable '" + v.name +
                              "' a value; hand it over in the parameter block");
        only_read = only_read && !written_here;
      }
      if (only_read) c_.constants.push_back(t_[i.first].begin);
    }
  }

  // Static variables inside functions.
  void check_statics() {
    for (const item &f : items_) {
      if (f.what != item::sort::function || !f.reached) continue;
      for (std::size_t i = f.body; i < f.last; ++i) {
        if (!is(i, "static")) continue;
        const item local = local_declaration(f, i);
        std::size_t where = 0;
        for (const variable &v : local.variables)
          if (c_.not_parallel.empty() && writes(v.name, local.last, f.last, false, where))
            c_.not_parallel = message(where, "'" + f.name + "' writes to its static variable '" + v.name +
                                                 "', which all points would share; make it automatic");
        i = local.last - 1;
      }
    }
  }

  int count_parameters(std::size_t open) {
    const std::size_t close = partner_[open];
    int n = close == open + 1 || (close == open + 2 && is(open + 1, "void")) ? 0 : 1;
    for (std::size_t i = open + 1; i < close; ++i) {
      if (is(i, "(") || is(i, "[")) i = partner_[i];
      if (is(i, ",")) ++n;
      if (n == 4 && (is(i, "complex") || is(i, "_Complex"))) c_.complex_values = true;
    }
    return n;
  }

  void drop() {
    for (const item &i : items_) {
      if (i.reached || i.first >= i.last) continue;
      // Directives between the tokens stay: conditions must keep their ends.
      for (std::size_t k = i.first; k < i.last; ++k) blank(c_.text, t_[k].begin, t_[k].end);
    }
  }

  c_text c_;
  std::vector<c_token> all_, t_;  // with and without directives
  std::vector<std::size_t> partner_;
  std::vector<item> items_;
  std::vector<item *> pinned_;
  std::map<std::string, std::vector<std::string>> macros_;
  std::set<std::string> macro_words_;
  std::map<const item *, std::set<std::string>> locals_;
};

}  // namespace

std::string c_text::place(const c_token &t) const {
  return files[static_cast<std::size_t>(t.file)] + "(" + std::to_string(t.line) + ")";
}

c_text read_c(const std::string &text, const std::string &function) { return reader(text).read(function); }

bool returns_value(const c_text &c, const integrand_source &source) {
  return source.axis < 0 && source.language == source_language::c_point && (c.parameters == 1 || c.parameters == 2);
}

void check_parameters(const c_text &c, const integrand_source &source) {
  const bool limits = source.axis >= 0, cuba = source.language == source_language::c_cuba;
  if (limits ? c.parameters == 6
      : cuba ? c.parameters >= 4 && c.parameters <= 7
             : c.parameters == 5 || returns_value(c, source))
    return;
  throw compile_error(
      jit_stage::translate,
      c.files.front() + "(1): error: '" + source.function + "' has " + std::to_string(c.parameters) +
          " parameters; it must be int " + source.function +
          (limits ? "(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata)"
           : cuba ? "(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata)"
                  : "(int ndim, const double *x, int ncomp, double *f, void *userdata), or with one component double " +
                        source.function + "(const double *x, void *userdata)"));
}

}  // namespace tessera
