/* The integrands of the population (population.h) as one C text: compiled into the tests, and given to the library as
 * text, where TESSERA_NDIM is a constant that lets the loops unroll. Whoever needs the struct alone defines
 * POPULATION_STRUCT_ONLY.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#ifndef POPULATION_INTEGRAND
#define POPULATION_INTEGRAND

enum { population_max_ndim = 10, population_max_terms = 5, population_group_size = 5, population_max_degree = 12 };

/* t is x moved and scaled, y = matrix (t - centre), s = sum_i a_0i (t_i - u_0i), r^2 = sum y_i^2. */
enum population_kind {
  POPULATION_SUM_OF_PRODUCTS, /* sum_k weight_k0 prod_i shape_ki(t_i) */
  POPULATION_PRODUCT_OF_SUMS, /* prod_i sum_k weight_ki shape_ki(t_i) */
  POPULATION_ADDITIVE,        /* c + sum_i sum_k weight_ki shape_ki(t_i) */
  POPULATION_RIDGE,           /* a function of s */
  POPULATION_RADIAL,          /* a function of r, and of k.y with k = a_0 */
  POPULATION_WARPED,          /* a Gaussian bent along parabolas */
  POPULATION_DIFFERENCES,     /* prod_i t_i^p (1-t_i)^q prod_(i>j) |t_i-t_j|^variant */
  POPULATION_LINEAR_MODEL, /* posterior: means of groups and log sigma, errors of Student's t, 3 degrees of freedom */
  POPULATION_DIRICHLET,    /* posterior of logits */
  POPULATION_NORMAL_GAMMA, /* posterior: means and the logarithm of their precision */
  POPULATION_POISSON_GAMMA /* posterior: logarithms of rates and of the inverse scale of their prior */
};

/* Of one variable, with a and u. */
enum population_shape {
  POPULATION_ONE,
  POPULATION_GAUSS,   /* exp(-a^2 (t-u)^2) */
  POPULATION_LORENTZ, /* 1/(1 + a^2 (t-u)^2) */
  POPULATION_SECH2,   /* 1/cosh^2(a (t-u)) */
  POPULATION_SIGMOID, /* 1/(1 + exp(-a (t-u))) */
  POPULATION_WAVE,    /* 1 + 0.9 cos(a (t-u)) */
  POPULATION_EXP,     /* exp(a t) */
  POPULATION_EXP_CUT, /* the same for t <= u, else 0 */
  POPULATION_KINK,    /* exp(-a |t-u|) */
  POPULATION_POWER,   /* |t-u|^a */
  POPULATION_STEP     /* [t > u] */
};

enum population_ridge {
  POPULATION_RIDGE_COS,      /* cos(s + c) */
  POPULATION_RIDGE_EXP,      /* exp(s) */
  POPULATION_RIDGE_POWER,    /* (1 + s)^-p */
  POPULATION_RIDGE_POLY,     /* sum_m data_m s^m */
  POPULATION_RIDGE_STEP,     /* [s < c] */
  POPULATION_RIDGE_STEP_EXP, /* exp(p (c-s)) [s < c] */
  POPULATION_RIDGE_ABS,      /* |s - c| */
  POPULATION_RIDGE_SQUARE,   /* max(c - s, 0)^2 */
  POPULATION_RIDGE_EXP_ABS   /* exp(-p |s-c|) */
};

enum population_radial {
  POPULATION_RADIAL_GAUSS,      /* exp(-r^2/2) */
  POPULATION_RADIAL_ERFC,       /* the same, times erfc(-k.y - c)/2 */
  POPULATION_RADIAL_POWER,      /* (1 + r^2)^-p */
  POPULATION_RADIAL_HALF_SPACE, /* exp(-r^2/2) [k.y < c] */
  POPULATION_RADIAL_CREASE,     /* exp(-|y_0| - (r^2 - y_0^2)/2) */
  POPULATION_RADIAL_BALL,       /* p + q [r < 1] */
  POPULATION_RADIAL_BALL_EXP,   /* exp(k.y) [r < 1] */
  POPULATION_RADIAL_BALL_GAUSS, /* exp(-q r^2) [r < 1] */
  POPULATION_RADIAL_CAP,        /* max(1 - r^2, 0)^p */
  POPULATION_RADIAL_ABS         /* |r^2 - 1| */
};

enum population_warp { POPULATION_WARP_PAIRS, POPULATION_WARP_FAN, POPULATION_WARP_CHAIN };

struct population_params {
  int kind, variant, terms, rotated; /* rotated: matrix is full, else diagonal */
  double origin[population_max_ndim], scale[population_max_ndim];
  double centre[population_max_ndim], matrix[population_max_ndim][population_max_ndim];
  int shape[population_max_terms][population_max_ndim];
  double weight[population_max_terms][population_max_ndim];
  double a[population_max_terms][population_max_ndim], u[population_max_terms][population_max_ndim];
  double c, p, q;
  double data[(population_max_ndim - 1) * population_group_size];
};

#endif

#ifndef POPULATION_STRUCT_ONLY

static double population_shape_value(int shape, double a, double u, double t) {
  const double d = t - u, z = a * d;
  double e;
  switch (shape) {
    case POPULATION_GAUSS:
      return exp(-z * z);
    case POPULATION_LORENTZ:
      return 1 / (1 + z * z);
    case POPULATION_SECH2:
      e = exp(-2 * fabs(z)); /* cosh would overflow */
      return 4 * e / ((1 + e) * (1 + e));
    case POPULATION_SIGMOID:
      e = exp(-fabs(z));
      return z > 0 ? 1 / (1 + e) : e / (1 + e);
    case POPULATION_WAVE:
      return 1 + 0.9 * cos(z);
    case POPULATION_EXP:
      return exp(a * t);
    case POPULATION_EXP_CUT:
      return t <= u ? exp(a * t) : 0.0;
    case POPULATION_KINK:
      return exp(-fabs(z));
    case POPULATION_POWER:
      return pow(fabs(d), a);
    case POPULATION_STEP:
      return t > u ? 1.0 : 0.0;
    default:
      return 1;
  }
}

static double population_ridge_value(const struct population_params *p, double s) {
  const double d = s - p->c;
  double v = 0;
  switch (p->variant) {
    case POPULATION_RIDGE_COS:
      return cos(s + p->c);
    case POPULATION_RIDGE_EXP:
      return exp(s);
    case POPULATION_RIDGE_POWER:
      return pow(1 + s, -p->p);
    case POPULATION_RIDGE_POLY:
      for (int m = population_max_degree; m >= 0; --m) v = v * s + p->data[m];
      return v;
    case POPULATION_RIDGE_STEP:
      return d < 0 ? 1.0 : 0.0;
    case POPULATION_RIDGE_STEP_EXP:
      return d < 0 ? exp(-p->p * d) : 0.0;
    case POPULATION_RIDGE_ABS:
      return fabs(d);
    case POPULATION_RIDGE_SQUARE:
      return d < 0 ? d * d : 0.0;
    default:
      return exp(-p->p * fabs(d));
  }
}

static double population_radial_value(const struct population_params *p, double r2, double ky, double y0) {
  switch (p->variant) {
    case POPULATION_RADIAL_GAUSS:
      return exp(-0.5 * r2);
    case POPULATION_RADIAL_ERFC:
      return 0.5 * exp(-0.5 * r2) * erfc(-ky - p->c);
    case POPULATION_RADIAL_POWER:
      return pow(1 + r2, -p->p);
    case POPULATION_RADIAL_HALF_SPACE:
      return ky < p->c ? exp(-0.5 * r2) : 0.0;
    case POPULATION_RADIAL_CREASE:
      return exp(-fabs(y0) - 0.5 * (r2 - y0 * y0));
    case POPULATION_RADIAL_BALL:
      return r2 < 1 ? p->p + p->q : p->p;
    case POPULATION_RADIAL_BALL_EXP:
      return r2 < 1 ? exp(ky) : 0.0;
    case POPULATION_RADIAL_BALL_GAUSS:
      return r2 < 1 ? exp(-p->q * r2) : 0.0;
    case POPULATION_RADIAL_CAP:
      return r2 < 1 ? pow(1 - r2, p->p) : 0.0;
    default:
      return fabs(r2 - 1);
  }
}

int population_f(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct population_params *p = (const struct population_params *)userdata;
#ifdef TESSERA_NDIM
  const int n = TESSERA_NDIM;
  (void)ndim;
#else
  const int n = ndim;
#endif
  (void)ncomp;
  double t[population_max_ndim], y[population_max_ndim] = {0}, v = 0, s = 0, r2 = 0, largest = 0;
  for (int i = 0; i < n; ++i) {
    t[i] = (x[i] - p->origin[i]) * p->scale[i];
    y[i] = p->matrix[i][i] * (t[i] - p->centre[i]);
  }
  if (p->rotated) {
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += p->matrix[i][j] * (t[j] - p->centre[j]);
      y[i] = sum;
    }
  }
  switch (p->kind) {
    case POPULATION_SUM_OF_PRODUCTS:
      for (int k = 0; k < p->terms; ++k) {
        double product = p->weight[k][0];
        for (int i = 0; i < n; ++i) product *= population_shape_value(p->shape[k][i], p->a[k][i], p->u[k][i], t[i]);
        v += product;
      }
      break;
    case POPULATION_PRODUCT_OF_SUMS:
      v = 1;
      for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int k = 0; k < p->terms; ++k)
          sum += p->weight[k][i] * population_shape_value(p->shape[k][i], p->a[k][i], p->u[k][i], t[i]);
        v *= sum;
      }
      break;
    case POPULATION_ADDITIVE:
      v = p->c;
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < p->terms; ++k)
          v += p->weight[k][i] * population_shape_value(p->shape[k][i], p->a[k][i], p->u[k][i], t[i]);
      break;
    case POPULATION_RIDGE:
      for (int i = 0; i < n; ++i) s += p->a[0][i] * (t[i] - p->u[0][i]);
      v = population_ridge_value(p, s);
      break;
    case POPULATION_RADIAL:
      for (int i = 0; i < n; ++i) {
        r2 += y[i] * y[i];
        s += p->a[0][i] * y[i];
      }
      v = population_radial_value(p, r2, s, y[0]);
      break;
    case POPULATION_WARPED:
      for (int i = 0; i < n; ++i) {
        double d = y[i];
        if (i == 0)
          d -= p->c;
        else if (p->variant == POPULATION_WARP_FAN)
          d -= p->p * y[0] * y[0];
        else if (p->variant == POPULATION_WARP_CHAIN || i % 2 == 1)
          d -= p->p * y[i - 1] * y[i - 1];
        s += p->a[0][i] * d * d;
      }
      v = exp(-s);
      break;
    case POPULATION_DIFFERENCES:
      v = 1;
      s = 1;
      for (int i = 0; i < n; ++i) {
        s *= pow(t[i], p->p) * pow(1 - t[i], p->q);
        for (int j = 0; j < i; ++j) v *= fabs(t[i] - t[j]);
      }
      r2 = v;
      for (int m = 1; m < p->variant; ++m) r2 *= v;
      v = s * r2;
      break;
    case POPULATION_LINEAR_MODEL:
      s = exp(-t[n - 1]);
      v = -p->c - population_group_size * (n - 1) * t[n - 1];
      for (int i = 0; i < n - 1; ++i) {
        double product = 1; /* one logarithm a group, and no overflow */
        for (int j = 0; j < population_group_size; ++j) {
          const double z = (p->data[i * population_group_size + j] - t[i]) * s;
          product *= 1 + z * z;
        }
        v -= 2 * log(product);
      }
      v = exp(v);
      break;
    case POPULATION_DIRICHLET:
      for (int i = 0; i < n; ++i) largest = fmax(largest, y[i]);
      r2 = exp(-largest);
      for (int i = 0; i < n; ++i) {
        s += p->a[0][i] * (y[i] - largest);
        r2 += exp(y[i] - largest);
      }
      v = exp(s - p->a[1][0] * largest - p->p * log(r2) - p->c);
      break;
    case POPULATION_NORMAL_GAMMA:
      for (int i = 0; i < n - 1; ++i) s += p->a[0][i] * (y[i] - p->u[0][i]) * (y[i] - p->u[0][i]);
      v = exp(p->p * y[n - 1] - exp(y[n - 1]) * (p->q + 0.5 * s) - p->c);
      break;
    default:
      largest = fmin(exp(y[n - 1]), 1e300); /* infinity times 0 would be NaN */
      s = p->p * y[n - 1] - p->q * largest - p->c;
      for (int i = 0; i < n - 1; ++i) s += p->a[0][i] * y[i] - (p->u[0][i] + largest) * exp(y[i]);
      v = exp(s);
  }
  f[0] = v;
  return 0;
}

#endif
