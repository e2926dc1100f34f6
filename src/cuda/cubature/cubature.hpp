// Adaptive cubature on a device: the kernels for an integrand, single runs and many.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "../device/kept_kernels.hpp"
#include "../device/team.hpp"
#include "../device/user_calls.hpp"
#include "../method.hpp"
#include "batch.hpp"
#include "executor.hpp"
#include "kernel.hpp"
#include "many.hpp"
#include "rank_steps.hpp"
#include "../sparse/sparse.hpp"
#include "../../sparse_run.hpp"

namespace tessera {

class cuda_cubature final : public cuda_method, private step_sharing {
 public:
  explicit cuda_cubature(cuda_setting &setting)
      : setting_(setting),
        executor_(setting.stream(), *this),
        batch_(setting.stream(), *this),
        slots_(setting.stream()),
        team_(*this, setting) {}

  void use_stream(CUstream stream) override;
  void release() override;
  void integrate(const problem &problem, const device_integrand &integrand, run_hooks &hooks, double *value,
                 double *error, run_result &result, device_report &report) override;
  int64 rows_at_once(const many_problem &problem) const override { return many_executor::suits(problem) ? 1024 : 1; }
  many_results run_many(const many_problem &problem, const device_integrand &integrand, many_hooks &watch,
                        double *value, double *error, device_report &report) override;
  std::string evaluate(const problem &problem, const device_integrand &integrand, int64 n, const double *x,
                       double *f) override;

 private:
  const loaded_kernel *begin_run(const cubature_problem &problem, const placed_integrand &f, run_hooks *hooks,
                                 device_report &report);
  const loaded_kernel &find_kernel(const cubature_problem &problem, const placed_integrand &f, device_report &report,
                                   bool many = false);
  const batch_kernels &find_batch_kernels(const cubature_problem &problem, const placed_integrand &f,
                                          device_report &report);
  std::string run_points(const cubature_problem &problem, const loaded_kernel &kernel, CUdeviceptr params, int64 n,
                         const double *x, double *f);
  void explain(const cubature_problem &problem, const loaded_kernel &kernel, CUdeviceptr params,
               cubature_result &result, device_report &report);
  void explain_batch(cubature_result &result) const;
  std::string find_nonfinite(const cubature_problem &problem, const loaded_kernel &kernel, CUdeviceptr params);
  const sparse_kernels &find_sparse_kernels(int ndim, int ncomp, const placed_integrand &f, device_report &report);
  std::unique_ptr<cuda_sparse> make_sparse(const cubature_problem &problem, const placed_integrand &f,
                                           const loaded_kernel *kernel, device_report &report, sparse_memory &memory);
  void explain_sparse(const cuda_sparse &grid, const loaded_kernel *kernel, cubature_result &result) const;
  int64 free_memory();

  // sharing.cpp
  void begin_sharing(const cubature_problem &problem, const device_integrand &integrand, device_report &report);
  void join(const cuda_cubature &first, cuda_setting &setting);
  bool has_others() const override;
  bool always() const override;
  int64 least_points() const override;
  void took(double seconds, int64 points) override;
  outcome share_out(const bulk_state &state) override;
  double slowest(double seconds, int64 points) override { return ranks_.slowest(seconds, points); }
  outcome agreed(outcome end) override;
  void agree_on_room(int64 &regions, int64 &parents, bool &there) override {
    ranks_.agree_on_room(regions, parents, there);
  }
  cuda_executor::answer share_among_ranks(const bulk_state &state, const item_range &some, double &alone);
  cuda_executor::answer agree_on(const cuda_executor::answer &said, int64 item, std::initializer_list<item_array> left);
  cuda_executor::answer evaluate(const bulk_state &state, const item_range &own);
  cuda_executor::answer evaluate_on_devices(const bulk_state &state, const item_range &own, int64 points);
  void start_elsewhere(const cuda_cubature &first, const bulk_state &state, const step_part &part);

  static constexpr std::size_t most_kernels = 16;

  cuda_setting &setting_;
  cuda_executor executor_;
  batch_run batch_;
  many_executor slots_;
  kept_kernels<loaded_kernel> kernels_{most_kernels};
  kept_kernels<batch_kernels> batch_kernels_{most_kernels};
  kept_kernels<sparse_kernels> sparse_kernels_{most_kernels};
  batch_callback sparse_callback_;
  sparse_memory of_domain_, of_regions_, mapped_, of_points_;  // of grid_of in a run
  kept_grids grids_;
  point_memory points_;
  int64 most_memory_ = 0;
  std::size_t held_when_asked_ = 0;
  // Of a run that may be shared out.
  const cubature_problem *problem_ = nullptr;
  const device_integrand *integrand_ = nullptr;
  device_report *report_ = nullptr;
  std::optional<placed_integrand> placed_;
  const loaded_kernel *kernel_ = nullptr;
  device_memory packed_;
  bool has_part_ = false;  // of a step of another one's run: there was memory for it
  int64 not_worth_ = 0;    // points of a step up to which sharing has been seen not to pay
  device_team<cuda_cubature> team_;
  rank_steps ranks_;
  mapped_memory results_;    // of a step: those of this rank and of others
  std::string why_stopped_;  // on some rank; "": the device says it
};

}  // namespace tessera
