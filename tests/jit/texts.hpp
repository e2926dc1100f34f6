// Integrands as source text, each with the same function written for the host compiler.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "jit/integrand_source.hpp"

struct example {
  const char *name;
  tessera::source_language language;
  std::string function, text;
  int ndim, ncomp;
  std::function<void(const double *x, double *f, const double *params)> reference;
};

inline const double example_params[4] = {0.75, 1.25, -0.5, 3.0};

inline std::vector<example> examples() {
  using L = tessera::source_language;
  std::vector<example> all;
  all.push_back({"scalar", L::cuda_cxx, "peak", R"code(
double peak(const double *x) {
  double p = 1.0;
  for (int i = 0; i < 3; ++i) p /= 1.0 + x[i] * x[i];
  return p;
}
)code",
                 3, 1, [](const double *x, double *f, const double *) {
                   f[0] = 1.0;
                   for (int i = 0; i < 3; ++i) f[0] /= 1.0 + x[i] * x[i];
                 }});
  all.push_back({"scalar_params", L::cuda_cxx, "wave", R"code(
#define x coordinate
#define f result
__device__ double wave(const double *__restrict__ x, const void *p) {
  const double *a = static_cast<const double *>(p);
  double f = cos(a[0] * x[0]) + rsqrt(1.0 + a[1] * x[1]);
  return f;
}
)code",
                 2, 1, [](const double *x, double *f, const double *a) {
                   f[0] = std::cos(a[0] * x[0]) + 1.0 / std::sqrt(1.0 + a[1] * x[1]);
                 }});
  all.push_back({"typed_params", L::cuda_cxx, "user::gauss", R"code(
#include <math.h>
struct shape { double a, b, c, d; };
namespace user {
static __constant__ double scale = 2.0;
static __device__ __forceinline__ double square(double v) { return v * v; }
double gauss(const double *x, const shape *s) {
  return scale * exp(-square(s->a * x[0]) - square(s->b * x[1])) * M_PI + min(s->c, s->d);
}
}
)code",
                 2, 1, [](const double *x, double *f, const double *a) {
                   f[0] =
                       2.0 * std::exp(-a[0] * a[0] * x[0] * x[0] - a[1] * a[1] * x[1] * x[1]) * 3.14159265358979323846 +
                       std::fmin(a[2], a[3]);
                 }});
  all.push_back({"vector", L::cuda_cxx, "both", R"code(
__device__ void both(const double *x, double *out, const void *params) {
  double s, c;
  sincospi(x[0], &s, &c);
  out[0] = s * x[1];
  out[1] = c + ((const double *)params)[3] * x[1];
}
)code",
                 2, 2, [](const double *x, double *f, const double *a) {
                   f[0] = std::sin(3.14159265358979323846 * x[0]) * x[1];
                   f[1] = std::cos(3.14159265358979323846 * x[0]) + a[3] * x[1];
                 }});
  all.push_back({"c_point", L::c_point, "integrand", R"code(
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <gsl_like_library_that_is_used_by_main_only.h>
#if 0
nothing here is C: don't read it
#endif
struct par { double a, b, c, d; };
static double weights[3] = {0.5, 0.25, 0.125};
static double report[100];
static int runs;

static void *same(void *p) { return p; }
static double helper(double v, int new) { return pow(v, 2) + sqrt(2) * new + 1 / 2; }

int integrand(int ndim, const double *restrict x, int ncomp, double *f, void *userdata)
{
  const struct par *p = same(userdata); /* a comment with 'quote */
  register int i;
  double runs = 0;
  if (ndim < 1 || ncomp != 1 || p == NULL) {
    fprintf(stderr, "wrong call %d\n", ndim);
    exit(1);
  }
  for (i = 0; i < ndim; i++) runs += weights[i % 3] * x[i];
  f[0] = helper(runs, 2) * p->a + p->d;
  return 0;
}

int main(int argc, char **argv)
{
  double y[argc];
  runs = argc;
  report[0] = y[0];
  library_call(integrand, report);
  printf("%d\n", runs);
  return 0;
}
)code",
                 4, 1, [](const double *x, double *f, const double *a) {
                   const double w[3] = {0.5, 0.25, 0.125};
                   double s = 0;
                   for (int i = 0; i < 4; i++) s += w[i % 3] * x[i];
                   f[0] = (s * s + std::sqrt(2.0) * 2) * a[0] + a[3];
                 }});
  // without the header that only main needs: a C compiler looks for it
  std::string &text = all.back().text;
  text.erase(text.find("#include <gsl"), text.find('\n', text.find("#include <gsl")) - text.find("#include <gsl"));
  all.push_back({"c_cuba", L::c_cuba, "Integrand", R"code(
#include "cuba.h"
#include <math.h>

static inline double Sq(double x) {
  return x*x;
}

static int Integrand(const int *ndim, const double xx[],
  const int *ncomp, double ff[], void *userdata) {

#define x xx[0]
#define y xx[1]
#define z xx[2]
#define f ff[0]
#define rsq (Sq(x) + Sq(y) + Sq(z))
#ifndef FUN
#define FUN 1
#endif

#if FUN == 1
  f = sin(x)*cos(y)*exp(z);
#else
  f = 1/(1 - x*y*z);
#endif
  f += rsq * *ncomp;
  return 0;
}
#define NDIM 3
#define USERDATA NULL

int main() {
  int comp, nregions, neval, fail;
  cubareal integral[1], error[1], prob[1];
  Cuhre(NDIM, 1, Integrand, USERDATA, 1, 1e-3, 1e-12, 0, 0, 50000, 0, 0, 0, &nregions, &neval, &fail, integral, error, prob);
  return 0;
}
)code",
                 3, 1, [](const double *x, double *f, const double *) {
                   f[0] = std::sin(x[0]) * std::cos(x[1]) * std::exp(x[2]) + x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
                 }});
  all.push_back({"c_complex", L::c_point, "loop", R"code(
#include <complex.h>
#include <math.h>
typedef struct { double re, im, a, b; } mass;

static double complex term(double complex z, const mass *m) {
  double complex w = m->re + I * m->im;
  w *= 2;
  return clog(z + w) / csqrt(z * conj(w) + 1.0) - cexp(-z) * cpow(w, 1.5);
}

int loop(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  mass *m = (mass *)userdata;
  double complex v = 0, d[2];
  for (int i = 0; i < ndim; ++i) v += term(x[i] + 0.5 * I, m);
  d[0] = 1.0 / v;
  d[1] = -v + ctan(v) * ctanh(v);
  f[0] = creal(v) + cabs(d[0]);
  f[1] = cimag(v) + carg(d[1]);
  return 0;
}
)code",
                 2, 2, [](const double *x, double *f, const double *a) {
                   typedef std::complex<double> C;
                   C v = 0;
                   for (int i = 0; i < 2; ++i) {
                     const C z(x[i], 0.5), w = 2.0 * C(a[0], a[1]);
                     v += std::log(z + w) / std::sqrt(z * std::conj(w) + 1.0) - std::exp(-z) * std::pow(w, 1.5);
                   }
                   f[0] = v.real() + std::abs(1.0 / v);
                   f[1] = v.imag() + std::arg(-v + std::tan(v) * std::tanh(v));
                 }});
  all.push_back({"c_complex_values", L::c_point, "waves", R"code(
#include <complex.h>
int waves(int ndim, const double *x, int ncomp, double complex *f, void *userdata) {
  f[0] = cexp(I * (x[0] - 2 * x[1]));
  f[1] = 1 / (x[0] + I * x[1] + 1);
  return 0;
}
)code",
                 2, 4, [](const double *x, double *f, const double *) {
                   typedef std::complex<double> C;
                   const C wave = std::exp(C(0.0, x[0] - 2 * x[1])), pole = 1.0 / C(x[0] + 1, x[1]);
                   f[0] = wave.real(), f[1] = wave.imag();
                   f[2] = pole.real(), f[3] = pole.imag();
                 }});
  all.push_back({"c_value", L::c_point, "density", R"code(
#include <math.h>
struct nucleus { double radius, thick; };
double density(const double *r, const void *common) {
  const struct nucleus *n = common;
  return *r * *r / (1 + exp((*r - n->radius) / n->thick));
}
)code",
                 1, 1, [](const double *x, double *f, const double *a) {
                   f[0] = x[0] * x[0] / (1 + std::exp((x[0] - a[0]) / a[1]));
                 }});
  all.push_back({"c_value_alone", L::c_point, "parabola", R"code(
static double parabola(double *x)
{
  return x[0] * x[1] - 1;
}
)code",
                 2, 1, [](const double *x, double *f, const double *) { f[0] = x[0] * x[1] - 1; }});
  all.push_back({"c_cuba_complex", L::c_cuba, "Integrand", R"code(
#include <complex.h>
static int Integrand(const int *ndim, const double xx[], const int *ncomp, double _Complex ff[], void *userdata) {
  ff[0] = csqrt(xx[0] - xx[1]);
  return 0;
}
)code",
                 2, 2, [](const double *x, double *f, const double *) {
                   const std::complex<double> root = std::sqrt(std::complex<double>(x[0] - x[1], 0.0));
                   f[0] = root.real(), f[1] = root.imag();
                 }});
  all.push_back({"cxx_mixed", L::cuda_cxx, "f", R"code(
#include <math.h>
double f(const double *x) {
  const long three = 3;
  const unsigned char one = 1;
  return pow(2, x[0]) + pow(x[1], three) + pow(2.0f, 3) + pow(x[0], 2) + fmod(7, 1 + x[0]) + atan2(one, x[0]) + fmax(0, x[0]) +
         fmin(x[1], 1) + hypot(1, x[1]) + copysign(x[0], -1) + fdim(2, x[0]) + remainder(x[1], 2) + fmax(1, 2);
}
)code",
                 2, 1, [](const double *x, double *f, const double *) {
                   f[0] = std::pow(2.0, x[0]) + x[1] * x[1] * x[1] + 8.0 + x[0] * x[0] + std::fmod(7.0, 1 + x[0]) +
                          std::atan2(1.0, x[0]) + x[0] + x[1] + std::hypot(1.0, x[1]) - x[0] + (2 - x[0]) +
                          std::remainder(x[1], 2.0) + 2.0;
                 }});
  return all;
}
