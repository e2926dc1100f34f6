/* The integrands of outside_integrand.c beside their formulas written down plainly, and the judgement of a run.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "cases.h"
#include "outside.h"
#include "solve.h"

enum { points = 1000 };

static struct outside_instance instance_of(const char *name, uint64_t seed) {
  const struct outside_problem *p = outside_find(name);
  struct outside_instance t;
  assert_non_null(p);
  memset(&t, 0, sizeof t);
  p->make(p->ndim, seed, &t);
  return t;
}

/* Somewhere in the middle fifth of the domain. */
static void somewhere(int ndim, const struct outside_instance *t, uint64_t *state, double *x) {
  for (int j = 0; j < ndim; ++j)
    x[j] = t->lower[j] + (t->upper[j] - t->lower[j]) * (0.4 + 0.2 * splitmix_uniform(state));
}

static const double observations[9][5] = {{0.151754965, 1.085632419, 0.591451482, -0.068423422, -0.378073973},
                                          {-0.638321684, 0.186636475, -0.009514517, 0.495339037, 0.261643198},
                                          {2.833250710, 1.098441287, -0.476050335, -0.383252862, 1.128895153},
                                          {0.041946195, 0.174042986, -0.581710481, 0.447193674, -0.071116204},
                                          {-0.616061349, -0.513835377, -1.321292735, 0.043171116, 0.072504593},
                                          {-0.816614843, 0.934854744, -0.156455228, -0.172299695, -0.174379640},
                                          {-0.878534226, 0.028068692, -0.110434509, -1.193255325, 0.973952349},
                                          {-0.610598648, -0.548582027, -0.544598812, -0.402896237, -1.299835892},
                                          {0.289558508, 0.755147497, -0.149990572, 0.746211189, -3.006485474}};

static void linear_model(void **state) {
  const double pi = 3.14159265358979323846;
  const struct outside_instance t = instance_of("linear", 1);
  uint64_t seed = 1;
  (void)state;
  for (int n = 0; n < points; ++n) {
    double x[10], f[5];
    somewhere(10, &t, &seed, x);
    outside_linear(10, x, 5, f, NULL);
    double log_density = -45 * x[9];
    for (int i = 0; i < 9; ++i)
      for (int j = 0; j < 5; ++j) {
        const double z = (observations[i][j] + (i == 0 ? 1.8 : 0) - x[i]) / exp(x[9]);
        log_density += log(tgamma(2) / (tgamma(1.5) * sqrt(pi)) * pow(1 + z * z, -2));
      }
    const double density = exp(log_density), weight[5] = {1, x[0], x[1], x[9], x[0] * x[0]};
    for (int k = 0; k < 5; ++k) assert_close(f[k], weight[k] * density, 1e-11, 0);
  }
}

static void softmax(double a, double b, double *p) {
  const double s = exp(a) + exp(b) + 1;
  p[0] = exp(a) / s;
  p[1] = exp(b) / s;
  p[2] = 1 / s;
}

static void contingency_table(void **state) {
  static const int count[3][3] = {{43, 16, 3}, {6, 11, 10}, {9, 18, 16}};
  const struct outside_instance t = instance_of("contingency", 1);
  uint64_t seed = 2;
  (void)state;
  for (int n = 0; n < points; ++n) {
    double x[9], f[3], a[4][3];
    somewhere(9, &t, &seed, x);
    outside_contingency(9, x, 3, f, NULL);
    const double h = exp(x[0]) / (2 + 2 * exp(x[0]));
    double log_density = log(h * (1 - 2 * h)); /* dh/dx0 */
    for (int k = 0; k < 4; ++k) {
      softmax(x[2 * k + 1], x[2 * k + 2], a[k]);
      log_density += log(a[k][0] * a[k][1] * a[k][2]);
    }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) log_density += count[i][j] * log(h * a[0][i] * a[2][j] + (1 - h) * a[1][i] * a[3][j]);
    for (int k = 0; k < 3; ++k) assert_close(f[k], exp(log_density) * pow(h, k), 1e-11, 0);
  }
}

/* Exact values that something else knows. */
static void exact_values(void **state) {
  struct outside_instance t;
  (void)state;
  assert_close(instance_of("f4_8d", 1).exact[0], suite_find("f4_8d")->exact, 1e-15, 0);
  memset(&t, 0, sizeof t);
  outside_find("differences5")->make(2, 1, &t);
  assert_close(t.exact[0], 1.0 / 3, 1e-15, 0);
  assert_close(instance_of("bell9", 1).exact[0], 3.906694108670969439e-15, 1e-14, 0);
  for (int i = 0; i < outside_problem_count; ++i) /* a seed is an instance */
    for (uint64_t seed = 1; seed <= 2; ++seed) {
      const struct outside_instance a = instance_of(outside_problems[i].name, seed);
      const struct outside_instance b = instance_of(outside_problems[i].name, 3 - seed);
      assert_int_equal(memcmp(&a.params, &b.params, sizeof a.params) != 0, outside_problems[i].instances > 1);
    }
}

static struct outside_result judged(int status, double value, double error) {
  static const double exact = 2;
  struct outside_result r;
  memset(&r, 0, sizeof r);
  r.status = status;
  r.value[0] = value;
  r.error[0] = error;
  outside_judge(1, &exact, 1e-3, &r);
  return r;
}

static void judgement(void **state) {
  (void)state;
  assert_string_equal(judged(TESSERA_OK, 2.001, 0.0015).verdict, "right");
  assert_string_equal(judged(TESSERA_OK, 2, 0).verdict, "right");
  assert_string_equal(judged(TESSERA_OK, 2.003, 0.004).verdict, "FALSE SUCCESS");
  assert_string_equal(judged(TESSERA_OK, 0, 0).verdict, "FALSE SUCCESS");
  assert_string_equal(judged(TESSERA_OK, NAN, 0).verdict, "FALSE SUCCESS");
  assert_string_equal(judged(TESSERA_OK, 2.001, 0.0005).verdict, "ESTIMATE TOO SMALL");
  assert_string_equal(judged(TESSERA_LIMIT_EVALUATIONS, 3, 1.5).verdict, "right");
  assert_string_equal(judged(TESSERA_LIMIT_EVALUATIONS, 3, 0.5).verdict, "unfinished, estimate too small");
  assert_string_equal(judged(TESSERA_LIMIT_EVALUATIONS, NAN, 0.5).verdict, "unfinished, estimate too small");
  assert_string_equal(judged(TESSERA_ERR_MEMORY, 2, 0).verdict, "NO RESULT");
  assert_false(judged(TESSERA_OK, 2.001, 0.0015).wrong);
  assert_true(judged(TESSERA_ERR_MEMORY, 2, 0).wrong);
  assert_true(judged(TESSERA_OK, 2.003, 0.004).wrong && judged(TESSERA_OK, 2.001, 0.0005).wrong);
  assert_false(judged(TESSERA_LIMIT_EVALUATIONS, 3, 0.5).wrong);
  assert_true(judged(TESSERA_LIMIT_EVALUATIONS, 3, 0.5).short_estimate);
  assert_close(judged(TESSERA_LIMIT_EVALUATIONS, 3, 0.5).ratio, 2, 1e-15, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_model),
      cmocka_unit_test(contingency_table),
      cmocka_unit_test(exact_values),
      cmocka_unit_test(judgement),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
