// The points of a rule in one region, in the order and with the arithmetic of the kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "../../core/node.hpp"

namespace tessera {

class rule_points {
 public:
  explicit rule_points(const rule &r);

  // Points first .. first+n-1 of the region box = centre[ndim], half[ndim]: coordinate j of the i-th goes to x[j*n + i].
  void fill(const double *box, int64 first, int64 n, double *x) const;

 private:
  void fill_point(const double *box, const orbit &o, int64 index, int64 point, int64 stride, double *x) const;

  const rule &rule_;
  const std::vector<node_word> words_;
};

}  // namespace tessera
