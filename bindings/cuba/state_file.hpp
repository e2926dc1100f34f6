// The state of a run in a file: what is needed to go on as if it had not been interrupted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "chi_square.hpp"

namespace cuba {

struct state {
  const char *routine;                         // six letters at most
  std::int64_t ndim = 0, ncomp = 0, rule = 0;  // what must agree, as must the routine
  std::int64_t fields = 1;                     // numbers of a record
  std::int64_t evaluations = 0, count = 0;
  std::vector<scatter> iterations = {};  // [ncomp], or empty
  std::vector<double> records = {};      // [count][fields]
};

// A new file takes the place of the old one in one step, so that there is always a whole one. False, with the reason, when it
// cannot be written.
bool write_state(const std::string &path, const state &s, std::string &reason);

enum class read_result { good, no_file, bad };

// Reads a file whose routine, ndim, ncomp and rule are those of `s`, and that has as many iterations; else, and when the file is
// damaged, it is bad, with the reason.
read_result read_state(const std::string &path, state &s, std::string &reason);

// The state file of one run: when it is written, and what is said when something is wrong with it.
class state_keeper {
 public:
  // Fills `s` from the solver or hands it to the solver. Empty, or why that cannot be done.
  using transfer = std::function<std::string()>;

  state_keeper(const char *path, state empty);
  state s;

  bool has_file() const { return !path_.empty(); }
  const std::string &path() const { return path_; }
  // True when there is a good file, and `use` has taken it. What is wrong with it is said on stdout, as by the original.
  bool resume(const transfer &use);
  // Often enough, and not so often that it takes much of the time.
  void save_now_and_then(const transfer &fill);
  // At the end of the run.
  void finish(bool remove_it, const transfer &fill);

 private:
  using clock = std::chrono::steady_clock;
  void save(const transfer &fill);

  const std::string path_;
  clock::time_point saved_ = clock::now();
  double wait_;
  bool complained_ = false;
};

// Least time between two writings in the middle of a run.
void set_state_seconds(double seconds);

}  // namespace cuba
