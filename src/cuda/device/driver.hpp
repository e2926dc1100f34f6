// The CUDA driver, opened when first needed, with errors as exceptions, and what must be given back as classes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include <cuda.h>

#include "../../core/hd.hpp"

namespace tessera {

inline std::size_t size(int64 n) { return static_cast<std::size_t>(n); }
template <class T>
T *pointer(CUdeviceptr address) {
  return reinterpret_cast<T *>(address);
}

// No driver, no device, or a call that failed: the message says which.
class device_error : public std::runtime_error {
 public:
  enum class trouble { failed, out_of_memory, missing };  // missing: there is no driver or no such device
  explicit device_error(const std::string &message, trouble what = trouble::failed)
      : std::runtime_error(message), what_(what) {}
  bool out_of_memory() const { return what_ == trouble::out_of_memory; }
  bool missing() const { return what_ == trouble::missing; }

 private:
  trouble what_;
};

struct cuda_driver {
  decltype(&::cuInit) init;
  decltype(&::cuGetErrorString) error_string;
  decltype(&::cuDeviceGetCount) device_count;
  decltype(&::cuDeviceGet) device_get;
  decltype(&::cuDeviceGetAttribute) device_attribute;
  decltype(&::cuDeviceGetName) device_name;
  decltype(&::cuDeviceGetUuid) device_uuid;
  decltype(&::cuDeviceTotalMem) device_memory;
  decltype(&::cuDriverGetVersion) driver_version;
  decltype(&::cuDevicePrimaryCtxRetain) context_retain;
  decltype(&::cuDevicePrimaryCtxRelease) context_release;
  decltype(&::cuCtxPushCurrent) context_push;
  decltype(&::cuCtxPopCurrent) context_pop;
  decltype(&::cuCtxGetId) context_id;
  decltype(&::cuStreamCreate) stream_create;
  decltype(&::cuStreamDestroy) stream_destroy;
  decltype(&::cuStreamSynchronize) stream_synchronize;
  decltype(&::cuStreamQuery) stream_query;
  decltype(&::cuMemAlloc) allocate;
  decltype(&::cuMemFree) release;
  decltype(&::cuMemHostAlloc) host_allocate;
  decltype(&::cuMemFreeHost) host_release;
  decltype(&::cuMemGetInfo) memory_info;
  decltype(&::cuMemsetD8Async) set_bytes;
  decltype(&::cuMemcpyHtoDAsync) upload_in_order;
  decltype(&::cuMemcpyDtoH) download;
  decltype(&::cuMemcpyDtoHAsync) download_in_order;
  decltype(&::cuMemcpy2D) copy_2d;
  decltype(&::cuMemcpyPeerAsync) copy_to_device;
  decltype(&::cuCtxEnablePeerAccess) reach_directly;
  decltype(&::cuLibraryLoadData) library_load;
  decltype(&::cuLibraryUnload) library_unload;
  decltype(&::cuLibraryGetKernel) library_kernel;
  decltype(&::cuLibraryGetGlobal) library_global;
  decltype(&::cuKernelGetFunction) kernel_function;
  decltype(&::cuFuncSetAttribute) function_set;
  decltype(&::cuOccupancyMaxActiveBlocksPerMultiprocessor) occupancy;
  decltype(&::cuLaunchCooperativeKernel) launch_cooperative;
  decltype(&::cuLaunchKernel) launch;
};

// Throws device_error where there is no driver.
const cuda_driver &cuda();

// Throws device_error unless the call succeeded. `what` completes "... failed".
void check(CUresult result, const char *what);

// Copies to the device in the order of a stream: what is launched there afterwards finds it, which holds of no plain copy, for
// a stream may wait for no other. The bytes must live until the stream has come so far.
void upload(CUdeviceptr to, const void *from, std::size_t bytes, CUstream stream, const char *what);

// Makes a context current for as long as it lives, and the caller's again afterwards.
class current_context {
 public:
  explicit current_context(CUcontext context) { check(cuda().context_push(context), "making the device current"); }
  ~current_context() {
    CUcontext popped;
    cuda().context_pop(&popped);
  }
  current_context(const current_context &) = delete;
  current_context &operator=(const current_context &) = delete;
};

// A device's primary context, which the CUDA runtime uses too. Starting it takes a tenth of a second or more, so once started
// it stays until the process ends, unless an integrand has broken it: then it goes with its last user, and the next one gets another.
class primary_context {
 public:
  explicit primary_context(CUdevice device);
  ~primary_context();
  primary_context(const primary_context &) = delete;
  primary_context &operator=(const primary_context &) = delete;
  CUcontext get() const { return context_; }

 private:
  const CUdevice device_;
  CUcontext context_ = nullptr;
};

// Compiled kernels in the current context, with their constants.
class loaded_library {
 public:
  loaded_library() = default;
  ~loaded_library() {
    if (library_) cuda().library_unload(library_);
  }
  loaded_library(const loaded_library &) = delete;
  loaded_library &operator=(const loaded_library &) = delete;
  void load(const void *image, const char *what);  // once
  CUfunction function(const char *name) const;
  CUdeviceptr global(const char *name, std::size_t bytes) const;

 private:
  CUlibrary library_ = nullptr;
};

// Bytes of the blocks of memory below that were allocated, by any thread, while one of its scopes lived there. It must outlive them.
class memory_count {
 public:
  class scope {
   public:
    explicit scope(memory_count &count) : outer_(current_) { current_ = &count; }
    ~scope() { current_ = outer_; }
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;

   private:
    memory_count *const outer_;
  };
  std::size_t bytes() const { return bytes_; }

  static memory_count *add(std::size_t bytes) {
    if (current_) current_->bytes_ += bytes;
    return current_;
  }
  static void remove(memory_count *from, std::size_t bytes) {
    if (from) from->bytes_ -= bytes;
  }

 private:
  static thread_local memory_count *current_;
  std::atomic<std::size_t> bytes_{0};
};

// A block of device memory that grows and keeps no content.
class device_memory {
 public:
  device_memory() = default;
  ~device_memory() { clear(); }
  device_memory(device_memory &&other) noexcept { *this = std::move(other); }
  device_memory &operator=(device_memory &&other) noexcept {
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    std::swap(counted_, other.counted_);
    return *this;
  }

  CUdeviceptr address() const { return address_; }
  std::size_t bytes() const { return bytes_; }
  void require(std::size_t bytes) {
    if (bytes <= bytes_) return;
    clear();
    check(cuda().allocate(&address_, bytes), "allocating device memory");
    bytes_ = bytes;
    counted_ = memory_count::add(bytes);
  }
  void clear() {
    if (!address_) return;
    cuda().release(address_);
    memory_count::remove(counted_, bytes_);
    address_ = 0;
    bytes_ = 0;
  }

 private:
  CUdeviceptr address_ = 0;
  std::size_t bytes_ = 0;
  memory_count *counted_ = nullptr;
};

// Throws bad_alloc where the device has no memory left.
void allocate(device_memory &m, std::size_t bytes);

// Waits a while until there(), for what a kernel in the stream writes to the host's memory: that is there some microseconds before the driver hears that the kernel is through.
// False: it is not, and the kernel is to be waited for.
template <class There>
bool is_soon(const There &there, CUstream stream) {
  constexpr int looks = 10000;  // between two questions to the driver
  constexpr std::chrono::milliseconds patience(1);
  const auto from = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < looks; ++i)
      if (there()) return true;
  } while (cuda().stream_query(stream) == CUDA_ERROR_NOT_READY && std::chrono::steady_clock::now() - from < patience);
  return false;
}
// Or the kernel itself.
template <class There>
void wait_until(const There &there, CUstream stream) {
  if (!is_soon(there, stream)) check(cuda().stream_synchronize(stream), "the kernel");
}
// That a word is set, which a kernel sets behind all else that it writes.
inline void wait_for_word(const int *word, CUstream stream) {
  wait_until([word] { return __atomic_load_n(word, __ATOMIC_ACQUIRE) != 0; }, stream);
}

// Host memory that the device reads and writes under the same address.
class mapped_memory {
 public:
  mapped_memory() = default;
  mapped_memory(const mapped_memory &) = delete;
  mapped_memory &operator=(const mapped_memory &) = delete;
  ~mapped_memory() { clear(); }
  void *address() const { return address_; }
  std::size_t bytes() const { return bytes_; }
  void require(std::size_t bytes) {
    if (bytes <= bytes_) return;
    clear();
    check(cuda().host_allocate(&address_, bytes, CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE),
          "allocating page-locked memory");
    bytes_ = bytes;
    counted_ = memory_count::add(bytes);
  }

 private:
  void clear() {
    if (!address_) return;
    cuda().host_release(address_);
    memory_count::remove(counted_, bytes_);
    address_ = nullptr;
    bytes_ = 0;
  }

  void *address_ = nullptr;
  std::size_t bytes_ = 0;
  memory_count *counted_ = nullptr;
};

}  // namespace tessera
