// Many integrals on one device: the launch in which each block works alone, and the account of what is finished.
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
  CUstream stream_;
  int64 slot_bytes_ = 0, slot_regions_ = 0;
  unsigned blocks_ = 1;
  int64 most_regions_ = 0;  // that TESSERA_MAX_MEMORY allows
  int flags_ = 0;
  device_memory slots_, input_, output_, queue_;
  mapped_memory staging_;  // page-locked
};

// Asks the progress callback on behalf of all rows.
class many_progress final : public run_hooks {
 public:
  many_progress(const many_problem &problem, many_hooks &watch, many_results &results, const double *value,
                const double *error)
      : watch_(watch), results_(results), value_(value), error_(error), ncomp_(problem.common.settings.ncomp) {
    for (many_row &r : results.rows) r.end = outcome::running;
  }

  // A row is finished, or all before `end` that are not too large.
  void count(int64 row);
  void count_up_to(int64 end);
  // False when the call is to end.
  bool go_on();
  // The rows that were not run end as the call does.
  void give_up_the_rest();

  outcome between_steps(int64 evaluations, const double *, const double *) override {
    look(evaluations);
    return end_;
  }

 private:
  void look(int64 evaluations_now);

  many_hooks &watch_;
  many_results &results_;
  const double *const value_, *const error_;
  const int64 ncomp_;
  int64 counted_ = 0, evaluations_ = 0, finished_ = 0, last_ = -1;
  outcome end_ = outcome::running;
};

}  // namespace tessera
