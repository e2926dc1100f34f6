// What is said of an integral over one variable that did not end well.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "engine/quadrature/quadrature.hpp"
#include "shown_point.hpp"

namespace tessera {

inline std::string sentence_of(const integral_remark &r) {
  switch (r.kind) {
    case remark_kind::intervals:
      return std::to_string(most_intervals) + " intervals are not enough for the tolerance";
    case remark_kind::bad_point:
      return "the intervals at x = " + shown_number(r.x) +
             " cannot be divided any further; a singularity there needs a break point, a weight or TESSERA_COMPLEMENT";
    case remark_kind::overflow:
      return "the sums of the integrand overflow";
    case remark_kind::nonfinite:
      return "the integrand is NaN or infinite near x = " + shown_number(r.x);
    case remark_kind::nothing:
      break;
  }
  return {};
}

}  // namespace tessera
