// Dimension-adaptive sparse grids (T. Gerstner and M. Griebel, Dimension-adaptive tensor-product quadrature, Computing 71 (2003)) on the
// nested rules of Patterson, with an error estimate that smooth integrands alone pass (docs/methods.md, "Sparse grids").
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../problem.hpp"
#include "sparse_indices.hpp"
#include "tested_points.hpp"

namespace tessera {

// The new indices of a step, for whoever evaluates them.
struct sparse_step {
  sparse_set all = {};
  int before = 0, end = 0;  // the new ones are those from `before` on
  int64 points = 0;         // of all new indices
  int64 store = 0;          // numbers in the store with them
  // More than 0: there are indices below others among them; all are summed up over one active axis before any over the next, of which none has more.
  int stages = 0;

  int64 count() const { return end - before; }
};

// The new index that has a point of a box, by its number among those of the step.
inline const sparse_index *index_of_point(const sparse_step &step, int64 point) {
  const auto begins_behind = [](int64 p, const sparse_index &i) { return p < i.first; };
  return std::upper_bound(step.all.indices + step.before, step.all.indices + step.end, point, begins_behind) - 1;
}

// Evaluates where the integrand is: the host's threads, or a device.
class sparse_executor {
 public:
  virtual ~sparse_executor() = default;
  // Forgets what is in the store. domain: stays where it is.
  virtual void begin(const sparse_domain &domain) = 0;
  // The same where nothing but sample() follows.
  virtual void begin_sampling(const sparse_domain &domain) { begin(domain); }
  // differences[boxes][ncomp][indices], of the mean over the box. Returns running, callback, nonfinite, memory, or time and stopped.
  virtual outcome evaluate(const sparse_step &step, double *differences) = 0;
  virtual int64 bytes_of_point() const = 0;  // that a step takes for each of its points, beside the store
  // The map of the domain has nodes that it had not.
  virtual void renew_map() {}

  // The integrand at n points of the domain, times the Jacobian of its axes, not of a map: x[ndim][n] to values[ncomp][n]. Returns as evaluate does.
  virtual outcome sample(int64 n, const double *x, double *values) = 0;
  // The largest size of each component at the tested points where it is none that a grid with the map of the domain, whose means these are, expects there. The regions are in
  // memory of this place; means, sizes: [ncomp]. Returns as evaluate does.
  virtual outcome find_unexplained(const tested_set &points, const double *means, double *sizes) = 0;
};

// New points of the step after so many.
inline int64 next_sparse_step(int64 points) { return std::max<int64>(1000, points / 20 * (points < 20000 ? 12 : 7)); }

static_assert(patterson_levels <= most_levels && patterson_levels < 1 << level_bits);

inline sparse_tables make_sparse_tables() {
  sparse_tables t = {};
  std::copy_n(patterson_nodes, 128, t.nodes);
  for (int l = 1; l <= patterson_levels; ++l)
    for (int p = 0; p < 1 << (l - 1); ++p) {
      const double before = l > 1 && p < 1 << (l - 2) ? patterson_weights[(1 << (l - 2)) - 1 + p] : 0.0;
      t.weights[(1 << (l - 1)) - 1 + p] = 0.5 * (patterson_weights[(1 << (l - 1)) - 1 + p] - before);
    }
  return t;
}

class sparse_grid {
 public:
  sparse_grid() = default;
  sparse_grid(int ndim, int ncomp, double volume, sparse_executor &executor) { start(ndim, ncomp, volume, executor); }
  // Forgets all that it was, but keeps the memory. ncomp: of all boxes; volume: of the box, 1 for several; the executor stays where it is.
  // complex_values: as in run_settings; rounding: of a value, relative.
  void start(int ndim, int ncomp, double volume, sparse_executor &executor, bool complex_values = false,
             double rounding = 1e-15) {
    complex_values_ = complex_values;
    rounding_ = rounding;
    ndim_ = ndim;
    ncomp_ = ncomp;
    volume_ = volume;
    executor_ = &executor;
    set_.start(ndim);
    indices_.clear();
    open_.clear();
    queue_.clear();
    points_then_.clear();
    for (std::vector<double> *of_indices : {&difference_, &indicator_, &largest_above_, &sum_then_})
      of_indices->clear();
    for (std::vector<double> *of_components : {&sum_, &magnitude_, &error_, &lent_})
      of_components->assign(index(ncomp), 0.0);
    weight_.assign(index(ncomp), 1.0);
    points_ = evaluated_ = first_points_ = store_ = steps_ = 0;
    deepest_ = 0;
  }

  static constexpr int first_levels = 2;
  // Points of a first step.
  static int64 first_points(int ndim, int levels = first_levels) {
    int64 all = 0, indices = 1;  // whose levels are above 1 by as much altogether
    for (int above = 0; above <= levels; ++above) {
      all += indices << above;
      indices = indices * (ndim + above) / (above + 1);
    }
    return all;
  }
  // As many levels as a first step of no more than so many points has, where it may have more than the least.
  static int levels_within(int ndim, int64 points) {
    constexpr int most = 5;
    int levels = first_levels;
    while (levels < most && first_points(ndim, levels + 1) <= points) ++levels;
    return levels;
  }
  // As many levels of a first step as an integrand is going to be worth that is constant but for rounding.
  static int levels_of_constant(int ndim) { return levels_within(ndim, 2 * least_judged(ndim, first_points(ndim))); }
  // The highest level of its indices when there are enough of them: of the first step, or of one more.
  static int highest_of_constant(int ndim) {
    const int levels = levels_of_constant(ndim);
    return levels + (first_points(ndim, levels) >= least_judged(ndim, first_points(ndim)) ? 1 : 2);
  }
  // All indices whose levels are above 1 by so many altogether.
  outcome begin(int levels = first_levels) {
    for (int sum = 0; sum < levels; ++sum)
      for (int i = 0, n = set_.count(); i < n; ++i)
        if (!set_.is_expanded(i)) set_.expand(i);
    plan_.stages = levels;
    const outcome o = evaluate();
    plan_.stages = 0;
    first_points_ = first_points(ndim_);
    deepest_ = levels + 1;
    return o;
  }
  // Expands the indices that promise most for their points, until there are so many new points. Returns evaluations, and has evaluated
  // nothing, where there would be more than `most`; memory where they would take more bytes than that; roundoff where nothing is left to
  // expand.
  outcome grow(int64 new_points, int64 most, int64 memory) {
    int64 n = 0;
    for (int made = set_.count(); n < new_points && !queue_.empty();) {
      const int i = index_of(queue_.front());
      std::pop_heap(queue_.begin(), queue_.end());
      queue_.pop_back();
      if (set_.is_expanded(i)) continue;  // it had been raised
      set_.expand(i);
      for (; made < set_.count(); ++made) n += points_of(made);
    }
    if (n == 0) return outcome::roundoff;
    if (n > most) return outcome::evaluations;
    ++deepest_;
    return bytes_with(n) > memory || set_.count() > most_indices ? outcome::memory : evaluate();
  }

  // Before the value is believed: where what lies above an index is next to nothing beside what is farther above, as where no point of a low level meets a peak,
  // its difference says nothing of what will be above it, and it would never be expanded. Such an index is then taken to hold what it has of all that is above,
  // and the error follows. True: it has changed.
  bool look_far_above() {
    std::vector<double> all(difference_.size(), 0.0);  // [index][ncomp] the largest difference of all above it
    for (int i = set_.count() - 1; i > 0; --i)         // what lies above an index has a higher number
      each_axis(set_.active(i), [&](int j) {
        const int lower = set_.below(i, j);
        for (int k = 0; k < ncomp_; ++k)
          all[index(lower, k)] =
              larger(all[index(lower, k)], larger(all[index(i, k)], std::fabs(difference_[index(i, k)])));
      });
    bool changed = false;
    for (const int i : open_) {
      if (set_.is_expanded(i)) continue;
      bool more = false;
      each_axis(set_.active(i), [&](int j) {
        const int lower = set_.below(i, j);
        for (int k = 0; k < ncomp_; ++k) {
          const double far = all[index(lower, k)], now = sibling_share * far;
          if (!(largest_above_[index(lower, k)] < overlooked * far) || !(indicator_[index(i, k)] < now)) continue;
          indicator_[index(i, k)] = now;
          more = true;
        }
      });
      if (more) put_in_queue(i);
      changed = changed || more;
    }
    if (changed) estimate();
    return changed;
  }

  int64 points() const { return points_; }
  int64 indices() const { return set_.count(); }
  // With those of a step that gave no value.
  int64 evaluated() const { return evaluated_; }
  int64 steps() const { return steps_; }
  // No level of the next step's indices is above.
  int next_level() const { return std::min(deepest_ + 1, patterson_levels); }
  // There are as many points as the error estimate needs to mean something.
  bool is_judged() const { return until_judged() <= 0; }
  int64 until_judged() const { return least_judged(ndim_, first_points_) - points_; }
  // There is something that the value can be compared with.
  bool is_begun() const { return points_ >= judged_after * first_points_; }
  double value(int k) const { return volume_ * sum_[index(k)]; }
  double volume() const { return volume_; }
  const double *means() const { return sum_.data(); }  // over the box
  double error(int k) const { return error_[index(k)]; }
  value_and_error operator()(int k) const { return {value(k), error(k)}; }
  // What it takes, with what is there for a moment while arrays grow.
  int64 bytes() const { return growing * (8 * store_ + set_.count() * bytes_of_index()); }
  int64 bytes_with(int64 new_points) const {  // with new indices of no fewer points than there have been so far
    const double per_point = points_ > 0 ? static_cast<double>(set_.count()) / static_cast<double>(points_) : 1.0;
    const auto indices = static_cast<int64>(per_point * static_cast<double>(new_points)) + 1;
    return bytes() + growing * (16 * ncomp_ * new_points + bytes_of_index() * indices) +
           executor_->bytes_of_point() * new_points;
  }

 private:
  // Of an index's difference: what its siblings are taken to have at least.
  static constexpr double sibling_share = 0.05;
  static constexpr double overlooked = 1e-3;  // of what is farther above
  static constexpr double earlier = 0.55;     // share of the points whose value the value is compared with,
  static constexpr double caution = 30.0;     // and what the difference counts
  static constexpr int64 judged_after = 4, judged_points = 500;
  static int64 least_judged(int ndim, int64 first) { return std::max(judged_after * first, judged_points * ndim); }
  static constexpr int64 growing = 3;  // an array that grows to twice its size, and the old one beside it

  static std::size_t index(int64 i) { return static_cast<std::size_t>(i); }
  std::size_t index(int i, int k) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(ncomp_) + static_cast<std::size_t>(k);
  }
  int64 bytes_of_index() const { return sparse_indices::bytes(ndim_) + 40 * ncomp_ + 96; }

  // 2^(-bits/2)
  static double inverse_root_of_points(int bits) {
    constexpr double root_of_half = 0.70710678118654752;
    return double_of(static_cast<uint64>(1023 - bits / 2) << 52) * (bits % 2 == 0 ? 1.0 : root_of_half);
  }
  int64 points_of(int i) const { return int64{1} << set_.bits(i); }

  // What an index promises and, in the last bits, which it is: what rounding alone makes different, as between places, is the same, and the
  // older index comes first then.
  static constexpr uint64 index_mask = most_indices - 1;
  static int index_of(uint64 entry) { return static_cast<int>(index_mask - (entry & index_mask)); }
  void put_in_queue(int i) {
    const uint64 share = bits_of(without_last_bits(share_of(i), index_bits));
    queue_.push_back(share | (index_mask - static_cast<uint64>(i)));
    std::push_heap(queue_.begin(), queue_.end());
  }
  // What expanding i promises for its points.
  double share_of(int i) const {
    double most = 0.0;
    for (int k = 0; k < ncomp_; ++k) most = larger(most, indicator_[index(i, k)] * weight_[index(k)]);
    return most * inverse_root_of_points(set_.bits(i));
  }

  // Makes room for the indices from the first that has not been evaluated on.
  void plan() {
    plan_.before = static_cast<int>(indices_.size());
    plan_.end = set_.count();
    plan_.points = 0;
    for (int i = plan_.before; i < plan_.end; ++i) {
      sparse_index q = {plan_.points, store_, 1, 0, set_.bits(i)};  // the difference comes last
      int left = q.bits;
      each_axis(set_.active(i), [&](int j) {
        ++q.active;
        q.stride += int64{1} << left;
        left -= set_.level(i, j) - 1;
      });
      store_ += q.stride * ncomp_;
      plan_.points += points_of(i);
      indices_.push_back(q);
    }
    plan_.all = {indices_.data(), set_.links()};
    plan_.store = store_;
  }

  outcome evaluate() {
    plan();
    const int64 n = plan_.count();
    differences_.resize(index(n * ncomp_));
    const outcome o = executor_->evaluate(plan_, differences_.data());
    if (o == outcome::running || o == outcome::nonfinite) evaluated_ += plan_.points;
    if (o != outcome::running) return o;
    ++steps_;
    const int first = plan_.before;
    for (int64 q = 0; q < n; ++q) {
      points_ += points_of(first + static_cast<int>(q));
      points_then_.push_back(points_);
      open_.push_back(first + static_cast<int>(q));
      for (int k = 0; k < ncomp_; ++k) {
        const double d = differences_[index(k * n + q)];
        if (!std::isfinite(d)) return outcome::nonfinite;
        sum_[index(k)] += d;
        magnitude_[index(k)] += std::fabs(d);
        difference_.push_back(d);
        indicator_.push_back(0.0);
        largest_above_.push_back(0.0);
        sum_then_.push_back(sum_[index(k)]);
      }
    }
    for (int k = 0; k < ncomp_; ++k) {
      const double v = complex_values_ ? modulus(sum_[index(k)], sum_[index(k ^ 1)]) : std::fabs(sum_[index(k)]);
      weight_[index(k)] = v > 0.0 ? 1.0 / v : 1.0;
    }
    tell_siblings(first);
    for (int i = first; i < set_.count(); ++i) {
      promise(i);
      if (!set_.is_expanded(i)) put_in_queue(i);
    }
    estimate();
    return outcome::running;
  }

  // What index i promises: its difference, or what it has of its siblings' (the indices with one level less on one axis and one more on
  // another) if that is more.
  void promise(int i) {
    for (int k = 0; k < ncomp_; ++k) {
      double most = 0.0;  // of the siblings', and of its own, which is no more than it has anyway
      each_axis(set_.active(i), [&](int j) { most = larger(most, largest_above_[index(set_.below(i, j), k)]); });
      indicator_[index(i, k)] = larger(std::fabs(difference_[index(i, k)]), sibling_share * most);
    }
  }

  // Siblings of the indices from `first` on.
  void tell_siblings(int first) {
    is_lender_.assign(index(set_.count()), 0);
    is_raised_.assign(index(first), 0);
    lenders_.clear();
    raised_.clear();
    for (int i = first; i < set_.count(); ++i) lend(i);
    for (const int lower : lenders_) raise(lower, first);
    for (const int i : raised_) put_in_queue(i);
  }
  // Tells the index below index i on each axis of its difference; it is then of those that siblings are to be told of.
  void lend(int i) {
    each_axis(set_.active(i), [&](int j) {
      const int lower = set_.below(i, j);
      bool more = false;
      for (int k = 0; k < ncomp_; ++k) {
        double &largest = largest_above_[index(lower, k)];
        const double own = std::fabs(difference_[index(i, k)]);
        more = more || largest < own;
        largest = larger(largest, own);
      }
      if (more && !is_lender_[index(lower)]) lenders_.push_back(lower);
      if (more) is_lender_[index(lower)] = true;
    });
  }
  // Tells those above an index, siblings all of them, what the largest difference is among them now. Those before `first` that promise
  // more than they did are put in the queue once more.
  void raise(int lower, int first) {
    for (int m = 0; m < ndim_; ++m) {
      const int sibling = set_.above(lower, m);
      if (sibling == sparse_indices::none || sibling >= first || set_.is_expanded(sibling)) continue;
      bool more = false;
      for (int k = 0; k < ncomp_; ++k) {
        double &has = indicator_[index(sibling, k)];
        const double now = sibling_share * largest_above_[index(lower, k)];
        more = more || has < now;
        has = larger(has, now);
      }
      if (more && !is_raised_[index(sibling)]) raised_.push_back(sibling);
      if (more) is_raised_[index(sibling)] = true;
    }
  }

  // The sum of what has not been expanded, or cannot be, and what the last half of the points has changed. What siblings lend stands
  // for differences that are small by accident: many accidents are no more likely to agree than to cancel, so their squares are summed.
  void estimate() {
    std::vector<double> &ahead = error_;
    std::fill(ahead.begin(), ahead.end(), 0.0);
    std::fill(lent_.begin(), lent_.end(), 0.0);
    open_.erase(
        std::remove_if(open_.begin(), open_.end(), [&](int i) { return set_.is_expanded(i) && !set_.is_at_top(i); }),
        open_.end());
    for (const int i : open_)
      for (int k = 0; k < ncomp_; ++k) {
        const double own = std::fabs(difference_[index(i, k)]),
                     lent = set_.is_expanded(i) ? own : indicator_[index(i, k)];
        if (lent > own) {
          const double of_all = lent / magnitude_[index(k)];
          lent_[index(k)] += of_all * of_all;
        } else {
          ahead[index(k)] += own;
        }
      }
    for (int k = 0; k < ncomp_; ++k) ahead[index(k)] += magnitude_[index(k)] * std::sqrt(lent_[index(k)]);
    const auto then = std::upper_bound(points_then_.begin(), points_then_.end(),
                                       static_cast<int64>(earlier * static_cast<double>(points_)));
    const auto before = then - points_then_.begin();
    for (int k = 0; k < ncomp_; ++k) {
      const double was = before > 0 ? sum_then_[index(static_cast<int>(before) - 1, k)] : 0.0;
      const double e = std::fmax(ahead[index(k)], caution * std::fabs(sum_[index(k)] - was));
      error_[index(k)] = std::fabs(volume_) * std::fmax(e, rounding_ * magnitude_[index(k)]);
    }
  }

  int ndim_ = 0, ncomp_ = 0;
  int deepest_ = 0;  // no level is above
  bool complex_values_ = false;
  double volume_ = 0.0, rounding_ = 0.0;
  sparse_executor *executor_ = nullptr;
  sparse_indices set_;
  sparse_step plan_;
  std::vector<sparse_index> indices_;
  std::vector<double> difference_, indicator_, sum_then_;  // [index][ncomp]
  std::vector<double> largest_above_;  // [index][ncomp] difference, of the indices above it by one level
  std::vector<int> open_;              // that are not expanded, or at the top
  std::vector<int> lenders_, raised_;  // below those that differ more since a step; that promise more
  std::vector<unsigned char> is_lender_, is_raised_;
  std::vector<int64> points_then_;                               // up to each index
  std::vector<double> differences_;                              // of a step
  std::vector<double> sum_, magnitude_, error_, lent_, weight_;  // [ncomp]
  std::vector<uint64> queue_;                                    // a heap
  int64 points_ = 0, evaluated_ = 0, first_points_ = 0, store_ = 0, steps_ = 0;
};

}  // namespace tessera
