// The kernel that makes estimates of pieces from the values of their samples. It knows no integrand and is compiled apart from it, once for a number
// of components and a kind of device. Part of a text that is compiled at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "piece_sums.cuh"

// Block b: pieces first_piece + b*block_pieces and those behind it.
extern "C" __global__ void __launch_bounds__(tessera::sample_tile, tessera::piece_comps == 1 ? 4 : 3)
    tessera_sample_pieces(const __grid_constant__ tessera::sampling_arguments a) {
  using namespace tessera;
#if TESSERA_LIST
  sum_parts(a);
#else
  sample_sums *const sums = a.partial + static_cast<int64>(blockIdx.x) * piece_comps;
  __shared__ piece_work work;
  __shared__ sample_sums of_warp[warps];
  __shared__ int least_failed;
  const int64 begin = a.first_piece + blockIdx.x * a.block_pieces, left = a.end_piece - begin,
              many = left < a.block_pieces ? left : a.block_pieces;
  begin_pieces(work);
  if (threadIdx.x == 0) least_failed = sample_tile;
#pragma unroll 1
  for (int k = 0; k < piece_comps; ++k) {
    sample_sums mine;
    sum_pieces(a, work, k & 1, k, a.first_sample, begin, static_cast<int>(many), a.team, mine,
               [&](int64 bad) { atomicMin(&least_failed, static_cast<int>(bad - begin)); });
    fold_block<sample_tile>(mine, of_warp);
    if (threadIdx.x == 0) sums[k] = mine;
    __syncthreads();
  }
  if (threadIdx.x == 0) a.failed[blockIdx.x] = least_failed < sample_tile ? begin + least_failed : -1;
#endif
}
