// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "../problem.hpp"
#include "tessera.h"

namespace tessera {

inline int status_of(outcome o) {
  switch (o) {
    case outcome::converged:
      return TESSERA_OK;
    case outcome::evaluations:
      return TESSERA_LIMIT_EVALUATIONS;
    case outcome::memory:
      return TESSERA_LIMIT_MEMORY;
    case outcome::time:
      return TESSERA_LIMIT_TIME;
    case outcome::roundoff:
      return TESSERA_ROUNDOFF;
    case outcome::stopped:
      return TESSERA_STOPPED;
    case outcome::callback:
      return TESSERA_CALLBACK_STOPPED;
    case outcome::nonfinite:
      return TESSERA_NONFINITE;
    case outcome::all_zero:
      return TESSERA_ALL_ZERO;
    case outcome::slow:
      return TESSERA_SLOW_CONVERGENCE;
    case outcome::divergent:
      return TESSERA_DIVERGENT;
    case outcome::heavy_tail:
      return TESSERA_HEAVY_TAIL;
    case outcome::running:
      break;
  }
  return TESSERA_ERR_INTERNAL;
}

// A success that is none, whatever the method: there is a number that is not finite. value[n], error[n].
inline void doubt_success(outcome &end, std::string &message, int n, const double *value, const double *error) {
  if (end != outcome::converged) return;
  for (int k = 0; k < n; ++k) {
    if (std::isfinite(value[k]) && std::isfinite(error[k])) continue;
    end = outcome::nonfinite;
    message = std::string(std::isfinite(value[k]) ? "the error" : "the value") + " of component " +
              std::to_string(k + 1) + " is beyond the range of double precision";
    return;
  }
}

// Points that count as 0 although the integrand is not finite there (TESSERA_NONFINITE_ZERO) stand for a share of the integral of which
// a sampling method knows nothing: each for hole_size times what a point has on average.
inline void charge_zeroed(outcome &end, std::string &message, int64 zeroed, double share, const run_settings &asked,
                          double *value, double *error) {
  if (share == 0.0) return;
  if (share >= 1.0) {
    std::fill_n(value, asked.ncomp, nan_value());
    std::fill_n(error, asked.ncomp, infinity_value());
    end = outcome::nonfinite;
    message = "the integrand is not finite at any point";
    return;
  }
  for (int k = 0; k < asked.ncomp; ++k) error[k] += hole_size * share * (std::fabs(value[k]) + error[k]);
  const value_and_error_arrays now = {value, error};
  for (int k = 0; k < asked.ncomp; ++k) {
    if (end != outcome::converged || error[k] <= tolerated(asked, k, now)) continue;
    end = outcome::nonfinite;
    message = "at " + std::to_string(zeroed) +
              " points the integrand is NaN or infinite; what they may stand for is more than is tolerated";
  }
}

}  // namespace tessera
