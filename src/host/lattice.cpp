// SPDX-License-Identifier: BSD-3-Clause
#include "lattice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <new>

#include "../engine/lattice/lattice_points.hpp"
#include "../engine/lattice/lattice_rule.hpp"

namespace tessera {
namespace {

constexpr int64 cached_doubles = 32768;  // of the coordinates of one call
constexpr int64 least_block = 64;

std::size_t index(int64 i) { return static_cast<std::size_t>(i); }

// Eight chains of additions run side by side.
double sum_of(const double *f, int64 n) {
  double s[8] = {};
  int64 i = 0;
  for (; i + 8 <= n; i += 8)
    for (int c = 0; c < 8; ++c) s[c] += f[i + c];
  for (int c = 0; i < n; ++i, ++c) s[c] += f[i];
  return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

double sum_of_weighted(const double *f, const double *weight, int64 n) {
  double s[8] = {};
  int64 i = 0;
  for (; i + 8 <= n; i += 8)
    for (int c = 0; c < 8; ++c) s[c] += weighted(f[i + c], weight[i + c]);
  for (int c = 0; i < n; ++i, ++c) s[c] += weighted(f[i], weight[i]);
  return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

}  // namespace

host_lattice::host_lattice(const lattice_problem &problem, thread_pool &pool)
    : problem_(problem),
      pool_(pool),
      coordinates_(problem.coordinates()),
      work_(index(pool.size())) {
  const int64 doubles = coordinates_ + problem.settings.ncomp;
  block_ = std::min({problem.batch_points, lattice_item, std::max(least_block, cached_doubles / doubles)});
  for (int64 power = 1; power <= lattice_item; power *= 2)  // blocks fit into items and resynchronisation
    if (2 * power > block_) {
      block_ = power;
      break;
    }
  for (const unit_axis &a : problem.axes) jacobians_ |= a.kind != axis_finite;
}

int64 host_lattice::work_bytes() const {
  std::size_t n = 2 * parts_.capacity();
  for (const workspace &w : work_) n += w.x.capacity() + w.f.capacity() + w.jacobian.capacity();
  return static_cast<int64>(8 * n);
}

outcome host_lattice::run(const lattice_pass &pass, int64 first, int64 end, compensated_sum *sums) {
  failure_ = {};
  first_failed_.store(-1, std::memory_order_relaxed);
  const int64 nc = problem_.settings.ncomp, per_shift = items_per_shift(pass);
  parts_.assign(index((end - first) * nc), {});
  pool_.run(end - first, [&](int64 i, int thread) {
    const int64 failed = first_failed_.load(std::memory_order_relaxed);
    if (failed >= 0 && failed <= first + i) return;
    try {
      workspace &w = work_[index(thread)];
      prepare(w);
      sum_item(pass, first + i, w, &parts_[index(i * nc)]);
    } catch (const std::bad_alloc &) {
      report(first + i, outcome::memory, 0, "no memory for the points of one call");
    } catch (const std::exception &e) {
      report(first + i, outcome::callback, 0, std::string("the integrand threw an exception: ") + e.what());
    } catch (...) {
      report(first + i, outcome::callback, 0, "the integrand threw an exception");
    }
  });
  if (failure_.what != outcome::running) return failure_.what;
  for (int64 i = first; i < end; ++i)
    for (int64 k = 0; k < nc; ++k) sums[i / per_shift * nc + k].add(parts_[index((i - first) * nc + k)]);
  return outcome::running;
}

void host_lattice::prepare(workspace &w) const {
  if (!w.x.empty()) return;
  w.jacobian.resize(index(block_));
  w.f.resize(index(block_ * problem_.settings.ncomp));
  w.point.resize(index(coordinates_));
  w.x.resize(index(block_ * coordinates_));
}

void host_lattice::sum_item(const lattice_pass &pass, int64 item, workspace &w, compensated_sum *to) {
  const int64 per_shift = items_per_shift(pass), shift = pass.first_shift + item / per_shift;
  const int64 begin = item % per_shift * lattice_item, end = std::min(pass.count, begin + lattice_item);
  const bool weights = jacobians_ || has_weight(pass.transform);
  for (int64 q = begin; q < end; q += block_) {
    const int64 n = std::min(block_, end - q);
    if (weights) std::fill_n(w.jacobian.begin(), n, 1.0);
    fill_points(pass, problem_.axes.data(), problem_.settings.ndim, problem_.complement, shift, q, n,
                {w.x.data(), block_, w.jacobian.data()});
    const int status = call(n, w);
    if (status != 0) return report(item, outcome::callback, status, "the integrand returned " + std::to_string(status));
    for (int k = 0; k < problem_.settings.ncomp; ++k) {
      const double *f = &w.f[index(k * block_)];
      const double sum = weights ? sum_of_weighted(f, w.jacobian.data(), n) : sum_of(f, n);
      if (!std::isfinite(sum)) return report_nonfinite(item, n, w);
      to[k].add(sum);
    }
  }
}

int host_lattice::call(int64 n, workspace &w) const {
  const host_integrand &f = problem_.integrand;
  const int nd = problem_.settings.ndim, nc = problem_.settings.ncomp;
  if (f.batch) return f.batch(n, nd, w.x.data(), block_, nc, w.f.data(), block_, f.userdata);
  double values[16];
  std::vector<double> many(nc > 16 ? index(nc) : 0);
  double *to = nc > 16 ? many.data() : values;
  for (int64 i = 0; i < n; ++i) {
    for (int j = 0; j < coordinates_; ++j) w.point[index(j)] = w.x[index(j * block_ + i)];
    const int status = f.point(nd, w.point.data(), nc, to, f.userdata);
    if (status != 0) return status;
    for (int k = 0; k < nc; ++k) w.f[index(k * block_ + i)] = to[k];
  }
  return 0;
}

void host_lattice::report_nonfinite(int64 item, int64 n, const workspace &w) {
  std::string message = "the weighted sum of the integrand overflows";
  char text[64];
  for (int64 i = 0; i < n; ++i)
    for (int k = 0; k < problem_.settings.ncomp; ++k) {
      const double f = w.f[index(k * block_ + i)];
      if (std::isfinite(f)) continue;
      std::snprintf(text, sizeof text, "component %d of the integrand is %g at x = (", k + 1, f);
      message = text;
      for (int j = 0; j < problem_.settings.ndim; ++j) {
        std::snprintf(text, sizeof text, "%s%.17g", j ? ", " : "", w.x[index(j * block_ + i)]);
        message += text;
      }
      message += ")";
      return report(item, outcome::nonfinite, 0, message);
    }
  report(item, outcome::nonfinite, 0, message);
}

void host_lattice::report(int64 item, outcome what, int status, const std::string &message) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failure_.item >= 0 && failure_.item <= item) return;
  failure_ = {item, what, status, message};
  first_failed_.store(item, std::memory_order_relaxed);
}

lattice_result host_lattice_rule(const lattice_problem &problem, thread_pool &pool, run_hooks &hooks, double *value, double *error) {
  host_lattice executor(problem, pool);
  lattice_rule<host_lattice> driver(executor, problem.settings, problem.vector, problem.trial, problem.volume, hooks);
  lattice_result result;
  result.end = driver.run(value, error, result.has_value);
  result.statistics = driver.statistics();
  result.callback_status = executor.callback_status();
  result.message = executor.message();
  result.bytes = executor.work_bytes();
  return result;
}

}  // namespace tessera
