// Does it pay to share the samples of VEGAS's iterations with other devices? All of them share out the strata themselves and learn from what all
// have seen, which takes them longer than the samples of a cheap integrand take one device alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/hd.hpp"

namespace tessera {

// Iterations are timed from the beginning of one to that of the next. Their results do not depend on who makes them.
class sharing_watch {
 public:
  // forget: the runs before say nothing of this one.
  void begin_run(bool forget) {
    if (forget) *this = {};
    samples_ = shared_ = 0;
  }
  // kernels: others say nothing of these either. now: seconds, on any clock that does not go back.
  void begin_iteration(const void *kernels, int64 samples, double now) {
    if (kernels != kernels_) *this = {};
    kernels_ = kernels;
    if (samples_ > 0) judge(now - began_);
    began_ = now;
    samples_ = samples;
    is_shared_ = false;
  }
  void took_part(int devices) { is_shared_ = is_shared_ || devices > 1; }
  bool is_worth() const { return is_worth_; }

 private:
  static constexpr double least_gain = 0.9;               // of the time of one device
  static constexpr int64 least_samples = int64{1} << 20;  // fewer say nothing of more

  void judge(double seconds) {
    const auto n = static_cast<double>(samples_);
    if (!is_shared_) {
      if (samples_ >= least_samples) alone_ = seconds / n;
    } else if (++shared_ > 1 && alone_ > 0.0) {  // the first may have had to start devices
      is_worth_ = seconds <= least_gain * alone_ * n;
    }
  }

  const void *kernels_ = nullptr;
  double began_ = 0.0;
  int64 samples_ = 0;   // of the iteration; 0: there has been none in this run
  int64 shared_ = 0;    // iterations of the run
  double alone_ = 0.0;  // seconds for a sample, of the last iteration that was not shared
  bool is_shared_ = false, is_worth_ = true;
};

}  // namespace tessera
