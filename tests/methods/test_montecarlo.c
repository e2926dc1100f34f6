/* TESSERA_MONTECARLO: published values, sameness for any number of threads, limits, bad integrands, grids.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>

#include "cases.h"
#include "solve.h"

static const double pi = 3.14159265358979323846;

/* ---- Integrands ---------------------------------------------------------------------------------------------------------- */
static double total(int ndim, const double *x) {
  double s = 0;
  for (int j = 0; j < ndim; ++j) s += x[j];
  return s;
}
static int power_3_2(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  f[0] = pow(total(ndim, x), 1.5);
  return 0;
}
static int power_minus_2(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  f[0] = 1 / (total(ndim, x) * total(ndim, x));
  return 0;
}
static int kink(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  f[0] = 0;
  for (int j = 0; j < ndim; ++j) f[0] += fabs(4 * x[j] - 2) / ndim;
  return 0;
}
static int feyn6(int ndim, const double *p, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  const double x1 = p[0], r1 = 1 - x1, x2 = r1 * p[1], r2 = r1 - x2, x3 = r2 * p[2], r3 = r2 - x3, x4 = r3 * p[3],
               r4 = r3 - x4, x5 = r4 * p[4], r5 = r4 - x5, x6 = r5 * p[5], x7 = r5 - x6;
  const double a = x1 + x2 + x3, b = a + x4 + x5, c = a + x6 + x7, C = b * c - a * a;
  const double D =
      C * (b + x6 + x7) -
      (x1 * x2 * (x4 + x5 + x6 + x7) + x1 * x5 * x6 + x2 * x4 * x7 - x3 * x4 * x6 + x3 * (x5 * x7 - x4 * x6) +
       x3 * (x1 * (x4 + x5 + x6 + x7) + x4 * (x6 + x7)) + x3 * (x2 * (x4 + x5 + x6 + x7) + x6 * (x4 + x5)) +
       x1 * x5 * (x4 + x7) + x2 * x4 * (x5 + x6) + x3 * x4 * (x5 + x6) + x4 * x5 * (x6 + x7) + x1 * x6 * (x4 + x7) +
       x2 * x7 * (x5 + x6) + x3 * x6 * (x4 + x7) + x6 * x7 * (x4 + x5));
  f[0] = D == 0 ? 0 : 2 * C / (D * D * D) * r1 * r2 * r3 * r4 * r5;
  return 0;
}
/* A sixth of the determinant of three edges. */
static double tetrahedron(double p[4][3]) {
  double e[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) e[i][j] = p[i + 1][j] - p[0][j];
  return fabs(e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
              e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
         6;
}
static int in_cube(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double p[4][3];
  (void)ndim, (void)ncomp, (void)userdata;
  for (int i = 0; i < 12; ++i) p[i / 3][i % 3] = x[i];
  f[0] = tetrahedron(p);
  return 0;
}
static void on_sphere(double u, double turn, double *p) {
  const double c = 2 * u - 1, r = sqrt(1 - c * c);
  p[0] = r * cos(2 * pi * turn), p[1] = r * sin(2 * pi * turn), p[2] = c;
}
static int sphere8(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double p[4][3];
  (void)ndim, (void)ncomp, (void)userdata;
  for (int i = 0; i < 4; ++i) on_sphere(x[2 * i], x[2 * i + 1], p[i]);
  f[0] = tetrahedron(p);
  return 0;
}
static int sphere5(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double p[4][3];
  (void)ndim, (void)ncomp, (void)userdata;
  on_sphere(1, 0, p[0]);
  on_sphere(x[0], 0, p[1]);
  on_sphere(x[1], x[2], p[2]);
  on_sphere(x[3], x[4], p[3]);
  f[0] = tetrahedron(p);
  return 0;
}
/* Vertices uniform in the simplex, by sorted-power coordinates; the volume as a fraction of the simplex'. */
static int in_simplex(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double p[4][3];
  (void)ndim, (void)ncomp, (void)userdata;
  for (int i = 0; i < 4; ++i) {
    const double a = cbrt(x[3 * i]), b = sqrt(x[3 * i + 1]), c = x[3 * i + 2];
    p[i][0] = a * b * (1 - c), p[i][1] = a * (1 - b), p[i][2] = 1 - a;
  }
  f[0] = 6 * tetrahedron(p);
  return 0;
}
/* A normal density with deviation `width` around 0.3 in all coordinates, integral 1 up to its tails. */
static int peak(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double width = *(const double *)userdata;
  double s = 0;
  (void)ncomp;
  for (int j = 0; j < ndim; ++j) s += (x[j] - 0.3) * (x[j] - 0.3);
  f[0] = exp(-s / (2 * width * width)) * pow(2 * pi * width * width, -0.5 * ndim);
  return 0;
}
static int product_of_exponentials(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  f[0] = exp(total(ndim, x));
  return 0;
}

static struct answer sample(tessera_solver *s) {
  struct answer a;
  memset(&a, 0, sizeof a);
  a.value = a.error = -1e300;
  a.status = tessera_integrate(s, TESSERA_MONTECARLO, &a.value, &a.error);
  snprintf(a.sentence, sizeof a.sentence, "%s", tessera_last_error(s));
  a.evaluations = got_int(s, TESSERA_EVALUATIONS);
  a.iterations = got_int(s, TESSERA_ITERATIONS);
  return a;
}

static tessera_solver *with(int ndim, tessera_integrand1 f, void *userdata, double reltol, int sampling) {
  tessera_solver *s = solver_of(ndim, 1);
  put_point(s, f, userdata);
  put_real(s, TESSERA_RELTOL, reltol);
  put_int(s, TESSERA_SAMPLING, sampling);
  return s;
}

/* ---- Published values -------------------------------------------------------------------------------------------------------- */
static void published_values(void **state) {
  const struct {
    const char *name;
    int ndim;
    tessera_integrand1 f;
    double exact, tolerance;
  } cases[] = {{"feyn6", 6, feyn6, 0.085351398153884, 2e-3},
               {"power 3/2", 10, power_3_2, 11.32097423155, 1e-3},
               {"power -2", 10, power_minus_2, 0.04483234483, 2e-3},
               {"kink 20", 20, kink, 1, 1e-3},
               {"kink 25", 25, kink, 1, 1e-3},
               {"tetrahedron in a cube", 12, in_cube, 3977.0 / 216000 - pi * pi / 2160, 3e-3},
               {"tetrahedron on a sphere 8-D", 8, sphere8, 4 * pi / 105, 3e-3},
               {"tetrahedron on a sphere 5-D", 5, sphere5, 4 * pi / 105, 3e-3},
               {"tetrahedron in a tetrahedron", 12, in_simplex, 13.0 / 720 - pi * pi / 15015, 3e-3}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    for (int antithetic = 0; antithetic < 2; ++antithetic) {
      tessera_solver *s = with(cases[i].ndim, cases[i].f, NULL, sanitized ? 4 * cases[i].tolerance : cases[i].tolerance,
                               TESSERA_SAMPLING_AUTO);
      put_real(s, TESSERA_CONFIDENCE, 0.999);
      put_int(s, TESSERA_ANTITHETIC, antithetic);
      const struct answer a = sample(s);
      print_message("%-30s %.8f error %.1e true %.1e, %lld evaluations\n", cases[i].name, a.value, a.error,
                    fabs(a.value - cases[i].exact), (long long)a.evaluations);
      assert_status(s, a.status, TESSERA_OK);
      assert_at_most(fabs(a.value - cases[i].exact), a.error);
      assert_at_most(a.error, got_real(s, TESSERA_RELTOL) * fabs(a.value));
      tessera_destroy(s);
    }
}

/* ---- The same for any number of threads, and for both forms -------------------------------------------------------------------- */
static int two_components(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp;
  f[1] = total(ndim, x);
  return peak(ndim, x, 1, f, userdata);
}
static int two_components_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                                void *userdata) {
  double point[8], value[2];
  for (int64_t i = 0; i < n; ++i) {
    for (int j = 0; j < ndim; ++j) point[j] = x[j * ldx + i];
    two_components(ndim, point, ncomp, value, userdata);
    f[i] = value[0], f[ldf + i] = value[1];
  }
  return 0;
}

static void threads_and_batches_change_nothing(void **state) {
  static const int threads[] = {1, 2, 3, 7};
  double width = 0.05;
  (void)state;
  for (int sampling = 0; sampling < 3; ++sampling)
    for (int antithetic = 0; antithetic < 2; ++antithetic) {
      double first[6] = {0};
      for (int run = 0; run < 7; ++run) {
        double value[2], error[2], chi2[2];
        tessera_solver *s = solver_of(3, 2);
        if (run < 4)
          put_point(s, two_components, &width);
        else
          put_batch(s, two_components_batch, &width);
        put_int(s, TESSERA_THREADS, run < 4 ? threads[run] : 2);
        put_int(s, TESSERA_BATCH_POINTS, run == 4 ? 1 : run == 5 ? 37 : 16384);
        put_int(s, TESSERA_SAMPLING, sampling);
        put_int(s, TESSERA_ANTITHETIC, antithetic);
        put_real(s, TESSERA_RELTOL, 0);
        put_int(s, TESSERA_MAXEVAL, sanitized ? 70001 : 300001);
        assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, value, error), TESSERA_LIMIT_EVALUATIONS);
        assert_status(s, tessera_get_chi2(s, chi2), TESSERA_OK);
        const double all[6] = {value[0], value[1], error[0], error[1], chi2[0], chi2[1]};
        for (int i = 0; i < 6; ++i) {
          if (run == 0) first[i] = all[i];
          assert_same_bits(all[i], first[i]);
        }
        assert_close(value[0], 1, 0, 2 * error[0]);
        assert_close(value[1], 1.5, 0, 2 * error[1]);
        tessera_destroy(s);
      }
    }
}

static void the_seed_changes_the_points(void **state) {
  (void)state;
  double last = 0;
  for (int seed = 0; seed < 3; ++seed) {
    tessera_solver *s = with(3, power_3_2, NULL, 1e-2, TESSERA_SAMPLING_PLAIN);
    put_int(s, TESSERA_SEED, seed);
    const struct answer a = sample(s), b = sample(s);
    assert_status(s, a.status, TESSERA_OK);
    assert_same_answer(a, b);
    assert_true(a.value != last);
    last = a.value;
    tessera_destroy(s);
  }
}

/* ---- Ranges -------------------------------------------------------------------------------------------------------------------- */
static int gaussian(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) s += x[j] * x[j];
  f[0] = exp(-s);
  return 0;
}
static int inside(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double *limits = userdata;
  (void)ncomp;
  f[0] = 1;
  for (int j = 0; j < ndim; ++j)
    if (!(x[j] > limits[0] && x[j] < limits[1])) f[0] = NAN;
  return 0;
}

static void infinite_and_reversed_ranges(void **state) {
  (void)state;
  for (int sampling = 1; sampling < 3; ++sampling) {
    const double lower[3] = {-INFINITY, 0, INFINITY}, upper[3] = {INFINITY, INFINITY, 0};
    tessera_solver *s = with(3, gaussian, NULL, 1e-2, sampling);
    assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
    struct answer a = sample(s);
    assert_status(s, a.status, TESSERA_OK);
    assert_close(a.value, -pow(pi, 1.5) / 4, 0, 1.5 * a.error); /* the third axis runs backwards */
    tessera_destroy(s);

    s = with(2, gaussian, NULL, 1e-2, sampling);
    put_cube(s, 2, 3, 3);
    a = sample(s);
    assert_status(s, a.status, TESSERA_OK);
    assert_same_bits(a.value, 0);
    assert_int_equal(a.evaluations, 0);
    tessera_destroy(s);

    /* A box of which rounding must not reach the faces. */
    const double narrow[2] = {1, 1 + 64 * DBL_EPSILON};
    s = with(2, inside, (void *)narrow, 1e-2, sampling);
    put_cube(s, 2, narrow[0], narrow[1]);
    a = sample(s);
    assert_true(a.status == TESSERA_OK);
    assert_close(a.value, 4096 * DBL_EPSILON * DBL_EPSILON, 1e-12, 2 * a.error);
    tessera_destroy(s);
  }
}

/* ---- The error -------------------------------------------------------------------------------------------------------------------- */
static int large_mean(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = 1e9 + x[0];
  return 0;
}

/* Plain: the deviation of x is known, so is the error, at all sizes; and a large constant does not spoil it. */
static void the_error_falls_with_the_root(void **state) {
  (void)state;
  for (int64_t n = 4096; n <= (sanitized ? 300000 : 5000000); n *= 8) {
    tessera_solver *s = with(1, large_mean, NULL, 0, TESSERA_SAMPLING_PLAIN);
    put_real(s, TESSERA_CONFIDENCE, 0.95);
    put_int(s, TESSERA_MAXEVAL, n);
    const struct answer a = sample(s);
    assert_status(s, a.status, TESSERA_LIMIT_EVALUATIONS);
    assert_int_equal(a.evaluations, n);
    const double expected = 1.959964 / sqrt(12.0 * (double)n);
    assert_close(a.error, expected, 0.03, 1e-6); /* numbers near 1e9 have steps of 1.2e-7 */
    assert_close(a.value - 1e9, 0.5, 0, 2 * a.error);
    tessera_destroy(s);
  }
}

static int constant(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp;
  f[0] = *(const double *)userdata;
  return 0;
}

/* Equal samples may hide a peak: they are believed after a million only. */
static void constants(void **state) {
  double c = 0.1, zero = 0;
  (void)state;
  for (int sampling = 0; sampling < 3; ++sampling) {
    tessera_solver *s = with(2, constant, &c, 1e-6, sampling);
    struct answer a = sample(s);
    assert_status(s, a.status, TESSERA_OK);
    assert_close(a.value, 0.1, 1e-15, 2 * a.error);
    assert_true(a.evaluations >= 1 << 20);
    put_real(s, TESSERA_RELTOL, 0);
    put_int(s, TESSERA_MAXEVAL, 3000000);
    a = sample(s);
    if (sampling == TESSERA_SAMPLING_VEGAS && a.status == TESSERA_LIMIT_EVALUATIONS)
      assert_true(a.error >
                  0); /* chance has moved the grid a little, and the weighted samples are not equal any more */
    else
      assert_status(s, a.status, TESSERA_ROUNDOFF);
    put_int(s, TESSERA_MAXEVAL, 100000);
    a = sample(s);
    assert_status(s, a.status, TESSERA_LIMIT_EVALUATIONS);
    put_point(s, constant, &zero);
    a = sample(s);
    assert_status(s, a.status, TESSERA_LIMIT_EVALUATIONS);
    put_int(s, TESSERA_MAXEVAL, 100000000);
    a = sample(s);
    assert_status(s, a.status, TESSERA_OK);
    assert_same_bits(a.value, 0);
    const int64_t least = a.evaluations;
    put_int(s, TESSERA_CONSTANT_EVALUATIONS, 5000); /* not for an integrand of which nothing has been seen */
    a = sample(s);
    assert_status(s, a.status, TESSERA_OK);
    assert_int_equal(a.evaluations, least);
    put_point(s, constant, &c);
    put_real(s, TESSERA_RELTOL, 1e-6);
    a = sample(s);
    assert_status(s, a.status, TESSERA_OK);
    assert_close(a.value, 0.1, 1e-15, 2 * a.error);
    assert_true(5000 <= a.evaluations && a.evaluations < 20000);
    tessera_destroy(s);
  }
}

static int zero_beside_a_hill(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = 0.0;
  f[1] = exp(-4 * (x[0] * x[0] + x[1] * x[1]));
  return 0;
}
static void a_component_of_zeros(void **state) {
  (void)state;
  for (int sampling = 0; sampling < 3; ++sampling)
    for (int trust = 0; trust < 2; ++trust) {
      tessera_solver *s;
      assert_int_equal(tessera_create(&s, 2, 2), TESSERA_OK);
      put_point(s, zero_beside_a_hill, NULL);
      put_int(s, TESSERA_SAMPLING, sampling);
      put_real(s, TESSERA_RELTOL, 1e-2);
      if (trust) put_int(s, TESSERA_CONSTANT_EVALUATIONS, 1000);
      double value[2], error[2];
      int64_t n;
      assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, value, error), TESSERA_OK);
      assert_same_bits(value[0], 0);
      assert_same_bits(error[0], 0);
      tessera_get_int(s, TESSERA_EVALUATIONS, &n);
      if (trust)
        assert_true(n < 1 << 18);
      else
        assert_true(n >= 1 << 20);
      tessera_destroy(s);
    }
}

/* What iterations say of each other can be asked for while they are shown. */
struct chi2_watch {
  tessera_solver *s;
  int calls, refused;
  double largest;
};
static int watch_chi2(int64_t evaluations, int ncomp, const double *value, const double *error, int64_t remaining,
                      void *userdata) {
  struct chi2_watch *w = userdata;
  double chi2[2] = {-1, -1};
  (void)evaluations, (void)ncomp, (void)value, (void)error, (void)remaining;
  ++w->calls;
  if (tessera_get_chi2(w->s, chi2) != TESSERA_OK || chi2[0] < 0 || chi2[1] != 0) ++w->refused;
  w->largest = fmax(w->largest, chi2[0]);
  return 0;
}
static int hill_beside_zero(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double g[2];
  zero_beside_a_hill(ndim, x, ncomp, g, userdata);
  f[0] = g[1];
  f[1] = 0;
  return 0;
}
static void chi_square_while_it_runs(void **state) {
  struct chi2_watch w = {0};
  double value[2], error[2], chi2[2];
  (void)state;
  assert_int_equal(tessera_create(&w.s, 2, 2), TESSERA_OK);
  put_point(w.s, hill_beside_zero, NULL);
  put_int(w.s, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS);
  put_int(w.s, TESSERA_MAXEVAL, 200000);
  put_real(w.s, TESSERA_RELTOL, 1e-9);
  put_real(w.s, TESSERA_PROGRESS_SECONDS, 0);
  assert_int_equal(tessera_get_chi2(w.s, chi2), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_progress(w.s, watch_chi2, &w), TESSERA_OK);
  assert_status(w.s, tessera_integrate(w.s, TESSERA_MONTECARLO, value, error), TESSERA_LIMIT_EVALUATIONS);
  assert_true(w.calls > 5);
  assert_int_equal(w.refused, 0);
  assert_true(w.largest > 0);
  assert_int_equal(tessera_get_chi2(w.s, chi2), TESSERA_OK);
  assert_true(chi2[0] > 0 && chi2[1] == 0);
  tessera_destroy(w.s);
}

static int tiny(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp;
  f[0] = x[0] * *(const double *)userdata;
  return 0;
}

/* Where squares leave the range of double precision. */
/* Samples that are all equal show no error: what few of them may have missed is one. Here it is a hundredth of a thousandth. */
static int with_a_hole(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)userdata;
  *f = x[0] < 0.00001 ? 0 : 3;
  if (ncomp > 1) f[1] = x[1];
  return 0;
}
static void few_equal_samples_are_doubted(void **state) {
  (void)state;
  for (int sampling = TESSERA_SAMPLING_AUTO; sampling <= TESSERA_SAMPLING_VEGAS; ++sampling)
    for (int seed = 1; seed <= 20; ++seed) {
      tessera_solver *s = with(2, with_a_hole, NULL, 0, sampling);
      put_int(s, TESSERA_SEED, seed);
      put_int(s, TESSERA_MAXEVAL, 5000);
      double value, error;
      assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_LIMIT_EVALUATIONS);
      assert_at_most(fabs(value - 2.99997), error);
      assert_at_most(error, 0.02);
      tessera_destroy(s);
    }
  /* And beside a component that varies. */
  tessera_solver *s = solver_of(2, 2);
  put_point(s, with_a_hole, NULL);
  put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN);
  put_real(s, TESSERA_RELTOL, 0);
  put_int(s, TESSERA_MAXEVAL, 5000);
  double value[2], error[2];
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, value, error), TESSERA_LIMIT_EVALUATIONS);
  assert_at_most(fabs(value[0] - 2.99997), error[0]);
  assert_at_most(fabs(value[1] - 0.5), error[1]);
  tessera_destroy(s);
}

static void extreme_magnitudes(void **state) {
  static const double sizes[] = {1, 1e-100, 1e100, 1e-160, 1e160, 1e-200, 1e200, 1e-290, 1e300};
  (void)state;
  for (int sampling = 0; sampling < 3; ++sampling) {
    double error = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
      double size = sizes[k];
      tessera_solver *s = with(2, tiny, &size, 1e-2, sampling);
      put_int(s, TESSERA_MAXEVAL, 2000000);
      const struct answer a = sample(s);
      assert_status(s, a.status, TESSERA_OK);
      assert_close(a.value, 0.5 * size, 2e-2, 0);
      assert_at_most(fabs(a.value - 0.5 * size), 1.5 * a.error);
      if (k == 0) error = a.error;
      assert_close(a.error / size, error, 1e-6, 0); /* the same samples in another unit */
      tessera_destroy(s);
    }
  }
}

/* ---- The choice ----------------------------------------------------------------------------------------------------------------------- */
static void peaks_get_vegas_and_smooth_ones_do_not(void **state) {
  double width = 0.02;
  (void)state;
  tessera_solver *s = with(4, peak, &width, sanitized ? 1e-2 : 2e-3, TESSERA_SAMPLING_AUTO);
  put_int(s, TESSERA_GENERATOR, TESSERA_GENERATOR_PHILOX);
  struct answer a = sample(s);
  assert_status(s, a.status, TESSERA_OK);
  assert_close(a.value, 1, 0, 1.5 * a.error);
  assert_int_equal(got_int(s, TESSERA_SAMPLING_USED), TESSERA_SAMPLING_VEGAS);
  assert_true(got_int(s, TESSERA_STRATA) > 1);
  assert_at_most(got_real(s, TESSERA_CHI2), 5);
  const int64_t vegas = a.evaluations;
  put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN);
  put_int(s, TESSERA_MAXEVAL, 10 * vegas);
  a = sample(s);
  assert_true(is_limit(a.status));
  assert_same_bits(got_real(s, TESSERA_CHI2), 0);
  tessera_destroy(s);

  s = with(20, kink, NULL, sanitized ? 2e-2 : 5e-3, TESSERA_SAMPLING_AUTO);
  a = sample(s);
  assert_status(s, a.status, TESSERA_OK);
  assert_int_equal(got_int(s, TESSERA_SAMPLING_USED), TESSERA_SAMPLING_PLAIN);
  tessera_destroy(s);
}

/* A peak that plain sampling hits a few times has an error that is not believed. */
static void rare_hits_are_no_success(void **state) {
  double width = 0.003;
  (void)state;
  for (int seed = 1; seed <= 50; ++seed) {
    tessera_solver *s = with(3, peak, &width, 0.5, TESSERA_SAMPLING_PLAIN);
    put_int(s, TESSERA_SEED, seed);
    put_int(s, TESSERA_MAXEVAL, 50000);
    const struct answer a = sample(s);
    assert_true(a.status == TESSERA_HEAVY_TAIL || (a.status == TESSERA_LIMIT_EVALUATIONS && isinf(a.error)));
    tessera_destroy(s);
  }
}

static int two_scales(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  for (int k = 0; k < ncomp; ++k) f[k] = 1e-8;
  const int status = peak(ndim, x, 1, f, userdata); /* f[0] */
  double s = 0;
  for (int j = 0; j < ndim; ++j) s += (x[j] - 0.7) * (x[j] - 0.7);
  f[1] *= exp(-s / (2 * 0.05 * 0.05)) / pow(2 * pi * 0.05 * 0.05, 0.5 * ndim);
  return status;
}

/* Components of different size and place: the grid serves both. */
static void components_share_the_grid(void **state) {
  double width = 0.05, value[3], error[3], chi2[3];
  (void)state;
  tessera_solver *s = solver_of(4, 3);
  put_point(s, two_scales, &width);
  put_real(s, TESSERA_RELTOL, 5e-3);
  put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, value, error), TESSERA_OK);
  assert_close(value[0], 1, 0, 1.5 * error[0]);
  assert_close(value[1], 1e-8, 0, 1.5 * error[1]);
  assert_close(value[2], 1e-8, 0, 1.5 * error[2]); /* constant, and yet sampled by the grid of the others */
  assert_status(s, tessera_get_chi2(s, chi2), TESSERA_OK);
  const double freedom = (double)(got_int(s, TESSERA_ITERATIONS) - 1);
  double most = 0;
  for (int k = 0; k < 3; ++k) most = fmax(most, chi2[k] / freedom);
  assert_close(got_real(s, TESSERA_CHI2), most, 1e-14, 0);
  assert_true(most > 0);
  assert_int_equal(tessera_integrate(s, TESSERA_CUBATURE, value, error) >= 0, 1);
  assert_status(s, tessera_get_chi2(s, chi2), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_get_chi2(s, NULL), TESSERA_ERR_ARGUMENT);
  tessera_destroy(s);
}

static void many_variables(void **state) {
  enum { n = 1000 };
  static double lower[n], upper[n];
  (void)state;
  for (int j = 0; j < n; ++j) lower[j] = -1, upper[j] = j < 3 ? 1 : 0;
  for (int sampling = 0; sampling < 3; ++sampling) {
    tessera_solver *s = with(n, kink, NULL, sanitized ? 3e-2 : 1e-2, sampling);
    struct answer a = sample(s);
    assert_status(s, a.status, TESSERA_OK);
    assert_close(a.value, 1, 0, 1.5 * a.error);
    assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
    put_int(s, TESSERA_MAXEVAL, sanitized ? 5000 : 20000);
    a = sample(s);
    assert_close(a.value, 8 * (3 * 2.5 + 997 * 4.0) / 1000, 0,
                 1.5 * a.error);              /* mean of |4x-2| over [-1,1] and [-1,0] */
    for (int j = 0; j < n; ++j) upper[j] = 1; /* 2^1000 is a double, 4^1000 none */
    assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
    a = sample(s);
    assert_true(a.status >= 0);
    for (int j = 0; j < n; ++j) upper[j] = 3;
    assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
    assert_status(s, sample(s).status, TESSERA_ERR_UNSUPPORTED);
    for (int j = 0; j < n; ++j) upper[j] = j < 3 ? 1 : 0;
    tessera_destroy(s);
  }
}

/* ---- Limits ---------------------------------------------------------------------------------------------------------------------------- */
static void evaluations_are_limited(void **state) {
  (void)state;
  static const int64_t limits[] = {1, 2, 5, 100, 1023, 1024, 1025, 5000, 33333};
  for (int sampling = 0; sampling < 3; ++sampling)
    for (int antithetic = 0; antithetic < 2; ++antithetic)
      for (size_t i = 0; i < sizeof limits / sizeof limits[0]; ++i) {
        tessera_solver *s = with(3, product_of_exponentials, NULL, 0, sampling);
        put_int(s, TESSERA_ANTITHETIC, antithetic);
        put_int(s, TESSERA_MAXEVAL, limits[i]);
        const struct answer a = sample(s);
        assert_status(s, a.status, TESSERA_LIMIT_EVALUATIONS);
        assert_true(a.evaluations <= limits[i] || a.evaluations <= 8);
        if (limits[i] >= 1024) {
          /* Those of shifts are doubled. */
          assert_true(a.evaluations >= limits[i] - limits[i] / (sampling == TESSERA_SAMPLING_AUTO ? 2 : 8));
          assert_close(a.value, pow(exp(1) - 1, 3), 0, 1.5 * a.error);
        }
        tessera_destroy(s);
      }
}

static void mineval_is_kept(void **state) {
  (void)state;
  for (int sampling = 0; sampling < 3; ++sampling) {
    tessera_solver *s = with(3, product_of_exponentials, NULL, 0.5, sampling);
    put_int(s, TESSERA_MINEVAL, 100000);
    const struct answer a = sample(s);
    assert_status(s, a.status, TESSERA_OK);
    assert_true(a.evaluations >= 100000);
    assert_true(a.evaluations <= 400000);
    tessera_destroy(s);
  }
}

static void time_is_limited(void **state) {
  (void)state;
  for (int sampling = 0; sampling < 3; ++sampling)
    for (int points = 0; points < 2; ++points) {
      tessera_solver *s = with(3, product_of_exponentials, NULL, 0, sampling);
      put_int(s, TESSERA_MAXEVAL, INT64_MAX);
      put_real(s, TESSERA_MAX_SECONDS, 0.2);
      if (points) put_int(s, TESSERA_POINTS, 4000000000); /* within the first iteration */
      const struct answer a = sample(s);
      assert_status(s, a.status, TESSERA_LIMIT_TIME);
      assert_at_most(got_real(s, TESSERA_SECONDS), 60);
      assert_close(a.value, pow(exp(1) - 1, 3), 0, 1.5 * a.error);
      tessera_destroy(s);
    }
}

struct reports {
  int count;
  int64_t last;
  double value;
};
static int stop_at_third(int64_t evaluations, int ncomp, const double *value, const double *error, int64_t remaining,
                         void *userdata) {
  struct reports *r = userdata;
  (void)ncomp, (void)error, (void)remaining;
  r->last = evaluations;
  r->value = value[0];
  return ++r->count >= 3;
}
static void progress_stops(void **state) {
  (void)state;
  for (int sampling = 0; sampling < 3; ++sampling) {
    struct reports r = {0, 0, 0};
    tessera_solver *s = with(3, product_of_exponentials, NULL, 0, sampling);
    put_int(s, TESSERA_MAXEVAL, INT64_MAX);
    assert_status(s, tessera_set_progress(s, stop_at_third, &r), TESSERA_OK);
    const struct answer a = sample(s);
    assert_status(s, a.status, TESSERA_STOPPED);
    assert_int_equal(r.count, 3);
    assert_true(r.last > 0 && r.last <= a.evaluations);
    assert_close(a.value, pow(exp(1) - 1, 3), 0, 1.5 * a.error);
    tessera_destroy(s);
  }
}

/* ---- Bad integrands ------------------------------------------------------------------------------------------------------------------- */
struct spot {
  double lower, upper, bad;
  int stop;
};
static int spotted(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct spot *p = userdata;
  (void)ncomp;
  f[0] = total(ndim, x);
  if (x[0] > p->lower && x[0] < p->upper) {
    f[0] = p->bad;
    return p->stop;
  }
  return 0;
}

static void values_that_are_not_finite(void **state) {
  (void)state;
  for (int sampling = 0; sampling < 3; ++sampling)
    for (int threads = 1; threads < 4; threads += 2)
      for (int b = 0; b < 3; ++b)
        for (int everywhere = 0; everywhere < 2; ++everywhere) {
          struct spot p = {everywhere ? 0 : 0.5, everywhere ? 1 : 0.50002,
                           b == 0   ? NAN
                           : b == 1 ? INFINITY
                                    : -INFINITY,
                           0};
          double at;
          tessera_solver *s = with(2, spotted, &p, 0, sampling);
          put_int(s, TESSERA_THREADS, threads);
          put_int(s, TESSERA_MAXEVAL, 3000000);
          const struct answer a = sample(s);
          assert_status(s, a.status, TESSERA_NONFINITE);
          assert_says(a.sentence, "component 1 of the integrand is ");
          const char *x = strstr(a.sentence, "x = (");
          assert_non_null(x);
          assert_int_equal(sscanf(x, "x = (%lf", &at), 1);
          assert_true(at > p.lower && at < p.upper);
          if (everywhere) {
            assert_true(isnan(a.value) && isinf(a.error));
          } else {
            assert_close(a.value, 1, 0, 3 * a.error);
          }
          tessera_destroy(s);
        }
}

static void the_integrand_may_stop(void **state) {
  (void)state;
  for (int sampling = 0; sampling < 3; ++sampling) {
    struct spot p = {0.5, 0.50002, 1, 42};
    tessera_solver *s = with(2, spotted, &p, 0, sampling);
    put_int(s, TESSERA_MAXEVAL, 3000000);
    struct answer a = sample(s);
    assert_status(s, a.status, TESSERA_CALLBACK_STOPPED);
    assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 42);
    assert_close(a.value, 1, 0, 3 * a.error);
    p.lower = 0, p.upper = 1; /* at once */
    a = sample(s);
    assert_status(s, a.status, TESSERA_ERR_CALLBACK);
    assert_same_bits(a.value, -1e300);
    tessera_destroy(s);
  }
}

/* cuRAND's generators are for plain sampling on a device. */
static void generators_of_a_device(void **state) {
  static const char text[] = "double f(const double *x) { return x[0] + x[1]; }";
  (void)state;
  tessera_solver *s = with(2, product_of_exponentials, NULL, 0.5, TESSERA_SAMPLING_AUTO);
  assert_int_equal(got_int(s, TESSERA_GENERATOR), TESSERA_GENERATOR_AUTO);
  assert_status(s, tessera_set_int(s, TESSERA_GENERATOR, -1), TESSERA_ERR_RANGE);
  assert_status(s, tessera_set_int(s, TESSERA_GENERATOR, 7), TESSERA_ERR_RANGE);
  assert_says(tessera_last_error(s), "TESSERA_GENERATOR");
  for (int generator = TESSERA_GENERATOR_XORWOW; generator <= TESSERA_GENERATOR_SOBOL_SCRAMBLED; ++generator)
    for (int sampling = TESSERA_SAMPLING_AUTO; sampling <= TESSERA_SAMPLING_VEGAS; ++sampling)
      for (int where = -2; where <= -1; ++where) { /* the callback is for the host alone */
        put_int(s, TESSERA_GENERATOR, generator);
        put_int(s, TESSERA_SAMPLING, sampling);
        put_int(s, TESSERA_DEVICE, where);
        const struct answer a = sample(s);
        assert_status(s, a.status, TESSERA_ERR_UNSUPPORTED);
        assert_says(a.sentence, "TESSERA_GENERATOR");
        assert_says(a.sentence, sampling == TESSERA_SAMPLING_VEGAS ? "VEGAS" : "on the host");
        assert_same_bits(a.value, -1e300);
      }
  put_int(s, TESSERA_GENERATOR, TESSERA_GENERATOR_PHILOX);
  assert_status(s, sample(s).status, TESSERA_OK);
  tessera_destroy(s);
  /* A text on the host. */
  s = solver_of(2, 1);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, "f"), TESSERA_OK);
  put_int(s, TESSERA_GENERATOR, TESSERA_GENERATOR_XORWOW);
  put_int(s, TESSERA_DEVICE, -1);
  assert_status(s, sample(s).status, TESSERA_ERR_UNSUPPORTED);
  tessera_destroy(s);
}

/* Other numbers, as good ones, for plain sampling and for VEGAS. */
static void threefry_in_place_of_philox(void **state) {
  double width = 0.2;
  (void)state;
  for (int sampling = 0; sampling < 3; ++sampling) {
    struct answer a[2], again;
    tessera_solver *s = with(5, peak, &width, 1e-2, sampling);
    for (int threefry = 0; threefry < 2; ++threefry) {
      put_int(s, TESSERA_GENERATOR, threefry ? TESSERA_GENERATOR_THREEFRY : TESSERA_GENERATOR_PHILOX);
      a[threefry] = sample(s);
      assert_status(s, a[threefry].status, TESSERA_OK);
      assert_close(a[threefry].value, 0.706830880914534, 0, 1.5 * a[threefry].error);
    }
    assert_true(a[0].value != a[1].value);
    put_int(s, TESSERA_THREADS, 3);
    again = sample(s);
    assert_same_answer(again, a[1]);
    tessera_destroy(s);
  }
}

/* On a device: parity_montecarlo. */
static void a_callback_stays_on_the_host(void **state) {
  (void)state;
  tessera_solver *s = with(2, product_of_exponentials, NULL, 0.5, TESSERA_SAMPLING_AUTO);
  put_int(s, TESSERA_DEVICE, 0);
  assert_status(s, sample(s).status, TESSERA_ERR_NO_INTEGRAND);
  put_int(s, TESSERA_DEVICE, -2);
  assert_status(s, sample(s).status, TESSERA_OK);
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), -1);
  put_int(s, TESSERA_COMPLEMENT, 1);
  assert_status(s, sample(s).status, TESSERA_ERR_UNSUPPORTED);
  tessera_destroy(s);
}

/* ---- Settings of VEGAS -------------------------------------------------------------------------------------------------------------------- */
static void a_trained_grid_saves_evaluations(void **state) {
  double width = 0.02;
  (void)state;
  tessera_solver *s = with(4, peak, &width, 5e-3, TESSERA_SAMPLING_VEGAS);
  const struct answer first = sample(s);
  assert_status(s, first.status, TESSERA_OK);
  put_int(s, TESSERA_KEEP_GRID, 1);
  put_int(s, TESSERA_WARMUP, 1);
  put_int(s, TESSERA_POINTS, 10000);
  const struct answer again = sample(s);
  assert_status(s, again.status, TESSERA_OK);
  assert_close(again.value, 1, 0, 1.5 * again.error);
  assert_true(2 * again.evaluations < first.evaluations);
  tessera_destroy(s);
}

/* nstart, nincrease: iterations of 1000, 1500, 2000, ... samples. */
static void iterations_have_the_sizes_asked_for(void **state) {
  (void)state;
  tessera_solver *s = with(2, product_of_exponentials, NULL, 0, TESSERA_SAMPLING_VEGAS);
  put_int(s, TESSERA_POINTS, 1000);
  put_int(s, TESSERA_INCREASE, 500);
  put_int(s, TESSERA_WARMUP, 0);
  put_int(s, TESSERA_MAXEVAL, 125 + 1000 + 1500 + 2000 + 2500);
  const struct answer a = sample(s);
  assert_status(s, a.status, TESSERA_LIMIT_EVALUATIONS);
  assert_int_equal(a.iterations, 4);
  assert_int_equal(a.evaluations, 7125);
  tessera_destroy(s);
}

static void antithetic_points_help_where_they_should(void **state) {
  double errors[2];
  (void)state;
  for (int antithetic = 0; antithetic < 2; ++antithetic) {
    tessera_solver *s = with(10, power_3_2, NULL, 0, TESSERA_SAMPLING_PLAIN);
    put_int(s, TESSERA_ANTITHETIC, antithetic);
    put_int(s, TESSERA_MAXEVAL, 100000);
    const struct answer a = sample(s);
    assert_close(a.value, 11.32097423155, 0, 1.5 * a.error);
    errors[antithetic] = a.error;
    tessera_destroy(s);
  }
  assert_true(errors[1] < 0.2 * errors[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_values),
      cmocka_unit_test(threads_and_batches_change_nothing),
      cmocka_unit_test(the_seed_changes_the_points),
      cmocka_unit_test(infinite_and_reversed_ranges),
      cmocka_unit_test(the_error_falls_with_the_root),
      cmocka_unit_test(constants),
      cmocka_unit_test(a_component_of_zeros),
      cmocka_unit_test(chi_square_while_it_runs),
      cmocka_unit_test(few_equal_samples_are_doubted),
      cmocka_unit_test(extreme_magnitudes),
      cmocka_unit_test(peaks_get_vegas_and_smooth_ones_do_not),
      cmocka_unit_test(rare_hits_are_no_success),
      cmocka_unit_test(components_share_the_grid),
      cmocka_unit_test(many_variables),
      cmocka_unit_test(evaluations_are_limited),
      cmocka_unit_test(mineval_is_kept),
      cmocka_unit_test(time_is_limited),
      cmocka_unit_test(progress_stops),
      cmocka_unit_test(values_that_are_not_finite),
      cmocka_unit_test(the_integrand_may_stop),
      cmocka_unit_test(generators_of_a_device),
      cmocka_unit_test(threefry_in_place_of_philox),
      cmocka_unit_test(a_callback_stays_on_the_host),
      cmocka_unit_test(a_trained_grid_saves_evaluations),
      cmocka_unit_test(iterations_have_the_sizes_asked_for),
      cmocka_unit_test(antithetic_points_help_where_they_should),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
