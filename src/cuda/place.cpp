// A device as a place, and the one symbol that the plug-in exports.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <mutex>

#include "../plugin.hpp"
#include "construct/construct.hpp"
#include "kept_places.hpp"
#include "many_devices.hpp"
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

class cuda_place final : public place, public other_devices {
  template <class Body>
  auto on_device(Body body) {
    return translated([&] {
      const current_context here(context_.get());
      const memory_count::scope counted(count_);
      return body();
    });
  }

 public:
  explicit cuda_place(const std::vector<CUdevice> &devices)
      : device_(devices.front()),
        context_(device_),
        others_(devices.begin() + 1, devices.end()),
        places_(others_.size()),
        always_(one_device_is_several()) {
    const current_context here(context_.get());
    check(cuda().context_id(context_.get(), &context_id_), "asking for the context");
    setting_ = std::make_unique<cuda_setting>(devices.front(), context_.get(), others_.empty() ? nullptr : this);
  }

  ~cuda_place() override {
    try {
      const current_context here(context_.get());
      for (auto &m : methods_) m.reset();
      setting_.reset();
    } catch (const device_error &) {  // the device is gone; there is nothing left to give back
    }
  }

  bool is_of(const std::vector<CUdevice> &devices) const {
    return devices.front() == device_ &&
           std::equal(devices.begin() + 1, devices.end(), others_.begin(), others_.end()) &&
           always_ == one_device_is_several();
  }
  bool has_any_of(const cuda_place &other) const {
    const auto has = [this](CUdevice d) {
      return d == device_ || std::find(others_.begin(), others_.end(), d) != others_.end();
    };
    return has(other.device_) || std::any_of(other.others_.begin(), other.others_.end(), has);
  }
  // Neither an integrand has broken a device meanwhile, nor has the program reset it: that ends all that was made there.
  bool is_well() const {
    unsigned long long id = 0;
    if (cuda().context_id(context_.get(), &id) != CUDA_SUCCESS || id != context_id_) return false;
    try {
      const current_context here(context_.get());
      const CUresult r = cuda().stream_query(setting_->stream());
      if (r != CUDA_SUCCESS && r != CUDA_ERROR_NOT_READY) return false;
    } catch (const device_error &) {
      return false;
    }
    return std::all_of(places_.begin(), places_.end(), [](const auto &p) { return !p || p->is_well(); });
  }
  std::size_t held_bytes() const {
    std::size_t bytes = count_.bytes();
    for (const auto &p : places_) bytes += p ? p->held_bytes() : 0;
    return bytes;
  }
  std::size_t most_bytes() const {
    std::size_t bytes = 0;
    return cuda().device_memory(&bytes, device_) == CUDA_SUCCESS ? bytes / 64 : 0;
  }

  void release() override {
    for (const auto &m : methods_)
      if (m) m->release();
    for (const auto &p : places_)
      if (p) p->release();
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
    const auto run_part = [&](int device, const many_problem &part, many_hooks &of_part, double *v, double *e,
                              device_report &said) {
      cuda_place &there = device == 0 ? *this : place_of(device - 1);
      return there.on_device(
          [&] { return there.method_of(part.common->method).run_many(part, integrand, of_part, v, e, said); });
    };
    // A device callback is the program's, and is called by one thread.
    const int devices = integrand.batch ? 1 : 1 + static_cast<int>(others_.size());
    if (devices == 1) return run_part(0, problem, watch, value, error, report);
    const lone_devices whole(each_alone_);
    return run_many_on_devices({devices, are_there(), always_, rows_at_once(problem)}, problem, watch, value, error,
                               report, run_part);
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
  int64 kind() const override { return int64{setting_->arch()} * 65536 + setting_->multiprocessors(); }
  int64 memory_to_construct() override {
    return on_device([] { return static_cast<int64>(cuda_setting::free_bytes() / 20 * 19); });
  }

 private:
  // While whole integrals are shared out each device has its own, and shares none of them with those that are busy.
  struct lone_devices {
    explicit lone_devices(bool &alone) : alone_(alone) { alone_ = true; }
    ~lone_devices() { alone_ = false; }
    lone_devices(const lone_devices &) = delete;
    lone_devices &operator=(const lone_devices &) = delete;
    bool &alone_;
  };
  int count() const override { return each_alone_ ? 0 : static_cast<int>(others_.size()); }
  bool are_there() const override {
    return std::all_of(places_.begin(), places_.end(), [](const auto &p) { return p != nullptr; });
  }
  bool always() const override { return always_; }
  cuda_setting &setting_of(int i) override { return *place_of(i).setting_; }
  cuda_place &place_of(int i) {
    const std::lock_guard<std::mutex> lock(starting_);
    std::unique_ptr<cuda_place> &p = places_[static_cast<std::size_t>(i)];
    if (!p) p = std::make_unique<cuda_place>(std::vector<CUdevice>{others_[static_cast<std::size_t>(i)]});
    return *p;
  }

  // Those of the first device, for the decision is about all integrals.
  int64 rows_at_once(const many_problem &problem) {
    return on_device([&] { return method_of(problem.common->method).rows_at_once(problem); });
  }

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

  memory_count count_;
  const CUdevice device_;
  const primary_context context_;
  unsigned long long context_id_ = 0;
  const std::vector<CUdevice> others_;  // behind the first one
  std::vector<std::unique_ptr<cuda_place>> places_;
  std::mutex starting_;
  const bool always_;
  bool each_alone_ = false;
  std::unique_ptr<cuda_setting> setting_;
  std::array<std::unique_ptr<cuda_method>, methods_end> methods_;  // those that have been used
};

// Outlives what a program destroys when it ends; the driver takes back what is left then.
kept_places<cuda_place> &kept() {
  static auto *places = new kept_places<cuda_place>;
  return *places;
}

// A place as a solver has it: kept for the next one, unless something has gone wrong in it.
class lent_place final : public place {
  template <class Body>
  auto watch(const Body &body) {
    try {
      return body();
    } catch (const compile_error &) {
      throw;
    } catch (...) {
      spoilt_ = true;
      throw;
    }
  }

 public:
  explicit lent_place(const std::vector<CUdevice> &devices)
      : place_(kept().take([&](const cuda_place &p) { return p.is_of(devices); })) {
    if (place_ && !place_->is_well()) end();
    if (!place_) place_ = std::make_unique<cuda_place>(devices);
  }
  ~lent_place() override {
    if (spoilt_) {
      end();
      return;
    }
    place_->use_stream(nullptr);
    place_->release();
    try {
      kept().give(std::move(place_));
    } catch (const std::bad_alloc &) {  // then it is not kept
    }
  }

  void run(const problem &problem, const device_integrand &integrand, run_hooks &hooks, double *value, double *error,
           run_result &result, device_report &report) override {
    watch([&] { place_->run(problem, integrand, hooks, value, error, result, report); });
  }
  many_results run_many(const many_problem &problem, const device_integrand &integrand, many_hooks &hooks,
                        double *value, double *error, device_report &report) override {
    return watch([&] { return place_->run_many(problem, integrand, hooks, value, error, report); });
  }
  std::string evaluate(const problem &problem, const device_integrand &integrand, int64 n, const double *x,
                       double *f) override {
    return watch([&] { return place_->evaluate(problem, integrand, n, x, f); });
  }
  bool construct(const cbc_settings &settings, bool single_precision, cbc_hooks &hooks, cbc_result &result) override {
    return watch([&] { return place_->construct(settings, single_precision, hooks, result); });
  }
  int64 memory_to_construct() override { return place_->memory_to_construct(); }
  int64 kind() const override { return place_->kind(); }
  void use_stream(void *stream) override { place_->use_stream(stream); }

 private:
  // With those that are on the same devices: a context that is broken ends with its last user.
  void end() {
    kept().drop([this](const cuda_place &p) { return p.has_any_of(*place_); });
    place_.reset();
  }

  std::unique_ptr<cuda_place> place_;
  bool spoilt_ = false;
};

int count_devices() {
  return translated([] {
    int n = 0;
    check(cuda().device_count(&n), "counting the devices");
    return n;
  });
}

place *open_devices(const std::vector<int> &ordinals) {
  return translated([&]() -> place * {
    const int count = count_devices();
    std::vector<CUdevice> devices;
    for (const int ordinal : ordinals) {
      if (ordinal < 0 || ordinal >= count)
        throw device_error(
            "there is no device " + std::to_string(ordinal) + "; the system has " + std::to_string(count),
            device_error::trouble::missing);
      CUdevice device = 0;
      check(cuda().device_get(&device, ordinal), "finding the device");
      if (!one_device_is_several() && std::find(devices.begin(), devices.end(), device) != devices.end())
        throw device_error("device " + std::to_string(ordinal) + " is named twice", device_error::trouble::missing);
      devices.push_back(device);
    }
    // Work is cut by the first one's measure, and a wait for the slowest would leave the others idle.
    for (const CUdevice device : devices)
      for (const CUdevice_attribute which :
           {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
            CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT}) {
        int first = 0, its = 0;
        check(cuda().device_attribute(&first, which, devices.front()), "asking the device");
        check(cuda().device_attribute(&its, which, device), "asking the device");
        if (its != first)
          throw device_error("devices " + std::to_string(ordinals.front()) + " and " +
                                 std::to_string(ordinals[static_cast<std::size_t>(
                                     std::find(devices.begin(), devices.end(), device) - devices.begin())]) +
                                 " are of different kinds and cannot share a run",
                             device_error::trouble::missing);
      }
    return new lent_place(devices);
  });
}

}  // namespace
}  // namespace tessera

extern "C" __attribute__((visibility("default"))) const tessera::device_plugin *tessera_device_plugin() {
  static const tessera::device_plugin plugin = {tessera::backend_abi, tessera::count_devices, tessera::open_devices};
  return &plugin;
}
