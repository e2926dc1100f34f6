// Integrals with the weight (x - a)^alpha (b - x)^beta, by option times log(x - a), log(b - x) or both: modified Clenshaw-Curtis where an
// interval touches an end at which the weight is singular, else Gauss-Kronrod, as in QAWS of QUADPACK (R. Piessens and M. Branders, The
// evaluation and application of some modified moments, BIT 13, 1973; Piessens and others, 1983, section 2.2.3).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "chebyshev.hpp"
#include "kronrod.hpp"

namespace tessera {

// The integrals over [-1, 1] of (1 + x)^exponent T_k(x), with the logarithm of (1 + x) / 2 in `with_log`.
template <class Real>
struct end_moments {
  Real plain[25], with_log[25];
};

template <class Real>
TESSERA_HD void compute_end_moments(Real exponent, bool with_log, end_moments<Real> &m) {
  const Real e1 = exponent + Real(1), e2 = exponent + Real(2), power = pow(Real(2), e1);
  m.plain[0] = power / e1;
  m.plain[1] = m.plain[0] * exponent / e2;
  for (int i = 2; i < 25; ++i) {
    const Real n = Real(i), before = Real(i - 1);
    m.plain[i] = -(power + n * (n - e2) * m.plain[i - 1]) / (before * (n + e1));
  }
  if (!with_log) return;
  m.with_log[0] = -m.plain[0] / e1;
  m.with_log[1] = -(power + power) / (e2 * e2) - m.with_log[0];
  for (int i = 2; i < 25; ++i) {
    const Real n = Real(i), before = Real(i - 1);
    m.with_log[i] =
        -(n * (n - e2) * m.with_log[i - 1] - n * m.plain[i - 1] + before * m.plain[i]) / (before * (n + e1));
  }
}

// Those of (1 - x)^exponent.
template <class Real>
TESSERA_HD void mirror(end_moments<Real> &m, bool with_log) {
  for (int i = 1; i < 25; i += 2) {
    m.plain[i] = -m.plain[i];
    if (with_log) m.with_log[i] = -m.with_log[i];
  }
}

// QUADPACK's sum of degree 24 with log(x - a) alone takes the coefficients below 12 from the series of degree 12. That costs digits where the
// two differ, and decides how often intervals are divided.
enum class log_sums { exact, as_published };

template <class Real>
class end_rule {
 public:
  TESSERA_HD end_rule(const kronrod_pair<Real, 7> &pair, const cosine_table<Real> &cosine, interval<Real> range,
                      Real alpha, Real beta, bool lower_log, bool upper_log, log_sums sums)
      : pair_(pair),
        cosine_(cosine),
        range_(range),
        alpha_(alpha),
        beta_(beta),
        lower_log_(lower_log),
        upper_log_(upper_log),
        mixed_(sums == log_sums::as_published && lower_log && !upper_log) {
    compute_end_moments(alpha, lower_log, lower_);
    compute_end_moments(beta, upper_log, upper_);
    mirror(upper_, upper_log);
  }

  template <class Function>
  TESSERA_HD interval_estimate<Real> apply(interval<Real> on, Function &&f) const {
    if (on.lower == range_.lower && (alpha_ != Real(0) || lower_log_))
      return at_end(on, f, range_.upper - Real(0.5) * (on.upper + on.lower), Real(-1), alpha_, beta_, lower_log_,
                    upper_log_, lower_);
    if (on.upper == range_.upper && (beta_ != Real(0) || upper_log_))
      return at_end(on, f, Real(0.5) * (on.upper + on.lower) - range_.lower, Real(1), beta_, alpha_, upper_log_,
                    lower_log_, upper_);
    return apply_weighted_kronrod(
        pair_, on,
        [this](Real x) {
          const Real below = x - range_.lower, above = range_.upper - x;
          Real w = pow(below, alpha_) * pow(above, beta_);
          if (lower_log_) w *= log(below);
          if (upper_log_) w *= log(above);
          return w;
        },
        f);
  }

 private:
  // The singular factor is in the moments; the other one, of `other_end` + direction times the distance, is taken with the function.
  template <class Function>
  TESSERA_HD interval_estimate<Real> at_end(interval<Real> on, Function &&f, Real other_end, Real direction,
                                            Real exponent, Real other_exponent, bool with_log, bool other_log,
                                            const end_moments<Real> &moments) const {
    const chebyshev_points<Real> points(cosine_, on);
    Real value[25];
    points.evaluate(
        f,
        [&](Real v, Real distance) {
          const Real away = other_end + direction * distance;
          const Real product = v * pow(away, other_exponent);
          return other_log ? product * log(away) : product;
        },
        value);
    chebyshev_series<Real> series;
    expand(cosine_, value, series);
    const Real scale = pow(points.half(), exponent + Real(1));
    two_values<Real> sum = integrate(series, moments.plain);
    Real result = 0, error = 0;
    if (with_log) {
      const Real length = log(on.upper - on.lower);
      result = sum.high * length;
      error = fabs((sum.high - sum.low) * length);
      sum = integrate(series, moments.with_log);
      if (mixed_) {
        sum.high = sum.low;
        for (int k = 12; k < 25; ++k) sum.high += series.high[k] * moments.with_log[k];
      }
    }
    return {(result + sum.high) * scale, (error + sum.difference()) * scale, Real(0), Real(0)};
  }

  const kronrod_pair<Real, 7> &pair_;
  const cosine_table<Real> &cosine_;
  const interval<Real> range_;
  const Real alpha_, beta_;
  const bool lower_log_, upper_log_, mixed_;
  end_moments<Real> lower_, upper_;
};

}  // namespace tessera
