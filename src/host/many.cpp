// Many integrals on host threads: each runs on one thread with the engine that serves a single one, so that its result is the
// same bit by bit, whichever thread takes it.
// SPDX-License-Identifier: BSD-3-Clause
#include "many.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>

#include "../place.hpp"
#include "pool.hpp"
#include "rows_watch.hpp"

namespace tessera {
namespace {

// What one thread keeps from integral to integral.
class worker {
 public:
  explicit worker(const many_problem &many) : many_(many), problem_(many.common->copy()), place_(make_host_place()) {
    problem_->threads = 1;
    if (problem_->shape) limited_ = std::make_unique<limited_integrand>(*problem_->shape);
    block_.resize(many.params_bytes / sizeof(std::max_align_t) + 1);
  }

  std::unique_ptr<run_result> run(int64 row, run_hooks &hooks, double *value, double *error) {
    many_.give_row(row, *problem_);
    host_integrand form = many_.common->integrand;
    if (many_.params) {
      std::memcpy(static_cast<void *>(block_.data()), many_.block(row), many_.params_bytes);
      form.userdata = form.params = block_.data();
    }
    problem_->integrand = limited_ ? limited_->of(form) : form;
    std::unique_ptr<run_result> result = problem_->new_result();
    place_->run(*problem_, {}, hooks, value, error, *result, unused_);
    return result;
  }

 private:
  const many_problem &many_;
  const std::unique_ptr<problem> problem_;
  std::vector<std::max_align_t> block_;  // aligned as the block of tessera_set_params is
  std::unique_ptr<limited_integrand> limited_;
  std::unique_ptr<place> place_;
  device_report unused_;
};

class many_run {
 public:
  many_run(const many_problem &problem, many_hooks &watch, double *value, double *error)
      : problem_(problem),
        value_(value),
        error_(error),
        ncomp_(problem.common->ncomp()),
        pool_(static_cast<int>(std::min<int64>(problem.common->threads, std::max<int64>(problem.rows(), 1)))),
        workers_(static_cast<std::size_t>(pool_.size())),
        watch_(watch, value, error, ncomp_, workers_.size()),
        peaks_(workers_.size(), 0),
        results_(problem.rows()) {}

  many_results run() {
    pool_.run(
        problem_.rows(), [this](int64 row, int thread) { take(row, static_cast<std::size_t>(thread)); },
        [this] { watch_.guarded([this] { watch_.look(); }); });
    watch_.rethrow();
    for (const int64 peak : peaks_) results_.peak_bytes += peak;
    results_.threads = pool_.size();
    return std::move(results_);
  }

 private:
  void take(int64 row, std::size_t thread) {
    many_row &r = results_.rows[static_cast<std::size_t>(row)];
    if (thread == 0) watch_.guarded([this] { watch_.look(); });
    r.end = watch_.end();
    if (r.end != outcome::running) return;
    watch_.guarded([&] { integrate(row, thread, r); });
    watch_.has_finished();
  }

  void integrate(int64 row, std::size_t thread, many_row &r) {
    rows_watch::row_hooks hooks(watch_, thread);
    try {
      if (!workers_[thread]) workers_[thread] = std::make_unique<worker>(problem_);
      const std::unique_ptr<run_result> one =
          workers_[thread]->run(row, hooks, value_ + row * ncomp_, error_ + row * ncomp_);
      r.take(*one);
      peaks_[thread] = std::max(peaks_[thread], one->counts().peak_bytes);
      if (r.has_value) watch_.has_value(row);
      if (row == 0 || !one->message.empty()) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (row == 0) results_.region_bytes = one->counts().region_bytes;
        results_.keep_message(row, one->message);
      }
    } catch (const std::bad_alloc &) {
      workers_[thread].reset();
      r.end = outcome::memory;
      const std::lock_guard<std::mutex> lock(mutex_);
      results_.keep_message(row, "no memory left");
    }
    watch_.count(thread, hooks.before + r.evaluations);
  }

  const many_problem &problem_;
  double *const value_, *const error_;
  const int64 ncomp_;
  thread_pool pool_;
  std::vector<std::unique_ptr<worker>> workers_;  // by thread
  rows_watch watch_;
  std::vector<int64> peaks_;  // by thread
  many_results results_;
  std::mutex mutex_;  // of results_, where it is not a row's
};

}  // namespace

many_results host_many(const many_problem &problem, many_hooks &watch, double *value, double *error) {
  return many_run(problem, watch, value, error).run();
}

}  // namespace tessera
