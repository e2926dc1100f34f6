// SPDX-License-Identifier: BSD-3-Clause
#include "hooks.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>

tessera_cuba_functions cubafun_ = {};
int cubaverb_ = 0;
tessera_cuba_workers cubaworkers_ = {};

namespace cuba {
namespace {

constexpr int master = 32768;
using function = void (*)(void *arg, const int *core);

std::atomic<bool> init_waits{false};

class process_hooks {
 public:
  ~process_hooks() { leave(); }
  void set_init(hook f, void *arg) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    cubafun_.init = f;
    cubafun_.init_argument = arg;
    init_waits.store(f != nullptr);
  }
  void set_exit(hook f, void *arg) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    leave();
    cubafun_.exit = f;
    cubafun_.exit_argument = arg;
  }
  void enter() {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (!init_waits.exchange(false)) return;
    reinterpret_cast<function>(cubafun_.init)(cubafun_.init_argument, &master);
    entered_ = true;
  }

 private:
  void leave() {
    if (!entered_ || !cubafun_.exit) return;
    reinterpret_cast<function>(cubafun_.exit)(cubafun_.exit_argument, &master);
    entered_ = false;
  }
  std::recursive_mutex mutex_;  // the functions may set others
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

void set_verbose(int level) { __atomic_store_n(&cubaverb_, level, __ATOMIC_RELAXED); }
void set_cores(int number, int points) {
  __atomic_store_n(&cubaworkers_.cores, number, __ATOMIC_RELAXED);
  __atomic_store_n(&cubaworkers_.points_of_cores, points, __ATOMIC_RELAXED);
}
void set_accelerators(int number, int points) {
  __atomic_store_n(&cubaworkers_.accelerators, number, __ATOMIC_RELAXED);
  __atomic_store_n(&cubaworkers_.points_of_accelerators, points, __ATOMIC_RELAXED);
}

int verbosity(int flags) {
  static const int environment = [] {
    const char *text = ::secure_getenv("CUBAVERBOSE");
    return text ? std::atoi(text) : 0;
  }();
  return std::min(3, std::max({flags & 3, environment, __atomic_load_n(&cubaverb_, __ATOMIC_RELAXED)}));
}

}  // namespace cuba
