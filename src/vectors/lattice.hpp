// The handle of a generating vector: settings of the construction, the vector, and what is known of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../failure.hpp"
#include "../place.hpp"
#include "tessera.h"

namespace tessera {

constexpr int most_lattice_ndim = 1024;
constexpr std::int64_t most_lattice_points = (std::int64_t{1} << 32) - 1;

// Everything that is saved and loaded.
struct lattice_data {
  int origin = TESSERA_ORIGIN_EMPTY;
  std::uint64_t points = 0;
  std::uint64_t least = 0;  // 0: the vector is for `points` alone
  std::vector<std::uint64_t> z;
  // How it was constructed.
  int kernel = TESSERA_KERNEL_B2;
  int precision = 64;
  double merit = std::numeric_limits<double>::quiet_NaN();
  double ratio = 1.0;
  std::vector<double> product, order;  // order empty: product weights
};

// What is wrong with settings, given by functions or read from a file; empty when nothing is. Empty weights: all 1.
std::string wrong_weights(int ndim, const std::vector<double> &product, const std::vector<double> &order);
std::string wrong_least(std::uint64_t least);
std::string wrong_precision(std::int64_t precision);

// Text and back. read_lattice throws failure with the number of the line.
std::string write_lattice(const lattice_data &data);
lattice_data read_lattice(const std::string &text);

// The built-in vector for n from `least` to `points`, with pseudo-random components after those constructed.
lattice_data builtin_lattice(int ndim);

// See tessera_lattice_prime.
std::int64_t nearest_prime(std::int64_t n, std::int64_t largest);

}  // namespace tessera

struct tessera_lattice {
 public:
  explicit tessera_lattice(int ndim);

  void set_weights(const double *product, int orders, const double *order);
  void set_kernel(int kernel, const double *values, std::int64_t count);
  void set_int(int key, std::int64_t value);
  std::int64_t get_int(int key) const;
  double get_real(int key) const;
  void set_progress(tessera_lattice_progress fn, void *userdata);
  void construct(std::int64_t n);
  void korobov(std::int64_t n, std::int64_t a);
  void vector(std::int64_t n, const std::int64_t *z);
  void builtin();
  void get_vector(std::int64_t *z) const;
  void save(const char *path) const;
  void load(const char *path);
  const tessera::lattice_data &data() const { return data_; }
  int ndim() const { return ndim_; }

  bool busy = false;
  mutable std::string last_error;

 private:
  std::uint64_t checked_least(std::int64_t n) const;
  int choose_device() const;
  void require_memory(double bytes, std::int64_t n, bool on_host, tessera::place &there) const;
  void take(tessera::lattice_data next);

  int ndim_;
  std::int64_t least_ = 0, precision_ = 64, max_memory_ = 0, device_ = -1, device_used_ = -1;
  int kernel_ = TESSERA_KERNEL_B2;
  std::vector<double> values_;  // of a kernel by its values
  std::vector<double> product_, order_;
  tessera_lattice_progress progress_ = nullptr;
  void *progress_data_ = nullptr;
  tessera::lattice_data data_;
  std::int64_t bytes_ = 0;
  double seconds_ = 0.0, plan_seconds_ = 0.0;
};
