// TESSERA_ITERATED: from options and domain to a problem, and from its result to statistics.
// SPDX-License-Identifier: BSD-3-Clause
#include "iterated.hpp"

#include <algorithm>
#include <cmath>

#include "quadrature.hpp"

namespace tessera {
namespace {

[[noreturn]] void refuse(const std::string &what, int rule) {
  throw failure(TESSERA_ERR_ARGUMENT, what + " = " + std::to_string(rule) + " is no rule in one variable");
}

// TESSERA_LEAST_REGIONS, if so many of each axis are had by halving with half of the evaluations. 16 as in one variable are not usual: smooth integrals would take 10^5 evaluations in
// two variables where some 10^3 do.
std::int64_t least_intervals(std::int64_t asked, std::int64_t maxeval, int ndim, int points) {
  if (asked == 0) return 0;
  const double affordable = std::pow(static_cast<double>(maxeval) / 2.0, 1.0 / ndim) / (2.0 * points);
  return std::max<std::int64_t>(1, std::min(asked, static_cast<std::int64_t>(std::fmin(affordable, 1e9))));
}

}  // namespace

std::unique_ptr<method> make_iterated(const solver_view &solver) { return std::make_unique<iterated_method>(solver); }

void iterated_method::set_axis_rule(int axis, int rule) {
  if (axis < 0 || axis >= solver_.ndim)
    throw failure(TESSERA_ERR_ARGUMENT,
                  "axis = " + std::to_string(axis) + " is not within 0 .. " + std::to_string(solver_.ndim - 1));
  if (!is_rule_in_one_variable(rule)) refuse("rule", rule);
  rules_.resize(static_cast<std::size_t>(solver_.ndim), 0);
  rules_[static_cast<std::size_t>(axis)] = rule;
}

problem &iterated_method::prepare(bool) {
  const int of_all = static_cast<int>(get_int(TESSERA_RULE));
  if (!is_rule_in_one_variable(of_all)) refuse("TESSERA_RULE", of_all);
  problem_.rules.assign(static_cast<std::size_t>(solver_.ndim), {});
  int points = 1;
  for (std::size_t j = 0; j < problem_.rules.size(); ++j) {
    const int own = j < rules_.size() && rules_[j] != 0 ? rules_[j] : of_all;
    problem_.rules[j] = rule_in_one_variable(own);
    points = std::max(points, 2 * problem_.rules[j].pairs + 1);
  }
  problem_.least_intervals =
      least_intervals(get_int(TESSERA_LEAST_REGIONS), get_int(TESSERA_MAXEVAL), solver_.ndim, points);
  problem_.set_limits(solver_.ndim, solver_.lower.data(), solver_.upper.data());
  return problem_;
}

void iterated_method::record(bool) {
  const quadrature_statistics &s = result_.statistics;
  set_int(TESSERA_EVALUATIONS, s.evaluations);
  set_int(TESSERA_REGIONS, s.intervals);
  set_int(TESSERA_ITERATIONS, s.steps);
  set_int(TESSERA_PEAK_MEMORY, s.bytes);
}

std::string iterated_method::summary(const std::string &where) const {
  return "iterated quadrature" + where + ": " + std::to_string(result_.statistics.evaluations) + " evaluations, " +
         std::to_string(result_.statistics.intervals) + " intervals of the first axis";
}

}  // namespace tessera
