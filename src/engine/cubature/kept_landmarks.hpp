// The landmarks of a run that goes worst first (landmarks.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "landmarks.hpp"
#include "mode_search.hpp"

namespace tessera {

template <class Executor>
class kept_landmarks {
 public:
  kept_landmarks(Executor &exec, int ndim, int ncomp)
      : boxes_(exec, ndim, 0), modes_(exec, ndim, ncomp), bounds_(static_cast<std::size_t>(landmark_bounds(ndim))) {
    boxes_.resize(landmarks_kept, 0);
  }

  // Those of all regions.
  void find(const region_view &s, int64 regions, const domain_box &domain, const double *scale,
            const break_table *breaks) {
    breaks_ = breaks;
    landmark_pair best[landmark_groups];
    std::fill_n(best, landmark_groups, no_landmarks);
    for (int64 i = 0; i < regions; ++i) {  // in the order in which they lie in memory
      const landmark l = as_landmark(s, i, domain, scale);
      keep_better(best[i % landmark_groups], {l, l});
    }
    const landmark_set all = set();
    const int groups = static_cast<int>(groups_of(regions));
    table_.count = count_landmarks(regions);
    lone_lane alone;
    for (int t = 0; t < table_.count; ++t) order_landmark(alone, all, best, groups, t, s, domain);
    for (int t = 0; t < table_.count; ++t) keep_landmark(alone, all, best, groups, t, s);
    for (int t = 0; t < all.blocks() * s.ndim(); ++t) bound_block(alone, all, t);
  }

  // Has region i been overlooked beside one of them? Then it is turned to the axis along which it is too wide.
  bool turn(const splitting &split, const region_view &s, int64 i, const domain_box &domain, const double *scale) {
    const landmark_set all = set();
    lone_lane alone;
    const double density = as_landmark(s, i, domain, scale).density;
    const width_check at_mode = beside_mode(s, i, all, density, scale), own = overlooked(s, i, all, alone, density);
    return turn_to(split, s, i, worse(at_mode, own) ? at_mode : own, domain);
  }

  // Has it been overlooked beside a mode?
  bool is_beside_mode(const region_view &s, int64 i, const domain_box &domain, const double *scale) {
    return beside_mode(s, i, set(), as_landmark(s, i, domain, scale).density, scale).times > 0;
  }

  // What a look for other modes has found; valid as long as that is.
  void keep_modes(const mode_search &found) {
    mode_boxes_ = found.boxes();
    modes_.resize(mode_boxes_, 0);
    for (int b = 0; b < mode_boxes_; ++b) found.write(modes_.view(), b);
  }
  int mode_boxes() const { return mode_boxes_; }
  void forget_modes() { mode_boxes_ = 0; }

 private:
  landmark_set set() { return {&table_, boxes_.view(), bounds_.data(), breaks_, mode_boxes_, modes_.view()}; }

  const break_table *breaks_ = nullptr;
  landmark_table table_ = {};
  region_store<Executor> boxes_, modes_;
  int mode_boxes_ = 0;
  std::vector<double> bounds_;
};

}  // namespace tessera
