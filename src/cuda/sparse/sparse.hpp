// The points of sparse grids on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "../../engine/cubature/ranked_region.hpp"
#include "../../engine/sparse/sparse_grid.hpp"
#include "../../jit/device_compiler.hpp"
#include "../device/driver.hpp"
#include "../device/user_calls.hpp"
#include "sparse_problem.hpp"

namespace tessera {

kernel_text sparse_kernel_text();

// Compiled and loaded for so many variables and components. They serve any integrand.
class sparse_kernels {
 public:
  // Throws compile_error and device_error. The device's context is current.
  sparse_kernels(int ndim, int ncomp, int arch, code_cache *cache);
  sparse_kernels(const sparse_kernels &) = delete;
  sparse_kernels &operator=(const sparse_kernels &) = delete;

  CUfunction points() const { return points_; }
  CUfunction values() const { return values_; }
  CUfunction sums() const { return sums_; }
  CUfunction tested_points() const { return tested_points_; }
  CUfunction tested_values() const { return tested_values_; }
  CUdeviceptr tables() const { return tables_.address(); }
  const compiled_module &module() const { return module_; }

  // Of regions 0 ... n-1 on the device the records of those with the largest errors, as read_largest_errors finds them. memory: for the answers.
  std::vector<double> largest_errors(const region_view &regions, int64 n, int wanted, const double *weight,
                                     mapped_memory &memory, CUstream stream) const;

 private:
  compiled_module module_;
  loaded_library library_;
  CUfunction points_ = nullptr, values_ = nullptr, sums_ = nullptr, largest_ = nullptr, largest_of_few_ = nullptr,
             records_ = nullptr, tested_points_ = nullptr, tested_values_ = nullptr;
  device_memory tables_;
};

// What one grid holds on the device, used again from run to run.
struct sparse_memory {
  device_memory store, call, indices, links, domain, tested;
  mapped_memory differences, answer, staged;  // staged: on its way to domain
  point_memory sampled;
};

// The integrand at n points on the device: x[ndim][n] to f[ncomp][n]. said: where it says something, or 0. Returns why it ended the run, "" if it did not.
using sparse_calls = std::function<std::string(int64 n, CUdeviceptr x, CUdeviceptr f, CUdeviceptr said)>;

class cuda_sparse final : public sparse_executor {
 public:
  // flags: of the integrand's module, or 0. All of it stays where it is. At its end nothing of it is on its way to the device.
  cuda_sparse(const sparse_kernels &kernels, sparse_memory &memory, int ndim, int ncomp, CUstream stream,
              CUdeviceptr flags, sparse_calls call)
      : kernels_(kernels), memory_(memory), ndim_(ndim), ncomp_(ncomp), stream_(stream), flags_(flags), call_(call) {}
  cuda_sparse(const cuda_sparse &) = delete;
  cuda_sparse &operator=(const cuda_sparse &) = delete;
  ~cuda_sparse() override;

  void begin(const sparse_domain &domain) override;
  void begin_sampling(const sparse_domain &domain) override;
  outcome evaluate(const sparse_step &step, double *differences) override;
  int64 bytes_of_point() const override { return 8 * (ndim_ + ncomp_ + 1); }
  void renew_map() override;
  outcome sample(int64 n, const double *x, double *values) override;
  outcome find_unexplained(const tested_set &points, const double *means, double *sizes) override;
  // Of the store, on the host. write_store: behind what there is.
  void read_store(int64 first, int64 end, double *numbers) const;
  void write_store(int64 first, int64 end, const double *numbers);

  bool is_ended() const { return flags_seen_ != 0 || !message_.empty(); }
  int flags_seen() const { return flags_seen_; }
  const std::string &message() const { return message_; }  // of a callback that ended the run
  // Of the last sample a point where a value was not finite; "" where there is none, or another call came to such values.
  const std::string &nonfinite() const { return nonfinite_; }

 private:
  // Points of a call of the integrand, with so many numbers for each: a launch costs as much as some 100000 points.
  static int64 points_of_call(int64 numbers) {
    constexpr int64 most = int64{1} << 21, numbers_at_once = int64{1} << 25;
    return std::max<int64>(1, std::min(most, numbers_at_once / numbers));
  }

  void make_room(int64 numbers);
  int *begin_answer();
  void synchronize();
  outcome read_answer();
  void name_nonfinite(int64 n, const double *values);
  static constexpr std::size_t words_of_term = sizeof(polynomial_term) / sizeof(double);
  void add_multiples(const polynomial_multiples &multiples, std::vector<double> &to) const;
  polynomial_multiples multiples_at(const polynomial_multiples &multiples, CUdeviceptr address) const;
  void upload_indices(const sparse_step &step);

  const sparse_kernels &kernels_;
  sparse_memory &memory_;
  const int ndim_, ncomp_;
  const CUstream stream_;
  const CUdeviceptr flags_;
  const sparse_calls call_;
  sparse_domain domain_ = {};
  std::vector<axis_map> axes_;          // of it, on the host
  const mapped_node *nodes_ = nullptr;  // the same
  int64 stored_ = 0;                    // numbers in the store
  int known_ = 0;                       // indices on the device
  int panels_ = 0;                      // of the domain's map
  bool is_copying_ = false;             // the domain
  int flags_seen_ = 0;
  std::string message_, nonfinite_;
};

}  // namespace tessera
