// SPDX-License-Identifier: BSD-3-Clause
#include "adaptive.hpp"

#include <algorithm>
#include <cstdio>

namespace adapt {

void integrand::remember(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "the integrand is %g at z = (", value);
  failure_ = text;
  for (int j = 0; j < ndim_; ++j) {
    std::snprintf(text, sizeof text, "%s%.17g", j ? ", " : "", z_[static_cast<std::size_t>(j)]);
    failure_ += text;
  }
  failure_ += ")";
}

namespace {

// A sum whose rounding errors are kept: regions are replaced by their parts without a trace, however many there are.
class exact_sum {
 public:
  void add(double x) {
    const double s = high_ + x, back = s - high_;
    low_ += (high_ - (s - back)) + (x - back);
    high_ = s;
  }
  double value() const { return high_ + low_; }

 private:
  double high_ = 0.0, low_ = 0.0;
};

class adaptive {
 public:
  adaptive(const rule &r, const limits &l, integrand &f, region_list &list)
      : rule_(r),
        limits_(l),
        f_(f),
        list_(list),
        n_(r.ndim),
        points_(rule_points(r.ndim)),
        centre_(size()),
        half_(size()),
        step_(size()),
        difference_(size()) {}

  result run() {
    result last = {ending::interrupted, 0, std::numeric_limits<double>::quiet_NaN(),
                   std::numeric_limits<double>::infinity()};
    if (limits_.mincls >= 0 || list_.size() == 0)
      start();
    else
      for (int64 i = 0; i < list_.size(); ++i) count_in(list_[i], 1.0);
    while (f_.good()) {
      if (met()) sum_again();
      tell(last);
      if (met()) {
        last.end = ending::converged;
        break;
      }
      if (!divide_worst()) {
        sum_again();
        tell(last);
        last.end = ending::maxcls;
        break;
      }
    }
    last.calls = calls_;
    return last;
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(n_); }
  double &centre(int j) { return centre_[static_cast<std::size_t>(j)]; }
  double &half(int j) { return half_[static_cast<std::size_t>(j)]; }

  void count_in(const region &r, double sign) {
    value_.add(sign * r.value());
    error_.add(sign * r.error());
  }
  void tell(result &to) const {
    to.value = value_.value();
    to.error = std::max(0.0, error_.value());
  }
  // Where a region had an error 1e32 times those of its parts (a WORK handed in may say so), the running sums have lost the parts.
  void sum_again() {
    value_ = error_ = {};
    for (int64 i = 0; i < list_.size(); ++i) count_in(list_[i], 1.0);
  }

  bool met() const {
    const double error = error_.value(), relative = limits_.relreq * std::fabs(value_.value());
    return error <= std::max(limits_.absreq, relative) && calls_ >= limits_.mincls;
  }

  // The cube as a mesh of as many pieces as mincls allows, each of them a region if the list has room for all.
  void start() {
    const region whole = list_[list_.append()];
    for (int j = 0; j < n_; ++j) {
      whole.lower(j) = 0.0;
      whole.upper(j) = 1.0;
      whole.mesh(j) = 1.0;
    }
    for (;;) {
      const int axis = choose_axis(whole);
      if (!f_.good() || calls_ + cost_of_one_more(whole, axis) > limits_.mincls) break;
      whole.mesh(axis) += 1.0;
    }
    const int64 pieces = whole.pieces();
    if (pieces > limits_.room) {
      calls_ += points_;  // that is what the original counts here, not pieces*points_
      evaluate(whole);
      enter(whole);
      return;
    }
    calls_ += pieces * points_;
    std::vector<double> mesh(size()), at(size());
    for (int j = 0; j < n_; ++j) {
      mesh[static_cast<std::size_t>(j)] = whole.mesh(j);
      half(j) = whole.piece_half(j);
    }
    for (int64 i = 0; i < pieces && f_.good(); ++i) {
      const region r = list_[i == 0 ? 0 : list_.append()];
      for (int j = 0; j < n_; ++j) {
        const auto p = static_cast<std::size_t>(j);
        r.lower(j) = at[p] / mesh[p];
        r.upper(j) = (at[p] + 1.0) / mesh[p];
        r.mesh(j) = 1.0;
      }
      evaluate(r);
      enter(r);
      for (std::size_t j = 0; j < size() && ++at[j] == mesh[j]; ++j) at[j] = 0.0;
    }
  }

  void enter(const region &r) {
    count_in(r, 1.0);
    list_.sift_in();
  }

  int64 cost_of_one_more(const region &r, int axis) const {
    const auto mesh = static_cast<int64>(r.mesh(axis));
    return points_ * r.pieces() / mesh * (mesh + 1);
  }

  // False when maxcls does not allow it.
  bool divide_worst() {
    const int64 at = list_.worst();
    const int axis = choose_axis(list_[at]);
    if (!f_.good()) return true;
    const int64 cost = cost_of_one_more(list_[at], axis);
    if (calls_ + cost > limits_.maxcls) return false;
    calls_ += cost;
    count_in(list_[at], -1.0);
    if (list_.size() < limits_.room) {
      // In the middle of a region of one piece. Else in the middle of its first layer of pieces: half a layer is cut off, the
      // rest is taken in half layers now, and both parts keep the mesh for later.
      const region upper = list_[list_.append()];
      const region lower = list_[at];
      for (int j = 0; j < n_; ++j) {
        upper.lower(j) = lower.lower(j);
        upper.upper(j) = lower.upper(j);
        upper.mesh(j) = lower.mesh(j);
      }
      const double mesh = lower.mesh(axis);
      upper.lower(axis) = lower.lower(axis) + lower.piece_half(axis);
      lower.upper(axis) = upper.lower(axis);
      lower.mesh(axis) = 1.0;
      evaluate(lower);
      lower.mesh(axis) = mesh;
      count_in(lower, 1.0);
      list_.sift_worst();
      upper.mesh(axis) = 2.0 * mesh - 1.0;
      evaluate(upper);
      upper.mesh(axis) = mesh;
      enter(upper);
    } else {
      const region r = list_[at];
      r.mesh(axis) += 1.0;
      evaluate(r);
      count_in(r, 1.0);
      list_.sift_worst();
    }
    return true;
  }

  // Body() for each piece of a region, with centre_ and half_ set and the point at the centre. The first axis moves fastest.
  template <class Body>
  void for_each_piece(const region &r, Body body) {
    for (int j = 0; j < n_; ++j) {
      half(j) = r.piece_half(j);
      step_[static_cast<std::size_t>(j)] = 0.0;
    }
    for (int64 left = r.pieces(); left > 0 && f_.good(); --left) {
      for (int j = 0; j < n_; ++j)
        f_.z()[j] = centre(j) = r.lower(j) + (2.0 * step_[static_cast<std::size_t>(j)] + 1.0) * half(j);
      body();
      for (int j = 0; j < n_ && ++step_[static_cast<std::size_t>(j)] == r.mesh(j); ++j)
        step_[static_cast<std::size_t>(j)] = 0.0;
    }
  }

  // The axis along which the fourth differences of the integrand, weighted by the width, are largest in sum over the pieces. Those
  // that are lost in the rounding error do not count; if all are, it is the axis after the last one chosen.
  int choose_axis(const region &r) {
    if (n_ == 1) return 0;
    axis_ = (axis_ + 1) % n_;
    std::fill(difference_.begin(), difference_.end(), 0.0);
    for_each_piece(r, [this] {
      const double middle = f_();
      for (int j = 0; j < n_; ++j) {
        double &z = f_.z()[j];
        // Summed in this order: what is lost in the rounding error is the same as in the original.
        double fourth = 6.0 * middle;
        fourth += shifted(z, j, -0.8);
        fourth -= 4.0 * shifted(z, j, -0.4);
        fourth -= 4.0 * shifted(z, j, 0.4);
        fourth += shifted(z, j, 0.8);
        z = centre(j);
        if (middle + fourth / 8.0 != middle) difference_[static_cast<std::size_t>(j)] += std::fabs(fourth) * half(j);
      }
    });
    calls_ += r.pieces() * (4 * int64{n_} + 1);
    for (int j = 0; j < n_; ++j)
      if (difference_[static_cast<std::size_t>(axis_)] < difference_[static_cast<std::size_t>(j)]) axis_ = j;
    return axis_;
  }
  double shifted(double &z, int j, double by) {
    z = centre(j) + by * half(j);
    return f_();
  }

  // Value and error of a region: the rule on each piece.
  void evaluate(const region &r) {
    double value = 0.0, error = 0.0;
    for_each_piece(r, [&] {
      double sum[orbits];
      sum[adapt::centre] = f_();
      for (const int o : {axis_inner, axis_outer, axis_extra}) sum[o] = axis_sum(rule_.generator[o]);
      sum[pair] = n_ > 1 ? pair_sum(rule_.generator[pair]) : 0.0;
      sum[far] = n_ == 1                ? axis_sum(rule_.generator[far])
                 : n_ < many_dimensions ? vertex_sum(rule_.generator[far])
                                        : pair_sum(rule_.generator[far]);
      double volume = 1.0, mean = 0.0, null_sum[null_rules] = {};
      for (int j = 0; j < n_; ++j) volume *= 2.0 * half(j);
      for (int o = 0; o < orbits; ++o) {
        mean += rule_.weight[o] * sum[o];
        for (int i = 0; i < null_rules; ++i) null_sum[i] += rule_.null_weight[i][o] * sum[o];
      }
      value += volume * mean;
      error += volume * estimate_error(null_sum);
    });
    r.value() = value;
    r.error() = error;
  }

  double axis_sum(double g) {
    double s = 0.0;
    for (int j = 0; j < n_; ++j) {
      double &z = f_.z()[j];
      s += shifted(z, j, g);
      s += shifted(z, j, -g);
      z = centre(j);
    }
    return s;
  }
  double pair_sum(double g) {
    double s = 0.0, *z = f_.z();
    for (int i = 0; i < n_ - 1; ++i) {
      for (int j = i + 1; j < n_; ++j) {
        for (const double sign : {1.0, -1.0}) {
          z[j] = centre(j) + sign * g * half(j);
          s += shifted(z[i], i, g);
          s += shifted(z[i], i, -g);
        }
        z[j] = centre(j);
      }
      z[i] = centre(i);
    }
    return s;
  }
  double vertex_sum(double g) {
    double s = 0.0, *z = f_.z();
    for (int j = 0; j < n_; ++j) z[j] = centre(j) + g * half(j);
    for (unsigned m = 0;;) {
      s += f_();
      // The next vertex: counting in binary, the first axis has the lowest digit.
      const unsigned changed = m ^ (m + 1);
      if (++m == 1u << n_) break;
      for (int j = 0; j < n_ && (changed >> j & 1u); ++j) z[j] = centre(j) + ((m >> j & 1u) ? -g : g) * half(j);
    }
    for (int j = 0; j < n_; ++j) z[j] = centre(j);
    return s;
  }

  const rule &rule_;
  const limits limits_;
  integrand &f_;
  region_list &list_;
  const int n_;
  const int64 points_;
  std::vector<double> centre_, half_, step_, difference_;
  exact_sum value_, error_;
  int64 calls_ = 0;
  int axis_ = -1;
};

}  // namespace

result integrate(const rule &rule, const limits &limits, integrand &f, region_list &list) {
  return adaptive(rule, limits, f, list).run();
}

}  // namespace adapt
