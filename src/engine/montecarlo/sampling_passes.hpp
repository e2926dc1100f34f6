// The passes of a Monte Carlo run: what all ways of sampling make of the executor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "sampling_estimates.hpp"
#include "sampling_executor.hpp"

namespace tessera {

class sampling_passes : protected sampling_estimates {
 protected:
  static constexpr uint32 stream_plain = 0, stream_vegas = 1;

  sampling_passes(sampling_executor &exec, const sampling_settings &settings, double volume, bool is_recorded,
                  run_hooks &hooks)
      : sampling_estimates(settings, volume, hooks),
        exec_(exec),
        per_sample_(settings.antithetic ? 2 : 1),
        is_recorded_(is_recorded),
        scale_(count(settings.ncomp), 1.0) {}

  static std::size_t count(int64 n) { return static_cast<std::size_t>(n); }
  std::vector<sample_sums> new_sums() const { return std::vector<sample_sums>(count(set_.ncomp)); }
  int64 affordable() const {
    return (set_.maxeval - statistics_.evaluations - shown_.evaluations_beside()) / per_sample_;
  }
  int64 first_samples() const { return std::max(least_samples, std::min(set_.points, affordable())); }

  // A record of VEGAS has no place for a unit: runs that keep one go on as they are, and those that have no evaluations left.
  bool wants_unit() const { return out_of_range() && !is_recorded_ && affordable() >= first_samples(); }
  // Between two steps, or within one, which will be made to its end unless the run ends.
  outcome look(bool within = false) {
    if (wants_unit()) return outcome::stopped;
    return shown_.look(statistics_.evaluations, within);
  }

  // portion: that the estimate of the pass has in that of the iteration.
  sample_pass pass_of(uint32 stream, double samples, double portion) {
    sample_pass p = {};
    p.seed = set_.seed;
    p.stream = stream;
    p.antithetic = set_.antithetic;
    p.shift = -1;
    p.threefry = set_.generator == generator_threefry;
    p.scale = scale_.data();
    p.samples = samples;
    p.point_weight = portion * volume_ / static_cast<double>(per_sample_);
    p.iteration = static_cast<double>(begun_);
    p.unit = unit();
    p.most_quantum = std::ldexp(
        1.0, std::min(40, 61 - std::ilogb(samples * static_cast<double>(per_sample_))));  // all together below 2^63
    return p;
  }

  // Where the time is over, `samples` becomes the number that has been made, of which sums are.
  outcome run_plain(int64 first, int64 &samples, double portion, std::vector<sample_sums> &sums) {
    const sample_pass pass = pass_of(stream_plain, static_cast<double>(samples), portion);
    const outcome o = exec_.run_plain(pass, first, samples, sums.data());
    if (!is_ended(o) && o != outcome::running) return o;
    statistics_.evaluations += samples * per_sample_;
    return o;
  }

  void set_scale(const std::vector<sample_sums> &sums) {
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const double other = set_.complex_values ? sums[k ^ 1].square.value() : 0.0;
      const double square = sums[k].square.value() + other;
      if (square > 0.0) scale_[k] = std::fmin(1.0 / square, 1e300);
    }
  }

  // Shows that nothing is known, unless something is.
  void make_unknown() {
    if (!shown_.there) std::fill_n(chi_square_, set_.ncomp, 0.0);
    shown_.make_unknown();
  }

  sampling_executor &exec_;
  const int64 per_sample_;
  const bool is_recorded_;  // the state of VEGAS
  std::vector<double> scale_;
  int64 begun_ = 0;  // iterations
  outcome pause_ = outcome::running;
};

}  // namespace tessera
