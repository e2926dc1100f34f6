// The two-level correction: after the pieces of a region have their raw estimates, compare with the parent and correct.
//
// The robust estimate adds a memory to the classic one. All points of a rule lie inside its region, so a jump that runs
// just inside a face is seen by no point and no null rule: the region looks perfectly smooth. That happens when a region
// with a visible jump is divided close to it. The signature is plain: the parent's null rules did not fall as for a smooth
// integrand, the values of the pieces differ from the parent's, and yet both pieces claim errors far below that
// difference. What was seen must then lie at the face between the pieces. Their errors keep a floor, the face is
// remembered, and only the piece that touches it inherits the floor, halved, until the jump shows or the floor is
// negligible. (docs/methods.md, "Honest errors".)
//
// And it does not forget in places where nothing is seen: a piece that is not a smooth part of a region without a good
// approximation keeps a share of its error, and so do its own pieces, until they are resolved or the share is negligible.
// Such a piece is divided across its widest axis, for differences of next to nothing say nothing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/two_level.hpp"
#include "balance.hpp"
#include "../lone_lane.hpp"
#include "../problem.hpp"
#include "region_store.hpp"
#include "split.hpp"

namespace tessera {

// What follows is done by lanes together, each of which has pieces of its own: it reads and writes their records, once and all at a time where
// it can, and hands on what others want.

// The pieces as the lanes have them, and the region that they are pieces of: their states, and values and errors of one component. What becomes of the pieces is
// in their records where another component is turned to, or with write().
template <class Lanes, class Piece>
class pieces_in_hand {
 public:
  template <class T>
  using numbers = typename Lanes::template numbers<T>;

  // n pieces of region `parent` of `parents`; number q is region piece(q) of `regions`.
  TESSERA_HD pieces_in_hand(Lanes &lanes, const region_view &parents, int64 parent, const region_view &all, int pieces,
                            Piece piece_of)
      : regions(all),
        n(pieces),
        piece(piece_of),
        before(parents.state(parent)),
        lanes_(lanes),
        parents_(parents),
        parent_(parent) {
    each_own([this](int q) { state.own(q) = regions.state(piece(q)); });
    read();
  }
  TESSERA_HD void turn_to(int k) {
    if (k == component_) return;
    write_errors();
    component_ = k;
    is_compared_ = false;
    read();
  }
  TESSERA_HD void write() {
    write_errors();
    each_own([this](int q) { regions.state(piece(q)) = state.own(q); });
  }
  // body(q) for the pieces of this lane.
  template <class Body>
  TESSERA_HD void each_own(Body body) const {
    TESSERA_ROLLED
    for (int q = lanes_.lane(); q < n; q += lanes_.lanes()) body(q);
  }
  // Does holds(q) for all pieces?
  template <class Condition>
  TESSERA_HD bool all(Condition holds) const {
    bool own = true;
    each_own([&](int q) { own = own && holds(q); });
    return lanes_.all(own);
  }
  TESSERA_HD double first_error() { return error.of(lanes_, 0); }
  // The parent's value less those of the pieces, which nobody changes, of the component in hand.
  TESSERA_HD double difference() {
    if (is_compared_) return difference_;
    is_compared_ = true;
    difference_ = whole;
    TESSERA_ROLLED
    for (int q = 0; q < n; ++q) difference_ -= value.of(lanes_, q);
    return difference_;
  }
  // The same with the sum of the raw errors.
  TESSERA_HD level_check compare(double round_off = 0.0) {
    const double d = difference();
    level_check c = {fabs(d), 0.0, share_of_piece(n), d < 0.0};
    TESSERA_ROLLED
    for (int q = 0; q < n; ++q) c.raw += shown_error(error.of(lanes_, q), value.of(lanes_, q), round_off);
    return c;
  }

  const region_view &regions;
  const int n;
  const Piece piece;
  const region_state before;   // the parent's
  double whole, error_of_all;  // and its value and error
  numbers<double> value, error;
  numbers<region_state> state;

 private:
  TESSERA_HD void read() {
    whole = parents_.value(parent_, component_);
    error_of_all = parents_.error(parent_, component_);
    each_own([this](int q) {
      value.own(q) = regions.value(piece(q), component_);
      error.own(q) = regions.error(piece(q), component_);
    });
  }
  TESSERA_HD void write_errors() {
    each_own([this](int q) { regions.error(piece(q), component_) = error.own(q); });
  }
  Lanes &lanes_;
  const region_view &parents_;
  const int64 parent_;
  int component_ = 0;
  double difference_ = 0.0;
  bool is_compared_ = false;
};

template <class Hand>
TESSERA_HD void correct_classic(Hand &hand) {
  TESSERA_ROLLED
  for (int k = 0; k < hand.regions.ncomp(); ++k) {
    hand.turn_to(k);
    const level_check c = hand.compare();
    hand.each_own([&](int q) { hand.error.own(q) = corrected_classic(c, hand.error.own(q)); });
  }
  hand.each_own([&](int q) { hand.state.own(q).word &= ~region_face_place; });
}

// Does piece q touch the face that the parent suspects?
TESSERA_HD bool touches_face(const splitting &split, uint32 parent_word, int64 q) {
  const int place = static_cast<int>((parent_word & region_face_place) >> 24);
  const bool high = (parent_word & region_face_high) != 0u;
  if (split.slabs) return split.widest || place != 0 || (high ? q == split.pieces - 1 : q == 0);
  return place >= split.axes || (((q >> place) & 1) != 0) == high;
}

// Smooth or not? Fresh pieces hold the errors that they have if the integrand is smooth; where their null rules do not show
// that, the classic estimates are many times larger. The difference between the levels is evidence: it is close to the
// parent's own error along the axes of division. Where it is small, the classic estimate was too large for the parent and is
// for the pieces. It may be small by chance, so all axes are taken to be as bad as the divided ones, twice over, and from
// one generation to the next the errors fall at most to a thirtieth: a wrong estimate has to pass several comparisons.
constexpr double doubt = 2.0;
constexpr double steepest_fall = 0.03;

template <class Hand>
TESSERA_HD void limit_to_classic(Hand &hand) {
  const double axes = hand.regions.ndim(), share = share_of_piece(hand.n);
  TESSERA_ROLLED
  for (int k = 0; k < hand.regions.ncomp(); ++k) {
    hand.turn_to(k);
    const double difference = fabs(hand.difference());
    const double least = larger(doubt * axes * difference, steepest_fall * hand.error_of_all) * share;
    hand.each_own([&](int q) {
      const double e = hand.error.own(q), classic = e * excess_of(hand.state.own(q)), smooth = larger(e, least);
      hand.error.own(q) = smooth < classic ? smooth : classic;
    });
  }
  hand.each_own([&](int q) {
    float &suspicion = hand.state.own(q).suspicion;
    if (suspicion < -1.0f) suspicion = 0.0f;
  });
}

// A fresh region without a parent to compare it with: the classic estimate.
TESSERA_HD void restore_classic(const region_view &s, int64 i) {
  const double excess = excess_of(s.state(i));
  TESSERA_ROLLED
  for (int k = 0; k < s.ncomp(); ++k) s.error(i, k) *= excess;
  s.state(i).suspicion = 0.0f;
}

// A region that no division has shown a sign of: none that could cancel.
TESSERA_HD void clear_sign(const region_view &s, int64 i) {
  TESSERA_ROLLED
  for (int k = 0; k < s.ncomp(); ++k) s.error(i, k) = with_sign(s.error(i, k), false);
}

constexpr double fading = 0.5;

// Can what was seen along `axis` in the parent still be seen in a fresh piece?
TESSERA_HD bool shows_axis(uint32 fresh_word, int axis) {
  if ((fresh_word & region_rough) == 0u) return false;
  const int comparable = static_cast<int>((fresh_word & region_face_place) >> 24);
  if (comparable == axes_kept - 1) return true;  // there may be more than are listed
  TESSERA_ROLLED
  for (int q = 0; q <= comparable; ++q)
    if (ranked_axis(fresh_word, q) == axis) return true;
  return false;
}

// Has what was seen along the first axis of a rough region gone out of all its fresh pieces? It cannot be seen in them any more, or what they have of error is
// next to nothing beside what the values have changed by: then what they show is something else, and smaller.
template <class Hand>
TESSERA_HD bool has_vanished(Hand &hand) {
  const region_state before = hand.before;
  typename Hand::template numbers<bool> gone;
  const bool may_be_quiet = !(before.suspicion > 0.0f);
  hand.each_own([&](int q) { gone.own(q) = may_be_quiet; });
  TESSERA_ROLLED
  for (int k = 0; may_be_quiet && k < hand.regions.ncomp(); ++k) {
    hand.turn_to(k);
    const double difference = fabs(hand.difference());
    hand.each_own([&](int q) {
      const double classic = hand.error.own(q) * excess_of(hand.state.own(q));
      gone.own(q) = gone.own(q) && !(classic > vanishing * difference);
    });
  }
  return hand.all(
      [&](int q) { return gone.own(q) || !shows_axis(hand.state.own(q).word, ranked_axis(before.word, 0)); });
}

constexpr double narrow_gap = 0.01;  // half-widths between a face and the points nearest to it
constexpr double next_to_nothing = 0.02;

// Is the piece a smooth part of what its region was? Else it may have the region's error and not know: a ridge runs through between
// its points, a peak stands in its corner. `share` is its part of the region's value, were that the same everywhere.
TESSERA_HD bool sees(uint32 fresh_word, double value, double share) {
  return (fresh_word & region_rough) == 0u && fabs(value) >= next_to_nothing * fabs(share);
}

// So many times its own error and more, a piece's is its siblings' or its region's, and the axes along which the integrand varies in it say
// nothing about how it can be brought down: the next division shows.
constexpr double not_its_own = 20.0;

// Was the region divided along axes on which the integrand does not vary at all? Then all pieces are the same and are together what it was: the levels
// agree, but what the error was said to be for has not been looked at. Not where the integrand is a polynomial for the rule: nothing is left of its error.
constexpr double all_the_same = 1e-12;  // of the value
TESSERA_HD bool shows_nothing(double difference, double whole) {
  return fabs(difference) <= all_the_same * fabs(whole);
}
template <class Hand>
TESSERA_HD bool are_the_same(Hand &hand, double share) {
  const double value = hand.whole * share, slack = all_the_same * fabs(value), error = hand.first_error();
  return hand.all([&](int q) {
    const double e = hand.error.own(q);
    return fabs(hand.value.own(q) - value) <= slack && e > 16.0 * slack && fabs(e - error) <= 0.01 * error;
  });
}

template <class Hand>
TESSERA_HD void correct_robust(Hand &hand, const splitting &all) {
  const region_view &children = hand.regions;
  const region_state before = hand.before;
  const splitting split = all.of(before.word);
  const int pieces = split.pieces;
  const double share = share_of_piece(pieces);
  const double hidden =
      split.margin < narrow_gap ? 0.1 : 1.0;  // with points close to the faces little hides behind them
  const bool vanished = (before.word & region_rough) != 0u && has_vanished(hand);
  hand.each_own([&](int q) { hand.state.own(q).word &= ~region_face_place; });
  const int axis = vanished ? ranked_axis(before.word, 0)
                            : ranked_axis(before.word, static_cast<int>((before.word & region_face_place) >> 24));
  // Divided along its axis, a suspicion halves with the width behind the face and again because it becomes less likely.
  const bool along = static_cast<int>((before.word & region_face_place) >> 24) < split.axes;
  // At a break point what was suspected has been found: the pieces are not halves.
  const bool is_found = before.suspicion > 0.0f && along && pieces == 2 &&
                        children.half(hand.piece(0), axis) != children.half(hand.piece(1), axis);
  const double handed_on = is_found ? 0.0 : (along ? fading : 1.0);
  const bool unresolved = (before.word & (region_rough | region_doubtful)) != 0u;
  limit_to_classic(hand);
  TESSERA_ROLLED
  for (int k = 0; k < children.ncomp(); ++k) {
    hand.turn_to(k);
    const level_check c = hand.compare(round_off_share);
    const bool quiet = !hand.all([&](int q) { return !(hand.error.own(q) <= vanishing * c.difference); });
    const double kept =
        shows_nothing(c.difference, hand.whole) && are_the_same(hand, share) ? hand.error_of_all * share : 0.0;
    const double inherited = handed_on * before.suspicion * hand.error_of_all * share,
                 behind = split.left_behind * hand.error_of_all * share;
    hand.each_own([&](int q) {
      const double error = hand.error.own(q), value = hand.value.own(q);
      region_state &state = hand.state.own(q);
      const region_state now = state;
      const bool touches = before.suspicion > 0.0f && touches_face(split, before.word, q);
      const double floor = vanished && quiet ? hidden * 0.5 * c.difference * share : (touches ? inherited : 0.0);
      double e = larger(corrected_robust(c, error, shown_error(error, value, round_off_share)), larger(floor, kept));
      if (e > not_its_own * error && state.suspicion < 0.0f) state.suspicion = 0.0f;
      if (behind > e && unresolved && !sees(now.word, value, hand.whole * share)) {
        e = behind;
        uint32 word = state.word | region_doubtful;
        include_axis(word, children.ndim(), widest_axis(children, hand.piece(q)), true);
        state.word = word;
      }
      if (floor > 0.0) state.suspicion = static_cast<float>(larger(now.suspicion, floor / e));
      hand.error.own(q) = with_sign(e, c.negative && (now.word & region_rough) == 0u);
    });
  }
  hand.each_own([&](int q) {
    region_state &s = hand.state.own(q);
    if (!(s.suspicion > 0.0f)) return;
    const bool high = vanished ? (split.slabs ? q + 1 < pieces : (q & 1) == 0) : (before.word & region_face_high) != 0u;
    uint32 word = s.word;
    const int place = include_axis(word, children.ndim(), axis, s.suspicion > 0.99f);
    s.word = (word & ~(region_face_place | region_face_high)) | static_cast<uint32>(place) << 24 |
             (high ? region_face_high : 0u);
  });
}

// A rough region that a break point runs through is cut there first, whatever its differences say: cuts along other axes would
// leave it in each piece. So is a smooth one with a break point so near to a face that no point is beyond it, where what lies there is taken to be as
// large as the rest, or as mean(k) says that component k would be in the whole region, and one with a suspected face with a break point on that axis.
// True: the errors have changed.
template <class Mean>
TESSERA_HD bool turn_to_break(const break_table *breaks, const region_view &s, int64 i, Mean mean) {
  region_state &state = s.state(i);
  uint32 word = state.word;
  bool changed = false, anywhere = true;
  if ((word & region_rough) == 0u) {
    const double hidden = hidden_share(breaks, s, i);
    if (hidden > 0.0) {
      TESSERA_ROLLED
      for (int k = 0; k < s.ncomp(); ++k)
        s.error(i, k) = with_sign(larger(fabs(s.error(i, k)), hidden * larger(fabs(s.value(i, k)), mean(k))), false);
      if (state.suspicion < 0.0f) state.suspicion = 0.0f;
      state.word = word |= region_rough;
      changed = true;
    } else if (state.suspicion > 0.0f) {
      anywhere = false;  // but on the axis of that face
    } else {
      return false;
    }
  }
  const int face = ranked_axis(word, static_cast<int>((word & region_face_place) >> 24));
  const int kept = s.ndim() < axes_kept ? s.ndim() : axes_kept;
  int axis = -1;
  TESSERA_ROLLED
  for (int q = 0; q < kept + s.ndim() && axis < 0; ++q) {  // ranked ones before others
    const int j = q < kept ? ranked_axis(word, q) : q - kept;
    if ((anywhere || j == face) && cut_of(breaks, j, s.centre(i, j), s.half(i, j)) != s.centre(i, j)) axis = j;
  }
  if (axis < 0 || axis == ranked_axis(word, 0)) return changed;
  put_in_front(state, s.ndim(), axis);
  return changed;
}

// What a region with its final axes still needs: the widest axis in front where the policy says so, and the mark of those
// that cannot be divided.
TESSERA_HD void prepare_division(const splitting &split, const region_view &s, int64 i, const domain_box &domain) {
  if (split.widest) put_in_front(s.state(i), s.ndim(), widest_axis(s, i));
  if (!divisible(split, s, i, domain)) s.state(i).word |= region_frozen;
}

// Corrects the errors of the pieces of region `parent` of `parents`; piece q is region piece(q) of `children`, and will be
// divided by `next`, unless that is null, where nothing has to be chosen.
template <class Lanes, class Piece>
TESSERA_HD void correct_errors(Lanes &lanes, int estimate, const splitting &split, const splitting *next,
                               const region_view &parents, int64 parent, const region_view &children, Piece piece,
                               const domain_box &domain) {
  pieces_in_hand<Lanes, Piece> hand(lanes, parents, parent, children, split.pieces, piece);
  if (estimate == 1)
    correct_classic(hand);
  else
    correct_robust(hand, split);
  hand.write();
  if (!next) return;
  hand.each_own([&](int q) {
    if (next->breaks) turn_to_break(next->breaks, children, piece(q), [](int) { return 0.0; });
    prepare_division(*next, children, piece(q), domain);
  });
}
template <class Piece>
TESSERA_HD void correct_errors(int estimate, const splitting &split, const splitting *next, const region_view &parents,
                               int64 parent, const region_view &children, Piece piece, const domain_box &domain) {
  lone_lane alone;
  correct_errors(alone, estimate, split, next, parents, parent, children, piece, domain);
}

}  // namespace tessera
