// The parts of Monte Carlo: generator, grid, strata, moments, confidence. Philox is held against the answers published with
// Random123 and, where its header is there, against its code.
// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <numeric>
#include <vector>

#ifdef TESSERA_TEST_RANDOM123
#include <Random123/philox.h>
#include <Random123/threefry.h>
#endif

extern "C" {
#include <cmocka.h>  // after all others: its macros have names of theirs
}

#include "cases.h"
#include "close.h"
#include "core/normal.hpp"
#include "core/philox_lanes.hpp"
#include "core/skewed_means.hpp"
#include "engine/montecarlo/importance_grid.hpp"
#include "engine/montecarlo/monte_carlo.hpp"
#include "engine/montecarlo/sample_pool.hpp"
#include "engine/montecarlo/sampling_state.hpp"
#include "engine/montecarlo/strata.hpp"

using namespace tessera;

namespace {

int failures = 0;

void expect(bool good, const char *what, double detail) {
  if (good) return;
  if (++failures < 40) printf("FAILED: %s (%.17g)\n", what, detail);
}

#define finish() assert_int_equal(failures, 0)

int begin(void **) {
  failures = 0;
  return 0;
}

// ---- Generator ----------------------------------------------------------------------------------------------------------
void philox_gives_the_published_answers(void **) {
  struct answer {
    uint32_t counter[4], key[2], result[4];
  };
  // Random123, tests/kat_vectors: philox4x32 with 10 rounds.
  static const answer answers[] = {{{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
                                   {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                                    {0xffffffff, 0xffffffff},
                                    {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
                                   {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                                    {0xa4093822, 0x299f31d0},
                                    {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  for (const answer &a : answers) {
    const philox_block r =
        philox10({{a.counter[0], a.counter[1], a.counter[2], a.counter[3]}}, philox_schedule(a.key[0], a.key[1]));
    for (int i = 0; i < 4; ++i) assert_int_equal(r.word[i], a.result[i]);
  }
}

void philox_is_that_of_random123(void **) {
#ifdef TESSERA_TEST_RANDOM123
  uint64_t state = 4711;
  for (int i = 0; i < 1000000; ++i) {
    const uint64_t a = splitmix64(&state), b = splitmix64(&state), k = splitmix64(&state);
    const auto low = [](uint64_t v) { return static_cast<uint32_t>(v); };
    const auto high = [](uint64_t v) { return static_cast<uint32_t>(v >> 32); };
    const r123::Philox4x32::ctr_type counter = {{low(a), high(a), low(b), high(b)}};
    const r123::Philox4x32::key_type key = {{low(k), high(k)}};
    const r123::Philox4x32::ctr_type theirs = r123::Philox4x32()(counter, key);
    const philox_block ours = philox10({{low(a), high(a), low(b), high(b)}}, philox_schedule(low(k), high(k)));
    for (std::size_t j = 0; j < 4; ++j) expect(ours.word[j] == theirs[j], "word of Philox", static_cast<double>(i));
  }
  finish();
#else
  skip();
#endif
}

void threefry_gives_the_published_answers(void **) {
  // Random123, tests/kat_vectors: threefry4x64 with 20 rounds.
  constexpr uint64_t all = ~uint64_t{0};
  const threefry_block zeros = threefry20({{0, 0, 0, 0}}, {{0, 0, 0, 0}}),
                       ones = threefry20({{all, all, all, all}}, {{all, all, all, all}});
  static const uint64_t of_zeros[4] = {0x09218ebde6c85537, 0x55941f5266d86105, 0x4bd25e16282434dc, 0xee29ec846bd2e40b},
                        of_ones[4] = {0x29c24097942bba1b, 0x0371bbfb0f6f4e11, 0x3c231ffa33f83a1c, 0xcd29113fde32d168};
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(zeros.word[i], of_zeros[i]);
    assert_int_equal(ones.word[i], of_ones[i]);
  }
}

void threefry_is_that_of_random123(void **) {
#ifdef TESSERA_TEST_RANDOM123
  uint64_t state = 4712;
  for (int i = 0; i < 1000000; ++i) {
    threefry_block counter, key;
    threefry4x64_ctr_t their_counter;
    threefry4x64_key_t their_key;
    for (int j = 0; j < 4; ++j) {
      their_counter.v[j] = counter.word[j] = splitmix64(&state);
      their_key.v[j] = key.word[j] = splitmix64(&state);
    }
    const threefry_block ours = threefry20(counter, key);
    const threefry4x64_ctr_t theirs = threefry4x64_R(20, their_counter, their_key);
    for (int j = 0; j < 4; ++j) expect(ours.word[j] == theirs.v[j], "word of Threefry", i);
  }
  finish();
#else
  skip();
#endif
}

// Whoever makes the points of the host, they are those of our text, which devices have.
void points_are_those_of_the_text(void **) {
  for (uint64_t i = 0; i < 20000; ++i) {
    const uint64_t index = i * 0x123456789abcdu;
    const auto stream = static_cast<uint32_t>(i % 7), group = static_cast<uint32_t>(i % 300);
    const uint64_t seed = 99 + (i << 30);
    double u[4];
    host_pair(keys_of(seed), stream, index, group, u[0], u[1]);
    const philox_block p =
        philox10({{static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32), group, stream}}, keys_of(seed));
    for (int k = 0; k < 2; ++k) expect(u[k] == uniform52(p.word[2 * k], p.word[2 * k + 1]), "number of Philox", u[k]);
    host_four(seed, stream, index, group, u);
    const threefry_block t = threefry20({{index, group, stream, 0}}, {{seed, 0, 0, 0}});
    for (int k = 0; k < 4; ++k) expect(u[k] == uniform52(uint64{t.word[k]}), "number of Threefry", u[k]);
  }
  finish();
}

// Of consecutive counters, however many, and where the lower half of the counter ends.
void lanes_have_the_same_numbers(void **) {
  for (const uint64_t first : {uint64_t{0}, uint64_t{5}, (uint64_t{1} << 32) - 6, (uint64_t{3} << 40) + 1})
    for (const int n : {1, 3, 4, 7, 64, 131}) {
      const philox_keys keys = keys_of(0xfedcba9876543210u + static_cast<uint64_t>(n));
      std::vector<double> u(static_cast<size_t>(n)), v(u);
      host_pairs(keys, 0x80000003u, first, n, 0xfffffff1u, u.data(), v.data());
      for (size_t i = 0; i < u.size(); ++i) {
        double a, b;
        uniform_pair(keys, 0x80000003u, first + i, 0xfffffff1u, a, b);
        expect(u[i] == a && v[i] == b, "numbers of a lane", u[i]);
      }
    }
  finish();
}

// Means of 32 samples, 4000 times: the interval for skewed ones covers powers with a singularity, where Student's alone does not, and is
// hardly wider than Student's for those that are not skewed. Those whose interval is narrower than most are too small, and a good deal less so with
// what they lack.
void skewed_means_are_covered(void **) {
  constexpr int means = 32, runs = 4000;
  const double z = normal_factor(0.99), student = student_factor(0.99, means - 1);
  const philox_keys keys = keys_of(17);
  int covered = 0, covered_by_student = 0;
  double wider = 0.0, narrow = 0.0, made_up = 0.0, shifted = 0.0;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> powers, even;
    for (int i = 0; i < means; ++i) {
      double u, v;
      uniform_pair(keys, 1, static_cast<uint64_t>(run * means + i), 0, u, v);
      powers.push_back(std::pow(u, -0.3) - 1.0 / 0.7);
      even.push_back(std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v));
    }
    const auto student_of = [&](const std::vector<double> &x, double &sum) {
      double squares = 0.0;
      sum = 0.0;
      for (const double d : x) sum += d / means;
      for (const double d : x) squares += (d - sum) * (d - sum);
      return student * std::sqrt(squares / (means * (means - 1.0)));
    };
    double mean, error = student_of(powers, mean);
    covered_by_student += std::fabs(mean) <= error;
    const skewed_mean of_powers = mean_of_skewed(powers, z, student);
    covered += std::fabs(mean) <= std::max(error, of_powers.error);
    if (of_powers.error < 0.8) {
      narrow += mean / runs;
      made_up += (mean + of_powers.stopping) / runs;
    }
    error = student_of(even, mean);
    const skewed_mean of_even = mean_of_skewed(even, z, student);
    wider += std::max(1.0, of_even.error / error) / runs;
    shifted += std::fabs(of_even.stopping) * student / error / runs;
  }
  expect(covered_by_student < 0.95 * runs, "covered by Student's interval", covered_by_student);
  expect(covered > 0.985 * runs, "covered", covered);
  expect(wider < 1.06, "width of the interval of normal means", wider);
  expect(narrow < -0.02, "narrow intervals", narrow);
  expect(std::fabs(made_up) < 0.5 * std::fabs(narrow), "narrow intervals, made up for", made_up);
  expect(shifted < 0.05, "shift of normal means in deviations", shifted);
  std::vector<double> few = {0.0, 1.0, 10.0}, same(32, 2.5), skewed, mirrored;
  for (std::vector<double> *v : {&few, &same})
    expect(mean_of_skewed(*v, z, student).error == 0.0 && mean_of_skewed(*v, z, student).stopping == 0.0, "no shape",
           0);
  for (int i = 0; i < means; ++i) {
    skewed.push_back(std::exp(0.2 * i));
    mirrored.push_back(-skewed.back());
  }
  const skewed_mean right = mean_of_skewed(skewed, z, student), left = mean_of_skewed(mirrored, z, student);
  expect(right.stopping > 0.0 && std::fabs(left.stopping + right.stopping) < 1e-12 * right.stopping, "mirrored", 0);
  expect(mean_of_skewed(skewed, 0.7, student).stopping == 0.0, "narrow interval", 0);
  finish();
}

void uniform_numbers_are_inside_and_have_52_bits(void **) {
  const uint32_t all = 0xffffffff;
  assert_same_bits(uniform52(0, 0), std::ldexp(1.0, -53));
  assert_same_bits(uniform52(all, all), 1.0 - std::ldexp(1.0, -53));
  assert_same_bits(uniform52(0xfff, 0), std::ldexp(1.0, -53));  // twelve bits are not used
  assert_same_bits(uniform52(0x1000, 0), 3 * std::ldexp(1.0, -53));
  for (uint64_t i = 0; i < 10000; ++i) {
    double u, v;
    uniform_pair(keys_of(7), 0, i, 3, u, v);
    for (const double x : {u, v}) {
      const double units = std::ldexp(x, 53);
      expect(units == std::floor(units) && std::fmod(units, 2.0) == 1.0, "an odd multiple of 2^-53", x);
      expect(1.0 - (1.0 - x) == x, "1 - u is exact", x);
    }
  }
  finish();
}

// Seed, stream, index and pair: each one alone changes the numbers, and no two of 2^16 agree.
void every_argument_counts(void **) {
  double u, v, w, x;
  uniform_pair(keys_of(1), 2, 3, 4, u, v);
  const struct {
    uint64_t seed;
    uint32_t stream;
    uint64_t index;
    uint32_t pair;
  } others[] = {{2, 2, 3, 4},
                {1, 3, 3, 4},
                {1, 2, 4, 4},
                {1, 2, 3, 5},
                {1 + (uint64_t{1} << 32), 2, 3, 4},
                {1, 2, 3 + (uint64_t{1} << 32), 4}};
  for (const auto &o : others) {
    uniform_pair(keys_of(o.seed), o.stream, o.index, o.pair, w, x);
    assert_true(w != u && x != v);
  }
  // Pairs of neighbouring points fill a 16 x 16 table evenly: chi-square with 255 degrees of freedom within 5 deviations.
  std::vector<double> cells(256, 0.0);
  const int n = 1 << 18;
  for (int i = 0; i < n; ++i) {
    uniform_pair(keys_of(1), 0, static_cast<uint64_t>(i), 0, u, v);
    cells[static_cast<std::size_t>(static_cast<int>(16 * u) * 16 + static_cast<int>(16 * v))] += 1.0;
  }
  double chi = 0.0;
  for (const double c : cells) chi += (c - n / 256.0) * (c - n / 256.0) / (n / 256.0);
  assert_close(chi, 255.0, 0.0, 5.0 * std::sqrt(2.0 * 255.0));
}

// ---- Pieces -----------------------------------------------------------------------------------------------------------------
// Pieces cover the samples once, none is too short or too long, and cutting slices of whole cut_samples gives the same pieces.
void pieces_are_cut_by_a_formula(void **) {
  std::vector<int64_t> sizes = {2, 3, 16383, 16384, 16385, 16386, 32769, 999999};
  for (const int64_t k : {1, 2, 5})
    for (const int64_t more : {-1, 0, 1, 2, 3, 16384}) sizes.push_back(k * cut_samples + more);
  for (const int64_t n : sizes) {
    const sample_cut cut = cut_into_pieces(n);
    int64_t end = 100;
    double weight = 0.0;
    for (int64_t p = 0; p < pieces_of(cut); ++p) {
      const sample_piece piece = plain_piece(cut, 0, 100, n, p);
      expect(piece.first == end, "pieces follow each other", static_cast<double>(n));
      expect(piece.count >= least_samples && piece.count <= most_piece, "size of a piece", static_cast<double>(n));
      end += piece.count;
      weight += piece.weight;
      const int64_t slice = n / cut_samples / 2 * cut_samples;
      if (slice == 0) continue;
      const sample_cut head = cut_into_pieces(slice), tail = cut_into_pieces(n - slice);
      const int64_t first = pieces_of(head);
      const sample_piece same =
          p < first ? plain_piece(head, 0, 100, slice, p) : plain_piece(tail, 0, 100 + slice, n - slice, p - first);
      expect(same.first == piece.first && same.count == piece.count, "pieces of slices", static_cast<double>(n));
    }
    expect(end == 100 + n, "all samples", static_cast<double>(n));
    expect(std::fabs(weight - 1.0) < 1e-12, "all weights", weight);
  }
  finish();
}

// Parts of a piece that are summed apart, about the same first sample, give the moments of the whole.
void moments_of_parts_add_up(void **) {
  uint64_t state = 5;
  sample_moments whole, parts[3];
  double first = 0.0;
  for (int i = 0; i < 999; ++i) {
    const double v = std::floor(1000.0 * splitmix_uniform(&state));  // sums are exact
    if (i == 0) first = v;
    whole.add(v);
    parts[i % 3].add_deviation(v - first);
  }
  parts[0].add_deviations(parts[1]);
  parts[0].add_deviations(parts[2]);
  assert_same_bits(parts[0].sum, whole.sum);
  assert_same_bits(parts[0].squares, whole.squares);
  assert_same_bits(parts[0].least, whole.least);
  assert_same_bits(parts[0].most, whole.most);
  assert_int_equal(whole.count, 999);
}

// ---- Grid -----------------------------------------------------------------------------------------------------------------
// Mean of the jacobian over y, and of g(x) jacobian, by the midpoint rule with 64 points in each bin: exact for the first.
double mean_over(const double *edges, double (*g)(double)) {
  double sum = 0.0;
  const int n = 64 * grid_bins;
  for (int i = 0; i < n; ++i) {
    double jacobian = 1.0;
    int bin;
    const double x = grid_coordinate(grid_table{edges}, (i + 0.5) / n, jacobian, bin);
    expect(x > 0.0 && x < 1.0 && bin == i / 64, "point and bin", x);
    sum += g(x) * jacobian;
  }
  return sum / n;
}
axis_refinement refinement;  // what refine_axis() works with

double one(double) { return 1.0; }
double cube(double x) { return 4.0 * x * x * x; }

std::vector<uint64> counts_of(double (*f)(double), const std::vector<double> &edges) {
  std::vector<uint64> counts(grid_bins);
  for (std::size_t i = 0; i < grid_bins; ++i) {
    const double x = 0.5 * (edges[i] + edges[i + 1]), jacobian = grid_bins * (edges[i + 1] - edges[i]);
    counts[i] = static_cast<uint64>(1e9 * f(x) * f(x) * jacobian * jacobian);
  }
  return counts;
}
double narrow(double x) { return std::exp(-(x - 0.3) * (x - 0.3) * 5000.0); }

void the_grid_follows_the_integrand(void **) {
  std::vector<double> edges = uniform_grid(1);
  assert_true(is_grid(1, edges));
  for (int i = 0; i < 30; ++i) {
    refine_axis(one_lane(), refinement, counts_of(narrow, edges).data(), 0.0, 0.5, edges.data());
    assert_true(is_grid(1, edges));
    assert_close(mean_over(edges.data(), one), 1.0, 1e-12, 0.0);
    assert_close(mean_over(edges.data(), cube), 1.0, 2e-3, 0.0);
  }
  // Most of the bins are within three deviations of the peak now, and the variance has fallen from that of the peak itself.
  int close = 0;
  for (std::size_t i = 0; i < grid_bins; ++i) close += std::fabs(edges[i] - 0.3) < 0.03 ? 1 : 0;
  assert_true(close > grid_bins * 3 / 4);
  // So have the samples, of which so many are in a box there.
  const double from[] = {0.27, 0.25}, to[] = {0.33, 0.75}, end = 1.0;
  const double there = share_below(edges.data(), to[0]) - share_below(edges.data(), from[0]);
  assert_true(there > 0.75 && std::fabs(there - static_cast<double>(close) / grid_bins) < 2.0 / grid_bins);
  assert_true(share_below(edges.data(), 0.0) == 0.0 && share_below(edges.data(), end) == 1.0);
  std::vector<double> both = edges;
  const std::vector<double> even = uniform_grid(1);
  both.insert(both.end(), even.begin(), even.end());
  assert_close(share_between(both, from, to), 0.5 * there, 1e-14, 0.0);
  finish();
}

void what_is_not_known_leaves_the_grid(void **) {
  std::vector<double> edges = uniform_grid(2), before = edges;
  std::vector<uint64> counts(2 * grid_bins, 0);
  refine_grid(2, counts, 0.0, 0.5, edges);
  assert_true(edges == before);
  counts[5] = uint64{1} << 62;
  refine_grid(2, counts, 0.0, 0.0, edges);
  assert_true(edges == before);
  // One bin with everything in it, over and over: the grid stays a grid.
  // One point alone shows nothing, ten points in one bin do.
  refine_grid(2, counts, std::ldexp(1.0, 124), 0.5, edges);
  assert_true(edges == before);
  refine_grid(2, counts, std::ldexp(0.1, 124), 0.5, edges);
  assert_true(edges != before);
  for (int i = 0; i < 3000; ++i) refine_grid(2, counts, 0.0, 2.0, edges);
  assert_true(is_grid(2, edges));
  assert_true(std::equal(edges.begin() + grid_edges, edges.end(), before.begin()));  // the other axis
}

void is_grid_refuses_what_is_none(void **) {
  std::vector<double> edges = uniform_grid(1);
  assert_false(is_grid(2, edges));
  for (const double bad : {edges[8], edges[6], std::nan(""), HUGE_VAL}) {
    std::vector<double> e = edges;
    e[7] = bad;
    assert_false(is_grid(1, e));
  }
  edges.back() = 0.9999;
  assert_false(is_grid(1, edges));
}

// Counts of points that know nothing of the axis leave it alone; the same counts with a trend do not.
void chance_does_not_move_the_grid(void **) {
  uint64_t state = 17;
  int moved = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<uint64> counts(grid_bins, 0);
    double squares = 0.0;
    for (int i = 0; i < 2000; ++i) {
      const double u = splitmix_uniform(&state), size = std::floor(1000.0 / std::sqrt(splitmix_uniform(&state)));
      counts[static_cast<std::size_t>(u * grid_bins)] += static_cast<uint64>(size);
      squares += size * size;
    }
    std::vector<double> edges = uniform_grid(1);
    refine_axis(one_lane(), refinement, counts.data(), squares, 0.5, edges.data());
    moved += edges != uniform_grid(1) ? 1 : 0;
    for (std::size_t i = 0; i < grid_bins; ++i) counts[i] += 16 * i * static_cast<uint64>(squares / 2e8);
    refine_axis(one_lane(), refinement, counts.data(), squares, 0.5, edges.data());
    expect(edges != uniform_grid(1), "a trend moves the grid", trial);
  }
  expect(moved <= 40, "chance moves the grid", moved);
  finish();
}

// The two kinds of samples take the whole integrand together, and neither ever weighs much.
void scouts_and_grid_share_the_integrand(void **) {
  for (const double share : {0.5, 0.9, 1.0 - 1e-6})
    for (const double jacobian : {0.0, 1e-300, 1e-12, 0.3, 1.0, 7.0, 1e12, 1e300, HUGE_VAL}) {
      const double scouting = (1.0 - share) / share;
      const sample_weight g = weight_of_sample(jacobian, scouting, false),
                          s = weight_of_sample(jacobian, scouting, true);
      const double j = std::fmin(std::fmax(jacobian, 1e-140), 1e140);
      expect(close_enough(g.factor / j + s.factor, 1.0, 1e-14, 0.0) != 0, "the parts add up to 1", jacobian);
      expect(g.factor <= 0.5 * share / (1.0 - share) * (1.0 + 1e-14) && s.factor <= 1.0, "bounded", g.factor);
      // Both see the same f^2/density: boost * factor^2 is j for the part of either kind.
      expect(close_enough(g.boost * g.factor * g.factor, j * g.factor, 1e-13, 0.0) != 0,
             "training of the grid's samples", jacobian);
      expect(close_enough(s.boost * s.factor * s.factor, j * s.factor, 1e-13, 0.0) != 0, "training of the scouts",
             jacobian);
    }
  const sample_weight alone = weight_of_sample(3.0, 0.0, false);
  assert_same_bits(alone.factor, 3.0);
  assert_same_bits(alone.boost, 1.0);
  // There and back.
  std::vector<double> edges = uniform_grid(1);
  for (int i = 0; i < 10; ++i)
    refine_axis(one_lane(), refinement, counts_of(narrow, edges).data(), 0.0, 0.5, edges.data());
  for (int i = 0; i < 1000; ++i) {
    double jacobian = 1.0;
    int bin, again;
    const double u = grid_coordinate(grid_table{edges.data()}, (i + 0.5) / 1000.0, jacobian, bin);
    expect(grid_width(grid_table{edges.data()}, u, again) == jacobian && again == bin, "the way back", u);
  }
  finish();
}

// Small iterations train with all samples, large ones with 2^20 to 2^21 in whole groups, of any cube and of any stretch.
void large_iterations_train_with_some(void **) {
  for (const double n : {2.0, 1e6, 2.0971e6}) assert_int_equal(training_skip_of(n), 0);
  for (const double n : {3e6, 1e7, 1e9, 1e12}) {
    sample_pass p = {};
    p.training_skip = training_skip_of(n);
    const double in = p.training_skip + 1.0;
    expect(n / in >= training_samples && n / in < 2.0 * training_samples, "as many", n / in);
    const int groups = static_cast<int>(std::fmin(n / 32, 1 << 22));
    for (const int every : {1, 3, 1000}) {  // one cube in so many, of a group each
      double taken = 0.0;
      for (int64_t g = every - 1; g < groups; g += every) {
        const bool counts = is_training_sample(p, 32 * g);
        taken += counts ? 1.0 : 0.0;
        for (int i = 1; i < 32; ++i) expect(is_training_sample(p, 32 * g + i) == counts, "whole groups", g);
      }
      const double mean = groups / every / in;
      expect(std::fabs(taken - mean) <= 5.0 * std::sqrt(mean) + 1.0, "a share of all", taken - mean);
    }
  }
  finish();
}

// All quanta of an iteration together stay below 2^63 whatever the values are.
void training_cannot_overflow(void **) {
  sample_pass p = {};
  p.most_quantum = std::ldexp(1.0, 40);
  assert_int_equal(training_quantum(p, 1.0, 1.0), 65536);
  assert_int_equal(training_quantum(p, 0.0, 1.0), 0);
  for (const double v : {1e300, HUGE_VAL, std::nan("")})
    assert_int_equal(training_quantum(p, v, 1.0), int64_t{1} << 40);
}

// ---- Strata ---------------------------------------------------------------------------------------------------------------
constexpr auto one_by_one = [](int64 n, const auto &body) {
  for (int64 i = 0; i < n; ++i) body(i);
};

void samples_are_shared_out(void **) {
  for (const int ndim : {1, 2, 3, 7, 40, 1000}) {
    strata s(ndim);
    strata_cut cut(ndim);
    for (const int64 samples :
         {int64{2}, int64{3}, int64{9}, int64{1024}, int64{1000000}, int64{77}, int64{100000001}}) {
      if (samples > 1000000 && ndim != 2 && ndim != 40) continue;  // as many cubes as there may be: seconds
      cut.fit(samples);
      s.share_out(cut, samples, 0.75, one_by_one);
      int64 sum = 0, least = samples;
      for (const int64 n : s.counts()) sum += n, least = std::min(least, n);
      expect(sum == samples, "all samples are shared out", static_cast<double>(samples));
      expect(least >= 2, "two for each", static_cast<double>(least));
      expect(cut.cubes() == 1 || 4 * cut.cubes() <= samples, "four on the average", static_cast<double>(cut.cubes()));
      expect(samples < 1024 || 16 * cut.cubes() >= std::min(samples, most_cubes), "as many cubes as that allows",
             static_cast<double>(cut.cubes()));
      int64 product = 1;
      for (int j = 0; j < ndim; ++j) product *= s.cells()[static_cast<std::size_t>(j)];
      expect(product == cut.cubes(), "the cells make the cubes", static_cast<double>(product));
      s.learn(std::vector<double>(static_cast<std::size_t>(cut.cubes()), 1.0));
    }
  }
  finish();
}

void rough_cubes_get_more(void **) {
  strata s(2);
  strata_cut cut(2);
  cut.fit(4096);
  s.share_out(cut, 4096, 0.75, one_by_one);
  const auto n = static_cast<std::size_t>(cut.cubes());
  std::vector<double> spread(n, 0.0);
  spread[5] = 100.0;
  spread[6] = 1.0;
  s.learn(spread);
  s.share_out(cut, 4096, 0.75, one_by_one);
  assert_true(s.counts()[5] > 1000);
  // The samples beyond the two follow spread^(0.75/2).
  const double ratio = static_cast<double>(s.counts()[5] - 2) / static_cast<double>(s.counts()[6] - 2);
  assert_close(ratio, std::pow(100.0, 0.375), 0.02, 0.0);
  assert_int_equal(s.counts()[100], 2);
  s.share_out(cut, 4096, 0.0, one_by_one);
  assert_true(s.counts()[5] - s.counts()[100] <= 1);
  // A finer cut inherits: four times the samples, and the cubes in the place of the rough one still have most of them.
  spread[5] = 100.0;
  s.learn(spread);
  cut.fit(16384);
  s.share_out(cut, 16384, 0.75, one_by_one);
  assert_true(cut.cubes() > static_cast<int64>(n));
  std::vector<int64> sorted = s.counts();
  std::sort(sorted.begin(), sorted.end());
  assert_true(sorted[sorted.size() - 4] > 10 * sorted[sorted.size() / 2]);
  // What is not a number does no harm.
  s.learn(std::vector<double>(static_cast<std::size_t>(cut.cubes()), NAN));
  s.share_out(cut, 16384, 0.75, one_by_one);
  assert_int_equal(std::accumulate(s.counts().begin(), s.counts().end(), int64{0}), 16384);
}

// ---- Shifts ---------------------------------------------------------------------------------------------------------------
// Halton's points in two variables under shifts by Philox; f = e^(x+y), or 1.
struct shifted_halton final : sampling_executor {
  shifted_halton(uint64 s, int64 of_slice, bool is_constant) : seed(s), slice(of_slice), constant(is_constant) {}

  uint64 seed;
  int64 slice;
  bool constant;
  int64 asked_again = 0, next = 0;  // points that no shift may come back to: those before the slice

  static double inverse(int64 i, int base) {
    double x = 0.0, digit = 1.0 / base;
    for (; i > 0; i /= base, digit /= base) x += digit * static_cast<double>(i % base);
    return x;
  }
  outcome run_shifts(sample_pass pass, int64 first, int64 samples, int64 shifts, sample_sums *sums, int64 &) override {
    for (int64 r = 0; r < shifts; ++r, ++pass.shift) run_plain(pass, first, samples, sums + r);
    return outcome::running;
  }
  outcome run_plain(const sample_pass &pass, int64 first, int64 &samples, sample_sums *sums) override {
    if (first != next && pass.shift == 0) ++asked_again;
    if (pass.shift == 0) next = first + samples;
    double u, v;
    uniform_pair(keys_of(seed), 0, static_cast<uint64>(pass.shift), 0, u, v);
    sample_moments m;
    for (int64 i = first; i < first + samples; ++i) {
      const double x = std::fmod(inverse(i, 2) + u, 1.0), y = std::fmod(inverse(i, 3) + v, 1.0);
      const double here = constant ? 1.0 : std::exp(x + y), mirror = constant ? 1.0 : std::exp(2.0 - x - y);
      m.add(pass.antithetic ? 0.5 * (here + mirror) : here);
    }
    sums[0].add(estimate_stratum(m), 1.0);
    return outcome::running;
  }
  void begin_course(const std::vector<double> &, const std::vector<int> &, const std::vector<double> &) override {}
  outcome iterate(const vegas_iteration &, sample_sums *, const std::function<outcome(int64)> &) override {
    return outcome::callback;
  }
  void learn(bool, double) override {}
  void recall_course(std::vector<double> &, std::vector<double> *) override {}
  int64 slice_samples(bool) const override { return slice; }
};

struct stop_at final : run_hooks {
  int64 last = std::numeric_limits<int64>::max();
  outcome between_steps(int64 evaluations, const double *, const double *) override {
    return evaluations >= last ? outcome::stopped : outcome::running;
  }
};

struct shifted_run {
  outcome end;
  double value, error;
  sampling_statistics statistics;
  int64 asked_again;
};
sampling_settings shifted_settings(int64 shifts, int64 maxeval) {
  sampling_settings s;
  s.ndim = 2;
  s.ncomp = 1;
  s.sampling = sampling_plain;
  s.shifts = shifts;
  s.maxeval = maxeval;
  s.points = 16;
  s.confidence = 0.9;
  return s;
}
shifted_run run_shifted(const sampling_settings &s, int64 slice, bool constant = false,
                        int64 stop = std::numeric_limits<int64>::max()) {
  shifted_halton points(s.seed, slice, constant);
  stop_at hooks;
  hooks.last = stop;
  std::vector<double> grid;
  const std::vector<sample_axis> axes(2, {{axis_finite, 0.0, 0.0, 1.0}, 0.0, 1.0});
  monte_carlo driver(points, s, axes, 1.0, grid, nullptr, hooks);
  shifted_run r = {};
  double chi;
  bool has_value = false;
  r.end = driver.run(&r.value, &r.error, &chi, has_value);
  r.statistics = driver.statistics();
  r.asked_again = points.asked_again;
  assert_true(has_value);
  return r;
}

// Doublings keep what there is, whatever the slices are, and stop before the limit.
void shifted_points_are_doubled(void **) {
  for (const int64 shifts : {2, 5, 16})
    for (const int64 maxeval : {1, 3, 4, 100, 1000, 5000}) {
      const sampling_settings s = shifted_settings(shifts, maxeval);
      const shifted_run a = run_shifted(s, 1 << 20), b = run_shifted(s, 7);
      const int64 used = std::max<int64>(2, std::min(shifts, maxeval / 2));
      expect(a.end == outcome::evaluations, "the limit", static_cast<double>(maxeval));
      expect(a.statistics.evaluations % used == 0, "equal numbers", static_cast<double>(a.statistics.evaluations));
      const int64 n = a.statistics.evaluations / used;
      expect((n & (n - 1)) == 0, "a power of two", static_cast<double>(n));
      expect(a.statistics.evaluations <= std::max<int64>(maxeval, 4), "not more", static_cast<double>(maxeval));
      expect(n == 2 || 2 * a.statistics.evaluations > maxeval, "not less than half", static_cast<double>(maxeval));
      expect(a.statistics.evaluations == b.statistics.evaluations, "evaluations by slices", 0);
      expect(a.asked_again == 0 && b.asked_again == 0, "no point twice", 0);
      expect(close_enough(a.value, b.value, 1e-13, 0.0) != 0, "the same by slices", b.value - a.value);
      // Few samples in seven to a piece have hardly any degrees of freedom.
      if (a.statistics.evaluations >= 512)
        expect(close_enough(a.error, b.error, 1e-9, 0.0) != 0, "the same error by slices", b.error - a.error);
    }
  finish();
}

// With so many seeds the share of runs within the error is that of the confidence, within four standard deviations.
void errors_of_shifted_points_are_honest(void **) {
  const double exact = (std::exp(1.0) - 1.0) * (std::exp(1.0) - 1.0);
  const int seeds = 400;
  for (const bool antithetic : {false, true})
    for (const int64 shifts : {4, 16}) {
      int within = 0;
      double least = 1.0;
      for (int seed = 1; seed <= seeds; ++seed) {
        sampling_settings s = shifted_settings(shifts, 256 * shifts);
        s.seed = static_cast<uint64>(seed);
        s.antithetic = antithetic;
        const shifted_run r = run_shifted(s, 1 << 20);
        within += std::fabs(r.value - exact) <= r.error ? 1 : 0;
        least = std::fmin(least, r.error);
      }
      printf("  %2d shifts%s: %d of %d within the error\n", static_cast<int>(shifts), antithetic ? ", antithetic" : "",
             within, seeds);
      expect(std::fabs(within - 0.9 * seeds) <= 4.0 * std::sqrt(0.9 * 0.1 * seeds), "covered", within);
      expect(least > 0.0, "an error", least);
    }
  finish();
}

void shifted_points_meet_a_tolerance(void **) {
  const double exact = (std::exp(1.0) - 1.0) * (std::exp(1.0) - 1.0);
  sampling_settings s = shifted_settings(16, 10000000);
  s.confidence = 0.999;
  s.reltol = 1e-4;
  const shifted_run r = run_shifted(s, 1 << 20);
  assert_true(r.end == outcome::converged);
  assert_true(r.error <= 1e-4 * r.value && std::fabs(r.value - exact) <= r.error);
  assert_true(r.statistics.evaluations < 1000000);  // independent points: 6e8
  // A doubling that is stopped leaves the value before it.
  s.reltol = 0.0;
  s.maxeval = 16 * 512;
  const shifted_run half = run_shifted(s, 1 << 20);
  s.maxeval = 16 * 1024;
  const shifted_run stopped = run_shifted(s, 1 << 20, false, 16 * 512 + 1000);
  assert_true(stopped.end == outcome::stopped);
  assert_same_bits(stopped.value, half.value);
  assert_same_bits(stopped.error, half.error);
  // What is the same everywhere is believed after many evaluations only.
  s.maxeval = 100000;
  assert_true(run_shifted(s, 1 << 20, true).end == outcome::evaluations);
  s.maxeval = 10000000;
  s.reltol = 1e-3;
  const shifted_run one = run_shifted(s, 1 << 20, true);
  assert_true(one.end == outcome::converged && one.statistics.evaluations >= int64_t{1} << 20);
  assert_same_bits(one.value, 1.0);
}

// ---- Moments ---------------------------------------------------------------------------------------------------------------
stratum_estimate direct(const std::vector<double> &v) {
  long double mean = 0, m2 = 0;
  const auto n = static_cast<long double>(v.size());
  for (const double x : v) mean += x;
  mean /= n;
  for (const double x : v) m2 += (x - mean) * (x - mean);
  const auto spread = static_cast<double>(m2 / (n - 1));
  return {static_cast<double>(mean), spread, spread / static_cast<double>(v.size()), 0.0,
          static_cast<double>(m2 / n + mean * mean)};
}

void moments_keep_their_digits(void **) {
  uint64_t state = 3;
  for (const double offset : {0.0, 1.0, 1e8, -1e12})
    for (const std::size_t n : {std::size_t{2}, std::size_t{3}, std::size_t{1000}, std::size_t{16384}}) {
      std::vector<double> v(n);
      sample_moments m;
      for (double &x : v) m.add(x = offset + splitmix_uniform(&state));
      const stratum_estimate a = estimate_stratum(m), b = direct(v);
      assert_close(a.mean, b.mean, 1e-14, 0.0);
      assert_close(a.spread, b.spread, 1e-10, 0.0);
      assert_close(a.variance, b.variance, 1e-10, 0.0);
      assert_close(a.square, b.square, 1e-10, 0.0);
    }
  sample_moments same;
  for (int i = 0; i < 100; ++i) same.add(0.1);
  assert_same_bits(estimate_stratum(same).spread, 0.0);
  assert_same_bits(estimate_stratum(same).mean, 0.1);
  sample_moments tiny;  // the squares of the differences underflow
  tiny.add(1e-200);
  tiny.add(3e-200);
  assert_true(estimate_stratum(tiny).variance > 0.0);
}

// k hits in n throws: some 2k degrees of freedom; many like samples: of the order of n.
void rare_hits_have_few_degrees_of_freedom(void **) {
  for (const int hits : {1, 3, 10, 100}) {
    sample_moments m;
    for (int i = 0; i < 10000; ++i) m.add(i % 100 == 0 && i / 100 < hits ? 5.0 : 0.0);
    sample_pool pool(1);
    std::vector<sample_sums> sums(1);
    sums[0].add(estimate_stratum(m), 1.0);
    pool.add(sums, 10000.0);
    assert_close(pool.value(0), 5.0 * hits / 10000.0, 1e-11, 0.0);
    assert_close(pool.freedom(0), 2.0 * hits, 0.03, 0.0);
  }
}

void iterations_are_weighted_by_their_samples(void **) {
  sample_pool pool(1);
  const double values[] = {1.0, 2.0, 4.0}, variances[] = {0.25, 1.0, 0.04}, samples[] = {10.0, 20.0, 70.0};
  double chi = 0.0, w = 0.0, wx = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<sample_sums> sums(1);
    sums[0].value.add(values[i]);
    sums[0].variance.add(variances[i]);
    pool.add(sums, samples[i]);
    w += 1.0 / variances[i];
    wx += values[i] / variances[i];
  }
  for (std::size_t i = 0; i < 3; ++i) chi += (values[i] - wx / w) * (values[i] - wx / w) / variances[i];
  assert_close(pool.value(0), 0.1 * 1 + 0.2 * 2 + 0.7 * 4, 1e-14, 0.0);
  assert_close(pool.variance(0), 0.01 * 0.25 + 0.04 * 1.0 + 0.49 * 0.04, 1e-14, 0.0);
  assert_close(pool.chi_square(0), chi, 1e-12, 0.0);
  assert_close(pool.inflation(0), std::sqrt(chi / 2.0), 1e-12, 0.0);  // 31 for two degrees of freedom is no accident
}

// ---- Confidence --------------------------------------------------------------------------------------------------------------
void factors_are_those_of_the_tables(void **) {
  assert_close(normal_factor(0.95), 1.959963984540054, 1e-12, 0.0);
  assert_close(normal_factor(0.99), 2.575829303548901, 1e-12, 0.0);
  const struct {
    double confidence, freedom, t;
  } table[] = {{0.99, 1, 63.65674},    {0.99, 2, 9.92484},   {0.95, 10, 2.22814}, {0.99, 30, 2.75000},
               {0.99, 39.99, 2.70791}, {0.99, 40, 2.70446},  {0.95, 60, 2.00030}, {0.99, 60, 2.66028},
               {0.99, 120, 2.61742},   {0.999, 40, 3.55097}, {0.99, 1e9, 2.57583}};
  for (const auto &e : table)
    assert_close(confidence_factor(e.confidence, normal_factor(e.confidence), e.freedom), e.t, 2e-5, 0.0);
  assert_true(std::isinf(confidence_factor(0.99, 2.57, 0.9)));
  assert_true(std::isinf(confidence_factor(0.99, 2.57, NAN)));
  assert_close(unlikely_chi_square(1.0), 3.841, 0.03, 0.0);
  assert_close(10.0 * unlikely_chi_square(10.0), 18.307, 0.002, 0.0);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test_setup(philox_gives_the_published_answers, begin),
      cmocka_unit_test_setup(philox_is_that_of_random123, begin),
      cmocka_unit_test_setup(threefry_gives_the_published_answers, begin),
      cmocka_unit_test_setup(threefry_is_that_of_random123, begin),
      cmocka_unit_test_setup(points_are_those_of_the_text, begin),
      cmocka_unit_test_setup(lanes_have_the_same_numbers, begin),
      cmocka_unit_test_setup(skewed_means_are_covered, begin),
      cmocka_unit_test_setup(uniform_numbers_are_inside_and_have_52_bits, begin),
      cmocka_unit_test_setup(every_argument_counts, begin),
      cmocka_unit_test_setup(pieces_are_cut_by_a_formula, begin),
      cmocka_unit_test_setup(moments_of_parts_add_up, begin),
      cmocka_unit_test_setup(the_grid_follows_the_integrand, begin),
      cmocka_unit_test_setup(what_is_not_known_leaves_the_grid, begin),
      cmocka_unit_test_setup(chance_does_not_move_the_grid, begin),
      cmocka_unit_test_setup(scouts_and_grid_share_the_integrand, begin),
      cmocka_unit_test_setup(is_grid_refuses_what_is_none, begin),
      cmocka_unit_test_setup(large_iterations_train_with_some, begin),
      cmocka_unit_test_setup(training_cannot_overflow, begin),
      cmocka_unit_test_setup(samples_are_shared_out, begin),
      cmocka_unit_test_setup(rough_cubes_get_more, begin),
      cmocka_unit_test_setup(shifted_points_are_doubled, begin),
      cmocka_unit_test_setup(errors_of_shifted_points_are_honest, begin),
      cmocka_unit_test_setup(shifted_points_meet_a_tolerance, begin),
      cmocka_unit_test_setup(moments_keep_their_digits, begin),
      cmocka_unit_test_setup(rare_hits_have_few_degrees_of_freedom, begin),
      cmocka_unit_test_setup(iterations_are_weighted_by_their_samples, begin),
      cmocka_unit_test_setup(factors_are_those_of_the_tables, begin),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
