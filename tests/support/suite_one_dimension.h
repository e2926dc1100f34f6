/* The integrals over one variable of a collection with reference values: QUADPACK's families, Kahaner's list, traps from bug reports.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_SUITE_ONE_DIMENSION_H
#define TESSERA_TESTS_SUITE_ONE_DIMENSION_H

#include <math.h>

static const double pi = 3.14159265358979323846;

/* INTEGRAND(name, value at x with the parameter a) */
#define SUITE_INTEGRANDS(INTEGRAND)                                                                                   \
  INTEGRAND(log_power, pow(x, a) * log(1 / x))                                 /* x^a log(1/x): (1 + a)^-2 */         \
  INTEGRAND(lorentz, pow(4, -a) / ((x - pi / 4) * (x - pi / 4) + pow(16, -a))) /* 4^-a / ((x - pi/4)^2 + 16^-a) */    \
  INTEGRAND(bessel, cos(pow(2, a) * sin(x)))                                   /* cos(2^a sin x): pi J0(2^a) */       \
  INTEGRAND(power_at_third, pow(fabs(x - 1. / 3), a))                          /* |x - 1/3|^a */                      \
  INTEGRAND(power_at_pi_4, pow(fabs(x - pi / 4), a))                           /* |x - pi/4|^a */                     \
  INTEGRAND(both_ends, 1 / (sqrt(1 - x * x) * (1 + x + pow(2, -a))))           /* (1 - x^2)^-1/2 (1 + x + 2^-a)^-1 */ \
  INTEGRAND(gamma_of, pow(log(1 / x), a - 1))                                  /* (log 1/x)^(a - 1): Gamma(a) */      \
  INTEGRAND(cos_ends, cos(pow(2, a) * x) / sqrt(x * (1 - x)))                  /* cos(2^a x) / sqrt(x (1 - x)) */     \
  INTEGRAND(growing_wave, exp(20 * (x - 1)) * sin(pow(2, a) * x))              /* e^(20 (x - 1)) sin(2^a x) */        \
  INTEGRAND(slow_decay, x *x *exp(-pow(2, -a) * x))                            /* x^2 exp(-2^-a x) */                 \
  INTEGRAND(power_tail, pow(x, a - 1) / ((1 + 10 * x) * (1 + 10 * x)))         /* x^(a - 1) / (1 + 10 x)^2 */         \
  INTEGRAND(log_x, log(x))                                                                                            \
  INTEGRAND(sqrt_log, sqrt(x) * log(x))                                                                               \
  INTEGRAND(exp_x, exp(x))                                                                                            \
  INTEGRAND(step_at, x < a ? 0 : 1) /* a step at a */                                                                 \
  INTEGRAND(cosh_cos, 23. / 25 * cosh(x) - cos(x))                                                                    \
  INTEGRAND(quartic, 1 / (x * x * (x * x) + x * x + 0.9))                                                             \
  INTEGRAND(three_sech,                                                                                               \
            pow(cosh(10 * (x - .2)), -2) + pow(cosh(100 * (x - .4)), -4) +                                            \
                pow(cosh(1000 * (x - .6)), -6)) /* sech^2 10(x - .2) + sech^4 100(x - .4) + sech^6 1000(x - .6) */    \
  INTEGRAND(fermi_dirac, sqrt(x) / (exp(x - a) + 1)) /* Fermi and Dirac's F_1/2(a) */                                 \
  INTEGRAND(sinc, x == 0 ? 1 : sin(x) / x)           /* converges, but not absolutely */                              \
  INTEGRAND(fresnel, cos(pi *x *x / 2))                                                                               \
  INTEGRAND(two_logs, log(fabs(x - 0.3)) * log(fabs(x - 0.7)))                                                        \
  INTEGRAND(planck, x *x *x / expm1(x))                                                                               \
  INTEGRAND(sin_squared, sin(x) * sin(x))                                                                             \
  INTEGRAND(exp_kink, exp(fabs(x - a)))                                                                               \
  INTEGRAND(narrow_gauss, exp(-0.5 * (x - a) * (x - a) / 0.01)) /* of width 0.1 at a */                               \
  INTEGRAND(ratio, 1 / (1 + a * x * x))                         /* which Cuhre gets wrong with one variable */

#define DEFINE(name, value)                \
  static double name(double x, double a) { \
    (void)a;                               \
    return value;                          \
  }
SUITE_INTEGRANDS(DEFINE)

static const struct {
  const char *name;
  double (*f)(double x, double a);
  double a, lower, upper, value;
} suite[] = {
    {"qp01_-0.9", log_power, -0.9, 0.0, 1.0, 100.000000000000000000},
    {"qp01_0.0", log_power, 0.0, 0.0, 1.0, 1.00000000000000000000},
    {"qp01_2.6", log_power, 2.6, 0.0, 1.0, 0.07716049382716049382},
    {"qp02_0", lorentz, 0, 0.0, 1.0, 0.87716930744398607496},
    {"qp03_4", bessel, 4, 0.0, pi, -0.5494616459466271805},
    {"qp03_8", bessel, 8, 0.0, pi, -0.1151503602390470448},
    {"qp05_-0.8", power_at_pi_4, -0.8, 0.0, 1.0, 8.43951099058394340419},
    {"qp04_0.0", power_at_third, 0.0, 0.0, 1.0, 1.00000000000000000000},
    {"qp05_0.0", power_at_pi_4, 0.0, 0.0, 1.0, 1.00000000000000000000},
    {"qp04_2.1", power_at_third, 2.1, 0.0, 1.0, 0.10248595539042421387},
    {"qp05_2.1", power_at_pi_4, 2.1, 0.0, 1.0, 0.15528505242223251637},
    {"qp06_1", both_ends, 1, -1.0, 1.0, 2.80992589241629055726},
    {"qp06_10", both_ends, 10, -1.0, 1.0, 71.0687783520667083954},
    {"qp08_2.0", gamma_of, 2.0, 0.0, 1.0, 1.00000000000000000000},
    {"qp10_0", cos_ends, 0, 0.0, 1.0, 2.58736776155178160275},
    {"qp09_9", growing_wave, 9, 0.0, 1.0, 0.00195003148824519920},
    {"qp12_3", slow_decay, 3, 0.0, INFINITY, 1024.00000000000000000},
    {"qp13_0.1", power_tail, 0.1, 0.0, INFINITY, 7.26791798818931419137},
    {"qp13_1.9", power_tail, 1.9, 0.0, INFINITY, 0.11518873742846915462},
    {"kahaner_2", log_x, 0, 0.0, 1.0, -1.0000000000000000000},
    {"kahaner_3", sqrt_log, 0, 0.0, 1.0, -0.4444444444444444444},
    {"kahaner_4", exp_x, 0, 0.0, 1.0, 1.71828182845904523536},
    {"kahaner_5", step_at, 0.3, 0.0, 1.0, 0.70000000000000000000},
    {"kahaner_6", cosh_cos, 0, -1.0, 1.0, 0.47942822668880166735},
    {"kahaner_7", quartic, 0, -1.0, 1.0, 1.58223296372967293311},
    {"kahaner_13", three_sech, 0, 0.0, 1.0, 0.21080273550054927737},
    {"one_d_fermi_dirac_half", fermi_dirac, 2, 0.0, INFINITY, 2.50245782600714033355},
    {"one_d_dirichlet_sinc", sinc, 0, 0.0, INFINITY, 1.57079632679489661923},
    {"one_d_fresnel", fresnel, 0, 0.0, INFINITY, 0.50000000000000000000},
    {"one_d_log_sing_double", two_logs, 0, 0.0, 1.0, 2.10402785228138679696},
    {"one_d_planck", planck, 0, 0.0, INFINITY, 6.49393940226682914909},
    {"trap_sin2_periodic", sin_squared, 0, 0.0, 2 * pi, 3.14159265358979323846},
    {"trap_kink_499", exp_kink, 0.499, 0.0, 1.0, 1.29744419012166438726},
    {"trap_narrow_gauss_1d", narrow_gauss, 1.7, 0.0, 10000.0, 0.25066282746310005024},
    {"trap_ndim1_cuhre", ratio, 5, 0.0, 1.0, 0.51441280099054576895},
};
enum { suite_size = sizeof suite / sizeof suite[0] };

#endif
