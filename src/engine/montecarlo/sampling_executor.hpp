// What the driver of Monte Carlo asks of the place where the samples are evaluated.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "../machine.hpp"
#include "sampling_pass.hpp"
#include "strata.hpp"

namespace tessera {

struct vegas_iteration {
  sample_pass pass;  // with a scale; cells and edges are there
  const strata_cut &cut;
  int64 samples, uniform;  // of the grid, shared out over the cubes, and scouts
  double exponent;         // of that sharing out
};

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

  // ---- VEGAS: grid, training and what the cubes have shown stay where the samples are made ----
  // Begins with this grid, and with the variance of one sample in each cube of a cut, empty where it is not known.
  virtual void begin_course(const std::vector<double> &edges, const std::vector<int> &cells,
                            const std::vector<double> &spread) = 0;

  // Makes the samples of an iteration, adds their estimates to sums[ncomp], and keeps what they teach; made(n) is told of n samples more,
  // and may end the iteration. Returns running, or what ended it.
  virtual outcome iterate(const vegas_iteration &it, sample_sums *sums, const std::function<outcome(int64)> &made) = 0;

  // What the last iteration has taught, taken in. believe_all: differences between the bins are more than chance.
  virtual void learn(bool believe_all, double damping) = 0;

  // The grid as it is now, and unless `spread` is null the cubes.
  virtual void recall_course(std::vector<double> &edges, std::vector<double> *spread) = 0;

  // What one call may have, several cut_samples: between calls the clock is looked at.
  virtual int64 slice_samples(bool grid) const = 0;
};

}  // namespace tessera
