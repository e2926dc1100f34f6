// The same first n = 2^m points of a sequence under every random shift: each shift gives an independent mean, from whose
// spread comes the error. Doubling n keeps all evaluations. A doubling that is interrupted leaves no trace; of the first points what
// there is is taken as if it were independent.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "sampling_passes.hpp"

namespace tessera {

class shifted_points : protected sampling_passes {
 protected:
  using sampling_passes::sampling_passes;

  outcome shifted() {
    statistics_.sampling = sampling_plain;
    const int64 all = set_.maxeval / per_sample_;
    const int64 shifts = std::max<int64>(2, std::min(set_.shifts, all / least_samples));
    const int64 most = std::min(all / shifts, int64{1} << sobol_most_log),
                first = set_.generator == generator_curand_sobol ? exec_.slice_samples(false) : most;
    int64 n = least_samples;
    while (n < set_.points && 2 * n <= std::min(most, first)) n *= 2;
    if (!has_room(least_samples, false)) return outcome::memory;
    net_columns_ = 1;
    while (int64{2} << net_columns_ <= most) ++net_columns_;
    std::vector<compensated_sum> totals(count(shifts * set_.ncomp));
    sample_pool pool(set_.ncomp);
    for (int64 done = 0;; n *= 2) {
      outcome o = add_points(done, n, shifts, totals, pool);
      if (is_ended(o) && !shown_.there && pool.samples() > 0.0) show(pool, false);
      if (o != outcome::running) return o;
      done = n;
      ++statistics_.iterations;
      show_shifts(totals, shifts, n, pool);
      pause_ = look();
      o = judge();
      if (o == outcome::running) o = pause_;
      if (o != outcome::running) return o;
      if (n > most / 2) return outcome::evaluations;
    }
  }

 private:
  // Points done ... n - 1 of every shift. A slice goes through all shifts, so that its points are made once; the shifts of a call have no
  // more samples than a slice.
  outcome add_points(int64 done, int64 n, int64 shifts, std::vector<compensated_sum> &totals, sample_pool &pool) {
    ++begun_;
    const double all = static_cast<double>(n - done) * static_cast<double>(shifts);
    const int64 slice = exec_.slice_samples(false);
    while (done < n) {
      const int64 part = part_of(n - done, slice);
      int64 together = std::max<int64>(1, slice / part);
      if (set_.generator == generator_sobol) together = std::min(together, nets_together(set_, net_columns_));
      for (int64 shift = 0, many; shift < shifts; shift += many) {
        many = std::min(together, shifts - shift);
        std::vector<sample_sums> sums(count(many * set_.ncomp));
        sample_pass pass = pass_of(stream_plain, static_cast<double>(part), static_cast<double>(part) / all);
        pass.shift = shift;
        if (set_.generator == generator_sobol) pass.sobol = nets_of(shift, many);
        int64 made = part * many;
        const outcome o = exec_.run_shifts(pass, done, part, many, sums.data(), made);
        if (o != outcome::running && !is_ended(o)) return o;
        statistics_.evaluations += made * per_sample_;
        for (int64 r = 0; r < many && made > 0; ++r, made -= part) {
          const auto at = sums.begin() + r * set_.ncomp;
          pool.add({at, at + set_.ncomp}, static_cast<double>(std::min(made, part)));
          for (int k = 0; k < set_.ncomp; ++k)
            totals[count((shift + r) * set_.ncomp + k)].add(static_cast<double>(part) * at[k].value.value());
        }
        if (o != outcome::running) return o;
        if (!shown_.there) continue;
        pause_ = look();
        if (pause_ != outcome::running) return pause_;
      }
      done += part;
    }
    return outcome::running;
  }

  // Randomisations shift, shift + 1, ...
  sobol_net nets_of(int64 shift, int64 many) {
    const int64 words = sobol_words(set_.ndim, net_columns_);
    if (first_net_ != shift || static_cast<int64>(nets_.size()) != many * words) {
      nets_.resize(count(many * words));
      for (int64 r = 0; r < many; ++r)
        scramble_sobol(set_.seed, static_cast<uint32>(shift + r), set_.ndim, net_columns_, &nets_[count(r * words)]);
      first_net_ = shift;
    }
    return {nets_.data(), net_columns_};
  }

  std::vector<uint64> nets_;  // randomisations first_net_ and those behind it
  int64 first_net_ = -1;
  int net_columns_ = 1;
};

}  // namespace tessera
