// SPDX-License-Identifier: BSD-3-Clause
#include "lattice.hpp"

#include <algorithm>
#include <cmath>

#include "../engine/lattice/lattice_points.hpp"
#include "../engine/lattice/lattice_rule.hpp"
#include "../kept_lattice.hpp"

namespace tessera {

template <class Term>
void host_lattice::chained_sum::add(int64 first, int64 n, const Term &term) {
  double s[8];
  std::copy(chain, chain + 8, s);
  int64 i = 0;
  for (; i < n && (first + i) % 8 != 0; ++i) s[(first + i) % 8] += term(i);
  for (; i + 8 <= n; i += 8)
    for (int c = 0; c < 8; ++c) s[c] += term(i + c);
  for (int c = 0; i < n; ++i, ++c) s[c] += term(i);
  std::copy(s, s + 8, chain);
}
bool host_lattice::chained_sum::is_finite() const {
  double check = 0.0;
  for (const double s : chain) check += 0.0 * s;
  return check == 0.0;
}
double host_lattice::chained_sum::value() const {
  const double *s = chain;
  return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

// Items and what fill_points does at a time have whole blocks.
int64 host_lattice::block_for(const lattice_problem &problem) {
  int64 block = 1;
  while (2 * block <= std::min(lattice_item, cached_points(problem))) block *= 2;
  return block;
}

int64 host_lattice::thread_bytes(const lattice_problem &problem, int64 points) {
  return block_bytes(problem, points) + problem.ncomp() * static_cast<int64>(sizeof(chained_sum));
}

memory_needs host_lattice::needs(const lattice_problem &problem, int threads) {
  return {threads * thread_bytes(problem, block_for(problem)) + 64 * problem.ncomp() + 64 * problem.ndim(),
          lattice_bytes(problem.settings)};
}

int64 host_lattice::room_for(const lattice_problem &problem, int threads) {
  return room_for_calls(problem, threads, block_for(problem), needs(problem, 1).fixed, needs(problem, threads).fixed,
                        point_bytes(problem));
}

int64 host_lattice::work_bytes() const {
  int64 bytes = needs(problem_, 0).fixed;
  for (const workspace &w : work_) bytes += thread_bytes(problem_, w.stride);
  return bytes;
}

host_lattice::host_lattice(const lattice_problem &problem, thread_pool &pool)
    : block_calls(problem, pool, room_for(problem, pool.size())),
      problem_(problem),
      block_(block_for(problem)),
      work_(index(pool.size())) {
  for (const unit_axis &a : problem.axes) jacobians_ |= a.kind != axis_finite;
}

// Items of one shift go together, so that calls are full.
void host_lattice::share_out(const lattice_pass &pass, int64 first, int64 end) {
  const int64 per_shift = items_per_shift(pass);
  tasks_.reserve(index(end - first + 1));
  tasks_.assign(1, first);
  const auto points_until = [&](int64 item) { return std::min(pass.count, item * lattice_item); };  // of a shift
  for (int64 i = first; i < end;) {
    const int64 shift = i / per_shift, behind = std::min(end - shift * per_shift, per_shift);
    int64 begin = i - shift * per_shift, at = begin + 1;
    for (; at < behind; ++at)
      if (may_end(points_until(at) - points_until(begin), points_until(behind) - points_until(at))) break;
    i = shift * per_shift + at;
    tasks_.push_back(i);
  }
}

outcome host_lattice::run(const lattice_pass &pass, int64 first, int64 end, compensated_sum *sums, int64 &done) {
  const int64 nc = ncomp_, per_shift = items_per_shift(pass);
  share_out(pass, first, end);
  parts_.assign(index((end - first) * nc), {});
  const outcome o = run_tasks(
      [&](int64 from, int64 to, int thread) {
        sum_items(pass, from, to, work_[index(thread)], &parts_[index((from - first) * nc)]);
      },
      {{parts_.data(), sizeof(compensated_sum), nullptr, nc}});
  done = (o == outcome::running ? end : failed_item()) - first;
  for (int64 i = first; i < first + done; ++i)
    for (int64 k = 0; k < nc; ++k) sums[i / per_shift * nc + k].add(parts_[index((i - first) * nc + k)]);
  return o;
}

void host_lattice::sum_items(const lattice_pass &pass, int64 first, int64 end, workspace &w, compensated_sum *to) {
  const int64 per_shift = items_per_shift(pass), shift = pass.first_shift + first / per_shift;
  const int64 begin = first % per_shift * lattice_item,
              behind = std::min(pass.count, begin + (end - first) * lattice_item);
  const int64 each = points_of_call(behind - begin), most = std::min(points_together(block_, each), behind - begin);
  const bool weights = jacobians_ || has_weight(pass.transform);
  prepare(w, most);
  w.sums.assign(index(ncomp_), {});
  for (int64 q = begin, n; q < behind; q += n) {
    n = std::min(most, behind - q);
    if (f_.batch) n = std::min(n, w.watch.room(true));  // what has been called is in the sums when the time is over
    if (weights) std::fill_n(w.jacobian.begin(), n, 1.0);
    fill_points(pass, problem_.axes.data(), ndim_, problem_.complement, shift, q, n,
                {w.x.data(), w.stride, w.jacobian.data()});
    if (!call(first + (q - begin) / lattice_item, n, each, w)) return;
    if (!add_values(pass, first, begin, q, n, weights, w, to)) return;
  }
}

// Of points q .. q+n-1 of a shift, block by block, to the sums of the items from that of point `begin`, which is `first`. The blocks are
// those of the items, whatever a call has of them. False where a sum is not finite or the time is over, which is reported.
bool host_lattice::add_values(const lattice_pass &pass, int64 first, int64 begin, int64 q, int64 n, bool weights,
                              workspace &w, compensated_sum *to) {
  const int64 item = first + (q - begin) / lattice_item;
  for (int k = 0; k < ncomp_; ++k) {
    if (!goes_on(item, 1, w)) return false;  // with many components the sums take longer than the calls
    const double *f = &w.f[index(k * w.stride)], *weight = w.jacobian.data();
    chained_sum &sum = w.sums[index(k)];
    bool finite = true;
    for (int64 i = 0; i < n && finite;) {
      const int64 within = (q + i) % block_, m = std::min(n - i, block_ - within);
      if (weights)
        sum.add(within, m, [f, weight, i](int64 at) { return weighted(f[i + at], weight[i + at]); });
      else
        sum.add(within, m, [f, i](int64 at) { return f[i + at]; });
      if (within + m == block_ || q + i + m == pass.count) {
        const double all = sum.value();
        finite = std::isfinite(all);
        to[(q + i - begin) / lattice_item * ncomp_ + k].add(all);
        sum = {};
      }
      i += m;
    }
    if (finite && sum.is_finite()) continue;
    report_nonfinite(item, n, w);
    return false;
  }
  return true;
}

static lattice_result run_lattice(const lattice_problem &problem, thread_pool &pool, run_hooks &hooks, double *value,
                                  double *error) {
  host_lattice executor(problem, pool);
  executor.watch(hooks);
  lattice_settings settings = problem.settings;
  if (problem.memory_is_given)
    settings.memory = share_memory(settings.memory, host_lattice::needs(problem, 1).fixed).grows;
  using kept_executor = kept_lattice<host_lattice>;
  kept_executor kept(executor, problem.ndim(), problem.ncomp(), problem.answers);
  lattice_rule<kept_executor> driver(kept, settings, problem.vector, problem.trial, problem.volume, hooks);
  lattice_result result;
  result.end = driver.run(value, error, result.has_value);
  result.statistics = driver.statistics();
  result.callback_status = executor.callback_status();
  result.message = executor.message();
  executor.tell_zeroed(result, result.statistics.evaluations);
  result.bytes = executor.work_bytes() + driver.bytes();
  return result;
}

std::unique_ptr<host_method> make_host_lattice() {
  return std::make_unique<host_function<lattice_problem, lattice_result>>(run_lattice, host_lattice::needs);
}

}  // namespace tessera
