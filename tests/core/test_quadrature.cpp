// The engine in one variable: its tables, the parts of its rules, the epsilon algorithm, and runs of many integrals that are served together.
// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmath>
#include <memory>
#include <vector>

extern "C" {
#include <cmocka.h>  // after all others: its macros have names of theirs
}

#include "close.h"
#include "engine/quadrature/end_rule.hpp"
#include "engine/quadrature/extrapolating_run.hpp"
#include "engine/quadrature/nested_rule.hpp"
#include "engine/quadrature/oscillating_rule.hpp"
#include "engine/quadrature/plain_run.hpp"
#include "engine/quadrature/pole_rule.hpp"

namespace {

using namespace tessera;

double power(double x, int n) { return n == 0 ? 1.0 : std::pow(x, n); }
double integral_of_power(int n) { return n % 2 == 0 ? 2.0 / (n + 1) : 0.0; }

// ---- Tables --------------------------------------------------------------------------------------------------------------------

// Kronrod's rule with 2 n + 1 points is exact to degree 3 n + 1, with n odd (the centre is shared) to 3 n + 2; Gauss's to 2 n - 1.
template <int Pairs>
void pair_is_exact() {
  constexpr auto &rule = kronrod_of<double, Pairs>;
  const int gauss_points = Pairs, exact = 3 * gauss_points + 1;
  for (int n = 0; n <= exact; n += 2) {
    double fine = rule.weight[Pairs] * power(0.0, n), coarse = rule.gauss[rule.shared] * power(0.0, n);
    for (int p = 0; p < Pairs; ++p) {
      fine += 2.0 * rule.weight[p] * power(rule.node[p], n);
      if (p < rule.shared) coarse += 2.0 * rule.gauss[p] * power(rule.node[p], n);
    }
    assert_close(fine, integral_of_power(n), 0, 4e-15);
    if (n <= 2 * gauss_points - 1)
      assert_close(coarse, integral_of_power(n), 0, 4e-15);
    else if (n <= 2 * gauss_points + 1 && Pairs < 15)
      assert_true(std::fabs(coarse - integral_of_power(n)) > 1e-14);
  }
  for (int place = 0; place + 1 < Pairs; ++place)  // from the outermost inward, all of them once
    assert_true(rule.node[rule.inward(place)] > rule.node[rule.inward(place + 1)]);
}
void tables_of_pairs(void **) {
  pair_is_exact<7>();
  pair_is_exact<10>();
  pair_is_exact<15>();
  pair_is_exact<20>();
  pair_is_exact<25>();
  pair_is_exact<30>();
}

// 43 points with 22 free ones: degree 64; 87 with 44: 130.
void nested_rules(void **) {
  const auto &tables = nested_of<double>;
  const auto &pair = kronrod_of<double, 10>;
  std::vector<double> nodes(pair.node, pair.node + 10);
  nodes.insert(nodes.end(), tables.node_43, tables.node_43 + 11);
  nodes.insert(nodes.end(), tables.node_87, tables.node_87 + 22);
  for (int n = 0; n <= 130; n += 2) {
    double sum_43 = tables.weight_43[21] * power(0.0, n), sum_87 = tables.weight_87[43] * power(0.0, n);
    for (std::size_t p = 0; p < 43; ++p) {
      if (p < 21) sum_43 += 2.0 * tables.weight_43[p] * power(nodes[p], n);
      sum_87 += 2.0 * tables.weight_87[p] * power(nodes[p], n);
    }
    if (n <= 64) assert_close(sum_43, integral_of_power(n), 0, 4e-15);
    assert_close(sum_87, integral_of_power(n), 0, 4e-15);
  }
}

// ---- Series and moments -----------------------------------------------------------------------------------------------------

double chebyshev(int k, double x) { return std::cos(k * std::acos(x)); }

void chebyshev_polynomials_come_back(void **) {
  const chebyshev_points<double> points(cosines<double>, {-1.0, 1.0});
  for (int degree = 0; degree <= 24; ++degree) {
    double value[25];
    chebyshev_series<double> series;
    points.evaluate([degree](double x) { return chebyshev(degree, x); }, value);
    expand(cosines<double>, value, series);
    for (int k = 0; k <= 24; ++k) assert_close(series.high[k], k == degree ? 1.0 : 0.0, 0, 2e-14);
    for (int k = 0; k <= 12 && degree <= 12; ++k) assert_close(series.low[k], k == degree ? 1.0 : 0.0, 0, 2e-14);
  }
}

// By 61 points on each of many intervals.
template <class Function>
double by_brute_force(double a, double b, int pieces, const Function &f) {
  double sum = 0.0;
  for (int i = 0; i < pieces; ++i)
    sum += apply_kronrod(kronrod_of<double, 30>,
                         interval<double>{a + (b - a) * i / pieces, a + (b - a) * (i + 1) / pieces}, f)
               .value;
  return sum;
}

void moments_of_the_oscillating_weight(void **) {
  for (const double parameter : {2.01, 3.0, 7.7, 15.0, 23.99, 24.01, 60.0, 333.0}) {
    double moment[25];
    const oscillating_moments<double> made(parameter);
    made.cosine_moments(moment, 1);
    made.sine_moments(moment, 1);
    for (int k = 0; k < 25; ++k) {
      const double exact = by_brute_force(-1.0, 1.0, 100, [=](double x) {
        return chebyshev(k, x) * (k % 2 == 0 ? std::cos(parameter * x) : std::sin(parameter * x));
      });
      // T_k has a singular derivative at the ends in this form.
      assert_close(moment[k], exact, 0, 2e-9);
    }
  }
}

void moments_of_the_ends(void **) {
  for (const double exponent : {-0.5, 0.0, 0.3, 2.0}) {
    end_moments<double> m;
    compute_end_moments(exponent, true, m);
    for (int k = 0; k < 25; ++k) {
      // With 1 + x = 2 u^8 the weight is smooth enough.
      const auto with = [=](bool logarithm) {
        return by_brute_force(0.0, 1.0, 40, [=](double u) {
          const double y = std::pow(u, 8), x = 2.0 * y - 1.0;
          return chebyshev(k, x) * std::pow(2.0 * y, exponent) * (logarithm ? std::log(y) : 1.0) * 16.0 *
                 std::pow(u, 7);
        });
      };
      assert_close(m.plain[k], with(false), 0, 2e-9);
      assert_close(m.with_log[k], with(true), 0, 2e-9);
    }
  }
}

// With exact sums the logarithmic weight at the lower end is as good as at the upper one.
void both_ends_are_alike(void **) {
  const auto f = [](double x) { return 1.0 / (0.1 + x); };
  const auto g = [](double x) { return 1.0 / (1.1 - x); };
  const auto &pair = kronrod_of<double, 7>;
  const interval<double> range = {0.0, 1.0}, low = {0.0, 0.5}, high = {0.5, 1.0};
  const end_rule<double> lower(pair, cosines<double>, range, -0.3, 0.2, true, false, log_sums::exact);
  const end_rule<double> published(pair, cosines<double>, range, -0.3, 0.2, true, false, log_sums::as_published);
  const end_rule<double> upper(pair, cosines<double>, range, 0.2, -0.3, false, true, log_sums::exact);
  const auto a = lower.apply(low, f), b = upper.apply(high, g), p = published.apply(low, f);
  assert_close(a.value, b.value, 1e-13, 0);
  assert_true(std::fabs(p.value - a.value) > 1e-13 && std::fabs(p.value - a.value) < p.error);
}

// ---- Extrapolation ------------------------------------------------------------------------------------------------------------

void epsilon_algorithm(void **) {
  // ln 2 = 1 - 1/2 + 1/3 - ..
  epsilon_table<double> table;
  extrapolated<double> x = {0, 0};
  double sum = 0.0;
  for (int n = 1; n <= 15; ++n) {
    sum += (n % 2 ? 1.0 : -1.0) / n;
    table.push(sum);
    x = table.extrapolate();
  }
  assert_close(x.value, std::log(2.0), 0, 1e-10);
  assert_true(std::fabs(x.value - std::log(2.0)) <= x.error && x.error < 1e-7);

  // A geometric sequence is exact from the third element on; a constant one converges and says how well.
  epsilon_table<double> geometric;
  for (int n = 0; n < 3; ++n) {
    geometric.push(2.0 - std::pow(0.5, n));
    x = geometric.extrapolate();
  }
  assert_close(x.value, 2.0, 1e-15, 0);
  epsilon_table<double> constant;
  for (int n = 0; n < 3; ++n) {
    constant.push(7.0);
    x = constant.extrapolate();
  }
  assert_close(x.value, 7.0, 0, 0);
  assert_close(x.error, 35 * 0x1p-52, 0, 0);

  // More elements than the table has room for.
  epsilon_table<double> full;
  for (int n = 1; n <= 300; ++n) {
    full.push(std::cos(1.7 * n) / n);
    x = full.extrapolate();
    assert_true(full.size() < epsilon_table<double>::longest);
  }
}

// ---- Many integrals that are served together -------------------------------------------------------------------------------

constexpr int limit = 60, pairs = 10;

struct integral {
  std::vector<double> real = std::vector<double>(4 * limit);
  std::vector<int> order = std::vector<int>(limit);
  std::unique_ptr<extrapolating_run<double, int>> run;
  double exponent;

  explicit integral(double e) : exponent(e) {
    double *r = real.data();
    run = std::make_unique<extrapolating_run<double, int>>(
        interval<double>{0.0, 1.0}, 0.0, nullptr, tolerances<double>{0.0, 1e-10},
        interval_arrays<double, int>{r, r + limit, r + 2 * limit, r + 3 * limit, order.data()}, limit);
  }
  double operator()(double x) const { return std::pow(x, exponent) * std::cos(x); }
};

void served_together(void **) {
  constexpr int count = 500;
  std::vector<integral> alone, together;
  for (int i = 0; i < count; ++i) {
    alone.emplace_back(-0.8 + 0.003 * i);
    together.emplace_back(-0.8 + 0.003 * i);
  }
  for (integral &a : alone)
    while (a.run->request().count > 0) {
      interval_estimate<double> e[2];
      for (int i = 0; i < a.run->request().count; ++i)
        e[i] = apply_kronrod(kronrod_of<double, pairs>, a.run->request().part[i], a);
      a.run->tell(e);
    }

  // A batch has the points of all requests of all runs; values come back in one array.
  int rounds = 0, most = 0;
  for (;; ++rounds) {
    std::vector<double> x, parameter;
    for (integral &t : together)
      for (int i = 0; i < t.run->request().count; ++i) {
        const kronrod_sums<double, pairs> sums(kronrod_of<double, pairs>, t.run->request().part[i]);
        x.push_back(sums.centre());
        for (int p = 0; p < pairs; ++p) {
          x.push_back(sums.centre() - sums.distance(p));
          x.push_back(sums.centre() + sums.distance(p));
        }
        parameter.resize(x.size(), t.exponent);
      }
    if (x.empty()) break;
    most = std::max(most, static_cast<int>(x.size()));
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::pow(x[k], parameter[k]) * std::cos(x[k]);
    std::size_t at = 0;
    for (integral &t : together) {
      interval_estimate<double> e[2];
      const int wanted = t.run->request().count;
      for (int i = 0; i < wanted; ++i) {
        kronrod_sums<double, pairs> sums(kronrod_of<double, pairs>, t.run->request().part[i]);
        sums.add_centre(x[at++]);
        for (int p = 0; p < pairs; ++p, at += 2) sums.add_pair(p, x[at], x[at + 1]);
        e[i] = sums.finish();
      }
      if (wanted > 0) t.run->tell(e);
    }
  }
  assert_true(rounds > 5 && most > 4096);
  for (std::size_t i = 0; i < count; ++i) {
    assert_int_equal(static_cast<int>(together[i].run->end()), static_cast<int>(quadrature_end::converged));
    assert_int_equal(together[i].run->size(), alone[i].run->size());
    assert_same_bits(together[i].run->value(), alone[i].run->value());
    assert_same_bits(together[i].run->error(), alone[i].run->error());
    // The series of the cosine.
    double exact = 0.0, term = 1.0;
    for (int n = 0; n < 12; ++n) {
      exact += term / (2 * n + 1 + together[i].exponent);
      term /= -(2.0 * n + 1) * (2.0 * n + 2);
    }
    assert_close(together[i].run->value(), exact, 1e-10, 0);
  }
}

// A run that is stopped has the sums of what it knows, and asks for no more.
void stopped(void **) {
  integral a(-0.5);
  for (int step = 0; step < 4; ++step) {
    interval_estimate<double> e[2];
    a.run->stop();  // before the first estimate there is nothing to end with
    if (step > 0) break;
    for (int i = 0; i < a.run->request().count; ++i)
      e[i] = apply_kronrod(kronrod_of<double, pairs>, a.run->request().part[i], a);
    a.run->tell(e);
  }
  assert_int_equal(a.run->request().count, 0);
  assert_int_equal(static_cast<int>(a.run->end()), static_cast<int>(quadrature_end::stopped));
  assert_int_equal(a.run->size(), 1);
  assert_true(a.run->error() > 0.0 && std::isfinite(a.run->value()));
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(tables_of_pairs),
                              cmocka_unit_test(nested_rules),
                              cmocka_unit_test(chebyshev_polynomials_come_back),
                              cmocka_unit_test(moments_of_the_oscillating_weight),
                              cmocka_unit_test(moments_of_the_ends),
                              cmocka_unit_test(both_ends_are_alike),
                              cmocka_unit_test(epsilon_algorithm),
                              cmocka_unit_test(served_together),
                              cmocka_unit_test(stopped)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
