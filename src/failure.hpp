// What leaves a call of the library early.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace tessera {

// Leaves a call with a negative status and a message.
class failure : public std::runtime_error {
 public:
  failure(int status, const std::string &message) : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

}  // namespace tessera
