// Executor of the engine on one device: buffers that live as long as the session, and the launch of the steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "../../engine/cubature/bulk.hpp"
#include "batch.hpp"
#include "device_problem.hpp"
#include "kernel.hpp"
#include "places_ahead.hpp"
#include "step_sharing.hpp"
#include "../sparse/sparse.hpp"

namespace tessera {

// Where a line that looked for break points came to values that are not finite: its number, and a coordinate of the axis that it goes along.
struct hole_on_line {
  int line, axis;
  double at;
};

class cuda_executor {
 public:
  static constexpr int64 pause_after = 4000000000;  // evaluations: some tens of milliseconds
  static constexpr int64 first_regions = 1 << 17;
  static constexpr int64 first_look = 1 << 18;  // evaluations

  explicit cuda_executor(CUstream stream, step_sharing &sharing) : stream_(stream), sharing_(sharing) {}
  void use_stream(CUstream stream) { stream_ = stream; }

  // Begins a run with a kernel; the buffers made during it reuse the memory of earlier runs, in the order they are made.
  void begin(const loaded_kernel &kernel, CUdeviceptr params) {
    begin(&kernel, nullptr);
    params_ = params;
  }
  // The same with an integrand that the caller's program launches.
  void begin(batch_run &batch) { begin(nullptr, &batch); }
  // Of the last run with a kernel: centre[ndim] and half[ndim] of a region where a sum was not finite (empty: none),
  // tessera_flags and tessera_status.
  const std::vector<double> &failed_box() const { return failed_box_; }
  // Where lines through it, or through other regions, may have been the ones that came to such values.
  const std::vector<hole_on_line> &holes() const { return holes_; }
  int flags() const { return flags_; }
  int status() const { return status_; }

  template <class T>
  class buffer {
   public:
    explicit buffer(cuda_executor &e) : memory_(e.next_device()) {}
    T *data() { return reinterpret_cast<T *>(memory_.address()); }
    void resize(int64 n) {
      const std::size_t before = memory_.bytes();
      try {
        require_or_bad_alloc(memory_, static_cast<std::size_t>(n) * sizeof(T));
      } catch (const std::bad_alloc &) {
        require_or_bad_alloc(memory_, before);  // as large as it was
        throw;
      }
    }
    device_memory &memory() { return memory_; }

   private:
    device_memory &memory_;
  };

  template <class T>
  class shared_buffer {
   public:
    explicit shared_buffer(cuda_executor &e) : memory_(e.next_mapped()) {}
    T *data() { return static_cast<T *>(memory_.address()); }
    void resize(int64 n) { memory_.require(static_cast<std::size_t>(n) * sizeof(T)); }

   private:
    mapped_memory &memory_;
  };

  static region_view arrange(double *base, int ndim, int ncomp, int64 capacity) {
    return arrange_by_field(base, ndim, ncomp, capacity);
  }

  // Returns the capacity, which may be more than was asked for.
  static int64 grow_regions(buffer<double> &b, int fields, int64 old_capacity, int64 capacity, int64 used) {
    const std::size_t row = sizeof(double);
    if (used == 0) {
      b.resize(capacity * fields);
      return static_cast<int64>(b.memory().bytes() / row) / fields;
    }
    device_memory larger_block;
    require_or_bad_alloc(larger_block, static_cast<std::size_t>(capacity * fields) * row);
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = b.memory().address();
    copy.srcPitch = static_cast<std::size_t>(old_capacity) * row;
    copy.dstDevice = larger_block.address();
    copy.dstPitch = static_cast<std::size_t>(capacity) * row;
    copy.WidthInBytes = static_cast<std::size_t>(used) * row;
    copy.Height = static_cast<std::size_t>(fields);
    check(cuda().copy_2d(&copy), "moving the regions to more memory");
    check(cuda().stream_synchronize(nullptr),
          "moving the regions to more memory");  // no other stream waits for the copy
    b.memory() = static_cast<device_memory &&>(larger_block);
    return capacity;
  }

  void agree_on_room(int64 &regions, int64 &parents, bool &there) const {
    sharing_.agree_on_room(regions, parents, there);
  }

  // Where regions with the largest errors are looked for: asked for at the first such question of a run.
  using find_kernels = std::function<const sparse_kernels &()>;
  void look_with(find_kernels find) { find_kernels_of_looks_ = std::move(find); }
  places_ahead &ahead() { return ahead_; }
  std::vector<double> largest_errors(const region_view &s, int64 n, int wanted, const double *weight) {
    return find_kernels_of_looks_().largest_errors(s, n, wanted, weight, answer_, stream_);
  }

  // Copies from the device between two launches, and to it before the next one.
  static void fetch(void *here, const void *there, std::size_t bytes) {
    check(cuda().download(here, reinterpret_cast<CUdeviceptr>(there), bytes), "reading the state of a run");
  }
  void put(void *there, const void *here, std::size_t bytes) const {
    upload(reinterpret_cast<CUdeviceptr>(there), here, bytes, stream_, "writing the state of a run");
    check(cuda().stream_synchronize(stream_), "writing the state of a run");
  }
  template <class Body>
  static void each_stretch(const region_view &s, int64 n, const Body &body) {
    for (int f = 0; f < s.fields(); ++f) body(&s.field(0, f), n);
  }

  std::size_t held_bytes() const {
    std::size_t n = 0;
    for (const device_memory &m : device_) n += m.bytes();
    return n;
  }

  // Of the slices of rules that a launch takes.
  static int64 slice_bytes(const loaded_kernel &kernel) {
    return slices_of(kernel) * static_cast<int64>(kernel.slice_bytes());
  }

  void run_bulk(bulk_state &state);

  // A part of the pending regions: the first n of a list in a store on this device.
  void start_part(const bulk_state &state, const region_view &regions, const region_list &list, int64 n);
  struct answer {
    int flags, status;  // tessera_flags and tessera_status, which stay in the kernel
    outcome end;        // of calls of the caller's program
  };
  answer end_part();
  // Before the steps go on: what it has said here and elsewhere.
  void tell(const answer &all);
  int64 *failed();
  const step_packing &packing() const { return batch_ ? batch_->packing() : kernel_->packing(); }
  // After an exception, of which parts may have been left over.
  void forget_parts() { control_.clear(); }

 private:
  static int64 slices_of(const loaded_kernel &kernel) { return int64{kernel.steps().grid} * kernel.steps().block / 32; }
  device_problem make_problem(const bulk_state &state);
  void launch_steps(bulk_state &state, int64 regions);
  int64 least_regions() const;
  void begin(const loaded_kernel *kernel, batch_run *batch) {
    ahead_.end();  // of a run that an exception has ended
    kernel_ = kernel;
    batch_ = batch;
    failed_box_.clear();
    holes_.clear();
    flags_ = status_ = 0;
    look_ = first_look;
    device_used_ = mapped_used_ = 0;
  }
  device_memory &next_device() {
    if (device_used_ == device_.size()) device_.emplace_back();
    return device_[device_used_++];
  }
  mapped_memory &next_mapped() {
    if (mapped_used_ == mapped_.size()) mapped_.emplace_back();
    return mapped_[mapped_used_++];
  }

  CUstream stream_;
  step_sharing &sharing_;
  const loaded_kernel *kernel_ = nullptr;
  batch_run *batch_ = nullptr;  // or this
  CUdeviceptr params_ = 0;
  std::deque<device_memory> device_;
  std::deque<mapped_memory> mapped_;
  std::size_t device_used_ = 0, mapped_used_ = 0;
  device_memory control_, slices_;
  mapped_memory result_, answer_;
  find_kernels find_kernels_of_looks_;
  places_ahead ahead_;
  std::vector<double> failed_box_;
  std::vector<hole_on_line> holes_;
  int flags_ = 0, status_ = 0;
  int64 look_ = 0;  // evaluations of a launch where there are other devices, so that the pace is seen in time
  outcome part_end_ = outcome::running;
  answer told_ = {};  // lives on while the copy waits for its turn
};

}  // namespace tessera
