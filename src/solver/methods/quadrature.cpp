// TESSERA_QUADRATURE: from options and domain to a problem, and from its result to statistics.
// SPDX-License-Identifier: BSD-3-Clause
#include "quadrature.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

[[noreturn]] void refuse(const std::string &why) { throw failure(TESSERA_ERR_UNSUPPORTED, why); }
[[noreturn]] void refuse_argument(const std::string &why) { throw failure(TESSERA_ERR_ARGUMENT, why); }

}  // namespace

bool is_rule_in_one_variable(int rule) {
  return rule == TESSERA_RULE_AUTO || rule == TESSERA_RULE_DOUBLE_EXPONENTIAL ||
         (rule >= TESSERA_RULE_KRONROD15 && rule <= TESSERA_RULE_KRONROD61);
}
axis_rule rule_in_one_variable(int rule) {
  if (rule == TESSERA_RULE_AUTO) return {};
  if (rule == TESSERA_RULE_DOUBLE_EXPONENTIAL) return {quadrature_rule::double_exponential, axis_rule{}.pairs};
  return {quadrature_rule::kronrod, rule / 2};
}

std::unique_ptr<method> make_quadrature(const solver_view &solver) {
  return std::make_unique<quadrature_method>(solver);
}

void quadrature_method::set_breakpoints(int count, const double *points) {
  if (solver_.ndim != 1)
    refuse("ndim = " + std::to_string(solver_.ndim) + ": break points are for integrals over one variable");
  if (count < 0) refuse_argument("count = " + std::to_string(count) + " is negative");
  if (count > 0 && !points) refuse_argument("points is NULL and count is not 0");
  for (int i = 0; i < count; ++i)
    if (!std::isfinite(points[i]))
      refuse_argument("points[" + std::to_string(i) + "] is " + (std::isnan(points[i]) ? "NaN" : "infinite"));
  std::vector<double> breaks(points, points + count);
  std::sort(breaks.begin(), breaks.end());
  breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  breaks_.swap(breaks);
}

std::string quadrature_method::trouble_with_devices(bool callback) const {
  if (callback) return "TESSERA_QUADRATURE on a device takes a source text or compiled code, no device callback";
  if (get_int(TESSERA_WEIGHT) != TESSERA_WEIGHT_NONE) return "TESSERA_WEIGHT is for runs on the host";
  if (breaks_.size() > most_device_breaks)
    return std::to_string(breaks_.size()) + " break points: devices take up to " + std::to_string(most_device_breaks);
  return {};
}

problem &quadrature_method::prepare(bool) {
  if (solver_.ndim != 1)
    refuse("TESSERA_QUADRATURE is for integrals over one variable: ndim = " + std::to_string(solver_.ndim));
  quadrature_problem &p = problem_;
  quadrature_settings &s = p.settings;
  const int rule = static_cast<int>(get_int(TESSERA_RULE));
  if (!is_rule_in_one_variable(rule))
    refuse("TESSERA_RULE = " + std::to_string(rule) + " is no rule for TESSERA_QUADRATURE");
  static_cast<axis_rule &>(s) = rule_in_one_variable(rule);
  s.weight = static_cast<quadrature_weight>(get_int(TESSERA_WEIGHT));
  s.omega = get_real(TESSERA_OMEGA);
  s.alpha = get_real(TESSERA_ALPHA);
  s.beta = get_real(TESSERA_BETA);
  s.pole = get_real(TESSERA_POLE);
  s.complement = static_cast<int>(get_int(TESSERA_COMPLEMENT));
  s.zero_nonfinite = get_int(TESSERA_NONFINITE_POLICY) == TESSERA_NONFINITE_ZERO;
  s.memory = greatest_int64;
  s.least_intervals = least_regions(2 * s.pairs + 1);
  s.seeks_modes = s.least_intervals > 1 && s.weight == quadrature_weight::none;
  p.shared_calls = get_int(TESSERA_SHARED_CALLS) != 0;
  p.breaks = breaks_;
  if (s.weight != quadrature_weight::none) {
    if (s.rule == quadrature_rule::double_exponential)
      refuse("TESSERA_WEIGHT and TESSERA_RULE_DOUBLE_EXPONENTIAL do not go together");
    if (s.complement != 0) refuse("TESSERA_WEIGHT and TESSERA_COMPLEMENT do not go together");
    if (!breaks_.empty()) refuse("TESSERA_WEIGHT and break points do not go together");
    if (get_int(TESSERA_MINEVAL) > 0) refuse("TESSERA_WEIGHT and TESSERA_MINEVAL do not go together");
  }
  if (s.has_ends() && !(s.alpha > -1.0))
    refuse_argument("TESSERA_ALPHA = " + shown_number(s.alpha) + " is not above -1");
  if (s.has_ends() && !(s.beta > -1.0)) refuse_argument("TESSERA_BETA = " + shown_number(s.beta) + " is not above -1");
  p.set_limits(1, solver_.lower.data(), solver_.upper.data());
  return p;
}

void quadrature_method::start(bool) {
  if (problem_.shape) {
    const std::string shape = problem_.shape->name();
    if (!breaks_.empty()) refuse("break points and " + shape + " do not go together");
    if (problem_.settings.weight != quadrature_weight::none)
      refuse("TESSERA_WEIGHT and " + shape + " do not go together");
  }
  const std::string trouble = problem_.trouble_with_limits();
  if (!trouble.empty()) refuse_argument(trouble);
  const quadrature_range &r = problem_.range;
  for (const double b : breaks_)
    if (b < r.lower || b > r.upper)
      refuse_argument("tessera_set_breakpoints: " + shown_number(b) + " is outside the range from " +
                      shown_number(r.lower) + " to " + shown_number(r.upper));
}

void quadrature_method::start_many(bool) {
  if (problem_.shape && (!breaks_.empty() || problem_.settings.weight != quadrature_weight::none))
    refuse(problem_.shape->name() + std::string(" and break points or TESSERA_WEIGHT do not go together"));
}

void quadrature_method::record(bool) {
  const quadrature_statistics &s = result_.statistics;
  set_int(TESSERA_EVALUATIONS, s.evaluations);
  set_int(TESSERA_REGIONS, s.intervals);
  set_int(TESSERA_ITERATIONS, s.steps);
  set_int(TESSERA_PEAK_MEMORY, s.bytes);
  set_int(TESSERA_RULE_USED,
          s.exponential ? static_cast<int>(TESSERA_RULE_DOUBLE_EXPONENTIAL) : 2 * problem_.settings.pairs + 1);
  set_int(TESSERA_RULE_POINTS, s.exponential ? 0 : 2 * problem_.settings.pairs + 1);
}

void quadrature_method::record_many(const many_results &) {
  set_int(TESSERA_RULE_POINTS, 2 * problem_.settings.pairs + 1);
}

std::string quadrature_method::summary(const std::string &where) const {
  const quadrature_statistics &s = result_.statistics;
  return "quadrature" + where + ": " + std::to_string(s.evaluations) + " evaluations, " +
         (s.exponential ? std::string("double-exponential") : std::to_string(s.intervals) + " intervals");
}

}  // namespace tessera
