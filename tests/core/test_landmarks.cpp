// Beside which landmarks a region has been overlooked: blocks with bounds and an order in space give what comparing with each landmark gives,
// and all that is best of 64 groups is there for empty regions.
// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

extern "C" {
#include "cases.h"
#include "close.h"
#include "solve.h"
}
#include "engine/cubature/explore.hpp"

using namespace tessera;

namespace {

constexpr int ndim = 3;
const double zeros[ndim] = {0, 0, 0}, ones[ndim] = {1, 1, 1};
const domain_box cube = {zeros, ones, zeros};

struct store {
  explicit store(int64 n) : numbers(static_cast<std::size_t>(n * region_fields(ndim, 1))), fields(n) {}
  region_view view() { return region_view(numbers.data(), ndim, 1, fields, 1); }
  std::vector<double> numbers;
  int64 fields;
};

// The cube cut at random, more often towards a corner; many regions hold nothing.
int64 divide(store &s, int64 n, uint64_t &seed) {
  const region_view v = s.view();
  for (int j = 0; j < ndim; ++j) v.centre(0, j) = v.half(0, j) = 0.5;
  int64 count = 1;
  while (count < n) {
    const double u = splitmix_uniform(&seed);
    const auto i = static_cast<int64>(u * u * static_cast<double>(count));
    const int axis = static_cast<int>(3 * splitmix_uniform(&seed));
    v.half(i, axis) /= 2;
    for (int j = 0; j < ndim; ++j) v.centre(count, j) = v.centre(i, j), v.half(count, j) = v.half(i, j);
    v.centre(count, axis) += v.half(i, axis);
    v.centre(i, axis) -= v.half(i, axis);
    ++count;
  }
  for (int64 i = 0; i < n; ++i) {
    double distance = 0, volume = 1;
    for (int j = 0; j < ndim; ++j) distance += v.centre(i, j), volume *= 2 * v.half(i, j);
    v.value(i, 0) = splitmix_uniform(&seed) < 0.3 ? 0 : volume * std::exp(-20 * distance * splitmix_uniform(&seed));
  }
  return n;
}

void as_with_each(int64 n, uint64_t seed) {
  store regions(n), boxes(landmarks_kept);
  divide(regions, n, seed);
  const region_view s = regions.view();
  const double scale = 1;
  std::vector<landmark_pair> best(landmark_groups, no_landmarks);
  for (int64 i = 0; i < n; ++i) {
    const landmark l = as_landmark(s, i, cube, &scale);
    keep_better(best[static_cast<std::size_t>(i % landmark_groups)], {l, l});
  }
  landmark_table table = {};
  std::vector<double> bounds(static_cast<std::size_t>(landmark_bounds(ndim)));
  const landmark_set all = {&table, region_view(boxes.numbers.data(), ndim, 0, landmarks_kept, 1), bounds.data()};
  const int groups = static_cast<int>(groups_of(n));
  table.count = count_landmarks(n);
  lone_lane alone;
  for (int t = 0; t < table.count; ++t) order_landmark(alone, all, best.data(), groups, t, s, cube);
  for (int t = 0; t < table.count; ++t) keep_landmark(alone, all, best.data(), groups, t, s);
  for (int t = 0; t < all.blocks() * ndim; ++t) bound_block(alone, all, t);

  // The best of 64 groups, as they are found alone, are there for empty regions.
  for (int g = 0; g < groups_for_empty && g < n; ++g) {
    landmark_pair mark = no_landmarks;
    for (int64 i = g; i < n; i += groups_for_empty) {
      const landmark l = as_landmark(s, i, cube, &scale);
      keep_better(mark, {l, l});
    }
    for (const landmark &m : {mark.densest, mark.fullest}) {
      bool there = m.region < 0;
      for (int t = 0; t < table.count && !there; ++t) {
        there = table.for_empty[t] && table.density[t] == m.density;
        for (int j = 0; j < ndim && there; ++j) there = all.boxes.centre(t, j) == s.centre(m.region, j);
      }
      assert_true(there);
    }
  }

  int found = 0, empty = 0;
  for (int64 i = 0; i < n; ++i) {
    const double density = as_landmark(s, i, cube, &scale).density;
    width_check worst = {0, 0};
    for (int t = 0; t < table.count; ++t) {
      if (!(density < much_less * table.density[t]) || (density == 0 && !table.for_empty[t])) continue;
      const width_check w = compare_widths(s, i, all.boxes, t);
      if (worse(w, worst)) worst = w;
    }
    const width_check got = overlooked(s, i, all, alone, density);
    assert_int_equal(got.times, worst.times);
    assert_int_equal(got.axis, worst.axis);
    if (worst.times != 0) {
      ++found;
      empty += density == 0;
    }
  }
  print_message("%d regions: %d overlooked, %d of them empty\n", static_cast<int>(n), found, empty);
  assert_true(n < 300 || (found > 0 && empty > 0));
}

void blocks_pass_over_nothing(void **) {
  for (const int64 n : {1, 2, 7, 33, 511, 512, 513, 1500, 6000}) as_with_each(n, static_cast<uint64_t>(n));
}

// Which of regions that are alike is a landmark does not go by rounding: the first is, also where another has the larger value by a last bit.
void of_like_regions_the_first(void **) {
  store regions(3);
  const region_view s = regions.view();
  const double scale = 0.7;
  for (int64 i = 0; i < 3; ++i)
    for (int j = 0; j < ndim; ++j) s.centre(i, j) = (2.0 * static_cast<double>(i) + 1) / 6, s.half(i, j) = 1.0 / 6;
  for (const double value : {0.3, 1.0, 12.9e100, 4e-200}) {
    s.value(0, 0) = value;
    s.value(1, 0) = -std::nextafter(value, INFINITY);
    s.value(2, 0) = value * (1 - 1e-15);
    landmark_pair best = no_landmarks;
    for (int64 i = 0; i < 3; ++i) {
      const landmark l = as_landmark(s, i, cube, &scale);
      keep_better(best, {l, l});
    }
    assert_int_equal(best.densest.region, 0);
    assert_int_equal(best.fullest.region, 0);
    s.value(2, 0) = value * (1 + 1e-6);
    const landmark l = as_landmark(s, 2, cube, &scale);
    keep_better(best, {l, l});
    assert_int_equal(best.densest.region, 2);
    assert_int_equal(best.fullest.region, 2);
  }
}

// Lanes put together what they have found in another order than a loop over the regions: the landmarks are the same, of equal ones the first, and none where
// nothing is held.
void in_any_order(void **) {
  uint64_t seed = 28120702;
  for (int times = 0; times < 2000; ++times) {
    const int n = 1 + static_cast<int>(12 * splitmix_uniform(&seed));
    std::vector<landmark_pair> pairs;
    landmark_pair best = no_landmarks;
    for (int64 i = 0; i < n; ++i) {
      const double density = std::floor(3 * splitmix_uniform(&seed)), held = std::floor(3 * splitmix_uniform(&seed));
      if (density > best.densest.density) best.densest = {i, density, held};
      if (held > best.fullest.held) best.fullest = {i, density, held};
      landmark_pair own = no_landmarks;
      keep_better(own, {{i, density, held}, {i, density, held}});
      pairs.push_back(own);
    }
    while (pairs.size() > 1) {
      const auto from = static_cast<std::size_t>(splitmix_uniform(&seed) * static_cast<double>(pairs.size()));
      const landmark_pair other = pairs[from];
      pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(from));
      keep_better(pairs[static_cast<std::size_t>(splitmix_uniform(&seed) * static_cast<double>(pairs.size()))], other);
    }
    assert_int_equal(pairs[0].densest.region, best.densest.region);
    assert_int_equal(pairs[0].fullest.region, best.fullest.region);
    assert_true(pairs[0].densest.held == best.densest.held && pairs[0].fullest.density == best.fullest.density);
  }
}

// A region that is turned to a landmark, or to a break point, is divided along another axis first. The face behind which something is suspected is still across
// the axis that it was across, whichever place that has now.
void a_suspected_face_stays(void **) {
  constexpr int axes = 6;
  std::vector<double> numbers(static_cast<std::size_t>(region_fields(axes, 1)));
  const region_view s(numbers.data(), axes, 1, 1, region_fields(axes, 1));
  const std::vector<double> lower(axes, 0.0), upper(axes, 1.0), grain(axes, 0.0);
  const domain_box domain = {lower.data(), upper.data(), grain.data()};
  const splitting split = make_exploring(make_splitting(0, axes, 1e-3));
  break_table breaks = {};
  breaks.count = 1;
  for (int j = 0; j < axes; ++j) s.centre(0, j) = s.half(0, j) = 0.25;
  for (int face = 0; face < axes_kept; ++face)
    for (int front = 0; front < axes; ++front)
      for (int way = 0; way < 2; ++way) {
        region_state &state = s.state(0);
        state = {0.5f, static_cast<uint32>(face) << 24 | region_face_high};
        for (int q = 0; q < axes_kept; ++q) state.word |= static_cast<uint32>(q + 1) << (6 * q);
        breaks.axis[0] = front;
        breaks.at[0] = 0.3;
        if (way == 0)
          assert_true(turn_to(split, s, 0, {1, front}, domain));
        else
          assert_true(turn_to_uncut(&breaks, s, 0));
        assert_int_equal(ranked_axis(state.word, 0), front);
        assert_int_equal(ranked_axis(state.word, static_cast<int>((state.word & region_face_place) >> 24)), face + 1);
        assert_true((state.word & region_face_high) != 0u);
        // Of a region of a higher degree the same bits are its level.
        state = {-0.5f, state.word};
        const uint32 level = state.word & region_face_place;
        assert_true(turn_to(split, s, 0, {1, (front + 1) % axes}, domain));
        assert_int_equal(state.word & region_face_place, level);
      }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(blocks_pass_over_nothing), cmocka_unit_test(of_like_regions_the_first),
                              cmocka_unit_test(in_any_order), cmocka_unit_test(a_suspected_face_stays)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
