// Search for break points on the host (engine/cubature/break_points.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#include "../engine/cubature/break_points.hpp"

#include "../core/question.hpp"
#include "../kept_answers.hpp"
#include "evaluator.hpp"

namespace tessera {
namespace {

constexpr int samples = break_search::samples;

answer_key key_of_line(const region_view &regions, int64 region, int m, const searched_interval &on,
                       const double *weights) {
  constexpr uint64 kind = 0x627265616b;
  question asked(kind);
  asked.add(m).add(on.axis).add(on.lower).add(on.upper);
  for (int f = 0; f < 2 * regions.ndim(); ++f) asked.add(regions.field(region, f));
  for (int k = 0; k < regions.ncomp(); ++k) asked.add(weights[k]);
  return asked.key();
}

}  // namespace

outcome host_evaluator::search(const region_view &regions, const int64 *ids, int64 n, const search_lines &lines,
                               const double *weights, const domain_box &domain, const break_table *known,
                               found_break *found) {
  constexpr std::size_t words = (sizeof(found_break) + sizeof(uint64) - 1) / sizeof(uint64);
  kept_answers *const answers = problem_->answers;
  failure_.clear();
  unknown_.clear();
  const auto region_of = [&](int m) { return region_of_line(ids, n, m, lines); };
  const auto on = [&](int m) { return interval_of(known, regions, region_of(m), m, lines, domain); };
  for (int m = 0; m < lines.all; ++m) {
    const uint64 *const answer =
        answers ? answers->find(key_of_line(regions, region_of(m), m, on(m), weights), words) : nullptr;
    if (answer)
      std::memcpy(&found[m], answer, sizeof *found);
    else
      unknown_.push_back(m);
  }
  const auto line = [this](int64 item) { return static_cast<int>(unknown_[index(item)]); };
  std::vector<found_break> fresh(unknown_.size());
  const item_range own = shared_.begin(0, static_cast<int64>(unknown_.size()));
  pool_->run(own.end - own.first, [&](int64 i, int thread) {
    const int64 item = own.first + i;
    failure_.watch(item, [&] {
      workspace &w = work_[index(thread)];
      prepare(w);
      const int m = line(item);
      fresh[index(item)] = search_line(domain, on(m), regions, region_of(m), m, weights, item, w);
    });
  });
  if (shared_.parts() > 1) shared_.exchange(failure_, zeroed_, {{fresh.data(), sizeof(found_break)}});
  if (failure_.what() != outcome::running) return failure_.what();
  for (std::size_t item = 0; item < fresh.size(); ++item) found[unknown_[item]] = fresh[item];
  for (const int64 m : unknown_) {
    if (!answers) break;
    const int line_m = static_cast<int>(m);
    uint64 *const to = answers->keep(key_of_line(regions, region_of(line_m), line_m, on(line_m), weights), words);
    if (!to) break;
    std::memcpy(to, &found[m], sizeof *found);
  }
  return outcome::running;
}

found_break host_evaluator::search_line(const domain_box &domain, const searched_interval &on,
                                        const region_view &regions, int64 region, int m, const double *weights,
                                        int64 item, workspace &w) {
  return follow_line(on, domain, [&](break_search &search, int axis) {
    for (int j = 0; j < rule_.ndim; ++j) w.at[index(j)] = line_coordinate(regions, region, m, search.side(), j);
    double values[samples];
    if (!call_line(search, axis, weights, values, item, w)) return false;
    const bool goes_on = search.next([&values](int i) { return values[i]; });
    if (search.is_hole()) report_hole(search, axis, item, w);
    return goes_on;
  });
}

// Behind a round with values that are not finite on the line through w.at along an axis.
void host_evaluator::report_hole(const break_search &search, int axis, int64 item, const workspace &w) {
  const int nc = problem_->settings.ncomp;
  for (int i = 0; i < samples; ++i)
    for (int k = 0; k < nc; ++k) {
      const double f = w.f[index(k * w.component_stride + i * w.point_stride)];
      if (std::isfinite(f)) continue;
      double x[max_cubature_ndim], jacobian = 1.0;
      for (int j = 0; j < rule_.ndim; ++j)
        x[j] = map_axis(problem_->axes[index(j)], j == axis ? search.point(i) : w.at[index(j)], jacobian);
      show_in_domain(problem_->shape, problem_->integrand.params, x);
      return failure_.report(item, outcome::nonfinite, 0, nonfinite_message(k, f, x, rule_.ndim));
    }
}

// The points of a round on the line through w.at along an axis. False when an integrand's status or the clock ends the step.
bool host_evaluator::call_line(const break_search &search, int axis, const double *weights, double *values, int64 item,
                               workspace &w) {
  const auto put = [&](int64 i, double *x) {
    for (int j = 0; j < rule_.ndim; ++j) x[j] = j == axis ? search.point(static_cast<int>(i)) : w.at[index(j)];
  };
  if (!call_given(samples, samples, put, item, w)) return false;
  for (int i = 0; i < samples; ++i) {
    double sum = 0.0;
    bool all_finite = true;
    for (int k = 0; k < problem_->settings.ncomp; ++k) {
      const double f = w.f[index(k * w.component_stride + i * w.point_stride)];
      sum += weights[k] * f;
      all_finite = all_finite && std::isfinite(f);
    }
    values[i] = seen_on_line(sum, all_finite);
  }
  return true;
}

}  // namespace tessera
