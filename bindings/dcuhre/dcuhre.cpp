// DCUHRE and SCUHRE over libtessera: the arguments, codes and counts of Algorithm 698 (Berntsen, Espelid and Genz, ACM Trans.
// Math. Softw. 17 (1991) 452-456). docs/dcuhre.md has the table of departures.
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera_dcuhre.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>

#include "../common/report.hpp"
#include "../common/rules.hpp"
#include "../common/run.hpp"
#include "../common/twin.hpp"
#include "work.hpp"

namespace dcuhre {
namespace {

using integer = tessera_dcuhre_int;

constexpr int most_ndim = 15, most_ndim_extended = 25;
constexpr int most_numfun = 65536;

// The original's codes.
enum ifail : int {
  accuracy_not_reached = 1,
  wrong_key = 2,
  wrong_ndim = 3,
  key_1_not_2 = 4,
  key_2_not_3 = 5,
  wrong_numfun = 6,
  empty_range = 7,
  maxpts_too_small = 8,
  maxpts_below_minpts = 9,
  wrong_tolerances = 10,
  nw_too_small = 11,
  wrong_restar = 12
};

template <class Real>
using funsub = void (*)(const integer *ndim, const Real *x, const integer *numfun, Real *funvls);

// The arguments by value, and what follows from them.
template <class Real>
struct arguments {
  int64 ndim, numfun, minpts, maxpts, key, nw, restar;
  const Real *a, *b;
  Real epsabs, epsrel;
  int64 points = 0;  // of the rule
  int rule = 0;

  int64 most_regions() const { return (maxpts - points) / (2 * points) + 1; }
};

int choose_rule(int64 key, int64 ndim) {
  if (key == 0) key = ndim == 2 ? 1 : ndim == 3 ? 2 : 3;
  constexpr int rules[] = {0, TESSERA_RULE_DEGREE13, TESSERA_RULE_DEGREE11, TESSERA_RULE_DEGREE9, TESSERA_RULE_DEGREE7};
  return rules[key];
}

// The first check that fails, in the original's order; 0 if all is well.
template <class Real>
int check(arguments<Real> &p) {
  if (p.key < 0 || p.key > 4) return wrong_key;
  const int most = dropin::extended() ? most_ndim_extended : most_ndim;
  if (p.ndim > most || p.ndim < 2) return wrong_ndim;
  if (p.key == 1 && p.ndim != 2) return key_1_not_2;
  if (p.key == 2 && p.ndim != 3) return key_2_not_3;
  if (p.numfun < 1 || p.numfun > most_numfun) return wrong_numfun;
  for (int64 j = 0; j < p.ndim; ++j) {
    const double width = static_cast<double>(p.a[j]) - static_cast<double>(p.b[j]);
    if (width == 0.0 || std::isnan(width)) return empty_range;
    if (std::isfinite(p.a[j]) && std::isfinite(p.b[j]) && std::isinf(width)) return empty_range;
  }
  p.rule = choose_rule(p.key, p.ndim);
  p.points = dropin::rule_points(p.rule, p.ndim);
  if (p.maxpts < 3 * p.points) return maxpts_too_small;
  if (p.maxpts < p.minpts) return maxpts_below_minpts;
  if (p.epsabs < 0 && p.epsrel < 0) return wrong_tolerances;
  // By division: the length itself may be beyond all numbers.
  const int64 rest = std::max<int64>(p.nw, 0) - 1 - scratch * p.numfun;
  if (rest < 0 || rest / fields(p.ndim, p.numfun) < p.most_regions()) return nw_too_small;
  if (p.restar != 0 && p.restar != 1) return wrong_restar;
  return 0;
}

// Why check() says `code`, in the caller's numbers.
template <class Real>
std::string refusal(const arguments<Real> &p, int code) {
  const auto is = [](const char *name, int64 n) { return std::string(name) + " = " + std::to_string(n); };
  switch (code) {
    case wrong_key:
      return is("KEY", p.key) + ", 0 to 4 are possible";
    case wrong_ndim:
      return is("NDIM", p.ndim) + ", 2 to " + std::to_string(dropin::extended() ? most_ndim_extended : most_ndim) +
             " are possible";
    case key_1_not_2:
      return is("KEY = 1 and NDIM", p.ndim) + ": that rule is for 2 variables";
    case key_2_not_3:
      return is("KEY = 2 and NDIM", p.ndim) + ": that rule is for 3 variables";
    case wrong_numfun:
      return is("NUMFUN", p.numfun) + ", 1 to " + std::to_string(most_numfun) + " are possible";
    case empty_range:
      return "A(j) - B(j) is 0, NaN or beyond all numbers for some j";
    case maxpts_too_small:
      return is("MAXPTS", p.maxpts) + ", at least " + std::to_string(3 * p.points) + " are needed";
    case maxpts_below_minpts:
      return is("MAXPTS", p.maxpts) + " is less than " + is("MINPTS", p.minpts);
    case wrong_tolerances:
      return "EPSABS and EPSREL are negative";
    case nw_too_small: {
      int64 needed;
      const bool too_long = __builtin_mul_overflow(p.most_regions(), fields(p.ndim, p.numfun), &needed) ||
                            __builtin_add_overflow(needed, scratch * p.numfun + 1, &needed);
      return is("NW", p.nw) + ", at least " + (too_long ? "2**63" : std::to_string(needed)) + " are needed with " +
             is("MAXPTS", p.maxpts);
    }
    case wrong_restar:
      return p.restar == 0 || p.restar == 1 ? "RESTAR = 1, and WORK(NW) does not hold a number of regions"
                                            : is("RESTAR", p.restar) + ", 0 and 1 are possible";
    default:
      return "";
  }
}

// Calls the user's subroutine. It has no way to say stop, but it may call tessera_dcuhre_cancel, or throw if it is C++.
template <class Real>
struct adapter {
  funsub<Real> function;
  integer ndim, numfun;
  dropin::cancel_watch watch;
  dropin::thrown exception;

  static int call(int n, const double *x, int k, double *f, void *userdata) {
    adapter &self = *static_cast<adapter *>(userdata);
    if (self.watch.cancelled()) return 1;
    try {
      self.call_user(n, x, k, f);
    } catch (...) {
      self.exception.keep();
      return 1;
    }
    return 0;
  }

 private:
  void call_user(int n, const double *x, int k, double *f) {
    if constexpr (std::is_same_v<Real, double>) {
      function(&ndim, x, &numfun, f);
    } else {
      constexpr int few = 256;
      Real at[most_ndim_extended], small[few];
      std::vector<Real> large(k > few ? static_cast<std::size_t>(k) : 0);
      Real *values = k > few ? large.data() : small;
      for (int j = 0; j < n; ++j) at[j] = static_cast<Real>(x[j]);
      function(&ndim, at, &numfun, values);
      for (int i = 0; i < k; ++i) f[i] = values[i];
    }
  }
};

// A tolerance that no number meets, or NaN, counts as 0, which only an error of 0 meets.
double tolerance(double eps) { return eps > 0.0 ? std::fmin(eps, 1e300) : 0.0; }

template <class Real>
void set_options(dropin::lease &solver, const arguments<Real> &p, int threads, int64 least) {
  solver.set_int(TESSERA_RULE, p.rule);
  solver.set_int(TESSERA_ESTIMATE, TESSERA_ESTIMATE_CLASSIC);
  solver.set_int(TESSERA_KEEP_REGIONS, 1);
  solver.set_int(TESSERA_SELECTION, threads > 1 ? TESSERA_SELECT_BULK : TESSERA_SELECT_WORST_FIRST);
  solver.set_int(TESSERA_THREADS, threads);
  solver.set_int(TESSERA_MAXEVAL, p.maxpts);
  solver.set_int(TESSERA_MINEVAL, least);
  // MAXPTS is the limit of memory too, since it says how many regions there can be.
  constexpr int64 beyond_memory = int64{1} << 36;
  const int64 regions = (std::min(p.most_regions(), beyond_memory) + 64) * 16 * (fields(p.ndim, p.numfun) + 8);
  const int64 calls = (int64{1} << 26) + (int64{threads} + 1) * p.numfun * (int64{1} << 18);  // more than they need
  solver.set_int(TESSERA_MAX_MEMORY, regions + calls);
  solver.set_real(TESSERA_ABSTOL, tolerance(p.epsabs));
  solver.set_real(TESSERA_RELTOL, tolerance(p.epsrel));
}

template <class Real>
bool set_domain(tessera_solver *s, const arguments<Real> &p) {
  double lower[most_ndim_extended], upper[most_ndim_extended];
  for (int64 j = 0; j < p.ndim; ++j) {
    lower[j] = p.a[j];
    upper[j] = p.b[j];
  }
  return tessera_set_domain(s, lower, upper) == TESSERA_OK;
}

// Memory of one call, used again by the next one of this thread that is not nested in it.
struct buffers {
  std::vector<double> records, value, error;
};
class borrowed_buffers {
 public:
  borrowed_buffers() { std::swap(mine_, kept()); }
  ~borrowed_buffers() {
    constexpr std::size_t little = 1 << 16;
    if (mine_.records.capacity() <= little) std::swap(mine_, kept());
  }
  borrowed_buffers(const borrowed_buffers &) = delete;
  borrowed_buffers &operator=(const borrowed_buffers &) = delete;
  buffers *operator->() { return &mine_; }

 private:
  static buffers &kept() {
    static thread_local buffers b;
    return b;
  }
  buffers mine_;
};

// The regions of the last run as they lie there, which on one thread is a heap.
template <class Real>
void write_heap(const tessera_solver *s, std::vector<double> &records, int64 count, work_array<Real> &work) {
  constexpr int64 part = 256;
  records.resize(static_cast<std::size_t>(std::min(part, count) * work.record_fields()));
  for (int64 first = 0; first < count; first += part) {
    const int64 n = std::min(part, count - first);
    tessera_get_regions(s, first, n, records.data(), nullptr);
    for (int64 i = 0; i < n; ++i) work.write(first + i, records.data() + i * work.record_fields());
  }
}

// The same with the largest error first: a heap too.
template <class Real>
void write_sorted(const tessera_solver *s, std::vector<double> &records, int64 count, work_array<Real> &work) {
  const int64 fields = work.record_fields();
  records.resize(static_cast<std::size_t>(count * fields));
  tessera_get_regions(s, 0, count, records.data(), nullptr);
  std::vector<int64> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), int64{0});
  std::stable_sort(order.begin(), order.end(), [&](int64 a, int64 b) {
    return work.greatest_error(&records[static_cast<std::size_t>(a * fields)]) >
           work.greatest_error(&records[static_cast<std::size_t>(b * fields)]);
  });
  int64 i = 0;
  for (const int64 from : order) work.write(i++, &records[static_cast<std::size_t>(from * fields)]);
}

template <class Real>
bool run_on_device(const char *routine, const arguments<Real> &p, adapter<Real> &user, double *value, double *error,
                   dropin::run_end &end) {
  double lower[most_ndim_extended], upper[most_ndim_extended];
  std::copy_n(p.a, p.ndim, lower);
  std::copy_n(p.b, p.ndim, upper);
  const dropin::twin_problem problem = {routine,
                                        reinterpret_cast<dropin::user_function>(user.function),
                                        adapter<Real>::call,
                                        &user,
                                        nullptr,
                                        static_cast<int>(p.ndim),
                                        static_cast<int>(p.numfun),
                                        lower,
                                        upper,
                                        std::max<int64>(p.minpts, 0),
                                        p.maxpts,
                                        p.points,
                                        tolerance(p.epsabs),
                                        tolerance(p.epsrel)};
  dropin::twin_end there;
  if (!dropin::run_twin(problem, value, error, there)) return false;
  end = {there.status, there.evaluations, dropin::place::device};
  return true;
}

// RESTAR = 1 after a run on a device starts from the beginning: there are no regions. Then the result of the run before
// counts until there is a better one.
template <class Real>
class result_before {
 public:
  result_before(const arguments<Real> &p, const work_array<Real> &work) {
    if (p.restar != 1 || !work.holds_result()) return;
    value_.assign(work.result_value(), work.result_value() + p.numfun);
    error_.assign(work.result_error(), work.result_error() + p.numfun);
  }
  bool there() const { return !value_.empty(); }
  bool meets_tolerance(const arguments<Real> &p) const {
    for (std::size_t k = 0; k < value_.size(); ++k)
      if (!(error_[k] <= p.epsabs || error_[k] <= p.epsrel * std::fabs(value_[k]))) return false;
    return true;
  }
  // A run with these errors was for nothing.
  bool better_than(const std::vector<double> &error) const {
    return there() &&
           !(*std::max_element(error.begin(), error.end()) < *std::max_element(error_.begin(), error_.end()));
  }
  void read(Real *result, Real *abserr) const {
    std::copy(value_.begin(), value_.end(), result);
    std::copy(error_.begin(), error_.end(), abserr);
  }

 private:
  std::vector<Real> value_, error_;
};

template <class Real>
int integrate(const char *routine, arguments<Real> &p, funsub<Real> function, Real *result, Real *abserr,
              integer *neval, Real *work_memory) {
  dropin::call_report line(routine, p.ndim, p.numfun);
  const auto without_run = [&](int code, const std::string &why) {
    line.end(dropin::place::nowhere, 0, "IFAIL", code, why);
    return code;
  };
  const int wrong = check(p);
  if (wrong != 0) return without_run(wrong, refusal(p, wrong));
  const int threads = dropin::threads();
  borrowed_buffers memory;
  work_array<Real> work(work_memory, p.nw, p.ndim, p.numfun);
  const result_before<Real> earlier(p, work);
  const bool again = p.restar == 1 && !earlier.there();
  if (again && !work.read(memory->records)) return without_run(wrong_restar, refusal(p, wrong_restar));
  if (earlier.there()) {
    const bool met = *neval >= p.minpts && earlier.meets_tolerance(p);
    if (met || p.maxpts <= *neval) {
      earlier.read(result, abserr);
      return without_run(met ? 0 : accuracy_not_reached, "the result of the run before stands");
    }
  }

  const auto numfun = static_cast<std::size_t>(p.numfun);
  constexpr double unknown = std::numeric_limits<double>::infinity();
  memory->value.assign(numfun, std::numeric_limits<double>::quiet_NaN());
  memory->error.assign(numfun, unknown);
  adapter<Real> user = {function, static_cast<integer>(p.ndim), static_cast<integer>(p.numfun), {}, {}};
  dropin::run_end end = {TESSERA_ERR_MEMORY, 0};
  int64 before = 0, count = 0;
  const bool there = !again && run_on_device(routine, p, user, memory->value.data(), memory->error.data(), end);
  user.exception.rethrow();
  if (!there) {
    dropin::lease solver(static_cast<int>(p.ndim), static_cast<int>(p.numfun));
    if (solver.solver()) {
      if (again) {
        const int64 n = static_cast<int64>(memory->records.size()) / work.record_fields();
        before = p.points * (2 * n - 1);
        if (tessera_set_regions(solver.solver(), n, memory->records.data(), before) != TESSERA_OK) {
          const std::string why = tessera_last_error(solver.solver());
          dropin::report(routine, why);
          return without_run(wrong_restar, why);
        }
      }
      if (!set_domain(solver.solver(), p)) {
        dropin::report(routine, tessera_last_error(solver.solver()));
        return without_run(empty_range, tessera_last_error(solver.solver()));
      }
      // A restart divides once before it looks at the tolerance.
      set_options(solver, p, threads, std::max({int64{0}, p.minpts, again ? before + 1 : 0}));
      end = dropin::run(solver, routine, {adapter<Real>::call, nullptr, &user}, memory->value.data(),
                        memory->error.data());
      if (end.status >= 0 && tessera_get_regions(solver.solver(), 0, 0, nullptr, &count) == TESSERA_OK) {
        if (threads > 1)
          write_sorted(solver.solver(), memory->records, count, work);
        else
          write_heap(solver.solver(), memory->records, count, work);
      }
    }
  }
  user.exception.rethrow();

  if (end.status == TESSERA_NONFINITE) memory->error.assign(numfun, unknown);
  if (end.status < 0) end.evaluations = before;
  const int code = end.status == TESSERA_OK ? 0 : accuracy_not_reached;
  line.end(end.where, end.evaluations - before, "IFAIL", code, dropin::explanation(end.status));
  if (end.status != TESSERA_OK && end.status != TESSERA_NONFINITE && earlier.better_than(memory->error)) {
    earlier.read(result, abserr);
    if (!there && count > 0) work.set_count(count);
    return code;
  }
  for (std::size_t k = 0; k < numfun; ++k) {
    result[k] = static_cast<Real>(memory->value[k]);
    abserr[k] = static_cast<Real>(memory->error[k]);
  }
  *neval = static_cast<integer>((again ? int64{*neval} : 0) + end.evaluations - before);
  if (there)
    work.write_result(result, abserr);
  else if (count > 0 || !again)
    work.set_count(count);
  return code;
}

template <class Real>
int serve(const char *routine, arguments<Real> p, funsub<Real> function, Real *result, Real *abserr, integer *neval,
          Real *work) {
  int ifail = accuracy_not_reached;
  dropin::serve(
      routine, [&] { ifail = integrate(routine, p, function, result, abserr, neval, work); },
      [&](const char *) {
        std::fill_n(result, p.numfun, std::numeric_limits<Real>::quiet_NaN());
        std::fill_n(abserr, p.numfun, std::numeric_limits<Real>::infinity());
        if (p.restar != 1) *neval = 0;
      });
  return ifail;
}

}  // namespace
}  // namespace dcuhre

using dcuhre::integer;

extern "C" {

void dcuhre_(const integer *ndim, const integer *numfun, const double *a, const double *b, const integer *minpts,
             const integer *maxpts, tessera_dcuhre_funsub funsub, const double *epsabs, const double *epsrel,
             const integer *key, const integer *nw, const integer *restar, double *result, double *abserr,
             integer *neval, integer *ifail, double *work) {
  const dcuhre::arguments<double> p = {*ndim, *numfun, *minpts, *maxpts, *key, *nw, *restar, a, b, *epsabs, *epsrel};
  *ifail = dcuhre::serve("DCUHRE", p, funsub, result, abserr, neval, work);
}

void scuhre_(const integer *ndim, const integer *numfun, const float *a, const float *b, const integer *minpts,
             const integer *maxpts, tessera_scuhre_funsub funsub, const float *epsabs, const float *epsrel,
             const integer *key, const integer *nw, const integer *restar, float *result, float *abserr, integer *neval,
             integer *ifail, float *work) {
  const dcuhre::arguments<float> p = {*ndim, *numfun, *minpts, *maxpts, *key, *nw, *restar, a, b, *epsabs, *epsrel};
  *ifail = dcuhre::serve("SCUHRE", p, funsub, result, abserr, neval, work);
}

void tessera_dcuhre_threads(int n) { dropin::set_threads(n); }
void tessera_dcuhre_threads_(const integer *n) {
  dropin::set_threads(static_cast<int>(std::min<dcuhre::int64>(*n, 4096)));
}
void tessera_dcuhre_extended(int on) { dropin::set_extended(on != 0); }
void tessera_dcuhre_extended_(const integer *on) { dropin::set_extended(*on != 0); }
void tessera_dcuhre_cancel(void) { dropin::cancel(); }
void tessera_dcuhre_cancel_(void) { dropin::cancel(); }

}  // extern "C"
