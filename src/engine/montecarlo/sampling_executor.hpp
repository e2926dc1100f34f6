// What the driver of Monte Carlo asks of the place where the samples are evaluated.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../machine.hpp"
#include "sampling_pass.hpp"

namespace tessera {

struct sampling_executor {
  virtual ~sampling_executor() = default;

  // Evaluates the pieces of cut_into_pieces(samples) and adds their estimates to sums[ncomp]; returns running, or callback, nonfinite,
  // memory with sums as they were. Where it looks at the clock itself, also time and stopped; sums and `samples` are then of those that
  // it has made.
  virtual outcome run_plain(const sample_pass &pass, int64 first, int64 &samples, sample_sums *sums) = 0;

  // The same for pass.shift and the shifts behind it, sums[shifts*ncomp]; returns running, or what ended it, with the number of samples
  // that it has made, one shift after the other; the shift at which it broke off has sums of these.
  virtual outcome run_shifts(sample_pass pass, int64 first, int64 samples, int64 shifts, sample_sums *sums,
                             int64 &made) = 0;

  // The same for n pieces of consecutive samples, of a pass with a grid; sets spread[n], the variance of one sample in each.
  virtual outcome run(const sample_pass &pass, const sample_piece *pieces, int64 n, sample_sums *sums,
                      double *spread) = 0;

  // counts[ndim*grid_bins] since the last call; returns the sum of the squares of what each point has counted. Passes with a grid count.
  virtual double take_training(uint64 *counts) = 0;

  // What one call may have, several cut_samples: between calls the clock is looked at.
  virtual int64 slice_samples(bool grid) const = 0;
  virtual std::size_t slice_pieces() const = 0;
};

}  // namespace tessera
