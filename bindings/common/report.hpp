// What a drop-in says on stderr to somebody who has asked by TESSERA_REPORT: 1, what its codes have no word for; 2, also a line when
// the library is loaded and one for each call of a routine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace dropin {

int report_level();
inline bool report_wanted() { return report_level() > 0; }
// One line on stderr if anything is wanted.
void report(const char *routine, const std::string &message);

// Where the evaluations of a call were made.
enum class place { nowhere, host, device };

// The line about one call. A call that ends without one has been left by an exception, which the line then says.
class call_report {
 public:
  call_report(const char *routine, std::int64_t ndim, std::int64_t ncomp);
  ~call_report();
  call_report(const call_report &) = delete;
  call_report &operator=(const call_report &) = delete;

  // `name` and `code` are the caller's status; `why` explains it, empty when there is nothing to explain.
  void end(place where, std::int64_t evaluations, const char *name, std::int64_t code, const std::string &why);

 private:
  using clock = std::chrono::steady_clock;
  double seconds() const;

  const char *const routine_;
  const std::int64_t ndim_, ncomp_;
  bool open_;
  clock::time_point start_;
};

}  // namespace dropin
