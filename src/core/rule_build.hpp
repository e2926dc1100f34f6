// Construction of the integration rules (host only, once per solver).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "rule.hpp"

namespace tessera {

// The family to use for `family` (0 = automatic) in ndim dimensions, or -1 where it does not exist there.
int choose_rule(int family, int ndim);

// Fills `r`; `family` must come from choose_rule. faces: with points near the faces, for the robust estimate, where the family's
// own leave a gap there.
void build_rule(int family, int ndim, rule &r, bool faces = false);

}  // namespace tessera
