// SPDX-License-Identifier: BSD-3-Clause
#include "kernel.hpp"

#include "../../engine/quadrature/null_rules.hpp"
#include "../../engine/quadrature/pair_counts.hpp"
#include "../../plugin.hpp"

namespace tessera {

// The engine's headers, the kernel, and the steps that know no integrand; made by the build.
extern const char *const lane_text, *const quadrature_text, *const lane_steps_text;
extern const char *const points_text;  // the integrand alone

namespace {

constexpr int own_intervals = 32;

template <int Pairs>
void upload_tables(const loaded_library &library, CUstream stream) {
  const kronrod_tables<Pairs> tables = {kronrod_of<double, Pairs>, null_weights_of<double, Pairs>};
  upload(library.global("tessera_tables", sizeof tables), &tables, sizeof tables, stream, "uploading the rule");
  check(cuda().stream_synchronize(stream), "uploading the rule");
}

}  // namespace

quadrature_shape choose_quadrature_shape(const quadrature_problem &p, quadrature_shape::part what) {
  quadrature_shape s;
  s.what = what;
  s.pairs = p.settings.pairs;
  s.complement = p.settings.complement != 0;
  const auto breaks = static_cast<int>(p.breaks.size());
  s.breaks = breaks == 0 ? 0 : (breaks <= 4 ? 4 : (breaks <= 16 ? 16 : most_device_breaks));
  return s;
}

kernel_text quadrature_kernel_text(const quadrature_shape &s) {
  kernel_text text;
  text.head = lane_text;
  text.text = quadrature_text;
  text.apart = {lane_steps_text, {define("TESSERA_PAIRS", s.pairs), define("TESSERA_ALONE", 1)}};
  const int blocks = 4;
  text.options = {define("TESSERA_MANY", 2),
                  define("TESSERA_SLOTS", s.what == quadrature_shape::part::slots),
                  define("TESSERA_PAIRS", s.pairs),
                  define("TESSERA_BREAKS", s.breaks),
                  define("TESSERA_INTERVALS", std::max(own_intervals, 2 * (s.breaks + 2))),
                  define("TESSERA_COMPLEMENT", s.complement),
                  define("TESSERA_INNERMOST", s.innermost),
                  define("TESSERA_AXES", axes_any),
                  define("TESSERA_BATCH", 0),
                  define("TESSERA_BLOCK", quadrature_block),
                  define("TESSERA_BLOCKS", blocks)};
  constexpr int registers = 65536;  // of a multiprocessor
  text.most_registers = registers / (quadrature_block * blocks) / 8 * 8;
  return text;
}

kernel_text points_kernel_text(bool complement) {
  kernel_text text;
  text.text = points_text;
  text.options = {define("TESSERA_COMPLEMENT", complement), define("TESSERA_BATCH", 0)};
  return text;
}

quadrature_kernel::quadrature_kernel(const quadrature_shape &shape, int ncomp, const placed_integrand &f, int arch,
                                     int multiprocessors, CUstream stream) {
  target where;
  where.arch = arch;
  where.ndim = shape.ndim;
  where.ncomp = ncomp;
  where.library_version = std::to_string(backend_abi);
  where.until = f.until;
  module_ = compile_integrand(f.source, quadrature_kernel_text(shape), where, f.cache);
  library_.load(module_.image->data(), "loading the compiled integrand");
  function_ = library_.function("tessera_quadrature");
  with_pairs(shape.pairs, [&](auto count) { upload_tables<count.value>(library_, stream); });
  check(cuda().download(&integral_bytes_, library_.global("tessera_integral_bytes", sizeof integral_bytes_),
                        sizeof integral_bytes_),
        "asking for the size of an integral");
  int blocks = 0;
  check(cuda().occupancy(&blocks, function_, quadrature_block, 0), "asking for the occupancy");
  if (blocks < 1) throw device_error("the integrand needs more of a multiprocessor than there is");
  resident_ = int64{blocks} * multiprocessors;
}

}  // namespace tessera
