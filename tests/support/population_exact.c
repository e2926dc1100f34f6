/* SPDX-License-Identifier: BSD-3-Clause */
#include "population_exact.h"

#include <math.h>
#include <string.h>

static const long double pi = 3.14159265358979323846264338327950288L;

/* ---- Quadrature -------------------------------------------------------------------------------------------------- */
enum { legendre_points = 20, most_depth = 60 };
static double node[legendre_points], node_weight[legendre_points];

/* Zeros of the Legendre polynomial by Newton's method. */
static void make_nodes(void) {
  const int n = legendre_points;
  for (int i = 0; i < n; ++i) {
    long double x = cosl(pi * (i + 0.75L) / (n + 0.5L)), slope = 1;
    for (int step = 0; step < 20; ++step) {
      long double p0 = 1, p1 = x;
      for (int k = 2; k <= n; ++k) {
        const long double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
        p0 = p1;
        p1 = p2;
      }
      slope = n * (x * p1 - p0) / (x * x - 1);
      x -= p1 / slope;
    }
    node[i] = (double)x;
    node_weight[i] = (double)(2 / ((1 - x * x) * slope * slope));
  }
}

struct panel {
  double value, magnitude;
};

static struct panel over_panel(population_function f, const void *data, double a, double b) {
  const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
  struct panel r = {0, 0};
  for (int i = 0; i < legendre_points; ++i) {
    const double v = f(middle + half * node[i], data);
    r.value += node_weight[i] * v;
    r.magnitude += node_weight[i] * fabs(v);
  }
  r.value *= half;
  r.magnitude *= half;
  return r;
}

static double refine(population_function f, const void *data, double a, double b, double coarse, double bound,
                     int depth) {
  const double middle = 0.5 * (a + b);
  const struct panel left = over_panel(f, data, a, middle), right = over_panel(f, data, middle, b);
  const double fine = left.value + right.value;
  if (fabs(fine - coarse) <= fmax(bound, 1e-15 * (left.magnitude + right.magnitude)) || depth == most_depth ||
      middle <= a || middle >= b)
    return fine;
  return refine(f, data, a, middle, left.value, bound, depth + 1) +
         refine(f, data, middle, b, right.value, bound, depth + 1);
}

double population_quadrature(population_function f, const void *data, double a, double b, int pieces,
                             double tolerance) {
  if (node_weight[0] == 0) make_nodes();
  double scale = 0, sum = 0;
  for (int k = 0; k < pieces; ++k)
    scale += over_panel(f, data, a + (b - a) * k / pieces, a + (b - a) * (k + 1) / pieces).magnitude;
  for (int k = 0; k < pieces; ++k) {
    const double l = a + (b - a) * k / pieces, u = a + (b - a) * (k + 1) / pieces;
    sum += refine(f, data, l, u, over_panel(f, data, l, u).value, tolerance * scale / pieces, 0);
  }
  return sum;
}

double population_quadrature_to(population_function f, const void *data, double a, double b, double bound) {
  if (node_weight[0] == 0) make_nodes();
  return refine(f, data, a, b, over_panel(f, data, a, b).value, bound, 0);
}

/* int_0^inf g(t) dt with t = exp(y - e^-y), by the trapezoidal rule (Takahasi and Mori 1974): g(t) t has to vanish
 * at both ends. term gives g(t) t. */
typedef long double (*half_line_function)(long double t, const void *data);

static long double half_line(half_line_function term, const void *data, long double low, long double high) {
  long double sum = 0, last, value = 0;
  int m = 32;
  for (int k = 0; k <= m; ++k) {
    const long double y = low + (high - low) * k / m;
    sum += term(expl(y - expl(-y)), data) * (1 + expl(-y));
  }
  do {
    last = value;
    for (int k = 0; k < m; ++k) {
      const long double y = low + (high - low) * (k + 0.5L) / m;
      sum += term(expl(y - expl(-y)), data) * (1 + expl(-y));
    }
    m *= 2;
    value = sum * (high - low) / m;
  } while (m < 1 << 16 && fabsl(value - last) > 1e-17L * fabsl(value));
  return value;
}

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */
/* log(1 + e^z) */
static long double softplus(long double z) { return fmaxl(z, 0) + log1pl(expl(-fabsl(z))); }

long double population_shape_integral(int shape, double a_, double u_, double lower, double upper) {
  const long double a = a_, u = u_, l = lower, h = upper;
  switch (shape) {
    case POPULATION_GAUSS:
      return sqrtl(pi) / (2 * a) * (erfl(a * (h - u)) + erfl(a * (u - l)));
    case POPULATION_LORENTZ:
      return (atanl(a * (h - u)) + atanl(a * (u - l))) / a;
    case POPULATION_SECH2:
      return (tanhl(a * (h - u)) + tanhl(a * (u - l))) / a;
    case POPULATION_SIGMOID:
      return (softplus(a * (h - u)) - softplus(a * (l - u))) / a;
    case POPULATION_WAVE:
      return h - l + 0.9 * (sinl(a * (h - u)) + sinl(a * (u - l))) / a; /* 0.9 as in the integrand: the double */
    case POPULATION_EXP:
      return expl(a * l) * expm1l(a * (h - l)) / a;
    case POPULATION_EXP_CUT:
      return u <= l ? 0 : expl(a * l) * expm1l(a * (fminl(u, h) - l)) / a;
    case POPULATION_KINK:
      return -(expm1l(-a * (h - u)) + expm1l(-a * (u - l))) / a;
    case POPULATION_POWER:
      return (powl(h - u, a + 1) + powl(u - l, a + 1)) / (a + 1);
    case POPULATION_STEP:
      return h - fminl(fmaxl(u, l), h);
    default:
      return h - l;
  }
}

struct population_sum population_separable(const struct population_params *p, int ndim, const double *lower,
                                           const double *upper) {
  struct population_sum r = {0, 0};
  long double part[population_max_terms][population_max_ndim], volume = 1;
  for (int i = 0; i < ndim; ++i) {
    volume *= (long double)upper[i] - lower[i];
    for (int k = 0; k < p->terms; ++k)
      part[k][i] = population_shape_integral(p->shape[k][i], p->a[k][i], p->u[k][i], lower[i], upper[i]);
  }
  if (p->kind == POPULATION_SUM_OF_PRODUCTS) {
    for (int k = 0; k < p->terms; ++k) {
      long double product = p->weight[k][0];
      for (int i = 0; i < ndim; ++i) product *= part[k][i];
      r.value += product;
      r.magnitude += fabsl(product);
    }
  } else if (p->kind == POPULATION_PRODUCT_OF_SUMS) {
    r.value = r.magnitude = 1;
    for (int i = 0; i < ndim; ++i) {
      long double sum = 0, magnitude = 0;
      for (int k = 0; k < p->terms; ++k) {
        sum += p->weight[k][i] * part[k][i];
        magnitude += fabsl(p->weight[k][i] * part[k][i]);
      }
      r.value *= sum;
      r.magnitude *= magnitude;
    }
  } else {
    r.value = p->c * volume;
    r.magnitude = fabsl(r.value);
    for (int i = 0; i < ndim; ++i)
      for (int k = 0; k < p->terms; ++k) {
        const long double v = p->weight[k][i] * part[k][i] * volume / ((long double)upper[i] - lower[i]);
        r.value += v;
        r.magnitude += fabsl(v);
      }
  }
  return r;
}

/* ---- Functions of s ---------------------------------------------------------------------------------------------- */
/* Moments of s about its middle: each variable adds a_i z with z uniform on (-1/2, 1/2). All terms are positive. */
static void moments(const double *a, int ndim, long double *m) {
  memset(m, 0, (population_max_degree + 1) * sizeof *m);
  m[0] = 1;
  for (int i = 0; i < ndim; ++i) {
    long double next[population_max_degree + 1] = {0};
    for (int d = 0; d <= population_max_degree; d += 2) {
      long double binomial = 1, power = 1; /* of a_i/2 */
      for (int k = 0; k <= d; ++k) {
        if (k % 2 == 0) next[d] += binomial * m[d - k] * power / (k + 1);
        binomial = binomial * (d - k) / (k + 1);
        power *= a[i] / 2.0L;
      }
    }
    memcpy(m, next, sizeof next);
  }
}

/* Integral of max(c - s, 0)^m / m! for s = sum |a_i| tau_i by inclusion and exclusion of the corners; variables with
 * a_i = 0 do not take part. Only the corners on the near side of the plane count. */
static struct population_sum corner_sum(const double *a, int ndim, long double c, int m) {
  struct population_sum r = {0, 0};
  long double b[population_max_ndim], scale = 1;
  int n = 0;
  for (int i = 0; i < ndim; ++i)
    if (a[i] != 0) {
      b[n] = fabs(a[i]);
      scale *= b[n++];
    }
  for (int i = 2; i <= n + m; ++i) scale *= i;
  for (int corner = 0; corner < 1 << n; ++corner) {
    long double left = c, term = 1;
    int odd = 0;
    for (int i = 0; i < n; ++i)
      if (corner >> i & 1) {
        left -= b[i];
        odd ^= 1;
      }
    if (left <= 0) continue;
    for (int i = 0; i < n + m; ++i) term *= left;
    r.value += odd ? -term : term;
    r.magnitude += term;
  }
  r.value /= scale;
  r.magnitude /= scale;
  return r;
}

/* Integral of exp(b max(c - s, 0)) - 1 where c > s, plus that of [s < c]: a series of positive powers. */
static struct population_sum corner_series(const double *a, int ndim, long double c, long double b) {
  struct population_sum r = {0, 0};
  long double power = 1;
  for (int m = 0; m < 80; ++m) {
    const struct population_sum term = corner_sum(a, ndim, c, m);
    r.value += power * term.value;
    r.magnitude += power * term.magnitude;
    power *= b;
  }
  return r;
}

static long double exponential(const double *a, const double *u, int ndim, long double b, long double c) {
  long double r = expl(-b * c);
  for (int i = 0; i < ndim; ++i) {
    const long double z = b * a[i];
    if (z != 0) r *= expl(-z * u[i]) * expm1l(z) / z;
  }
  return r;
}

struct corner_peak {
  const double *a;
  double p;
  int ndim;
};

/* (1+s)^-p = 1/Gamma(p) int_0^inf t^(p-1) e^-t e^-ts dt */
static long double corner_peak_term(long double t, const void *data) {
  const struct corner_peak *g = data;
  if (t == 0) return 0;
  long double r = expl(g->p * logl(t) - t - lgammal(g->p));
  for (int i = 0; i < g->ndim; ++i) {
    const long double z = fabsl((long double)g->a[i]) * t;
    r *= -expm1l(-z) / z;
  }
  return r;
}

struct population_sum population_ridge_integral(const struct population_params *p, int ndim) {
  const double *a = p->a[0], *u = p->u[0];
  struct population_sum r = {0, 0}, w;
  long double all = 0, phase = 0, m[population_max_degree + 1];
  int lost = 0;
  for (int i = 0; i < ndim; ++i) all += fabs(a[i]);
  const long double c = p->c, b = p->p;
  switch (p->variant) {
    case POPULATION_RIDGE_COS:
      r.magnitude = 1;
      phase = c;
      for (int i = 0; i < ndim; ++i) {
        const long double half = a[i] / 2.0L;
        phase += a[i] * (0.5L - u[i]);
        if (half == 0) continue;
        const long double factor = sinl(half) / half;
        r.magnitude *= fabsl(factor);
        if (factor < 0) phase += pi;
        if (fabsl(factor) < 1e-3L * fminl(1, 1 / fabsl(half))) lost = 1; /* next to a zero: bad digits */
      }
      r.value = lost ? 0 : r.magnitude * cosl(phase);
      break;
    case POPULATION_RIDGE_EXP:
      r.value = r.magnitude = exponential(a, u, ndim, 1, 0);
      break;
    case POPULATION_RIDGE_POWER: {
      const struct corner_peak g = {a, p->p, ndim};
      r.value = r.magnitude = half_line(corner_peak_term, &g, -6, 10);
      break;
    }
    case POPULATION_RIDGE_POLY: /* u is the middle */
      moments(a, ndim, m);
      for (int d = 0; d <= population_max_degree; d += 2) {
        r.value += p->data[d] * m[d];
        r.magnitude += fabsl(p->data[d] * m[d]);
      }
      break;
    case POPULATION_RIDGE_STEP:
      r = corner_sum(a, ndim, c, 0);
      break;
    case POPULATION_RIDGE_STEP_EXP:
      r = corner_series(a, ndim, c, b);
      break;
    case POPULATION_RIDGE_ABS: /* |s-c| = s - c + 2 max(c-s, 0) */
      w = corner_sum(a, ndim, c, 1);
      r.value = all / 2 - c + 2 * w.value;
      r.magnitude = fabsl(all / 2 - c) + 2 * w.magnitude;
      break;
    case POPULATION_RIDGE_SQUARE:
      r = corner_sum(a, ndim, c, 2);
      r.value *= 2;
      r.magnitude *= 2;
      break;
    default: {
      /* exp(-b|s-c|): exp(b(s-c)) where s < c and exp(b(c-s)) where s > c, each as the whole less the other half */
      const struct population_sum near = corner_series(a, ndim, c, b), far = corner_series(a, ndim, all - c, b);
      const long double up = exponential(a, u, ndim, b, c), down = exponential(a, u, ndim, -b, c);
      r.value = up + down - near.value - far.value;
      r.magnitude = up + down + near.magnitude + far.magnitude;
    }
  }
  return r;
}

/* ---- Functions of r ---------------------------------------------------------------------------------------------- */
struct radial {
  const double *a, *u;
  double p;
  int ndim;
};

/* As for the corner peak, with Gaussians in place of exponentials. */
static long double radial_term(long double t, const void *data) {
  const struct radial *g = data;
  if (t == 0) return 0;
  const long double root = sqrtl(t);
  long double r = expl(g->p * logl(t) - t - lgammal(g->p));
  for (int i = 0; i < g->ndim; ++i) {
    const long double a = g->a[i] * root;
    r *= sqrtl(pi) / (2 * a) * (erfl(a * (1 - (long double)g->u[i])) + erfl(a * g->u[i]));
  }
  return r;
}

long double population_radial_power(const double *a, const double *u, double p, int ndim) {
  const struct radial g = {a, u, p, ndim};
  return half_line(radial_term, &g, -6, 10);
}

long double population_radial_integral(const struct population_params *p, int ndim) {
  const long double n = ndim, gauss = powl(2 * pi, n / 2), ball = powl(pi, n / 2);
  long double k2 = 0, sum = 0, term;
  for (int i = 0; i < ndim; ++i) k2 += (long double)p->a[0][i] * p->a[0][i];
  switch (p->variant) {
    case POPULATION_RADIAL_GAUSS:
      return gauss;
    case POPULATION_RADIAL_ERFC: /* the mean of a normal distribution function is one again */
      return gauss * 0.5L * erfcl(-p->c / sqrtl(1 + 2 * k2));
    case POPULATION_RADIAL_POWER:
      return ball * expl(lgammal(p->p - n / 2) - lgammal(p->p));
    case POPULATION_RADIAL_HALF_SPACE:
      return gauss * 0.5L * erfcl(-p->c / sqrtl(2 * k2));
    case POPULATION_RADIAL_CREASE:
      return gauss / sqrtl(2 * pi) * 2;
    case POPULATION_RADIAL_BALL_EXP: /* a Bessel function, by its series of positive terms */
      term = expl(-lgammal(n / 2 + 1));
      for (int m = 1; m < 400; ++m) {
        sum += term;
        term *= k2 / 4 / (m * (m + n / 2));
      }
      return ball * sum;
    case POPULATION_RADIAL_BALL_GAUSS: /* an incomplete gamma function, the same way */
      term = expl(-lgammal(n / 2 + 1) - p->q);
      for (int m = 1; m < 400; ++m) {
        sum += term;
        term *= p->q / (m + n / 2);
      }
      return ball * sum;
    case POPULATION_RADIAL_CAP:
      return ball * expl(lgammal(p->p + 1.0L) - lgammal(p->p + 1.0L + n / 2));
    default: /* the unit ball */
      return ball * expl(-lgammal(n / 2 + 1));
  }
}

long double population_selberg(const struct population_params *p, int ndim) {
  const long double alpha = p->p + 1.0L, beta = p->q + 1.0L, gamma = p->variant / 2.0L;
  long double sum = 0;
  for (int j = 0; j < ndim; ++j)
    sum += lgammal(alpha + j * gamma) + lgammal(beta + j * gamma) + lgammal(1 + (j + 1) * gamma) -
           lgammal(alpha + beta + (ndim + j - 1) * gamma) - lgammal(1 + gamma);
  return expl(sum);
}

/* ---- Posteriors -------------------------------------------------------------------------------------------------- */
struct linear_model {
  const struct population_params *p;
  const double *lower, *upper;
  int ndim, group;
  double sigma;
};

static double group_density(double theta, const void *data) {
  const struct linear_model *m = data;
  double product = 1;
  for (int j = 0; j < population_group_size; ++j) {
    const double z = (m->p->data[m->group * population_group_size + j] - theta) / m->sigma;
    product *= 1 + z * z;
  }
  return 1 / (product * product);
}

/* All means integrated for one sigma: a product. An observation may lie anywhere, so pieces end there. */
static double given_sigma(double log_sigma, const void *data) {
  struct linear_model m = *(const struct linear_model *)data;
  m.sigma = exp(log_sigma);
  double sum = -m.p->c - population_group_size * (m.ndim - 1) * log_sigma;
  for (m.group = 0; m.group < m.ndim - 1; ++m.group) {
    double end[population_group_size + 2], part = 0;
    int ends = 0;
    end[ends++] = m.lower[m.group];
    for (int j = 0; j < population_group_size; ++j) {
      const double y = m.p->data[m.group * population_group_size + j];
      if (y <= m.lower[m.group] || y >= m.upper[m.group]) continue;
      int k = ends++;
      for (; k > 1 && end[k - 1] > y; --k) end[k] = end[k - 1];
      end[k] = y;
    }
    end[ends] = m.upper[m.group];
    for (int k = 0; k < ends; ++k) part += population_quadrature(group_density, &m, end[k], end[k + 1], 1, 1e-13);
    sum += log(part);
  }
  return exp(sum);
}

double population_linear_model(const struct population_params *p, int ndim, const double *lower, const double *upper) {
  const struct linear_model m = {p, lower, upper, ndim, 0, 0};
  return population_quadrature(given_sigma, &m, lower[ndim - 1], upper[ndim - 1], 8, 1e-12);
}

struct poisson_gamma {
  const struct population_params *p;
  int ndim;
};

/* All rates integrated for one inverse scale beta. */
static long double given_beta(long double beta, const void *data) {
  const struct poisson_gamma *g = data;
  const struct population_params *p = g->p;
  if (beta == 0) return 0;
  long double sum = p->p * logl(beta) - p->q * beta - p->c;
  for (int i = 0; i < g->ndim - 1; ++i) sum += lgammal(p->a[0][i]) - p->a[0][i] * logl(p->u[0][i] + beta);
  return expl(sum);
}

long double population_conjugate(const struct population_params *p, int ndim) {
  long double sum = -p->c, shape;
  switch (p->kind) {
    case POPULATION_DIRICHLET:
      for (int i = 0; i < ndim; ++i) sum += lgammal(p->a[0][i]);
      return expl(sum + lgammal(p->a[1][0]) - lgammal(p->p));
    case POPULATION_NORMAL_GAMMA:
      shape = p->p - 0.5L * (ndim - 1);
      for (int i = 0; i < ndim - 1; ++i) sum += 0.5L * logl(2 * pi / p->a[0][i]);
      return expl(sum + lgammal(shape) - shape * logl(p->q));
    default: {
      const struct poisson_gamma g = {p, ndim};
      return half_line(given_beta, &g, -6, 12);
    }
  }
}
