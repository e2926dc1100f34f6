/* Many integrals in one call on the host: each is what tessera_integrate gives, bit by bit, on any number of threads, and one
 * that fails leaves the others alone.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "cases.h"
#include "solve.h"

enum { ndim = 3, ncomp = 2, count = 60 };

/* The parameter block: its size is no multiple of 16 on purpose. */
struct block {
  double a[ndim], shift, spoil; /* spoil: 1 NaN near a point, 2 stop at once, 3 stop inside, 4 too hard */
};

static int misaligned;

static int values(const double *x, double *f, const struct block *p) {
  double s = 1, t = 0;
  if ((uintptr_t)p % 16 != 0) misaligned = 1;
  for (int j = 0; j < ndim; ++j) {
    s += p->a[j] * x[j] * x[j];
    t += fabs(x[j] - p->shift);
  }
  f[0] = exp(-s);
  f[1] = exp(-t) / s;
  if (p->spoil == 1 && x[0] > 0.4 && x[0] < 0.45) f[1] = NAN;
  if (p->spoil == 2) return 17;
  if (p->spoil == 3 && x[0] > 0.21 && x[0] < 0.24) return 23;
  if (p->spoil == 4) f[0] = x[0] + x[1] * x[2] > 0.5 ? f[0] : 0;
  return 0;
}

static int point(int nd, const double *x, int nc, double *f, void *userdata) {
  (void)nd, (void)nc;
  return values(x, f, userdata);
}

static int batch(int64_t n, int nd, const double *x, int64_t ldx, int nc, double *f, int64_t ldf, void *userdata) {
  (void)nc;
  for (int64_t i = 0; i < n; ++i) {
    double at[ndim], v[ncomp];
    for (int j = 0; j < nd; ++j) at[j] = x[j * ldx + i];
    const int stop = values(at, v, userdata);
    if (stop) return stop;
    for (int k = 0; k < ncomp; ++k) f[k * ldf + i] = v[k];
  }
  return 0;
}

struct inputs {
  struct block params[count];
  double lower[count][ndim], upper[count][ndim];
};

struct outputs {
  int result, status[count];
  double value[count][ncomp], error[count][ncomp];
  int64_t evaluations, regions, iterations, callback_status;
  char sentence[256];
};

/* Finite, reversed, infinite and empty boxes. */
static void make_inputs(struct inputs *in) {
  uint64_t seed = 7;
  memset(in, 0, sizeof *in);
  for (int i = 0; i < count; ++i) {
    struct block *p = &in->params[i];
    for (int j = 0; j < ndim; ++j) {
      p->a[j] = 0.5 + 3 * splitmix_uniform(&seed);
      in->lower[i][j] = -splitmix_uniform(&seed);
      in->upper[i][j] = splitmix_uniform(&seed);
    }
    p->shift = 0.25 + 0.5 * splitmix_uniform(&seed);
    if (i % 5 == 1) {
      in->lower[i][0] = 1;
      in->upper[i][0] = -0.5;
    }
    if (i % 7 == 2) in->upper[i][i % ndim] = INFINITY;
    if (i % 11 == 3) in->lower[i][1] = -INFINITY, in->upper[i][1] = INFINITY;
  }
  in->upper[20][2] = in->lower[20][2];
}

static void clear(struct outputs *out) {
  memset(out, 0, sizeof *out);
  for (int i = 0; i < count; ++i) {
    out->status[i] = 99;
    for (int k = 0; k < ncomp; ++k) out->value[i][k] = out->error[i][k] = -1e300;
  }
}

static void read_statistics(tessera_solver *s, struct outputs *out) {
  out->evaluations += got_int(s, TESSERA_EVALUATIONS);
  out->regions += got_int(s, TESSERA_REGIONS);
  out->iterations += got_int(s, TESSERA_ITERATIONS);
  if (out->callback_status == 0) out->callback_status = got_int(s, TESSERA_CALLBACK_STATUS);
}

static void run_many(tessera_solver *s, const struct inputs *in, struct outputs *out) {
  clear(out);
  out->result = tessera_integrate_many(s, TESSERA_CUBATURE, count, in->params, sizeof(struct block), in->lower[0],
                                       in->upper[0], out->value[0], out->error[0], out->status);
  snprintf(out->sentence, sizeof out->sentence, "%s", tessera_last_error(s));
  read_statistics(s, out);
}

/* The same with tessera_integrate. Limits that cannot be set are an error of their integral. */
static void run_single(tessera_solver *s, const struct inputs *in, struct outputs *out) {
  clear(out);
  for (int i = 0; i < count; ++i) {
    assert_status(s, tessera_set_params(s, &in->params[i], sizeof(struct block)), TESSERA_OK);
    out->status[i] = tessera_set_domain(s, in->lower[i], in->upper[i]);
    if (out->status[i] != TESSERA_OK) continue;
    out->status[i] = tessera_integrate(s, TESSERA_CUBATURE, out->value[i], out->error[i]);
    read_statistics(s, out);
  }
}

static void assert_same_outputs(const struct outputs *a, const struct outputs *b) {
  for (int i = 0; i < count; ++i) {
    assert_int_equal(a->status[i], b->status[i]);
    for (int k = 0; k < ncomp; ++k) {
      if (isnan(a->value[i][k]) && isnan(b->value[i][k])) continue; /* the sign of a NaN means nothing */
      assert_same_bits(a->value[i][k], b->value[i][k]);
      assert_same_bits(a->error[i][k], b->error[i][k]);
    }
  }
  assert_int_equal(a->evaluations, b->evaluations);
  assert_int_equal(a->regions, b->regions);
  assert_int_equal(a->iterations, b->iterations);
  assert_int_equal(a->callback_status, b->callback_status);
}

static tessera_solver *make_solver(int form, int selection) {
  tessera_solver *s = solver_of(ndim, ncomp);
  if (form == 0) put_point(s, point, NULL);
  if (form == 1) put_batch(s, batch, NULL);
  put_int(s, TESSERA_SELECTION, selection);
  put_real(s, TESSERA_RELTOL, 1e-4);
  put_int(s, TESSERA_MAXEVAL, 60000);
  return s;
}

static void compare_with_single_calls(const struct inputs *in) {
  struct outputs single, many;
  for (int form = 0; form < 2; ++form)
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      tessera_solver *s = make_solver(form, selection), *one = make_solver(form, selection);
      run_single(one, in, &single);
      for (int threads = 1; threads <= 3; ++threads) {
        put_int(s, TESSERA_THREADS, threads);
        run_many(s, in, &many);
        assert_int_equal(got_int(s, TESSERA_THREADS_USED), threads);
        assert_same_outputs(&single, &many);
      }
      tessera_destroy(s);
      tessera_destroy(one);
    }
  assert_false(misaligned);
}

static void each_is_what_a_single_call_gives(void **state) {
  struct inputs in;
  struct outputs out;
  (void)state;
  make_inputs(&in);
  compare_with_single_calls(&in);
  tessera_solver *s = make_solver(0, TESSERA_SELECT_AUTO);
  run_many(s, &in, &out);
  assert_same_bits(out.value[20][0], 0);
  assert_same_bits(out.error[20][1], 0);
  for (int i = 0; i < count; ++i) assert_in_range(out.status[i], TESSERA_OK, TESSERA_LIMIT_EVALUATIONS);
  assert_true(out.value[1][0] < 0); /* reversed */
  tessera_destroy(s);
}

static void one_that_fails_leaves_the_others_alone(void **state) {
  struct inputs in;
  struct outputs out;
  (void)state;
  make_inputs(&in);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < ndim; ++j) in.lower[8 + i][j] = 0, in.upper[8 + i][j] = 1;
  in.params[8].spoil = 1;
  in.params[9].spoil = 2;
  in.params[10].spoil = 3;
  in.params[11].spoil = 4;
  in.lower[12][1] = NAN;
  in.lower[13][0] = -DBL_MAX;
  in.upper[13][0] = DBL_MAX;
  compare_with_single_calls(&in);
  tessera_solver *s = make_solver(0, TESSERA_SELECT_AUTO);
  put_int(s, TESSERA_THREADS, 2);
  run_many(s, &in, &out);
  assert_int_equal(out.result, TESSERA_SOME_FAILED);
  assert_int_equal(out.status[8], TESSERA_NONFINITE);
  assert_int_equal(out.status[9], TESSERA_ERR_CALLBACK);
  assert_same_bits(out.value[9][0], -1e300);
  assert_int_equal(out.status[10], TESSERA_CALLBACK_STOPPED);
  assert_int_equal(out.status[11], TESSERA_LIMIT_EVALUATIONS);
  assert_int_equal(out.status[12], TESSERA_ERR_ARGUMENT);
  assert_same_bits(out.error[12][1], -1e300);
  assert_int_equal(out.status[13], TESSERA_ERR_ARGUMENT);
  assert_in_range(out.status[14], TESSERA_OK, TESSERA_LIMIT_EVALUATIONS);
  assert_int_equal(out.callback_status, 17);
  assert_says(out.sentence, "integral 9 (counted from 0): the integrand returned 17 before there was a value");
  in.params[9].spoil = 0;
  run_many(s, &in, &out);
  assert_int_equal(out.result, TESSERA_SOME_FAILED);
  assert_says(out.sentence, "integral 12 (counted from 0): lower[1] is NaN");
  in.lower[12][1] = in.lower[13][0] = 0;
  in.upper[13][0] = 1;
  run_many(s, &in, &out);
  assert_int_equal(out.result, TESSERA_NONFINITE); /* the worst, with a value for every integral */
  assert_says(out.sentence, "integral 8 (counted from 0): component 2 of the integrand is nan at x = (0.4");
  tessera_destroy(s);
}

static void shared_blocks_and_boxes(void **state) {
  struct inputs in;
  struct outputs single, many;
  (void)state;
  make_inputs(&in);
  tessera_solver *s = make_solver(0, TESSERA_SELECT_AUTO);
  put_int(s, TESSERA_THREADS, 2);
  /* One box for all. */
  const double lower[ndim] = {0, 0.5, -INFINITY}, upper[ndim] = {1, 0, 0};
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < ndim; ++j) in.lower[i][j] = lower[j], in.upper[i][j] = upper[j];
  run_single(s, &in, &single);
  clear(&many);
  many.result = tessera_integrate_many(s, TESSERA_CUBATURE, count, in.params, sizeof(struct block), NULL, NULL,
                                       many.value[0], many.error[0], many.status);
  read_statistics(s, &many);
  assert_same_outputs(&single, &many);
  /* One block for all. */
  make_inputs(&in);
  for (int i = 1; i < count; ++i) in.params[i] = in.params[0];
  run_single(s, &in, &single);
  assert_status(s, tessera_set_params(s, &in.params[0], sizeof(struct block)), TESSERA_OK);
  clear(&many);
  many.result = tessera_integrate_many(s, TESSERA_CUBATURE, count, NULL, 0, in.lower[0], in.upper[0], many.value[0],
                                       many.error[0], many.status);
  read_statistics(s, &many);
  assert_same_outputs(&single, &many);
  /* An empty domain for all, without status. */
  const double nowhere[ndim] = {1, 1, 1};
  assert_status(s, tessera_set_domain(s, nowhere, nowhere), TESSERA_OK);
  clear(&many);
  assert_int_equal(
      tessera_integrate_many(s, TESSERA_CUBATURE, 2, NULL, 0, NULL, NULL, many.value[0], many.error[0], NULL),
      TESSERA_OK);
  assert_same_bits(many.value[1][1], 0);
  assert_same_bits(many.value[2][0], -1e300);
  assert_int_equal(got_int(s, TESSERA_EVALUATIONS), 0);
  tessera_destroy(s);
}

static void bad_arguments(void **state) {
  struct inputs in;
  struct outputs out;
  tessera_solver *s = solver_of(ndim, ncomp);
  (void)state;
  make_inputs(&in);
  clear(&out);
  const size_t bytes = sizeof(struct block);
  double *v = out.value[0], *e = out.error[0];
  const double *lo = in.lower[0], *hi = in.upper[0];
#define REFUSED(expected, word, ...)                                                \
  do {                                                                              \
    assert_status(s, tessera_integrate_many(s, __VA_ARGS__, out.status), expected); \
    assert_says(tessera_last_error(s), word);                                       \
    assert_same_bits(out.value[0][0], -1e300);                                      \
    assert_int_equal(out.status[0], 99);                                            \
  } while (0)
  REFUSED(TESSERA_ERR_NO_INTEGRAND, "integrand", TESSERA_CUBATURE, count, in.params, bytes, lo, hi, v, e);
  put_point(s, point, NULL);
  assert_int_equal(tessera_integrate_many(NULL, TESSERA_CUBATURE, 1, NULL, 0, NULL, NULL, v, e, NULL),
                   TESSERA_ERR_ARGUMENT);
  REFUSED(TESSERA_ERR_ARGUMENT, "method 0", 0, count, in.params, bytes, lo, hi, v, e);
  REFUSED(TESSERA_ERR_ARGUMENT, "count = -1", TESSERA_CUBATURE, -1, in.params, bytes, lo, hi, v, e);
  REFUSED(TESSERA_ERR_ARGUMENT, "larger than", TESSERA_CUBATURE, INT64_MAX / 2, in.params, bytes, lo, hi, v, e);
  REFUSED(TESSERA_ERR_ARGUMENT, "value is NULL", TESSERA_CUBATURE, count, in.params, bytes, lo, hi, NULL, e);
  REFUSED(TESSERA_ERR_ARGUMENT, "error is NULL", TESSERA_CUBATURE, count, in.params, bytes, lo, hi, v, NULL);
  REFUSED(TESSERA_ERR_ARGUMENT, "upper is NULL", TESSERA_CUBATURE, count, in.params, bytes, lo, NULL, v, e);
  REFUSED(TESSERA_ERR_ARGUMENT, "lower is NULL", TESSERA_CUBATURE, count, in.params, bytes, NULL, hi, v, e);
  REFUSED(TESSERA_ERR_ARGUMENT, "params is NULL", TESSERA_CUBATURE, count, NULL, bytes, lo, hi, v, e);
  REFUSED(TESSERA_ERR_ARGUMENT, "params_bytes is 0", TESSERA_CUBATURE, count, in.params, 0, lo, hi, v, e);
  put_int(s, TESSERA_RULE, TESSERA_RULE_DEGREE13);
  REFUSED(TESSERA_ERR_UNSUPPORTED, "TESSERA_RULE", TESSERA_CUBATURE, count, in.params, bytes, lo, hi, v, e);
  put_int(s, TESSERA_RULE, TESSERA_RULE_AUTO);
  put_point(s, point, &in);
  REFUSED(TESSERA_ERR_ARGUMENT, "userdata of its own", TESSERA_CUBATURE, count, in.params, bytes, lo, hi, v, e);
  /* Nothing to do. */
  put_point(s, point, NULL);
  assert_int_equal(tessera_integrate_many(s, TESSERA_CUBATURE, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL), TESSERA_OK);
  assert_int_equal(got_int(s, TESSERA_EVALUATIONS), 0);
  tessera_destroy(s);
}

/* ---- Progress ---------------------------------------------------------------------------------------------------------- */
struct log {
  tessera_solver *solver;
  int calls, busy;
  int64_t last, remaining;
  double value;
};

static int progress(int64_t evaluations, int nc, const double *value, const double *error, int64_t remaining,
                    void *userdata) {
  struct log *l = userdata;
  if (evaluations < l->last || nc != ncomp || !(error[1] >= 0)) l->busy = -1000;
  l->last = evaluations;
  l->remaining = remaining;
  l->value = value[0];
  l->busy +=
      tessera_integrate_many(l->solver, TESSERA_CUBATURE, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL) == TESSERA_ERR_BUSY;
  return ++l->calls > 1 && remaining > 0 && value[0] != 0; /* something is finished */
}

static int slow(int nd, const double *x, int nc, double *f, void *userdata) {
  volatile double waste = 0;
  for (int i = 0; i < 1000; ++i) waste += 1e-3 * i;
  return point(nd, x, nc, f, userdata);
}

static void progress_can_stop(void **state) {
  struct inputs in;
  struct outputs whole, out;
  (void)state;
  make_inputs(&in);
  for (int i = 0; i < count; ++i) in.params[i].spoil = 4;
  tessera_solver *s = make_solver(0, TESSERA_SELECT_AUTO);
  put_point(s, slow, NULL);
  put_int(s, TESSERA_MAXEVAL, 30000);
  put_int(s, TESSERA_THREADS, 2);
  run_many(s, &in, &whole);
  for (int threads = 1; threads <= 3; ++threads) {
    struct log l = {.solver = s};
    put_int(s, TESSERA_THREADS, threads);
    assert_status(s, tessera_set_progress(s, progress, &l), TESSERA_OK);
    run_many(s, &in, &out);
    assert_int_equal(out.result, TESSERA_STOPPED);
    assert_int_equal(l.busy, l.calls);
    assert_true(l.remaining > 0 && l.value != 0);
    int finished = 0, begun = 0, waiting = 0;
    for (int i = 0; i < count; ++i) {
      if (out.status[i] != TESSERA_STOPPED) {
        assert_int_equal(out.status[i], whole.status[i]);
        assert_same_bits(out.value[i][0], whole.value[i][0]);
        ++finished;
      } else if (isnan(out.value[i][0])) {
        assert_true(isinf(out.error[i][0]));
        ++waiting;
      } else {
        assert_at_most(fabs(out.value[i][0] - whole.value[i][0]), out.error[i][0] + whole.error[i][0]);
        ++begun;
      }
    }
    assert_true(finished > 0 && waiting > 0);
    assert_at_most(begun, threads);
    assert_says(out.sentence, "TESSERA_STOPPED");
  }
  assert_status(s, tessera_set_progress(s, NULL, NULL), TESSERA_OK);
  put_real(s, TESSERA_MAX_SECONDS, 1e-9); /* of the whole call */
  run_many(s, &in, &out);
  assert_int_equal(out.result, TESSERA_LIMIT_TIME);
  assert_int_equal(out.status[count - 1], TESSERA_LIMIT_TIME);
  assert_true(isnan(out.value[count - 1][0]));
  tessera_destroy(s);
}

/* ---- Source text ------------------------------------------------------------------------------------------------------- */
static void a_source_text(void **state) {
  static const char text[] =
      "struct block { double a[3], shift, spoil; };\n"
      "double f(const double *x, const block *p) { return exp(-p->a[0] * x[0] - p->a[1] * x[1] - p->a[2] * x[2]); }\n";
  struct inputs in;
  double value[count], error[count], one, one_error;
  int status[count];
  (void)state;
  make_inputs(&in);
  tessera_solver *s = solver_of(ndim, 1);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, "f"), TESSERA_OK);
  put_int(s, TESSERA_THREADS, 2);
  const int result = tessera_integrate_many(s, TESSERA_CUBATURE, count, in.params, sizeof(struct block), NULL, NULL,
                                            value, error, status);
  if (result == TESSERA_ERR_NOT_BUILT) skip(); /* no compiler */
  assert_status(s, result, TESSERA_OK);
  for (int i = 0; i < count; ++i) {
    double exact = 1;
    for (int j = 0; j < ndim; ++j) exact *= -expm1(-in.params[i].a[j]) / in.params[i].a[j];
    assert_close(value[i], exact, 1e-6, 0);
    assert_status(s, tessera_set_params(s, &in.params[i], sizeof(struct block)), TESSERA_OK);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &one, &one_error), TESSERA_OK);
    assert_same_bits(value[i], one);
    assert_same_bits(error[i], one_error);
  }
  assert_status(s,
                tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return y; }", "f"),
                TESSERA_OK);
  value[0] = -1e300;
  assert_status(s, tessera_integrate_many(s, TESSERA_CUBATURE, count, NULL, 0, NULL, NULL, value, error, status),
                TESSERA_ERR_COMPILE);
  assert_same_bits(value[0], -1e300);
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_is_what_a_single_call_gives),
      cmocka_unit_test(one_that_fails_leaves_the_others_alone),
      cmocka_unit_test(shared_blocks_and_boxes),
      cmocka_unit_test(bad_arguments),
      cmocka_unit_test(progress_can_stop),
      cmocka_unit_test(a_source_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
