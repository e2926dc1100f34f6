// Maps for sparse grids: found along lines, of products to rounding, and wider ones of peaks in corners.
// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmath>
#include <functional>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include "engine/sparse/density_bound.hpp"
#include "engine/sparse/map_search.hpp"
#include "engine/sparse/tested_points.hpp"

namespace {

using namespace tessera;
using point_function = std::function<double(const double *)>;

struct searched {
  searched(int ndim, const point_function &f, int64 most = 100000, double middle = 0.5)
      : centre(static_cast<std::size_t>(ndim), middle), half(static_cast<std::size_t>(ndim), 0.5) {
    search.start(ndim, 1, {centre.data(), half.data(), nullptr, 1}, most,
                 [this, ndim, f](int64 n, const double *x, double *values) {
                   assert_true(n > 0);
                   ++calls;
                   std::vector<double> at(static_cast<std::size_t>(ndim));
                   for (int64 i = 0; i < n; ++i) {
                     for (int j = 0; j < ndim; ++j) at[static_cast<std::size_t>(j)] = x[j * n + i];
                     values[i] = f(at.data());
                   }
                   return outcome::running;
                 });
  }
  // Several components, in a domain with infinite axes or without.
  searched(int ndim, int ncomp, std::vector<double> middle, std::vector<double> halves,
           std::function<void(const double *, double *)> f, const axis_map *axes = nullptr)
      : centre(std::move(middle)), half(std::move(halves)) {
    search.start(ndim, ncomp, {centre.data(), half.data(), axes, 1}, 100000,
                 [this, ndim, ncomp, axes, f](int64 n, const double *x, double *values) {
                   ++calls;
                   std::vector<double> at(static_cast<std::size_t>(ndim)), of(static_cast<std::size_t>(ncomp));
                   for (int64 i = 0; i < n; ++i) {
                     double jacobian = 1;
                     for (int j = 0; j < ndim; ++j)
                       at[static_cast<std::size_t>(j)] =
                           axes ? map_axis(axes[j], x[j * n + i], jacobian) : x[j * n + i];
                     f(at.data(), of.data());
                     for (int k = 0; k < ncomp; ++k)
                       values[k * n + i] = weighted(of[static_cast<std::size_t>(k)], jacobian);
                   }
                   return outcome::running;
                 });
  }
  std::vector<double> centre, half;
  int calls = 0;
  map_search search;
};

// Jumps, a kink and a peak with long tails, one on each axis.
double factor(int j, double t) {
  if (j == 0) return t < 0.3123 ? 0.2 : std::exp(-30 * (t - 0.3123));
  if (j == 1) return std::exp(-12 * std::fabs(t - 0.41));
  return 1 / (1e-3 + (t - 0.7) * (t - 0.7));
}
double below(int j, double t) {  // its integral from 0
  if (j == 0) return t < 0.3123 ? 0.2 * t : 0.2 * 0.3123 + (1 - std::exp(-30 * (t - 0.3123))) / 30;
  if (j == 1) {
    const double left = std::exp(-12 * 0.41), way = t - 0.41;
    return (t < 0.41 ? std::exp(12 * way) - left : 2 - left - std::exp(-12 * way)) / 12;
  }
  const double w = std::sqrt(1e-3);
  return (std::atan((t - 0.7) / w) + std::atan(0.7 / w)) / w;
}

// calls: that finding it may take.
void product_is_mapped(const std::vector<double> &faces, int calls) {
  searched s(3, [](const double *x) { return -7e-20 * factor(0, x[0]) * factor(1, x[1]) * factor(2, x[2]); });
  assert_true(s.search.find({0.35, 0.4, 0.75, 0.34, 0.45, 0.65}, faces, false) == outcome::running);
  assert_true(s.search.is_found() && s.search.is_product() && !s.search.is_wide());
  assert_true(s.calls <= calls);
  const product_map map = s.search.map();
  const mapped_node low = map.nodes[mapped_place(4, 3)];
  assert_false(s.search.write_nodes(4));
  assert_true(s.search.write_nodes(patterson_levels));  // in the same map
  assert_false(s.search.write_nodes(patterson_levels));
  assert_true(map.nodes[mapped_place(4, 3)].at == low.at && map.nodes[mapped_place(4, 3)].slope == low.slope);
  const sparse_tables tables = make_sparse_tables();
  for (int j = 0; j < 3; ++j)
    for (int level = 1; level <= patterson_levels; ++level)
      for (int64 digit = 0; digit < int64{1} << (level - 1); ++digit) {
        const mapped_node node = map.nodes[j * mapped_nodes + mapped_place(level, digit)];
        const double share = 0.5 + 0.5 * node_of(tables, level, digit), all = below(j, 1);
        assert_true(std::fabs(below(j, node.at) / all - share) < 1e-11);
        assert_true(std::fabs(node.slope * factor(j, node.at) / all - 1) < 1e-9);
        assert_true(std::fabs(density_at(map, j, node.at) * node.slope - 1) < 1e-9);
      }
}
void products_are_mapped_to_rounding(void **) {
  product_is_mapped({}, 13);  // a jump is come near by a factor of about fifty a call, a kink by twenty
  // Where regions have been cut at the jump and at the kink they are not searched for.
  product_is_mapped({0.3123, 0.41, 0.5, 0.62, 0.5, 0.75}, 5);
  product_is_mapped({0.3123 * (1 + 3e-16), 0.41 * (1 - 3e-16), 0.5, 0.3123, 0.41, 0.5, 0, 1, 0}, 5);
  // Other faces mislead for a call or two.
  product_is_mapped({0.26, 0.44, 0.69, 0.34, 0.38, 0.71, 0.37, 0.5, 0.74}, 14);
}

struct logarithms {
  logarithms(const product_map &map, int ndim) : panels(static_cast<std::size_t>(map.first[ndim])) {
    for (std::size_t p = 0; p < panels.size(); ++p)
      for (int cell = 0; cell <= log_cells; ++cell) write_log_cell(map.panels[p], cell, panels[p]);
    for (int i = 0; i < ndim * log_starts; ++i) starts.push_back(log_start(map, i / log_starts, i % log_starts));
  }
  log_map map() const { return {panels.data(), starts.data()}; }

  std::vector<log_panel> panels;
  std::vector<panel_number> starts;
};

// What a look at many points takes for the density of an axis, over what it is.
double logged_over_density(const product_map &map, int j, double at) {
  const logarithms logs(map, j + 1);
  return std::exp2(double{log_density_at(logs.map(), j, 2 * at - 1, at)}) / density_at(map, j, at);
}
// Nor what it is at least, which a look on the host asks for first.
void bounds_are_below(const product_map &map, const std::vector<double> &centre, const std::vector<double> &half,
                      double most_far) {
  const int ndim = static_cast<int>(centre.size());
  const logarithms logs(map, ndim);
  const sparse_domain domain = {centre.data(), half.data(), nullptr, 1, map};
  const density_bound bound(domain, logs.map(), ndim);
  constexpr int points = 200000;
  int far = 0;
  for (int i = 0; i < points; ++i) {
    logged_density known{logs.map()};
    double least = 0;
    for (int j = 0; j < ndim; ++j) {
      const double place = (2 * fraction(0.5 + (i + 1) * std::sqrt(2 + 1.7 * j)) - 1) * 0.999999;
      const std::size_t c = static_cast<std::size_t>(j);
      known.add(j, place, centre[c] + place * half[c]);
      bound.add(j, &place, 1, &least);
    }
    assert_true(bound.density(least) <= known.value());
    far += 1.3 * bound.density(least) < known.value();
  }
  assert_true(far < most_far * points);
}
void densities_are_known_by_their_logarithms(void **) {
  const point_function f = [](const double *x) {
    return factor(0, x[0]) * factor(1, x[1]) * factor(2, x[2]) * std::exp(-900 * (x[3] - 0.6) * (x[3] - 0.6)) * x[4] *
           x[4] * (x[4] - 0.375) * (x[4] - 0.375) * std::exp(-9 * x[4]);
  };
  searched s(5, f);
  assert_true(s.search.find({0.35, 0.4, 0.75, 0.57, 0.2, 0.34, 0.45, 0.65, 0.62, 0.3}, {}, false) == outcome::running);
  assert_true(s.search.is_product() && s.search.is_found());
  const product_map map = s.search.map();
  for (int j = 0; j < 5; ++j) {
    const double top = density_at(map, j, top_of_density(map, j));
    for (int i = 0; i < 2000; ++i) assert_true(density_at(map, j, (i + 0.5) / 2000) <= 1.001 * top);
  }
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 500; ++i) {
      const double at = fraction(0.6180339887498949 * (i + 1)), ratio = logged_over_density(s.search.map(), j, at);
      assert_true(ratio > (j == 4 ? 0.8 : 0.97));
      // Around a zero it is too much: what is there is looked at less sharply.
      if (j < 4 || (at > 0.02 && std::fabs(at - 0.375) > 0.02)) assert_true(ratio < 1.03);
    }
  bounds_are_below(map, s.centre, s.half, 0.15);
  // Where coordinates are rounded to a ten-billionth of the range.
  constexpr double away = 3e5;
  searched far(
      2, [](const double *x) { return factor(2, x[0] - away) * factor(2, x[1] - away); }, 100000, away + 0.5);
  assert_true(far.search.find({away + 0.65, away + 0.75, away + 0.57, away + 0.2}, {}, true) == outcome::running);
  assert_true(far.search.is_found());
  bounds_are_below(far.search.map(), far.centre, far.half, 0.15);
}

// Where a product is hardly narrow points are spread over its mass.
void shares_of_the_mass_are_known(void **) {
  searched s(
      3, [](const double *x) { return std::exp(-2 * x[0]) * (1 + x[1]) * std::exp(-3 * (x[2] - 0.3) * (x[2] - 0.3)); });
  assert_true(s.search.find({0.35, 0.4, 0.75, 0.34, 0.45, 0.65}, {}, false) == outcome::running);
  assert_true(s.search.is_product() && s.search.is_found() && s.search.is_broad());
  const product_map map = s.search.map();
  for (int i = 0; i < 1000; ++i) {
    const double share = (i + 0.5) / 1000, first = 0.5 + 0.5 * place_of_share(map, 0, share),
                 second = 0.5 + 0.5 * place_of_share(map, 1, share);
    assert_true(std::fabs((1 - std::exp(-2 * first)) / (1 - std::exp(-2.0)) - share) < 2e-3);
    assert_true(std::fabs((second + 0.5 * second * second) / 1.5 - share) < 2e-3);
  }
  searched narrow(2, [](const double *x) { return std::exp(-90 * x[0] - 70 * x[1]); });
  assert_true(narrow.search.find({0.05, 0.04, 0.1, 0.2}, {}, false) == outcome::running);
  assert_true(narrow.search.is_found() && !narrow.search.is_broad() && !narrow.search.map().parts);
}

// 1 over a power of a sum: lines fall off as its ninth power, the mass along an axis as its second.
double corner(const double *x) {
  double s = 1;
  for (int j = 0; j < 8; ++j) s += (j + 1) * x[j];
  return std::pow(s, -9);
}
void peaks_in_corners_have_wide_maps(void **) {
  std::vector<double> starts;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 8; ++j) starts.push_back(0.01 * (i + 1) + 0.002 * j);
  searched early(8, corner);
  assert_true(early.search.find(starts, {}, false) == outcome::running);
  assert_false(early.search.is_found() || early.search.is_product() || early.search.is_lost());
  assert_int_equal(early.calls, 1);

  searched s(8, corner);
  assert_true(s.search.find(starts, {}, true) == outcome::running);
  assert_true(s.search.is_found() && s.search.is_wide() && !s.search.is_product());
  s.search.write_nodes(patterson_levels);
  const product_map map = s.search.map();
  bounds_are_below(map, s.centre, s.half, 0.15);
  const sparse_tables tables = make_sparse_tables();
  double all = 0, first = 0, second = 0;  // moments of what is left of the integrand in the variables of the map
  const std::vector<double> turns = spread_turns(8);
  for (int i = 0; i < 20000; ++i) {
    double x[8], slope = 1, weight = 1;
    for (int j = 0; j < 8; ++j) {  // one of 128 nodes, which lie closer towards both ends
      const auto digit = static_cast<int64>(128 * fraction((i + 1) * turns[static_cast<std::size_t>(j)]));
      const mapped_node node = map.nodes[j * mapped_nodes + mapped_place(patterson_levels, digit)];
      const double t = node_of(tables, patterson_levels, digit);
      x[j] = node.at;
      slope *= node.slope;
      weight *= std::sqrt(1 - t * t);
    }
    const double left = corner(x) * slope;
    all += weight;
    first += weight * left;
    second += weight * left * left;
  }
  assert_true(all * second < 20 * first * first);  // 4.9e5 without a map
  assert_true(std::fabs(first / all / 2.2751965817917756e-10 - 1) < 0.1);
}

void value_is(const multiple_value &of, double expected, double size) {
  assert_true(of.is_known);
  assert_true(std::fabs(of.times - expected) <= 1e-11 * size);
  assert_true(of.sizes >= std::fabs(expected) && of.uncertainty < 1e-10 * of.sizes);
  assert_true(std::fabs(of.times - expected) <= of.uncertainty);
}
// Moments of a density follow from its map, wherever it stands among them; what is no polynomial times it does not, though it be one about the top.
void moments_of_a_product_are_known(void **) {
  const auto density = [](const double *x) {
    return 3e-7 * std::exp(-50 * (x[0] - 0.3) * (x[0] - 0.3) - 8 * (x[1] + 2) - 2 * x[2] * x[2]);
  };
  const std::vector<double> centre = {0.5, -1.5, 1}, half = {0.5, 0.5, 3};
  const std::vector<double> starts = {0.35, -1.9, 0.1, 0.28, -1.95, -0.3, 0.4, -1.7, 0.6};
  for (const bool is_first : {true, false}) {
    const std::size_t own = is_first ? 0 : 5, others = is_first ? 1 : 0;
    searched s(3, 6, centre, half, [&](const double *x, double *f) {
      const double p = density(x);
      f[own] = p;
      double *const g = f + others;
      g[0] = x[0] * p;
      g[1] = x[1] * x[2] * p;
      g[2] = (x[2] * x[2] * x[2] * x[2] - 7) * p;
      g[3] = std::fabs(x[0] - 0.38) * p;
      g[4] = std::cos(x[1]) * p;
    });
    assert_true(s.search.find(starts, {}, false) == outcome::running);
    assert_true(s.search.is_product() && s.search.is_found());
    assert_int_equal(s.search.component(), own);
    const std::vector<multiple_value> values = s.search.values_of_multiples();
    assert_int_equal(values.size(), 6);
    // By sums over the axes.
    const auto mean = [&](int j, int power) {
      constexpr int n = 20000;  // halves of intervals, by Simpson's rule
      double sum = 0, all = 0;
      for (int i = 0; i <= n; ++i) {
        const auto c = static_cast<std::size_t>(j);
        double x[3] = {0.3, -2, 0};
        x[j] = centre[c] + half[c] * (2.0 * i / n - 1);
        const double d = (i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2) * density(x);
        all += d;
        sum += std::pow(x[j], power) * d;
      }
      return sum / all;
    };
    value_is(values[others], mean(0, 1), 1);
    value_is(values[others + 1], mean(1, 1) * mean(2, 1), 2);
    value_is(values[others + 2], mean(2, 4) - 7, 10);
    for (const std::size_t k : {own, others + 3, others + 4}) assert_false(values[k].is_known);
    const polynomial_multiples m = s.search.multiples();
    for (const std::size_t k : {own, others + 3, others + 4}) assert_false(m.has(static_cast<int>(k)));
    assert_true(m.base == static_cast<int>(own));
    const double x[] = {0.9, -1.1, 3.5}, p = density(x);
    assert_true(unlike_multiple(m, static_cast<int>(others), x[0] * p, p, x, 1) == 0);
    assert_true(unlike_multiple(m, static_cast<int>(others), x[0] * p * (1 + 1e-6), p, x, 1) > 0);
    assert_true(s.search.forget_multiple(static_cast<int>(others)));
    assert_false(s.search.forget_multiple(static_cast<int>(others)));
    assert_false(s.search.multiples().has(static_cast<int>(others)));
    const int next = static_cast<int>(others + 1);
    assert_true(s.search.multiples().has(next));
    assert_true(unlike_multiple(s.search.multiples(), next, x[1] * x[2] * p, p, x, 1) == 0);
  }
}
// What is nearly a product, as far as single points show, has moments that are not a product's: they are as uncertain as that.
void moments_of_what_is_nearly_a_product_are_uncertain(void **) {
  constexpr double near = 1e-7, width = 0.1;
  searched s(2, 2, {0.5, 0.5}, {0.5, 0.5}, [](const double *x, double *f) {
    const double y = (x[0] - 0.5) / width, z = (x[1] - 0.5) / width;
    f[0] = std::exp(-0.5 * y * y - 0.5 * z * z) * (1 + near * y * z);
    f[1] = y * z * f[0];
  });
  assert_true(s.search.find({0.45, 0.52, 0.57, 0.41, 0.6, 0.66}, {}, false) == outcome::running);
  assert_true(s.search.is_product() && s.search.is_found());
  const multiple_value of = s.search.values_of_multiples()[1];
  assert_true(of.is_known);
  assert_true(std::fabs(of.times - near) > 0.5 * near);
  assert_true(of.uncertainty > std::fabs(of.times - near) && of.uncertainty < 100 * near);
}
void moments_over_infinite_ranges_are_known(void **) {
  const axis_map axes[] = {{axis_both, 0, -1e300, 1e300}, {axis_up, 2, std::nextafter(2.0, 3.0), 1e300}};
  searched s(
      2, 4, {0, 0.5}, {1, 0.5},
      [](const double *x, double *f) {
        const double z = (x[0] - 1.5) / 0.4, p = std::exp(-0.5 * z * z - 3 * (x[1] - 2));
        f[0] = x[0] * p;
        f[1] = x[0] * x[1] * p;
        f[2] = x[0] * x[0] * p;
        f[3] = p;
      },
      axes);
  assert_true(s.search.find({0.5, 0.2, 0.55, 0.3, 0.45, 0.1}, {}, false) == outcome::running);
  assert_true(s.search.is_product() && s.search.is_found());
  assert_int_equal(s.search.component(), 3);
  const std::vector<multiple_value> values = s.search.values_of_multiples();
  value_is(values[0], 1.5, 1);
  value_is(values[1], 1.5 * (2 + 1 / 3.0), 3);
  value_is(values[2], 1.5 * 1.5 + 0.16, 3);
  const axis_map both[] = {{axis_both, 0, -1e300, 1e300}, {axis_both, 0, -1e300, 1e300}};
  // No such moment exists, though each panel of the map gives a number: they are uncertain.
  for (int power = 1; power <= 4; ++power) {
    searched heavy(
        2, 2, {0, 0}, {1, 1},
        [power](const double *x, double *f) {
          f[0] = 1 / ((1 + 99 * x[0] * x[0]) * (1 + 99 * x[1] * x[1]));
          f[1] = std::pow(x[0], power) * f[0];
        },
        both);
    assert_true(heavy.search.find({0.05, 0.02, -0.07, 0.06}, {}, false) == outcome::running);
    assert_true(heavy.search.is_product() && heavy.search.is_found());
    const multiple_value of = heavy.search.values_of_multiples()[1];
    assert_true(!of.is_known || of.uncertainty > 0.5 * of.sizes);
  }
}

void where_there_is_nothing_there_is_no_map(void **) {
  searched none(3, [](const double *) { return 1.0; });
  assert_true(none.search.find({}, {}, true) == outcome::running);
  assert_true(none.search.is_lost() && !none.search.is_found());
  assert_int_equal(none.calls, 0);
  searched zero(3, [](const double *) { return 0.0; });
  assert_true(zero.search.find({0.1, 0.2, 0.3}, {}, true) == outcome::running);
  assert_true(zero.search.is_lost() && !zero.search.is_found());
  searched wave(2, [](const double *x) { return std::cos(40 * x[0]) * x[1]; });
  assert_true(wave.search.find({0.1, 0.2, 0.3, 0.4}, {}, true) == outcome::running);
  assert_false(wave.search.is_found());
  searched few(
      3, [](const double *x) { return factor(0, x[0]) * factor(1, x[1]) * factor(2, x[2]); }, 500);
  assert_true(few.search.find({0.35, 0.4, 0.75}, {}, true) == outcome::memory);
  assert_true(few.search.points() <= 500);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(products_are_mapped_to_rounding),
                              cmocka_unit_test(densities_are_known_by_their_logarithms),
                              cmocka_unit_test(shares_of_the_mass_are_known),
                              cmocka_unit_test(peaks_in_corners_have_wide_maps),
                              cmocka_unit_test(moments_of_a_product_are_known),
                              cmocka_unit_test(moments_of_what_is_nearly_a_product_are_uncertain),
                              cmocka_unit_test(moments_over_infinite_ranges_are_known),
                              cmocka_unit_test(where_there_is_nothing_there_is_no_map)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
