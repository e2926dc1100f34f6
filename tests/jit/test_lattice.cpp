// The kernels of lattice rules, compiled for one architecture with the integrand inlined: every change of variables, kind of domain
// and form. Nothing is run, so no device is needed. Skipped without NVIDIA's run-time compiler.
// SPDX-License-Identifier: BSD-3-Clause
#include "checks.hpp"
#include "compiled.hpp"
#include "jit/cubin.hpp"
#include "cuda/lattice/lattice.hpp"
#include "jit/toolkit.hpp"

using namespace tessera;
using checks::check;
using checks::keep_image;
using checks::number_before;
using checks::there_is_a_compiler;

namespace {

const char *const kink =
    "double f(const double *x) {\n"
    "  double s = 0;\n"
    "  for (int i = 0; i < TESSERA_NDIM; ++i) s += fabs(4 * x[i] - 2);\n"
    "  return s / TESSERA_NDIM;\n"
    "}\n";
const char *const power =
    "double f(const double *x) {\n  double s = 0;\n"
    "  for (int i = 0; i < TESSERA_NDIM; ++i) s += x[i];\n  return s * sqrt(s);\n}\n";
const char *const many =
    "void f(const double *x, double *v) {\n"
    "  double s = 0;\n"
    "  for (int i = 0; i < TESSERA_NDIM; ++i) s += x[i] * x[i];\n"
    "  for (int k = 0; k < TESSERA_NCOMP; ++k) v[k] = exp(-s * (k + 1));\n"
    "}\n";

// `spilled`: registers are allowed to overflow into memory.
void compiles(const std::string &name, const char *text, int ndim, int ncomp, const lattice_shape &shape,
              bool spilled = false, const char *domain = "") {
  integrand_source source;
  source.domain = domain;
  source.text = text ? text : "";
  target where;
  where.arch = 90;
  where.ndim = ndim;
  where.ncomp = ncomp;
  where.library_version = "test";
  const kernel_text kernels = lattice_kernel_text(shape, ndim);
  const compiled_module m =
      shape.batch ? compile_kernels(kernels, where, nullptr) : compile_integrand(source, kernels, where, nullptr);
  const std::string main = shape.batch ? "tessera_lattice_points" : "tessera_lattice";
  int found = 0;
  for (const cubin_function &f : cubin_functions(*m.image))
    found += f.kernel && (f.name == main || f.name == (shape.batch ? "tessera_lattice_sums" : "tessera_points"));
  check(found == 2, name + ": both kernels are there");
  check(m.inlined, name + ": inlined");
  const long registers = number_before(m.log, main, "registers"),
             spills = number_before(m.log, main, "bytes spill stores");
  check(registers > 0, name + ": the compiler reports registers");
  if (!spilled) check(spills == 0, name + ": no spills");
  std::printf("%-44s %4ld registers %5ld bytes spilled %7zu bytes %.2f s\n", name.c_str(), registers, spills,
              m.image->size(), m.seconds);
  keep_image(name, m);
}

}  // namespace

// Usage: jit_lattice [all]
int main(int argc, char **) {
  if (!there_is_a_compiler()) return 77;
  const auto shape = [](int transform, int axes, bool complement = false, bool batch = false) {
    lattice_shape s;
    s.transform = transform;
    s.axes = axes;
    s.complement = complement;
    s.batch = batch;
    return s;
  };
  compiles("kink, 20-D", kink, 20, 1, shape(transform_none, 0));
  compiles("power, 10-D", power, 10, 1, shape(transform_none, 0));
  for (const int t : {2, 3, 11, 12, 13, 14, 15, 16, 21, 22, 23, 24, 25, 26}) {
    if (argc < 2 && t != 3 && t != 16 && t != 24) continue;  // one of each kind
    compiles("power, 6-D, transform " + std::to_string(t), power, 6, 1, shape(t, 0));
  }
  compiles("any transform, 6-D", power, 6, 1, shape(0, 0), true);
  compiles("a box, 8-D, 3 components", many, 8, 3, shape(transform_korobov + 3, 1));
  compiles("infinite, 5-D, complements", many, 5, 2, shape(transform_tanh, 2, true));
  compiles("power over a simplex, 2-D", power, 2, 1, shape(transform_none, 0), false,
           "#define TESSERA_SIMPLEX 2\n#define TESSERA_SIMPLEX_VOLUME 0x1p+3\n#define TESSERA_SIMPLEX_CORNERS 0x1p+0, "
           "-0x1p-1, \\\n  0x1p+1, 0x0p+0, 0x1p+2, 0x1p+1, 0x1p+0, -0x1p-1, 0x1p+2, 0x1p+1\n");
  compiles("power, 32-D", power, 32, 1, shape(transform_baker, 0));
  compiles("many, 33-D", many, 33, 1, shape(transform_sidi + 3, 1), true);
  compiles("power, 1000-D", power, 1000, 1, shape(transform_none, 0), true);
  compiles("device callback, 7-D", nullptr, 7, 2, shape(transform_korobov + 2, 2, true, true));
  compiles("device callback, 200-D", nullptr, 200, 1, shape(0, 1, false, true), true);
  return checks::summary();
}
