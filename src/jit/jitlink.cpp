// tessera-jitlink: links compiled code of the user's in a process of its own, which nvJitLink takes down when the code is
// damaged. Usage: tessera-jitlink CUBIN OPTION... -- KIND=FILE...   with KIND a number of enum link_input. Messages go to
// stderr.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <sys/resource.h>
#include <unistd.h>

#include "process.hpp"
#include "link.hpp"

int main(int argc, char **argv) {
  using namespace tessera;
  const struct rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  try {
    std::vector<std::string> options;
    std::vector<link_part> parts;
    int i = 2;
    for (; i < argc && std::string(argv[i]) != "--"; ++i) options.push_back(argv[i]);
    for (++i; i < argc; ++i) {
      const std::string part = argv[i];
      const std::size_t equals = part.find('=');
      if (equals == std::string::npos) break;
      const std::string path = part.substr(equals + 1);
      const int kind = std::atoi(part.substr(0, equals).c_str());
      parts.push_back({static_cast<link_input>(kind), path, read_file(path)});
    }
    if (argc < 2 || parts.empty()) {
      std::fprintf(stderr, "usage: tessera-jitlink CUBIN OPTION... -- KIND=FILE...\n");
      return 2;
    }
    const link_result result = link_parts(parts, options);
    if (!result.log.empty()) std::fprintf(stderr, "%s\n", result.log.c_str());
    if (!result.good) return 1;
    write_file(argv[1], result.cubin);
    std::fflush(nullptr);
    ::_exit(0);  // a library that was disturbed by foreign code is not asked to clean up
  } catch (const std::exception &e) {
    std::fprintf(stderr, "error : %s\n", e.what());
    return 3;
  }
}
