// What all runs of a solver share, of one integral or of many: the errors of a device, the host in its place, the host form.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "../plugin.hpp"
#include "solver.hpp"

// body() works on a device; what goes wrong there is the failure of a call.
template <class Body>
auto tessera_solver::reach_device(Body body) {
  try {
    return body();
  } catch (const tessera::device_failure &e) {
    device_failed_ = true;  // it is started again by the next run; others may lie below this one
    throw tessera::failure(e.missing() ? TESSERA_ERR_NOT_BUILT : TESSERA_ERR_DEVICE, e.what());
  } catch (const tessera::out_of_time &) {
    throw;
  } catch (const tessera::compile_error &e) {
    throw tessera::failure(tessera::compile_status(e), e.what());
  }
}

// there() runs on the device, here() on the host, also where the first lacks something that was not insisted on; `device` is then that
// of the host.
template <class There, class Here>
auto tessera_solver::device_or_host(int &device, There there, Here here) {
  if (device == tessera::host) return here();
  std::string why;
  try {
    return there();
  } catch (const tessera::common_failure &) {
    throw;
  } catch (const tessera::failure &f) {
    if (f.status() != TESSERA_ERR_NOT_BUILT || options_.get_int(TESSERA_DEVICE) != tessera::any_device ||
        !has_host_form())
      throw;
    why = f.what();
  }
  device = do_without_device(why);
  try {
    return here();
  } catch (const tessera::failure &f) {
    if (f.status() != TESSERA_ERR_NOT_BUILT) throw;
    throw tessera::failure(f.status(), why + "; and " + f.what());
  }
}

// The form of the integrand for a run on the host. check() compares a callback with the text that would have run on a device.
template <class Check>
void tessera_solver::use_host_form(tessera::host_integrand &integrand, int &threads, int coordinates, Check check) {
  if (!has_callback()) {
    use_source(integrand, threads, coordinates);
    return;
  }
  const bool wanted_device = options_.get_int(TESSERA_DEVICE) == tessera::any_device;
  if (wanted_device && has_source() && !has_code() && !checked_) check();
}
