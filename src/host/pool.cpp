// SPDX-License-Identifier: BSD-3-Clause
#include "pool.hpp"

#include <unistd.h>

#include <chrono>
#include <exception>

namespace tessera {

thread_pool::thread_pool(int threads) : process_(::getpid()) {
  workers_.reserve(static_cast<std::size_t>(threads - 1));
  try {
    for (int t = 1; t < threads; ++t) workers_.emplace_back([this, t] { work(t); });
  } catch (const std::exception &) {
    // The system gives no more threads, or no memory for one: work with those there are.
  }
}

bool thread_pool::is_of_this_process() const { return workers_.empty() || process_ == ::getpid(); }

thread_pool::~thread_pool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    quit_ = true;
  }
  start_.notify_all();
  for (std::thread &w : workers_) w.join();
}

void thread_pool::share_out(std::int64_t items, const std::function<void(std::int64_t, int)> &body,
                            const std::function<void()> &waiting) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    body_ = &body;
    items_ = items;
    next_.store(0, std::memory_order_relaxed);
    busy_ = static_cast<int>(workers_.size());
    ++round_;
  }
  start_.notify_all();
  drain(0);
  std::unique_lock<std::mutex> lock(mutex_);
  const auto all_done = [this] { return busy_ == 0; };
  while (waiting && !done_.wait_for(lock, std::chrono::milliseconds(20), all_done)) {
    lock.unlock();
    waiting();
    lock.lock();
  }
  done_.wait(lock, all_done);
}

void thread_pool::drain(int thread) {
  for (;;) {
    const std::int64_t i = next_.fetch_add(1, std::memory_order_relaxed);
    if (i >= items_) return;
    (*body_)(i, thread);
  }
}

void thread_pool::work(int thread) {
  std::uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      start_.wait(lock, [&] { return quit_ || round_ != seen; });
      if (quit_) return;
      seen = round_;
    }
    drain(thread);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace tessera
