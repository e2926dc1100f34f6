// SPDX-License-Identifier: BSD-3-Clause
#include "programs.hpp"

#include <algorithm>
#include <cstdlib>

#include <sys/stat.h>

#include "text.hpp"

namespace tessera {

std::string find_program(const std::string &name) {
  const auto executable = [](const std::string &path) {
    struct stat s;
    return ::stat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode) && (s.st_mode & 0111) != 0;
  };
  if (contains(name, "/")) return executable(name) ? name : "";
  const char *value = ::secure_getenv("PATH");
  const std::string path = value ? value : "/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string file = path.substr(begin, end - begin) + "/" + name;
    if (end > begin && executable(file)) return file;
    begin = end + 1;
  }
  return {};
}

}  // namespace tessera
