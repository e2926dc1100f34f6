// Regions of a step that another device or rank evaluates; read by the host side of the plug-in and by the kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../engine/cubature/region_store.hpp"

namespace tessera {

// Some fields of n regions in one array: field by field between devices, region by region between ranks.
struct step_part {
  region_view regions;  // the store
  region_list list;     // of the store
  int64 n;
  double *packed;
  int first, fields;  // those of a record that are packed
  bool by_region;
  int64 *
      failed;  // 0, or one more than a region of the store with a number that is not finite; null where that is no failure

  TESSERA_HD int64 region_of(int64 t) const { return list[by_region ? t / fields : t % n]; }
  TESSERA_HD int field_of(int64 t) const { return first + static_cast<int>(by_region ? t % fields : t / n); }
};

TESSERA_HD constexpr int box_fields(int ndim) { return 2 * ndim; }
TESSERA_HD constexpr int result_fields(int ncomp) { return 2 * ncomp + 1; }  // behind the box

// Item t of n * fields. The latter is false where a number is not finite.
TESSERA_HD void pack(const step_part &a, int64 t) {
  const int64 region = a.region_of(t);
  const int f = a.field_of(t);
  if (f + 1 == a.regions.fields())
    *reinterpret_cast<region_state *>(a.packed + t) = a.regions.state(region);
  else
    a.packed[t] = a.regions.field(region, f);
}
TESSERA_HD bool unpack(const step_part &a, int64 t) {
  const int64 region = a.region_of(t);
  const int f = a.field_of(t);
  if (f + 1 == a.regions.fields()) {
    a.regions.state(region) = *reinterpret_cast<const region_state *>(a.packed + t);
    return true;
  }
  const double v = a.packed[t];
  a.regions.field(region, f) = v;
  return fabs(v) < infinity_value();
}

}  // namespace tessera
