// The device engine's own kernels, compiled for one architecture: every shape of rule, integrands inlined. Nothing is run, so no
// device is needed. Skipped without NVIDIA's run-time compiler.
// SPDX-License-Identifier: BSD-3-Clause
#include "checks.hpp"
#include "core/rule_build.hpp"
#include "cuda/cubin.hpp"
#include "cuda/kernel.hpp"
#include "cuda/toolkit.hpp"
#include "tessera.h"

using namespace tessera;
using checks::check;

namespace {

void compiles(int family, int ndim, int ncomp, bool mapped, bool many = false) {
  const std::string name = (many ? "many, rule " : "rule ") + std::to_string(family) + ", " + std::to_string(ndim) + "-D, " + std::to_string(ncomp) +
                           (mapped ? " components, infinite" : " components");
  rule r;
  build_rule(choose_rule(family, ndim), ndim, r);
  integrand_source source;
  source.text =
      "void f(const double *x, double *v) {\n"
      "  double s = 0;\n"
      "  for (int i = 0; i < TESSERA_NDIM; ++i) s += x[i] * x[i];\n"
      "  for (int k = 0; k < TESSERA_NCOMP; ++k) v[k] = exp(-s * (k + 1));\n"
      "}\n";
  target where;
  where.arch = 90;
  where.ndim = ndim;
  where.ncomp = ncomp;
  where.library_version = "test";
  const compiled_module m =
      compile_integrand(source, engine_kernel(r, choose_shape(r, ncomp, mapped, many)), where, nullptr);
  int kernels = 0;
  for (const cubin_function &f : cubin_functions(*m.image))
    kernels += f.kernel && (many ? f.name == "tessera_many" : f.name == "tessera_bulk" || f.name == "tessera_points");
  check(kernels == (many ? 1 : 2), name + ": the kernels are there");
  check(m.inlined, name + ": inlined");
  std::printf("%-44s %7zu bytes %.2f s\n", name.c_str(), m.image->size(), m.seconds);
}

}  // namespace

int main() {
  try {
    nvrtc();
  } catch (const compile_error &e) {
    std::printf("skipped: %s\n", e.what());
    return 77;
  }
  compiles(TESSERA_RULE_AUTO, 1, 1, false);
  compiles(TESSERA_RULE_AUTO, 2, 1, false);
  compiles(TESSERA_RULE_AUTO, 3, 3, true);
  compiles(TESSERA_RULE_AUTO, 5, 1, false);
  compiles(TESSERA_RULE_GM7, 8, 2, false);
  compiles(TESSERA_RULE_LOW, 20, 1, false);
  compiles(TESSERA_RULE_LOW, 32, 1, true);
  compiles(TESSERA_RULE_AUTO, 1, 2, true, true);
  compiles(TESSERA_RULE_AUTO, 3, 1, false, true);
  compiles(TESSERA_RULE_GM7, 8, 2, true, true);
  compiles(TESSERA_RULE_LOW, 32, 1, false, true);
  return checks::summary();
}
