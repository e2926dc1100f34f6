/* The drop-in for QUADPACK beside the original: ten answers and 2300 random runs of the Fortran (data/make_quadpack.py).
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "close.h"
#include "quadpack_call.h"
#include "quadpack_integrands.h"

/* ---- Ten answers, of netlib's text with its corrections of October 2021 ----------------------------------------------------- */

static double log_over_root(const double *x) { return log(*x) / sqrt(*x); }
static double wave(const double *x) { return exp(*x) * cos(50 * *x); }
static double damped_wave(const double *x) { return exp(-*x) * cos(3 * *x); }
static double log_over_square(const double *x) { return log(*x) / (1 + 100 * *x * *x); }
static double two_logs(const double *x) { return *x * *x * *x * log(fabs((*x * *x - 1) * (*x * *x - 2))); }
static double logarithm(const double *x) { return *x > 0 ? log(*x) : 0; }
static double one_over_root(const double *x) { return *x > 0 ? 1 / sqrt(*x) : 0; }
static double log_inside(const double *x) {
  const double l = *x > 0 ? log(*x) : 0;
  return *x > 0 ? 1 / ((1 + l * l) * (1 + l * l)) : 0;
}
static double cubic(const double *x) { return 1 / (5 * *x * *x * *x + 6); }
static double inverse(const double *x) { return 1 / *x; }

static void ten_known_answers(void **state) {
  (void)state;
  const double pi = acos(-1.0);
  struct call c[10];
  const char *names[10] = {"dqags", "dqag", "dqng", "dqagi", "dqagp", "dqawo", "dqawf", "dqaws", "dqawc", "dqags"};
  const function f[10] = {log_over_root, wave,          damped_wave, log_over_square, two_logs,
                          logarithm,     one_over_root, log_inside,  cubic,           inverse};
  const double result[10] = {-4.000000000000085,   -0.0726535321527553, 0.09550612482063164, -0.3616892206208058,
                             52.74074838347256,    -0.1281368483991674, 0.9999999999279825,  -0.1892751877913658,
                             -0.08994400695771733, 76.33419970338545};
  const double abserr[10] = {1.35e-13, 4.46e-14, 3.53e-10, 2.04e-09, 1.31e-06,
                             6.88e-12, 1.56e-08, 1.21e-10, 3.66e-12, 9.35};
  const int neval[10] = {315, 183, 21, 465, 861, 305, 590, 480, 355, 4179};
  const int last[10] = {8, 2, -7, 16, 22, 9, 12, 13, 10, 100};
  c[0] = a_call(0, 1, 0, 1e-10);
  c[1] = a_call(0, 2, 0, 1e-9);
  c[1].key = 6;
  c[2] = a_call(0, 4, 1e-9, 0);
  c[3] = a_call(0, 0, 0, 1e-8);
  c[4] = a_call(0, 3, 0, 1e-6);
  c[4].npts2 = 4;
  c[4].points[0] = 1;
  c[4].points[1] = sqrt(2.0);
  c[5] = a_call(0, 1, 0, 1e-9);
  c[5].omega = 10 * pi;
  c[5].integr = 2;
  c[6] = a_call(0, 0, 1e-7, 0);
  c[6].omega = pi / 2;
  c[7] = a_call(0, 1, 0, 1e-9);
  c[7].integr = 2;
  c[8] = a_call(-1, 5, 0, 1e-9);
  c[9] = a_call(0, 1, 0, 1e-6);
  for (int i = 0; i < 10; ++i) {
    run(names[i], f[i], &c[i]);
    assert_int_equal(c[i].ier, i == 9 ? 1 : 0);
    assert_int_equal(c[i].neval, neval[i]);
    assert_int_equal(i == 6 ? c[i].lst : c[i].last, last[i]);
    assert_close(c[i].result, result[i], i == 9 ? 1e-12 : 1e-13, 0);
    /* The last digits of an error that is rounding itself are rounding, too. */
    assert_close(c[i].abserr, abserr[i], abserr[i] < 1e-12 ? 0.05 : 0.005, 0);
  }
}

/* ---- Random runs -------------------------------------------------------------------------------------------------------------- */

enum column { INTEGRAND, P, Q, R, A, B, X, Y, Z, EPSABS, EPSREL, LIMIT, RESULT, ABSERR, NEVAL, IER, LAST, COLUMNS };

static void run_row(const char *routine, const double *v, struct call *c) {
  char name[16];
  *c = a_call(v[A], v[B], v[EPSABS], v[EPSREL]);
  c->limit = (integer)v[LIMIT];
  c->maxp1 = 40;
  csv_integrand = (int)v[INTEGRAND];
  memcpy(csv_p, v + P, sizeof csv_p);
  csv_calls = 0;
  snprintf(name, sizeof name, "dq%.4s%s", routine, strcmp(routine, "ng") == 0 ? "" : "e");
  if (strcmp(routine, "ag") == 0) c->key = (integer)v[X];
  if (strcmp(routine, "agi") == 0) c->inf = (integer)v[X];
  if (strcmp(routine, "agp") == 0)
    for (int k = X; k <= Z; ++k)
      if (!isnan(v[k])) c->points[c->npts2++ - 2] = v[k];
  if (strncmp(routine, "awo", 3) == 0 || strncmp(routine, "awf", 3) == 0) {
    c->omega = v[X];
    c->integr = (integer)v[Y];
  }
  if (strcmp(routine, "aws") == 0) {
    c->alfa = v[X];
    c->beta = v[Y];
    c->integr = (integer)v[Z];
  }
  if (strcmp(routine, "awc") == 0) c->c = v[X];
  run(name, csv_function, c);
  if (strcmp(routine, "awf") == 0) c->last = c->lst;
  if (strcmp(routine, "ng") == 0) c->last = 0;
}

static void random_runs(void **state) {
  (void)state;
  FILE *file = fopen(QUADPACK_RUNS, "r");
  assert_non_null(file);
  char line[512];
  int rows = 0, other_ier = 0, other_neval = 0, other_last = 0, other_value = 0, weighted = 0, unweighted_differ = 0;
  while (fgets(line, sizeof line, file)) {
    if (line[0] == '#' || strncmp(line, "routine", 7) == 0) continue;
    char *at = strchr(line, ',');
    assert_non_null(at);
    *at++ = '\0';
    double v[COLUMNS];
    for (int k = 0; k < COLUMNS; ++k) v[k] = strtod(at, &at), ++at;
    struct call c;
    run_row(line, v, &c);
    ++rows;
    const int is_weighted = line[1] == 'w';
    weighted += is_weighted;
    assert_int_equal(c.neval, csv_calls);
    const int ier_differs = c.ier != (integer)v[IER], neval_differs = c.neval != (integer)v[NEVAL];
    other_ier += ier_differs;
    other_neval += neval_differs;
    other_last += c.last != (integer)v[LAST];
    if (!is_weighted) unweighted_differ += ier_differs || neval_differs;
    const double distance = fabs(c.result - v[RESULT]);
    /* What cancels has the scale of its errors. */
    if (!(distance <= 1e-13 * fabs(v[RESULT]) + 1e-6 * v[ABSERR])) ++other_value;
    if (c.ier == 0 && v[IER] == 0) assert_at_most(distance, c.abserr + v[ABSERR] + 1e-13 * fabs(v[RESULT]));
    if (ier_differs || neval_differs)
      print_message("%s of integrand %d: ier %d and %g, neval %d and %g\n", line, csv_integrand, (int)c.ier, v[IER],
                    (int)c.neval, v[NEVAL]);
  }
  fclose(file);
  print_message("%d runs: IER differs in %d, NEVAL in %d, LAST in %d, values in %d\n", rows, other_ier, other_neval,
                other_last, other_value);
  assert_true(rows >= 2300 && weighted >= 900);
  assert_at_most(other_ier, 0.002 * rows);
  assert_at_most(other_neval, 0.005 * rows);
  assert_at_most(other_last, 0.005 * rows);
  assert_at_most(other_value, 0.01 * rows);
  assert_at_most(unweighted_differ, 0.002 * rows);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ten_known_answers), cmocka_unit_test(random_runs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
