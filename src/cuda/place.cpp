// The device engine: sessions, and the one symbol that the plug-in exports.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <list>

#include "../plugin.hpp"
#include "cubature/batch.hpp"
#include "construct/construct.hpp"
#include "cubature/executor.hpp"
#include "cubature/kernel.hpp"
#include "cubature/many.hpp"
#include "lattice/lattice.hpp"
#include "montecarlo/montecarlo.hpp"
#include "cubature/rule_points.hpp"
#include "device/user_calls.hpp"

namespace tessera {
namespace {

// What the engine throws becomes what libtessera knows.
template <class Body>
auto translated(Body body) {
  try {
    return body();
  } catch (const device_error &e) {
    throw device_failure(e.what(), e.missing());
  }
}

int attribute(CUdevice device, CUdevice_attribute which) {
  int v = 0;
  check(cuda().device_attribute(&v, which, device), "asking the device");
  return v;
}

int arch_of(CUdevice device) {
  return 10 * attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
         attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

// What this process has compiled.
code_cache *code_in(bool disk) {
  static code_cache with_disk, without_disk{[] {
    cache_settings s;
    s.disk = false;
    return s;
  }()};
  return disk ? &with_disk : &without_disk;
}

class cuda_place final : public place {
 public:
  explicit cuda_place(CUdevice device)
      : arch_(arch_of(device)),
        multiprocessors_(attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)),
        context_(device) {
    const current_context here(context_.get());
    check(cuda().stream_create(&own_stream_, CU_STREAM_NON_BLOCKING), "making a stream");
    stream_ = own_stream_;
    executor_ = std::make_unique<cuda_executor>(stream_);
    batch_ = std::make_unique<batch_run>(stream_);
    slots_ = std::make_unique<many_executor>(stream_);
    lattice_ = std::make_unique<device_lattice>(stream_, arch_, multiprocessors_);
    sampler_ = std::make_unique<device_sampler>(stream_, arch_, multiprocessors_);
  }

  ~cuda_place() override {
    try {
      const current_context here(context_.get());
      kernels_.clear();
      batch_kernels_.clear();
      executor_.reset();
      batch_.reset();
      slots_.reset();
      lattice_.reset();
      sampler_.reset();
      params_.clear();
      points_.clear();
      cuda().stream_destroy(own_stream_);
    } catch (const device_error &) {  // the device is gone; there is nothing left to give back
    }
  }

  void use_stream(void *stream) override {
    const CUstream next = stream ? static_cast<CUstream>(stream) : own_stream_;
    if (next == stream_) return;
    stream_ = next;
    executor_->use_stream(next);
    batch_->use_stream(next);
    slots_->use_stream(next);
    lattice_->use_stream(next);
    sampler_->use_stream(next);
    uploaded_.clear();  // again, in this stream
  }

  cubature_result cubature(const cubature_problem &problem, const device_integrand &integrand, const given_regions &, run_hooks &hooks,
                      double *value, double *error, device_report &report) override {
    return translated([&] {
      const current_context here(context_.get());
      const CUdeviceptr params = upload_params(integrand);
      const loaded_kernel *const kernel = begin_run(problem, integrand, params, report);
      cubature_problem p = problem;
      p.settings.memory = std::min(p.settings.memory, free_memory());
      bulk<cuda_executor> driver(*executor_, p.settings, p.integration_rule.points, hooks);
      cubature_result result;
      result.end = driver.run(p.lower.data(), p.upper.data(), value, error);
      result.statistics = driver.statistics();
      result.has_value = result.statistics.evaluations > 0;
      if (kernel) {
        explain(problem, *kernel, params, result, report);
      } else {
        explain_batch(result);
      }
      return result;
    });
  }

  many_results cubature_many(const many_problem &problem, const device_integrand &integrand, many_hooks &watch, double *value,
                             double *error, device_report &report) override {
    return translated([&] {
      const current_context here(context_.get());
      many_results results(problem.rows());
      many_progress progress(problem, watch, results, value, error);
      if (!integrand.batch && many_executor::suits(problem)) {
        cubature_problem shape = problem.common;  // all rows are for one kernel
        shape.axes.assign(shape.axes.size(), {problem.any_infinite_row() ? axis_up : axis_finite, 0.0});
        const loaded_kernel &kernel = find_kernel(shape, integrand, report, true);
        const CUdeviceptr params = upload_params(integrand);
        slots_->prepare(kernel, problem, free_memory() - static_cast<int64>(executor_->held_bytes()));
        for (int64 first = 0; first < problem.rows() && progress.go_on(); first += many_executor::most_rows) {
          slots_->run(kernel, problem, params, first, results, value, error);
          progress.count_up_to(first + many_executor::most_rows);
        }
        results.peak_bytes = slots_->slot_bytes();
        report.remark = describe_flags(slots_->flags() & ~flags_that_end);
      }
      // What is left is too large for a slot, or launched by the caller's program.
      device_integrand one = integrand;
      for (int64 row = 0; row < problem.rows() && progress.go_on(); ++row)
        if (results.rows[static_cast<std::size_t>(row)].end == outcome::running)
          run_large(problem, one, row, progress, results, value, error, report);
      progress.give_up_the_rest();
      results.region_bytes = 8 * region_fields(problem.common.settings.ndim, problem.common.settings.ncomp);
      return results;
    });
  }

  lattice_result lattice(const lattice_problem &problem, const device_integrand &integrand, run_hooks &hooks, double *value,
                         double *error, device_report &report) override {
    return translated([&] {
      const current_context here(context_.get());
      return lattice_->integrate(problem, lattice_integrand(integrand), hooks, value, error, report);
    });
  }

  sampling_result monte_carlo(const sampling_problem &problem, const device_integrand &integrand, std::vector<double> &grid,
                              run_hooks &hooks, double *value, double *error, double *chi_square,
                              device_report &report) override {
    return translated([&] {
      const current_context here(context_.get());
      return sampler_->integrate(problem, sampling_integrand(integrand), grid, hooks, value, error, chi_square, report);
    });
  }

  std::string evaluate(const sampling_problem &problem, const device_integrand &integrand, int64 n, const double *x,
                       double *f) override {
    return translated([&] {
      const current_context here(context_.get());
      return sampler_->evaluate(problem, sampling_integrand(integrand), n, x, f);
    });
  }

  std::string evaluate(const lattice_problem &problem, const device_integrand &integrand, int64 n, const double *x,
                       double *f) override {
    return translated([&] {
      const current_context here(context_.get());
      return lattice_->evaluate(problem, lattice_integrand(integrand), n, x, f);
    });
  }

  std::string evaluate(const cubature_problem &problem, const device_integrand &integrand, int64 n, const double *x,
                       double *f) override {
    return translated([&]() -> std::string {
      const current_context here(context_.get());
      const CUdeviceptr params = upload_params(integrand);
      if (integrand.batch) {
        batch_callback callback = {integrand.batch, userdata_of(integrand, params), stream_, 0, {}};
        const auto call = [&](CUdeviceptr from, CUdeviceptr to) {
          return callback.call(n, problem.settings.ndim, from, n, problem.settings.ncomp, to, n);
        };
        if (!at_points(points_, stream_, problem.settings.ndim, problem.settings.ncomp, n, x, f, call)) return callback.message;
        return {};
      }
      device_report unused;
      const loaded_kernel &kernel = find_kernel(problem, integrand, unused);
      run_points(problem, kernel, params, n, x, f);
      return take_answer(answer_of(kernel), stream_);
    });
  }

 private:
  static flag_addresses answer_of(const loaded_kernel &kernel) { return {kernel.flags(), kernel.status()}; }
  void run_points(const cubature_problem &problem, const loaded_kernel &kernel, CUdeviceptr params, int64 n, const double *x,
                  double *f) {
    at_points(kernel.points(), params, points_, stream_, problem.settings.ndim, problem.settings.ncomp, n, x, f);
  }

  // What the integrand said in a run, and where it was not finite.
  void explain(const cubature_problem &problem, const loaded_kernel &kernel, CUdeviceptr params, cubature_result &result,
               device_report &report) {
    const int flags = executor_->flags();
    if (flags != 0) clear_flags(answer_of(kernel), stream_);
    if (result.end == outcome::callback) {
      result.callback_status = executor_->status();
      result.message = why_stopped(flags, result.callback_status);
    }
    if ((flags & ~flags_that_end) != 0) report.remark = describe_flags(flags & ~flags_that_end);
    if (result.end == outcome::nonfinite) result.message = find_nonfinite(problem, kernel, params);
  }

  void explain_batch(cubature_result &result) const {
    if (result.end == outcome::nonfinite)
      result.message = "the device callback returned NaN or infinity at a point, or left out a point";
    if (result.end == outcome::callback) {
      result.callback_status = batch_->callback().status;
      result.message = batch_->callback().message;
    }
    result.statistics.peak_bytes += batch_->work_bytes();
  }

  // The first point of the rule, in its order, at which the integrand is not finite in the region where a sum was not.
  std::string find_nonfinite(const cubature_problem &problem, const loaded_kernel &kernel, CUdeviceptr params) try {
    const std::vector<double> &box = executor_->failed_box();
    const rule_points points(problem.integration_rule);
    const int64 all = problem.integration_rule.points, nd = problem.settings.ndim, nc = problem.settings.ncomp;
    const int64 most = std::max<int64>(1, std::min<int64>(65536, 4194304 / nc));
    std::vector<double> x, f, jacobian;
    for (int64 first = 0; first < all; first += most) {
      const int64 n = std::min(most, all - first);
      x.resize(static_cast<std::size_t>(n * nd));
      f.resize(static_cast<std::size_t>(n * nc));
      jacobian.assign(static_cast<std::size_t>(n), 1.0);
      points.fill(box.data(), first, n, x.data());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto j = i / jacobian.size();
        x[i] = map_axis(problem.axes[j], x[i], jacobian[i % jacobian.size()]);
      }
      run_points(problem, kernel, params, n, x.data(), f.data());
      for (int64 i = 0; i < n; ++i)
        for (int64 k = 0; k < nc; ++k) {
          const double v = weighted(f[static_cast<std::size_t>(k * n + i)], jacobian[static_cast<std::size_t>(i)]);
          if (std::isfinite(v)) continue;
          std::vector<double> at;
          for (int64 j = 0; j < nd; ++j) at.push_back(x[static_cast<std::size_t>(j * n + i)]);
          return nonfinite_message(static_cast<int>(k), v, at.data(), static_cast<int>(nd));
        }
    }
    return "the sum over a region overflows";
  } catch (const device_error &e) {
    if (!e.out_of_memory()) throw;  // the value so far is worth more than the point
    return "the integrand is NaN or infinite at a point that there is no memory left to look for";
  }

  struct kept_kernel {
    std::string key;
    std::unique_ptr<loaded_kernel> kernel;
  };
  struct kept_batch_kernels {
    std::string key;
    std::unique_ptr<batch_kernels> kernels;
  };

  device_lattice::integrand lattice_integrand(const device_integrand &integrand) {
    const CUdeviceptr params = upload_params(integrand);
    return {integrand.source, integrand.batch, userdata_of(integrand, params), params, code_in(integrand.disk_cache)};
  }

  device_sampler::integrand sampling_integrand(const device_integrand &integrand) {
    const CUdeviceptr params = upload_params(integrand);
    return {integrand.source, integrand.batch, userdata_of(integrand, params), params, code_in(integrand.disk_cache)};
  }

  static void *userdata_of(const device_integrand &integrand, CUdeviceptr params) {
    return integrand.userdata ? integrand.userdata : reinterpret_cast<void *>(params);
  }

  // The kernel of the run; null for a device callback.
  const loaded_kernel *begin_run(const cubature_problem &problem, const device_integrand &integrand, CUdeviceptr params,
                                 device_report &report) {
    if (integrand.batch) {
      batch_->begin(find_batch_kernels(problem, integrand, report), problem, integrand.batch, userdata_of(integrand, params));
      executor_->begin(*batch_);
      return nullptr;
    }
    const loaded_kernel &kernel = find_kernel(problem, integrand, report);
    executor_->begin(kernel, params);
    return &kernel;
  }

  const batch_kernels &find_batch_kernels(const cubature_problem &problem, const device_integrand &integrand,
                                          device_report &report) {
    const std::string key = key_of(problem, device_integrand(), false);
    for (auto k = batch_kernels_.begin(); k != batch_kernels_.end(); ++k)
      if (k->key == key) {
        batch_kernels_.splice(batch_kernels_.begin(), batch_kernels_, k);
        return *batch_kernels_.front().kernels;
      }
    auto kernels = std::make_unique<batch_kernels>(problem, arch_, multiprocessors_, code_in(integrand.disk_cache), stream_);
    report.compile_seconds += kernels->module().seconds;
    if (batch_kernels_.size() >= most_kernels) batch_kernels_.pop_back();
    batch_kernels_.push_front({key, std::move(kernels)});
    return *batch_kernels_.front().kernels;
  }

  // One of many on the whole device.
  void run_large(const many_problem &problem, device_integrand &integrand, int64 row, many_progress &progress,
                 many_results &results, double *value, double *error, device_report &report) {
    many_row &r = results.rows[static_cast<std::size_t>(row)];
    const std::size_t at = static_cast<std::size_t>(row) * static_cast<std::size_t>(problem.common.settings.ncomp);
    cubature_problem p = problem.common;
    problem.give_box(row, p);
    if (problem.params) integrand.params.assign(problem.block(row), problem.block(row) + problem.params_bytes);
    try {
      const cubature_result one = cubature(p, integrand, {}, progress, value + at, error + at, report);
      r = {one.end, one.has_value, one.callback_status, one.statistics.evaluations, one.statistics.regions,
           one.statistics.iterations};
      results.keep_message(row, one.message);
      results.peak_bytes = std::max(results.peak_bytes, one.statistics.peak_bytes);
    } catch (const std::bad_alloc &) {
      r.end = outcome::memory;
      results.keep_message(row, "no memory left");
    }
    progress.count(row);
  }

  static std::string key_of(const cubature_problem &p, const device_integrand &i, bool many) {
    std::string key = (many ? "many/" : "one/") + std::to_string(static_cast<int>(i.source.language)) + "/" + std::to_string(p.integration_rule.family) +
                      "/" + std::to_string(p.integration_rule.points) + "/" + std::to_string(p.settings.ndim) + "/" + std::to_string(p.settings.ncomp) + "/" + i.source.function + "/" + i.source.file_name + "/";
    if (any_infinite(p.axes))
      for (const axis_map &a : p.axes) key += std::to_string(a.kind) + ":" + std::to_string(bits_of(a.anchor)) + " ";
    return key + "/" + i.source.text;
  }

  const loaded_kernel &find_kernel(const cubature_problem &problem, const device_integrand &integrand,
                                   device_report &report, bool many = false) {
    const std::string key = key_of(problem, integrand, many);
    for (auto k = kernels_.begin(); k != kernels_.end(); ++k)
      if (k->key == key) {
        kernels_.splice(kernels_.begin(), kernels_, k);
        report.inlined = report.inlined && kernels_.front().kernel->module().inlined;
        return *kernels_.front().kernel;
      }
    auto kernel = std::make_unique<loaded_kernel>(problem, integrand.source, arch_, multiprocessors_,
                                                  code_in(integrand.disk_cache), stream_, many);
    report.compile_seconds += kernel->module().seconds;
    report.inlined = report.inlined && kernel->module().inlined;
    if (kernels_.size() >= most_kernels) kernels_.pop_back();
    kernels_.push_front({key, std::move(kernel)});
    return *kernels_.front().kernel;
  }

  // The block's address on the device; 0 when there is none.
  CUdeviceptr upload_params(const device_integrand &integrand) {
    if (integrand.params.empty()) return 0;
    if (integrand.params == uploaded_) return params_.address();
    params_.require(integrand.params.size());
    uploaded_ = integrand.params;  // lives on while the copy waits for its turn
    upload(params_.address(), uploaded_.data(), uploaded_.size(), stream_, "uploading the parameters");
    return params_.address();
  }

  // Nine tenths of what is free, and what the session holds already. Asked again when the session has taken more: the
  // question takes as long as a small integral, and what others have taken since shows when memory is wanted.
  int64 free_memory() {
    const std::size_t held = executor_->held_bytes();
    if (most_memory_ == 0 || held != held_when_asked_) {
      std::size_t free = 0, total = 0;
      check(cuda().memory_info(&free, &total), "asking for the memory");
      most_memory_ = static_cast<int64>(free / 10 * 9 + held);
      held_when_asked_ = held;
    }
    return most_memory_;
  }

  static constexpr std::size_t most_kernels = 16;

  int64 most_memory_ = 0;
  std::size_t held_when_asked_ = 0;

  const int arch_, multiprocessors_;
  const primary_context context_;
  CUstream stream_ = nullptr, own_stream_ = nullptr;
  std::unique_ptr<cuda_executor> executor_;
  std::unique_ptr<batch_run> batch_;
  std::unique_ptr<many_executor> slots_;
  std::unique_ptr<device_lattice> lattice_;
  std::unique_ptr<device_sampler> sampler_;
  std::list<kept_kernel> kernels_;  // last used first
  std::list<kept_batch_kernels> batch_kernels_;
  device_memory params_, points_;
  std::vector<unsigned char> uploaded_;
};

int count_devices() {
  return translated([] {
    int n = 0;
    check(cuda().device_count(&n), "counting the devices");
    return n;
  });
}

CUdevice device_of(int ordinal) {
  const int count = count_devices();
  if (ordinal < 0 || ordinal >= count)
    throw device_error("there is no device " + std::to_string(ordinal) + "; the system has " + std::to_string(count),
                       device_error::trouble::missing);
  CUdevice device = 0;
  check(cuda().device_get(&device, ordinal), "finding the device");
  return device;
}

place *open_session(int ordinal) {
  return translated([&]() -> place * { return new cuda_place(device_of(ordinal)); });
}

bool construct_lattice(int ordinal, const cbc_settings &settings, bool single_precision, cbc_hooks &hooks, cbc_result &result) {
  return translated([&] {
    const CUdevice device = device_of(ordinal);
    const primary_context context(device);
    const current_context here(context.get());
    return cuda_construct(settings, single_precision, hooks, result, arch_of(device),
                          attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), code_in(true));
  });
}

int64 memory_for_construction(int ordinal) {
  return translated([&] {
    const primary_context context(device_of(ordinal));
    const current_context here(context.get());
    std::size_t free = 0, total = 0;
    check(cuda().memory_info(&free, &total), "asking for the memory");
    return static_cast<int64>(free / 20 * 19);
  });
}

}  // namespace
}  // namespace tessera

extern "C" __attribute__((visibility("default"))) const tessera::device_plugin *tessera_device_plugin() {
  static const tessera::device_plugin plugin = {tessera::backend_abi, tessera::count_devices, tessera::open_session,
                                              tessera::construct_lattice, tessera::memory_for_construction};
  return &plugin;
}
