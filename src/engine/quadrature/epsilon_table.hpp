// Wynn's epsilon algorithm on a sequence that grows by one element at a time (P. Wynn, On a device for computing the e_m(S_n) transformation,
// MTAC 10, 1956), with the safeguards and the error estimate of QUADPACK (Piessens and others, 1983, section 2.2.3).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "real.hpp"

namespace tessera {

template <class Real>
struct extrapolated {
  Real value, error;
};

// Kept is the lower diagonal of the table: the element that comes next is all that is needed to go on. Diagonals longer than the
// table lose their oldest part. Where elements agree to rounding there is a result and the table is of no use any more.
template <class Real>
class epsilon_table {
 public:
  static constexpr int longest = 50;

  TESSERA_HD int size() const { return size_; }
  TESSERA_HD int extrapolations() const { return extrapolations_; }
  TESSERA_HD void push(Real element) { diagonal_[size_++] = element; }

  TESSERA_HD TESSERA_APART extrapolated<Real> extrapolate() {
    constexpr Real greatest = real_limits<Real>::greatest, spacing = real_limits<Real>::spacing;
    ++extrapolations_;
    extrapolated<Real> best = {diagonal_[size_ - 1], greatest};
    if (size_ < 3) return with_rounding(best);
    const int given = size_, columns = (given - 1) / 2;
    // The diagonal above is overwritten from its end; what is put two places further is the newest element of each column.
    diagonal_[given + 1] = diagonal_[given - 1];
    diagonal_[given - 1] = greatest;
    for (int column = 0, at = given - 1; column < columns; ++column, at -= 2) {
      const Real e0 = diagonal_[at - 2], e1 = diagonal_[at - 1], e2 = diagonal_[at + 2];
      const Real forward = e2 - e1, backward = e1 - e0, modulus = fabs(e1);
      const Real forward_size = fabs(forward), backward_size = fabs(backward);
      const Real forward_rounding = larger_of(fabs(e2), modulus) * spacing;
      const Real backward_rounding = larger_of(modulus, fabs(e0)) * spacing;
      if (forward_size <= forward_rounding && backward_size <= backward_rounding)
        return with_rounding({e2, forward_size + backward_size});  // converged
      const Real e3 = diagonal_[at];
      diagonal_[at] = e1;
      const Real across = e1 - e3;
      const Real across_rounding = larger_of(modulus, fabs(e3)) * spacing;
      if (fabs(across) <= across_rounding || forward_size <= forward_rounding || backward_size <= backward_rounding) {
        size_ = 2 * column + 1;  // two elements agree to rounding: the columns from here on are noise
        break;
      }
      const Real inverse = Real(1) / across + Real(1) / forward - Real(1) / backward;
      if (fabs(inverse * e1) <= Real(1e-4)) {
        size_ = 2 * column + 1;  // irregular
        break;
      }
      const Real next = e1 + Real(1) / inverse;
      diagonal_[at] = next;
      const Real error = forward_size + fabs(next - e2) + backward_size;
      if (error <= best.error) best = {next, error};
    }
    if (size_ == longest) size_ = 2 * (longest / 2) - 1;
    shift(given, columns);
    return with_rounding(compared_with_last(best));
  }

 private:
  // Brings the new diagonal to the places of the old one, and what is left of it to the beginning.
  TESSERA_HD void shift(int given, int columns) {
    for (int i = 0, at = given % 2 == 0 ? 1 : 0; i <= columns; ++i, at += 2) diagonal_[at] = diagonal_[at + 2];
    if (given != size_)
      for (int i = 0; i < size_; ++i) diagonal_[i] = diagonal_[given - size_ + i];
  }
  // The error is how far the last three results are away.
  TESSERA_HD extrapolated<Real> compared_with_last(extrapolated<Real> best) {
    if (extrapolations_ < 4) {
      last_[extrapolations_ - 1] = best.value;
      best.error = real_limits<Real>::greatest;
      return best;
    }
    best.error = fabs(best.value - last_[2]) + fabs(best.value - last_[1]) + fabs(best.value - last_[0]);
    last_[0] = last_[1];
    last_[1] = last_[2];
    last_[2] = best.value;
    return best;
  }
  TESSERA_HD static extrapolated<Real> with_rounding(extrapolated<Real> e) {
    e.error = larger_of(e.error, Real(5) * real_limits<Real>::spacing * fabs(e.value));
    return e;
  }

  Real diagonal_[longest + 2], last_[3] = {};
  int size_ = 0, extrapolations_ = 0;
};

}  // namespace tessera
