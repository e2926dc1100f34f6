// Integrals with the weight cos or sin(omega x) from a to infinity: QAWF of QUADPACK (R. Piessens, E. de Doncker-Kapenga, C. W. Ueberhuber and
// D. K. Kahaner, 1983, section 3.4). Stretches of an odd number of half periods are integrated one after the other with tolerances
// that fall by a factor; the epsilon algorithm extrapolates the sums.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "epsilon_table.hpp"

namespace tessera {

enum class fourier_end {
  converged,
  limit,           // of stretches
  no_convergence,  // of the extrapolation
  bad_stretch,     // an integral over one was not what was asked for
  not_finite,
  stopped
};

template <class Real>
class fourier_run {
 public:
  // The modulus of the frequency is positive, the limit at least 3.
  TESSERA_HD fourier_run(Real lower, Real frequency, Real absolute, int64 limit)
      : absolute_(absolute), limit_(limit), lower_(lower) {
    constexpr Real pi = Real(3.14159265358979323846L);
    const Real w = fabs(frequency);
    // Greater frequencies have more half periods in a stretch, so that its length is about pi or more.
    const Real whole = w < Real(1e9) ? Real(static_cast<int64>(w)) : w;
    length_ = (Real(2) * whole + Real(1)) * pi / w;
    upper_ = length_ + lower;
    first_ = absolute > real_limits<Real>::least / (Real(1) - ratio) ? absolute * (Real(1) - ratio) : absolute;
    share_ = first_;
  }

  TESSERA_HD bool ended() const { return ended_; }
  TESSERA_HD fourier_end end() const {
    return end_ == fourier_end::converged && !(is_finite(value_) && is_finite(error_)) ? fourier_end::not_finite : end_;
  }
  TESSERA_HD Real value() const { return value_; }
  TESSERA_HD Real error() const { return error_; }
  TESSERA_HD int64 stretches() const { return told_; }

  // The next integral that is wanted, and to what absolute error.
  TESSERA_HD interval<Real> stretch() const { return {lower_, upper_}; }
  TESSERA_HD Real tolerance() const { return share_ * factor_; }

  // `good`: that integral has met its tolerance.
  TESSERA_HD void tell(Real value, Real error, bool good) {
    ++told_;
    factor_ *= ratio;
    sum_of_errors_ += error;
    const Real rest = Real(50) * fabs(value);
    if (sum_of_errors_ + rest <= absolute_ && told_ >= 6) {
      conclude_with_sum(rest);
      return;
    }
    largest_error_ = larger_of(largest_error_, error);
    if (!good) {
      share_ = larger_of(first_, largest_error_ * (Real(1) - ratio));
      end_ = fourier_end::bad_stretch;
    }
    if (end_ == fourier_end::bad_stretch && sum_of_errors_ + rest <= largest_error_ * Real(10) && told_ > 5) {
      conclude_with_sum(rest);
      return;
    }
    sum_ = told_ == 1 ? value : sum_ + value;
    table_.push(sum_);
    if (told_ > 2 && extrapolate(rest)) return;
    lower_ = upper_;
    upper_ += length_;
  }
  // Ends with what there is.
  TESSERA_HD void stop(fourier_end end) {
    end_ = end;
    value_ = sum_;
    error_ = sum_of_errors_;
    ended_ = true;
  }

 private:
  static constexpr Real ratio = Real(0.9);

  // True when that has ended the run.
  TESSERA_HD bool extrapolate(Real rest) {
    if (told_ == limit_) end_ = fourier_end::limit;
    const extrapolated<Real> x = table_.extrapolate();
    ++since_better_;
    if (since_better_ >= 15 && error_ <= Real(1e-3) * (sum_of_errors_ + rest)) end_ = fourier_end::no_convergence;
    const Real correction = Real(10) * largest_error_;
    if (x.error <= error_ || told_ == 3) {
      error_ = x.error;
      value_ = x.value;
      since_better_ = 0;
      if (error_ + correction <= absolute_ || (error_ <= absolute_ && correction >= absolute_)) {
        conclude_best(rest);
        return true;
      }
    }
    if (end_ == fourier_end::converged || end_ == fourier_end::bad_stretch) return false;
    conclude_best(rest);
    return true;
  }

  TESSERA_HD void conclude_best(Real rest) {
    error_ += Real(10) * largest_error_;
    ended_ = true;
    if (end_ == fourier_end::converged) return;
    const bool comparable = value_ != Real(0) && sum_ != Real(0);
    if (comparable ? error_ / fabs(value_) > (sum_of_errors_ + rest) / fabs(sum_)
                   : sum_ != Real(0) || error_ > sum_of_errors_)
      conclude_with_sum(rest);
    else if (comparable && end_ != fourier_end::bad_stretch)
      error_ += rest;
  }
  TESSERA_HD void conclude_with_sum(Real rest) {
    value_ = sum_;
    error_ = sum_of_errors_ + rest;
    ended_ = true;
  }

  const Real absolute_;
  const int64 limit_;
  Real lower_, upper_, length_, first_, share_;
  Real factor_ = 1, value_ = 0, error_ = 0, sum_ = 0, sum_of_errors_ = 0, largest_error_ = 0;
  epsilon_table<Real> table_;
  fourier_end end_ = fourier_end::converged;
  bool ended_ = false;
  int64 told_ = 0;
  int since_better_ = 0;
};

}  // namespace tessera
