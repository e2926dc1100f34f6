// Sparse grids: the nested rules against exact moments, the differences against their definition as tensor products, and the estimate.
// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmath>
#include <functional>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include "engine/sparse/sparse_grid.hpp"

using namespace tessera;

namespace {

using integrand = std::function<double(const double *x, int k)>;

// Points of level l in their order: the middle, then plus and minus of each node.
double node(int i) {
  if (i == 0) return 0.0;
  return (i % 2 == 1 ? 1.0 : -1.0) * patterson_nodes[(i + 1) / 2];
}
double weight(int level, int i) {
  return level == 0 || i >= (1 << level) - 1 ? 0.0 : patterson_weights[(1 << (level - 1)) - 1 + (i + 1) / 2];
}

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

// Works out each difference twice: as the library's executors do, and from its definition.
class checked_executor final : public sparse_executor {
 public:
  checked_executor(int ndim, int ncomp, integrand f) : ndim_(ndim), ncomp_(ncomp), f_(std::move(f)) {}
  void begin(const sparse_domain &domain) override { domain_ = domain; }
  int64 bytes_of_point() const override { return 0; }

  outcome evaluate(const sparse_step &step, double *differences) override {
    store_.resize(static_cast<std::size_t>(step.store));
    std::vector<double> x(static_cast<std::size_t>(ndim_));
    for (const sparse_index &q : step.indices)
      for (int b = 0; b < domain_.boxes; ++b)
        for (int64 i = 0; i < int64{1} << q.bits; ++i) {
          write_sparse_point(tables_, domain_, ndim_, b, q, step.words.data(), i, x.data(), 1);
          for (int k = 0; k < ncomp_; ++k) at(q.place + i + (b * ncomp_ + k) * q.stride) = f_(x.data(), k);
        }
    for (std::size_t n = 0; n < step.indices.size(); ++n)
      for (int c = 0; c < domain_.boxes * ncomp_; ++c) {
        const double d = sum_up(step, step.indices[n], c);
        differences[static_cast<std::size_t>(c) * step.indices.size() + n] = d;
        const double expected = by_definition(step, step.indices[n], c);
        worst = std::fmax(worst, std::fabs(d - expected));
      }
    return outcome::running;
  }
  double worst = 0.0;

 private:
  double &at(int64 i) { return store_[static_cast<std::size_t>(i)]; }

  double sum_up(const sparse_step &step, const sparse_index &q, int c) {
    const int64 own = q.place + c * q.stride;
    axis_sums left(q, step.words.data());
    while (left.next())
      for (int64 r = 0; r < left.size(); ++r)
        at(own + left.place() + r) = sum_over_axis(tables_, left.word(), left.size(), r, store_.data(), c);
    return at(own + left.place());
  }

  double by_definition(const sparse_step &step, const sparse_index &q, int c) const {
    std::vector<int> level(static_cast<std::size_t>(ndim_), 1), i(level.size(), 0);
    const int64 *word = step.words.data() + q.words;
    for (int s = 0; s < q.active; ++s, word += words_of_axis(level_of_word(*word)))
      level[static_cast<std::size_t>(axis_of_word(*word))] = level_of_word(*word);
    const auto nd = static_cast<std::size_t>(ndim_), b = static_cast<std::size_t>(c / ncomp_);
    std::vector<double> x(nd);
    double sum = 0.0;
    for (;;) {
      double w = 1.0;
      for (std::size_t j = 0; j < nd; ++j) {
        w *= 0.5 * (weight(level[j], i[j]) - weight(level[j] - 1, i[j]));
        x[j] = domain_.centre[b * nd + j] + domain_.half[b * nd + j] * node(i[j]);
      }
      sum += w * f_(x.data(), c % ncomp_);
      std::size_t j = 0;
      while (j < nd && ++i[j] == (1 << level[j]) - 1) i[j++] = 0;
      if (j == nd) return sum;
    }
  }

  const int ndim_, ncomp_;
  const integrand f_;
  const sparse_tables tables_ = make_sparse_tables();
  sparse_domain domain_ = {};
  std::vector<double> store_;
};

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
                              cmocka_unit_test(points_are_counted), cmocka_unit_test(nothing_beyond_the_limit)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
