// SPDX-License-Identifier: BSD-3-Clause
#include "evaluator.hpp"

#include <algorithm>
#include <exception>

#include "../core/node_table.hpp"
#include "../engine/cubature/split.hpp"
#include "component_pack.hpp"
#include "holes.hpp"

namespace tessera {
namespace {

constexpr int64 least_chunk = 4096;          // points below which a rule is not cut
constexpr int summed_together = 64;          // components between two looks at the clock
constexpr int64 cleared_together = 1 << 17;  // values, the same

}  // namespace

bool host_evaluator::has_offsets(const cubature_problem &problem) {
  return !problem.integrand.batch && problem.integration_rule.ndim <= most_placed;
}

// As make_tables and start allocate them.
int64 host_evaluator::table_bytes(const cubature_problem &problem) {
  const rule &r = problem.integration_rule;
  const int64 flips = 32 * int64{r.vertex_bits} * (1 + r.ndim);
  const int64 raised = problem.raised ? problem.raised->bytes() : 0;
  return raised + 4 * sparse_points(r) + 8 * int64{r.orbits} + flips +
         (has_offsets(problem) ? 8 * r.points * r.ndim : 0);
}

// As prepare allocates it.
int64 host_evaluator::thread_bytes(const cubature_problem &problem, const call_plan &c) {
  const rule &r = problem.integration_rule;
  const int64 nd = r.ndim, nc = problem.settings.ncomp, points = work_points(c);
  const int64 x = problem.integrand.batch ? points * (nd + 1) : (has_offsets(problem) ? table_block * nd : 0);
  return static_cast<int64>(sizeof(workspace)) + static_cast<int64>(sizeof(stretch)) * 2 * c.group +
         8 * (x + points * nc + 8 * nd + 2 * nc * sum_fields(r) + 2 * nc) +
         nc * static_cast<int64>(sizeof(null_sums<double>));
}

host_evaluator::call_plan host_evaluator::plan_calls(const cubature_problem &problem, int threads, int64 memory) {
  const rule &r = problem.integration_rule;
  // Equal shares of a rule that is too large for one call.
  const int64 chunk = (r.points - 1) / ((r.points - 1) / std::max(problem.batch_points, least_chunk) + 1) + 1;
  if (!problem.integrand.batch) return {chunk, 1};
  const int64 one = thread_bytes(problem, {chunk, 1}), more = thread_bytes(problem, {chunk, 2}) - one;
  const int64 room = (memory - table_bytes(problem)) / threads - one;
  return {chunk, std::max<int64>(1, std::min(problem.batch_points / r.points, 1 + room / more))};
}

int64 host_evaluator::least_bytes(const cubature_problem &problem, int threads) {
  return table_bytes(problem) + threads * thread_bytes(problem, plan_calls(problem, threads, 0));
}

void host_evaluator::start(const cubature_problem &problem, thread_pool &pool, run_hooks &hooks, int64 memory) {
  const rule &r = problem.integration_rule;
  const bool batch = problem.integrand.batch != nullptr, mapped = any_mapped(problem.axes);
  const bool same_rule =
      r.family == rule_.family && r.ndim == rule_.ndim && r.points == rule_.points && r.raises == rule_.raises;
  const auto [chunk, group] = plan_calls(problem, pool.size(), memory);
  if (!same_rule || batch != batch_ || mapped != mapped_ || chunk != chunk_ || group != group_ ||
      static_cast<int>(work_.size()) != pool.size()) {
    work_.clear();
    work_.resize(index(pool.size()));
  }
  for (workspace &w : work_) w.watch.start(hooks, problem.integrand);
  problem_ = &problem;
  pool_ = &pool;
  batch_ = batch;
  mapped_ = mapped;
  chunk_ = chunk;
  group_ = group;
  failure_.clear();
  zeroed_ = 0;
  shared_ = shared_items(problem.shared);
  if (!same_rule) make_tables(r);
  if (has_offsets(problem) && offsets_.empty()) {
    std::vector<double> all;
    all.reserve(index(r.points * r.ndim));
    for (int o = 0; o < r.orbits; ++o)
      for (int64 p = 0; p < r.orb[o].count; ++p)
        for (int j = 0; j < r.ndim; ++j)
          all.push_back(point_offset(r, o, words_.data() + orbit_start_[index(o)], p, j));
    offsets_ = std::move(all);
  }
}

void host_evaluator::make_tables(const rule &r) {
  offsets_.clear();
  rule_ = rule{};  // until the tables are there
  words_ = make_node_table(r);
  orbit_start_.clear();
  int64 next = 0;
  for (int o = 0; o < r.orbits; ++o) {
    orbit_start_.push_back(next);
    next += r.orb[o].count;
  }
  flips_.assign(index(r.vertex_bits), {});
  for (int b = 0; b < r.vertex_bits; ++b)
    for (int j = 0; j < r.ndim; ++j)
      if (((r.vertex_mask[j] >> b) & 1u) != 0u) flips_[index(b)].push_back(static_cast<unsigned char>(j));
  rule_ = r;
}

int64 host_evaluator::work_bytes() const {
  return table_bytes(*problem_) + static_cast<int64>(work_.size()) * thread_bytes(*problem_, {chunk_, group_});
}

outcome host_evaluator::apply(const region_view &regions, const region_list &list, int64 n, unsigned char *axes) {
  axes_ = axes;
  return share_out(
      regions, [&list](int64 i) { return list[i]; }, n, group_, axes,
      [&](int64 first, int64 many, workspace &w) { evaluate_group(regions, list, first, many, first, w); });
}

void host_evaluator::begin_evaluating(const region_view &regions, const region_list &list, int64 n) {
  begun_ = {regions, list, n, {}, outcome::running, !problem_->answers};
  if (!begun_.is_shared_out) {
    begun_.end = evaluate(regions, list, n);
    return;
  }
  failure_.clear();
  axes_ = nullptr;
  begun_.own = shared_.begin(0, n);
  const int64 items = begun_.own.end - begun_.own.first, threads = pool_->size();
  const int64 together =
      std::max<int64>(1, std::min(group_, (items + threads - 1) / threads));  // a call for each thread
  pool_->start((items + together - 1) / together, [this, together](int64 item, int thread) {
    take_item(begun_.own, together, item, thread, [this](int64 first, int64 many, workspace &w) {
      evaluate_group(begun_.regions, begun_.list, first, many, first, w);
    });
  });
}

outcome host_evaluator::end_evaluating() {
  if (!begun_.is_shared_out) return begun_.end;
  begun_.is_shared_out = false;
  pool_->finish();
  return gather(
      begun_.regions, [this](int64 i) { return begun_.list[i]; }, begun_.own, begun_.n, nullptr);
}

void host_evaluator::abandon() {
  if (begun_.is_shared_out) pool_->abandon();
  begun_.is_shared_out = false;
}

void host_evaluator::prepare(workspace &w) const {
  if (!w.f.empty()) return;
  const std::size_t nd = index(rule_.ndim), nc = index(problem_->settings.ncomp);
  const std::size_t points = index(work_points({chunk_, group_}));
  w.at.resize(nd);
  w.opposite.resize(nd);
  w.ends.resize(4 * nd);
  if (!offsets_.empty()) w.x.resize(index(table_block) * nd);
  w.mapped.resize(nd);
  w.score.resize(nd);
  w.sums.resize(nc * index(sum_fields(rule_)));
  w.more.resize(w.sums.size());
  w.nulls.resize(nc);
  if (problem_->integrand.batch) {
    w.x.resize(points * nd);
    if (mapped_) w.jacobian.resize(points);
  }
  w.f.resize(points * nc);
}

void host_evaluator::evaluate_group(const region_view &regions, const region_list &list, int64 first, int64 n,
                                    int64 item, workspace &w) {
  if (chunk_ < rule_.points) {
    for (int64 i = 0; i < n; ++i) evaluate_cut(regions, list[first + i], item, w);
    return;
  }
  std::vector<stretch> &all = w.stretches;
  all.clear();
  for (int64 i = 0; i < n; ++i) all.push_back({list[first + i], 0, rule_.points, i * rule_.points});
  if (!call(regions, all, item, w)) return;
  for (const stretch &s : all) {
    if (!sum(s, item, w, w.sums)) return;
    if (finish(regions, s.region, w, nullptr)) continue;
    bool mended = problem_->zero_nonfinite;
    if (mended) {
      w.holes.assign(index(problem_->settings.ncomp), {});
      zeroed_ += fill_holes(s, w);
      if (!sum(s, item, w, w.sums)) return;
      mended = finish(regions, s.region, w, w.holes.data());
    }
    if (!mended) report_nonfinite(regions, s, item, w);
  }
}

// A rule too large for one call is cut into stretches of chunk_ points.
void host_evaluator::evaluate_cut(const region_view &regions, int64 region, int64 item, workspace &w) {
  const std::size_t fields = index(sum_fields(rule_));
  std::fill(w.sums.begin(), w.sums.end(), 0.0);
  const bool zero = problem_->zero_nonfinite;
  w.holes.assign(index(problem_->settings.ncomp), {});
  for (int64 p = 0; p < rule_.points; p += chunk_) {
    w.stretches.assign(1, {region, p, std::min(chunk_, rule_.points - p), 0});
    if (!call(regions, w.stretches, item, w)) return;
    if (zero) zeroed_ += fill_holes(w.stretches[0], w);
    if (!sum(w.stretches[0], item, w, w.more)) return;
    bool finite = true;
    for (std::size_t t = 0; t < w.sums.size(); ++t) {
      w.sums[t] += w.more[t];
      finite = finite && (t % fields >= index(rule_.orbits) || std::isfinite(w.sums[t]));
    }
    if (!finite) return report_nonfinite(regions, w.stretches[0], item, w);
  }
  if (!finish(regions, region, w, zero ? w.holes.data() : nullptr))
    failure_.report(item, outcome::nonfinite, 0, "the sum over a region overflows");
}

bool host_evaluator::call(const region_view &regions, const std::vector<stretch> &all, int64 item, workspace &w) {
  return problem_->integrand.batch ? call_batch(regions, all, item, w) : call_points(regions, all[0], item, w);
}

bool host_evaluator::call_batch(const region_view &regions, const std::vector<stretch> &all, int64 item, workspace &w) {
  const int nd = rule_.ndim, nc = problem_->settings.ncomp;
  const int64 n = all.back().offset + all.back().n;
  for (const stretch &s : all) fill_points(regions, s, n, w);
  if (mapped_) {
    std::fill(w.jacobian.begin(), w.jacobian.begin() + n, 1.0);
    for (int j = 0; j < nd; ++j)
      for (int64 i = 0; i < n; ++i) {
        double &x = w.x[index(j * n + i)];
        x = map_axis(problem_->axes[index(j)], x, w.jacobian[index(i)]);
      }
  }
  if (!clear_values(0, n * nc, item, w)) return false;
  const host_integrand &f = problem_->integrand;
  const int64 most = w.watch.is_wanted() ? problem_->batch_points : n;
  const int status = w.watch.each_batch(n, most, [&](int64 first, int64 points) {
    return f.batch(points, nd, &w.x[index(first)], n, nc, &w.f[index(first)], n, f.userdata);
  });
  if (!succeeded(status, item, w)) return false;
  w.component_stride = n;
  w.point_stride = 1;
  if (mapped_)
    for (int k = 0; k < nc; ++k)
      for (int64 i = 0; i < n; ++i) w.f[index(k * n + i)] = weighted(w.f[index(k * n + i)], w.jacobian[index(i)]);
  return true;
}

// What the integrand does not write must not pass for a value. False when the time is over: new memory is slow.
bool host_evaluator::clear_values(int64 first, int64 n, int64 item, workspace &w) {
  for (const int64 end = first + n; first < end; first += cleared_together) {
    std::fill_n(&w.f[index(first)], std::min(cleared_together, end - first), nan_value());
    if (end - first > cleared_together && !w.watch.goes_on(cleared_together))
      return succeeded(step_watch::ended, item, w);
  }
  return true;
}

// Reports a status of the calls that is not 0.
bool host_evaluator::succeeded(int status, int64 item, const workspace &w) {
  if (w.watch.end() != outcome::running)
    failure_.report(item, w.watch.end(), 0, {});
  else if (status != 0)
    failure_.report(item, outcome::callback, status, "the integrand returned " + std::to_string(status));
  return status == 0;
}

// Coordinate j of the stretch's points goes to x[j*ldx + offset ...].
void host_evaluator::fill_points(const region_view &regions, const stretch &s, int64 ldx, workspace &w) const {
  const int nd = rule_.ndim;
  for (int j = 0; j < nd; ++j) std::fill_n(&w.x[index(j * ldx + s.offset)], s.n, regions.centre(s.region, j));
  each_orbit(s, [&](int o, int64 first, int64 n, int64 place) {
    const orbit &orb = rule_.orb[o];
    double *x = w.x.data() + place;
    if (orb.kind == orbit_vertex) {
      for (int j = 0; j < nd; ++j) {
        const double c = regions.centre(s.region, j), h = orb.a * regions.half(s.region, j);
        for (int64 i = 0; i < n; ++i) x[j * ldx + i] = vertex_minus(rule_, vertex_code(first + i), j) ? c - h : c + h;
      }
      return true;
    }
    if (orb.kind == orbit_probe) {
      for (int j = 0; j < nd; ++j)
        for (int64 i = 0; i < n; ++i)
          x[j * ldx + i] = regions.centre(s.region, j) + probe_offset(first + i, j) * regions.half(s.region, j);
      return true;
    }
    const node_word *words = &words_[index(orbit_start_[index(o)] + first)];
    for (int64 i = 0; i < n; ++i)
      for (int q = 0; q < node_moved(words[i]); ++q) {
        const int j = node_coordinate(words[i], q);
        x[j * ldx + i] += node_offset(words[i], q, orb) * regions.half(s.region, j);
      }
    return true;
  });
}

// A pack of components from k on, if there is one: the integrand has written the values of a point side by side. Returns how many.
int host_evaluator::sum_pack(const stretch &s, int k, workspace &w, std::vector<double> &to) const {
#if defined(__GNUC__)
  constexpr int n = component_pack::size;
  if (w.component_stride != 1 || k + n > problem_->settings.ncomp) return 0;
  component_pack sums[max_orbits + 3 * max_cubature_ndim];
  const double *const f = w.f.data() + k + (s.offset - s.first) * w.point_stride;
  sum_points(
      host_lane{}, rule_, s.first, s.first + s.n,
      [f, step = w.point_stride](int64 p) { return component_pack::from(f + p * step); }, sums);
  const int fields = sum_fields(rule_);
  for (int i = 0; i < n; ++i)
    for (int o = 0; o < fields; ++o) to[index((k + i) * fields + o)] = sums[o][i];
  if (s.n < rule_.points) return n;
  const null_sums<component_pack> four = combine_nulls(rule_, sums);
  for (int i = 0; i < n; ++i) w.nulls[index(k + i)] = {four.mean[i], {four.e[0][i], four.e[1][i], four.e[2][i]}};
  w.packed = k + n;
  return n;
#else
  return 0;
#endif
}

void host_evaluator::sum_one(const stretch &s, int k, const workspace &w, std::vector<double> &to) const {
  const int64 end = s.first + s.n, step = w.point_stride;
  const double *const f =
      w.f.data() + k * w.component_stride + (s.offset - s.first) * step;  // of the rule's first point
  double *const sums = &to[index(k * sum_fields(rule_))];
  if (step == 1)
    sum_points(
        host_lane{}, rule_, s.first, end, [f](int64 p) { return f[p]; }, sums);
  else
    sum_points(
        host_lane{}, rule_, s.first, end, [f, step](int64 p) { return f[p * step]; }, sums);
}

// False when the time is over: with many components the sums take longer than the calls.
bool host_evaluator::sum(const stretch &s, int64 item, workspace &w, std::vector<double> &to) {
  w.packed = 0;
  for (int k = 0, n; k < problem_->settings.ncomp; k += n) {
    n = sum_pack(s, k, w, to);
    if (n == 0) {
      sum_one(s, k, w, to);
      n = 1;
    }
    if ((k + n) / summed_together > k / summed_together && !w.watch.goes_on(1))
      return succeeded(step_watch::ended, item, w);
  }
  return true;
}

// False when a sum is not finite.
bool host_evaluator::finish(const region_view &regions, int64 region, workspace &w, const region_holes *holes) const {
  if (!finish_region(host_lane{}, rule_, problem_->settings.estimate, regions, region, w.sums.data(), w.score.data(),
                     holes, kept_nulls{w.nulls.data(), w.packed}))
    return false;
  for (int k = 0; axes_ && k < problem_->settings.ncomp; ++k)
    axes_[region * problem_->settings.ncomp + k] = component_axis(regions, region, k, w);
  return true;
}

// To w.holes too.
int64 host_evaluator::fill_holes(const stretch &s, workspace &w) const {
  return tessera::fill_holes(&w.f[index(s.offset * w.point_stride)], s.n, problem_->settings.ncomp, w.component_stride,
                             w.point_stride, w.holes.data());
}

// The axis with the largest fourth difference of component k, however small; the widest if all are 0.
unsigned char host_evaluator::component_axis(const region_view &regions, int64 region, int k,
                                             const workspace &w) const {
  int best = widest_axis(regions, region);
  const double *const sums = &w.sums[index(k * sum_fields(rule_))], *const differences = sums + rule_.orbits;
  double largest = 0.0;
  for (int j = 0; j < rule_.ndim; ++j) {
    const double d = std::fabs(differences[j] - 2.0 * (1.0 - rule_.difference_ratio) * sums[0]);
    if (d > largest) {
      largest = d;
      best = j;
    }
  }
  return static_cast<unsigned char>(best);
}

void host_evaluator::report_nonfinite(const region_view &regions, const stretch &s, int64 item, const workspace &w) {
  std::string message = problem_->zero_nonfinite ? "the integrand is not finite at any point of a region"
                                                 : "the sum over a region overflows";
  const int nc = problem_->settings.ncomp;
  each_orbit(s, [&](int o, int64 first, int64 n, int64 place) {
    for (int64 i = 0; i < n; ++i)
      for (int k = 0; k < nc; ++k) {
        const double f = w.f[index(k * w.component_stride + (place + i) * w.point_stride)];
        if (std::isfinite(f)) continue;
        double x[max_cubature_ndim], jacobian = 1.0;
        for (int j = 0; j < rule_.ndim; ++j) {
          const double offset = point_offset(rule_, o, &words_[0] + orbit_start_[index(o)], first + i, j);
          const double t = regions.centre(s.region, j) + offset * regions.half(s.region, j);
          x[j] = map_axis(problem_->axes[index(j)], t, jacobian);
        }
        show_in_domain(problem_->shape, problem_->integrand.params, x);
        message = nonfinite_message(k, f, x, rule_.ndim);
        return false;
      }
    return true;
  });
  failure_.report(item, outcome::nonfinite, 0, message);
}

}  // namespace tessera
