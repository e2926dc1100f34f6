// The steps of an integral over one variable between the turns of its points; see lane_calls.cuh.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lane_calls.cuh"

#if TESSERA_ALONE
extern "C" {
extern __constant__ tessera::kronrod_tables<TESSERA_PAIRS> tessera_tables;  // quadrature.cuh
}
#endif
// TESSERA_ALONE: compiled apart from the kernel.

extern "C" __device__ __noinline__ void tessera_begin_lane(tessera::lane_turns &lane,
                                                           const tessera::quadrature_settings &settings,
                                                           const tessera::quadrature_range &range,
                                                           const tessera::integral_arrays &arrays,
                                                           const tessera::smooth_run::memory &intervals,
                                                           const tessera::kept_estimates::arrays &estimates) {
  lane.begin(settings, range, arrays, intervals, estimates);
}
extern "C" __device__ __noinline__ bool tessera_recall_turn(tessera::lane_turns &lane, const tessera::kept_turns &kept,
                                                            double *value) {
  return lane.recall(kept, value);
}
extern "C" __device__ __noinline__ void tessera_note_turn(tessera::lane_turns &lane, const tessera::kept_turns &kept,
                                                          const double *value) {
  lane.note(kept, value);
}
extern "C" __device__ __noinline__ void tessera_end_turn(tessera::lane_turns &lane, const double *value, bool stop) {
  lane.end_turn(tessera_tables, value, stop);
}
extern "C" __device__ __noinline__ void tessera_stop_lane(tessera::lane_turns &lane, int why) {
  lane.stop(static_cast<tessera::outcome>(why));
}
