// The calls of an integrand that takes one point: from one to the next only the coordinates that change are written.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "../engine/machine.hpp"
#include "evaluator.hpp"

namespace tessera {
namespace {

// n points of nd coordinates, one after another, from their offsets in half-widths.
template <int nd>
void place_points(int64 n, const double *offsets, const double *centre, const double *half, double *x) {
  double c[nd], h[nd];  // in registers
  std::copy_n(centre, nd, c);
  std::copy_n(half, nd, h);
  for (int64 i = 0; i < n; ++i, offsets += nd, x += nd) {
    double point[nd];
    for (int j = 0; j < nd; ++j) point[j] = c[j] + offsets[j] * h[j];
    std::copy_n(point, nd, x);
  }
}
using point_placer = void (*)(int64 n, const double *offsets, const double *centre, const double *half, double *x);
constexpr point_placer placers[] = {
    nullptr,         place_points<1>, place_points<2>, place_points<3>, place_points<4>,
    place_points<5>, place_points<6>, place_points<7>, place_points<8>};

}  // namespace

// One point of a range that is mapped. The values of a failed call are not used.
int host_evaluator::call_mapped(const double *x, double *f, workspace &w) const {
  const host_integrand &integrand = problem_->integrand;
  double jacobian = 1.0;
  for (int j = 0; j < rule_.ndim; ++j) w.mapped[index(j)] = map_axis(problem_->axes[index(j)], x[j], jacobian);
  const int status = integrand.point(rule_.ndim, w.mapped.data(), problem_->settings.ncomp, f, integrand.userdata);
  for (int k = 0; status == 0 && k < problem_->settings.ncomp; ++k) f[k] = weighted(f[k], jacobian);
  return status;
}

// From one point to the next only the coordinates that change are written.
template <class Call>
int host_evaluator::call_sparse(const orbit &orb, const node_word *words, int64 n, const double *centre,
                                const double *half, double *f, workspace &w, const Call &call) const {
  switch (node_moved(words[0])) {  // the same for all points of an orbit
    case 0:
      return call(w.at.data(), f);
    case 1:
      return call_moved<1>(orb, words, n, centre, half, f, w, call);
    case 2:
      return call_moved<2>(orb, words, n, centre, half, f, w, call);
    default:
      return call_moved<3>(orb, words, n, centre, half, f, w, call);
  }
}

template <int moved, class Call>
int host_evaluator::call_moved(const orbit &orb, const node_word *words, int64 n, const double *centre,
                               const double *half, double *f, workspace &w, const Call &call) const {
  // Both places of coordinate j, plus and minus, are at 2*j; those of the second generator follow.
  const int nd = rule_.ndim;
  double *const first = w.ends.data(), *const last = node_uses_b(words[0]) ? first + 2 * nd : first;
  for (int j = 0; j < nd; ++j) {
    first[2 * j] = centre[j] + orb.a * half[j];
    first[2 * j + 1] = centre[j] - orb.a * half[j];
  }
  for (int j = 0; last != first && j < nd; ++j) {
    last[2 * j] = centre[j] + orb.b * half[j];
    last[2 * j + 1] = centre[j] - orb.b * half[j];
  }
  double *const x = w.at.data();
  const int64 step = problem_->settings.ncomp;
  for (const node_word *const end = words + n; words < end;) {
    int at[moved];
    const double *place[moved];
    for (int q = 0; q < moved; ++q) {
      at[q] = node_coordinate(*words, q);
      place[q] = (q + 1 < moved ? first : last) + 2 * at[q];
    }
    // The same coordinates with all signs, or as many as there are in this stretch, from `words` on.
    int signs = node_signs(*words);
    const int past = static_cast<int>(std::min<int64>(1 << moved, signs + (end - words)));
    words += past - signs;
    for (; signs < past; ++signs, f += step) {
      for (int q = 0; q < moved; ++q) x[at[q]] = place[q][signs >> q & 1];
      const int status = call(x, f);
      if (status != 0) return status;
    }
    for (int q = 0; q < moved; ++q) x[at[q]] = centre[at[q]];
  }
  return 0;
}

template <class Call>
int host_evaluator::call_vertices(const orbit &orb, int64 first, int64 n, const double *centre, const double *half,
                                  double *f, workspace &w, const Call &call) const {
  const int nd = rule_.ndim;
  double *const x = w.at.data(), *const opposite = w.opposite.data();
  const uint32 code = vertex_code(first);
  for (int j = 0; j < nd; ++j) {
    const double low = centre[j] - orb.a * half[j], high = centre[j] + orb.a * half[j];
    const bool minus = vertex_minus(rule_, code, j);
    x[j] = minus ? low : high;
    opposite[j] = minus ? high : low;
  }
  const int64 step = problem_->settings.ncomp;
  for (int64 i = 0;; f += step) {
    const int status = call(x, f);
    if (status != 0) return status;
    if (++i == n) break;
    for (const unsigned char j : flips_[index(lowest_bit(static_cast<uint64>(first + i)))])
      std::swap(x[j], opposite[j]);
  }
  std::copy(centre, centre + nd, x);
  return 0;
}

template <class Call>
int host_evaluator::call_probes(int64 first, int64 n, const double *centre, const double *half, double *f, workspace &w,
                                const Call &call) const {
  const int nd = rule_.ndim, nc = problem_->settings.ncomp;
  for (int64 i = first; i < first + n; ++i, f += nc) {
    for (int j = 0; j < nd; ++j) w.at[index(j)] = centre[j] + probe_offset(i, j) * half[j];
    const int status = call(w.at.data(), f);
    if (status != 0) return status;
  }
  return 0;
}

// The points of a small rule from the table of their offsets.
template <class Call>
int host_evaluator::call_table(const stretch &s, const double *centre, const double *half, double *f, workspace &w,
                               const Call &call) const {
  const int nd = rule_.ndim, nc = problem_->settings.ncomp;
  const point_placer place = placers[nd];
  for (int64 p = 0; p < s.n; p += table_block) {
    const int64 n = std::min(table_block, s.n - p);
    double *x = w.x.data();
    place(n, &offsets_[index((s.first + p) * nd)], centre, half, x);
    for (const double *const end = x + n * nd; x != end; x += nd, f += nc) {
      const int status = call(x, f);
      if (status != 0) return status;
    }
  }
  return 0;
}

template <class Call>
bool host_evaluator::call_all(const region_view &regions, const stretch &s, int64 item, workspace &w,
                              const Call &call) {
  const double *centre = &regions.centre(s.region, 0), *half = &regions.half(s.region, 0);
  int status = 0;
  if (!offsets_.empty()) {
    status = call_table(s, centre, half, &w.f[index(s.offset * problem_->settings.ncomp)], w, call);
  } else {
    std::copy(centre, centre + rule_.ndim, w.at.begin());
    each_orbit(s, [&](int o, int64 first, int64 n, int64 place) {
      const orbit &orb = rule_.orb[o];
      double *f = &w.f[index(place * problem_->settings.ncomp)];
      status = orb.kind == orbit_vertex  ? call_vertices(orb, first, n, centre, half, f, w, call)
               : orb.kind == orbit_probe ? call_probes(first, n, centre, half, f, w, call)
                                         : call_sparse(orb, &words_[index(orbit_start_[index(o)] + first)], n, centre, half, f, w, call);
      return status == 0;
    });
  }
  if (status != 0) report(item, outcome::callback, status, "the integrand returned " + std::to_string(status));
  return status == 0;
}

bool host_evaluator::call_points(const region_view &regions, const stretch &s, int64 item, workspace &w) {
  const int nd = rule_.ndim, nc = problem_->settings.ncomp;
  w.component_stride = 1;
  w.point_stride = nc;
  if (mapped_)
    return call_all(regions, s, item, w, [this, &w](const double *x, double *f) { return call_mapped(x, f, w); });
  return call_all(regions, s, item, w,
                  [nd, nc, point = problem_->integrand.point, userdata = problem_->integrand.userdata](
                      const double *x, double *f) { return point(nd, x, nc, f, userdata); });
}

}  // namespace tessera
