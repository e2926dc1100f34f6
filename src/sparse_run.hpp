// What places share of the sparse grid that takes part in a cubature.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "engine/cubature/mode_search.hpp"
#include "engine/cubature/split.hpp"
#include "engine/sparse/map_search.hpp"
#include "engine/sparse/sparse_alone.hpp"
#include "engine/sparse/sparse_race.hpp"
#include "kept_sparse.hpp"
#include "problem.hpp"

namespace tessera {

// The domain of a problem as a sparse grid sees it.
class sparse_box {
 public:
  explicit sparse_box(const cubature_problem &p) : axes_(any_mapped(p.axes) ? p.axes.data() : nullptr) {
    for (std::size_t j = 0; j < p.axes.size(); ++j) {
      centre_.push_back(0.5 * p.lower[j] + 0.5 * p.upper[j]);
      half_.push_back(0.5 * p.upper[j] - 0.5 * p.lower[j]);
      volume_ *= 2.0 * half_.back();
      const double margin = 1.0 - *std::max_element(std::begin(patterson_nodes), std::end(patterson_nodes));
      open_ = open_ && half_.back() > p.grain[j] &&
              points_inside({centre_.back(), half_.back()}, margin, p.lower[j], p.upper[j], first_point_slack);
    }
  }
  sparse_domain domain() const { return {centre_.data(), half_.data(), axes_, 1}; }
  double volume() const { return volume_; }
  // All points lie within the limits and not on them, and there is a volume.
  bool is_open() const { return open_ && std::isfinite(volume_) && volume_ > 0.0; }

 private:
  std::vector<double> centre_, half_;
  const axis_map *axes_;
  double volume_ = 1.0;
  bool open_ = true;
};

// What a place keeps of its grids from run to run: their memory, that of the search for a map, and that of looks for modes.
struct kept_grids {
  sparse_grid of_domain, of_regions, mapped;
  map_search search;
  looked_memory looks;
  int64 bytes() const {
    return of_domain.bytes() + of_regions.bytes() + mapped.bytes() + search.held_bytes() + looks.bytes();
  }
};

// Which of the grids of a run; or none, but points that are looked at beside them.
enum class grid_of { domain, regions, mapped, points };

// The grids of one run. Executor: made of whatever the place has.
template <class Executor>
class sparse_run final : public sparse_source {
 public:
  // make(which): a unique_ptr to an executor for that grid.
  template <class Make>
  sparse_run(const cubature_problem &p, kept_grids &grids, Make make) : problem_(p), grids_(grids), make_(make) {}

  sparse_grid *open() override {
    if (!is_open()) return nullptr;
    executor_ = kept(grid_of::domain);
    executor_->begin(box_->domain());
    grids_.of_domain.start(problem_.ndim(), problem_.ncomp(), box_->volume(), *executor_,
                           problem_.settings.complex_values);
    return &grids_.of_domain;
  }
  outcome look_beside(int64 &points) override {
    const int64 most = std::exchange(points, 0);
    outcome o = outcome::running;
    for (auto *const e : {&executor_, &in_regions_, &mapped_, &sampled_})
      if (*e && o == outcome::running) o = (*e)->look_beside(most, points);
    return o;
  }
  bool has_maps() const override { return problem_.ndim() <= most_spread_axes; }
  int64 map_bytes() const override { return map_search::bytes(problem_.ndim(), problem_.ncomp()); }
  mapped_opening open_mapped(const std::vector<double> &starts, const std::vector<double> &faces, int64 most,
                             bool may_be_wide) override {
    mapped_opening opening;
    if (!is_open()) return opening;
    if (!mapped_) mapped_ = kept(grid_of::mapped);
    mapped_->begin_sampling(box_->domain());
    map_search &search = grids_.search;
    search.start(problem_.ndim(), problem_.ncomp(), box_->domain(), most,
                 [this](int64 n, const double *x, double *values) { return mapped_->sample(n, x, values); });
    opening.end = search.find(starts, faces, may_be_wide);
    opening.points = search.points();
    opening.kind = search.is_product() ? map_kind::product : search.is_wide() ? map_kind::wide : map_kind::lines;
    opening.is_broad = search.is_broad();
    if (search.is_product() && search.is_found()) {
      opening.component = search.component();
      opening.multiples = search.values_of_multiples();
    }
    opening.is_lost = opening.end == outcome::running && search.is_lost();
    opening.is_early = opening.end == outcome::running && !search.is_product() && !may_be_wide;
    if (opening.end != outcome::running || !search.is_found()) return opening;
    sparse_domain domain = box_->domain();
    domain.map = search.map();
    mapped_->begin(domain);
    grids_.mapped.start(problem_.ndim(), problem_.ncomp(), box_->volume(), *mapped_, problem_.settings.complex_values,
                        map_search::accuracy);
    opening.grid = &grids_.mapped;
    return opening;
  }
  // The integrand at points of the domain, as a search for modes asks for it. Roundoff: some have hit a singularity. most: evaluations that it may take; it says how many it has.
  outcome sample(int64 n, const double *x, double *values, int64 &most) {
    if (!box_) box_ = std::make_unique<sparse_box>(problem_);
    if (!sampled_) {
      sampled_ = kept(grid_of::points);
      sampled_->begin_sampling(box_->domain());
    }
    const int64 left = std::exchange(most, n) - n;
    outcome o = sampled_->sample(n, x, values);
    if (o == outcome::nonfinite) {
      int64 beside = left;
      o = look_beside(beside);
      most += beside;
      if (o == outcome::running) o = outcome::roundoff;
    }
    return o;
  }
  double density_at(const double *at) const override {
    const product_map map = grids_.search.map();
    double density = 1.0;
    for (int j = 0; j < problem_.ndim(); ++j) density *= tessera::density_at(map, j, at[j]);
    return density;
  }
  std::vector<double> top_of_map() const override {
    const product_map map = grids_.search.map();
    std::vector<double> top;
    for (int j = 0; j < problem_.ndim(); ++j) top.push_back(top_of_density(map, j));
    return top;
  }
  void prepare_map(int levels) override {
    if (grids_.search.write_nodes(levels)) mapped_->renew_map();
  }
  bool forget_multiple(int k) override { return grids_.search.forget_multiple(k); }
  outcome find_unexplained(tested_set points, double *sizes) override {
    points.multiples = grids_.search.multiples();
    return mapped_->find_unexplained(points, grids_.mapped.means(), sizes);
  }
  sparse_grid *open_regions(int regions, const double *boxes, std::size_t length) override {
    const auto nd = static_cast<std::size_t>(problem_.ndim());
    centres_.clear();
    halves_.clear();
    for (std::size_t b = 0; b < static_cast<std::size_t>(regions); ++b) {
      centres_.insert(centres_.end(), boxes + b * length, boxes + b * length + nd);
      halves_.insert(halves_.end(), boxes + b * length + nd, boxes + b * length + 2 * nd);
    }
    if (!in_regions_) in_regions_ = kept(grid_of::regions);
    in_regions_->begin({centres_.data(), halves_.data(), box_->domain().axes, regions});
    grids_.of_regions.start(problem_.ndim(), regions * problem_.ncomp(), 1.0, *in_regions_,
                            problem_.settings.complex_values);
    return &grids_.of_regions;
  }
  // What the integrand said when a run was ended in a grid.
  const Executor &ended_in() const {
    const kept_sparse<Executor> *any = nullptr;
    for (const auto *e : {&sampled_, &in_regions_, &mapped_, &executor_}) {
      if (!*e) continue;
      any = e->get();
      if (any->is_ended()) break;
    }
    return any->executor();
  }

 private:
  bool is_open() {
    if (!box_) box_ = std::make_unique<sparse_box>(problem_);
    return box_->is_open();
  }
  std::unique_ptr<kept_sparse<Executor>> kept(grid_of which) const {
    return std::make_unique<kept_sparse<Executor>>(make_(which), problem_.ndim(), problem_.ncomp(), problem_.answers);
  }

  const cubature_problem &problem_;
  kept_grids &grids_;
  const std::function<std::unique_ptr<Executor>(grid_of)> make_;
  std::unique_ptr<sparse_box> box_;
  std::unique_ptr<kept_sparse<Executor>> executor_, in_regions_, mapped_, sampled_;
  std::vector<double> centres_, halves_;  // of the regions
};

// Bytes for the points of looks for modes: a part of what the regions may have, where the user has said how much that is, a larger one where that is too little for any look.
inline int64 take_for_modes(const cubature_problem &p, int64 &memory) {
  if (!p.memory_is_given || !(any_mapped(p.axes) || p.settings.looks_in_finite_ranges)) return greatest_int64;
  const int64 share = std::max(memory / 16, std::min(memory / 8, mode_search::least_bytes(p.ndim(), p.ncomp())));
  memory -= share;
  return share;
}

// TESSERA_SPARSE_ALONE. What the integrand said, if it ended the run, is in sparse.ended_in().
template <class Executor>
void run_sparse_alone(sparse_run<Executor> &sparse, const cubature_settings &set, int64 memory, run_hooks &hooks,
                      double *value, double *error, cubature_result &result) {
  sparse_grid *const grid = sparse.open();
  if (!grid) {
    result.end = outcome::roundoff;
    result.message = "TESSERA_SPARSE_ALONE: the domain has no room for points beside its faces";
    return;
  }
  result.end = run_alone(*grid, set, memory, hooks, value, error);
  result.has_value = result.from_sparse = grid->points() > 0;
  if (result.end == outcome::nonfinite && !result.has_value) {  // at the first points
    std::fill_n(value, set.ncomp, nan_value());
    std::fill_n(error, set.ncomp, infinity_value());
    result.has_value = true;
  }
  result.sparse_points = result.statistics.evaluations = grid->evaluated();
  result.statistics.iterations = grid->steps();
  result.statistics.peak_bytes = grid->points() > 0 ? grid->bytes() : 0;
}

}  // namespace tessera
