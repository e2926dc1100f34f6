// The construction of generating vectors on the host.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../engine/construct/cbc.hpp"

namespace tessera {

// Single or double precision; the whole construction, one thread. False: stopped. Throws fft_missing, std::bad_alloc.
bool host_construct(const cbc_settings &settings, bool single_precision, cbc_hooks &hooks, cbc_result &result);

}  // namespace tessera
