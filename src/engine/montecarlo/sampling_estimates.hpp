// What a Monte Carlo run knows so far: value and error as the caller sees them, and what they say about going on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../../core/skewed_means.hpp"
#include "../shown_result.hpp"
#include "sample_pool.hpp"
#include "sampling_state.hpp"

namespace tessera {

// Base of the driver.
class sampling_estimates {
 protected:
  static constexpr double least_freedom = 30.0;  // below, an error is not believed

  sampling_estimates(const sampling_settings &settings, double volume, run_hooks &hooks)
      : set_(settings), volume_(volume), shown_(settings.ncomp, hooks), z_(normal_factor(settings.confidence)) {}

  bool has_room(int64 samples, bool grid) {
    const int64 bytes = sampling_bytes(set_, static_cast<double>(samples), grid);
    if (bytes > set_.memory) return false;
    statistics_.bytes = std::max(statistics_.bytes, bytes);
    return true;
  }
  // Sets value and error, and need_: by how much the number of samples has to grow for the tolerance.
  void show(const sample_pool &pool, bool iterations_count) {
    begin_to_show();
    for (int k = 0; k < set_.ncomp; ++k) heavy_tail_ = heavy_tail_ || has_tail(pool, k);
    for (int k = 0; k < set_.ncomp; ++k) {
      const double value = volume_ * pool.value(k) / unit_, deviation = volume_ * std::sqrt(pool.variance(k)) / unit_;
      const double freedom = pool.freedom(k);
      double error =
          deviation == 0.0 ? 0.0 : deviation * confidence_factor(set_.confidence, z_, freedom) * widening(pool, k);
      if (iterations_count) {
        error *= pool.inflation(k);
        chi_square_[k] = pool.chi_square(k);
        if (pool.iterations() > 1)
          statistics_.chi_square =
              larger(statistics_.chi_square, chi_square_[k] / static_cast<double>(pool.iterations() - 1));
      } else {
        chi_square_[k] = 0.0;
      }
      show_component(k, value, error);
    }
    end_to_show([&](int k) { return pool.freedom(k) >= least_freedom; });
  }
  // After many samples few degrees of freedom mean that few of them carry the integral, and will whatever their number is.
  bool has_tail(const sample_pool &pool, int k) const {
    return pool.samples() >= evaluations_for_tail && pool.freedom(k) < 2.0 * least_freedom;
  }
  // The largest samples to come are larger than those that have been seen.
  double widening(const sample_pool &pool, int k) const {
    return has_tail(pool, k) ? std::fmin(2.0 * least_freedom / pool.freedom(k), 2.0) : 1.0;
  }
  void begin_to_show() {
    need_ = 0.0;
    constant_ = true;
    unseen_ = heavy_tail_ = false;
    blank_ = true;
    statistics_.chi_square = 0.0;
  }
  static double rounding_of(double value) { return std::numeric_limits<double>::epsilon() * fabs(value); }
  void show_component(int k, double value, double error) {
    constant_ = constant_ && error == 0.0;
    error = larger(error, rounding_of(value));
    if (!(error < infinity_value())) error = infinity_value();
    shown_.value[k] = value;
    shown_.error[k] = error;
  }
  // An error that is not believed is not enough for the tolerance.
  template <class Believed>
  void end_to_show(const Believed &believed) {
    const auto nothing = [this](int k) { return shown_.value[k] == 0.0 && shown_.error[k] == 0.0; };
    for (int k = 0; k < set_.ncomp; ++k) {
      const bool empty = nothing(k) && (!set_.complex_values || nothing(k ^ 1));
      unseen_ = unseen_ || empty;
      blank_ = blank_ && empty;
      check_range(magnitude(set_, k, [this](int c) { return shown_.value[c]; }),
                  magnitude(set_, k, [this](int c) { return shown_.error[c]; }));
      const double error = shown_.error[k], tolerance = tolerated(set_, k, shown_.now());
      double need = 0.0;
      if (error > tolerance) {
        const double ratio = error / tolerance;
        need = error <= rounding_of(shown_.value[k]) ? rounding_need : ratio * ratio;
      } else if (!believed(k)) {
        need = 2.0;
      }
      need_ = larger(need_, need);
    }
    shown_.there = true;
  }

  // Where squares of values leave the range of double precision, a run begins anew with all values multiplied by a unit. There is one
  // for all components: where they differ by more than that there is no success.
  double unit() const { return unit_; }
  bool out_of_range() const { return wanted_unit_ != unit_; }
  void take_unit() { unit_ = wanted_unit_; }
  void check_range(double value, double error) {
    if (out_of_range() || unit_ != 1.0) return;
    const bool over = !(error < infinity_value()), known = value > 1e140 && value < infinity_value();
    if (over || known || error < 1e-130) wanted_unit_ = square_unit(over && !known ? 0x1p520 : value);
  }

  // After show: is the run over?
  outcome judge() const {
    if (statistics_.evaluations < set_.mineval) return outcome::running;
    if ((constant_ || unseen_) && statistics_.evaluations < evaluations_to_trust()) return outcome::running;
    if (need_ == 0.0) return outcome::converged;
    if (constant_ && need_ == rounding_need) return outcome::roundoff;
    return outcome::running;
  }

  // Values of a component that are all equal say that a share of the domain is like them, and no more: of n of them that all but
  // -ln(1 - confidence) / n is. As much of the value is not known where it is not believed to be constant.
  void doubt_constant() {
    if (!shown_.there || statistics_.evaluations >= evaluations_to_trust()) return;
    const double unseen = -std::log1p(-set_.confidence) / static_cast<double>(statistics_.evaluations);
    for (int k = 0; k < set_.ncomp; ++k)
      if (shown_.error[k] <= rounding_of(shown_.value[k]))
        shown_.error[k] = std::fmin(unseen, 1.0) * fabs(shown_.value[k]);
  }

  // Errors in units of the tolerance, where there is none in units of the value; of the worst component.
  template <class Now>
  double distance(const Now &now) const {
    double worst = 0.0;
    for (int k = 0; k < set_.ncomp; ++k) {
      const double error = now(k).error, least = tolerated(set_, k, now);
      const double tolerance = least > 0.0 ? least : magnitude(set_, k, [&now](int c) { return now(c).value; });
      if (error > 0.0) worst = larger(worst, tolerance > 0.0 ? error / tolerance : infinity_value());
    }
    return worst;
  }
  // That of one sample: what a way of sampling is judged by.
  double merit(const sample_pool &pool) const {
    return distance([&](int k) -> value_and_error {
      return {volume_ * pool.value(k) / unit_, volume_ * std::sqrt(pool.variance(k) * pool.samples()) / unit_};
    });
  }

  // What a way of sampling promises: samples still to make for the tolerance, and the distance if all that there can be are made.
  struct forecast {
    double samples = infinity_value(), distance = infinity_value();
  };
  bool is_better(const forecast &a, const forecast &b, int64 affordable) const {
    const auto most = static_cast<double>(affordable);
    return a.samples <= most || b.samples <= most ? a.samples <= b.samples : a.distance <= b.distance;
  }
  forecast forecast_of_merit(double of_merit, int64 affordable) const {
    const double one = z_ * of_merit;
    return {need_ < infinity_value() ? one * one : infinity_value(), one / std::sqrt(static_cast<double>(affordable))};
  }
  double freedom(const sample_pool &pool) const {
    double least = infinity_value();
    for (int k = 0; k < set_.ncomp; ++k) least = std::fmin(least, pool.freedom(k));
    return least;
  }

  // The variance of the means is doubted as that of samples is: where one of them lies far off there are fewer degrees of freedom.
  // pool: of all samples, as if they were independent. Where few of them carry the integral, the means of the shifts are not normal, and
  // the larger of both errors is shown. Skewed means have a larger one as well, and what runs lack that stop because of it is made up for
  // in the value of one that stops.
  void show_shifts(const std::vector<compensated_sum> &totals, int64 shifts, int64 n, const sample_pool &pool) {
    begin_to_show();
    const double r = static_cast<double>(shifts), points = static_cast<double>(n),
                 student = confidence_factor(set_.confidence, z_, r - 1.0);
    std::vector<double> means(static_cast<std::size_t>(shifts)), plain(static_cast<std::size_t>(set_.ncomp));
    for (int k = 0; k < set_.ncomp; ++k) {
      const auto mean = [&](int64 shift) {
        return totals[static_cast<std::size_t>(shift * set_.ncomp + k)].value() / points / unit_;
      };
      const double first = mean(0);
      double sum = 0.0, squares = 0.0, least = 0.0, most = 0.0;
      for (int64 shift = 0; shift < shifts; ++shift) {
        const double d = means[static_cast<std::size_t>(shift)] = mean(shift) - first;
        sum += d;
        least = std::fmin(least, d);
        most = larger(most, d);
      }
      const double unit = square_unit(larger(most, -least));
      for (int64 shift = 0; shift < shifts; ++shift) {
        const double d = unit * (mean(shift) - first - sum / r);
        squares += d * d;
      }
      // A spread whose squares underflow must not look like none.
      if (most > least) squares = larger(squares, std::numeric_limits<double>::min());
      const double deviation = volume_ * (std::sqrt(squares / (r * (r - 1.0))) / unit);
      chi_square_[k] = 0.0;
      const double far = unit * larger(most - sum / r, sum / r - least);
      const double freedom = std::fmin(r - 1.0, 2.0 * squares * r / ((r - 1.0) * far * far));
      double error = deviation == 0.0 ? 0.0 : deviation * confidence_factor(set_.confidence, z_, larger(freedom, 1.0));
      const skewed_mean skewed = fabs(sum) < infinity_value() ? mean_of_skewed(means, z_, student) : skewed_mean();
      error = larger(error, volume_ * skewed.error);
      if (pool.freedom(k) < least_freedom)
        error = larger(error, volume_ * std::sqrt(pool.variance(k)) / unit_ *
                                  confidence_factor(set_.confidence, z_, pool.freedom(k)));
      plain[static_cast<std::size_t>(k)] = volume_ * (first + sum / r);
      show_component(k, volume_ * (first + sum / r + skewed.stopping), error * widening(pool, k));
    }
    for (int k = 0; k < set_.ncomp; ++k) heavy_tail_ = heavy_tail_ || has_tail(pool, k);
    end_to_show([&](int k) { return pool.freedom(k) >= least_freedom; });
    if (judge() != outcome::converged) std::copy(plain.begin(), plain.end(), shown_.value);
  }

  const sampling_settings set_;
  const double volume_;
  shown_result shown_;
  double *chi_square_ = nullptr;            // [ncomp]
  bool constant_ = false, unseen_ = false;  // no spread in any component; nothing but zeros in one
  bool blank_ = false;                      // nothing but zeros in all of them
  double need_ = 0.0;
  bool heavy_tail_ = false;  // few samples carry a component
  double unit_ = 1.0, wanted_unit_ = 1.0;
  sampling_statistics statistics_;

 private:
  static constexpr double rounding_need = 1e300;
  // When all samples were equal, as with a hidden peak. Of an integrand that was 0 everywhere nothing has been seen at all.
  static constexpr int64 evaluations_to_trust_nothing = int64{1} << 20;
  int64 evaluations_to_trust() const {
    return blank_ ? std::max(set_.constant_evaluations, evaluations_to_trust_nothing) : set_.constant_evaluations;
  }

  const double z_;
};

}  // namespace tessera
