// Cuhre over libtessera: the arguments, codes and counts of Cuba 4.2 (Hahn, Comput. Phys. Commun. 168 (2005) 78-95).
// docs/cuba.md has the table of departures.
// SPDX-License-Identifier: BSD-3-Clause
#include "cuhre.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "../common/rules.hpp"
#include "chi_square.hpp"
#include "hooks.hpp"
#include "routine.hpp"
#include "state_file.hpp"
#include "verbose.hpp"

namespace cuba {
namespace {

constexpr int most_ndim = 25;

int choose_rule(int key, int ndim) {
  if (key == 7) return TESSERA_RULE_DEGREE7;
  if (key == 9) return TESSERA_RULE_DEGREE9;
  if (key == 11 && ndim == 3) return TESSERA_RULE_DEGREE11;
  return ndim == 2 ? TESSERA_RULE_DEGREE13 : ndim == 3 ? TESSERA_RULE_DEGREE11 : TESSERA_RULE_DEGREE9;
}

// The evaluations of the run that stops dividing as soon as there are `wanted`: points*(2k + 1), but no more than `most`.
int64 reach(int64 wanted, int64 points, int64 most) {
  if (wanted <= points) return points;
  const int64 greatest = (most / points - 1) / 2, divisions = (wanted - points - 1) / (2 * points) + 1;
  return points * (2 * std::min(divisions, std::max<int64>(greatest, 0)) + 1);
}

// What is done between the steps: the iterations' scatter, the state file, messages.
template <class Count>
class observer {
 public:
  observer(const cuhre_arguments<Count> &a, int rule, dropin::lease &solver)
      : a_(a), solver_(solver), verbose_(verbosity(a.flags)), keeper_(a.statefile, begin_state(a, rule)) {}

  // Goes on from the state file, if there is a good one.
  void resume() {
    const bool resumed = keeper_.resume([this] {
      if (!inside_unit_cube(keeper_.s)) return std::string("it has regions outside the unit cube");
      const bool good = tessera_set_regions(solver_.solver(), keeper_.s.count, keeper_.s.records.data(),
                                            keeper_.s.evaluations) == TESSERA_OK;
      return std::string(good ? "" : tessera_last_error(solver_.solver()));
    });
    if (!resumed) return;
    if (verbose_ >= 1) say("Cuhre: resumed from " + keeper_.path());
    resumed_ = keeper_.s.evaluations;
    iterations_ = keeper_.s.count;
  }

  static int step(int64 evaluations, int, const double *value, const double *error, int64, void *userdata) {
    static_cast<observer *>(userdata)->look(evaluations, value, error);
    return 0;
  }

  // The last iteration, and what follows from all of them.
  void finish(int64 evaluations, const double *value, const double *error, int end) {
    add(evaluations, value, error);
    if (verbose_ >= 3) show_regions();
    keeper_.finish(end == met && (a_.flags & keep_state_flag) == 0, [&] { return fill(evaluations); });
  }
  double probability(int k, int64 regions) const {
    if (regions < 2) return no_probability;
    return chi_square_probability(keeper_.s.iterations[static_cast<std::size_t>(k)].chi_square(),
                                  static_cast<double>(regions - 1));
  }

 private:
  void look(int64 evaluations, const double *value, const double *error) {
    add(evaluations, value, error);
    keeper_.save_now_and_then([&] { return fill(evaluations); });
  }

  void add(int64 evaluations, const double *value, const double *error) {
    if (evaluations <= added_ || evaluations <= resumed_) return;  // that iteration is in already
    added_ = evaluations;
    for (int k = 0; k < a_.ncomp; ++k) keeper_.s.iterations[static_cast<std::size_t>(k)].add(value[k], error[k]);
    ++iterations_;
    if (verbose_ >= 1) show(evaluations, value, error);
  }

  void show(int64 evaluations, const double *value, const double *error) const {
    std::vector<double> chi_square;
    for (const scatter &x : keeper_.s.iterations) chi_square.push_back(x.chi_square());
    say_iteration(iterations_, evaluations, a_.ncomp, value, error, chi_square.data(), iterations_ - 1);
  }
  void show_regions() {
    if (!fill(added_).empty()) return;
    const state &s = keeper_.s;
    for (int64 i = 0; i < s.count; ++i) {
      const double *const record = &s.records[static_cast<std::size_t>(i * s.fields)];
      say_region(a_.ndim, record, record + a_.ndim, a_.ncomp, record + 2 * a_.ndim, record + 2 * a_.ndim + a_.ncomp);
    }
  }

  static bool inside_unit_cube(const state &s) {
    for (std::int64_t i = 0; i < s.count; ++i)
      for (int j = 0; j < s.ndim; ++j) {
        const double *centre = &s.records[static_cast<std::size_t>(i * s.fields + j)], half = centre[s.ndim];
        if (!(*centre - half >= -1e-12 && *centre + half <= 1 + 1e-12)) return false;
      }
    return true;
  }

  static state begin_state(const cuhre_arguments<Count> &a, int rule) {
    state s = {"Cuhre"};
    s.ndim = a.ndim;
    s.ncomp = a.ncomp;
    s.rule = rule;
    s.fields = 2 * a.ndim + 3 * a.ncomp + 2;
    s.iterations.assign(static_cast<std::size_t>(a.ncomp), {});
    return s;
  }

  std::string fill(int64 evaluations) {
    state &s = keeper_.s;
    if (tessera_get_regions(solver_.solver(), 0, 0, nullptr, &s.count) != TESSERA_OK)
      return tessera_last_error(solver_.solver());
    s.records.resize(static_cast<std::size_t>(s.count * s.fields));
    tessera_get_regions(solver_.solver(), 0, s.count, s.records.data(), nullptr);
    s.evaluations = evaluations;
    return {};
  }

  const cuhre_arguments<Count> &a_;
  dropin::lease &solver_;
  const int verbose_;
  state_keeper keeper_;
  int64 added_ = 0, resumed_ = 0, iterations_ = 0;
};

template <class Count>
void set_options(dropin::lease &solver, const cuhre_arguments<Count> &a, int rule, int64 points, int threads) {
  solver.set_int(TESSERA_RULE, rule);
  solver.set_int(TESSERA_ESTIMATE, TESSERA_ESTIMATE_CLASSIC);
  solver.set_int(TESSERA_PRIORITY, TESSERA_PRIORITY_WORST_COMPONENT);
  solver.set_int(TESSERA_KEEP_REGIONS, 1);
  solver.set_int(TESSERA_SELECTION, threads > 1 ? TESSERA_SELECT_BULK : TESSERA_SELECT_WORST_FIRST);
  solver.set_int(TESSERA_THREADS, threads);
  solver.set_int(TESSERA_BATCH_POINTS, points_at_once(a));
  solver.set_int(TESSERA_MAXEVAL, reach(a.maxeval, points, std::numeric_limits<Count>::max()));
  solver.set_int(TESSERA_MINEVAL, std::max<int64>(a.mineval, 0));
  solver.set_real(TESSERA_ABSTOL, tolerance(a.epsabs, least_epsabs));
  solver.set_real(TESSERA_RELTOL, tolerance(a.epsrel, 0.0));
  solver.set_real(TESSERA_PROGRESS_SECONDS, 0.0);
}

}  // namespace

template <class Count>
static void integrate(const cuhre_arguments<Count> &a) {
  const int threads = dropin::threads();
  const int rule = choose_rule(a.key, a.ndim);
  const int64 points = dropin::rule_points(rule, a.ndim);
  adapter<cuhre_arguments<Count>> user = {a, core_numbers(threads)};
  results r(a.ncomp);
  // With a state file the regions are wanted, which a device does not give.
  if (!a.has_file()) {
    const dropin::twin_problem problem = {"Cuhre",
                                          reinterpret_cast<dropin::user_function>(a.function),
                                          adapter<cuhre_arguments<Count>>::point,
                                          &user,
                                          a.userdata,
                                          a.ndim,
                                          a.ncomp,
                                          nullptr,
                                          nullptr,
                                          std::max<int64>(a.mineval, 0),
                                          reach(a.maxeval, points, std::numeric_limits<Count>::max()),
                                          points,
                                          tolerance(a.epsabs, least_epsabs),
                                          tolerance(a.epsrel, 0.0)};
    dropin::twin_end there;
    if (dropin::run_twin(problem, r.value.data(), r.error.data(), there)) {
      r.end = {there.status, there.evaluations, dropin::place::device};
      r.callback_status = there.callback_status;
      r.regions = there.regions;
    }
    user.exception.rethrow();
  }
  dropin::lease solver(a.ndim, a.ncomp);
  if (tessera_solver *s = r.end.status < 0 ? solver.solver() : nullptr) {
    set_options(solver, a, rule, points, threads);
    observer<Count> watcher(a, rule, solver);
    watcher.resume();
    tessera_set_progress(s, observer<Count>::step, &watcher);
    r.end = dropin::run(solver, a.routine, user.form(), r.value.data(), r.error.data());
    tessera_set_progress(s, nullptr, nullptr);
    tessera_get_int(s, TESSERA_CALLBACK_STATUS, &r.callback_status);
    tessera_get_int(s, TESSERA_REGIONS, &r.regions);
    if (r.end.status >= 0) {
      watcher.finish(r.end.evaluations, r.value.data(), r.error.data(), r.end.status == TESSERA_OK ? met : not_met);
      for (int k = 0; k < a.ncomp; ++k) r.prob[static_cast<std::size_t>(k)] = watcher.probability(k, r.regions);
    }
  }
  user.exception.rethrow();
  deliver(a, r);
  conclude(a, r);
}

template <class Count>
void cuhre(const cuhre_arguments<Count> &a) {
  introduce(a, [&](parameter_lines &lines) {
    lines.add("mineval", a.mineval);
    lines.add("maxeval", a.maxeval);
    lines.add("key", a.key);
  });
  if (!begin(a, 2, most_ndim)) return;
  if (!require_pointers(a) || !require(a, a.nregions, "nregions is NULL")) return;
  call_init();
  serve(a, [&] { integrate(a); });
}

template void cuhre(const cuhre_arguments<int> &);
template void cuhre(const cuhre_arguments<long long> &);

}  // namespace cuba
