// Fortran integrands, compiled by flang, rewritten to NVVM IR and run here: LLVM 14's compiler takes the same representation for the host.
// Compared with the host's own compiler. Then compiled and linked with a kernel for a device, which needs none. Skipped without flang.
// Arguments: path of tessera-jitlink, directory of the texts, "all" for the cubins of all texts, else of some. Then, four by four, other
// texts that are only compiled, by themselves and as a twin's: file or file+file compiled before it+..., function, ndim, ncomp.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstring>

#include <dlfcn.h>
#include <sys/resource.h>

#include "core/rule_build.hpp"
#include "cuda/cubature/kernel.hpp"
#include "fortran_here.hpp"
#include "fortran_integrands.hpp"
#include "jit/cubin.hpp"
#include "jit/device_compiler.hpp"
#include "jit/fortran/flang.hpp"
#include "jit/host_compiler.hpp"
#include "jit/text.hpp"
#include "jit/toolkit.hpp"
#include "tessera.h"

using namespace tessera;
using checks::check;
using checks::fails;
using fortran_here::entry;
using fortran_here::for_this_machine;
using fortran_here::text;

namespace {

constexpr int points = 20000;
std::string helper, directory;

std::vector<double> cube(int ndim) {
  std::vector<double> x(static_cast<std::size_t>(points) * static_cast<std::size_t>(ndim));
  unsigned long long state = 88172645463325252ULL;
  for (double &v : x) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    v = static_cast<double>(state >> 11) / 9007199254740992.0;
  }
  return x;
}

void same_values(const integrand &i) {
  const integrand_source source = read_integrand(directory, i);
  const temporary_directory work;
  const std::string object = for_this_machine(fortran_to_nvvm(source, find_flang(), i.ndim, i.ncomp, 0, {}), work);
  if (object.empty()) return;
  void *const handle = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!check(handle != nullptr, std::string(i.file) + ": opened: " + (handle ? "" : ::dlerror()))) return;
  const auto device = reinterpret_cast<entry>(::dlsym(handle, "tessera_f"));
  const auto flags = reinterpret_cast<int (*)()>(::dlsym(handle, "tessera_taken_flags"));
  const compiled_source host(source, i.ndim, i.ncomp, nullptr, "test");
  std::vector<double> parameters = std::vector<double>(fortran_parameters, fortran_parameters + 2);
  const std::vector<double> x = cube(i.ndim);
  const auto ncomp = static_cast<std::size_t>(i.ncomp), ndim = static_cast<std::size_t>(i.ndim);
  std::vector<double> here(ncomp), there(ncomp), largest(ncomp), worst(ncomp);
  bool nan = false;
  for (std::size_t k = 0; k < points; ++k) {
    const double *const p = &x[k * ndim];
    // Every evaluation on a device is the first of a program; on the host it is the program that goes on.
    const int status = host.function()(1, i.ndim, p, 1, i.ncomp, here.data(), 1, parameters.data());
    check(status == 0, std::string(i.file) + ": status on the host");
    device(p, there.data(), parameters.data());
    for (std::size_t c = 0; c < ncomp; ++c) {
      if (std::string(i.file) == "normal_probability.f" && c == 1) here[c] = 4;  // a count, of this evaluation alone
      nan = nan || !std::isfinite(here[c]) || !std::isfinite(there[c]);
      largest[c] = std::fmax(largest[c], std::fabs(here[c]));
      worst[c] = std::fmax(worst[c], std::fabs(here[c] - there[c]));
    }
  }
  check(!nan, std::string(i.file) + ": finite");
  check(flags() == 0, std::string(i.file) + ": no flags");
  for (std::size_t c = 0; c < ncomp; ++c) {
    check(worst[c] <= i.tolerance * largest[c], std::string(i.file) + ": component " + std::to_string(c) +
                                                    " differs by " + std::to_string(worst[c] / largest[c] * 1e16) +
                                                    "e-16 of the largest value");
    std::printf("%-24s %d  %.2e of the largest value\n", i.file, static_cast<int>(c), worst[c] / largest[c]);
  }
  ::dlclose(handle);
}

const char *kernel_source = R"code(
extern "C" __global__ void tessera_points(const double *x, double *f, const void *params, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    double p[TESSERA_NDIM], v[TESSERA_NCOMP];
    for (int j = 0; j < TESSERA_NDIM; ++j) p[j] = x[(long long)j * n + i];
    tessera_f(p, v, params);
    for (int k = 0; k < TESSERA_NCOMP; ++k) f[(long long)k * n + i] = v[k];
  }
}
)code";

compiled_module for_a_device(const integrand_source &source, int ndim, int ncomp, code_cache *cache = nullptr) {
  kernel_text k;
  k.text = kernel_source;
  target t;
  t.ndim = ndim;
  t.ncomp = ncomp;
  t.library_version = "test";
  t.helper = helper;
  return compile_integrand(source, k, t, cache);
}

void linked(const integrand &i) {
  const compiled_module m = for_a_device(read_integrand(directory, i), i.ndim, i.ncomp);
  bool kernel = false;
  for (const cubin_function &f : cubin_functions(*m.image)) kernel = kernel || (f.kernel && f.name == "tessera_points");
  check(kernel, std::string(i.file) + ": the kernel is there");
  check(m.inlined, std::string(i.file) + ": inlined");
  std::printf("%-24s %6zu bytes %.3f s\n", i.file, m.image->size(), m.seconds);
}

// STOP ends the run: a flag on the device, a status on the host, and no end of the program.
void stops() {
  const std::string t =
      "double precision function f(x)\ndouble precision x\nif (x > 0.5d0) then\nprint *, 'too large', x\nstop 3\nend "
      "if\nf = x\nend function\n";
  const compiled_source host(text(t), 1, 1, nullptr, "test");
  const double x[2] = {0.25, 0.75};
  double f[2] = {0, 0};
  check(host.function()(1, 1, x, 1, 1, f, 1, nullptr) == 0 && f[0] == 0.25, "no stop, on the host");
  check(host.function()(1, 1, x + 1, 1, 1, f, 1, nullptr) == -1, "stop, on the host");
  const temporary_directory work;
  const std::string object = for_this_machine(fortran_to_nvvm(text(t), find_flang(), 1, 1, 0, {}), work);
  if (object.empty()) return;
  void *const handle = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!check(handle != nullptr, "stops: opened")) return;
  const auto device = reinterpret_cast<entry>(::dlsym(handle, "tessera_f"));
  const auto flags = reinterpret_cast<int (*)()>(::dlsym(handle, "tessera_taken_flags"));
  device(x, f, nullptr);
  check(flags() == 0 && f[0] == 0.25, "no stop, on a device");
  device(x + 1, f, nullptr);
  check(flags() == (flag_output | flag_exit), "output and stop, on a device");
  ::dlclose(handle);
}

// One thread where a variable outlives the call.
void threads() {
  const auto one = [&](const std::string &file, const std::string &function) {
    return compiled_source(read_integrand(directory, {file.c_str(), function.c_str(), 2, 1, 0}), 2, 1, nullptr, "test")
        .one_thread();
  };
  check(!one("whole_program.f90", "peak"), "nothing is kept");
  check(!one("external_argument.f", "WITHEX"), "nothing is kept by external procedures");
  check(one("first_call.f90", "first_call"), "SAVE is kept");
  check(one("equivalence.f", "EQUIV"), "COMMON is kept");
}

// COMMON as the program has it, in the parameter block: the same on the host and on a device, and another value another time.
void values_of_the_program() {
  struct {
    double a = 0.5, b = -1.5, c[5] = {1, 2, 3, 4, 5};
    int n = 4, unused = 0;
  } pars;
  integrand_source s = read_integrand(directory, {"common_polynomial.f", "FUNSUB", 3, 2, 0.0});
  s.variables.push_back({"", "pars", 16, sizeof pars});
  std::vector<unsigned char> block(16 + sizeof pars);
  const compiled_source host(s, 3, 2, nullptr, "test");
  const temporary_directory work;
  const std::string object = for_this_machine(fortran_to_nvvm(s, find_flang(), 3, 2, 0, {}), work);
  void *const handle = object.empty() ? nullptr : ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  const double x[3] = {0.25, 0.75, 0.375};
  double before = 0;
  for (int k = 0; k < 3; ++k) {
    pars.a += k;
    std::memcpy(block.data() + 16, &pars, sizeof pars);
    double here[2], there[2];
    check(host.function()(1, 3, x, 1, 2, here, 1, block.data()) == 0, "values of the program: status");
    double p = 0, sum = 0;
    for (const double v : x) {
      p = 0;
      for (int i = pars.n - 1; i >= 0; --i) p = p * v + pars.c[i];
      sum += v < 0.5 ? pars.b * p + (v == 0.25 ? 0.5 : 0.25) : pars.a * v * v;
    }
    check(std::fabs(here[0] - sum) < 1e-14 && here[0] != before, "values of the program, on the host");
    before = here[0];
    if (!handle) continue;
    reinterpret_cast<entry>(::dlsym(handle, "tessera_f"))(x, there, block.data());
    check(there[0] == here[0] && there[1] == here[1], "values of the program, on a device");
  }
  if (handle) ::dlclose(handle);
  fails("COMMON that is shorter in the program", jit_stage::translate,
        "'pars' has 32 bytes in the program and 64 in this text", [&] {
          s.variables[0].bytes = 32;
          fortran_to_nvvm(s, find_flang(), 3, 2, 0, {});
        });
}

void several_files() {
  integrand_source s = text(
      "subroutine f(x, fval)\nuse constants, only: factor\nimplicit none\ndouble precision, intent(in) :: x(2)\n"
      "double precision, intent(out) :: fval(1)\ndouble precision, external :: OLD\nfval(1) = factor*OLD(x(1))\nend "
      "subroutine\n");
  s.files.push_back({"constants.f90",
                     "module constants\nimplicit none\ndouble precision, parameter :: factor = 3\nend module\n", true,
                     false, false});
  s.files.push_back({"old.f",
                     "C     old\n      DOUBLE PRECISION FUNCTION OLD(T)\n      DOUBLE PRECISION T\n      INCLUDE "
                     "'shift.inc'\n      OLD = T +\n     &  SHIFT\n      END\n",
                     true, true, false});
  s.files.push_back(
      {"shift.inc", "      DOUBLE PRECISION SHIFT\n      PARAMETER (SHIFT = 0.5D0)\n", false, false, false});
  const compiled_source host(s, 2, 1, nullptr, "test");
  const double x[2] = {0.25, 0.75};
  double f = 0;
  check(host.function()(1, 2, x, 1, 1, &f, 1, nullptr) == 0 && f == 2.25, "several files, on the host");
  const temporary_directory work;
  const std::string object = for_this_machine(fortran_to_nvvm(s, find_flang(), 2, 1, 0, {}), work);
  if (object.empty()) return;
  void *const handle = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!check(handle != nullptr, "several files: opened")) return;
  f = 0;
  reinterpret_cast<entry>(::dlsym(handle, "tessera_f"))(x, &f, nullptr);
  check(f == 2.25, "several files, on a device");
  ::dlclose(handle);
}

// What of the program's data is changed in copies alone, for the user to know; not what is read, and not what is the procedure's own.
void changes() {
  const integrand_source s = text(
      "module m\nimplicit none\ndouble precision :: total = 0, factor = 2\nend module\n"
      "double precision function f(x)\nuse m\nimplicit none\ndouble precision x(1), shift\ninteger n\n"
      "integer, save :: own = 0\ncommon /count/ n\ncommon /given/ shift\nn = n + 1\nown = own + 1\n"
      "total = total + x(1)\nf = factor*x(1) + shift + own\nend function\n");
  const temporary_directory work;
  cache_settings settings;
  settings.directory = work.path();
  for (int turn = 0; turn < 2; ++turn) {  // the second from the disk
    code_cache cache(settings);
    const compiled_module m = for_a_device(s, 1, 1, &cache);
    check(m.hit == (turn == 0 ? cache_hit::none : cache_hit::disk), "data that are changed: the cache");
    if (turn == 1) {
      check(for_a_device(s, 1, 1, &cache).hit == cache_hit::memory, "the third time from memory");
      check(for_a_device(s, 2, 1, &cache).hit == cache_hit::none, "of another dimension it is compiled");
    }
    check(m.notes.written == "'total of module m', COMMON /count/", "data that are changed: " + m.notes.written);
  }
}

// With the engine's own kernels: inlined, and what STOP says reaches the host.
void engine() {
  const integrand_source source = text(
      "integer function f(n, x, m, v)\ninteger n, m\ndouble precision x(n), v(m)\nif (x(1) > 2) stop 'far'\nv(1) = "
      "sum(x*x)\nf = 0\n"
      "if (x(1) < -1) f = -999\nend function\n");
  for (const bool many : {false, true}) {
    rule r;
    build_rule(choose_rule(TESSERA_RULE_AUTO, 4), 4, r, true);
    target t;
    t.ndim = 4;
    t.library_version = "test";
    t.helper = helper;
    const compiled_module m = compile_integrand(source, engine_kernel(r, choose_shape(r, 1, false, many)), t, nullptr);
    check(m.inlined, "the engine's kernels: inlined");
    std::printf("%-24s %6zu bytes %.3f s\n", many ? "engine, many" : "engine", m.image->size(), m.seconds);
    if (many) continue;  // each block has an answer of its own, which the kernel writes down
    for (const char *name : {"tessera_flags", "tessera_status", "tessera_rule", "tessera_axes"})
      check(checks::contains(*m.image, name), std::string("the engine's kernels: ") + name + " is there");
  }
}

// What programs write: thousands of statements over one work array.
std::string generated(int statements) {
  constexpr int length = 200;
  std::string t =
      "subroutine f(ndim, x, numfun, funvls)\nimplicit none\ninteger ndim, numfun\n"
      "double precision x(ndim), funvls(numfun), w(200)\n";
  unsigned state = 7;
  const auto element = [&](int known) {
    state = state * 1664525u + 1013904223u;
    return "w(" + std::to_string(1 + (state >> 8) % static_cast<unsigned>(std::min(known, length))) + ")";
  };
  for (int i = 1; i <= 8; ++i)
    t += "w(" + std::to_string(i) + ") = x(" + std::to_string(1 + i % 4) + ") + 0." + std::to_string(i) + "d0\n";
  for (int k = 0; k < statements; ++k) {
    const int known = 8 + k;
    const std::string a = element(known), b = element(known), c = element(known);
    const std::string forms[] = {a + "*" + b + " - 0.25d0*" + c, "0.5d0*(" + a + " + " + b + ")*" + c,
                                 a + "/(1d0 + " + b + "**2) + 0.125d0*" + c, a + " - 0.5d0*" + b + "*" + c};
    t += "w(" + std::to_string(1 + (8 + k) % length) + ") = " + forms[k % 4] + "\n";
  }
  return t + "funvls(1) = w(200)*w(199) + w(100)\nend subroutine\n";
}

double cpu_seconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    struct rusage u;
    ::getrusage(who, &u);
    sum += static_cast<double>(u.ru_utime.tv_sec) + 1e-6 * static_cast<double>(u.ru_utime.tv_usec);
  }
  return sum;
}

// With the engine's kernels, which call it in several places: it is called there, and nothing takes more than some seconds.
void large(int statements, double most_seconds) {
  const integrand_source s = text(generated(statements));
  const double start = cpu_seconds();
  const std::string code = fortran_to_nvvm(s, find_flang(), 4, 1, 0, {});
  const double translated = cpu_seconds();
  rule r;
  build_rule(choose_rule(TESSERA_RULE_AUTO, 4), 4, r, true);
  r.raises = true;
  target t;
  t.ndim = 4;
  t.library_version = "test";
  t.helper = helper;
  const compiled_module m = compile_integrand(s, engine_kernel(r, choose_shape(r, 1, false, false)), t, nullptr);
  const double end = cpu_seconds();
  check(!m.inlined, "a large text: called");
  std::printf("%d statements: to NVVM IR %.1f s of processors, altogether %.1f s (%.1f s of the clock), %zu bytes\n",
              statements, translated - start, end - translated, m.seconds, m.image->size());
  check(end - translated < most_seconds, "a large text: the time of compilation");
  const temporary_directory work;
  const std::string object = for_this_machine(code, work);
  void *const handle = object.empty() ? nullptr : ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  const compiled_source host(s, 4, 1, nullptr, "test");
  if (!check(handle != nullptr, "a large text: opened")) return;
  const double x[4] = {0.25, 0.75, 0.375, 0.5};
  double here = 0, there = 1;
  check(host.function()(1, 4, x, 1, 1, &here, 1, nullptr) == 0, "a large text: on the host");
  reinterpret_cast<entry>(::dlsym(handle, "tessera_f"))(x, &there, nullptr);
  check(std::fabs(here - there) <= 1e-12 * std::fabs(here), "a large text: the same value");
  ::dlclose(handle);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  helper = argv[1];
  directory = argv[2];
  const bool all = argc > 3 && std::strcmp(argv[3], "all") == 0;
  try {
    find_flang();
  } catch (const compile_error &e) {
    std::printf("skipped: %s\n", e.what());
    return 77;
  }
  bool nvidia = true;
  try {
    nvrtc();
    nvvm();
    nvjitlink();
  } catch (const compile_error &e) {
    std::printf("without cubins: %s\n", e.what());
    nvidia = false;
  }
  int number = 0;
  for (const integrand &i : fortran_integrands) try {
      same_values(i);
      if (nvidia && (all || number % 8 == 0)) linked(i);
      ++number;
    } catch (const std::exception &e) {
      check(false, std::string(i.file) + ": " + e.what());
    }
  for (int k = 4; k + 3 < argc; k += 4) try {
      const std::string all = argv[k], file = all.substr(0, all.find('+'));
      const integrand i = {file.c_str(), argv[k + 1], std::atoi(argv[k + 2]), std::atoi(argv[k + 3]), 0.0};
      integrand_source s = read_integrand("", i);
      for (std::size_t at = file.size(); at < all.size();) {
        const std::size_t end = std::min(all.find('+', at + 1), all.size());
        const std::string before = all.substr(at + 1, end - at - 1);
        const integrand_source b = read_integrand("", {before.c_str(), "", 1, 1, 0.0});
        s.files.push_back({before, b.text, true, b.fixed_form, false});
        at = end;
      }
      for (const auto program : {integrand_source::names::none, integrand_source::names::stripped}) {
        s.program = program;
        check(!fortran_to_nvvm(s, find_flang(), i.ndim, i.ncomp, 0, {}).empty(), i.file);
      }
    } catch (const std::exception &e) {
      check(false, std::string(argv[k]) + ": " + e.what());
    }
  try {
    stops();
    threads();
    several_files();
    values_of_the_program();
    if (nvidia) changes();
    if (nvidia && all) engine();
    if (nvidia && all) large(5000, 60.0);
  } catch (const std::exception &e) {
    check(false, e.what());
  }
  return checks::summary();
}
