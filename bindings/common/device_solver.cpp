// SPDX-License-Identifier: BSD-3-Clause
#include "device_solver.hpp"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "report.hpp"
#include "settings.hpp"

namespace dropin {

struct kept_device_solver {
  tessera_solver *solver = nullptr;
  int ndim = 0, ncomp = 0;
  bool busy = false;
  pid_t process = getpid();

  // What it holds on a device does not outlive a fork.
  bool orphaned() const { return process != getpid(); }

  kept_device_solver() = default;
  kept_device_solver(const kept_device_solver &) = delete;
  kept_device_solver &operator=(const kept_device_solver &) = delete;
  ~kept_device_solver() { tessera_destroy(solver); }
};

namespace {

constexpr std::size_t most_kept = 4;

// Where they cannot be used the report says so.
void use_devices(tessera_solver *s) {
  const twin_devices &d = devices();
  if (!d.given) return;
  if (!d.all && d.ordinals.empty())
    report("TESSERA_DEVICES", "neither all nor numbers of devices with commas between them");
  else if (tessera_set_devices(s, d.all ? -1 : static_cast<int>(d.ordinals.size()),
                               d.all ? nullptr : d.ordinals.data()) != TESSERA_OK)
    report("TESSERA_DEVICES", tessera_last_error(s));
}

class thread_solvers {
 public:
  ~thread_solvers() {
    for (auto &k : all_)
      if (k->busy || k->orphaned()) k.release();  // the integrand has ended the program, in the middle of a run
  }

  kept_device_solver *take(int ndim, int ncomp) {
    for (auto &k : all_)
      if (!k->busy && !k->orphaned() && k->ndim == ndim && k->ncomp == ncomp) return k->busy = true, k.get();
    auto fresh = std::make_unique<kept_device_solver>();
    if (tessera_create(&fresh->solver, ndim, ncomp) != TESSERA_OK) return nullptr;
    fresh->ndim = ndim;
    fresh->ncomp = ncomp;
    fresh->busy = true;
    use_devices(fresh->solver);
    if (all_.size() >= most_kept) {
      const auto idle =
          std::find_if(all_.begin(), all_.end(), [](const auto &k) { return !k->busy && !k->orphaned(); });
      if (idle != all_.end()) all_.erase(idle);
    }
    all_.push_back(std::move(fresh));
    return all_.back().get();
  }

 private:
  std::vector<std::unique_ptr<kept_device_solver>> all_;
};

thread_solvers &solvers() {
  static thread_local thread_solvers s;
  return s;
}

}  // namespace

device_solver::device_solver(int ndim, int ncomp) : kept_(solvers().take(ndim, ncomp)) {}

device_solver::~device_solver() {
  if (kept_) kept_->busy = false;
}

tessera_solver *device_solver::get() const { return kept_ ? kept_->solver : nullptr; }

}  // namespace dropin
