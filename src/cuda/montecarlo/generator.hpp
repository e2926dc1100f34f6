// Random numbers of cuRAND in device memory, as coordinates of samples.
//
// The sequence is made in blocks of 2^m samples, always by calls of the same length, and within a block one coordinate after
// the other: so the numbers of a sample depend on the seed and on its index, and not on what is asked for at a time. The blocks
// made last lie in a ring.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "../device/driver.hpp"
#include "../../engine/montecarlo/sampling_state.hpp"
#include "montecarlo_problem.hpp"

namespace tessera {

class number_ring {
 public:
  ~number_ring() { end(); }
  number_ring() = default;
  number_ring(const number_ring &) = delete;
  number_ring &operator=(const number_ring &) = delete;

  // A run of at most so many samples, of each shift if there are any, not counting a few. Throws compile_error where there is no
  // cuRAND, device_error, bad_alloc.
  void begin(int generator, uint64 seed, int ndim, int64 samples, int64 shifts, CUstream stream);
  void end();  // the memory is kept
  bool there() const { return generator_ != nullptr; }

  // Consecutive samples that may be asked for together.
  int64 most_samples() const { return ring_.blocks == 1 ? block() : (ring_.blocks - 1) * block(); }
  // So many that they may be asked for again as long as nothing behind them has been.
  int64 half() const { return ring_.blocks * block() / 2; }
  // Samples first ... for the kernels that are started next. What is asked for never lies before all that is still there.
  void require(int64 first, int64 samples);
  given_numbers numbers(int64 shift) const;
  // The same on the host, shifted: coordinate j of sample first + i is u[j*ldu + i].
  void read(int64 first, int64 n, int64 shift, double *u, int64 ldu) const;
  std::size_t bytes() const { return memory_.bytes() + shifts_there_.bytes(); }

 private:
  int64 block() const { return int64{1} << ring_.log_samples; }

  void *generator_ = nullptr;
  number_ring_shape ring_ = {0, 1};
  int ndim_ = 0;
  int64 next_ = 0;  // block
  device_memory memory_, shifts_there_;
  std::vector<double> shifts_;  // [shift][ndim]
};

}  // namespace tessera
