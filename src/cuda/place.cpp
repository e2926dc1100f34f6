// A device as a place, and the one symbol that the plug-in exports.
// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "../plugin.hpp"
#include "construct/construct.hpp"
#include "method.hpp"

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

class cuda_place final : public place {
  template <class Body>
  auto on_device(Body body) {
    return translated([&] {
      const current_context here(context_.get());
      return body();
    });
  }

 public:
  explicit cuda_place(CUdevice device) : context_(device) {
    const current_context here(context_.get());
    setting_ = std::make_unique<cuda_setting>(device);
  }

  ~cuda_place() override {
    try {
      const current_context here(context_.get());
      for (auto &m : methods_) m.reset();
      setting_.reset();
    } catch (const device_error &) {  // the device is gone; there is nothing left to give back
    }
  }

  void use_stream(void *stream) override {
    if (!setting_->use_stream(static_cast<CUstream>(stream))) return;
    for (const auto &m : methods_)
      if (m) m->use_stream(setting_->stream());
  }

  void run(const problem &problem, const device_integrand &integrand, run_hooks &hooks, double *value, double *error,
           run_result &result, device_report &report) override {
    on_device([&] { method_of(problem.method).integrate(problem, integrand, hooks, value, error, result, report); });
  }

  many_results run_many(const many_problem &problem, const device_integrand &integrand, many_hooks &watch,
                        double *value, double *error, device_report &report) override {
    return on_device(
        [&] { return method_of(problem.common->method).run_many(problem, integrand, watch, value, error, report); });
  }

  std::string evaluate(const problem &problem, const device_integrand &integrand, int64 n, const double *x,
                       double *f) override {
    return on_device([&] { return method_of(problem.method).evaluate(problem, integrand, n, x, f); });
  }

  bool construct(const cbc_settings &settings, bool single_precision, cbc_hooks &hooks, cbc_result &result) override {
    return on_device([&] {
      return cuda_construct(settings, single_precision, hooks, result, setting_->arch(), setting_->multiprocessors(),
                            &shared_cache(true));
    });
  }
  int64 memory_to_construct() override {
    return on_device([] { return static_cast<int64>(cuda_setting::free_bytes() / 20 * 19); });
  }

 private:
  cuda_method &method_of(method_number which) {
    std::unique_ptr<cuda_method> &m = methods_[which];
    if (!m) switch (which) {
#define METHOD(name, number, constant) \
  case method_##name:                  \
    m = make_cuda_##name(*setting_);   \
    break;
#include "../methods.def"
      }
    return *m;
  }

  const primary_context context_;
  std::unique_ptr<cuda_setting> setting_;
  std::array<std::unique_ptr<cuda_method>, methods_end> methods_;  // those that have been used
};

int count_devices() {
  return translated([] {
    int n = 0;
    check(cuda().device_count(&n), "counting the devices");
    return n;
  });
}

place *open_device(int ordinal) {
  return translated([&]() -> place * {
    const int count = count_devices();
    if (ordinal < 0 || ordinal >= count)
      throw device_error("there is no device " + std::to_string(ordinal) + "; the system has " + std::to_string(count),
                         device_error::trouble::missing);
    CUdevice device = 0;
    check(cuda().device_get(&device, ordinal), "finding the device");
    return new cuda_place(device);
  });
}

}  // namespace
}  // namespace tessera

extern "C" __attribute__((visibility("default"))) const tessera::device_plugin *tessera_device_plugin() {
  static const tessera::device_plugin plugin = {tessera::backend_abi, tessera::count_devices, tessera::open_device};
  return &plugin;
}
