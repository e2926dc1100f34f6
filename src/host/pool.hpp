// A pool of threads that share out the items of a loop. Items are independent and write to places of their own, so the
// result does not depend on which thread takes which.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tessera {

class thread_pool {
 public:
  // `threads` counts the caller's, which works too. Fewer are used when the system gives no more. Throws bad_alloc.
  explicit thread_pool(int threads);
  ~thread_pool();
  thread_pool(const thread_pool &) = delete;
  thread_pool &operator=(const thread_pool &) = delete;

  // Its threads stay behind when the process is forked: a child must not use it, and cannot end it either.
  bool is_of_this_process() const;

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls body(item, thread) for item = 0 .. items-1 and returns when all are done. body must not throw.
  // While the caller only waits for the others, it calls waiting() now and then, if there is one.
  template <class Body>
  void run(std::int64_t items, const Body &body, const std::function<void()> &waiting = {}) {
    finish();
    if (workers_.empty() || items <= 1) {
      for (std::int64_t i = 0; i < items; ++i) body(i, 0);
    } else {
      start(items, std::cref(body));
      finish(waiting);
    }
  }

  // The same in two calls, between which the caller does something else: it takes its share of the items, as thread 0, in finish(). What
  // was started before is finished first, also by run().
  void start(std::int64_t items, std::function<void(std::int64_t item, int thread)> body);
  void finish(const std::function<void()> &waiting = {});
  // In place of finish(): items that no thread has begun are left out.
  void abandon();
  struct end_of_round {
    thread_pool &pool;
    ~end_of_round() { pool.abandon(); }
  };

 private:
  void work(int thread);
  void drain(int thread);
  template <class Condition>
  bool spin_until(const Condition &holds) const;

  const pid_t process_;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  std::function<void(std::int64_t, int)> body_;
  std::atomic<std::int64_t> next_{0};
  std::int64_t items_ = 0;
  std::atomic<std::uint64_t> round_{0};
  std::atomic<int> busy_{0};  // workers that have not ended this round
  bool started_ = false;      // and not finished yet
  bool spins_ = false;
  std::atomic<bool> quit_{false};
};

}  // namespace tessera
