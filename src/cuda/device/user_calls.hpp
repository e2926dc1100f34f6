// What all methods do with the user's integrand on a device beside integrating it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>

#include "../../jit/device_compiler.hpp"
#include "driver.hpp"

namespace tessera {

// tessera_flags and tessera_status of a module.
struct flag_addresses {
  CUdeviceptr flags, status;
};

inline void clear_flags(const flag_addresses &at, CUstream stream) {
  check(cuda().set_bytes(at.flags, 0, sizeof(int), stream), "clearing the integrand's answer");
  check(cuda().set_bytes(at.status, 0, sizeof(int), stream), "clearing the integrand's answer");
  check(cuda().stream_synchronize(stream), "clearing the integrand's answer");  // the next run may have another stream
}

// What the integrand answered so far: "" unless it asked to stop. The answer is then forgotten.
inline std::string take_answer(const flag_addresses &at, CUstream stream) {
  int flags = 0, status = 0;
  check(cuda().download(&flags, at.flags, sizeof flags), "downloading the integrand's answer");
  check(cuda().download(&status, at.status, sizeof status), "downloading the integrand's answer");
  if (flags != 0) clear_flags(at, stream);
  return (flags & flags_that_end) != 0 ? why_stopped(flags, status) : std::string();
}

// Points x[coordinates][n] to the device and values f[ncomp][n] back; launch(from, to) has them made in the stream and says
// whether there are any.
template <class Launch>
bool at_points(device_memory &memory, CUstream stream, int coordinates, int ncomp, long long n, const double *x,
               double *f, Launch launch) {
  const auto xs = static_cast<std::size_t>(n * coordinates), fs = static_cast<std::size_t>(n * ncomp);
  memory.require((xs + fs) * sizeof(double));
  upload(memory.address(), x, xs * sizeof(double), stream, "uploading points");
  const CUdeviceptr to = memory.address() + xs * sizeof(double);
  if (!launch(memory.address(), to)) return false;
  check(cuda().stream_synchronize(stream), "the kernel");
  check(cuda().download(f, to, fs * sizeof(double)), "downloading values");
  return true;
}

// Starts a module's kernel tessera_points.
inline void launch_points(CUfunction kernel, CUdeviceptr params, CUstream stream, long long n, CUdeviceptr from,
                          CUdeviceptr to) {
  void *arguments[] = {&n, &from, &to, &params};
  const unsigned blocks = static_cast<unsigned>(std::min<long long>((n + 127) / 128, 4096));
  check(cuda().launch(kernel, blocks, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr), "starting the kernel");
}

// Points there and values back by that kernel.
inline void at_points(CUfunction kernel, CUdeviceptr params, device_memory &memory, CUstream stream, int coordinates,
                      int ncomp, long long n, const double *x, double *f) {
  at_points(memory, stream, coordinates, ncomp, n, x, f, [&](CUdeviceptr from, CUdeviceptr to) {
    launch_points(kernel, params, stream, n, from, to);
    return true;
  });
}

}  // namespace tessera
