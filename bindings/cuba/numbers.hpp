// Numbers one behind the other, for state files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "routine.hpp"

namespace cuba {

class number_writer {
 public:
  template <class Number>
  void put(Number v) {
    numbers_.push_back(static_cast<double>(v));
  }
  void put_all(const std::vector<double> &v) {
    put(v.size());
    numbers_.insert(numbers_.end(), v.begin(), v.end());
  }
  std::vector<double> &numbers() { return numbers_; }

 private:
  std::vector<double> numbers_;
};

class number_reader {
 public:
  explicit number_reader(const std::vector<double> &numbers) : numbers_(numbers) {}
  // Were there as many as have been asked for?
  bool is_good() const { return good_; }
  double get() {
    if (at_ < numbers_.size()) return numbers_[at_++];
    good_ = false;
    return 0.0;
  }
  // A whole number within these bounds.
  int64 get_whole(int64 least, int64 most) {
    const double v = get();
    good_ = good_ && v >= static_cast<double>(least) && v <= static_cast<double>(most) && v == std::floor(v);
    return good_ ? static_cast<int64>(v) : 0;
  }
  int64 get_count() { return get_whole(0, most_counted); }
  std::vector<double> get_all() {
    const int64 n = get_whole(0, static_cast<int64>(numbers_.size()));
    good_ = good_ && n <= static_cast<int64>(numbers_.size() - at_);
    if (!good_) return {};
    const auto from = numbers_.begin() + static_cast<std::ptrdiff_t>(at_);
    at_ += static_cast<std::size_t>(n);
    return {from, from + static_cast<std::ptrdiff_t>(n)};
  }

 private:
  static constexpr int64 most_counted = int64{1} << 52;  // a few of them can be added up
  const std::vector<double> &numbers_;
  std::size_t at_ = 0;
  bool good_ = true;
};

inline void put_results(number_writer &to, const results &r) {
  to.put(r.end.status);
  to.put(r.end.evaluations);
  to.put(r.regions);
  to.put_all(r.value);
  to.put_all(r.error);
  to.put_all(r.prob);
}
inline bool take_results(number_reader &from, results &r) {
  constexpr int64 largest = std::numeric_limits<int>::max();
  r.end.status = static_cast<int>(from.get_whole(-largest, largest));
  r.end.evaluations = from.get_count();
  r.regions = from.get_count();
  const std::vector<double> value = from.get_all(), error = from.get_all(), prob = from.get_all();
  const std::size_t n = r.value.size();
  if (!from.is_good() || value.size() != n || error.size() != n || prob.size() != n) return false;
  r.value = value;
  r.error = error;
  r.prob = prob;
  return true;
}

}  // namespace cuba
