// Applies a rule to regions by calling the user's host function, on one thread or several.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "../problem.hpp"
#include "../core/node.hpp"
#include "../engine/cubature/apply_rule.hpp"
#include "../engine/cubature/break_points.hpp"
#include "../first_failure.hpp"
#include "pool.hpp"
#include "raw_array.hpp"
#include "../shared_items.hpp"
#include "step_watch.hpp"

namespace tessera {

// A thread that applies the rule to a region by itself (engine/cubature/apply_rule.hpp). The values of an axis are added one by one,
// as they come.
struct host_lane {
  static int lane() { return 0; }
  static int lanes() { return 1; }
  static double sum(double v) { return v; }
  static double most(double v) { return v; }
  template <class Value>
  static auto total(int64 from, int64 to, Value value) {  // four chains of additions run side by side
    decltype(value(from)) a = {}, b = {}, c = {}, d = {};
    for (; from + 4 <= to; from += 4) {
      a += value(from);
      b += value(from + 1);
      c += value(from + 2);
      d += value(from + 3);
    }
    for (; from < to; ++from) a += value(from);
    return (a + b) + (c + d);
  }
  template <class Number>
  static Number difference(const axis_values<Number> &near, const axis_values<Number> &far, double ratio) {
    return -ratio * near.plus - ratio * near.minus + far.plus + far.minus;
  }
  template <class Number>
  static void add_residuals(double same, double other, const axis_values<Number> &v, Number &low, Number &high) {
    low = low + same * v.plus + other * v.minus;
    high = high + other * v.plus + same * v.minus;
  }
};

class host_evaluator {
 public:
  // What follows from the problem and the pool; called before each run. Tables and memory of earlier runs are used again where
  // they fit. Problem, pool and hooks must stay where they are until the run has ended. Calls have as many regions as the memory
  // for tables and work allows.
  void start(const cubature_problem &problem, thread_pool &pool, run_hooks &hooks, int64 memory);

  // Bytes that start and evaluate take with calls of one region.
  static int64 least_bytes(const cubature_problem &problem, int threads);

  int64 points() const { return rule_.points; }  // of one region

  // Writes value, raw error and ranked axes of n regions. Returns running, callback, nonfinite, memory, or time and stopped from within. axes[region][ncomp]: also
  // the axis of each component by itself, chosen as in Cuba's Cuhre.
  outcome evaluate(const region_view &regions, const region_list &list, int64 n, unsigned char *axes = nullptr);

  // The same in two calls, between which the caller does something else, without axes. Regions and list stay where they are until
  // end_evaluating(), or abandon(), which leaves out what has not been begun.
  void begin_evaluating(const region_view &regions, const region_list &list, int64 n);
  outcome end_evaluating();
  void abandon();

  // The same with the rule of a level of core/raised_rule.hpp for the regions in ids[n]; see engine/cubature/raise.hpp.
  outcome raise(const region_view &regions, const int64 *ids, int64 n, int level);

  // Lines through regions of ids[n], for a sum of the components with these weights; see engine/cubature/break_points.hpp.
  outcome search(const region_view &regions, const int64 *ids, int64 n, const search_lines &lines,
                 const double *weights, const domain_box &domain, const break_table *known, found_break *found);
  bool keeps_answers() const { return problem_->answers != nullptr; }

  int callback_status() const { return failure_.status(); }
  std::string message() const { return failure_.message(); }
  int64 work_bytes() const;
  int64 zeroed() const { return zeroed_; }  // points at which the integrand was not finite and counted as 0

 private:
  // How the points are shared out among calls.
  struct call_plan {
    int64 chunk, group;  // most points of one region in one call; regions in one call
  };
  // A search for break points calls the points of a line together.
  static int64 work_points(const call_plan &c) { return std::max<int64>(c.group * c.chunk, break_search::samples); }
  static call_plan plan_calls(const cubature_problem &problem, int threads, int64 memory);
  static int64 table_bytes(const cubature_problem &problem);
  static int64 thread_bytes(const cubature_problem &problem, const call_plan &c);
  static bool has_offsets(const cubature_problem &problem);
  static constexpr int64 table_block = 32;  // points that are written at once from a table of all
  static constexpr int most_placed = 8;     // coordinates of a point from that table
  static std::size_t index(int64 i) { return static_cast<std::size_t>(i); }

  // Points first .. first+n-1 of a rule in one region; offset is where they start in the work arrays.
  struct stretch {
    int64 region, first, n, offset;
  };
  // Per thread: points and values of one call, and the sums of one region. Component k of point i is
  // f[k*component_stride + i*point_stride]; a batch has x[ndim][points], single points need a few of x[points][ndim].
  struct workspace {
    raw_array x, f, jacobian;
    std::vector<double> at, opposite, ends, mapped;
    std::vector<double> sums, more, score;  // [ncomp][sum_fields] of a region and of a stretch; [ndim]
    std::vector<null_sums<double>> nulls;   // [ncomp], of a region's components 0 .. packed-1
    int packed = 0;
    std::vector<stretch> stretches;
    int64 component_stride = 1, point_stride = 1;
    int raised_orbit = 0;
    std::vector<region_holes> holes;  // [ncomp] of a region
    step_watch watch;
  };

  found_break search_line(const domain_box &domain, const searched_interval &on, const region_view &regions,
                          int64 region, int m, const double *weights, int64 item, workspace &w);
  bool call_line(const break_search &search, int axis, const double *weights, double *values, int64 item, workspace &w);
  void report_hole(const break_search &search, int axis, int64 item, const workspace &w);
  outcome apply(const region_view &regions, const region_list &list, int64 n, unsigned char *axes);
  outcome apply_raised(const region_view &regions, const int64 *ids, int64 n, int level);
  template <class Id, class Apply>
  outcome ask_for_unknown(const region_view &regions, const Id &id, int64 n, int level, unsigned char *axes,
                          const Apply &apply);

  template <class Id, class Group>
  outcome share_out(const region_view &regions, const Id &id, int64 n, int64 together, unsigned char *axes,
                    const Group &group);
  template <class Group>
  void take_item(const item_range &own, int64 together, int64 item, int thread, const Group &group);
  template <class Id>
  outcome gather(const region_view &regions, const Id &id, const item_range &own, int64 n, unsigned char *axes);
  void evaluate_group(const region_view &regions, const region_list &list, int64 first, int64 n, int64 item,
                      workspace &w);
  void raise_group(const region_view &regions, const int64 *ids, int64 n, int level, int64 item, workspace &w);
  bool call_raised(const region_view &regions, const int64 *ids, int64 count, int64 first, int64 n, int64 item,
                   workspace &w);
  void begin_raised(workspace &w) const;
  void add_raised(int level, int64 first, int64 n, int64 place, workspace &w) const;
  void close_orbit(int level, workspace &w) const;
  void finish_raised(const region_view &regions, int64 region, int level, workspace &w) const;
  void evaluate_cut(const region_view &regions, int64 region, int64 item, workspace &w);
  void make_tables(const rule &r);
  void prepare(workspace &w) const;
  bool call(const region_view &regions, const std::vector<stretch> &all, int64 item, workspace &w);
  bool call_batch(const region_view &regions, const std::vector<stretch> &all, int64 item, workspace &w);
  bool call_points(const region_view &regions, const stretch &s, int64 item, workspace &w);
  template <class Put>
  bool call_given(int64 n, int64 together, const Put &put, int64 item, workspace &w);
  bool clear_values(int64 first, int64 n, int64 item, workspace &w);
  bool succeeded(int status, int64 item, const workspace &w);
  template <class Call>
  struct region_calls;
  void fill_points(const region_view &regions, const stretch &s, int64 ldx, workspace &w) const;
  int sum_pack(const stretch &s, int k, workspace &w, std::vector<double> &to) const;
  void sum_one(const stretch &s, int k, const workspace &w, std::vector<double> &to) const;
  bool sum(const stretch &s, int64 item, workspace &w, std::vector<double> &to);
  bool finish(const region_view &regions, int64 region, workspace &w, const region_holes *holes) const;
  int64 fill_holes(const stretch &s, workspace &w) const;
  unsigned char component_axis(const region_view &regions, int64 region, int k, const workspace &w) const;
  template <class Visit>
  bool each_orbit(const stretch &s, Visit visit) const;
  void report_nonfinite(const region_view &regions, const stretch &s, int64 item, const workspace &w);

  const cubature_problem *problem_ = nullptr;
  rule rule_ = {};
  thread_pool *pool_ = nullptr;
  std::vector<node_word> words_;    // of the sparse points, orbit after orbit
  std::vector<int64> orbit_start_;  // first point of each orbit
  std::vector<double> offsets_;     // [point][ndim] in half-widths, of a small rule that is called point by point
  std::vector<std::vector<unsigned char>> flips_;  // for each bit of a vertex's code: where it changes the sign
  int64 chunk_ = 0;                                // most points of one region in one call
  int64 group_ = 0;                                // regions in one call
  bool batch_ = false;
  bool mapped_ = false;            // some axis is infinite
  unsigned char *axes_ = nullptr;  // of this call of evaluate
  std::vector<workspace> work_;
  shared_items shared_{nullptr};
  std::vector<double> records_;            // of the regions of a call that ranks share
  std::vector<unsigned char> axes_given_;  // the same
  std::vector<int64> unknown_;             // regions of a call whose numbers are not among the kept answers
  first_failure failure_;
  std::atomic<int64> zeroed_{0};
  struct part_begun {
    region_view regions;
    region_list list;
    int64 n;
    item_range own;
    outcome end;         // where it was not shared out
    bool is_shared_out;  // among threads, which may still be at work, and ranks
  };
  part_begun begun_ = {};
};

// group(first, how many, workspace) for regions 0 ... n-1 of a list, so many together. id(i): where region i of it lies. Of the ranks that
// share the run each applies the rule to its part of the list.
template <class Id, class Group>
outcome host_evaluator::share_out(const region_view &regions, const Id &id, int64 n, int64 together,
                                  unsigned char *axes, const Group &group) {
  failure_.clear();
  const item_range own = shared_.begin(0, n);
  pool_->run((own.end - own.first + together - 1) / together,
             [&](int64 item, int thread) { take_item(own, together, item, thread, group); });
  return gather(regions, id, own, n, axes);
}

template <class Group>
void host_evaluator::take_item(const item_range &own, int64 together, int64 item, int thread, const Group &group) {
  const int64 first = own.first + item * together;
  failure_.watch(first, [&] {
    workspace &w = work_[index(thread)];
    prepare(w);
    group(first, std::min(together, own.end - first), w);
  });
}

// What the other ranks have found for their parts.
template <class Id>
outcome host_evaluator::gather(const region_view &regions, const Id &id, const item_range &own, int64 n,
                               unsigned char *axes) {
  if (shared_.parts() == 1) return failure_.what();
  const int nc = regions.ncomp(), fields = regions.fields();
  records_.resize(index(n * fields));
  if (axes) axes_given_.resize(index(n * nc));
  for (int64 i = own.first; i < own.end; ++i) {
    std::copy_n(&regions.field(id(i), 0), fields, &records_[index(i * fields)]);
    if (axes) std::copy_n(axes + id(i) * nc, nc, &axes_given_[index(i * nc)]);
  }
  shared_.exchange(
      failure_, zeroed_,
      {{records_.data(), sizeof(double), nullptr, fields}, {axes_given_.data(), 1, nullptr, axes ? nc : 0}});
  for (int64 i = 0; i < n; ++i) {
    if (i >= own.first && i < own.end) continue;
    std::copy_n(&records_[index(i * fields)], fields, &regions.field(id(i), 0));
    if (axes) std::copy_n(&axes_given_[index(i * nc)], nc, axes + id(i) * nc);
  }
  return failure_.what();
}

// visit(orbit, first point within the orbit, number of points, place in the work arrays) -> go on?
template <class Visit>
bool host_evaluator::each_orbit(const stretch &s, Visit visit) const {
  for (int o = 0; o < rule_.orbits; ++o) {
    const int64 start = orbit_start_[index(o)];
    const int64 from = std::max(start, s.first);
    const int64 to = std::min(start + rule_.orb[o].count, s.first + s.n);
    if (from < to && !visit(o, from - start, to - from, s.offset + from - s.first)) return false;
  }
  return true;
}

// Points that are no rule's: put(i, x), for one after the other, gives the coordinates of point i. A call of a batch integrand takes up to `together` where
// the clock is looked at. Component k of point i goes to f[k*component_stride + i*point_stride]. False when an integrand's status or the clock ends the step.
template <class Put>
bool host_evaluator::call_given(int64 n, int64 together, const Put &put, int64 item, workspace &w) {
  const int nd = rule_.ndim, nc = problem_->settings.ncomp;
  const host_integrand &f = problem_->integrand;
  w.component_stride = batch_ ? n : 1;
  w.point_stride = batch_ ? 1 : nc;
  if (!clear_values(0, n * nc, item, w)) return false;
  double x[max_cubature_ndim];
  for (int64 i = 0; i < n; ++i) {
    double jacobian = 1.0;
    put(i, x);
    for (int j = 0; j < nd; ++j) {
      if (mapped_) x[j] = map_axis(problem_->axes[index(j)], x[j], jacobian);
      if (batch_) w.x[index(j * n + i)] = x[j];
    }
    if (batch_) {
      if (mapped_) w.jacobian[index(i)] = jacobian;
      continue;
    }
    double *const to = &w.f[index(i * nc)];
    int status = f.point(nd, x, nc, to, f.userdata);
    if (status == 0 && w.watch.is_wanted() && !w.watch.goes_on(1)) status = step_watch::ended;
    if (!succeeded(status, item, w)) return false;
    for (int k = 0; mapped_ && k < nc; ++k) to[k] = weighted(to[k], jacobian);
  }
  if (!batch_) return true;
  const int status = w.watch.each_batch(n, w.watch.is_wanted() ? together : n, [&](int64 from, int64 points) {
    return f.batch(points, nd, &w.x[index(from)], n, nc, &w.f[index(from)], n, f.userdata);
  });
  if (!succeeded(status, item, w)) return false;
  for (int k = 0; mapped_ && k < nc; ++k)
    for (int64 i = 0; i < n; ++i) w.f[index(k * n + i)] = weighted(w.f[index(k * n + i)], w.jacobian[index(i)]);
  return true;
}

}  // namespace tessera
