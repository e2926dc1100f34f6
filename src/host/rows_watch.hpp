// Many integrals on threads, as the clock and the progress callback see them: evaluations so far, integrals that are finished, why no further one is
// begun, and what was thrown.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <vector>

#include "../many.hpp"

namespace tessera {

class rows_watch {
 public:
  // value, error: [rows][ncomp] of the integrals, where a thread writes them before it says so.
  rows_watch(many_hooks &hooks, const double *value, const double *error, int64 ncomp, std::size_t threads)
      : hooks_(hooks), value_(value), error_(error), ncomp_(ncomp), evaluations_(threads) {}

  // Of the integral that a thread is at, between its steps. before: evaluations of that thread's integrals before.
  struct row_hooks : run_hooks {
    row_hooks(rows_watch &w, std::size_t t) : watch(w), thread(t), before(w.counted(t)) {}
    bool is_wanted() const override { return watch.hooks_.is_wanted(); }
    outcome between_steps(int64 evaluations, const double *, const double *) override {
      watch.count(thread, before + evaluations);
      return within_step();
    }
    outcome within_step() override {
      const outcome end = watch.end();
      if (end != outcome::running) return end;
      if (thread == 0)
        watch.look();
      else if (watch.hooks_.is_over())
        watch.end_.store(outcome::time, std::memory_order_relaxed);
      return watch.end();
    }
    rows_watch &watch;
    const std::size_t thread;
    int64 before;
  };

  outcome end() const { return end_.load(std::memory_order_relaxed); }  // why no further integral is begun
  int64 counted(std::size_t thread) const { return evaluations_[thread].load(std::memory_order_relaxed); }
  void count(std::size_t thread, int64 evaluations) {
    evaluations_[thread].store(evaluations, std::memory_order_relaxed);
  }
  void has_value(int64 row) { last_.store(row, std::memory_order_release); }
  void has_finished() { finished_.fetch_add(1, std::memory_order_release); }

  // On the caller's thread.
  void look() {
    if (end() != outcome::running || !hooks_.due()) return;
    int64 evaluations = 0;
    for (const auto &e : evaluations_) evaluations += e.load(std::memory_order_relaxed);
    // In this order: when one is counted as finished, there is a value.
    const int64 finished = finished_.load(std::memory_order_acquire), last = last_.load(std::memory_order_acquire);
    const outcome o = hooks_.look(evaluations, finished, last < 0 ? nullptr : value_ + last * ncomp_,
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
  // When no thread is at work.
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  many_hooks &hooks_;
  const double *const value_, *const error_;
  const int64 ncomp_;
  std::vector<std::atomic<int64>> evaluations_;  // by thread, so far
  std::atomic<outcome> end_{outcome::running};
  std::atomic<int64> finished_{0}, last_{-1};
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

}  // namespace tessera
