// Kernels of integrals over one variable, compiled around an integrand.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "../device/user_run.hpp"
#include "quadrature_problem.hpp"

namespace tessera {

// What is a constant in it beside the number of components.
struct quadrature_shape {
  enum class part : int { own_lists, slots };
  part what = part::own_lists;  // integrals in a thread's own lists, or in slots
  int pairs = 10;               // of the rule
  int breaks = 0;               // break points at most
  bool complement = false;
  int ndim = 1;            // of the integrand
  bool innermost = false;  // integrals over the last of them
};
quadrature_shape choose_quadrature_shape(const quadrature_problem &p, quadrature_shape::part what);

kernel_text quadrature_kernel_text(const quadrature_shape &shape);
// Of the integrand at points, of any number of variables.
kernel_text points_kernel_text(bool complement);

class quadrature_kernel {
 public:
  // Throws compile_error and device_error. The device's context is current.
  quadrature_kernel(const quadrature_shape &shape, int ncomp, const placed_integrand &f, int arch, int multiprocessors,
                    CUstream stream);
  quadrature_kernel(const quadrature_kernel &) = delete;
  quadrature_kernel &operator=(const quadrature_kernel &) = delete;

  CUfunction function() const { return function_; }
  int64 resident() const { return resident_; }              // blocks at a time
  int64 integral_bytes() const { return integral_bytes_; }  // of a slot, beside its lists
  const compiled_module &module() const { return module_; }

 private:
  compiled_module module_;
  loaded_library library_;
  CUfunction function_ = nullptr;
  int64 resident_ = 1, integral_bytes_ = 0;
};

// For the comparison of forms, and for those who want nothing but values.
class quadrature_points : public user_kernels {
 public:
  quadrature_points(bool complement, int ndim, int ncomp, const placed_integrand &f, int arch)
      : user_kernels(points_kernel_text(complement), ndim, ncomp, f, arch) {}
};

}  // namespace tessera
