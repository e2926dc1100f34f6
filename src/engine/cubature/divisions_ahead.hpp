// Divisions of a run that goes worst first, made before their turn: while the caller's thread enters those that are there into the result,
// others evaluate the pieces of the regions that come next. A piece may have a larger error than the region it comes from; so pieces that
// nobody has asked for yet are divided too, where they would come next.
//
// What is divided ahead decides how long a run takes, and nothing else.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "../machine.hpp"
#include "region_memory.hpp"
#include "region_queue.hpp"
#include "region_store.hpp"
#include "split.hpp"
#include "two_level_correction.hpp"

namespace tessera {

inline void prefetch_region(const region_view &s, int64 i) {
  prefetch(&s.field(i, 0));
  prefetch(&s.field(i, s.fields() - 1));
}

template <class Executor, class Evaluator>
class divisions_ahead {
 public:
  divisions_ahead(Executor &exec, Evaluator &eval, int ndim, int ncomp) : eval_(eval), pieces_(exec, ndim, ncomp) {}

  // look_ahead: how many regions may be divided ahead of time at least, 1 for none. Settings and domain stay where they are.
  void start(const cubature_settings &set, const splitting &split, const domain_box &domain, int look_ahead) {
    set_ = &set;
    split_ = split;
    domain_ = &domain;
    least_ = look_ahead;
    most_ = most_ahead(set, look_ahead);
    failed_ = false;
    const int64 n = slots_for(set, look_ahead);
    slots_.resize(static_cast<std::size_t>(n));
    divided_.resize(static_cast<std::size_t>(n * split.pieces));
    keys_.resize(divided_.size());
    std::fill(divided_.begin(), divided_.end(), queue_entry::no_slot);
    pieces_.reserve(n * split.pieces, n * split.pieces);
    if (set.by_component) axes_.resize(static_cast<std::size_t>(split.pieces * set.ncomp));
    clear();
  }

  bool is_divided(const queue_entry &e) const { return e.ahead() && at(e.slot()).what == state::divided; }

  // Piece q of the region that has this slot: region piece(slot, q) of view(), with its final errors.
  region_view view() { return pieces_.view(); }
  int64 piece(int64 slot, int q) const { return slot * split_.pieces + q; }
  // Of the components, where each has one of its own.
  const unsigned char *axes(int q) const { return axes_.data() + q * set_->ncomp; }
  // The piece is region `to` of the store from now on. Returns the slot in which it has been divided itself, or queue_entry::no_slot.
  int64 hand_over(int64 slot, int q, int64 to) {
    const int64 own = divided_[static_cast<std::size_t>(piece(slot, q))];
    if (own != queue_entry::no_slot) at(own).stored = to;
    return own;
  }
  // All pieces have been handed over.
  void release(int64 slot) {
    at(slot).what = state::free;
    free_.push_back(slot);
  }

  // Has the front of the queue divided, and others meanwhile. regions: how many there are; budget: how many may still be divided; key(view, i):
  // of region i in the queue. Returns what has gone wrong with the front, or running.
  template <class Key>
  outcome provide(region_queue &queue, const region_view &store, int64 regions, int64 budget, const Key &key) {
    if (least_ == 1) return divide_alone(queue.front(), store);
    outcome o = land(queue, store, key);
    while (o == outcome::running && !is_divided(queue.front())) {
      if (free_.empty()) forget(queue);
      launch(queue, store, regions, budget);
      o = land(queue, store, key);
    }
    if (o == outcome::running && !failed_) launch(queue, store, regions, budget);
    return o;
  }

  // Waits for what the evaluator has been handed, so that it can be asked for something else. Returns as provide does.
  template <class Key>
  outcome settle(region_queue &queue, const region_view &store, const Key &key) {
    return land(queue, store, key);
  }

  // Regions are to be divided differently from what was expected.
  void forget(region_queue &queue) {
    for (queue_entry &e : queue) e.set_slot(queue_entry::no_slot);
    clear();
  }
  // Where regions are cut from now on.
  void cut_at(const break_table *breaks) { split_.breaks = breaks; }
  // The run is over.
  void abandon() {
    if (!aloft_.empty()) eval_.abandon();
    aloft_.clear();
  }

 private:
  enum class state : unsigned char { free, aloft, divided };
  struct division {
    int64 stored;  // the region in the store, or -1: it is piece `parent` here
    int64 parent;
    state what;
  };
  struct loose_piece {
    double key;
    int64 piece;
  };
  division &at(int64 i) { return slots_[static_cast<std::size_t>(i)]; }
  const division &at(int64 i) const { return slots_[static_cast<std::size_t>(i)]; }

  void clear() {
    abandon();
    for (division &s : slots_) s.what = state::free;
    free_.resize(slots_.size());
    std::iota(free_.begin(), free_.end(), 0);
  }

  // Where nothing is ahead: the pieces are the first ones here.
  outcome divide_alone(queue_entry &front, const region_view &store) {
    const region_view here = view();
    const int64 i = front.region();
    for (int q = 0; q < split_.pieces; ++q) make_piece(split_, store, i, q, here, q);
    const outcome o = eval_.evaluate(here, {nullptr, 0, 1}, split_.pieces, set_->by_component ? axes_.data() : nullptr);
    if (o != outcome::running) return o;
    correct_errors(
        set_->estimate, split_, &split_, store, i, here, [](int64 q) { return q; }, *domain_);
    front.set_slot(0);
    at(0).what = state::divided;
    free_.clear();
    return outcome::running;
  }

  // Hands regions to the evaluator: those among the largest, pieces that wait here included, that have not been divided yet.
  void launch(region_queue &queue, const region_view &store, int64 regions, int64 budget) {
    const bool needed = !queue.front().ahead();
    const int64 used = static_cast<int64>(slots_.size() - free_.size());
    const int64 window = failed_ ? 1 : std::min(most_, std::max(least_, regions / 16));
    const int64 most =
        std::max(int64{needed}, std::min({(window + 1) / 2, static_cast<int64>(free_.size()), budget - used}));
    if (most < 1) return;
    const region_view here = view();
    queue.pick(
        window, [&](const queue_entry &e) { return !is_frozen(store, e.region()); }, picked_);
    find_loose();
    ids_.clear();
    std::size_t next = 0, loose = 0;
    for (int64 i = 0; i < window && static_cast<int64>(aloft_.size()) < most; ++i) {
      const bool queued = next < picked_.size(), waiting = loose < loose_.size();
      if (!queued && !waiting) break;
      if (queued && (!waiting || i == 0 || queue[picked_[next]].key >= loose_[loose].key)) {
        queue_entry &e = queue[picked_[next++]];
        if (!e.ahead()) e.set_slot(divide(store, e.region(), e.region(), -1));
      } else {
        const int64 p = loose_[loose++].piece;
        divided_[static_cast<std::size_t>(p)] = divide(here, p, -1, p);
      }
    }
    if (aloft_.empty()) return;
    for (std::size_t i = 1; i < 3 && i < queue.size(); ++i)
      prefetch_region(store, queue[i].region());  // perhaps the next in front
    eval_.begin_evaluating(here, {ids_.data(), 0, 1}, static_cast<int64>(ids_.size()));
  }

  // Makes the pieces of region i; returns their slot.
  int64 divide(const region_view &from, int64 i, int64 stored, int64 parent) {
    const int64 s = free_.back();
    free_.pop_back();
    at(s) = {stored, parent, state::aloft};
    aloft_.push_back(s);
    for (int q = 0; q < split_.pieces; ++q) {
      ids_.push_back(piece(s, q));
      make_piece(split_, from, i, q, view(), piece(s, q));
    }
    return s;
  }

  // The pieces here that could be divided, the largest first.
  void find_loose() {
    loose_.clear();
    const region_view here = view();
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      if (slots_[s].what != state::divided) continue;
      for (int q = 0; q < split_.pieces; ++q) {
        const int64 p = piece(static_cast<int64>(s), q);
        if (divided_[static_cast<std::size_t>(p)] != queue_entry::no_slot) continue;
        if (!is_frozen(here, p)) loose_.push_back({keys_[static_cast<std::size_t>(p)], p});
      }
    }
    std::sort(loose_.begin(), loose_.end(), [](const loose_piece &x, const loose_piece &y) {
      return x.key > y.key || (x.key == y.key && x.piece < y.piece);
    });
  }

  // Waits for what has been handed to the evaluator.
  template <class Key>
  outcome land(region_queue &queue, const region_view &store, const Key &key) {
    if (aloft_.empty()) return outcome::running;
    const bool is_alone = aloft_.size() == 1 && queue.front().slot() == aloft_[0];
    const outcome o = eval_.end_evaluating();
    if (o != outcome::running) {
      aloft_.clear();
      if (o == outcome::callback || is_ended(o) || is_alone) return o;
      // Somewhere ahead the integrand failed. The sequential run might never get there: go on one region at a time.
      forget(queue);
      failed_ = true;
      return outcome::running;
    }
    const region_view here = view();
    for (const int64 s : aloft_) {
      division &its = at(s);
      const bool in_store = its.stored >= 0;
      correct_errors(
          set_->estimate, split_, &split_, in_store ? store : here, in_store ? its.stored : its.parent, here,
          [this, s](int64 q) { return piece(s, static_cast<int>(q)); }, *domain_);
      its.what = state::divided;
      for (int q = 0; q < split_.pieces; ++q) {
        const std::size_t p = static_cast<std::size_t>(piece(s, q));
        divided_[p] = queue_entry::no_slot;
        keys_[p] = key(here, piece(s, q));
      }
    }
    aloft_.clear();
    return outcome::running;
  }

  Evaluator &eval_;
  const cubature_settings *set_ = nullptr;
  const domain_box *domain_ = nullptr;
  splitting split_ = {};
  int64 least_ = 1, most_ = 1;  // regions among which are those to be divided
  bool failed_ = false;         // somewhere ahead
  region_store<Executor> pieces_;
  std::vector<division> slots_;
  std::vector<int64> divided_;  // of each piece: the slot in which it has been divided, or no_slot
  std::vector<double> keys_;    // of each piece
  std::vector<unsigned char> axes_;
  std::vector<int64> free_, aloft_, ids_;  // slots; those that the evaluator is at, and their pieces
  std::vector<std::size_t> picked_;
  std::vector<loose_piece> loose_;
};

}  // namespace tessera
