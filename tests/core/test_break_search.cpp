// Where a line jumps or bends is found to rounding; where it is smooth, or nothing but noise, there is nothing.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <initializer_list>
#include <limits>

extern "C" {
#include "close.h"
}
#include "core/break_search.hpp"
#include "engine/cubature/break_points.hpp"

using namespace tessera;

namespace {

template <class F>
break_search searched(const F &f, double lower = 0.0, double upper = 1.0) {
  break_search s(lower, upper, 1.0);
  double v[break_search::samples];
  do {
    for (int i = 0; i < break_search::samples; ++i) v[i] = f(s.point(i));
  } while (s.next([&v](int i) { return v[i]; }));
  return s;
}

// A place that is none of the points of any round.
double place(int i) { return 0.05 + 0.9 * std::fmod(i * 0.6180339887498949, 1.0); }

void jumps(void **) {
  for (int i = 1; i <= 200; ++i) {
    const double u = place(i);
    const break_search s = searched([u](double x) { return (x < u ? 1.0 : 1.5) * std::exp(2 * x); });
    assert_true(s.is_found());
    assert_true(std::fabs(s.at() - u) <= s.width() && s.width() < 2e-14);
    assert_int_equal(s.zeros(), 0);
    assert_true(s.points() <= break_search::samples * break_search::most_rounds);
  }
}

void kinks(void **) {
  for (int i = 1; i <= 200; ++i) {
    const double u = place(i);
    const break_search s = searched([u](double x) { return std::exp(-3 * std::fabs(x - u)) + x * x; });
    assert_true(s.is_found());
    assert_true(std::fabs(s.at() - u) < 1e-13);
  }
}

void sides_on_which_there_is_nothing(void **) {
  const double u = place(7);
  const auto zeros = [](auto f) {
    const break_search s = searched(f);
    assert_true(s.is_found());
    return s.zeros();
  };
  assert_int_equal(zeros([u](double x) { return x < u ? 0.0 : 1 + x; }), break_search::zero_below);
  assert_int_equal(zeros([u](double x) { return x > u ? 0.0 : 1 + x; }), break_search::zero_above);
  assert_int_equal(zeros([u](double x) { return x > u ? x - u : 0.0; }), break_search::zero_below);
  assert_int_equal(zeros([u](double x) { return x > u ? 2.0 : 1.0; }), 0);
}

// A line that is smooth is left after two rounds, a peak when it is resolved.
void nothing_to_find(void **) {
  const auto left_after = [](auto f) {
    const break_search s = searched(f);
    assert_false(s.is_found());
    return s.points() / break_search::samples;
  };
  assert_true(left_after([](double x) { return std::cos(5 * x); }) <= 2);
  assert_true(left_after([](double x) { return 1 / (0.02 + (x - 0.3) * (x - 0.3)); }) <= 2);
  assert_true(left_after([](double x) { return std::exp(-1e4 * (x - 0.3) * (x - 0.3)); }) <= 3);
  assert_true(left_after([](double x) { return std::exp(-1e8 * (x - 0.3) * (x - 0.3)); }) <= 5);
  assert_true(left_after([](double) { return 0.0; }) == 1);
  assert_true(left_after([](double) { return 1 / 3.0; }) == 1);
  assert_true(left_after([](double x) { return x; }) == 1);
  assert_true(left_after([](double x) { return 1e9 + std::sin(x); }) <= 2);
  uint64 state = 1;
  left_after([&state](double x) {  // last places
    state = state * 6364136223846793005u + 1442695040888963407u;
    return 1 + x + 1e-16 * static_cast<double>(state >> 62);
  });
}

void what_is_not_finite_ends_it(void **) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  assert_false(searched([nan](double x) { return x < 0.4 ? 1.0 : nan; }).is_found());
  assert_false(searched([infinity](double x) { return x < 0.4 ? 1.0 : infinity; }).is_found());
  for (const double from : {0.0, 0.1, 0.9})  // elsewhere than the jump
    assert_false(
        searched([=](double x) { return x >= from && x < from + 0.1 ? nan : (x < 0.4 ? 1.0 : 2.0); }).is_found());
  assert_false(searched([](double x) { return x < 0.4 ? 1e308 : -1e308; }).is_found());
}

// A point of the first round that is not finite: in a hole, of which an end may be at the end of the line, or alone.
void holes(void **) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (int k = 0; k < break_search::samples; ++k)
    for (const double bad : {nan, infinity, -infinity}) {
      const double hit = (k + 0.5) / break_search::samples;
      for (const double width : {0.1, 0.01, 1e-3, 1e-4, 2e-5})
        for (const double share : {0.01, 0.3, 0.99}) {
          const double lower = hit - share * width, upper = lower + width;
          const auto f = [=](double x) {
            assert_true(x > 0.0 && x < 1.0);
            return x >= lower && x < upper ? bad : std::exp(x);
          };
          const break_search s = searched(f);
          assert_true(s.is_hole() && !s.is_found());
          assert_true(s.at() >= lower && s.at() < upper);
        }
      for (const double width : {0.0, 1e-12, 1e-7}) {
        const break_search s = searched([=](double x) { return std::fabs(x - hit) <= width ? bad : std::exp(x); });
        assert_false(s.is_hole() || s.is_found());
        assert_true(s.points() <= 5 * break_search::samples);
      }
    }
  for (int i = 1; i <= 50; ++i) {  // beside a jump that has been closed in on
    const double u = place(i);
    assert_false(searched([=](double x) { return x < u ? 1.0 : (x < u + 1e-8 ? nan : 2.0); }).is_hole());
  }
}

// Finite components whose weighted sum overflows are no hole.
void sums_that_overflow(void **) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const double sum : {nan, infinity, -infinity}) {
    assert_true(std::isfinite(seen_on_line(sum, true)));
    assert_false(std::isfinite(seen_on_line(sum, false)));
    const break_search s =
        searched([sum](double x) { return x > 0.3 && x < 0.5 ? seen_on_line(sum, true) : std::exp(x); });
    assert_false(s.is_hole() || s.is_found());
  }
  assert_true(seen_on_line(-1.5, true) == -1.5);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(jumps),
      cmocka_unit_test(kinks),
      cmocka_unit_test(sides_on_which_there_is_nothing),
      cmocka_unit_test(nothing_to_find),
      cmocka_unit_test(what_is_not_finite_ends_it),
      cmocka_unit_test(holes),
      cmocka_unit_test(sums_that_overflow),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
