// Where integrands often have features that no point of the first regions meets: in corners, at the centres of the range, of its faces and its edges, on the diagonal on which all variables are equal. A point
// each, a little beside them, for there callers also have singular points. For looks at other modes (mode_search.hpp, mode_check.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/hd.hpp"

namespace tessera {

class usual_places {
 public:
  TESSERA_HD explicit usual_places(int ndim) : ndim_(ndim), between_(ndim > 2 && ndim <= few_axes_there ? 1 : 0) {
    for (int j = 0; j < ndim; ++j) between_ *= 3;
    // Not one axis after the other, for there may be room for some of them only.
    stride_ = static_cast<int>(golden * between_);
    if (stride_ % 3 == 0) ++stride_;
  }

  static constexpr double golden = 0.6180339887498949;  // whose multiples are spread evenly between whole numbers
  // No coordinate is nearer to an end of its axis, in parts of that.
  static constexpr double nearest_to_end = 1.0 / 8192;
  TESSERA_HD int count() const { return corners() + centres() + on_diagonal() + nearer() + between_; }
  // Coordinate j of place n, as a part of the axis. What matters most comes first.
  TESSERA_HD double part(int n, int j) const {
    const double turned = golden * (j + 1), turn = turned - floor(turned);
    if (n < corners()) return from_corner(n, j, (nearer() > 0 ? beside_corner : beside_face) * (1.0 + 0.25 * turn));
    n -= corners();
    if (n < centres())
      return n == 0 || (n - 1) / 2 != j ? 0.5 + beside_centre * (turn - 0.5) : from_end(n % 2 == 0, beside_face);
    n -= centres();
    if (n < first_on_diagonal) return on_the_diagonal(n, turn);
    n -= first_on_diagonal;
    if (n < nearer()) return from_corner(n, j, nearer_to_corner * (1.0 + 0.25 * turn));
    n -= nearer();
    // In turn, as long as there are of both.
    const int more = on_diagonal() - first_on_diagonal, each = between_ < more ? between_ : more;
    const bool is_between = n < 2 * each ? n % 2 == 1 : between_ > more;
    const int number = n < 2 * each ? n / 2 : n - each;
    return is_between ? between_corners(number, j, turn) : on_the_diagonal(first_on_diagonal + number, turn);
  }

 private:
  // Parts of an axis.
  static constexpr double beside_corner = 1.0 / 256, nearer_to_corner = nearest_to_end, beside_face = 1.0 / 1024,
                          beside_centre = 1.0 / 1024, beside_diagonal = 1.0 / 4096;
  static constexpr int corner_bits = 10, first_on_diagonal = 32, few_axes_there = 6;

  // Each coordinate at an end or in the middle, for few axes.
  TESSERA_HD double between_corners(int number, int j, double turn) const {
    int digits = number * stride_ % between_;
    for (int i = 0; i < j; ++i) digits /= 3;
    return digits % 3 == 2 ? 0.5 + beside_centre * (turn - 0.5) : from_end(digits % 3 == 1, beside_face);
  }
  TESSERA_HD static double on_the_diagonal(int number, double turn) {
    const double along = golden * (number + 1) + beside_diagonal * turn;
    return along - floor(along);
  }
  TESSERA_HD int corners() const { return 1 << (ndim_ < corner_bits ? ndim_ : corner_bits); }
  TESSERA_HD int centres() const { return 1 + 2 * ndim_; }
  // Of many axes there are corners enough.
  TESSERA_HD bool has_few_axes() const { return ndim_ <= few_axes_there; }
  TESSERA_HD int nearer() const { return has_few_axes() ? corners() : 0; }
  TESSERA_HD int on_diagonal() const { return has_few_axes() ? 256 : 128; }
  TESSERA_HD static double from_end(bool upper, double away) { return upper ? 1.0 - away : away; }
  // Of many axes some have the same sides.
  TESSERA_HD static double from_corner(int corner, int j, double away) {
    return from_end((corner >> j % corner_bits & 1) != 0, away);
  }

  int ndim_, between_, stride_;
};

}  // namespace tessera
