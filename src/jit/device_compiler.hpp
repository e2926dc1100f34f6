// Kernels joined with the user's integrand at run time, the integrand inlined.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cache.hpp"
#include "data_notes.hpp"
#include "deadline.hpp"
#include "integrand_source.hpp"

namespace tessera {

// CUDA C++ that defines the kernels (extern "C" __global__) and calls
//   extern "C" __device__ void tessera_f(const double *x, double *f, const void *params);
// which is declared before it, as are
//   extern "C" __device__ int tessera_flags;   bits below
//   extern "C" __device__ int tessera_status;  non-zero return of a C integrand, of several the greatest as unsigned
// TESSERA_NDIM and TESSERA_NCOMP are macros. The user's text comes after this one, so its macros do no harm here.
struct kernel_text {
  struct header {
    std::string name, text;  // found by #include with this name
  };
  // Kernels that know neither integrand nor TESSERA_NDIM and TESSERA_NCOMP, and call functions that `text` defines. They are compiled once, and
  // linked; in one text with the rest where that cannot be. tessera_flags and tessera_status are declared before them too.
  struct part {
    std::string text;
    std::vector<std::string> options;  // those of `options` that matter to it
  };
  std::string head;  // before both
  std::string text;
  part apart;
  std::string name = "tessera_kernels.cu";
  std::vector<header> headers;
  std::vector<std::string> options;  // for NVRTC, such as -DTESSERA_LANES=8
  int most_registers = 0;            // of a thread, for functions that stay functions where code is linked; 0: no limit
};

// Bits of tessera_flags, set by integrands in C and by limits.
enum integrand_flag : int {
  flag_output = 1,  // printf and the like were reached; the output is lost
  flag_exit = 2,    // exit, abort or a failed assertion; the integrand went on
  flag_stop = 4,    // it asked to stop by its return value (Cuba: -999)
  flag_limits = 8,  // between which nobody can integrate; the bits from 8 say of which axis
  flags_that_end =
      flag_exit | flag_stop | flag_limits  // the run ends; also in device_evaluator.cuh and user_function.cuh
};

struct target {
  int arch = 90;  // 10*major + minor of the device
  int ndim = 1;
  int ncomp = 1;
  std::string library_version;  // part of the cache key
  std::string helper;           // path of tessera-jitlink; empty: beside the library that holds this code, or in PATH
  bool allow_ptx = true;        // when NVRTC does not know the architecture: PTX for the driver to compile
  deadline until;               // for the linker, which is a process; NVRTC cannot be interrupted
};

struct compiled_module {
  enum class kind : int { cubin, ptx };
  kind image_kind = kind::cubin;
  std::shared_ptr<const std::string> image;  // for cuLibraryLoadData; ends with a NUL that size() does not count
  bool inlined = true;                       // no call of the integrand is left
  data_notes notes;                          // what the integrand does with the program's data
  cache_hit hit = cache_hit::none;
  std::string key;       // of the cache
  std::string log;       // warnings, registers and stack of the kernels
  double seconds = 0.0;  // it took
};

// Whether what knows no integrand is compiled apart and kept: not without nvJitLink, which takes machine code of an NVRTC that is not newer than
// itself.
bool compiles_apart();

// Throws compile_error, out_of_time among them. `cache` may be null.
compiled_module compile_integrand(const integrand_source &source, const kernel_text &kernel, const target &where,
                                  code_cache *cache);

// Kernels that call no integrand.
compiled_module compile_kernels(const kernel_text &kernel, const target &where, code_cache *cache);

// What the user's program reads for each bit that is set: "" for none.
std::string describe_flags(int flags);
// Why the integrand ended a run, in the words of the host. status: tessera_status.
std::string why_stopped(int flags, int status);

}  // namespace tessera
