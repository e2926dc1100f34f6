// Compiled kernels that stay for the next run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <list>
#include <memory>
#include <string>
#include <utility>

#include "../../place.hpp"

namespace tessera {

// Kernels by the key of what they were made for, last used first.
template <class Kernels>
class kept_kernels {
 public:
  explicit kept_kernels(std::size_t most) : most_(most) {}

  // make() gives a std::unique_ptr<Kernels>, where there are none with this key.
  template <class Make>
  Kernels &find(const std::string &key, device_report &report, const Make &make) {
    for (auto k = kept_.begin(); k != kept_.end(); ++k)
      if (k->first == key) {
        kept_.splice(kept_.begin(), kept_, k);
        return *kept_.front().second;
      }
    std::unique_ptr<Kernels> kernels = make();
    report.compile_seconds += kernels->module().seconds;
    if (kept_.size() >= most_) kept_.pop_back();
    kept_.emplace_front(key, std::move(kernels));
    return *kept_.front().second;
  }

 private:
  const std::size_t most_;
  std::list<std::pair<std::string, std::unique_ptr<Kernels>>> kept_;
};

}  // namespace tessera
