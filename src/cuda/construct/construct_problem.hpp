// What the host side of a construction on a device and its kernels both know.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/hd.hpp"

namespace tessera {

constexpr int construct_block = 256;
constexpr int64 construct_range = 64;  // elements of one call of a body with a range

struct least_value {
  double value;
  int64 index;
  double second, squares;  // the next value, and the sum of all squares
};

// The Fourier transform of one number.
template <class Real>
struct single_point {
  const Real *in;
  Real *spectrum;
  TESSERA_HD void operator()(int64) const {
    spectrum[0] = in[0];
    spectrum[1] = Real{0};
  }
};

// The bodies that kernels are made of, by what is done with them: called for each element, added up, and searched for the least or for
// those that it is true of, in either precision. The kernel of a body has its name after tessera_.
#define TESSERA_EACH_BODIES(X) \
  X(fill_constant)             \
  X(subtract_constant) X(scale_spectrum) X(unpack_spectrum) X(correlate) X(correlate_packed) X(single_point)
#define TESSERA_FOLD_BODIES(X) X(square_of) X(ring_terms) X(multiply_product) X(advance_orders) X(add_level)
#define TESSERA_LEAST_BODIES(X) \
  X(value_of, float) X(value_of, double) X(smallest_component, float) X(smallest_component, double)
#define TESSERA_LIST_BODIES(X) X(at_most, float) X(at_most, double)

}  // namespace tessera
