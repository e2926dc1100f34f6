// The host: the engine on threads.
// SPDX-License-Identifier: BSD-3-Clause
#include "../place.hpp"

#include <algorithm>
#include <array>

#include "construct.hpp"
#include "many.hpp"
#include "../memory.hpp"
#include "method.hpp"

namespace tessera {
namespace {

class host_place final : public place {
 public:
  ~host_place() override { leave_behind(); }

  void run(const problem &problem, const device_integrand &, run_hooks &hooks, double *value, double *error,
           run_result &result, device_report &) override {
    if (!use_threads_within(problem, result)) return;
    method_of(problem.method).run(problem, *pool_, hooks, value, error, result);
    result.threads = pool_->size();
    if (problem.memory_is_given && result.end == outcome::memory && !result.has_value && result.message.empty())
      result.message =
          "TESSERA_MAX_MEMORY: " + std::to_string(problem.asked().memory) + " bytes are too few for a value";
  }

  many_results run_many(const many_problem &problem, const device_integrand &, many_hooks &watch, double *value,
                        double *error, device_report &) override {
    host_method &m = method_of(problem.common->method);
    if (!m.runs_many()) return host_many(problem, watch, value, error);
    use_threads(problem.common->threads);
    many_results results = method_of(problem.common->method).run_many(problem, *pool_, watch, value, error);
    results.threads = pool_->size();
    return results;
  }

  // In calls of at most batch_points points.
  std::string evaluate(const problem &problem, const device_integrand &, int64 n, const double *x, double *f) override {
    const host_integrand &integrand = problem.integrand;
    const int ndim = problem.ndim(), ncomp = problem.ncomp(), coordinates = problem.coordinates();
    int status = 0;
    std::fill_n(f, n * ncomp, nan_value());  // what the integrand does not write must not pass for a value
    try {
      if (integrand.batch) {
        for (int64 i = 0; i < n && status == 0; i += problem.batch_points)
          status = integrand.batch(std::min<int64>(problem.batch_points, n - i), ndim, x + i, n, ncomp, f + i, n,
                                   integrand.userdata);
      } else {
        std::vector<double> point(static_cast<std::size_t>(coordinates)), values(static_cast<std::size_t>(ncomp));
        for (int64 i = 0; i < n && status == 0; ++i) {
          for (int j = 0; j < coordinates; ++j) point[static_cast<std::size_t>(j)] = x[j * n + i];
          std::fill(values.begin(), values.end(), nan_value());
          status = integrand.point(ndim, point.data(), ncomp, values.data(), integrand.userdata);
          for (int k = 0; k < ncomp; ++k) f[k * n + i] = values[static_cast<std::size_t>(k)];
        }
      }
    } catch (const impossible_limits &e) {
      return e.what();
    } catch (...) {
      return "the callback threw an exception";
    }
    return status != 0 ? "the callback returned " + std::to_string(status) : std::string();
  }

  bool construct(const cbc_settings &settings, bool single_precision, cbc_hooks &hooks, cbc_result &result) override {
    return host_construct(settings, single_precision, hooks, result);
  }
  int64 memory_to_construct() override { return free_memory_share(); }

  int64 regions() const override { return methods_[method_cubature] ? methods_[method_cubature]->regions() : 0; }
  void read_regions(int64 first, int64 n, double *records) override {
    methods_[method_cubature]->read_regions(first, n, records);
  }
  void release() override {
    for (const auto &m : methods_)
      if (m) m->release();
  }

 private:
  // As many threads as there is memory for. False: it is too little for one.
  bool use_threads_within(const problem &problem, run_result &result) {
    leave_behind();
    int threads = problem.threads;
    const int64 allowed = problem.asked().memory;
    if (problem.memory_is_given) {
      const host_method &m = method_of(problem.method);
      const memory_needs one = m.needs(problem, 1);
      const int64 needed = least_memory(one);
      if (needed > allowed) {
        result.end = outcome::memory;
        result.message = too_little_memory(needed, allowed);
        return false;
      }
      const int64 room = share_memory(allowed, one.fixed).fixed;
      while (threads > 1 && m.needs(problem, threads).fixed > room) --threads;
    }
    use_threads(threads);
    return true;
  }

  // The pool is kept from call to call.
  void use_threads(int threads) {
    leave_behind();
    if (pool_ && threads_ == threads) return;
    for (auto &m : methods_) m.reset();
    pool_.reset();
    pool_ = std::make_unique<thread_pool>(threads);
    threads_ = threads;
  }

  // In a child process the pool's threads are missing. What uses it is given up with it; it stays where it is.
  void leave_behind() {
    if (!pool_ || pool_->is_of_this_process()) return;
    for (auto &m : methods_) m.reset();
    (void)pool_.release();
  }

  host_method &method_of(method_number which) {
    std::unique_ptr<host_method> &m = methods_[which];
    if (!m) switch (which) {
#define METHOD(name, number, constant) \
  case method_##name:                  \
    m = make_host_##name();            \
    break;
#include "../methods.def"
      }
    return *m;
  }

  int threads_ = 0;
  std::unique_ptr<thread_pool> pool_;
  std::array<std::unique_ptr<host_method>, methods_end>
      methods_;  // those that have been used; behind the pool, which they use
};

}  // namespace

std::unique_ptr<place> make_host_place() { return std::make_unique<host_place>(); }

}  // namespace tessera
