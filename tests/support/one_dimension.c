/* SPDX-License-Identifier: BSD-3-Clause */
#include "one_dimension.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* splitmix64 */
static double draw(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}
static double between(uint64_t *s, double a, double b) { return a + (b - a) * draw(s); }
static double log_between(uint64_t *s, double a, double b) { return a * pow(b / a, draw(s)); }

enum {
  oscillating,
  lorentz,
  gauss,
  algebraic_end,
  logarithmic_end,
  interior,
  interior_given,
  jump,
  kink,
  gamma_range,
  gauss_line,
  rational_line,
  three_peaks,
  both_ends,
  steps,
  slow_decay,
  away_end,
  constant_and_peak,
  /* Within a hundredth of an end, down to two millionths. */
  kink_near_end,
  jump_near_end,
  root_near_end,
  layer_at_end,
  cut_peak /* just before a point at which halving divides, with next to nothing to be seen on that side */
};
static const char *const names[one_dimension_families] = {"oscillating",
                                                          "Lorentz peak",
                                                          "Gauss peak",
                                                          "algebraic end",
                                                          "logarithmic end",
                                                          "interior singularity",
                                                          "the same, given",
                                                          "jump",
                                                          "kink",
                                                          "x^a e^-x",
                                                          "Gauss on the line",
                                                          "rational on the line",
                                                          "three peaks",
                                                          "algebraic ends",
                                                          "steps",
                                                          "slow decay",
                                                          "algebraic end at 1",
                                                          "peak on a slope",
                                                          "kink near an end",
                                                          "jump near an end",
                                                          "root near an end",
                                                          "layer at an end",
                                                          "peak cut off"};

const char *one_dimension_name(int family) { return names[family]; }

double one_dimension_value(const struct one_dimension *i, double x) {
  const double *p = i->p;
  switch (i->family) {
    case oscillating:
      return cos(p[0] * x + p[1]);
    case lorentz:
      return p[1] / ((x - p[0]) * (x - p[0]) + p[1] * p[1]);
    case gauss:
    case gauss_line:
      return exp(-0.5 * (x - p[0]) * (x - p[0]) / (p[1] * p[1]));
    case algebraic_end:
      return pow(x, p[0]);
    case logarithmic_end:
      return pow(x, p[0]) * log(x);
    case interior:
    case interior_given:
      return pow(fabs(x - p[1]), p[0]);
    case jump:
    case jump_near_end:
      return x < p[0] ? p[1] : p[2] * x;
    case kink:
      return exp(p[1] * fabs(x - p[0]));
    case gamma_range:
      return pow(x, p[0]) * exp(-x);
    case rational_line:
      return 1.0 / (p[1] * p[1] + (x - p[0]) * (x - p[0]));
    case three_peaks: {
      double sum = 0.0;
      for (int k = 0; k < 3; ++k) sum += p[2 * k + 1] / ((x - p[2 * k]) * (x - p[2 * k]) + p[2 * k + 1] * p[2 * k + 1]);
      return sum;
    }
    case both_ends:
      return pow(x, p[0]) * pow(1.0 - x, p[1]);
    case steps:
      return floor(p[0] * x + p[1]);
    case slow_decay:
      return pow(x, -p[0]);
    case away_end:
      return pow(x - 1.0, p[0]);
    case kink_near_end:
      return p[1] * x + fabs(x - p[0]);
    case root_near_end:
      return sqrt(fabs(x - p[0]));
    case cut_peak:
      return x < p[2] ? 0.0 : exp(-0.5 * (x - p[0]) * (x - p[0]) / (p[1] * p[1]));
    case layer_at_end:
      return 1.0 + exp(-(p[1] < 0.5 ? x : 1.0 - x) / p[0]);
    default:
      return 1.0 + x + exp(-0.5 * (x - p[0]) * (x - p[0]) / (p[1] * p[1]));
  }
}

static double atan_between(double centre, double width, double a, double b) {
  return atan((b - centre) / width) - atan((a - centre) / width);
}
static double gauss_between(double centre, double width, double a, double b) {
  return width * sqrt(pi / 2.0) * (erf((b - centre) / (width * sqrt(2.0))) - erf((a - centre) / (width * sqrt(2.0))));
}

static void draw_near_end(struct one_dimension *i, uint64_t *s) {
  double *p = i->p;
  p[0] = log_between(s, 2e-6, 1e-2);
  p[1] = draw(s);
  p[2] = between(s, 0.5, 2.0);
  if (i->family == layer_at_end) {
    i->exact = 1.0 - p[0] * expm1(-1.0 / p[0]);
    return;
  }
  if (draw(s) < 0.5) p[0] = 1.0 - p[0];
  const double above = 1.0 - p[0];
  if (i->family == kink_near_end) i->exact = 0.5 * (p[1] + p[0] * p[0] + above * above);
  if (i->family == jump_near_end) i->exact = p[0] * p[1] + 0.5 * p[2] * (1.0 - p[0] * p[0]);
  if (i->family == root_near_end) i->exact = (pow(p[0], 1.5) + pow(above, 1.5)) / 1.5;
}

struct one_dimension one_dimension_draw(int family, uint64_t number) {
  struct one_dimension i = {family, {0}, 0.0, 1.0, 0, {0}, 0.0};
  uint64_t state = number * 1000003u + (uint64_t)family * 7919u + 17u, *s = &state;
  double *p = i.p;
  draw(s);
  switch (family) {
    case oscillating:
      p[0] = log_between(s, 0.5, 300.0);
      p[1] = between(s, 0.0, 6.0);
      i.exact = (sin(p[0] + p[1]) - sin(p[1])) / p[0];
      break;
    case lorentz:
      p[0] = between(s, 0.0, 1.0);
      p[1] = log_between(s, 1e-4, 1.0);
      i.exact = atan_between(p[0], p[1], 0.0, 1.0);
      break;
    case gauss:
      p[0] = between(s, 0.0, 1.0);
      p[1] = log_between(s, 1e-2, 1.0);
      i.exact = gauss_between(p[0], p[1], 0.0, 1.0);
      break;
    case algebraic_end:
      p[0] = between(s, -0.95, 3.0);
      i.exact = 1.0 / (p[0] + 1.0);
      break;
    case logarithmic_end:
      p[0] = between(s, -0.9, 2.0);
      i.exact = -1.0 / ((p[0] + 1.0) * (p[0] + 1.0));
      break;
    case interior:
    case interior_given:
      p[0] = between(s, -0.8, 2.0);
      p[1] = between(s, 0.05, 0.95);
      i.exact = (pow(p[1], p[0] + 1.0) + pow(1.0 - p[1], p[0] + 1.0)) / (p[0] + 1.0);
      if (family == interior_given) i.breaks = 1, i.at[0] = p[1];
      break;
    case jump:
      p[0] = between(s, 0.0, 1.0);
      p[1] = between(s, 0.0, 1.0);
      p[2] = between(s, 0.5, 2.0);
      i.exact = p[0] * p[1] + 0.5 * p[2] * (1.0 - p[0] * p[0]);
      break;
    case kink:
      p[0] = between(s, 0.0, 1.0);
      p[1] = between(s, 0.2, 3.0);
      i.exact = (expm1(p[1] * p[0]) + expm1(p[1] * (1.0 - p[0]))) / p[1];
      break;
    case gamma_range:
      p[0] = between(s, -0.9, 6.0);
      i.upper = INFINITY;
      i.exact = tgamma(p[0] + 1.0);
      break;
    case gauss_line:
      p[0] = between(s, -3.0, 3.0);
      p[1] = log_between(s, 0.1, 10.0);
      i.lower = -INFINITY;
      i.upper = INFINITY;
      i.exact = p[1] * sqrt(2.0 * pi);
      break;
    case rational_line:
      p[0] = between(s, -5.0, 5.0);
      p[1] = log_between(s, 0.05, 20.0);
      i.lower = -INFINITY;
      i.upper = INFINITY;
      i.exact = pi / p[1];
      break;
    case three_peaks:
      for (int k = 0; k < 3; ++k) {
        p[2 * k] = between(s, 0.0, 1.0);
        p[2 * k + 1] = log_between(s, 1e-3, 0.3);
        i.exact += atan_between(p[2 * k], p[2 * k + 1], 0.0, 1.0);
      }
      break;
    case both_ends:
      p[0] = between(s, -0.8, 1.5);
      p[1] = between(s, -0.3, 1.5); /* at 1 the coordinate is rounded */
      i.exact = tgamma(p[0] + 1.0) * tgamma(p[1] + 1.0) / tgamma(p[0] + p[1] + 2.0);
      break;
    case steps: {
      p[0] = between(s, 1.0, 8.0);
      p[1] = between(s, 0.0, 1.0);
      const int n = (int)floor(p[0] + p[1]);
      for (int k = 1; k <= n; ++k) i.exact += 1.0 - (k - p[1]) / p[0];
      break;
    }
    case slow_decay:
      p[0] = between(s, 1.05, 4.0);
      i.lower = 1.0;
      i.upper = INFINITY;
      i.exact = 1.0 / (p[0] - 1.0);
      break;
    case away_end:
      p[0] = between(s, -0.7, 2.0);
      i.lower = 1.0;
      i.upper = 3.0;
      i.exact = pow(2.0, p[0] + 1.0) / (p[0] + 1.0);
      break;
    case kink_near_end:
    case jump_near_end:
    case root_near_end:
    case layer_at_end:
      draw_near_end(&i, s);
      break;
    case cut_peak:
      p[2] = floor(between(s, 1.0, 8.0)) / 8.0 - log_between(s, 1e-5, 2e-3);
      p[1] = log_between(s, 0.01, 0.1);
      p[0] = p[2] + p[1] * between(s, -1.0, 2.0);
      i.exact = gauss_between(p[0], p[1], p[2], 1.0);
      break;
    default:
      p[0] = between(s, 0.0, 1.0);
      p[1] = log_between(s, 3e-3, 0.3);
      i.exact = 1.5 + gauss_between(p[0], p[1], 0.0, 1.0);
  }
  return i;
}

int one_dimension_point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp;
  *f = one_dimension_value((const struct one_dimension *)userdata, *x);
  return 0;
}
