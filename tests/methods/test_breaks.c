/* Break points: where the integrand or its slope jumps at one coordinate of an axis, regions are cut there, and little is left to do.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "breaks.h"
#include "featured.h"
#include "files.h"
#include "solve.h"

static struct answer solved(const struct broken *b, int selection, int seeks, double reltol) {
  tessera_solver *s = solver_of(b->ndim, 1);
  put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF); /* a grid with a map needs no break points in products */
  put_point(s, broken_point, (void *)b);
  put_int(s, TESSERA_SELECTION, selection);
  put_int(s, TESSERA_BREAK_POINTS, seeks);
  put_real(s, TESSERA_RELTOL, reltol);
  put_int(s, TESSERA_MAXEVAL, sanitized ? 200000 : 2000000);
  const struct answer a = integrate(s);
  tessera_destroy(s);
  return a;
}

static void fewer_evaluations(void **state) {
  (void)state;
  static const char *const names[] = {"bends", "steps", "box", "clipped"};
  const int most_ndim = sanitized ? 3 : 5;
  for (int kind = 0; kind < break_kinds; ++kind)
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      double with = 0, without = 0;
      int claims[2] = {0, 0}, wrong = 0, runs = 0;
      for (int ndim = 2; ndim <= most_ndim; ++ndim)
        for (uint64_t seed = 1; seed <= 4; ++seed, ++runs) {
          const struct broken b = draw_broken(kind, ndim, 1000 * seed + (uint64_t)(10 * ndim + kind));
          const double exact = broken_exact(&b);
          for (int seeks = 0; seeks < 2; ++seeks) {
            const struct answer a = solved(&b, selection, seeks, 1e-5);
            assert_true(a.status == TESSERA_OK || a.status == TESSERA_LIMIT_EVALUATIONS);
            claims[seeks] += a.status == TESSERA_OK;
            if (a.status == TESSERA_OK) wrong += fabs(a.value - exact) > 1e-5 * exact;
            assert_at_most(fabs(a.value - exact), a.error);
            *(seeks ? &with : &without) += (double)a.evaluations;
          }
        }
      print_message("  %-8s selection %d: %.2e evaluations (%d of %d met), %.2e without (%d met), %d false\n",
                    names[kind], selection, with, claims[1], runs, without, claims[0], wrong);
      assert_int_equal(wrong, 0);
      if (sanitized) continue;
      assert_int_equal(claims[1], runs);
      assert_at_most(with, 0.5 * without); /* where most end at the limit */
    }
}

/* Faces of regions are where the integrand jumps, to rounding. */
static void regions_end_there(void **state) {
  (void)state;
  enum { ndim = 3, length = TESSERA_REGION_LENGTH(ndim, 1) };
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    struct broken b = draw_broken(breaks_box, ndim, 77);
    tessera_solver *s = solver_of(ndim, 1);
    put_point(s, broken_point, &b);
    put_int(s, TESSERA_SELECTION, selection);
    put_int(s, TESSERA_KEEP_REGIONS, 1);
    put_real(s, TESSERA_RELTOL, 1e-9);
    assert_status(s, integrate(s).status, TESSERA_OK);
    int64_t n = 0;
    assert_status(s, tessera_get_regions(s, 0, 0, NULL, &n), TESSERA_OK);
    double *r = malloc(sizeof *r * (size_t)(n * length)), volume = 0, across = 0;
    assert_non_null(r);
    assert_status(s, tessera_get_regions(s, 0, n, r, NULL), TESSERA_OK);
    for (int64_t i = 0; i < n; ++i) {
      const double *const q = r + i * length;
      double v = 1;
      int crosses = 0;
      for (int j = 0; j < ndim; ++j) {
        v *= 2 * q[ndim + j];
        const double away = fabs(q[j] - b.at[j]);
        crosses |= away < q[ndim + j] - 1e-12 && q[2 * ndim] != 0;
      }
      volume += v;
      if (crosses) across += q[2 * ndim + 1];
    }
    assert_close(volume, 1, 1e-12, 0);
    assert_at_most(across, 1e-9 * broken_exact(&b));
    free(r);
    tessera_destroy(s);
  }
}

/* On any number of threads, called point by point or in batches. */
static int in_batches(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                      void *userdata) {
  (void)ncomp, (void)ldf;
  for (int64_t i = 0; i < n; ++i) {
    double at[breaks_most_ndim];
    for (int j = 0; j < ndim; ++j) at[j] = x[j * ldx + i];
    f[i] = broken_value(userdata, at);
  }
  return 0;
}

static void whoever_calls(void **state) {
  (void)state;
  for (int kind = 0; kind < break_kinds; ++kind)
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      struct broken b = draw_broken(kind, 3, (uint64_t)(500 + kind));
      struct answer expected = {0};
      for (int form = 0; form < 4; ++form) {
        tessera_solver *s = solver_of(3, 1);
        if (form % 2 == 0) put_point(s, broken_point, &b);
        if (form % 2 == 1) put_batch(s, in_batches, &b);
        put_int(s, TESSERA_SELECTION, selection);
        put_int(s, TESSERA_THREADS, form < 2 ? 1 : 4);
        put_real(s, TESSERA_RELTOL, 1e-6);
        const struct answer a = integrate(s);
        assert_status(s, a.status, TESSERA_OK);
        if (form > 0) assert_same_answer(a, expected);
        expected = a;
        tessera_destroy(s);
      }
    }
}

/* Components that jump at different places; the range of an axis is infinite. */
static int two_of_them(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = (x[0] > 0.37 ? exp(-x[0] * x[0]) : 0) * (1 + x[1]);
  f[1] = 1e-6 * exp(-x[0] * x[0] - fabs(x[1] - 0.28));
  return 0;
}

static void several_components_and_an_infinite_range(void **state) {
  (void)state;
  const double lower[2] = {-INFINITY, 0}, upper[2] = {INFINITY, 1}, root = sqrt(acos(-1.0));
  const double exact[2] = {root / 2 * erfc(0.37) * 1.5, 1e-6 * root * (2 - exp(-0.28) - exp(-0.72))};
  double evaluations[2];
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    for (int seeks = 0; seeks < 2; ++seeks) {
      tessera_solver *s = solver_of(2, 2);
      assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
      put_point(s, two_of_them, NULL);
      put_int(s, TESSERA_SELECTION, selection);
      put_int(s, TESSERA_BREAK_POINTS, seeks);
      put_real(s, TESSERA_RELTOL, 1e-9);
      double value[2], error[2];
      assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
      for (int k = 0; k < 2; ++k) assert_close(value[k], exact[k], 1e-9, 0);
      evaluations[seeks] = (double)got_int(s, TESSERA_EVALUATIONS);
      tessera_destroy(s);
    }
    print_message("  selection %d: %.0f evaluations, %.0f without\n", selection, evaluations[1], evaluations[0]);
    assert_true(evaluations[1] < evaluations[0]);
  }
}

/* What runs at an angle, is curved, or is smooth has no break points: the same regions, for next to nothing more. */
static int elsewhere(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const int kind = *(const int *)userdata;
  double s = 0, r = 0;
  (void)ncomp;
  for (int j = 0; j < ndim; ++j) s += (1 + 0.3 * j) * x[j], r += (x[j] - 0.4) * (x[j] - 0.4);
  f[0] = kind == 0   ? (s < 1.23 ? 1 + s : 0.5)
         : kind == 1 ? fabs(s - 1.23)
         : kind == 2 ? (r < 0.1 ? 1 : 0)
         : kind == 3 ? exp(-300 * r)
                     : 1 / (1e-3 + r);
  return 0;
}

static void little_is_spent_in_vain(void **state) {
  (void)state;
  double with = 0, without = 0;
  for (int kind = 0; kind < 5; ++kind)
    for (int ndim = 2; ndim <= 4; ++ndim)
      for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
        struct answer a[2];
        for (int seeks = 0; seeks < 2; ++seeks) {
          tessera_solver *s = solver_of(ndim, 1);
          put_point(s, elsewhere, &kind);
          put_int(s, TESSERA_SELECTION, selection);
          put_int(s, TESSERA_BREAK_POINTS, seeks);
          put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
          put_real(s, TESSERA_RELTOL, 1e-4);
          put_int(s, TESSERA_MAXEVAL, sanitized ? 100000 : 500000);
          a[seeks] = integrate(s);
          tessera_destroy(s);
        }
        with += (double)a[1].evaluations;
        without += (double)a[0].evaluations;
        if (a[0].status != TESSERA_OK) continue;
        assert_int_equal(a[1].status, TESSERA_OK);
        assert_same_bits(a[1].value, a[0].value);
        assert_same_bits(a[1].error, a[0].error);
        assert_true(a[1].evaluations <= a[0].evaluations + a[0].evaluations / 8);
      }
  print_message("  %.0f evaluations, %.0f without\n", with, without);
  assert_at_most(with, 1.02 * without);
}

/* A run that is gone on with, from its state, is the same run; the limit is kept. */
static void gone_on_with(void **state) {
  (void)state;
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    struct broken b = draw_broken(breaks_bends, 4, 321);
    struct answer whole = {0};
    for (int parts = 1; parts <= 6; ++parts) {
      tessera_solver *s = solver_of(4, 1);
      put_point(s, broken_point, &b);
      put_int(s, TESSERA_SELECTION, selection);
      put_int(s, TESSERA_KEEP_STATE, 1);
      put_real(s, TESSERA_RELTOL, 1e-7);
      for (int part = 1; part < parts; ++part) {
        const int64_t limit = whole.evaluations * part / parts;
        put_int(s, TESSERA_MAXEVAL, limit);
        const struct answer a = integrate(s);
        assert_status(s, a.status, TESSERA_LIMIT_EVALUATIONS);
        assert_true(a.evaluations <= limit);
        assert_status(s, tessera_save_state(s, test_path("part")), TESSERA_OK);
        assert_status(s, tessera_load_state(s, test_path("part")), TESSERA_OK);
      }
      put_int(s, TESSERA_MAXEVAL, 10000000);
      const struct answer a = integrate(s);
      assert_status(s, a.status, TESSERA_OK);
      if (parts > 1) {
        assert_same_bits(a.value, whole.value);
        assert_same_bits(a.error, whole.error);
        assert_int_equal(a.evaluations, whole.evaluations);
      }
      whole = a;
      tessera_destroy(s);
    }
    assert_close(whole.value, broken_exact(&b), 1e-7, 0);
  }
}

/* A sum of jumps, some of them so near to where halving divides that no point is between: lines from end to end of the domain find them. */
struct jumps {
  double at[5], size[5];
};
static int jumps_point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct jumps *p = userdata;
  (void)ncomp;
  f[0] = 1;
  for (int j = 0; j < ndim; ++j) f[0] += x[j] > p->at[j] ? p->size[j] : 0;
  return 0;
}
static int claims_jumps(struct jumps *p, int ndim, int selection, double reltol) {
  double exact = 1;
  for (int j = 0; j < ndim; ++j) exact += p->size[j] * (1 - p->at[j]);
  tessera_solver *s = solver_of(ndim, 1);
  put_point(s, jumps_point, p);
  put_int(s, TESSERA_SELECTION, selection);
  put_int(s, TESSERA_MAXEVAL, 2000000);
  put_real(s, TESSERA_RELTOL, reltol);
  const struct answer a = integrate(s);
  if (a.status == TESSERA_OK && !(fabs(a.value - exact) <= reltol * fabs(exact))) {
    print_error("  %d-D, selection %d, first jump at %.17g: %.12g +- %.1e after %lld evaluations, exact %.12g\n", ndim,
                selection, p->at[0], a.value, a.error, (long long)a.evaluations, exact);
    fail();
  }
  tessera_destroy(s);
  return a.status == TESSERA_OK;
}
static void jumps_behind_all_points(void **state) {
  (void)state;
  int claims = 0, runs = 0;
  struct jumps known = {{0.5000952598, 0.9375549513, 0.6326852672, 0.8750951953, 0.2499339732},
                        {-1, -0.3778, 0.6941, 1, 1}};
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    if (!sanitized) claims_jumps(&known, 5, selection, 1e-5);
    for (uint64_t seed = 1; seed <= (sanitized ? 2 : 12); ++seed)
      for (int ndim = 3; ndim <= 5; ++ndim, ++runs) {
        uint64_t drawn = 100 * seed + (uint64_t)ndim;
        struct jumps p;
        for (int j = 0; j < ndim; ++j) {
          const double corner = floor(1 + 15 * splitmix_uniform(&drawn)) / 16,
                       side = splitmix_uniform(&drawn) < 0.5 ? -0.5 : 0.5;
          p.at[j] = corner + side * pow(10, -1 - 4 * splitmix_uniform(&drawn));
          p.size[j] = (splitmix_uniform(&drawn) < 0.3 ? -1 : 1) * pow(10, -splitmix_uniform(&drawn));
        }
        claims += claims_jumps(&p, ndim, selection, 1e-5);
      }
  }
  print_message("  %d of %d claimed, none false\n", claims, runs);
  assert_true(4 * claims >= 3 * runs);
}

/* A kink across two of five axes: along the others the integrand does not vary, and a division there shows nothing. */
static int crease_point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp;
  f[0] = fabs(x[0] + x[1] - *(const double *)userdata);
  return 0;
}
static void axes_without_variation(void **state) {
  (void)state;
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection)
    for (double c = 0.3329; c < 0.3340; c += 0.00035) {
      tessera_solver *s = solver_of(5, 1);
      put_point(s, crease_point, &c);
      put_int(s, TESSERA_SELECTION, selection);
      put_int(s, TESSERA_MAXEVAL, sanitized ? 100000 : 1000000);
      put_real(s, TESSERA_RELTOL, 1e-5);
      const struct answer a = integrate(s);
      const double exact = 1 - c + c * c * c / 3;
      if (a.status == TESSERA_OK) assert_at_most(fabs(a.value - exact), 1e-5 * exact);
      tessera_destroy(s);
    }
}

/* A box beside something smooth: a corner of it may reach across a face into a large region where no point is in it. Break points that are known run through that. */
static void corners_across_faces(void **state) {
  const int members = sanitized ? 8 : 60;
  int claims = 0, wrong = 0;
  (void)state;
  for (int n = 3; n <= 5; ++n) {
    uint64_t seed = (uint64_t)(28124400 + n);
    for (int i = 0; i < members; ++i) {
      struct featured p = draw_featured(cube, n, &seed);
      const double reltol = pow(10, -3 - 3 * splitmix_uniform(&seed));
      tessera_solver *s = solver_of(n, 1);
      put_point(s, featured_value, &p);
      put_int(s, TESSERA_SELECTION, i % 2 == 0 ? TESSERA_SELECT_WORST_FIRST : TESSERA_SELECT_BULK);
      put_real(s, TESSERA_RELTOL, reltol);
      put_int(s, TESSERA_MAXEVAL, 1000000);
      const struct answer a = integrate(s);
      claims += a.status == TESSERA_OK;
      if (a.status == TESSERA_OK && fabs(a.value - p.exact) > reltol * p.exact) {
        ++wrong;
        print_message("  %d variables: %.1e, tolerance %.0e, %lld evaluations\n", n, fabs(a.value / p.exact - 1),
                      reltol, (long long)a.evaluations);
      }
      tessera_destroy(s);
    }
  }
  print_message("%d claims on boxes beside something smooth, %d false\n", claims, wrong);
  assert_true(claims >= 2 * members && wrong <= 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jumps_behind_all_points), cmocka_unit_test(axes_without_variation),
      cmocka_unit_test(fewer_evaluations),       cmocka_unit_test(regions_end_there),
      cmocka_unit_test(whoever_calls),           cmocka_unit_test(several_components_and_an_infinite_range),
      cmocka_unit_test(little_is_spent_in_vain), cmocka_unit_test(gone_on_with),
      cmocka_unit_test(corners_across_faces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
