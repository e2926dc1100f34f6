// Device twins: which host function is which source text. Registered by the program, or named in the map file TESSERA_TWINS.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../jit/integrand_source.hpp"
#include "symbols.hpp"

namespace tessera {

// There is no twin, or not one that can be used. `asked`: somebody has spoken of twins, so that the message is of interest.
class no_twin : public std::runtime_error {
 public:
  no_twin(const std::string &message, bool asked) : std::runtime_error(message), asked_(asked) {}
  bool asked() const { return asked_; }

 private:
  bool asked_;
};

// A part of a parameter block: bytes of the program, or an allocatable array of it.
struct program_data {
  const void *address;  // null: of the user data
  std::size_t bytes;    // in the block; of an array its record
  int rank = -1;        // of an array
  bool gnu = false;     // the record in the program is that of GNU's compiler
  std::string name;     // of an array
};

class twin {
 public:
  // map_line: where it stands, "file(line)"; "" for one that was registered.
  twin(integrand_source source, std::vector<program_data> data, std::string map_line)
      : source_(std::move(source)), data_(std::move(data)), map_line_(std::move(map_line)) {}

  const integrand_source &source() const { return source_; }
  // The parameter block as it is now: a copy of the variables' bytes, each at the next multiple of 16, then the elements of allocatable
  // arrays. Throws no_twin when bytes of the user data are asked for and there are none, or an array is not understood.
  std::vector<unsigned char> parameters(const void *userdata) const;
  // What the parameter block is, and where that was said; for messages.
  std::string about_parameters() const;

  // Something is wrong with it that will not change: it is not to be tried again.
  void refuse(int status, const std::string &message);
  // The status and the message of the first refusal; status 0 if there was none.
  std::pair<int, std::string> refusal() const;

 private:
  const integrand_source source_;
  const std::vector<program_data> data_;
  const std::string map_line_;
  mutable std::mutex mutex_;
  int status_ = 0;
  std::string message_;
};

// False when it is known that find_twin finds nothing or a twin that was refused. Costs next to nothing where there are no twins.
bool may_have_twin(const void *function);

// Throws no_twin.
std::shared_ptr<twin> find_twin(const void *function);

void register_twin(const void *function, integrand_source source, const void *params, std::size_t bytes);
void forget_twin(const void *function);

// ---- The map file ---------------------------------------------------------------------------------------------------------

struct twin_line {
  std::string symbol;
  source_language language;
  std::string file, function;
  struct block {
    std::string symbol;  // empty: the user data of the call
    std::size_t bytes;   // 0: all of it
  };
  std::vector<block> params;
  int number;                     // of the line, from 1
  std::vector<std::string> with;  // files that are compiled before it; of Fortran
};

// `path` is named in messages, and files are looked for in its directory. Throws no_twin, with the place of the error.
std::vector<twin_line> read_twin_map(const std::string &text, const std::string &path);

}  // namespace tessera
