// The adaptive run of one component: the state machine that its weight asks for, with memory that grows as intervals do. With an oscillating weight
// an infinite range is one of stretches, each with a run of its own, gone through more than once, and the whole line is two such ranges.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "end_probes.hpp"
#include "extrapolating_run.hpp"
#include "fourier_run.hpp"
#include "plain_run.hpp"
#include "smooth_run.hpp"

namespace tessera {

class interval_memory {
 public:
  using arrays = interval_arrays<double, int>;

  void start(int capacity) {
    if (capacity_ >= capacity) return;
    const auto n = static_cast<std::size_t>(capacity);
    real_.resize(5 * n);
    order_.resize(3 * n);
    capacity_ = capacity;
  }
  // Room for one more than there are. True when the arrays have moved.
  bool grow(int used) {
    if (used < capacity_) return false;
    std::vector<double> real(2 * real_.size());
    std::vector<int> order(2 * order_.size());
    for (std::size_t a = 0; a < 5; ++a) std::copy_n(&real_[a * size()], used, &real[2 * a * size()]);
    for (std::size_t a = 0; a < 3; ++a) std::copy_n(&order_[a * size()], used, &order[2 * a * size()]);
    real_.swap(real);
    order_.swap(order);
    capacity_ *= 2;
    return true;
  }
  arrays get(bool careful) {
    double *r = real_.data();
    return {r, r + size(), r + 2 * size(), r + 3 * size(), order_.data(), careful ? r + 4 * size() : nullptr};
  }
  int *levels() { return order_.data() + size(); }
  int *doubtful() { return order_.data() + 2 * size(); }
  int64 bytes() const { return static_cast<int64>(real_.size() * 8 + order_.size() * 4); }

 private:
  std::size_t size() const { return static_cast<std::size_t>(capacity_); }
  int capacity_ = 0;
  std::vector<double> real_;
  std::vector<int> order_;
};

class component_run {
 public:
  const quadrature_request<double, int> &request() const {
    if (probes_.is_active()) return probes_.request();
    return plain_ ? plain_->request() : run_->request();
  }
  // Would stop() leave a value?
  bool can_stop() const {
    if (to_infinity_ && (passes_ == 0 || whole_)) return false;
    return fourier_ ? fourier_->stretches() > 0 : (plain_ ? plain_->size() > 0 : run_->request().count != 1);
  }
  bool ended() const { return ended_; }
  quadrature_end end() const { return end_; }
  double value() const { return value_; }
  double error() const { return error_; }
  int64 intervals() const { return std::max(most_, before_ + (plain_ ? plain_->size() : run_->size())); }
  int64 bytes() const { return memory_.bytes(); }
  // Without a weight.
  const interval_list<double, int> &list() const { return run_->list(); }
  void look_into(double u) {
    run_->look_into(u);
    ended_ = false;
  }
  // So far.
  double sum() const { return signed_value(fourier_ ? done_ : (plain_ ? plain_->sum() : run_->sum())); }
  double sum_of_errors() const {
    return fourier_ ? infinity_value() : (plain_ ? plain_->sum_of_errors() : run_->sum_of_errors());
  }
  interval<double> rule_range() const {
    return to_infinity_ ? interval<double>{side_, infinity_value()} : interval<double>{r_->lower, r_->upper};
  }
  interval<double> place() const { return run_ ? run_->selected() : range_; }
  bool mirrored() const { return to_infinity_ && mirrored_; }  // x = -u

  // points[pieces + 1]: without a weight, those between which the pieces are. All but the points must stay where they are.
  void begin(const quadrature_settings &s, const quadrature_range &r, tolerances<double> wanted, const double *points,
             int pieces) {
    s_ = &s;
    r_ = &r;
    wanted_ = wanted;
    const interval<double> range = {r.lower, r.upper};
    most_ = 0;
    to_infinity_ = s.is_oscillating() && r.is_infinite();
    if (s.weight == quadrature_weight::none) {
      begin_smooth(points, pieces);
    } else if (to_infinity_) {
      mirrored_ = is_finite(r.upper);
      whole_ = !is_finite(r.lower) && !is_finite(r.upper);
      begin_side();
    } else if (s.is_oscillating()) {
      begin_oscillating(range, wanted_);
    } else if (s.has_ends()) {
      begin_plain(plain_kind::ends, range, 0.0);
    } else {
      begin_plain(plain_kind::singularity, range, s.pole);
    }
  }

  void tell(const interval_estimate<double> *e) {
    if (plain_) {
      if (memory_.grow(plain_->size() + 2)) plain_->move_to(memory_.get(false));
      plain_->tell(e);
      if (plain_->request().count == 0) finish(plain_->end(), plain_->value(), plain_->error());
      return;
    }
    if (probes_.is_active()) {
      if (probes_.tell(e)) return;
      e = probes_.estimates();
    } else if (careful_ && probes_.begin(*run_, e)) {
      return;
    }
    if (memory_.grow(run_->size() + 2))
      run_->move_to(memory_.get(careful_), keeps_levels_ ? memory_.levels() : nullptr,
                    pieces_ > 1 ? memory_.doubtful() : nullptr);
    run_->tell(e);
    if (run_->request().count > 0) return;
    if (fourier_)
      end_stretch();
    else
      finish(run_->end(), run_->value(), run_->error());
  }
  void stop(quadrature_end why) {
    if (ended_) return;
    probes_.stop();
    if (fourier_) {
      fourier_->stop(fourier_end::stopped);
      set_result(why, fourier_->value(), fourier_->error());
    } else if (plain_) {
      plain_->stop(why);
      set_result(why, plain_->value(), plain_->error());
    } else {
      run_->stop_with_best(why);
      set_result(why, run_->value(), run_->error());
    }
    value_ = signed_value(value_);
  }

 private:
  static constexpr int least_intervals = 64, most_stretches = 2000;
  static constexpr int most_passes = 5;  // over an infinite range with an oscillating weight

  struct side_result {
    double value, error;
    quadrature_end end;
  };

  double signed_value(double v) const {
    return s_->weight == quadrature_weight::sine && (s_->omega < 0.0) != mirrored() ? -v : v;
  }
  void clear() {
    probes_.stop();
    run_.reset();
    plain_.reset();
    fourier_.reset();
    ended_ = false;
    careful_ = true;
    keeps_levels_ = false;
    pieces_ = 1;
    before_ = 0;
    done_ = 0.0;
    worst_ = quadrature_end::converged;
  }

  // Without a weight.
  void begin_smooth(const double *points, int pieces) {
    clear();
    memory_.start(std::max(least_intervals, 2 * pieces));
    pieces_ = pieces;
    keeps_levels_ = pieces > 1;
    start_careful_run(
        *s_, wanted_, points, pieces, memory_.levels(), memory_.doubtful(),
        memory_.get(true), [this](auto... how) -> auto & { return run_.emplace(how...); });
  }
  void begin_plain(plain_kind kind, interval<double> range, double pole) {
    clear();
    range_ = range;
    memory_.start(least_intervals);
    plain_.emplace(kind, range, pole, wanted_, memory_.get(false), most_intervals);
  }
  void begin_oscillating(interval<double> range, tolerances<double> wanted) {
    clear();
    begin_stretch(range, wanted);
  }
  void begin_stretch(interval<double> range, tolerances<double> wanted) {
    memory_.start(least_intervals);
    careful_ = false;
    keeps_levels_ = true;
    range_ = range;
    run_.emplace(range, std::fabs(s_->omega), memory_.levels(), wanted, memory_.get(false), most_intervals);
  }

  // ---- To infinity with an oscillating weight ---------------------------------------------------------------------------------

  // The first pass over a half-infinite range is over one stretch alone: how large the integral may be.
  void begin_side() {
    side_ = whole_ ? 0.0 : (mirrored_ ? -r_->upper : r_->lower);
    passes_ = 0;
    const fourier_run<double> first(side_, s_->omega, 1.0, 3);
    begin_oscillating(first.stretch(), {wanted_.absolute, std::max(wanted_.relative, 1e-6)});
  }
  // True when there is one more pass, with the absolute tolerance that the last one shows to be right.
  bool next_pass() {
    const double bound = wanted_.bound(value_);
    if (passes_ > 0) {
      const bool good = end_ == quadrature_end::converged && error_ <= bound;
      const bool other = absolute_ > bound || absolute_ < 0.1 * bound;
      if (good || !other || passes_ == most_passes || end_ == quadrature_end::not_finite) return false;
    } else if (end_ == quadrature_end::not_finite) {
      return false;
    }
    ++passes_;
    absolute_ = bound > 0.0 ? 0.5 * bound : 1e-12;
    clear();
    fourier_.emplace(side_, s_->omega, absolute_, most_stretches);
    begin_stretch(fourier_->stretch(), {fourier_->tolerance(), 0.0});
    return true;
  }
  void end_stretch() {
    before_ += run_->size();
    const bool good = run_->end() == quadrature_end::converged;
    if (!good) worst_ = run_->end();
    if (run_->end() == quadrature_end::not_finite) {
      before_ -= run_->size();
      fourier_->stop(fourier_end::not_finite);
      finish(quadrature_end::not_finite, fourier_->value(), fourier_->error());
      return;
    }
    done_ += run_->value();
    fourier_->tell(run_->value(), run_->error(), good);
    if (!fourier_->ended()) {
      begin_stretch(fourier_->stretch(), {fourier_->tolerance(), 0.0});
      return;
    }
    before_ -= run_->size();
    finish(end_of(fourier_->end()), fourier_->value(), fourier_->error());
  }
  quadrature_end end_of(fourier_end e) const {
    switch (e) {
      case fourier_end::converged:
        return quadrature_end::converged;
      case fourier_end::limit:
        return quadrature_end::limit;
      case fourier_end::bad_stretch:
        return worst_;
      case fourier_end::not_finite:
        return quadrature_end::not_finite;
      case fourier_end::stopped:
        return quadrature_end::stopped;
      case fourier_end::no_convergence:
        break;
    }
    return quadrature_end::no_convergence;
  }

  // ---- The end ------------------------------------------------------------------------------------------------------------------

  void set_result(quadrature_end end, double value, double error) {
    ended_ = true;
    end_ = end;
    value_ = value;
    error_ = error < 0.0 ? 0.0 : error;  // by rounding
  }
  void finish(quadrature_end end, double value, double error) {
    set_result(end, value, error);
    if (to_infinity_ && next_pass()) return;
    most_ = intervals();
    value_ = signed_value(value_);
    if (!to_infinity_ || !whole_) return;
    if (!mirrored_) {
      first_side_ = {value_, error_, end_};
      mirrored_ = true;
      begin_side();
      return;
    }
    value_ += first_side_.value;
    error_ += first_side_.error;
    if (end_ == quadrature_end::converged) end_ = first_side_.end;
  }

  const quadrature_settings *s_ = nullptr;
  const quadrature_range *r_ = nullptr;
  tolerances<double> wanted_ = {0.0, 0.0};
  interval_memory memory_;
  std::optional<extrapolating_run<double, int>> run_;
  end_probes<double, int> probes_;
  std::optional<plain_run<double, int>> plain_;
  std::optional<fourier_run<double>> fourier_;
  interval<double> range_ = {0.0, 1.0};
  int pieces_ = 1;
  bool careful_ = true, keeps_levels_ = false, ended_ = false;
  double done_ = 0.0, value_ = 0.0, error_ = 0.0;
  int64 before_ = 0, most_ = 0;  // intervals: of stretches that are done, of the side before
  quadrature_end end_ = quadrature_end::converged, worst_ = quadrature_end::converged;
  // Of an infinite range with an oscillating weight: from `side_` on in u, with x = -u where it is mirrored.
  bool to_infinity_ = false, mirrored_ = false, whole_ = false;
  int passes_ = 0;
  double side_ = 0.0, absolute_ = 0.0;
  side_result first_side_ = {0.0, 0.0, quadrature_end::converged};
};

}  // namespace tessera
