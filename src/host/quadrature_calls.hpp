// Calls of the integrand for integrals over one variable.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "point_block.hpp"
#include "../quadrature_integral.hpp"
#include "../problem.hpp"

namespace tessera {

class quadrature_calls {
 public:
  // more: further coordinates of a point, beside those of the problem; ndim: what the integrand is told.
  void start(const quadrature_problem &p, const host_integrand &f, run_hooks &hooks, int more = 0, int ndim = 1) {
    f_ = f;
    answers_ = p.answers;
    ndim_ = ndim;
    if (coordinates_ != p.coordinates() + more || ncomp_ != p.ncomp()) block_.stride = 0;
    coordinates_ = p.coordinates() + more;
    ncomp_ = p.ncomp();
    batch_points_ = p.batch_points;
    forget_status();
    block_.watch.start(hooks, f_);
  }
  int status() const { return status_; }
  void forget_status() {
    status_ = 0;
    message_.clear();
  }
  const std::string &message() const { return message_; }

  // Room for so many points; x[coordinates][stride], f[ncomp][stride].
  void prepare(int64 points) { prepare_block(block_, points, coordinates_, ncomp_); }
  int64 stride() const { return block_.stride; }
  double *x() { return block_.x.data(); }
  const double *f() const { return block_.f.data(); }

  // At n points. Returns running, or why the run ends: the integrand has asked for it, or the time is over.
  outcome call(int64 n);

 private:
  outcome call_integrand(int64 n);
  host_integrand f_;
  kept_answers *answers_ = nullptr;  // those that are known, and where they are kept; or null
  int ndim_ = 1, coordinates_ = 1, ncomp_ = 1, status_ = 0;
  int64 batch_points_ = 1;
  point_block block_;
  std::string message_;
};

// Until its end, or that of the evaluations and of the time.
void run_integral(quadrature_integral &integral, quadrature_calls &calls, const quadrature_settings &s,
                  run_hooks &hooks);

}  // namespace tessera
