// SPDX-License-Identifier: BSD-3-Clause
#include "halves.hpp"

#include "engine/quadrature/pair_counts.hpp"

namespace tessera {
namespace {

// A number of each half: one instruction does the same to both.
struct two {
  typedef double numbers __attribute__((vector_size(16)));
  typedef int64 bits __attribute__((vector_size(16)));

  numbers v;
};
TESSERA_IN_CALLER two operator+(two a, two b) { return {a.v + b.v}; }
TESSERA_IN_CALLER two operator-(two a, two b) { return {a.v - b.v}; }
TESSERA_IN_CALLER two operator*(double a, two b) { return {a * b.v}; }
TESSERA_IN_CALLER two fabs(two a) {
  return {reinterpret_cast<two::numbers>(reinterpret_cast<two::bits>(a.v) & greatest_int64)};
}

template <int Pairs>
TESSERA_IN_CALLER void sum_halves(const double *value, careful_sums<two> &sums) {
  constexpr int points = 2 * Pairs + 1;
  two both[points];
  for (int i = 0; i < points; ++i) both[i].v = two::numbers{value[i], value[points + i]};
  sums = sum_carefully(kronrod_of<double, Pairs>, null_weights_of<double, Pairs>, both);
}

// Without fused multiplications, which would round otherwise than the estimate of one interval does. No with_pairs: what it calls would not
// be compiled for these targets. The thread sanitizer is not there yet when the loader chooses between them.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_THREAD__)
__attribute__((target_clones("avx2", "default")))
#endif
void sum_halves(int pairs, const double *value, careful_sums<two> &sums) {
  switch (pairs) {
    case 7:
      return sum_halves<7>(value, sums);
    case 10:
      return sum_halves<10>(value, sums);
    case 15:
      return sum_halves<15>(value, sums);
    case 20:
      return sum_halves<20>(value, sums);
    case 25:
      return sum_halves<25>(value, sums);
    default:
      return sum_halves<30>(value, sums);
  }
}

template <int Pairs>
void finish(const interval<double> *halves, const careful_sums<two> &sums, interval_estimate<double> *e) {
  for (int h = 0; h < 2; ++h) {
    careful_sums<double> one = {sums.fine.v[h], sums.coarse.v[h], sums.size.v[h], sums.spread.v[h], {}, {}};
    for (int q = 0; q < careful_sums<double>::count; ++q) {
      one.even[q] = sums.even[q].v[h];
      one.odd[q] = sums.odd[q].v[h];
    }
    e[h] = estimate_of_sums(null_weights_of<double, Pairs>, 0.5 * (halves[h].upper - halves[h].lower), one);
  }
}

}  // namespace

void estimate_halves(int pairs, const interval<double> *halves, const double *value, interval_estimate<double> *e) {
  careful_sums<two> sums;
  sum_halves(pairs, value, sums);
  with_pairs(pairs, [&](auto count) { finish<count.value>(halves, sums, e); });
}

}  // namespace tessera
