// Numbers for the fuzzers: functions of a seed alone, and odd ones more often than chance would have them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

namespace fuzz {

class dice {
 public:
  dice(std::uint64_t seed, std::uint64_t trial)
      : state_(seed * 0x9e3779b97f4a7c15ull ^ (trial + 1) * 0xd1342543de82ef95ull) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
  // least .. greatest
  std::int64_t between(std::int64_t least, std::int64_t greatest) {
    return least + static_cast<std::int64_t>(bits() % (static_cast<std::uint64_t>(greatest - least) + 1));
  }
  bool one_in(int n) { return between(1, n) == 1; }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  template <class T, std::size_t n>
  const T &of(const T (&list)[n]) {
    return list[bits() % n];
  }

  double odd_real() {
    static const double list[] = {0.0,     -0.0,     1.0,       -1.0,    0.5,      2.0,     1e-17,    1.0 + DBL_EPSILON,
                                  NAN,     INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_MIN, -DBL_MIN, 5e-324,
                                  -5e-324, 1e-300,   1e300,     1e154,   1e-160,   3.14};
    switch (between(0, 3)) {
      case 0: {
        const std::uint64_t word = bits();
        double v;
        std::memcpy(&v, &word, sizeof v);
        return v;
      }
      case 1:
        return std::ldexp(uniform() - 0.5, static_cast<int>(between(-40, 40)));
      default:
        return of(list);
    }
  }
  std::int64_t odd_int() {
    static const std::int64_t list[] = {INT64_MIN,
                                        INT64_MAX,
                                        INT64_MAX - 1,
                                        INT32_MIN,
                                        INT32_MAX,
                                        std::int64_t{1} << 32,
                                        std::int64_t{1} << 53,
                                        std::int64_t{1} << 62,
                                        -2,
                                        -1,
                                        0,
                                        1,
                                        2,
                                        3,
                                        64,
                                        1024};
    switch (between(0, 2)) {
      case 0:
        return static_cast<std::int64_t>(bits());
      case 1:
        return between(-3, 70);
      default:
        return of(list);
    }
  }
  int odd_small_int() {
    const std::int64_t v = odd_int();
    return v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : static_cast<int>(v);
  }

 private:
  std::uint64_t state_;
};

}  // namespace fuzz
