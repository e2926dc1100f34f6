// SPDX-License-Identifier: BSD-3-Clause
#include "construct.hpp"

#include <algorithm>
#include <chrono>
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
  class fft : public fftw_plan_pair<Real> {
   public:
    fft(construct_executor &, int64 n) : fftw_plan_pair<Real>(n) {}
  };

  struct extreme {
    double value;
    int64 index;
  };

  template <class Body>
  void each(int64 n, Body body) {
    for (int64 i = 0; i < n; ++i) body(i);
  }
  template <class Body>
  void ranges(int64 n, Body body) {
    body(0, n);
  }
  // Four chains side by side, each with its exact rounding errors (Knuth's two-sum) added up beside it.
  template <class Body>
  double sum(int64 n, Body body) {
    double s[4] = {}, lost[4] = {};
    int64 i = 0;
    for (; i + 4 <= n; i += 4)
      for (int c = 0; c < 4; ++c) {
        const double v = body(i + c), t = s[c] + v, w = t - s[c];
        lost[c] += (s[c] - (t - w)) + (v - w);
        s[c] = t;
      }
    compensated_sum all;
    for (int c = 0; c < 4; ++c) {
      all.add(s[c]);
      all.add(lost[c]);
    }
    for (; i < n; ++i) all.add(body(i));
    return all.value();
  }
  template <class Body>
  extreme minimum(int64 n, Body body) {
    extreme least = {infinity_value(), 0};
    for (int64 i = 0; i < n; ++i) {
      const double v = body(i);
      if (v < least.value) least = {v, i};
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
};

template <class Real>
bool run(const cbc_settings &settings, cbc_hooks &hooks, cbc_result &result) {
  require_fftw<Real>();
  const auto start = std::chrono::steady_clock::now();
  construct_executor exec;
  cbc<Real, construct_executor> construction(exec, settings, hooks);
  result.plan_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return construction.run(result);
}

}  // namespace

bool host_construct(const cbc_settings &settings, bool single_precision, cbc_hooks &hooks, cbc_result &result) {
  return single_precision ? run<float>(settings, hooks, result) : run<double>(settings, hooks, result);
}

}  // namespace tessera
