// Integrals over one variable on a device, many side by side.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "../device/kept_kernels.hpp"
#include "../rows.hpp"
#include "kernel.hpp"
#include "turn_memory.hpp"

namespace tessera {

// Integrals over the last of several variables.
struct innermost_rows {
  int ndim = 0;
  std::vector<innermost_row> rows;
  std::vector<double> outer;               // [rows][ndim - 1]
  std::vector<quadrature_limits> limits;   // of the problems, or one of all
  const many_problem *problems = nullptr;  // with their parameters
};

// Each integral is the work of one thread. They are begun with short lists of intervals; what needs more is done again, from its beginning, with
// longer ones.
class device_quadrature final : public user_run {
 public:
  explicit device_quadrature(cuda_setting &setting) : user_run(setting) {}

  void integrate(const problem &problem, const device_integrand &integrand, run_hooks &hooks, double *value,
                 double *error, run_result &result, device_report &report) override;
  int64 rows_at_once(const many_problem &) const override { return 16384; }
  many_results run_many(const many_problem &problem, const device_integrand &integrand, many_hooks &watch,
                        double *value, double *error, device_report &report) override;
  std::string evaluate(const problem &problem, const device_integrand &integrand, int64 n, const double *x,
                       double *values) override;

  // As run_many for the integrals over one variable in `rows`; many: what they share.
  many_results run_innermost(const innermost_rows &rows, const many_problem &many, const device_integrand &integrand,
                             many_hooks &watch, double *value, double *error, device_report &report);
  // An integrand of several variables at points.
  std::string evaluate_points_of(const problem &problem, bool complement, const device_integrand &integrand, int64 n,
                                 const double *x, double *values);

 private:
  static constexpr std::size_t most_kernels = 16;
  static constexpr int64 most_rows = int64{1} << 18, first_rows = 8192, most_slot_rows = 65536;

  // Rows of one call, in the order of the inputs on the device.
  struct group {
    std::vector<int64> rows;
    int64 first = 0, count = 0;  // these, where `rows` is empty
    int64 row(int64 i) const { return rows.empty() ? first + i : rows[static_cast<std::size_t>(i)]; }
  };
  struct call {
    const many_problem &many;
    const innermost_rows *inner;  // or null
    const quadrature_problem &common;
    many_hooks &watch;
    rows_progress &progress;
    many_results &results;
    double *value, *error;
  };

  many_results run(const many_problem &many, const innermost_rows *inner, const device_integrand &integrand,
                   many_hooks &watch, double *value, double *error, device_report &report);
  const quadrature_kernel &find(const call &c, quadrature_shape::part what);
  void run_in_own_lists(const call &c);
  bool run_in_slots(const call &c, int capacity);
  void run_group_in_slots(const call &c, const quadrature_kernel &kernel, const group &g, quadrature_arguments &a);
  quadrature_arguments upload_group(const call &c, const group &g);
  void launch(const quadrature_kernel &kernel, int64 threads, quadrature_arguments &a) const;
  void download_group(const call &c, const group &g);
  void take_record(const call &c, int64 row, const quadrature_record &record);
  static std::string where_nonfinite(const call &c, int64 row, double x);

  kept_kernels<quadrature_kernel> kernels_{most_kernels};
  kept_kernels<quadrature_points> points_kernels_{4};
  device_memory input_, output_, queue_, slots_;
  mapped_memory staging_;  // page-locked
  turn_memory turns_;
  std::size_t value_at_ = 0, error_at_ = 0, output_bytes_ = 0;
  int flags_ = 0;             // of all integrands of a call, together
  bool exponential_ = false;  // of the last row
};

}  // namespace tessera
