// Generating vectors. SPDX-License-Identifier: BSD-3-Clause
#include <numeric>

#include "api_fuzzer.hpp"

namespace fuzz {
namespace {

constexpr int all_keys[] = {TESSERA_LATTICE_LEAST,
                            TESSERA_LATTICE_PRECISION,
                            TESSERA_LATTICE_MAX_MEMORY,
                            TESSERA_LATTICE_DEVICE,
                            TESSERA_LATTICE_NDIM,
                            TESSERA_LATTICE_SIZE,
                            TESSERA_LATTICE_ORIGIN,
                            TESSERA_LATTICE_BYTES,
                            TESSERA_LATTICE_DEVICE_USED,
                            TESSERA_LATTICE_MERIT,
                            TESSERA_LATTICE_RATIO,
                            TESSERA_LATTICE_SECONDS,
                            TESSERA_LATTICE_PLAN_SECONDS,
                            0,
                            100,
                            499,
                            560};
constexpr std::int64_t most_points = 2048;  // of a vector that is constructed, or that a run has

}  // namespace

int api_fuzzer::lattice_progress(std::int64_t done, std::int64_t all, void *userdata) {
  auto *self = static_cast<api_fuzzer *>(userdata);
  if (done < 0 || done > all) fail(self->thread_, "the progress of a construction");
  return --self->progress_left_ < 0;
}

void api_fuzzer::use_lattice() {
  if (!lattice_ || r_.one_in(10)) {
    tessera_lattice_destroy(lattice_);
    const int n = r_.one_in(10) ? r_.odd_small_int() : ndim_ + static_cast<int>(r_.between(0, 2));
    const int status = call("tessera_lattice_create", [&] { return tessera_lattice_create(&lattice_, n); });
    require((status == TESSERA_OK) == (n >= 1 && n <= 1024) && (lattice_ != nullptr) == (status == TESSERA_OK),
            "a lattice and its limits");
    if (!lattice_) return;
  }
  for (int i = static_cast<int>(r_.between(1, 3)); i > 0; --i) r_.one_in(2) ? make_vector() : set_lattice_options();
  std::int64_t size = 0, n = 0;
  tessera_lattice_get_int(lattice_, TESSERA_LATTICE_SIZE, &size);
  tessera_lattice_get_int(lattice_, TESSERA_LATTICE_NDIM, &n);
  std::vector<std::int64_t> z(static_cast<std::size_t>(n), -5);
  if (lattice_call("tessera_lattice_get_vector", [&] { return tessera_lattice_get_vector(lattice_, z.data()); }) ==
      TESSERA_OK)
    for (const std::int64_t c : z)
      require(c >= 1 && (c < size || size == 1) && std::gcd(c, size) == 1, "a component of a vector");
  else
    require(z[0] == -5, "an output is left alone");
  std::int64_t origin = 0;
  tessera_lattice_get_int(lattice_, TESSERA_LATTICE_ORIGIN, &origin);
  if (size <= most_points || origin == TESSERA_ORIGIN_BUILTIN) {  // two shifts of the smallest rule are always made
    tessera_lattice *const l = r_.one_in(9) ? nullptr : lattice_;
    const int status = solver_call("tessera_set_lattice", [&] { return tessera_set_lattice(solver_, l); });
    if (status == TESSERA_OK) {
      small_vector_ = l && size <= most_points;
      integrate();
    }
  }
}

void api_fuzzer::make_vector() {
  std::int64_t n = 0;
  tessera_lattice_get_int(lattice_, TESSERA_LATTICE_NDIM, &n);
  const std::string path = directory_ + "/lattice" + std::to_string(thread_);
  const std::int64_t odd = r_.odd_int(), points = r_.one_in(3) && (odd < 2 || odd > std::int64_t{1} << 33)
                                                      ? odd
                                                      : r_.between(1, most_points);
  switch (r_.between(0, 6)) {
    case 0:
      lattice_call("tessera_lattice_construct", [&] {
        return tessera_lattice_construct(lattice_, r_.one_in(2) ? std::int64_t{1} << r_.between(0, 11) : points);
      });
      break;
    case 1:
      lattice_call("tessera_lattice_korobov",
                   [&] { return tessera_lattice_korobov(lattice_, r_.one_in(3) ? odd : points, r_.odd_int()); });
      break;
    case 2: {
      std::vector<std::int64_t> z(static_cast<std::size_t>(n));
      for (std::int64_t &c : z) c = r_.one_in(30) ? r_.odd_int() : 2 * r_.between(0, most_points / 4) + 1;
      lattice_call("tessera_lattice_vector", [&] {
        return tessera_lattice_vector(lattice_, r_.one_in(2) ? most_points : points,
                                      r_.one_in(20) ? nullptr : z.data());
      });
      break;
    }
    case 3:
      lattice_call("tessera_lattice_builtin", [&] { return tessera_lattice_builtin(lattice_); });
      break;
    case 4:
      if (lattice_call("tessera_lattice_save", [&] { return tessera_lattice_save(lattice_, path.c_str()); }) ==
          TESSERA_OK)
        require(lattice_call("tessera_lattice_load", [&] { return tessera_lattice_load(lattice_, path.c_str()); }) ==
                    TESSERA_OK,
                "a vector that was saved is loaded");
      break;
    case 5:
      lattice_call("tessera_lattice_load",
                   [&] { return tessera_lattice_load(lattice_, r_.one_in(2) ? nullptr : "/no/such/file"); });
      break;
    default: {
      std::int64_t prime = -5;
      const std::int64_t near = r_.one_in(2) ? odd : r_.between(3, 100000);
      if (call("tessera_lattice_prime",
               [&] { return tessera_lattice_prime(near, r_.one_in(2) ? r_.odd_int() : 7, &prime); }) == TESSERA_OK)
        require(prime >= 3 && prime < std::int64_t{1} << 32 && prime % 2 == 1, "a prime");
      else
        require(prime == -5, "an output is left alone");
    }
  }
}

void api_fuzzer::set_lattice_options() {
  std::int64_t n = 0;
  tessera_lattice_get_int(lattice_, TESSERA_LATTICE_NDIM, &n);
  switch (r_.between(0, 4)) {
    case 0: {
      const std::vector<double> product = odd_reals(static_cast<std::size_t>(n)), good(product.size(), 0.5);
      const std::vector<double> order = odd_reals(static_cast<std::size_t>(r_.between(1, 4)));
      lattice_call("tessera_lattice_set_weights", [&] {
        return tessera_lattice_set_weights(lattice_,
                                           r_.one_in(3)   ? nullptr
                                           : r_.one_in(2) ? good.data()
                                                          : product.data(),
                                           r_.one_in(2) ? 0 : static_cast<int>(order.size()),
                                           r_.one_in(2) ? nullptr : order.data());
      });
      break;
    }
    case 1: {
      const std::vector<double> values = odd_reals(static_cast<std::size_t>(r_.between(1, 40)));
      const bool table = r_.one_in(2);
      const int kernel = r_.one_in(3) ? r_.odd_small_int()
                         : table      ? TESSERA_KERNEL_TABLE
                                      : static_cast<int>(r_.between(1, 3));
      const std::int64_t count = table ? static_cast<std::int64_t>(values.size()) : 0;
      lattice_call("tessera_lattice_set_kernel", [&] {
        return tessera_lattice_set_kernel(lattice_, kernel, table ? values.data() : nullptr, count);
      });
      break;
    }
    case 2: {
      const int key = r_.of(all_keys);
      const std::int64_t value = r_.odd_int();
      if (key != TESSERA_LATTICE_DEVICE || value < 0)
        lattice_call("tessera_lattice_set_int", [&] { return tessera_lattice_set_int(lattice_, key, value); });
      if (r_.one_in(2))
        lattice_call("tessera_lattice_set_int",
                     [&] { return tessera_lattice_set_int(lattice_, TESSERA_LATTICE_LEAST, r_.between(0, 4)); });
      tessera_lattice_set_int(lattice_, TESSERA_LATTICE_DEVICE, -1);
      break;
    }
    case 3: {
      std::int64_t i = -77;
      double v = untouched();
      const int key = r_.of(all_keys);
      if (lattice_call("tessera_lattice_get_int", [&] { return tessera_lattice_get_int(lattice_, key, &i); }) < 0)
        require(i == -77, "an output is left alone");
      if (lattice_call("tessera_lattice_get_real", [&] { return tessera_lattice_get_real(lattice_, key, &v); }) < 0)
        require(is_untouched(v), "an output is left alone");
      call("tessera_lattice_last_error",
           [&] { return tessera_lattice_last_error(lattice_) ? 0 : TESSERA_ERR_INTERNAL; });
      break;
    }
    default:
      progress_left_ = static_cast<int>(r_.between(0, 30));
      lattice_call("tessera_lattice_set_progress", [&] {
        return tessera_lattice_set_progress(lattice_, r_.one_in(2) ? nullptr : lattice_progress, this);
      });
  }
}

}  // namespace fuzz
