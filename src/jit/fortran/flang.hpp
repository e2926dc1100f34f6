// LLVM's Fortran compiler, and the way from Fortran to NVVM IR.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "../data_notes.hpp"
#include "../deadline.hpp"
#include "../integrand_source.hpp"

namespace tessera {

struct flang {
  std::string path;
  std::string identity;  // path, size and time
};

// $FLANG, else flang-22, flang-20, flang-19 or flang in PATH. Throws compile_error (load), which names the package.
flang find_flang();

// All that the code of a Fortran text depends on beside the text: the compiler, the form of the call and this library's own part.
std::string fortran_key(const integrand_source &source, const flang &compiler, int ndim, int ncomp, int coordinates);

// NVVM IR with a function tessera_f, which calls functions of fortran_runtime_text. Throws compile_error: translate what no device
// can do, compile for what the compiler refuses; out_of_time.
std::string fortran_to_nvvm(const integrand_source &source, const flang &compiler, int ndim, int ncomp, int coordinates,
                            const deadline &until, data_notes *notes = nullptr);

}  // namespace tessera
