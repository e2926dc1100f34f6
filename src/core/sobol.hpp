// Scrambled Sobol points in up to 1024 variables, as a function of a seed, the number of a randomisation and an index (Sobol 1967; direction
// numbers of Joe and Kuo, SIAM J. Sci. Comput. 30 (2008) 2635-2654; Gray code order of Antonov and Saleev 1979).
//
// The randomisation is Matousek's random linear scrambling with a digital shift (J. Complexity 14 (1998) 527-556): the columns of each axis's
// matrix are multiplied by a random lower triangular matrix and the points moved by a random number, digit by digit. Every point is uniform,
// and every pair of points is distributed as under Owen's nested scrambling, so that the mean over a net has the same variance (Owen, ACM
// Trans. Model. Comput. Simul. 13 (2003) 363-378); but the random part is done with before the first point, and a point costs one exclusive
// or for each coordinate.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "philox.hpp"

namespace tessera {

constexpr int sobol_axes = 1024;
constexpr int sobol_most_log = 52;  // of the points of a randomisation: a coordinate has no more bits

// One randomisation: points i < 2^columns; for each axis that many columns and then the shift. The first digit is the highest bit.
struct sobol_net {
  const uint64 *axes;  // null: none
  int columns;
};
TESSERA_HD int64 sobol_words(int ndim, int columns) { return int64{ndim} * (columns + 1); }
TESSERA_HD const uint64 *sobol_axis(const sobol_net &net, int j) { return net.axes + int64{j} * (net.columns + 1); }

// The digits of a coordinate of point i. From i - 1 to i it changes by one column, that of the lowest bit of i.
TESSERA_HD uint64 gray_code(uint64 i) { return i ^ (i >> 1); }
TESSERA_HD uint64 sobol_digits(const uint64 *axis, int columns, uint64 i) {
  uint64 digits = axis[columns];
  for (uint64 code = gray_code(i); code != 0; code >>= 1, ++axis) digits ^= *axis & (0 - (code & 1));
  return digits;
}

// On the host. The columns as they are, without a shift; and randomisation number `which` of a seed, sobol_words(ndim, columns) words.
void fill_sobol_columns(int axis, int columns, uint64 *to);
void scramble_sobol(uint64 seed, uint32 which, int ndim, int columns, uint64 *to);

}  // namespace tessera
