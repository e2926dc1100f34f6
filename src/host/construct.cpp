// SPDX-License-Identifier: BSD-3-Clause
#include "construct.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "../core/sum.hpp"
#include "fftw.hpp"

namespace tessera {
namespace {

// One thread; see engine/cbc.hpp.
class construct_executor {
 public:
  template <class T>
  class buffer {
   public:
    explicit buffer(construct_executor &) {}
    ~buffer() { std::free(data_); }
    buffer(const buffer &) = delete;
    buffer &operator=(const buffer &) = delete;
    T *data() { return data_; }
    void resize(int64 n) {
      std::free(data_);
      data_ = nullptr;
      data_ = static_cast<T *>(fftw_plan_pair<double>::allocate(n * static_cast<int64>(sizeof(T))));
    }
    void assign(const T *from, int64 n) {
      resize(n);
      std::copy_n(from, n, data_);
    }

   private:
    T *data_ = nullptr;
  };

  template <class Real>
  class fft {
   public:
    fft(construct_executor &e, int64 n) : executor_(e), n_(n), plans_(n) {}
    void spectrum(const Real *in, Real *out, Real factor) {
      plans_.forward(in, out);
      executor_.each(n_ / 2 + 1, scale_spectrum<Real>{spectrum_pairs(out), factor});
    }
    void correlate(const Real *in, const Real *psi, Real *out) {
      plans_.forward(in, out);
      executor_.each(n_ / 2 + 1, tessera::correlate<Real>{spectrum_pairs(out), spectrum_pairs(psi)});
      plans_.backward(out, out);
    }

   private:
    construct_executor &executor_;
    const int64 n_;
    fftw_plan_pair<Real> plans_;
  };

  struct extreme {
    double value;
    int64 index;
    double second, squares;
  };

  template <class Body>
  void each(int64 n, Body body) {
    for (int64 i = 0; i < n; ++i) body(i);
  }
  template <class Body>
  void ranges(int64 n, Body body) {
    body(0, n);
  }
  // Four chains side by side, compensated ones with their exact rounding errors (Knuth's two-sum) added up beside them.
  template <class Body>
  void fold(int64 n, Body body) {
    double s[4][3] = {}, lost[4][3] = {};
    int64 i = 0;
    for (; i + 4 <= n; i += 4)
      for (int c = 0; c < 4; ++c) {
        double v[3] = {};
        body(i + c, v);
        for (int k = 0; k < Body::folds; ++k) {
          const double t = s[c][k] + v[k], w = t - s[c][k];
          if (k < Body::compensated) lost[c][k] += (s[c][k] - (t - w)) + (v[k] - w);
          s[c][k] = t;
        }
      }
    compensated_sum all[3];
    for (int k = 0; k < Body::folds; ++k)
      for (int c = 0; c < 4; ++c) {
        all[k].add(s[c][k]);
        all[k].add(lost[c][k]);
      }
    for (; i < n; ++i) {
      double v[3] = {};
      body(i, v);
      for (int k = 0; k < Body::folds; ++k) all[k].add(v[k]);
    }
    for (int k = 0; k < 3; ++k) sums_[k] = all[k].value();
  }
  void folded(double *s) { std::copy_n(sums_, 3, s); }
  template <class Body>
  extreme minimum(int64 n, Body body) {
    extreme least = {infinity_value(), 0, infinity_value(), 0.0};
    for (int64 i = 0; i < n; ++i) {
      const double v = body(i);
      least.squares += v * v;
      if (v < least.value) {
        least.second = least.value;
        least.value = v;
        least.index = i;
      } else if (v < least.second) {
        least.second = v;
      }
    }
    return least;
  }
  template <class Body>
  int64 collect(int64 n, Body body, int64 *list, int64 most) {
    int64 found = 0;
    for (int64 i = 0; i < n; ++i)
      if (body(i)) {
        if (found < most) list[found] = i;
        ++found;
      }
    return found;
  }

 private:
  double sums_[3] = {};
};

template <class Real>
bool run(const cbc_settings &settings, cbc_hooks &hooks, cbc_result &result) {
  require_fftw<Real>();
  construct_executor exec;
  cbc<Real, construct_executor> construction(exec, settings, hooks);
  return construction.run(result);
}

}  // namespace

bool host_construct(const cbc_settings &settings, bool single_precision, cbc_hooks &hooks, cbc_result &result) {
  return single_precision ? run<float>(settings, hooks, result) : run<double>(settings, hooks, result);
}

}  // namespace tessera
