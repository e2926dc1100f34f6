// SPDX-License-Identifier: BSD-3-Clause
#include "turn_memory.hpp"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::size_t word = sizeof(uint64);
constexpr int64 most_note_words = int64{1} << 20, most_noted = 8192;

template <class T>
T *at(const device_memory &m, std::size_t words = 0) {
  return reinterpret_cast<T *>(m.address() + words * word);
}

}  // namespace

void turn_memory::begin(kept_answers *answers, int64 words, CUstream stream) {
  answers_ = answers;
  turn_words_ = answer_table::head + words;
  most_turns_ = std::clamp<int64>(most_note_words / turn_words_, 1, most_noted);
  stream_ = stream;
}

kept_turns turn_memory::open() try {
  if (!answers_) return {};
  const answer_table known = answers_->table();
  const std::size_t words = answers_->table_words() * word, slots = static_cast<std::size_t>(known.slot_count) * word;
  kept_turns turns;
  turns.room = most_turns_ * turn_words_;
  allocate(notes_, (1 + static_cast<std::size_t>(turns.room)) * word);
  turns.used = at<int64>(notes_);
  turns.noted = at<uint64>(notes_, 1);
  if (words > 0) {
    allocate(words_, words);
    allocate(slots_, slots);
    upload(words_.address(), known.words, words, stream_, "uploading the state");
    upload(slots_.address(), known.slots, slots, stream_, "uploading the state");
    check(cuda().stream_synchronize(stream_), "uploading the state");
    turns.known = {at<const uint64>(words_), at<const uint64>(slots_), known.slot_count};
  }
  forget_notes();
  return turns;
} catch (const std::bad_alloc &) {
  answers_->lack_memory();
  answers_ = nullptr;
  return {};
}

void turn_memory::forget_notes() {
  check(cuda().set_bytes(notes_.address(), 0, sizeof(int64), stream_), "starting the kernel");
}

void turn_memory::take() try {
  if (!answers_) return;
  int64 used = 0;
  check(cuda().download(&used, notes_.address(), sizeof used), "downloading the state");
  notes_here_.resize(static_cast<std::size_t>(used));
  if (used > 0)
    check(cuda().download(notes_here_.data(), notes_.address() + word, notes_here_.size() * word),
          "downloading the state");
  forget_notes();
  for (std::size_t i = 0; i < notes_here_.size();) {
    const uint64 *const head = &notes_here_[i];
    const auto n = static_cast<std::size_t>(head[2]);
    if (uint64 *const to = answers_->keep({head[0], head[1]}, n)) std::copy_n(head + answer_table::head, n, to);
    i += answer_table::head + n;
  }
} catch (const std::bad_alloc &) {
  answers_->lack_memory();
}

}  // namespace tessera
