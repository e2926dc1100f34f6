// The integral over one variable as a thread of a device has it (engine/quadrature/integral_lane.hpp), run on the host in memory of fixed size, beside
// the host's own (quadrature_integral.hpp): the same bits, ends and counts. What is too large for short lists says so, and is the same in longer ones.
// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

extern "C" {
#include <cmocka.h>  // after all others: its macros have names of theirs
}

#include "cases.h"
#include "engine/quadrature/integral_lane.hpp"
#include "engine/quadrature/null_rules.hpp"
#include "quadrature_integral.hpp"
#include "kept_answers.hpp"
#include "problem.hpp"
#include "run_lane.hpp"

namespace {

using namespace tessera;

constexpr int families = 23;
constexpr double beside = 0.5;  // a break point of family 18

struct integrand {
  int family = 0;
  double a = 0.0, b = 0.0;

  double at(double x, double away) const {
    switch (family) {
      case 0:
        return std::exp(-a * x) * std::cos(20.0 * b * x);
      case 1:
        return std::pow(x, a - 1.0);
      case 2:
        return std::fabs(x - b);
      case 3:
        return std::log(x) * std::cos(a * x);
      case 4:
        return x < b ? 0.0 : std::exp(a * x);
      case 5:
        return 1.0 / (1e-4 + (x - b) * (x - b));
      case 6:
        return std::exp(-a * x);  // from 0 to infinity
      case 7:
        return 1.0 / (1.0 + (x - a) * (x - a));  // the line
      case 8:
        return x > b && x < b + 0.01 ? NAN : std::cos(x);
      case 9:
        return 0.0;
      case 10:
        return std::pow(std::fabs(away), a - 1.0);
      case 11:
        return 1.0 / std::fabs(x - b);  // divergent
      case 12:
        return std::pow(std::fabs(x - b), -0.5);
      case 13:
        return std::sin(1.0 / (x + 0.003 * a));
      case 14:
        return std::exp(-std::fabs(x - b) * 30.0) + std::exp(-std::fabs(x - a) * 50.0);
      case 15:
        return std::fabs(x - 3e-4 * a);  // next to ends and break points, from here on
      case 16:
        return std::fabs(x - (1.0 - 3e-4 * b)) + x;
      case 17:
        return 1.0 + std::exp(-x / (1e-4 * a)) + std::exp(-(1.0 - x) / (1e-3 * b));
      case 18:
        return std::fabs(x - beside - 3e-4 * a) + (x < 1e-4 * b ? 1.0 : 0.0);
      case 19:
        return std::floor(7.3 * x + a);
      case 20:  // peaks far apart, over the line
        return std::exp(-x * x) + 5.0 * b * std::exp(-(x - 40.0 * a) * (x - 40.0 * a));
      case 22:  // in a wide range
        return std::exp(-1e4 * (x - 0.1 * a) * (x - 0.1 * a)) + std::exp(-1e4 * (x - 0.4 * b) * (x - 0.4 * b));
      default:  // and behind an exponential
        return std::exp(-x) + a * std::exp(-10.0 * (x - 25.0 * b) * (x - 25.0 * b));
    }
  }
};

using answer = lane_answer;

// From 0 to 1, but for families whose integrals have infinite limits; left: and family 0 from there.
void set_range(quadrature_problem &p, int family, bool left = false) {
  std::sort(p.breaks.begin(), p.breaks.end());
  double lower = 0.0, upper = 1.0;
  if (family == 6 || family == 21) upper = INFINITY;
  if (family == 7 || family == 20) lower = -INFINITY, upper = INFINITY;
  if (family == 0 && left) lower = -INFINITY, upper = 0.0;
  p.set_limits(1, &lower, &upper);
}

// As the lane calls them.
template <int Comps>
auto function_of(const quadrature_settings &s, const integrand *f) {
  return [&s, f](const double *x, double *v) {
    for (int q = 0; q < Comps; ++q) v[q] = f[q].at(x[0], x[s.complement == 0 ? 0 : 1]);
  };
}

template <int Pairs, int Comps>
answer by_lane(const quadrature_settings &s, const quadrature_range &r, const integrand *f, int capacity,
               bool &too_large) {
  return run_lane<Pairs, Comps>(s, r, function_of<Comps>(s, f), capacity, too_large);
}

template <int Comps>
answer by_host(const quadrature_settings &s, const quadrature_range &r, const integrand *f) {
  const auto q = std::make_unique<quadrature_integral>();
  q->begin(s, r);
  std::vector<double> x, v;
  while (const int64 n = q->wanted()) {
    if (n > s.maxeval - q->statistics().evaluations && q->can_stop()) {
      q->stop(outcome::evaluations);
      break;
    }
    x.resize(static_cast<std::size_t>(2 * n));
    v.resize(static_cast<std::size_t>(Comps * n));
    q->write(x.data(), n);
    for (int k = 0; k < Comps; ++k)
      for (int64 i = 0; i < n; ++i)
        v[static_cast<std::size_t>(k * n + i)] =
            f[k].at(x[static_cast<std::size_t>(i)], x[static_cast<std::size_t>((s.complement == 0 ? 0 : n) + i)]);
    q->tell(v.data(), n);
  }
  return {{q->value(), q->value() + Comps},
          {q->error(), q->error() + Comps},
          q->end(),
          q->has_value(),
          q->statistics(),
          remark_kind::nothing};
}

void same(const answer &a, const answer &b, int family) {
  if (a.end != b.end || a.has_value != b.has_value || a.of.evaluations != b.of.evaluations ||
      a.of.steps != b.of.steps || a.of.intervals != b.of.intervals ||
      (a.has_value && a.of.exponential != b.of.exponential))
    fail_msg("family %d: end %d %d, evaluations %lld %lld, steps %lld %lld, intervals %lld %lld", family,
             static_cast<int>(a.end), static_cast<int>(b.end), static_cast<long long>(a.of.evaluations),
             static_cast<long long>(b.of.evaluations), static_cast<long long>(a.of.steps),
             static_cast<long long>(b.of.steps), static_cast<long long>(a.of.intervals),
             static_cast<long long>(b.of.intervals));
  for (std::size_t k = 0; a.has_value && k < a.value.size(); ++k)
    if (bits_of(a.value[k]) != bits_of(b.value[k]) || bits_of(a.error[k]) != bits_of(b.error[k]))
      fail_msg("family %d: value %.17g %.17g, error %.17g %.17g", family, a.value[k], b.value[k], a.error[k],
               b.error[k]);
}

struct counts {
  int all = 0, too_large = 0, probed = 0, ends[static_cast<int>(outcome::running) + 1] = {}, exponential = 0;
};

template <int Pairs, int Comps>
void compare(uint64_t seed, int rows, quadrature_rule rule, int complement, int breaks, int64 maxeval, counts &to,
             bool complex_values = false) {
  for (int row = 0; row < rows; ++row) {
    quadrature_settings s;
    s.ndim = 1;
    s.ncomp = Comps;
    s.reltol = row % 3 == 0 ? 1e-4 : 1e-8;
    s.abstol = row % 5 == 0 ? 1e-9 : 0.0;
    s.maxeval = maxeval;
    s.mineval = row % 7 == 0 ? 400 : 0;
    s.pairs = Pairs;
    s.complex_values = complex_values;
    s.rule = rule;
    s.complement = complement;
    s.least_intervals = row % 2 == 0 ? 16 : 1;
    s.seeks_modes = row % 4 != 1;
    integrand f[Comps];
    const int family = row % families;
    for (int k = 0; k < Comps; ++k)
      f[k] = {k % 2 == 0 ? family : (family + 3) % families, 0.2 + 0.8 * splitmix_uniform(&seed),
              0.1 + 0.8 * splitmix_uniform(&seed)};
    quadrature_problem p;
    for (int b = 0; b < breaks; ++b) p.breaks.push_back(-0.3 + 1.7 * splitmix_uniform(&seed));
    if (family == 18 && breaks > 0) p.breaks[0] = beside;
    set_range(p, family, row % 4 == 1);
    const answer host = by_host<Comps>(s, p.range, f);
    bool too_large = false;
    int capacity = std::max(32, 2 * (breaks + 2));
    answer lane = by_lane<Pairs, Comps>(s, p.range, f, capacity, too_large);
    to.too_large += too_large;
    for (; too_large && capacity < 70000; capacity *= 16)
      lane = by_lane<Pairs, Comps>(s, p.range, f, capacity, too_large);
    assert_false(too_large);
    same(host, lane, family);
    ++to.all;
    ++to.ends[static_cast<int>(host.end)];
    to.exponential += host.of.exponential ? 1 : 0;
    to.probed += rule == quadrature_rule::kronrod && host.of.evaluations % (2 * Pairs + 1) != 0;
  }
}

void lanes_are_the_hosts(void **) {
  counts n;
  compare<10, 1>(440101, 320, quadrature_rule::automatic, 0, 0, 20000, n);
  compare<10, 1>(440102, 96, quadrature_rule::automatic, 1, 0, 20000, n);
  compare<10, 1>(440103, 96, quadrature_rule::automatic, 2, 3, 20000, n);
  compare<10, 1>(440104, 96, quadrature_rule::kronrod, 0, 3, 20000, n);
  compare<10, 1>(440105, 96, quadrature_rule::double_exponential, 0, 2, 20000, n);
  compare<7, 1>(440106, 64, quadrature_rule::kronrod, 0, 0, 3000, n);
  compare<30, 1>(440107, 64, quadrature_rule::kronrod, 2, 0, 3000, n);
  compare<10, 3>(440108, 128, quadrature_rule::automatic, 0, 2, 20000, n);
  compare<10, 2>(440109, 96, quadrature_rule::automatic, 2, 0, 500, n);
  compare<10, 2>(440112, 160, quadrature_rule::automatic, 0, 2, 20000, n, true);
  compare<7, 4>(440113, 80, quadrature_rule::kronrod, 0, 0, 20000, n, true);
  compare<10, 1>(440110, 96, quadrature_rule::automatic, 0, 0, 300, n);
  compare<10, 1>(440111, 96, quadrature_rule::double_exponential, 0, 2, 100, n);
  const auto ended = [&](outcome o) { return n.ends[static_cast<int>(o)]; };
  print_message(
      "%d integrals, %d in longer lists, %d by double-exponential rules, at least %d with points next to ends; "
      "converged %d, evaluations %d, roundoff %d, "
      "nonfinite %d, all zero %d, "
      "slow %d, divergent %d\n",
      n.all, n.too_large, n.exponential, n.probed, ended(outcome::converged), ended(outcome::evaluations),
      ended(outcome::roundoff), ended(outcome::nonfinite), ended(outcome::all_zero), ended(outcome::slow),
      ended(outcome::divergent));
  for (const outcome o : {outcome::converged, outcome::evaluations, outcome::roundoff, outcome::nonfinite,
                          outcome::all_zero, outcome::slow, outcome::divergent})
    assert_true(ended(o) > 0);
  assert_true(n.too_large > 20 && n.too_large < n.all / 2);
  assert_true(n.probed > 100);
}

// What changes between an end or a break point and the outermost point of the rule is seen by lanes as it is by the host.
void points_next_to_ends(void **) {
  for (const double c : {1e-5, 3e-4, 0.0011, 1.0 - 3e-4, beside + 3e-4, beside - 3e-4}) {
    const integrand f = {15, c / 3e-4, 0.0};
    const double exact = 0.5 * (c * c + (1.0 - c) * (1.0 - c));
    for (const double reltol : {1e-6, 1e-9}) {
      quadrature_settings s;
      s.ndim = s.ncomp = 1;
      s.reltol = reltol;
      s.maxeval = 100000;
      quadrature_problem p;
      p.breaks.push_back(beside);
      set_range(p, 15);
      bool too_large = false;
      const answer lane = by_lane<10, 1>(s, p.range, &f, 64, too_large);
      assert_false(too_large);
      same(by_host<1>(s, p.range, &f), lane, 15);
      assert_int_equal(static_cast<int>(lane.end), static_cast<int>(outcome::converged));
      assert_true(std::fabs(lane.value[0] - exact) <= reltol * exact);
    }
  }
}

// What the lane does by itself, with what is known: notes become answers.
template <int Pairs, int Comps>
answer by_lane_with(kept_answers &answers, const quadrature_settings &s, const quadrature_range &r, const integrand *f,
                    int64 &calls, int64 &twice) {
  answer lane;
  bool too_large = true;
  for (int capacity = 32; too_large && capacity < 70000; capacity *= 16) {
    std::vector<uint64> notes(3000000);
    int64 used = 0;
    const kept_turns kept = {answers.table(), notes.data(), static_cast<int64>(notes.size()), &used};
    lane = run_lane<Pairs, Comps>(
        s, r,
        [&](const double *x, double *v) {
          ++calls;
          function_of<Comps>(s, f)(x, v);
        },
        capacity, too_large, kept);
    for (int64 at = 0; at < used;
         at += answer_table::head + static_cast<int64>(notes[static_cast<std::size_t>(at + 2)])) {
      const uint64 *const head = &notes[static_cast<std::size_t>(at)];
      const uint64 *const before =
          answers.find({head[0], head[1]}, head[2]);  // the points beside both ends may come up twice
      if (before) assert_memory_equal(before, head + answer_table::head, head[2] * sizeof(uint64));
      twice += before ? static_cast<int64>(head[2]) / Comps : 0;
      std::copy_n(head + answer_table::head, head[2], answers.keep({head[0], head[1]}, head[2]));
    }
  }
  assert_false(too_large);
  return lane;
}

template <int Pairs, int Comps>
void go_on(quadrature_rule rule, int complement, int breaks, uint64_t seed, int &cut) {
  for (int row = 0; row < 2 * families; ++row) {
    quadrature_settings s;
    s.ndim = 1;
    s.ncomp = Comps;
    s.maxeval = 20000;
    s.pairs = Pairs;
    s.rule = rule;
    s.complement = complement;
    s.seeks_modes = true;
    const int family = row % families;
    if (family == 8 || family == 11) continue;  // what is not finite is asked for again
    integrand f[Comps];
    for (int k = 0; k < Comps; ++k)
      f[k] = {k == 0 ? family : (family + 3) % 8, 0.2 + 0.8 * splitmix_uniform(&seed),
              0.1 + 0.8 * splitmix_uniform(&seed)};
    quadrature_problem p;
    for (int b = 0; b < breaks; ++b) p.breaks.push_back(0.1 + 0.8 * splitmix_uniform(&seed));
    set_range(p, family);
    s.reltol = 1e-6;
    kept_answers nothing, answers;
    int64 calls = 0, all_calls = 0, twice = 0, never = 0;
    const answer all = by_lane_with<Pairs, Comps>(nothing, s, p.range, f, all_calls, twice);
    assert_int_equal(all_calls, all.of.evaluations);
    same(by_host<Comps>(s, p.range, f), all, family);
    for (const double share : {0.2, 0.7}) {
      quadrature_settings shorter = s;
      shorter.maxeval = static_cast<int64>(share * static_cast<double>(all.of.evaluations));
      const answer part = by_lane_with<Pairs, Comps>(answers, shorter, p.range, f, calls, never);
      assert_true(calls <= part.of.evaluations && calls >= part.of.evaluations - twice);
      cut += part.end == outcome::evaluations;
    }
    same(all, by_lane_with<Pairs, Comps>(answers, s, p.range, f, calls, never), family);
    assert_true(calls <= all_calls && calls >= all_calls - twice);
    s.reltol = 1e-9;  // what was known, and the rest
    int64 tight_calls = 0;
    kept_answers again;
    const answer tight = by_lane_with<Pairs, Comps>(again, s, p.range, f, tight_calls, never);
    same(tight, by_lane_with<Pairs, Comps>(answers, s, p.range, f, calls, never), family);
    assert_true(calls - all_calls < tight_calls);
  }
}

// Stopped by a limit and gone on with, by a thread that knows what the one before has noted.
void what_is_known_is_not_evaluated_again(void **) {
  int cut = 0;
  go_on<10, 1>(quadrature_rule::automatic, 0, 0, 440120, cut);
  go_on<10, 1>(quadrature_rule::automatic, 2, 2, 440121, cut);
  go_on<10, 1>(quadrature_rule::double_exponential, 0, 1, 440122, cut);
  go_on<7, 1>(quadrature_rule::kronrod, 0, 2, 440123, cut);
  go_on<10, 2>(quadrature_rule::automatic, 0, 1, 440124, cut);
  assert_true(cut > 250);
}

// What finds no room is not noted, and the run is the same.
void notes_without_room(void **) {
  const integrand f = {2, 0.0, 0.377};
  quadrature_settings s;
  s.ndim = s.ncomp = 1;
  s.reltol = 1e-8;
  s.maxeval = 100000;
  quadrature_problem p;
  double lower = 0.0, upper = 1.0;
  p.set_limits(1, &lower, &upper);
  bool too_large = false;
  uint64 notes[60];
  int64 used = 0;
  const kept_turns kept = {{}, notes, 60, &used};
  const answer lane = run_lane<10, 1>(
      s, p.range, [&](const double *x, double *v) { v[0] = f.at(x[0], 0.0); }, 200, too_large, kept);
  same(by_host<1>(s, p.range, &f), lane, 2);
  assert_true(used <= 60 && used >= 48);
}

// Asked to stop by the integrand: what had been told counts, the turn does not.
void they_stop_when_asked(void **) {
  const integrand f = {1, 0.4, 0.0};
  quadrature_settings s;
  s.ndim = s.ncomp = 1;
  s.reltol = 1e-10;
  s.maxeval = 100000;
  quadrature_problem p;
  double lower = 0.0, upper = 1.0;
  p.set_limits(1, &lower, &upper);
  double real[5 * 64], value, error, xv, xe, points[3];
  int ints[3 * 64];
  outcome end;
  exponential_run::piece piece;
  exponential_run::component c;
  exponential_sums level;
  const kronrod_tables<10> tables = {kronrod_of<double, 10>, null_weights_of<double, 10>};
  const int told[] = {0,  21, 21, 63,
                      65, 65, 107};  // halves, then points next to both ends of the upper one, which looks smooth
  for (int most = 0; most < 7; ++most) {
    integral_lane<10, 1> lane;
    lane.begin(s, p.range, {&value, &error, &end, points, {&piece, &c, &level, &xv, &xe}},
               {{real, real + 64, real + 128, real + 192, ints, real + 256}, ints + 64, ints + 128, 64}, {});
    for (int turn = 0; !lane.ended(); ++turn)
      lane.turn(
          tables, [&](const double *x, double *v) { v[0] = f.at(x[0], x[1]); }, [&] { return turn == most; });
    assert_int_equal(static_cast<int>(lane.steps().end()), static_cast<int>(outcome::callback));
    assert_int_equal(lane.steps().has_value(), most > 0);
    assert_int_equal(lane.steps().statistics().evaluations, told[most]);
    if (most > 4) assert_true(std::fabs(value - 2.5) <= error);
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(lanes_are_the_hosts), cmocka_unit_test(points_next_to_ends),
                              cmocka_unit_test(what_is_known_is_not_evaluated_again),
                              cmocka_unit_test(notes_without_room), cmocka_unit_test(they_stop_when_asked)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
