// Monte Carlo integration: plain sampling, and VEGAS with adaptive stratification (Lepage 1978 and 2021).
//
// Points are functions of the seed, the iteration and their index. What decides something (how to sample, when the grid is good
// enough) is never part of the result, apart from when to stop.
//
// The executor offers
//   run_plain(pass, first, samples, sums)  evaluates the pieces of cut_into_pieces(samples) and adds their estimates to sums[ncomp];
//                                          returns running, or callback, nonfinite, memory with sums as they were. Where it looks at the
//                                          clock itself, also time and stopped; sums and `samples` are then of those that it has made
//   run_shifts(pass, first, samples, shifts, sums, made)
//                                          the same for pass.shift and the shifts behind it, sums[shifts*ncomp]; returns running, or
//                                          what ended it, with the number of samples that it has made, one shift after the other;
//                                          the shift at which it broke off has sums of these
//   run(pass, pieces, n, sums, spread)     the same for n pieces of consecutive samples, of a pass with a grid; sets spread[n], the
//                                          variance of one sample in each
//   take_training(counts)                  counts[ndim*grid_bins] since the last call; returns the sum of the squares of what
//                                          each point has counted; passes with a grid count
//   slice_samples(grid), slice_pieces()    what one call may have, several cut_samples: between calls the clock is looked at
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "importance_grid.hpp"
#include "sampling_estimates.hpp"
#include "sampling_record.hpp"
#include "strata.hpp"

namespace tessera {

template <class Executor>
class monte_carlo : private sampling_estimates {
 public:
  // `grid`: to begin with, empty for a uniform one; at the end that of the last iteration. `record`, unless null, is that of VEGAS
  // after its last iteration; a run that finds one there goes on from it.
  monte_carlo(Executor &exec, const sampling_settings &settings, double volume, std::vector<double> &grid,
              std::vector<double> *record, run_hooks &hooks)
      : sampling_estimates(settings, volume, hooks),
        exec_(exec),
        grid_(grid),
        record_(record),
        per_sample_(settings.antithetic ? 2 : 1),
        scale_(count(settings.ncomp), 1.0),
        strata_(settings.ndim) {}

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
    if (end == outcome::nonfinite) make_unknown();
    if (end != outcome::converged) doubt_constant();
    if (end == outcome::evaluations && heavy_tail_) end = outcome::heavy_tail;
    has_value = shown_.there;
    return end;
  }
  const sampling_statistics &statistics() const { return statistics_; }

 private:
  static constexpr double most_growth = 16.0;
  static constexpr double worth_a_grid = 16.0;  // first iterations that plain sampling would still need
  static constexpr int most_warmup = 24;
  static constexpr int64 most_probes = 1024;
  static constexpr int64 scouting = 10, few_samples = 40;  // one in ten is uniform, none in small iterations
  static constexpr uint32 stream_plain = 0, stream_vegas = 1;

  static std::size_t count(int64 n) { return static_cast<std::size_t>(n); }
  std::vector<sample_sums> new_sums() const { return std::vector<sample_sums>(count(set_.ncomp)); }
  int64 affordable() const { return (set_.maxeval - statistics_.evaluations) / per_sample_; }
  int64 first_samples() const { return std::max(least_samples, std::min(set_.points, affordable())); }

  outcome sample() {
    if (set_.shifts > 0) return shifted();
    if (set_.sampling == sampling_plain) return plain();
    return set_.sampling == sampling_vegas ? vegas() : automatic();
  }

  // Forgets what has been found; the evaluations stay counted.
  void begin_anew(const std::vector<double> &grid) {
    grid_ = grid;
    std::fill(scale_.begin(), scale_.end(), 1.0);
    strata_ = strata(set_.ndim);
    course_ = {};
    next_sample_ = statistics_.iterations = 0;
    heavy_tail_ = false;
    pause_ = outcome::running;
  }

  // A record of VEGAS has no place for a unit: runs that keep one go on as they are, and those that have no evaluations left.
  bool wants_unit() const { return out_of_range() && !record_ && affordable() >= first_samples(); }
  // Between two steps.
  outcome look() {
    if (wants_unit()) return outcome::stopped;
    return shown_.look(statistics_.evaluations);
  }

  // ---- Passes -----------------------------------------------------------------------------------------------------------
  // portion: that the estimate of the pass has in that of the iteration.
  sample_pass pass_of(uint32 stream, double samples, double portion) {
    sample_pass p = {};
    p.seed = set_.seed;
    p.stream = stream;
    p.antithetic = set_.antithetic;
    p.shift = -1;
    p.threefry = set_.generator == generator_threefry;
    p.scale = scale_.data();
    p.samples = samples;
    p.share = 1.0;
    p.point_weight = portion * volume_ / static_cast<double>(per_sample_);
    p.iteration = static_cast<double>(begun_);
    p.unit = unit();
    p.most_quantum = std::ldexp(
        1.0, std::min(40, 61 - std::ilogb(samples * static_cast<double>(per_sample_))));  // all together below 2^63
    return p;
  }

  outcome run_pieces(const sample_pass &pass, std::vector<sample_sums> &sums) {
    spread_.resize(pieces_.size());
    const outcome o = exec_.run(pass, pieces_.data(), static_cast<int64>(pieces_.size()), sums.data(), spread_.data());
    if (o != outcome::running) return o;
    for (const sample_piece &p : pieces_) statistics_.evaluations += p.count * per_sample_;
    return o;
  }
  // Where the time is over, `samples` becomes the number that has been made, of which sums are.
  outcome run_plain(int64 first, int64 &samples, double portion, std::vector<sample_sums> &sums) {
    const sample_pass pass = pass_of(stream_plain, static_cast<double>(samples), portion);
    const outcome o = exec_.run_plain(pass, first, samples, sums.data());
    if (!is_ended(o) && o != outcome::running) return o;
    statistics_.evaluations += samples * per_sample_;
    return o;
  }

  void set_scale(const std::vector<sample_sums> &sums) {
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const double other = set_.complex_values ? sums[k ^ 1].square.value() : 0.0;
      const double square = sums[k].square.value() + other;
      if (square > 0.0) scale_[k] = std::fmin(1.0 / square, 1e300);
    }
  }

  // Shows that nothing is known, unless something is.
  void make_unknown() {
    if (!shown_.there) std::fill_n(chi_square_, set_.ncomp, 0.0);
    shown_.make_unknown();
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
      pause_ = look();
      if (pause_ != outcome::running && more > 0) return pause_;
    }
    ++statistics_.iterations;
    return outcome::running;
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

  // ---- Shifted points ----------------------------------------------------------------------------------------------------
  // The same first n = 2^m points of a sequence under every random shift: each shift gives an independent mean, from whose
  // spread comes the error. Doubling n keeps all evaluations. A doubling that is interrupted leaves no trace; of the first points what
  // there is is taken as if it were independent.
  outcome shifted() {
    statistics_.sampling = sampling_plain;
    const int64 all = set_.maxeval / per_sample_;
    const int64 shifts = std::max<int64>(2, std::min(set_.shifts, all / least_samples));
    const int64 most = std::min(all / shifts, int64{1} << sobol_most_log),
                first = set_.generator == generator_curand_sobol ? exec_.slice_samples(false) : most;
    int64 n = least_samples;
    while (n < set_.points && 2 * n <= std::min(most, first)) n *= 2;
    if (!has_room(least_samples, false)) return outcome::memory;
    net_columns_ = 1;
    while (int64{2} << net_columns_ <= most) ++net_columns_;
    std::vector<compensated_sum> totals(count(shifts * set_.ncomp));
    sample_pool pool(set_.ncomp);
    for (int64 done = 0;; n *= 2) {
      outcome o = add_points(done, n, shifts, totals, pool);
      if (is_ended(o) && !shown_.there && pool.samples() > 0.0) show(pool, false);
      if (o != outcome::running) return o;
      done = n;
      ++statistics_.iterations;
      show_shifts(totals, shifts, n, pool);
      pause_ = look();
      o = judge();
      if (o == outcome::running) o = pause_;
      if (o != outcome::running) return o;
      if (n > most / 2) return outcome::evaluations;
    }
  }

  // Points done ... n - 1 of every shift. A slice goes through all shifts, so that its points are made once; the shifts of a call have no
  // more samples than a slice.
  outcome add_points(int64 done, int64 n, int64 shifts, std::vector<compensated_sum> &totals, sample_pool &pool) {
    ++begun_;
    const double all = static_cast<double>(n - done) * static_cast<double>(shifts);
    const int64 slice = exec_.slice_samples(false);
    while (done < n) {
      const int64 part = part_of(n - done, slice);
      int64 together = std::max<int64>(1, slice / part);
      if (set_.generator == generator_sobol) together = std::min(together, nets_together(set_, net_columns_));
      for (int64 shift = 0, many; shift < shifts; shift += many) {
        many = std::min(together, shifts - shift);
        std::vector<sample_sums> sums(count(many * set_.ncomp));
        sample_pass pass = pass_of(stream_plain, static_cast<double>(part), static_cast<double>(part) / all);
        pass.shift = shift;
        if (set_.generator == generator_sobol) pass.sobol = nets_of(shift, many);
        int64 made = part * many;
        const outcome o = exec_.run_shifts(pass, done, part, many, sums.data(), made);
        if (o != outcome::running && !is_ended(o)) return o;
        statistics_.evaluations += made * per_sample_;
        for (int64 r = 0; r < many && made > 0; ++r, made -= part) {
          const auto at = sums.begin() + r * set_.ncomp;
          pool.add({at, at + set_.ncomp}, static_cast<double>(std::min(made, part)));
          for (int k = 0; k < set_.ncomp; ++k)
            totals[count((shift + r) * set_.ncomp + k)].add(static_cast<double>(part) * at[k].value.value());
        }
        if (o != outcome::running) return o;
        if (!shown_.there) continue;
        pause_ = look();
        if (pause_ != outcome::running) return pause_;
      }
      done += part;
    }
    return outcome::running;
  }

  // Randomisations shift, shift + 1, ...
  sobol_net nets_of(int64 shift, int64 many) {
    const int64 words = sobol_words(set_.ndim, net_columns_);
    if (first_net_ != shift || static_cast<int64>(nets_.size()) != many * words) {
      nets_.resize(count(many * words));
      for (int64 r = 0; r < many; ++r)
        scramble_sobol(set_.seed, static_cast<uint32>(shift + r), set_.ndim, net_columns_, &nets_[count(r * words)]);
      first_net_ = shift;
    }
    return {nets_.data(), net_columns_};
  }

  // ---- VEGAS --------------------------------------------------------------------------------------------------------------
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
    return produce(pool);
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

  Executor &exec_;
  std::vector<double> &grid_;
  std::vector<double> *record_;
  const int64 per_sample_;
  std::vector<double> scale_;
  strata strata_;
  std::vector<sample_cells> cells_;
  std::vector<sample_piece> pieces_;
  std::vector<double> spread_;
  int64 next_sample_ = 0, begun_ = 0;  // begun_: iterations
  std::vector<uint64> nets_;           // randomisations first_net_ and those behind it
  int64 first_net_ = -1;
  int net_columns_ = 1;
  vegas_course course_;
  outcome pause_ = outcome::running;
};

}  // namespace tessera
