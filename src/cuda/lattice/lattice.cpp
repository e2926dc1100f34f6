// SPDX-License-Identifier: BSD-3-Clause
#include "lattice.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "../../engine/lattice/lattice_rule.hpp"
#include "../../plugin.hpp"
#include "../device/user_calls.hpp"

namespace tessera {

extern const char *const lattice_text;  // the core's headers and the kernels in one text; made by the build

namespace {

constexpr std::size_t most_kernels = 24;
constexpr int64 most_partials = int64{1} << 22;  // numbers that come back from one launch
constexpr int64 runs_per_block = 16;             // blocks that are done early take more
constexpr int64 most_batch_points = int64{1} << 22,
                most_batch_bytes = int64{1} << 29;  // of a call; tessera.h names them

std::string define(const char *name, int value) { return std::string("-D") + name + "=" + std::to_string(value); }

std::size_t size(int64 n) { return static_cast<std::size_t>(n); }

// Throws bad_alloc where the device has no memory left.
void require(device_memory &m, int64 doubles) {
  try {
    m.require(size(doubles) * sizeof(double));
  } catch (const device_error &e) {
    if (e.out_of_memory()) throw std::bad_alloc();
    throw;
  }
}

// One coordinate of a point on the host, to say where an integrand was not finite.
double coordinate(int transform, const unit_axis &axis, uint64 phase, double &jacobian, double &complement) {
  switch (transform) {
#define TESSERA_CASE(t) \
  case t:               \
    return lattice_coordinate<t>(axis, phase, jacobian, complement);
    TESSERA_TRANSFORMS(TESSERA_CASE)
#undef TESSERA_CASE
  }
  return nan_value();
}

}  // namespace

// ---- Kernels --------------------------------------------------------------------------------------------------------------

lattice_shape choose_lattice_shape(const lattice_problem &problem, bool batch, bool trial) {
  lattice_shape s;
  s.transform = trial ? 0 : problem.settings.transform;
  for (const unit_axis &a : problem.axes) s.axes = std::max(s.axes, a.kind != axis_finite ? 2 : (is_unit(a) ? 0 : 1));
  s.complement = problem.complement;
  s.batch = batch;
  return s;
}

kernel_text lattice_kernel_text(const lattice_shape &s, int ndim) {
  kernel_text text;
  text.text = lattice_text;
  // Registers for the phases of many variables.
  const int blocks = ndim <= 24 ? 4 : (ndim <= lattice_near_dim ? 3 : 4);
  text.options = {define("TESSERA_TRANSFORM", s.transform), define("TESSERA_AXES", s.axes),
                  define("TESSERA_COMPLEMENT", s.complement), define("TESSERA_BATCH", s.batch),
                  define("TESSERA_BLOCKS", blocks)};
  return text;
}

lattice_kernels::lattice_kernels(const lattice_shape &shape, int ndim, int ncomp, const integrand_source &source,
                                 int arch, int multiprocessors, code_cache *cache)
    : shape_(shape) {
  target where;
  where.arch = arch;
  where.ndim = ndim;
  where.ncomp = ncomp;
  where.library_version = std::to_string(backend_abi);
  const kernel_text text = lattice_kernel_text(shape, ndim);
  module_ = shape.batch ? compile_kernels(text, where, cache) : compile_integrand(source, text, where, cache);
  library_.load(module_.image->data(), "loading the compiled integrand");
  sums_ = library_.function(shape.batch ? "tessera_lattice_sums" : "tessera_lattice");
  points_ = library_.function(shape.batch ? "tessera_lattice_points" : "tessera_points");
  if (!shape.batch) {
    flags_ = library_.global("tessera_flags", sizeof(int));
    status_ = library_.global("tessera_status", sizeof(int));
  }
  int blocks = 0;
  check(cuda().occupancy(&blocks, sums_, lattice_block, 0), "asking for the occupancy");
  if (blocks < 1) throw device_error("the integrand needs more of a multiprocessor than there is");
  resident_ = int64{blocks} * multiprocessors;
}

void lattice_kernels::set_axes(const std::vector<unit_axis> &axes, CUstream stream) {
  if (shape_.axes == 0) return;
  const auto same = [](const unit_axis &a, const unit_axis &b) {
    return a.kind == b.kind && bits_of(a.lower) == bits_of(b.lower) && bits_of(a.length) == bits_of(b.length) &&
           bits_of(a.first) == bits_of(b.first) && bits_of(a.last) == bits_of(b.last) &&
           bits_of(a.anchor) == bits_of(b.anchor);
  };
  if (std::equal(axes.begin(), axes.end(), axes_.begin(), axes_.end(), same)) return;
  axes_ = axes;  // lives on while the copy waits for its turn
  const std::size_t bytes = axes_.size() * sizeof(unit_axis);
  upload(library_.global("tessera_axes", bytes), axes_.data(), bytes, stream, "uploading the domain");
  check(cuda().stream_synchronize(stream), "uploading the domain");  // for every stream
}

lattice_kernels &device_lattice::find(const lattice_shape &shape) {
  const int ndim = problem_->settings.ndim, ncomp = problem_->settings.ncomp;
  const integrand_source &source = f_->source;
  std::string key;
  for (const int v : {ndim, ncomp, shape.transform, shape.axes, int{shape.complement}, int{shape.batch}})
    key += std::to_string(v) + "/";
  if (!shape.batch)
    key += std::to_string(static_cast<int>(source.language)) + "/" + source.function + "/" + source.file_name + "/" +
           source.text;
  for (auto k = kept_.begin(); k != kept_.end(); ++k)
    if (k->key == key) {
      kept_.splice(kept_.begin(), kept_, k);
      report_->inlined = shape.batch || kept_.front().kernels->module().inlined;
      return *kept_.front().kernels;
    }
  auto kernels = std::make_unique<lattice_kernels>(shape, ndim, ncomp, source, arch_, multiprocessors_, f_->cache);
  report_->compile_seconds += kernels->module().seconds;
  report_->inlined = shape.batch || kernels->module().inlined;
  if (kept_.size() >= most_kernels) kept_.pop_back();
  kept_.push_front({key, std::move(kernels)});
  return *kept_.front().kernels;
}

// ---- A run ------------------------------------------------------------------------------------------------------------------

void device_lattice::use_stream(CUstream stream) {
  if (stream == stream_) return;
  stream_ = stream;
  z_.clear();  // again, in this stream
}

void device_lattice::begin(const lattice_problem &problem, const placed_integrand &f, device_report &report) {
  problem_ = &problem;
  f_ = &f;
  report_ = &report;
  status_ = 0;
  message_.clear();
  if (!answer_.address()) {
    answer_.require(sizeof(lattice_report));
    *static_cast<lattice_report *>(answer_.address()) = {};
  }
}

std::unique_ptr<cuda_method> make_cuda_lattice(cuda_setting &setting) { return std::make_unique<device_lattice>(setting); }

void device_lattice::integrate(const tessera::problem &of_a_method, const device_integrand &integrand, run_hooks &hooks, double *value,
                               double *error, run_result &to, device_report &report) {
  const auto &problem = static_cast<const lattice_problem &>(of_a_method);
  auto &result = static_cast<lattice_result &>(to);
  const placed_integrand f = setting_.place(integrand);
  begin(problem, f, report);
  lattice_rule<device_lattice> driver(*this, problem.settings, problem.vector, problem.trial, problem.volume, hooks);
  result.end = driver.run(value, error, result.has_value);
  result.statistics = driver.statistics();
  result.callback_status = status_;
  result.message = message_;
  result.bytes = static_cast<int64>(x_.bytes() + values_.bytes() + far_z_.bytes());
}

std::string device_lattice::evaluate(const tessera::problem &of_a_method, const device_integrand &integrand, int64 n, const double *x,
                                     double *values) {
  const auto &problem = static_cast<const lattice_problem &>(of_a_method);
  const placed_integrand f = setting_.place(integrand);
  device_report unused;
  begin(problem, f, unused);
  const int nc = problem.settings.ncomp;
  if (f.batch) {
    batch_callback callback = {f.batch, f.userdata, stream_, 0, {}};
    const auto call = [&](CUdeviceptr from, CUdeviceptr to) {
      return callback.call(n, problem_->coordinates(), from, n, nc, to, n);
    };
    return at_points(points_, stream_, problem_->coordinates(), nc, n, x, values, call) ? std::string() : callback.message;
  }
  const lattice_kernels &kernels = find(choose_lattice_shape(problem, false, problem.settings.transform == 0));
  at_points(kernels.points(), f.params, points_, stream_, problem_->coordinates(), nc, n, x, values);
  return tessera::take_answer({kernels.flags(), kernels.status()}, stream_);
}

outcome device_lattice::run(const lattice_pass &pass, int64 first, int64 end, compensated_sum *sums) try {
  lattice_shape shape = choose_lattice_shape(*problem_, f_->batch != nullptr, pass.trial);
  if (!pass.trial) shape.transform = pass.transform;
  lattice_kernels &kernels = find(shape);
  kernels.set_axes(problem_->axes, stream_);
  const int64 most =
      std::max<int64>(1, most_partials / problem_->settings.ncomp / (lattice_most_lanes / lattice_least_lanes));
  for (int64 i = first; i < end; i += most) {
    const outcome o = run_units(pass, kernels, i, std::min(end, i + most), sums);
    if (o != outcome::running) return o;
  }
  return outcome::running;
} catch (const std::bad_alloc &) {
  message_ = "no memory for the points of one call";
  return outcome::memory;
}

int64 device_lattice::position(int64 unit) const {
  const auto &a = *reinterpret_cast<const lattice_arguments *>(launch_.data());
  return unit / a.units_per_shift * a.count + std::min(a.count, unit % a.units_per_shift * unit_points(a.lanes));
}

int64 device_lattice::run_of(int64 unit) const {
  const auto &a = *reinterpret_cast<const lattice_arguments *>(launch_.data());
  return unit / a.units_per_shift * a.runs_per_shift + unit % a.units_per_shift / a.units_per_run;
}

// The arguments for items first .. end-1 of a pass. Of the numbers of lanes the least that gives all blocks work.
void device_lattice::prepare(const lattice_pass &pass, const lattice_kernels &kernels, int64 first, int64 end) {
  launch_.assign(sizeof(lattice_arguments) / sizeof(uint64) + 3 * size(near_arrays(problem_->settings.ndim)), 0);
  lattice_arguments &a = arguments();
  a.modulus = modulus_of(pass.n);
  a.first = pass.first;
  a.stride = pass.stride;
  a.count = pass.count;
  a.first_shift = pass.first_shift;
  a.source = pass.source;
  a.transform = pass.transform;
  const int64 per_shift = items_per_shift(pass);
  const auto unit_of_item = [&](int64 item) {
    const int64 per_item = lattice_item / unit_points(a.lanes);
    return item / per_shift * a.units_per_shift + std::min(a.units_per_shift, item % per_shift * per_item);
  };
  const bool spread = f_->batch || problem_->settings.ndim > lattice_near_dim;
  for (a.lanes = spread ? lattice_most_lanes : lattice_least_lanes;; a.lanes *= 2) {
    a.units_per_shift = (pass.count + unit_points(a.lanes) - 1) / unit_points(a.lanes);
    a.first_unit = unit_of_item(first);
    a.end_unit = unit_of_item(end);
    if (a.lanes == lattice_most_lanes || a.end_unit - a.first_unit >= 4 * kernels.resident()) break;
  }
  const int64 wanted = (a.end_unit - a.first_unit) / (runs_per_block * kernels.resident());
  a.units_per_run = f_->batch ? 1 : std::min(a.units_per_shift, std::max<int64>(1, wanted));
  a.runs_per_shift = (a.units_per_shift + a.units_per_run - 1) / a.units_per_run;
  a.first_run = run_of(a.first_unit);
  a.params = reinterpret_cast<const void *>(f_->params);
  const int64 runs = run_of(a.end_unit - 1) + 1 - a.first_run;
  partial_.require(size(runs * problem_->settings.ncomp) * sizeof(compensated_sum));
  a.partial = static_cast<compensated_sum *>(partial_.address());
  a.report = static_cast<lattice_report *>(answer_.address());
  if (problem_->settings.ndim <= lattice_near_dim)
    use_near(pass);
  else
    use_far(pass);
}

void device_lattice::use_near(const lattice_pass &pass) {
  const int nd = problem_->settings.ndim;
  uint64 *const z = launch_.data() + sizeof(lattice_arguments) / sizeof(uint64);
  for (int j = 0; j < nd; ++j) {
    z[j] = pass.z[j];
    z[nd + j] = phase_step(pass, j);
    z[2 * nd + j] = static_cast<uint64>(arguments().lanes) * z[nd + j];
  }
}

void device_lattice::use_far(const lattice_pass &pass) {
  const std::size_t nd = size(problem_->settings.ndim);
  if (z_.size() != nd || !std::equal(z_.begin(), z_.end(), pass.z)) {
    far_z_.require(nd * sizeof(uint64));
    z_.assign(pass.z, pass.z + nd);
    upload(far_z_.address(), z_.data(), nd * sizeof(uint64), stream_, "uploading the generating vector");
  }
  arguments().z = reinterpret_cast<const uint64 *>(far_z_.address());
}

void device_lattice::start(CUfunction kernel, int64 blocks) {
  void *parameters[] = {launch_.data()};
  check(
      cuda().launch(kernel, static_cast<unsigned>(blocks), 1, 1, lattice_block, 1, 1, 0, stream_, parameters, nullptr),
      "starting the kernel");
}

outcome device_lattice::run_units(const lattice_pass &pass, lattice_kernels &kernels, int64 first, int64 end,
                                  compensated_sum *sums) {
  prepare(pass, kernels, first, end);
  const lattice_arguments a = arguments();
  const int64 nc = problem_->settings.ncomp, runs = run_of(a.end_unit - 1) + 1 - a.first_run;
  if (f_->batch) {
    const outcome o = call_back(kernels);
    if (o != outcome::running) return o;
  } else {
    start(kernels.sums(), runs);
  }
  check(cuda().stream_synchronize(stream_), "the kernel");
  if (!f_->batch) {
    const outcome o = take_answer(kernels);
    if (o != outcome::running) return o;
  }
  for (int64 r = 0; r < runs; ++r) {
    compensated_sum *const to = sums + (a.first_run + r) / a.runs_per_shift * nc;
    for (int64 k = 0; k < nc; ++k) {
      const compensated_sum &p = a.partial[r * nc + k];
      if (!std::isfinite(p.value())) {
        message_ = f_->batch ? "the device callback returned NaN or infinity at a point, or left out a point"
                              : find_nonfinite(pass, kernels, a.first_run + r);
        return outcome::nonfinite;
      }
      to[k].add(p);
    }
  }
  return outcome::running;
}

// What the integrand said beside its values.
outcome device_lattice::take_answer(lattice_kernels &kernels) {
  auto &answer = *static_cast<lattice_report *>(answer_.address());
  if (answer.flags == 0) return outcome::running;
  const lattice_report said = answer;
  answer = {};
  clear_flags({kernels.flags(), kernels.status()}, stream_);
  report_->remark = describe_flags(said.flags & ~flags_that_end);
  if ((said.flags & flags_that_end) == 0) return outcome::running;
  status_ = said.status;
  message_ = why_stopped(said.flags, said.status);
  return outcome::callback;
}

// Points, the callback and sums, in calls of as many units as the limits allow.
outcome device_lattice::call_back(lattice_kernels &kernels) {
  lattice_arguments &a = arguments();
  const int nc = problem_->settings.ncomp;
  const int64 rows = problem_->coordinates() + 1, unit = unit_points(lattice_most_lanes);
  const int64 most = std::max(unit, std::min(most_batch_points, most_batch_bytes / (8 * (rows + nc)))) / unit;
  batch_callback callback = {f_->batch, f_->userdata, stream_, 0, {}};
  const int64 first = a.first_unit, end = a.end_unit, first_run = a.first_run;
  compensated_sum *const partial = a.partial;
  for (int64 u = first; u < end; u += most) {
    a.first_unit = u;
    a.end_unit = std::min(end, u + most);
    a.first_run = run_of(u);
    a.partial = partial + (a.first_run - first_run) * nc;
    a.first_point = position(u);
    const int64 n = position(a.end_unit) - a.first_point;
    a.stride_x = (n + 63) / 64 * 64;
    require(x_, rows * a.stride_x);
    require(values_, nc * a.stride_x);
    a.x = reinterpret_cast<double *>(x_.address());
    a.f = reinterpret_cast<const double *>(values_.address());
    start(kernels.points(), a.end_unit - u);
    if (!callback.call(n, problem_->coordinates(), x_.address(), a.stride_x, nc, values_.address(), a.stride_x)) {
      status_ = callback.status;
      message_ = callback.message;
      return outcome::callback;
    }
    start(kernels.sums(), a.end_unit - u);
  }
  return outcome::running;
}

// The first point of a run of units at which the integrand is not finite.
std::string device_lattice::find_nonfinite(const lattice_pass &pass, const lattice_kernels &kernels, int64 run) {
  const lattice_arguments a = arguments();
  const int nd = problem_->settings.ndim, nc = problem_->settings.ncomp;
  const int64 shift = run / a.runs_per_shift, per_run = a.units_per_run * unit_points(a.lanes);
  const int64 begin = run % a.runs_per_shift * per_run, end = std::min(pass.count, begin + per_run);
  const int64 most = std::max<int64>(1, std::min<int64>(65536, 4194304 / std::max(problem_->coordinates(), nc)));
  std::vector<double> x, f, jacobian;
  for (int64 from = begin; from < end; from += most) {
    const int64 n = std::min(most, end - from);
    x.resize(size(n * problem_->coordinates()));
    f.resize(size(n * nc));
    jacobian.assign(size(n), 1.0);
    for (int j = 0; j < nd; ++j) {
      const uint64 moved = shift_of(pass.source, static_cast<uint64>(pass.first_shift + shift), j),
                   step = phase_step(pass, j);
      for (int64 i = 0; i < n; ++i) {
        const int64 known = (from + i) / resynchronise * resynchronise;
        const uint64 phase = phase_at(pass, j, known, moved) + static_cast<uint64>(from + i - known) * step;
        double complement = 0.0;
        x[size(j * n + i)] = coordinate(pass.transform, problem_->axes[size(j)], phase, jacobian[size(i)], complement);
        if (problem_->complement) x[size((nd + j) * n + i)] = complement;
      }
    }
    try {
      at_points(kernels.points(), f_->params, points_, stream_, problem_->coordinates(), nc, n, x.data(), f.data());
    } catch (const device_error &e) {
      if (!e.out_of_memory()) throw;  // the value so far is worth more than the point
      return "the integrand is NaN or infinite at a point that there is no memory left to look for";
    }
    tessera::take_answer({kernels.flags(), kernels.status()},
                         stream_);  // it was asked once more, which counts for nothing
    for (int64 i = 0; i < n; ++i)
      for (int k = 0; k < nc; ++k) {
        const double v = weighted(f[size(k * n + i)], jacobian[size(i)]);
        if (std::isfinite(v)) continue;
        std::vector<double> at;
        for (int j = 0; j < nd; ++j) at.push_back(x[size(j * n + i)]);
        return nonfinite_message(k, f[size(k * n + i)], at.data(), nd);
      }
  }
  return "the weighted sum of the integrand overflows";
}

}  // namespace tessera
