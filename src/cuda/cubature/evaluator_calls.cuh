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
}  // namespace tessera

// device_evaluator.cuh
extern "C" __device__ void tessera_evaluate(const tessera::device_problem &problem, tessera::int64 &taken,
                                            tessera::step_grid &grid, const tessera::region_view &regions,
                                            const tessera::region_list &list, tessera::int64 n, tessera::int64 all);
extern "C" __device__ void tessera_raise(const tessera::device_problem &problem, tessera::step_grid &grid,
                                         const tessera::region_view &regions, const tessera::region_list &list,
                                         tessera::int64 n, int level, tessera::int64 all);
#if TESSERA_MANY
extern "C" __device__ tessera::own_memory tessera_own_memory();
#endif

namespace tessera {

class evaluator_base {
 public:
  static constexpr bool deferred = false, raises = TESSERA_RAISED;
  __device__ explicit evaluator_base(const device_problem &p) : p_(p) {}

  __device__ bool failed() const { return *static_cast<volatile int64 *>(p_.failed) != 0 || asked_to_stop(); }
  __device__ outcome failure() const { return asked_to_stop() ? outcome::callback : outcome::nonfinite; }

 protected:
  // flags_that_end in jit/device_compiler.hpp
#if TESSERA_MANY
  __device__ bool asked_to_stop() const { return (*static_cast<volatile int *>(p_.own.flags) & 14) != 0; }
#else
  __device__ static bool asked_to_stop() { return (*static_cast<volatile int *>(&tessera_flags) & 14) != 0; }
#endif

  const device_problem &p_;
};

class called_evaluator : public evaluator_base {
 public:
  using evaluator_base::evaluator_base;
  __device__ void evaluate(step_grid &grid, const region_view &regions, const region_list &list, int64 n) {
    evaluate(grid, regions, list, n, n);
  }
  // Of so many in `all`, on this device and on others.
  __device__ void evaluate(step_grid &grid, const region_view &regions, const region_list &list, int64 n, int64 all) {
    tessera_evaluate(p_, taken_, grid, regions, list, n, all);
  }
  __device__ void raise(step_grid &grid, const region_view &regions, const int64 *ids, int64 n, int level) const {
    raise(grid, regions, region_list{ids, 0, 1}, n, level, n);
  }
  __device__ void raise(step_grid &grid, const region_view &regions, const region_list &list, int64 n, int level,
                        int64 all) const {
    tessera_raise(p_, grid, regions, list, n, level, all);
  }

 private:
  int64 taken_ = 0;
};

}  // namespace tessera
