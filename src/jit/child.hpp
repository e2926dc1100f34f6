// Children of this process: waiting for one, and a compiled function called in one, where it may break down.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include <sys/types.h>

#include "../integrand.hpp"
#include "deadline.hpp"

namespace tessera {

struct child_end {
  bool known = false;     // there is a status; not where the program ignores SIGCHLD or waits for all children itself
  int status = 0;         // of waitpid
  bool given_up = false;  // it and its process group were killed
};

// Until the child has ended, or give_up() is true. Without give_up there is no looking up from the wait.
child_end wait_for_child(pid_t child, const std::function<bool()> &give_up);

// n points, coordinate j of point i at x[j*n + i], component k of its value at f[k*n + i].
struct child_calls {
  batch_function function;
  int n, ndim, ncomp;
  const double *x;
  double *f;
  void *userdata;
};

struct calls_end {
  enum class how { good, stopped, broken, stuck, overdue, no_child };
  how end = how::good;
  int point = 0;    // at which it ended
  std::string why;  // broken, no_child: in words
};

// Calls the function at one point after the other in a child process. Its output is lost, what it writes to memory too. stuck: one point took
// more than a minute.
calls_end call_in_child(const child_calls &calls, const deadline &until);

}  // namespace tessera
