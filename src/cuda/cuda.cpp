// The device engine: sessions, and the one symbol that the plug-in exports.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <list>

#include "../core/node_table.hpp"
#include "../device.hpp"
#include "executor.hpp"
#include "kernel.hpp"
#include "many.hpp"

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

class cuda_session final : public device_session {
 public:
  cuda_session(int ordinal, void *stream) {
    int count = 0;
    check(cuda().device_count(&count), "counting the devices");
    if (ordinal < 0 || ordinal >= count)
      throw device_error("there is no device " + std::to_string(ordinal) + "; the system has " + std::to_string(count),
                         device_error::trouble::missing);
    check(cuda().device_get(&device_, ordinal), "finding the device");
    arch_ = 10 * attribute(device_, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
            attribute(device_, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    multiprocessors_ = attribute(device_, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    check(cuda().context_retain(&context_, device_), "starting the device");
    const current_context here(context_);
    stream_ = static_cast<CUstream>(stream);
    if (!stream_) {
      check(cuda().stream_create(&own_stream_, CU_STREAM_NON_BLOCKING), "making a stream");
      stream_ = own_stream_;
    }
    executor_ = std::make_unique<cuda_executor>(stream_);
    slots_ = std::make_unique<many_executor>(stream_);
  }

  ~cuda_session() override {
    try {
      const current_context here(context_);
      kernels_.clear();
      executor_.reset();
      slots_.reset();
      params_.clear();
      points_.clear();
      if (own_stream_) cuda().stream_destroy(own_stream_);
    } catch (const device_error &) {  // the device is gone; there is nothing left to give back
    }
    cuda().context_release(device_);
  }

  run_result cubature(const cubature_problem &problem, const device_integrand &integrand, run_hooks &hooks, double *value,
                      double *error, device_report &report) override {
    return translated([&] {
      const current_context here(context_);
      const loaded_kernel &kernel = find_kernel(problem, integrand, report);
      upload_params(integrand);
      cubature_problem p = problem;
      p.settings.memory = std::min(p.settings.memory, free_memory());
      executor_->begin(kernel, params_.address());
      bulk<cuda_executor> driver(*executor_, p.settings, p.integration_rule.points, hooks);
      run_result result;
      result.end = driver.run(p.lower.data(), p.upper.data(), value, error);
      result.statistics = driver.statistics();
      result.has_value = result.statistics.evaluations > 0;
      if (result.end == outcome::nonfinite) result.sentence = "the integrand returned NaN or infinity at a point on the device";
      return result;
    });
  }

  many_results cubature_many(const many_problem &problem, const device_integrand &integrand, many_hooks &watch, double *value,
                             double *error, device_report &report) override {
    return translated([&] {
      const current_context here(context_);
      many_results results(problem.rows());
      many_progress progress(problem, watch, results, value, error);
      if (many_executor::suits(problem)) {
        cubature_problem shape = problem.common;  // all rows are for one kernel
        shape.axes.assign(shape.axes.size(), {problem.any_infinite_row() ? axis_up : axis_finite, 0.0});
        const loaded_kernel &kernel = find_kernel(shape, integrand, report, true);
        upload_params(integrand);
        slots_->prepare(kernel, problem, free_memory() - static_cast<int64>(executor_->held_bytes()));
        for (int64 first = 0; first < problem.rows() && progress.go_on(); first += many_executor::most_rows) {
          slots_->run(kernel, problem, params_.address(), first, results, value, error);
          progress.count_up_to(first + many_executor::most_rows);
        }
        results.peak_bytes = slots_->slot_bytes();
      }
      // What is left is too large for a slot.
      device_integrand one = integrand;
      for (int64 row = 0; row < problem.rows() && progress.go_on(); ++row)
        if (results.rows[static_cast<std::size_t>(row)].end == outcome::running)
          run_large(problem, one, row, progress, results, value, error, report);
      progress.give_up_the_rest();
      results.region_bytes = 8 * region_fields(problem.common.settings.ndim, problem.common.settings.ncomp);
      return results;
    });
  }

  void evaluate(const cubature_problem &problem, const device_integrand &integrand, int64 n, const double *x,
                double *f) override {
    translated([&] {
      const current_context here(context_);
      device_report unused;
      const loaded_kernel &kernel = find_kernel(problem, integrand, unused);
      upload_params(integrand);
      const std::size_t xs = static_cast<std::size_t>(n * problem.settings.ndim), fs = static_cast<std::size_t>(n * problem.settings.ncomp);
      points_.require((xs + fs) * sizeof(double));
      check(cuda().upload(points_.address(), x, xs * sizeof(double)), "uploading points");
      CUdeviceptr to = points_.address() + xs * sizeof(double), from = points_.address(), params = params_.address();
      long long count = n;
      void *arguments[] = {&count, &from, &to, &params};
      const unsigned blocks = static_cast<unsigned>(std::min<int64>((n + 127) / 128, 4096));
      check(cuda().launch(kernel.points(), blocks, 1, 1, 128, 1, 1, 0, stream_, arguments, nullptr), "starting the kernel");
      check(cuda().stream_synchronize(stream_), "the kernel");
      check(cuda().download(f, to, fs * sizeof(double)), "downloading values");
      return 0;
    });
  }

 private:
  struct kept_kernel {
    std::string key;
    std::unique_ptr<loaded_kernel> kernel;
  };

  // One of many on the whole device.
  void run_large(const many_problem &problem, device_integrand &integrand, int64 row, many_progress &progress,
                 many_results &results, double *value, double *error, device_report &report) {
    many_row &r = results.rows[static_cast<std::size_t>(row)];
    const std::size_t at = static_cast<std::size_t>(row) * static_cast<std::size_t>(problem.common.settings.ncomp);
    cubature_problem p = problem.common;
    problem.give_box(row, p);
    if (problem.params) integrand.params.assign(problem.block(row), problem.block(row) + problem.params_bytes);
    try {
      const run_result one = cubature(p, integrand, progress, value + at, error + at, report);
      r = {one.end, one.has_value, one.callback_status, one.statistics.evaluations, one.statistics.regions,
           one.statistics.iterations};
      results.keep_sentence(row, one.sentence);
      results.peak_bytes = std::max(results.peak_bytes, one.statistics.peak_bytes);
    } catch (const std::bad_alloc &) {
      r.end = outcome::memory;
      results.keep_sentence(row, "no memory left");
    }
    progress.count(row);
  }

  static std::string key_of(const cubature_problem &p, const device_integrand &i, bool many) {
    std::string key = (many ? "many/" : "one/") + std::to_string(static_cast<int>(i.source.language)) + "/" + std::to_string(p.integration_rule.family) +
                      "/" + std::to_string(p.settings.ndim) + "/" + std::to_string(p.settings.ncomp) + "/" + i.source.function + "/" + i.source.file_name + "/";
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
        return *kernels_.front().kernel;
      }
    static code_cache with_disk, without_disk{[] {
      cache_settings s;
      s.disk = false;
      return s;
    }()};
    auto kernel = std::make_unique<loaded_kernel>(problem, integrand.source, arch_, multiprocessors_,
                                                  integrand.disk_cache ? &with_disk : &without_disk, many);
    report.compile_seconds += kernel->module().seconds;
    report.compiled = report.compiled || kernel->module().hit == cache_hit::none;
    report.inlined = report.inlined && kernel->module().inlined;
    if (kernels_.size() >= most_kernels) kernels_.pop_back();
    kernels_.push_front({key, std::move(kernel)});
    return *kernels_.front().kernel;
  }

  void upload_params(const device_integrand &integrand) {
    if (integrand.params.empty() || integrand.params == uploaded_) return;
    params_.require(integrand.params.size());
    check(cuda().upload(params_.address(), integrand.params.data(), integrand.params.size()), "uploading the parameters");
    uploaded_ = integrand.params;
  }

  // Nine tenths of what is free, and what the session holds already.
  int64 free_memory() const {
    std::size_t free = 0, total = 0;
    check(cuda().memory_info(&free, &total), "asking for the memory");
    return static_cast<int64>(free / 10 * 9 + executor_->held_bytes());
  }

  static constexpr std::size_t most_kernels = 16;

  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr, own_stream_ = nullptr;
  int arch_ = 0, multiprocessors_ = 0;
  std::unique_ptr<cuda_executor> executor_;
  std::unique_ptr<many_executor> slots_;
  std::list<kept_kernel> kernels_;  // last used first
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

device_session *open_session(int ordinal, void *stream) {
  return translated([&]() -> device_session * { return new cuda_session(ordinal, stream); });
}

}  // namespace
}  // namespace tessera

extern "C" __attribute__((visibility("default"))) const tessera::device_plugin *tessera_device_plugin() {
  static const tessera::device_plugin plugin = {tessera::backend_abi, tessera::count_devices, tessera::open_session};
  return &plugin;
}
