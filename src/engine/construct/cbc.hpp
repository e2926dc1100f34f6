// Fast component-by-component construction of generating vectors, for a prime n and for a range of powers of two.
//
// The figure is the squared worst-case error of the weighted space,
//   e^2(n, z) = 1/n sum over the points k of sum over non-empty sets u of gamma_u prod over j in u of omega(k z_j / n),
// and component s is the z that makes it least with the components before it kept: e^2_s = e^2_(s-1) + gamma_s S(z) / n, with
// S(z) = sum over k of W(k) omega(k z / n). For a range of n = 2^m the figure is the greatest ratio, over the range, of e^2 to what
// the construction for that n alone reaches (Cools, Kuo and Nuyens, SIAM J. Sci. Comput. 28 (2006) 2162-2188).
//
// Correlations by FFT are known to round-off only. All z whose figure is within that of the least one are summed up directly, and
// of those that are then equal the smallest z is taken (of z and n - z, which are the same, the smaller one): so every backend
// comes to the same vector.
//
// The executor offers
//   buffer<T>                   data(), resize(n)
//   each(n, body)               body(i)
//   ranges(n, body)             body(begin, end)
//   fold(n, body)               body(i, s) adds to up to three sums, the same for every run; begins, and
//   folded(s)                   waits for them, before the next fold begins
//   minimum(n, body)            least body(i), the lowest i that has it, the next greater or equal one, and the sum of squares
//   collect(n, body, list, m)   the lowest i with body(i), m at most; returns how many there are in all
//   fft<Real>                   (executor, n); spectrum(real[n], spectrum, factor): transform times a factor, n/2+1 pairs;
//                               correlate(real[n], spectrum, to): backward transform of the spectrum times the conjugate of that
//                               of the numbers, unscaled, to[0 .. n-1]; `to` has the room of a spectrum
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "cbc_ring.hpp"
#include "cbc_state.hpp"
#include "cbc_steps.hpp"

namespace tessera {

template <class Real, class Executor>
class cbc {
 public:
  template <class T>
  using buffer = typename Executor::template buffer<T>;

  cbc(Executor &exec, const cbc_settings &s, cbc_hooks &hooks)
      : exec_(exec), set_(s), hooks_(hooks), two_(is_power_of_two(s.points)), table_(exec), order_(exec) {
    if (!s.table.empty()) table_.assign(s.table.data(), static_cast<int64>(s.table.size()));
    if (!s.order.empty()) order_.assign(s.order.data(), static_cast<int64>(s.order.size()));
    const double *table = s.table.empty() ? nullptr : table_.data();
    const double *order = s.order.empty() ? nullptr : order_.data();
    fixed_.emplace_back(kernel(0), s.order);
    if (two_) {
      fixed_.emplace_back(kernel(s.points / 2), s.order);
      generator_ = 5;
      for (top_ = 2; (uint64{1} << top_) <= s.points; ++top_)
        add_ring(table, order, uint64{1} << top_, int64{1} << (top_ - 2), 2.0);
      --top_;
      for (int t = 0; t <= 1; ++t) {
        sums_.emplace_back(new buffer<double>(exec));
        worst_.emplace_back(new buffer<double>(exec));
        sums_.back()->resize(static_cast<int64>(s.points / 4 > 0 ? s.points / 4 : 1));
        worst_.back()->resize(static_cast<int64>(s.points / 4 > 0 ? s.points / 4 : 1));
      }
    } else {
      generator_ = primitive_root(s.points);
      add_ring(table, order, s.points, static_cast<int64>((s.points - 1) / 2), 2.0);
    }
  }

  // False: stopped.
  bool run(cbc_result &result) {
    const auto start = std::chrono::steady_clock::now();
    bool going = true;
    if (!two_) {
      going = prime(result);
    } else {
      // What each n reaches alone, then all together.
      const int levels = top_ - set_.least_level + 1;
      all_ = int64{set_.ndim} * (levels > 1 ? levels + 1 : 1);
      reference_.assign(static_cast<std::size_t>(top_) + 1, {});
      for (int m = set_.least_level; going && levels > 1 && m <= top_; ++m) {
        going = range(m, m, result);
        reference_[static_cast<std::size_t>(m)] = history_;
      }
      if (going) going = range(set_.least_level, top_, result);
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return going;
  }

 private:
  using ring_type = cbc_ring<Real, Executor>;

  double kernel(uint64 k) const {
    return set_.table.empty() ? korobov_kernel(set_.alpha, k, set_.points) : set_.table[static_cast<std::size_t>(k)];
  }
  void add_ring(const double *table, const double *order, uint64 modulus, int64 length, double multiplicity) {
    rings_.push_back(std::make_unique<ring_type>(exec_, set_, table, order, modulus, generator_, length, multiplicity));
  }
  double first_weight() const { return set_.order.empty() ? 1.0 : set_.order[0]; }
  double gamma(int s) const { return set_.product[static_cast<std::size_t>(s)]; }
  uint64 component(int64 a, uint64 n) const {
    const uint64 z = power_mod(generator_, static_cast<uint64>(a), n);
    return z < n - z ? z : n - z;
  }

  // The index of the best z by `figures`, of which tolerance(sum of their squares) says how far they are known; exact(list) sums up
  // directly, a list of them, to exact_tolerance().
  struct choice {
    int64 index;
    double figure;  // about
  };
  template <class T, class Tolerance, class Exact, class ExactTolerance>
  choice choose(const T *figures, int64 count, uint64 n, Tolerance tolerance, Exact exact,
                ExactTolerance exact_tolerance) {
    const auto least = exec_.minimum(count, value_of<T>{figures});
    const double bound = least.value + tolerance(least.squares);
    if (least.second > bound) return {least.index, least.value};
    const int64 most = cbc_most_exact(count);
    std::vector<int64> list(static_cast<std::size_t>(most));
    const int64 close = exec_.collect(count, at_most<T>{figures, bound}, list.data(), most);
    if (close > most)
      return {exec_.minimum(count, smallest_component<T>{figures, bound, generator_, n}).index, least.value};
    if (close < 1) return {least.index, least.value};  // weights that overflow
    list.resize(static_cast<std::size_t>(close));
    const std::vector<double> values = exact(list);
    const double best = *std::min_element(values.begin(), values.end()), slack = exact_tolerance();
    int64 chosen = list[0];
    uint64 smallest = n;
    for (std::size_t c = 0; c < list.size(); ++c) {
      if (values[c] > best + slack) continue;
      const uint64 z = component(list[c], n);
      if (z < smallest) smallest = z, chosen = list[c];
    }
    return {chosen, least.value};
  }

  bool prime(cbc_result &result) {
    ring_type &ring = *rings_[0];
    cbc_fixed_point &zero = fixed_[0];
    const double n = static_cast<double>(set_.points);
    ring.start(first_weight());
    zero.start();
    result.z.clear();
    result.merit = 0.0;
    double at_zero = 0.0;  // term of the last component, whose sum over the ring may still be under way
    const auto add_to_merit = [&](int s) { result.merit += gamma(s) / n * (at_zero + ring.taken()); };
    for (int s = 0; s < set_.ndim; ++s) {
      choice best = {0, 0.0};  // all are equal for the first component
      double sum = ring.first_sum();
      if (s > 0) {
        ring.correlate_all();
        best = choose(
            ring.values(), ring.length(), set_.points, [&](double squares) { return ring.tolerance(squares); },
            [&](const std::vector<int64> &list) {
              std::vector<double> sums(list.size(), 0.0);
              ring.add_exact(list, sums);
              for (double &v : sums) v /= ring.multiplicity();
              return sums;
            },
            [&] { return ring.exact_tolerance(); });
        add_to_merit(s - 1);
        sum = best.figure + ring.constant();
      }
      ring.take(best.index, gamma(s), sum);
      at_zero = zero.term();
      zero.take(gamma(s));
      result.z.push_back(component(best.index, set_.points));
      if (!hooks_.component_done(s + 1, set_.ndim)) {
        ring.taken();
        return false;
      }
    }
    add_to_merit(set_.ndim - 1);
    return true;
  }

  // Powers of two from 2^low to 2^high, relative to reference_ where low < high.
  bool range(int low, int high, cbc_result &result) {
    for (int t = 2; t <= high; ++t) ring(t).start(first_weight());
    for (cbc_fixed_point &p : fixed_) p.start();
    std::vector<double> merit(static_cast<std::size_t>(high) + 1, 0.0);  // e^2 for each n
    history_.clear();
    result.z.clear();
    for (int s = 0; s < set_.ndim; ++s) {
      const auto scale = [&](int m) {
        return low < high ? 1.0 / reference_[static_cast<std::size_t>(m)][static_cast<std::size_t>(s)] : 1.0;
      };
      const int64 a = s > 0 ? best_of_range(low, high, s, merit, scale) : 0;
      double sum = fixed_[0].term() + fixed_[1].term();
      for (int t = 2; t <= high; ++t) {
        const double of_ring = ring(t).exact(a);
        sum += of_ring;
        if (t >= low) merit[static_cast<std::size_t>(t)] += gamma(s) / std::ldexp(1.0, t) * sum;
        ring(t).take(a, gamma(s), of_ring / ring(t).multiplicity());
        ring(t).taken();
      }
      for (cbc_fixed_point &p : fixed_) p.take(gamma(s));
      result.z.push_back(component(a, uint64{1} << high));
      result.merit = merit.back();
      history_.push_back(result.merit);
      result.ratio = 0.0;
      for (int m = low; m <= high; ++m)
        result.ratio = larger(result.ratio, merit[static_cast<std::size_t>(m)] * scale(m));
      if (low == high) result.ratio = 1.0;
      if (!hooks_.component_done(++done_, all_)) return false;
    }
    return true;
  }

  ring_type &ring(int t) { return *rings_[static_cast<std::size_t>(t - 2)]; }

  template <class Scale>
  int64 best_of_range(int low, int high, int s, const std::vector<double> &merit, Scale scale) {
    const double fixed = fixed_[0].term() + fixed_[1].term();
    double slack = 2.0 * std::numeric_limits<double>::epsilon() * fabs(fixed), exact_slack = slack;
    double tolerance = 0.0, exact_tolerance = 0.0;
    for (int t = 2; t <= high; ++t) {
      ring_type &r = ring(t);
      r.correlate_all();
      const bool counts = t >= low;
      const double factor = counts ? gamma(s) / std::ldexp(1.0, t) * scale(t) : 0.0;
      const double offset = counts ? merit[static_cast<std::size_t>(t)] * scale(t) : 0.0;
      const std::size_t now = static_cast<std::size_t>(t & 1), before = 1 - now;
      exec_.fold(r.length(),
                 add_level<Real>{r.values(), t > 2 ? sums_[before]->data() : nullptr, sums_[now]->data(),
                                 t > 2 ? worst_[before]->data() : nullptr, worst_[now]->data(), r.length() / 2, fixed,
                                 r.multiplicity() * r.constant(), r.multiplicity(), offset, factor, counts});
      double squares[3];
      exec_.folded(squares);
      slack += r.multiplicity() * r.tolerance(squares[0]);
      exact_slack += r.multiplicity() * r.exact_tolerance();
      if (counts) {
        const double rounding = std::numeric_limits<double>::epsilon() * fabs(offset);
        tolerance = larger(tolerance, factor * slack + rounding);
        exact_tolerance = larger(exact_tolerance, factor * exact_slack + rounding);
      }
    }
    const auto exact = [&](const std::vector<int64> &list) {
      std::vector<double> sums(list.size(), fixed), worst(list.size(), -infinity_value());
      for (int t = 2; t <= high; ++t) {
        ring(t).add_exact(list, sums);
        for (std::size_t c = 0; t >= low && c < list.size(); ++c)
          worst[c] = larger(worst[c],
                            scale(t) * (merit[static_cast<std::size_t>(t)] + gamma(s) / std::ldexp(1.0, t) * sums[c]));
      }
      return worst;
    };
    return choose(
               worst_[static_cast<std::size_t>(high & 1)]->data(), ring(high).length(), uint64{1} << high,
               [&](double) { return tolerance; }, exact, [&] { return exact_tolerance; })
        .index;
  }

  Executor &exec_;
  const cbc_settings &set_;
  cbc_hooks &hooks_;
  const bool two_;
  buffer<double> table_, order_;
  std::vector<cbc_fixed_point> fixed_;
  std::vector<std::unique_ptr<ring_type>> rings_;
  std::vector<std::unique_ptr<buffer<double>>> sums_, worst_;
  std::vector<std::vector<double>> reference_;  // e^2 after each component, for each n alone
  std::vector<double> history_;
  uint64 generator_ = 1;
  int top_ = 0;
  int64 done_ = 0, all_ = 0;
};

}  // namespace tessera
