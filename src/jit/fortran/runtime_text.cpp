// The functions of runtime.cpp for a device. Complex numbers come back through their first argument; pointers are void *, as
// they are in the code that calls.
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.hpp"

namespace tessera {

const char *const fortran_runtime_text = R"code(
#line 1 "tessera_fortran.h"
#define TESSERA_M extern "C" __device__
#define TESSERA_ONE(name) \
  TESSERA_M double tessera_m_##name(double a) { return name(a); } \
  TESSERA_M float tessera_m_##name##f(float a) { return name##f(a); }
#define TESSERA_TWO(name) \
  TESSERA_M double tessera_m_##name(double a, double b) { return name(a, b); } \
  TESSERA_M float tessera_m_##name##f(float a, float b) { return name##f(a, b); }
TESSERA_ONE(sqrt) TESSERA_ONE(exp) TESSERA_ONE(exp2) TESSERA_ONE(exp10) TESSERA_ONE(expm1) TESSERA_ONE(log) TESSERA_ONE(log2)
TESSERA_ONE(log10) TESSERA_ONE(log1p) TESSERA_ONE(sin) TESSERA_ONE(cos) TESSERA_ONE(tan) TESSERA_ONE(asin) TESSERA_ONE(acos)
TESSERA_ONE(atan) TESSERA_ONE(sinh) TESSERA_ONE(cosh) TESSERA_ONE(tanh) TESSERA_ONE(asinh) TESSERA_ONE(acosh) TESSERA_ONE(atanh)
TESSERA_ONE(floor) TESSERA_ONE(ceil) TESSERA_ONE(trunc) TESSERA_ONE(rint) TESSERA_ONE(nearbyint) TESSERA_ONE(round)
TESSERA_ONE(fabs) TESSERA_ONE(erf) TESSERA_ONE(erfc) TESSERA_ONE(tgamma) TESSERA_ONE(lgamma) TESSERA_ONE(cbrt)
TESSERA_ONE(j0) TESSERA_ONE(j1) TESSERA_ONE(y0) TESSERA_ONE(y1)
TESSERA_TWO(atan2) TESSERA_TWO(pow) TESSERA_TWO(fmod) TESSERA_TWO(hypot) TESSERA_TWO(copysign) TESSERA_TWO(fmin)
TESSERA_TWO(fmax) TESSERA_TWO(fdim) TESSERA_TWO(nextafter) TESSERA_TWO(remainder)
TESSERA_M double tessera_m_fma(double a, double b, double c) { return fma(a, b, c); }
TESSERA_M double tessera_m_jn(int n, double a) { return jn(n, a); }
TESSERA_M double tessera_m_yn(int n, double a) { return yn(n, a); }
TESSERA_M double tessera_m_ldexp(double a, int n) { return ldexp(a, n); }
TESSERA_M int tessera_m_lround_i32(double a) { return (int)round(a); }
TESSERA_M long long tessera_m_lround_i64(double a) { return llround(a); }
TESSERA_M int tessera_m_lrint_i32(double a) { return (int)rint(a); }
TESSERA_M long long tessera_m_lrint_i64(double a) { return llrint(a); }
TESSERA_M int tessera_m_fptosi_i32(double a) {
  return a != a ? 0 : a <= -2147483648.0 ? -2147483647 - 1 : a >= 2147483647.0 ? 2147483647 : (int)a;
}
TESSERA_M long long tessera_m_fptosi_i64(double a) {
  return a != a ? 0 : a <= -9223372036854775808.0 ? -9223372036854775807LL - 1 : a >= 9223372036854775808.0 ? 9223372036854775807LL : (long long)a;
}
namespace tessera_fortran {
// Powers by squaring, from the low bits of the exponent up.
template <class T> __device__ __forceinline__ T power(T a, long long n) {
  unsigned long long k = n < 0 ? 0ULL - (unsigned long long)n : (unsigned long long)n;
  T r = (k & 1) ? a : (T)1;
  while (k >>= 1) {
    a *= a;
    if (k & 1) r *= a;
  }
  return n < 0 ? (T)1 / r : r;
}
struct number { double re, im; };
__device__ __forceinline__ void give(void *to, double re, double im) { ((double *)to)[0] = re; ((double *)to)[1] = im; }
__device__ __forceinline__ number times(number a, number b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
// The divisor is brought near one by a power of two, so that its square neither overflows nor vanishes.
__device__ __forceinline__ number over(number a, number b) {
  if (b.im == 0.0) return {a.re / b.re, a.im / b.re};
  const double largest = fmax(fabs(b.re), fabs(b.im));
  int k = 0;
  if (largest > 0.0 && isfinite(largest)) {
    frexp(largest, &k);
    b.re = ldexp(b.re, -k);
    b.im = ldexp(b.im, -k);
  }
  const double d = b.re * b.re + b.im * b.im;
  return {ldexp((a.re * b.re + a.im * b.im) / d, -k), ldexp((a.im * b.re - a.re * b.im) / d, -k)};
}
__device__ __forceinline__ number whole_power(number a, long long n) {
  unsigned long long k = n < 0 ? 0ULL - (unsigned long long)n : (unsigned long long)n;
  number r = (k & 1) ? a : number{1.0, 0.0};
  while (k >>= 1) {
    a = times(a, a);
    if (k & 1) r = times(r, a);
  }
  return n < 0 ? over({1.0, 0.0}, r) : r;
}
// flang's record of an array: base, length of an element, version, rank, type, attribute, extra, then (lower, extent, stride) each.
struct dimension { long long lower, extent, stride; };
struct record {
  const char *base;
  long long length;
  int version;
  signed char rank, type, attribute, extra;
  dimension of[15];
};
// body(value) for every element, the first index fastest.
template <class F> __device__ __forceinline__ void each(const record *r, F body) {
  long long total = 1, at[15] = {};
  for (int k = 0; k < r->rank; ++k) total *= r->of[k].extent;
  for (long long n = 0; n < total; ++n) {
    long long offset = 0;
    for (int k = 0; k < r->rank; ++k) offset += at[k] * r->of[k].stride;
    body(*(const double *)(r->base + offset));
    for (int k = 0; k < r->rank; ++k) {
      if (++at[k] < r->of[k].extent) break;
      at[k] = 0;
    }
  }
}
}  // namespace tessera_fortran
TESSERA_M double tessera_m_powi(double a, int n) { return tessera_fortran::power(a, n); }
TESSERA_M float tessera_m_powif(float a, int n) { return tessera_fortran::power(a, n); }
TESSERA_M double tessera_m__FortranAFPow8i(double a, int n) { return tessera_fortran::power(a, n); }
TESSERA_M double tessera_m__FortranAFPow8k(double a, long long n) { return tessera_fortran::power(a, n); }
TESSERA_M void tessera_m___muldc3(void *r, double a, double b, double c, double d) {
  const tessera_fortran::number z = tessera_fortran::times({a, b}, {c, d});
  tessera_fortran::give(r, z.re, z.im);
}
TESSERA_M void tessera_m___divdc3(void *r, double a, double b, double c, double d) {
  const tessera_fortran::number z = tessera_fortran::over({a, b}, {c, d});
  tessera_fortran::give(r, z.re, z.im);
}
TESSERA_M double tessera_m_cabs(double a, double b) { return hypot(a, b); }
TESSERA_M double tessera_m_carg(double a, double b) { return atan2(b, a); }
TESSERA_M void tessera_m_cexp(void *r, double a, double b) {
  double s, c;
  sincos(b, &s, &c);
  const double e = exp(a);
  tessera_fortran::give(r, e * c, e * s);
}
TESSERA_M void tessera_m_clog(void *r, double a, double b) { tessera_fortran::give(r, log(hypot(a, b)), atan2(b, a)); }
TESSERA_M void tessera_m_csqrt(void *r, double a, double b) {
  const double h = hypot(a, b);
  if (h == 0.0) return tessera_fortran::give(r, 0.0, b);
  const double t = sqrt(0.5 * (h + fabs(a)));
  if (a >= 0.0) return tessera_fortran::give(r, t, b / (2.0 * t));
  tessera_fortran::give(r, fabs(b) / (2.0 * t), copysign(t, b));
}
TESSERA_M void tessera_m_csin(void *r, double a, double b) {
  double s, c;
  sincos(a, &s, &c);
  tessera_fortran::give(r, s * cosh(b), c * sinh(b));
}
TESSERA_M void tessera_m_ccos(void *r, double a, double b) {
  double s, c;
  sincos(a, &s, &c);
  tessera_fortran::give(r, c * cosh(b), -s * sinh(b));
}
TESSERA_M void tessera_m_csinh(void *r, double a, double b) {
  double s, c;
  sincos(b, &s, &c);
  tessera_fortran::give(r, sinh(a) * c, cosh(a) * s);
}
TESSERA_M void tessera_m_ccosh(void *r, double a, double b) {
  double s, c;
  sincos(b, &s, &c);
  tessera_fortran::give(r, cosh(a) * c, sinh(a) * s);
}
// With t = tan(b), h = sinh(a): (cosh(a) h (1+t^2), t) / (1 + h^2 (1+t^2)) divided by what is common; large a by its limit.
TESSERA_M void tessera_m_ctanh(void *r, double a, double b) {
  if (fabs(a) > 22.0) return tessera_fortran::give(r, copysign(1.0, a), 4.0 * sin(b) * cos(b) * exp(-2.0 * fabs(a)));
  const double t = tan(b), h = sinh(a), q = 1.0 + t * t, d = 1.0 + q * h * h;
  tessera_fortran::give(r, q * sqrt(1.0 + h * h) * h / d, t / d);
}
TESSERA_M void tessera_m_ctan(void *r, double a, double b) {
  double t[2];
  tessera_m_ctanh(t, -b, a);
  tessera_fortran::give(r, t[1], -t[0]);
}
TESSERA_M void tessera_m_cpow(void *r, double a, double b, double c, double d) {
  if (a == 0.0 && b == 0.0) return tessera_fortran::give(r, c == 0.0 && d == 0.0 ? 1.0 : 0.0, 0.0);
  const double l = log(hypot(a, b)), p = atan2(b, a);
  tessera_m_cexp(r, c * l - d * p, c * p + d * l);
}
TESSERA_M void tessera_m__FortranAzpowi(void *r, double a, double b, int n) {
  const tessera_fortran::number z = tessera_fortran::whole_power({a, b}, n);
  tessera_fortran::give(r, z.re, z.im);
}
TESSERA_M void tessera_m__FortranAzpowk(void *r, double a, double b, long long n) {
  const tessera_fortran::number z = tessera_fortran::whole_power({a, b}, n);
  tessera_fortran::give(r, z.re, z.im);
}
TESSERA_M double tessera_m__FortranAModuloReal8(double a, double p, void *, int) {
  const double r = fmod(a, p);
  return r == 0.0 ? copysign(0.0, p) : (r < 0.0) != (p < 0.0) ? r + p : r;
}
TESSERA_M float tessera_m__FortranAModuloReal4(float a, float p, void *, int) {
  const float r = fmodf(a, p);
  return r == 0.0f ? copysignf(0.0f, p) : (r < 0.0f) != (p < 0.0f) ? r + p : r;
}
TESSERA_M double tessera_m__FortranAModReal8(double a, double p, void *, int) { return fmod(a, p); }
TESSERA_M float tessera_m__FortranAModReal4(float a, float p, void *, int) { return fmodf(a, p); }
TESSERA_M int tessera_m__FortranAModuloInteger4(int a, int p, void *, int) { const int r = a % p; return r != 0 && (r < 0) != (p < 0) ? r + p : r; }
TESSERA_M long long tessera_m__FortranAModuloInteger8(long long a, long long p, void *, int) {
  const long long r = a % p;
  return r != 0 && (r < 0) != (p < 0) ? r + p : r;
}
TESSERA_M int tessera_m__FortranAExponent8_4(double a) {
  int k = 0;
  if (!isfinite(a)) return 2147483647;
  if (a != 0.0) frexp(a, &k);
  return k;
}
TESSERA_M double tessera_m__FortranAFraction8(double a) { int k; return isfinite(a) ? frexp(a, &k) : a != a ? a : a - a; }
TESSERA_M double tessera_m__FortranAScale8(double a, long long n) { return ldexp(a, (int)(n > 5000 ? 5000 : n < -5000 ? -5000 : n)); }
TESSERA_M double tessera_m__FortranASetExponent8(double a, long long n) {
  int k;
  return a == 0.0 ? a : tessera_m__FortranAScale8(frexp(a, &k), n);
}
TESSERA_M double tessera_m__FortranANearest8(double a, bool up) { return nextafter(a, up ? __longlong_as_double(0x7ff0000000000000LL) : -__longlong_as_double(0x7ff0000000000000LL)); }
TESSERA_M double tessera_m__FortranASpacing8(double a) {
  int k;
  if (!isfinite(a)) return a - a;
  if (a == 0.0) return 2.2250738585072014e-308;
  frexp(a, &k);
  return fmax(ldexp(1.0, k - 53), 2.2250738585072014e-308);
}
TESSERA_M double tessera_m__FortranARRSpacing8(double a) {
  int k;
  return a == 0.0 ? 0.0 : !isfinite(a) ? a - a : ldexp(fabs(frexp(a, &k)), 53);
}
TESSERA_M double tessera_m__FortranAErfcScaled8(double a) { return erfcx(a); }
TESSERA_M double tessera_m__FortranANorm2_8(void *d, void *, int, int) {
  double largest = 0.0, s = 0.0;
  tessera_fortran::each((const tessera_fortran::record *)d, [&](double v) { largest = fmax(largest, fabs(v)); });
  if (!(largest > 0.0) || !isfinite(largest)) return largest;
  tessera_fortran::each((const tessera_fortran::record *)d, [&](double v) { v /= largest; s += v * v; });
  return largest * sqrt(s);
}
// to = from, of the same shape. Where they may overlap and are laid out in two ways, and where memory would have to be had, the run ends.
TESSERA_M void tessera_m__FortranAAssign(void *left, void *right, void *, int) {
  const tessera_fortran::record *const t = (const tessera_fortran::record *)left, *const f = (const tessera_fortran::record *)right;
  long long total = 1, at[15] = {}, first_t = 0, last_t = t->length, first_f = 0, last_f = f->length;
  bool same = true, good = t->base && f->base && t->length == f->length && (f->rank == t->rank || f->rank == 0);
  for (int k = 0; good && k < t->rank; ++k) {
    const long long n = t->of[k].extent, step = f->rank ? f->of[k].stride : 0;
    good = f->rank == 0 || f->of[k].extent == n;
    same = same && step == t->of[k].stride && step >= 0;
    total *= n;
    (t->of[k].stride < 0 ? first_t : last_t) += (n - 1) * t->of[k].stride;
    (step < 0 ? first_f : last_f) += (n - 1) * step;
  }
  if (good && total <= 0) return;
  const bool apart = t->base + last_t <= f->base + first_f || f->base + last_f <= t->base + first_t;
  if (!good || !(apart || same)) {
    atomicOr(&tessera_flags, 2);
    return;
  }
  // Of the same layout, from the side that the other does not run into.
  const bool backward = !apart && t->base > f->base;
  for (long long n = 0; n < total; ++n) {
    long long to = 0, from = 0, rest = backward ? total - 1 - n : n;
    for (int k = 0; k < t->rank; ++k) {
      at[k] = rest % t->of[k].extent;
      rest /= t->of[k].extent;
      to += at[k] * t->of[k].stride;
      from += f->rank ? at[k] * f->of[k].stride : 0;
    }
    for (long long b = 0; b < t->length; ++b) ((char *)t->base)[to + b] = f->base[from + b];
  }
}
// Default values of a derived type's components, from flang 22's tables: sizes and places in bytes.
TESSERA_M void tessera_m__FortranAInitialize(void *d, void *, int) {
  const tessera_fortran::record *const r = (const tessera_fortran::record *)d;
  const char *const type = *(const char *const *)((const char *)d + 24 + 24 * r->rank);
  bool good = r->version == 20240719 && type;
  const char *const components = good ? *(const char *const *)(type + 232) : nullptr;
  const long long many = good ? *(const long long *)(type + 264) : 0;
  long long total = 1;
  for (int k = 0; k < r->rank; ++k) total *= r->of[k].extent;
  for (long long e = 0; e < total && good; ++e) {
    long long place = 0, rest = e;
    for (int k = 0; k < r->rank; ++k) {
      place += rest % r->of[k].extent * r->of[k].stride;
      rest /= r->of[k].extent;
    }
    for (long long j = 0; j < many; ++j) {
      const char *const c = components + 256 * j;
      const char genre = c[24], category = c[25], kind = c[26], rank = c[27];
      const char *const value = *(const char *const *)(c + 248);
      const bool number = category == 0 || category == 2 || category == 3 || category == 5;
      good = good && genre == 1 && number;
      if (!good || !value) continue;
      long long bytes = category == 3 ? 2 * kind : kind;
      const long long *const bounds = *(const long long *const *)(c + 160);
      for (int k = 0; k < rank; ++k) bytes *= bounds[4 * k + 3] - bounds[4 * k + 1] + 1;
      char *const to = (char *)r->base + place + *(const long long *)(c + 32);
      for (long long b = 0; b < bytes; ++b) to[b] = value[b];
    }
  }
  if (!good) atomicOr(&tessera_flags, 2);  // components that are types, pointers or allocatable
}
TESSERA_M void tessera_m_output() { atomicOr(&tessera_flags, 1); }
TESSERA_M void tessera_m_status(int status) {
  atomicMax(reinterpret_cast<unsigned *>(&tessera_status), (unsigned)status);
  atomicOr(&tessera_flags, 4);
}
TESSERA_M void tessera_m_stop() { atomicOr(&tessera_flags, 2); }
#undef TESSERA_ONE
#undef TESSERA_TWO
)code";

}  // namespace tessera
