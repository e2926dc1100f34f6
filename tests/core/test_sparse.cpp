// Sparse grids: the nested rules against exact moments, the differences against their definition as tensor products, and the estimate.
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

#include "checked_sparse.hpp"

using namespace tessera;

namespace {

void rules_are_exact(void **) {
  for (int l = 1; l <= patterson_levels; ++l) {
    const int exact_to = l == 1 ? 1 : 3 * (1 << (l - 1)) - 1;
    bool all = true;
    for (int degree = 0; degree <= exact_to; degree += 2) {
      long double sum = 0.0L;
      for (int i = 0; i < (1 << l) - 1; ++i)
        sum += static_cast<long double>(weight(l, i)) * std::pow(static_cast<long double>(node(i)), degree);
      if (std::fabs(sum - 2.0L / (degree + 1)) > 4e-16L) all = false;
    }
    if (!all) print_message("level %d is not exact to degree %d\n", l, exact_to);
    assert_true(all);
    long double sum = 0.0L;
    const int next = exact_to + 1;  // the first even degree above
    for (int i = 0; i < (1 << l) - 1; ++i)
      sum += static_cast<long double>(weight(l, i)) * std::pow(static_cast<long double>(node(i)), next);
    if (l <= 4) assert_true(std::fabs(sum - 2.0L / (next + 1)) > 1e-12L);
  }
}

double wave(const double *x, int k) {
  return std::cos(1.0 + 2.0 * x[0] + (1.5 + k) * x[1] - x[2]) * std::exp(x[1] * x[2]);
}

void differences_are_those_of_tensor_products(void **) {
  const double centre[] = {0.5, 0.2, -1.0, 0.25, 0.25, 0.75}, half[] = {0.5, 0.7, 2.0, 0.25, 0.1, 0.25};
  checked_executor e(3, 2, wave);
  e.begin({centre, half, nullptr, 2});
  sparse_grid grid(3, 4, 1.0, e);
  assert_true(grid.begin() == outcome::running);
  while (grid.points() < 1500) assert_true(grid.grow(grid.points() / 2, 100000, greatest_int64) == outcome::running);
  print_message("%d points, differences to %.1e\n", static_cast<int>(grid.points()), e.worst);
  assert_true(e.worst < 2e-14);
}

void first_steps_may_have_more_levels(void **) {
  const double centre[] = {0.5, 0.2, -1.0}, half[] = {0.5, 0.7, 2.0};
  for (int levels = 1; levels <= 5; ++levels) {
    checked_executor e(3, 1, wave);
    e.begin({centre, half, nullptr, 1});
    sparse_grid grid(3, 1, 1.0, e);
    assert_true(grid.begin(levels) == outcome::running);
    assert_true(e.worst < 2e-14);
    assert_int_equal(grid.points(), sparse_grid::first_points(3, levels));
    assert_int_equal(grid.next_level(), levels + 2);
    assert_true(grid.grow(200, 100000, greatest_int64) == outcome::running);
    assert_true(e.worst < 2e-14);
    assert_int_equal(grid.next_level(), levels + 3);
  }
  assert_int_equal(sparse_grid::first_points(8), 161);
  assert_int_equal(sparse_grid::first_points(8, 4), 6401);
  for (int ndim = 2; ndim <= 64; ++ndim) {
    const int levels = sparse_grid::levels_of_constant(ndim);
    assert_true(levels >= sparse_grid::first_levels && levels <= 5);
    assert_true(levels == 2 || sparse_grid::first_points(ndim, levels) <=
                                   std::max(1000 * ndim, 8 * static_cast<int>(sparse_grid::first_points(ndim))));
  }
}

// The points of all indices are different, and as many as are counted.
void points_are_counted(void **) {
  const double centre[] = {0.0, 0.0}, half[] = {1.0, 1.0};
  std::vector<std::pair<double, double>> points;
  checked_executor e(2, 1, [&](const double *x, int) { return std::exp(x[0] + x[1] * x[1]); });
  e.begin({centre, half, nullptr, 1});
  sparse_grid grid(2, 1, 4.0, e);
  assert_true(grid.begin() == outcome::running);
  assert_int_equal(grid.points(), 1 + 2 * 2 + 2 * 4 + 4);
  while (!grid.is_judged()) assert_true(grid.grow(200, 100000, greatest_int64) == outcome::running);
  const double exact = (std::exp(1.0) - std::exp(-1.0)) * 2.925303491814363;  // 2 int_0^1 exp(t^2) dt
  assert_true(std::fabs(grid.value(0) - exact) < 1e-13 * exact);
  assert_true(grid.error(0) < 1e-10 && grid.error(0) > 0.0);
}

void nothing_beyond_the_limit(void **) {
  const double centre[] = {0.5, 0.5}, half[] = {0.5, 0.5};
  checked_executor e(2, 1, [](const double *x, int) { return x[0] > 0.3 + 0.2 * x[1] ? 1.0 : 0.0; });
  e.begin({centre, half, nullptr, 1});
  sparse_grid grid(2, 1, 1.0, e);
  assert_true(grid.begin() == outcome::running);
  outcome o = outcome::running;
  while (o == outcome::running) o = grid.grow(500, 20000 - grid.points(), greatest_int64);
  assert_true(o == outcome::evaluations);
  assert_true(grid.points() <= 20000);
  const double exact = 1.0 - 0.3 - 0.1;
  const int64 points = grid.points();
  assert_true(grid.grow(500, 100000, grid.bytes()) == outcome::memory);
  assert_int_equal(grid.points(), points);
  assert_true(std::fabs(grid.value(0) - exact) <= grid.error(0));
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(rules_are_exact),
                              cmocka_unit_test(differences_are_those_of_tensor_products),
                              cmocka_unit_test(first_steps_may_have_more_levels), cmocka_unit_test(points_are_counted),
                              cmocka_unit_test(nothing_beyond_the_limit)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
