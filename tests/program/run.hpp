// One run of the program tessera, in this process. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "program/program.hpp"

struct outcome {
  int status = -1;
  std::string out, err;
};

inline outcome run(const std::vector<std::string> &arguments) {
  outcome o;
  char *out = nullptr, *err = nullptr;
  std::size_t out_size = 0, err_size = 0;
  std::FILE *to_out = ::open_memstream(&out, &out_size), *to_err = ::open_memstream(&err, &err_size);
  if (!to_out || !to_err) std::abort();
  o.status = tessera::run_program(arguments, {to_out, to_err});
  std::fclose(to_out);
  std::fclose(to_err);
  o.out.assign(out, out_size);
  o.err.assign(err, err_size);
  std::free(out);
  std::free(err);
  return o;
}
