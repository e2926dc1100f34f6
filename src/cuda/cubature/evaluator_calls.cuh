// How the engine's steps call what applies the rule, which is compiled with the integrand, apart from them. Part of texts that are
// compiled at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device_problem.hpp"
#include "../device/grid.cuh"
#include "../device/lone_block.cuh"

#ifndef TESSERA_RAISED
#define TESSERA_RAISED 1
#endif
#ifndef TESSERA_MANY
#define TESSERA_MANY 0
#endif

namespace tessera {
#if TESSERA_MANY
using step_grid = device_block;
#else
using step_grid = device_grid;
#endif

// Where an evaluation leaves the counters that the blocks have in common.
struct evaluation_end {
  int64 taken;
  unsigned wanted;
};
}  // namespace tessera

// device_evaluator.cuh. What the others need in near memory, which is put there once.
extern "C" __device__ void tessera_keep_list(const tessera::device_problem &problem);
// Grid and list as their numbers, which travel in registers: memory of a thread's own is far away behind each barrier.
extern "C" __device__ tessera::evaluation_end tessera_evaluate(const tessera::device_problem &problem,
                                                               tessera::int64 taken, unsigned wanted, unsigned blocks,
                                                               const tessera::region_view &regions,
                                                               const tessera::int64 *ids, tessera::int64 first,
                                                               int pieces, tessera::int64 n, tessera::int64 all);
extern "C" __device__ unsigned tessera_raise(const tessera::device_problem &problem, unsigned wanted, unsigned blocks,
                                             const tessera::region_view &regions, const tessera::int64 *ids,
                                             tessera::int64 n, int level, tessera::int64 all);
#if !TESSERA_MANY
extern "C" __device__ void tessera_search(const tessera::device_problem &problem, unsigned blocks,
                                          const tessera::region_view &regions, const tessera::int64 *ids,
                                          tessera::int64 n, const tessera::search_lines &lines, const double *weights,
                                          const tessera::domain_box &domain, const tessera::break_table *known,
                                          tessera::found_break *found);
#else
extern "C" __device__ tessera::own_memory tessera_own_memory();
// The largest of all components' |value| times weight at a point of the box, with the Jacobian of the axes; NaN where one is not finite.
extern "C" __device__ double tessera_size_at(const tessera::device_problem &problem, const double *at,
                                             const double *weights);
#endif

namespace tessera {

// The problem in near memory, for it is looked at behind every barrier.
alignas(16) static __shared__ unsigned char own_problem_bytes[sizeof(device_problem)];
__device__ inline device_problem &own_problem() { return *reinterpret_cast<device_problem *>(own_problem_bytes); }
__device__ inline void keep_problem(const device_problem &problem) {
  static_assert(sizeof problem % sizeof(unsigned) == 0, "");
  for (unsigned i = threadIdx.x; i < sizeof problem / sizeof(unsigned); i += TESSERA_BLOCK)
    reinterpret_cast<unsigned *>(own_problem_bytes)[i] = reinterpret_cast<const unsigned *>(&problem)[i];
  tessera_keep_list(problem);
  __syncthreads();
}

// Of the problem that is kept in near memory.
class called_evaluator {
 public:
  static constexpr bool deferred = false, raises = TESSERA_RAISED, searches = !TESSERA_MANY;

  __device__ bool failed() const {  // both are asked for at once
    const int64 at = *static_cast<volatile int64 *>(own_problem().failed);
    const bool stop = asked_to_stop();
    return at != 0 || stop;
  }
  __device__ outcome failure() const { return asked_to_stop() ? outcome::callback : outcome::nonfinite; }

  __device__ void evaluate(step_grid &grid, const region_view &regions, const region_list &list, int64 n) {
    evaluate(grid, regions, list, n, n);
  }
  // Of so many in `all`, on this device and on others.
  __device__ void evaluate(step_grid &grid, const region_view &regions, const region_list &list, int64 n, int64 all) {
    const evaluation_end end = tessera_evaluate(own_problem(), taken_, grid.wanted(), grid.blocks(), regions, list.ids,
                                                list.first, list.pieces, n, all);
    taken_ = end.taken;
    grid.go_on_behind(end.wanted);
  }
  __device__ void raise(step_grid &grid, const region_view &regions, const int64 *ids, int64 n, int level) const {
    raise(grid, regions, ids, n, level, n);
  }
  __device__ void raise(step_grid &grid, const region_view &regions, const int64 *ids, int64 n, int level,
                        int64 all) const {
    grid.go_on_behind(tessera_raise(own_problem(), grid.wanted(), grid.blocks(), regions, ids, n, level, all));
  }
#if !TESSERA_MANY
  __device__ void search(step_grid &grid, const region_view &regions, const int64 *ids, int64 n,
                         const search_lines &lines, const double *weights, const domain_box &domain,
                         const break_table *known, found_break *found) const {
    tessera_search(own_problem(), grid.blocks(), regions, ids, n, lines, weights, domain, known, found);
  }
#endif

 private:
  // flags_that_end in jit/device_compiler.hpp
  __device__ static bool asked_to_stop() {
#if TESSERA_MANY
    return (*static_cast<volatile int *>(own_problem().own.flags) & 14) != 0;
#else
    return (*static_cast<volatile int *>(&tessera_flags) & 14) != 0;
#endif
  }

  int64 taken_ = 0;
};

}  // namespace tessera
