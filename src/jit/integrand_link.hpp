// Kernels joined by the linker: with the user's compiled code, and with kernels that were compiled apart.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data_notes.hpp"
#include "link.hpp"
#include "nvrtc_program.hpp"

namespace tessera {

// LTO-IR does not tell the types of an extern "C" function. One that returns its value is linked and inlined all the same, and
// leaves nothing of itself: a kernel that calls it with the caller's own addresses is as empty as one that does nothing.
constexpr const char *probe_text = R"code(
extern "C" __global__ void tessera_probe(const double *x, double *f, const void *params) { tessera_f(x, f, params); }
extern "C" __global__ void tessera_probe_of_nothing(const double *, double *, const void *) {}
)code";

// Code that the user has compiled, or that is made of Fortran. kernels(): LTO-IR first; asked for when Fortran has become code, so that both are
// compiled at the same time. `symbol` becomes the integrand's own function,
// `written` what it changes of the program's data.
// Throws compile_error.
link_result link_integrand(const std::function<std::vector<link_part>()> &kernels, int most_registers,
                           const integrand_source &source, const target &where, const architecture &arch,
                           std::string &symbol, data_notes &notes);

// Machine code that NVRTC has made of the text and of kernels. Throws compile_error.
link_result link_machine_code(const std::vector<link_part> &parts, const integrand_source &source,
                              const architecture &arch);

}  // namespace tessera
