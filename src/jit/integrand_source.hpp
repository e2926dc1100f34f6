// An integrand that arrives as text or as compiled code, and what can go wrong on its way to a callable function. Read by
// the host and by the device side.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

enum class source_language : int {
  // CUDA C++ text. One of these forms, __device__ optional, P any type (void included), the block of tessera_set_params:
  //   double f(const double *x)                void f(const double *x, double *out)
  //   double f(const double *x, const P *p)    void f(const double *x, double *out, const P *p)
  cuda_cxx = 1,
  c_point = 2,  // C text: int f(int ndim, const double *x, int ncomp, double *f, void *userdata)
  c_cuba = 3,   // C text: int f(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata)
  ltoir = 4,    // bytes: object or fatbin made with -dlto, raw LTO-IR, or a library of such objects
  ptx = 5,      // PTX text; called, not inlined
  fortran = 6   // a procedure in one of the forms of fortran/fortran_call.hpp
};

// How a function in compiled code (ltoir, ptx) is called. automatic: from the signature in PTX or the C++ name in LTO-IR; an
// extern "C" function in LTO-IR, whose name says nothing, is taken for vector_params.
enum class integrand_form : int {
  automatic = 0,
  vector_params = 1,  // void f(const double *x, double *out, const void *params): tessera_f itself
  vector = 2,         // void f(const double *x, double *out)
  scalar_params = 3,  // double f(const double *x, const void *params)
  scalar = 4          // double f(const double *x)
};

struct integrand_source {
  // What the text includes, and in Fortran what is compiled before it.
  struct file {
    std::string name, text;
    bool compiled = false, fixed_form = false, preprocess = false;
  };

  source_language language = source_language::cuda_cxx;
  std::string text;                     // source text or bytes
  std::string file_name = "integrand";  // shown in errors; #include "..." is looked for in its directory
  std::string function = "f";           // "ns::f" is possible in C++
  integrand_form form = integrand_form::automatic;
  std::vector<std::string> include_paths;  // for #include "..."
  bool expanded = false;                   // text has come out of expand_includes
  int axis = -1;                           // a text that gives limits of this axis, no integrand:
  //   CUDA C++: void f(const double *x, double *lower, double *upper[, const P *p])
  //   C: int f(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata)
  // Of Fortran: data of the program by COMMON block (module is empty) or module variable, and where they are in the parameter block; and
  // variables of procedures, each by its symbol, that may be SAVE variables of the text.
  struct variable {
    std::string module, name;
    std::size_t offset = 0, bytes = 0;
    int rank = -1;  // of an allocatable array, whose record is there (fortran/program_array.hpp); else -1
    std::string symbol = {};
  };
  std::vector<variable> variables;
  enum class names : int { none, all, stripped };  // of the program around it: there is none; there; taken out
  names program = names::none;
  bool fixed_form = false, preprocess = false;  // of Fortran
  std::vector<file> files;                      // of Fortran
  std::string domain;                    // of a run on a device: macros for the kernels (cuda/device/user_values.cuh)
  std::vector<integrand_source> limits;  // of a run on a device: of the axes that have some
};

// What a text is known by beside itself.
inline std::string name_of(const integrand_source &s) {
  std::string out = std::to_string(static_cast<int>(s.language)) + (s.fixed_form ? "f" : "") +
                    (s.preprocess ? "p" : "") + "/" + s.function + "/";
  for (const integrand_source::variable &v : s.variables)
    out += v.module + "::" + v.name + "@" + std::to_string(v.offset) + "+" + std::to_string(v.bytes) + "r" +
           std::to_string(v.rank) + v.symbol + "/";
  out += std::to_string(static_cast<int>(s.program)) + "/";
  for (const integrand_source::file &f : s.files) out += f.name + "/" + std::to_string(f.text.size()) + "/" + f.text;
  return out;
}
inline std::string names_of_limits(const integrand_source &s) {
  std::string out;
  for (const integrand_source &l : s.limits)
    out += std::to_string(l.axis) + ":" + name_of(l) + std::to_string(l.text.size()) + "/" + l.text;
  return out;
}

// Compiled for a device: there is nothing that a host could run.
inline bool is_device_code(source_language l) { return l == source_language::ltoir || l == source_language::ptx; }

enum class jit_stage : int { translate, compile, link, load, upload, check };

inline const char *stage_name(jit_stage stage) {
  static constexpr const char *names[] = {"translate", "compile", "link", "load", "upload", "check"};
  return names[static_cast<int>(stage)];
}

// what() is a message that begins with the stage and, where there is one, the user's file and line; log() is everything
// that the tools said.
class compile_error : public std::runtime_error {
 public:
  compile_error(jit_stage stage, const std::string &message, std::string log = {})
      : std::runtime_error(std::string(stage_name(stage)) + ": " + message), stage_(stage), log_(std::move(log)) {}
  jit_stage stage() const { return stage_; }
  const std::string &log() const { return log_; }

 private:
  jit_stage stage_;
  std::string log_;
};

// The time was over before the code was there. `what` was going on.
class out_of_time : public compile_error {
 public:
  explicit out_of_time(const std::string &what)
      : compile_error(jit_stage::compile, "the time limit, TESSERA_MAX_SECONDS, was reached while " + what) {}
};

// The text with every #include "file" that can be found replaced by the file's own text, with #line directives so that
// messages keep their places. What cannot be found is left for the compiler. A file that includes itself, by way of others or
// not, finds nothing the second time. Begins with #line 1 "file_name".
std::string expand_includes(const integrand_source &source);

// The same file with its lines `#include <...>` that stand under no condition taken out, into `includes`; no line changes its place.
std::string without_includes(const std::string &text, std::string &includes);

// #undef for the macros that the text defines, but for those that `kept` defines too.
std::string undefine_macros(const std::string &text, const std::string &kept);

// What the line that calls the integrand is called in messages.
inline std::string call_name(const integrand_source &source) {
  return "tessera: the call of " + source.function +
         (source.axis < 0 ? "" : " for axis " + std::to_string(source.axis) + " ");
}
// In sentences.
inline std::string text_name(const integrand_source &source) {
  return source.axis < 0 ? "the integrand's text" : "the text of the limits of axis " + std::to_string(source.axis);
}

// name as a C string literal, with the quotes.
std::string quoted(const std::string &name);

// From a compiler's log, the first line with an error, else the first line, else "".
std::string first_error(const std::string &log);

}  // namespace tessera
