// SPDX-License-Identifier: BSD-3-Clause
#include "driver.hpp"

#include <map>
#include <mutex>

#include <dlfcn.h>

// cuda.h gives some functions another name by a macro; the library knows only that one.
#define TESSERA_NAME_OF(name) TESSERA_TEXT_OF(name)
#define TESSERA_TEXT_OF(name) #name
#define TESSERA_BIND(member, name) bind(handle, t.member, TESSERA_NAME_OF(name))

namespace tessera {
namespace {

template <class F>
void bind(void *handle, F &function, const char *name) {
  void *address = ::dlsym(handle, name);
  if (!address)
    throw device_error(std::string("the CUDA driver has no function ") + name + ": it is too old",
                       device_error::trouble::missing);
  function = reinterpret_cast<F>(address);
}

cuda_driver open_driver() {
  void *handle = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw device_error("there is no CUDA driver (libcuda.so.1): install NVIDIA's driver",
                       device_error::trouble::missing);
  cuda_driver t{};
  TESSERA_BIND(init, cuInit);
  TESSERA_BIND(error_string, cuGetErrorString);
  TESSERA_BIND(device_count, cuDeviceGetCount);
  TESSERA_BIND(device_get, cuDeviceGet);
  TESSERA_BIND(device_attribute, cuDeviceGetAttribute);
  TESSERA_BIND(device_name, cuDeviceGetName);
  TESSERA_BIND(device_uuid, cuDeviceGetUuid);
  TESSERA_BIND(device_memory, cuDeviceTotalMem);
  TESSERA_BIND(driver_version, cuDriverGetVersion);
  TESSERA_BIND(context_retain, cuDevicePrimaryCtxRetain);
  TESSERA_BIND(context_release, cuDevicePrimaryCtxRelease);
  TESSERA_BIND(context_push, cuCtxPushCurrent);
  TESSERA_BIND(context_pop, cuCtxPopCurrent);
  TESSERA_BIND(context_id, cuCtxGetId);
  TESSERA_BIND(stream_create, cuStreamCreate);
  TESSERA_BIND(stream_destroy, cuStreamDestroy);
  TESSERA_BIND(stream_synchronize, cuStreamSynchronize);
  TESSERA_BIND(stream_query, cuStreamQuery);
  TESSERA_BIND(allocate, cuMemAlloc);
  TESSERA_BIND(release, cuMemFree);
  TESSERA_BIND(host_allocate, cuMemHostAlloc);
  TESSERA_BIND(host_release, cuMemFreeHost);
  TESSERA_BIND(memory_info, cuMemGetInfo);
  TESSERA_BIND(set_bytes, cuMemsetD8Async);
  TESSERA_BIND(upload_in_order, cuMemcpyHtoDAsync);
  TESSERA_BIND(download, cuMemcpyDtoH);
  TESSERA_BIND(download_in_order, cuMemcpyDtoHAsync);
  TESSERA_BIND(copy_2d, cuMemcpy2D);
  TESSERA_BIND(copy_to_device, cuMemcpyPeerAsync);
  TESSERA_BIND(reach_directly, cuCtxEnablePeerAccess);
  TESSERA_BIND(library_load, cuLibraryLoadData);
  TESSERA_BIND(library_unload, cuLibraryUnload);
  TESSERA_BIND(library_kernel, cuLibraryGetKernel);
  TESSERA_BIND(library_global, cuLibraryGetGlobal);
  TESSERA_BIND(kernel_function, cuKernelGetFunction);
  TESSERA_BIND(function_set, cuFuncSetAttribute);
  TESSERA_BIND(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor);
  TESSERA_BIND(launch_cooperative, cuLaunchCooperativeKernel);
  TESSERA_BIND(launch, cuLaunchKernel);
  return t;
}

}  // namespace

const cuda_driver &cuda() {
  static const cuda_driver driver = [] {
    const cuda_driver t = open_driver();
    const CUresult r = t.init(0);
    if (r != CUDA_SUCCESS) {
      const char *text = nullptr;
      t.error_string(r, &text);
      throw device_error(std::string("the CUDA driver does not start: ") + (text ? text : "unknown error"),
                         device_error::trouble::missing);
    }
    return t;
  }();
  return driver;
}

void check(CUresult result, const char *what) {
  if (result == CUDA_SUCCESS) return;
  const char *text = nullptr;
  cuda().error_string(result, &text);
  throw device_error(
      std::string(what) + " failed: " + (text ? text : "unknown error"),
      result == CUDA_ERROR_OUT_OF_MEMORY ? device_error::trouble::out_of_memory : device_error::trouble::failed);
}

namespace {

struct started_device {
  int users = 0;
  bool kept = false;
};
std::mutex started_mutex;
std::map<CUdevice, started_device> &started() {
  static auto *devices =
      new std::map<CUdevice, started_device>;  // outlives objects that a program destroys when it ends
  return *devices;
}

bool is_broken(CUcontext context) {
  if (cuda().context_push(context) != CUDA_SUCCESS) return true;
  std::size_t free = 0, total = 0;
  const bool broken = cuda().memory_info(&free, &total) != CUDA_SUCCESS;
  CUcontext popped;
  cuda().context_pop(&popped);
  return broken;
}

}  // namespace

thread_local memory_count *memory_count::current_ = nullptr;

primary_context::primary_context(CUdevice device) : device_(device) {
  const std::lock_guard<std::mutex> lock(started_mutex);
  check(cuda().context_retain(&context_, device), "starting the device");
  started_device &d = started()[device];
  CUcontext again;
  if (!d.kept) d.kept = cuda().context_retain(&again, device) == CUDA_SUCCESS;
  ++d.users;
}

primary_context::~primary_context() {
  const std::lock_guard<std::mutex> lock(started_mutex);
  started_device &d = started()[device_];
  if (--d.users == 0 && d.kept && is_broken(context_)) {
    cuda().context_release(device_);
    d.kept = false;
  }
  cuda().context_release(device_);
}

void loaded_library::load(const void *image, const char *what) {
  check(cuda().library_load(&library_, image, nullptr, nullptr, 0, nullptr, nullptr, 0), what);
}

CUfunction loaded_library::function(const char *name) const {
  CUkernel kernel;
  CUfunction f;
  check(cuda().library_kernel(&kernel, library_, name), "finding the kernel");
  check(cuda().kernel_function(&f, kernel), "finding the kernel");
  return f;
}

CUdeviceptr loaded_library::global(const char *name, std::size_t bytes) const {
  CUdeviceptr address = 0;
  std::size_t there = 0;
  check(cuda().library_global(&address, &there, library_, name), "finding a constant of the kernel");
  if (there < bytes) throw device_error(std::string(name) + " has another size on the device");
  return address;
}

void allocate(device_memory &m, std::size_t bytes) {
  try {
    m.require(bytes);
  } catch (const device_error &e) {
    if (e.out_of_memory()) throw std::bad_alloc();
    throw;
  }
}

void upload(CUdeviceptr to, const void *from, std::size_t bytes, CUstream stream, const char *what) {
  check(cuda().upload_in_order(to, from, bytes, stream), what);
}

}  // namespace tessera
