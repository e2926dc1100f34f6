// The seam to the device plug-in: what libtessera asks of it. No CUDA in it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend.hpp"
#include "engine/construct/cbc_state.hpp"
#include "jit/integrand_source.hpp"
#include "many.hpp"

namespace tessera {

// How the integrand reached the device: a callback that launches it, else a text.
struct device_integrand {
  device_batch_function batch = nullptr;
  void *userdata = nullptr;           // of the callback; null: it receives the address of the parameters on the device
  integrand_source source;
  std::vector<unsigned char> params;  // copied to the device before each run
  bool disk_cache = true;
};

struct device_report {
  double compile_seconds = 0.0;
  bool inlined = true;
  std::string remark;  // what the integrand did that has no effect on a device; "" for nothing
};

// One device, with the memory and the kernels of one solver. All calls restore the caller's current device.
class device_session {
 public:
  virtual ~device_session() = default;
  // Throws compile_error (the user's text), device_failure.
  virtual run_result cubature(const cubature_problem &problem, const device_integrand &integrand, run_hooks &hooks,
                              double *value, double *error, device_report &report) = 0;
  // The rows of a problem: value and error [rows][ncomp], set where has_value. Without problem.params all have the parameters
  // of the integrand.
  virtual many_results cubature_many(const many_problem &problem, const device_integrand &integrand, many_hooks &watch,
                                     double *value, double *error, device_report &report) = 0;
  virtual lattice_result lattice(const lattice_problem &problem, const device_integrand &integrand, run_hooks &hooks,
                                 double *value, double *error, device_report &report) = 0;
  // As host_monte_carlo.
  virtual sampling_result monte_carlo(const sampling_problem &problem, const device_integrand &integrand,
                                      std::vector<double> &grid, run_hooks &hooks, double *value, double *error,
                                      double *chi_square, device_report &report) = 0;
  // The integrand at n points in the user's coordinates: x[ndim][n], f[ncomp][n], and for lattices with complements these behind
  // the coordinates. Returns why it asked to stop, "" if it did not.
  virtual std::string evaluate(const lattice_problem &problem, const device_integrand &integrand, int64 n, const double *x,
                               double *f) = 0;
  virtual std::string evaluate(const sampling_problem &problem, const device_integrand &integrand, int64 n, const double *x,
                               double *f) = 0;
  virtual std::string evaluate(const cubature_problem &problem, const device_integrand &integrand, int64 n, const double *x,
                               double *f) = 0;
  // The work of later calls comes after what is in this stream (a CUstream); null: a stream of the session's own.
  virtual void use_stream(void *stream) = 0;
};

// There is no plug-in, driver or device (missing), or the device failed.
class device_failure : public std::runtime_error {
 public:
  device_failure(const std::string &message, bool missing) : std::runtime_error(message), missing_(missing) {}
  bool missing() const { return missing_; }

 private:
  bool missing_;
};

// What the plug-in exports under the name tessera_device_plugin.
struct device_plugin {
  int abi;
  int (*device_count)();                 // throws device_failure
  device_session *(*open)(int ordinal);  // throws device_failure
  // A generating vector, as host_construct. Throws device_failure, compile_error and bad_alloc.
  bool (*construct)(int ordinal, const cbc_settings &settings, bool single_precision, cbc_hooks &hooks, cbc_result &result);
  int64 (*free_memory)(int ordinal);     // bytes that a construction may take; throws device_failure
};
using device_plugin_entry = const device_plugin *(*)();

// Opens the plug-in on first use. Throws device_failure with a message.
const device_plugin &load_device_plugin();

}  // namespace tessera
