/* Many integrals in one call on device 0, compared with single calls there. Skipped where there is no device.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "cases.h"
#include "solve.h"
#include "skip.h"

enum { device = 0, ndim = 3, ncomp = 2, count = 200 };

struct block {
  double a[ndim], width, spoil;
};

/* The first component is smooth, the second a Gaussian of the given width; spoil: 1 NaN in a slab. */
static const char text[] =
    "struct block { double a[3], width, spoil; };\n"
    "void f(const double *x, double *v, const block *p) {\n"
    "  double s = 0, t = 0;\n"
    "  for (int j = 0; j < 3; ++j) s += p->a[j] * x[j] * x[j], t += (x[j] - 0.3) * (x[j] - 0.3);\n"
    "  v[0] = exp(-s);\n"
    "  v[1] = exp(-t / (p->width * p->width));\n"
    "  if (p->spoil == 1 && x[0] > 0.4 && x[0] < 0.6) v[1] = sqrt(-1.0 - x[0]);\n"
    "}\n";

struct inputs {
  struct block params[count];
  double lower[count][ndim], upper[count][ndim];
};

struct outputs {
  int result, status[count];
  double value[count][ncomp], error[count][ncomp];
  int64_t evaluations, regions;
};

static void make_inputs(struct inputs *in) {
  uint64_t seed = 11;
  memset(in, 0, sizeof *in);
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < ndim; ++j) {
      in->params[i].a[j] = 0.5 + splitmix_uniform(&seed);
      in->lower[i][j] = -splitmix_uniform(&seed);
      in->upper[i][j] = splitmix_uniform(&seed);
    }
    in->params[i].width = 0.2 + splitmix_uniform(&seed);
    if (i % 5 == 1) in->lower[i][0] = 1, in->upper[i][0] = -0.5;
  }
}

static tessera_solver *make_solver(void) {
  tessera_solver *s = solver_of(ndim, ncomp);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, "f"), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, device);
  put_real(s, TESSERA_RELTOL, 1e-5);
  return s;
}

/* Integrals first .. first+n-1. */
static void run(tessera_solver *s, const struct inputs *in, int first, int n, struct outputs *out) {
  memset(out, 0, sizeof *out);
  for (int i = 0; i < count; ++i) {
    out->status[i] = 99;
    for (int k = 0; k < ncomp; ++k) out->value[i][k] = out->error[i][k] = -1e300;
  }
  out->result =
      tessera_integrate_many(s, TESSERA_CUBATURE, n, in->params + first, sizeof(struct block), in->lower[first],
                             in->upper[first], out->value[first], out->error[first], out->status + first);
  if (out->result < 0) assert_status(s, out->result, TESSERA_OK);
  out->evaluations = got_int(s, TESSERA_EVALUATIONS);
  out->regions = got_int(s, TESSERA_REGIONS);
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), device);
}

/* Returns the evaluations and regions of the single calls. */
struct work {
  int64_t evaluations, regions;
};
static struct work assert_like_single_calls(tessera_solver *s, const struct inputs *in, const struct outputs *out) {
  struct work alone = {0, 0};
  for (int i = 0; i < count; ++i) {
    double value[ncomp], error[ncomp];
    assert_status(s, tessera_set_params(s, &in->params[i], sizeof(struct block)), TESSERA_OK);
    assert_status(s, tessera_set_domain(s, in->lower[i], in->upper[i]), TESSERA_OK);
    assert_int_equal(out->status[i], tessera_integrate(s, TESSERA_CUBATURE, value, error));
    for (int k = 0; k < ncomp; ++k)
      assert_at_most(fabs(out->value[i][k] - value[k]), out->error[i][k] + error[k] + 1e-14 * fabs(value[k]));
    alone.evaluations += got_int(s, TESSERA_EVALUATIONS);
    alone.regions += got_int(s, TESSERA_REGIONS);
  }
  return alone;
}

static void assert_same_row(const struct outputs *a, const struct outputs *b, int i) {
  assert_int_equal(a->status[i], b->status[i]);
  for (int k = 0; k < ncomp; ++k) {
    assert_same_bits(a->value[i][k], b->value[i][k]);
    assert_same_bits(a->error[i][k], b->error[i][k]);
  }
}

static void they_agree_with_single_calls(void **state) {
  struct inputs in;
  struct outputs out, again;
  tessera_solver *s = make_solver();
  (void)state;
  make_inputs(&in);
  run(s, &in, 0, count, &out);
  assert_int_equal(out.result, TESSERA_OK);
  print_message("  %lld evaluations for %d integrals\n", (long long)out.evaluations, count);
  assert_like_single_calls(s, &in, &out);
  /* The same bits again, and with another place in the queue. */
  run(s, &in, 0, count, &again);
  for (int i = 0; i < count; ++i) assert_same_row(&out, &again, i);
  assert_int_equal(out.evaluations, again.evaluations);
  run(s, &in, 37, 100, &again);
  for (int i = 37; i < 137; ++i) assert_same_row(&out, &again, i);
  assert_int_equal(again.status[36], 99);
  assert_int_equal(again.status[137], 99);
  /* Few integrals are run on the whole device. */
  run(s, &in, 3, 5, &again);
  assert_int_equal(again.result, TESSERA_OK);
  for (int i = 3; i < 8; ++i)
    assert_at_most(fabs(again.value[i][0] - out.value[i][0]), again.error[i][0] + out.error[i][0]);
  tessera_destroy(s);
}

static void infinite_and_empty_boxes(void **state) {
  struct inputs in;
  struct outputs out;
  tessera_solver *s = make_solver();
  (void)state;
  make_inputs(&in);
  for (int i = 0; i < count; i += 16) in.lower[i][1] = 0, in.upper[i][1] = INFINITY;
  for (int i = 7; i < count; i += 32) in.lower[i][2] = -INFINITY, in.upper[i][2] = INFINITY;
  for (int i = 9; i < count; i += 32) in.lower[i][0] = INFINITY, in.upper[i][0] = 0; /* reversed as well */
  in.upper[20][2] = in.lower[20][2];
  run(s, &in, 0, count, &out);
  assert_int_equal(out.result, TESSERA_OK);
  assert_same_bits(out.value[20][0], 0);
  assert_true(out.value[9][0] < 0);
  assert_like_single_calls(s, &in, &out);
  tessera_destroy(s);
}

static void one_box_or_one_block_for_all(void **state) {
  struct inputs in;
  struct outputs out, shared;
  tessera_solver *s = make_solver();
  (void)state;
  make_inputs(&in);
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < ndim; ++j) in.lower[i][j] = -0.5, in.upper[i][j] = 1;
  run(s, &in, 0, count, &out);
  assert_status(s, tessera_set_domain(s, in.lower[0], in.upper[0]), TESSERA_OK);
  memcpy(&shared, &out, sizeof shared);
  assert_status(s,
                tessera_integrate_many(s, TESSERA_CUBATURE, count, in.params, sizeof(struct block), NULL, NULL,
                                       shared.value[0], shared.error[0], shared.status),
                TESSERA_OK);
  for (int i = 0; i < count; ++i) assert_same_row(&out, &shared, i);
  make_inputs(&in);
  for (int i = 0; i < count; ++i) in.params[i] = in.params[0];
  run(s, &in, 0, count, &out);
  assert_status(s, tessera_set_params(s, &in.params[0], sizeof(struct block)), TESSERA_OK);
  assert_status(s,
                tessera_integrate_many(s, TESSERA_CUBATURE, count, NULL, 0, in.lower[0], in.upper[0], shared.value[0],
                                       shared.error[0], NULL),
                TESSERA_OK);
  for (int i = 0; i < count; ++i) assert_same_row(&out, &shared, i);
  tessera_destroy(s);
}

/* Narrow peaks need more regions than a block has room for. */
static void large_ones_get_the_whole_device(void **state) {
  struct inputs in;
  struct outputs out;
  tessera_solver *s = make_solver();
  (void)state;
  make_inputs(&in);
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < ndim; ++j) in.lower[i][j] = 0, in.upper[i][j] = 1;
  for (int i = 50; i < 54; ++i) in.params[i].width = 0.02;
  put_real(s, TESSERA_RELTOL, 1e-9);
  run(s, &in, 0, count, &out);
  assert_int_equal(out.result, TESSERA_OK);
  for (int i = 50; i < 54; ++i) {
    const double exact = pow(gauss_between(0.3, 0.02, 0, 1), 3);
    assert_close(out.value[i][1], exact, 1e-9, 0);
  }
  assert_like_single_calls(s, &in, &out);
  tessera_destroy(s);
}

/* Peaks for which blocks have room, beside regions that have to be explored before they claim success. With nothing that only a whole
 * device does, each takes what it takes alone. */
static void small_peaks_are_explored(void **state) {
  struct inputs in;
  struct outputs out;
  tessera_solver *s = make_solver();
  (void)state;
  make_inputs(&in);
  for (int i = 0; i < count; ++i) {
    in.params[i].width = 0.02 * pow(10, i / (double)count);
    for (int j = 0; j < ndim; ++j) in.lower[i][j] = -0.01 * (i % 7) * j, in.upper[i][j] = 1 + 0.02 * (i % 5);
  }
  put_real(s, TESSERA_RELTOL, 1e-3);
  put_int(s, TESSERA_INITIAL_REGIONS, 16);
  put_int(s, TESSERA_RULE, TESSERA_RULE_DEGREE11);
  put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
  put_int(s, TESSERA_BREAK_POINTS, 0);
  run(s, &in, 0, count, &out);
  assert_int_equal(out.result, TESSERA_OK);
  const struct work alone = assert_like_single_calls(s, &in, &out);
  print_message("together %lld evaluations, %lld regions, alone %lld, %lld\n", (long long)out.evaluations,
                (long long)out.regions, (long long)alone.evaluations, (long long)alone.regions);
  /* Rounding may decide; and single runs look across what rises on lines of places too, where many leave that to them. */
  assert_at_most(fabs((double)(out.regions - alone.regions)), 0.01 * (double)alone.regions);
  assert_at_most(fabs((double)(out.evaluations - alone.evaluations)), 0.02 * (double)alone.evaluations);
  for (int i = 0; i < count; ++i) {
    const double w = in.params[i].width;
    double exact = 1;
    for (int j = 0; j < ndim; ++j) exact *= gauss_between(0.3, w, in.lower[i][j], in.upper[i][j]);
    assert_int_equal(out.status[i], TESSERA_OK);
    assert_close(out.value[i][1], exact, 1e-3, 0);
  }
  tessera_destroy(s);
}

/* Over infinite ranges a wide normal density, and one that is narrow beside 0 on all axes or on all but the last, where no point of the first regions is. */
struct two_densities {
  double at[ndim], width, narrow, share;
  int axes;
};
static const char text_of_two[] =
    "struct two_densities { double at[3], width, narrow, share; int axes; };\n"
    "__device__ double normal(double x, double at, double w) {\n"
    "  const double z = (x - at) / w;\n"
    "  return 0.3989422804014327 / w * exp(-0.5 * z * z);\n"
    "}\n"
    "double f(const double *x, const two_densities *p) {\n"
    "  double wide = 1, narrow = p->share;\n"
    "  for (int j = 0; j < 3; ++j) {\n"
    "    wide *= normal(x[j], p->at[j], p->width);\n"
    "    narrow *= j < p->axes ? normal(x[j], 0, p->narrow) : normal(x[j], p->at[j], p->width);\n"
    "  }\n"
    "  return wide + narrow;\n"
    "}\n";
static void ends_of_infinite_ranges_are_looked_at(void **state) {
  enum { rows = 300 };
  static struct two_densities params[rows];
  static double value[rows], error[rows];
  static int status[rows];
  const double lower[ndim] = {-INFINITY, -INFINITY, -INFINITY}, upper[ndim] = {INFINITY, INFINITY, INFINITY};
  uint64_t seed = 28129559;
  int claims = 0, wrong = 0;
  tessera_solver *s = solver_of(ndim, 1);
  (void)state;
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text_of_two, "f"), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, device);
  put_real(s, TESSERA_RELTOL, 1e-2);
  assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < ndim; ++j) params[i].at[j] = 0.3 + splitmix_uniform(&seed);
    params[i].width = 0.4 + 0.6 * splitmix_uniform(&seed);
    params[i].narrow = 1e-4 * pow(30, splitmix_uniform(&seed));
    params[i].share = 0.2 + splitmix_uniform(&seed);
    params[i].axes = ndim - i % 2;
  }
  assert_status(
      s, tessera_integrate_many(s, TESSERA_CUBATURE, rows, params, sizeof *params, NULL, NULL, value, error, status),
      TESSERA_OK);
  for (int i = 0; i < rows; ++i) {
    if (status[i] != TESSERA_OK) continue;
    const double exact = 1 + params[i].share;
    ++claims;
    wrong += fabs(value[i] - exact) > 1e-2 * exact;
  }
  print_message("ends of infinite ranges: %d of %d claims are false, of %d rows\n", wrong, claims, (int)rows);
  assert_true(2 * claims >= rows);
  assert_true(30 * wrong <= claims);
  tessera_destroy(s);
}

/* What regions miss, and looks before success see: beside something smooth in all four variables a resonance in one of them, a narrow peak upon the top of a wide one,
 * or a window of two. */
enum { hidden_ndim = 4, hidden_rows = 300 };
enum hidden_kind { beside_smooth, upon_wide, in_window, hidden_kinds };
struct hidden {
  double at, width, height, wide; /* wide: of the peak that it stands upon; of a window, where its other axis begins */
  int axis;
};
static const char text_of_hidden[] =
    "struct hidden { double at, width, height, wide; int axis; };\n"
    "double in_window(const double *x, const hidden *p) {\n"
    "  const double first = x[p->axis] - p->at, second = x[(p->axis + 1) % 4] - p->wide;\n"
    "  const bool is_inside = first > 0 && first < p->width && second > 0 && second < p->width;\n"
    "  return 1 + 0.3 * (x[0] - 0.5) + (is_inside ? p->height : 0);\n"
    "}\n"
    "double beside_smooth(const double *x, const hidden *p) {\n"
    "  const double z = (x[p->axis] - p->at) / p->width;\n"
    "  double smooth = 1;\n"
    "  for (int j = 0; j < 4; ++j) smooth *= 1 + 0.3 * (x[j] - 0.5);\n"
    "  return smooth + p->height * exp(-z * z);\n"
    "}\n"
    "double upon_wide(const double *x, const hidden *p) {\n"
    "  double q = 0;\n"
    "  for (int j = 0; j < 4; ++j) q += (x[j] - p->at) * (x[j] - p->at);\n"
    "  return exp(-q / (p->wide * p->wide)) + p->height * exp(-q / (p->width * p->width));\n"
    "}\n";
/* Returns the integral. */
static double draw_hidden(struct hidden *h, enum hidden_kind kind, int i, uint64_t *seed) {
  const double share = 0.1 + 0.9 * splitmix_uniform(seed);
  if (kind == in_window) {
    h->width = 0.08 * pow(2.5, splitmix_uniform(seed));
    h->at = (1 - h->width) * splitmix_uniform(seed);
    h->wide = (1 - h->width) * splitmix_uniform(seed);
    h->axis = i % hidden_ndim;
    h->height = 10 * share;
    return 1 + h->height * h->width * h->width;
  }
  h->at = 0.1 + 0.8 * splitmix_uniform(seed);
  h->width = (kind == upon_wide ? 0.01 : 0.003) * pow(4, splitmix_uniform(seed));
  h->wide = 0.3;
  h->axis = i % hidden_ndim;
  const double smooth = kind == upon_wide ? pow(gauss_between(h->at, h->wide, 0, 1), hidden_ndim) : 1;
  h->height = share * smooth / pow(gauss_between(h->at, h->width, 0, 1), kind == upon_wide ? hidden_ndim : 1);
  return smooth * (1 + share);
}
static void hidden_ones_are_seen(void **state) {
  static struct hidden params[hidden_rows];
  static double exact[hidden_rows], value[hidden_rows], error[hidden_rows];
  static int status[hidden_rows];
  static const char *const functions[] = {"beside_smooth", "upon_wide", "in_window"};
  (void)state;
  for (int kind = 0; kind < hidden_kinds; ++kind) {
    uint64_t seed = 28129678 + (uint64_t)kind;
    int wrong[2] = {0, 0}, claims[2] = {0, 0};
    for (int i = 0; i < hidden_rows; ++i) exact[i] = draw_hidden(&params[i], (enum hidden_kind)kind, i, &seed);
    for (int looks = 0; looks < 2; ++looks) { /* TESSERA_LEAST_REGIONS = 1 turns them off */
      tessera_solver *s = solver_of(hidden_ndim, 1);
      assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text_of_hidden, functions[kind]),
                    TESSERA_OK);
      put_int(s, TESSERA_DEVICE, device);
      put_real(s, TESSERA_RELTOL, 1e-3);
      put_int(s, TESSERA_MAXEVAL, 1000000);
      put_int(s, TESSERA_LEAST_REGIONS, 1 - looks);
      assert_true(tessera_integrate_many(s, TESSERA_CUBATURE, hidden_rows, params, sizeof *params, NULL, NULL, value,
                                         error, status) >= 0);
      for (int i = 0; i < hidden_rows; ++i) {
        claims[looks] += status[i] == TESSERA_OK;
        wrong[looks] += status[i] == TESSERA_OK && fabs(value[i] - exact[i]) > 1e-3 * exact[i];
      }
      tessera_destroy(s);
    }
    print_message("%s: %d of %d claims are false, without looks %d of %d, of %d rows\n", functions[kind], wrong[1],
                  claims[1], wrong[0], claims[0], (int)hidden_rows);
    assert_true(2 * claims[1] >= hidden_rows);
    assert_true(20 * wrong[1] <= claims[1]);
    assert_true(10 * wrong[0] >= claims[0]);
  }
}

static void failures_stay_alone(void **state) {
  struct inputs in;
  struct outputs clean, out;
  tessera_solver *s = make_solver();
  (void)state;
  make_inputs(&in);
  for (int i = 40; i < 44; ++i)
    for (int j = 0; j < ndim; ++j) in.lower[i][j] = 0, in.upper[i][j] = 1;
  run(s, &in, 0, count, &clean);
  in.params[40].spoil = in.params[43].spoil = 1;
  in.lower[41][2] = NAN;
  run(s, &in, 0, count, &out);
  assert_int_equal(out.result, TESSERA_SOME_FAILED);
  assert_says(tessera_last_error(s), "integral 41 (counted from 0): lower[2] is NaN");
  assert_int_equal(out.status[40], TESSERA_NONFINITE);
  assert_int_equal(out.status[43], TESSERA_NONFINITE);
  assert_true(!(out.error[40][1] < 1e300));
  assert_int_equal(out.status[41], TESSERA_ERR_ARGUMENT);
  assert_same_bits(out.value[41][0], -1e300);
  for (int i = 0; i < count; ++i)
    if (i != 40 && i != 41 && i != 43) assert_same_row(&clean, &out, i);
  in.lower[41][2] = 0;
  run(s, &in, 0, count, &out);
  assert_int_equal(out.result, TESSERA_NONFINITE);
  assert_says(tessera_last_error(s), "integral 40 (counted from 0): the integrand returned NaN");
  tessera_destroy(s);
}

/* In C the return value ends an integral, and no other. */
static void a_stop_stays_alone(void **state) {
  static const char c_text[] =
      "#include <math.h>\n#include <stdio.h>\n"
      "int f(int n, const double *x, int m, double *v, void *block) {\n"
      "  const double *p = block;\n"
      "  if (p[1] > 0 && x[0] > 0.3) { printf(\"stop\\n\"); return (int)p[1]; }\n"
      "  v[0] = exp(-p[0] * x[0]);\n"
      "  return 0;\n"
      "}\n";
  enum { rows = 40 };
  double p[rows][2], value[rows], error[rows];
  int status[rows];
  tessera_solver *s = solver_of(ndim, 1);
  (void)state;
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, c_text, "f"), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, device);
  for (int again = 0; again < 2; ++again) {
    for (int i = 0; i < rows; ++i) {
      p[i][0] = 0.5 + 0.1 * i;
      p[i][1] = again ? 0 : (i == 5 ? 17 : (i == 30 ? 23 : 0));
      value[i] = -1e300;
    }
    const int result =
        tessera_integrate_many(s, TESSERA_CUBATURE, rows, p, sizeof p[0], NULL, NULL, value, error, status);
    assert_status(s, result, again ? TESSERA_OK : TESSERA_SOME_FAILED);
    if (!again)
      assert_says(tessera_last_error(s),
                  "integral 5 (counted from 0): the integrand returned 17 before there was a value");
    assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), again ? 0 : 17);
    for (int i = 0; i < rows; ++i) {
      if (p[i][1] > 0) {
        assert_int_equal(status[i], TESSERA_ERR_CALLBACK);
        assert_same_bits(value[i], -1e300);
      } else {
        assert_int_equal(status[i], TESSERA_OK);
        assert_close(value[i], -expm1(-p[i][0]) / p[i][0], 1e-6, 0);
      }
    }
  }
  tessera_destroy(s);
}

static int stop_at_once(int64_t evaluations, int nc, const double *value, const double *error, int64_t remaining,
                        void *userdata) {
  (void)evaluations, (void)nc, (void)value, (void)error, (void)remaining;
  ++*(int *)userdata;
  return 1;
}

static void limits_hold(void **state) {
  struct inputs in;
  struct outputs out;
  int calls = 0;
  tessera_solver *s = make_solver();
  (void)state;
  make_inputs(&in);
  put_real(s, TESSERA_RELTOL, 1e-14);
  put_int(s, TESSERA_MAXEVAL, 20000);
  run(s, &in, 0, count, &out);
  assert_int_equal(out.result, TESSERA_LIMIT_EVALUATIONS);
  assert_true(out.evaluations <= (int64_t)count * 20000);
  assert_true(out.evaluations > (int64_t)count * 10000);
  put_real(s, TESSERA_RELTOL, 1e-5);
  put_int(s, TESSERA_MAXEVAL, 100000000);
  assert_status(s, tessera_set_progress(s, stop_at_once, &calls), TESSERA_OK);
  run(s, &in, 0, count, &out);
  assert_int_equal(out.result, TESSERA_STOPPED);
  assert_int_equal(calls, 1);
  assert_int_equal(out.status[count - 1], TESSERA_STOPPED);
  assert_true(isnan(out.value[count - 1][0]));
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(they_agree_with_single_calls), cmocka_unit_test(infinite_and_empty_boxes),
      cmocka_unit_test(one_box_or_one_block_for_all), cmocka_unit_test(large_ones_get_the_whole_device),
      cmocka_unit_test(small_peaks_are_explored),     cmocka_unit_test(ends_of_infinite_ranges_are_looked_at),
      cmocka_unit_test(hidden_ones_are_seen),         cmocka_unit_test(failures_stay_alone),
      cmocka_unit_test(a_stop_stays_alone),           cmocka_unit_test(limits_hold),
  };
  double value[ncomp], error[ncomp];
  tessera_solver *s = make_solver();
  const struct block p = {{1, 1, 1}, 1, 0};
  assert_status(s, tessera_set_params(s, &p, sizeof p), TESSERA_OK);
  const int status = tessera_integrate_many(s, TESSERA_CUBATURE, 1, NULL, 0, NULL, NULL, value, error, NULL);
  if (status == TESSERA_ERR_NOT_BUILT) {
    printf("skipped: %s\n", tessera_last_error(s));
    tessera_destroy(s);
    return no_device_here();
  }
  tessera_destroy(s);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
