// The executor of a sparse grid with what an earlier run has evaluated: of each step its numbers in the store, and the differences.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "engine/cubature/break_points.hpp"
#include "engine/sparse/sparse_grid.hpp"
#include "kept_answers.hpp"

namespace tessera {

// Executor: with read_store(first, end, numbers) and write_store(first, end, numbers), the last of which makes the room, for the numbers behind those that there are.
template <class Executor>
class kept_sparse final : public sparse_executor {
 public:
  // answers: null, or what is known and is to be kept.
  kept_sparse(std::unique_ptr<Executor> executor, int ndim, int ncomp, kept_answers *answers)
      : executor_(std::move(executor)), ndim_(ndim), ncomp_(ncomp), answers_(answers) {}
  const Executor &executor() const { return *executor_; }

  void begin(const sparse_domain &domain) override {
    domain_ = domain;
    stored_ = 0;
    executor_->begin(domain);
  }
  void begin_sampling(const sparse_domain &domain) override {
    domain_ = domain;
    executor_->begin_sampling(domain);
  }
  // Did a call of the executor end the run? Which one is asked for behind such a call, or behind look_beside.
  bool is_ended() const { return is_hole_ || executor_->is_ended(); }
  // As sparse_source has it, with no more than `most` points, which are added. Running also where the last call came to no such values.
  outcome look_beside(int64 most, int64 &points) {
    is_hole_ = at_spread_points_;
    const int64 all = is_hole_ ? 0 : std::min(most, 2 * all_bad());
    outcome o = is_hole_ ? outcome::nonfinite : outcome::running;
    for (int64 first = 0; first < all && o == outcome::running; first += looked_at_together) {
      const int64 n = std::min(looked_at_together, all - first);
      std::vector<double> x(static_cast<std::size_t>(n * ndim_)), values(static_cast<std::size_t>(n * ncomp_));
      put_beside(first, n, x.data());
      o = executor_->sample(n, x.data(), values.data());
      points += n;
    }
    is_hole_ = o == outcome::nonfinite;
    bad_step_ = {};
    bad_points_.clear();
    at_spread_points_ = false;
    return o;
  }
  outcome evaluate(const sparse_step &step, double *differences) override {
    const outcome o = find_or_evaluate(step, differences);
    bad_step_ = o == outcome::nonfinite ? step : sparse_step{};
    bad_points_.clear();
    return o;
  }
  int64 bytes_of_point() const override { return executor_->bytes_of_point(); }
  void renew_map() override { executor_->renew_map(); }
  outcome sample(int64 n, const double *x, double *values) override {
    const outcome o = find_or_sample(n, x, values);
    bad_points_.clear();
    if (o == outcome::nonfinite) bad_points_.assign(x, x + n * ndim_);
    return o;
  }
  outcome find_unexplained(const tested_set &points, const double *means, double *sizes) override {
    const outcome o = find_or_test(points, means, sizes);
    at_spread_points_ = o == outcome::nonfinite;  // which lie nowhere in particular
    return o;
  }

 private:
  static constexpr int64 looked_at_together = 8192;
  static constexpr double beside = 1e-6;  // of the way to a point somewhere in the box

  outcome find_or_sample(int64 n, const double *x, double *values) {
    if (!answers_) return executor_->sample(n, x, values);
    question asked(uint64{0x73616d706c65});
    asked.add(ndim_).add(ncomp_).add(x, n * ndim_);
    return ask(asked.key(), values, static_cast<std::size_t>(n * ncomp_),
               [&] { return executor_->sample(n, x, values); });
  }
  outcome find_or_evaluate(const sparse_step &step, double *differences) {
    if (!answers_) return executor_->evaluate(step, differences);
    const int64 first = std::exchange(stored_, step.store);
    const auto more = static_cast<std::size_t>(step.store - first),
               results = static_cast<std::size_t>(step.count() * domain_.boxes * ncomp_);
    const answer_key key = key_of(step);
    std::vector<double> numbers(more);
    if (const uint64 *const known = answers_->find(key, more + results)) {
      read_words(known, numbers.data(), more);
      read_words(known + more, differences, results);
      executor_->write_store(first, step.store, numbers.data());
      return outcome::running;
    }
    const outcome o = executor_->evaluate(step, differences);
    if (o != outcome::running) return o;
    executor_->read_store(first, step.store, numbers.data());
    if (uint64 *const to = answers_->keep(key, more + results)) {
      write_words(to, numbers.data(), more);
      write_words(to + more, differences, results);
    }
    return o;
  }
  outcome find_or_test(const tested_set &points, const double *means, double *sizes) {
    if (!answers_) return executor_->find_unexplained(points, means, sizes);
    question asked(uint64{0x746573746564});
    asked.add(ndim_).add(ncomp_).add(points.in_regions).add(points.first).add(points.spread).add(means, ncomp_);
    asked.add(&points.departure, 1).add(&points.departure_in_mass, 1);
    const polynomial_multiples &multiples = points.multiples;
    for (int k = 0; multiples.first && k < ncomp_; ++k) {
      asked.add(multiples.first[k + 1]);
      for (int i = multiples.first[k]; i < multiples.first[k + 1]; ++i) asked.add(&multiples.terms[i].coefficient, 1);
    }
    return ask(asked.key(), sizes, static_cast<std::size_t>(ncomp_), [&] {
      if (points.are_there) return executor_->find_unexplained(points, means, sizes);
      std::fill_n(sizes, ncomp_, infinity_value());
      return outcome::running;
    });
  }
  int64 bad_points() const { return static_cast<int64>(bad_points_.size()) / ndim_; }
  int64 all_bad() const { return bad_points_.empty() ? bad_step_.points * domain_.boxes : bad_points(); }
  // Places first ... first+n-1 beside points of the last call, of a step those of one box after the other: x[ndim][n]. One beside each, and one on its other side: next to the edge of a hole one of
  // them may be outside it.
  void put_beside(int64 first, int64 n, double *x) const {
    const int64 points = all_bad(), of_one_side = std::max<int64>(0, std::min(n, points - first));
    put_bad(first, of_one_side, n, x);
    put_bad(std::max<int64>(0, first - points), n - of_one_side, n, x + of_one_side);
    for (int64 i = 0; i < n; ++i) {
      const int64 point = (first + i) % points, box = bad_points_.empty() ? point / bad_step_.points : 0;
      const int line = static_cast<int>(point % most_lines);
      for (int j = 0; j < ndim_; ++j) {
        const double centre = domain_.centre[box * ndim_ + j], half = domain_.half[box * ndim_ + j];
        double &at = x[j * n + i];
        const double away = beside * (line_coordinate(centre, half, line, 0, j) - at), other = at - away;
        at = first + i < points || !(std::fabs(other - centre) < half) ? at + away : other;
      }
    }
  }
  // The points themselves: x[ndim][n], in columns that are `apart`.
  void put_bad(int64 first, int64 n, int64 apart, double *x) const {
    if (n == 0) return;
    if (bad_points_.empty()) return put_points(first, n, apart, x);
    for (int j = 0; j < ndim_; ++j) std::copy_n(bad_points_.data() + j * bad_points() + first, n, x + j * apart);
  }
  void put_points(int64 first, int64 n, int64 apart, double *x) const {
    sparse_domain domain = domain_;
    domain.axes = nullptr;
    const sparse_step &step = bad_step_;
    for (int64 i = 0; i < n; ++i) {
      const int64 box = (first + i) / step.points, point = (first + i) % step.points;
      const sparse_index *const q = index_of_point(step, point);
      write_sparse_point(tables_, domain, ndim_, static_cast<int>(box), *q,
                         step.all.links + (q - step.all.indices) * ndim_, point - q->first, x + i, apart);
    }
  }

  // The numbers that are known, or else those that find() leaves there.
  template <class Find>
  outcome ask(const answer_key &key, double *numbers, std::size_t n, const Find &find) {
    if (const uint64 *const known = answers_->find(key, n)) {
      read_words(known, numbers, n);
      return outcome::running;
    }
    const outcome o = find();
    if (o != outcome::running) return o;
    if (uint64 *const to = answers_->keep(key, n)) write_words(to, numbers, n);
    return o;
  }
  // What a step's numbers are follows from its levels, and where they go is said.
  answer_key key_of(const sparse_step &step) const {
    constexpr uint64 kind = 0x6c6576656c73;
    question asked(kind);
    asked.add(ndim_).add(ncomp_).add(step.stages).add(step.store);
    for (int64 i = step.before; i < step.end; ++i) asked.add(step.all.indices[i].place);
    for (int64 i = int64{step.before} * ndim_; i < int64{step.end} * ndim_; ++i) asked.add(level_of(step.all.links[i]));
    asked.add(domain_.centre, int64{domain_.boxes} * ndim_).add(domain_.half, int64{domain_.boxes} * ndim_);
    if (domain_.map.nodes) asked.add(&domain_.map.nodes->at, int64{2} * mapped_nodes * ndim_);
    return asked.key();
  }

  const std::unique_ptr<Executor> executor_;
  const int ndim_, ncomp_;
  kept_answers *const answers_;
  sparse_domain domain_ = {};
  const sparse_tables tables_ = make_sparse_tables();
  int64 stored_ = 0;                // numbers in the store
  sparse_step bad_step_ = {};       // of the last call, if a value was not finite
  std::vector<double> bad_points_;  // [ndim][n] of the last call, the same
  bool at_spread_points_ = false, is_hole_ = false;
};

}  // namespace tessera
