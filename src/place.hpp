// The seam: a place where methods are run on integrands. The host is one, and so is each device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/construct/cbc_state.hpp"
#include "jit/data_notes.hpp"
#include "jit/deadline.hpp"
#include "jit/integrand_source.hpp"
#include "many.hpp"
#include "problem.hpp"

namespace tessera {

// How an integrand reaches a device: a callback that launches it, else a text or code. The host calls the function in the problem.
struct device_integrand {
  device_batch_function batch = nullptr;
  void *userdata = nullptr;  // of the callback; null: it receives the address of the parameters on the device
  integrand_source source;
  std::vector<unsigned char> params;  // copied to the device before each run
  bool disk_cache = true;
  deadline until;  // of the run, for what is made before its first step
};

// What a device has to say of a run beside its result.
struct device_report {
  double compile_seconds = 0.0;
  bool inlined = true;
  int devices = 1;     // that took part
  data_notes notes;    // what the integrand does with the program's data
  std::string remark;  // what the integrand did that has no effect on a device; "" for nothing
};

// With the threads or kernels and the memory of one solver, used again from run to run. A problem must stay where it is until the next
// run. Places on devices throw compile_error (the user's text; out_of_time) and device_failure, and restore the caller's current device.
class place {
 public:
  virtual ~place() = default;

  // value[ncomp] and error[ncomp] are set where the result has_value. result: new, of the method's own type.
  virtual void run(const problem &problem, const device_integrand &integrand, run_hooks &hooks, double *value,
                   double *error, run_result &result, device_report &report) = 0;
  // The rows of a problem: value and error [rows][ncomp]. Without problem.params all have the parameters of the integrand.
  virtual many_results run_many(const many_problem &problem, const device_integrand &integrand, many_hooks &watch,
                                double *value, double *error, device_report &report) = 0;

  // The integrand at n points in the user's coordinates: x[coordinates][n], f[ncomp][n]; problem.coordinates() numbers a point.
  // Returns why it asked to stop, "" if it did not.
  virtual std::string evaluate(const problem &problem, const device_integrand &integrand, int64 n, const double *x,
                               double *f) = 0;

  // A generating vector, in single or double precision. False: stopped. Throws fft_missing and bad_alloc as well.
  virtual bool construct(const cbc_settings &settings, bool single_precision, cbc_hooks &hooks, cbc_result &result) = 0;
  virtual int64 memory_to_construct() = 0;  // bytes that it may take

  // The regions of a cubature, between its steps and after it; -1 when they are not complete. On the host.
  virtual int64 regions() const { return -1; }
  virtual void read_regions(int64, int64, double *) {}
  // Gives back what a large run has taken.
  virtual void release() {}
  // Ranks whose places are alike may share a run: work is cut in one way there.
  virtual int64 kind() const { return 0; }
  // The work of later calls comes after what is in this stream (a CUstream); null: a stream of the place's own. On a device.
  virtual void use_stream(void *) {}
};

// What a construction on the host needs is not installed.
class fft_missing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::unique_ptr<place> make_host_place();
// That of CUDA ordinals, the first of which does small work alone; the host where there are none. Throws device_failure.
std::unique_ptr<place> open_place(const std::vector<int> &devices);

}  // namespace tessera
