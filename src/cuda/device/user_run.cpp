// SPDX-License-Identifier: BSD-3-Clause
#include "user_run.hpp"

#include <cmath>

#include "../../plugin.hpp"
#include "../cubature/batch.hpp"

namespace tessera {

std::string key_of(std::initializer_list<int> shape, const placed_integrand &f) {
  std::string key;
  for (const int v : shape) key += std::to_string(v) + "/";
  const integrand_source &s = f.source;
  if (!f.batch) key += name_of(s) + s.file_name + "/" + s.domain + "/" + names_of_limits(s) + s.text;
  return key;
}

user_kernels::user_kernels(const kernel_text &text, int ndim, int ncomp, const placed_integrand &f, int arch)
    : batch_(f.batch != nullptr) {
  target where;
  where.arch = arch;
  where.ndim = ndim;
  where.ncomp = ncomp;
  where.library_version = std::to_string(backend_abi);
  where.until = f.until;
  module_ = batch_ ? compile_kernels(text, where, f.cache) : compile_integrand(f.source, text, where, f.cache);
  library_.load(module_.image->data(), "loading the compiled integrand");
  if (batch_) return;
  points_ = function("tessera_points");
  answer_ = {library_.global("tessera_flags", sizeof(int)), library_.global("tessera_status", sizeof(int))};
}

int64 user_kernels::resident_blocks(CUfunction kernel, int threads, int multiprocessors) {
  int blocks = 0;
  check(cuda().occupancy(&blocks, kernel, threads, 0), "asking for the occupancy");
  if (blocks < 1) throw device_error("the integrand needs more of a multiprocessor than there is");
  return int64{blocks} * multiprocessors;
}

void user_run::begin(const placed_integrand &f, const problem &problem, device_report &report) {
  f_ = &f;
  report_ = &report;
  ndim_ = problem.ndim();
  coordinates_ = problem.coordinates();
  ncomp_ = problem.ncomp();
  status_ = 0;
  message_.clear();
  if (!answer()) {
    answer_.require(sizeof(user_answer));
    *answer() = {};
  }
}

void user_run::start(CUfunction kernel, int64 blocks, int threads, void *arguments) const {
  void *parameters[] = {arguments};
  check(cuda().launch(kernel, static_cast<unsigned>(blocks), 1, 1, static_cast<unsigned>(threads), 1, 1, 0, stream_,
                      parameters, nullptr),
        "starting the kernel");
}

outcome user_run::call_back(int64 n, CUdeviceptr x, CUdeviceptr f, int64 stride) {
  batch_callback callback = {f_->batch, f_->userdata, stream_, 0, {}};
  if (callback.call(n, coordinates_, x, stride, ncomp_, f, stride)) return outcome::running;
  status_ = callback.status;
  message_ = callback.message;
  return outcome::callback;
}

outcome user_run::take_answer(const user_kernels &kernels) {
  const user_answer said = *answer();
  if (said.flags == 0) return outcome::running;
  *answer() = {};
  clear_flags(kernels.answer(), stream_);
  report_->remark = describe_flags(said.flags & ~flags_that_end);
  if ((said.flags & flags_that_end) == 0) return outcome::running;
  status_ = said.status;
  message_ = why_stopped(said.flags, said.status);
  return outcome::callback;
}

std::string user_run::evaluate_points(int64 n, const double *x, double *values,
                                      const std::function<const user_kernels &()> &find) {
  if (f_->batch) {
    const auto call = [&](CUdeviceptr from, CUdeviceptr to) { return call_back(n, from, to, n) == outcome::running; };
    return at_points(points_.far, stream_, coordinates_, ncomp_, n, x, values, call) ? std::string() : message_;
  }
  const user_kernels &kernels = find();
  if (!at_points(kernels.points(), f_->params, points_, stream_, coordinates_, ncomp_, n, x, values)) return {};
  return tessera::take_answer(kernels.answer(), stream_);
}

std::string user_run::find_nonfinite(const user_kernels &kernels, int64 samples, int per, bool show_weighted,
                                     const point_source &fill) {
  const auto size = [](int64 n) { return static_cast<std::size_t>(n); };
  const int64 most =
      std::max<int64>(1, std::min<int64>(65536, 4194304 / std::max(coordinates_, ncomp_)) / per);  // at a time
  std::vector<double> x, f, jacobian;
  for (int64 from = 0; from < samples; from += most) {
    const int64 many = std::min(most, samples - from), n = many * per;
    x.resize(size(n * coordinates_));
    f.resize(size(n * ncomp_));
    jacobian.assign(size(n), 1.0);
    fill(from, many, x.data(), jacobian.data());
    try {
      if (at_points(kernels.points(), f_->params, points_, stream_, coordinates_, ncomp_, n, x.data(), f.data()))
        tessera::take_answer(kernels.answer(), stream_);  // it was asked once more, which counts for nothing
    } catch (const device_error &e) {
      if (!e.out_of_memory()) throw;  // the value so far is worth more than the point
      return "the integrand is NaN or infinite at a point that there is no memory left to look for";
    }
    for (int64 p = 0; p < n; ++p) {
      const int64 i = p % per * many + p / per;  // a sample's points one after the other
      for (int k = 0; k < ncomp_; ++k) {
        const double v = f[size(k * n + i)], w = weighted(v, jacobian[size(i)]);
        if (std::isfinite(w)) continue;
        const std::vector<double> at = point_of_user(points_, ndim_, coordinates_, ncomp_, n, i);
        return nonfinite_message(k, show_weighted && std::isfinite(v) ? w : v, at.data(), ndim_);
      }
    }
  }
  return "the weighted sum of the integrand overflows";
}

}  // namespace tessera
