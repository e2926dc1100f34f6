// Where the integrand is smooth and looks alike along many axes, a rule of higher degree brings a region's error down with fewer points
// than its pieces would need. Such a region keeps its box and gets a degree (core/raised_rule.hpp) in place of being divided.
//
// Nothing is taken on trust: only what the null rules and the comparison with the parent have found smooth is raised, the higher degree
// must agree with the value and error that were there, and where its own degrees do not fall it goes no higher.
// For a grid of teams; see bulk_steps.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/raised_rule.hpp"
#include "balance.hpp"
#include "listing.hpp"
#include "survey.hpp"

namespace tessera {

// A region's level, 0 for the rule that every region gets. One that has no suspected face has it in the place of the face.
constexpr int level_shift = 24;
TESSERA_HD int raised_level(uint32 word) {
  return (word & region_raised) != 0u ? static_cast<int>(word >> level_shift & 3u) : 0;
}
TESSERA_HD uint32 with_level(uint32 word, int level) {
  return (word & ~(region_face_place | region_face_high)) | region_raised | static_cast<uint32>(level) << level_shift;
}

// Of what regions without a division would keep at most, so that few raised ones end just above it.
constexpr double raising_aim = 0.15;

// The level to which region i is to be raised; 0: it is not. An error far above `least` takes cuts along all the axes in use, of which each
// brings it down by 2 to the degree plus 1, and each doubles the number of its pieces.
TESSERA_HD int level_to_raise(const bulk_state &st, int64 i, const double *weights, double least) {
  const region_state s = st.regions.state(i);
  const double axes = axes_in_use(s);
  if ((s.word & (region_frozen | region_rough | region_doubtful)) != 0u || !(axes > 0.0)) return 0;
  const int level = raised_level(s.word) + 1;
  if (level > raised_levels) return 0;
  const double far = region_key(st.regions, i, weights) / least;
  if (!(far > 1.0)) return 0;
  int64 spent = st.points;
  for (int l = 1; l < level; ++l) spent += st.set.raised_points[l - 1];
  const double more = static_cast<double>(st.set.raised_points[level - 1]) / (2.0 * static_cast<double>(spent));
  return log2_of(more) * (raised_degree(level - 1) + 1) <= axes * log2_of(far) ? level : 0;
}

constexpr double raised_surprise = 3.0;  // times the error before: what nothing had shown is here
constexpr double steepest_raise = 3e-4;  // no error falls to less than this share of it

// Region i, which has been `before` (region m of that store), has fresh values, errors and word.
TESSERA_HD void correct_raised(const region_view &before, int64 m, const region_view &s, int64 i, int level) {
  region_state state = before.state(m);
  const uint32 fresh = s.state(i).word;
  const bool usable = (fresh & raise_nonfinite) == 0u;
  bool agrees = usable, surprised = !usable;
  TESSERA_ROLLED
  for (int k = 0; k < s.ncomp(); ++k) {
    const double was = before.error(m, k), old = fabs(was), now = s.error(i, k);
    if (!usable) {  // what is known without the points where it is not finite still holds
      s.value(i, k) = before.value(m, k);
      s.error(i, k) = was;
      continue;
    }
    const double difference = fabs(s.value(i, k) - before.value(m, k));
    double e = fabs(now);
    if ((fresh & raise_undecayed) == 0u && e > old) e = old;
    if (difference > old) {
      agrees = false;
      surprised = surprised || difference > raised_surprise * old;
      e = larger(e, difference);
    }
    s.error(i, k) = with_sign(larger(e, steepest_raise * old), signed_error(now) < 0.0);
  }
  const bool goes_on = agrees && (fresh & raise_undecayed) == 0u;
  state.word = with_level(state.word, goes_on ? level : raised_levels) | (surprised ? region_rough : 0u);
  s.state(i) = state;
}

// The error below which nothing is gained, in keys. bin: regions from there up would be divided; allowed: what is tolerated, in keys.
TESSERA_HD double least_to_raise(int bin, double allowed, int64 regions) {
  const double edge = histogram_upper_edge(bin > 0 ? bin - 1 : 0), mean = 1.0 / static_cast<double>(regions);
  return raising_aim * allowed * larger(edge, mean);
}

// Where the list of a level begins: the lists of all levels lie one behind the other.
TESSERA_HD int64 list_of_level(const bulk_progress &at, int level) {
  int64 behind = 0;
  for (int l = 1; l < level; ++l) behind += at.listed[l - 1];
  return behind;
}

// Behind the evaluation of the first n of the list of a level. True: it has failed.
template <class Grid, class Evaluator>
TESSERA_HD bool end_of_raise(Grid &grid, const bulk_state &st, bulk_progress &at, const Evaluator &eval, int64 n,
                             int level) {
  at.raising = 0;
  if (eval.failed()) return true;
  const int64 *const ids = st.marked + list_of_level(at, level);
  const region_view s = st.regions, p = st.parents;
  grid.each(n, [=](int64 m) { correct_raised(p, m, s, ids[m], level); });
  grid.barrier();
  return false;
}

// Raises, of the regions in `bin` and above, those for which that is cheaper than pieces, by one level. Returns the points. Behind a failure of the
// evaluator the regions are not to be used. Where the executor is to evaluate there are pending ones, and it is called once more behind that.
template <class Grid, class Evaluator>
TESSERA_HD TESSERA_APART int64 raise_regions(Grid &grid, bulk_state &st, bulk_progress &at, Evaluator &eval,
                                             const double *weights, int bin, double least) {
  int64 done = 0;
  int level = raised_levels;  // from the highest
  if (at.raising > 0) {
    level = at.raising;
    done = at.raised + st.pending * st.set.raised_points[level - 1];
    if (end_of_raise(grid, st, at, eval, st.pending, level)) return done;
    --level;
  } else {
    list_apart<raised_levels>(
        grid, st, at.count, st.marked,
        [=, &st](int64 i) { return above(st, i, weights, bin) ? level_to_raise(st, i, weights, least) : 0; },
        at.listed);
  }
  for (; level >= 1; --level) {
    const int64 points = st.set.raised_points[level - 1];
    const int64 in_time = st.most_in_step / points > 1 ? st.most_in_step / points : 1;
    int64 most = (st.set.maxeval - at.evaluations - done) / points;
    if (most > in_time) most = in_time;
    if (most > st.parents_capacity) most = st.parents_capacity;
    const int64 n = at.listed[level - 1] < most ? at.listed[level - 1] : most;
    if (n < 1) continue;
    const int64 *const ids = st.marked + list_of_level(at, level);
    const region_view s = st.regions, p = st.parents;
    grid.each(n, [=](int64 m) {
      for (int k = 0; k < s.ncomp(); ++k) {
        p.value(m, k) = s.value(ids[m], k);
        p.error(m, k) = s.error(ids[m], k);
      }
      p.state(m) = s.state(ids[m]);
    });
    grid.barrier();
    if (is_left(st, n, points, Grid::alone_points)) {
      at.pending = n;
      at.raising = level;
      at.raised = done;
      return done;
    }
    eval.raise(grid, s, ids, n, level);
    grid.barrier();
    done += n * points;
    if (end_of_raise(grid, st, at, eval, n, level)) return done;
  }
  return done;
}

}  // namespace tessera
