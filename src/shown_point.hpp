// Numbers and points in messages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace tessera {

// With all its digits.
inline std::string shown_number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", v);
  return text;
}
// "x = (0.5, 0.25)"; coordinate j is x[j*apart].
inline std::string shown_point(const double *x, int ndim, std::ptrdiff_t apart = 1) {
  std::string text = "x = (";
  for (int j = 0; j < ndim; ++j) text += (j > 0 ? ", " : "") + shown_number(x[j * apart]);
  return text + ")";
}

// What is said of a value that is not finite. Components count from 0, x[ndim] are the user's coordinates.
inline std::string nonfinite_message(int component, double value, const double *x, int ndim) {
  char text[64];
  std::snprintf(text, sizeof text, "component %d of the integrand is %g at ", component + 1, value);
  return text + shown_point(x, ndim);
}

}  // namespace tessera
