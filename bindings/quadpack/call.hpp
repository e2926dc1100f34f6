// One call of a routine of QUADPACK: its outputs, the codes of its end, and who evaluates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <optional>

#include "../../src/engine/quadrature/bisection.hpp"
#include "../../src/engine/quadrature/kronrod.hpp"
#include "../common/report.hpp"
#include "../common/settings.hpp"
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

// The user's function, its calls counted.
template <class Real>
class integrand {
 public:
  explicit integrand(function<Real> f) : f_(f) {}

  Real operator()(Real x) {
    ++calls_;
    return f_(&x);
  }
  int64 calls() const { return calls_; }

 private:
  const function<Real> f_;
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
  void conclude(integer ier, int64 calls, Real value, Real error) { conclude(ier, calls, value, error, ""); }
  void conclude(quadrature_end end, int64 calls, Real value, Real error) {
    if (end == quadrature_end::not_finite)
      conclude_not_finite(bad_point, calls);
    else
      conclude(ier_of(end), calls, value, error,
               end == quadrature_end::stopped ? "TESSERA_QUADPACK_CANCEL was called" : "");
  }
  void conclude_not_finite(integer ier, int64 calls) {
    constexpr const char why[] = "the integrand or an integral of it is not finite";
    dropin::report(name_, why);
    conclude(ier, calls, std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity(), why);
  }

 private:
  void conclude(integer ier, int64 calls, Real value, Real error, const char *why) {
    write(ier, calls, value, error);
    if (line_) line_->end(dropin::place::host, calls, "IER", ier, why);
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

// Evaluates what a run asks for until it asks for no more.
template <class Real, class Run, class Evaluate>
void drive(Run &run, Evaluate &&evaluate) {
  const dropin::cancel_watch watch;
  const auto &request = run.request();
  interval_estimate<Real> e[2];
  while (request.count > 0) {
    for (int i = 0; i < request.count; ++i) e[i] = evaluate(request.part[i], request.level);
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
