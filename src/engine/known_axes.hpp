// What is known of all axes of a domain when code is made for it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera {

enum known_axes : int { axes_unit = 0, axes_finite = 1, axes_any = 2 };  // all are [0,1]; all are finite

}  // namespace tessera
