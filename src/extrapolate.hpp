// The limit of a sequence from its first members, with an estimate of its error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/quadrature/epsilon_table.hpp"

namespace tessera {

struct sequence_limit {
  double value, error;
};

constexpr double rounding_of_limit = 5 * 0x1p-52;

// What can be said of fewer members than a method needs: how far the last three are apart.
inline sequence_limit limit_of_few(const double *s, int64 n) {
  if (n < 2) return {s[0], infinity_value()};
  const double before = n > 2 ? std::fabs(s[n - 2] - s[n - 3]) : 0.0;
  return {s[n - 1], std::fmax(std::fabs(s[n - 1] - s[n - 2]), before)};
}

// Members that repeat the one before say nothing: a series has terms that are 0. But where all are the same, so is the limit.
inline std::vector<double> without_repetitions(const double *s, int64 n) {
  std::vector<double> members(s, s + n);
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

// Wynn's epsilon algorithm with the error of QUADPACK, which needs six members; fewer have how far the last ones and the limit are apart.
// The result with the least error: beyond convergence there is noise in the table.
inline sequence_limit limit_by_epsilon(const double *s, int64 n) {
  if (n < 3) return limit_of_few(s, n);
  epsilon_table<double> table;
  table.push(s[0]);
  table.push(s[1]);
  sequence_limit best = limit_of_few(s, n);
  bool judged = false;
  for (int64 i = 2; i < n; ++i) {
    table.push(s[i]);
    const extrapolated<double> now = table.extrapolate();
    if (table.extrapolations() > 3) {
      if (!judged || now.error <= best.error) best = {now.value, now.error};
      judged = true;
    } else if (i == n - 1) {
      best = {now.value, std::fabs(now.value - s[i]) + best.error};
    }
  }
  return best;
}

// Richardson's extrapolation to h = 0 by polynomials in h, in Neville's scheme (L. F. Richardson 1911; R. Bulirsch and J. Stoer, Numer. Math. 6
// (1964)): the element of the table that differs least from its two neighbours in the column before, from the third column on: two members
// may agree by accident.
inline sequence_limit limit_by_richardson(const double *h, const double *s, int64 n) {
  if (n < 2) return limit_of_few(s, n);
  sequence_limit best = {s[n - 1], infinity_value()};
  std::vector<double> row, before;
  for (int64 j = 0; j < n; ++j) {
    before.swap(row);
    row.assign(1, s[j]);
    for (int64 k = 1; k <= j; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const double other = before[i - 1];
      row.push_back(row[i - 1] + (row[i - 1] - other) * (h[j] / (h[j - k] - h[j])));
      const double error = std::fmax(std::fabs(row[i] - row[i - 1]), std::fabs(row[i] - other));
      if ((k > 1 || n == 2) && error <= best.error) best = {row[i], error};
    }
  }
  best.error = std::fmax(best.error, rounding_of_limit * std::fabs(best.value));
  return best;
}

// Levin's u transformation (D. Levin, Int. J. Comput. Math. B 3 (1973) 371-388), for members that approach their limit as slowly as powers of
// 1/n, by its recursion (E. J. Weniger, Comput. Phys. Rep. 10 (1989) 189-371). Its error: how far three results in a row are apart; those
// that lie closest together, for with many members rounding errors grow again.
inline sequence_limit limit_by_levin(const double *s, int64 n) {
  std::vector<double> numerators, denominators, results, roundings;
  std::vector<double> sizes[2];  // of what numerators and denominators are sums of
  for (int64 j = 0; j < n; ++j) {
    const double difference = j > 0 ? s[j] - s[j - 1] : s[0];
    const double remainder = difference != 0.0 ? (static_cast<double>(j) + 1.0) * difference : 1.0;
    numerators.push_back(s[j] / remainder);
    denominators.push_back(1.0 / remainder);
    sizes[0].push_back(std::fabs(s[j] / remainder));
    sizes[1].push_back(std::fabs(1.0 / remainder));
    for (int64 m = j - 1; m >= 0; --m) {  // element m is that of column j - m afterwards
      const auto i = static_cast<std::size_t>(m);
      const double at = static_cast<double>(m) + 1.0, k = static_cast<double>(j - 1 - m);
      const double share = at / (at + k) * std::pow((at + k) / (at + k + 1.0), k);
      numerators[i] = numerators[i + 1] - share * numerators[i];
      denominators[i] = denominators[i + 1] - share * denominators[i];
      for (std::vector<double> &size : sizes) size[i] = size[i + 1] + share * size[i];
    }
    results.push_back(numerators[0] / denominators[0]);
    roundings.push_back(rounding_of_limit * (sizes[0][0] + std::fabs(results.back()) * sizes[1][0]) /
                        std::fabs(denominators[0]));
  }
  sequence_limit best = limit_of_few(s, n);
  if (n < 4) return best;
  best.error = infinity_value();
  for (std::size_t j = 3; j < results.size(); ++j) {
    const double apart = std::fmax(std::fabs(results[j] - results[j - 1]), std::fabs(results[j] - results[j - 2]));
    const double error = apart + roundings[j];
    if (error <= best.error) best = {results[j], error};
  }
  return best;
}

// By a method of enum tessera_extrapolation. h[n]: the parameters, for Richardson's alone.
enum class extrapolation { epsilon = 1, richardson = 2, levin = 3 };
inline sequence_limit limit_of_sequence(extrapolation method, const double *h, const double *s, int64 n) {
  if (method == extrapolation::richardson) return limit_by_richardson(h, s, n);
  const std::vector<double> members = without_repetitions(s, n);
  const auto m = static_cast<int64>(members.size());
  if (m == 1 && n > 1) return limit_of_few(s, n);
  return method == extrapolation::epsilon ? limit_by_epsilon(members.data(), m) : limit_by_levin(members.data(), m);
}
inline bool is_sound(const sequence_limit &l) {
  return std::isfinite(l.value) && std::isfinite(l.error) && l.error >= 0.0;
}

}  // namespace tessera
