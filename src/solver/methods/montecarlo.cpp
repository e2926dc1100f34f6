// TESSERA_MONTECARLO: from options and domain to a problem, and from its result to statistics.
// SPDX-License-Identifier: BSD-3-Clause
#include "montecarlo.hpp"

#include <algorithm>

#include "../../engine/montecarlo/sampling_record.hpp"
#include "../../vectors/grid_file.hpp"
#include "../domain.hpp"

namespace tessera {

std::unique_ptr<method> make_monte_carlo(const solver_view &solver) {
  return std::make_unique<monte_carlo_method>(solver);
}

void monte_carlo_method::save_grid(const char *path) const {
  if (!path) throw failure(TESSERA_ERR_ARGUMENT, "path is NULL");
  if (grid_.empty())
    throw failure(TESSERA_ERR_ARGUMENT, "there is no grid: no run with VEGAS has been made and no file loaded");
  write_grid(path, solver_.ndim, grid_);
}

void monte_carlo_method::load_grid(const char *path) {
  if (!path) throw failure(TESSERA_ERR_ARGUMENT, "path is NULL");
  int ndim;
  std::vector<double> edges = read_grid(path, ndim);
  if (ndim != solver_.ndim)
    throw failure(TESSERA_ERR_ARGUMENT, "path: the grid has " + std::to_string(ndim) + " variables, the solver " +
                                            std::to_string(solver_.ndim));
  grid_.swap(edges);
  grid_is_given_ = true;
}

void monte_carlo_method::get_grid(double *edges) const {
  if (!edges) throw failure(TESSERA_ERR_ARGUMENT, "edges is NULL");
  if (grid_.empty())
    throw failure(TESSERA_ERR_ARGUMENT, "there is no grid: no run with VEGAS has been made and no grid set");
  std::copy(grid_.begin(), grid_.end(), edges);
}

void monte_carlo_method::set_grid(const double *edges) {
  if (!edges) return grid_.clear();
  std::vector<double> next(edges, edges + static_cast<std::size_t>(solver_.ndim) * grid_edges);
  if (!is_grid(solver_.ndim, next))
    throw failure(TESSERA_ERR_ARGUMENT, "edges: those of an axis do not rise from 0 to 1");
  grid_.swap(next);
  grid_is_given_ = true;
}

void monte_carlo_method::get_state(std::int64_t n, double *state, std::int64_t *count) const {
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

void monte_carlo_method::set_state(std::int64_t n, const double *state) {
  if (n < 0) throw failure(TESSERA_ERR_ARGUMENT, "n is negative");
  if (n > 0 && !state) throw failure(TESSERA_ERR_ARGUMENT, "state is NULL");
  std::vector<double> next(state, state + n), grid;
  if (n > 0 && !is_sampling_record(solver_.ndim, solver_.ncomp, next, grid))
    throw failure(TESSERA_ERR_ARGUMENT, "state: these numbers are not that of a run with " +
                                            std::to_string(solver_.ndim) + " variables and " +
                                            std::to_string(solver_.ncomp) + " components");
  given_state_.swap(next);
  if (n > 0) grid_.swap(grid);
}

void monte_carlo_method::get_chi2(double *chi2) const {
  if (!chi2) throw failure(TESSERA_ERR_ARGUMENT, "chi2 is NULL");
  if (!shown_chi_square_.empty()) return void(std::copy(shown_chi_square_.begin(), shown_chi_square_.end(), chi2));
  if (chi_square_.empty())
    throw failure(TESSERA_ERR_ARGUMENT, "there is no chi-square: the last run was none of TESSERA_MONTECARLO");
  std::copy(chi_square_.begin(), chi_square_.end(), chi2);
}

void monte_carlo_method::begin_run() {
  state_.clear();
  chi_square_.clear();
}

problem &monte_carlo_method::prepare(bool) {
  sampling_problem &p = problem_ = {};
  sampling_settings &s = p.settings;
  s.confidence = get_real(TESSERA_CONFIDENCE);
  s.seed = static_cast<uint64>(get_int(TESSERA_SEED));
  s.sampling = static_cast<int>(get_int(TESSERA_SAMPLING));
  s.antithetic = get_int(TESSERA_ANTITHETIC) != 0;
  s.weights = get_int(TESSERA_WEIGHTS) != 0;
  s.generator = static_cast<int>(get_int(TESSERA_GENERATOR));
  s.increase = get_int(TESSERA_INCREASE);
  if (s.generator == generator_auto && (s.sampling != sampling_auto || s.increase > 0)) s.generator = generator_philox;
  if (is_of_curand(s.generator)) {
    if (s.sampling == sampling_vegas)
      throw failure(TESSERA_ERR_UNSUPPORTED,
                    "TESSERA_GENERATOR: cuRAND's generators are for plain sampling, not for VEGAS");
    s.sampling = sampling_plain;
  }
  if (s.generator == generator_auto || s.generator == generator_sobol || s.generator == generator_curand_sobol)
    s.shifts = get_int(TESSERA_SHIFTS);
  s.points = get_int(TESSERA_POINTS);
  s.warmup = static_cast<int>(get_int(TESSERA_WARMUP));
  s.constant_evaluations = get_int(TESSERA_CONSTANT_EVALUATIONS);
  s.damping = get_real(TESSERA_DAMPING);
  s.stratify = get_real(TESSERA_STRATIFY);
  p.set_limits(solver_.ndim, solver_.lower.data(), solver_.upper.data());
  p.grid = &grid_of_run_;
  return p;
}

void monte_carlo_method::record_empty() { chi_square_.assign(static_cast<std::size_t>(solver_.ncomp), 0.0); }

void monte_carlo_method::start(bool on_host) {
  require_normal_volume(problem_.volume);
  shown_chi_square_.assign(static_cast<std::size_t>(solver_.ncomp), 0.0);
  problem_.chi_square = shown_chi_square_.data();
  if (problem_.settings.sampling == sampling_vegas) {
    const bool nets = has_nets(problem_.settings);
    if (nets && !given_state_.empty())
      throw failure(
          TESSERA_ERR_UNSUPPORTED,
          "tessera_set_state: with TESSERA_GENERATOR_SOBOL VEGAS goes on from a file of tessera_save_state alone");
    state_ = given_state_;
    if (!given_state_.empty() || (get_int(TESSERA_KEEP_STATE) != 0 && !nets)) problem_.record = &state_;
  } else if (!given_state_.empty()) {
    throw failure(TESSERA_ERR_UNSUPPORTED, "tessera_set_state: a run goes on with TESSERA_SAMPLING_VEGAS alone");
  }
  start_many(on_host);
}

void monte_carlo_method::start_many(bool on_host) {
  if (on_host && is_of_curand(problem_.settings.generator))
    throw failure(TESSERA_ERR_UNSUPPORTED,
                  "TESSERA_GENERATOR: cuRAND's generators are for integrands on a device; on the host there are "
                  "TESSERA_GENERATOR_PHILOX, TESSERA_GENERATOR_THREEFRY and TESSERA_GENERATOR_SOBOL");
  grid_of_run_.clear();
  if (get_int(TESSERA_KEEP_GRID) != 0 || grid_is_given_) grid_of_run_ = grid_;
}

void monte_carlo_method::record(bool) {
  const sampling_statistics &s = result_.statistics;
  if (!grid_of_run_.empty()) grid_.swap(grid_of_run_);
  if (s.sampling == sampling_vegas) grid_is_given_ = false;
  set_int(TESSERA_EVALUATIONS, s.evaluations);
  set_int(TESSERA_ITERATIONS, s.iterations);
  set_int(TESSERA_PEAK_MEMORY, s.bytes);
  set_int(TESSERA_SAMPLING_USED, s.sampling);
  set_int(TESSERA_STRATA, s.strata);
  set_real(TESSERA_CHI2, s.chi_square);
  if (result_.has_value) chi_square_.swap(result_.chi_square);
}

std::string monte_carlo_method::summary(const std::string &where) const {
  const sampling_statistics &s = result_.statistics;
  return "Monte Carlo" + where + (s.sampling == TESSERA_SAMPLING_VEGAS ? ", VEGAS: " : ", plain: ") +
         std::to_string(s.evaluations) + " evaluations, " + std::to_string(s.iterations) + " iterations";
}

}  // namespace tessera
