/* The same integrals on the host and on device 0. Skipped where there is none.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "cases.h"
#include "solve.h"
#include "skip.h"

enum { device = 0, first_regions = 1024 /* what a device begins with */ };

static void put_source(tessera_solver *s, int language, const char *source, const char *function) {
  assert_status(s, tessera_set_integrand_source(s, language, source, function), TESSERA_OK);
}

static int64_t distance(int64_t a, int64_t b) { return a > b ? a - b : b - a; }

/* Runs s, which has both forms or a text alone, on the host in bulk and on the device, and compares. */
static void assert_parity(const char *name, tessera_solver *s, int ncomp) {
  double value[2][4], error[2][4], seconds[2];
  int status[2];
  int64_t evaluations[2];
  put_int(s, TESSERA_SELECTION, TESSERA_SELECT_BULK);
  put_int(s, TESSERA_INITIAL_REGIONS, first_regions);
  put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF); /* takes its turns at other times there; see test_sparse.c */
  for (int there = 0; there < 2; ++there) {
    put_int(s, TESSERA_DEVICE, there ? device : -1);
    put_int(s, TESSERA_THREADS, 0);
    status[there] = tessera_integrate(s, TESSERA_CUBATURE, value[there], error[there]);
    if (status[there] < 0) assert_status(s, status[there], TESSERA_OK);
    assert_int_equal(got_int(s, TESSERA_DEVICE_USED), there ? device : -1);
    evaluations[there] = got_int(s, TESSERA_EVALUATIONS);
    seconds[there] = got_real(s, TESSERA_SECONDS) - got_real(s, TESSERA_COMPILE_SECONDS);
  }
  for (int k = 0; k < ncomp; ++k)
    print_message("  %-10s status %d %d  %.12g +- %.1e  %.12g +- %.1e  %lld %lld evaluations  %.3f %.4f s\n", name,
                  status[0], status[1], value[0][k], error[0][k], value[1][k], error[1][k], (long long)evaluations[0],
                  (long long)evaluations[1], seconds[0], seconds[1]);
  assert_int_equal(status[1], status[0]);
  for (int k = 0; k < ncomp; ++k) {
    const double rounding = 1e-14 * fabs(value[0][k]);
    assert_at_most(fabs(value[1][k] - value[0][k]), error[0][k] + error[1][k] + rounding);
  }
  assert_at_most((double)distance(evaluations[0], evaluations[1]), 0.05 * (double)evaluations[0]);
}

/* ---- Limits ---------------------------------------------------------------------------------------------------------------- */
static const char slow_text[] =
    "double slow(const double *x) {\n"
    "  double s = 0;\n"
    "  for (int i = 0; i < 20000; ++i) s += sin(s + x[i % TESSERA_NDIM]);\n"
    "  return 2 + fabs(s / 20000 - 0.1) + fabs(x[0] + x[1] - 0.77);\n" /* a kink that no cut removes */
    "}\n";

/* Launches of expensive evaluations are small, and no step is begun that takes longer than what is left. */
static void the_time_is_limited(void **state) {
  (void)state;
  tessera_solver *s = solver_of(5, 1);
  put_source(s, TESSERA_LANGUAGE_CUDA, slow_text, "slow");
  put_int(s, TESSERA_DEVICE, device);
  put_real(s, TESSERA_RELTOL, 1e-13);
  put_int(s, TESSERA_MAXEVAL, 200000);
  assert_true(integrate(s).status >= 0); /* compiles */
  put_int(s, TESSERA_MAXEVAL, INT64_C(1) << 50);
  put_real(s, TESSERA_MAX_SECONDS, 1);
  const struct answer a = integrate(s);
  print_message("  %lld evaluations in %.2f s\n", (long long)a.evaluations, got_real(s, TESSERA_SECONDS));
  assert_status(s, a.status, TESSERA_LIMIT_TIME);
  assert_true(isfinite(a.value) && a.error > 0);
  assert_at_most(got_real(s, TESSERA_SECONDS), 6); /* other programs may have the device in the meantime */
  tessera_destroy(s);
}

static void the_memory_is_limited(void **state) {
  (void)state;
  tessera_solver *s = solver_of(8, 1);
  put_source(s, TESSERA_LANGUAGE_CUDA, slow_text, "slow");
  put_int(s, TESSERA_DEVICE, device);
  put_int(s, TESSERA_MAXEVAL, 2000000);
  put_real(s, TESSERA_RELTOL, 1e-13);
  put_int(s, TESSERA_MAX_MEMORY, 1000);
  double value = -1, error = -1;
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_ERR_MEMORY);
  assert_says(tessera_last_error(s), "TESSERA_MAX_MEMORY: ");
  assert_says(tessera_last_error(s), " bytes are needed, and 1000 are allowed");
  put_int(s, TESSERA_MAX_MEMORY, 50000000);
  assert_true(integrate(s).status >= 0);
  assert_at_most((double)got_int(s, TESSERA_PEAK_MEMORY), 50000000);
  tessera_destroy(s);
}

/* ---- The suite ------------------------------------------------------------------------------------------------------------- */
#define SUM(start, term) "double s = " start "; for (int i = 0; i < TESSERA_NDIM; ++i) s += " term ";"

static const char suite_text[] =
    "double f1(const double *x) { " SUM("0", "(i + 1) * x[i]") " return cos(s); }\n"
    "double f2(const double *x) {\n"
    "  double p = 1;\n"
    "  for (int i = 0; i < TESSERA_NDIM; ++i) p *= 1.0 / 2500.0 + (x[i] - 0.5) * (x[i] - 0.5);\n"
    "  return 1 / p;\n"
    "}\n"
    "double f3(const double *x) { " SUM("1", "(i + 1) * x[i]") " return pow(s, -(TESSERA_NDIM + 1)); }\n"
    "double f4(const double *x) { " SUM("0", "(x[i] - 0.5) * (x[i] - 0.5)") " return exp(-625 * s); }\n"
    "double f5(const double *x) { " SUM("0", "fabs(x[i] - 0.5)") " return exp(-10 * s); }\n"
    "double f6(const double *x) {\n"
    "  double s = 0;\n"
    "  for (int i = 0; i < TESSERA_NDIM; ++i) {\n"
    "    if (x[i] >= (4 + i) / 10.0) return 0;\n"
    "    s += (i + 5) * x[i];\n"
    "  }\n"
    "  return exp(s);\n"
    "}\n"
    "double f7(const double *x) { " SUM("0", "x[i] * x[i]") " return pow(s, 11); }\n"
    "double f8(const double *x) { " SUM("0", "x[i] * x[i]") " return pow(s, 7.5); }\n";

/* Both forms are there, so that the self-check is made as well. */
static void the_suite(void **state) {
  (void)state;
  for (int c = 0; c < suite_size; ++c) {
    const char function[3] = {suite[c].name[0], suite[c].name[1], 0};
    tessera_solver *s = solver_of(suite[c].ndim, 1);
    put_point(s, suite[c].fn, NULL);
    put_source(s, TESSERA_LANGUAGE_CUDA, suite_text, function);
    put_real(s, TESSERA_RELTOL, 1e-3);
    put_int(s, TESSERA_MAXEVAL, 20000000);
    assert_parity(suite[c].name, s, 1);
    tessera_destroy(s);
  }
}

/* Before success is claimed so many regions are looked at by one lane each. */
static void many_regions(void **state) {
  (void)state;
  static const char text[] =
      "double kink_and_peak(const double *x) {\n"
      "  double r = 0;\n"
      "  for (int j = 0; j < 3; ++j) r += (x[j] - 0.5) * (x[j] - 0.5);\n"
      "  return fabs(x[0] + 0.7 * x[1] + 0.4 * x[2] - 0.61) + 50 * exp(-2000 * r);\n"
      "}\n";
  tessera_solver *s = solver_of(3, 1);
  put_source(s, TESSERA_LANGUAGE_CUDA, text, "kink_and_peak");
  put_real(s, TESSERA_RELTOL, 3e-7);
  put_int(s, TESSERA_MAXEVAL, INT64_C(1) << 40);
  assert_parity("many", s, 1);
  assert_true(got_int(s, TESSERA_REGIONS) > 131072);
  tessera_destroy(s);
}

static void languages_in_c(void **state) {
  static const char text[] =
      "#include <math.h>\n"
      "int point(int ndim, const double *x, int ncomp, double *f, void *userdata) {\n"
      "  const double *a = userdata;\n"
      "  f[0] = exp(-a[0] * x[0] * x[1]) + a[1];\n"
      "  return 0;\n"
      "}\n"
      "int cuba(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata) {\n"
      "  return point(*ndim, x, *ncomp, f, userdata);\n"
      "}\n";
  const double params[2] = {3, 0.25};
  (void)state;
  for (int language = TESSERA_LANGUAGE_C; language <= TESSERA_LANGUAGE_CUBA; ++language) {
    tessera_solver *s = solver_of(2, 1);
    assert_status(s, tessera_set_params(s, params, sizeof params), TESSERA_OK);
    put_source(s, language, text, language == TESSERA_LANGUAGE_C ? "point" : "cuba");
    put_real(s, TESSERA_RELTOL, 1e-10);
    assert_parity(language == TESSERA_LANGUAGE_C ? "c" : "cuba", s, 1);
    tessera_destroy(s);
  }
}

static void three_components(void **state) {
  tessera_solver *s = solver_of(4, 3);
  (void)state;
  put_source(s, TESSERA_LANGUAGE_CUDA,
             "void f(const double *x, double *v) {\n"
             "  double a = 0, b = 1;\n"
             "  for (int i = 0; i < 4; ++i) a += (x[i] - 0.3) * (x[i] - 0.3), b *= 1 + x[i];\n"
             "  v[0] = exp(-40 * a); v[1] = cos(b); v[2] = 1 / (a + 0.1);\n"
             "}\n",
             "f");
  put_real(s, TESSERA_RELTOL, 1e-7);
  assert_parity("vector", s, 3);
  tessera_destroy(s);
}

static void infinite_ranges(void **state) {
  const double lower[3] = {-INFINITY, 0, -1}, upper[3] = {INFINITY, INFINITY, 1};
  tessera_solver *s = solver_of(3, 1);
  (void)state;
  assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
  put_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return exp(-x[0]*x[0] - x[1]) * x[2] * x[2]; }",
             "f");
  put_real(s, TESSERA_RELTOL, 1e-6);
  assert_parity("infinite", s, 1);
  const struct answer a = integrate(s);
  assert_close(a.value, 1.7724538509055160273 * 2 / 3, 1e-6, 0);
  tessera_destroy(s);
}

static void twenty_variables(void **state) {
  tessera_solver *s = solver_of(20, 1);
  (void)state;
  put_source(s, TESSERA_LANGUAGE_CUDA,
             "double f(const double *x) { double s = 0; for (int i = 0; i < 20; ++i) s += x[i] * (1 + 0.1 * i);\n"
             "  return cos(0.3 * s); }",
             "f");
  put_real(s, TESSERA_RELTOL, 1e-4);
  put_int(s, TESSERA_MAXEVAL, 100000000);
  assert_parity("20-D", s, 1);
  assert_int_equal(got_int(s, TESSERA_RULE_USED), TESSERA_RULE_LOW);
  tessera_destroy(s);
}

/* ---- Behaviour -------------------------------------------------------------------------------------------------------------- */
/* ---- Random instances of Genz's families -------------------------------------------------------------------------------------- */
static const char genz_text[] =
    "#include <math.h>\n"
    "struct genz { int family, ndim; double a[64], u[64]; double exact; };\n"
    "int genz(int ndim, const double *x, int ncomp, double *f, void *userdata) {\n"
    "  const struct genz *g = (const struct genz *)userdata;\n"
    "  const double *a = g->a, *u = g->u;\n"
    "  double s = 0, p = 1, l = 0;\n"
    "  for (int i = 0; i < ndim; ++i) {\n"
    "    const double d = x[i] - u[i];\n"
    "    s += a[i] * x[i];\n"
    "    l += a[i] * fabs(d);\n"
    "    p = g->family == 2 ? p / (1 / (a[i] * a[i]) + d * d) : p - (g->family == 4 ? a[i] * a[i] * d * d : 0);\n"
    "  }\n"
    "  switch (g->family) {\n"
    "    case 1: f[0] = cos(6.28318530717958647692 * u[0] + s); break;\n"
    "    case 2: f[0] = p; break;\n"
    "    case 3: f[0] = pow(1 + s, -(ndim + 1)); break;\n"
    "    case 4: f[0] = exp(p - 1); break;\n"
    "    case 5: f[0] = exp(-l); break;\n"
    "    default: f[0] = x[0] > u[0] || x[1] > u[1] ? 0 : exp(s);\n"
    "  }\n"
    "  return 0;\n"
    "}\n";

/* Values agree within the estimates; evaluations within 5 % in nearly all, and in most they are the same: rounding may turn a
 * decision that is close. */
static void random_genz_instances(void **state) {
  (void)state;
  for (int ndim = 3; ndim <= 5; ndim += 2) {
    tessera_solver *s = solver_of(ndim, 1);
    int instances = 0, close = 0, same = 0;
    put_point(s, genz_point, NULL);
    put_source(s, TESSERA_LANGUAGE_C, genz_text, "genz");
    put_real(s, TESSERA_RELTOL, 1e-4);
    put_int(s, TESSERA_MAXEVAL, 2000000);
    put_int(s, TESSERA_SELECTION, TESSERA_SELECT_BULK);
    put_int(s, TESSERA_INITIAL_REGIONS, first_regions);
    put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF); /* the grid's turns come later on a device */
    for (int family = GENZ_OSCILLATORY; family <= GENZ_DISCONTINUOUS; ++family)
      for (uint64_t seed = 1; seed <= 10; ++seed) {
        struct genz g;
        struct answer a[2];
        genz_make(family, ndim, seed, &g);
        assert_status(s, tessera_set_params(s, &g, sizeof g), TESSERA_OK);
        for (int there = 0; there < 2; ++there) {
          put_int(s, TESSERA_DEVICE, there ? device : -1);
          a[there] = integrate(s);
          assert_true(a[there].status >= 0);
        }
        assert_at_most(fabs(a[1].value - a[0].value), a[0].error + a[1].error + 1e-14 * fabs(a[0].value));
        const int64_t apart = distance(a[0].evaluations, a[1].evaluations);
        ++instances;
        close += (double)apart <= 0.05 * (double)a[0].evaluations;
        same += apart == 0;
      }
    print_message("  %d-D: %d instances, %d with evaluations within 5 %%, %d with the same number\n", ndim, instances,
                  close, same);
    assert_true(100 * close >= 95 * instances);
    assert_true(2 * same >= instances);
    tessera_destroy(s);
  }
}

static tessera_solver *f4_solver(void) {
  tessera_solver *s = solver_of(5, 1);
  put_source(s, TESSERA_LANGUAGE_CUDA, suite_text, "f4");
  put_int(s, TESSERA_DEVICE, device);
  return s;
}

static void two_runs_give_the_same_bits(void **state) {
  tessera_solver *s = f4_solver(), *other = f4_solver();
  (void)state;
  const struct answer a = integrate(s), b = integrate(s), c = integrate(other);
  assert_int_equal(a.status, TESSERA_OK);
  assert_close(a.value, suite_find("f4_5d")->exact, 1e-6, 0);
  assert_same_answer(a, b);
  assert_same_answer(a, c);
  assert_same_bits(got_real(s, TESSERA_COMPILE_SECONDS), 0);
  tessera_destroy(s);
  tessera_destroy(other);
}

static void values_that_are_not_finite(void **state) {
  tessera_solver *s = solver_of(3, 1);
  (void)state;
  put_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return log(x[0] - 0.7); }", "f");
  put_int(s, TESSERA_DEVICE, device);
  const struct answer a = integrate(s);
  assert_true(a.status == TESSERA_NONFINITE || a.status == TESSERA_ERR_CALLBACK);
  assert_says(a.sentence, "nan at x = (0.");
  put_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return x[0]; }", "f"); /* and the solver lives on */
  assert_close(integrate(s).value, 0.5, 1e-12, 0);
  tessera_destroy(s);
}

static void an_error_in_the_text(void **state) {
  tessera_solver *s = solver_of(2, 1);
  (void)state;
  put_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) {\n  return y;\n}\n", "f");
  put_int(s, TESSERA_DEVICE, device);
  const struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_ERR_COMPILE);
  assert_says(a.sentence, "compile: integrand(2): error");
  assert_same_bits(a.value, -1e300);
  tessera_destroy(s);
}

static void forms_that_disagree(void **state) {
  tessera_solver *s = f4_solver();
  (void)state;
  put_point(s, suite_f5, NULL);
  const struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_ERR_CHECK);
  assert_says(a.sentence, "component 1 at x = (0.");
  put_point(s, suite_f4, NULL);
  assert_int_equal(integrate(s).status, TESSERA_OK);
  tessera_destroy(s);
}

static void limits_hold(void **state) {
  tessera_solver *s = f4_solver();
  (void)state;
  put_real(s, TESSERA_RELTOL, 1e-14);
  put_int(s, TESSERA_MAXEVAL, 5000000);
  const struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_LIMIT_EVALUATIONS);
  assert_true(a.evaluations <= 5000000);
  assert_at_most(fabs(a.value - suite_find("f4_5d")->exact), a.error);
  tessera_destroy(s);
}

static void a_gpu_if_there_is_one(void **state) {
  tessera_solver *s = f4_solver();
  (void)state;
  put_int(s, TESSERA_DEVICE, -2);
  assert_int_equal(integrate(s).status, TESSERA_OK);
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), device);
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_suite),
      cmocka_unit_test(many_regions),
      cmocka_unit_test(languages_in_c),
      cmocka_unit_test(three_components),
      cmocka_unit_test(infinite_ranges),
      cmocka_unit_test(twenty_variables),
      cmocka_unit_test(random_genz_instances),
      cmocka_unit_test(two_runs_give_the_same_bits),
      cmocka_unit_test(values_that_are_not_finite),
      cmocka_unit_test(an_error_in_the_text),
      cmocka_unit_test(forms_that_disagree),
      cmocka_unit_test(limits_hold),
      cmocka_unit_test(the_time_is_limited),
      cmocka_unit_test(the_memory_is_limited),
      cmocka_unit_test(a_gpu_if_there_is_one),
  };
  tessera_solver *s = NULL;
  double value, error;
  int status = tessera_create(&s, 1, 1);
  if (status == TESSERA_OK)
    status = tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return x[0]; }", "f");
  if (status == TESSERA_OK) status = tessera_set_int(s, TESSERA_DEVICE, device);
  if (status == TESSERA_OK) status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  if (status == TESSERA_ERR_NOT_BUILT) {
    printf("skipped: %s\n", tessera_last_error(s));
    tessera_destroy(s);
    return no_device_here();
  }
  tessera_destroy(s);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
