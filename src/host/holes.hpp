// Values that are not finite and count as 0 (TESSERA_NONFINITE_ZERO).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "../core/estimate.hpp"

namespace tessera {

// Makes them 0 at n points; component k of point i is f[k*component_stride + i*point_stride]. holes[ncomp], unless null: what there is
// of them and of others is added. Returns at how many points a component was not finite.
inline int64 fill_holes(double *f, int64 n, int ncomp, int64 component_stride, int64 point_stride,
                        region_holes *holes = nullptr) {
  int64 points = 0;
  for (int64 i = 0; i < n; ++i) {
    bool hole = false;
    for (int k = 0; k < ncomp; ++k) {
      double &v = f[k * component_stride + i * point_stride];
      if (std::isfinite(v)) {
        if (holes) holes[k].size += std::fabs(v);
        continue;
      }
      hole = true;
      if (holes) holes[k].count += 1.0;
      v = 0.0;
    }
    points += hole ? 1 : 0;
  }
  return points;
}

}  // namespace tessera
