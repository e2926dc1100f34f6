// A Fortran integrand compiled for the host by the system's Fortran compiler.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "../deadline.hpp"
#include "../integrand_source.hpp"
#include "../sha256.hpp"

namespace tessera {

// What the shared object depends on, the compiler included. Throws compile_error: no compiler (load), no such procedure (translate).
sha256 fortran_host_key(const integrand_source &source, int ndim, int ncomp, int coordinates);

// The shared object, with a function tessera_batch. Throws compile_error, out_of_time. A STOP leaves the integrand with status -1.
std::string build_fortran(const integrand_source &source, int ndim, int ncomp, int coordinates, std::string &log,
                          const deadline &until);

// Where the program's values go, in an object that is opened: read by the object itself at each call.
struct kept_variable {
  void *to;
  long long bytes, offset;
  int rank, gnu;  // of an allocatable array; rank -1: none
};
// `entry`: the address of tessera_batch there.
std::vector<kept_variable> find_variables(const integrand_source &source, const std::string &image, const void *entry);

// Whether a shared object has variables that keep their values from call to call.
bool keeps_data(const std::string &image);

}  // namespace tessera
