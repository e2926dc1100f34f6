// What regions are compared by where those with the largest errors are wanted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "region_store.hpp"

namespace tessera {

struct ranked_region {
  double error;  // the largest of its components, weighted
  int64 region;
};

// Of equal ones the first region. region < 0: none, behind all others.
TESSERA_HD bool ranks_before(const ranked_region &a, const ranked_region &b) {
  if (a.region < 0 || b.region < 0) return a.region >= 0;
  return a.error > b.error || (a.error == b.error && a.region < b.region);
}

// weight[ncomp]: what makes the errors of components comparable.
TESSERA_HD ranked_region ranked(const region_view &s, int64 region, const double *weight) {
  double most = 0.0;
  TESSERA_ROLLED
  for (int k = 0; k < s.ncomp(); ++k) most = larger(most, fabs(s.error(region, k)) * weight[k]);
  return {most, region};
}

// Number i of the record of a region: centre[ndim], half-width[ndim], error[ncomp].
TESSERA_HD int numbers_of_record(const region_view &s) { return 2 * s.ndim() + s.ncomp(); }
TESSERA_HD double number_of_record(const region_view &s, int64 region, int i) {
  const int places = 2 * s.ndim();
  return i < places ? s.field(region, i) : fabs(s.error(region, i - places));
}

}  // namespace tessera
