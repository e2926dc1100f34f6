// What lattice rules and Monte Carlo share on the host: items that threads take, blocks of points at which the integrand is called,
// and the first failure.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <string>
#include <vector>

#include "../first_failure.hpp"
#include "point_block.hpp"
#include "pool.hpp"
#include "../shared_items.hpp"
#include "work_memory.hpp"

namespace tessera {

// Base of the executors.
class block_calls {
 public:
  int callback_status() const { return failure_.status(); }
  std::string message() const { return failure_.message(); }
  // Tells the result of points at which the integrand was not finite and counted as 0.
  void tell_zeroed(run_result &result, int64 evaluations) const {
    result.zeroed = zeroed_;
    if (zeroed_ > 0) result.zeroed_share = static_cast<double>(zeroed_) / static_cast<double>(evaluations);
  }

 protected:
  static constexpr int64 most_doubles = int64{1} << 22;  // of the coordinates and values of a call
  static constexpr int64 least_block = 64;
  static std::size_t index(int64 i) { return static_cast<std::size_t>(i); }

  // room: points that a thread has memory for.
  block_calls(const problem &p, thread_pool &pool, int64 room)
      : f_(p.integrand),
        shape_(p.shape),
        ndim_(p.ndim()),
        coordinates_(p.coordinates()),
        ncomp_(p.ncomp()),
        call_points_(
            std::min({p.batch_points, room, std::max(least_block, most_doubles / (p.coordinates() + p.ncomp()))})),
        zero_(p.zero_nonfinite),
        pool_(pool),
        shared_(p.shared) {}
  // Points that stay in a near cache, which a point integrand is given one by one.
  static int64 cached_points(const problem &p) {
    constexpr int64 cached_doubles = 32768;
    return std::max(least_block, cached_doubles / (p.coordinates() + p.ncomp()));
  }
  // How many fit into what TESSERA_MAX_MEMORY leaves beside `block` of each thread, which all have their place. one, all: bytes of one
  // thread and of all with that, each: of a point.
  static int64 room_for_calls(const problem &p, int threads, int64 block, int64 one, int64 all, int64 each) {
    if (!p.memory_is_given) return INT64_MAX;
    const int64 more = (share_memory(p.asked().memory, one).fixed - all) / threads / each;
    return block + std::max<int64>(0, more - 2 * block_line);
  }
  // Points of each call of a batch integrand for so many: as few calls as can be, of nearly one size.
  int64 points_of_call(int64 points) const {
    return in_equal_parts(points, (points + call_points_ - 1) / call_points_);
  }
  // Points that are made together where a near cache has room for `block`: for a batch integrand whole calls of `each`.
  int64 points_together(int64 block, int64 each) const {
    return f_.batch ? each * std::max<int64>(1, block / each) : block;
  }
  // Where a thread's share of consecutive points may end, with `rest` points behind it: calls are full then, but for a tenth.
  bool may_end(int64 points, int64 rest) const { return !f_.batch || (fills_calls(points) && fills_calls(rest)); }

  // For run_tasks: what is asked between the points. Call it before the first.
  template <class Blocks>
  void watch(Blocks &blocks, run_hooks &hooks) {
    for (point_block &b : blocks) b.watch.start(hooks, f_);
  }
  // body(first item, end item, thread) for all tasks, none behind an item that has failed. Of the ranks that share the run each works at
  // its part of the items, and `left` is what items leave behind: all have it afterwards, as if one rank had made it. What the caller does
  // while others have begun is `meanwhile`. Returns what went wrong, or running.
  template <class Body, class Meanwhile>
  outcome run_tasks(const Body &body, std::initializer_list<item_array> left, const Meanwhile &meanwhile) {
    failure_.clear();
    const item_range own = shared_.begin(tasks_.front(), tasks_.back());
    const auto take = [&](int64 task, int thread) {
      const int64 first = std::max(own.first, tasks_[index(task)]), end = std::min(own.end, tasks_[index(task + 1)]);
      if (first < end) failure_.watch(first, [&] { body(first, end, thread); });
    };
    pool_.start(static_cast<int64>(tasks_.size()) - 1, std::cref(take));
    const thread_pool::end_of_round whatever_is_thrown{pool_};
    meanwhile();
    pool_.finish();
    shared_.exchange(failure_, zeroed_, left);
    return failure_.what();
  }
  template <class Body>
  outcome run_tasks(const Body &body, std::initializer_list<item_array> left) {
    return run_tasks(body, left, [] {});
  }
  // body(i) for i = 0 ... n-1, by all threads.
  template <class Body>
  void by_threads(int64 n, const Body &body) {
    pool_.run(n, [&](int64 i, int) { body(i); });
  }
  // Sums of integers over the ranks.
  void add_up(uint64 *counts, int64 n) { shared_.add_up(counts, n); }
  int ranks_there() const { return shared_.parts(); }
  int64 failed_item() const { return failure_.item(); }  // all before it are done

  // Room for so many points.
  void prepare(point_block &b, int64 points) const { prepare_block(b, points, coordinates_, ncomp_); }
  // Of one, as prepare makes it.
  static int64 block_bytes(const problem &p, int64 points) {
    return static_cast<int64>(sizeof(point_block)) + (block_stride(points) + 1) * point_bytes(p);
  }
  static int64 point_bytes(const problem &p) { return 8 * (p.coordinates() + p.ncomp() + 1); }
  // The integrand at n points of a block, in calls of `each` at most. False when it asked to stop, or the time is over, which is reported
  // for the item that has the first of them.
  bool call(int64 item, int64 n, int64 each, point_block &b);
  // As much work as n points are has been done. False when the time is over, which is reported.
  bool goes_on(int64 item, int64 n, point_block &b) {
    if (b.watch.goes_on(n)) return true;
    failure_.report(item, b.watch.end(), 0, {});
    return false;
  }
  // One of these values, or else a sum of them, is not finite.
  void report_nonfinite(int64 item, int64 n, const point_block &b);

  const host_integrand &f_;
  const domain_shape *const shape_;  // for messages
  const int ndim_, coordinates_, ncomp_;
  const int64 call_points_;   // of a batch integrand's calls, at most
  const bool zero_;           // values that are not finite count as 0
  std::vector<int64> tasks_;  // items tasks_[i] ... tasks_[i + 1] - 1 are the work of one thread at a time

 private:
  static int64 in_equal_parts(int64 n, int64 parts) { return (n + parts - 1) / std::max<int64>(1, parts); }
  bool fills_calls(int64 points) const {
    const int64 calls = (points + call_points_ - 1) / call_points_;
    return static_cast<double>(points) >= 0.9 * static_cast<double>(calls) * static_cast<double>(call_points_);
  }
  thread_pool &pool_;
  shared_items shared_;
  first_failure failure_;
  std::atomic<int64> zeroed_{0};
};

}  // namespace tessera
