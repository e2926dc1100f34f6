// The user's integrand as a function: the forms in which it is called.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/hd.hpp"

namespace tessera {

// The integrand as host functions; same types as in tessera.h.
using batch_function = int (*)(int64 n, int ndim, const double *x, int64 ldx, int ncomp, double *f, int64 ldf,
                               void *userdata);
using point_function = int (*)(int ndim, const double *x, int ncomp, double *f, void *userdata);

// Sets the limits of an axis from the coordinates x[0 ... axis-1].
using limits_function = int (*)(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata);

// On a device: arrays in its memory, to be read and written by what is launched on the stream (a cudaStream_t).
using device_batch_function = int (*)(int64 n, int ndim, const double *x, int64 ldx, int ncomp, double *f, int64 ldf,
                                      void *stream, void *userdata);

struct host_integrand {
  batch_function batch = nullptr;  // one of the two is set
  point_function point = nullptr;
  void *userdata = nullptr;
  bool is_text = false;    // compiled, not the program's own function
  void *params = nullptr;  // the parameter block, for limits that are text
};

}  // namespace tessera
