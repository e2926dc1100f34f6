// The first thing that went wrong among items that threads work at, in the order of the items, so that the number of threads does not show.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "limited_integrand.hpp"
#include "problem.hpp"

namespace tessera {

class first_failure {
 public:
  void clear() {
    if (item_ < 0) return;
    item_ = -1;
    what_ = outcome::running;
    status_ = 0;
    message_.clear();
    first_.store(-1, std::memory_order_relaxed);
  }

  // body() for an item, unless one has failed that comes before. Nothing leaves the thread: not even what is thrown for want of the
  // memory to say that there is none.
  template <class Body>
  void watch(int64 item, const Body &body) noexcept {
    const int64 failed = first_.load(std::memory_order_relaxed);
    if (failed >= 0 && failed <= item) return;
    try {
      try {
        body();
      } catch (const std::bad_alloc &) {
        throw;
      } catch (const impossible_limits &e) {
        report(item, outcome::callback, 0, e.what());
      } catch (const std::exception &e) {
        report(item, outcome::callback, 0, std::string("the integrand threw an exception: ") + e.what());
      } catch (...) {
        report(item, outcome::callback, 0, "the integrand threw an exception");
      }
    } catch (const std::bad_alloc &) {
      report(item, outcome::memory, 0, {});
    }
  }
  void report(int64 item, outcome what, int status, std::string message) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (item_ >= 0 && item_ <= item) return;
    item_ = item;
    what_ = what;
    status_ = status;
    message_ = std::move(message);
    first_.store(item, std::memory_order_relaxed);
  }

  // When no thread is at work.
  outcome what() const { return what_; }
  int64 item() const { return item_; }    // all before it are done
  int status() const { return status_; }  // non-zero return of the integrand
  std::string message() const { return what_ == outcome::memory ? "no memory for the points of one call" : message_; }

 private:
  std::mutex mutex_;
  int64 item_ = -1;
  outcome what_ = outcome::running;
  int status_ = 0;
  std::string message_;
  std::atomic<int64> first_{-1};  // item_
};

}  // namespace tessera
