// Sobol points: the sequence against SciPy's and cuRAND's, and what scrambling must keep and must change.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/sobol.hpp"
#include "engine/montecarlo/sample_points.hpp"

extern "C" {
#include <cmocka.h>  // after all others: its macros have names of theirs
}

#include "close.h"

using namespace tessera;

namespace {

std::vector<uint64> scrambled(uint64 seed, uint32 which, int ndim, int columns) {
  std::vector<uint64> words(static_cast<std::size_t>(sobol_words(ndim, columns)));
  scramble_sobol(seed, which, ndim, columns, words.data());
  return words;
}

// Without a shift.
std::vector<uint64> plain_axis(int axis, int columns) {
  std::vector<uint64> words(static_cast<std::size_t>(columns) + 1, 0);
  fill_sobol_columns(axis, columns, words.data());
  return words;
}

// Points in units of 2^-12, from scipy.stats.qmc.Sobol(d=1024, scramble=False) of SciPy 1.17.1.
void the_sequence_is_that_of_scipy(void **) {
  constexpr int axes[] = {1, 2, 3, 7, 40, 500, 1024};
  static const struct {
    uint64_t index;
    uint64_t at[7];
  } points[] = {{0, {0, 0, 0, 0, 0, 0, 0}},
                {1, {2048, 2048, 2048, 2048, 2048, 2048, 2048}},
                {2, {3072, 1024, 1024, 1024, 1024, 1024, 3072}},
                {3, {1024, 3072, 3072, 3072, 3072, 3072, 1024}},
                {4, {1536, 1536, 2560, 1536, 3584, 2560, 3584}},
                {5, {3584, 3584, 512, 3584, 1536, 512, 1536}},
                {6, {2560, 512, 3584, 512, 2560, 3584, 512}},
                {7, {512, 2560, 1536, 2560, 512, 1536, 2560}},
                {100, {1696, 1056, 3168, 96, 544, 2016, 3872}},
                {1000, {900, 396, 2124, 188, 1964, 1044, 2924}},
                {4095, {1, 3855, 1369, 3889, 931, 3845, 1453}}};
  for (int a = 0; a < 7; ++a) {
    const std::vector<uint64> axis = plain_axis(axes[a] - 1, 40);
    for (const auto &p : points) assert_int_equal(sobol_digits(axis.data(), 40, p.index), p.at[a] << 52);
  }
}

// All 64 columns of all axes.
void the_columns_are_those_of_curand(void **) {
#ifdef TESSERA_TEST_CURAND
  void *const library = dlopen(TESSERA_TEST_CURAND, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) skip();
  using vectors = unsigned long long[64];
  constexpr int joe_kuo = 103;  // CURAND_DIRECTION_VECTORS_64_JOEKUO6
  int (*get)(vectors **, int);
  *reinterpret_cast<void **>(&get) = dlsym(library, "curandGetDirectionVectors64");
  assert_non_null(reinterpret_cast<void *>(get));
  vectors *theirs = nullptr;
  assert_int_equal(get(&theirs, joe_kuo), 0);
  int64 wrong = 0;
  for (int axis = 0; axis < sobol_axes; ++axis) {
    const std::vector<uint64> ours = plain_axis(axis, 64);
    for (std::size_t k = 0; k < 64; ++k) wrong += ours[k] != theirs[axis][k] ? 1 : 0;
  }
  assert_int_equal(wrong, 0);
  dlclose(library);
#else
  skip();
#endif
}

// 2^m consecutive points from a multiple of that on: one in each of 2^m intervals of every axis.
void every_axis_is_even(void **) {
  constexpr int m = 9, columns = 20;
  for (const uint32 which : {0u, 1u, 31u}) {
    const std::vector<uint64> words = scrambled(77, which, sobol_axes, columns);
    const sobol_net net = {words.data(), columns};
    for (int j = 0; j < sobol_axes; ++j)
      for (const uint64 first : {uint64{0}, uint64{5} << m}) {
        std::vector<int> hits(1 << m, 0);
        for (uint64 i = first; i < first + (1 << m); ++i)
          ++hits[static_cast<std::size_t>(sobol_digits(sobol_axis(net, j), columns, i) >> (64 - m))];
        assert_true(std::all_of(hits.begin(), hits.end(), [](int h) { return h == 1; }));
      }
  }
}

// Do all boxes of 2^-k1 by 2^-k2 by ... have the same number of the first 2^m points?
bool boxes_are_even(const sobol_net &net, const std::vector<int> &axes, const std::vector<int> &k, int m) {
  int all = 0;
  for (const int cuts : k) all += cuts;
  std::vector<int> hits(std::size_t{1} << all, 0);
  for (uint64 i = 0; i < uint64{1} << m; ++i) {
    std::size_t box = 0;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const uint64 digits = sobol_digits(sobol_axis(net, axes[a]), net.columns, i);
      box = box << k[a] | static_cast<std::size_t>(k[a] > 0 ? digits >> (64 - k[a]) : 0);
    }
    ++hits[box];
  }
  return std::all_of(hits.begin(), hits.end(), [&](int h) { return h == 1 << (m - all); });
}

// Elementary intervals: those of the first two axes down to one point each, of five axes those that the unscrambled points fill, no fewer and
// no more.
void scrambling_keeps_the_net(void **) {
  constexpr int m = 12, columns = 30;
  std::vector<uint64> bare;
  for (int j = 0; j < 5; ++j) {
    const std::vector<uint64> axis = plain_axis(j, columns);
    bare.insert(bare.end(), axis.begin(), axis.end());
  }
  const sobol_net plain = {bare.data(), columns};
  for (const uint32 which : {0u, 3u}) {
    const std::vector<uint64> words = scrambled(4242, which, 5, columns);
    const sobol_net net = {words.data(), columns};
    for (int k = 0; k <= m; ++k) assert_true(boxes_are_even(net, {0, 1}, {k, m - k}, m));
    int even = 0, uneven = 0;
    for (int a = 0; a <= 4; ++a)
      for (int b = 0; b <= 4; ++b)
        for (int c = 0; c <= 4; ++c)
          for (int d = 0; d <= 4; ++d) {
            const int e = m - a - b - c - d;
            if (e < 0 || e > 4) continue;
            const bool here = boxes_are_even(net, {0, 1, 2, 3, 4}, {a, b, c, d, e}, m);
            assert_int_equal(here, boxes_are_even(plain, {0, 1, 2, 3, 4}, {a, b, c, d, e}, m));
            ++(here ? even : uneven);
          }
    assert_true(even > 50 && uneven > 0);
  }
}

// What Owen's scrambling gives a pair of points: digits that agree stay alike up to the first that does not, which stays different, and
// those behind it are independent. Each digit of one point is even.
void pairs_are_distributed_as_under_nested_scrambling(void **) {
  constexpr int columns = 24, many = 4000;
  constexpr uint64 pairs[][2] = {{0, 1}, {5, 6}, {1000, 1513}, {70000, 70001}};
  for (const auto &p : pairs)
    for (const int axis : {0, 1, 3}) {
      const std::vector<uint64> bare = plain_axis(axis, columns);
      const uint64 apart = sobol_digits(bare.data(), columns, p[0]) ^ sobol_digits(bare.data(), columns, p[1]);
      int first = 0;
      while ((apart >> (63 - first) & 1) == 0) ++first;
      std::vector<int> differ(64, 0), ones(64, 0);
      for (uint32 which = 0; which < many; ++which) {
        const std::vector<uint64> words = scrambled(9, which, 4, columns);
        const sobol_net net = {words.data(), columns};
        const uint64 x = sobol_digits(sobol_axis(net, axis), columns, p[0]),
                     y = sobol_digits(sobol_axis(net, axis), columns, p[1]);
        for (int k = 0; k < 64; ++k) {
          differ[static_cast<std::size_t>(k)] += static_cast<int>((x ^ y) >> (63 - k) & 1);
          ones[static_cast<std::size_t>(k)] += static_cast<int>(x >> (63 - k) & 1);
        }
      }
      for (int k = 0; k < 64; ++k) {
        const double share = static_cast<double>(differ[static_cast<std::size_t>(k)]) / many;
        assert_close(static_cast<double>(ones[static_cast<std::size_t>(k)]) / many, 0.5, 0.0,
                     5.0 * 0.5 / std::sqrt(many));
        if (k < first)
          assert_same_bits(share, 0.0);
        else if (k == first)
          assert_same_bits(share, 1.0);
        else
          assert_close(share, 0.5, 0.0, 5.0 * 0.5 / std::sqrt(many));
      }
    }
}

// Points depend on seed, randomisation and index, not on how many columns there are nor on where a stretch begins.
void points_are_functions_of_seed_and_index(void **) {
  constexpr int ndim = 40;
  const std::vector<uint64> few = scrambled(3, 2, ndim, 11), all = scrambled(3, 2, ndim, sobol_most_log);
  const sobol_net net = {few.data(), 11}, large = {all.data(), sobol_most_log};
  for (int j = 0; j < ndim; ++j)
    for (uint64 i = 0; i < 1 << 11; i += 37)
      assert_int_equal(sobol_digits(sobol_axis(net, j), 11, i), sobol_digits(sobol_axis(large, j), sobol_most_log, i));
  for (const auto &other :
       {scrambled(4, 2, ndim, 11), scrambled(3, 1, ndim, 11), scrambled(3 + (uint64{1} << 40), 2, ndim, 11)})
    for (std::size_t w = 11; w < other.size(); w += 12) assert_true(other[w] != few[w]);
  for (int j = 1; j < ndim; ++j) assert_true(sobol_axis(net, j)[11] != sobol_axis(net, 0)[11]);
  sample_pass pass = {};
  pass.sobol = large;
  for (const int64 first : {int64{0}, int64{1}, int64{4095}, (int64{1} << 40) + 12345}) {
    constexpr int64 many = 300;
    std::vector<double> x(ndim * many);
    sample_arrays to = {};
    to.x = x.data();
    to.ldx = many;
    fill_uniform(pass, ndim, first, many, to);
    for (int j = 0; j < ndim; ++j)
      for (int64 i = 0; i < many; ++i) {
        const double u = x[static_cast<std::size_t>(j * many + i)];
        assert_true(u > 0.0 && u < 1.0);
        assert_same_bits(u,
                         uniform52(sobol_digits(sobol_axis(large, j), sobol_most_log, static_cast<uint64>(first + i))));
      }
  }
}

// Mean square error of e^(x+y+z) over randomisations: like 1/n^3 or nearly; under a digital shift alone 1/n^2.
void errors_fall_faster_than_those_of_shifts(void **) {
  const double exact = std::pow(std::exp(1.0) - 1.0, 3.0);
  double errors[2];
  for (const int m : {6, 12}) {
    double squares = 0.0;
    constexpr int many = 200;
    for (uint32 which = 0; which < many; ++which) {
      const std::vector<uint64> words = scrambled(60601, which, 3, m);
      const sobol_net net = {words.data(), m};
      double sum = 0.0;
      for (uint64 i = 0; i < uint64{1} << m; ++i) {
        double x = 0.0;
        for (int j = 0; j < 3; ++j) x += uniform52(sobol_digits(sobol_axis(net, j), m, i));
        sum += std::exp(x);
      }
      const double e = std::ldexp(sum, -m) - exact;
      squares += e * e / many;
    }
    errors[m == 12] = std::sqrt(squares);
  }
  printf("  root mean square error of 2^6 points %.2e, of 2^12 %.2e\n", errors[0], errors[1]);
  assert_at_most(errors[1], errors[0] / 180.0);  // 64^1.25
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(the_sequence_is_that_of_scipy),
      cmocka_unit_test(the_columns_are_those_of_curand),
      cmocka_unit_test(every_axis_is_even),
      cmocka_unit_test(scrambling_keeps_the_net),
      cmocka_unit_test(pairs_are_distributed_as_under_nested_scrambling),
      cmocka_unit_test(points_are_functions_of_seed_and_index),
      cmocka_unit_test(errors_fall_faster_than_those_of_shifts),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
