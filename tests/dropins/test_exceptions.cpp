// A C++ integrand that throws: the exception reaches the caller, and the next call is as good as the first. And the distribution
// function behind prob.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <stdexcept>
#include <string>

#include "../../bindings/cuba/chi_square.hpp"
#include "cuba.h"
#include "tessera_dcuhre.h"
#include "tessera_quadpack.h"

extern "C" {
#include "close.h"
}

namespace {

int calls, throw_at;

void maybe_throw() {
  if (++calls == throw_at) throw std::runtime_error("enough");
}
void funsub(const int *, const double *x, const int *, double *f) {
  maybe_throw();
  f[0] = std::exp(-x[0] * x[1]);
}
double function(const double *x) {
  maybe_throw();
  return std::exp(-*x) / std::sqrt(*x);
}
int integrand(const int *, const double *x, const int *, double *f, void *) {
  maybe_throw();
  f[0] = std::exp(-x[0] * x[1]);
  return 0;
}

bool dcuhre_throws(double &result) {
  const int ndim = 2, numfun = 1, minpts = 0, maxpts = 10000, key = 0, nw = 5000, restar = 0;
  const double a[2] = {0, 0}, b[2] = {1, 1}, epsabs = 0, epsrel = 1e-8;
  static double work[5000];
  double abserr;
  int neval, ifail;
  try {
    dcuhre_(&ndim, &numfun, a, b, &minpts, &maxpts, funsub, &epsabs, &epsrel, &key, &nw, &restar, &result, &abserr,
            &neval, &ifail, work);
    return false;
  } catch (const std::runtime_error &e) {
    return std::string(e.what()) == "enough";
  }
}
bool cuhre_throws(double &result) {
  int nregions, neval, fail;
  double error, prob;
  try {
    Cuhre(2, 1, integrand, nullptr, 1, 1e-8, 0, 0, 0, 10000, 0, nullptr, nullptr, &nregions, &neval, &fail, &result,
          &error, &prob);
    return false;
  } catch (const std::runtime_error &e) {
    return std::string(e.what()) == "enough";
  }
}
bool dqags_throws(double &result) {
  const double a = 0, b = 1, epsabs = 0, epsrel = 1e-10;
  const int limit = 100, lenw = 400;
  double abserr, work[400];
  int neval, ier, last, iwork[100];
  try {
    dqags_(function, &a, &b, &epsabs, &epsrel, &result, &abserr, &neval, &ier, &limit, &lenw, &last, iwork, work);
    return false;
  } catch (const std::runtime_error &e) {
    return std::string(e.what()) == "enough";
  }
}
bool vegas_throws(double &result) {
  int neval, fail;
  double error, prob;
  try {
    Vegas(2, 1, integrand, nullptr, 1, 1e-1, 0, 0, 0, 0, 10000, 1000, 500, 1000, 0, nullptr, nullptr, &neval, &fail,
          &result, &error, &prob);
    return false;
  } catch (const std::runtime_error &e) {
    return std::string(e.what()) == "enough";
  }
}
bool divonne_throws(double &result) {
  int nregions, neval, fail;
  double error, prob;
  try {
    Divonne(2, 1, integrand, nullptr, 1, 1e-9, 0, 0, 0, 0, 10000, 47, 1, 1, 5, 0, 10, .25, 0, 2, nullptr, 0, nullptr,
            nullptr, nullptr, &nregions, &neval, &fail, &result, &error, &prob);
    return false;
  } catch (const std::runtime_error &e) {
    return std::string(e.what()) == "enough";
  }
}

void exceptions_reach_the_caller(void **) {
  for (const auto routine : {dcuhre_throws, cuhre_throws, dqags_throws, vegas_throws, divonne_throws})
    for (const int at : {1, 50, 100, 190}) {
      double first = 0, again = 0;
      throw_at = 0;
      assert_false(routine(first));
      calls = 0;
      throw_at = at;
      again = first;
      assert_true(routine(again));
      assert_int_equal(calls, at);
      assert_same_bits(again, first);  // nothing was written
      throw_at = 0;
      assert_false(routine(again));
      assert_same_bits(again, first);
    }
}

// For an even number of degrees of freedom the distribution function is a finite sum.
double exact_probability(double x, int freedom) {
  double term = 1, sum = 0;
  for (int k = 0; k < freedom / 2; ++k) {
    sum += term;
    term *= 0.5 * x / (k + 1);
  }
  return 1 - std::exp(-0.5 * x) * sum;
}
void chi_square(void **) {
  for (const int freedom : {2, 4, 10, 50, 200, 500})
    for (const double part : {0.3, 0.8, 0.95, 1.0, 1.05, 1.2, 2.0}) {
      const double x = part * freedom;
      assert_close(cuba::chi_square_probability(x, freedom), exact_probability(x, freedom), 1e-9, 1e-11);
    }
  assert_close(cuba::chi_square_probability(1, 1), std::erf(std::sqrt(0.5)), 1e-14, 0);
  // The lower tail keeps its digits however small it is.
  const double tails[][3] = {{7.05e-10, 1, 2.11853000784429e-5},
                             {10, 88, 1.62037337221732e-26},
                             {600, 1000, 3.80742341628818e-26},
                             {0.1, 100, 2.7805877168287e-130}};
  for (const auto &t : tails) assert_close(cuba::chi_square_probability(t[0], t[1]), t[2], 1e-12, 0);
  assert_same_bits(cuba::chi_square_probability(0, 5), 0);
  assert_close(cuba::chi_square_probability(20100, 20000), 0.692, 0, 0.001);  // normal: (20100 - 20000)/200 = 0.5
  cuba::scatter s;
  for (const double v : {1.0, 3.0, 2.0}) s.add(v, 0.5);
  assert_close(s.chi_square(), 8, 1e-14, 0);  // (1 + 1 + 0) / 0.25
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(exceptions_reach_the_caller), cmocka_unit_test(chi_square)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
