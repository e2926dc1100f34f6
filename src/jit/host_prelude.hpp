// Texts around the user's one when the system's compiler translates it for the host.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "forms_text.hpp"

namespace tessera {

// CUDA C++: its keywords away, and the functions that CUDA has and the C library has not.
constexpr const char *host_cxx_prelude = R"code(
#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
#line 1 "tessera_host.h"
inline double rsqrt(double a) { return 1.0 / std::sqrt(a); }
inline double rcbrt(double a) { return 1.0 / std::cbrt(a); }
inline double rhypot(double a, double b) { return 1.0 / std::hypot(a, b); }
inline double norm3d(double a, double b, double c) { return std::hypot(a, b, c); }
inline double rnorm3d(double a, double b, double c) { return 1.0 / std::hypot(a, b, c); }
inline double norm4d(double a, double b, double c, double d) { return std::hypot(std::hypot(a, b), std::hypot(c, d)); }
// sin and cos of pi*a; the argument is reduced without error
inline void sincospi(double a, double *s, double *c) {
  const double n = std::nearbyint(2.0 * a), r = (a - 0.5 * n) * 3.14159265358979323846;
  const double sr = std::sin(r), cr = std::cos(r);
  switch (static_cast<int>(std::fmod(n, 4.0)) & 3) {
    case 0: *s = sr, *c = cr; break;
    case 1: *s = cr, *c = -sr; break;
    case 2: *s = -sr, *c = -cr; break;
    default: *s = -cr, *c = sr;
  }
}
inline double sinpi(double a) { double s, c; sincospi(a, &s, &c); return s; }
inline double cospi(double a) { double s, c; sincospi(a, &s, &c); return c; }
inline double normcdf(double a) { return 0.5 * std::erfc(-a * 0.70710678118654752440); }
inline double saturate(double a) { return a < 0.0 ? 0.0 : a > 1.0 ? 1.0 : a; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __drcp_rn(double a) { return 1.0 / a; }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline double __longlong_as_double(long long a) { double d; std::memcpy(&d, &a, sizeof d); return d; }
inline long long __double_as_longlong(double a) { long long n; std::memcpy(&n, &a, sizeof n); return n; }
inline int __popc(unsigned a) { return __builtin_popcount(a); }
inline int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
inline int __clz(int a) { return a == 0 ? 32 : __builtin_clz(static_cast<unsigned>(a)); }
inline int __ffs(int a) { return __builtin_ffs(a); }
template <class T> inline T __ldg(const T *p) { return *p; }
inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a < b ? b : a; }
inline long long min(long long a, long long b) { return a < b ? a : b; }
inline long long max(long long a, long long b) { return a < b ? b : a; }
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }
inline float min(float a, float b) { return std::fmin(a, b); }
inline float max(float a, float b) { return std::fmax(a, b); }
inline double min(double a, double b) { return std::fmin(a, b); }
inline double max(double a, double b) { return std::fmax(a, b); }
inline double min(float a, double b) { return std::fmin(a, b); }
inline double max(float a, double b) { return std::fmax(a, b); }
inline double min(double a, float b) { return std::fmin(a, b); }
inline double max(double a, float b) { return std::fmax(a, b); }
struct int2 { int x, y; };
struct float2 { float x, y; };
struct double2 { double x, y; };
struct double3 { double x, y, z; };
struct double4 { double x, y, z, w; };
inline int2 make_int2(int a, int b) { return {a, b}; }
inline float2 make_float2(float a, float b) { return {a, b}; }
inline double2 make_double2(double a, double b) { return {a, b}; }
inline double3 make_double3(double a, double b, double c) { return {a, b, c}; }
inline double4 make_double4(double a, double b, double c, double d) { return {a, b, c, d}; }
)code";

// After the text. TESSERA_CALL(point, values, params) calls the integrand and gives the status: it stands in the line before.
constexpr const char *host_loop = R"code(
__attribute__((visibility("default")))
int tessera_batch(long long tessera_n, int tessera_nd, const double *tessera_x, long long tessera_ldx, int tessera_nc,
                  double *tessera_f, long long tessera_ldf, void *tessera_p) {
  (void)tessera_nd;
  (void)tessera_nc;
  for (long long tessera_i = 0; tessera_i < tessera_n; ++tessera_i) {
    double tessera_u[TESSERA_COORDINATES], tessera_v[TESSERA_NCOMP];
    for (int tessera_j = 0; tessera_j < TESSERA_COORDINATES; ++tessera_j)
      tessera_u[tessera_j] = tessera_x[tessera_j * tessera_ldx + tessera_i];
    for (int tessera_k = 0; tessera_k < TESSERA_NCOMP; ++tessera_k) tessera_v[tessera_k] = __builtin_nan("");
    {
      const int tessera_s = TESSERA_CALL(tessera_u, tessera_v, tessera_p);
      if (tessera_s != 0) return tessera_s;
    }
    for (int tessera_k = 0; tessera_k < TESSERA_NCOMP; ++tessera_k)
      tessera_f[tessera_k * tessera_ldf + tessera_i] = tessera_v[tessera_k];
  }
  return 0;
}
)code";

// The same after a text of limits, whose call stands in TESSERA_CALL(point, lower, upper, params).
constexpr const char *host_limits = R"code(
__attribute__((visibility("default")))
int tessera_limits_of_axis(int tessera_n, int tessera_j, const double *tessera_x, double *tessera_l, double *tessera_u,
                           void *tessera_p) {
  (void)tessera_n;
  (void)tessera_j;
  return TESSERA_CALL(tessera_x, tessera_l, tessera_u, tessera_p);
}
)code";

// Cuba's header for texts that include it; the library itself is not needed.
constexpr const char *host_cuba_header = R"code(
typedef double cubareal;
typedef int (*integrand_t)(const int *, const double *, const int *, double *, void *);
typedef void (*peakfinder_t)(const int *, const double *, int *, double *, void *);
)code";

}  // namespace tessera
