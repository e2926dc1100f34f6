// The loops of the fast component-by-component construction, one body for an element or a range of a ring.
//
// The points k of a rule, without the few that are their own negatives, fall into rings: k = g^i times a unit, up to the sign,
// i = 0 .. length-1. A prime n has one ring, g a primitive root and length (n-1)/2; n = 2^m has one for each 2^t, t = 2..m, made
// of the odd multiples of 2^(m-t), with g = 5 and length 2^(t-2). With z = g^a the kernel at kz/n depends on i + a alone, so that
// sums over a ring for all z are a cyclic correlation (Nuyens and Cools, Math. Comp. 75 (2006) 903-920).
//
// Bodies are plain data with an operator: every executor can run them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/korobov_kernel.hpp"
#include "../../core/number.hpp"

namespace tessera {

// The kernel around the ring, twice in a row so that i + a needs no modulo. `table` holds the kernel at j/points for
// j = 0 .. points/2, or is null for a Korobov kernel of smoothness alpha.
template <class Real>
struct fill_kernel {
  Real *psi;
  int64 length;
  uint64 generator, modulus;
  int alpha;
  const double *table;
  uint64 table_step;  // points / modulus

  TESSERA_HD void operator()(int64 begin, int64 end) const {
    uint64 k = power_mod(generator, static_cast<uint64>(begin), modulus);
    for (int64 i = begin; i < end; ++i) {
      const uint64 folded = k > modulus - k ? modulus - k : k;
      const Real v = static_cast<Real>(table ? table[folded * table_step] : korobov_kernel(alpha, k, modulus));
      psi[i] = v;
      psi[length + i] = v;
      k = k * generator % modulus;
    }
  }
};

template <class Real>
struct fill_constant {
  Real *to;
  Real value;
  TESSERA_HD void operator()(int64 i) const { to[i] = value; }
};

// Spectra: pairs of real and imaginary parts, aligned so that a pair is read at once.
template <class Real>
struct alignas(2 * sizeof(Real)) spectrum_pair {
  Real re, im;
};

template <class Real>
spectrum_pair<Real> *spectrum_pairs(Real *v) {
  return reinterpret_cast<spectrum_pair<Real> *>(v);
}
template <class Real>
const spectrum_pair<Real> *spectrum_pairs(const Real *v) {
  return reinterpret_cast<const spectrum_pair<Real> *>(v);
}

// `psi` is scaled by one over the length.
template <class Real>
struct scale_spectrum {
  spectrum_pair<Real> *v;
  Real factor;
  TESSERA_HD void operator()(int64 i) const {
    const spectrum_pair<Real> a = v[i];
    v[i] = {a.re * factor, a.im * factor};
  }
};

// exp(-2 pi i k/n), k = 0 .. n/2; `step` is 2/n.
template <class Real>
TESSERA_HD spectrum_pair<Real> unit_root(int64 k, double step) {
  const double angle = static_cast<double>(k) * step;
  spectrum_pair<Real> r;
#ifdef __CUDA_ARCH__
  sincospi(static_cast<Real>(angle), &r.im, &r.re);
#else
  const double pi = 3.14159265358979323846;
  r.im = static_cast<Real>(std::sin(pi * angle));
  r.re = static_cast<Real>(std::cos(pi * angle));
#endif
  r.im = -r.im;
  return r;
}

// A real sequence of even length 2h, read as h pairs of neighbours, has the spectrum w[k] = (even + root odd)/2 with
// even = z[k] + conj z[h-k] and odd = -i (z[k] - conj z[h-k]), where z is the spectrum of the pairs.
template <class Real>
struct packed_pair {
  spectrum_pair<Real> low, high;  // at k and h-k

  TESSERA_HD packed_pair unpacked(spectrum_pair<Real> root) const {
    const Real er = low.re + high.re, ei = low.im - high.im, dr = low.im + high.im, di = high.re - low.re;
    const Real tr = root.re * dr - root.im * di, ti = root.re * di + root.im * dr, half = Real{0.5};
    return {{half * (er + tr), half * (ei + ti)}, {half * (er - tr), half * (ti - ei)}};
  }
  // The way back, from w to z.
  TESSERA_HD packed_pair packed(spectrum_pair<Real> root) const {
    const Real er = low.re + high.re, ei = low.im - high.im, dr = low.re - high.re, di = low.im + high.im;
    const Real tr = root.re * dr + root.im * di, ti = root.re * di - root.im * dr, half = Real{0.5};
    return {{half * (er - ti), half * (ei + tr)}, {half * (er + ti), half * (tr - ei)}};
  }
};

// z[0 .. h-1] to the spectrum z[0 .. h] times a factor, for k = 0 .. h/2.
template <class Real>
struct unpack_spectrum {
  spectrum_pair<Real> *z;
  int64 half;  // h
  double step;
  Real factor;
  TESSERA_HD void operator()(int64 k) const {
    const packed_pair<Real> w = packed_pair<Real>{z[k], z[k > 0 ? half - k : 0]}.unpacked(unit_root<Real>(k, step));
    z[half - k] = {w.high.re * factor, w.high.im * factor};
    z[k] = {w.low.re * factor, w.low.im * factor};
  }
};

// v = conj(v) psi
template <class Real>
TESSERA_HD spectrum_pair<Real> conjugate_product(spectrum_pair<Real> a, spectrum_pair<Real> b) {
  return {a.re * b.re + a.im * b.im, a.re * b.im - a.im * b.re};
}

template <class Real>
struct correlate {
  spectrum_pair<Real> *v;
  const spectrum_pair<Real> *psi;
  TESSERA_HD void operator()(int64 i) const { v[i] = conjugate_product(v[i], psi[i]); }
};

// The same with z in place of v, for k = 0 .. h/2. The backward transform of h pairs is half of that of 2h numbers: hence 2.
template <class Real>
struct correlate_packed {
  spectrum_pair<Real> *z;
  const spectrum_pair<Real> *psi;
  int64 half;
  double step;
  TESSERA_HD void operator()(int64 k) const {
    const int64 partner = k > 0 ? half - k : 0;
    const spectrum_pair<Real> root = unit_root<Real>(k, step);
    const packed_pair<Real> w = packed_pair<Real>{z[k], z[partner]}.unpacked(root);
    const packed_pair<Real> c = {conjugate_product(w.low, psi[k]), conjugate_product(w.high, psi[half - k])};
    const packed_pair<Real> y = c.packed(root);
    z[partner] = {Real{2} * y.high.re, Real{2} * y.high.im};
    z[k] = {Real{2} * y.low.re, Real{2} * y.low.im};
  }
};

// Bodies that add up have operator()(i, s), and say in `folds` how many sums they have, at most three, and in `compensated` how many
// of these, the first ones, must be right to the last digit; the others serve estimates.
template <class Real>
struct square_of {
  static constexpr int folds = 2, compensated = 1;
  const Real *v;
  TESSERA_HD void operator()(int64 i, double *s) const {
    s[0] += static_cast<double>(v[i]);
    s[1] += static_cast<double>(v[i]) * static_cast<double>(v[i]);
  }
};

// Weights are stored as differences from a number near their mean, which would cost the FFT digits.

// Terms of a ring's sums for three z: weights times the kernel.
constexpr int ring_terms_at_once = 3;
template <class Real>
struct ring_terms {
  static constexpr int folds = ring_terms_at_once, compensated = ring_terms_at_once;
  const Real *weights;
  const Real *psi[ring_terms_at_once];  // from index a on
  double mean;
  TESSERA_HD void operator()(int64 i, double *s) const {
    const double w = mean + static_cast<double>(weights[i]);
    for (int c = 0; c < ring_terms_at_once; ++c) s[c] += w * static_cast<double>(psi[c][i]);
  }
};

// Product weights: P *= 1 + gamma psi. Adds up the terms of before, and the squares of the new differences.
template <class Real>
struct multiply_product {
  static constexpr int folds = 2, compensated = 1;
  Real *weights;
  const Real *psi;
  double gamma, mean, next_mean;
  TESSERA_HD void operator()(int64 i, double *s) const {
    const double w = mean + static_cast<double>(weights[i]), term = w * static_cast<double>(psi[i]);
    const Real left = static_cast<Real>((w + gamma * term) - next_mean);
    weights[i] = left;
    s[0] += term;
    s[1] += static_cast<double>(left) * static_cast<double>(left);
  }
};

// Order-dependent and POD weights. q[(l-1)*length + i] is the sum over the sets of l of the components so far of the products of
// gamma_j psi_j; the weights of the next component are sum over l of order_l q_(l-1), with q_0 = 1. Adds up the
// terms of before, the squares of the new differences, and the differences.
template <class Real>
struct advance_orders {
  static constexpr int folds = 3, compensated = 1;
  Real *q;
  Real *weights;
  const Real *psi;
  const double *order;  // of sets of 1, 2, ... components
  int64 length;
  int orders;
  Real gamma;
  double mean;
  TESSERA_HD void operator()(int64 i, double *s) const {
    s[0] += (mean + static_cast<double>(weights[i])) * static_cast<double>(psi[i]);
    const Real factor = gamma * psi[i];
    double w = order[0];
    Real below = Real{1};
    for (int l = 0; l < orders; ++l) {
      const Real old = q[l * length + i];
      const Real now = old + factor * below;
      q[l * length + i] = now;
      below = old;
      if (l + 1 < orders) w += order[l + 1] * static_cast<double>(now);
    }
    const Real left = static_cast<Real>(w - mean);
    weights[i] = left;
    s[1] += static_cast<double>(left) * static_cast<double>(left);
    s[2] += static_cast<double>(left);
  }
};
template <class Real>
struct subtract_constant {
  Real *v;
  Real constant;
  TESSERA_HD void operator()(int64 i) const { v[i] -= constant; }
};

// The figure of a candidate at one level. Sums over the rings come from small to large; what a level says about a is what all
// smaller ones say about a modulo their length. Adds up the squares of the correlation. first: begins with the sum at the fixed points.
template <class Real>
struct add_level {
  static constexpr int folds = 1, compensated = 1;
  const Real *ring;     // correlation of this level's ring
  const double *below;  // sums of the smaller ones, of length `below_length`, null: `fixed` alone
  double *sums;
  const double *worst_below;  // greatest ratio so far, null: none
  double *worst;
  int64 below_length;
  double fixed;     // sum at the points that are their own negatives
  double constant;  // what all of this level's sums lack
  double multiplicity;
  double offset, factor;  // ratio = offset + factor * sum, not looked at when `counts` is false
  bool counts;
  TESSERA_HD void operator()(int64 a, double *squares) const {
    const int64 j = below ? a & (below_length - 1) : 0;
    const double s = (below ? below[j] : fixed) + multiplicity * static_cast<double>(ring[a]) + constant;
    sums[a] = s;
    const double before = worst_below ? worst_below[j] : -infinity_value();
    worst[a] = counts ? larger(before, offset + factor * s) : before;
    squares[0] += static_cast<double>(ring[a]) * static_cast<double>(ring[a]);
  }
};

template <class Real>
struct value_of {
  const Real *v;
  TESSERA_HD Real operator()(int64 i) const { return v[i]; }
};

template <class Real>
struct at_most {
  const Real *v;
  double bound;
  TESSERA_HD bool operator()(int64 i) const { return static_cast<double>(v[i]) <= bound; }
};

// The smaller of g^a and its negative, and how far a is from being taken: infinity where the figure is above the bound.
template <class Real>
struct smallest_component {
  const Real *v;
  double bound;
  uint64 generator, modulus;
  TESSERA_HD double operator()(int64 a) const {
    if (!(static_cast<double>(v[a]) <= bound)) return infinity_value();
    const uint64 z = power_mod(generator, static_cast<uint64>(a), modulus);
    return static_cast<double>(z < modulus - z ? z : modulus - z);
  }
};

}  // namespace tessera
