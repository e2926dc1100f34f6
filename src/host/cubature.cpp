// Adaptive cubature on the host: the engine's two drivers on threads.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "../engine/cubature/bulk.hpp"
#include "../engine/cubature/worst_first.hpp"
#include "../sparse_run.hpp"
#include "evaluator.hpp"
#include "executor.hpp"
#include "../ranks.hpp"
#include "method.hpp"
#include "sparse.hpp"

namespace tessera {
namespace {

constexpr int look_ahead_per_thread = 4;
// A point of a sparse grid takes about as long as one of a rule.
constexpr sparse_pace at_the_same_cost() {
  sparse_pace pace;
  pace.first_look = 1e4;
  pace.start = 2e4;
  pace.apart = 1.3;
  pace.point = 1.0;
  pace.share = 1.0 / 16;
  pace.lead = 0.5;
  pace.check_share = 0.25;
  pace.seen_first = 1.0 / 16;
  pace.vague = 1e6;
  return pace;
}
constexpr int64 little = int64{1} << 20;  // bytes that are not worth giving back

class host_cubature final : public host_method {
 public:
  void run(const problem &of_a_method, thread_pool &pool, run_hooks &hooks, double *value, double *error,
           run_result &to) override {
    const auto &problem = static_cast<const cubature_problem &>(of_a_method);
    auto &result = static_cast<cubature_result &>(to);
    bulk_.reset();
    if (!executor_) executor_ = std::make_unique<host_executor>(pool, evaluator_);
    set_ = problem.settings;
    agree(problem, pool.size());
    int64 for_calls = std::numeric_limits<int64>::max();
    if (problem.memory_is_given) {
      const memory_shares shares = share_memory(set_.memory, needs(problem, 1).fixed);
      for_calls = shares.fixed - driver_bytes(problem, lanes_);
      set_.memory = shares.grows;
    }
    const cubature_settings &set = set_;
    kept_grids grids;
    sparse_run<host_sparse> sparse(problem, grids,
                                   [&](grid_of) { return std::make_unique<host_sparse>(problem, pool, hooks); });
    const int64 for_sparse = problem.sparse == sparse_part::off ? 0 : sparse_memory(problem, pool.size());
    if (problem.sparse == sparse_part::alone) {
      worst_first_.reset();
      run_sparse_alone(sparse, set, for_sparse, hooks, value, error, result);
      if (result.has_value) result.statistics.peak_bytes += host_sparse::fixed_bytes(problem, pool.size());
      if (result.message.empty()) {
        result.callback_status = sparse.ended_in().callback_status();
        result.message = sparse.ended_in().message();
        sparse.ended_in().tell_zeroed(result, std::max<int64>(1, result.sparse_points));
      }
      return;
    }
    sparse_race race(set, at_the_same_cost(), for_sparse > 0 ? &sparse : nullptr,
                     problem.given.n > 0 ? problem.given.evaluations : 0, for_sparse, hooks);
    evaluator_.start(problem, pool, hooks, for_calls);
    const int64 for_modes = take_for_modes(problem, set_.memory);
    mode_search modes(
        set, problem.domain(), any_mapped(problem.axes) ? problem.axes.data() : nullptr,
        [&](int64 n, const double *x, double *values, int64 &evaluations) {
          return sparse.sample(n, x, values, evaluations);
        },
        for_modes);
    race.heed(modes, problem.answers != nullptr);
    const domain_box domain = problem.domain();
    if (problem.worst_first) {
      if (!worst_first_)
        worst_first_ = std::make_unique<worst_first_driver>(*executor_, evaluator_, set.ndim, set.ncomp);
      race.look_at({[this](int n, const double *weight) { return worst_first_->largest(n, weight); },
                    [this] { return worst_first_->listed(); }, [] { return int64{0}; },
                    [this] { return worst_first_->statistics().breaks; }});
      result.end = worst_first_->run(set, look_ahead(lanes_), problem.given, domain, race, &modes, value, error);
      result.statistics = worst_first_->statistics();
    } else {
      worst_first_.reset();
      bulk_ = std::make_unique<bulk<host_executor>>(*executor_, set, evaluator_.points(), race, &modes);
      race.look_at({[this](int n, const double *weight) { return bulk_->largest(n, weight); },
                    [this] { return bulk_->listed(); }, [] { return int64{0}; },
                    [this] { return bulk_->statistics().breaks; }});
      result.end =
          problem.given.n > 0 ? bulk_->resume(problem.given, domain, value, error) : bulk_->run(domain, value, error);
      result.statistics = bulk_->statistics();
    }
    result.has_value = result.statistics.evaluations > 0;
    result.statistics.evaluations += race.all_evaluations();
    result.sparse_points = race.evaluations();
    result.from_sparse = race.is_won(value, error);
    modes.tell(hooks, result.end);
    const bool by_sparse = race.has_ended() || modes.has_ended();
    result.callback_status = by_sparse ? sparse.ended_in().callback_status() : evaluator_.callback_status();
    result.message = by_sparse ? sparse.ended_in().message() : evaluator_.message();
    result.zeroed = evaluator_.zeroed();
    region_bytes_ = result.statistics.peak_bytes;
    if (race.bytes() > 0)
      result.statistics.peak_bytes += race.bytes() + 3 * host_sparse::fixed_bytes(problem, pool.size());
    result.statistics.peak_bytes += modes.peak_bytes() + evaluator_.work_bytes() + driver_bytes(problem, lanes_);
  }

  memory_needs needs(const tessera::problem &of_a_method, int threads) const override {
    const auto &problem = static_cast<const cubature_problem &>(of_a_method);
    const cubature_settings &set = problem.settings;
    const int64 first = affordable_first_regions(set.initial_regions, problem.integration_rule.points, set.maxeval);
    const int64 given = problem.given.n + problem.given.n / 2 + pieces_of(set);
    // With the level before them, or their parents.
    const int64 regions = problem.worst_first
                              ? bytes_of_region(set) * std::max({least_regions(set), first + first / 2 + 1, given})
                              : bulk<host_executor>::bytes_of_region(set) *
                                    std::max({bulk<host_executor>::least_regions(set), first + first / 2 + 1, given});
    return {host_evaluator::least_bytes(problem, threads) +
                driver_bytes(problem, problem.shared ? threads * problem.shared->size() : threads),
            regions};
  }

  int64 regions() const override { return bulk_ ? bulk_->count() : worst_first_ ? worst_first_->count() : 0; }
  void read_regions(int64 first, int64 n, double *records) override {
    if (bulk_)
      bulk_->read(first, n, records);
    else
      worst_first_->read(first, n, records);
  }
  void release() override {
    if (region_bytes_ <= little) return;
    bulk_.reset();
    worst_first_.reset();
  }

 private:
  // Ranks that share a run decide by the same memory and look equally far ahead. What is free is that of one machine.
  void agree(const cubature_problem &problem, int threads) {
    lanes_ = threads;
    if (!problem.shared) return;
    const int64 free = problem.memory_is_given ? set_.memory : set_.memory / problem.shared->here();
    const std::vector<int64> all = problem.shared->exchange(ranks::step::memory, 0, free);
    set_.memory = *std::min_element(all.begin(), all.end());
    lanes_ = 0;
    for (const int64 n : problem.shared->exchange(ranks::step::memory, 1, threads)) lanes_ += static_cast<int>(n);
  }

  static int look_ahead(int threads) { return threads > 1 ? look_ahead_per_thread * threads : 1; }
  static int64 driver_bytes(const cubature_problem &problem, int threads) {
    return problem.worst_first ? bytes_beside_regions(problem.settings, look_ahead(threads))
                               : bulk<host_executor>::fixed_bytes(problem.settings) +
                                     threads * static_cast<int64>(sizeof(uint32)) * histogram_bins;
  }

  // Bytes for a sparse grid: a part of what the regions may have, and no regions have less where the user has said how much.
  int64 sparse_memory(const cubature_problem &problem, int threads) {
    const int64 fixed = 3 * host_sparse::fixed_bytes(problem, threads);  // of three grids
    const int64 share =
        problem.sparse == sparse_part::alone ? set_.memory : set_.memory / (problem.memory_is_given ? 8 : 3);
    if (share < (problem.sparse == sparse_part::alone ? fixed : 2 * fixed)) return 0;
    if (problem.memory_is_given) set_.memory -= share;
    return share - fixed;
  }

  using worst_first_driver = worst_first<host_executor, host_evaluator>;
  cubature_settings set_;
  int lanes_ = 1;  // threads of all ranks
  int64 region_bytes_ = 0;
  host_evaluator evaluator_;
  std::unique_ptr<host_executor> executor_;
  std::unique_ptr<worst_first_driver> worst_first_;  // one of the two
  std::unique_ptr<bulk<host_executor>> bulk_;
};

}  // namespace

std::unique_ptr<host_method> make_host_cubature() { return std::make_unique<host_cubature>(); }

}  // namespace tessera
