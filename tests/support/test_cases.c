/* The cases themselves: are the exact values and the integrands what they say?
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stddef.h>

#include "cases.h"
#include "close.h"

/* ---- Genz's families against values computed elsewhere -----------------------------------------------------------------
 * Closed forms evaluated with 30 digits, independently of cases.c; a and u fixed at six decimals. */
struct reference {
  const char *name;
  struct genz g;
};

static const struct reference references[] = {
    {"genz2_2d", {2, 2, {42.857143, 107.142857}, {0.35, 0.05}, 41129.2584930480223353423855489}},
    {"genz4_2d", {4, 2, {14.285714, 35.714286}, {0.35, 0.05}, 0.00612193957694922595066568492843}},
    {"genz4_3d", {4, 3, {8.333333, 20.833333, 4.166667}, {0.35, 0.05, 0.75}, 0.00665243728716198189101047452732}},
    {"genz1_5d",
     {1,
      5,
      {1.035653, 2.589131, 0.517826, 2.071305, 3.624784},
      {0.35, 0.05, 0.75, 0.45, 0.15},
      0.209738387474835545649005826008}},
    {"genz3_5d",
     {3,
      5,
      {2.526316, 6.315789, 1.263158, 5.052632, 8.842105},
      {0.35, 0.05, 0.75, 0.45, 0.15},
      4.26962624712779549006001780430e-6}},
    {"genz6_5d",
     {6,
      5,
      {0.421053, 1.052632, 0.210526, 0.842105, 1.473684},
      {0.35, 0.05, 0.75, 0.45, 0.15},
      0.0772081827284904326165764824535}},
    {"genz1_8d",
     {1,
      8,
      {0.324091, 0.810227, 0.162045, 0.648181, 1.134317, 0.486136, 0.972272, 0.324091},
      {0.35, 0.05, 0.75, 0.45, 0.15, 0.85, 0.55, 0.25},
      -0.0703939264883279859415078466908}},
    {"genz4_8d",
     {4,
      8,
      {0.833333, 2.083333, 0.416667, 1.666667, 2.916667, 1.25, 2.5, 0.833333},
      {0.35, 0.05, 0.75, 0.45, 0.15, 0.85, 0.55, 0.25},
      0.0696283677532393536715095400993}},
    {"genz6_8d",
     {6,
      8,
      {0.104167, 0.260417, 0.052083, 0.208333, 0.364583, 0.15625, 0.3125, 0.104167},
      {0.35, 0.05, 0.75, 0.45, 0.15, 0.85, 0.55, 0.25},
      0.0330806612691029067001666691607}},
    {"genz2_10d",
     {2,
      10,
      {0.333333, 0.833333, 0.166667, 0.666667, 1.166667, 0.5, 1.0, 0.333333, 0.833333, 0.166667},
      {0.35, 0.05, 0.75, 0.45, 0.15, 0.85, 0.55, 0.25, 0.95, 0.65},
      3.40587185649905363832959545855e-7}},
    {"genz3_10d",
     {3,
      10,
      {0.333333, 0.833333, 0.166667, 0.666667, 1.166667, 0.5, 1.0, 0.333333, 0.833333, 0.166667},
      {0.35, 0.05, 0.75, 0.45, 0.15, 0.85, 0.55, 0.25, 0.95, 0.65},
      2.12791391017425303894361025650e-6}},
    {"genz6_10d",
     {6,
      10,
      {0.055556, 0.138889, 0.027778, 0.111111, 0.194444, 0.083333, 0.166667, 0.055556, 0.138889, 0.027778},
      {0.35, 0.05, 0.75, 0.45, 0.15, 0.85, 0.55, 0.25, 0.95, 0.65},
      0.0266482472761444822196179251303}},
    {"genz5_15d",
     {5,
      15,
      {0.022989, 0.057471, 0.011494, 0.045977, 0.08046, 0.034483, 0.068966, 0.022989, 0.057471, 0.011494, 0.045977,
       0.08046, 0.034483, 0.068966, 0.022989},
      {0.35, 0.05, 0.75, 0.45, 0.15, 0.85, 0.55, 0.25, 0.95, 0.65, 0.35, 0.05, 0.75, 0.45, 0.15},
      0.795573263483298741943258441907}},
    {"genzNR3_10d",
     {3,
      10,
      {0.102778, 0.256944, 0.051389, 0.205556, 0.359722, 0.154167, 0.308333, 0.102778, 0.256944, 0.051389},
      {0.35, 0.05, 0.75, 0.45, 0.15, 0.85, 0.55, 0.25, 0.95, 0.65},
      0.00155476045372396253481246617446}},
    {"genzNR6_10d",
     {6,
      10,
      {0.238889, 0.597222, 0.119444, 0.477778, 0.836111, 0.358333, 0.716667, 0.238889, 0.597222, 0.119444},
      {0.35, 0.05, 0.75, 0.45, 0.15, 0.85, 0.55, 0.25, 0.95, 0.65},
      0.113829335922235039539924662664}},
    {"genzHD1_30d",
     {1,
      30,
      {2.0,      1.0,      0.666667, 0.5,      0.4,      0.333333, 0.285714, 0.25,     0.222222, 0.2,
       0.181818, 0.166667, 0.153846, 0.142857, 0.133333, 0.125,    0.117647, 0.111111, 0.105263, 0.1,
       0.095238, 0.090909, 0.086957, 0.083333, 0.08,     0.076923, 0.074074, 0.071429, 0.068966, 0.066667},
      {0.35, 0.05, 0.75, 0.45, 0.15, 0.85, 0.55, 0.25, 0.95, 0.65, 0.35, 0.05, 0.75, 0.45, 0.15,
       0.85, 0.55, 0.25, 0.95, 0.65, 0.35, 0.05, 0.75, 0.45, 0.15, 0.85, 0.55, 0.25, 0.95, 0.65},
      0.756490377850547806813677808581}},
};

static void genz_values_are_those_of_the_reference(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof references / sizeof references[0]; ++i) {
    const struct reference *r = &references[i];
    print_message("           %s\n", r->name);
    assert_close(genz_exact(&r->g), r->g.exact, 1e-15, 0);
  }
}

/* Sum over corners; good for few variables only. */
static double corner_peak_by_corners(const struct genz *g) {
  long double sum = 0, factor = 1;
  for (int v = 0; v < 1 << g->ndim; ++v) {
    long double s = 1;
    int sign = 1;
    for (int i = 0; i < g->ndim; ++i) {
      if (v >> i & 1) s += g->a[i], sign = -sign;
    }
    sum += sign / s;
  }
  for (int i = 0; i < g->ndim; ++i) factor *= (i + 1) * (long double)g->a[i];
  return (double)(sum / factor);
}

static void corner_peak_agrees_with_the_sum_over_corners(void **state) {
  (void)state;
  for (int ndim = 1; ndim <= 4; ++ndim) {
    struct genz g;
    genz_make(GENZ_CORNER_PEAK, ndim, 7, &g);
    assert_close(g.exact, corner_peak_by_corners(&g), 1e-14, 0);
  }
}

static void random_instances_have_the_wanted_difficulty(void **state) {
  static const double wanted[] = {110 / 11.180339887498949, 600.0 / 25, 600.0 / 25, 100.0 / 5, 150.0 / 25, 100.0 / 25};
  (void)state;
  for (int family = 1; family <= 6; ++family) {
    struct genz g, again, other;
    double sum = 0;
    genz_make(family, 5, 1, &g);
    genz_make(family, 5, 1, &again);
    genz_make(family, 5, 2, &other);
    for (int i = 0; i < 5; ++i) {
      sum += g.a[i];
      assert_true(g.a[i] > 0 && g.u[i] > 0 && g.u[i] < 1);
    }
    assert_close(sum, wanted[family - 1], 1e-14, 0);
    assert_same_bits(g.exact, again.exact);
    assert_true(g.exact != other.exact);
    assert_true(isfinite(g.exact));
  }
}

/* First outputs of splitmix64 for seed 0, as its authors' program prints them. */
static void splitmix_gives_its_known_answers(void **state) {
  uint64_t s = 0;
  (void)state;
  assert_true(splitmix64(&s) == UINT64_C(0xe220a8397b1dcdaf));
  assert_true(splitmix64(&s) == UINT64_C(0x6e789e6aa1b965f4));
  assert_true(splitmix64(&s) == UINT64_C(0x06c45d188009454f));
}

/* ---- Integrands against exact values, by the midpoint rule in two dimensions -------------------------------------------- */
static double midpoint(point_integrand fn, void *userdata) {
  enum { n = 1000 };
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double x[2] = {(i + 0.5) / n, (j + 0.5) / n};
      double f = NAN;
      if (fn(2, x, 1, &f, userdata) != 0) return NAN;
      sum += f;
    }
  }
  return sum / ((double)n * n);
}

static void genz_integrands_have_their_exact_values(void **state) {
  (void)state;
  for (int family = 1; family <= 6; ++family) {
    struct genz g = {.family = family, .ndim = 2, .a = {3, 2}, .u = {0.35, 0.05}}; /* kinks and jumps between points */
    assert_close(midpoint(genz_point, &g), genz_exact(&g), 1e-5, 0);
  }
}

/* ---- The PAGANI suite --------------------------------------------------------------------------------------------------
 * The formulas behind the table, in long double. */
static long double formula(point_integrand fn, int d) {
  const long double pi = 3.14159265358979323846264338327950288L;
  long double p = 1;
  if (fn == suite_f1) {
    for (int k = 1; k <= d; ++k) p *= sinl(k / 2.0L) / (k / 2.0L);
    return p * cosl(d * (d + 1) / 4.0L);
  }
  if (fn == suite_f2) return powl(100 * atanl(25), d);
  if (fn == suite_f3) {
    long double sum = 0, factor = 1;
    for (int v = 0; v < 1 << d; ++v) {
      int s = 1, sign = 1;
      for (int i = 0; i < d; ++i) {
        if (v >> i & 1) s += i + 1, sign = -sign;
      }
      sum += (long double)sign / s;
    }
    for (int i = 1; i <= d; ++i) factor *= (long double)i * i;
    return sum / factor;
  }
  if (fn == suite_f4) return powl(sqrtl(pi) / 25 * erfl(12.5L), d);
  if (fn == suite_f5) return powl(-expm1l(-5) / 5, d);
  if (fn == suite_f6) {
    for (int i = 1; i <= d; ++i) p *= expm1l((i + 4) * (3 + i) / 10.0L) / (i + 4);
    return p;
  }
  if (fn == suite_f7) { /* m[k] = E (sum of squares)^k / k!, one coordinate more at a time; E x^2k = 1/(2k+1) */
    long double m[12] = {1}, factorial = 1;
    for (int i = 0; i < d; ++i) {
      for (int k = 11; k >= 0; --k) {
        long double sum = 0, one = 1; /* one = 1/(j! (2j+1)) but for the last factor */
        for (int j = 0; j <= k; ++j) {
          if (j > 0) one /= j;
          sum += m[k - j] * one / (2 * j + 1);
        }
        m[k] = sum;
      }
    }
    for (int k = 1; k <= 11; ++k) factorial *= k;
    return m[11] * factorial;
  }
  return NAN;
}

static void suite_values_are_those_of_the_formulas(void **state) {
  (void)state;
  for (int i = 0; i < suite_size; ++i) {
    const struct suite_case *c = &suite[i];
    if (c->fn == suite_f8) continue;
    print_message("           %s\n", c->name);
    /* the alternating sum of f3 cancels most digits of a long double in 8-D */
    assert_close((double)formula(c->fn, c->ndim), c->exact, c->fn == suite_f3 ? 1e-9 : 1e-15, 0);
  }
}

static void suite_integrands_have_their_exact_values(void **state) {
  static const point_integrand fn[] = {suite_f1, suite_f2, suite_f3, suite_f4, suite_f5, suite_f6, suite_f7};
  (void)state;
  for (size_t i = 0; i < sizeof fn / sizeof fn[0]; ++i) {
    assert_close(midpoint(fn[i], NULL), (double)formula(fn[i], 2), 1e-4, 0);
  }
}

static void f8_is_the_root_of_the_fifteenth_power(void **state) {
  const double x[3] = {0.25, 0.5, 0.75};
  double f7, f8;
  (void)state;
  suite_f7(3, x, 1, &f7, NULL);
  suite_f8(3, x, 1, &f8, NULL);
  assert_close(f7, pow(0.875, 11), 1e-15, 0);
  assert_close(f8 * f8, pow(0.875, 15), 1e-15, 0);
}

/* ---- The comparison itself --------------------------------------------------------------------------------------------- */
static void comparison_refuses_what_it_should(void **state) {
  (void)state;
  assert_true(close_enough(1, 1, 0, 0));
  assert_true(close_enough(1 + 1e-8, 1, 1e-7, 0));
  assert_true(close_enough(1e-9, 0, 0, 1e-8));
  assert_true(close_enough(INFINITY, INFINITY, 0, 0));
  assert_false(close_enough(1 + 1e-8, 1, 1e-14, 1e-14));
  assert_false(close_enough(NAN, 1, 1, 1));
  assert_false(close_enough(1, NAN, 1, 1));
  assert_false(close_enough(1, 1, NAN, 0));
  assert_false(close_enough(INFINITY, 1, 1, 1));
  assert_false(close_enough(1, INFINITY, 1, 1));
  assert_true(ulp_distance(1, 1) == 0);
  assert_true(ulp_distance(1, nextafter(1, 2)) == 1);
  assert_true(ulp_distance(nextafter(0, -1), nextafter(0, 1)) == 2);
  assert_true(ulp_distance(NAN, 1) == UINT64_MAX);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(genz_values_are_those_of_the_reference),
      cmocka_unit_test(corner_peak_agrees_with_the_sum_over_corners),
      cmocka_unit_test(random_instances_have_the_wanted_difficulty),
      cmocka_unit_test(splitmix_gives_its_known_answers),
      cmocka_unit_test(genz_integrands_have_their_exact_values),
      cmocka_unit_test(suite_values_are_those_of_the_formulas),
      cmocka_unit_test(suite_integrands_have_their_exact_values),
      cmocka_unit_test(f8_is_the_root_of_the_fifteenth_power),
      cmocka_unit_test(comparison_refuses_what_it_should),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
