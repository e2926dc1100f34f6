// Iterations of VEGAS on a device, which shares out the samples, makes them and learns from them; the host looks once an iteration, or
// once a launch of a large one. Several devices, and ranks, do the same each, but for the samples: of these each makes some parts, and
// all learn from what all have seen.
// SPDX-License-Identifier: BSD-3-Clause
#include "montecarlo.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

namespace tessera {
namespace {

// Consecutive arrays in one block of device memory.
class memory_cutter {
 public:
  explicit memory_cutter(CUdeviceptr begin) : begin_(begin) {}
  template <class T>
  void cut(T *&to, int64 n) {
    if (begin_) to = pointer<T>(begin_ + bytes_);
    bytes_ += (size(n) * sizeof(T) + 255) / 256 * 256;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  const CUdeviceptr begin_;
  std::size_t bytes_ = 0;
};

// Iterations grow, and memory that grows with each of them would cost more than the samples do. Where there is none to spare, what is needed.
void allocate_ahead(device_memory &m, int64 bytes) {
  constexpr std::size_t least = std::size_t{1} << 22;
  if (size(bytes) <= m.bytes()) return;
  try {
    allocate(m, std::max({size(bytes), 2 * m.bytes(), least}));
  } catch (const std::bad_alloc &) {
    allocate(m, size(bytes));
  }
}

}  // namespace

void device_sampler::begin_course(const std::vector<double> &edges, const std::vector<int> &cells,
                                  const std::vector<double> &spread) {
  const std::size_t bytes = edges.size() * sizeof(double), counters = size(ndim_) * grid_bins * sizeof(uint64);
  edges_there_.require(bytes);
  training_.require(counters);
  upload(edges_there_.address(), edges.data(), bytes, stream_, "uploading the grid");
  check(cuda().set_bytes(training_.address(), 0, counters, stream_), "clearing the training");
  cells_ = cells;
  cubes_ = 1;
  for (const int c : cells) cubes_ *= c;
  known_ = !spread.empty();
  course_age_ = ++ages_;
  if (known_) {
    spread_there_.require(spread.size() * sizeof(double));
    upload(spread_there_.address(), spread.data(), spread.size() * sizeof(double), stream_, "uploading the strata");
  }
  check(cuda().stream_synchronize(stream_), "uploading the grid");  // the vectors are the caller's
}

void device_sampler::recall_course(std::vector<double> &edges, std::vector<double> *spread) {
  check(cuda().stream_synchronize(stream_), "the kernel");
  edges.resize(size(ndim_) * grid_edges);
  check(cuda().download(edges.data(), edges_there_.address(), edges.size() * sizeof(double)), "downloading the grid");
  if (!spread) return;
  spread->resize(known_ ? size(cubes_) : 0);
  if (known_)
    check(cuda().download(spread->data(), spread_there_.address(), spread->size() * sizeof(double)),
          "downloading the strata");
}

outcome device_sampler::iterate(const vegas_iteration &it, sample_sums *sums,
                                const std::function<outcome(int64)> &made) {
  pass_ = it.pass;
  const course_plan plan = plan_of(it);
  const int64 all = it.samples + it.uniform, nc = ncomp_;
  const bool ranks = shared_.parts() > 1;
  const auto begin = [&] {
    begin_iteration(it, plan);
    return outcome::running;
  };
  const outcome ready = ranks ? begin() : within_memory(begin);  // a rank that cannot even begin leaves the run
  if (ready != outcome::running) return ready;
  int64 room = 256;  // page-locked memory is dear to ask for
  while (room < plan.parts) room *= 2;
  part_sums_.require(size(room * nc) * sizeof(sample_sums));
  auto *const part_sums = static_cast<sample_sums *>(part_sums_.address());
  in_iteration_.assign(1, this);
  piece_spreads_.clear();
  watch_.begin_iteration(kernels_, all,
                         std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count());
  const bool several = team_.always() || watch_.is_worth();
  int64 done = 0;
  for (int part = 0, next; part < plan.parts; part = next) {
    next = static_cast<int>(
        std::min(int64{plan.parts}, part + int64{plan.parts_at_once} * shared_.parts() * team_.size()));
    failure_.clear();
    const item_range own = shared_.begin(part, next);
    if (several) {
      const int devices = team_.share_out(
          own, (own.end - own.first) << plan.log_part,
          [&](device_sampler &member, cuda_setting &setting) { member.join(*this, setting); },
          [&](device_sampler &member, const item_range &of) {
            if (&member != this) follow(member, it, plan);
            member.start_parts(plan, of, part_sums);
          },
          [&](device_sampler &member, const item_range &of) {
            member.end_parts(of);
            if (&member != this) member.merge_failure(failure_);
          });
      count_devices(devices);
      watch_.took_part(devices);
    } else {
      start_parts(plan, own, part_sums);
      end_parts(own);
    }
    if (ranks) {
      read_pieces(failure_.item() < 0);
      shared_.exchange(failure_, no_zeroed_,
                       {{part_sums + part * nc, sizeof(sample_sums), nullptr, nc},
                        {piece_spreads_.data(), sizeof(double), &part_piece_[size(part)]}});
    }
    const outcome o = take_failure();
    if (o != outcome::running) return o;
    // A part is as long as it would be if pieces ended there, but around a callback, whose points are counted.
    const int64 now = f_->batch ? part_sample_[size(next)] : std::min(all, int64{next} << plan.log_part);
    const outcome pause = made(now - done);
    done = now;
    if (pause != outcome::running && next < plan.parts) return pause;
  }
  for (int part = 0; part < plan.parts; ++part)
    for (int64 k = 0; k < nc; ++k) sums[k].add(part_sums[part * nc + k]);
  return outcome::running;
}

// Parts have a size that keeps a device busy, whatever number of devices there is: so their sums are the same whoever makes them.
device_sampler::course_plan device_sampler::plan_of(const vegas_iteration &it) const {
  constexpr int least_log = 18;
  constexpr int64 most_parts = 65536;
  constexpr int most_together = 32;
  const int64 all = it.samples + it.uniform, most = chunk_samples();
  course_plan plan = {};
  while (int64{2} << plan.log_part <= most && (plan.log_part < least_log || all >> plan.log_part > most_parts))
    ++plan.log_part;
  const int64 length = int64{1} << plan.log_part;
  plan.parts = static_cast<int>((all + length - 1) / length);
  plan.parts_at_once = static_cast<int>(std::max<int64>(1, std::min<int64>(plan.parts, most / length)));
  const int64 tiles = (all + sample_tile - 1) / sample_tile, blocks = 4 * multiprocessors_,
              of_part = std::min(all, length + most_piece) / sample_tile + 2;
  for (plan.together = most_together; plan.together > 1 && plan.together * blocks > tiles;) plan.together /= 2;
  plan.groups = static_cast<int>((of_part + plan.together - 1) / plan.together);
  return plan;
}

void device_sampler::begin_iteration(const vegas_iteration &it, const course_plan &plan) {
  sample_pass pass = it.pass;
  pass.edges = pointer<const double>(edges_there_.address());
  prepare(pass);
  pass_.edges = nullptr;
  use_course(it, plan);
  share_out(*kernels_);
  made_parts_.clear();
  part_piece_.clear();
  if (!f_->batch) return;
  part_sample_.resize(size(plan.parts) + 1);  // the calls must be told of the number of points
  check(cuda().stream_synchronize(stream_), "the kernel");
  check(cuda().download(part_sample_.data(), reinterpret_cast<CUdeviceptr>(arguments_.course.part_sample),
                        part_sample_.size() * sizeof(int64)),
        "downloading the parts");
}

// Another device comes to where this one is, in its own context: with the same grid and strata it shares out the samples as this one has.
void device_sampler::follow(device_sampler &member, const vegas_iteration &it, const course_plan &plan) {
  if (std::find(in_iteration_.begin(), in_iteration_.end(), &member) != in_iteration_.end()) return;
  if (member.course_age_ != course_age_) {
    std::vector<double> edges, spread;
    {
      const current_context here(setting_.context());
      recall_course(edges, &spread);
    }
    member.begin_course(edges, cells_, spread);
    member.course_age_ = course_age_;
  }
  member.begin_iteration(it, plan);
  in_iteration_.push_back(&member);
}

// What the pieces have shown that have been made since the last time, unless a device could not make them.
void device_sampler::read_pieces(bool made) {
  if (part_piece_.empty()) {
    check(cuda().stream_synchronize(stream_), "the kernel");
    part_piece_.resize(size(arguments_.course.parts) + 1);
    check(cuda().download(part_piece_.data(), reinterpret_cast<CUdeviceptr>(arguments_.course.part_piece),
                          part_piece_.size() * sizeof(int64)),
          "downloading the parts");
    piece_spreads_.resize(size(part_piece_.back()));
  }
  for (device_sampler *member : in_iteration_) {
    const current_context there(member->setting_.context());
    for (const item_range &parts : member->made_parts_) {
      const int64 first = part_piece_[size(parts.first)], n = part_piece_[size(parts.end)] - first;
      if (made && n > 0)
        check(cuda().download(&piece_spreads_[size(first)],
                              member->piece_spread_.address() + size(first) * sizeof(double), size(n) * sizeof(double)),
              "downloading what pieces have shown");
    }
    member->made_parts_.clear();
  }
}

int64 device_sampler::cube_blocks() const { return std::min<int64>(cube_chunks(cubes_), 8 * multiprocessors_); }

// Tables, and memory for the cubes and the list.
void device_sampler::use_course(const vegas_iteration &it, const course_plan &plan) {
  sampling_arguments &a = arguments_;
  course_arguments &c = a.course;
  const std::vector<int> &cells = it.cut.cells();
  const bool cut_again = known_ && cells != cells_;
  const int64 cubes = it.cut.cubes(), nc = ncomp_, nd = ndim_;
  // Scales and cells; those of this cut and of the last one for the kernel that goes from the one to the other.
  host_cells_.clear();
  for (const int n : cells) host_cells_.push_back(cells_of(n));
  if (ndim_ <= sampling_near_dim) std::copy(host_cells_.begin(), host_cells_.end(), a.cells);
  const std::size_t scales = size(nc), of_cells = host_cells_.size() * sizeof(sample_cells) / sizeof(double);
  tables_.assign(scales + of_cells + size(nd), 0.0);
  std::copy(it.pass.scale, it.pass.scale + nc, tables_.begin());
  std::memcpy(&tables_[scales], host_cells_.data(), host_cells_.size() * sizeof(sample_cells));
  std::vector<int> both = cells;
  both.insert(both.end(), cells_.begin(), cells_.end());
  std::memcpy(&tables_[scales + of_cells], both.data(), both.size() * sizeof(int));
  allocate(tables_there_, tables_.size() * sizeof(double));
  upload(tables_there_.address(), tables_.data(), tables_.size() * sizeof(double), stream_, "uploading the tables");
  a.pass.scale = pointer<const double>(tables_there_.address());
  a.pass.cells = reinterpret_cast<const sample_cells *>(a.pass.scale + scales);
  c.cells = reinterpret_cast<const int *>(a.pass.scale + scales + of_cells);
  pass_.cells = host_cells_.data();

  c.ndim = ndim_;
  c.shared = {it.samples, cubes, it.exponent};
  c.uniform = it.uniform;
  c.log_part = plan.log_part;
  c.parts = plan.parts;
  c.together = plan.together;
  c.groups = plan.groups;
  c.all_marks = plan.parts == plan.parts_at_once;
  const int64 all = it.samples + it.uniform, parts = plan.parts, pieces = cubes + all / most_piece + 2,
              of_launch = std::min(all, (int64{plan.parts_at_once} << plan.log_part) + most_piece);
  c.edges = pointer<double>(edges_there_.address());
  for (const bool measure : {true, false}) {
    memory_cutter memory(measure ? 0 : course_there_.address());
    memory.cut(c.wishes, cubes);
    memory.cut(c.counts, cubes);
    memory.cut(c.cube_piece, cubes);
    memory.cut(c.chunk_wishes, cube_chunks(cubes));
    memory.cut(c.chunk_samples, cube_chunks(cubes));
    memory.cut(c.chunk_pieces, cube_chunks(cubes));
    memory.cut(c.part_piece, parts + 1);
    memory.cut(c.part_sample, parts + 1);
    memory.cut(c.totals, 1);
    memory.cut(c.part_arrived, parts);
    if (measure) allocate_ahead(course_there_, static_cast<int64>(memory.bytes()));
  }
  // What the kernels of an iteration count and add up.
  const auto totals = reinterpret_cast<CUdeviceptr>(c.totals),
             end = reinterpret_cast<CUdeviceptr>(c.part_arrived + parts);
  check(cuda().set_bytes(totals, 0, end - totals, stream_), "clearing the totals");
  allocate_ahead(list_there_, pieces * static_cast<int64>(sizeof(listed_piece)));
  allocate_ahead(piece_spread_, 8 * pieces);
  allocate_ahead(marks_there_, 4 * (of_launch / marked_samples + 3));
  c.list = pointer<listed_piece>(list_there_.address());
  a.spread = pointer<double>(piece_spread_.address());
  c.marks = pointer<int>(marks_there_.address());
  a.training = pointer<uint64>(training_.address());
  course_result_.require(sizeof(course_result));
  a.result = static_cast<course_result *>(course_result_.address());

  if (cut_again || !known_) {
    std::swap(spread_there_, spread_before_);
    allocate_ahead(spread_there_, 8 * cubes);
  }
  c.spread = pointer<double>(spread_there_.address());
  c.before = cut_again ? pointer<const double>(spread_before_.address()) : nullptr;
  c.known = known_;
  cells_ = cells;
  cubes_ = cubes;
}

void device_sampler::share_out(const sampling_kernels &kernels) {
  if (arguments_.course.before) launch(kernels.cut_again(), cube_blocks(), sample_tile);
  for (const CUfunction step : kernels.share_out()) launch(step, cube_blocks(), chunk_cubes);
  launch(kernels.list_pieces(), cube_blocks(), chunk_cubes);
}

// Parts of the iteration, in as few launches as memory allows.
void device_sampler::start_parts(const course_plan &plan, const item_range &parts, sample_sums *part_sums) try {
  sampling_arguments &a = arguments_;
  course_arguments &c = a.course;
  failure_.clear();
  made_parts_.push_back(parts);
  a.part_sums = part_sums;
  a.result->failed = -1;
  const int64 nc = ncomp_, all = c.shared.samples + c.uniform;
  for (int64 part = parts.first, next; part < parts.end; part = next) {
    next = std::min(parts.end, part + plan.parts_at_once);
    c.part = static_cast<int>(part);
    c.part_end = static_cast<int>(next);
    const int64 groups = (next - part) * plan.groups;
    a.count = f_->batch ? part_sample_[size(next)] - part_sample_[size(part)]
                        : std::min(all, ((next - part) << plan.log_part) + most_piece);
    a.stride = (a.count * points_of_sample(pass_) + 63) / 64 * 64;
    if (plan.parts > plan.parts_at_once)
      allocate(values_, size(nc * a.stride) * sizeof(double));
    else
      allocate_ahead(values_, 8 * nc * a.stride);
    allocate_ahead(partial_there_, groups * nc * static_cast<int64>(sizeof(sample_sums)));
    a.f = pointer<double>(values_.address());
    a.partial = pointer<sample_sums>(partial_there_.address());
    if (!c.all_marks) launch(kernels_->mark_pieces(), 4 * multiprocessors_, sample_tile);
    if (f_->batch && a.count > 0) {  // parts within a long piece have none
      const outcome o = make_values(*kernels_);
      if (o != outcome::running) return failure_.report(part, o, status_, message_);
    }
    launch(kernels_->values(), std::max<int64>(1, value_blocks(*kernels_, a.count)), sample_tile);
    launch(kernels_->pieces(), std::min<int64>(groups, 4 * multiprocessors_), sample_tile);
  }
} catch (const std::bad_alloc &) {
  failure_.report(parts.first, outcome::memory, 0, {});
}

void device_sampler::end_parts(const item_range &parts) try {
  check(cuda().stream_synchronize(stream_), "the kernel");
  if (failure_.item() >= 0) return;
  if (!f_->batch) {
    const outcome o = take_answer(*kernels_);
    if (o != outcome::running) return failure_.report(parts.first, o, status_, message_);
  }
  const int64 failed = arguments_.result->failed;
  if (failed < 0) return;
  if (f_->batch) return failure_.report(parts.first, outcome::nonfinite, 0, callback_nonfinite());
  std::vector<double> edges;
  recall_course(edges, nullptr);
  pass_.edges = edges.data();
  const std::string why = explain_nonfinite(*kernels_, failed);
  pass_.edges = nullptr;
  failure_.report(parts.first, outcome::nonfinite, 0, why);
} catch (const std::bad_alloc &) {
  failure_.report(parts.first, outcome::memory, 0, {});
}

void device_sampler::learn(bool believe_all, double damping) {
  if (shared_.parts() > 1 || in_iteration_.size() > 1) learn_from_all();
  ++ages_;
  for (device_sampler *member : in_iteration_) {
    const current_context there(member->setting_.context());
    course_arguments &c = member->arguments_.course;
    c.believe_all = believe_all;
    c.damping = damping;
    member->launch(member->kernels_->learn(), ndim_ + member->cube_blocks(), sample_tile);
    member->known_ = true;
    member->course_age_ = ages_;
  }
}

// Counts and squares are integers: the order of the devices and ranks does not show.
void device_sampler::learn_from_all() {
  if (shared_.parts() == 1) read_pieces(true);
  const std::size_t bins = size(ndim_) * grid_bins;
  constexpr std::size_t limbs = 4;  // of 32 bits, of the squares
  const auto squares_at = [](const device_sampler &m) {
    return reinterpret_cast<CUdeviceptr>(m.arguments_.course.totals->squares);
  };
  std::vector<uint64> all(bins + limbs, 0), its(bins);
  for (const device_sampler *member : in_iteration_) {
    const current_context there(member->setting_.context());
    uint64 squares[2];
    check(cuda().stream_synchronize(member->stream_), "the kernel");
    check(cuda().download(its.data(), member->training_.address(), bins * sizeof(uint64)), "downloading the training");
    check(cuda().download(squares, squares_at(*member), sizeof squares), "downloading the training");
    for (std::size_t i = 0; i < bins; ++i) all[i] += its[i];
    for (std::size_t i = 0; i < limbs; ++i) all[bins + i] += squares[i / 2] >> (32 * (i % 2)) & 0xffffffffu;
  }
  shared_.add_up(all.data(), static_cast<int64>(all.size()));
  uint64 *const limb = &all[bins];
  for (std::size_t i = 0; i + 1 < limbs; ++i) {
    limb[i + 1] += limb[i] >> 32;
    limb[i] &= 0xffffffffu;
  }
  const uint64 squares[2] = {limb[0] | limb[1] << 32, limb[2] | limb[3] << 32};
  for (const device_sampler *member : in_iteration_) {
    const current_context there(member->setting_.context());
    upload(member->training_.address(), all.data(), bins * sizeof(uint64), member->stream_, "uploading the training");
    upload(squares_at(*member), squares, sizeof squares, member->stream_, "uploading the training");
    upload(member->piece_spread_.address(), piece_spreads_.data(), piece_spreads_.size() * sizeof(double),
           member->stream_, "uploading what pieces have shown");
    check(cuda().stream_synchronize(member->stream_), "uploading the training");
  }
}

}  // namespace tessera
