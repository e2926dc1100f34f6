// Vegas and Suave, with counts of either size. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "routine.hpp"

namespace cuba {

template <class Count>
struct vegas_arguments : arguments<Count> {
  static constexpr bool has_weights = true;
  int seed;
  Count nstart, nincrease, nbatch;
  int gridno;
};

template <class Count>
struct suave_arguments : arguments<Count> {
  static constexpr bool has_weights = true;
  int seed;
  Count nnew, nmin;
  double flatness;
};

template <class Count>
void vegas(const vegas_arguments<Count> &a);
template <class Count>
void suave(const suave_arguments<Count> &a);

}  // namespace cuba
