// Limits of an axis that depend on the coordinates before it: the integrand over such a domain as one over a box.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <vector>

#include "integrand.hpp"

namespace tessera {

// Sets the limits of an axis from the coordinates x[0 ... axis-1]; same type as in tessera.h.
using limits_function = int (*)(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata);

struct axis_limits {
  limits_function function = nullptr;  // null: those of the domain
  void *userdata = nullptr;
};

// Limits between which nobody can integrate; the run ends with this sentence.
class impossible_limits : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The function of the user with coordinate j of an axis with limits from lower + (upper - lower) t, t in (0, 1), times the length of the
// axis. As often at a time as the function itself allows.
class limited_integrand {
 public:
  // limits[ndim]: those of a problem, which stay where they are.
  explicit limited_integrand(const std::vector<axis_limits> &limits) : limits_(limits) {}
  limited_integrand(const limited_integrand &) = delete;
  limited_integrand &operator=(const limited_integrand &) = delete;

  // Serves until the next call, as long as this object stays where it is.
  host_integrand of(const host_integrand &user);

  // From the box to the user's coordinates, in place. Returns the lengths of the axes multiplied, 0 where some limits are equal; status: that
  // of a function of the user which was not 0. Throws impossible_limits.
  double map(double *x, int &status) const;

 private:
  static int call_point(int ndim, const double *x, int ncomp, double *f, void *self);
  static int call_batch(int64 n, int ndim, const double *x, int64 ldx, int ncomp, double *f, int64 ldf, void *self);

  const std::vector<axis_limits> &limits_;
  host_integrand user_;
};

// A point of the box, to be shown, in the user's coordinates; limits: null where there are none. Of limits that fail now it stays as it is.
void show_in_domain(const std::vector<axis_limits> *limits, double *x);

}  // namespace tessera
