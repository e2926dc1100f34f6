// Monte Carlo integration: plain sampling, VEGAS with adaptive stratification (Lepage 1978 and 2021), both with nets, and the choice.
//
// Points are functions of the seed, the iteration and their index. Independent points that decide something (how to sample, when the grid is
// good enough) are never part of the result, apart from when to stop. Points of nets that have been tried stay where their way is chosen.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "grid_grain.hpp"
#include "vegas.hpp"

namespace tessera {

class monte_carlo : private vegas_sampling {
 public:
  // `grid` and `record`: see vegas_sampling.
  monte_carlo(sampling_executor &exec, const sampling_settings &settings, const std::vector<sample_axis> &axes,
              double volume, std::vector<double> &grid, std::vector<double> *record, run_hooks &hooks)
      : vegas_sampling(exec, settings, volume, grid, record, hooks), axes_(axes) {}

  // value, error and chi_square [ncomp] are set unless the integrand failed before there were any.
  outcome run(double *value, double *error, double *chi_square, bool &has_value) {
    shown_.begin(value, error);
    chi_square_ = chi_square;
    const std::vector<double> grid = grid_;
    outcome end = sample();
    if (end == outcome::stopped && wants_unit()) {
      take_unit();
      begin_anew(grid);
      end = sample();
    }
    learnt_grid();
    if (end == outcome::nonfinite) make_unknown();
    // A grid that has been trained tells of plain samples too.
    if (shown_.there && (statistics_.sampling == sampling_vegas || course_.warmups > 1)) end = doubt_numbers(end);
    if (end != outcome::converged) doubt_constant();
    if (end == outcome::evaluations && heavy_tail_) end = outcome::heavy_tail;
    has_value = shown_.there;
    return end;
  }
  const sampling_statistics &statistics() const { return statistics_; }
  // Why samples that would do do not; "" where that is not so.
  const char *remark() const { return remark_; }

 private:
  static constexpr double most_growth = 16.0;
  static constexpr double worth_a_grid = 16.0;  // first iterations that plain sampling would still need
  static constexpr int64 trial_growth = 4;

  outcome sample() {
    if (set_.sampling == sampling_plain) return set_.shifts > 0 ? shifted() : plain();
    return set_.sampling == sampling_vegas ? vegas() : has_nets(set_) ? choose() : automatic();
  }

  // What lies between neighbouring numbers is missing in the value, and no number of samples will show it.
  outcome doubt_numbers(outcome end) {
    constexpr double much = 0.01;  // of an error
    const double missing = share_between_numbers(axes_, grid_);
    for (int k = 0; k < set_.ncomp; ++k) {
      double &error = shown_.error[k];
      const double more = missing * magnitude(set_, k, [this](int c) { return shown_.value[c]; });
      if (!(more > much * error && error < infinity_value())) continue;
      heavy_tail_ = heavy_tail_ || more > error;
      error += more;
      if (end != outcome::converged || !(error > tolerated(set_, k, shown_.now()))) continue;
      end = outcome::heavy_tail;
      remark_ =
          "a singularity is so strong that too much of the integral lies between it and the numbers next to it in "
          "double precision: a change of variables that moves it to 0 would help, more evaluations would not";
    }
    return end;
  }

  // Forgets what has been found; the evaluations stay counted.
  void begin_anew(const std::vector<double> &grid) {
    forget(grid);
    std::fill(scale_.begin(), scale_.end(), 1.0);
    next_sample_ = statistics_.iterations = 0;
    heavy_tail_ = false;
    pause_ = outcome::running;
  }

  // ---- Plain sampling -----------------------------------------------------------------------------------------------------
  // Adds samples to the pool; all are shown. Returns time, stopped or what the integrand did.
  outcome extend(sample_pool &pool, int64 more) {
    if (!has_room(more, false)) return outcome::memory;
    ++begun_;
    const auto all = static_cast<double>(more);
    while (more > 0) {
      int64 n = part_of(more, exec_.slice_samples(false));
      std::vector<sample_sums> sums = new_sums();
      const outcome o = run_plain(next_sample_, n, static_cast<double>(n) / all, sums);
      if (o != outcome::running && (!is_ended(o) || n == 0)) return o;
      next_sample_ += n;
      more -= n;
      pool.add(sums, static_cast<double>(n));
      set_scale(sums);
      show(pool, false);
      if (o != outcome::running) return o;
      pause_ = look(more > 0);
      if (pause_ != outcome::running && more > 0) return pause_;
    }
    ++statistics_.iterations;
    return outcome::running;
  }

  outcome shifted() {
    statistics_.sampling = sampling_plain;
    shifted_run run = begin_shifts(nullptr);
    const outcome o = begin_with(run, set_.points);
    return o == outcome::running ? finish(run) : o;
  }

  outcome plain() {
    sample_pool pool(set_.ncomp);
    return go_on(pool, first_samples());
  }

  outcome go_on(sample_pool &pool, int64 more) {
    statistics_.sampling = sampling_plain;
    for (;;) {
      outcome o = extend(pool, more);
      if (o == outcome::running) o = judge();
      if (o == outcome::running) o = pause_;
      if (o != outcome::running) return o;
      const double growth = std::fmin(larger(1.1 * need_, 1.25), most_growth);
      const double wanted = set_.increase > 0 ? static_cast<double>(set_.increase) : (growth - 1.0) * pool.samples();
      more = static_cast<int64>(std::fmin(wanted, 4e18));
      more = std::min(std::max(more, least_samples), affordable());
      if (more < least_samples) return outcome::evaluations;
    }
  }

  // ---- The choice -----------------------------------------------------------------------------------------------------------
  // A first iteration of plain sampling. If it shows that not much more of it is needed, that is made; else VEGAS is warmed up and
  // taken if it halves the evaluations. Plain sampling begins anew then, with other points: those of the first iteration have
  // decided.
  outcome automatic() {
    sample_pool pilot(set_.ncomp);
    outcome o = extend(pilot, first_samples());
    if (o == outcome::running) o = judge();
    if (o == outcome::running) o = pause_;
    if (o == outcome::running && affordable() < least_samples) o = outcome::evaluations;
    if (o != outcome::running) return o;
    if (freedom(pilot) >= least_freedom && !constant_ && need_ <= worth_a_grid) {
      const int64 more =
          static_cast<int64>(larger(1.1 * need_, 1.2) * pilot.samples()) - static_cast<int64>(pilot.samples());
      return go_on(pilot, std::max(least_samples, std::min(more, affordable())));
    }
    const bool believed = freedom(pilot) >= least_freedom;
    const double alone = merit(pilot);
    prepare_grid();
    course_.samples = first_samples();
    o = warm_up();
    if (o != outcome::running) return o;
    if (affordable() < least_samples) return outcome::evaluations;
    sample_pool pool(set_.ncomp);
    if (!believed || course_.best * course_.best <= 0.5 * alone * alone) return produce(pool);
    statistics_.iterations = 0;
    return go_on(pool, std::max(least_samples, std::min(course_.samples, affordable())));
  }

  // The same with nets. The plain samples are those of shifts, few points of each at first, and are doubled as long as the last doubling
  // promises that not much more is needed. Else VEGAS is warmed up, and nets go through its grid, a few points at first as well: in many
  // variables and beside jumps independent samples in strata may do better, which the spreads tell.
  outcome choose() {
    statistics_.sampling = sampling_plain;
    shifted_run plain = begin_shifts(nullptr);
    outcome o = begin_with(plain, set_.points / set_.shifts);
    if (o == outcome::running) o = try_out(plain, worth_a_grid * static_cast<double>(set_.points));
    if (o != outcome::running) return o;
    plain.nets = {};  // no memory for what may not go on
    otherwise_ = forecast_of(plain).samples;
    foresee(otherwise_);
    prepare_grid();
    course_.samples = first_samples();
    o = warm_up();
    if (o != outcome::running) return o;
    const bool independent = set_.generator == generator_auto;
    const forecast by_plain = forecast_of(plain),
                   by_vegas = independent ? forecast_of_merit(course_.best, affordable()) : forecast();
    const double *const edges = learnt_grid().data();
    if (has_shifts_for(edges) && by_plain.samples > static_cast<double>(course_.samples)) {
      shifted_run nets = begin_shifts(edges);
      o = begin_with(nets, course_.samples / (trial_growth * nets.shifts));
      if (o == outcome::running) o = try_out(nets, 0.0);
      if (o != outcome::running && o != outcome::evaluations) return o;
      const forecast by_nets = forecast_of(nets);
      if (is_better(by_nets, by_plain, affordable()) && is_better(by_nets, by_vegas, affordable())) {
        statistics_.sampling = sampling_vegas;
        statistics_.strata = 1;
        foresee(by_nets.samples);
        return finish(nets);
      }
    }
    if (!is_better(by_plain, by_vegas, affordable())) {
      statistics_.iterations = 0;
      foresee(by_vegas.samples);
      sample_pool pool(set_.ncomp);
      return produce(pool);
    }
    show_run(plain);
    foresee(by_plain.samples);
    return finish(plain);
  }
  // Doubles the points until there are trial_growth times as many, and further where no more than `little` is left to make.
  outcome try_out(shifted_run &run, double little) {
    const int64 first = run.points;
    for (;;) {
      outcome o = judge();
      if (o == outcome::running) o = pause_;
      if (o != outcome::running) return o;
      const bool believed = freedom(run.pool) >= least_freedom || constant_;
      if (!believed || (run.points >= trial_growth * first && !(forecast_of(run).samples <= little)))
        return outcome::running;
      if (!can_double(run)) return outcome::evaluations;
      o = go_to(run, 2 * run.points);
      if (o != outcome::running) return o;
    }
  }

  const std::vector<sample_axis> &axes_;
  const char *remark_ = "";
  int64 next_sample_ = 0;
};

}  // namespace tessera
