// Regions of a step that another device evaluates; read by the host side of the plug-in and by the kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../engine/cubature/region_store.hpp"

namespace tessera {

// They go there and come back in one array, field by field: what a device is sent are the boxes, 2 ndim fields of n numbers, and what
// it sends back lies behind them.
struct step_part {
  region_view regions, packed;  // the store; the n regions
  region_list list;             // of the store
  int64 n;
  int64 *
      failed;  // 0, or one more than a region of the store with a number that is not finite; null where that is no failure
};

TESSERA_HD constexpr int box_fields(int ndim) { return 2 * ndim; }

// Item t of n * box_fields, and of n * (fields - box_fields). The latter is false where a number is not finite.
TESSERA_HD void pack_box(const step_part &a, int64 t) {
  a.packed.field(t % a.n, static_cast<int>(t / a.n)) = a.regions.field(a.list[t % a.n], static_cast<int>(t / a.n));
}
TESSERA_HD bool unpack_result(const step_part &a, int64 t) {
  const int f = box_fields(a.regions.ndim()) + static_cast<int>(t / a.n);
  const int64 region = a.list[t % a.n];
  if (f + 1 == a.regions.fields()) {
    a.regions.state(region) = a.packed.state(t % a.n);
    return true;
  }
  const double v = a.packed.field(t % a.n, f);
  a.regions.field(region, f) = v;
  return fabs(v) < infinity_value();
}

}  // namespace tessera
