// SPDX-License-Identifier: BSD-3-Clause
#include "twin.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "device_solver.hpp"
#include "report.hpp"
#include "run.hpp"
#include "settings.hpp"

namespace dropin {
namespace {

constexpr std::int64_t most_regions = 1024, least_regions = 2;  // at the start of a run on a device
constexpr std::int64_t least_samples = 16384;                   // of Monte Carlo
constexpr std::int64_t steps = 8;                               // there should be room for more than the start
// A run with no more evaluations than that, which a device did not finish, is tried on the host too: it decides one by one.
constexpr std::int64_t cheap = 1000000;
constexpr int most_compared = 25;  // variables of cubature, by whose way the comparison is made

// The host function, timed while it is compared with the twin.
struct timed_calls {
  const twin_problem &p;
  stop_watch run = {};
  int calls = 0;
  stop_watch::clock::time_point first = {}, last = {};

  static int call(int n, const double *x, int k, double *f, void *watch) {
    auto &self = *static_cast<timed_calls *>(watch);
    if (self.calls++ == 0) self.first = stop_watch::clock::now();
    const int status = self.p.point(n, x, k, f, self.p.userdata);
    self.last = stop_watch::clock::now();
    return status;
  }

  void finish(std::int64_t evaluations) const {
    if (calls > 0) run.finish(p.routine, p.function, stop_watch::seconds(first, last) / calls, evaluations);
  }
};

int stop_when_cancelled(std::int64_t, int, const double *, const double *, std::int64_t, void *watch) {
  return static_cast<const cancel_watch *>(watch)->cancelled();
}

int integrate_on_host(tessera_solver *s, double *value, double *error) {
  tessera_set_int(s, TESSERA_MAXEVAL, 1);
  tessera_set_int(s, TESSERA_MINEVAL, 0);
  return tessera_integrate(s, TESSERA_CUBATURE, value, error);
}

}  // namespace

bool run_twin(const twin_problem &p, double *value, double *error, twin_end &end) {
  if (tessera_set_twin(nullptr, p.function, nullptr) != TESSERA_OK) return false;
  const auto say = [&p](remark r, const std::string &message) { report_once(p.routine, p.function, r, message); };
  const device_solver borrowed(p.ndim, p.ncomp);
  tessera_solver *s = borrowed.get();
  if (!s) return false;
  if (tessera_set_twin(s, p.function, p.user_data) != TESSERA_OK) {
    const std::string why = tessera_last_error(s);
    if (!why.empty()) say(remark::useless, why);
    return false;
  }
  const bool cubature = p.method == TESSERA_CUBATURE;
  const std::int64_t regions = std::min(most_regions, p.maxeval / (steps * p.rule_points));
  if (cubature ? regions < least_regions : p.maxeval < least_samples) {
    say(remark::too_small, std::to_string(p.maxeval) + " evaluations, all that are allowed, are too few for a device");
    return false;
  }
  const std::vector<double> zeros(static_cast<std::size_t>(p.ndim), 0.0), ones(zeros.size(), 1.0);
  if (tessera_set_domain(s, p.lower ? p.lower : zeros.data(), p.upper ? p.upper : ones.data()) != TESSERA_OK)
    return false;  // the host says what is wrong with it
  timed_calls time = {p};
  if (report_wanted())
    tessera_set_integrand1(s, timed_calls::call, &time);
  else
    tessera_set_integrand1(s, p.point, p.userdata);
  tessera_set_int(s, TESSERA_DEVICE, devices().first());
  if (cubature) tessera_set_int(s, TESSERA_INITIAL_REGIONS, regions);
  if (p.prepare) p.prepare(s, p.context);
  tessera_set_int(s, TESSERA_MAXEVAL, p.maxeval);
  tessera_set_int(s, TESSERA_MINEVAL, p.mineval);
  tessera_set_real(s, TESSERA_ABSTOL, p.abstol);
  tessera_set_real(s, TESSERA_RELTOL, p.reltol);
  cancel_watch watch;
  tessera_set_progress(s, stop_when_cancelled, &watch);
  const auto components = static_cast<std::size_t>(p.ncomp);
  std::vector<double> v(components), e(components);
  end.status = tessera_integrate(s, p.method, v.data(), e.data());
  tessera_set_progress(s, nullptr, nullptr);
  if (end.status < 0) {
    const bool comparable =
        p.ndim <= most_compared && (end.status == TESSERA_ERR_NOT_BUILT || end.status == TESSERA_ERR_UNSUPPORTED);
    say(remark::useless, comparable ? compare_on_host(s, [&] { return integrate_on_host(s, v.data(), e.data()); })
                                    : tessera_last_error(s));
    return false;
  }
  say(remark::used, "the twin runs on the device");
  if (cubature && end.status == TESSERA_LIMIT_EVALUATIONS && p.maxeval <= cheap) {
    say(remark::unfinished,
        "a run of at most " + std::to_string(p.maxeval) +
            " evaluations has not met its tolerance on the device, and is repeated with the host function");
    return false;
  }
  tessera_get_int(s, TESSERA_EVALUATIONS, &end.evaluations);
  tessera_get_int(s, TESSERA_REGIONS, &end.regions);
  tessera_get_int(s, TESSERA_CALLBACK_STATUS, &end.callback_status);
  if (p.finish) p.finish(s, p.context);
  if (report_wanted()) time.finish(end.evaluations);
  if (end.status != TESSERA_OK && !is_limit(end.status)) report(p.routine, tessera_last_error(s));
  std::copy(v.begin(), v.end(), value);
  std::copy(e.begin(), e.end(), error);
  return true;
}

}  // namespace dropin
