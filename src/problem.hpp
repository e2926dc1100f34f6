// What a place is given, and what it gives back: problems and results of the methods.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "core/rule.hpp"
#include "engine/hooks.hpp"
#include "engine/cubature/region_record.hpp"
#include "engine/lattice/lattice_state.hpp"
#include "engine/montecarlo/sampling_state.hpp"
#include "integrand.hpp"

namespace tessera {

struct cubature_problem {
  cubature_settings settings;
  rule integration_rule = {};
  std::vector<double> lower, upper;  // finite box that is divided
  std::vector<axis_map> axes;        // from there to the user's coordinates
  host_integrand integrand;
  bool worst_first = true;
  int threads = 1;
  int64 batch_points = 1;

  int coordinates() const { return settings.ndim; }  // numbers that a point consists of
};

inline bool any_infinite(const std::vector<axis_map> &axes) {
  for (const axis_map &a : axes)
    if (a.kind != axis_finite) return true;
  return false;
}

// What every run gives back.
struct run_result {
  outcome end = outcome::running;
  bool has_value = false;   // value and error were set
  int callback_status = 0;  // non-zero return of the integrand
  std::string message;      // about the integrand's failure, where there is one
};

struct cubature_result : run_result {
  cubature_statistics statistics;
};

struct lattice_problem {
  lattice_settings settings;
  lattice_vector vector, trial;  // trial: for the choice of a change of variables
  std::vector<unit_axis> axes;
  double volume = 1.0;           // of the finite axes
  host_integrand integrand;
  bool complement = false;       // coordinates are followed by their distances from the upper limits
  int threads = 1;
  int64 batch_points = 1;

  int coordinates() const { return settings.ndim * (complement ? 2 : 1); }
};

struct sampling_problem {
  sampling_settings settings;
  std::vector<sample_axis> axes;
  double volume = 1.0;  // of the finite axes
  host_integrand integrand;
  int threads = 1;
  int64 batch_points = 1;
  std::vector<double> *record = nullptr;  // of VEGAS: to go on from, unless empty, and where the run stands

  int coordinates() const { return settings.ndim; }
};

struct lattice_result : run_result {
  lattice_statistics statistics;
  int64 bytes = 0;
};

struct sampling_result : run_result {
  sampling_statistics statistics;
};

// What is said of a value that is not finite. Components count from 0, x[ndim] are the user's coordinates.
inline std::string nonfinite_message(int component, double value, const double *x, int ndim) {
  char text[64];
  std::snprintf(text, sizeof text, "component %d of the integrand is %g at x = (", component + 1, value);
  std::string message = text;
  for (int j = 0; j < ndim; ++j) {
    std::snprintf(text, sizeof text, "%s%.17g", j ? ", " : "", x[j]);
    message += text;
  }
  return message + ")";
}

}  // namespace tessera
