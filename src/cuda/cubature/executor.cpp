// SPDX-License-Identifier: BSD-3-Clause
#include "executor.hpp"

#include <algorithm>
#include <cstdint>

namespace tessera {
namespace {

// All 0 between the launches.
struct control_block {
  unsigned arrived;
  unsigned left;
  int64 failed;  // 0, or one more than a region
  int64 taken;   // work items given out
};

// Behind the state that comes back.
struct report_block {
  int64 failed;
  int flags[2];
};

std::vector<double> download_box(const region_view &regions, int64 region) {
  const int ndim = regions.ndim();
  std::vector<double> box(static_cast<std::size_t>(2 * ndim));
  for (int j = 0; j < 2 * ndim; ++j)  // the fields of a region begin with centre and half
    check(cuda().download(&box[static_cast<std::size_t>(j)], reinterpret_cast<CUdeviceptr>(&regions.field(region, j)),
                          sizeof(double)),
          "downloading a region");
  return box;
}

}  // namespace

void cuda_executor::run_bulk(bulk_state &state) {
  if (batch_) return batch_->run(state);
  const int64 most_slices = slices_of(*kernel_);
  if (control_.bytes() == 0) {
    control_.require(sizeof(control_block));
    check(cuda().set_bytes(control_.address(), 0, sizeof(control_block), stream_), "starting the kernel");
  }
  slices_.require(static_cast<std::size_t>(most_slices) * kernel_->slice_bytes());
  result_.require(sizeof(bulk_state) + sizeof(report_block));
  auto *out = static_cast<bulk_state *>(result_.address());
  auto *report = reinterpret_cast<report_block *>(out + 1);
  *report = {};
  device_problem problem = {};
  problem.nodes = reinterpret_cast<const uint32 *>(kernel_->nodes());
  problem.b_axes = reinterpret_cast<const uint32 *>(kernel_->b_axes());
  problem.params = reinterpret_cast<const void *>(params_);
  problem.raised = kernel_->raised();
  std::copy_n(state.set.raised_points, raised_levels, problem.raised_points);
  problem.slices = reinterpret_cast<slice_record *>(slices_.address());
  problem.most_slices = most_slices;
  problem.estimate = state.set.estimate;
  problem.arrived = reinterpret_cast<unsigned *>(control_.address());
  problem.left = reinterpret_cast<unsigned *>(control_.address() + offsetof(control_block, left));
  problem.failed = reinterpret_cast<int64 *>(control_.address() + offsetof(control_block, failed));
  problem.taken = reinterpret_cast<int64 *>(control_.address() + offsetof(control_block, taken));
  problem.failed_out = &report->failed;
  problem.flags_out = report->flags;
  const int64 regions = state.count > 0 ? state.count : state.set.initial_regions;
  state.pause_regions = regions <= steps_kernel::few_regions ? steps_kernel::few_regions : INT64_MAX;
  kernel_->steps().run(state, regions, problem, out, stream_);
  failed_box_.clear();
  if (report->failed > 0) failed_box_ = download_box(state.regions, report->failed - 1);
  flags_ = report->flags[0];
  status_ = report->flags[1];
}

}  // namespace tessera
