// What Cuba's routines have in common: arguments, codes, and the way to the integrand.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../common/report.hpp"
#include "../common/run.hpp"
#include "../common/twin.hpp"
#include "cuba.h"

namespace cuba {

using int64 = std::int64_t;

constexpr int most_ncomp = 1024;
constexpr int abort_value = -999;
constexpr double no_probability = -999.0;
constexpr int keep_state_flag = 16, grid_only_flag = 32;
constexpr double least_epsabs = 0x1p-104;
constexpr double unknown_error = std::numeric_limits<double>::infinity();

enum fail : int {
  met = 0,
  not_met = 1,
  wrong_ndim = -1,
  wrong_ncomp = -2,
  wrong_argument = TESSERA_CUBA_WRONG_ARGUMENT,
  aborted = -99
};

// The arguments that all routines have, and nregions.
template <class Count>
struct arguments {
  using count_type = Count;
  static constexpr bool has_weights = false;  // the integrand is handed the point's weight and the iteration
  static constexpr bool has_phases = false;   // iterations that divide the cube, as Divonne's
  const char *routine;
  int ndim, ncomp;
  integrand_t function;
  void *userdata;
  Count nvec;
  double epsrel, epsabs;
  int flags;
  Count mineval, maxeval;
  const char *statefile;  // NULL or empty: none
  int *nregions;          // NULL for Vegas
  Count *neval;
  int *fail;
  double *integral, *error, *prob;
  mutable dropin::call_report line{routine, ndim, ncomp};

  bool has_file() const { return statefile && *statefile; }
};

template <class Count>
Count to_count(int64 n) {
  return static_cast<Count>(std::min<int64>(n, std::numeric_limits<Count>::max()));
}

inline double tolerance(double eps, double least) { return eps > least ? std::fmin(eps, 1e300) : least; }

// Points of one call of the integrand: no memory for more than there will be, or a little.
template <class Count>
int64 points_at_once(const arguments<Count> &a) {
  constexpr int64 little = 1 << 16, most = 1 << 24;
  return std::min({std::max<int64>(a.nvec, 1), std::max<int64>(a.maxeval, little), most});
}

// A solver, a file and the caller see the same of a run.
struct results {
  explicit results(int ncomp)
      : value(static_cast<std::size_t>(ncomp), std::numeric_limits<double>::quiet_NaN()),
        error(value.size(), unknown_error),
        prob(value.size(), no_probability) {}
  dropin::run_end end = {TESSERA_ERR_MEMORY, 0};
  int64 callback_status = 0, regions = 0;
  std::vector<double> value, error, prob;
};

// False: `fail` says why, and nothing else is written but neval and nregions.
template <class Count>
bool begin(const arguments<Count> &a, int least_ndim, int most_ndim) {
  const auto range = [](const char *name, int n, int least, int most) {
    return std::string(name) + " = " + std::to_string(n) + ", " + std::to_string(least) + " to " +
           std::to_string(most) + " are possible";
  };
  const auto refuse = [&](int code, const std::string &why) {
    a.line.end(dropin::place::nowhere, 0, "fail", code, why);
    return code;
  };
  if (!a.fail) return refuse(wrong_argument, "fail is NULL"), false;
  if (a.neval) *a.neval = 0;
  if (a.nregions) *a.nregions = 0;
  *a.fail = met;
  if (a.ndim < least_ndim || a.ndim > most_ndim)
    *a.fail = refuse(wrong_ndim, range("ndim", a.ndim, least_ndim, most_ndim));
  else if (a.ncomp < 1 || a.ncomp > most_ncomp)
    *a.fail = refuse(wrong_ncomp, range("ncomp", a.ncomp, 1, most_ncomp));
  return *a.fail == met;
}

template <class Count>
bool require(const arguments<Count> &a, bool condition, const char *message) {
  if (condition) return true;
  dropin::report(a.routine, message);
  a.line.end(dropin::place::nowhere, 0, "fail", wrong_argument, message);
  *a.fail = wrong_argument;
  return false;
}
template <class Count>
bool require_pointers(const arguments<Count> &a) {
  return require(a, a.function, "integrand is NULL") && require(a, a.neval, "neval is NULL") &&
         require(a, a.integral && a.error && a.prob, "integral, error or prob is NULL");
}

// Writes what the caller gets to see.
template <class Count>
void deliver(const arguments<Count> &a, results &r) {
  *a.neval = to_count<Count>(r.end.evaluations);
  if (a.nregions) *a.nregions = to_count<int>(r.regions);
  if (r.callback_status == abort_value) return void(*a.fail = aborted);
  if (r.end.status == TESSERA_NONFINITE) {
    r.error.assign(r.error.size(), unknown_error);
    r.prob.assign(r.prob.size(), no_probability);
  }
  std::copy(r.value.begin(), r.value.end(), a.integral);
  std::copy(r.error.begin(), r.error.end(), a.error);
  std::copy(r.prob.begin(), r.prob.end(), a.prob);
  *a.fail = r.end.status == TESSERA_OK ? met : not_met;
}

// The line about the call, when `fail` is what the caller gets.
template <class Count>
void conclude(const arguments<Count> &a, const results &r) {
  a.line.end(r.end.where, r.end.evaluations, "fail", *a.fail,
             *a.fail == aborted ? "the integrand returned -999" : dropin::explanation(r.end.status));
}

// body() runs and delivers.
template <class Arguments, class Body>
void serve(const Arguments &a, Body body) {
  dropin::serve(a.routine, body, [&](const char *why) {
    std::fill_n(a.integral, a.ncomp, std::numeric_limits<double>::quiet_NaN());
    std::fill_n(a.error, a.ncomp, unknown_error);
    std::fill_n(a.prob, a.ncomp, no_probability);
    *a.fail = not_met;
    a.line.end(dropin::place::host, 0, "fail", not_met, why);
  });
}

// Which worker calls the integrand: -1 where there is one thread alone, as in the original, else 0, 1, ... by thread.
class core_numbers {
 public:
  explicit core_numbers(int threads) : run_(threads > 1 ? ++runs_ : 0) {}
  // Before a run by another solver, which has other threads.
  void restart() {
    if (run_ == 0) return;
    run_ = ++runs_;
    next_ = 0;
  }
  int here() {
    if (run_ == 0) return -1;
    static thread_local unsigned long run = 0;
    static thread_local int core = 0;
    if (run != run_) {
      run = run_;
      core = next_++;
    }
    return core;
  }

 private:
  static inline std::atomic<unsigned long> runs_{0};
  unsigned long run_;
  std::atomic<int> next_{0};
};

// The integrand with all that it is called with. The last two arguments depend on the routine: weights of the points and number of the
// iteration, or what the adapter has.
template <class Count>
using integrand = int (*)(const int *ndim, const double *x, const int *ncomp, double *f, void *userdata,
                          const Count *nvec, const int *core, const void *first, const void *second);

// Calls the user's function for a solver. Arguments: function, userdata, nvec and count_type.
template <class Arguments>
struct adapter {
  using Count = typename Arguments::count_type;
  const Arguments &a;
  core_numbers cores;
  dropin::cancel_watch watch = {};
  dropin::thrown exception = {};
  const void *first = nullptr, *second = nullptr;

  static int point(int n, const double *x, int ncomp, double *f, void *userdata) {
    const double *const behind = Arguments::has_weights ? x + n : nullptr;
    return static_cast<adapter *>(userdata)->call(1, n, x, ncomp, f, behind, behind ? behind + 1 : nullptr);
  }

  // At a point of no iteration.
  static int lone_point(int n, const double *x, int ncomp, double *f, void *userdata) {
    constexpr double weight = 0.0, iteration = 1.0;
    return static_cast<adapter *>(userdata)->call(1, n, x, ncomp, f, &weight, &iteration);
  }

  // From coordinate after coordinate to point after point, at most nvec points a call, and back.
  static int batch(int64 n, int ndim, const double *x, int64 ldx, int ncomp, double *f, int64 ldf, void *userdata) {
    adapter &self = *static_cast<adapter *>(userdata);
    const int64 most = std::min<int64>(n, self.a.nvec);
    const auto nd = static_cast<std::size_t>(ndim), nc = static_cast<std::size_t>(ncomp);
    std::vector<double> memory(static_cast<std::size_t>(most) * (nd + nc));
    double *points = memory.data(), *values = points + static_cast<std::size_t>(most) * nd;
    for (int64 from = 0; from < n; from += most) {
      const int64 now = std::min(most, n - from);
      for (int64 i = 0; i < now; ++i)
        for (int j = 0; j < ndim; ++j) points[i * ndim + j] = x[j * ldx + from + i];
      const double *const weights = Arguments::has_weights ? x + ndim * ldx + from : nullptr;
      const int status =
          self.call(static_cast<Count>(now), ndim, points, ncomp, values, weights, weights ? weights + ldx : nullptr);
      if (status != 0) return status;
      for (int64 i = 0; i < now; ++i)
        for (int k = 0; k < ncomp; ++k) f[k * ldf + from + i] = values[i * ncomp + k];
    }
    return 0;
  }

  dropin::host_form form() {
    if (a.nvec > 1) return {nullptr, batch, this};
    return {point, nullptr, this};
  }

  // weights[n], and the number of the iteration that all n points are of, where there are such.
  int call(Count n, int ndim, const double *x, int ncomp, double *f, const double *weights = nullptr,
           const double *iterations = nullptr) {
    if (watch.cancelled()) return 1;
    const int core = cores.here();
    const int iteration = Arguments::has_weights ? static_cast<int>(*iterations) : 0;
    try {
      // The header declares the arguments that everybody wants; those that an integrand leaves out do it no harm.
      const auto full = reinterpret_cast<integrand<Count>>(reinterpret_cast<void (*)()>(a.function));
      const int answer = Arguments::has_weights ? full(&ndim, x, &ncomp, f, a.userdata, &n, &core, weights, &iteration)
                                                : full(&ndim, x, &ncomp, f, a.userdata, &n, &core, first, second);
      return answer == abort_value ? abort_value : 0;
    } catch (...) {
      exception.keep();
      return 1;
    }
  }
};

}  // namespace cuba
