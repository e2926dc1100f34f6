/* TESSERA_ITERATED: values in closed form with limits that are numbers, functions and infinite, every rule, kinks and singularities that lie across
 * the axes, the error carried outward, threads, every way to end, bad input.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cases.h"
#include "solve.h"

static double pi(void) { return acos(-1); }
static int64_t calls;

static int values(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const int kind = *(const int *)userdata;
  double s = 0, q = 0;
  if (kind != 2) ++calls; /* of one thread */
  for (int j = 0; j < ndim; ++j) {
    s += x[j];
    q += x[j] * x[j];
  }
  switch (kind) {
    case 0:
      f[0] = exp(s);
      break;
    case 1:
      f[0] = exp(-q);
      break;
    case 2:
      f[0] = fabs(x[0] - x[1]);
      break;
    case 3:
      f[0] = 1 / sqrt(s);
      break;
    case 4:
      f[0] = 1;
      break;
    case 5:
      f[0] = x[0] > 0.4 && x[1] > 0.3 ? NAN : s;
      break;
    case 6:
      f[0] = s < 1 ? 1 : 0;
      break;
    case 7:
      f[0] = cos(30 * s);
      break;
    case 8:
      f[0] = 0;
      break;
    default:
      f[0] = s;
      break;
  }
  if (ncomp > 1) f[1] = s;
  return 0;
}

static tessera_solver *solver(int ndim, int ncomp, int *kind, double reltol) {
  tessera_solver *s = NULL;
  assert_int_equal(tessera_create(&s, ndim, ncomp), 0);
  assert_int_equal(tessera_set_integrand1(s, values, kind), 0);
  assert_int_equal(tessera_set_real(s, TESSERA_RELTOL, reltol), 0);
  return s;
}
static int triangle(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata) {
  (void)ndim, (void)userdata;
  *lower = 0;
  *upper = 1;
  for (int j = 0; j < axis; ++j) *upper -= x[j];
  return 0;
}
static int ball(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata) {
  (void)ndim, (void)userdata;
  double r = 1;
  for (int j = 0; j < axis; ++j) r -= x[j] * x[j];
  *upper = sqrt(fmax(r, 0));
  *lower = -*upper;
  return 0;
}

static void closed_forms(void **state) {
  (void)state;
  const struct {
    int kind, ndim;
    double lower, upper, exact;
    tessera_limits limits;
  } cases[] = {{0, 1, 0, 1, exp(1) - 1, NULL},
               {0, 3, 0, 1, pow(exp(1) - 1, 3), NULL},
               {0, 2, 1, 0, pow(exp(1) - 1, 2), NULL},
               {1, 2, -INFINITY, INFINITY, pi(), NULL},
               {1, 3, 0, INFINITY, pow(pi(), 1.5) / 8, NULL},
               {2, 2, 0, 1, 1.0 / 3, NULL},
               {3, 2, 0, 1, 4.0 / 3 * (2 * sqrt(2) - 2), NULL},
               {7, 2, 0, 1, pow(sin(30), 2) / 900 - pow(1 - cos(30), 2) / 900, NULL},
               {4, 2, 0, 1, 0.5, triangle},
               {4, 3, 0, 1, 1.0 / 6, triangle},
               {0, 2, 0, 1, 1, triangle},
               {4, 3, -1, 1, 4 * pi() / 3, ball},
               {6, 2, 0, 1, 0.5, NULL}};
  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    for (int t = 0; t < (sanitized ? 1 : 2); ++t) {
      const double reltol = t ? 1e-8 : 1e-6;
      int kind = cases[i].kind;
      tessera_solver *s = solver(cases[i].ndim, 1, &kind, reltol);
      double lower[3], upper[3], value, error;
      int64_t n;
      for (int j = 0; j < 3; ++j) lower[j] = cases[i].lower, upper[j] = cases[i].upper;
      assert_int_equal(tessera_set_domain(s, lower, upper), 0);
      for (int j = cases[i].limits == triangle; cases[i].limits && j < cases[i].ndim; ++j)
        assert_int_equal(tessera_set_limits(s, j, cases[i].limits, NULL), 0);
      tessera_set_int(s, TESSERA_THREADS, 1);
      calls = 0;
      const int status = tessera_integrate(s, TESSERA_ITERATED, &value, &error);
      tessera_get_int(s, TESSERA_EVALUATIONS, &n);
      print_message("  %2u: status %d, %.15g +- %.1e, true error %.1e, %lld evaluations\n", i, status, value, error,
                    fabs(value - cases[i].exact), (long long)n);
      assert_int_equal(status, 0);
      assert_at_most(fabs(value - cases[i].exact), error + 1e-14 * fabs(value));
      assert_at_most(error, reltol * fabs(value));
      if (kind != 2 && !cases[i].limits) assert_int_equal(n, calls);
      tessera_destroy(s);
    }
}

static void rules(void **state) {
  (void)state;
  static const int of_axis[] = {TESSERA_RULE_KRONROD15, TESSERA_RULE_KRONROD21, TESSERA_RULE_KRONROD61,
                                TESSERA_RULE_DOUBLE_EXPONENTIAL, TESSERA_RULE_AUTO};
  for (int a = 0; a < 5; ++a)
    for (int b = 0; b < 5; ++b) {
      int kind = 3;
      double value, error;
      tessera_solver *s = solver(2, 1, &kind, 1e-8);
      assert_int_equal(tessera_set_axis_rule(s, 0, of_axis[a]), 0);
      assert_int_equal(tessera_set_int(s, TESSERA_RULE, of_axis[b]), 0);
      assert_int_equal(tessera_integrate(s, TESSERA_ITERATED, &value, &error), 0);
      assert_at_most(fabs(value - 4.0 / 3 * (2 * sqrt(2) - 2)), error);
      tessera_destroy(s);
    }
}

static void components_and_threads(void **state) {
  (void)state;
  int kind = 2;
  tessera_solver *s = solver(3, 2, &kind, sanitized ? 1e-5 : 1e-7);
  double value[2], error[2], first[2], first_error[2];
  int64_t n, first_n = 0;
  for (int threads = 1; threads <= 4; threads += 3) {
    tessera_set_int(s, TESSERA_THREADS, threads);
    assert_int_equal(tessera_integrate(s, TESSERA_ITERATED, value, error), 0);
    tessera_get_int(s, TESSERA_EVALUATIONS, &n);
    assert_at_most(fabs(value[0] - 1.0 / 3), error[0]);
    assert_at_most(fabs(value[1] - 1.5), error[1] + 1e-14);
    if (threads == 1) {
      memcpy(first, value, sizeof value);
      memcpy(first_error, error, sizeof error);
      first_n = n;
    } else {
      assert_memory_equal(first, value, sizeof value);
      assert_memory_equal(first_error, error, sizeof error);
      assert_int_equal(first_n, n);
    }
  }
  tessera_destroy(s);
}

/* Where inner integrals cannot be had well enough the error says so. */
static void ends(void **state) {
  (void)state;
  int kind = 7;
  double value, error;
  int64_t n;
  tessera_solver *s = solver(3, 1, &kind, 1e-9);
  for (int64_t most = 1; most < 3000000; most = 3 * most + 1) {
    tessera_set_int(s, TESSERA_MAXEVAL, most);
    const int status = tessera_integrate(s, TESSERA_ITERATED, &value, &error);
    tessera_get_int(s, TESSERA_EVALUATIONS, &n);
    assert_in_range(n, 0, most);
    assert_true(status == TESSERA_LIMIT_EVALUATIONS || status == TESSERA_OK);
    assert_true(status == TESSERA_OK ? isfinite(error) : error > 0);
    if (most < 9261) assert_true(isnan(value)); /* 21 points an axis */
  }
  tessera_set_real(s, TESSERA_MAX_SECONDS, 1e-9);
  tessera_set_int(s, TESSERA_MAXEVAL, INT64_MAX);
  assert_int_equal(tessera_integrate(s, TESSERA_ITERATED, &value, &error), TESSERA_LIMIT_TIME);
  tessera_destroy(s);

  kind = 5;
  s = solver(2, 1, &kind, 1e-6);
  assert_int_equal(tessera_integrate(s, TESSERA_ITERATED, &value, &error), TESSERA_NONFINITE);
  assert_true(strstr(tessera_last_error(s), "nan at x = (") != NULL);
  tessera_destroy(s);

  kind = 1; /* the evaluations of the inner integrals end within a component */
  s = solver(2, 2, &kind, 1e-10);
  const double lower[] = {0, 0}, upper[] = {1, INFINITY};
  double two[2], errors[2];
  assert_int_equal(tessera_set_domain(s, lower, upper), 0);
  tessera_set_int(s, TESSERA_MAXEVAL, 3000);
  assert_int_equal(tessera_integrate(s, TESSERA_ITERATED, two, errors), TESSERA_LIMIT_EVALUATIONS);
  tessera_destroy(s);

  kind = 8;
  s = solver(2, 1, &kind, 1e-6);
  const int status = tessera_integrate(s, TESSERA_ITERATED, &value, &error);
  assert_true((status == TESSERA_ALL_ZERO || status == TESSERA_OK) && value == 0);
  tessera_destroy(s);
}

static void bad_input(void **state) {
  (void)state;
  int kind = 0;
  double value = -7, error = -7;
  tessera_solver *s = solver(2, 1, &kind, 1e-6);
  assert_int_equal(tessera_set_axis_rule(s, 2, TESSERA_RULE_KRONROD21), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_axis_rule(s, -1, TESSERA_RULE_KRONROD21), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_axis_rule(s, 0, TESSERA_RULE_DEGREE9), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_axis_rule(NULL, 0, TESSERA_RULE_KRONROD21), TESSERA_ERR_ARGUMENT);
  tessera_set_int(s, TESSERA_RULE, TESSERA_RULE_DEGREE9);
  assert_int_equal(tessera_integrate(s, TESSERA_ITERATED, &value, &error), TESSERA_ERR_ARGUMENT);
  assert_true(strstr(tessera_last_error(s), "TESSERA_RULE") != NULL);
  tessera_set_int(s, TESSERA_RULE, 0);
  tessera_set_int(s, TESSERA_DEVICE, 0);
  assert_true(tessera_integrate(s, TESSERA_ITERATED, &value, &error) < 0);
  assert_true(value == -7 && error == -7);
  tessera_destroy(s);
}

/* Random instances of Genz's families, none of which this method was made with. */
static void random_instances(void **state) {
  (void)state;
  int claims = 0, wrong = 0, runs = 0;
  for (int ndim = 2; ndim <= 3; ++ndim)
    for (int family = GENZ_OSCILLATORY; family <= GENZ_DISCONTINUOUS; ++family)
      for (uint64_t seed = 1; seed <= (sanitized ? 1 : 6); ++seed) {
        struct genz g;
        double value, error;
        tessera_solver *s = NULL;
        genz_make(family, ndim, 4711 + seed, &g);
        assert_int_equal(tessera_create(&s, ndim, 1), 0);
        assert_int_equal(tessera_set_integrand1(s, genz_point, &g), 0);
        tessera_set_real(s, TESSERA_RELTOL, 1e-6);
        tessera_set_int(s, TESSERA_MAXEVAL, 3000000);
        const int status = tessera_integrate(s, TESSERA_ITERATED, &value, &error);
        assert_true(status >= 0);
        ++runs;
        if (status == TESSERA_OK) {
          ++claims;
          if (!(fabs(value - g.exact) <= 1e-6 * fabs(g.exact))) {
            ++wrong;
            print_message("  family %d, %d-D, seed %d: %.3g tolerances\n", family, ndim, (int)seed,
                          fabs(value / g.exact - 1) / 1e-6);
          }
        }
        tessera_destroy(s);
      }
  print_message("  %d runs, %d claims, %d false\n", runs, claims, wrong);
  assert_at_most(wrong, 0);
  assert_in_range(claims, runs / 2, runs);
}

/* A thin shell in two and three variables: what the last axis crosses is narrower than the distance of a rule's first points. */
struct shell {
  double centre[3], radius, width;
};
static int shell_values(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp;
  const struct shell *p = userdata;
  double q = 0;
  for (int j = 0; j < ndim; ++j) q += (x[j] - p->centre[j]) * (x[j] - p->centre[j]);
  const double z = (sqrt(q) - p->radius) / p->width;
  f[0] = exp(-0.5 * z * z);
  return 0;
}
static void thin_shells(void **state) {
  (void)state;
  uint64_t seed = 28128361;
  int claims = 0;
  for (int i = 0; i < 24; ++i) {
    const int ndim = i % 8 == 7 ? 3 : 2;
    struct shell p;
    for (int j = 0; j < ndim; ++j) p.centre[j] = 0.42 + 0.16 * splitmix_uniform(&seed);
    p.radius = 0.1 + 0.2 * splitmix_uniform(&seed);
    p.width = (ndim == 2 ? 1e-3 : 5e-3) * pow(10, splitmix_uniform(&seed));
    const double w = p.width, r = p.radius;
    const double exact = sqrt(2 * pi()) * w * (ndim == 2 ? 2 * pi() * r : 4 * pi() * (r * r + w * w));
    for (double reltol = 1e-2; reltol > 5e-4; reltol /= 10) {
      double value, error;
      tessera_solver *s = NULL;
      assert_int_equal(tessera_create(&s, ndim, 1), 0);
      put_point(s, shell_values, &p);
      put_int(s, TESSERA_DEVICE, -1);
      put_int(s, TESSERA_MAXEVAL, 10000000);
      put_real(s, TESSERA_RELTOL, reltol);
      const int status = tessera_integrate(s, TESSERA_ITERATED, &value, &error);
      if (status == TESSERA_OK) {
        ++claims;
        assert_close(value, exact, reltol, 0);
      } else {
        assert_int_equal(status, TESSERA_LIMIT_EVALUATIONS);
        assert_close(value, exact, 0, 3 * error);
      }
      tessera_destroy(s);
    }
  }
  print_message("  48 runs, %d claims\n", claims);
  assert_true(claims > 40);
}

/* So many intervals of each axis as are asked for, or as are had with a part of the evaluations. */
static void least_intervals(void **state) {
  (void)state;
  int kind = 0;
  int64_t spent[4] = {0};
  const int asked[4] = {0, 1, 4, 16};
  for (int i = 0; i < 4; ++i) {
    double value, error;
    tessera_solver *s = solver(2, 1, &kind, 1e-6);
    put_int(s, TESSERA_MAXEVAL, 10000000);
    put_int(s, TESSERA_LEAST_REGIONS, asked[i]);
    assert_status(s, tessera_integrate(s, TESSERA_ITERATED, &value, &error), TESSERA_OK);
    assert_close(value, (exp(1) - 1) * (exp(1) - 1), 1e-6, 0);
    spent[i] = got_int(s, TESSERA_EVALUATIONS);
    assert_true(spent[i] >= (int64_t)21 * asked[i] * 21 * asked[i]);
    put_int(s, TESSERA_MAXEVAL, 40000);
    const int status = tessera_integrate(s, TESSERA_ITERATED, &value, &error);
    assert_true(status == TESSERA_OK || status == TESSERA_LIMIT_EVALUATIONS);
    assert_close(value, (exp(1) - 1) * (exp(1) - 1), 1e-6, error);
    tessera_destroy(s);
  }
  assert_int_equal(spent[0], spent[1]);
  assert_true(spent[1] < spent[2] && spent[2] < spent[3]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms), cmocka_unit_test(rules),          cmocka_unit_test(components_and_threads),
      cmocka_unit_test(ends),         cmocka_unit_test(bad_input),      cmocka_unit_test(random_instances),
      cmocka_unit_test(thin_shells),  cmocka_unit_test(least_intervals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
