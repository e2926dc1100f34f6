// Lattice rules on a device: the kernels for an integrand, and the passes of the engine's driver.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "../method.hpp"
#include "../cubature/batch.hpp"
#include "../../jit/device_compiler.hpp"
#include "../device/driver.hpp"
#include "lattice_problem.hpp"

namespace tessera {

// What is a constant in the kernels beside the numbers of variables and components.
struct lattice_shape {
  int transform = transform_none;  // 0: any, by an argument
  int axes = 0;                    // 0: all are [0,1], 1: all are finite, 2: any
  bool complement = false;
  bool batch = false;  // around a device callback
};
lattice_shape choose_lattice_shape(const lattice_problem &problem, bool batch, bool trial);

// The text of the kernels, to be joined with an integrand unless it is for a device callback.
kernel_text lattice_kernel_text(const lattice_shape &shape, int ndim);

// Compiled and loaded.
class lattice_kernels {
 public:
  // Throws compile_error and device_error. The device's context is current.
  lattice_kernels(const lattice_shape &shape, int ndim, int ncomp, const integrand_source &source, int arch,
                  int multiprocessors, code_cache *cache);
  lattice_kernels(const lattice_kernels &) = delete;
  lattice_kernels &operator=(const lattice_kernels &) = delete;

  void set_axes(const std::vector<unit_axis> &axes, CUstream stream);
  CUfunction sums() const { return sums_; }      // tessera_lattice, or of a device callback's values
  CUfunction points() const { return points_; }  // tessera_points, or those before a device callback
  int64 resident() const { return resident_; }   // blocks of sums() at a time
  CUdeviceptr flags() const { return flags_; }
  CUdeviceptr status() const { return status_; }
  const compiled_module &module() const { return module_; }

 private:
  const lattice_shape shape_;
  compiled_module module_;
  loaded_library library_;
  CUfunction sums_ = nullptr, points_ = nullptr;
  CUdeviceptr flags_ = 0, status_ = 0;
  int64 resident_ = 1;
  std::vector<unit_axis> axes_;  // that are there
};

// Executor of engine/lattice_rule.hpp. Kernels and memory live as long as it.
class device_lattice final : public cuda_method {
 public:
  explicit device_lattice(cuda_setting &setting)
      : setting_(setting), stream_(setting.stream()), arch_(setting.arch()), multiprocessors_(setting.multiprocessors()) {}
  void use_stream(CUstream stream) override;

  void integrate(const problem &problem, const device_integrand &integrand, run_hooks &hooks, double *value, double *error,
                 run_result &result, device_report &report) override;
  std::string evaluate(const problem &problem, const device_integrand &integrand, int64 n, const double *x, double *values) override;

  // See engine/lattice_rule.hpp.
  outcome run(const lattice_pass &pass, int64 first, int64 end, compensated_sum *sums);
  int64 slice_points() const { return int64{1} << (f_->batch ? 26 : 30); }

 private:
  struct kept {
    std::string key;
    std::unique_ptr<lattice_kernels> kernels;
  };

  void begin(const lattice_problem &problem, const placed_integrand &f, device_report &report);
  lattice_kernels &find(const lattice_shape &shape);
  void prepare(const lattice_pass &pass, const lattice_kernels &kernels, int64 first, int64 end);
  void use_near(const lattice_pass &pass);
  void use_far(const lattice_pass &pass);
  lattice_arguments &arguments() { return *reinterpret_cast<lattice_arguments *>(launch_.data()); }
  void start(CUfunction kernel, int64 blocks);
  outcome run_units(const lattice_pass &pass, lattice_kernels &kernels, int64 first, int64 end, compensated_sum *sums);
  outcome call_back(lattice_kernels &kernels);
  outcome take_answer(lattice_kernels &kernels);
  std::string find_nonfinite(const lattice_pass &pass, const lattice_kernels &kernels, int64 run);
  int64 position(int64 unit) const;  // of a unit's first point, counted over the shifts
  int64 run_of(int64 unit) const;

  cuda_setting &setting_;
  CUstream stream_;
  const int arch_, multiprocessors_;
  std::list<kept> kept_;  // last used first
  // Of the run.
  const lattice_problem *problem_ = nullptr;
  const placed_integrand *f_ = nullptr;
  device_report *report_ = nullptr;
  int status_ = 0;
  std::string message_;
  // Memory.
  std::vector<uint64> launch_;  // lattice_launch of lattice.cuh
  std::vector<uint64> z_;       // on the device
  device_memory far_z_, x_, values_, points_;
  mapped_memory partial_, answer_;
};

}  // namespace tessera
