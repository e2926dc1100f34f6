// Bulk subdivision, one text for host threads and devices: each step divides all regions whose error is above a threshold.
//
// The threshold is the largest one below which the regions together hold at most a given share of the tolerated error. It
// is found from a histogram over the exponents and leading bits of the errors: counts are integers, so it does not depend
// on the order of the work, and the upper edge of a bin times its count bounds the error it holds. Regions that are not
// divided do not move; of the pieces the first takes its parent's place and the others are appended.
//
// The text is written for a grid of teams that all run through it. What is called "uniform" is computed by every team from
// the same data in the same order, so that all take the same decisions without asking each other; what takes longer, one team
// does while the others wait at a barrier. On the host there is one team of one lane, and the loops over chunks are shared out
// to a pool of threads. A grid offers
//   state(given)          the state that all its threads see: `given`, or where that is; own_state: each team has one of its own
//   team()                lane(), lanes(), meet, sum, total, scan, least, told, place, counters: host/executor.hpp, cuda/device/grid.cuh
//   chunks(n, body)       body(team, chunk) for each chunk; a chunk belongs to one team
//   small_teams(n, body)  the same of smaller teams, which have lane(), lanes(), least, and total and either as in landmarks.hpp
//   small_team            what they are, which each of those that come here has of its own; small_lanes: how many lanes it has
//   each(n, body)         body(i)
//   lanes_each(n, lanes, body)   body(lanes, i): so many lanes together, a power of two, or one alone (lone_lane.hpp)
//   barrier()             all teams have come here, and see what the others have written
//   in_first(all, body)   between their coming and going body() runs in the first team, which waits for the others or not
//   once()                true in one lane of one team
//   alone_points          most points of a step that one team takes alone, sooner than all could meet at the barriers; 0: never
//   go_alone(), go_together()   in the first team: the grid is that team alone, while the others wait
//   lone_regions          up to so many are surveyed and listed by one team alone; 0: never
// and an evaluator offers evaluate(grid, regions, list, n), collective, without a barrier at its end, and failed(). One that `raises`
// offers raise(grid, regions, ids, n, level) too, which gives each region value, error and in its word what raise.hpp says. One that
// `searches` offers search(grid, regions, ids, n, lines, weights, domain, known, found): found[m] of line m, which runs through one of the n regions (break_points.hpp).
// One that is `deferred` has no evaluate: the steps stop there with `pending` regions, the executor evaluates them (or raises them to the level
// `raising`) and starts the steps again, which then go on behind the evaluation. So they do with any evaluator where is_left() says so.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "balance.hpp"
#include "bulk_state.hpp"
#include "give_up.hpp"
#include "initial.hpp"
#include "overlooked.hpp"
#include "raise.hpp"
#include "survey.hpp"
#include "two_level_correction.hpp"

namespace tessera {

// Searches lines in n regions, of a list or the first. True: there are new break points. Behind a failure of the evaluator nothing has changed.
template <class Grid, class Evaluator>
TESSERA_HD TESSERA_APART bool search_breaks(Grid &grid, bulk_state &st, bulk_progress &at, Evaluator &eval,
                                            const double *weights, const int64 *ids, int64 n,
                                            const search_lines &lines) {
  const int known = at.breaks.found, all = lines.all;
  eval.search(grid, st.regions, ids, n, lines, weights, st.domain(), known > 0 ? st.break_points : nullptr,
              st.break_points->lines);
  grid.barrier();
  if (eval.failed()) return false;
  grid.in_first(true, [&grid, &st, all, known] { end_search(grid.team(), *st.break_points, all, st.domain(), known); });
  const break_table &table = *st.break_points;
  const bool fresh = plan_next(at.breaks, table.count, at.evaluations, table.searched, lines.long_ones > 0);
  at.evaluations += table.searched;
  if (!fresh) return false;
  const splitting split = st.split;
  const break_table *const breaks = st.break_points;
  const region_view s = st.regions;
  const domain_box domain = st.domain();
  const component_sums *const totals = st.totals;
  grid.each(at.count, [=](int64 i) {
    const double share = share_of_domain(s, i, domain);
    turn_to_break(breaks, s, i, [=](int k) { return share * fabs(totals[k].value.value()); });
    prepare_division(split, s, i, domain);
  });
  grid.barrier();
  return true;
}

// ---- The steps ------------------------------------------------------------------------------------------------------

template <class Grid, class Evaluator>
class bulk_steps {
 public:
  TESSERA_HD bulk_steps(const Grid &grid, bulk_state &state, Evaluator &evaluator)
      : grid_(grid), team_(grid_.team()), given_(state), eval_(evaluator), nc_(state.set.ncomp) {}

  // Goes on until the run ends or the driver is wanted.
  TESSERA_HD void run() {
    at_ = state();
    before_ = at_.evaluations;
    at_.pending = 0;
    at_.stopped = at_.wants_look = false;
    at_.wants_room = at_.wants_room && at_.exploring;  // then what is to be divided has been listed
    at_.end = outcome::running;
    if (at_.breaks.found > 0) use_breaks();
    bool alone = Grid::alone_points > 0 && !Evaluator::deferred && !at_.joined && state().points <= Grid::alone_points;
    TESSERA_ROLLED
    for (;; alone = false) {
      if (!alone) at_.joined = true;
      if (!alone || grid_.first_team()) {
        if (alone) grid_.go_alone();
        advance(alone ? Grid::alone_points : any_number);
        if (!alone) break;
        if (grid_.once()) *state().published = at_;
        grid_.go_together();
      }
      grid_.barrier();
      at_ = *state().published;
      if (at_.stopped) break;
      if (at_.breaks.found > 0) use_breaks();
    }
    if constexpr (Grid::own_state)
      team_.meet();
    else
      grid_.barrier();
    if (grid_.once()) {
      static_cast<bulk_progress &>(state()) = at_;
      state().pending_list = at_.count == 0    ? whole_domain()
                             : at_.raising > 0 ? region_list{state().marked + list_of_level(at_, at_.raising), 0, 1}
                                               : region_list{state().marked, at_.count, split().pieces};
    }
  }

 private:
  // A grid that has the state in a place of its own names it, and the compiler knows what memory that is.
  TESSERA_HD bulk_state &state() const { return Grid::state(given_); }

  using small_team = typename Grid::small_team;
  static constexpr int64 any_number = greatest_int64;

  // The same as long as a step has at most so many points.
  TESSERA_HD void advance(int64 most_points) {
    listed_ = false;
    const int64 pause = before_ + state().pause_after, pause_exploring = before_ + state().pause_exploring_after,
                early_pause = before_ + state().early_pause_after;
    at_.stopped = true;
    bool evaluated = false;  // what was divided last
    if (at_.count == 0)
      at_.end = Evaluator::deferred && state().pending > 0 ? finish_domain() : begin();
    else
      evaluated = state().pending > 0 && at_.raising == 0;
    TESSERA_ROLLED
    for (; at_.end == outcome::running && at_.pending == 0; evaluated = false) {
      if (!evaluated) {
        if (most_points != any_number && at_.count * evaluations_of(split()) > most_points) {
          at_.stopped = false;
          return;
        }
        const move next = divide_some(pause, pause_exploring, early_pause);
        if (next == move::pause) return;
        if (next == move::stop) break;
        if (next == move::again) continue;
        divide(at_.marked_count, next == move::divide_listed ? state().marked : nullptr);
        forget_survey();
      }
      const splitting split = this->split();
      const region_list pieces = {state().marked, at_.count, split.pieces};
      if (evaluated || evaluate(pieces, at_.marked_count * split.pieces))
        at_.end = correct_pieces(at_.marked_count, split, pieces);
    }
    if (at_.pending == 0 && !at_.wants_room) at_.exploring = false;  // the list outlasts no other stop
  }

  // What comes behind a choice of what to divide. pause: the run, or this go, ends with the list of what is explored as it is.
  enum class move { stop, pause, again, divide_all, divide_listed };
  TESSERA_HD move divide_some(int64 pause, int64 pause_exploring, int64 early_pause) {
    const bool has_list = at_.wants_room;  // it only wanted room: goes on as if that had been there
    at_.wants_room = false;
    if (!has_list && !at_.surveyed && filling()) {
      const splitting split = this->split();
      if (may_fill(split)) {
        if (can_divide(at_.count, split)) {
          at_.marked_count = at_.count;
          return move::divide_all;
        }
        if (state().whole_steps) {
          at_.end = outcome::evaluations;  // without the survey that a longer run does not make
          return move::pause;
        }
      }
    }
    if (at_.exploring && !has_list && (at_.evaluations >= pause_exploring || at_.count > state().pause_regions))
      return move::pause;
    const bool paused = at_.evaluations >= pause || at_.count > state().pause_regions;
    if (at_.exploring && !has_list && state().whole_steps && !is_whole(at_.marked_count * split().pieces, split())) {
      at_.end = outcome::evaluations;
      return move::pause;
    }
    int64 unknown = at_.exploring ? (has_list ? list_again() : list_pieces()) : 0;
    if (unknown == 0) {
      if (!at_.surveyed && has_enough_regions()) {
        stop_filling();
        at_.fill = -at_.count;
      }
      if (!at_.surveyed) survey();
      at_.surveyed = true;  // a pause comes after the survey: what it found still holds
    }
    const bulk_decision t = *state().decision;
    if (unknown == 0 && t.end != outcome::running) {
      if constexpr (Evaluator::searches)
        if (t.end == outcome::converged && state().set.seeks_breaks && is_search_owed(at_.breaks)) {
          const int known = at_.breaks.found;
          const outcome end = search_breaks(nullptr, at_.count, true);
          if (end != outcome::running) return ended(end);
          if (at_.breaks.found > known) {
            forget_survey();
            return move::again;
          }
          at_.breaks.owes_long = 0;  // also where no line could be afforded
        }
      if (t.end == outcome::converged) {
        unknown = list_unexplored();
        listed_ = false;
      }
      if (unknown == 0) return ended(t.end);
    } else if (unknown == 0 && state().landmarks.mode_boxes > at_.mode_boxes_explored && !filling()) {
      unknown = list_unexplored();  // as soon as others are known, and not only before success
      listed_ = false;
      if (unknown == 0) at_.mode_boxes_explored = state().landmarks.mode_boxes;
    }
    at_.exploring = unknown > 0;
    if (unknown == 0 && at_.evaluations >= state().look_after && !filling()) {
      at_.wants_look = true;
      return move::stop;
    }
    const bool paused_early = at_.evaluations >= early_pause && t.excess >= state().early_excess;
    if ((paused || paused_early) && at_.surveyed) return move::stop;
    const splitting split = this->split();
    if (state().whole_steps && !is_whole(unknown > 0 ? unknown : t.count, split)) return ended(outcome::evaluations);
    if (unknown == 0 && filling() && t.count > 0 && can_divide(t.count, split) && fits(t.count, split) &&
        t.count * evaluations_of(split) <=
            state().most_in_step) {  // as most first regions are, sooner than by what follows
      at_.marked_count = t.count;
      return move::divide_all;
    }
    if (unknown == 0 && filling() && (!can_divide(t.count, split) || !(fits(t.count, split) || state().can_grow))) {
      stop_filling();
      forget_survey();
      return move::again;
    }
    if (!can_divide(1, split)) {
      if (!at_.surveyed) survey();  // of what has been explored
      at_.surveyed = true;
      return ended(outcome::evaluations);
    }
    const int64 chosen = unknown > 0 ? unknown : t.count;
    if (chosen == 0) return ended(at_.retired_count > 0 ? outcome::memory : outcome::roundoff);
    const bool may_raise = Evaluator::raises && unknown == 0 && is_raising();
    if constexpr (Evaluator::raises)
      if (may_raise && !state().can_grow && !fits(1, split) && raise(t)) {  // which needs no room
        if (at_.pending > 0) return move::stop;
        forget_survey();
        ++at_.iterations;
        return move::again;
      }
    int64 marked = at_most_affordable(chosen, split);
    at_.marked_count = marked;
    at_.wants_room = state().can_grow && !fits(marked, split);
    if (at_.wants_room) return move::stop;
    if (!fits(1, split)) {
      if (!give_up()) return ended(outcome::memory);
      at_.exploring = false;
      forget_survey();
      return move::again;
    }
    const int64 room = state().capacity - at_.count;
    if (marked * (split.pieces - 1) > room) marked = room / (split.pieces - 1);
    if (marked > state().parents_capacity) marked = state().parents_capacity;
    if (marked > 1 && marked * evaluations_of(split) > state().most_in_step) {
      const int64 in_time = state().most_in_step / evaluations_of(split);
      marked = in_time > 1 ? in_time : 1;
    }
    at_.marked_count = marked;
    if (unknown == 0 && filling()) return move::divide_all;
    if (unknown == 0 && (at_.raising > 0 || !list_chosen(t, marked, may_raise))) {
      if constexpr (Evaluator::raises) {
        if (raise(t)) {
          if (at_.end != outcome::running || at_.pending > 0) return move::stop;
          marked = list_rest(t, at_most_affordable(marked, split));
        } else {
          list_chosen(t, marked, false);
        }
      }
    }
    if constexpr (Evaluator::searches)
      if (state().set.seeks_breaks && unknown == 0) {
        const outcome end = search_breaks(state().marked, marked, false);
        if (end != outcome::running) return ended(end);
        marked = at_most_affordable(marked, split);
      }
    at_.marked_count = marked;
    if (marked > 0) return move::divide_listed;
    forget_survey();
    ++at_.iterations;
    return move::again;
  }
  TESSERA_HD move ended(outcome end) {
    at_.end = end;
    return move::stop;
  }

  // The first regions: as long as there are fewer than wanted, each step divides them all.
  TESSERA_HD bool filling() const { return at_.count < at_.fill; }
  TESSERA_HD splitting split() const {
    return filling() ? first_splitting(state().split, state().regions.ndim(), at_.count, at_.fill, at_.rough)
                     : (at_.exploring ? state().exploring_split : state().split);
  }
  TESSERA_HD bool fits(int64 marked, const splitting &split) const {
    return at_.count + marked * (split.pieces - 1) <= state().capacity && marked <= state().parents_capacity;
  }
  // Of one region's division.
  TESSERA_HD int64 evaluations_of(const splitting &split) const { return split.pieces * state().points; }
  // Regions that can be divided within the limit of evaluations.
  TESSERA_HD int64 affordable(const splitting &split) const {
    return (state().set.maxeval - at_.evaluations) / evaluations_of(split);
  }
  // Can so many, at least one? A quotient of long numbers takes a device much longer than a product.
  TESSERA_HD bool can_divide(int64 n, const splitting &split) const {
    return n * evaluations_of(split) <= state().set.maxeval - at_.evaluations;
  }
  TESSERA_HD int64 at_most_affordable(int64 n, const splitting &split) const {
    return n < 1 || can_divide(n, split) ? n : affordable(split);
  }
  // Is there a step for so many regions within that limit, whichever of them get a higher degree?
  TESSERA_HD bool is_whole(int64 regions, const splitting &split) const {
    const int64 raised = is_raising() ? state().set.raised_points[raised_levels - 1] : 0;
    const bool seeks = Evaluator::searches && state().set.seeks_breaks;
    const int lines = seeks ? lines_to_search(at_.breaks, state().set.ndim, state().set.maxeval, most_lines).all : 0;
    return regions <=
           (state().set.maxeval - at_.evaluations - lines * most_of_line) / (split.pieces * state().points + raised);
  }
  TESSERA_HD int64 live() const { return at_.count + at_.retired_count; }
  TESSERA_HD const double *scale() const { return state().scale + (at_.turn & 1) * nc_; }
  TESSERA_HD uint32 *histogram(int ahead) const { return state().histogram + (at_.turn + ahead) % 3 * histogram_bins; }

  TESSERA_HD static region_list whole_domain() { return {nullptr, 0, 1}; }

  // False: the executor evaluates, and the steps go on when they are started again.
  TESSERA_HD bool evaluate(const region_list &list, int64 n) {
    if (Evaluator::deferred || is_left(state(), n, state().points, Grid::alone_points)) {
      at_.pending = n;
      return false;
    }
    if constexpr (!Evaluator::deferred) {
      eval_.evaluate(grid_, state().regions, list, n);
      grid_.barrier();
    }
    return true;
  }

  // The domain is the first region; where more are wanted, it is divided level by level, so that each has ancestors with whose
  // values it is compared.
  TESSERA_HD outcome begin() {
    const region_view s = state().regions;
    at_.fill = affordable_first_regions(state().set.initial_regions, state().points,
                                        state().whole_steps ? any_number : state().set.maxeval);
    if (grid_.once()) {
      make_domain(state().domain(), s, 0);
      for (int k = 0; k < nc_; ++k) {
        state().retired[k] = component_sums{};
        state().scale[k] = 1.0;
      }
    }
    small_team few;
    if (!fill_divisible(few, state().split, s.ndim(), state().domain(), at_.fill)) at_.fill = 0;
    uint32 *const counts = state().histogram;
    grid_.each(3 * histogram_bins, [counts](int64 b) { counts[b] = 0; });
    grid_.barrier();
    return evaluate(whole_domain(), 1) ? finish_domain() : outcome::running;
  }

  // Behind the evaluation of the domain.
  TESSERA_HD outcome finish_domain() {
    const region_view s = state().regions;
    const bool failed = eval_.failed();
    if (failed && eval_.failure() != outcome::nonfinite) return eval_.failure();
    at_.evaluations = state().points;
    at_.count = 1;
    if (grid_.once()) {
      if (failed) {
        make_unknown(s, 0);
      } else {
        restore_classic(s, 0);
        if (state().set.estimate != 1) clear_sign(s, 0);
        if (!filling()) prepare_division(state().split, s, 0, state().domain());
      }
      for (int k = 0; k < nc_; ++k) {  // what there is until a survey knows more
        component_sums t = {};
        t.value.add(s.value(0, k));
        t.error.add(s.error(0, k));
        state().totals[k] = t;
      }
    }
    if (failed) return eval_.failure();
    grid_.barrier();
    count_rough();
    return outcome::running;
  }

  // Of the first regions, before they are divided.
  TESSERA_HD void count_rough() {
    if (!filling() || at_.count >= halved_regions) return;
    small_team few;
    const int64 rough =
        count_those(few, [](const region_view &s, int64 i) { return (s.state(i).word & region_rough) != 0u; });
    at_.rough = roughness_of(rough, at_.count);
  }

  // Whether all first regions are to be divided without a look at them, apart from the limit of evaluations: what they say together matters only when
  // the run may end with fewer regions than are wanted, or when there is no room.
  TESSERA_HD bool may_fill(const splitting &next) const {
    if (at_.evaluations < state().points) return false;
    const int64 least = state().set.least_regions,
                first = int64{1} << halvings(least > first_look ? least : first_look);
    const bool look = state().set.may_do_with_fewer && at_.count >= first && (next.pieces > 2 || at_.count == first);
    return !look && fits(at_.count, next);
  }

  // Are there regions enough before there are as many as are wanted? Where the integrand is smooth in all of them and far from what is tolerated, a few of
  // higher degree do with fewer steps what many would.
  TESSERA_HD bool has_enough_regions() {
    if constexpr (!Evaluator::raises) return false;
    const bulk_state &st = state();
    if (!filling() || !st.set.may_do_with_fewer || st.set.raised_points[0] == 0 || st.set.ndim <= 3 ||
        at_.count < smooth_regions || at_.turn == 0 || !(st.decision->excess >= smooth_excess))
      return false;
    return count_those(team_, is_not_smooth) == 0;
  }
  TESSERA_HD static bool is_not_smooth(const region_view &s, int64 i) {
    const region_state own = s.state(i);
    return own.suspicion > 0.0f || (own.word & (region_rough | region_doubtful)) != 0u;
  }
  // Of few regions.
  template <class Team, class Condition>
  TESSERA_HD int64 count_those(Team &team, Condition holds) {
    const region_view s = state().regions;
    int n = 0;
    TESSERA_ROLLED
    for (int64 i = team.lane(); i < at_.count; i += team.lanes()) n += holds(s, i) ? 1 : 0;
    return team.total(n);
  }

  // Are first regions larger than they are to be, or is there one of which no null rule shows the scale of anything and that is larger than such regions
  // are to be? All are of one size, so that all are divided on.
  TESSERA_HD bool has_large_unseen() {
    const cubature_settings &set = state().set;
    const double share = 1.0 / static_cast<double>(at_.count);
    return is_larger_than_one_of(set.least_regions, share) ||
           (is_larger_than_one_of(set.regions_of_rounding, share) && count_those(team_, shows_only_rounding) > 0);
  }

  // The first regions are not going to be as many as were wanted: there is no room, or no need.
  TESSERA_HD void stop_filling() {
    at_.fill = 0;
    const splitting split = state().split;
    const region_view s = state().regions;
    const domain_box domain = state().domain();
    grid_.each(at_.count, [=](int64 i) { prepare_division(split, s, i, domain); });
    grid_.barrier();
  }

  // Divides so many regions of a list, or the first, which are then the list. An item is an axis of one of them, for as many lanes as there are pieces,
  // or what is remembered of it.
  TESSERA_HD void divide(int64 marked, const int64 *ids) {
    bulk_state &st = state();
    const int64 n = at_.count;
    const int ndim = st.regions.ndim();
    const splitting split = this->split();
    grid_.lanes_each(marked * (ndim + 1), split.pieces, [=, &st](auto &lanes, int64 t) {
      const int64 m = t % marked;
      const int j = static_cast<int>(t / marked);
      const int64 i = ids ? ids[m] : m;
      if (j < ndim) {
        divide_axis(lanes, st.regions, split, i, j,
                    [=](int64 q) { return q == 0 ? i : n + m * (split.pieces - 1) + q - 1; });
      } else if (lanes.lane() == 0) {
        remember(st, i, m);
        if (!ids) st.marked[m] = m;
      }
    });
    grid_.barrier();
  }

  // One team alone surveys few regions, decides, and lists what is to be divided: what it would be told by the others takes longer.
  TESSERA_HD static bool is_lone(int64 n) { return n <= Grid::lone_regions; }
  TESSERA_HD int64 surveyed_chunks() const { return is_lone(at_.count) ? 1 : chunks_of(at_.count); }

  // Sums and histogram of all regions as they are now, and what follows from them.
  TESSERA_HD void survey() {
    const int64 n = at_.count, chunks = surveyed_chunks();
    bulk_state &st = state();
    uint32 *counts = filling() ? nullptr : histogram(0);  // first regions are all divided, or none
    const double *weights = scale();
    grid_.chunks(chunks, [=, &st](auto &team, int64 c) {
      survey_chunk(team, st, range_of(n, chunks, c), weights, counts, st.sums + c * st.set.ncomp, &st.frozen[c]);
    });
    if (grid_.first_team()) TESSERA_OVERLAPPED
    for (int b = team_.lane(); b < histogram_bins; b += team_.lanes()) histogram(1)[b] = 0;
    const bool lone = is_lone(n);
    listed_ = lone && !filling();
    grid_.in_first(!lone, [this] {
      decide();
      if (listed_) list_alone();
    });
  }

  // Behind a decision, in one team: all that it is about.
  TESSERA_HD void list_alone() {
    bulk_state &st = state();
    team_.meet();
    const bulk_decision d = *st.decision;
    if (d.end != outcome::running) return;
    const double *const weights = scale();
    const bool raising = Evaluator::raises && is_raising();
    const double least = raising ? least_to_raise(d.bin, d.allowed, at_.count) : 0.0;
    const bool too_many = tessera::list_alone(
        team_, at_.count, st.marked, [=, &st](int64 i) { return above(st, i, weights, d.bin); },
        [=, &st](int64 i) { return raising && level_to_raise(st, i, weights, least) > 0; });
    if (team_.lane() == 0) st.decision->hindered = too_many;
  }

  // The regions are no longer those of the last survey, if there was one: the next takes the next buffers.
  TESSERA_HD void forget_survey() {
    if (at_.surveyed) ++at_.turn;
    at_.surveyed = false;
    listed_ = false;
  }

  // One team: is the tolerance met, and what is to be divided? Also sets the totals and the weights for the next step.
  TESSERA_HD void decide() {
    const int64 chunks = surveyed_chunks();
    verdict all_components(state().set, live());
    double *next = state().scale + ((at_.turn + 1) & 1) * nc_;
    double frozen = 0.0, keys = 0.0, over = 0.0, allowed = 1.0;  // over: how far a component is beyond its tolerance
    double excess = 0.0;
    const bool writer = team_.lane() == 0;
    TESSERA_ROLLED
    for (int k = 0; k < nc_; ++k) {
      component_total all;
      const double weight = scale()[k];  // asked for ahead
      value_and_error other = {};
      for (int turn = state().set.complex_values ? 1 : 0; turn >= 0; --turn) {  // the other part of the number first
        all = total_of(team_, state(), chunks, k ^ turn);
        if (turn > 0) other = all.now();
      }
      const value_and_error own = all.now();
      if (!state().set.complex_values) other = own;
      const double tolerance = tolerated(state().set, k, [=](int c) { return c == k ? own : other; });
      frozen = all.frozen;
      all_components.add(own, tolerance);
      const double least = all.share < 1.0 ? tolerance / all.share : tolerance;
      keys += weight * all.whole;
      const double tau = weight * least;
      if (tau > 0.0 && tau < allowed) allowed = tau;
      over = larger(over, weight * (all.whole - least));
      excess = larger(excess, tolerance > 0.0 ? own.error / tolerance : infinity_value());
      if (writer) {
        state().totals[k] = all.sums;
        // Where much less is tolerated than there is, the errors are brought down in stages; of few regions, whose steps cost more than their points, in one.
        const double aim = has_few_regions() ? least : larger(least, all.whole * stage);
        next[k] = aim > 0.0 ? 1.0 / aim : 1.0;
      }
    }
    const bool may_end = (at_.iterations > 0 || state().resumed) && at_.evaluations >= state().set.mineval &&
                         (!filling() || state().set.may_do_with_fewer);
    bulk_decision d = {
        may_end ? all_components.end() : outcome::running, 0, 0, allowed, false, static_cast<float>(excess)};
    if (d.end == outcome::converged && filling() && has_large_unseen()) d.end = outcome::running;
    // What cannot be divided has more error than is tolerated, and the rest next to none beside it.
    const double rest = keys - frozen;
    if (may_end && d.end == outcome::running && state().set.estimate != 1 && rest < over &&
        rest <= negligible_rest * frozen)
      d.end = outcome::roundoff;
    if (d.end == outcome::running && filling()) {
      d.count = state().whole_steps || can_divide(1, split()) ? at_.count : 0;
    } else if (d.end == outcome::running) {
      const int64 most = state().whole_steps ? any_number : affordable(state().split);
      const double share = state().set.bulk_fraction;
      const threshold t =
          most > 0 ? choose_bin(team_, histogram(0), share - (frozen < 0.9 * share ? frozen : 0.9 * share), most)
                   : threshold{0, 0};
      d.bin = t.bin;
      d.count = t.count;
    }
    if (writer) *state().decision = d;
  }

  // Functions apart are given copies of what is used all the time, so that a compiler may keep that at hand.
  template <class Function>
  TESSERA_HD auto apart(Function function) {
    Grid grid = grid_;
    const auto result = function(grid);
    grid_ = grid;
    return result;
  }

  TESSERA_HD bool is_raising() const {  // at first the keys have no scale
    return state().set.raised_points[0] != 0 && !filling() && at_.turn > 0;
  }
  // Raises the degree of regions that would be divided. False: of none.
  TESSERA_HD bool raise(const bulk_decision &t) {
    listed_ = false;
    bulk_progress at = at_;
    const int64 points = apart([&](Grid &grid) {
      return raise_regions(grid, state(), at, eval_, scale(), t.bin, least_to_raise(t.bin, t.allowed, at_.count));
    });
    at_ = at;
    if (at_.pending > 0) return true;
    if (points == 0) return false;
    if (eval_.failed()) at_.end = eval_.failure();
    at_.evaluations += points;
    return true;
  }
  // Lists the first `most` of those that are still to be divided, and not to be raised once more. Returns how many.
  TESSERA_HD int64 list_rest(const bulk_decision &t, int64 most) {
    const double *weights = scale();
    const double least = least_to_raise(t.bin, t.allowed, at_.count);
    const int bin = t.bin;
    bulk_state &st = state();
    const int64 n = list_regions(grid_, st, at_.count, st.marked, most, [=, &st](int64 i) {
      return above(st, i, weights, bin) && level_to_raise(st, i, weights, least) == 0;
    });
    return n < most ? n : most;
  }

  // Lists the first `marked` of the regions that the decision is about. False: there is no list, for some are to be raised.
  TESSERA_HD bool list_chosen(const bulk_decision &t, int64 marked, bool may_raise) {
    if (listed_) return !(may_raise && t.hindered);
    const int64 n = at_.count;
    const double *weights = scale();
    const double least = may_raise ? least_to_raise(t.bin, t.allowed, n) : infinity_value();
    const int bin = t.bin;
    bulk_state &st = state();
    const auto take = [=, &st](int64 i) { return above(st, i, weights, bin); };
    if constexpr (Evaluator::raises) {
      if (list_regions(grid_, st, n, st.marked, marked, take,
                       [=, &st](int64 i) { return may_raise && level_to_raise(st, i, weights, least) > 0; }) < 0)
        return false;
    } else {
      list_regions(grid_, st, n, st.marked, marked, take);
    }
    return true;
  }

  // Looks for break points in some of n regions.
  TESSERA_HD outcome search_breaks(const int64 *ids, int64 n, bool at_end) {
    const search_lines lines = lines_to_search(at_.breaks, state().set.ndim, at_.evaluations, n, at_end);
    if (lines.all == 0 || lines.all * most_of_line > state().set.maxeval - at_.evaluations) return outcome::running;
    bulk_progress at = at_;
    const bool fresh =
        apart([&](Grid &grid) { return tessera::search_breaks(grid, state(), at, eval_, scale(), ids, n, lines); });
    at_ = at;
    if (eval_.failed()) return eval_.failure();
    if (fresh) use_breaks();
    return outcome::running;
  }
  // From now on regions are cut there. As long as there are none nobody looks at their table, which is far away.
  TESSERA_HD void use_breaks() {
    team_.meet();
    if (team_.lane() == 0) state().split.breaks = state().landmarks.breaks = state().break_points;
    team_.meet();
  }

  // Keeps what the comparison of the levels needs of region i.
  TESSERA_HD static void remember(bulk_state &st, int64 i, int64 m) {
    for (int k = 0; k < st.regions.ncomp(); ++k) {
      st.parents.value(m, k) = st.regions.value(i, k);
      st.parents.error(m, k) = st.regions.error(i, k);
    }
    st.parents.state(m) = st.regions.state(i);
  }

  // Behind the evaluation of the pieces of the `marked` divided regions.
  TESSERA_HD outcome correct_pieces(int64 marked, const splitting &split, const region_list &list) {
    const region_view s = state().regions, p = state().parents;
    // The totals stay as they were; where all regions were divided, perhaps without a look at them, they are theirs.
    if (eval_.failed()) {
      if (marked == at_.count)
        grid_.in_first(true, [this, marked] {
          for (int k = 0; k < nc_; ++k) {
            const component_sums t = sum_chunk(team_, state().parents, {0, marked}, k, [](int64) { return true; });
            if (team_.lane() == 0) state().totals[k] = t;
          }
        });
      return eval_.failure();
    }
    const int estimate = state().set.estimate;
    at_.count += marked * (list.pieces - 1);
    // Of first regions none is chosen, and whether they can be divided has been asked before.
    const splitting *const next = filling() ? nullptr : &state().split;
    const domain_box domain = state().domain();
    grid_.lanes_each(marked, list.pieces, [=](auto &lanes, int64 m) {
      const int64 own = list.at(m, 0), others = list.at(m, 1) - 1;
      correct_errors(
          lanes, estimate, split, next, p, m, s, [=](int64 q) { return q == 0 ? own : others + q; }, domain);
    });
    grid_.barrier();
    count_rough();
    at_.evaluations += marked * list.pieces * state().points;
    ++at_.iterations;
    return outcome::running;
  }

  TESSERA_HD bool give_up() {
    bulk_progress at = at_;
    const bool gave_up = apart([&](Grid &grid) { return tessera::give_up(grid, state(), at, histogram(0), scale()); });
    at_ = at;
    if (at_.fill > 0) at_.fill = 0;  // those that are left, however few, are not first regions again
    return gave_up;
  }

  // What is to be looked at before success is claimed; 0: nothing, or there are no more than the first regions, which are all of one
  // size, and no other mode is known. Where all first regions that were wanted are there, the integrand has to be smooth in each: else what
  // one of them has met may reach into others that were divided along other axes.
  TESSERA_HD int64 list_unexplored() {
    if (state().set.estimate == 1 || at_.retired_count > 0 || at_.count < 2) return 0;
    if (state().landmarks.mode_boxes == 0) {
      if (filling() || at_.count == -at_.fill) return 0;
      if (at_.count == at_.fill && at_.count <= few_first && count_those(team_, is_not_smooth) == 0 &&
          !has_large_unseen())
        return 0;
    } else if (filling()) {
      stop_filling();
    }
    return apart([&](Grid &grid) {
      return tessera::list_unexplored(grid, state(), at_.count, scale(), state().exploring_split);
    });
  }
  // The same of the pieces of what was listed before, without another look at the rest.
  TESSERA_HD int64 list_pieces() {
    const splitting split = this->split();
    const region_list pieces = {state().marked, at_.count - at_.marked_count * (split.pieces - 1), split.pieces};
    return apart([&](Grid &grid) {
      return list_overlooked(grid, state(), at_.count, pieces, at_.marked_count * split.pieces, scale(), split,
                             [](int64, double) { return false; });
    });
  }

  // What was listed when there was no room for it. A new list would be made with the landmarks that there are now, and the course would depend on
  // how much room there was.
  TESSERA_HD int64 list_again() {
    const splitting split = this->split();
    return apart([&](Grid &grid) { return list_marked(grid, state(), at_.count, split); });
  }

  // Has the run gone on with fewer regions than were wanted, and room for the highest degree in all of them?
  TESSERA_HD bool has_few_regions() const {
    const cubature_settings &set = state().set;
    return at_.fill < 0 && at_.count < set.initial_regions &&
           at_.count * set.raised_points[raised_levels - 1] <= (set.maxeval - at_.evaluations) / 4;
  }

  static constexpr double stage = 1.0 / 256;
  static constexpr int64 first_look = 8;    // regions
  static constexpr int64 few_first = 4096;  // that each team looks through
  // Smooth regions that may be enough, and the error, of what is tolerated, before they were divided last, up to which one more level does.
  static constexpr int64 smooth_regions = 256;
  static constexpr float smooth_excess = 256.0f;

  Grid grid_;  // a copy, whose numbers are at hand
  typename Grid::team_type &team_;
  bulk_state &given_;
  Evaluator &eval_;
  const int nc_;
  bulk_progress at_ = {};
  int64 before_ = 0;     // evaluations when it was started, for whoever goes on behind one team alone too
  bool listed_ = false;  // what the decision is about is in state().marked
};

}  // namespace tessera
