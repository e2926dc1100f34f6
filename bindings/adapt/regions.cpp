// SPDX-License-Identifier: BSD-3-Clause
#include "regions.hpp"

#include <cmath>

namespace adapt {

int64 region::pieces() const {
  double n = 1.0;
  for (int j = 0; j < ndim_; ++j) n *= mesh(j);
  return static_cast<int64>(n);
}

int64 region_list::append() {
  const int64 i = static_cast<int64>(records_.size() / region::fields(ndim_));
  records_.resize(records_.size() + region::fields(ndim_));
  return i;
}

void region_list::sift_in() {
  const entry newest = {error_of(size()), size()};
  heap_.push_back(newest);
  std::size_t at = heap_.size() - 1;
  for (; at > 0; at = (at - 1) / 2) {
    const entry &parent = heap_[(at - 1) / 2];
    if (!(newest.error > parent.error)) break;
    heap_[at] = parent;
  }
  heap_[at] = newest;
}

void region_list::sift_worst() {
  const entry moved = {error_of(worst()), worst()};
  std::size_t at = 0;
  for (std::size_t child = 1; child < heap_.size(); child = 2 * at + 1) {
    if (child + 1 < heap_.size() && heap_[child].error < heap_[child + 1].error) ++child;
    if (!(moved.error < heap_[child].error)) break;
    heap_[at] = heap_[child];
    at = child;
  }
  heap_[at] = moved;
}

bool region_list::read(const work_array &from) {
  const double count = from.work[from.length - 1];
  if (!(count >= 0.0 && count <= static_cast<double>(from.room) && count == std::floor(count))) return false;
  const int64 n = static_cast<int64>(count), room = from.room;
  const double *errors = from.work, *values = errors + room, *heap = values + room, *lower = heap + room,
               *upper = lower + room * ndim_, *mesh = upper + room * ndim_;
  std::vector<bool> seen(static_cast<std::size_t>(n));
  for (int64 i = 0; i < n; ++i) {
    if (!(heap[i] >= 1.0 && heap[i] <= count && heap[i] == std::floor(heap[i]))) return false;
    const auto at = static_cast<std::size_t>(heap[i]) - 1;
    if (seen[at] || !std::isfinite(values[i]) || !(errors[i] >= 0.0) || std::isinf(errors[i])) return false;
    seen[at] = true;
    heap_.push_back({errors[at], static_cast<int64>(at)});
    const region r = (*this)[append()];
    r.error() = errors[i];
    r.value() = values[i];
    double pieces = 1.0;
    for (int j = 0; j < ndim_; ++j) {
      r.lower(j) = lower[i * ndim_ + j];
      r.upper(j) = upper[i * ndim_ + j];
      r.mesh(j) = mesh[i * ndim_ + j];
      pieces *= r.mesh(j);
      if (!(r.lower(j) >= 0.0 && r.lower(j) <= r.upper(j) && r.upper(j) <= 1.0 && r.mesh(j) >= 1.0)) return false;
      if (r.mesh(j) != std::floor(r.mesh(j)) || pieces > 4294967296.0) return false;
    }
  }
  return true;
}

void region_list::write(const work_array &to) {
  to.work[to.length - 1] = 0.0;
  if (size() > to.room) return;  // there is no way back to a list that is longer than the array
  const int64 room = to.room;
  double *errors = to.work, *values = errors + room, *heap = values + room, *lower = heap + room,
         *upper = lower + room * ndim_, *mesh = upper + room * ndim_;
  for (int64 i = 0; i < size(); ++i) {
    const region r = (*this)[i];
    errors[i] = r.error();
    values[i] = r.value();
    heap[i] = static_cast<double>(heap_[static_cast<std::size_t>(i)].index + 1);
    for (int j = 0; j < ndim_; ++j) {
      lower[i * ndim_ + j] = r.lower(j);
      upper[i * ndim_ + j] = r.upper(j);
      mesh[i * ndim_ + j] = r.mesh(j);
    }
  }
  to.work[to.length - 1] = static_cast<double>(size());
}

}  // namespace adapt
