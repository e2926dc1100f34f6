// Driver of bulk subdivision: owns the memory, starts the steps where the executor runs them, and looks in between.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "bulk_state.hpp"
#include "../hooks.hpp"
#include "largest_errors.hpp"
#include "mode_search.hpp"
#include "region_record.hpp"
#include "two_level_correction.hpp"

namespace tessera {

// The executor offers buffer<T>, shared_buffer<T> (which the driver may read between the steps), arrange, grow_regions,
// agree_on_room(regions, parents, there), by which several drivers that make the same run have the same room, and run_bulk(state), which runs
// bulk_steps. Where the evaluator is deferred it first evaluates the regions that are pending.
template <class Executor>
class bulk {
 public:
  bulk(Executor &exec, const cubature_settings &settings, int64 points, run_hooks &hooks, mode_search *modes = nullptr)
      : exec_(exec),
        set_(settings),
        hooks_(hooks),
        modes_(modes),
        regions_(exec, settings.ndim, settings.ncomp),
        parents_(exec, 0, settings.ncomp),
        boxes_of_modes_(exec, settings.ndim, settings.ncomp),
        marked_(exec),
        totals_(exec),
        candidates_(exec),
        tables_(exec) {
    set_up(state_, settings, points);
    state_.pause_after = state_.pause_exploring_after = Executor::pause_after;
    cubature_settings of_regions = settings;
    of_regions.memory = settings.memory / bytes_of_region(settings) * (bytes_of_region(settings) - candidate_bytes);
    most_regions_ = regions_in_memory(of_regions, state_.exploring_split.pieces);
    stats_.region_bytes = 8 * region_fields(settings.ndim, settings.ncomp);
  }

  // Bytes that a run takes beside its regions.
  static int64 fixed_bytes(const cubature_settings &s) {
    bulk_state state = {};
    state.set = s;
    array_places places;
    place_tables(state, places, most_chunks, Executor::arrange);
    return places.bytes + s.ncomp * (static_cast<int64>(sizeof(component_sums)) + 64) +
           landmark_groups * static_cast<int64>(sizeof(landmark_pair));
  }
  static int64 bytes_of_region(const cubature_settings &s) {
    return 8 * (region_fields(s.ndim, s.ncomp) + region_fields(0, s.ncomp) + 1) + candidate_bytes;
  }
  static int64 least_regions(const cubature_settings &s) {
    return 4 * make_splitting(s.splitting, s.ndim, s.margin).pieces;
  }

  // value[ncomp] and error[ncomp] are set if statistics().evaluations > 0 afterwards.
  outcome run(const domain_box &domain, double *value, double *error) {
    allocate(domain);
    return advance(value, error);
  }
  // The same from regions that a run has handed out. For executors whose memory the driver can write.
  outcome resume(const given_regions &given, const domain_box &domain, double *value, double *error) {
    allocate(domain);
    require(std::max(given.n + given.n / 2, state_.capacity), state_.parents_capacity);
    for (int64 i = 0; i < given.n; ++i) {
      read_record(given.records + i * region_record_fields(set_.ndim, set_.ncomp), state_.regions, i, nullptr);
      prepare_division(state_.split, state_.regions, i, state_.domain());
    }
    std::fill_n(state_.histogram, histogram_bins, 0u);
    std::fill_n(state_.scale, set_.ncomp, 1.0);
    state_.breaks = go_on_behind(given.evaluations);
    for (int k = 0; k < set_.ncomp; ++k) state_.retired[k] = component_sums{};
    state_.count = given.n;
    state_.evaluations = given.evaluations;
    state_.resumed = given.n > 1;  // one region has not been compared with its pieces yet
    return advance(value, error);
  }
  cubature_statistics statistics() const {
    cubature_statistics s = stats_;
    s.evaluations = state_.evaluations;
    s.iterations = state_.iterations;
    s.breaks = state_.breaks.found;
    s.regions = state_.count + state_.retired_count;
    return s;
  }

  // ---- A run that can be gone on with: steps are whole, and its state are these words, between two of them and after it ---------------------

  void keep_steps_whole() { state_.whole_steps = true; }
  // False: the run is in the middle of a step, or was ended there.
  bool has_state() const { return !within_ && state_.count > 0 && state_.pending == 0; }
  bool write_state(std::vector<uint64> &words) {
    if (!has_state()) return false;
    const saved_progress now = {static_cast<const bulk_progress &>(state_), set_.reltol, set_.abstol, set_.mineval};
    words.assign(words_of_state(now.at), 0);
    std::memcpy(words.data(), &now, sizeof now);
    std::memcpy(words.data() + head_words, state_.totals, sums_bytes());
    each_part(words.data() + head_words + to_words(sums_bytes()),
              [this](uint64 *here, void *there, std::size_t bytes) { exec_.fetch(here, there, bytes); });
    std::vector<double> of_modes(numbers_of_modes());
    if (modes_) modes_->write(of_modes.data());
    std::memcpy(words.data() + words.size() - of_modes.size(), of_modes.data(), of_modes.size() * sizeof(double));
    return true;
  }
  // Can they be those of such a run?
  bool is_state(const uint64 *words, std::size_t n) const {
    saved_progress then;
    if (n < head_words) return false;
    std::memcpy(&then, words, sizeof then);
    const bulk_progress &at = then.at;
    const bool possible = at.count > 0 && at.count <= int64{1} << 40 && at.marked_count >= 0 &&
                          at.marked_count <= at.count && at.retired_count >= 0 && at.evaluations > 0 &&
                          at.iterations >= 0 && at.turn >= 0 && at.pending == 0 && at.raising == 0;
    return possible && n == words_of_state(at);
  }
  // Goes on from there, with the same tolerances as if nothing had been.
  outcome go_on(const uint64 *words, const domain_box &domain, double *value, double *error) {
    saved_progress then;
    std::memcpy(&then, words, sizeof then);
    allocate(domain);
    require(std::max(then.at.count, state_.capacity), std::max(then.at.marked_count, state_.parents_capacity));
    static_cast<bulk_progress &>(state_) = then.at;
    state_.end = outcome::running;
    state_.stopped = false;  // wants_room stays, and with it what is listed
    std::memcpy(static_cast<void *>(state_.totals), words + head_words, sums_bytes());
    each_part(words + head_words + to_words(sums_bytes()),
              [this](const uint64 *here, void *there, std::size_t bytes) { exec_.put(there, here, bytes); });
    if (modes_) modes_->read(modes_before(words + words_of_state(then.at)).data());
    if (state_.surveyed && (then.reltol != set_.reltol || then.abstol != set_.abstol || then.mineval != set_.mineval)) {
      ++state_.turn;
      state_.surveyed = false;
    }
    return advance(value, error);
  }

  // The regions between two steps and after the run; -1 when some had to be given up, or when a step could not be finished.
  // For the same executors.
  int64 count() const { return state_.retired_count > 0 || within_ ? -1 : state_.count; }
  void read(int64 first, int64 n, double *records) const {
    for (int64 i = 0; i < n; ++i)
      write_record(state_.regions, first + i, nullptr, records + i * region_record_fields(set_.ndim, set_.ncomp));
  }

  mode_search *modes() const { return modes_; }
  // What modes a state knows of, for looks that are made again before the run goes on from it.
  void foresee_modes(const std::vector<uint64> &words) {
    if (modes_) modes_->foresee(modes_before(words.data() + words.size()).data());
  }
  listed_regions listed() const { return {state_.regions, state_.retired_count > 0 ? 0 : state_.count}; }
  std::vector<double> largest(int wanted, const double *weight) const {
    return exec_.largest_errors(state_.regions, state_.count, wanted, weight);
  }

 private:
  // landmark_parts, for one region of the many that a part is of
  static constexpr int64 candidate_bytes = static_cast<int64>(sizeof(landmark_pair)) / 4;

  struct saved_progress {
    bulk_progress at;
    double reltol, abstol;
    int64 mineval;
  };
  static constexpr std::size_t head_words = (sizeof(saved_progress) + 7) / 8;
  static std::size_t to_words(std::size_t bytes) { return (bytes + 7) / 8; }
  std::size_t sums_bytes() const { return static_cast<std::size_t>(set_.ncomp) * sizeof(component_sums); }
  std::size_t numbers_of_modes() const { return modes_ ? modes_->numbers() : 0; }
  // Those at the end of a state.
  std::vector<double> modes_before(const uint64 *end) const {
    std::vector<double> numbers(numbers_of_modes());
    std::memcpy(numbers.data(), end - numbers.size(), numbers.size() * sizeof(double));
    return numbers;
  }
  std::size_t tables_bytes() const {
    bulk_state state = {};
    state.set = set_;
    array_places places;
    place_tables(state, places, most_chunks, Executor::arrange);
    return static_cast<std::size_t>(places.bytes);
  }
  std::size_t words_of_state(const bulk_progress &at) const {
    return head_words + to_words(sums_bytes()) + to_words(tables_bytes()) +
           static_cast<std::size_t>(at.marked_count + at.count * region_fields(set_.ndim, set_.ncomp)) +
           numbers_of_modes();
  }
  // move(here, there, bytes) for what is in the executor's memory, one behind the other from `here` on.
  template <class Word, class Move>
  void each_part(Word *here, const Move &move) {
    move(here, tables_.data(), tables_bytes());
    here += to_words(tables_bytes());
    if (state_.marked_count > 0)
      move(here, state_.marked, static_cast<std::size_t>(state_.marked_count) * sizeof(int64));
    here += state_.marked_count;
    Executor::each_stretch(state_.regions, state_.count, [&](double *there, int64 n) {
      move(here, there, static_cast<std::size_t>(n) * sizeof(double));
      here += n;
    });
  }

  outcome advance(double *value, double *error) {
    while (state_.end == outcome::running) {
      if (has_new_modes()) show_modes();
      within_ = true;
      pace();
      state_.set.maxeval = set_.maxeval - hooks_.evaluations_beside();
      state_.look_after = modes_ ? modes_->early_after() : greatest_int64;
      exec_.run_bulk(state_);
      within_ = state_.end != outcome::running && !is_end_of_a_step(state_.end);
      if (state_.wants_look) state_.end = look_for_modes(value, error, true);
      if (state_.end == outcome::running)
        state_.end = look(value, error);
      else if (state_.end == outcome::converged && modes_)
        state_.end = before_success(value, error);
    }
    if (state_.evaluations == 0) return state_.end;
    read_totals(value, error);
    if (state_.end != outcome::converged && modes_ && modes_->boxes() > state_.mode_boxes_explored)
      modes_->add_unresolved(error);
    return state_.end;
  }

  outcome look_for_modes(double *value, double *error, bool early) {
    if (state_.retired_count > 0 || set_.estimate == 1 || set_.by_component) modes_->give_up();
    read_totals(value, error);
    return modes_->look_if_owed(
        value, error,
        [this](const double *weights) {
          return !modes_->is_infinite() && has_first_regions_alone() ? std::vector<double>()
                                                                     : largest(looked_at_regions, weights);
        },
        state_.count, state_.evaluations, set_.maxeval - hooks_.evaluations_beside() - state_.evaluations,
        state_.whole_steps, early);
  }
  // Returns how the run has ended, or running where regions are to be compared with what is found.
  outcome before_success(double *value, double *error) {
    const outcome o = look_for_modes(value, error, false);
    return o != outcome::running || has_new_modes() ? o : outcome::converged;
  }
  // All of one size: no peak is narrow beside them.
  bool has_first_regions_alone() const {
    return state_.fill > 0 ? state_.count <= state_.fill : state_.count == -state_.fill;
  }
  bool has_new_modes() const { return modes_ && modes_->boxes() > state_.landmarks.mode_boxes; }
  // To the steps.
  void show_modes() {
    boxes_of_modes_.resize(most_modes * mode_search::boxes_of_mode(set_.ndim), 0);
    std::vector<double> numbers(
        static_cast<std::size_t>(boxes_of_modes_.capacity() * region_fields(set_.ndim, set_.ncomp)));
    const region_view here = Executor::arrange(numbers.data(), set_.ndim, set_.ncomp, boxes_of_modes_.capacity());
    for (int b = 0; b < modes_->boxes(); ++b) modes_->write(here, b);
    state_.landmarks.modes = boxes_of_modes_.view();
    exec_.put(&state_.landmarks.modes.field(0, 0), numbers.data(), numbers.size() * sizeof(double));
    state_.landmarks.mode_boxes = modes_->boxes();
  }

  // After how many evaluations the steps pause. What a run that pauses seldom would be asked about where it has explored, one that paused on its way there is asked about too.
  void pace() {
    const int64 owed = is_look_owed_ ? 1 : 0;
    if (Executor::pause_after == 1) {
      state_.pause_after = 1 - owed;
      return;
    }
    state_.pause_after = std::min(Executor::pause_after, hooks_.until_look(state_.evaluations));
    state_.pause_exploring_after = std::min(Executor::pause_after, hooks_.until_level_look(state_.evaluations));
    const look_ahead_of_time early = hooks_.until_early_look(state_.evaluations);
    state_.early_pause_after = std::min(Executor::pause_after, early.after);
    if (state_.pause_after <= owed) state_.pause_after = 0;
    if (state_.early_pause_after <= owed) state_.early_pause_after = 0;
    state_.early_excess = surely_there * early.excess;
    if (!state_.whole_steps) state_.most_in_step = hooks_.most_in_step(state_.evaluations);
  }

  static bool is_end_of_a_step(outcome end) {
    return end == outcome::converged || end == outcome::all_zero || end == outcome::evaluations ||
           end == outcome::roundoff;
  }

  void allocate(const domain_box &domain) {
    std::copy_n(domain.lower, set_.ndim, state_.lower);
    std::copy_n(domain.upper, set_.ndim, state_.upper);
    std::copy_n(domain.grain, set_.ndim, state_.grain);
    totals_.resize(set_.ncomp);
    state_.totals = totals_.data();
    array_places places;
    place_tables(state_, places, most_chunks, Executor::arrange);
    tables_.resize(places.bytes);
    places = {tables_.data(), 0};
    place_tables(state_, places, most_chunks, Executor::arrange);
    state_.split.breaks = state_.landmarks.breaks = nullptr;
    state_.landmarks.mode_boxes = 0;
    state_.end = outcome::running;
    state_.breaks = no_search_yet;
    const int64 first = std::max(Executor::first_regions, 4 * set_.initial_regions);
    require(std::min(first, most_regions_), std::min(first / 2, most_regions_ / 2));
  }

  void require(int64 regions, int64 parents) {
    if (!grow(regions, parents)) throw std::bad_alloc();
  }

  // Room for more regions and divisions; the regions there are keep their places. False: there is no memory for so many, and room is what it was.
  bool grow(int64 regions, int64 parents) {
    bool there = true;
    try {
      regions_.resize(regions, state_.count);
      parents_.resize(std::max<int64>(parents, 1), 0);
      marked_.resize(std::max(regions, parents) + 2);
      candidates_.resize(landmark_parts(regions_.capacity()) * landmark_groups);
    } catch (const std::bad_alloc &) {
      there = false;
    }
    state_.regions = regions_.view();  // what has moved before the memory ended has moved
    state_.parents = parents_.view();
    state_.marked = marked_.data();
    state_.candidates = candidates_.data();
    // Memory that an earlier run has left may be more than this one may use.
    int64 room = there ? std::min(regions_.capacity(), std::max(regions, most_regions_)) : state_.capacity;
    int64 divisions = there ? std::min(parents_.capacity(), std::max(parents, most_regions_)) : state_.parents_capacity;
    exec_.agree_on_room(room, divisions, there);
    if (!there) return false;
    state_.capacity = room;
    state_.parents_capacity = divisions;
    state_.can_grow = state_.capacity < most_regions_;
    stats_.peak_bytes = std::max(stats_.peak_bytes, state_.capacity * (stats_.region_bytes + 8 + candidate_bytes) +
                                                        state_.parents_capacity * 8 * region_fields(0, set_.ncomp));
    return true;
  }

  // Between two goes: more room, the clock, the progress callback.
  outcome look(double *value, double *error) {
    if (state_.wants_room) {
      const int64 marked = state_.marked_count;
      const int64 wanted = state_.count + marked * (state_.exploring_split.pieces - 1);
      int64 regions = state_.capacity, parents = state_.parents_capacity;
      if (wanted > regions) regions = std::min(most_regions_, std::max(2 * regions, wanted + wanted / 4));
      if (marked > parents) parents = std::min(regions, marked + marked / 4);
      if (!grow(regions, parents)) {
        most_regions_ = state_.capacity;
        state_.can_grow = false;
      }
    }
    if (state_.evaluations == 0) return outcome::running;  // the first regions wait to be evaluated
    read_totals(value, error);
    is_look_owed_ = !state_.surveyed && (state_.exploring || Executor::pause_after > 1);
    return state_.surveyed ? hooks_.between_steps(state_.evaluations, value, error)
                           : hooks_.between_levels(state_.evaluations, value, error);
  }

  void read_totals(double *value, double *error) {
    const double factor = few_regions_factor(set_, state_.count + state_.retired_count);
    for (int k = 0; k < set_.ncomp; ++k) {
      value[k] = state_.totals[k].value.value();
      error[k] = factor * error_of(state_.totals[k].error);
    }
  }

  static constexpr double surely_there =
      0.9;  // the steps' own excess is that without rounding and what few regions are multiplied by

  Executor &exec_;
  const cubature_settings &set_;
  run_hooks &hooks_;
  mode_search *const modes_;  // null: none are looked for
  region_store<Executor> regions_, parents_, boxes_of_modes_;
  typename Executor::template buffer<int64> marked_;
  typename Executor::template shared_buffer<component_sums> totals_;
  typename Executor::template buffer<landmark_pair> candidates_;
  typename Executor::template buffer<unsigned char> tables_;
  bulk_state state_ = {};
  int64 most_regions_;
  bool is_look_owed_ = false;  // the last one was on the way to a survey
  bool within_ = false;        // a step is under way, or was not finished
  cubature_statistics stats_;
};

}  // namespace tessera
