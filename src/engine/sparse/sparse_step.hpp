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
#include "product_map.hpp"

namespace tessera {

// On an axis: the nodes that are not negative, and for each level l, from 2^(l-1) - 1 on, the weights of its rule minus those of the rule
// before, for the mean over the axis.
struct sparse_tables {
  double nodes[128];
  double weights[255];
};

// One of a grid.
struct sparse_index {
  int64 first;  // points of its step before its own
  // Of its numbers in the store: values at its points, then what is left after each active axis, the difference last.
  int64 place;
  int64 stride;  // from one component of them to the next
  int active;    // axes above level 1
  int bits;      // it has 2^bits points
};

// Of an index on an axis: its level, and which index has one level less there, 0 at level 1.
using axis_link = uint32;
constexpr int level_bits = 4, most_levels = 8, index_bits = 31 - level_bits, most_indices = 1 << index_bits;
TESSERA_HD axis_link make_link(int level, int below) {
  return static_cast<axis_link>(below) << level_bits | static_cast<axis_link>(level);
}
TESSERA_HD int level_of(axis_link link) { return static_cast<int>(link & ((1u << level_bits) - 1)); }
TESSERA_HD int below_of(axis_link link) { return static_cast<int>(link >> level_bits); }

// All of a grid, in the order in which they were made.
struct sparse_set {
  const sparse_index *indices;
  const axis_link *links;  // [index][ndim]
};

// What is left of an index after each of its active axes has been summed over, one axis after the other: `size` of its own numbers from `place` on.
// Before the first they are the values.
class axis_sums {
 public:
  // links: of the index.
  TESSERA_HD axis_sums(const sparse_index &q, const axis_link *links) : links_(links), left_(q.active), bits_(q.bits) {}
  // To the next active axis. False: there is none, and the one number from place() on is the difference.
  TESSERA_HD bool next() {
    if (left_ == 0) return false;
    do ++axis_;
    while (level() == 1);
    place_ += size();
    bits_ -= level() - 1;
    --left_;
    return true;
  }
  TESSERA_HD int axis() const { return axis_; }
  TESSERA_HD int level() const { return level_of(links_[axis_]); }
  TESSERA_HD int64 place() const { return place_; }
  TESSERA_HD int64 size() const { return int64{1} << bits_; }

 private:
  const axis_link *links_;
  int left_, bits_, axis_ = -1;
  int64 place_ = 0;
};

// Where numbers to be summed over an axis begin in the store, and the distance of their components.
struct axis_source {
  int64 place, stride;
};

// For each level from 1 to that of index i on the axis: where the numbers are that the index with that level on this axis has there before
// it is summed over that axis. What is left before an axis that is not active is what there is before the next that is.
TESSERA_HD void find_sources(const sparse_set &all, int ndim, int i, int axis, axis_source *sources) {
  for (int l = level_of(all.links[int64{i} * ndim + axis]); l >= 1; --l) {
    const axis_link *const links = all.links + int64{i} * ndim;
    const sparse_index &q = all.indices[i];
    int64 before = 0;
    TESSERA_ROLLED
    for (int j = 0, left = q.bits; j < axis; ++j) {
      const int level = level_of(links[j]);
      before += level > 1 ? int64{1} << left : 0;
      left -= level - 1;
    }
    sources[l - 1] = {q.place + before, q.stride};
    i = below_of(links[axis]);
  }
}

// The box that a sparse grid is of, and the maps of its axes (null: there are none that map). Or several boxes, each with the same grid: the
// components of one come behind those of the other.
struct sparse_domain {
  const double *centre, *half;  // [boxes][ndim]
  const axis_map *axes;
  int boxes;
  product_map map = {};  // of the one box

  TESSERA_HD bool has_jacobian() const { return axes || map.nodes; }
};

// Place `digit` on a level, between -1 and 1.
TESSERA_HD double node_of(const sparse_tables &t, int level, int64 digit) {
  if (level == 1) return 0.0;
  const double node = t.nodes[(int64{1} << (level - 2)) + (digit >> 1)];
  return (digit & 1) != 0 ? -node : node;
}

// Point i of an index in one of the boxes, in the user's coordinates: coordinate j goes to x[j*ldx]. links: of the index. Returns the Jacobian.
TESSERA_HD double write_sparse_point(const sparse_tables &t, const sparse_domain &domain, int ndim, int box,
                                     const sparse_index &q, const axis_link *links, int64 i, double *x, int64 ldx) {
  const double *const centre = domain.centre + int64{box} * ndim, *const half = domain.half + int64{box} * ndim;
  double jacobian = 1.0;
  int bits = q.bits;
  TESSERA_ROLLED
  for (int j = 0; j < ndim; ++j) {
    double at = centre[j];
    const int level = level_of(links[j]), own = level - 1;  // bits of the point's place on this axis
    bits -= own;
    const int64 digit = i >> bits & ((int64{1} << own) - 1);
    if (domain.map.nodes) {
      const mapped_node node = domain.map.nodes[j * mapped_nodes + mapped_place(level, digit)];
      at = node.at;
      jacobian *= node.slope;
    } else if (own > 0) {
      at += node_of(t, level, digit) * half[j];
    }
    x[j * ldx] = domain.axes ? map_axis(domain.axes[j], at, jacobian) : at;
  }
  return jacobian;
}

// Number r of `size` that are left after the axis on which an index has this level.
TESSERA_HD double sum_over_axis(const sparse_tables &t, int level, const axis_source *sources, int64 size, int64 r,
                                const double *store, int64 component) {
  const double *const weights = t.weights + ((int64{1} << (level - 1)) - 1);
  const double *from = store + sources[0].place + component * sources[0].stride;
  double sum = weights[0] * from[r];
  TESSERA_ROLLED
  for (int l = 2; l <= level; ++l) {
    const int64 pairs = int64{1} << (l - 2);
    from = store + sources[l - 1].place + component * sources[l - 1].stride;
    double part = 0.0;
    TESSERA_ROLLED
    for (int64 p = 0; p < pairs; ++p)
      part += weights[pairs + p] * (from[2 * p * size + r] + from[(2 * p + 1) * size + r]);
    sum += part;
  }
  return sum;
}

}  // namespace tessera
