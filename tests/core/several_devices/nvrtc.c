/* Stands in for libnvrtc.so.13 where kernels are compiled and never run (driver.cpp): the compiler itself, which is told not to optimise if it knows how.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef int result;
typedef void *program;
typedef const char *const *texts;
enum { internal_error = 11, most_options = 256 };

static void *function(const char *name) {
  static void *library;
  if (!library) library = dlopen(TESSERA_TEST_NVRTC, RTLD_NOW | RTLD_LOCAL);
  return library ? dlsym(library, name) : NULL;
}

/* Defines a function of that name with these parameters, in which own is the compiler's. */
#define STAND_IN(type, name, parameters, body) \
  type name parameters;                        \
  type name parameters {                       \
    type(*own) parameters = NULL;              \
    void *const found = function(#name);       \
    memcpy(&own, &found, sizeof own);          \
    body                                       \
  }
#define FORWARD(name, parameters, arguments) \
  STAND_IN(result, name, parameters, return own ? own arguments : internal_error;)

FORWARD(nvrtcVersion, (int *major, int *minor), (major, minor))
FORWARD(nvrtcGetNumSupportedArchs, (int *n), (n))
FORWARD(nvrtcGetSupportedArchs, (int *archs), (archs))
FORWARD(nvrtcDestroyProgram, (program * p), (p))
FORWARD(nvrtcGetProgramLogSize, (program p, size_t *size), (p, size))
FORWARD(nvrtcGetProgramLog, (program p, char *log), (p, log))
FORWARD(nvrtcGetPTXSize, (program p, size_t *size), (p, size))
FORWARD(nvrtcGetPTX, (program p, char *to), (p, to))
FORWARD(nvrtcGetCUBINSize, (program p, size_t *size), (p, size))
FORWARD(nvrtcGetCUBIN, (program p, char *to), (p, to))
FORWARD(nvrtcGetLTOIRSize, (program p, size_t *size), (p, size))
FORWARD(nvrtcGetLTOIR, (program p, char *to), (p, to))
STAND_IN(const char *, nvrtcGetErrorString, (result r), return own ? own(r) : "there is no compiler";)

/* The sums of VEGAS are linked with a kernel that has registers enough for them only if they are optimised. */
static _Thread_local int has_few_registers;
STAND_IN(result, nvrtcCreateProgram,
         (program * p, const char *text, const char *name, int n, texts headers, texts names), {
           has_few_registers = strstr(text, "sum_parts") != NULL;
           return own ? own(p, text, name, n, headers, names) : internal_error;
         })

STAND_IN(result, nvrtcCompileProgram, (program p, int n, texts options), {
  const char *all[most_options];
  int major = 0;
  int minor = 0;
  if (!own || n >= most_options) return internal_error;
  for (int i = 0; i < n; ++i) all[i] = options[i];
  if (nvrtcVersion(&major, &minor) == 0 && major >= 13)
    all[n++] = has_few_registers ? "--Ofast-compile=mid" : "--Ofast-compile=max";
  return own(p, n, all);
})
