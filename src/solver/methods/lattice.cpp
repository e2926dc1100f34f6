// TESSERA_LATTICE: from options and domain to a problem, and from its result to values, statistics and a status.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cfloat>
#include <cmath>

#include "../clock_hooks.hpp"
#include "../../core/number.hpp"
#include "../../vectors/lattice.hpp"
#include "../outcome_status.hpp"
#include "../solver.hpp"

using tessera::failure;

namespace {

tessera::unit_axis axis_of(double a, double b) {
  const double lo = std::min(a, b), hi = std::max(a, b);
  const bool down = std::isinf(lo), up = std::isinf(hi);
  tessera::unit_axis axis = {tessera::axis_finite, 0.0, 1.0, 0.0, 1.0, 0.0};
  if (down || up) {
    axis.kind = down ? (up ? tessera::axis_both : tessera::axis_down) : tessera::axis_up;
    axis.anchor = up ? lo : hi;
    return axis;
  }
  axis.lower = lo;
  axis.length = hi - lo;
  // The neighbours of 0 would be subnormal.
  axis.first = lo == 0.0 ? std::min(DBL_MIN, hi) : std::nextafter(lo, hi);
  axis.last = hi == 0.0 ? std::max(-DBL_MIN, lo) : std::nextafter(hi, lo);
  return axis;
}

tessera::lattice_vector vector_of(const tessera::lattice_data &d, int ndim) {
  tessera::lattice_vector v;
  v.z.assign(d.z.begin(), d.z.begin() + ndim);
  v.most = d.points;
  v.least = d.least > 0 ? d.least : d.points;
  return v;
}

}  // namespace

void tessera_solver::set_lattice(const tessera_lattice *l) {
  if (!l) {
    vector_ = {};
    return;
  }
  if (l->data().points == 0) throw failure(TESSERA_ERR_ARGUMENT, "the lattice has no vector yet");
  if (l->ndim() < ndim_)
    throw failure(TESSERA_ERR_ARGUMENT, "the lattice has " + std::to_string(l->ndim()) + " components, the integrand " +
                                            std::to_string(ndim_) + " variables");
  vector_ = vector_of(l->data(), ndim_);
}

tessera::lattice_problem tessera_solver::make_lattice_problem() const {
  tessera::lattice_problem p;
  tessera::lattice_settings &s = p.settings;
  s.ndim = ndim_;
  s.ncomp = ncomp_;
  s.reltol = options_.get_real(TESSERA_RELTOL);
  s.abstol = options_.get_real(TESSERA_ABSTOL);
  s.confidence = options_.get_real(TESSERA_CONFIDENCE);
  s.maxeval = options_.get_int(TESSERA_MAXEVAL);
  s.mineval = options_.get_int(TESSERA_MINEVAL);
  s.seed = static_cast<tessera::uint64>(options_.get_int(TESSERA_SEED));
  s.transform = static_cast<int>(options_.get_int(TESSERA_TRANSFORM));
  const bool known = s.transform <= TESSERA_TRANSFORM_TANH ||
                     (s.transform >= TESSERA_TRANSFORM_KOROBOV1 && s.transform <= TESSERA_TRANSFORM_KOROBOV6) ||
                     s.transform >= TESSERA_TRANSFORM_SIDI1;
  if (!known)
    throw failure(TESSERA_ERR_UNSUPPORTED,
                  "TESSERA_TRANSFORM = " + std::to_string(s.transform) + " is not a value of enum tessera_transform");
  s.shifts = static_cast<int>(options_.get_int(TESSERA_SHIFTS));
  s.median = static_cast<int>(options_.get_int(TESSERA_MEDIAN));
  s.points = static_cast<tessera::uint64>(options_.get_int(TESSERA_POINTS));
  const std::int64_t copies = options_.get_int(TESSERA_COPIES);
  s.copies = copies > 1 ? static_cast<int>(copies) : 0;
  if (s.median > 0 && s.median % 2 == 0)
    throw failure(TESSERA_ERR_UNSUPPORTED,
                  "TESSERA_MEDIAN = " + std::to_string(s.median) + " is even: there is no vector in the middle");
  if (s.median > 0 && s.copies > 0)
    throw failure(TESSERA_ERR_UNSUPPORTED, "TESSERA_MEDIAN and TESSERA_COPIES do not go together");
  p.trial = vector_of(tessera::builtin_lattice(ndim_), ndim_);
  p.vector = vector_.z.empty() ? p.trial : vector_;
  if (s.copies > 0 && tessera::common_divisor(static_cast<tessera::uint64>(s.copies), p.vector.most) != 1)
    throw failure(TESSERA_ERR_UNSUPPORTED, "TESSERA_COPIES = " + std::to_string(s.copies) + " and n = " +
                                               std::to_string(p.vector.most) + " of the vector have a common divisor");
  for (std::size_t j = 0; j < lower_.size(); ++j) {
    p.axes.push_back(axis_of(lower_[j], upper_[j]));
    p.volume *= p.axes.back().length;
  }
  p.integrand = {batch_, point_, userdata_ ? userdata_ : params()};
  p.complement = options_.get_int(TESSERA_COMPLEMENT) != 0;
  p.threads = host_threads();
  p.batch_points = options_.get_int(TESSERA_BATCH_POINTS);
  return p;
}

int tessera_solver::lattice(int device, double *value, double *error) {
  tessera::lattice_problem problem = make_lattice_problem();
  if (is_empty_domain(value, error)) return TESSERA_OK;
  tessera::clock_hooks hooks(progress_, progress_data_, ncomp_, options_, in_progress_callback);
  std::vector<double> v(static_cast<std::size_t>(ncomp_)), e(v.size());
  const tessera::lattice_result result = run(problem, device, hooks, v.data(), e.data());
  const tessera::lattice_statistics &s = result.statistics;
  options_.set_int(TESSERA_EVALUATIONS, s.evaluations);
  options_.set_int(TESSERA_ITERATIONS, s.passes);
  options_.set_int(TESSERA_CALLBACK_STATUS, result.callback_status);
  const bool on_host = options_.get_int(TESSERA_DEVICE_USED) < 0;
  options_.set_int(TESSERA_THREADS_USED, on_host ? problem.threads : 1);
  options_.set_int(TESSERA_PEAK_MEMORY, result.bytes);
  options_.set_int(TESSERA_POINTS_USED, static_cast<std::int64_t>(s.points));
  options_.set_int(TESSERA_SHIFTS_USED, s.shifts);
  options_.set_int(TESSERA_TRANSFORM_USED, s.transform);
  const int status = tessera::status_of(result.end);
  log(2, (on_host ? std::string("lattice: ") : "lattice on device " + std::to_string(device) + ": ") + std::to_string(s.evaluations) + " evaluations, n = " + std::to_string(s.points) + ", " +
             std::to_string(s.shifts) + " shifts: " + tessera::status_text(status));
  return conclude(result, v, e, value, error);
}
