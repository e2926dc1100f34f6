// How the samples of an iteration are shared out over the cubes of the stratification, in steps that host and device share (Lepage,
// J. Comput. Phys. 439 (2021) 110386): two for each cube, and the rest by its spread^(exponent/2).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/power.hpp"
#include "lanes.hpp"
#include "sampling_pass.hpp"

namespace tessera {

constexpr int64 most_cubes = int64{1} << 20;
constexpr int chunk_cubes = 256;  // whose wishes are added together
constexpr int most_cube_chunks = static_cast<int>(most_cubes / chunk_cubes);
TESSERA_HD int cube_chunks(int64 cubes) { return static_cast<int>((cubes + chunk_cubes - 1) / chunk_cubes); }

struct shared_samples {
  int64 samples, cubes;
  double exponent;
};

TESSERA_HD double bounded_spread(double v) { return v >= 0.0 ? (v < 1e200 ? v : 1e200) : 1e200; }
// Earlier values keep half their weight.
TESSERA_HD double learnt_spread(bool known, double before, double now) {
  return 0.5 * (bounded_spread(known ? before : now) + bounded_spread(now));
}
TESSERA_HD double wish_of_cube(const shared_samples &s, double spread) {
  return same_power(bounded_spread(spread), 0.5 * s.exponent);
}

// The sum of wish(0) ... wish(n-1), n up to chunk_cubes; near[chunk_cubes] is used up.
template <class Lanes, class Wish>
TESSERA_HD double sum_of_chunk(const Lanes &lanes, double *near, int n, const Wish &wish) {
  lanes.each(chunk_cubes, [&](int i) { near[i] = i < n ? wish(i) : 0.0; });
  return fold_numbers(lanes, chunk_cubes, near);
}
TESSERA_HD double sum_of_groups(const double *groups, int n) {
  double sum = 0.0;
  for (int g = 0; g < n; ++g) sum += groups[g];
  return sum;
}
// The sum of those of all chunks.
template <class Lanes>
TESSERA_HD double sum_of_chunks(const Lanes &lanes, double *near, const double *chunks, int n) {
  double groups[most_cube_chunks / chunk_cubes];
  int many = 0;
  for (int first = 0; first < n; first += chunk_cubes)
    groups[many++] = sum_of_chunk(lanes, near, n - first < chunk_cubes ? n - first : chunk_cubes,
                                  [&](int i) { return chunks[first + i]; });
  return sum_of_groups(groups, many);
}

// Samples of a cube before what rounding down leaves over is shared out.
TESSERA_HD int64 whole_samples(const shared_samples &s, double sum, double wish) {
  const double share = sum > 0.0 ? wish / sum : 1.0 / static_cast<double>(s.cubes),
               rest = static_cast<double>(s.samples - least_samples * s.cubes);
  return least_samples + static_cast<int64>(rest * share * (1.0 - 1e-12));
}
// What rounding down has left: so many for each cube, and one more for the first ones.
struct left_samples {
  int64 each, more;
};
TESSERA_HD left_samples share_left(const shared_samples &s, int64 left) { return {left / s.cubes, left % s.cubes}; }
TESSERA_HD int64 samples_of_cube(const left_samples &left, int64 cube, int64 whole) {
  return whole + left.each + (cube < left.more ? 1 : 0);
}
TESSERA_HD double weight_of_cube(int64 cubes) { return 1.0 / static_cast<double>(cubes); }

// The cube of `cells` that has the centre of cube h of another cut.
TESSERA_HD int64 cube_at_centre(int64 h, int ndim, const int *other, const int *cells) {
  int64 at = 0, stride = 1;
  TESSERA_ROLLED for (int j = 0; j < ndim; ++j) {
    const int64 cell = h % other[j];
    h /= other[j];
    at += stride * ((2 * cell + 1) * cells[j] / (2 * other[j]));
    stride *= cells[j];
  }
  return at;
}

}  // namespace tessera
