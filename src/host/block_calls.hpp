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
  // Points that are made together, where such a block has `block` of them: for a batch integrand whole calls.
  int64 points_together(int64 block) const {
    if (!f_.batch) return block;
    return call_points_ * std::max<int64>(1, block / call_points_);
  }
  // Are so many points enough for one thread at a time? A batch integrand's calls are then full, but for a tenth.
  bool fill_calls(int64 points) const {
    const int64 calls = (points + call_points_ - 1) / call_points_;
    return !f_.batch ||
           static_cast<double>(points) >= 0.9 * static_cast<double>(calls) * static_cast<double>(call_points_);
  }

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
  // The integrand at n points of a block. False when it asked to stop, which is reported.
  bool call(int64 item, int64 n, point_block &b);
  // One of these values, or else a sum of them, is not finite.
  void report_nonfinite(int64 item, int64 n, const point_block &b);
  static std::size_t doubles(const point_block &b) { return b.x.capacity() + b.f.capacity() + b.jacobian.capacity(); }

  const host_integrand &f_;
  const int ndim_, coordinates_, ncomp_;
  const int64 call_points_;  // of a batch integrand's calls, at most

 private:
  int call_all(int64 n, point_block &b) const;

  thread_pool &pool_;
  first_failure failure_;
};

}  // namespace tessera
