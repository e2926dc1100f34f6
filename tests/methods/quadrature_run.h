/* One integral over one variable from the user's side: begin, set, expect. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_QUADRATURE_RUN_H
#define TESSERA_TESTS_QUADRATURE_RUN_H

#include "solve.h"

typedef double (*function)(double x);
static int call(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp;
  *f = (*(function *)userdata)(*x);
  return 0;
}

struct run {
  tessera_solver *s;
  function f;
  int status;
  double value, error;
};
static void begin(struct run *r, function f, double lower, double upper, double reltol) {
  memset(r, 0, sizeof *r);
  r->s = solver_of(1, 1);
  r->f = f;
  put_point(r->s, call, &r->f);
  put_real(r->s, TESSERA_RELTOL, reltol);
  assert_status(r->s, tessera_set_domain(r->s, &lower, &upper), TESSERA_OK);
}
static void go(struct run *r) {
  r->value = r->error = -7.0;
  r->status = tessera_integrate(r->s, TESSERA_QUADRATURE, &r->value, &r->error);
}
/* Ends with status 0, the value and an error that holds. */
static void expect(struct run *r, double exact, double reltol) {
  go(r);
  assert_status(r->s, r->status, TESSERA_OK);
  assert_close(r->value, exact, reltol, 1e-15);
  assert_at_most(fabs(r->value - exact), r->error + 4e-15 * fabs(exact));
  tessera_destroy(r->s);
}
static void weigh(struct run *r, int weight, double omega, double alpha, double beta, double pole) {
  put_int(r->s, TESSERA_WEIGHT, weight);
  put_real(r->s, TESSERA_OMEGA, omega);
  put_real(r->s, TESSERA_ALPHA, alpha);
  put_real(r->s, TESSERA_BETA, beta);
  put_real(r->s, TESSERA_POLE, pole);
}

#endif
