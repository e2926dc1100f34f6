// The ends of a range, or of a piece between break points, where a smooth interval has no neighbour that the extrapolation of its values could be
// compared with: it is compared with a point close to the end. What changes between the outermost point of the rule and the end, a kink, a jump, a
// boundary layer, is then known of.
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
    const int open = run.open_ends();
    if (open == 0) return false;
    const quadrature_request<Real, Int> &q = run.request();
    nearest_ = run.width_of_piece() * nearest;
    allowed_ = run.bound_with(e);
    count_ = 0;
    if ((open & 1) != 0) add(e[0], 0, q.part[0].lower, Real(1));
    if ((open & 2) != 0) add(e[q.count - 1], q.count - 1, q.part[q.count - 1].upper, Real(-1));
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
  static constexpr Real nearest = Real(1.03e-6);  // no power of 2: rounding is not to be the same everywhere

  struct end {
    Real at, inward, value, slope, uncertain, gap;  // the place, +1 or -1, the extrapolation there
    Real first, distance, doubt;                    // the deviation of the first point, the next point
    int part, told;
    bool done;
  };

  TESSERA_HD void add(const interval_estimate<Real> &e, int part, Real at, Real inward) {
    if ((e.rough && e.error > allowed_) || !(Real(4) * nearest_ < e.gap)) return;
    const bool lower = inward > Real(0);
    ends_[count_++] = {at,
                       inward,
                       lower ? e.lower_end : e.upper_end,
                       lower ? e.lower_slope : -e.upper_slope,
                       Real(10) * e.tail,
                       e.gap,
                       Real(0),
                       nearest_,
                       Real(0),
                       part,
                       0,
                       false};
  }

  TESSERA_HD void ask() {
    request_.count = 0;
    for (int i = 0; i < count_; ++i) {
      const end &p = ends_[i];
      if (p.done) continue;
      const Real x = p.at + p.inward * p.distance;
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
      p.distance = nearest_ * Real(0.9371);
      return excess * p.gap > Real(0.05) * allowed_;
    }
    if (p.told <= 3) {
      const Real ratio = deviation / p.first;
      if (!(ratio > Real(0.75) && ratio < Real(1.33))) return false;
      p.distance = p.told == 2 ? nearest_ * Real(0.8713) : nearest_;
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
  end ends_[2];
  int count_ = 0;
  Real nearest_ = 0, allowed_ = 0;
};

}  // namespace tessera
