// NVIDIA's libraries, opened when they are first needed; nothing here is a link-time dependency. A library that is missing is
// an exception (compile_error, stage load) that says what to install.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <nvrtc.h>

// nvJitLink.h defines its functions in the header, under names of one release; these are the same by their plain names.
extern "C" {
typedef struct nvJitLink *tessera_link_handle;
}

namespace tessera {

struct nvrtc_library {
  decltype(&::nvrtcVersion) version;
  decltype(&::nvrtcGetNumSupportedArchs) number_of_archs;
  decltype(&::nvrtcGetSupportedArchs) archs;
  decltype(&::nvrtcGetErrorString) error_string;
  decltype(&::nvrtcCreateProgram) create;
  decltype(&::nvrtcDestroyProgram) destroy;
  decltype(&::nvrtcCompileProgram) compile;
  decltype(&::nvrtcGetProgramLogSize) log_size;
  decltype(&::nvrtcGetProgramLog) log;
  decltype(&::nvrtcGetPTXSize) ptx_size;
  decltype(&::nvrtcGetPTX) ptx;
  decltype(&::nvrtcGetCUBINSize) cubin_size;
  decltype(&::nvrtcGetCUBIN) cubin;
  decltype(&::nvrtcGetLTOIRSize) ltoir_size;
  decltype(&::nvrtcGetLTOIR) ltoir;
};

// Values of nvJitLinkInputType; and NVVM IR, of which libNVVM makes LTO-IR first.
enum class link_input : int {
  cubin = 1,
  ptx = 2,
  ltoir = 3,
  fatbin = 4,
  object = 5,
  library = 6,
  any = 10,
  nvvm = 100
};

// libNVVM by its plain types.
struct nvvm_library {
  int (*version)(int *major, int *minor);
  int (*create)(void **program);
  int (*destroy)(void **program);
  int (*add)(void *program, const char *text, std::size_t bytes, const char *name);
  int (*verify)(void *program, int options, const char **option);
  int (*compile)(void *program, int options, const char **option);
  int (*size)(void *program, std::size_t *bytes);
  int (*result)(void *program, char *bytes);
  int (*log_size)(void *program, std::size_t *bytes);
  int (*log)(void *program, char *text);
};

struct nvjitlink_library {
  int (*create)(tessera_link_handle *handle, unsigned options, const char **option);
  int (*destroy)(tessera_link_handle *handle);
  int (*add)(tessera_link_handle handle, link_input kind, const void *data, std::size_t bytes, const char *name);
  int (*complete)(tessera_link_handle handle);
  int (*cubin_size)(tessera_link_handle handle, std::size_t *bytes);
  int (*cubin)(tessera_link_handle handle, void *data);
  int (*error_log_size)(tessera_link_handle handle, std::size_t *bytes);
  int (*error_log)(tessera_link_handle handle, char *text);
  int (*info_log_size)(tessera_link_handle handle, std::size_t *bytes);
  int (*info_log)(tessera_link_handle handle, char *text);
  int (*version)(unsigned *major, unsigned *minor);
};

// Values of cufftType.
enum class fft_kind : int { c2c = 0x29, r2c = 0x2a, c2r = 0x2c, z2z = 0x69, d2z = 0x6a, z2d = 0x6c };
enum class fft_direction : int { forward = -1, backward = 1 };

// cuFFT by its plain types: cufft.h belongs to the runtime, which nothing here uses.
struct cufft_library {
  int (*create)(int *plan);
  int (*destroy)(int plan);
  int (*set_auto_allocation)(int plan, int automatic);
  int (*make_plan)(int plan, int rank, long long *n, long long *inembed, long long istride, long long idist,
                   long long *onembed, long long ostride, long long odist, fft_kind kind, long long batch,
                   std::size_t *work_bytes);
  int (*set_work_area)(int plan, void *area);
  int (*set_stream)(int plan, void *stream);
  int (*c2c)(int plan, void *in, void *out, fft_direction direction);
  int (*r2c)(int plan, float *in, void *out);
  int (*c2r)(int plan, void *in, float *out);
  int (*z2z)(int plan, void *in, void *out, fft_direction direction);
  int (*d2z)(int plan, double *in, void *out);
  int (*z2d)(int plan, void *in, double *out);
};

// Values of curandRngType.
enum class curand_kind : int { xorwow = 101, mrg32k3a = 121, scrambled_sobol64 = 204 };

// cuRAND's host interface by its plain types, for the same reason.
struct curand_library {
  int (*create)(void **generator, curand_kind kind);
  int (*destroy)(void *generator);
  int (*set_stream)(void *generator, void *stream);
  int (*set_seed)(void *generator, unsigned long long seed);
  int (*set_dimensions)(void *generator, unsigned dimensions);
  int (*uniform_double)(void *generator, double *numbers, std::size_t n);
};

const nvrtc_library &nvrtc();
const nvjitlink_library &nvjitlink();
const nvvm_library &nvvm();
const cufft_library &cufft();
const curand_library &curand();

// Where the toolkit is, if it is anywhere: $CUDA_HOME, $CUDA_PATH, /usr/local/cuda; else "".
std::string toolkit_directory();

}  // namespace tessera
