/* Stands in for libcuda.so.1: one device, on which nothing can be run. Every function succeeds and does nothing.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <cuda.h>

/* cuda.h gives some functions other names by macros; the library asks for those. */
#define TEXT2(name) #name
#define TEXT(name) TEXT2(name)
#define NOTHING(name)                        \
  int stub_##name(void) __asm__(TEXT(name)); \
  int stub_##name(void) { return 0; }

NOTHING(cuInit)
NOTHING(cuDeviceGetUuid)
NOTHING(cuDevicePrimaryCtxRelease)
NOTHING(cuCtxPushCurrent)
NOTHING(cuCtxPopCurrent)
NOTHING(cuCtxGetId)
NOTHING(cuStreamDestroy)
NOTHING(cuStreamSynchronize)
NOTHING(cuStreamQuery)
NOTHING(cuMemAlloc)
NOTHING(cuMemFree)
NOTHING(cuMemHostAlloc)
NOTHING(cuMemFreeHost)
NOTHING(cuMemGetInfo)
NOTHING(cuMemsetD8Async)
NOTHING(cuMemcpyHtoDAsync)
NOTHING(cuMemcpyDtoH)
NOTHING(cuMemcpyDtoHAsync)
NOTHING(cuMemcpy2D)
NOTHING(cuMemcpyPeerAsync)
NOTHING(cuCtxEnablePeerAccess)
NOTHING(cuLibraryLoadData)
NOTHING(cuLibraryUnload)
NOTHING(cuLibraryGetKernel)
NOTHING(cuLibraryGetGlobal)
NOTHING(cuKernelGetFunction)
NOTHING(cuFuncSetAttribute)
NOTHING(cuOccupancyMaxActiveBlocksPerMultiprocessor)
NOTHING(cuLaunchCooperativeKernel)
NOTHING(cuLaunchKernel)

int stub_count(int *n) __asm__(TEXT(cuDeviceGetCount));
int stub_count(int *n) {
  *n = 1;
  return 0;
}

int stub_get(int *device, int ordinal) __asm__(TEXT(cuDeviceGet));
int stub_get(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}

int stub_name(char *name, int bytes, int device) __asm__(TEXT(cuDeviceGetName));
int stub_name(char *name, int bytes, int device) {
  (void)device;
  strncpy(name, "a stand-in", (size_t)bytes);
  return 0;
}

int stub_memory(size_t *bytes, int device) __asm__(TEXT(cuDeviceTotalMem));
int stub_memory(size_t *bytes, int device) {
  (void)device;
  *bytes = (size_t)1 << 30;
  return 0;
}

int stub_version(int *version) __asm__(TEXT(cuDriverGetVersion));
int stub_version(int *version) {
  *version = 12080;
  return 0;
}

int stub_attribute(int *value, int which, int device) __asm__(TEXT(cuDeviceGetAttribute));
int stub_attribute(int *value, int which, int device) {
  (void)device;
  *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? 9
           : which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
                                                                   : 4;
  return 0;
}

int stub_retain(void **context, int device) __asm__(TEXT(cuDevicePrimaryCtxRetain));
int stub_retain(void **context, int device) {
  static int some;
  (void)device;
  *context = &some;
  return 0;
}

int stub_stream(void **stream, unsigned flags) __asm__(TEXT(cuStreamCreate));
int stub_stream(void **stream, unsigned flags) {
  static int some;
  (void)flags;
  *stream = &some;
  return 0;
}

int stub_error(int error, const char **text) __asm__(TEXT(cuGetErrorString));
int stub_error(int error, const char **text) {
  (void)error;
  *text = "an error of the stand-in";
  return 0;
}
