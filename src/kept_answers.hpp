// What the integrand has answered in a run, so that another one, in another process, need not ask again: a run that goes on is the same run from its
// beginning, whose steps find their answers here as far as these go. So its decisions are those of the uninterrupted run, whatever limits, tolerances or threads
// have changed since.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/question.hpp"

namespace tessera {

class kept_answers {
 public:
  // n words; null where there are none, or not so many.
  const uint64 *find(const answer_key &key, std::size_t n) const {
    std::size_t there = 0;
    const uint64 *const words = find_any(key, there);
    return there == n ? words : nullptr;
  }
  const uint64 *find_any(const answer_key &key, std::size_t &n) const {
    n = 0;
    if (!whole_.empty() && key.first == whole_head_[0] && key.second == whole_head_[1]) {
      n = whole_.size();
      return whole_.data();
    }
    uint64 words = 0;
    const uint64 *const known = table().find(key, words);
    n = static_cast<std::size_t>(words);
    return known;
  }
  // Those that find looks among, but for that of replace; until the next one is kept.
  answer_table table() const { return {words_.data(), slots_.data(), slots_.size()}; }
  std::size_t table_words() const { return words_.size(); }
  // Room for n words, in the place of an answer of the same length. Null where there is no memory: then nothing is kept any more. Valid until the next one.
  uint64 *keep(const answer_key &key, std::size_t n) try {
    if (!complete_) return nullptr;
    if (4 * (count_ + 1) > 3 * slots_.size()) index_again(slots_.size() < 64 ? 64 : 2 * slots_.size());
    uint64 &slot = slots_[table().slot_of(key)];
    if (slot != 0 && words_[slot + 1] == n) return &words_[slot + 2];
    const std::size_t at = words_.size();
    words_.resize(at + head + n);
    words_[at] = key.first;
    words_[at + 1] = key.second;
    words_[at + 2] = n;
    count_ += slot == 0 ? 1 : 0;
    slot = at + 1;
    return &words_[at + head];
  } catch (const std::bad_alloc &) {
    complete_ = false;
    return nullptr;
  }
  // For the one answer that a run hands out again and again: in the place of what it was before, however long.
  void replace(const answer_key &key, std::vector<uint64> words) {
    const std::size_t at = slots_.empty() ? 0 : static_cast<std::size_t>(slots_[table().slot_of(key)]);
    if (at > 0) {  // that of another process
      const auto from = words_.begin() + static_cast<std::ptrdiff_t>(at) - 1;
      words_.erase(from, from + static_cast<std::ptrdiff_t>(head + words_[at + 1]));
      std::fill(slots_.begin(), slots_.end(), uint64{0});
      enter_all();
    }
    whole_head_ = {key.first, key.second, words.size()};
    whole_ = std::move(words);
  }
  void lack_memory() { complete_ = false; }
  bool is_complete() const { return complete_; }
  // All of them, one part behind the other.
  struct part {
    const uint64 *words;
    std::size_t n;
  };
  std::array<part, 3> parts() const {
    return {part{words_.data(), words_.size()}, part{whole_head_.data(), whole_.empty() ? 0 : head},
            part{whole_.data(), whole_.size()}};
  }
  bool is_empty() const { return words_.empty() && whole_.empty(); }

  // Those of another process. False: they cannot be.
  bool take(std::vector<uint64> words) {
    std::size_t n = 0;
    for (std::size_t at = 0; at < words.size(); ++n) {
      if (words.size() - at < head || words[at + 2] > words.size() - at - head) return false;
      at += head + static_cast<std::size_t>(words[at + 2]);
    }
    std::vector<uint64> slots(64);
    while (4 * (n + 1) > 3 * slots.size()) slots.resize(2 * slots.size());
    words_ = std::move(words);
    slots_ = std::move(slots);
    enter_all();
    return true;
  }

 private:
  static constexpr std::size_t head = answer_table::head;

  void index_again(std::size_t size) {
    std::vector<uint64> larger(size);
    slots_.swap(larger);
    enter_all();
  }
  // Of two with the same key the later one counts.
  void enter_all() {
    count_ = 0;
    for (std::size_t at = 0; at < words_.size(); at += head + static_cast<std::size_t>(words_[at + 2])) {
      uint64 &slot = slots_[table().slot_of({words_[at], words_[at + 1]})];
      count_ += slot == 0 ? 1 : 0;
      slot = at + 1;
    }
  }

  std::vector<uint64> words_, slots_;
  std::vector<uint64> whole_;  // the answer of replace; empty: none
  std::array<uint64, head> whole_head_ = {};
  std::size_t count_ = 0;
  bool complete_ = true;
};

// Arrays of doubles, or of what consists of doubles, as words.
template <class T>
void read_words(const uint64 *from, T *to, std::size_t n) {
  std::memcpy(static_cast<void *>(to), from, n * sizeof(T));
}
template <class T>
void write_words(uint64 *to, const T *from, std::size_t n) {
  std::memcpy(to, static_cast<const void *>(from), n * sizeof(T));
}

}  // namespace tessera
