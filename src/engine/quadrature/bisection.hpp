// What the runs of QUADPACK have in common: what they ask for, what they are told, how they end. A run says which intervals it wants to
// be evaluated, one or two, and is then told their estimates; who evaluates them, and how, is not its business.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interval_list.hpp"

namespace tessera {

enum class quadrature_end {
  converged,
  limit,           // of intervals
  roundoff,        // keeps the error from falling to the tolerance
  bad_point,       // the intervals at some point cannot be divided any further
  no_convergence,  // of the extrapolation
  divergent,       // probably, or slowly convergent
  not_finite,      // a value was infinite or NaN
  stopped          // by the caller
};

constexpr int most_asked_of_run = 4;  // both halves, or a point beside each of their ends

// Intervals that are to be evaluated. `level`: how often the range has been halved on the way to them. inner, of points: not beside an end of the range or of a piece, where there may be no
// finite value.
template <class Real, class Int>
struct quadrature_request {
  int count = 0;  // 0: the run has ended
  interval<Real> part[most_asked_of_run];
  Int level = 0;
  bool points = false;  // the integrand itself at the lower ends is wanted, as the values of the estimates
  bool inner[most_asked_of_run] = {};
};

template <class Real>
TESSERA_HD bool is_finite(const interval_estimate<Real> &e) {
  return is_finite(e.value) && is_finite(e.error);
}

// Sums of finite numbers may overflow.
template <class Real>
TESSERA_HD quadrature_end or_not_finite(quadrature_end end, Real value, Real error) {
  return end == quadrature_end::converged && !(is_finite(value) && is_finite(error)) ? quadrature_end::not_finite : end;
}

// The halves have no middle that differs from both ends by more than rounding.
template <class Real>
TESSERA_HD bool too_narrow(interval<Real> first, interval<Real> second) {
  constexpr Real spacing = real_limits<Real>::spacing, least = real_limits<Real>::least;
  return larger_of(fabs(first.lower), fabs(second.upper)) <=
         (Real(1) + Real(100) * spacing) * (fabs(second.lower) + Real(1000) * least);
}

// A division that has changed the value little and the error less: a sign of rounding.
template <class Real>
TESSERA_HD bool stalled(const division<Real> &d) {
  return fabs(d.parent_value - d.value) <= Real(1e-5) * fabs(d.value) && d.error >= Real(0.99) * d.parent_error;
}

// What QUADPACK believes and should not, where there are arrays of doubts. Halves of an interval whose error was larger than its estimate have
// some of that as their error, and so have halves that look smooth while the interval did not: one of them may by accident. Where both halves look
// smooth but do not meet at the middle, a jump or a kink may lie between the middle and the points next to it; the doubt stays with the parts at
// that place, and is halved with them, until a point sees as much or it is small enough. A doubt is of the upper end of an interval when it is
// positive, of the lower when it is negative; `is_rough` stands for an interval that did not look smooth, or both of whose ends are doubtful. Before the division; `e` is changed.
template <class Real>
constexpr Real is_rough = real_limits<Real>::greatest;

// Of an interval that did not look smooth, while its halves do, but for rounding: by how much its value changes. Else 0.
template <class Real, class Int>
TESSERA_HD Real change_of_rough(const interval_list<Real, Int> &list, const interval_estimate<Real> *halves) {
  constexpr Real little = Real(1e-3);
  const Int parent = list.selected();
  const Real change = fabs(list.value_of(parent) - (halves[0].value + halves[1].value));
  const auto is_smooth = [change](const interval_estimate<Real> &e) { return !e.rough || e.error <= little * change; };
  return list.doubt(parent) == is_rough<Real> && is_smooth(halves[0]) && is_smooth(halves[1]) ? change : Real(0);
}

template <class Real, class Int>
TESSERA_HD TESSERA_APART void careful_halves(const interval_list<Real, Int> &list, interval_estimate<Real> *e,
                                             Real *doubts) {
  const Int parent = list.selected();
  const bool was_rough = list.doubt(parent) == is_rough<Real>;
  const Real change = fabs(list.value_of(parent) - (e[0].value + e[1].value));
  const Real before = was_rough ? Real(0) : list.doubt(parent), width = list.width(parent) / Real(2);
  doubts[0] = before < Real(0) ? before / Real(2) : Real(0);
  doubts[1] = before > Real(0) ? before / Real(2) : Real(0);
  Real mismatch = 0;  // one of them looks smooth by accident
  if (!e[0].rough && !e[1].rough) {
    // By more than such an extrapolation is wrong where coefficients fall as they seem to.
    const Real tail = e[0].tail + e[1].tail, half = width / Real(2);
    const Real jump = larger_of(Real(0), fabs(e[0].upper_end - e[1].lower_end) - Real(10) * tail);
    const Real kink = larger_of(Real(0), fabs(e[0].upper_slope - e[1].lower_slope) - Real(1000) * tail / half);
    const Real below = e[0].gap * larger_of(jump, kink * e[0].gap), above = e[1].gap * larger_of(jump, kink * e[1].gap);
    if (below > -doubts[0]) doubts[0] = below;
    if (above > doubts[1]) doubts[1] = -above;
    mismatch = jump * width / Real(40);
  }
  bool both[2];  // ends are doubtful
  for (int i = 0; i < 2; ++i) {
    both[i] = e[i].lower_doubt > Real(0) && e[i].upper_doubt > Real(0);
    if (e[i].lower_doubt > fabs(doubts[i])) doubts[i] = -e[i].lower_doubt;
    if (e[i].upper_doubt > fabs(doubts[i])) doubts[i] = e[i].upper_doubt;
  }
  const bool vanished = change_of_rough(list, e) > Real(0);
  for (int i = 0; i < 2; ++i) {
    const bool sees_it = e[i].rough && e[i].error >= fabs(doubts[i]);  // what was doubted
    if (change > list.error_of(parent) || vanished) e[i].error = larger_of(e[i].error, change / Real(2));
    e[i].error = larger_of(e[i].error, larger_of(mismatch, fabs(doubts[i])));
    if (sees_it || both[i]) doubts[i] = is_rough<Real>;
  }
}

template <class Real>
TESSERA_HD void halve(interval<Real> whole, interval<Real> *halves) {
  const Real middle = Real(0.5) * (whole.lower + whole.upper);
  halves[0] = {whole.lower, middle};
  halves[1] = {middle, whole.upper};
}

}  // namespace tessera
