// Finds the change of variables of a sparse grid (product_map.hpp): the sizes of the integrand along lines through one point of a peak, one across each axis. Of a product of
// functions of one variable these are its factors, wherever the lines are. Of others they are what the peak looks like there, and the sparse grid sees what is left.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "axis_density.hpp"
#include "line_powers.hpp"
#include "multiple_search.hpp"
#include "sparse_grid.hpp"

namespace tessera {

// The integrand at n points of the box, times the Jacobian of its axes: x[ndim][n] to values[ncomp][n]. Returns running, callback, nonfinite, memory, or time and stopped.
using sampled_integrand = std::function<outcome(int64 n, const double *x, double *values)>;

class map_search {
 public:
  // box: one. most: points at which the integrand may be asked for. The memory of an earlier search is used again: what a search takes the system would else fill with zeros each time.
  void start(int ndim, int ncomp, const sparse_domain &box, int64 most, sampled_integrand sample) {
    nd_ = static_cast<std::size_t>(ndim);
    nc_ = static_cast<std::size_t>(ncomp);
    box_ = box;
    most_ = most;
    sample_ = std::move(sample);
    points_ = 0;
    is_found_ = is_product_ = is_wide_ = false;
    component_ = 0;
    departure_ = 0.0;
    multiples_.start(ndim, ncomp, box);
    unit_ = size_at_base_ = 1.0;
    base_.clear();
    powers_.assign(nd_, 1.0);
    faces_.assign(nd_, {});
    lines_.resize(nd_);
    levels_ = 0;
  }

  // starts[][ndim]: points, one of which may be in a peak. faces[][ndim]: coordinates at which regions there have been cut, perhaps for a jump. Running where all went well, with or without a map. may_be_wide: where the integrand is no product a map is looked for all the same.
  outcome find(const std::vector<double> &starts, const std::vector<double> &faces, bool may_be_wide) {
    for (std::size_t i = 0; i < faces.size(); ++i) faces_[i % nd_].push_back(faces[i]);
    outcome o = begin_at(starts);
    if (o != outcome::running || base_.empty()) return o;
    if (is_product_) o = follow_product();
    if (o == outcome::running && !is_product_ && may_be_wide) o = follow_other();
    if (is_found_ && o == outcome::running && multiples().first) o = check_multiples();
    if (is_found_ && o == outcome::running) write();
    return o;
  }
  static constexpr double accuracy = 1e-12;  // of the mean of what is constant in the variables of a map
  // That a search takes, and a map, mostly.
  static int64 bytes(int ndim, int ncomp) { return int64{ndim} * (int64{1} << 14) * (8 + ndim + ncomp); }
  bool is_found() const { return is_found_; }
  bool is_product() const { return is_product_; }  // as far as a few points show that lie on no line
  bool is_wide() const { return is_wide_; }        // wider than lines are
  bool is_broad() const {  // a product that is hardly narrow, in the geometric mean over the axes
    if (!is_product_) return false;
    double peaks = 1.0;
    for (const axis_density &line : lines_) peaks *= line.peak();
    return peaks < std::pow(narrow, static_cast<double>(nd_));
  }
  bool is_lost() const { return base_.empty(); }  // the integrand is 0 at all starts
  int64 points() const { return points_; }        // at which the integrand was asked for
  // That the map is of.
  int component() const { return static_cast<int>(component_); }
  // Component k is no multiple of it after all. Returns whether it was taken for one.
  bool forget_multiple(int k) { return multiples_.forget(static_cast<std::size_t>(k)); }
  // Components that are multiples of it, for which it was chosen. Valid until the next search.
  polynomial_multiples multiples() const { return multiples_.multiples(); }
  // [ncomp] Of a product what they are follows; empty where there are none.
  std::vector<multiple_value> values_of_multiples() const {
    const polynomial_multiples all = multiples_.multiples();
    if (!all.first) return {};
    std::vector<multiple_value> values(nc_);
    constexpr int powers = highest_power + 1;
    std::vector<axis_density::moment> moments(nd_ * powers);
    for (std::size_t j = 0; j < nd_; ++j)
      lines_[j].find_moments([&](double at) { return multiples_.coordinate(j, at); }, powers, &moments[j * powers]);
    for (std::size_t k = 0; k < nc_; ++k) {
      multiple_value &of = values[k];
      of.is_known = all.has(static_cast<int>(k));
      for (int i = all.first[k]; i < all.first[k + 1]; ++i) {
        const polynomial_term &term = all.terms[i];
        const auto &one = moments[static_cast<std::size_t>(term.axis[0] * powers + term.power[0])],
                   &other = moments[static_cast<std::size_t>(term.axis[1] * powers + term.power[1])];
        const double size = std::fabs(term.coefficient);
        of.times += term.coefficient * one.mean * other.mean;
        of.sizes += size * one.size * other.size;
        of.uncertainty += size * (one.uncertainty * (other.size + other.uncertainty) + one.size * other.uncertainty);
      }
      of.uncertainty += (accuracy + departures * departure_) * of.sizes;
      of.is_known = of.is_known && std::isfinite(of.sizes + of.uncertainty);
    }
    return values;
  }
  // Makes the nodes of all levels known if those of so many are not. Returns whether it has: they stand where they are to be in the map that there is.
  bool write_nodes(int levels) {
    if (levels <= levels_) return false;
    write_nodes_to(patterson_levels);
    return true;
  }
  // Of the memory that is used again.
  int64 held_bytes() const {
    std::size_t lines = 0;
    for (const axis_density &line : lines_) lines += line.bytes();
    return static_cast<int64>(
        lines + panels_.capacity() * sizeof(density_panel) + nodes_.capacity() * sizeof(mapped_node) +
        (line_points_.capacity() + line_sizes_.capacity() + values_.capacity() + parts_.capacity()) * sizeof(double));
  }
  // Valid until the next search.
  product_map map() const {
    return {nodes_.data(), panels_.data(), first_.data(), parts_.empty() ? nullptr : parts_.data()};
  }

 private:
  static constexpr int most_attempts = 3, levels_at_first = 6;
  // An axis over the width of a peak, in the geometric mean: where a map pays, and where a peak is narrow.
  static constexpr double least_narrow = 1.2, narrow = 2.5;
  static constexpr double same_product = 1e-6, moved = 1.01, share_aside = 0.75, coarse = 1e-4;
  static constexpr double resolved = 1e-6;  // of the largest density: it is known to 2e-13 of that
  static constexpr double nearer = 1.0 / 16;
  static constexpr double departures = 4.0;  // of a moment, where the integrand departs from a product
  static constexpr int rounds_of_powers = 2, points_of_powers = 1024;
  static constexpr double least_effective = 1.0 / 4;
  static constexpr double wider =
      1.4;  // of a power, its power: tails that the densities lack cost a grid more than what they have too much

  // The integrand at n points, x[ndim][n].
  outcome ask(const std::vector<double> &x, int64 n) {
    if (points_ + n > most_) return outcome::memory;
    values_.resize(nc_ * static_cast<std::size_t>(n));
    const outcome o = sample_(n, x.data(), values_.data());
    points_ += n;
    return o;
  }
  // Its sizes: of one component, over what that is at the start.
  outcome measure(const std::vector<double> &x, int64 n, double *sizes) {
    const outcome o = ask(x, n);
    for (int64 i = 0; i < n && o == outcome::running; ++i)
      sizes[i] = values_[component_ * static_cast<std::size_t>(n) + static_cast<std::size_t>(i)] / unit_;
    return o;
  }

  // Chooses where the integrand is largest, and sees whether it may be a product: values at two points are then, together, those at the points that have half of the coordinates of one
  // and half of the other.
  outcome begin_at(const std::vector<double> &starts) {
    const std::size_t n = starts.size() / nd_, all = 3 * n;  // the starts, and two mixed with another each
    if (n == 0) return outcome::running;
    std::vector<std::size_t> other(n);
    std::vector<double> x(all * nd_), sizes(all);
    for (std::size_t i = 0; i < n; ++i) {
      other[i] = apart_from(starts, i);
      for (std::size_t j = 0; j < nd_; ++j) {
        const double own = starts[i * nd_ + j], others = starts[other[i] * nd_ + j];
        x[j * all + i] = own;
        x[j * all + n + i] = j % 2 == 0 ? own : others;
        x[j * all + 2 * n + i] = j % 2 == 1 ? own : others;
      }
    }
    const outcome o = measure(x, static_cast<int64>(all), sizes.data());
    if (o != outcome::running) return o;
    std::size_t best = 0;
    for (component_ = 0; component_ < nc_; ++component_) {  // the first that is not 0 everywhere
      const double *const own = &values_[component_ * all];
      for (std::size_t i = 0; i < n; ++i)
        if (std::fabs(own[i]) > std::fabs(own[best])) best = i;
      if (std::fabs(own[best]) > 0.0) break;
    }
    if (component_ == nc_) return outcome::running;
    size_at_base_ = 1.0;
    base_.assign(starts.begin() + static_cast<std::ptrdiff_t>(best * nd_),
                 starts.begin() + static_cast<std::ptrdiff_t>((best + 1) * nd_));
    const std::vector<double> values = values_;
    const outcome end = are_equal(values) ? outcome::running : choose_component(starts);
    const double *const own = &values[component_ * all];
    unit_ = own[best];
    const double together = own[other[best]] / unit_, mixed = own[n + best] / unit_ * (own[2 * n + best] / unit_);
    is_product_ = std::fabs(mixed - together) <= same_product * std::fabs(together);
    return end;
  }
  // Are all components the same at some points? Then nothing more is asked than of one.
  bool are_equal(const std::vector<double> &values) const {
    const std::size_t n = values.size() / nc_;
    for (std::size_t i = n; i < values.size(); ++i)
      if (values[i] != values[i - n]) return false;
    return true;
  }
  // That of which others are multiples, if there is one. Its values far from a peak may be 0: then nearer.
  outcome choose_component(const std::vector<double> &starts) {
    std::vector<double> width(nd_);
    for (std::size_t j = 0; j < nd_; ++j) {
      width[j] = 0.25 * box_.half[j];
      for (std::size_t i = j; i < starts.size(); i += nd_)
        if (starts[i] != base_[j]) width[j] = std::min(width[j], std::fabs(starts[i] - base_[j]));
    }
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      multiples_.place(base_, width);
      const outcome o = ask(multiples_.columns(), static_cast<int64>(multiples_.points()));
      if (o != outcome::running) return o;
      if (multiples_.is_everywhere(component_, values_)) break;
      for (double &w : width) w *= nearer;
    }
    const std::size_t base = multiples_.find(values_);
    if (base < nc_) component_ = base;
    return outcome::running;
  }
  // Are multiples what they are taken for in all of the mass?
  outcome check_multiples() {
    constexpr std::size_t n = 64;
    std::vector<double> x(n * nd_);
    const std::vector<double> turns = spread_turns(static_cast<int>(nd_));
    double shares[n];
    mapped_node nodes[n];
    for (std::size_t j = 0; j < nd_; ++j) {
      for (std::size_t i = 0; i < n; ++i) {
        const double share = 0.5 + static_cast<double>(i + 1) * turns[j];
        shares[i] = share - std::floor(share);
      }
      lines_[j].find(shares, n, nodes);
      for (std::size_t i = 0; i < n; ++i) x[j * n + i] = nodes[i].at;
    }
    const outcome o = ask(x, n);
    if (o != outcome::running) return o;
    multiples_.check(n, x, values_);
    departure_ = departure_from_product(n, x);
    return o;
  }
  // Of the values at points that are spread over the mass, relative: the root of the mean square. What is a product to 1e-6 alone has other moments.
  double departure_from_product(std::size_t n, const std::vector<double> &x) const {
    std::vector<double> ratios(values_.begin() + static_cast<std::ptrdiff_t>(component_ * n),
                               values_.begin() + static_cast<std::ptrdiff_t>((component_ + 1) * n));
    double mean = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      ratios[i] /= unit_;
      for (std::size_t j = 0; j < nd_; ++j) ratios[i] /= lines_[j].density(x[j * n + i]);
      mean += ratios[i] / static_cast<double>(n);
    }
    for (const double ratio : ratios) squares += (ratio / mean - 1.0) * (ratio / mean - 1.0);
    return std::sqrt(squares / static_cast<double>(n));
  }
  // A start that has no coordinate of start i; itself where there is none.
  std::size_t apart_from(const std::vector<double> &starts, std::size_t i) const {
    for (std::size_t k = 1; k * nd_ < starts.size(); ++k) {
      const std::size_t other = (i + k) % (starts.size() / nd_);
      std::size_t same = 0;
      for (std::size_t j = 0; j < nd_; ++j) same += starts[other * nd_ + j] == starts[i * nd_ + j] ? 1 : 0;
      if (same == 0) return other;
    }
    return i;
  }

  outcome follow_product() {
    outcome o = follow_lines(axis_density::finest);
    if (o != outcome::running || !is_found_) return o;
    // Far from the peak on an axis its density is lost beside that of the peak: from the top there.
    std::vector<double> aside(nd_), from = base_;
    double foreseen = size_at_base_, size = 0.0;
    for (std::size_t j = 0; j < nd_; ++j) {
      const double top = lines_[j].mode();
      if (!(lines_[j].density(from[j]) > resolved * lines_[j].density(top))) from[j] = top;
    }
    if (from != base_) o = measure(from, 1, &foreseen);
    if (o != outcome::running) return o;
    for (std::size_t j = 0; j < nd_; ++j) {
      mapped_node node;
      lines_[j].find(&share_aside, 1, &node);
      aside[j] = node.at;
      foreseen *= lines_[j].density(aside[j]) / lines_[j].density(from[j]);
    }
    o = measure(aside, 1, &size);
    is_product_ = std::fabs(size - foreseen) <= same_product * foreseen;
    is_found_ = is_product_ && o == outcome::running;
    return o;
  }

  // Of an integrand that is no product: lines through where it is largest, and from them densities that are as wide as its mass.
  outcome follow_other() {
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      outcome o = follow_lines(coarse);
      if (o != outcome::running || !is_found_) return o;
      std::vector<double> top(nd_);
      for (std::size_t j = 0; j < nd_; ++j) top[j] = lines_[j].mode();
      double size = 0.0;
      o = measure(top, 1, &size);
      if (o != outcome::running) return o;
      if (!(size > moved * size_at_base_)) break;
      base_ = top;
      size_at_base_ = size;
    }
    return widen();
  }

  // The densities of coarse lines tell how wide the mass is; with their powers the lines are followed once more.
  outcome widen() {
    line_powers fit(lines_);
    is_found_ = !fit.is_empty();
    if (!is_found_) return outcome::running;
    double effective = 0.0;
    for (int round = 0; round < rounds_of_powers; ++round) {
      std::vector<double> x(nd_ * points_of_powers), sizes(points_of_powers);
      fit.write_points(points_of_powers, x.data());
      const outcome o = measure(x, points_of_powers, sizes.data());
      if (o != outcome::running) return o;
      for (const double s : sizes)
        if (!(s >= 0.0 && s < infinity_value())) {
          is_found_ = false;
          return o;
        }
      effective = fit.take(points_of_powers, sizes.data());
    }
    is_found_ = effective >= least_effective * points_of_powers;
    if (!is_found_) return outcome::running;
    is_wide_ = !fit.is_narrow();
    for (std::size_t j = 0; j < nd_ && is_wide_; ++j) powers_[j] = std::pow(fit.powers()[j], wider);
    return follow_lines(axis_density::finest);
  }

  // The densities along lines through the base, all in step. is_found_: they are known.
  outcome follow_lines(double exactness) {
    is_found_ = false;
    for (std::size_t j = 0; j < nd_; ++j)
      lines_[j].start(box_.centre[j] - box_.half[j], box_.centre[j] + box_.half[j], exactness, faces_[j]);
    for (bool first = true;; first = false) {
      std::size_t n = 0;
      for (const axis_density &line : lines_) n += static_cast<std::size_t>(line.points());
      if (n == 0) break;
      std::vector<double> &x = line_points_, &sizes = line_sizes_;
      x.resize(n * nd_);
      sizes.resize(n);
      std::size_t from = 0;
      for (std::size_t j = 0; j < nd_; ++j) {
        const auto own = static_cast<std::size_t>(lines_[j].points());
        for (std::size_t l = 0; l < nd_; ++l)
          std::fill_n(x.begin() + static_cast<std::ptrdiff_t>(l * n + from), own, base_[l]);
        lines_[j].write_points(&x[j * n + from]);
        from += own;
      }
      const outcome o = measure(x, static_cast<int64>(n), sizes.data());
      if (o != outcome::running) return o;
      for (const double s : sizes)
        if (!(s >= 0.0 && s < infinity_value()))
          return o;  // it changes its sign: its size has no peak that could be made wide
      from = 0;
      double share = 1.0;
      for (std::size_t j = 0; j < nd_; ++j) {
        axis_density &line = lines_[j];
        const auto own = static_cast<std::size_t>(line.points());
        for (std::size_t i = from; i < from + own && is_wide_; ++i) sizes[i] = std::pow(sizes[i], powers_[j]);
        if (own > 0) line.take(&sizes[from]);
        from += own;
        share *= line.peak();
        if (line.has_failed()) return o;
      }
      if (first && share < std::pow(is_product_ ? least_narrow : narrow, static_cast<double>(nd_))) return o;
    }
    for (const axis_density &line : lines_)
      if (line.is_empty()) return outcome::running;
    is_found_ = true;
    return outcome::running;
  }

  void write() {
    nodes_.assign(nd_ * mapped_nodes, {});
    write_nodes_to(is_product_ ? std::min(levels_at_first, sparse_grid::highest_of_constant(static_cast<int>(nd_)))
                               : levels_at_first);
    first_.assign(1, 0);
    panels_.clear();
    for (const axis_density &line : lines_) {
      line.write_panels(panels_);
      first_.push_back(static_cast<int>(panels_.size()));
    }
    parts_.clear();
    if (is_broad()) write_parts();
  }
  void write_parts() {
    double shares[map_shares - 1];
    mapped_node ends[map_shares - 1];
    for (int i = 1; i < map_shares; ++i) shares[i - 1] = static_cast<double>(i) / map_shares;
    for (std::size_t j = 0; j < nd_; ++j) {
      lines_[j].find(shares, map_shares - 1, ends);
      parts_.push_back(-1.0);
      for (const mapped_node &end : ends) parts_.push_back((end.at - box_.centre[j]) / box_.half[j]);
      parts_.push_back(1.0);
    }
  }
  void write_nodes_to(int levels) {
    static_assert(mapped_nodes == 1 << patterson_levels);
    const sparse_tables tables = make_sparse_tables();
    const int before = levels_ == 0 ? 0 : 1 << levels_, n = (1 << levels) - before;
    double shares[mapped_nodes];  // of the mass of an axis
    std::fill_n(shares, n, 0.5);
    for (int level = std::max(2, levels_ + 1); level <= levels; ++level)
      for (int64 digit = 0; digit < int64{1} << (level - 1); ++digit)
        shares[mapped_place(level, digit) - before] = 0.5 + 0.5 * node_of(tables, level, digit);
    for (std::size_t j = 0; j < nd_; ++j)
      lines_[j].find(shares, n, &nodes_[j * mapped_nodes + static_cast<std::size_t>(before)]);
    levels_ = levels;
  }

  std::size_t nd_ = 0, nc_ = 0;
  sparse_domain box_ = {};
  int64 most_ = 0;
  sampled_integrand sample_;
  int64 points_ = 0;
  bool is_found_ = false, is_product_ = false, is_wide_ = false;
  std::size_t component_ = 0;
  double unit_ = 1.0, size_at_base_ = 1.0;
  std::vector<double> base_, values_, powers_, line_points_, line_sizes_;
  std::vector<std::vector<double>> faces_;  // on each axis
  std::vector<axis_density> lines_;
  std::vector<mapped_node> nodes_;  // of levels_ levels
  int levels_ = 0;
  std::vector<density_panel> panels_;
  std::vector<int> first_;
  std::vector<double> parts_;
  multiple_search multiples_;
  double departure_ = 0.0;  // from a product, where there are multiples
};

}  // namespace tessera
