// The executor of a sparse grid with what an earlier run has evaluated: of each step its numbers in the store, and the differences.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

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
  outcome evaluate(const sparse_step &step, double *differences) override {
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
  int64 bytes_of_point() const override { return executor_->bytes_of_point(); }
  void renew_map() override { executor_->renew_map(); }
  outcome sample(int64 n, const double *x, double *values) override {
    if (!answers_) return executor_->sample(n, x, values);
    question asked(uint64{0x73616d706c65});
    asked.add(ndim_).add(ncomp_).add(x, n * ndim_);
    return ask(asked.key(), values, static_cast<std::size_t>(n * ncomp_),
               [&] { return executor_->sample(n, x, values); });
  }
  outcome find_unexplained(const tested_set &points, const double *means, double *sizes) override {
    if (!answers_) return executor_->find_unexplained(points, means, sizes);
    question asked(uint64{0x746573746564});
    asked.add(ndim_).add(ncomp_).add(points.in_regions).add(points.first).add(points.spread).add(means, ncomp_);
    return ask(asked.key(), sizes, static_cast<std::size_t>(ncomp_), [&] {
      if (points.are_there) return executor_->find_unexplained(points, means, sizes);
      std::fill_n(sizes, ncomp_, infinity_value());
      return outcome::running;
    });
  }

 private:
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
  int64 stored_ = 0;  // numbers in the store
};

}  // namespace tessera
