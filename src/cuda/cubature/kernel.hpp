// The kernels for one integrand, rule and dimension, compiled and loaded.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "../../problem.hpp"
#include "../../jit/device_compiler.hpp"
#include "../method.hpp"
#include "device_problem.hpp"
#include "steps_kernel.hpp"

namespace tessera {

struct kernel_shape {
  int block = 128;      // threads of a block
  int blocks = 4;       // blocks of a multiprocessor that the registers are kept for
  int lanes = 32;       // least lanes of a region
  bool mapped = false;  // some axis is infinite
  bool many = false;    // blocks that work alone, each at an integral of its own
};

kernel_shape choose_shape(const rule &r, int ncomp, bool mapped, bool many = false);

// The engine's kernels for a rule, to be joined with an integrand.
kernel_text engine_kernel(const rule &r, const kernel_shape &shape);

// Of a list of points, on the device.
struct listed_memory {
  device_memory words, offsets, weights;
};

class loaded_kernel {
 public:
  // Throws compile_error and device_error. The device's context is current. The rule and the domain are there, for every
  // stream, when it returns. many: the kernel for many integrals alone, in place of the others; of the problem's axes it matters
  // only whether some are infinite.
  loaded_kernel(const cubature_problem &problem, const placed_integrand &f, int arch, int multiprocessors,
                CUstream stream, bool many = false);
  loaded_kernel(const loaded_kernel &) = delete;
  loaded_kernel &operator=(const loaded_kernel &) = delete;

  const steps_kernel &steps() const { return steps_; }
  CUfunction part() const { return part_; }  // with blocks like those of the steps
  const step_packing &packing() const { return packing_; }
  int lanes() const { return shape_.lanes; }
  CUfunction points() const { return points_; }
  CUdeviceptr nodes() const { return nodes_.address(); }
  CUdeviceptr b_axes() const { return nodes_.address() + node_bytes_; }
  const listed_rule &listed() const { return listed_; }   // on the device, where there is one
  const raised_rules &raised() const { return raised_; }  // on the device, where regions are given a higher degree
  std::size_t slice_bytes() const;                        // of one slice_record for all components
  const compiled_module &module() const { return module_; }
  CUdeviceptr flags() const { return flags_; }    // tessera_flags and
  CUdeviceptr status() const { return status_; }  // tessera_status, ints

 private:
  const int ndim_, ncomp_;
  const kernel_shape shape_;
  compiled_module module_;
  loaded_library library_;
  steps_kernel steps_;
  CUfunction part_ = nullptr, points_ = nullptr;
  step_packing packing_;
  device_memory nodes_;  // the nodes and behind them the axes of the second generator
  std::size_t node_bytes_ = 0;
  listed_memory listed_there_, raised_there_;
  listed_rule listed_ = {};
  raised_rules raised_ = {};
  CUdeviceptr flags_ = 0, status_ = 0;
};

}  // namespace tessera
