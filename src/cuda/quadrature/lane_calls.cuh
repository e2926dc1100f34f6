// How the kernel of integrals over one variable calls what becomes of the values of a turn, which knows no integrand and is compiled apart from it,
// once for a rule and a kind of device. Part of texts that are compiled at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../engine/quadrature/integral_turns.hpp"

#ifndef TESSERA_PAIRS
#define TESSERA_PAIRS 10
#endif

namespace tessera {
using lane_turns = integral_turns<TESSERA_PAIRS>;
}

// lane_steps.cuh
extern "C" __device__ void tessera_begin_lane(tessera::lane_turns &lane, const tessera::quadrature_settings &settings,
                                              const tessera::quadrature_range &range,
                                              const tessera::integral_arrays &arrays,
                                              const tessera::smooth_run::memory &intervals,
                                              const tessera::kept_estimates::arrays &estimates);
extern "C" __device__ bool tessera_recall_turn(tessera::lane_turns &lane, const tessera::kept_turns &kept,
                                               double *value);
extern "C" __device__ void tessera_note_turn(tessera::lane_turns &lane, const tessera::kept_turns &kept,
                                             const double *value);
extern "C" __device__ void tessera_end_turn(tessera::lane_turns &lane, const double *value, bool stop);
extern "C" __device__ void tessera_stop_lane(tessera::lane_turns &lane, int why);  // an outcome
