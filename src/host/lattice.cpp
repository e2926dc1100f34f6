// SPDX-License-Identifier: BSD-3-Clause
#include "lattice.hpp"

#include <algorithm>
#include <cmath>

#include "../engine/lattice/lattice_points.hpp"
#include "../engine/lattice/lattice_rule.hpp"

namespace tessera {
namespace {

// Eight chains of additions run side by side; term(i) is what is added up.
template <class Term>
double sum_of_terms(int64 n, const Term &term) {
  double s[8] = {};
  int64 i = 0;
  for (; i + 8 <= n; i += 8)
    for (int c = 0; c < 8; ++c) s[c] += term(i + c);
  for (int c = 0; i < n; ++i, ++c) s[c] += term(i);
  return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}
double sum_of(const double *f, int64 n) {
  return sum_of_terms(n, [f](int64 i) { return f[i]; });
}
double sum_of_weighted(const double *f, const double *weight, int64 n) {
  return sum_of_terms(n, [f, weight](int64 i) { return weighted(f[i], weight[i]); });
}

}  // namespace

// Points of a block.
int64 host_lattice::block_for(const lattice_problem &problem) {
  const int64 most = std::min({problem.batch_points, lattice_item,
                               std::max(least_block, cached_doubles / (problem.coordinates() + problem.ncomp()))});
  int64 block = 1;
  while (2 * block <= most) block *= 2;  // blocks fit into items and resynchronisation
  return block;
}

memory_needs host_lattice::needs(const lattice_problem &problem, int threads) {
  const int64 nc = problem.ncomp();
  return {threads * block_bytes(block_for(problem), problem.coordinates(), nc) + 64 * nc + 64 * problem.ndim(),
          lattice_bytes(problem.settings)};
}

host_lattice::host_lattice(const lattice_problem &problem, thread_pool &pool)
    : block_calls(problem, pool), problem_(problem), work_(index(pool.size())) {
  block_ = block_for(problem);
  for (const unit_axis &a : problem.axes) jacobians_ |= a.kind != axis_finite;
}

outcome host_lattice::run(const lattice_pass &pass, int64 first, int64 &end, compensated_sum *sums) {
  const int64 nc = ncomp_, per_shift = items_per_shift(pass);
  parts_.assign(index((end - first) * nc), {});
  const outcome o = run_items(first, end, [&](int64 item, int thread) {
    point_block &b = work_[index(thread)];
    prepare(b);
    sum_item(pass, item, b, &parts_[index((item - first) * nc)]);
  });
  if (o != outcome::running && !is_ended(o)) return o;
  if (is_ended(o)) end = ended_at();
  for (int64 i = first; i < end; ++i)
    for (int64 k = 0; k < nc; ++k) sums[i / per_shift * nc + k].add(parts_[index((i - first) * nc + k)]);
  return o;
}

void host_lattice::sum_item(const lattice_pass &pass, int64 item, point_block &b, compensated_sum *to) {
  const int64 per_shift = items_per_shift(pass), shift = pass.first_shift + item / per_shift;
  const int64 begin = item % per_shift * lattice_item, end = std::min(pass.count, begin + lattice_item);
  const bool weights = jacobians_ || has_weight(pass.transform);
  for (int64 q = begin; q < end; q += block_) {
    const int64 n = std::min(block_, end - q);
    if (weights) std::fill_n(b.jacobian.begin(), n, 1.0);
    fill_points(pass, problem_.axes.data(), ndim_, problem_.complement, shift, q, n,
                {b.x.data(), block_, b.jacobian.data()});
    if (!call(item, n, b)) return;
    for (int k = 0; k < ncomp_; ++k) {
      if (!goes_on(item, 1, b)) return;  // with many components the sums take longer than the calls
      const double *f = &b.f[index(k * block_)];
      const double sum = weights ? sum_of_weighted(f, b.jacobian.data(), n) : sum_of(f, n);
      if (!std::isfinite(sum)) return report_nonfinite(item, n, b);
      to[k].add(sum);
    }
  }
}

static lattice_result run_lattice(const lattice_problem &problem, thread_pool &pool, run_hooks &hooks, double *value,
                                  double *error) {
  host_lattice executor(problem, pool);
  executor.watch(hooks);
  lattice_settings settings = problem.settings;
  if (problem.memory_is_given)
    settings.memory = share_memory(settings.memory, host_lattice::needs(problem, 1).fixed).grows;
  lattice_rule<host_lattice> driver(executor, settings, problem.vector, problem.trial, problem.volume, hooks);
  lattice_result result;
  result.end = driver.run(value, error, result.has_value);
  result.statistics = driver.statistics();
  result.callback_status = executor.callback_status();
  result.message = executor.message();
  executor.tell_zeroed(result, result.statistics.evaluations);
  result.bytes = host_lattice::needs(problem, pool.size()).fixed + driver.bytes();
  return result;
}

std::unique_ptr<host_method> make_host_lattice() {
  return std::make_unique<host_function<lattice_problem, lattice_result>>(run_lattice, host_lattice::needs);
}

}  // namespace tessera
