// The kernels of integrals over one variable, compiled for one architecture with the integrand inlined: rules, break points, components, distances
// from the ends, own lists and slots, the last of several variables. Nothing is run, so no device is needed. Skipped without NVIDIA's run-time compiler.
// SPDX-License-Identifier: BSD-3-Clause
#include "checks.hpp"
#include "compiled.hpp"
#include "cuda/quadrature/kernel.hpp"
#include "jit/cubin.hpp"
#include "jit/toolkit.hpp"

using namespace tessera;
using checks::check;
using checks::keep_image;
using checks::number_before;
using checks::there_is_a_compiler;

namespace {

const char *const power =
    "#include <math.h>\n"
    "int f(int ndim, const double *x, int ncomp, double *v, void *p) {\n"
    "  const double *a = p;\n"
    "  for (int k = 0; k < ncomp; ++k) v[k] = (k + 1) * pow(x[0], a[0] - 1.0);\n"
    "  return a[0] < 0.0;\n"
    "}\n";
const char *const wave =
    "struct block { double a, b; };\n"
    "double f(const double *x, const block *p) {\n"
    "  const block &q = *p;\n"
    "  return exp(-q.a * x[0]) * cos(q.b * x[0]);\n"
    "}\n";
const char *const bell =
    "#include <math.h>\n"
    "int f(int ndim, const double *x, int ncomp, double *v, void *p) {\n"
    "  double s = 0;\n"
    "  for (int j = 0; j < ndim; ++j) s += x[j] * x[j];\n"
    "  for (int k = 0; k < ncomp; ++k) v[k] = (k + 1) * exp(-s);\n"
    "  return 0;\n"
    "}\n";

const char *const limits = "void f(const double *, double *l, double *u, const double *p) { *l = 0; *u = p[0]; }\n";

void compiles_kernel(const std::string &name, const char *text, source_language language, int ndim, int ncomp,
                     const kernel_text &kernel, const std::string &main, const char *domain = "",
                     const char *limits_text = nullptr) {
  integrand_source source;
  source.domain = domain;
  source.text = text;
  source.language = language;
  if (limits_text) {
    integrand_source of_axis;
    of_axis.text = limits_text;
    of_axis.axis = 0;
    source.limits.push_back(of_axis);
  }
  target where;
  where.arch = 90;
  where.ndim = ndim;
  where.ncomp = ncomp;
  where.library_version = "test";
  const compiled_module m = compile_integrand(source, kernel, where, nullptr);
  int found = 0;
  for (const cubin_function &f : cubin_functions(*m.image)) found += f.kernel && f.name == main;
  check(found == 1, name + ": the kernel is there");
  check(m.inlined, name + ": inlined");
  const long registers = number_before(m.log, main, "registers");
  check(registers > 0 && registers <= 128, name + ": registers for four blocks");
  std::printf("%-48s %4ld registers %5ld bytes of stack %5ld spilled %7zu bytes %.2f s\n", name.c_str(), registers,
              number_before(m.log, main, "bytes stack frame"), number_before(m.log, main, "bytes spill stores"),
              m.image->size(), m.seconds);
  keep_image(name, m);
}

void compiles(const std::string &name, const char *text, source_language language, int ncomp,
              const quadrature_shape &shape, const char *domain = "", const char *limits_text = nullptr) {
  compiles_kernel(name, text, language, shape.ndim, ncomp, quadrature_kernel_text(shape), "tessera_quadrature", domain,
                  limits_text);
}
void compiles_points(const std::string &name, const char *text, source_language language, int ndim, int ncomp,
                     bool complement, const char *domain = "", const char *limits_text = nullptr) {
  compiles_kernel(name, text, language, ndim, ncomp, points_kernel_text(complement), "tessera_points", domain,
                  limits_text);
}

// What is compiled apart is called by kernels in LTO-IR too.
void links_ptx(const std::string &name, const quadrature_shape &shape, const char *helper) {
  integrand_source source;
  source.language = source_language::ptx;
  source.text = checks::ptx_function(1);
  target where;
  where.arch = 90;
  where.ndim = shape.ndim;
  where.library_version = "test";
  where.helper = helper;
  const compiled_module m = compile_integrand(source, quadrature_kernel_text(shape), where, nullptr);
  check(!m.inlined, name + ": called");
  check(cubin_use_of(*m.image, "tessera_quadrature").registers > 0, name + ": the kernel is there");
}

// The steps know no integrand: other texts, with other numbers of components, break points and variables, find them compiled. Without a linker that can
// join the two there is nothing to find.
void steps_are_kept() {
  if (!compiles_apart()) {
    std::printf("no nvJitLink as new as NVRTC: the steps are a part of each text\n");
    return;
  }
  using part = quadrature_shape::part;
  checks::counted_cache counted;
  const auto files_made_by = [&](const char *text, int ncomp, const quadrature_shape &shape) {
    integrand_source source;
    source.text = text;
    source.language = source_language::c_point;
    target where;
    where.arch = 90;
    where.ndim = shape.ndim;
    where.ncomp = ncomp;
    where.library_version = "test";
    const std::int64_t before = counted.files();
    compile_integrand(source, quadrature_kernel_text(shape), where, &counted.cache);
    return counted.files() - before;
  };
  check(files_made_by(power, 1, {part::own_lists, 10, 0, false, 1, false}) == 2, "a text and the steps are kept");
  check(files_made_by(bell, 2, {part::slots, 10, 4, false, 3, true}) == 1, "the second text does without the steps");
}

}  // namespace

// Usage: jit_quadrature TESSERA_JITLINK [all]
int main(int argc, char **argv) {
  if (argc < 2) return 2;
  if (!there_is_a_compiler()) return 77;
  using part = quadrature_shape::part;
  constexpr auto c = source_language::c_point, cxx = source_language::cuda_cxx;
  const char *const simplex = "#define TESSERA_SIMPLEX 1\n";
  compiles("power with limits, complement, 4 breaks", power, c, 1, {part::own_lists, 10, 4, true, 1, false}, "",
           limits);
  compiles_points("power in C at points", power, c, 1, 3, true);
  compiles("bell in slots, last of 4, 2 components", bell, c, 2, {part::slots, 10, 0, false, 4, true});
  compiles_points("wave at points, a simplex", wave, cxx, 3, 1, false, simplex);
  links_ptx("PTX", {part::own_lists, 10, 0, false, 1, false}, argv[1]);
  links_ptx("PTX in slots, last of 2", {part::slots, 10, 0, false, 2, true}, argv[1]);
  steps_are_kept();
  if (argc < 3) return checks::summary();
  compiles("power with limits", power, c, 1, {part::own_lists, 10, 0, false, 1, false}, "", limits);
  compiles("power, complement, 4 breaks", power, c, 1, {part::own_lists, 10, 4, true, 1, false});
  compiles("bell, last of 3, a simplex", bell, c, 1, {part::own_lists, 10, 0, false, 3, true}, simplex);
  compiles("wave in slots", wave, cxx, 1, {part::slots, 10, 0, false, 1, false});
  compiles("wave", wave, cxx, 1, {part::own_lists, 10, 0, false, 1, false});
  compiles("power in C", power, c, 1, {part::own_lists, 10, 0, false, 1, false});
  compiles("wave, 61 points, 64 breaks", wave, cxx, 1, {part::own_lists, 30, most_device_breaks, false, 1, false});
  for (const int pairs : {7, 15, 20, 25})
    compiles("wave, " + std::to_string(2 * pairs + 1) + " points", wave, cxx, 1,
             {part::own_lists, pairs, 0, false, 1, false});
  compiles("power in slots, 3 components", power, c, 3, {part::slots, 10, 4, true, 1, false});
  compiles("bell, last of 2", bell, c, 1, {part::own_lists, 10, 0, false, 2, true});
  compiles_points("bell at points of 3", bell, c, 3, 1, false);
  compiles_points("wave at points", wave, cxx, 5, 1, false);
  compiles_points("wave with limits, at points", wave, cxx, 1, 1, false, "", limits);
  return checks::summary();
}
