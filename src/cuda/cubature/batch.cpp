// SPDX-License-Identifier: BSD-3-Clause
#include "batch.hpp"

#include <chrono>
#include <cstddef>
#include <exception>

#include "../../plugin.hpp"
#include "../../core/node_table.hpp"

namespace tessera {

extern const char *const state_text, *const steps_text, *const batch_text;  // headers and kernels; made by the build

namespace {

constexpr int64 most_points = int64{1} << 22;  // of a call; tessera.h names it
constexpr int64 most_bytes = int64{1} << 29;   // of the points and values of a call
constexpr unsigned steps_block = 128;

struct control_block {
  unsigned arrived;  // zeroed before each start of the steps
  unsigned unused;
  int64 failed;  // zeroed before each evaluation
};

std::size_t doubles(int64 n) { return static_cast<std::size_t>(n) * sizeof(double); }

void launch(CUfunction f, int64 threads, unsigned block, CUstream stream, batch_arguments &a) {
  void *arguments[] = {&a};
  const int64 blocks = (threads + block - 1) / block;
  check(cuda().launch(f, static_cast<unsigned>(blocks), 1, 1, block, 1, 1, 0, stream, arguments, nullptr),
        "starting the kernel");
}

// Lanes of a region in tessera_batch_finish.
int64 finish_lanes(int ncomp) {
  int64 lanes = 1;
  while (lanes < 32 && lanes < ncomp) lanes *= 2;
  return lanes;
}

}  // namespace

kernel_text batch_kernel_text(bool mapped) {
  kernel_text text;
  text.text = std::string(state_text) + steps_text + batch_text;
  text.options = {"-DTESSERA_MAPPED=" + std::to_string(mapped), "-DTESSERA_BLOCK=" + std::to_string(steps_block)};
  return text;
}

// ---- Kernels ---------------------------------------------------------------------------------------------------------

batch_kernels::batch_kernels(const cubature_problem &problem, int arch, int multiprocessors, code_cache *cache,
                             CUstream stream) {
  const rule &r = problem.integration_rule;
  target where;
  where.arch = arch;
  where.ndim = problem.settings.ndim;
  where.ncomp = problem.settings.ncomp;
  where.library_version = std::to_string(backend_abi);
  module_ = compile_kernels(batch_kernel_text(any_mapped(problem.axes)), where, cache);
  library_.load(module_.image->data(), "loading the compiled kernels");
  points_ = library_.function("tessera_batch_points");
  sums_ = library_.function("tessera_batch_sums");
  fold_ = library_.function("tessera_batch_fold");
  finish_ = library_.function("tessera_batch_finish");
  packing_.find(library_);
  steps_.function = library_.function("tessera_batch_steps");
  upload_rule(library_, r, stream);
  upload_axes(library_, problem.axes, stream);
  upload_points(words_, make_node_table(r), stream);
  check(cuda().stream_synchronize(stream), "uploading the rule");
  steps_.block = steps_block;
  steps_.fit(multiprocessors, "the kernels need");
}

// ---- The callback ------------------------------------------------------------------------------------------------------

bool batch_callback::call(int64 n, int ndim, CUdeviceptr x, int64 ldx, int ncomp, CUdeviceptr f, int64 ldf) {
  // Values that the callback does not write are not numbers, so that a kernel that did not run cannot pass for an integrand.
  check(cuda().set_bytes(f, 0xff, doubles(ldf * ncomp), stream), "preparing the values");
  status = 0;
  message.clear();
  try {
    status = function(n, ndim, reinterpret_cast<const double *>(x), ldx, ncomp, reinterpret_cast<double *>(f), ldf,
                      stream, userdata);
    if (status != 0) message = "the device callback returned " + std::to_string(status);
  } catch (const std::exception &e) {
    message = std::string("the device callback threw an exception: ") + e.what();
  } catch (...) {
    message = "the device callback threw an exception";
  }
  if (message.empty()) return true;
  cuda().stream_synchronize(stream);  // the arrays are used again; a failure here is the callback's own
  return false;
}

// ---- A run -------------------------------------------------------------------------------------------------------------

void batch_run::begin(const batch_kernels &kernels, const cubature_problem &problem, device_batch_function function,
                      void *userdata, run_hooks *hooks) {
  const rule &r = problem.integration_rule;
  kernels_ = &kernels;
  hooks_ = hooks;
  callback_ = {function, userdata, stream_, 0, {}};
  next_pace_ = 0;
  ndim_ = problem.settings.ndim;
  ncomp_ = problem.settings.ncomp;
  fields_ = sum_fields(r);
  points_ = r.points;
  const bool mapped = any_mapped(problem.axes);
  // Calls of one region at least, for stretches of another size would show in the sums.
  const int64 one = 8 * r.points * (int64{ndim_} + ncomp_ + (mapped ? 1 : 0));
  plan_ =
      plan_batches(r, ncomp_, mapped, most_points, std::min(most_bytes, std::max(problem.settings.memory / 4, one)));
  const batch_chunk largest = {0, plan_.regions, 0, plan_.stretch};
  const bool cut = largest.slices() > 1 || plan_.stretch < points_;
  const auto take = [&](device_memory &memory, int64 numbers) {
    // What a run with more memory has left would count.
    if (problem.memory_is_given && memory.bytes() > doubles(numbers)) memory.clear();
    require_or_bad_alloc(memory, doubles(numbers));
  };
  take(x_, largest.stride() * (ndim_ + (mapped ? 1 : 0)));
  take(f_, largest.stride() * ncomp_);
  take(sums_, plan_.regions * ncomp_ * fields_);
  if (cut || problem.memory_is_given) take(slices_, cut ? plan_.regions * largest.slices() * ncomp_ * fields_ : 0);
  require_or_bad_alloc(control_, sizeof(control_block));
  require_or_bad_alloc(result_, sizeof(bulk_state));
}

int64 batch_run::work_bytes() const {
  return static_cast<int64>(x_.bytes() + f_.bytes() + slices_.bytes() + sums_.bytes());
}

void batch_run::run(bulk_state &state) {
  const auto from = std::chrono::steady_clock::now();
  int64 alone = 0;  // points
  if (state.pending > 0) {
    check(cuda().set_bytes(control_.address(), 0, sizeof(control_block), stream_), "preparing the evaluation");
    const int64 points = pending_points(state);
    const bool shared =
        sharing_.has_others() && state.pending > state.pending_list.pieces && points >= sharing_.least_points();
    if (!shared) alone = points;
    const outcome o = shared ? sharing_.share_out(state)
                             : sharing_.agreed(evaluate(state, state.regions, state.pending_list, state.pending));
    if (o != outcome::running) {
      state.end = o;
      return;
    }
  }
  check(cuda().set_bytes(control_.address(), 0, offsetof(control_block, failed), stream_), "starting the kernel");
  batch_control control = {reinterpret_cast<unsigned *>(control_.address()), failed()};
  kernels_->steps().run(state, state.count, control, static_cast<bulk_state *>(result_.address()), stream_, [] {});
  if (alone == 0 || !sharing_.has_others()) return;
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
  if (state.evaluations >= next_pace_) {
    next_pace_ = 2 * state.evaluations;
    seconds = sharing_.slowest(seconds, alone);
  }
  sharing_.took(seconds, alone);
}

int64 *batch_run::failed() { return reinterpret_cast<int64 *>(control_.address() + offsetof(control_block, failed)); }

outcome batch_run::evaluate(const bulk_state &state, const region_view &regions, const region_list &list, int64 n) {
  batch_arguments a = {};
  a.regions = regions;
  a.list = list;
  a.words = reinterpret_cast<const node_word *>(kernels_->words());
  a.x = reinterpret_cast<double *>(x_.address());
  a.f = reinterpret_cast<double *>(f_.address());
  a.sums = reinterpret_cast<double *>(sums_.address());
  a.estimate = state.set.estimate;
  a.failed = failed();
  outcome o = outcome::running;
  bool first = true;
  each_batch(plan_, points_, n, [&](const batch_chunk &chunk) {
    if (!first && hooks_ && hooks_->is_wanted()) {
      check(cuda().stream_synchronize(stream_), "the call before");
      o = hooks_->within_step();
      if (o != outcome::running) return false;
    }
    first = false;
    a.chunk = chunk;
    if (!evaluate_chunk(a)) o = outcome::callback;
    return o == outcome::running;
  });
  return o;
}

bool batch_run::evaluate_chunk(batch_arguments &a) {
  const batch_chunk &c = a.chunk;
  launch(kernels_->points(), c.points(), 256, stream_, a);
  if (!callback_.call(c.points(), ndim_, x_.address(), c.stride(), ncomp_, f_.address(), c.stride())) return false;
  const bool whole = c.slices() == 1 && c.length() == points_;  // one slice is all: it is the region's sums
  a.slices = whole ? a.sums : reinterpret_cast<double *>(slices_.address());
  launch(kernels_->sums(), 32 * c.regions * c.slices() * ncomp_, 128, stream_, a);
  if (!whole) launch(kernels_->fold(), c.regions * ncomp_ * fields_, 256, stream_, a);
  if (c.end == points_) launch(kernels_->finish(), c.regions * finish_lanes(ncomp_), 128, stream_, a);
  return true;
}

}  // namespace tessera
