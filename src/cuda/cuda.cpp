// The device engine: sessions, and the one symbol that the plug-in exports.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <list>

#include "../device.hpp"
#include "executor.hpp"
#include "kernel.hpp"
#include "rule_points.hpp"

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
  explicit cuda_session(CUdevice device)
      : arch_(10 * attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
              attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)),
        multiprocessors_(attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)),
        context_(device) {
    const current_context here(context_.get());
    check(cuda().stream_create(&own_stream_, CU_STREAM_NON_BLOCKING), "making a stream");
    stream_ = own_stream_;
    executor_ = std::make_unique<cuda_executor>(stream_);
  }

  ~cuda_session() override {
    try {
      const current_context here(context_.get());
      kernels_.clear();
      executor_.reset();
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
    uploaded_.clear();  // again, in this stream
  }

  run_result cubature(const cubature_problem &problem, const device_integrand &integrand, run_hooks &hooks, double *value,
                      double *error, device_report &report) override {
    return translated([&] {
      const current_context here(context_.get());
      const loaded_kernel &kernel = find_kernel(problem, integrand, report);
      const CUdeviceptr params = upload_params(integrand);
      cubature_problem p = problem;
      p.settings.memory = std::min(p.settings.memory, free_memory());
      executor_->begin(kernel, params);
      bulk<cuda_executor> driver(*executor_, p.settings, p.integration_rule.points, hooks);
      run_result result;
      result.end = driver.run(p.lower.data(), p.upper.data(), value, error);
      result.statistics = driver.statistics();
      result.has_value = result.statistics.evaluations > 0;
      const int flags = executor_->flags();
      if (flags != 0) clear_flags(kernel);
      if (result.end == outcome::callback) {
        result.callback_status = executor_->status();
        result.sentence = why_stopped(flags, result.callback_status);
      }
      report.remark = describe_flags(flags & ~flags_that_end);
      if (result.end == outcome::nonfinite) result.sentence = find_nonfinite(problem, kernel, params);
      return result;
    });
  }

  std::string evaluate(const cubature_problem &problem, const device_integrand &integrand, int64 n, const double *x,
                       double *f) override {
    return translated([&] {
      const current_context here(context_.get());
      device_report unused;
      const loaded_kernel &kernel = find_kernel(problem, integrand, unused);
      const CUdeviceptr params = upload_params(integrand);
      run_points(problem, kernel, params, n, x, f);
      int flags = 0, status = 0;
      check(cuda().download(&flags, kernel.flags(), sizeof flags), "downloading the integrand's answer");
      check(cuda().download(&status, kernel.status(), sizeof status), "downloading the integrand's answer");
      if (flags != 0) clear_flags(kernel);
      return (flags & flags_that_end) != 0 ? why_stopped(flags, status) : std::string();
    });
  }

 private:
  // In the words of the host.
  static std::string why_stopped(int flags, int status) {
    return (flags & flag_stop) != 0 ? "the integrand returned " + std::to_string(status) : describe_flags(flags & flag_exit);
  }

  void clear_flags(const loaded_kernel &kernel) {
    check(cuda().set_bytes(kernel.flags(), 0, sizeof(int), stream_), "clearing the integrand's answer");
    check(cuda().set_bytes(kernel.status(), 0, sizeof(int), stream_), "clearing the integrand's answer");
    check(cuda().stream_synchronize(stream_), "clearing the integrand's answer");  // the next run may have another stream
  }

  void run_points(const cubature_problem &problem, const loaded_kernel &kernel, CUdeviceptr params, int64 n, const double *x,
                  double *f) {
    const auto xs = static_cast<std::size_t>(n * problem.settings.ndim);
    const auto fs = static_cast<std::size_t>(n * problem.settings.ncomp);
    points_.require((xs + fs) * sizeof(double));
    check(cuda().upload_in_order(points_.address(), x, xs * sizeof(double), stream_), "uploading points");
    CUdeviceptr to = points_.address() + xs * sizeof(double), from = points_.address();
    long long count = n;
    void *arguments[] = {&count, &from, &to, &params};
    const unsigned blocks = static_cast<unsigned>(std::min<int64>((n + 127) / 128, 4096));
    check(cuda().launch(kernel.points(), blocks, 1, 1, 128, 1, 1, 0, stream_, arguments, nullptr), "starting the kernel");
    check(cuda().stream_synchronize(stream_), "the kernel");
    check(cuda().download(f, to, fs * sizeof(double)), "downloading values");
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
          return nonfinite_sentence(static_cast<int>(k), v, at.data(), static_cast<int>(nd));
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
        report.inlined = kernels_.front().kernel->module().inlined;
        return *kernels_.front().kernel;
      }
    static code_cache with_disk, without_disk{[] {
      cache_settings s;
      s.disk = false;
      return s;
    }()};
    auto kernel = std::make_unique<loaded_kernel>(problem, integrand.source, arch_, multiprocessors_,
                                                  integrand.disk_cache ? &with_disk : &without_disk);
    report.compile_seconds = kernel->module().seconds;
    report.inlined = kernel->module().inlined;
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
    check(cuda().upload_in_order(params_.address(), uploaded_.data(), uploaded_.size(), stream_), "uploading the parameters");
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

device_session *open_session(int ordinal) {
  return translated([&]() -> device_session * {
    const int count = count_devices();
    if (ordinal < 0 || ordinal >= count)
      throw device_error("there is no device " + std::to_string(ordinal) + "; the system has " + std::to_string(count),
                         device_error::trouble::missing);
    CUdevice device = 0;
    check(cuda().device_get(&device, ordinal), "finding the device");
    return new cuda_session(device);
  });
}

}  // namespace
}  // namespace tessera

extern "C" __attribute__((visibility("default"))) const tessera::device_plugin *tessera_device_plugin() {
  static const tessera::device_plugin plugin = {tessera::backend_abi, tessera::count_devices, tessera::open_session};
  return &plugin;
}
