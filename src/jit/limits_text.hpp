// Texts that give limits of axes, beside that of the integrand in one program for a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "integrand_source.hpp"

namespace tessera {

// The head of the function by which kernels reach a text: tessera_f, or tessera_limits_ with the number of the axis.
std::string entry_of(const integrand_source &source);

// For the kernels, before their text: these functions of all axes that have limits, and the macro TESSERA_LIMITED_AXES; "" for none.
std::string declared_limits(const integrand_source &source);

// Limits in CUDA C++ with their functions, each text in a namespace of its own. A text that is that of the integrand, or of another axis,
// is not repeated. Headers that they include go to `includes`.
std::string cxx_limits(const integrand_source &source, std::string &includes);

// Which of the texts the first error in a compiler's log, `message`, is about.
const integrand_source &text_of_error(const integrand_source &source, const std::string &message,
                                      const std::string &log);

}  // namespace tessera
