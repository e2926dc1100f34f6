// Divonne, with counts of either size. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "routine.hpp"

namespace cuba {

template <class Count>
struct divonne_arguments : arguments<Count> {
  static constexpr bool has_phases = true;
  int seed, key1, key2, key3, maxpass;
  double border, maxchisq, mindeviation;
  Count ngiven;
  int ldxgiven;
  const double *xgiven;
  Count nextra;
  peakfinder_t peakfinder;
};

template <class Count>
void divonne(const divonne_arguments<Count> &a);

}  // namespace cuba
