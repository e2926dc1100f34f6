// The C interface of extrapolation: checks, and the choice of the method.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <new>

#include "../extrapolate.hpp"
#include "tessera.h"

namespace {

bool all_finite(std::int64_t n, const double *v) {
  for (std::int64_t i = 0; i < n; ++i)
    if (!std::isfinite(v[i])) return false;
  return true;
}

// Distinct and towards 0, on one side of it.
bool goes_to_zero(std::int64_t n, const double *h) {
  for (std::int64_t i = 0; i < n; ++i)
    if (h[i] == 0.0 || (i > 0 && !(std::fabs(h[i]) < std::fabs(h[i - 1]) && (h[i] > 0.0) == (h[0] > 0.0))))
      return false;
  return true;
}

}  // namespace

extern "C" int tessera_extrapolate(int method, std::int64_t n, const double *parameter, const double *sequence,
                                   double *limit, double *error) try {
  if (method < TESSERA_EXTRAPOLATE_EPSILON || method > TESSERA_EXTRAPOLATE_LEVIN) return TESSERA_ERR_ARGUMENT;
  if (n < 1 || !sequence || !limit || !error || !all_finite(n, sequence)) return TESSERA_ERR_ARGUMENT;
  const bool richardson = method == TESSERA_EXTRAPOLATE_RICHARDSON;
  if (richardson != (parameter != nullptr)) return TESSERA_ERR_ARGUMENT;
  if (richardson && !(all_finite(n, parameter) && goes_to_zero(n, parameter))) return TESSERA_ERR_ARGUMENT;
  const tessera::sequence_limit found =
      tessera::limit_of_sequence(static_cast<tessera::extrapolation>(method), parameter, sequence, n);
  const bool sound = tessera::is_sound(found);
  *limit = sound ? found.value : sequence[n - 1];
  *error = sound ? found.error : tessera::infinity_value();
  return sound ? TESSERA_OK : TESSERA_NONFINITE;
} catch (const std::bad_alloc &) {
  return TESSERA_ERR_MEMORY;
}
