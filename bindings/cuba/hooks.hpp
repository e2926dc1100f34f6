// What cubainit, cubaexit and cubaverbose set. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cuba.h"

extern "C" {

// The original's data symbols. They show what has been set; cubaverb_ is looked at, so that a program may set it itself.
struct tessera_cuba_functions {
  tessera_cuba_hook init;
  void *init_argument;
  tessera_cuba_hook exit;
  void *exit_argument;
};
struct tessera_cuba_workers {
  int cores, accelerators, points_of_cores, points_of_accelerators;
};
TESSERA_CUBA_API extern tessera_cuba_functions cubafun_;
TESSERA_CUBA_API extern int cubaverb_;
TESSERA_CUBA_API extern tessera_cuba_workers cubaworkers_;

}  // extern "C"

namespace cuba {

using hook = tessera_cuba_hook;
void set_init(hook f, void *arg);
void set_exit(hook f, void *arg);
void set_verbose(int level);
void set_cores(int number, int points);
void set_accelerators(int number, int points);

// Calls the init function, if one was set since the last call.
void call_init();

// The level that `flags` asks for, raised by cubaverbose and by CUBAVERBOSE in the environment.
int verbosity(int flags);

}  // namespace cuba
