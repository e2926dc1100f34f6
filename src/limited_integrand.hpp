// Limits of an axis that depend on the coordinates before it, and simplices: the integrand over such a domain as one over a box.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

#include "core/limited_axis.hpp"
#include "domain_shape.hpp"
#include "integrand.hpp"

namespace tessera {

// Limits between which nobody can integrate; the run ends with this sentence.
class impossible_limits : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// That of an axis whose limits are numbers: it leaves a coordinate as it is.
inline axis_extent axis_as_it_is() { return {0.0, 1.0, -infinity_value(), infinity_value()}; }

// The function of the user with coordinate j of an axis with limits from lower + (upper - lower) t, t in (0, 1), times the length of the
// axis; or at the point of a simplex, times the Jacobian. As often at a time as the function itself allows.
class limited_integrand {
 public:
  // shape: that of a problem, which stays where it is.
  explicit limited_integrand(const domain_shape &shape, void *params = nullptr) : shape_(shape) {
    user_.params = params;
  }
  limited_integrand(const limited_integrand &) = delete;
  limited_integrand &operator=(const limited_integrand &) = delete;

  // Serves until the next call, as long as this object stays where it is.
  host_integrand of(const host_integrand &user);

  // The parameter block of limits that are text.
  void use_params(void *params) { user_.params = params; }

  // From the box to the user's coordinates, in place. Returns the lengths of the axes multiplied, 0 where some limits are equal, or the
  // Jacobian; status: that of a function of the user which was not 0. spare[ndim]: to work with. Throws impossible_limits.
  double map(double *x, double *spare, int &status) const;
  // The first `axes` of the coordinates alone, where the limits are functions; returns the lengths of these axes multiplied.
  double map_first(int axes, double *x, int &status) const;
  // Axis j at the user's coordinates in front of it.
  axis_extent extent(int j, const double *x, int &status) const;

 private:
  static int call_point(int ndim, const double *x, int ncomp, double *f, void *self);
  static int call_batch(int64 n, int ndim, const double *x, int64 ldx, int ncomp, double *f, int64 ldf, void *self);

  const domain_shape &shape_;
  host_integrand user_;
};

// A point of the box, to be shown, in the user's coordinates; shape: null where there is none, params: the parameter block of limits that are
// text. Of limits that fail now it stays as it is.
void show_in_domain(const domain_shape *shape, void *params, double *x);

}  // namespace tessera
