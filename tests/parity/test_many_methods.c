/* Many integrals by lattice rules and Monte Carlo on device 0: the bits of single calls there, and a lattice run that its integrand stops.
 * Skipped where there is no device.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "cases.h"
#include "skip.h"
#include "solve.h"

enum { device = 0, ndim = 3, ncomp = 2, count = 60 };

/* spoil: 1 NaN in a slab, 2 stop at once. */
struct block {
  double a[ndim], shift, spoil;
};

static const char text[] =
    "#include <math.h>\n"
    "int f(int ndim, const double *x, int ncomp, double *v, void *block) {\n"
    "  const double *p = block;\n"
    "  double s = 1, t = 0;\n"
    "  for (int j = 0; j < 3; ++j) s += p[j] * x[j] * x[j], t += fabs(x[j] - p[3]);\n"
    "  v[0] = exp(-s);\n"
    "  v[1] = exp(-t) / s;\n"
    "  if (p[4] == 1 && x[0] > 0.4 && x[0] < 0.45) v[1] = sqrt(-1.0 - x[0]);\n"
    "  return p[4] == 2 ? 17 : 0;\n"
    "}\n";

static const struct way {
  int method, key;
  int64_t value;
} ways[] = {
    {TESSERA_LATTICE, TESSERA_TRANSFORM, TESSERA_TRANSFORM_AUTO},
    {TESSERA_LATTICE, TESSERA_TRANSFORM, TESSERA_TRANSFORM_BAKER},
    {TESSERA_LATTICE, TESSERA_MEDIAN, 11},
    {TESSERA_MONTECARLO, TESSERA_SAMPLING, TESSERA_SAMPLING_AUTO},
    {TESSERA_MONTECARLO, TESSERA_ANTITHETIC, 1},
    {TESSERA_MONTECARLO, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS},
};
enum { way_count = sizeof ways / sizeof ways[0] };

struct inputs {
  struct block params[count];
  double lower[count][ndim], upper[count][ndim];
};

struct outputs {
  int result, status[count];
  double value[count][ncomp], error[count][ncomp];
  int64_t evaluations;
};

static void make_inputs(struct inputs *in) {
  uint64_t seed = 5;
  memset(in, 0, sizeof *in);
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < ndim; ++j) {
      in->params[i].a[j] = 0.5 + 3 * splitmix_uniform(&seed);
      in->lower[i][j] = -splitmix_uniform(&seed);
      in->upper[i][j] = splitmix_uniform(&seed);
    }
    in->params[i].shift = 0.25 + 0.5 * splitmix_uniform(&seed);
    if (i % 5 == 1) in->lower[i][0] = 1, in->upper[i][0] = -0.5;
    if (i % 7 == 2) in->upper[i][i % ndim] = INFINITY;
  }
  in->upper[20][2] = in->lower[20][2];
}

static tessera_solver *make_solver(const struct way *w) {
  tessera_solver *s = solver_of(ndim, ncomp);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text, "f"), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, device);
  put_real(s, TESSERA_RELTOL, 1e-3);
  put_int(s, TESSERA_MAXEVAL, 400000);
  put_int(s, w->key, w->value);
  return s;
}

static void run_many(tessera_solver *s, int method, const struct inputs *in, struct outputs *out) {
  memset(out, 0, sizeof *out);
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < ncomp; ++k) out->value[i][k] = out->error[i][k] = -1e300;
  out->result = tessera_integrate_many(s, method, count, in->params, sizeof(struct block), in->lower[0], in->upper[0],
                                       out->value[0], out->error[0], out->status);
  if (out->result < 0) assert_status(s, out->result, TESSERA_OK);
  out->evaluations = got_int(s, TESSERA_EVALUATIONS);
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), device);
}

static void run_single(tessera_solver *s, int method, const struct inputs *in, struct outputs *out) {
  memset(out, 0, sizeof *out);
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < ncomp; ++k) out->value[i][k] = out->error[i][k] = -1e300;
    assert_status(s, tessera_set_params(s, &in->params[i], sizeof(struct block)), TESSERA_OK);
    out->status[i] = tessera_set_domain(s, in->lower[i], in->upper[i]);
    if (out->status[i] != TESSERA_OK) continue;
    out->status[i] = tessera_integrate(s, method, out->value[i], out->error[i]);
    out->evaluations += got_int(s, TESSERA_EVALUATIONS);
  }
}

static void assert_same_outputs(const struct outputs *a, const struct outputs *b) {
  for (int i = 0; i < count; ++i) {
    assert_int_equal(a->status[i], b->status[i]);
    for (int k = 0; k < ncomp; ++k) {
      if (isnan(a->value[i][k]) && isnan(b->value[i][k])) continue;
      assert_same_bits(a->value[i][k], b->value[i][k]);
      assert_same_bits(a->error[i][k], b->error[i][k]);
    }
  }
  assert_int_equal(a->evaluations, b->evaluations);
}

static void they_are_single_calls(void **state) {
  struct inputs in;
  struct outputs single, many;
  (void)state;
  for (int w = 0; w < way_count; ++w) {
    tessera_solver *s = make_solver(&ways[w]), *one = make_solver(&ways[w]);
    make_inputs(&in);
    run_single(one, ways[w].method, &in, &single);
    run_many(s, ways[w].method, &in, &many);
    assert_in_range(many.result, TESSERA_OK, TESSERA_LIMIT_EVALUATIONS);
    assert_same_outputs(&single, &many);
    assert_same_bits(many.value[20][0], 0);
    assert_true(many.value[1][0] < 0);
    in.params[8].spoil = 1;
    for (int j = 0; j < ndim; ++j) in.lower[8][j] = 0, in.upper[8][j] = 1;
    in.params[9].spoil = 2;
    in.lower[12][1] = NAN;
    run_single(one, ways[w].method, &in, &single);
    run_many(s, ways[w].method, &in, &many);
    assert_int_equal(many.result, TESSERA_SOME_FAILED);
    assert_int_equal(many.status[8], TESSERA_NONFINITE);
    assert_int_equal(many.status[9], TESSERA_ERR_CALLBACK);
    assert_int_equal(many.status[12], TESSERA_ERR_ARGUMENT);
    assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 17);
    assert_says(tessera_last_error(s), "integral 9 (counted from 0): the integrand returned 17");
    assert_same_outputs(&single, &many);
    tessera_destroy(s);
    tessera_destroy(one);
  }
}

static int stop_at_once(int64_t evaluations, int nc, const double *value, const double *error, int64_t remaining,
                        void *userdata) {
  (void)evaluations, (void)nc, (void)value, (void)error, (void)remaining;
  ++*(int *)userdata;
  return 1;
}

static void the_callback_ends_the_call(void **state) {
  struct inputs in;
  struct outputs out;
  (void)state;
  make_inputs(&in);
  for (int w = 0; w < way_count; ++w) {
    int calls = 0;
    tessera_solver *s = make_solver(&ways[w]);
    assert_status(s, tessera_set_progress(s, stop_at_once, &calls), TESSERA_OK);
    run_many(s, ways[w].method, &in, &out);
    assert_int_equal(out.result, TESSERA_STOPPED);
    assert_int_equal(calls, 1);
    assert_int_equal(out.status[count - 1], TESSERA_STOPPED);
    assert_true(isnan(out.value[count - 1][0]));
    tessera_destroy(s);
  }
}

/* ---- A lattice run that its integrand stops ---------------------------------------------------------------------------- */
enum { points = 1 << 22, stopping_shift = 28 };

struct where {
  int64_t left;
  double x[2];
};

/* On the host, up to a point of a late shift. */
static int find_point(int nd, const double *x, int nc, double *f, void *userdata) {
  struct where *w = userdata;
  (void)nd, (void)nc;
  f[0] = x[0];
  if (--w->left >= 0) return 0;
  w->x[0] = x[0];
  w->x[1] = x[1];
  return 1;
}

static tessera_solver *stopping_solver(void) {
  tessera_solver *s = solver_of(2, 1);
  put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_NONE);
  put_int(s, TESSERA_POINTS, points);
  put_int(s, TESSERA_MAXEVAL, 1000000000);
  put_real(s, TESSERA_RELTOL, 1e-14);
  put_int(s, TESSERA_THREADS, 1);
  return s;
}

static void finished_shifts_count(void **state) {
  static const char stops[] =
      "#include <math.h>\n"
      "int f(int ndim, const double *x, int ncomp, double *v, void *block) {\n"
      "  const double *p = block;\n"
      "  v[0] = exp(x[0]) * (1 + x[1]);\n"
      "  return x[0] == p[0] && x[1] == p[1] ? 42 : 0;\n"
      "}\n";
  const double exact = 1.5 * expm1(1.0);
  struct where w = {(int64_t)stopping_shift * points + points / 2, {0, 0}};
  double value = -5, error = -5;
  (void)state;
  tessera_solver *s = stopping_solver();
  put_point(s, find_point, &w);
  assert_status(s, tessera_integrate(s, TESSERA_LATTICE, &value, &error), TESSERA_CALLBACK_STOPPED);
  assert_int_equal(got_int(s, TESSERA_SHIFTS_USED), stopping_shift);
  tessera_destroy(s);
  s = stopping_solver();
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, stops, "f"), TESSERA_OK);
  assert_status(s, tessera_set_params(s, w.x, sizeof w.x), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, device);
  assert_status(s, tessera_integrate(s, TESSERA_LATTICE, &value, &error), TESSERA_CALLBACK_STOPPED);
  assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 42);
  print_message("  %lld shifts were finished\n", (long long)got_int(s, TESSERA_SHIFTS_USED));
  assert_in_range(got_int(s, TESSERA_SHIFTS_USED), 2, stopping_shift);
  assert_int_equal(got_int(s, TESSERA_POINTS_USED), points);
  assert_at_most(fabs(value - exact), error);
  assert_at_most(error, 1e-5);
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(they_are_single_calls),
      cmocka_unit_test(the_callback_ends_the_call),
      cmocka_unit_test(finished_shifts_count),
  };
  double value[ncomp], error[ncomp];
  tessera_solver *s = make_solver(&ways[0]);
  const struct block p = {{1, 1, 1}, 0.5, 0};
  assert_status(s, tessera_set_params(s, &p, sizeof p), TESSERA_OK);
  const int status = tessera_integrate_many(s, TESSERA_LATTICE, 1, NULL, 0, NULL, NULL, value, error, NULL);
  if (status == TESSERA_ERR_NOT_BUILT) {
    printf("skipped: %s\n", tessera_last_error(s));
    tessera_destroy(s);
    return no_device_here();
  }
  tessera_destroy(s);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
