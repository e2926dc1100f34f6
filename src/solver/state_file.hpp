// The file of a state: which problem it is of, and what the integrand has answered. docs/checkpoints.md describes the format.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

class kept_answers;

struct state_content {
  int method = 0, ndim = 0, ncomp = 0;
  std::string version;                                       // of the library
  std::vector<std::pair<std::string, std::uint64_t>> about;  // the problem: matters and what they are
  std::vector<std::uint64_t> answers;
};

// To a new file beside it, which then takes its name: at no moment is there less than a whole state. `content.answers` is not used. Throws failure.
void write_state(const std::string &path, const state_content &content, const kept_answers &answers);
// The bytes of a file. Throws failure.
std::vector<unsigned char> read_state_bytes(const std::string &path);
// What they say; name: of the file. Throws failure.
state_content read_state(const std::string &name, const unsigned char *bytes, std::size_t n);
// That a state can be written there. Throws failure.
void require_writable(const std::string &path);

}  // namespace tessera
