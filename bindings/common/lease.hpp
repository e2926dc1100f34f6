// A solver for the time of one call. Each thread keeps a few between calls, so that a program that calls thousands of times
// pays for rules, tables and memory once. An integrand that calls a drop-in itself gets another one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera.h>

#include <cstdint>

namespace dropin {

struct kept_solver;

class lease {
 public:
  lease(int ndim, int ncomp);
  ~lease();
  lease(const lease &) = delete;
  lease &operator=(const lease &) = delete;

  // With all options at their defaults when the lease begins. NULL when there is no memory for one.
  tessera_solver *solver() const;
  int set_int(int key, std::int64_t value);
  int set_real(int key, double value);

 private:
  kept_solver *kept_;
};

}  // namespace dropin
