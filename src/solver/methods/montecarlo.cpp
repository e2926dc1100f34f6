// TESSERA_MONTECARLO: from options and domain to a problem, and from its result to values, statistics and a status.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cfloat>
#include <cmath>

#include "../clock_hooks.hpp"
#include "../../engine/montecarlo/sampling_record.hpp"
#include "../../vectors/grid_file.hpp"
#include "../outcome_status.hpp"
#include "../solver.hpp"

using tessera::failure;

namespace {

tessera::sample_axis axis_of(double a, double b) {
  const double lo = std::min(a, b), hi = std::max(a, b);
  const bool down = std::isinf(lo), up = std::isinf(hi);
  tessera::sample_axis axis = {{tessera::axis_finite, 0.0}, 0.0, 1.0, 0.0, 1.0};
  if (down || up) {
    axis.map.kind = down ? (up ? tessera::axis_both : tessera::axis_down) : tessera::axis_up;
    axis.map.anchor = up ? lo : hi;
    return axis;
  }
  axis.lower = lo;
  axis.length = hi - lo;
  // The neighbours of 0 would be subnormal.
  axis.first = lo == 0.0 ? std::min(DBL_MIN, hi) : std::nextafter(lo, hi);
  axis.last = hi == 0.0 ? std::max(-DBL_MIN, lo) : std::nextafter(hi, lo);
  return axis;
}

}  // namespace

void tessera_solver::save_grid(const char *path) const {
  if (!path) throw failure(TESSERA_ERR_ARGUMENT, "path is NULL");
  if (grid_.empty())
    throw failure(TESSERA_ERR_ARGUMENT, "there is no grid: no run with VEGAS has been made and no file loaded");
  tessera::write_grid(path, ndim_, grid_);
}

void tessera_solver::load_grid(const char *path) {
  if (!path) throw failure(TESSERA_ERR_ARGUMENT, "path is NULL");
  int ndim;
  std::vector<double> edges = tessera::read_grid(path, ndim);
  if (ndim != ndim_)
    throw failure(TESSERA_ERR_ARGUMENT,
                  "path: the grid has " + std::to_string(ndim) + " variables, the solver " + std::to_string(ndim_));
  grid_.swap(edges);
}

void tessera_solver::get_grid(double *edges) const {
  if (!edges) throw failure(TESSERA_ERR_ARGUMENT, "edges is NULL");
  if (grid_.empty())
    throw failure(TESSERA_ERR_ARGUMENT, "there is no grid: no run with VEGAS has been made and no grid set");
  std::copy(grid_.begin(), grid_.end(), edges);
}

void tessera_solver::set_grid(const double *edges) {
  if (!edges) return grid_.clear();
  std::vector<double> next(edges, edges + static_cast<std::size_t>(ndim_) * tessera::grid_edges);
  if (!tessera::is_grid(ndim_, next))
    throw failure(TESSERA_ERR_ARGUMENT, "edges: those of an axis do not rise from 0 to 1");
  grid_.swap(next);
}

void tessera_solver::get_state(std::int64_t n, double *state, std::int64_t *count) const {
  if (state_.empty())
    throw failure(TESSERA_ERR_UNSUPPORTED,
                  "there is no state: the last run was not with TESSERA_SAMPLING_VEGAS, has not ended an iteration, or "
                  "TESSERA_KEEP_STATE is 0");
  const auto there = static_cast<std::int64_t>(state_.size());
  if (n < 0 || n > there)
    throw failure(TESSERA_ERR_ARGUMENT,
                  "n is " + std::to_string(n) + ", and the state has " + std::to_string(there) + " numbers");
  if (n > 0 && !state) throw failure(TESSERA_ERR_ARGUMENT, "state is NULL");
  std::copy_n(state_.begin(), n, state);
  if (count) *count = there;
}

void tessera_solver::set_state(std::int64_t n, const double *state) {
  if (n < 0) throw failure(TESSERA_ERR_ARGUMENT, "n is negative");
  if (n > 0 && !state) throw failure(TESSERA_ERR_ARGUMENT, "state is NULL");
  std::vector<double> next(state, state + n), grid;
  if (n > 0 && !tessera::is_sampling_record(ndim_, ncomp_, next, grid))
    throw failure(TESSERA_ERR_ARGUMENT, "state: these numbers are not that of a run with " + std::to_string(ndim_) +
                                            " variables and " + std::to_string(ncomp_) + " components");
  given_state_.swap(next);
  if (n > 0) grid_.swap(grid);
}

void tessera_solver::get_chi2(double *chi2) const {
  if (!chi2) throw failure(TESSERA_ERR_ARGUMENT, "chi2 is NULL");
  if (chi_square_.empty())
    throw failure(TESSERA_ERR_ARGUMENT, "there is no chi-square: the last run was none of TESSERA_MONTECARLO");
  std::copy(chi_square_.begin(), chi_square_.end(), chi2);
}

tessera::sampling_problem tessera_solver::make_sampling_problem() const {
  tessera::sampling_problem p;
  tessera::sampling_settings &s = p.settings;
  s.ndim = ndim_;
  s.ncomp = ncomp_;
  s.reltol = options_.get_real(TESSERA_RELTOL);
  s.abstol = options_.get_real(TESSERA_ABSTOL);
  s.confidence = options_.get_real(TESSERA_CONFIDENCE);
  s.maxeval = options_.get_int(TESSERA_MAXEVAL);
  s.mineval = options_.get_int(TESSERA_MINEVAL);
  s.seed = static_cast<tessera::uint64>(options_.get_int(TESSERA_SEED));
  s.sampling = static_cast<int>(options_.get_int(TESSERA_SAMPLING));
  s.antithetic = options_.get_int(TESSERA_ANTITHETIC) != 0;
  s.generator = static_cast<int>(options_.get_int(TESSERA_GENERATOR));
  if (s.generator != tessera::generator_philox) {
    if (s.sampling == tessera::sampling_vegas)
      throw failure(TESSERA_ERR_UNSUPPORTED,
                    "TESSERA_GENERATOR: VEGAS has Philox alone; cuRAND's generators are for plain sampling");
    s.sampling = tessera::sampling_plain;
  }
  if (s.generator == tessera::generator_sobol) s.shifts = options_.get_int(TESSERA_SHIFTS);
  s.points = options_.get_int(TESSERA_POINTS);
  s.increase = options_.get_int(TESSERA_INCREASE);
  s.warmup = static_cast<int>(options_.get_int(TESSERA_WARMUP));
  s.damping = options_.get_real(TESSERA_DAMPING);
  s.stratify = options_.get_real(TESSERA_STRATIFY);
  for (std::size_t j = 0; j < lower_.size(); ++j) {
    p.axes.push_back(axis_of(lower_[j], upper_[j]));
    p.volume *= p.axes.back().length;
  }
  p.integrand = {batch_, point_, userdata_ ? userdata_ : params()};
  p.threads = host_threads();
  p.batch_points = options_.get_int(TESSERA_BATCH_POINTS);
  return p;
}

int tessera_solver::monte_carlo(int device, double *value, double *error) {
  tessera::sampling_problem problem = make_sampling_problem();
  const std::vector<double> zeros(static_cast<std::size_t>(ncomp_), 0.0);
  if (is_empty_domain(value, error)) {
    chi_square_ = zeros;
    return TESSERA_OK;
  }
  if (!std::isnormal(problem.volume))
    throw failure(TESSERA_ERR_UNSUPPORTED, "the volume of the domain is beyond the range of double precision");
  tessera::clock_hooks hooks(progress_, progress_data_, ncomp_, options_, in_progress_callback);
  if (problem.settings.sampling == tessera::sampling_vegas) {
    state_ = given_state_;
    if (!given_state_.empty() || options_.get_int(TESSERA_KEEP_STATE) != 0) problem.record = &state_;
  } else if (!given_state_.empty()) {
    throw failure(TESSERA_ERR_UNSUPPORTED, "tessera_set_state: a run goes on with TESSERA_SAMPLING_VEGAS alone");
  }
  std::vector<double> v(zeros), e(zeros), chi(zeros), grid;
  if (options_.get_int(TESSERA_KEEP_GRID) != 0) grid = grid_;
  const tessera::sampling_result result = run(problem, device, grid, hooks, v.data(), e.data(), chi.data());
  const tessera::sampling_statistics &s = result.statistics;
  if (!grid.empty()) grid_.swap(grid);
  options_.set_int(TESSERA_EVALUATIONS, s.evaluations);
  options_.set_int(TESSERA_ITERATIONS, s.iterations);
  options_.set_int(TESSERA_CALLBACK_STATUS, result.callback_status);
  const bool on_host = options_.get_int(TESSERA_DEVICE_USED) < 0;
  options_.set_int(TESSERA_THREADS_USED, on_host ? problem.threads : 1);
  options_.set_int(TESSERA_PEAK_MEMORY, s.bytes);
  options_.set_int(TESSERA_SAMPLING_USED, s.sampling);
  options_.set_int(TESSERA_STRATA, s.strata);
  options_.set_real(TESSERA_CHI2, s.chi_square);
  const int status = tessera::status_of(result.end);
  const std::string place = on_host ? "" : " on device " + std::to_string(device);
  log(2, "Monte Carlo" + place + ", " + (s.sampling == TESSERA_SAMPLING_VEGAS ? "VEGAS: " : "plain: ") +
             std::to_string(s.evaluations) + " evaluations, " + std::to_string(s.iterations) +
             " iterations: " + tessera::status_text(status));
  conclude(result, v, e, value, error);
  chi_square_ = chi;
  return status;
}
