// DCUHRE's WORK array: where the regions stand in it.
//   values (NUMFUN,S), errors (NUMFUN,S), centres (NDIM,S), half-widths (NDIM,S), greatest error (S), axis (S), scratch, ...
// and in the last element the number of regions. S follows from the length of the array.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace dcuhre {

using int64 = std::int64_t;

constexpr int64 scratch = 17;  // elements of a component that are not regions

inline int64 fields(int64 ndim, int64 numfun) { return 2 * ndim + 2 * numfun + 2; }

// Length that `regions` regions need.
inline int64 length_for(int64 regions, int64 ndim, int64 numfun) {
  return regions * fields(ndim, numfun) + scratch * numfun + 1;
}

template <class Real>
class work_array {
 public:
  work_array(Real *work, int64 length, int64 ndim, int64 numfun)
      : work_(work),
        length_(length),
        ndim_(ndim),
        numfun_(numfun),
        room_((length - 1 - scratch * numfun) / fields(ndim, numfun)) {}

  // The record of tessera.h has the same numbers in another order.
  int64 record_fields() const { return 2 * ndim_ + 3 * numfun_ + 2; }

  // False when the array does not hold regions.
  bool read(std::vector<double> &records) const {
    const double count = work_[length_ - 1];
    if (!(count >= 1.0 && count <= static_cast<double>(room_) && count == std::floor(count))) return false;
    const int64 n = static_cast<int64>(count);
    records.assign(static_cast<std::size_t>(n * record_fields()), 0.0);
    for (int64 i = 0; i < n; ++i) {
      double *r = records.data() + i * record_fields();
      r = std::copy_n(centres() + i * ndim_, ndim_, r);
      r = std::copy_n(half_widths() + i * ndim_, ndim_, r);
      r = std::copy_n(values() + i * numfun_, numfun_, r);
      r = std::copy_n(errors() + i * numfun_, numfun_, r);
      std::fill_n(r, numfun_, axes()[i] - 1.0);
    }
    return true;
  }

  // Writes a record to place i.
  void write(int64 i, const double *record) {
    greatest()[i] = static_cast<Real>(greatest_error(record));
    record = put(record, ndim_, centres() + i * ndim_);
    record = put(record, ndim_, half_widths() + i * ndim_);
    record = put(record, numfun_, values() + i * numfun_);
    record = put(record, numfun_, errors() + i * numfun_);
    axes()[i] = static_cast<Real>(*record + 1.0);
  }
  double greatest_error(const double *record) const {
    const double *e = record + 2 * ndim_ + numfun_;
    return *std::max_element(e, e + numfun_);
  }
  void set_count(int64 n) { work_[length_ - 1] = static_cast<Real>(n); }

  // A run on a device leaves no regions, but its result, in the first place. The count says so by a number that is not one of
  // regions, and that nobody has there by chance.
  void write_result(const Real *value, const Real *error) {
    std::copy_n(value, numfun_, values());
    std::copy_n(error, numfun_, errors());
    set_count(only_a_result);
  }
  bool holds_result() const { return work_[length_ - 1] == static_cast<Real>(only_a_result); }
  const Real *result_value() const { return values(); }
  const Real *result_error() const { return errors(); }

 private:
  static constexpr int64 only_a_result = -698;

  static const double *put(const double *from, int64 n, Real *to) {
    for (int64 i = 0; i < n; ++i) to[i] = static_cast<Real>(from[i]);
    return from + n;
  }
  Real *values() const { return work_; }
  Real *errors() const { return values() + numfun_ * room_; }
  Real *centres() const { return errors() + numfun_ * room_; }
  Real *half_widths() const { return centres() + ndim_ * room_; }
  Real *greatest() const { return half_widths() + ndim_ * room_; }
  Real *axes() const { return greatest() + room_; }

  Real *work_;
  int64 length_, ndim_, numfun_, room_;
};

}  // namespace dcuhre
