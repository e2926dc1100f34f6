// What a lattice run knows so far: value and error from the sums of its shifts, as the caller sees them, and what they say about going on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../core/student.hpp"
#include "../shown_result.hpp"
#include "lattice_state.hpp"
#include "shift_trust.hpp"

namespace tessera {

// Base of the driver. Sums are sums[shift * ncomp + k].
class lattice_estimates {
 protected:
  using shift_sums = std::vector<compensated_sum>;

  lattice_estimates(const lattice_settings &settings, double volume, run_hooks &hooks)
      : set_(settings), volume_(volume), shown_(settings.ncomp, hooks), trust_(settings.ncomp) {}

  std::size_t index(int64 shift, int k) const { return static_cast<std::size_t>(shift * set_.ncomp + k); }
  shift_sums sums_of(int64 shifts) const { return shift_sums(index(shifts, 0)); }
  int64 evaluations_left() const { return set_.maxeval - statistics_.evaluations - shown_.evaluations_beside(); }
  bool affordable(int64 points) const { return points <= evaluations_left(); }

  struct shift_mean {
    double value, deviation;  // of the mean over the shifts; infinite for one shift
    double magnitude;         // of the largest of the shifts' means
    double far;  // share of the largest squared deviation in their sum; 0 where they are equal but for rounding
    // No sum is known better than its largest term's last digit.
    double error(double factor) const {
      return larger(factor * deviation, std::numeric_limits<double>::epsilon() * magnitude);
    }
  };
  shift_mean estimate(const shift_sums &sums, uint64 n, int64 shifts, int k) const {
    const double per_point = volume_ / static_cast<double>(n), count = static_cast<double>(shifts);
    compensated_sum mean, squares;
    double magnitude = 0.0;
    for (int64 r = 0; r < shifts; ++r) {
      const double q = per_point * sums[index(r, k)].value();
      mean.add(q / count);
      magnitude = larger(magnitude, fabs(q));
    }
    const double value = mean.value();
    double farthest = 0.0;
    for (int64 r = 0; r < shifts; ++r) farthest = larger(farthest, fabs(per_point * sums[index(r, k)].value() - value));
    const double unit = square_unit(farthest);
    for (int64 r = 0; r < shifts; ++r) {
      const double d = unit * (per_point * sums[index(r, k)].value() - value);
      squares.add(d * d);
    }
    const double sum = squares.value(), far = unit * farthest;
    return {value, shifts > 1 ? std::sqrt(sum / (count * (count - 1.0))) / unit : infinity_value(), magnitude,
            farthest > rounding_level * magnitude && sum > 0.0 ? far * far / sum : 0.0};
  }

  double factor_of(int freedom) {
    if (factor_freedom_ != freedom) {
      factor_ = student_factor(set_.confidence, freedom);
      factor_freedom_ = freedom;
    }
    return factor_;
  }

  // Mean square of the weights of a change of variables in all variables: their mean is 1.
  double weight_spread(int transform) const { return std::pow(weight_mean_square(transform), set_.ndim); }

  // Sets value and error. Returns converged, roundoff or running.
  outcome conclude(const shift_sums &sums, uint64 n, int64 shifts, bool confirmed_needed) {
    const bool enough = statistics_.evaluations >= set_.mineval;
    bool within = true, steady = true, rounding = true, zero = true, believed = true;
    std::vector<double> sizes(static_cast<std::size_t>(set_.ncomp));
    for (int k = 0; k < set_.ncomp; ++k) {
      const shift_mean m = estimate(sums, n, shifts, k);
      const shift_trust::verdict trust = trust_.add(k, shifts, m.far);
      believed = believed && trust.believed;
      const double v = m.value, e = m.error(factor_of(static_cast<int>(trust.freedom)));
      sizes[static_cast<std::size_t>(k)] = m.magnitude;
      if (shown_.there) steady = steady && fabs(v - shown_.value[k]) <= 2.0 * (e + shown_.error[k]);
      zero = zero && v == 0.0 && e == 0.0;
      shown_.value[k] = v;
      shown_.error[k] = e;
    }
    for (int k = 0; k < set_.ncomp; ++k) {
      const double e = shown_.error[k], tolerance = tolerated(set_, k, shown_.now());
      within = within && e <= tolerance;
      rounding = rounding && (e <= tolerance || e <= rounding_level * sizes[static_cast<std::size_t>(k)]);
    }
    const bool confirmed = !confirmed_needed || (shown_.there && steady);
    shown_.there = true;
    heavy_tail_ = !believed && static_cast<double>(statistics_.evaluations) >= evaluations_for_tail;
    statistics_.points = n;
    statistics_.shifts = shifts;
    // Weights with a large variance come from few points. Shifts that have seen none of these agree, and are all wrong.
    const bool seen =
        static_cast<double>(statistics_.evaluations) >= evaluations_per_spread * weight_spread(statistics_.transform) &&
        !(zero && statistics_.evaluations < evaluations_to_trust_zero);
    if (within && enough && seen && confirmed && believed) return outcome::converged;
    if (!within && rounding && enough && seen) return outcome::roundoff;
    return pause_;
  }

  // What a run that ends before its first rule is whole has in place of one: the shifts that are finished, with no idea of the error
  // where there is but one of them.
  void take_shifts(const shift_sums &sums, uint64 n, int64 shifts) {
    const double factor = shifts > 1 ? factor_of(static_cast<int>(shifts - 1)) : 1.0;
    for (int k = 0; k < set_.ncomp; ++k) {
      const shift_mean m = estimate(sums, n, shifts, k);
      shown_.value[k] = m.value;
      shown_.error[k] = m.error(factor);
    }
    statistics_.points = n;
    statistics_.shifts = shifts;
    shown_.there = true;
  }
  // Where none is finished: the mean over so many points.
  void take_points(const shift_sums &sums, uint64 n, int64 points) {
    for (int k = 0; k < set_.ncomp; ++k) {
      compensated_sum all;
      for (std::size_t i = static_cast<std::size_t>(k); i < sums.size(); i += static_cast<std::size_t>(set_.ncomp))
        all.add(sums[i]);
      shown_.value[k] = volume_ * all.value() / static_cast<double>(points);
      shown_.error[k] = infinity_value();
    }
    statistics_.points = n;
    statistics_.shifts = 0;
    shown_.there = true;
  }
  // A whole rule that has decided something and is not to be part of the result, unless there comes no other.
  void keep_spare(const shift_sums &sums, uint64 n, int64 shifts) {
    if (!shown_.there) spare_ = {sums, n, shifts, statistics_.transform};
  }
  void take_spare() {
    take_shifts(spare_.sums, spare_.n, spare_.shifts);
    statistics_.transform = spare_.transform;
  }
  // The run ends within a pass, after so many points and whole shifts of it.
  void take_unfinished(const lattice_pass &pass, const shift_sums &sums, int64 points, int64 shifts, bool failed) {
    if (shown_.there) return;
    if (pass.first != 0) shifts = 0;  // other points are in the sums as well
    if (spare_.shifts > shifts || (pass.trial && spare_.shifts > 0))
      take_spare();
    else if (shifts > 0)
      take_shifts(sums, pass.n, shifts);
    else if (!failed && points > 0)
      take_points(sums, pass.n, points);
  }

  void rank_estimate(const shift_sums &sums, uint64 n, int64 copies, int rank, int k) {
    const double per_point = volume_ / static_cast<double>(n);
    compensated_sum all;
    for (int64 c = 0; c < copies; ++c) all.add(sums[index(c, k)]);
    const double value = per_point * all.value() / static_cast<double>(copies);
    std::vector<double> differences;
    double farthest = 0.0;
    int64 power = 1;
    for (int i = 0; i < rank; ++i) {
      compensated_sum without;
      for (int64 c = 0; c < copies; ++c)
        if (c / power % set_.copies == 0) without.add(sums[index(c, k)]);
      differences.push_back(value - per_point * without.value() / static_cast<double>(copies / set_.copies));
      farthest = larger(farthest, fabs(differences.back()));
      power *= set_.copies;
    }
    const double unit = square_unit(farthest);
    double squares = 0.0;
    for (const double d : differences) squares += unit * d * (unit * d);
    shown_.value[k] = value;
    shown_.error[k] =
        rank > 0 ? larger(std::sqrt(squares / rank) / unit, std::numeric_limits<double>::epsilon() * fabs(value))
                 : infinity_value();
  }

  // Error and rate of convergence of a component at the number of points before.
  struct trial_history {
    double error = infinity_value(), rate = 1.0;
  };

  // Points at which the run would meet the tolerance, all components of it.
  double points_needed(const shift_sums &sums, uint64 n, int64 shifts, std::vector<trial_history> &history) const {
    const double factor = student_factor(set_.confidence, static_cast<int>(shifts - 1));
    const double fewer = std::sqrt(static_cast<double>(shifts) / set_.shifts);  // the error is that of more shifts
    double most = 0.0;
    const auto parts = static_cast<std::size_t>(set_.ncomp);
    std::vector<double> values(parts), errors(parts), sizes(parts);
    for (std::size_t k = 0; k < parts; ++k) {
      const shift_mean m = estimate(sums, n, shifts, static_cast<int>(k));
      values[k] = m.value;
      errors[k] = m.error(factor);
      sizes[k] = m.magnitude;
    }
    const value_and_error_arrays now = {values.data(), errors.data()};
    for (int k = 0; k < set_.ncomp; ++k) {
      trial_history &h = history[static_cast<std::size_t>(k)];
      const double e = now.error[k];
      const double tolerance = larger(tolerated(set_, k, now), rounding_level * sizes[static_cast<std::size_t>(k)]);
      const double excess = e * fewer / (tolerance > 0.0 ? tolerance : 1.0);
      // Single rules are better or worse than their neighbours: the rate is an average.
      if (h.error < infinity_value() && e > 0.0) h.rate = 0.5 * (h.rate + 0.5 * std::log2(h.error / e));
      h.error = e;
      const double rate = std::min(3.0, std::max(0.5, h.rate));
      most = larger(most, static_cast<double>(n) * (excess > 1.0 ? std::pow(excess, 1.0 / rate) : 1.0));
    }
    return most;
  }

  static constexpr double evaluations_per_spread = 64.0;
  static constexpr double rounding_level = 16.0 * std::numeric_limits<double>::epsilon();
  static constexpr int64 evaluations_to_trust_zero = int64{1} << 20;

  const lattice_settings &set_;
  const double volume_;
  shown_result shown_;
  outcome pause_ = outcome::running;
  bool heavy_tail_ = false;  // the means of the shifts are not believed
  lattice_statistics statistics_;

 private:
  struct spare_rule {
    shift_sums sums;
    uint64 n = 0;
    int64 shifts = 0;
    int transform = transform_none;
  };
  spare_rule spare_;
  shift_trust trust_;
  double factor_ = 0.0;
  int factor_freedom_ = 0;
};

}  // namespace tessera
