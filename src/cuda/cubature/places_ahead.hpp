// The integrand at the usual places of a look for modes (engine/cubature/usual_places.hpp), by a kernel that waits behind the steps: where they have come to the tolerance, so that the run
// is going to ask, it is at work while the host hears of their end. Where they have not it does nothing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "../../engine/cubature/mode_search.hpp"
#include "../device/driver.hpp"
#include "../device/user_calls.hpp"
#include "device_problem.hpp"
#include "kernel.hpp"

namespace tessera {

class places_ahead {
 public:
  // For a run with that search, whose values are those of the integrand in so many components. All of it stays where it is until end().
  void begin(mode_search &modes, int ncomp, const loaded_kernel &kernel, CUdeviceptr params, CUstream stream);
  // Nothing of it is on its way any more.
  void end();

  // Before steps are started: when they are to ask. They write to `wanted`, on the device.
  asked_ahead ask(CUdeviceptr wanted);
  // Behind those that have been started.
  void start();
  // What the steps have come to.
  void tell(outcome end, int64 evaluations, int64 most) {
    is_coming_ = modes_ && is_asked_for(asked_, end, evaluations, most);
  }
  // The values[ncomp][n] at points x[ndim][n], if it is these that have been asked for and all are numbers.
  bool take(int64 n, const double *x, double *values);

 private:
  // Behind the points.
  double *values_there() const { return memory_.numbers() + x_.size(); }

  mode_search *modes_ = nullptr;
  int ncomp_ = 0;
  const loaded_kernel *kernel_ = nullptr;
  CUdeviceptr params_ = 0;
  CUstream stream_ = nullptr;
  places_to_look_at next_ = {};
  asked_ahead asked_ = {};
  std::vector<double> x_;  // on the device they may become the user's
  point_memory memory_;
  const int *said_ = nullptr;
  bool is_coming_ = false;
};

}  // namespace tessera
