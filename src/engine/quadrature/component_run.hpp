// The adaptive run of one component: the state machine that its weight asks for, with memory that grows as intervals do. On the Fourier
// range a run is one of stretches, each with a run of its own.
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
#include "quadrature.hpp"

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
  static constexpr int most_intervals = 1 << 16;

  const quadrature_request<double, int> &request() const {
    if (probes_.is_active()) return probes_.request();
    return plain_ ? plain_->request() : run_->request();
  }
  bool has_value() const {
    return fourier_ ? fourier_->stretches() > 0 : (plain_ ? plain_->size() > 0 : run_->request().count != 1);
  }
  bool ended() const { return ended_; }
  quadrature_end end() const { return end_; }
  double value() const { return value_; }
  double error() const { return error_; }
  int64 intervals() const { return before_ + (plain_ ? plain_->size() : run_->size()); }
  int64 bytes() const { return memory_.bytes(); }
  // So far.
  double sum() const { return fourier_ ? done_ : (plain_ ? plain_->sum() : run_->sum()); }
  double sum_of_errors() const {
    return fourier_ ? infinity_value() : (plain_ ? plain_->sum_of_errors() : run_->sum_of_errors());
  }
  interval<double> range() const { return range_; }  // of the rule
  interval<double> place() const { return run_ ? run_->selected() : range_; }

  // Without a weight. points: two or more; with more than two the pieces between them.
  void begin_smooth(const std::vector<double> &points, tolerances<double> wanted, int64 least) {
    clear();
    const int pieces = static_cast<int>(points.size()) - 1;
    memory_.start(std::max(least_intervals, 2 * pieces));
    if (pieces == 1)
      run_.emplace(interval<double>{points[0], points[1]}, 0.0, nullptr, wanted, memory_.get(true), most_intervals);
    else
      run_.emplace(points.data(), pieces, memory_.levels(), memory_.doubtful(), wanted, memory_.get(true),
                   std::max(most_intervals, 2 * pieces));
    pieces_ = pieces;
    keeps_levels_ = pieces > 1;
    run_->set_least(static_cast<int>(std::min<int64>(least, most_intervals - 1)));
  }
  void begin_oscillating(interval<double> range, double omega, tolerances<double> wanted) {
    clear();
    range_ = range;
    begin_stretch(range, omega, wanted);
  }
  void begin_ends(interval<double> range, tolerances<double> wanted) {
    begin_plain(plain_kind::ends, range, 0.0, wanted);
  }
  void begin_pole(interval<double> range, double pole, tolerances<double> wanted) {
    begin_plain(plain_kind::singularity, range, pole, wanted);
  }
  // From `lower` to infinity.
  void begin_fourier(double lower, double omega, double absolute) {
    clear();
    omega_ = omega;
    fourier_.emplace(lower, omega, absolute, most_stretches);
    begin_stretch(fourier_->stretch(), omega, {fourier_->tolerance(), 0.0});
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
      finish(why, fourier_->value(), fourier_->error());
    } else if (plain_) {
      plain_->stop(why);
      finish(why, plain_->value(), plain_->error());
    } else {
      run_->stop_with_best(why);
      finish(why, run_->value(), run_->error());
    }
  }

 private:
  static constexpr int least_intervals = 64, most_stretches = 2000;

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
  void begin_plain(plain_kind kind, interval<double> range, double pole, tolerances<double> wanted) {
    clear();
    range_ = range;
    memory_.start(least_intervals);
    plain_.emplace(kind, range, pole, wanted, memory_.get(false), most_intervals);
  }
  void begin_stretch(interval<double> range, double omega, tolerances<double> wanted) {
    memory_.start(least_intervals);
    careful_ = false;
    keeps_levels_ = true;
    range_ = range;
    run_.emplace(range, std::fabs(omega), memory_.levels(), wanted, memory_.get(false), most_intervals);
  }
  void end_stretch() {
    before_ += run_->size();
    const bool good = run_->end() == quadrature_end::converged;
    if (!good) worst_ = run_->end();
    if (run_->end() == quadrature_end::not_finite) {
      fourier_->stop(fourier_end::not_finite);
      finish(quadrature_end::not_finite, fourier_->value(), fourier_->error());
      return;
    }
    done_ += run_->value();
    fourier_->tell(run_->value(), run_->error(), good);
    if (!fourier_->ended()) {
      begin_stretch(fourier_->stretch(), omega_, {fourier_->tolerance(), 0.0});
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
  void finish(quadrature_end end, double value, double error) {
    ended_ = true;
    end_ = end;
    value_ = value;
    error_ = error < 0.0 ? 0.0 : error;  // by rounding
  }

  interval_memory memory_;
  std::optional<extrapolating_run<double, int>> run_;
  end_probes<double, int> probes_;
  std::optional<plain_run<double, int>> plain_;
  std::optional<fourier_run<double>> fourier_;
  interval<double> range_ = {0.0, 1.0};
  int pieces_ = 1;
  bool careful_ = true, keeps_levels_ = false, ended_ = false;
  double omega_ = 0.0, done_ = 0.0, value_ = 0.0, error_ = 0.0;
  int64 before_ = 0;  // intervals of stretches that are done
  quadrature_end end_ = quadrature_end::converged, worst_ = quadrature_end::converged;
};

}  // namespace tessera
