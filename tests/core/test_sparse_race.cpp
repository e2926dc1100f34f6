// What a sparse grid in a race takes as agreement of the regions, and how it grows, with regions that say what the test wants.
// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmath>
#include <memory>
#include <new>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include "checked_sparse.hpp"
#include "engine/sparse/sparse_race.hpp"

using namespace tessera;

namespace {

constexpr int ndim = 2;
const double centre[] = {0.5, 0.5}, half[] = {0.5, 0.5};

double growth(const double *x, int) { return std::exp(x[0] + x[1]); }
const double exact = (std::exp(1.0) - 1.0) * (std::exp(1.0) - 1.0);

class grids final : public sparse_source {
 public:
  sparse_grid *open() override {
    of_domain_.begin({centre, half, nullptr, 1});
    domain_ = std::make_unique<sparse_grid>(ndim, 1, 1.0, of_domain_);
    return domain_.get();
  }
  sparse_grid *open_regions(int regions, const double *boxes, std::size_t length) override {
    centres_.clear();
    halves_.clear();
    for (int b = 0; b < regions; ++b)
      for (int j = 0; j < ndim; ++j) {
        centres_.push_back(boxes[static_cast<std::size_t>(b) * length + static_cast<std::size_t>(j)]);
        halves_.push_back(boxes[static_cast<std::size_t>(b) * length + static_cast<std::size_t>(ndim + j)]);
      }
    of_regions_.begin({centres_.data(), halves_.data(), nullptr, regions});
    regions_ = std::make_unique<sparse_grid>(ndim, regions, 1.0, of_regions_);
    return regions_.get();
  }

 private:
  checked_executor of_domain_{ndim, 1, growth}, of_regions_{ndim, 1, growth};
  std::unique_ptr<sparse_grid> domain_, regions_;
  std::vector<double> centres_, halves_;
};

struct no_hooks final : run_hooks {
  outcome between_steps(int64, const double *, const double *) override { return outcome::running; }
};

struct look {
  double value, error;
};

cubature_settings settings_of(int variables, double reltol) {
  cubature_settings set;
  set.ndim = variables;
  set.ncomp = 1;
  set.reltol = reltol;
  set.maxeval = 1000000000;
  return set;
}
sparse_pace pace_from(double start, double share) {
  sparse_pace pace;
  pace.first_look = 1e4;
  pace.start = start;
  pace.apart = 1.3;
  pace.point = pace.seen_first = 1.0;
  pace.share = share;
  pace.lead = 0.5;
  pace.check_share = 0.25;
  return pace;
}

// After which of the looks, each after twice the evaluations, the race ends with the grid's value; 0: after none. The first comes before the
// grid.
int look_that_wins(const std::vector<look> &looks) {
  const cubature_settings set = settings_of(ndim, 1e-9);
  no_hooks hooks;
  grids source;
  const sparse_pace pace = pace_from(2e4, 1.0);
  sparse_race race(set, pace, &source, 0, greatest_int64 / 4, hooks);
  race.look_at({[](int, const double *) {
                  return std::vector<double>{0.25, 0.25, 0.25, 0.25, 1e-3};
                },
                [] { return listed_regions{}; },
                [] { return int64{0}; },
                {}});
  int64 n = 6000;
  int turn = 0;
  for (const look &l : looks) {
    ++turn;
    n *= 2;
    if (race.between_steps(n, &l.value, &l.error) != outcome::converged) continue;
    double value = 0.0, error = 0.0;
    assert_true(race.is_won(&value, &error));
    assert_true(std::fabs(value - exact) <= 1e-9 * exact);
    return turn;
  }
  return 0;
}

const look near = {exact * (1.0 + 1e-4), 1e-3}, elsewhere = {exact * (1.0 + 1e-2), 1e-3},
           vague = {exact * (1.0 + 1e-4), 30.0}, moved = {exact * (1.0 + 1e-2), 30.0};

void small_errors_say_something(void **) {
  assert_int_equal(look_that_wins({near, near}), 2);
  assert_int_equal(look_that_wins({elsewhere, elsewhere, elsewhere}), 0);
  assert_int_equal(look_that_wins({vague, vague, vague}), 0);
}

// The regions knew the value once, and it has not moved since, though their errors do not cancel any more.
void what_was_known_is_remembered(void **) {
  assert_int_equal(look_that_wins({near, vague}), 2);
  assert_int_equal(look_that_wins({near, moved, vague}), 3);
}

// It counts for nothing when the value moves beyond what the error was, as where something has been found that nobody had seen.
void what_has_moved_counts_for_nothing(void **) {
  assert_int_equal(look_that_wins({near, moved, moved}), 0);
  assert_int_equal(look_that_wins({elsewhere, vague, vague}), 0);
}

constexpr int counted_ndim = 4;
const double counted_centre[] = {0.5, 0.5, 0.5, 0.5}, counted_half[] = {0.5, 0.5, 0.5, 0.5};

class counted_grid final : public sparse_source {
 public:
  explicit counted_grid(double (*f)(const double *, int)) : executor(counted_ndim, 1, f) {}
  sparse_grid *open() override {
    executor.begin({counted_centre, counted_half, nullptr, 1});
    grid_ = std::make_unique<sparse_grid>(counted_ndim, 1, 1.0, executor);
    return grid_.get();
  }
  sparse_grid *open_regions(int, const double *, std::size_t) override { throw std::bad_alloc(); }
  checked_executor executor;

 private:
  std::unique_ptr<sparse_grid> grid_;
};

double kink(const double *x, int) { return 0.1 + std::fabs(x[0] + x[1] + x[2] + x[3] - 1.7); }
double waves(const double *x, int) { return std::cos(100.0 * x[0] + 80.0 * x[1] + 60.0 * x[2] + 40.0 * x[3]); }

// Points of each step of a grid that begins with up to 300 and doubles them up to 10000, in its first turn, after 80000 evaluations in so many steps
// by regions whose error does not fall.
std::vector<int64> first_turn(double (*f)(const double *, int), int64 steps_of_regions) {
  const cubature_settings set = settings_of(counted_ndim, 1e-12);
  no_hooks hooks;
  counted_grid source(f);
  sparse_pace pace = pace_from(8e4, 1.0 / 16);
  pace.foresight = 1.0 / 10;
  pace.first_points = 300.0;
  pace.doubled = 1e4;
  sparse_race race(set, pace, &source, 0, greatest_int64 / 4, hooks);
  race.look_at({[](int, const double *) { return std::vector<double>{}; },
                [] {
                  return listed_regions{{}, 1023};
                },
                [=] { return steps_of_regions; },
                {}});
  const look unchanged = {1.0, 0.1};
  for (const int64 n : {int64{40000}, int64{80000}})
    assert_int_equal(race.between_steps(n, &unchanged.value, &unchanged.error), outcome::running);
  return source.executor.steps;
}
int64 sum_of(const std::vector<int64> &steps, std::size_t n) {
  int64 sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += steps[i];
  return sum;
}

// A grid begins with as many levels as it may and doubles, so that its trend is seen in a few steps; while its error is as large as the value it
// grows threefold, for what its indices promise then says little.
void steps_are_large_at_first(void **) {
  const std::vector<int64> of_kink = first_turn(kink, 10), of_waves = first_turn(waves, 10);
  for (const std::vector<int64> &steps : {of_kink, of_waves}) {
    assert_true(steps.size() >= 3);
    assert_int_equal(steps[0], sparse_grid::first_points(counted_ndim, sparse_grid::levels_within(counted_ndim, 300)));
  }
  // As long as there are fewer than are doubled, and no more than seem to be needed; a step has at least 1000.
  for (std::size_t i = 2; sum_of(of_kink, i) < 10000; ++i) {
    const int64 before = sum_of(of_kink, i);
    assert_true(of_kink[i] >= before && of_kink[i] < before + before / 2);
  }
  for (std::size_t i = 2; sum_of(of_waves, i) < 5000; ++i) assert_true(2 * of_waves[i] > 3 * sum_of(of_waves, i));
}

// Where the regions are divided evenly a grid may have a tenth of what they are going to need. Elsewhere their error is in places, and it has little.
void uneven_regions_leave_little_to_a_grid(void **) {
  const std::vector<int64> even = first_turn(kink, 10), uneven = first_turn(kink, 30);
  const int64 of_even = sum_of(even, even.size()), of_uneven = sum_of(uneven, uneven.size());
  assert_true(of_even > 80000 / 16 && of_even <= 80000 / 2);
  assert_true(of_uneven <= 80000 / 10);  // the last step has somewhat more than was asked for
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(small_errors_say_something), cmocka_unit_test(what_was_known_is_remembered),
      cmocka_unit_test(what_has_moved_counts_for_nothing), cmocka_unit_test(steps_are_large_at_first),
      cmocka_unit_test(uneven_regions_leave_little_to_a_grid)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
