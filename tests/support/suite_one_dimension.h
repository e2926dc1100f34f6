/* The integrals over one variable of a collection with reference values: QUADPACK's families, Kahaner's list, traps from bug reports.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_SUITE_ONE_DIMENSION_H
#define TESSERA_TESTS_SUITE_ONE_DIMENSION_H

#include <math.h>

static const double pi = 3.14159265358979323846;

/* x^a log(1/x) -> (1+a)^-2 */
static double suite_0(double x) {
  double f = 0.0;
  f = pow(x, -0.9) * log(1 / x);
  return f;
}
/* x^a log(1/x) -> (1+a)^-2 */
static double suite_1(double x) {
  double f = 0.0;
  f = pow(x, 0.0) * log(1 / x);
  return f;
}
/* x^a log(1/x) -> (1+a)^-2 */
static double suite_2(double x) {
  double f = 0.0;
  f = pow(x, 2.6) * log(1 / x);
  return f;
}
/* 4^-a/((x-pi/4)^2+16^-a): Lorentz peak */
static double suite_3(double x) {
  double f = 0.0;
  double d = x - pi / 4;
  f = pow(4, -0) / (d * d + pow(16, -0));
  return f;
}
/* cos(2^a sin x) -> pi J0(2^a) */
static double suite_4(double x) {
  double f = 0.0;
  f = cos(pow(2, 4) * sin(x));
  return f;
}
/* cos(2^a sin x) -> pi J0(2^a) */
static double suite_5(double x) {
  double f = 0.0;
  f = cos(pow(2, 8) * sin(x));
  return f;
}
/* |x-pi/4|^a: interior singularity at pi/4 */
static double suite_6(double x) {
  double f = 0.0;
  f = pow(fabs(x - pi / 4), -0.8);
  return f;
}
/* |x-1/3|^a: interior singularity at 1/3 */
static double suite_7(double x) {
  double f = 0.0;
  f = pow(fabs(x - 1. / 3), 0.0);
  return f;
}
/* |x-pi/4|^a: interior singularity at pi/4 */
static double suite_8(double x) {
  double f = 0.0;
  f = pow(fabs(x - pi / 4), 0.0);
  return f;
}
/* |x-1/3|^a: interior singularity at 1/3 */
static double suite_9(double x) {
  double f = 0.0;
  f = pow(fabs(x - 1. / 3), 2.1);
  return f;
}
/* |x-pi/4|^a: interior singularity at pi/4 */
static double suite_10(double x) {
  double f = 0.0;
  f = pow(fabs(x - pi / 4), 2.1);
  return f;
}
/* (1-x^2)^-1/2 (1+x+2^-a)^-1 */
static double suite_11(double x) {
  double f = 0.0;
  f = 1 / (sqrt(1 - x * x) * (1 + x + pow(2, -1)));
  return f;
}
/* (1-x^2)^-1/2 (1+x+2^-a)^-1 */
static double suite_12(double x) {
  double f = 0.0;
  f = 1 / (sqrt(1 - x * x) * (1 + x + pow(2, -10)));
  return f;
}
/* (log 1/x)^(a-1) -> Gamma(a) */
static double suite_13(double x) {
  double f = 0.0;
  f = pow(log(1 / x), 2.0 - 1);
  return f;
}
/* cos(2^a x)/sqrt(x(1-x)) */
static double suite_14(double x) {
  double f = 0.0;
  f = cos(pow(2, 0) * x) / sqrt(x * (1 - x));
  return f;
}
/* e^(20(x-1)) sin(2^a x) */
static double suite_15(double x) {
  double f = 0.0;
  f = exp(20 * (x - 1)) * sin(pow(2, 9) * x);
  return f;
}
/* x^2 exp(-2^-a x) on [0,inf) */
static double suite_16(double x) {
  double f = 0.0;
  f = x * x * exp(-pow(2, -3) * x);
  return f;
}
/* x^(a-1)/(1+10x)^2 on [0,inf) */
static double suite_17(double x) {
  double f = 0.0;
  f = pow(x, 0.1 - 1) / ((1 + 10 * x) * (1 + 10 * x));
  return f;
}
/* x^(a-1)/(1+10x)^2 on [0,inf) */
static double suite_18(double x) {
  double f = 0.0;
  f = pow(x, 1.9 - 1) / ((1 + 10 * x) * (1 + 10 * x));
  return f;
}
/* log x */
static double suite_19(double x) {
  double f = 0.0;
  f = log(x);
  return f;
}
/* sqrt x log x */
static double suite_20(double x) {
  double f = 0.0;
  f = sqrt(x) * log(x);
  return f;
}
/* e^x */
static double suite_21(double x) {
  double f = 0.0;
  f = exp(x);
  return f;
}
/* step at 0.3 */
static double suite_22(double x) {
  double f = 0.0;
  f = x < 0.3 ? 0 : 1;
  return f;
}
/* 0.92 cosh x - cos x */
static double suite_23(double x) {
  double f = 0.0;
  f = 23. / 25 * cosh(x) - cos(x);
  return f;
}
/* 1/(x^4+x^2+0.9) */
static double suite_24(double x) {
  double f = 0.0;
  double y = x * x;
  f = 1 / (y * y + y + 0.9);
  return f;
}
/* sech^2 10(x-.2)+sech^4 100(x-.4)+sech^6 1000(x-.6) */
static double suite_25(double x) {
  double f = 0.0;
  double a = 1 / cosh(10 * (x - .2)), b = 1 / cosh(100 * (x - .4)), c = 1 / cosh(1000 * (x - .6));
  f = a * a + b * b * b * b + c * c * c * c * c * c;
  return f;
}
/* Fermi-Dirac F_1/2(eta=2) */
static double suite_26(double x) {
  double f = 0.0;
  f = sqrt(x) / (exp(x - 2) + 1);
  return f;
}
/* sin x/x on [0,inf) (conditionally convergent) */
static double suite_27(double x) {
  double f = 0.0;
  f = x == 0 ? 1 : sin(x) / x;
  return f;
}
/* Fresnel cosine on [0,inf) */
static double suite_28(double x) {
  double f = 0.0;
  f = cos(pi * x * x / 2);
  return f;
}
/* log|x-.3| log|x-.7| */
static double suite_29(double x) {
  double f = 0.0;
  f = log(fabs(x - 0.3)) * log(fabs(x - 0.7));
  return f;
}
/* Planck integral */
static double suite_30(double x) {
  double f = 0.0;
  f = x * x * x / expm1(x);
  return f;
}
/* sin^2 on [0,2 pi] */
static double suite_31(double x) {
  double f = 0.0;
  f = sin(x) * sin(x);
  return f;
}
/* exp|x-0.499| */
static double suite_32(double x) {
  double f = 0.0;
  f = exp(fabs(x - 0.499));
  return f;
}
/* peak of width 0.1 at 1.7 in [0,10000] */
static double suite_33(double x) {
  double f = 0.0;
  f = exp(-0.5 * (x - 1.7) * (x - 1.7) / 0.01);
  return f;
}
/* component 5 of 1/(1+i x^2), i=0..11, ndim=1: Cuhre with ndim=1 gives wrong values */
static double suite_34(double x) {
  double f = 0.0;
  f = 1 / (1 + 5 * x * x);
  return f;
}

static const struct {
  const char *name;
  double (*f)(double x);
  double lower, upper, value;
} suite[] = {
    {"qp01_-0.9", suite_0, 0.0, 1.0, 100.000000000000000000},
    {"qp01_0.0", suite_1, 0.0, 1.0, 1.00000000000000000000},
    {"qp01_2.6", suite_2, 0.0, 1.0, 0.07716049382716049382},
    {"qp02_0", suite_3, 0.0, 1.0, 0.87716930744398607496},
    {"qp03_4", suite_4, 0.0, pi, -0.5494616459466271805},
    {"qp03_8", suite_5, 0.0, pi, -0.1151503602390470448},
    {"qp05_-0.8", suite_6, 0.0, 1.0, 8.43951099058394340419},
    {"qp04_0.0", suite_7, 0.0, 1.0, 1.00000000000000000000},
    {"qp05_0.0", suite_8, 0.0, 1.0, 1.00000000000000000000},
    {"qp04_2.1", suite_9, 0.0, 1.0, 0.10248595539042421387},
    {"qp05_2.1", suite_10, 0.0, 1.0, 0.15528505242223251637},
    {"qp06_1", suite_11, -1.0, 1.0, 2.80992589241629055726},
    {"qp06_10", suite_12, -1.0, 1.0, 71.0687783520667083954},
    {"qp08_2.0", suite_13, 0.0, 1.0, 1.00000000000000000000},
    {"qp10_0", suite_14, 0.0, 1.0, 2.58736776155178160275},
    {"qp09_9", suite_15, 0.0, 1.0, 0.00195003148824519920},
    {"qp12_3", suite_16, 0.0, INFINITY, 1024.00000000000000000},
    {"qp13_0.1", suite_17, 0.0, INFINITY, 7.26791798818931419137},
    {"qp13_1.9", suite_18, 0.0, INFINITY, 0.11518873742846915462},
    {"kahaner_2", suite_19, 0.0, 1.0, -1.0000000000000000000},
    {"kahaner_3", suite_20, 0.0, 1.0, -0.4444444444444444444},
    {"kahaner_4", suite_21, 0.0, 1.0, 1.71828182845904523536},
    {"kahaner_5", suite_22, 0.0, 1.0, 0.70000000000000000000},
    {"kahaner_6", suite_23, -1.0, 1.0, 0.47942822668880166735},
    {"kahaner_7", suite_24, -1.0, 1.0, 1.58223296372967293311},
    {"kahaner_13", suite_25, 0.0, 1.0, 0.21080273550054927737},
    {"one_d_fermi_dirac_half", suite_26, 0.0, INFINITY, 2.50245782600714033355},
    {"one_d_dirichlet_sinc", suite_27, 0.0, INFINITY, 1.57079632679489661923},
    {"one_d_fresnel", suite_28, 0.0, INFINITY, 0.50000000000000000000},
    {"one_d_log_sing_double", suite_29, 0.0, 1.0, 2.10402785228138679696},
    {"one_d_planck", suite_30, 0.0, INFINITY, 6.49393940226682914909},
    {"trap_sin2_periodic", suite_31, 0.0, 2 * pi, 3.14159265358979323846},
    {"trap_kink_499", suite_32, 0.0, 1.0, 1.29744419012166438726},
    {"trap_narrow_gauss_1d", suite_33, 0.0, 10000.0, 0.25066282746310005024},
    {"trap_ndim1_cuhre", suite_34, 0.0, 1.0, 0.51441280099054576895},
};
enum { suite_size = sizeof suite / sizeof suite[0] };

#endif
