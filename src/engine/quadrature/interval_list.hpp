// The intervals of one run in the caller's arrays, and which of them has the largest error. Intervals are numbered from 1, as in the
// array of their order, which is QUADPACK's (Piessens and others, 1983): descending errors, kept only as far as they can still matter
// before the limit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "real.hpp"

namespace tessera {

// All of `limit` elements, or as many as there will be intervals before they are moved.
template <class Real, class Int>
struct interval_arrays {
  Real *lower = nullptr, *upper = nullptr, *value = nullptr, *error = nullptr;
  Int *order = nullptr;
  Real *doubt = nullptr;  // see careful_halves; null: as published
};

// What a division has changed.
template <class Real>
struct division {
  Real parent_value, parent_error, value, error;  // the interval that was divided; the sums over its halves
  interval<Real> first, second;
};

template <class Real, class Int>
class interval_list {
 public:
  interval_list() = default;
  TESSERA_HD interval_list(const interval_arrays<Real, Int> &arrays, Int limit) : a_(arrays), limit_(limit) {}

  TESSERA_HD Int limit() const { return limit_; }
  TESSERA_HD Int size() const { return size_; }
  TESSERA_HD bool full() const { return size_ >= limit_; }
  TESSERA_HD Real value() const { return value_; }  // running sums
  TESSERA_HD Real error() const { return error_; }
  TESSERA_HD bool sums_are_finite() const { return is_finite(value_) && is_finite(error_); }
  TESSERA_HD Int selected() const { return selected_; }  // the interval that is divided next
  TESSERA_HD interval<Real> at(Int i) const { return {a_.lower[i - 1], a_.upper[i - 1]}; }
  TESSERA_HD Real width(Int i) const { return fabs(a_.upper[i - 1] - a_.lower[i - 1]); }
  TESSERA_HD Real error_of(Int i) const { return a_.error[i - 1]; }

  TESSERA_HD Real value_of(Int i) const { return a_.value[i - 1]; }
  TESSERA_HD bool is_careful() const { return a_.doubt != nullptr; }
  TESSERA_HD Real doubt(Int i) const { return a_.doubt[i - 1]; }
  TESSERA_HD void set_doubt(Int i, Real doubt) { a_.doubt[i - 1] = doubt; }
  // The elements have been copied there.
  TESSERA_HD void move_to(const interval_arrays<Real, Int> &arrays) { a_ = arrays; }
  // The rank of the widest interval among those whose order is kept.
  TESSERA_HD TESSERA_APART Int rank_of_widest() const {
    Int widest = 1;
    const Int last = ranked();
    Real most = width(a_.order[0]);
    for (Int rank = 2; rank <= last; ++rank) {
      const Real w = width(a_.order[rank - 1]);
      if (w > most) most = w, widest = rank;
    }
    return widest;
  }

  TESSERA_HD Int number_at(Real x) const { return a_.order[rank_of(x) - 1]; }
  // The rank of the interval around x.
  TESSERA_HD TESSERA_APART Int rank_of(Real x) const {
    Int rank = ranked();
    while (rank > 1 && !(at(a_.order[rank - 1]).lower <= x && x <= at(a_.order[rank - 1]).upper)) --rank;
    return rank;
  }

  TESSERA_HD void set_error(Int i, Real error) { a_.error[i - 1] = error; }

  TESSERA_HD void append(interval<Real> where, Real value, Real error) {
    put(++size_, where, value, error);
    a_.order[size_ - 1] = size_;
  }
  // After the first intervals: what the running sums begin with.
  TESSERA_HD void begin(Real value, Real error) {
    value_ = value;
    error_ = error;
    select_largest();
  }
  // Descending errors, by exchanges.
  TESSERA_HD TESSERA_APART void sort() {
    for (Int i = 0; i + 1 < size_; ++i) {
      Int largest = i;
      for (Int j = i + 1; j < size_; ++j)
        if (error_of(a_.order[j]) >= error_of(a_.order[largest])) largest = j;
      const Int number = a_.order[largest];
      a_.order[largest] = a_.order[i];
      a_.order[i] = number;
    }
  }

  TESSERA_HD void select_largest() { select(1); }
  // The one of the given rank; ranks are kept over divisions.
  TESSERA_HD void select(Int rank) {
    rank_ = rank;
    selected_ = a_.order[rank - 1];
  }
  TESSERA_HD void set_rank(Int rank) { rank_ = rank; }
  TESSERA_HD Int rank() const { return rank_; }
  // Ranks up to this one are in order.
  TESSERA_HD Int ranked() const { return size_ > limit_ / 2 + 2 ? limit_ + 3 - size_ : size_; }

  // The halves of the selected interval take its place, the one with the larger error; running sums follow.
  TESSERA_HD TESSERA_APART division<Real> divide(const interval<Real> *halves, const interval_estimate<Real> *e,
                                                 const Real *doubts = nullptr) {
    const Int parent = selected_;
    division<Real> d = {a_.value[parent - 1],
                        a_.error[parent - 1],
                        e[0].value + e[1].value,
                        e[0].error + e[1].error,
                        halves[0],
                        halves[1]};
    error_ = error_ + d.error - d.parent_error;
    value_ = value_ + d.value - d.parent_value;
    const int larger = e[1].error > e[0].error ? 1 : 0;
    put(parent, halves[larger], e[larger].value, e[larger].error);
    put(++size_, halves[1 - larger], e[1 - larger].value, e[1 - larger].error);
    if (doubts) {
      set_doubt(parent, doubts[larger]);
      set_doubt(size_, doubts[1 - larger]);
    }
    rank_halves(parent);
    select(rank_);
    return d;
  }

  // Both sums anew: a running sum of errors that were large once is no more than their rounding, and may be negative.
  TESSERA_HD TESSERA_APART void sum_anew() {
    value_ = summed_value();
    error_ = Real(0);
    TESSERA_ROLLED
    for (Int i = 0; i < size_; ++i) error_ += a_.error[i];
  }
  // Summed anew, so that nothing is left of what the running sum has lost.
  TESSERA_HD TESSERA_APART Real summed_value() const {
    Real sum = 0;
    TESSERA_ROLLED
    for (Int i = 0; i < size_; ++i) sum += a_.value[i];
    return sum;
  }

 private:
  TESSERA_HD void put(Int i, interval<Real> where, Real value, Real error) {
    a_.lower[i - 1] = where.lower;
    a_.upper[i - 1] = where.upper;
    a_.value[i - 1] = value;
    a_.error[i - 1] = error;
  }

  // Puts the two halves into the order: the larger, which has the number of its parent, is looked for upward from the parent's rank and
  // then downward, the smaller, which is the last interval, upward from the end.
  TESSERA_HD TESSERA_APART void rank_halves(Int parent) {
    Int *const order = a_.order - 1;  // by rank
    if (size_ <= 2) {
      order[1] = 1;
      order[2] = 2;
      return;
    }
    const Real larger = error_of(parent), smaller = error_of(size_);
    // Only where an extrapolation has passed over larger errors, and the parent's was too small.
    for (; rank_ > 1 && larger > error_of(order[rank_ - 1]); --rank_) order[rank_] = order[rank_ - 1];
    const Int end = ranked();
    Int at = rank_ + 1 < end ? rank_ + 1 : end;
    for (; at < end && larger < error_of(order[at]); ++at) order[at - 1] = order[at];
    order[at - 1] = parent;
    Int low = end - 1;
    for (; low >= at && smaller >= error_of(order[low]); --low) order[low + 1] = order[low];
    order[low + 1] = size_;
  }

  interval_arrays<Real, Int> a_;
  Int limit_ = 1;
  Int size_ = 0, rank_ = 1, selected_ = 1;
  Real value_ = 0, error_ = 0;
};

}  // namespace tessera
