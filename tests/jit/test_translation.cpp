// C as CUDA C++ gives the same numbers: the translated text, with what it needs of a device defined away, compiled by the
// system's C++ compiler. Skipped where there is none.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "checks.hpp"
#include "jit/c_source.hpp"
#include "jit/device_prelude.hpp"
#include "jit/device_compiler.hpp"
#include "jit/device_prelude.hpp"
#include "jit/host_compiler.hpp"
#include "texts.hpp"

using namespace tessera;
using checks::check;

namespace {

// What a device brings by itself.
const char *device = R"code(
static int tessera_flags, tessera_status;
inline int atomicOr(int *p, int v) { const int old = *p; *p |= v; return old; }
inline float __int_as_float(int i) { float f; memcpy(&f, &i, sizeof f); return f; }
inline unsigned atomicMax(unsigned *p, unsigned v) { const unsigned old = *p; if (v > old) *p = v; return old; }
)code";

void replace_all(std::string &text, const std::string &from, const std::string &to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// The macros of the headers that the text asks for, in their places.
void put_headers(std::string &text) {
  const auto put = [&](const std::string &name, std::string body) {
    replace_all(body, "#pragma once\n", "");
    replace_all(text, "#include <" + name + ">", "\n" + body);
    replace_all(text, "#include \"" + name + "\"", "\n" + body);
  };
  for (const memory_header &h : c_headers) put(h.name, h.text);
  put("math.h", std::string(c_math_text) + c_math_only_text);
}

void compare(const example &e) {
  integrand_source c;
  c.language = e.language;
  c.text = e.text;
  c.function = e.function;
  integrand_source cxx;
  cxx.text = device + std::string(c_prelude_text) + translate_c(c).text +
             "void entry(const double *tessera_x, double *tessera_v, const void *tessera_p) {"
             " tessera_f(tessera_x, tessera_v, tessera_p); }\n";
  put_headers(cxx.text);
  cxx.function = "entry";
  const compiled_source translated(cxx, e.ndim, e.ncomp, nullptr, "test");
  constexpr int n = 200;
  std::vector<double> x(n * e.ndim), f(n * e.ncomp);
  for (int j = 0; j < e.ndim; ++j)
    for (int i = 0; i < n; ++i) x[j * n + i] = std::fmod(0.618 * (i + 1) * (j + 2), 1.0);
  double params[4];
  std::memcpy(params, example_params, sizeof params);
  check(translated.function()(n, e.ndim, x.data(), n, e.ncomp, f.data(), n, params) == 0,
        std::string(e.name) + ": status");
  double worst = 0.0;
  for (int i = 0; i < n; ++i) {
    double p[16], v[16];
    for (int j = 0; j < e.ndim; ++j) p[j] = x[j * n + i];
    e.reference(p, v, example_params);
    for (int k = 0; k < e.ncomp; ++k) {
      const double d = std::fabs(v[k] - f[k * n + i]) / std::fmax(1.0, std::fabs(v[k]));
      if (!(d <= worst)) worst = d == d ? d : 1.0;
    }
  }
  check(worst <= 1e-13, std::string(e.name) + ": values differ by " + std::to_string(worst));
  std::printf("%-14s largest difference %.1e\n", e.name, worst);
}

// What the kernel learns of the integrand's return values at points x = 0, 1, 2 ...: flags and status after the last one.
void stops(const char *what, source_language language, const std::string &text, int n, int flags, int status) {
  integrand_source c, cxx;
  c.language = language;
  c.text = text;
  cxx.text = device + std::string(c_prelude_text) + translate_c(c).text +
             "void entry(const double *tessera_x, double *tessera_v) { double tessera_u;"
             " tessera_f(tessera_x, &tessera_u, nullptr);"
             " tessera_v[0] = tessera_flags; tessera_v[1] = tessera_status; }\n";
  put_headers(cxx.text);
  cxx.function = "entry";
  const compiled_source translated(cxx, 1, 2, nullptr, "test");
  std::vector<double> x, f(static_cast<std::size_t>(2 * n));
  for (int i = 0; i < n; ++i) x.push_back(i);
  check(translated.function()(n, 1, x.data(), n, 2, f.data(), n, nullptr) == 0, std::string(what) + ": runs");
  check(f[static_cast<std::size_t>(n - 1)] == flags && f[static_cast<std::size_t>(2 * n - 1)] == status,
        std::string(what) + ": flags " + std::to_string(f[static_cast<std::size_t>(n - 1)]) + ", status " +
            std::to_string(f[static_cast<std::size_t>(2 * n - 1)]));
}

void return_values() {
  const std::string c = "int f(int n, const double *x, int m, double *v, void *p) { v[0] = 0; ";
  const std::string cuba = "int f(const int *n, const double x[], const int *m, double v[], void *p) { v[0] = 0; ";
  const auto point = source_language::c_point, form_of_cuba = source_language::c_cuba;
  stops("0", point, c + "return 0; }", 3, 0, 0);
  stops("the greatest", point, c + "return x[0] == 1 ? 17 : (int)x[0]; }", 4, flag_stop, 17);
  stops("negative ones first", point, c + "return x[0] == 1 ? -17 : 5; }", 4, flag_stop, -17);
  stops("Cuba: other values", form_of_cuba, cuba + "return 3; }", 2, 0, 0);
  stops("Cuba: -999", form_of_cuba, cuba + "return x[0] == 1 ? -999 : 3; }", 3, flag_stop, -999);
  stops("no value", form_of_cuba, "void f(const int *n, const double x[], const int *m, double v[]) { v[0] = 0; }", 2,
        0, 0);
  stops("exit", point, "#include <stdlib.h>\n" + c + "if (x[0] > 1) exit(1); return 0; }", 3, flag_exit, 0);
  stops("output", point, "#include <stdio.h>\n" + c + "printf(\"%g\", x[0]); return 0; }", 1, flag_output, 0);
}

example numbers(const char *name, const std::string &headers, const std::string &expressions, int ncomp,
                std::function<void(const double *, double *, const double *)> reference) {
  return {
      name,     source_language::c_point,
      "f",      headers + "int f(int n, const double *x, int m, double *v, void *p) {" + expressions + " return 0; }\n",
      2,        ncomp,
      reference};
}

}  // namespace

int main() {
  try {
    integrand_source s;
    s.text = "double f(const double *x) { return x[0]; }\n";
    compiled_source(s, 1, 1, nullptr, "test");
  } catch (const compile_error &e) {
    std::printf("skipped: %s\n", e.what());
    return 77;
  }
  for (const example &e : examples())
    if (e.language != source_language::cuda_cxx) compare(e);
  return_values();
  typedef std::complex<double> C;
  // the plane, all quadrants
  const std::string z = "double complex z = 6 * (x[0] - 0.5) + 6 * (x[1] - 0.5) * I, w = 0.3 - 2 * I;";
  const auto at = [](const double *x) { return C(6 * (x[0] - 0.5), 6 * (x[1] - 0.5)); };
  const std::string complex_h = "#include <complex.h>\n#include <math.h>\n";
  const auto function = [&](const char *name, C (*g)(const C &)) {
    compare(numbers(name, complex_h, z + "z = " + name + "(z); v[0] = creal(z); v[1] = cimag(z);", 2,
                    [=](const double *x, double *f, const double *) {
                      const C r = g(at(x));
                      f[0] = r.real(), f[1] = r.imag();
                    }));
  };
  function("cexp", [](const C &a) { return std::exp(a); });
  function("clog", [](const C &a) { return std::log(a); });
  function("csqrt", [](const C &a) { return std::sqrt(a); });
  function("csin", [](const C &a) { return std::sin(a); });
  function("ccos", [](const C &a) { return std::cos(a); });
  function("csinh", [](const C &a) { return std::sinh(a); });
  function("ccosh", [](const C &a) { return std::cosh(a); });
  function("ctanh", [](const C &a) { return std::tanh(a); });
  function("ctan", [](const C &a) { return std::tan(a); });
  function("conj", [](const C &a) { return std::conj(a); });
  compare(
      numbers("operators", complex_h,
              z + "double complex a = z * w - w / z + 2 / z - z / 3 + 4 * w * 2 - (1 - z) + (z - 1); a /= w; a *= z; a "
                  "-= 1; a += I;"
                  "v[0] = creal(a); v[1] = cimag(a) + cabs(z) * carg(w) + (z == 1) + (z != w); v[2] = a; v[2] += 1;",
              3, [=](const double *x, double *f, const double *) {
                const C v = at(x), w(0.3, -2);
                C a = v * w - w / v + 2.0 / v - v / 3.0 + 4.0 * w * 2.0 - (1.0 - v) + (v - 1.0);
                a /= w, a *= v, a -= 1.0, a += C(0, 1);
                f[0] = a.real(), f[1] = a.imag() + std::abs(v) * std::arg(w) + 1, f[2] = a.real() + 1;
              }));
  compare(numbers("large_division", complex_h,
                  "double complex a = 1e200 * (x[0] + 1) + 1e200 * I, b = a / (a * (2 + I)); v[0] = creal(b); v[1] = "
                  "cimag(1 / (1e-200 * (x[1] + I))) * 1e-200;",
                  2, [](const double *x, double *f, const double *) { f[0] = 0.4, f[1] = -1.0 / (x[1] * x[1] + 1); }));
  compare(numbers(
      "powers", "#include <math.h>\n",
      "double y = 3 * x[0] - 1; v[0] = pow(y, 2) + pow(y, 3) + pow(y, 4.0) + pow(y, -1) + pow(y, 1) + pow(x[1], 2.5) + "
      "pow(2, 3);"
      "v[1] = fabs(-3) / 2 + abs(-7) / 2 + sqrt(2) + (isnan(y) || isinf(y) || !isfinite(y) || signbit(1.0)) + M_PI;",
      2, [](const double *x, double *f, const double *) {
        const double y = 3 * x[0] - 1;
        f[0] = y * y + y * y * y + y * y * y * y + 1 / y + y + std::pow(x[1], 2.5) + 8;
        f[1] = 1.5 + 3 + std::sqrt(2.0) + 3.14159265358979323846;
      }));
  return checks::summary();
}
