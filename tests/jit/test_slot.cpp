// The slot of a thread block that works at one of many integrals: the engine's steps run in it here, on the host, one integral
// after another in memory full of rubbish, and stay within it. No device is needed.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstring>
#include <vector>

#include "checks.hpp"
#include "core/rule_build.hpp"
#include "cuda/cubature/many_batch.hpp"
#include "engine/cubature/bulk.hpp"
#include "host/evaluator.hpp"
#include "host/executor.hpp"

using namespace tessera;
using checks::check;

namespace {

struct peak {
  int ncomp;
  double width;
};

int gauss(int64 n, int ndim, const double *x, int64 ldx, int ncomp, double *f, int64 ldf, void *userdata) {
  const double width = static_cast<const peak *>(userdata)->width;
  for (int64 i = 0; i < n; ++i) {
    double s = 0.0;
    for (int j = 0; j < ndim; ++j) s += std::pow((x[j * ldx + i] - 0.3) / width, 2);
    for (int k = 0; k < ncomp; ++k) f[k * ldf + i] = std::exp(-s) * (1 + k * x[i]);
  }
  return 0;
}

struct no_hooks : run_hooks {
  outcome between_steps(int64, const double *, const double *) override { return outcome::running; }
};

// A slot of `regions`; memory for `most` or fewer, as TESSERA_MAX_MEMORY sets it.
void in_a_slot(int ndim, int ncomp, int64 regions, bool limited, double reltol) {
  const std::string name =
      std::to_string(ndim) + "-D, " + std::to_string(regions) + " regions" + (limited ? ", limited" : "");
  peak p = {ncomp, 1.0};
  cubature_problem problem;
  cubature_settings &s = problem.settings;
  s.ndim = ndim;
  s.ncomp = ncomp;
  s.reltol = reltol;
  s.maxeval = 2000000;
  s.initial_regions = 16;
  s.memory = limited ? regions * 8 * (region_fields(ndim, ncomp) + region_fields(0, ncomp) + 1) : INT64_MAX;
  build_rule(choose_rule(0, ndim), ndim, problem.integration_rule, true);
  s.margin = rule_margin(problem.integration_rule);
  problem.integrand = {gauss, nullptr, &p};
  problem.batch_points = 4096;
  problem.axes.assign(static_cast<std::size_t>(ndim), {axis_finite, 0.0});
  problem.lower.assign(static_cast<std::size_t>(ndim), 0.0);
  problem.grain.assign(static_cast<std::size_t>(ndim), 0.0);
  problem.upper.assign(static_cast<std::size_t>(ndim), 1.0);

  bulk_state state = {};
  state.set = s;
  const auto bytes = static_cast<std::size_t>(place_slot(state, regions, nullptr));
  std::vector<double> memory(3 * bytes / 8);
  auto *base = reinterpret_cast<unsigned char *>(memory.data());
  std::memset(base, 0xa5, 3 * bytes);
  state.split = make_splitting(s.splitting, ndim, s.margin);
  state.points = problem.integration_rule.points;
  state.pause_after = state.pause_exploring_after = state.early_pause_after = state.look_after = INT64_MAX / 2;
  state.pause_regions = state.share_regions = INT64_MAX;
  state.most_in_step = INT64_MAX;
  state.can_grow = !limited;
  place_slot(state, regions, base + bytes);

  thread_pool pool(1);
  host_evaluator evaluator;
  no_hooks nobody_asks;
  evaluator.start(problem, pool, nobody_asks, INT64_MAX);
  int small = 0, large = 0;
  for (const double width : {1.0, 0.5, 0.05, 0.3, 0.03, 2.0}) {
    p.width = width;
    for (int j = 0; j < ndim; ++j) state.lower[j] = state.grain[j] = 0.0, state.upper[j] = 1.0;
    begin_integral(state);
    host_grid grid(pool);
    host_bulk_evaluator eval(evaluator);
    bulk_steps<host_grid, host_bulk_evaluator>(grid, state, eval).run();
    if (state.end == outcome::running) {
      check(!limited && state.wants_room, name + ": only for want of room");
      ++large;
      continue;
    }
    ++small;
    // The same as a run of its own.
    no_hooks hooks;
    host_executor executor(pool, evaluator);
    std::vector<double> value(static_cast<std::size_t>(ncomp)), error(value.size());
    cubature_settings alone = s;
    if (limited) alone.memory = regions * bulk<host_executor>::bytes_of_region(s);
    bulk<host_executor> whole(executor, alone, state.points, hooks);
    check(whole.run(problem.domain(), value.data(), error.data()) == state.end, name + ": the end");
    check(whole.statistics().evaluations == state.evaluations, name + ": the evaluations");
    const double factor = few_regions_factor(s, state.count + state.retired_count);
    for (int k = 0; k < ncomp; ++k) {
      const auto at = static_cast<std::size_t>(k);
      check(state.totals[k].value.value() == value[at], name + ": the value, bit by bit");
      check(factor * error_of(state.totals[k].error) == error[at], name + ": the error, bit by bit");
    }
  }
  check(small > 0, name + ": some are small enough");
  check(limited || large > 0, name + ": some are not");
  bool clean = true;
  for (std::size_t i = 0; i < bytes; ++i) clean = clean && base[i] == 0xa5 && base[2 * bytes + i] == 0xa5;
  check(clean, name + ": nothing is written outside the slot");
}

}  // namespace

int main() {
  in_a_slot(2, 1, 128, false, 1e-12);
  in_a_slot(3, 1, 1024, false, 1e-8);
  in_a_slot(3, 2, 64, false, 1e-6);
  in_a_slot(3, 3, 100, true, 1e-9);
  in_a_slot(5, 1, 256, false, 1e-5);
  return checks::summary();
}
