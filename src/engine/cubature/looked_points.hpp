// The integrand at the points of a look for modes (mode_search.hpp), and how large it is there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "../problem.hpp"
#include "mode_lines.hpp"
#include "ray_directions.hpp"
#include "user_range.hpp"

namespace tessera {

// The integrand at n points of the box, times the Jacobian of its axes: x[ndim][n] to values[ncomp][n]. Returns running, roundoff where points have hit a singularity, callback,
// nonfinite, memory, or time and stopped. evaluations: those that it may make, and has made.
using looked_at_points = std::function<outcome(int64 n, const double *x, double *values, int64 &evaluations)>;

// Memory of the points of a look, which the next one uses again: what a look takes the system would else fill with zeros each time.
struct looked_memory {
  std::vector<double> y, sizes, values;  // [point][ndim], [point], [point][ncomp]
  // Of those that are inside the range, as the integrand is asked for them.
  std::vector<std::size_t> inside;
  std::vector<double> columns, called, stretched;
  // The last directions of rays, and what they were made for.
  std::vector<double> directions;
  std::size_t ndim = 0, rays = 0;
  std::vector<int> only;
  // The last usual places, [ndim][place], and what they were made for.
  std::vector<double> places, made_for;

  const std::vector<double> &directions_for(std::size_t n, std::size_t most, const std::vector<int> &ways) {
    if (n != ndim || most != rays || ways != only) {
      ndim = 0;  // none, until all is there
      directions = ray_directions(n, most, ways);
      only = ways;
      rays = most;
      ndim = n;
    }
    return directions;
  }
  int64 bytes() const {
    std::size_t numbers = inside.capacity();
    for (const auto *v : {&y, &sizes, &values, &columns, &called, &stretched, &directions, &places, &made_for})
      numbers += v->capacity();
    return static_cast<int64>(numbers * sizeof(double));
  }
};

// Of point i: first[i * step].
struct strided_values {
  const double *first;
  std::size_t step;
};

// Calls of the integrand at points in the coordinates of user_range, which may lie outside.
class looked_points {
 public:
  // memory: bytes that they may take. kept: null, or where they are, for other looks to come.
  looked_points(int ndim, int ncomp, const user_range &range, looked_at_points sample, int64 memory,
                looked_memory *kept)
      : nd_(static_cast<std::size_t>(ndim)),
        nc_(static_cast<std::size_t>(ncomp)),
        range_(range),
        sample_(std::move(sample)),
        is_infinite_(range.is_infinite()),
        most_bytes_(memory),
        bytes_of_point_(bytes_of_point(ndim, ncomp)),
        kept_(kept) {}
  // Of its coordinates, values and size, here and where the integrand is called.
  static int64 bytes_of_point(int ndim, int ncomp) { return 8 * (3 * int64{ndim} + 4 * int64{ncomp} + 3); }

  // A look: scale[ncomp] makes sizes of values; most: evaluations.
  void begin(const std::vector<double> &scale, int64 most) {
    scale_ = scale;
    most_ = most;
    made_ = 0;
  }
  int64 made() const { return made_; }  // evaluations of the look
  const std::vector<double> &scale() const { return scale_; }
  looked_memory &memory() { return kept_ ? *kept_ : own_; }
  // In one of so many shares of the memory there is room for so many points.
  int64 room(int shares) const { return most_bytes_ / shares / bytes_of_point_; }
  int64 most_bytes() const { return most_bytes_; }
  int64 peak_bytes() const { return peak_bytes_; }
  void take_bytes(int64 n) { peak_bytes_ = std::max(peak_bytes_, n); }
  // [ncomp] at point i of the last call, in the box.
  const double *values(std::size_t i) {
    looked_memory &m = memory();
    if (are_columns_)
      for (std::size_t k = 0; k < nc_; ++k) m.values[i * nc_ + k] = m.called[k * (m.called.size() / nc_) + i];
    return &m.values[i * nc_];
  }

  // Of one component, of all points of that call.
  strided_values values_of(std::size_t k) {
    looked_memory &m = memory();
    return are_columns_ ? strided_values{&m.called[k * (m.called.size() / nc_)], 1} : strided_values{&m.values[k], nc_};
  }

  // Of y[ndim]: does the range go so far?
  bool is_inside(const double *y) const {
    for (std::size_t j = 0; j < nd_; ++j)
      if (!range_.is_inside(static_cast<int>(j), y[j])) return false;
    return true;
  }
  // Sizes at points y[point][ndim], and its values there. are_inside: of the range, all of them.
  outcome measure(const std::vector<double> &y, std::vector<double> &sizes, bool are_inside = false) {
    const std::size_t all = y.size() / nd_;
    if (static_cast<int64>(all) > room(1)) return outcome::roundoff;
    looked_memory &m = memory();
    m.inside.clear();
    for (std::size_t i = 0; i < all; ++i)
      if (are_inside || is_inside(&y[i * nd_])) m.inside.push_back(i);
    const std::size_t n = m.inside.size();
    m.columns.resize(n * nd_);
    m.stretched.assign(is_infinite_ ? n : 0, 1.0);
    for (std::size_t i = 0; i < n; ++i) {
      const double *const own = &y[m.inside[i] * nd_];
      for (std::size_t j = 0; j < nd_; ++j) {
        double &to = m.columns[j * n + i];
        to = own[j];
        if (!is_infinite_) continue;
        to = range_.to_box(static_cast<int>(j), to);
        m.stretched[i] *= range_.stretch(static_cast<int>(j), to);
      }
    }
    sizes.assign(all, outside_size);
    m.values.assign(all * nc_, 0.0);
    are_columns_ = false;
    const outcome o = ask(n, m.columns.data(), all);
    for (std::size_t i = 0; i < n && o == outcome::running; ++i) {
      double &size = sizes[m.inside[i]];
      for (std::size_t k = 0; k < nc_; ++k) {
        const double v = m.called[k * n + i], scaled = std::fabs(v) * scale_[k];
        m.values[m.inside[i] * nc_ + k] = v;
        size = larger(size, size_of_mode(is_infinite_ ? scaled / m.stretched[i] : scaled));
      }
    }
    return o;
  }
  // The same of n points of a finite range that stand in columns, [ndim][n].
  outcome measure_columns(std::size_t n, const double *columns, std::vector<double> &sizes) {
    if (static_cast<int64>(n) > room(1)) return outcome::roundoff;
    looked_memory &m = memory();
    sizes.assign(n, outside_size);
    m.values.resize(n * nc_);  // of those that somebody asks for
    are_columns_ = true;
    const outcome o = ask(n, columns, n);
    for (std::size_t k = 0; k < nc_ && o == outcome::running; ++k) {
      const double *const called = &m.called[k * n], scale = scale_[k];
      double *const to = sizes.data();
      for (std::size_t i = 0; i < n; ++i) to[i] = larger(to[i], size_of_mode(std::fabs(called[i]) * scale));
    }
    return o;
  }

 private:
  // Of so many points of a call the n that are inside.
  outcome ask(std::size_t n, const double *columns, std::size_t all) {
    take_bytes(static_cast<int64>(all) * bytes_of_point_);
    int64 taken = most_ - made_;
    if (static_cast<int64>(n) > taken) return outcome::memory;
    looked_memory &m = memory();
    m.called.resize(n * nc_);
    if (n == 0) return outcome::running;
    const outcome o = sample_(static_cast<int64>(n), columns, m.called.data(), taken);
    made_ += taken;
    return o;
  }

  std::size_t nd_, nc_;
  const user_range &range_;
  looked_at_points sample_;
  bool is_infinite_, are_columns_ = false;  // are_columns_: of the last call the values stand as they came
  int64 most_bytes_, bytes_of_point_;
  looked_memory *kept_;
  looked_memory own_;
  std::vector<double> scale_;
  int64 most_ = 0, made_ = 0, peak_bytes_ = 0;
};

}  // namespace tessera
