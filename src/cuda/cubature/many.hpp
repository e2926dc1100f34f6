// Many integrals on one device: the launch in which each block works alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../many.hpp"
#include "../device/driver.hpp"
#include "kernel.hpp"
#include "many_batch.hpp"

namespace tessera {

class many_executor {
 public:
  static constexpr int64 most_rows = 16384;  // of one launch; between two the progress callback is asked

  explicit many_executor(CUstream stream) : stream_(stream) {}
  void use_stream(CUstream stream) { stream_ = stream; }

  // Is it worth while to begin with blocks of their own?
  static bool suits(const many_problem &problem);

  // Takes memory for the slots, at most a quarter of what is free.
  void prepare(const loaded_kernel &kernel, const many_problem &problem, int64 free_bytes);
  int64 slot_bytes() const { return static_cast<int64>(slots_.bytes()); }
  int flags() const { return flags_; }  // of all integrands since prepare, together

  // Runs the rows from `first` on, at most most_rows. Those that are too large have the end `running` afterwards.
  void run(const loaded_kernel &kernel, const many_problem &problem, CUdeviceptr shared_params, int64 first,
           many_results &results, double *value, double *error);

 private:
  void prepare_checks(const cubature_settings &s, bool mapped);

  CUstream stream_;
  int64 slot_bytes_ = 0, slot_regions_ = 0;
  int64 check_at_ = 0;  // in a slot
  int rays_ = 0;        // of a check
  unsigned blocks_ = 1;
  int64 most_regions_ = 0;  // that TESSERA_MAX_MEMORY allows
  int flags_ = 0;
  device_memory slots_, input_, output_, queue_;
  struct {
    int ndim = 0;
    std::size_t asked = 0, rays = 0;  // there are fewer where there are not so many directions
    device_memory there;
  } looks_;                // from run to run
  mapped_memory staging_;  // page-locked
};

}  // namespace tessera
