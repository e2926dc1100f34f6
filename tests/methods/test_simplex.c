/* tessera_set_simplex: moments of random simplices by both maps, all methods and forms of the integrand; which map is better where; what is refused. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "cases.h"
#include "solve.h"

enum { most = 6 };
static const int maps[] = {TESSERA_SIMPLEX_DUFFY, TESSERA_SIMPLEX_SYMMETRIC};

/* A simplex by its vertices, and what was seen of points outside of it. */
struct shape {
  int ndim;
  double vertex[(most + 1) * most];
  double inverse[most * most]; /* of the edges from vertex 0 */
  double volume;               /* of the simplex */
  int calls, outside;
};

static double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-53;
}

/* Gauss and Jordan, with pivots. */
static double invert(int n, double *a, double *b) {
  double determinant = 1;
  for (int i = 0; i < n * n; ++i) b[i] = i % (n + 1) == 0;
  for (int k = 0; k < n; ++k) {
    int p = k;
    for (int i = k; i < n; ++i)
      if (fabs(a[i * n + k]) > fabs(a[p * n + k])) p = i;
    for (int j = 0; j < n; ++j) {
      const double u = a[k * n + j], v = b[k * n + j];
      a[k * n + j] = a[p * n + j], a[p * n + j] = u;
      b[k * n + j] = b[p * n + j], b[p * n + j] = v;
    }
    const double pivot = a[k * n + k];
    determinant *= pivot;
    for (int j = 0; j < n; ++j) a[k * n + j] /= pivot, b[k * n + j] /= pivot;
    for (int i = 0; i < n; ++i) {
      const double factor = i == k ? 0 : a[i * n + k];
      for (int j = 0; j < n; ++j) a[i * n + j] -= factor * a[k * n + j], b[i * n + j] -= factor * b[k * n + j];
    }
  }
  return fabs(determinant);
}

static struct shape simplex_of(int ndim, uint64_t seed) {
  struct shape s = {.ndim = ndim};
  do {
    double edge[most * most];
    for (int i = 0; i < (ndim + 1) * ndim; ++i) s.vertex[i] = 4 * uniform(&seed) - 1;
    for (int i = 0; i < ndim; ++i)
      for (int j = 0; j < ndim; ++j) edge[j * ndim + i] = s.vertex[(i + 1) * ndim + j] - s.vertex[j];
    s.volume = invert(ndim, edge, s.inverse);
    for (int j = 2; j <= ndim; ++j) s.volume /= j;
  } while (s.volume < 1e-3);
  return s;
}

static int look(struct shape *s, const double *x) {
  double rest = 1, least = 0;
  for (int i = 0; i < s->ndim; ++i) {
    double share = 0;
    for (int j = 0; j < s->ndim; ++j) share += s->inverse[i * s->ndim + j] * (x[j] - s->vertex[j]);
    rest -= share;
    least = fmin(least, share);
  }
  ++s->calls;
  if (!(fmin(least, rest) > -1e-9)) ++s->outside;
  return 0;
}

/* 1, and the square of the first coordinate. */
static int moments(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim;
  f[0] = 1;
  if (ncomp > 1) f[1] = x[0] * x[0];
  return look(userdata, x);
}
static int moments_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                         void *userdata) {
  for (int64_t i = 0; i < n; ++i) {
    double at[most], v[2];
    for (int j = 0; j < ndim; ++j) at[j] = x[j * ldx + i];
    moments(ndim, at, ncomp, v, userdata);
    for (int k = 0; k < ncomp; ++k) f[k * ldf + i] = v[k];
  }
  return 0;
}
/* The mean of x[0]^2: (the sum of squares + the square of the sum) of the vertices / ((n + 1)(n + 2)). */
static double second_moment(const struct shape *s) {
  double sum = 0, squares = 0;
  for (int v = 0; v <= s->ndim; ++v) {
    const double x = s->vertex[v * s->ndim];
    sum += x;
    squares += x * x;
  }
  return s->volume * (squares + sum * sum) / ((s->ndim + 1) * (s->ndim + 2));
}

static void all_methods_find_the_moments_of_random_simplices(void **state) {
  static const int methods[] = {TESSERA_CUBATURE, TESSERA_LATTICE, TESSERA_MONTECARLO, TESSERA_ITERATED};
  (void)state;
  for (int ndim = 1; ndim <= most; ndim += sanitized ? 2 : 1)
    for (int m = 0; m < 2; ++m)
      for (int method = 0; method < 4; ++method) {
        if (ndim > (method == 3 || (method == 0 && m == 1) ? 3 - sanitized : most))
          continue; /* kinks in many variables */
        struct shape shape = simplex_of(ndim, 31415926u + (unsigned)ndim);
        const double exact[] = {shape.volume, second_moment(&shape)};
        const double reltol = method == 3 ? 1e-4 : method == 0 && m == 0 ? 1e-6 : 3e-2;
        double value[2], error[2], values[2][2];
        for (int batch = 0; batch < 2; ++batch) {
          tessera_solver *s = solver_of(ndim, 2);
          assert_status(s, tessera_set_simplex(s, maps[m], shape.vertex), TESSERA_OK);
          put_real(s, TESSERA_RELTOL, reltol);
          put_int(s, TESSERA_THREADS, 1);
          if (batch)
            put_batch(s, moments_batch, &shape);
          else
            put_point(s, moments, &shape);
          assert_status(s, tessera_integrate(s, methods[method], value, error), TESSERA_OK);
          for (int k = 0; k < 2; ++k) {
            values[batch][k] = value[k];
            assert_close(value[k], exact[k], 0, 5 * error[k] + 1e-13 * exact[k]); /* 5: of a standard error */
          }
          tessera_destroy(s);
        }
        for (int k = 0; k < 2; ++k) assert_same_bits(values[0][k], values[1][k]);
        assert_true(shape.calls > 0);
        assert_int_equal(shape.outside, 0);
      }
}

/* ---- Where each is at its best ------------------------------------------------------------------------------------------- */
/* |x|^-2.5 in three variables: singular at the origin alone. */
static int at_vertex(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = pow(x[0] + x[1] + x[2], -2.5);
  return 0;
}
static int smooth(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = exp(x[0]);
  return 0;
}

static struct answer over_unit_simplex(int ndim, tessera_integrand1 f, int map, int method, double reltol) {
  struct answer a = {0};
  tessera_solver *s = solver_of(ndim, 1);
  put_point(s, f, NULL);
  assert_status(s, tessera_set_simplex(s, map, NULL), TESSERA_OK);
  put_real(s, TESSERA_RELTOL, reltol);
  put_int(s, TESSERA_MAXEVAL, 100000);
  put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN);
  a.status = tessera_integrate(s, method, &a.value, &a.error);
  a.evaluations = got_int(s, TESSERA_EVALUATIONS);
  tessera_destroy(s);
  return a;
}

static void each_map_is_better_where_the_manual_says_so(void **state) {
  (void)state;
  /* the integral of r^2/2 r^-2.5 from 0 to 1 */
  const struct answer vertex = over_unit_simplex(3, at_vertex, TESSERA_SIMPLEX_DUFFY, TESSERA_CUBATURE, 1e-6);
  assert_int_equal(vertex.status, TESSERA_OK);
  assert_close(vertex.value, 1, 1e-6, 0);
  /* e^x0 over the simplex of five variables: the sum of 1/(k+5)! */
  double exact = 0, term = 1.0 / 120;
  for (int k = 6; k < 30; term /= k++) exact += term;
  const struct answer cubature[] = {over_unit_simplex(5, smooth, TESSERA_SIMPLEX_DUFFY, TESSERA_CUBATURE, 1e-6),
                                    over_unit_simplex(5, smooth, TESSERA_SIMPLEX_SYMMETRIC, TESSERA_CUBATURE, 1e-6)};
  assert_int_equal(cubature[0].status, TESSERA_OK);
  assert_close(cubature[0].value, exact, 1e-6, 0);
  assert_true(cubature[0].evaluations * 10 < cubature[1].evaluations);
  const struct answer sampled[] = {over_unit_simplex(5, smooth, TESSERA_SIMPLEX_DUFFY, TESSERA_MONTECARLO, 1e-8),
                                   over_unit_simplex(5, smooth, TESSERA_SIMPLEX_SYMMETRIC, TESSERA_MONTECARLO, 1e-8)};
  for (int m = 0; m < 2; ++m) assert_close(sampled[m].value, exact, 0, 5 * sampled[m].error);
  assert_true(sampled[1].error * 8 < sampled[0].error);
}

/* ---- The rest of the interface ----------------------------------------------------------------------------------------- */
static int product(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp;
  f[0] = userdata ? *(const double *)userdata : 1;
  for (int j = 0; j < ndim; ++j) f[0] *= x[j];
  return 0;
}

static void threads_give_the_bits_of_one(void **state) {
  (void)state;
  for (int m = 0; m < 2; ++m) {
    double value[2], error[2];
    for (int threads = 1; threads <= 3; threads += 2) {
      tessera_solver *s = solver_of(4, 1);
      put_point(s, product, NULL);
      assert_status(s, tessera_set_simplex(s, maps[m], NULL), TESSERA_OK);
      put_real(s, TESSERA_RELTOL, m == 0 ? 1e-9 : 1e-2);
      put_int(s, TESSERA_THREADS, threads);
      assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value[threads / 2], &error[threads / 2]), TESSERA_OK);
      assert_close(value[threads / 2], 1.0 / 40320, m == 0 ? 1e-9 : 1e-2, 0);
      tessera_destroy(s);
    }
    assert_same_bits(value[0], value[1]);
    assert_same_bits(error[0], error[1]);
  }
}

static void many_integrals_and_the_way_back(void **state) {
  (void)state;
  const double params[] = {1, 2, 4}, lower[] = {0, 0, 5, 6, -1, -1}, upper[] = {2, 2, 7, 7, 1, 1};
  double value[3], error[3];
  tessera_solver *s = solver_of(2, 1);
  put_point(s, product, NULL);
  put_real(s, TESSERA_RELTOL, 1e-9);
  assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, NULL), TESSERA_OK);
  for (int with = 0; with < 2; ++with) { /* limits of a box are of no account */
    assert_status(s,
                  tessera_integrate_many(s, TESSERA_CUBATURE, 3, params, sizeof params[0], with ? lower : NULL,
                                         with ? upper : NULL, value, error, NULL),
                  TESSERA_OK);
    for (int i = 0; i < 3; ++i) assert_close(value[i], params[i] / 24, 1e-9, 0);
  }
  assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_NONE, NULL), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  assert_close(value[0], 0.25, 1e-12, 0);
  tessera_destroy(s);
}

static void texts_have_simplices_too(void **state) {
  (void)state;
  const struct shape shape = simplex_of(2, 271828);
  double value, error;
  tessera_solver *s = solver_of(2, 1);
  assert_status(s,
                tessera_set_integrand_source(s, TESSERA_LANGUAGE_C,
                                             "int f(int ndim, const double *x, int ncomp, double *f, void *u) {\n"
                                             "  f[0] = x[0] * x[0]; return 0; }\n",
                                             "f"),
                TESSERA_OK);
  put_real(s, TESSERA_RELTOL, 1e-5);
  put_int(s, TESSERA_DEVICE, TESSERA_DEVICE_HOST);
  for (int m = 0; m < 2; ++m) {
    assert_status(s, tessera_set_simplex(s, maps[m], shape.vertex), TESSERA_OK);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
    assert_close(value, second_moment(&shape), 1e-5, 0);
  }
  tessera_destroy(s);
}

static int full(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata) {
  (void)ndim, (void)axis, (void)x, (void)userdata;
  *lower = 0, *upper = 1;
  return 0;
}
static int launch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf, void *stream,
                  void *userdata) {
  (void)n, (void)ndim, (void)x, (void)ldx, (void)ncomp, (void)f, (void)ldf, (void)stream, (void)userdata;
  return 1;
}

static void refuses(tessera_solver *s, int status, const char *words) {
  double value = -7, error = -8;
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), status);
  assert_says(tessera_last_error(s), words);
  assert_same_bits(value, -7);
}

static void what_is_no_simplex_is_refused(void **state) {
  (void)state;
  tessera_solver *s = solver_of(2, 1);
  const double line[] = {0, 0, 1.0 / 3, 1.0 / 3, 1, 1}, point[] = {1, 2, 1, 2, 1, 2}, flat[] = {0, 1, 3, 1, 4, 1};
  const double wide[] = {-1e308, 0, 1e308, 0, 0, 1}, tiny[] = {0, 0, 1e-200, 0, 0, 1e-200};
  const double units[] = {0, 0, 1, 0, 0, 1e-30};
  double with[] = {0, 0, 1, 0, 0, 1}, value, error;
  put_point(s, product, NULL);
  assert_int_equal(tessera_set_simplex(NULL, TESSERA_SIMPLEX_DUFFY, NULL), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_set_simplex(s, 3, NULL), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "map 3");
  assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_NONE, with), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, line), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "one plane");
  assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, point), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, flat), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "one plane");
  assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, wide), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, tiny), TESSERA_ERR_ARGUMENT);
  for (int i = 0; i < 6; ++i)
    for (int sort = 0; sort < 2; ++sort) {
      const double was = with[i];
      with[i] = sort ? INFINITY : NAN;
      assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_SYMMETRIC, with), TESSERA_ERR_ARGUMENT);
      assert_says(tessera_last_error(s), "not a finite number");
      with[i] = was;
    }
  /* nothing of all this has been kept */
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
  assert_close(value, 0.25, 1e-12, 0);
  assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, units),
                TESSERA_OK); /* other units are no lack of volume */
  put_real(s, TESSERA_RELTOL, 1e-9);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
  assert_close(value, 1e-60 / 24, 1e-9, 0);

  assert_status(s, tessera_set_limits(s, 1, full, NULL), TESSERA_OK);
  refuses(s, TESSERA_ERR_UNSUPPORTED, "do not go together");
  assert_status(s, tessera_set_limits(s, 1, NULL, NULL), TESSERA_OK);
  put_int(s, TESSERA_COMPLEMENT, 1);
  refuses(s, TESSERA_ERR_UNSUPPORTED, "TESSERA_COMPLEMENT");
  put_int(s, TESSERA_COMPLEMENT, 0);
  assert_status(s, tessera_set_integrand_device(s, launch, NULL), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, 0);
  refuses(s, TESSERA_ERR_UNSUPPORTED, "device callback");
  tessera_destroy(s);

  s = solver_of(129, 1);
  assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, NULL), TESSERA_ERR_UNSUPPORTED);
  assert_says(tessera_last_error(s), "ndim = 129");
  tessera_destroy(s);

  s = solver_of(1, 1);
  const double half = 0.5;
  put_point(s, product, NULL);
  assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, NULL), TESSERA_OK);
  assert_status(s, tessera_set_breakpoints(s, 1, &half), TESSERA_OK);
  value = error = -7;
  assert_status(s, tessera_integrate(s, TESSERA_QUADRATURE, &value, &error), TESSERA_ERR_UNSUPPORTED);
  assert_says(tessera_last_error(s), "a simplex do not go together");
  assert_status(s, tessera_set_breakpoints(s, 0, NULL), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_QUADRATURE, &value, &error), TESSERA_OK);
  assert_close(value, 0.5, 1e-12, 0);
  tessera_destroy(s);
}

/* The largest there is: nothing overflows on the way. */
static void a_hundred_and_twenty_eight_variables(void **state) {
  (void)state;
  for (int m = 0; m < 2; ++m) {
    struct shape unused = {.ndim = 0};
    double value, error;
    tessera_solver *s = solver_of(128, 1);
    put_point(s, moments, &unused);
    assert_status(s, tessera_set_simplex(s, maps[m], NULL), TESSERA_OK);
    put_int(s, TESSERA_MAXEVAL, 2000);
    const int status = tessera_integrate(s, TESSERA_MONTECARLO, &value, &error);
    assert_true(status == TESSERA_OK || status == TESSERA_LIMIT_EVALUATIONS);
    assert_true(isfinite(value) && (m == 0 ? value >= 0 : value > 0)); /* 1/128! */
    tessera_destroy(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_methods_find_the_moments_of_random_simplices),
      cmocka_unit_test(each_map_is_better_where_the_manual_says_so),
      cmocka_unit_test(threads_give_the_bits_of_one),
      cmocka_unit_test(many_integrals_and_the_way_back),
      cmocka_unit_test(texts_have_simplices_too),
      cmocka_unit_test(what_is_no_simplex_is_refused),
      cmocka_unit_test(a_hundred_and_twenty_eight_variables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
