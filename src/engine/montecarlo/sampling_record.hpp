// The state of a Monte Carlo run between two iterations as plain numbers. What has one lists its members once, in a template
// transfer(direction), which serves for writing and for reading.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <vector>

#include "importance_grid.hpp"
#include "sample_pool.hpp"
#include "sampling_state.hpp"
#include "strata.hpp"

namespace tessera {

class record_writer {
 public:
  explicit record_writer(std::vector<double> &to) : to_(to) {}
  template <class Integer>
  void whole(Integer &v) {
    to_.push_back(static_cast<double>(v));
  }
  void expect(int v) { whole(v); }
  void real(double &v) { to_.push_back(v); }
  void reals(std::vector<double> &v, std::size_t) { to_.insert(to_.end(), v.begin(), v.end()); }
  void give_up() {}

 private:
  std::vector<double> &to_;
};

// A record may come from anywhere: what is not a whole number or is missing makes it bad.
class record_reader {
 public:
  explicit record_reader(const std::vector<double> &from) : from_(from) {}
  template <class Integer>
  void whole(Integer &v) {
    constexpr double most = sizeof(Integer) == 8 ? 9007199254740992.0 : sizeof(Integer) == 4 ? 2147483647.0 : 1.0;
    double d = 0.0;
    real(d);
    good_ = good_ && d >= 0.0 && d <= most && d == std::floor(d);
    if (good_) v = static_cast<Integer>(d);
  }
  void expect(int v) {
    int found = -1;
    whole(found);
    good_ = good_ && found == v;
  }
  void real(double &v) {
    good_ = good_ && at_ < from_.size();
    if (!good_) return;
    v = from_[at_++];
    good_ = !std::isnan(v);
  }
  void reals(std::vector<double> &v, std::size_t n) {
    good_ = good_ && n <= from_.size() - at_;
    if (!good_) return;
    v.resize(n);
    for (double &d : v) real(d);
  }
  void give_up() { good_ = false; }
  bool complete() const { return good_ && at_ == from_.size(); }

 private:
  const std::vector<double> &from_;
  std::size_t at_ = 0;
  bool good_ = true;
};

// Where a run of VEGAS stands.
struct vegas_course {
  int64 samples = 0;                            // of the next iteration
  uint32 iteration = 0;                         // of the warm-up and for the result
  int warmups = 0, stale = 0;                   // iterations of the warm-up, and how many in turn have brought little
  bool over = false;                            // the warm-up
  double spent = 0.0, best = infinity_value();  // samples of the warm-up, and the least error of one of them

  template <class Direction>
  void transfer(Direction &to) {
    to.whole(samples);
    to.whole(iteration);
    to.whole(warmups);
    to.whole(stale);
    to.whole(over);
    to.real(spent);
    to.real(best);
  }
};

// Everything that the next iteration of VEGAS depends on, apart from the settings.
template <class Direction>
void transfer_run(Direction &to, int ndim, int ncomp, sampling_statistics &statistics, vegas_course &course,
                  std::vector<double> &scale, std::vector<double> &grid, strata_cut &cut, std::vector<double> &spread,
                  sample_pool &pool) {
  to.expect(ndim);
  to.expect(ncomp);
  to.whole(statistics.evaluations);
  to.whole(statistics.iterations);
  course.transfer(to);
  to.reals(scale, static_cast<std::size_t>(ncomp));
  to.reals(grid, static_cast<std::size_t>(ndim) * grid_edges);
  cut.transfer(to);
  bool known = !spread.empty();
  to.whole(known);
  if (known) to.reals(spread, static_cast<std::size_t>(cut.cubes()));
  pool.transfer(to);
}

// Can this be the record of a run with so many variables and components? Sets its grid.
inline bool is_sampling_record(int ndim, int ncomp, const std::vector<double> &record, std::vector<double> &grid) {
  record_reader in(record);
  sampling_statistics statistics;
  vegas_course course;
  std::vector<double> scale, spread;
  strata_cut cut(ndim);
  sample_pool pool(ncomp);
  transfer_run(in, ndim, ncomp, statistics, course, scale, grid, cut, spread, pool);
  if (!in.complete() || !is_grid(ndim, grid) || course.samples < least_samples || !pool.is_possible()) return false;
  for (const double v : scale)
    if (!(v > 0.0 && v <= 1e300)) return false;
  return true;
}

}  // namespace tessera
