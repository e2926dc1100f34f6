// The race of a sparse grid with adaptive subdivision for one integral: between the steps of the subdivision the sparse grid takes its turn,
// and where its own estimate meets the tolerance and its value agrees with that of the regions, the run ends with it. Where the regions have met a peak, a second grid takes part,
// in variables in which that is as wide as the domain (product_map.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>
#include <vector>

#include "../../core/spread_turns.hpp"
#include "../cubature/largest_errors.hpp"
#include "../cubature/mode_search.hpp"
#include "../error_trend.hpp"
#include "../hooks.hpp"
#include "sparse_grid.hpp"
#include "sparse_pace.hpp"
#include "sparse_source.hpp"
#include "tested_points.hpp"

namespace tessera {

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
        next_(source ? static_cast<int64>(pace.first_look) : greatest_int64) {
    plain_.given_up = source == nullptr;
    mapped_.given_up = source == nullptr || !source->has_maps();
  }
  // Where the regions are that the run has. always: at each turn, for a run whose looks are made again when nobody can look at its regions any more.
  void look_at(region_looks regions, bool always = false) {
    regions_of_run_ = std::move(regions);
    looks_always_ = always;
  }

  // No grid wins before other modes have been looked for, nor where there are some. whole: of a look that the limit of evaluations would cut nothing is left, for a run that is gone on with.
  void heed(mode_search &modes, bool whole) {
    modes_ = &modes;
    looks_whole_ = whole;
  }

  bool is_wanted() const override { return hooks_.is_wanted(); }
  outcome within_step() override { return hooks_.within_step(); }
  int64 until_look(int64 n) const override {
    const int64 next = is_early(next_) ? static_cast<int64>(trend()) : next_;
    return std::min(hooks_.until_look(n + beside()), std::max<int64>(1, next - (n - earlier_)));
  }
  look_ahead_of_time until_early_look(int64 n) const override {
    return {is_early(next_) ? std::max<int64>(1, next_ - (n - earlier_)) : greatest_int64, pace_.early_excess};
  }
  int64 until_level_look(int64 n) const override { return hooks_.until_level_look(n + beside()); }
  int64 most_in_step(int64 n) const override { return hooks_.most_in_step(n + beside()); }
  int64 evaluations_beside() const override { return beside() + hooks_.evaluations_beside(); }
  bool wants_state() const override { return hooks_.wants_state(); }

  outcome between_steps(int64 n, const double *value, const double *error) override {
    const bool is_due = is_turn(n - earlier_, value, error);
    if (looks_always_ && (is_due || (modes_ && modes_->is_owed()))) worst(n - earlier_, value, error);
    outcome o = hooks_.between_steps(n + beside(), value, error);
    if (o == outcome::running) o = look_if_wanted(n - earlier_, value, error);
    return o != outcome::running || !is_due ? o : turn(n - earlier_, value, error);
  }

  outcome between_levels(int64 n, const double *value, const double *error) override {
    return hooks_.between_levels(n + beside(), value, error);
  }

  // What the grids took at most.
  int64 bytes() const { return bytes_; }
  // Has the run ended with the value of the grid? It is then written.
  bool is_won(double *value, double *error) const {
    if (winner_) write_result(*winner_, value, error);
    return winner_ != nullptr;
  }
  // Those of the grids, and with those of looks for modes.
  int64 evaluations() const { return beside_; }
  int64 all_evaluations() const { return beside(); }
  // The integrand ended the run, or its time, while a grid had its turn.
  bool has_ended() const { return ended_; }

 private:
  // Of one look at the regions no trend is seen: their error falls by such a power of the evaluations at most, and each step makes so many times what there was.
  static constexpr double fastest = 1.5, growth = 1.4;
  static constexpr double looks_apart = 4.0, sooner = 2.0;  // before the first turn of all grids
  static constexpr double farthest = 5.0;  // evaluations, of those so far: what lies farther ahead is not counted on
  // A grid is completed at once that costs less than such a share of what the subdivision will need, and so many times what it has had.
  static constexpr double gain = 0.1, haste = 12.0, gain_left = 0.5;  // gain_left: of what both will need yet
  // Before its error falls as it is going to, a grid seems to need more than it will: up to so many times what the subdivision needs.
  static constexpr double hopeful = 100.0;
  // Points of a grid that wins, of the evaluations of the subdivision.
  static constexpr double seen_share = 1.0 / 8, most_seen = 5e5;
  static constexpr double vague = 0.01;  // relative error of the regions above which their value says little
  static constexpr double vague_beside_map =
      0.1;  // the same for a grid with a map, which is compared with the integrand everywhere
  static constexpr double points_of_first_indices = 8.0;  // each, about, of a first step
  static constexpr double step_growth = 1.35,
                          index_power = 0.6;  // of a grid's points in a step, of its indices with its points
  static constexpr double vague_points = 2e4;
  static constexpr double enough = 1.2;       // of the points that seem to be needed yet
  static constexpr double even_steps = 1.25;  // of the halvings
  static constexpr double trials = 4.0;       // what has to be left, in trials
  static constexpr int worst_regions = 4;     // in which the integrand has to be smooth
  static constexpr double negligible = 1e-3;  // of what is tolerated: the error of a region that does not matter
  // A map is looked for when that costs little: points for each variable, as they mostly are.
  static constexpr double points_of_map = 1250.0, points_of_wide_map = 5000.0;
  static constexpr double search_share = 1.0 / 8;  // that the search for a wide map takes of what it has to save
  static constexpr double most_mapped_seen = 2e4;  // as most_seen; the regions are looked at all the same
  // What the integrand may be where that is unexplained, if it were that everywhere, of the value. Not of what is tolerated: it may be the foot of a peak.
  static constexpr double unexplained_share = 1e-30;
  // Of the integrand from the mean in the variables of the map; of a product, where the regions need not have a value by themselves.
  static constexpr double largest_departure = 20.0, product_departure = 1.5, departure_in_mass = 1.1;
  static constexpr double as_dense = 100.0;  // a wide map has so many times the points there of a grid without one
  static constexpr double spread_share = 0.5, wide_spread_share = 2.0, most_of_broad = 8.0,
                          most_spread = 2e6;         // points, of the evaluations of the subdivision,
  static constexpr double share_of_broad = 1.0 / 4;  // the same, of the evaluations that the regions need yet
  static constexpr double least_for_product = 1e5;   // evaluations of the subdivision, without a value that agrees

  // What a look says of a map. Unknown: there was no room for it, or it asks for regions of an earlier run that are there no more. Unlike multiples: components that were taken for such are none.
  enum class verdict { unknown, explained, unlike_multiples, refuted };
  // A grid that takes part.
  struct entrant {
    sparse_grid *grid = nullptr;
    error_trend points;
    bool met = false, given_up = false;
    int64 next_check = 0;
  };

  // All that the subdivision has not made.
  int64 beside() const { return beside_ + (modes_ ? modes_->evaluations() : 0); }
  // When the trend of the regions is looked at first.
  double trend() const { return pace_.start / sooner; }
  bool is_early(int64 n) const { return static_cast<double>(n) < trend(); }
  bool is_turn(int64 n, const double *value, const double *error) const {
    return n >= next_ && (!is_early(n) || ratio(value, error) >= pace_.early_excess);
  }

  // After n evaluations of this run.
  outcome turn(int64 n, const double *value, const double *error) {
    remember(value, error);
    // How the error fell long before says little of how it is going to.
    if (regions_.last_evaluations() < trend()) regions_ = {};
    regions_.add(n, ratio(surest_value_.data(), surest_error_.data()));
    for (entrant *const e : {&mapped_, &plain_}) {
      if (e->given_up || (e == &plain_ && static_cast<double>(n) < pace_.start)) continue;
      outcome o = outcome::running;
      try {
        o = turn_of(*e, n, value, error);
      } catch (const std::bad_alloc &) {
        o = give_up(*e);
      }
      if (o != outcome::running) return o;
    }
    if (next_ != greatest_int64) next_ = static_cast<int64>(next_turn(static_cast<double>(n)));
    return outcome::running;
  }
  // Before the first turn of all grids comes a look at the regions, from which their trend is seen, and others as long as nobody knows whether the integrand is a product.
  double next_turn(double n) const {
    if (n >= trend()) return std::max(pace_.start, pace_.apart * n);
    const bool is_known = is_no_product_ || mapped_.grid || mapped_.given_up;
    return is_known ? trend() : std::min(trend(), looks_apart * n);
  }
  outcome turn_of(entrant &e, int64 n, const double *value, const double *error) {
    if (has_breaks() && (&e == &plain_ || (e.grid && kind_ != map_kind::product))) return give_up(e);
    if (!e.grid) {
      const outcome o = open(e, n, value, error);
      if (o != outcome::running || !e.grid) return o;
    }
    while (!is_ready(e, n)) {
      const int64 step = next_step(e, n);
      if (cost(*e.grid, step, 1) > allowed(e, n)) return outcome::running;
      if (e.grid->bytes_with(2 * step) > memory_beside(e)) return give_up(e);
      const outcome o = grow(*e.grid, 1, step, memory_beside(e), n);
      if (o != outcome::running) return ends_run(o) ? end_with(o) : give_up(e);
      judge(e, n);
      const outcome end = hooks_.between_steps(earlier_ + n + beside(), value, error);
      if (end != outcome::running) return end;
    }
    if (earlier_ + n + beside() < set_.mineval || n < e.next_check) return outcome::running;
    const bool is_mapped = &e == &mapped_, agree = agrees(*e.grid, is_mapped ? vague_beside_map : vague, value, error);
    const bool is_product = is_mapped && kind_ == map_kind::product;
    if (!agree && !(is_product && is_product_ripe(n, value, error))) return outcome::running;
    if (is_broad_ && is_mapped && is_nearly_done(n)) return outcome::running;
    e.next_check = 3 * n / 2;
    outcome o = outcome::running;
    verdict of_map = verdict::explained;
    if (is_mapped)
      o = explain(n, is_product ? product_departure : largest_departure, agree ? spread_points(n) : most_spread,
                  of_map);
    if (is_product && of_map == verdict::refuted) kind_ = map_kind::lines;
    // What multiples were thought to be is to be found by the grid then.
    if (is_product && !multiples_.empty() && of_map != verdict::explained) judge(e, n);
    if (of_map == verdict::unlike_multiples) e.next_check = n;
    bool well = of_map == verdict::explained;
    if (o == outcome::running && well && !is_product) o = check_regions(e, n, worst(n, value, error), well);
    if (o != outcome::running) return ends_run(o) ? end_with(o) : give_up(e);
    if (of_map == verdict::refuted && is_broad_)
      return give_up(e);  // what has been seen would be explained by a laxer look, and there is little to be gained
    if (!well) return outcome::running;
    // Last, for then what a map explains need not be climbed; beside the value that is going to be claimed.
    std::vector<double> claimed(static_cast<std::size_t>(set_.ncomp)), its_error(claimed);
    write_result(*e.grid, claimed.data(), its_error.data());
    density_of_map density;
    if (is_mapped)
      density = {[this](const double *at) { return source_->density_at(at); }, source_->top_of_map(),
                 is_product && has_multiples() ? component_ : -1};
    o = look_for_modes(n, claimed.data(), its_error.data(), density);
    if (o == outcome::evaluations) return outcome::running;
    if (o != outcome::running) return end_with(o);
    if (modes_ && !is_mapped && modes_->is_first_hidden()) return outcome::running;
    if (modes_ && modes_->are_several(density)) {
      if (!modes_->is_before_regions()) return give_up(e);
      if (!is_mapped || !modes_->are_explained(density)) return outcome::running;
    }
    winner_ = e.grid;
    return outcome::converged;
  }
  // What a grid says of component k: of a product's multiples what follows from what it says of that.
  value_and_error result_of(const sparse_grid &grid, int k) const {
    if (!is_multiple(grid, k)) return grid(k);
    const multiple_value &of = multiples_[static_cast<std::size_t>(k)];
    const value_and_error one = grid(component_);
    return {of.times * one.value, of.sizes * one.error + of.uncertainty * (std::fabs(one.value) + one.error)};
  }
  bool is_multiple(const sparse_grid &grid, int k) const {
    return &grid == mapped_.grid && kind_ == map_kind::product && !multiples_.empty() &&
           multiples_[static_cast<std::size_t>(k)].is_known;
  }
  bool has_multiples() const {
    return std::any_of(multiples_.begin(), multiples_.end(), [](const multiple_value &of) { return of.is_known; });
  }
  // The same, of all.
  auto results_of(const sparse_grid &grid) const {
    return [this, &grid](int k) { return result_of(grid, k); };
  }
  void write_result(const sparse_grid &grid, double *value, double *error) const {
    for (int k = 0; k < set_.ncomp; ++k) {
      const value_and_error of = result_of(grid, k);
      value[k] = of.value;
      error[k] = of.error;
    }
  }
  outcome look_for_modes(int64 n, const double *value, const double *error, const density_of_map &density) {
    if (!modes_) return outcome::running;
    return modes_->look_if_owed(
        value, error, [&](const double *) { return worst(n, value, error); }, regions_of_run_.all().n,
        n + hooks_.evaluations_beside(), most_of_grids(n), looks_whole_, false, density);
  }
  // For another method that is about to claim success.
  outcome look_if_wanted(int64 n, const double *value, const double *error) {
    const double *const claimed = hooks_.value_to_look_beside();
    if (!claimed || !has_places(n, value, error)) return outcome::running;
    const outcome o = look_for_modes(n, claimed, error, {});
    if (o != outcome::running && o != outcome::evaluations) return end_with(o);
    if (modes_) modes_->doubt_first();
    hooks_.tell_modes(modes_ ? modes_->told() : modes_told(), outcome::running);
    return hooks_.between_steps(earlier_ + n + beside(), value, error);
  }
  // Are there any to look from? Of a look of before, made again, nobody may have asked for them.
  bool has_places(int64 n, const double *value, const double *error) {
    return !modes_ || !modes_->is_owed() || !worst(n, value, error).empty();
  }
  // Without a grid afterwards where it is too soon, or given up.
  outcome open(entrant &e, int64 n, const double *value, const double *error) {
    if (&e == &plain_) {
      e.grid = source_->open();
    } else {
      const double points = (is_no_product_ ? points_of_wide_map : points_of_map) * set_.ndim;
      if (points > pace_.share * cost_so_far(n)) return outcome::running;
      const double left = left_in_regions(n);
      // Of an integrand that is no product only where the plain grid has had a turn and does not promise more, and as much has been spent as the search takes.
      const bool may_be_wide = is_no_product_ && !has_breaks() && (plain_.grid || plain_.given_up) &&
                               !is_ahead(plain_) && left >= points + pace_.wide_map &&
                               cost_so_far(n) >= search_share * pace_.wide_map;
      if (cost_left(n) < points + pace_.map || (is_no_product_ && !may_be_wide)) return outcome::running;
      if (source_->map_bytes() > memory_beside(e)) return give_up(e);
      std::vector<double> starts, faces;
      places_of(worst(n, value, error), starts, faces);
      const mapped_opening opening = source_->open_mapped(
          starts, faces, std::min(most_of_grids(n), static_cast<int64>(8.0 * points_of_map * set_.ndim)), may_be_wide);
      beside_ += opening.points;
      note_bytes(0, true);
      const outcome end = unless_singular(opening.end, n);
      if (ends_run(end)) return end_with(end);
      e.grid = opening.grid;
      kind_ = opening.kind;
      most_seen_of_map_ = 0.0;
      is_broad_ = opening.is_broad;
      component_ = opening.component;
      multiples_ = opening.multiples;
      is_no_product_ = opening.is_early;
      if (opening.is_lost || opening.is_early) return outcome::running;  // some other time
    }
    return e.grid ? outcome::running : give_up(e);
  }
  // Is the integrand known not to be smooth? Pieces of regions that are cut where it jumps are, and say nothing of that.
  bool has_breaks() const { return regions_of_run_.breaks && regions_of_run_.breaks() > 0; }
  // Is a grid going to cost less than the regions?
  bool is_ahead(const entrant &e) const {
    return e.grid && e.grid->is_judged() && cost_of(*e.grid, e.points.needed(), 1) < pace_.lead * regions_.needed();
  }
  // Of the subdivision, in its evaluations.
  double cost_so_far(int64 n) const {
    return static_cast<double>(n) + pace_.step * static_cast<double>(regions_of_run_.steps());
  }
  // Evaluations that the regions are going to make.
  double left_in_regions(int64 n) const {
    const double needed = regions_.has_trend() ? regions_.needed() : regions_.needed(fastest, fastest);
    return std::min(needed, static_cast<double>(set_.maxeval)) - static_cast<double>(n);
  }
  // The same with the steps, of which there will not be more for each of them than so far.
  double cost_left(int64 n) const {
    const double left = left_in_regions(n), share = left / static_cast<double>(n);
    const double steps =
        std::min(share * static_cast<double>(regions_of_run_.steps()), std::log1p(share) / std::log(growth));
    return left > 0.0 ? left + pace_.step * steps : 0.0;
  }
  static bool ends_run(outcome o) { return o == outcome::callback || o == outcome::nonfinite || is_ended(o); }
  // What came of a call: where points have hit a singularity, which the regions need not meet, there is no value and that is all.
  outcome unless_singular(outcome o, int64 n) {
    if (o != outcome::nonfinite) return o;
    int64 points = most_of_grids(n);
    const outcome beside = source_->look_beside(points);
    beside_ += points;
    return beside == outcome::running ? outcome::roundoff : beside;
  }
  int64 most_of_grids(int64 n) const { return set_.maxeval - earlier_ - n - evaluations_beside(); }
  int64 memory_beside(const entrant &e) const {
    const sparse_grid *const other = &e == &plain_ ? mapped_.grid : plain_.grid;
    return memory_ - (other ? other->bytes() : 0) - (mapped_.grid ? source_->map_bytes() : 0);
  }

  outcome end_with(outcome o) {
    ended_ = true;
    return o;
  }
  outcome give_up(entrant &e) {
    e.given_up = true;
    if (plain_.given_up && mapped_.given_up && !looks_always_) next_ = greatest_int64;
    return outcome::running;
  }

  int plain_levels() const { return sparse_grid::levels_within(set_.ndim, static_cast<int64>(pace_.first_points)); }
  // A step of a grid that is of so many boxes.
  outcome grow(sparse_grid &grid, int boxes, int64 step, int64 memory, int64 n) {
    const int64 before = grid.evaluated(), most = most_of_grids(n) / boxes;
    const bool is_mapped = &grid == mapped_.grid;
    const int levels = !is_mapped ? plain_levels()
                       : kind_ == map_kind::product
                           ? std::max(plain_levels(), sparse_grid::levels_of_constant(set_.ndim))
                           : sparse_grid::first_levels;
    if (before == 0 && sparse_grid::first_points(set_.ndim, levels) > most) return outcome::evaluations;
    if (is_mapped) source_->prepare_map(before == 0 ? levels + 1 : grid.next_level());
    const outcome o = before == 0 ? grid.begin(levels) : grid.grow(step, most, memory);
    beside_ += (grid.evaluated() - before) * boxes;
    note_bytes(&grid == plain_.grid || is_mapped ? 0 : grid.bytes(), mapped_.grid != nullptr);
    return unless_singular(o, n);
  }
  // Of all grids, one more that takes so many, and a map.
  void note_bytes(int64 bytes, bool map) {
    for (const entrant *const e : {&plain_, &mapped_}) bytes += e->grid ? e->grid->bytes() : 0;
    bytes_ = std::max(bytes_, bytes + (map ? source_->map_bytes() : 0));
  }

  double ratio(const double *value, const double *error) const { return beyond(value_and_error_arrays{value, error}); }
  // The errors of what now(k) is, of what is tolerated.
  template <class Current>
  double beyond(const Current &now) const {
    double most = 0.0;
    for (int k = 0; k < set_.ncomp; ++k) {
      const double error = now(k).error, t = tolerated(set_, k, now);
      most = std::fmax(most, error > 0.0 ? (t > 0.0 ? error / t : infinity_value()) : 0.0);
    }
    return most;
  }

  // What a grid of so many boxes costs with another step of so many points.
  double cost(const sparse_grid &grid, int64 step, int boxes) const {
    const auto points = static_cast<double>(grid.points()), more = static_cast<double>(step);
    const double indices = points > 0.0
                               ? static_cast<double>(grid.indices()) * std::pow(1.0 + more / points, index_power)
                               : more / points_of_first_indices;
    return pace_.step * static_cast<double>(grid.steps() + 1) + pace_.index * indices +
           pace_.point * (points + more) * boxes;
  }
  // And with so many points altogether, foreseen: a step makes a third more, and later indices have more points each.
  double cost_of(const sparse_grid &grid, double points, int boxes) const {
    if (!(points < infinity_value())) return infinity_value();
    const double times = std::fmax(1.0, points / static_cast<double>(grid.points()));
    return pace_.step * (static_cast<double>(grid.steps() + 1) + std::log(times) / std::log(step_growth)) +
           pace_.index * static_cast<double>(grid.indices()) * std::pow(times, index_power) +
           pace_.point * points * boxes;
  }

  // Are the regions about what halving all of them again and again would make? Where there have been many more steps the error is in places,
  // and the integrand hardly one for a grid without a map.
  bool are_even() const {
    return static_cast<double>(regions_of_run_.steps()) <=
           even_steps * std::log2(1.0 + static_cast<double>(regions_of_run_.all().n));
  }
  // What a grid may cost by now.
  double allowed(const entrant &e, int64 evaluations) const {
    const double n = cost_so_far(evaluations);
    // Where their error does not fall the regions will need all that there is.
    const double in_regions = regions_.needed(), foreseen = std::min(in_regions, static_cast<double>(set_.maxeval));
    const double at_once = std::min(gain * foreseen, haste * n);
    const double seen = static_cast<double>(e.grid->points() + std::max<int64>(0, until_seen(e, evaluations)));
    const double needed =
        e.grid->is_judged() ? cost_of(*e.grid, std::max(e.points.needed(), seen), 1) : infinity_value();
    const double now = cost(*e.grid, 0, 1), more = needed - now;
    const double to_complete =
        more <= std::min(gain_left * (foreseen - static_cast<double>(evaluations)), haste * n) ? now + 2.0 * more : 0.0;
    if (e.grid->is_judged() && e.met) return std::max({n, at_once, to_complete});
    const bool is_doubtful = &e == &plain_ && !are_even();
    double most = (&e == &plain_ ? 1.0 : 0.5) * pace_.share * n;
    if (!is_doubtful) most = std::max(most, pace_.foresight * std::min(foreseen, farthest * n));
    if (&e == &plain_ && !is_doubtful && trials * pace_.trial <= cost_left(evaluations))
      most = std::max(most, pace_.trial);
    if (&e == &mapped_ && kind_ == map_kind::product)
      most = std::max(most, pace_.map);  // it has been looked for to save as much
    if (needed < (is_doubtful ? 1.0 : hopeful) * foreseen)
      most = std::max(most, std::min(gain * foreseen, pace_.patience * n));
    if (needed < pace_.lead * in_regions) most = std::max(most, std::min(needed <= n ? n : 0.25 * n, 1.5 * needed));
    return std::max(most, to_complete);
  }

  // The next step of a grid without a map, as long as nothing is seen. While its error is as large as its value, what its indices promise says
  // little, and a grid that follows it stays behind one that grows evenly.
  int64 plain_step(const sparse_grid &grid, int boxes) const {
    const int64 points = grid.points(), step = next_sparse_step(points);
    if (points == 0) return sparse_grid::first_points(set_.ndim, plain_levels());
    const auto n = static_cast<double>(points);
    if (n < pace_.doubled) return std::max(step, is_vague(grid, boxes) ? 2 * points : points);
    return n >= vague_points && n < pace_.vague && is_vague(grid, boxes) ? std::max(step, points) : step;
  }

  // Are all errors as large as their values?
  bool is_vague(const sparse_grid &grid, int boxes) const {
    for (int k = 0; k < boxes * set_.ncomp; ++k)
      if (grid.error(k) <= std::fabs(grid.value(k))) return false;
    return true;
  }

  // The tolerance is met, and the grid has looked at so many points that what the regions see would have shown.
  bool is_ready(const entrant &e, int64 n) const { return e.met && until_seen(e, n) <= 0; }
  int64 until_seen(const entrant &e, int64 n) const {
    const double most = &e == &plain_ ? most_seen : (kind_ == map_kind::product ? 0.0 : most_mapped_seen);
    return static_cast<int64>(std::ceil(std::min(seen_share * static_cast<double>(n), most))) - e.grid->points();
  }
  // Where nothing is left to be decided by what comes first, all at once.
  int64 next_step(const entrant &e, int64 n) const {
    int64 step = &e == &plain_ ? plain_step(*e.grid, 1) : next_sparse_step(e.grid->points());
    // No more than seem to be needed.
    const double left = enough * (e.points.needed() - static_cast<double>(e.grid->points()));
    if (!e.met && left > 0.0 && left < static_cast<double>(step))
      step = std::max<int64>(1000, static_cast<int64>(left));
    if (e.met) step = std::max<int64>(1000, until_seen(e, n));
    if (&e == &mapped_ && kind_ == map_kind::product) step = std::max(step, e.grid->until_judged());
    return step;
  }
  // Is the tolerance met?
  void judge(entrant &e, int64 n) {
    const auto now = results_of(*e.grid);
    double most = beyond(now);
    if (e.grid->is_judged() && most <= 1.0 && e.grid->look_far_above()) most = beyond(now);
    bool nothing = true;
    for (int k = 0; k < set_.ncomp; ++k) nothing = nothing && now(k).value == 0.0 && now(k).error == 0.0;
    e.points.add(e.grid->points(), most);
    const double more = e.points.needed() - static_cast<double>(e.grid->points());
    if (e.grid->is_judged() && more < 1e15) hooks_.foresee(earlier_ + n + beside() + static_cast<int64>(more));
    e.met = e.grid->is_judged() && most <= 1.0 && !nothing;
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

  // Beside the points of a grid with a map.
  double spread_points(int64 n) const {
    const auto evaluations = static_cast<double>(n);
    if (is_broad_)
      return std::fmin(std::fmax(evaluations, share_of_broad * left_in_regions(n)), most_of_broad * evaluations);
    if (kind_ != map_kind::wide) return std::fmax(pace_.least_spread, spread_share * evaluations);
    return left_in_regions(n) > 2.0 * most_spread ? most_spread : wide_spread_share * evaluations;
  }
  // Will the regions have met the tolerance with twice as many evaluations more, which is what two looks cost? Whatever the limit is, for a run that is gone on with behind one is the same.
  bool is_nearly_done(int64 n) const {
    return regions_.needed() - static_cast<double>(n) < 2.0 * static_cast<double>(n);
  }
  // The integrand is looked at so often then that a product shows without a value of the regions: where they do not contradict, have cost half as much, and would need more.
  bool is_product_ripe(int64 n, const double *value, const double *error) const {
    bool ripe = static_cast<double>(n) >= least_for_product && 2.0 * cost_so_far(n) >= most_spread &&
                left_in_regions(n) > 2.0 * most_spread;
    for (int k = 0; k < set_.ncomp; ++k)
      ripe = ripe && std::fabs(result_of(*mapped_.grid, k).value - value[k]) <= error[k];
    return ripe;
  }
  // Does the value agree with that of the regions, and does that say something?
  // most: the relative error of the regions up to which it does.
  bool agrees(const sparse_grid &grid, double most, const double *value, const double *error) const {
    for (int k = 0; k < set_.ncomp; ++k) {
      const double v = result_of(grid, k).value, t = tolerated(set_, k, results_of(grid)),
                   distance = std::fabs(v - value[k]);
      if (!(distance <= error[k])) return false;
      const double size = is_multiple(grid, k) ? size_of_mapped(k)  // for what it is made of may cancel
                                               : magnitude(set_, k, [value](int c) { return value[c]; }),
                   sure = std::fmax(most * size, 10.0 * t);
      if (error[k] <= sure && distance <= std::fmax(vague * size, 10.0 * t)) continue;
      const double before = surest_value_[static_cast<std::size_t>(k)], by = surest_error_[static_cast<std::size_t>(k)];
      if (by <= sure && std::fabs(v - before) <= by && std::fabs(value[k] - before) <= by) continue;
      if (!(distance <= vague * error[k] && distance <= vague * size && error[k] <= size)) return false;
    }
    return true;
  }

  // The regions with most error, as many as anybody wants, asked for once at a look. Valid until the next one.
  const std::vector<double> &worst(int64 n, const double *value, const double *error) {
    if (worst_at_ == n) return worst_;
    const std::vector<double> weight = weights_of(set_, value, error);
    worst_at_ = n;
    return worst_ = regions_of_run_.largest(looked_at_regions, weight.data());
  }
  // Their centres, and the coordinates of their faces.
  void places_of(const std::vector<double> &regions, std::vector<double> &centres, std::vector<double> &faces) const {
    const auto nd = static_cast<std::size_t>(set_.ndim), length = 2 * nd + static_cast<std::size_t>(set_.ncomp);
    for (std::size_t first = 0; first < regions.size(); first += length)
      for (const double side : {0.0, -1.0, 1.0})
        for (std::size_t j = first; j < first + nd; ++j)
          (side == 0.0 ? centres : faces).push_back(regions[j] + side * regions[j + nd]);
  }

  // Is the integrand, wherever there are regions, what the grid with the map takes it for? Its points lie close in the peak and far apart elsewhere.
  // departure: what it may be of what is expected; wanted: points spread over the domain.
  outcome explain(int64 n, double departure, double wanted, verdict &of_map) {
    const listed_regions all = regions_of_run_.all();
    const double spread = std::min(std::fmax(wanted, most_seen_of_map_), most_spread);
    tested_set points = {all.view,
                         all.n,
                         0,
                         static_cast<int64>(pace_.seen_first * spread),
                         all.are_there,
                         departure,
                         is_broad_ ? departure_in_mass : 0.0,
                         kind_ == map_kind::wide ? as_dense : infinity_value(),
                         {},
                         {}};
    const std::vector<double> turns = spread_turns(set_.ndim);
    std::copy(turns.begin(), turns.end(), points.turns);
    of_map = verdict::unknown;
    if (all.n == 0 || points.points() + static_cast<int64>(spread) > most_of_grids(n)) return outcome::running;
    most_seen_of_map_ = spread;
    const outcome o = test(points, n, of_map);
    if (o != outcome::running || of_map != verdict::explained || points.spread == static_cast<int64>(spread)) return o;
    points.in_regions = 0;
    points.first = points.spread;
    points.spread = static_cast<int64>(spread) - points.first;
    return test(points, n, of_map);
  }
  outcome test(const tested_set &points, int64 n, verdict &of_map) {
    std::vector<double> sizes(static_cast<std::size_t>(set_.ncomp));
    const outcome found = source_->find_unexplained(points, sizes.data());
    beside_ += points.points();
    const outcome o = unless_singular(found, n);
    const double volume = std::fabs(mapped_.grid->volume());
    bool forgotten = false;
    of_map = verdict::explained;
    for (int k = 0; k < set_.ncomp; ++k) {
      const double size = sizes[static_cast<std::size_t>(k)];
      if (size == infinity_value()) {
        of_map = verdict::unknown;
      } else if (!(volume * size <= unexplained_share * size_of_mapped(k))) {
        if (forget_multiple(k))
          forgotten = true;
        else if (of_map == verdict::explained)
          of_map = verdict::refuted;
      }
    }
    if (forgotten && of_map == verdict::explained) of_map = verdict::unlike_multiples;
    return o;
  }

  bool forget_multiple(int k) {
    if (!source_->forget_multiple(k)) return false;
    if (!multiples_.empty()) multiples_[static_cast<std::size_t>(k)].is_known = false;
    return true;
  }
  // Of the value of component k, or of what it is made of.
  double size_of_mapped(int k) const {
    const sparse_grid &grid = *mapped_.grid;
    if (!is_multiple(grid, k)) return std::fabs(grid.value(k));
    return multiples_[static_cast<std::size_t>(k)].sizes * std::fabs(grid.value(component_));
  }

  // Is the integrand smooth where the regions find most error? There a sparse grid has to do much better than they.
  outcome check_regions(const entrant &e, int64 n, const std::vector<double> &worst, bool &well) {
    well = false;
    const auto nd = static_cast<std::size_t>(set_.ndim), nc = static_cast<std::size_t>(set_.ncomp),
               length = 2 * nd + nc;
    const int64 memory = memory_beside(e) - e.grid->bytes();
    const int boxes = std::min(worst_regions, static_cast<int>(worst.size() / length));
    if (boxes == 0) return outcome::running;
    sparse_grid *const grid = source_->open_regions(boxes, worst.data(), length);
    error_trend in_regions;
    const double most = pace_.check_share * std::max(static_cast<double>(n), cost(*e.grid, 0, 1));
    for (;;) {
      const int64 step = check_step(*grid, most, boxes);
      if (grid->bytes_with(2 * step) > memory) return outcome::running;
      const outcome o = grow(*grid, boxes, step, memory, n);
      if (o != outcome::running) return ends_run(o) ? o : outcome::running;
      double most_left = 0.0;
      for (int b = 0; b < boxes; ++b) {
        const double *const region = worst.data() + static_cast<std::size_t>(b) * length;
        double volume = 1.0;
        for (std::size_t j = 0; j < nd; ++j) volume *= 2.0 * region[nd + j];
        for (std::size_t k = 0; k < nc; ++k) {
          const double left = volume * grid->error(b * set_.ncomp + static_cast<int>(k));
          const double may_be =
              std::fmax(region[2 * nd + k], negligible * tolerated(set_, static_cast<int>(k), *e.grid));
          most_left = std::fmax(most_left, left > 0.0 ? (may_be > 0.0 ? left / may_be : infinity_value()) : 0.0);
        }
      }
      well = grid->is_begun() && most_left <= 1.0;
      in_regions.add(grid->points(), most_left);
      const double needed = cost_of(*grid, in_regions.needed(), boxes);
      const bool hopeless = in_regions.has_trend() && 3.0 * cost(*grid, 0, boxes) >= most && !(needed <= 2.0 * most);
      if (well || hopeless || cost(*grid, check_step(*grid, most, boxes), boxes) > 1.5 * most) return outcome::running;
    }
  }
  // Up to half as much again, rather than to begin anew later.
  int64 check_step(const sparse_grid &grid, double most, int boxes) const {
    const int64 points = grid.points(), step = plain_step(grid, boxes);
    if (points == 0) return step;
    const double left = (1.5 * most - cost(grid, 0, boxes)) / (cost(grid, points, boxes) - cost(grid, 0, boxes));
    return std::min(step, std::max(points / 4, static_cast<int64>(left * static_cast<double>(points))));
  }

  const cubature_settings &set_;
  const sparse_pace pace_;
  sparse_source *const source_;
  const int64 earlier_, memory_;
  run_hooks &hooks_;
  mode_search *modes_ = nullptr;
  region_looks regions_of_run_;
  int64 next_;  // turn: when the subdivision has made so many evaluations
  int64 beside_ = 0, bytes_ = 0;
  error_trend regions_;
  entrant plain_, mapped_;
  const sparse_grid *winner_ = nullptr;
  std::vector<double> surest_value_, surest_error_;  // of the regions
  int64 worst_at_ = -1;
  std::vector<double> worst_;
  bool ended_ = false, looks_always_ = false, looks_whole_ = false, is_no_product_ = false;
  map_kind kind_ = map_kind::lines;  // of the map
  bool is_broad_ = false;            // it is hardly narrow
  int component_ = 0;                // that it is of
  std::vector<multiple_value> multiples_;
  double most_seen_of_map_ =
      0.0;  // points that have been spread to see whether the integrand is explained: what has been met by one is met again
};

}  // namespace tessera
