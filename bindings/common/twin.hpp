// The way of a call to a device: the twin of the user's function, if there is one and all is well (docs/twins.md).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <tessera.h>

#include "twin_remark.hpp"

namespace dropin {

struct twin_problem {
  const char *routine;       // what messages call the drop-in
  user_function function;    // as the user has handed it over
  tessera_integrand1 point;  // calls it, for the comparison
  void *userdata;            // of `point`
  const void *user_data;     // that the caller hands to the function, or NULL
  int ndim, ncomp;
  const double *lower, *upper;  // NULL: the unit cube
  std::int64_t mineval, maxeval;
  std::int64_t rule_points;  // about as many as the drop-in's rule has
  double abstol, reltol;     // not negative
  int method = TESSERA_CUBATURE;
  // Set the options of another method, and look at its statistics; called with the solver and `context`.
  void (*prepare)(tessera_solver *s, void *context) = nullptr;
  void (*finish)(tessera_solver *s, void *context) = nullptr;
  void *context = nullptr;
};

struct twin_end {
  int status;  // of tessera_integrate, not negative
  std::int64_t evaluations, regions;
  std::int64_t callback_status;  // what the text returned when it stopped the run
};

// False: run the host function, as if there were no twins; nothing has been written. True: value[ncomp] and error[ncomp] are
// the result, `end` how the run went.
//
// An adapter that keeps exceptions may have one in either case.
bool run_twin(const twin_problem &problem, double *value, double *error, twin_end &end);

}  // namespace dropin
