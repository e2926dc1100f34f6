// The look for other modes in one variable (engine/quadrature/mode_look.hpp): what it finds is integrated, for each component and both parts of a complex value; where the
// evaluations do not suffice nothing is claimed, and the error knows of it; without it the claims are false.
// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

extern "C" {
#include <cmocka.h>  // after all others: its macros have names of theirs
}

#include "cases.h"
#include "problem.hpp"
#include "quadrature_integral.hpp"

namespace {

using namespace tessera;

const double root_two_pi = std::sqrt(2.0 * std::acos(-1.0));

double normal(double x, double centre, double width) {
  const double z = (x - centre) / width;
  return std::exp(-0.5 * z * z) / (width * root_two_pi);
}

struct range {
  double lower, upper;
};

quadrature_settings settings_of(int ncomp, double reltol) {
  quadrature_settings s;
  s.ndim = 1;
  s.ncomp = ncomp;
  s.reltol = reltol;
  s.maxeval = 100000;
  s.least_intervals = 16;
  s.seeks_modes = true;
  return s;
}

struct answer {
  outcome end;
  std::vector<double> value, error;
  int64 evaluations;
};

answer integrate(const quadrature_settings &s, const range &on, const std::function<void(double, double *)> &f) {
  quadrature_problem p;
  p.set_limits(1, &on.lower, &on.upper);
  const auto q = std::make_unique<quadrature_integral>();
  q->begin(s, p.range);
  std::vector<double> x, v, of_point(static_cast<std::size_t>(s.ncomp));
  while (const int64 n = q->wanted()) {
    if (n > s.maxeval - q->statistics().evaluations && q->can_stop()) {
      q->stop(outcome::evaluations);
      break;
    }
    x.resize(static_cast<std::size_t>(n));
    v.resize(static_cast<std::size_t>(s.ncomp * n));
    q->write(x.data(), n);
    for (int64 i = 0; i < n; ++i) {
      f(x[static_cast<std::size_t>(i)], of_point.data());
      for (int k = 0; k < s.ncomp; ++k) v[static_cast<std::size_t>(k * n + i)] = of_point[static_cast<std::size_t>(k)];
    }
    q->tell(v.data(), n);
  }
  return {
      q->end(), {q->value(), q->value() + s.ncomp}, {q->error(), q->error() + s.ncomp}, q->statistics().evaluations};
}

// Two peaks, the second `apart` widths of the first from it: below it, above it, behind an end of the range.
struct two_peaks {
  range on;
  double first, width, second, width_of_second, weight;
  double at(double x) const { return normal(x, first, width) + weight * normal(x, second, width_of_second); }
};

two_peaks draw(uint64_t &seed) {
  const double width = std::pow(10.0, 2.0 * splitmix_uniform(&seed) - 1.0),
               apart = 15.0 + 30.0 * splitmix_uniform(&seed);
  two_peaks t = {{-INFINITY, INFINITY},
                 width * 3.0 * splitmix_uniform(&seed),
                 width,
                 0.0,
                 width * (0.3 + splitmix_uniform(&seed)),
                 0.2 + splitmix_uniform(&seed)};
  const double kind = 3.0 * splitmix_uniform(&seed);
  t.second = t.first + (kind < 1.0 ? -apart : apart) * width;
  if (kind < 2.0) return t;
  t.on.lower = 0.0;  // next to nothing lies below it
  t.first += 8.0 * width;
  t.second += 8.0 * width;
  if (kind < 2.5) return t;
  t.on = {-INFINITY, 0.0};
  t.first = -t.first;
  t.second = -t.second;
  return t;
}

struct claims {
  int all = 0, wrong = 0;
};

// wide: over finite ranges, 3 to 100 times as long as the distance of the farther peak from 0.
claims count(bool seeks, bool wide) {
  claims c;
  uint64_t seed = 28129341;
  for (int i = 0; i < 300; ++i) {
    two_peaks t = draw(seed);
    if (wide) {
      t.width_of_second *= 0.4;
      const double end =
          std::fmax(std::fabs(t.first), std::fabs(t.second)) * 3.0 * std::pow(30.0, splitmix_uniform(&seed));
      if (t.on.lower < 0.0) t.on.lower = -0.7 * end;
      if (t.on.upper > 0.0) t.on.upper = end;
    }
    quadrature_settings s = settings_of(1, i % 2 == 0 ? 1e-3 : 1e-8);
    s.seeks_modes = seeks;
    const answer a = integrate(s, t.on, [&](double x, double *v) { *v = t.at(x); });
    if (a.end != outcome::converged) continue;
    ++c.all;
    const double exact = 1.0 + t.weight;
    c.wrong += std::fabs(a.value[0] - exact) > s.reltol * exact;
  }
  return c;
}

void both_are_found(void **) {
  for (const bool wide : {false, true}) {
    const claims without = count(false, wide), with = count(true, wide);
    print_message("%s: %d of %d claims are false without the look, %d of %d with it\n",
                  wide ? "wide finite ranges" : "infinite ranges", without.wrong, without.all, with.wrong, with.all);
    assert_true(without.wrong > (wide ? 3 : 15));
    assert_int_equal(with.all, 300);
    assert_int_equal(with.wrong, 0);
  }
}

// A second peak that no interval meets before.
constexpr two_peaks hidden = {{0.0, INFINITY}, 0.0, 1.0, 26.0, 0.2, 0.5};
double hidden_at(double x) { return std::exp(-x) + hidden.weight * normal(x, hidden.second, hidden.width_of_second); }

void so_are_those_of_components(void **) {
  quadrature_settings s = settings_of(3, 1e-6);
  const auto f = [](double x, double *v) {
    v[0] = std::exp(-x);
    v[1] = hidden_at(x);
    v[2] = x * std::exp(-x) + 2.0 * normal(x, 31.0, 0.15);
  };
  const double exact[] = {1.0, 1.5, 3.0};
  const answer with = integrate(s, hidden.on, f);
  s.seeks_modes = false;
  const answer without = integrate(s, hidden.on, f);
  assert_int_equal(static_cast<int>(with.end), static_cast<int>(outcome::converged));
  assert_int_equal(static_cast<int>(without.end), static_cast<int>(outcome::converged));
  for (std::size_t k = 0; k < 3; ++k) {
    assert_true(std::fabs(with.value[k] - exact[k]) <= 1e-6 * exact[k]);
    assert_true(k == 0 || std::fabs(without.value[k] - exact[k]) > 0.1);
  }
}

void and_of_both_parts(void **) {
  for (int part = 0; part < 2; ++part) {
    quadrature_settings s = settings_of(2, 1e-6);
    s.complex_values = true;
    const answer a = integrate(s, hidden.on, [part](double x, double *v) {
      v[part] = hidden_at(x);
      v[1 - part] = 0.1 * std::exp(-2.0 * x);
    });
    assert_int_equal(static_cast<int>(a.end), static_cast<int>(outcome::converged));
    assert_true(std::fabs(a.value[static_cast<std::size_t>(part)] - 1.5) <= 1.6e-6);
    assert_true(std::fabs(a.value[static_cast<std::size_t>(1 - part)] - 0.05) <= 1.6e-6);
  }
}

// Wherever a limit ends it behind the first look.
void a_limit_claims_nothing_false(void **) {
  const auto f = [](double x, double *v) { *v = hidden_at(x); };
  quadrature_settings s = settings_of(1, 1e-6);
  const answer all = integrate(s, hidden.on, f);
  s.seeks_modes = false;
  const int64 before = integrate(s, hidden.on, f).evaluations;  // from here on the look can be afforded
  s.seeks_modes = true;
  assert_true(all.evaluations > before + 100);
  int limited = 0;
  for (s.maxeval = before + before / 8; s.maxeval < all.evaluations; s.maxeval += 7) {
    const answer a = integrate(s, hidden.on, f);
    assert_true(a.evaluations <= s.maxeval);
    const double error = std::fabs(a.value[0] - 1.5);
    if (a.end == outcome::converged) {  // without the look from the second one
      assert_true(error <= 1.5e-6);
    } else {
      assert_int_equal(static_cast<int>(a.end), static_cast<int>(outcome::evaluations));
      assert_true(error <= 3.0 * a.error[0]);
      ++limited;
    }
  }
  assert_true(limited > 10);
}

void what_is_not_finite_is_reported(void **) {
  const answer a = integrate(settings_of(1, 1e-6), hidden.on,
                             [](double x, double *v) { *v = x > 20.2 && x < 21.8 ? NAN : std::exp(-x); });
  assert_int_equal(static_cast<int>(a.end), static_cast<int>(outcome::nonfinite));
  assert_true(std::fabs(a.value[0] - 1.0) < 1e-6);
}

// The first rules see the one interval of each half: 46 points in all.
void pieces_are_divided_too(void **) {
  const double width = 0.05;
  const auto f = [&](double x, double *v) { *v = 1.0 / (1.0 + x * x) + normal(x, 3.3, width); };
  const double exact = std::acos(-1.0) + 1.0;
  quadrature_settings s = settings_of(1, 1e-3);
  s.seeks_modes = false;
  const answer a = integrate(s, {-INFINITY, INFINITY}, f);
  s.least_intervals = 1;
  const answer before = integrate(s, {-INFINITY, INFINITY}, f);
  assert_int_equal(static_cast<int>(before.end), static_cast<int>(outcome::converged));
  assert_true(std::fabs(before.value[0] - exact) > 0.1);
  assert_int_equal(static_cast<int>(a.end), static_cast<int>(outcome::converged));
  assert_true(std::fabs(a.value[0] - exact) <= 1e-3 * exact);
}

// What lies between the points of the intervals that come after the one that has seen it is not success with the value 0.
void what_has_vanished_is_not_nothing(void **) {
  const auto f = [](double x, double *v) {
    const double z = (-x - 357.104) / 2.37448;
    *v = z * z * std::exp(-0.5 * z * z);
  };
  const answer a = integrate(settings_of(1, 1e-3), {-INFINITY, 0.0}, f);
  assert_true(a.end == outcome::all_zero || a.value[0] > 0.0);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(both_are_found),
                              cmocka_unit_test(so_are_those_of_components),
                              cmocka_unit_test(and_of_both_parts),
                              cmocka_unit_test(a_limit_claims_nothing_false),
                              cmocka_unit_test(what_is_not_finite_is_reported),
                              cmocka_unit_test(pieces_are_divided_too),
                              cmocka_unit_test(what_has_vanished_is_not_nothing)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
