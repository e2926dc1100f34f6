// Integrals over one variable by calling the user's host function: one, or many side by side.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <vector>

#include "../quadrature_integral.hpp"
#include "../first_failure.hpp"
#include "method.hpp"
#include "quadrature_calls.hpp"
#include "quadrature_many.hpp"

namespace tessera {
namespace {

class host_quadrature final : public host_method {
 public:
  void run(const problem &p, thread_pool &, run_hooks &hooks, double *value, double *error,
           run_result &result) override {
    const auto &q = static_cast<const quadrature_problem &>(p);
    auto &r = static_cast<quadrature_result &>(result);
    quadrature_settings settings = q.settings;
    integral_.begin(settings, q.range, q.shape, q.integrand.params);
    calls_.start(q, q.integrand, hooks);
    first_failure failure;
    failure.watch(0, [&] { run_integral(integral_, calls_, settings, hooks); });
    if (failure.what() != outcome::running) {
      integral_.stop(failure.what());
      r.message = failure.message();
    }
    r.end = integral_.end();
    r.has_value = integral_.has_value();
    r.callback_status = calls_.status();
    r.statistics = integral_.statistics();
    r.zeroed = r.statistics.zeroed;
    if (r.message.empty()) r.message = calls_.message().empty() ? integral_.message() : calls_.message();
    std::copy_n(integral_.value(), q.ncomp(), value);
    std::copy_n(integral_.error(), q.ncomp(), error);
  }
  memory_needs needs(const problem &p, int) const override {
    return {static_cast<int64>(sizeof(quadrature_integral)) + 16384 + 1024 * p.ncomp(), 0};
  }
  bool runs_many() const override { return true; }
  many_results run_many(const many_problem &problem, thread_pool &pool, many_hooks &watch, double *value,
                        double *error) override {
    return quadrature_many(problem, pool, watch, value, error);
  }

 private:
  quadrature_integral integral_;
  quadrature_calls calls_;
};

}  // namespace

std::unique_ptr<host_method> make_host_quadrature() { return std::make_unique<host_quadrature>(); }

}  // namespace tessera
