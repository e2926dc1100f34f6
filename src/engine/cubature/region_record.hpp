// Regions as they are handed in and out: the record of tessera_get_regions, a row of plain numbers.
//   centre[ndim], half[ndim], value[ncomp], error[ncomp], axis[ncomp], suspicion, word
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ranked_axes.hpp"

namespace tessera {

constexpr int region_record_fields(int ndim, int ncomp) { return 2 * ndim + 3 * ncomp + 2; }

// Regions to go on from in place of the whole domain.
struct given_regions {
  int64 n = 0;
  const double *records = nullptr;
  int64 evaluations = 0;
};

// axes[ncomp]: the axis of each component, or NULL where all follow the region's own.
inline void write_record(const region_view &s, int64 i, const unsigned char *axes, double *record) {
  const int shared = 2 * s.ndim() + 2 * s.ncomp();
  for (int f = 0; f < shared; ++f) record[f] = s.field(i, f);
  const region_state state = s.state(i);
  for (int k = 0; k < s.ncomp(); ++k) record[shared + k] = axes ? axes[k] : ranked_axis(state.word, 0);
  record[shared + s.ncomp()] = static_cast<double>(state.suspicion);
  record[shared + s.ncomp() + 1] = state.word;
}

// The name of a field that no run could have written, or NULL.
inline const char *wrong_in_record(const double *record, int ndim, int ncomp) {
  const double *half = record + ndim, *value = half + ndim, *error = value + ncomp, *axis = error + ncomp;
  for (int j = 0; j < ndim; ++j) {
    if (!(fabs(record[j]) < infinity_value())) return "the centre";
    if (!(half[j] > 0.0 && half[j] < infinity_value())) return "the half-width";
  }
  for (int k = 0; k < ncomp; ++k) {
    if (!(fabs(value[k]) < infinity_value())) return "the value";
    if (!(error[k] >= 0.0 && error[k] < infinity_value())) return "the error";
    if (!(axis[k] >= 0.0 && axis[k] < ndim && axis[k] == static_cast<int>(axis[k]))) return "the axis";
  }
  const double suspicion = axis[ncomp], word = axis[ncomp + 1];
  const double axes = -suspicion / used_axes_unit;  // below 0 it is their number
  if (!(suspicion >= 0.0 ? suspicion <= 1.0 : axes >= 1.0 && axes <= ndim)) return "the suspicion";
  if (!(word >= 0.0 && word < 4294967296.0 && word == static_cast<double>(static_cast<uint32>(word))))
    return "the last field";
  for (int q = 0; q < axes_kept; ++q)
    if (ranked_axis(static_cast<uint32>(word), q) >= ndim) return "the last field";
  return nullptr;
}

inline void read_record(const double *record, const region_view &s, int64 i, unsigned char *axes) {
  const int shared = 2 * s.ndim() + 2 * s.ncomp();
  for (int f = 0; f < shared; ++f) s.field(i, f) = record[f];
  region_state state;
  state.suspicion = static_cast<float>(record[shared + s.ncomp()]);
  state.word = static_cast<uint32>(record[shared + s.ncomp() + 1]);
  const int axis = static_cast<int>(record[shared]);
  if (ranked_axis(state.word, 0) != axis) put_in_front(state, s.ndim(), axis);
  s.state(i) = state;
  for (int k = 0; axes && k < s.ncomp(); ++k) axes[k] = static_cast<unsigned char>(record[shared + k]);
}

}  // namespace tessera
