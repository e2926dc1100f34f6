// An integral over one variable as a thread of a device has it (engine/quadrature/integral_lane.hpp), run on the host in memory of fixed size.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "engine/quadrature/integral_lane.hpp"
#include "engine/quadrature/null_rules.hpp"

struct lane_answer {
  std::vector<double> value, error;
  tessera::outcome end;
  bool has_value;
  tessera::quadrature_statistics of;
  tessera::remark_kind why;
};

// f(x, v): as the lane calls it. capacity: of the list of intervals. turns: as the kernel has it.
template <int Pairs, int Comps, class Function>
lane_answer run_lane(const tessera::quadrature_settings &s, const tessera::quadrature_range &r, const Function &f,
                     int capacity, bool &too_large, const tessera::kept_turns &turns = {}) {
  using namespace tessera;
  const auto n = static_cast<std::size_t>(capacity), pieces = static_cast<std::size_t>(r.count + 1);
  std::vector<double> real(5 * n), points(pieces + 2), value(Comps), error(Comps), xv(Comps), xe(Comps);
  std::vector<int> ints(3 * n), hash(16 * n);
  std::vector<outcome> ends(Comps);
  std::vector<exponential_run::piece> p(pieces);
  std::vector<exponential_run::component> c(pieces * Comps);
  std::vector<exponential_sums> level(Comps);
  std::vector<interval<double>> kept(4 * n);
  std::vector<interval_estimate<double>> estimates(4 * n * Comps);
  std::size_t slots = 1;
  while (slots < 8 * n) slots *= 2;
  hash.resize(slots);
  const kronrod_tables<Pairs> tables = {kronrod_of<double, Pairs>, null_weights_of<double, Pairs>};
  double *d = real.data();
  int *i = ints.data();
  const auto lane = std::make_unique<integral_lane<Pairs, Comps>>();
  kept_estimates::arrays k;
  if (Comps > 1)
    k = {kept.data(), estimates.data(), hash.data(), static_cast<int>(kept.size()), static_cast<int>(slots)};
  lane->begin(s, r,
              {value.data(),
               error.data(),
               ends.data(),
               points.data(),
               {p.data(), c.data(), level.data(), xv.data(), xe.data()}},
              {{d, d + n, d + 2 * n, d + 3 * n, i, d + 4 * n}, i + n, i + 2 * n, capacity}, k);
  while (!lane->ended()) {
    double values[Comps * integral_lane<Pairs, Comps>::turn_points];
    if (!turns.is_wanted() || !lane->recall(turns, values)) {
      lane->evaluate(tables, f, values);
      if (turns.is_wanted()) lane->note(turns, values);
    }
    lane->end_turn(tables, values, false);
  }
  too_large = lane->too_large();
  const auto &steps = lane->steps();
  return {value, error, steps.end(), steps.has_value(), steps.statistics(), steps.remark().kind};
}
