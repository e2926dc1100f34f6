// What a construction is asked for and what it gives, as plain data for every backend.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "../../core/number.hpp"

namespace tessera {

struct cbc_settings {
  int ndim = 1;
  uint64 points = 0;            // prime, or the largest power of two
  int least_level = 0;          // powers of two: log2 of the smallest n looked at
  int alpha = 1;                // smoothness of the Korobov kernel
  std::vector<double> table;    // a kernel of the user's in its place: at k/points, k = 0 .. points/2
  std::vector<double> product;  // gamma_j, ndim of them
  std::vector<double> order;    // Gamma_l, l = 1 ..; empty: product weights
};

struct cbc_result {
  std::vector<uint64> z;
  double merit = 0.0;    // e^2 for the largest n
  double ratio = 1.0;    // the figure of a range
  double seconds = 0.0;  // for the components, without kernels, FFT plans and memory
};

// Called after each component; false stops.
struct cbc_hooks {
  virtual ~cbc_hooks() = default;
  virtual bool component_done(int64 done, int64 all) = 0;
};

// Bytes of a construction. FFTs need tables and work space of their own; as much as three copies of a ring is allowed for.
inline double cbc_bytes(const cbc_settings &s, std::size_t real) {
  const double elements = 0.5 * static_cast<double>(s.points);  // of all rings
  const double orders = s.order.empty() ? 0.0 : static_cast<double>(s.order.size());
  const double levels = is_power_of_two(s.points) ? 2.0 * 8.0 : 0.0;
  return elements * (static_cast<double>(real) * (1.0 + orders + 2.0 + 1.0 + 1.0 + 3.0) + levels);
}

}  // namespace tessera
