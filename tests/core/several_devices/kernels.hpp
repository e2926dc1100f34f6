// The kernels on devices that are the host, and what they ask the driver; see driver.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "core/rule.hpp"

namespace tessera {
struct quadrature_arguments;
}

// What kernels are compiled for.
int ndim();
int ncomp();
bool is_here(const void *p);                                     // memory of the current device, or of the host
void values_at(const double *x, tessera::int64 ldx, double *f);  // of the integrand, at one point

// Lattice rules and Monte Carlo. False: there is no such kernel. here: what it reads and writes is the current device's or the host's; else it
// is not run.
bool run_sampling(const std::string &name, tessera::int64 many, void *arguments, bool &here);

// Cubature, with sparse grids, and the integrand at points. False: it reads or writes memory of another device.
bool run_cubature(const std::string &name, const tessera::rule &rule, void **arguments);
inline bool is_cubature(const std::string &name) {
  return name == "tessera_bulk" || name == "tessera_bulk_of_few" || name == "tessera_part" || name == "tessera_pack" ||
         name == "tessera_unpack" || name == "tessera_points" || name == "tessera_largest_errors" ||
         name == "tessera_largest_of_few" || name == "tessera_region_records" || name.rfind("tessera_batch_", 0) == 0 ||
         name.rfind("tessera_sparse_", 0) == 0;
}

// One variable, or the last of several, with the rule of 21 points and one or two components. False: it is something else.
bool run_quadrature(const tessera::quadrature_arguments &arguments, bool &here);
