// SPDX-License-Identifier: BSD-3-Clause
#include "montecarlo.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "../../plugin.hpp"
#include "../../engine/montecarlo/monte_carlo.hpp"
#include "../../engine/montecarlo/sample_points.hpp"
#include "../../kept_sampler.hpp"

namespace tessera {

// Headers and kernels; made by the build.
extern const char *const samples_text, *const montecarlo_text, *const sample_pieces_text, *const share_out_text;

namespace {

constexpr int64 most_chunk = int64{1} << 25;        // samples whose values are in memory together
constexpr int64 most_chunk_bytes = int64{1} << 29;  // of them
constexpr int64 most_call_points = int64{1} << 22,
                most_call_bytes = int64{1} << 29;  // of a call of a device callback; tessera.h names them

}  // namespace

// ---- Kernels --------------------------------------------------------------------------------------------------------------

kernel_text sampling_kernel_text(const sampling_shape &s, int ndim, int ncomp) {
  kernel_text text;
  text.head = samples_text;
  text.text = montecarlo_text;
  const int blocks = ndim <= 12 && ncomp == 1 ? (s.grid ? 5 : 6) : 4;  // registers for coordinates and moments
  text.options = {define("TESSERA_AXES", s.axes),
                  define("TESSERA_GRID", s.grid),
                  define("TESSERA_ANTITHETIC", s.antithetic),
                  define("TESSERA_BATCH", s.batch),
                  define("TESSERA_GIVEN", s.given),
                  define("TESSERA_BLOCKS", blocks),
                  define("TESSERA_WEIGHTS", s.weights),
                  define("TESSERA_SOBOL", s.sobol),
                  define("TESSERA_THREEFRY", s.threefry)};
  if (!is_fused(s, ncomp))
    text.apart = {sample_pieces_text,
                  {define("TESSERA_GRID", s.grid), define("TESSERA_SOBOL", s.sobol), define("TESSERA_NCOMP", ncomp)}};
  return text;
}

kernel_text share_out_kernel_text() {
  kernel_text text;
  text.text = share_out_text;
  return text;
}

namespace {

compiled_module share_out_code(int arch, const placed_integrand &f) {
  target where;
  where.arch = arch;
  where.library_version = std::to_string(backend_abi);
  return compile_kernels(share_out_kernel_text(), where, f.cache);
}

}  // namespace

sampling_kernels::sampling_kernels(const sampling_shape &shape, int ndim, int ncomp, const placed_integrand &f,
                                   int arch, int multiprocessors)
    : user_kernels(sampling_kernel_text(shape, ndim, ncomp), ndim, ncomp, f, arch),
      shape_(shape),
      fused_(is_fused(shape, ncomp)) {
  if (shape.batch) batch_points_ = function("tessera_sample_points");
  if (fused_) {
    sums_ = function("tessera_sample_sums");
  } else {
    values_ = function("tessera_sample_values");
    pieces_ = function("tessera_sample_pieces");
  }
  if (has_strata(shape)) {
    strata_.load(share_out_code(arch, f).image->data(), "loading the kernels of strata");
    share_out_ = {strata_.function("tessera_wishes"), strata_.function("tessera_whole_samples"),
                  strata_.function("tessera_all_samples")};
    list_pieces_ = strata_.function("tessera_list_pieces");
    mark_pieces_ = strata_.function("tessera_mark_pieces");
    cut_again_ = strata_.function("tessera_cut_again");
    learn_ = strata_.function("tessera_learn");
  }
  resident_ = resident_blocks(fused_ ? sums_ : values_, fused_ ? sampling_block : sample_tile, multiprocessors);
}

sampling_shape device_sampler::shape_of(bool grid, bool nets, bool antithetic) const {
  sampling_shape s;
  s.axes = known_of(problem_->axes);
  s.grid = grid;
  s.antithetic = antithetic;
  s.batch = f_->batch != nullptr;
  s.weights = problem_->settings.weights;
  s.given = !grid && is_of_curand(problem_->settings.generator);
  s.threefry = problem_->settings.generator == generator_threefry;
  s.sobol = nets;
  return s;
}

sampling_kernels &device_sampler::find(const sampling_shape &shape) {
  const std::string key = key_of({ndim_, ncomp_, shape.axes, int{shape.grid}, int{shape.antithetic}, int{shape.batch},
                                  int{shape.given}, int{shape.weights}, int{shape.sobol}, int{shape.threefry}},
                                 *f_);
  sampling_kernels &kernels = kept_.find(key, *report_, [&] {
    return std::make_unique<sampling_kernels>(shape, ndim_, ncomp_, *f_, arch_, multiprocessors_);
  });
  report_->inlined = kernels.inlined();
  take_notes(kernels.module(), *f_, *report_);
  return kernels;
}

// ---- A run ------------------------------------------------------------------------------------------------------------------

void device_sampler::begin(const sampling_problem &problem, const placed_integrand &f, device_report &report) {
  problem_ = &problem;
  user_run::begin(f, problem, report);
}

std::unique_ptr<cuda_method> make_cuda_monte_carlo(cuda_setting &setting) {
  return std::make_unique<device_sampler>(setting);
}

void device_sampler::integrate(const tessera::problem &of_a_method, const device_integrand &integrand, run_hooks &hooks,
                               double *value, double *error, run_result &to, device_report &report) {
  const auto &problem = static_cast<const sampling_problem &>(of_a_method);
  auto &result = static_cast<sampling_result &>(to);
  const placed_integrand f = setting_.place(integrand);
  begin(problem, f, report);
  if (!begin_numbers()) {
    result.end = outcome::memory;
    result.message = "no memory for the random numbers";
    return;
  }
  hooks_ = &hooks;
  integrand_ = &integrand;
  shared_ = shared_items(problem.shared);
  team_.begin_run();
  watch_.begin_run(f.batch != nullptr);
  std::unique_ptr<kept_sampler> kept;
  if (problem.answers) kept = std::make_unique<kept_sampler>(*this, problem.settings, *problem.answers);
  sampling_executor &with_answers = kept ? static_cast<sampling_executor &>(*kept) : *this;
  monte_carlo driver(with_answers, problem.settings, problem.axes, problem.volume, *problem.grid, problem.record,
                     hooks);
  result.chi_square.assign(static_cast<std::size_t>(problem.ncomp()), 0.0);
  double *const chi_square = problem.chi_square ? problem.chi_square : result.chi_square.data();
  result.end = driver.run(value, error, chi_square, result.has_value);
  std::copy_n(chi_square, result.chi_square.size(), result.chi_square.data());
  result.statistics = driver.statistics();
  for (const device_memory *m : {&tables_there_, &nets_there_, &course_there_, &spread_there_, &spread_before_,
                                 &list_there_, &marks_there_, &training_, &piece_spread_, &x_, &values_})
    result.statistics.bytes += static_cast<int64>(m->bytes());
  if (numbers_.there()) result.statistics.bytes += static_cast<int64>(numbers_.bytes());
  numbers_.end();
  result.callback_status = status_;
  result.message = message_.empty() ? driver.remark() : message_;
}

// Of a generator of cuRAND.
bool device_sampler::begin_numbers() try {
  const sampling_settings &s = problem_->settings;
  numbers_.end();  // of a run that has failed
  if (!is_of_curand(s.generator)) return true;
  const int64 samples = s.maxeval / (s.antithetic ? 2 : 1),
              shifts = std::max<int64>(1, std::min(s.shifts, samples / 2));
  numbers_.begin(s.generator, s.seed, s.ndim, samples / shifts, s.shifts, stream_);
  return true;
} catch (const std::bad_alloc &) {
  return false;
}

std::string device_sampler::evaluate(const tessera::problem &of_a_method, const device_integrand &integrand, int64 n,
                                     const double *x, double *values) {
  const auto &problem = static_cast<const sampling_problem &>(of_a_method);
  const placed_integrand f = setting_.place(integrand);
  device_report unused;
  begin(problem, f, unused);
  return evaluate_points(n, x, values, [&]() -> const user_kernels & {
    const sampling_settings &s = problem.settings;
    const bool vegas = s.sampling == sampling_vegas;
    return find(shape_of(vegas, has_nets(s) && !vegas, s.antithetic));
  });
}

// Whole cut_samples, the same for every run of a problem. Shifted points stay until all shifts have had them.
int64 device_sampler::slice_samples(bool grid) const {
  if (problem_->settings.generator == generator_curand_sobol) return numbers_.half();
  return is_fused(shape_of(grid, false, false), ncomp_) ? int64{1} << 30 : int64{1} << 26;
}

// Calls that end early leave no trace.
outcome device_sampler::run_shifts(sample_pass pass, int64 first, int64 samples, int64 shifts, sample_sums *sums,
                                   int64 &made) {
  made = 0;
  const outcome end = within_memory([&] {
    sampling_kernels &kernels = prepare(pass);
    if (pass.edges) use_grid(pass);
    arguments_.cut = cut_into_pieces(samples);
    arguments_.first = first;
    arguments_.samples = samples;
    if (pass.sobol.axes) use_nets(pass, shifts);
    if (kernels.fused()) return run_fused(kernels, shifts, sums);
    outcome o = outcome::running;
    for (int64 r = 0; r < shifts && o == outcome::running; ++r) {
      if (r > 0) go_to_shift(1);
      o = run_chunks(pieces_of(arguments_.cut), sums + r * ncomp_);
    }
    return o;
  });
  if (end == outcome::running) made = samples * shifts;
  return end;
}

outcome device_sampler::run_plain(const sample_pass &pass, int64 first, int64 &samples, sample_sums *sums) {
  const outcome end = within_memory([&] {
    sampling_kernels &kernels = prepare(pass);
    sampling_arguments &a = arguments_;
    a.cut = cut_into_pieces(samples);
    a.first = first;
    a.samples = samples;
    return kernels.fused() ? run_fused(kernels, 1, sums) : run_chunks(pieces_of(a.cut), sums);
  });
  if (is_ended(end)) samples = 0;
  return end;
}

// With strata the list is on the device.
sample_piece device_sampler::piece_at(int64 p) const {
  const sampling_arguments &a = arguments_;
  if (!a.course.list) return plain_piece(a.cut, a.pass.cube, a.first, a.samples, p);
  listed_piece piece;
  check(cuda().download(&piece, list_there_.address() + size(p) * sizeof piece, sizeof piece), "downloading a piece");
  return piece.piece();
}

// The kernels of a pass, and the arguments that all its launches have.
sampling_kernels &device_sampler::prepare(const sample_pass &pass) {
  sampling_kernels &kernels = find(shape_of(pass.edges != nullptr, pass.sobol.axes != nullptr, pass.antithetic));
  kernels_ = &kernels;
  kernels.set_axes(problem_->axes, stream_);
  pass_ = pass;
  sampling_arguments &a = arguments_;
  a = {};
  a.pass = pass;
  a.pass.cells = nullptr;
  a.pass.edges = a.pass.scale = nullptr;
  a.keys = keys_of(pass.seed);
  a.params = params();
  a.answer = answer();
  return kernels;
}

// Edges for nets.
void device_sampler::use_grid(const sample_pass &pass) {
  tables_.assign(pass.edges, pass.edges + size(ndim_) * grid_edges);
  const std::size_t bytes = tables_.size() * sizeof(double);
  allocate(tables_there_, bytes);
  upload(tables_there_.address(), tables_.data(), bytes, stream_, "uploading the grid");
  arguments_.pass.edges = pointer<const double>(tables_there_.address());
}

// Randomisations of Sobol points, one behind the other.
void device_sampler::use_nets(const sample_pass &pass, int64 shifts) {
  const std::size_t bytes = size(shifts * sobol_words(ndim_, pass.sobol.columns)) * sizeof(uint64);
  allocate(nets_there_, bytes);
  upload(nets_there_.address(), pass.sobol.axes, bytes, stream_, "uploading the columns");
  arguments_.pass.sobol.axes = pointer<const uint64>(nets_there_.address());
}

// So many shifts further.
void device_sampler::go_to_shift(int64 more) {
  for (sample_pass *p : {&pass_, &arguments_.pass}) {
    p->shift += more;
    if (p->sobol.axes) p->sobol.axes += more * sobol_words(ndim_, p->sobol.columns);
  }
}

// On another device than the first one of a run.
void device_sampler::join(const device_sampler &first, cuda_setting &setting) {
  placed_.emplace(setting.place(*first.integrand_));
  begin(*first.problem_, *placed_, *first.report_);
}

// Samples whose values fit into memory, and with a callback their points into a call.
int64 device_sampler::chunk_samples() const {
  const int64 nc = ncomp_, per = points_of_sample(pass_);
  int64 most = std::min(most_chunk, most_chunk_bytes / (8 * nc));
  if (numbers_.there()) most = std::min(most, numbers_.most_samples());
  if (!f_->batch) return most;
  return std::min(most, std::min(most_call_points, most_call_bytes / (8 * (coordinates_ + nc))) / per);
}

// Chunks of whole pieces, one at least.
outcome device_sampler::run_chunks(int64 n, sample_sums *sums) {
  sampling_arguments &a = arguments_;
  const int64 most = chunk_samples();
  std::vector<sample_sums> all(size(ncomp_));
  for (int64 p = 0, next; p < n; p = next) {
    const int64 first = piece_at(p).first;
    a.count = 0;
    for (next = p; next < n; ++next) {
      const sample_piece last = piece_at(next);
      const int64 with = last.first + last.count - first;
      if (next > p && with > most) break;
      a.count = with;
    }
    a.first_piece = p;
    a.end_piece = next;
    a.first_sample = first;
    const outcome o = run_chunk(p > 0, all.data());
    if (o != outcome::running) return o;
  }
  for (std::size_t k = 0; k < all.size(); ++k) sums[k].add(all[k]);
  return outcome::running;
}

// The first point of a piece at which the integrand is not finite.
std::string device_sampler::explain_nonfinite(const sampling_kernels &kernels, int64 p) {
  const sample_piece piece = piece_at(p);
  const int per = points_of_sample(pass_);
  std::vector<double> unused;
  std::vector<unsigned char> bins;
  const auto fill = [&](int64 from, int64 samples, double *x, double *jacobian) {
    const int64 n = samples * per;
    unused.resize(size(2 * n));
    bins.resize(size(n * ndim_));
    const sample_arrays to = {x, n, jacobian, unused.data(), unused.data() + n, bins.data()};
    if (numbers_.there())
      numbers_.read(piece.first + from, samples, pass_.shift, x, n);
    else
      fill_uniform(pass_, ndim_, piece.first + from, samples, to);
    complete_samples(pass_, ndim_, samples, samples, to);
    points_of_cube all = {piece.cube, 0, n, 0};
    map_samples(pass_, problem_->axes.data(), ndim_, &all, 1, to);
    if (problem_->settings.weights) fill_weights(pass_, piece, ndim_, 0, n, to);
  };
  return find_nonfinite(kernels, piece.count, per, true, fill);
}

}  // namespace tessera
