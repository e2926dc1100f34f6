// SPDX-License-Identifier: BSD-3-Clause
#include "shared_items.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace tessera {
namespace {

constexpr std::size_t much = std::size_t{1} << 16;  // bytes of all ranks

// What comes before the arrays in the message of a rank.
struct report {
  int64 item, zeroed;
  outcome what;
  int status, length;  // of the text that follows
};

}  // namespace

void shared_items::exchange(first_failure &failure, std::atomic<int64> &zeroed,
                            std::initializer_list<item_array> left) {
  if (!all_) return;
  const std::string text = failure.message();
  const report mine = {failure.item(), zeroed - told_zeroed_, failure.what(), failure.status(),
                       static_cast<int>(text.size())};
  own_.clear();
  const auto put = [this](const void *from, std::size_t n) {
    const auto *bytes = static_cast<const unsigned char *>(from);
    own_.insert(own_.end(), bytes, bytes + n);
  };
  // Places are counted from the first item of the step.
  const auto part_of = [this](const item_array &a, int r, unsigned char *&data) {
    const item_range part = of_rank(r);
    const int64 from = a.at(part.first - range_.first), to = a.at(part.end - range_.first);
    data = static_cast<unsigned char *>(a.data) + static_cast<std::size_t>(from) * a.bytes;
    return static_cast<std::size_t>(to - from) * a.bytes;
  };
  put(&mine, sizeof mine);
  put(text.data(), text.size());
  unsigned char *data = nullptr;
  std::size_t bytes = 0;
  for (const item_array &a : left)
    bytes += static_cast<std::size_t>(a.at(range_.end - range_.first) - a.at(0)) * a.bytes;
  const bool in_place = bytes >= much;  // without copies, in a call for each array
  if (!in_place)
    for (const item_array &a : left) {
      const std::size_t n = part_of(a, all_->rank(), data);
      put(data, n);
    }
  const ranks::gathered all =
      all_->exchange(ranks::step::items, static_cast<uint64>(range_.end - range_.first), own_.data(), own_.size());
  failure.clear();
  for (int r = 0; r < all_->size(); ++r) {
    const unsigned char *from = all.of(r);
    report its = {};
    std::memcpy(&its, from, sizeof its);
    from += sizeof its;
    told_zeroed_ += its.zeroed;
    if (its.item >= 0)
      failure.report(its.item, its.what, its.status,
                     its.length == 0
                         ? std::string()
                         : "rank " + std::to_string(r) + ": " +
                               std::string(reinterpret_cast<const char *>(from), static_cast<std::size_t>(its.length)));
    from += its.length;
    if (in_place) continue;
    for (const item_array &a : left) {
      const std::size_t n = part_of(a, r, data);
      if (r != all_->rank() && n > 0) std::memcpy(data, from, n);
      from += n;
    }
  }
  zeroed = told_zeroed_;
  if (!in_place) return;
  std::vector<std::size_t> parts(static_cast<std::size_t>(all_->size()));
  for (const item_array &a : left) {
    for (int r = all_->size(); r-- > 0;) parts[static_cast<std::size_t>(r)] = part_of(a, r, data);
    all_->gather_parts(parts, data);
  }
}

void shared_items::add_up(uint64 *counts, int64 n) {
  if (!all_) return;
  const ranks::gathered all = all_->exchange(ranks::step::training, static_cast<uint64>(n), counts,
                                             static_cast<std::size_t>(n) * sizeof *counts);
  std::fill_n(counts, n, uint64{0});
  for (int r = 0; r < all_->size(); ++r)
    for (int64 i = 0; i < n; ++i) {
      uint64 its = 0;
      std::memcpy(&its, all.of(r) + static_cast<std::size_t>(i) * sizeof its, sizeof its);
      counts[i] += its;
    }
}

}  // namespace tessera
