// SPDX-License-Identifier: BSD-3-Clause
#include "toolkit.hpp"

#include <cstdlib>
#include <vector>

#include <dlfcn.h>
#include <sys/stat.h>

#include "integrand_source.hpp"

// cuda.h gives some functions another name by a macro; the library knows only that one.
#define TESSERA_NAME_OF(name) TESSERA_TEXT_OF(name)
#define TESSERA_TEXT_OF(name) #name
#define TESSERA_BIND(member, name) library.bind(t.member, TESSERA_NAME_OF(name))

namespace tessera {
namespace {

bool is_directory(const std::string &path) {
  struct stat s;
  return ::stat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode);
}

std::vector<std::string> toolkit_directories() {
  std::vector<std::string> out;
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"}) {
    const char *value = ::secure_getenv(name);
    if (value && value[0] == '/') out.push_back(value);
  }
  out.push_back("/usr/local/cuda");
  return out;
}

// One opened library. It stays open until the process ends.
class opened {
 public:
  opened(const char *what, const std::vector<std::string> &names, const char *advice) : what_(what), advice_(advice) {
    std::string messages;
    const auto attempt = [&](const std::string &file) {
      handle_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!handle_) {
        const char *why = ::dlerror();
        messages += (why ? why : file) + std::string("\n");
      }
      return handle_ != nullptr;
    };
    for (const std::string &name : names)
      if (attempt(name)) return;
    for (const std::string &root : toolkit_directories())
      for (const char *part : {"/lib64/", "/lib/", "/nvvm/lib64/", "/nvvm/lib/"})
        for (const std::string &name : names)
          if (attempt(root + part + name)) return;
    throw compile_error(jit_stage::load, what_ + " was not found (" + names.front() + "); " + advice_, messages);
  }

  template <class F>
  void bind(F &function, const char *name) const {
    void *address = ::dlsym(handle_, name);
    if (!address)
      throw compile_error(jit_stage::load, what_ + " has no function " + name + ": it is too old; " + advice_);
    function = reinterpret_cast<F>(address);
  }

 private:
  void *handle_ = nullptr;
  std::string what_, advice_;
};

}  // namespace

const nvrtc_library &nvrtc() {
  static const nvrtc_library table = [] {
    const opened library("NVIDIA's run-time compiler NVRTC", {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"},
                         "install the CUDA toolkit 12 or 13 (package cuda-nvrtc) or set CUDA_HOME");
    nvrtc_library t{};
    TESSERA_BIND(version, nvrtcVersion);
    TESSERA_BIND(number_of_archs, nvrtcGetNumSupportedArchs);
    TESSERA_BIND(archs, nvrtcGetSupportedArchs);
    TESSERA_BIND(error_string, nvrtcGetErrorString);
    TESSERA_BIND(create, nvrtcCreateProgram);
    TESSERA_BIND(destroy, nvrtcDestroyProgram);
    TESSERA_BIND(compile, nvrtcCompileProgram);
    TESSERA_BIND(log_size, nvrtcGetProgramLogSize);
    TESSERA_BIND(log, nvrtcGetProgramLog);
    TESSERA_BIND(ptx_size, nvrtcGetPTXSize);
    TESSERA_BIND(ptx, nvrtcGetPTX);
    TESSERA_BIND(cubin_size, nvrtcGetCUBINSize);
    TESSERA_BIND(cubin, nvrtcGetCUBIN);
    TESSERA_BIND(ltoir_size, nvrtcGetLTOIRSize);
    TESSERA_BIND(ltoir, nvrtcGetLTOIR);
    return t;
  }();
  return table;
}

const nvjitlink_library &nvjitlink() {
  static const nvjitlink_library table = [] {
    const opened library("NVIDIA's run-time linker nvJitLink",
                         {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"},
                         "integrands given as LTO-IR or PTX need it: install the CUDA toolkit 12 or 13 (package "
                         "libnvjitlink) or set CUDA_HOME");
    nvjitlink_library t{};
    TESSERA_BIND(create, nvJitLinkCreate);
    TESSERA_BIND(destroy, nvJitLinkDestroy);
    TESSERA_BIND(add, nvJitLinkAddData);
    TESSERA_BIND(complete, nvJitLinkComplete);
    TESSERA_BIND(cubin_size, nvJitLinkGetLinkedCubinSize);
    TESSERA_BIND(cubin, nvJitLinkGetLinkedCubin);
    TESSERA_BIND(error_log_size, nvJitLinkGetErrorLogSize);
    TESSERA_BIND(error_log, nvJitLinkGetErrorLog);
    TESSERA_BIND(info_log_size, nvJitLinkGetInfoLogSize);
    TESSERA_BIND(info_log, nvJitLinkGetInfoLog);
    TESSERA_BIND(version, nvJitLinkVersion);
    return t;
  }();
  return table;
}

const nvvm_library &nvvm() {
  static const nvvm_library table = [] {
    const opened library(
        "NVIDIA's compiler library libNVVM", {"libnvvm.so.4", "libnvvm.so"},
        "integrands in Fortran need it: install the CUDA toolkit 12 or 13 (package libnvvm or cuda-nvvm) or set "
        "CUDA_HOME");
    nvvm_library t{};
    library.bind(t.version, "nvvmVersion");
    library.bind(t.create, "nvvmCreateProgram");
    library.bind(t.destroy, "nvvmDestroyProgram");
    library.bind(t.add, "nvvmAddModuleToProgram");
    library.bind(t.verify, "nvvmVerifyProgram");
    library.bind(t.compile, "nvvmCompileProgram");
    library.bind(t.size, "nvvmGetCompiledResultSize");
    library.bind(t.result, "nvvmGetCompiledResult");
    library.bind(t.log_size, "nvvmGetProgramLogSize");
    library.bind(t.log, "nvvmGetProgramLog");
    return t;
  }();
  return table;
}

const cufft_library &cufft() {
  static const cufft_library table = [] {
    const opened library(
        "NVIDIA's library of Fourier transforms, cuFFT", {"libcufft.so.12", "libcufft.so.11", "libcufft.so"},
        "the construction of lattices on a device needs it: install the CUDA toolkit 12 or 13 (package libcufft) "
        "or set CUDA_HOME");
    cufft_library t{};
    library.bind(t.create, "cufftCreate");
    library.bind(t.destroy, "cufftDestroy");
    library.bind(t.set_auto_allocation, "cufftSetAutoAllocation");
    library.bind(t.make_plan, "cufftMakePlanMany64");
    library.bind(t.set_work_area, "cufftSetWorkArea");
    library.bind(t.set_stream, "cufftSetStream");
    library.bind(t.c2c, "cufftExecC2C");
    library.bind(t.r2c, "cufftExecR2C");
    library.bind(t.c2r, "cufftExecC2R");
    library.bind(t.z2z, "cufftExecZ2Z");
    library.bind(t.d2z, "cufftExecD2Z");
    library.bind(t.z2d, "cufftExecZ2D");
    return t;
  }();
  return table;
}

const curand_library &curand() {
  static const curand_library table = [] {
    const opened library(
        "NVIDIA's library of random numbers, cuRAND", {"libcurand.so.10", "libcurand.so"},
        "TESSERA_GENERATOR other than Philox needs it: install the CUDA toolkit 12 or 13 (package libcurand) or "
        "set CUDA_HOME");
    curand_library t{};
    library.bind(t.create, "curandCreateGenerator");
    library.bind(t.destroy, "curandDestroyGenerator");
    library.bind(t.set_stream, "curandSetStream");
    library.bind(t.set_seed, "curandSetPseudoRandomGeneratorSeed");
    library.bind(t.set_dimensions, "curandSetQuasiRandomGeneratorDimensions");
    library.bind(t.uniform_double, "curandGenerateUniformDouble");
    return t;
  }();
  return table;
}

std::string toolkit_directory() {
  for (const std::string &path : toolkit_directories())
    if (is_directory(path + "/include")) return path;
  return {};
}

}  // namespace tessera
