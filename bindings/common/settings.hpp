// What a drop-in lets its user set, for all calls in the process: by the environment or by a call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

namespace dropin {

// Threads that may call the integrand at the same time: what was set, else TESSERA_THREADS, else 1.
int threads();
void set_threads(int n);  // below 1: back to the environment

// Whether the original's limits on its arguments may be passed: what was set, else TESSERA_EXTENDED (1), else no.
bool extended();
void set_extended(bool on);

// Whether all ranks of the MPI program make each call together: TESSERA_COMM=world.
bool ranks_share();

// Ends every run that is going on now. May be called from the integrand, another thread or a signal handler.
void cancel();

extern std::atomic<unsigned long> cancels;  // how many there have been

// What a run keeps to know whether it has been cancelled since it began. Looked at for every point.
class cancel_watch {
 public:
  bool cancelled() const { return cancels.load(std::memory_order_relaxed) != since_; }

 private:
  unsigned long since_ = cancels.load(std::memory_order_relaxed);
};

}  // namespace dropin
