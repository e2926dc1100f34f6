// What kernels of sampling methods tell the host of the integrand; read by both.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera {

struct user_answer {
  int flags, status;  // tessera_flags and tessera_status, where they are not 0
};

}  // namespace tessera
