// The executor of Monte Carlo with the sums that an earlier run has made, and with what the grid of VEGAS had learnt after each iteration.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "engine/montecarlo/importance_grid.hpp"
#include "engine/montecarlo/sampling_executor.hpp"
#include "engine/montecarlo/sampling_state.hpp"
#include "kept_answers.hpp"

namespace tessera {

class kept_sampler final : public sampling_executor {
 public:
  kept_sampler(sampling_executor &exec, const sampling_settings &settings, kept_answers &answers)
      : exec_(exec), set_(settings), answers_(answers) {}

  outcome run_plain(const sample_pass &pass, int64 first, int64 &samples, sample_sums *sums) override {
    const answer_key key = question(about(pass, of_plain, sums, 1)).add(first).add(samples).key();
    if (recall(key, sums, 1)) return outcome::running;
    const outcome o = exec_.run_plain(pass, first, samples, sums);
    if (o == outcome::running) keep(key, sums, 1);
    return o;
  }

  outcome run_shifts(sample_pass pass, int64 first, int64 samples, int64 shifts, sample_sums *sums,
                     int64 &made) override {
    const answer_key key = question(about(pass, of_shifts, sums, shifts)).add(first).add(samples).add(shifts).key();
    made = samples * shifts;
    if (recall(key, sums, shifts)) return outcome::running;
    const outcome o = exec_.run_shifts(pass, first, samples, shifts, sums, made);
    if (o == outcome::running) keep(key, sums, shifts);
    return o;
  }

  void begin_course(const std::vector<double> &edges, const std::vector<int> &cells,
                    const std::vector<double> &spread) override {
    edges_ = edges;
    cells_ = cells;
    spread_ = spread;
    is_there_ = false;
    course_ = question(of_course)
                  .add(edges.data(), size(edges))
                  .add(cells.data(), size(cells))
                  .add(spread.data(), size(spread))
                  .key();
  }
  // An iteration is kept when the grid has learnt from it, so that either is there or neither.
  outcome iterate(const vegas_iteration &it, sample_sums *sums, const std::function<outcome(int64)> &made) override {
    const std::vector<int> &cells = it.cut.cells();
    const answer_key before = course_;
    course_ = question(about(it.pass, of_iteration, sums, 1))
                  .add(before.first)
                  .add(before.second)
                  .add(it.samples)
                  .add(it.uniform)
                  .add(it.exponent)
                  .add(cells.data(), size(cells))
                  .key();
    if (knows_course(it.cut.cubes()) && recall(course_, sums, 1)) {
      is_there_ = false;
      cells_ = cells;
      read_course();
      made(it.samples + it.uniform);
      return outcome::running;
    }
    if (!is_there_) exec_.begin_course(edges_, cells_, spread_);
    is_there_ = true;
    cells_ = cells;
    const outcome o = exec_.iterate(it, sums, made);
    learnt_from_.assign(sums, sums + (o == outcome::running ? set_.ncomp : 0));
    return o;
  }
  void learn(bool believe_all, double damping) override {
    if (!is_there_) return;  // what is known has learnt
    exec_.learn(believe_all, damping);
    if (learnt_from_.empty()) return;
    exec_.recall_course(edges_, &spread_);
    if (uint64 *const to = answers_.keep(key_of_course(), edges_.size() + spread_.size())) {
      write_words(to, edges_.data(), edges_.size());
      write_words(to + edges_.size(), spread_.data(), spread_.size());
      keep(course_, learnt_from_.data(), 1);
    }
    learnt_from_.clear();
  }
  void recall_course(std::vector<double> &edges, std::vector<double> *spread) override {
    if (is_there_) return exec_.recall_course(edges, spread);
    edges = edges_;
    if (spread) *spread = spread_;
  }
  int64 slice_samples(bool grid) const override { return exec_.slice_samples(grid); }

 private:
  enum kind : uint64 { of_plain = 0x73616d706c6500, of_shifts, of_iteration, of_course, of_grid };
  static_assert(sizeof(sample_sums) == 7 * sizeof(double));

  template <class T>
  static int64 size(const std::vector<T> &v) {
    return static_cast<int64>(v.size());
  }
  // All that the sums of a pass depend on; points of nets follow from seed and shift.
  answer_key about(const sample_pass &p, kind k, const sample_sums *sums, int64 many) const {
    question q(k);
    q.add(set_.generator).add(set_.weights).add(set_.damping);
    q.add(p.seed).add(p.stream).add(p.antithetic).add(p.shift).add(p.cube).add(p.sobol.axes != nullptr);
    q.add(p.sobol.columns).add(p.threefry).add(p.samples).add(p.scouting).add(p.most_quantum);
    q.add(p.training_skip).add(p.unit);
    if (set_.weights) q.add(p.point_weight).add(p.iteration);  // else nobody sees them
    q.add(p.scale, set_.ncomp).add(p.cells != nullptr).add(p.edges != nullptr);
    for (int j = 0; p.cells && j < set_.ndim; ++j) q.add(p.cells[j].cells);
    if (p.edges) q.add(p.edges, int64{set_.ndim} * grid_edges);
    q.add(&sums->value.sum, 7 * many * set_.ncomp);
    return q.key();
  }
  bool recall(const answer_key &key, sample_sums *sums, int64 many) const {
    const auto n = static_cast<std::size_t>(many * set_.ncomp);
    const uint64 *const known = answers_.find(key, 7 * n);
    if (known) read_words(known, sums, n);
    return known != nullptr;
  }
  void keep(const answer_key &key, const sample_sums *sums, int64 many) {
    const auto n = static_cast<std::size_t>(many * set_.ncomp);
    if (uint64 *const to = answers_.keep(key, 7 * n)) write_words(to, sums, n);
  }

  // Grid and cubes after the iteration of course_.
  answer_key key_of_course() const { return question(course_).add(uint64{of_grid}).key(); }
  bool knows_course(int64 cubes) const {
    return answers_.find(key_of_course(), grid_length() + static_cast<std::size_t>(cubes)) != nullptr;
  }
  void read_course() {
    std::size_t n;
    const uint64 *const known = answers_.find_any(key_of_course(), n);
    edges_.resize(grid_length());
    spread_.resize(n - grid_length());
    read_words(known, edges_.data(), edges_.size());
    read_words(known + edges_.size(), spread_.data(), spread_.size());
  }
  std::size_t grid_length() const { return static_cast<std::size_t>(set_.ndim) * grid_edges; }

  sampling_executor &exec_;
  const sampling_settings &set_;
  kept_answers &answers_;
  answer_key course_;      // all of it up to now
  bool is_there_ = false;  // at the executor; else the course stands where these say
  std::vector<double> edges_, spread_;
  std::vector<int> cells_;
  std::vector<sample_sums> learnt_from_;  // the sums of an iteration before the grid learns
};

}  // namespace tessera
