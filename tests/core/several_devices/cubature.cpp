// SPDX-License-Identifier: BSD-3-Clause
#include "kernels.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "core/node_table.hpp"
#include "cuda/cubature/batch_problem.hpp"
#include "cuda/cubature/device_problem.hpp"
#include "cuda/cubature/step_part.hpp"
#include "cuda/sparse/sparse_problem.hpp"
#include "engine/cubature/batch.hpp"
#include "engine/cubature/largest_errors.hpp"
#include "host/executor.hpp"

namespace {

using namespace tessera;

class evaluator {
 public:
  static constexpr bool deferred = false, raises = false, searches = false;
  evaluator(const rule &r, int estimate, int64 *failed)
      : rule_(r), estimate_(estimate), failed_(failed), words_(make_node_table(r)) {}

  void evaluate(host_grid &, const region_view &regions, const region_list &list, int64 n) {
    if (const char *const dear = std::getenv("FAKE_CUDA_POINT_SECONDS"))
      std::this_thread::sleep_for(
          std::chrono::duration<double>(std::atof(dear) * static_cast<double>(n * rule_.points)));
    const auto points = static_cast<std::size_t>(rule_.points), nc = static_cast<std::size_t>(ncomp());
    const auto fields = static_cast<std::size_t>(sum_fields(rule_)), nd = static_cast<std::size_t>(ndim());
    std::vector<double> x(nd), at_point(nc), f(nc * points), sums(nc * fields), score(nd);
    for (int64 i = 0; i < n; ++i) {
      for (std::size_t p = 0; p < points; ++p) {
        write_point(rule_, ndim(), words_.data(), nullptr, regions, list[i], static_cast<int64>(p), x.data(), 1);
        values_at(x.data(), 1, at_point.data());
        for (std::size_t k = 0; k < nc; ++k) f[k * points + p] = at_point[k];
      }
      for (std::size_t k = 0; k < nc; ++k)
        sum_slice(host_lane{}, rule_, 0, rule_.points, 0, &f[k * points], nullptr, &sums[k * fields]);
      if (!finish_region(host_lane{}, rule_, estimate_, regions, list[i], sums.data(), score.data()))
        *failed_ = std::max(*failed_, list[i] + 1);
    }
  }
  bool failed() const { return *failed_ != 0; }
  static outcome failure() { return outcome::nonfinite; }

 private:
  const rule &rule_;
  const int estimate_;
  int64 *const failed_;
  const std::vector<node_word> words_;
};

bool bulk(const rule &r, const bulk_state &in, const device_problem &problem, bulk_state *out) {
  for (const void *p : {static_cast<const void *>(&in.regions.field(0, 0)), static_cast<const void *>(in.marked),
                        static_cast<const void *>(&in.parents.value(0, 0)), static_cast<const void *>(in.sums),
                        static_cast<const void *>(problem.nodes), static_cast<const void *>(problem.failed)})
    if (!is_here(p)) return false;
  bulk_state state = in;
  thread_pool caller(1);
  host_grid grid(caller);
  evaluator e(r, problem.estimate, problem.failed);
  bulk_steps<host_grid, evaluator>(grid, state, e).run();
  *out = state;
  *problem.failed_out = *problem.failed;
  problem.flags_out[2] = 1;
  *problem.failed = 0;
  problem.flags_out[0] = problem.flags_out[1] = 0;
  return true;
}

bool part(const rule &r, const device_problem &problem, const region_view &regions, const region_list &list, int64 n) {
  if (!is_here(&regions.field(0, 0)) || !is_here(list.ids) || !is_here(problem.failed) || !is_here(problem.nodes))
    return false;
  thread_pool caller(1);
  host_grid grid(caller);
  evaluator(r, problem.estimate, problem.failed).evaluate(grid, regions, list, n);
  problem.flags_out[0] = problem.flags_out[1] = 0;
  return true;
}

// ---- Around a device callback -------------------------------------------------------------------------------------------------
struct made_before {
  static constexpr bool deferred = true, raises = false, searches = false;
  const int64 *of;
  bool failed() const { return *of != 0; }
  static outcome failure() { return outcome::nonfinite; }
};

bool batch_steps(const bulk_state &in, const batch_control &control, bulk_state *out) {
  if (!is_here(&in.regions.field(0, 0)) || !is_here(in.marked) || !is_here(control.failed)) return false;
  bulk_state state = in;
  thread_pool caller(1);
  host_grid grid(caller);
  made_before made = {control.failed};
  bulk_steps<host_grid, made_before>(grid, state, made).run();
  *out = state;
  return true;
}

bool batch(const std::string &name, const rule &r, const batch_arguments &a) {
  if (!is_here(&a.regions.field(0, 0)) || !is_here(a.list.ids) || !is_here(a.words) || !is_here(a.x) || !is_here(a.f) ||
      !is_here(a.sums) || !is_here(a.slices) || !is_here(a.failed))
    return false;
  const batch_chunk &c = a.chunk;
  const int64 nc = ncomp(), fields = sum_fields(r), length = c.length();
  if (name == "tessera_batch_points")
    for (int64 i = 0; i < c.points(); ++i)
      write_point(r, ndim(), a.words, nullptr, a.regions, a.list[c.first + i / length], c.begin + i % length, a.x + i,
                  c.stride());
  for (int64 item = 0; name == "tessera_batch_sums" && item < c.regions * c.slices() * nc; ++item) {
    const int64 k = item % nc, which = item / nc / c.slices(), from = c.begin + item / nc % c.slices() * batch_slice;
    sum_slice(host_lane{}, r, from, std::min(c.end, from + batch_slice), c.begin, a.f + k * c.stride() + which * length,
              nullptr, a.slices + item * fields);
  }
  for (int64 t = 0; name == "tessera_batch_fold" && t < c.regions * nc * fields; ++t)
    a.sums[t] = add_slices(c.begin == 0 ? 0.0 : a.sums[t],
                           a.slices + t / (nc * fields) * c.slices() * nc * fields + t % (nc * fields), c.slices(),
                           nc * fields);
  std::vector<double> score(static_cast<std::size_t>(ndim()));
  for (int64 which = 0; name == "tessera_batch_finish" && which < c.regions; ++which) {
    const int64 region = a.list[c.first + which];
    if (!finish_region(host_lane{}, r, a.estimate, a.regions, region, a.sums + which * nc * fields, score.data()))
      *a.failed = std::max(*a.failed, region + 1);
  }
  return true;
}

bool pack_all(const step_part &a, bool back) {
  if (!is_here(&a.regions.field(0, 0)) || !is_here(a.packed) || !is_here(a.list.ids) || !is_here(a.failed))
    return false;
  for (int64 t = 0; t < a.n * a.fields; ++t)
    if (!back)
      pack(a, t);
    else if (!unpack(a, t) && a.failed)
      *a.failed = std::max(*a.failed, a.region_of(t) + 1);
  return true;
}

// ---- Sparse grids ---------------------------------------------------------------------------------------------------------------
bool sparse(const std::string &name, const sparse_arguments &a) {
  for (const void *p : {static_cast<const void *>(a.tables), static_cast<const void *>(a.domain.centre),
                        static_cast<const void *>(a.all.indices), static_cast<const void *>(a.all.links),
                        static_cast<const void *>(a.x), static_cast<const void *>(a.store)})
    if (!is_here(p)) return false;
  const int64 nc = ncomp();
  const int end = a.before + static_cast<int>(a.count);
  axis_source sources[most_levels];
  for (int q = a.before; name == "tessera_sparse_sums" && q < end; ++q)
    for (int64 k = 0; k < a.domain.boxes * nc; ++k) {
      const sparse_index &i = a.all.indices[q];
      double *const own = a.store + i.place + k * i.stride;
      axis_sums left(i, a.all.links + int64{q} * ndim());
      for (int s = 0; s < a.end_stage && left.next(); ++s) {
        find_sources(a.all, ndim(), q, left.axis(), sources);
        for (int64 r = 0; r < left.size() && s >= a.stage; ++r)
          own[left.place() + r] = sum_over_axis(*a.tables, left.level(), sources, left.size(), r, a.store, k);
      }
      if (i.active <= a.end_stage) a.differences[k * a.count + q - a.before] = own[left.place()];
    }
  for (int64 i = 0; name != "tessera_sparse_sums" && i < a.n; ++i) {
    const int64 box = (a.first + i) / a.points, point = (a.first + i) % a.points;
    int at = a.before;
    while (at + 1 < end && a.all.indices[at + 1].first <= point) ++at;
    const sparse_index &q = a.all.indices[at];
    if (name == "tessera_sparse_points")
      a.jacobian[i] = write_sparse_point(*a.tables, a.domain, ndim(), static_cast<int>(box), q,
                                         a.all.links + int64{at} * ndim(), point - q.first, a.x + i, a.n);
    for (int64 k = 0; name == "tessera_sparse_values" && k < nc; ++k)
      a.store[q.place + (point - q.first) + (box * nc + k) * q.stride] = weighted(a.f[k * a.n + i], a.jacobian[i]);
  }
  return true;
}

// The integrand alone: x[ndim][n] to f[ncomp][n].
bool points(int64 n, const double *x, double *f) {
  if (!is_here(x) || !is_here(f)) return false;
  std::vector<double> v(static_cast<std::size_t>(ncomp()));
  for (int64 i = 0; i < n; ++i) {
    values_at(x + i, n, v.data());
    for (int64 k = 0; k < ncomp(); ++k) f[k * n + i] = v[static_cast<std::size_t>(k)];
  }
  return true;
}

// One block's answer is that of all.
bool largest(const largest_arguments &a) {
  const auto *const behind = reinterpret_cast<const ranked_region *>(a.weight);
  std::fill(a.best, a.best + (behind - a.best), ranked_region{0.0, -1});
  const std::vector<int64> found = find_largest_errors(a.regions, a.n, a.wanted, a.weight);
  for (std::size_t w = 0; w < found.size(); ++w) a.best[w] = ranked(a.regions, found[w], a.weight);
  return true;
}
// As many as there are, for the blocks are not known here.
bool records(const largest_arguments &a) {
  const int length = numbers_of_record(a.regions);
  for (int w = 0; w < a.wanted && a.best[w].region >= 0; ++w)
    for (int i = 0; i < length; ++i) a.records[w * length + i] = number_of_record(a.regions, a.best[w].region, i);
  return true;
}

bool largest_of_few(const largest_arguments &a) {
  *a.said = largest(a) && records(a) ? 1 : 0;
  return true;
}

template <class T>
const T &argument(void **arguments, int i) {
  return *static_cast<const T *>(arguments[i]);
}

}  // namespace

bool run_cubature(const std::string &name, const rule &r, void **arguments) {
  if (name == "tessera_bulk" || name == "tessera_bulk_of_few")
    return bulk(r, argument<bulk_state>(arguments, 0), argument<device_problem>(arguments, 1),
                argument<bulk_state *>(arguments, 2));
  if (name == "tessera_part")
    return part(r, argument<device_problem>(arguments, 0), argument<region_view>(arguments, 1),
                argument<region_list>(arguments, 2), argument<int64>(arguments, 4));
  if (name == "tessera_batch_steps")
    return batch_steps(argument<bulk_state>(arguments, 0), argument<batch_control>(arguments, 1),
                       argument<bulk_state *>(arguments, 2));
  if (name.rfind("tessera_sparse_", 0) == 0) return sparse(name, argument<sparse_arguments>(arguments, 0));
  if (name == "tessera_largest_errors") return largest(argument<largest_arguments>(arguments, 0));
  if (name == "tessera_largest_of_few") return largest_of_few(argument<largest_arguments>(arguments, 0));
  if (name == "tessera_region_records") return records(argument<largest_arguments>(arguments, 0));
  if (name == "tessera_points")
    return points(argument<long long>(arguments, 0), argument<const double *>(arguments, 1),
                  argument<double *>(arguments, 2));
  if (name.rfind("tessera_batch_", 0) == 0) return batch(name, r, argument<batch_arguments>(arguments, 0));
  return pack_all(argument<step_part>(arguments, 0), name == "tessera_unpack");
}
