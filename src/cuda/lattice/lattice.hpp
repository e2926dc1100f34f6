// Lattice rules on a device: the kernels for an integrand, and the passes of the engine's driver.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../device/kept_kernels.hpp"
#include "../device/team.hpp"
#include "../device/user_run.hpp"
#include "lattice_problem.hpp"

namespace tessera {

// What is a constant in the kernels beside the numbers of variables and components.
struct lattice_shape {
  int transform = transform_none;  // 0: any, by an argument
  int axes = axes_unit;            // what is known of them
  bool complement = false;
  bool batch = false;  // around a device callback
};
lattice_shape choose_lattice_shape(const lattice_problem &problem, bool batch, bool trial);

// The text of the kernels, to be joined with an integrand unless it is for a device callback.
kernel_text lattice_kernel_text(const lattice_shape &shape, int ndim);

class lattice_kernels : public user_kernels {
 public:
  lattice_kernels(const lattice_shape &shape, int ndim, int ncomp, const placed_integrand &f, int arch,
                  int multiprocessors);

  void set_axes(const std::vector<unit_axis> &axes, CUstream stream) {
    if (shape_.axes != axes_unit) upload_axes(axes, axes_, stream);
  }
  CUfunction sums() const { return sums_; }                  // tessera_lattice, or of a device callback's values
  CUfunction batch_points() const { return batch_points_; }  // those before a device callback
  int64 resident() const { return resident_; }               // blocks of sums() at a time

 private:
  const lattice_shape shape_;
  CUfunction sums_ = nullptr, batch_points_ = nullptr;
  int64 resident_ = 1;
  std::vector<unit_axis> axes_;  // that are there
};

// Executor of engine/lattice_rule.hpp. Kernels and memory live as long as it.
class device_lattice final : public user_run {
 public:
  explicit device_lattice(cuda_setting &setting) : user_run(setting), team_(*this, setting) {}
  void use_stream(CUstream stream) override;

  void integrate(const problem &problem, const device_integrand &integrand, run_hooks &hooks, double *value,
                 double *error, run_result &result, device_report &report) override;
  std::string evaluate(const problem &problem, const device_integrand &integrand, int64 n, const double *x,
                       double *values) override;

  // See engine/lattice_rule.hpp.
  outcome run(const lattice_pass &pass, int64 first, int64 end, compensated_sum *sums, int64 &done);
  int64 slice_points() const { return int64{1} << (f_->batch ? 26 : 30); }

 private:
  static constexpr std::size_t most_kernels = 24;

  void begin(const lattice_problem &problem, const placed_integrand &f, device_report &report);
  void join(const device_lattice &first, cuda_setting &setting);
  lattice_kernels &find(const lattice_shape &shape);
  lattice_kernels &kernels_for(const lattice_pass &pass);
  lattice_arguments cut_into_runs(const lattice_pass &pass, int64 resident, int64 first, int64 end);
  outcome run_items(const lattice_pass &pass, int64 first, int64 end, bool looks, compensated_sum *sums, int64 &done);
  // Of a cut, those runs that are this device's: starts the work, and waits for it. What goes wrong is in failure_.
  void start_runs(const lattice_pass &pass, const lattice_arguments &cut, const item_range &runs);
  void end_runs(const lattice_pass &pass, const item_range &runs);
  void use_near(const lattice_pass &pass);
  void use_far(const lattice_pass &pass);
  lattice_arguments &arguments() { return *reinterpret_cast<lattice_arguments *>(launch_.data()); }
  const lattice_arguments &arguments() const { return *reinterpret_cast<const lattice_arguments *>(launch_.data()); }
  outcome run_batches(const lattice_kernels &kernels, int64 &done_runs);
  std::string explain_nonfinite(const lattice_pass &pass, int64 run);
  int64 position(int64 unit) const;  // of a unit's first point, counted over the shifts
  int64 run_of(int64 unit) const;
  int64 unit_of(int64 item) const;  // its first
  int64 first_unit_of(int64 run) const;
  int64 items_before(int64 run) const;

  kept_kernels<lattice_kernels> kept_{most_kernels};
  const lattice_problem *problem_ = nullptr;
  const device_integrand *integrand_ = nullptr;
  lattice_kernels *kernels_ = nullptr;  // of the step
  std::optional<placed_integrand> placed_;
  std::vector<uint64> launch_;  // lattice_launch of lattice.cuh
  std::vector<uint64> z_;       // on the device
  device_memory far_z_;
  mapped_memory partial_;  // of the runs of all devices
  device_team<device_lattice> team_;
};

}  // namespace tessera
