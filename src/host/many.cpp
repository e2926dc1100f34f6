// Many integrals on host threads: each runs on one thread with the engine that serves a single one, so that its result is the
// same bit by bit, whichever thread takes it.
// SPDX-License-Identifier: BSD-3-Clause
#include "many.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>

#include "../place.hpp"
#include "pool.hpp"

namespace tessera {
namespace {

// What one thread keeps from integral to integral.
class worker {
 public:
  explicit worker(const many_problem &many) : many_(many), problem_(many.common->copy()), place_(make_host_place()) {
    problem_->threads = 1;
    if (problem_->limits) limited_ = std::make_unique<limited_integrand>(*problem_->limits);
    block_.resize(many.params_bytes / sizeof(std::max_align_t) + 1);
  }

  std::unique_ptr<run_result> run(int64 row, run_hooks &hooks, double *value, double *error) {
    many_.give_row(row, *problem_);
    host_integrand form = many_.common->integrand;
    if (many_.params) {
      std::memcpy(static_cast<void *>(block_.data()), many_.block(row), many_.params_bytes);
      form.userdata = block_.data();
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
        watch_(watch),
        value_(value),
        error_(error),
        ncomp_(problem.common->ncomp()),
        pool_(static_cast<int>(std::min<int64>(problem.common->threads, std::max<int64>(problem.rows(), 1)))),
        workers_(static_cast<std::size_t>(pool_.size())),
        evaluations_(workers_.size()),
        peaks_(workers_.size(), 0),
        results_(problem.rows()) {}

  many_results run() {
    pool_.run(
        problem_.rows(), [this](int64 row, int thread) { take(row, static_cast<std::size_t>(thread)); },
        [this] { guarded([this] { look(); }); });
    if (thrown_) std::rethrow_exception(thrown_);
    for (const int64 peak : peaks_) results_.peak_bytes += peak;
    results_.threads = pool_.size();
    return std::move(results_);
  }

 private:
  // Between the steps of the integral that a thread is at.
  struct step_hooks : run_hooks {
    step_hooks(many_run &r, std::size_t t)
        : run(r), thread(t), before(r.evaluations_[t].load(std::memory_order_relaxed)) {}
    outcome between_steps(int64 evaluations, const double *, const double *) override {
      run.evaluations_[thread].store(before + evaluations, std::memory_order_relaxed);
      return within_step();
    }
    bool is_wanted() const override { return run.watch_.is_wanted(); }
    outcome within_step() override {
      const outcome end = run.end_.load(std::memory_order_relaxed);
      if (end != outcome::running) return end;
      if (thread == 0)
        run.look();
      else if (run.watch_.is_over())
        run.end_.store(outcome::time, std::memory_order_relaxed);
      return run.end_.load(std::memory_order_relaxed);
    }
    many_run &run;
    const std::size_t thread;
    const int64 before;
  };

  void take(int64 row, std::size_t thread) {
    many_row &r = results_.rows[static_cast<std::size_t>(row)];
    if (thread == 0) guarded([this] { look(); });
    r.end = end_.load(std::memory_order_relaxed);
    if (r.end != outcome::running) return;
    guarded([&] { integrate(row, thread, r); });
    finished_.fetch_add(1, std::memory_order_release);
  }

  void integrate(int64 row, std::size_t thread, many_row &r) {
    step_hooks hooks(*this, thread);
    try {
      if (!workers_[thread]) workers_[thread] = std::make_unique<worker>(problem_);
      const std::unique_ptr<run_result> one =
          workers_[thread]->run(row, hooks, value_ + row * ncomp_, error_ + row * ncomp_);
      r.take(*one);
      peaks_[thread] = std::max(peaks_[thread], one->counts().peak_bytes);
      if (r.has_value) last_.store(row, std::memory_order_release);
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
    evaluations_[thread].store(hooks.before + r.evaluations, std::memory_order_relaxed);
  }

  // On the caller's thread.
  void look() {
    if (end_.load(std::memory_order_relaxed) != outcome::running || !watch_.due()) return;
    int64 evaluations = 0;
    for (const auto &e : evaluations_) evaluations += e.load(std::memory_order_relaxed);
    // In this order: when one is counted as finished, there is a value.
    const int64 finished = finished_.load(std::memory_order_acquire), last = last_.load(std::memory_order_acquire);
    const outcome o = watch_.look(evaluations, finished, last < 0 ? nullptr : value_ + last * ncomp_,
                                  last < 0 ? nullptr : error_ + last * ncomp_);
    if (o != outcome::running) end_.store(o, std::memory_order_relaxed);
  }

  // What is thrown, by the progress callback for one, ends the whole call.
  template <class Body>
  void guarded(Body body) {
    try {
      body();
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
      end_.store(outcome::stopped, std::memory_order_relaxed);
    }
  }

  const many_problem &problem_;
  many_hooks &watch_;
  double *const value_, *const error_;
  const int64 ncomp_;
  thread_pool pool_;
  std::vector<std::unique_ptr<worker>> workers_;  // by thread
  std::vector<std::atomic<int64>> evaluations_;   // by thread, so far
  std::vector<int64> peaks_;                      // by thread
  many_results results_;
  std::atomic<outcome> end_{outcome::running};  // why no further integral is begun
  std::atomic<int64> finished_{0}, last_{-1};
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

}  // namespace

many_results host_many(const many_problem &problem, many_hooks &watch, double *value, double *error) {
  return many_run(problem, watch, value, error).run();
}

}  // namespace tessera
