// What all methods do with the user's integrand on a device beside integrating it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

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

// Of points and their values. Few of them stay on the host, where the device finds them: copies would take longer than a kernel.
struct point_memory {
  static constexpr std::size_t most_near = 65536;  // numbers
  static bool is_near(long long n, int coordinates, int ncomp) {
    return static_cast<std::size_t>(n) * static_cast<std::size_t>(coordinates + ncomp) <= most_near;
  }

  // Where the integrand says something, which is nothing so far.
  int *begin() {
    near.require((1 + most_near) * sizeof(double));
    auto *const said = static_cast<int *>(near.address());
    *said = 0;
    return said;
  }

  double *numbers() const { return static_cast<double *>(near.address()) + 1; }  // behind what the integrand says

  device_memory far;
  mapped_memory near;
};

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

// Starts a module's kernel tessera_points. Few points have a block each, so that none waits for the loops and branches of others.
inline void launch_points(CUfunction kernel, CUdeviceptr params, CUstream stream, long long n, CUdeviceptr from,
                          CUdeviceptr to, CUdeviceptr said = 0) {
  void *arguments[] = {&n, &from, &to, &params, &said};
  const unsigned threads = n <= 256 ? 1 : 128;
  const unsigned blocks = static_cast<unsigned>(std::min<long long>((n + threads - 1) / threads, 4096));
  check(cuda().launch(kernel, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, nullptr), "starting the kernel");
}

// Coordinates of point i of n, which that kernel has made the user's; `memory`: as at_points has left it.
inline std::vector<double> point_of_user(const point_memory &memory, int ndim, int coordinates, int ncomp, long long n,
                                         long long i) {
  std::vector<double> x(static_cast<std::size_t>(ndim));
  const bool near = point_memory::is_near(n, coordinates, ncomp);
  for (std::size_t j = 0; j < x.size(); ++j) {
    const std::size_t at = j * static_cast<std::size_t>(n) + static_cast<std::size_t>(i);
    if (near)
      x[j] = memory.numbers()[at];
    else
      check(cuda().download(&x[j], memory.far.address() + at * sizeof(double), sizeof x[j]), "downloading a point");
  }
  return x;
}

// Values that a kernel writes once each, behind all that it reads and says for it. Until then there is a NaN that no arithmetic makes; where one is written all the same the kernel is
// waited for.
class awaited_values {
 public:
  static void clear(double *values, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) std::memcpy(values + i, &unwritten, sizeof unwritten);
  }
  static void wait(const double *values, std::size_t n, CUstream stream) {
    std::size_t i = 0;
    wait_until([&] { return are_there(values, i, n); }, stream);
  }
  // False: the word has been set before, or it takes long.
  static bool wait_beside(const double *values, std::size_t n, const int *word, CUstream stream) {
    std::size_t i = 0;
    bool are = false;
    const auto has_ended = [&] {
      are = are_there(values, i, n);
      return are || __atomic_load_n(word, __ATOMIC_ACQUIRE) != 0;
    };
    return is_soon(has_ended, stream) && are;
  }

 private:
  // i: behind those that were there before.
  static bool are_there(const double *values, std::size_t &i, std::size_t n) {
    while (i < n && __atomic_load_n(reinterpret_cast<const uint64 *>(values + i), __ATOMIC_ACQUIRE) != unwritten) ++i;
    return i == n;
  }
  static constexpr uint64 unwritten = 0x7ff8546573736572;
};

// The same with few points on the host; after begin(). are_awaited: the values are written as awaited_values has it.
template <class Launch>
bool at_points(point_memory &memory, CUstream stream, int coordinates, int ncomp, long long n, const double *x,
               double *f, bool are_awaited, Launch launch) {
  if (!point_memory::is_near(n, coordinates, ncomp))
    return at_points(memory.far, stream, coordinates, ncomp, n, x, f, launch);
  const auto xs = static_cast<std::size_t>(n * coordinates), fs = static_cast<std::size_t>(n * ncomp);
  double *const numbers = memory.numbers();
  std::memcpy(numbers, x, xs * sizeof(double));
  if (are_awaited) awaited_values::clear(numbers + xs, fs);
  if (!launch(reinterpret_cast<CUdeviceptr>(numbers), reinterpret_cast<CUdeviceptr>(numbers + xs))) return false;
  if (are_awaited)
    awaited_values::wait(numbers + xs, fs, stream);
  else
    check(cuda().stream_synchronize(stream), "the kernel");
  std::memcpy(f, numbers + xs, fs * sizeof(double));
  return true;
}

// Points there and values back by that kernel. True: take_answer has something to tell.
inline bool at_points(CUfunction kernel, CUdeviceptr params, point_memory &memory, CUstream stream, int coordinates,
                      int ncomp, long long n, const double *x, double *f) {
  const int *const said = memory.begin();
  at_points(memory, stream, coordinates, ncomp, n, x, f, true, [&](CUdeviceptr from, CUdeviceptr to) {
    launch_points(kernel, params, stream, n, from, to, reinterpret_cast<CUdeviceptr>(said));
    return true;
  });
  return *said != 0;
}

}  // namespace tessera
