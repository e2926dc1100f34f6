// What lattice rules and Monte Carlo share on the host: items that threads take, blocks of points at which the integrand is called,
// and the first failure.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "first_failure.hpp"
#include "pool.hpp"
#include "raw_array.hpp"
#include "step_watch.hpp"

namespace tessera {

// Points, values and jacobians of one block. Coordinate j of point i is x[j*block + i], component k f[k*block + i].
struct point_block {
  raw_array x, f, jacobian;
  std::vector<double> point, values;  // of one point
  step_watch watch;
};

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
  static constexpr int64 cached_doubles = 32768;  // of the coordinates and values of a block
  static constexpr int64 least_block = 64;
  static std::size_t index(int64 i) { return static_cast<std::size_t>(i); }

  // For run_items: what is asked between the points. Call it before the first.
  template <class Blocks>
  void watch(Blocks &blocks, run_hooks &hooks) {
    for (point_block &b : blocks) b.watch.start(hooks, f_);
  }
  int64 ended_at() const { return failure_.item(); }  // the item, of those before all are done

  // coordinates: numbers that a point consists of, ndim or more.
  block_calls(const problem &p, thread_pool &pool)
      : f_(p.integrand),
        ndim_(p.ndim()),
        coordinates_(p.coordinates()),
        ncomp_(p.ncomp()),
        batch_points_(p.batch_points),
        zero_(p.zero_nonfinite),
        pool_(pool) {}

  // body(item, thread) for items first .. end-1, none behind one that has failed. Returns what went wrong, or running.
  template <class Body>
  outcome run_items(int64 first, int64 end, const Body &body) {
    failure_.clear();
    pool_.run(end - first, [&](int64 i, int thread) { failure_.watch(first + i, [&] { body(first + i, thread); }); });
    return failure_.what();
  }

  void prepare(point_block &b) const;
  // Of one, as prepare makes it.
  static int64 block_bytes(int64 points, int64 coordinates, int64 ncomp) {
    return static_cast<int64>(sizeof(point_block)) + 8 * (points + 1) * (coordinates + ncomp + 1);
  }
  // The integrand at n points of a block. False when it asked to stop, or the time is over, which is reported.
  bool call(int64 item, int64 n, point_block &b);
  // As much work as n points are has been done. False when the time is over, which is reported.
  bool goes_on(int64 item, int64 n, point_block &b) {
    if (b.watch.goes_on(n)) return true;
    failure_.report(item, b.watch.end(), 0, {});
    return false;
  }
  // One of these values, or else a sum of them, is not finite.
  void report_nonfinite(int64 item, int64 n, const point_block &b);

  const host_integrand &f_;
  const int ndim_, coordinates_, ncomp_;
  const int64 batch_points_;
  const bool zero_;            // values that are not finite count as 0
  int64 block_ = least_block;  // points

 private:
  int call_batch(int64 n, point_block &b) const;
  int call_points(int64 n, point_block &b) const;
  int64 fill_holes(int64 n, point_block &b) const;

  thread_pool &pool_;
  first_failure failure_;
  std::atomic<int64> zeroed_{0};
};

}  // namespace tessera
