// The ends of a smooth interval that has no smooth neighbour there with whose extrapolation that of its values could be compared: the ends of a
// range, or of a piece between break points, where it meets an interval that does not look smooth, and the middle of one that did not before it was divided, while its halves do: a peak that a point
// there has met lies between those of the halves. There it is compared with a point close to the end. What changes between the outermost point of the rule and the end, a kink, a jump, a boundary layer, is then known of.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "extrapolating_run.hpp"

namespace tessera {

// Stands between a careful run and whoever evaluates: the estimates that the run is about to be told may have to wait for some points. A point
// that differs from the extrapolation by more than the tolerance allows has to do so three times: next to a removable singularity, (1 - cos x) / x^2
// for one, values are rounding and differ from point to point. Then points further inward say how far it reaches.
template <class Real, class Int>
class end_probes {
 public:
  TESSERA_HD bool is_active() const { return request_.count > 0; }
  TESSERA_HD void stop() { request_.count = 0; }
  TESSERA_HD const quadrature_request<Real, Int> &request() const { return request_; }
  TESSERA_HD const interval_estimate<Real> *estimates() const { return e_; }  // what the run is told in the end

  // True: points are wanted first. An end is looked at when the first interval there has been evaluated that looks smooth, or whose error the
  // tolerance allows.
  TESSERA_HD bool begin(const extrapolating_run<Real, Int> &run, const interval_estimate<Real> *e) {
    const quadrature_request<Real, Int> &q = run.request();
    const int last = q.count - 1;
    const bool outer = run.has_open_ends(), middle = last > 0 && e[0].rough != e[1].rough;
    if (!outer && !middle) return false;
    allowed_ = run.bound_with(e);
    count_ = 0;
    if (outer) {
      add(run, e[0], 0, q.part[0].lower, Real(1));
      add(run, e[last], last, q.part[last].upper, Real(-1));
    }
    const bool is_hidden = last > 0 && change_of_rough(run.list(), e) > matters * allowed_;
    if (is_hidden || (middle && e[1].rough)) add(run, e[0], 0, q.part[0].upper, Real(-1));
    if (is_hidden || (middle && e[0].rough)) add(run, e[1], 1, q.part[1].lower, Real(1));
    if (count_ == 0) return false;
    for (int i = 0; i < q.count; ++i) e_[i] = e[i];
    request_.points = true;
    ask();
    return true;
  }

  // The values of the points; rough where there is none. True: further points are wanted.
  TESSERA_HD bool tell(const interval_estimate<Real> *e) {
    int told = 0;
    for (int i = 0; i < count_; ++i)
      if (!ends_[i].done) ends_[i].done = !take(ends_[i], e[told++]);
    ask();
    return is_active();
  }

 private:
  // Of the width of the piece, where something may happen that is no longer seen farther in, and of the gap elsewhere. No powers of 2: rounding is
  // not to be the same everywhere.
  static constexpr Real nearest = Real(1.03e-6), nearest_in_gap = Real(1.03e-3);
  static constexpr Real matters = Real(0.05);  // of what is tolerated

  struct end {
    Real at, inward, value, slope, uncertain, gap;  // the place, +1 or -1, the extrapolation there
    Real nearest;                                   // of its points
    Real first, distance, doubt;                    // the deviation of the first point, the next point
    int part, told;
    bool inner, done;
  };

  TESSERA_HD void add(const extrapolating_run<Real, Int> &run, const interval_estimate<Real> &e, int part, Real at,
                      Real inward) {
    if ((e.rough && e.error > allowed_) || count_ == most) return;
    const bool is_end = run.is_end_of_piece(at);
    const Real least = is_end ? run.width_of_piece() * nearest : nearest_in_gap * e.gap;
    if (!(Real(4) * least < e.gap) || (!is_end && least <= Real(1000) * real_limits<Real>::spacing * fabs(at))) return;
    const bool lower = inward > Real(0);
    ends_[count_++] = {at,
                       inward,
                       lower ? e.lower_end : e.upper_end,
                       lower ? e.lower_slope : -e.upper_slope,
                       Real(10) * e.tail,
                       e.gap,
                       least,
                       Real(0),
                       least,
                       Real(0),
                       part,
                       0,
                       !is_end,
                       false};
  }

  TESSERA_HD void ask() {
    request_.count = 0;
    for (int i = 0; i < count_; ++i) {
      const end &p = ends_[i];
      if (p.done) continue;
      const Real x = p.at + p.inward * p.distance;
      request_.inner[request_.count] = p.inner;
      request_.part[request_.count++] = {x, x};
    }
  }

  // The end's next point, if there is one.
  TESSERA_HD bool take(end &p, const interval_estimate<Real> &e) {
    if (e.rough) return false;
    const Real deviation = e.value - (p.value + p.slope * p.distance);
    const Real excess = larger_of(Real(0), fabs(deviation) - p.uncertain);
    if (p.told++ == 0) {
      p.first = deviation;
      p.distance = p.nearest * Real(0.9371);
      return excess * p.gap > matters * allowed_;
    }
    if (p.told <= 3) {
      const Real ratio = deviation / p.first;
      if (!(ratio > Real(0.75) && ratio < Real(1.33))) return false;
      p.distance = p.told == 2 ? p.nearest * Real(0.8713) : p.nearest;
      if (p.told == 2) return true;
    }
    // It reaches to the next point at most, or the gap ends before. Where that is too much it stays until the gap is as short.
    const Real next = Real(8) * p.distance;
    const bool more = Real(2) * next < p.gap;
    p.doubt += smaller_of(excess, fabs(p.first)) * (more ? next : p.gap);
    p.distance = next;
    Real &doubt = p.inward > Real(0) ? e_[p.part].lower_doubt : e_[p.part].upper_doubt;
    doubt = p.doubt <= Real(0.25) * allowed_ ? p.doubt : fabs(p.first) * p.gap;
    return more;
  }

  quadrature_request<Real, Int> request_;
  interval_estimate<Real> e_[2];
  static constexpr int most = most_asked_of_run;
  end ends_[most];
  int count_ = 0;
  Real allowed_ = 0;
};

}  // namespace tessera
