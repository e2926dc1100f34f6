// What a quadrature in one variable is asked for and what it answers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../problem.hpp"
#include "range_map.hpp"

namespace tessera {

enum class quadrature_weight : int {  // enum tessera_weight
  none = 0,
  cosine = 1,
  sine = 2,
  ends = 3,
  ends_log_lower = 4,
  ends_log_upper = 5,
  ends_log_both = 6,
  pole = 7
};

enum class quadrature_rule : int { automatic, kronrod, double_exponential };

struct axis_rule {
  quadrature_rule rule = quadrature_rule::automatic;
  int pairs = 10;  // of the Gauss-Kronrod rule
};

struct quadrature_settings : run_settings, axis_rule {
  quadrature_weight weight = quadrature_weight::none;
  double omega = 1.0, alpha = 0.0, beta = 0.0, pole = 0.0;
  int complement = 0;           // TESSERA_COMPLEMENT
  bool zero_nonfinite = false;  // values that are not finite count as 0
  // Without a weight success is claimed where no interval is longer than one of so many equal ones.
  int64 least_intervals = 1;
  bool seeks_modes = false;  // before success is claimed, without a weight (mode_look.hpp)
  bool strict = false;       // no more than maxeval evaluations, not even for a first value

  TESSERA_HD bool is_oscillating() const {
    return weight == quadrature_weight::cosine || weight == quadrature_weight::sine;
  }
  TESSERA_HD bool has_ends() const {
    return weight >= quadrature_weight::ends && weight <= quadrature_weight::ends_log_both;
  }
  TESSERA_HD bool lower_log() const {
    return weight == quadrature_weight::ends_log_lower || weight == quadrature_weight::ends_log_both;
  }
  TESSERA_HD bool upper_log() const {
    return weight == quadrature_weight::ends_log_upper || weight == quadrature_weight::ends_log_both;
  }
};

struct quadrature_statistics {
  int64 evaluations = 0, intervals = 0, steps = 0, bytes = 0, zeroed = 0;
  bool exponential = false;  // the value is that of a double-exponential rule
};

constexpr int most_intervals = 1 << 16;  // of one component

// Why an integral ended, for a sentence.
enum class remark_kind : int { nothing, intervals, bad_point, overflow, nonfinite };
struct integral_remark {
  remark_kind kind = remark_kind::nothing;
  double x = 0.0;  // the bad point
};

// The user's limits, ascending, and the break points between them, ascending, which are the caller's.
struct quadrature_range {
  double lower = 0.0, upper = 1.0;
  double first = 0.0, last = 1.0;  // numbers next to them
  const double *breaks = nullptr;
  int count = 0;  // of break points

  TESSERA_HD bool is_infinite() const { return fabs(lower) == infinity_value() || fabs(upper) == infinity_value(); }
  // Sums of two coordinates may overflow.
  TESSERA_HD bool is_huge() const { return is_beyond(lower) || is_beyond(upper); }

 private:
  TESSERA_HD static bool is_beyond(double v) { return fabs(v) > 4e307 && fabs(v) < infinity_value(); }
};

}  // namespace tessera
