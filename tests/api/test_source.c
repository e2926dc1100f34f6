/* Integrands as source text, on the host, and what is said where there is no device.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "solve.h"

/* The same integrand as a callback and in the three languages. The parameter block holds one number. */
static int bell(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double a = *(const double *)userdata;
  double s = 0;
  (void)ncomp;
  for (int i = 0; i < ndim; ++i) s += x[i] * x[i];
  f[0] = exp(-a * s);
  f[1] = s / (1 + a);
  return 0;
}

static const char bell_cuda[] =
    "struct shape { double a; };\n"
    "__device__ void bell(const double *x, double *f, const shape *p) {\n"
    "  double s = 0;\n"
    "  for (int i = 0; i < TESSERA_NDIM; ++i) s += x[i] * x[i];\n"
    "  f[0] = exp(-p->a * s);\n"
    "  f[1] = s / (1 + p->a);\n"
    "}\n";

static const char bell_c[] =
    "#include <math.h>\n"
    "int bell(int ndim, const double *x, int ncomp, double *f, void *userdata) {\n"
    "  const double a = *(const double *)userdata;\n"
    "  double s = 0;\n"
    "  for (int i = 0; i < ndim; ++i) s += x[i] * x[i];\n"
    "  f[0] = exp(-a * s);\n"
    "  f[1] = s / (1 + a);\n"
    "  return 0;\n"
    "}\n";

static const char bell_cuba[] =
    "#include <math.h>\n"
    "#include \"cuba.h\"\n"
    "static int bell(const int *ndim, const cubareal x[], const int *ncomp, cubareal f[], void *userdata) {\n"
    "  const double a = *(const double *)userdata;\n"
    "  double s = 0;\n"
    "  int i;\n"
    "  for (i = 0; i < *ndim; ++i) s += x[i] * x[i];\n"
    "  f[0] = exp(-a * s);\n"
    "  f[1] = s / (1 + a);\n"
    "  return 0;\n"
    "}\n";

static const struct text {
  int language;
  const char *source;
} texts[] = {{TESSERA_LANGUAGE_CUDA, bell_cuda}, {TESSERA_LANGUAGE_C, bell_c}, {TESSERA_LANGUAGE_CUBA, bell_cuba}};
enum { text_count = sizeof texts / sizeof texts[0], nowhere = 1023 /* a device that no machine has */ };

static void put_source(tessera_solver *s, int language, const char *source, const char *function) {
  assert_status(s, tessera_set_integrand_source(s, language, source, function), TESSERA_OK);
}

static tessera_solver *bell_solver(void) {
  const double a = 0.75;
  tessera_solver *s = solver_of(3, 2);
  assert_status(s, tessera_set_params(s, &a, sizeof a), TESSERA_OK);
  put_cube(s, 3, -1, 2);
  return s;
}

/* Refused: the status, the word in the sentence, the outputs as they were. */
static void assert_refused(tessera_solver *s, int status, const char *word) {
  double value[2] = {-7, -8}, error[2] = {-9, -10};
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), status);
  assert_says(tessera_last_error(s), word);
  assert_same_bits(value[0], -7);
  assert_same_bits(value[1], -8);
  assert_same_bits(error[0], -9);
  assert_same_bits(error[1], -10);
}

/* ---- Values -------------------------------------------------------------------------------------------------------------- */
static void a_text_gives_what_the_callback_gives(void **state) {
  (void)state;
  for (int t = 0; t < text_count; ++t) {
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      double value[2], error[2], expected[2], expected_error[2];
      tessera_solver *s = bell_solver();
      put_int(s, TESSERA_SELECTION, selection);
      put_point(s, bell, NULL);
      assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, expected, expected_error), TESSERA_OK);
      assert_same_bits(got_real(s, TESSERA_COMPILE_SECONDS), 0);
      const int64_t evaluations = got_int(s, TESSERA_EVALUATIONS);
      put_point(s, NULL, NULL);
      put_source(s, texts[t].language, texts[t].source, "bell");
      put_int(s, TESSERA_THREADS, 2);
      assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
      assert_true(got_real(s, TESSERA_COMPILE_SECONDS) > 0);
      assert_int_equal(got_int(s, TESSERA_DEVICE_USED), -1);
      assert_int_equal(got_int(s, TESSERA_EVALUATIONS), evaluations);
      for (int k = 0; k < 2; ++k) {
        assert_close(value[k], expected[k], 1e-13, 0);
        assert_close(error[k], expected_error[k], 1e-6, 1e-14);
      }
      assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
      assert_same_bits(got_real(s, TESSERA_COMPILE_SECONDS), 0);
      tessera_destroy(s);
    }
  }
}

/* Code that is still open serves the next solver, but not with what the text itself has counted. */
static void a_text_begins_anew_in_each_solver(void **state) {
  (void)state;
  const char *counting = "double f(const double *x) { static int calls; return ++calls + 0 * x[0]; }";
  const char *plain = "double f(const double *x) { return 3 + x[0]; }";
  for (int turn = 0; turn < 3; ++turn) {
    const double x = 0;
    double f;
    tessera_solver *s = solver_of(1, 1), *other = solver_of(1, 1);
    for (double call = 1; call < 3; ++call) {
      put_source(s, TESSERA_LANGUAGE_C, counting, "f");
      assert_status(s, tessera_evaluate(s, 1, &x, &f), TESSERA_OK);
      assert_same_bits(f, 1);
      assert_status(s, tessera_evaluate(s, 1, &x, &f), TESSERA_OK);
      assert_same_bits(f, 2);
      put_source(other, TESSERA_LANGUAGE_C, plain, "f");
      assert_status(other, tessera_evaluate(other, 1, &x, &f), TESSERA_OK);
      assert_same_bits(f, 3);
    }
    tessera_destroy(s);
    assert_status(other, tessera_evaluate(other, 1, &x, &f), TESSERA_OK);
    assert_same_bits(f, 3);
    tessera_destroy(other);
  }
}

static void a_scalar_text_on_an_infinite_range(void **state) {
  const double lower[2] = {-INFINITY, 0}, upper[2] = {INFINITY, INFINITY};
  tessera_solver *s = solver_of(2, 1);
  (void)state;
  assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
  put_source(s, TESSERA_LANGUAGE_CUDA, "double g(const double *x) { return exp(-x[0]*x[0] - x[1]); }", "g");
  put_int(s, TESSERA_DISK_CACHE, 0);
  const struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_OK);
  assert_close(a.value, 1.7724538509055160273, 1e-6, 0);
  tessera_destroy(s);
}

static void a_text_can_be_replaced_and_taken_away(void **state) {
  tessera_solver *s = solver_of(2, 1);
  (void)state;
  put_source(s, TESSERA_LANGUAGE_CUDA,
             "double one(const double *) { return 1; } double two(const double *) { return 2; }", "one");
  assert_close(integrate(s).value, 1, 1e-14, 0);
  put_source(s, TESSERA_LANGUAGE_CUDA,
             "double one(const double *) { return 1; } double two(const double *) { return 2; }", "two");
  assert_close(integrate(s).value, 2, 1e-14, 0);
  put_source(s, 0, NULL, NULL);
  assert_int_equal(integrate(s).status, TESSERA_ERR_NO_INTEGRAND);
  tessera_destroy(s);
}

static void the_callback_runs_on_the_host_where_there_are_both(void **state) {
  double value[2], error[2];
  tessera_solver *s = bell_solver();
  (void)state;
  put_point(s, bell, NULL);
  put_source(s, TESSERA_LANGUAGE_C, "this is no C", "bell"); /* never compiled */
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  tessera_destroy(s);
}

static void a_text_can_stop_the_run(void **state) {
  tessera_solver *s = solver_of(2, 1);
  (void)state;
  put_source(s, TESSERA_LANGUAGE_C,
             "int f(int n, const double *x, int m, double *v, void *p) { v[0] = 1; return x[0] > 0.9 ? 17 : 0; }", "f");
  assert_int_equal(integrate(s).status, TESSERA_ERR_CALLBACK);
  assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 17);
  tessera_destroy(s);
}

static void a_text_that_writes_its_static_variables_runs_on_one_thread(void **state) {
  tessera_solver *s = solver_of(2, 1);
  (void)state;
  put_source(s, TESSERA_LANGUAGE_C,
             "static double kept;\n"
             "int f(int n, const double *x, int m, double *v, void *p) { kept = x[0]; v[0] = kept; return 0; }",
             "f");
  put_int(s, TESSERA_THREADS, 4);
  assert_close(integrate(s).value, 0.5, 1e-12, 0);
  assert_int_equal(got_int(s, TESSERA_THREADS_USED), 1);
  tessera_destroy(s);
}

/* ---- What is refused ------------------------------------------------------------------------------------------------------ */
static void a_compile_error_names_the_line(void **state) {
  tessera_solver *s = solver_of(2, 2);
  (void)state;
  put_source(s, TESSERA_LANGUAGE_CUDA, "// first\n\nvoid f(const double *x, double *v) { v[0] = x[0] + wrong; }\n",
             "f");
  assert_refused(s, TESSERA_ERR_COMPILE, "compile: integrand(3): error:");
  assert_says(tessera_last_error(s), "wrong");
  put_source(s, TESSERA_LANGUAGE_C,
             "int f(int n, const double *x, int m, double *v, void *p) {\n  v[0] = nothing;\n  return 0;\n}\n", "f");
  assert_refused(s, TESSERA_ERR_COMPILE, "integrand(2)");
  put_source(s, TESSERA_LANGUAGE_C, "int f(int n, const double *x, int m) { return n; }\n", "f");
  assert_refused(s, TESSERA_ERR_COMPILE, "translate: integrand(1): error:");
  put_source(s, TESSERA_LANGUAGE_CUDA, "double g(const double *x) { return 1; }\n", "f");
  assert_refused(s, TESSERA_ERR_COMPILE, "'f'");
  tessera_destroy(s);
}

/* The language says how the function is called; one of another form would be given addresses for numbers. */
static void a_function_of_another_form_is_refused(void **state) {
  (void)state;
  const char *const point =
      "int f(int n, const double *x, int m, double *v, void *p) { (void)n; (void)p; "
      "for (int k = 0; k < m; ++k) v[k] = x[0]; return 0; }";
  const char *const cuba =
      "int f(const int *n, const double x[], const int *m, double v[], void *p) { (void)n; (void)p; "
      "for (int k = 0; k < *m; ++k) v[k] = x[0]; return 0; }";
  const char *const floats =
      "int f(int n, const float *x, int m, float *v, void *p) { (void)n; (void)p; "
      "for (int k = 0; k < m; ++k) v[k] = x[0]; return 0; }";
  double value = -7, error = -7;
  tessera_solver *s = solver_of(2, 1);
  put_source(s, TESSERA_LANGUAGE_CUBA, point, "f");
  assert_refused(s, TESSERA_ERR_COMPILE, "argument");
  put_source(s, TESSERA_LANGUAGE_C, cuba, "f");
  assert_refused(s, TESSERA_ERR_COMPILE, "argument");
  put_source(s, TESSERA_LANGUAGE_C, floats, "f");
  assert_refused(s, TESSERA_ERR_COMPILE, "argument");
  put_source(s, TESSERA_LANGUAGE_CUBA, cuba, "f");
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
  tessera_destroy(s);
}

static void wrong_arguments(void **state) {
  tessera_solver *s = solver_of(1, 1);
  const char *text = "double f(const double *x) { return x[0]; }";
  static const int languages[] = {INT32_MIN, -1, 0, 6, 7, 100, INT32_MAX};
  (void)state;
  assert_int_equal(tessera_set_integrand_source(NULL, TESSERA_LANGUAGE_CUDA, text, "f"), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, NULL), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "function");
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, ""), TESSERA_ERR_ARGUMENT);
  for (size_t i = 0; i < sizeof languages / sizeof languages[0]; ++i) {
    assert_status(s, tessera_set_integrand_source(s, languages[i], text, "f"), TESSERA_ERR_ARGUMENT);
    assert_says(tessera_last_error(s), "language");
  }
  assert_int_equal(integrate(s).status, TESSERA_ERR_NO_INTEGRAND);
  put_source(s, TESSERA_LANGUAGE_CUDA, text, "f");
  assert_status(s, tessera_set_integrand_source(s, 9, text, "f"), TESSERA_ERR_ARGUMENT); /* the old text stays */
  assert_close(integrate(s).value, 0.5, 1e-13, 0);
  assert_status(s, tessera_set_int(s, TESSERA_DEVICE, -3), TESSERA_ERR_RANGE);
  assert_status(s, tessera_set_int(s, TESSERA_DEVICE, 1024), TESSERA_ERR_RANGE);
  assert_status(s, tessera_set_int(s, TESSERA_DISK_CACHE, 2), TESSERA_ERR_RANGE);
  assert_int_equal(got_int(s, TESSERA_DEVICE), -1);
  assert_int_equal(got_int(s, TESSERA_DISK_CACHE), 1);
  tessera_destroy(s);
}

/* ---- Devices -------------------------------------------------------------------------------------------------------------- */
static void a_device_that_is_not_there(void **state) {
  double value[2], error[2];
  tessera_solver *s = bell_solver();
  (void)state;
  put_int(s, TESSERA_DEVICE, nowhere);
  assert_refused(s, TESSERA_ERR_NO_INTEGRAND, "no integrand");
  put_point(s, bell, NULL);
  assert_refused(s, TESSERA_ERR_NO_INTEGRAND, "tessera_set_integrand_source");
  put_source(s, TESSERA_LANGUAGE_CUDA, bell_cuda, "bell");
  assert_refused(s, TESSERA_ERR_NOT_BUILT, "");
  assert_true(strlen(tessera_last_error(s)) > 20);
  put_int(s, TESSERA_DEVICE, -1);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  tessera_destroy(s);
}

static void the_device_has_a_greatest_dimension(void **state) {
  tessera_solver *s = solver_of(33, 1);
  (void)state;
  put_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return x[32]; }", "f");
  put_int(s, TESSERA_NDIM_LIMIT, 64);
  put_int(s, TESSERA_DEVICE, nowhere);
  assert_refused(s, TESSERA_ERR_UNSUPPORTED, "ndim = 33");
  put_int(s, TESSERA_DEVICE, -2); /* the host, then */
  put_int(s, TESSERA_MAXEVAL, 1);
  assert_true(integrate(s).status >= 0);
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), -1);
  tessera_destroy(s);
}

static void a_device_if_there_is_one_else_the_host(void **state) {
  double value[2], error[2], expected[2], expected_error[2];
  tessera_solver *s = bell_solver();
  (void)state;
  put_point(s, bell, NULL);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, expected, expected_error), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, -2);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK); /* a callback: the host */
  assert_same_bits(value[0], expected[0]);
  for (int callback = 1; callback >= 0; --callback) {
    if (!callback) put_point(s, NULL, NULL);
    for (int t = 0; t < text_count; ++t) {
      put_source(s, texts[t].language, texts[t].source, "bell");
      assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
      for (int k = 0; k < 2; ++k) assert_at_most(fabs(value[k] - expected[k]), error[k] + expected_error[k]);
    }
  }
  tessera_destroy(s);
}

/* ---- The self-check: with device -2 it is made on the host too --------------------------------------------------------------- */
static int line(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)userdata;
  f[0] = x[0];
  for (int k = 1; k < ncomp; ++k) f[k] = 1e6 * x[0];
  return 0;
}

static void forms_that_disagree_are_refused(void **state) {
  tessera_solver *s = solver_of(2, 2);
  (void)state;
  put_point(s, line, NULL);
  put_source(s, TESSERA_LANGUAGE_CUDA,
             "void f(const double *x, double *v) { v[0] = x[0] * (1 + 3e-6); v[1] = 1e6 * x[0]; }", "f");
  put_int(s, TESSERA_DEVICE, -2);
  for (int again = 0; again < 2; ++again) {
    assert_refused(s, TESSERA_ERR_CHECK, "component 1 at x = (0.");
    assert_says(tessera_last_error(s), "by the callback");
    assert_says(tessera_last_error(s), "by the text");
  }
  put_source(s, TESSERA_LANGUAGE_CUDA, "void f(const double *x, double *v) { v[0] = x[0]; v[1] = log(-1.0); }", "f");
  assert_refused(s, TESSERA_ERR_CHECK, "component 2");
  double value[2], error[2];
  put_source(s, TESSERA_LANGUAGE_CUDA,
             "void f(const double *x, double *v) { v[0] = x[0] * (1 + 3e-8); v[1] = 1e6 * x[0]; }", "f");
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, -1); /* the callback runs, and nothing is compared */
  put_source(s, TESSERA_LANGUAGE_CUDA, "void f(const double *x, double *v) { v[0] = v[1] = 7; }", "f");
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  tessera_destroy(s);
}

static int calls;
static int counting(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                    void *userdata) {
  (void)ndim, (void)ldx, (void)ncomp, (void)ldf, (void)userdata;
  if (n > 10) return 5;
  for (int64_t i = 0; i < n; ++i) f[i] = 1 / (1 + fabs(x[i]));
  ++calls;
  return 0;
}

static void the_check_keeps_to_the_batch_and_to_infinite_ranges(void **state) {
  const double lower = 0, upper = INFINITY;
  tessera_solver *s = solver_of(1, 1);
  (void)state;
  assert_status(s, tessera_set_domain(s, &lower, &upper), TESSERA_OK);
  put_batch(s, counting, NULL);
  put_int(s, TESSERA_BATCH_POINTS, 10);
  put_int(s, TESSERA_DEVICE, -2);
  put_int(s, TESSERA_MAXEVAL, 1);
  put_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return 1 / (1.001 + fabs(x[0])); }", "f");
  calls = 0;
  assert_int_equal(integrate(s).status, TESSERA_ERR_CHECK);
  assert_int_equal(calls, 7);
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_text_gives_what_the_callback_gives),
      cmocka_unit_test(a_text_begins_anew_in_each_solver),
      cmocka_unit_test(a_scalar_text_on_an_infinite_range),
      cmocka_unit_test(a_text_can_be_replaced_and_taken_away),
      cmocka_unit_test(the_callback_runs_on_the_host_where_there_are_both),
      cmocka_unit_test(a_text_can_stop_the_run),
      cmocka_unit_test(a_text_that_writes_its_static_variables_runs_on_one_thread),
      cmocka_unit_test(a_compile_error_names_the_line),
      cmocka_unit_test(a_function_of_another_form_is_refused),
      cmocka_unit_test(wrong_arguments),
      cmocka_unit_test(a_device_that_is_not_there),
      cmocka_unit_test(the_device_has_a_greatest_dimension),
      cmocka_unit_test(a_device_if_there_is_one_else_the_host),
      cmocka_unit_test(forms_that_disagree_are_refused),
      cmocka_unit_test(the_check_keeps_to_the_batch_and_to_infinite_ranges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
