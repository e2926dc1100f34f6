// Where integrands often have features that no point of the first regions meets: in corners, at the centres of the range and of its faces, on the diagonal on which all variables are equal. A point
// each, a little beside them, for there callers also have singular points. For looks at other modes (mode_search.hpp, mode_check.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../core/hd.hpp"

namespace tessera {

class usual_places {
 public:
  TESSERA_HD explicit usual_places(int ndim) : ndim_(ndim) {}

  TESSERA_HD int count() const { return 2 * corners() + centres() + on_diagonal; }
  // Coordinate j of place n, as a part of the axis. What matters most comes first.
  TESSERA_HD double part(int n, int j) const {
    const double turned = golden * (j + 1), turn = turned - floor(turned);
    if (n < corners()) return from_corner(n, j, beside_corner * (1.0 + 0.25 * turn));
    n -= corners();
    if (n < centres())
      return n == 0 || (n - 1) / 2 != j ? 0.5 + beside_centre * (turn - 0.5) : from_end(n % 2 == 0, beside_face);
    n -= centres();
    if (n >= first_on_diagonal) {
      n -= first_on_diagonal;
      if (n < corners()) return from_corner(n, j, nearer_to_corner * (1.0 + 0.25 * turn));
      n += first_on_diagonal - corners();
    }
    const double along = golden * (n + 1) + beside_diagonal * turn;
    return along - floor(along);
  }

 private:
  // Parts of an axis.
  static constexpr double beside_corner = 1.0 / 256, nearer_to_corner = 1.0 / 8192, beside_face = 1.0 / 1024,
                          beside_centre = 1.0 / 1024, beside_diagonal = 1.0 / 4096;
  static constexpr double golden = 0.6180339887498949;  // whose multiples are spread evenly between whole numbers
  static constexpr int corner_bits = 10, first_on_diagonal = 32, on_diagonal = 256;

  TESSERA_HD int corners() const { return 1 << (ndim_ < corner_bits ? ndim_ : corner_bits); }
  TESSERA_HD int centres() const { return 1 + 2 * ndim_; }
  TESSERA_HD static double from_end(bool upper, double away) { return upper ? 1.0 - away : away; }
  // Of many axes some have the same sides.
  TESSERA_HD static double from_corner(int corner, int j, double away) {
    return from_end((corner >> j % corner_bits & 1) != 0, away);
  }

  int ndim_;
};

}  // namespace tessera
