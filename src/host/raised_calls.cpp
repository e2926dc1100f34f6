// Rules of higher degree on the host (core/raised_rule.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "../engine/cubature/raise.hpp"
#include "evaluator.hpp"

namespace tessera {

// A call of a batch integrand takes whole regions as long as they fit, else a part of the points of one.
outcome host_evaluator::apply_raised(const region_view &regions, const int64 *ids, int64 n, int level) {
  const int64 points = problem_->settings.raised_points[level - 1];
  const int64 together = batch_ ? std::max<int64>(1, group_ * chunk_ / points) : 1;
  return share_out(
      regions, [ids](int64 i) { return ids[i]; }, n, together, nullptr,
      [&](int64 first, int64 many, workspace &w) { raise_group(regions, ids + first, many, level, first, w); });
}

void host_evaluator::raise_group(const region_view &regions, const int64 *ids, int64 n, int level, int64 item,
                                 workspace &w) {
  const int64 points = problem_->settings.raised_points[level - 1], room = group_ * chunk_;
  if (points <= room) {
    if (!call_raised(regions, ids, n, 0, points, item, w)) return;
    for (int64 m = 0; m < n; ++m) {
      begin_raised(w);
      add_raised(level, 0, points, m * points, w);
      finish_raised(regions, ids[m], level, w);
    }
    return;
  }
  for (int64 m = 0; m < n; ++m) {
    begin_raised(w);
    for (int64 first = 0; first < points; first += room) {
      const int64 part = std::min(room, points - first);
      if (!call_raised(regions, ids + m, 1, first, part, item, w)) return;
      add_raised(level, first, part, 0, w);
    }
    finish_raised(regions, ids[m], level, w);
  }
}

// The sums of a component are raised_sums in w.sums; that of the orbit so far, wherever the calls cut it, is in w.more.
void host_evaluator::begin_raised(workspace &w) const {
  std::fill(w.sums.begin(), w.sums.end(), 0.0);
  std::fill(w.more.begin(), w.more.end(), 0.0);
  w.raised_orbit = 0;
}

void host_evaluator::close_orbit(int level, workspace &w) const {
  const double *const weight =
      rule_of_level(problem_->raised->view(), level).weights + int64{w.raised_orbit} * listed_sums;
  for (int k = 0; k < problem_->settings.ncomp; ++k) {
    double *const to = &w.sums[index(k * raised_fields)], sum = w.more[index(k)];
    for (int q = 0; q < raised_compared; ++q) to[q] += weight[q] * sum;
    to[raised_compared] += weight[raised_compared] * std::fabs(sum);
    w.more[index(k)] = 0.0;
  }
}

// Points first ... first+n-1 of the table, whose values begin at point `place` of the call.
void host_evaluator::add_raised(int level, int64 first, int64 n, int64 place, workspace &w) const {
  const uint64 *const words = problem_->raised->words.data() + first;
  for (int64 begin = 0, end = 0; begin < n; begin = end) {
    const int here = listed_orbit(words[begin]);
    if (here != w.raised_orbit) close_orbit(level, w);
    w.raised_orbit = here;
    while (end < n && listed_orbit(words[end]) == here) ++end;
    for (int k = 0; k < problem_->settings.ncomp; ++k) {
      const double *const f = w.f.data() + k * w.component_stride + place * w.point_stride;
      for (int64 i = begin; i < end; ++i) w.more[index(k)] += f[i * w.point_stride];
    }
  }
}

void host_evaluator::finish_raised(const region_view &regions, int64 region, int level, workspace &w) const {
  close_orbit(level, w);
  const double volume = regions.volume(region);
  uint32 word = 0;
  for (int k = 0; k < problem_->settings.ncomp; ++k) {
    const double *const s = &w.sums[index(k * raised_fields)];
    const raised_result result = judge_raised({{s[0], s[1], s[2], s[3]}, s[4]}, volume);
    regions.value(region, k) = result.value;
    regions.error(region, k) = with_sign(result.error, result.negative);
    if (!result.decays) word |= raise_undecayed;
    if (!std::isfinite(result.value) || !std::isfinite(result.error)) word |= raise_nonfinite;
  }
  regions.state(region) = {0.0f, word};
}

// Points first ... first+n-1 of the table in each of the regions: component k of point i of region m goes to
// f[k*component_stride + (m*n + i)*point_stride]. False when an integrand's status or the clock ends the step.
bool host_evaluator::call_raised(const region_view &regions, const int64 *ids, int64 count, int64 first, int64 n,
                                 int64 item, workspace &w) {
  const listed_rule r = problem_->raised->view().list;
  double place[raised_most_ndim][raised_nodes];
  int64 m = -1, i = n;  // the point that comes next: its region, and which it is there
  const auto put = [&](int64, double *x) {
    if (i == n) {
      i = 0;
      ++m;
      for (int j = 0; j < rule_.ndim; ++j)
        for (int node = 0; node < raised_nodes; ++node)
          place[j][node] = regions.centre(ids[m], j) + r.offsets[j * r.nodes + node] * regions.half(ids[m], j);
    }
    const uint64 word = r.words[first + i++];
    for (int j = 0; j < rule_.ndim; ++j) x[j] = place[j][listed_node(word, rule_.ndim, j)];
  };
  return call_given(count * n, problem_->batch_points, put, item, w);
}

}  // namespace tessera
