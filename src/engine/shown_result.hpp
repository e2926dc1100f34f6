// Value and error of a run as the caller sees them, with the look at the clock between its steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../core/hd.hpp"
#include "hooks.hpp"

namespace tessera {

// The power of two by which numbers are multiplied before they are squared, so that the squares neither over- nor underflow: 1 wherever
// that is not needed. `most`: the largest of their magnitudes.
inline double square_unit(double most) {
  constexpr double large = 1e140;
  if (!(most > 0.0 && most < infinity_value()) || (most < large && most > 1.0 / large)) return 1.0;
  return std::ldexp(1.0, -std::max(std::ilogb(most), -1000));
}

struct shown_result {
  shown_result(int ncomp, run_hooks &hooks) : ncomp_(ncomp), hooks_(hooks) {}

  void begin(double *v, double *e) {
    value = v;
    error = e;
  }
  // Returns running, time or stopped. As long as there is no value the hooks are shown that nothing is known.
  outcome look(int64 evaluations, bool within_step = false) const {
    if (there)
      return within_step ? hooks_.between_levels(evaluations, value, error)
                         : hooks_.between_steps(evaluations, value, error);
    const std::vector<double> zero(static_cast<std::size_t>(ncomp_), 0.0), unknown(zero.size(), infinity_value());
    return hooks_.between_steps(evaluations, zero.data(), unknown.data());
  }
  // No number, unless there is one.
  void make_unknown() {
    if (there) return;
    std::fill_n(value, ncomp_, nan_value());
    std::fill_n(error, ncomp_, infinity_value());
    there = true;
  }

  int64 evaluations_beside() const { return hooks_.evaluations_beside(); }
  void foresee(double evaluations) const {
    if (evaluations < 1e15) hooks_.foresee(static_cast<int64>(evaluations));
  }

  value_and_error_arrays now() const { return {value, error}; }

  double *value = nullptr, *error = nullptr;  // [ncomp]
  bool there = false;

 private:
  const int ncomp_;
  run_hooks &hooks_;
};

}  // namespace tessera
