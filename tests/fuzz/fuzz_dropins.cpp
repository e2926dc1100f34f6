// Random calls of the drop-ins, as old programs make them and as they should not. SPDX-License-Identifier: BSD-3-Clause
// Usage: fuzz_dropins TRIALS [SEED [1 [FIRST]]]
#include <algorithm>
#include <cstring>
#include <vector>

#include "cuba.h"
#include "integrand.hpp"
#include "mutation.hpp"
#include "dice.hpp"
#include "report.hpp"
#include "tessera_adapt.h"
#include "tessera_dcuhre.h"
#include "tessera_quadpack.h"

extern "C" {
#include "files.h"
}

namespace {

using fuzz::dice;
using fuzz::fail;

#ifdef __SANITIZE_ADDRESS__
constexpr bool sanitized = true;  // a sanitizer's allocator ends the program where there is no memory
#else
constexpr bool sanitized = false;
#endif
constexpr double untouched = -1.2345678901234567e-201;
constexpr int most_ndim = 30, most_ncomp = 16, most_work = 20000;

fuzz::integrand f;  // of the call that is going on; ADAPT and DCUHRE hand nothing through
fuzz::counts all;
bool extended_dcuhre = false;  // NW does not limit it then

void require(bool good, const char *what) {
  if (!good) fail(0, "%s", what);
}

void look(int ndim, const double *x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) f.look(ndim, x + i * ndim, 1);
}

void funsub(const int *ndim, const double *x, const int *numfun, double *values) {
  look(*ndim, x, 1);
  if (f.before(1) != 0 && f.points % 2 == 0) tessera_dcuhre_cancel();
  for (int k = 0; k < *numfun; ++k) values[k] = f.value(*ndim, k, x, 1);
}
void funsub_single(const int *ndim, const float *x, const int *numfun, float *values) {
  for (int k = 0; k < *numfun; ++k) {
    double at[most_ndim];
    for (int j = 0; j < *ndim; ++j) at[j] = x[j];
    values[k] = static_cast<float>(f.value(*ndim, k, at, 1));
  }
}
double functn(const int *ndim, const double *z) {
  look(*ndim, z, 1);
  if (f.before(1) != 0) tessera_adapt_cancel();
  return f.value(*ndim, 0, z, 1);
}
double one_variable(const double *x) {
  if (f.before(1) != 0) tessera_quadpack_cancel();
  return f.value(1, 0, x, 1);
}
int cuba_integrand(const int *ndim, const double x[], const int *ncomp, double values[], void *) {
  look(*ndim, x, 1);
  if (f.before(1) != 0) return f.points % 3 == 0 ? -999 : 5;
  for (int k = 0; k < *ncomp; ++k) values[k] = f.value(*ndim, k, x, 1);
  return 0;
}
// As many as the routine wants.
template <class Count>
int cuba_vector(const int *ndim, const double x[], const int *ncomp, double values[], void *, const Count *nvec) {
  look(*ndim, x, *nvec);
  if (f.before(*nvec) != 0) return -999;
  for (Count i = 0; i < *nvec; ++i)
    for (int k = 0; k < *ncomp; ++k) values[i * *ncomp + k] = f.value(*ndim, k, x + i * *ndim, 1);
  return 0;
}
template <class Count>
void find_peaks(const int *ndim, const double b[], Count *n, double x[], void *) {
  require(*n >= 1 && b[0] == 0.0 && b[1] == 1.0, "the peak finder's arguments");
  for (int j = 0; j < *ndim; ++j) x[j] = 0.5;
  *n = 1;
}

// Ends that must not be: `met` says that all components are within the tolerances.
void check(bool met, bool touched, int ncomp, const double *value, const double *error, double epsabs, double epsrel) {
  for (int k = 0; k < ncomp; ++k) {
    if (!touched) require(value[k] == untouched && error[k] == untouched, "results of a call that is refused");
    if (touched) require(value[k] != untouched && error[k] != untouched && !(error[k] < 0.0), "results");
    if (!met) continue;
    if (!std::isfinite(value[k]) || !std::isfinite(error[k]))
      fail(0, "success with value %g, error %g of component %d; integrand %d, %lld points", value[k], error[k], k,
           static_cast<int>(f.how), static_cast<long long>(f.points));
    require(error[k] <= std::fmax(epsabs, std::fmax(epsrel * std::fabs(value[k]), 0x1p-104)),
            "success means that the tolerance is met");
  }
  require(f.outside == 0, "points lie inside the limits");
}

void choose_integrand(dice &r, int ndim, double lower, double upper) {
  f.how = r.one_in(2) ? static_cast<fuzz::manner>(r.between(0, static_cast<int>(fuzz::manner::stops_later)))
                      : fuzz::manner::smooth;
  f.begin();
  const auto n = static_cast<std::size_t>(std::min(std::max(ndim, 0), most_ndim));
  f.lower.assign(n, lower);
  f.upper.assign(n, upper);
}

double tolerance(dice &r) {
  return r.one_in(4) ? r.odd_real() : r.one_in(2) ? 0.0 : std::pow(10.0, -static_cast<double>(r.between(1, 8)));
}
int count(dice &r, int most) {
  return r.one_in(8) ? std::min(r.odd_small_int(), most) : static_cast<int>(r.between(1, most));
}

void dcuhre(dice &r) {
  const bool odd = r.one_in(4);
  const int ndim = odd ? r.odd_small_int() : static_cast<int>(r.between(2, 6)),
            numfun = odd && r.one_in(2) ? r.odd_small_int() : static_cast<int>(r.between(1, 4));
  const int ncomp = std::min(std::max(numfun, 0), most_ncomp);
  double a[most_ndim], b[most_ndim], value[most_ncomp], error[most_ncomp];
  static double work[most_work], before[most_work];
  std::fill_n(value, most_ncomp, untouched);
  std::fill_n(error, most_ncomp, untouched);
  choose_integrand(r, ndim, 0.0, 1.0);
  for (int j = 0; j < most_ndim; ++j) {
    a[j] = odd && r.one_in(6) ? r.odd_real() : 0.0;
    b[j] = odd && r.one_in(6) ? r.odd_real() : 1.0;
    if (static_cast<std::size_t>(j) < f.lower.size())
      f.lower[static_cast<std::size_t>(j)] = a[j], f.upper[static_cast<std::size_t>(j)] = b[j];
  }
  int minpts = r.one_in(3) ? r.odd_small_int() : 0,
      maxpts = r.one_in(6) ? r.odd_small_int() : static_cast<int>(r.between(200, 4000)),
      key = r.one_in(3) ? r.odd_small_int() : 0;
  int nw = r.one_in(6) ? std::min(r.odd_small_int(), most_work) : most_work,
      restar = r.one_in(10) ? r.odd_small_int() : 0, neval = -7, ifail = -7;
  double epsabs = tolerance(r), epsrel = tolerance(r);
  if (restar == 1) restar = 0;  // there is nothing yet
  if (extended_dcuhre) maxpts = std::min(maxpts, 100000);
  std::memset(work, 0, sizeof work);
  if (r.one_in(5)) {
    float as[most_ndim], bs[most_ndim], values[most_ncomp], errors[most_ncomp], abs = static_cast<float>(epsabs),
                                                                                rel = static_cast<float>(epsrel);
    static float works[most_work];
    for (int j = 0; j < most_ndim; ++j) as[j] = static_cast<float>(a[j]), bs[j] = static_cast<float>(b[j]);
    if (numfun <= most_ncomp)
      fuzz::counted(all, 0, "scuhre_", [&] {
        scuhre_(&ndim, &numfun, as, bs, &minpts, &maxpts, funsub_single, &abs, &rel, &key, &nw, &restar, values, errors,
                &neval, &ifail, works);
        return ifail <= 1 ? 0 : -1;
      });
    return require(numfun > most_ncomp || (ifail >= 0 && ifail <= 12), "ifail");
  }
  for (int again = 0; again < 2; ++again) {
    std::memcpy(before, work, sizeof work);
    neval = again ? neval : -7;
    if (numfun > most_ncomp && numfun <= 100) return;  // the arrays here are shorter
    fuzz::counted(all, 0, "dcuhre_", [&] {
      dcuhre_(&ndim, &numfun, a, b, &minpts, &maxpts, funsub, &epsabs, &epsrel, &key, &nw, &restar, value, error,
              &neval, &ifail, work);
      return ifail <= 1 ? 0 : -1;
    });
    require(ifail >= 0 && ifail <= 12, "ifail");
    const double eps = epsabs > 0 ? std::fmin(epsabs, 1e300) : 0.0, rel = epsrel > 0 ? std::fmin(epsrel, 1e300) : 0.0;
    check(ifail == 0, again || ifail <= 1, ncomp, value, error, eps, rel);
    if (ifail <= 1 && !again) require(neval <= maxpts, "no more evaluations than MAXPTS");
    if (ifail > 1) return;
    restar = 1;  // goes on, from what it has left or from what somebody has made of that
    maxpts = maxpts < 5000 ? maxpts + static_cast<int>(r.between(0, 1000)) : maxpts;
    f.begin();
    for (std::int64_t n = r.one_in(2) ? 0 : r.between(1, 3); n > 0; --n)
      work[r.one_in(2) ? static_cast<std::size_t>(r.between(1, 40)) + most_work - 41
                       : fuzz::dice(r.bits(), 1).bits() % 500] = r.odd_real();
  }
}

void adapt(dice &r) {
  const bool odd = r.one_in(4);
  const int ndim = odd ? r.odd_small_int() : static_cast<int>(r.between(1, 6));
  choose_integrand(r, ndim, 0.0, 1.0);
  if (f.how == fuzz::manner::throws) f.how = fuzz::manner::smooth;
  static double work[most_work];
  std::memset(work, 0, sizeof work);
  int mincls = r.one_in(3) ? r.odd_small_int() : 0, inform = -7,
      lenwrk = r.one_in(5) ? std::min(r.odd_small_int(), most_work) : most_work;
  const int maxcls = count(r, 3000);
  const double absreq = tolerance(r), relreq = tolerance(r);
  for (int again = 0; again < 2; ++again) {
    double value = untouched, error = untouched;
    fuzz::counted(all, 0, "adapt_", [&] {
      adapt_(&ndim, &mincls, &maxcls, functn, &absreq, &relreq, &lenwrk, work, &error, &value, &inform);
      return inform <= 1 ? 0 : -1;
    });
    require(inform >= 0 && inform <= 2, "inform");
    check(inform == 0, inform <= 1, 1, &value, &error, absreq > 0 ? absreq : 0, relreq > 0 ? relreq : 0);
    if (inform == 2 || ndim < 1) return;
    mincls = r.one_in(3) ? r.odd_small_int() : -1;
    f.begin();
    for (std::int64_t n = r.one_in(2) ? 0 : r.between(1, 3); n > 0; --n)
      work[r.one_in(2) ? fuzz::dice(r.bits(), 1).bits() % 300 : static_cast<std::size_t>(std::max(1, lenwrk)) - 1] =
          r.odd_real();
  }
}

// Work arrays are as long as the caller says, so that a sanitizer sees what is beyond them.
void quadpack(dice &r) {
  const char *const names[] = {"dqag_", "dqags_", "dqagi_", "dqagp_", "dqng_", "dqawo_", "dqawf_", "dqaws_", "dqawc_"};
  const int which = static_cast<int>(r.between(0, 8));
  const bool odd = r.one_in(4);
  const auto number = [&](int low, int high) {
    return odd && r.one_in(3) ? std::clamp(r.odd_small_int(), -500, 500) : static_cast<int>(r.between(low, high));
  };
  const auto real = [&](double usual) { return odd && r.one_in(3) ? r.odd_real() : usual; };
  const double a = real(0.0), b = real(r.one_in(8) ? -1.0 : 1.0), epsabs = tolerance(r), epsrel = tolerance(r);
  choose_integrand(r, 0, 0.0, 0.0);  // any point may come
  const int limit = number(1, 60), npts2 = number(2, 5), limlst = number(3, 20), maxp1 = number(1, 21),
            key = number(1, 6), inf = number(1, 2), integr = number(1, which == 7 ? 4 : 2);
  const double omega = real(which == 6 ? 3.0 : std::pow(10.0, static_cast<double>(r.between(-2, 3)))),
               alfa = real(-0.5), beta = real(0.25), c = real(0.4);
  std::vector<double> points(static_cast<std::size_t>(std::max(npts2, 1)));
  for (double &p : points) p = real(static_cast<double>(r.between(0, 8)) / 8.0);
  const bool in_short = odd && r.one_in(3);
  int leniw = which == 3 ? 2 * limit + npts2 : which == 5 ? 2 * limit : which == 6 ? 2 * limit + limlst : limit;
  int lenw = which == 3 ? 2 * leniw - npts2 : which == 5 || which == 6 ? 2 * leniw + 25 * maxp1 : 4 * limit;
  if (in_short) (r.one_in(2) ? leniw : lenw) -= static_cast<int>(r.between(1, 10));
  std::vector<int> iwork(static_cast<std::size_t>(std::max(which >= 3 && which <= 6 ? leniw : limit, 0)), -7);
  std::vector<double> work(static_cast<std::size_t>(std::max(lenw, 0)), untouched);
  double value = untouched, error = untouched;
  int neval = -7, ier = -7, last = 0;
  fuzz::counted(all, 0, names[which], [&] {
    const auto f1 = one_variable;
    switch (which) {
      case 0:
        dqag_(f1, &a, &b, &epsabs, &epsrel, &key, &value, &error, &neval, &ier, &limit, &lenw, &last, iwork.data(),
              work.data());
        break;
      case 1:
        dqags_(f1, &a, &b, &epsabs, &epsrel, &value, &error, &neval, &ier, &limit, &lenw, &last, iwork.data(),
               work.data());
        break;
      case 2:
        dqagi_(f1, &a, &inf, &epsabs, &epsrel, &value, &error, &neval, &ier, &limit, &lenw, &last, iwork.data(),
               work.data());
        break;
      case 3:
        dqagp_(f1, &a, &b, &npts2, points.data(), &epsabs, &epsrel, &value, &error, &neval, &ier, &leniw, &lenw, &last,
               iwork.data(), work.data());
        break;
      case 4:
        dqng_(f1, &a, &b, &epsabs, &epsrel, &value, &error, &neval, &ier);
        break;
      case 5:
        dqawo_(f1, &a, &b, &omega, &integr, &epsabs, &epsrel, &value, &error, &neval, &ier, &leniw, &maxp1, &lenw,
               &last, iwork.data(), work.data());
        break;
      case 6:
        dqawf_(f1, &a, &omega, &integr, &epsabs, &value, &error, &neval, &ier, &limlst, &last, &leniw, &maxp1, &lenw,
               iwork.data(), work.data());
        break;
      case 7:
        dqaws_(f1, &a, &b, &alfa, &beta, &integr, &epsabs, &epsrel, &value, &error, &neval, &ier, &limit, &lenw, &last,
               iwork.data(), work.data());
        break;
      default:
        dqawc_(f1, &a, &b, &c, &epsabs, &epsrel, &value, &error, &neval, &ier, &limit, &lenw, &last, iwork.data(),
               work.data());
    }
    return ier == 6 ? -1 : ier;
  });
  require(ier >= 0 && ier <= 7 && (ier != 7 || which == 6), "ier");
  require(neval == (ier == 6 ? 0 : f.points.load()), "neval is the number of calls");
  require(last >= 0 && (ier == 6 ? last == 0 : last <= (which == 6 ? limlst : std::max(limit, 1))), "last");
  require(ier != 6 || (value == 0.0 && error == 0.0), "results of a call that is refused");
  require(ier == 6 || (value != untouched && error != untouched), "results");
  if (ier == 0) require(std::isfinite(value) && std::isfinite(error), "success is finite");
  // The two others have looser ends in the original.
  if (ier == 0 && which != 6 && which != 7)
    require(error <= std::fmax(epsabs, epsrel * std::fabs(value)) * (1.0 + 1e-12),
            "success means that the tolerance is met");
}

template <class Count, class Cuhre, class Vegas, class Suave, class Divonne>
void cuba(dice &r, const char *const (&names)[4], const Cuhre &cuhre, const Vegas &vegas, const Suave &suave,
          const Divonne &divonne) {
  const bool odd = r.one_in(4);
  const int ndim = odd ? r.odd_small_int() : static_cast<int>(r.between(2, 5)),
            ncomp = odd && r.one_in(2) ? r.odd_small_int() : static_cast<int>(r.between(1, 4));
  if ((ncomp > most_ncomp && ncomp <= 1024) || (ndim > most_ndim && ndim <= 1024)) return;  // good ones, too large here
  choose_integrand(r, ndim, 0.0, 1.0);
  const Count nvec = r.one_in(3) ? static_cast<Count>(r.odd_int()) : 1, mineval = r.one_in(3) ? r.odd_small_int() : 0,
              maxeval = count(r, 3000);
  const double epsrel = tolerance(r), epsabs = tolerance(r);
  const int flags = (r.one_in(3) ? r.odd_small_int() : 0) & ~3, seed = r.odd_small_int();
  const bool by_vector = nvec > 1;
  const integrand_t function = r.one_in(40) ? nullptr
                               : by_vector
                                   ? reinterpret_cast<integrand_t>(reinterpret_cast<void (*)()>(cuba_vector<Count>))
                                   : cuba_integrand;
  const std::string file = std::string(test_directory) + "/state";
  const char *const statefile = r.one_in(6)   ? file.c_str()
                                : r.one_in(9) ? "/no/such/place"
                                : r.one_in(2) ? nullptr
                                              : "";
  double value[most_ncomp], error[most_ncomp], prob[most_ncomp];
  std::fill_n(value, most_ncomp, untouched);
  std::fill_n(error, most_ncomp, untouched);
  int nregions = -7, end = -7777;
  Count neval = -7;
  const auto some = [&](std::int64_t good) { return static_cast<Count>(r.one_in(3) ? r.odd_int() : good); };
  const int which = static_cast<int>(r.between(0, 3));
  fuzz::counted(all, 0, names[which], [&] {
    if (which == 0)
      cuhre(ndim, ncomp, function, nullptr, nvec, epsrel, epsabs, flags, mineval, maxeval,
            r.one_in(2) ? 0 : r.odd_small_int(), statefile, nullptr, &nregions, &neval, &end, value, error, prob);
    if (which == 1)
      vegas(ndim, ncomp, function, nullptr, nvec, epsrel, epsabs, flags, seed, mineval, maxeval, some(200), some(100),
            some(50), r.one_in(2) ? 0 : r.odd_small_int(), statefile, nullptr, &neval, &end, value, error, prob);
    if (which == 2)
      suave(ndim, ncomp, function, nullptr, nvec, epsrel, epsabs, flags, seed, mineval, maxeval, some(200), some(2),
            r.odd_real(), statefile, nullptr, &nregions, &neval, &end, value, error, prob);
    if (which == 3) {
      const int ngiven = static_cast<int>(r.between(0, 3)),
                row = ngiven > 0 || sanitized ? std::min(r.odd_small_int(), most_ndim) : r.odd_small_int();
      double given[3 * most_ndim];
      for (double &g : given) g = r.one_in(3) ? r.odd_real() : r.uniform();
      const bool usual = r.one_in(2);
      const peakfinder_t finder =
          r.one_in(5) ? nullptr : reinterpret_cast<peakfinder_t>(reinterpret_cast<void (*)()>(find_peaks<Count>));
      divonne(ndim, ncomp, function, nullptr, nvec, epsrel, epsabs, flags, seed, mineval, maxeval,
              usual ? 47 : r.odd_small_int(), usual ? 1 : r.odd_small_int(), usual ? 1 : r.odd_small_int(),
              usual ? 5 : r.odd_small_int(), usual ? 0.0 : r.odd_real(), usual ? 10.0 : r.odd_real(),
              usual ? 0.25 : r.odd_real(), r.one_in(9) ? -1 : ngiven, usual ? std::max(ndim, 1) : row, given,
              usual ? 0 : r.odd_small_int() % 1000, finder, statefile, nullptr, &nregions, &neval, &end, value, error,
              prob);
    }
    return end >= 0 ? 0 : -1;
  });
  require(end >= 0 || end == -1 || end == -2 || end == -90 || end == -99, "fail");
  check(end == 0, end >= 0, std::min(std::max(ncomp, 0), most_ncomp), value, error, std::fmax(epsabs, 0x1p-104),
        epsrel > 0 ? epsrel : 0.0);
  // Whole rules are applied, at least one, or a few samples; a state file has counted before.
  if (end >= 0 && ndim <= 5 && !(statefile && *statefile) && neval > std::max<Count>(maxeval, 0) + 10000)
    fail(0, "%lld evaluations, %lld allowed", static_cast<long long>(neval), static_cast<long long>(maxeval));
}

void settings(dice &r) {
  const auto done = [&](const char *name, const auto &body) { fuzz::counted(all, 0, name, [&] { return body(), 0; }); };
  done("tessera_dcuhre_threads",
       [&] { tessera_dcuhre_threads(r.odd_small_int()), tessera_dcuhre_threads(r.one_in(3) ? 2 : 1); });
  done("tessera_adapt_threads",
       [&] { tessera_adapt_threads(r.odd_small_int()), tessera_adapt_threads(r.one_in(3) ? 2 : 1); });
  done("tessera_cuba_threads",
       [&] { tessera_cuba_threads(r.odd_small_int()), tessera_cuba_threads(r.one_in(3) ? 2 : 1); });
  done("tessera_dcuhre_extended", [&] {
    extended_dcuhre = (r.odd_small_int() & 1) != 0;
    tessera_dcuhre_extended(extended_dcuhre);
  });
  done("tessera_adapt_extended", [&] { tessera_adapt_extended(r.odd_small_int() & 1); });
  done("tessera_cuba_cancel", [&] { tessera_cuba_cancel(); });
  done("tessera_cuba_state_seconds", [&] { tessera_cuba_state_seconds(r.one_in(2) ? 0.0 : r.odd_real()); });
  done("tessera_quadpack_cancel", [&] { tessera_quadpack_cancel(); });
  done("cubawait", [&] { cubafork(nullptr), cubawait(nullptr); });
}

void trial(std::uint64_t seed, std::uint64_t number) {
  dice r(seed, number);
  fuzz::calls_in_progress()[0].trial = number;
  switch (r.between(0, 11)) {
    case 0:
      return r.one_in(10) ? settings(r) : adapt(r);
    case 1:
    case 2:
      return adapt(r);
    case 3:
    case 4:
    case 5:
      return dcuhre(r);
    case 10:
    case 11:
      return quadpack(r);
    case 6:
      return cuba<long long>(r, {"llCuhre", "llVegas", "llSuave", "llDivonne"}, llCuhre, llVegas, llSuave, llDivonne);
    default:
      return cuba<int>(r, {"Cuhre", "Vegas", "Suave", "Divonne"}, Cuhre, Vegas, Suave, Divonne);
  }
}

}  // namespace

int main(int argc, char **argv) {
  const fuzz::arguments a(argc, argv, 3000);
  open_test_directory();
  test_path("state");
  fuzz::start_watchdog(1, a.seed);
  for (std::uint64_t i = 0; i < a.trials; ++i) try {
      trial(a.seed, a.first + i);
    } catch (const std::runtime_error &) {  // that of the integrand, which goes through
    } catch (const std::exception &e) {
      fail(0, "%s", e.what());
    }
  fuzz::stop_watchdog();
  all.print();
  std::printf("seed %llu, %llu trials\n", static_cast<unsigned long long>(a.seed),
              static_cast<unsigned long long>(a.trials));
  close_test_directory();
  const char names[] =
      "dcuhre_,scuhre_,adapt_,Cuhre,Vegas,Suave,Divonne,llCuhre,llVegas,llSuave,llDivonne,tessera_cuba_threads,dqag_,"
      "dqags_,dqagi_,dqagp_,dqng_,dqawo_,dqawf_,dqaws_,dqawc_";
  return a.trials >= 3000 && all.missing(names) > 0;
}
