// The rules of 21, 43 and 87 points, each of which contains the one before: QNG of QUADPACK (T. N. L. Patterson, The optimum addition of points
// to quadrature formulae, Math. Comp. 22, 1968; Piessens and others, 1983, section 2.2.2).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/nested_kronrod.hpp"
#include "kronrod.hpp"

namespace tessera {

// Beyond the 10 pairs of points of the first rule: nodes that are added, and weights of all pairs and of the centre.
template <class Real>
struct nested_tables {
  Real node_43[11], node_87[22], weight_43[22], weight_87[44];
};

template <class Real>
constexpr nested_tables<Real> make_nested_tables() {
  nested_tables<Real> t = {};
  for (int i = 0; i < 11; ++i) t.node_43[i] = static_cast<Real>(nested_nodes_43[i]);
  for (int i = 0; i < 22; ++i) t.node_87[i] = static_cast<Real>(nested_nodes_87[i]);
  for (int i = 0; i < 22; ++i) t.weight_43[i] = static_cast<Real>(nested_weights_43[i]);
  for (int i = 0; i < 44; ++i) t.weight_87[i] = static_cast<Real>(nested_weights_87[i]);
  return t;
}

template <class Real>
inline constexpr nested_tables<Real> nested_of = make_nested_tables<Real>();

// Rule after rule until the tolerance is met. next() says how many pairs of points are wanted, 0: ended; the centre comes with the
// first ones.
template <class Real>
class nested_run {
 public:
  TESSERA_HD nested_run(const kronrod_pair<Real, 10> &pair, const nested_tables<Real> &tables, interval<Real> on,
                        tolerances<Real> wanted)
      : pair_(pair),
        tables_(tables),
        wanted_(wanted),
        centre_(Real(0.5) * (on.upper + on.lower)),
        half_(Real(0.5) * (on.upper - on.lower)) {}

  TESSERA_HD int next() const { return met_ || rule_ == 3 ? 0 : rule_ == 0 ? 10 : rule_ == 1 ? 11 : 22; }
  TESSERA_HD bool met() const { return met_; }
  TESSERA_HD int evaluations() const { return rule_ == 0 ? 0 : rule_ == 1 ? 21 : rule_ == 2 ? 43 : 87; }
  TESSERA_HD Real value() const { return value_; }
  TESSERA_HD Real error() const { return error_; }

  TESSERA_HD Real centre() const { return centre_; }
  TESSERA_HD Real distance(int pair) const {
    return half_ * (rule_ == 0 ? pair_.node[pair] : rule_ == 1 ? tables_.node_43[pair] : tables_.node_87[pair]);
  }
  TESSERA_HD void add_centre(Real value) {
    middle_ = value;
    sum_ = pair_.weight[10] * value;
    size_ = pair_.weight[10] * fabs(value);
  }
  // Of all pairs that next() has asked for, in their order.
  TESSERA_HD void add_pair(int p, Real left, Real right) {
    const Real both = left + right;
    if (rule_ == 0) {
      left_[p] = left;
      right_[p] = right;
      sums_[p] = both;
      if (p < 5) coarse_ += pair_.gauss[p] * both;
      sum_ += pair_.weight[p] * both;
      size_ += pair_.weight[p] * (fabs(left) + fabs(right));
    } else if (rule_ == 1) {
      sum_ += tables_.weight_43[10 + p] * both;
      sums_[10 + p] = both;
    } else {
      sum_ += tables_.weight_87[21 + p] * both;
    }
  }
  TESSERA_HD void finish_rule() {
    if (rule_ == 0) {
      const Real mean = Real(0.5) * sum_, width = fabs(half_);
      spread_ = pair_.weight[10] * fabs(middle_ - mean);
      for (int i = 0; i < 10; ++i) {
        const int p = i / 2 + (i % 2 == 0 ? 0 : 5);
        spread_ += pair_.weight[p] * (fabs(left_[p] - mean) + fabs(right_[p] - mean));
      }
      size_ *= width;
      spread_ *= width;
    }
    value_ = sum_ * half_;
    error_ = error_of_difference((sum_ - coarse_) * half_, size_, spread_);
    met_ = error_ <= wanted_.bound(value_);
    ++rule_;
    coarse_ = sum_;
    if (rule_ == 1) reuse(tables_.weight_43, 10, 21);
    if (rule_ == 2) reuse(tables_.weight_87, 21, 43);
  }

 private:
  TESSERA_HD void reuse(const Real *weight, int known, int last) {
    sum_ = weight[last] * middle_;
    for (int p = 0; p < known; ++p) sum_ += sums_[p] * weight[p];
  }

  const kronrod_pair<Real, 10> &pair_;
  const nested_tables<Real> &tables_;
  const tolerances<Real> wanted_;
  const Real centre_, half_;
  Real left_[10], right_[10], sums_[21];
  Real middle_ = 0, sum_ = 0, coarse_ = 0, size_ = 0, spread_ = 0, value_ = 0, error_ = 0;
  int rule_ = 0;
  bool met_ = false;
};

}  // namespace tessera
