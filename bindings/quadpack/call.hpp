// One call of a routine of QUADPACK: its outputs, the codes of its end, and who evaluates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <optional>
#include <type_traits>

#include "../../src/engine/quadrature/bisection.hpp"
#include "../../src/engine/quadrature/kronrod.hpp"
#include "../common/report.hpp"
#include "../common/settings.hpp"
#include "../common/twin_points.hpp"
#include "tessera_quadpack.h"

namespace quadpack {

using tessera::int64;
using tessera::interval;
using tessera::interval_estimate;
using tessera::quadrature_end;
using tessera::tolerances;
using integer = tessera_quadpack_int;

template <class Real>
using function = Real (*)(const Real *x);

// How far the user's function may be from its twin, which is in double precision.
template <class Real>
constexpr double twin_tolerance = std::is_same_v<Real, double> ? 1e-6 : 1e-4;

// The user's function or its twin in a run, with the number of evaluations.
template <class Real>
class integrand {
 public:
  integrand(const char *routine, function<Real> f)
      : f_(f), twin_(routine, reinterpret_cast<dropin::user_function>(f), twin_tolerance<Real>) {}

  // The function, its calls counted in a register.
  struct caller {
    const function<Real> f;
    int64 calls;
    Real operator()(Real x) {
      ++calls;
      return f(&x);
    }
  };
  // apply(g): with g for the function.
  template <class Apply>
  void call(Apply &&apply) {
    caller g = {f_, 0};
    apply(g);
    calls_ += g.calls;
  }
  bool has_twin() const { return twin_.is_wanted(); }
  // value[n] at x[n].
  void evaluate(int n, const Real *x, Real *value) {
    if (!has_twin()) {
      for (int i = 0; i < n; ++i) value[i] = f_(x + i);
      calls_ += n;
      return;
    }
    double points[dropin::twin_points::most], values[dropin::twin_points::most];
    for (int i = 0; i < n; ++i) points[i] = static_cast<double>(x[i]);
    twin_.evaluate(n, points, values, [&](int i) { return static_cast<double>(f_(x + i)); });
    for (int i = 0; i < n; ++i) value[i] = static_cast<Real>(values[i]);
    calls_ += n;
  }
  // apply(g) calls g at the points of a step, which do not depend on its values: once to learn them, once with the values of all.
  template <class Apply>
  void evaluate_together(Apply &&apply) {
    Real x[dropin::twin_points::most], value[dropin::twin_points::most];
    int n = 0, next = 0;
    apply([&](Real at) {
      x[n++] = at;
      return Real(0);
    });
    evaluate(n, x, value);
    apply([&](Real) { return value[next++]; });
  }

  int64 calls() const { return calls_; }
  dropin::place where() const { return twin_.where(); }
  void finish() const { twin_.finish(calls_); }

 private:
  const function<Real> f_;
  dropin::twin_points twin_;
  int64 calls_ = 0;
};

enum ier : integer { good = 0, intervals_ran_out = 1, bad_point = 3, wrong_argument = 6, bad_cycle = 7 };

inline integer ier_of(quadrature_end end) {
  switch (end) {
    case quadrature_end::not_finite:
      return bad_point;
    case quadrature_end::stopped:
      return intervals_ran_out;
    default:
      return static_cast<integer>(end);  // in QUADPACK's order
  }
}
static_assert(static_cast<int>(quadrature_end::limit) == 1 && static_cast<int>(quadrature_end::roundoff) == 2 &&
              static_cast<int>(quadrature_end::bad_point) == 3 &&
              static_cast<int>(quadrature_end::no_convergence) == 4 &&
              static_cast<int>(quadrature_end::divergent) == 5);

// What all routines do at their ends.
template <class Real>
class call {
 public:
  // `name` in double precision: DQAG.
  call(const char *name, Real *result, Real *abserr, integer *neval, integer *ier)
      : name_(sizeof(Real) == sizeof(double) ? name : name + 1),
        result_(result),
        abserr_(abserr),
        neval_(neval),
        ier_(ier) {
    if (dropin::report_wanted()) line_.emplace(name_, 1, 1);
  }

  // With 0 in all outputs. `why` names the argument.
  void refuse(const char *why) {
    write(wrong_argument, 0, Real(0), Real(0));
    dropin::report(name_, why);
    if (line_) line_->end(dropin::place::nowhere, 0, "IER", wrong_argument, why);
  }
  integrand<Real> count(function<Real> f) const { return {name_, f}; }

  void conclude(integer ier, const integrand<Real> &f, Real value, Real error) { conclude(ier, f, value, error, ""); }
  void conclude(quadrature_end end, const integrand<Real> &f, Real value, Real error) {
    if (end == quadrature_end::not_finite)
      conclude_not_finite(bad_point, f);
    else
      conclude(ier_of(end), f, value, error,
               end == quadrature_end::stopped ? "TESSERA_QUADPACK_CANCEL was called" : "");
  }
  void conclude_not_finite(integer ier, const integrand<Real> &f) {
    constexpr const char why[] = "the integrand or an integral of it is not finite";
    dropin::report(name_, why);
    conclude(ier, f, std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity(), why);
  }

 private:
  void conclude(integer ier, const integrand<Real> &f, Real value, Real error, const char *why) {
    write(ier, f.calls(), value, error);
    if (!line_) return;
    f.finish();
    line_->end(f.where(), f.calls(), "IER", ier, why);
  }
  void write(integer ier, int64 calls, Real value, Real error) {
    constexpr int64 most = std::numeric_limits<integer>::max();
    *result_ = value;
    *abserr_ = error;
    *neval_ = static_cast<integer>(calls < most ? calls : most);
    *ier_ = ier;
  }

  const char *const name_;
  Real *const result_, *const abserr_;
  integer *const neval_, *const ier_;
  std::optional<dropin::call_report> line_;  // a call takes 50 ns: nothing for those who have not asked
};

// Evaluates what a run asks for until it asks for no more. apply(interval, level, g) estimates the integral of g.
template <class Real, class Run, class Apply>
void drive(Run &run, integrand<Real> &f, Apply &&apply) {
  const dropin::cancel_watch watch;
  const auto &request = run.request();
  interval_estimate<Real> e[2];
  while (request.count > 0) {
    const auto all_parts = [&](auto &&g) {
      for (int i = 0; i < request.count; ++i) e[i] = apply(request.part[i], request.level, g);
    };
    if (f.has_twin())
      f.evaluate_together(all_parts);
    else
      f.call(all_parts);
    run.tell(e);
    if (request.count > 0 && watch.cancelled()) run.stop();
  }
}

// The arrays of a routine with E at the end of its name.
template <class Real>
struct lists {
  Real *alist, *blist, *rlist, *elist;
  integer *iord;

  // As they are when nothing has been done.
  void clear(Real a, Real b) const {
    limits(a, b);
    *rlist = *elist = Real(0);
    *iord = 0;
  }
  void limits(Real a, Real b) const {
    *alist = a;
    *blist = b;
  }
  tessera::interval_arrays<Real, integer> arrays() const { return {alist, blist, rlist, elist, iord}; }
  // One after another in a work array.
  static lists in(Real *work, integer limit, integer *iord) {
    return {work, work + limit, work + 2 * int64{limit}, work + 3 * int64{limit}, iord};
  }
};

}  // namespace quadpack
