// Limits of axes as text beside an integrand in every language, in the kernels of every method (of one variable: quadrature): texts do not get in each other's way, all is
// inlined, and errors name the text. Nothing is run, so no device is needed. Skipped without NVIDIA's run-time compiler. Argument: path of
// tessera-jitlink.
// SPDX-License-Identifier: BSD-3-Clause
#include "checks.hpp"
#include "compiled.hpp"
#include "core/rule_build.hpp"
#include "cuda/cubature/kernel.hpp"
#include "cuda/lattice/lattice.hpp"
#include "cuda/montecarlo/montecarlo.hpp"
#include "jit/cubin.hpp"
#include "jit/toolkit.hpp"
#include "tessera.h"

using namespace tessera;
using checks::check;
using checks::contains;
using checks::fails;

namespace {

constexpr auto c = source_language::c_point, cxx = source_language::cuda_cxx;
std::string helper;

// All define `half`, `rest` and `block`, differently.
const char *const f_cxx =
    "#include <cmath>\n#define half(a) (0.5 * (a))\n"
    "struct block { double a, b; };\nnamespace mine {\n__device__ double rest(const double *x) { return half(x[0]); }\n"
    "double f(const double *x, const block *p) { return p->b * rest(x) + M_PI; }\n}\n";
const char *const f_c =
    "#include <math.h>\n#include <stdio.h>\n#include <assert.h>\n#include <complex.h>\n#include \"tessera.h\"\n#define "
    "half 0.5\n"
    "typedef struct { double a; } block;\nstatic double rest(const double *x) { return half * x[0]; }\n"
    "int f(int n, const double *x, int m, double *v, void *p) {\n"
    "  block *b = p;\n  double complex z = x[0] + x[1] * I;\n  assert(b != NULL);\n"
    "  v[0] = rest(x) * b->a + M_PI + cabs(z);\n  if (!(v[0] < 1e300)) printf(\"%g\", v[0]);\n"
    "  return isnan(v[0]) ? 3 : 0;\n}\n";
const char *const limits_cxx =
    "#include <math.h>\n#include <stdio.h>\nstruct block { double a; int n; };\n"
    "#define half(a, b) (0.5 * (a) + (b))\n#ifndef M_PI\n#define M_PI 3.0\n#endif\n"
    "__device__ double rest(const double *x, int n) { return half(n, M_PI) - (isnan(x[0]) ? 0 : x[0]); }\n"
    "void f(const double *x, double *lower, double *upper, const block *p) { *lower = 0; *upper = rest(x, p->n); }\n"
    "void g(const double *x, double *lower, double *upper) { *lower = x[0]; *upper = 2 * x[0]; }\n";
const char *const limits_c =
    "#include <math.h>\n#include <stdlib.h>\n#define half 2\n#ifndef M_PI\n#define M_PI 3.0\n#endif\n"
    "static double rest(int axis, const double *x) {\n"
    "  double left = M_PI / half;\n  for (int j = 0; j < axis; ++j) left -= x[j];\n  return left;\n}\n"
    "int f(int n, int axis, const double *x, double *lower, double *upper, void *p) {\n"
    "  double *a = p;\n  *lower = 0;\n  *upper = a == NULL || isnan(*a) ? 1 : fmax(rest(axis, x), 0);\n  return *a < 0 "
    "? 5 : 0;\n}\n";
const char *const ptx =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .func f(.param .b64 f_0, .param .b64 f_1, .param .b64 f_2)\n{\n"
    "  .reg .b64 %x;\n  .reg .b64 %v;\n  .reg .f64 %d;\n"
    "  ld.param.u64 %x, [f_0];\n  ld.param.u64 %v, [f_1];\n  ld.f64 %d, [%x];\n  st.f64 [%v], %d;\n  ret;\n}\n";

integrand_source text_of(source_language language, const char *text, const char *function = "f", int axis = -1) {
  integrand_source s;
  s.language = language;
  s.text = text;
  s.function = function;
  s.axis = axis;
  s.file_name = axis < 0 ? "mine.src" : "limits of axis " + std::to_string(axis);
  return s;
}
integrand_source with(integrand_source f, const std::vector<integrand_source> &limits) {
  f.limits = limits;
  return f;
}

compiled_module compiled(const integrand_source &source, const kernel_text &kernel, int ndim = 3) {
  target where;
  where.arch = 90;
  where.ndim = ndim;
  where.library_version = "test";
  where.helper = helper;
  return compile_integrand(source, kernel, where, nullptr);
}
kernel_text lattice() { return lattice_kernel_text({}, 3); }

void compiles(const std::string &name, const integrand_source &source, const kernel_text &kernel, const char *main,
              int ndim = 3, bool inlined = true) {
  const compiled_module m = compiled(source, kernel, ndim);
  int found = 0, left = 0;
  for (const cubin_function &f : cubin_functions(*m.image)) {
    found += f.kernel && f.name == main;
    left += !f.kernel && contains(f.name, "tessera_limits");
  }
  check(found == 1, name + ": the kernel is there");
  check(m.inlined == inlined, name + ": the integrand is inlined where it can be");
  check(left == 0, name + ": the limits are inlined");
  std::printf("%-48s %4ld registers %7zu bytes %.2f s\n", name.c_str(), checks::number_before(m.log, main, "registers"),
              m.image->size(), m.seconds);
  checks::keep_image(name, m);
}

void errors() {
  const auto one = [](source_language language, const char *text, const char *function = "f") {
    compiled(with(text_of(cxx, f_cxx, "mine::f"), {text_of(language, text, function, 1)}), lattice());
  };
  fails("wrong name", jit_stage::compile, "limits of axis 1(3): error: identifier \"y\"",
        [&] { one(cxx, "void f(const double *x, double *l, double *u) {\n  *l = 0;\n  *u = y;\n}\n"); });
  fails("wrong form", jit_stage::compile, "limits of axis 1(1): error: f: limits must be void f(const double *x",
        [&] { one(cxx, "double f(const double *x) { return x[0]; }\n"); });
  fails("no function", jit_stage::compile, "limits of axis 1(1): error: the text defines no function 'g'",
        [&] { one(cxx, "void f(const double *x, double *l, double *u) {}\n", "g"); });
  fails("parameters in C", jit_stage::translate, "'f' has 5 parameters; it must be int f(int ndim, int axis",
        [&] { one(c, "int f(int n, const double *x, int m, double *v, void *p) { return 0; }\n"); });
  fails("wrong types in C", jit_stage::compile, "limits of axis 1(1): error: f: ", [&] {
    one(c, "int f(int n, int axis, int x, double *l, double *u, void *p) { return 0; }\n");
  });
  fails(
      "shared variable in C", jit_stage::translate, "limits of axis 1(1): error: 'f' writes to its static variable",
      [&] {
        one(c,
            "int f(int n, int j, const double *x, double *l, double *u, void *p) { static int k; k = j; return k; }\n");
      });
  fails("missing header", jit_stage::compile, "limits of axis 1(1): ", [&] {
    one(cxx, "#include <no_such_header.h>\nvoid f(const double *x, double *l, double *u) { *l = 0; *u = 1; }\n");
  });
  fails("empty", jit_stage::translate, "the text of the limits of axis 1 is empty", [&] { one(cxx, ""); });
  fails("the integrand's own error", jit_stage::compile, "mine.src(1): error: the text defines no function 'f'", [] {
    compiled(with(text_of(cxx, "double g(const double *x) { return 1; }\n"), {text_of(cxx, limits_cxx, "f", 1)}),
             lattice());
  });
}

// Limits are part of what code is known by.
void keys() {
  const integrand_source f = text_of(cxx, f_cxx, "mine::f");
  const auto key = [](const integrand_source &s) { return names_of_limits(s); };
  const integrand_source a = with(f, {text_of(cxx, limits_cxx, "f", 1)}),
                         b = with(f, {text_of(cxx, limits_cxx, "f", 2)}),
                         g = with(f, {text_of(cxx, limits_cxx, "g", 1)}), none = with(f, {});
  check(key(a) != key(b) && key(a) != key(g) && key(a) != key(none) && key(b) != key(g), "kept kernels: other limits");
  check(compiled(a, lattice()).key != compiled(b, lattice()).key, "code: other limits");
}

void why() {
  check(why_stopped(8 | 3 << 8, 0) == "the limits of axis 1 are not two numbers a finite distance apart at a point",
        "not finite");
  check(why_stopped(8 | 2 | 6 << 8, 0) == "the limits of axis 2 cross at a point", "they cross");
  check(why_stopped(8 | 4 | 6 << 8, 7) == "the integrand returned 7", "a return value comes first");
  check(describe_flags(1 | 6 << 8) == "the integrand printed something, which is lost on a device", "the rest");
}

}  // namespace

int main(int argc, char **argv) {
  if (!checks::there_is_a_compiler()) return 77;
  helper = argc > 1 ? argv[1] : "";
  why();
  const integrand_source in_cxx = text_of(cxx, f_cxx, "mine::f"), in_c = text_of(c, f_c);
  const std::vector<integrand_source> all_cxx = {text_of(cxx, limits_cxx, "f", 0), text_of(cxx, limits_cxx, "g", 2)},
                                      all_c = {text_of(c, limits_c, "f", 1), text_of(c, limits_c, "f", 2)},
                                      both = {text_of(cxx, limits_cxx, "f", 0), text_of(c, limits_c, "f", 1),
                                              text_of(cxx, limits_cxx, "g", 2)};
  compiles("CUDA C++", with(in_cxx, all_cxx), lattice(), "tessera_lattice");
  compiles("CUDA C++ and both", with(in_cxx, both), lattice(), "tessera_lattice");
  compiles("C", with(in_c, all_c), lattice(), "tessera_lattice");
  compiles("C and both", with(in_c, both), lattice(), "tessera_lattice");
  const std::string one = std::string(limits_cxx) + "double h(const double *x) { return rest(x, 2); }\n";
  compiles("one text for all",
           with(text_of(cxx, one.c_str(), "h"), {text_of(cxx, one.c_str(), "f", 0), text_of(cxx, one.c_str(), "g", 1)}),
           lattice(), "tessera_lattice");
  if (argc > 1)
    compiles("PTX and both", with(text_of(source_language::ptx, ptx), both), lattice(), "tessera_lattice", 3, false);

  if (argc > 2) {  // longer than all others together
    rule r;
    build_rule(choose_rule(TESSERA_RULE_AUTO, 3), 3, r, true);
    compiles("cubature, many", with(in_cxx, all_cxx), engine_kernel(r, choose_shape(r, 1, false, true)),
             "tessera_many");
  }
  compiles("Monte Carlo", with(in_cxx, both), sampling_kernel_text({}, 3, 1), "tessera_sample_sums");
  sampling_shape grid;
  grid.grid = true;
  compiles("VEGAS", with(in_c, all_c), sampling_kernel_text(grid, 3, 1), "tessera_sample_values");
  errors();
  keys();
  return checks::summary();
}
