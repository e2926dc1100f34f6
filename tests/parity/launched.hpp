// Device callbacks for tests: a kernel that is compiled at run time, and what its callback has seen.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>

extern "C" {
#include "solve.h"
}

#include "cuda/device/driver.hpp"
#include "jit/device_compiler.hpp"
#include "jit/toolkit.hpp"
#include "skip.h"

namespace {

using namespace tessera;

constexpr std::int64_t most_points = 4194304;  // as tessera.h says
constexpr int device = 0;
int arch = 0;
constexpr double time_limit = 2.0;

#define SUM(start, term) "double s = " start "; for (int i = 0; i < TESSERA_NDIM; ++i) s += " term ";"

// As texts; v is what a text in the vector form writes, p its parameter block.
const char *const functions =
    "double f1(const double *x) { " SUM("0", "(i + 1) * x[i]") " return cos(s); }\n"
    "double f3(const double *x) { " SUM("1", "(i + 1) * x[i]") " return pow(s, -(TESSERA_NDIM + 1)); }\n"
    "double f4(const double *x) { " SUM("0", "(x[i] - 0.5) * (x[i] - 0.5)") " return exp(-625 * s); }\n"
    "double f5(const double *x) { " SUM("0", "fabs(x[i] - 0.5)") " return exp(-10 * s); }\n"
    "double f7(const double *x) { " SUM("0", "x[i] * x[i]") " return pow(s, 11); }\n"
    "double wave(const double *x) { " SUM("0", "x[i] * (1 + 0.1 * i)") " return cos(0.3 * s); }\n"
    "double range(const double *x) { return exp(-x[0] * x[0] - x[1]) * x[2] * x[2]; }\n"
    "double spot(const double *x) { return x[0] > 0.6999 && x[0] < 0.7001 ? 1.0 / 0.0 : sqrt(fabs(x[0] - 0.7)); }\n"
    "double scaled(const double *x, const double *p) { return p[0] * x[0] + p[1]; }\n"
    "void three(const double *x, double *v) {\n"
    "  double a = 0, b = 1;\n"
    "  for (int i = 0; i < TESSERA_NDIM; ++i) a += (x[i] - 0.3) * (x[i] - 0.3), b *= 1 + x[i];\n"
    "  v[0] = exp(-40 * a); v[1] = cos(b); v[2] = 1 / (a + 0.1);\n"
    "}\n";

// The kernel of one of these functions, and what its callback has seen.
class launched {
 public:
  launched(const std::string &function, int ndim, int ncomp = 1) {
    kernel_text text;
    text.name = "test.cu";
    text.text = functions;
    text.text +=
        "extern \"C\" __global__ void batch(long long n, const double *x, long long ldx, double *f, long long ldf,\n"
        "                                   const double *p) {\n"
        "  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n"
        "  if (i >= n) return;\n"
        "  double at[TESSERA_NDIM], v[TESSERA_NCOMP];\n"
        "  for (int j = 0; j < TESSERA_NDIM; ++j) at[j] = x[j * ldx + i];\n  ";
    text.text += function == "three" ? "three(at, v);\n"
                                     : "v[0] = " + function + (function == "scaled" ? "(at, p)" : "(at)") + ";\n";
    text.text += "  for (int k = 0; k < TESSERA_NCOMP; ++k) f[k * ldf + i] = v[k];\n}\n";
    target where;
    where.arch = arch;
    where.ndim = ndim;
    where.ncomp = ncomp;
    module_ = compile_kernels(text, where, nullptr);
    check(cuda().library_load(&library_, module_.image->data(), nullptr, nullptr, 0, nullptr, nullptr, 0), "loading");
    CUkernel kernel;
    check(cuda().library_kernel(&kernel, library_, "batch"), "finding the kernel");
    check(cuda().kernel_function(&function_, kernel), "finding the kernel");
  }
  ~launched() { cuda().library_unload(library_); }
  launched(const launched &) = delete;
  launched &operator=(const launched &) = delete;

  int stop_at = 0, stop_code = 0;  // the call that stops, and how; -1: by an exception
  int pause_at = 0;                // the call that lasts longer than the run may
  bool launches = true;
  std::int64_t left_out = 0;  // points at the end
  int calls = 0, wrong_arguments = 0;
  std::int64_t points = 0, largest = 0;
  bool params = false;  // userdata is the parameter block and not this

  int call(std::int64_t n, const double *x, std::int64_t ldx, double *f, std::int64_t ldf, void *stream,
           const void *p) {
    ++calls;
    points += n;
    if (n > largest) largest = n;
    if (n < 1 || n > most_points || ldx < n || ldf < n || !x || !f) ++wrong_arguments;
    if (calls == stop_at && stop_code == -1) throw std::runtime_error("a reason");
    if (calls == stop_at) return stop_code;
    if (calls == pause_at) std::this_thread::sleep_for(std::chrono::duration<double>(1.2 * time_limit));
    if (!launches) return 0;
    long long count = n - left_out, dx = ldx, df = ldf;
    void *arguments[] = {&count, &x, &dx, &f, &df, &p};
    return cuda().launch(function_, static_cast<unsigned>((n + 127) / 128), 1, 1, 128, 1, 1, 0,
                         static_cast<CUstream>(stream), arguments, nullptr);
  }

 private:
  compiled_module module_;
  CUlibrary library_ = nullptr;
  CUfunction function_ = nullptr;
};

int by_userdata(std::int64_t n, int, const double *x, std::int64_t ldx, int, double *f, std::int64_t ldf, void *stream,
                void *userdata) {
  return static_cast<launched *>(userdata)->call(n, x, ldx, f, ldf, stream, nullptr);
}

tessera_solver *device_solver(int ndim, int ncomp, launched *l) {
  tessera_solver *s = solver_of(ndim, ncomp);
  put_int(s, TESSERA_DEVICE, device);
  if (l) assert_status(s, tessera_set_integrand_device(s, by_userdata, l), TESSERA_OK);
  return s;
}

void to(tessera_solver *s, double reltol, std::int64_t maxeval) {
  put_real(s, TESSERA_RELTOL, reltol);
  put_int(s, TESSERA_MAXEVAL, maxeval);
}

// Runs the tests on the device, or skips them where there is none.
template <class Tests>
int on_device(const Tests &tests) {
  CUdevice gpu = 0;
  try {
    nvrtc();
    int devices = 0;
    check(cuda().device_count(&devices), "counting the devices");
    if (devices == 0) throw device_error("there is no CUDA device");
  } catch (const std::exception &e) {
    std::printf("skipped: %s\n", e.what());
    return no_device_here();
  }
  int major = 0, minor = 0;
  check(cuda().device_get(&gpu, device), "finding the device");
  check(cuda().device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, gpu), "asking the device");
  check(cuda().device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, gpu), "asking the device");
  arch = 10 * major + minor;
  CUcontext context;
  check(cuda().context_retain(&context, gpu), "starting the device");
  int failed;
  {
    const current_context here(context);
    failed = tests();
  }
  cuda().context_release(gpu);
  return failed;
}

}  // namespace
