/* Many integrals in one call: a table of the complete elliptic integrals K and E, one parameter block for each modulus.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <tessera.h>

struct modulus {
  double k;
};

static int elliptic(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct modulus *m = userdata; /* the block of this integral */
  const double root = sqrt(1 - m->k * m->k * sin(x[0]) * sin(x[0]));
  (void)ndim, (void)ncomp;
  f[0] = 1 / root; /* K */
  f[1] = root;     /* E */
  return 0;
}

enum { count = 9 };

int main(void) {
  const double lower = 0, upper = acos(-1.0) / 2;
  struct modulus params[count];
  double value[count][2], error[count][2];
  int status[count], failures = 0;
  tessera_solver *s;
  if (tessera_create(&s, 1, 2) != 0) return 1;

  tessera_set_domain(s, &lower, &upper); /* the same for all */
  tessera_set_integrand1(s, elliptic, NULL);
  tessera_set_int(s, TESSERA_THREADS, 0); /* one integral on each processor at a time */
  for (int i = 0; i < count; ++i) params[i].k = 0.1 * (i + 1);
  const int worst = tessera_integrate_many(s, TESSERA_CUBATURE, count, params, sizeof params[0], NULL, NULL, value[0],
                                           error[0], status);
  if (worst != 0) printf("%s\n", tessera_last_error(s));

  for (int i = 0; i < count; ++i) {
    /* The arithmetic-geometric mean gives the exact K. */
    double a = 1, b = sqrt(1 - params[i].k * params[i].k);
    for (int j = 0; j < 8; ++j) {
      const double mean = 0.5 * (a + b);
      b = sqrt(a * b);
      a = mean;
    }
    printf("k = %.1f  K = %.10f  E = %.10f  status %d\n", params[i].k, value[i][0], value[i][1], status[i]);
    failures += status[i] != 0 || !(fabs(value[i][0] - upper / a) <= 1e-6 * upper / a);
  }
  tessera_destroy(s);
  return failures;
}
