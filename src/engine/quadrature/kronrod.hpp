// A Gauss-Kronrod pair on one interval, with the error estimate of QUADPACK (Piessens, de Doncker-Kapenga, Ueberhuber and Kahaner, 1983,
// section 2.2). Points, sums and the estimate are apart: whoever evaluates gives the values of the points back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/rule_tables.hpp"
#include "kronrod_pair.hpp"

namespace tessera {

// Of the table of all pairs, which goes from the centre outward.
template <class Real, int Pairs>
constexpr kronrod_pair<Real, Pairs> make_kronrod_pair() {
  static_assert(Pairs == 7 || (Pairs % 5 == 0 && Pairs >= 10 && Pairs <= 30),
                "7, 10, 15, 20, 25 or 30 pairs of points");
  int first = 0;
  if (Pairs >= 10) first = 8;
  for (int smaller = 10; smaller < Pairs; smaller += 5) first += smaller + 1;
  kronrod_pair<Real, Pairs> pair = {};
  for (int place = 0; place < Pairs; ++place) {
    const rule_making::kronrod_point &p = rule_making::kronrod_points[first + Pairs - place];
    const int at = kronrod_pair<Real, Pairs>::inward(place);
    pair.node[at] = static_cast<Real>(p.node);
    pair.weight[at] = static_cast<Real>(2 * p.weight);
    if (place % 2 == 1) pair.gauss[at] = static_cast<Real>(2 * p.gauss);
  }
  pair.weight[Pairs] = static_cast<Real>(2 * rule_making::kronrod_points[first].weight);
  pair.gauss[Pairs / 2] = static_cast<Real>(2 * rule_making::kronrod_points[first].gauss);
  return pair;
}

template <class Real, int Pairs>
inline constexpr kronrod_pair<Real, Pairs> kronrod_of = make_kronrod_pair<Real, Pairs>();

// The sums of one interval, in the order in which the values are given.
template <class Real, int Pairs>
class kronrod_sums {
 public:
  using pair = kronrod_pair<Real, Pairs>;

  TESSERA_HD kronrod_sums(const pair &rule, interval<Real> on)
      : rule_(rule), centre_(Real(0.5) * (on.lower + on.upper)), half_(Real(0.5) * (on.upper - on.lower)) {}

  TESSERA_HD Real centre() const { return centre_; }
  TESSERA_HD Real distance(int p) const { return half_ * rule_.node[p]; }

  TESSERA_HD void add_centre(Real value) {
    middle_ = value;
    fine_ = rule_.weight[Pairs] * value;
    coarse_ = pair::centre_shared ? rule_.gauss[pair::shared] * value : Real(0);
    size_ = fabs(fine_);
  }
  TESSERA_HD void add_pair(int p, Real left, Real right) {
    left_[p] = left;
    right_[p] = right;
    const Real both = left + right;
    if (p < pair::shared) coarse_ += rule_.gauss[p] * both;
    fine_ += rule_.weight[p] * both;
    size_ += rule_.weight[p] * (fabs(left) + fabs(right));
  }
  TESSERA_HD interval_estimate<Real> finish() const {
    const Real mean = fine_ * Real(0.5), width = fabs(half_);
    Real spread = rule_.weight[Pairs] * fabs(middle_ - mean);
    for (int place = 0; place < Pairs; ++place) {
      const int p = pair::inward(place);
      spread += rule_.weight[p] * (fabs(left_[p] - mean) + fabs(right_[p] - mean));
    }
    interval_estimate<Real> e = {fine_ * half_, Real(0), size_ * width, spread * width};
    e.error = error_of_difference((fine_ - coarse_) * half_, e.size, e.spread);
    return e;
  }

 private:
  const pair &rule_;
  const Real centre_, half_;
  Real fine_ = 0, coarse_ = 0, size_ = 0, middle_ = 0;
  Real left_[Pairs], right_[Pairs];
};

// ---- Evaluated by one caller, f(x) a call ----------------------------------------------------------------------------------

template <class Real, int Pairs, class Function>
TESSERA_HD interval_estimate<Real> apply_kronrod(const kronrod_pair<Real, Pairs> &rule, interval<Real> on,
                                                 Function &&f) {
  kronrod_sums<Real, Pairs> sums(rule, on);
  sums.add_centre(f(sums.centre()));
  for (int p = 0; p < Pairs; ++p) {
    const Real distance = sums.distance(p), left = f(sums.centre() - distance);
    sums.add_pair(p, left, f(sums.centre() + distance));
  }
  return sums.finish();
}

// A half-infinite or infinite range as (0, 1]: x = bound + direction (1 - t) / t. With `both`, the function and its mirror image.
template <class Real>
struct infinite_range {
  Real bound, direction;
  bool both;

  TESSERA_HD Real at(Real t) const { return bound + direction * (Real(1) - t) / t; }
};

template <class Real, int Pairs, class Function>
TESSERA_HD interval_estimate<Real> apply_kronrod(const kronrod_pair<Real, Pairs> &rule, interval<Real> on,
                                                 const infinite_range<Real> &range, Function &&f) {
  kronrod_sums<Real, Pairs> sums(rule, on);
  const Real middle = sums.centre(), x = range.at(middle);
  Real value = f(x);
  if (range.both) value += f(-x);
  sums.add_centre(value / middle / middle);
  for (int place = 0; place < Pairs; ++place) {
    const int p = rule.inward(place);
    const Real s = middle - sums.distance(p), t = middle + sums.distance(p), xs = range.at(s), xt = range.at(t);
    Real left = f(xs), right = f(xt);
    if (range.both) {
      left += f(-xs);
      right += f(-xt);
    }
    sums.add_pair(p, left / s / s, right / t / t);
  }
  return sums.finish();
}

// The product with a weight function, which is evaluated at the points as well.
template <class Real, int Pairs, class Weight, class Function>
TESSERA_HD interval_estimate<Real> apply_weighted_kronrod(const kronrod_pair<Real, Pairs> &rule, interval<Real> on,
                                                          const Weight &weight, Function &&f) {
  return apply_kronrod(rule, on, [&](Real x) {
    const Real value = f(x);
    return value * weight(x);
  });
}

}  // namespace tessera
