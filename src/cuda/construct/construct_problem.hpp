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

}  // namespace tessera
