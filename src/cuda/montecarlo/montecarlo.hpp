// Monte Carlo on a device: the kernels for an integrand, and the passes of the engine's driver.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "../device/kept_kernels.hpp"
#include "../device/team.hpp"
#include "../device/user_run.hpp"
#include "../../engine/montecarlo/sampling_executor.hpp"
#include "generator.hpp"
#include "montecarlo_problem.hpp"
#include "sharing_watch.hpp"

namespace tessera {

// What is a constant in the kernels beside the numbers of variables and components.
struct sampling_shape {
  int axes = axes_unit;  // what is known of them
  bool grid = false, antithetic = false;
  bool batch = false;  // around a device callback
  bool given = false;  // the random numbers are in memory
  bool sobol = false, threefry = false;
  bool weights = false;  // coordinates are followed by weight and iteration
};
inline bool has_strata(const sampling_shape &s) { return s.grid && !s.sobol; }
inline bool is_fused(const sampling_shape &s, int ncomp) {
  return (!s.grid || s.sobol) && !s.batch && !s.given && ncomp <= sampling_most_fused;
}

// The text of the kernels, to be joined with an integrand unless it is for a device callback.
kernel_text sampling_kernel_text(const sampling_shape &shape, int ndim, int ncomp);

// That of the kernels that share out the samples of an iteration of VEGAS and learn from them, which know no integrand.
kernel_text share_out_kernel_text();

class sampling_kernels : public user_kernels {
 public:
  sampling_kernels(const sampling_shape &shape, int ndim, int ncomp, const placed_integrand &f, int arch,
                   int multiprocessors);

  void set_axes(const std::vector<sample_axis> &axes, CUstream stream) {
    if (shape_.axes != axes_unit) upload_axes(axes, axes_, stream);
  }
  bool fused() const { return fused_; }
  CUfunction sums() const { return sums_; }      // tessera_sample_sums, where it is fused
  CUfunction values() const { return values_; }  // tessera_sample_values and tessera_sample_pieces, elsewhere
  CUfunction pieces() const { return pieces_; }
  // With strata; see share_out.cuh. The first ones are launched one after the other.
  const std::array<CUfunction, 3> &share_out() const { return share_out_; }
  CUfunction list_pieces() const { return list_pieces_; }
  CUfunction mark_pieces() const { return mark_pieces_; }
  CUfunction cut_again() const { return cut_again_; }
  CUfunction learn() const { return learn_; }
  CUfunction batch_points() const { return batch_points_; }  // those of a chunk for a device callback
  int64 resident() const { return resident_; }               // blocks at a time of sums() or values()

 private:
  const sampling_shape shape_;
  const bool fused_;
  CUfunction sums_ = nullptr, values_ = nullptr, pieces_ = nullptr, batch_points_ = nullptr;
  loaded_library strata_;
  std::array<CUfunction, 3> share_out_ = {};
  CUfunction list_pieces_ = nullptr, mark_pieces_ = nullptr, cut_again_ = nullptr, learn_ = nullptr;
  int64 resident_ = 1;
  std::vector<sample_axis> axes_;  // that are there
};

// Kernels and memory live as long as it.
class device_sampler final : public user_run, public sampling_executor {
 public:
  explicit device_sampler(cuda_setting &setting) : user_run(setting), team_(*this, setting) {}

  void integrate(const problem &problem, const device_integrand &integrand, run_hooks &hooks, double *value,
                 double *error, run_result &result, device_report &report) override;
  std::string evaluate(const problem &problem, const device_integrand &integrand, int64 n, const double *x,
                       double *values) override;

  // See engine/montecarlo/sampling_executor.hpp.
  outcome run_plain(const sample_pass &pass, int64 first, int64 &samples, sample_sums *sums) override;
  outcome run_shifts(sample_pass pass, int64 first, int64 samples, int64 shifts, sample_sums *sums,
                     int64 &made) override;
  int64 slice_samples(bool grid) const override;
  void begin_course(const std::vector<double> &edges, const std::vector<int> &cells,
                    const std::vector<double> &spread) override;
  outcome iterate(const vegas_iteration &it, sample_sums *sums, const std::function<outcome(int64)> &made) override;
  void learn(bool believe_all, double damping) override;
  void recall_course(std::vector<double> &edges, std::vector<double> *spread) override;

 private:
  static constexpr std::size_t most_kernels = 24;

  void begin(const sampling_problem &problem, const placed_integrand &f, device_report &report);
  void join(const device_sampler &first, cuda_setting &setting);
  bool begin_numbers();
  sampling_shape shape_of(bool grid, bool nets, bool antithetic) const;
  sampling_kernels &find(const sampling_shape &shape);
  sampling_kernels &prepare(const sample_pass &pass);
  void use_grid(const sample_pass &pass);
  void use_nets(const sample_pass &pass, int64 shifts);
  void go_to_shift(int64 more);
  void launch(CUfunction kernel, int64 blocks, int threads) { start(kernel, blocks, threads, &arguments_); }
  void require_results(int64 blocks);
  outcome run_fused(sampling_kernels &kernels, int64 shifts, sample_sums *sums);
  // Blocks with results, which all devices and ranks share: start(member, its blocks). looks: there were some before, between which and these
  // the run may end. Their results are added to sums[shifts*ncomp] where nothing went wrong.
  template <class Start>
  outcome share_blocks(int64 blocks, int64 shifts, int64 samples, bool looks, sample_sums *sums, const Start &start);
  sampling_kernels &adopt(const device_sampler &first, const sampling_arguments &cut, const item_range &blocks,
                          int64 shifts);
  void start_fused(const item_range &blocks);
  void start_chunk(const item_range &blocks);
  void end_blocks(const item_range &blocks, int64 of_a_shift);
  sample_piece piece_at(int64 p) const;  // of the call
  outcome run_chunks(int64 n, sample_sums *sums);
  int64 value_blocks(const sampling_kernels &kernels, int64 samples) const;
  // Iterations of VEGAS; see vegas_course.cpp.
  int64 cube_blocks() const;  // with a thread for each cube
  struct course_plan {
    int log_part, parts, parts_at_once, together, groups;  // see course_arguments; parts_at_once: of a launch
  };
  course_plan plan_of(const vegas_iteration &it) const;
  void begin_iteration(const vegas_iteration &it, const course_plan &plan);
  void use_course(const vegas_iteration &it, const course_plan &plan);
  void share_out(const sampling_kernels &kernels);
  void follow(device_sampler &member, const vegas_iteration &it, const course_plan &plan);
  void start_parts(const course_plan &plan, const item_range &parts, sample_sums *part_sums);
  void end_parts(const item_range &parts);
  void read_pieces(bool made);
  void learn_from_all();
  outcome run_chunk(bool looks, sample_sums *sums);
  outcome make_values(const sampling_kernels &kernels);
  std::string explain_nonfinite(const sampling_kernels &kernels, int64 piece);
  int64 chunk_samples() const;

  kept_kernels<sampling_kernels> kept_{most_kernels};
  // Of the run.
  const sampling_problem *problem_ = nullptr;
  const device_integrand *integrand_ = nullptr;
  std::optional<placed_integrand> placed_;
  sampling_kernels *kernels_ = nullptr;  // of the call
  std::vector<int> cells_;               // of the strata
  int64 cubes_ = 1;
  bool known_ = false;                          // what they have shown
  int64 course_age_ = 0, ages_ = 0;             // devices with the same age have the same grid and strata
  std::vector<device_sampler *> in_iteration_;  // devices that make parts of it, this one first
  std::vector<item_range> made_parts_;          // of which nothing has been read
  std::vector<int64> part_piece_, part_sample_;
  std::vector<double> piece_spreads_;  // of all devices and ranks
  // Of the call.
  sample_pass pass_ = {};  // with the driver's pointers
  std::vector<sample_cells> host_cells_;
  sampling_arguments arguments_ = {};
  std::vector<double> tables_;  // on their way to the device
  // Memory.
  number_ring numbers_;
  device_memory tables_there_, nets_there_, course_there_, edges_there_, spread_there_, spread_before_, list_there_,
      marks_there_, training_, partial_there_, piece_spread_;
  mapped_memory partial_, part_sums_, course_result_;
  device_team<device_sampler> team_;
  sharing_watch watch_;
};

}  // namespace tessera
