// The routines with weight functions: QAWO, QAWF, QAWS, QAWC.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../src/engine/quadrature/end_rule.hpp"
#include "../../src/engine/quadrature/fourier_run.hpp"
#include "../../src/engine/quadrature/oscillating_rule.hpp"
#include "../../src/engine/quadrature/pole_rule.hpp"
#include "smooth.hpp"

namespace quadpack {

// The 15-point rule as QUADPACK has it where there is a weight: its constants have 16 digits there, and what they have lost decides how often
// intervals are divided as soon as rounding does.
constexpr long double sixteen_digits(long double v) {
  long double scale = 1e16L;
  while (v != 0 && v * scale < 1e15L) scale *= 10;
  return static_cast<long double>(static_cast<int64>(v * scale + 0.5L)) / scale;
}
template <class Real>
constexpr tessera::kronrod_pair<Real, 7> make_published_pair() {
  const auto exact = tessera::make_kronrod_pair<long double, 7>();
  tessera::kronrod_pair<Real, 7> pair = {};
  for (int i = 0; i < 7; ++i) pair.node[i] = static_cast<Real>(sixteen_digits(exact.node[i]));
  for (int i = 0; i < 8; ++i) pair.weight[i] = static_cast<Real>(sixteen_digits(exact.weight[i]));
  for (int i = 0; i < 4; ++i) pair.gauss[i] = static_cast<Real>(sixteen_digits(exact.gauss[i]));
  return pair;
}
template <class Real>
inline constexpr tessera::kronrod_pair<Real, 7> published_pair = make_published_pair<Real>();

enum { weight_cosine = 1, weight_sine = 2 };
constexpr char wrong_integr[] = "INTEGR is not one of the weights";

template <class Real>
using oscillating_rule = tessera::oscillating_rule<Real, integer>;

template <class Real>
oscillating_rule<Real> make_oscillating_rule(Real omega, integer integr, Real *chebmo, integer maxp1, integer momcom) {
  const integer computed = momcom < 0 || momcom >= maxp1 ? 0 : momcom;
  return {published_pair<Real>, tessera::cosines<Real>, std::fabs(omega), integr == weight_sine,
          tessera::moment_table<Real, integer>{chebmo, maxp1, computed}};
}

template <class Real>
struct oscillating_result {
  quadrature_end end;
  integer size;
  Real value, error;
};

// One run of QAWO.
template <class Real>
oscillating_result<Real> integrate_oscillating(oscillating_rule<Real> &rule, integrand<Real> &f, interval<Real> range,
                                               Real omega, integer integr, tolerances<Real> wanted,
                                               const lists<Real> &list, integer *nnlog, integer limit) {
  tessera::extrapolating_run<Real, integer> run(range, std::fabs(omega), nnlog, wanted, list.arrays(), limit);
  drive(run, f, [&](interval<Real> on, integer level, auto &&g) { return rule.apply(on, level, g); });
  return {run.end(), run.size(), integr == weight_sine && omega < Real(0) ? -run.value() : run.value(), run.error()};
}

// What the moments of QAWO take and leave.
template <class Real>
struct kept_moments {
  integer icall, maxp1, *momcom;
  Real *chebmo;
};

template <class Real>
void qawoe(call<Real> &&c, function<Real> f, Real a, Real b, Real omega, integer integr, tolerances<Real> wanted,
           integer limit, integer *last, const lists<Real> &list, integer *nnlog, const kept_moments<Real> &moments) {
  *last = 0;
  if (limit < 1) return c.refuse(no_limit);
  list.clear(a, b);
  *nnlog = 0;
  if (integr != weight_cosine && integr != weight_sine) return c.refuse(wrong_integr);
  if (!wanted.possible()) return c.refuse(no_tolerance);
  if (moments.icall < 1) return c.refuse("ICALL < 1");
  if (moments.maxp1 < 1) return c.refuse("MAXP1 < 1");
  integrand<Real> counted = c.count(f);
  auto rule =
      make_oscillating_rule(omega, integr, moments.chebmo, moments.maxp1, moments.icall == 1 ? 0 : *moments.momcom);
  const auto r = integrate_oscillating(rule, counted, {a, b}, omega, integr, wanted, list, nnlog, limit);
  *moments.momcom = rule.computed();
  *last = r.size == 1 ? 0 : r.size;  // as QUADPACK leaves it
  c.conclude(r.end, counted, r.value, r.error);
}

// Of the stretches of QAWF.
template <class Real>
struct stretch_arrays {
  Real *rslst, *erlst;
  integer *ierlst, *lst;
};

template <class Real>
void qawfe(call<Real> &&c, function<Real> f, Real a, Real omega, integer integr, Real epsabs, integer limlst,
           integer limit, const stretch_arrays<Real> &of, const lists<Real> &list, integer *nnlog, integer maxp1,
           Real *chebmo) {
  *of.lst = 0;
  if (integr != weight_cosine && integr != weight_sine) return c.refuse(wrong_integr);
  if (!(epsabs > Real(0))) return c.refuse("EPSABS <= 0 or NaN");
  if (limlst < 3) return c.refuse("LIMLST < 3");
  if (limit < 1) return c.refuse(no_limit);
  if (maxp1 < 1) return c.refuse("MAXP1 < 1");
  integrand<Real> counted = c.count(f);
  if (omega == Real(0)) {
    list.clear(Real(0), Real(1));
    tessera::extrapolating_run<Real, integer> run({Real(0), Real(1)}, Real(0), nullptr, {epsabs, Real(0)},
                                                  list.arrays(), limit);
    // From 0, whatever A is, as QUADPACK does.
    if (integr == weight_cosine) drive_infinite(run, counted, Real(0), integer{1});
    *of.rslst = run.value();
    *of.erlst = run.error();
    *of.ierlst = ier_of(run.end());
    *of.lst = 1;
    return c.conclude(run.end(), counted, run.value(), run.error());
  }
  const dropin::cancel_watch watch;
  auto rule = make_oscillating_rule(omega, integr, chebmo, maxp1, integer{0});
  tessera::fourier_run<Real> run(a, omega, epsabs, limlst);
  while (!run.ended()) {
    const tolerances<Real> wanted = {run.tolerance(), Real(0)};
    list.clear(run.stretch().lower, run.stretch().upper);
    const auto r = integrate_oscillating(rule, counted, run.stretch(), omega, integr, wanted, list, nnlog, limit);
    const integer i = static_cast<integer>(run.stretches());
    of.rslst[i] = r.value;
    of.erlst[i] = r.error;
    of.ierlst[i] = ier_of(r.end);
    *of.lst = i + 1;
    if (r.end == quadrature_end::not_finite) return c.conclude_not_finite(bad_cycle, counted);
    run.tell(r.value, r.error, r.end == quadrature_end::converged);
    if (watch.cancelled() && !run.ended()) run.stop(tessera::fourier_end::stopped);
  }
  const auto conclude = [&](auto end) { c.conclude(end, counted, run.value(), run.error()); };
  switch (run.end()) {
    case tessera::fourier_end::converged:
      return conclude(quadrature_end::converged);
    case tessera::fourier_end::limit:
      return conclude(quadrature_end::limit);
    case tessera::fourier_end::no_convergence:
      return conclude(quadrature_end::no_convergence);
    case tessera::fourier_end::bad_stretch:
      return conclude(integer{bad_cycle});
    case tessera::fourier_end::stopped:
      return conclude(quadrature_end::stopped);
    case tessera::fourier_end::not_finite:
      c.conclude_not_finite(bad_cycle, counted);
  }
}

template <class Real>
void qawse(call<Real> &&c, function<Real> f, Real a, Real b, Real alfa, Real beta, integer integr,
           tolerances<Real> wanted, integer limit, const lists<Real> &list, integer *last) {
  *last = 0;
  if (limit < 2) return c.refuse("LIMIT < 2");
  *list.rlist = *list.elist = Real(0);
  *list.iord = 0;
  if (!(b > a)) return c.refuse("B <= A");
  // A negative EPSABS passes, as in QUADPACK.
  const bool possible = wanted.absolute != Real(0)
                            ? wanted.absolute == wanted.absolute && wanted.relative == wanted.relative
                            : wanted.possible_relative();
  if (!possible) return c.refuse(no_tolerance);
  if (!(alfa > Real(-1)) || !(beta > Real(-1))) return c.refuse("ALFA or BETA <= -1");
  if (integr < 1 || integr > 4) return c.refuse(wrong_integr);
  const bool lower_log = integr == 2 || integr == 4, upper_log = integr >= 3;
  const tessera::end_rule<Real> rule(published_pair<Real>, tessera::cosines<Real>, {a, b}, alfa, beta, lower_log,
                                     upper_log, tessera::log_sums::as_published);
  integrand<Real> counted = c.count(f);
  tessera::plain_run<Real, integer> run(tessera::plain_kind::ends, {a, b}, Real(0), wanted, list.arrays(), limit);
  drive(run, counted, [&](interval<Real> on, integer, auto &&g) { return rule.apply(on, g); });
  *last = run.size();
  c.conclude(run.end(), counted, run.value(), run.error());
}

template <class Real>
void qawce(call<Real> &&c, function<Real> f, Real a, Real b, Real pole, tolerances<Real> wanted, integer limit,
           const lists<Real> &list, integer *last) {
  *last = 0;
  if (limit < 1) return c.refuse(no_limit);
  list.clear(a, b);
  if (pole == a || pole == b) return c.refuse("C is A or B");
  if (!wanted.possible()) return c.refuse(no_tolerance);
  const tessera::pole_rule<Real> rule(published_pair<Real>, tessera::cosines<Real>, pole);
  integrand<Real> counted = c.count(f);
  const interval<Real> range = {std::min(a, b), std::max(a, b)};
  tessera::plain_run<Real, integer> run(tessera::plain_kind::singularity, range, pole, wanted, list.arrays(), limit);
  drive(run, counted, [&](interval<Real> on, integer, auto &&g) { return rule.apply(on, g); });
  *last = run.size();
  if (run.size() == 1) list.limits(a, b);
  c.conclude(run.end(), counted, a > b ? -run.value() : run.value(), run.error());
}

}  // namespace quadpack
