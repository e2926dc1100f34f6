// Cubature and Monte Carlo by turns, for Divonne.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "divided.hpp"
#include "hooks.hpp"
#include "sampling.hpp"
#include "state_file.hpp"
#include "verbose.hpp"

namespace cuba {

constexpr int no_more_calls = 2;  // of the integrand are allowed: what an adapter that counts them returns

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
inline bool has_failed(const results &r) {
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
       const dropin::host_form &form, bool fair, const std::vector<double> &given)
      : a_(a),
        how_(how),
        user_(user),
        form_(form),
        fair_(fair),
        leg_(fair ? std::max(least_leg, least_rules * dropin::robust_rule_points(rule, a.ndim)) : a.maxeval),
        divided_(a, rule, form),
        sampled_(a.ncomp),
        keeper_(a.has_file() ? a.statefile : nullptr, empty_state(a)) {
    how.in_parts = true;
    how.may_leave = false;
    if (!given.empty()) divided_.begin_around(given);
  }

  results run() {
    if (!resume() || !is_settled()) {
      while ((divided_open_ || sampled_open_) && used() < a_.maxeval) {  // a file may be of a longer run
        const int64 before = used();
        const bool divide = divided_open_ && (!sampled_open_ || is_turn_of_cubature());
        user_.cores.restart();
        (divide ? advance_cubature() : advance_sampling());
        user_.exception.rethrow();
        if (verbosity(a_.flags) >= 1) show_turn();
        if (has_failed(divided_.r)) return with_all_evaluations(divided_.r);
        if (has_failed(sampled_)) return with_all_evaluations(sampled_);
        if (is_settled()) break;
        if (used() == before) (divide ? divided_open_ : sampled_open_) = false;  // what is left is of no use to it
        if (used() > 0) keeper_.save_now_and_then([this] { return fill(); });
      }
    }
    const results chosen = choose();
    const bool remove_it = chosen.end.status == TESSERA_OK && (a_.flags & keep_state_flag) == 0;
    if (remove_it || used() > 0) keeper_.finish(remove_it, [this] { return fill(); });
    return chosen;
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
    divided_open_ = dropin::is_limit(divided_.r.end.status) && divided_.can_go_on();
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
    sampled_open_ = dropin::is_limit(sampled_.end.status);
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

  void show_turn() {
    const results now = choose();
    say_partition(++turns_, now.regions, used(), a_.ncomp, now.value.data(), now.error.data());
  }

  // ---- The state file: what both sides have, between two turns ---------------------------------------------------------------

  static state empty_state(const divonne_arguments<Count> &a) {
    state s = {a.routine};
    s.ndim = a.ndim;
    s.ncomp = a.ncomp;
    s.rule = 1;  // that of Monte Carlo alone has 0
    return s;
  }
  std::string fill() {
    number_writer to;
    to.put(strictness_);
    to.put(spent_);
    to.put(divided_need_);
    put_results(to, sampled_);
    to.put_all(how_.state);
    to.put_all(how_.grid);
    divided_.put(to);
    keeper_.s.records.swap(to.numbers());
    keeper_.s.count = static_cast<int64>(keeper_.s.records.size());
    keeper_.s.evaluations = used();
    return {};
  }
  bool resume() {
    const bool grid_alone = (a_.flags & grid_only_flag) != 0;
    const bool resumed = keeper_.resume([this, grid_alone] { return grid_alone ? take_grid() : take_all(); });
    if (resumed && verbosity(a_.flags) >= 1) say(std::string(a_.routine) + ": resumed from " + keeper_.path());
    return resumed && !grid_alone;
  }
  // What is wrong with it, or nothing.
  std::string take_all() {
    number_reader from(keeper_.s.records);
    const double strictness = from.get();
    const int64 spent = from.get_count();
    const double need = from.get();
    results seen(a_.ncomp);
    bool good = take_results(from, seen);
    const std::vector<double> of_sampling = from.get_all(), grid = from.get_all();
    good = good && strictness > 0.0 && strictness <= 1.0 && divided_.take(from) &&
           divided() + seen.end.evaluations + spent == keeper_.s.evaluations;
    if (!good) {
      divided_.forget();
      return "it does not go with this library";
    }
    strictness_ = strictness;
    spent_ = spent;
    divided_need_ = need;
    sampled_ = seen;
    how_.state = of_sampling;
    how_.grid = grid;
    // Tolerances may be others now.
    const auto judge = [this](results &r, double most) {
      if (r.end.status == TESSERA_OK && !(distance(a_, r) <= most)) r.end.status = TESSERA_LIMIT_EVALUATIONS;
    };
    judge(divided_.r, strictness_);
    judge(sampled_, 1.0);
    divided_open_ = divided() == 0 || (dropin::is_limit(divided_.r.end.status) && divided_.can_go_on());
    sampled_open_ = sampled() == 0 || dropin::is_limit(sampled_.end.status);
    return {};
  }
  std::string take_grid() {
    number_reader from(keeper_.s.records);
    results unused(a_.ncomp);
    for (int i = 0; i < 3; ++i) from.get();
    take_results(from, unused);
    from.get_all();
    const std::vector<double> grid = from.get_all();
    if (!from.is_good()) return "it does not go with this library";
    how_.grid = grid;
    how_.trained = !grid.empty();
    return {};
  }

  static constexpr int64 least_leg = 1 << 14;  // evaluations of each side before the other has its turn
  static constexpr int64 least_rules = 64;     // and applications of the rule
  static constexpr double least_strictness = 1e-4;
  static constexpr int64 far_ahead = 8, most_proof = int64{1} << 17;
  const divonne_arguments<Count> &a_;
  sampling &how_;
  adapter<divonne_arguments<Count>> &user_;
  const dropin::host_form form_;
  const bool fair_;
  const int64 leg_;
  int64 spent_ = 0;  // samples of runs that were begun anew
  int64 turns_ = 0;
  cubature<Count> divided_;
  results sampled_;
  bool divided_open_ = true, sampled_open_ = true;
  double divided_need_ = 0.0, strictness_ = 1.0;
  state_keeper keeper_;
};

}  // namespace cuba
