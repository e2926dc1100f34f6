/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* lgammal_r */
#include "cases.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- The PAGANI suite ----------------------------------------------------------------------------------------------- */
int suite_f1(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  double s = 0;
  for (int i = 0; i < ndim; ++i) s += (i + 1) * x[i];
  f[0] = cos(s);
  return 0;
}

int suite_f2(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  double p = 1;
  for (int i = 0; i < ndim; ++i) p *= 1.0 / 2500.0 + (x[i] - 0.5) * (x[i] - 0.5);
  f[0] = 1 / p;
  return 0;
}

int suite_f3(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  double s = 1;
  for (int i = 0; i < ndim; ++i) s += (i + 1) * x[i];
  f[0] = pow(s, -(ndim + 1));
  return 0;
}

int suite_f4(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  double s = 0;
  for (int i = 0; i < ndim; ++i) s += (x[i] - 0.5) * (x[i] - 0.5);
  f[0] = exp(-625 * s);
  return 0;
}

int suite_f5(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  double s = 0;
  for (int i = 0; i < ndim; ++i) s += fabs(x[i] - 0.5);
  f[0] = exp(-10 * s);
  return 0;
}

int suite_f6(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  double s = 0;
  f[0] = 0;
  for (int i = 0; i < ndim; ++i) {
    if (x[i] >= (4 + i) / 10.0) return 0;
    s += (i + 5) * x[i];
  }
  f[0] = exp(s);
  return 0;
}

static double sum_of_squares(int ndim, const double *x) {
  double s = 0;
  for (int i = 0; i < ndim; ++i) s += x[i] * x[i];
  return s;
}

int suite_f7(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  f[0] = pow(sum_of_squares(ndim, x), 11);
  return 0;
}

int suite_f8(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  f[0] = pow(sum_of_squares(ndim, x), 7.5);
  return 0;
}

/* Exact values to 17 digits from these formulas, evaluated with 30 digits and more (M_k: moments of one coordinate):
 *   f1 Re prod_k (exp(ik)-1)/(ik)             f5 ((1-e^-5)/5)^d
 *   f2 (100 atan 25)^d                         f6 prod_i (exp((i+4)(3+i)/10)-1)/(i+4)
 *   f3 sum over corners v of (-1)^|v| / (1 + sum i v_i) / (d! prod i)
 *   f4 (sqrt(pi)/25 erf(12.5))^d               f7 multinomial moments, 1013328909116112896/677644592625
 *   f8 2/sqrt(pi) int_0^inf 8! [u^8] (sum_k u^k M_k(v^2)/k!)^8 dv */
const struct suite_case suite[] = {
    {"f1_5d", 5, suite_f1, 0.02024242211990189686334},
    {"f1_8d", 8, suite_f1, 0.0000343955795218325158515781},
    {"f2_6d", 6, suite_f2, 12868879901109.8775442151831191},
    {"f3_3d", 3, suite_f3, 0.0108465608465608465608465608466},
    {"f3_8d", 8, suite_f3, 2.27519658179177560760603334e-10},
    {"f4_5d", 5, suite_f4, 0.00000179132603674878595545731294},
    {"f4_8d", 8, suite_f4, 6.38380219000438372672735364e-10},
    {"f5_5d", 5, suite_f5, 0.000309363588982679252192677465},
    {"f5_8d", 8, suite_f5, 0.00000242521762564188555692299152},
    {"f6_6d", 6, suite_f6, 154773678.850912074128502026814},
    {"f7_8d", 8, suite_f7, 1495369.28375797780092261678438},
    {"f8_8d", 8, suite_f8, 8879.85117541427617946583511246},
};
const int suite_size = (int)(sizeof suite / sizeof suite[0]);

const struct suite_case *suite_find(const char *name) {
  for (int i = 0; i < suite_size; ++i) {
    if (strcmp(suite[i].name, name) == 0) return &suite[i];
  }
  return NULL;
}

/* ---- Random numbers ------------------------------------------------------------------------------------------------- */
uint64_t splitmix64(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

double splitmix_uniform(uint64_t *state) { return ((double)(splitmix64(state) >> 12) + 0.5) * 0x1p-52; }

double gauss_between(double middle, double width, double a, double b) {
  return width * sqrt(acos(-1.0)) / 2 * (erf((b - middle) / width) - erf((a - middle) / width));
}

/* ---- Genz's families ------------------------------------------------------------------------------------------------ */
int genz_point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct genz *g = userdata;
  const double *a = g->a, *u = g->u;
  (void)ncomp;
  double s = 0;
  switch (g->family) {
    case GENZ_OSCILLATORY:
      for (int i = 0; i < ndim; ++i) s += a[i] * x[i];
      f[0] = cos(6.28318530717958647692 * u[0] + s);
      break;
    case GENZ_PRODUCT_PEAK:
      s = 1;
      for (int i = 0; i < ndim; ++i) s *= 1 / (a[i] * a[i]) + (x[i] - u[i]) * (x[i] - u[i]);
      f[0] = 1 / s;
      break;
    case GENZ_CORNER_PEAK:
      for (int i = 0; i < ndim; ++i) s += a[i] * x[i];
      f[0] = pow(1 + s, -(ndim + 1));
      break;
    case GENZ_GAUSSIAN:
      for (int i = 0; i < ndim; ++i) s += a[i] * a[i] * (x[i] - u[i]) * (x[i] - u[i]);
      f[0] = exp(-s);
      break;
    case GENZ_C0:
      for (int i = 0; i < ndim; ++i) s += a[i] * fabs(x[i] - u[i]);
      f[0] = exp(-s);
      break;
    default:
      f[0] = 0;
      if (x[0] > u[0] || (ndim > 1 && x[1] > u[1])) break;
      for (int i = 0; i < ndim; ++i) s += a[i] * x[i];
      f[0] = exp(s);
  }
  return 0;
}

/* The closed form of the corner peak is an alternating sum over 2^n corners and loses all digits beyond ten variables.
 * From (1+s)^-(n+1) = 1/n! int_0^inf t^n e^-t e^-ts dt the integral is
 *   int_0^inf (t^n e^-t / n!) prod_i (1 - e^(-a_i t))/(a_i t) dt,
 * one positive, smooth function of one variable; t = exp(y - e^-y) makes the trapezoidal rule converge at double
 * exponential speed (Takahasi and Mori 1974), and halving the step until nothing changes shows that it has. */
static long double corner_peak_term(const struct genz *g, long double y) {
  const int n = g->ndim;
  const long double t = expl(y - expl(-y));
  if (t == 0) return 0;
  int sign; /* lgammal would keep it where all threads write */
  long double p = expl(n * logl(t) - t - lgammal_r(n + 1.0L, &sign)) * t * (1 + expl(-y)); /* with dt/dy */
  for (int i = 0; i < n; ++i) p *= -expm1l(-g->a[i] * t) / (g->a[i] * t);
  return p;
}

static long double corner_peak(const struct genz *g) {
  const long double low = -6, high = 10; /* t from e^-400 to e^10: both tails are far below the last bit */
  long double sum = 0, last, value = 0;
  int m = 32;
  for (int k = 0; k <= m; ++k) sum += corner_peak_term(g, low + (high - low) * k / m);
  do {
    last = value;
    for (int k = 0; k < m; ++k) sum += corner_peak_term(g, low + (high - low) * (k + 0.5L) / m);
    m *= 2;
    value = sum * (high - low) / m;
  } while (m < 65536 && fabsl(value - last) > 1e-18L * value);
  return value;
}

double genz_exact(const struct genz *g) {
  const int n = g->ndim;
  long double p = 1, phase = 0;
  switch (g->family) {
    case GENZ_OSCILLATORY: /* Re e^(2 pi i u_1) prod (e^(i a) - 1)/(i a) */
      phase = 2 * 3.14159265358979323846264338327950288L * g->u[0];
      for (int i = 0; i < n; ++i) {
        const long double half = g->a[i] / 2.0L;
        phase += half;
        p *= sinl(half) / half;
      }
      return (double)(p * cosl(phase));
    case GENZ_PRODUCT_PEAK:
      for (int i = 0; i < n; ++i) {
        const long double a = g->a[i];
        p *= a * (atanl(a * (1 - (long double)g->u[i])) + atanl(a * g->u[i]));
      }
      return (double)p;
    case GENZ_CORNER_PEAK:
      return (double)corner_peak(g);
    case GENZ_GAUSSIAN:
      for (int i = 0; i < n; ++i) {
        const long double a = g->a[i];
        p *= 1.77245385090551602729816748334114518L / (2 * a) *
             (erfl(a * (1 - (long double)g->u[i])) + erfl(a * g->u[i]));
      }
      return (double)p;
    case GENZ_C0:
      for (int i = 0; i < n; ++i) {
        const long double a = g->a[i];
        p *= -(expm1l(-a * g->u[i]) + expm1l(-a * (1 - (long double)g->u[i]))) / a;
      }
      return (double)p;
    default:
      for (int i = 0; i < n; ++i) {
        const long double a = g->a[i];
        p *= expm1l(a * (i < 2 ? g->u[i] : 1)) / a;
      }
      return (double)p;
  }
}

void genz_make(int family, int ndim, uint64_t seed, struct genz *g) {
  static const double difficulty[] = {110, 600, 600, 100, 150, 100};
  static const double exponent[] = {1.5, 2, 2, 1, 2, 2};
  uint64_t state = seed;
  double sum = 0;
  memset(g, 0, sizeof *g);
  g->family = family;
  g->ndim = ndim;
  for (int i = 0; i < ndim; ++i) {
    g->a[i] = splitmix_uniform(&state);
    g->u[i] = splitmix_uniform(&state);
    sum += g->a[i];
  }
  const double scale = difficulty[family - 1] / pow(ndim, exponent[family - 1]) / sum;
  for (int i = 0; i < ndim; ++i) g->a[i] *= scale;
  g->exact = genz_exact(g);
}
