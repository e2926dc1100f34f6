/* ADAPT as a caller in C sees it. Numbers named "ADAPT" were counted in runs of the routine of MVNPACK itself.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tessera_adapt.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "close.h"

#ifdef __SANITIZE_ADDRESS__
enum { sanitized = 1 };
#else
enum { sanitized = 0 };
#endif

enum { most_ndim = 16 };

/* One call's arguments, by value. The array is exactly as long as lenwrk says. */
struct call {
  tessera_adapt_int ndim, mincls, maxcls, lenwrk, inform;
  double absreq, relreq, absest, finest;
  double *work;
};

static int rule_calls(int n) { return n <= 1 ? 9 : n < 12 ? (1 << n) + 2 * n * (n + 2) + 1 : 1 + 2 * n * (1 + 2 * n); }
static int least_lenwrk(int n) { return n == 1 ? 38 : 16 * n + 27; }
static int ample_lenwrk(int n, int maxcls) {
  return (3 * n + 3) * (2 + maxcls / (2 * rule_calls(n) + 4 * n + 1)) + least_lenwrk(n);
}

static struct call make(int ndim, int maxcls) {
  struct call c;
  memset(&c, 0, sizeof c);
  c.ndim = ndim;
  c.maxcls = maxcls;
  c.lenwrk = ample_lenwrk(ndim, maxcls);
  c.relreq = 1e-6;
  c.inform = -7;
  c.absest = -8;
  c.finest = -9;
  return c;
}

static void start(struct call *c) {
  c->work = malloc((size_t)(c->lenwrk > 0 ? c->lenwrk : 1) * sizeof *c->work);
  assert_non_null(c->work);
  for (int i = 0; i < c->lenwrk; ++i) c->work[i] = 0.25 * i + 3;
}
static void go(struct call *c, tessera_adapt_functn f) {
  adapt_(&c->ndim, &c->mincls, &c->maxcls, f, &c->absreq, &c->relreq, &c->lenwrk, c->work, &c->absest, &c->finest,
         &c->inform);
}
static void run(struct call *c, tessera_adapt_functn f) {
  start(c);
  go(c, f);
  free(c->work);
  c->work = NULL;
}

/* ---- Integrands ------------------------------------------------------------------------------------------------------------ */
static int calls; /* of any of them */
static double outermost;

static int calls_now(void) { return __atomic_load_n(&calls, __ATOMIC_RELAXED); }
static void count(void) { __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED); }

static double wave(const tessera_adapt_int *n, const double *z) {
  double s = 1;
  count();
  for (int j = 0; j < *n; ++j) s += (j + 1) * z[j];
  return cos(s);
}
static double peaks(const tessera_adapt_int *n, const double *z) {
  double p = 1;
  count();
  for (int j = 0; j < *n; ++j) p /= 0.04 + (z[j] - 0.3 - 0.05 * j) * (z[j] - 0.3 - 0.05 * j);
  return p;
}
static double corner(const tessera_adapt_int *n, const double *z) {
  double s = 1;
  count();
  for (int j = 0; j < *n; ++j) s += (j + 1) * z[j] / *n;
  return pow(s, -*n - 1);
}
static double bell(const tessera_adapt_int *n, const double *z) {
  double s = 0;
  count();
  for (int j = 0; j < *n; ++j) s += 9 * (z[j] - 0.4 - 0.03 * j) * (z[j] - 0.4 - 0.03 * j);
  return exp(-s);
}
static double ridges(const tessera_adapt_int *n, const double *z) {
  double s = 0;
  count();
  for (int j = 0; j < *n; ++j) s += 2 * fabs(z[j] - 0.37 - 0.04 * j);
  return exp(-s);
}
static double watched_bell(const tessera_adapt_int *n, const double *z) {
  for (int j = 0; j < *n; ++j) outermost = fmax(outermost, fabs(z[j] - 0.5));
  return bell(n, z);
}
static double exact_bell(int n) {
  double p = 1;
  for (int j = 0; j < n; ++j) {
    const double u = 0.4 + 0.03 * j;
    p *= sqrt(acos(-1.0)) / 6 * (erf(3 * (1 - u)) + erf(3 * u));
  }
  return p;
}

static double polynomial_power; /* of the first two coordinates */
static double polynomial(const tessera_adapt_int *n, const double *z) {
  double p = 1;
  count();
  for (int j = 0; j < *n && j < 2; ++j) p *= pow(z[j], polynomial_power);
  return p;
}
static double zero(const tessera_adapt_int *n, const double *z) {
  (void)n, (void)z;
  count();
  return 0;
}
static double never(const tessera_adapt_int *n, const double *z) {
  (void)n, (void)z;
  abort();
}
static double nan_beyond(const tessera_adapt_int *n, const double *z) {
  count();
  return z[0] > 0.97 ? NAN : bell(n, z);
}
static double infinite_at_centre(const tessera_adapt_int *n, const double *z) {
  double s = 0;
  count();
  for (int j = 0; j < *n; ++j) s += fabs(z[j] - 0.5);
  return 1 / s;
}

/* ---- The rule -------------------------------------------------------------------------------------------------------------- */
static void test_number_of_calls(void **state) {
  static const int known[] = {9, 21, 39, 65, 103, 161, 255, 417, 711, 1265, 2335, 601, 703, 813};
  (void)state;
  for (int n = 1; n <= 14; ++n) {
    struct call c = make(n, 0);
    c.mincls = 1;
    run(&c, never);
    assert_int_equal(c.inform, 2);
    assert_int_equal(c.mincls, known[n - 1]);
    assert_same_bits(c.finest, -9);
    assert_same_bits(c.absest, -8);
    /* MAXCLS = that number is enough, and passed by the choice of an axis. */
    c = make(n, known[n - 1]);
    c.relreq = 1e6;
    calls = 0;
    outermost = 0;
    run(&c, watched_bell);
    assert_int_equal(c.inform, 0);
    assert_int_equal(c.mincls, known[n - 1] + (n == 1 ? 0 : 4 * n + 1));
    assert_int_equal(calls, c.mincls);
    assert_true(outermost > 0.4 && outermost < 0.5);
  }
}

/* Degree 7 in up to 11 dimensions, for two variables beyond too; one rule, no error. */
static void test_degree(void **state) {
  (void)state;
  for (int n = 1; n <= 13; ++n)
    for (int power = 0; power <= (n == 1 ? 7 : 3); ++power) {
      struct call c = make(n, rule_calls(n));
      polynomial_power = power;
      run(&c, polynomial);
      /* |error| <= what rounding leaves: the weights' sum of magnitudes is some hundred from 12 dimensions on */
      assert_close(c.finest, pow(1.0 / (power + 1), n < 2 ? 1 : 2), n < 12 ? 1e-13 : 1e-11, 0);
      if (power * (n < 2 ? 1 : 2) <= 3) assert_at_most(c.absest, n < 12 ? 1e-13 : 1e-10);
    }
}

/* ---- The same decisions as ADAPT's ----------------------------------------------------------------------------------------- */
struct known_run {
  int f, ndim, mincls, maxcls, lenwrk;
  double relreq;
  int inform, first_calls;
  double finest, absest;
  int again_inform, again_calls; /* MINCLS = -1, MAXCLS/2, RELREQ/100 */
  int all_calls;                 /* of FUNCTN */
};
static const struct known_run known_runs[] = {
    {0, 1, 0, 540, 188, 0.001, 0, 9, 6.782644203268e-02, 6.97825e-09, 0, 0, 9},
    {0, 1, 0, 540, 188, 1e-08, 0, 27, 6.782644201784e-02, 3.82595e-10, 0, 36, 63},
    {0, 1, 180, 540, 188, 1e-05, 0, 180, 6.782644201779e-02, 3.83819e-16, 0, 0, 180},
    {0, 1, 0, 540, 50, 1e-05, 0, 9, 6.782644203268e-02, 6.97825e-09, 0, 18, 27},
    {0, 1, 135, 540, 50, 1e-05, 0, 153, 6.782644201779e-02, 3.27117e-17, 0, 0, 405},
    {0, 1, 0, 540, 38, 1e-05, 0, 9, 6.782644203268e-02, 6.97825e-09, 0, 18, 27},
    {1, 1, 0, 540, 188, 0.001, 0, 45, 1.137631399158e+01, 9.34950e-04, 0, 36, 81},
    {1, 1, 0, 540, 188, 1e-08, 0, 261, 1.137645195446e+01, 9.83879e-08, 1, 270, 531},
    {1, 1, 180, 540, 188, 1e-05, 0, 180, 1.137645195519e+01, 6.31521e-08, 0, 0, 180},
    {1, 1, 0, 540, 50, 1e-05, 0, 81, 1.137647299105e+01, 4.45692e-05, 0, 171, 252},
    {1, 1, 135, 540, 50, 1e-05, 0, 153, 1.137645195519e+01, 5.03494e-09, 0, 0, 405},
    {1, 1, 0, 540, 38, 1e-05, 0, 189, 1.137644953253e+01, 4.13518e-05, 1, 216, 405},
    {4, 1, 0, 540, 188, 0.001, 0, 63, 6.195890266436e-01, 1.09695e-04, 0, 54, 117},
    {4, 1, 0, 540, 188, 1e-08, 0, 207, 6.196160308137e-01, 3.14474e-09, 0, 126, 333},
    {4, 1, 180, 540, 188, 1e-05, 0, 180, 6.195977610547e-01, 3.70584e-06, 0, 72, 252},
    {4, 1, 0, 540, 50, 1e-05, 0, 171, 6.195977611047e-01, 3.72951e-06, 1, 270, 441},
    {4, 1, 135, 540, 50, 1e-05, 0, 153, 6.196144758846e-01, 2.28351e-06, 1, 144, 675},
    {4, 1, 0, 540, 38, 1e-05, 1, 495, 6.196221209198e-01, 1.98027e-04, 1, 207, 702},
    {0, 2, 0, 1260, 293, 0.001, 0, 30, -6.463989784474e-01, 1.57017e-05, 0, 51, 81},
    {0, 2, 0, 1260, 293, 1e-08, 0, 642, -6.463990090810e-01, 6.30211e-09, 1, 621, 1263},
    {0, 2, 420, 1260, 293, 1e-05, 0, 459, -6.463990090985e-01, 1.44560e-08, 0, 0, 459},
    {0, 2, 0, 1260, 77, 1e-05, 0, 81, -6.463990187220e-01, 1.35578e-06, 0, 306, 387},
    {0, 2, 315, 1260, 77, 1e-05, 0, 534, -6.463990090757e-01, 3.43603e-09, 0, 0, 765},
    {0, 2, 0, 1260, 59, 1e-05, 0, 81, -6.463990187220e-01, 1.35578e-06, 0, 264, 345},
    {1, 2, 0, 1260, 293, 0.001, 0, 183, 1.321739078867e+02, 1.11344e-01, 1, 621, 804},
    {1, 2, 0, 1260, 293, 1e-08, 1, 1263, 1.321912558429e+02, 1.61706e-03, 1, 621, 1884},
    {1, 2, 420, 1260, 293, 1e-05, 0, 1101, 1.321922037172e+02, 1.22924e-03, 1, 621, 1722},
    {1, 2, 0, 1260, 77, 1e-05, 1, 1182, 1.321911380446e+02, 4.23752e-03, 1, 540, 1722},
    {1, 2, 315, 1260, 77, 1e-05, 1, 1326, 1.321912037926e+02, 9.38864e-03, 1, 525, 2271},
    {1, 2, 0, 1260, 59, 1e-05, 1, 1029, 1.321918613874e+02, 2.06541e-02, 1, 588, 1617},
    {4, 2, 0, 1260, 293, 0.001, 0, 336, 3.867842322227e-01, 2.88009e-04, 1, 621, 957},
    {4, 2, 0, 1260, 293, 1e-08, 1, 1263, 3.879548303016e-01, 6.26767e-05, 1, 567, 1830},
    {4, 2, 420, 1260, 293, 1e-05, 1, 1245, 3.878877548045e-01, 2.94038e-05, 1, 609, 1854},
    {4, 2, 0, 1260, 77, 1e-05, 1, 1257, 3.880673788350e-01, 6.44227e-05, 1, 441, 1698},
    {4, 2, 315, 1260, 77, 1e-05, 1, 1227, 3.876139225276e-01, 5.42432e-05, 1, 372, 1914},
    {4, 2, 0, 1260, 59, 1e-05, 1, 1389, 3.882136066963e-01, 2.02734e-04, 1, 744, 2133},
    {1, 3, 0, 2340, 399, 0.001, 0, 1053, 1.556109621396e+03, 1.46209e+00, 1, 1105, 2158},
    {1, 3, 0, 2340, 399, 1e-08, 1, 2340, 1.557131347907e+03, 5.30453e-01, 1, 1105, 3445},
    {1, 3, 780, 2340, 399, 1e-05, 1, 2288, 1.556917181477e+03, 4.20137e-01, 1, 1040, 3328},
    {1, 3, 0, 2340, 99, 1e-05, 1, 2353, 1.555951798079e+03, 8.57597e-01, 1, 585, 2938},
    {1, 3, 585, 2340, 99, 1e-05, 1, 2106, 1.556401162927e+03, 2.75865e+00, 1, 1092, 3783},
    {1, 3, 0, 2340, 75, 1e-05, 1, 2353, 1.555474359545e+03, 3.16866e+00, 1, 234, 2587},
    {2, 3, 0, 2340, 399, 0.001, 0, 52, 9.013102238027e-02, 5.36817e-05, 0, 273, 325},
    {2, 3, 0, 2340, 399, 1e-08, 1, 2340, 9.017855974071e-02, 9.40979e-09, 1, 1105, 3445},
    {2, 3, 780, 2340, 399, 1e-05, 0, 793, 9.017833962104e-02, 4.77341e-07, 1, 1105, 1898},
    {2, 3, 0, 2340, 99, 1e-05, 0, 325, 9.017732924462e-02, 5.96892e-07, 1, 1014, 1339},
    {2, 3, 585, 2340, 99, 1e-05, 0, 754, 9.017833962104e-02, 4.77341e-07, 1, 936, 2002},
    {2, 3, 0, 2340, 75, 1e-05, 0, 325, 9.017564043747e-02, 7.86150e-07, 1, 988, 1313},
    {4, 3, 0, 2340, 399, 0.001, 0, 1235, 2.433260767328e-01, 2.17804e-04, 1, 1105, 2340},
    {4, 3, 0, 2340, 399, 1e-08, 1, 2340, 2.441536707200e-01, 1.17722e-04, 1, 1118, 3458},
    {4, 3, 780, 2340, 399, 1e-05, 1, 2327, 2.443671561255e-01, 1.92229e-04, 1, 1118, 3445},
    {4, 3, 0, 2340, 99, 1e-05, 1, 2275, 2.440757377231e-01, 1.39968e-04, 1, 1131, 3406},
    {4, 3, 585, 2340, 99, 1e-05, 1, 1872, 2.445233256136e-01, 3.80540e-04, 1, 936, 3081},
    {4, 3, 0, 2340, 75, 1e-05, 1, 1937, 2.438127131009e-01, 6.43845e-04, 1, 1456, 3393},
    {0, 4, 0, 3900, 511, 0.001, 0, 229, 2.340199511374e-01, 1.23588e-04, 1, 1928, 2157},
    {0, 4, 0, 3900, 511, 1e-08, 1, 3774, 2.342251123379e-01, 5.62028e-06, 1, 1928, 5702},
    {0, 4, 1300, 3900, 511, 1e-05, 1, 3902, 2.342252073914e-01, 5.78113e-06, 1, 1945, 5847},
    {0, 4, 0, 3900, 121, 1e-05, 1, 2966, 2.342230864535e-01, 1.38091e-05, 1, 1832, 4798},
    {0, 4, 975, 3900, 121, 1e-05, 1, 3272, 2.342250446741e-01, 1.14566e-05, 1, 1900, 6147},
    {0, 4, 0, 3900, 91, 1e-05, 1, 3707, 2.342248301793e-01, 1.39729e-05, 1, 2274, 5981},
    {2, 4, 0, 3900, 511, 0.001, 0, 82, 2.966642125050e-02, 3.52692e-06, 1, 1928, 2010},
    {2, 4, 0, 3900, 511, 1e-08, 1, 3774, 2.973811232439e-02, 1.77146e-07, 1, 1928, 5702},
    {2, 4, 1300, 3900, 511, 1e-05, 0, 2562, 2.973809645947e-02, 2.82912e-07, 1, 1928, 4490},
    {2, 4, 0, 3900, 121, 1e-05, 0, 3463, 2.973804770601e-02, 2.79808e-07, 1, 1900, 5363},
    {2, 4, 975, 3900, 121, 1e-05, 1, 3272, 2.973806859984e-02, 3.04519e-07, 1, 1680, 5927},
    {2, 4, 0, 3900, 91, 1e-05, 1, 3707, 2.973789381527e-02, 9.02439e-07, 1, 2274, 5981},
    {1, 5, 0, 6180, 629, 0.001, 1, 6047, 2.172954621065e+05, 2.29945e+03, 1, 2993, 9040},
    {1, 5, 0, 6180, 629, 1e-08, 1, 6047, 2.172954621065e+05, 2.29945e+03, 1, 2993, 9040},
    {1, 5, 2060, 6180, 629, 1e-05, 1, 6179, 2.186549050144e+05, 1.46139e+03, 1, 2766, 8945},
    {1, 5, 0, 6180, 143, 1e-05, 1, 5967, 2.204286382740e+05, 1.51391e+03, 1, 2354, 8321},
    {1, 5, 1545, 6180, 143, 1e-05, 1, 6034, 2.193508681003e+05, 1.72116e+03, 1, 2152, 8907},
    {1, 5, 0, 6180, 107, 1e-05, 1, 3865, 2.129934130256e+05, 6.34614e+03, 1, 336, 4201},
    {3, 5, 0, 6180, 629, 0.001, 1, 6047, 5.887620752008e-02, 8.55560e-05, 1, 2808, 8855},
    {3, 5, 0, 6180, 629, 1e-08, 1, 6047, 5.887620752008e-02, 8.55560e-05, 1, 2808, 8855},
    {3, 5, 2060, 6180, 629, 1e-05, 1, 6179, 5.887600558046e-02, 5.03346e-05, 1, 2766, 8945},
    {3, 5, 0, 6180, 143, 1e-05, 1, 5429, 5.885981612493e-02, 1.39177e-04, 1, 2152, 7581},
    {3, 5, 1545, 6180, 143, 1e-05, 1, 6202, 5.887639446813e-02, 5.49925e-05, 1, 3312, 10235},
    {3, 5, 0, 6180, 107, 1e-05, 1, 3865, 5.884344340592e-02, 2.32697e-04, 1, 336, 4201},
    {2, 6, 0, 9660, 732, 0.001, 0, 2962, 2.186555877849e-03, 1.97954e-06, 1, 4536, 7498},
    {2, 6, 0, 9660, 732, 1e-08, 1, 9580, 2.186522224394e-03, 5.94016e-07, 1, 4214, 13794},
    {2, 6, 3220, 9660, 732, 1e-05, 1, 9622, 2.186519195145e-03, 5.02267e-07, 1, 4561, 14183},
    {2, 6, 0, 9660, 165, 1e-05, 1, 6832, 2.186509351540e-03, 1.60418e-06, 1, 400, 7232},
    {2, 6, 2415, 9660, 165, 1e-05, 1, 7876, 2.186514736198e-03, 1.02160e-06, 1, 4364, 14011},
    {2, 6, 0, 9660, 123, 1e-05, 1, 10255, 2.186645167806e-03, 2.74958e-06, 1, 600, 10855},
    {3, 8, 0, 5838, 371, 0.001, 1, 5685, -1.157136646286e-03, 1.90843e-03, 1, 2667, 8352},
    {3, 8, 0, 5838, 371, 1e-08, 1, 5685, -1.157136646286e-03, 1.90843e-03, 1, 2667, 8352},
    {0, 11, 0, 32690, 491, 0.001, 1, 30715, 3.367530739980e-02, 7.03063e-01, 1, 14235, 44950},
    {0, 11, 0, 32690, 491, 1e-08, 1, 30715, 3.367530739980e-02, 7.03063e-01, 1, 14235, 44950},
    {0, 11, 10896, 32690, 491, 1e-05, 1, 28560, 3.063241787361e-01, 1.01547e+00, 1, 9520, 38080},
    {0, 11, 0, 32690, 275, 1e-05, 1, 30850, 2.855751603677e-01, 1.15610e+00, 1, 180, 31030},
    {0, 11, 8172, 32690, 275, 1e-05, 1, 28560, 2.855751603677e-01, 1.15610e+00, 1, 180, 28740},
    {0, 11, 0, 32690, 203, 1e-05, 1, 16705, -6.839608144527e-01, 1.72048e+00, 1, 180, 16885},
    {0, 12, 0, 8414, 531, 0.001, 1, 8205, 1.082335435520e+01, 5.33164e+00, 1, 3802, 12007},
    {0, 12, 0, 8414, 531, 1e-08, 1, 8205, 1.082335435520e+01, 5.33164e+00, 1, 3802, 12007},
    {0, 12, 2804, 8414, 531, 1e-05, 1, 7800, 5.552097223234e+00, 4.70434e+00, 1, 3851, 11651},
    {0, 12, 0, 8414, 297, 1e-05, 1, 8352, 7.361486855336e+00, 6.41580e+00, 1, 196, 8548},
    {0, 12, 2103, 8414, 297, 1e-05, 1, 7800, 7.361486855336e+00, 6.41580e+00, 1, 196, 7996},
    {0, 12, 0, 8414, 219, 1e-05, 1, 4599, -1.837615438754e+01, 8.72551e+00, 1, 196, 4795},
    {3, 12, 0, 8414, 531, 0.001, 1, 8205, 9.979312155253e-02, 1.64328e-02, 1, 3802, 12007},
    {3, 12, 0, 8414, 531, 1e-08, 1, 8205, 9.979312155253e-02, 1.64328e-02, 1, 3802, 12007},
    {2, 13, 0, 9842, 571, 0.001, 1, 9563, 8.612627396451e-09, 7.23299e-11, 1, 4483, 14046},
    {2, 13, 0, 9842, 571, 1e-08, 1, 9563, 8.612627396451e-09, 7.23299e-11, 1, 4483, 14046},
    {2, 13, 3280, 9842, 571, 1e-05, 1, 9072, 8.692964197824e-09, 7.11964e-11, 1, 3024, 12096},
    {2, 13, 0, 9842, 319, 1e-05, 1, 8263, 7.784908834256e-09, 8.10445e-11, 1, 212, 8475},
    {2, 13, 2460, 9842, 319, 1e-05, 1, 7613, 7.784908834256e-09, 8.10445e-11, 1, 212, 7825},
    {2, 13, 0, 9842, 235, 1e-05, 1, 5345, 6.465226894080e-09, 9.37594e-11, 1, 212, 5557},
};

static void test_known_runs(void **state) {
  static const tessera_adapt_functn functions[] = {wave, peaks, corner, bell, ridges};
  const int runs = (int)(sizeof known_runs / sizeof *known_runs);
  int same = 0;
  (void)state;
  for (int i = 0; i < runs; ++i) {
    const struct known_run *k = known_runs + i;
    struct call c = make(k->ndim, k->maxcls);
    c.mincls = k->mincls;
    c.lenwrk = k->lenwrk;
    c.relreq = k->relreq;
    calls = 0;
    start(&c);
    go(&c, functions[k->f]);
    const int inform = c.inform, first = c.mincls;
    const int values = close_enough(c.finest, k->finest, 1e-9, 1e-13) &&
                       close_enough(c.absest, k->absest, 1e-3, 1e-11 * fabs(k->finest) + 1e-15);
    c.mincls = -1;
    c.maxcls = k->maxcls / 2;
    c.relreq *= 1e-2;
    go(&c, functions[k->f]);
    free(c.work);
    const int good = values && inform == k->inform && first == k->first_calls && c.inform == k->again_inform &&
                     c.mincls == k->again_calls && calls == k->all_calls;
    if (!good)
      print_message("run %d, f %d, %d-D: values %s, INFORM %d, calls %d; then %d, %d; %d in all\n", i, k->f, k->ndim,
                    values ? "equal" : "different", inform, first, (int)c.inform, (int)c.mincls, calls);
    same += good;
  }
  assert_true(same * 100 >= runs * 98);
}

/* ---- Arguments --------------------------------------------------------------------------------------------------------------- */
static void expect_refusal(struct call c) {
  const int n = c.ndim;
  start(&c);
  go(&c, never);
  assert_int_equal(c.inform, 2);
  if (n >= 1) assert_int_equal(c.mincls, rule_calls(n));
  assert_same_bits(c.finest, -9);
  assert_same_bits(c.absest, -8);
  for (int i = 0; i < c.lenwrk; ++i) assert_same_bits(c.work[i], 0.25 * i + 3);
  free(c.work);
}

static void test_wrong_arguments(void **state) {
  (void)state;
  for (int n = 1; n <= 14; ++n) {
    struct call c = make(n, 10 * rule_calls(n));
    c.mincls = c.maxcls + 1;
    expect_refusal(c);
    c = make(n, rule_calls(n) - 1);
    expect_refusal(c);
    c = make(n, -5);
    c.mincls = -7;
    expect_refusal(c);
    c = make(n, 3 * rule_calls(n) + 4 * n + 1);
    c.lenwrk = least_lenwrk(n) - 1;
    expect_refusal(c);
    ++c.lenwrk;
    c.relreq = 1e6;
    run(&c, bell);
    assert_int_equal(c.inform, 0);
  }
  struct call c = make(2, 1000);
  c.lenwrk = 0;
  expect_refusal(c);
  c.lenwrk = -3;
  expect_refusal(c);
  c = make(2, 1000);
  c.ndim = 0;
  expect_refusal(c);
  c.ndim = INT_MIN;
  expect_refusal(c);
  c.ndim = INT_MAX;
  c.lenwrk = 1;
  start(&c);
  go(&c, never);
  free(c.work);
  assert_int_equal(c.inform, 2);
  /* Literal constants may stand for all that is only read. */
  static const tessera_adapt_int ndim = 2, maxcls = 500, lenwrk = 500;
  static const double absreq = 0, relreq = 1e-3;
  double work[500], absest, finest;
  tessera_adapt_int mincls = 0, inform;
  adapt_(&ndim, &mincls, &maxcls, bell, &absreq, &relreq, &lenwrk, work, &absest, &finest, &inform);
  assert_int_equal(inform, 0);
}

static void test_tolerances(void **state) {
  (void)state;
  struct call c = make(3, 20000);
  c.relreq = 1e-5;
  run(&c, bell);
  assert_int_equal(c.inform, 0);
  assert_at_most(c.absest, 1e-5 * c.finest);
  assert_at_most(fabs(c.finest - exact_bell(3)), c.absest);
  c = make(3, 20000);
  c.relreq = 0;
  c.absreq = 1e-6;
  run(&c, bell);
  assert_int_equal(c.inform, 0);
  assert_at_most(c.absest, 1e-6);
  /* the wider of the two counts */
  c = make(3, 20000);
  c.relreq = 1e-14;
  c.absreq = 1;
  run(&c, bell);
  assert_int_equal(c.mincls, 39 + 13);
  /* both zero, and negative ones: until MAXCLS */
  for (int i = 0; i < 2; ++i) {
    c = make(3, 2000);
    c.relreq = c.absreq = -i;
    run(&c, bell);
    assert_int_equal(c.inform, 1);
    assert_true(c.mincls <= 2000 && c.mincls > 1800);
  }
  /* 0 +- 0 meets a tolerance of zero */
  c = make(3, 2000);
  c.relreq = 0;
  run(&c, zero);
  assert_int_equal(c.inform, 0);
  assert_same_bits(c.finest, 0);
  assert_same_bits(c.absest, 0);
}

static void test_least_calls(void **state) {
  (void)state;
  for (int n = 1; n <= 5; ++n) {
    struct call c = make(n, 50 * rule_calls(n));
    c.mincls = 20 * rule_calls(n);
    c.relreq = 1;
    calls = 0;
    run(&c, bell);
    assert_int_equal(c.inform, 0);
    assert_true(c.mincls >= 20 * rule_calls(n));
    assert_int_equal(c.mincls, calls);
  }
}

static void test_restart(void **state) {
  (void)state;
  struct call whole = make(3, 8000), parts = whole;
  whole.relreq = parts.relreq = 0;
  run(&whole, peaks);
  assert_int_equal(whole.inform, 1);
  parts.maxcls = 3000;
  start(&parts);
  go(&parts, peaks);
  const int first = parts.mincls;
  assert_int_equal(parts.inform, 1);
  parts.mincls = -1;
  parts.maxcls = 8000 - first;
  go(&parts, peaks);
  /* The choice of an axis is made again where a part begins. */
  assert_int_equal(first + parts.mincls, whole.mincls + 13);
  assert_close(parts.finest, whole.finest, 1e-14, 0);
  assert_close(parts.absest, whole.absest, 1e-12, 0);
  /* A tolerance that is met costs nothing. */
  parts.mincls = -1;
  parts.relreq = 1;
  calls = 0;
  go(&parts, never);
  assert_int_equal(parts.inform, 0);
  assert_int_equal(parts.mincls, 0);
  assert_close(parts.finest, whole.finest, 1e-14, 0);
  /* What is no list of regions is not read as one. */
  const double good = parts.work[parts.lenwrk - 1];
  const double bad[] = {-1, 0.5, 1e300, NAN, good + 1};
  for (int i = 0; i < 5; ++i) {
    parts.work[parts.lenwrk - 1] = bad[i];
    parts.mincls = -1;
    if (i < 4) {
      go(&parts, never);
      assert_int_equal(parts.inform, 2);
    } else {
      go(&parts, peaks); /* one region more than there are: whatever it is, no crash */
    }
  }
  free(parts.work);
}

/* An error that WORK makes far too large takes nothing of the others with it when its region is divided. */
static void test_restart_with_large_errors(void **state) {
  (void)state;
  for (int n = 1; n <= 3; ++n) {
    struct call c = make(n, 3000);
    c.relreq = 0;
    start(&c);
    go(&c, peaks);
    c.work[0] = 1e60;
    c.work[1] = 1e30;
    c.mincls = -1;
    go(&c, peaks);
    assert_int_equal(c.inform, 1);
    double sum = 0;
    for (int i = 0; i < (int)c.work[c.lenwrk - 1]; ++i) sum += c.work[i];
    assert_close(c.absest, sum, 1e-12, 0);
    assert_true(c.absest > 0);
    free(c.work);
  }
}

/* ---- Values that are not finite ------------------------------------------------------------------------------------------------ */
static void test_nonfinite(void **state) {
  (void)state;
  for (int n = 1; n <= 12; n += n < 4 ? 1 : 4) {
    struct call c = make(n, 40 * rule_calls(n));
    c.relreq = 1e-12;
    start(&c);
    go(&c, nan_beyond);
    assert_int_equal(c.inform, 1);
    assert_true(isnan(c.finest) && isinf(c.absest));
    c.mincls = -1; /* from the beginning: nothing was kept */
    go(&c, bell);
    assert_true(isfinite(c.finest) && c.mincls > rule_calls(n));
    free(c.work);
    c = make(n, 40 * rule_calls(n));
    calls = 0;
    run(&c, infinite_at_centre);
    assert_int_equal(c.inform, 1);
    assert_true(isnan(c.finest) && isinf(c.absest));
    assert_true(calls <= rule_calls(n) + 4 * n + 1);
  }
}

/* ---- Settings ----------------------------------------------------------------------------------------------------------------- */
static void test_extended(void **state) {
  (void)state;
  struct call tight = make(3, 50000);
  tight.lenwrk = least_lenwrk(3);
  tight.relreq = 1e-6;
  struct call ample = make(3, 50000), extended = tight;
  ample.relreq = 1e-6;
  run(&tight, bell);
  run(&ample, bell);
  assert_int_equal(ample.inform, 0);
  assert_true(tight.inform == 1 || tight.mincls > ample.mincls);
  tessera_adapt_extended(1);
  start(&extended);
  go(&extended, bell);
  assert_int_equal(extended.inform, 0);
  assert_int_equal(extended.mincls, ample.mincls);
  assert_same_bits(extended.finest, ample.finest);
  extended.mincls = -1; /* from the beginning */
  extended.relreq = 1e-2;
  go(&extended, bell);
  assert_int_equal(extended.inform, 0);
  assert_true(extended.mincls > 0);
  const tessera_adapt_int off = 0;
  tessera_adapt_extended_(&off);
  free(extended.work);
}

static int cancel_at;
static double cancelling(const tessera_adapt_int *n, const double *z) {
  const double f = bell(n, z);
  if (calls_now() == cancel_at) tessera_adapt_cancel();
  return f;
}
static void test_cancel(void **state) {
  (void)state;
  for (int i = 0; i < 3; ++i) {
    struct call c = make(3, 100000);
    c.relreq = 0;
    calls = 0;
    cancel_at = i == 0 ? 7 : i == 1 ? 40 : 1000;
    run(&c, cancelling);
    assert_int_equal(c.inform, 1);
    assert_true(calls < cancel_at + 40);
    if (i < 2) assert_true(isnan(c.finest) && isinf(c.absest));
    if (i == 2) assert_at_most(fabs(c.finest - exact_bell(3)), c.absest);
  }
  struct call c = make(3, 10000);
  c.relreq = 1e-3;
  run(&c, bell); /* the next one is a run of its own */
  assert_int_equal(c.inform, 0);
}

static void test_threads(void **state) {
  (void)state;
  double value = 0;
  int evaluations = 0;
  for (int threads = 2; threads <= 3; ++threads) {
    for (int n = 1; n <= 6; ++n) {
      tessera_adapt_threads(threads);
      struct call c = make(n, 200000);
      c.relreq = n < 5 ? 1e-4 : 1e-2;
      c.mincls = 5000;
      calls = 0;
      start(&c);
      go(&c, bell);
      assert_int_equal(c.inform, 0);
      assert_int_equal(c.mincls, calls);
      assert_true(c.mincls >= 5000);
      assert_at_most(fabs(c.finest - exact_bell(n)), c.relreq * exact_bell(n));
      if (n == 3 && threads == 2) value = c.finest, evaluations = c.mincls;
      if (n == 3 && threads == 3) {
        assert_same_bits(c.finest, value);
        assert_int_equal(c.mincls, evaluations);
      }
      c.mincls = -1;
      go(&c, bell);
      assert_int_equal(c.inform, 0);
      free(c.work);
    }
    struct call c = make(2, 100000);
    run(&c, nan_beyond);
    assert_int_equal(c.inform, 1);
    assert_true(isinf(c.absest));
    c = make(2, 2000);
    c.relreq = 1e-13;
    run(&c, ridges);
    assert_int_equal(c.inform, 1);
    c = make(3, 100000);
    c.relreq = 0;
    calls = 0;
    cancel_at = 3000;
    run(&c, cancelling);
    assert_int_equal(c.inform, 1);
    c = make(3, 100000);
    c.relreq = 0;
    calls = 0;
    cancel_at = 3;
    run(&c, cancelling);
    assert_int_equal(c.inform, 1);
    assert_true(isinf(c.absest));
    c = make(70, 30000); /* more than the engine takes: the original's algorithm */
    c.relreq = 1;
    run(&c, bell);
    assert_int_equal(c.inform, 1 - (c.absest <= c.finest));
  }
  const tessera_adapt_int back = 0;
  tessera_adapt_threads_(&back);
}

/* ---- Re-entrance ------------------------------------------------------------------------------------------------------------------ */
static double inner(const tessera_adapt_int *n, const double *z) {
  struct call c = make(2, 2000);
  (void)n, (void)z;
  c.relreq = 1e-3;
  run(&c, bell);
  return c.inform == 0 ? c.finest : NAN;
}
static void test_nested(void **state) {
  (void)state;
  struct call c = make(2, 500);
  run(&c, inner);
  assert_int_equal(c.inform, 0);
  assert_close(c.finest, exact_bell(2), 1e-3, 0);
}

static void *many_runs(void *out) {
  double s = 0;
  for (int i = 0; i < 40; ++i) {
    struct call c = make(1 + i % 5, 20000);
    c.relreq = 1e-5;
    run(&c, bell);
    s += c.finest;
  }
  *(double *)out = s;
  return NULL;
}
static void test_callers_in_threads(void **state) {
  pthread_t threads[4];
  double sums[4], alone;
  (void)state;
  many_runs(&alone);
  for (int i = 0; i < 4; ++i) assert_int_equal(pthread_create(threads + i, NULL, many_runs, sums + i), 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < 4; ++i) assert_same_bits(sums[i], alone);
}

/* ---- Anything at all ------------------------------------------------------------------------------------------------------------ */
static unsigned long long seed = 12345;
static int among(int n) {
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return (int)((seed >> 33) % (unsigned)n);
}
static void test_fuzz(void **state) {
  static const tessera_adapt_functn functions[] = {wave,   peaks, corner,     bell,
                                                   ridges, zero,  nan_beyond, infinite_at_centre};
  static const double tolerances[] = {0, 1e-3, 1e-9, -1, 1, NAN, INFINITY, -INFINITY, 1e308};
  (void)state;
  for (int i = 0; i < (sanitized ? 1500 : 6000); ++i) {
    struct call c = make(among(20) ? 1 + among(most_ndim) : among(5) - 2, 0);
    const int n = c.ndim < 1 ? 1 : c.ndim, r = rule_calls(n);
    c.maxcls = among(8) ? among(12 * r) : among(3) - 1;
    c.lenwrk = among(4) ? least_lenwrk(n) + among(30 * (3 * n + 3)) - 3 : among(least_lenwrk(n) + 5) - 2;
    c.mincls = among(3) ? 0 : among(9 * r) - 2 * r;
    c.absreq = tolerances[among(9)];
    c.relreq = tolerances[among(9)];
    tessera_adapt_extended(among(4) == 0);
    const tessera_adapt_functn f = functions[among(8)];
    start(&c);
    for (int again = 0; again < 3; ++again) {
      const double before = c.finest;
      const int maxcls = c.maxcls, mincls = c.mincls;
      calls = 0;
      go(&c, f);
      assert_in_range(c.inform, 0, 2);
      if (c.inform == 2) {
        assert_int_equal(calls, 0);
        if (!isnan(before)) assert_same_bits(c.finest, before);
      } else {
        assert_true(mincls <= maxcls);
        if (c.inform == 0) assert_true(isfinite(c.finest) && c.absest >= 0);
      }
      c.mincls = -1 - among(3);
      c.maxcls = among(12 * r);
      if (c.lenwrk > 0 && among(5) == 0) c.work[among(c.lenwrk)] = tolerances[among(9)]; /* damage */
    }
    free(c.work);
  }
  tessera_adapt_extended(0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_number_of_calls),
      cmocka_unit_test(test_degree),
      cmocka_unit_test(test_known_runs),
      cmocka_unit_test(test_wrong_arguments),
      cmocka_unit_test(test_tolerances),
      cmocka_unit_test(test_least_calls),
      cmocka_unit_test(test_restart),
      cmocka_unit_test(test_restart_with_large_errors),
      cmocka_unit_test(test_nonfinite),
      cmocka_unit_test(test_extended),
      cmocka_unit_test(test_cancel),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_nested),
      cmocka_unit_test(test_callers_in_threads),
      cmocka_unit_test(test_fuzz),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
