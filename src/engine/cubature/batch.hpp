// The rule applied to many regions when the integrand takes many points a call: the points of some regions are written to one
// array, the integrand is called, its values are summed up orbit by orbit, and from the sums each region gets its record.
//
// A call takes whole regions, or a stretch of a region whose rule has more points than a call may have. The sums are made in
// slices of the rule, so that a few large rules keep many processors busy. Everything is written for one item (a point, a
// slice, a number of a record), so that a device can run it in kernels, and a test in loops.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/node.hpp"
#include "../../core/transform.hpp"
#include "apply_rule.hpp"

namespace tessera {

struct batch_plan {
  int64 regions;  // most of a call
  int64 stretch;  // most points of one region in a call
};

// Calls of at most `points` points whose arrays take at most `bytes` bytes.
TESSERA_HD batch_plan plan_batches(const rule &r, int ncomp, bool mapped, int64 points, int64 bytes) {
  const int64 fit = bytes / (8 * (int64{r.ndim} + ncomp + (mapped ? 1 : 0)));
  int64 most = fit < points ? fit : points;
  if (most < 1) most = 1;
  if (r.points <= most) return {most / r.points, r.points};
  const int64 calls = (r.points - 1) / most + 1;
  return {1, (r.points - 1) / calls + 1};
}

constexpr int64 batch_slice = 2048;  // points of a rule that are summed up together

// The points [begin, end) of the rule in the regions first .. first+regions-1 of a list: one call of the integrand.
struct batch_chunk {
  int64 first, regions;
  int64 begin, end;
  TESSERA_HD int64 length() const { return end - begin; }  // points of one region; they lie side by side
  TESSERA_HD int64 points() const { return regions * length(); }
  TESSERA_HD int64 stride() const { return (points() + 31) / 32 * 32; }  // from one coordinate or component to the next
  TESSERA_HD int64 slices() const { return (length() + batch_slice - 1) / batch_slice; }
};

// body(chunk) for the chunks of n regions, in order, until it returns false.
template <class Body>
TESSERA_HD void each_batch(const batch_plan &plan, int64 points, int64 n, Body body) {
  for (int64 first = 0; first < n; first += plan.regions) {
    const int64 regions = n - first < plan.regions ? n - first : plan.regions;
    for (int64 begin = 0; begin < points; begin += plan.stretch) {
      const int64 end = points - begin < plan.stretch ? points : begin + plan.stretch;
      if (!body(batch_chunk{first, regions, begin, end})) return;
    }
  }
}

// Point p of the rule in a region, in the user's coordinates: coordinate j goes to x[j*stride], and behind the last one the
// Jacobian where there are `axes`, which are those of infinite ranges.
TESSERA_HD void write_point(const rule &r, int ndim, const node_word *words, const axis_map *axes,
                            const region_view &regions, int64 region, int64 p, double *x, int64 stride) {
  int o = r.orbits - 1;
  int64 start = r.points - r.orb[o].count;
  while (p < start) start -= r.orb[--o].count;
  const orbit &orb = r.orb[o];
  const bool vertex = orb.kind == orbit_vertex, probe = orb.kind == orbit_probe;
  const uint32 code = vertex ? vertex_code(p - start) : (probe ? 0u : words[p]);
  double jacobian = 1.0;
  for (int j = 0; j < ndim; ++j) {
    double v = regions.centre(region, j);
    if (vertex) {
      const double h = orb.a * regions.half(region, j);
      v = vertex_minus(r, code, j) ? v - h : v + h;
    } else if (probe) {
      v += probe_offset(p - start, j) * regions.half(region, j);
    } else {
      for (int q = 0; q < node_moved(code); ++q)
        if (node_coordinate(code, q) == j) v += node_offset(code, q, orb) * regions.half(region, j);
    }
    x[j * stride] = axes ? map_axis(axes[j], v, jacobian) : v;
  }
  if (axes) x[ndim * stride] = jacobian;
}

// sum_points of the points [begin, end) of the rule in one region: f[i] and jacobian[i], where there are Jacobians, belong to point
// origin + i.
template <class Lanes>
TESSERA_HD void sum_slice(const Lanes &lanes, const rule &r, int64 begin, int64 end, int64 origin, const double *f,
                          const double *jacobian, double *to) {
  const auto value = [=](int64 p) {
    const double v = f[p - origin];
    return jacobian ? weighted(v, jacobian[p - origin]) : v;
  };
  sum_points(lanes, r, begin, end, value, to);
}

// One number of a region: what was there before and the slices of a chunk. slices[s*step] for s = 0 .. n-1.
TESSERA_HD double add_slices(double before, const double *slices, int64 n, int64 step) {
  double v = before;
  for (int64 s = 0; s < n; ++s) v += slices[s * step];
  return v;
}

}  // namespace tessera
