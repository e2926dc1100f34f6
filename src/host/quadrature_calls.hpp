// Calls of the integrand for integrals over one variable.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "quadrature_integral.hpp"
#include "../problem.hpp"
#include "step_watch.hpp"

namespace tessera {

class quadrature_calls {
 public:
  // more: further coordinates of a point, beside those of the problem; ndim: what the integrand is told.
  void start(const quadrature_problem &p, const host_integrand &f, run_hooks &hooks, int more = 0, int ndim = 1) {
    f_ = f;
    ndim_ = ndim;
    if (coordinates_ != p.coordinates() + more || ncomp_ != p.ncomp()) stride_ = 0;
    coordinates_ = p.coordinates() + more;
    ncomp_ = p.ncomp();
    batch_points_ = p.batch_points;
    status_ = 0;
    message_.clear();
    watch_.start(hooks, f_);
  }
  int status() const { return status_; }
  void forget_status() {
    status_ = 0;
    message_.clear();
  }
  const std::string &message() const { return message_; }

  // Room for so many points; x[coordinates][stride], f[ncomp][stride].
  void prepare(int64 points) {
    if (points <= stride_) return;
    stride_ = 0;
    const int64 room = (points | 7) + 1;
    x_.resize(static_cast<std::size_t>(room * coordinates_));
    f_values_.resize(static_cast<std::size_t>(room * ncomp_));
    point_.resize(static_cast<std::size_t>(coordinates_));
    component_.resize(static_cast<std::size_t>(ncomp_));
    stride_ = room;
  }
  int64 stride() const { return stride_; }
  double *x() { return x_.data(); }
  const double *f() const { return f_values_.data(); }

  // At n points. Returns running, or why the run ends: the integrand has asked for it, or the time is over.
  outcome call(int64 n);

 private:
  int call_points(int64 n);

  host_integrand f_;
  int ndim_ = 1, coordinates_ = 1, ncomp_ = 1, status_ = 0;
  int64 batch_points_ = 1, stride_ = 0;
  std::vector<double> x_, f_values_, point_, component_;
  std::string message_;
  step_watch watch_;
};

// Until its end, or that of the evaluations and of the time.
void run_integral(quadrature_integral &integral, quadrature_calls &calls, const quadrature_settings &s,
                  run_hooks &hooks);

}  // namespace tessera
