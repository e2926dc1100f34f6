// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "jit/device_compiler.hpp"

struct method {
  std::string name, kernel;  // the kernel of which registers are told
  int ndim;
  tessera::kernel_text text;
  bool fortran = false;
};

void add_quadrature(std::vector<method> &all);
