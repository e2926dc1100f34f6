// Finds the components of an integrand that are one of them times a polynomial (polynomial_multiples.hpp): by values on lines through one point along each axis, and at the corners between two of them, from which the
// coefficients follow; others tell whether they are right.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../../core/spread_turns.hpp"
#include "polynomial_multiples.hpp"
#include "sparse_step.hpp"

namespace tessera {

class multiple_search {
 public:
  // box: one. Forgets what has been found.
  void start(int ndim, int ncomp, const sparse_domain &box) {
    nd_ = static_cast<std::size_t>(ndim);
    nc_ = static_cast<std::size_t>(ncomp);
    box_ = box;
    first_.clear();
    terms_.clear();
  }

  // Places points about base[ndim], at most 2*width[ndim] away on each axis, or four where a face is nearer.
  void place(const std::vector<double> &base, const std::vector<double> &width) {
    std::vector<double> from(nd_), to(nd_), at(nd_ * nodes);
    for (std::size_t j = 0; j < nd_; ++j) {
      const double low = box_.centre[j] - box_.half[j], high = box_.centre[j] + box_.half[j];
      double step = std::min(width[j], (std::max(base[j] - low, high - base[j])) / (nodes + 1));
      const bool up = high - base[j] > 2.0 * step, down = base[j] - low > 2.0 * step;
      if (!up || !down) step = up ? step : -step;
      for (int i = 1; i <= nodes; ++i)
        at[j * nodes + static_cast<std::size_t>(i - 1)] = base[j] + (up && down ? around[i - 1] : i) * step;
      from[j] = up && down ? base[j] - 2.0 * step : base[j];
      to[j] = base[j] + (up && down ? 2.0 : static_cast<double>(nodes)) * step;
    }
    x_.clear();
    add(base);
    std::vector<double> point = base;
    for (std::size_t j = 0; j < nd_; ++j) {
      for (int i = 0; i < nodes; ++i) {
        point[j] = at[j * nodes + static_cast<std::size_t>(i)];
        add(point);
      }
      point[j] = base[j];
    }
    for (std::size_t j = 1; j < nd_; ++j)
      for (std::size_t l = 0; l < j; ++l) {
        point[j] = at[j * nodes + nodes - 1];
        point[l] = at[l * nodes + nodes - 1];
        add(point);
        point[j] = base[j];
        point[l] = base[l];
      }
    const std::vector<double> turns = spread_turns(static_cast<int>(nd_));
    for (int c = 1; c <= checks; ++c) {
      for (std::size_t j = 0; j < nd_; ++j) {
        const double share = 0.5 + c * turns[j];
        point[j] = from[j] + (share - std::floor(share)) * (to[j] - from[j]);
      }
      add(point);
    }
  }
  std::size_t points() const { return x_.size() / nd_; }
  // x[ndim][points()], in the box.
  std::vector<double> columns() const {
    std::vector<double> x(x_.size());
    for (std::size_t i = 0; i < points(); ++i)
      for (std::size_t j = 0; j < nd_; ++j) x[j * points() + i] = x_[i * nd_ + j];
    return x;
  }

  // Is component k 0 at none of the points? values[ncomp][points()].
  bool is_everywhere(std::size_t k, const std::vector<double> &values) const {
    const double *const own = &values[k * points()];
    return std::none_of(own, own + points(), [](double v) { return v == 0.0; });
  }
  // Of all components that are 0 at none of the points that of which most others are multiples, the first of these; ncomp: none has any.
  std::size_t find(const std::vector<double> &values) {
    write_coordinates();
    std::size_t most = 0, best = nc_, fits = 0;
    std::vector<std::vector<polynomial_term>> found(nc_), best_found;
    for (std::size_t base = 0; base < nc_ && most + 1 < nc_ && fits < most_fits; ++base) {
      if (!is_everywhere(base, values)) continue;
      std::size_t multiples = 0;
      fits += nc_;
      for (std::size_t k = 0; k < nc_; ++k) {
        found[k].clear();
        if (k != base && fit(&values[k * points()], &values[base * points()], found[k])) ++multiples;
      }
      if (multiples <= most) continue;
      most = multiples;
      best = base;
      best_found = found;
    }
    if (best == nc_) return nc_;
    base_ = static_cast<int>(best);
    first_.assign(1, 0);
    for (const std::vector<polynomial_term> &of_component : best_found) {
      terms_.insert(terms_.end(), of_component.begin(), of_component.end());
      first_.push_back(static_cast<int>(terms_.size()));
    }
    return best;
  }

  // Valid until the next search.
  polynomial_multiples multiples() const {
    return {base_, origin_.data(), over_width_.data(), first_.empty() ? nullptr : first_.data(), terms_.data()};
  }
  // Coordinate j of the polynomials, and of the user, of one of the box.
  double coordinate(std::size_t j, double at) const { return (of_user(j, at) - origin_[j]) * over_width_[j]; }
  double of_user(std::size_t j, double at) const {
    double jacobian = 1.0;
    return box_.axes ? map_axis(box_.axes[j], at, jacobian) : at;
  }
  // Component k is none after all. Returns whether it was taken for one.
  bool forget(std::size_t k) {
    if (first_.empty() || first_[k] == first_[k + 1]) return false;
    const int terms = first_[k + 1] - first_[k];
    terms_.erase(terms_.begin() + first_[k], terms_.begin() + first_[k + 1]);
    for (std::size_t l = k + 1; l < first_.size(); ++l) first_[l] -= terms;
    return true;
  }
  // Forgets those that are not what they are taken for at n points of the box, x[ndim][n], with values[ncomp][n].
  void check(std::size_t n, const std::vector<double> &x, const std::vector<double> &values) {
    const auto base = static_cast<std::size_t>(base_);
    std::vector<double> at(nd_);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < nd_; ++j) at[j] = of_user(j, x[j * n + i]);
      for (std::size_t k = 0; k < nc_; ++k)
        if (multiples().has(static_cast<int>(k)) &&
            !(unlike_multiple(multiples(), static_cast<int>(k), values[k * n + i], values[base * n + i], at.data(),
                              1) == 0.0))
          forget(k);
    }
  }

 private:
  static constexpr int nodes = highest_power, checks = 12;
  static constexpr int around[nodes] = {-2, -1, 1, 2};
  static constexpr std::size_t most_fits = 4096;
  static constexpr double rounding = 1e-11;  // of the largest value: coefficients that are less are 0
  static constexpr double same = 1e-9;

  void add(const std::vector<double> &point) { x_.insert(x_.end(), point.begin(), point.end()); }
  // Of the points, in the polynomials: of the size of 1.
  void write_coordinates() {
    origin_.assign(nd_, 0.0);
    over_width_.assign(nd_, 1.0);
    for (std::size_t j = 0; j < nd_; ++j) {
      origin_[j] = coordinate(j, x_[j]);
      double width = 0.0;
      for (std::size_t i = 0; i < points(); ++i) width = std::max(width, std::fabs(coordinate(j, x_[i * nd_ + j])));
      over_width_[j] = 1.0 / width;
    }
    t_.resize(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) t_[i] = coordinate(i % nd_, x_[i]);
  }

  // Is a component, by its values, another one times a polynomial, and which?
  bool fit(const double *values, const double *base, std::vector<polynomial_term> &terms) const {
    std::vector<double> ratio(points());
    double largest = 0.0;
    for (std::size_t i = 0; i < points(); ++i) {
      ratio[i] = values[i] / base[i];
      largest = std::max(largest, std::fabs(ratio[i]));
    }
    if (!(largest < infinity_value())) return false;
    terms.push_back({ratio[0], {0, 0}, {0, 0}});
    const auto add_term = [&](double coefficient, std::size_t j, int power, std::size_t l, int other) {
      if (std::fabs(coefficient) > rounding * largest)
        terms.push_back({coefficient, {static_cast<int>(j), static_cast<int>(l)}, {power, other}});
    };
    for (std::size_t j = 0; j < nd_; ++j) {
      double coefficients[nodes + 1];
      fit_axis(j, ratio, coefficients);
      for (int power = 1; power <= nodes; ++power) add_term(coefficients[power], j, power, j, 0);
    }
    std::size_t corner = 1 + nodes * nd_;
    for (std::size_t j = 1; j < nd_; ++j)
      for (std::size_t l = 0; l < j; ++l, ++corner) {
        const double mixed = ratio[corner] - ratio[nodes * (j + 1)] - ratio[nodes * (l + 1)] + ratio[0];
        add_term(mixed / (t_[corner * nd_ + j] * t_[corner * nd_ + l]), j, 1, l, 1);
      }
    const std::vector<int> first = {0, static_cast<int>(terms.size())};
    const std::vector<double> zeros(nd_, 0.0), ones(nd_, 1.0);
    const polynomial_multiples own = {0, zeros.data(), ones.data(), first.data(), terms.data()};
    for (std::size_t i = 0; i < points(); ++i) {
      double sizes;
      const double difference = ratio[i] - multiple_at(own, 0, &t_[i * nd_], 1, sizes);
      if (!(std::fabs(difference) <= same * sizes)) {
        terms.clear();
        return false;
      }
    }
    return true;
  }
  // By differences of Newton, in powers of the coordinate.
  void fit_axis(std::size_t j, const std::vector<double> &ratio, double *coefficients) const {
    double at[nodes + 1], difference[nodes + 1];
    for (int i = 0; i <= nodes; ++i) {
      const std::size_t point = i == 0 ? 0 : nodes * j + static_cast<std::size_t>(i);
      at[i] = t_[point * nd_ + j];
      difference[i] = ratio[point];
    }
    for (int order = 1; order <= nodes; ++order)
      for (int i = nodes; i >= order; --i)
        difference[i] = (difference[i] - difference[i - 1]) / (at[i] - at[i - order]);
    std::fill_n(coefficients, nodes + 1, 0.0);
    for (int order = nodes; order >= 0; --order) {  // times t - at[order], and one more
      for (int power = nodes; power > 0; --power)
        coefficients[power] = coefficients[power - 1] - at[order] * coefficients[power];
      coefficients[0] = difference[order] - at[order] * coefficients[0];
    }
  }

  std::size_t nd_ = 0, nc_ = 0;
  sparse_domain box_ = {};
  std::vector<double> x_, t_;  // [points][ndim] in the box, and in the polynomials
  int base_ = 0;
  std::vector<double> origin_, over_width_;
  std::vector<int> first_;
  std::vector<polynomial_term> terms_;
};

}  // namespace tessera
