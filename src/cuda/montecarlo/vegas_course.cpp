// Iterations of VEGAS on a device, which shares out the samples, makes them and learns from them; the host looks once an iteration, or
// once a part of a large one.
// SPDX-License-Identifier: BSD-3-Clause
#include "montecarlo.hpp"

#include <algorithm>
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
  int64 part_samples = 0;
  const int64 all = it.samples + it.uniform;
  const outcome ready = within_memory([&] {
    sample_pass pass = it.pass;
    pass.edges = pointer<const double>(edges_there_.address());
    course_ = &prepare(pass);
    pass_.edges = nullptr;
    part_samples = std::min(chunk_samples(), all);
    use_course(it, part_samples);
    return outcome::running;
  });
  if (ready != outcome::running) return ready;
  share_out(*course_);
  course_arguments &c = arguments_.course;
  std::vector<int64> part_sample;
  if (f_->batch) {  // the calls must be told of the number of points
    part_sample.resize(size(c.parts) + 1);
    check(cuda().stream_synchronize(stream_), "the kernel");
    check(cuda().download(part_sample.data(), reinterpret_cast<CUdeviceptr>(c.part_sample),
                          part_sample.size() * sizeof(int64)),
          "downloading the parts");
  }
  int64 done = 0;
  for (c.part = 0; c.part < c.parts; ++c.part) {
    const auto part = size(c.part);
    const outcome o = run_part(
        *course_, f_->batch ? part_sample[part + 1] - part_sample[part] : std::min(all, part_samples + most_piece));
    if (o != outcome::running) return o;
    // Where the list is not known here, a part is as long as it would be if pieces ended there.
    const int64 now = std::min(all, f_->batch ? part_sample[part + 1] : (c.part + 1) * part_samples);
    const outcome pause = made(now - done);
    done = now;
    if (pause != outcome::running && c.part + 1 < c.parts) return pause;
  }
  const auto *const there =
      reinterpret_cast<const sample_sums *>(static_cast<const course_result *>(course_result_.address()) + 1);
  for (int k = 0; k < ncomp_; ++k) sums[k].add(there[k]);
  return outcome::running;
}

// Blocks with a chunk of cubes for each warp.
int64 device_sampler::chunk_blocks() const {
  constexpr int warps = chunk_cubes / 32;
  return std::min<int64>((cube_chunks(cubes_) + warps - 1) / warps, 4 * multiprocessors_);
}

int64 device_sampler::cube_blocks() const { return std::min<int64>(cube_chunks(cubes_), 8 * multiprocessors_); }

// Tables, and memory for the cubes and the list.
void device_sampler::use_course(const vegas_iteration &it, int64 part_samples) {
  sampling_arguments &a = arguments_;
  course_arguments &c = a.course;
  const std::vector<int> &cells = it.cut.cells();
  const bool cut_again = known_ && cells != cells_;
  const int64 cubes = it.cut.cubes(), nc = ncomp_, nd = ndim_;
  // Scales and cells; those of this cut and of the last one for the kernel that goes from the one to the other.
  host_cells_.clear();
  for (const int n : cells) host_cells_.push_back(cells_of(n));
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
  c.part_samples = part_samples;
  const int64 all = it.samples + it.uniform, parts = (all + part_samples - 1) / part_samples,
              pieces = cubes + all / most_piece + 2;
  c.parts = static_cast<int>(parts);
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
    if (measure) allocate_ahead(course_there_, static_cast<int64>(memory.bytes()));
  }
  // The counter of blocks that have come is left at 0, but by a kernel that never ended.
  check(cuda().set_bytes(reinterpret_cast<CUdeviceptr>(c.totals), 0, sizeof(share_totals), stream_),
        "clearing the totals");
  allocate_ahead(list_there_, pieces * static_cast<int64>(sizeof(listed_piece)));
  allocate_ahead(piece_spread_, 8 * pieces);
  allocate_ahead(tiles_there_, 4 * (std::min(all, part_samples + most_piece) / sample_tile + 3));
  c.list = pointer<listed_piece>(list_there_.address());
  a.spread = pointer<double>(piece_spread_.address());
  c.tile_piece = pointer<int>(tiles_there_.address());
  a.training = pointer<uint64>(training_.address());
  course_result_.require(sizeof(course_result) + size(nc) * sizeof(sample_sums));
  a.result = static_cast<course_result *>(course_result_.address());
  a.sums = reinterpret_cast<sample_sums *>(a.result + 1);

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
  for (const CUfunction step : kernels.share_out()) launch(step, chunk_blocks(), chunk_cubes);
}

// A part of so many samples, or fewer.
outcome device_sampler::run_part(sampling_kernels &kernels, int64 samples) {
  sampling_arguments &a = arguments_;
  course_arguments &c = a.course;
  const int64 nc = ncomp_, all = c.shared.samples + c.uniform,
              sum_blocks = std::min<int64>((all + sample_tile - 1) / sample_tile, 4 * multiprocessors_),
              blocks = value_blocks(kernels, std::min(all, c.part_samples + most_piece));
  const outcome ready = within_memory([&] {
    a.count = samples;
    a.stride = (samples * points_of_sample(pass_) + 63) / 64 * 64;
    if (c.parts > 1)
      allocate(values_, size(nc * a.stride) * sizeof(double));
    else
      allocate_ahead(values_, 8 * nc * a.stride);
    allocate(squares_, size(kernels.resident()) * sizeof(double));
    allocate(partial_there_, size(sum_blocks * nc) * sizeof(sample_sums));
    return outcome::running;
  });
  if (ready != outcome::running) return ready;
  a.f = pointer<double>(values_.address());
  a.squares = pointer<double>(squares_.address());
  a.partial = pointer<sample_sums>(partial_there_.address());
  c.value_blocks = static_cast<int>(blocks);
  if (c.parts > 1) launch(kernels.list_tiles(), 4 * multiprocessors_, sample_tile);
  if (f_->batch && samples > 0) {  // a part within a long piece has none
    const outcome o = make_values(kernels);
    if (o != outcome::running) return o;
  }
  launch(kernels.values(), blocks, sample_tile);
  launch(kernels.pieces(), sum_blocks, sample_tile);
  return take_part(kernels);
}

outcome device_sampler::take_part(sampling_kernels &kernels) {
  check(cuda().stream_synchronize(stream_), "the kernel");
  if (!f_->batch) {
    const outcome o = take_answer(kernels);
    if (o != outcome::running) return o;
  }
  const int64 failed = arguments_.result->failed;
  if (failed < 0) return outcome::running;
  if (f_->batch) {
    message_ = callback_nonfinite();
  } else {
    std::vector<double> edges;
    recall_course(edges, nullptr);
    pass_.edges = edges.data();
    message_ = explain_nonfinite(kernels, failed);
    pass_.edges = nullptr;
  }
  return outcome::nonfinite;
}

void device_sampler::learn(bool believe_all, double damping) {
  course_arguments &c = arguments_.course;
  c.believe_all = believe_all;
  c.damping = damping;
  launch(course_->learn(), ndim_ + cube_blocks(), sample_tile);
  known_ = true;
}

}  // namespace tessera
