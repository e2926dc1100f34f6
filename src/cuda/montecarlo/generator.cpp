// SPDX-License-Identifier: BSD-3-Clause
#include "generator.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "../../jit/toolkit.hpp"

namespace tessera {

namespace {

constexpr int64 call_numbers = int64{1} << 22;  // of a call of cuRAND, at most
constexpr int64 most_blocks = 16;               // in which pieces fit, as a sample has no more than 1024 numbers

void check_curand(int result, const char *what) {
  constexpr int allocation_failed = 102;  // CURAND_STATUS_ALLOCATION_FAILED
  if (result == 0) return;
  if (result == allocation_failed) throw std::bad_alloc();
  throw device_error(std::string("cuRAND: ") + what + " failed with status " + std::to_string(result));
}

curand_kind kind_of(int generator) {
  if (generator == generator_xorwow) return curand_kind::xorwow;
  return generator == generator_mrg32k3a ? curand_kind::mrg32k3a : curand_kind::scrambled_sobol64;
}

}  // namespace

void number_ring::begin(int generator, uint64 seed, int ndim, int64 samples, int64 shifts, CUstream stream) {
  end();
  const curand_library &library = curand();
  ndim_ = ndim;
  next_ = 0;
  ring_ = {0, 1};
  while (ring_.log_samples < 18 && (int64{2} << ring_.log_samples) * ndim <= call_numbers) ++ring_.log_samples;
  while (ring_.blocks < most_blocks && ring_.blocks * block() < samples) ring_.blocks *= 2;
  allocate(memory_, static_cast<std::size_t>(ring_.blocks * block() * ndim) * sizeof(double));
  // Shift r is the point of index r that Philox makes.
  shifts_.resize(static_cast<std::size_t>(shifts * ndim));
  const philox_keys keys = keys_of(seed);
  for (int64 r = 0; r < shifts; ++r)
    for (int j = 0; j < ndim; j += 2) {
      double u, v;
      uniform_pair(keys, 0, static_cast<uint64>(r), static_cast<uint32>(j / 2), u, v);
      shifts_[static_cast<std::size_t>(r * ndim + j)] = u;
      if (j + 1 < ndim) shifts_[static_cast<std::size_t>(r * ndim + j + 1)] = v;
    }
  if (shifts > 0) {
    allocate(shifts_there_, shifts_.size() * sizeof(double));
    upload(shifts_there_.address(), shifts_.data(), shifts_.size() * sizeof(double), stream, "uploading the shifts");
  }
  // A new generator for every run: its state is that of the seed.
  void *made = nullptr;
  check_curand(library.create(&made, kind_of(generator)), "making a generator");
  generator_ = made;
  check_curand(library.set_stream(generator_, stream), "setting the stream");
  if (generator == generator_curand_sobol)
    check_curand(library.set_dimensions(generator_, static_cast<unsigned>(ndim)), "setting the dimension");
  else
    check_curand(library.set_seed(generator_, seed), "setting the seed");
}

void number_ring::end() {
  if (generator_) curand().destroy(generator_);
  generator_ = nullptr;
}

void number_ring::require(int64 first, int64 samples) {
  const int64 from = first >> ring_.log_samples, behind = ((first + samples - 1) >> ring_.log_samples) + 1;
  if (behind - from > ring_.blocks || from < std::max(next_, behind) - ring_.blocks)
    throw device_error("random numbers were asked for that are gone");
  for (; next_ < behind; ++next_) {
    auto *const to = reinterpret_cast<double *>(memory_.address()) + place_in_ring(ring_, ndim_, next_ * block(), 0);
    check_curand(curand().uniform_double(generator_, to, static_cast<std::size_t>(block() * ndim_)), "making numbers");
  }
}

given_numbers number_ring::numbers(int64 shift) const {
  const auto *const shifts = reinterpret_cast<const double *>(shifts_there_.address());
  return {reinterpret_cast<const double *>(memory_.address()), shift < 0 ? nullptr : shifts + shift * ndim_, ring_};
}

void number_ring::read(int64 first, int64 n, int64 shift, double *u, int64 ldu) const {
  for (int j = 0; j < ndim_; ++j) {
    for (int64 i = 0, many; i < n; i += many) {
      many = std::min(n - i, block() - ((first + i) & (block() - 1)));
      const auto at = static_cast<CUdeviceptr>(place_in_ring(ring_, ndim_, first + i, j)) * sizeof(double);
      check(cuda().download(u + j * ldu + i, memory_.address() + at, static_cast<std::size_t>(many) * sizeof(double)),
            "downloading random numbers");
    }
    const double by = shift < 0 ? 0.0 : shifts_[static_cast<std::size_t>(shift * ndim_ + j)];
    for (int64 i = 0; i < n; ++i) u[j * ldu + i] = shifted_number(u[j * ldu + i], by);
  }
}

}  // namespace tessera
