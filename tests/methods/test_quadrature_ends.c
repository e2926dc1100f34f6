/* TESSERA_QUADRATURE where an integrand changes closer to an end of the range, or to a break point, than the rule has points: it is found by points
 * next to the ends, and what only rounds there costs next to nothing. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "solve.h"

struct place {
  int kind;
  double c;
};
enum { kink, jump, layer, cosine, third_order, root };

static int value_of(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp;
  const struct place *p = userdata;
  const double t = *x;
  switch (p->kind) {
    case kink:
      *f = fabs(t - p->c);
      break;
    case jump:
      *f = t < p->c ? 0.3 : 1.2 * t;
      break;
    case layer:
      *f = 1.0 + exp(-t / p->c);
      break;
    case cosine:
      *f = (1.0 - cos(t)) / (t * t);
      break;
    case third_order:
      *f = (t - sin(t)) / (t * t * t);
      break;
    default:
      *f = (sqrt(1.0 + t) - 1.0 - 0.5 * t) / (t * t);
  }
  return 0;
}
static double exact_of(const struct place *p) {
  const double c = p->c;
  if (p->kind == kink) return 0.5 * (c * c + (1.0 - c) * (1.0 - c));
  if (p->kind == jump) return 0.3 * c + 0.6 * (1.0 - c * c);
  return 1.0 - c * expm1(-1.0 / c);
}

/* Each of these was claimed with an error far above the tolerance. */
static void changes_near_an_end(void **state) {
  (void)state;
  static const double distances[] = {2e-6, 1e-5, 3.7e-5, 1e-4, 3e-4, 5e-4, 0.00106, 0.0011, 0.002};
  static const double tolerances[] = {1e-6, 1e-8, 1e-9};
  tessera_solver *s = solver_of(1, 1);
  struct place p;
  put_point(s, value_of, &p);
  for (p.kind = kink; p.kind <= layer; ++p.kind)
    for (int d = 0; d < 9; ++d)
      for (int upper = 0; upper < (p.kind == layer ? 1 : 2); ++upper)
        for (int t = 0; t < 3; ++t) {
          double value, error;
          p.c = upper ? 1.0 - distances[d] : distances[d];
          put_real(s, TESSERA_RELTOL, tolerances[t]);
          assert_status(s, tessera_integrate(s, TESSERA_QUADRATURE, &value, &error), TESSERA_OK);
          assert_close(value, exact_of(&p), tolerances[t], 0);
        }
  tessera_destroy(s);
}

struct hole {
  double from, to, cut;
  int met;
};
/* A peak that begins at the cut; NaN in the hole. */
static int peak_beside_hole(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  struct hole *h = userdata;
  const double t = x[0] - h->cut;
  const int in_hole = x[0] > h->from && x[0] < h->to;
  (void)ndim, (void)ncomp;
  *f = in_hole ? NAN : 0.1 + (t > 0 ? exp(-200 * t * t) : 0);
  h->met += in_hole;
  return 0;
}

/* No point of a rule lies there, but one of an interval's own beside the middle does: what is not finite is said. */
static void not_finite_within_the_range(void **state) {
  (void)state;
  tessera_solver *s = solver_of(1, 1);
  int met = 0;
  for (int i = 0; i < 40; ++i) {
    const double away = pow(10, -3 - 0.15 * i);
    struct hole h = {0.5 - 1.5 * away, 0.5 - 0.5 * away, i % 2 ? 0.5 : 0.503, 0};
    double value, error;
    put_point(s, peak_beside_hole, &h);
    put_real(s, TESSERA_RELTOL, 1e-8);
    const int status = tessera_integrate(s, TESSERA_QUADRATURE, &value, &error);
    assert_int_equal(status, h.met ? TESSERA_NONFINITE : TESSERA_OK);
    if (h.met) assert_says(tessera_last_error(s), "nan at ");
    met += h.met && away < 1e-5;
  }
  assert_true(met > 0);
  tessera_destroy(s);
}

/* The place of a kink or a jump is known roughly. */
static void near_a_break_point(void **state) {
  (void)state;
  const double at = 0.3333;
  tessera_solver *s = solver_of(1, 1);
  struct place p = {kink, 1.0 / 3.0};
  double value, error;
  put_point(s, value_of, &p);
  assert_status(s, tessera_set_breakpoints(s, 1, &at), TESSERA_OK);
  put_real(s, TESSERA_RELTOL, 1e-10);
  for (p.kind = kink; p.kind <= jump; ++p.kind) {
    assert_status(s, tessera_integrate(s, TESSERA_QUADRATURE, &value, &error), TESSERA_OK);
    assert_close(value, exact_of(&p), 1e-10, 0);
  }
  tessera_destroy(s);
}

/* Zero over zero: next to 0 the values are rounding, which no point is to be taken in by. */
static void removable_singularities(void **state) {
  (void)state;
  static const double exact[] = {0.48638537623544313, 0.16392818052171815, -0.10243996883259894};
  tessera_solver *s = solver_of(1, 1);
  struct place p;
  put_point(s, value_of, &p);
  put_real(s, TESSERA_RELTOL, 1e-10);
  for (p.kind = cosine; p.kind <= root; ++p.kind)
    for (int least = 0; least <= 1; ++least) {
      double value, error;
      put_int(s, TESSERA_LEAST_REGIONS, least);
      assert_status(s, tessera_integrate(s, TESSERA_QUADRATURE, &value, &error), TESSERA_OK);
      assert_close(value, exact[p.kind - cosine], 1e-10, 0);
      assert_true(got_int(s, TESSERA_EVALUATIONS) <= (least == 1 ? 70 : 670)); /* of 2 intervals, or of 16 */
    }
  tessera_destroy(s);
}

static int distance(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  *f = fabs(x[0] - x[1]);
  return 0;
}
/* Inner integrals have their kink at every distance from their ends. */
static void iterated(void **state) {
  (void)state;
  tessera_solver *s = solver_of(2, 1);
  double value, error;
  put_point(s, distance, NULL);
  put_real(s, TESSERA_RELTOL, 1e-9);
  assert_status(s, tessera_integrate(s, TESSERA_ITERATED, &value, &error), TESSERA_OK);
  assert_close(value, 1.0 / 3.0, 1e-9, 0);
  tessera_destroy(s);
}

/* Narrow at a place where an interval has its middle, which its halves have no points near. */
struct peak {
  int shape, background;
  double at, width;
};
static double height(const struct peak *p, double t) {
  const double z = (t - p->at) / p->width;
  return p->shape == 0 ? exp(-z * z / 2) / (sqrt(2 * M_PI) * p->width)
                       : (p->shape == 1 ? 1 / (2 * p->width * cosh(z) * cosh(z)) : (fabs(z) < 1 ? 0.5 / p->width : 0));
}
static int beside_background(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct peak *p = userdata;
  (void)ncomp;
  *f = 0.3 * height(p, *x) + (p->background == 0 ? 0 : p->background == 1 ? 1 : cos(3 * *x));
  if (ndim == 2) *f *= 1 + 0.3 * x[1];
  return 0;
}
/* Of how many claims are false. */
static int false_claims_at_middles(int ndim, int method, const double *at, int places, int *claims) {
  static const double widths[] = {2e-5, 7e-5, 3e-4, 1e-3}, tolerances[] = {1e-3, 1e-6, 1e-9};
  tessera_solver *s = solver_of(ndim, 1);
  struct peak p;
  int wrong = 0;
  put_point(s, beside_background, &p);
  put_int(s, TESSERA_MAXEVAL, 1000000);
  for (p.shape = 0; p.shape < 3; ++p.shape)
    for (p.background = 0; p.background < 3; ++p.background)
      for (int i = 0; i < places; ++i)
        for (int w = 0; w < 4; ++w)
          for (int t = 0; t < 3; ++t) {
            double value, error;
            p.width = widths[w];
            p.at = at[i] + 0.3 * (i % 3 - 1) * p.width;
            put_real(s, TESSERA_RELTOL, tolerances[t]);
            const int status = tessera_integrate(s, method, &value, &error);
            assert_true(status >= 0);
            if (status != TESSERA_OK) continue;
            const double smooth = p.background == 0 ? 0 : p.background == 1 ? 1 : sin(3.0) / 3;
            const double exact = (0.3 + smooth) * (ndim == 2 ? 1.15 : 1);
            ++*claims;
            wrong += fabs(value - exact) > tolerances[t] * exact;
          }
  tessera_destroy(s);
  return wrong;
}
/* Of an infinite range the intervals between 0 and 1 and beyond have their middles at 1, in the variable in which they are divided. */
static int beside_normal(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp;
  *f = 0.3 * height(userdata, *x) + exp(-*x * *x / 2) / sqrt(2 * M_PI);
  return 0;
}
static int false_claims_on_the_line(int *claims) {
  static const double widths[] = {3e-5, 2e-4, 1e-3}, tolerances[] = {1e-3, 1e-6, 1e-9};
  const double lower = -INFINITY, upper = INFINITY;
  tessera_solver *s = solver_of(1, 1);
  struct peak p = {0, 0, 0, 0};
  int wrong = 0;
  put_point(s, beside_normal, &p);
  assert_status(s, tessera_set_domain(s, &lower, &upper), TESSERA_OK);
  for (p.shape = 0; p.shape < 3; ++p.shape)
    for (int side = -1; side <= 1; side += 2)
      for (int w = 0; w < 3; ++w)
        for (int t = 0; t < 3; ++t) {
          double value, error;
          p.width = widths[w];
          p.at = side * (1 + 0.2 * p.width);
          put_real(s, TESSERA_RELTOL, tolerances[t]);
          assert_status(s, tessera_integrate(s, TESSERA_QUADRATURE, &value, &error), TESSERA_OK);
          ++*claims;
          wrong += fabs(value - 1.3) > tolerances[t] * 1.3;
        }
  tessera_destroy(s);
  return wrong;
}
static void narrow_at_middles(void **state) {
  (void)state;
  static const double at[] = {0.5, 0.25, 0.75, 0.625};
  int claims = 0, of_iterated = 0, on_the_line = 0;
  assert_int_equal(false_claims_at_middles(1, TESSERA_QUADRATURE, at, 4, &claims), 0);
  assert_int_equal(false_claims_at_middles(2, TESSERA_ITERATED, at, 1, &of_iterated), 0);
  assert_at_most(430, claims);
  assert_at_most(80, of_iterated);
  assert_int_equal(false_claims_on_the_line(&on_the_line), 0);
}

/* NaN beside an end is no value, and nothing that ends an integral whose other points are well. */
static int narrow_hole(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  *f = *x < 1e-5 ? NAN : exp(-*x);
  return 0;
}
static void hole_beside_an_end(void **state) {
  (void)state;
  tessera_solver *s = solver_of(1, 1);
  double value, error;
  put_point(s, narrow_hole, NULL);
  put_real(s, TESSERA_RELTOL, 1e-8);
  assert_status(s, tessera_integrate(s, TESSERA_QUADRATURE, &value, &error), TESSERA_OK);
  assert_close(value, -expm1(-1.0), 1e-8, 0);
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(changes_near_an_end),
                                     cmocka_unit_test(not_finite_within_the_range),
                                     cmocka_unit_test(near_a_break_point),
                                     cmocka_unit_test(removable_singularities),
                                     cmocka_unit_test(iterated),
                                     cmocka_unit_test(narrow_at_middles),
                                     cmocka_unit_test(hole_beside_an_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
