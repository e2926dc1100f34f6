// The device engine: sessions, and the one symbol that the plug-in exports.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <list>

#include "../core/node_table.hpp"
#include "../device.hpp"
#include "batch.hpp"
#include "executor.hpp"
#include "kernel.hpp"

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
    batch_ = std::make_unique<batch_run>(stream_);
  }

  ~cuda_session() override {
    try {
      const current_context here(context_);
      kernels_.clear();
      batch_kernels_.clear();
      executor_.reset();
      batch_.reset();
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
      upload_params(integrand);
      begin_run(problem, integrand, report);
      cubature_problem p = problem;
      p.settings.memory = std::min(p.settings.memory, free_memory());
      bulk<cuda_executor> driver(*executor_, p.settings, p.integration_rule.points, hooks);
      run_result result;
      result.end = driver.run(p.lower.data(), p.upper.data(), value, error);
      result.statistics = driver.statistics();
      result.has_value = result.statistics.evaluations > 0;
      if (result.end == outcome::nonfinite)
        result.sentence = integrand.batch ? "the device callback returned NaN or infinity at a point, or left out a point"
                                          : "the integrand returned NaN or infinity at a point on the device";
      if (result.end == outcome::callback) {
        result.callback_status = batch_->callback().status;
        result.sentence = batch_->callback().sentence;
      }
      if (integrand.batch) result.statistics.peak_bytes += batch_->work_bytes();
      return result;
    });
  }

  std::string evaluate(const cubature_problem &problem, const device_integrand &integrand, int64 n, const double *x,
                       double *f) override {
    return translated([&]() -> std::string {
      const current_context here(context_);
      upload_params(integrand);
      const std::size_t xs = static_cast<std::size_t>(n * problem.settings.ndim), fs = static_cast<std::size_t>(n * problem.settings.ncomp);
      points_.require((xs + fs) * sizeof(double));
      check(cuda().upload(points_.address(), x, xs * sizeof(double)), "uploading points");
      CUdeviceptr to = points_.address() + xs * sizeof(double), from = points_.address(), params = params_.address();
      if (integrand.batch) {
        check(cuda().stream_synchronize(nullptr), "uploading points");
        batch_callback callback = {integrand.batch, userdata_of(integrand), stream_, 0, {}};
        if (!callback.call(n, problem.settings.ndim, from, n, problem.settings.ncomp, to, n)) return callback.sentence;
      } else {
        device_report unused;
        const loaded_kernel &kernel = find_kernel(problem, integrand, unused);
        long long count = n;
        void *arguments[] = {&count, &from, &to, &params};
        const unsigned blocks = static_cast<unsigned>(std::min<int64>((n + 127) / 128, 4096));
        check(cuda().launch(kernel.points(), blocks, 1, 1, 128, 1, 1, 0, stream_, arguments, nullptr), "starting the kernel");
      }
      check(cuda().stream_synchronize(stream_), "the kernel");
      check(cuda().download(f, to, fs * sizeof(double)), "downloading values");
      return {};
    });
  }

 private:
  struct kept_kernel {
    std::string key;
    std::unique_ptr<loaded_kernel> kernel;
  };
  struct kept_batch_kernels {
    std::string key;
    std::unique_ptr<batch_kernels> kernels;
  };

  // What this process has compiled.
  static code_cache *code_in(bool disk) {
    static code_cache with_disk, without_disk{[] {
      cache_settings s;
      s.disk = false;
      return s;
    }()};
    return disk ? &with_disk : &without_disk;
  }

  void *userdata_of(const device_integrand &integrand) const {
    if (integrand.userdata || integrand.params.empty()) return integrand.userdata;
    return reinterpret_cast<void *>(params_.address());
  }

  void begin_run(const cubature_problem &problem, const device_integrand &integrand, device_report &report) {
    if (!integrand.batch) return executor_->begin(find_kernel(problem, integrand, report), params_.address());
    batch_->begin(find_batch_kernels(problem, integrand, report), problem, integrand.batch, userdata_of(integrand));
    executor_->begin(*batch_);
  }

  const batch_kernels &find_batch_kernels(const cubature_problem &problem, const device_integrand &integrand,
                                          device_report &report) {
    const std::string key = key_of(problem, device_integrand());
    for (auto k = batch_kernels_.begin(); k != batch_kernels_.end(); ++k)
      if (k->key == key) {
        batch_kernels_.splice(batch_kernels_.begin(), batch_kernels_, k);
        return *batch_kernels_.front().kernels;
      }
    auto kernels = std::make_unique<batch_kernels>(problem, arch_, multiprocessors_, code_in(integrand.disk_cache));
    report.compile_seconds = kernels->module().seconds;
    if (batch_kernels_.size() >= most_kernels) batch_kernels_.pop_back();
    batch_kernels_.push_front({key, std::move(kernels)});
    return *batch_kernels_.front().kernels;
  }

  static std::string key_of(const cubature_problem &p, const device_integrand &i) {
    std::string key = std::to_string(static_cast<int>(i.source.language)) + "/" + std::to_string(p.integration_rule.family) +
                      "/" + std::to_string(p.settings.ndim) + "/" + std::to_string(p.settings.ncomp) + "/" + i.source.function + "/" + i.source.file_name + "/";
    if (any_infinite(p.axes))
      for (const axis_map &a : p.axes) key += std::to_string(a.kind) + ":" + std::to_string(bits_of(a.anchor)) + " ";
    return key + "/" + i.source.text;
  }

  const loaded_kernel &find_kernel(const cubature_problem &problem, const device_integrand &integrand,
                                   device_report &report) {
    const std::string key = key_of(problem, integrand);
    for (auto k = kernels_.begin(); k != kernels_.end(); ++k)
      if (k->key == key) {
        kernels_.splice(kernels_.begin(), kernels_, k);
        return *kernels_.front().kernel;
      }
    auto kernel =
        std::make_unique<loaded_kernel>(problem, integrand.source, arch_, multiprocessors_, code_in(integrand.disk_cache));
    report.compile_seconds = kernel->module().seconds;
    report.compiled = kernel->module().hit == cache_hit::none;
    report.inlined = kernel->module().inlined;
    if (kernels_.size() >= most_kernels) kernels_.pop_back();
    kernels_.push_front({key, std::move(kernel)});
    return *kernels_.front().kernel;
  }

  void upload_params(const device_integrand &integrand) {
    if (integrand.params.empty() || integrand.params == uploaded_) return;
    params_.require(integrand.params.size());
    check(cuda().upload(params_.address(), integrand.params.data(), integrand.params.size()), "uploading the parameters");
    check(cuda().stream_synchronize(nullptr), "uploading the parameters");  // our stream does not wait for the default one
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
  std::unique_ptr<batch_run> batch_;
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

device_session *open_session(int ordinal, void *stream) {
  return translated([&]() -> device_session * { return new cuda_session(ordinal, stream); });
}

}  // namespace
}  // namespace tessera

extern "C" __attribute__((visibility("default"))) const tessera::device_plugin *tessera_device_plugin() {
  static const tessera::device_plugin plugin = {tessera::backend_abi, tessera::count_devices, tessera::open_session};
  return &plugin;
}
