// Rules of higher degree: their moments, what is made of the values of their degrees, and what a region keeps of it.
// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <algorithm>
#include <cmath>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include "core/raised_build.hpp"
#include "engine/cubature/raise.hpp"

using namespace tessera;

namespace {

using exponents = std::vector<int>;

// All ways to write `total` as a sum of at most `parts` numbers, none larger than `most`.
void partitions(int total, int parts, int most, exponents &now, std::vector<exponents> &to) {
  if (total == 0) return to.push_back(now);
  for (int v = std::min(most, total); parts > 0 && v > 0; --v) {
    now.push_back(v);
    partitions(total - v, parts - 1, v, now, to);
    now.pop_back();
  }
}

// The mean of a monomial with these exponents on [-1, 1]^n, by row `row` of the rule of a level, less the true one.
double moment_error(const raised_tables &t, int level, int row, const exponents &e) {
  double sum = 0.0, exact = 1.0;
  for (int64 p = 0; p < t.points[level - 1]; ++p) {
    const uint64 word = t.words[static_cast<std::size_t>(p)];
    double f = 1.0;
    for (std::size_t j = 0; j < e.size(); ++j)
      f *= std::pow(t.offsets[j * static_cast<std::size_t>(t.nodes) +
                              static_cast<std::size_t>(listed_node(word, t.ndim, static_cast<int>(j)))],
                    e[j]);
    sum += rule_of_level(t.view(), level).weights[listed_orbit(word) * listed_sums + row] * f;
  }
  for (const int v : e) exact *= v % 2 == 0 ? 1.0 / (v + 1) : 0.0;
  return sum - exact;
}

void test_moments(void **) {
  for (int ndim = raised_least_ndim; ndim <= raised_most_ndim; ++ndim) {
    const raised_tables t = build_raised(ndim);
    for (int level = 1; level <= raised_levels; ++level)
      for (int row = 0; row < raised_compared; ++row) {
        const int degree = raised_degree(level) - 2 * row;
        double beyond = 0.0;
        for (int half = 0; 2 * half <= degree + 1; ++half) {
          std::vector<exponents> all;
          exponents now;
          partitions(half, ndim, half, now, all);
          for (exponents e : all) {
            for (int &v : e) v *= 2;
            if (2 * half > degree)
              beyond = std::max(beyond, std::fabs(moment_error(t, level, row, e)));
            else
              assert_true(std::fabs(moment_error(t, level, row, e)) < 1e-11);
          }
        }
        // And no better than that, so that the degrees differ; but no three of the ranks 0, 1, 3, 6 sum up to 11.
        assert_true(beyond > 1e-10 || (ndim == 3 && level == 3 && row == 0));
        if (degree >= 5) {
          assert_true(std::fabs(moment_error(t, level, row, {2, 1})) < 1e-12);
          assert_true(std::fabs(moment_error(t, level, row, {1, 0, 4})) < 1e-12);
        }
      }
  }
}

void test_points(void **) {
  for (int ndim = raised_least_ndim; ndim <= raised_most_ndim; ++ndim) {
    const raised_tables t = build_raised(ndim);
    std::vector<uint64> places;
    int orbit = 0;
    for (const uint64 word : t.words) {
      places.push_back(word & 0xffffffffu);
      for (int j = 0; j < ndim; ++j) assert_true(listed_node(word, ndim, j) < raised_nodes);
      assert_true(static_cast<uint32>(word) < uint64{1} << (ndim * listed_bits(ndim)));  // nothing behind the last axis
      assert_true(listed_orbit(word) == orbit || listed_orbit(word) == orbit + 1);
      orbit = listed_orbit(word);
    }
    assert_int_equal(orbit + 1, t.orbits);
    assert_int_equal(t.bytes(), raised_bytes(ndim));
    for (int level = 1; level <= raised_levels; ++level)
      assert_true(level == 1 || t.points[level - 1] > t.points[level - 2]);
    std::sort(places.begin(), places.end());
    assert_true(std::adjacent_find(places.begin(), places.end()) == places.end());
  }
  assert_int_equal(build_raised(5).points[0], 1743);
  assert_int_equal(build_raised(5).points[2], 17103);
  assert_int_equal(build_raised(6).points[1], 16929);
}

void test_judgement(void **) {
  const raised_result smooth = judge_raised({{1.0, 1.0 + 1e-8, 1.0 + 1e-6, 1.0 + 1e-4}, 2.0}, 0.5);
  assert_true(smooth.decays && !smooth.negative && smooth.value == 0.5);
  assert_true(smooth.error > 0.5e-9 && smooth.error <= 0.5e-8);  // a part of the last difference
  const raised_result rough = judge_raised({{1.0, 1.001, 1.0, 1.001}, 2.0}, 1.0);
  assert_true(!rough.decays && rough.error >= 0.003 * 0.999);
  const raised_result lucky = judge_raised({{1.0, 1.0, 1.0 + 1e-4, 1.0}, 2.0}, 1.0);  // by accident, once
  assert_true(lucky.error >= 1e-7);
  const raised_result exact = judge_raised({{1.0, 1.0, 1.0, 1.0}, 3.0}, 1.0);
  assert_true(exact.decays && exact.error > 0.0 && exact.error < 1e-14);
  assert_true(std::isnan(judge_raised({{NAN, NAN, NAN, NAN}, NAN}, 1.0).value));
}

// One region of two components and what it has been.
struct pair {
  double now[9], then[5];
  region_view regions = {now, 2, 2, 1, 9}, before = {then, 0, 2, 1, 5};
  pair(double value, double error, double was, double its_error, uint32 said) {
    std::fill(now, now + 9, 0.5);
    for (int k = 0; k < 2; ++k) {
      regions.value(0, k) = value, regions.error(0, k) = error;
      before.value(0, k) = was, before.error(0, k) = its_error;
    }
    before.state(0) = {-0.25f, 0x12u | region_face_place};
    regions.state(0) = {0.0f, said};
    correct_raised(before, 0, regions, 0, 1);
  }
  uint32 word() const { return regions.state(0).word; }
};

void test_correction(void **) {
  const pair good(1.0, 1e-10, 1.0 + 1e-7, 1e-6, 0);
  assert_int_equal(raised_level(good.word()), 1);
  assert_false(good.word() & region_rough);
  assert_int_equal(good.word() & 0x3fu, 0x12);
  assert_true(good.regions.state(0).suspicion == -0.25f);
  assert_true(good.regions.error(0, 0) >= steepest_raise * 1e-6 * 0.999);  // no error falls without end
  const pair stays(1.0, 1e-10, 1.0, 1e-6, raise_undecayed);
  assert_int_equal(raised_level(stays.word()), raised_levels);  // no higher
  const pair differs(1.0, 1e-10, 1.0 + 2e-6, 1e-6, 0);
  assert_int_equal(raised_level(differs.word()), raised_levels);
  assert_false(differs.word() & region_rough);
  assert_true(differs.regions.error(0, 1) >= 1.99e-6);
  const pair surprises(1.0, 1e-10, 1.1, 1e-6, 0);
  assert_true(surprises.word() & region_rough);
  assert_true(surprises.regions.error(0, 1) >= 0.0999);
  const pair infinite(NAN, NAN, 1.5, 1e-6, raise_nonfinite);
  assert_true(infinite.regions.value(0, 0) == 1.5 && infinite.regions.error(0, 1) == 1e-6);
  assert_true((infinite.word() & region_rough) && raised_level(infinite.word()) == raised_levels);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(test_moments), cmocka_unit_test(test_points),
                              cmocka_unit_test(test_judgement), cmocka_unit_test(test_correction)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
