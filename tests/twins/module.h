/* Functions and variables of a shared library, and of the test program itself: tests/twins/module.c is compiled into both.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_TWINS_MODULE_H
#define TESSERA_TESTS_TWINS_MODULE_H

typedef int (*point_function)(int ndim, const double *x, int ncomp, double *f, void *userdata);

/* What a copy of the module holds. */
struct module {
  point_function exported, hidden; /* exp(-rate*(x1 + x2 + ...)); the second has internal linkage */
  double *rate, *hidden_rate;      /* their variables */
};

#endif
