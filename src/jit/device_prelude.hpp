// Texts that stand before and after the user's one when NVRTC compiles it. The user's macros are in force only in what comes
// after the text, so those parts use long names alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "forms_text.hpp"

namespace tessera {

// First of all. TESSERA_INLINE_INTEGRAND: the integrand comes later in the same text (else it is linked). TESSERA_MANY: each
// block is at an integral of its own, whose answer concerns no other; only integrands in the same text give one.
constexpr const char *declarations_text = R"code(#line 1 "tessera_prelude.h"
#ifdef TESSERA_INLINE_INTEGRAND
extern "C" __device__ __forceinline__ void tessera_f(const double *x, double *f, const void *params);
#else
extern "C" __device__ void tessera_f(const double *x, double *f, const void *params);
#endif
#if TESSERA_MANY == 2  // each thread has an integral of its own
extern "C" { __shared__ int tessera_of_threads[TESSERA_BLOCK][2]; }
#define tessera_flags tessera_of_threads[threadIdx.x][0]
#define tessera_status tessera_of_threads[threadIdx.x][1]
#elif TESSERA_MANY
extern "C" { __shared__ int tessera_flags; __shared__ int tessera_status; }
#else
extern "C" { __device__ int tessera_flags; __device__ int tessera_status; }
#endif
)code";

// Before kernels that are compiled apart from the integrand.
constexpr const char *apart_declarations_text = R"code(#line 1 "tessera_prelude.h"
extern "C" { extern __device__ int tessera_flags; extern __device__ int tessera_status; }
)code";

// Before CUDA C++: the functions of two numbers for arguments of different types, whole ones among them, which nvcc's headers bring
// and NVRTC does not.
constexpr const char *cxx_math_text = R"code(
#line 1 "tessera_math.h"
namespace tessera_mixed {
template <class T> struct number { enum { is = 0, whole = 0 }; };
#define TESSERA_NUMBER(type, is_whole) template <> struct number<type> { enum { is = 1, whole = is_whole }; };
TESSERA_NUMBER(double, 0) TESSERA_NUMBER(float, 0) TESSERA_NUMBER(int, 1) TESSERA_NUMBER(unsigned, 1) TESSERA_NUMBER(long, 1)
TESSERA_NUMBER(unsigned long, 1) TESSERA_NUMBER(long long, 1) TESSERA_NUMBER(unsigned long long, 1) TESSERA_NUMBER(short, 1)
TESSERA_NUMBER(unsigned short, 1) TESSERA_NUMBER(char, 1) TESSERA_NUMBER(signed char, 1) TESSERA_NUMBER(unsigned char, 1)
TESSERA_NUMBER(bool, 1)
#undef TESSERA_NUMBER
template <bool> struct result {};
template <> struct result<true> { typedef double type; };
template <class A, class B> struct result_of
    : result<(bool)number<A>::is && (bool)number<B>::is && ((bool)number<A>::whole || (bool)number<B>::whole)> {};
}
#define TESSERA_2(name) template <class A, class B> __device__ __forceinline__ typename tessera_mixed::result_of<A, B>::type \
  name(A a, B b) { return ::name((double)a, (double)b); }
TESSERA_2(pow) TESSERA_2(atan2) TESSERA_2(copysign) TESSERA_2(fdim) TESSERA_2(fmax) TESSERA_2(fmin) TESSERA_2(fmod)
TESSERA_2(hypot) TESSERA_2(nextafter) TESSERA_2(remainder)
#undef TESSERA_2
)code";

// Before C. C's functions of double alone, whatever the argument: sqrt(2) and sin(1.0f) mean what they mean in C.
constexpr const char *c_prelude_text = R"code(
#line 1 "tessera_c.h"
namespace tessera_c {
struct voidp {
  void *address;
  voidp() = default;
  __device__ voidp(decltype(nullptr)) : address(nullptr) {}
  template <class T> __device__ voidp(T *p) : address((void *)p) {}
  template <class T> __device__ operator T *() const { return (T *)address; }
  __device__ explicit operator bool() const { return address != nullptr; }
  friend __device__ bool operator==(voidp a, voidp b) { return a.address == b.address; }
  friend __device__ bool operator!=(voidp a, voidp b) { return a.address != b.address; }
};
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t;
typedef unsigned long long uint64_t;
typedef long intptr_t; typedef unsigned long uintptr_t; typedef long ptrdiff_t; typedef long ssize_t;
typedef double double_t; typedef float float_t; typedef double cubareal;
struct FILE { int unused; };

__device__ __forceinline__ int output() { atomicOr(&::tessera_flags, 1); return 0; }
__device__ __forceinline__ void leave() { atomicOr(&::tessera_flags, 2); }
struct nothing {};
struct returned { int value; };
template <class T> __device__ __forceinline__ returned operator,(T value, nothing) { return {(int)value}; }
template <bool cuba> __device__ __forceinline__ void finish(nothing) {}
// Of several points the greatest value is kept, so that it does not depend on who comes first; negative ones count as greater.
template <bool cuba> __device__ __forceinline__ void finish(returned r) {
  if (cuba ? r.value == -999 : r.value != 0) {
    atomicMax(reinterpret_cast<unsigned *>(&::tessera_status), (unsigned)r.value);
    atomicOr(&::tessera_flags, 4);
  }
}

#define TESSERA_1(name) __device__ __forceinline__ double name(double a) { return ::name(a); }
#define TESSERA_2(name) __device__ __forceinline__ double name(double a, double b) { return ::name(a, b); }
TESSERA_1(acos) TESSERA_1(acosh) TESSERA_1(asin) TESSERA_1(asinh) TESSERA_1(atan) TESSERA_1(atanh) TESSERA_1(cbrt)
TESSERA_1(ceil) TESSERA_1(cos) TESSERA_1(cosh) TESSERA_1(erf) TESSERA_1(erfc) TESSERA_1(exp) TESSERA_1(exp2)
TESSERA_1(exp10) TESSERA_1(expm1) TESSERA_1(fabs) TESSERA_1(floor) TESSERA_1(j0) TESSERA_1(j1) TESSERA_1(lgamma)
TESSERA_1(log) TESSERA_1(log10) TESSERA_1(log1p) TESSERA_1(log2) TESSERA_1(logb) TESSERA_1(nearbyint) TESSERA_1(rint)
TESSERA_1(round) TESSERA_1(sin) TESSERA_1(sinh) TESSERA_1(sqrt) TESSERA_1(tan) TESSERA_1(tanh) TESSERA_1(tgamma)
TESSERA_1(trunc) TESSERA_1(y0) TESSERA_1(y1)
TESSERA_2(atan2) TESSERA_2(copysign) TESSERA_2(fdim) TESSERA_2(fmax) TESSERA_2(fmin) TESSERA_2(fmod) TESSERA_2(hypot)
TESSERA_2(nextafter) TESSERA_2(remainder)
#undef TESSERA_1
#undef TESSERA_2
// Small whole exponents that are known at compile time become products.
__device__ __forceinline__ double pow(double a, double b) {
  if (b == 2.0) return a * a;
  if (b == 1.0) return a;
  if (b == -1.0) return 1.0 / a;
  if (b == 3.0) return a * a * a;
  if (b == 4.0) return (a * a) * (a * a);
  return ::pow(a, b);
}
__device__ __forceinline__ double fma(double a, double b, double c) { return ::fma(a, b, c); }
__device__ __forceinline__ double ldexp(double a, int n) { return ::ldexp(a, n); }
__device__ __forceinline__ double scalbn(double a, int n) { return ::scalbn(a, n); }
__device__ __forceinline__ double frexp(double a, int *n) { return ::frexp(a, n); }
__device__ __forceinline__ double modf(double a, double *n) { return ::modf(a, n); }
__device__ __forceinline__ int ilogb(double a) { return ::ilogb(a); }
__device__ __forceinline__ long lround(double a) { return ::lround(a); }
__device__ __forceinline__ long lrint(double a) { return ::lrint(a); }
__device__ __forceinline__ long long llround(double a) { return ::llround(a); }
__device__ __forceinline__ double jn(int n, double a) { return ::jn(n, a); }
__device__ __forceinline__ double yn(int n, double a) { return ::yn(n, a); }
__device__ __forceinline__ void sincos(double a, double *s, double *c) { ::sincos(a, s, c); }
__device__ __forceinline__ int abs(int a) { return a < 0 ? -a : a; }
__device__ __forceinline__ long labs(long a) { return a < 0 ? -a : a; }
__device__ __forceinline__ long long llabs(long long a) { return a < 0 ? -a : a; }
__device__ __forceinline__ bool is_nan(double a) { return a != a; }
__device__ __forceinline__ bool is_inf(double a) { return ::fabs(a) == __longlong_as_double(0x7ff0000000000000ll); }
__device__ __forceinline__ bool is_finite(double a) { return ::fabs(a) < __longlong_as_double(0x7ff0000000000000ll); }
__device__ __forceinline__ bool sign_bit(double a) { return __double_as_longlong(a) < 0; }

// double complex. The real part is what a conversion to double keeps, as in C.
struct complex {
  double re, im;
  complex() = default;
  __device__ __forceinline__ complex(double a) : re(a), im(0.0) {}
  __device__ __forceinline__ complex(double a, double b) : re(a), im(b) {}
  __device__ __forceinline__ operator double() const { return re; }
};
template <class T> struct is_real { enum { yes = 0 }; };
#define TESSERA_REAL(type) template <> struct is_real<type> { enum { yes = 1 }; };
TESSERA_REAL(double) TESSERA_REAL(float) TESSERA_REAL(int) TESSERA_REAL(unsigned) TESSERA_REAL(long)
TESSERA_REAL(unsigned long) TESSERA_REAL(long long) TESSERA_REAL(unsigned long long) TESSERA_REAL(short)
TESSERA_REAL(char) TESSERA_REAL(bool)
#undef TESSERA_REAL
template <class T> struct is_double { enum { yes = 0 }; };
template <> struct is_double<double> { enum { yes = 1 }; };
template <bool condition, class T> struct only {};
template <class T> struct only<true, T> { typedef T type; };
#define TESSERA_MIXED template <class T> __device__ __forceinline__ typename only<(bool)is_real<T>::yes, complex>::type
#define TESSERA_FN __device__ __forceinline__
TESSERA_FN complex operator+(complex a) { return a; }
TESSERA_FN complex operator-(complex a) { return {-a.re, -a.im}; }
TESSERA_FN complex operator+(complex a, complex b) { return {a.re + b.re, a.im + b.im}; }
TESSERA_FN complex operator-(complex a, complex b) { return {a.re - b.re, a.im - b.im}; }
TESSERA_FN complex operator*(complex a, complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
TESSERA_FN complex operator/(complex a, complex b) {
  const double d = b.re * b.re + b.im * b.im;
  if (d > 1e-280 && d < 1e280) {
    const double r = 1.0 / d;
    return {(a.re * b.re + a.im * b.im) * r, (a.im * b.re - a.re * b.im) * r};
  }
  const double s = 1.0 / ::fmax(::fabs(b.re), ::fabs(b.im)), c = b.re * s, e = b.im * s, r = s / (c * c + e * e);
  return {(a.re * c + a.im * e) * r, (a.im * c - a.re * e) * r};
}
TESSERA_MIXED operator+(complex a, T b) { return {a.re + (double)b, a.im}; }
TESSERA_MIXED operator+(T a, complex b) { return {(double)a + b.re, b.im}; }
TESSERA_MIXED operator-(complex a, T b) { return {a.re - (double)b, a.im}; }
TESSERA_MIXED operator-(T a, complex b) { return {(double)a - b.re, -b.im}; }
TESSERA_MIXED operator*(complex a, T b) { return {a.re * (double)b, a.im * (double)b}; }
TESSERA_MIXED operator*(T a, complex b) { return {(double)a * b.re, (double)a * b.im}; }
TESSERA_MIXED operator/(complex a, T b) { return {a.re / (double)b, a.im / (double)b}; }
TESSERA_MIXED operator/(T a, complex b) { return complex((double)a) / b; }
#define TESSERA_TEST template <class T> __device__ __forceinline__ typename only<(bool)is_real<T>::yes, bool>::type
TESSERA_TEST operator==(complex a, T b) { return a.re == (double)b && a.im == 0.0; }
TESSERA_TEST operator==(T a, complex b) { return b == a; }
TESSERA_TEST operator!=(complex a, T b) { return !(a == b); }
TESSERA_TEST operator!=(T a, complex b) { return !(b == a); }
#undef TESSERA_TEST
#undef TESSERA_MIXED
template <class T> TESSERA_FN complex &operator+=(complex &a, T b) { return a = a + b; }
template <class T> TESSERA_FN complex &operator-=(complex &a, T b) { return a = a - b; }
template <class T> TESSERA_FN complex &operator*=(complex &a, T b) { return a = a * b; }
template <class T> TESSERA_FN complex &operator/=(complex &a, T b) { return a = a / b; }
TESSERA_FN double &operator+=(double &a, complex b) { return a += b.re; }
TESSERA_FN double &operator-=(double &a, complex b) { return a -= b.re; }
TESSERA_FN bool operator==(complex a, complex b) { return a.re == b.re && a.im == b.im; }
TESSERA_FN bool operator!=(complex a, complex b) { return !(a == b); }
TESSERA_FN double creal(complex a) { return a.re; }
TESSERA_FN double cimag(complex a) { return a.im; }
TESSERA_FN complex conj(complex a) { return {a.re, -a.im}; }
TESSERA_FN double cabs(complex a) { return ::hypot(a.re, a.im); }
TESSERA_FN double carg(complex a) { return ::atan2(a.im, a.re); }
TESSERA_FN complex cexp(complex a) {
  double s, c;
  ::sincos(a.im, &s, &c);
  const double e = ::exp(a.re);
  return {e * c, a.im == 0.0 ? a.im : e * s};
}
TESSERA_FN complex clog(complex a) { return {::log(::hypot(a.re, a.im)), ::atan2(a.im, a.re)}; }
TESSERA_FN complex csqrt(complex a) {
  if (a.re == 0.0 && a.im == 0.0) return {0.0, a.im};
  const double t = ::sqrt(0.5 * (::hypot(a.re, a.im) + ::fabs(a.re)));
  if (a.re >= 0.0) return {t, a.im / (2.0 * t)};
  return {::fabs(a.im) / (2.0 * t), ::copysign(t, a.im)};
}
TESSERA_FN complex cpow(complex a, complex b) {
  if (a.re == 0.0 && a.im == 0.0) return b.re == 0.0 && b.im == 0.0 ? complex(1.0) : complex(0.0);
  if (b.im == 0.0 && b.re == 2.0) return a * a;
  return cexp(b * clog(a));
}
TESSERA_FN complex csin(complex a) { return {::sin(a.re) * ::cosh(a.im), ::cos(a.re) * ::sinh(a.im)}; }
TESSERA_FN complex ccos(complex a) { return {::cos(a.re) * ::cosh(a.im), -::sin(a.re) * ::sinh(a.im)}; }
TESSERA_FN complex csinh(complex a) { return {::sinh(a.re) * ::cos(a.im), ::cosh(a.re) * ::sin(a.im)}; }
TESSERA_FN complex ccosh(complex a) { return {::cosh(a.re) * ::cos(a.im), ::sinh(a.re) * ::sin(a.im)}; }
TESSERA_FN complex ctanh(complex a) {
  if (::fabs(a.re) > 22.0) return {::copysign(1.0, a.re), 4.0 * ::sin(a.im) * ::cos(a.im) * ::exp(-2.0 * ::fabs(a.re))};
  const double t = ::tan(a.im), s = ::sinh(a.re), b = 1.0 + t * t, r = ::sqrt(1.0 + s * s), d = 1.0 + b * s * s;
  return {b * r * s / d, t / d};
}
TESSERA_FN complex ctan(complex a) {
  const complex t = ctanh(complex(-a.im, a.re));
  return {t.im, -t.re};
}
#undef TESSERA_FN
}  // namespace tessera_c
#define restrict __restrict__
)code";

// The standard headers of C: macros only; the functions stand in the prelude.
struct memory_header {
  const char *name, *text;
};

constexpr const char *c_math_text = R"code(#pragma once
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#ifndef INFINITY
#define INFINITY (__int_as_float(0x7f800000))
#endif
#ifndef NAN
#define NAN (__int_as_float(0x7fffffff))
#endif
#ifndef HUGE_VAL
#define HUGE_VAL (__longlong_as_double(0x7ff0000000000000ll))
#endif
)code";

constexpr const char *c_math_only_text = R"code(#define isnan(a) (::tessera_c::is_nan(a))
#define isinf(a) (::tessera_c::is_inf(a))
#define isfinite(a) (::tessera_c::is_finite(a))
#define signbit(a) (::tessera_c::sign_bit(a))
)code";

constexpr const char *c_float_text = R"code(#pragma once
#define FLT_RADIX 2
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#define DBL_MAX_EXP 1024
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_10_EXP 308
#define DBL_MIN_10_EXP (-307)
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define FLT_EPSILON 1.19209290e-07f
#define FLT_MAX 3.40282347e+38f
#define FLT_MIN 1.17549435e-38f
)code";

constexpr const char *c_limits_text = R"code(#pragma once
#define CHAR_BIT 8
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LONG_MIN (-LONG_MAX - 1l)
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-LLONG_MAX - 1ll)
#define ULLONG_MAX 18446744073709551615ull
)code";

constexpr const char *c_stdint_text = R"code(#pragma once
#define INT32_MAX 2147483647
#define INT32_MIN (-INT32_MAX - 1)
#define UINT32_MAX 4294967295u
#define INT64_MAX 9223372036854775807ll
#define INT64_MIN (-INT64_MAX - 1ll)
#define UINT64_MAX 18446744073709551615ull
#define SIZE_MAX 18446744073709551615ul
)code";

constexpr const char *c_null_text = R"code(#pragma once
#undef NULL
#define NULL nullptr
)code";

constexpr const char *c_stdlib_text = R"code(#pragma once
#undef NULL
#define NULL nullptr
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define exit(...) (::tessera_c::leave())
#define abort() (::tessera_c::leave())
)code";

constexpr const char *c_stdio_text = R"code(#pragma once
#undef NULL
#define NULL nullptr
#define stdin (nullptr)
#define stdout (nullptr)
#define stderr (nullptr)
#define EOF (-1)
#define printf(...) (::tessera_c::output())
#define fprintf(...) (::tessera_c::output())
#define puts(...) (::tessera_c::output())
#define fputs(...) (::tessera_c::output())
#define putchar(...) (::tessera_c::output())
#define fputc(...) (::tessera_c::output())
#define fflush(...) (0)
#define perror(...) (::tessera_c::output())
)code";

constexpr const char *c_assert_text = R"code(#undef assert
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
#define assert(e) ((e) ? (void)0 : ::tessera_c::leave())
#endif
)code";

constexpr const char *c_complex_text = R"code(#pragma once
#define I (::tessera_c::complex(0.0, 1.0))
#define _Complex_I (::tessera_c::complex(0.0, 1.0))
#define CMPLX(a, b) (::tessera_c::complex((a), (b)))
)code";

constexpr const char *c_cuba_text = R"code(#pragma once
typedef int (*integrand_t)(const int *, const double *, const int *, double *, ::tessera_c::voidp);
typedef void (*peakfinder_t)(const int *, const double *, int *, double *, ::tessera_c::voidp);
)code";

constexpr memory_header c_headers[] = {
    {"float.h", c_float_text},       {"limits.h", c_limits_text},       {"stdint.h", c_stdint_text},
    {"inttypes.h", c_stdint_text},   {"stddef.h", c_null_text},         {"string.h", c_null_text},
    {"stdlib.h", c_stdlib_text},     {"stdio.h", c_stdio_text},         {"assert.h", c_assert_text},
    {"complex.h", c_complex_text},   {"cuba.h", c_cuba_text},           {"stdbool.h", "#pragma once\n"},
    {"tessera.h", "#pragma once\n"}, {"time.h", c_null_text},           {"errno.h", "#pragma once\n"},
    {"ctype.h", "#pragma once\n"},   {"sys/types.h", "#pragma once\n"}, {"unistd.h", c_null_text},
    {"strings.h", c_null_text},      {"memory.h", c_null_text}};

// For CUDA C++, where the functions are NVRTC's own.
constexpr memory_header cxx_headers[] = {
    {"math.h", c_math_text},        {"cmath", c_math_text},         {"float.h", c_float_text},
    {"cfloat", c_float_text},       {"limits.h", c_limits_text},    {"climits", c_limits_text},
    {"stdio.h", "#pragma once\n"},  {"cstdio", "#pragma once\n"},   {"stdlib.h", "#pragma once\n"},
    {"cstdlib", "#pragma once\n"},  {"stddef.h", "#pragma once\n"}, {"cstddef", "#pragma once\n"},
    {"string.h", "#pragma once\n"}, {"cstring", "#pragma once\n"}};

}  // namespace tessera
