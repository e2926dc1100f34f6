// The one place where a drop-in hands an integrand to a solver and runs it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <mutex>
#include <new>
#include <string>

#include "lease.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace dropin {

// The user's function as the solver calls it. `userdata` is that of the adapter.
struct host_form {
  tessera_integrand1 point;  // one of the two
  tessera_integrand batch;
  void *userdata;
};

// The evaluations were not enough, and the run can go on.
inline bool is_limit(int status) { return status == TESSERA_LIMIT_EVALUATIONS || status == TESSERA_HEAVY_TAIL; }

// What an adapter keeps of a C++ exception that the user's function threw: it goes on to the caller after the run.
class thrown {
 public:
  void keep() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!first_) first_ = std::current_exception();
  }
  void rethrow() const {
    if (!first_) return;
    passing() = true;
    std::rethrow_exception(first_);
  }
  // Whether what leaves a call of this thread is the user's.
  static bool &passing() {
    static thread_local bool is = false;
    return is;
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

// The body of a routine. Callers in C and Fortran cannot catch anything: where there is no memory for what they ask for, otherwise(why) writes
// results without a value.
template <class Body, class Otherwise>
void serve(const char *routine, Body body, Otherwise otherwise) {
  thrown::passing() = false;
  try {
    body();
  } catch (const std::bad_alloc &) {
    if (thrown::passing()) throw;
    constexpr char why[] = "no memory left";
    report(routine, why);
    otherwise(why);
  }
}

struct run_end {
  int status;
  std::int64_t evaluations;
  place where = place::nowhere;
};

// What a call report says of a status of the library: nothing when it is TESSERA_OK.
inline std::string explanation(int status) { return status == TESSERA_OK ? "" : tessera_status_string(status); }

// value[ncomp] and error[ncomp] are untouched when the status is negative. `routine` is what messages call the drop-in.
run_end run(lease &solver, const char *routine, const host_form &form, double *value, double *error,
            int method = TESSERA_CUBATURE);

}  // namespace dropin
