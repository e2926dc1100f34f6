// Rules of higher degree, for regions in which the integrand is smooth: Smolyak's sums of products of Patterson's nested rules, whose levels
// rise as late as the degree allows. All levels use the first points of one table, with weights that give the value of the
// level's degree and of the three odd degrees below.
// S. A. Smolyak (1963); A. Genz, Fully symmetric interpolatory rules, SIAM J. Numer. Anal. 23 (1986); K. Petras, Smolyak cubature of given
// polynomial degree with few nodes, Numer. Math. 93 (2003).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "listed_rule.hpp"

namespace tessera {

constexpr int raised_levels = 3;  // degree 9 + 4 level
constexpr int raised_compared = 4;
constexpr int raised_least_ndim = 3, raised_most_ndim = 6;
constexpr int raised_nodes = 15;  // of the rule in one variable

TESSERA_HD constexpr int raised_degree(int level) { return 9 + 4 * level; }

// All levels, whose weights lie one behind the other: those of the degree and of the three below, and the size of the first.
struct raised_rules {
  listed_rule list;
  int orbits;
};

TESSERA_HD listed_rule rule_of_level(const raised_rules &r, int level) {
  return {r.list.words, r.list.offsets, r.list.weights + static_cast<int64>(level - 1) * r.orbits * listed_sums,
          r.list.nodes};
}

// One component, linear in the integrand but for `size`.
struct raised_sums {
  double mean[raised_compared];  // highest degree first
  double size;                   // of the terms of the first
};

constexpr int raised_fields = raised_compared + 1;  // numbers that they are
static_assert(raised_fields <= listed_sums && raised_most_ndim <= listed_axes, "");

struct raised_result {
  double value, error;
  bool decays;    // the differences of the degrees fall from one to the next
  bool negative;  // the last degree has the greater value
};

// The difference of the two highest degrees is the error of the lower one; that of the higher is a part of it, by how fast the
// differences fall. Where they do not, all are taken to stand for what is not seen.
constexpr double slowest_decay = 0.35, fastest_decay = 0.02;
constexpr double decay_caution = 10.0;
constexpr double undecayed = 3.0;
constexpr double raised_rounding = 1e-15;

TESSERA_HD raised_result judge_raised(const raised_sums &s, double volume) {
  double d[raised_compared - 1];
  for (int q = 0; q < raised_compared - 1; ++q) d[q] = fabs(s.mean[q] - s.mean[q + 1]);
  const double noise = raised_rounding * s.size, most = larger(d[0], larger(d[1], d[2]));
  const bool negative = s.mean[0] > s.mean[1];
  if (most <= noise) return {s.mean[0] * volume, noise * volume, true, negative};
  double decay = larger(fastest_decay, 0.5 * d[1] / larger(d[2], noise));
  decay = larger(decay, larger(d[0] / larger(d[1], noise), sqrt(d[0] / larger(d[2], noise))));
  const bool decays = decay < slowest_decay;
  const double share = decay_caution * decay < 1.0 ? decay_caution * decay : 1.0;
  const double error = decays ? share * larger(d[0], decay * d[1]) : undecayed * most;
  return {s.mean[0] * volume, larger(error, noise) * volume, decays, negative};
}

}  // namespace tessera
