// What a construction keeps of one ring of points, on which the kernel is a convolution, and of the points that are their own negatives.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cbc_state.hpp"
#include "cbc_steps.hpp"

namespace tessera {

// Candidates that are summed up directly, at most: more in small rings. With a smooth kernel and few components, or in single
// precision, many figures lie below the round-off of all this, and the smallest of those z is as good as any.
inline int64 cbc_most_exact(int64 length) {
  return std::min<int64>(4096, std::max<int64>(12, (int64{1} << 24) / length));
}

// One ring: weights of its points, the kernel and its spectrum, and the last correlation.
template <class Real, class Executor>
class cbc_ring {
 public:
  template <class T>
  using buffer = typename Executor::template buffer<T>;

  cbc_ring(Executor &exec, const cbc_settings &s, const double *table, const double *order, uint64 modulus,
           uint64 generator, int64 length, double multiplicity)
      : exec_(exec),
        length_(length),
        orders_(static_cast<int>(s.order.size())),
        order_(order),
        multiplicity_(multiplicity),
        fft_(exec, length),
        weights_(exec),
        q_(exec),
        psi_(exec),
        spectrum_(exec),
        work_(exec) {
    weights_.resize(length);
    psi_.resize(2 * length);
    spectrum_.resize(2 * (length / 2 + 1));
    work_.resize(2 * (length / 2 + 1));
    if (orders_ > 0) q_.resize(length * orders_);
    exec.ranges(length, fill_kernel<Real>{psi_.data(), length, generator, modulus, s.alpha, table, s.points / modulus});
    fft_.spectrum(psi_.data(), spectrum_.data(), static_cast<Real>(1.0 / static_cast<double>(length)));
    double s3[3];
    exec.fold(length, square_of<Real>{psi_.data()});
    exec.folded(s3);
    total_ = s3[0];
    norm_ = std::sqrt(s3[1]);
  }

  void start(double first) {
    exec_.each(length_, fill_constant<Real>{weights_.data(), Real{0}});
    if (orders_ > 0) exec_.each(length_ * orders_, fill_constant<Real>{q_.data(), Real{0}});
    mean_ = rounded(first);
    weights_norm_ = 0.0;
    folding_ = false;
  }

  // Sums for all z less constant(), in values().
  void correlate_all() {
    if (orders_ > 0) finish_take();
    constant_ = mean_ * total_;
    fft_.correlate(weights_.data(), spectrum_.data(), work_.data());
  }
  const Real *values() { return work_.data(); }
  double constant() const { return constant_; }

  // How much two of values(), whose squares add up to `squares`, can seem to differ by round-off. An FFT of length L makes a relative
  // error below half an epsilon times sqrt(log L) in the square mean, spread evenly, here one of the weights, one of the kernel
  // and one on the way back; an eightfold deviation is allowed for.
  double tolerance(double squares) {
    finish_take();
    const double n = static_cast<double>(length_), product = weights_norm_ * norm_;
    const double scale = std::sqrt((2.0 * product * product + squares) / n);
    return 4.0 * std::numeric_limits<Real>::epsilon() * std::sqrt(1.0 + std::log2(n)) * scale +
           4.0 * epsilon * fabs(constant_);
  }

  // Round-off of exact(), without the multiplicity: the sum itself has none, but weights, kernel and products are rounded,
  // independently from point to point.
  double exact_tolerance() {
    finish_take();
    const double n = static_cast<double>(length_);
    const double all = std::hypot(weights_norm_, std::sqrt(n) * fabs(mean_)) * norm_;
    return 8.0 * std::numeric_limits<Real>::epsilon() * all / std::sqrt(n);
  }

  // Adds the sums over the ring's points for z = g^a to sums[a of the list].
  void add_exact(const std::vector<int64> &list, std::vector<double> &sums) {
    finish_take();
    for (std::size_t c = 0; c < list.size(); c += ring_terms_at_once) {
      ring_terms<Real> terms = {weights_.data(), {}, mean_};
      for (std::size_t k = 0; k < ring_terms_at_once; ++k)
        terms.psi[k] = psi_.data() + list[std::min(c + k, list.size() - 1)] % length_;
      double s[3];
      exec_.fold(length_, terms);
      exec_.folded(s);
      for (std::size_t k = 0; k < ring_terms_at_once && c + k < list.size(); ++k) sums[c + k] += multiplicity_ * s[k];
    }
  }
  double exact(int64 a) {
    std::vector<double> sum(1, 0.0);
    add_exact({a}, sum);
    return sum[0];
  }

  // Takes z = g^a for the next component. `sum`: exact(a), less exactly and without the multiplicity; it tells where the new mean
  // will be. taken() is exact(a) as it was.
  void take(int64 a, double gamma, double sum) {
    finish_take();
    const Real *psi = psi_.data() + a % length_;
    if (orders_ == 0) {
      const double next = rounded(mean_ + gamma * sum / static_cast<double>(length_));
      exec_.fold(length_, multiply_product<Real>{weights_.data(), psi, gamma, mean_, next});
      mean_ = next;
    } else {
      exec_.fold(length_, advance_orders<Real>{q_.data(), weights_.data(), psi, order_, length_, orders_,
                                               static_cast<Real>(gamma), mean_});
    }
    folding_ = true;
  }
  double taken() {
    finish_take();
    return multiplicity_ * taken_;
  }
  // What take() says of the first component.
  double first_sum() const { return mean_ * total_; }

  int64 length() const { return length_; }
  double multiplicity() const { return multiplicity_; }

 private:
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
  static double rounded(double v) { return static_cast<double>(static_cast<Real>(v)); }

  // Waits for what the last take() has added up.
  void finish_take() {
    if (!folding_) return;
    folding_ = false;
    double s[3];
    exec_.folded(s);
    taken_ = s[0];
    weights_norm_ = std::sqrt(s[1]);
    if (orders_ == 0) return;
    const double n = static_cast<double>(length_), shift = rounded(s[2] / n);
    exec_.each(length_, subtract_constant<Real>{weights_.data(), static_cast<Real>(shift)});
    mean_ += shift;
    weights_norm_ = std::sqrt(larger(s[1] - shift * shift * n, 0.0));
  }

  Executor &exec_;
  const int64 length_;
  const int orders_;
  const double *const order_;
  const double multiplicity_;
  typename Executor::template fft<Real> fft_;
  buffer<Real> weights_, q_, psi_, spectrum_, work_;
  double norm_ = 0.0, total_ = 0.0;  // of the kernel
  double weights_norm_ = 0.0, mean_ = 0.0, constant_ = 0.0, taken_ = 0.0;
  bool folding_ = false;
};

// A point that is its own negative: k = 0, and n/2.
class cbc_fixed_point {
 public:
  cbc_fixed_point(double kernel, const std::vector<double> &order) : kernel_(kernel), order_(order) { start(); }
  void start() {
    weight_ = order_.empty() ? 1.0 : order_[0];
    q_.assign(order_.size(), 0.0);
  }
  double term() const { return weight_ * kernel_; }
  void take(double gamma) {
    if (order_.empty()) {
      weight_ *= 1.0 + gamma * kernel_;
    } else {
      double below = 1.0;
      weight_ = order_[0];
      for (std::size_t l = 0; l < q_.size(); ++l) {
        const double old = q_[l];
        q_[l] += gamma * kernel_ * below;
        below = old;
        if (l + 1 < q_.size()) weight_ += order_[l + 1] * q_[l];
      }
    }
  }

 private:
  const double kernel_;
  const std::vector<double> &order_;
  double weight_ = 1.0;
  std::vector<double> q_;
};

}  // namespace tessera
