// SPDX-License-Identifier: BSD-3-Clause
#include "c_source.hpp"

#include <algorithm>
#include <set>

#include "c_text.hpp"
#include "device_prelude.hpp"
#include "limits_text.hpp"
#include "text.hpp"

namespace tessera {
namespace {

using kind = c_token::kind;

constexpr const char *cxx_keywords =
    "alignas alignof and and_eq asm_ bitand bitor catch char16_t char32_t char8_t class co_await co_return "
    "co_yield compl concept consteval constexpr constinit const_cast decltype delete dynamic_cast explicit "
    "export friend mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "reinterpret_cast requires static_assert static_cast template this thread_local throw try typeid typename "
    "using virtual wchar_t xor xor_eq __device__ __host__ __global__ __constant__ __shared__";

// What no device can do, and why.
constexpr const char *refused_calls[][2] = {
    {"malloc calloc realloc alloca aligned_alloc posix_memalign",
     "allocates memory, which is not possible for every point; use a local array"},
    {"fopen fread fwrite fscanf scanf fgets getchar open read sscanf",
     "reads or writes files, which a device cannot do; hand the data over in the parameter block"},
    {"sprintf snprintf", "makes text, which is not possible on a device"},
    {"rand srand drand48 random strtok", "keeps a state that all points would share"},
    {"getenv system time clock fork getpid usleep pthread_mutex_lock",
     "asks the operating system, which a device cannot do"},
    {"longjmp", "jumps out, which is not possible on a device"},
    {"setjmp", "jumps, which is not possible on a device"},
    {"va_start", "takes a variable number of arguments, which is not possible on a device"}};

struct edit {
  std::size_t begin, end;
  std::string text;
};

class translator {
 public:
  explicit translator(const c_text &c) : c_(c) {
    for (const c_token &t : c.tokens) {
      if (t.what != kind::directive)
        t_.push_back(t);
      else if (c.spelling(t).find("complex.h") != std::string::npos)
        complex_ = true;
    }
  }

  std::string run() {
    for (const c_token &t : t_)
      if (t.what == kind::word && c_.spelling(t) == "_Complex") complex_ = true;
    find_own_functions();
    for (const std::size_t at : c_.constants) edits_.push_back({at, at, "const "});
    for (std::size_t i = 0; i < t_.size(); ++i) {
      if (spell(i) == "(") compound_literal(i);
      if (t_[i].what == kind::word) i = word(i);
    }
    return apply();
  }

 private:
  std::string spell(std::size_t i) const { return i < t_.size() ? c_.spelling(t_[i]) : std::string(); }
  [[noreturn]] void refuse(std::size_t i, const std::string &message) const {
    throw compile_error(jit_stage::translate, c_.place(t_[i]) + ": error: " + message);
  }
  void replace(std::size_t i, const std::string &text) { edits_.push_back({t_[i].begin, t_[i].end, text}); }

  void find_own_functions() {
    for (std::size_t i = 0; i + 1 < t_.size(); ++i)
      if (t_[i].what == kind::word && i > 0 && spell(i + 1) == "(" &&
          (t_[i - 1].what == kind::word || spell(i - 1) == "*"))
        if (spell(i - 1) != "return" && spell(i - 1) != "else" && spell(i - 1) != "*") own_.insert(spell(i));
  }

  // Handles the word i and returns the last token that was used up.
  std::size_t word(std::size_t i) {
    const std::string s = spell(i);
    const std::string before = i > 0 ? spell(i - 1) : std::string();
    const bool member = before == "." || before == "->";
    if (s == "register" || s == "_Noreturn") {
      replace(i, "");
    } else if (s == "_Bool") {
      replace(i, "bool");
    } else if (s == "_Static_assert") {
      replace(i, "static_assert");
    } else if (s == "_Alignas") {
      replace(i, "alignas");
    } else if (s == "_Thread_local" || s == "__thread") {
      refuse(i, "thread-local variables are not possible on a device");
    } else if (is_one_of(s, cxx_keywords)) {
      replace(i, s + "_c_name");
    } else if (s == "void") {
      return void_pointer(i);
    } else if (complex_ && (s == "complex" || s == "_Complex" || s == "double" || s == "float" || s == "long")) {
      return complex_type(i);
    } else if (!member && spell(i + 1) == "(" && !own_.count(s)) {
      for (const auto &calls : refused_calls)
        if (is_one_of(s, calls[0])) refuse(i, s + "() " + calls[1]);
    }
    return i;
  }

  // [const] void [const] * [const] [restrict]  ->  a class that converts to every pointer, as void * does in C
  std::size_t void_pointer(std::size_t i) {
    std::size_t star = i + 1;
    while (spell(star) == "const" || spell(star) == "volatile") ++star;
    if (spell(star) != "*") return i;
    if (i > 0 && spell(i - 1) == "const") replace(i - 1, "");
    for (std::size_t k = i; k < star; ++k) replace(k, k == i ? "::tessera_c::voidp" : "");
    replace(star, " ");
    std::size_t last = star;
    while (spell(last + 1) == "restrict" || spell(last + 1) == "__restrict" || spell(last + 1) == "__restrict__")
      replace(++last, "");
    return last;
  }

  // (struct s){...}  ->  s{...}
  void compound_literal(std::size_t open) {
    std::size_t close = open + 1;
    bool array = false, type = false;
    for (; spell(close) != ")"; ++close) {
      if (close >= t_.size()) return;
      if (spell(close) == "[")
        array = true;
      else if (t_[close].what == kind::word)
        type = true;
      else if (spell(close) != "]" && !(array && t_[close].what == kind::number))
        return;
    }
    if (!type || spell(close + 1) != "{") return;
    if (open == 0 || (t_[open - 1].what == kind::word && spell(open - 1) != "return") || spell(open - 1) == ")") return;
    if (array) refuse(open, "an array without a name is not possible on a device; declare it as a variable");
    replace(open, "");
    replace(close, "");
    for (std::size_t k = open + 1; k < close; ++k)
      if (spell(k) == "struct" || spell(k) == "union" || spell(k) == "const") replace(k, "");
  }

  std::size_t complex_type(std::size_t i) {
    std::size_t last = i;
    bool is_complex = false, is_double = false, other = false;
    for (;; ++last) {
      const std::string s = spell(last);
      if (s == "complex" || s == "_Complex")
        is_complex = true;
      else if (s == "double")
        is_double = true;
      else if (s == "float" || s == "long")
        other = true;
      else
        break;
    }
    if (!is_complex) return last - 1;
    if (other) refuse(i, "of the complex types only double complex is possible on a device");
    if (!is_double && spell(i) == "complex") return last - 1;  // a name of the user's
    for (std::size_t k = i; k < last; ++k) replace(k, k == i ? "::tessera_c::complex" : "");
    return last - 1;
  }

  std::string apply() {
    std::stable_sort(edits_.begin(), edits_.end(), [](const edit &a, const edit &b) { return a.begin < b.begin; });
    std::string out;
    std::size_t at = 0;
    for (const edit &e : edits_) {
      if (e.begin < at) continue;
      out.append(c_.text, at, e.begin - at);
      out += e.text;
      at = e.end;
    }
    return out.append(c_.text, at, std::string::npos);
  }

  const c_text &c_;
  std::vector<c_token> t_;
  std::set<std::string> own_;
  std::vector<edit> edits_;
  bool complex_ = false;
};

bool designated_initialisers(const c_text &c) {
  for (std::size_t i = 0; i + 2 < c.tokens.size(); ++i) {
    const std::string s = c.spelling(c.tokens[i]);
    if ((s == "{" || s == ",") && c.spelling(c.tokens[i + 1]) == "." && c.tokens[i + 2].what == kind::word) return true;
  }
  return false;
}

}  // namespace

device_c translate_c(const integrand_source &source) {
  const bool cuba = source.language == source_language::c_cuba;
  const c_text c = read_c(expand_includes(source), source.function);
  if (!c.not_parallel.empty()) throw compile_error(jit_stage::translate, c.not_parallel);
  check_parameters(c, source);
  device_c out;
  if (designated_initialisers(c)) out.options.push_back("-std=c++20");
  const std::string space = source.axis < 0 ? "user" : "limits_" + std::to_string(source.axis);
  out.text = "namespace tessera_c { namespace " + space + " { namespace {\n" + translator(c).run() + "\n#line 1 " +
             quoted(call_name(source)) + "\n}}}\n" + entry_of(source) + " {\n";
  const std::string name = "::tessera_c::" + space + "::" + source.function;
  const std::string values = c.complex_values ? "(::tessera_c::complex *)tessera_v" : "tessera_v";
  std::string arguments;
  if (returns_value(c, source)) {
    const std::string call =
        name + "((double *)tessera_x" + (c.parameters > 1 ? ", ::tessera_c::voidp((void *)tessera_p)" : "") + ")";
    out.text += "static_assert(TESSERA_NCOMP == 1, \"" + std::string(about_components) +
                "\");\nstatic_assert((bool)::tessera_c::is_double<decltype(" + call + ")>::yes, \"" + about_values +
                "\");\ntessera_v[0] = " + call + ";\n}\n";
    return out;
  }
  if (source.axis >= 0) {
    arguments = "TESSERA_NDIM, " + std::to_string(source.axis) +
                ", (double *)tessera_x, tessera_l, tessera_u, ::tessera_c::voidp((void *)tessera_p)";
  } else if (cuba) {
    out.text += "int tessera_nd = TESSERA_NDIM, tessera_nc = TESSERA_NCOMP, tessera_one = 1, tessera_zero = 0;\n";
    arguments = "&tessera_nd, (double *)tessera_x, &tessera_nc, " + values;
    if (c.parameters > 4) arguments += ", ::tessera_c::voidp((void *)tessera_p)";
    if (c.parameters > 5) arguments += ", &tessera_one";
    if (c.parameters > 6) arguments += ", &tessera_zero";
  } else {
    arguments =
        "TESSERA_NDIM, (double *)tessera_x, TESSERA_NCOMP, " + values + ", ::tessera_c::voidp((void *)tessera_p)";
  }
  out.text += "::tessera_c::finish<" + std::string(cuba ? "true" : "false") + ">((" + name + "(" + arguments +
              "), ::tessera_c::nothing()));\n}\n";
  return out;
}

std::string hint_about_c(const std::string &log) {
  if (contains(log, "could not open source file"))
    return "on a device there are the headers of the C standard only; libraries are not there";
  if (contains(log, "expression must have a constant value"))
    return "an array whose length is known only at run time is not possible on a device; use TESSERA_NDIM and "
           "TESSERA_NCOMP, "
           "which are constants there";
  return {};
}

}  // namespace tessera
