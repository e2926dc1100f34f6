// TESSERA_CUBATURE: from options and domain to a problem, from its result to statistics; the regions that a run leaves behind.
// SPDX-License-Identifier: BSD-3-Clause
#include "cubature.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../core/rule_build.hpp"
#include "../../engine/cubature/split.hpp"
#include "../../memory.hpp"

namespace tessera {

constexpr int64 device_initial_regions = 1024;
constexpr int64 most_given_evaluations = int64{1} << 61;  // sums of evaluations must not overflow

std::unique_ptr<method> make_cubature(const solver_view &solver) { return std::make_unique<cubature_method>(solver); }

int cubature_method::choose_rule() const {
  const std::int64_t limit = get_int(TESSERA_NDIM_LIMIT);
  if (solver_.ndim > limit)
    throw failure(TESSERA_ERR_UNSUPPORTED,
                  "ndim = " + std::to_string(solver_.ndim) + " is above TESSERA_NDIM_LIMIT = " + std::to_string(limit));
  const int wanted = static_cast<int>(get_int(TESSERA_RULE));
  const int family = tessera::choose_rule(wanted, solver_.ndim);
  if (family < 0)
    throw failure(TESSERA_ERR_UNSUPPORTED, "TESSERA_RULE = " + std::to_string(wanted) +
                                               " does not exist for ndim = " + std::to_string(solver_.ndim));
  return family;
}

// Equal regions that there are to be at least where nothing but rounding is seen. Fewer in two and three variables, where rules are exact to rounding for much that is smooth; none in one, where
// Kronrod's are for nearly all that is, nor where a region has thousands of points.
static int64 regions_of_rounding(int ndim) { return ndim < 2 || ndim > 11 ? 0 : ndim <= 3 ? 16 : 64; }

// What a run before has already found out is kept.
cubature_problem &cubature_method::prepare(bool on_host) {
  cubature_problem &p = problem_;
  cubature_settings &s = p.settings;
  s.splitting = static_cast<int>(get_int(TESSERA_SPLITTING));
  s.estimate = static_cast<int>(get_int(TESSERA_ESTIMATE));
  const bool robust = s.estimate == TESSERA_ESTIMATE_ROBUST;
  s.initial_regions = get_int(TESSERA_INITIAL_REGIONS);
  s.by_component = get_int(TESSERA_PRIORITY) == TESSERA_PRIORITY_WORST_COMPONENT;
  s.seeks_breaks = get_int(TESSERA_BREAK_POINTS) != 0 && robust && !s.by_component && s.splitting == TESSERA_SPLIT_2R &&
                   solver_.ndim > 1 && get_int(TESSERA_NONFINITE_POLICY) != TESSERA_NONFINITE_ZERO;
  s.looks_in_finite_ranges = robust && !s.by_component && solver_.ndim > 1 && get_int(TESSERA_LEAST_REGIONS) != 1 &&
                             get_int(TESSERA_NONFINITE_POLICY) != TESSERA_NONFINITE_ZERO;
  s.bulk_fraction = get_real(TESSERA_BULK_FRACTION);
  s.memory = on_host ? free_memory_share() : std::numeric_limits<int64>::max();
  s.may_do_with_fewer = !on_host && s.initial_regions == 1;
  if (s.may_do_with_fewer) s.initial_regions = device_initial_regions;
  const int family = choose_rule();
  if (p.integration_rule.family != family || p.integration_rule.ndim != solver_.ndim ||
      p.integration_rule.faces != robust)
    build_rule(family, solver_.ndim, p.integration_rule, robust);
  s.margin = rule_margin(p.integration_rule);
  const int64 points = p.integration_rule.points;
  s.least_regions = robust ? least_regions(points) : 1;
  s.regions_of_rounding = robust && get_int(TESSERA_LEAST_REGIONS) != 1
                              ? std::min(regions_of_rounding(solver_.ndim), affordable_regions(points))
                              : 0;
  p.set_limits(solver_.ndim, solver_.lower.data(), solver_.upper.data());
  p.worst_first = on_host && get_int(TESSERA_SELECTION) != TESSERA_SELECT_BULK;
  choose_raised();
  p.sparse = static_cast<sparse_part>(get_int(TESSERA_SPARSE));
  if (p.sparse == sparse_part::automatic &&
      (!robust || s.by_component || solver_.ndim < 2 || get_int(TESSERA_NONFINITE_POLICY) == TESSERA_NONFINITE_ZERO))
    p.sparse = sparse_part::off;
  p.given = {given_count_, given_.data(), given_evaluations_};
  return p;
}

// Regions get a higher degree where they are divided in bulk and nothing says how they are to be treated: by the robust estimate and the
// rule of our choice, with points that are finite. Their tables may take a small part of the memory that the user allows.
void cubature_method::choose_raised() {
  cubature_problem &p = problem_;
  cubature_settings &s = p.settings;
  const int ndim = solver_.ndim;
  constexpr int64 part_of_memory = 16;
  const int64 allowed = get_int(TESSERA_MAX_MEMORY);
  bool raises = !p.worst_first && s.estimate == TESSERA_ESTIMATE_ROBUST && !s.by_component &&
                get_int(TESSERA_RULE) == TESSERA_RULE_AUTO && ndim >= raised_least_ndim && ndim <= raised_most_ndim &&
                get_int(TESSERA_NONFINITE_POLICY) != TESSERA_NONFINITE_ZERO;
  const auto bytes = [&] { return p.raised ? p.raised->bytes() : raised_bytes(ndim); };
  raises = raises && (allowed == 0 || bytes() <= allowed / part_of_memory);
  if (!raises) p.raised.reset();
  if (raises && !p.raised) p.raised = std::make_shared<const raised_tables>(build_raised(ndim));
  p.integration_rule.raises = raises;
  for (int level = 0; level < raised_levels; ++level) s.raised_points[level] = raises ? p.raised->points[level] : 0;
}

void cubature_method::start(bool on_host) {
  if (!on_host && given_count_ > 0)
    throw failure(TESSERA_ERR_UNSUPPORTED, "a run on a device cannot start from given regions");
  if (given_count_ > 0) require_given_inside();
  regions_there_ = on_host;
}

// Regions handed in must be parts of the box that is divided, apart from rounding, and their points must lie within it.
void cubature_method::require_given_inside() const {
  const std::int64_t fields = region_record_fields(solver_.ndim, solver_.ncomp);
  for (std::int64_t i = 0; i < given_count_; ++i)
    for (int j = 0; j < solver_.ndim; ++j) {
      const double *centre = given_.data() + i * fields + j, half = centre[solver_.ndim];
      const double lower = problem_.lower[static_cast<std::size_t>(j)],
                   upper = problem_.upper[static_cast<std::size_t>(j)];
      const double slack = 1e-12 * (std::fabs(lower) + std::fabs(upper));
      if (!(*centre - half >= lower - slack && *centre + half <= upper + slack) ||
          !points_inside({*centre, half}, problem_.settings.margin, lower, upper, 0.0))
        throw failure(TESSERA_ERR_ARGUMENT,
                      "tessera_set_regions: region " + std::to_string(i) + " is not inside the domain");
    }
}

void cubature_method::record(bool on_host) {
  const cubature_statistics &s = result_.statistics;
  set_int(TESSERA_EVALUATIONS, s.evaluations);
  set_int(TESSERA_REGIONS, s.regions);
  set_int(TESSERA_ITERATIONS, s.iterations);
  set_int(TESSERA_REGION_BYTES, s.region_bytes);
  set_int(TESSERA_RULE_USED, problem_.integration_rule.family);
  set_int(TESSERA_RULE_POINTS, problem_.integration_rule.points);
  set_int(TESSERA_PEAK_MEMORY, s.peak_bytes);
  set_int(TESSERA_SPARSE_EVALUATIONS, result_.sparse_points);
  set_int(TESSERA_SPARSE_USED, result_.from_sparse);
  if (get_int(TESSERA_KEEP_REGIONS) != 0) return;
  regions_there_ = false;
  if (on_host) solver_.host->release();
}

void cubature_method::record_many(const many_results &results) {
  set_int(TESSERA_REGION_BYTES, results.region_bytes);
  set_int(TESSERA_RULE_USED, problem_.integration_rule.family);
  set_int(TESSERA_RULE_POINTS, problem_.integration_rule.points);
}

std::string cubature_method::summary(const std::string &where) const {
  const cubature_statistics &s = result_.statistics;
  return "cubature" + where + ": " + std::to_string(s.evaluations) + " evaluations, " + std::to_string(s.regions) +
         " regions, " + std::to_string(s.iterations) + " steps";
}

void cubature_method::get_regions(std::int64_t first, std::int64_t n, double *records, std::int64_t *count) const {
  if (!regions_there_ || !solver_.host)
    throw failure(TESSERA_ERR_UNSUPPORTED,
                  "there are no regions: the last run was not on the host, or TESSERA_KEEP_REGIONS is 0");
  const std::int64_t there = solver_.host->regions();
  if (there < 0)
    throw failure(TESSERA_ERR_UNSUPPORTED,
                  "the regions are not complete: some were given up for want of memory, or "
                  "the integrand failed in the middle of a bulk step");
  if (first < 0 || n < 0 || n > there || first > there - n)
    throw failure(TESSERA_ERR_ARGUMENT, "regions " + std::to_string(first) + " .. first + " + std::to_string(n) +
                                            " - 1 of " + std::to_string(there) + " were asked for");
  if (n > 0 && !records) throw failure(TESSERA_ERR_ARGUMENT, "records is NULL");
  if (n > 0) solver_.host->read_regions(first, n, records);
  if (count) *count = there;
}

void cubature_method::set_regions(std::int64_t n, const double *records, std::int64_t evaluations) {
  if (n < 0) throw failure(TESSERA_ERR_ARGUMENT, "n is negative");
  if (evaluations < 0 || evaluations > most_given_evaluations)
    throw failure(TESSERA_ERR_ARGUMENT,
                  "evaluations = " + std::to_string(evaluations) + " is not what a run can have made");
  if (n > 0 && !records) throw failure(TESSERA_ERR_ARGUMENT, "records is NULL");
  const int fields = region_record_fields(solver_.ndim, solver_.ncomp);
  if (n > std::numeric_limits<std::int64_t>::max() / 64 / fields) throw std::bad_alloc();
  for (std::int64_t i = 0; i < n; ++i) {
    const double *record = records + i * fields;
    const char *wrong = wrong_in_record(record, solver_.ndim, solver_.ncomp);
    if (wrong)
      throw failure(TESSERA_ERR_ARGUMENT, std::string(wrong) + " of region " + std::to_string(i) + " is not possible");
  }
  given_.assign(records, records + n * fields);
  given_count_ = n;
  given_evaluations_ = evaluations;
}

}  // namespace tessera
