// SPDX-License-Identifier: BSD-3-Clause
#include "executor.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace tessera {
namespace {

// All 0 between the launches.
// Apart from each other: those who wait at a barrier look at one while others still take work.
struct control_block {
  alignas(128) unsigned arrived;
  alignas(128) unsigned left;
  alignas(128) int64 failed;  // 0, or one more than a region
  alignas(128) int64 taken;   // work items given out
};

// Behind the state that comes back.
struct report_block {
  int64 failed;
  int flags[3];
};

report_block &report_in(const mapped_memory &result) {
  return *reinterpret_cast<report_block *>(static_cast<bulk_state *>(result.address()) + 1);
}

constexpr double seconds_between_looks = 0.02;  // at the pace, where other devices may take part

std::vector<double> download_box(const region_view &regions, int64 region) {
  const int ndim = regions.ndim();
  std::vector<double> box(static_cast<std::size_t>(2 * ndim));
  for (int j = 0; j < 2 * ndim; ++j)  // the fields of a region begin with centre and half
    check(cuda().download(&box[static_cast<std::size_t>(j)], reinterpret_cast<CUdeviceptr>(&regions.field(region, j)),
                          sizeof(double)),
          "downloading a region");
  return box;
}

// Those of the last search that ended in a hole.
std::vector<hole_on_line> download_holes(const bulk_state &state) {
  std::vector<hole_on_line> holes;
  if (!state.set.seeks_breaks) return holes;
  found_break lines[most_lines];
  check(cuda().download(lines, reinterpret_cast<CUdeviceptr>(state.break_points->lines), sizeof lines),
        "downloading the lines of a search");
  for (int m = 0; m < most_lines; ++m)
    if (lines[m].axis <= first_hole) holes.push_back({m, first_hole - lines[m].axis, lines[m].at});
  return holes;
}

}  // namespace

device_problem cuda_executor::make_problem(const bulk_state &state) {
  if (control_.bytes() == 0) {
    control_.require(sizeof(control_block));
    check(cuda().set_bytes(control_.address(), 0, sizeof(control_block), stream_), "starting the kernel");
  }
  const int64 most_slices = slices_of(*kernel_);
  slices_.require(static_cast<std::size_t>(most_slices) * kernel_->slice_bytes());
  result_.require(sizeof(bulk_state) + sizeof(report_block));
  report_block &report = report_in(result_);
  report = {};
  device_problem problem = {};
  problem.nodes = reinterpret_cast<const uint32 *>(kernel_->nodes());
  problem.b_axes = reinterpret_cast<const uint32 *>(kernel_->b_axes());
  problem.params = reinterpret_cast<const void *>(params_);
  problem.listed = kernel_->listed();
  problem.raised = kernel_->raised();
  std::copy_n(state.set.raised_points, raised_levels, problem.raised_points);
  problem.slices = reinterpret_cast<slice_record *>(slices_.address());
  problem.most_slices = most_slices;
  problem.estimate = state.set.estimate;
  problem.arrived = reinterpret_cast<unsigned *>(control_.address());
  problem.left = reinterpret_cast<unsigned *>(control_.address() + offsetof(control_block, left));
  problem.failed = failed();
  problem.taken = reinterpret_cast<int64 *>(control_.address() + offsetof(control_block, taken));
  problem.failed_out = &report.failed;
  problem.flags_out = report.flags;
  return problem;
}

int64 *cuda_executor::failed() {
  if (batch_) return batch_->failed();
  return reinterpret_cast<int64 *>(control_.address() + offsetof(control_block, failed));
}

void cuda_executor::launch_steps(bulk_state &state, int64 regions) {
  const bool begins = state.count == 0;
  const bulk_state before = state;
  if (begins) ahead_.prepare();
  const device_problem problem = make_problem(state);
  const int *const written = report_in(result_).flags + 2;
  const auto run_beside = [&](const auto &behind) {
    kernel_->steps().run(state, regions, problem, static_cast<bulk_state *>(result_.address()), stream_, behind,
                         written);
  };
  run_beside([&] {
    if (begins) ahead_.start(written);
  });
  if (begins && ahead_.has_said()) {  // which the run has not asked for yet
    clear_flags({kernel_->flags(), kernel_->status()}, stream_);
    state = before;
    report_in(result_) = {};
    run_beside([] {});
  }
  const report_block &report = report_in(result_);
  failed_box_.clear();
  holes_.clear();
  if (report.failed > 0) {
    failed_box_ = download_box(state.regions, report.failed - 1);
    holes_ = download_holes(state);
  }
  flags_ = report.flags[0];
  status_ = report.flags[1];
}

// With so many a region has as many lanes as it has on any number of devices, and is not cut into slices; a test takes them all, else each of
// two devices has one for every group of lanes.
int64 cuda_executor::least_regions() const {
  const int64 groups = int64{kernel_->steps().grid} * kernel_->steps().block / kernel_->lanes();
  return sharing_.always() ? groups / 2 + 1 : 2 * groups;
}

void cuda_executor::run_bulk(bulk_state &state) {
  if (batch_) return batch_->run(state);
  // The shape of the launches, which shows in the last bits, and the end of this go are the same whether or not steps are shared out.
  const int64 regions = state.count > 0 ? state.count : state.set.initial_regions;
  state.pause_regions = regions <= steps_kernel::few_regions ? steps_kernel::few_regions : INT64_MAX;
  if (!sharing_.has_others()) return launch_steps(state, regions);
  const int64 until = state.evaluations + state.pause_after,
              until_explored = state.evaluations + state.pause_exploring_after,
              until_early = state.evaluations + state.early_pause_after;
  for (;;) {
    state.share_regions = least_regions();
    state.share_points = sharing_.least_points();
    state.pause_after = std::min(until - state.evaluations, look_);
    state.pause_exploring_after = std::min(until_explored - state.evaluations, look_);
    state.early_pause_after = std::max<int64>(0, until_early - state.evaluations);
    const int64 before = state.evaluations + pending_points(state);
    const auto from = std::chrono::steady_clock::now();
    launch_steps(state, regions);
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
    const int64 points = state.evaluations - before;
    if (points >= look_) {
      seconds = sharing_.slowest(seconds, points);
      look_ = std::max(first_look, static_cast<int64>(seconds_between_looks / seconds * static_cast<double>(points)));
    }
    sharing_.took(seconds, points);
    if (state.pending > 0)
      sharing_.share_out(state);
    else if (state.end != outcome::running || state.wants_room ||
             state.evaluations >= (state.exploring ? until_explored : until) || state.count > state.pause_regions ||
             (state.surveyed && state.evaluations >= until_early))  // how large the error is the driver can see
      return;
  }
}

// ---- A part of a step ----------------------------------------------------------------------------------------------------------

void cuda_executor::start_part(const bulk_state &state, const region_view &regions, const region_list &list, int64 n) {
  part_end_ = outcome::running;
  if (batch_) {
    part_end_ = batch_->evaluate(state, regions, list, n);
    return;
  }
  const device_problem problem = make_problem(state);
  const void *arguments[] = {&problem, &regions, &list, &state.raising, &n, &state.pending};
  const steps_kernel &like = kernel_->steps();
  check(cuda().launch(kernel_->part(), like.grid, 1, 1, like.block, 1, 1, like.shared_bytes, stream_,
                      const_cast<void **>(arguments), nullptr),
        "starting the kernel");
}

cuda_executor::answer cuda_executor::end_part() {
  check(cuda().stream_synchronize(stream_), "the kernel");
  if (batch_) return {0, 0, part_end_};
  const report_block &report = report_in(result_);
  return {report.flags[0], report.flags[1], outcome::running};
}

void cuda_executor::tell(const answer &all) {
  told_ = all;
  upload(kernel_->flags(), &told_.flags, sizeof told_.flags, stream_, "uploading the integrand's answer");
  upload(kernel_->status(), &told_.status, sizeof told_.status, stream_, "uploading the integrand's answer");
}

}  // namespace tessera
