/* Regions handed out and taken back: a run in parts is the run as a whole.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "cases.h"
#include "solve.h"

enum { nd = 3, nc = 3, fields = 2 * nd + 3 * nc + 2 };

/* Symmetric, so that equal errors abound, and with components of very different size. */
static int peaks(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)userdata;
  double s = 0;
  for (int j = 0; j < ndim; ++j) s += (x[j] - 0.5) * (x[j] - 0.5);
  for (int k = 0; k < ncomp; ++k) f[k] = pow(1000.0, k) / (s + 1e-3 * (3 - k)) * (k == 1 ? fabs(x[0] - 0.3) : 1.0);
  return 0;
}

struct mode {
  int estimate, priority, selection;
};
static const struct mode modes[] = {
    {TESSERA_ESTIMATE_CLASSIC, TESSERA_PRIORITY_ALL, TESSERA_SELECT_WORST_FIRST},
    {TESSERA_ESTIMATE_CLASSIC, TESSERA_PRIORITY_WORST_COMPONENT, TESSERA_SELECT_WORST_FIRST},
    {TESSERA_ESTIMATE_ROBUST, TESSERA_PRIORITY_WORST_COMPONENT, TESSERA_SELECT_WORST_FIRST},
    {TESSERA_ESTIMATE_CLASSIC, TESSERA_PRIORITY_ALL, TESSERA_SELECT_BULK},
};

static tessera_solver *make(struct mode m, int64_t maxeval) {
  tessera_solver *s = solver_of(nd, nc);
  put_point(s, peaks, NULL);
  put_int(s, TESSERA_ESTIMATE, m.estimate);
  put_int(s, TESSERA_PRIORITY, m.priority);
  put_int(s, TESSERA_SELECTION, m.selection);
  put_int(s, TESSERA_KEEP_REGIONS, 1);
  put_int(s, TESSERA_MAXEVAL, maxeval);
  put_real(s, TESSERA_RELTOL, 1e-9);
  return s;
}

static double *regions_of(tessera_solver *s, int64_t *n) {
  assert_status(s, tessera_get_regions(s, 0, 0, NULL, n), TESSERA_OK);
  double *records = malloc(sizeof(double) * fields * (size_t)*n);
  assert_non_null(records);
  assert_status(s, tessera_get_regions(s, 0, *n, records, NULL), TESSERA_OK);
  return records;
}

static void a_run_in_parts_is_the_run_as_a_whole(void **state) {
  (void)state;
  for (size_t m = 0; m < sizeof modes / sizeof *modes; ++m) {
    double value[nc], error[nc], whole[nc], whole_error[nc];
    tessera_solver *s = make(modes[m], 300000);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, whole, whole_error), TESSERA_LIMIT_EVALUATIONS);
    const int64_t evaluations = got_int(s, TESSERA_EVALUATIONS);
    tessera_destroy(s);

    double *records = NULL;
    int64_t n = 0, done = 0;
    const int64_t limits[] = {127, 400, 5000, 90000, 91000, 300000};
    for (int part = 0; part < 6; ++part) {
      s = make(modes[m], limits[part]); /* a new solver each time */
      if (n > 0) assert_status(s, tessera_set_regions(s, n, records, done), TESSERA_OK);
      free(records);
      assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_LIMIT_EVALUATIONS);
      done = got_int(s, TESSERA_EVALUATIONS);
      const int64_t points = got_int(s, TESSERA_RULE_POINTS);
      assert_int_equal(
          points, modes[m].estimate == TESSERA_ESTIMATE_ROBUST ? 127 + 6 + 2 : 127); /* near the faces, and probes */
      records = regions_of(s, &n);
      assert_int_equal(n, got_int(s, TESSERA_REGIONS));
      if (modes[m].selection != TESSERA_SELECT_BULK) assert_int_equal(done, points * (2 * n - 1));
      tessera_destroy(s);
    }
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += records[i * fields + 2 * nd];
    assert_close(sum, value[0], 1e-13, 0);
    free(records);
    if (modes[m].selection == TESSERA_SELECT_BULK) { /* a limit cuts a bulk step short: the way differs */
      for (int k = 0; k < nc; ++k) assert_close(value[k], whole[k], 0, error[k] + whole_error[k]);
      continue;
    }
    assert_int_equal(done, evaluations);
    for (int k = 0; k < nc; ++k) {
      assert_same_bits(value[k], whole[k]);
      assert_same_bits(error[k], whole_error[k]);
    }
  }
}

static void the_classic_order_is_that_of_the_heap(void **state) {
  (void)state;
  double value[nc], error[nc];
  int64_t n;
  tessera_solver *s = make(modes[0], 100000);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_LIMIT_EVALUATIONS);
  double *records = regions_of(s, &n), volume = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double *r = records + i * fields, *up = records + (i - 1) / 2 * fields;
    double largest = 0, above = 0;
    for (int k = 0; k < nc; ++k) {
      largest = fmax(largest, r[2 * nd + nc + k]);
      above = fmax(above, up[2 * nd + nc + k]);
      assert_in_range((int)r[2 * nd + 2 * nc + k], 0, nd - 1);
    }
    if (i > 0) assert_at_most(largest, above);
    volume += 8 * r[nd] * r[nd + 1] * r[nd + 2];
  }
  assert_close(volume, 1, 1e-12, 0);
  free(records);
  tessera_destroy(s);
}

/* Given regions are for one run, and the tolerance may be met at once. */
static void what_was_given_is_used_once(void **state) {
  (void)state;
  double value[nc], error[nc], again[nc], again_error[nc];
  int64_t n;
  tessera_solver *s = make(modes[0], 10000000);
  put_real(s, TESSERA_RELTOL, 1e-3);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  const int64_t evaluations = got_int(s, TESSERA_EVALUATIONS);
  double *records = regions_of(s, &n);
  assert_status(s, tessera_set_regions(s, n, records, evaluations), TESSERA_OK);
  for (int run = 0; run < 2; ++run) {
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, again, again_error), TESSERA_OK);
    assert_int_equal(got_int(s, TESSERA_EVALUATIONS), evaluations);
    assert_int_equal(got_int(s, TESSERA_ITERATIONS), run == 0 ? 0 : n - 1);
    for (int k = 0; k < nc; ++k) assert_same_bits(again[k], value[k]);
  }
  free(records);
  tessera_destroy(s);
}

/* With the worst component's priority no component is refined beyond need: here only one is hard. */
static int one_hard(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = 1e9 * (1 + x[0]); /* its rounding error is larger than the others' errors */
  f[1] = 1 / (1e-4 + (x[1] - 0.37) * (x[1] - 0.37));
  f[2] = 1e-6 * x[2];
  return 0;
}

static void the_worst_component_decides(void **state) {
  (void)state;
  double value[nc], error[nc];
  int64_t n;
  tessera_solver *s = make(modes[1], 10000000);
  put_point(s, one_hard, NULL);
  put_real(s, TESSERA_RELTOL, 1e-5);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  double *records = regions_of(s, &n);
  assert_true(n > 4);
  for (int64_t i = 0; i < n; ++i) { /* cut along x[1] alone */
    assert_same_bits(records[i * fields + nd], 0.5);
    assert_same_bits(records[i * fields + nd + 2], 0.5);
  }
  free(records);
  tessera_destroy(s);
}

struct watcher {
  tessera_solver *s;
  int64_t calls, regions;
  int status, other;
};
static int watch(int64_t evaluations, int ncomp, const double *value, const double *error, int64_t remaining,
                 void *userdata) {
  struct watcher *w = userdata;
  double record[fields];
  int64_t key;
  (void)evaluations, (void)ncomp, (void)value, (void)error, (void)remaining;
  ++w->calls;
  w->status = tessera_get_regions(w->s, 0, 1, record, &w->regions);
  w->other = tessera_get_int(w->s, TESSERA_MAXEVAL, &key);
  return w->status != 0 || w->regions != w->calls;
}

static void the_progress_callback_sees_every_step(void **state) {
  (void)state;
  double value[nc], error[nc];
  tessera_solver *s = make(modes[1], 20000);
  struct watcher w = {s, 0, 0, 0, 0};
  put_real(s, TESSERA_PROGRESS_SECONDS, 0);
  assert_status(s, tessera_set_progress(s, watch, &w), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_LIMIT_EVALUATIONS);
  assert_int_equal(w.status, TESSERA_OK);
  assert_int_equal(w.other, TESSERA_ERR_BUSY);
  assert_int_equal(w.calls, got_int(s, TESSERA_ITERATIONS));
  tessera_destroy(s);
}

/* One error far above all others: they are still there when its region has been divided, and it is no mark of the library's own. */
static void an_error_that_is_far_too_large(void **state) {
  (void)state;
  const double errors[] = {1e40, 1e300, 1.7e308};
  for (size_t m = 0; m < sizeof modes / sizeof *modes; ++m)
    for (int i = 0; i < 6; ++i) {
      struct mode how = modes[m];
      if (i >= 3 && how.priority == TESSERA_PRIORITY_ALL) how.estimate = TESSERA_ESTIMATE_ROBUST;
      double value[nc], error[nc];
      int64_t n;
      tessera_solver *s = make(how, 30000);
      assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_LIMIT_EVALUATIONS);
      double *records = regions_of(s, &n);
      for (int r = 0; r < 2; ++r)
        for (int k = 0; k < nc; ++k) records[r * fields + 2 * nd + nc + k] = errors[i % 3] / (r == 0 ? 1 : 1e20);
      assert_status(s, tessera_set_regions(s, n, records, 30000), TESSERA_OK);
      free(records);
      put_int(s, TESSERA_MAXEVAL, 90000);
      const int status = tessera_integrate(s, TESSERA_CUBATURE, value, error);
      if (status != TESSERA_OK) assert_status(s, status, TESSERA_LIMIT_EVALUATIONS);
      records = regions_of(s, &n);
      for (int k = 0; k < nc; ++k) {
        double sum = 0;
        for (int64_t r = 0; r < n; ++r) sum += records[r * fields + 2 * nd + nc + k];
        assert_close(error[k], sum, 0.05, 0); /* larger with few regions */
        if (status == TESSERA_OK) assert_at_most(error[k], 1e-9 * fabs(value[k]));
      }
      free(records);
      tessera_destroy(s);
    }
}

static void impossible_regions_are_refused(void **state) {
  (void)state;
  double value[nc], error[nc];
  int64_t n;
  tessera_solver *s = make(modes[0], 1000);
  double record[fields];
  assert_int_equal(tessera_get_regions(NULL, 0, 0, NULL, &n), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_regions(NULL, 0, NULL, 0), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_get_regions(s, 0, 0, NULL, &n), TESSERA_ERR_UNSUPPORTED);
  tessera_integrate(s, TESSERA_CUBATURE, value, error);
  assert_status(s, tessera_get_regions(s, 0, 1, NULL, NULL), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_get_regions(s, 4, 1, record, NULL), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_get_regions(s, -1, 1, record, NULL), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_get_regions(s, 1, INT64_MAX, record, NULL), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_get_regions(s, 3, 1, record, NULL), TESSERA_OK);
  assert_status(s, tessera_set_regions(s, 1, NULL, 127), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_set_regions(s, -1, record, 127), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_set_regions(s, 1, record, -1), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_set_regions(s, INT64_MAX, record, 127), TESSERA_ERR_MEMORY);
  const double bad[] = {NAN, INFINITY, -1e-9};
  for (int field = 0; field < fields; ++field)
    for (int b = 0; b < 3; ++b) {
      if (b == 2 && (field < nd || (field >= 2 * nd && field < 2 * nd + nc))) continue; /* may be negative */
      double broken[fields];
      memcpy(broken, record, sizeof broken);
      broken[field] = bad[b];
      assert_status(s, tessera_set_regions(s, 1, broken, 127), TESSERA_ERR_ARGUMENT);
      assert_says(tessera_last_error(s), "of region 0");
    }
  assert_status(s, tessera_set_regions(s, 1, record, INT64_MAX),
                TESSERA_ERR_ARGUMENT); /* it would never reach MAXEVAL */
  assert_says(tessera_last_error(s), "evaluations");
  for (int j = 0; j < nd; ++j)
    for (int b = 0; b < 3; ++b) {
      double outside[fields];
      memcpy(outside, record, sizeof outside);
      outside[j + (b == 2 ? nd : 0)] = b == 0 ? 1.9e299 : b == 1 ? -0.5 : 0.75;
      assert_status(s, tessera_set_regions(s, 1, outside, 127), TESSERA_OK); /* the domain may change yet */
      assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_ERR_ARGUMENT);
      assert_says(tessera_last_error(s), "region 0 is not inside the domain");
    }
  { /* a region that is too low by next to nothing beside the other limit */
    double low[nd], high[nd], outside[fields];
    for (int j = 0; j < nd; ++j) low[j] = 1, high[j] = j == 0 ? 1e200 : 2;
    memcpy(outside, record, sizeof outside);
    for (int j = 0; j < nd; ++j) outside[j] = j == 0 ? 1 : 1.5, outside[nd + j] = 0.25;
    assert_status(s, tessera_set_domain(s, low, high), TESSERA_OK);
    assert_status(s, tessera_set_regions(s, 1, outside, 127), TESSERA_OK);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_ERR_ARGUMENT);
    assert_says(tessera_last_error(s), "region 0 is not inside the domain");
    put_cube(s, nd, 0, 1);
    assert_status(s, tessera_set_regions(s, 0, NULL, 0), TESSERA_OK);
  }
  put_int(s, TESSERA_KEEP_REGIONS, 0);
  tessera_integrate(s, TESSERA_CUBATURE, value, error);
  assert_status(s, tessera_get_regions(s, 0, 0, NULL, &n), TESSERA_ERR_UNSUPPORTED);
  put_int(s, TESSERA_KEEP_REGIONS, 1);
  put_int(s, TESSERA_MAX_MEMORY, 160000); /* some are given up */
  put_int(s, TESSERA_MAXEVAL, 400000);
  tessera_integrate(s, TESSERA_CUBATURE, value, error);
  assert_status(s, tessera_get_regions(s, 0, 0, NULL, &n), TESSERA_ERR_UNSUPPORTED);
  assert_says(tessera_last_error(s), "memory");
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_in_parts_is_the_run_as_a_whole), cmocka_unit_test(the_classic_order_is_that_of_the_heap),
      cmocka_unit_test(what_was_given_is_used_once),          cmocka_unit_test(the_worst_component_decides),
      cmocka_unit_test(an_error_that_is_far_too_large),       cmocka_unit_test(the_progress_callback_sees_every_step),
      cmocka_unit_test(impossible_regions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
