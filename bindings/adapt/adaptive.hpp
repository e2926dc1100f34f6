// The adaptive algorithm of ADAPT on one thread: the sequence of decisions of the original, with its way of counting.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera_adapt.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../common/settings.hpp"
#include "regions.hpp"
#include "rule.hpp"

namespace adapt {

using integer = tessera_adapt_int;
using function = tessera_adapt_functn;

// The user's function, and the point that it is shown. A value that is not finite is remembered with its point.
class integrand {
 public:
  integrand(function f, int ndim) : function_(f), ndim_(ndim), z_(static_cast<std::size_t>(ndim)) {}

  int ndim() const { return ndim_; }
  double *z() { return z_.data(); }
  double operator()() {
    integer n = ndim_;  // whatever the user does with it
    const double value = function_(&n, z_.data());
    if (!(std::fabs(value) <= std::numeric_limits<double>::max()) && failure_.empty()) remember(value);
    return value;
  }
  // Whether to go on: every value was finite, and nobody has cancelled the run.
  bool good() const { return failure_.empty() && !watch_.cancelled(); }
  // About the first value that was not finite, "" if all were.
  const std::string &failure() const { return failure_; }

 private:
  void remember(double value);

  function function_;
  const int ndim_;
  std::vector<double> z_;
  std::string failure_;
  dropin::cancel_watch watch_;
};

struct limits {
  int64 mincls, maxcls;  // mincls < 0: go on from the list
  double absreq, relreq;
  int64 room;  // regions in the list
};

enum class ending { converged, maxcls, interrupted };

struct result {
  ending end;
  int64 calls;          // as the original counts them
  double value, error;  // of the last complete step; NaN and infinite if there was none
};

result integrate(const rule &rule, const limits &limits, integrand &f, region_list &list);

}  // namespace adapt
