// The kernels around the integrand for sparse grids: points before it, values and differences behind it. They do not know the integrand.
// Part of a text that is compiled at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sparse_problem.hpp"

#ifndef TESSERA_NDIM
#define TESSERA_NDIM 5
#define TESSERA_NCOMP 1
#endif

namespace tessera {

// Where point i of a call belongs.
struct point_of_step {
  int index;
  int box;
  int64 place;  // among the index's own
};

__device__ __forceinline__ point_of_step find_point(const sparse_arguments &a, int64 i) {
  const int64 box = (a.first + i) / a.points, point = (a.first + i) - box * a.points;
  int low = a.before, high = a.before + static_cast<int>(a.count);  // the last index that begins before it or with it
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (a.all.indices[middle].first <= point)
      low = middle;
    else
      high = middle;
  }
  return {low, static_cast<int>(box), point - a.all.indices[low].first};
}

}  // namespace tessera

// A thread for each point.
extern "C" __global__ void __launch_bounds__(128) tessera_sparse_points(const tessera::sparse_arguments a) {
  using namespace tessera;
  const int64 i = int64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= a.n) return;
  const point_of_step p = find_point(a, i);
  const double jacobian = write_sparse_point(*a.tables, a.domain, TESSERA_NDIM, p.box, a.all.indices[p.index],
                                             a.all.links + int64{p.index} * TESSERA_NDIM, p.place, a.x + i, a.n);
  if (a.domain.has_jacobian()) a.jacobian[i] = jacobian;
}

// A thread for each point.
extern "C" __global__ void __launch_bounds__(128) tessera_sparse_values(const tessera::sparse_arguments a) {
  using namespace tessera;
  const int64 i = int64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= a.n) return;
  const point_of_step p = find_point(a, i);
  const sparse_index &q = a.all.indices[p.index];
  const double jacobian = a.domain.has_jacobian() ? a.jacobian[i] : 1.0;
  bool finite = true;
  for (int k = 0; k < TESSERA_NCOMP; ++k) {
    const double v = weighted(a.f[k * a.n + i], jacobian);
    finite &= 0.0 * v == 0.0;
    a.store[q.place + p.place + (int64{p.box} * TESSERA_NCOMP + k) * q.stride] = v;
  }
  if (!finite) a.answer[1] = 1;
  if (i == 0 && a.flags) a.answer[0] |= *a.flags;
}

// A block for each index and component of a box.
extern "C" __global__ void __launch_bounds__(512) tessera_sparse_sums(const tessera::sparse_arguments a) {
  using namespace tessera;
  __shared__ axis_source sources[TESSERA_NDIM][most_levels];
  const int i = a.before + static_cast<int>(blockIdx.x);
  const sparse_index q = a.all.indices[i];
  const axis_link *const links = a.all.links + int64{i} * TESSERA_NDIM;
  for (int j = threadIdx.x; j < TESSERA_NDIM; j += blockDim.x)
    if (level_of(links[j]) > 1) find_sources(a.all, TESSERA_NDIM, i, j, sources[j]);
  __syncthreads();
  const int64 k = blockIdx.y;
  double *const own = a.store + q.place + k * q.stride;
  axis_sums left(q, links);
  for (int s = 0; s < a.end_stage && left.next(); ++s) {
    for (int64 r = threadIdx.x; r < left.size() && s >= a.stage; r += blockDim.x)
      own[left.place() + r] = sum_over_axis(*a.tables, left.level(), sources[left.axis()], left.size(), r, a.store, k);
    __syncthreads();
  }
  // Once, for the host waits until it is there.
  const bool is_new = a.stage == 0 || q.active > a.stage;
  if (threadIdx.x == 0 && is_new && q.active <= a.end_stage)
    a.differences[k * a.count + blockIdx.x] = own[left.place()];
}

namespace tessera {

// Threads for the points in turn.
template <class Density>
__device__ void write_tested_points(const tested_arguments &a, const Density &none) {
  for (int64 i = int64{blockIdx.x} * blockDim.x + threadIdx.x; i < a.n; i += int64{gridDim.x} * blockDim.x) {
    Density density = none;
    a.jacobian[i] = write_tested_point(a.domain, TESSERA_NDIM, a.set, a.first + i, a.x + i, a.n, density);
    a.density[i] = density.value();
  }
}

}  // namespace tessera

extern "C" __global__ void __launch_bounds__(512) tessera_tested_points(const tessera::tested_arguments a) {
  using namespace tessera;
  if (a.panels > most_log_panels) {
    write_tested_points(a, series_density{a.domain.map});
    return;
  }
  extern __shared__ double near_memory[];  // lanes that read different ones in memory would wait for each other
  log_panel *const panels = reinterpret_cast<log_panel *>(near_memory);
  panel_number *const starts = reinterpret_cast<panel_number *>(panels + a.panels);
  for (int i = threadIdx.x; i < a.panels * (log_cells + 1); i += blockDim.x) {
    const int p = i / (log_cells + 1), cell = i % (log_cells + 1);
    write_log_cell(a.domain.map.panels[p], cell, panels[p]);
  }
  for (int i = threadIdx.x; i < TESSERA_NDIM * log_starts; i += blockDim.x)
    starts[i] = log_start(a.domain.map, i / log_starts, i % log_starts);
  __syncthreads();
  write_tested_points(a, logged_density{{panels, starts}});
}

// A thread for each point.
extern "C" __global__ void __launch_bounds__(128) tessera_tested_values(const tessera::tested_arguments a) {
  using namespace tessera;
  const int64 i = int64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= a.n) return;
  bool finite = true;
  const auto value = [&](int k) { return weighted(a.f[k * a.n + i], a.jacobian[i]); };
  for (int k = 0; k < TESSERA_NCOMP; ++k) {
    finite &= 0.0 * value(k) == 0.0;
    const double size = unexplained_size(a.set, a.first + i, k, value, a.means[k], a.density[i], a.x + i, a.n);
    if (size > 0.0) atomicMax(a.sizes + k, static_cast<unsigned long long>(__double_as_longlong(size)));
  }
  if (!finite) a.answer[1] = 1;
  if (i == 0 && a.flags) a.answer[0] |= *a.flags;
}

namespace tessera {

__device__ __forceinline__ ranked_region first_of_warp(ranked_region best) {
  for (int d = 16; d > 0; d >>= 1) {
    const ranked_region other = {__shfl_xor_sync(~0u, best.error, d), __shfl_xor_sync(~0u, best.region, d)};
    if (ranks_before(other, best)) best = other;
  }
  return best;
}

// Of no more regions than it has room for all are sorted, by pairs at a distance (K. E. Batcher, Sorting networks and their applications, 1968). CUB does as much for a block, but this text is
// compiled where the toolkit's headers need not be.
__device__ void sort_regions(ranked_region *all, int room) {
  for (int size = 2; size <= room; size *= 2)
    for (int apart = size / 2; apart > 0; apart /= 2) {
      for (int i = threadIdx.x; i < room / 2; i += blockDim.x) {
        const int low = 2 * i - (i & (apart - 1)), high = low + apart;
        const ranked_region first = all[low], second = all[high];
        const bool descends = (low & size) == 0;
        if (ranks_before(second, first) == descends) {
          all[low] = second;
          all[high] = first;
        }
      }
      __syncthreads();
    }
}

}  // namespace tessera

// Of no more than few_regions those with the largest errors and their records, in one block; *a.said is set behind all that.
extern "C" __global__ void __launch_bounds__(512) tessera_largest_of_few(const tessera::largest_arguments a) {
  using namespace tessera;
  __shared__ ranked_region all[few_regions];
  int room = 32;
  while (room < a.n) room *= 2;
  for (int i = threadIdx.x; i < room; i += blockDim.x)
    all[i] = i < a.n ? ranked(a.regions, i, a.weight) : ranked_region{0.0, -1};
  __syncthreads();
  sort_regions(all, room);
  const int length = numbers_of_record(a.regions);
  for (int w = threadIdx.x; w < a.wanted; w += blockDim.x) a.best[w] = w < room ? all[w] : ranked_region{0.0, -1};
  for (int i = threadIdx.x; i < a.wanted * length; i += blockDim.x)
    if (i / length < room && all[i / length].region >= 0)
      a.records[i] = number_of_record(a.regions, all[i / length].region, i % length);
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *const_cast<volatile int *>(a.said) = 1;
}

// The regions with the largest errors of those that each block looks at, one after the other.
extern "C" __global__ void __launch_bounds__(128) tessera_largest_errors(const tessera::largest_arguments a) {
  using namespace tessera;
  __shared__ ranked_region of_warps[32];
  const ranked_region none = {0.0, -1};
  const int64 apart = int64{gridDim.x} * blockDim.x, first = int64{blockIdx.x} * blockDim.x + threadIdx.x;
  const ranked_region own = first < a.n ? ranked(a.regions, first, a.weight) : none;
  if (threadIdx.x < 32) of_warps[threadIdx.x] = none;
  ranked_region last = none;
  for (int w = 0; w < a.wanted; ++w) {
    ranked_region best = w == 0 || ranks_before(last, own) ? own : none;
    for (int64 i = first + apart; i < a.n; i += apart) {
      const ranked_region r = ranked(a.regions, i, a.weight);
      if ((w == 0 || ranks_before(last, r)) && ranks_before(r, best)) best = r;
    }
    best = first_of_warp(best);
    __syncthreads();
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = best;
    __syncthreads();
    last = first_of_warp(of_warps[threadIdx.x % 32]);
    if (threadIdx.x == 0) a.best[int64{blockIdx.x} * a.wanted + w] = last;
  }
}

// A block for each region that has been found.
extern "C" __global__ void __launch_bounds__(128) tessera_region_records(const tessera::largest_arguments a) {
  using namespace tessera;
  const int length = numbers_of_record(a.regions);
  for (int i = threadIdx.x; i < length; i += blockDim.x)
    a.records[int64{blockIdx.x} * length + i] = number_of_record(a.regions, a.best[blockIdx.x].region, i);
}
