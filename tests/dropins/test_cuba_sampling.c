/* Vegas, Suave and Divonne as a caller in C sees them.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cuba.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "close.h"
#include "cuba_call.h"

static void assert_same_result(const struct call *a, const struct call *b) {
  assert_int_equal(a->fail, b->fail);
  assert_int_equal(a->neval, b->neval);
  for (int k = 0; k < a->ncomp; ++k) {
    assert_same_bits(a->integral[k], b->integral[k]);
    assert_same_bits(a->error[k], b->error[k]);
    assert_same_bits(a->prob[k], b->prob[k]);
  }
}
static void assert_untouched(const struct call *c) {
  for (int k = 0; k < most_ncomp; ++k) {
    assert_same_bits(c->integral[k], -9);
    assert_same_bits(c->error[k], -10);
    assert_same_bits(c->prob[k], -11);
  }
}
static double tolerated(const struct call *c, int k) { return fmax(c->epsabs, c->epsrel * fabs(c->integral[k])); }

static atomic_llong strange_arguments;

/* ---- Values ---------------------------------------------------------------------------------------------------------------- */
static void values_are_right(void **state) {
  (void)state;
  for (enum routine r = 0; r < routines; ++r)
    for (int ndim = r == divonne_routine ? 2 : 1; ndim <= 6; ++ndim) {
      const int ncomp = 1 + ndim % 2;
      struct call c = make(r, ndim, ncomp, bells);
      c.maxeval = 5000000;
      c.seed = 3;
      points_seen = 0;
      run(&c);
      assert_int_equal(c.fail, 0);
      assert_int_equal(c.neval, points_seen);
      if (r == suave_routine) assert_true(c.nregions > 1); /* strata */
      if (r == divonne_routine) assert_true(c.nregions >= 1);
      for (int k = 0; k < ncomp; ++k) {
        assert_at_most(c.error[k], tolerated(&c, k));
        assert_close(c.integral[k], exact_bell(ndim, k), 0, 4 * c.error[k]);
        assert_true((c.prob[k] >= 0 && c.prob[k] <= 1) || c.prob[k] == -999);
      }
    }
}

static void a_thousand_variables(void **state) {
  (void)state;
  for (enum routine r = 0; r < routines; ++r) {
    struct call c = make(r, 1024, 1, bells);
    c.epsrel = 10;
    c.maxeval = 3000;
    run(&c); /* of course nothing of the bell is seen */
    assert_true(c.fail >= 0 && c.neval <= 3000);
    c.ndim = 1025;
    run(&c);
    assert_int_equal(c.fail, -1);
  }
}

static void seeds(void **state) {
  static const int seed[] = {0, 1, 2, -1, -2147483647 - 1, 2147483647};
  struct call first[6];
  (void)state;
  for (int i = 0; i < 6; ++i) {
    first[i] = make(vegas_routine, 3, 1, bells);
    first[i].seed = seed[i];
    run(&first[i]);
    struct call again = make(vegas_routine, 3, 1, bells);
    again.seed = seed[i];
    again.flags = 3 << 8; /* a level of the generator */
    run(&again);
    assert_same_result(&again, &first[i]);
    for (int j = 0; j < i; ++j) assert_true(first[i].integral[0] != first[j].integral[0]);
  }
}

/* ---- Limits ----------------------------------------------------------------------------------------------------------------- */
static void mineval_and_maxeval(void **state) {
  (void)state;
  for (enum routine r = 0; r < routines; ++r) {
    for (int maxeval = -1; maxeval < 60000; maxeval += maxeval < 40 ? 1 : maxeval / 3) {
      struct call c = make(r, 3, 2, bells);
      c.epsrel = 1e-9;
      c.maxeval = maxeval;
      c.border = maxeval % 2 ? 0 : 0.01;
      points_seen = 0;
      run(&c);
      if (c.fail != 0) assert_true(r == divonne_routine ? c.fail > 0 : c.fail == 1);
      assert_int_equal(c.neval, points_seen);
      assert_at_most(c.neval, maxeval < 0 ? 0 : maxeval);
      if (maxeval < 1000) assert_true(c.fail > 0);
      if (maxeval < 2) assert_true(isnan(c.integral[0]) && isinf(c.error[1]) && c.prob[0] == -999);
      if (maxeval > 1000) assert_true(c.neval > maxeval / 2 && isfinite(c.error[0]));
    }
    struct call c = make(r, 3, 1, bells);
    c.mineval = 300000;
    run(&c);
    assert_int_equal(c.fail, 0);
    assert_true(c.neval >= 300000);
  }
}

static void wrong_arguments_fail(void **state) {
  (void)state;
  for (enum routine r = 0; r < routines; ++r) {
    static const int bad[][3] = {{0, 1, -1},  {-5, 1, -1},   {1025, 1, -1}, {3, 0, -2},
                                 {3, -1, -2}, {3, 1025, -2}, {0, 0, -1}};
    double point[3] = {0.5, 0.5, 0.5};
    for (int i = 0; i < 7; ++i) {
      struct call c = make(r, bad[i][0], bad[i][1], bells);
      run(&c);
      assert_int_equal(c.fail, bad[i][2]);
      assert_int_equal(c.neval, 0);
      assert_untouched(&c);
    }
    for (int i = 0; i < 10; ++i) {
      struct call c = make(r, 3, 1, bells);
      enum routine of = divonne_routine;
      switch (i) {
        case 0:
          c.f = NULL, of = r;
          break;
        case 1:
          c.nstart = 0, of = vegas_routine;
          break;
        case 2:
          c.nincrease = -1, of = vegas_routine;
          break;
        case 3:
          c.nbatch = 0, of = vegas_routine;
          break;
        case 4:
          c.nnew = 0, of = suave_routine;
          break;
        case 5:
          c.border = 0.5;
          break;
        case 6:
          c.border = NAN;
          break;
        case 7:
          c.ngiven = 1;
          break;
        case 8:
          c.nextra = 1;
          break;
        case 9:
          c.ngiven = 1, c.xgiven = point, c.ldxgiven = 2;
          break;
      }
      if (of != r) continue;
      points_seen = 0;
      run(&c);
      assert_int_equal(c.fail, TESSERA_CUBA_WRONG_ARGUMENT);
      assert_int_equal(c.neval, 0);
      assert_int_equal(points_seen, 0);
      assert_untouched(&c);
    }
  }
  struct call c = make(divonne_routine, 1, 1, bells); /* as the original */
  run(&c);
  assert_int_equal(c.fail, -1);
  int fail = 0, neval = 0;
  double value[1] = {0};
  Vegas(3, 1, c.f, NULL, 1, 1e-2, 0, 0, 0, 0, 1000, 100, 10, 10, 0, NULL, NULL, &neval, NULL, value, value, value);
  Vegas(3, 1, c.f, NULL, 1, 1e-2, 0, 0, 0, 0, 1000, 100, 10, 10, 0, NULL, NULL, NULL, &fail, value, value, value);
  assert_int_equal(fail, TESSERA_CUBA_WRONG_ARGUMENT);
  fail = 0;
  Suave(3, 1, c.f, NULL, 1, 1e-2, 0, 0, 0, 0, 1000, 100, 10, 10, NULL, NULL, NULL, &neval, &fail, value, value, value);
  assert_int_equal(fail, TESSERA_CUBA_WRONG_ARGUMENT);
  fail = 0;
  Vegas(3, 1, c.f, NULL, 1, 1e-2, 0, 0, 0, 0, 1000, 100, 10, 10, 0, NULL, NULL, &neval, &fail, value, value, NULL);
  assert_int_equal(fail, TESSERA_CUBA_WRONG_ARGUMENT);
}

static int abort_at;
static int aborting(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata, const int *nvec,
                    const int *core, const void *weight, const int *iter) {
  bells(ndim, x, ncomp, f, userdata, nvec, core, weight, iter);
  return points_seen >= abort_at ? -999 : points_seen % 2 ? 17 : -1;
}
static int not_a_number(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata,
                        const int *nvec, const int *core, const void *weight, const int *iter) {
  bells(ndim, x, ncomp, f, userdata, nvec, core, weight, iter);
  if (points_seen > abort_at) f[0] = abort_at % 2 ? NAN : INFINITY;
  return 0;
}
static int cancelling(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata, const int *nvec,
                      const int *core, const void *weight, const int *iter) {
  bells(ndim, x, ncomp, f, userdata, nvec, core, weight, iter);
  if (points_seen == 20000) tessera_cuba_cancel();
  return 0;
}
static void the_integrand_can_end_the_run(void **state) {
  static const int at[] = {1, 200, 5000, 30001};
  (void)state;
  for (enum routine r = 0; r < routines; ++r)
    for (int i = 0; i < 4; ++i) {
      struct call c = make(r, 3, 2, aborting);
      c.epsrel = 1e-12;
      abort_at = at[i];
      points_seen = 0;
      run(&c);
      assert_int_equal(c.fail, -99);
      assert_int_equal(points_seen, at[i]);
      assert_true(c.neval <= at[i]);
      assert_untouched(&c);
      c = make(r, 3, 2, not_a_number);
      c.epsrel = 1;
      c.mineval = 60000;
      abort_at = at[i];
      points_seen = 0;
      run(&c);
      assert_int_equal(c.fail, 1);
      for (int k = 0; k < 2; ++k) assert_true(isinf(c.error[k]) && c.prob[k] == -999);
      c = make(r, 3, 2, cancelling);
      c.epsrel = 1e-12;
      points_seen = 0;
      run(&c);
      assert_true(r == divonne_routine ? c.fail > 0 : c.fail == 1);
      assert_int_equal(points_seen, 20000);
      assert_true(c.neval <= 20000 && c.integral[0] > 0);
    }
}

/* ---- Calls -------------------------------------------------------------------------------------------------------------------- */
static int looking(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata, const int *nvec,
                   const int *core, const void *weight, const int *iter) {
  const struct call *c = userdata;
  if (*nvec < 1 || *nvec > c->nvec || *core != -1) ++strange_arguments;
  if (c->routine == divonne_routine) {
    if (*(const int *)weight < 1 || *(const int *)weight > 3) ++strange_arguments;
  } else {
    for (int i = 0; i < *nvec; ++i)
      if (!(((const double *)weight)[i] >= 0 && ((const double *)weight)[i] < 1)) ++strange_arguments;
    if (*iter < 1 || *iter > 1000) ++strange_arguments;
  }
  return bells(ndim, x, ncomp, f, NULL, nvec, core, weight, iter);
}
static void points_come_in_batches(void **state) {
  static const int nvecs[] = {2, 7, 1000, 2147483647};
  (void)state;
  for (enum routine r = 0; r < routines; ++r) {
    struct call one = make(r, 3, 2, bells);
    run(&one);
    for (int i = -1; i < 4; ++i) {
      struct call c = make(r, 3, 2, looking);
      c.userdata = &c;
      c.nvec = i < 0 ? 1 : nvecs[i];
      c.nbatch = i == 3 ? 2147483647 : 1000;
      points_seen = largest_call = strange_arguments = 0;
      run(&c);
      assert_int_equal(strange_arguments, 0);
      assert_int_equal(points_seen, c.neval);
      assert_true(i < 0 ? largest_call == 1 : largest_call > 1 && largest_call <= nvecs[i]);
      if (r != divonne_routine) assert_same_result(&c, &one);
    }
    struct call c = make(r, 3, 2, bells);
    c.nvec = 0;
    run(&c);
    assert_same_result(&c, &one);
  }
}

/* What a generator of events does: each iteration fills a histogram of the first coordinate, and of their weights alone. */
enum { bins = 10, most_iterations = 64 };
struct histogram {
  double filled[most_iterations][bins], weights[most_iterations];
  int iterations;
};
static int filling(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata, const int *nvec,
                   const int *core, const void *weight, const int *iter) {
  struct histogram *h = userdata;
  bells(ndim, x, ncomp, f, NULL, nvec, core, weight, iter);
  if (*iter < 1 || *iter > most_iterations) return -999;
  if (*iter > h->iterations) h->iterations = *iter;
  for (int i = 0; i < *nvec; ++i) {
    const double w = ((const double *)weight)[i];
    h->filled[*iter - 1][(int)(bins * x[i * *ndim])] += w * f[i * *ncomp];
    h->weights[*iter - 1] += w;
  }
  return 0;
}
static double exact_bin(int bin) {
  const double a = sqrt(20.), low = bin / (double)bins, high = (bin + 1) / (double)bins;
  const double here = sqrt(acos(-1.)) / 2 / a * (erf(a * (high - 0.3)) - erf(a * (low - 0.3)));
  return here * exact_bell(1, 0) * exact_bell(1, 0);
}
static void weights_fill_histograms(void **state) {
  (void)state;
  for (enum routine r = vegas_routine; r <= suave_routine; ++r)
    for (int nvec = 1; nvec < 1000; nvec += 499) {
      struct histogram h = {{{0}}, {0}, 0};
      struct call c = make(r, 3, 1, filling);
      c.userdata = &h, c.nvec = nvec, c.mineval = 400000, c.maxeval = 400000, c.nstart = c.nnew = 10000,
      c.nincrease = 0;
      run(&c);
      assert_true(c.neval > 390000 && h.iterations > 3);
      double all = 0;
      for (int i = 0; i < h.iterations; ++i) {
        double one = 0;
        for (int b = 0; b < bins; ++b) one += h.filled[i][b] / h.iterations;
        all += one;
        assert_close(h.weights[i], 1, 0.1, 0);
        assert_close(one * h.iterations, exact_bell(3, 0), 0.05, 0);
      }
      assert_close(all, exact_bell(3, 0), 0.01, 0);
      for (int b = 0; b < bins; ++b) {
        double sum = 0;
        for (int i = 0; i < h.iterations; ++i) sum += h.filled[i][b] / h.iterations;
        assert_close(sum, exact_bin(b), 0.05, 1e-3 * exact_bell(3, 0));
      }
    }
}

static int thread_safe(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata, const int *nvec,
                       const int *core, const void *weight, const int *iter) {
  int *wrong = userdata;
  (void)weight, (void)iter;
  if (*core < 0 || *core >= 3) __atomic_store_n(wrong, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < *nvec; ++i) {
    double s = 0;
    for (int j = 0; j < *ndim; ++j) s += fabs(x[i * *ndim + j] - 0.3);
    for (int k = 0; k < *ncomp; ++k) f[i * *ncomp + k] = exp(-s * (k + 1));
  }
  return 0;
}
static void threads_change_nothing(void **state) {
  (void)state;
  for (enum routine r = 0; r < routines; ++r)
    for (int nvec = 1; nvec <= 101; nvec += 100) {
      struct call c[2];
      for (int i = 0; i < 2; ++i) {
        int wrong = 0;
        c[i] = make(r, 3, 2, thread_safe);
        c[i].userdata = &wrong;
        c[i].nvec = nvec;
        tessera_cuba_threads(2 + i);
        run(&c[i]);
        assert_int_equal(c[i].fail, 0);
        assert_int_equal(wrong, 0);
      }
      assert_same_result(&c[0], &c[1]);
    }
  tessera_cuba_threads(0);
}

/* ---- Grids -------------------------------------------------------------------------------------------------------------------- */
static struct call with_grid(int gridno) {
  struct call c = make(vegas_routine, 6, 1, bells);
  c.gridno = gridno;
  c.maxeval = 10000000;
  run(&c);
  assert_int_equal(c.fail, 0);
  assert_close(c.integral[0], exact_bell(6, 0), 0, 4 * c.error[0]);
  return c;
}
static void grids_are_kept(void **state) {
  (void)state;
  const struct call none = with_grid(0), first = with_grid(3), second = with_grid(3), other = with_grid(10);
  print_message("  evaluations: %d, with the grid of an earlier call %d\n", first.neval, second.neval);
  assert_same_result(&first, &none);
  assert_same_result(&other, &none);
  assert_true(2 * second.neval < first.neval);
  const struct call forgotten = with_grid(-3), beyond = with_grid(11), again = with_grid(11),
                    far = with_grid(-2147483647 - 1);
  assert_same_result(&forgotten, &none);
  assert_same_result(&beyond, &none);
  assert_same_result(&again, &none);
  assert_same_result(&far, &none);
  const struct call kept = with_grid(3); /* that of the call with -3 */
  assert_same_result(&kept, &second);
  struct call c = make(vegas_routine, 3, 1, bells); /* another number of variables */
  struct call fresh = c;
  run(&fresh);
  c.gridno = 3;
  run(&c);
  assert_same_result(&c, &fresh);
  struct call shared = make(vegas_routine, 3, 1, aborting); /* and kept after an abort */
  shared.gridno = -4;
  abort_at = 20000;
  points_seen = 0;
  run(&shared);
  assert_int_equal(shared.fail, -99);
  c.gridno = 4;
  run(&c);
  assert_true(c.integral[0] != fresh.integral[0]);
  assert_close(c.integral[0], exact_bell(3, 0), 0, 4 * c.error[0]);
}

/* ---- State files ---------------------------------------------------------------------------------------------------------------- */
static char state_name[] = "/tmp/tessera-cuba-XXXXXX";
static int there(const char *name) {
  struct stat s;
  return stat(name, &s) == 0;
}

/* The program dies in the middle: what it wrote on the way is a state to go on from, and the end is that of the run without a
 * break. */
static int deadly(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata, const int *nvec,
                  const int *core, const void *weight, const int *iter) {
  bells(ndim, x, ncomp, f, userdata, nvec, core, weight, iter);
  if (points_seen > abort_at) _exit(0);
  return 0;
}
static void die_in_the_middle(struct call c, int after) {
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    tessera_cuba_state_seconds(0);
    c.statefile = state_name;
    abort_at = after;
    points_seen = 0;
    run(&c);
    _exit(1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_true(there(state_name));
}
static void go_on(struct call *rest, const struct call *whole) {
  rest->statefile = state_name;
  points_seen = 0;
  run(rest);
  print_message("  %d of %d evaluations were left\n", (int)points_seen, rest->neval);
  assert_true(points_seen < rest->neval);
  assert_same_result(rest, whole);
  assert_false(there(state_name));
}
static void a_program_that_dies_can_be_continued(void **state) {
  static const int at[] = {3000, 40000, 150000};
  (void)state;
  for (enum routine r = 0; r < divonne_routine; ++r)
    for (int i = 0; i < 3; ++i) {
      struct call whole = make(r, 4, 2, bells);
      run(&whole);
      assert_true(whole.fail == 0 && whole.neval > 160000);
      die_in_the_middle(make(r, 4, 2, deadly), at[i]);
      struct call rest = make(r, 4, 2, bells);
      go_on(&rest, &whole);
    }
}

/* Divonne has a state whenever cubature or Monte Carlo has had its turn. */
static int deadly_step(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata) {
  double s = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < *ndim; ++j) s += (j + 1) * x[j] * x[j];
  f[0] = s < 1.7 ? 1 + x[0] : 0;
  if (++points_seen > abort_at) _exit(0);
  return 0;
}
static void both_sides_of_divonne_can_be_continued(void **state) {
  static const int at[] = {70000, 200000};
  double point[3] = {0.4, 0.1, 0.7};
  (void)state;
  for (int i = 0; i < 4; ++i) {
    struct call c = make(divonne_routine, 3, 1, NULL);
    c.f = deadly_step;
    if (i % 2 == 1) c.ngiven = 1, c.xgiven = point;
    abort_at = INT_MAX;
    struct call whole = c;
    run(&whole);
    assert_true(whole.fail == 0 && whole.neval > 220000);
    die_in_the_middle(c, at[i / 2]);
    go_on(&c, &whole);
  }
}

static void a_run_may_have_parts(void **state) {
  (void)state;
  for (enum routine r = 0; r < routines; ++r) {
    int before = 0;
    for (int part = 1; part <= 4; ++part) {
      struct call c = make(r, 4, 1, bells);
      c.statefile = state_name;
      c.epsrel = 1e-3 / part;
      c.flags = part < 4 ? 16 : 0;
      c.maxeval = 500000 * part;
      points_seen = 0;
      run(&c);
      assert_true(part > 1 || c.fail == 0);
      assert_int_equal(points_seen, c.neval - before); /* counts are those of the whole */
      assert_true(c.neval <= c.maxeval);
      assert_close(c.integral[0], exact_bell(4, 0), 0, 4 * c.error[0]);
      before = c.neval;
      assert_int_equal(there(state_name), part < 4 || c.fail != 0);
    }
    unlink(state_name);
    for (int i = 0; i < 2; ++i) { /* good enough: nothing is left to do */
      struct call c = make(r, 4, 1, bells);
      c.statefile = state_name;
      c.flags = 16;
      points_seen = 0;
      run(&c);
      assert_int_equal(c.fail, 0);
      assert_int_equal(points_seen, i == 0 ? c.neval : 0);
    }
    struct call c = make(r, 4, 1, bells); /* its grid alone */
    c.statefile = state_name;
    c.flags = 32;
    points_seen = 0;
    run(&c);
    assert_int_equal(points_seen, c.neval);
    assert_true(points_seen > 0);
    assert_close(c.integral[0], exact_bell(4, 0), 0, 4 * c.error[0]);
    unlink(state_name);
    for (int i = 0; i < 2; ++i) { /* more has been spent than a later call allows */
      c = make(r, 4, 1, bells);
      c.statefile = state_name;
      c.flags = 16;
      c.epsrel = 1e-9;
      c.maxeval = i == 0 ? 60000 : 5000;
      points_seen = 0;
      run(&c);
      assert_true(c.fail != 0 && points_seen <= c.maxeval);
      assert_close(c.integral[0], exact_bell(4, 0), 0, 4 * c.error[0]);
    }
    unlink(state_name);
  }
}

static void damage(long at, const char *with, size_t n) {
  FILE *f = fopen(state_name, "r+b");
  assert_non_null(f);
  if (at >= 0) {
    fseek(f, at, SEEK_SET);
    fwrite(with, 1, n, f);
  } else {
    assert_int_equal(ftruncate(fileno(f), -at), 0);
  }
  fclose(f);
}
static void a_wrong_state_file_is_a_fresh_start(void **state) {
  (void)state;
  struct call fresh = make(vegas_routine, 3, 1, bells);
  run(&fresh);
  for (int kind = 0; kind < 8; ++kind) {
    struct call c = make(kind == 6 ? suave_routine : vegas_routine, kind == 7 ? 4 : 3, kind == 5 ? 2 : 1, bells);
    c.epsrel = 1e-9;
    c.maxeval = 20000;
    c.statefile = state_name;
    run(&c);
    assert_true(there(state_name));
    switch (kind) {
      case 0:
        damage(0, "ABUC", 4);
        break;
      case 1:
        damage(200, "x", 1);
        break;
      case 2:
        damage(-100, NULL, 0);
        break;
      case 3:
        damage(56, "\377\377\377\377\377\377\377\177", 8); /* how many numbers */
        break;
      case 4:
        damage(-1, NULL, 0);
        break;
    }
    c = make(vegas_routine, 3, 1, bells);
    c.statefile = state_name;
    run(&c);
    assert_same_result(&c, &fresh);
    assert_false(there(state_name));
  }
  struct call c = make(vegas_routine, 3, 1, bells); /* it cannot be written: the result is there all the same */
  c.statefile = "/nonexistent/directory/state";
  c.epsrel = 1e-9;
  c.maxeval = 20000;
  run(&c);
  assert_int_equal(c.fail, 1);
  assert_true(c.integral[0] > 0);
}

/* ---- Divonne -------------------------------------------------------------------------------------------------------------------- */
static void cubature_keys(void **state) {
  /* points: the published ones, those near the faces, 2 probes */
  static const int keys[][3] = {{2, 7, 21 + 4 + 2}, {2, 9, 33 + 4 + 2},   {2, 13, 65 + 4 + 2},  {3, 7, 39 + 6 + 2},
                                {3, 9, 77 + 6 + 2}, {3, 11, 127 + 6 + 2}, {6, 7, 161 + 12 + 2}, {6, 9, 453 + 12 + 2}};
  (void)state;
  for (int i = 0; i < 8; ++i) {
    struct call c = make(divonne_routine, keys[i][0], 1, bells);
    c.key1 = keys[i][1];
    c.epsrel = 0.1;
    c.maxeval = 200000;
    run(&c);
    assert_int_equal(c.fail, 0);
    assert_close(c.integral[0], exact_bell(keys[i][0], 0), 0, c.error[0]);
    c.epsrel = 1e-12;
    c.maxeval = 5 * keys[i][2];
    run(&c);
    assert_int_equal(c.neval, 5 * keys[i][2]); /* by that rule, three regions and nothing else */
    assert_int_equal(c.nregions, 3);
    c.maxeval = keys[i][2] - 1; /* less than one application */
    run(&c);
    assert_true(c.fail > 0 && c.neval < keys[i][2]);
  }
}

/* Steps that cubature takes for something else, because its points see the same of them everywhere: by itself it finds a thirtieth
 * of these integrals, and calls it a success. Monte Carlo objects. */
static void cubature_is_checked(void **state) {
  static const int keys[] = {9, 47};
  static const struct {
    int ndim;
    uint64_t seed;
  } steps[] = {{2, 776013}, {5, 776113}};
  (void)state;
  for (int s = 0; s < 2; ++s)
    for (int i = 0; i < 2; ++i)
      for (int maxeval = 300000; maxeval <= 3000000; maxeval *= 10) {
        struct genz g;
        genz_make(6, steps[s].ndim, steps[s].seed, &g);
        struct call c = make(divonne_routine, g.ndim, 1, NULL);
        c.f = genz_for_cuba;
        c.userdata = &g;
        c.key1 = keys[i];
        c.maxeval = maxeval;
        run(&c);
        assert_close(c.integral[0], g.exact, 0, 2 * c.error[0]);
      }
}

/* Smooth integrands to many digits, steps to a few: whatever the key for sampling says. */
static int a_step(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata) {
  double s = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < *ndim; ++j) s += x[j];
  f[0] = s < 1.3;
  return 0;
}
static void smooth_and_rough(void **state) {
  static const int keys[] = {47, -200, 1, 0, -1, 13};
  (void)state;
  for (int i = 0; i < (sanitized ? 2 : 6); ++i) {
    struct call c = make(divonne_routine, 5, 1, bells);
    c.key1 = keys[i];
    c.epsrel = 1e-6;
    c.maxeval = 10000000;
    run(&c);
    assert_int_equal(c.fail, 0);
    assert_close(c.integral[0], exact_bell(5, 0), 1e-6, 0);
    c = make(divonne_routine, 6, 1, bells);
    c.f = a_step;
    c.key1 = keys[i];
    c.epsrel = 2e-2;
    c.maxeval = 2000000;
    run(&c);
    assert_int_equal(c.fail, 0);
    const double exact = (pow(1.3, 6) - 6 * pow(0.3, 6)) / 720;
    assert_close(c.integral[0], exact, 0, 2 * c.error[0]);
  }
}

/* Not to be called in the strip: there it gives no number. Inside it is linear, or smooth. */
static int with_border(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata) {
  const double *border = userdata;
  double s = 1, t = 0;
  (void)ncomp;
  for (int j = 0; j < *ndim; ++j) {
    if (x[j] < *border || x[j] > 1 - *border) s = NAN;
    t += (j + 1) * x[j];
  }
  f[0] = s * (1 + t);
  f[1] = s * exp(-t / 4);
  return 0;
}
static void the_border_is_extrapolated(void **state) {
  static const double borders[] = {1e-8, 1e-3, 0.05, 0.3, 0.45};
  static const int keys[] = {47, 9};
  (void)state;
  for (int b = 0; b < 5; ++b)
    for (int i = 0; i < 2; ++i)
      for (int given = 0; given < 2; ++given) {
        double border = borders[b], point[3] = {0.5, 0.5, 0.5};
        struct call c = make(divonne_routine, 3, 2, NULL);
        c.f = with_border;
        c.userdata = &border;
        c.border = border;
        c.key1 = keys[i];
        c.ngiven = given;
        c.xgiven = point;
        run(&c);
        assert_int_equal(c.fail, 0);
        assert_close(c.integral[0], 4, 0, 4 * c.error[0] + 1e-9); /* what is linear comes out right */
        const double exact = 4 * (1 - exp(-.25)) * 2 * (1 - exp(-.5)) * 4. / 3 * (1 - exp(-.75));
        assert_close(c.integral[1], exact, 0, 4 * c.error[1] + 3 * border * border * border * 0.6);
        if (border > 1e-3) c.border = 0, c.epsrel = 1, run(&c), assert_true(c.fail != 0); /* it does need the border */
      }
}

/* A peak that takes up 1e-9 of the cube. */
static const double peak_at[3] = {0.123, 0.456, 0.789};
static int needle(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata) {
  double s = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < *ndim; ++j) s += (x[j] - peak_at[j]) * (x[j] - peak_at[j]);
  f[0] = 1e-12 + exp(-s / (2 * 5e-4 * 5e-4));
  return 0;
}
static int finder_calls;
static void finder(const int *ndim, const double b[], int *n, double x[], void *userdata) {
  ++finder_calls;
  if (*n != 7 || b[0] != 0 || b[1] != 1 || b[2 * *ndim - 1] != 1 || userdata != &finder_calls) return;
  for (int j = 0; j < 3; ++j) x[j] = -5, x[5 + j] = peak_at[j]; /* the first is nowhere */
  *n = 2;
}
static void ll_finder(const int *ndim, const double b[], long long *n, double x[], void *userdata) {
  ++finder_calls;
  (void)b, (void)ndim, (void)userdata;
  if (*n != 1LL << 16) return; /* never more than it asks for */
  memcpy(x, peak_at, sizeof peak_at);
  *n = 1;
}
static void given_points_are_looked_at(void **state) {
  (void)state;
  const double exact = 1e-12 + pow(2 * acos(-1.), 1.5) * pow(5e-4, 3);
  double points[10] = {0.5, 0.5, 0.5, NAN, NAN, 0.123, 0.456, 0.789, NAN, NAN};
  struct call c = make(divonne_routine, 3, 1, NULL);
  c.f = needle;
  c.epsrel = 1e-2;
  c.maxeval = 5000000;
  run(&c);
  assert_true(c.integral[0] < 0.5 * exact); /* not seen by anybody who does not know where to look */
  c.ngiven = 2, c.ldxgiven = 5, c.xgiven = points;
  run(&c);
  assert_int_equal(c.fail, 0);
  assert_close(c.integral[0], exact, 0, 3 * c.error[0]);
  c.ngiven = 0, c.xgiven = NULL, c.nextra = 7, c.peakfinder = finder;
  c.userdata = &finder_calls;
  run(&c);
  assert_int_equal(finder_calls, 1);
  assert_int_equal(c.fail, 0);
  assert_close(c.integral[0], exact, 0, 3 * c.error[0]);
  long long neval;
  llDivonne(3, 1, needle, NULL, 1, 1e-2, 0, 0, 0, 0, 5000000, 47, 1, 1, 5, 0, 10, .25, 0, 3, NULL, 1LL << 40,
            (peakfinder_t)(void (*)(void))ll_finder, NULL, NULL, &c.nregions, &neval, &c.fail, c.integral, c.error,
            c.prob);
  assert_int_equal(finder_calls, 2);
  assert_int_equal(c.fail, 0);
  assert_close(c.integral[0], exact, 0, 3 * c.error[0]);
}

/* What ends in the first boxes has the value of none of them; and points may come ever closer to each other. */
static void given_points_at_their_worst(void **state) {
  enum { many = 20000 };
  double points[3] = {0.3, 0.4, 0.9};
  (void)state;
  for (int nan = 0; nan < 2; ++nan) {
    struct call c = make(divonne_routine, 3, 1, nan ? not_a_number : aborting);
    c.ngiven = 1, c.xgiven = points;
    abort_at = 500; /* in the second box */
    points_seen = 0;
    run(&c);
    assert_int_equal(c.fail, nan ? 1 : -99);
    if (nan)
      assert_true(isnan(c.integral[0]) && isinf(c.error[0]));
    else
      assert_untouched(&c);
  }
  double *chain = malloc(2 * many * sizeof *chain);
  assert_non_null(chain);
  for (int i = 0; i < many; ++i) chain[2 * i] = chain[2 * i + 1] = pow(0.99, i);
  struct call c = make(divonne_routine, 2, 1, bells);
  c.ngiven = many, c.xgiven = chain;
  run(&c);
  assert_int_equal(c.fail, 0);
  assert_close(c.integral[0], exact_bell(2, 0), 0, 4 * c.error[0]);
  free(chain);
}

static void fail_says_how_many_more(void **state) {
  (void)state;
  struct call c = make(divonne_routine, 6, 1, bells);
  c.f = a_step;
  c.maxeval = 100000;
  c.epsrel = 1e-3;
  run(&c);
  const double r = c.error[0] / (1e-3 * c.integral[0]);
  assert_close(c.fail, (r * r - 1) * c.neval, 1e-6, 1);
  c.epsrel = 0;
  c.epsabs = 0;
  run(&c);
  assert_int_equal(c.fail, 2147483647);
}

/* ---- Spellings -------------------------------------------------------------------------------------------------------------------- */
#define HEAD(count)                                                                                          \
  const int *, const int *, integrand_t, void *, const count *, const double *, const double *, const int *, \
      const int *, const count *, const count *
#define TAIL(count) count *, int *, double *, double *, double *, int
#define FORTRAN(name, Name, count)                                                                                     \
  extern void name##vegas(HEAD(count), const count *, const count *, const count *, const int *, const char *, void *, \
                          TAIL(count));                                                                                \
  extern void name##vegas_(HEAD(count), const count *, const count *, const count *, const int *, const char *,        \
                           void *, TAIL(count));                                                                       \
  extern void name##suave(HEAD(count), const count *, const count *, const double *, const char *, void *, int *,      \
                          TAIL(count));                                                                                \
  extern void name##suave_(HEAD(count), const count *, const count *, const double *, const char *, void *, int *,     \
                           TAIL(count));                                                                               \
  extern void name##divonne(HEAD(count), const int *, const int *, const int *, const int *, const double *,           \
                            const double *, const double *, const count *, const int *, const double *, const count *, \
                            const void *, const char *, void *, int *, TAIL(count));                                   \
  extern void name##divonne_(HEAD(count), const int *, const int *, const int *, const int *, const double *,          \
                             const double *, const double *, const count *, const int *, const double *,               \
                             const count *, const void *, const char *, void *, int *, TAIL(count));                   \
  extern void Name##Vegas_(int, int, integrand_t, void *, count, double, double, int, int, count, count, count, count, \
                           count, int, const char *, void *, count *, int *, double *, double *, double *);            \
  extern void Name##Suave_(int, int, integrand_t, void *, count, double, double, int, int, count, count, count, count, \
                           double, const char *, void *, int *, count *, int *, double *, double *, double *);         \
  extern void Name##Divonne_(int, int, integrand_t, void *, count, double, double, int, int, count, count, int, int,   \
                             int, int, double, double, double, count, int, double *, count, peakfinder_t,              \
                             const char *, void *, int *, count *, int *, double *, double *, double *);
FORTRAN(, , int)
FORTRAN(ll, ll, long long)

static int of_any_size(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata) {
  const int one = 1;
  return bells(ndim, x, ncomp, f, userdata, &one, &one, NULL, &one);
}

static void all_spellings_are_the_same(void **state) {
  (void)state;
  for (enum routine r = 0; r < routines; ++r) {
    struct call c = make(r, 3, 1, NULL);
    c.f = of_any_size;
    run(&c);
    assert_int_equal(c.fail, 0);
    const int ndim = 3, ncomp = 1, nvec = 1, flags = 0, seed = 0, zero = 0, maxeval = c.maxeval, gridno = 0;
    const long long llone = 1, llzero = 0, llmaxeval = maxeval;
    const int thousand = 1000, increase = 500, two = 2, spin = -1, key1 = 47, one = 1, five = 5;
    const long long llthousand = 1000, llincrease = 500, lltwo = 2;
    const double flatness = 25, none = 0, maxchisq = 10, mindeviation = .25;
    void *no_spin = (void *)(uintptr_t)&spin;
    char blank[8] = "       ";
    for (int spelling = 0; spelling < 7; ++spelling) {
      int nregions = 0, neval = 0, fail = 7;
      long long llneval = 0;
      double integral = 0, error = 0, prob = 0;
#define VEGAS_F(name, zero_, n, max, start, inc, out)                                                            \
  name(&ndim, &ncomp, c.f, NULL, n, &c.epsrel, &c.epsabs, &flags, &seed, zero_, max, start, inc, start, &gridno, \
       blank, no_spin, out, &fail, &integral, &error, &prob, 7)
#define SUAVE_F(name, zero_, n, max, start, min, out)                                                              \
  name(&ndim, &ncomp, c.f, NULL, n, &c.epsrel, &c.epsabs, &flags, &seed, zero_, max, start, min, &flatness, blank, \
       no_spin, &nregions, out, &fail, &integral, &error, &prob, 7)
#define DIVONNE_F(name, zero_, n, max, out)                                                                           \
  name(&ndim, &ncomp, c.f, NULL, n, &c.epsrel, &c.epsabs, &flags, &seed, zero_, max, &key1, &one, &one, &five, &none, \
       &maxchisq, &mindeviation, zero_, &ndim, (const double *)(const void *)&zero, zero_, &zero, blank, no_spin,     \
       &nregions, out, &fail, &integral, &error, &prob, 7)
#define HEAD_C 3, 1, c.f, NULL, 1, c.epsrel, c.epsabs, 0, 0, 0, maxeval
#define TAIL_C(out) out, &fail, &integral, &error, &prob
      switch (spelling * 3 + (int)r) {
        case 0:
          VEGAS_F(vegas, &zero, &nvec, &maxeval, &thousand, &increase, &neval);
          break;
        case 1:
          SUAVE_F(suave, &zero, &nvec, &maxeval, &thousand, &two, &neval);
          break;
        case 2:
          DIVONNE_F(divonne, &zero, &nvec, &maxeval, &neval);
          break;
        case 3:
          VEGAS_F(vegas_, &zero, &nvec, &maxeval, &thousand, &increase, &neval);
          break;
        case 4:
          SUAVE_F(suave_, &zero, &nvec, &maxeval, &thousand, &two, &neval);
          break;
        case 5:
          DIVONNE_F(divonne_, &zero, &nvec, &maxeval, &neval);
          break;
        case 6:
          VEGAS_F(llvegas, &llzero, &llone, &llmaxeval, &llthousand, &llincrease, &llneval);
          break;
        case 7:
          SUAVE_F(llsuave, &llzero, &llone, &llmaxeval, &llthousand, &lltwo, &llneval);
          break;
        case 8:
          DIVONNE_F(lldivonne, &llzero, &llone, &llmaxeval, &llneval);
          break;
        case 9:
          VEGAS_F(llvegas_, &llzero, &llone, &llmaxeval, &llthousand, &llincrease, &llneval);
          break;
        case 10:
          SUAVE_F(llsuave_, &llzero, &llone, &llmaxeval, &llthousand, &lltwo, &llneval);
          break;
        case 11:
          DIVONNE_F(lldivonne_, &llzero, &llone, &llmaxeval, &llneval);
          break;
        case 12:
          Vegas_(HEAD_C, 1000, 500, 1000, 0, NULL, NULL, TAIL_C(&neval));
          break;
        case 13:
          Suave_(HEAD_C, 1000, 2, 25, NULL, NULL, &nregions, TAIL_C(&neval));
          break;
        case 14:
          Divonne_(HEAD_C, 47, 1, 1, 5, 0, 10, .25, 0, 3, NULL, 0, NULL, "", NULL, &nregions, TAIL_C(&neval));
          break;
        case 15:
          llVegas_(HEAD_C, 1000, 500, 1000, 0, NULL, NULL, TAIL_C(&llneval));
          break;
        case 16:
          llSuave_(HEAD_C, 1000, 2, 25, NULL, NULL, &nregions, TAIL_C(&llneval));
          break;
        case 17:
          llDivonne_(HEAD_C, 47, 1, 1, 5, 0, 10, .25, 0, 3, NULL, 0, NULL, "", NULL, &nregions, TAIL_C(&llneval));
          break;
        case 18:
          llVegas(HEAD_C, 1000, 500, 1000, 0, NULL, NULL, TAIL_C(&llneval));
          break;
        case 19:
          llSuave(HEAD_C, 1000, 2, 25, NULL, NULL, &nregions, TAIL_C(&llneval));
          break;
        case 20:
          llDivonne(HEAD_C, 47, 1, 1, 5, 0, 10, .25, 0, 3, NULL, 0, NULL, "", NULL, &nregions, TAIL_C(&llneval));
          break;
      }
      assert_int_equal(fail, 0);
      assert_int_equal(neval + llneval, c.neval);
      assert_same_bits(integral, c.integral[0]);
      assert_same_bits(error, c.error[0]);
      assert_same_bits(prob, c.prob[0]);
      if (r != vegas_routine) assert_int_equal(nregions, c.nregions);
    }
  }
}

static int ll_counts(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata,
                     const long long *nvec, const int *core, const void *weight, const int *iter) {
  const int n = (int)*nvec;
  if (*nvec < 1 || *nvec > 300) return -999;
  return bells(ndim, x, ncomp, f, userdata, &n, core, weight, iter);
}
static void the_ll_routines_count_in_long_long(void **state) {
  (void)state;
  for (long long nvec = 1; nvec < 300; nvec += 280) {
    int fail;
    long long neval;
    double integral[2], error[2], prob[2];
    llVegas(3, 2, AS_INTEGRAND(ll_counts), NULL, nvec, 1e-3, 0, 0, 0, 0, 1LL << 40, 1000, 500, 1LL << 33, 0, NULL, NULL,
            &neval, &fail, integral, error, prob);
    assert_int_equal(fail, 0);
    assert_close(integral[1], exact_bell(3, 1), 0, 4 * error[1]);
  }
}

/* ---- Constants ------------------------------------------------------------------------------------------------------------- */
static int one_and_zero(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata,
                        const int *nvec, const int *core, const void *weight, const int *iter) {
  (void)ndim, (void)x, (void)userdata, (void)core, (void)weight, (void)iter;
  for (int i = 0; i < *nvec * *ncomp; ++i) f[i] = i % *ncomp == 0;
  return 0;
}
/* zero_at: the component that is 0; the others are all the same. */
static int zero_at;
static int zero_among(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata, const int *nvec,
                      const int *core, const void *weight, const int *iter) {
  (void)userdata, (void)core, (void)weight, (void)iter;
  for (int i = 0; i < *nvec; ++i) {
    const double *y = x + i * *ndim;
    for (int k = 0; k < *ncomp; ++k) f[i * *ncomp + k] = k == zero_at ? 0 : sin(y[0]) * cos(y[1]) * exp(y[2]);
  }
  return 0;
}
static int nothing(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata, const int *nvec,
                   const int *core, const void *weight, const int *iter) {
  (void)ndim, (void)x, (void)userdata, (void)core, (void)weight, (void)iter;
  for (int i = 0; i < *nvec * *ncomp; ++i) f[i] = 0;
  return 0;
}
static void constant_components_end_at_once(void **state) {
  static const int published[routines] = {1000, 1000, 26916};
  (void)state;
  for (enum routine r = 0; r < routines; ++r) {
    for (int digits = 3; digits < 8; digits += 2) {
      struct call c = make(r, 3, 2, one_and_zero);
      c.epsrel = pow(10, -digits);
      run(&c);
      assert_int_equal(c.fail, 0);
      assert_true(1000 <= c.neval && c.neval <= published[r] + 125); /* 125: that show the scale */
      assert_close(c.integral[0], 1, 1e-14, 0);
      assert_same_bits(c.integral[1], 0);
      assert_same_bits(c.error[1], 0);
      if (r != divonne_routine) assert_same_bits(c.prob[0], -999);
      if (digits > 3) continue;
      c.mineval = 30000;
      run(&c);
      assert_int_equal(c.fail, 0);
      assert_true(c.neval >= 30000);
    }
    /* A component of zeros costs nothing beside one that is seen. */
    zero_at = -1;
    struct call alone = make(r, 3, 1, zero_among);
    run(&alone);
    assert_int_equal(alone.fail, 0);
    assert_true(alone.neval < 100000);
    assert_true(alone.prob[0] >= 0 && alone.prob[0] <= 1); /* of one division too */
    for (zero_at = 0; zero_at < 2; ++zero_at) {
      struct call c = make(r, 3, 2, zero_among);
      run(&c);
      assert_int_equal(c.fail, 0);
      assert_int_equal(c.neval, alone.neval);
      assert_same_bits(c.integral[zero_at], 0);
      assert_same_bits(c.integral[1 - zero_at], alone.integral[0]);
      assert_same_bits(c.error[1 - zero_at], alone.error[0]);
    }
    /* Where nothing has been seen in any component that is no result. */
    if (r == divonne_routine) continue;
    struct call c = make(r, 3, 2, nothing);
    run(&c);
    assert_int_equal(c.fail, 1);
    assert_true(c.neval > 900000);
    c.maxeval = 2000000;
    run(&c);
    assert_int_equal(c.fail, 0);
    assert_true(c.neval >= 1 << 20);
  }
}

/* ---- Beyond ------------------------------------------------------------------------------------------------------------------------ */
/* What a run prints. */
static const char *printed(struct call *c) {
  static char text[1 << 20];
  char name[] = "/tmp/tessera-out-XXXXXX";
  const int fd = mkstemp(name), old = dup(1);
  assert_true(fd >= 0 && old >= 0);
  fflush(stdout);
  dup2(fd, 1);
  run(c); /* flushes itself */
  dup2(old, 1);
  close(old);
  const ssize_t n = pread(fd, text, sizeof text - 1, 0);
  assert_true(n >= 0);
  text[n] = 0;
  close(fd);
  unlink(name);
  return text;
}
/* The text behind `head`, which must be there. */
static const char *behind(const char *text, const char *head) {
  if (strncmp(text, head, strlen(head)) != 0) fail_msg("not \"%s\" but \"%.*s\"", head, (int)strlen(head) + 20, text);
  return text + strlen(head);
}
static void it_is_as_verbose_as_it_is_told(void **state) {
  static const char *const own[routines] = {
      "  nstart 1000\n  nincrease 500\n  nbatch 1000\n  gridno 0\n", "  nnew 1000\n  nmin 2\n  flatness 25\n",
      "  key1 47\n  key2 1\n  key3 1\n  maxpass 5\n  border 0\n  maxchisq 10\n  mindeviation 0.25\n"
      "  ngiven 0\n  nextra 0\n"};
  static const char *const names[routines] = {"Vegas", "Suave", "Divonne"};
  (void)state;
  for (enum routine r = 0; r < routines; ++r) {
    char *iterations = NULL;
    for (int level = 0; level < 4; ++level) {
      struct call c = make(r, 4, 2, bells);
      c.maxeval = 50000;
      c.seed = 5;
      c.flags = 4 + 8 + level + (6 << 8);
      c.statefile = level == 3 ? "" : NULL;
      const char *text = printed(&c);
      if (level == 0) assert_string_equal(text, "");
      if (level >= 2) {
        char head[1000];
        snprintf(head, sizeof head,
                 "%s input parameters:\n  ndim 4\n  ncomp 2\n  nvec 1\n  epsrel 0.001\n  epsabs 1e-12\n  flags %d\n"
                 "  seed 5\n  mineval 0\n  maxeval 50000\n%s  statefile \"%s\"\n",
                 names[r], c.flags, own[r], level == 3 ? "" : "(null)");
        text = behind(text, head);
        assert_string_equal(text, iterations); /* these three have no regions to show */
      }
      if (level != 1) continue;
      iterations = strdup(text);
      if (r == divonne_routine) {
        text = behind(text, "\nPartitioning phase:\n\nIteration 1 (pass 0):  ");
        assert_non_null(strstr(text, " regions\n"));
        assert_non_null(strstr(
            text, " integrand evaluations so far,\n      0 in optimizing regions,\n      0 in finding cuts\n[1] "));
        assert_non_null(strstr(text, "\nMain integration on "));
        continue;
      }
      behind(text, "\nIteration 1:  1125 integrand evaluations so far\n[1] ");
      /* The numbers rise, and the last ones are those of the result. */
      int number = 0, evaluations = 0, freedom = 0, last = 0;
      double value[2], error[2], chi[2];
      for (int i = 1;; ++i) {
        int used, n = 0;
        if (sscanf(text, "\nIteration %d: %d integrand evaluations so far%n", &number, &n, &used) != 2) break;
        assert_int_equal(number, i);
        assert_true(n > evaluations);
        evaluations = n;
        text += used;
        for (int k = 0; k < 2; ++k) {
          int component;
          assert_int_equal(sscanf(text, "\n[%d] %lf +- %lf chisq %lf (%d df)%n", &component, &value[k], &error[k],
                                  &chi[k], &freedom, &used),
                           5);
          assert_int_equal(component, k + 1);
          assert_true(error[k] > 0 && (freedom > 0 || chi[k] == 0));
          text += used;
        }
        assert_true(freedom == (last > 0 || chi[0] > 0 ? last + 1 : 0));
        last = freedom;
        text = behind(text, "\n");
      }
      assert_string_equal(text, "");
      assert_int_equal(evaluations, c.neval);
      assert_true(freedom > 0);
      for (int k = 0; k < 2; ++k) {
        assert_close(value[k], c.integral[k], 1e-5, 0);
        assert_close(error[k], c.error[k], 1e-5, 0);
        if (freedom == 2) assert_close(c.prob[k], 1 - exp(-chi[k] / 2), 1e-4, 1e-6);
      }
    }
    free(iterations);
  }
}

static int random_values(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata,
                         const int *nvec, const int *core, const void *weight, const int *iter) {
  (void)userdata, (void)core, (void)weight, (void)iter;
  points_seen += *nvec;
  for (int i = 0; i < *nvec; ++i)
    for (int k = 0; k < *ncomp; ++k) {
      const double t = x[i * *ndim] + x[i * *ndim + *ndim - 1] * (k + 1);
      f[i * *ncomp + k] = t > 1.7 && t < 1.7001 ? NAN : t > 1.3 && t < 1.30001 ? 1e308 : 1 / sqrt(fabs(t - 0.5));
    }
  return fabs(x[0] - 0.123) < 1e-5 ? -999 : 0;
}
static void wild_finder(const int *ndim, const double b[], int *n, double x[], void *userdata) {
  (void)b, (void)userdata;
  for (int i = 0; i < *n * *ndim; ++i) x[i] = i % 5 == 4 ? NAN : i % 3 * 0.7;
  *n = *n % 3 == 0 ? -4 : *n % 3 == 1 ? 2147483647 : *n;
}
static void no_arguments_do_harm(void **state) {
  static const double reals[] = {0, 1, -1, 0.5, NAN, INFINITY, -INFINITY, 1e308, -1e308, 1e-320, 1e-8};
  static const int integers[] = {-2147483647 - 1, -1, 0, 1, 2, 3, 9, 13, 100, 1000, 5000, 2147483647};
  static double points[30] = {0.5, 0, 1, NAN, -1, 2, 0.123, INFINITY};
  uint64_t seed = 4;
  int ends[6] = {0};
  (void)state;
#define ANY(table, n) table[splitmix64(&seed) % (n)]
  for (int i = 0; i < (sanitized ? 1500 : 6000); ++i) {
    struct call c = make((enum routine)(splitmix64(&seed) % 3), 2 + (int)(splitmix64(&seed) % 3),
                         1 + (int)(splitmix64(&seed) % 3), random_values);
    c.maxeval = 100 + (int)(splitmix64(&seed) % 5000);
    c.epsrel = pow(10, -(double)(splitmix64(&seed) % 4));
    c.seed = (int)splitmix64(&seed);
    c.key1 = ANY(integers, 12);
    tessera_cuba_threads(1 + (int)(splitmix64(&seed) % 2));
    for (int wild = (int)(splitmix64(&seed) % 4); wild > 0; --wild) switch (splitmix64(&seed) % 20) {
        case 0:
          c.ndim = ANY(integers, 9);
          break;
        case 1:
          c.ncomp = ANY(integers, 6);
          break;
        case 2:
          c.nvec = ANY(integers, 12);
          break;
        case 3:
          c.epsrel = ANY(reals, 11);
          break;
        case 4:
          c.epsabs = ANY(reals, 11);
          break;
        case 5:
          c.mineval = ANY(integers, 12);
          break;
        case 6:
          c.maxeval = ANY(integers, 11);
          break;
        case 7:
          c.nstart = ANY(integers, 12);
          break;
        case 8:
          c.flags = (int)(splitmix64(&seed) & 0xffffffec);
          break;
        case 9:
          c.nincrease = ANY(integers, 12);
          break;
        case 10:
          c.nbatch = ANY(integers, 12);
          break;
        case 11:
          c.gridno = ANY(integers, 12);
          break;
        case 12:
          c.nnew = ANY(integers, 12);
          break;
        case 13:
          c.nmin = ANY(integers, 12);
          break;
        case 14:
          c.flatness = ANY(reals, 11);
          break;
        case 15:
          c.border = ANY(reals, 11);
          break;
        case 16:
          c.xgiven = points, c.ngiven = (int)(splitmix64(&seed) % 4);
          break;
        case 17:
          c.peakfinder = wild_finder, c.nextra = ANY(integers, 11);
          break;
        case 18:
          c.border = 0.4;
          break;
        case 19:
          c.ldxgiven = ANY(integers, 8);
          break;
      }
    if (c.ldxgiven > 9) c.ldxgiven = 9;
    if (c.ldxgiven != c.ndim) c.nextra = c.nextra > 0 ? 0 : c.nextra; /* the finder above has no gaps */
    points_seen = 0;
    run(&c);
    if (c.fail >= 0) assert_at_most(points_seen, c.maxeval > 0 ? c.maxeval : 0);
    if (c.fail > 0 && c.routine != divonne_routine) assert_int_equal(c.fail, 1);
    ++ends[c.fail == 0     ? 0
           : c.fail > 0    ? 1
           : c.fail == -1  ? 2
           : c.fail == -2  ? 3
           : c.fail == -99 ? 4
           : c.fail == -90 ? 5
                           : (assert_int_equal(c.fail, 0), 0)];
    if (c.fail == 0)
      for (int k = 0; k < c.ncomp; ++k)
        assert_true(c.error[k] <= fmax(fmax(c.epsabs, ldexp(1, -104)), c.epsrel * fabs(c.integral[k])));
  }
  tessera_cuba_threads(0);
  for (int e = 0; e < 6; ++e) {
    print_message("  end %d: %d\n", e, ends[e]);
    assert_true(ends[e] > 0);
  }
}

/* Found by random calls (tests/fuzz). */
static int huge(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata, const int *nvec,
                const int *core, const void *weights, const int *iteration) {
  double s = 0;
  (void)ncomp, (void)nvec, (void)core, (void)weights, (void)iteration;
  ++*(long *)userdata;
  for (int j = 0; j < *ndim; ++j) s += x[j];
  f[0] = 1e300 * (1 + sin(s));
  return 0;
}
static void no_peak(const int *ndim, const double b[], int *n, double x[], void *userdata) {
  (void)ndim, (void)b, (void)x, (void)userdata;
  *n = 0;
}
static void extreme_arguments(void **state) {
  (void)state;
  /* The samples have an infinite variance and cannot be continued: nothing is left for another beginning. */
  for (int maxeval = 1500; maxeval < 4000; maxeval += 349) {
    long points = 0;
    struct call c = make(divonne_routine, 4, 1, huge);
    c.maxeval = maxeval, c.epsrel = 1e-8, c.epsabs = 0, c.userdata = &points;
    run(&c);
    assert_at_most(points, maxeval);
    assert_int_equal(c.neval, points);
  }
  /* EPSREL times the value is infinite, and so is the error. */
  for (enum routine routine = vegas_routine; routine < routines; ++routine) {
    long points = 0;
    struct call c = make(routine, 2, 1, huge);
    c.maxeval = 2000, c.epsrel = 1e200, c.userdata = &points;
    run(&c);
    if (c.fail == 0) assert_true(isfinite(c.error[0]));
  }
  if (sanitized) return; /* whose allocator ends the program */
  /* More memory than there is. */
  long points = 0;
  struct call c = make(divonne_routine, 2, 1, huge);
  c.userdata = &points, c.peakfinder = no_peak, c.nextra = 60000, c.ldxgiven = 2000000000;
  run(&c);
  assert_true(c.fail > 0 && isnan(c.integral[0]) && isinf(c.error[0]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_right),
      cmocka_unit_test(a_thousand_variables),
      cmocka_unit_test(seeds),
      cmocka_unit_test(mineval_and_maxeval),
      cmocka_unit_test(wrong_arguments_fail),
      cmocka_unit_test(the_integrand_can_end_the_run),
      cmocka_unit_test(points_come_in_batches),
      cmocka_unit_test(weights_fill_histograms),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(grids_are_kept),
      cmocka_unit_test(a_program_that_dies_can_be_continued),
      cmocka_unit_test(both_sides_of_divonne_can_be_continued),
      cmocka_unit_test(a_run_may_have_parts),
      cmocka_unit_test(a_wrong_state_file_is_a_fresh_start),
      cmocka_unit_test(cubature_keys),
      cmocka_unit_test(cubature_is_checked),
      cmocka_unit_test(smooth_and_rough),
      cmocka_unit_test(the_border_is_extrapolated),
      cmocka_unit_test(given_points_are_looked_at),
      cmocka_unit_test(given_points_at_their_worst),
      cmocka_unit_test(fail_says_how_many_more),
      cmocka_unit_test(all_spellings_are_the_same),
      cmocka_unit_test(the_ll_routines_count_in_long_long),
      cmocka_unit_test(constant_components_end_at_once),
      cmocka_unit_test(it_is_as_verbose_as_it_is_told),
      cmocka_unit_test(no_arguments_do_harm),
      cmocka_unit_test(extreme_arguments),
  };
  const int fd = mkstemp(state_name); /* a name of our own */
  if (fd < 0) return 1;
  close(fd);
  unlink(state_name);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
