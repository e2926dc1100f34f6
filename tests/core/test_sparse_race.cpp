// What a sparse grid in a race takes as agreement of the regions, with regions that say what the test wants.
// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmath>
#include <memory>
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

// After which of the looks, each after twice the evaluations, the race ends with the grid's value; 0: after none. The first comes before the
// grid.
int look_that_wins(const std::vector<look> &looks) {
  cubature_settings set;
  set.ndim = ndim;
  set.ncomp = 1;
  set.reltol = 1e-9;
  set.maxeval = 1000000000;
  no_hooks hooks;
  grids source;
  const sparse_pace pace = {1e4, 2e4, 1.3, 0.0, 0.0, 1.0, 1.0, 0.0, 0.5, 0.0, 0.25, 0.0, 0.0, 1.0};
  sparse_race race(set, pace, &source, 0, greatest_int64 / 4, hooks);
  race.look_at({[](int, const double *) {
                  return std::vector<double>{0.25, 0.25, 0.25, 0.25, 1e-3};
                },
                [] { return listed_regions{}; }, [] { return int64{0}; }});
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

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(small_errors_say_something),
                              cmocka_unit_test(what_was_known_is_remembered),
                              cmocka_unit_test(what_has_moved_counts_for_nothing)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
