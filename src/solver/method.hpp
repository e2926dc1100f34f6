// What the solver knows of a method: from options and domain to a problem, from a result to statistics. To add one: docs/internals.md.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../failure.hpp"
#include "../place.hpp"
#include "options.hpp"
#include "signature.hpp"
#include "tessera.h"

namespace tessera {

// What a method sees of its solver.
struct solver_view {
  const int ndim, ncomp;
  const std::vector<double> &lower, &upper;  // as the user gave them: reversed, infinite
  option_values &options;
  const std::unique_ptr<place> &host;  // of the last run there; or null
};

// One object for a method and a solver, with what stays from run to run. A run is
//   begin_run   of all methods of the solver: what was left of runs before goes
//   prepare     a problem from the options; where limits are equal the run ends here, after record_empty
//   start       where it is to run. With a device that may be done without, prepare and start come again for the host
//   (a place runs the problem and sets the result)
//   record      statistics, and what stays
//   end_run     of all methods
class method {
 public:
  explicit method(const solver_view &solver) : solver_(solver) {}
  method(const method &) = delete;
  method &operator=(const method &) = delete;
  virtual ~method() = default;

  virtual int most_device_ndim() const { return 0; }  // variables that a device takes; 0: any number
  virtual bool hands_complements() const { return false; }
  virtual bool hands_weights() const { return false; }
  virtual bool shares_evaluations(bool) const { return false; }  // with other ranks; on the host or on devices
  // Why no device takes what is set now, "" where one does. callback: the caller's program launches the integrand.
  virtual std::string trouble_with_devices(bool) const { return {}; }
  virtual bool takes_limit_functions() const { return false; }  // on a device
  virtual bool is_small_alone() const { return false; }         // a single integral: a device is no gain

  virtual void begin_run() {}
  // Settings of the method alone, the rest sets the solver. Throws failure.
  virtual problem &prepare(bool on_host) = 0;
  virtual void record_empty() {}
  virtual void start(bool) {}
  virtual run_result &new_result() = 0;  // of the method's type, empty
  virtual void record(bool on_host) = 0;
  // For the log: "lattice<where>: 20 evaluations, n = 10, 2 shifts"; where: "" or " on device 0".
  virtual std::string summary(const std::string &where) const = 0;
  virtual void end_run() {}
  // What has been given to it beside options.
  virtual void sign(fingerprint &) const {}
  // Many integrals have start_many and record_many in the place of start, record and end_run: what is given for the next run and what
  // a run leaves behind is for a single one.
  virtual void start_many(bool) {}
  virtual void record_many(const many_results &) {}

 protected:
  std::int64_t get_int(int key) const { return solver_.options.get_int(key); }
  double get_real(int key) const { return solver_.options.get_real(key); }
  void set_int(int key, std::int64_t value) { solver_.options.set_int(key, value); }
  void set_real(int key, double value) { solver_.options.set_real(key, value); }
  // Regions of so many points that are had by dividing with half of the evaluations.
  std::int64_t affordable_regions(std::int64_t points) const { return get_int(TESSERA_MAXEVAL) / (4 * points); }
  // TESSERA_LEAST_REGIONS, if they are. In eight and more variables what has a share of the volume worth mentioning is so wide that few regions see it.
  std::int64_t least_regions(std::int64_t points) const {
    const std::int64_t asked = get_int(TESSERA_LEAST_REGIONS), usual = solver_.ndim <= 7 ? 16 : 1;
    return std::max<std::int64_t>(1, std::min(asked > 0 ? asked : usual, affordable_regions(points)));
  }

  const solver_view solver_;
};

#define METHOD(name, number, constant)                                                      \
  static_assert(number == constant, "the numbers of enum tessera_method and of the table"); \
  std::unique_ptr<method> make_##name(const solver_view &solver);
#include "../methods.def"

}  // namespace tessera
