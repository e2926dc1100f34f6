// What an earlier run of a single integral knows on its way to the device, and what this one has noted there on its way back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../engine/quadrature/kept_turns.hpp"
#include "../../kept_answers.hpp"
#include "../device/driver.hpp"

namespace tessera {

class turn_memory {
 public:
  // A run whose turns have answers of `words` words at most. answers: null where none are kept.
  void begin(kept_answers *answers, int64 words, CUstream stream);
  // What is known by now, and room for what is new; where none are kept, or there is no memory, nothing of both.
  kept_turns open();
  // So many turns of a launch are noted, in all cases.
  int64 most_turns() const { return answers_ ? most_turns_ : greatest_int64; }
  // What has been noted since open, or since the last call. No kernel is under way.
  void take();

 private:
  void forget_notes();

  kept_answers *answers_ = nullptr;
  int64 turn_words_ = 0, most_turns_ = 0;
  CUstream stream_ = nullptr;
  device_memory words_, slots_, notes_;  // notes: the number of words in use, and these
  std::vector<uint64> notes_here_;
};

}  // namespace tessera
