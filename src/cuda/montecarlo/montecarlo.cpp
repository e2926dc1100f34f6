// SPDX-License-Identifier: BSD-3-Clause
#include "montecarlo.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "../../engine/montecarlo/monte_carlo.hpp"
#include "../device/user_calls.hpp"

namespace tessera {

extern const char *const montecarlo_text;  // the core's headers and the kernels in one text; made by the build

namespace {

constexpr std::size_t most_kernels = 24;
constexpr int64 runs_per_block = 16;                // blocks that are done early take more
constexpr int64 most_chunk = int64{1} << 25;        // samples whose values are in memory together
constexpr int64 most_chunk_bytes = int64{1} << 29;  // of them
constexpr int64 most_call_points = int64{1} << 22,
                most_call_bytes = int64{1} << 29;  // of a call of a device callback; tessera.h names them

std::string define(const char *name, int value) { return std::string("-D") + name + "=" + std::to_string(value); }

std::size_t size(int64 n) { return static_cast<std::size_t>(n); }

template <class T>
T *pointer(CUdeviceptr address) {
  return reinterpret_cast<T *>(address);
}

// Throws bad_alloc where the device has no memory left.
void require(device_memory &m, std::size_t bytes) {
  try {
    m.require(bytes);
  } catch (const device_error &e) {
    if (e.out_of_memory()) throw std::bad_alloc();
    throw;
  }
}

bool is_unit(const sample_axis &a) { return a.map.kind == axis_finite && a.lower == 0.0 && a.length == 1.0; }

}  // namespace

// ---- Kernels --------------------------------------------------------------------------------------------------------------

kernel_text sampling_kernel_text(const sampling_shape &s, int ndim, int ncomp) {
  kernel_text text;
  text.text = montecarlo_text;
  const int blocks = ndim <= 12 && ncomp == 1 ? 6 : 4;  // registers for coordinates and moments
  text.options = {
      define("TESSERA_AXES", s.axes),   define("TESSERA_GRID", s.grid),   define("TESSERA_ANTITHETIC", s.antithetic),
      define("TESSERA_BATCH", s.batch), define("TESSERA_GIVEN", s.given), define("TESSERA_BLOCKS", blocks)};
  return text;
}

sampling_kernels::sampling_kernels(const sampling_shape &shape, int ndim, int ncomp, const integrand_source &source,
                                   int arch, int multiprocessors, code_cache *cache)
    : shape_(shape), fused_(is_fused(shape, ncomp)) {
  target where;
  where.arch = arch;
  where.ndim = ndim;
  where.ncomp = ncomp;
  where.library_version = std::to_string(backend_abi);
  const kernel_text text = sampling_kernel_text(shape, ndim, ncomp);
  module_ = shape.batch ? compile_kernels(text, where, cache) : compile_integrand(source, text, where, cache);
  library_.load(module_.image->data(), "loading the compiled integrand");
  points_ = library_.function(shape.batch ? "tessera_sample_points" : "tessera_points");
  if (fused_) {
    sums_ = library_.function("tessera_sample_sums");
  } else {
    values_ = library_.function("tessera_sample_values");
    pieces_ = library_.function("tessera_sample_pieces");
  }
  if (!shape.batch) {
    flags_ = library_.global("tessera_flags", sizeof(int));
    status_ = library_.global("tessera_status", sizeof(int));
  }
  int blocks = 0;
  check(cuda().occupancy(&blocks, fused_ ? sums_ : values_, fused_ ? sampling_block : sample_tile, 0),
        "asking for the occupancy");
  if (blocks < 1) throw device_error("the integrand needs more of a multiprocessor than there is");
  resident_ = int64{blocks} * multiprocessors;
}

void sampling_kernels::set_axes(const std::vector<sample_axis> &axes, CUstream stream) {
  if (shape_.axes == 0) return;
  const auto same = [](const sample_axis &a, const sample_axis &b) {
    return a.map.kind == b.map.kind && bits_of(a.map.anchor) == bits_of(b.map.anchor) &&
           bits_of(a.lower) == bits_of(b.lower) && bits_of(a.length) == bits_of(b.length) &&
           bits_of(a.first) == bits_of(b.first) && bits_of(a.last) == bits_of(b.last);
  };
  if (std::equal(axes.begin(), axes.end(), axes_.begin(), axes_.end(), same)) return;
  axes_ = axes;
  const std::size_t bytes = axes_.size() * sizeof(sample_axis);
  upload(library_.global("tessera_axes", bytes), axes_.data(), bytes, stream, "uploading the domain");
  check(cuda().stream_synchronize(stream), "uploading the domain");  // for every stream
}

sampling_shape device_sampler::shape_of(bool grid, bool antithetic) const {
  sampling_shape s;
  for (const sample_axis &a : problem_->axes)
    s.axes = std::max(s.axes, a.map.kind != axis_finite ? 2 : (is_unit(a) ? 0 : 1));
  s.grid = grid;
  s.antithetic = antithetic;
  s.batch = f_->batch != nullptr;
  s.given = !grid && problem_->settings.generator != generator_philox;
  return s;
}

sampling_kernels &device_sampler::find(const sampling_shape &shape) {
  const int ndim = problem_->settings.ndim, ncomp = problem_->settings.ncomp;
  const integrand_source &source = f_->source;
  std::string key;
  for (const int v :
       {ndim, ncomp, shape.axes, int{shape.grid}, int{shape.antithetic}, int{shape.batch}, int{shape.given}})
    key += std::to_string(v) + "/";
  if (!shape.batch)
    key += std::to_string(static_cast<int>(source.language)) + "/" + source.function + "/" + source.file_name + "/" +
           source.text;
  for (auto k = kept_.begin(); k != kept_.end(); ++k)
    if (k->key == key) {
      kept_.splice(kept_.begin(), kept_, k);
      report_->inlined = shape.batch || kept_.front().kernels->module().inlined;
      return *kept_.front().kernels;
    }
  auto kernels = std::make_unique<sampling_kernels>(shape, ndim, ncomp, source, arch_, multiprocessors_, f_->cache);
  report_->compile_seconds += kernels->module().seconds;
  report_->inlined = shape.batch || kernels->module().inlined;
  if (kept_.size() >= most_kernels) kept_.pop_back();
  kept_.push_front({key, std::move(kernels)});
  return *kept_.front().kernels;
}

// ---- A run ------------------------------------------------------------------------------------------------------------------

void device_sampler::begin(const sampling_problem &problem, const integrand &f, device_report &report) {
  problem_ = &problem;
  f_ = &f;
  report_ = &report;
  status_ = 0;
  message_.clear();
  training_squares_ = 0.0;
  training_there_ = false;
  if (!answer_.address()) {
    answer_.require(sizeof(sampling_report));
    *static_cast<sampling_report *>(answer_.address()) = {};
  }
}

sampling_result device_sampler::integrate(const sampling_problem &problem, const integrand &f,
                                          std::vector<double> &grid, run_hooks &hooks, double *value, double *error,
                                          double *chi_square, device_report &report) {
  begin(problem, f, report);
  sampling_result result;
  if (!begin_numbers()) {
    result.end = outcome::memory;
    result.message = "no memory for the random numbers";
    return result;
  }
  monte_carlo<device_sampler> driver(*this, problem.settings, problem.volume, grid, problem.record, hooks);
  result.end = driver.run(value, error, chi_square, result.has_value);
  result.statistics = driver.statistics();
  for (const device_memory *m : {&tables_there_, &list_there_, &tiles_there_, &training_, &x_, &values_})
    result.statistics.bytes += static_cast<int64>(m->bytes());
  if (numbers_.there()) result.statistics.bytes += static_cast<int64>(numbers_.bytes());
  numbers_.end();
  result.callback_status = status_;
  result.message = message_;
  return result;
}

// Of another generator than Philox.
bool device_sampler::begin_numbers() try {
  const sampling_settings &s = problem_->settings;
  numbers_.end();  // of a run that has failed
  if (s.generator == generator_philox) return true;
  const int64 samples = s.maxeval / (s.antithetic ? 2 : 1),
              shifts = std::max<int64>(1, std::min(s.shifts, samples / 2));
  numbers_.begin(s.generator, s.seed, s.ndim, samples / shifts, s.shifts, stream_);
  return true;
} catch (const std::bad_alloc &) {
  return false;
}

std::string device_sampler::evaluate(const sampling_problem &problem, const integrand &f, int64 n, const double *x,
                                     double *values) {
  device_report unused;
  begin(problem, f, unused);
  const int nd = problem.settings.ndim, nc = problem.settings.ncomp;
  if (f.batch) {
    batch_callback callback = {f.batch, f.userdata, stream_, 0, {}};
    const auto call = [&](CUdeviceptr from, CUdeviceptr to) { return callback.call(n, nd, from, n, nc, to, n); };
    return at_points(points_, stream_, nd, nc, n, x, values, call) ? std::string() : callback.message;
  }
  const sampling_kernels &kernels =
      find(shape_of(problem.settings.sampling == sampling_vegas, problem.settings.antithetic));
  at_points(kernels.points(), f.params, points_, stream_, nd, nc, n, x, values);
  return tessera::take_answer({kernels.flags(), kernels.status()}, stream_);
}

// Whole cut_samples, the same for every run of a problem. Shifted points stay until all shifts have had them.
int64 device_sampler::slice_samples(bool grid) const {
  if (problem_->settings.shifts > 0) return numbers_.half();
  return is_fused(shape_of(grid, false), problem_->settings.ncomp) ? int64{1} << 30 : int64{1} << 26;
}

outcome device_sampler::run_plain(const sample_pass &pass, int64 first, int64 samples, sample_sums *sums) try {
  sampling_kernels &kernels = find(shape_of(false, pass.antithetic));
  kernels.set_axes(problem_->axes, stream_);
  prepare(pass);
  sampling_arguments &a = arguments_;
  a.cut = cut_into_pieces(samples);
  a.first = first;
  a.samples = samples;
  list_ = nullptr;
  if (!kernels.fused()) return run_chunks(kernels, nullptr, pieces_of(a.cut), sums, nullptr);
  return run_fused(kernels, sums);
} catch (const std::bad_alloc &) {
  message_ = "no memory for the points of one call";
  return outcome::memory;
}

outcome device_sampler::run(const sample_pass &pass, const sample_piece *pieces, int64 n, sample_sums *sums,
                            double *spread) try {
  sampling_kernels &kernels = find(shape_of(true, pass.antithetic));
  kernels.set_axes(problem_->axes, stream_);
  prepare(pass);
  use_grid(pass);
  list_ = pieces;
  return run_chunks(kernels, pieces, n, sums, spread);
} catch (const std::bad_alloc &) {
  message_ = "no memory for the points of one call";
  return outcome::memory;
}

double device_sampler::take_training(uint64 *counts) {
  if (!training_there_) return 0.0;
  const std::size_t bytes = size(problem_->settings.ndim) * grid_bins * sizeof(uint64);
  check(cuda().download(counts, training_.address(), bytes), "downloading the training");
  const double squares = training_squares_;
  training_squares_ = 0.0;
  training_there_ = false;
  return squares;
}

void device_sampler::prepare(const sample_pass &pass) {
  pass_ = pass;
  sampling_arguments &a = arguments_;
  a = {};
  a.pass = pass;
  a.pass.cells = nullptr;
  a.pass.edges = a.pass.scale = nullptr;
  a.keys = keys_of(pass.seed);
  a.params = reinterpret_cast<const void *>(f_->params);
  a.report = static_cast<sampling_report *>(answer_.address());
}

// Edges, scales and cells, and a place for the training.
void device_sampler::use_grid(const sample_pass &pass) {
  const std::size_t nd = size(problem_->settings.ndim), nc = size(problem_->settings.ncomp);
  constexpr std::size_t cell_doubles = sizeof(sample_cells) / sizeof(double);
  const std::size_t edges = nd * grid_edges;
  tables_.resize(edges + nc + nd * cell_doubles);
  std::copy(pass.edges, pass.edges + edges, tables_.begin());
  std::copy(pass.scale, pass.scale + nc, tables_.begin() + static_cast<std::ptrdiff_t>(edges));
  for (std::size_t j = 0; j < nd; ++j) {
    const sample_cells c = cells_of(pass.cells[j]);
    std::memcpy(&tables_[edges + nc + j * cell_doubles], &c, sizeof c);
  }
  const std::size_t bytes = tables_.size() * sizeof(double);
  require(tables_there_, bytes);
  upload(tables_there_.address(), tables_.data(), bytes, stream_, "uploading the grid");
  sampling_arguments &a = arguments_;
  a.pass.edges = pointer<const double>(tables_there_.address());
  a.pass.scale = a.pass.edges + edges;
  a.cells = reinterpret_cast<const sample_cells *>(a.pass.scale + nc);
  const std::size_t counters = nd * grid_bins * sizeof(uint64);
  require(training_, counters);
  if (!training_there_) check(cuda().set_bytes(training_.address(), 0, counters, stream_), "clearing the training");
  training_there_ = true;
  a.training = pointer<uint64>(training_.address());
}

void device_sampler::start(CUfunction kernel, int64 blocks, int threads) {
  void *parameters[] = {&arguments_};
  check(cuda().launch(kernel, static_cast<unsigned>(blocks), 1, 1, static_cast<unsigned>(threads), 1, 1, 0, stream_,
                      parameters, nullptr),
        "starting the kernel");
}

// Where each block leaves its results.
void device_sampler::require_results(int64 blocks) {
  const std::size_t sums = size(blocks * problem_->settings.ncomp) * sizeof(sample_sums);
  partial_.require(sums + size(blocks) * sizeof(int64));
  arguments_.partial = static_cast<sample_sums *>(partial_.address());
  arguments_.failed = reinterpret_cast<int64 *>(static_cast<char *>(partial_.address()) + sums);
}

outcome device_sampler::run_fused(sampling_kernels &kernels, sample_sums *sums) {
  sampling_arguments &a = arguments_;
  const int64 pieces = pieces_of(a.cut);
  a.first_piece = 0;
  a.end_piece = pieces;
  a.block_pieces = std::max<int64>(1, pieces / (runs_per_block * kernels.resident()));
  const int64 blocks = (pieces + a.block_pieces - 1) / a.block_pieces;
  require_results(blocks);
  start(kernels.sums(), blocks, sampling_block);
  return take_results(kernels, blocks, sums);
}

// Samples whose values fit into memory, and with a callback their points into a call.
int64 device_sampler::chunk_samples() const {
  const int64 nc = problem_->settings.ncomp, per = points_of_sample(pass_);
  int64 most = std::min(most_chunk, most_chunk_bytes / (8 * nc));
  if (numbers_.there()) most = std::min(most, numbers_.most_samples());
  if (!f_->batch) return most;
  return std::min(most, std::min(most_call_points, most_call_bytes / (8 * (problem_->settings.ndim + nc))) / per);
}

// Chunks of whole pieces, one at least.
outcome device_sampler::run_chunks(sampling_kernels &kernels, const sample_piece *pieces, int64 n, sample_sums *sums,
                                   double *spread) {
  sampling_arguments &a = arguments_;
  const int64 most = chunk_samples();
  const auto piece = [&](int64 p) { return pieces ? pieces[p] : plain_piece(a.cut, a.first, a.samples, p); };
  if (pieces) spread_.require(size(n) * sizeof(double));
  std::vector<sample_sums> all(size(problem_->settings.ncomp));
  for (int64 p = 0, next; p < n; p = next) {
    const int64 first = piece(p).first;
    a.count = 0;
    for (next = p; next < n; ++next) {
      const int64 with = piece(next).first + piece(next).count - first;
      if (next > p && with > most) break;
      a.count = with;
    }
    a.first_piece = p;
    a.end_piece = next;
    a.first_sample = first;
    if (pieces) {
      use_list(pieces + p, next - p);
      a.spread = static_cast<double *>(spread_.address()) + p;
    }
    const outcome o = run_chunk(kernels, next - p, all.data());
    if (o != outcome::running) return o;
  }
  for (std::size_t k = 0; k < all.size(); ++k) sums[k].add(all[k]);
  if (pieces) std::copy_n(static_cast<const double *>(spread_.address()), n, spread);
  return outcome::running;
}

// Pieces of a chunk, and for each tile of samples the first one.
void device_sampler::use_list(const sample_piece *pieces, int64 n) {
  tile_piece_.clear();
  int64 before = 0;
  for (int64 p = 0; p < n; ++p) {
    before += pieces[p].count;
    while (static_cast<int64>(tile_piece_.size()) * sample_tile < before) tile_piece_.push_back(static_cast<int>(p));
  }
  tile_piece_.push_back(static_cast<int>(n - 1));
  const std::size_t list = size(n) * sizeof(sample_piece), tiles = tile_piece_.size() * sizeof(int);
  require(list_there_, list);
  require(tiles_there_, tiles);
  upload(list_there_.address(), pieces, list, stream_, "uploading the strata");
  upload(tiles_there_.address(), tile_piece_.data(), tiles, stream_, "uploading the strata");
  arguments_.list = pointer<const sample_piece>(list_there_.address());
  arguments_.tile_piece = pointer<const int>(tiles_there_.address());
}

outcome device_sampler::run_chunk(sampling_kernels &kernels, int64 pieces, sample_sums *sums) {
  sampling_arguments &a = arguments_;
  const int64 nc = problem_->settings.ncomp, points = a.count * points_of_sample(pass_);
  const int64 tiles = (a.count + sample_tile - 1) / sample_tile, value_blocks = std::min(tiles, kernels.resident());
  a.stride = (points + 63) / 64 * 64;
  require(values_, size(nc * a.stride) * sizeof(double));
  a.f = pointer<double>(values_.address());
  a.block_pieces = a.count > pieces * small_piece ? sample_tile / 32 : sample_tile;
  const int64 blocks = (pieces + a.block_pieces - 1) / a.block_pieces;
  require_results(std::max(blocks, value_blocks));
  std::vector<double> squares;
  if (numbers_.there()) {
    numbers_.require(a.first_sample, a.count);
    a.given = numbers_.numbers(pass_.shift);
  }
  if (f_->batch) {
    const outcome o = call_back(kernels);
    if (o != outcome::running) return o;
  }
  const bool grid = a.list != nullptr;
  if (grid) {
    const std::size_t bytes = size(value_blocks) * sizeof(double);
    require(squares_, bytes);
    a.squares = pointer<double>(squares_.address());
    squares.resize(size(value_blocks));
  }
  start(kernels.values(), value_blocks, sample_tile);
  start(kernels.pieces(), blocks, sample_tile);
  const outcome o = take_results(kernels, blocks, sums);
  if (o != outcome::running || !grid) return o;
  check(cuda().download(squares.data(), squares_.address(), squares.size() * sizeof(double)),
        "downloading the training");
  for (const double s : squares) training_squares_ += s;
  return o;
}

// The points of the chunk and their values.
outcome device_sampler::call_back(sampling_kernels &kernels) {
  sampling_arguments &a = arguments_;
  const int nd = problem_->settings.ndim, nc = problem_->settings.ncomp;
  batch_callback callback = {f_->batch, f_->userdata, stream_, 0, {}};
  require(x_, size(nd * a.stride) * sizeof(double));
  a.x = pointer<double>(x_.address());
  start(kernels.points(), std::min<int64>((a.count + sample_tile - 1) / sample_tile, 65536), sample_tile);
  if (callback.call(a.count * points_of_sample(pass_), nd, x_.address(), a.stride, nc, values_.address(), a.stride))
    return outcome::running;
  status_ = callback.status;
  message_ = callback.message;
  return outcome::callback;
}

// ---- Results ----------------------------------------------------------------------------------------------------------------

outcome device_sampler::take_results(sampling_kernels &kernels, int64 blocks, sample_sums *sums) {
  check(cuda().stream_synchronize(stream_), "the kernel");
  if (!f_->batch) {
    const outcome o = take_answer(kernels);
    if (o != outcome::running) return o;
  }
  const sampling_arguments &a = arguments_;
  const int64 *const bad = std::find_if(a.failed, a.failed + blocks, [](int64 p) { return p >= 0; });
  if (bad != a.failed + blocks) {
    message_ = f_->batch ? "the device callback returned NaN or infinity at a point, or left out a point"
                          : find_nonfinite(kernels, *bad);
    return outcome::nonfinite;
  }
  const int64 nc = problem_->settings.ncomp;
  for (int64 b = 0; b < blocks; ++b)
    for (int64 k = 0; k < nc; ++k) sums[k].add(a.partial[b * nc + k]);
  return outcome::running;
}

// What the integrand said beside its values.
outcome device_sampler::take_answer(sampling_kernels &kernels) {
  auto &answer = *static_cast<sampling_report *>(answer_.address());
  if (answer.flags == 0) return outcome::running;
  const sampling_report said = answer;
  answer = {};
  clear_flags({kernels.flags(), kernels.status()}, stream_);
  report_->remark = describe_flags(said.flags & ~flags_that_end);
  if ((said.flags & flags_that_end) == 0) return outcome::running;
  status_ = said.status;
  message_ = why_stopped(said.flags, said.status);
  return outcome::callback;
}

// The first point of a piece at which the integrand is not finite.
std::string device_sampler::find_nonfinite(const sampling_kernels &kernels, int64 p) {
  const sampling_arguments &a = arguments_;
  const sample_piece piece = list_ ? list_[p] : plain_piece(a.cut, a.first, a.samples, p);
  const int nd = problem_->settings.ndim, nc = problem_->settings.ncomp, per = points_of_sample(pass_);
  const bool scout = piece.cube == scouts;
  const int64 most = std::max<int64>(1, std::min<int64>(65536, 4194304 / std::max(nd, nc)) / per);
  std::vector<double> x, f, jacobian, given;
  for (int64 from = 0; from < piece.count; from += most) {
    const int64 samples = std::min(most, piece.count - from), n = samples * per;
    x.resize(size(n * nd));
    f.resize(size(n * nc));
    jacobian.assign(size(n), 1.0);
    if (numbers_.there()) {
      given.resize(size(samples * nd));
      numbers_.read(piece.first + from, samples, pass_.shift, given.data(), samples);
    }
    for (int64 i = 0; i < n; ++i) {  // an antithetic point comes after its sample
      const uint64 sample = static_cast<uint64>(piece.first + from + i / per);
      int64 cube = piece.cube;
      double grid = 1.0, u[2];
      for (int j = 0; j < nd; ++j) {
        if (!given.empty())
          u[j % 2] = given[size(j * samples + i / per)];
        else if (j % 2 == 0)
          uniform_pair(a.keys, pass_.stream, sample, static_cast<uint32>(j / 2), u[0], u[1]);
        double t = i % per == 0 ? u[j % 2] : 1.0 - u[j % 2];
        if (pass_.edges) {
          const int cells = pass_.cells[j];
          int bin;
          t = place_on_axis(pass_.edges + j * grid_edges, scout, scout ? 0 : cube % cells, cells, t, grid, bin);
          if (!scout) cube /= cells;
        }
        x[size(j * n + i)] = sample_coordinate(problem_->axes[size(j)], t, jacobian[size(i)]);
      }
      if (pass_.edges) jacobian[size(i)] *= weight_of_sample(grid, pass_.share, scout).factor;
    }
    try {
      at_points(kernels.points(), f_->params, points_, stream_, nd, nc, n, x.data(), f.data());
    } catch (const device_error &e) {
      if (!e.out_of_memory()) throw;  // the value so far is worth more than the point
      return "the integrand is NaN or infinite at a point that there is no memory left to look for";
    }
    tessera::take_answer({kernels.flags(), kernels.status()},
                         stream_);  // it was asked once more, which counts for nothing
    for (int64 i = 0; i < n; ++i)
      for (int k = 0; k < nc; ++k) {
        const double v = f[size(k * n + i)], w = weighted(v, jacobian[size(i)]);
        if (std::isfinite(w)) continue;
        std::vector<double> at;
        for (int j = 0; j < nd; ++j) at.push_back(x[size(j * n + i)]);
        return nonfinite_message(k, std::isfinite(v) ? w : v, at.data(), nd);
      }
  }
  return "the weighted sum of the integrand overflows";
}

}  // namespace tessera
