// The look for other modes: it finds those of mixtures over infinite ranges, and none where there is one peak, whatever its tails.
// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmath>
#include <functional>
#include <memory>
#include <new>
#include <set>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include "engine/cubature/mode_search.hpp"

namespace {

using namespace tessera;
using point_function = std::function<double(const double *)>;

// A range of one kind of axis, and a look from a region round `start`, so wide in the box.
struct looked_through {
  // from, to: of a finite range.
  looked_through(int ndim, int kind, const point_function &f, double start, double half, int64 memory = greatest_int64,
                 bool in_finite_ranges = false, double from = 0.0, double to = 1.0)
      : n(static_cast<std::size_t>(ndim)),
        lower(n, kind == axis_both ? -1.0 : from),
        upper(n, to),
        grain(n, 0.0),
        axes(n, axis_map{kind, 0.0, -infinity_value(), infinity_value()}),
        region(2 * n + 1, half) {
    set.ndim = ndim;
    set.ncomp = 1;
    set.reltol = 1e-3;
    set.looks_in_finite_ranges = in_finite_ranges;
    for (std::size_t j = 0; j < n; ++j) region[j] = start;
    search = std::make_unique<mode_search>(
        set, domain_box{lower.data(), upper.data(), grain.data()}, axes.data(),
        [this, f](int64 m, const double *x, double *values, int64 &evaluations) {
          std::vector<double> at(n);
          assert_true(m > 0 && m <= evaluations);
          evaluations = m;
          points += m;
          for (int64 i = 0; i < m; ++i) {
            double jacobian = 1.0;
            for (std::size_t j = 0; j < n; ++j) {
              const double t = x[static_cast<int64>(j) * m + i];
              assert_true(t > lower[j] && t < upper[j]);
              at[j] = map_axis(axes[j], t, jacobian);
            }
            values[i] = weighted(f(at.data()), jacobian);
            if (!std::isfinite(values[i])) return outcome::nonfinite;
          }
          return outcome::running;
        },
        memory);
  }
  // How many modes there are when no look is owed any more, beside one that is seen from the start.
  int look(int64 evaluations = 100000) {
    while (search->is_owed()) assert_true(look_once(evaluations) == outcome::running);
    assert_int_equal(search->evaluations(), points);
    return search->count();
  }
  outcome look_once(int64 evaluations = 100000, bool whole = false, const density_of_map &density = {}) {
    const double value = 1.0, error = 0.0;  // of which 1/1000 is tolerated
    return search->look_if_owed(
        &value, &error, [this](const double *) { return region; }, 0, evaluations, most, whole, false, density);
  }
  // The mode that is nearest to a place on all axes.
  std::vector<double> nearest(double place) const {
    const int boxes = mode_search::boxes_of_mode(set.ndim);
    std::vector<double> numbers(static_cast<std::size_t>(region_fields(set.ndim, 1) * most_modes * boxes)), best;
    const region_view view(numbers.data(), set.ndim, 1, 1, region_fields(set.ndim, 1));
    double least = infinity_value();
    for (int m = 0; m < search->boxes(); m += boxes) {
      search->write(view, m);
      std::vector<double> at(n);
      double away = 0.0, unused = 1.0;
      for (std::size_t j = 0; j < n; ++j) {
        at[j] = map_axis(axes[j], view.centre(m, static_cast<int>(j)), unused);
        away = std::fmax(away, std::fabs(at[j] - place));
      }
      if (away < least) least = away, best = at;
    }
    return best;
  }

  const std::size_t n;
  cubature_settings set;
  std::vector<double> lower, upper, grain;
  std::vector<axis_map> axes;
  std::vector<double> region;
  std::unique_ptr<mode_search> search;
  int64 points = 0, most = 1000000;
};

double normal(int n, const double *x, double place, double width) {
  double q = 0.0;
  for (int j = 0; j < n; ++j) q += (x[j] - place) * (x[j] - place) / (width * width);
  return std::exp(-0.5 * q);
}

void mixtures_have_two(void **) {
  constexpr double place = 9.0, aside = 4.0;
  for (const int kind : {axis_both, axis_up})
    for (int n = 1; n <= 5; ++n)
      for (const double away : {12.0, 20.0, 30.0})
        for (const bool from_peak : {true, false}) {
          const double other = place + away / std::sqrt(n), from = from_peak ? place : aside;
          const double start =
              kind == axis_up ? from / (1.0 + from) : 2.0 * from / (1.0 + std::sqrt(1.0 + 4.0 * from * from));
          looked_through l(
              n, kind, [=](const double *x) { return normal(n, x, place, 1.0) + 0.5 * normal(n, x, other, 0.7); },
              start, 0.02);
          assert_int_equal(l.look(), from_peak ? 1 : 2);
          if (!from_peak)
            for (const double c : l.nearest(place)) assert_true(std::fabs(c - place) < 1.0);
          for (const double c : l.nearest(other)) assert_true(std::fabs(c - other) < 1.0);
          assert_true(l.points < 20000);
        }
}

// Three in a row: the last is seen from the second.
void modes_are_found_from_one_another(void **) {
  looked_through l(
      2, axis_both,
      [](const double *x) { return normal(2, x, 0.0, 1.0) + normal(2, x, 22.0, 1.0) + normal(2, x, 50.0, 1.0); }, 0.0,
      0.5);
  assert_int_equal(l.look(), 2);
  for (const double c : l.nearest(50.0)) assert_true(std::fabs(c - 50.0) < 1.0);
}

void one_peak_is_one(void **) {
  for (int n = 1; n <= 5; ++n) {
    const point_function peaks[] = {[n](const double *x) { return normal(n, x, 0.4, 1.0); },
                                    [n](const double *x) {  // on axes
                                      double f = 1.0;
                                      for (int j = 0; j < n; ++j) f /= 1.0 + x[j] * x[j];
                                      return f;
                                    },
                                    [n](const double *x) {  // round
                                      double q = 1.0;
                                      for (int j = 0; j < n; ++j) q += x[j] * x[j];
                                      return std::pow(q, -0.5 * n - 1.0);
                                    },
                                    [n](const double *x) {  // skew
                                      double q = 0.0;
                                      for (int j = 0; j < n; ++j)
                                        q += x[j] * x[j] + (j > 0 ? 0.8 * x[j] * x[j - 1] : 0.0);
                                      return std::exp(-q);
                                    },
                                    [n](const double *x) {
                                      double q = 0.0;
                                      for (int j = 0; j < n; ++j) q += std::fabs(x[j]);
                                      return std::exp(-q);
                                    }};
    for (const point_function &f : peaks) {
      looked_through l(n, axis_both, f, 0.1, 0.3);
      assert_int_equal(l.look(), 0);
      assert_true(l.points < 100000 / 8 + 4000);
    }
  }
}

// Rays take a quarter of what has been spent, but along the axes.
void rays_are_few_where_little_was_spent(void **) {
  const point_function f = [](const double *x) { return normal(4, x, 0.4, 1.0); };
  looked_through few(4, axis_both, f, 0.1, 0.3), many(4, axis_both, f, 0.1, 0.3);
  few.look(1000);
  many.look(1000000);
  assert_true(few.points < 1500 && many.points > 4000);
  assert_int_equal(ray_directions(4, 0, std::vector<int>(4, 0)).size() / 4, 8);
  for (std::size_t n = 1; n <= 12; ++n) {
    assert_int_equal(ray_directions(n, 256, std::vector<int>(n, 0)).size() / n, n == 1 ? 2 : 256);
    const std::vector<double> d = even_directions(n, 256, std::vector<int>(n, 0));
    std::set<std::vector<double>> different;
    for (std::size_t i = 0; i < d.size(); i += n) {
      double length = 0.0;
      for (std::size_t j = i; j < i + n; ++j) length += d[j] * d[j];
      assert_true(std::fabs(length - 1.0) < 1e-12);
      different.insert({d.begin() + static_cast<std::ptrdiff_t>(i), d.begin() + static_cast<std::ptrdiff_t>(i + n)});
    }
    assert_true(different.size() * n == d.size() || n > most_free_signs);
    assert_true(d.size() / n == (n == 1 ? 2u : n == 2 ? 16u : n == 3 ? 98u : 256u) || n > 3);
  }
}

// In a corner of the range as many rays run, and all of them where there is room.
void rays_run_where_there_is_room(void **) {
  for (std::size_t n = 1; n <= 6; ++n) {
    std::vector<int> only(n, 0);
    for (std::size_t j = 0; j < n; ++j) only[j] = j % 3 == 2 ? 0 : j % 3 == 0 ? 1 : -1;
    const std::vector<double> free = ray_directions(n, 200, std::vector<int>(n, 0)), d = ray_directions(n, 200, only);
    assert_int_equal(free.size(), d.size());
    std::set<std::vector<double>> different;
    for (std::size_t i = 0; i < d.size(); i += n) {
      double length = 0.0;
      for (std::size_t j = 0; j < n; ++j) {
        length += d[i + j] * d[i + j];
        assert_true(d[i + j] * only[j] >= 0.0);
      }
      assert_true(std::fabs(length - 1.0) < 1e-12);
      different.insert({d.begin() + static_cast<std::ptrdiff_t>(i), d.begin() + static_cast<std::ptrdiff_t>(i + n)});
    }
    assert_true(n == 1 || different.size() * n == d.size());
  }
  // In a quadrant no way between two rays is wider than twice what it would be were they even.
  const std::vector<double> d = even_directions(2, 16, {1, 1});
  std::set<double> angles = {0.0, std::acos(0.0)};
  for (std::size_t i = 0; i < d.size(); i += 2) angles.insert(std::atan2(d[i + 1], d[i]));
  double widest = 0.0, before = 0.0;
  for (const double a : angles) widest = std::max(widest, a - before), before = a;
  assert_true(widest < 2.0 * std::acos(0.0) / 15.0);
}

// Fewer rays are a choice of more, half of them uneven: whatever the ratio of two coordinates, some are near it.
void some_rays_are_uneven(void **) {
  for (std::size_t n = 2; n <= 5; ++n) {
    const std::vector<double> most = ray_directions(n, 1024, std::vector<int>(n, 0)),
                              few = ray_directions(n, 128, std::vector<int>(n, 0));
    assert_true(std::equal(few.begin(), few.end(), most.begin()));
    for (double ratio = 1e-2; ratio < 200.0; ratio *= 10.0) {
      bool is_near = false;
      for (std::size_t i = 0; i < few.size(); i += n)
        is_near = is_near || std::fabs(std::log(std::fabs(few[i] / few[i + 1]) / ratio)) < std::log(1.5);
      assert_true(is_near);
    }
  }
}

// So many widths away along one axis and fewer along the other, where no even ray comes near it.
void a_mode_is_found_far_away_in_uneven_directions(void **) {
  for (const double across : {120.0, -120.0, 300.0})
    for (const bool swapped : {false, true}) {
      const point_function f = [=](const double *x) {
        const double a = x[swapped ? 1 : 0] / 0.02, b = x[swapped ? 0 : 1];
        return std::exp(-0.5 * (a * a + b * b)) +
               std::exp(-0.5 * ((a - 400.0) * (a - 400.0) + (b - across) * (b - across)));
      };
      looked_through l(2, axis_both, f, 0.0, 0.02);
      assert_int_equal(l.look(), 1);
    }
}

// In a finite range only where that is asked for, beside small regions, a narrow peak, and other narrow ones.
void a_finite_range_is_looked_through_beside_narrow_peaks(void **) {
  const auto two = [](double width) {
    return [width](const double *x) { return normal(3, x, 0.2, width) + normal(3, x, 0.6, width); };
  };
  looked_through unasked(3, axis_finite, two(0.01), 0.2, 0.01);
  assert_false(unasked.search->is_owed());
  for (const double half : {0.01, 0.1})
    for (const double width : {0.01, 0.3}) {
      looked_through l(3, axis_finite, two(width), 0.2, half, greatest_int64, true);
      assert_true(l.search->is_owed());
      const bool small = half < 0.03, narrow = width < 0.1;
      if (!small) {  // put off, until there are small regions, but for the usual places
        assert_true(l.look_once() == outcome::running && l.search->is_owed() && !l.search->has_looked());
        assert_true(l.points > 50 && 7 * l.points < 100000);
        const int64 before = l.points;
        assert_true(l.look_once() == outcome::running && l.points == before);
      } else {
        assert_int_equal(l.look(), narrow ? 1 : 0);
        assert_true(l.points > 50);
      }
      if (small && !narrow)
        assert_true(l.points < 700 + static_cast<int64>(listed_places(3).parts.size() / 3) && 10 * l.points < 100000);
      assert_true(l.search->early_after() == greatest_int64);
    }
}

// The integrand beside which no region is small, a constant, with a peak at a corner, a centre or on the diagonal; one that is singular there, or as wide as a region, is none.
void usual_places_are_looked_at(void **) {
  for (const int n : {2, 3, 5, 8})
    for (const double width : {3e-5, 0.002, 0.02})
      for (const auto &at :
           {std::pair{0.0, 0.0}, {1.0, 1.0}, {0.0, 1.0}, {0.5, 0.5}, {0.5, 1.0}, {0.25, 0.75}, {0.371, 0.371}}) {
        // No point of the diagonal is so near; of many axes there are no quarters.
        if (at.first == 0.371 ? width < 0.001 : at.first == 0.25 && n > 6) continue;
        const auto away = [n, at](const double *x) {
          double q = (x[n - 1] - at.second) * (x[n - 1] - at.second);
          for (int j = 0; j + 1 < n; ++j) q += (x[j] - at.first) * (x[j] - at.first);
          return q;
        };
        const double top = 3e-2 * std::pow(width, -n);
        looked_through peak(
            n, axis_finite, [=](const double *x) { return 1.0 + top * std::exp(-away(x) / (width * width)); }, 0.3, 0.2,
            greatest_int64, true);
        assert_int_equal(peak.look_once(), outcome::running);
        assert_int_equal(peak.search->count(), 1);
        assert_true(peak.search->are_several() && peak.search->is_before_regions() && peak.search->has_looked());
        peak.search->doubt_first();  // there is none yet
        assert_int_equal(peak.search->count(), 1);
        // A density that is as high there has seen it.
        assert_true(peak.search->are_explained({[=](const double *) { return 1e3 * top; }, {}}));
        assert_false(peak.search->are_explained({[=](const double *) { return 1e-3 * top; }, {}}));
        const double place = peak.nearest(at.first)[0];
        assert_true(std::fabs(place - at.first) < 2.0 * width);
        assert_true(peak.points < 13000);
        // Not met by what is asked once more.
        const int64 before = peak.points;
        assert_int_equal(peak.look_once(), outcome::running);
        assert_true(peak.points == before);

        looked_through singular(
            n, axis_finite, [=](const double *x) { return 1.0 + std::pow(away(x), -0.25 * n); }, 0.3, 0.2,
            greatest_int64, true),
            wide(
                n, axis_finite, [=](const double *x) { return 1.0 + 30.0 * std::exp(-away(x) / 0.25); }, 0.3, 0.2,
                greatest_int64, true);
        assert_int_equal(singular.look_once(), outcome::running);
        assert_int_equal(wide.look_once(), outcome::running);
        assert_int_equal(wide.search->count(), 0);
        if (at.first == std::floor(at.first)) assert_int_equal(singular.search->count(), 0);
      }
}

// Over infinite ranges beside 0 and the finite end, on all axes or on some where the others are where the first mode is.
void ends_of_infinite_ranges_are_looked_at(void **) {
  for (const int kind : {axis_both, axis_up})
    for (const int n : {2, 4, 7})
      for (const double width : {2e-5, 0.001, 0.002})  // as narrow as another has to be upon a wide one
        for (const int last : {n, n - 1, 0}) {         // axes along which it is narrow, and there
          const auto wide = [n](const double *x) { return normal(n, x, 0.6, 0.7); };
          const double top = 3.0 * std::pow(0.7 / width, last);
          looked_through peak(
              n, kind,
              [=](const double *x) {
                double narrow = last > 0 ? top : 0.0;
                for (int j = 0; j < n; ++j)
                  narrow *= j < last ? normal(1, x + j, 0.0, width) : normal(1, x + j, 0.6, 0.7);
                return wide(x) + narrow;
              },
              kind == axis_both ? 0.4 : 0.375, 0.02);
          assert_int_equal(peak.look(), last > 0 ? 1 : 0);
          assert_true(peak.search->are_several() == (last > 0));
          if (last == n) assert_true(std::fabs(peak.nearest(0.0)[0]) < 2.0 * width);
          looked_through singular(
              n, kind,
              [=](const double *x) {
                double product = wide(x);
                for (int j = 0; j < n; ++j) product /= std::sqrt(std::fabs(x[j]));
                return product;
              },
              kind == axis_both ? 0.4 : 0.375, 0.02);
          singular.look();
          assert_false(singular.search->are_several());
        }
}

// With little memory in several calls, and with hardly any for lines there is no look.
void usual_places_need_little_memory(void **) {
  const point_function f = [](const double *x) {
    double q = 0.0;
    for (int j = 0; j < 5; ++j) q += (x[j] - 0.371) * (x[j] - 0.371);
    return 1.0 + 1e9 * std::exp(-q / (0.01 * 0.01));
  };
  for (const int64 memory : {int64{17000}, int64{40000}, int64{1000000}, greatest_int64}) {
    looked_through l(5, axis_finite, f, 0.3, 0.2, memory, true);
    assert_int_equal(l.look_once(), outcome::running);
    assert_int_equal(l.search->count(), 1);
    assert_true(l.search->peak_bytes() <= memory);
  }
}

// No place lies on an end, whatever the range; where one is that narrow beside its coordinates, those that rounding leaves inside are looked at.
void usual_places_are_inside(void **) {
  for (int n = 1; n <= max_cubature_ndim; ++n)
    for (const double part : listed_places(n).parts) assert_true(part >= nearer_place && part <= 1.0 - nearer_place);
  const double ulp = std::ldexp(1.0, -52);
  for (const double length : {16.0, 256.0, 1e6}) {
    looked_through l(
        3, axis_finite, [](const double *) { return 1.0; }, 1.0, 0.2 * length * ulp, greatest_int64, true, 1.0,
        1.0 + length * ulp);
    assert_int_equal(l.look_once(), outcome::running);
    assert_int_equal(l.search->count(), 0);
    const auto all = static_cast<int64>(listed_places(3).parts.size() / 3);
    assert_true(length < 1e3 ? l.points > all / 2 && l.points < all : l.points == all);
  }
}

// A row is smooth where a polynomial of degree four or what changes slowly is in it; a jump is seen wherever it is, by itself or with another, upon either.
void rows_see_jumps(void **) {
  const auto smooth = [](int kind, int i) {
    const double t = i / 7.0;
    return kind == 0   ? 3.0
           : kind == 1 ? 1.0 - t + 2.0 * std::pow(t, 4)
           : kind == 2 ? std::exp(2.0 * t)
                       : std::cos(3.0 * t);
  };
  for (int kind = 0; kind < 4; ++kind) {
    assert_true(find_jump([&](int i) { return smooth(kind, i); }, 0.0).rough == 0.0);
    for (int first = 0; first < places_in_row; ++first)
      for (int end = first + 1; end <= places_in_row; ++end) {
        if (end - first == places_in_row) continue;
        const double height = 5.0;
        const auto value = [&](int i) { return smooth(kind, i) + (i >= first && i < end ? height : 0.0); };
        const jump_in_row found = find_jump(value, 0.1 * height);
        assert_true(found.rough > 0.1 * height && found.rough < height);
        assert_true(found.at == first - 1 || found.at == end - 1);
        assert_true(find_jump(value, height).rough == 0.0);
      }
  }
}

// Along each axis points are spread evenly, those of lines and others, and so are pairs of coordinates.
void places_are_everywhere(void **) {
  for (const int n : {2, 3, 5, 8, 12}) {
    const usual_list &list = listed_places(n);
    const auto nd = static_cast<std::size_t>(n), count = list.parts.size() / nd;
    for (std::size_t axis = 0; axis < nd; ++axis) {
      std::vector<double> own;
      const std::size_t line = list.line_at(axis);
      for (std::size_t i = 0; i < places_on_line; ++i) own.push_back(list.parts[(line + i) * nd + axis]);
      for (std::size_t j = 0; j < nd; ++j)
        if (j != axis) assert_true(list.parts[line * nd + j] == list.parts[(line + 1) * nd + j]);
      std::sort(own.begin(), own.end());
      assert_int_equal(own.size(), 64);
      for (std::size_t i = 1; i < own.size(); ++i) assert_true(own[i] - own[i - 1] < 1.001 / 64);
      for (std::size_t other = 0; other < axis; ++other) {
        int met[8][8] = {};
        for (std::size_t i = list.line_at(nd); i < count; ++i)
          ++met[static_cast<int>(8 * list.parts[i * nd + axis])][static_cast<int>(8 * list.parts[i * nd + other])];
        for (const auto &row : met)
          for (const int times : row) assert_true(times > 0);
      }
    }
  }
}

// What is narrow along an axis, whatever the others are, or another is, is a box from end to end that regions are compared with; what is wide, one-sided or beside a jump is none.
void sheets_are_found(void **) {
  for (const int n : {3, 5, 8})
    for (const double width : {0.01, 0.015})
      for (const double height : {2.0, 10.0, 500.0}) {
        const auto smooth = [n](const double *x) {
          double product = 1.0;
          for (int j = 0; j < n; ++j) product *= 1.0 + 0.3 * x[j];
          return product;
        };
        const auto bump = [width](double z) { return std::exp(-z * z / (width * width)); };
        const point_function in_one = [=](const double *x) { return smooth(x) + height * bump(x[1] - 0.377); },
                             between = [=](const double *x) { return smooth(x) + height * bump(x[1] - x[2] + 0.2); };
        looked_through one(n, axis_finite, in_one, 0.3, 0.2, greatest_int64, true),
            two(n, axis_finite, between, 0.3, 0.2, greatest_int64, true);
        assert_int_equal(one.look_once(), outcome::running);
        assert_true(one.search->count() >= 1);
        assert_true(std::fabs(one.nearest(0.377)[1] - 0.377) < width);
        assert_int_equal(two.look_once(), outcome::running);
        assert_true(two.search->count() >= 1);
        for (const point_function &none :
             {point_function([=](const double *x) { return smooth(x) + height * bump((x[1] - 0.377) * width / 0.2); }),
              point_function([=](const double *x) { return smooth(x) + (x[1] < 0.377 ? 5.0 : 0.0); }),
              point_function([=](const double *x) { return smooth(x) + height * std::fabs(x[1] - 0.377); }),
              point_function([=](const double *x) { return smooth(x) + 5.0 * std::exp(-x[1] / 0.05); })}) {
          looked_through l(n, axis_finite, none, 0.3, 0.2, greatest_int64, true);
          assert_int_equal(l.look_once(), outcome::running);
          assert_int_equal(l.search->count(), 0);
        }
      }
}

// Of places where a density explains how high the integrand is the highest alone is climbed.
void explained_places_are_not_climbed(void **) {
  // In all corners.
  const auto f = [](const double *x) {
    double product = 1e9;
    for (int j = 0; j < 4; ++j) product *= normal(1, x + j, 0.0, 0.02) + normal(1, x + j, 1.0, 0.02);
    return 1.0 + product;
  };
  const auto look = [&](const point_function &g, const density_of_map &density, bool is_explained) {
    looked_through l(4, axis_finite, g, 0.3, 0.2, greatest_int64, true);
    assert_int_equal(l.look_once(100000, false, density), outcome::running);
    assert_true(l.search->are_several() && l.search->are_explained({f, {}}) == is_explained);
    return l.points;
  };
  const int64 points = look(f, {}, true);
  const auto part_of_it = [f](double part) { return density_of_map{[=](const double *x) { return part * f(x); }, {}}; };
  for (const double of_it : {2.0, 1.0}) assert_true(look(f, part_of_it(of_it), true) < points - 100);
  const int64 all_but_top = look(f, part_of_it(0.5), true);
  assert_true(all_but_top <= points && all_but_top >= points - 6 * 9);
  // Another beside it, or upon it, is found all the same.
  for (const double place : {0.5, 1.0})
    look([=](const double *x) { return f(x) + 1e11 * normal(4, x, place, 0.002); }, part_of_it(1.0), false);
}

// More of them as the run goes on, and never more than a seventh of its evaluations.
void usual_places_are_no_more_than_a_run_affords(void **) {
  looked_through l(
      5, axis_finite, [](const double *) { return 1.0; }, 0.3, 0.2, greatest_int64, true);
  for (const int64 spent : {int64{7}, int64{110}, int64{121}, int64{1100}, int64{100000}, int64{10000000}}) {
    assert_int_equal(l.look_once(spent), outcome::running);
    assert_true(7 * l.points <= spent);
    if (spent == 121) assert_int_equal(l.points, 15);
    const int64 points = l.points;
    assert_int_equal(l.look_once(spent), outcome::running);
    assert_int_equal(l.points, points);
  }
  // And around one of them, for the others are no higher.
  assert_int_equal(l.points, 2 * 32 + 11 + 128 + (243 - 32 - 11) + 242 + 5 * 64 + 128 * 8 + 256 + 3 * 11);
}

void a_look_that_is_given_up_is_not_owed(void **) {
  looked_through given_up(
      3, axis_both, [](const double *x) { return normal(3, x, 0.4, 0.01); }, 0.4, 0.1);
  assert_true(given_up.search->is_owed());
  given_up.search->give_up();
  assert_false(given_up.search->is_owed());
}

// Once, long before success, with fewer rays; the look before success is made all the same, from where the integrand is largest then.
void an_early_look_is_no_last_one(void **) {
  const point_function f = [](const double *x) { return normal(3, x, 0.4, 1.0) + normal(3, x, 14.0, 1.0); };
  looked_through l(3, axis_both, f, 0.1, 0.3);
  const int64 first = l.search->early_after();
  assert_true(first > 1000 && first < 100000);
  assert_true(l.search->look(l.region, {1000.0}, 40000, l.most, false, true) == outcome::running);
  assert_int_equal(l.search->count(), 1);
  assert_true(l.search->early_after() > 4 * first && l.search->early_after() < 1000 * first && l.search->is_owed());
  std::vector<double> kept(l.search->numbers()), again(kept.size());
  l.search->write(kept.data());
  looked_through other(3, axis_both, f, 0.1, 0.3);
  other.search->read(kept.data());
  other.search->write(again.data());
  assert_true(kept == again && other.search->is_owed());
  const int64 early = l.points;
  assert_int_equal(l.look(), 1);
  assert_true(l.points > 3 * early && l.search->early_after() == greatest_int64);
  looked_through often(3, axis_both, f, 0.1, 0.3);
  int looks = 0;
  for (; often.search->early_after() < greatest_int64; ++looks)
    often.search->look(often.region, {1000.0}, often.search->early_after(), often.most, false, true);
  assert_true(looks > 1 && often.search->is_owed());
  assert_int_equal(often.look(), 1);
  // Regions that have met another peak since: it is one more to be compared with, and from there rays run too.
  looked_through late(
      3, axis_both, [&](const double *x) { return f(x) + 3.0 * normal(3, x, -400.0, 1.0); }, 0.1, 0.3);
  late.search->look(late.region, {1000.0}, 40000, late.most, false, true);
  assert_int_equal(late.search->count(), 1);
  for (std::size_t j = 0; j < 3; ++j) {
    late.region[j] = -400.0 / (0.5 + std::sqrt(0.25 + 400.0 * 400.0));
    late.region[3 + j] = 1e-6;
  }
  assert_int_equal(late.look(), 2);
  for (const double place : late.nearest(-400.0)) assert_true(std::fabs(place + 400.0) < 0.5);
}

// No more are kept than there is room for, the first among them, whether or not the regions have seen it.
void modes_are_no_more_than_there_is_room_for(void **) {
  const auto many = [](const double *x) {
    double all = 0.0;
    for (int m = -9; m <= 9; ++m) all += normal(2, x, 9.0 * m, 1.0 + 0.05 * m);
    return all;
  };
  int most = 0;
  for (const double start : {0.0, 0.05, 0.4}) {
    looked_through l(2, axis_both, many, start, 0.5);
    while (l.search->early_after() < greatest_int64) {
      l.search->look(l.region, {1000.0}, l.search->early_after(), l.most, false, true);
      assert_true(l.search->count() <= most_modes);
    }
    while (l.search->is_owed()) {
      l.look_once();
      assert_true(l.search->count() <= most_modes);
      most = std::max(most, l.search->count());
    }
    assert_true(l.search->boxes() <= most_modes * mode_search::boxes_of_mode(2));
  }
  assert_true(most >= most_modes - 1);
}

// Of a mode its box, and those of its feet: beside it on each axis, as wide as it is across the others, and within the range.
void boxes_of_modes(void **) {
  looked_through l(
      2, axis_up, [](const double *x) { return normal(2, x, 30.0, 1.0) + normal(2, x, 2.0, 0.8); }, 0.9677, 0.01);
  assert_int_equal(l.look(), 1);
  const int boxes = mode_search::boxes_of_mode(2);
  assert_int_equal(l.search->boxes(), boxes);
  assert_int_equal(boxes, 5);
  std::vector<double> numbers(static_cast<std::size_t>(region_fields(2, 1) * boxes));
  const region_view view(numbers.data(), 2, 1, 1, region_fields(2, 1));
  double low[5][2], high[5][2];
  for (int b = 0; b < boxes; ++b) {
    l.search->write(view, b);
    assert_true(view.value(b, 0) == view.value(0, 0) && view.value(b, 0) > 0.0);
    double unused = 1.0;
    for (int j = 0; j < 2; ++j) {
      assert_true(view.half(b, j) > 0.0);
      const double first = view.centre(b, j) - view.half(b, j);
      low[b][j] = first < 1e-12 ? 0.0 : map_axis(l.axes[0], first, unused);
      high[b][j] = map_axis(l.axes[0], view.centre(b, j) + view.half(b, j), unused);
    }
  }
  for (int j = 0; j < 2; ++j) {
    // From 1.2 to 2.8; a climb ends where no step makes the integrand 1.05 times as high, here 0.25 from the top.
    assert_true(low[0][j] > 0.95 && low[0][j] < 1.5 && high[0][j] > 2.5 && high[0][j] < 3.05);
    assert_true(low[1 + 2 * j][j] < 1e-9 && std::fabs(high[1 + 2 * j][j] - low[0][j]) < 1e-9);
    assert_true(std::fabs(low[2 + 2 * j][j] - high[0][j]) < 1e-9);
    assert_true(high[2 + 2 * j][j] > 5.2 && high[2 + 2 * j][j] < 6.8);
    for (int b = 1; b < boxes; ++b)
      if ((b - 1) / 2 != j) assert_true(low[b][j] == low[0][j] && high[b][j] == high[0][j]);
  }
}

// What samples are judged by.
void shares_of_modes(void **) {
  looked_through l(
      2, axis_both, [](const double *x) { return normal(2, x, 0.0, 1.0) + normal(2, x, 20.0, 1.0); }, 0.0, 0.5);
  assert_true(l.search->told().others.empty() && l.search->told().first.from.empty());
  assert_int_equal(l.look(), 1);
  const std::vector<told_mode> others = l.search->told().others;
  assert_int_equal(others.size(), 1);
  assert_true(others[0].from[0] > 0.97 && others[0].from[0] < others[0].to[0] && others[0].to[0] < 1.0);
  const auto in_box = [](double y) { return 2.0 * y / (1.0 + std::sqrt(1.0 + 4.0 * y * y)); };
  const double along = 0.5 * (in_box(21.0) - in_box(19.0));  // one standard deviation to either side
  assert_true(others[0].share > 0.5 * along * along && others[0].share < 2.0 * along * along);
  const told_mode centre = l.search->told().first;
  assert_true(std::fabs(centre.share - in_box(1.0) * in_box(1.0)) < 0.1);
  assert_true(std::fabs(centre.from[0] + centre.to[0] - 1.0) < 1e-3);
  // The first is none where it is singular.
  for (const double power : {0.0, 1.5}) {
    looked_through f(
        2, axis_finite,
        [=](const double *x) { return std::exp(-(x[0] + x[1]) / 0.02) * std::pow(x[0] + x[1], -power); }, 0.004, 0.004,
        greatest_int64, true);
    assert_int_equal(f.look(), 0);
    // Regions that have met it are compared with it where they may lose it again.
    assert_int_equal(f.search->boxes(), 0);
    f.search->doubt_first();
    assert_int_equal(f.search->boxes(), mode_search::boxes_of_mode(2));
    assert_false(f.search->are_several());
    const told_mode first = f.search->told().first;
    assert_true(power > 0.0 ? first.share == 1.0 : first.share > 1e-4 && first.share < 1e-2);
    if (power > 0.0) continue;
    double share = 1.0;
    for (std::size_t j = 0; j < 2; ++j) {
      assert_true(first.from[j] == 0.0 && first.to[j] < 0.1);
      share *= first.to[j] - first.from[j];
    }
    assert_true(std::fabs(share / first.share - 1.0) < 1e-12);
  }
}

// They run one after the other then, and there are none where there is no room for lines.
void memory_bounds_the_rays(void **) {
  const point_function f = [](const double *x) { return normal(3, x, 0.4, 1.0) + normal(3, x, 14.0, 1.0); };
  int64 before = 0;
  for (const int64 memory : {1000, 6000, 7000, 9000, 40000, 10000000}) {
    looked_through l(3, axis_both, f, 0.1, 0.3, memory);
    const int modes = l.look();
    assert_true(l.search->peak_bytes() <= memory && l.points >= before);
    assert_int_equal(modes, memory < 7000 ? 0 : 1);
    before = l.points;
  }
}

void limits_and_holes(void **) {
  const point_function f = [](const double *x) { return normal(3, x, 0.4, 1.0) + normal(3, x, 14.0, 1.0); };
  for (const int64 most : {0, 5, 100, 1000}) {
    looked_through l(3, axis_both, f, 0.1, 0.3);
    l.most = most;
    assert_true(l.look() <= 1 && l.points <= most);
    looked_through whole(3, axis_both, f, 0.1, 0.3);
    whole.most = most;
    assert_true(whole.look_once(100000, true) == outcome::evaluations);
    assert_true(whole.search->is_owed() && whole.search->count() == 0 && whole.search->evaluations() == 0);
  }
  looked_through bad(
      3, axis_both, [&](const double *x) { return x[0] > 7.0 ? nan_value() : f(x); }, 0.1, 0.3);
  assert_true(bad.look_once() == outcome::nonfinite);
  assert_true(bad.search->has_ended() && bad.search->evaluations() == bad.points);
}

// A look that finds no memory is left, and nothing else with it.
void no_memory(void **) {
  looked_through l(
      2, axis_both, [](const double *) -> double { throw std::bad_alloc(); }, 0.1, 0.3);
  assert_true(l.look_once() == outcome::running);
  assert_true(l.search->count() == 0 && !l.search->has_ended() && !l.search->is_owed());
}

// What is kept of a search is all of it.
void goes_on_from_what_is_kept(void **) {
  const point_function f = [](const double *x) { return normal(2, x, 0.0, 1.0) + normal(2, x, 22.0, 1.0); };
  looked_through one(2, axis_both, f, 0.0, 0.5), two(2, axis_both, f, 0.0, 0.5);
  one.look_once();
  assert_true(one.search->is_owed() && one.search->count() == 1);
  std::vector<double> kept(one.search->numbers()), again(kept.size());
  one.search->write(kept.data());
  two.search->read(kept.data());
  two.search->write(again.data());
  assert_true(kept == again && two.search->evaluations() == one.search->evaluations());
  for (looked_through *const l : {&one, &two})
    while (l->search->is_owed()) l->look_once();
  one.search->write(kept.data());
  two.search->write(again.data());
  assert_true(kept == again);
  // That the first is no singular point is found out from regions, which are looked at once.
  const point_function g = [](const double *x) { return 1.0 + 1e9 * normal(3, x, 0.3, 0.001); };
  looked_through first(3, axis_finite, g, 0.301, 0.001, greatest_int64, true), then(3, axis_finite, g, 0.301, 0.001);
  first.look_once();
  std::vector<double> of_first(first.search->numbers());
  first.search->write(of_first.data());
  assert_false(then.search->is_first_hidden());
  then.search->read(of_first.data());
  assert_true(first.search->is_first_hidden() && then.search->is_first_hidden());
  int64 progress[2];
  looked_through once_more(3, axis_finite, g, 0.301, 0.001, greatest_int64, true);
  first.search->write_progress(progress);
  once_more.search->foresee(of_first.data());
  once_more.search->catch_up(progress);
  assert_true(once_more.search->is_first_hidden());
}

}  // namespace

int main() {
  const struct CMUnitTest tests[] = {cmocka_unit_test(mixtures_have_two),
                                     cmocka_unit_test(modes_are_found_from_one_another),
                                     cmocka_unit_test(one_peak_is_one),
                                     cmocka_unit_test(rays_are_few_where_little_was_spent),
                                     cmocka_unit_test(rays_run_where_there_is_room),
                                     cmocka_unit_test(some_rays_are_uneven),
                                     cmocka_unit_test(a_mode_is_found_far_away_in_uneven_directions),
                                     cmocka_unit_test(a_finite_range_is_looked_through_beside_narrow_peaks),
                                     cmocka_unit_test(usual_places_are_looked_at),
                                     cmocka_unit_test(ends_of_infinite_ranges_are_looked_at),
                                     cmocka_unit_test(usual_places_need_little_memory),
                                     cmocka_unit_test(usual_places_are_inside),
                                     cmocka_unit_test(rows_see_jumps),
                                     cmocka_unit_test(places_are_everywhere),
                                     cmocka_unit_test(sheets_are_found),
                                     cmocka_unit_test(explained_places_are_not_climbed),
                                     cmocka_unit_test(usual_places_are_no_more_than_a_run_affords),
                                     cmocka_unit_test(a_look_that_is_given_up_is_not_owed),
                                     cmocka_unit_test(an_early_look_is_no_last_one),
                                     cmocka_unit_test(modes_are_no_more_than_there_is_room_for),
                                     cmocka_unit_test(boxes_of_modes),
                                     cmocka_unit_test(shares_of_modes),
                                     cmocka_unit_test(memory_bounds_the_rays),
                                     cmocka_unit_test(limits_and_holes),
                                     cmocka_unit_test(no_memory),
                                     cmocka_unit_test(goes_on_from_what_is_kept)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
