/* The race of sparse grids with regions (TESSERA_SPARSE): what it saves, what it costs, and that it does not win where it should not.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>

#include "cases.h"
#include "solve.h"

static struct answer run(const char *name, double reltol, int sparse, int64_t maxeval, int threads) {
  const struct suite_case *c = suite_find(name);
  tessera_solver *s = solver_of(c->ndim, 1);
  put_point(s, c->fn, NULL);
  put_real(s, TESSERA_RELTOL, reltol);
  put_int(s, TESSERA_MAXEVAL, maxeval);
  put_int(s, TESSERA_SPARSE, sparse);
  put_int(s, TESSERA_THREADS, threads);
  const struct answer a = integrate(s);
  const double error = fabs(a.value - c->exact);
  print_message("  %-6s %.0e: status %d, %9lld evaluations, %lld of them sparse, used %lld, estimate %.1e, true %.1e\n",
                name, reltol, a.status, (long long)a.evaluations, (long long)got_int(s, TESSERA_SPARSE_EVALUATIONS),
                (long long)got_int(s, TESSERA_SPARSE_USED), a.error / fabs(a.value), error / fabs(c->exact));
  assert_true(a.evaluations <= maxeval);
  if (a.status == TESSERA_OK) assert_true(error <= reltol * fabs(c->exact));
  if (sparse == TESSERA_SPARSE_OFF) assert_int_equal(got_int(s, TESSERA_SPARSE_EVALUATIONS), 0);
  tessera_destroy(s);
  return a;
}

/* Smooth integrands: a tenth of the evaluations and less. */
static void test_smooth(void **state) {
  (void)state;
  const struct {
    const char *name;
    double reltol;
    int64_t most;
  } cases[] = {{"f1_5d", 1e-8, 200000}, {"f1_5d", 1e-10, 300000}, {"f7_8d", 1e-6, 2540000}, {"f8_8d", 1e-6, 900000}};
  for (int i = 0; i < (sanitized ? 1 : 4); ++i) {
    const struct answer a = run(cases[i].name, cases[i].reltol, TESSERA_SPARSE_AUTO, 20 * cases[i].most, 1);
    assert_int_equal(a.status, TESSERA_OK);
    assert_true(a.evaluations <= cases[i].most);
    const struct answer alone = run(cases[i].name, cases[i].reltol, TESSERA_SPARSE_ALONE, cases[i].most, 1);
    assert_int_equal(alone.status, TESSERA_OK);
    assert_true(alone.evaluations <= a.evaluations);
    const struct answer off = run(cases[i].name, cases[i].reltol, TESSERA_SPARSE_OFF, 5 * cases[i].most, 1);
    assert_true(off.status != TESSERA_OK);
  }
}

/* A ball, and a Gauss peak across the axes. */
static int ball(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double r = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) r += (x[j] - 0.45) * (x[j] - 0.45);
  f[0] = r < 0.09 ? 1 + r : 0;
  return 0;
}
static int slanted_peak(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0, r = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) s += x[j] - 0.4, r += (x[j] - 0.4) * (x[j] - 0.4);
  f[0] = exp(-300 * r - 2000 * s * s);
  return 0;
}

/* Where regions win the race costs a tenth, and the value is theirs. */
static void test_rough(void **state) {
  (void)state;
  const tessera_integrand1 shapes[] = {ball, slanted_peak};
  for (int i = 0; i < 2; ++i) {
    struct answer both[2];
    for (int part = 0; part < 2; ++part) {
      tessera_solver *s = solver_of(3 + i, 1);
      put_point(s, shapes[i], NULL);
      put_real(s, TESSERA_RELTOL, i == 0 ? 1e-2 : 1e-3);
      put_int(s, TESSERA_MAXEVAL, 20000000);
      put_int(s, TESSERA_SPARSE, part == 0 ? TESSERA_SPARSE_OFF : TESSERA_SPARSE_AUTO);
      both[part] = integrate(s);
      tessera_destroy(s);
    }
    const struct answer off = both[0], a = both[1];
    assert_true(off.evaluations > 100000);
    assert_int_equal(a.status, TESSERA_OK);
    assert_true(a.evaluations <= off.evaluations + off.evaluations / 10);
    assert_same_bits(a.value, off.value);
    assert_same_bits(a.error, off.error);
  }
}

/* Peaks that are products, however narrow, skew or broken: a grid in the variables of a map has them, to rounding. */
static int skew_peak(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double p = 1;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) {
    const double t = (x[j] - 0.21 - 0.1 * j) / 0.03;
    p *= (j % 2 == 0 ? 1 / (1 + t * t) : exp(-fabs(t))) * (x[j] > 0.17 ? 1 : 0.3);
  }
  f[0] = p;
  return 0;
}
/* The same beside a second peak that holds a share of it, which regions may or may not have met. */
static int two_peaks(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double r = 0;
  skew_peak(ndim, x, ncomp, f, NULL);
  for (int j = 0; j < ndim; ++j) r += (x[j] - 0.8) * (x[j] - 0.8);
  f[0] += *(const double *)userdata * exp(-450 * r);
  return 0;
}
static double of_skew_peak(int ndim) {
  double product = 1;
  for (int j = 0; j < ndim; ++j) {
    const double c = 0.21 + 0.1 * j, w = 0.03;
    product *= j % 2 == 0
                   ? w * (0.3 * (atan((0.17 - c) / w) + atan(c / w)) + atan((1 - c) / w) - atan((0.17 - c) / w))
                   : w * (0.3 * (exp((0.17 - c) / w) - exp(-c / w)) + 1 - exp((0.17 - c) / w) + 1 - exp((c - 1) / w));
  }
  return product;
}
static void test_product_peaks(void **state) {
  (void)state;
  const double ratio = sqrt(3.14159265358979323846 / 450);
  for (int ndim = 3; ndim <= (sanitized ? 3 : 5); ++ndim)
    for (int threads = 1; threads <= 3; threads += 2) {
      tessera_solver *s = solver_of(ndim, 1);
      put_int(s, TESSERA_THREADS, threads);
      put_int(s, TESSERA_MAXEVAL, 8000000);
      put_real(s, TESSERA_RELTOL, 1e-10);
      put_point(s, skew_peak, NULL);
      struct answer a = integrate(s);
      print_message("  %d-D: status %d, %lld evaluations, used %lld, error %.1e\n", ndim, a.status,
                    (long long)a.evaluations, (long long)got_int(s, TESSERA_SPARSE_USED),
                    fabs(a.value / of_skew_peak(ndim) - 1));
      assert_int_equal(a.status, TESSERA_OK);
      assert_int_equal(got_int(s, TESSERA_SPARSE_USED), 1);
      assert_true(a.evaluations < 3000000);
      assert_true(fabs(a.value - of_skew_peak(ndim)) <= a.error);
      for (int power = 3; power <= 9; power += 3) {
        double height = of_skew_peak(ndim) * pow(ratio, -ndim) * pow(10, -power);
        const double exact = of_skew_peak(ndim) * (1 + pow(10, -power));
        put_point(s, two_peaks, &height);
        put_real(s, TESSERA_RELTOL, pow(10, -power - 1));
        a = integrate(s);
        if (a.status == TESSERA_OK) assert_true(fabs(a.value - exact) <= pow(10, -power - 1) * exact);
      }
      tessera_destroy(s);
    }
}

/* In eight variables regions do not come to a value: the integrand is looked at instead. */
static void test_narrow_product(void **state) {
  (void)state;
  if (sanitized) return;
  tessera_solver *s = solver_of(8, 1);
  put_point(s, skew_peak, NULL);
  put_int(s, TESSERA_MAXEVAL, 20000000);
  for (int power = 3; power <= 10; power += 7) {
    put_real(s, TESSERA_RELTOL, pow(10, -power));
    const struct answer a = integrate(s);
    print_message("  8-D: status %d, %lld evaluations, error %.1e\n", a.status, (long long)a.evaluations,
                  fabs(a.value / of_skew_peak(8) - 1));
    assert_int_equal(a.status, TESSERA_OK);
    assert_int_equal(got_int(s, TESSERA_SPARSE_USED), 1);
    assert_in_range(a.evaluations, 2000000, 8000000); /* so often is it looked at */
    assert_true(fabs(a.value - of_skew_peak(8)) <= a.error);
  }
  double height = 0.01 * of_skew_peak(8) * pow(3.14159265358979323846 / 450, -4);
  put_point(s, two_peaks, &height);
  put_real(s, TESSERA_RELTOL, 1e-3);
  const struct answer a = integrate(s);
  if (a.status == TESSERA_OK) assert_true(fabs(a.value / of_skew_peak(8) - 1.01) <= 1.01e-3);
  tessera_destroy(s);
}

/* Normal densities a unit wide over infinite ranges, as users have them: in the variables of the range they are hardly narrow, and regions alone, in five variables, need more than 2e7 evaluations for 1e-6. */
static int normal_density(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double middle = *(const double *)userdata;
  double s = 0;
  (void)ncomp;
  for (int j = 0; j < ndim; ++j) s += (x[j] - middle) * (x[j] - middle);
  f[0] = exp(-s);
  return 0;
}
static void test_normal_densities(void **state) {
  (void)state;
  for (int n = 3; n <= (sanitized ? 4 : 6); ++n)
    for (int i = 0; i < 4; ++i) {
      double middle = i < 2 ? 0 : 0.05;
      tessera_solver *s = solver_of(n, 1);
      put_point(s, normal_density, &middle);
      put_cube(s, n, -(double)INFINITY, (double)INFINITY);
      put_real(s, TESSERA_RELTOL, i % 2 ? 1e-8 : 1e-4);
      put_int(s, TESSERA_MAXEVAL, 8000000);
      put_int(s, TESSERA_SELECTION, i % 2 ? TESSERA_SELECT_BULK : TESSERA_SELECT_WORST_FIRST);
      const struct answer a = integrate(s);
      print_message("  %d variables about %g: status %d, %lld evaluations\n", n, middle, a.status,
                    (long long)a.evaluations);
      assert_status(s, a.status, TESSERA_OK);
      assert_close(a.value, pow(acos(-1.0), 0.5 * n), i % 2 ? 1e-8 : 1e-4, 0);
      tessera_destroy(s);
    }
}

/* Beside a product that is hardly narrow in the variables of an infinite range something narrow is met by points that are spread over the mass, and by next to none of the domain. */
struct needle {
  double at[5], width, height;
};
static int exponential_and_needle(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct needle *needle = userdata;
  double sum = 0, square = 0;
  (void)ncomp;
  for (int j = 0; j < ndim; ++j) {
    const double d = (x[j] - needle->at[j]) / needle->width;
    sum += fabs(x[j]);
    square += d * d;
  }
  f[0] = exp(-sum) + needle->height * exp(-square);
  return 0;
}
static void test_needles_in_the_mass(void **state) {
  static const struct {
    int ndim;
    double width, reltol;
  } cases[] = {{3, 0.02, 1e-6}, {4, 0.05, 1e-5}};
  int claims = 0;
  (void)state;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c)
    for (int i = 0; i < (sanitized ? 2 : 20); ++i) {
      const int n = cases[c].ndim;
      const double share = 0.1;
      struct needle needle = {{0}, cases[c].width, share};
      for (int j = 0; j < n; ++j) {
        const double t = (i + 1) * sqrt(2 + 1.7 * j);
        needle.at[j] = 2 * (t - floor(t)) - 1;
        needle.height *= 2 / (needle.width * sqrt(acos(-1.0)));
      }
      tessera_solver *s = solver_of(n, 1);
      put_point(s, exponential_and_needle, &needle);
      put_cube(s, n, -(double)INFINITY, (double)INFINITY);
      put_real(s, TESSERA_RELTOL, cases[c].reltol);
      put_int(s, TESSERA_MAXEVAL, 3000000);
      const struct answer a = integrate(s);
      assert_true(a.status == TESSERA_OK || a.status == TESSERA_LIMIT_EVALUATIONS);
      if (a.status == TESSERA_OK) assert_close(a.value, pow(2, n) * (1 + share), cases[c].reltol, 0);
      claims += a.status == TESSERA_OK;
      tessera_destroy(s);
    }
  assert_true(claims >= (sanitized ? 1 : 15));
}

/* Normal densities and their moments, as a posterior's: mean[5] and widths of the density, and what the last component is. */
enum last_component { first_moment, event, with_needle, distance };
struct posterior {
  double mean[5], width[5];
  enum last_component last;
};
static int posterior(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct posterior *of = userdata;
  double s = 0, r = 0;
  for (int j = 0; j < ndim; ++j) {
    const double t = (x[j] - of->mean[j]) / of->width[j], u = t / 0.2 - 3;
    s += t * t;
    r += u * u;
  }
  const double p = exp(-0.5 * s), last = x[ndim - 1];
  for (int j = 0; j < ndim; ++j) f[j] = x[j] * p;
  f[ndim] = x[0] * x[1] * p;
  f[ndim + 1] = last * last * p;
  f[ndim + 2] = p;
  switch (of->last) {
    case first_moment:
      f[ndim + 3] = last * p;
      break;
    case event:
      f[ndim + 3] = last > of->mean[ndim - 1] + of->width[ndim - 1] ? p : 0;
      break;
    case with_needle:
      f[ndim + 3] = last * p + exp(-0.5 * r);
      break;
    default:
      f[ndim + 3] = fabs(last - of->mean[ndim - 1]) * p;
  }
  return ncomp - ndim - 4;
}
static void put_posterior(struct posterior *of, int ndim, enum last_component last, double *exact) {
  const double pi = acos(-1.0);
  double mass = 1;
  of->last = last;
  for (int j = 0; j < ndim; ++j) {
    of->mean[j] = 0.9 - 0.45 * j;
    of->width[j] = 0.3 + 0.1 * j;
    mass *= of->width[j] * sqrt(2 * pi);
  }
  const double mean = of->mean[ndim - 1], width = of->width[ndim - 1];
  for (int j = 0; j < ndim; ++j) exact[j] = of->mean[j] * mass;
  exact[ndim] = of->mean[0] * of->mean[1] * mass;
  exact[ndim + 1] = (mean * mean + width * width) * mass;
  exact[ndim + 2] = mass;
  switch (last) {
    case first_moment:
      exact[ndim + 3] = mean * mass;
      break;
    case event:
      exact[ndim + 3] = 0.5 * erfc(sqrt(0.5)) * mass;
      break;
    case with_needle:
      exact[ndim + 3] = (mean + pow(0.2, ndim)) * mass;
      break;
    default:
      exact[ndim + 3] = width * sqrt(2 / pi) * mass;
  }
}
static void test_moments(void **state) {
  (void)state;
  for (int n = 3; n <= (sanitized ? 3 : 5); ++n)
    for (int i = 0; i < 16; i += sanitized ? 3 : 1) {
      struct posterior of;
      double exact[9], value[9], error[9];
      const enum last_component last = (enum last_component)(i / 4);
      if (last != first_moment && (n > 3 || i % 4 > 1)) continue;
      put_posterior(&of, n, last, exact);
      tessera_solver *s = solver_of(n, n + 4);
      put_point(s, posterior, &of);
      if (i % 2)
        put_cube(s, n, -8, 9.5);
      else
        put_cube(s, n, -(double)INFINITY, (double)INFINITY);
      const double reltol = i % 4 < 2 ? 1e-4 : 1e-6, abstol = 0.1 * reltol * exact[n + 2];
      put_real(s, TESSERA_RELTOL, reltol);
      put_real(s, TESSERA_ABSTOL, abstol);
      put_int(s, TESSERA_MAXEVAL, 1000000); /* in five variables regions alone need more than 4e6 for 1e-4 */
      put_int(s, TESSERA_SELECTION, i % 2 ? TESSERA_SELECT_BULK : TESSERA_SELECT_WORST_FIRST);
      const int status = tessera_integrate(s, TESSERA_CUBATURE, value, error);
      print_message("  %d variables, last component %d: status %d, %lld evaluations, used %lld\n", n, (int)last, status,
                    (long long)got_int(s, TESSERA_EVALUATIONS), (long long)got_int(s, TESSERA_SPARSE_USED));
      if (last == first_moment) assert_status(s, status, TESSERA_OK);
      assert_true(status == TESSERA_OK || status == TESSERA_LIMIT_EVALUATIONS);
      for (int k = 0; k < n + 4 && status == TESSERA_OK; ++k) assert_close(value[k], exact[k], reltol, abstol);
      tessera_destroy(s);
    }
}

/* Student's t: of squares the mean is far out in the tails where there are few degrees of freedom, and with two there is none. */
static int student(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double freedom = *(const double *)userdata;
  f[0] = 1;
  for (int j = 0; j < ndim; ++j) {
    const double t = (x[j] - 0.3) / 0.8;
    f[0] *= pow(1 + t * t / freedom, -0.5 * (freedom + 1));
  }
  f[1] = x[0] * f[0];
  f[2] = x[0] * x[0] * f[0];
  return ncomp - 3;
}
static void test_moments_of_heavy_tails(void **state) {
  static const double freedoms[] = {2, 2.2, 7};
  (void)state;
  for (int i = 0; i < 3; ++i) {
    double freedom = freedoms[i], value[3], error[3];
    const double width = 0.8 * sqrt(freedom * acos(-1.0)) * exp(lgamma(0.5 * freedom) - lgamma(0.5 * (freedom + 1)));
    tessera_solver *s = solver_of(3, 3);
    put_point(s, student, &freedom);
    put_cube(s, 3, -(double)INFINITY, (double)INFINITY);
    put_real(s, TESSERA_RELTOL, 1e-2);
    put_int(s, TESSERA_MAXEVAL, 1000000);
    const int status = tessera_integrate(s, TESSERA_CUBATURE, value, error);
    if (i == 0) assert_true(status > 0);
    if (i == 2) assert_status(s, status, TESSERA_OK);
    if (status == TESSERA_OK) {
      const double mass = pow(width, 3);
      assert_close(value[0], mass, 1e-2, 0);
      assert_close(value[1], 0.3 * mass, 1e-2, 0);
      assert_close(value[2], (0.09 + 0.64 * freedom / (freedom - 2)) * mass, 1e-2, 0);
    }
    tessera_destroy(s);
  }
}

/* Peaks in a corner, wider than lines through them are: 1 over a power of a sum, and a second one that is narrow, as much of it as the user data say. */
static const double slopes[] = {5, -3, 4, 8, -2, 7, -6, 1};
static int corner(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 1, r = 0;
  (void)ncomp;
  for (int j = 0; j < ndim; ++j) {
    s += slopes[j] > 0 ? slopes[j] * x[j] : slopes[j] * (x[j] - 1);
    r += (x[j] - 0.6) * (x[j] - 0.6);
  }
  f[0] = pow(s, -ndim - 1) + *(const double *)userdata * exp(-450 * r);
  return 0;
}
static double of_corner(int ndim) {
  long double sum = 0, scale = 1;
  for (int vertex = 0; vertex < 1 << ndim; ++vertex) {
    long double s = 1, sign = 1;
    for (int j = 0; j < ndim; ++j)
      if (vertex >> j & 1) s += fabs(slopes[j]), sign = -sign;
    sum += sign / s;
  }
  for (int j = 0; j < ndim; ++j) scale *= (j + 1) * fabs(slopes[j]);
  return (double)(sum / scale);
}
static void test_wide_peaks(void **state) {
  (void)state;
  const int ndim = sanitized ? 4 : 8;
  tessera_solver *s = solver_of(ndim, 1);
  put_int(s, TESSERA_MAXEVAL, 20000000);
  double height = 0;
  put_point(s, corner, &height);
  put_real(s, TESSERA_RELTOL, sanitized ? 1e-4 : 1e-5);
  struct answer a = integrate(s);
  print_message("  corner: status %d, %lld evaluations, used %lld, error %.1e\n", a.status, (long long)a.evaluations,
                (long long)got_int(s, TESSERA_SPARSE_USED), fabs(a.value / of_corner(ndim) - 1));
  assert_int_equal(a.status, TESSERA_OK);
  assert_true(fabs(a.value - of_corner(ndim)) <= a.error);
  if (!sanitized) { /* regions alone make 4e7 evaluations */
    assert_true(a.evaluations < 15000000);
    assert_int_equal(got_int(s, TESSERA_SPARSE_USED), 1);
  }
  put_int(s, TESSERA_MAXEVAL, 3000000);
  for (int power = 1; power <= 5; power += 2) {
    height = of_corner(ndim) * pow(450 / 3.14159265358979323846, ndim / 2.0) * pow(10, -power);
    put_real(s, TESSERA_RELTOL, pow(10, -power - 1));
    a = integrate(s);
    const double exact = of_corner(ndim) * (1 + pow(10, -power));
    const int by_grid = a.status == TESSERA_OK && got_int(s, TESSERA_SPARSE_USED) == 1;
    if (by_grid) /* regions may miss such a peak by themselves: docs/methods.md, "What remains" */
      assert_true(fabs(a.value - exact) <= pow(10, -power - 1) * exact);
  }
  tessera_destroy(s);
}

static void test_threads(void **state) {
  (void)state;
  assert_same_answer(run("f1_5d", 1e-8, TESSERA_SPARSE_AUTO, 1000000, 1),
                     run("f1_5d", 1e-8, TESSERA_SPARSE_AUTO, 1000000, 3));
  assert_same_answer(run("f1_5d", 1e-9, TESSERA_SPARSE_ALONE, 1000000, 1),
                     run("f1_5d", 1e-9, TESSERA_SPARSE_ALONE, 1000000, 3));
}

/* A step behind a smooth function, in a corner: what a sparse grid does not see, the regions do. */
static int step_in_corner(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0, r = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < ndim; ++j) s += x[j] / (j + 1), r += (1 - x[j]) * (1 - x[j]);
  f[0] = cos(s) + (r < 0.09 ? 1 : 0);
  return 0;
}
/* A bell a fiftieth as wide as the domain on a smooth ground. */
static int bell_on_ground(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double *centre = userdata;
  double s = 0, r = 0;
  (void)ncomp;
  for (int j = 0; j < ndim; ++j) s += x[j] / (j + 2), r += (x[j] - centre[j]) * (x[j] - centre[j]);
  f[0] = cos(s) + 2e3 * exp(-1250 * r);
  return 0;
}

static void test_not_smooth(void **state) {
  (void)state;
  enum { ndim = 4 };
  static const double centres[][ndim] = {{0.31, 0.77, 0.42, 0.64}, {0.5, 0.5, 0.5, 0.5}, {0.9, 0.1, 0.85, 0.2}};
  double ground = 0, step;
  for (int m = 0; m < 16; ++m) { /* int cos(sum c_j x_j) over the cube, by corners */
    double at = 0, sign = 1, product = 1;
    for (int j = 0; j < ndim; ++j) {
      const double c = 1.0 / (j + 2);
      product *= c;
      if (m >> j & 1)
        at += c;
      else
        sign = -sign;
    }
    ground += sign * cos(at) / product;
  }
  const double pi = 3.14159265358979323846, bell = 2e3 * pow(pi / 1250, 2);
  tessera_solver *s = solver_of(ndim, 1);
  put_int(s, TESSERA_MAXEVAL, 8000000);
  put_int(s, TESSERA_INITIAL_REGIONS, 4096); /* one region alone may miss the bell */
  for (int i = 0; i < 3; ++i)
    for (int t = 3; t <= 9; t += 3) {
      double c[ndim];
      for (int j = 0; j < ndim; ++j) c[j] = centres[i][j];
      put_point(s, bell_on_ground, c);
      put_real(s, TESSERA_RELTOL, pow(10, -t));
      const struct answer a = integrate(s);
      print_message("  bell %d, 1e-%d: status %d, %lld evaluations, used %lld, error %.1e\n", i, t, a.status,
                    (long long)a.evaluations, (long long)got_int(s, TESSERA_SPARSE_USED),
                    fabs(a.value - ground - bell));
      if (a.status == TESSERA_OK) assert_true(fabs(a.value - ground - bell) <= pow(10, -t) * fabs(ground + bell));
    }
  put_point(s, step_in_corner, NULL);
  put_real(s, TESSERA_RELTOL, 1e-5);
  const struct answer a = integrate(s);
  step = pi * pi / 2 * pow(0.3, 4) / 16;
  double smooth = 0;
  for (int m = 0; m < 16; ++m) {
    double at = 0, sign = 1, product = 1;
    for (int j = 0; j < ndim; ++j) {
      product *= 1.0 / (j + 1);
      if (m >> j & 1)
        at += 1.0 / (j + 1);
      else
        sign = -sign;
    }
    smooth += sign * cos(at) / product;
  }
  print_message("  step: status %d, %lld evaluations, error %.1e\n", a.status, (long long)a.evaluations,
                fabs(a.value - smooth - step));
  assert_int_equal(got_int(s, TESSERA_SPARSE_USED), 0);
  assert_true(fabs(a.value - smooth - step) <= 10 * a.error);
  tessera_destroy(s);
}

/* Components of very different size, infinite and reversed limits. */
static int three(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double s = 0, p = 1;
  (void)userdata;
  assert_int_equal(ncomp, 3);
  for (int j = 0; j < ndim; ++j) s += x[j], p *= 1 + x[j] * x[j];
  f[0] = exp(-s), f[1] = 1e-200 * exp(-2 * s), f[2] = exp(-s) / p * p;
  return 0;
}

static void test_vectors_and_ranges(void **state) {
  (void)state;
  enum { ndim = 3 };
  double value[3], error[3];
  const double e1 = 1 - exp(-1.0), e2 = (1 - exp(-2.0)) / 2;
  const double lower[ndim] = {1, 0, 0}, upper[ndim] = {0, 1, 1}, zero[ndim] = {0, 0, 0},
               most[ndim] = {INFINITY, INFINITY, 1};
  tessera_solver *s = solver_of(ndim, 3);
  put_point(s, three, NULL);
  put_real(s, TESSERA_RELTOL, 1e-12);
  put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_ALONE);
  assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  assert_close(value[0], -e1 * e1 * e1, 1e-12, 0);
  assert_close(value[1], -1e-200 * e2 * e2 * e2, 1e-12, 0);
  assert_close(value[2], -e1 * e1 * e1, 1e-12, 0);
  assert_status(s, tessera_set_domain(s, zero, most), TESSERA_OK);
  put_real(s, TESSERA_RELTOL, 1e-6);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  assert_close(value[0], e1, 1e-6, 0);
  assert_close(value[1], 1e-200 / 4 * e2, 1e-6, 0);
  assert_int_equal(got_int(s, TESSERA_SPARSE_USED), 1);
  tessera_destroy(s);
}

/* ---- Ends ------------------------------------------------------------------------------------------------------------ */
struct script {
  int64_t calls, stop_at, nan_at;
};
static int scripted(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  struct script *p = userdata;
  double s = 0;
  (void)ncomp;
  for (int j = 0; j < ndim; ++j) s += (j + 1) * x[j];
  f[0] = cos(s);
  ++p->calls;
  if (p->calls == p->nan_at) f[0] = NAN;
  return p->calls == p->stop_at ? 5 : 0;
}

static int stop_progress(int64_t evaluations, int ncomp, const double *value, const double *error, int64_t remaining,
                         void *userdata) {
  (void)ncomp, (void)value, (void)error, (void)remaining;
  return evaluations > *(int64_t *)userdata;
}

static void test_ends(void **state) {
  (void)state;
  struct script p = {0, 0, 0};
  tessera_solver *s = solver_of(5, 1);
  put_point(s, scripted, &p);
  put_real(s, TESSERA_RELTOL, 1e-12);
  for (int sparse = TESSERA_SPARSE_AUTO; sparse <= TESSERA_SPARSE_ALONE; sparse += 2) {
    put_int(s, TESSERA_SPARSE, sparse);
    put_int(s, TESSERA_MAXEVAL, 60000);
    p = (struct script){0, 0, 0};
    struct answer a = integrate(s);
    assert_int_equal(a.status, TESSERA_LIMIT_EVALUATIONS);
    assert_true(a.evaluations <= 60000 && a.evaluations == p.calls);
    const int64_t all = p.calls;
    /* The integrand stops the run at some point, in the grid and in the regions. */
    for (int64_t at = all / 7; at < all; at += all / 7) {
      p = (struct script){0, at, 0};
      a = integrate(s);
      assert_int_equal(a.status, TESSERA_CALLBACK_STOPPED);
      assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 5);
      assert_says(a.sentence, "returned 5");
      assert_int_equal(p.calls, at);
    }
    if (sparse == TESSERA_SPARSE_ALONE) {
      p = (struct script){0, 0, all / 2};
      a = integrate(s);
      assert_int_equal(a.status, TESSERA_NONFINITE);
      assert_says(a.sentence, "component 1 of the integrand is");
    } else { /* the regions go on without the grid */
      p = (struct script){0, 0, 20300};
      a = integrate(s);
      assert_int_equal(a.status, TESSERA_LIMIT_EVALUATIONS);
      assert_int_equal(got_int(s, TESSERA_SPARSE_USED), 0);
      assert_in_range(got_int(s, TESSERA_SPARSE_EVALUATIONS), 0, 1000);
    }
    int64_t limit = 30000;
    p = (struct script){0, 0, 0};
    put_real(s, TESSERA_PROGRESS_SECONDS, 0);
    assert_status(s, tessera_set_progress(s, stop_progress, &limit), TESSERA_OK);
    a = integrate(s);
    assert_int_equal(a.status, TESSERA_STOPPED);
    assert_true(a.evaluations > limit && isfinite(a.value));
    assert_status(s, tessera_set_progress(s, NULL, NULL), TESSERA_OK);
  }
  tessera_destroy(s);
}

static int nothing(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp, (void)userdata;
  f[0] = 0;
  return 0;
}

/* Where it has no part. */
static void test_options(void **state) {
  (void)state;
  const struct suite_case *c = suite_find("f1_5d");
  tessera_solver *s = solver_of(5, 1);
  assert_int_equal(tessera_set_int(s, TESSERA_SPARSE, 3), TESSERA_ERR_RANGE);
  put_real(s, TESSERA_RELTOL, 1e-9);
  put_int(s, TESSERA_MAXEVAL, 200000);
  put_point(s, c->fn, NULL);
  put_int(s, TESSERA_ESTIMATE, TESSERA_ESTIMATE_CLASSIC);
  assert_int_equal(integrate(s).status, TESSERA_LIMIT_EVALUATIONS);
  assert_int_equal(got_int(s, TESSERA_SPARSE_EVALUATIONS), 0);
  put_int(s, TESSERA_ESTIMATE, TESSERA_ESTIMATE_ROBUST);
  assert_int_equal(integrate(s).status, TESSERA_OK);
  assert_int_equal(got_int(s, TESSERA_SPARSE_USED), 1);
  put_point(s, nothing, NULL);
  put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_ALONE);
  const struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_ALL_ZERO);
  assert_int_equal(a.regions, 0);
  tessera_destroy(s);
}

/* A peak on two of four axes that no point of a low level meets: what lies on the other axis is next to nothing in the middle of the domain, and all in the peak. */
static int beside_the_middle(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double t = (x[1] - 0.67204873398471843) / 0.028885318109981985,
               u = (x[3] - 0.062000569678626709) / 0.13873967650829491;
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = 0.22444004831922026 + exp(-t * t - u * u) / (0.028885318109981985 * 0.13873967650829491);
  return 0;
}
static void test_beside_the_middle(void **state) {
  (void)state;
  const double exact = 2.5376047600315; /* 0.2244... + pi/4 times two sums of erf */
  for (int policy = TESSERA_SPARSE_AUTO; policy <= TESSERA_SPARSE_ALONE; policy += TESSERA_SPARSE_ALONE)
    for (double tolerance = 1e-5; tolerance > 1e-10; tolerance /= 10) {
      tessera_solver *s = solver_of(4, 1);
      put_point(s, beside_the_middle, NULL);
      put_int(s, TESSERA_SPARSE, policy);
      put_int(s, TESSERA_MAXEVAL, 300000);
      put_real(s, TESSERA_RELTOL, tolerance);
      const struct answer a = integrate(s);
      assert_true(fabs(a.value - exact) <= a.error + 1e-13);
      tessera_destroy(s);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_smooth),
      cmocka_unit_test(test_rough),
      cmocka_unit_test(test_product_peaks),
      cmocka_unit_test(test_narrow_product),
      cmocka_unit_test(test_beside_the_middle),
      cmocka_unit_test(test_normal_densities),
      cmocka_unit_test(test_moments),
      cmocka_unit_test(test_moments_of_heavy_tails),
      cmocka_unit_test(test_needles_in_the_mass),
      cmocka_unit_test(test_wide_peaks),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_not_smooth),
      cmocka_unit_test(test_vectors_and_ranges),
      cmocka_unit_test(test_ends),
      cmocka_unit_test(test_options),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
