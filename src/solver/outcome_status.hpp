// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <string>

#include "../engine/problem.hpp"
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

}  // namespace tessera
