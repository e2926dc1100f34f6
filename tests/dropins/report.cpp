// Calls of the drop-ins' routines that go well, that do not reach their tolerance, that are refused and that throw: check_report.sh
// looks at what is said of them. SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdio>
#include <limits>

#include "cuba.h"
#include "tessera_adapt.h"
#include "tessera_dcuhre.h"
#include "tessera_quadpack.h"

namespace {

enum behaviour { good, not_a_number, throws, aborts } how;

double value(const double *x) {
  if (how == throws) throw 1;
  return how == not_a_number ? std::numeric_limits<double>::quiet_NaN() : std::exp(-x[0] * x[1]);
}
void funsub(const int *, const double *x, const int *, double *f) { *f = value(x); }
double functn(const int *, const double *x) { return value(x); }
int integrand(const int *, const double *x, const int *, double *f, void *) {
  *f = value(x);
  return how == aborts ? -999 : 0;
}

double function(const double *x) {
  const double at[2] = {*x, 1.0};
  return value(at);
}
float function_single(const float *x) { return *x; }

int call_dcuhre(int ndim, int nw, int maxpts, double epsrel) {
  const int numfun = 1, minpts = 0, key = 0, restar = 0;
  const double a[2] = {0, 0}, b[2] = {1, 1}, epsabs = 0;
  static double work[5000];
  double result, abserr;
  int neval, ifail;
  dcuhre_(&ndim, &numfun, a, b, &minpts, &maxpts, funsub, &epsabs, &epsrel, &key, &nw, &restar, &result, &abserr,
          &neval, &ifail, work);
  return ifail;
}
int call_adapt(int maxcls, int lenwrk, double relreq) {
  const int ndim = 2;
  const double absreq = 0;
  static double work[5000];
  double absest, finest;
  int mincls = 0, inform;
  adapt_(&ndim, &mincls, &maxcls, functn, &absreq, &relreq, &lenwrk, work, &absest, &finest, &inform);
  return inform;
}
int call_cuhre(int ndim, int ncomp, int maxeval, double epsrel) {
  int nregions, neval, fail;
  double result, error, prob;
  Cuhre(ndim, ncomp, integrand, nullptr, 1, epsrel, 0, 0, 0, maxeval, 0, nullptr, nullptr, &nregions, &neval, &fail,
        &result, &error, &prob);
  return fail;
}
int call_vegas(int nstart) {
  int neval, fail;
  double result, error, prob;
  Vegas(2, 1, integrand, nullptr, 1, 0.1, 0, 0, 0, 0, 10000, nstart, 500, 1000, 0, nullptr, nullptr, &neval, &fail,
        &result, &error, &prob);
  return fail;
}
int call_divonne() {
  int nregions, neval, fail;
  double result, error, prob;
  Divonne(2, 1, integrand, nullptr, 1, 1e-12, 0, 0, 0, 0, 1000, 9, 1, 1, 5, 0, 10, .25, 0, 2, nullptr, 0, nullptr,
          nullptr, nullptr, &nregions, &neval, &fail, &result, &error, &prob);
  return fail;
}
int call_dqags(double epsrel, int limit) {
  const double a = 0, b = 1, epsabs = 0;
  const int lenw = 400;
  double result, abserr, work[400];
  int neval, ier, last, iwork[100];
  dqags_(function, &a, &b, &epsabs, &epsrel, &result, &abserr, &neval, &ier, &limit, &lenw, &last, iwork, work);
  return ier;
}
int call_qng() {
  const float a = 0, b = 1, epsabs = 0, epsrel = 1e-3f;
  float result, abserr;
  int neval, ier;
  qng_(function_single, &a, &b, &epsabs, &epsrel, &result, &abserr, &neval, &ier);
  return ier;
}

}  // namespace

int main() {
  const int codes[] = {call_dcuhre(2, 5000, 10000, 1e-6),
                       call_dcuhre(2, 5000, 400, 0.0),
                       call_dcuhre(2, 9, 400, 1e-6),
                       call_dcuhre(16, 5000, 400, 1e-6),
                       call_adapt(10000, 5000, 1e-6),
                       call_adapt(100, 5000, 0.0),
                       call_adapt(100, 58, 1e-6),
                       call_cuhre(2, 1, 10000, 1e-6),
                       call_cuhre(1, 1, 10000, 1e-6),
                       call_cuhre(2, 0, 10000, 1e-6),
                       call_vegas(1000),
                       call_vegas(0),
                       call_dqags(1e-8, 100),
                       call_dqags(1e-8, 0),
                       call_dqags(1e-20, 100),
                       call_qng()};
  for (const int code : codes) std::printf("%d ", code);
  std::printf("%s\n", call_divonne() > 0 ? "positive" : "not positive");
  how = not_a_number;
  call_dcuhre(2, 5000, 400, 1e-6);
  call_dqags(1e-8, 100);
  how = aborts;
  call_cuhre(2, 1, 10000, 1e-6);
  how = throws;
  try {
    call_dcuhre(2, 5000, 400, 1e-6);
  } catch (int) {
    return 0;
  }
  return 1;
}
