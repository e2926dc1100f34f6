// The fuzzers' integrands: smooth, peaked, zero, not finite, huge, tiny, refusing, throwing, calling back. Each looks at the points it is given.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "tessera.h"

namespace fuzz {

enum class manner : int {
  smooth,
  smooth2,
  smooth3,
  peak,
  kink,
  zero,
  one,
  huge,
  tiny,
  overflow,
  nan,
  some_nan,
  infinite,
  stops,
  stops_later,
  throws,
  throws_later,
  leaves_out,
  calls_back,
  manners
};

struct integrand {
  manner how = manner::smooth;
  tessera_solver *solver = nullptr;  // for those that call back
  std::vector<double> lower, upper;  // between which points must lie, not on them; empty: anything may come
  std::atomic<std::int64_t> points{0};
  std::atomic<int> outside{0}, let_in{0};
  std::atomic<int> axis_outside{0};  // of the first
  std::atomic<double> value_outside{0.0};

  void begin() { points = 0; }

  void look(int ndim, const double *x, std::int64_t stride) {
    for (std::size_t j = 0; j < lower.size() && j < static_cast<std::size_t>(ndim); ++j) {
      const double v = x[static_cast<std::int64_t>(j) * stride], a = std::fmin(lower[j], upper[j]),
                   b = std::fmax(lower[j], upper[j]);
      // Between subnormal limits points may be on them.
      if ((v > a && v < b) || (b - a < DBL_MIN && v >= a && v <= b) || outside != 0) continue;
      axis_outside = static_cast<int>(j);
      value_outside = v;
      outside = 1;
    }
  }

  // One component at one point.
  double value(int ndim, int k, const double *x, std::int64_t stride) {
    double s = 0.0;
    for (int j = 0; j < ndim; ++j) s += x[j * stride];
    switch (how) {
      case manner::peak:
        return 1.0 / (1e-6 + (s - 0.3) * (s - 0.3));
      case manner::kink:
        return std::fabs(s - 0.7 - k);
      case manner::zero:
        return 0.0;
      case manner::one:
        return 1.0;
      case manner::huge:
        return 1e300 * (1.0 + std::sin(s));
      case manner::tiny:
        return 1e-310 * (1.0 + std::cos(s));
      case manner::overflow:
        return 1.7e308 * (s < 0.5 ? 1 : -1);
      case manner::nan:
        return NAN;
      case manner::some_nan:
        return std::fmod(std::fabs(s) * 1000.0, 7.0) < 0.2 ? NAN : s;
      case manner::infinite:
        return s > 0.9 ? INFINITY : s;
      default:
        return std::exp(-std::fabs(s) / (1.0 + k)) + 0.1 * k;
    }
  }

  int before(std::int64_t n) {
    const std::int64_t seen = points += n;
    if (how == manner::stops || (how == manner::stops_later && seen > 400)) return 17;
    if (how == manner::throws || (how == manner::throws_later && seen > 400))
      throw std::runtime_error("of the integrand's own");
    if (how == manner::calls_back && solver) {  // all of these are refused
      double v = 0.0;
      std::int64_t i = 0;
      if (tessera_set_int(solver, TESSERA_MAXEVAL, 10) != TESSERA_ERR_BUSY ||
          tessera_integrate(solver, 1, &v, &v) != TESSERA_ERR_BUSY ||
          tessera_get_regions(solver, 0, 0, nullptr, &i) != TESSERA_ERR_BUSY ||
          tessera_reset(solver) != TESSERA_ERR_BUSY)
        let_in = 1;
      tessera_destroy(solver);
    }
    return 0;
  }
};

inline int at_point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  auto *self = static_cast<integrand *>(userdata);
  integrand plain;
  if (!self) self = &plain;
  if (const int status = self->before(1)) return status;
  self->look(ndim, x, 1);
  for (int k = 0; k < ncomp; ++k)
    if (self->how != manner::leaves_out || k != ncomp - 1) f[k] = self->value(ndim, k, x, 1);
  return 0;
}

inline int at_points(std::int64_t n, int ndim, const double *x, std::int64_t ldx, int ncomp, double *f,
                     std::int64_t ldf, void *userdata) {
  auto *self = static_cast<integrand *>(userdata);
  integrand plain;
  if (!self) self = &plain;
  if (const int status = self->before(n)) return status;
  for (std::int64_t i = 0; i < n; ++i) {
    self->look(ndim, x + i, ldx);
    for (int k = 0; k < ncomp; ++k)
      if (self->how != manner::leaves_out || i != n / 2) f[k * ldf + i] = self->value(ndim, k, x + i, ldx);
  }
  return 0;
}

// With a parameter block, or nothing, in the place of userdata.
inline int with_block(int ndim, const double *x, int ncomp, double *f, void *) {
  return at_point(ndim, x, ncomp, f, nullptr);
}
inline int with_block_points(std::int64_t n, int ndim, const double *x, std::int64_t ldx, int ncomp, double *f,
                             std::int64_t ldf, void *) {
  return at_points(n, ndim, x, ldx, ncomp, f, ldf, nullptr);
}

}  // namespace fuzz
