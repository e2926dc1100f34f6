// QAG, QNG, and those that extrapolate: QAGS, QAGI, QAGP.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "../../src/engine/quadrature/extrapolating_run.hpp"
#include "../../src/engine/quadrature/nested_rule.hpp"
#include "../../src/engine/quadrature/plain_run.hpp"
#include "call.hpp"

namespace quadpack {

constexpr char no_tolerance[] = "EPSABS <= 0 and EPSREL < 50 rounding errors, or NaN";
constexpr char no_limit[] = "LIMIT < 1";

// The run on Gauss-Kronrod rules of one kind.
template <int Pairs, class Real, class Run>
void drive_kronrod(Run &run, integrand<Real> &f) {
  drive(run, f, [](interval<Real> on, integer, auto &&g) {
    return tessera::apply_kronrod(tessera::kronrod_of<Real, Pairs>, on, g);
  });
}

template <class Real>
void qage(call<Real> &&c, function<Real> f, Real a, Real b, tolerances<Real> wanted, integer key, integer limit,
          const lists<Real> &list, integer *last) {
  *last = 0;
  if (limit < 1) return c.refuse(no_limit);
  list.clear(a, b);
  if (!wanted.possible()) return c.refuse(no_tolerance);
  tessera::plain_run<Real, integer> run(tessera::plain_kind::smooth, {a, b}, Real(0), wanted, list.arrays(), limit);
  integrand<Real> counted = c.count(f);
  key <= 1   ? drive_kronrod<7>(run, counted)
  : key == 2 ? drive_kronrod<10>(run, counted)
  : key == 3 ? drive_kronrod<15>(run, counted)
  : key == 4 ? drive_kronrod<20>(run, counted)
  : key == 5 ? drive_kronrod<25>(run, counted)
             : drive_kronrod<30>(run, counted);
  *last = run.size();
  c.conclude(run.end(), counted, run.value(), run.error());
}

template <class Real>
void qagse(call<Real> &&c, function<Real> f, Real a, Real b, tolerances<Real> wanted, integer limit,
           const lists<Real> &list, integer *last) {
  *last = 0;
  if (limit < 1) return c.refuse(no_limit);
  list.clear(a, b);
  if (!wanted.possible()) return c.refuse(no_tolerance);
  tessera::extrapolating_run<Real, integer> run({a, b}, Real(0), nullptr, wanted, list.arrays(), limit);
  integrand<Real> counted = c.count(f);
  drive_kronrod<10>(run, counted);
  *last = run.size();
  c.conclude(run.end(), counted, run.value(), run.error());
}

// Half-infinite and infinite ranges. What drives the run is apart because QAWF has use of it.
template <class Real>
void drive_infinite(tessera::extrapolating_run<Real, integer> &run, integrand<Real> &f, Real bound, integer inf) {
  const bool both = inf == 2;
  const tessera::infinite_range<Real> range = {both ? Real(0) : bound, Real(std::min<integer>(1, inf)), both};
  drive(run, f, [&](interval<Real> on, integer, auto &&g) {
    return tessera::apply_kronrod(tessera::kronrod_of<Real, 7>, on, range, g);
  });
}

template <class Real>
void qagie(call<Real> &&c, function<Real> f, Real bound, integer inf, tolerances<Real> wanted, integer limit,
           const lists<Real> &list, integer *last) {
  *last = 0;
  if (limit < 1) return c.refuse(no_limit);
  list.clear(Real(0), Real(1));
  if (!wanted.possible()) return c.refuse(no_tolerance);
  tessera::extrapolating_run<Real, integer> run({Real(0), Real(1)}, Real(0), nullptr, wanted, list.arrays(), limit);
  integrand<Real> counted = c.count(f);
  drive_infinite(run, counted, bound, inf);
  *last = run.size();
  c.conclude(run.end(), counted, run.value(), run.error());
}

struct piece_arrays {
  integer *level, *ndin;
};

template <class Real>
void qagpe(call<Real> &&c, function<Real> f, Real a, Real b, integer npts2, const Real *points, tolerances<Real> wanted,
           integer limit, const lists<Real> &list, Real *pts, piece_arrays of_pieces, integer *last) {
  *last = 0;
  if (npts2 < 2) return c.refuse("NPTS2 < 2");
  const integer npts = npts2 - 2;
  if (limit < 1) return c.refuse(no_limit);
  list.clear(a, b);
  *of_pieces.level = 0;
  if (limit <= npts) return c.refuse("LIMIT <= NPTS2 - 2");
  if (!wanted.possible()) return c.refuse(no_tolerance);
  const Real lower = std::min(a, b), upper = std::max(a, b);
  pts[0] = lower;
  for (integer i = 0; i < npts; ++i) {
    if (!(points[i] >= lower && points[i] <= upper)) return c.refuse("a break point is outside the range");
    pts[i + 1] = points[i];
  }
  pts[npts + 1] = upper;
  std::sort(pts + 1, pts + 1 + npts);
  tessera::extrapolating_run<Real, integer> run(pts, npts + 1, of_pieces.level, of_pieces.ndin, wanted, list.arrays(),
                                                limit);
  integrand<Real> counted = c.count(f);
  drive_kronrod<10>(run, counted);
  *last = run.size();
  c.conclude(run.end(), counted, a > b ? -run.value() : run.value(), run.error());
}

template <class Real>
void qng(call<Real> &&c, function<Real> f, Real a, Real b, tolerances<Real> wanted) {
  if (!wanted.possible()) return c.refuse(no_tolerance);
  tessera::nested_run<Real> run(tessera::kronrod_of<Real, 10>, tessera::nested_of<Real>, {a, b}, wanted);
  integrand<Real> counted = c.count(f);
  const dropin::cancel_watch watch;
  while (const int pairs = run.next()) {
    const bool first = run.evaluations() == 0;
    if (!first && watch.cancelled()) break;
    Real x[dropin::twin_points::most], value[dropin::twin_points::most];
    int n = 0;
    if (first) x[n++] = run.centre();
    const int centres = n;
    for (int p = 0; p < pairs; ++p) {
      x[n++] = run.centre() + run.distance(p);
      x[n++] = run.centre() - run.distance(p);
    }
    counted.evaluate(n, x, value);
    if (first) run.add_centre(value[0]);
    for (int p = 0; p < pairs; ++p) run.add_pair(p, value[centres + 2 * p + 1], value[centres + 2 * p]);
    run.finish_rule();
    if (!tessera::is_finite(run.value()) || !tessera::is_finite(run.error()))
      return c.conclude_not_finite(intervals_ran_out, counted);
  }
  c.conclude(run.met() ? integer{good} : integer{intervals_ran_out}, counted, run.value(), run.error());
}

}  // namespace quadpack
