// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <exception>

#include "program.hpp"

int main(int argc, char **argv) {
  try {
    return tessera::run_program({argv + (argc > 0 ? 1 : 0), argv + argc}, {stdout, stderr});
  } catch (const std::exception &e) {  // no memory
    std::fprintf(stderr, "tessera: %s\n", e.what());
    return tessera::exit_no_result;
  }
}
