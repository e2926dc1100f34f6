// What is known of one method among those that TESSERA_AUTO chooses from: how far its run has come, and what it will need.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../error_trend.hpp"
#include "../problem.hpp"

namespace tessera {

enum class contender_kind { cubature, lattice, samples, sobol_points };

class contender {
 public:
  // first: evaluations in its first trial; least: those without which its run has no success.
  contender(contender_kind of_kind, const char *called, int ncomp, int64 first, int64 least)
      : kind(of_kind),
        name(called),
        first_share(static_cast<double>(first)),
        least_evaluations(static_cast<double>(least)),
        value(static_cast<std::size_t>(ncomp), 0.0),
        error(value.size(), infinity_value()) {}

  // The run begins, anew where it was given up before: it will come to the same numbers, so that what they foretold still holds.
  void begin() {
    before += evaluations;
    evaluations = 0;
    is_live = true;
    says_when = false;
  }
  // Value and error of its run after so many evaluations. Those of an earlier run that has come farther stay.
  void look(const run_settings &asked, int64 n, const double *v, const double *e) {
    evaluations = n;
    bool known = false;
    for (std::size_t k = 0; k < value.size(); ++k) {
      if (!(e[k] < infinity_value())) return;
      known = known || v[k] != 0.0 || e[k] > 0.0;
    }
    if (!known || (has_value && n < of_evaluations_)) return;
    std::copy_n(v, value.size(), value.begin());
    std::copy_n(e, error.size(), error.begin());
    has_value = true;
    of_evaluations_ = n;
    if (static_cast<double>(n) < least_growth * trend_.last_evaluations()) return;
    const double r = ratio(asked);
    const bool may_be_late = kind == contender_kind::cubature || kind == contender_kind::samples;
    if (r > most_ && may_be_late) trend_ = {};  // what is there is seen only now
    most_ = std::fmax(most_, r);
    trend_.add(n, r);
  }
  // The end of its run, where nothing but zeros is a value too.
  void finish(const run_settings &asked, int64 n, const double *v, const double *e) {
    look(asked, n, v, e);
    if (has_value) return;
    std::copy_n(v, value.size(), value.begin());
    std::copy_n(e, error.size(), error.begin());
    has_value = true;
  }
  bool is_zero() const {
    const auto nothing = [](double x) { return x == 0.0; };
    return has_value && std::all_of(value.begin(), value.end(), nothing) &&
           std::all_of(error.begin(), error.end(), nothing);
  }
  void foresee(int64 n) { foreseen_ = static_cast<double>(n); }
  bool has_foresight() const { return foreseen_ < infinity_value(); }

  // The error in units of what is tolerated, the worst of the components.
  double ratio(const run_settings &asked) const {
    double most = 0.0;
    const value_and_error_arrays now = {value.data(), error.data()};
    for (int k = 0; k < asked.ncomp; ++k) {
      const double t = tolerated(asked, k, now);
      most = std::fmax(most, now(k).error > 0.0 ? (t > 0.0 ? now(k).error / t : infinity_value()) : 0.0);
    }
    return most;
  }

  bool is_of(int64 n) const { return has_value && of_evaluations_ == n; }
  // Evaluations that its value is of.
  int64 seen() const { return has_value ? of_evaluations_ : 0; }
  // Evaluations of a whole run that meets the tolerance, as far as that can be foreseen. Errors are taken to fall by no higher power than
  // what such points can be relied on for.
  double needed() const {
    switch (kind) {
      case contender_kind::cubature:
        return std::fmin(foreseen_, trend_.needed(least_power, most_cubature_power));
      case contender_kind::lattice:
        return std::fmax(least_evaluations, std::fmin(optimism * foreseen_, trend_.needed(0.5, 1.0)));
      case contender_kind::sobol_points:
        return std::fmax(least_evaluations, trend_.needed(0.5, 1.0));
      case contender_kind::samples:
        break;
    }
    const double n = trend_.needed(0.5, 1.0);
    return foreseen_ > static_cast<double>(evaluations) ? std::fmin(foreseen_, n) : n;
  }

  const contender_kind kind;
  const char *const name;
  const double first_share, least_evaluations;
  int64 evaluations = 0, before = 0;  // of this run and of those before
  int64 beside_before = 0;            // evaluations of the others when this run began
  int64 budget = 0;                   // evaluations of this run after which it is asked who is next
  bool is_live = false, is_out = false, claims = false;
  bool says_when = false;    // its run goes on without looks as long as it is told
  bool is_given_up = false;  // the run is on its way to its end, because another one has the next turn
  bool has_value = false;
  outcome end = outcome::running;
  std::vector<double> value, error;

 private:
  static constexpr double least_growth = 1.15;  // from one moment that is kept to the next

  static constexpr double optimism = 1.5;  // of a lattice's trial, by which its change of variables is chosen
  static constexpr double least_power = 0.2, most_cubature_power = 3.0;

  error_trend trend_;
  double most_ = 0.0;         // ratio of this run
  int64 of_evaluations_ = 0;  // that value and error are of
  double foreseen_ = infinity_value();
};

}  // namespace tessera
