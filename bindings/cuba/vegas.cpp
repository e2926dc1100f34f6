// Vegas and Suave over libtessera: the arguments and codes of Cuba 4.2. Both run our VEGAS with adaptive stratification
// (docs/montecarlo.md); docs/cuba.md has the table of departures.
// SPDX-License-Identifier: BSD-3-Clause
#include "vegas.hpp"

#include <array>
#include <mutex>

#include "hooks.hpp"
#include "sampling.hpp"
#include "verbose.hpp"

namespace cuba {
namespace {

// The grids that calls leave for later ones.
class grid_slots {
 public:
  std::vector<double> get(int number, int ndim) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::vector<double> &grid = slots_[place(number)];
    constexpr std::size_t edges = 129;
    return grid.size() == static_cast<std::size_t>(ndim) * edges ? grid : std::vector<double>();
  }
  void put(int number, const std::vector<double> &grid) {
    const std::lock_guard<std::mutex> lock(mutex_);
    slots_[place(number)] = grid;
  }
  static bool exists(int number) { return number != 0 && number >= -count && number <= count; }

 private:
  static constexpr int count = 10;
  static std::size_t place(int number) { return static_cast<std::size_t>(number < 0 ? -number : number) - 1; }
  std::mutex mutex_;
  std::array<std::vector<double>, count> slots_;
};

grid_slots &slots() {
  static auto &all = *new grid_slots;  // programs may integrate while they end
  return all;
}

template <class Arguments>
void integrate(const Arguments &a, sampling &how) {
  how.batch = std::min(how.batch, most_batch);
  adapter<Arguments> user = {a, core_numbers(dropin::threads())};
  how.mineval = a.mineval;
  how.maxeval = a.maxeval;
  how.seed = a.seed;
  results r(a.ncomp);
  sample(a, how, user, user.form(), r);
  deliver(a, r);
  conclude(a, r);
}

}  // namespace

template <class Count>
void vegas(const vegas_arguments<Count> &a) {
  introduce(a, [&](parameter_lines &lines) {
    lines.add("seed", a.seed);
    lines.add("mineval", a.mineval);
    lines.add("maxeval", a.maxeval);
    lines.add("nstart", a.nstart);
    lines.add("nincrease", a.nincrease);
    lines.add("nbatch", a.nbatch);
    lines.add("gridno", a.gridno);
  });
  if (!begin(a, 1, most_sampled_ndim)) return;
  if (!require_pointers(a) || !require(a, a.nstart > 0, "nstart is not positive") ||
      !require(a, a.nincrease >= 0, "nincrease is negative") || !require(a, a.nbatch > 0, "nbatch is not positive"))
    return;
  call_init();
  serve(a, [&] {
    sampling how;
    how.strictness = strictness_of_one_deviation;
    how.points = a.nstart;
    how.increase = a.nincrease;
    how.batch = a.nbatch;
    const bool kept = grid_slots::exists(a.gridno);
    if (kept && a.gridno > 0) how.grid = slots().get(a.gridno, a.ndim);
    if (kept && a.gridno < 0) slots().put(a.gridno, {});
    how.trained = !how.grid.empty();
    integrate(a, how);
    if (kept && !how.grid.empty()) slots().put(a.gridno, how.grid);
  });
}

template <class Count>
void suave(const suave_arguments<Count> &a) {
  introduce(a, [&](parameter_lines &lines) {
    lines.add("seed", a.seed);
    lines.add("mineval", a.mineval);
    lines.add("maxeval", a.maxeval);
    lines.add("nnew", a.nnew);
    lines.add("nmin", a.nmin);
    lines.add("flatness", a.flatness);
  });
  if (!begin(a, 1, most_sampled_ndim)) return;
  if (!require_pointers(a) || !require(a, a.nregions, "nregions is NULL") ||
      !require(a, a.nnew > 0, "nnew is not positive"))
    return;
  call_init();
  serve(a, [&] {
    sampling how;
    how.strictness = strictness_of_one_deviation;
    how.points = a.nnew;
    integrate(a, how);
  });
}

template void vegas(const vegas_arguments<int> &);
template void vegas(const vegas_arguments<long long> &);
template void suave(const suave_arguments<int> &);
template void suave(const suave_arguments<long long> &);

}  // namespace cuba
