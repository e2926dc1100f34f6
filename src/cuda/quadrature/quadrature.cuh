// Integrals over one variable with the user's integrand inlined: a thread works at one integral after another, in turns of as many points as the
// rule has. Short lists of intervals are the thread's own (TESSERA_SLOTS = 0); what needs longer ones is done again with memory of a slot, in which
// an integral outlasts a launch (TESSERA_SLOTS = 1). What comes out does not depend on which thread that is. Part of a text that is compiled at
// run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../device/user_function.cuh"
#include "lane_calls.cuh"
#include "quadrature_problem.hpp"

#ifndef TESSERA_MANY
#define TESSERA_MANY 2
#define TESSERA_SLOTS 0
#define TESSERA_INTERVALS 32
#define TESSERA_BREAKS 0
#define TESSERA_INNERMOST 0
#define TESSERA_BLOCK 128
#endif
// TESSERA_PAIRS: of the rule. TESSERA_INTERVALS: in a thread's own list. TESSERA_BREAKS: break points at most. TESSERA_INNERMOST: over the last
// of the integrand's variables, the others are those of the row.

#if TESSERA_MANY
extern "C" {
__constant__ __attribute__((used)) tessera::kronrod_tables<TESSERA_PAIRS>
    tessera_tables;  // lane_steps.cuh reads them, which LTO does not see
}

namespace tessera {

constexpr int most_pieces = TESSERA_BREAKS + 1;

// An integral under way, with what its size does not depend on.
struct thread_integral {
  integral_lane<TESSERA_PAIRS, comps> lane;
  quadrature_range range;
  int64 row;  // -1: none
  const unsigned char *params;
#if TESSERA_INNERMOST
  quadrature_settings settings;
  const innermost_row *inner;
  const double *outer;
#endif
  int flags, status;  // between launches
  double value[comps], error[comps], exponential_value[comps], exponential_error[comps], points[most_pieces + 2];
  outcome ends[comps];
  exponential_run::piece pieces[most_pieces];
  exponential_run::component components[most_pieces * comps];
  exponential_sums level[comps];
};

#if !TESSERA_SLOTS
struct thread_intervals {
  double lower[TESSERA_INTERVALS], upper[TESSERA_INTERVALS], value[TESSERA_INTERVALS], error[TESSERA_INTERVALS],
      doubt[TESSERA_INTERVALS];
  int order[TESSERA_INTERVALS], levels[TESSERA_INTERVALS], doubtful[most_pieces + 2];
};
#endif

}  // namespace tessera

extern "C" {
__constant__ tessera::int64 tessera_integral_bytes = sizeof(tessera::thread_integral);
}

namespace tessera {

// Its beginning, or that there is none left.
__device__ __noinline__ void begin_row(const quadrature_arguments &a, thread_integral &own,
                                       const smooth_run::memory &intervals, const kept_estimates::arrays &estimates) {
  own.row = static_cast<int64>(atomicAdd(a.next, 1ull));
  if (own.row >= a.rows) {
    own.row = -1;
    return;
  }
#if TESSERA_INNERMOST
  const innermost_row &inner = a.inner[own.row];
  own.inner = &inner;
  own.outer = a.outer + own.row * (dim - 1);
  own.settings = *a.settings;
  own.settings.reltol = inner.reltol;
  own.settings.abstol = inner.abstol;
  own.settings.maxeval = inner.most;
  own.settings.least_intervals = inner.least_intervals;
  const quadrature_settings &settings = own.settings;
  const int64 problem = inner.problem;
#else
  const quadrature_settings &settings = *a.settings;
  const int64 problem = own.row;
#endif
  const quadrature_limits limits = a.limits[problem * a.limits_step];
  own.range = {limits.lower, limits.upper, limits.first, limits.last, a.breaks + limits.first_break, limits.breaks};
  own.params = a.params + problem * a.params_step;
  tessera_flags = tessera_status = 0;
  const integral_arrays arrays = {
      own.value,
      own.error,
      own.ends,
      own.points,
      {own.pieces, own.components, own.level, own.exponential_value, own.exponential_error}};
  tessera_begin_lane(own.lane, settings, own.range, arrays, intervals, estimates);
}

// The integrand at x[0] of the integral's own variable.
__device__ __forceinline__ void values_of_row(const thread_integral &own, const double *x, double *v) {
#if TESSERA_INNERMOST
  const innermost_row &inner = *own.inner;
  const double volume = inner.volume;
  if (volume == 0.0) {
    for (int k = 0; k < comps; ++k) v[k] = 0.0;
    return;
  }
  double point[dim];
  for (int j = 0; j + 1 < dim; ++j) point[j] = own.outer[j];
  point[dim - 1] = inner.axis.at(x[0]);
  user_values(point, v, own.params);
  for (int k = 0; k < comps; ++k) v[k] *= volume;
#else
  user_values(x, v, own.params);
#endif
}

__device__ __noinline__ void finish_row(const quadrature_arguments &a, thread_integral &own) {
  const auto &steps = own.lane.steps();
  const quadrature_statistics &s = steps.statistics();
  const outcome end = own.lane.too_large() ? outcome::running : steps.end();
  const integral_remark &why = steps.remark();
  double x = why.kind == remark_kind::nonfinite ? own.lane.nonfinite_x() : why.x;
#if TESSERA_SHAPED && !TESSERA_INNERMOST  // of an innermost row the host knows the other coordinates
  if (why.kind == remark_kind::nonfinite || why.kind == remark_kind::bad_point) {
    const double t = x;
    to_user(&t, &x, own.params);
  }
#endif
  a.records[own.row] = {s.evaluations,
                        x,
                        static_cast<int>(s.intervals),
                        static_cast<int>(s.steps),
                        tessera_flags,
                        tessera_status,
                        static_cast<short>(end),
                        static_cast<short>(why.kind),
                        true,
                        steps.has_value(),
                        s.exponential};
  for (int k = 0; k < comps; ++k) {
    a.value[own.row * comps + k] = own.value[k];
    a.error[own.row * comps + k] = own.error[k];
  }
  own.row = -1;
}

}  // namespace tessera

extern "C" __global__ void __launch_bounds__(TESSERA_BLOCK, TESSERA_BLOCKS)
    tessera_quadrature(const __grid_constant__ tessera::quadrature_arguments a) {
  using namespace tessera;
#if TESSERA_SLOTS
  const int64 thread = blockIdx.x * int64{TESSERA_BLOCK} + threadIdx.x;
  if (thread >= a.slot_count) return;
  slot_places places(a.slots + thread * a.slot.bytes);
  thread_integral &own = *places.take<thread_integral>(1);
  const smooth_run::memory intervals = place_intervals(places, a.slot.intervals);
  const kept_estimates::arrays estimates = place_estimates(places, a.slot, comps);
  if (a.first_launch) {
    own.row = -1;
    own.flags = own.status = 0;
  }
  tessera_flags = own.flags;
  tessera_status = own.status;
  if (a.stop != static_cast<int>(outcome::running)) {
    if (own.row >= 0) {
      tessera_stop_lane(own.lane, a.stop);
      finish_row(a, own);
    }
    return;
  }
  const int64 turns = a.turns;
#else
  thread_integral own;
  thread_intervals near;
  own.row = -1;
  const smooth_run::memory intervals = {{near.lower, near.upper, near.value, near.error, near.order, near.doubt},
                                        near.levels,
                                        near.doubtful,
                                        TESSERA_INTERVALS};
  const kept_estimates::arrays estimates;
  const int64 turns = greatest_int64;
#endif
  for (int64 t = 0; t < turns; ++t) {
    if (own.row < 0) begin_row(a, own, intervals, estimates);
    if (own.row < 0) break;
    if (!TESSERA_INNERMOST || !own.lane.ended()) {  // there may be too few evaluations for its first step
      double value[comps * lane_turns::turn_points];
      if (!a.kept.is_wanted() || !tessera_recall_turn(own.lane, a.kept, value)) {
        own.lane.evaluate(
            tessera_tables, [&](const double *x, double *v) { values_of_row(own, x, v); }, value);
        if (a.kept.is_wanted() && !ends_run(tessera_flags)) tessera_note_turn(own.lane, a.kept, value);
      }
      tessera_end_turn(own.lane, value, ends_run(tessera_flags));
    }
    if (!own.lane.ended()) continue;
    finish_row(a, own);
#if TESSERA_SLOTS
    atomicAdd(a.done, 1ull);
#endif
  }
#if TESSERA_SLOTS
  own.flags = tessera_flags;
  own.status = tessera_status;
#endif
}
#endif
