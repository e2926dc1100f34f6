// Philox and Threefry in kernels against Random123's headers and cuRAND's device header, all compiled by nvcc: a million counters each.
// Skipped where there is no device.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include <cuda_runtime.h>

// Both headers have names that the other has too.
#define mulhilo32 mulhilo32_of_curand
#include <curand_kernel.h>
#undef mulhilo32
#undef PHILOX_W32_0
#undef PHILOX_W32_1
#undef PHILOX_M4x32_0
#undef PHILOX_M4x32_1

#include <Random123/philox.h>
#include <Random123/threefry.h>

#include "core/threefry.hpp"

namespace {

constexpr int counters = 1 << 20;
enum { of_philox, of_curand, of_threefry, of_numbers, checks };

// Words that look random and are different in every call.
__device__ tessera::uint64 word(tessera::uint64 i) {
  i = (i + 1) * 0x9e3779b97f4a7c15ull;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9ull;
  i = (i ^ (i >> 27)) * 0x94d049bb133111ebull;
  return i ^ (i >> 31);
}
__device__ tessera::uint32 low(tessera::uint64 v) { return static_cast<tessera::uint32>(v); }
__device__ tessera::uint32 high(tessera::uint64 v) { return static_cast<tessera::uint32>(v >> 32); }

__global__ void compare(int *wrong) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= counters) return;
  tessera::uint64 w[8];
  for (int k = 0; k < 8; ++k) w[k] = word(8ull * i + k);
  const tessera::philox_block p = tessera::philox10({{low(w[0]), high(w[0]), low(w[1]), high(w[1])}},
                                                    tessera::philox_schedule(low(w[2]), high(w[2])));
  const philox4x32_ctr_t theirs =
      philox4x32_R(10, {{low(w[0]), high(w[0]), low(w[1]), high(w[1])}}, {{low(w[2]), high(w[2])}});
  const uint4 nvidia =
      curand_Philox4x32_10(make_uint4(low(w[0]), high(w[0]), low(w[1]), high(w[1])), make_uint2(low(w[2]), high(w[2])));
  const unsigned n[4] = {nvidia.x, nvidia.y, nvidia.z, nvidia.w};
  bool same[checks] = {true, true, true, true};
  for (int k = 0; k < 4; ++k) {
    same[of_philox] = same[of_philox] && p.word[k] == theirs.v[k];
    same[of_curand] = same[of_curand] && p.word[k] == n[k];
  }
  const tessera::threefry_block t = tessera::threefry20({{w[0], w[1], w[2], w[3]}}, {{w[4], w[5], w[6], w[7]}});
  const threefry4x64_ctr_t others = threefry4x64_R(20, {{w[0], w[1], w[2], w[3]}}, {{w[4], w[5], w[6], w[7]}});
  for (int k = 0; k < 4; ++k) same[of_threefry] = same[of_threefry] && t.word[k] == others.v[k];
  // As samples have them.
  double u[4];
  tessera::uniform_four(w[0], low(w[1]), w[2], low(w[3]), u);
  const threefry4x64_ctr_t four = threefry4x64_R(20, {{w[2], low(w[3]), low(w[1]), 0}}, {{w[0], 0, 0, 0}});
  for (int k = 0; k < 4; ++k)
    same[of_numbers] = same[of_numbers] && u[k] == (static_cast<double>(four.v[k] >> 12) + 0.5) * 0x1p-52;
  for (int c = 0; c < checks; ++c)
    if (!same[c]) atomicAdd(&wrong[c], 1);
}

}  // namespace

int main() {
  static const char *const names[checks] = {"Philox and Random123's", "Philox and cuRAND's", "Threefry and Random123's",
                                            "numbers of Threefry"};
  int devices = 0, *wrong = nullptr, here[checks];
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: there is no device\n");
    return 77;
  }
  if (cudaMalloc(&wrong, sizeof here) != cudaSuccess || cudaMemset(wrong, 0, sizeof here) != cudaSuccess) return 1;
  compare<<<counters / 256, 256>>>(wrong);
  const cudaError_t end = cudaMemcpy(here, wrong, sizeof here, cudaMemcpyDeviceToHost);
  cudaFree(wrong);
  if (end != cudaSuccess) {
    std::printf("FAILED: %s\n", cudaGetErrorString(end));
    return 1;
  }
  int bad = 0;
  for (int c = 0; c < checks; ++c) {
    std::printf("%s: %d of %d counters differ\n", names[c], here[c], counters);
    bad += here[c];
  }
  return bad != 0;
}
