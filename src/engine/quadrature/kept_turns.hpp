// What a thread of a device knows from an earlier run of its integral, and where it notes what is new. In the caller's memory, for one integral at a time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/question.hpp"

namespace tessera {

struct kept_turns {
  answer_table known;
  uint64 *noted = nullptr;  // answers with their heads, one behind the other; null: none are kept
  int64 room = 0;           // words
  int64 *used = nullptr;    // of them

  TESSERA_HD bool is_wanted() const { return noted != nullptr; }
  // Of n words; null: it is not known.
  TESSERA_HD const uint64 *find(const answer_key &key, int64 n) const {
    uint64 words = 0;
    const uint64 *const answer = known.find(key, words);
    return words == static_cast<uint64>(n) ? answer : nullptr;
  }
  // Room for n words; null where there is none, and nothing is noted.
  TESSERA_HD uint64 *note(const answer_key &key, int64 n) const {
    const int64 at = *used, end = at + answer_table::head + n;
    if (end > room) return nullptr;
    *used = end;
    uint64 *const to = noted + at;
    to[0] = key.first;
    to[1] = key.second;
    to[2] = static_cast<uint64>(n);
    return to + answer_table::head;
  }
};

}  // namespace tessera
