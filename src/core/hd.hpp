// Which compiler reads this: the only file of core that asks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define TESSERA_HD __host__ __device__ inline
#else
#define TESSERA_HD inline
#endif

#if defined(__CUDACC_RTC__)
namespace tessera {
using int64 = long long;
using uint32 = unsigned int;
using uint64 = unsigned long long;
}  // namespace tessera
#else
#include <cmath>
#include <cstdint>
namespace tessera {
using int64 = std::int64_t;
using uint32 = std::uint32_t;
using uint64 = std::uint64_t;
using std::fabs;
}  // namespace tessera
#endif

namespace tessera {

// Not fmax: what NaN does is decided before, and a comparison is faster than a call.
TESSERA_HD double larger(double a, double b) { return a < b ? b : a; }

}  // namespace tessera
