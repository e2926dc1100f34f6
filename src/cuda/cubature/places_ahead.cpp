// SPDX-License-Identifier: BSD-3-Clause
#include "places_ahead.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tessera {

void places_ahead::begin(mode_search &modes, int ncomp, const loaded_kernel &kernel, CUdeviceptr params,
                         CUstream stream) {
  modes_ = &modes;
  ncomp_ = ncomp;
  kernel_ = &kernel;
  params_ = params;
  stream_ = stream;
}

void places_ahead::end() {
  modes_ = nullptr;
  if (!is_coming_) return;
  is_coming_ = false;
  check(cuda().stream_synchronize(stream_), "the kernel");
}

asked_ahead places_ahead::ask(CUdeviceptr wanted) {
  asked_ = {};
  if (!modes_) return asked_;
  next_ = modes_->next_places();
  if (next_.n == 0 || !point_memory::is_near(next_.n, next_.ndim, ncomp_)) return asked_;
  asked_ = {next_.after, next_.n, reinterpret_cast<int *>(wanted)};
  return asked_;
}

void places_ahead::start() {
  if (!asked_.wanted) return;
  if (is_coming_) check(cuda().stream_synchronize(stream_), "the kernel");
  is_coming_ = false;
  x_.assign(next_.x, next_.x + next_.n * next_.ndim);
  said_ = memory_.begin();
  std::copy(x_.begin(), x_.end(), memory_.numbers());
  awaited_values::clear(values_there(), static_cast<std::size_t>(asked_.points * ncomp_));
  launch_points(kernel_->points(), params_, stream_, asked_.points, reinterpret_cast<CUdeviceptr>(memory_.numbers()),
                reinterpret_cast<CUdeviceptr>(values_there()), reinterpret_cast<CUdeviceptr>(said_),
                reinterpret_cast<CUdeviceptr>(asked_.wanted));
}

bool places_ahead::take(int64 n, const double *x, double *values) {
  if (!is_coming_ || n != asked_.points || std::memcmp(x, x_.data(), x_.size() * sizeof(double)) != 0) return false;
  is_coming_ = false;
  const auto count = static_cast<std::size_t>(n * ncomp_);
  awaited_values::wait(values_there(), count, stream_);
  std::copy_n(values_there(), count, values);
  return *said_ == 0 && std::all_of(values, values + count, [](double v) { return std::isfinite(v); });
}

}  // namespace tessera
