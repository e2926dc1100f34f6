// SPDX-License-Identifier: BSD-3-Clause
#include "many.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "../../engine/cubature/likely_places.hpp"
#include "../../engine/cubature/mode_check.hpp"
#include "../../engine/cubature/ray_directions.hpp"

namespace tessera {
namespace {

// An integral that takes more than this in a block is better off on the whole device. With thousands of integrals at a time the
// device is busy anyway; what counts is how long the last block keeps it waiting.
constexpr int64 slot_regions = 1024;
constexpr int64 most_evaluations = int64{1} << 22;
constexpr int64 least_rows = 16;  // fewer are not worth a kernel of their own

// Regions of a slot that give the first cells their place.
int64 least_regions(const many_problem &problem, int pieces) {
  return std::max<int64>(4 * problem.small_regions, 4 * pieces);
}

const cubature_problem &common_of(const many_problem &problem) {
  return static_cast<const cubature_problem &>(*problem.common);
}

int64 bytes_of_slot(const cubature_settings &s, int64 regions) {
  bulk_state unused = {};
  unused.set = s;
  return place_slot(unused, regions, nullptr);
}

int usual_places_of(int ndim) { return static_cast<int>(listed_places(ndim).count()); }

}  // namespace

bool many_executor::suits(const many_problem &problem) {
  const cubature_problem &common = common_of(problem);
  const cubature_settings &s = common.settings;
  const int pieces = make_splitting(s.splitting, s.ndim, s.margin).pieces;
  return problem.of_rows >= least_rows && least_regions(problem, pieces) <= slot_regions &&
         2 * problem.small_regions * common.integration_rule.points <= most_evaluations / 8;
}

void many_executor::prepare(const loaded_kernel &kernel, const many_problem &problem, int64 free_bytes) {
  const cubature_settings &s = common_of(problem).settings;
  const int pieces = make_exploring(make_splitting(s.splitting, s.ndim, s.margin)).pieces;
  flags_ = 0;
  most_regions_ = regions_in_memory(s, pieces);
  prepare_checks(s, problem.any_mapped);
  const int64 share = (free_bytes + slot_bytes()) / 4;
  const int64 check_bytes =
      rays_ > 0 ? 8 * numbers_of_check(s.ndim, rays_, usual_places_of(s.ndim), static_cast<int>(kernel.steps().block))
                : 0;
  const int64 least = std::min(least_regions(problem, pieces), most_regions_);
  const int64 blocks = std::min<int64>(kernel.steps().grid, std::min(problem.of_rows, most_rows));
  int64 regions = std::min(slot_regions, most_regions_);
  while (regions / 2 >= least && (bytes_of_slot(s, regions) + check_bytes) * blocks > share) regions /= 2;
  slot_regions_ = regions;
  check_at_ = bytes_of_slot(s, regions);
  slot_bytes_ = check_at_ + (check_bytes + 255) / 256 * 256;
  blocks_ = static_cast<unsigned>(std::max<int64>(1, std::min(blocks, share / slot_bytes_)));
  slots_.require(static_cast<std::size_t>(slot_bytes_) * blocks_);
  queue_.require(sizeof(unsigned long long));
}

// As a single run looks: not with the classic estimate, nor where one component says what is divided.
void many_executor::prepare_checks(const cubature_settings &s, bool mapped) {
  rays_ = 0;
  if ((!mapped && !s.looks_in_finite_ranges) || s.estimate == 1 || s.by_component) return;
  const auto nd = static_cast<std::size_t>(s.ndim), rays = static_cast<std::size_t>(most_rays(mapped));
  if (looks_.ndim != s.ndim || looks_.asked < rays) {
    looks_.ndim = 0;  // until they are there
    std::vector<double> numbers = ray_directions(nd, rays, std::vector<int>(nd, 0));
    const std::vector<double> &places = listed_places(s.ndim).parts;
    looks_.rays = numbers.size() / nd;
    numbers.insert(numbers.end(), places.begin(), places.end());
    for (const uint64 axes : choices_of_axes(nd)) numbers.push_back(double_of(axes));
    looks_.there.require(numbers.size() * sizeof(double));
    upload(looks_.there.address(), numbers.data(), numbers.size() * sizeof(double), stream_, "uploading rays");
    check(cuda().stream_synchronize(stream_), "uploading rays");
    looks_.asked = rays;
    looks_.ndim = s.ndim;
  }
  rays_ = static_cast<int>(std::min(rays, looks_.rays));
}

void many_executor::run(const loaded_kernel &kernel, const many_problem &problem, CUdeviceptr shared_params,
                        int64 first, many_results &results, double *value, double *error) {
  const cubature_settings &s = common_of(problem).settings;
  const int64 rows = std::min(problem.rows() - first, most_rows), boxes = problem.lower ? rows : 1;
  const bool mapped = problem.any_mapped;
  const auto nd = static_cast<std::size_t>(s.ndim), nc = static_cast<std::size_t>(s.ncomp);
  const std::size_t box_bytes = static_cast<std::size_t>(boxes) * nd * sizeof(double);
  const std::size_t block_step = (problem.params_bytes + 15) / 16 * 16;  // every block is as aligned as a single one

  array_places in, out;
  const auto take = [](array_places &from, std::size_t bytes) {
    return static_cast<std::size_t>(from.take_bytes(static_cast<int64>(bytes)));
  };
  const std::size_t lower_at = take(in, box_bytes), upper_at = take(in, box_bytes);
  const std::size_t axes_at = take(in, mapped ? static_cast<std::size_t>(boxes) * nd * sizeof(axis_map) : 0);
  const std::size_t params_at = take(in, problem.params ? static_cast<std::size_t>(rows) * block_step : 0);
  const std::size_t result_bytes = static_cast<std::size_t>(rows) * nc * sizeof(double);
  const std::size_t records_at = take(out, static_cast<std::size_t>(rows) * sizeof(many_record));
  const std::size_t value_at = take(out, result_bytes), error_at = take(out, result_bytes);
  const auto in_bytes = static_cast<std::size_t>(in.bytes), out_bytes = static_cast<std::size_t>(out.bytes);
  input_.require(in_bytes);
  output_.require(out_bytes);
  staging_.require(std::max(in_bytes, out_bytes));

  auto *staged = static_cast<unsigned char *>(staging_.address());
  const std::unique_ptr<tessera::problem> copy = common_of(problem).copy();
  const auto &box = static_cast<const cubature_problem &>(*copy);
  for (int64 r = 0; r < boxes; ++r) {
    problem.give_row(first + r, *copy);
    const std::size_t to = static_cast<std::size_t>(r) * nd;
    std::memcpy(staged + lower_at + to * sizeof(double), box.lower.data(), nd * sizeof(double));
    std::memcpy(staged + upper_at + to * sizeof(double), box.upper.data(), nd * sizeof(double));
    if (mapped) std::memcpy(staged + axes_at + to * sizeof(axis_map), box.axes.data(), nd * sizeof(axis_map));
  }
  for (int64 r = 0; problem.params && r < rows; ++r)
    std::memcpy(staged + params_at + static_cast<std::size_t>(r) * block_step, problem.block(first + r),
                problem.params_bytes);
  // A row that is too large for a block writes no value; what comes back of it is defined all the same.
  check(cuda().set_bytes(output_.address(), 0, out_bytes, stream_), "starting the kernel");
  upload(input_.address(), staged, in_bytes, stream_, "uploading the integrals");
  check(cuda().set_bytes(queue_.address(), 0, sizeof(unsigned long long), stream_), "starting the kernel");

  bulk_state common = {};
  set_up(common, s, box.integration_rule.points);
  common.set.initial_regions = problem.small_regions;
  common.pause_after = common.pause_exploring_after = most_evaluations;
  common.can_grow = slot_regions_ < most_regions_;
  device_problem shared = {};
  shared.nodes = reinterpret_cast<const uint32 *>(kernel.nodes());
  shared.b_axes = reinterpret_cast<const uint32 *>(kernel.b_axes());
  shared.listed = kernel.listed();
  shared.most_slices = 1;  // regions are never cut: there are enough of them for one block
  shared.estimate = s.estimate;
  many_batch batch = {};
  batch.slots = reinterpret_cast<unsigned char *>(slots_.address());
  batch.slot_bytes = slot_bytes_;
  batch.slot_regions = slot_regions_;
  batch.check_at = check_at_;
  const auto *const directions = reinterpret_cast<const double *>(looks_.there.address());
  const double *const places = directions + looks_.rays * nd;
  const usual_list &list = listed_places(s.ndim);
  batch.looks = {directions,
                 rays_,
                 places,
                 static_cast<int>(list.count()),
                 static_cast<int>(list.first_line),
                 static_cast<int>(list.lines),
                 static_cast<int>(list.rows),
                 reinterpret_cast<const uint64 *>(places + list.parts.size()),
                 static_cast<int>(choices_of_axes(nd).size())};
  batch.rows = rows;
  batch.next = reinterpret_cast<unsigned long long *>(queue_.address());
  batch.lower = reinterpret_cast<const double *>(input_.address() + lower_at);
  batch.upper = reinterpret_cast<const double *>(input_.address() + upper_at);
  batch.axes = mapped ? reinterpret_cast<const axis_map *>(input_.address() + axes_at) : nullptr;
  batch.box_step = problem.lower ? s.ndim : 0;
  batch.params = reinterpret_cast<const unsigned char *>(problem.params ? input_.address() + params_at : shared_params);
  batch.params_step = problem.params ? static_cast<int64>(block_step) : 0;
  batch.records = reinterpret_cast<many_record *>(output_.address() + records_at);
  batch.value = reinterpret_cast<double *>(output_.address() + value_at);
  batch.error = reinterpret_cast<double *>(output_.address() + error_at);
  void *arguments[] = {&common, &shared, &batch};
  const unsigned blocks = static_cast<unsigned>(std::min<int64>(blocks_, rows));
  check(cuda().launch(kernel.steps().function, blocks, 1, 1, kernel.steps().block, 1, 1, kernel.steps().shared_bytes,
                      stream_, arguments, nullptr),
        "starting the kernel");
  check(cuda().stream_synchronize(stream_),
        "the kernel");  // also of the copy from the staging memory, which is used again
  check(cuda().download(staged, output_.address(), out_bytes), "downloading the results");

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

}  // namespace tessera
