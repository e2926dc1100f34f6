// Reads a C text far enough to keep what the integrand needs: which functions it reaches, and which variables of the file
// it reads that other code sets. The rest (main, other integrators, output) is taken out, so that it needs neither
// headers nor libraries.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "c_tokens.hpp"
#include "integrand_source.hpp"

namespace tessera {

struct c_text {
  std::string text;  // without comments and unneeded code; same lines as before
  std::vector<std::string> files;
  std::vector<c_token> tokens;         // of the text that is left
  int parameters = 0;                  // of the integrand
  bool complex_values = false;         // the fourth of them points to complex numbers
  std::vector<std::size_t> constants;  // declarations (offsets) that a "const" in front would not harm
  // Why it cannot run for many points at the same time ("file(line): error: ..."), else "".
  std::string not_parallel;

  std::string spelling(const c_token &t) const { return text.substr(t.begin, t.end - t.begin); }
  std::string place(const c_token &t) const;  // file(line)
};

// `text` comes from expand_includes. Throws compile_error (translate).
c_text read_c(const std::string &text, const std::string &function);

// double f(const double *x) or double f(const double *x, void *userdata), of one component: C's form with few parameters.
bool returns_value(const c_text &c, const integrand_source &source);
constexpr const char *about_values =
    "the integrand must be double f(const double *x) or double f(const double *x, void *userdata)";
constexpr const char *about_components =
    "a function that returns double has one component; this solver has more: "
    "use int f(int ndim, const double *x, int ncomp, double *f, void *userdata)";

// Throws compile_error (translate) where the integrand has not as many parameters as its language asks for.
void check_parameters(const c_text &c, const integrand_source &source);

}  // namespace tessera
