// Cubature as Divonne uses it: adaptive, and in parts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "../common/rules.hpp"
#include "boxes_around.hpp"
#include "chi_square.hpp"
#include "divonne.hpp"
#include "numbers.hpp"

namespace cuba {

// Adaptive cubature that can be continued.
template <class Count>
class cubature {
 public:
  cubature(const divonne_arguments<Count> &a, int rule, dropin::host_form form)
      : a_(a),
        form_(form),
        rule_points_(dropin::robust_rule_points(rule, a.ndim)),
        solver_(a.ndim, a.ncomp),
        scatter_(static_cast<std::size_t>(a.ncomp)),
        r(a.ncomp) {
    if (!solver_.solver()) return;
    const int threads = dropin::threads();
    solver_.set_int(TESSERA_RULE, rule);
    solver_.set_int(TESSERA_ESTIMATE, TESSERA_ESTIMATE_ROBUST);
    solver_.set_int(TESSERA_PRIORITY, TESSERA_PRIORITY_ALL);
    solver_.set_int(TESSERA_SELECTION, threads > 1 ? TESSERA_SELECT_BULK : TESSERA_SELECT_WORST_FIRST);
    solver_.set_int(TESSERA_THREADS, threads);
    solver_.set_int(TESSERA_BATCH_POINTS, points_at_once(a));
    solver_.set_int(TESSERA_KEEP_REGIONS, 1);
    solver_.set_real(TESSERA_PROGRESS_SECONDS, 0.0);
  }

  // Goes on to `maxeval` evaluations in all. strictness: part of the tolerances.
  void run(int64 mineval, int64 maxeval, double strictness) {
    tessera_solver *s = solver_.solver();
    if (!s) return;
    if (!go_on(s)) return;
    solver_.set_int(TESSERA_MINEVAL, std::max<int64>(mineval, 0));
    solver_.set_int(TESSERA_MAXEVAL, maxeval);
    solver_.set_real(TESSERA_ABSTOL, strictness * tolerance(a_.epsabs, least_epsabs));
    solver_.set_real(TESSERA_RELTOL, strictness * tolerance(a_.epsrel, 0.0));
    tessera_set_progress(s, step, this);
    r.end = dropin::run(solver_, a_.routine, form_, r.value.data(), r.error.data());
    tessera_set_progress(s, nullptr, nullptr);
    tessera_get_int(s, TESSERA_CALLBACK_STATUS, &r.callback_status);
    tessera_get_int(s, TESSERA_REGIONS, &r.regions);
    if (r.end.status >= 0) step(r.end.evaluations, a_.ncomp, r.value.data(), r.error.data(), 0, this);  // the last one
    for (std::size_t k = 0; k < scatter_.size(); ++k)
      r.prob[k] = steps_ > 1 ? chi_square_probability(scatter_[k].chi_square(), static_cast<double>(steps_ - 1))
                             : no_probability;
    int64 count = 0;
    can_go_on_ = tessera_get_regions(s, 0, 0, nullptr, &count) == TESSERA_OK && count > 0;
    restored_ = {};
  }
  bool can_go_on() const { return can_go_on_; }

  // The first regions have these points in the middle, as far as a part of maxeval allows.
  void begin_around(const std::vector<double> &points) {
    const int64 most = std::min<int64>(a_.maxeval / (first_share * rule_points_), most_first);
    const std::vector<box> boxes = boxes_around(a_.ndim, points, static_cast<std::size_t>(most)).boxes();
    if (boxes.size() > 1) first_ = boxes;
  }

  // To and from a state file.
  void put(number_writer &to) const {
    put_results(to, r);
    to.put(steps_);
    to.put(added_);
    for (const scatter &x : scatter_)
      for (const double v : {x.first, x.weights, x.weighted, x.squares}) to.put(v);
    to.put_all(can_go_on_ ? regions() : restored_);
  }
  bool take(number_reader &from) {
    if (!take_results(from, r)) return false;
    steps_ = from.get_count();
    added_ = from.get_count();
    for (scatter &x : scatter_)
      for (double *v : {&x.first, &x.weights, &x.weighted, &x.squares}) *v = from.get();
    restored_ = from.get_all();
    can_go_on_ = !restored_.empty() && restored_.size() % length() == 0 &&
                 restored_.size() / length() == static_cast<std::size_t>(r.regions);
    return from.is_good() && (can_go_on_ || restored_.empty());
  }
  void forget() {
    r = results(a_.ncomp);
    can_go_on_ = false;
    steps_ = 0;
    added_ = 0;
    restored_ = {};
    std::fill(scatter_.begin(), scatter_.end(), scatter{});
  }

 private:
  static constexpr int64 first_share = 16, most_first = 4096;

  std::size_t length() const {
    return TESSERA_REGION_LENGTH(static_cast<std::size_t>(a_.ndim), static_cast<std::size_t>(a_.ncomp));
  }
  std::vector<double> regions() const {
    if (!restored_.empty()) return restored_;
    std::vector<double> records(static_cast<std::size_t>(r.regions) * length());
    tessera_get_regions(solver_.solver(), 0, r.regions, records.data(), nullptr);
    return records;
  }
  // False: a first region has ended the run.
  bool go_on(tessera_solver *s) {
    std::vector<double> records;
    if (can_go_on_) {
      records = regions();
    } else if (!first_.empty() && r.end.evaluations == 0) {
      records.resize(first_.size() * length());
      if (!evaluate_first(s, records.data())) return false;
    } else {
      return true;
    }
    tessera_set_regions(s, static_cast<int64>(records.size() / length()), records.data(), r.end.evaluations);
    return true;
  }
  // One rule in each.
  bool evaluate_first(tessera_solver *s, double *records) {
    const std::vector<double> lower(static_cast<std::size_t>(a_.ndim), 0.0), upper(lower.size(), 1.0);
    solver_.set_int(TESSERA_MINEVAL, 0);
    solver_.set_int(TESSERA_MAXEVAL, rule_points_);
    bool good = true;
    int64 evaluations = 0;
    for (std::size_t i = 0; good && i < first_.size(); ++i) {
      tessera_set_domain(s, first_[i].lower.data(), first_[i].upper.data());
      r.end = dropin::run(solver_, a_.routine, form_, r.value.data(), r.error.data());
      evaluations += r.end.evaluations;
      good = r.end.status >= 0 && r.end.status != TESSERA_CALLBACK_STOPPED && r.end.status != TESSERA_NONFINITE &&
             tessera_get_regions(s, 0, 1, records + i * length(), nullptr) == TESSERA_OK;
    }
    r.end.evaluations = evaluations;
    if (!good) {  // what there is is of one box
      tessera_get_int(s, TESSERA_CALLBACK_STATUS, &r.callback_status);
      std::fill(r.value.begin(), r.value.end(), std::numeric_limits<double>::quiet_NaN());
      std::fill(r.error.begin(), r.error.end(), unknown_error);
      if (r.end.status == TESSERA_OK) r.end.status = TESSERA_LIMIT_EVALUATIONS;
    }
    tessera_set_domain(s, lower.data(), upper.data());
    return good;
  }

  static int step(int64 evaluations, int, const double *value, const double *error, int64, void *userdata) {
    auto &self = *static_cast<cubature *>(userdata);
    if (evaluations <= self.added_) return 0;  // that one is in already
    self.added_ = evaluations;
    ++self.steps_;
    for (std::size_t k = 0; k < self.scatter_.size(); ++k) self.scatter_[k].add(value[k], error[k]);
    return 0;
  }

  const divonne_arguments<Count> &a_;
  const dropin::host_form form_;
  const int64 rule_points_;
  dropin::lease solver_;
  std::vector<box> first_;
  std::vector<double> restored_;  // regions from a file, until they have been gone on from
  std::vector<scatter> scatter_;
  bool can_go_on_ = false;
  int64 added_ = 0, steps_ = 0;

 public:
  results r;
};

}  // namespace cuba
