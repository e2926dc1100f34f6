// Stands in for libcuda.so.1: several devices, whose kernels of lattice rules, Monte Carlo, cubature and one variable are run by the host on one integrand, that of
// tests/parity/device_runs.h. Kernels run when they are launched. What belongs to another device than the current one, or to none, is refused.
//   FAKE_CUDA_NDIM, FAKE_CUDA_NCOMP     what the kernels are compiled for, which cannot be read from them
//   FAKE_CUDA_POINT_SECONDS             that a point of cubature takes besides
//   FAKE_CUDA_TURNS                     of an integral in a slot in a launch, at most
//   FAKE_CUDA_BROKEN_DEVICE             on which every launch fails
//   FAKE_CUDA_CONTEXT                   another number: the program has reset the devices
//   FAKE_CUDA_LOG_MEMORY                of a device, in bytes
//   FAKE_CUDA_FREE_BYTES                that a device is said to have, of 2^33
//   FAKE_CUDA_LARGEST_BLOCK             bytes; there is no memory for a larger one
// fake_cuda_points(): at which all kernels of this process have asked for the integrand.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <cuda.h>

#include "kernels.hpp"

namespace {

using namespace tessera;

constexpr int devices = 4, multiprocessors = 2, blocks_of_multiprocessor = 2;

int number_in(const char *name, int otherwise) {
  const char *const text = std::getenv(name);
  return text && *text ? std::atoi(text) : otherwise;
}

struct library;
struct function_of {
  std::string name;
  int device;
  library *of;
};
struct library {
  std::map<std::string, std::vector<unsigned char>> globals;
  std::map<std::pair<std::string, int>, function_of> functions;
  std::map<std::string, function_of> kernels;
};

std::mutex guard;
std::map<std::uintptr_t, std::pair<std::size_t, int>> blocks;  // of device memory: bytes and device
thread_local std::vector<int> current;                         // devices

CUcontext context_of(int device) { return reinterpret_cast<CUcontext>(static_cast<std::uintptr_t>(device + 1)); }
int device_of(CUcontext context) { return static_cast<int>(reinterpret_cast<std::uintptr_t>(context)) - 1; }
int now() { return current.empty() ? -1 : current.back(); }
// Null: the one that every device has.
bool is_here(CUstream stream) {
  if (!stream) return now() >= 0;
  return now() >= 0 && reinterpret_cast<std::uintptr_t>(stream) == 100u + static_cast<unsigned>(now());
}
// Whose memory it is; -1: the host's.
int owner(CUdeviceptr p) {
  const std::lock_guard<std::mutex> lock(guard);
  auto b = blocks.upper_bound(static_cast<std::uintptr_t>(p));
  if (b == blocks.begin()) return -1;
  --b;
  return p < b->first + b->second.first ? b->second.second : -1;
}
}  // namespace

int ndim() { return number_in("FAKE_CUDA_NDIM", 1); }
int ncomp() { return number_in("FAKE_CUDA_NCOMP", 1); }
bool is_here(const void *p) {
  const int whose = owner(reinterpret_cast<CUdeviceptr>(p));
  return whose < 0 || whose == now();
}

namespace {
std::atomic<long> points{0};
}
extern "C" __attribute__((visibility("default"))) long fake_cuda_points(void) { return points; }

void values_at(const double *x, int64 ldx, double *f) {
  ++points;
  const int nd = ndim(), nc = ncomp();
  double s = 0.0;
  for (int j = 0; j < nd; ++j) s += std::fabs(x[j * ldx] - 0.3 - 0.01 * j);
  for (int k = 0; k < nc; ++k) f[k] = std::exp(-0.4 * (k + 1) * s);
}

namespace {

// ---- Kernels -----------------------------------------------------------------------------------------------------------------
CUresult run(const function_of &f, int64 many, void **arguments) {
  bool here = true;
  if (is_cubature(f.name)) {
    std::vector<unsigned char> &bytes = f.of->globals["tessera_rule"];
    bytes.resize(std::max(bytes.size(), sizeof(rule)));  // kernels without a rule do not look
    here = run_cubature(f.name, *reinterpret_cast<const rule *>(bytes.data()), arguments);
  } else if (f.name == "tessera_quadrature") {
    if (!run_quadrature(*static_cast<const quadrature_arguments *>(arguments[0]), here))
      return CUDA_ERROR_NOT_SUPPORTED;
  } else if (!run_sampling(f.name, many, arguments[0], here))
    return CUDA_ERROR_NOT_SUPPORTED;
  return here ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
// NVRTC asks for a table of functions, whose first word is its size.
CUresult cuGetExportTable(const void **table, const CUuuid *) {
  static const std::size_t none[8] = {sizeof(std::size_t)};
  return *table = none, CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int *v) { return *v = CUDA_VERSION, CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult error, const char **text) {
  static const std::string texts[] = {"stand-in: not supported", "stand-in: memory of another device",
                                      "stand-in: another device is current", "stand-in: broken"};
  *text = texts[error == CUDA_ERROR_ILLEGAL_ADDRESS   ? 1
                : error == CUDA_ERROR_INVALID_CONTEXT ? 2
                : error == CUDA_ERROR_LAUNCH_FAILED   ? 3
                                                      : 0]
              .c_str();
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *n) { return *n = devices, CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice *d, int ordinal) { return *d = ordinal, CUDA_SUCCESS; }
CUresult cuDeviceGetName(char *name, int length, CUdevice d) {
  return std::snprintf(name, static_cast<std::size_t>(length), "stand-in %d", d), CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(std::size_t *bytes, CUdevice) {
  return *bytes = std::size_t{1} << number_in("FAKE_CUDA_LOG_MEMORY", 34), CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid(CUuuid *id, CUdevice d) {
  std::memset(id, d + 1, sizeof *id);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *v, CUdevice_attribute which, CUdevice) {
  *v = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? 9
       : which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
                                                               : multiprocessors;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice d) { return *c = context_of(d), CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
CUresult cuCtxPushCurrent(CUcontext c) { return current.push_back(device_of(c)), CUDA_SUCCESS; }
CUresult cuCtxPopCurrent(CUcontext *c) {
  if (current.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  *c = context_of(current.back());
  current.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuStreamCreate(CUstream *s, unsigned) {
  if (now() < 0) return CUDA_ERROR_INVALID_CONTEXT;
  *s = reinterpret_cast<CUstream>(static_cast<std::uintptr_t>(100 + now()));
  return CUDA_SUCCESS;
}
CUresult cuStreamQuery(CUstream s) { return is_here(s) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; }
CUresult cuCtxGetId(CUcontext, unsigned long long *id) {
  return *id = static_cast<unsigned>(number_in("FAKE_CUDA_CONTEXT", 1)), CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream s) { return is_here(s) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; }
CUresult cuMemAlloc(CUdeviceptr *p, std::size_t n) {
  if (now() < 0) return CUDA_ERROR_INVALID_CONTEXT;
  const auto most = static_cast<std::size_t>(number_in("FAKE_CUDA_LARGEST_BLOCK", 0));
  void *const memory = most > 0 && n > most ? nullptr : std::malloc(n + 1);
  if (!memory) return CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(memory, 0xcc, n + 1);  // nothing that was never written passes for a number that was
  const std::lock_guard<std::mutex> lock(guard);
  *p = reinterpret_cast<CUdeviceptr>(memory);
  blocks[static_cast<std::uintptr_t>(*p)] = {n, now()};
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr p) {
  if (owner(p) != now()) return CUDA_ERROR_INVALID_CONTEXT;
  const std::lock_guard<std::mutex> lock(guard);
  blocks.erase(static_cast<std::uintptr_t>(p));
  std::free(reinterpret_cast<void *>(p));
  return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void **p, std::size_t n, unsigned flags) {
  if (now() < 0 || !(flags & CU_MEMHOSTALLOC_PORTABLE)) return CUDA_ERROR_INVALID_CONTEXT;
  *p = std::malloc(n + 1);
  if (*p) std::memset(*p, 0xcc, n + 1);
  return *p ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuMemFreeHost(void *p) { return std::free(p), CUDA_SUCCESS; }
CUresult cuMemGetInfo(std::size_t *free, std::size_t *total) {
  const int bytes = number_in("FAKE_CUDA_FREE_BYTES", 0);
  *free = *total = bytes > 0 ? static_cast<std::size_t>(bytes) : std::size_t{1} << 33;
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char v, std::size_t n, CUstream s) {
  if (!is_here(s) || owner(p) >= 0 && owner(p) != now()) return CUDA_ERROR_INVALID_CONTEXT;
  std::memset(reinterpret_cast<void *>(p), v, n);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, std::size_t n, CUstream s) {
  if (!is_here(s) || (owner(to) >= 0 && owner(to) != now())) return CUDA_ERROR_INVALID_CONTEXT;
  std::memcpy(reinterpret_cast<void *>(to), from, n);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, std::size_t n) {
  if (owner(from) >= 0 && owner(from) != now()) return CUDA_ERROR_INVALID_CONTEXT;
  std::memcpy(to, reinterpret_cast<const void *>(from), n);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, std::size_t n, CUstream s) {
  return is_here(s) ? cuMemcpyDtoH(to, from, n) : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *c) {
  const bool from_host = c->srcMemoryType == CU_MEMORYTYPE_HOST, to_host = c->dstMemoryType == CU_MEMORYTYPE_HOST;
  const auto *const from =
      from_host ? static_cast<const char *>(c->srcHost) : reinterpret_cast<const char *>(c->srcDevice);
  auto *const to = to_host ? static_cast<char *>(c->dstHost) : reinterpret_cast<char *>(c->dstDevice);
  if (!is_here(from) || !is_here(to)) return CUDA_ERROR_INVALID_CONTEXT;
  for (std::size_t row = 0; row < c->Height; ++row)
    std::memcpy(to + row * c->dstPitch, from + row * c->srcPitch, c->WidthInBytes);
  return CUDA_SUCCESS;
}
CUresult cuCtxEnablePeerAccess(CUcontext other, unsigned) {
  return now() >= 0 && device_of(other) != now() ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext its, CUdeviceptr from, CUcontext other, std::size_t n,
                           CUstream s) {
  if (!is_here(s) || owner(to) != device_of(its) || owner(from) != device_of(other)) return CUDA_ERROR_INVALID_CONTEXT;
  std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), n);
  return CUDA_SUCCESS;
}
CUresult cuLibraryLoadData(CUlibrary *l, const void *, CUjit_option *, void **, unsigned, CUlibraryOption *, void **,
                           unsigned) {
  *l = reinterpret_cast<CUlibrary>(new library);
  return CUDA_SUCCESS;
}
CUresult cuLibraryUnload(CUlibrary l) { return delete reinterpret_cast<library *>(l), CUDA_SUCCESS; }
CUresult cuLibraryGetKernel(CUkernel *k, CUlibrary l, const char *name) {
  function_of &f = reinterpret_cast<library *>(l)->kernels[name];
  f = {name, now(), reinterpret_cast<library *>(l)};
  *k = reinterpret_cast<CUkernel>(&f);
  return CUDA_SUCCESS;
}
CUresult cuLibraryGetGlobal(CUdeviceptr *p, std::size_t *n, CUlibrary l, const char *name) {
  std::vector<unsigned char> &bytes = reinterpret_cast<library *>(l)->globals[name];
  bytes.resize(65536);
  *p = reinterpret_cast<CUdeviceptr>(bytes.data());
  *n = bytes.size();
  return CUDA_SUCCESS;
}
CUresult cuKernelGetFunction(CUfunction *f, CUkernel k) {
  if (now() < 0) return CUDA_ERROR_INVALID_CONTEXT;
  *f = reinterpret_cast<CUfunction>(k);
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, CUfunction, int, std::size_t) {
  return *n = blocks_of_multiprocessor, CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction f, unsigned many, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        CUstream s, void **arguments, void **) {
  const auto &of = *reinterpret_cast<const function_of *>(f);
  if (!is_here(s) || of.device != now()) return CUDA_ERROR_INVALID_CONTEXT;
  if (now() == number_in("FAKE_CUDA_BROKEN_DEVICE", -1)) return CUDA_ERROR_LAUNCH_FAILED;
  return run(of, many, arguments);
}
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned blocks_x, unsigned y, unsigned z, unsigned a, unsigned b,
                                   unsigned c, unsigned bytes, CUstream s, void **arguments) {
  return cuLaunchKernel(f, blocks_x, y, z, a, b, c, bytes, s, arguments, nullptr);
}

#pragma GCC visibility pop
}
