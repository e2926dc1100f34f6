// The construction of generating vectors on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../plugin.hpp"
#include "../../jit/device_compiler.hpp"

namespace tessera {

// The text of the kernels for a precision, to be compiled without an integrand.
kernel_text construct_kernel_text(bool single_precision);

// As host_construct, in a context that is current. Throws compile_error (no NVRTC, no cuFFT), device_error, bad_alloc.
bool cuda_construct(const cbc_settings &settings, bool single_precision, cbc_hooks &hooks, cbc_result &result, int arch,
                    int multiprocessors, code_cache *cache);

}  // namespace tessera
