// The calls of an integrand that takes one point: from one to the next only the coordinates that change are written.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <type_traits>
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
constexpr point_placer placers[] = {nullptr,         place_points<1>, place_points<2>, place_points<3>, place_points<4>,
                                    place_points<5>, place_points<6>, place_points<7>, place_points<8>};

}  // namespace

// The calls for one region. Functions return the integrand's status: 0 to go on.
template <class Call>
struct host_evaluator::region_calls {
  const host_evaluator &e;
  workspace &w;
  const double *const centre, *const half;
  const Call &call;  // call(x, f)
  const int nd = e.rule_.ndim, nc = e.problem_->settings.ncomp;

  int all(const stretch &s) const {
    double *const f = &w.f[index(s.offset * nc)];
    if (!e.offsets_.empty()) return table(s, f);
    int status = 0;
    std::copy(centre, centre + nd, w.at.begin());
    e.each_orbit(s, [&](int o, int64 first, int64 n, int64 place) {
      const orbit &orb = e.rule_.orb[o];
      double *to = &w.f[index(place * nc)];
      status = orb.kind == orbit_vertex  ? vertices(orb, first, n, to)
               : orb.kind == orbit_probe ? probe_points(first, n, to)
                                         : sparse(orb, &e.words_[index(e.orbit_start_[index(o)] + first)], n, to);
      return status == 0;
    });
    return status;
  }

  // The points of a small rule from the table of their offsets.
  int table(const stretch &s, double *f) const {
    const point_placer place = placers[nd];
    for (int64 p = 0, n; p < s.n; p += n) {
      n = std::min({table_block, s.n - p, w.watch.until_look()});
      double *x = w.x.data();
      place(n, &e.offsets_[index((s.first + p) * nd)], centre, half, x);
      for (const double *const end = x + n * nd; x != end; x += nd, f += nc) {
        const int status = call(x, f);
        if (status != 0) return status;
      }
      if (w.watch.is_wanted() && !w.watch.goes_on(n)) return step_watch::ended;
    }
    return 0;
  }

  int sparse(const orbit &orb, const node_word *words, int64 n, double *f) const {
    switch (node_moved(words[0])) {  // the same for all points of an orbit
      case 0:
        return call(w.at.data(), f);
      case 1:
        return moved_points<1>(orb, words, n, f);
      case 2:
        return moved_points<2>(orb, words, n, f);
      default:
        return moved_points<3>(orb, words, n, f);
    }
  }

  template <int moved>
  int moved_points(const orbit &orb, const node_word *words, int64 n, double *f) const {
    // Both places of coordinate j, plus and minus, are at 2*j; those of the second generator follow.
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
    const int64 step = nc;
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

  int vertices(const orbit &orb, int64 first, int64 n, double *f) const {
    double *const x = w.at.data(), *const opposite = w.opposite.data();
    const uint32 code = vertex_code(first);
    for (int j = 0; j < nd; ++j) {
      const double low = centre[j] - orb.a * half[j], high = centre[j] + orb.a * half[j];
      const bool minus = vertex_minus(e.rule_, code, j);
      x[j] = minus ? low : high;
      opposite[j] = minus ? high : low;
    }
    for (int64 i = 0;; f += nc) {
      const int status = call(x, f);
      if (status != 0) return status;
      if (++i == n) break;
      for (const unsigned char j : e.flips_[index(lowest_bit(static_cast<uint64>(first + i)))])
        std::swap(x[j], opposite[j]);
    }
    std::copy(centre, centre + nd, x);
    return 0;
  }

  int probe_points(int64 first, int64 n, double *f) const {
    for (int64 i = first; i < first + n; ++i, f += nc) {
      for (int j = 0; j < nd; ++j) w.at[index(j)] = centre[j] + probe_offset(i, j) * half[j];
      const int status = call(w.at.data(), f);
      if (status != 0) return status;
    }
    return 0;
  }
};

bool host_evaluator::call_points(const region_view &regions, const stretch &s, int64 item, workspace &w) {
  const int nd = rule_.ndim, nc = problem_->settings.ncomp;
  const host_integrand &integrand = problem_->integrand;
  w.component_stride = 1;
  w.point_stride = nc;
  if (!clear_values(s.offset * nc, s.n * nc, item, w)) return false;
  const auto call_all = [&](const auto &call) {
    using calls = region_calls<std::decay_t<decltype(call)>>;
    return succeeded(calls{*this, w, &regions.centre(s.region, 0), &regions.half(s.region, 0), call}.all(s), item, w);
  };
  const auto watched = [&](const auto &call) {
    if (!w.watch.is_wanted() || !offsets_.empty()) return call_all(call);  // a table is watched block by block
    return call_all([&call, &watch = w.watch](const double *x, double *f) {
      const int status = call(x, f);
      return status != 0 || watch.goes_on(1) ? status : step_watch::ended;
    });
  };
  if (!mapped_)
    return watched([nd, nc, point = integrand.point, userdata = integrand.userdata](const double *x, double *f) {
      return point(nd, x, nc, f, userdata);
    });
  return watched([&](const double *x, double *f) {  // the values of a failed call are not used
    double jacobian = 1.0;
    for (int j = 0; j < nd; ++j) w.mapped[index(j)] = map_axis(problem_->axes[index(j)], x[j], jacobian);
    const int status = integrand.point(nd, w.mapped.data(), nc, f, integrand.userdata);
    for (int k = 0; status == 0 && k < nc; ++k) f[k] = weighted(f[k], jacobian);
    return status;
  });
}

}  // namespace tessera
