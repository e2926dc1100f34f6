// tessera_evaluate: the integrand at points, on the host or on a device, without an integral.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "run.hpp"

using tessera::failure;

int tessera_solver::evaluate(std::int64_t n, const double *x, double *f) {
  if (n < 0) throw failure(TESSERA_ERR_ARGUMENT, "n = " + std::to_string(n) + " is negative");
  if (n > 0 && (!x || !f)) throw failure(TESSERA_ERR_ARGUMENT, x ? "f is NULL" : "x is NULL");
  const int wanted = static_cast<int>(options_.get_int(TESSERA_DEVICE));
  require_form(wanted);
  for (const int key : {TESSERA_COMPLEMENT, TESSERA_WEIGHTS})
    if (options_.get_int(key) != 0)
      throw failure(TESSERA_ERR_UNSUPPORTED,
                    std::string(tessera::find_key(key)->name) + " is for integrals: here a point is its coordinates");
  constexpr auto most = static_cast<std::int64_t>(PTRDIFF_MAX / sizeof(double));
  if (n > most / std::max(ndim_, ncomp_))
    throw failure(TESSERA_ERR_ARGUMENT,
                  "n = " + std::to_string(n) + ": the arrays would be larger than the memory can be");
  if (n == 0) return TESSERA_OK;
  forget_failed_device();
  int device = wanted == tessera::any_device ? device_if_any() : wanted;
  tessera::quadrature_problem problem;  // a method that asks for nothing but values at points
  problem.settings.ndim = ndim_;
  problem.settings.ncomp = ncomp_;
  problem.settings.complex_values = options_.get_int(TESSERA_COMPLEX) != 0;
  problem.integrand = {batch_, point_, userdata_ ? userdata_ : params()};
  problem.batch_points = options_.get_int(TESSERA_BATCH_POINTS);
  until_ = {};
  std::string stopped;
  try {
    device_or_host(
        device,
        [&] {
          reach_device([&] {
            tessera::place &there = place_on(device);
            tessera::device_integrand integrand = device_integrand(false);
            integrand.source.domain.clear();
            stopped = there.evaluate(problem, integrand, n, x, f);
          });
          if (stopped.empty()) check_values(problem, n, x, f);
        },
        [&] {
          use_host_form(problem.integrand, problem.threads, ndim_,
                        [&] { check_fallback(problem, some_of(n, x), params()); });
          stopped = place_here().evaluate(problem, {}, n, x, f);
        });
  } catch (const failure &why) {
    refuse_twin_and_throw(why);
  }
  if (!stopped.empty()) throw failure(TESSERA_ERR_CALLBACK, stopped);
  return TESSERA_OK;
}
