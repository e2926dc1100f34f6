// What the kernel of integrals over one variable is given, and what it answers; read by the host side of the plug-in and by the kernel.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/limited_axis.hpp"
#include "../../engine/quadrature/integral_lane.hpp"

namespace tessera {

constexpr int quadrature_block = 128;

// The limits of an integral. Break points: those of the arguments from first_break on.
struct quadrature_limits {
  double lower, upper, first, last;
  int first_break, breaks;
};

// Of an integral over the last of several variables: what the others that share its problem have in another way.
struct innermost_row {
  double reltol, abstol;
  int64 most, least_intervals;  // evaluations; see engine/iterated/iterated_axis.hpp
  axis_extent axis;             // where it lies in the user's coordinates
  double volume;                // the lengths of all axes whose limits are functions, multiplied
  int64 problem;                // whose limits and parameters they are
};

struct quadrature_record {
  int64 evaluations;
  double x;  // for the remark
  int intervals, steps;
  int flags, status;  // tessera_flags and tessera_status
  short end;          // an outcome; running: too large for this memory
  short remark;       // remark_kind
  bool is_there, has_value, exponential;
};

// Arrays of one integral in flight, where they are in global memory: intervals, and for several components estimates.
struct quadrature_slot {
  int64 bytes;
  int intervals, estimates, hash_slots;
};

struct quadrature_arguments {
  const quadrature_settings *settings;  // in memory: an integral in a slot outlasts a launch, and so its arguments
  const quadrature_limits *limits;      // of row r: limits[r * limits_step], of innermost rows those of their problem
  int64 limits_step;
  const double *breaks;
  const unsigned char *params;
  int64 params_step;  // bytes; 0 where all have the same block
  int64 rows;
  unsigned long long *next, *done;  // the first row that no thread has taken yet; rows that have ended
  const innermost_row *inner;       // [rows], where there are such
  const double *outer;              // [rows][ndim - 1], the user's coordinates in front
  quadrature_record *records;       // [rows]
  double *value, *error;            // [rows][ncomp]
  kept_turns kept;                  // of a single row
  // Of slots, which outlast a launch:
  unsigned char *slots;  // one for each thread
  quadrature_slot slot;
  int64 slot_count;
  int64 turns;  // of a launch
  int first_launch;
  int stop;  // an outcome: what is under way ends with it, nothing is begun; running: none
};

// A slot's arrays behind one another.
class slot_places {
 public:
  TESSERA_HD explicit slot_places(unsigned char *base) : at_(base) {}
  template <class T>
  TESSERA_HD T *take(int64 n) {
    unsigned char *const from = at_;
    at_ += bytes_of<T>(n);
    return reinterpret_cast<T *>(from);
  }
  template <class T>
  TESSERA_HD static int64 bytes_of(int64 n) {
    return (n * static_cast<int64>(sizeof(T)) + 15) / 16 * 16;
  }

 private:
  unsigned char *at_;
};

TESSERA_HD smooth_run::memory place_intervals(slot_places &to, int capacity) {
  smooth_run::memory m;
  m.arrays.lower = to.take<double>(capacity);
  m.arrays.upper = to.take<double>(capacity);
  m.arrays.value = to.take<double>(capacity);
  m.arrays.error = to.take<double>(capacity);
  m.arrays.doubt = to.take<double>(capacity);
  m.arrays.order = to.take<int>(capacity);
  m.levels = to.take<int>(capacity);
  m.doubtful = to.take<int>(capacity);
  m.capacity = capacity;
  return m;
}
TESSERA_HD kept_estimates::arrays place_estimates(slot_places &to, const quadrature_slot &slot, int ncomp) {
  kept_estimates::arrays a;
  a.ends = to.take<interval<double>>(slot.estimates);
  a.estimates = to.take<interval_estimate<double>>(int64{slot.estimates} * ncomp);
  a.slots = to.take<int>(slot.hash_slots);
  a.capacity = slot.estimates;
  a.slot_count = slot.hash_slots;
  return a;
}
// Of both.
TESSERA_HD int64 bytes_of_lists(const quadrature_slot &slot, int ncomp) {
  return 5 * slot_places::bytes_of<double>(slot.intervals) + 3 * slot_places::bytes_of<int>(slot.intervals) +
         slot_places::bytes_of<interval<double>>(slot.estimates) +
         slot_places::bytes_of<interval_estimate<double>>(int64{slot.estimates} * ncomp) +
         slot_places::bytes_of<int>(slot.hash_slots);
}

}  // namespace tessera
