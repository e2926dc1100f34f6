// Divonne over libtessera: the arguments and codes of Cuba 4.2. The integral comes from adaptive cubature, from Monte Carlo, or
// from a race between them (docs/cuba.md).
// SPDX-License-Identifier: BSD-3-Clause
#include "divonne.hpp"

#include <cstdio>
#include <memory>

#include "../common/rules.hpp"
#include "chi_square.hpp"
#include "cuhre.hpp"
#include "hooks.hpp"
#include "sampling.hpp"

namespace cuba {
namespace {

constexpr int most_cubature_ndim = 25, most_race_ndim = 10;
constexpr int64 least_leg = 1 << 14;                  // evaluations of each side before the other has its turn
constexpr int64 least_rules = 64;                     // and applications of the rule
constexpr double two_deviations = 0.954499736103642;  // of Monte Carlo: cubature's errors are bounds
constexpr int main_phase = 2;
constexpr int no_more_calls = 2;  // of the integrand are allowed

// The integrand away from the border: in the strip it is extrapolated linearly, along the way to the nearest point outside of
// it, from there and from a point as far again. Two calls in place of one.
template <class Arguments>
struct border_adapter {
  adapter<Arguments> &user;
  double width;
  int64 most_calls;
  std::atomic<int64> calls{0};

  static int point(int n, const double *x, int ncomp, double *f, void *userdata) {
    return static_cast<border_adapter *>(userdata)->value(n, x, ncomp, f);
  }
  dropin::host_form form() { return {point, nullptr, this}; }

 private:
  int value(int n, const double *x, int ncomp, double *f) {
    bool inside = true;
    for (int j = 0; j < n; ++j) inside = inside && x[j] >= width && x[j] <= 1.0 - width;
    if (calls.fetch_add(inside ? 1 : 2) + (inside ? 1 : 2) > most_calls) {
      calls.fetch_sub(inside ? 1 : 2);
      return no_more_calls;
    }
    if (inside) return user.call(1, n, x, ncomp, f);
    // The far point must stay inside too.
    const double step = std::fmin(1.0, (1.0 - 2.0 * width) / width);
    std::vector<double> memory(static_cast<std::size_t>(2 * n + ncomp));
    double *near = memory.data(), *far = near + n, *beyond = far + n;
    for (int j = 0; j < n; ++j) {
      near[j] = std::fmin(std::fmax(x[j], width), 1.0 - width);
      far[j] = near[j] + step * (near[j] - x[j]);
    }
    int status = user.call(1, n, near, ncomp, f);
    if (status == 0) status = user.call(1, n, far, ncomp, beyond);
    for (int k = 0; status == 0 && k < ncomp; ++k) f[k] += (f[k] - beyond[k]) / step;
    return status;
  }
};

// ---- Given points ---------------------------------------------------------------------------------------------------------

// Points where the caller expects peaks, from its array and from its function: those in the unit cube.
template <class Count>
std::vector<double> points_given(const divonne_arguments<Count> &a) {
  std::vector<double> points;
  const auto add = [&](const double *x, int64 n) {
    for (int64 i = 0; i < n; ++i, x += a.ldxgiven)
      if (std::all_of(x, x + a.ndim, [](double v) { return v >= 0.0 && v <= 1.0; }))
        points.insert(points.end(), x, x + a.ndim);
  };
  if (a.ngiven > 0) add(a.xgiven, a.ngiven);
  if (a.nextra > 0) {
    constexpr int64 most_found = 1 << 16;
    Count n = static_cast<Count>(std::min<int64>(a.nextra, most_found));
    const int64 most = n;
    std::vector<double> box;
    for (int j = 0; j < a.ndim; ++j) box.insert(box.end(), {0.0, 1.0});
    // Rows that are not written count for nothing. Of long ones only what is looked at is touched.
    const std::unique_ptr<double[]> found(
        new double[static_cast<std::size_t>(most) * static_cast<std::size_t>(a.ldxgiven)]);
    for (int64 i = 0; i < most; ++i) std::fill_n(&found[static_cast<std::size_t>(i * a.ldxgiven)], a.ndim, -1.0);
    // In llDivonne `n` is a long long, whatever the header says.
    using finder = void (*)(const int *, const double *, Count *, double *, void *);
    const auto find = reinterpret_cast<finder>(reinterpret_cast<void (*)()>(a.peakfinder));
    find(&a.ndim, box.data(), &n, found.get(), a.userdata);
    add(found.get(), std::min<int64>(n, most));
  }
  return points;
}

// A grid for Monte Carlo in which half of the samples are uniform and the others gather at the points: with a density like
// 1/distance, so that peaks of any width are met.
std::vector<double> grid_at(const std::vector<double> &points, int ndim) {
  constexpr int bins = 128, most_points = 64, halvings = 60;
  constexpr double finest = 1e-5;
  const auto nd = static_cast<std::size_t>(ndim);
  const std::size_t n = std::min<std::size_t>(points.size() / nd, most_points);
  std::vector<double> grid;
  for (std::size_t j = 0; j < nd; ++j) {
    const auto below = [&](double x) {  // share of the samples
      double sum = 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        const double g = points[i * nd + j], left = std::log1p(g / finest), right = std::log1p((1.0 - g) / finest);
        const double d = std::log1p(std::fabs(x - g) / finest);
        sum += (left + (x < g ? -d : d)) / (left + right);
      }
      return 0.5 * x + 0.5 * sum / static_cast<double>(n);
    };
    grid.push_back(0.0);
    for (int i = 1; i < bins; ++i) {
      double low = grid.back(), high = 1.0;
      for (int h = 0; h < halvings; ++h) {
        const double middle = 0.5 * (low + high);
        (below(middle) < static_cast<double>(i) / bins ? low : high) = middle;
      }
      grid.push_back(0.5 * (low + high));
    }
    grid.push_back(1.0);
  }
  return grid;
}

// ---- Cubature -------------------------------------------------------------------------------------------------------------

int rule_of(int key, int ndim) {
  if (ndim > most_cubature_ndim) return TESSERA_RULE_AUTO;
  if (key == 7) return TESSERA_RULE_DEGREE7;
  if (key == 9) return TESSERA_RULE_DEGREE9;
  if (key == 11 && ndim == 3) return TESSERA_RULE_DEGREE11;
  if (key == 13 && ndim == 2) return TESSERA_RULE_DEGREE13;
  return TESSERA_RULE_AUTO;
}
int race_rule(int ndim) {
  return ndim == 2 ? TESSERA_RULE_DEGREE13 : ndim == 3 ? TESSERA_RULE_DEGREE11 : TESSERA_RULE_DEGREE9;
}

// Adaptive cubature that can be continued.
template <class Count>
class cubature {
 public:
  cubature(const divonne_arguments<Count> &a, int rule, dropin::host_form form)
      : a_(a), form_(form), solver_(a.ndim, a.ncomp), scatter_(static_cast<std::size_t>(a.ncomp)), r(a.ncomp) {
    if (!solver_.solver()) return;
    const int threads = dropin::threads();
    solver_.set_int(TESSERA_RULE, rule);
    solver_.set_int(TESSERA_ESTIMATE, TESSERA_ESTIMATE_ROBUST);
    solver_.set_int(TESSERA_PRIORITY, TESSERA_PRIORITY_ALL);
    solver_.set_int(TESSERA_SELECTION, threads > 1 ? TESSERA_SELECT_BULK : TESSERA_SELECT_WORST_FIRST);
    solver_.set_int(TESSERA_THREADS, threads);
    solver_.set_int(TESSERA_BATCH_POINTS, points_at_once(a));
    solver_.set_int(TESSERA_KEEP_REGIONS, 1);
    solver_.set_real(TESSERA_PROGRESS_SECONDS, 0.0);
  }

  // Goes on to `maxeval` evaluations in all. strictness: part of the tolerances.
  void run(int64 mineval, int64 maxeval, double strictness) {
    tessera_solver *s = solver_.solver();
    if (!s) return;
    go_on(s);
    solver_.set_int(TESSERA_MINEVAL, std::max<int64>(mineval, 0));
    solver_.set_int(TESSERA_MAXEVAL, maxeval);
    solver_.set_real(TESSERA_ABSTOL, strictness * tolerance(a_.epsabs, least_epsabs));
    solver_.set_real(TESSERA_RELTOL, strictness * tolerance(a_.epsrel, 0.0));
    tessera_set_progress(s, step, this);
    r.end = dropin::run(solver_, a_.routine, form_, r.value.data(), r.error.data());
    tessera_set_progress(s, nullptr, nullptr);
    tessera_get_int(s, TESSERA_CALLBACK_STATUS, &r.callback_status);
    tessera_get_int(s, TESSERA_REGIONS, &r.regions);
    for (std::size_t k = 0; k < scatter_.size(); ++k)
      r.prob[k] = steps_ > 1 ? chi_square_probability(scatter_[k].chi_square(), static_cast<double>(steps_ - 1))
                             : no_probability;
    int64 count = 0;
    can_go_on_ = tessera_get_regions(s, 0, 0, nullptr, &count) == TESSERA_OK && count > 0;
  }
  bool can_go_on() const { return can_go_on_; }

 private:
  void go_on(tessera_solver *s) {
    if (!can_go_on_) return;
    std::vector<double> records(static_cast<std::size_t>(r.regions * (2 * a_.ndim + 3 * a_.ncomp + 2)));
    tessera_get_regions(s, 0, r.regions, records.data(), nullptr);
    tessera_set_regions(s, r.regions, records.data(), r.end.evaluations);
  }

  static int step(int64 evaluations, int, const double *value, const double *error, int64, void *userdata) {
    auto &self = *static_cast<cubature *>(userdata);
    if (evaluations <= self.added_) return 0;  // that one is in already
    self.added_ = evaluations;
    ++self.steps_;
    for (std::size_t k = 0; k < self.scatter_.size(); ++k) self.scatter_[k].add(value[k], error[k]);
    return 0;
  }

  const divonne_arguments<Count> &a_;
  const dropin::host_form form_;
  dropin::lease solver_;
  std::vector<scatter> scatter_;
  bool can_go_on_ = false;
  int64 added_ = 0, steps_ = 0;

 public:
  results r;
};

template <class Count>
bool run_twin(const divonne_arguments<Count> &a, int rule, adapter<divonne_arguments<Count>> &user, results &r) {
  const dropin::twin_problem problem = {a.routine,
                                        reinterpret_cast<dropin::user_function>(a.function),
                                        adapter<divonne_arguments<Count>>::point,
                                        &user,
                                        a.userdata,
                                        a.ndim,
                                        a.ncomp,
                                        nullptr,
                                        nullptr,
                                        std::max<int64>(a.mineval, 0),
                                        a.maxeval,
                                        dropin::robust_rule_points(rule, a.ndim),
                                        tolerance(a.epsabs, least_epsabs),
                                        tolerance(a.epsrel, 0.0)};
  dropin::twin_end there;
  const bool done = dropin::run_twin(problem, r.value.data(), r.error.data(), there);
  user.exception.rethrow();
  if (!done) return false;
  r.end = {there.status, there.evaluations, dropin::place::device};
  r.callback_status = there.callback_status;
  r.regions = there.regions;
  return true;
}

// ---- The race -------------------------------------------------------------------------------------------------------------

// Errors in units of the tolerance, the worst component.
template <class Count>
double distance(const divonne_arguments<Count> &a, const results &r) {
  double worst = 0.0;
  for (std::size_t k = 0; k < r.value.size(); ++k) {
    const double allowed =
        std::fmax(tolerance(a.epsabs, least_epsabs), tolerance(a.epsrel, 0.0) * std::fabs(r.value[k]));
    const double ratio = r.error[k] / allowed;
    worst = ratio >= worst ? ratio : worst;
    if (std::isnan(ratio)) return unknown_error;
  }
  return worst;
}

// The integrand has ended the run.
bool has_failed(const results &r) {
  if (r.callback_status == no_more_calls) return false;
  return r.end.status == TESSERA_ERR_CALLBACK || r.end.status == TESSERA_CALLBACK_STOPPED ||
         r.end.status == TESSERA_NONFINITE;
}

// Cubature and Monte Carlo by turns: the one that is likely to be done first goes on, but not far ahead of the other. So the
// run takes a few times what the better one needs. Without `fair` cubature goes on as long as it can. Where it believes to be
// done it must not contradict Monte Carlo: a rule may see the same part of a step everywhere.
template <class Count>
class race {
 public:
  race(const divonne_arguments<Count> &a, int rule, sampling &how, adapter<divonne_arguments<Count>> &user,
       const dropin::host_form &form, bool fair)
      : a_(a),
        how_(how),
        user_(user),
        form_(form),
        fair_(fair),
        leg_(fair ? std::max(least_leg, least_rules * dropin::robust_rule_points(rule, a.ndim)) : a.maxeval),
        divided_(a, rule, form),
        sampled_(a.ncomp) {
    how.in_parts = true;
    how.may_leave = false;
  }

  results run() {
    while (divided_open_ || sampled_open_) {
      const int64 before = used();
      const bool divide = divided_open_ && (!sampled_open_ || is_turn_of_cubature());
      user_.cores.restart();
      (divide ? advance_cubature() : advance_sampling());
      user_.exception.rethrow();
      if (has_failed(divided_.r)) return with_all_evaluations(divided_.r);
      if (has_failed(sampled_)) return with_all_evaluations(sampled_);
      if (is_settled()) break;
      if (used() == before) (divide ? divided_open_ : sampled_open_) = false;  // what is left is of no use to it
    }
    return choose();
  }

 private:
  int64 divided() const { return divided_.r.end.evaluations; }
  int64 sampled() const { return sampled_.end.evaluations; }
  int64 used() const { return divided() + sampled() + spent_; }
  int64 budget(int64 wanted) const {  // all of a small rest
    const int64 left = a_.maxeval - used();
    return left / 2 < wanted ? left : wanted;
  }

  bool is_turn_of_cubature() const {
    if (divided_.r.end.status == TESSERA_OK) return false;  // it waits to be confirmed
    if (strictness_ < 1.0) return divided() <= sampled();   // not to be trusted
    if (!fair_) return true;
    if (divided() == 0 || sampled() == 0) return divided() == 0;
    if (divided() > far_ahead * sampled()) return false;
    if (sampled() > far_ahead * divided()) return true;
    const double d = distance(a_, sampled_);
    return divided_need_ <= static_cast<double>(sampled()) * (d * d - 1.0);
  }

  void advance_cubature() {
    const double n = static_cast<double>(divided()), d = distance(a_, divided_.r);
    divided_.run(a_.mineval, divided() + budget(std::max(leg_, divided())), strictness_);
    divided_open_ = divided_.r.end.status == TESSERA_LIMIT_EVALUATIONS && divided_.can_go_on();
    // The distance falls like a power of the evaluations.
    const double now = distance(a_, divided_.r), grown = static_cast<double>(divided()) / n;
    const double power = n > 0.0 && std::isfinite(d) ? std::log(d / now) / std::log(grown) : 1.0;
    divided_need_ = power > 0.0 ? static_cast<double>(divided()) * (std::pow(now, 1.0 / power) - 1.0) : unknown_error;
  }
  void advance_sampling() {
    const bool confirm = divided_.r.end.status == TESSERA_OK && sampled() < proof();
    const int64 before = sampled();
    how_.mineval = a_.mineval;
    how_.done = before;
    how_.maxeval = before + (confirm ? std::min<int64>(proof() - sampled(), a_.maxeval - used())
                                     : budget(std::max(leg_, sampled())));
    sample(a_, how_, user_, form_, sampled_);
    if (how_.anew) spent_ += before;
    sampled_open_ = sampled_.end.status == TESSERA_LIMIT_EVALUATIONS;
  }

  // Evaluations that speak for or against what cubature has found: more of them where Monte Carlo has seen little.
  int64 proof() const {
    bool vague = false;
    for (std::size_t k = 0; k < sampled_.value.size(); ++k)
      vague = vague || !(sampled_.error[k] <= divided_.r.error[k] + 0.1 * std::fabs(divided_.r.value[k]));
    vague = vague && sampled() > 0;
    return std::min((vague ? 16 : 2) * divided(), most_proof);
  }

  bool contradict() const {
    for (std::size_t k = 0; k < sampled_.value.size(); ++k) {
      const double difference = std::fabs(divided_.r.value[k] - sampled_.value[k]);
      if (difference > divided_.r.error[k] + 1.5 * sampled_.error[k]) return true;  // three deviations
    }
    return false;
  }

  // After a contradiction cubature goes on with a smaller tolerance.
  bool is_settled() {
    const bool done = divided_.r.end.status == TESSERA_OK;
    if (!done && sampled_.end.status != TESSERA_OK) return false;
    if (done && sampled_open_ && sampled() < proof() && used() < a_.maxeval) return false;
    if (!contradict()) return true;
    if (done) {
      strictness_ /= 8.0;
      divided_open_ = divided_.can_go_on() && strictness_ > least_strictness;
      divided_.r.end.status = TESSERA_LIMIT_EVALUATIONS;
    }
    return false;
  }

  results with_all_evaluations(results r) const {
    r.end.evaluations = used();
    return r;
  }

  // The better result. Where they contradict each other it is that of Monte Carlo, and the difference is its error.
  results choose() const {
    const bool trusted = strictness_ >= 1.0;
    const bool sampling =
        !trusted || (divided_.r.end.status != TESSERA_OK &&
                     (sampled_.end.status == TESSERA_OK || distance(a_, sampled_) < distance(a_, divided_.r)));
    results r = with_all_evaluations(sampling ? sampled_ : divided_.r);
    if (!contradict()) return r;
    for (std::size_t k = 0; k < r.value.size(); ++k)
      r.error[k] = std::fmax(r.error[k], std::fabs(divided_.r.value[k] - sampled_.value[k]));
    if (r.end.status == TESSERA_OK) r.end.status = TESSERA_LIMIT_EVALUATIONS;
    return r;
  }

  static constexpr double least_strictness = 1e-4;
  static constexpr int64 far_ahead = 8, most_proof = int64{1} << 17;
  const divonne_arguments<Count> &a_;
  sampling &how_;
  adapter<divonne_arguments<Count>> &user_;
  const dropin::host_form form_;
  const bool fair_;
  const int64 leg_;
  int64 spent_ = 0;  // samples of runs that were begun anew
  cubature<Count> divided_;
  results sampled_;
  bool divided_open_ = true, sampled_open_ = true;
  double divided_need_ = 0.0, strictness_ = 1.0;
};

// How many evaluations more it may take: `fail` of Divonne.
template <class Count>
int still_needed(const divonne_arguments<Count> &a, const results &r) {
  const double ratio = distance(a, r);
  const double more = static_cast<double>(r.end.evaluations) * (ratio * ratio - 1.0);
  return more >= 1.0 && std::isfinite(more) ? static_cast<int>(std::fmin(more, std::numeric_limits<int>::max()))
                                            : not_met;
}

template <class Count>
results integrate(const divonne_arguments<Count> &a) {
  using arguments_type = divonne_arguments<Count>;
  adapter<arguments_type> user = {a, core_numbers(dropin::threads())};
  user.first = &main_phase;
  const bool strip = a.border > 0.0;
  border_adapter<arguments_type> bordered{user, a.border, a.maxeval};
  const dropin::host_form form = strip ? bordered.form() : user.form();
  const std::vector<double> given = points_given(a);
  const int wanted = rule_of(a.key1, a.ndim);
  const int rule = wanted == TESSERA_RULE_AUTO ? race_rule(a.ndim) : wanted;
  const bool affordable = a.ndim <= most_cubature_ndim && a.maxeval >= dropin::robust_rule_points(rule, a.ndim);
  const bool by_cubature = affordable && given.empty() && wanted != TESSERA_RULE_AUTO;
  const bool by_race = affordable && given.empty() && !by_cubature && a.ndim <= most_race_ndim && !a.has_file();
  results r(a.ncomp);
  sampling how;
  how.seed = a.seed;
  how.confidence = two_deviations;
  how.mineval = a.mineval;
  how.maxeval = a.maxeval;
  how.may_leave = !strip;
  if (!given.empty()) how.grid = grid_at(given, a.ndim);
  if ((by_cubature || by_race) && !strip && run_twin(a, rule, user, r)) return r;
  if (by_cubature || by_race) {
    r = race<Count>(a, rule, how, user, form, by_race).run();
  } else {
    sample(a, how, user, form, r);
  }
  if (strip) r.end.evaluations = bordered.calls;
  return r;
}

}  // namespace

template <class Count>
void divonne(const divonne_arguments<Count> &a) {
  if (!begin(a, 2, most_sampled_ndim)) return;
  if (!require_pointers(a) || !require(a, a.nregions, "nregions is NULL") ||
      !require(a, a.border < 0.5, "border is not below 0.5") ||
      !require(a, a.ngiven <= 0 || a.xgiven, "xgiven is NULL, and ngiven is not 0") ||
      !require(a, a.nextra <= 0 || a.peakfinder, "peakfinder is NULL, and nextra is not 0") ||
      !require(a, (a.ngiven <= 0 && a.nextra <= 0) || a.ldxgiven >= a.ndim, "ldxgiven is less than ndim"))
    return;
  call_init();
  serve(a, [&] {
    results r = integrate(a);
    deliver(a, r);
    if (*a.fail == not_met) *a.fail = still_needed(a, r);
    conclude(a, r);
  });
}

template void divonne(const divonne_arguments<int> &);
template void divonne(const divonne_arguments<long long> &);

}  // namespace cuba
