// The landmarks of a run that goes worst first (landmarks.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "landmarks.hpp"

namespace tessera {

template <class Executor>
class kept_landmarks {
 public:
  kept_landmarks(Executor &exec, int ndim) : boxes_(exec, ndim, 0) { boxes_.resize(landmarks_kept, 0); }

  // Those of all regions.
  void find(const region_view &s, int64 regions, const domain_box &domain, const double *scale) {
    landmark_pair best[landmark_groups];
    std::fill_n(best, landmark_groups, no_landmarks);
    for (int64 i = 0; i < regions; ++i) {  // in the order in which they lie in memory
      const landmark l = as_landmark(s, i, domain, scale);
      keep_better(best[i % landmark_groups], {l, l});
    }
    for (int g = 0; g < landmark_groups; ++g) keep_landmarks(best[g], g, s, table_, boxes_.view());
    lone_team alone;
    bound_landmarks(alone, boxes_.view(), table_);
  }

  // Has region i been overlooked beside one of them? Then it is turned to the axis along which it is too wide.
  bool turn(const splitting &split, const region_view &s, int64 i, const domain_box &domain, const double *scale) {
    return may_be_overlooked(s, i, table_, domain, scale) &&
           turn_to(split, s, i, overlooked(s, i, table_, boxes_.view(), 0, 1, domain, scale), domain);
  }

 private:
  landmark_table table_;
  region_store<Executor> boxes_;
};

}  // namespace tessera
