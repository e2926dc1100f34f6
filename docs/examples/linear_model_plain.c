/* The Bayesian linear model of linear_model.f, 10 variables, as it stands: no change of variables, the cube of
 * half-width 5 around the mode, nine components. It runs on a GPU if there is one, with as many evaluations as
 * published parallel runs took, else on all processors with what takes some seconds, which is too few for digits.
 *
 * This file is also the text of the integrand for the GPU: there TESSERA_NDIM is defined, and the first part remains.
 *
 * Usage: linear_model_plain [gpu]; with gpu it ends with 77 where there is none.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

/* Groups of five observations y around means x[0..8]; x[9] is log sigma; Student's t with 3 degrees of freedom. With
 * e = 1/sigma the density is (2/pi)^45 e^45 / prod (1 + ((y - x) e)^2)^2: one exponential and one division. */
#define FACTOR(y) (1 + ((y)*e - t) * ((y)*e - t))
#define GROUP(i, y1, y2, y3, y4, y5) \
  t = x[i] * e;                      \
  p *= (FACTOR(y1) * FACTOR(y2)) * (FACTOR(y3) * FACTOR(y4)) * FACTOR(y5);

int posterior(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double e = exp(-x[9]);
  double t, p = 1;
  (void)ndim, (void)ncomp, (void)userdata;
  GROUP(0, 1.951754965, 2.885632419, 2.391451482, 1.731576578, 1.421926027)
  GROUP(1, -0.638321684, 0.186636475, -0.009514517, 0.495339037, 0.261643198)
  GROUP(2, 2.833250710, 1.098441287, -0.476050335, -0.383252862, 1.128895153)
  GROUP(3, 0.041946195, 0.174042986, -0.581710481, 0.447193674, -0.071116204)
  GROUP(4, -0.616061349, -0.513835377, -1.321292735, 0.043171116, 0.072504593)
  GROUP(5, -0.816614843, 0.934854744, -0.156455228, -0.172299695, -0.174379640)
  GROUP(6, -0.878534226, 0.028068692, -0.110434509, -1.193255325, 0.973952349)
  GROUP(7, -0.610598648, -0.548582027, -0.544598812, -0.402896237, -1.299835892)
  GROUP(8, 0.289558508, 0.755147497, -0.149990572, 0.746211189, -3.006485474)
  const double e2 = e * e, e4 = e2 * e2, e5 = e4 * e, e10 = e5 * e5, e20 = e10 * e10, e40 = e20 * e20;
  f[0] = 1.49487725369633818e-9 * (e40 * e5) / (p * p);
  f[1] = f[0] * x[0];
  f[2] = f[0] * x[1];
  f[3] = f[0] * x[3];
  f[4] = f[0] * x[9];
  f[5] = f[1] * x[0];
  f[6] = f[2] * x[1];
  f[7] = f[3] * x[3];
  f[8] = f[4] * x[9];
  return 0;
}

#ifndef TESSERA_NDIM
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tessera.h>

enum { ndim = 10, ncomp = 9 };

static const char *const name[ncomp] = {"constant",    "E theta1",    "E theta2",    "E theta4",    "E theta10",
                                        "E theta1**2", "E theta2**2", "E theta4**2", "E theta10**2"};
/* Over this cube, by nested one-dimensional integration (tests/support/outside_values.py). */
static const double exact[ncomp] = {1.30563865370192e-22, 2.0428178695, 0.0945457789, 0.0179908892, -0.0730216085,
                                    4.2637287041,         0.0810316207, 0.0692498778, 0.0327443771};
static const double published[ncomp] = {1.3065e-22, 2.0428,  0.09473, 0.01801, -0.0729,
                                        4.2636,     0.08074, 0.06906, 0.03269};

static void line(int k, double value, double error) {
  if (k == 0)
    printf("%-13s%15.6e%14.1e%13.1e%14.4e\n", name[k], value, error, fabs(value - exact[k]), published[k]);
  else
    printf("%-13s%15.6f%14.1e%13.1e%14.5g\n", name[k], value, error, fabs(value - exact[k]), published[k]);
}

int main(int argc, char **argv) {
  static const double mode[ndim] = {2.0181844586,  0.1164033358,  0.8829971058,  0.0286137933, -0.4075284444,
                                    -0.1719809578, -0.2705947873, -0.6290830366, 0.3696063212, -0.2324376111};
  const int gpu_only = argc > 1 && strcmp(argv[1], "gpu") == 0;
  double lower[ndim], upper[ndim], value[ncomp], error[ncomp], seconds = 0;
  int64_t device = -1, evaluations = 0;
  tessera_solver *s;
  for (int j = 0; j < ndim; ++j) {
    lower[j] = mode[j] - 5;
    upper[j] = mode[j] + 5;
  }
  if (tessera_create(&s, ndim, ncomp) < 0) return 1;
  tessera_set_domain(s, lower, upper);
  tessera_set_integrand1(s, posterior, NULL);
  tessera_set_integrand_file(s, TESSERA_LANGUAGE_C, __FILE__, "posterior");
  tessera_set_int(s, TESSERA_DEVICE, -2);
  tessera_set_int(s, TESSERA_THREADS, 0);
  tessera_set_real(s, TESSERA_RELTOL, 1e-4);

  /* One application of the rule shows where it runs; the second run finds a compiled kernel. */
  tessera_set_int(s, TESSERA_MAXEVAL, 1);
  int status = tessera_integrate(s, TESSERA_CUBATURE, value, error);
  tessera_get_int(s, TESSERA_DEVICE_USED, &device);
  if (status >= 0 && device < 0 && gpu_only) {
    tessera_destroy(s);
    return 77;
  }
  tessera_set_int(s, TESSERA_MAXEVAL, device >= 0 ? INT64_C(25000000000) : INT64_C(100000000));
  tessera_set_real(s, TESSERA_MAX_SECONDS, device >= 0 ? 0 : 20);
  if (status >= 0) status = tessera_integrate(s, TESSERA_CUBATURE, value, error);
  if (status < 0) {
    fprintf(stderr, "%s\n", tessera_last_error(s));
    tessera_destroy(s);
    return 1;
  }
  tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations);
  tessera_get_real(s, TESSERA_SECONDS, &seconds);
  tessera_destroy(s);

  printf("Bayesian linear model, 10 variables, without a change of variables, on %s\n",
         device >= 0 ? "a GPU" : "the host");
  printf("status       %s\n", tessera_status_string(status));
  printf("evaluations  %" PRId64 "\n", evaluations);
  printf("seconds      %.2f\n", seconds);
  printf("\n%28s%14s%13s%14s\n", "value", "estimate", "true error", "published");
  int wrong = 0;
  for (int k = 0; k < ncomp; ++k) {
    const double mean = k == 0 ? 1 : value[k] / value[0];
    line(k, k == 0 ? value[0] : mean, k == 0 ? error[0] : (error[k] + fabs(mean) * error[0]) / fabs(value[0]));
    wrong += !(fabs(value[k] - (k == 0 ? 1 : exact[k]) * exact[0]) <= error[k]);
  }
  printf(
      "\nPublished: 25e9 evaluations on 128 processes in 592 s, 1.3065e-22 +- 2.7e-25 and the means above;\n"
      "a GPU code of 2019, on a Tesla K20: 1e9 evaluations in 114 s, 1.2979e-22 +- 4e-25, true error 7.7e-25.\n");
  if (wrong) printf("%d errors of the nine integrals are greater than estimated\n", wrong);
  return wrong != 0;
}
#endif
