// The devices of a place that work at one step together. An executor has one of its kind on each of them; what a device does of a step is
// decided by the items of the step, and so is the order in which their results are put together: how many devices there are does not show.
//
// One thread of the host starts the work on every device before it waits for any.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "../../shared_items.hpp"
#include "../method.hpp"

namespace tessera {

// Consecutive items of a part for each of n members, in order.
inline item_range part_of_member(const item_range &all, int member, int n) {
  const int64 items = all.end - all.first;
  const auto before = [&](int64 m) { return all.first + items / n * m + std::min(m, items % n); };
  return {before(member), before(member + 1)};
}

// How many devices a step is worth. The first one does alone what takes it no longer than waking others up.
class team_pace {
 public:
  int members(const other_devices &others, int64 points) const {
    const int devices = others.count() + 1;
    if (others.always()) return devices;
    const double alone = static_cast<double>(points) * seconds_per_point_;
    if (alone < to_start(others)) return 1;
    return static_cast<int>(std::min<double>(devices, std::max(1.0, alone / least_share)));
  }
  // Points from which on there are more than one.
  int64 least_shared(const other_devices &others) const {
    if (others.always()) return 0;
    if (others.count() == 0) return INT64_MAX;
    const double n = std::max(2.0 * least_share, to_start(others)) / seconds_per_point_;
    return n < 9e18 ? static_cast<int64>(n) + 1 : INT64_MAX;
  }
  void took(double seconds, int64 points, int members) {
    run_ += seconds;
    if (points >= least_points) seconds_per_point_ = seconds * members / static_cast<double>(points);
  }

 private:
  // Seconds that a step has to take one device as long as others have no context and no kernels, which take a tenth of a second or more: less
  // where the run is a long one.
  double to_start(const other_devices &others) const {
    return others.are_there() || run_ >= 10.0 * least_to_start ? 0.0 : least_to_start;
  }

  static constexpr double least_share = 2e-4, least_to_start = 0.05;  // seconds
  static constexpr int64 least_points = 65536;                        // fewer say nothing of more
  double seconds_per_point_ = 1e-10;  // of the first device, as long as nothing is known
  double run_ = 0.0;                  // seconds of the run's steps so far
};

// Run: an executor with a constructor from cuda_setting &.
template <class Run>
class device_team {
 public:
  device_team(Run &first, cuda_setting &setting) : first_(first), setting_(setting) {}
  ~device_team() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (!members_[i]) continue;
      CUcontext popped;
      cuda().context_push(setting_.others()->setting_of(static_cast<int>(i)).context());
      members_[i].reset();
      cuda().context_pop(&popped);
    }
  }
  device_team(const device_team &) = delete;
  device_team &operator=(const device_team &) = delete;

  int size() const { return setting_.others() ? setting_.others()->count() + 1 : 1; }
  bool always() const { return setting_.others() && setting_.others()->always(); }
  // For those that decide beforehand what to share out: how many take part in so much, points from which on it is more than one, and what
  // the first device has taken for points by itself.
  int members(const item_range &own, int64 points) const {
    return setting_.others()
               ? static_cast<int>(std::min<int64>(own.end - own.first, pace_.members(*setting_.others(), points)))
               : 1;
  }
  int64 least_shared() const { return setting_.others() ? pace_.least_shared(*setting_.others()) : INT64_MAX; }
  void took(double seconds, int64 points) { pace_.took(seconds, points, 1); }
  // For a run: begin(member) is called before its first step on each of the others, with the member's context current.
  void begin_run() {
    begun_.assign(begun_.size(), false);
    pace_ = {};
  }

  // Shares out the items of `own`, which have so many points; start(member, its items) on each device that is to take part, then
  // end(member, its items), in the order of the items; the device's context is current. The first device starts last, for it alone
  // looks at the clock. Returns how many took part.
  template <class Begin, class Start, class End>
  int share_out(const item_range &own, int64 points, const Begin &begin, const Start &start, const End &end) {
    if (own.first == own.end) return 1;
    const int n = members(own, points);
    if (n > 1) prepare(n, begin);
    const auto from = std::chrono::steady_clock::now();
    try {
      for (int m = n; m-- > 0;) on_member(m, [&](Run &r) { start(r, part_of_member(own, m, n)); });
      for (int m = 0; m < n; ++m) on_member(m, [&](Run &r) { end(r, part_of_member(own, m, n)); });
    } catch (...) {
      wait_for_all(n);  // what the others write to is the caller's
      throw;
    }
    pace_.took(std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count(), points, n);
    return n;
  }

 private:
  template <class Begin>
  void prepare(int n, const Begin &begin) {
    members_.resize(std::max(members_.size(), static_cast<std::size_t>(n - 1)));
    begun_.resize(members_.size(), false);
    bool fresh = false;
    for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(n); ++i) {
      if (begun_[i]) continue;
      cuda_setting &setting = setting_.others()->setting_of(static_cast<int>(i));
      const current_context there(setting.context());
      if (!members_[i]) members_[i] = std::make_unique<Run>(setting);
      begin(*members_[i], setting);
      begun_[i] = fresh = true;
    }
    // What the caller has put into its stream before the run is there for all devices.
    if (fresh && !setting_.has_own_stream()) check(cuda().stream_synchronize(setting_.stream()), "the caller's stream");
  }
  template <class Body>
  void on_member(int m, const Body &body) {
    if (m == 0) return body(first_);
    const std::size_t i = static_cast<std::size_t>(m - 1);
    const current_context there(setting_.others()->setting_of(m - 1).context());
    body(*members_[i]);
  }
  void wait_for_all(int n) noexcept {
    for (int m = 0; m < n; ++m) {
      cuda_setting &setting = m == 0 ? setting_ : setting_.others()->setting_of(m - 1);
      if (cuda().context_push(setting.context()) != CUDA_SUCCESS) continue;
      cuda().stream_synchronize(setting.stream());
      CUcontext popped;
      cuda().context_pop(&popped);
    }
  }

  Run &first_;
  cuda_setting &setting_;
  std::vector<std::unique_ptr<Run>> members_;  // behind the first
  std::vector<bool> begun_;                    // in this run
  team_pace pace_;
};

}  // namespace tessera
