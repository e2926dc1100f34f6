// SPDX-License-Identifier: BSD-3-Clause
#include "cubature.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../kept_course.hpp"
#include "../rows.hpp"
#include "rule_points.hpp"

namespace tessera {

// A step of a sparse grid takes 40 µs and 0.18 µs more for each index, for it goes by way of the host; meanwhile rules are applied at 1e11
// points a second. A step of the subdivision costs as much. A map is found in 0.8 ms and is to save as much, a wide one in 2 to 3 and is to save 20.
static constexpr sparse_pace steps_are_dear() {
  sparse_pace pace;
  pace.first_look = 1e5;
  pace.start = 1e7;
  pace.apart = 1.7;
  pace.step = 4e6;
  pace.index = 1.8e4;
  pace.point = 15.0;
  pace.share = 1.0 / 16;
  pace.foresight = 1.0 / 10;
  pace.lead = 0.5;
  pace.patience = 4.0;
  pace.check_share = 1.0;
  pace.map = 5e7;
  pace.wide_map = 2e9;
  pace.seen_first = 1.0;
  pace.early_excess = 16.0;
  pace.least_spread = 1e6;
  pace.first_points = 1e4;
  pace.doubled = 1.3e5;
  pace.trial = 3e7;
  return pace;
}

std::unique_ptr<cuda_method> make_cuda_cubature(cuda_setting &setting) {
  return std::make_unique<cuda_cubature>(setting);
}

static std::string key_of(const cubature_problem &p, const integrand_source &source, bool many) {
  std::string key = (many ? "many/" : "one/") + std::string(p.integration_rule.raises ? "raised/" : "") +
                    std::to_string(static_cast<int>(source.language)) + "/" +
                    std::to_string(p.integration_rule.family) + "/" + std::to_string(p.integration_rule.points) + "/" +
                    std::to_string(p.settings.ndim) + "/" + std::to_string(p.settings.ncomp) + "/" + source.function +
                    "/" + source.file_name + "/";
  if (any_mapped(p.axes))
    for (const axis_map &a : p.axes)
      key += std::to_string(a.kind) + ":" + std::to_string(bits_of(a.anchor)) + ":" + std::to_string(bits_of(a.last)) +
             " ";
  return key + "/" + source.domain + "/" + names_of_limits(source) + source.text;
}

static flag_addresses answer_of(const loaded_kernel &kernel) { return {kernel.flags(), kernel.status()}; }

void cuda_cubature::use_stream(CUstream stream) {
  executor_.use_stream(stream);
  batch_.use_stream(stream);
  slots_.use_stream(stream);
}

void cuda_cubature::release() {
  constexpr int64 little = int64{1} << 24;
  most_memory_ = 0;  // others have taken memory until the next solver, or given it back
  if (grids_.bytes() > little) grids_ = {};
}

void cuda_cubature::integrate(const tessera::problem &of_a_method, const device_integrand &integrand, run_hooks &hooks,
                              double *value, double *error, run_result &to, device_report &report) {
  const auto &problem = static_cast<const cubature_problem &>(of_a_method);
  auto &result = static_cast<cubature_result &>(to);
  const placed_integrand f = setting_.place(integrand);
  begin_sharing(problem, integrand, report);
  const loaded_kernel *const kernel = begin_run(problem, f, &hooks, report);
  cubature_problem p = problem;
  const int64 free = free_memory();
  p.settings.memory = std::min(p.settings.memory, ranks_.are_there() ? ranks_.memory(free, setting_.identity()) : free);
  using driver_type = bulk<cuda_executor>;
  const int64 fixed =
      driver_type::fixed_bytes(p.settings) + (kernel ? executor_.slice_bytes(*kernel) : batch_.work_bytes());
  if (problem.memory_is_given) {
    const int64 needed = fixed + driver_type::least_regions(p.settings) * driver_type::bytes_of_region(p.settings);
    if (needed > problem.settings.memory) {
      result.end = outcome::memory;
      result.message = too_little_memory(needed, problem.settings.memory);
      return;
    }
    p.settings.memory -= fixed;
  }
  sparse_run<cuda_sparse> sparse(problem, grids_, [&](grid_of which) {
    sparse_memory *const memory[] = {&of_domain_, &of_regions_, &mapped_, &of_points_};
    return make_sparse(problem, f, kernel, report, *memory[static_cast<int>(which)]);
  });
  if (problem.sparse == sparse_part::alone) {
    run_sparse_alone(sparse, p.settings, p.settings.memory, hooks, value, error, result);
    if (result.message.empty()) explain_sparse(sparse.ended_in(), kernel, result);
    return;
  }
  const int64 for_sparse =
      problem.sparse == sparse_part::off ? 0 : p.settings.memory / (problem.memory_is_given ? 8 : 3);
  if (problem.memory_is_given) p.settings.memory -= for_sparse;
  sparse_race race(p.settings, steps_are_dear(), for_sparse > 0 ? &sparse : nullptr, 0, for_sparse, hooks);
  kept_course<driver_type> course(p, race);
  const int64 for_modes = take_for_modes(problem, p.settings.memory);
  mode_search modes(
      p.settings, p.domain(), any_mapped(p.axes) ? p.axes.data() : nullptr,
      [&](int64 n, const double *x, double *values, int64 &evaluations) {
        if (!executor_.ahead().take(n, x, values)) return sparse.sample(n, x, values, evaluations);
        evaluations = n;
        return outcome::running;
      },
      for_modes, &grids_.looks);
  // What is kept is asked for in the order of the run.
  if (kernel && !problem.answers)
    executor_.ahead().begin(p, modes, for_modes, grids_.looks, *kernel, f.params, setting_.stream());
  // Which find the regions that are looked at.
  executor_.look_with([&]() -> const sparse_kernels & { return find_sparse_kernels(p.ndim(), p.ncomp(), f, report); });
  driver_type driver(executor_, p.settings, p.integration_rule.points, course, &modes);
  race.heed(modes, problem.answers != nullptr);
  race.look_at({[&course](int n, const double *weight) { return course.largest(n, weight); },
                [&course] { return course.listed(); }, [&course] { return course.statistics().iterations; },
                [&course] { return course.statistics().breaks; }},
               problem.answers != nullptr);
  result.end = course.run(driver, value, error);
  executor_.ahead().end();
  result.statistics = course.statistics();
  result.statistics.peak_bytes += fixed + race.bytes() + modes.peak_bytes();
  result.has_value = result.statistics.evaluations > 0;
  result.statistics.evaluations += race.all_evaluations();
  result.sparse_points = race.evaluations();
  result.from_sparse = race.is_won(value, error);
  modes.tell(hooks, result.end);
  if (race.has_ended() || modes.has_ended()) {
    explain_sparse(sparse.ended_in(), kernel, result);
  } else if (kernel) {
    explain(problem, *kernel, f.params, result, report);
  } else {
    explain_batch(result);
  }
}

// They find the regions with the largest errors too.
const sparse_kernels &cuda_cubature::find_sparse_kernels(int ndim, int ncomp, const placed_integrand &f,
                                                         device_report &report) {
  return sparse_kernels_.find(std::to_string(ndim) + "/" + std::to_string(ncomp), report,
                              [&] { return std::make_unique<sparse_kernels>(ndim, ncomp, setting_.arch(), f.cache); });
}

std::unique_ptr<cuda_sparse> cuda_cubature::make_sparse(const cubature_problem &problem, const placed_integrand &f,
                                                        const loaded_kernel *kernel, device_report &report,
                                                        sparse_memory &memory) {
  const int ndim = problem.ndim(), ncomp = problem.ncomp();
  const sparse_kernels &kernels = find_sparse_kernels(ndim, ncomp, f, report);
  const CUstream stream = setting_.stream();
  sparse_calls call;
  if (kernel) {
    call = [kernel, stream, params = f.params](int64 n, CUdeviceptr x, CUdeviceptr values, CUdeviceptr said) {
      launch_points(kernel->points(), params, stream, n, x, values, said);
      return std::string();
    };
  } else {
    call = [this, ndim, ncomp, stream, batch = f.batch, userdata = f.userdata](int64 n, CUdeviceptr x,
                                                                               CUdeviceptr values, CUdeviceptr) {
      sparse_callback_ = {batch, userdata, stream, 0, {}};
      return sparse_callback_.call(n, ndim, x, n, ncomp, values, n) ? std::string() : sparse_callback_.message;
    };
  }
  return std::make_unique<cuda_sparse>(kernels, memory, ndim, ncomp, stream, kernel ? kernel->flags() : 0, call);
}

// Why a run ended in a sparse grid, where it was the integrand that ended it.
void cuda_cubature::explain_sparse(const cuda_sparse &grid, const loaded_kernel *kernel,
                                   cubature_result &result) const {
  if (result.end == outcome::nonfinite)
    result.message = grid.nonfinite().empty()
                         ? "the integrand is NaN or infinite at a point beside those of the regions"
                         : grid.nonfinite();
  if (result.end != outcome::callback) return;
  if (!kernel) {
    result.callback_status = sparse_callback_.status;
    result.message = sparse_callback_.message;
    return;
  }
  int status = 0;
  check(cuda().download(&status, kernel->status(), sizeof status), "downloading the integrand's answer");
  clear_flags(answer_of(*kernel), setting_.stream());
  result.callback_status = status;
  result.message = why_stopped(grid.flags_seen(), status);
}

many_results cuda_cubature::run_many(const many_problem &problem, const device_integrand &integrand, many_hooks &watch,
                                     double *value, double *error, device_report &report) {
  many_results results(problem.rows());
  rows_progress progress(problem, watch, results, value, error);
  if (!integrand.batch && many_executor::suits(problem)) {
    auto shape = static_cast<const cubature_problem &>(*problem.common);  // all rows are for one kernel
    shape.axes.assign(shape.axes.size(), {problem.any_mapped ? axis_up : axis_finite, 0.0, 0.0, 0.0});
    const placed_integrand f = setting_.place(integrand);
    const loaded_kernel &kernel = find_kernel(shape, f, report, true);
    slots_.prepare(kernel, problem, free_memory() - static_cast<int64>(executor_.held_bytes()));
    for (int64 first = 0; first < problem.rows() && progress.go_on(); first += many_executor::most_rows) {
      slots_.run(kernel, problem, f.params, first, results, value, error);
      progress.count_up_to(first + many_executor::most_rows);
    }
    results.peak_bytes = slots_.slot_bytes();
    report.remark = describe_flags(slots_.flags() & ~flags_that_end);
  }
  // What is left is too large for a slot, or launched by the caller's program.
  run_rows(*this, problem, integrand, progress, results, value, error, report);
  progress.give_up_the_rest();
  results.region_bytes = 8 * region_fields(problem.common->ndim(), problem.common->ncomp());
  return results;
}

std::string cuda_cubature::evaluate(const tessera::problem &of_a_method, const device_integrand &integrand, int64 n,
                                    const double *x, double *values) {
  const auto &problem = static_cast<const cubature_problem &>(of_a_method);
  const placed_integrand f = setting_.place(integrand);
  if (f.batch) {
    batch_callback callback = {f.batch, f.userdata, setting_.stream(), 0, {}};
    const auto call = [&](CUdeviceptr from, CUdeviceptr to) {
      return callback.call(n, problem.ndim(), from, n, problem.ncomp(), to, n);
    };
    if (!at_points(points_.far, setting_.stream(), problem.ndim(), problem.ncomp(), n, x, values, call))
      return callback.message;
    return {};
  }
  device_report unused;
  const loaded_kernel &kernel = find_kernel(problem, f, unused);
  return run_points(problem, kernel, f.params, n, x, values);
}

// The kernel of the run; null for a device callback, which nobody asks whether it is to go on where there are no hooks.
const loaded_kernel *cuda_cubature::begin_run(const cubature_problem &problem, const placed_integrand &f,
                                              run_hooks *hooks, device_report &report) {
  kernel_ = nullptr;
  if (f.batch) {
    batch_.begin(find_batch_kernels(problem, f, report), problem, f.batch, f.userdata, hooks);
    executor_.begin(batch_);
    return nullptr;
  }
  kernel_ = &find_kernel(problem, f, report);
  executor_.begin(*kernel_, f.params);
  return kernel_;
}

const batch_kernels &cuda_cubature::find_batch_kernels(const cubature_problem &problem, const placed_integrand &f,
                                                       device_report &report) {
  return batch_kernels_.find(key_of(problem, {}, false), report, [&] {
    return std::make_unique<batch_kernels>(problem, setting_.arch(), setting_.multiprocessors(), f.cache,
                                           setting_.stream());
  });
}

const loaded_kernel &cuda_cubature::find_kernel(const cubature_problem &problem, const placed_integrand &f,
                                                device_report &report, bool many) {
  const loaded_kernel &kernel = kernels_.find(key_of(problem, f.source, many), report, [&] {
    return std::make_unique<loaded_kernel>(problem, f, setting_.arch(), setting_.multiprocessors(), setting_.stream(),
                                           many);
  });
  report.inlined = report.inlined && kernel.module().inlined;
  take_notes(kernel.module(), f, report);
  return kernel;
}

// Nine tenths of what is free, and what the session holds already. Asked again when the session has taken more: the
// question takes as long as a small integral, and what others have taken since shows when memory is wanted.
int64 cuda_cubature::free_memory() {
  const std::size_t held = executor_.held_bytes();
  if (most_memory_ == 0 || held != held_when_asked_) {
    most_memory_ = static_cast<int64>(cuda_setting::free_bytes() / 10 * 9 + held);
    held_when_asked_ = held;
  }
  return most_memory_;
}

// Returns why the integrand asked to stop, "" if it did not.
std::string cuda_cubature::run_points(const cubature_problem &problem, const loaded_kernel &kernel, CUdeviceptr params,
                                      int64 n, const double *x, double *f) {
  const CUstream stream = setting_.stream();
  const bool said = at_points(kernel.points(), params, points_, stream, problem.ndim(), problem.ncomp(), n, x, f);
  return said ? take_answer(answer_of(kernel), stream) : std::string();
}

// What the integrand said in a run, and where it was not finite.
void cuda_cubature::explain(const cubature_problem &problem, const loaded_kernel &kernel, CUdeviceptr params,
                            cubature_result &result, device_report &report) {
  const int flags = executor_.flags();
  if (flags != 0) clear_flags(answer_of(kernel), setting_.stream());
  if (result.end == outcome::callback) {
    result.callback_status = executor_.status();
    result.message = why_stopped_.empty() ? why_stopped(flags, result.callback_status) : why_stopped_;
  }
  if ((flags & ~flags_that_end) != 0) report.remark = describe_flags(flags & ~flags_that_end);
  if (result.end == outcome::nonfinite) result.message = find_nonfinite(problem, kernel, params);
}

void cuda_cubature::explain_batch(cubature_result &result) const {
  if (result.end == outcome::nonfinite)
    result.message = "the device callback returned NaN or infinity at a point, or left out a point";
  if (result.end == outcome::callback) {
    result.callback_status = batch_.callback().status;
    result.message = batch_.callback().message;
  }
}

// Of a region where a value was not finite: the first point of the rule, in its order, or else of the lines through it, at which the integrand is not.
std::string cuda_cubature::find_nonfinite(const cubature_problem &problem, const loaded_kernel &kernel,
                                          CUdeviceptr params) try {
  const std::vector<double> &box = executor_.failed_box();
  const rule_points points(problem.integration_rule);
  const int64 all = problem.integration_rule.points, nd = problem.settings.ndim, nc = problem.settings.ncomp;
  const int64 most = std::max<int64>(1, std::min<int64>(65536, 4194304 / nc));
  std::vector<double> x, f, jacobian;
  // fill(x): the coordinates of n points, x[ndim][n].
  const auto look = [&](int64 n, const auto &fill) {
    x.resize(static_cast<std::size_t>(n * nd));
    f.resize(static_cast<std::size_t>(n * nc));
    jacobian.assign(static_cast<std::size_t>(n), 1.0);
    fill(x.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto j = i / jacobian.size();
      x[i] = map_axis(problem.axes[j], x[i], jacobian[i % jacobian.size()]);
    }
    run_points(problem, kernel, params, n, x.data(), f.data());
    for (int64 i = 0; i < n; ++i)
      for (int64 k = 0; k < nc; ++k) {
        const double v = weighted(f[static_cast<std::size_t>(k * n + i)], jacobian[static_cast<std::size_t>(i)]);
        if (std::isfinite(v)) continue;
        const std::vector<double> at = point_of_user(points_, problem.ndim(), problem.ndim(), problem.ncomp(), n, i);
        return nonfinite_message(static_cast<int>(k), v, at.data(), static_cast<int>(nd));
      }
    return std::string();
  };
  for (int64 first = 0; first < all; first += most) {
    const int64 n = std::min(most, all - first);
    std::string message = look(n, [&](double *to) { points.fill(box.data(), first, n, to); });
    if (!message.empty()) return message;
  }
  for (const hole_on_line &hole : executor_.holes())
    for (int side = 0; side <= 1; ++side) {
      std::string message = look(1, [&](double *to) {
        for (int j = 0; j < problem.settings.ndim; ++j) {
          const double *const centre = box.data() + j, *const half = centre + nd;
          to[j] = j == hole.axis ? hole.at : line_coordinate(*centre, *half, hole.line, side, j);
        }
      });
      if (!message.empty()) return message;
    }
  return "the sum over a region overflows";
} catch (const device_error &e) {
  if (!e.out_of_memory()) throw;  // the value so far is worth more than the point
  return "the integrand is NaN or infinite at a point that there is no memory left to look for";
}

}  // namespace tessera
