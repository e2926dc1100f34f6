// What the ranks of a run must have in common, as numbers that can be compared: one for each matter, by its name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

// FNV-1a (Fowler, Noll and Vo) over 64 bits, of bytes in their order.
class fingerprint {
 public:
  fingerprint &add(const void *data, std::size_t n) {
    const auto *bytes = static_cast<const unsigned char *>(data);
    for (std::size_t i = 0; i < n; ++i) hash_ = (hash_ ^ bytes[i]) * 0x100000001b3u;
    return *this;
  }
  template <class Number>
  fingerprint &add(Number v) {
    return add(&v, sizeof v);
  }
  fingerprint &add(const std::string &s) { return add(s.size()).add(s.data(), s.size()); }
  template <class T>
  fingerprint &add(const std::vector<T> &v) {
    return add(v.size()).add(v.data(), v.size() * sizeof(T));
  }
  // n of them, or that there are none.
  template <class T>
  fingerprint &add_array(const T *v, std::size_t n) {
    return add(v != nullptr).add(v, v ? n * sizeof(T) : 0);
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

class signature {
 public:
  void add(std::string name, const fingerprint &f) {
    names_.push_back(std::move(name));
    values_.push_back(f.value());
  }
  const std::vector<std::uint64_t> &values() const { return values_; }
  const std::string &name(std::size_t i) const { return names_[i]; }
  std::uint64_t all() const { return fingerprint().add(values_).value(); }

 private:
  std::vector<std::string> names_;
  std::vector<std::uint64_t> values_;
};

}  // namespace tessera
