// Cuhre over libtessera: the arguments, codes and counts of Cuba 4.2 (Hahn, Comput. Phys. Commun. 168 (2005) 78-95).
// docs/cuba.md has the table of departures.
// SPDX-License-Identifier: BSD-3-Clause
#include "cuhre.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "../common/run.hpp"
#include "../common/twin.hpp"
#include "chi_square.hpp"
#include "hooks.hpp"
#include "state_file.hpp"

namespace cuba {
namespace {

using int64 = std::int64_t;
using clock_type = std::chrono::steady_clock;

constexpr int most_ndim = 25, most_ncomp = 1024;
constexpr int abort_value = -999;
constexpr double no_probability = -999.0;
constexpr int keep_state_flag = 16;
constexpr double least_epsabs = 0x1p-104;
constexpr double share_for_state = 0.05;  // of the time may go into writing it in the middle of a run

enum fail : int { met = 0, not_met = 1, wrong_ndim = -1, wrong_ncomp = -2, aborted = -99 };

std::atomic<double> state_seconds{10.0};

int choose_rule(int key, int ndim) {
  if (key == 7) return TESSERA_RULE_DEGREE7;
  if (key == 9) return TESSERA_RULE_DEGREE9;
  if (key == 11 && ndim == 3) return TESSERA_RULE_DEGREE11;
  return ndim == 2 ? TESSERA_RULE_DEGREE13 : ndim == 3 ? TESSERA_RULE_DEGREE11 : TESSERA_RULE_DEGREE9;
}

int64 rule_points(int rule, int64 n) {
  switch (rule) {
    case TESSERA_RULE_DEGREE13:
      return 65;
    case TESSERA_RULE_DEGREE11:
      return 127;
    case TESSERA_RULE_DEGREE9:
      return 1 + 8 * n + 6 * n * (n - 1) + 4 * n * (n - 1) * (n - 2) / 3 + (int64{1} << n);
    default:
      return 1 + 6 * n + 2 * n * (n - 1) + (int64{1} << n);
  }
}

// The evaluations of the run that stops dividing as soon as there are `wanted`: points*(2k + 1), but no more than `most`.
int64 reach(int64 wanted, int64 points, int64 most) {
  if (wanted <= points) return points;
  const int64 greatest = (most / points - 1) / 2, divisions = (wanted - points - 1) / (2 * points) + 1;
  return points * (2 * std::min(divisions, std::max<int64>(greatest, 0)) + 1);
}

// Which worker calls the integrand: -1 where there is one thread alone, as in the original, else 0, 1, ... by thread.
class core_numbers {
 public:
  explicit core_numbers(int threads) : run_(threads > 1 ? ++runs_ : 0) {}
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

template <class Count>
struct adapter {
  const cuhre_arguments<Count> &a;
  core_numbers cores;
  dropin::cancel_watch watch;
  dropin::thrown exception;

  static int point(int n, const double *x, int ncomp, double *f, void *userdata) {
    return static_cast<adapter *>(userdata)->call(1, n, x, ncomp, f);
  }

  // From coordinate after coordinate to point after point, at most nvec points a call, and back.
  static int batch(int64 n, int ndim, const double *x, int64 ldx, int ncomp, double *f, int64 ldf, void *userdata) {
    adapter &self = *static_cast<adapter *>(userdata);
    const int64 most = std::min<int64>(n, self.a.nvec);
    const auto nd = static_cast<std::size_t>(ndim), nc = static_cast<std::size_t>(ncomp);
    std::vector<double> memory(static_cast<std::size_t>(most) * (nd + nc));
    double *points = memory.data(), *values = points + static_cast<std::size_t>(most) * nd;
    for (int64 first = 0; first < n; first += most) {
      const int64 now = std::min(most, n - first);
      for (int64 i = 0; i < now; ++i)
        for (int j = 0; j < ndim; ++j) points[i * ndim + j] = x[j * ldx + first + i];
      const int status = self.call(static_cast<Count>(now), ndim, points, ncomp, values);
      if (status != 0) return status;
      for (int64 i = 0; i < now; ++i)
        for (int k = 0; k < ncomp; ++k) f[k * ldf + first + i] = values[i * ncomp + k];
    }
    return 0;
  }

 private:
  int call(Count n, int ndim, const double *x, int ncomp, double *f) {
    if (watch.cancelled()) return 1;
    const int core = cores.here();
    try {
      // The header declares the arguments that everybody wants; those that an integrand leaves out do it no harm.
      const auto full = reinterpret_cast<integrand<Count>>(reinterpret_cast<void (*)()>(a.function));
      return full(&ndim, x, &ncomp, f, a.userdata, &n, &core) == abort_value ? abort_value : 0;
    } catch (...) {
      exception.keep();
      return 1;
    }
  }
};

// What is done between the steps: the iterations' scatter, the state file, messages.
template <class Count>
class observer {
 public:
  observer(const cuhre_arguments<Count> &a, int rule, int64 points, dropin::lease &solver)
      : a_(a), solver_(solver), points_(points), verbose_(verbosity(a.flags)) {
    state_.ndim = a.ndim;
    state_.ncomp = a.ncomp;
    state_.rule = rule;
    state_.iterations.assign(static_cast<std::size_t>(a.ncomp), {});
  }

  bool has_file() const { return a_.statefile && *a_.statefile; }

  // Goes on from the state file, if there is a good one.
  void resume() {
    if (!has_file()) return;
    std::string reason;
    const read_result r = read_state(a_.statefile, state_, reason);
    if (r == read_result::good) {
      if (tessera_set_regions(solver_.solver(), state_.regions, state_.records.data(), state_.evaluations) ==
          TESSERA_OK) {
        say("resumed from " + std::string(a_.statefile), 1);
        resumed_ = state_.evaluations;
      } else {
        reason = tessera_last_error(solver_.solver());
      }
    }
    if (r == read_result::bad || !reason.empty()) {
      std::printf("Error restoring state from %s: %s; starting afresh\n", a_.statefile, reason.c_str());
      std::fflush(stdout);
      state_.iterations.assign(static_cast<std::size_t>(a_.ncomp), {});
    }
    state_.records = {};
  }

  void introduce() const {
    if (verbose_ < 1) return;
    std::printf("Cuhre: ndim %d, ncomp %d, epsrel %g, epsabs %g, mineval %lld, maxeval %lld, points a region %lld\n",
                a_.ndim, a_.ncomp, a_.epsrel, a_.epsabs, static_cast<long long>(a_.mineval),
                static_cast<long long>(a_.maxeval), static_cast<long long>(points_));
    std::fflush(stdout);
  }

  static int step(int64 evaluations, int, const double *value, const double *error, int64, void *userdata) {
    static_cast<observer *>(userdata)->look(evaluations, value, error);
    return 0;
  }

  // The last iteration, and what follows from all of them.
  void finish(int64 evaluations, const double *value, const double *error, int end) {
    add(evaluations, value, error);
    show(evaluations, value, error, 1);
    if (has_file()) {
      const bool success = end == met && (a_.flags & keep_state_flag) == 0;
      if (success)
        std::remove(a_.statefile);
      else
        save(evaluations);
    }
  }
  double probability(int k, int64 regions) const {
    if (regions < 2) return no_probability;
    return chi_square_probability(state_.iterations[static_cast<std::size_t>(k)].chi_square(),
                                  static_cast<double>(regions - 1));
  }

 private:
  void look(int64 evaluations, const double *value, const double *error) {
    add(evaluations, value, error);
    if (verbose_ >= 2 && (verbose_ == 3 || evaluations >= next_shown_)) {
      show(evaluations, value, error, 2);
      next_shown_ = 2 * evaluations;
    }
    if (!has_file()) return;
    const auto now = clock_type::now();
    if (std::chrono::duration<double>(now - saved_).count() < wait_) return;
    save(evaluations);
    saved_ = clock_type::now();
    wait_ = std::max(state_seconds.load(), std::chrono::duration<double>(saved_ - now).count() / share_for_state);
  }

  void add(int64 evaluations, const double *value, const double *error) {
    if (evaluations <= added_ || evaluations <= resumed_) return;  // that iteration is in already
    added_ = evaluations;
    for (int k = 0; k < a_.ncomp; ++k) state_.iterations[static_cast<std::size_t>(k)].add(value[k], error[k]);
  }

  void show(int64 evaluations, const double *value, const double *error, int level) const {
    if (verbose_ < level) return;
    std::printf("Cuhre: %lld evaluations\n", static_cast<long long>(evaluations));
    for (int k = 0; k < a_.ncomp; ++k) std::printf("  [%d] %.15g +- %.3g\n", k + 1, value[k], error[k]);
    std::fflush(stdout);
  }
  void say(const std::string &line, int level) const {
    if (verbose_ < level) return;
    std::printf("Cuhre: %s\n", line.c_str());
    std::fflush(stdout);
  }

  void save(int64 evaluations) {
    std::string reason;
    try {
      if (tessera_get_regions(solver_.solver(), 0, 0, nullptr, &state_.regions) != TESSERA_OK) {
        reason = tessera_last_error(solver_.solver());
      } else {
        const int64 fields = 2 * state_.ndim + 3 * state_.ncomp + 2;
        state_.records.resize(static_cast<std::size_t>(state_.regions * fields));
        tessera_get_regions(solver_.solver(), 0, state_.regions, state_.records.data(), nullptr);
        state_.evaluations = evaluations;
        write_state(a_.statefile, state_, reason);
      }
    } catch (const std::bad_alloc &) {
      reason = "no memory for it";
    }
    state_.records = {};
    if (reason.empty()) return;
    if (!complained_) std::fprintf(stderr, "tessera: Cuhre: state file %s: %s\n", a_.statefile, reason.c_str());
    complained_ = true;
  }

  const cuhre_arguments<Count> &a_;
  dropin::lease &solver_;
  const int64 points_;
  const int verbose_;
  state state_;
  int64 added_ = 0, resumed_ = 0;
  int64 next_shown_ = 0;
  clock_type::time_point saved_ = clock_type::now();
  double wait_ = state_seconds.load();
  bool complained_ = false;
};

double tolerance(double eps, double least) { return eps > least ? std::fmin(eps, 1e300) : least; }

template <class Count>
void set_options(dropin::lease &solver, const cuhre_arguments<Count> &a, int rule, int64 points, int threads) {
  solver.set_int(TESSERA_RULE, rule);
  solver.set_int(TESSERA_ESTIMATE, TESSERA_ESTIMATE_CLASSIC);
  solver.set_int(TESSERA_PRIORITY, TESSERA_PRIORITY_WORST_COMPONENT);
  solver.set_int(TESSERA_KEEP_REGIONS, 1);
  solver.set_int(TESSERA_SELECTION, threads > 1 ? TESSERA_SELECT_BULK : TESSERA_SELECT_WORST_FIRST);
  solver.set_int(TESSERA_THREADS, threads);
  solver.set_int(TESSERA_BATCH_POINTS, std::min<int64>(std::max<int64>(a.nvec, 1), 1 << 24));
  solver.set_int(TESSERA_MAXEVAL, reach(a.maxeval, points, std::numeric_limits<Count>::max()));
  solver.set_int(TESSERA_MINEVAL, std::max<int64>(a.mineval, 0));
  solver.set_real(TESSERA_ABSTOL, tolerance(a.epsabs, least_epsabs));
  solver.set_real(TESSERA_RELTOL, tolerance(a.epsrel, 0.0));
  solver.set_real(TESSERA_PROGRESS_SECONDS, 0.0);
}

template <class Count>
Count to_count(int64 n) {
  return static_cast<Count>(std::min<int64>(n, std::numeric_limits<Count>::max()));
}

}  // namespace

void set_state_seconds(double seconds) { state_seconds.store(seconds >= 0.0 ? seconds : 10.0); }

template <class Count>
void cuhre(const cuhre_arguments<Count> &a) {
  *a.neval = 0;
  *a.nregions = 0;
  if (a.ndim < 2 || a.ndim > most_ndim) return void(*a.fail = wrong_ndim);
  if (a.ncomp < 1 || a.ncomp > most_ncomp) return void(*a.fail = wrong_ncomp);
  call_init();
  const auto ncomp = static_cast<std::size_t>(a.ncomp);
  constexpr double unknown = std::numeric_limits<double>::infinity();
  const int threads = dropin::threads();
  const int rule = choose_rule(a.key, a.ndim);
  const int64 points = rule_points(rule, a.ndim);
  adapter<Count> user = {a, core_numbers(threads), {}, {}};
  dropin::run_end end = {TESSERA_ERR_MEMORY, 0};
  int64 callback_status = 0, regions = 0;
  std::vector<double> value(ncomp, std::numeric_limits<double>::quiet_NaN()), error(ncomp, unknown),
      prob(ncomp, no_probability);
  // With a state file the regions are wanted, which a device does not give.
  if (!(a.statefile && *a.statefile)) {
    const dropin::twin_problem problem = {"Cuhre",
                                          reinterpret_cast<dropin::user_function>(a.function),
                                          adapter<Count>::point,
                                          &user,
                                          a.userdata,
                                          a.ndim,
                                          a.ncomp,
                                          nullptr,
                                          nullptr,
                                          std::max<int64>(a.mineval, 0),
                                          reach(a.maxeval, points, std::numeric_limits<Count>::max()),
                                          points,
                                          tolerance(a.epsabs, least_epsabs),
                                          tolerance(a.epsrel, 0.0)};
    dropin::twin_end there;
    if (dropin::run_twin(problem, value.data(), error.data(), there)) {
      end = {there.status, there.evaluations};
      callback_status = there.callback_status;
      regions = there.regions;
    }
    user.exception.rethrow();
  }
  dropin::lease solver(a.ndim, a.ncomp);
  if (tessera_solver *s = end.status < 0 ? solver.solver() : nullptr) {
    set_options(solver, a, rule, points, threads);
    observer<Count> watcher(a, rule, points, solver);
    watcher.introduce();
    watcher.resume();
    tessera_set_progress(s, observer<Count>::step, &watcher);
    const dropin::host_form one = {adapter<Count>::point, nullptr, &user},
                            many = {nullptr, adapter<Count>::batch, &user};
    end = dropin::run(solver, "Cuhre", a.nvec > 1 ? many : one, value.data(), error.data());
    tessera_set_progress(s, nullptr, nullptr);
    tessera_get_int(s, TESSERA_CALLBACK_STATUS, &callback_status);
    tessera_get_int(s, TESSERA_REGIONS, &regions);
    if (end.status >= 0) {
      watcher.finish(end.evaluations, value.data(), error.data(), end.status == TESSERA_OK ? met : not_met);
      for (std::size_t k = 0; k < ncomp; ++k) prob[k] = watcher.probability(static_cast<int>(k), regions);
    }
  }
  user.exception.rethrow();
  *a.neval = to_count<Count>(end.evaluations);
  *a.nregions = to_count<int>(regions);
  if (callback_status == abort_value) return void(*a.fail = aborted);
  if (end.status == TESSERA_NONFINITE) {
    error.assign(ncomp, unknown);
    prob.assign(ncomp, no_probability);
  }
  std::copy(value.begin(), value.end(), a.integral);
  std::copy(error.begin(), error.end(), a.error);
  std::copy(prob.begin(), prob.end(), a.prob);
  *a.fail = end.status == TESSERA_OK ? met : not_met;
}

template void cuhre(const cuhre_arguments<int> &);
template void cuhre(const cuhre_arguments<long long> &);

}  // namespace cuba
