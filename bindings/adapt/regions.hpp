// The list of regions of ADAPT. A region is a box with a mesh: it is divided into equal pieces, mesh[j] along axis j, and the rule
// is applied to each. Most have one piece; a list that is full refines meshes in place of growing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "rule.hpp"

namespace adapt {

class region {
 public:
  region(double *record, int ndim) : record_(record), ndim_(ndim) {}
  static std::size_t fields(int ndim) { return 3 * static_cast<std::size_t>(ndim) + 2; }

  double &error() const { return record_[0]; }
  double &value() const { return record_[1]; }
  double &lower(int j) const { return record_[2 + j]; }
  double &upper(int j) const { return record_[2 + ndim_ + j]; }
  double &mesh(int j) const { return record_[2 + 2 * std::ptrdiff_t{ndim_} + j]; }
  double piece_half(int j) const { return (upper(j) - lower(j)) / (2.0 * mesh(j)); }
  int64 pieces() const;

 private:
  double *record_;
  int ndim_;
};

// Where a list stands in the caller's array, `room` regions at most:
//   errors, values, heap, lower limits (ndim, room), upper limits, meshes, ..., and in the last element the number of regions.
struct work_array {
  double *work;
  int64 length;
  int64 room;
};

class region_list {
 public:
  explicit region_list(int ndim) : ndim_(ndim) {}

  int64 size() const { return static_cast<int64>(heap_.size()); }
  region operator[](int64 i) { return {records_.data() + static_cast<std::size_t>(i) * region::fields(ndim_), ndim_}; }
  // The region with the largest error.
  int64 worst() const { return heap_.front().index; }

  // A new region, without values yet; references to others become invalid. It is not in the heap before sift_in.
  int64 append();
  // Brings the newest region to its place in the heap.
  void sift_in();
  // The same for the worst region after its error has changed.
  void sift_worst();

  // False when the array does not hold such a list.
  bool read(const work_array &from);
  void write(const work_array &to);

 private:
  struct entry {
    double error;  // the region's, beside it for speed
    int64 index;
  };
  double error_of(int64 i) const { return records_[static_cast<std::size_t>(i) * region::fields(ndim_)]; }

  int ndim_;
  std::vector<double> records_;
  std::vector<entry> heap_;
};

}  // namespace adapt
