// The race of a sparse grid with adaptive subdivision for one integral: between the steps of the subdivision the sparse grid takes its turn,
// and where its own estimate meets the tolerance and its value agrees with that of the regions, the run ends with it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>
#include <vector>

#include "../cubature/largest_errors.hpp"
#include "../error_trend.hpp"
#include "../hooks.hpp"
#include "sparse_grid.hpp"

namespace tessera {

// What a grid costs and what it may cost, in evaluations of the subdivision.
struct sparse_pace {
  double start, apart;        // of the first turn, and from one turn to the next
  double begun;               // what the steps up to there have taken beside their evaluations
  double step, index, point;  // what a step costs besides its indices and points, an index besides its points, a point
  double share;               // that a grid may have of what the subdivision has had,
  double foresight;           // or of what that is going to need, as far as it can be foreseen
  double lead;                // a grid is ahead that will cost less than this share of what the subdivision will need
  double patience;            // that a grid may have of what the subdivision has had, while its error falls
  double check_share;         // to see whether the integrand is smooth
};

// Where grids come from when their turn has come. Both throw bad_alloc.
class sparse_source {
 public:
  virtual ~sparse_source() = default;
  // Of the domain. Null: there is none.
  virtual sparse_grid *open() = 0;
  // Of regions: centre[ndim] and half-width[ndim] of each, `length` numbers from one to the next.
  virtual sparse_grid *open_regions(int regions, const double *boxes, std::size_t length) = 0;
};

// The hooks of the subdivision. Without a source they are those that it is given.
class sparse_race final : public run_hooks {
 public:
  // earlier: evaluations of the run that this one goes on from; memory: bytes that the grid may take.
  sparse_race(const cubature_settings &settings, const sparse_pace &pace, sparse_source *source, int64 earlier,
              int64 memory, run_hooks &hooks)
      : set_(settings),
        pace_(pace),
        source_(source),
        earlier_(earlier),
        memory_(memory),
        hooks_(hooks),
        next_(source ? static_cast<int64>(pace.start / sooner) : greatest_int64) {}
  // Where the regions are that the run has. always: at each turn, for a run whose looks are made again when nobody can look at its regions any more.
  void look_at(largest_regions regions, bool always = false) {
    largest_ = std::move(regions);
    looks_always_ = always;
  }

  bool is_wanted() const override { return hooks_.is_wanted(); }
  outcome within_step() override { return hooks_.within_step(); }
  int64 until_look(int64 n) const override {
    return std::min(hooks_.until_look(n + beside_), std::max<int64>(1, next_ - (n - earlier_)));
  }
  int64 until_level_look(int64 n) const override { return hooks_.until_level_look(n + beside_); }
  int64 most_in_step(int64 n) const override { return hooks_.most_in_step(n + beside_); }
  int64 evaluations_beside() const override { return beside_ + hooks_.evaluations_beside(); }
  bool wants_state() const override { return hooks_.wants_state(); }

  outcome between_steps(int64 n, const double *value, const double *error) override {
    if (looks_always_ && n - earlier_ >= next_) worst(value, error);
    const outcome o = hooks_.between_steps(n + beside_, value, error);
    return o != outcome::running || n - earlier_ < next_ ? o : turn(n - earlier_, value, error);
  }

  outcome between_levels(int64 n, const double *value, const double *error) override {
    return hooks_.between_levels(n + beside_, value, error);
  }

  // What the grids took at most.
  int64 bytes() const { return bytes_; }
  // Has the run ended with the value of the grid? It is then written.
  bool is_won(double *value, double *error) const {
    for (int k = 0; won_ && k < set_.ncomp; ++k) {
      value[k] = grid_->value(k);
      error[k] = grid_->error(k);
    }
    return won_;
  }
  int64 evaluations() const { return beside_; }
  // The integrand ended the run, or its time, while a grid had its turn.
  bool has_ended() const { return ended_; }

 private:
  static constexpr double sooner = 2.0;     // the first turn: a look at the regions, from which their trend is seen
  static constexpr double farthest = 10.0;  // evaluations, of those so far: what lies farther ahead is not counted on
  // A grid is completed at once that costs less than such a share of what the subdivision will need, and so many times what it has had.
  static constexpr double gain = 0.1, haste = 8.0;
  // Before its error falls as it is going to, a grid seems to need more than it will: up to so many times what the subdivision needs.
  static constexpr double hopeful = 100.0;
  // Points of a grid that wins, of the evaluations of the subdivision.
  static constexpr double seen_share = 1.0 / 8, most_seen = 5e5;
  static constexpr double vague = 0.01;       // relative error of the regions above which their value says little
  static constexpr int worst_regions = 4;     // in which the integrand has to be smooth
  static constexpr double negligible = 1e-3;  // of what is tolerated: the error of a region that does not matter

  // After n evaluations of this run.
  outcome turn(int64 n, const double *value, const double *error) {
    next_ = static_cast<int64>(std::max(pace_.start, pace_.apart * static_cast<double>(n)));
    remember(value, error);
    regions_.add(n, ratio(surest_value_.data(), surest_error_.data()));
    if (static_cast<double>(n) < pace_.start) return outcome::running;
    try {
      if (given_up_) return outcome::running;
      if (!grid_) grid_ = source_->open();
      if (!grid_) return give_up();
      while (!is_ready(n)) {
        const int64 step = next_sparse_step(grid_->points());
        if (cost(*grid_, step, 1) > allowed(n)) return outcome::running;
        if (grid_->bytes_with(2 * step) > memory_) return give_up();
        const outcome o = grow(*grid_, 1, step, memory_, n);
        if (o != outcome::running) return o == outcome::callback || is_ended(o) ? end_with(o) : give_up();
        judge(n);
        const outcome end = hooks_.between_steps(earlier_ + n + beside_, value, error);
        if (end != outcome::running) return end;
      }
      if (earlier_ + n + beside_ < set_.mineval || !agrees(value, error) || n < next_check_) return outcome::running;
      const outcome o = check_regions(n, worst(value, error));
      if (o != outcome::running) return end_with(o);
    } catch (const std::bad_alloc &) {
      return give_up();
    }
    return won_ ? outcome::converged : outcome::running;
  }

  outcome end_with(outcome o) {
    ended_ = true;
    return o;
  }
  outcome give_up() {
    given_up_ = true;
    if (!looks_always_) next_ = greatest_int64;
    return outcome::running;
  }

  // A step of a grid that is of so many boxes.
  outcome grow(sparse_grid &grid, int boxes, int64 step, int64 memory, int64 n) {
    const int64 before = grid.evaluated(), most = (set_.maxeval - earlier_ - n - evaluations_beside()) / boxes;
    if (before == 0 && sparse_grid::first_points(set_.ndim) > most) return outcome::evaluations;
    const outcome o = before == 0 ? grid.begin() : grid.grow(step, most, memory);
    beside_ += (grid.evaluated() - before) * boxes;
    bytes_ = std::max(bytes_, grid_->bytes() + (&grid == grid_ ? 0 : grid.bytes()));
    return o;
  }

  double ratio(const double *value, const double *error) const {
    double most = 0.0;
    const value_and_error_arrays now = {value, error};
    for (int k = 0; k < set_.ncomp; ++k) {
      const double t = tolerated(set_, k, now);
      most = std::fmax(most, error[k] > 0.0 ? (t > 0.0 ? error[k] / t : infinity_value()) : 0.0);
    }
    return most;
  }

  // What a grid of so many boxes costs with another step of so many points.
  double cost(const sparse_grid &grid, int64 step, int boxes) const {
    const auto points = static_cast<double>(grid.points()), more = static_cast<double>(step);
    const double indices = static_cast<double>(grid.indices()) * (points > 0.0 ? 1.0 + more / points : 1.0);
    return pace_.step * static_cast<double>(grid.steps() + 1) + pace_.index * indices +
           pace_.point * (points + more) * boxes;
  }
  // And with so many points altogether.
  double cost_of(const sparse_grid &grid, double points, int boxes) const {
    return cost(grid, 0, boxes) * (points / static_cast<double>(grid.points()));
  }

  // What the grid may cost by now.
  double allowed(int64 evaluations) const {
    const double n = static_cast<double>(evaluations) + pace_.begun;
    // Where their error does not fall the regions will need all that there is.
    const double in_regions = regions_.needed(), foreseen = std::min(in_regions, static_cast<double>(set_.maxeval));
    const double at_once = std::min(gain * foreseen, haste * n);
    if (grid_->is_judged() && met_) return std::max(n, at_once);
    double most = std::max(pace_.share * n, pace_.foresight * std::min(foreseen, farthest * n));
    const double needed = grid_->is_judged() ? cost_of(*grid_, points_.needed(), 1) : infinity_value();
    if (needed < hopeful * foreseen) most = std::max(most, std::min(gain * foreseen, pace_.patience * n));
    if (needed < pace_.lead * in_regions) most = std::max(most, std::min(needed <= n ? n : 0.25 * n, 1.5 * needed));
    return needed <= at_once ? std::max(most, 1.5 * needed) : most;
  }

  // The tolerance is met, and the grid has looked at so many points that what the regions see would have shown.
  bool is_ready(int64 n) const {
    return met_ && std::min(seen_share * static_cast<double>(n), most_seen) <= static_cast<double>(grid_->points());
  }
  // Is the tolerance met?
  void judge(int64 n) {
    double most = 0.0;
    bool nothing = true;
    for (int k = 0; k < set_.ncomp; ++k) {
      const double v = grid_->value(k), e = grid_->error(k), t = tolerated(set_, k, *grid_);
      most = std::fmax(most, e > 0.0 ? (t > 0.0 ? e / t : infinity_value()) : 0.0);
      nothing = nothing && v == 0.0 && e == 0.0;
    }
    points_.add(grid_->points(), most);
    const double more = points_.needed() - static_cast<double>(grid_->points());
    if (grid_->is_judged() && more < 1e15) hooks_.foresee(earlier_ + n + beside_ + static_cast<int64>(more));
    met_ = grid_->is_judged() && most <= 1.0 && !nothing;
  }

  // Where errors of regions cancel, their sum goes up and down by orders of magnitude as some are divided, and the value stays: what was
  // least at a turn is remembered.
  void remember(const double *value, const double *error) {
    for (int k = 0; k < set_.ncomp; ++k) {
      const auto c = static_cast<std::size_t>(k);
      if (c == surest_error_.size()) {
        surest_value_.push_back(value[k]);
        surest_error_.push_back(error[k]);
      } else if (error[k] < surest_error_[c]) {
        surest_value_[c] = value[k];
        surest_error_[c] = error[k];
      }
    }
  }

  // Does the value agree with that of the regions, and does that say something?
  bool agrees(const double *value, const double *error) const {
    for (int k = 0; k < set_.ncomp; ++k) {
      const double v = grid_->value(k), t = tolerated(set_, k, *grid_), distance = std::fabs(v - value[k]);
      if (!(distance <= error[k])) return false;
      const double size = magnitude(set_, k, [value](int c) { return value[c]; }),
                   sure = std::fmax(vague * size, 10.0 * t);
      if (error[k] <= sure) continue;
      const double before = surest_value_[static_cast<std::size_t>(k)], by = surest_error_[static_cast<std::size_t>(k)];
      if (by <= sure && std::fabs(v - before) <= by && std::fabs(value[k] - before) <= by) continue;
      if (!(distance <= vague * error[k] && distance <= vague * size && error[k] <= size)) return false;
    }
    return true;
  }

  // The regions with most error.
  std::vector<double> worst(const double *value, const double *error) const {
    const value_and_error_arrays now = {value, error};
    std::vector<double> weight(static_cast<std::size_t>(set_.ncomp));
    for (int k = 0; k < set_.ncomp; ++k) {
      const double t = tolerated(set_, k, now);
      weight[static_cast<std::size_t>(k)] = t > 0.0 ? 1.0 / t : 1.0;
    }
    return largest_(worst_regions, weight.data());
  }

  // Is the integrand smooth where the regions find most error? There a sparse grid has to do much better than they.
  outcome check_regions(int64 n, const std::vector<double> &worst) {
    next_check_ = 3 * n / 2;
    const auto nd = static_cast<std::size_t>(set_.ndim), nc = static_cast<std::size_t>(set_.ncomp),
               length = 2 * nd + nc;
    const int64 memory = memory_ - grid_->bytes();
    const int boxes = static_cast<int>(worst.size() / length);
    if (boxes == 0) return outcome::running;
    sparse_grid *const grid = source_->open_regions(boxes, worst.data(), length);
    error_trend in_regions;
    const double most = pace_.check_share * static_cast<double>(n);
    for (;;) {
      const int64 step = check_step(*grid, most, boxes);
      if (grid->bytes_with(2 * step) > memory) return outcome::running;
      const outcome o = grow(*grid, boxes, step, memory, n);
      if (o == outcome::callback || is_ended(o)) return o;
      if (o != outcome::running) return outcome::running;
      double most_left = 0.0;
      for (int b = 0; b < boxes; ++b) {
        const double *const region = worst.data() + static_cast<std::size_t>(b) * length;
        double volume = 1.0;
        for (std::size_t j = 0; j < nd; ++j) volume *= 2.0 * region[nd + j];
        for (std::size_t k = 0; k < nc; ++k) {
          const double e = volume * grid->error(b * set_.ncomp + static_cast<int>(k));
          const double may_be =
              std::fmax(region[2 * nd + k], negligible * tolerated(set_, static_cast<int>(k), *grid_));
          most_left = std::fmax(most_left, e > 0.0 ? (may_be > 0.0 ? e / may_be : infinity_value()) : 0.0);
        }
      }
      won_ = grid->is_begun() && most_left <= 1.0;
      in_regions.add(grid->points(), most_left);
      const double needed = cost_of(*grid, in_regions.needed(), boxes);
      const bool hopeless = 3.0 * cost(*grid, 0, boxes) >= most && !(needed <= 2.0 * most);
      if (won_ || hopeless || cost(*grid, check_step(*grid, most, boxes), boxes) > 1.5 * most) return outcome::running;
    }
  }
  // Up to half as much again, rather than to begin anew later.
  int64 check_step(const sparse_grid &grid, double most, int boxes) const {
    const int64 points = grid.points(), step = next_sparse_step(points);
    if (points == 0) return step;
    const double left = (1.5 * most - cost(grid, 0, boxes)) / (cost(grid, points, boxes) - cost(grid, 0, boxes));
    return std::min(step, std::max(points / 4, static_cast<int64>(left * static_cast<double>(points))));
  }

  const cubature_settings &set_;
  const sparse_pace pace_;
  sparse_source *const source_;
  sparse_grid *grid_ = nullptr;
  const int64 earlier_, memory_;
  run_hooks &hooks_;
  largest_regions largest_;
  int64 next_;  // turn: when the subdivision has made so many evaluations
  int64 next_check_ = 0, beside_ = 0, bytes_ = 0;
  error_trend regions_, points_;
  std::vector<double> surest_value_, surest_error_;  // of the regions
  bool met_ = false, won_ = false, ended_ = false, given_up_ = false, looks_always_ = false;
};

}  // namespace tessera
