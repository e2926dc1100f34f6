/* TESSERA_QUADRATURE on device 0 beside the host, many integrals and single ones: the same statuses, values to rounding, the same numbers of evaluations but
 * where a decision hangs on a last bit. Skipped where there is no device.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "cases.h"
#include "skip.h"
#include "solve.h"

enum { device = 0, rows = 3000, most_ncomp = 3, kinds = 16 };

struct block {
  double kind, a, b, spoil;
};

static const char text[] =
    "#include <math.h>\n"
    "static double g(int kind, double x, double away, double a, double b) {\n"
    "  switch (kind) {\n"
    "    case 0: return exp(-a * x) * cos(20 * b * x);\n"
    "    case 1: return pow(x, a - 1);\n"
    "    case 2: return fabs(x - b);\n"
    "    case 3: return log(x) * cos(a * x);\n"
    "    case 4: return x < b ? 0 : exp(a * x);\n"
    "    case 5: return 1 / (1e-4 + (x - b) * (x - b));\n"
    "    case 6: return exp(-a * x * x);\n"
    "    case 7: return 1 / (1 + (x - a) * (x - a)) / (1 + x * x);\n"
    "    case 8: return sin(1 / (x + 0.01 * a));\n"
    "    case 9: return pow(fabs(away), a - 1);\n"
    "    case 10: return exp(-30 * fabs(x - b)) + exp(-50 * fabs(x - a));\n"
    "    case 11: return fabs(x - 3e-4 * a);\n"
    "    case 12: return fabs(x - 0.5 - 3e-4 * a) + (x > 1 - 1e-4 * b);\n"
    "    case 13: return floor(7.3 * x + a);\n"
    "    case 14: return exp(-x * x) + 5 * b * exp(-(x - 40 * a) * (x - 40 * a));\n" /* peaks far apart */
    "    default: return exp(-x) + a * exp(-10 * (x - 25 * b) * (x - 25 * b));\n"
    "  }\n"
    "}\n"
    "int f(int ndim, const double *x, int ncomp, double *v, void *block) {\n"
    "  const double *p = block;\n"
    "  for (int k = 0; k < ncomp; ++k) v[k] = g((int)p[0], x[0], AWAY, p[1], p[2]) * (k + 1) + k * x[0] / (1 + x[0] * "
    "x[0] * x[0] * x[0]);\n"
    "  if (p[3] == 1 && x[0] > 0.44 && x[0] < 0.45) v[0] = sqrt(-1 - x[0]);\n"
    "  return p[3] == 2 ? 17 : 0;\n"
    "}\n";

struct inputs {
  struct block params[rows];
  double lower[rows], upper[rows];
};
struct outputs {
  int result, status[rows];
  double value[rows][most_ncomp], error[rows][most_ncomp];
  int64_t evaluations, regions;
};

struct way {
  const char *name;
  int ncomp, rule, complement, breaks;
  double reltol;
  int64_t maxeval;
  int complex_values;
};
static const struct way ways[] = {
    {"automatic", 1, TESSERA_RULE_AUTO, 0, 0, 1e-8, 1000000, 0},
    {"15 points", 1, TESSERA_RULE_KRONROD15, 0, 0, 1e-6, 1000000, 0},
    {"61 points", 1, TESSERA_RULE_KRONROD61, 0, 0, 1e-10, 1000000, 0},
    {"double-exponential", 1, TESSERA_RULE_DOUBLE_EXPONENTIAL, 0, 0, 1e-8, 1000000, 0},
    {"distances", 1, TESSERA_RULE_AUTO, 2, 0, 1e-8, 1000000, 0},
    {"b - x", 1, TESSERA_RULE_AUTO, 1, 0, 1e-8, 1000000, 0},
    {"break points", 1, TESSERA_RULE_AUTO, 0, 3, 1e-8, 1000000, 0},
    {"three components", 3, TESSERA_RULE_AUTO, 0, 2, 1e-7, 1000000, 0},
    {"complex values", 2, TESSERA_RULE_AUTO, 0, 0, 1e-8, 1000000, 1},
    {"few evaluations", 1, TESSERA_RULE_AUTO, 0, 0, 1e-8, 200, 0},
};
enum { way_count = sizeof ways / sizeof ways[0] };

static void make_inputs(struct inputs *in, uint64_t seed) {
  memset(in, 0, sizeof *in);
  for (int i = 0; i < rows; ++i) {
    in->params[i].kind = i % kinds;
    in->params[i].a = 0.25 + 0.75 * splitmix_uniform(&seed);
    in->params[i].b = 0.1 + 0.8 * splitmix_uniform(&seed);
    in->upper[i] = 1;
    if (i % kinds == 6 || i % kinds == 7 || i % kinds >= 14) in->upper[i] = INFINITY;
    if (i % kinds == 7 || i % kinds == 14) in->lower[i] = -INFINITY;
    if (i % 35 == 0 && in->upper[i] == 1) in->lower[i] = 1, in->upper[i] = 0;
  }
}

static tessera_solver *make_solver(const struct way *w, int where) {
  static const double points[] = {0.2, 0.5, 0.7};
  static char whole[sizeof text + 64];
  tessera_solver *s = solver_of(1, w->ncomp);
  snprintf(whole, sizeof whole, "#define AWAY %s\n%s", w->complement ? "x[1]" : "(1 - x[0])", text);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, whole, "f"), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, where);
  put_real(s, TESSERA_RELTOL, w->reltol);
  put_int(s, TESSERA_RULE, w->rule);
  put_int(s, TESSERA_COMPLEX, w->complex_values);
  put_int(s, TESSERA_COMPLEMENT, w->complement);
  put_int(s, TESSERA_MAXEVAL, w->maxeval);
  assert_status(s, tessera_set_breakpoints(s, w->breaks, points), TESSERA_OK);
  return s;
}

static void run_many(tessera_solver *s, const struct way *w, const struct inputs *in, struct outputs *out) {
  static double value[rows * most_ncomp], error[rows * most_ncomp];
  memset(out, 0, sizeof *out);
  out->result = tessera_integrate_many(s, TESSERA_QUADRATURE, rows, in->params, sizeof(struct block), in->lower,
                                       in->upper, value, error, out->status);
  if (out->result < 0) assert_status(s, out->result, TESSERA_OK);
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < w->ncomp; ++k)
      out->value[i][k] = value[i * w->ncomp + k], out->error[i][k] = error[i * w->ncomp + k];
  out->evaluations = got_int(s, TESSERA_EVALUATIONS);
  out->regions = got_int(s, TESSERA_REGIONS);
}

/* A decision that hangs on a last bit may fall the other way: rarely, and then both values are within their errors. */
static void compare(const struct way *w, const struct outputs *host, const struct outputs *there) {
  int other_status = 0, apart = 0;
  double worst = 0;
  for (int i = 0; i < rows; ++i) {
    if (host->status[i] != there->status[i]) {
      if (other_status++ < 5)
        print_message("%s, row %d, kind %d: status %d on the host, %d on the device\n", w->name, i, i % kinds,
                      host->status[i], there->status[i]);
      continue;
    }
    for (int k = 0; k < w->ncomp && host->status[i] >= 0; ++k) {
      const double a = host->value[i][k], b = there->value[i][k];
      if (isnan(a) && isnan(b)) continue;
      const double distance = fabs(a - b), scale = fmax(1, fabs(a));
      assert_true(distance <= 1e-12 * scale + host->error[i][k] + there->error[i][k]);
      if (distance > 1e-12 * scale) ++apart;
      worst = fmax(worst, distance / scale);
    }
  }
  const double share = fabs((double)(host->evaluations - there->evaluations)) / (double)host->evaluations;
  print_message(
      "%s: %d rows with another status, %d values apart by more than 1e-12, worst %.3g; evaluations %lld and %lld\n",
      w->name, other_status, apart, worst, (long long)host->evaluations, (long long)there->evaluations);
  assert_true(other_status <= rows / 200);
  assert_true(apart <= rows * w->ncomp / 50);
  assert_true(share < 0.005);
}

static void device_is_host(void **state) {
  static struct inputs in;
  static struct outputs host, there, again;
  (void)state;
  for (int w = 0; w < way_count; ++w) {
    tessera_solver *h = make_solver(&ways[w], -1), *d = make_solver(&ways[w], device);
    make_inputs(&in, 440301 + (uint64_t)w);
    run_many(h, &ways[w], &in, &host);
    run_many(d, &ways[w], &in, &there);
    assert_int_equal(got_int(d, TESSERA_DEVICE_USED), device);
    compare(&ways[w], &host, &there);
    run_many(d, &ways[w], &in, &again); /* whichever threads have them */
    assert_memory_equal(there.status, again.status, sizeof there.status);
    assert_memory_equal(there.value, again.value, sizeof there.value);
    assert_memory_equal(there.error, again.error, sizeof there.error);
    assert_int_equal(there.evaluations, again.evaluations);
    tessera_destroy(h);
    tessera_destroy(d);
  }
}

static void single_is_a_row(void **state) {
  static struct inputs in;
  static struct outputs many;
  (void)state;
  for (int w = 0; w < way_count; w += 2) {
    tessera_solver *s = make_solver(&ways[w], device), *one = make_solver(&ways[w], device);
    make_inputs(&in, 440320 + (uint64_t)w);
    run_many(s, &ways[w], &in, &many);
    for (int i = 0; i < 2 * kinds; ++i) {
      double value[most_ncomp], error[most_ncomp];
      assert_status(one, tessera_set_params(one, &in.params[i], sizeof in.params[i]), TESSERA_OK);
      assert_status(one, tessera_set_domain(one, &in.lower[i], &in.upper[i]), TESSERA_OK);
      assert_int_equal(tessera_integrate(one, TESSERA_QUADRATURE, value, error), many.status[i]);
      assert_int_equal(got_int(one, TESSERA_DEVICE_USED), device);
      for (int k = 0; k < ways[w].ncomp; ++k) {
        assert_same_bits(value[k], many.value[i][k]);
        assert_same_bits(error[k], many.error[i][k]);
      }
    }
    tessera_destroy(s);
    tessera_destroy(one);
  }
}

/* A simplex of one variable is an interval; its points are those of a unit interval on the device as on the host, the sentences tell the user's. */
static void simplex_of_one_variable(void **state) {
  static const double ends[] = {0.75, 0.25};
  (void)state;
  for (int map = TESSERA_SIMPLEX_DUFFY; map <= TESSERA_SIMPLEX_SYMMETRIC; ++map) {
    double value[2], error[2], none, of_none;
    for (int there = 0; there < 2; ++there) {
      const struct block wave = {0, 0.5, 0.5, 0}, spoilt = {0, 0.5, 0.5, 1};
      tessera_solver *s = make_solver(&ways[0], there ? device : -1);
      assert_status(s, tessera_set_simplex(s, map, ends), TESSERA_OK);
      assert_status(s, tessera_set_params(s, &wave, sizeof wave), TESSERA_OK);
      assert_status(s, tessera_integrate(s, TESSERA_QUADRATURE, &value[there], &error[there]), TESSERA_OK);
      assert_status(s, tessera_set_params(s, &spoilt, sizeof spoilt), TESSERA_OK);
      assert_int_equal(tessera_integrate(s, TESSERA_QUADRATURE, &none, &of_none), TESSERA_NONFINITE);
      assert_says(tessera_last_error(s), "x = ");
      assert_says(tessera_last_error(s), "0.44");
      tessera_destroy(s);
    }
    assert_true(fabs(value[1] - value[0]) <= error[0] + error[1]);
  }
}

static void only_who_is_to_blame(void **state) {
  static struct inputs in;
  static struct outputs good, bad;
  (void)state;
  tessera_solver *s = make_solver(&ways[0], device);
  make_inputs(&in, 440340);
  run_many(s, &ways[0], &in, &good);
  in.params[12].spoil = 1; /* NaN */
  in.params[24].spoil = 2; /* asks to stop */
  in.lower[36] = NAN;
  run_many(s, &ways[0], &in, &bad);
  assert_int_equal(bad.result, TESSERA_SOME_FAILED);
  assert_int_equal(bad.status[12], TESSERA_NONFINITE);
  assert_int_equal(bad.status[24], TESSERA_ERR_CALLBACK);
  assert_int_equal(bad.status[36], TESSERA_ERR_ARGUMENT);
  assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 17);
  assert_says(tessera_last_error(s), "integral 24 (counted from 0): the integrand returned 17");
  for (int i = 0; i < rows; ++i) {
    if (i == 12 || i == 24 || i == 36) continue;
    assert_int_equal(good.status[i], bad.status[i]);
    assert_same_bits(good.value[i][0], bad.value[i][0]);
  }
  tessera_destroy(s);
}

static int stop_at_once(int64_t evaluations, int nc, const double *value, const double *error, int64_t remaining,
                        void *userdata) {
  (void)evaluations, (void)nc, (void)value, (void)error, (void)remaining;
  ++*(int *)userdata;
  return 1;
}

/* More rows than a launch has where somebody looks on. */
static void it_stops_between_launches(void **state) {
  enum { many = 60000 };
  static struct block params[many];
  static double value[many], error[many];
  static int status[many];
  int asked = 0, stopped = 0, done = 0;
  (void)state;
  tessera_solver *s = make_solver(&ways[0], device);
  for (int i = 0; i < many; ++i) params[i] = (struct block){5, 0.5, 0.1 + 0.8 * i / many, 0};
  assert_status(s, tessera_set_progress(s, stop_at_once, &asked), TESSERA_OK);
  put_real(s, TESSERA_PROGRESS_SECONDS, 0);
  tessera_integrate_many(s, TESSERA_QUADRATURE, many, params, sizeof params[0], NULL, NULL, value, error, status);
  for (int i = 0; i < many; ++i) {
    stopped += status[i] == TESSERA_STOPPED;
    done += status[i] == TESSERA_OK;
  }
  assert_int_equal(asked, 1);
  assert_int_equal(stopped + done, many);
  assert_true(stopped > 0);
  tessera_destroy(s);
}

static void what_devices_do_not_take(void **state) {
  double value, error;
  (void)state;
  tessera_solver *s = make_solver(&ways[0], device);
  put_int(s, TESSERA_WEIGHT, TESSERA_WEIGHT_COS);
  assert_int_equal(tessera_integrate(s, TESSERA_QUADRATURE, &value, &error), TESSERA_ERR_UNSUPPORTED);
  assert_says(tessera_last_error(s), "TESSERA_WEIGHT");
  put_int(s, TESSERA_WEIGHT, TESSERA_WEIGHT_NONE);
  double points[100];
  for (int i = 0; i < 100; ++i) points[i] = (i + 1) / 102.0;
  assert_status(s, tessera_set_breakpoints(s, 100, points), TESSERA_OK);
  assert_int_equal(tessera_integrate(s, TESSERA_QUADRATURE, &value, &error), TESSERA_ERR_UNSUPPORTED);
  assert_says(tessera_last_error(s), "100 break points");
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(device_is_host),
                                     cmocka_unit_test(single_is_a_row),
                                     cmocka_unit_test(simplex_of_one_variable),
                                     cmocka_unit_test(only_who_is_to_blame),
                                     cmocka_unit_test(it_stops_between_launches),
                                     cmocka_unit_test(what_devices_do_not_take)};
  tessera_solver *s = solver_of(1, 1);
  tessera_set_integrand_source(s, TESSERA_LANGUAGE_C,
                               "int f(int n, const double *x, int m, double *v, void *p) { v[0] = 1; return 0; }", "f");
  if (lacks_device(s, device)) return no_device_here();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
