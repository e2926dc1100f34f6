// Numbers one behind the other, for state files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
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
  std::vector<double> get_all() {
    const double n = get();
    good_ = good_ && n >= 0.0 && n <= static_cast<double>(numbers_.size() - at_);
    if (!good_) return {};
    const auto from = numbers_.begin() + static_cast<std::ptrdiff_t>(at_);
    at_ += static_cast<std::size_t>(n);
    return {from, from + static_cast<std::ptrdiff_t>(n)};
  }

 private:
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
  r.end.status = static_cast<int>(from.get());
  r.end.evaluations = static_cast<int64>(from.get());
  r.regions = static_cast<int64>(from.get());
  const std::vector<double> value = from.get_all(), error = from.get_all(), prob = from.get_all();
  const std::size_t n = r.value.size();
  if (!from.is_good() || value.size() != n || error.size() != n || prob.size() != n) return false;
  r.value = value;
  r.error = error;
  r.prob = prob;
  return true;
}

}  // namespace cuba
