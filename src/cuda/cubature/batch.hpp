// An integrand that the caller's program launches itself: the kernels around it, and the evaluation of pending regions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "../../problem.hpp"
#include "batch_problem.hpp"
#include "../../jit/device_compiler.hpp"
#include "step_sharing.hpp"
#include "steps_kernel.hpp"

namespace tessera {

// The text of the kernels for a rule and domain, to be compiled without an integrand.
kernel_text batch_kernel_text(bool mapped);

// Compiled and loaded for one rule, domain and number of components. They serve any integrand.
class batch_kernels {
 public:
  // Throws compile_error and device_error. The device's context is current. The rule and the domain are there, for every
  // stream, when it returns.
  batch_kernels(const cubature_problem &problem, int arch, int multiprocessors, code_cache *cache, CUstream stream);
  batch_kernels(const batch_kernels &) = delete;
  batch_kernels &operator=(const batch_kernels &) = delete;

  CUfunction points() const { return points_; }
  CUfunction sums() const { return sums_; }
  CUfunction fold() const { return fold_; }
  CUfunction finish() const { return finish_; }
  const steps_kernel &steps() const { return steps_; }
  const step_packing &packing() const { return packing_; }
  CUdeviceptr words() const { return words_.address(); }
  const compiled_module &module() const { return module_; }

 private:
  compiled_module module_;
  loaded_library library_;
  CUfunction points_ = nullptr, sums_ = nullptr, fold_ = nullptr, finish_ = nullptr;
  steps_kernel steps_;
  step_packing packing_;
  device_memory words_;
};

// The integrand as the caller gave it.
struct batch_callback {
  device_batch_function function = nullptr;
  void *userdata = nullptr;
  CUstream stream = nullptr;
  int status = 0;       // its non-zero return
  std::string message;  // why it ended the run

  // n points on the device. False when it returned non-zero or threw; what it has launched is then over.
  bool call(int64 n, int ndim, CUdeviceptr x, int64 ldx, int ncomp, CUdeviceptr f, int64 ldf);
};

// One run: bulk_steps on the device, and the callback between them. The buffers live as long as this object.
class batch_run {
 public:
  batch_run(CUstream stream, step_sharing &sharing) : stream_(stream), sharing_(sharing) {}
  void use_stream(CUstream stream) { stream_ = stream; }

  // Begins a run and makes sure of the memory for one call. Throws device_error and bad_alloc. hooks: asked between two calls; null: nobody is.
  void begin(const batch_kernels &kernels, const cubature_problem &problem, device_batch_function function,
             void *userdata, run_hooks *hooks);
  void run(bulk_state &state);
  // The first n pending regions of a list. Returns callback when that ended the run, or time and stopped between two calls.
  outcome evaluate(const bulk_state &state, const region_view &regions, const region_list &list, int64 n);
  int64 *failed();
  const step_packing &packing() const { return kernels_->packing(); }
  void take_callback(const batch_run &other) { callback_ = other.callback_; }
  void take_answer(int status, const std::string &message) {
    callback_.status = status;
    callback_.message = message;
  }
  const batch_callback &callback() const { return callback_; }
  int64 work_bytes() const;

 private:
  bool evaluate_chunk(batch_arguments &a);

  CUstream stream_;
  step_sharing &sharing_;
  const batch_kernels *kernels_ = nullptr;
  run_hooks *hooks_ = nullptr;
  batch_callback callback_;
  batch_plan plan_ = {};
  int64 points_ = 0;  // of the rule
  int ndim_ = 0, ncomp_ = 0, fields_ = 0;
  int64 next_pace_ = 0;  // evaluations at which the ranks tell each other how long a step has taken
  device_memory x_, f_, slices_, sums_, control_;
  mapped_memory result_;
};

}  // namespace tessera
