// Integrals over several variables in rounds, as a device has them (engine/iterated/iterated_rounds.hpp), with the integrals over the last axis by the lanes of
// a device's threads, all on the host: the bits, ends and numbers of evaluations of the host's method, in depth. Many side by side are as each alone.
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

#include "engine/iterated/iterated_rounds.hpp"
#include "place.hpp"
#include "quadrature_integral.hpp"
#include "run_lane.hpp"

namespace {

using namespace tessera;
using rounds = iterated_rounds<quadrature_integral>;

constexpr int kinds = 9;

struct integrand {
  int kind;
  double a;
};
int values(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const auto &p = *static_cast<const integrand *>(userdata);
  double s = 0.0, q = 0.0;
  for (int j = 0; j < ndim; ++j) {
    s += x[j];
    q += x[j] * x[j];
  }
  const double last = x[ndim - 1];
  for (int k = 0; k < ncomp; ++k) switch ((p.kind + k) % kinds) {
      case 0:
        f[k] = std::exp(p.a * s);
        break;
      case 1:
        f[k] = std::exp(-p.a * q);
        break;
      case 2:
        f[k] = std::fabs(x[0] - p.a * last);
        break;
      case 3:
        f[k] = 1.0 / std::sqrt(std::fabs(s));
        break;
      case 4:
        f[k] = std::cos(9.0 * p.a * s);
        break;
      case 5:
        f[k] = s < p.a ? 1.0 : 0.0;
        break;
      case 6:
        f[k] = p.kind == 6 && x[0] > 0.7 && last > 0.6 ? NAN : s;
        break;
      case 7:
        f[k] = 1.0 / (1e-3 + (x[0] - p.a) * (x[0] - p.a) + (last - 0.5) * (last - 0.5));
        break;
      default:
        f[k] = 0.0;
        break;
    }
  return 0;
}

struct answer {
  outcome end = outcome::running;
  bool has_value = false;
  int64 evaluations = 0, intervals = 0, steps = 0;
  std::vector<double> value, error;
};

struct no_hooks final : run_hooks {
  bool is_wanted() const override { return false; }
  outcome between_steps(int64, const double *, const double *) override { return outcome::running; }
};

answer by_host(place &host, iterated_problem p, integrand &f) {
  p.integrand.point = values;
  p.integrand.userdata = &f;
  iterated_result r;
  no_hooks hooks;
  device_report report;
  answer a;
  a.value.resize(static_cast<std::size_t>(p.ncomp()));
  a.error.resize(a.value.size());
  host.run(p, {}, hooks, a.value.data(), a.error.data(), r, report);
  a.end = r.end;
  a.has_value = r.has_value;
  a.evaluations = r.statistics.evaluations;
  a.intervals = r.statistics.intervals;
  a.steps = r.statistics.steps;
  return a;
}

// p[number], alike but for the ranges.
template <int Comps>
std::vector<answer> by_rounds(const std::vector<iterated_problem> &p, std::vector<integrand> &f, int64 most,
                              int64 &rows) {
  const int ndim = p[0].ndim();
  rounds all(
      p[0].domain(), static_cast<int64>(p.size()),
      [&](int64 number, std::vector<quadrature_range> &r) { r = p[static_cast<std::size_t>(number)].ranges; }, most);
  std::vector<answer> answers(p.size());
  for (rows = 0;;) {
    const std::vector<rounds::row> &wanted = all.ask();
    if (wanted.empty()) return answers;
    rows = std::max(rows, static_cast<int64>(wanted.size()));
    for (const rounds::row &r : wanted) {
      const auto number = static_cast<std::size_t>(r.of->number);
      const axis_request &asked = all.request(r);
      quadrature_settings s = p[0].domain().settings_of(ndim - 1);
      s.reltol = asked.reltol;
      s.abstol = asked.abstol;
      s.maxeval = asked.most;
      s.least_intervals = asked.least_intervals;
      s.strict = true;
      std::vector<double> x(static_cast<std::size_t>(ndim));
      all.write(r, x.data());
      bool too_large = true;
      lane_answer a;
      for (int capacity = 64; too_large; capacity *= 16)
        a = run_lane<10, Comps>(
            s, p[number].ranges.back(),
            [&](const double *last, double *v) {
              x.back() = *last;
              values(ndim, x.data(), Comps, v, &f[number]);
            },
            capacity, too_large);
      all.tell(r, a.end, a.has_value, a.of.evaluations, a.value.data(), a.error.data());
    }
    all.end_round();
    for (const std::unique_ptr<rounds::tree> &t : all.take_ended()) {
      answer &a = answers[static_cast<std::size_t>(t->number)];
      const quadrature_integral &q = t->first->axis.integral();
      a.value.resize(Comps);
      a.error.resize(Comps);
      if (q.has_value()) t->first->axis.result(a.value.data(), a.error.data());
      const iterated_end told =
          conclude_iterated(p[0].settings, t->end, q.has_value(), t->record, a.value.data(), a.error.data());
      a.end = told.end;
      a.has_value = told.has_value;
      a.evaluations = t->record.evaluations;
      a.intervals = q.statistics().intervals;
      a.steps = q.statistics().steps;
    }
  }
}

// counted: it has not stopped within a step, where the host leaves out what would have come after it there, and rounds what would have come later.
void same(const answer &host, const answer &there, bool counted, const char *name, int row) {
  const bool counts = !counted || there.evaluations == host.evaluations;
  if (host.end != there.end || host.has_value != there.has_value || host.intervals != there.intervals ||
      host.steps != there.steps || !counts)
    fail_msg("%s, %d: end %d %d, evaluations %lld %lld, steps %lld %lld", name, row, static_cast<int>(host.end),
             static_cast<int>(there.end), static_cast<long long>(host.evaluations),
             static_cast<long long>(there.evaluations), static_cast<long long>(host.steps),
             static_cast<long long>(there.steps));
  for (std::size_t k = 0; host.has_value && k < host.value.size(); ++k)
    if (bits_of(host.value[k]) != bits_of(there.value[k]) || bits_of(host.error[k]) != bits_of(there.error[k]))
      fail_msg("%s, %d: value %.17g %.17g, error %.17g %.17g", name, row, host.value[k], there.value[k], host.error[k],
               there.error[k]);
}

struct way {
  const char *name;
  int ndim;
  double reltol, abstol;
  int64 maxeval;
  quadrature_rule rule;
  bool infinite, complex_values;
};

template <int Comps>
int compare(const way &w, int *ends) {
  const std::unique_ptr<place> host = make_host_place();
  std::vector<iterated_problem> p(2 * kinds);
  std::vector<integrand> f;
  int all = 0;
  for (int i = 0; i < 2 * kinds; ++i) {
    iterated_problem &q = p[static_cast<std::size_t>(i)];
    q.settings.ndim = w.ndim;
    q.settings.ncomp = Comps;
    q.settings.reltol = w.reltol;
    q.settings.abstol = w.abstol;
    q.settings.maxeval = w.maxeval;
    q.settings.complex_values = w.complex_values;
    q.rules.resize(static_cast<std::size_t>(w.ndim));
    q.rules.back().rule = w.rule;
    double lower[4], upper[4];
    for (int j = 0; j < w.ndim; ++j) {
      lower[j] = -0.1 * (i % 3) * j;
      upper[j] = w.infinite && j + 1 == w.ndim ? HUGE_VAL : 1.0;
    }
    q.set_limits(w.ndim, lower, upper);
    f.push_back({i % kinds, 0.3 + 0.03 * i});
  }
  std::vector<answer> hosts;
  for (std::size_t i = 0; i < p.size(); ++i) hosts.push_back(by_host(*host, p[i], f[i]));
  int64 rows = 0, alone_rows = 0;
  // All at once, with room for few at a time, and one after the other.
  const std::vector<answer> at_once = by_rounds<Comps>(p, f, 4096, rows),
                            narrow = by_rounds<Comps>(p, f, 3, alone_rows);
  assert_true(rows >= 2 * kinds * 21);
  assert_true(alone_rows < rows);
  for (std::size_t i = 0; i < p.size(); ++i, ++all) {
    const outcome end = hosts[i].end;
    const bool counted = !is_hard(end) && end != outcome::evaluations;
    same(hosts[i], at_once[i], counted, w.name, static_cast<int>(i));
    same(hosts[i], narrow[i], counted, w.name, static_cast<int>(i));
    assert_true(at_once[i].evaluations <= w.maxeval && narrow[i].evaluations <= w.maxeval);
    ++ends[static_cast<int>(end)];
  }
  return all;
}

void rounds_are_the_hosts(void **) {
  int ends[static_cast<int>(outcome::running) + 1] = {}, all = 0;
#ifdef __SANITIZE_ADDRESS__  // some ten times as slow
  constexpr double loose = 100.0;
  constexpr int64 most = 100000;
#else
  constexpr double loose = 1.0;
  constexpr int64 most = 400000;
#endif
  constexpr auto automatic = quadrature_rule::automatic, exponential = quadrature_rule::double_exponential;
  all += compare<1>({"2-D", 2, loose * 1e-6, 0.0, most, automatic, false, false}, ends);
  all += compare<1>({"2-D, absolute", 2, 1e-9, loose * 1e-5, most, automatic, false, false}, ends);
  all += compare<1>({"2-D, double-exponential", 2, loose * 1e-6, 0.0, most, exponential, false, false}, ends);
  all += compare<1>({"2-D, to infinity", 2, loose * 1e-5, 0.0, 100000, automatic, true, false}, ends);
  all += compare<1>({"2-D, few evaluations", 2, 1e-8, 0.0, 5000, automatic, false, false}, ends);
  all += compare<1>({"2-D, too few", 2, 1e-8, 0.0, 400, automatic, false, false}, ends);
  all += compare<2>({"2-D, two components", 2, loose * 1e-5, 0.0, most / 2, automatic, false, false}, ends);
  all += compare<2>({"2-D, complex", 2, loose * 1e-5, 0.0, most / 2, automatic, false, true}, ends);
  all += compare<1>({"3-D", 3, std::sqrt(loose) * 1e-2, std::sqrt(loose) * 1e-3, 100000000, automatic, false, false},
                    ends);
  print_message("%d integrals: converged %d, evaluations %d, nonfinite %d, all zero %d\n", all,
                ends[static_cast<int>(outcome::converged)], ends[static_cast<int>(outcome::evaluations)],
                ends[static_cast<int>(outcome::nonfinite)], ends[static_cast<int>(outcome::all_zero)]);
  for (const outcome o : {outcome::converged, outcome::evaluations, outcome::nonfinite, outcome::all_zero})
    assert_true(ends[static_cast<int>(o)] > 0);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(rounds_are_the_hosts)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
