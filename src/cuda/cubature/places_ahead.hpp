// A look for modes (engine/cubature/mode_search.hpp) rehearsed while the first steps of a run are at work on the device and the host has nothing to do: the integrand at the usual places, by a kernel beside the steps,
// and, with the mean there for that of the run, what the look then asks for. Where the run comes to its look the values are there, mostly; what it does not ask for counts for nothing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "../../engine/cubature/mode_search.hpp"
#include "../../problem.hpp"
#include "../device/driver.hpp"
#include "kernel.hpp"

namespace tessera {

class places_ahead {
 public:
  places_ahead() = default;
  places_ahead(const places_ahead &) = delete;
  places_ahead &operator=(const places_ahead &) = delete;
  ~places_ahead();

  // For a run of that problem with that search, whose points may take so many bytes and have `kept` for their memory. All of it stays where it is until end().
  void begin(const cubature_problem &problem, mode_search &modes, int64 memory, looked_memory &kept,
             const loaded_kernel &kernel, CUdeviceptr params, CUstream stream);
  // Nothing of it is on its way any more.
  void end();

  // Before the first steps are launched in the run's stream: what has been sent there is on the device, for no stream waits for another.
  void prepare();
  // Behind their launch. They set *written when they are through; then it is no longer rehearsed.
  void start(const int *written);
  // Has the integrand said anything but numbers, which the steps may have heard? Waits for what is on its way.
  bool has_said();
  // The values[ncomp][n] at points x[ndim][n], if they have been asked for and all are numbers.
  bool take(int64 n, const double *x, double *values);

 private:
  // Points of which the device has been told.
  struct asked_points {
    int64 n;
    std::vector<double> x;  // [ndim][n], for those there may become the user's; usual places, which stay: none
    double *values;         // [ncomp][n]
    const int *said;
    bool is_there, is_good;  // has it been seen there, and nothing but numbers?
  };
  static constexpr std::size_t most_asked = 4;  // times: climbs from there on are not rehearsed

  asked_points *ask(int64 n, const double *x);
  void look_at(asked_points &a, const int *written) const;
  void see(asked_points &a) const;
  outcome sample(int64 n, const double *x, double *values, const int *written);
  void rehearse(const int *written);

  const cubature_problem *problem_ = nullptr;
  mode_search *modes_ = nullptr;
  int64 bytes_ = 0;
  looked_memory *kept_ = nullptr;
  const loaded_kernel *kernel_ = nullptr;
  CUdeviceptr params_ = 0;
  CUstream stream_ = nullptr, beside_ = nullptr;  // of the steps, and of its own
  places_to_look_at places_ = {};
  std::vector<asked_points> asked_;
  mapped_memory memory_;
  std::size_t taken_ = 0;  // numbers of it
};

}  // namespace tessera
