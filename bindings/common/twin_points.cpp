// SPDX-License-Identifier: BSD-3-Clause
#include "twin_points.hpp"

#include <algorithm>
#include <map>
#include <new>

#include "device_solver.hpp"
#include "settings.hpp"

namespace dropin {
namespace {

// How often a thread has begun a run with a function whose twin is good.
std::map<user_function, unsigned> &good_runs() {
  static thread_local std::map<user_function, unsigned> runs;
  return runs;
}

// The host function as a callback of the solver: it has been called already.
struct replay {
  const double *value;
  int n, next;

  static int call(int, const double *, int, double *f, void *of) {
    auto &self = *static_cast<replay *>(of);
    *f = self.value[self.next++ % self.n];
    return 0;
  }
};

}  // namespace

unsigned twin_points::begin() {
  begun_ = true;
  run_.emplace();
  const auto known = good_runs().find(function_);
  return known == good_runs().end() ? 0 : known->second++;
}

// With the parameters as they are now. `compared`: the host function's values at these points.
bool twin_points::ask_device(int n, const double *x, double *f, const double *compared) noexcept try {
  good_runs().insert({function_, 1});  // before anything that may fail for want of memory
  const auto refuse = [this](const std::string &why) {
    good_runs().erase(function_);
    if (!why.empty()) report_once(routine_, function_, remark::useless, why);
    return false;
  };
  const device_solver borrowed(1, 1);
  tessera_solver *const s = borrowed.get();
  if (!s) return refuse("");
  if (tessera_set_twin(s, function_, nullptr) != TESSERA_OK) return refuse(tessera_last_error(s));
  replay host = {compared, n, 0};
  tessera_set_integrand1(s, compared ? replay::call : nullptr, &host);
  tessera_set_real(s, TESSERA_CHECK_TOLERANCE, tolerance_);
  tessera_set_int(s, TESSERA_DEVICE, devices().first());
  const int status = tessera_evaluate(s, n, x, f);
  if (status == TESSERA_OK) {
    if (!used_) report_once(routine_, function_, remark::used, "the twin runs on the device");
    used_ = true;
    return true;
  }
  const bool comparable = compared && (status == TESSERA_ERR_NOT_BUILT || status == TESSERA_ERR_UNSUPPORTED);
  return refuse(comparable ? compare_on_host(s, [&] { return tessera_evaluate(s, n, x, f); }) : tessera_last_error(s));
} catch (...) {  // no memory
  return false;
}

bool twin_points::agrees(int n, const double *f, const host_values &here) const {
  double largest = 0.0;
  for (int i = 0; i < n; ++i)
    if (std::isfinite(f[i])) largest = std::fmax(largest, std::fabs(f[i]));
  for (int i = 0; i < n; ++i) {
    if (!here.known[i]) continue;
    const double h = here.value[i];
    if (std::isfinite(h) != std::isfinite(f[i])) return false;
    if (std::isfinite(h) && !(std::fabs(h - f[i]) <= tolerance_ * std::fmax(largest, std::fabs(h)))) return false;
  }
  return true;
}

}  // namespace dropin
