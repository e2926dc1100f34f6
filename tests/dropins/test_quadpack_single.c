/* The routines of QUADPACK in single precision: each beside its twin in double precision. SPDX-License-Identifier: BSD-3-Clause */
#include "close.h"
#include "quadpack_call.h"

static int calls;
static double smooth(const double *x) { return exp(-*x) * (1 + *x * *x); }
static double singular(const double *x) { return *x > 0 ? log(*x) / sqrt(*x) : 0; }
static float smooth_single(const float *x) {
  const double wide = *x;
  ++calls;
  return (float)smooth(&wide);
}
static float singular_single(const float *x) {
  const double wide = *x;
  ++calls;
  return (float)singular(&wide);
}
static float nan_single(const float *x) { return ++calls == 7 ? NAN : *x; }

enum { limit_of_all = 50, rows = 21 };
struct single {
  float a, b, epsabs, epsrel, omega, alfa, beta, c, points[1], result, abserr;
  integer key, inf, npts2, integr, limit, limlst, maxp1, icall, momcom, lenw, leniw, neval, ier, last, lst;
  float alist[limit_of_all], blist[limit_of_all], rlist[limit_of_all], elist[limit_of_all], pts[3], rslst[limit_of_all],
      erlst[limit_of_all], chebmo[25 * rows], work[6 * limit_of_all + 25 * rows + 300];
  integer iord[limit_of_all], level[limit_of_all], ndin[3], nnlog[limit_of_all], ierlst[limit_of_all],
      iwork[4 * limit_of_all];
};

static void run_single(const char *name, tessera_quadpack_function_single f, struct single *s) {
  s->limit = s->limlst = limit_of_all;
  s->lenw = sizeof s->work / sizeof *s->work;
  s->leniw = 3 * limit_of_all;
  s->maxp1 = rows;
  s->result = s->abserr = -77;
  s->neval = s->ier = s->last = s->lst = -7;
  calls = 0;
#define TOLERANCES &s->epsabs, &s->epsrel
#define OUTPUTS &s->result, &s->abserr, &s->neval, &s->ier
#define LISTS s->alist, s->blist, s->rlist, s->elist, s->iord
#define ROOM &s->limit, &s->lenw, &s->last, s->iwork, s->work
#define IS(routine) strcmp(name, "d" #routine) == 0
  if (IS(qag))
    qag_(f, &s->a, &s->b, TOLERANCES, &s->key, OUTPUTS, ROOM);
  else if (IS(qage))
    qage_(f, &s->a, &s->b, TOLERANCES, &s->key, &s->limit, OUTPUTS, LISTS, &s->last);
  else if (IS(qags))
    qags_(f, &s->a, &s->b, TOLERANCES, OUTPUTS, ROOM);
  else if (IS(qagse))
    qagse_(f, &s->a, &s->b, TOLERANCES, &s->limit, OUTPUTS, LISTS, &s->last);
  else if (IS(qagi))
    qagi_(f, &s->a, &s->inf, TOLERANCES, OUTPUTS, ROOM);
  else if (IS(qagie))
    qagie_(f, &s->a, &s->inf, TOLERANCES, &s->limit, OUTPUTS, LISTS, &s->last);
  else if (IS(qagp))
    qagp_(f, &s->a, &s->b, &s->npts2, s->points, TOLERANCES, OUTPUTS, &s->leniw, &s->lenw, &s->last, s->iwork, s->work);
  else if (IS(qagpe))
    qagpe_(f, &s->a, &s->b, &s->npts2, s->points, TOLERANCES, &s->limit, OUTPUTS, s->alist, s->blist, s->rlist,
           s->elist, s->pts, s->iord, s->level, s->ndin, &s->last);
  else if (IS(qng))
    qng_(f, &s->a, &s->b, TOLERANCES, OUTPUTS);
  else if (IS(qawo))
    qawo_(f, &s->a, &s->b, &s->omega, &s->integr, TOLERANCES, OUTPUTS, &s->leniw, &s->maxp1, &s->lenw, &s->last,
          s->iwork, s->work);
  else if (IS(qawoe))
    qawoe_(f, &s->a, &s->b, &s->omega, &s->integr, TOLERANCES, &s->limit, &s->icall, &s->maxp1, OUTPUTS, &s->last,
           LISTS, s->nnlog, &s->momcom, s->chebmo);
  else if (IS(qawf))
    qawf_(f, &s->a, &s->omega, &s->integr, &s->epsabs, OUTPUTS, &s->limlst, &s->lst, &s->leniw, &s->maxp1, &s->lenw,
          s->iwork, s->work);
  else if (IS(qawfe))
    qawfe_(f, &s->a, &s->omega, &s->integr, &s->epsabs, &s->limlst, &s->limit, &s->maxp1, OUTPUTS, s->rslst, s->erlst,
           s->ierlst, &s->lst, LISTS, s->nnlog, s->chebmo);
  else if (IS(qaws))
    qaws_(f, &s->a, &s->b, &s->alfa, &s->beta, &s->integr, TOLERANCES, OUTPUTS, ROOM);
  else if (IS(qawse))
    qawse_(f, &s->a, &s->b, &s->alfa, &s->beta, &s->integr, TOLERANCES, &s->limit, OUTPUTS, LISTS, &s->last);
  else if (IS(qawc))
    qawc_(f, &s->a, &s->b, &s->c, TOLERANCES, OUTPUTS, ROOM);
  else if (IS(qawce))
    qawce_(f, &s->a, &s->b, &s->c, TOLERANCES, &s->limit, OUTPUTS, LISTS, &s->last);
  else
    abort();
}

static void prepare(struct call *d, struct single *s) {
  memset(s, 0, sizeof *s);
  *d = a_call(0, 2, 1e-9, 1e-9);
  s->b = 2;
  s->epsabs = s->epsrel = 1e-4f;
  d->key = s->key = 3;
  d->inf = s->inf = d->integr = s->integr = d->icall = s->icall = 1;
  d->npts2 = s->npts2 = 3;
  d->points[0] = s->points[0] = 0.5f;
  d->omega = s->omega = 20;
  d->alfa = s->alfa = -0.5f;
  d->beta = s->beta = 0.25f;
  d->c = s->c = 0.75f;
}

static void twins_agree(void **state) {
  (void)state;
  struct call d;
  static struct single s;
  for (int k = 0; k < routine_count; ++k) {
    const char *name = routines[k];
    const int hard = strncmp(name, "dqags", 5) == 0 || strncmp(name, "dqagp", 5) == 0 || strncmp(name, "dqawo", 5) == 0;
    prepare(&d, &s);
    run(name, hard ? singular : smooth, &d);
    run_single(name, hard ? singular_single : smooth_single, &s);
    assert_int_equal(d.ier, 0);
    assert_int_equal(s.ier, 0);
    assert_int_equal(s.neval, calls);
    assert_close(s.result, d.result, 1e-4, 1e-4);
    assert_at_most(s.abserr, fmax(1e-4, 1e-4 * fabs(d.result)));
    assert_at_most(fabs(s.result - d.result), s.abserr + 1e-6 + 1e-5 * fabs(d.result));

    prepare(&d, &s);
    s.epsabs = 0;
    s.epsrel = 5.9e-6f; /* 50 roundings of single precision are 5.96e-6 */
    run_single(name, smooth_single, &s);
    assert_int_equal(s.ier, 6);
    assert_int_equal(calls, 0);
    if (strncmp(name, "dqawf", 5) != 0) {
      s.epsrel = 6e-6f;
      run_single(name, smooth_single, &s);
      assert_true(s.ier >= 0 && s.ier <= 2 && calls > 0);
      assert_close(s.result, s.result, 0, 0);
    }

    prepare(&d, &s);
    run_single(name, nan_single, &s);
    assert_int_equal(s.ier, strcmp(name, "dqng") == 0 ? 1 : strncmp(name, "dqawf", 5) == 0 ? 7 : 3);
    assert_true(isnan(s.result) && isinf(s.abserr));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(twins_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
