// Code for devices, made of Fortran, as a shared object for this machine: LLVM 14's compiler takes the same representation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "checks.hpp"
#include "jit/fortran/runtime.hpp"
#include "jit/process.hpp"
#include "jit/programs.hpp"

namespace fortran_here {

using namespace tessera;
using checks::check;

// CUDA's words away, its functions that the C library has not in their place.
inline constexpr const char *host_words = R"code(
#define _GNU_SOURCE 1
#include <cmath>
#include <cstring>
#define __device__
#define __forceinline__ inline
using std::isfinite;
static double erfcx(double a) { return std::exp(a * a) * std::erfc(a); }
static double __longlong_as_double(long long a) { double d; std::memcpy(&d, &a, 8); return d; }
static int tessera_flags, tessera_status;
template <class T> static void atomicOr(T *a, int b) { *a |= b; }
template <class T> static void atomicMax(T *a, unsigned b) { if (*a < b) *a = b; }
)code";
inline constexpr const char *host_flags =
    "extern \"C\" int tessera_taken_flags() { const int f = tessera_flags; tessera_flags = 0; return f; }\n";

// The rewritten code as a shared object for this machine; "" without LLVM 14's compiler, which is the last to read typed pointers.
inline std::string for_this_machine(std::string code, const temporary_directory &work) {
  const std::string clang = find_program("clang-14");
  if (clang.empty()) return {};
  code.erase(0, code.find("\n\n"));
  static const temporary_directory kept;
  static const std::string runtime = [&] {  // compiled once
    const std::string from = kept.file("runtime.cpp"), to = kept.file("runtime.o");
    write_file(from, std::string(host_words) + fortran_runtime_text + host_flags);
    const process_result r = run_process({clang, "-O2", "-w", "-fPIC", "-c", "-ffp-contract=off", "-o", to, from},
                                         kept.file("messages"), true);
    check(r.good(), "the functions of the runtime: " + r.output.substr(0, 600));
    return to;
  }();
  const std::string text = work.file("code.ll"), object = work.file("code.so");
  write_file(text, code);
  const process_result r =
      run_process({clang, "-O2", "-w", "-fPIC", "-shared", "-ffp-contract=off", "-o", object, text, runtime, "-lm"},
                  work.file("messages"), true);
  check(r.good(), "clang: " + r.output.substr(0, 600));
  return r.good() ? object : "";
}

inline integrand_source text(const std::string &t, const std::string &function = "f") {
  integrand_source s;
  s.language = source_language::fortran;
  s.text = t;
  s.function = function;
  s.file_name = "mine.f90";
  return s;
}

using entry = void (*)(const double *, double *, void *);

}  // namespace fortran_here
