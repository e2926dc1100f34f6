// ADAPT over libtessera: the arguments, codes and counts of the version in MVNPACK (Genz, J. Comp. Graph. Stat. 1 (1992)
// 141-149). docs/adapt.md has the table of departures.
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera_adapt.h"

#include <algorithm>
#include <limits>
#include <string>

#include "../common/report.hpp"
#include "../common/run.hpp"
#include "../common/twin.hpp"
#include "adaptive.hpp"

namespace adapt {
namespace {

constexpr char routine[] = "ADAPT";
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr int most_native_ndim = 64;

enum inform : int { success = 0, maxcls_reached = 1, wrong_argument = 2 };

struct arguments {
  int64 ndim, mincls, maxcls, lenwrk;
  function functn;
  double absreq, relreq;
  double *work;

  // Elements of the array that hold no regions: the rule's weights and scratch in the original.
  int64 overhead() const { return (ndim == 1 ? 5 : 6) * (ndim + 4) + 7 * ndim; }
  int64 room() const { return (lenwrk - overhead()) / (3 * ndim + 3); }
};

struct outputs {
  double *absest, *finest;
  integer *mincls;
  dropin::call_report &line;
};

integer limited(int64 n) { return static_cast<integer>(std::min<int64>(n, std::numeric_limits<integer>::max())); }

int refuse(const outputs &out, int64 points, const std::string &why) {
  *out.mincls = limited(points);
  out.line.end(dropin::place::nowhere, 0, "INFORM", wrong_argument, why);
  return wrong_argument;
}

int conclude(const outputs &out, inform code, int64 calls, double value, double error, dropin::place where,
             const std::string &why) {
  out.line.end(where, calls, "INFORM", code, why);
  *out.finest = value;
  *out.absest = error;
  *out.mincls = limited(calls);
  return code;
}

// ---- Tessera's own engine: threads, devices -------------------------------------------------------------------------------------

struct adapter {
  function functn;
  dropin::cancel_watch watch;
  dropin::thrown exception;

  static int call(int n, const double *x, int, double *f, void *userdata) {
    adapter &self = *static_cast<adapter *>(userdata);
    if (self.watch.cancelled()) return 1;
    try {
      integer ndim = n;  // whatever the user does with it
      *f = self.functn(&ndim, x);
    } catch (...) {
      self.exception.keep();
      return 1;
    }
    return 0;
  }
};

double tolerance(double request) { return request > 0.0 ? std::fmin(request, 1e300) : 0.0; }

int conclude_native(const arguments &a, const outputs &out, const dropin::run_end &end, double value, double error) {
  a.work[a.lenwrk - 1] = 0.0;  // no regions to go on from
  if (end.status == TESSERA_NONFINITE) error = infinite;
  return conclude(out, end.status == TESSERA_OK ? success : maxcls_reached, end.evaluations, value, error, end.where,
                  dropin::explanation(end.status));
}

// False when it cannot: nothing has been written then.
bool run_in_threads(const arguments &a, int threads, const outputs &out, int &code) {
  dropin::lease solver(static_cast<int>(a.ndim), 1);
  if (!solver.solver()) return false;
  solver.set_int(TESSERA_SELECTION, TESSERA_SELECT_BULK);
  solver.set_int(TESSERA_THREADS, threads);
  solver.set_int(TESSERA_NDIM_LIMIT, most_native_ndim);
  solver.set_int(TESSERA_MAXEVAL, a.maxcls);
  solver.set_int(TESSERA_MINEVAL, std::max<int64>(a.mincls, 0));
  solver.set_real(TESSERA_ABSTOL, tolerance(a.absreq));
  solver.set_real(TESSERA_RELTOL, tolerance(a.relreq));
  adapter user = {a.functn, {}, {}};
  double value = std::numeric_limits<double>::quiet_NaN(), error = infinite;
  const dropin::run_end end = dropin::run(solver, routine, {adapter::call, nullptr, &user}, &value, &error);
  user.exception.rethrow();
  if (end.status < 0 && end.status != TESSERA_ERR_CALLBACK) return false;
  code = conclude_native(a, out, end, value, error);
  return true;
}

// False when there is no device, or no twin: nothing has been written then.
bool run_on_device(const arguments &a, const outputs &out, int &code) {
  adapter user = {a.functn, {}, {}};
  const dropin::twin_problem problem = {routine,
                                        reinterpret_cast<dropin::user_function>(a.functn),
                                        adapter::call,
                                        &user,
                                        nullptr,
                                        static_cast<int>(a.ndim),
                                        1,
                                        nullptr,
                                        nullptr,
                                        std::max<int64>(a.mincls, 0),
                                        a.maxcls,
                                        rule_points(a.ndim),
                                        tolerance(a.absreq),
                                        tolerance(a.relreq)};
  double value, error;
  dropin::twin_end end;
  const bool done = dropin::run_twin(problem, &value, &error, end);
  user.exception.rethrow();
  if (done) code = conclude_native(a, out, {end.status, end.evaluations, dropin::place::device}, value, error);
  return done;
}

// ---- The original's algorithm ----------------------------------------------------------------------------------------------

int run_as_original(const arguments &a, const outputs &out) {
  const int n = static_cast<int>(a.ndim);
  const work_array work = {a.work, a.lenwrk, a.room()};
  region_list list(n);
  if (a.mincls < 0 && !list.read(work)) {
    const std::string why = "WORK does not hold the regions of an earlier call";
    dropin::report(routine, why);
    return refuse(out, rule_points(a.ndim), why);
  }
  const int64 room = dropin::extended() ? std::numeric_limits<int64>::max() : work.room;
  integrand f(a.functn, n);
  const result r = integrate(make_rule(n), {a.mincls, a.maxcls, a.absreq, a.relreq, room}, f, list);
  if (!f.failure().empty()) {
    dropin::report(routine, f.failure());
    a.work[a.lenwrk - 1] = 0.0;
    return conclude(out, maxcls_reached, r.calls, std::numeric_limits<double>::quiet_NaN(), infinite,
                    dropin::place::host, f.failure());
  }
  if (r.end == ending::interrupted)
    a.work[a.lenwrk - 1] = 0.0;  // in the middle of a division
  else
    list.write(work);
  const bool met = r.end == ending::converged;
  return conclude(out, met ? success : maxcls_reached, r.calls, r.value, r.error, dropin::place::host,
                  met                            ? ""
                  : r.end == ending::interrupted ? "TESSERA_ADAPT_CANCEL was called"
                                                 : "MAXCLS = " + std::to_string(a.maxcls) + " do not suffice");
}

int serve(const arguments &a, const outputs &out) {
  // More dimensions than that have no rule whose calls an INTEGER can count.
  constexpr int64 most_ndim = 23169;
  const auto is = [](const char *name, int64 n) { return std::string(name) + " = " + std::to_string(n); };
  if (a.ndim < 1 || a.ndim > most_ndim)
    return refuse(out, std::numeric_limits<int>::max(),
                  is("NDIM", a.ndim) + ", 1 to " + std::to_string(most_ndim) + " are possible");
  const int64 points = rule_points(a.ndim), length = a.overhead() + 3 * a.ndim + 3;
  if (a.mincls > a.maxcls)
    return refuse(out, points, is("MAXCLS", a.maxcls) + " is less than " + is("MINCLS", a.mincls));
  if (a.maxcls < points)
    return refuse(out, points, is("MAXCLS", a.maxcls) + ", at least " + std::to_string(points) + " are needed");
  if (a.lenwrk < length)
    return refuse(out, points, is("LENWRK", a.lenwrk) + ", at least " + std::to_string(length) + " are needed");
  int code;
  if (a.ndim <= most_native_ndim) {
    if (run_on_device(a, out, code)) return code;
    const int threads = dropin::threads();
    if (threads > 1 && run_in_threads(a, threads, out, code)) return code;
  }
  return run_as_original(a, out);
}

}  // namespace
}  // namespace adapt

extern "C" {

void adapt_(const adapt::integer *ndim, adapt::integer *mincls, const adapt::integer *maxcls,
            tessera_adapt_functn functn, const double *absreq, const double *relreq, const adapt::integer *lenwrk,
            double *work, double *absest, double *finest, adapt::integer *inform) {
  dropin::call_report line(adapt::routine, *ndim, 1);
  dropin::serve(
      adapt::routine,
      [&] {
        const adapt::arguments a = {*ndim, *mincls, *maxcls, *lenwrk, functn, *absreq, *relreq, work};
        *inform = adapt::serve(a, {absest, finest, mincls, line});
      },
      [&](const char *why) {
        *inform = adapt::conclude({absest, finest, mincls, line}, adapt::maxcls_reached, 0,
                                  std::numeric_limits<double>::quiet_NaN(), adapt::infinite, dropin::place::host, why);
      });
}

void tessera_adapt_threads(int n) { dropin::set_threads(n); }
void tessera_adapt_threads_(const adapt::integer *n) { dropin::set_threads(static_cast<int>(*n)); }
void tessera_adapt_extended(int on) { dropin::set_extended(on != 0); }
void tessera_adapt_extended_(const adapt::integer *on) { dropin::set_extended(*on != 0); }
void tessera_adapt_cancel(void) { dropin::cancel(); }
void tessera_adapt_cancel_(void) { dropin::cancel(); }

}  // extern "C"
