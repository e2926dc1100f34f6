// The kernels of Monte Carlo, compiled for one architecture with the integrand inlined: plain and with a grid, every kind of domain
// and form. Nothing is run, so no device is needed. Skipped without NVIDIA's run-time compiler.
// SPDX-License-Identifier: BSD-3-Clause
#include "checks.hpp"
#include "compiled.hpp"
#include "jit/cubin.hpp"
#include "cuda/montecarlo/montecarlo.hpp"
#include "jit/toolkit.hpp"
#include "engine/montecarlo/strata.hpp"

using namespace tessera;
using checks::check;
using checks::keep_image;
using checks::number_before;
using checks::there_is_a_compiler;

namespace {

const char *const power =
    "double f(const double *x) {\n  double s = 0;\n"
    "  for (int i = 0; i < TESSERA_NDIM; ++i) s += x[i];\n  return s * sqrt(s);\n}\n";
const char *const feyn6 =
    "double f(const double *p) {\n"
    "  const double x1 = p[0], r1 = 1 - x1, x2 = r1 * p[1], r2 = r1 - x2, x3 = r2 * p[2], r3 = r2 - x3;\n"
    "  const double x4 = r3 * p[3], r4 = r3 - x4, x5 = r4 * p[4], r5 = r4 - x5, x6 = r5 * p[5], x7 = r5 - x6;\n"
    "  const double a = x1 + x2 + x3, b = a + x4 + x5, c = a + x6 + x7, C = b * c - a * a;\n"
    "  const double D = C * (b + x6 + x7) -\n"
    "    (x1 * x2 * (x4 + x5 + x6 + x7) + x1 * x5 * x6 + x2 * x4 * x7 - x3 * x4 * x6 + x3 * (x5 * x7 - x4 * x6) +\n"
    "     x3 * (x1 * (x4 + x5 + x6 + x7) + x4 * (x6 + x7)) + x3 * (x2 * (x4 + x5 + x6 + x7) + x6 * (x4 + x5)) +\n"
    "     x1 * x5 * (x4 + x7) + x2 * x4 * (x5 + x6) + x3 * x4 * (x5 + x6) + x4 * x5 * (x6 + x7) + x1 * x6 * (x4 + x7) "
    "+\n"
    "     x2 * x7 * (x5 + x6) + x3 * x6 * (x4 + x7) + x6 * x7 * (x4 + x5));\n"
    "  return D == 0 ? 0 : 2 * C / (D * D * D) * r1 * r2 * r3 * r4 * r5;\n"
    "}\n";
const char *const many =
    "void f(const double *x, double *v) {\n"
    "  double s = 0;\n"
    "  for (int i = 0; i < TESSERA_NDIM; ++i) s += x[i] * x[i];\n"
    "  for (int k = 0; k < TESSERA_NCOMP; ++k) v[k] = exp(-s * (k + 1));\n"
    "}\n";

// A cube's cells by products instead of divisions. Where an axis has more than can be divided by, it has all cubes.
void cells_are_found() {
  for (const int cells : {1, 2, 3, 5, 7, 31, 641, 1000, 1025, 2047, 2048, 2049, 32768, 1048575, 1048576}) {
    const sample_cells c = cells_of(cells);
    int64 wrong = 0;
    const int64 cubes = cells <= most_divided ? most_cubes : cells;
    for (int64 cube = 0; cube < cubes; ++cube) {
      auto rest = static_cast<uint32>(cube);
      const int cell = take_cell(c, rest);
      wrong += cell != cube % cells || int64{rest} != cube / cells ? 1 : 0;
    }
    check(wrong == 0, "cells of " + std::to_string(cells));
  }
}

// Every number of the blocks has a place of its own in the ring, coordinates of neighbouring samples lie side by side, and none
// is 0 or 1.
void numbers_have_places() {
  const number_ring_shape ring = {3, 4};
  const int ndim = 5;
  std::vector<int> taken(8 * 4 * ndim, 0);
  for (int64 i = 1000; i < 1032; ++i)
    for (int j = 0; j < ndim; ++j) {
      const int64 at = place_in_ring(ring, ndim, i, j);
      check(at >= 0 && at < static_cast<int64>(taken.size()) && ++taken[static_cast<std::size_t>(at)] == 1, "a place");
      check(i % 8 == 7 || place_in_ring(ring, ndim, i + 1, j) == at + 1, "neighbours");
      check(place_in_ring(ring, ndim, i + 32, j) == at, "the ring closes");
    }
  for (const double u : {5e-324, 1e-17, 0.25, 1.0 - 1.2e-16, 1.0})
    for (const double shift : {0.0, 1.2e-16, 0.75, 1.0 - 1.2e-16}) {
      const double v = shifted_number(u, shift);
      check(v > 0.0 && v < 1.0 && 1.0 - v < 1.0, "inside");
      const double exact = u + shift - (u + shift > 1.0 ? 1.0 : 0.0);
      check(v - exact < 2.3e-16 && exact - v < 2.3e-16, "the shift modulo 1");
    }
}

bool whole = false;  // every kernel, not every third one

// `spilled`: registers are allowed to overflow into memory.
void compiles(const std::string &name, const char *text, int ndim, int ncomp, const sampling_shape &shape,
              bool spilled = false) {
  static int number = 0;
  if (number++ % 3 != 0 && !whole) return;
  integrand_source source;
  source.text = text ? text : "";
  target where;
  where.arch = 90;
  where.ndim = ndim;
  where.ncomp = ncomp;
  where.library_version = "test";
  const kernel_text kernels = sampling_kernel_text(shape, ndim, ncomp);
  const compiled_module m =
      shape.batch ? compile_kernels(kernels, where, nullptr) : compile_integrand(source, kernels, where, nullptr);
  std::vector<std::string> wanted = {shape.batch ? "tessera_sample_points" : "tessera_points"};
  if (is_fused(shape, ncomp))
    wanted.push_back("tessera_sample_sums");
  else
    wanted.insert(wanted.end(), {"tessera_sample_pieces", "tessera_sample_values"});
  for (const std::string &kernel : wanted) {
    bool found = false;
    for (const cubin_function &f : cubin_functions(*m.image)) found = found || (f.kernel && f.name == kernel);
    check(found, name + ": " + kernel + " is there");
  }
  check(m.inlined, name + ": inlined");
  const std::string &main = wanted.back();
  const long registers = number_before(m.log, main, "registers"),
             spills = number_before(m.log, main, "bytes spill stores");
  check(registers > 0, name + ": the compiler reports registers");
  if (!spilled) check(spills == 0, name + ": no spills");
  std::printf("%-44s %4ld registers %5ld bytes spilled %7zu bytes %.2f s\n", name.c_str(), registers, spills,
              m.image->size(), m.seconds);
  keep_image(name, m);
}

// The kernels of strata: no integrand, no numbers of variables or components.
void kernels_of_strata() {
  target where;
  where.arch = 90;
  where.library_version = "test";
  const compiled_module m = compile_kernels(share_out_kernel_text(), where, nullptr);
  for (const char *kernel : {"tessera_wishes", "tessera_whole_samples", "tessera_all_samples", "tessera_list_pieces",
                             "tessera_mark_pieces", "tessera_cut_again", "tessera_learn"}) {
    bool found = false;
    for (const cubin_function &f : cubin_functions(*m.image)) found = found || (f.kernel && f.name == kernel);
    check(found, std::string(kernel) + " is there");
    check(number_before(m.log, kernel, "bytes spill stores") == 0, std::string(kernel) + ": no spills");
  }
  std::printf("%-44s %36zu bytes %.2f s\n", "strata", m.image->size(), m.seconds);
}

}  // namespace

// Usage: jit_montecarlo [all]
int main(int argc, char **) {
  whole = argc > 1;
  cells_are_found();
  numbers_have_places();
  if (!there_is_a_compiler()) return 77;
  try {
    const curand_library &c = curand();
    check(c.create && c.destroy && c.set_stream && c.set_seed && c.set_dimensions && c.uniform_double,
          "cuRAND's functions are there");
  } catch (const compile_error &e) {
    check(e.stage() == jit_stage::load, "cuRAND is missing and no more");
    std::printf("not tested: %s\n", e.what());
  }
  kernels_of_strata();
  const auto shape = [](int axes, bool grid, bool antithetic = false, bool batch = false) {
    sampling_shape s;
    s.axes = axes;
    s.grid = grid;
    s.antithetic = antithetic;
    s.batch = batch;
    return s;
  };
  compiles("power, 10-D", power, 10, 1, shape(0, false));
  compiles("feyn6", feyn6, 6, 1, shape(0, false));
  compiles("feyn6, grid", feyn6, 6, 1, shape(0, true));
  compiles("power, 10-D, grid", power, 10, 1, shape(0, true));
  compiles("power, 10-D, antithetic", power, 10, 1, shape(0, false, true));
  compiles("power, 1-D", power, 1, 1, shape(0, false));
  compiles("a box, 8-D, 3 components", many, 8, 3, shape(1, false));
  compiles("a box, 8-D, 3 components, grid, antithetic", many, 8, 3, shape(1, true, true));
  compiles("infinite, 5-D, 2 components", many, 5, 2, shape(2, false, true));
  compiles("infinite, 5-D, 20 components", many, 5, 20, shape(2, false), true);
  compiles("infinite, 5-D, 20 components, grid", many, 5, 20, shape(2, true), true);
  compiles("power, 32-D", power, 32, 1, shape(1, false));
  compiles("power, 33-D, grid", power, 33, 1, shape(0, true), true);
  compiles("power, 1000-D", power, 1000, 1, shape(0, false), true);
  compiles("power, 1000-D, grid", power, 1000, 1, shape(1, true), true);
  const auto sobol = [](sampling_shape s) {
    s.sobol = true;
    return s;
  };
  compiles("power, 10-D, Sobol", power, 10, 1, sobol(shape(0, false)));
  compiles("power, 32-D, antithetic, Sobol", power, 32, 1, sobol(shape(1, false, true)), true);
  compiles("power, 1000-D, Sobol", power, 1000, 1, sobol(shape(0, false)), true);
  compiles("infinite, 5-D, 20 components, Sobol", many, 5, 20, sobol(shape(2, false)), true);
  compiles("device callback, 7-D, Sobol", nullptr, 7, 2, sobol(shape(2, false, true, true)));
  compiles("power, 10-D, grid, Sobol", power, 10, 1, sobol(shape(0, true)));
  compiles("feyn6, grid, Sobol", feyn6, 6, 1, sobol(shape(0, true)));
  compiles("a box, 8-D, 3 components, grid, Sobol", many, 8, 3, sobol(shape(1, true, true)));
  compiles("power, 1000-D, grid, Sobol", power, 1000, 1, sobol(shape(0, true)), true);
  compiles("infinite, 5-D, 20 components, grid, Sobol", many, 5, 20, sobol(shape(2, true)), true);
  compiles("device callback, 7-D, grid, Sobol", nullptr, 7, 2, sobol(shape(2, true, true, true)));
  const auto threefry = [](sampling_shape s) {
    s.threefry = true;
    return s;
  };
  compiles("power, 10-D, Threefry", power, 10, 1, threefry(shape(0, false)));
  compiles("power, 10-D, grid, Threefry", power, 10, 1, threefry(shape(0, true)));
  compiles("device callback, 7-D", nullptr, 7, 2, shape(2, false, true, true));
  compiles("device callback, 7-D, grid", nullptr, 7, 2, shape(2, true, true, true));
  const auto with_weights = [](sampling_shape s) {
    s.weights = true;
    return s;
  };
  compiles("power, 10-D, weights", power, 10, 1, with_weights(shape(0, false, true)));
  compiles("a box, 5-D, 2 components, grid, weights", many, 5, 2, with_weights(shape(1, true)));
  compiles("device callback, 7-D, grid, weights", nullptr, 7, 2, with_weights(shape(2, true, true, true)));
  const auto given = [](sampling_shape s) {
    s.given = true;
    return s;
  };
  compiles("power, 10-D, given numbers", power, 10, 1, given(shape(0, false)));
  compiles("a box, 8-D, 3 components, antithetic, given", many, 8, 3, given(shape(1, false, true)));
  compiles("infinite, 5-D, 20 components, given", many, 5, 20, given(shape(2, false)), true);
  compiles("power, 1000-D, given numbers", power, 1000, 1, given(shape(1, false)), true);
  compiles("device callback, 7-D, given numbers", nullptr, 7, 2, given(shape(2, false, true, true)));
  compiles("device callback, 200-D, grid", nullptr, 200, 9, shape(1, true, false, true), true);
  return checks::summary();
}
