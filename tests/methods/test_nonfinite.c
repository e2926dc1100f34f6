/* NaN and infinities from the integrand: never status 0, and the sentence says where.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "solve.h"

/* A smooth integrand with a spot where a component is not finite. */
struct spot {
  double lower, upper; /* x[0] strictly between these */
  double bad;
  int component;
};

static double value_at(const struct spot *p, int k, double x) {
  if (x > p->lower && x < p->upper && k == p->component) return p->bad;
  return (k + 1) * sqrt(x);
}

static int point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim;
  for (int k = 0; k < ncomp; ++k) f[k] = value_at(userdata, k, x[0]);
  return 0;
}

static int batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf, void *userdata) {
  (void)ndim, (void)ldx;
  for (int k = 0; k < ncomp; ++k)
    for (int64_t i = 0; i < n; ++i) f[k * ldf + i] = value_at(userdata, k, x[i]);
  return 0;
}

struct result {
  int status;
  double value[2], error[2];
  int64_t evaluations;
  char sentence[256];
};

static struct result run(struct spot *p, int form, int selection, int threads) {
  struct result r;
  tessera_solver *s = solver_of(2, 2);
  memset(&r, 0, sizeof r);
  if (form == 0) put_point(s, point, p);
  if (form == 1) put_batch(s, batch, p);
  put_real(s, TESSERA_RELTOL, 1e-11);
  put_int(s, TESSERA_SELECTION, selection);
  put_int(s, TESSERA_THREADS, threads);
  put_int(s, TESSERA_MAXEVAL, 5000000);
  r.status = tessera_integrate(s, TESSERA_CUBATURE, r.value, r.error);
  r.evaluations = got_int(s, TESSERA_EVALUATIONS);
  snprintf(r.sentence, sizeof r.sentence, "%s", tessera_last_error(s));
  tessera_destroy(s);
  return r;
}

static const double bad_values[] = {NAN, INFINITY, -INFINITY};

static void at_the_first_points_there_is_no_value(void **state) {
  (void)state;
  for (size_t b = 0; b < 3; ++b)
    for (int component = 0; component < 2; ++component)
      for (int form = 0; form < 2; ++form)
        for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection)
          for (int threads = 1; threads <= 2; ++threads) {
            struct spot p = {0.499, 0.501, bad_values[b], component}; /* the centre is a point of the rule */
            const struct result r = run(&p, form, selection, threads);
            char name[32];
            assert_int_equal(r.status, TESSERA_NONFINITE);
            assert_true(isnan(r.value[component]));
            assert_true(!(r.error[component] < 1e300));  /* nothing that looks like a bound */
            assert_int_equal(r.evaluations, 65 + 4 + 2); /* near the faces, and probes */
            snprintf(name, sizeof name, "component %d", component + 1);
            assert_says(r.sentence, name);
            assert_says(r.sentence, "x = (0.5, ");
            assert_says(r.sentence, isnan(bad_values[b]) ? "nan" : "inf");
          }
}

static void later_the_value_so_far_is_kept(void **state) {
  (void)state;
  for (size_t b = 0; b < 3; ++b)
    for (int component = 0; component < 2; ++component) {
      for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
        struct result first;
        for (int form = 0; form < 2; ++form)
          for (int threads = 1; threads <= 2; ++threads) {
            struct spot p = {1e-6, 2e-6, bad_values[b], component};
            const struct result r = run(&p, form, selection, threads);
            char name[32];
            double x = 0;
            assert_int_equal(r.status, TESSERA_NONFINITE);
            assert_true(r.evaluations > 65 + 4 + 2);
            for (int k = 0; k < 2; ++k) {
              assert_close(r.value[k], (k + 1) * 2.0 / 3, 1e-3, 0);
              assert_true(isfinite(r.error[k]) && r.error[k] >= 0);
              assert_at_most(fabs(r.value[k] - (k + 1) * 2.0 / 3), r.error[k]);
            }
            snprintf(name, sizeof name, "component %d", component + 1);
            assert_says(r.sentence, name);
            const char *at = strstr(r.sentence, "x = (");
            assert_non_null(at);
            assert_int_equal(sscanf(at, "x = (%lf", &x), 1);
            assert_true(x > p.lower && x < p.upper); /* the point that it names is one of those */
            if (form == 0 && threads == 1) first = r;
            assert_same_bits(r.value[0], first.value[0]);
            assert_same_bits(r.value[1], first.value[1]);
            assert_same_bits(r.error[0], first.error[0]);
            assert_string_equal(r.sentence, first.sentence);
          }
      }
    }
}

static int all_bad(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x;
  for (int k = 0; k < ncomp; ++k) f[k] = *(double *)userdata;
  return 0;
}

static void an_integrand_that_is_never_finite(void **state) {
  (void)state;
  for (size_t b = 0; b < 3; ++b)
    for (int ndim = 1; ndim <= 5; ++ndim)
      for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection)
        for (int estimate = 0; estimate < 2; ++estimate) {
          double bad = bad_values[b];
          tessera_solver *s = solver_of(ndim, 1);
          put_point(s, all_bad, &bad);
          put_int(s, TESSERA_SELECTION, selection);
          put_int(s, TESSERA_ESTIMATE, estimate);
          put_int(s, TESSERA_INITIAL_REGIONS, 16);
          put_real(s, TESSERA_ABSTOL, 1e300);
          const struct answer a = integrate(s);
          assert_int_equal(a.status, TESSERA_NONFINITE);
          assert_true(isnan(a.value));
          tessera_destroy(s);
        }
}

/* Found while the domain is divided into initial regions: the result is that of the last complete level, which a run with so many
 * initial regions has too. */
static void among_the_initial_regions(void **state) {
  (void)state;
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    struct spot p = {1e-7, 5e-6, NAN, 0}; /* between the face and the first point of the whole */
    tessera_solver *s = solver_of(2, 1);
    put_point(s, point, &p);
    put_int(s, TESSERA_SELECTION, selection);
    put_int(s, TESSERA_INITIAL_REGIONS, 4096);
    const struct answer a = integrate(s);
    assert_int_equal(a.status, TESSERA_NONFINITE);
    assert_true(a.regions > 1 && a.regions < 4096);
    assert_true(isfinite(a.error) && a.error > 0);
    assert_at_most(fabs(a.value - 2.0 / 3), a.error);
    put_int(s, TESSERA_INITIAL_REGIONS, a.regions);
    put_real(s, TESSERA_RELTOL, 1);
    const struct answer level = integrate(s);
    assert_status(s, level.status, TESSERA_OK);
    assert_int_equal(level.regions, a.regions);
    assert_close(a.value, level.value, 1e-6, 0);
    tessera_destroy(s);
  }
}

/* ---- Overflow ----------------------------------------------------------------------------------------------------------------- */
static void sums_that_overflow(void **state) {
  (void)state;
  for (int ndim = 1; ndim <= 5; ++ndim)
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      double huge = 1.7e308;
      tessera_solver *s = solver_of(ndim, 1);
      put_point(s, all_bad, &huge);
      put_int(s, TESSERA_SELECTION, selection);
      const struct answer a = integrate(s);
      assert_int_equal(a.status, TESSERA_NONFINITE);
      assert_true(strlen(a.sentence) > 0);
      assert_says(a.sentence, "overflow");
      tessera_destroy(s);
    }
}

static void volumes_that_overflow(void **state) {
  (void)state;
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    double one = 1;
    tessera_solver *s = solver_of(3, 1);
    put_cube(s, 3, 0, 1e200);
    put_point(s, all_bad, &one);
    put_int(s, TESSERA_SELECTION, selection);
    const struct answer a = integrate(s);
    assert_int_equal(a.status, TESSERA_NONFINITE);
    assert_says(a.sentence, "overflow");
    tessera_destroy(s);
  }
}

/* ---- Components that are not written ---------------------------------------------------------------------------------------- */
static int writes_one(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = 1 + x[0]; /* and not f[1] */
  return 0;
}
static int writes_one_of_each(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                              void *userdata) {
  (void)ndim, (void)ldx, (void)ncomp, (void)ldf, (void)userdata;
  for (int64_t i = 0; i < n; ++i) f[i] = 1 + x[i];
  return 0;
}
static int leaves_a_point_out(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                              void *userdata) {
  (void)ndim, (void)ldx, (void)userdata;
  for (int k = 0; k < ncomp; ++k)
    for (int64_t i = 0; i + 1 < n; ++i) f[k * ldf + i] = 1 + x[i];
  return 0;
}

/* The same of a source text. */
static void what_a_text_does_not_write_is_no_value(void **state) {
  static const struct {
    int language;
    const char *text;
  } texts[] = {
      {TESSERA_LANGUAGE_C, "int f(int n, const double *x, int m, double *y, void *u) { y[0] = 1 + x[0]; return 0; }\n"},
      {TESSERA_LANGUAGE_CUDA, "void f(const double *x, double *v) { v[0] = 1 + x[0]; }\n"},
      {TESSERA_LANGUAGE_C,
       "int f(int n, const double *x, int m, double *y, void *u) {\n"
       "  y[0] = 1; if (x[0] < 0.5) y[1] = 2; return 0;\n}\n"}};
  (void)state;
  for (size_t t = 0; t < sizeof texts / sizeof texts[0]; ++t)
    for (int method = TESSERA_CUBATURE; method <= TESSERA_MONTECARLO; ++method) {
      double value[2], error[2];
      tessera_solver *s = solver_of(2, 2);
      put_real(s, TESSERA_RELTOL, 1e-2);
      assert_status(s, tessera_set_integrand_source(s, texts[t].language, texts[t].text, "f"), TESSERA_OK);
      const int status = tessera_integrate(s, method, value, error);
      if (status == TESSERA_ERR_NOT_BUILT) skip(); /* there is no compiler */
      assert_status(s, status, TESSERA_NONFINITE);
      assert_says(tessera_last_error(s), "component 2");
      tessera_destroy(s);
    }
}

static void what_is_not_written_is_no_value(void **state) {
  (void)state;
  for (int method = TESSERA_CUBATURE; method <= TESSERA_MONTECARLO; ++method)
    for (int ndim = 1; ndim <= 9; ndim += 4)
      for (int form = 0; form < 3; ++form)
        for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
          double value[2], error[2];
          tessera_solver *s = solver_of(ndim, 2);
          put_int(s, TESSERA_SELECTION, selection);
          put_real(s, TESSERA_RELTOL, 1e-2);
          if (form == 0) put_point(s, writes_one, NULL);
          if (form == 1) put_batch(s, writes_one_of_each, NULL);
          if (form == 2) put_batch(s, leaves_a_point_out, NULL);
          assert_status(s, tessera_integrate(s, method, value, error), TESSERA_NONFINITE);
          assert_says(tessera_last_error(s), "nan");
          if (form < 2) assert_says(tessera_last_error(s), "component 2");
          tessera_destroy(s);
        }
}

/* ---- The range of double precision -------------------------------------------------------------------------------------------- */
static int scaled_product(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp;
  f[0] = *(const double *)userdata * (1 + x[0] * x[1]);
  return 0;
}
static int scaled_constant(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)x;
  f[0] = *(const double *)userdata;
  return 0;
}
static int nearly_linear(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = 10 * (1 + x[0] / 1e307);
  return 0;
}

/* Squares of such numbers over- and underflow: a lattice rule does not square them as they are. */
static void lattice_rules_of_large_and_small_numbers(void **state) {
  static const double scales[] = {1, 1e-300, 1e-200, 1e-160, 1e-154, 1e150, 1e160, 1e200, 1e290};
  double value[9], error[9];
  (void)state;
  for (int i = 0; i < 9; ++i) {
    double scale = scales[i];
    tessera_solver *s = solver_of(2, 1);
    put_point(s, scaled_product, &scale);
    put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_NONE);
    put_real(s, TESSERA_RELTOL, 1e-4);
    assert_status(s, tessera_integrate(s, TESSERA_LATTICE, &value[i], &error[i]), TESSERA_OK);
    assert_close(value[i], 1.25 * scale, 1e-4, 0);
    assert_close(value[i] / scale, value[0], 1e-12, 0);
    assert_close(error[i] / scale, error[0], 1e-6, 0); /* the same error, in the other unit */
    tessera_destroy(s);
  }
}

static void no_success_without_numbers(void **state) {
  (void)state;
  for (int method = TESSERA_CUBATURE; method <= TESSERA_MONTECARLO; ++method)
    for (int c = 0; c < 4; ++c)
      for (int sampling = TESSERA_SAMPLING_PLAIN; sampling <= TESSERA_SAMPLING_VEGAS; ++sampling) {
        double value = NAN, error = NAN, scale = c == 0 ? 1e303 : c == 1 ? 1e200 : 1.7e308;
        const double lower[] = {0, 0}, upper[] = {1e307, 1};
        tessera_solver *s = solver_of(2, 1);
        if (c == 3) {
          assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
          put_point(s, nearly_linear, NULL);
        } else {
          put_point(s, c == 1 ? scaled_product : scaled_constant, &scale);
        }
        put_int(s, TESSERA_SAMPLING, sampling);
        put_int(s, TESSERA_MAXEVAL, 3000000);
        const int status = tessera_integrate(s, method, &value, &error);
        if (status == TESSERA_OK) {
          const double exact = c == 3 ? 1.5e308 : c == 1 ? 1.25 * scale : scale;
          assert_true(isfinite(value) && isfinite(error));
          assert_at_most(fabs(value - exact), error + 1e-6 * exact);
        } else {
          assert_true(strlen(tessera_last_error(s)) > 0);
        }
        tessera_destroy(s);
      }
}

/* ---- Infinite ranges -------------------------------------------------------------------------------------------------------------- */
static int vanishing(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = exp(-x[0] * x[0] * x[0] * x[0]); /* 0 in double precision from x = 5.3 on */
  return 0;
}

static void an_integrand_that_vanishes_at_the_far_end(void **state) {
  (void)state;
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    tessera_solver *s = solver_of(1, 1);
    put_cube(s, 1, 0, INFINITY);
    put_point(s, vanishing, NULL);
    put_int(s, TESSERA_SELECTION, selection);
    const struct answer a = integrate(s);
    assert_status(s, a.status, TESSERA_OK);
    assert_close(a.value, 0.90640247705547707798, 1e-6, 0); /* Gamma(5/4) */
    tessera_destroy(s);
  }
}

static int diverging(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = exp(x[0]);
  return 0;
}

static void an_integral_that_diverges_is_no_success(void **state) {
  (void)state;
  for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
    tessera_solver *s = solver_of(1, 1);
    put_cube(s, 1, 0, INFINITY);
    put_point(s, diverging, NULL);
    put_int(s, TESSERA_SELECTION, selection);
    put_int(s, TESSERA_MAXEVAL, 1000000);
    assert_true(integrate(s).status > 0);
    tessera_destroy(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_the_first_points_there_is_no_value),
      cmocka_unit_test(later_the_value_so_far_is_kept),
      cmocka_unit_test(an_integrand_that_is_never_finite),
      cmocka_unit_test(among_the_initial_regions),
      cmocka_unit_test(sums_that_overflow),
      cmocka_unit_test(volumes_that_overflow),
      cmocka_unit_test(what_is_not_written_is_no_value),
      cmocka_unit_test(what_a_text_does_not_write_is_no_value),
      cmocka_unit_test(lattice_rules_of_large_and_small_numbers),
      cmocka_unit_test(no_success_without_numbers),
      cmocka_unit_test(an_integrand_that_vanishes_at_the_far_end),
      cmocka_unit_test(an_integral_that_diverges_is_no_success),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
