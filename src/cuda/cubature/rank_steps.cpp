// SPDX-License-Identifier: BSD-3-Clause
#include "rank_steps.hpp"

#include <cstring>
#include <vector>

namespace tessera {
namespace {

// What each rank hands in, and all that were handed in.
template <class T>
std::vector<T> all_of(ranks &all, ranks::step which, uint64 number, const T &mine) {
  const ranks::gathered g = all.exchange(which, number, &mine, sizeof mine);
  std::vector<T> each(static_cast<std::size_t>(all.size()));
  for (int r = 0; r < all.size(); ++r) std::memcpy(&each[static_cast<std::size_t>(r)], g.of(r), sizeof(T));
  return each;
}

}  // namespace

void rank_steps::begin(ranks *all, int devices, bool always) {
  all_ = all && all->size() > 1 ? all : nullptr;
  always_ = all_ && always;
  any_has_devices_ = false;
  seconds_per_point_ = 1e-10;
  not_worth_ = 0;
  items_ = shared_items(all_);
  if (!all_) return;
  for (const int64 n : all_of(*all_, ranks::step::memory, 0, int64{devices}))
    any_has_devices_ = any_has_devices_ || n > 1;
}

int64 rank_steps::memory(int64 free, uint64 device) {
  struct holding {
    int64 free;
    uint64 device;
  };
  const std::vector<holding> ranks_have = all_of(*all_, ranks::step::memory, 1, holding{free, device});
  int64 least = free;
  for (const holding &its : ranks_have) {
    const auto on_it = std::count_if(ranks_have.begin(), ranks_have.end(),
                                     [&](const holding &other) { return other.device == its.device; });
    least = std::min(least, its.free / on_it);
  }
  return least;
}

void rank_steps::agree_on_room(int64 &regions, int64 &parents, bool &there) {
  struct room {
    int64 regions, parents, there;
  };
  if (!all_) return;
  for (const room &its : all_of(*all_, ranks::step::memory, 2, room{regions, parents, there ? 1 : 0})) {
    regions = std::min(regions, its.regions);
    parents = std::min(parents, its.parents);
    there = there && its.there != 0;
  }
}

void rank_steps::set_pace(double seconds, int64 points) {
  constexpr double least = 1e-15;  // what no device does
  seconds_per_point_ = std::max(least, seconds / static_cast<double>(points));
}

double rank_steps::slowest(double seconds, int64 points) {
  if (!all_) return seconds;
  for (const double its : all_of(*all_, ranks::step::pace, static_cast<uint64>(points), seconds))
    seconds = std::max(seconds, its);
  set_pace(seconds, points);
  return seconds;
}

void rank_steps::took(double alone, double together, int64 points) {
  struct times {
    double alone, together;
  };
  for (const times &its : all_of(*all_, ranks::step::pace, static_cast<uint64>(points), times{alone, together})) {
    alone = std::max(alone, its.alone);
    together = std::max(together, its.together);
  }
  set_pace(alone, points);
  if (together > least_gain * alone) not_worth_ = points < INT64_MAX / 4 ? 4 * points : INT64_MAX;
}

const first_failure &rank_steps::exchange(int64 item, outcome end, int status, const std::string &why,
                                          std::initializer_list<item_array> left) {
  failure_.clear();
  if (end != outcome::running) failure_.report(item, end, status, why);
  items_.exchange(failure_, none_zeroed_, left);
  return failure_;
}

}  // namespace tessera
