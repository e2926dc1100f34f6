// A parser by descent that writes C. Every identifier is one that is listed here, so that nothing of an expression reaches the compiler
// but arithmetic.
// SPDX-License-Identifier: BSD-3-Clause
#include "expression.hpp"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "program.hpp"

namespace tessera {
namespace {

constexpr int most_variables = 1024;
constexpr int most_depth = 200;  // of brackets within brackets
constexpr std::size_t most_characters = 100000;

struct function_row {
  const char *name, *c;
  int arguments;
};
constexpr function_row functions[] = {{"sin", "sin", 1},
                                      {"cos", "cos", 1},
                                      {"tan", "tan", 1},
                                      {"asin", "asin", 1},
                                      {"acos", "acos", 1},
                                      {"atan", "atan", 1},
                                      {"atan2", "atan2", 2},
                                      {"sinh", "sinh", 1},
                                      {"cosh", "cosh", 1},
                                      {"tanh", "tanh", 1},
                                      {"asinh", "asinh", 1},
                                      {"acosh", "acosh", 1},
                                      {"atanh", "atanh", 1},
                                      {"exp", "exp", 1},
                                      {"exp2", "exp2", 1},
                                      {"expm1", "expm1", 1},
                                      {"log", "log", 1},
                                      {"ln", "log", 1},
                                      {"log2", "log2", 1},
                                      {"log10", "log10", 1},
                                      {"log1p", "log1p", 1},
                                      {"sqrt", "sqrt", 1},
                                      {"cbrt", "cbrt", 1},
                                      {"pow", "pow", 2},
                                      {"hypot", "hypot", 2},
                                      {"fabs", "fabs", 1},
                                      {"abs", "fabs", 1},
                                      {"floor", "floor", 1},
                                      {"ceil", "ceil", 1},
                                      {"trunc", "trunc", 1},
                                      {"round", "round", 1},
                                      {"fmod", "fmod", 2},
                                      {"fmin", "fmin", 2},
                                      {"min", "fmin", 2},
                                      {"fmax", "fmax", 2},
                                      {"max", "fmax", 2},
                                      {"erf", "erf", 1},
                                      {"erfc", "erfc", 1},
                                      {"tgamma", "tgamma", 1},
                                      {"lgamma", "lgamma", 1},
                                      {"j0", "j0", 1},
                                      {"j1", "j1", 1},
                                      {"y0", "y0", 1},
                                      {"y1", "y1", 1},
                                      {"fdim", "fdim", 2},
                                      {"fma", "fma", 3},
                                      {"copysign", "copysign", 2}};

struct constant_row {
  const char *name, *c;
};
constexpr constant_row constants[] = {{"pi", "3.14159265358979323846"},
                                      {"M_PI", "3.14159265358979323846"},
                                      {"e", "2.71828182845904523536"},
                                      {"M_E", "2.71828182845904523536"}};

const std::vector<std::string> usual_names = {"x", "y", "z", "u", "v", "w"};

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

class parser {
 public:
  parser(const std::string &text, const std::vector<std::string> &names, int ndim)
      : text_(text), names_(names.empty() ? usual_names : names), named_(!names.empty()), ndim_(ndim) {}

  expression_text whole() {
    if (text_.size() > most_characters)
      throw wrong_usage("the expression has more than " + std::to_string(most_characters) + " characters");
    const std::string c = choice();
    skip();
    if (at_ < text_.size()) fail(text_[at_] == ')' ? "there is no '(' for this" : "an operator is missing here");
    return {"#include <math.h>\ndouble f(const double *x) {\n  (void)x;\n  return " + c + ";\n}\n", highest_};
  }

 private:
  [[noreturn]] void fail(const std::string &what) const {
    throw wrong_usage("the expression: " + what + ": " +
                      (at_ < text_.size()
                           ? "'" + text_.substr(at_, 20) + "' (character " + std::to_string(at_ + 1) + ")"
                           : "at its end"));
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  // Is this next? Then it is passed over.
  bool next(const char *token) {
    skip();
    const std::size_t n = std::strlen(token);
    if (text_.compare(at_, n, token) != 0) return false;
    at_ += n;
    return true;
  }
  // A longer operator is not to be taken for a shorter one.
  bool next_operator(const char *token, const char *longer) {
    skip();
    for (const char *l = longer; *l; ++l)
      if (at_ + 1 < text_.size() && text_[at_] == token[0] && text_[at_ + 1] == *l) return false;
    return next(token);
  }

  struct deeper {
    explicit deeper(parser &p) : p_(p) {
      if (++p_.depth_ > most_depth) p_.fail("more than " + std::to_string(most_depth) + " brackets within brackets");
    }
    ~deeper() { --p_.depth_; }
    parser &p_;
  };

  std::string choice() {
    const deeper level(*this);
    const std::string condition = either();
    if (!next("?")) return condition;
    const std::string yes = choice();
    if (!next(":")) fail("a ':' is missing for '?'");
    return "(" + condition + " ? " + yes + " : " + choice() + ")";
  }
  static std::string truth(const std::string &c) { return "(" + c + " ? 1.0 : 0.0)"; }
  std::string either() {
    std::string c = both();
    bool more = false;
    for (; next("||"); more = true) c += " || " + both();
    return more ? truth(c) : c;
  }
  std::string both() {
    std::string c = equal();
    bool more = false;
    for (; next("&&"); more = true) c += " && " + equal();
    return more ? truth(c) : c;
  }
  // 0 < x < 1 means in C what nobody means.
  std::string equal() {
    std::string c = order();
    for (const char *token : {"==", "!="})
      if (next(token)) return truth(c + " " + token + " " + order());
    return c;
  }
  std::string order() {
    const std::string c = sum();
    for (const char *token : {"<=", ">=", "<", ">"}) {
      if (!next(token)) continue;
      const std::string out = truth(c + " " + token + " " + sum());
      skip();
      if (at_ < text_.size() && (text_[at_] == '<' || text_[at_] == '>'))
        fail("two comparisons in a row; write a < x && x < b");
      return out;
    }
    return c;
  }
  std::string sum() {
    std::string c = product();
    bool more = false;
    for (;; more = true) {
      if (next("+"))
        c += " + " + product();
      else if (next("-"))
        c += " - " + product();
      else
        break;
    }
    return more ? "(" + c + ")" : c;
  }
  std::string product() {
    std::string c = sign();
    bool more = false;
    for (;; more = true) {
      if (next_operator("*", "*"))
        c += " * " + sign();
      else if (next("/"))
        c += " / " + sign();
      else
        break;
    }
    skip();
    if (at_ < text_.size() && text_[at_] == '%') fail("there is no %, write fmod(a, b)");
    return more ? "(" + c + ")" : c;
  }
  std::string sign() {
    const deeper level(*this);
    if (next("-")) return "(-" + sign() + ")";
    if (next("+")) return sign();
    skip();
    if (at_ < text_.size() && text_[at_] == '!' && text_.compare(at_, 2, "!=") != 0) {
      ++at_;
      return truth(sign() + " == 0.0");
    }
    const std::string base = operand();
    if (next("^") || next("**")) return "pow(" + base + ", " + sign() + ")";
    return base;
  }
  std::string operand() {
    skip();
    if (at_ >= text_.size()) fail("something is missing");
    const char c = text_[at_];
    if (c == '(') {
      ++at_;
      const std::string inside = choice();
      if (!next(")")) fail("a ')' is missing");
      return "(" + inside + ")";
    }
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return number();
    if (begins_name(c)) return name();
    fail("a number, a variable or a function belongs here");
  }
  std::string number() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    bool whole = true;
    if (at_ < text_.size() && text_[at_] == '.') {
      whole = false;
      for (++at_; at_ < text_.size() && is_digit(text_[at_]);) ++at_;
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      std::size_t digits = at_ + 1;
      if (digits < text_.size() && (text_[digits] == '+' || text_[digits] == '-')) ++digits;
      if (digits < text_.size() && is_digit(text_[digits])) {
        whole = false;
        for (at_ = digits; at_ < text_.size() && is_digit(text_[at_]);) ++at_;
      }
    }
    const std::string digits = text_.substr(begin, at_ - begin);
    if (at_ < text_.size() && (continues_name(text_[at_]) || text_[at_] == '.'))
      fail("an operator is missing after the number " + digits);
    if (!std::isfinite(std::strtod(digits.c_str(), nullptr))) fail("the number " + digits + " is too large");
    return whole ? digits + ".0" : digits;
  }
  std::string variable(long long index, std::size_t begin) {  // counted from 0
    if (index < 0 || index >= most_variables || (ndim_ > 0 && index >= ndim_)) {
      const std::string what = text_.substr(begin, at_ - begin);
      at_ = begin;
      throw wrong_usage(
          "the expression: there is no variable " + what + ", for there " +
          (ndim_ == 1 ? "is one"
                      : "are " + std::to_string(ndim_ > 0 ? ndim_ : most_variables) + (ndim_ > 0 ? "" : " at most")));
    }
    highest_ = index + 1 > highest_ ? static_cast<int>(index + 1) : highest_;
    return "x[" + std::to_string(index) + "]";
  }
  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    const std::string word = text_.substr(begin, at_ - begin);
    skip();
    const char follows = at_ < text_.size() ? text_[at_] : '\0';
    if (follows == '(') {
      for (const function_row &f : functions)
        if (word == f.name) return call(f);
      at_ = begin;
      fail("there is no function " + word);
    }
    if (word == "x" && follows == '[') {
      ++at_;
      skip();
      const std::size_t from = at_;
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
      if (at_ == from || at_ - from > 6) fail("in x[...] belongs a whole number, from 0");
      const long long index = std::atoll(text_.substr(from, at_ - from).c_str());
      if (!next("]")) fail("a ']' is missing");
      return variable(index, begin);
    }
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (word == names_[i]) return variable(static_cast<long long>(i), begin);
    if (word.size() > 1 && word.size() < 6 && word[0] == 'x' && word[1] != '0' &&
        word.find_first_not_of("0123456789", 1) == std::string::npos)
      return variable(std::atoll(word.c_str() + 1) - 1, begin);
    for (const constant_row &c : constants)
      if (word == c.name) return c.c;
    for (const function_row &f : functions)
      if (word == f.name) fail("a '(' belongs behind the function " + word);
    at_ = begin;
    std::string there;
    const std::size_t shown = named_ || ndim_ <= 0 || static_cast<std::size_t>(ndim_) > names_.size()
                                  ? names_.size()
                                  : static_cast<std::size_t>(ndim_);
    for (std::size_t i = 0; i < shown; ++i) there += (i ? ", " : "") + names_[i];
    fail(word + " is no variable (" + there + ", or x1, x2, ...) and no function");
  }
  std::string call(const function_row &f) {
    ++at_;
    std::string c = std::string(f.c) + "(";
    for (int i = 0; i < f.arguments; ++i) {
      if (i > 0 && !next(",")) fail(std::string(f.name) + " has " + std::to_string(f.arguments) + " arguments");
      c += (i ? ", " : "") + choice();
    }
    if (next(","))
      fail(std::string(f.name) + " has " + std::to_string(f.arguments) +
           (f.arguments == 1 ? " argument" : " arguments"));
    if (!next(")")) fail("a ')' is missing");
    return c + ")";
  }

  const std::string &text_;
  const std::vector<std::string> names_;
  const bool named_;
  const int ndim_;
  std::size_t at_ = 0;
  int depth_ = 0, highest_ = 0;
};

}  // namespace

expression_text read_expression(const std::string &expression, const std::vector<std::string> &names, int ndim) {
  return parser(expression, names, ndim).whole();
}

bool is_variable_name(const std::string &name) {
  if (name.empty() || !begins_name(name[0])) return false;
  for (const char c : name)
    if (!continues_name(c)) return false;
  for (const function_row &f : functions)
    if (name == f.name) return false;
  return true;
}

double read_limit(const std::string &text) {
  const auto fail = [&]() -> command_failure {
    return wrong_usage("'" + text + "' is no limit: a number, pi, inf, or products and quotients of them, as -pi/2");
  };
  std::size_t at = 0;
  double sign = 1.0, value = 1.0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) sign = text[at++] == '-' ? -1.0 : 1.0;
  for (bool divide = false;;) {
    double factor = 0.0;
    std::size_t end = at;
    if (at < text.size() && begins_name(text[at])) {
      while (end < text.size() && continues_name(text[end])) ++end;
      const std::string word = text.substr(at, end - at);
      if (word == "pi")
        factor = std::acos(-1.0);
      else if (word == "inf" || word == "infinity")
        factor = HUGE_VAL;
      else
        throw fail();
    } else {
      if (at >= text.size() || !(is_digit(text[at]) || text[at] == '.')) throw fail();
      char *stop = nullptr;
      factor = std::strtod(text.c_str() + at, &stop);
      end = static_cast<std::size_t>(stop - text.c_str());
      if (end == at || !std::isfinite(factor)) throw fail();
    }
    value = divide ? value / factor : value * factor;
    at = end;
    if (at == text.size()) break;
    if (text[at] != '*' && text[at] != '/') throw fail();
    divide = text[at++] == '/';
  }
  if (std::isnan(value)) throw fail();
  return sign * value;
}

}  // namespace tessera
