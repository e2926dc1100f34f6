// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../engine/problem.hpp"
#include "tessera.h"

namespace tessera {

inline int status_of(outcome o) {
  switch (o) {
    case outcome::converged: return TESSERA_OK;
    case outcome::evaluations: return TESSERA_LIMIT_EVALUATIONS;
    case outcome::memory: return TESSERA_LIMIT_MEMORY;
    case outcome::time: return TESSERA_LIMIT_TIME;
    case outcome::roundoff: return TESSERA_ROUNDOFF;
    case outcome::stopped: return TESSERA_STOPPED;
    case outcome::callback: return TESSERA_CALLBACK_STOPPED;
    case outcome::nonfinite: return TESSERA_NONFINITE;
    case outcome::all_zero: return TESSERA_ALL_ZERO;
    case outcome::running: break;
  }
  return TESSERA_ERR_INTERNAL;
}

}  // namespace tessera
