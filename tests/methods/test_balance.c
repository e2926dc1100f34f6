/* Errors that cancel (bulk selection, robust estimate): what is taken off the sum of the regions' errors, and whether status 0 can
 * still be believed, on random instances of integrands with jumps and kinks across the axes and with many oscillations.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "solve.h"

enum { most_dim = 6, instances = sanitized ? 1 : 6 };
enum kind { step, kink, ball, waves, sines, kinds };
static const char *const kind_name[] = {"step across the axes", "kink across the axes", "ball", "waves", "sines"};
static const double pi = 3.14159265358979323846;

struct instance {
  enum kind kind;
  int ndim;
  double a[most_dim], c;
};

static int integrand(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct instance *p = userdata;
  double s = 0, product = 1;
  (void)ncomp;
  for (int j = 0; j < ndim; ++j) {
    const double d = x[j] - p->a[j];
    s += p->kind == ball ? d * d : p->a[j] * x[j];
    product *= 1 + sin(p->a[j] * x[j] + p->c);
  }
  switch (p->kind) {
    case kink:
      *f = fabs(s - p->c);
      break;
    case waves:
      *f = cos(s + p->c);
      break;
    case sines:
      *f = product;
      break;
    default:
      *f = s < p->c ? 1 : 0;
  }
  return 0;
}

/* Integral of max(c - sum a_j x_j, 0)^power, power 0 or 1, by inclusion and exclusion of the corners. */
static double simplex(const struct instance *p, int power) {
  const int n = p->ndim;
  double sum = 0, scale = 1;
  for (int i = 2; i <= n + power; ++i) scale *= i;
  for (int j = 0; j < n; ++j) scale *= p->a[j];
  for (int corner = 0; corner < 1 << n; ++corner) {
    double left = p->c, sign = 1;
    for (int j = 0; j < n; ++j)
      if (corner >> j & 1) {
        left -= p->a[j];
        sign = -sign;
      }
    if (left > 0) sum += sign * pow(left, n + power);
  }
  return sum / scale;
}

static double exact(const struct instance *p) {
  const int n = p->ndim;
  double r = 1, middle = p->c;
  switch (p->kind) {
    case step:
      return simplex(p, 0);
    case kink:
      r = -p->c;
      for (int j = 0; j < n; ++j) r += 0.5 * p->a[j];
      return r + 2 * simplex(p, 1);
    case ball:
      return pow(pi * p->c, 0.5 * n) / tgamma(0.5 * n + 1);
    case waves:
      for (int j = 0; j < n; ++j) {
        middle += 0.5 * p->a[j];
        r *= sin(0.5 * p->a[j]) / (0.5 * p->a[j]);
      }
      return r * cos(middle);
    default:
      for (int j = 0; j < n; ++j) r *= 1 + (cos(p->c) - cos(p->a[j] + p->c)) / p->a[j];
      return r;
  }
}

static double random_number(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  uint64_t x = *state;
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdu;
  x ^= x >> 33;
  return (double)(x >> 11) * 0x1p-53;
}

static struct instance make(enum kind kind, int ndim, int number) {
  struct instance p = {kind, ndim, {0}, 0};
  uint64_t state = 1000003u * (uint64_t)kind + 1009u * (uint64_t)ndim + 77u * (uint64_t)number;
  random_number(&state);
  double sum = 0, room = 1;
  for (int j = 0; j < ndim; ++j) {
    const double u = random_number(&state);
    p.a[j] = kind == ball ? 0.3 + 0.4 * u : kind == waves ? 6 + 12 * u : kind == sines ? 5 + 25 * u : 0.2 + u;
    sum += p.a[j];
    room = fmin(room, fmin(p.a[j], 1 - p.a[j]));
  }
  const double u = random_number(&state);
  p.c = kind == ball                     ? room * room * (0.5 + 0.5 * u)
        : kind == waves || kind == sines ? 2 * pi * u
                                         : sum * (0.3 + 0.4 * u);
  return p;
}

static tessera_solver *bulk_solver(int ndim, double tolerance, int64_t maxeval) {
  tessera_solver *s = solver_of(ndim, 1);
  put_int(s, TESSERA_SELECTION, TESSERA_SELECT_BULK);
  if (ndim > 2) /* asked for, no region has a rule of higher degree: it takes many to cancel */
    put_int(s, TESSERA_RULE, ndim == 3 ? TESSERA_RULE_DEGREE11 : TESSERA_RULE_DEGREE9);
  put_int(s, TESSERA_THREADS, 1);
  put_int(s, TESSERA_MAXEVAL, maxeval);
  put_int(s, TESSERA_KEEP_REGIONS, 1);
  put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF); /* a grid with a map would end it */
  put_real(s, TESSERA_RELTOL, tolerance);
  return s;
}

/* Sum of the regions' errors, and what is reported. */
static double sum_of_errors(const tessera_solver *s, int ndim) {
  int64_t n = 0;
  assert_status(s, tessera_get_regions(s, 0, 0, NULL, &n), TESSERA_OK);
  double *records = malloc((size_t)n * (size_t)(2 * ndim + 5) * sizeof *records), sum = 0;
  assert_non_null(records);
  assert_status(s, tessera_get_regions(s, 0, n, records, &n), TESSERA_OK);
  for (int64_t i = 0; i < n; ++i) sum += records[i * (2 * ndim + 5) + 2 * ndim + 1];
  free(records);
  return sum;
}

static void honesty(void **state) {
  (void)state;
  static const int dims[] = {3, 4, 5};
  print_message("  tolerance 1e-2, at most 3e6 evaluations\n  %-22s claims false  least share of the sum of errors\n",
                "");
  int claims_in_all = 0;
  for (int kind = 0; kind < kinds; ++kind) {
    int claims = 0, falsehoods = 0;
    double least = 1;
    for (size_t d = 0; d < sizeof dims / sizeof dims[0]; ++d) {
      tessera_solver *s = bulk_solver(dims[d], 1e-2, 3000000);
      for (int i = 0; i < instances; ++i) {
        struct instance p = make((enum kind)kind, dims[d], i);
        put_point(s, integrand, &p);
        const struct answer a = integrate(s);
        const double truth = exact(&p), share = a.error / sum_of_errors(s, dims[d]);
        least = fmin(least, share);
        assert_true(share <= 1 + 1e-9 + 4 / ((double)a.regions - 1)); /* few regions are worth less */
        /* Whether the tolerance is met or not, the estimate must hold. */
        if (!(fabs(a.value - truth) <= a.error)) {
          print_message("  %s, %d-D, instance %d: %.10g +- %.2g is wrong by %.2g\n", kind_name[kind], dims[d], i,
                        a.value, a.error, fabs(a.value - truth));
          ++falsehoods;
        }
        claims += a.status == TESSERA_OK;
      }
      tessera_destroy(s);
    }
    print_message("  %-22s %6d %5d  %.3f\n", kind_name[kind], claims, falsehoods, least);
    assert_int_equal(falsehoods, 0);
    claims_in_all += claims;
    if (kind == step || kind == ball) assert_true(least > 0.99); /* what hides between the points has no sign */
    if (kind == waves) assert_true(least < 0.6);
  }
  assert_true(claims_in_all > (sanitized ? 5 : 40));
}

/* Kinks along the axes, in the middle of the domain: all regions err to the same side. */
static int aligned_kinks(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0;
  (void)ncomp;
  (void)userdata;
  for (int j = 0; j < ndim; ++j) s += fabs(x[j] - 0.5);
  *f = exp(-10 * s);
  return 0;
}

static void nothing_where_signs_agree(void **state) {
  (void)state;
  tessera_solver *s = bulk_solver(5, sanitized ? 1e-5 : 1e-7, 50000000);
  put_point(s, aligned_kinks, NULL);
  const struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_OK);
  assert_true(a.regions > 4096);
  const double share = a.error / sum_of_errors(s, 5);
  assert_true(share > 0.99 && share < 1.01);
  tessera_destroy(s);
}

/* The classic estimate is the sum. */
static void nothing_for_the_classic_estimate(void **state) {
  (void)state;
  tessera_solver *s = bulk_solver(4, 1e-3, 2000000);
  put_int(s, TESSERA_ESTIMATE, TESSERA_ESTIMATE_CLASSIC);
  struct instance p = make(ball, 4, 0);
  put_point(s, integrand, &p);
  const struct answer a = integrate(s);
  assert_true(a.regions > 4096);
  const double sum = sum_of_errors(s, 4);
  assert_close(a.error, sum, 1e-12, 0);
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(honesty),
      cmocka_unit_test(nothing_where_signs_agree),
      cmocka_unit_test(nothing_for_the_classic_estimate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
