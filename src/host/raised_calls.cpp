// Rules of higher degree on the host (core/raised_rule.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "../engine/cubature/raise.hpp"
#include "evaluator.hpp"

namespace tessera {

outcome host_evaluator::raise(const region_view &regions, const int64 *ids, int64 n, int level) {
  failure_.clear();
  pool_->run(n, [&](int64 item, int thread) {
    failure_.watch(item, [&] {
      workspace &w = work_[index(thread)];
      prepare(w);
      raise_one(regions, ids[item], level, item, w);
    });
  });
  return failure_.what();
}

// False when an integrand's status or the clock ends the step.
bool host_evaluator::raise_one(const region_view &regions, int64 region, int level, int64 item, workspace &w) {
  const raised_rules r = problem_->raised->view();
  const int nc = problem_->settings.ncomp;
  const int64 points = problem_->settings.raised_points[level - 1];
  const int64 together = problem_->integrand.batch ? group_ * chunk_ : std::min<int64>(group_ * chunk_, 256);
  std::vector<raised_sums> sums(index(nc));  // all 0
  std::vector<double> open(index(nc), 0.0);  // of the orbit so far, wherever the calls cut it
  int orbit = 0;
  const auto close = [&] {
    const double *const weight = raised_weights(r, level, orbit);
    for (int k = 0; k < nc; ++k) {
      const double sum = open[index(k)];
      for (int q = 0; q < raised_compared; ++q) sums[index(k)].mean[q] += weight[q] * sum;
      sums[index(k)].size += std::fabs(weight[0] * sum);
    }
    std::fill(open.begin(), open.end(), 0.0);
  };
  for (int64 first = 0; first < points; first += together) {
    const int64 n = std::min(together, points - first);
    if (!call_raised(regions, region, first, n, item, w)) return false;
    for (int64 begin = 0, end = 0; begin < n; begin = end) {
      const int here = raised_orbit(r.words[first + begin]);
      if (here != orbit) close();
      orbit = here;
      while (end < n && raised_orbit(r.words[first + end]) == orbit) ++end;
      for (int k = 0; k < nc; ++k) {
        const double *const f = w.f.data() + k * w.component_stride;
        for (int64 i = begin; i < end; ++i) open[index(k)] += f[i * w.point_stride];
      }
    }
  }
  close();
  const double volume = regions.volume(region);
  uint32 word = 0;
  for (int k = 0; k < nc; ++k) {
    const raised_result result = judge_raised(sums[index(k)], volume);
    regions.value(region, k) = result.value;
    regions.error(region, k) = with_sign(result.error, result.negative);
    if (!result.decays) word |= raise_undecayed;
    if (!std::isfinite(result.value) || !std::isfinite(result.error)) word |= raise_nonfinite;
  }
  regions.state(region) = {0.0f, word};
  return true;
}

// Points first ... first+n-1 of the table: component k of point i goes to f[k*component_stride + i*point_stride].
bool host_evaluator::call_raised(const region_view &regions, int64 region, int64 first, int64 n, int64 item,
                                 workspace &w) {
  const raised_rules r = problem_->raised->view();
  const int nd = rule_.ndim, nc = problem_->settings.ncomp;
  const host_integrand &f = problem_->integrand;
  double place[raised_most_ndim][raised_nodes];
  for (int j = 0; j < nd; ++j)
    for (int node = 0; node < raised_nodes; ++node)
      place[j][node] = regions.centre(region, j) + r.offsets[node] * regions.half(region, j);
  if (!clear_values(0, n * nc, item, w)) return false;
  if (!f.batch) {
    w.component_stride = 1;
    w.point_stride = nc;
    double x[raised_most_ndim];
    for (int64 i = 0; i < n; ++i) {
      const uint64 word = r.words[first + i];
      double jacobian = 1.0, *const to = &w.f[index(i * nc)];
      for (int j = 0; j < nd; ++j) {
        x[j] = place[j][raised_node(word, j)];
        if (mapped_) x[j] = map_axis(problem_->axes[index(j)], x[j], jacobian);
      }
      int status = f.point(nd, x, nc, to, f.userdata);
      if (status == 0 && w.watch.is_wanted() && !w.watch.goes_on(1)) status = step_watch::ended;
      if (!succeeded(status, item, w)) return false;
      for (int k = 0; mapped_ && k < nc; ++k) to[k] = weighted(to[k], jacobian);
    }
    return true;
  }
  if (mapped_) std::fill_n(w.jacobian.begin(), n, 1.0);
  for (int j = 0; j < nd; ++j)
    for (int64 i = 0; i < n; ++i) {
      double &x = w.x[index(j * n + i)];
      x = place[j][raised_node(r.words[first + i], j)];
      if (mapped_) x = map_axis(problem_->axes[index(j)], x, w.jacobian[index(i)]);
    }
  const int64 most = w.watch.is_wanted() ? problem_->batch_points : n;
  const int status = w.watch.each_batch(n, most, [&](int64 from, int64 points) {
    return f.batch(points, nd, &w.x[index(from)], n, nc, &w.f[index(from)], n, f.userdata);
  });
  if (!succeeded(status, item, w)) return false;
  w.component_stride = n;
  w.point_stride = 1;
  for (int k = 0; mapped_ && k < nc; ++k)
    for (int64 i = 0; i < n; ++i) w.f[index(k * n + i)] = weighted(w.f[index(k * n + i)], w.jacobian[index(i)]);
  return true;
}

}  // namespace tessera
