// SPDX-License-Identifier: BSD-3-Clause
#include "quadrature_integral.hpp"

#include "quadrature_remark.hpp"
#include "halves.hpp"

namespace tessera {

void quadrature_integral::begin(const quadrature_settings &s, const quadrature_range &r, const domain_shape *shape,
                                void *params) {
  s_ = s;
  r_ = &r;
  shape_ = shape;
  params_ = params;
  const std::size_t nc = at(s.ncomp), pieces = at(r.count + 1);
  value_.resize(nc);
  error_.resize(nc);
  ends_.resize(nc);
  points_.resize(pieces + 2);
  exponential_value_.resize(nc);
  exponential_error_.resize(nc);
  level_.resize(nc);
  pieces_.resize(pieces);
  components_.resize(pieces * nc);
  largest_ = 0.0;
  message_.clear();
  const bool constant = r.is_infinite() && s.is_oscillating() && s.omega == 0.0;
  const bool zero = constant && s.weight == quadrature_weight::sine;
  if (constant) s_.weight = quadrature_weight::none;
  rule_.begin(s_, {r.lower, r.upper});
  steps_.begin(
      s_, r,
      {value_.data(),
       error_.data(),
       ends_.data(),
       points_.data(),
       {pieces_.data(), components_.data(), level_.data(), exponential_value_.data(), exponential_error_.data()}});
  if (zero) steps_.be_zero();
  prepare();
}

// The points that are wanted, or what is said of the end.
void quadrature_integral::prepare() {
  int n = 0;
  wanted_ = 0;
  switch (steps_.wish()) {
    case integral_wish::level:
      prepare_level();
      return;
    case integral_wish::nothing:
      say();
      return;
    case integral_wish::intervals:
      break;
  }
  if (!rule_.is_plain()) rule_.set_range(steps_.run().rule_range());
  for (int m = 0; m < steps_.missing(); ++m) {
    const interval<double> on = steps_.missing(m);
    u_[n] = on.lower;
    points_of_[m] = steps_.wants_points() ? 1 : rule_.points(on, steps_.level(), u_ + n);
    n += points_of_[m];
  }
  wanted_ = n;
}

void quadrature_integral::prepare_level() {
  const exponential_run &run = steps_.exponential();
  samples_.clear();
  exponential_sample one;
  for (int i = 0; i < run.candidates(); ++i)
    if (run.sample(i, one)) samples_.push_back(one);
  if (samples_.empty()) samples_.push_back(run.middle());
  wanted_ = static_cast<int64>(samples_.size());
}

void quadrature_integral::write(double *x, int64 ldx) {
  if (steps_.wish() == integral_wish::level) {
    for (int64 i = 0; i < wanted_; ++i) x[i] = samples_[at(i)].x;
    for (int64 i = 0; s_.complement != 0 && i < wanted_; ++i)
      x[ldx + i] = steps_.exponential().complement(samples_[at(i)]);
    return;
  }
  const range_map &map = steps_.map();
  const auto n = static_cast<int>(wanted_);
  if (map.kind == range_kind::plain && s_.complement == 0) {
    const double sign = steps_.run().mirrored() ? -1.0 : 1.0;
    for (int i = 0; i < n; ++i) x[i] = std::min(std::max(sign * u_[i], map.first), map.last);
    return;
  }
  for (int i = 0; i < n; ++i) {
    const mapped_point p = map.at(u_[i]);
    x[i] = p.x;
    jacobian_[i] = p.jacobian;
    if (s_.complement == 1) x[ldx + i] = map.complement(p);
    if (s_.complement == 2) x[ldx + i] = p.away;
  }
}

void quadrature_integral::tell(const double *f, int64 ldf) {
  steps_.statistics().evaluations += wanted_;
  if (steps_.wish() == integral_wish::level)
    tell_level(f, ldf);
  else
    tell_intervals(f, ldf);
  prepare();
}

void quadrature_integral::tell_level(const double *f, int64 ldf) {
  const int64 n = wanted_;
  for (int k = 0; k < s_.ncomp; ++k)
    for (int64 i = 0; i < n; ++i) {
      if (f[k * ldf + i] != 0.0) steps_.see_nonzero();
      if (std::isfinite(f[k * ldf + i]) || s_.zero_nonfinite) continue;
      nonfinite_ = sentence_of_nonfinite(k, f[k * ldf + i], samples_[at(i)].x);
      steps_.tell_nonfinite();
      return;
    }
  if (s_.zero_nonfinite) {
    work_.assign(f, f + (s_.ncomp - 1) * ldf + n);
    for (int64 i = 0; i < n; ++i) {
      bool hole = false;
      for (int k = 0; k < s_.ncomp; ++k) {
        double &v = work_[at(k * ldf + i)];
        if (std::isfinite(v)) continue;
        hole = true;
        v = 0.0;
      }
      steps_.statistics().zeroed += hole ? 1 : 0;
    }
    f = work_.data();
  }
  for (int k = 0; k < s_.ncomp; ++k) {
    exponential_sums sums = steps_.exponential().level_sums(k);
    for (int64 i = 0; i < n; ++i) sums.add(samples_[at(i)], f[k * ldf + i]);
    steps_.exponential().level_sums(k) = sums;
  }
  steps_.tell_level(n);
}

// One component of one interval; holes: values that are not finite and count as 0.
interval_estimate<double> quadrature_integral::estimate(interval<double> on, int level, const double *f, int first,
                                                        int n) {
  const bool mapped = steps_.map().kind != range_kind::plain;
  if (!mapped && !s_.zero_nonfinite) return rule_.estimate(on, level, f);
  double v[interval_rule::most_points] = {};
  int holes = 0;
  for (int i = 0; i < n; ++i) {
    v[i] = mapped ? weighted(f[i], jacobian_[first + i]) : f[i];
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
    steps_.statistics().zeroed += holes;
  }
  return e;
}

// False: they are told one by one.
bool quadrature_integral::tell_both_halves(const double *f) {
  if (steps_.missing() != 2 || s_.ncomp != 1 || steps_.wants_points() || !rule_.is_plain() || s_.zero_nonfinite ||
      steps_.map().kind != range_kind::plain)
    return false;
  const interval<double> halves[2] = {steps_.missing(0), steps_.missing(1)};
  interval_estimate<double> e[2];
  estimate_halves(s_.pairs, halves, f, e);
  return steps_.tell_estimate(0, 0, e[0]) && steps_.tell_estimate(1, 0, e[1]);
}

void quadrature_integral::tell_intervals(const double *f, int64 ldf) {
  if (tell_both_halves(f)) {
    steps_.tell_intervals();
    count_bytes();
    return;
  }
  int first = 0;
  for (int m = 0; m < steps_.missing(); ++m) {
    const interval<double> on = steps_.missing(m);
    const int n = points_of_[m];
    for (int k = 0; k < s_.ncomp; ++k) {
      const double *const values = f + k * ldf + first;
      const bool plain = steps_.map().kind == range_kind::plain;
      const bool finite = steps_.wants_points()
                              ? steps_.tell_point(m, k, plain ? *values : weighted(*values, jacobian_[first]))
                              : steps_.tell_estimate(m, k, estimate(on, steps_.level(), values, first, n));
      if (finite) continue;
      nonfinite_ = find_nonfinite(f, ldf, k, first, n);
      steps_.tell_nonfinite();
      return;
    }
    first += n;
  }
  steps_.tell_intervals();
  count_bytes();
}

void quadrature_integral::count_bytes() {
  int64 &bytes = steps_.statistics().bytes;
  bytes = std::max(bytes, static_cast<int64>(sizeof *this + steps_.kept().bytes()) + steps_.run().bytes());
}

std::string quadrature_integral::find_nonfinite(const double *f, int64 ldf, int k, int first, int n) {
  std::vector<double> x(at(2 * wanted_));
  write(x.data(), wanted_);
  for (int i = first; i < first + n; ++i)
    if (!std::isfinite(f[k * ldf + i])) return sentence_of_nonfinite(k, f[k * ldf + i], x[at(i)]);
  return "the weighted sum of the integrand overflows";
}

std::string quadrature_integral::sentence_of_nonfinite(int k, double value, double x) const {
  show_in_domain(shape_, params_, &x);
  return nonfinite_message(k, value, &x, 1);
}

void quadrature_integral::say() {
  integral_remark why = steps_.remark();
  if (why.kind == remark_kind::bad_point) show_in_domain(shape_, params_, &why.x);
  if (why.kind != remark_kind::nothing) message_ = why.kind == remark_kind::nonfinite ? nonfinite_ : sentence_of(why);
}

}  // namespace tessera
