/* TESSERA_COMPLEX: values in closed form by every method, values of which one part is zero, tolerances and errors of the modulus, extreme scales, ways to
 * end, many integrals and limits of them.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "solve.h"

typedef double _Complex number;

enum { most_ndim = 3 };

/* exp(i k.x), a real and an imaginary value, one whose imaginary part cancels, a tiny imaginary part, zero in both, NaN in one. */
enum shape { WAVE, REAL, IMAGINARY, CANCELS, TINY, NOTHING, NAN_IN_IMAGINARY, NAN_IN_REAL };
static const double wave[most_ndim] = {2.5, -1.75, 3.25};

static number value_at(enum shape shape, int ndim, const double *x) {
  double product = 1, phase = 0;
  for (int j = 0; j < ndim; ++j) {
    product *= exp(-x[j]);
    phase += wave[j] * x[j];
  }
  const int bad = x[0] > 0.4 && x[0] < 0.7;
  switch (shape) {
    case WAVE:
      return cexp(I * phase);
    case REAL:
      return product;
    case IMAGINARY:
      return I * product;
    case CANCELS:
      return product + I * sin(x[0] - 0.5);
    case TINY:
      return product + 1e-13 * I * fabs(x[0] - 0.4321);
    case NOTHING:
      return 0;
    case NAN_IN_IMAGINARY:
      return CMPLX(product, bad ? NAN : 1);
    default:
      return CMPLX(bad ? NAN : 1, product);
  }
}

static number exact_of(enum shape shape, int ndim) {
  number waves = 1;
  for (int j = 0; j < ndim; ++j) waves *= (cexp(I * wave[j]) - 1) / (I * wave[j]);
  const double product = pow(1 - exp(-1), ndim);
  switch (shape) {
    case WAVE:
      return waves;
    case IMAGINARY:
      return I * product;
    case TINY:
      return product + 1e-13 * I * (0.4321 * 0.4321 + 0.5679 * 0.5679) / 2;
    case NOTHING:
      return 0;
    default:
      return product;
  }
}

static int at_point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  number *const z = (number *)f;
  for (int k = 0; 2 * k < ncomp; ++k) z[k] = (k + 1) * value_at(*(const enum shape *)userdata, ndim, x);
  return 0;
}

static const struct way {
  const char *name;
  int method, ndim; /* 0: 3 variables */
  struct {
    int key, value;
  } options[3];
  double reltol;
} ways[] = {
    {"worst first", TESSERA_CUBATURE, 0, {{TESSERA_SPARSE, TESSERA_SPARSE_OFF}}, 1e-8},
    {"worst first, one axis", TESSERA_CUBATURE, 1, {{0, 0}}, 1e-9},
    {"with a sparse grid", TESSERA_CUBATURE, 0, {{0, 0}}, 1e-9},
    {"sparse grid alone", TESSERA_CUBATURE, 0, {{TESSERA_SPARSE, TESSERA_SPARSE_ALONE}}, 1e-8},
    {"classic", TESSERA_CUBATURE, 0, {{TESSERA_ESTIMATE, TESSERA_ESTIMATE_CLASSIC}}, 1e-6},
    {"by component", TESSERA_CUBATURE, 0, {{TESSERA_PRIORITY, TESSERA_PRIORITY_WORST_COMPONENT}}, 1e-7},
    {"bulk",
     TESSERA_CUBATURE,
     0,
     {{TESSERA_SELECTION, TESSERA_SELECT_BULK}, {TESSERA_SPARSE, TESSERA_SPARSE_OFF}},
     1e-8},
    {"bulk, low degree",
     TESSERA_CUBATURE,
     0,
     {{TESSERA_SELECTION, TESSERA_SELECT_BULK}, {TESSERA_RULE, TESSERA_RULE_GM7}},
     1e-7},
    {"lattice", TESSERA_LATTICE, 0, {{0, 0}}, 1e-7},
    {"lattice, median", TESSERA_LATTICE, 0, {{TESSERA_MEDIAN, 11}}, 1e-5},
    {"lattice, copies", TESSERA_LATTICE, 2, {{TESSERA_COPIES, 3}, {TESSERA_TRANSFORM, TESSERA_TRANSFORM_BAKER}}, 1e-5},
    {"plain sampling", TESSERA_MONTECARLO, 0, {{TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN}}, 3e-3},
    {"VEGAS", TESSERA_MONTECARLO, 0, {{TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS}}, 1e-3},
    {"sampling", TESSERA_MONTECARLO, 0, {{0, 0}}, 1e-3},
    {"quadrature", TESSERA_QUADRATURE, 1, {{0, 0}}, 1e-10},
    {"Kronrod 15", TESSERA_QUADRATURE, 1, {{TESSERA_RULE, TESSERA_RULE_KRONROD15}}, 1e-10},
    {"double exponential", TESSERA_QUADRATURE, 1, {{TESSERA_RULE, TESSERA_RULE_DOUBLE_EXPONENTIAL}}, 1e-10},
    {"iterated", TESSERA_ITERATED, 2, {{0, 0}}, 1e-8},
};
enum { way_count = sizeof ways / sizeof ways[0] };

static tessera_solver *solver_with(const struct way *w, int ncomp, enum shape *shape) {
  tessera_solver *s = solver_of(w->ndim ? w->ndim : most_ndim, ncomp);
  put_int(s, TESSERA_COMPLEX, 1);
  put_point(s, at_point, shape);
  put_real(s, TESSERA_RELTOL, w->reltol);
  put_int(s, TESSERA_MAXEVAL, 40000000);
  for (int i = 0; i < 3; ++i)
    if (w->options[i].key) put_int(s, w->options[i].key, w->options[i].value);
  if (w->options[0].key == TESSERA_COPIES) { /* of a rule with few points */
    tessera_lattice *l;
    assert_int_equal(tessera_lattice_create(&l, most_ndim), 0);
    assert_int_equal(tessera_lattice_korobov(l, 1021, 76), 0);
    assert_status(s, tessera_set_lattice(s, l), TESSERA_OK);
    tessera_lattice_destroy(l);
  }
  return s;
}

/* The promise of status 0, for each complex component. */
static void assert_met(int ncomp, const double *value, const double *error, double abstol, double reltol) {
  for (int k = 0; k < ncomp; k += 2)
    assert_at_most(hypot(error[k], error[k + 1]), fmax(abstol, reltol * hypot(value[k], value[k + 1])) * (1 + 1e-15));
}

static void closed_forms(void **state) {
  (void)state;
  for (int w = 0; w < way_count; ++w)
    for (enum shape shape = WAVE; shape <= TINY; ++shape) {
      number value[2], error[2];
      const int ndim = ways[w].ndim ? ways[w].ndim : most_ndim;
      tessera_solver *s = solver_with(&ways[w], 4, &shape);
      const int status = tessera_integrate(s, ways[w].method, (double *)value, (double *)error);
      const number exact = exact_of(shape, ndim);
      print_message("  %-22s %d: status %d, %.12g %+.12g i, error %.1e %.1e, true %.1e, %lld evaluations\n",
                    ways[w].name, (int)shape, status, creal(value[0]), cimag(value[0]), creal(error[0]),
                    cimag(error[0]), cabs(value[0] - exact), (long long)got_int(s, TESSERA_EVALUATIONS));
      assert_status(s, status, TESSERA_OK);
      assert_met(4, (double *)value, (double *)error, 0, ways[w].reltol);
      for (int k = 0; k < 2; ++k) {
        assert_at_most(cabs(value[k] - (k + 1) * exact), ways[w].reltol * cabs((k + 1) * exact));
        /* Each part has an error of its own. */
        if (shape == REAL) assert_true(cimag(value[k]) == 0 && cimag(error[k]) == 0 && creal(error[k]) > 0);
        if (shape == IMAGINARY) assert_true(creal(value[k]) == 0 && creal(error[k]) == 0 && cimag(error[k]) > 0);
      }
      tessera_destroy(s);
    }
}

/* A value without an imaginary part takes hardly more than a real one does; where parts had tolerances of their own it would never end. */
static int real_alone(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)userdata;
  for (int k = 0; k < ncomp; ++k) f[k] = creal(value_at(REAL, ndim, x));
  return 0;
}
static void a_part_that_is_zero_costs_nothing(void **state) {
  (void)state;
  for (int w = 0; w < way_count; ++w) {
    double value[2], error[2];
    int64_t n[2];
    enum shape shape = REAL;
    for (int is_complex = 0; is_complex < 2; ++is_complex) {
      tessera_solver *s = solver_with(&ways[w], 2, &shape);
      if (!is_complex) {
        put_int(s, TESSERA_COMPLEX, 0);
        put_point(s, real_alone, NULL);
      }
      assert_status(s, tessera_integrate(s, ways[w].method, value, error), TESSERA_OK);
      n[is_complex] = got_int(s, TESSERA_EVALUATIONS);
      tessera_destroy(s);
    }
    print_message("  %-22s %lld evaluations, %lld of a real value\n", ways[w].name, (long long)n[1], (long long)n[0]);
    assert_in_range(n[1], 1, n[0] + n[0] / 4 + 64);
  }
}

/* Nothing but zeros is no success where a share of the value is asked for, and is one with an absolute tolerance. */
static void nothing_at_all(void **state) {
  (void)state;
  enum shape shape = NOTHING;
  for (int w = 0; w < way_count; ++w) {
    double value[2] = {1, 1}, error[2] = {1, 1};
    tessera_solver *s = solver_with(&ways[w], 2, &shape);
    put_int(s, TESSERA_MAXEVAL, 3000000);
    put_real(s, TESSERA_ABSTOL, 1e-6);
    assert_status(s, tessera_integrate(s, ways[w].method, value, error), TESSERA_OK);
    for (int k = 0; k < 2; ++k) assert_true(value[k] == 0 && error[k] <= 1e-6);
    tessera_destroy(s);
  }
}

static void nonfinite_parts(void **state) {
  (void)state;
  for (int w = 0; w < way_count; ++w)
    for (enum shape shape = NAN_IN_IMAGINARY; shape <= NAN_IN_REAL; ++shape) {
      double value[2], error[2];
      tessera_solver *s = solver_with(&ways[w], 2, &shape);
      put_int(s, TESSERA_MAXEVAL, 1000000);
      const int status = tessera_integrate(s, ways[w].method, value, error);
      /* Quadrature may come to it before there is a value. */
      if (status != TESSERA_ERR_CALLBACK || ways[w].method != TESSERA_QUADRATURE)
        assert_status(s, status, TESSERA_NONFINITE);
      assert_says(tessera_last_error(s), shape == NAN_IN_REAL ? "component 1" : "component 2");
      tessera_destroy(s);
    }
}

/* With both parts equal, each has its equal share of what is tolerated: the whole of it is used, and no more. */
static int diagonal(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  f[0] = f[1] = creal(value_at(REAL, ndim, x)) / sqrt(x[0] + 1e-3);
  return 0;
}
static void absolute_tolerances(void **state) {
  (void)state;
  for (int w = 0; w < way_count; ++w) {
    double value[2], error[2];
    const double abstol = 30 * ways[w].reltol;
    tessera_solver *s = solver_with(&ways[w], 2, NULL);
    put_point(s, diagonal, NULL);
    put_real(s, TESSERA_RELTOL, 0);
    put_real(s, TESSERA_ABSTOL, abstol);
    const int status = tessera_integrate(s, ways[w].method, value, error);
    if (ways[w].options[0].key != TESSERA_COPIES) assert_status(s, status, TESSERA_OK); /* n is fixed there */
    if (status == TESSERA_OK) assert_met(2, value, error, abstol, 0);
    tessera_destroy(s);
  }
}

/* Parts that are far apart, and values near the ends of what can be squared. */
static int scaled(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double *const scale = userdata;
  const number z = value_at(WAVE, ndim, x);
  (void)ncomp;
  f[0] = scale[0] * creal(z);
  f[1] = scale[1] * cimag(z);
  return 0;
}
static void extreme_scales(void **state) {
  static double scales[][2] = {{1, 1e-200}, {1e-250, 1}, {1e-160, 1e-160}, {1e140, 1e140}, {1e150, 1}};
  (void)state;
  for (int w = 0; w < way_count; ++w)
    for (int i = 0; i < 5; ++i) {
      double value[2], error[2];
      tessera_solver *s = solver_with(&ways[w], 2, NULL);
      const number exact = exact_of(WAVE, ways[w].ndim ? ways[w].ndim : most_ndim);
      const double re = scales[i][0] * creal(exact), im = scales[i][1] * cimag(exact);
      put_point(s, scaled, scales[i]);
      put_real(s, TESSERA_RELTOL, 10 * ways[w].reltol);
      assert_status(s, tessera_integrate(s, ways[w].method, value, error), TESSERA_OK);
      assert_met(2, value, error, 0, 10 * ways[w].reltol);
      assert_at_most(hypot(value[0] - re, value[1] - im), 10 * ways[w].reltol * hypot(re, im));
      tessera_destroy(s);
    }
}

/* Weights of quadrature, where each part is a run with passes of its own. */
static int decay(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  *(number *)f = cexp((-1 + 2 * I) * x[0]);
  return 0;
}
static void weights(void **state) {
  (void)state;
  const double omega = 5;
  const number a = 1 - 2 * I; /* of exp(-a x) */
  const struct {
    int weight;
    double lower, upper;
    number exact;
  } cases[] = {
      {TESSERA_WEIGHT_COS, 0, INFINITY, a / (a * a + omega * omega)},
      {TESSERA_WEIGHT_SIN, 0, INFINITY, omega / (a * a + omega * omega)},
      {TESSERA_WEIGHT_COS, 0, 1,
       ((1 - cexp(-(a - I * omega))) / (a - I * omega) + (1 - cexp(-(a + I * omega))) / (a + I * omega)) / 2},
  };
  for (int i = 0; i < 3; ++i) {
    number value, error;
    tessera_solver *s = solver_of(1, 2);
    put_int(s, TESSERA_COMPLEX, 1);
    put_int(s, TESSERA_WEIGHT, cases[i].weight);
    put_real(s, TESSERA_OMEGA, omega);
    put_real(s, TESSERA_RELTOL, 1e-9);
    put_point(s, decay, NULL);
    assert_status(s, tessera_set_domain(s, &cases[i].lower, &cases[i].upper), TESSERA_OK);
    assert_status(s, tessera_integrate(s, TESSERA_QUADRATURE, (double *)&value, (double *)&error), TESSERA_OK);
    print_message("  weight %d: %.12g %+.12g i, true error %.1e, %lld evaluations\n", cases[i].weight, creal(value),
                  cimag(value), cabs(value - cases[i].exact), (long long)got_int(s, TESSERA_EVALUATIONS));
    assert_met(2, (double *)&value, (double *)&error, 0, 1e-9);
    assert_at_most(cabs(value - cases[i].exact), 1e-9 * cabs(cases[i].exact));
    tessera_destroy(s);
  }
}

/* Many integrals: the bits of single ones, whatever the number of threads. */
static int with_block(int ndim, const double *x, int ncomp, double *f, void *block) {
  (void)ndim, (void)ncomp;
  const double *const p = block;
  *(number *)f = 1 / (x[0] - p[0] + p[1] * I);
  return 0;
}
static void many(void **state) {
  (void)state;
  enum { count = 40 };
  static const int methods[] = {TESSERA_CUBATURE, TESSERA_LATTICE, TESSERA_MONTECARLO, TESSERA_QUADRATURE,
                                TESSERA_ITERATED};
  double block[count][2];
  for (int i = 0; i < count; ++i) block[i][0] = 0.03 + 0.024 * i, block[i][1] = 0.1 + 0.01 * (i % 7);
  for (int m = 0; m < 5; ++m) {
    number value[count], error[count], alone, alone_error;
    int status[count];
    tessera_solver *s = solver_of(1, 2);
    const double reltol = methods[m] == TESSERA_MONTECARLO ? 1e-2 : 1e-7;
    put_int(s, TESSERA_COMPLEX, 1);
    put_int(s, TESSERA_THREADS, 3);
    put_real(s, TESSERA_RELTOL, reltol);
    put_point(s, with_block, NULL);
    assert_status(s,
                  tessera_integrate_many(s, methods[m], count, block, sizeof block[0], NULL, NULL, (double *)value,
                                         (double *)error, status),
                  TESSERA_OK);
    put_int(s, TESSERA_THREADS, 1);
    for (int i = 0; i < count; ++i) {
      const number exact = clog((1 - block[i][0] + block[i][1] * I) / (-block[i][0] + block[i][1] * I));
      assert_met(2, (double *)&value[i], (double *)&error[i], 0, reltol);
      assert_at_most(cabs(value[i] - exact), reltol * cabs(exact));
      assert_status(s, tessera_set_params(s, block[i], sizeof block[i]), TESSERA_OK);
      assert_status(s, tessera_integrate(s, methods[m], (double *)&alone, (double *)&alone_error), TESSERA_OK);
      assert_same_bits(creal(alone), creal(value[i]));
      assert_same_bits(cimag(alone), cimag(value[i]));
      assert_same_bits(cimag(alone_error), cimag(error[i]));
    }
    tessera_destroy(s);
  }
}

/* 1/(x - c - i delta) as delta goes to 0: the principal value, and i pi. With c in the middle the real part is zero. */
static int above_threshold(int ndim, const double *x, int ncomp, double *f, void *block) {
  (void)ndim, (void)ncomp;
  const double *const p = block;
  *(number *)f = 1 / (x[0] - p[0] - p[1] * I);
  return 0;
}
static void limits_of_integrals(void **state) {
  (void)state;
  for (int i = 0; i < 2; ++i) {
    const double c = i ? 0.5 : 0.3;
    const number exact = log((1 - c) / c) + I * acos(-1);
    double block[2] = {c, 1};
    number value, error;
    tessera_solver *s = solver_of(1, 2);
    put_int(s, TESSERA_COMPLEX, 1);
    put_real(s, TESSERA_RELTOL, 1e-7);
    put_point(s, above_threshold, NULL);
    assert_status(s, tessera_set_params(s, block, sizeof block), TESSERA_OK);
    assert_status(s,
                  tessera_integrate_limit(s, TESSERA_QUADRATURE, sizeof(double), 0.25, 0.5, TESSERA_EXTRAPOLATE_EPSILON,
                                          30, (double *)&value, (double *)&error, NULL, NULL, NULL, NULL),
                  TESSERA_OK);
    assert_met(2, (double *)&value, (double *)&error, 0, 1e-7);
    assert_at_most(cabs(value - exact), 1e-7 * cabs(exact));
    tessera_destroy(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(a_part_that_is_zero_costs_nothing),
      cmocka_unit_test(nothing_at_all),
      cmocka_unit_test(nonfinite_parts),
      cmocka_unit_test(absolute_tolerances),
      cmocka_unit_test(extreme_scales),
      cmocka_unit_test(weights),
      cmocka_unit_test(many),
      cmocka_unit_test(limits_of_integrals),
  };
  return cmocka_run_group_tests_name("complex values", tests, NULL, NULL);
}
