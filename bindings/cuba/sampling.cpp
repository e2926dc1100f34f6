// SPDX-License-Identifier: BSD-3-Clause
#include "sampling.hpp"

#include <cmath>
#include <string>

#include "chi_square.hpp"
#include "divonne.hpp"
#include "hooks.hpp"
#include "state_file.hpp"
#include "vegas.hpp"
#include "verbose.hpp"

namespace cuba {
namespace {

constexpr int64 most_points = 4294967295;
constexpr int64 least_evaluations = 2;  // of which there is a variance
constexpr std::size_t grid_edges = 129;
constexpr int64 trusted_points = 1000;  // that are equal make a constant, as they do in the original

// The options of a run, set by `put_int` and `put_real`.
template <class Arguments, class Int, class Real>
void set_options(const Arguments &a, const sampling &how, Int put_int, Real put_real) {
  put_int(TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS);
  put_int(TESSERA_POINTS, std::min(how.points, most_points));
  put_int(TESSERA_INCREASE, std::min(how.increase, most_points));
  put_int(TESSERA_BATCH_POINTS, how.batch);
  put_int(TESSERA_SEED, static_cast<std::uint32_t>(how.seed));
  put_int(TESSERA_KEEP_GRID, how.grid.empty() ? 0 : 1);
  // A grid of an earlier run is good already; one iteration for the strata, if there is room for it.
  const bool enough = how.maxeval / 8 > how.points;
  put_int(TESSERA_WARMUP, how.trained ? (enough ? 1 : 0) : -1);
  put_int(TESSERA_CONSTANT_EVALUATIONS, std::max(how.points, trusted_points));
  put_int(TESSERA_MAXEVAL, how.maxeval);
  put_int(TESSERA_MINEVAL, std::max<int64>(how.mineval, 0));
  put_real(TESSERA_CONFIDENCE, how.confidence);
  put_real(TESSERA_ABSTOL, how.strictness * tolerance(a.epsabs, least_epsabs));
  put_real(TESSERA_RELTOL, how.strictness * tolerance(a.epsrel, 0.0));
}

// A run that has come to its limit within the tolerance itself has not failed, if iterations can be compared and nothing looks
// like a constant.
template <class Arguments>
void judge(const Arguments &a, results &r) {
  if (r.end.status != TESSERA_LIMIT_EVALUATIONS) return;
  for (std::size_t k = 0; k < r.value.size(); ++k) {
    const double allowed =
        std::fmax(tolerance(a.epsabs, least_epsabs), tolerance(a.epsrel, 0.0) * std::fabs(r.value[k]));
    if (!std::isfinite(r.value[k]) || !std::isfinite(r.error[k])) return;  // what is allowed may be infinite too
    if (!(r.error[k] > 0.0 && r.error[k] <= allowed && r.prob[k] >= 0.0)) return;
  }
  r.end.status = TESSERA_OK;
}

// Statistics and grid after a run.
void take_statistics(tessera_solver *s, int ndim, sampling &how, results &r) {
  int64 iterations = 0;
  tessera_get_int(s, TESSERA_CALLBACK_STATUS, &r.callback_status);
  tessera_get_int(s, TESSERA_STRATA, &r.regions);
  tessera_get_int(s, TESSERA_ITERATIONS, &iterations);
  std::vector<double> chi(r.value.size());
  if (iterations > 1 && tessera_get_chi2(s, chi.data()) == TESSERA_OK)
    for (std::size_t k = 0; k < chi.size(); ++k)
      r.prob[k] = chi_square_probability(chi[k], static_cast<double>(iterations - 1));
  how.grid.resize(static_cast<std::size_t>(ndim) * grid_edges);
  if (tessera_get_grid(s, how.grid.data()) != TESSERA_OK) how.grid.clear();
}

// Empty where there is none: before the end of the first iteration.
void take_state(tessera_solver *s, std::vector<double> &to) {
  int64 count = 0;
  to.clear();
  if (tessera_get_state(s, 0, nullptr, &count) != TESSERA_OK) return;
  to.resize(static_cast<std::size_t>(count));
  tessera_get_state(s, count, to.data(), nullptr);
}

// What is printed of a run. A run shows its numbers between two steps, so those of an iteration are seen in the first step of the next one.
template <class Arguments>
class iteration_watch {
 public:
  iteration_watch(const Arguments &a, tessera_solver *solver, bool wanted)
      : a_(a), solver_(solver), wanted_(wanted), chi_square_(static_cast<std::size_t>(a.ncomp)) {}
  bool wanted() const { return wanted_; }

  void look(int64 evaluations, const double *value, const double *error) {
    if (!wanted_) return;
    if (shown_.empty())
      remember(value, error);  // of the points that show the scale
    else if (is_new(value, error))
      print(seen_, value, error);
    seen_ = evaluations;
  }
  void finish(const results &r) {
    if (!wanted_) return;
    if (number_ == 0 || is_new(r.value.data(), r.error.data()))
      print(r.end.evaluations, r.value.data(), r.error.data());
  }

 private:
  void remember(const double *value, const double *error) {
    shown_.assign(value, value + a_.ncomp);
    shown_.insert(shown_.end(), error, error + a_.ncomp);
  }
  bool is_new(const double *value, const double *error) const {
    const auto errors = shown_.begin() + a_.ncomp;
    return !std::equal(shown_.begin(), errors, value) || !std::equal(errors, shown_.end(), error);
  }
  void print(int64 evaluations, const double *value, const double *error) {
    remember(value, error);
    ++number_;
    if (!Arguments::has_phases) {
      if (tessera_get_chi2(solver_, chi_square_.data()) != TESSERA_OK) chi_square_.assign(chi_square_.size(), 0.0);
      // Those of the warm-up are not combined.
      const bool combined = std::any_of(chi_square_.begin(), chi_square_.end(), [](double c) { return c > 0.0; });
      freedom_ = combined ? freedom_ + 1 : 0;
      say_iteration(number_, evaluations, a_.ncomp, value, error, chi_square_.data(), freedom_);
    } else {
      constexpr int64 whole_cube = 1;
      say_partition(number_, whole_cube, evaluations, a_.ncomp, value, error);
    }
  }

  const Arguments &a_;
  tessera_solver *const solver_;
  const bool wanted_;
  std::vector<double> shown_, chi_square_;
  int64 seen_ = 0, number_ = 0, freedom_ = 0;
};

// What is done between the passes: the state file, messages.
template <class Arguments>
class observer {
 public:
  observer(const Arguments &a, tessera_solver *solver, bool has_file, bool speaks)
      : a_(a),
        solver_(solver),
        verbose_(speaks ? verbosity(a.flags) : 0),
        iterations_(a, solver, verbose_ >= 1),
        keeper_(has_file ? a.statefile : nullptr, begin_state(a)) {}

  bool wanted() const { return iterations_.wanted() || keeper_.has_file(); }

  // Goes on from the state file, if there is a good one; with bit 5 of the flags from its grid alone.
  void resume(sampling &how) {
    const bool resumed = keeper_.resume([&] {
      const state &s = keeper_.s;
      if (tessera_set_state(solver_, s.count, s.records.data()) != TESSERA_OK)
        return std::string(tessera_last_error(solver_));
      if (a_.flags & grid_only_flag) {
        tessera_set_state(solver_, 0, nullptr);
        how.grid.resize(static_cast<std::size_t>(a_.ndim) * grid_edges);
        tessera_get_grid(solver_, how.grid.data());
        how.trained = true;
      }
      return std::string();
    });
    if (resumed && verbose_ >= 1) say(std::string(a_.routine) + ": resumed from " + keeper_.path());
  }

  static int step(int64 evaluations, int, const double *value, const double *error, int64, void *userdata) {
    static_cast<observer *>(userdata)->look(evaluations, value, error);
    return 0;
  }

  void finish(const results &r) {
    iterations_.finish(r);
    const bool remove_it = r.end.status == TESSERA_OK && (a_.flags & keep_state_flag) == 0;
    if (remove_it || has_state()) keeper_.finish(remove_it, [&] { return fill(r.end.evaluations); });
  }

 private:
  void look(int64 evaluations, const double *value, const double *error) {
    iterations_.look(evaluations, value, error);
    if (has_state()) keeper_.save_now_and_then([&] { return fill(evaluations); });
  }

  static state begin_state(const Arguments &a) {
    state s = {a.routine};
    s.ndim = a.ndim;
    s.ncomp = a.ncomp;
    return s;
  }

  // There is none before the end of the first iteration.
  bool has_state() const {
    int64 count;
    return keeper_.has_file() && tessera_get_state(solver_, 0, nullptr, &count) == TESSERA_OK;
  }
  std::string fill(int64 evaluations) {
    state &s = keeper_.s;
    if (tessera_get_state(solver_, 0, nullptr, &s.count) != TESSERA_OK) return tessera_last_error(solver_);
    s.records.resize(static_cast<std::size_t>(s.count));
    tessera_get_state(solver_, s.count, s.records.data(), nullptr);
    s.evaluations = evaluations;
    return {};
  }

  const Arguments &a_;
  tessera_solver *solver_;
  const int verbose_;
  iteration_watch<Arguments> iterations_;
  state_keeper keeper_;
};

// On a device, if the integrand has a twin.
template <class Arguments>
bool sample_there(const Arguments &a, sampling &how, adapter<Arguments> &user, results &r) {
  struct run_there {
    const Arguments &a;
    sampling &how;
    results &r;
    static void prepare(tessera_solver *s, void *context) {
      const auto &self = *static_cast<run_there *>(context);
      set_options(
          self.a, self.how, [s](int key, int64 v) { tessera_set_int(s, key, v); },
          [s](int key, double v) { tessera_set_real(s, key, v); });
      tessera_set_grid(s, self.how.grid.empty() ? nullptr : self.how.grid.data());
    }
    static void finish(tessera_solver *s, void *context) {
      const auto &self = *static_cast<run_there *>(context);
      take_statistics(s, self.a.ndim, self.how, self.r);
    }
  } context = {a, how, r};
  dropin::twin_problem problem = {a.routine,
                                  reinterpret_cast<dropin::user_function>(a.function),
                                  adapter<Arguments>::lone_point,
                                  &user,
                                  a.userdata,
                                  a.ndim,
                                  a.ncomp,
                                  nullptr,
                                  nullptr,
                                  std::max<int64>(how.mineval, 0),
                                  how.maxeval,
                                  1,
                                  how.strictness * tolerance(a.epsabs, least_epsabs),
                                  how.strictness * tolerance(a.epsrel, 0.0)};
  problem.method = TESSERA_MONTECARLO;
  problem.prepare = run_there::prepare;
  problem.finish = run_there::finish;
  problem.context = &context;
  dropin::twin_end there;
  if (!dropin::run_twin(problem, r.value.data(), r.error.data(), there)) return false;
  r.end = {there.status, there.evaluations, dropin::place::device};
  return true;
}

}  // namespace

template <class Arguments>
bool sample_on_device(const Arguments &a, sampling &how, adapter<Arguments> &user, results &r) {
  const bool there =
      how.may_leave && !a.has_file() && how.maxeval >= least_evaluations && sample_there(a, how, user, r);
  user.exception.rethrow();
  if (there) judge(a, r);
  return there;
}

template <class Arguments>
void sample(const Arguments &a, sampling &how, adapter<Arguments> &user, const dropin::host_form &form, results &r) {
  if (how.maxeval < least_evaluations) {
    r.end = {TESSERA_LIMIT_EVALUATIONS, 0};
    return;
  }
  if (sample_on_device(a, how, user, r)) return;
  dropin::lease solver(a.ndim, a.ncomp);
  tessera_solver *s = solver.solver();
  if (!s) return;
  const bool has_file = a.has_file() && !how.in_parts;
  observer<Arguments> watcher(a, s, has_file, !how.in_parts);
  watcher.resume(how);
  if (!how.grid.empty()) tessera_set_grid(s, how.grid.data());
  how.anew =
      how.state.empty() || tessera_set_state(s, static_cast<int64>(how.state.size()), how.state.data()) != TESSERA_OK;
  if (how.anew) how.maxeval -= how.done;
  if (how.maxeval < least_evaluations) {  // nothing is left for another beginning: what there is stays
    how.anew = false;
    r.end = {TESSERA_LIMIT_EVALUATIONS, how.done};
    return;
  }
  set_options(
      a, how, [&](int key, int64 v) { solver.set_int(key, v); }, [&](int key, double v) { solver.set_real(key, v); });
  solver.set_int(TESSERA_WEIGHTS, Arguments::has_weights);
  solver.set_int(TESSERA_KEEP_STATE, has_file || how.in_parts);
  solver.set_int(TESSERA_THREADS, dropin::threads());
  solver.set_real(TESSERA_PROGRESS_SECONDS, 0.0);
  if (watcher.wanted()) tessera_set_progress(s, observer<Arguments>::step, &watcher);
  r.end = dropin::run(solver, a.routine, form, r.value.data(), r.error.data(), TESSERA_MONTECARLO);
  tessera_set_progress(s, nullptr, nullptr);
  take_statistics(s, a.ndim, how, r);
  if (how.in_parts) take_state(s, how.state);
  judge(a, r);
  if (r.end.status >= 0) watcher.finish(r);
  user.exception.rethrow();
}

#define TESSERA_SAMPLE(arguments)                                                                                  \
  template bool sample_on_device(const arguments &a, sampling &how, adapter<arguments> &user, results &r);         \
  template void sample(const arguments &a, sampling &how, adapter<arguments> &user, const dropin::host_form &form, \
                       results &r);
TESSERA_SAMPLE(vegas_arguments<int>)
TESSERA_SAMPLE(vegas_arguments<long long>)
TESSERA_SAMPLE(suave_arguments<int>)
TESSERA_SAMPLE(suave_arguments<long long>)
TESSERA_SAMPLE(divonne_arguments<int>)
TESSERA_SAMPLE(divonne_arguments<long long>)

}  // namespace cuba
