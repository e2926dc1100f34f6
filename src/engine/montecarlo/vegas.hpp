// VEGAS with adaptive stratification (Lepage 1978 and 2021): a warm-up that trains the grid, then iterations for the result.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sampling_record.hpp"
#include "shifted_points.hpp"

namespace tessera {

class vegas_sampling : protected shifted_points {
 protected:
  // `grid`: to begin with, empty for a uniform one; at the end that of the last iteration. `record`, unless null, is that of VEGAS
  // after its last iteration; a run that finds one there goes on from it.
  vegas_sampling(sampling_executor &exec, const sampling_settings &settings, double volume, std::vector<double> &grid,
                 std::vector<double> *record, run_hooks &hooks)
      : shifted_points(exec, settings, volume, record != nullptr, hooks),
        grid_(grid),
        cut_(settings.ndim),
        record_(record) {}

  void forget(const std::vector<double> &grid) {
    grid_ = grid;
    cut_ = strata_cut(set_.ndim);
    spread_.clear();
    course_ = {};
    is_there_ = is_away_ = false;
  }

  outcome vegas() {
    statistics_.sampling = sampling_vegas;
    sample_pool pool(set_.ncomp);
    if (record_ && !record_->empty()) {
      recall(pool);
    } else {
      prepare_grid();
      const outcome o = find_scale();
      if (o != outcome::running) return o;
      course_.samples = first_samples();
    }
    if (pool.iterations() == 0) {
      const outcome o = warm_up();
      if (o != outcome::running) return o;
    }
    return has_nets(set_) ? produce_by_nets() : produce(pool);
  }

  // With the grid as it is. The iterations of the warm-up have shown how many samples are worth a look.
  outcome produce_by_nets() {
    const double *const edges = learnt_grid().data();
    if (!has_shifts_for(edges)) {
      make_unknown();
      return outcome::evaluations;
    }
    statistics_.sampling = sampling_vegas;
    statistics_.strata = 1;
    shifted_run run = begin_shifts(edges);
    const outcome o = begin_with(run, course_.samples / run.shifts);
    return o == outcome::running ? finish(run) : o;
  }

  // One iteration of `samples` samples; the grid and the strata learn from it. Sets sums and the samples made.
  outcome iterate(int64 samples, std::vector<sample_sums> &sums, double &made) {
    if (!has_room(samples, true)) return outcome::memory;
    const int64 uniform = samples < few_samples ? 0 : samples / scouting;
    ++begun_;
    if (!is_there_) exec_.begin_course(grid_, cut_.cells(), spread_);
    is_there_ = is_away_ = true;
    cut_.fit(samples - uniform);
    made = static_cast<double>(samples);
    sample_pass pass = pass_of(stream_vegas + course_.iteration++, static_cast<double>(samples - uniform), 1.0);
    pass.scouting = static_cast<double>(uniform) / pass.samples;
    pass.training_skip = training_skip_of(made);
    std::vector<sample_sums> fresh = new_sums();
    int64 left = samples;
    const outcome o =
        exec_.iterate({pass, cut_, samples - uniform, uniform, set_.stratify}, fresh.data(), [&](int64 n) {
          statistics_.evaluations += n * per_sample_;
          left -= n;
          return left > 0 ? pause_ = look(true) : outcome::running;
        });
    if (o != outcome::running) return o;
    pause_ = look();
    sums.swap(fresh);
    // As long as few points carry the integral, the grid follows them, chance or not: there is nothing else to follow.
    sample_pool one(set_.ncomp);
    one.add(sums, 1.0);
    exec_.learn(freedom(one) < least_freedom, set_.damping);
    set_scale(sums);
    statistics_.strata = cut_.cubes();
    return outcome::running;
  }

  // The grid as the iterations have left it.
  std::vector<double> &learnt_grid() {
    if (is_away_) exec_.recall_course(grid_, nullptr);
    is_away_ = false;
    return grid_;
  }

  // Iterations that train grid and strata. Each one is shown as long as there is nothing better.
  outcome warm_up() {
    const bool fixed = set_.warmup >= 0;
    const int most = fixed ? set_.warmup : most_warmup;
    sample_pool none(set_.ncomp);
    while (!course_.over && course_.warmups < most && course_.stale < 2) {
      if (fixed ? affordable() < least_samples
                : affordable() * per_sample_ < 2 * (set_.maxeval / 3) + course_.samples * per_sample_)
        break;
      sample_pool one(set_.ncomp);
      std::vector<sample_sums> sums = new_sums();
      double made;
      const outcome o = iterate(fixed ? std::min(course_.samples, affordable()) : course_.samples, sums, made);
      if (o != outcome::running) return o;
      one.add(sums, made);
      show(one, true);
      if (constant_) {  // there is nothing to train
        const outcome end = judge();
        if (end != outcome::running) return end;
      }
      if (pause_ != outcome::running) return pause_;
      const double now = merit(one);
      const bool believed = freedom(one) >= least_freedom;
      const bool gained = believed && now <= 0.85 * course_.best;
      if (!believed || now > 1.5 * course_.best) {  // something new has been seen
        course_.best = now;
        course_.stale = 0;
      } else {
        course_.stale = gained ? 0 : course_.stale + 1;
        course_.best = std::fmin(course_.best, now);
      }
      course_.spent += made;
      course_.samples = grown(course_.samples);
      // Better training would cost more than it could save.
      course_.over = !fixed && course_.warmups >= 2 && believed && need_ * made <= course_.spent;
      ++course_.warmups;
      const double by_vegas = forecast_of_merit(course_.best, affordable()).samples;
      foresee(believed ? std::fmin(by_vegas, otherwise_) : otherwise_);
      remember(none);
    }
    return outcome::running;
  }

  // Evaluations of the whole run, with so many samples more.
  void foresee(double samples) const {
    shown_.foresee(static_cast<double>(statistics_.evaluations) + samples * static_cast<double>(per_sample_));
  }

  int64 grown(int64 samples) const {
    const int64 more = set_.increase > 0 ? set_.increase : samples / 2 + 1;
    return samples > std::numeric_limits<int64>::max() / 4 - more ? samples : samples + more;
  }

  // Iterations for the result; the pool is empty, or that of a record.
  outcome produce(sample_pool &pool) {
    statistics_.sampling = sampling_vegas;
    for (;;) {
      if (pool.iterations() > 0) {
        show(pool, true);
        outcome o = pool.iterations() > 1 ? judge() : outcome::running;
        if (o == outcome::running) o = pause_;
        if (o != outcome::running) return o;
        course_.samples = next_samples(pool);
        // A last iteration of a few samples would have no idea of its variance.
        if (static_cast<double>(affordable()) <
            larger(2.0, std::fmin(static_cast<double>(set_.points), pool.samples() / 16.0)))
          return outcome::evaluations;
      } else if (affordable() < least_samples) {
        make_unknown();
        return outcome::evaluations;
      }
      std::vector<sample_sums> sums = new_sums();
      double made;
      if (affordable() - course_.samples < course_.samples / 2)  // no small rest
        course_.samples = std::max(least_samples, affordable());
      const outcome o = iterate(course_.samples, sums, made);
      if (o != outcome::running) return o;
      pool.add(sums, made);
      ++statistics_.iterations;
      remember(pool);
    }
  }

  int64 next_samples(const sample_pool &pool) const {
    const int64 samples = grown(course_.samples);
    if (set_.increase > 0 || need_ == 0.0) return samples;
    const double left = (1.1 * need_ - 1.0) * pool.samples();
    // Few looks: each one is a chance to stop on an error that came out too small.
    const double least = larger(left, 0.25 * pool.samples());
    if (least >= static_cast<double>(samples)) return samples;
    return std::max(std::min(set_.points, samples), static_cast<int64>(least));
  }

  void remember(sample_pool &pool) {
    if (!record_) return;
    exec_.recall_course(grid_, &spread_);
    record_->clear();
    record_writer out(*record_);
    transfer_run(out, set_.ndim, set_.ncomp, statistics_, course_, scale_, grid_, cut_, spread_, pool);
  }
  void recall(sample_pool &pool) {
    record_reader in(*record_);
    transfer_run(in, set_.ndim, set_.ncomp, statistics_, course_, scale_, grid_, cut_, spread_, pool);
    begun_ = course_.iteration;
    statistics_.strata = cut_.cubes();
  }

  void prepare_grid() {
    if (grid_.empty()) grid_ = uniform_grid(set_.ndim);
  }

  // The training counts squares in units of their mean, which a few samples show; the first iteration corrects it. They also give
  // a value, should the run end within that.
  outcome find_scale() {
    std::vector<sample_sums> sums = new_sums();
    int64 n = std::max(least_samples, std::min<int64>(first_samples() / 8, most_probes));
    ++begun_;  // of the first iteration, in whose estimate it does not count
    const outcome o = run_plain(0, n, 0.0, sums);
    --begun_;
    if (o != outcome::running && (!is_ended(o) || n == 0)) return o;
    set_scale(sums);
    sample_pool pool(set_.ncomp);
    pool.add(sums, static_cast<double>(n));
    show(pool, false);
    return is_ended(o) ? o : look();
  }

  static constexpr int most_warmup = 24;
  static constexpr int64 most_probes = 1024;
  static constexpr int64 scouting = 10, few_samples = 40;  // one in ten is uniform, none in small iterations

  std::vector<double> &grid_;
  strata_cut cut_;
  std::vector<double> spread_;  // of a record
  bool is_there_ = false;       // at the executor
  bool is_away_ = false;        // and the grid has changed there
  vegas_course course_;
  double otherwise_ = infinity_value();  // samples that another way promises to need
  std::vector<double> *const record_;
};

}  // namespace tessera
