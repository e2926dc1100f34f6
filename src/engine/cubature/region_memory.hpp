// Bytes of a run that goes worst first, as worst_first.hpp allocates them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "component_queues.hpp"
#include "landmarks.hpp"
#include "../problem.hpp"
#include "region_queue.hpp"
#include "region_store.hpp"
#include "split.hpp"

namespace tessera {

inline int64 pieces_of(const cubature_settings &s) { return make_splitting(s.splitting, s.ndim, s.margin).pieces; }
inline int64 least_regions(const cubature_settings &s) { return 2 * pieces_of(s); }

// Of each region: the record, its entry in the queue, and that in the queue before when it grows, or its places in the lists of what is
// given up and of what is handed out.
inline int64 bytes_of_region(const cubature_settings &s) {
  return 8 * region_fields(s.ndim, s.ncomp) + 2 * static_cast<int64>(sizeof(queue_entry)) +
         (s.by_component ? 2 * s.ncomp + 16 : 0);
}

// Among how many of the largest regions those are that are divided ahead of time, where threads want `least`: more as long as they are small.
inline int64 most_ahead(const cubature_settings &s, int least) {
  constexpr int64 small = int64{1} << 18;  // bytes
  const int64 each = pieces_of(s) * 8 * region_fields(s.ndim, s.ncomp);
  return std::max<int64>(least, std::min(4 * int64{least}, small / each));
}
// Places for what has been divided: regions may be no longer among the largest when they have been, and wait.
inline int64 slots_for(const cubature_settings &s, int least) {
  return least == 1 || s.by_component ? 1 : 4 * most_ahead(s, least);
}

// Of all else: what is divided ahead, landmarks, sums.
inline int64 bytes_beside_regions(const cubature_settings &s, int look_ahead) {
  const int64 slots = slots_for(s, look_ahead);
  const int64 piece = 8 * region_fields(s.ndim, s.ncomp) + 40 + (s.by_component ? s.ncomp : 0);
  return slots * (pieces_of(s) * piece + 64) +
         8 * (landmarks_kept * region_fields(s.ndim, 0) + landmark_bounds(s.ndim)) +
         s.ncomp * (s.by_component ? 216 : 192) + 32 * s.ndim;
}

// The queues of single components grow as these are asked for, and a store of so many regions in the next step, when it has `wanted`.
inline int64 bytes_with_queues(const cubature_settings &s, const component_queues &queues, int64 there, int64 wanted,
                               int64 most) {
  const int64 grown = there + there / 2 < most ? there + there / 2 : most;
  const int64 n = wanted > there && grown > there ? grown : there;
  return n * bytes_of_region(s) + queues.bytes(n);
}

}  // namespace tessera
