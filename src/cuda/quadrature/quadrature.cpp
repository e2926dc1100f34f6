// SPDX-License-Identifier: BSD-3-Clause
#include "quadrature.hpp"

#include <chrono>
#include <cstring>

#include "../../engine/quadrature/pair_counts.hpp"
#include "../../quadrature_remark.hpp"

namespace tessera {
namespace {

constexpr double launch_seconds = 0.05;  // where somebody wants to look
constexpr int64 first_turns = 256;

using clock_type = std::chrono::steady_clock;
double seconds_since(clock_type::time_point start) {
  return std::chrono::duration<double>(clock_type::now() - start).count();
}

template <class T>
T *on_device(CUdeviceptr base, std::size_t at) {
  return reinterpret_cast<T *>(base + at);
}

quadrature_limits limits_of(const quadrature_problem &p) {
  const quadrature_range &r = p.range;
  const auto first = r.count > 0 ? static_cast<int>(r.breaks - p.breaks.data()) : 0;
  return {r.lower, r.upper, r.first, r.last, first, r.count};
}

// The limits of the rows `row(0)` ... `row(n - 1)` of a problem, or those that all have.
template <class Row>
std::vector<quadrature_limits> limits_of_rows(const many_problem &many, int64 n, const Row &row) {
  std::vector<quadrature_limits> limits;
  const std::unique_ptr<problem> copy = many.common->copy();
  const auto &box = static_cast<const quadrature_problem &>(*copy);
  for (int64 i = 0; i < (many.lower ? n : 1); ++i) {
    if (many.lower) many.give_row(row(i), *copy);
    limits.push_back(limits_of(box));
  }
  return limits;
}

// The parameters of these rows one after the other, `step` bytes apart.
template <class Row>
void copy_blocks(const many_problem &many, int64 n, const Row &row, std::size_t step, unsigned char *to) {
  const bool in_a_row = step == many.params_bytes &&
                        many.block(row(n - 1)) - many.block(row(0)) == static_cast<std::ptrdiff_t>(size(n - 1) * step);
  if (in_a_row) {
    std::memcpy(to, many.block(row(0)), size(n) * step);
    return;
  }
  for (int64 i = 0; i < n; ++i) std::memcpy(to + size(i) * step, many.block(row(i)), many.params_bytes);
}

}  // namespace

std::unique_ptr<cuda_method> make_cuda_quadrature(cuda_setting &setting) {
  return std::make_unique<device_quadrature>(setting);
}

// ---- Kernels --------------------------------------------------------------------------------------------------------------------

const quadrature_kernel &device_quadrature::find(const call &c, quadrature_shape::part what) {
  quadrature_shape shape = choose_quadrature_shape(c.common, what);
  shape.innermost = c.inner != nullptr;
  if (c.inner) shape.ndim = c.inner->ndim;
  const std::string key = key_of({ncomp_, static_cast<int>(what), shape.pairs, shape.breaks, int{shape.complement},
                                  shape.ndim, int{shape.innermost}},
                                 *f_);
  const quadrature_kernel &kernel = kernels_.find(key, *report_, [&] {
    return std::make_unique<quadrature_kernel>(shape, ncomp_, *f_, arch_, multiprocessors_, stream_);
  });
  report_->inlined = report_->inlined && kernel.module().inlined;
  take_notes(kernel.module(), *f_, *report_);
  return kernel;
}

std::string device_quadrature::evaluate(const problem &of_a_method, const device_integrand &integrand, int64 n,
                                        const double *x, double *values) {
  const auto &p = static_cast<const quadrature_problem &>(of_a_method);
  return evaluate_points_of(p, p.settings.complement != 0, integrand, n, x, values);
}

std::string device_quadrature::evaluate_points_of(const problem &p, bool complement, const device_integrand &integrand,
                                                  int64 n, const double *x, double *values) {
  const int ndim = p.ndim();
  const placed_integrand f = setting_.place(integrand);
  device_report unused;
  begin(f, p, unused);
  return evaluate_points(n, x, values, [&]() -> const user_kernels & {
    const user_kernels &kernels = points_kernels_.find(key_of({ndim, ncomp_, int{complement}}, *f_), unused, [&] {
      return std::make_unique<quadrature_points>(complement, ndim, ncomp_, *f_, arch_);
    });
    take_notes(kernels.module(), *f_, unused);
    return kernels;
  });
}

// ---- Runs -----------------------------------------------------------------------------------------------------------------------

void device_quadrature::integrate(const problem &of_a_method, const device_integrand &integrand, run_hooks &hooks,
                                  double *value, double *error, run_result &to, device_report &report) {
  auto &result = static_cast<quadrature_result &>(to);
  many_problem many;
  many.common = of_a_method.copy();
  many.index = {0};
  hooks_of_row watch(hooks, of_a_method.ncomp());
  const many_results results = run_many(many, integrand, watch, value, error, report);
  const many_row &row = results.rows[0];
  result.end = row.end;
  result.has_value = row.has_value;
  result.callback_status = row.callback_status;
  result.message = results.message_of(0);
  result.statistics.evaluations = row.evaluations;
  result.statistics.intervals = row.regions;
  result.statistics.steps = row.iterations;
  result.statistics.bytes = results.peak_bytes;
  result.statistics.exponential = exponential_;
}

many_results device_quadrature::run_many(const many_problem &problem, const device_integrand &integrand,
                                         many_hooks &watch, double *value, double *error, device_report &report) {
  return run(problem, nullptr, integrand, watch, value, error, report);
}

many_results device_quadrature::run_innermost(const innermost_rows &rows, const many_problem &many,
                                              const device_integrand &integrand, many_hooks &watch, double *value,
                                              double *error, device_report &report) {
  return run(many, &rows, integrand, watch, value, error, report);
}

many_results device_quadrature::run(const many_problem &problem, const innermost_rows *inner,
                                    const device_integrand &integrand, many_hooks &watch, double *value, double *error,
                                    device_report &report) {
  const auto &common = static_cast<const quadrature_problem &>(*problem.common);
  const placed_integrand f = setting_.place(integrand);
  begin(f, common, report);
  many_results results(problem.rows());
  rows_progress progress(problem, watch, results, value, error);
  const call c = {problem, inner, common, watch, progress, results, value, error};
  flags_ = 0;
  exponential_ = false;
  with_pairs(common.settings.pairs, [&](auto pairs) {
    turns_.begin(problem.rows() == 1 ? common.answers : nullptr, integral_turns<pairs.value>::words_of_turn(ncomp_),
                 stream_);
  });
  int capacity = 1024;
  if (ncomp_ == 1)
    run_in_own_lists(c);
  else
    capacity = 64;  // and as many estimates
  bool left = progress.go_on();
  for (; left && capacity <= most_intervals; capacity = capacity == 64 ? 1024 : 64 * capacity)
    left = run_in_slots(c, capacity) && progress.go_on();
  for (int64 row = 0; left && row < problem.rows(); ++row) {
    many_row &r = results.rows[size(row)];
    if (r.end != outcome::running) continue;
    r.end = outcome::memory;
    results.keep_message(row, "there is no memory on the device for the intervals");
  }
  progress.give_up_the_rest();
  results.peak_bytes = static_cast<int64>(slots_.bytes() + input_.bytes() + output_.bytes());
  if (flags_ != 0) report.remark = describe_flags(flags_ & ~flags_that_end);
  return results;
}

void device_quadrature::run_in_own_lists(const call &c) {
  const quadrature_kernel &kernel = find(c, quadrature_shape::part::own_lists);
  const bool wanted = c.watch.is_wanted();
  group g;
  for (int64 n = wanted ? first_rows : most_rows; g.first < c.many.rows() && c.progress.go_on(); g.first += g.count) {
    g.count = std::min(n, c.many.rows() - g.first);
    const auto start = clock_type::now();
    quadrature_arguments a = upload_group(c, g);
    launch(kernel, g.count, a);
    download_group(c, g);
    turns_.take();
    c.progress.count_up_to(g.first + g.count);
    if (!wanted) continue;
    const double seconds = seconds_since(start);
    if (seconds < launch_seconds / 2.0) n = std::min(most_rows, 2 * n);
    if (seconds > launch_seconds * 2.0) n = std::max<int64>(quadrature_block, n / 2);
  }
}

// What has no end yet, with so many intervals each. False: nothing is left.
bool device_quadrature::run_in_slots(const call &c, int intervals) {
  group all;
  for (int64 row = 0; row < c.many.rows(); ++row)
    if (c.results.rows[size(row)].end == outcome::running) all.rows.push_back(row);
  if (all.rows.empty()) return false;
  const quadrature_kernel &kernel = find(c, quadrature_shape::part::slots);
  const int capacity = std::max(intervals, 2 * static_cast<int>(c.common.breaks.size() + 2));
  quadrature_slot slot = {0, capacity, 0, 0};
  if (ncomp_ > 1) {
    slot.estimates = 4 * capacity;
    slot.hash_slots = 8 * 2;
    while (slot.hash_slots < 2 * slot.estimates) slot.hash_slots *= 2;
  }
  slot.bytes = (kernel.integral_bytes() + 15) / 16 * 16;
  slot.bytes += bytes_of_lists(slot, ncomp_);
  const int64 free = static_cast<int64>(setting_.free_bytes() + slots_.bytes()) / 2;
  const int64 share = c.common.memory_is_given ? std::min(free, c.common.settings.memory) : free;
  const int64 count = std::min(
      {static_cast<int64>(all.rows.size()), kernel.resident() * quadrature_block, most_slot_rows, share / slot.bytes});
  if (count < 1) return true;
  allocate(slots_, size(count * slot.bytes));
  for (std::size_t at = 0; at < all.rows.size() && c.progress.go_on(); at += size(most_slot_rows)) {
    group g;
    const std::size_t end = std::min(all.rows.size(), at + size(most_slot_rows));
    g.rows.assign(all.rows.begin() + static_cast<std::ptrdiff_t>(at),
                  all.rows.begin() + static_cast<std::ptrdiff_t>(end));
    g.count = static_cast<int64>(g.rows.size());
    quadrature_arguments a = upload_group(c, g);
    a.slots = reinterpret_cast<unsigned char *>(slots_.address());
    a.slot = slot;
    a.slot_count = std::min(count, g.count);
    run_group_in_slots(c, kernel, g, a);
  }
  return true;
}

// In launches of about launch_seconds, between which somebody may look.
void device_quadrature::run_group_in_slots(const call &c, const quadrature_kernel &kernel, const group &g,
                                           quadrature_arguments &a) {
  unsigned long long done = 0;
  a.first_launch = 1;
  a.turns = first_turns;
  while (static_cast<int64>(done) < g.count && a.stop == static_cast<int>(outcome::running)) {
    if (a.first_launch == 0 && !c.progress.go_on()) a.stop = static_cast<int>(c.progress.end());
    a.turns = std::min(a.turns, turns_.most_turns());
    const auto start = clock_type::now();
    launch(kernel, a.slot_count, a);
    check(cuda().stream_synchronize(stream_), "the kernel");
    check(cuda().download(&done, queue_.address() + sizeof done, sizeof done), "downloading the results");
    turns_.take();
    const double seconds = seconds_since(start);
    if (seconds < launch_seconds / 2.0) a.turns *= 2;
    if (seconds > launch_seconds * 2.0) a.turns = std::max<int64>(1, a.turns / 2);
    a.first_launch = 0;
  }
  download_group(c, g);
  for (const int64 row : g.rows) c.progress.count(row);
}

void device_quadrature::launch(const quadrature_kernel &kernel, int64 threads, quadrature_arguments &a) const {
  const int64 blocks = std::min(kernel.resident(), (threads + quadrature_block - 1) / quadrature_block);
  start(kernel.function(), blocks, quadrature_block, &a);
}

// ---- Inputs and outputs ---------------------------------------------------------------------------------------------------------

quadrature_arguments device_quadrature::upload_group(const call &c, const group &g) {
  // Of innermost rows the problems, which have limits and parameters, are others.
  const many_problem &many = c.inner ? *c.inner->problems : c.many;
  const auto row = [&](int64 i) { return c.inner ? i : g.row(i); };
  const int64 n = g.count, problems = c.inner ? many.rows() : n;
  const std::vector<quadrature_limits> limits = c.inner ? c.inner->limits : limits_of_rows(many, n, row);
  const std::vector<double> &breaks = c.common.breaks;
  const std::size_t step = (many.params_bytes + 15) / 16 * 16;  // every block is as aligned as a single one
  const std::size_t ahead = c.inner ? size(c.inner->ndim - 1) : 0;
  std::size_t in_bytes = 0, out_bytes = 0;
  const auto take = [](std::size_t &from, std::size_t bytes) {
    const std::size_t at = from;
    from += (bytes + 15) / 16 * 16;
    return at;
  };
  const std::size_t settings_at = take(in_bytes, sizeof(quadrature_settings));
  const std::size_t limits_at = take(in_bytes, limits.size() * sizeof(quadrature_limits));
  const std::size_t breaks_at = take(in_bytes, breaks.size() * sizeof(double));
  const std::size_t params_at = take(in_bytes, many.params ? size(problems) * step : 0);
  const std::size_t inner_at = take(in_bytes, c.inner ? size(n) * sizeof(innermost_row) : 0);
  const std::size_t outer_at = take(in_bytes, size(n) * ahead * sizeof(double));
  take(out_bytes, size(n) * sizeof(quadrature_record));
  value_at_ = take(out_bytes, size(n * ncomp_) * sizeof(double));
  error_at_ = take(out_bytes, size(n * ncomp_) * sizeof(double));
  output_bytes_ = out_bytes;
  input_.require(in_bytes);
  output_.require(out_bytes);
  queue_.require(2 * sizeof(unsigned long long));
  staging_.require(std::max(in_bytes, out_bytes));

  auto *const staged = static_cast<unsigned char *>(staging_.address());
  std::memcpy(staged + settings_at, &c.common.settings, sizeof(quadrature_settings));
  std::memcpy(staged + limits_at, limits.data(), limits.size() * sizeof(quadrature_limits));
  if (!breaks.empty()) std::memcpy(staged + breaks_at, breaks.data(), breaks.size() * sizeof(double));
  if (many.params) copy_blocks(many, problems, row, step, staged + params_at);
  for (int64 i = 0; c.inner && i < n; ++i) {
    std::memcpy(staged + inner_at + size(i) * sizeof(innermost_row), &c.inner->rows[size(g.row(i))],
                sizeof(innermost_row));
    if (ahead > 0)
      std::memcpy(staged + outer_at + size(i) * ahead * sizeof(double), &c.inner->outer[size(g.row(i)) * ahead],
                  ahead * sizeof(double));
  }
  check(cuda().set_bytes(output_.address(), 0, out_bytes, stream_), "starting the kernel");
  upload(input_.address(), staged, in_bytes, stream_, "uploading the integrals");
  check(cuda().set_bytes(queue_.address(), 0, 2 * sizeof(unsigned long long), stream_), "starting the kernel");

  quadrature_arguments a = {};
  a.settings = on_device<const quadrature_settings>(input_.address(), settings_at);
  a.limits = on_device<const quadrature_limits>(input_.address(), limits_at);
  a.limits_step = limits.size() > 1 ? 1 : 0;
  a.breaks = on_device<const double>(input_.address(), breaks_at);
  a.params = on_device<const unsigned char>(many.params ? input_.address() : f_->params, many.params ? params_at : 0);
  a.params_step = many.params ? static_cast<int64>(step) : 0;
  a.rows = n;
  a.next = on_device<unsigned long long>(queue_.address(), 0);
  a.done = a.next + 1;
  a.inner = on_device<const innermost_row>(input_.address(), inner_at);
  a.outer = on_device<const double>(input_.address(), outer_at);
  a.records = on_device<quadrature_record>(output_.address(), 0);
  a.value = on_device<double>(output_.address(), value_at_);
  a.error = on_device<double>(output_.address(), error_at_);
  a.kept = turns_.open();
  a.stop = static_cast<int>(outcome::running);
  return a;
}

// Rows that no thread has ended stay as they are: they have no record.
void device_quadrature::download_group(const call &c, const group &g) {
  check(cuda().stream_synchronize(stream_), "the kernel");
  auto *const staged = static_cast<unsigned char *>(staging_.address());
  check(cuda().download(staged, output_.address(), output_bytes_), "downloading the results");
  const std::size_t doubles = size(ncomp_) * sizeof(double);
  for (int64 i = 0; i < g.count; ++i) {
    quadrature_record record;
    std::memcpy(&record, staged + size(i) * sizeof record, sizeof record);
    if (!record.is_there || record.end == static_cast<short>(outcome::running)) continue;
    const int64 row = g.row(i);
    take_record(c, row, record);
    if (!record.has_value) continue;
    std::memcpy(c.value + row * ncomp_, staged + value_at_ + size(i) * doubles, doubles);
    std::memcpy(c.error + row * ncomp_, staged + error_at_ + size(i) * doubles, doubles);
  }
}

void device_quadrature::take_record(const call &c, int64 row, const quadrature_record &record) {
  many_row &to = c.results.rows[size(row)];
  flags_ |= record.flags;
  exponential_ = record.exponential;
  to.end = static_cast<outcome>(record.end);
  to.has_value = record.has_value;
  to.evaluations = record.evaluations;
  to.regions = record.intervals;
  to.iterations = record.steps;
  if (to.end == outcome::callback) {
    to.callback_status = record.status;
    c.results.keep_message(row, why_stopped(record.flags, record.status));
  } else if (c.inner && record.remark == static_cast<short>(remark_kind::nonfinite)) {
    c.results.keep_message(row, where_nonfinite(c, row, record.x));
  } else if (record.remark != static_cast<short>(remark_kind::nothing)) {
    c.results.keep_message(row, sentence_of({static_cast<remark_kind>(record.remark), record.x}));
  }
}

// At x of an innermost row.
std::string device_quadrature::where_nonfinite(const call &c, int64 row, double x) {
  const innermost_row &r = c.inner->rows[size(row)];
  const auto ahead = static_cast<std::ptrdiff_t>(c.inner->ndim - 1);
  const double *const outer = c.inner->outer.data() + row * ahead;
  std::vector<double> point(outer, outer + ahead), spare(size(c.inner->ndim));
  point.push_back(r.axis.at(x));
  if (c.common.shape && c.common.shape->is_simplex()) c.common.shape->to_simplex(point.data(), spare.data());
  return "the integrand is NaN or infinite at " + shown_point(point.data(), c.inner->ndim);
}

}  // namespace tessera
