// Bulk steps that leave what has many regions to the executor, as they do where several devices share it: the same bits as in one go.
// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "bulk_runs.hpp"

using namespace tessera;

namespace {

// Evaluates itself what the steps leave to it: what has so many regions or more.
class sharing_executor : public host_executor {
 public:
  sharing_executor(thread_pool &pool, host_evaluator &evaluator, int64 least)
      : host_executor(pool, evaluator), pool_(pool), evaluator_(evaluator), least_(least) {}

  void run_bulk(bulk_state &state) {
    host_grid grid(pool_);
    host_bulk_evaluator e(evaluator_);
    state.share_regions = least_;
    for (;;) {
      bulk_steps<host_grid, host_bulk_evaluator>(grid, state, e).run();
      if (state.pending == 0) return;
      assert_true(state.pending >= least_);
      ++(state.raising > 0 ? raised : evaluated);
      if (state.raising > 0) {
        assert_int_equal(state.pending_list.pieces, 1);
        e.raise(grid, state.regions, state.pending_list.ids, state.pending, state.raising);
      } else {  // in two parts
        const int pieces = state.pending_list.pieces;
        const int64 parents = state.pending / pieces, some = parents / 3;
        if (some > 0) e.evaluate(grid, state.regions, state.pending_list, some * pieces);
        if (!e.failed()) e.evaluate(grid, state.regions, state.pending_list.behind(some), (parents - some) * pieces);
      }
    }
  }

  int evaluated = 0, raised = 0;  // steps

 private:
  thread_pool &pool_;
  host_evaluator &evaluator_;
  const int64 least_;
};

// One of several that make the same run, of which another has no room for more.
class crowded_executor : public host_executor {
 public:
  crowded_executor(thread_pool &pool, host_evaluator &evaluator, int64 most)
      : host_executor(pool, evaluator), most_(most) {}
  void agree_on_room(int64 &regions, int64 &parents, bool &there) {
    regions = std::min(regions, most_);
    parents = std::min(parents, most_ / 3);
    there = there && asked++ == 0;
  }

  int asked = 0;

 private:
  const int64 most_;
};

answer shared(const cubature_problem &p, int64 least, int *evaluated = nullptr, int *raised = nullptr) {
  thread_pool pool(p.threads);
  host_evaluator evaluator;
  evaluator.start(p, pool, nobody_asks, INT64_MAX);
  sharing_executor executor(pool, evaluator, least);
  const answer a = run(executor, p);
  if (evaluated) *evaluated = executor.evaluated;
  if (raised) *raised = executor.raised;
  return a;
}

void large_steps_may_be_left_to_the_executor(void **) {
  const cubature_problem problems[] = {problem_of(3, 3, three, 1e-7), problem_of(5, 1, suite_f4, 1e-12),
                                       infinite_problem(), problem_of(2, 1, infinite_somewhere, 1e-9)};
  for (cubature_problem p : problems)
    for (const int64 memory : {int64{1} << 30, int64{400} << 10}) {  // regions are given up
      p.settings.memory = memory;
      const answer whole = direct(p);
      for (const int64 least : {2, 50}) {
        int evaluated = 0;
        assert_same(whole, shared(p, least, &evaluated));
        assert_true(evaluated > 0);
      }
    }
}

void so_may_regions_be_that_are_to_be_raised(void **) {
  for (const int64 memory : {int64{1} << 30, int64{400} << 10}) {  // there may be no room for pieces
    cubature_problem p = raising_problem(4, suite_f2, 1e-10);
    p.settings.memory = memory;
    for (const int64 maxeval : {2000000, 6000000}) {
      p.settings.maxeval = maxeval;
      const answer whole = direct(p);
      for (const int64 least : {2, 20}) {
        int raised = 0;
        assert_same(whole, shared(p, least, nullptr, &raised));
        assert_true(raised > 0);
      }
    }
  }
}

void all_have_the_least_room_of_any(void **) {
  cubature_problem p = problem_of(5, 1, suite_f4, 1e-12);
  const answer whole = direct(p);
  thread_pool pool(p.threads);
  host_evaluator evaluator;
  evaluator.start(p, pool, nobody_asks, INT64_MAX);
  for (const int64 most : {200, 3000}) {
    crowded_executor executor(pool, evaluator, most);
    const answer a = run(executor, p);
    assert_int_equal(executor.asked, 2);  // and not again
    assert_true(a.end == outcome::memory || a.end == outcome::evaluations);
    assert_true(a.error[0] != whole.error[0]);
    assert_true(std::fabs(a.value[0] - whole.value[0]) <= a.error[0] + whole.error[0]);
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(large_steps_may_be_left_to_the_executor),
      cmocka_unit_test(so_may_regions_be_that_are_to_be_raised),
      cmocka_unit_test(all_have_the_least_room_of_any),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
