// tessera info: what the library finds on this machine. SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <thread>

#include <dlfcn.h>

#include "../jit/cache.hpp"
#include "../jit/integrand_source.hpp"
#include "../jit/process.hpp"
#include "../jit/programs.hpp"
#ifdef TESSERA_PROGRAM_CUDA
#include "../jit/fortran/flang.hpp"
#include "../jit/toolkit.hpp"
#endif
#include "command_line.hpp"
#include "devices.hpp"
#include "program.hpp"
#include "sentences.hpp"

namespace tessera {
namespace {

class table {
 public:
  explicit table(const streams &to) : to_(to) {}
  void row(const std::string &what, const std::string &is) const {
    std::fprintf(to_.out, "%-22s %s\n", what.c_str(), is.c_str());
    std::fflush(to_.out);
  }

 private:
  const streams &to_;
};

std::string place_of_library() {
  Dl_info found;
  return ::dladdr(reinterpret_cast<const void *>(&tessera_version_string), &found) != 0 && found.dli_fname
             ? found.dli_fname
             : "?";
}

// The first line that a compiler says of itself.
std::string said_by(const std::string &path) {
  try {
    const temporary_directory work;
    const process_result r = run_process({path, "--version"}, work.file("said"), true);
    return r.good() ? path + ": " + r.output.substr(0, r.output.find('\n')) : path;
  } catch (const std::runtime_error &) {
    return path;
  }
}

// What `ask` says, or why it cannot.
template <class Ask>
std::string answer(Ask ask) {
  try {
    return ask();
  } catch (const compile_error &e) {
    return std::string("none: ") + e.what();
  }
}

std::string fftw_sentence() {
  tessera_lattice *l = nullptr;
  const int status = tessera_lattice_create(&l, 2) == 0 ? tessera_lattice_construct(l, 5) : TESSERA_ERR_MEMORY;
  const std::string out =
      status == 0 ? "there, lattices can be constructed"
                  : std::string("none: ") + (l ? tessera_lattice_last_error(l) : tessera_status_string(status));
  tessera_lattice_destroy(l);
  return out;
}

// No communicator can be had here, but the plug-in for it is opened first.
std::string ranks_sentence() {
  const solver s(1, 1);
  const int status = tessera_set_comm_world(s.get());
  return status == TESSERA_ERR_NOT_BUILT ? "none: " + s.message() : "there, for programs that use MPI";
}

void compile_row(const table &t, const char *what, int language, const char *text, int device) {
  const solver s(1, 1);
  s.require(tessera_set_int(s.get(), TESSERA_DISK_CACHE, 0));
  s.require(tessera_set_int(s.get(), TESSERA_DEVICE, device));
  s.require(tessera_set_integrand_source(s.get(), language, text, "f"));
  const double x = 0.25;
  double f = 0.0;
  const int status = tessera_evaluate(s.get(), 1, &x, &f);
  t.row(what, status < 0 ? "failed: " + s.message()
              : f == 0.5 ? number_text("%.2f s", s.real(TESSERA_COMPILE_SECONDS))
                         : "failed: 2 * 0.25 is " + number_text("%.17g", f));
}

// Eight chains of fused multiply-adds, so long that making the point does not count.
constexpr int operations = 2 * 8 * 256;
constexpr const char *chains =
    "double f(const double *x) {\n"
    "  double a[8];\n"
    "  for (int i = 0; i < 8; ++i) a[i] = x[0] + i;\n"
    "  for (int k = 0; k < 256; ++k)\n"
    "    for (int i = 0; i < 8; ++i) a[i] = fma(a[i], 0.5, x[0]);\n"
    "  double s = 0.0;\n"
    "  for (int i = 0; i < 8; ++i) s += a[i];\n"
    "  return s;\n"
    "}\n";

// Operations a second in double precision, from a run of many points that takes long enough.
std::string measured_rate(int device) {
  const solver s(1, 1);
  s.require(tessera_set_int(s.get(), TESSERA_DEVICE, device));
  s.require(tessera_set_integrand_source(s.get(), TESSERA_LANGUAGE_CUDA, chains, "f"));
  s.require(tessera_set_int(s.get(), TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN));
  s.require(tessera_set_int(s.get(), TESSERA_GENERATOR, TESSERA_GENERATOR_PHILOX));
  s.require(tessera_set_real(s.get(), TESSERA_RELTOL, 0.0));
  double best = 0.0;
  for (int power = 18; power <= 28; power += 2) {
    const std::int64_t n = std::int64_t{1} << power;
    s.require(tessera_set_int(s.get(), TESSERA_POINTS, n));
    s.require(tessera_set_int(s.get(), TESSERA_MAXEVAL, n));
    double value = 0.0, error = 0.0;
    s.require(tessera_integrate(s.get(), TESSERA_MONTECARLO, &value, &error));
    const double seconds = s.real(TESSERA_SECONDS) - s.real(TESSERA_COMPILE_SECONDS);
    if (seconds > 0.0 && power > 18)  // the first run starts the device
      best = std::fmax(best, static_cast<double>(s.integer(TESSERA_EVALUATIONS)) * operations / seconds);
    if (power > 18 && seconds > 0.05) break;
  }
  return number_text("%.3g", best * 1e-12) + "e12 operations in double precision a second, measured";
}

void device_rows(const table &t, bool measure) {
  const device_list list = list_devices();
  t.row("CUDA driver", list.devices.empty() ? list.driver + "; no device" : list.driver);
  for (std::size_t i = 0; i < list.devices.size(); ++i) {
    const device_row &d = list.devices[i];
    const std::string name = "device " + std::to_string(i);
    t.row(name, d.name + ", compute capability " + std::to_string(d.major) + "." + std::to_string(d.minor) + ", " +
                    std::to_string(d.multiprocessors) + " multiprocessors, " + size_text(d.bytes) +
                    ", double precision at 1/" + std::to_string(d.double_ratio) + " of the single rate");
    if (!measure) continue;
    compile_row(t, "  to compile a text", TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return 2.0 * x[0]; }\n",
                static_cast<int>(i));
    std::string rate;
    try {
      rate = measured_rate(static_cast<int>(i));
    } catch (const command_failure &e) {
      rate = std::string("failed: ") + e.what();
    }
    t.row("  rate", rate);
  }
}

#ifdef TESSERA_PROGRAM_CUDA
std::string version_text(int major, int minor) {
  return "version " + std::to_string(major) + "." + std::to_string(minor);
}
void toolkit_rows(const table &t) {
  t.row("NVRTC", answer([] {
          int major = 0, minor = 0;
          nvrtc().version(&major, &minor);
          return version_text(major, minor);
        }));
  t.row("nvJitLink", answer([] {
          unsigned major = 0, minor = 0;
          nvjitlink().version(&major, &minor);
          return version_text(static_cast<int>(major), static_cast<int>(minor));
        }));
  t.row("libNVVM", answer([] {
          int major = 0, minor = 0;
          nvvm().version(&major, &minor);
          return version_text(major, minor);
        }));
  t.row("cuFFT", answer([] { return (void)cufft(), std::string("there"); }));
  t.row("cuRAND", answer([] { return (void)curand(), std::string("there"); }));
  t.row("flang, for devices", answer([] { return said_by(find_flang().path); }));
}
#endif

}  // namespace

int run_info(const std::vector<std::string> &arguments, const streams &to) {
  const command_line line(command_named("info"), arguments);
  if (!line.others().empty()) throw wrong_usage("'" + line.others()[0] + "' is one argument too many");
  const bool measure = !line.has("quick");
  const table t(to);
  t.row("tessera", tessera_version_string());
  t.row("library", place_of_library());
  t.row("processors", std::to_string(std::thread::hardware_concurrency()));
  const auto compiler = [](host_language l) { return answer([&] { return said_by(find_compiler(l).command[0]); }); };
  t.row("C compiler", compiler(host_language::c));
  t.row("C++ compiler", compiler(host_language::cxx));
  t.row("Fortran compiler", compiler(host_language::fortran));
  if (measure) {
    compile_row(t, "to compile C", TESSERA_LANGUAGE_C, "double f(const double *x) { return 2.0 * x[0]; }\n", -1);
    compile_row(t, "to compile CUDA C++", TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return 2.0 * x[0]; }\n",
                -1);
    compile_row(
        t, "to compile Fortran", TESSERA_LANGUAGE_FORTRAN,
        "double precision function f(x)\n  double precision, intent(in) :: x(1)\n  f = 2d0 * x(1)\nend function f\n",
        -1);
  }
  t.row("FFTW", fftw_sentence());
  t.row("MPI plug-in", ranks_sentence());
  device_rows(t, measure);
#ifdef TESSERA_PROGRAM_CUDA
  toolkit_rows(t);
#endif
  t.row("cache", cache_sentence(code_cache()));
  return exit_good;
}

}  // namespace tessera
