// SPDX-License-Identifier: BSD-3-Clause
#include "quadrature_calls.hpp"

#include <algorithm>

namespace tessera {

outcome quadrature_calls::call(int64 n) {
  // What the integrand does not write must not pass for a value.
  for (int k = 0; k < ncomp_; ++k) std::fill_n(&f_values_[static_cast<std::size_t>(k * stride_)], n, nan_value());
  const int status = f_.batch ? watch_.each_batch(n, batch_points_,
                                                  [&](int64 i, int64 points) {
                                                    return f_.batch(points, ndim_, x_.data() + i, stride_, ncomp_,
                                                                    f_values_.data() + i, stride_, f_.userdata);
                                                  })
                              : call_points(n);
  if (watch_.end() != outcome::running) return watch_.end();
  if (status == 0) return outcome::running;
  status_ = status;
  message_ = "the integrand returned " + std::to_string(status);
  return outcome::callback;
}

int quadrature_calls::call_points(int64 n) {
  const bool watched = watch_.is_wanted();
  if (coordinates_ == 1 && ncomp_ == 1) {
    const point_function point = f_.point;
    void *const userdata = f_.userdata;
    const double *const x = x_.data();
    double *const f = f_values_.data();
    for (int64 i = 0; i < n; ++i) {
      const int status = point(1, x + i, 1, f + i, userdata);
      if (status != 0) return status;
      if (watched && !watch_.goes_on(1)) return step_watch::ended;
    }
    return 0;
  }
  for (int64 i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < point_.size(); ++j)
      point_[j] = x_[j * static_cast<std::size_t>(stride_) + static_cast<std::size_t>(i)];
    std::fill(component_.begin(), component_.end(), nan_value());
    const int status = f_.point(ndim_, point_.data(), ncomp_, component_.data(), f_.userdata);
    if (status != 0) return status;
    for (std::size_t k = 0; k < component_.size(); ++k)
      f_values_[k * static_cast<std::size_t>(stride_) + static_cast<std::size_t>(i)] = component_[k];
    if (watched && !watch_.goes_on(1)) return step_watch::ended;
  }
  return 0;
}

void run_integral(quadrature_integral &integral, quadrature_calls &calls, const quadrature_settings &s,
                  run_hooks &hooks) {
  const bool wanted = hooks.is_wanted();
  while (const int64 n = integral.wanted()) {
    if (n > s.maxeval - integral.statistics().evaluations && integral.can_stop())
      return integral.stop(outcome::evaluations);
    if (integral.statistics().bytes > s.memory && integral.can_stop()) return integral.stop(outcome::memory);
    calls.prepare(n);
    integral.write(calls.x(), calls.stride());
    const outcome end = calls.call(n);
    if (end != outcome::running) return integral.stop(end);
    integral.tell(calls.f(), calls.stride());
    if (!wanted || integral.wanted() == 0) continue;
    integral.show_running();
    const outcome now = hooks.between_steps(integral.statistics().evaluations, integral.value(), integral.error());
    if (now != outcome::running) return integral.stop(now);
  }
}

}  // namespace tessera
