// What lattice rules and Monte Carlo share on the host: items that threads take, blocks of points at which the integrand is called,
// and the first failure.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "first_failure.hpp"
#include "pool.hpp"

namespace tessera {

// Points, values and jacobians of one block. Coordinate j of point i is x[j*stride + i], component k f[k*stride + i].
struct point_block {
  int64 stride = 0;
  std::vector<double> x, f, jacobian;
  std::vector<double> point, values;  // of one point
};

// Base of the executors.
class block_calls {
 public:
  int callback_status() const { return failure_.status(); }
  std::string message() const { return failure_.message(); }

 protected:
  static constexpr int64 cached_doubles = 32768;         // of the coordinates and values of a block
  static constexpr int64 most_doubles = int64{1} << 22;  // of those of a call
  static constexpr int64 least_block = 64;
  static std::size_t index(int64 i) { return static_cast<std::size_t>(i); }

  // coordinates: numbers that a point consists of, ndim or more.
  block_calls(const host_integrand &f, int ndim, int coordinates, int ncomp, int64 batch_points, thread_pool &pool)
      : f_(f),
        ndim_(ndim),
        coordinates_(coordinates),
        ncomp_(ncomp),
        call_points_(std::min(batch_points, std::max(least_block, most_doubles / (coordinates + ncomp)))),
        pool_(pool) {}
  // Points that stay in a near cache, which a point integrand is given one by one.
  int64 cached_points() const { return std::max(least_block, cached_doubles / (coordinates_ + ncomp_)); }
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

  // body(item, thread) for items first .. end-1, none behind one that has failed. Returns what went wrong, or running.
  template <class Body>
  outcome run_items(int64 first, int64 end, const Body &body) {
    failure_.clear();
    pool_.run(end - first, [&](int64 i, int thread) { failure_.watch(first + i, [&] { body(first + i, thread); }); });
    return failure_.what();
  }

  int64 failed_item() const { return failure_.item(); }  // all before it are done

  // Room for so many points.
  void prepare(point_block &b, int64 points) const;
  // The integrand at n points of a block, in calls of `each`. False when it asked to stop, which is reported.
  bool call(int64 item, int64 n, int64 each, point_block &b);
  // One of these values, or else a sum of them, is not finite.
  void report_nonfinite(int64 item, int64 n, const point_block &b);
  static std::size_t doubles(const point_block &b) { return b.x.capacity() + b.f.capacity() + b.jacobian.capacity(); }

  const host_integrand &f_;
  const int ndim_, coordinates_, ncomp_;
  const int64 call_points_;  // of a batch integrand's calls, at most

 private:
  static int64 in_equal_parts(int64 n, int64 parts) { return (n + parts - 1) / std::max<int64>(1, parts); }
  bool fills_calls(int64 points) const {
    const int64 calls = (points + call_points_ - 1) / call_points_;
    return static_cast<double>(points) >= 0.9 * static_cast<double>(calls) * static_cast<double>(call_points_);
  }
  int call_all(int64 n, int64 each, point_block &b) const;

  thread_pool &pool_;
  first_failure failure_;
};

}  // namespace tessera
