// The kernels that construct generating vectors, compiled for one architecture. Nothing is run, so no device is needed. Skipped
// without NVIDIA's run-time compiler.
// SPDX-License-Identifier: BSD-3-Clause
#include "checks.hpp"
#include "compiled.hpp"
#include "cuda/construct/construct.hpp"
#include "jit/cubin.hpp"
#include "jit/toolkit.hpp"

using namespace tessera;
using checks::check;
using checks::keep_image;
using checks::there_is_a_compiler;

namespace {

void compiles(bool single) {
  const std::string name = single ? "single precision" : "double precision";
  target where;
  where.arch = 90;
  where.library_version = "test";
  const compiled_module m = compile_kernels(construct_kernel_text(single), where, nullptr);
  const std::vector<cubin_function> functions = cubin_functions(*m.image);
  for (const char *own : {"fill_constant", "subtract_constant", "scale_spectrum", "unpack_spectrum", "correlate",
                          "correlate_packed", "single_point", "fill_kernel", "square_of", "ring_terms",
                          "multiply_product", "advance_orders", "add_level", "value_of_float", "value_of_double",
                          "at_most_float", "at_most_double", "smallest_component_float", "smallest_component_double"}) {
    bool found = false;
    for (const cubin_function &f : functions) found |= f.kernel && f.name == std::string("tessera_") + own;
    check(found, name + ": " + own);
  }
  for (std::size_t at = m.log.find(" bytes spill stores"); at != std::string::npos;
       at = m.log.find(" bytes spill stores", at + 1))
    check(m.log[at - 1] == '0' && m.log[at - 2] == ' ', name + ": no spills");
  std::printf("%-44s %7zu bytes %.2f s\n", name.c_str(), m.image->size(), m.seconds);
  keep_image(name, m);
}

}  // namespace

int main() {
  if (!there_is_a_compiler()) return 77;
  compiles(false);
  compiles(true);
  return checks::summary();
}
