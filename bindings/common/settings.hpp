// What a drop-in lets its user set, for all calls in the process: by the environment or by a call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <vector>

namespace dropin {

// Threads that may call the integrand at the same time: what was set, else TESSERA_THREADS, else 1.
int threads();
void set_threads(int n);  // below 1: back to the environment

// Whether the original's limits on its arguments may be passed: what was set, else TESSERA_EXTENDED (1), else no.
bool extended();
void set_extended(bool on);

// Whether all ranks of the MPI program make each call together: TESSERA_COMM=world.
bool ranks_share();

// The devices on which twins run: TESSERA_DEVICES, all or numbers with commas between them; device 0 where it says nothing else.
struct twin_devices {
  bool given = false, all = false;
  std::vector<int> ordinals;  // none: what was given is neither
  int first() const { return ordinals.empty() ? 0 : ordinals.front(); }
};
const twin_devices &devices();

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
