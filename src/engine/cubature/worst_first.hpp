// Worst-first subdivision: each step divides the region with the largest error. A heap makes a step cost O(log N).
//
// With several threads the regions next in the queue are divided ahead of time (divisions_ahead.hpp), but they enter the result
// in exactly the order of the sequential run: values, errors and counts do not depend on the number of threads.
//
// Regions with equal errors: with the classic estimate the heap itself decides, as in DCUHRE (heap.hpp), and the heap is the
// order in which the regions are handed out; else the region that is older comes first.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "component_queues.hpp"
#include "divisions_ahead.hpp"
#include "explore.hpp"
#include "../hooks.hpp"
#include "initial.hpp"
#include "../machine.hpp"
#include "kept_landmarks.hpp"
#include "largest_errors.hpp"
#include "region_memory.hpp"
#include "region_order.hpp"
#include "region_queue.hpp"
#include "region_record.hpp"
#include "region_store.hpp"
#include "two_level_correction.hpp"
#include "split.hpp"
#include "totals.hpp"

namespace tessera {

template <class Executor, class Evaluator>
class worst_first {
 public:
  worst_first(Executor &exec, Evaluator &eval, int ndim, int ncomp)
      : exec_(exec),
        eval_(eval),
        store_(exec, ndim, ncomp),
        ahead_(exec, eval, ndim, ncomp),
        landmarks_(exec, ndim, ncomp),
        totals_(ncomp),
        anew_(ncomp),
        retired_(ncomp),
        frozen_(ncomp) {}

  // look_ahead: how many regions may be divided ahead of time, 1 for none. Memory of earlier runs is used again.
  // modes: null where none are looked for. domain: kept by the caller until the run is over; value[ncomp] and error[ncomp] are set if statistics().evaluations > 0 afterwards.
  outcome run(const cubature_settings &settings, int look_ahead, const given_regions &given, const domain_box &domain,
              run_hooks &hooks, mode_search *modes, double *value, double *error) {
    set_ = settings;
    hooks_ = &hooks;
    modes_ = modes;
    landmarks_.forget_modes();
    explores_modes_ = explores_early_ = false;
    early_after_ = first_early;
    look_ahead_ = set_.by_component ? 1 : look_ahead;
    domain_ = domain;
    clear();
    const struct at_the_end {  // whatever is thrown
      worst_first &run;
      ~at_the_end() { run.ahead_.abandon(); }
    } guard{*this};
    outcome o = given.n > 0 ? resume(given) : start();
    while (o == outcome::running) o = step();
    ahead_.abandon();
    finish(value, error);
    if (o != outcome::converged && has_unexplored_modes()) modes_->add_unresolved(error);
    return o;
  }
  const cubature_statistics &statistics() const { return stats_; }

  // The regions between two steps and after the run; -1 when some had to be given up.
  int64 count() const { return retired_regions_ > 0 ? -1 : regions_; }
  // Regions first .. first+n-1.
  void read(int64 first, int64 n, double *records) {
    order_.make(queue_, regions_);
    for (int64 i = 0; i < n; ++i) {
      if (first + i + far_ahead < regions_) prefetch_region(store_.view(), order_[first + i + far_ahead]);
      const int64 r = order_[first + i];
      write_record(store_.view(), r, axes_of(axes_, r), records + i * region_record_fields(set_.ndim, set_.ncomp));
    }
  }

  listed_regions listed() { return {store_.view(), retired_regions_ > 0 ? 0 : regions_}; }
  std::vector<double> largest(int wanted, const double *weight) {
    return exec_.largest_errors(store_.view(), regions_, wanted, weight);
  }

 private:
  void clear() {
    split_ = make_splitting(set_.splitting, set_.ndim, set_.margin);
    breaks_.count = 0;
    seeking_ = no_search_yet;
    record_bytes_ = 8 * region_fields(set_.ndim, set_.ncomp) + static_cast<int64>(sizeof(queue_entry));
    capacity_ = std::max(set_.memory / bytes_of_region(set_), least_regions(set_));
    totals_.clear();
    retired_.clear();
    frozen_.clear();
    any_frozen_ = false;
    scale_.assign(static_cast<std::size_t>(set_.ncomp), 1.0);
    now_.resize(2 * static_cast<std::size_t>(set_.ncomp));
    queue_.start(set_.estimate != 1 || set_.by_component);
    holes_.clear();
    order_.forget();
    regions_ = retired_regions_ = rescale_at_ = 0;
    stats_ = {};
    stats_.region_bytes = record_bytes_;
    ahead_.start(set_, split_, domain_, look_ahead_);
    if (set_.by_component) queues_.start(set_.ncomp);
  }

  // The axes of each component, where each has its own.
  unsigned char *axes_of(std::vector<unsigned char> &axes, int64 region) {
    return set_.by_component ? axes.data() + region * set_.ncomp : nullptr;
  }

  outcome start() {
    reserve(1);
    region_view s = store_.view();
    make_domain(domain_, s, 0);
    outcome o = eval_.evaluate(s, {nullptr, 0, 1}, 1, axes_of(axes_, 0));
    if (o != outcome::running && o != outcome::nonfinite) return o;
    if (o == outcome::nonfinite) make_unknown(store_.view(), 0);
    stats_.evaluations = eval_.points();
    regions_ = 1;
    if (o != outcome::running) return o;
    restore_classic(store_.view(), 0);
    int64 wanted = affordable_first_regions(set_.initial_regions, eval_.points(), set_.maxeval);
    while (wanted > 1 && wanted + wanted / 2 > capacity_) wanted /= 2;  // a level and the one before it
    lone_lane alone;
    if (!fill_divisible(alone, split_, set_.ndim, domain_, wanted)) wanted = 1;
    while (o == outcome::running && regions_ < wanted) o = divide_all(wanted);
    if (o != outcome::running) return o;
    for (int64 i = 0; i < regions_; ++i) {
      if (set_.estimate != 1) clear_sign(store_.view(), i);  // for bulk selection, should it go on with them
      totals_.add(store_.view(), i, 1.0);
    }
    rescale();
    return o;
  }

  // Goes on from regions that a run has handed out. In their order they are a heap, if it was the heap that was written.
  outcome resume(const given_regions &given) {
    regions_ = given.n;
    reserve(regions_);
    const region_view s = store_.view();
    for (int64 i = 0; i < regions_; ++i) {
      read_record(given.records + i * region_record_fields(set_.ndim, set_.ncomp), s, i, axes_of(axes_, i));
      prepare_division(split_, s, i, domain_);
      totals_.add(s, i, 1.0);
    }
    stats_.evaluations = given.evaluations;
    seeking_ = go_on_behind(given.evaluations);
    rescale();
    return outcome::running;
  }

  // One level of the first regions.
  outcome divide_all(int64 wanted) {
    const int64 n = regions_;
    int64 those = 0;
    for (int64 i = 0; i < n; ++i) those += is_region_rough(store_.view(), i) ? 1 : 0;
    const roughness rough = roughness_of(those, n);
    const splitting split = first_splitting(split_, set_.ndim, n, wanted, rough);
    const int64 made = n * split.pieces;
    const splitting *const next = made < wanted ? nullptr : &split_;
    reserve(n + made);
    const region_view s = store_.view();
    for (int64 i = 0; i < n; ++i)
      for (int q = 0; q < split.pieces; ++q) make_piece(split, s, i, q, s, n + i * split.pieces + q);
    const outcome o = eval_.evaluate(s, {nullptr, n, 1}, made, axes_of(axes_, 0));
    if (o != outcome::running) return o;
    stats_.evaluations += made * eval_.points();
    for (int64 i = 0; i < n; ++i)
      correct_errors(
          set_.estimate, split, next, s, i, s, [=](int64 q) { return n + i * split.pieces + q; }, domain_);
    for (int64 i = 0; i < made; ++i) {  // the records of the level before are free now
      s.copy(i, s, n + i);
      if (set_.by_component) std::copy_n(axes_of(axes_, n + i), set_.ncomp, axes_of(axes_, i));
    }
    regions_ = made;
    ++stats_.iterations;
    return o;
  }

  outcome step() {
    totals_.read(set_, live(), now_.data(), now_.data() + set_.ncomp);
    // One region has not been compared with its pieces yet.
    const bool exploring = !queue_.empty() && queue_.front().key == infinity_value();
    if (!exploring && live() > 1 && stats_.evaluations >= set_.mineval) {
      outcome end = totals_.end(set_, live());
      if (end != outcome::running) end = end_of_all_regions();
      if (end == outcome::converged && set_.seeks_breaks && is_search_owed(seeking_)) return search_at_end();
      if (end == outcome::converged) {
        const outcome o = look_for_modes(false);
        if (o != outcome::running) return o;
        if (modes_) landmarks_.keep_modes(*modes_);
      }
      if (end != outcome::running && !explore()) return end;
    }
    if (set_.by_component && !has_room_for_queues()) return outcome::memory;
    if (set_.by_component && !choose_by_component()) return outcome::roundoff;
    if (queue_.empty()) return retired_regions_ > 0 ? outcome::memory : outcome::roundoff;
    if (!exploring) {
      const outcome o = search_breaks();
      if (o != outcome::running) return o;
    }
    if (any_frozen_ && hopeless()) return outcome::roundoff;
    if (stats_.evaluations + split_.pieces * eval_.points() > most_evaluations()) return outcome::evaluations;
    const outcome stop = hooks_->between_steps(stats_.evaluations, now_.data(), now_.data() + set_.ncomp);
    if (stop != outcome::running) return stop;
    if (!exploring) {
      const outcome o = look_for_modes(true);
      if (o != outcome::running) return o;
    }
    if (modes_ && modes_->boxes() > landmarks_.mode_boxes()) {
      landmarks_.keep_modes(*modes_);
      explores_modes_ = true;
    }
    while (stats_.evaluations >= early_after_) {
      early_after_ *= early_ratio;
      explores_early_ = true;
    }
    if (explores_modes_ && !exploring) {
      explores_modes_ = explore();
    } else if (explores_early_ && !exploring) {
      if (!split_.breaks) explore_landmarks();  // beyond a jump all is much less dense, rightly
      explores_early_ = false;
    }
    if (stats_.evaluations + split_.pieces * eval_.points() > most_evaluations()) return outcome::evaluations;
    if (!make_room()) return outcome::memory;
    if (frozen(queue_.front())) {
      frozen_.add(store_.view(), queue_.front().region(), 1.0);
      any_frozen_ = true;
      drop_front();
      return outcome::running;
    }
    if (!ahead_.is_divided(queue_.front())) {
      const outcome o = divide_front();
      if (o != outcome::running) return o;
    }
    commit();
    return outcome::running;
  }

  // Of a sum made anew: from a running one, an error 1e32 times that of the others (regions handed in may say so) has taken theirs with it.
  outcome end_of_all_regions() {
    anew_.clear();
    for (int64 i = 0; i < regions_; ++i) anew_.add(store_.view(), i, 1.0);
    anew_.add(retired_);
    const outcome end = anew_.end(set_, live());
    if (end == outcome::running) std::swap(totals_, anew_);
    return end;
  }

  // Puts the region with the largest error of the component farthest from its tolerance, and that component's axis, in
  // front: the queue has this one entry. False when there is no region left.
  bool choose_by_component() {
    int worst = 0;
    double ratio = -1.0;
    for (int k = 0; k < set_.ncomp; ++k) {
      const double e = totals_.error(k), t = tolerated(set_, k, totals_);
      const double r = e > 0.0 ? (t > 0.0 ? e / t : infinity_value()) : 0.0;
      if (r > ratio) {
        ratio = r;
        worst = k;
      }
    }
    const region_view s = store_.view();
    for (;;) {
      const int64 i = queues_.front(worst, regions_, error_reader());
      if (i < 0) return false;
      put_in_front(s.state(i), set_.ndim, axes_of(axes_, i)[worst]);
      s.state(i).word &= ~region_frozen;
      prepare_division(split_, s, i, domain_);
      if (!is_frozen(s, i)) {
        queue_.hold(i);
        return true;
      }
      queues_.drop(i);
    }
  }
  auto error_reader() {
    return [s = store_.view()](int64 i, int k) { return s.error(i, k); };
  }

  // What is found is compared with the regions when they are explored.
  outcome look_for_modes(bool early) {
    if (!modes_) return outcome::running;
    if (!explores()) modes_->give_up();
    return modes_->look_if_owed(
        now_.data(), now_.data() + set_.ncomp,
        [this](const double *weights) { return largest(looked_at_regions, weights); }, regions_, stats_.evaluations,
        most_evaluations() - stats_.evaluations, eval_.keeps_answers(), early);
  }
  // Are there regions that have been overlooked beside a mode that a look has found?
  bool has_unexplored_modes() {
    if (!modes_ || modes_->boxes() == 0) return false;
    if (modes_->boxes() > landmarks_.mode_boxes()) return true;  // nothing has been compared with them yet
    return std::any_of(queue_.begin(), queue_.end(), [this](const queue_entry &e) {
      return landmarks_.is_beside_mode(store_.view(), e.region(), domain_, scale_.data());
    });
  }
  bool explores() const { return set_.estimate != 1 && !set_.by_component && retired_regions_ == 0; }

  // Puts what is unexplored, and what may have been overlooked, in front of the queue. False when there is nothing.
  bool explore() {
    const double most = explored_share(regions_);
    return put_in_front_of_queue([&](const region_view &s, int64 i) {
      const double share = share_of_domain(s, i, domain_);
      return turn_to_landmark(i) || (share > most && turn_to_uncut(split_.breaks, s, i)) ||
             unexplored(set_, s, i, share, most, [this](int k) { return totals_.value(k); });
    });
  }
  // The latter alone, now and then before success: the queue goes after what has been met, and a run that a limit ends beside what it has overlooked would report an error without it.
  void explore_landmarks() {
    put_in_front_of_queue([this](const region_view &, int64 i) { return turn_to_landmark(i); });
  }
  // Regions that are wanted, which are turned to the axis along which they are to be divided.
  template <class Wanted>
  bool put_in_front_of_queue(const Wanted &wanted) {
    if (!explores()) return false;
    const region_view s = store_.view();
    landmarks_.find(s, regions_, domain_, scale_.data(), split_.breaks);
    bool any = false, turned = false;
    for (queue_entry &e : queue_) {
      const int64 i = e.region();
      if (frozen(e)) continue;
      const int axis = ranked_axis(s.state(i).word, 0);
      if (!wanted(s, i)) continue;
      turned = turned || ranked_axis(s.state(i).word, 0) != axis;
      e.key = infinity_value();
      any = true;
    }
    if (turned) ahead_.forget(queue_);  // what has been evaluated ahead was divided along the axes of before
    if (any) queue_.reorder();
    return any;
  }

  // Has region i been overlooked beside a landmark? Then it is to be divided across the axis along which it is too wide.
  bool turn_to_landmark(int64 i) { return landmarks_.turn(split_, store_.view(), i, domain_, scale_.data()); }

  // Looks for break points in some of the regions that come next.
  outcome search_breaks(bool at_end = false) {
    if (!set_.seeks_breaks) return outcome::running;
    const search_lines lines =
        lines_to_search(seeking_, set_.ndim, stats_.evaluations, static_cast<int64>(queue_.size()), at_end);
    const int n = lines.all;
    if (n == 0) return outcome::running;
    if (stats_.evaluations + n * most_of_line > most_evaluations())
      return eval_.keeps_answers() ? outcome::evaluations : outcome::running;
    const outcome settled =
        ahead_.settle(queue_, store_.view(), [this](const region_view &s, int64 i) { return key(s, i); });
    if (settled != outcome::running) return settled;
    queue_.pick(
        n - lines.long_ones, [](const queue_entry &) { return true; }, picked_);
    ids_.clear();
    for (const std::size_t i : picked_) ids_.push_back(queue_[i].region());
    const outcome o = eval_.search(store_.view(), ids_.data(), static_cast<int64>(ids_.size()), lines, scale_.data(),
                                   domain_, split_.breaks, breaks_.lines);
    if (o != outcome::running) return o;
    lone_lane alone;
    end_search(alone, breaks_, n, domain_, seeking_.found);
    const bool fresh = plan_next(seeking_, breaks_.count, stats_.evaluations, breaks_.searched, lines.long_ones > 0);
    stats_.evaluations += breaks_.searched;
    stats_.breaks = breaks_.count;
    if (!fresh) return outcome::running;
    split_.breaks = &breaks_;
    ahead_.forget(queue_);
    ahead_.cut_at(&breaks_);
    const region_view all = store_.view();
    bool any = false;
    for (queue_entry &e : queue_) {
      const int64 i = e.region();
      totals_.add(all, i, -1.0);  // as long as its error is what it was
      const double share = share_of_domain(all, i, domain_);
      if (turn_to_break(&breaks_, all, i,
                        [this, share](int k) { return share * std::fabs(now_[static_cast<std::size_t>(k)]); })) {
        e.key = key(all, i);
        any = true;
      }
      totals_.add(all, i, 1.0);
      prepare_division(split_, all, i, domain_);
    }
    if (any) queue_.reorder();
    return outcome::running;
  }

  outcome search_at_end() {
    const int known = seeking_.found;
    const outcome o = search_breaks(true);
    if (seeking_.found == known) seeking_.owes_long = 0;  // also where no line could be afforded
    return o;
  }

  outcome divide_front() {
    const int64 budget = (most_evaluations() - stats_.evaluations) / (split_.pieces * eval_.points());
    return ahead_.provide(queue_, store_.view(), regions_, budget,
                          [this](const region_view &s, int64 i) { return key(s, i); });
  }

  // Puts the pieces of the front of the queue in its place.
  void commit() {
    const queue_entry top = queue_.front();
    queue_.pop();
    reserve(regions_ + split_.pieces - 1);
    region_view s = store_.view(), a = ahead_.view();
    totals_.add(s, top.region(), -1.0);
    bool turned = false;
    for (int q = 0; q < split_.pieces; ++q) {
      const int64 to = q == 0 ? top.region() : next_place();
      s.copy(to, a, ahead_.piece(top.slot(), q));
      totals_.add(s, to, 1.0);
      if (set_.by_component) {
        std::copy_n(ahead_.axes(q), set_.ncomp, axes_of(axes_, to));
        queues_.replace(to, error_reader());
        continue;
      }
      const int64 slot = ahead_.hand_over(top.slot(), q, to);
      const bool wide = top.key == infinity_value() && turn_to_landmark(to);
      turned = turned || (wide && slot != queue_entry::no_slot);
      queue_.push(wide ? infinity_value() : key(s, to), to, slot);
    }
    ahead_.release(top.slot());
    if (turned) ahead_.forget(queue_);
    order_.forget();
    stats_.evaluations += split_.pieces * eval_.points();
    ++stats_.iterations;
    if (set_.ncomp > 1 && !set_.by_component && regions_ >= rescale_at_) rescale();
  }

  int64 next_place() {
    if (holes_.empty()) return regions_++;
    const int64 i = holes_.back();
    holes_.pop_back();
    return i;
  }

  bool frozen(const queue_entry &e) { return is_frozen(store_.view(), e.region()); }

  // What cannot be divided has more error than is tolerated, and the rest next to none beside it.
  bool hopeless() const {
    if (set_.estimate == 1) return false;
    bool unreachable = false;
    for (int k = 0; k < set_.ncomp; ++k) {
      const double error = totals_.error(k), stuck = frozen_.error(k), allowed = tolerated(set_, k, totals_);
      if (error > allowed && error - stuck > negligible_rest * stuck) return false;
      unreachable = unreachable || stuck > allowed;
    }
    return unreachable;
  }

  void drop_front() {
    queue_.pop();
    order_.forget();
  }

  double key(const region_view &s, int64 region) const {
    double k = 0.0;
    for (int c = 0; c < set_.ncomp; ++c) k = std::fmax(k, s.error(region, c) * scale_[static_cast<std::size_t>(c)]);
    k = std::fmin(k, std::numeric_limits<double>::max());  // infinity is for what is to be explored
    if (k > 0.0 || set_.estimate == 1) return k;
    // Nothing to go by: the largest first, on a scale below every error.
    return s.volume(region) * 1e-300;
  }

  // Components count in proportion to what they tolerate, so that none starves; the classic estimate compares them
  // as they are. The weights follow the values and are renewed whenever the number of regions has doubled.
  void rescale() {
    if (set_.by_component) return;
    if (set_.estimate != 1 && set_.ncomp > 1)
      for (int c = 0; c < set_.ncomp; ++c) {
        const double t = tolerated(set_, c, totals_);
        const double size = magnitude(set_, c, [this](int k) { return totals_.value(k); });
        const double reference = t > 0.0 ? t : size + totals_.error(c);
        scale_[static_cast<std::size_t>(c)] = reference > 0.0 ? 1.0 / reference : 1.0;
      }
    if (queue_.empty()) queue_.hold_all(regions_);
    for (queue_entry &e : queue_) e.key = key(store_.view(), e.region());
    queue_.reorder();
    rescale_at_ = 2 * regions_;
  }

  int64 most_evaluations() const { return set_.maxeval - hooks_->evaluations_beside(); }
  int64 live() const { return regions_ - static_cast<int64>(holes_.size()) + retired_regions_; }

  void reserve(int64 regions) {
    store_.reserve(regions, capacity_);
    if (!set_.by_component) {
      queue_.reserve(store_.capacity());
    } else if (static_cast<int64>(axes_.size()) < regions * set_.ncomp) {
      axes_.reserve(static_cast<std::size_t>(store_.capacity() * set_.ncomp));
      axes_.resize(axes_.capacity());
    }
    stats_.peak_bytes = std::max(stats_.peak_bytes, store_.capacity() * bytes_of_region(set_));
  }

  bool has_room_for_queues() {
    const int64 bytes = bytes_with_queues(set_, queues_, store_.capacity(), regions_ + split_.pieces, capacity_);
    if (bytes <= set_.memory) stats_.peak_bytes = std::max(stats_.peak_bytes, bytes);
    return bytes <= set_.memory;
  }

  // When the store is full, the half of the regions with the smallest errors is summed up and forgotten. False when that
  // no longer helps: what could still be refined weighs less than what cannot.
  bool make_room() {
    if (regions_ + split_.pieces - 1 - static_cast<int64>(holes_.size()) <= capacity_) return true;
    if (set_.by_component) return false;
    holes_.reserve(holes_.size() + queue_.size() / 2 + 1);
    ahead_.forget(queue_);
    region_view s = store_.view();
    queue_.drop_half([&](int64 i) {
      retired_.add(s, i, 1.0);
      for (int k = 0; k < set_.ncomp; ++k) s.value(i, k) = s.error(i, k) = 0.0;
      holes_.push_back(i);
      ++retired_regions_;
    });
    order_.forget();
    if (queue_.empty()) return false;
    for (int k = 0; k < set_.ncomp; ++k)
      if (totals_.error(k) > 2.0 * retired_.error(k)) return true;
    return false;
  }

  void finish(double *value, double *error) {
    if (stats_.evaluations == 0) return;
    region_view s = store_.view();
    totals_.clear();
    order_.make(queue_, regions_);
    for (int64 i = 0; i < regions_; ++i) {
      if (i + far_ahead < regions_) prefetch_region(store_.view(), order_[i + far_ahead]);
      totals_.add(s, order_[i], 1.0);
    }
    totals_.add(retired_);
    stats_.regions = live();
    totals_.read(set_, stats_.regions, value, error);
  }

  static constexpr int64 far_ahead = 8;  // regions in the order of a heap lie all over the memory

  Executor &exec_;
  Evaluator &eval_;
  cubature_settings set_;
  run_hooks *hooks_ = nullptr;
  mode_search *modes_ = nullptr;
  static constexpr int64 first_early = 32768, early_ratio = 4;
  int64 early_after_ = first_early;  // evaluations
  bool explores_early_ = false;      // what is beside landmarks
  bool explores_modes_ = false;      // as soon as others are known, and not only before success
  splitting split_ = {};
  int look_ahead_ = 1;
  int64 record_bytes_ = 0;
  int64 capacity_ = 0;  // regions that the memory limit allows
  region_store<Executor> store_;
  divisions_ahead<Executor, Evaluator> ahead_;
  kept_landmarks<Executor> landmarks_;
  component_totals totals_, anew_, retired_;
  component_totals frozen_;  // of regions that came to the front and cannot be divided
  bool any_frozen_ = false;
  domain_box domain_;          // of the run
  std::vector<double> scale_;  // weight of each component in the key
  std::vector<double> now_;    // value[ncomp], error[ncomp] for the hooks
  region_queue queue_;
  component_queues queues_;          // in its place where single components decide
  std::vector<unsigned char> axes_;  // [region][ncomp] for the same
  std::vector<int64> holes_;         // places of retired regions
  region_order order_;
  break_table breaks_;
  break_schedule seeking_ = no_search_yet;
  std::vector<std::size_t> picked_;  // work space of a search
  std::vector<int64> ids_;           // the same
  int64 regions_ = 0;                // places in use, holes included
  int64 retired_regions_ = 0;
  int64 rescale_at_ = 0;
  cubature_statistics stats_;
};

}  // namespace tessera
