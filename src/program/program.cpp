// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <algorithm>
#include <new>

#include "command_line.hpp"

namespace tessera {
namespace {

int print_version(const streams &to) {
  std::fprintf(to.out, "tessera %s\n", tessera_version_string());
  return exit_good;
}

int run_command(const std::vector<std::string> &arguments, const streams &to, std::string &name) {
  if (arguments.empty()) throw wrong_usage("a command is missing; tessera --help lists them");
  if (arguments[0] == "--help" || arguments[0] == "-h") {
    std::fputs(help_of_program().c_str(), to.out);
    return exit_good;
  }
  if (arguments[0] == "--version") return print_version(to);
  const command_row &command = command_named(arguments[0]);
  name += std::string(" ") + command.name;
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  for (const std::string &a : rest) {
    if (a == "--") break;
    if (a == "--help" || a == "-h") return std::fputs(help_of(command).c_str(), to.out), exit_good;
    if (a == "--version") return print_version(to);
  }
  if (arguments[0] == "info") return run_info(rest, to);
  if (arguments[0] == "selftest") return run_selftest(rest, to);
  if (arguments[0] == "integrate") return run_integrate(rest, to);
  return run_cache(rest, to);
}

}  // namespace

int run_program(const std::vector<std::string> &arguments, const streams &to) {
  std::string name = "tessera";
  int status = exit_no_result;
  try {
    status = run_command(arguments, to, name);
  } catch (const command_failure &e) {
    std::fprintf(to.err, "%s: %s\n", name.c_str(), e.what());
    status = e.status();
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::exception &e) {
    std::fprintf(to.err, "%s: %s\n", name.c_str(), e.what());
  }
  if (std::fflush(to.out) != 0 || std::ferror(to.out)) {
    std::fprintf(to.err, "%s: the standard output cannot be written\n", name.c_str());
    return exit_no_result;
  }
  return status;
}

}  // namespace tessera
