// DCUHRE's rules, which Cuhre has too. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera.h"

namespace dropin {

// Points of one region with n variables; `rule` is one of TESSERA_RULE_DEGREE7 .. 13.
inline std::int64_t rule_points(int rule, std::int64_t n) {
  switch (rule) {
    case TESSERA_RULE_DEGREE13:
      return 65;
    case TESSERA_RULE_DEGREE11:
      return 127;
    case TESSERA_RULE_DEGREE9:
      return 1 + 8 * n + 6 * n * (n - 1) + 4 * n * (n - 1) * (n - 2) / 3 + (std::int64_t{1} << n);
    default:
      return 1 + 6 * n + 2 * n * (n - 1) + (std::int64_t{1} << n);
  }
}

// The same with the robust estimate, which has a point near each face and two probes with several variables.
inline std::int64_t robust_rule_points(int rule, std::int64_t n) {
  return rule_points(rule, n) + (n < 2 ? 0 : 2 + 2 * n);
}

}  // namespace dropin
