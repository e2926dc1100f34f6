// What a step of a sparse grid evaluates: the new points of some indices, and from the values of all points so far the difference of each
// index. Plain data and functions of one item (a point, a number of a sum), which a device runs in kernels and the host in loops.
//
// An index has a level for each axis. Its own points are those that its levels add on all axes at once: 2^(level-1) on an axis, the
// middle alone at level 1. Its difference is the tensor product of the differences of successive rules (core/patterson.hpp), a sum over its
// own points and those of all indices below it. The sum is made one axis after another (active axes, those above level 1, in their
// order): what is left after each is kept, for the indices above need it too. So a difference costs about as many operations as the
// index has points of its own, and not as many as the tensor product has.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/hd.hpp"
#include "../../core/transform.hpp"

namespace tessera {

// On an axis: the nodes that are not negative, and for each level l, from 2^(l-1) - 1 on, the weights of its rule minus those of the rule
// before, for the mean over the axis.
struct sparse_tables {
  double nodes[128];
  double weights[255];
};

// One of a step.
struct sparse_index {
  int64 first;  // points of the step before its own
  // Where its description begins: for each active axis its number and level (axis_and_level), then for each level from 1 to this one where
  // the numbers of the index with that level on this axis are, and the distance of its components.
  int64 words;
  // Of its numbers in the store: values at its points, then what is left after each active axis, the difference last.
  int64 place;
  int64 stride;  // from one component of them to the next
  int active;    // axes above level 1
  int bits;      // it has 2^bits points
};

TESSERA_HD int64 axis_and_level(int axis, int level) { return int64{axis} << 8 | level; }
TESSERA_HD int axis_of_word(int64 word) { return static_cast<int>(word >> 8); }
TESSERA_HD int level_of_word(int64 word) { return static_cast<int>(word & 0xff); }
// From the word of an active axis to that of the next.
TESSERA_HD int64 words_of_axis(int level) { return 1 + 2 * int64{level}; }

// What is left of an index after each of its active axes has been summed over, one axis after the other: `size` of its own numbers from `place` on.
// Before the first they are the values.
class axis_sums {
 public:
  TESSERA_HD axis_sums(const sparse_index &q, const int64 *words)
      : word_(words + q.words), left_(q.active), bits_(q.bits) {}
  // To the next active axis. False: there is none, and the one number from place() on is the difference.
  TESSERA_HD bool next() {
    if (left_ == 0) return false;
    if (place_ > 0) word_ += words_of_axis(level_of_word(*word_));
    place_ += size();
    bits_ -= level_of_word(*word_) - 1;
    --left_;
    return true;
  }
  TESSERA_HD const int64 *word() const { return word_; }
  TESSERA_HD int64 place() const { return place_; }
  TESSERA_HD int64 size() const { return int64{1} << bits_; }

 private:
  const int64 *word_;
  int left_, bits_;
  int64 place_ = 0;
};

// The box that a sparse grid is of, and the maps of its axes (null: there are none that map). Or several boxes, each with the same grid: the
// components of one come behind those of the other.
struct sparse_domain {
  const double *centre, *half;  // [boxes][ndim]
  const axis_map *axes;
  int boxes;
};

// Point i of an index in one of the boxes, in the user's coordinates: coordinate j goes to x[j*ldx]. Returns the Jacobian.
TESSERA_HD double write_sparse_point(const sparse_tables &t, const sparse_domain &domain, int ndim, int box,
                                     const sparse_index &q, const int64 *words, int64 i, double *x, int64 ldx) {
  const double *const centre = domain.centre + int64{box} * ndim, *const half = domain.half + int64{box} * ndim;
  double jacobian = 1.0;
  const int64 *word = words + q.words;
  int next = q.active > 0 ? axis_of_word(*word) : ndim, left = q.active, bits = q.bits;
  TESSERA_ROLLED
  for (int j = 0; j < ndim; ++j) {
    double at = centre[j];
    if (j == next) {
      const int level = level_of_word(*word), own = level - 1;  // bits of the point's place on this axis
      bits -= own;
      const int64 digit = i >> bits & ((int64{1} << own) - 1);
      const double node = t.nodes[(int64{1} << (level - 2)) + (digit >> 1)];
      at += ((digit & 1) != 0 ? -node : node) * half[j];
      word += words_of_axis(level);
      next = --left > 0 ? axis_of_word(*word) : ndim;
    }
    x[j * ldx] = domain.axes ? map_axis(domain.axes[j], at, jacobian) : at;
  }
  return jacobian;
}

// Number r of `size` that are left after the active axis of `word`, behind which are the places of what was left before it.
TESSERA_HD double sum_over_axis(const sparse_tables &t, const int64 *word, int64 size, int64 r, const double *store,
                                int64 component) {
  const int level = level_of_word(*word);
  const double *const weights = t.weights + ((int64{1} << (level - 1)) - 1);
  const double *from = store + word[1] + component * word[2];
  double sum = weights[0] * from[r];
  TESSERA_ROLLED
  for (int l = 2; l <= level; ++l) {
    const int64 pairs = int64{1} << (l - 2);
    from = store + word[2 * l - 1] + component * word[2 * l];
    double part = 0.0;
    TESSERA_ROLLED
    for (int64 p = 0; p < pairs; ++p)
      part += weights[pairs + p] * (from[2 * p * size + r] + from[(2 * p + 1) * size + r]);
    sum += part;
  }
  return sum;
}

}  // namespace tessera
