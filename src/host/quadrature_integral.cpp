// SPDX-License-Identifier: BSD-3-Clause
#include "quadrature_integral.hpp"

#include "../shown_point.hpp"
#include "halves.hpp"

namespace tessera {
namespace {

constexpr int most_passes = 5;          // over an infinite range with an oscillating weight
constexpr int most_passes_of_pair = 8;  // of a complex value
constexpr double loosest = 1e300;       // absolute tolerance that everything meets
constexpr double equal_share = 0.7071;  // of the tolerance of a complex value, for each of its parts

}  // namespace

void quadrature_integral::begin(const quadrature_settings &s, const quadrature_range &r, const domain_shape *shape) {
  s_ = s;
  r_ = &r;
  shape_ = shape;
  value_.assign(at(s_.ncomp), 0.0);
  error_.assign(at(s_.ncomp), infinity_value());
  ends_.assign(at(s_.ncomp), outcome::running);
  end_ = outcome::running;
  has_value_ = in_exponential_ = tried_adaptive_ = tried_exponential_ = false;
  zero_ = true;
  largest_ = 0.0;
  saved_ = {};
  message_.clear();
  statistics_ = {};
  wanted_ = 0;
  const bool infinite = !is_finite(r.lower) || !is_finite(r.upper);
  if (infinite && s_.is_oscillating() && s_.omega == 0.0) {
    if (s_.weight == quadrature_weight::sine) {
      error_.assign(at(s_.ncomp), 0.0);
      has_value_ = true;
      finish(outcome::converged);
      return;
    }
    s_.weight = quadrature_weight::none;
  }
  fourier_ = infinite && s_.is_oscillating();
  set_map(infinite);
  if (s_.weight == quadrature_weight::none &&
      (s_.rule == quadrature_rule::double_exponential || (s_.rule == quadrature_rule::automatic && s_.complement != 0)))
    begin_exponential();
  else
    begin_adaptive();
}

// Coordinate, pieces, and what the rule knows of the range.
void quadrature_integral::set_map(bool infinite) {
  const quadrature_range &r = *r_;
  map_ = {range_kind::plain, r.lower, r.upper, r.first, r.last, 0.0};
  points_.clear();
  if (infinite && !fourier_) {
    map_.kind = is_finite(r.lower) ? range_kind::up : (is_finite(r.upper) ? range_kind::down : range_kind::whole);
    if (map_.kind == range_kind::whole && !r.breaks.empty()) map_.centre = r.breaks[r.breaks.size() / 2];
    points_ = {-1.0, 0.0, 1.0};
  } else if (s_.weight == quadrature_weight::none && (s_.complement != 0 || r.is_huge())) {
    map_.kind = range_kind::folded;
    const double half = 0.5 * r.upper - 0.5 * r.lower;
    points_ = {-half, 0.0, half};
  } else {
    points_ = {r.lower, r.upper};
  }
  for (const double b : r.breaks) points_.push_back(map_.coordinate(b));
  std::sort(points_.begin(), points_.end());
  points_.erase(std::unique(points_.begin(), points_.end()), points_.end());
}

void quadrature_integral::begin_adaptive() {
  tried_adaptive_ = true;
  keeps_ = s_.ncomp > 1 || fourier_;
  kept_.clear();
  estimates_.clear();
  rule_.begin(s_, {r_->lower, r_->upper});
  component_ = 0;
  if (s_.complex_values) begin_pair();
  begin_component();
  advance();
}

// How large a complex value is, and so what its parts are to be integrated to, is not known before both have been. A first pass takes hardly more
// than their first estimates; a later one is made anew, from the intervals that there are, with what the one before has shown.
void quadrature_integral::begin_pair() {
  absolute_of_pair_ = loosest;
  passes_of_pair_ = 0;
  message_before_ = message_;
}

// Behind the imaginary part: is there to be one more pass?
bool quadrature_integral::next_pass_of_pair() {
  const int im = component_, re = im - 1;
  const double bound = equal_share * larger(s_.abstol, modulus(s_.reltol * value_[at(re)], s_.reltol * value_[at(im)]));
  if (!(bound < infinity_value()) || passes_of_pair_ == most_passes_of_pair) return false;
  if (passes_of_pair_ > 0) {
    const bool good = ends_[at(re)] == outcome::converged && ends_[at(im)] == outcome::converged && met(re) && met(im);
    if (good || (absolute_of_pair_ <= bound && absolute_of_pair_ >= 0.1 * bound)) return false;
  }
  ++passes_of_pair_;
  absolute_of_pair_ = 0.9 * bound;
  message_ = message_before_;
  return true;
}

tolerances<double> quadrature_integral::wanted_of_run() const {
  if (!s_.complex_values) return {s_.abstol, s_.reltol};
  return {absolute_of_pair_, equal_share * s_.reltol};
}

void quadrature_integral::begin_component() {
  const tolerances<double> wanted = wanted_of_run();
  const interval<double> range = {r_->lower, r_->upper};
  if (fourier_) {
    mirrored_ = is_finite(r_->upper);
    whole_ = !is_finite(r_->lower) && !is_finite(r_->upper);
    begin_side();
  } else if (s_.is_oscillating()) {
    run_.begin_oscillating(range, s_.omega, wanted);
  } else if (s_.has_ends()) {
    run_.begin_ends(range, wanted);
  } else if (s_.weight == quadrature_weight::pole) {
    run_.begin_pole(range, s_.pole, wanted);
  } else {
    run_.begin_smooth(points_, wanted, s_.mineval / (2 * s_.pairs + 1) / 2 + 2);
  }
}

// The first pass over a half-infinite range is over one stretch alone: how large the integral may be.
void quadrature_integral::begin_side() {
  const double lower = whole_ ? 0.0 : (mirrored_ ? -r_->upper : r_->lower);
  rule_.begin(s_, {lower, infinity_value()});
  passes_ = 0;
  const fourier_run<double> first(lower, s_.omega, 1.0, 3);
  const tolerances<double> wanted = wanted_of_run();
  run_.begin_oscillating(first.stretch(), s_.omega, {wanted.absolute, std::max(wanted.relative, 1e-6)});
}

// True when there is one more pass, with the absolute tolerance that the last one shows to be right.
bool quadrature_integral::next_pass() {
  const double lower = whole_ ? 0.0 : (mirrored_ ? -r_->upper : r_->lower);
  const double bound = wanted_of_run().bound(run_.value());
  if (passes_ > 0) {
    const bool good = run_.end() == quadrature_end::converged && run_.error() <= bound;
    const bool other = absolute_ > bound || absolute_ < 0.1 * bound;
    if (good || !other || passes_ == most_passes || run_.end() == quadrature_end::not_finite) return false;
  } else if (run_.end() == quadrature_end::not_finite) {
    return false;
  }
  ++passes_;
  absolute_ = bound > 0.0 ? 0.5 * bound : 1e-12;
  run_.begin_fourier(lower, s_.omega, absolute_);
  return true;
}

// Until points are wanted, or the end.
void quadrature_integral::advance() {
  while (end_ == outcome::running && !in_exponential_) {
    if (run_.ended())
      end_component();
    else if (ask())
      return;
  }
}

quadrature_integral::bits_of_interval quadrature_integral::key(interval<double> on) const {
  if (run_.request().points) return {bits_of(on.lower), ~bits_of(on.upper)};
  const uint64 side = fourier_ && mirrored_ ? uint64{1} << 63 : 0;  // u is positive where there are two sides
  return {bits_of(on.lower) ^ side, bits_of(on.upper)};
}

// False: all that the run has asked for is known, and has been told.
bool quadrature_integral::ask() {
  const quadrature_request<double, int> &q = run_.request();
  interval_estimate<double> e[2];
  missing_count_ = 0;
  for (int i = 0; i < q.count; ++i) {
    if (keeps_) {
      const auto found = kept_.find(key(q.part[i]));
      if (found != kept_.end()) {
        e[i] = estimates_[found->second * at(s_.ncomp) + at(component_)];
        continue;
      }
    }
    missing_[missing_count_++] = i;
  }
  if (missing_count_ == 0) {
    run_.tell(e);
    return false;
  }
  int n = 0;
  for (int m = 0; m < missing_count_; ++m) {
    const interval<double> on = q.part[missing_[m]];
    u_[n] = on.lower;
    points_of_[m] = q.points ? 1 : rule_.points(on, q.level, u_ + n);
    n += points_of_[m];
  }
  wanted_ = n;
  return true;
}

void quadrature_integral::write(double *x, int64 ldx) {
  if (in_exponential_) {
    if (s_.complement == 0) away_.resize(static_cast<std::size_t>(wanted_));
    double *const away = s_.complement == 0 ? away_.data() : x + ldx;
    exponential_.write(x, away);
    if (s_.complement == 1)
      for (int64 i = 0; i < wanted_; ++i) away[i] = away[i] >= 0.0 ? away[i] : r_->upper - x[i];
    return;
  }
  const auto n = static_cast<int>(wanted_);
  if (map_.kind == range_kind::plain && s_.complement == 0) {
    const double sign = fourier_ && mirrored_ ? -1.0 : 1.0;
    for (int i = 0; i < n; ++i) x[i] = std::min(std::max(sign * u_[i], map_.first), map_.last);
    return;
  }
  for (int i = 0; i < n; ++i) {
    const mapped_point p = map_.at(u_[i]);
    x[i] = p.x;
    jacobian_[i] = p.jacobian;
    if (s_.complement == 1) x[ldx + i] = map_.complement(p);
    if (s_.complement == 2) x[ldx + i] = p.away;
  }
}

void quadrature_integral::tell(const double *f, int64 ldf) {
  statistics_.evaluations += wanted_;
  ++statistics_.steps;
  if (!in_exponential_) {
    tell_intervals(f, ldf);
    advance();
    return;
  }
  const int64 n = wanted_;
  for (int k = 0; k < s_.ncomp; ++k)
    for (int64 i = 0; i < n; ++i) {
      if (f[k * ldf + i] != 0.0) zero_ = false;
      if (std::isfinite(f[k * ldf + i]) || s_.zero_nonfinite) continue;
      exponential_.stop();
      std::vector<double> x(static_cast<std::size_t>(2 * n));
      write(x.data(), n);
      show_in_domain(shape_, &x[static_cast<std::size_t>(i)]);
      message_ = nonfinite_message(k, f[k * ldf + i], &x[static_cast<std::size_t>(i)], 1);
      end_exponential(outcome::nonfinite);
      return;
    }
  if (s_.zero_nonfinite) {
    work_.assign(f, f + (s_.ncomp - 1) * ldf + n);
    for (int64 i = 0; i < n; ++i) {
      bool hole = false;
      for (int k = 0; k < s_.ncomp; ++k) {
        double &v = work_[static_cast<std::size_t>(k * ldf + i)];
        if (std::isfinite(v)) continue;
        hole = true;
        v = 0.0;
      }
      statistics_.zeroed += hole ? 1 : 0;
    }
    f = work_.data();
  }
  exponential_.tell(f, ldf);
  wanted_ = exponential_.points();
  if (exponential_.ended()) end_exponential(exponential_.converged() ? outcome::converged : outcome::slow);
}

// The value of a point, if there is one: where it is not, the intervals around it decide.
interval_estimate<double> quadrature_integral::estimate_of_point(double f, int i) {
  const double value = map_.kind == range_kind::plain || f == 0.0 ? f : f * jacobian_[i];
  if (value != 0.0) zero_ = false;
  interval_estimate<double> e = {value, 0.0, 0.0, 0.0};
  if (std::isfinite(value)) return e;
  e.value = 0.0;
  e.rough = true;
  return e;
}

// One component of one interval; holes: values that are not finite and count as 0.
interval_estimate<double> quadrature_integral::estimate(interval<double> on, int level, const double *f, int first,
                                                        int n) {
  const bool mapped = map_.kind != range_kind::plain;
  if (!mapped && !s_.zero_nonfinite) {
    const interval_estimate<double> plain = rule_.estimate(on, level, f);
    see(plain);
    return plain;
  }
  double v[interval_rule::most_points] = {};
  int holes = 0;
  for (int i = 0; i < n; ++i) {
    v[i] = mapped ? (f[i] == 0.0 ? 0.0 : f[i] * jacobian_[first + i]) : f[i];
    if (s_.zero_nonfinite && !std::isfinite(v[i])) {
      v[i] = 0.0;
      ++holes;
    }
  }
  interval_estimate<double> e = rule_.estimate(on, level, v);
  for (int i = 0; s_.zero_nonfinite && i < n; ++i) largest_ = std::max(largest_, std::fabs(v[i]));
  if (holes > 0) {  // what may be there is no less than the largest value so far
    e.rough = true;
    e.error = std::max({e.error, e.spread, largest_ * (on.upper - on.lower) * holes / n});
    statistics_.zeroed += holes;
  }
  see(e);
  return e;
}

void quadrature_integral::tell_intervals(const double *f, int64 ldf) {
  const quadrature_request<double, int> &q = run_.request();
  interval_estimate<double> e[2];
  int first = 0;
  const bool together = missing_count_ == 2 && s_.ncomp == 1 && !q.points && rule_.is_plain() && !s_.zero_nonfinite &&
                        map_.kind == range_kind::plain;
  if (together) {
    estimate_halves(s_.pairs, q.part, f, e);
    if (is_finite(e[0]) && is_finite(e[0].size) && is_finite(e[1]) && is_finite(e[1].size)) {
      see(e[0]);
      see(e[1]);
      return tell_run(e);
    }
  }
  for (int m = 0; m < missing_count_; ++m) {
    const interval<double> on = q.part[missing_[m]];
    const int n = points_of_[m];
    if (keeps_) kept_.emplace(key(on), estimates_.size() / at(s_.ncomp));
    for (int k = 0; k < s_.ncomp; ++k) {
      const double *const values = f + k * ldf + first;
      const interval_estimate<double> one =
          q.points ? estimate_of_point(*values, first) : estimate(on, q.level, values, first, n);
      if (!is_finite(one) || !is_finite(one.size)) {
        find_nonfinite(f, ldf, k, first, n);
        stop(outcome::nonfinite);
        return;
      }
      if (keeps_) estimates_.push_back(one);
      if (k == component_) e[missing_[m]] = one;
    }
    first += n;
  }
  for (int i = 0; keeps_ && i < q.count; ++i)
    e[i] = estimates_[kept_.find(key(q.part[i]))->second * at(s_.ncomp) + at(component_)];
  tell_run(e);
}

void quadrature_integral::tell_run(const interval_estimate<double> *e) {
  wanted_ = 0;
  run_.tell(e);
  count_bytes();
}

void quadrature_integral::count_bytes() {
  const auto kept = estimates_.capacity() * sizeof(interval_estimate<double>) + kept_.size() * 64;
  statistics_.bytes = std::max(statistics_.bytes, static_cast<int64>(sizeof *this + kept) + run_.bytes());
}

void quadrature_integral::find_nonfinite(const double *f, int64 ldf, int k, int first, int n) {
  std::vector<double> x(static_cast<std::size_t>(2 * wanted_));
  write(x.data(), wanted_);
  message_ = "the weighted sum of the integrand overflows";
  for (int i = first; i < first + n; ++i)
    if (!std::isfinite(f[k * ldf + i])) {
      show_in_domain(shape_, &x[static_cast<std::size_t>(i)]);
      message_ = nonfinite_message(k, f[k * ldf + i], &x[static_cast<std::size_t>(i)], 1);
      break;
    }
  // An interval whose estimates are not complete is not kept.
  if (!keeps_) return;
  estimates_.resize(estimates_.size() / at(s_.ncomp) * at(s_.ncomp));
  for (auto i = kept_.begin(); i != kept_.end();)
    i = i->second >= estimates_.size() / at(s_.ncomp) ? kept_.erase(i) : std::next(i);
}

outcome quadrature_integral::outcome_of(quadrature_end e) {
  switch (e) {
    case quadrature_end::converged:
      return outcome::converged;
    case quadrature_end::limit:
      message_ = std::to_string(component_run::most_intervals) + " intervals are not enough for the tolerance";
      return outcome::evaluations;
    case quadrature_end::bad_point: {
      const interval<double> p = run_.place();
      double x = map_.kind == range_kind::plain ? 0.5 * (p.lower + p.upper) : map_.at(0.5 * (p.lower + p.upper)).x;
      show_in_domain(shape_, &x);
      message_ =
          "the intervals at x = " + shown_number(fourier_ && mirrored_ ? -x : x) +
          " cannot be divided any further; a singularity there needs a break point, a weight or TESSERA_COMPLEMENT";
      return outcome::roundoff;
    }
    case quadrature_end::roundoff:
      return outcome::roundoff;
    case quadrature_end::no_convergence:
      return outcome::slow;
    case quadrature_end::divergent:
      return outcome::divergent;
    case quadrature_end::not_finite:
      message_ = "the sums of the integrand overflow";
      return outcome::nonfinite;
    case quadrature_end::stopped:
      break;
  }
  return outcome::stopped;
}

void quadrature_integral::end_component() {
  if (fourier_ && next_pass()) return;
  statistics_.intervals = std::max(statistics_.intervals, run_.intervals());
  double value = run_.value(), error = run_.error();
  outcome end = outcome_of(run_.end());
  if (s_.weight == quadrature_weight::sine && (s_.omega < 0.0) != (fourier_ && mirrored_)) value = -value;
  if (fourier_ && whole_) {
    if (!mirrored_) {
      first_side_ = {value, error, end};
      mirrored_ = true;
      begin_side();
      return;
    }
    value += first_side_.value;
    error += first_side_.error;
    if (end == outcome::converged) end = first_side_.end;
  }
  value_[at(component_)] = value;
  error_[at(component_)] = error;
  ends_[at(component_)] = end;
  const bool has_parts = s_.complex_values, is_first = has_parts && component_ % 2 == 0;
  if (has_parts && !is_first && next_pass_of_pair()) {
    --component_;
    begin_component();
    return;
  }
  for (int k = component_ - (has_parts ? 1 : 0); !is_first && k <= component_; ++k)
    if (ends_[at(k)] == outcome::converged && !met(k)) ends_[at(k)] = outcome::slow;
  if (++component_ < s_.ncomp) {
    if (has_parts && !is_first) begin_pair();
    begin_component();
    return;
  }
  has_value_ = true;
  conclude_adaptive();
}

}  // namespace tessera
