/* The population itself: exact values against nested one-dimensional quadrature, which knows the integrand alone. With
 * arguments: NDIM SEED PER [FAMILY [TOLERANCE [PIECES]]]: as many instances as wanted, printed.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "close.h"
#include "population.h"
#include "population_exact.h"
#include "solve.h"

static int coarse = 8, fine = 48; /* pieces of a finite and of an infinite range */

/* One variable after another; features are met by pieces that end there, the rest by bisection. */
struct nested {
  const struct population_instance *p;
  int axis;
  double *x, bound;
};

static double inner(double z, const void *data);

/* Where the last variable crosses a plane or a sphere while the others stay, and any equals one before it: in t. */
static int crossings(const struct nested *q, double *t) {
  const struct population_params *p = &q->p->params;
  const int n = q->p->ndim, last = n - 1;
  double s = 0, slope = 0, a = 0, b = 0, c = -1;
  if (p->kind == POPULATION_DIFFERENCES)
    for (int j = 0; j < q->axis; ++j) t[j] = (q->x[j] - p->origin[j]) * p->scale[j];
  if (p->kind == POPULATION_DIFFERENCES) return q->axis;
  if (q->axis != last || (p->kind != POPULATION_RIDGE && p->kind != POPULATION_RADIAL)) return 0;
  for (int i = 0; i < n; ++i) {
    double y = -p->matrix[i][last] * p->centre[last], m = p->matrix[i][last];
    for (int j = 0; j < last; ++j) y += p->matrix[i][j] * ((q->x[j] - p->origin[j]) * p->scale[j] - p->centre[j]);
    a += m * m;
    b += 2 * m * y;
    c += y * y;
    if (p->kind == POPULATION_RIDGE) {
      s += p->a[0][i] * ((i < last ? (q->x[i] - p->origin[i]) * p->scale[i] : 0) - p->u[0][i]);
      slope = p->a[0][last];
    } else {
      const double k = p->variant == POPULATION_RADIAL_CREASE ? i == 0 : p->a[0][i];
      s += k * y;
      slope += k * m;
    }
  }
  if (p->kind == POPULATION_RIDGE || p->variant == POPULATION_RADIAL_HALF_SPACE ||
      p->variant == POPULATION_RADIAL_CREASE) {
    t[0] = (p->c - s) / slope;
    return slope != 0;
  }
  const double root = b * b - 4 * a * c;
  if (root < 0) return 0;
  t[0] = (-b - sqrt(root)) / (2 * a);
  t[1] = (-b + sqrt(root)) / (2 * a);
  return 2;
}

/* On an infinite axis the variable is z, -1 < z < 1: x = from + h z/(1-|z|)^2. The library's map is another. */
static double infinite_from(const struct nested *q) {
  const double lower = q->p->lower[q->axis], upper = q->p->upper[q->axis];
  return isfinite(lower) ? lower : isfinite(upper) ? upper : q->p->params.origin[q->axis];
}

static double z_of(double w) {
  const double v = fabs(w);
  return v == 0 ? 0 : copysign((2 * v + 1 - sqrt(4 * v + 1)) / (2 * v), w);
}

/* Ends of pieces: where shapes have their places, the middle of what is round, planes and spheres, and equal steps. */
static int ends_of(const struct nested *q, double lower, double upper, int infinite, double *end) {
  const struct population_instance *p = q->p;
  const double origin = p->params.origin[q->axis], h = 1 / p->params.scale[q->axis];
  const int steps = infinite ? fine : coarse;
  double t[population_max_ndim + 3];
  int n = crossings(q, t), ends = 0;
  if (p->params.kind <= POPULATION_ADDITIVE)
    for (int k = 0; k < p->params.terms; ++k) t[n++] = p->params.u[k][q->axis];
  t[n++] = p->params.centre[q->axis];
  end[ends++] = lower;
  for (int j = 1; j < steps + n; ++j) {
    double e = lower + (upper - lower) * j / steps;
    if (j >= steps) {
      e = origin + h * t[j - steps];
      if (infinite) e = z_of((e - infinite_from(q)) / h);
    }
    if (!(e > lower && e < upper)) continue;
    int k = ends++;
    for (; k > 1 && end[k - 1] > e; --k) end[k] = end[k - 1];
    end[k] = e;
  }
  end[ends] = upper;
  return ends;
}

static double along(struct nested q) {
  double lower = q.p->lower[q.axis], upper = q.p->upper[q.axis], end[population_max_ndim + 140], sum = 0;
  const int infinite = !isfinite(upper - lower);
  if (infinite) {
    lower = isfinite(lower) ? 0 : -1;
    upper = isfinite(upper) ? 0 : 1;
  }
  const int ends = ends_of(&q, lower, upper, infinite, end);
  for (int k = 0; k < ends; ++k) sum += population_quadrature_to(inner, &q, end[k], end[k + 1], q.bound / ends);
  return sum;
}

static double inner(double z, const void *data) {
  struct nested q = *(const struct nested *)data;
  const double lower = q.p->lower[q.axis], upper = q.p->upper[q.axis], h = 1 / q.p->params.scale[q.axis];
  double weight = 1, f = 0;
  if (isfinite(upper - lower)) {
    q.x[q.axis] = z;
  } else {
    const double rest = 1 - fabs(z);
    q.x[q.axis] = infinite_from(&q) + h * z / (rest * rest);
    weight = h * (1 + fabs(z)) / (rest * rest * rest);
  }
  if (q.axis + 1 < q.p->ndim) {
    ++q.axis;
    q.bound /= 10 * weight * (isfinite(upper - lower) ? upper - lower : 2);
    return weight * along(q);
  }
  population_f(q.p->ndim, q.x, 1, &f, (void *)&q.p->params);
  return f == 0 ? 0 : weight * f;
}

static double brute_force(const struct population_instance *p, double tolerance) {
  double x[population_max_ndim];
  return along((struct nested){p, 0, x, tolerance * fabs(p->exact)});
}

/* ---- Tests ------------------------------------------------------------------------------------------------------- */
static struct population_instance made(int family, int ndim, uint64_t base, int index) {
  struct population_instance p;
  assert_int_equal(population_make(family, ndim, population_seed(base, family, ndim, index), &p), 0);
  return p;
}

static void compare(int family, int ndim, int index, double tolerance) {
  const struct population_instance p = made(family, ndim, 4, index);
  const double value = brute_force(&p, 0.1 * tolerance);
  if (!(fabs(value - p.exact) <= tolerance * fabs(p.exact)))
    print_error("%s, %d-D, seed %llu (%s)\n", population_families[family].name, ndim, (unsigned long long)p.seed,
                p.variant);
  assert_close(value, p.exact, tolerance, 0);
}

static int instances = 1; /* of a family and a number of variables */

static void two_variables(void **state) {
  (void)state;
  for (int f = 0; f < population_family_count; ++f)
    for (int i = 0; i < instances && population_families[f].least_ndim <= 2; ++i) compare(f, 2, i, 1e-8);
}

/* Where the exact value depends on the number of variables in more than one way. */
static void three_variables(void **state) {
  static const char *const names[] = {"linear-model", "plane-kink",  "plane-step",
                                      "polynomial",   "corner-peak", "differences"};
  (void)state;
  coarse = 1;
  for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k)
    for (int i = 0; i < instances; ++i) compare(population_find(names[k]), 3, i, 1e-7);
  coarse = 8;
}

/* In more variables against random points, where these find the integral: no constant is wrong. */
static void many_variables(void **state) {
  static const int dims[] = {4, 5, 6, 8, 10};
  (void)state;
  for (int f = 0; f < population_family_count; ++f) {
    int compared = 0;
    for (size_t k = 0; k < sizeof dims / sizeof dims[0]; k += sanitized ? 3 : 1) {
      if (dims[k] > population_families[f].most_ndim) continue;
      struct population_instance p = made(f, dims[k], 5, 0);
      if (p.occupied < 0.01 || p.params.kind == POPULATION_WARPED) continue; /* points would miss it */
      tessera_solver *s = solver_of(dims[k], 1);
      put_point(s, population_f, &p.params);
      assert_status(s, tessera_set_domain(s, p.lower, p.upper), TESSERA_OK);
      put_int(s, TESSERA_MAXEVAL, 200000);
      put_real(s, TESSERA_RELTOL, 1e-3);
      double value = 0, error = 0;
      assert_true(tessera_integrate(s, TESSERA_MONTECARLO, &value, &error) >= 0);
      tessera_destroy(s);
      /* Too hard for so few points, or a peak of which none has come near, beside which they show no digit. */
      if (!(error <= 0.02 * fmin(fabs(p.exact), fabs(value)))) continue;
      ++compared;
      if (!(fabs(value - p.exact) <= 5 * error + 1e-12 * fabs(p.exact)))
        print_error("%s, %d-D, seed %llu (%s)\n", population_families[f].name, dims[k], (unsigned long long)p.seed,
                    p.variant);
      assert_close(value, p.exact, 1e-12, 5 * error);
    }
    print_message("  %-14s compared %d\n", population_families[f].name, compared);
  }
}

/* Genz's families have the values of cases.c. */
static void genz(void **state) {
  static const char *const names[] = {"",         "oscillatory", "product-peak", "corner-peak",
                                      "gaussian", "c0",          "discontinuous"};
  (void)state;
  int same = 0;
  for (int family = 1; family <= 6; ++family)
    for (int i = 0; i < 20; ++i) {
      const struct population_instance p = made(population_find(names[family]), 2 + i % 9, 6, i);
      if (strncmp(p.variant, "Genz", 4) != 0 ||
          (family == GENZ_DISCONTINUOUS && p.params.shape[0][0] != POPULATION_EXP_CUT))
        continue;
      struct genz g = {family, p.ndim, {0}, {0}, 0};
      double volume = 1;
      for (int j = 0; j < p.ndim; ++j) {
        g.a[j] = p.params.a[0][j];
        g.u[j] = p.params.u[0][j];
        volume *= p.upper[j] - p.lower[j];
      }
      if (family == GENZ_OSCILLATORY) g.u[0] = p.params.c / 6.28318530717958647692;
      if (family == GENZ_DISCONTINUOUS &&
          (p.params.shape[0][1] != POPULATION_EXP_CUT || strstr(p.variant, " 2 ") == NULL))
        continue;
      assert_close(p.exact, volume * genz_exact(&g), 1e-11, 0);
      ++same;
    }
  assert_true(same > 30);
}

/* The linear model of Evans and Swartz, Statistical Science 10 (1995) 254-272, over all of R^10. */
static void published_posterior(void **state) {
  static const double y[] = {
      0.151754965,  1.085632419,  0.591451482,  -0.068423422, -0.378073973, -0.638321684, 0.186636475,  -0.009514517,
      0.495339037,  0.261643198,  2.833250710,  1.098441287,  -0.476050335, -0.383252862, 1.128895153,  0.041946195,
      0.174042986,  -0.581710481, 0.447193674,  -0.071116204, -0.616061349, -0.513835377, -1.321292735, 0.043171116,
      0.072504593,  -0.816614843, 0.934854744,  -0.156455228, -0.172299695, -0.174379640, -0.878534226, 0.028068692,
      -0.110434509, -1.193255325, 0.973952349,  -0.610598648, -0.548582027, -0.544598812, -0.402896237, -1.299835892,
      0.289558508,  0.755147497,  -0.149990572, 0.746211189,  -3.006485474};
  (void)state;
  struct population_params p;
  double lower[10], upper[10];
  memset(&p, 0, sizeof p);
  for (int i = 0; i < 45; ++i) p.data[i] = y[i] + (i < 5 ? 1.8 : 0);
  for (int i = 0; i < 10; ++i) upper[i] = -(lower[i] = i < 9 ? -50 : -6);
  p.c = 45 * log(0.5 * 3.14159265358979323846); /* the constant of the density */
  assert_close(population_linear_model(&p, 10, lower, upper), 1.30563865391715646e-22, 1e-12, 0);
}

/* The same seed gives the same instance, another seed another one, in every number of variables that a family has. */
static void seeds(void **state) {
  (void)state;
  for (int f = 0; f < population_family_count; ++f) {
    const struct population_family *family = &population_families[f];
    assert_int_equal(population_find(family->name), f);
    for (int ndim = 1; ndim <= population_max_ndim + 1; ++ndim) {
      struct population_instance a, b;
      if (ndim < family->least_ndim || ndim > family->most_ndim) {
        assert_int_equal(population_make(f, ndim, 1, &a), -1);
        continue;
      }
      a = made(f, ndim, 1, 0);
      b = made(f, ndim, 1, 0);
      assert_memory_equal(&a.params, &b.params, sizeof a.params);
      assert_same_bits(a.exact, b.exact);
      b = made(f, ndim, 1, 1);
      assert_memory_not_equal(&a.params, &b.params, sizeof a.params);
      assert_true(isfinite(a.exact) && a.exact != 0 && a.occupied > 0 && a.occupied <= 1);
      for (int j = 0; j < ndim; ++j) assert_true(a.lower[j] < a.upper[j]);
    }
  }
  assert_int_equal(population_find("none"), -1);
}

/* Values are finite everywhere, far out too. */
static void finite_values(void **state) {
  (void)state;
  uint64_t random = 7;
  for (int f = 0; f < population_family_count; ++f)
    for (int i = 0; i < 30; ++i) {
      const int ndim = population_families[f].least_ndim + i % (population_families[f].most_ndim - 1);
      struct population_instance p;
      if (population_make(f, ndim, population_seed(8, f, ndim, i), &p) != 0) continue;
      for (int point = 0; point < (sanitized ? 20 : 200); ++point) {
        double x[population_max_ndim], value = NAN;
        for (int j = 0; j < ndim; ++j) {
          const double far = pow(10, 16 * splitmix_uniform(&random)), u = splitmix_uniform(&random);
          const int low = isfinite(p.lower[j]), high = isfinite(p.upper[j]);
          x[j] = low && high ? p.lower[j] + u * (p.upper[j] - p.lower[j])
                 : low       ? p.lower[j] + u * far
                 : high      ? p.upper[j] - u * far
                             : (2 * u - 1) * far;
        }
        assert_int_equal(population_f(ndim, x, 1, &value, &p.params), 0);
        if (!isfinite(value))
          print_error("%s, %d-D, seed %llu\n", population_families[f].name, ndim, (unsigned long long)p.seed);
        assert_true(isfinite(value));
      }
    }
}

/* ---- By hand ----------------------------------------------------------------------------------------------------- */
static int print_many(int ndim, uint64_t base, int per, int only, double tolerance) {
  int wrong = 0;
  for (int f = 0; f < population_family_count; ++f) {
    double worst = 0;
    for (int i = 0; i < per && (only < 0 || only == f); ++i) {
      struct population_instance p;
      if (population_make(f, ndim, population_seed(base, f, ndim, i), &p) != 0) break;
      const double value = brute_force(&p, tolerance), error = fabs(value / p.exact - 1);
      worst = fmax(worst, error);
      if (error <= 100 * tolerance) continue;
      ++wrong;
      printf("%s %d-D seed %llu (%s): %.15g, exact %.15g, %.2g\n", population_families[f].name, ndim,
             (unsigned long long)p.seed, p.variant, value, p.exact, error);
    }
    if (only < 0 || only == f)
      printf("%-14s %d-D %d instances, worst %.2g\n", population_families[f].name, ndim, per, worst);
    fflush(stdout);
  }
  return wrong;
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(seeds),          cmocka_unit_test(finite_values),
      cmocka_unit_test(genz),           cmocka_unit_test(published_posterior),
      cmocka_unit_test(two_variables),  cmocka_unit_test(three_variables),
      cmocka_unit_test(many_variables),
  };
  if (argc == 2) instances = atoi(argv[1]);
  if (argc > 6) coarse = atoi(argv[6]), fine = 6 * coarse;
  if (argc > 3)
    return print_many(atoi(argv[1]), strtoull(argv[2], NULL, 10), atoi(argv[3]),
                      argc > 4 ? population_find(argv[4]) : -1, argc > 5 ? atof(argv[5]) : 1e-11) > 0;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
