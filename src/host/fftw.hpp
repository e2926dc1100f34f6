// FFTs of real sequences on the host by FFTW, whose libraries are opened when a construction first needs them: libtessera.so
// is not linked to them and loads without them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../place.hpp"

namespace tessera {

// Plan of the transforms of n reals; Real is float or double. Unscaled: backward(forward(x)) is n x. The spectrum has n/2+1
// pairs. Making and destroying plans is serialised within this library; FFTW's planner is not safe against other threads of
// the program that plan at the same time.
template <class Real>
class fftw_plan_pair {
 public:
  explicit fftw_plan_pair(int64 n);  // throws fft_missing, std::bad_alloc
  ~fftw_plan_pair();
  fftw_plan_pair(const fftw_plan_pair &) = delete;
  fftw_plan_pair &operator=(const fftw_plan_pair &) = delete;

  void forward(const Real *in, Real *spectrum);  // not in place
  void backward(Real *spectrum, Real *out);      // out = spectrum: in place; the spectrum is destroyed

  static void *allocate(int64 bytes);  // as FFTW wants it aligned; throws std::bad_alloc

 private:
  void *forward_ = nullptr, *backward_ = nullptr;
};

// Is FFTW there for this precision? Throws fft_missing with the message if it is not.
template <class Real>
void require_fftw();

}  // namespace tessera
