/* The time limit holds for compiling and comparing too: what takes too long is ended, with all that it has started and left on disk.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include "files.h"
#include "skip.h"
#include "solve.h"

/* Hours for the compiler: 2^40 classes, 2^40 statements. */
static const char slow_cxx[] =
    "template <int n, long k> struct tree { static const int sum = tree<n - 1, 2 * k>::sum + tree<n - 1, 2 * k + "
    "1>::sum; };\n"
    "template <long k> struct tree<0, k> { static const int sum = 1; };\n"
    "double f(const double *x) { return x[0] * tree<40, 0>::sum; }\n";
static const char slow_c[] =
    "#define A0 v[0] += x[0];\n"
    "#define A1(a) a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a\n"
    "#define A2 A1(A0)\n#define A3(a) A1(a)\n#define A4(a) A3(A1(a))\n#define A5(a) A4(A1(a))\n#define A6(a) "
    "A5(A1(a))\n"
    "int f(int n, const double *x, int m, double *v, void *p) {\n  v[0] = 0;\n  A6(A6(A2))\n  return 0;\n}\n";
static const char endless_c[] =
    "int f(int n, const double *x, int m, double *v, void *p) {\n"
    "  for (volatile int i = 0; i == 0;) {}\n  v[0] = 1;\n  return 0;\n}\n";

static int calls;
static int one(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp, (void)userdata;
  ++calls;
  f[0] = 1;
  return 0;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Neither files nor processes. */
static void assert_nothing_left(void) {
  DIR *directory = opendir(getenv("TMPDIR"));
  assert_non_null(directory);
  for (const struct dirent *e; (e = readdir(directory)) != NULL;)
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) fail_msg("%s is left", e->d_name);
  closedir(directory);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  assert_int_equal(errno, ECHILD);
}

static tessera_solver *limited(int language, const char *text, double seconds) {
  tessera_solver *s = solver_of(2, 1);
  assert_status(s, tessera_set_integrand_source(s, language, text, "f"), TESSERA_OK);
  put_int(s, TESSERA_DISK_CACHE, 0);
  put_real(s, TESSERA_MAX_SECONDS, seconds);
  return s;
}

static const struct slow {
  int language;
  const char *text;
} slow[] = {{TESSERA_LANGUAGE_CUDA, slow_cxx}, {TESSERA_LANGUAGE_C, slow_c}};

static void compiling_is_ended(void **state) {
  (void)state;
  for (int i = 0; i < 2; ++i) {
    tessera_solver *s = limited(slow[i].language, slow[i].text, 0.5);
    const double start = now();
    const struct answer a = integrate(s);
    if (a.status == TESSERA_ERR_NOT_BUILT) skip();
    assert_at_most(now() - start, 1.5);
    if (a.status != TESSERA_LIMIT_TIME) print_message("%s\n", a.sentence);
    assert_int_equal(a.status, TESSERA_LIMIT_TIME);
    assert_says(a.sentence, "TESSERA_MAX_SECONDS, was reached while the source text 'f' was compiled");
    assert_true(isnan(a.value) && isinf(a.error));
    assert_int_equal(a.evaluations, 0);
    assert_true(got_real(s, TESSERA_COMPILE_SECONDS) >= 0.5);
    assert_nothing_left();

    double value[3], error[3];
    int status[3];
    assert_status(s, tessera_integrate_many(s, TESSERA_CUBATURE, 3, NULL, 0, NULL, NULL, value, error, status),
                  TESSERA_LIMIT_TIME);
    assert_says(tessera_last_error(s), "was compiled");
    for (int k = 0; k < 3; ++k) {
      assert_int_equal(status[k], TESSERA_LIMIT_TIME);
      assert_true(isnan(value[k]) && isinf(error[k]));
    }
    assert_nothing_left();

    /* A text that the compiler can do, in the same solver. */
    put_real(s, TESSERA_MAX_SECONDS, 100);
    assert_status(
        s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, "double g(const double *x) { return x[0]; }", "g"),
        TESSERA_OK);
    assert_close(integrate(s).value, 0.5, 1e-12, 0);
    assert_nothing_left();
    tessera_destroy(s);
  }
}

/* With TESSERA_DEVICE_ANY a device would have the texts. */
static int there_is_a_device(void) {
  tessera_solver *s = solver_of(1, 1);
  assert_status(
      s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return x[0]; }", "f"),
      TESSERA_OK);
  return !lacks_device(s, 0);
}

/* With a callback, which is what runs, the comparison is left to a run that has the time; of a value there is what the clock allows. Not where
 * there is a device, for nothing ends a kernel. */
static void a_comparison_is_ended(void **state) {
  const struct slow all[] = {slow[0], {TESSERA_LANGUAGE_C, endless_c}};
  (void)state;
  if (there_is_a_device()) skip();
  for (int i = 0; i < 2; ++i)
    for (int many = 0; many < 2; ++many) {
      tessera_solver *s = limited(all[i].language, all[i].text, 0.5);
      put_point(s, one, NULL);
      put_int(s, TESSERA_DEVICE, TESSERA_DEVICE_ANY);
      double value = 0, error = 0;
      int status = TESSERA_LIMIT_TIME;
      const double start = now();
      const int end = many
                          ? tessera_integrate_many(s, TESSERA_CUBATURE, 1, NULL, 0, NULL, NULL, &value, &error, &status)
                          : tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
      if (end == TESSERA_OK) skip(); /* no compiler */
      assert_at_most(now() - start, 2.5);
      assert_status(s, end, TESSERA_LIMIT_TIME);
      if (!isnan(value)) assert_close(value, 1, 1e-12, 0);
      assert_nothing_left();
      assert_status(s,
                    tessera_set_integrand_source(s, TESSERA_LANGUAGE_C,
                                                 "int f(int n, const double *x, int m, double *v, void *p) {\n"
                                                 "  v[0] = 2;\n  return 0;\n}\n",
                                                 "f"),
                    TESSERA_OK);
      put_real(s, TESSERA_MAX_SECONDS, 0);
      assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_ERR_CHECK);
      tessera_destroy(s);
    }
}

/* A text that breaks down beside a callback takes nothing with it. The callback is called here, not in the child. Not where there is a device:
 * the first of them ends its context for the process. */
static void a_text_that_breaks_down(void **state) {
  static const struct {
    const char *body, *word;
  } texts[] = {{"v[0] = *(volatile double *)p;", "signal 11"},
               {"abort();", "signal 6"},
               {"exit(0);", "ended the process"},
               {"v[0] = 1; if (x[0] > 0.5) v[0] = *(volatile double *)p;", "at x = ("},
               {"v[0] = 1; printf(\"lost\\n\"); return 3;", "asked to stop"}};
  (void)state;
  if (there_is_a_device()) skip();
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    char text[512];
    double value = -7, error = -8;
    snprintf(text, sizeof text,
             "#include <stdio.h>\n#include <stdlib.h>\n"
             "int f(int n, const double *x, int m, double *v, void *p) {\n  %s\n  return 0;\n}\n",
             texts[i].body);
    tessera_solver *s = limited(TESSERA_LANGUAGE_C, text, 0);
    put_point(s, one, NULL);
    put_int(s, TESSERA_DEVICE, TESSERA_DEVICE_ANY);
    calls = 0;
    const int end = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
    if (end == TESSERA_OK) skip(); /* no compiler */
    assert_status(s, end, i == 4 ? TESSERA_ERR_CALLBACK : TESSERA_ERR_CHECK);
    assert_says(tessera_last_error(s), texts[i].word);
    if (i < 4) assert_says(tessera_last_error(s), "it has no parameter block");
    assert_same_bits(value, -7);
    assert_int_equal(calls, 0);
    /* With a block nothing breaks down, and all calls of the callback are the program's own. */
    if (i == 0) {
      const double block = 1;
      assert_status(s, tessera_set_params(s, &block, sizeof block), TESSERA_OK);
      assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
      assert_int_equal(calls, 64 + got_int(s, TESSERA_EVALUATIONS));
    }
    tessera_destroy(s);
  }
  assert_nothing_left();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(compiling_is_ended), cmocka_unit_test(a_comparison_is_ended),
                                     cmocka_unit_test(a_text_that_breaks_down)};
  open_test_directory();
  setenv("TMPDIR", put_directory("tmp"), 1);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  close_test_directory();
  return failed;
}
