// Solvers with their memory on the device and their kernels, which a thread keeps for its next call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera.h>

namespace dropin {

struct kept_device_solver;

class device_solver {
 public:
  // As the last call left it. An integrand that calls a drop-in itself gets another one.
  device_solver(int ndim, int ncomp);
  ~device_solver();
  device_solver(const device_solver &) = delete;
  device_solver &operator=(const device_solver &) = delete;
  tessera_solver *get() const;  // NULL when there is none

 private:
  kept_device_solver *kept_;
};

}  // namespace dropin
