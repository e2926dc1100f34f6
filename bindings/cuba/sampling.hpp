// Monte Carlo as Vegas, Suave and Divonne use it: runs of TESSERA_MONTECARLO with VEGAS.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "routine.hpp"

namespace cuba {

constexpr double one_deviation = 0.682689492137086;  // probability within one standard deviation
// One standard deviation at the tolerance would be a wrong answer in one of three cases: Vegas and Suave go on to 0.6 of it.
constexpr double strictness_of_one_deviation = 0.6;
constexpr int most_sampled_ndim = 1024;
constexpr int64 most_batch = 1 << 14;

struct sampling {
  int64 points = 1000, increase = 0, batch = most_batch;
  int64 mineval = 0, maxeval = 0;
  int seed = 0;
  double confidence = one_deviation;
  double strictness = 1.0;        // share of the tolerance at which a run ends
  std::vector<double> grid = {};  // to begin with, empty: uniform; and that of the last iteration
  bool trained = false;           // `grid` comes from an earlier run
  int64 done = 0;                 // evaluations of the state to go on from, which count towards maxeval
  bool anew =
      false;  // found: there was none, or it does not go with this run, which has made maxeval - done evaluations
  bool in_parts = false;  // no file; `state`, unless empty, is that to go on from; it becomes that of the run
  std::vector<double> state = {};
  bool may_leave = true;  // for a device, where there is a twin
};

// True: the integrand has a twin, and the result is that of a device.
template <class Arguments>
bool sample_on_device(const Arguments &a, sampling &how, adapter<Arguments> &user, results &r);

// Points, values and the statistics of a run go to `r`; `form` calls the integrand.
template <class Arguments>
void sample(const Arguments &a, sampling &how, adapter<Arguments> &user, const dropin::host_form &form, results &r);

}  // namespace cuba
