/* The suite's integrands as CUDA C++, lean as on the published side; the same as in cases.c.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SUITE_TEXTS_H
#define SUITE_TEXTS_H

/* family: 1 for f1, ... 8 for f8; in any number of variables. */
static const char *suite_text(int family) {
  static const char *const text[] = {
      "double f(const double *x) { double s = 0; for (int i = 0; i < TESSERA_NDIM; i++) s += (i + 1) * x[i]; return "
      "cos(s); }",
      "double f(const double *x) { double s = 1; for (int i = 0; i < TESSERA_NDIM; i++)"
      " s *= 1 / 2500. + (x[i] - .5) * (x[i] - .5); return 1 / s; }",
      "double f(const double *x) { double s = 1; for (int i = 0; i < TESSERA_NDIM; i++) s += (i + 1) * x[i];"
      " double p = s; for (int i = 0; i < TESSERA_NDIM; i++) p *= s; return 1 / p; }",
      "double f(const double *x) { double s = 0; for (int i = 0; i < TESSERA_NDIM; i++)"
      " s = fma(x[i] - .5, x[i] - .5, s); return exp(-625 * s); }",
      "double f(const double *x) { double s = 0; for (int i = 0; i < TESSERA_NDIM; i++) s += fabs(x[i] - .5);"
      " return exp(-10 * s); }",
      "double f(const double *x) { double s = 0; for (int i = 0; i < TESSERA_NDIM; i++) {"
      " if (x[i] >= (4 + i) / 10.) return 0; s += (i + 5) * x[i]; } return exp(s); }",
      "double f(const double *x) { double s = 0; for (int i = 0; i < TESSERA_NDIM; i++) s = fma(x[i], x[i], s);"
      " double a = s * s, b = a * a; return b * b * a * s; }",
      "double f(const double *x) { double s = 0; for (int i = 0; i < TESSERA_NDIM; i++) s = fma(x[i], x[i], s);"
      " double a = s * s; return a * a * a * s * sqrt(s); }"};
  return text[family - 1];
}

#endif
