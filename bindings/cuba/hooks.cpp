// SPDX-License-Identifier: BSD-3-Clause
#include "hooks.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>

namespace cuba {
namespace {

constexpr int master = 32768;
using function = void (*)(void *arg, const int *core);

std::atomic<int> least_verbosity{0};
std::atomic<bool> init_waits{false};

class process_hooks {
 public:
  ~process_hooks() { leave(); }
  void set_init(hook f, void *arg) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    init_ = reinterpret_cast<function>(f);
    init_argument_ = arg;
    init_waits.store(f != nullptr);
  }
  void set_exit(hook f, void *arg) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    leave();
    exit_ = reinterpret_cast<function>(f);
    exit_argument_ = arg;
  }
  void enter() {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (!init_waits.exchange(false)) return;
    init_(init_argument_, &master);
    entered_ = true;
  }

 private:
  void leave() {
    if (!entered_ || !exit_) return;
    exit_(exit_argument_, &master);
    entered_ = false;
  }
  std::recursive_mutex mutex_;  // the functions may set others
  function init_ = nullptr, exit_ = nullptr;
  void *init_argument_ = nullptr, *exit_argument_ = nullptr;
  bool entered_ = false;
};

process_hooks &hooks() {
  static process_hooks h;
  return h;
}

}  // namespace

void set_init(hook f, void *arg) { hooks().set_init(f, arg); }
void set_exit(hook f, void *arg) { hooks().set_exit(f, arg); }
void call_init() {
  if (init_waits.load(std::memory_order_relaxed)) hooks().enter();
}

void set_verbose(int level) { least_verbosity.store(level); }

int verbosity(int flags) {
  static const int environment = [] {
    const char *text = ::secure_getenv("CUBAVERBOSE");
    return text ? std::atoi(text) : 0;
  }();
  return std::min(3, std::max({flags & 3, environment, least_verbosity.load(std::memory_order_relaxed)}));
}

}  // namespace cuba
