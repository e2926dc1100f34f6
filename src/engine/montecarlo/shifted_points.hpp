// The same first n = 2^m points of a sequence under every random shift: each shift gives an independent mean, from whose
// spread comes the error. Doubling n keeps all evaluations. A doubling that is interrupted leaves no trace; of the first points what
// there is is taken as if it were independent.
//
// With a grid, which stays as it is, every shift has two nets: that of the grid, and one with an eighth as many scouts, which are uniform.
// They share the integrand as the samples of VEGAS do, and what each takes of it is integrated by its own net.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "sampling_passes.hpp"

namespace tessera {

class shifted_points : protected sampling_passes {
 protected:
  using sampling_passes::sampling_passes;

  struct randomisations {
    std::vector<uint64> words;  // of the first one and those behind it
    int64 first = -1;
  };
  struct shifted_run {
    const double *edges;  // grid_edges for each axis; null: the points are uniform
    int64 shifts, most;   // points of a shift
    int columns;
    int64 points = 0, looks = 0;  // points of a shift, so far
    std::vector<compensated_sum> totals;
    sample_pool pool;                // of all samples, as if they were independent
    double now = 0.0, before = 0.0;  // distance, and with half the points; 0: not known
    randomisations nets, scout_nets;

    double with_scouts(double n) const { return edges ? n + n / points_per_scout : n; }
    double samples(double n) const { return static_cast<double>(shifts) * with_scouts(n); }
  };

  int64 least_points(const double *edges) const { return edges ? 2 * points_per_scout : least_samples; }
  bool has_shifts_for(const double *edges) const { return affordable() / 2 >= least_points(edges) * 9 / 8; }

  // A run whose evaluations must do for two points of two shifts.
  shifted_run begin_shifts(const double *edges) const {
    shifted_run run = {edges, 0, least_points(edges), 1, 0, 0, {}, sample_pool(set_.ncomp), 0.0, 0.0, {}, {}};
    const auto all = static_cast<double>(affordable());
    const double some = std::floor(all / run.with_scouts(static_cast<double>(run.most)));
    run.shifts = some < static_cast<double>(set_.shifts) ? std::max<int64>(2, static_cast<int64>(some)) : set_.shifts;
    while (run.most < int64{1} << sobol_most_log && run.samples(2.0 * static_cast<double>(run.most)) <= all)
      run.most *= 2;
    while (int64{1} << run.columns < run.most) ++run.columns;
    run.totals.resize(count(run.shifts * set_.ncomp));
    return run;
  }

  // So many points to begin with, rounded up to a power of two, as far as there are evaluations.
  outcome begin_with(shifted_run &run, int64 wanted) {
    const int64 most =
        set_.generator == generator_curand_sobol ? std::min(run.most, exec_.slice_samples(false)) : run.most;
    int64 n = least_points(run.edges);
    // A run has two points of two shifts in any case, but not one that begins anew.
    if (statistics_.evaluations > 0 && run.samples(static_cast<double>(n)) > static_cast<double>(affordable()))
      return outcome::evaluations;
    while (n < wanted && 2 * n <= most) n *= 2;
    if (!has_room(least_samples, run.edges != nullptr)) return outcome::memory;
    return go_to(run, n);
  }
  bool can_double(const shifted_run &run) const {
    return 2 * run.points <= run.most &&
           run.samples(static_cast<double>(run.points)) <= static_cast<double>(affordable());
  }

  // n points of every shift, which are shown. Returns time, stopped or what the integrand did.
  outcome go_to(shifted_run &run, int64 n) {
    const outcome o = add_points(run, n);
    if (is_ended(o) && !shown_.there && run.pool.samples() > 0.0) show(run.pool, false);
    if (o != outcome::running) return o;
    ++run.looks;
    run.before = run.now;
    show_run(run);
    pause_ = look();
    return outcome::running;
  }
  void show_run(shifted_run &run) {
    statistics_.iterations = run.looks;
    show_shifts(run.totals, run.shifts, run.points, run.pool);
    run.now = distance([this](int k) -> value_and_error { return {shown_.value[k], shown_.error[k]}; });
  }

  // Doubles until the run is over.
  outcome finish(shifted_run &run) {
    for (;;) {
      outcome o = judge();
      if (o == outcome::running) o = pause_;
      if (o != outcome::running) return o;
      if (!can_double(run)) return outcome::evaluations;
      o = go_to(run, 2 * run.points);
      if (o != outcome::running) return o;
    }
  }

  // As far as the last doubling tells: at least with the root of the number of points the error falls, and not faster than with the number
  // itself. Nothing is promised where few samples carry the integral.
  forecast forecast_of(const shifted_run &run) const {
    if (freedom(run.pool) < least_freedom || run.now == 0.0) return {};
    const double halving = std::log2(run.before / run.now);
    const double rate = halving > 0.5 ? std::fmin(halving, 1.0) : 0.5;
    if (!can_double(run)) return {infinity_value(), run.now};
    const double made = run.samples(static_cast<double>(run.points)), all = made + static_cast<double>(affordable());
    return {need_ < infinity_value() ? made * (std::pow(run.now, 1.0 / rate) - 1.0) : infinity_value(),
            run.now * std::pow(made / all, rate)};
  }

 private:
  static constexpr int64 points_per_scout = 8;
  static constexpr uint32 scout_nets = uint32{1} << 31;  // the number of their first randomisation

  // Up to n points of every shift. A slice goes through all shifts, so that its points are made once; the shifts of a call have no
  // more samples than a slice.
  outcome add_points(shifted_run &run, int64 n) {
    ++begun_;
    const double all = static_cast<double>(n - run.points) * static_cast<double>(run.shifts);
    const int64 slice = exec_.slice_samples(run.edges != nullptr);
    while (run.points < n) {
      const int64 part = part_of(n - run.points, slice);
      int64 together = std::max<int64>(1, slice / part);
      if (has_nets(set_)) together = std::min(together, nets_together(set_, run.columns));
      for (int64 shift = 0, many; shift < run.shifts; shift += many) {
        many = std::min(together, run.shifts - shift);
        std::vector<sample_sums> sums(count(many * set_.ncomp));
        int64 made = 0;
        sample_pass pass = pass_of(stream_plain, static_cast<double>(part), static_cast<double>(part) / all);
        pass.shift = shift;
        if (has_nets(set_)) pass.sobol = nets_of(run.nets, run.columns, shift, many, 0);
        const outcome o = run.edges ? run_through_grid(run, pass, part, many, sums, made)
                                    : run_shifts(pass, run.points, part, many, sums, made);
        if (o != outcome::running && !is_ended(o)) return o;
        for (int64 r = 0; r < many && made > 0; ++r, made -= part) {
          const auto at = sums.begin() + r * set_.ncomp;
          const std::vector<sample_sums> one(at, at + set_.ncomp);
          set_scale(one);
          run.pool.add(one, run.with_scouts(static_cast<double>(std::min(made, part))));
          for (int k = 0; k < set_.ncomp; ++k)
            run.totals[count((shift + r) * set_.ncomp + k)].add(static_cast<double>(part) * at[k].value.value());
        }
        if (o != outcome::running) return o;
        if (!shown_.there) continue;
        pause_ = look(true);
        if (pause_ != outcome::running) return pause_;
      }
      run.points += part;
    }
    return outcome::running;
  }

  // Sets `made`: samples of which sums are.
  outcome run_shifts(const sample_pass &pass, int64 first, int64 samples, int64 shifts, std::vector<sample_sums> &sums,
                     int64 &made) {
    made = samples * shifts;
    const outcome o = exec_.run_shifts(pass, first, samples, shifts, sums.data(), made);
    if (o == outcome::running || is_ended(o)) statistics_.evaluations += made * per_sample_;
    return o;
  }

  // The points of both nets, or none.
  outcome run_through_grid(shifted_run &run, sample_pass &pass, int64 samples, int64 shifts,
                           std::vector<sample_sums> &sums, int64 &made) {
    const std::vector<sample_cells> one(count(set_.ndim), cells_of(1));
    pass.cells = one.data();
    pass.edges = run.edges;
    pass.scouting = 1.0 / points_per_scout;
    int64 there;
    outcome o = run_shifts(pass, run.points, samples, shifts, sums, there);
    if (o != outcome::running) return o;
    pass.cube = scouts;
    pass.sobol = nets_of(run.scout_nets, run.columns, pass.shift, shifts, scout_nets);
    o = run_shifts(pass, run.points / points_per_scout, samples / points_per_scout, shifts, sums, there);
    if (o == outcome::running) made = samples * shifts;
    return o;
  }

  // Randomisations shift, shift + 1, ... of those from number `from` on.
  sobol_net nets_of(randomisations &nets, int columns, int64 shift, int64 many, uint32 from) const {
    const int64 words = sobol_words(set_.ndim, columns);
    if (nets.first != shift || static_cast<int64>(nets.words.size()) != many * words) {
      nets.words.resize(count(many * words));
      for (int64 r = 0; r < many; ++r)
        scramble_sobol(set_.seed, from + static_cast<uint32>(shift + r), set_.ndim, columns,
                       &nets.words[count(r * words)]);
      nets.first = shift;
    }
    return {nets.words.data(), columns};
  }
};

}  // namespace tessera
