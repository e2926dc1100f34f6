// TESSERA_ITERATED is the host's: the solver refuses devices before a place is asked for (method::trouble_with_devices).
// SPDX-License-Identifier: BSD-3-Clause
#include "../method.hpp"

namespace tessera {

std::unique_ptr<cuda_method> make_cuda_iterated(cuda_setting &) { return nullptr; }

}  // namespace tessera
