// SPDX-License-Identifier: BSD-3-Clause
#include "programs.hpp"

#include <algorithm>
#include <cstdlib>

#include <sys/stat.h>

#include "integrand_source.hpp"
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

system_compiler find_compiler(host_language language) {
  struct row {
    const char *variable, *name, *advice;
    std::vector<std::string> usual;
  };
  static const row rows[] = {
      {"CC", "C", "g++, clang", {"cc", "gcc", "clang"}},
      {"CXX", "C++", "g++, clang", {"c++", "g++", "clang++"}},
      {"FC", "Fortran", "gfortran, flang", {"gfortran", "flang-22", "flang-20", "flang-19", "flang-new-19", "flang"}}};
  const row &r = rows[static_cast<int>(language)];
  std::vector<std::vector<std::string>> candidates;
  const std::vector<std::string> chosen = words_of(::secure_getenv(r.variable));
  if (!chosen.empty()) {
    if (find_program(chosen[0]).empty())
      throw compile_error(jit_stage::load,
                          "the compiler '" + chosen[0] + "' that $" + r.variable + " names is not there");
    candidates.push_back(chosen);
  }
  for (const std::string &name : r.usual) candidates.push_back({name});
  for (const std::vector<std::string> &c : candidates) {
    const std::string path = find_program(c[0]);
    struct stat s;
    if (path.empty() || ::stat(path.c_str(), &s) != 0) continue;
    system_compiler found{c, path + " " + std::to_string(s.st_size) + " " + std::to_string(s.st_mtime)};
    found.command[0] = path;
    return found;
  }
  throw compile_error(jit_stage::load, std::string("there is no ") + r.name +
                                           " compiler on this machine to compile the integrand for the host; install "
                                           "one (" +
                                           r.advice + ") or name it in $" + r.variable);
}

}  // namespace tessera
