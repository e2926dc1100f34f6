// What cubainit, cubaexit and cubaverbose set. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace cuba {

// Calls the init function, if one was set since the last call.
void call_init();

// The level that `flags` asks for, raised by cubaverbose and by CUBAVERBOSE in the environment.
int verbosity(int flags);

}  // namespace cuba
