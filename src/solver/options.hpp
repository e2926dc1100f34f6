// The option table and the values of one solver.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

enum class key_kind { option_int, option_real, statistic_int, statistic_real };

struct key_entry {
  int key;
  const char *name;
  key_kind kind;
  std::int64_t int_default, int_least, int_greatest;
  double real_default, real_least, real_greatest;
};

// NULL where there is no such key.
const key_entry *find_key(int key);
// Of a number within the bounds of an integer option; some options have gaps.
bool is_value(int key, std::int64_t v);

class option_values {
 public:
  option_values();
  void reset();             // all options to their defaults; statistics stay
  void reset_statistics();  // to 0
  std::int64_t get_int(int key) const { return ints_[place(key)]; }
  double get_real(int key) const { return reals_[place(key)]; }
  void set_int(int key, std::int64_t v) { ints_[place(key)] = v; }
  void set_real(int key, double v) { reals_[place(key)] = v; }

 private:
  static std::size_t place(int key);
  std::vector<std::int64_t> ints_;
  std::vector<double> reals_;
};

struct status_entry {
  int status;
  const char *text;  // "NAME: meaning"
};
const char *status_text(int status);

}  // namespace tessera
