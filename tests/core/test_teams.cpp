// The bulk steps of several teams that wait for each other at barriers and nowhere else, as the blocks of a device do: whichever of them is held up
// behind a barrier, the run is to be that of one team, to the last bit. Under the thread sanitizer each access that no barrier parts from another team's
// is told too.
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "bulk_runs.hpp"

using namespace tessera;

namespace {

constexpr int teams = 4;

// Where all teams meet. Behind it now and then one of them is held up, long enough for the others to go as far as they can.
class meeting {
 public:
  void wait(int team) {
    std::unique_lock<std::mutex> lock(mutex_);
    const int64 own = times_;
    if (++here_ == teams) {
      here_ = 0;
      ++times_;
      all_.notify_all();
    } else {
      all_.wait(lock, [&] { return times_ != own; });
    }
    const bool last = times_ % 5 == 0 && times_ / 5 % teams == team;
    lock.unlock();
    if (last) std::this_thread::sleep_for(std::chrono::microseconds(300));
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_;
  int here_ = 0;
  int64 times_ = 0;
};

class team_grid {
 public:
  using team_type = host_team;
  static constexpr bool own_state = false;
  static constexpr int64 alone_points = 2000, lone_regions = 200;
  using small_team = host_team;
  static constexpr int small_lanes = 1;
  team_grid(meeting &all, int own) : all_(&all), own_(own) {}

  static bulk_state &state(bulk_state &given) { return given; }
  host_team &team() { return team_; }
  bool first_team() const { return own_ == 0; }
  bool once() const { return own_ == 0; }
  void barrier() {
    if (of_ > 1) all_->wait(own_);
  }
  template <class Body>
  void in_first(bool behind_all, Body body) {
    if (behind_all) barrier();
    if (first_team()) body();
    barrier();
  }
  void go_alone() { of_ = 1; }
  void go_together() { of_ = teams; }
  template <class Body>
  void chunks(int64 n, Body body) {
    for (int64 c = own_; c < n; c += of_) body(team_, c);
  }
  template <class Body>
  void small_teams(int64 n, Body body) {
    chunks(n, body);
  }
  template <class Body>
  void each(int64 n, Body body) {
    for (int64 i = own_; i < n; i += of_) body(i);
  }
  template <class Body>
  void lanes_each(int64 n, int, Body body) {
    lone_lane alone;
    each(n, [&](int64 i) { body(alone, i); });
  }

 private:
  meeting *all_;
  int own_;
  int of_ = teams;
  host_team team_;
};

// A team applies the rule to its part of a list. What has become of all parts is known behind the next barrier.
class team_evaluator {
 public:
  static constexpr bool deferred = false, raises = true, searches = false;
  team_evaluator(host_evaluator &own, std::atomic<int> &end) : own_(own), end_(end) {}

  void evaluate(team_grid &grid, const region_view &regions, const region_list &list, int64 n) {
    take(grid, n, [&](int64 i) { return list[i]; });
    if (!ids_.empty()) keep(own_.evaluate(regions, {ids_.data(), 0, 1}, static_cast<int64>(ids_.size())));
  }
  void raise(team_grid &grid, const region_view &regions, const int64 *ids, int64 n, int level) {
    take(grid, n, [&](int64 i) { return ids[i]; });
    if (!ids_.empty()) keep(own_.raise(regions, ids_.data(), static_cast<int64>(ids_.size()), level));
  }
  bool failed() const { return failure() != outcome::running; }
  outcome failure() const { return static_cast<outcome>(end_.load()); }

 private:
  template <class Id>
  void take(team_grid &grid, int64 n, Id id) {
    ids_.clear();
    grid.each(n, [&](int64 i) { ids_.push_back(id(i)); });
  }
  void keep(outcome end) {
    if (end != outcome::running) end_ = static_cast<int>(end);
  }

  host_evaluator &own_;
  std::atomic<int> &end_;
  std::vector<int64> ids_;
};

// Of one that the executor makes, the steps see how it has ended.
struct left_evaluator {
  static constexpr bool deferred = true, raises = false, searches = false;
  left_evaluator(const host_evaluator &, std::atomic<int> &all) : end(all) {}
  std::atomic<int> &end;
  bool failed() const { return failure() != outcome::running; }
  outcome failure() const { return static_cast<outcome>(end.load()); }
};

template <class Evaluator>
class teams_executor : public host_executor {
 public:
  static constexpr int64 pause_after = int64{1} << 40;
  // least: from so many regions on an evaluation is left to the executor.
  teams_executor(thread_pool &pool, host_evaluator *each, int64 least)
      : host_executor(pool, each[0]), each_(each), least_(least) {}

  void run_bulk(bulk_state &state) {
    std::atomic<int> end{static_cast<int>(outcome::running)};
    state.share_regions = least_;
    run_steps(state, end);
    for (; state.pending > 0; run_steps(state, end)) {
      const outcome left = state.raising > 0
                               ? each_[0].raise(state.regions, state.pending_list.ids, state.pending, state.raising)
                               : each_[0].evaluate(state.regions, state.pending_list, state.pending);
      if (left != outcome::running) end = static_cast<int>(left);
    }
  }

 private:
  void run_steps(bulk_state &state, std::atomic<int> &end) {
    meeting all;
    std::vector<bulk_state> own(teams, state);  // a block has the state in memory of its own
    std::vector<std::thread> others;
    const auto run = [&](int team) {
      team_grid grid(all, team);
      Evaluator evaluator(each_[team], end);
      bulk_steps<team_grid, Evaluator>(grid, own[static_cast<std::size_t>(team)], evaluator).run();
    };
    for (int t = 1; t < teams; ++t) others.emplace_back(run, t);
    run(0);
    for (std::thread &t : others) t.join();
    state = own[0];
  }

  host_evaluator *each_;
  const int64 least_;
};

template <class Evaluator>
answer by_teams(const cubature_problem &p, int64 least) {
  std::vector<std::unique_ptr<thread_pool>> pools;
  std::vector<host_evaluator> each(teams);
  for (host_evaluator &e : each) {
    pools.push_back(std::make_unique<thread_pool>(1));
    e.start(p, *pools.back(), nobody_asks, INT64_MAX);
  }
  teams_executor<Evaluator> executor(*pools[0], each.data(), least);
  return run(executor, p);
}

void assert_same_by_teams(const cubature_problem &p) {
  const answer a = direct(p);
  for (const int64 least : {greatest_int64, int64{100}}) assert_same(a, by_teams<team_evaluator>(p, least));
  if (!p.integration_rule.raises) assert_same(a, by_teams<left_evaluator>(p, greatest_int64));
}

int smooth_peak(int ndim, const double *x, int, double *f, void *) {
  double s = 0.0;
  for (int j = 0; j < ndim; ++j) s += (x[j] - 0.3) * (x[j] - 0.3);
  f[0] = std::exp(-20.0 * s);
  return 0;
}

void divided_regions(void **) {
  for (int c = 0; c < suite_size; ++c) {
    cubature_problem p = problem_of(suite[c].ndim, 1, suite[c].fn, 1e-4);
    p.settings.maxeval = 1000000;
    assert_same_by_teams(p);
  }
  assert_same_by_teams(problem_of(3, 3, three, 1e-6));
  assert_same_by_teams(infinite_problem());
}

// Some are raised, others divided, and of the list of both some come to their end before the others have begun.
void raised_regions(void **) {
  int iterations = 0;
  for (const double reltol : {1e-4, 1e-6, 1e-8}) {
    const cubature_problem p = raising_problem(4, smooth_peak, reltol);
    const answer a = direct(p);
    assert_same_by_teams(p);
    assert_true(a.end == outcome::converged &&
                a.statistics.evaluations != direct(problem_of(4, 1, smooth_peak, reltol)).statistics.evaluations);
    iterations += static_cast<int>(a.statistics.iterations);
  }
  assert_true(iterations > 20);
  for (int c = 0; c < suite_size; ++c)
    if (suite[c].ndim >= raised_least_ndim && suite[c].ndim <= raised_most_ndim) {
      cubature_problem p = raising_problem(suite[c].ndim, suite[c].fn, 1e-6);
      p.settings.maxeval = 1000000;
      assert_same_by_teams(p);
    }
}

void ends_and_failures(void **) {
  cubature_problem p = raising_problem(5, suite_f4, 1e-12);
  assert_same_by_teams(p);
  for (const int64 kilobytes : {20, 100, 400}) {  // regions are given up
    p.settings.memory = kilobytes << 10;
    assert_same_by_teams(p);
  }
  // Fewer are left then than there were first regions, and they are no first regions again, which would all be divided.
  for (const int64 kilobytes : {150, 200, 250}) {
    p = problem_of(5, 1, suite_f4, 1e-12);
    p.settings.initial_regions = 1024;
    p.settings.maxeval = 3000000;
    p.settings.memory = kilobytes << 10;
    assert_same_by_teams(p);
    if (kilobytes == 150) assert_true(direct(p).statistics.evaluations < 2200000);  // else 2.31e6
  }
  p = problem_of(2, 1, infinite_somewhere, 1e-9);
  assert_same_by_teams(p);
  assert_true(direct(p).end == outcome::nonfinite);
}

}  // namespace

int main() {
  const struct CMUnitTest tests[] = {cmocka_unit_test(divided_regions), cmocka_unit_test(raised_regions),
                                     cmocka_unit_test(ends_and_failures)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
