// The kernels around a device batch callback, and those of sparse grids, compiled for one architecture: few and many variables and components. Nothing
// is run, so no device is needed. Skipped without NVIDIA's run-time compiler.
// SPDX-License-Identifier: BSD-3-Clause
#include "checks.hpp"
#include "cuda/cubature/batch.hpp"
#include "cuda/sparse/sparse.hpp"
#include "jit/cubin.hpp"
#include "jit/toolkit.hpp"

using namespace tessera;
using checks::check;

namespace {

// Returns the key.
std::string compiles(int ndim, int ncomp, bool mapped) {
  const std::string name =
      std::to_string(ndim) + "-D, " + std::to_string(ncomp) + (mapped ? " components, infinite" : " components");
  target where;
  where.arch = 90;
  where.ndim = ndim;
  where.ncomp = ncomp;
  where.library_version = "test";
  cache_settings memory_only;
  memory_only.disk = false;
  code_cache cache(memory_only);
  const compiled_module m = compile_kernels(batch_kernel_text(mapped), where, &cache);
  int kernels = 0;
  for (const cubin_function &f : cubin_functions(*m.image))
    for (const char *own : {"points", "sums", "fold", "finish", "steps"})
      kernels += f.kernel && f.name == std::string("tessera_batch_") + own;
  check(kernels == 5, name + ": five kernels");
  check(m.hit == cache_hit::none, name + ": compiled");
  const compiled_module again = compile_kernels(batch_kernel_text(mapped), where, &cache);
  check(again.hit == cache_hit::memory && *again.image == *m.image, name + ": found again");
  std::printf("%-44s %7zu bytes %.2f s\n", name.c_str(), m.image->size(), m.seconds);
  return m.key;
}

void sparse_compiles(int ndim, int ncomp) {
  target where;
  where.arch = 90;
  where.ndim = ndim;
  where.ncomp = ncomp;
  where.library_version = "test";
  const compiled_module m = compile_kernels(sparse_kernel_text(), where, nullptr);
  int kernels = 0;
  for (const cubin_function &f : cubin_functions(*m.image))
    for (const char *own : {"sparse_points", "sparse_values", "sparse_sums", "largest_errors", "region_records"})
      kernels += f.kernel && f.name == std::string("tessera_") + own;
  check(kernels == 5, "sparse grids: five kernels");
  std::printf("sparse grids, %d-D, %d components: %zu bytes %.2f s\n", ndim, ncomp, m.image->size(), m.seconds);
}

}  // namespace

// Usage: jit_batch [all]
int main(int argc, char **) {
  try {
    nvrtc();
  } catch (const compile_error &e) {
    std::printf("skipped: %s\n", e.what());
    return 77;
  }
  compiles(3, 33, true);  // more components than lanes
  sparse_compiles(8, 1);
  if (argc < 2) return checks::summary();
  const std::string mapped = compiles(3, 3, true);
  check(compiles(3, 33, false) != mapped, "another domain is another key");
  check(compiles(3, 3, false) != mapped, "another domain alone is another key");
  compiles(32, 1, true);
  return checks::summary();
}
