/* An integrand given as source text: compiled for a GPU where there is one, else for the host by the system's compiler. Its
 * parameters go with the solver. SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <tessera.h>

struct peak {
  double centre, width;
};

/* TESSERA_NDIM is a constant in the text, so that the loop is unrolled. */
static const char text[] =
    "struct peak { double centre, width; };\n"
    "double f(const double *x, const peak *p) {\n"
    "  double product = 1;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) {\n"
    "    const double t = (x[j] - p->centre) / p->width;\n"
    "    product *= 1 / (1 + t * t);\n"
    "  }\n"
    "  return product;\n"
    "}\n";

int main(void) {
  enum { ndim = 4 };
  const struct peak peaks[] = {{0.5, 0.2}, {0.3, 0.1}};
  int wrong = 0;
  tessera_solver *s;

  int status = tessera_create(&s, ndim, 1);
  if (status == 0) status = tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, "f");
  if (status == 0) status = tessera_set_int(s, TESSERA_DEVICE, TESSERA_DEVICE_ANY); /* a GPU if there is one */
  for (int i = 0; status == 0 && i < 2; ++i) { /* compiled once, run twice */
    const double c = peaks[i].centre, w = peaks[i].width;
    const double exact = pow(w * (atan((1 - c) / w) + atan(c / w)), ndim);
    double value, error;
    int64_t device, evaluations;
    tessera_set_params(s, &peaks[i], sizeof peaks[i]);
    status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
    if (status != 0) break;
    tessera_get_int(s, TESSERA_DEVICE_USED, &device);
    tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations);
    printf("%.9e +- %.0e, exact %.9e, %" PRId64 " evaluations %s\n", value, error, exact, evaluations,
           device >= 0 ? "on a GPU" : "on the host");
    wrong += !(fabs(value - exact) <= 1e-6 * exact);
  }
  if (status != 0) fprintf(stderr, "%s: %s\n", tessera_status_string(status), s ? tessera_last_error(s) : "");
  tessera_destroy(s);
  return status != 0 || wrong;
}
