// What the run-time compiler takes for a new text with the kernels of each method: all in one program, the text alone where the rest has been
// compiled before, and both in the first call of all; with registers, stack and spills. Seconds of processors and of the clock, the least of some
// turns. Nothing is run, so no device is needed. With flang also a text in Fortran. A table on standard output. Usage: tessera_compile_times [TURNS [PART OF A NAME]]
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "compile_times.hpp"
#include "core/rule_build.hpp"
#include "cuda/cubature/kernel.hpp"
#include "cuda/lattice/lattice.hpp"
#include "cuda/montecarlo/montecarlo.hpp"
#include "jit/cubin.hpp"
#include "jit/fortran/flang.hpp"
#include "jit/toolkit.hpp"
#include "tessera.h"

using namespace tessera;

namespace {

std::vector<method> methods() {
  std::vector<method> all;
  const auto cubature = [&](const char *name, int ndim, bool many) {
    rule r;
    build_rule(choose_rule(TESSERA_RULE_AUTO, ndim), ndim, r, true);
    r.raises = true;
    all.push_back(
        {name, many ? "tessera_many" : "tessera_bulk", ndim, engine_kernel(r, choose_shape(r, 1, false, many)), false});
  };
  cubature("cubature, 3-D", 3, false);
  all.push_back(all.back());
  all.back().name += ", Fortran";
  all.back().fortran = true;
  cubature("cubature, 8-D", 8, false);
  cubature("many integrals, 3-D", 3, true);
  cubature("many integrals, 8-D", 8, true);
  add_quadrature(all);
  lattice_shape lattice;
  lattice.transform = 13;  // Korobov 3
  all.push_back({"lattice rule, 6-D", "tessera_lattice", 6, lattice_kernel_text(lattice, 6), false});
  const auto sampling = [&](const char *name, const char *kernel, const sampling_shape &shape) {
    all.push_back({name, kernel, 6, sampling_kernel_text(shape, 6, 1), false});
  };
  sampling_shape plain, nets, vegas;
  nets.sobol = vegas.grid = true;
  sampling("Monte Carlo, 6-D", "tessera_sample_sums", plain);
  sampling("Sobol points, 6-D", "tessera_sample_sums", nets);
  sampling("VEGAS, 6-D", "tessera_sample_values", vegas);
  return all;
}

integrand_source new_text(bool fortran) {
  static int number = 0;
  integrand_source s;
  if (fortran) {
    s.language = source_language::fortran;
    s.text = "double precision function f(ndim, x)\ninteger ndim\ndouble precision x(ndim)\nf = exp(-sum(x*x) - " +
             std::to_string(++number) + ")\nend function\n";
    return s;
  }
  s.text = "double f(const double *x) {\n  double s = " + std::to_string(++number) +
           ";\n  for (int i = 0; i < TESSERA_NDIM; ++i) s += x[i] * x[i];\n  return exp(-s);\n}\n";
  return s;
}

struct times {
  double processors = 1e9, clock = 1e9;
  void take(const times &t) {
    processors = std::min(processors, t.processors);
    clock = std::min(clock, t.clock);
  }
};

// This process and those that it has started.
double processor_seconds() {
  double sum = 0.0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    struct rusage u;
    ::getrusage(who, &u);
    for (const struct timeval &t : {u.ru_utime, u.ru_stime})
      sum += static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  }
  return sum;
}

times measure(const method &m, const kernel_text &text, code_cache &cache, compiled_module &out) {
  target where;
  where.arch = 90;
  where.ndim = m.ndim;
  where.library_version = "times";
  where.helper = BENCH_JITLINK;
  const double before = processor_seconds();
  const auto start = std::chrono::steady_clock::now();
  out = compile_integrand(new_text(m.fortran), text, where, &cache);
  times t;
  t.clock = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  t.processors = processor_seconds() - before;
  return t;
}

cache_settings in_memory() {
  cache_settings s;
  s.disk = false;
  return s;
}

std::string of_kernel(const compiled_module &m, const std::string &name) {
  const cubin_use u = cubin_use_of(*m.image, name);
  return std::to_string(u.registers) + ", " + std::to_string(u.stack);
}

}  // namespace

int main(int argc, char **argv) try {
  const int turns = argc > 1 ? std::max(1, std::atoi(argv[1])) : 3;
  const std::string wanted = argc > 2 ? argv[2] : "";
  std::printf(
      "| kernels | one program, s of processors (clock) | first of all | a new text | registers, bytes of stack: one "
      "program | apart |\n|---|---:|---:|---:|---:|---:|\n");
  for (const method &m : methods()) {
    if (m.name.find(wanted) == std::string::npos) continue;
    if (m.fortran) try {
        find_flang();
      } catch (const compile_error &) {
        continue;
      }
    kernel_text whole = m.text;
    whole.text += whole.apart.text;
    whole.apart = {};
    times one, first, next;
    compiled_module of_one, of_parts;
    for (int k = 0; k < turns; ++k) {
      code_cache cache(in_memory());
      one.take(measure(m, whole, cache, of_one));
      if (m.text.apart.text.empty()) continue;
      first.take(measure(m, m.text, cache, of_parts));
      next.take(measure(m, m.text, cache, of_parts));
    }
    std::printf("| %s | %.2f (%.2f) | ", m.name.c_str(), one.processors, one.clock);
    const std::string use = of_kernel(of_one, m.kernel);
    if (m.text.apart.text.empty())
      std::printf("| | %s | |\n", use.c_str());
    else
      std::printf("%.2f (%.2f) | %.2f (%.2f) | %s | %s |\n", first.processors, first.clock, next.processors, next.clock,
                  use.c_str(), of_kernel(of_parts, m.kernel).c_str());
    std::fflush(stdout);
  }
  return 0;
} catch (const compile_error &e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 77;
}
