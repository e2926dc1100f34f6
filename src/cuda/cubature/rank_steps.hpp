// The ranks that share a cubature on devices. Each has all regions on its first device and makes every step there; of a large step each
// evaluates a part, with all its devices, and what that leaves goes to all. What is shared is decided by numbers that all ranks have.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <string>

#include "../../shared_items.hpp"

namespace tessera {

class rank_steps {
 public:
  // Of a run. all: null, or one rank, where there are no others. devices: of this rank. always: every step is shared, a test.
  void begin(ranks *all, int devices, bool always);

  bool are_there() const { return all_ != nullptr; }
  int count() const { return all_ ? all_->size() : 1; }
  bool always() const { return always_; }
  // From which on a step is left to whoever shares it out, and whether the ranks share one of so many.
  int64 least_points() const {
    const auto n = static_cast<int64>(least_seconds / seconds_per_point_) + 1;
    return always_ ? 0 : (any_has_devices_ ? n : std::max(n, not_worth_));
  }
  bool share(int64 points) const { return all_ && (always_ || points >= not_worth_); }

  // Where there are others: bytes that each may take, of which a rank has `free` on its first device. Ranks on one device share them.
  int64 memory(int64 free, uint64 device);
  void agree_on_room(int64 &regions, int64 &parents, bool &there);
  // The longest time of any rank for so many points.
  double slowest(double seconds, int64 points);
  // Of a step that was shared: seconds that a rank would have taken by itself, and that it took with the others.
  void took(double alone, double together, int64 points);

  // The part of a step that is this rank's.
  item_range begin_step(const item_range &items) { return items_.begin(items.first, items.end); }
  // What has ended an evaluation on the first of the ranks where something has, and what the items of a step have left on each of them.
  const first_failure &exchange(int64 item, outcome end, int status, const std::string &why,
                                std::initializer_list<item_array> left);

 private:
  void set_pace(double seconds, int64 points);

  static constexpr double least_seconds = 4e-4;  // of one device, as among the devices of a rank
  static constexpr double least_gain = 0.9;      // of the time of one rank, above which sharing does not pay

  ranks *all_ = nullptr;
  bool always_ = false, any_has_devices_ = false;
  double seconds_per_point_ = 1e-10;  // as long as nothing is known
  int64 not_worth_ = 0;               // points of a step up to which sharing has been seen not to pay
  shared_items items_{nullptr};
  first_failure failure_;
  std::atomic<int64> none_zeroed_{0};
};

}  // namespace tessera
