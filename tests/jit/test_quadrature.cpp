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

void compiles(const std::string &name, const char *text, source_language language, int ncomp,
              const quadrature_shape &shape) {
  integrand_source source;
  source.text = text;
  source.language = language;
  target where;
  where.arch = 90;
  where.ndim = shape.ndim;
  where.ncomp = ncomp;
  where.library_version = "test";
  const compiled_module m = compile_integrand(source, quadrature_kernel_text(shape), where, nullptr);
  const std::string main = shape.what == quadrature_shape::part::points ? "tessera_points" : "tessera_quadrature";
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

}  // namespace

int main() {
  if (!there_is_a_compiler()) return 77;
  using part = quadrature_shape::part;
  constexpr auto c = source_language::c_point, cxx = source_language::cuda_cxx;
  compiles("wave", wave, cxx, 1, {part::own_lists, 10, 0, false, 1, false});
  compiles("power in C", power, c, 1, {part::own_lists, 10, 0, false, 1, false});
  compiles("power, complement, 4 breaks", power, c, 1, {part::own_lists, 10, 4, true, 1, false});
  compiles("wave, 61 points, 64 breaks", wave, cxx, 1, {part::own_lists, 30, most_device_breaks, false, 1, false});
  for (const int pairs : {7, 15, 20, 25})
    compiles("wave, " + std::to_string(2 * pairs + 1) + " points", wave, cxx, 1,
             {part::own_lists, pairs, 0, false, 1, false});
  compiles("wave in slots", wave, cxx, 1, {part::slots, 10, 0, false, 1, false});
  compiles("power in slots, 3 components", power, c, 3, {part::slots, 10, 4, true, 1, false});
  compiles("bell, last of 2", bell, c, 1, {part::own_lists, 10, 0, false, 2, true});
  compiles("bell in slots, last of 4, 2 components", bell, c, 2, {part::slots, 10, 0, false, 4, true});
  compiles("bell at points of 3", bell, c, 1, {part::points, 10, 0, false, 3, false});
  compiles("power at points", power, c, 3, {part::points, 10, 0, true, 1, false});
  return checks::summary();
}
