/* Loop integrals along a contour in the complex plane, over the unit cube. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LOOPS_CONTOUR_H
#define LOOPS_CONTOUR_H

struct loop_contour {
  double lambda; /* how far the contour is moved */
  const double *s;
};

#ifdef __cplusplus
extern "C" {
#endif

int loop_pentagon_contour(int ndim, const double *t, int ncomp, double *f, void *userdata);
int loop_ladder_contour(int ndim, const double *t, int ncomp, double *f, void *userdata);

#ifdef __cplusplus
}
#endif
#endif
