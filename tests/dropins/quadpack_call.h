/* One call of a routine of QUADPACK, its arguments by value and its arrays of exactly the lengths that it may use. The name decides which
 * members count: "dqagse", "qawo". SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_QUADPACK_CALL_H
#define TESSERA_TESTS_QUADPACK_CALL_H

#include "tessera_quadpack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef tessera_quadpack_int integer;

static const char *const routines[] = {"dqag",   "dqage",  "dqags",  "dqagse", "dqagi",  "dqagie",
                                       "dqagp",  "dqagpe", "dqng",   "dqawo",  "dqawoe", "dqawf",
                                       "dqawfe", "dqaws",  "dqawse", "dqawc",  "dqawce"};
enum { routine_count = sizeof routines / sizeof *routines };

static inline int is(const char *name, const char *other) { return strcmp(name, other) == 0; }
static inline int starts(const char *name, const char *with) { return strncmp(name, with, strlen(with)) == 0; }

struct call {
  double a, b, epsabs, epsrel; /* a: the bound of qagi too */
  integer key, inf, npts2, integr, limit, limlst, maxp1, icall, momcom;
  double points[4], omega, alfa, beta, c;
  integer lenw, leniw; /* -1: as long as they have to be */
  double result, abserr;
  integer neval, ier, last, lst;
  /* The arrays as they were left, when `keep` is set; forget() frees them. */
  int keep;
  double *alist, *blist, *rlist, *elist, *pts, *rslst, *erlst, *chebmo, *work;
  integer *iord, *level, *ndin, *nnlog, *ierlst, *iwork;
};

static struct call a_call(double a, double b, double epsabs, double epsrel) {
  struct call c;
  memset(&c, 0, sizeof c);
  c.a = a;
  c.b = b;
  c.epsabs = epsabs;
  c.epsrel = epsrel;
  c.key = c.icall = c.inf = c.integr = 1;
  c.npts2 = 2;
  c.limit = 100;
  c.limlst = 50;
  c.maxp1 = 21;
  c.lenw = c.leniw = -1;
  c.result = c.abserr = -77;
  c.neval = c.ier = c.last = c.lst = -7;
  return c;
}

/* A call that any routine can serve. */
static inline struct call usual(void) {
  struct call c = a_call(0, 1, 1e-9, 1e-9);
  c.npts2 = 3;
  c.points[0] = 0.25;
  c.omega = 30;
  c.c = 0.4;
  c.alfa = -0.5;
  c.beta = 0.25;
  return c;
}

static double *reals(integer n) {
  double *p = malloc((size_t)(n > 0 ? n : 1) * sizeof *p);
  if (!p) abort();
  for (integer i = 0; i < n; ++i) p[i] = 3 + 0.25 * (double)i;
  return p;
}
static integer *integers(integer n) {
  integer *p = malloc((size_t)(n > 0 ? n : 1) * sizeof *p);
  if (!p) abort();
  for (integer i = 0; i < n; ++i) p[i] = -1000 - i;
  return p;
}

static void forget(struct call *c) {
  double *r[] = {c->alist, c->blist, c->rlist, c->elist, c->pts, c->rslst, c->erlst, c->chebmo, c->work};
  integer *i[] = {c->iord, c->level, c->ndin, c->nnlog, c->ierlst, c->iwork};
  for (size_t k = 0; k < sizeof r / sizeof *r; ++k) free(r[k]);
  for (size_t k = 0; k < sizeof i / sizeof *i; ++k) free(i[k]);
  c->alist = c->blist = c->rlist = c->elist = c->pts = c->rslst = c->erlst = c->chebmo = c->work = NULL;
  c->iord = c->level = c->ndin = c->nnlog = c->ierlst = c->iwork = NULL;
}

typedef tessera_quadpack_function function;

static void run(const char *name, function f, struct call *c) {
  const int plain = name[strlen(name) - 1] != 'e';
  if (plain) {
    integer room = 4 * c->limit, length = c->limit;
    if (strcmp(name, "dqagp") == 0) {
      length = 2 * c->limit + c->npts2;
      room = 2 * length - c->npts2;
    } else if (strcmp(name, "dqawo") == 0) {
      length = 2 * c->limit;
      room = 2 * length + 25 * c->maxp1;
    } else if (strcmp(name, "dqawf") == 0) {
      length = 2 * c->limit + c->limlst;
      room = 2 * length + 25 * c->maxp1;
    }
    if (c->lenw < 0) c->lenw = room;
    if (c->leniw < 0) c->leniw = length;
    c->work = reals(c->lenw);
    c->iwork = integers(c->leniw);
  } else {
    c->alist = reals(c->limit);
    c->blist = reals(c->limit);
    c->rlist = reals(c->limit);
    c->elist = reals(c->limit);
    c->iord = integers(c->limit);
    c->pts = reals(c->npts2);
    c->level = integers(c->limit);
    c->ndin = integers(c->npts2);
    c->nnlog = integers(c->limit);
    c->rslst = reals(c->limlst);
    c->erlst = reals(c->limlst);
    c->ierlst = integers(c->limlst);
    c->chebmo = reals(25 * c->maxp1);
  }
#define TOLERANCES &c->epsabs, &c->epsrel
#define OUTPUTS &c->result, &c->abserr, &c->neval, &c->ier
#define LISTS c->alist, c->blist, c->rlist, c->elist, c->iord
#define ROOM &c->limit, &c->lenw, &c->last, c->iwork, c->work
#define IS(routine) strcmp(name, #routine) == 0
  if (IS(dqag))
    dqag_(f, &c->a, &c->b, TOLERANCES, &c->key, OUTPUTS, ROOM);
  else if (IS(dqage))
    dqage_(f, &c->a, &c->b, TOLERANCES, &c->key, &c->limit, OUTPUTS, LISTS, &c->last);
  else if (IS(dqags))
    dqags_(f, &c->a, &c->b, TOLERANCES, OUTPUTS, ROOM);
  else if (IS(dqagse))
    dqagse_(f, &c->a, &c->b, TOLERANCES, &c->limit, OUTPUTS, LISTS, &c->last);
  else if (IS(dqagi))
    dqagi_(f, &c->a, &c->inf, TOLERANCES, OUTPUTS, ROOM);
  else if (IS(dqagie))
    dqagie_(f, &c->a, &c->inf, TOLERANCES, &c->limit, OUTPUTS, LISTS, &c->last);
  else if (IS(dqagp))
    dqagp_(f, &c->a, &c->b, &c->npts2, c->points, TOLERANCES, OUTPUTS, &c->leniw, &c->lenw, &c->last, c->iwork,
           c->work);
  else if (IS(dqagpe))
    dqagpe_(f, &c->a, &c->b, &c->npts2, c->points, TOLERANCES, &c->limit, OUTPUTS, c->alist, c->blist, c->rlist,
            c->elist, c->pts, c->iord, c->level, c->ndin, &c->last);
  else if (IS(dqng))
    dqng_(f, &c->a, &c->b, TOLERANCES, OUTPUTS);
  else if (IS(dqawo))
    dqawo_(f, &c->a, &c->b, &c->omega, &c->integr, TOLERANCES, OUTPUTS, &c->leniw, &c->maxp1, &c->lenw, &c->last,
           c->iwork, c->work);
  else if (IS(dqawoe))
    dqawoe_(f, &c->a, &c->b, &c->omega, &c->integr, TOLERANCES, &c->limit, &c->icall, &c->maxp1, OUTPUTS, &c->last,
            LISTS, c->nnlog, &c->momcom, c->chebmo);
  else if (IS(dqawf))
    dqawf_(f, &c->a, &c->omega, &c->integr, &c->epsabs, OUTPUTS, &c->limlst, &c->lst, &c->leniw, &c->maxp1, &c->lenw,
           c->iwork, c->work);
  else if (IS(dqawfe))
    dqawfe_(f, &c->a, &c->omega, &c->integr, &c->epsabs, &c->limlst, &c->limit, &c->maxp1, OUTPUTS, c->rslst, c->erlst,
            c->ierlst, &c->lst, LISTS, c->nnlog, c->chebmo);
  else if (IS(dqaws))
    dqaws_(f, &c->a, &c->b, &c->alfa, &c->beta, &c->integr, TOLERANCES, OUTPUTS, ROOM);
  else if (IS(dqawse))
    dqawse_(f, &c->a, &c->b, &c->alfa, &c->beta, &c->integr, TOLERANCES, &c->limit, OUTPUTS, LISTS, &c->last);
  else if (IS(dqawc))
    dqawc_(f, &c->a, &c->b, &c->c, TOLERANCES, OUTPUTS, ROOM);
  else if (IS(dqawce))
    dqawce_(f, &c->a, &c->b, &c->c, TOLERANCES, &c->limit, OUTPUTS, LISTS, &c->last);
  else
    abort();
#undef TOLERANCES
#undef OUTPUTS
#undef LISTS
#undef ROOM
#undef IS
  if (!c->keep) forget(c);
}

#endif
