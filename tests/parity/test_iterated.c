/* TESSERA_ITERATED on device 0 beside the host: the same statuses, values to rounding, the same numbers of evaluations but where a decision hangs on a last
 * bit; limits that are functions, simplices, many integrals, what ends a run. Skipped where there is no device.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "skip.h"
#include "solve.h"

enum { device = 0, most_ncomp = 2, rows = 40 };

static const char text[] =
    "#include <math.h>\n"
    "int f(int ndim, const double *x, int ncomp, double *v, void *block) {\n"
    "  const double *p = block;\n"
    "  double s = 0, q = 0;\n"
    "  for (int j = 0; j < ndim; ++j) s += x[j], q += x[j] * x[j];\n"
    "  for (int k = 0; k < ncomp; ++k) switch ((int)p[0] + k) {\n"
    "    case 0: v[k] = exp(p[1] * s); break;\n"
    "    case 1: v[k] = exp(-p[1] * q); break;\n"
    "    case 2: v[k] = fabs(x[0] - p[1] * x[ndim - 1]); break;\n"
    "    case 3: v[k] = 1 / sqrt(fabs(s)); break;\n"
    "    case 4: v[k] = 1; break;\n"
    "    case 5: v[k] = cos(9 * p[1] * s); break;\n"
    "    case 6: v[k] = s < p[1] ? 1 : 0; break;\n"
    "    case 7: v[k] = x[0] > 0.4 && x[ndim - 1] > 0.3 ? sqrt(-1 - s) : s; break;\n"
    "    case 8: v[k] = pow(x[ndim - 1], -0.5 * p[1]); break;\n"
    "    default: v[k] = 0; break;\n"
    "  }\n"
    "  return p[2] == 1 ? 17 : 0;\n"
    "}\n";

static int ball(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata) {
  (void)ndim, (void)userdata;
  double r = 1;
  for (int j = 0; j < axis; ++j) r -= x[j] * x[j];
  *upper = sqrt(fmax(r, 0));
  *lower = -*upper;
  return 0;
}
static int triangle(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata) {
  (void)ndim, (void)userdata;
  *lower = 0;
  *upper = 1;
  for (int j = 0; j < axis; ++j) *upper -= x[j];
  return 0;
}
/* From 0 to x[0] - 1/2, where they are empty or crossed; or refused. */
static int odd(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata) {
  (void)ndim, (void)axis;
  const int how = *(const int *)userdata;
  *lower = 0;
  *upper = how == 1 ? x[0] - 0.5 : fmax(0, x[0] - 0.5);
  return how == 2 && x[0] > 0.5 ? 23 : 0;
}

struct run {
  int status;
  double value[most_ncomp], error[most_ncomp];
  int64_t evaluations, regions, iterations;
};
static const struct way {
  const char *name;
  int kind, ndim, ncomp, rule_of_last;
  double lower, upper, reltol;
  tessera_limits limits;
  int64_t maxeval;
  int complex_values;
} ways[] = {
    {"smooth", 0, 2, 1, TESSERA_RULE_AUTO, 0, 1, 1e-9, NULL, 10000000, 0},
    {"smooth, 3-D", 0, 3, 1, TESSERA_RULE_AUTO, 0, 1, 1e-8, NULL, 100000000, 0},
    {"61 points", 5, 2, 1, TESSERA_RULE_KRONROD61, 0, 1, 1e-8, NULL, 10000000, 0},
    {"one variable", 8, 1, 1, TESSERA_RULE_AUTO, 0, 1, 1e-8, NULL, 1000000, 0},
    {"singular end, double-exponential", 8, 2, 1, TESSERA_RULE_DOUBLE_EXPONENTIAL, 0, 1, 1e-8, NULL, 10000000, 0},
    {"singular corner", 3, 2, 1, TESSERA_RULE_AUTO, 0, 1, 1e-8, NULL, 10000000, 0},
    {"the plane", 1, 2, 1, TESSERA_RULE_AUTO, -INFINITY, INFINITY, 1e-8, NULL, 10000000, 0},
    {"an octant", 1, 3, 1, TESSERA_RULE_AUTO, 0, INFINITY, 1e-6, NULL, 100000000, 0},
    {"kink", 2, 2, 1, TESSERA_RULE_AUTO, 0, 1, 1e-6, NULL, 10000000, 0},
    {"kink, 3-D", 2, 3, 1, TESSERA_RULE_AUTO, 0, 1, 1e-4, NULL, 100000000, 0},
    {"jump", 6, 2, 1, TESSERA_RULE_AUTO, 0, 1, 1e-4, NULL, 10000000, 0},
    {"4-D", 0, 4, 1, TESSERA_RULE_KRONROD15, 0, 1, 1e-4, NULL, 1000000000, 0},
    {"triangle", 0, 2, 1, TESSERA_RULE_AUTO, 0, 1, 1e-8, triangle, 10000000, 0},
    {"ball", 4, 3, 1, TESSERA_RULE_AUTO, -1, 1, 1e-5, ball, 100000000, 0},
    {"two components", 0, 2, 2, TESSERA_RULE_AUTO, 0, 1, 1e-7, NULL, 10000000, 0},
    {"two components, 3-D", 4, 3, 2, TESSERA_RULE_AUTO, 0, 1, 1e-4, NULL, 100000000, 0},
    {"complex values", 5, 2, 2, TESSERA_RULE_AUTO, 0, 1, 1e-7, NULL, 10000000, 1},
    {"few evaluations", 2, 2, 1, TESSERA_RULE_AUTO, 0, 1, 1e-9, NULL, 5000, 0},
    {"too few evaluations", 2, 2, 1, TESSERA_RULE_AUTO, 0, 1, 1e-9, NULL, 400, 0},
    {"NaN", 7, 2, 1, TESSERA_RULE_AUTO, 0, 1, 1e-6, NULL, 10000000, 0},
    {"NaN, 3-D", 7, 3, 1, TESSERA_RULE_AUTO, 0, 1, 1e-6, NULL, 10000000, 0},
    {"zero", 9, 2, 1, TESSERA_RULE_AUTO, 0, 1, 1e-6, NULL, 10000000, 0},
};
enum { way_count = sizeof ways / sizeof ways[0] };

static tessera_solver *make_solver(const struct way *w, int where) {
  const double block[] = {w->kind, 0.7, 0};
  double lower[4], upper[4];
  tessera_solver *s = solver_of(w->ndim, w->ncomp);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text, "f"), TESSERA_OK);
  assert_status(s, tessera_set_params(s, block, sizeof block), TESSERA_OK);
  for (int j = 0; j < w->ndim; ++j) lower[j] = w->lower, upper[j] = w->upper;
  assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
  for (int j = w->limits == triangle; w->limits && j < w->ndim; ++j)
    assert_status(s, tessera_set_limits(s, j, w->limits, NULL), TESSERA_OK);
  assert_status(s, tessera_set_axis_rule(s, w->ndim - 1, w->rule_of_last), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, where);
  put_real(s, TESSERA_RELTOL, w->reltol);
  put_int(s, TESSERA_COMPLEX, w->complex_values);
  put_int(s, TESSERA_MAXEVAL, w->maxeval);
  return s;
}
static void run_it(tessera_solver *s, struct run *r) {
  memset(r, 0, sizeof *r);
  r->status = tessera_integrate(s, TESSERA_ITERATED, r->value, r->error);
  r->evaluations = got_int(s, TESSERA_EVALUATIONS);
  r->regions = got_int(s, TESSERA_REGIONS);
  r->iterations = got_int(s, TESSERA_ITERATIONS);
}

static void device_is_host(void **state) {
  (void)state;
  for (int w = 0; w < way_count; ++w) {
    struct run host, there, again;
    tessera_solver *h = make_solver(&ways[w], -1), *d = make_solver(&ways[w], device);
    run_it(h, &host);
    run_it(d, &there);
    print_message("%s: status %d and %d, %.15g +- %.2g and %.15g +- %.2g, evaluations %lld and %lld\n", ways[w].name,
                  host.status, there.status, host.value[0], host.error[0], there.value[0], there.error[0],
                  (long long)host.evaluations, (long long)there.evaluations);
    assert_int_equal(host.status, there.status);
    assert_int_equal(got_int(d, TESSERA_DEVICE_USED), device);
    if (there.status != TESSERA_NONFINITE) {
      assert_in_range(there.evaluations, 0, ways[w].maxeval);
      if (there.status == TESSERA_OK)
        assert_true(fabs((double)(host.evaluations - there.evaluations)) <= 0.02 * (double)host.evaluations);
    } else {
      assert_says(tessera_last_error(d), "x = (");
    }
    for (int k = 0; k < ways[w].ncomp && host.status >= 0; ++k) {
      assert_int_equal(isnan(host.value[k]), isnan(there.value[k]));
      if (isnan(host.value[k])) continue;
      assert_true(fabs(host.value[k] - there.value[k]) <= 1e-12 * fabs(host.value[k]) + host.error[k] + there.error[k]);
    }
    run_it(d, &again); /* whichever threads have them */
    assert_memory_equal(&there, &again, sizeof there);
    tessera_destroy(h);
    tessera_destroy(d);
  }
}

static void simplices(void **state) {
  static const double corners[] = {0.1, 0.2, 1.3, 0.1, 0.4, 0.9};
  (void)state;
  for (int map = TESSERA_SIMPLEX_DUFFY; map <= TESSERA_SIMPLEX_SYMMETRIC; ++map) {
    struct run r[2];
    for (int there = 0; there < 2; ++there) {
      tessera_solver *s = make_solver(&ways[0], there ? device : -1);
      assert_status(s, tessera_set_simplex(s, map, corners), TESSERA_OK);
      run_it(s, &r[there]);
      assert_int_equal(r[there].status, TESSERA_OK);
      tessera_destroy(s);
    }
    assert_true(fabs(r[0].value[0] - r[1].value[0]) <= r[0].error[0] + r[1].error[0]);
  }
}

/* Where it is not finite over a simplex is told in the user's coordinates. */
static void nan_in_a_simplex(void **state) {
  (void)state;
  for (size_t w = 0; w < sizeof ways / sizeof *ways; ++w) {
    if (ways[w].kind != 7) continue;
    struct run r;
    tessera_solver *s = make_solver(&ways[w], device);
    assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, NULL), TESSERA_OK);
    run_it(s, &r);
    assert_int_equal(r.status, TESSERA_NONFINITE);
    const char *const at = strstr(tessera_last_error(s), "x = (");
    assert_non_null(at);
    double sum = 0;
    const char *from = at + 5;
    for (int j = 0; j < ways[w].ndim; ++j) {
      char *end;
      const double x = strtod(from, &end);
      assert_true(end > from && x > 0);
      sum += x;
      from = end + 1; /* behind the comma */
    }
    assert_true(sum < 1);
    tessera_destroy(s);
  }
}

/* All side by side as each alone, with parameters and limits of their own; who is to blame ends alone. */
static void many_are_as_each(void **state) {
  static double block[rows][3], lower[rows][3], upper[rows][3], value[rows], error[rows];
  static int status[rows];
  (void)state;
  for (int w = 0; w <= 1; ++w) {
    const int ndim = ways[w].ndim;
    double low[rows * 3], high[rows * 3];
    tessera_solver *s = make_solver(&ways[w], device), *one = make_solver(&ways[w], device);
    put_real(s, TESSERA_RELTOL, 1e-5);
    put_real(one, TESSERA_RELTOL, 1e-5);
    for (int i = 0; i < rows; ++i) {
      block[i][0] = i % 3;
      block[i][1] = 0.3 + 0.02 * i;
      block[i][2] = i == 7;
      if (i == 11) block[i][0] = 7;
      for (int j = 0; j < ndim; ++j) {
        low[i * ndim + j] = lower[i][j] = -0.01 * i * j;
        high[i * ndim + j] = upper[i][j] = i == 13 ? INFINITY : 1;
      }
      if (i == 13) block[i][0] = 1;
    }
    const int result =
        tessera_integrate_many(s, TESSERA_ITERATED, rows, block, sizeof block[0], low, high, value, error, status);
    if (result < 0) assert_status(s, result, TESSERA_OK);
    assert_int_equal(result, TESSERA_SOME_FAILED);
    assert_int_equal(status[7], TESSERA_ERR_CALLBACK);
    assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 17);
    for (int i = 0; i < rows; ++i) {
      struct run r;
      assert_status(one, tessera_set_params(one, block[i], sizeof block[i]), TESSERA_OK);
      assert_status(one, tessera_set_domain(one, lower[i], upper[i]), TESSERA_OK);
      run_it(one, &r);
      assert_int_equal(r.status, status[i]);
      if (r.status < 0) continue;
      assert_same_bits(r.value[0], value[i]);
      assert_same_bits(r.error[0], error[i]);
    }
    tessera_destroy(s);
    tessera_destroy(one);
  }
}

static void odd_limits(void **state) {
  (void)state;
  for (int how = 0; how < 3; ++how)
    for (int there = 0; there < 2; ++there) {
      struct run r;
      tessera_solver *s = make_solver(&ways[0], there ? device : -1);
      assert_status(s, tessera_set_limits(s, 1, odd, &how), TESSERA_OK);
      run_it(s, &r);
      if (how == 0) {
        assert_int_equal(r.status, TESSERA_OK); /* nothing to integrate before the middle */
        assert_true(r.value[0] > 0.1);
      } else {
        assert_int_equal(r.status, TESSERA_ERR_CALLBACK);
        assert_says(tessera_last_error(s), how == 1 ? "limits of axis 1 cross" : "returned 23");
        assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), how == 1 ? 0 : 23);
      }
      tessera_destroy(s);
    }
}

static int stop(int64_t evaluations, int nc, const double *value, const double *error, int64_t remaining,
                void *userdata) {
  (void)evaluations, (void)nc, (void)value, (void)error, (void)remaining;
  return ++*(int *)userdata == 2;
}
static void it_stops_between_rounds(void **state) {
  int asked = 0;
  struct run r;
  (void)state;
  tessera_solver *s = make_solver(&ways[9], device);
  assert_status(s, tessera_set_progress(s, stop, &asked), TESSERA_OK);
  put_real(s, TESSERA_PROGRESS_SECONDS, 0);
  run_it(s, &r);
  assert_int_equal(r.status, TESSERA_STOPPED);
  assert_int_equal(asked, 2);
  assert_status(s, tessera_set_progress(s, NULL, NULL), TESSERA_OK);
  put_real(s, TESSERA_MAX_SECONDS, 1e-9);
  run_it(s, &r);
  assert_int_equal(r.status, TESSERA_LIMIT_TIME);
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(device_is_host),   cmocka_unit_test(simplices),
                                     cmocka_unit_test(nan_in_a_simplex), cmocka_unit_test(many_are_as_each),
                                     cmocka_unit_test(odd_limits),       cmocka_unit_test(it_stops_between_rounds)};
  tessera_solver *s = solver_of(1, 1);
  tessera_set_integrand_source(s, TESSERA_LANGUAGE_C,
                               "int f(int n, const double *x, int m, double *v, void *p) { v[0] = 1; return 0; }", "f");
  if (lacks_device(s, device)) return no_device_here();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
