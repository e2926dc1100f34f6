// The loops of the fast component-by-component construction, one body for an element or a range of a ring.
//
// The points k of a rule, without the few that are their own negatives, fall into rings: k = g^i times a unit, up to the
// sign, i = 0 .. length-1. A prime n has one ring, g a primitive root and length (n-1)/2; n = 2^m has one for each 2^t, t =
// 2..m, made of the odd multiples of 2^(m-t), with g = 5 and length 2^(t-2). With z = g^a the kernel at kz/n depends on i +
// a alone, so that sums over a ring for all z are a cyclic correlation (Nuyens and Cools, Math. Comp. 75 (2006) 903-920).
//
// Bodies are plain data with an operator: every executor can run them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../core/korobov_kernel.hpp"
#include "../core/number.hpp"

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

template <class Real>
struct copy_values {
  const Real *from;
  Real *to;
  TESSERA_HD void operator()(int64 i) const { to[i] = from[i]; }
};

// The weights less their mean, and the squares of the differences.
template <class Real>
struct centre_weights {
  const Real *weights;
  Real *to;
  double mean;
  TESSERA_HD double operator()(int64 i) const {
    const double v = static_cast<double>(weights[i]) - mean;
    to[i] = static_cast<Real>(v);
    return v * v;
  }
};

// Spectra: interleaved real and imaginary parts. `psi` is scaled by one over the length.
template <class Real>
struct scale_spectrum {
  Real *v;
  Real factor;
  TESSERA_HD void operator()(int64 i) const {
    v[2 * i] *= factor;
    v[2 * i + 1] *= factor;
  }
};

// v = conj(v) psi
template <class Real>
struct correlate {
  Real *v;
  const Real *psi;
  TESSERA_HD void operator()(int64 i) const {
    const Real a = v[2 * i], b = v[2 * i + 1], c = psi[2 * i], d = psi[2 * i + 1];
    v[2 * i] = a * c + b * d;
    v[2 * i + 1] = a * d - b * c;
  }
};

template <class Real>
struct square_of {
  const Real *v;
  TESSERA_HD double operator()(int64 i) const { return static_cast<double>(v[i]) * static_cast<double>(v[i]); }
};

// Terms of a ring's sum for one z: weights[i] times the kernel.
template <class Real>
struct ring_term {
  const Real *weights;
  const Real *psi;  // from index a on
  TESSERA_HD double operator()(int64 i) const { return static_cast<double>(weights[i]) * static_cast<double>(psi[i]); }
};

// Product weights: P *= 1 + gamma psi.
template <class Real>
struct multiply_product {
  Real *product;
  const Real *psi;
  Real gamma;
  TESSERA_HD void operator()(int64 i) const { product[i] *= Real{1} + gamma * psi[i]; }
};

// Order-dependent and POD weights. q[(l-1)*length + i] is the sum over the sets of l of the components so far of the
// products of gamma_j psi_j; the weights of the next component are sum over l of order_l q_(l-1), with q_0 = 1.
template <class Real>
struct advance_orders {
  Real *q;
  Real *weights;
  const Real *psi;
  const double *order;  // of sets of 1, 2, ... components
  int64 length;
  int orders;
  Real gamma;
  TESSERA_HD void operator()(int64 i) const {
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
    weights[i] = static_cast<Real>(w);
  }
};

// The figure of a candidate at one level. Sums over the rings come from small to large; what a level says about a is what all
// smaller ones say about a modulo their length. first: begins with the sum at the fixed points.
template <class Real>
struct add_level {
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
  TESSERA_HD void operator()(int64 a) const {
    const int64 j = below ? a & (below_length - 1) : 0;
    const double s = (below ? below[j] : fixed) + multiplicity * static_cast<double>(ring[a]) + constant;
    sums[a] = s;
    const double before = worst_below ? worst_below[j] : -infinity_value();
    worst[a] = counts ? larger(before, offset + factor * s) : before;
  }
};

template <class Real>
struct value_of {
  const Real *v;
  TESSERA_HD double operator()(int64 i) const { return static_cast<double>(v[i]); }
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
