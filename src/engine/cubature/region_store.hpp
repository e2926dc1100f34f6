// The regions: one record each, fields in a fixed order, read through two strides so that the host keeps records together
// and a device keeps fields together.
//
// Record: centre[ndim], half[ndim], value[ncomp], error[ncomp], state. With the 16 bytes of an entry of the priority queue
// that is 2*ndim + 2*ncomp + 3 doubles.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/hd.hpp"

namespace tessera {

// What a region remembers beside its numbers.
struct region_state {
  // Share of the error that is there because something may hide behind a face; see two_level_correction.hpp. Below -1 in fresh regions
  // whose errors are those for a smooth integrand and have not been compared with the parent's yet: -excess, see core/estimate.hpp. Between
  // -1 and 0 where there is no suspicion: -axes/16, see axes_in_use()
  float suspicion;
  uint32 word;  // ranked axes (24 bits) and the flags below
};
constexpr uint32 region_axes = 0xffffffu;
constexpr uint32 region_face_place = 3u << 24;  // place among the ranked axes of the suspected face's axis
constexpr uint32 region_face_high = 1u << 26;   // the suspected face is the upper one
constexpr uint32 region_rough = 1u << 27;       // the null rules do not fall as they do for smooth integrands
constexpr uint32 region_doubtful = 1u << 29;    // the error is a share of the parent's, not the region's own
constexpr uint32 region_listed = 1u << 30;      // chosen while a list is made; else without a meaning
constexpr uint32 region_frozen = 1u << 28;      // too small to be divided in double precision
constexpr uint32 region_raised = 1u << 31;      // of a higher degree; see raise.hpp
// What an evaluator says in the word of a region that it has given a higher degree.
constexpr uint32 raise_undecayed = region_rough, raise_nonfinite = region_doubtful;

// axes: how many of them the integrand is seen to vary along, 0 where that is not asked for.
constexpr double used_axes_unit = 1.0 / 16;
TESSERA_HD region_state fresh_state(uint32 ranked_axes, bool rough, double excess, double axes = 0.0) {
  if (rough) return {excess > 1.0 ? static_cast<float>(-excess) : 0.0f, ranked_axes | region_rough};
  return {static_cast<float>(-used_axes_unit * axes), ranked_axes};
}
// Of a region without a suspicion; 0: not known.
TESSERA_HD double axes_in_use(const region_state &s) {
  return s.suspicion < 0.0f ? static_cast<double>(-s.suspicion) / used_axes_unit : 0.0;
}
// The classic estimate of a fresh region over the errors that it holds.
TESSERA_HD double excess_of(const region_state &fresh) {
  return fresh.suspicion < -1.0f ? -static_cast<double>(fresh.suspicion) : 1.0;
}

TESSERA_HD constexpr int region_fields(int ndim, int ncomp) { return 2 * ndim + 2 * ncomp + 1; }

class region_view {
 public:
  region_view() = default;
  TESSERA_HD region_view(double *base, int ndim, int ncomp, int64 field_stride, int64 region_stride)
      : base_(base), field_(field_stride), region_(region_stride), ndim_(ndim), ncomp_(ncomp) {}

  TESSERA_HD int ndim() const { return ndim_; }
  TESSERA_HD int ncomp() const { return ncomp_; }
  TESSERA_HD double &centre(int64 i, int j) const { return at(i, j); }
  TESSERA_HD double &half(int64 i, int j) const { return at(i, ndim_ + j); }
  TESSERA_HD double &value(int64 i, int k) const { return at(i, 2 * ndim_ + k); }
  TESSERA_HD double &error(int64 i, int k) const { return at(i, 2 * ndim_ + ncomp_ + k); }
  TESSERA_HD region_state &state(int64 i) const {
    return *reinterpret_cast<region_state *>(&at(i, 2 * ndim_ + 2 * ncomp_));
  }
  TESSERA_HD double volume(int64 i) const {
    double v = 1.0;
    TESSERA_ROLLED
    for (int j = 0; j < ndim_; ++j) v *= 2.0 * half(i, j);
    return v;
  }
  TESSERA_HD int64 apart() const { return field_; }  // one field from the next, of a region
  TESSERA_HD int fields() const { return region_fields(ndim_, ncomp_); }
  TESSERA_HD double &field(int64 i, int f) const { return at(i, f); }

  // Copies region `from` of another store with the same shape.
  TESSERA_HD TESSERA_APART void copy(int64 to, const region_view &other, int64 from) const {
    TESSERA_ROLLED
    for (int f = 0; f < fields(); ++f) at(to, f) = other.at(from, f);
  }

 private:
  TESSERA_HD double &at(int64 i, int f) const {
#if defined(__CUDA_ARCH__)  // arrange_by_field: a multiplication less for every number
    return base_[i + f * field_];
#else
    return base_[i * region_ + f * field_];
#endif
  }
  double *base_ = nullptr;
  int64 field_ = 1, region_ = 1;
  int ndim_ = 0, ncomp_ = 0;
};

TESSERA_HD bool is_frozen(const region_view &s, int64 i) { return (s.state(i).word & region_frozen) != 0u; }
TESSERA_HD bool is_region_rough(const region_view &s, int64 i) { return (s.state(i).word & region_rough) != 0u; }

// A store whose fields lie together, so that neighbouring lanes of a device read neighbouring numbers.
TESSERA_HD region_view arrange_by_field(double *base, int ndim, int ncomp, int64 capacity) {
  return {base, ndim, ncomp, capacity, 1};
}

// The box that is divided.
struct domain_box {
  const double *lower, *upper;  // [ndim]
  const double *grain;  // [ndim] narrower regions have no points of their own in the user's coordinates; see grain_of()
};

// A list of regions. Without `ids`, neighbours from `first`. With `pieces` > 1, the pieces of the regions in `ids`: piece 0
// in its parent's place, the others from `first` on. Else the regions in `ids`.
struct region_list {
  const int64 *ids;
  int64 first;
  int pieces;  // a power of two
  TESSERA_HD int64 at(int64 m, int64 q) const { return q == 0 ? ids[m] : first + m * (pieces - 1) + q - 1; }
  TESSERA_HD int64 operator[](int64 i) const {
    if (!ids) return first + i;
    const int shift = pieces == 16 ? 4 : (pieces == 8 ? 3 : pieces >> 1);
    return pieces > 1 ? at(i >> shift, i & (pieces - 1)) : ids[i];
  }
  // The list without the pieces of its first m regions.
  TESSERA_HD region_list behind(int64 m) const { return {ids + m, first + m * (pieces - 1), pieces}; }
};

// Regions in a buffer of the executor.
template <class Executor>
class region_store {
 public:
  region_store(Executor &exec, int ndim, int ncomp) : buffer_(exec), ndim_(ndim), ncomp_(ncomp) {}

  region_view view() { return Executor::arrange(buffer_.data(), ndim_, ncomp_, capacity_); }
  int64 capacity() const { return capacity_; }

  // Makes room for n regions; the first `used` keep their content. Throws std::bad_alloc and leaves the store as it was.
  void resize(int64 n, int64 used) {
    if (n <= capacity_) return;
    capacity_ = Executor::grow_regions(buffer_, region_fields(ndim_, ncomp_), capacity_, n, used);
  }

  // The same for a store that fills up region by region: grows by half, up to `limit`.
  void reserve(int64 n, int64 limit) {
    if (n <= capacity_) return;
    int64 wanted = capacity_ + capacity_ / 2;
    if (wanted > limit) wanted = limit;
    resize(wanted < n ? n : wanted, capacity_);
  }

 private:
  typename Executor::template buffer<double> buffer_;
  int ndim_, ncomp_;
  int64 capacity_ = 0;
};

}  // namespace tessera
