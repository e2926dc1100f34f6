// The host: the engine on threads.
// SPDX-License-Identifier: BSD-3-Clause
#include "../place.hpp"

#include "../engine/cubature/bulk.hpp"
#include "../engine/cubature/worst_first.hpp"
#include "evaluator.hpp"
#include "executor.hpp"
#include "lattice.hpp"
#include "many.hpp"
#include "pool.hpp"
#include "sampler.hpp"

namespace tessera {
namespace {

constexpr int look_ahead_per_thread = 4;
constexpr int64 little = int64{1} << 20;  // bytes that are not worth giving back

// Values of the integrand at n points, in calls of at most `most` points. Coordinate j of point i is x[j*n + i].
template <class Problem>
std::string call(const Problem &problem, int64 n, const double *x, double *f) {
  const host_integrand &integrand = problem.integrand;
  const int ndim = problem.settings.ndim, ncomp = problem.settings.ncomp, coordinates = problem.coordinates();
  int status = 0;
  try {
    if (integrand.batch) {
      for (int64 i = 0; i < n && status == 0; i += problem.batch_points)
        status = integrand.batch(std::min<int64>(problem.batch_points, n - i), ndim, x + i, n, ncomp, f + i, n, integrand.userdata);
    } else {
      std::vector<double> point(static_cast<std::size_t>(coordinates)), values(static_cast<std::size_t>(ncomp));
      for (int64 i = 0; i < n && status == 0; ++i) {
        for (int j = 0; j < coordinates; ++j) point[static_cast<std::size_t>(j)] = x[j * n + i];
        status = integrand.point(ndim, point.data(), ncomp, values.data(), integrand.userdata);
        for (int k = 0; k < ncomp; ++k) f[k * n + i] = values[static_cast<std::size_t>(k)];
      }
    }
  } catch (...) {
    return "the callback threw an exception";
  }
  return status != 0 ? "the callback returned " + std::to_string(status) : std::string();
}

class host_place final : public place {
 public:
  cubature_result cubature(const cubature_problem &problem, const device_integrand &, const given_regions &given, run_hooks &hooks,
                      double *value, double *error, device_report &) override {
    bulk_.reset();
    use_threads(problem.threads);
    evaluator_.start(problem, *pool_);
    const cubature_settings &set = problem.settings;
    cubature_result result;
    if (problem.worst_first) {
      if (!worst_first_) worst_first_ = std::make_unique<worst_first_driver>(*executor_, evaluator_, set.ndim, set.ncomp);
      const int ahead = problem.threads > 1 ? look_ahead_per_thread * problem.threads : 1;
      result.end = worst_first_->run(set, ahead, given, problem.lower.data(), problem.upper.data(), hooks, value, error);
      result.statistics = worst_first_->statistics();
    } else {
      worst_first_.reset();
      bulk_ = std::make_unique<bulk<host_executor>>(*executor_, set, evaluator_.points(), hooks);
      result.end = given.n > 0 ? bulk_->resume(given, problem.lower.data(), problem.upper.data(), value, error)
                               : bulk_->run(problem.lower.data(), problem.upper.data(), value, error);
      result.statistics = bulk_->statistics();
    }
    result.has_value = result.statistics.evaluations > 0;
    result.callback_status = evaluator_.callback_status();
    result.message = evaluator_.message();
    region_bytes_ = result.statistics.peak_bytes;
    result.statistics.peak_bytes += evaluator_.work_bytes();
    return result;
  }

  many_results cubature_many(const many_problem &problem, const device_integrand &, many_hooks &watch, double *value,
                             double *error, device_report &) override {
    return host_cubature_many(problem, watch, value, error);
  }
  lattice_result lattice(const lattice_problem &problem, const device_integrand &, run_hooks &hooks, double *value,
                         double *error, device_report &) override {
    use_threads(problem.threads);
    return host_lattice_rule(problem, *pool_, hooks, value, error);
  }
  sampling_result monte_carlo(const sampling_problem &problem, const device_integrand &, std::vector<double> &grid,
                              run_hooks &hooks, double *value, double *error, double *chi_square, device_report &) override {
    use_threads(problem.threads);
    return host_monte_carlo(problem, *pool_, grid, hooks, value, error, chi_square);
  }

  std::string evaluate(const cubature_problem &problem, const device_integrand &, int64 n, const double *x, double *f) override {
    return call(problem, n, x, f);
  }
  std::string evaluate(const lattice_problem &problem, const device_integrand &, int64 n, const double *x, double *f) override {
    return call(problem, n, x, f);
  }
  std::string evaluate(const sampling_problem &problem, const device_integrand &, int64 n, const double *x, double *f) override {
    return call(problem, n, x, f);
  }

  int64 regions() const override { return bulk_ ? bulk_->count() : worst_first_ ? worst_first_->count() : 0; }
  void read_regions(int64 first, int64 n, double *records) override {
    if (bulk_)
      bulk_->read(first, n, records);
    else
      worst_first_->read(first, n, records);
  }
  void release() override {
    if (region_bytes_ <= little) return;
    bulk_.reset();
    worst_first_.reset();
  }

 private:
  // The pool is kept from call to call.
  void use_threads(int threads) {
    if (pool_ && threads_ == threads) return;
    worst_first_.reset();
    bulk_.reset();
    executor_.reset();
    pool_.reset();
    pool_ = std::make_unique<thread_pool>(threads);
    executor_ = std::make_unique<host_executor>(*pool_, evaluator_);
    threads_ = threads;
  }

  using worst_first_driver = worst_first<host_executor, host_evaluator>;
  int threads_ = 0;
  int64 region_bytes_ = 0;
  host_evaluator evaluator_;
  std::unique_ptr<thread_pool> pool_;
  std::unique_ptr<host_executor> executor_;
  std::unique_ptr<worst_first_driver> worst_first_;  // one of the two
  std::unique_ptr<bulk<host_executor>> bulk_;
};

}  // namespace

std::unique_ptr<place> make_host_place() { return std::make_unique<host_place>(); }

}  // namespace tessera
