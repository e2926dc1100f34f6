// Many integrals over several devices (cuda/many_devices.hpp), with threads that stand for the devices: every row is run once and has its
// place, what ends one ends all, and one device does alone what is soon done.
// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

extern "C" {
#include <cmocka.h>  // after all others: its macros have names of theirs
}

#include "cuda/many_devices.hpp"

namespace {

using namespace tessera;

constexpr int64 rows = 3000;

many_problem make_problem() {
  many_problem p;
  auto common = std::make_unique<lattice_problem>();
  common->settings.ndim = 2;
  common->settings.ncomp = 2;
  p.common = std::move(common);
  for (int64 i = 0; i < rows; ++i) p.index.push_back(2 * i);  // every other of the caller's integrals
  p.of_rows = rows;
  return p;
}

struct watch : many_hooks {
  std::atomic<bool> over{false};
  outcome end = outcome::running;
  int64 last_finished = 0, looks = 0;
  std::thread::id caller = std::this_thread::get_id();
  bool is_wanted() const override { return true; }
  bool is_over() const override { return over; }
  bool due() override { return true; }
  outcome look(int64, int64 finished, const double *, const double *) override {
    assert_true(std::this_thread::get_id() == caller);
    assert_true(finished >= last_finished);
    last_finished = finished;
    ++looks;
    return finished > rows / 4 ? end : outcome::running;
  }
};

// Value and error tell the integral; the device waits so long for each.
struct fake_devices {
  double seconds_of_row = 0.0;
  int64 bad_row = -1;  // at which one throws
  std::atomic<int> runs[8] = {};

  many_results operator()(int device, const many_problem &part, many_hooks &hooks, double *value, double *error,
                          device_report &report) {
    ++runs[device];
    report.remark = "said";
    many_results some(part.rows());
    for (int64 i = 0; i < part.rows(); ++i) {
      const int64 integral = part.index[static_cast<std::size_t>(i)];
      many_row &r = some.rows[static_cast<std::size_t>(i)];
      if (integral / 2 == bad_row) throw std::runtime_error("broken");
      if (hooks.due()) {
        r.end = hooks.look(i, i, nullptr, nullptr);
        if (r.end != outcome::running) {
          for (int64 j = i; j < part.rows(); ++j) some.rows[static_cast<std::size_t>(j)].end = r.end;
          break;
        }
      }
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds_of_row));
      r.end = integral % 3 == 0 ? outcome::evaluations : outcome::converged;
      r.has_value = true;
      r.evaluations = 10;
      if (integral % 3 == 0) some.keep_message(i, "row " + std::to_string(integral));
      value[2 * i] = static_cast<double>(integral);
      value[2 * i + 1] = -value[2 * i];
      error[2 * i] = error[2 * i + 1] = 0.5;
    }
    return some;
  }
};

struct answer {
  std::vector<double> value = std::vector<double>(2 * rows, -1.0), error = value;
  device_report report;
  many_results results{0};
};

answer run(const many_team &team, watch &w, fake_devices &devices) {
  answer a;
  a.results = run_many_on_devices(team, make_problem(), w, a.value.data(), a.error.data(), a.report, std::ref(devices));
  return a;
}

void every_row_is_run_once(void **) {
  for (int n = 1; n <= 5; n += 2) {
    watch w;
    fake_devices devices;
    const answer a = run({n, true, true, 16}, w, devices);
    for (int64 i = 0; i < rows; ++i) {
      const many_row &r = a.results.rows[static_cast<std::size_t>(i)];
      assert_int_equal(static_cast<int>(r.end),
                       static_cast<int>(2 * i % 3 == 0 ? outcome::evaluations : outcome::converged));
      assert_int_equal(r.evaluations, 10);
      assert_true(a.value[static_cast<std::size_t>(2 * i)] == 2.0 * static_cast<double>(i));
      assert_true(a.value[static_cast<std::size_t>(2 * i + 1)] == -2.0 * static_cast<double>(i));
    }
    assert_string_equal(a.results.message_of(0).c_str(), "row 0");  // that of the first one, whichever device had it
    assert_true(a.report.devices >= 1 && a.report.devices <= n);
    assert_string_equal(a.report.remark.c_str(), "said");
  }
}

void slow_rows_wake_the_others(void **) {
  watch first, second;
  fake_devices slow, fast;
  slow.seconds_of_row = 2e-5;
  const answer many = run({3, true, false, 1}, first, slow);
  assert_int_equal(many.report.devices, 3);
  const answer one = run({3, false, false, 1}, second, fast);  // they would have to be started first
  assert_int_equal(one.report.devices, 1);
  assert_int_equal(fast.runs[1] + fast.runs[2], 0);
}

void what_ends_the_call_ends_all(void **) {
  watch w;
  w.end = outcome::stopped;
  fake_devices devices;
  devices.seconds_of_row = 1e-5;
  const answer a = run({4, true, true, 8}, w, devices);
  int64 made = 0, stopped = 0;
  for (const many_row &r : a.results.rows) {
    made += r.has_value;
    stopped += r.end == outcome::stopped;
    assert_true(r.has_value || r.end == outcome::stopped);
  }
  assert_int_equal(made + stopped, rows);
  assert_true(made > rows / 4 && stopped > 0);
}

void what_one_throws_is_thrown(void **) {
  for (const int64 row : {int64{0}, rows / 2, rows - 1}) {
    watch w;
    fake_devices devices;
    devices.bad_row = row;
    bool thrown = false;
    try {
      run({3, true, true, 4}, w, devices);
    } catch (const std::runtime_error &e) {
      thrown = std::string(e.what()) == "broken";
    }
    assert_true(thrown);
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(every_row_is_run_once),
      cmocka_unit_test(slow_rows_wake_the_others),
      cmocka_unit_test(what_ends_the_call_ends_all),
      cmocka_unit_test(what_one_throws_is_thrown),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
