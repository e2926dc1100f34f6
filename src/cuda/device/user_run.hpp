// What lattice rules and Monte Carlo share on a device: kernels around the user's integrand, and runs with them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <new>
#include <string>
#include <vector>

#include "../../core/periodize.hpp"
#include "../../core/sample_map.hpp"
#include "../../engine/known_axes.hpp"
#include "../../jit/device_compiler.hpp"
#include "../../shared_items.hpp"
#include "../method.hpp"
#include "user_answer.hpp"
#include "user_calls.hpp"

namespace tessera {

inline std::string define(const char *name, int value) {
  return std::string("-D") + name + "=" + std::to_string(value);
}

// ---- Axes -------------------------------------------------------------------------------------------------------------------

inline bool is_unit(const sample_axis &a) { return a.map.kind == axis_finite && a.lower == 0.0 && a.length == 1.0; }
inline int kind_of(const unit_axis &a) { return a.kind; }
inline int kind_of(const sample_axis &a) { return a.map.kind; }

template <class Axis>
int known_of(const std::vector<Axis> &axes) {
  int known = axes_unit;
  for (const Axis &a : axes)
    known = std::max<int>(known, kind_of(a) != axis_finite ? axes_any : (is_unit(a) ? axes_unit : axes_finite));
  return known;
}

using axis_bits = std::array<uint64, 6>;
inline axis_bits bits_of(const unit_axis &a) {
  return {static_cast<uint64>(a.kind),
          bits_of(a.lower),
          bits_of(a.length),
          bits_of(a.first),
          bits_of(a.last),
          bits_of(a.anchor)};
}
inline axis_bits bits_of(const sample_axis &a) {
  return {static_cast<uint64>(a.map.kind),
          bits_of(a.lower),
          bits_of(a.length),
          bits_of(a.map.first),
          bits_of(a.map.last),
          bits_of(a.map.anchor)};
}

// ---- Kernels ----------------------------------------------------------------------------------------------------------------

// What kernels are made for: `shape` is what is a constant in them, beside the integrand unless that is called back.
std::string key_of(std::initializer_list<int> shape, const placed_integrand &f);

// Compiled and loaded; joined with the integrand, or around a device callback.
class user_kernels {
 public:
  // Throws compile_error and device_error. The device's context is current.
  user_kernels(const kernel_text &text, int ndim, int ncomp, const placed_integrand &f, int arch);
  user_kernels(const user_kernels &) = delete;
  user_kernels &operator=(const user_kernels &) = delete;

  CUfunction points() const { return points_; }  // tessera_points, unless around a callback
  const flag_addresses &answer() const { return answer_; }
  const compiled_module &module() const { return module_; }
  bool inlined() const { return batch_ || module_.inlined; }

 protected:
  CUfunction function(const char *name) const { return library_.function(name); }
  // Blocks of a kernel at a time on the whole device.
  static int64 resident_blocks(CUfunction kernel, int threads, int multiprocessors);

  // The domain to tessera_axes, unless it is there: `there` is what was last.
  template <class Axis>
  void upload_axes(const std::vector<Axis> &axes, std::vector<Axis> &there, CUstream stream) const {
    const auto same = [](const Axis &a, const Axis &b) { return bits_of(a) == bits_of(b); };
    if (std::equal(axes.begin(), axes.end(), there.begin(), there.end(), same)) return;
    there = axes;  // lives on while the copy waits for its turn
    const std::size_t bytes = there.size() * sizeof(Axis);
    upload(library_.global("tessera_axes", bytes), there.data(), bytes, stream, "uploading the domain");
    check(cuda().stream_synchronize(stream), "uploading the domain");  // for every stream
  }

 private:
  const bool batch_;
  compiled_module module_;
  loaded_library library_;
  CUfunction points_ = nullptr;
  flag_addresses answer_ = {0, 0};
};

// ---- Runs -------------------------------------------------------------------------------------------------------------------

// Base of the executors.
class user_run : public cuda_method {
 public:
  void use_stream(CUstream stream) override { stream_ = stream; }

 protected:
  explicit user_run(cuda_setting &setting)
      : setting_(setting),
        stream_(setting.stream()),
        arch_(setting.arch()),
        multiprocessors_(setting.multiprocessors()) {}

  // coordinates: numbers that a point consists of, ndim or more.
  void begin(const placed_integrand &f, const problem &problem, device_report &report);
  user_answer *answer() const { return static_cast<user_answer *>(answer_.address()); }
  const void *params() const { return reinterpret_cast<const void *>(f_->params); }

  // A pass, whose end is memory where there is none for the points of a call.
  template <class Body>
  outcome within_memory(const Body &body) try {
    return body();
  } catch (const std::bad_alloc &) {
    message_ = "no memory for the points of one call";
    return outcome::memory;
  }
  // Is the time over, or was the run stopped? What has been launched is over then.
  outcome between_kernels() const {
    if (!hooks_ || !hooks_->is_wanted()) return outcome::running;
    check(cuda().stream_synchronize(stream_), "the kernel");
    return hooks_->within_step();
  }
  void start(CUfunction kernel, int64 blocks, int threads, void *arguments) const;
  // A device callback: columns x and f of n points.
  outcome call_back(int64 n, CUdeviceptr x, CUdeviceptr f, int64 stride);
  // What the integrand said beside its values, in the kernels that are over.
  outcome take_answer(const user_kernels &kernels);

  // The integrand at n points; find() gives the kernels unless there is a callback. Returns its message, "" for none.
  std::string evaluate_points(int64 n, const double *x, double *values,
                              const std::function<const user_kernels &()> &find);
  // The first sample at which the integrand is not finite, in words. fill(from, n, x, jacobian) makes samples from ... from+n-1, of
  // `per` points each; coordinate j of point p of sample i is x[(j*per + p)*n + i]. Values are to be multiplied with the jacobians;
  // where only such a product is not finite it is shown if show_weighted says so, else the value.
  using point_source = std::function<void(int64 from, int64 n, double *x, double *jacobian)>;
  std::string find_nonfinite(const user_kernels &kernels, int64 samples, int per, bool show_weighted,
                             const point_source &fill);
  // The same in words for a run: around a callback nothing is looked for.
  static const char *callback_nonfinite() {
    return "the device callback returned NaN or infinity at a point, or left out a point";
  }

  cuda_setting &setting_;
  CUstream stream_;
  const int arch_, multiprocessors_;
  // What went wrong first on this device, and with the first device of a run that on all of them; of the steps of the run.
  void merge_failure(first_failure &to) const {
    if (failure_.item() >= 0) to.report(failure_.item(), failure_.what(), failure_.status(), failure_.message());
  }
  void count_devices(int took_part) { report_->devices = std::max(report_->devices, took_part); }
  // The first failure of the step as that of the run. Returns what it is, or running.
  outcome take_failure() {
    if (failure_.item() < 0) return outcome::running;
    status_ = failure_.status();
    message_ = failure_.message();
    return failure_.what();
  }

  // Of the run.
  run_hooks *hooks_ = nullptr;
  shared_items shared_{nullptr};
  first_failure failure_;
  std::atomic<int64> no_zeroed_{0};  // points that count as 0: a device has none
  const placed_integrand *f_ = nullptr;
  device_report *report_ = nullptr;
  int ndim_ = 0, coordinates_ = 0, ncomp_ = 0;
  int status_ = 0;
  std::string message_;
  // Memory.
  device_memory x_, values_;  // of a callback's points

 private:
  point_memory points_;
  mapped_memory answer_;
};

}  // namespace tessera
