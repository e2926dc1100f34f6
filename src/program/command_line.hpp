// The arguments of a command: --name value, --name=value, --flag, and what is no option.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera {

struct option_row {
  const char *name;   // without --
  const char *value;  // what stands for it in the help, nullptr: a flag
  const char *help;
};

struct command_row {
  const char *name, *arguments, *help;
  std::vector<option_row> options;  // --help is one of every command
};

// All commands, for the help.
const std::vector<command_row> &commands();
const command_row &command_named(const std::string &name);

class command_line {
 public:
  // An argument that begins with -- is an option, "--" ends them. Throws command_failure.
  command_line(const command_row &command, const std::vector<std::string> &arguments);

  bool has(const std::string &option) const { return values_.count(option) != 0; }
  const std::string &text(const std::string &option) const { return values_.at(option); }
  // Numbers within bounds. Throw command_failure, which names the option.
  double real(const std::string &option, double least, double greatest) const;
  std::int64_t integer(const std::string &option, std::int64_t least, std::int64_t greatest) const;
  const std::vector<std::string> &others() const { return others_; }

 private:
  std::map<std::string, std::string> values_;
  std::vector<std::string> others_;
};

// The help of one command, and of the program.
std::string help_of(const command_row &command);
std::string help_of_program();

}  // namespace tessera
