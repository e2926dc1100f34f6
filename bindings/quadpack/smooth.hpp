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

// The run on Gauss-Kronrod rules of one kind; the number of calls.
template <int Pairs, class Real, class Run>
int64 drive_kronrod(Run &run, function<Real> f) {
  int64 calls = 0;
  drive<Real>(run, [&calls, f](interval<Real> on, integer) {
    calls += 2 * Pairs + 1;
    return tessera::apply_kronrod(tessera::kronrod_of<Real, Pairs>, on, [f](Real x) { return f(&x); });
  });
  return calls;
}

template <class Real>
void qage(call<Real> &&c, function<Real> f, Real a, Real b, tolerances<Real> wanted, integer key, integer limit,
          const lists<Real> &list, integer *last) {
  *last = 0;
  if (limit < 1) return c.refuse(no_limit);
  list.clear(a, b);
  if (!wanted.possible()) return c.refuse(no_tolerance);
  tessera::plain_run<Real, integer> run(tessera::plain_kind::smooth, {a, b}, Real(0), wanted, list.arrays(), limit);
  const int64 calls = key <= 1   ? drive_kronrod<7>(run, f)
                      : key == 2 ? drive_kronrod<10>(run, f)
                      : key == 3 ? drive_kronrod<15>(run, f)
                      : key == 4 ? drive_kronrod<20>(run, f)
                      : key == 5 ? drive_kronrod<25>(run, f)
                                 : drive_kronrod<30>(run, f);
  *last = run.size();
  c.conclude(run.end(), calls, run.value(), run.error());
}

template <class Real>
void qagse(call<Real> &&c, function<Real> f, Real a, Real b, tolerances<Real> wanted, integer limit,
           const lists<Real> &list, integer *last) {
  *last = 0;
  if (limit < 1) return c.refuse(no_limit);
  list.clear(a, b);
  if (!wanted.possible()) return c.refuse(no_tolerance);
  tessera::extrapolating_run<Real, integer> run({a, b}, Real(0), nullptr, wanted, list.arrays(), limit);
  const int64 calls = drive_kronrod<10>(run, f);
  *last = run.size();
  c.conclude(run.end(), calls, run.value(), run.error());
}

// Half-infinite and infinite ranges. What drives the run is apart because QAWF has use of it.
template <class Real>
int64 drive_infinite(tessera::extrapolating_run<Real, integer> &run, function<Real> f, Real bound, integer inf) {
  const bool both = inf == 2;
  const tessera::infinite_range<Real> range = {both ? Real(0) : bound, Real(std::min<integer>(1, inf)), both};
  int64 calls = 0;
  drive<Real>(run, [&](interval<Real> on, integer) {
    calls += both ? 30 : 15;
    return tessera::apply_kronrod(tessera::kronrod_of<Real, 7>, on, range, [f](Real x) { return f(&x); });
  });
  return calls;
}

template <class Real>
void qagie(call<Real> &&c, function<Real> f, Real bound, integer inf, tolerances<Real> wanted, integer limit,
           const lists<Real> &list, integer *last) {
  *last = 0;
  if (limit < 1) return c.refuse(no_limit);
  list.clear(Real(0), Real(1));
  if (!wanted.possible()) return c.refuse(no_tolerance);
  tessera::extrapolating_run<Real, integer> run({Real(0), Real(1)}, Real(0), nullptr, wanted, list.arrays(), limit);
  const int64 calls = drive_infinite(run, f, bound, inf);
  *last = run.size();
  c.conclude(run.end(), calls, run.value(), run.error());
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
  const int64 calls = drive_kronrod<10>(run, f);
  *last = run.size();
  c.conclude(run.end(), calls, a > b ? -run.value() : run.value(), run.error());
}

template <class Real>
void qng(call<Real> &&c, function<Real> f, Real a, Real b, tolerances<Real> wanted) {
  if (!wanted.possible()) return c.refuse(no_tolerance);
  tessera::nested_run<Real> run(tessera::kronrod_of<Real, 10>, tessera::nested_of<Real>, {a, b}, wanted);
  const auto value_at = [f](Real x) { return f(&x); };
  const dropin::cancel_watch watch;
  run.add_centre(value_at(run.centre()));
  while (const int pairs = run.next()) {
    if (run.evaluations() > 0 && watch.cancelled()) break;
    for (int p = 0; p < pairs; ++p) {
      const Real distance = run.distance(p), right = value_at(run.centre() + distance);
      run.add_pair(p, value_at(run.centre() - distance), right);
    }
    run.finish_rule();
    if (!tessera::is_finite(run.value()) || !tessera::is_finite(run.error()))
      return c.conclude_not_finite(intervals_ran_out, run.evaluations());
  }
  c.conclude(run.met() ? integer{good} : integer{intervals_ran_out}, run.evaluations(), run.value(), run.error());
}

}  // namespace quadpack
