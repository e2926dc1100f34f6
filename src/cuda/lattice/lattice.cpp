// SPDX-License-Identifier: BSD-3-Clause
#include "lattice.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include "../../engine/lattice/lattice_points.hpp"
#include "../../engine/lattice/lattice_rule.hpp"
#include "../../kept_lattice.hpp"

namespace tessera {

extern const char *const lattice_text;  // the core's headers and the kernels in one text; made by the build

namespace {

constexpr int64 most_partials = int64{1} << 22;  // numbers that come back from one launch
constexpr int64 runs_per_block = 16;             // blocks that are done early take more
constexpr int64 most_batch_points = int64{1} << 22,
                most_batch_bytes = int64{1} << 29;  // of a call; tessera.h names them

}  // namespace

// ---- Kernels --------------------------------------------------------------------------------------------------------------

lattice_shape choose_lattice_shape(const lattice_problem &problem, bool batch, bool trial) {
  lattice_shape s;
  s.transform = trial ? 0 : problem.settings.transform;
  s.axes = known_of(problem.axes);
  s.complement = problem.complement;
  s.batch = batch;
  return s;
}

kernel_text lattice_kernel_text(const lattice_shape &s, int ndim) {
  kernel_text text;
  text.text = lattice_text;
  // Registers for the phases of many variables.
  const int blocks = ndim <= 24 ? 4 : (ndim <= lattice_near_dim ? 3 : 4);
  text.options = {define("TESSERA_TRANSFORM", s.transform), define("TESSERA_AXES", s.axes),
                  define("TESSERA_COMPLEMENT", s.complement), define("TESSERA_BATCH", s.batch),
                  define("TESSERA_BLOCKS", blocks)};
  return text;
}

lattice_kernels::lattice_kernels(const lattice_shape &shape, int ndim, int ncomp, const placed_integrand &f, int arch,
                                 int multiprocessors)
    : user_kernels(lattice_kernel_text(shape, ndim), ndim, ncomp, f, arch), shape_(shape) {
  sums_ = function(shape.batch ? "tessera_lattice_sums" : "tessera_lattice");
  if (shape.batch) batch_points_ = function("tessera_lattice_points");
  resident_ = resident_blocks(sums_, lattice_block, multiprocessors);
}

lattice_kernels &device_lattice::find(const lattice_shape &shape) {
  const std::string key =
      key_of({ndim_, ncomp_, shape.transform, shape.axes, int{shape.complement}, int{shape.batch}}, *f_);
  lattice_kernels &kernels = kept_.find(key, *report_, [&] {
    return std::make_unique<lattice_kernels>(shape, ndim_, ncomp_, *f_, arch_, multiprocessors_);
  });
  report_->inlined = kernels.inlined();
  take_notes(kernels.module(), *f_, *report_);
  return kernels;
}

// ---- A run ------------------------------------------------------------------------------------------------------------------

void device_lattice::use_stream(CUstream stream) {
  if (stream == stream_) return;
  stream_ = stream;
  z_.clear();  // again, in this stream
}

void device_lattice::begin(const lattice_problem &problem, const placed_integrand &f, device_report &report) {
  problem_ = &problem;
  user_run::begin(f, problem, report);
}

std::unique_ptr<cuda_method> make_cuda_lattice(cuda_setting &setting) {
  return std::make_unique<device_lattice>(setting);
}

void device_lattice::integrate(const tessera::problem &of_a_method, const device_integrand &integrand, run_hooks &hooks,
                               double *value, double *error, run_result &to, device_report &report) {
  const auto &problem = static_cast<const lattice_problem &>(of_a_method);
  auto &result = static_cast<lattice_result &>(to);
  const placed_integrand f = setting_.place(integrand);
  begin(problem, f, report);
  hooks_ = &hooks;
  integrand_ = &integrand;
  shared_ = shared_items(problem.shared);
  team_.begin_run();
  using kept_executor = kept_lattice<device_lattice>;
  kept_executor kept(*this, problem.ndim(), problem.ncomp(), problem.answers);
  lattice_rule<kept_executor> driver(kept, problem.settings, problem.vector, problem.trial, problem.volume, hooks);
  result.end = driver.run(value, error, result.has_value);
  result.statistics = driver.statistics();
  result.callback_status = status_;
  result.message = message_;
  result.bytes = static_cast<int64>(x_.bytes() + values_.bytes() + far_z_.bytes());
}

std::string device_lattice::evaluate(const tessera::problem &of_a_method, const device_integrand &integrand, int64 n,
                                     const double *x, double *values) {
  const auto &problem = static_cast<const lattice_problem &>(of_a_method);
  const placed_integrand f = setting_.place(integrand);
  device_report unused;
  begin(problem, f, unused);
  return evaluate_points(n, x, values, [&]() -> const user_kernels & {
    return find(choose_lattice_shape(problem, false, problem.settings.transform == 0));
  });
}

outcome device_lattice::run(const lattice_pass &pass, int64 first, int64 end, compensated_sum *sums, int64 &done) {
  done = 0;
  const int64 most = std::max<int64>(1, most_partials / ncomp_ / (lattice_most_lanes / lattice_least_lanes));
  outcome o = outcome::running;
  for (int64 i = first; i < end && o == outcome::running; i += most)
    o = run_items(pass, i, std::min(end, i + most), i > first, sums, done);
  return o;
}

lattice_kernels &device_lattice::kernels_for(const lattice_pass &pass) {
  lattice_shape shape = choose_lattice_shape(*problem_, f_->batch != nullptr, pass.trial);
  if (!pass.trial) shape.transform = pass.transform;
  return find(shape);
}

int64 device_lattice::position(int64 unit) const {
  const lattice_arguments &a = arguments();
  return unit / a.units_per_shift * a.pass.count +
         std::min(a.pass.count, unit % a.units_per_shift * unit_points(a.lanes));
}

int64 device_lattice::run_of(int64 unit) const {
  const lattice_arguments &a = arguments();
  return unit / a.units_per_shift * a.runs_per_shift + unit % a.units_per_shift / a.units_per_run;
}

int64 device_lattice::unit_of(int64 item) const {
  const lattice_arguments &a = arguments();
  const int64 per_shift = items_per_shift(a.pass), per_item = lattice_item / unit_points(a.lanes);
  return item / per_shift * a.units_per_shift + std::min(a.units_per_shift, item % per_shift * per_item);
}

// Items of which all is in runs before this one. Around the integrand a run may have parts of several, and whole shifts count.
int64 device_lattice::items_before(int64 run) const {
  const lattice_arguments &a = arguments();
  const int64 shift = run / a.runs_per_shift, unit = run % a.runs_per_shift * a.units_per_run;
  return shift * items_per_shift(a.pass) + (f_->batch ? unit / (lattice_item / unit_points(a.lanes)) : 0);
}

int64 device_lattice::first_unit_of(int64 run) const {
  const lattice_arguments &a = arguments();
  return run / a.runs_per_shift * a.units_per_shift + run % a.runs_per_shift * a.units_per_run;
}

// How items first .. end-1 of a pass are cut. Of the numbers of lanes the least that gives all blocks of one device work: the same
// however many devices there are.
lattice_arguments device_lattice::cut_into_runs(const lattice_pass &pass, int64 resident, int64 first, int64 end) {
  launch_.assign(sizeof(lattice_arguments) / sizeof(uint64) + 3 * size(near_arrays(ndim_)), 0);
  lattice_arguments &a = arguments();
  a.pass = pass;
  a.pass.z = nullptr;
  a.modulus = modulus_of(pass.n);
  const bool spread = f_->batch || ndim_ > lattice_near_dim;
  for (a.lanes = spread ? lattice_most_lanes : lattice_least_lanes;; a.lanes *= 2) {
    a.units_per_shift = (pass.count + unit_points(a.lanes) - 1) / unit_points(a.lanes);
    a.first_unit = unit_of(first);
    a.end_unit = unit_of(end);
    if (a.lanes == lattice_most_lanes || a.end_unit - a.first_unit >= 4 * resident) break;
  }
  const int64 wanted = (a.end_unit - a.first_unit) / (runs_per_block * resident);
  a.units_per_run = f_->batch ? 1 : std::min(a.units_per_shift, std::max<int64>(1, wanted));
  a.runs_per_shift = (a.units_per_shift + a.units_per_run - 1) / a.units_per_run;
  a.first_run = run_of(a.first_unit);
  const int64 runs = run_of(a.end_unit - 1) + 1 - a.first_run;
  partial_.require(size(runs * ncomp_) * sizeof(compensated_sum));
  a.partial = static_cast<compensated_sum *>(partial_.address());
  return a;
}

void device_lattice::use_near(const lattice_pass &pass) {
  const int nd = ndim_;
  uint64 *const z = launch_.data() + sizeof(lattice_arguments) / sizeof(uint64);
  for (int j = 0; j < nd; ++j) {
    z[j] = pass.z[j];
    z[nd + j] = lattice_phase(pass.stride, pass.z[j], pass.n);
    z[2 * nd + j] = static_cast<uint64>(arguments().lanes) * z[nd + j];
  }
}

void device_lattice::use_far(const lattice_pass &pass) {
  const std::size_t nd = size(ndim_);
  if (z_.size() != nd || !std::equal(z_.begin(), z_.end(), pass.z)) {
    far_z_.require(nd * sizeof(uint64));
    z_.assign(pass.z, pass.z + nd);
    upload(far_z_.address(), z_.data(), nd * sizeof(uint64), stream_, "uploading the generating vector");
  }
  arguments().pass.z = reinterpret_cast<const uint64 *>(far_z_.address());
}

// `done` more items. looks: there were some before, between which and these the run may end.
outcome device_lattice::run_items(const lattice_pass &pass, int64 first, int64 end, bool looks, compensated_sum *sums,
                                  int64 &done) {
  kernels_ = &kernels_for(pass);
  const lattice_arguments cut = cut_into_runs(pass, kernels_->resident(), first, end);
  const int64 nc = ncomp_, runs = run_of(cut.end_unit - 1) + 1 - cut.first_run;
  failure_.clear();
  const item_range own = shared_.begin(0, runs);
  const outcome pause = looks ? between_kernels() : outcome::running;
  if (pause != outcome::running)
    failure_.report(own.first, pause, 0, {});
  else
    count_devices(team_.share_out(
        own, position(first_unit_of(cut.first_run + own.end - 1)) - position(first_unit_of(cut.first_run + own.first)),
        [&](device_lattice &member, cuda_setting &setting) { member.join(*this, setting); },
        [&](device_lattice &member, const item_range &of) {
          if (&member != this) member.kernels_ = &member.kernels_for(pass);
          member.start_runs(pass, cut, of);
        },
        [&](device_lattice &member, const item_range &of) {
          member.end_runs(pass, of);
          if (&member != this) member.merge_failure(failure_);
        }));
  shared_.exchange(failure_, no_zeroed_, {{cut.partial, sizeof(compensated_sum), nullptr, nc}});
  const outcome o = take_failure();
  if (o == outcome::nonfinite) return o;
  arguments() = cut;
  int64 whole = runs, more = end - first;
  if (o != outcome::running) {
    more = std::max<int64>(0, items_before(cut.first_run + failure_.item()) - first);
    whole = more > 0 ? run_of(unit_of(first + more)) - cut.first_run : 0;
  }
  for (int64 r = 0; r < whole; ++r)
    for (int64 k = 0; k < nc; ++k) sums[(cut.first_run + r) / cut.runs_per_shift * nc + k].add(cut.partial[r * nc + k]);
  done += more;
  return o;
}

// On another device than the first one of a run.
void device_lattice::join(const device_lattice &first, cuda_setting &setting) {
  placed_.emplace(setting.place(*first.integrand_));
  begin(*first.problem_, *placed_, *first.report_);
}

void device_lattice::start_runs(const lattice_pass &pass, const lattice_arguments &cut, const item_range &runs) try {
  failure_.clear();
  lattice_kernels &kernels = *kernels_;
  kernels.set_axes(problem_->axes, stream_);
  launch_.assign(sizeof(lattice_arguments) / sizeof(uint64) + 3 * size(near_arrays(ndim_)), 0);
  lattice_arguments &a = arguments();
  a = cut;
  a.first_run = cut.first_run + runs.first;
  a.first_unit = std::max(cut.first_unit, first_unit_of(a.first_run));
  a.end_unit = std::min(cut.end_unit, first_unit_of(cut.first_run + runs.end));
  a.params = params();
  a.partial = cut.partial + runs.first * ncomp_;
  a.answer = answer();
  if (ndim_ <= lattice_near_dim)
    use_near(pass);
  else
    use_far(pass);
  if (!f_->batch) return start(kernels.sums(), runs.end - runs.first, lattice_block, launch_.data());
  const lattice_arguments mine = a;
  int64 whole = 0;
  const outcome o = run_batches(kernels, whole);
  a = mine;
  if (o != outcome::running) failure_.report(runs.first + whole, o, status_, message_);
} catch (const std::bad_alloc &) {
  failure_.report(runs.first, outcome::memory, 0, {});
}

void device_lattice::end_runs(const lattice_pass &pass, const item_range &runs) try {
  check(cuda().stream_synchronize(stream_), "the kernel");
  if (failure_.what() == outcome::memory) return;
  outcome o = failure_.what();
  if (!f_->batch) o = take_answer(*kernels_);
  const int64 nc = ncomp_, whole = failure_.item() >= 0 ? failure_.item() : runs.end;
  for (int64 r = runs.first; r < whole; ++r) {
    const compensated_sum *const part = arguments().partial + (r - runs.first) * nc;
    if (std::all_of(part, part + nc, [](const compensated_sum &p) { return std::isfinite(p.value()); })) continue;
    if (o == outcome::callback) return failure_.report(r, o, status_, message_);
    return failure_.report(
        r, outcome::nonfinite, 0,
        f_->batch ? callback_nonfinite() : explain_nonfinite(pass, arguments().first_run + r - runs.first));
  }
  if (o == outcome::callback) failure_.report(runs.end, o, status_, message_);
} catch (const std::bad_alloc &) {
  failure_.report(runs.first, outcome::memory, 0, {});
}

// Points, the callback and sums, in calls of as many units as the limits allow.
outcome device_lattice::run_batches(const lattice_kernels &kernels, int64 &done_runs) {
  lattice_arguments &a = arguments();
  const int nc = ncomp_;
  const int64 rows = coordinates_ + 1, unit = unit_points(lattice_most_lanes);
  const int64 bytes = std::min(most_batch_bytes, problem_->settings.memory / 2);
  const int64 most = std::max(unit, std::min(most_batch_points, bytes / (8 * (rows + nc)))) / unit;
  const int64 first = a.first_unit, end = a.end_unit, first_run = a.first_run;
  compensated_sum *const partial = a.partial;
  for (int64 u = first; u < end; u += most) {
    a.first_unit = u;
    a.end_unit = std::min(end, u + most);
    a.first_run = run_of(u);
    a.partial = partial + (a.first_run - first_run) * nc;
    a.first_point = position(u);
    const int64 n = position(a.end_unit) - a.first_point;
    a.stride_x = (n + 63) / 64 * 64;
    allocate(x_, size(rows * a.stride_x) * sizeof(double));
    allocate(values_, size(nc * a.stride_x) * sizeof(double));
    a.x = reinterpret_cast<double *>(x_.address());
    a.f = reinterpret_cast<const double *>(values_.address());
    start(kernels.batch_points(), a.end_unit - u, lattice_block, launch_.data());
    const outcome o = call_back(n, x_.address(), values_.address(), a.stride_x);
    if (o != outcome::running) {
      done_runs = a.first_run - first_run;
      return o;
    }
    start(kernels.sums(), a.end_unit - u, lattice_block, launch_.data());
    const outcome end_of_call = a.end_unit < end ? between_kernels() : outcome::running;
    if (end_of_call != outcome::running) {
      done_runs = run_of(a.end_unit) - first_run;
      return end_of_call;
    }
  }
  return outcome::running;
}

// The first point of a run of units at which the integrand is not finite.
std::string device_lattice::explain_nonfinite(const lattice_pass &pass, int64 run) {
  const lattice_arguments &a = arguments();
  const int64 shift = run / a.runs_per_shift, per_run = a.units_per_run * unit_points(a.lanes);
  const int64 begin = run % a.runs_per_shift * per_run, end = std::min(pass.count, begin + per_run);
  return find_nonfinite(*kernels_, end - begin, 1, false, [&](int64 from, int64 n, double *x, double *jacobian) {
    fill_points(pass, problem_->axes.data(), ndim_, problem_->complement, pass.first_shift + shift, begin + from, n,
                {x, n, jacobian});
  });
}

}  // namespace tessera
