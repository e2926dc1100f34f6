// The limit of an integral as a parameter goes to 0: integrals side by side, and what their extrapolation makes of them and of their errors.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "../extrapolate.hpp"
#include "../problem.hpp"
#include "solver.hpp"

using tessera::failure;
using tessera::shown_number;

namespace {

constexpr int least_members = 6;  // by which the error of the epsilon algorithm means something
constexpr int first_members = 8;  // integrated at once,
constexpr int more_members = 4;   // and each time that they were not enough
constexpr int most_members = 100;
constexpr double share = 0.1;  // of the limit's tolerance: that of an integral at first
constexpr double least_reltol = 1e-14;
constexpr double least_step = 10.0, largest_step = 1e4;  // from one tolerance of the integrals to the next

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

void refuse(const std::string &message) { throw failure(TESSERA_ERR_ARGUMENT, message); }

// The tolerances of a solver while they are those of integrals, and its time while it is shared out.
class lent_options {
 public:
  explicit lent_options(tessera::option_values &of)
      : of_(of),
        reltol_(of.get_real(TESSERA_RELTOL)),
        abstol_(of.get_real(TESSERA_ABSTOL)),
        seconds_(of.get_real(TESSERA_MAX_SECONDS)) {
    asked_.reltol = reltol_;
    asked_.abstol = abstol_;
    asked_.complex_values = of.get_int(TESSERA_COMPLEX) != 0;
  }
  ~lent_options() {
    of_.set_real(TESSERA_RELTOL, reltol_);
    of_.set_real(TESSERA_ABSTOL, abstol_);
    of_.set_real(TESSERA_MAX_SECONDS, seconds_);
  }
  lent_options(const lent_options &) = delete;
  lent_options &operator=(const lent_options &) = delete;

  const tessera::run_settings &asked() const { return asked_; }
  // For the integrals: a part of it. False: double precision has no smaller one.
  bool lend(double part) {
    if (part < part_ && (reltol_ == 0.0 || part_ * reltol_ <= least_reltol)) return false;
    part_ = part;
    of_.set_real(TESSERA_RELTOL, reltol_ > 0.0 ? std::fmax(part * reltol_, least_reltol) : 0.0);
    of_.set_real(TESSERA_ABSTOL, part * abstol_);
    return true;
  }
  double part() const { return part_; }
  // False: the time is over.
  bool lend_time(double spent) {
    if (seconds_ <= 0.0 || !std::isfinite(seconds_)) return true;
    of_.set_real(TESSERA_MAX_SECONDS, seconds_ - spent);
    return spent < seconds_;
  }

 private:
  tessera::option_values &of_;
  const double reltol_, abstol_, seconds_;
  tessera::run_settings asked_;  // the tolerances of the limit
  double part_ = tessera::infinity_value();
};

// The integrals so far, component by component.
class sequence {
 public:
  sequence(const tessera::approach &to_zero, int ncomp)
      : method_(static_cast<tessera::extrapolation>(to_zero.extrapolation)), ncomp_(ncomp) {
    double h = to_zero.first;
    for (int j = 0; j < to_zero.most; ++j, h *= to_zero.ratio) parameter.push_back(h);
  }

  std::vector<double> parameter, values, errors;  // [most], [members][ncomp]

  int members() const { return static_cast<int>(values.size()) / ncomp_; }
  // Keeps what comes before the first that has no result.
  void keep_results() {
    int n = 0;
    const auto has_result = [this](int j) {
      for (int k = 0; k < ncomp_; ++k)
        if (!std::isfinite(values[at(j * ncomp_ + k)]) || !std::isfinite(errors[at(j * ncomp_ + k)])) return false;
      return true;
    };
    while (n < members() && has_result(n)) ++n;
    values.resize(at(n * ncomp_));
    errors.resize(at(n * ncomp_));
  }

  struct judged {
    double value, extrapolation, noise;  // its error by the extrapolation, and by the errors of the integrals
  };
  judged limit(int k) const {
    std::vector<double> s;
    for (int j = 0; j < members(); ++j) s.push_back(values[at(j * ncomp_ + k)]);
    const tessera::sequence_limit all = of(s, s.size()), fewer = of(s, s.size() - 1);
    judged found = {all.value, std::fmax(all.error, std::fabs(all.value - fewer.value)), 0.0};
    for (std::size_t j = 0; j < s.size(); ++j) {
      const double was = s[j];
      s[j] += errors[j * at(ncomp_) + at(k)];
      found.noise = std::hypot(found.noise, of(s, s.size()).value - all.value);
      s[j] = was;
    }
    if (!tessera::is_sound(all) || !std::isfinite(found.extrapolation) || !std::isfinite(found.noise))
      found = {s.back(), tessera::infinity_value(), 0.0};
    return found;
  }

 private:
  tessera::sequence_limit of(const std::vector<double> &s, std::size_t n) const {
    return tessera::limit_of_sequence(method_, parameter.data(), s.data(), static_cast<tessera::int64>(n));
  }
  tessera::extrapolation method_;
  int ncomp_;
};

// Ends the whole call, not an integral alone.
bool is_interrupted(int end) {
  return end < 0 || end == TESSERA_STOPPED || end == TESSERA_LIMIT_TIME || end == TESSERA_CALLBACK_STOPPED;
}

void check_approach(const tessera::approach &a, std::size_t bytes) {
  if (bytes < sizeof(double) || a.offset > bytes - sizeof(double))
    refuse("offset = " + std::to_string(a.offset) + ": the parameter block of tessera_set_params has " +
           std::to_string(bytes) + " bytes, and the number that goes to 0 needs " + std::to_string(sizeof(double)) +
           " of them");
  if (!std::isfinite(a.first) || a.first == 0.0)
    refuse("first = " + shown_number(a.first) + " is not a number beside 0");
  if (!(a.ratio > 0.0 && a.ratio < 1.0)) refuse("ratio = " + shown_number(a.ratio) + " is not between 0 and 1");
  if (a.extrapolation < TESSERA_EXTRAPOLATE_EPSILON || a.extrapolation > TESSERA_EXTRAPOLATE_LEVIN)
    refuse("extrapolation = " + std::to_string(a.extrapolation) + " is not a value of enum tessera_extrapolation");
  if (a.most < least_members || a.most > most_members)
    refuse("most = " + std::to_string(a.most) + " is not within " + std::to_string(least_members) + " .. " +
           std::to_string(most_members));
  if (std::fabs(a.first) * std::pow(a.ratio, a.most - 1) == 0.0)
    refuse("first = " + shown_number(a.first) + ", ratio = " + shown_number(a.ratio) + ": the last of " +
           std::to_string(a.most) + " numbers would be 0 in double precision");
}

}  // namespace

int tessera_solver::integrate_limit_here(int method, const tessera::approach &to_zero, double *value, double *error,
                                         const tessera::limit_table &table) {
  if (!value || !error) refuse(value ? "error is NULL" : "value is NULL");
  check_approach(to_zero, params_bytes_);
  const auto start = std::chrono::steady_clock::now();
  const auto spent = [&] {
    return agreed_seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  };
  lent_options lent(options_);
  lent.lend(share);
  sequence members(to_zero, ncomp_);
  constexpr int sums[] = {TESSERA_EVALUATIONS, TESSERA_REGIONS, TESSERA_ITERATIONS, TESSERA_NONFINITE_POINTS};
  std::int64_t totals[] = {0, 0, 0, 0}, peak = 0;
  int end = TESSERA_OK;  // of the integrals

  // Integrals up to `until` that there are not yet. False: not all have a result.
  const auto integrate_to = [&](int until) {
    const int from = members.members(), n = until - from;
    if (!lent.lend_time(spent())) {
      end = TESSERA_LIMIT_TIME;
      last_error = "TESSERA_MAX_SECONDS is over after " + std::to_string(from) + " integrals";
      return false;
    }
    std::vector<unsigned char> blocks(at(n) * params_bytes_);
    for (int j = 0; j < n; ++j) {
      unsigned char *const block = &blocks[at(j) * params_bytes_];
      std::memcpy(block, params(), params_bytes_);
      std::memcpy(block + to_zero.offset, &members.parameter[at(from + j)], sizeof(double));
    }
    std::vector<double> v(at(n * ncomp_), tessera::nan_value()), e(v.size(), tessera::infinity_value());
    std::vector<int> ends(at(n), TESSERA_OK);
    int worst;
    try {
      worst =
          integrate_many(method, n, blocks.data(), params_bytes_, nullptr, nullptr, v.data(), e.data(), ends.data());
    } catch (const failure &f) {
      if (from < 2) throw;
      last_error = f.what();
      end = TESSERA_SOME_FAILED;  // what there is before is not lost
      return false;
    }
    for (int i = 0; i < 4; ++i) totals[i] += options_.get_int(sums[i]);
    peak = std::max(peak, options_.get_int(TESSERA_PEAK_MEMORY));
    members.values.insert(members.values.end(), v.begin(), v.end());
    members.errors.insert(members.errors.end(), e.begin(), e.end());
    members.keep_results();
    const bool failed = worst == TESSERA_SOME_FAILED && members.members() < 2;
    end = failed ? *std::min_element(ends.begin(), ends.end()) : std::max(end, worst);
    return members.members() == until;
  };

  std::vector<sequence::judged> limits(at(ncomp_));
  bool met = false, all_there = integrate_to(std::min(first_members, to_zero.most));
  for (;;) {
    if (members.members() < 2 && end < 0) return end;
    double noise = 0.0, left = 0.0;  // the largest, of what is tolerated
    const int known = members.members() > 1 ? ncomp_ : 0;
    for (int k = 0; k < known; ++k) limits[at(k)] = members.limit(k);
    for (int k = 0; k < known; ++k) {
      const double tau = tessera::tolerated(lent.asked(), k, [&](int c) -> tessera::value_and_error {
        return {limits[at(c)].value, limits[at(c)].extrapolation + limits[at(c)].noise};
      });
      const auto of_tolerated = [tau](double e) {
        return e <= 0.0 ? 0.0 : tau > 0.0 ? e / tau : tessera::infinity_value();
      };
      noise = std::fmax(noise, of_tolerated(limits[at(k)].noise));
      left = std::fmax(left, of_tolerated(limits[at(k)].extrapolation + limits[at(k)].noise));
    }
    met = members.members() >= least_members && left <= 1.0;
    if (met || !all_there || is_interrupted(end)) break;
    const int n = members.members();
    // Where integrals could not meet their tolerances another will not be met either.
    const double step = std::fmin(std::fmax(noise / share, least_step), largest_step);
    if (noise > 0.5 && end == TESSERA_OK && lent.lend(lent.part() / step)) {
      const sequence before = members;
      members.values.clear();
      members.errors.clear();
      all_there = integrate_to(n);
      if (members.members() < n) members = before;
    } else if (n < to_zero.most && left > 2.0 * noise) {
      all_there = integrate_to(std::min(n + more_members, to_zero.most));
    } else {
      break;
    }
  }

  const int n = members.members();
  for (int k = 0; k < ncomp_; ++k) {
    const bool judged = n > 1;
    value[k] = judged ? limits[at(k)].value : n == 1 ? members.values[at(k)] : tessera::nan_value();
    error[k] = judged ? limits[at(k)].extrapolation + limits[at(k)].noise : tessera::infinity_value();
  }
  if (table.count) *table.count = n;
  if (table.parameter) std::copy_n(members.parameter.begin(), n, table.parameter);
  if (table.values) std::copy(members.values.begin(), members.values.end(), table.values);
  if (table.errors) std::copy(members.errors.begin(), members.errors.end(), table.errors);
  for (int i = 0; i < 4; ++i) options_.set_int(sums[i], totals[i]);
  options_.set_int(TESSERA_PEAK_MEMORY, peak);
  options_.set_real(TESSERA_SECONDS, spent());
  if (met) {
    last_error.clear();
    return TESSERA_OK;
  }
  if (end != TESSERA_OK) return end;
  last_error =
      "the limit of " + std::to_string(n) + " integrals has an error of " +
      shown_number(*std::max_element(error, error + ncomp_)) +
      (n == to_zero.most ? "; most = " + std::to_string(n) + " are not enough"
                         : "; the errors of the integrals, which double precision limits, are too large for it");
  return TESSERA_SLOW_CONVERGENCE;
}
