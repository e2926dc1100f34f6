/* No method evaluates the integrand outside the limits or on one of them: random boxes, ordinary, reversed, narrow, tiny, huge and
 * infinite ones, with features at the faces that draw the regions there. And a run ends when what is left lies at a face.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdint.h>

#include "cases.h"
#include "solve.h"

enum { most_dim = 6 };

struct box {
  int ndim, feature, forward;              /* which way round the first axis is */
  double lower[most_dim], upper[most_dim]; /* as they were given */
  long on_a_face, outside, points;
  double worst;
};

static void look(struct box *b, int j, double x) {
  const double lo = fmin(b->lower[j], b->upper[j]), hi = fmax(b->lower[j], b->upper[j]);
  if (x > lo && x < hi) return;
  if (x == lo || x == hi)
    ++b->on_a_face;
  else
    ++b->outside;
  b->worst = x;
}

/* 0: smooth; 1: a root's singularity at one face of the first axis; 2: peaks at all faces; 3: a jump close to a face. */
static double feature(struct box *b, const double *x) {
  double s = 0, face = 1;
  for (int j = 0; j < b->ndim; ++j) {
    const double lo = b->lower[j], hi = b->upper[j];
    double u = 0.5; /* where between the limits */
    if (isfinite(lo) && isfinite(hi))
      u = (x[j] - lo) / (hi - lo);
    else
      u = isfinite(lo) ? fabs(x[j] - lo) / (1 + fabs(x[j] - lo))
                       : (isfinite(hi) ? 1 / (1 + fabs(hi - x[j])) : 0.5 + x[j] / (1 + fabs(x[j])) / 2);
    s += u * u;
    face *= 1e-9 + u * (1 - u);
    if (j == 0 && b->feature == 1) return u > 0 ? exp(-u) / sqrt(u) : 0;
  }
  if (b->feature == 2) return 1 / (1e-8 + face);
  if (b->feature == 3) return s < 1e-9 * b->ndim ? 1e9 : 1;
  return exp(-s);
}

static int seen(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  struct box *b = userdata;
  double damping = 1;
  (void)ncomp;
  for (int j = 0; j < ndim; ++j) {
    look(b, j, x[j]);
    if (isinf(b->lower[j]) || isinf(b->upper[j])) damping *= exp(-fmin(fabs(x[j]) * 1e-3, 600));
  }
  ++b->points;
  *f = feature(b, x) * damping;
  return 0;
}

/* Limits of an axis, of many kinds. */
static void draw_axis(uint64_t *state, double *lower, double *upper) {
  const double sign = splitmix_uniform(state) < 0.5 ? -1 : 1;
  const double at = sign * pow(10, -4 + 8 * splitmix_uniform(state)), width = pow(10, -3 + 5 * splitmix_uniform(state));
  switch ((int)(12 * splitmix_uniform(state))) {
    case 0:
      *lower = 0.1, *upper = 1.1;
      break;
    case 1:
      *lower = -1e-3, *upper = 1.0 / 3;
      break;
    case 2:
      *lower = 1, *upper = 1 + 1e-13;
      break;
    case 3:
      *lower = at, *upper = at + fabs(at) * pow(10, -15 + 12 * splitmix_uniform(state));
      break;
    case 4:
      *lower = 0, *upper = pow(10, -300 + 600 * splitmix_uniform(state));
      break;
    case 5:
      *lower = -INFINITY, *upper = at;
      break;
    case 6:
      *lower = at, *upper = INFINITY;
      break;
    case 7:
      *lower = -INFINITY, *upper = INFINITY;
      break;
    case 8:
      *lower = nextafter(at, INFINITY), *upper = nextafter(nextafter(nextafter(at, INFINITY), INFINITY), INFINITY);
      break;
    default:
      *lower = at, *upper = at + width;
      break;
  }
  if (!(*lower < *upper) || nextafter(*lower, *upper) == *upper) *lower = at, *upper = at + width;
  if (splitmix_uniform(state) < 0.2) {
    const double other = *lower;
    *lower = *upper, *upper = other;
  }
}

static void draw_box(uint64_t *state, struct box *b, int ndim) {
  memset(b, 0, sizeof *b);
  b->ndim = ndim;
  b->feature = (int)(4 * splitmix_uniform(state));
  for (int j = 0; j < ndim; ++j) draw_axis(state, &b->lower[j], &b->upper[j]);
}

static void assert_inside(const struct box *b, const char *what) {
  if (b->outside == 0 && b->on_a_face == 0) return;
  print_error("%s: %ld points outside, %ld on a face of %ld, feature %d; %.17g\n", what, b->outside, b->on_a_face,
              b->points, b->feature, b->worst);
  for (int j = 0; j < b->ndim; ++j) print_error("  [%.17g, %.17g]\n", b->lower[j], b->upper[j]);
  fail();
}

static void cubature(void **state) {
  static const int rules[] = {TESSERA_RULE_AUTO, TESSERA_RULE_DEGREE7, TESSERA_RULE_DEGREE9, TESSERA_RULE_GM7,
                              TESSERA_RULE_LOW};
  uint64_t random = 20261122;
  long points = 0;
  (void)state;
  for (int trial = 0; trial < (sanitized ? 60 : 600); ++trial) {
    struct box b;
    draw_box(&random, &b, 1 + trial % 5);
    tessera_solver *s = solver_of(b.ndim, 1);
    assert_status(s, tessera_set_domain(s, b.lower, b.upper), TESSERA_OK);
    put_point(s, seen, &b);
    put_real(s, TESSERA_RELTOL, 1e-9);
    put_int(s, TESSERA_MAXEVAL, 60000);
    put_int(s, TESSERA_SELECTION, trial / 5 % 2 ? TESSERA_SELECT_BULK : TESSERA_SELECT_WORST_FIRST);
    put_int(s, TESSERA_SPLITTING, trial / 10 % (b.ndim > 1 ? 6 : 1));
    put_int(s, TESSERA_ESTIMATE, trial / 3 % 4 == 0 ? TESSERA_ESTIMATE_CLASSIC : TESSERA_ESTIMATE_ROBUST);
    put_int(s, TESSERA_INITIAL_REGIONS, trial % 7 == 0 ? 256 : 1);
    if (b.ndim > 1) {
      const int rule = rules[trial / 7 % 5];
      if (tessera_set_int(s, TESSERA_RULE, rule) != TESSERA_OK) put_int(s, TESSERA_RULE, TESSERA_RULE_AUTO);
    }
    const struct answer a = integrate(s);
    if (a.status < 0) print_message("%s\n", a.sentence);
    assert_true(a.status >= 0 || a.status == TESSERA_ERR_UNSUPPORTED);
    assert_inside(&b, "cubature");
    points += b.points;
    tessera_destroy(s);
  }
  assert_true(points > 1000000 / (sanitized ? 10 : 1));
}

static void sampling(void **state) {
  uint64_t random = 31415926;
  (void)state;
  for (int trial = 0; trial < 300; ++trial) {
    struct box b;
    draw_box(&random, &b, 1 + trial % 5);
    tessera_solver *s = solver_of(b.ndim, 1);
    assert_status(s, tessera_set_domain(s, b.lower, b.upper), TESSERA_OK);
    put_point(s, seen, &b);
    put_real(s, TESSERA_RELTOL, 1e-9);
    put_int(s, TESSERA_MAXEVAL, 20000);
    const int method = trial % 2 ? TESSERA_LATTICE : TESSERA_MONTECARLO;
    static const int transforms[] = {TESSERA_TRANSFORM_NONE, TESSERA_TRANSFORM_BAKER, TESSERA_TRANSFORM_TANH,
                                     TESSERA_TRANSFORM_KOROBOV3, TESSERA_TRANSFORM_SIDI3};
    if (method == TESSERA_LATTICE) put_int(s, TESSERA_TRANSFORM, transforms[trial / 2 % 5]);
    double value, error;
    const int status = tessera_integrate(s, method, &value, &error);
    assert_true(status >= 0 || status == TESSERA_ERR_UNSUPPORTED); /* volumes beyond the range */
    assert_inside(&b, method == TESSERA_LATTICE ? "lattice" : "montecarlo");
    tessera_destroy(s);
  }
}

/* 1/sqrt(x - a) times a smooth function: the last error lies in regions at the face that cannot be divided any more. */
static void the_face_is_the_end(void **state) {
  static const struct {
    double lower, upper;
  } all[] = {{0.1, 1.1}, {-1e-3, 1.0 / 3}, {1, 1 + 1e-7}, {0.1, INFINITY}, {1e5, 1e5 + 1}};
  (void)state;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
    for (int ndim = 1; ndim <= 4; ++ndim)
      for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
        struct box b;
        memset(&b, 0, sizeof b);
        b.ndim = ndim, b.feature = 1;
        for (int j = 0; j < ndim; ++j) b.lower[j] = j ? 0 : all[i].lower, b.upper[j] = j ? 1 : all[i].upper;
        tessera_solver *s = solver_of(ndim, 1);
        assert_status(s, tessera_set_domain(s, b.lower, b.upper), TESSERA_OK);
        put_point(s, seen, &b);
        put_real(s, TESSERA_RELTOL, 1e-14);
        put_int(s, TESSERA_SELECTION, selection);
        put_int(s, TESSERA_MAXEVAL, 20000000);
        const struct answer a = integrate(s);
        print_message("  [%g, %g] %d-D: %s, %.17g +- %.2g, %lld evaluations\n", all[i].lower, all[i].upper, ndim,
                      tessera_status_string(a.status), a.value, a.error, (long long)a.evaluations);
        assert_inside(&b, "at the face");
        assert_status(s, a.status, TESSERA_ROUNDOFF);
        if (isfinite(all[i].upper)) {
          const double width =
              all[i].upper - all[i].lower; /* the integral of exp(-u)/sqrt(u) from 0 to 1 is sqrt(pi) erf(1) */
          assert_at_most(fabs(a.value - width * 1.4936482656248540508), a.error);
        }
        tessera_destroy(s);
      }
}

/* Between neighbouring numbers there is no point. */
static void no_room(void **state) {
  const double lower[2] = {0, 1}, upper[2] = {1, nextafter(1, 2)};
  (void)state;
  tessera_solver *s = solver_of(2, 1);
  assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "no number lies between lower[1] and upper[1]");
  assert_status(s, tessera_set_domain(s, upper, lower), TESSERA_ERR_ARGUMENT);
  tessera_destroy(s);
}

static int constant(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp, (void)userdata;
  f[0] = 1;
  return 0;
}

/* Nor in a row of limits; the others are integrated. */
static void no_room_in_a_row(void **state) {
  const double lower[3][2] = {{0, 0}, {0, 1}, {0, 0}}, upper[3][2] = {{1, 2}, {1, nextafter(1, 2)}, {1, 3}};
  (void)state;
  for (int method = TESSERA_CUBATURE; method <= TESSERA_MONTECARLO; ++method) {
    double value[3], error[3];
    int status[3];
    tessera_solver *s = solver_of(2, 1);
    put_point(s, constant, NULL);
    assert_status(s, tessera_integrate_many(s, method, 3, NULL, 0, lower[0], upper[0], value, error, status),
                  TESSERA_SOME_FAILED);
    assert_says(tessera_last_error(s), "no number lies between lower[1] and upper[1]");
    assert_int_equal(status[1], TESSERA_ERR_ARGUMENT);
    for (int i = 0; i < 3; i += 2) {
      assert_int_equal(status[i], TESSERA_OK);
      assert_close(value[i], upper[i][1], 1e-12, 0);
    }
    tessera_destroy(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cubature), cmocka_unit_test(sampling),         cmocka_unit_test(the_face_is_the_end),
      cmocka_unit_test(no_room),  cmocka_unit_test(no_room_in_a_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
