// Cuhre, with counts of either size. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "routine.hpp"

namespace cuba {

template <class Count>
struct cuhre_arguments : arguments<Count> {
  int key;
};

template <class Count>
void cuhre(const cuhre_arguments<Count> &a);

}  // namespace cuba
