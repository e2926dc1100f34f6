// What a run is asked for and how it ends; for cubature, what it is asked for beside that and what it answers. Plain data, shared by every
// driver and place.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../core/hd.hpp"
#include "../core/raised_rule.hpp"
#include "../core/transform.hpp"

namespace tessera {

// How a run or a step ended. The API maps it to enum tessera_status.
enum class outcome : int {
  converged = 0,
  evaluations,
  memory,
  time,
  roundoff,
  stopped,
  callback,
  nonfinite,
  all_zero,
  slow,        // an extrapolation does not converge
  divergent,   // probably
  heavy_tail,  // evaluations, where few of them carry the integral
  running
};

// So many have to be made before it is said that too few of them carry the integral.
constexpr double evaluations_for_tail = 1e4;

// By the clock or the user's progress callback.
TESSERA_HD bool is_ended(outcome o) { return o == outcome::time || o == outcome::stopped; }

// What every method is asked for.
struct run_settings {
  int ndim = 0, ncomp = 0;
  double reltol = 0.0, abstol = 0.0;
  int64 maxeval = 0, mineval = 0;
  int64 memory = greatest_int64;  // bytes that the run may take where it takes place
  bool complex_values =
      false;  // components 2k and 2k+1 are the parts of a complex value, whose modulus has the tolerance
};

struct cubature_settings : run_settings {
  int splitting = 0;               // enum tessera_splitting
  double margin = 1e-5;            // distance of the rule's outermost points from the face, in half-widths
  int estimate = 0;                // enum tessera_estimate
  int64 initial_regions = 1;       // the domain is divided into these, level by level, before single regions are chosen
  bool may_do_with_fewer = false;  // the run may end before there are so many
  bool by_component = false;       // the component farthest from its tolerance says what is divided, and where
  bool seeks_breaks = false;       // regions are cut where the integrand or its slope jumps; break_points.hpp
  // Least number of equal regions, whatever is seen in them, and where it is nothing but rounding; explore.hpp.
  int64 least_regions = 0, regions_of_rounding = 0;
  bool looks_in_finite_ranges = false;  // for other modes beside narrow peaks; mode_search.hpp
  double bulk_fraction = 0.75;
  int64 raised_points[raised_levels] = {};  // of the rules of higher degree; 0 where regions are only divided
};

struct cubature_statistics {
  int64 evaluations = 0;
  int64 regions = 0;
  int64 iterations = 0;
  int64 region_bytes = 0;
  int64 peak_bytes = 0;
  int64 breaks = 0;  // break points that are known
};

// The robust estimate allows for its own uncertainty while there are few regions to average over.
TESSERA_HD double few_regions_factor(const cubature_settings &s, int64 regions) {
  return s.estimate == 1 || regions < 2 ? 1.0 : 1.0 + 4.0 / static_cast<double>(regions - 1);
}

// An integrand that has been zero at every point is looked at in this many regions before the run ends.
constexpr int64 regions_to_trust_zero = 256;

// Without an overflow on the way.
TESSERA_HD TESSERA_APART double modulus(double a, double b) {
  const double x = fabs(a), y = fabs(b), most = larger(x, y);
  if (!(most > 0.0 && most < infinity_value())) return x + y;
  const double ratio = (x < y ? x : y) / most;
  return most * sqrt(1.0 + ratio * ratio);
}

// The size of component k; at(k): its number. A complex value has that of its modulus in both parts.
template <class At>
TESSERA_HD double magnitude(const run_settings &s, int k, const At &at) {
  return s.complex_values ? modulus(at(k), at(k ^ 1)) : fabs(at(k));
}

struct value_and_error {
  double value, error;
};
struct value_and_error_arrays {
  const double *value, *error;
  TESSERA_HD value_and_error operator()(int k) const { return {value[k], error[k]}; }
};

// Tolerated error of component k; now(k): its value and error so far. Of the tolerance of a complex value each part has the share that its error
// has in the modulus of both, and no less than equal parts would have: so both errors are tolerated where their modulus is, and no
// sooner, and of the ratios of error to tolerance the larger is that of the moduli.
template <class Now>
TESSERA_HD double tolerated(const run_settings &s, int k, const Now &now) {
  const value_and_error own = now(k);
  if (!s.complex_values) return larger(s.abstol, s.reltol * fabs(own.value));
  constexpr double equal_share = 0.7071067811865475, rounding = 1e-15;
  const value_and_error other = now(k ^ 1);
  const double share = own.error / modulus(own.error, other.error);  // NaN where there is no error, or no bound of it
  return larger(s.abstol, modulus(s.reltol * own.value, s.reltol * other.value)) *
         ((share > equal_share ? share : equal_share) * (1.0 - rounding));
}

// Beside the errors of regions that cannot be divided: a run that they keep from its tolerance ends when the others have no more.
constexpr double negligible_rest = 0.1;

// How a run may end with the sums of so many regions, given one component after another. An integrand that has been nothing but
// zero is no success where a share of the value is asked for.
class verdict {
 public:
  TESSERA_HD verdict(const cubature_settings &s, int64 regions)
      : s_(s), regions_(regions), factor_(few_regions_factor(s, regions)), zero_(s.estimate != 1) {}
  TESSERA_HD void add(const value_and_error &now, double tolerance) {
    met_ = met_ && factor_ * now.error <= tolerance;
    zero_ = zero_ && now.value == 0.0 && now.error == 0.0;
  }
  // running: the tolerance is not met.
  TESSERA_HD outcome end() const {
    if (!met_ || (zero_ && regions_ < regions_to_trust_zero)) return outcome::running;
    return zero_ && s_.abstol == 0.0 ? outcome::all_zero : outcome::converged;
  }

 private:
  const cubature_settings &s_;
  const int64 regions_;
  const double factor_;
  bool met_ = true, zero_;
};

}  // namespace tessera
