// The engine on host threads.
// SPDX-License-Identifier: BSD-3-Clause
#include "../backend.hpp"
#include "../engine/cubature/bulk.hpp"
#include "../engine/cubature/worst_first.hpp"
#include "evaluator.hpp"
#include "executor.hpp"
#include "pool.hpp"

namespace tessera {
namespace {

constexpr int look_ahead_per_thread = 4;
constexpr int64 little = int64{1} << 20;  // bytes that are not worth giving back

class session : public host_session {
 public:
  run_result cubature(const cubature_problem &problem, const given_regions &given, run_hooks &hooks, double *value,
                      double *error) override {
    bulk_.reset();
    if (!pool_ || threads_ != problem.threads) {
      worst_first_.reset();
      executor_.reset();
      pool_.reset();
      pool_ = std::make_unique<thread_pool>(problem.threads);
      executor_ = std::make_unique<host_executor>(*pool_, evaluator_);
      threads_ = problem.threads;
    }
    evaluator_.start(problem, *pool_);
    const cubature_settings &set = problem.settings;
    run_result result;
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

std::unique_ptr<host_session> make_host_session() { return std::make_unique<session>(); }

}  // namespace tessera
