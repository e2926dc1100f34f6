// Questions that an integrand has been asked, as hashes of 128 bits, and a table of what it has answered. Read by the host and by devices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lattice.hpp"

namespace tessera {

// Of 1e9 questions two have the same with a probability below 1e-20.
struct answer_key {
  uint64 first = 0, second = 0;
};

class question {
 public:
  TESSERA_HD explicit question(uint64 kind) { add(kind); }
  TESSERA_HD explicit question(const answer_key &behind) : key_(behind) {}
  TESSERA_HD question &add(uint64 word) {
    key_.first = mix_bits(key_.first ^ word);
    key_.second = mix_bits(key_.second + word * uint64{0x9e3779b97f4a7c15} + 1);
    return *this;
  }
  TESSERA_HD question &add(int64 v) { return add(static_cast<uint64>(v)); }
  TESSERA_HD question &add(int v) { return add(static_cast<int64>(v)); }
  TESSERA_HD question &add(uint32 v) { return add(static_cast<uint64>(v)); }
  TESSERA_HD question &add(bool v) { return add(static_cast<int64>(v)); }
  TESSERA_HD question &add(double v) { return add(bits_of(v)); }
  template <class Number>
  TESSERA_HD question &add(const Number *v, int64 n) {
    add(n);
    for (int64 i = 0; i < n; ++i) add(v[i]);
    return *this;
  }
  TESSERA_HD const answer_key &key() const { return key_; }

 private:
  answer_key key_;
};

// Answers one behind the other, in front of each its key and its number of words.
struct answer_table {
  static constexpr int head = 3;
  const uint64 *words = nullptr;
  const uint64 *slots = nullptr;  // by key: one more than the place of an answer's head; 0: none
  uint64 slot_count = 0;          // a power of two, and more than there are answers; 0: no answers

  // Where the key is, or the free slot where it would be.
  TESSERA_HD uint64 slot_of(const answer_key &key) const {
    const uint64 mask = slot_count - 1;
    uint64 s = key.first & mask;
    for (; slots[s] != 0; s = (s + 1) & mask)
      if (words[slots[s] - 1] == key.first && words[slots[s]] == key.second) break;
    return s;
  }
  // Null: there is none. n: its words.
  TESSERA_HD const uint64 *find(const answer_key &key, uint64 &n) const {
    n = 0;
    const uint64 at = slot_count > 0 ? slots[slot_of(key)] : 0;
    if (at == 0) return nullptr;
    n = words[at + 1];
    return words + at + 2;
  }
};

}  // namespace tessera
