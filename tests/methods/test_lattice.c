/* TESSERA_LATTICE from the user's side: the points, embedded sequences, shifts, errors, changes of variables, limits.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "applications.h"
#include "cases.h"
#include "solve.h"

static struct answer lattice(tessera_solver *s) {
  struct answer a;
  memset(&a, 0, sizeof a);
  a.value = a.error = -1e300;
  a.status = tessera_integrate(s, TESSERA_LATTICE, &a.value, &a.error);
  snprintf(a.sentence, sizeof a.sentence, "%s", tessera_last_error(s));
  a.evaluations = got_int(s, TESSERA_EVALUATIONS);
  a.iterations = got_int(s, TESSERA_ITERATIONS);
  return a;
}

static void put_vector(tessera_solver *s, int ndim, int64_t n, int64_t least, const int64_t *z) {
  tessera_lattice *l = NULL;
  assert_int_equal(tessera_lattice_create(&l, ndim), TESSERA_OK);
  assert_int_equal(tessera_lattice_set_int(l, TESSERA_LATTICE_LEAST, least), TESSERA_OK);
  assert_int_equal(tessera_lattice_vector(l, n, z), TESSERA_OK);
  assert_status(s, tessera_set_lattice(s, l), TESSERA_OK);
  tessera_lattice_destroy(l);
}

/* ---- Points ---------------------------------------- */
/* Keeps all points; userdata. */
struct recorder {
  int width; /* numbers a point */
  int64_t n, room;
  double *x;
};
static int record(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                  void *userdata) {
  struct recorder *r = userdata;
  (void)ndim, (void)ncomp, (void)ldf;
  for (int64_t i = 0; i < n; ++i, ++r->n) {
    if (r->n == r->room) {
      r->room = 2 * r->room + 1024;
      r->x = realloc(r->x, sizeof(double) * (size_t)(r->room * r->width));
      if (!r->x) return 1;
    }
    for (int j = 0; j < r->width; ++j) r->x[r->n * r->width + j] = x[j * ldx + i];
    f[i] = 1 + x[i];
  }
  return 0;
}

static double fraction(double x) { return x - floor(x); }
static double circle_distance(double a, double b) {
  const double d = fraction(a - b);
  return d < 0.5 ? d : 1 - d;
}

/* Every point of shift r is the first one of the shift moved by {i z/n}; each i occurs once. */
static void check_point_set(const double *x, int ndim, int64_t n, const int64_t *z) {
  unsigned char *seen = calloc((size_t)n, 1);
  int64_t inverse = 1;
  assert_non_null(seen);
  while (inverse * z[0] % n != 1 % n) ++inverse;
  for (int64_t p = 0; p < n; ++p) {
    const int64_t i =
        (int64_t)floor(fraction(x[p * ndim] - x[0]) * (double)n + 0.5) % n * inverse % n; /* from the first axis */
    assert_false(seen[i]);
    seen[i] = 1;
    for (int j = 0; j < ndim; ++j)
      assert_at_most(circle_distance(x[p * ndim + j], x[j] + (double)(i * z[j] % n) / (double)n), 3e-15);
  }
  free(seen);
}

static void points_are_the_lattice(void **state) {
  (void)state;
  const int64_t z[] = {1, 393, 77, 501};
  const int64_t sizes[] = {1009, 1024, 4001, 65536, 100003, 7, 1};
  for (size_t c = 0; c < sizeof sizes / sizeof sizes[0]; ++c) {
    const int64_t n = sizes[c];
    int64_t reduced[4];
    for (int j = 0; j < 4; ++j) reduced[j] = n == 1 ? 1 : z[j] % n == 0 ? 1 : z[j] % n;
    struct recorder r = {4, 0, 0, NULL};
    tessera_solver *s = solver_of(4, 1);
    put_vector(s, 4, n, 0, reduced);
    put_batch(s, record, &r);
    put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_NONE);
    put_int(s, TESSERA_SHIFTS, 2);
    put_int(s, TESSERA_MAXEVAL, 2 * n);
    const struct answer a = lattice(s);
    assert_true(a.status >= 0);
    assert_int_equal(a.evaluations, 2 * n);
    assert_int_equal(r.n, 2 * n);
    check_point_set(r.x, 4, n, reduced);
    check_point_set(r.x + 4 * n, 4, n, reduced);
    for (int j = 0; j < 4; ++j) assert_true(circle_distance(r.x[j], r.x[4 * n + j]) > 0); /* another shift */
    free(r.x);
    tessera_destroy(s);
  }
}

/* Doubling n keeps what there is: the points of a run up to 8 n0 are, shift by shift, the lattice of 8 n0 points, each once. */
static void doubling_keeps_all_points(void **state) {
  (void)state;
  const int64_t z[] = {1, 2731, 1139};
  const int64_t n0 = 512, n = 4096;
  struct recorder r = {3, 0, 0, NULL};
  tessera_solver *s = solver_of(3, 1);
  put_vector(s, 3, n, 4, z);
  put_batch(s, record, &r);
  put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_NONE);
  put_int(s, TESSERA_SHIFTS, 2);
  put_int(s, TESSERA_POINTS, n0);
  put_int(s, TESSERA_MAXEVAL, 2 * n);
  put_real(s, TESSERA_RELTOL, 0);
  const struct answer a = lattice(s);
  assert_status(s, a.status, TESSERA_LIMIT_EVALUATIONS);
  assert_int_equal(a.evaluations, 2 * n);
  assert_int_equal(a.iterations, 4);
  assert_int_equal(got_int(s, TESSERA_POINTS_USED), n);
  assert_int_equal(r.n, 2 * n);
  double *one = malloc(sizeof(double) * (size_t)(3 * n));
  assert_non_null(one);
  for (int shift = 0; shift < 2; ++shift) {
    int64_t at = 0;
    for (int64_t m = n0, begin = 0; m <= n; m *= 2) { /* passes of n0, n0, 2 n0, 4 n0 points a shift */
      const int64_t size = m == n0 ? n0 : m / 2;
      memcpy(one + 3 * at, r.x + 3 * (begin + shift * size), sizeof(double) * (size_t)(3 * size));
      at += size;
      begin += 2 * size;
      check_point_set(one, 3, m, z); /* what is there is a lattice after every pass */
    }
  }
  free(one);
  free(r.x);
  tessera_destroy(s);
}

/* ---- Shifts ---------------------------------------- */
/* cos(2 pi h.x) + 1 with h in userdata: exact for every shift unless h.z = 0 modulo n. */
static int wave(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double *h = userdata;
  double phase = 0;
  (void)ncomp;
  for (int j = 0; j < ndim; ++j) phase += h[j] * x[j];
  f[0] = 1 + cos(2 * acos(-1.0) * phase);
  return 0;
}

static void trigonometric_polynomials(void **state) {
  (void)state;
  const int64_t z[] = {1, 610};
  double inside[] = {7, -3}, dual[] = {610, -1}; /* 610 * 1 - 1 * 610 = 0 */
  tessera_solver *s = solver_of(2, 1);
  put_vector(s, 2, 987, 0, z);
  put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_NONE);
  put_int(s, TESSERA_MAXEVAL, 32 * 987);
  for (int seed = 0; seed < 5; ++seed) {
    put_int(s, TESSERA_SEED, seed);
    put_point(s, wave, inside);
    struct answer a = lattice(s);
    assert_status(s, a.status, TESSERA_OK);
    assert_close(a.value, 1, 1e-14, 0); /* whatever the shifts */
    assert_at_most(a.error, 1e-13);
    put_point(s, wave, dual);
    a = lattice(s);
    assert_status(s, a.status, TESSERA_LIMIT_EVALUATIONS);
    assert_true(fabs(a.value - 1) > 1e-6); /* the rule does not see it, the shifts do */
    assert_true(a.error > 0.1);
  }
  tessera_destroy(s);
}

static void seeds_and_repetition(void **state) {
  (void)state;
  tessera_solver *s = solver_of(5, 1);
  put_point(s, suite_f3, NULL);
  put_int(s, TESSERA_MAXEVAL, 200000);
  const struct answer a = lattice(s), b = lattice(s);
  assert_same_answer(a, b);
  put_int(s, TESSERA_SEED, 2);
  assert_true(lattice(s).value != a.value);
  tessera_destroy(s);
}

/* Values of a run and the number of its shifts do not depend on threads; batches and points agree. */
static void threads_and_forms(void **state) {
  (void)state;
  tessera_solver *s = solver_of(6, 1);
  put_int(s, TESSERA_MAXEVAL, 3000000);
  put_int(s, TESSERA_POINTS, 16384); /* items of several blocks */
  put_real(s, TESSERA_RELTOL, 1e-12);
  put_point(s, suite_f1, NULL);
  const struct answer one = lattice(s);
  for (int threads = 2; threads <= 7; threads += 5) {
    put_int(s, TESSERA_THREADS, threads);
    assert_same_answer(lattice(s), one);
  }
  put_int(s, TESSERA_BATCH_POINTS, 7);
  const struct answer cut = lattice(s);
  assert_close(cut.value, one.value, 1e-14, 0);
  assert_int_equal(cut.evaluations, one.evaluations);
  tessera_destroy(s);
}

/* ---- Error ---------------------------------------- */
/* How often, in 1000 seeds, the error bounds the truth: within four standard deviations of the binomial distribution from above,
 * and not below. */
static int covered(tessera_solver *s, double exact, int seeds) {
  int good = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    put_int(s, TESSERA_SEED, seed);
    const struct answer a = lattice(s);
    assert_true(a.status >= 0);
    good += fabs(a.value - exact) <= a.error;
  }
  return good;
}

static int product_peak(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  f[0] = 1;
  for (int j = 0; j < ndim; ++j) f[0] *= 1 + 1.5 * (x[j] - 0.5) + (x[j] > 0.3) - 0.7;
  return 0;
}

static void coverage(void **state) {
  (void)state;
  const int seeds = sanitized ? 50 : 1000;
  const double levels[] = {0.9, 0.95, 0.99};
  const struct {
    int ndim, shifts;
    tessera_integrand1 f;
    double exact;
  } cases[] = {{6, 8, product_peak, 1},
               {4, 32, product_peak, 1},
               {3, 16, suite_f3, 0.0108465608465608465608465608466},
               {5, 5, suite_f1, 0.02024242211990189686334}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
    tessera_solver *s = solver_of(cases[c].ndim, 1);
    tessera_lattice *l = NULL;
    assert_int_equal(tessera_lattice_create(&l, cases[c].ndim), TESSERA_OK);
    assert_int_equal(tessera_lattice_korobov(l, 211, 76), TESSERA_OK);
    assert_status(s, tessera_set_lattice(s, l), TESSERA_OK);
    tessera_lattice_destroy(l);
    put_point(s, cases[c].f, NULL);
    put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_NONE);
    put_int(s, TESSERA_SHIFTS, cases[c].shifts);
    put_int(s, TESSERA_MAXEVAL, 211 * cases[c].shifts);
    put_real(s, TESSERA_RELTOL, 0);
    for (int i = 0; i < 3; ++i) {
      put_real(s, TESSERA_CONFIDENCE, levels[i]);
      const int good = covered(s, cases[c].exact, seeds);
      const double expected = levels[i] * seeds, deviation = sqrt(seeds * levels[i] * (1 - levels[i]));
      print_message("%d variables, %d shifts, confidence %g: %d of %d\n", cases[c].ndim, cases[c].shifts, levels[i],
                    good, seeds);
      assert_true(fabs(good - expected) <= 4 * deviation);
    }
    tessera_destroy(s);
  }
}

/* Runs that claim success are wrong hardly ever: Genz's families, automatic everything. */
static void honest_claims(void **state) {
  (void)state;
  int claims = 0, wrong = 0;
  for (int family = GENZ_OSCILLATORY; family <= GENZ_C0; ++family)
    for (int i = 0; i < (sanitized ? 2 : 10); ++i) {
      const int ndim = 3 + i % 4;
      struct genz g;
      genz_make(family, ndim, (uint64_t)(1000 * family + i), &g);
      tessera_solver *s = solver_of(ndim, 1);
      put_point(s, genz_point, &g);
      put_real(s, TESSERA_RELTOL, 1e-4);
      put_int(s, TESSERA_MAXEVAL, 4000000);
      const struct answer a = lattice(s);
      assert_true(a.status == TESSERA_OK || is_limit(a.status));
      if (a.status == TESSERA_OK) {
        ++claims;
        wrong += fabs(a.value - g.exact) > 1e-4 * fabs(a.value);
      }
      tessera_destroy(s);
    }
  print_message("%d claims, %d wrong\n", claims, wrong);
  assert_true(claims >= (sanitized ? 5 : 25));
  assert_int_equal(wrong, 0);
}

static int kinks(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) s += fabs(4 * x[j] - 2);
  f[0] = s / ndim;
  return 0;
}

/* In 25 variables nearly all of the weight of these changes of variables lies in few points: shifts that miss them give 0 with a
 * small error. No such run may claim success. */
static void weights_that_no_shift_sees(void **state) {
  (void)state;
  const int bad[] = {TESSERA_TRANSFORM_TANH, TESSERA_TRANSFORM_KOROBOV3, TESSERA_TRANSFORM_SIDI6,
                     TESSERA_TRANSFORM_AUTO};
  for (int i = 0; i < 4; ++i) {
    tessera_solver *s = solver_of(25, 1);
    put_point(s, kinks, NULL);
    put_int(s, TESSERA_TRANSFORM, bad[i]);
    put_real(s, TESSERA_ABSTOL, 1e-3);
    put_int(s, TESSERA_MAXEVAL, 300000);
    const struct answer a = lattice(s);
    assert_true(is_limit(a.status) || (a.status == TESSERA_OK && fabs(a.value - 1) <= 1e-3));
    if (bad[i] == TESSERA_TRANSFORM_AUTO) assert_status(s, a.status, TESSERA_OK);
    tessera_destroy(s);
  }
}

static int zero_but_in_a_corner(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double edge = *(double *)userdata, all = 1;
  (void)ncomp;
  for (int j = 0; j < ndim; ++j) all *= x[j] < edge;
  f[0] = all / pow(edge, ndim);
  return 0;
}

static void zero_is_not_believed_at_once(void **state) {
  (void)state;
  double edge = 0.02;
  tessera_solver *s = solver_of(3, 1);
  put_point(s, zero_but_in_a_corner, &edge);
  put_int(s, TESSERA_MAXEVAL, 3000000);
  const struct answer a = lattice(s);
  assert_true(a.status != TESSERA_OK);
  assert_close(a.value, 1, 0.3, 0);
  tessera_destroy(s);
}

/* ---- Applications with published values (../docs/benchmarks.md) ---------------------------------------- */
static void published_values(void **state) {
  (void)state;
  const struct {
    const char *name;
    double tolerance, maxeval;
    int transform;
  } cases[] = {{"feyn6", 1e-4, 3.4e7, TESSERA_TRANSFORM_KOROBOV2},
               {"sum^1.5 10-D", 1e-6, 4e6, TESSERA_TRANSFORM_AUTO},
               {"sum^-2 10-D", 3e-4, 8e6, TESSERA_TRANSFORM_AUTO},
               {"kinks 20-D", 1e-12, 1e6, TESSERA_TRANSFORM_AUTO},
               {"kinks 25-D", 1e-12, 1e6, TESSERA_TRANSFORM_AUTO},
               {"tetrahedron in a cube 12-D", 2e-3, 4e6, TESSERA_TRANSFORM_AUTO},
               {"tetrahedron on a sphere 8-D", 5e-3, 4e6, TESSERA_TRANSFORM_AUTO},
               {"tetrahedron on a sphere 5-D", 2e-3, 4e6, TESSERA_TRANSFORM_AUTO},
               {"tetrahedron in a simplex 12-D", 5e-3, 4e6, TESSERA_TRANSFORM_AUTO}};
  assert_int_equal(sizeof cases / sizeof cases[0], application_count);
  for (int c = 0; c < application_count; ++c) {
    const struct application *app = application_find(cases[c].name);
    assert_non_null(app);
    tessera_solver *s = solver_of(app->ndim, 1);
    put_batch(s, app->batch, NULL);
    put_int(s, TESSERA_TRANSFORM, cases[c].transform);
    put_real(s, TESSERA_RELTOL, cases[c].tolerance);
    put_int(s, TESSERA_MAXEVAL, (int64_t)cases[c].maxeval);
    const struct answer a = lattice(s);
    print_message("%-32s %.12g, error %.1e, true %.1e, %lld evaluations\n", app->name, a.value, a.error,
                  fabs(a.value - app->exact), (long long)a.evaluations);
    assert_status(s, a.status, TESSERA_OK);
    assert_at_most(fabs(a.value - app->exact), a.error + app->published);
    tessera_destroy(s);
  }
}

/* ---- Changes of variables ---------------------------------------- */
static const int transforms[] = {TESSERA_TRANSFORM_NONE,     TESSERA_TRANSFORM_BAKER,    TESSERA_TRANSFORM_TANH,
                                 TESSERA_TRANSFORM_KOROBOV1, TESSERA_TRANSFORM_KOROBOV2, TESSERA_TRANSFORM_KOROBOV3,
                                 TESSERA_TRANSFORM_KOROBOV4, TESSERA_TRANSFORM_KOROBOV5, TESSERA_TRANSFORM_KOROBOV6,
                                 TESSERA_TRANSFORM_SIDI1,    TESSERA_TRANSFORM_SIDI2,    TESSERA_TRANSFORM_SIDI3,
                                 TESSERA_TRANSFORM_SIDI4,    TESSERA_TRANSFORM_SIDI5,    TESSERA_TRANSFORM_SIDI6};
enum { transform_count = sizeof transforms / sizeof transforms[0] };

static int smooth(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) s += x[j];
  f[0] = exp(s);
  return 0;
}

/* Every change of variables, on the unit cube and on a box with a reversed side. Those that make the integrand smoother as a
 * periodic function reach more digits. */
static void all_transforms(void **state) {
  (void)state;
  const double lower[] = {0, 2, -1}, upper[] = {1, 1, 1};
  const double exact = -(exp(1.0) - 1) * (exp(2.0) - exp(1.0)) * (exp(1.0) - exp(-1.0));
  for (int i = 0; i < transform_count; ++i) {
    tessera_solver *s = solver_of(3, 1);
    assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
    put_point(s, smooth, NULL);
    put_int(s, TESSERA_TRANSFORM, transforms[i]);
    put_int(s, TESSERA_MAXEVAL, 600000);
    put_real(s, TESSERA_RELTOL, 1e-11);
    const struct answer a = lattice(s);
    assert_true(a.status >= 0);
    assert_int_equal(got_int(s, TESSERA_TRANSFORM_USED), transforms[i]);
    assert_at_most(fabs(a.value - exact), 1.5 * a.error + 1e-14);
    assert_at_most(a.error, (transforms[i] == TESSERA_TRANSFORM_NONE ? 1e-3 : 2e-6) * fabs(exact));
    tessera_destroy(s);
  }
}

static int watch_shape(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                       void *userdata) {
  int *bad = userdata;
  (void)ndim, (void)ncomp, (void)ldf;
  for (int64_t i = 0; i < n; ++i) {
    const double a = x[i], b = x[ldx + i];
    if (!(a > 0 && a < 1) || !(b > 1 && b < 2)) ++*bad;
    f[i] = 1 / sqrt(a * (1 - a) * (b - 1) * (2 - b));
  }
  return 0;
}

/* No change of variables takes a limit of the domain, even where it rounds. */
static void limits_are_never_taken(void **state) {
  (void)state;
  const double lower[] = {0, 1}, upper[] = {1, 2};
  for (int i = 0; i < transform_count; ++i) {
    int bad = 0;
    tessera_solver *s = solver_of(2, 1);
    assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
    put_batch(s, watch_shape, &bad);
    put_int(s, TESSERA_TRANSFORM, transforms[i]);
    put_int(s, TESSERA_MAXEVAL, 300000);
    const struct answer a = lattice(s);
    assert_true(a.status == TESSERA_OK || is_limit(a.status));
    assert_int_equal(bad, 0);
    tessera_destroy(s);
  }
}

/* x^-0.9 (1-x)^-0.9 with 1 - x from the library: B(0.1, 0.1). With 1 - x from x it would be wrong in the third digit. */
static int beta_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                      void *userdata) {
  (void)ndim, (void)ncomp, (void)ldf, (void)userdata;
  for (int64_t i = 0; i < n; ++i) f[i] = pow(x[i], -0.9) * pow(x[ldx + i], -0.9);
  return 0;
}
static int beta_point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  f[0] = pow(x[0], -0.9) * pow(x[ndim], -0.9);
  return 0;
}

static void complements(void **state) {
  (void)state;
  const double exact = tgamma(0.1) * tgamma(0.1) / tgamma(0.2);
  tessera_solver *s = solver_of(1, 1);
  put_int(s, TESSERA_COMPLEMENT, 1);
  put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_TANH);
  put_int(s, TESSERA_MAXEVAL, 4000000);
  put_real(s, TESSERA_RELTOL, 1e-6);
  put_batch(s, beta_batch, NULL);
  const struct answer batch = lattice(s);
  assert_status(s, batch.status, TESSERA_OK);
  assert_close(batch.value, exact, 1e-6, 0);
  put_point(s, beta_point, NULL);
  const struct answer point = lattice(s);
  assert_close(point.value, batch.value, 1e-13, 0);
  assert_status(s, tessera_set_integrand1(s, NULL, NULL), TESSERA_OK);
  assert_status(
      s,
      tessera_set_integrand_source(s, TESSERA_LANGUAGE_C,
                                   "#include <math.h>\nint g(int ndim, const double *x, int ncomp, double *f, void *p)"
                                   " { f[0] = pow(x[0], -0.9) * pow(x[ndim], -0.9); return 0; }",
                                   "g"),
      TESSERA_OK);
  const struct answer text = lattice(s);
  assert_status(s, text.status, TESSERA_OK);
  assert_close(text.value, batch.value, 1e-13, 0);
  double v, e;
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &v, &e), TESSERA_ERR_UNSUPPORTED);
  tessera_destroy(s);
}

static int normal_density(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) s += x[j] * x[j];
  f[0] = exp(-0.5 * s);
  return 0;
}

/* All of R, half lines up and down. */
static void infinite_ranges(void **state) {
  (void)state;
  const double lower[] = {-INFINITY, 0, -INFINITY}, upper[] = {INFINITY, INFINITY, 0};
  const double exact = pow(2 * acos(-1.0), 1.5) / 4;
  for (int i = 0; i < transform_count; ++i) {
    tessera_solver *s = solver_of(3, 1);
    assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
    put_point(s, normal_density, NULL);
    put_int(s, TESSERA_TRANSFORM, transforms[i]);
    put_int(s, TESSERA_MAXEVAL, 2000000);
    put_real(s, TESSERA_RELTOL, 1e-4);
    const struct answer a = lattice(s);
    assert_status(s, a.status, TESSERA_OK);
    assert_close(a.value, exact, 1e-4, 0);
    tessera_destroy(s);
  }
}

/* ---- Other rules ---------------------------------------- */
static void maximal_rank(void **state) {
  (void)state;
  const int64_t z[] = {1, 433, 229, 377};
  struct recorder r = {4, 0, 0, NULL};
  tessera_solver *s = solver_of(4, 1);
  put_vector(s, 4, 1009, 0, z);
  put_int(s, TESSERA_COPIES, 2);
  put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_NONE);
  put_batch(s, record, &r);
  struct answer a = lattice(s);
  assert_true(a.status >= 0);
  assert_int_equal(a.evaluations, 16 * 1009);
  assert_int_equal(r.n, 16 * 1009);
  /* copy c is copy 0 moved by half a period along the axes of the bits of c */
  for (int c = 1; c < 16; ++c)
    for (int64_t i = 0; i < 1009; ++i)
      for (int j = 0; j < 4; ++j)
        assert_at_most(circle_distance(r.x[(c * 1009 + i) * 4 + j], r.x[i * 4 + j] + 0.5 * (c >> j & 1)), 3e-16);
  check_point_set(r.x, 4, 1009, z);
  free(r.x);

  put_point(s, smooth, NULL);
  put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_KOROBOV2);
  put_real(s, TESSERA_RELTOL, 1e-5);
  a = lattice(s);
  const double exact = pow(exp(1.0) - 1, 4);
  assert_status(s, a.status, TESSERA_OK);
  assert_at_most(fabs(a.value - exact), a.error);
  assert_int_equal(got_int(s, TESSERA_POINTS_USED), 16 * 1009);
  put_int(s, TESSERA_MAXEVAL, 5000); /* Q_2 at most */
  a = lattice(s);
  assert_status(s, a.status, TESSERA_LIMIT_EVALUATIONS);
  assert_int_equal(a.evaluations, 4 * 1009);
  tessera_destroy(s);
}

/* 1/0 on a face to which some changes of variables come by rounding, and others do not. */
static int infinite_on_a_face(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  f[0] = 1;
  for (int j = 0; j < ndim; ++j) f[0] += x[j];
  if (x[0] < 1e-6) f[0] = INFINITY;
  return 0;
}
static int infinite_everywhere(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp, (void)userdata;
  f[0] = INFINITY;
  return 0;
}

static void a_candidate_that_meets_an_infinity_is_out(void **state) {
  (void)state;
  tessera_solver *s = solver_of(3, 1);
  put_point(s, infinite_on_a_face, NULL);
  put_real(s, TESSERA_RELTOL, 1e-3);
  struct answer a = lattice(s); /* the transform is chosen */
  assert_status(s, a.status, TESSERA_OK);
  assert_close(a.value, 2.5, 1e-3, 0);
  put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_KOROBOV3); /* which comes near the face */
  assert_status(s, lattice(s).status, TESSERA_NONFINITE);
  put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_AUTO);
  put_point(s, infinite_everywhere, NULL);
  a = lattice(s);
  assert_status(s, a.status, TESSERA_NONFINITE);
  assert_says(a.sentence, "inf");
  tessera_destroy(s);
}

static void maximal_rank_refusals(void **state) {
  (void)state;
  tessera_solver *s = solver_of(4, 1);
  put_point(s, smooth, NULL);
  put_int(s, TESSERA_COPIES, 2); /* the built-in n is a power of two */
  struct answer a = lattice(s);
  assert_status(s, a.status, TESSERA_ERR_UNSUPPORTED);
  assert_says(a.sentence, "common divisor");
  put_int(s, TESSERA_MEDIAN, 11);
  assert_status(s, lattice(s).status, TESSERA_ERR_UNSUPPORTED);
  put_int(s, TESSERA_COPIES, 0);
  put_int(s, TESSERA_MEDIAN, 0);
  put_int(s, TESSERA_COMPLEMENT, 0);
  put_int(s, TESSERA_DEVICE, 0);
  assert_status(s, lattice(s).status, TESSERA_ERR_NO_INTEGRAND); /* a callback */
  tessera_destroy(s);
}

static void median_rule(void **state) {
  (void)state;
  tessera_solver *s = solver_of(5, 1);
  put_point(s, smooth, NULL);
  put_int(s, TESSERA_MEDIAN, 11);
  put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_BAKER);
  put_real(s, TESSERA_RELTOL, 1e-6);
  put_int(s, TESSERA_MAXEVAL, 20000000);
  const struct answer a = lattice(s);
  assert_status(s, a.status, TESSERA_OK);
  assert_at_most(fabs(a.value - pow(exp(1.0) - 1, 5)), a.error);
  /* all of it counts: 11 + 32 times n for n = 1024, 4096, ... */
  int64_t expected = 0;
  for (int64_t n = 1024; n <= got_int(s, TESSERA_POINTS_USED); n *= 4) expected += (11 + 32) * n;
  assert_int_equal(a.evaluations, expected);
  assert_same_answer(lattice(s), a);
  tessera_destroy(s);
}

/* At the largest n shifts are added, and the error falls with their root. */
static void more_shifts(void **state) {
  (void)state;
  tessera_solver *s = solver_of(4, 1);
  const int64_t z[] = {1, 76, 79, 96};
  put_vector(s, 4, 211, 0, z);
  put_point(s, smooth, NULL);
  put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_NONE);
  put_real(s, TESSERA_RELTOL, 0);
  put_int(s, TESSERA_MAXEVAL, 211 * 32);
  const struct answer few = lattice(s);
  put_int(s, TESSERA_MAXEVAL, 211 * 32 * 64);
  const struct answer many = lattice(s);
  assert_status(s, many.status, TESSERA_LIMIT_EVALUATIONS);
  assert_int_equal(got_int(s, TESSERA_SHIFTS_USED), 32 * 64);
  assert_int_equal(many.evaluations, 211 * 32 * 64);
  assert_close(many.error, few.error / 8, 0.4, 0);
  assert_at_most(fabs(many.value - pow(exp(1.0) - 1, 4)), 1.5 * many.error);
  tessera_destroy(s);
}

/* ---- Components, dimensions ---------------------------------------- */
static int powers_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                        void *userdata) {
  (void)userdata;
  for (int64_t i = 0; i < n; ++i)
    for (int k = 0; k < ncomp; ++k) {
      double p = 1;
      for (int j = 0; j < ndim; ++j) p *= (k + 1) * pow(x[j * ldx + i], k);
      f[k * ldf + i] = p;
    }
  return 0;
}
static int powers_point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  return powers_batch(1, ndim, x, 1, ncomp, f, 1, userdata);
}

static void components(void **state) {
  (void)state;
  enum { ncomp = 20 };
  double value[ncomp], error[ncomp], again[ncomp], errors[ncomp];
  tessera_solver *s = solver_of(3, ncomp);
  put_batch(s, powers_batch, NULL);
  put_real(s, TESSERA_RELTOL, 1e-5);
  put_int(s, TESSERA_MAXEVAL, 8000000);
  assert_status(s, tessera_integrate(s, TESSERA_LATTICE, value, error), TESSERA_OK);
  for (int k = 0; k < ncomp; ++k) {
    assert_close(value[k], 1, 1e-5, 0);
    assert_at_most(error[k], 1e-5);
  }
  put_point(s, powers_point, NULL);
  assert_status(s, tessera_integrate(s, TESSERA_LATTICE, again, errors), TESSERA_OK);
  for (int k = 0; k < ncomp; ++k) assert_close(again[k], value[k], 1e-13, 0);
  tessera_destroy(s);
}

static int many_variables(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                          void *userdata) {
  (void)ncomp, (void)ldf, (void)userdata;
  for (int64_t i = 0; i < n; ++i) f[i] = 1;
  for (int j = 0; j < ndim; ++j)
    for (int64_t i = 0; i < n; ++i) f[i] *= 1 + (x[j * ldx + i] - 0.5) / ((j + 1.0) * (j + 1.0));
  return 0;
}

static void a_thousand_variables(void **state) {
  (void)state;
  tessera_solver *s = solver_of(1024, 1);
  put_batch(s, many_variables, NULL);
  put_real(s, TESSERA_RELTOL, 1e-4);
  put_int(s, TESSERA_MAXEVAL, 1000000);
  const struct answer a = lattice(s);
  assert_status(s, a.status, TESSERA_OK);
  assert_at_most(fabs(a.value - 1), a.error);
  tessera_destroy(s);
}

/* ---- Limits and failures ---------------------------------------- */
static int hard(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp;
  if (userdata) ++*(int64_t *)userdata;
  f[0] = 1 / sqrt(fabs(x[0] - 0.3)) + x[1];
  return 0;
}

static void maxeval_holds(void **state) {
  (void)state;
  const int64_t limits[] = {2, 3, 63, 64, 65, 1000, 32767, 32768, 65536, 100000, 1000000};
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; ++i) {
    int64_t calls = 0;
    tessera_solver *s = solver_of(2, 1);
    put_point(s, hard, &calls);
    put_int(s, TESSERA_MAXEVAL, limits[i]);
    put_real(s, TESSERA_RELTOL, 1e-12);
    const struct answer a = lattice(s);
    assert_true(is_limit(a.status));
    assert_int_equal(a.evaluations, calls);
    assert_true(calls <= limits[i] && 4 * calls >= limits[i]);
    assert_true(isfinite(a.value));
    tessera_destroy(s);
  }
}

static int not_a_number(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = x[0] > 0.999 ? NAN : 1;
  return 0;
}
static int infinite(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = x[0] > 0.5 && x[0] < 0.50001 ? INFINITY : exp(x[0]);
  return 0;
}

static void nonfinite_values(void **state) {
  (void)state;
  tessera_solver *s = solver_of(2, 1);
  for (int transform = 0; transform <= 2; ++transform) {
    put_int(s, TESSERA_TRANSFORM, transform);
    put_point(s, not_a_number, NULL);
    struct answer a = lattice(s);
    assert_status(s, a.status, TESSERA_NONFINITE);
    assert_says(a.sentence, "x = (0.999");
    assert_true(isnan(a.value) && isinf(a.error));
    put_point(s, infinite, NULL); /* found late: the value of the rule before stays */
    put_real(s, TESSERA_RELTOL, 1e-14);
    a = lattice(s);
    assert_status(s, a.status, TESSERA_NONFINITE);
    assert_says(a.sentence, "x = (0.50000");
  }
  tessera_destroy(s);
}

static int stops(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  int64_t *left = userdata;
  (void)ndim, (void)ncomp;
  f[0] = x[0];
  return --*left < 0 ? 42 : 0;
}

static void callback_stops(void **state) {
  (void)state;
  int64_t left = 100;
  tessera_solver *s = solver_of(2, 1);
  put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_NONE);
  put_real(s, TESSERA_RELTOL, 1e-12);
  put_point(s, stops, &left);
  struct answer a = lattice(s);
  assert_status(s, a.status, TESSERA_ERR_CALLBACK);
  assert_same_bits(a.value, -1e300);
  assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 42);
  left = 100000; /* in the second doubling */
  a = lattice(s);
  assert_status(s, a.status, TESSERA_CALLBACK_STOPPED);
  assert_close(a.value, 0.5, 1e-3, 0);
  assert_int_equal(got_int(s, TESSERA_POINTS_USED), 2048);
  tessera_destroy(s);
}

static void time_and_progress(void **state) {
  (void)state;
  int64_t at = 0;
  tessera_solver *s = solver_of(2, 1);
  put_point(s, hard, NULL);
  put_real(s, TESSERA_RELTOL, 1e-13);
  put_int(s, TESSERA_MAXEVAL, INT64_C(1) << 40);
  put_real(s, TESSERA_MAX_SECONDS, 0.3);
  struct answer a = lattice(s);
  assert_status(s, a.status, TESSERA_LIMIT_TIME);
  assert_close(a.value, 2 * (sqrt(0.3) + sqrt(0.7)) + 0.5, 1e-2, 0);
  assert_at_most(got_real(s, TESSERA_SECONDS), 30);
  /* within a single large rule, and before two shifts are complete */
  tessera_lattice *l = NULL;
  assert_int_equal(tessera_lattice_create(&l, 2), TESSERA_OK);
  assert_int_equal(tessera_lattice_korobov(l, 2000000011, 17), TESSERA_OK);
  assert_status(s, tessera_set_lattice(s, l), TESSERA_OK);
  tessera_lattice_destroy(l);
  put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_NONE);
  a = lattice(s);
  assert_status(s, a.status, TESSERA_LIMIT_TIME);
  assert_true(isfinite(a.value) && isinf(a.error));
  assert_status(s, tessera_set_lattice(s, NULL), TESSERA_OK);
  put_real(s, TESSERA_MAX_SECONDS, 1e-9); /* in the trial, among the candidates, in the copies */
  for (int i = 0; i < 3; ++i) {
    put_int(s, TESSERA_TRANSFORM, i == 0 ? TESSERA_TRANSFORM_AUTO : TESSERA_TRANSFORM_NONE);
    put_int(s, TESSERA_MEDIAN, i == 1 ? 11 : 0);
    put_vector(s, 2, 1009, 0, (const int64_t[]){1, 17});
    put_int(s, TESSERA_COPIES, i == 2 ? 2 : 0);
    a = lattice(s);
    assert_status(s, a.status, TESSERA_LIMIT_TIME);
    /* on a slow machine before the first block of points is done */
    assert_true(a.evaluations > 0 ? isfinite(a.value) : isnan(a.value) && isinf(a.error));
  }
  put_int(s, TESSERA_COPIES, 0);
  assert_status(s, tessera_set_lattice(s, NULL), TESSERA_OK);
  put_real(s, TESSERA_MAX_SECONDS, 0);
  assert_status(s, tessera_set_progress(s, stop_at_evaluations, &at), TESSERA_OK);
  a = lattice(s);
  assert_status(s, a.status, TESSERA_STOPPED);
  assert_true(isfinite(a.value));
  tessera_destroy(s);
}

static void trivial_domains(void **state) {
  (void)state;
  const double lower[] = {0, 1}, upper[] = {1, 1};
  tessera_solver *s = solver_of(2, 1);
  put_point(s, hard, NULL);
  assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
  const struct answer a = lattice(s);
  assert_status(s, a.status, TESSERA_OK);
  assert_same_bits(a.value, 0);
  assert_int_equal(a.evaluations, 0);
  tessera_destroy(s);
}

static int constant(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp, (void)userdata;
  f[0] = 3;
  return 0;
}

static void roundoff_ends_a_run(void **state) {
  (void)state;
  tessera_solver *s = solver_of(2, 1);
  put_point(s, constant, NULL);
  put_real(s, TESSERA_RELTOL, 0);
  const struct answer a = lattice(s);
  assert_status(s, a.status, TESSERA_ROUNDOFF);
  assert_close(a.value, 3, 1e-15, 0);
  assert_true(a.error > 0 && a.error < 1e-13);
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_are_the_lattice),
      cmocka_unit_test(doubling_keeps_all_points),
      cmocka_unit_test(trigonometric_polynomials),
      cmocka_unit_test(seeds_and_repetition),
      cmocka_unit_test(threads_and_forms),
      cmocka_unit_test(coverage),
      cmocka_unit_test(honest_claims),
      cmocka_unit_test(weights_that_no_shift_sees),
      cmocka_unit_test(zero_is_not_believed_at_once),
      cmocka_unit_test(published_values),
      cmocka_unit_test(all_transforms),
      cmocka_unit_test(limits_are_never_taken),
      cmocka_unit_test(complements),
      cmocka_unit_test(infinite_ranges),
      cmocka_unit_test(maximal_rank),
      cmocka_unit_test(a_candidate_that_meets_an_infinity_is_out),
      cmocka_unit_test(maximal_rank_refusals),
      cmocka_unit_test(median_rule),
      cmocka_unit_test(more_shifts),
      cmocka_unit_test(components),
      cmocka_unit_test(a_thousand_variables),
      cmocka_unit_test(maxeval_holds),
      cmocka_unit_test(nonfinite_values),
      cmocka_unit_test(callback_stops),
      cmocka_unit_test(time_and_progress),
      cmocka_unit_test(trivial_domains),
      cmocka_unit_test(roundoff_ends_a_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
