/* Complex values: a product of propagators above threshold, whose integral has a closed form, as a callback in C99's complex numbers. The
 * tolerance holds for the modulus. SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <tessera.h>

enum { ndim = 2 };
static const double pole[ndim] = {0.3, 0.6}, width = 0.05;

/* With TESSERA_COMPLEX = 1 the doubles f[0], f[1] are the real and the imaginary part of the first component: an array of double _Complex. */
static int propagators(int n, const double *x, int ncomp, double *f, void *userdata) {
  double _Complex *const value = (double _Complex *)f;
  (void)ncomp, (void)userdata;
  value[0] = 1;
  for (int j = 0; j < n; ++j) value[0] /= x[j] - pole[j] + I * width;
  return 0;
}

int main(void) {
  static const int methods[] = {TESSERA_CUBATURE, TESSERA_LATTICE, TESSERA_ITERATED};
  static const char *const names[] = {"cubature", "lattice rule", "iterated"};
  double _Complex exact = 1, value, error;
  int wrong = 0;
  tessera_solver *s;

  for (int j = 0; j < ndim; ++j) exact *= clog((1 - pole[j] + I * width) / (-pole[j] + I * width));
  if (tessera_create(&s, ndim, 2) < 0) return 1; /* two doubles for one complex component */
  tessera_set_int(s, TESSERA_COMPLEX, 1);
  tessera_set_integrand1(s, propagators, NULL);
  for (int m = 0; m < 3; ++m) {
    const int status = tessera_integrate(s, methods[m], (double *)&value, (double *)&error);
    if (status != TESSERA_OK) {
      fprintf(stderr, "%s: %s\n", tessera_status_string(status), tessera_last_error(s));
      wrong = 1;
      break;
    }
    printf("%-12s %.8f %+.8f i, error %.0e, true error %.0e\n", names[m], creal(value), cimag(value), cabs(error),
           cabs(value - exact));
    wrong += !(cabs(value - exact) <= 1e-6 * cabs(exact));
  }
  tessera_destroy(s);
  return wrong;
}
