// SPDX-License-Identifier: BSD-3-Clause
#include "fftw.hpp"

#include <cstdlib>
#include <mutex>
#include <new>
#include <string>

#include <dlfcn.h>

#ifdef TESSERA_FFTW
#include <fftw3.h>
#endif

namespace tessera {

#ifdef TESSERA_FFTW
namespace {

std::mutex planner;

template <class Real>
struct api;

template <>
struct api<double> {
  static constexpr const char *file = "libfftw3.so.3";
  static constexpr const char *prefix = "fftw_";
  using plan = fftw_plan;
  using complex = fftw_complex;
  decltype(&fftw_plan_guru64_dft_r2c) plan_forward;
  decltype(&fftw_plan_guru64_dft_c2r) plan_backward;
  decltype(&fftw_execute_dft_r2c) execute_forward;
  decltype(&fftw_execute_dft_c2r) execute_backward;
  decltype(&fftw_destroy_plan) destroy;
};

template <>
struct api<float> {
  static constexpr const char *file = "libfftw3f.so.3";
  static constexpr const char *prefix = "fftwf_";
  using plan = fftwf_plan;
  using complex = fftwf_complex;
  decltype(&fftwf_plan_guru64_dft_r2c) plan_forward;
  decltype(&fftwf_plan_guru64_dft_c2r) plan_backward;
  decltype(&fftwf_execute_dft_r2c) execute_forward;
  decltype(&fftwf_execute_dft_c2r) execute_backward;
  decltype(&fftwf_destroy_plan) destroy;
};

template <class Function>
void find(void *library, const std::string &name, const char *file, Function &to) {
  void *address = ::dlsym(library, name.c_str());
  if (!address) throw fft_missing(std::string(file) + " has no function " + name);
  to = reinterpret_cast<Function>(address);
}

template <class Real>
api<Real> open_library() {
  using a = api<Real>;
  void *library = ::dlopen(a::file, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw fft_missing(std::string(a::file) +
                      " (FFTW, which the construction of lattices needs) cannot be opened: " + ::dlerror());
  api<Real> f;
  const std::string prefix = a::prefix;
  find(library, prefix + "plan_guru64_dft_r2c", a::file, f.plan_forward);
  find(library, prefix + "plan_guru64_dft_c2r", a::file, f.plan_backward);
  find(library, prefix + "execute_dft_r2c", a::file, f.execute_forward);
  find(library, prefix + "execute_dft_c2r", a::file, f.execute_backward);
  find(library, prefix + "destroy_plan", a::file, f.destroy);
  return f;
}

template <class Real>
const api<Real> &library() {
  static const api<Real> f = open_library<Real>();  // a failure is tried again at the next call
  return f;
}

template <class Real>
typename api<Real>::plan plan_of(void *p) {
  return static_cast<typename api<Real>::plan>(p);
}

}  // namespace

template <class Real>
void require_fftw() {
  library<Real>();
}

// Plans are made by estimate: measuring takes a minute for a length of half a million and gains a fifth.
template <class Real>
fftw_plan_pair<Real>::fftw_plan_pair(int64 n) {
  using complex = typename api<Real>::complex;
  const api<Real> &f = library<Real>();
  const fftw_iodim64 dim = {static_cast<std::ptrdiff_t>(n), 1, 1};
  void *const a = allocate((n + 2) * static_cast<int64>(sizeof(Real)));  // estimating looks at their alignment alone
  void *const b = allocate((n + 2) * static_cast<int64>(sizeof(Real)));
  {
    const std::lock_guard<std::mutex> lock(planner);
    forward_ = f.plan_forward(1, &dim, 0, nullptr, static_cast<Real *>(a), static_cast<complex *>(b),
                              FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
    backward_ = f.plan_backward(1, &dim, 0, nullptr, static_cast<complex *>(b), static_cast<Real *>(b), FFTW_ESTIMATE);
  }
  std::free(a);
  std::free(b);
  if (!forward_ || !backward_) throw std::bad_alloc();
}

template <class Real>
fftw_plan_pair<Real>::~fftw_plan_pair() {
  const std::lock_guard<std::mutex> lock(planner);
  for (void *p : {forward_, backward_})
    if (p) library<Real>().destroy(plan_of<Real>(p));
}

template <class Real>
void fftw_plan_pair<Real>::forward(const Real *in, Real *spectrum) {
  using complex = typename api<Real>::complex;
  library<Real>().execute_forward(plan_of<Real>(forward_), const_cast<Real *>(in),
                                  reinterpret_cast<complex *>(spectrum));
}

template <class Real>
void fftw_plan_pair<Real>::backward(Real *spectrum, Real *out) {
  using complex = typename api<Real>::complex;
  library<Real>().execute_backward(plan_of<Real>(backward_), reinterpret_cast<complex *>(spectrum), out);
}

#else

template <class Real>
void require_fftw() {
  throw fft_missing("this library was built without FFTW, which the construction of lattices needs");
}
template <class Real>
fftw_plan_pair<Real>::fftw_plan_pair(int64) {
  require_fftw<Real>();
}
template <class Real>
fftw_plan_pair<Real>::~fftw_plan_pair() {}
template <class Real>
void fftw_plan_pair<Real>::forward(const Real *, Real *) {}
template <class Real>
void fftw_plan_pair<Real>::backward(Real *, Real *) {}

#endif

template <class Real>
void *fftw_plan_pair<Real>::allocate(int64 bytes) {
  constexpr std::size_t line = 64;
  void *p = std::aligned_alloc(line, (static_cast<std::size_t>(bytes) + line) / line * line);
  if (!p) throw std::bad_alloc();
  return p;
}

template void require_fftw<float>();
template void require_fftw<double>();
template class fftw_plan_pair<float>;
template class fftw_plan_pair<double>;

}  // namespace tessera
