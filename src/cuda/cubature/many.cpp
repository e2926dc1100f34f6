// SPDX-License-Identifier: BSD-3-Clause
#include "many.hpp"

#include <algorithm>
#include <cstring>

namespace tessera {
namespace {

// An integral that takes more than this in a block is better off on the whole device. With thousands of integrals at a time the
// device is busy anyway; what counts is how long the last block keeps it waiting.
constexpr int64 slot_regions = 1024;
constexpr int64 most_evaluations = int64{1} << 22;
constexpr int64 least_rows = 16;  // fewer are not worth a kernel of their own

constexpr std::size_t alignment = 256;
std::size_t padded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

// Hands out places in a block of memory.
class places {
 public:
  std::size_t take(std::size_t bytes) {
    const std::size_t at = bytes_;
    bytes_ += padded(bytes);
    return at;
  }
  template <class T>
  int64 take_array(int64 n) {
    return static_cast<int64>(take(static_cast<std::size_t>(n) * sizeof(T)));
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

// Regions that the memory limit allows, as for a run on the whole device.
int64 allowed_regions(const cubature_settings &s, int pieces) {
  const int64 record = 8 * region_fields(s.ndim, s.ncomp), parent = 8 * region_fields(0, s.ncomp);
  return std::max<int64>(std::min(s.memory / (record + parent + 8), int64{0xfffffff0}), 4 * pieces);
}

// Regions of a slot that give the first cells their place.
int64 least_regions(const many_problem &problem, int pieces) {
  return std::max<int64>(4 * problem.small_regions, 4 * pieces);
}

}  // namespace

many_slot make_slot(int ndim, int ncomp, int64 regions) {
  many_slot s = {};
  s.capacity = regions;
  s.parents = regions / 2;
  const int64 chunks = chunks_of(regions);
  places p;
  s.regions_at = p.take_array<double>(s.capacity * region_fields(ndim, ncomp));
  s.parents_at = p.take_array<double>(s.parents * region_fields(0, ncomp));
  s.marked_at = p.take_array<int64>(s.capacity + 2);
  s.sums_at = p.take_array<component_sums>(chunks * ncomp);
  s.frozen_at = p.take_array<compensated_sum>(chunks);
  s.counts_at = p.take_array<int64>(most_chunks + 1);
  s.histogram_at = p.take_array<uint32>(3 * histogram_bins);
  s.retired_at = p.take_array<component_sums>(ncomp);
  s.totals_at = p.take_array<component_sums>(ncomp);
  s.scale_at = p.take_array<double>(2 * ncomp);
  s.decision_at = p.take_array<bulk_decision>(1);
  s.candidates_at = p.take_array<landmark_pair>(landmark_parts(regions) * landmark_groups);
  s.landmarks_at = p.take_array<landmark_table>(1);
  s.landmark_boxes_at = p.take_array<double>(landmarks_kept * region_fields(ndim, 0));
  s.bytes = static_cast<int64>(p.bytes());
  return s;
}

bool many_executor::suits(const many_problem &problem) {
  const cubature_settings &s = problem.common.settings;
  const int pieces = make_splitting(s.splitting, s.ndim, s.margin).pieces;
  return problem.rows() >= least_rows && least_regions(problem, pieces) <= slot_regions &&
         2 * problem.small_regions * problem.common.integration_rule.points <= most_evaluations / 8;
}

void many_executor::prepare(const loaded_kernel &kernel, const many_problem &problem, int64 free_bytes) {
  const cubature_settings &s = problem.common.settings;
  const int pieces = make_splitting(s.splitting, s.ndim, s.margin).pieces;
  flags_ = 0;
  most_regions_ = allowed_regions(s, pieces);
  const int64 share = (free_bytes + slot_bytes()) / 4;
  const int64 least = std::min(least_regions(problem, pieces), most_regions_);
  const int64 blocks = std::min<int64>(kernel.grid(), std::min(problem.rows(), most_rows));
  int64 regions = std::min(slot_regions, most_regions_);
  while (regions / 2 >= least && make_slot(s.ndim, s.ncomp, regions).bytes * blocks > share) regions /= 2;
  slot_ = make_slot(s.ndim, s.ncomp, regions);
  blocks_ = static_cast<unsigned>(std::max<int64>(1, std::min(blocks, share / slot_.bytes)));
  slots_.require(static_cast<std::size_t>(slot_.bytes) * blocks_);
  queue_.require(sizeof(unsigned long long));
}

void many_executor::run(const loaded_kernel &kernel, const many_problem &problem, CUdeviceptr shared_params, int64 first,
                        many_results &results, double *value, double *error) {
  const cubature_settings &s = problem.common.settings;
  const int64 rows = std::min(problem.rows() - first, most_rows), boxes = problem.one_box ? 1 : rows;
  const bool mapped = problem.any_infinite_row();
  const auto nd = static_cast<std::size_t>(s.ndim), nc = static_cast<std::size_t>(s.ncomp);
  const std::size_t box_bytes = static_cast<std::size_t>(boxes) * nd * sizeof(double);
  const std::size_t block_step = (problem.params_bytes + 15) / 16 * 16;  // every block is as aligned as a single one

  places in, out;
  const std::size_t lower_at = in.take(box_bytes), upper_at = in.take(box_bytes);
  const std::size_t axes_at = in.take(mapped ? static_cast<std::size_t>(boxes) * nd * sizeof(axis_map) : 0);
  const std::size_t params_at = in.take(problem.params ? static_cast<std::size_t>(rows) * block_step : 0);
  const std::size_t result_bytes = static_cast<std::size_t>(rows) * nc * sizeof(double);
  const std::size_t records_at = out.take(static_cast<std::size_t>(rows) * sizeof(many_record));
  const std::size_t value_at = out.take(result_bytes), error_at = out.take(result_bytes);
  input_.require(in.bytes());
  output_.require(out.bytes());
  staging_.require(std::max(in.bytes(), out.bytes()));

  auto *staged = static_cast<unsigned char *>(staging_.address());
  const std::size_t from = problem.one_box ? 0 : static_cast<std::size_t>(first) * nd;
  std::memcpy(staged + lower_at, (problem.one_box ? problem.common.lower : problem.lower).data() + from, box_bytes);
  std::memcpy(staged + upper_at, (problem.one_box ? problem.common.upper : problem.upper).data() + from, box_bytes);
  if (mapped)
    std::memcpy(staged + axes_at, (problem.one_box ? problem.common.axes : problem.axes).data() + from,
                static_cast<std::size_t>(boxes) * nd * sizeof(axis_map));
  for (int64 r = 0; problem.params && r < rows; ++r)
    std::memcpy(staged + params_at + static_cast<std::size_t>(r) * block_step, problem.block(first + r),
                problem.params_bytes);
  upload(input_.address(), staged, in.bytes(), stream_, "uploading the integrals");
  check(cuda().set_bytes(queue_.address(), 0, sizeof(unsigned long long), stream_), "starting the kernel");

  bulk_state common = {};
  common.set = s;
  common.set.initial_regions = problem.small_regions;
  common.split = make_splitting(s.splitting, s.ndim, s.margin);
  common.points = problem.common.integration_rule.points;
  common.pause_after = most_evaluations;
  common.pause_regions = INT64_MAX;
  common.can_grow = slot_.capacity < most_regions_;
  device_problem shared = {};
  shared.nodes = reinterpret_cast<const uint32 *>(kernel.nodes());
  shared.b_axes = reinterpret_cast<const uint32 *>(kernel.b_axes());
  shared.most_slices = 1;  // regions are never cut: there are enough of them for one block
  shared.estimate = s.estimate;
  many_batch batch = {};
  batch.slots = reinterpret_cast<unsigned char *>(slots_.address());
  batch.slot = slot_;
  batch.rows = rows;
  batch.next = reinterpret_cast<unsigned long long *>(queue_.address());
  batch.lower = reinterpret_cast<const double *>(input_.address() + lower_at);
  batch.upper = reinterpret_cast<const double *>(input_.address() + upper_at);
  batch.axes = mapped ? reinterpret_cast<const axis_map *>(input_.address() + axes_at) : nullptr;
  batch.box_step = problem.one_box ? 0 : s.ndim;
  batch.params = reinterpret_cast<const unsigned char *>(problem.params ? input_.address() + params_at : shared_params);
  batch.params_step = problem.params ? static_cast<int64>(block_step) : 0;
  batch.records = reinterpret_cast<many_record *>(output_.address() + records_at);
  batch.value = reinterpret_cast<double *>(output_.address() + value_at);
  batch.error = reinterpret_cast<double *>(output_.address() + error_at);
  void *arguments[] = {&common, &shared, &batch};
  const unsigned blocks = static_cast<unsigned>(std::min<int64>(blocks_, rows));
  check(cuda().launch(kernel.steps(), blocks, 1, 1, kernel.block(), 1, 1, kernel.shared_bytes(), stream_, arguments, nullptr),
        "starting the kernel");
  check(cuda().stream_synchronize(stream_), "the kernel");  // also of the copy from the staging memory, which is used again
  check(cuda().download(staged, output_.address(), out.bytes()), "downloading the results");

  for (int64 r = 0; r < rows; ++r) {
    many_record record;
    std::memcpy(&record, staged + records_at + static_cast<std::size_t>(r) * sizeof record, sizeof record);
    const int64 row = first + r;
    flags_ |= record.flags;
    many_row &to = results.rows[static_cast<std::size_t>(row)];
    to.end = static_cast<outcome>(record.end);
    if (to.end == outcome::running) continue;
    to.has_value = record.evaluations > 0;
    to.evaluations = record.evaluations;
    to.regions = record.regions;
    to.iterations = record.iterations;
    if (to.end == outcome::callback) {
      to.callback_status = record.status;
      results.keep_message(row, why_stopped(record.flags, record.status));
    }
    if (to.end == outcome::nonfinite)
      results.keep_message(row, "the integrand returned NaN or infinity at a point on the device");
  }
  const std::size_t at = static_cast<std::size_t>(first) * nc;
  std::memcpy(value + at, staged + value_at, result_bytes);
  std::memcpy(error + at, staged + error_at, result_bytes);
}

void many_progress::count(int64 row) {
  const many_row &r = results_.rows[static_cast<std::size_t>(row)];
  if (r.end == outcome::running) return;
  evaluations_ += r.evaluations;
  ++finished_;
  if (r.has_value) last_ = row;
}

void many_progress::count_up_to(int64 end) {
  for (end = std::min(end, static_cast<int64>(results_.rows.size())); counted_ < end; ++counted_) count(counted_);
}

bool many_progress::go_on() {
  look(0);
  return end_ == outcome::running;
}

void many_progress::look(int64 evaluations_now) {
  if (end_ != outcome::running || !watch_.due()) return;
  end_ = watch_.look(evaluations_ + evaluations_now, finished_, last_ < 0 ? nullptr : value_ + last_ * ncomp_,
                     last_ < 0 ? nullptr : error_ + last_ * ncomp_);
}

void many_progress::give_up_the_rest() {
  if (end_ == outcome::running) return;
  for (many_row &r : results_.rows)
    if (r.end == outcome::running) r.end = end_;
}

}  // namespace tessera
