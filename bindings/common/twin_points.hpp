// The twin of a function of one variable, for routines that decide on the host what is evaluated next: the points of one step go to the
// device together (docs/twins.md).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include <tessera.h>

#include "report.hpp"
#include "twin_remark.hpp"

namespace dropin {

// For one run. While the host function is called nothing is held, so that it may leave in any way.
class twin_points {
 public:
  static constexpr int most = 128;  // points of a step

  // `tolerance`: of the comparison, in units of the largest magnitude.
  twin_points(const char *routine, user_function function, double tolerance)
      : routine_(routine),
        function_(function),
        tolerance_(tolerance),
        wanted_(tessera_set_twin(nullptr, function, nullptr) == TESSERA_OK) {}

  // Whether there is a twin to be asked, at next to no cost where there is none.
  bool is_wanted() const { return wanted_; }
  place where() const { return used_ ? place::device : place::host; }

  // f[n] at x[n], n <= most; host(i) calls the function at point i, at most once. The first step of a thread's first run with the function is
  // compared as a whole, that of a later run at three points; where the twin cannot be used the host function gives the values.
  template <class Host>
  void evaluate(int n, const double *x, double *f, Host &&host) {
    host_values here;
    const auto ask = [&](int i) {
      if (here.known[i]) return;
      here.value[i] = host(i);
      here.known[i] = true;
    };
    const auto ask_all = [&] {
      for (int i = 0; i < n; ++i) ask(i);
    };
    bool compared = false;  // as a whole
    if (!begun_) {
      const unsigned runs = begin();
      const auto start = stop_watch::clock::now();
      compared = runs == 0 || n <= 3;
      if (compared)
        ask_all();
      else
        for (int third = 0; third < 3; ++third) ask((static_cast<int>(runs % most) + third * n / 3) % n);
      host_seconds_ = stop_watch::seconds(start, stop_watch::clock::now()) / (compared ? n : 3);
    }
    bool good = ask_device(n, x, f, compared ? here.value : nullptr);
    for (int i = 0; good && !compared && i < n; ++i)
      if (!std::isfinite(f[i])) ask(i);
    if (good && !compared && !agrees(n, f, here)) {
      ask_all();
      good = ask_device(n, x, f, here.value);
    }
    if (good) return;
    wanted_ = false;
    ask_all();
    for (int i = 0; i < n; ++i) f[i] = here.value[i];
  }

  // After a run with so many evaluations.
  void finish(std::int64_t evaluations) const {
    if (used_ && report_wanted()) run_->finish(routine_, function_, host_seconds_, evaluations);
  }

 private:
  struct host_values {
    double value[most];
    bool known[most] = {};
  };

  unsigned begin();
  bool ask_device(int n, const double *x, double *f, const double *compared) noexcept;
  bool agrees(int n, const double *f, const host_values &here) const;

  const char *const routine_;
  const user_function function_;
  const double tolerance_;
  bool wanted_, begun_ = false, used_ = false;
  double host_seconds_ = 0.0;
  std::optional<stop_watch> run_;  // a call takes 50 ns: no look at the clock for those who have no twin
};

}  // namespace dropin
