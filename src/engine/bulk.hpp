// Bulk subdivision: each step divides all regions whose error is above a threshold.
//
// The threshold is the largest one below which the regions together hold at most a given share of the tolerated error. It
// is found from a histogram over the exponents and leading bits of the errors: counts are integers, so it does not depend
// on the order of the work, and the upper edge of a bin times its count bounds the error it holds. Regions that are not
// divided do not move; of the pieces the first takes its parent's place and the others are appended.
//
// Work over regions is cut into chunks by index. What a chunk does is written for a team of lanes that share it: one lane
// on a host thread, the threads of a block on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "histogram.hpp"
#include "initial.hpp"
#include "problem.hpp"
#include "region_store.hpp"
#include "settle.hpp"
#include "split.hpp"
#include "totals.hpp"

namespace tessera {

// ---- What a team does with one chunk --------------------------------------------------------------------------------

// Sums of value and error, the error of frozen regions, and the histogram of the keys of a chunk.
template <class Team>
TESSERA_HD void survey_chunk(Team &team, const region_view &s, int64 begin, int64 end, const double *scale,
                             compensated_sum *sums, int64 *counts) {
  const int nc = s.ncomp();
  for (int b = team.lane(); b < histogram_bins; b += team.lanes()) counts[b] = 0;
  team.sync();
  for (int k = 0; k < nc; ++k) {
    compensated_sum value, error;
    for (int64 i = begin + team.lane(); i < end; i += team.lanes()) {
      value.add(s.value(i, k));
      error.add(s.error(i, k));
    }
    team.sum(value);
    team.sum(error);
    if (team.lane() == 0) {
      sums[2 * k] = value;
      sums[2 * k + 1] = error;
    }
  }
  compensated_sum frozen;
  for (int64 i = begin + team.lane(); i < end; i += team.lanes()) {
    const double key = region_key(s, i, scale);
    if ((s.state(i).word & region_frozen) != 0u) {
      frozen.add(key);
    } else {
      team.count(&counts[histogram_bin(key)]);
    }
  }
  team.sum(frozen);
  if (team.lane() == 0) sums[2 * nc] = frozen;
  team.sync();
}

// Appends the regions of the chunk whose bin is at least `bin` to the list at place `at`, in the order of their indices;
// nothing is written at or behind `most`.
template <class Team>
TESSERA_HD void mark_chunk(Team &team, const region_view &s, int64 begin, int64 end, const double *scale, int bin, int64 at,
                           int64 most, int64 *list) {
  for (int64 from = begin; from < end; from += team.lanes()) {
    const int64 i = from + team.lane();
    const bool marked = i < end && (s.state(i).word & region_frozen) == 0u && histogram_bin(region_key(s, i, scale)) >= bin;
    const int64 place = team.place(marked, at);
    if (marked && place < most) list[place] = i;
  }
}

// ---- The driver -----------------------------------------------------------------------------------------------------

template <class Executor, class Evaluator>
class bulk {
 public:
  bulk(Executor &exec, Evaluator &eval, const cubature_settings &settings, run_hooks &hooks)
      : exec_(exec),
        eval_(eval),
        set_(settings),
        hooks_(hooks),
        split_(make_splitting(settings.splitting, settings.ndim)),
        record_bytes_(8 * region_fields(settings.ndim, settings.ncomp)),
        capacity_(std::max<int64>(settings.memory / (2 * record_bytes_), 2 * split_.pieces)),
        store_(exec, settings.ndim, settings.ncomp),
        parents_(exec, settings.ndim, settings.ncomp),
        totals_(settings.ncomp),
        retired_(settings.ncomp),
        scale_(static_cast<std::size_t>(settings.ncomp), 1.0),
        now_(2 * static_cast<std::size_t>(settings.ncomp)) {
    stats_.region_bytes = record_bytes_;
  }

  outcome run(const double *lower, const double *upper, double *value, double *error) {
    outcome o = start(lower, upper);
    while (o == outcome::running) o = step();
    if (stats_.evaluations > 0) {
      stats_.regions = live();
      totals_.read(set_, stats_.regions, value, error);
    }
    return o;
  }
  const cubature_statistics &statistics() const { return stats_; }

 private:
  outcome start(const double *lower, const double *upper) {
    reserve(1, 1);
    make_root(store_.view(), 0, lower, upper);
    outcome o = eval_.evaluate(store_.view(), {nullptr, 0}, 1);
    if (o == outcome::callback || o == outcome::memory) return o;
    if (o == outcome::nonfinite) make_unknown(store_.view(), 0);
    stats_.evaluations = eval_.points();
    regions_ = 1;
    survey();
    if (o != outcome::running) return o;
    int bits = halvings(set_.initial_regions);
    while (bits > 0 && (((int64{1} << bits) + 1) * eval_.points() > set_.maxeval || (int64{1} << bits) > capacity_)) --bits;
    return bits > 0 ? partition(int64{1} << bits, bits) : o;
  }

  outcome partition(int64 n, int bits) {
    reserve(n, 1);
    parents_.view().copy(0, store_.view(), 0);
    const region_view s = store_.view(), p = parents_.view();
    exec_.for_each(n, [=](int64 m) { make_cell(p, 0, bits, m, s, m); });
    const outcome o = eval_.evaluate(s, {nullptr, 0}, n);
    if (o != outcome::running) return o;  // the totals are still those of the root
    regions_ = n;
    stats_.evaluations += n * eval_.points();
    ++stats_.iterations;
    settle_cells(split_, p, 0, s, n, [](int64 q) { return q; });
    survey();
    return o;
  }

  outcome step() {
    totals_.read(set_, live(), now_.data(), now_.data() + set_.ncomp);
    if (stats_.iterations > 0 && stats_.evaluations >= set_.mineval && totals_.converged(set_, live())) return outcome::converged;
    const outcome stop = hooks_.between_steps(stats_.evaluations, now_.data(), now_.data() + set_.ncomp);
    if (stop != outcome::running) return stop;
    const int64 affordable = (set_.maxeval - stats_.evaluations) / (split_.pieces * eval_.points());
    if (affordable < 1) return outcome::evaluations;
    int64 room = (capacity_ - regions_) / (split_.pieces - 1);
    if (room < 1) {
      if (!make_room()) return outcome::memory;
      room = (capacity_ - regions_) / (split_.pieces - 1);
    }
    const int64 marked = mark(std::min(affordable, room));
    if (marked == 0) return retired_regions_ > 0 ? outcome::memory : outcome::roundoff;
    return divide(marked);
  }

  int64 live() const { return regions_ + retired_regions_; }

  // Totals, histogram and weights of all regions as they are now.
  void survey() {
    const region_view s = store_.view();
    const int nc = set_.ncomp;
    chunks_ = std::max<int64>(1, std::min<int64>(most_chunks, regions_ / least_chunk));
    sums_.resize(static_cast<std::size_t>(chunks_ * (2 * nc + 1)));
    counts_.resize(static_cast<std::size_t>(chunks_ * histogram_bins));
    if (stats_.iterations == 0) {
      totals_.clear();
      totals_.add(s, 0, 1.0);
    }
    rescale();
    const double *scale = scale_.data();
    exec_.for_chunks(chunks_, [&](auto &team, int64 c) {
      survey_chunk(team, s, begin(c), begin(c + 1), scale, &sums_[static_cast<std::size_t>(c * (2 * nc + 1))],
                   &counts_[static_cast<std::size_t>(c * histogram_bins)]);
    });
    totals_.clear();
    compensated_sum frozen;
    for (int64 c = 0; c < chunks_; ++c) {
      const compensated_sum *sums = &sums_[static_cast<std::size_t>(c * (2 * nc + 1))];
      totals_.add(sums);
      frozen.add(sums[2 * nc]);
    }
    totals_.add(retired_);
    frozen_ = frozen.value();
  }

  // Keys are errors over tolerated errors, of the worst component.
  void rescale() {
    for (int k = 0; k < set_.ncomp; ++k) {
      const double t = std::fmax(tolerated(set_, totals_.value(k)), totals_.error(k) * smallest_target);
      scale_[static_cast<std::size_t>(k)] = t > 0.0 ? 1.0 / t : 1.0;
    }
  }

  int64 begin(int64 chunk) const { return chunk * regions_ / chunks_; }
  int64 count(int64 chunk, int bin) const { return counts_[static_cast<std::size_t>(chunk * histogram_bins + bin)]; }
  int64 count(int bin) const {
    int64 n = 0;
    for (int64 c = 0; c < chunks_; ++c) n += count(c, bin);
    return n;
  }

  // Lists the regions to divide, at most `most`; returns their number.
  int64 mark(int64 most) {
    int bin = 0;
    double held = std::fmin(frozen_, 0.9 * set_.bulk_fraction);
    while (bin < histogram_bins) {
      held += static_cast<double>(count(bin)) * histogram_upper_edge(bin);
      if (held > set_.bulk_fraction) break;
      ++bin;
    }
    int top = histogram_bins - 1;
    while (top > 0 && count(top) == 0) --top;
    bin = std::min(bin, top);
    int64 n = count(top);
    int lowest = top;
    while (lowest > bin && n + count(lowest - 1) <= most) n += count(--lowest);
    return list(lowest, most);
  }

  // Lists the regions whose bin is at least `bin`, the first `most` of them.
  int64 list(int bin, int64 most) {
    std::vector<int64> at(static_cast<std::size_t>(chunks_ + 1), 0);
    for (int64 c = 0; c < chunks_; ++c) {
      at[static_cast<std::size_t>(c + 1)] = at[static_cast<std::size_t>(c)];
      for (int b = bin; b < histogram_bins; ++b) at[static_cast<std::size_t>(c + 1)] += count(c, b);
    }
    const int64 n = std::min(at.back(), most);
    marked_.resize(static_cast<std::size_t>(n));
    const region_view s = store_.view();
    exec_.for_chunks(chunks_, [&](auto &team, int64 c) {
      mark_chunk(team, s, begin(c), begin(c + 1), scale_.data(), bin, at[static_cast<std::size_t>(c)], n, marked_.data());
    });
    return n;
  }

  outcome divide(int64 marked) {
    const int pieces = split_.pieces;
    reserve(regions_ + marked * (pieces - 1), marked);
    const region_view s = store_.view(), p = parents_.view();
    const int64 *list = marked_.data();
    const int64 n = regions_;
    const splitting split = split_;
    exec_.for_each(marked, [=](int64 m) {
      p.copy(m, s, list[m]);
      for (int q = 0; q < pieces; ++q) make_piece(split, p, m, q, s, piece_place(list, n, pieces, m, q));
    });
    children_.resize(static_cast<std::size_t>(marked * pieces));
    for (int64 m = 0; m < marked; ++m)
      for (int q = 0; q < pieces; ++q)
        children_[static_cast<std::size_t>(m * pieces + q)] = piece_place(list, n, pieces, m, q);
    const outcome o = eval_.evaluate(s, {children_.data(), 0}, marked * pieces);
    if (o != outcome::running) {
      for (int64 m = 0; m < marked; ++m) s.copy(list[m], p, m);  // the totals stay as they were
      return o;
    }
    const int estimate = set_.estimate;
    exec_.for_each(marked, [=](int64 m) {
      settle(estimate, split, p, m, s, [=](int64 q) { return piece_place(list, n, pieces, m, q); });
    });
    regions_ += marked * (pieces - 1);
    stats_.evaluations += marked * pieces * eval_.points();
    ++stats_.iterations;
    survey();
    return o;
  }

  TESSERA_HD static int64 piece_place(const int64 *list, int64 regions, int pieces, int64 m, int64 q) {
    return q == 0 ? list[m] : regions + m * (pieces - 1) + q - 1;
  }

  // When the store is full, the regions with the smallest errors, about half, are summed up and forgotten; kept ones from
  // the end take their places. False when that no longer helps.
  bool make_room() {
    int bin = histogram_bins - 1;
    int64 kept = count(bin);
    while (bin > 0 && 2 * (kept + count(bin - 1)) <= regions_) kept += count(--bin);
    if (kept == 0) return false;
    list(bin, regions_);
    std::vector<char> keep(static_cast<std::size_t>(regions_), 0);
    for (const int64 i : marked_) keep[static_cast<std::size_t>(i)] = 1;
    const region_view s = store_.view();
    int64 from = regions_;
    for (int64 i = 0; i < regions_; ++i)
      if (!keep[static_cast<std::size_t>(i)]) retired_.add(s, i, 1.0);
    for (int64 i = 0; i < kept; ++i) {
      if (keep[static_cast<std::size_t>(i)]) continue;
      do --from;
      while (!keep[static_cast<std::size_t>(from)]);
      s.copy(i, s, from);
    }
    retired_regions_ += regions_ - kept;
    regions_ = kept;
    survey();
    for (int k = 0; k < set_.ncomp; ++k)
      if (totals_.error(k) > 2.0 * retired_.error(k)) return true;
    return false;
  }

  void reserve(int64 regions, int64 marked) {
    store_.reserve(regions, capacity_);
    parents_.reserve(marked, capacity_);
    stats_.peak_bytes = std::max(stats_.peak_bytes, (store_.capacity() + parents_.capacity()) * record_bytes_);
  }

  static constexpr int64 most_chunks = 256;
  static constexpr int64 least_chunk = 1024;
  static constexpr double smallest_target = 1.0 / 1024;  // of the present error, where less is tolerated

  Executor &exec_;
  Evaluator &eval_;
  const cubature_settings &set_;
  run_hooks &hooks_;
  const splitting split_;
  const int64 record_bytes_;
  const int64 capacity_;
  region_store<Executor> store_;
  region_store<Executor> parents_;  // the regions being divided, as they were
  component_totals totals_, retired_;
  std::vector<double> scale_, now_;
  std::vector<compensated_sum> sums_;  // [chunk][2*ncomp + 1]
  std::vector<int64> counts_;          // [chunk][bin]
  std::vector<int64> marked_, children_;
  double frozen_ = 0.0;
  int64 chunks_ = 1;
  int64 regions_ = 0;
  int64 retired_regions_ = 0;
  cubature_statistics stats_;
};

}  // namespace tessera
