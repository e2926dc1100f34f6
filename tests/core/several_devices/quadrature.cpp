// SPDX-License-Identifier: BSD-3-Clause
#include "kernels.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

#include "cuda/quadrature/quadrature_problem.hpp"
#include "engine/quadrature/null_rules.hpp"

namespace {

using namespace tessera;

constexpr int pairs = 10, own_intervals = 32;

// An integral of a thread, without its lists.
template <int Comps>
struct thread_integral {
  integral_lane<pairs, Comps> lane;
  quadrature_settings settings;
  quadrature_range range;
  int64 row = -1;
  double value[Comps], error[Comps], exponential_value[Comps], exponential_error[Comps];
  outcome ends[Comps];
  std::vector<double> points;
  std::vector<exponential_run::piece> pieces;
  std::vector<exponential_run::component> components;
  exponential_sums level[Comps];
};

template <int Comps>
class kernel {
 public:
  kernel(const quadrature_arguments &a, bool innermost) : a_(a), innermost_(innermost) {}

  // As the kernel has it: turns of one thread.
  void work(thread_integral<Comps> &own, int64 turns, const smooth_run::memory &intervals,
            const kept_estimates::arrays &estimates) {
    static const kronrod_tables<pairs> tables = {kronrod_of<double, pairs>, null_weights_of<double, pairs>};
    for (int64 t = 0; t < turns; ++t) {
      if (own.row < 0 && !begin(own, intervals, estimates)) return;
      if (!own.lane.ended()) {
        double value[Comps * integral_lane<pairs, Comps>::turn_points];
        if (!a_.kept.is_wanted() || !own.lane.recall(a_.kept, value)) {
          own.lane.evaluate(
              tables, [&](const double *x, double *v) { evaluate(own, x[0], v); }, value);
          if (a_.kept.is_wanted()) own.lane.note(a_.kept, value);
        }
        own.lane.end_turn(tables, value, false);
      }
      if (!own.lane.ended()) continue;
      finish(own);
      ++*a_.done;
    }
  }
  void finish(thread_integral<Comps> &own) {
    const auto &steps = own.lane.steps();
    const quadrature_statistics &s = steps.statistics();
    const outcome end = own.lane.too_large() ? outcome::running : steps.end();
    a_.records[own.row] = {s.evaluations,
                           steps.remark().x,
                           static_cast<int>(s.intervals),
                           static_cast<int>(s.steps),
                           0,
                           0,
                           static_cast<short>(end),
                           static_cast<short>(steps.remark().kind),
                           true,
                           steps.has_value(),
                           s.exponential};
    std::copy_n(own.value, Comps, a_.value + own.row * Comps);
    std::copy_n(own.error, Comps, a_.error + own.row * Comps);
    own.row = -1;
  }

 private:
  bool begin(thread_integral<Comps> &own, const smooth_run::memory &intervals,
             const kept_estimates::arrays &estimates) {
    own.row = static_cast<int64>((*a_.next)++);
    if (own.row >= a_.rows) return own.row = -1, false;
    own.settings = *a_.settings;
    if (innermost_) {
      own.settings.reltol = a_.inner[own.row].reltol;
      own.settings.abstol = a_.inner[own.row].abstol;
      own.settings.maxeval = a_.inner[own.row].most;
    }
    const int64 problem = innermost_ ? a_.inner[own.row].problem : own.row;
    const quadrature_limits l = a_.limits[problem * a_.limits_step];
    own.range = {l.lower, l.upper, l.first, l.last, a_.breaks + l.first_break, l.breaks};
    const auto several = static_cast<std::size_t>(l.breaks + 1);
    own.points.resize(several + 2);
    own.pieces.resize(several);
    own.components.resize(several * Comps);
    own.lane.begin(
        own.settings, own.range,
        {own.value,
         own.error,
         own.ends,
         own.points.data(),
         {own.pieces.data(), own.components.data(), own.level, own.exponential_value, own.exponential_error}},
        intervals, estimates);
    return true;
  }
  void evaluate(const thread_integral<Comps> &own, double x, double *v) const {
    const int64 ahead = innermost_ ? ndim() - 1 : 0;
    const innermost_row *const inner = innermost_ ? a_.inner + own.row : nullptr;
    std::vector<double> point(a_.outer + own.row * ahead, a_.outer + (own.row + 1) * ahead);
    point.push_back(inner ? inner->axis.at(x) : x);
    values_at(point.data(), 1, v);
    for (int k = 0; inner && k < Comps; ++k) v[k] *= inner->volume;
  }

  const quadrature_arguments &a_;
  const bool innermost_;
};

template <int Comps>
void run(const quadrature_arguments &a) {
  static std::map<const unsigned char *, std::unique_ptr<thread_integral<Comps>>> in_slots;
  kernel<Comps> threads(a, a.settings->strict);
  if (!a.slots) {
    std::vector<unsigned char> lists(1 << 16);
    slot_places places(lists.data());
    thread_integral<Comps> own;
    threads.work(own, greatest_int64, place_intervals(places, own_intervals), {});
    return;
  }
  const char *const few = std::getenv("FAKE_CUDA_TURNS");
  for (int64 t = 0; t < a.slot_count; ++t) {
    unsigned char *const at = a.slots + t * a.slot.bytes;
    std::unique_ptr<thread_integral<Comps>> &own = in_slots[at];
    if (a.first_launch) own = std::make_unique<thread_integral<Comps>>();
    slot_places places(at);
    const smooth_run::memory intervals = place_intervals(places, a.slot.intervals);
    const kept_estimates::arrays estimates = place_estimates(places, a.slot, Comps);
    if (a.stop == static_cast<int>(outcome::running)) {
      threads.work(*own, few ? std::min<int64>(a.turns, std::atoi(few)) : a.turns, intervals, estimates);
    } else if (own->row >= 0) {
      own->lane.stop(static_cast<outcome>(a.stop));
      threads.finish(*own);
    }
  }
}

}  // namespace

bool run_quadrature(const quadrature_arguments &a, bool &here) {
  here = true;
  for (const void *p :
       {static_cast<const void *>(a.settings), static_cast<const void *>(a.limits),
        static_cast<const void *>(a.records), static_cast<const void *>(a.next), static_cast<const void *>(a.slots),
        static_cast<const void *>(a.kept.noted), static_cast<const void *>(a.kept.known.words)})
    here = here && is_here(p);
  if (!here) return true;
  if (a.settings->pairs != pairs || a.settings->complement != 0 || ncomp() > 2) return false;
  ncomp() == 1 ? run<1>(a) : run<2>(a);
  return true;
}
