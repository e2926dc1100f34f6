// The forms that an integrand, or limits, in CUDA C++ may have, for NVRTC and, where CUDA's keywords are defined away, for the host's compiler.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera {

// Before the text.
constexpr const char *forms_text = R"code(
#line 1 "tessera_forms.h"
namespace tessera_forms {
template <class...> constexpr bool never = false;
template <int ncomp = TESSERA_NCOMP>
__device__ __forceinline__ void scalar(double v, double *f) {
  static_assert(ncomp == 1, "a function that returns double has one component; this solver has more: "
                            "use void f(const double *x, double *out, const void *params)");
  f[0] = v;
}
template <int ncomp = TESSERA_NCOMP>
__device__ __forceinline__ void call(double (*g)(const double *), const double *x, double *f, const void *) {
  scalar<ncomp>(g(x), f);
}
template <class P>
__device__ __forceinline__ void call(double (*g)(const double *, P *), const double *x, double *f, const void *p) {
  scalar(g(x, static_cast<P *>(const_cast<void *>(p))), f);
}
__device__ __forceinline__ void call(void (*g)(const double *, double *), const double *x, double *f, const void *) {
  g(x, f);
}
template <class P>
__device__ __forceinline__ void call(void (*g)(const double *, double *, P *), const double *x, double *f,
                                     const void *p) {
  g(x, f, static_cast<P *>(const_cast<void *>(p)));
}
template <class F>
__device__ void call(F, const double *, double *, const void *) {
  static_assert(never<F>, "the integrand must be double f(const double *x), double f(const double *x, const P *params), "
                          "void f(const double *x, double *out) or void f(const double *x, double *out, const P *params)");
}
__device__ __forceinline__ void limits(void (*g)(const double *, double *, double *), const double *x, double *l, double *u,
                                       const void *) {
  g(x, l, u);
}
template <class P>
__device__ __forceinline__ void limits(void (*g)(const double *, double *, double *, P *), const double *x, double *l,
                                       double *u, const void *p) {
  g(x, l, u, static_cast<P *>(const_cast<void *>(p)));
}
template <class F>
__device__ void limits(F, const double *, double *, double *, const void *) {
  static_assert(never<F>, "limits must be void f(const double *x, double *lower, double *upper) or "
                          "void f(const double *x, double *lower, double *upper, const P *params)");
}
}  // namespace tessera_forms
)code";

}  // namespace tessera
