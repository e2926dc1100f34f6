// Other programs (a compiler, the linker of foreign PTX) run without a shell, and the private directory they work in.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "deadline.hpp"

namespace tessera {

// A new directory that only the user may enter ($TMPDIR or /tmp), removed with its files at the end. Throws
// std::runtime_error when it cannot be made.
class temporary_directory {
 public:
  temporary_directory();
  ~temporary_directory();
  temporary_directory(const temporary_directory &) = delete;
  temporary_directory &operator=(const temporary_directory &) = delete;

  std::string file(const std::string &name) const { return path_ + "/" + name; }
  const std::string &path() const { return path_; }

 private:
  std::string path_;
};

struct process_result {
  bool started = false;
  int status = -1;       // exit status when it ended by itself
  int signal = 0;        // else the signal that ended it
  bool overdue = false;  // it was killed, with all that it had started, for the time was over
  std::string output;    // what it wrote to stdout and stderr
  bool good() const { return started && !overdue && signal == 0 && status == 0; }
};

// arguments[0] is looked up in PATH. stdin is empty. `scratch` is a file that may be written for the output. With
// plain_messages the locale is C, so that compilers speak the language that we can read, and temporary files lie beside `scratch`.
process_result run_process(const std::vector<std::string> &arguments, const std::string &scratch, bool plain_messages,
                           const deadline &until = {});

// All bytes to an open file. False when that fails.
bool write_all(int file, const std::string &bytes);
// Whole file; write_file and read_file throw std::runtime_error.
void write_file(const std::string &path, const std::string &bytes);
std::string read_file(const std::string &path);

}  // namespace tessera
