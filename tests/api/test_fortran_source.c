/* Integrands in Fortran on the host: the forms of a procedure, both forms of the text, files, and what is said of a text that is wrong. Skipped
 * without a Fortran compiler. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "files.h"
#include "solve.h"

static const double x[2] = {0.25, 0.75};

static void put_text(tessera_solver *s, int language, const char *text, const char *function) {
  assert_status(s, tessera_set_integrand_source(s, language, text, function), TESSERA_OK);
}

/* The value at x, of two variables. */
static double value_of(tessera_solver *s) {
  double f[2] = {0, 0};
  assert_status(s, tessera_evaluate(s, 1, x, f), TESSERA_OK);
  return f[0];
}

static void forms(void **state) {
  static const struct {
    const char *text, *function;
    int language;
  } all[] = {{"subroutine f(n, x, m, v)\ninteger n, m\ndouble precision x(n), v(m)\nv(1) = x(1) + n*x(2) + m\nend\n",
              "f", TESSERA_LANGUAGE_FORTRAN},
             {"C     fixed\n      DOUBLE PRECISION FUNCTION F(N, X)\n      DOUBLE PRECISION\n     &  X(N)\n      F = "
              "X(1) + 2*X(2) + 1\n      END\n",
              "F", TESSERA_LANGUAGE_FORTRAN_FIXED},
             {"module m\ncontains\nsubroutine f(x, v)\ndouble precision, intent(in) :: x(:)\ndouble precision, "
              "intent(out) :: v(:)\n"
              "v = x(1) + size(x)*x(2) + size(v)\nend subroutine\nend module\n",
              "m::f", TESSERA_LANGUAGE_FORTRAN},
             {"integer function f(n, x, m, v, p)\ninteger n, m\ndouble precision x(n), v(m), p(*)\nv(1) = x(1) + "
              "2*x(2) + p(1)\nf = 3\nend\n",
              "f", TESSERA_LANGUAGE_FORTRAN}};
  static const double one = 1;
  (void)state;
  for (int k = 0; k < 4; ++k) {
    tessera_solver *s = solver_of(2, 1);
    assert_status(s, tessera_set_params(s, &one, sizeof one), TESSERA_OK);
    put_text(s, all[k].language, all[k].text, all[k].function);
    assert_true(value_of(s) == 2.75);
    tessera_destroy(s);
  }
  tessera_solver *s = solver_of(1, 1); /* QUADPACK's form; an integral */
  double value, error;
  put_text(s, TESSERA_LANGUAGE_FORTRAN, "double precision function f(x)\ndouble precision x\nf = x**2\nend\n", "f");
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
  assert_at_most(fabs(value - 1.0 / 3), 1e-12);
  tessera_destroy(s);
}

/* The suffix says the form; INCLUDE finds the file beside. */
static void files(void **state) {
  (void)state;
  put_file("scale.inc", "      SCALE = 4\n");
  const char *const mine = put_file("mine.f",
                                    "      DOUBLE PRECISION FUNCTION MINE(N, X)\n      DOUBLE PRECISION X(N), SCALE\n  "
                                    "    INCLUDE 'scale.inc'\n      MINE = SCALE*X(1)\n      END\n");
  tessera_solver *s = solver_of(2, 1);
  assert_status(s, tessera_set_integrand_file(s, TESSERA_LANGUAGE_FORTRAN, mine, "mine"), TESSERA_OK);
  assert_true(value_of(s) == 1);
  put_file("scale.inc", "      SCALE = 8\n"); /* what was there when the text was given counts */
  assert_true(value_of(s) == 1);
  assert_status(s, tessera_set_integrand_file(s, TESSERA_LANGUAGE_FORTRAN, mine, "mine"), TESSERA_OK);
  assert_true(value_of(s) == 2);
  tessera_destroy(s);
}

static void mistakes(void **state) {
  static const struct {
    const char *text, *function, *sentence;
  } all[] = {{"function g(x)\nend\n", "f", "the text defines no procedure 'f'; it has 'g'"},
             {"subroutine f(a, b, c)\nend\n", "f", "is a subroutine of 3 arguments; an integrand is"},
             {"double precision function f(n, x)\nimplicit none\ninteger n\ndouble precision x(n)\nf = y\nend\n", "f",
              "integrand(5): error: Symbol"},
             {"double precision function f(n, x)\ndouble precision x(n), g\nf = g(x)\nend\n", "f",
              "'g_' is used but not defined"},
             {"", "f", "is empty"}};
  (void)state;
  for (int k = 0; k < 5; ++k) {
    tessera_solver *s = solver_of(2, 1);
    double f;
    put_text(s, TESSERA_LANGUAGE_FORTRAN, all[k].text, all[k].function);
    assert_status(s, tessera_evaluate(s, 1, x, &f), TESSERA_ERR_COMPILE);
    assert_says(tessera_last_error(s), all[k].sentence);
    tessera_destroy(s);
  }
  tessera_solver *s = solver_of(2, 1);
  assert_status(s, tessera_set_limits_source(s, 0, TESSERA_LANGUAGE_FORTRAN, "", "f"), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "language is Fortran, which has no form for limits");
  tessera_destroy(s);
}

/* STOP leaves the integrand, not the program; Cuba's -999 stops the run. */
static void stops(void **state) {
  (void)state;
  tessera_solver *s = solver_of(2, 1);
  double f;
  put_text(s, TESSERA_LANGUAGE_FORTRAN,
           "double precision function f(n, x)\ndouble precision x(n)\nif (x(1) < 1) stop 3\nf = 1\nend\n", "f");
  assert_status(s, tessera_evaluate(s, 1, x, &f), TESSERA_ERR_CALLBACK);
  put_text(s, TESSERA_LANGUAGE_FORTRAN,
           "integer function f(n, x, m, v)\ndouble precision x(n), v(m)\nv = 1\nf = -999\nend\n", "f");
  assert_status(s, tessera_evaluate(s, 1, x, &f), TESSERA_ERR_CALLBACK);
  tessera_destroy(s);
}

int main(void) {
  if (system("gfortran --version > /dev/null 2>&1") != 0) {
    printf("skipped: there is no gfortran\n");
    return 77;
  }
  const struct CMUnitTest all[] = {cmocka_unit_test(forms), cmocka_unit_test(files), cmocka_unit_test(mistakes),
                                   cmocka_unit_test(stops)};
  open_test_directory();
  const int failed = cmocka_run_group_tests(all, NULL, NULL);
  close_test_directory();
  return failed;
}
