// Sums of value and error over the regions, per component.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "../../core/sum.hpp"
#include "../problem.hpp"
#include "region_store.hpp"

namespace tessera {

class component_totals {
 public:
  explicit component_totals(int ncomp)
      : value_(static_cast<std::size_t>(ncomp)), error_(static_cast<std::size_t>(ncomp)) {}

  void clear() {
    for (auto &s : value_) s = {};
    for (auto &s : error_) s = {};
  }
  // Adds region i of v, `sign` times.
  void add(const region_view &v, int64 i, double sign) {
    for (std::size_t k = 0; k < value_.size(); ++k) {
      value_[k].add(sign * v.value(i, static_cast<int>(k)));
      error_[k].add(sign * v.error(i, static_cast<int>(k)));
    }
  }
  void add(const component_totals &other) {
    for (std::size_t k = 0; k < value_.size(); ++k) {
      value_[k].add(other.value_[k]);
      error_[k].add(other.error_[k]);
    }
  }
  int ncomp() const { return static_cast<int>(value_.size()); }
  double value(int k) const { return value_[static_cast<std::size_t>(k)].value(); }
  double error(int k) const { return error_of(error_[static_cast<std::size_t>(k)]); }
  value_and_error operator()(int k) const { return {value(k), error(k)}; }

  // How the run may end with these sums, of so many regions.
  outcome end(const cubature_settings &s, int64 regions) const {
    verdict all(s, regions);
    for (int k = 0; k < ncomp(); ++k) all.add((*this)(k), tolerated(s, k, *this));
    return all.end();
  }
  void read(const cubature_settings &s, int64 regions, double *value_out, double *error_out) const {
    const double factor = few_regions_factor(s, regions);
    for (int k = 0; k < ncomp(); ++k) {
      value_out[k] = value(k);
      error_out[k] = factor * error(k);
    }
  }

 private:
  std::vector<compensated_sum> value_, error_;
};

}  // namespace tessera
