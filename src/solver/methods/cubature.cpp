// Adaptive cubature: from options to a problem, from a result to statistics; the regions that a run leaves behind.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "../../core/rule_build.hpp"
#include "../../memory.hpp"
#include "../clock_hooks.hpp"
#include "../outcome_status.hpp"
#include "../solver.hpp"

using tessera::failure;
using tessera::host;

namespace {

constexpr tessera::int64 device_initial_regions = 1024;

}  // namespace

int tessera_solver::choose_rule() const {
  const std::int64_t limit = options_.get_int(TESSERA_NDIM_LIMIT);
  if (ndim_ > limit)
    throw failure(TESSERA_ERR_UNSUPPORTED, "ndim = " + std::to_string(ndim_) + " is above TESSERA_NDIM_LIMIT = " + std::to_string(limit));
  const int wanted = static_cast<int>(options_.get_int(TESSERA_RULE));
  const int family = tessera::choose_rule(wanted, ndim_);
  if (family < 0)
    throw failure(TESSERA_ERR_UNSUPPORTED,
                  "TESSERA_RULE = " + std::to_string(wanted) + " does not exist for ndim = " + std::to_string(ndim_));
  return family;
}

// Sets problem_; what a run before has already found out is kept.
const tessera::cubature_problem &tessera_solver::make_problem(int device) {
  tessera::cubature_problem &p = problem_;
  tessera::cubature_settings &s = p.settings;
  s.ndim = ndim_;
  s.ncomp = ncomp_;
  s.reltol = options_.get_real(TESSERA_RELTOL);
  s.abstol = options_.get_real(TESSERA_ABSTOL);
  s.maxeval = options_.get_int(TESSERA_MAXEVAL);
  s.mineval = options_.get_int(TESSERA_MINEVAL);
  s.splitting = static_cast<int>(options_.get_int(TESSERA_SPLITTING));
  s.estimate = static_cast<int>(options_.get_int(TESSERA_ESTIMATE));
  s.initial_regions = options_.get_int(TESSERA_INITIAL_REGIONS);
  s.by_component = options_.get_int(TESSERA_PRIORITY) == TESSERA_PRIORITY_WORST_COMPONENT;
  s.bulk_fraction = options_.get_real(TESSERA_BULK_FRACTION);
  s.memory = options_.get_int(TESSERA_MAX_MEMORY);
  if (s.memory == 0) s.memory = device == host ? tessera::free_memory_share() : std::numeric_limits<tessera::int64>::max();
  s.may_do_with_fewer = device != host && s.initial_regions == 1;
  if (s.may_do_with_fewer) s.initial_regions = device_initial_regions;
  const int family = choose_rule();
  const bool faces = s.estimate == TESSERA_ESTIMATE_ROBUST;
  if (p.integration_rule.family != family || p.integration_rule.ndim != ndim_ || p.integration_rule.faces != faces)
    tessera::build_rule(family, ndim_, p.integration_rule, faces);
  s.margin = tessera::rule_margin(p.integration_rule);
  tessera::set_box(p, ndim_, lower_.data(), upper_.data());
  p.integrand = {batch_, point_, userdata_ ? userdata_ : params()};
  p.worst_first = device == host && options_.get_int(TESSERA_SELECTION) != TESSERA_SELECT_BULK;
  p.threads = device == host ? host_threads() : 1;
  p.batch_points = options_.get_int(TESSERA_BATCH_POINTS);
  return p;
}

int tessera_solver::cubature(int device, double *value, double *error) {
  make_problem(device);
  if (is_empty_domain(value, error)) return TESSERA_OK;
  tessera::clock_hooks between(progress_, progress_data_, ncomp_, options_, in_progress_callback);
  std::vector<double> &v = value_, &e = error_;
  v.resize(static_cast<std::size_t>(ncomp_));
  e.resize(v.size());
  const tessera::cubature_result result = run(device, between, v.data(), e.data());
  record(result, device);
  if (options_.get_int(TESSERA_KEEP_REGIONS) == 0) {
    regions_there_ = false;
    if (device == host) host_place_->release();
  }
  return conclude(result, v, e, value, error);
}

void tessera_solver::record(const tessera::cubature_result &result, int device) {
  const tessera::cubature_problem &problem = problem_;
  const tessera::cubature_statistics &s = result.statistics;
  options_.set_int(TESSERA_EVALUATIONS, s.evaluations);
  options_.set_int(TESSERA_REGIONS, s.regions);
  options_.set_int(TESSERA_ITERATIONS, s.iterations);
  options_.set_int(TESSERA_CALLBACK_STATUS, result.callback_status);
  options_.set_int(TESSERA_REGION_BYTES, s.region_bytes);
  options_.set_int(TESSERA_RULE_USED, problem.integration_rule.family);
  options_.set_int(TESSERA_RULE_POINTS, problem.integration_rule.points);
  options_.set_int(TESSERA_THREADS_USED, problem.threads);
  options_.set_int(TESSERA_PEAK_MEMORY, s.peak_bytes);
  if (log_) log(2, (device == host ? std::string("cubature: ") : "cubature on device " + std::to_string(device) + ": ") + std::to_string(s.evaluations) + " evaluations, " +
             std::to_string(s.regions) + " regions, " +
             std::to_string(s.iterations) + " steps: " + tessera::status_text(tessera::status_of(result.end)));
}

void tessera_solver::get_regions(std::int64_t first, std::int64_t n, double *records, std::int64_t *count) const {
  if (!regions_there_)
    throw failure(TESSERA_ERR_UNSUPPORTED, "there are no regions: the last run was not on the host, or TESSERA_KEEP_REGIONS is 0");
  const std::int64_t there = host_place_->regions();
  if (there < 0) throw failure(TESSERA_ERR_UNSUPPORTED, "the regions are not complete: some were given up for want of memory, or "
                                                 "the integrand failed in the middle of a bulk step");
  if (first < 0 || n < 0 || n > there || first > there - n)
    throw failure(TESSERA_ERR_ARGUMENT, "regions " + std::to_string(first) + " .. first + " + std::to_string(n) + " - 1 of " +
                                            std::to_string(there) + " were asked for");
  if (n > 0 && !records) throw failure(TESSERA_ERR_ARGUMENT, "records is NULL");
  if (n > 0) host_place_->read_regions(first, n, records);
  if (count) *count = there;
}

void tessera_solver::set_regions(std::int64_t n, const double *records, std::int64_t evaluations) {
  if (n < 0) throw failure(TESSERA_ERR_ARGUMENT, "n is negative");
  if (evaluations < 0) throw failure(TESSERA_ERR_ARGUMENT, "evaluations is negative");
  if (n > 0 && !records) throw failure(TESSERA_ERR_ARGUMENT, "records is NULL");
  const int fields = tessera::region_record_fields(ndim_, ncomp_);
  if (n > std::numeric_limits<std::int64_t>::max() / 64 / fields) throw std::bad_alloc();
  for (std::int64_t i = 0; i < n; ++i) {
    const double *record = records + i * fields;
    const char *wrong = tessera::wrong_in_record(record, ndim_, ncomp_);
    if (wrong) throw failure(TESSERA_ERR_ARGUMENT, std::string(wrong) + " of region " + std::to_string(i) + " is not possible");
  }
  given_.assign(records, records + n * fields);
  given_count_ = n;
  given_evaluations_ = evaluations;
}
