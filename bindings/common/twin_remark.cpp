// SPDX-License-Identifier: BSD-3-Clause
#include "twin_remark.hpp"

#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "report.hpp"

namespace dropin {
namespace {

constexpr int unsure_of_device = -2;  // of TESSERA_DEVICE: one if there is one
constexpr double clearly = 4.0;       // times as slow

// The first runs of a function compile it and make memory.
bool settled(user_function f) {
  static std::mutex mutex;
  static auto &runs = *new std::map<user_function, int>;
  const std::lock_guard<std::mutex> lock(mutex);
  return ++runs[f] > 2;
}

void keep_warning(int level, const char *line, void *kept) {
  if (level == 1) *static_cast<std::string *>(kept) = line;
}

}  // namespace

void report_once(const char *routine, user_function function, remark r, const std::string &message) {
  if (!report_wanted()) return;
  static std::mutex mutex;
  static auto &told = *new std::set<std::pair<user_function, remark>>;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!told.insert({function, r}).second) return;
  }
  const bool host = r == remark::too_small || r == remark::useless;
  report(routine, (host ? "the host function is used: " : "") + message);
}

void stop_watch::finish(const char *routine, user_function function, double host_seconds,
                        std::int64_t evaluations) const {
  if (!settled(function)) return;
  const double device = seconds(start_, clock::now());
  const double host = host_seconds * static_cast<double>(evaluations);
  if (device < clearly * host) return;
  char message[160];
  std::snprintf(message, sizeof message,
                "this run took %.2g s on the device, and would take about %.2g s with the host function", device, host);
  report_once(routine, function, remark::slow, message);
}

std::string compare_on_host(tessera_solver *s, const std::function<int()> &run) {
  const std::string why = tessera_last_error(s);
  if (!report_wanted()) return why;
  std::string warning;
  tessera_set_log(s, keep_warning, &warning);
  tessera_set_int(s, TESSERA_DEVICE, unsure_of_device);
  const int status = run();
  tessera_set_log(s, nullptr, nullptr);
  if (status == TESSERA_ERR_CHECK || status == TESSERA_ERR_CALLBACK) return tessera_last_error(s);
  return why + "; " + (warning.empty() ? "its twin agrees with it" : warning);
}

}  // namespace dropin
