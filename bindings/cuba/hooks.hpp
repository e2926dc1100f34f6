// What cubainit, cubaexit and cubaverbose set. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cuba.h"

namespace cuba {

using hook = tessera_cuba_hook;
void set_init(hook f, void *arg);
void set_exit(hook f, void *arg);
void set_verbose(int level);

// Calls the init function, if one was set since the last call.
void call_init();

// The level that `flags` asks for, raised by cubaverbose and by CUBAVERBOSE in the environment.
int verbosity(int flags);

}  // namespace cuba
