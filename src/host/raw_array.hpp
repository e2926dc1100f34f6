// Numbers that are written before they are read: nothing is done with the memory at first, of which large parts may never be needed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>

namespace tessera {

class raw_array {
 public:
  // What there was is lost. Throws bad_alloc.
  void resize(std::size_t n) {
    data_.reset();
    size_ = 0;
    data_.reset(new double[n]);
    size_ = n;
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  double *data() const { return data_.get(); }
  double *begin() const { return data_.get(); }
  double &operator[](std::size_t i) const { return data_[i]; }

 private:
  std::unique_ptr<double[]> data_;
  std::size_t size_ = 0;
};

}  // namespace tessera
