// Climbs of one integrand's peaks, and rays from them, in a look for modes (mode_search.hpp): many points at a time, in the coordinates of user_range.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "../lone_lane.hpp"
#include "climb_along_axes.hpp"
#include "looked_points.hpp"
#include "top_along_axes.hpp"

namespace tessera {

// Where a climb begins or has come to.
struct climbed_place {
  std::vector<double> at, width;
  double size = 0.0;                // of the integrand there, of the component that exceeds most what is tolerated
  std::vector<double> values;       // [ncomp] in the box, times the Jacobian
  bool is_bounded_by_jump = false;  // no region may be wider (jumps.hpp)
};

// What a ray has found.
struct foot_on_ray {
  double by;  // how much the rise or the bend stands out, as a logarithm
  climbed_place at;
};

class mode_climbs {
 public:
  // range stays where it is. Else as looked_points.
  mode_climbs(const run_settings &settings, const user_range &range, looked_at_points sample, int64 memory,
              looked_memory *kept)
      : set_(settings),
        nd_(static_cast<std::size_t>(settings.ndim)),
        nc_(static_cast<std::size_t>(settings.ncomp)),
        range_(range),
        points_(settings.ndim, settings.ncomp, range, std::move(sample), memory, kept) {}

  looked_points &points() { return points_; }
  const looked_points &points() const { return points_; }

  double size_of(const climbed_place &p) const {
    double most = 0.0, stretched = 1.0;
    for (std::size_t k = 0; k < nc_; ++k) most = std::fmax(most, std::fabs(p.values[k]) * points_.scale()[k]);
    for (std::size_t j = 0; j < nd_; ++j) stretched *= range_.stretch(axis(j), range_.to_box(axis(j), p.at[j]));
    return most / stretched;
  }
  // Of point i of the last call of measure.
  void take(climbed_place &p, const std::vector<double> &y, const std::vector<double> &sizes, std::size_t i) {
    p.at.assign(y.begin() + static_cast<std::ptrdiff_t>(i * nd_),
                y.begin() + static_cast<std::ptrdiff_t>((i + 1) * nd_));
    p.size = sizes[i];
    const double *const values = points_.values(i);
    p.values.assign(values, values + nc_);
  }

  // To the top, and how wide the peak is there.
  outcome climb(climbed_place &p, int rounds = most_climb_rounds) {
    memory_.resize(static_cast<std::size_t>(climb_memory::numbers(set_.ndim)));
    asked_points asked(*this, p.values);
    lone_lane alone;
    p.size = climb_along_axes(alone, set_.ndim, climb_memory::in(memory_.data(), set_.ndim), asked,
                              range_.is_infinite() ? peak_side::steeper : peak_side::flatter, rounds, p.at.data(),
                              p.width.data(), p.size);
    return asked.end();
  }
  // From a place on a peak: does something stand upon its top? p is a point of that then.
  outcome look_upon(climbed_place &p, bool &is_there) {
    memory_.resize(static_cast<std::size_t>(climb_memory::numbers(set_.ndim)));
    asked_points asked(*this, p.values);
    lone_lane alone;
    is_there = find_upon_top(alone, set_.ndim, climb_memory::in(memory_.data(), set_.ndim), asked, range_, p.at.data(),
                             p.width.data(), p.size);
    return asked.end();
  }
  // Does the integrand rise on there (nearer_to_end), as at a singular point?
  outcome look_nearer_to_ends(const climbed_place &p, bool &rises_on) {
    std::vector<double> y, sizes;
    for (std::size_t moved = 0; moved <= nd_; ++moved)  // along all axes, and along each of them
      for (std::size_t j = 0; j < nd_; ++j)
        y.push_back(moved == nd_ || moved == j ? nearer_to_end(range_, axis(j), p.at[j], p.width[j]) : p.at[j]);
    const outcome o = points_.measure(y, sizes);
    rises_on = o == outcome::running && *std::max_element(sizes.begin(), sizes.end()) > mode_rise * p.size;
    return o;
  }

  // Where rays, of those that are allowed, have found something, what stands out most first. As many rays at once as a quarter of the memory has room for, or one, and no more in all than
  // the rest has, with what makes them and what they find.
  outcome run_rays(const climbed_place &source, double allowed, std::vector<foot_on_ray> &found) {
    const auto of_ray = static_cast<int64>((5 * nd_ + nc_) * sizeof(double) + sizeof(foot_on_ray));
    const int64 points_of_ray = steps_of_ray * looked_points::bytes_of_point(set_.ndim, set_.ncomp),
                at_once = std::max<int64>(1, points_.most_bytes() / 4 / points_of_ray),
                most = (points_.most_bytes() - at_once * points_of_ray) / of_ray;
    if (most < static_cast<int64>(2 * nd_)) return outcome::roundoff;
    const std::vector<double> &directions = points_.memory().directions_for(
        nd_, static_cast<std::size_t>(std::min(allowed, static_cast<double>(most))), room_of(source));
    const std::size_t rays = directions.size() / nd_;
    outcome o = outcome::running;
    for (std::size_t first = 0; first < rays && o == outcome::running; first += static_cast<std::size_t>(at_once)) {
      const std::size_t n = std::min(rays - first, static_cast<std::size_t>(at_once));
      o = run_rays(source, &directions[first * nd_], n, found);
      points_.take_bytes(static_cast<int64>(n) * points_of_ray + static_cast<int64>(rays) * of_ray);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const foot_on_ray &a, const foot_on_ray &b) { return a.by > b.by; });
    return o;
  }

 private:
  static int axis(std::size_t j) { return static_cast<int>(j); }

  // The points of a climb, all of a round at once.
  class asked_points {
   public:
    asked_points(mode_climbs &of, std::vector<double> &values) : of_(of), values_(values) {}
    outcome end() const { return end_; }

    bool measure_lines(const double *at, const double *width, double *sizes) {
      const std::size_t nd = of_.nd_;
      std::vector<double> &y = of_.points_.memory().y;
      y.clear();
      for (std::size_t j = 0; j < nd; ++j)
        for (int i = 0; i < points_on_line; ++i) {
          y.insert(y.end(), at, at + nd);
          y[y.size() - nd + j] += offset_on_line(width[j], i);
        }
      return ask(y, sizes);
    }
    bool measure(const double *at, double &size) { return ask(std::vector<double>(at, at + of_.nd_), &size); }
    bool measure_around(const double *centre, const double *away, double *sizes) {
      const std::size_t nd = of_.nd_;
      std::vector<double> &y = of_.points_.memory().y;
      y.clear();
      for (std::size_t i = 0; i < 2 * nd + 1; ++i)
        for (std::size_t j = 0; j < nd; ++j) y.push_back(centre[j] + offset_around(away, static_cast<int>(i), axis(j)));
      return ask(y, sizes);
    }
    void take_around(int i) { keep_of_line(i); }
    void keep_of_line(int i) {
      const double *const values = of_.points_.values(static_cast<std::size_t>(i));
      values_.assign(values, values + of_.nc_);
    }
    void take(bool is_of_line) {
      if (!is_of_line) keep_of_line(0);
    }

   private:
    bool ask(const std::vector<double> &y, double *to) {
      std::vector<double> &sizes = of_.points_.memory().sizes;
      end_ = of_.points_.measure(y, sizes);
      if (end_ == outcome::running) std::copy(sizes.begin(), sizes.end(), to);
      return end_ == outcome::running;
    }

    mode_climbs &of_;
    std::vector<double> &values_;
    outcome end_ = outcome::running;
  };

  // The signs of the ways on which the range ends within a width.
  std::vector<int> room_of(const climbed_place &p) const {
    std::vector<int> only;
    for (std::size_t j = 0; j < nd_; ++j) only.push_back(range_.only_way(axis(j), p.at[j], p.width[j]));
    return only;
  }
  outcome run_rays(const climbed_place &source, const double *directions, std::size_t rays,
                   std::vector<foot_on_ray> &found) {
    std::vector<double> &y = points_.memory().y, &sizes = points_.memory().sizes, point(nd_);
    std::vector<std::size_t> ends;  // of the points of each ray, as far as the range goes
    y.clear();
    for (std::size_t r = 0; r < rays; ++r) {
      const double *const direction = directions + r * nd_;
      const double step = step_in_range(range_, set_.ndim, source.at.data(), [&](int j) {
        return source.width[static_cast<std::size_t>(j)] * direction[j];
      });
      double away = 1.0;
      for (int i = 0; i < steps_of_ray; ++i, away *= step) {
        for (std::size_t j = 0; j < nd_; ++j) point[j] = source.at[j] + away * source.width[j] * direction[j];
        if (!points_.is_inside(point.data())) break;
        y.insert(y.end(), point.begin(), point.end());
      }
      ends.push_back(y.size() / nd_);
    }
    const outcome o = points_.measure(y, sizes, true);
    if (o != outcome::running) return o;
    for (std::size_t r = 0, i = 0; r < rays; ++r) {
      const std::size_t first = i;
      foot_of_ray seen(log_of_size(source.size));
      for (; i < ends[r]; ++i) seen.tell(sizes[i]);
      if (!(seen.by() > 0.0)) continue;
      foot_on_ray foot = {seen.by(), source};
      take(foot.at, y, sizes, first + static_cast<std::size_t>(seen.top()));
      found.push_back(foot);
    }
    return o;
  }

  const run_settings set_;
  const std::size_t nd_, nc_;
  const user_range &range_;
  looked_points points_;
  std::vector<double> memory_;  // of a climb
};

}  // namespace tessera
