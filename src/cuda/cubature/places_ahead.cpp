// SPDX-License-Identifier: BSD-3-Clause
#include "places_ahead.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "../device/user_calls.hpp"

namespace tessera {
namespace {

constexpr std::size_t most_numbers = 2 * point_memory::most_near;

}  // namespace

places_ahead::~places_ahead() {
  if (beside_) cuda().stream_destroy(beside_);
}

void places_ahead::begin(const cubature_problem &problem, mode_search &modes, int64 memory, looked_memory &kept,
                         const loaded_kernel &kernel, CUdeviceptr params, CUstream stream) {
  problem_ = &problem;
  modes_ = &modes;
  bytes_ = memory;
  kept_ = &kept;
  kernel_ = &kernel;
  params_ = params;
  stream_ = stream;
}

void places_ahead::end() {
  modes_ = nullptr;
  places_ = {};
  const bool are_there = std::all_of(asked_.begin(), asked_.end(), [](const asked_points &a) { return a.is_there; });
  asked_.clear();
  if (!are_there) check(cuda().stream_synchronize(beside_), "the kernel");
}

void places_ahead::prepare() {
  places_ = {};
  if (!modes_ || !asked_.empty()) return;
  const places_to_look_at places = modes_->next_places();
  if (places.n == 0 || !point_memory::is_near(places.n, places.ndim, problem_->ncomp()) ||
      places.after + places.n > problem_->settings.maxeval)
    return;
  if (!beside_) check(cuda().stream_create(&beside_, CU_STREAM_NON_BLOCKING), "making a stream");
  memory_.require(most_numbers * sizeof(double));
  if (cuda().stream_query(stream_) != CUDA_SUCCESS) check(cuda().stream_synchronize(stream_), "the integrand's data");
  places_ = places;
}

void places_ahead::start(const int *written) {
  if (places_.n == 0) return;
  taken_ = 0;
  asked_points *const places = ask(places_.n, places_.x);
  if (!places) return;
  look_at(*places, written);
  if (places->is_good) rehearse(written);
}

// Null: there is no room, or it is enough.
places_ahead::asked_points *places_ahead::ask(int64 n, const double *x) {
  const auto xs = static_cast<std::size_t>(n * problem_->ndim()), fs = static_cast<std::size_t>(n * problem_->ncomp());
  if (asked_.size() == most_asked || taken_ + 1 + xs + fs > most_numbers) return nullptr;
  auto *const said = static_cast<double *>(memory_.address()) + taken_;
  double *const numbers = said + 1;  // behind what the integrand says
  taken_ += 1 + xs + fs;
  asked_.reserve(most_asked);
  asked_points a = {n, {}, numbers + xs, reinterpret_cast<const int *>(said), false, false};
  if (x != places_.x) a.x.assign(x, x + xs);
  asked_.push_back(std::move(a));
  std::memset(said, 0, sizeof *said);
  std::copy_n(x, xs, numbers);
  awaited_values::clear(numbers + xs, fs);
  launch_points(kernel_->points(), params_, beside_, n, reinterpret_cast<CUdeviceptr>(numbers),
                reinterpret_cast<CUdeviceptr>(numbers + xs), reinterpret_cast<CUdeviceptr>(said));
  return &asked_.back();
}

// Waits, as long as the steps are not through.
void places_ahead::look_at(asked_points &a, const int *written) const {
  if (awaited_values::wait_beside(a.values, static_cast<std::size_t>(a.n * problem_->ncomp()), written, beside_))
    see(a);
}
void places_ahead::see(asked_points &a) const {
  a.is_there = true;
  a.is_good = *a.said == 0 &&
              std::all_of(a.values, a.values + a.n * problem_->ncomp(), [](double v) { return std::isfinite(v); });
}

// For the rehearsal. Else than running: it is over.
outcome places_ahead::sample(int64 n, const double *x, double *values, const int *written) {
  asked_points *a = &asked_.front();
  if (n != a->n || x != places_.x) {
    a = ask(n, x);
    if (a) look_at(*a, written);
    if (!a || !a->is_good) return outcome::callback;
  }
  std::copy_n(a->values, n * problem_->ncomp(), values);
  return outcome::running;
}

// As if regions as many as there are at the beginning had met no peak yet, and nothing but the tolerance.
void places_ahead::rehearse(const int *written) try {
  const cubature_settings &set = problem_->settings;
  const domain_box domain = problem_->domain();
  double volume = 1.0;
  for (int j = 0; j < set.ndim; ++j) volume *= domain.upper[j] - domain.lower[j];
  const auto n = static_cast<std::size_t>(places_.n), first = listed_places(set.ndim).behind_rows();
  std::vector<double> value, error(static_cast<std::size_t>(set.ncomp), 0.0);
  for (std::size_t k = 0; k < error.size(); ++k) {
    double sum = 0.0;
    for (std::size_t i = first; i < n; ++i) sum += asked_.front().values[k * n + i];
    value.push_back(first < n ? volume * sum / static_cast<double>(n - first) : 0.0);
  }
  mode_search rehearsed(
      set, domain, any_mapped(problem_->axes) ? problem_->axes.data() : nullptr,
      [&](int64 points, const double *x, double *values, int64 &evaluations) {
        evaluations = points;
        return sample(points, x, values, written);
      },
      bytes_, kept_);
  const auto no_regions = [](const double *) { return std::vector<double>(); };
  rehearsed.look_if_owed(value.data(), error.data(), no_regions, set.initial_regions, places_.after, set.maxeval, true);
} catch (const std::bad_alloc &) {
  return;  // the look itself may have more
}

bool places_ahead::has_said() {
  bool has = false;
  for (asked_points &a : asked_) {
    if (!a.is_there) {
      awaited_values::wait(a.values, static_cast<std::size_t>(a.n * problem_->ncomp()), beside_);
      see(a);
    }
    has = has || *a.said != 0;
  }
  if (has) asked_.clear();
  return has;
}

bool places_ahead::take(int64 n, const double *x, double *values) {
  for (const asked_points &a : asked_) {
    if (n != a.n || !(a.x.empty() ? x == places_.x : std::memcmp(x, a.x.data(), a.x.size() * sizeof(double)) == 0))
      continue;
    if (a.is_good) std::copy_n(a.values, n * problem_->ncomp(), values);
    return a.is_good;
  }
  return false;
}

}  // namespace tessera
