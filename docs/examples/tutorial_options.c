/* Options, statistics and a block of parameters. SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <tessera.h>

struct peak {
  double centre[2], width;
};

static int lorentz(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct peak *p = userdata; /* the library's copy of the parameters */
  (void)ncomp;
  f[0] = 1;
  for (int j = 0; j < ndim; ++j) {
    const double z = (x[j] - p->centre[j]) / p->width;
    f[0] /= 1 + z * z;
  }
  return 0;
}

int main(void) {
  struct peak p = {{0.3, 0.6}, 0.1};
  double value = 0, error = 0;
  int failures = 0;
  tessera_solver *s;
  if (tessera_create(&s, 2, 1) != 0) return 1;

  tessera_set_integrand1(s, lorentz, NULL); /* userdata NULL: the integrand receives the parameters */
  tessera_set_real(s, TESSERA_RELTOL, 1e-10);
  tessera_set_int(s, TESSERA_MAXEVAL, 10000000);
  tessera_set_int(s, TESSERA_RULE, TESSERA_RULE_DEGREE9);

  for (p.width = 0.1; p.width > 0.0005; p.width /= 10) { /* one solver, many integrals */
    int64_t evaluations = 0, regions = 0;
    double exact = 1;
    for (int j = 0; j < 2; ++j) {
      exact *= p.width * (atan((1 - p.centre[j]) / p.width) + atan(p.centre[j] / p.width));
    }
    tessera_set_params(s, &p, sizeof p); /* copied: p may change afterwards */
    const int status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
    tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations);
    tessera_get_int(s, TESSERA_REGIONS, &regions);
    printf("width %-6g status %d value %.12e error %.1e evaluations %7" PRId64 " regions %6" PRId64 "\n", p.width,
           status, value, error, evaluations, regions);
    if (status != 0 || fabs(value - exact) > 1e-10 * exact) ++failures;
  }
  tessera_destroy(s);
  return failures;
}
