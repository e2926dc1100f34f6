// What the linker left in the file of a loaded program or library about a function or variable in it: names of functions by
// address, exported or not, and addresses of variables by name. ELF.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera {

class symbol_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct data_symbol {
  const void *address;
  std::size_t bytes;
  std::string file;  // the source file's name without its directory, of a variable that only that file can name
};

class object_symbols {
 public:
  // Of the file that holds an address. Throws symbol_error: there is none, or it cannot be read.
  static object_symbols of(const void *address);
  // The table of a file alone, as if it were loaded at `base`. Throws symbol_error.
  object_symbols(const std::string &path, std::uintptr_t base);

  const std::string &path() const { return path_; }
  // Whether names that are not exported have been taken out (strip).
  bool stripped() const { return !complete_; }

  // All names of the function at this address; none if there is no symbol.
  std::vector<std::string> functions_at(const void *address) const;

  // The variable that code in this file means by a name. Throws symbol_error: there is none, or more than one.
  data_symbol variable(const std::string &name) const;
  // All of one name, which may be of several source files.
  std::vector<data_symbol> all_of(const std::string &name) const;
  // Whether a source file of this name has a part in it, by the compiler's word.
  bool has_file(const std::string &name) const { return files_.count(name) > 0; }
  // Names of variables, those of threads and those that other files define included, that begin in one way.
  std::vector<std::string> variables(const std::string &head) const;

 private:
  bool elsewhere(const std::string &name, data_symbol &v) const;
  void read(const unsigned char *bytes, std::size_t size);
  void read_table(const unsigned char *bytes, std::size_t size, const unsigned char *section, std::uint64_t sections,
                  std::uint64_t count, bool dynamic);

  std::string path_;
  std::uintptr_t base_;
  bool complete_ = false;
  std::multimap<std::uintptr_t, std::string> functions_;
  std::multimap<std::string, data_symbol> variables_;
  std::set<std::string> dynamic_, undefined_, thread_local_, files_;
};

}  // namespace tessera
