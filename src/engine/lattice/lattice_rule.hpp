// Integration by randomly shifted rank-1 lattice rules (Cranley and Patterson 1976; Sloan and Joe 1994).
//
// The value is the mean over the shifts of the rule's mean, the error that of the mean by Student's t. Where the vector
// holds for a range of n = 2^m, doubling n adds the odd multiples and keeps all others; at the largest n the shifts are
// doubled.
//
// The executor offers
//   run(pass, first item, end item, sums, done)   adds the weighted values of items to sums[shift * ncomp + k], shifts counted
//                                           from pass.first_shift, in the order of the items; returns running, callback, nonfinite,
//                                           memory and, where it looks at the clock itself, time and stopped. done: the items at the
//                                           front whose values are in the sums; all, unless it ended early
//   slice_points()                          points between two looks at the clock
//   recall(pass, sums)                      items at the front of a pass whose values are known from an earlier run, and are in the sums then; 0
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "lattice_estimates.hpp"

namespace tessera {

template <class Executor>
class lattice_rule : private lattice_estimates {
 public:
  // `trial`: the vector with which a change of variables is chosen; it holds for a range of n.
  lattice_rule(Executor &exec, const lattice_settings &settings, const lattice_vector &vector,
               const lattice_vector &trial, double volume, run_hooks &hooks)
      : lattice_estimates(settings, volume, hooks), exec_(exec), vector_(vector), trial_(trial) {}

  // value and error are set unless the integrand failed before there were any.
  outcome run(double *value, double *error, bool &has_value) {
    shown_.begin(value, error);
    statistics_.transform = set_.transform;
    outcome end = outcome::running;
    if (statistics_.transform == 0) end = choose_transform();
    if (end == outcome::running) {
      if (set_.copies > 0)
        end = maximal_rank();
      else if (set_.median > 0)
        end = median();
      else
        end = embedded();
    }
    if (end == outcome::nonfinite) shown_.make_unknown();
    if (end == outcome::evaluations && heavy_tail_) end = outcome::heavy_tail;
    has_value = shown_.there;
    return end;
  }
  const lattice_statistics &statistics() const { return statistics_; }
  int64 bytes() const { return std::max(lattice_bytes(set_), lattice_sum_bytes(set_, most_shifts_there_)); }

 private:
  static constexpr uint64 stream_shifts = 0, stream_trial = 1, stream_median = 2, stream_vectors = 3;
  static constexpr int64 slice_sums = int64{1} << 22;  // that the executor keeps in the meantime

  // ---- Memory ----------------------------------------
  // Half of it is for the sums of shifts, half for those of the items of a slice.
  bool has_room(int64 shifts) {
    most_shifts_there_ = std::max(most_shifts_there_, shifts);
    return lattice_sum_bytes(set_, shifts) <= set_.memory / 2;
  }
  int64 most_sums() const {
    return std::min(slice_sums, set_.memory / 4 / static_cast<int64>(sizeof(compensated_sum)));
  }

  // ---- Passes ----------------------------------------
  // Adds a pass to sums, in slices. A run that ends here without a value gets what there is.
  outcome run_pass(const lattice_pass &pass, shift_sums &sums) {
    const int64 per_shift = items_per_shift(pass), items = per_shift * pass.shifts;
    const int64 slice = std::max<int64>(
        1, std::min(exec_.slice_points() / std::min(pass.count, lattice_item), most_sums() / set_.ncomp));
    const auto points = [&](int64 item) {
      return item / per_shift * pass.count + std::min(pass.count, item % per_shift * lattice_item);
    };
    const int64 known = exec_.recall(pass, sums.data());
    statistics_.evaluations += points(known);
    if (known > 0) pause_ = shown_.look(statistics_.evaluations);
    for (int64 i = known; i < items; i += slice) {
      const int64 end = std::min(items, i + slice);
      int64 done = 0;
      outcome o = exec_.run(pass, i, end, sums.data(), done);
      statistics_.evaluations += points(i + done) - points(i);
      if (o == outcome::nonfinite) return o;
      if (o == outcome::running) pause_ = shown_.look(statistics_.evaluations);  // after a whole pass its result counts
      if (is_ended(o)) pause_ = o;
      if (o == outcome::running && end < items) o = pause_;
      if (o != outcome::running) {
        take_unfinished(pass, sums, points(i + done), (i + done) / per_shift, !is_ended(o));
        return o;
      }
    }
    ++statistics_.passes;
    return outcome::running;
  }

  lattice_pass pass_of(const uint64 *z, uint64 n, int64 shifts, uint64 stream) const {
    lattice_pass p;
    p.z = z;
    p.n = n;
    p.first = 0;
    p.stride = 1;
    p.count = static_cast<int64>(n);
    p.first_shift = 0;
    p.shifts = shifts;
    p.source = {set_.seed, stream, 0};
    p.transform = statistics_.transform;
    p.trial = stream == stream_trial;
    return p;
  }

  // The odd multiples, by which a rule of n points becomes one of 2n.
  lattice_pass doubling_of(const uint64 *z, uint64 n, int64 shifts, uint64 stream) const {
    lattice_pass p = pass_of(z, 2 * n, shifts, stream);
    p.first = 1;
    p.stride = 2;
    p.count = static_cast<int64>(n);
    return p;
  }

  // A pass over shifts behind those that are in the sums.
  outcome run_more(lattice_pass pass, int64 before, shift_sums &sums) {
    pass.first_shift = before;
    sums.resize(index(before + pass.shifts, 0));
    shift_sums fresh = sums_of(pass.shifts);
    const outcome o = run_pass(pass, fresh);
    if (o == outcome::running) std::copy(fresh.begin(), fresh.end(), &sums[index(before, 0)]);
    return o;
  }

  // ---- Embedded sequences, and more shifts ----------------------------------------
  outcome embedded() {
    int64 shifts = set_.shifts;
    uint64 n = vector_.most;
    if (vector_.least < vector_.most) {
      n = vector_.least;
      while (2 * n <= set_.points && n < vector_.most) n *= 2;
    }
    // A first rule, and where n can grow a second one, within the limit: fewer points, then fewer shifts.
    const bool range = n < vector_.most;
    while (n > 1 && range && !affordable(2 * static_cast<int64>(n) * shifts)) n /= 2;
    if (!affordable(static_cast<int64>(n) * shifts))
      shifts = std::max<int64>(2, evaluations_left() / static_cast<int64>(n));
    shift_sums sums = sums_of(shifts);
    outcome o = run_pass(pass_of(vector_.z.data(), n, shifts, stream_shifts), sums);
    if (o != outcome::running) return o;
    for (;;) {
      o = conclude(sums, n, shifts, range);
      if (o != outcome::running) return o;
      const int64 more = static_cast<int64>(n) * shifts;
      if (!affordable(more)) return outcome::evaluations;
      if (n < vector_.most) {
        shift_sums next = sums;  // an interrupted pass leaves no trace
        o = run_pass(doubling_of(vector_.z.data(), n, shifts, stream_shifts), next);
        if (o != outcome::running) return o;
        sums.swap(next);
        n *= 2;
      } else {
        if (shifts >= most_shifts) return outcome::evaluations;
        if (!has_room(2 * shifts)) return outcome::memory;
        o = run_more(pass_of(vector_.z.data(), n, shifts, stream_shifts), shifts, sums);
        if (o != outcome::running) return o;
        shifts *= 2;
      }
    }
  }

  // ---- The median rule ----------------------------------------
  // For each n the vector with the median value of one shift among random ones (Goda and L'Ecuyer, SIAM J. Sci. Comput. 44
  // (2022) A2765), then fresh shifts with it. Nothing is kept from one n to the next.
  outcome median() {
    const int64 shifts = set_.shifts, all = shifts + set_.median;
    uint64 n = 1;
    while (2 * n <= set_.points) n *= 2;
    while (n > 1 && !affordable(static_cast<int64>(n) * all)) n /= 2;
    for (;;) {
      std::vector<uint64> z(static_cast<std::size_t>(set_.ndim));
      outcome o = median_vector(n, z);
      if (o != outcome::running) return o;
      shift_sums sums = sums_of(shifts);
      o = run_pass(pass_of(z.data(), n, shifts, stream_shifts), sums);
      if (o != outcome::running) return o;
      o = conclude(sums, n, shifts, true);
      if (o != outcome::running) return o;
      uint64 next = 4 * n;
      if (next > most_median_points || !affordable(static_cast<int64>(next) * all)) next = 2 * n;
      if (next > most_median_points || !affordable(static_cast<int64>(next) * all)) return outcome::evaluations;
      n = next;
    }
  }

  outcome median_vector(uint64 n, std::vector<uint64> &z) {
    const int64 many = set_.median;
    const auto component = [&](int64 v, int j) {
      return (random_bits(set_.seed, stream_vectors + n, static_cast<uint64>(v), static_cast<uint64>(j)) | 1u) &
             (n - 1);
    };
    std::vector<double> values(static_cast<std::size_t>(many * set_.ncomp));
    for (int64 v = 0; v < many; ++v) {
      for (int j = 0; j < set_.ndim; ++j) z[static_cast<std::size_t>(j)] = component(v, j);
      shift_sums sums = sums_of(1);
      lattice_pass pass = pass_of(z.data(), n, 1, stream_median);
      pass.source.stream += 2 * n;  // other shifts for other n
      const outcome o = run_pass(pass, sums);
      if (o != outcome::running) return o;
      keep_spare(sums, n, 1);
      if (pause_ != outcome::running) {
        if (!shown_.there) take_spare();
        return pause_;
      }
      for (int k = 0; k < set_.ncomp; ++k)
        values[static_cast<std::size_t>(k * many + v)] = sums[static_cast<std::size_t>(k)].value();
    }
    // Several components: the vector that is nearest to the medians, in units of the components' spread.
    std::vector<double> middle(static_cast<std::size_t>(set_.ncomp)), spread(middle);
    for (std::size_t k = 0; k < middle.size(); ++k) {
      const double *of = &values[k * static_cast<std::size_t>(many)];
      std::vector<double> sorted(of, of + many);
      std::sort(sorted.begin(), sorted.end());
      middle[k] = sorted[static_cast<std::size_t>(many / 2)];
      for (double &v : sorted) v = fabs(v - middle[k]);
      std::sort(sorted.begin(), sorted.end());
      spread[k] = sorted[static_cast<std::size_t>(many / 2)];
    }
    std::vector<double> distance(static_cast<std::size_t>(many), 0.0);
    for (std::size_t k = 0; k < middle.size(); ++k) {
      const double unit =
          magnitude(set_, static_cast<int>(k), [&](int c) { return spread[static_cast<std::size_t>(c)]; });
      const double *of = &values[k * static_cast<std::size_t>(many)];
      for (std::size_t v = 0; v < distance.size(); ++v)
        if (of[v] != middle[k]) distance[v] += fabs(of[v] - middle[k]) / (unit > 0.0 ? unit : 1.0);
    }
    const int64 best = std::min_element(distance.begin(), distance.end()) - distance.begin();
    for (int j = 0; j < set_.ndim; ++j) z[static_cast<std::size_t>(j)] = component(best, j);
    return outcome::running;
  }

  // ---- Maximal rank ----------------------------------------
  // Q_r has m^r copies of the rule, by multiples of 1/m along the first r axes. The error of Q_d is the root mean square of its
  // differences to the rules Q^(i) without the copies along axis i, which are part of it (Sloan and Joe 1994, chapter 10).
  outcome maximal_rank() {
    const int64 m = set_.copies;
    const uint64 n = vector_.most;
    shift_sums sums;
    int64 copies = 1, before = 0;
    for (int r = 0; r <= set_.ndim; ++r) {
      if (r > 0) {
        if (copies > most_copies / m || !has_room(copies * m)) return outcome::memory;
        before = copies;
        copies *= m;
      }
      if (r > 0 && (copies - before > evaluations_left() / static_cast<int64>(n))) return outcome::evaluations;
      lattice_pass pass = pass_of(vector_.z.data(), n, copies - before, stream_shifts);
      pass.source.copies = static_cast<uint64>(m);
      const outcome o = run_more(pass, before, sums);
      if (o != outcome::running) return o;
      for (int k = 0; k < set_.ncomp; ++k) rank_estimate(sums, n, copies, r, k);
      shown_.there = true;
      statistics_.points = n * static_cast<uint64>(copies);
      statistics_.shifts = 1;
      if (pause_ != outcome::running) return pause_;
    }
    bool met = statistics_.evaluations >= set_.mineval;
    for (int k = 0; k < set_.ncomp; ++k) met = met && shown_.error[k] <= tolerated(set_, k, shown_.now());
    return met ? outcome::converged : outcome::evaluations;
  }

  // ---- Choice of the change of variables ----------------------------------------
  // Each candidate integrates with few shifts of its own, with more and more points until one meets the tolerance or the
  // trial has had its share of the evaluations. The one that is expected to need the fewest points, at the rate seen last,
  // wins. One that meets a value which is not finite is out.
  outcome choose_transform() {
    constexpr int candidates[] = {transform_none,        transform_baker,       transform_korobov + 1,
                                  transform_korobov + 2, transform_korobov + 3, transform_sidi + 3};
    constexpr int64 many = sizeof candidates / sizeof candidates[0], shifts = 8, share = 8;
    constexpr uint64 first = 256, last = 65536;
    shift_sums sums[many];
    std::vector<trial_history> history[many];
    int64 able = 0, gone = 0;  // candidates, and those that have been dropped
    for (int64 c = 0; c < many; ++c) {
      sums[c].resize(index(shifts, 0));
      history[c].resize(static_cast<std::size_t>(set_.ncomp));
      able += weight_spread(candidates[c]) <= most_spread ? 1 : 0;
    }
    bool dropped[many] = {};  // it has met a value that is not finite, at a point that others may not come to
    int64 chosen = 0;
    uint64 done = 0;
    for (uint64 n = first;
         n <= last && n <= trial_.most && static_cast<int64>(n) * shifts * many <= set_.maxeval / share; n *= 4) {
      double best = infinity_value();
      for (int64 c = 0; c < many; ++c) {
        if (dropped[c] || weight_spread(candidates[c]) > most_spread) continue;
        statistics_.transform = candidates[c];
        const outcome o = trial_points(sums[c], done, n, shifts);
        if (o == outcome::nonfinite) {
          dropped[c] = true;
          if (++gone == able) return o;
          continue;
        }
        if (o != outcome::running) return o;
        keep_spare(sums[c], n, shifts);
        if (pause_ != outcome::running) {  // what the trial found is the result
          take_spare();
          return pause_;
        }
        const double score = points_needed(sums[c], n, shifts, history[c]);
        if (score < best) best = score, chosen = c;
      }
      done = n;
      shown_.foresee(static_cast<double>(statistics_.evaluations) + best * set_.shifts);
      if (best <= static_cast<double>(n)) break;
    }
    while (dropped[chosen]) ++chosen;
    statistics_.transform = candidates[chosen];
    statistics_.passes = 0;
    return outcome::running;
  }

  // From `done` to n points.
  outcome trial_points(shift_sums &sums, uint64 done, uint64 n, int64 shifts) {
    if (done == 0) return run_pass(pass_of(trial_.z.data(), n, shifts, stream_trial), sums);
    for (uint64 half = done; half < n; half *= 2) {
      const outcome o = run_pass(doubling_of(trial_.z.data(), half, shifts, stream_trial), sums);
      if (o != outcome::running) return o;
    }
    return outcome::running;
  }

  static constexpr double most_spread = 100.0;  // of what is tried
  static constexpr int64 most_shifts = 65536;
  static constexpr int64 most_copies = int64{1} << 24;
  static constexpr uint64 most_median_points = uint64{1} << 31;

  Executor &exec_;
  const lattice_vector &vector_, &trial_;
  int64 most_shifts_there_ = 0;
};

}  // namespace tessera
