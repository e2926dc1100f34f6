// SPDX-License-Identifier: BSD-3-Clause
#include "lattice.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>

#include "../core/number.hpp"
#include "../plugin.hpp"
#include "../text_file.hpp"

using tessera::failure;
using tessera::lattice_data;

namespace {

constexpr int host = -1, any_device = -2;  // values of TESSERA_LATTICE_DEVICE

std::string text(std::int64_t v) { return std::to_string(v); }

std::string text(double v) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.9g", v);
  return digits;
}

[[noreturn]] void refuse(const std::string &message) { throw failure(TESSERA_ERR_ARGUMENT, message); }

void require_in_range(const char *option, const std::string &wrong) {
  if (!wrong.empty()) throw failure(TESSERA_ERR_RANGE, option + wrong);
}

void require_points(std::int64_t n, std::int64_t least) {
  if (n < least || n > tessera::most_lattice_points)
    refuse("n = " + text(n) + " is not within " + text(least) + " .. " + text(tessera::most_lattice_points));
}

std::vector<double> default_product(int ndim) {
  std::vector<double> product;
  for (int j = 0; j < ndim; ++j) product.push_back(1.0 / ((j + 1.0) * (j + 1.0)));
  return product;
}

// There is no plug-in, driver, device, run-time compiler or cuFFT.
bool lacks_something(const std::exception &e) {
  if (const auto *d = dynamic_cast<const tessera::device_failure *>(&e)) return d->missing();
  if (const auto *c = dynamic_cast<const tessera::compile_error *>(&e)) return c->stage() == tessera::jit_stage::load;
  return false;
}

struct progress_hooks : tessera::cbc_hooks {
  progress_hooks(tessera_lattice_progress f, void *d) : fn(f), data(d) {}
  // A callback that throws stops the construction.
  bool component_done(tessera::int64 done, tessera::int64 all) override {
    try {
      return !fn || fn(done, all, data) == 0;
    } catch (const std::exception &e) {
      thrown = std::string(", throwing an exception: ") + e.what();
    } catch (...) {
      thrown = ", throwing an exception";
    }
    return false;
  }
  tessera_lattice_progress fn;
  void *data;
  std::string thrown;
};

}  // namespace

namespace tessera {

static bool has_factors_up_to(uint64 v, uint64 largest) {
  for (uint64 f = 2; f <= largest && f <= v; ++f)
    while (v % f == 0) v /= f;
  return v == 1;
}

// Of the primes 2 m + 1 with factors of m from `factor` to `largest`, m a multiple of `product`: the nearest to n so far.
static void look_among_products(uint64 product, uint64 factor, uint64 largest, std::int64_t n, std::int64_t &nearest) {
  const auto p = static_cast<std::int64_t>(2 * product + 1);
  const std::int64_t here = std::abs(p - n), best = std::abs(nearest - n);
  if (p >= 3 && (nearest == 0 || here < best || (here == best && p < nearest)) && is_prime(2 * product + 1))
    nearest = p;
  for (uint64 f = factor; f <= largest; ++f)
    if (is_prime(f) && product <= static_cast<uint64>(most_lattice_points - 1) / 2 / f)
      look_among_products(product * f, f, largest, n, nearest);
}

std::int64_t nearest_prime(std::int64_t n, std::int64_t largest) {
  require_points(n, 3);
  if (largest != 0 && largest < 5) refuse("largest = " + text(largest) + " is neither 0 nor at least 5");
  const auto good = [largest](std::int64_t p) {
    if (p < 3 || p > most_lattice_points) return false;
    const auto u = static_cast<uint64>(p);
    // The factors first: numbers with small ones alone are rarer than primes and quicker found out.
    return (largest == 0 || (u % 2 == 1 && has_factors_up_to((u - 1) / 2, static_cast<uint64>(largest)))) &&
           is_prime(u);
  };
  constexpr std::int64_t far = 1 << 17;  // beyond, products of so small factors are counted quicker than numbers
  for (std::int64_t distance = 0; distance <= far; ++distance) {
    if (good(n - distance)) return n - distance;
    if (good(n + distance)) return n + distance;
  }
  std::int64_t nearest = 0;
  look_among_products(1, 2, static_cast<uint64>(largest), n, nearest);
  return nearest;
}

std::string wrong_weights(int ndim, const std::vector<double> &product, const std::vector<double> &order) {
  for (std::size_t j = 0; j < product.size(); ++j)
    if (!(product[j] > 0.0) || !std::isfinite(product[j]))
      return "product[" + std::to_string(j) + "] = " + text(product[j]) + " is not a positive number";
  if (order.size() > static_cast<std::size_t>(ndim))
    return "order has " + std::to_string(order.size()) + " values, and ndim is " + std::to_string(ndim);
  for (std::size_t l = 0; l < order.size(); ++l)
    if (!(order[l] >= 0.0) || !std::isfinite(order[l]) || (l == 0 && order[l] == 0.0))
      return "order[" + std::to_string(l) + "] = " + text(order[l]) +
             (l == 0 ? " is not a positive number" : " is negative or not finite");
  return {};
}

std::string wrong_least(std::uint64_t least) {
  const bool right =
      least == 0 || (least >= 4 && least <= static_cast<std::uint64_t>(most_lattice_points) && is_power_of_two(least));
  return right ? "" : std::to_string(static_cast<std::int64_t>(least)) + " is neither 0 nor a power of two from 4 on";
}

std::string wrong_precision(std::int64_t precision) {
  return precision == 32 || precision == 64 ? "" : text(precision) + " is neither 32 nor 64";
}

}  // namespace tessera

tessera_lattice::tessera_lattice(int ndim) : ndim_(ndim), product_(default_product(ndim)) {}

void tessera_lattice::set_weights(const double *product, int orders, const double *order) {
  if (orders < 0) refuse("orders = " + text(std::int64_t{orders}) + " is negative");
  if ((orders == 0) != (order == nullptr))
    refuse(order ? "orders is 0 and order is not NULL" : "order is NULL and orders is not 0");
  if (orders > ndim_)
    refuse("orders = " + text(std::int64_t{orders}) + " is not within 0 .. ndim = " + text(std::int64_t{ndim_}));
  std::vector<double> by_component, by_number;
  if (product) by_component.assign(product, product + ndim_);
  if (order) by_number.assign(order, order + orders);
  const std::string wrong = tessera::wrong_weights(ndim_, by_component, by_number);
  if (!wrong.empty()) refuse(wrong);
  product_.assign(static_cast<std::size_t>(ndim_), 1.0);
  if (product) product_.assign(product, product + ndim_);
  order_.clear();
  if (order) order_.assign(order, order + orders);
}

void tessera_lattice::set_kernel(int kernel, const double *values, std::int64_t count) {
  if (kernel == TESSERA_KERNEL_TABLE) {
    if (!values) refuse("values is NULL");
    if (count < 2 || count > tessera::most_lattice_points / 2 + 1)
      refuse("count = " + text(count) + " is out of range");
    for (std::int64_t j = 0; j < count; ++j)
      if (!std::isfinite(values[j])) refuse("values[" + text(j) + "] is not finite");
    values_.assign(values, values + count);
  } else if (kernel == TESSERA_KERNEL_B2 || kernel == TESSERA_KERNEL_B4 || kernel == TESSERA_KERNEL_B6) {
    if (values || count != 0) refuse("values are for TESSERA_KERNEL_TABLE");
    values_.clear();
  } else {
    refuse("kernel " + text(std::int64_t{kernel}) + " is not a value of enum tessera_kernel");
  }
  kernel_ = kernel;
}

void tessera_lattice::set_int(int key, std::int64_t value) {
  switch (key) {
    case TESSERA_LATTICE_LEAST:
      require_in_range("TESSERA_LATTICE_LEAST = ", tessera::wrong_least(static_cast<std::uint64_t>(value)));
      least_ = value;
      break;
    case TESSERA_LATTICE_PRECISION:
      require_in_range("TESSERA_LATTICE_PRECISION = ", tessera::wrong_precision(value));
      precision_ = value;
      break;
    case TESSERA_LATTICE_MAX_MEMORY:
      if (value < 0) throw failure(TESSERA_ERR_RANGE, "TESSERA_LATTICE_MAX_MEMORY = " + text(value) + " is negative");
      max_memory_ = value;
      break;
    case TESSERA_LATTICE_DEVICE:
      if (value < any_device || value > std::numeric_limits<int>::max())
        throw failure(TESSERA_ERR_RANGE,
                      "TESSERA_LATTICE_DEVICE = " + text(value) + " is neither -2 nor -1 nor a device");
      device_ = value;
      break;
    default:
      throw failure(TESSERA_ERR_KEY, "key " + text(std::int64_t{key}) + " is not an integer option of a lattice");
  }
}

std::int64_t tessera_lattice::get_int(int key) const {
  switch (key) {
    case TESSERA_LATTICE_LEAST:
      return data_.points > 0 ? static_cast<std::int64_t>(data_.least) : least_;
    case TESSERA_LATTICE_PRECISION:
      return precision_;
    case TESSERA_LATTICE_MAX_MEMORY:
      return max_memory_;
    case TESSERA_LATTICE_NDIM:
      return ndim_;
    case TESSERA_LATTICE_SIZE:
      return static_cast<std::int64_t>(data_.points);
    case TESSERA_LATTICE_ORIGIN:
      return data_.origin;
    case TESSERA_LATTICE_BYTES:
      return bytes_;
    case TESSERA_LATTICE_DEVICE:
      return device_;
    case TESSERA_LATTICE_DEVICE_USED:
      return device_used_;
    default:
      throw failure(TESSERA_ERR_KEY, "key " + text(std::int64_t{key}) + " is not an integer of a lattice");
  }
}

double tessera_lattice::get_real(int key) const {
  switch (key) {
    case TESSERA_LATTICE_MERIT:
      return data_.merit;
    case TESSERA_LATTICE_RATIO:
      return data_.ratio;
    case TESSERA_LATTICE_SECONDS:
      return seconds_;
    case TESSERA_LATTICE_PLAN_SECONDS:
      return plan_seconds_;
    default:
      throw failure(TESSERA_ERR_KEY, "key " + text(std::int64_t{key}) + " is not a real of a lattice");
  }
}

void tessera_lattice::set_progress(tessera_lattice_progress fn, void *userdata) {
  progress_ = fn;
  progress_data_ = userdata;
}

// TESSERA_LATTICE_LEAST for a vector of n points.
std::uint64_t tessera_lattice::checked_least(std::int64_t n) const {
  if (least_ == 0) return 0;
  if (!tessera::is_power_of_two(static_cast<std::uint64_t>(n)))
    refuse("n = " + text(n) + " is not a power of two, as TESSERA_LATTICE_LEAST asks");
  if (least_ > n) refuse("n = " + text(n) + " is below TESSERA_LATTICE_LEAST = " + text(least_));
  return static_cast<std::uint64_t>(least_);
}

void tessera_lattice::take(lattice_data next) {
  data_ = std::move(next);
  ndim_ = static_cast<int>(data_.z.size());
}

// A CUDA ordinal or `host`.
int tessera_lattice::choose_device() const {
  if (device_ != any_device) return static_cast<int>(device_);
  try {
    return tessera::load_device_plugin().device_count() > 0 ? 0 : host;
  } catch (const tessera::device_failure &) {
    return host;
  }
}

// Throws failure, and device_failure where the device cannot be asked.
void tessera_lattice::require_memory(double bytes, std::int64_t n, bool on_host, tessera::place &there) const {
  std::int64_t most = max_memory_;
  if (most == 0 || !on_host) {
    const std::int64_t free = there.memory_to_construct();
    most = most > 0 ? std::min(most, free) : free;
  }
  if (bytes > static_cast<double>(most))
    throw failure(TESSERA_ERR_MEMORY, "a construction with n = " + text(n) + " needs " + text(bytes) + " bytes, and " +
                                          text(static_cast<double>(most)) + " are allowed");
}

void tessera_lattice::construct(std::int64_t n) {
  require_points(n, 3);
  const auto points = static_cast<std::uint64_t>(n);
  const bool two = tessera::is_power_of_two(points);
  if (!two && !tessera::is_prime(points)) {
    std::string message = "n = " + text(n) + " is neither prime nor a power of two; the nearest prime is " +
                          text(tessera::nearest_prime(n, 0));
    message += ", and " + text(tessera::nearest_prime(n, 7)) + " is the nearest that suits FFTs";
    refuse(message);
  }
  tessera::cbc_settings s;
  s.ndim = ndim_;
  s.points = points;
  const std::uint64_t least = checked_least(n);
  for (std::uint64_t p = least > 0 ? least : points; two && p > 1; p /= 2) ++s.least_level;
  s.alpha = kernel_ == TESSERA_KERNEL_TABLE ? 1 : kernel_;
  if (kernel_ == TESSERA_KERNEL_TABLE) {
    if (static_cast<std::int64_t>(values_.size()) != n / 2 + 1)
      refuse("the kernel has " + text(static_cast<std::int64_t>(values_.size())) +
             " values, but n/2 + 1 = " + text(n / 2 + 1));
    s.table = values_;
  }
  s.product = product_;
  s.order = order_;
  const double bytes = tessera::cbc_bytes(s, precision_ == 32 ? sizeof(float) : sizeof(double));
  progress_hooks hooks(progress_, progress_data_);
  tessera::cbc_result result;
  const auto start = std::chrono::steady_clock::now();
  int device = choose_device();
  bool done = false;
  const auto run = [&] {
    const std::unique_ptr<tessera::place> there =
        tessera::open_place(device == host ? std::vector<int>() : std::vector<int>(1, device));
    require_memory(bytes, n, device == host, *there);
    done = there->construct(s, precision_ == 32, hooks, result);
  };
  try {
    try {
      run();
    } catch (const std::exception &e) {  // a device that lacks something and was not insisted on
      if (device == host || device_ != any_device || !lacks_something(e)) throw;
      device = host;
      run();
    }
  } catch (const tessera::fft_missing &e) {
    throw failure(TESSERA_ERR_NOT_BUILT, e.what());
  } catch (const tessera::compile_error &e) {
    throw failure(lacks_something(e) ? TESSERA_ERR_NOT_BUILT : TESSERA_ERR_DEVICE, e.what());
  } catch (const tessera::device_failure &e) {
    throw failure(lacks_something(e) ? TESSERA_ERR_NOT_BUILT : TESSERA_ERR_DEVICE, e.what());
  }
  bytes_ = static_cast<std::int64_t>(bytes);
  if (!done) throw failure(TESSERA_ERR_CALLBACK, "the progress callback stopped the construction" + hooks.thrown);
  if (!std::isfinite(result.merit))
    refuse("product, order: the weights are so large that the worst-case error overflows");
  lattice_data next;
  next.origin = TESSERA_ORIGIN_CONSTRUCTED;
  next.points = points;
  next.least = least;
  next.z = std::move(result.z);
  next.kernel = kernel_;
  next.precision = static_cast<int>(precision_);
  next.merit = result.merit;
  next.ratio = result.ratio;
  next.product = product_;
  next.order = order_;
  take(std::move(next));
  device_used_ = device;
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  plan_seconds_ = seconds_ - result.seconds;
}

void tessera_lattice::korobov(std::int64_t n, std::int64_t a) {
  require_points(n, 2);
  const auto points = static_cast<std::uint64_t>(n);
  if (a < 1 || a >= n) refuse("a = " + text(a) + " is not within 1 .. n-1 = " + text(n - 1));
  if (tessera::common_divisor(static_cast<std::uint64_t>(a), points) != 1)
    refuse("a = " + text(a) + " and n = " + text(n) + " have a common divisor");
  lattice_data next;
  next.origin = TESSERA_ORIGIN_KOROBOV;
  next.points = points;
  next.least = checked_least(n);
  std::uint64_t power = 1;
  for (int j = 0; j < ndim_; ++j) {
    next.z.push_back(power);
    power = power * static_cast<std::uint64_t>(a) % points;
  }
  take(std::move(next));
}

void tessera_lattice::vector(std::int64_t n, const std::int64_t *z) {
  require_points(n, 1);
  if (!z) refuse("z is NULL");
  const auto points = static_cast<std::uint64_t>(n);
  lattice_data next;
  next.origin = TESSERA_ORIGIN_GIVEN;
  next.points = points;
  next.least = checked_least(n);
  for (int j = 0; j < ndim_; ++j) {
    if (z[j] < 1 || (z[j] >= n && n > 1) || (n == 1 && z[j] != 1))
      refuse("z[" + text(std::int64_t{j}) + "] = " + text(z[j]) + " is not within 1 .. n-1 = " + text(n - 1));
    if (tessera::common_divisor(static_cast<std::uint64_t>(z[j]), points) != 1)
      refuse("z[" + text(std::int64_t{j}) + "] = " + text(z[j]) + " and n = " + text(n) + " have a common divisor");
    next.z.push_back(static_cast<std::uint64_t>(z[j]));
  }
  take(std::move(next));
}

void tessera_lattice::builtin() { take(tessera::builtin_lattice(ndim_)); }

void tessera_lattice::get_vector(std::int64_t *z) const {
  if (!z) refuse("z is NULL");
  if (data_.points == 0) refuse("the lattice has no vector yet");
  std::copy(data_.z.begin(), data_.z.end(), z);
}

void tessera_lattice::save(const char *path) const {
  if (!path) refuse("path is NULL");
  if (data_.points == 0) refuse("the lattice has no vector yet");
  std::ofstream file(path);
  file << tessera::write_lattice(data_);
  file.close();
  if (!file) throw failure(TESSERA_ERR_FILE, std::string(path) + " cannot be written");
}

void tessera_lattice::load(const char *path) {
  if (!path) refuse("path is NULL");
  std::string content;
  const std::string why = tessera::read_text_file(path, content);
  if (!why.empty()) throw failure(TESSERA_ERR_FILE, std::string(path) + " " + why);
  try {
    take(tessera::read_lattice(content));
  } catch (const failure &e) {
    throw failure(e.status(), std::string(path) + ": " + e.what());
  }
  // What made it becomes what the next construction starts from.
  product_ = data_.product;
  if (product_.empty()) product_ = default_product(ndim_);
  order_ = data_.order;
  least_ = static_cast<std::int64_t>(data_.least);
  precision_ = data_.precision;
  if (data_.kernel != TESSERA_KERNEL_TABLE) kernel_ = data_.kernel, values_.clear();
}
