// VEGAS with adaptive stratification (Lepage 1978 and 2021): a warm-up that trains the grid, then iterations for the result.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "importance_grid.hpp"
#include "sampling_record.hpp"
#include "shifted_points.hpp"
#include "strata.hpp"

namespace tessera {

class vegas_sampling : protected shifted_points {
 protected:
  // `grid`: to begin with, empty for a uniform one; at the end that of the last iteration. `record`, unless null, is that of VEGAS
  // after its last iteration; a run that finds one there goes on from it.
  vegas_sampling(sampling_executor &exec, const sampling_settings &settings, double volume, std::vector<double> &grid,
                 std::vector<double> *record, run_hooks &hooks)
      : shifted_points(exec, settings, volume, record != nullptr, hooks),
        grid_(grid),
        strata_(settings.ndim),
        record_(record) {}

  void forget(const std::vector<double> &grid) {
    grid_ = grid;
    strata_ = strata(set_.ndim);
    course_ = {};
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
    if (!has_shifts_for(grid_.data())) {
      make_unknown();
      return outcome::evaluations;
    }
    statistics_.sampling = sampling_vegas;
    statistics_.strata = 1;
    shifted_run run = begin_shifts(grid_.data());
    const outcome o = begin_with(run, course_.samples / run.shifts);
    return o == outcome::running ? finish(run) : o;
  }

  outcome run_pieces(const sample_pass &pass, std::vector<sample_sums> &sums) {
    spread_.resize(pieces_.size());
    const outcome o = exec_.run(pass, pieces_.data(), static_cast<int64>(pieces_.size()), sums.data(), spread_.data());
    if (o != outcome::running) return o;
    for (const sample_piece &p : pieces_) statistics_.evaluations += p.count * per_sample_;
    return o;
  }

  // One iteration of `samples` samples; the grid and the strata learn from it. Sets sums and the samples made.
  outcome iterate(int64 samples, std::vector<sample_sums> &sums, double &made) {
    if (!has_room(samples, true)) return outcome::memory;
    const int64 uniform = samples < few_samples ? 0 : samples / scouting;
    ++begun_;
    strata_.share_out(samples - uniform, set_.stratify);
    const std::vector<int64> &counts = strata_.counts();
    made = static_cast<double>(samples);
    sample_pass pass = pass_of(stream_vegas + course_.iteration++, static_cast<double>(samples - uniform), 1.0);
    pass.share = pass.samples / made;
    cells_.resize(count(set_.ndim));
    for (std::size_t j = 0; j < cells_.size(); ++j) cells_[j] = cells_of(strata_.cells()[j]);
    pass.cells = cells_.data();
    pass.edges = grid_.data();
    const double cubes = static_cast<double>(counts.size());
    const int64 slice = exec_.slice_samples(true);
    std::vector<double> spread(counts.size(), 0.0);
    std::vector<sample_sums> fresh = new_sums();
    std::size_t cube = 0;
    int64 left = uniform, first = 0, within = 0;  // samples before, in all and in the cube
    while (cube < counts.size() || left > 0) {
      pieces_.clear();
      int64 in_slice = 0;
      while (cube < counts.size() && in_slice < slice && pieces_.size() < exec_.slice_pieces()) {
        const int64 n = part_of(counts[cube] - within, slice);
        add_pieces(pieces_, static_cast<int64>(cube), first, n, 1.0 / cubes, static_cast<double>(counts[cube]));
        first += n;
        in_slice += n;
        within += n;
        if (within == counts[cube]) {
          ++cube;
          within = 0;
        }
      }
      if (cube == counts.size() && left > 0 && in_slice < slice) {
        const int64 n = part_of(left, slice);
        add_pieces(pieces_, scouts, first, n, 1.0, static_cast<double>(uniform));
        first += n;
        left -= n;
      }
      const outcome o = run_pieces(pass, fresh);
      if (o != outcome::running) return o;
      for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const sample_piece &p = pieces_[i];
        if (p.cube == scouts) continue;
        spread[count(p.cube)] += spread_[i] * static_cast<double>(p.count) / static_cast<double>(counts[count(p.cube)]);
      }
      pause_ = look();
      if (pause_ != outcome::running && (cube < counts.size() || left > 0)) return pause_;
    }
    sums.swap(fresh);
    learn(sums, spread);
    return outcome::running;
  }

  void learn(const std::vector<sample_sums> &sums, const std::vector<double> &spread) {
    std::vector<uint64> training(count(set_.ndim) * grid_bins, 0);
    const double squares = exec_.take_training(training.data());
    // As long as few points carry the integral, the grid follows them, chance or not: there is nothing else to follow.
    sample_pool one(set_.ncomp);
    one.add(sums, 1.0);
    refine_grid(set_.ndim, training, freedom(one) < least_freedom ? 0.0 : squares, set_.damping, grid_);
    strata_.learn(spread);
    set_scale(sums);
    statistics_.strata = strata_.cubes();
  }

  // Iterations that train grid and strata. Each one is shown as long as there is nothing better.
  outcome warm_up() {
    const bool fixed = set_.warmup >= 0;
    const int most = fixed ? set_.warmup : most_warmup;
    sample_pool none(set_.ncomp);
    while (!course_.over && course_.warmups < most && course_.stale < 2) {
      if (fixed ? affordable() < least_samples
                : (set_.maxeval - statistics_.evaluations < 2 * (set_.maxeval / 3) + course_.samples * per_sample_))
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
      remember(none);
    }
    return outcome::running;
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
    record_->clear();
    record_writer out(*record_);
    transfer_run(out, set_.ndim, set_.ncomp, statistics_, course_, scale_, grid_, strata_, pool);
  }
  void recall(sample_pool &pool) {
    record_reader in(*record_);
    transfer_run(in, set_.ndim, set_.ncomp, statistics_, course_, scale_, grid_, strata_, pool);
    begun_ = course_.iteration;
    statistics_.strata = strata_.cubes();
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
  strata strata_;
  vegas_course course_;
  std::vector<double> *const record_;
  std::vector<sample_cells> cells_;
  std::vector<sample_piece> pieces_;
  std::vector<double> spread_;
};

}  // namespace tessera
