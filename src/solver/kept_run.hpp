// A run that can be gone on with: which one, and what the integrand has answered.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../kept_answers.hpp"
#include "state_file.hpp"

namespace tessera {

struct kept_run {
  state_content content;  // without its answers
  kept_answers answers;
};

}  // namespace tessera
