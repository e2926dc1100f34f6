// Many integrals over the devices of a place: chunks that a device takes when it is through with the one before.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "../place.hpp"

namespace tessera {

struct many_team {
  int devices;
  bool are_there;      // none has to be started any more
  bool always;         // all of them take part, however little there is to do: a test
  int64 rows_at_once;  // that keep one busy
};

// Some of the integrals on one of the devices, 0 ... devices - 1; called by a thread for each.
using part_on_device = std::function<many_results(int device, const many_problem &part, many_hooks &watch,
                                                  double *value, double *error, device_report &report)>;

// See place::run_many.
many_results run_many_on_devices(const many_team &team, const many_problem &problem, many_hooks &watch, double *value,
                                 double *error, device_report &report, const part_on_device &run);

}  // namespace tessera
