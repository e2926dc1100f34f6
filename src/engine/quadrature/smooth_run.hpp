// The adaptive run of one component without a weight, in memory that does not grow: a run for which there is no room left ends.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "end_probes.hpp"
#include "quadrature.hpp"

namespace tessera {

// Calls start(...) with what a careful run is constructed from, but for its arrays, and set_least. points[pieces + 1]: between them.
template <class Start>
TESSERA_HD void start_careful_run(const quadrature_settings &s, tolerances<double> wanted, const double *points,
                                  int pieces, int *levels, int *doubtful, const interval_arrays<double, int> &arrays,
                                  const Start &start) {
  const int64 least = s.mineval / (2 * s.pairs + 1) / 2 + 2;
  extrapolating_run<double, int> &run = pieces == 1 ? start(interval<double>{points[0], points[1]}, 0.0,
                                                            static_cast<int *>(nullptr), wanted, arrays, most_intervals)
                                                    : start(points, pieces, levels, doubtful, wanted, arrays,
                                                            most_intervals < 2 * pieces ? 2 * pieces : most_intervals);
  run.set_least(static_cast<int>(least < most_intervals ? least : most_intervals - 1),
                static_cast<double>(s.least_intervals));
}

class smooth_run {
 public:
  // All of `capacity` elements; levels and doubtful for ranges in pieces.
  struct memory {
    interval_arrays<double, int> arrays;
    int *levels = nullptr, *doubtful = nullptr;
    int capacity = 0;
  };

  TESSERA_HD void set_memory(const memory &m) {
    memory_ = m;
    lacks_room_ = false;
  }
  TESSERA_HD bool lacks_room() const { return lacks_room_; }

  TESSERA_HD TESSERA_APART void begin(const quadrature_settings &s, const quadrature_range &, tolerances<double> wanted,
                                      const double *points, int pieces) {
    ended_ = false;
    probes_.stop();
    start_careful_run(s, wanted, points, pieces, memory_.levels, memory_.doubtful, memory_.arrays,
                      [this](auto... how) -> extrapolating_run<double, int> & {
                        return run_ = extrapolating_run<double, int>(how...);
                      });
  }
  TESSERA_HD const quadrature_request<double, int> &request() const {
    return probes_.is_active() ? probes_.request() : run_.request();
  }
  TESSERA_HD bool can_stop() const { return run_.request().count != 1; }
  TESSERA_HD bool ended() const { return ended_; }
  TESSERA_HD quadrature_end end() const { return end_; }
  TESSERA_HD double value() const { return run_.value(); }
  TESSERA_HD double error() const { return run_.error() < 0.0 ? 0.0 : run_.error(); }  // by rounding
  TESSERA_HD int64 intervals() const { return run_.size(); }
  // Without a weight.
  TESSERA_HD const interval_list<double, int> &list() const { return run_.list(); }
  TESSERA_HD void look_into(double u) {
    run_.look_into(u);
    ended_ = false;
  }
  TESSERA_HD interval<double> place() const { return run_.selected(); }
  TESSERA_HD static constexpr bool mirrored() { return false; }

  TESSERA_HD TESSERA_APART void tell(const interval_estimate<double> *e) {
    if (run_.size() >= memory_.capacity) {
      lacks_room_ = ended_ = true;
      end_ = quadrature_end::limit;
      return;
    }
    if (probes_.is_active()) {
      if (probes_.tell(e)) return;
      e = probes_.estimates();
    } else if (probes_.begin(run_, e)) {
      return;
    }
    run_.tell(e);
    if (run_.request().count > 0) return;
    ended_ = true;
    end_ = run_.end();
  }
  TESSERA_HD TESSERA_APART void stop(quadrature_end why) {
    if (ended_) return;
    probes_.stop();
    run_.stop_with_best(why);
    ended_ = true;
    end_ = run_.end();
  }

 private:
  memory memory_;
  extrapolating_run<double, int> run_;
  end_probes<double, int> probes_;
  bool ended_ = false, lacks_room_ = false;
  quadrature_end end_ = quadrature_end::converged;
};

}  // namespace tessera
