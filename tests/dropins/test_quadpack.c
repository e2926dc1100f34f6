/* The drop-in for QUADPACK as a caller in C sees it. SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "close.h"
#include "quadpack_call.h"

/* ---- Integrands -------------------------------------------------------------------------------------------------------------- */
static int calls;
static double one_of_x(const double *x) {
  ++calls;
  return *x;
}
static double bell(const double *x) {
  ++calls;
  return exp(-*x * *x);
}
static double peak(const double *x) {
  const double d = *x - 0.3;
  ++calls;
  return 1 / (d * d + 1e-4);
}
static double log_root(const double *x) {
  ++calls;
  return *x > 0 ? log(*x) / sqrt(*x) : 0;
}
static double decay(const double *x) {
  ++calls;
  return exp(-*x);
}
static double never(const double *x) {
  (void)x;
  abort();
}
/* Points of view of the arrays of a plain routine: those of the routine with e. */
static void split(const char *name, struct call *c) {
  const integer n = c->limit;
  const integer before = starts(name, "dqawf") ? c->limlst : 0;
  c->alist = c->work + 2 * before;
  c->blist = c->alist + n;
  c->rlist = c->blist + n;
  c->elist = c->rlist + n;
  c->iord = c->iwork + before;
  c->rslst = c->work;
  c->erlst = c->work + before;
  c->ierlst = c->iwork;
  c->pts = c->elist + n;
  c->level = c->iord + n;
  c->ndin = c->level + n;
}

/* ---- Plain routines and those with e ---------------------------------------------------------------------------------------- */

static void both_forms_agree(void **state) {
  (void)state;
  for (int k = 0; k < routine_count; ++k) {
    char with_e[16];
    const char *name = routines[k];
    if (is(name, "dqng") || name[strlen(name) - 1] == 'e') continue;
    snprintf(with_e, sizeof with_e, "%.8se", name);
    struct call p = usual(), e = usual();
    p.keep = e.keep = 1;
    p.limit = e.limit = 40;
    const function f = starts(name, "dqagi") ? bell : starts(name, "dqawf") ? decay : peak;
    calls = 0;
    run(name, f, &p);
    const int once = calls;
    run(with_e, f, &e);
    assert_int_equal(calls, 2 * once);
    assert_int_equal(p.neval, once);
    assert_int_equal(e.neval, once);
    assert_int_equal(p.ier, 0);
    assert_int_equal(e.ier, 0);
    assert_int_equal(p.last, e.last);
    assert_int_equal(p.lst, e.lst);
    assert_same_bits(p.result, e.result);
    assert_same_bits(p.abserr, e.abserr);
    struct call view = p;
    split(name, &view);
    for (integer i = 0; i < (e.last > 0 ? e.last : 0); ++i) {
      assert_same_bits(view.alist[i], e.alist[i]);
      assert_same_bits(view.blist[i], e.blist[i]);
      assert_same_bits(view.rlist[i], e.rlist[i]);
      assert_same_bits(view.elist[i], e.elist[i]);
      assert_int_equal(view.iord[i], e.iord[i]);
      if (is(name, "dqagp")) assert_int_equal(view.level[i], e.level[i]);
    }
    if (is(name, "dqagp")) {
      for (integer i = 0; i < e.npts2; ++i) assert_same_bits(view.pts[i], e.pts[i]);
      for (integer i = 0; i + 1 < e.npts2; ++i) assert_int_equal(view.ndin[i], e.ndin[i]);
    }
    if (is(name, "dqawf")) {
      double sum = 0;
      for (integer i = 0; i < e.lst; ++i) {
        assert_same_bits(view.rslst[i], e.rslst[i]);
        assert_same_bits(view.erlst[i], e.erlst[i]);
        assert_int_equal(view.ierlst[i], e.ierlst[i]);
        sum += e.rslst[i];
      }
      assert_close(sum, e.result, 0, 1e-8);
    }
    forget(&p);
    forget(&e);
  }
}

/* The intervals cover the range, their values and errors add up, and the order is that of the errors. */
static void arrays_hold_the_intervals(void **state) {
  (void)state;
  const char *names[] = {"dqage", "dqagse", "dqagpe", "dqawse", "dqawce", "dqawoe"};
  for (int k = 0; k < 6; ++k) {
    struct call c = usual();
    c.keep = 1;
    c.limit = 60;
    c.epsabs = 0;
    c.epsrel = 1e-6;
    run(names[k], peak, &c);
    assert_int_equal(c.ier, 0);
    assert_true(c.last > 5);
    double length = 0, value = 0, error = 0;
    int seen[60] = {0};
    for (integer i = 0; i < c.last; ++i) {
      assert_true(c.blist[i] > c.alist[i] && c.alist[i] >= 0 && c.blist[i] <= 1);
      length += c.blist[i] - c.alist[i];
      value += c.rlist[i];
      error += c.elist[i];
    }
    assert_close(length, 1, 1e-14, 0);
    assert_close(value, c.result, 1e-6, 0);
    assert_at_most(fabs(value - c.result), error + c.abserr);
    const integer ordered = c.last > c.limit / 2 + 2 ? c.limit + 1 - c.last : c.last;
    for (integer i = 0; i < ordered; ++i) {
      assert_true(c.iord[i] >= 1 && c.iord[i] <= c.last && !seen[c.iord[i] - 1]++);
      if (i > 0) assert_true(c.elist[c.iord[i - 1] - 1] >= c.elist[c.iord[i] - 1]);
    }
    if (is(names[k], "dqagpe")) {
      assert_close(c.pts[0], 0, 0, 0);
      assert_close(c.pts[1], 0.25, 0, 0);
      assert_close(c.pts[2], 1, 0, 0);
      for (integer i = 0; i < c.last; ++i) {
        const double piece = c.blist[i] <= 0.25 ? 0.25 : 0.75;
        assert_close(c.blist[i] - c.alist[i], ldexp(piece, -(int)c.level[i]), 1e-13, 0);
      }
    }
    if (is(names[k], "dqawoe"))
      for (integer i = 0; i < c.last; ++i) assert_close(c.blist[i] - c.alist[i], ldexp(1, -(int)c.nnlog[i]), 1e-13, 0);
    forget(&c);
  }
}

/* ---- Arguments that are refused --------------------------------------------------------------------------------------------- */

static void refused(const char *name, struct call c) {
  run(name, never, &c);
  assert_int_equal(c.ier, 6);
  assert_same_bits(c.result, 0);
  assert_same_bits(c.abserr, 0);
  assert_int_equal(c.neval, 0);
  if (starts(name, "dqawf"))
    assert_int_equal(c.lst, 0);
  else if (!is(name, "dqng"))
    assert_int_equal(c.last, 0);
}

static void wrong_arguments(void **state) {
  (void)state;
  for (int k = 0; k < routine_count; ++k) {
    const char *name = routines[k];
    const int plain = name[strlen(name) - 1] != 'e' && !is(name, "dqng");
    struct call c = usual();
    c.epsabs = 0;
    c.epsrel = 1.1e-14;
    refused(name, c);
    c.epsrel = NAN;
    refused(name, c);
    c = usual();
    c.epsabs = NAN;
    refused(name, c);
    if (is(name, "dqng")) continue;
    c = usual();
    c.limit = 0;
    refused(name, c);
    c.limit = -5;
    c.lenw = c.leniw = 0;
    refused(name, c);
    if (plain) {
      c = usual();
      const int with_leniw = starts(name, "dqagp") || starts(name, "dqawo") || starts(name, "dqawf");
      c.lenw = starts(name, "dqagp") ? 2 * (2 * c.limit + c.npts2) - c.npts2 - 1 : 4 * c.limit - 1;
      refused(name, c);
      if (with_leniw) {
        c = usual();
        c.leniw = starts(name, "dqagp") ? 3 * c.npts2 - 3 : starts(name, "dqawo") ? 1 : c.limlst + 1;
        c.lenw = 10000;
        refused(name, c);
      }
    }
    if (starts(name, "dqagp")) {
      c = usual();
      c.npts2 = 1;
      refused(name, c);
      c.npts2 = 4;
      c.points[0] = 0.5;
      c.points[1] = 1.5;
      refused(name, c);
      c.points[1] = -0.1;
      refused(name, c);
      c.points[1] = NAN;
      refused(name, c);
      if (!plain) {
        c.points[1] = 0.6;
        c.limit = 2;
        refused(name, c);
      }
    }
    if (starts(name, "dqawo") || starts(name, "dqawf")) {
      c = usual();
      c.integr = 3;
      refused(name, c);
      c.integr = 0;
      refused(name, c);
      c = usual();
      c.maxp1 = 0;
      refused(name, c);
    }
    if (is(name, "dqawoe")) {
      c = usual();
      c.icall = 0;
      refused(name, c);
    }
    if (starts(name, "dqawf")) {
      c = usual();
      c.limlst = 2;
      refused(name, c);
    }
    if (starts(name, "dqaws")) {
      c = usual();
      c.b = c.a;
      refused(name, c);
      c.b = -1;
      refused(name, c);
      c = usual();
      c.alfa = -1;
      refused(name, c);
      c.alfa = 0;
      c.beta = NAN;
      refused(name, c);
      c = usual();
      c.integr = 5;
      refused(name, c);
      c = usual();
      c.limit = 1;
      refused(name, c);
    }
    if (starts(name, "dqawc")) {
      c = usual();
      c.c = c.a;
      refused(name, c);
      c.c = c.b;
      refused(name, c);
    }
  }
}

/* ---- Peculiarities ------------------------------------------------------------------------------------------------------------ */

static void ends_of_the_range(void **state) {
  (void)state;
  const char *reversible[] = {"dqag", "dqags", "dqng", "dqagp", "dqawo", "dqawc"};
  for (int k = 0; k < 6; ++k) {
    struct call c = usual(), r = usual();
    r.a = c.b;
    r.b = c.a;
    run(reversible[k], bell, &c);
    run(reversible[k], bell, &r);
    assert_int_equal(c.ier, 0);
    assert_int_equal(r.ier, 0);
    assert_close(r.result, -c.result, 1e-13, 0);
    assert_int_equal(r.neval, c.neval);
  }
  struct call c = a_call(0.5, 0.5, 0, 1e-8);
  run("dqags", bell, &c);
  assert_int_equal(c.ier, 0);
  assert_int_equal(c.neval, 21);
  assert_same_bits(c.result, 0);
  c = a_call(0, 1, 0, 1e-8);
  c.limit = 1; /* one interval is the limit, however good it is */
  run("dqags", one_of_x, &c);
  assert_int_equal(c.ier, 1);
  assert_int_equal(c.last, 1);
  assert_close(c.result, 0.5, 1e-15, 0);
  c = a_call(0, 1, 0, 1e-8);
  c.npts2 = 4;
  c.limit = 3;
  c.points[0] = 0.25;
  c.points[1] = 0.5;
  for (; c.limit <= 4; ++c.limit) {
    run("dqagpe", one_of_x, &c);
    assert_int_equal(c.ier, c.limit == 3 ? 1 : 0);
    assert_int_equal(c.last, 3);
  }
  c = a_call(0, 1, 0, 1e-8); /* one piece: the original has IER = 0 here, whatever the error */
  c.limit = 1;
  run("dqagpe", log_root, &c);
  assert_int_equal(c.ier, 1);
  assert_int_equal(c.last, 1);
}

static void number_of_intervals(void **state) {
  (void)state;
  struct call c = usual();
  run("dqawo", decay, &c);
  assert_int_equal(c.ier, 0);
  assert_int_equal(c.last, 0); /* the first rule was good enough */
  assert_int_equal(c.neval, 25);
  for (int key = -1; key <= 8; ++key) {
    const int points[] = {15, 15, 15, 21, 31, 41, 51, 61, 61, 61};
    c = usual();
    c.key = key;
    run("dqag", decay, &c);
    assert_int_equal(c.neval, points[key + 1]);
    assert_int_equal(c.last, 1);
  }
  const double widths[] = {1, 8, 16};
  const int points[] = {21, 43, 87};
  for (int k = 0; k < 3; ++k) {
    c = a_call(0, widths[k], 0, 1e-10);
    run("dqng", bell, &c);
    assert_int_equal(c.neval, points[k]);
    assert_int_equal(c.ier, 0);
    assert_close(c.result, sqrt(acos(-1.0)) / 2 * erf(widths[k]), 1e-10, 0);
  }
}

static void exponents_and_tolerances_of_dqaws(void **state) {
  (void)state;
  struct call c = usual();
  c.epsabs = -1;
  c.epsrel = 0;
  run("dqaws", decay, &c);
  assert_true(c.ier == 2 || c.ier == 1);
  c = usual();
  c.epsabs = c.epsrel = 0;
  refused("dqaws", c);
}

/* In closed form. */
static double constant(const double *x) {
  (void)x;
  ++calls;
  return 1;
}
static void weights_are_right(void **state) {
  (void)state;
  const double exact[] = {1, -1, -1, 2 - acos(-1.0) * acos(-1.0) / 6};
  for (int integr = 1; integr <= 4; ++integr) {
    struct call c = a_call(0, 1, 0, 1e-12);
    c.integr = integr;
    run("dqaws", constant, &c);
    assert_int_equal(c.ier, 0);
    assert_close(c.result, exact[integr - 1], 1e-12, 0);
  }
  struct call c = a_call(0, 1, 0, 1e-12);
  c.alfa = -0.5;
  c.beta = 1.5;
  run("dqaws", constant, &c);
  assert_close(c.result, tgamma(0.5) * tgamma(2.5) / tgamma(3.0), 1e-12, 0);
  c = a_call(-1, 3, 0, 1e-12);
  c.c = 0.5;
  run("dqawc", constant, &c);
  assert_close(c.result, log(2.5 / 1.5), 1e-12, 0);
  for (double omega = 0.5; omega < 300; omega *= 3) {
    c = a_call(0, 2, 1e-13, 1e-12);
    c.omega = omega;
    run("dqawo", constant, &c);
    assert_close(c.result, sin(2 * omega) / omega, 1e-12, 1e-13);
    c.omega = -omega;
    c.integr = 2;
    run("dqawo", constant, &c);
    assert_close(c.result, (cos(2 * omega) - 1) / omega, 1e-12, 1e-13);
    c = a_call(0, 0, 1e-11, 0);
    c.omega = omega;
    run("dqawf", decay, &c);
    assert_int_equal(c.ier, 0);
    assert_close(c.result, 1 / (1 + omega * omega), 0, 1e-11);
  }
}

static void dqawf_without_frequency(void **state) {
  (void)state;
  struct call c = a_call(1, 0, 1e-9, 0);
  c.keep = 1;
  run("dqawfe", decay, &c); /* from 0, whatever a is */
  assert_int_equal(c.ier, 0);
  assert_int_equal(c.lst, 1);
  assert_close(c.result, 1, 0, 1e-9);
  assert_same_bits(c.rslst[0], c.result);
  forget(&c);
  c.integr = 2;
  run("dqawfe", never, &c);
  assert_int_equal(c.ier, 0);
  assert_same_bits(c.result, 0);
  forget(&c);
}

/* Too few rows for the moments cost time and nothing else. */
static void few_moments(void **state) {
  (void)state;
  const char *names[] = {"dqawo", "dqawoe", "dqawf", "dqawfe"};
  for (int k = 0; k < 4; ++k)
    for (int integr = 1; integr <= 2; ++integr) {
      struct call many = a_call(0, 1, 1e-11, 0), few;
      many.omega = 400;
      many.integr = integr;
      few = many;
      run(names[k], log_root, &many);
      for (int rows = 1; rows <= 3; ++rows) {
        struct call c = few;
        c.maxp1 = rows;
        run(names[k], log_root, &c);
        assert_int_equal(c.ier, many.ier);
        assert_int_equal(c.neval, many.neval);
        assert_close(c.result, many.result, 0, 1e-11);
        if (starts(names[k], "dqawo")) assert_true(c.momcom < rows);
      }
    }
}

/* icall > 1: moments of an earlier call with the same length; nonsense in momcom is not believed. */
static void moments_are_kept(void **state) {
  (void)state;
  double chebmo[25 * 21];
  struct call c = a_call(0, 1, 1e-10, 0);
  double alist[100], blist[100], rlist[100], elist[100], first = 0;
  integer iord[100], nnlog[100], kept = 0;
  c.omega = 150;
  for (integer icall = 1; icall <= 4; ++icall) {
    if (icall == 3) kept = -8;
    if (icall == 4) kept = 21;
    dqawoe_(log_root, &c.a, &c.b, &c.omega, &c.integr, &c.epsabs, &c.epsrel, &c.limit, &icall, &c.maxp1, &c.result,
            &c.abserr, &c.neval, &c.ier, &c.last, alist, blist, rlist, elist, iord, nnlog, &kept, chebmo);
    assert_int_equal(c.ier, 0);
    assert_true(kept > 3 && kept < 21);
    if (icall == 1) first = c.result;
    assert_same_bits(c.result, first);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_forms_agree),    cmocka_unit_test(arrays_hold_the_intervals),
      cmocka_unit_test(wrong_arguments),     cmocka_unit_test(ends_of_the_range),
      cmocka_unit_test(number_of_intervals), cmocka_unit_test(exponents_and_tolerances_of_dqaws),
      cmocka_unit_test(weights_are_right),   cmocka_unit_test(dqawf_without_frequency),
      cmocka_unit_test(few_moments),         cmocka_unit_test(moments_are_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
