// SPDX-License-Identifier: BSD-3-Clause
#include "twin.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report.hpp"
#include "settings.hpp"

namespace dropin {
namespace {

constexpr int unsure_of_device = -2;                            // of TESSERA_DEVICE: one if there is one
constexpr std::int64_t most_regions = 1024, least_regions = 2;  // at the start of a run on a device
constexpr std::int64_t least_samples = 16384;                   // of Monte Carlo
constexpr std::int64_t steps = 8;                               // there should be room for more than the start
// A run with no more evaluations than that, which a device did not finish, is tried on the host too: it decides one by one.
constexpr std::int64_t cheap = 1000000;
constexpr std::size_t most_kept = 4;
constexpr int most_compared = 25;  // variables of cubature, by whose way the comparison is made

// Solvers with their memory on the device and their kernels, for the next call of this thread.
struct kept_solver {
  tessera_solver *solver = nullptr;
  int ndim = 0, ncomp = 0;
  bool busy = false;
  pid_t process = getpid();

  // What it holds on a device does not outlive a fork.
  bool orphaned() const { return process != getpid(); }

  kept_solver() = default;
  kept_solver(const kept_solver &) = delete;
  kept_solver &operator=(const kept_solver &) = delete;
  ~kept_solver() { tessera_destroy(solver); }
};

class thread_solvers {
 public:
  ~thread_solvers() {
    for (auto &k : all_)
      if (k->busy || k->orphaned()) k.release();  // the integrand has ended the program, in the middle of a run
  }

  kept_solver *take(int ndim, int ncomp) {
    for (auto &k : all_)
      if (!k->busy && !k->orphaned() && k->ndim == ndim && k->ncomp == ncomp) return k->busy = true, k.get();
    auto fresh = std::make_unique<kept_solver>();
    if (tessera_create(&fresh->solver, ndim, ncomp) != TESSERA_OK) return nullptr;
    fresh->ndim = ndim;
    fresh->ncomp = ncomp;
    fresh->busy = true;
    if (all_.size() >= most_kept) {
      const auto idle =
          std::find_if(all_.begin(), all_.end(), [](const auto &k) { return !k->busy && !k->orphaned(); });
      if (idle != all_.end()) all_.erase(idle);
    }
    all_.push_back(std::move(fresh));
    return all_.back().get();
  }

 private:
  std::vector<std::unique_ptr<kept_solver>> all_;
};

class borrowed_solver {
 public:
  borrowed_solver(int ndim, int ncomp) : kept_(solvers().take(ndim, ncomp)) {}
  ~borrowed_solver() {
    if (kept_) kept_->busy = false;
  }
  borrowed_solver(const borrowed_solver &) = delete;
  borrowed_solver &operator=(const borrowed_solver &) = delete;
  tessera_solver *get() const { return kept_ ? kept_->solver : nullptr; }

 private:
  static thread_solvers &solvers() {
    static thread_local thread_solvers s;
    return s;
  }
  kept_solver *kept_;
};

// What there is to say of a function.
enum class remark { too_small, useless, used, unfinished, slow };

// Once for each function and remark, however often the function is called.
void report_once(const twin_problem &p, remark r, const std::string &message) {
  if (!report_wanted()) return;
  static std::mutex mutex;
  static auto &told = *new std::set<std::pair<user_function, remark>>;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!told.insert({p.function, r}).second) return;
  }
  const bool host = r == remark::too_small || r == remark::useless;
  report(p.routine, (host ? "the host function is used: " : "") + message);
}

// Compares what a run takes on the device with what the host function would take, for somebody who reads what comes of it.
class stop_watch {
 public:
  explicit stop_watch(const twin_problem &p) : p_(p) {}

  // The function, timed while it is compared with the twin.
  static int call(int n, const double *x, int k, double *f, void *watch) {
    auto &self = *static_cast<stop_watch *>(watch);
    if (self.calls_++ == 0) self.first_ = clock::now();
    const int status = self.p_.point(n, x, k, f, self.p_.userdata);
    self.last_ = clock::now();
    return status;
  }

  void finish(std::int64_t evaluations) const {
    if (calls_ == 0 || !settled(p_.function)) return;
    const double device = seconds(start_, clock::now());
    const double host = seconds(first_, last_) / calls_ * static_cast<double>(evaluations);
    if (device < clearly * host) return;
    char message[160];
    std::snprintf(message, sizeof message,
                  "this run took %.2g s on the device, and would take about %.2g s with the host function", device,
                  host);
    report_once(p_, remark::slow, message);
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr double clearly = 4.0;
  static double seconds(clock::time_point a, clock::time_point b) {
    return std::chrono::duration<double>(b - a).count();
  }

  // The first runs of a function compile it and make memory.
  static bool settled(user_function f) {
    static std::mutex mutex;
    static auto &runs = *new std::map<user_function, int>;
    const std::lock_guard<std::mutex> lock(mutex);
    return ++runs[f] > 2;
  }

  const twin_problem &p_;
  const clock::time_point start_ = clock::now();
  clock::time_point first_, last_;
  int calls_ = 0;
};

int stop_when_cancelled(std::int64_t, int, const double *, const double *, std::int64_t, void *watch) {
  return static_cast<const cancel_watch *>(watch)->cancelled();
}

void keep_warning(int level, const char *line, void *kept) {
  if (level == 1) *static_cast<std::string *>(kept) = line;
}

// On a machine without a device nothing is done but the comparison, and only for somebody who reads what came of it. Why the
// host function is used.
std::string compare_on_host(tessera_solver *s, int ndim, double *value, double *error) {
  const std::string why = tessera_last_error(s);
  if (!report_wanted() || ndim > most_compared) return why;
  std::string warning;
  tessera_set_log(s, keep_warning, &warning);
  tessera_set_int(s, TESSERA_DEVICE, unsure_of_device);
  tessera_set_int(s, TESSERA_MAXEVAL, 1);
  tessera_set_int(s, TESSERA_MINEVAL, 0);
  const int status = tessera_integrate(s, TESSERA_CUBATURE, value, error);
  tessera_set_log(s, nullptr, nullptr);
  if (status == TESSERA_ERR_CHECK || status == TESSERA_ERR_CALLBACK) return tessera_last_error(s);
  return why + "; " + (warning.empty() ? "its twin agrees with it" : warning);
}

}  // namespace

bool run_twin(const twin_problem &p, double *value, double *error, twin_end &end) {
  if (tessera_set_twin(nullptr, p.function, nullptr) != TESSERA_OK) return false;
  borrowed_solver borrowed(p.ndim, p.ncomp);
  tessera_solver *s = borrowed.get();
  if (!s) return false;
  if (tessera_set_twin(s, p.function, p.user_data) != TESSERA_OK) {
    const std::string why = tessera_last_error(s);
    if (!why.empty()) report_once(p, remark::useless, why);
    return false;
  }
  const bool cubature = p.method == TESSERA_CUBATURE;
  const std::int64_t regions = std::min(most_regions, p.maxeval / (steps * p.rule_points));
  if (cubature ? regions < least_regions : p.maxeval < least_samples) {
    report_once(p, remark::too_small,
                std::to_string(p.maxeval) + " evaluations, all that are allowed, are too few for a device");
    return false;
  }
  const std::vector<double> zeros(static_cast<std::size_t>(p.ndim), 0.0), ones(zeros.size(), 1.0);
  if (tessera_set_domain(s, p.lower ? p.lower : zeros.data(), p.upper ? p.upper : ones.data()) != TESSERA_OK)
    return false;  // the host says what is wrong with it
  stop_watch time(p);
  if (report_wanted())
    tessera_set_integrand1(s, stop_watch::call, &time);
  else
    tessera_set_integrand1(s, p.point, p.userdata);
  tessera_set_int(s, TESSERA_DEVICE, 0);
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
    report_once(p, remark::useless,
                end.status == TESSERA_ERR_NOT_BUILT || end.status == TESSERA_ERR_UNSUPPORTED
                    ? compare_on_host(s, p.ndim, v.data(), e.data())
                    : tessera_last_error(s));
    return false;
  }
  report_once(p, remark::used, "the twin runs on the device");
  if (cubature && end.status == TESSERA_LIMIT_EVALUATIONS && p.maxeval <= cheap) {
    report_once(p, remark::unfinished,
                "a run of at most " + std::to_string(p.maxeval) +
                    " evaluations has not met its tolerance on the device, and is repeated with the host function");
    return false;
  }
  tessera_get_int(s, TESSERA_EVALUATIONS, &end.evaluations);
  tessera_get_int(s, TESSERA_REGIONS, &end.regions);
  tessera_get_int(s, TESSERA_CALLBACK_STATUS, &end.callback_status);
  if (p.finish) p.finish(s, p.context);
  if (report_wanted()) time.finish(end.evaluations);
  if (end.status > TESSERA_LIMIT_EVALUATIONS) report(p.routine, tessera_last_error(s));
  std::copy(v.begin(), v.end(), value);
  std::copy(e.begin(), e.end(), error);
  return true;
}

}  // namespace dropin
