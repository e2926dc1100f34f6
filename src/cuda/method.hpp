// A method on a device: what the table of methods asks of src/cuda, and what the methods of one place share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../place.hpp"
#include "../jit/cache.hpp"
#include "../jit/device_compiler.hpp"
#include "device/driver.hpp"

namespace tessera {

// An integrand with its parameters on the device.
struct placed_integrand {
  const integrand_source &source;
  device_batch_function batch;
  void *userdata;  // of the callback
  CUdeviceptr params;
  const std::vector<unsigned char> &block;  // the parameters
  code_cache *cache;
  deadline until;
};

class cuda_setting;

// For a run with kernels that were compiled now or before: what they do with the program's data, for the report. Throws compile_error
// (upload) where the parameters lack data that they need.
void take_notes(const compiled_module &code, const placed_integrand &f, device_report &report);

// The devices of a place behind the first one.
class other_devices {
 public:
  virtual int count() const = 0;
  virtual bool are_there() const = 0;           // all of them: none has to be started any more
  virtual bool always() const = 0;              // they take part in every step, however small: a test
  virtual cuda_setting &setting_of(int i) = 0;  // of 0 ... count() - 1; starts the device where that has not been done
 protected:
  ~other_devices() = default;
};

// The machine, the stream, and the parameters that are there. Its functions are for when the device's context is current.
class cuda_setting {
 public:
  cuda_setting(CUdevice device, CUcontext context, other_devices *others);
  ~cuda_setting();
  cuda_setting(const cuda_setting &) = delete;
  cuda_setting &operator=(const cuda_setting &) = delete;

  CUcontext context() const { return context_; }
  uint64 identity() const;  // the same in all processes that use the device, and of no other device
  other_devices *others() const { return others_; }  // null: none
  int arch() const { return arch_; }
  int multiprocessors() const { return multiprocessors_; }
  CUstream stream() const { return stream_; }
  bool use_stream(CUstream stream);  // null: the place's own. False where it is in use already
  bool has_own_stream() const { return stream_ == own_stream_; }

  // Copies its parameters to the device, unless they are there.
  placed_integrand place(const device_integrand &integrand);
  // Bytes that nobody has taken.
  static std::size_t free_bytes();

 private:
  CUdeviceptr upload(const std::vector<unsigned char> &params);

  const CUdevice device_;
  const CUcontext context_;
  other_devices *const others_;
  const int arch_, multiprocessors_;
  CUstream stream_ = nullptr, own_stream_ = nullptr;
  device_memory params_;
  std::vector<unsigned char> uploaded_;
};

// With the kernels and the memory that it keeps from run to run. The device's context is current. Throws compile_error and device_error.
class cuda_method {
 public:
  virtual ~cuda_method() = default;
  virtual void use_stream(CUstream stream) = 0;
  virtual void release() {}  // of host memory, what a large run has taken
  // problem and result are of the method's types.
  virtual void integrate(const problem &problem, const device_integrand &integrand, run_hooks &hooks, double *value,
                         double *error, run_result &result, device_report &report) = 0;
  // Of many integrals those that keep the device busy.
  virtual int64 rows_at_once(const many_problem &) const { return 1; }
  // See place. As it stands: one row after another.
  virtual many_results run_many(const many_problem &problem, const device_integrand &integrand, many_hooks &watch,
                                double *value, double *error, device_report &report);
  // See place.
  virtual std::string evaluate(const problem &problem, const device_integrand &integrand, int64 n, const double *x,
                               double *f) = 0;
};

#define METHOD(name, number, constant) std::unique_ptr<cuda_method> make_cuda_##name(cuda_setting &setting);
#include "../methods.def"

}  // namespace tessera
