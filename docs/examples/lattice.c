/* A lattice rule in 100 variables, with a generating vector made for the integrand.
 *
 * f(x) = prod (1 + (x_j - 1/2)/j^2), whose integral is 1: variable j matters like 1/j^2, and the weights of the construction say
 * so. The vector is kept in a file for the next time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <tessera.h>

enum { ndim = 100 };

/* Coordinate j of point i is x[j * ldx + i]. */
static int f(int64_t n, int d, const double *x, int64_t ldx, int ncomp, double *values, int64_t ldf, void *userdata) {
  (void)ncomp, (void)ldf, (void)userdata;
  for (int64_t i = 0; i < n; ++i) values[i] = 1;
  for (int j = 0; j < d; ++j)
    for (int64_t i = 0; i < n; ++i) values[i] *= 1 + (x[j * ldx + i] - 0.5) / ((j + 1.0) * (j + 1.0));
  return 0;
}

int main(void) {
  double value, error, merit, product[ndim];
  int64_t evaluations, points, shifts, size;
  tessera_lattice *l;
  tessera_solver *s;

  /* a vector for n = 2^8 .. 2^14 */
  if (tessera_lattice_create(&l, ndim) < 0) return 1;
  for (int j = 0; j < ndim; ++j) product[j] = 1 / ((j + 1.0) * (j + 1.0));
  tessera_lattice_set_weights(l, product, 0, NULL);
  tessera_lattice_set_int(l, TESSERA_LATTICE_LEAST, 256);
  if (tessera_lattice_construct(l, 16384) < 0) {
    fprintf(stderr, "%s: the built-in vector is used\n", tessera_lattice_last_error(l));
    tessera_lattice_builtin(l);
  } else if (tessera_lattice_save(l, "lattice_example.txt") < 0) {
    fprintf(stderr, "%s\n", tessera_lattice_last_error(l));
    return 1;
  }
  tessera_lattice_get_int(l, TESSERA_LATTICE_SIZE, &size);
  tessera_lattice_get_real(l, TESSERA_LATTICE_MERIT, &merit);
  printf("vector for n up to %" PRId64 ", worst-case error %.3g\n", size, sqrt(merit));

  if (tessera_create(&s, ndim, 1) < 0) return 1;
  tessera_set_integrand(s, f, NULL);
  tessera_set_lattice(s, l); /* copied */
  tessera_lattice_destroy(l);
  tessera_set_int(s, TESSERA_POINTS, 256);
  tessera_set_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_BAKER);
  tessera_set_real(s, TESSERA_RELTOL, 1e-7);
  const int status = tessera_integrate(s, TESSERA_LATTICE, &value, &error);
  if (status < 0) {
    fprintf(stderr, "%s\n", tessera_last_error(s));
    return 1;
  }
  tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations);
  tessera_get_int(s, TESSERA_POINTS_USED, &points);
  tessera_get_int(s, TESSERA_SHIFTS_USED, &shifts);
  printf("%s\n", tessera_status_string(status));
  printf("value       %.10f\n", value);
  printf("error       %.1e\n", error);
  printf("true error  %.1e\n", fabs(value - 1));
  printf("evaluations %" PRId64 " (n = %" PRId64 ", %" PRId64 " shifts)\n", evaluations, points, shifts);
  tessera_destroy(s);
  return status == TESSERA_OK && fabs(value - 1) <= error ? 0 : 1;
}
