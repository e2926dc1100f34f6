// What there is to say of a function and its twin to somebody who has asked by TESSERA_REPORT.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include <tessera.h>

namespace dropin {

using user_function = void (*)();

enum class remark { too_small, useless, used, unfinished, slow };

// Once for each function and remark, however often the function is called.
void report_once(const char *routine, user_function function, remark r, const std::string &message);

// Compares what a run takes on the device with what the host function would take.
class stop_watch {
 public:
  using clock = std::chrono::steady_clock;
  static double seconds(clock::time_point a, clock::time_point b) {
    return std::chrono::duration<double>(b - a).count();
  }

  // `host_seconds`: of one call of the host function, however that was measured.
  void finish(const char *routine, user_function function, double host_seconds, std::int64_t evaluations) const;

 private:
  const clock::time_point start_ = clock::now();
};

// On a machine without a device nothing is done but the comparison, and only for somebody who reads what came of it: `run` runs s once more, for
// "a device if there is one". Why the host function is used.
std::string compare_on_host(tessera_solver *s, const std::function<int()> &run);

}  // namespace dropin
