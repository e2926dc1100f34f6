// Which compiler reads this: the only file of core that asks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define TESSERA_HD __host__ __device__ inline
#define TESSERA_IN_CALLER __host__ __device__ inline
#define TESSERA_APART __noinline__
#else
#define TESSERA_HD inline
#if defined(__GNUC__)
#define TESSERA_IN_CALLER inline __attribute__((always_inline))
#else
#define TESSERA_IN_CALLER inline
#endif
#define TESSERA_APART
#endif
#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
#define TESSERA_ROLLED _Pragma("unroll 1")
#define TESSERA_OVERLAPPED _Pragma("unroll 8")
#define TESSERA_UNROLLED _Pragma("unroll")
#else
#define TESSERA_ROLLED
#define TESSERA_OVERLAPPED
#define TESSERA_UNROLLED
#endif
// TESSERA_IN_CALLER: inlined by a host's compiler, so that it gets the instructions of its caller; TESSERA_APART: not inlined on a device, TESSERA_ROLLED: a loop not unrolled there, where code that runs once a step should
// not cost compile time and registers; TESSERA_OVERLAPPED: a loop whose loads should be under way together; TESSERA_UNROLLED: a
// loop that is constants once it is unrolled.

#if defined(__CUDACC_RTC__)
namespace tessera {
using int64 = long long;
using uint32 = unsigned int;
using uint64 = unsigned long long;
}  // namespace tessera
#else
#include <cmath>
#include <cstdint>
#include <cstring>
namespace tessera {
using int64 = std::int64_t;
using uint32 = std::uint32_t;
using uint64 = std::uint64_t;
using std::copysign;
using std::fabs;
using std::nextafter;
using std::sqrt;
}  // namespace tessera
#endif

namespace tessera {

constexpr int64 greatest_int64 = 0x7fffffffffffffff;  // run-time compilers have no INT64_MAX

// The bits of a double and back.
TESSERA_HD uint64 bits_of(double v) {
#if defined(__CUDA_ARCH__)
  return static_cast<uint64>(__double_as_longlong(v));
#else
  uint64 b;
  std::memcpy(&b, &v, sizeof b);
  return b;
#endif
}
TESSERA_HD double double_of(uint64 b) {
#if defined(__CUDA_ARCH__)
  return __longlong_as_double(static_cast<long long>(b));
#else
  double v;
  std::memcpy(&v, &b, sizeof v);
  return v;
#endif
}

// v to the nearest number without the last `bits` of its mantissa, so that it is the same everywhere although it was rounded otherwise.
TESSERA_HD double without_last_bits(double v, int bits) {
  const uint64 last = (uint64{1} << bits) - 1;
  return double_of((bits_of(v) + last / 2 + 1) & ~last);
}

// 1 plus the upper 52 bits of a fraction, which is given by its words.
TESSERA_HD double one_and_fraction(uint32 low, uint32 high) {
#if defined(__CUDA_ARCH__)  // by two funnel shifts: the upper one takes the exponent of 1 in from above
  const uint32 l = __funnelshift_r(low, high, 12), h = __funnelshift_r(high, 0x3ffu, 12);
  return __hiloint2double(static_cast<int>(h), static_cast<int>(l));
#else
  return double_of(((uint64{high} << 32 | low) >> 12) | uint64{0x3ff0000000000000});
#endif
}

// How many of the upper bits of v are 0.
TESSERA_HD int leading_zeros(uint64 v) {
#if defined(__CUDA_ARCH__)
  return __clzll(static_cast<long long>(v));
#else
  int n = 64;
  for (; v != 0; v >>= 1) --n;
  return n;
#endif
}

// The upper half of a product.
TESSERA_HD uint32 high_product(uint32 a, uint32 b) {
#if defined(__CUDA_ARCH__)
  return __umulhi(a, b);
#else
  return static_cast<uint32>(uint64{a} * b >> 32);
#endif
}
TESSERA_HD uint64 high_product(uint64 a, uint64 b) {
#if defined(__CUDA_ARCH__)
  return __umul64hi(a, b);
#else
  const uint64 al = a & 0xffffffffu, ah = a >> 32, bl = b & 0xffffffffu, bh = b >> 32;
  const uint64 middle = ah * bl + (al * bl >> 32), other = al * bh + (middle & 0xffffffffu);
  return ah * bh + (middle >> 32) + (other >> 32);
#endif
}

// Products and sums that are rounded one after the other: a device's compiler would join them.
TESSERA_HD double rounded_product(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}
TESSERA_HD double rounded_sum(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}

// 0 <= n as a double.
TESSERA_HD double whole_number(int n) {
#if defined(__CUDA_ARCH__)  // not by the unit of conversions, which is slow
  return __hiloint2double(0x43300000, n) - 4503599627370496.0;
#else
  return n;
#endif
}

// Of 0 <= x <= 1: the number below 1 in place of 1.
TESSERA_HD double below_one(double x) {
#if defined(__CUDA_ARCH__)
  return __double2hiint(x) == 0x3ff00000 ? double_of(uint64{0x3fefffffffffffff}) : x;  // without the unit of doubles
#else
  return x < 1.0 ? x : 0.99999999999999988898;
#endif
}

TESSERA_HD double infinity_value() { return double_of(uint64{0x7ff0000000000000}); }
TESSERA_HD double nan_value() { return double_of(uint64{0x7ff8000000000000}); }

// The logarithm to base 2 of v > 0, to a tenth, from its bits, so that it is the same everywhere.
TESSERA_HD double log2_of(double v) {
  return static_cast<double>(static_cast<int64>(bits_of(v)) - (int64{0x3ff} << 52)) / 4503599627370496.0;
}

// Not fmax: what NaN does is decided before, and a comparison is faster than a call.
TESSERA_HD double larger(double a, double b) { return a < b ? b : a; }
TESSERA_HD double smaller(double a, double b) { return b < a ? b : a; }

}  // namespace tessera
