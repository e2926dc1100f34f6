// SPDX-License-Identifier: BSD-3-Clause
#include "pool.hpp"

#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <utility>

namespace tessera {
namespace {

// To be woken takes a thread some tens of microseconds, as long as the work of a short round: it waits so long for the next one, or the
// caller for the end, before it sleeps.
constexpr auto awake = std::chrono::microseconds(40);

// A batch system may have given it fewer than the machine has.
int processors_of_this_process() {
#ifdef __linux__
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) return CPU_COUNT(&mask);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

thread_pool::thread_pool(int threads) : process_(::getpid()) {
  workers_.reserve(static_cast<std::size_t>(threads - 1));
  spins_ = threads > 1 && threads <= processors_of_this_process();
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

void thread_pool::start(std::int64_t items, std::function<void(std::int64_t, int)> body) {
  finish();
  body_ = std::move(body);
  items_ = items;
  next_.store(0, std::memory_order_relaxed);
  busy_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
  started_ = true;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    round_.fetch_add(1, std::memory_order_release);
  }
  start_.notify_all();
}

void thread_pool::finish(const std::function<void()> &waiting) {
  if (!started_) return;
  started_ = false;
  drain(0);
  const auto all_done = [this] { return busy_.load(std::memory_order_acquire) == 0; };
  if (spin_until(all_done)) return;
  std::unique_lock<std::mutex> lock(mutex_);
  while (waiting && !done_.wait_for(lock, std::chrono::milliseconds(20), all_done)) {
    lock.unlock();
    waiting();
    lock.lock();
  }
  done_.wait(lock, all_done);
}

void thread_pool::abandon() {
  if (started_) next_.store(items_, std::memory_order_relaxed);
  finish();
}

void thread_pool::drain(int thread) {
  for (;;) {
    const std::int64_t i = next_.fetch_add(1, std::memory_order_relaxed);
    if (i >= items_) return;
    body_(i, thread);
  }
}

template <class Condition>
bool thread_pool::spin_until(const Condition &holds) const {
  if (holds()) return true;
  if (!spins_) return false;
  const auto end = std::chrono::steady_clock::now() + awake;
  do {
    for (int i = 0; i < 16; ++i) {
      relax();
      if (holds()) return true;
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

void thread_pool::work(int thread) {
  std::uint64_t seen = 0;
  const auto called = [&] { return quit_ || round_.load(std::memory_order_acquire) != seen; };
  for (;;) {
    if (!spin_until(called)) {
      std::unique_lock<std::mutex> lock(mutex_);
      start_.wait(lock, called);
    }
    if (quit_) return;
    seen = round_.load(std::memory_order_acquire);
    drain(thread);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) > 1) continue;
    const std::lock_guard<std::mutex> lock(mutex_);
    done_.notify_one();
  }
}

}  // namespace tessera
