/* DCUHRE as a caller in C sees it. Numbers named "DCUHRE" were counted in runs of Algorithm 698 itself.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tessera_dcuhre.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "close.h"

#ifdef __SANITIZE_ADDRESS__
enum { sanitized = 1 };
#else
enum { sanitized = 0 };
#endif

typedef tessera_dcuhre_int integer;

enum { most_ndim = 25, most_numfun = 11, most_work = 3000000 };

/* One call's arguments, by value. */
struct call {
  integer ndim, numfun, minpts, maxpts, key, nw, restar, neval, ifail;
  double a[most_ndim], b[most_ndim], epsabs, epsrel, result[most_numfun], abserr[most_numfun];
  tessera_dcuhre_funsub f;
  double *work;
};

static double work_memory[most_work];

static struct call make(integer ndim, integer numfun, tessera_dcuhre_funsub f) {
  struct call c;
  memset(&c, 0, sizeof c);
  c.ndim = ndim;
  c.numfun = numfun;
  c.maxpts = 100000;
  c.nw = most_work;
  c.epsrel = 1e-6;
  c.f = f;
  c.work = work_memory;
  c.neval = -7;
  c.ifail = -8;
  for (int j = 0; j < most_ndim; ++j) c.b[j] = 1;
  for (int k = 0; k < most_numfun; ++k) c.result[k] = -9, c.abserr[k] = -10;
  return c;
}

static void run(struct call *c) {
  dcuhre_(&c->ndim, &c->numfun, c->a, c->b, &c->minpts, &c->maxpts, c->f, &c->epsabs, &c->epsrel, &c->key, &c->nw,
          &c->restar, c->result, c->abserr, &c->neval, &c->ifail, c->work);
}

static integer points(integer key, integer n) {
  if (key == 0) key = n == 2 ? 1 : n == 3 ? 2 : 3;
  switch (key) {
    case 1:
      return 65;
    case 2:
      return 127;
    case 3:
      return 1 + 8 * n + 6 * n * (n - 1) + 4 * n * (n - 1) * (n - 2) / 3 + ((integer)1 << n);
    default:
      return 1 + 6 * n + 2 * n * (n - 1) + ((integer)1 << n);
  }
}

/* Length of WORK that DCUHRE asks for. */
static integer least_nw(const struct call *c) {
  const integer num = points(c->key, c->ndim);
  return ((c->maxpts - num) / (2 * num) + 1) * (2 * c->ndim + 2 * c->numfun + 2) + 17 * c->numfun + 1;
}

static integer calls;
static double worst_x; /* farthest coordinate from 0.5 */
static const struct suite_case *suite_now;

static void from_suite(const integer *ndim, const double *x, const integer *numfun, double *f) {
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  suite_now->fn((int)*ndim, x, (int)*numfun, f, NULL);
}

/* Component k: exp of -(k+1) times the sum. */
static void exponentials(const integer *ndim, const double *x, const integer *numfun, double *f) {
  double s = 0;
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  for (int j = 0; j < *ndim; ++j) {
    s += x[j];
    worst_x = fmax(worst_x, fabs(x[j] - 0.5));
  }
  for (int k = 0; k < *numfun; ++k) f[k] = exp(-(k + 1) * s);
}
static double exact_exponential(int ndim, int k) { return pow((1 - exp(-(k + 1.0))) / (k + 1), ndim); }

/* A peak off the centre and a kink, for long runs. */
static void peak_and_kink(const integer *ndim, const double *x, const integer *numfun, double *f) {
  double s = 0, t = 0;
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  for (int j = 0; j < *ndim; ++j) {
    s += (x[j] - 0.3) * (x[j] - 0.3);
    t += x[j];
  }
  f[0] = 1 / (1e-3 + s);
  if (*numfun > 1) f[1] = fabs(t - 0.9);
}

/* The same in all components. */
static void one_for_all(const integer *ndim, const double *x, const integer *numfun, double *f) {
  peak_and_kink(ndim, x, &(integer){1}, f);
  for (int k = 1; k < *numfun; ++k) f[k] = f[0];
}

/* Components are summed four at a time, and those that are left one by one: to the same bits. */
static void a_component_does_not_depend_on_the_others(void **state) {
  (void)state;
  for (integer n = 2; n <= 4; ++n)
    for (integer key = n == 2 ? 1 : n == 3 ? 2 : 3; key <= 4; key += key == 1 ? 2 : 1) {
      struct call one = make(n, 1, one_for_all);
      one.key = key;
      one.maxpts = 30000;
      one.epsrel = 1e-14;
      run(&one);
      for (integer m = 3; m <= most_numfun; m += 4) {
        struct call many = one;
        many.numfun = m;
        run(&many);
        assert_int_equal(many.neval, one.neval);
        for (int k = 0; k < m; ++k) {
          assert_same_bits(many.result[k], many.result[m - 1]);
          assert_same_bits(many.abserr[k], many.abserr[m - 1]);
          assert_same_bits(many.result[k], one.result[0]);
          assert_same_bits(many.abserr[k], one.abserr[0]);
        }
      }
    }
}

/* ---- Arguments -------------------------------------------------------------------------------------------------------- */
static void expect_untouched(struct call c, int ifail) {
  double before[32], work[64];
  for (int i = 0; i < 64; ++i) work_memory[i] = work[i] = 0.25 * i + 3;
  memcpy(before, c.result, sizeof c.result);
  calls = 0;
  run(&c);
  assert_int_equal(c.ifail, ifail);
  assert_int_equal(c.neval, -7);
  assert_int_equal(calls, 0);
  for (int k = 0; k < most_numfun; ++k) {
    assert_same_bits(c.result[k], -9);
    assert_same_bits(c.abserr[k], -10);
  }
  assert_memory_equal(work_memory, work, sizeof work);
}

/* Each wrong argument, and that the first wrong one in the original's order gives the code: all later ones are wrong too. */
static void wrong_arguments_have_the_originals_codes(void **state) {
  (void)state;
  for (int cascade = 0; cascade < 2; ++cascade)
    for (int code = 2; code <= 12; ++code) {
      struct call c = make(3, 2, exponentials);
      c.nw = least_nw(&c);
      for (int later = cascade ? 12 : code; later >= code; --later) switch (later) {
          case 2:
            c.key = code % 2 ? 5 : -1;
            break;
          case 3:
            c.ndim = code == 3 && cascade ? 1 : 16;
            break;
          case 4:
            c.key = 1;
            break; /* in 3 dimensions */
          case 5:
            c.ndim = 4, c.key = 2;
            break;
          case 6:
            c.numfun = 0;
            break;
          case 7:
            c.b[2] = c.a[2];
            break;
          case 8:
            c.maxpts = 3 * points(c.key, c.ndim) - 1;
            break;
          case 9:
            c.minpts = c.maxpts + 1;
            break;
          case 10:
            c.epsabs = c.epsrel = -1;
            break;
          case 11:
            c.nw = later == code ? least_nw(&c) - 1 : 1;
            break;
          case 12:
            c.restar = 2;
            break;
        }
      if (code == 4) c.ndim = 3, c.key = 1;
      if (code == 6 && cascade) c.key = 0, c.ndim = 3;
      if (code >= 7 && cascade) c.key = 0, c.ndim = 3;
      expect_untouched(c, code);
    }
  struct call c = make(16, 1, exponentials);
  expect_untouched(c, 3);
  c = make(2, 1, exponentials), c.key = 2;
  expect_untouched(c, 5);
  c = make(3, 1, exponentials), c.restar = -1;
  expect_untouched(c, 12);
  const integer largest = (integer)(((uint64_t)1 << (8 * sizeof(integer) - 1)) - 1); /* no sum or product overflows */
  c = make(3, 1, exponentials), c.maxpts = largest;
  expect_untouched(c, 11);
  c = make(3, 1, exponentials), c.nw = -largest - 1;
  expect_untouched(c, 11);
  c = make(3, 1, exponentials), c.minpts = -largest - 1, c.epsrel = 10;
  run(&c);
  assert_int_equal(c.ifail, 0);
}

static void what_the_original_accepts_is_accepted(void **state) {
  (void)state;
  struct call c = make(3, 1, exponentials);
  c.maxpts = 3 * 127; /* the smallest */
  c.nw = least_nw(&c);
  run(&c);
  assert_int_equal(c.ifail, 0);
  assert_int_equal(c.neval, 3 * 127);
  c = make(3, 1, exponentials), c.epsabs = -1; /* one negative tolerance */
  run(&c);
  assert_int_equal(c.ifail, 0);
  c = make(3, 1, exponentials), c.epsrel = -1, c.epsabs = 1e-6;
  run(&c);
  assert_int_equal(c.ifail, 0);
  c = make(3, 1, peak_and_kink), c.epsrel = 0; /* no tolerance: all evaluations */
  run(&c);
  assert_int_equal(c.ifail, 1);
  assert_true(c.neval <= c.maxpts && c.neval > c.maxpts - 2 * 127);
  c = make(3, 1, exponentials), c.epsrel = NAN; /* departure: the original calls that success */
  run(&c);
  assert_int_equal(c.ifail, 1);
  c = make(3, 1, exponentials), c.a[0] = NAN; /* departure */
  expect_untouched(c, 7);
  c = make(3, 1, exponentials), c.a[1] = 1, c.b[1] = nextafter(1, 2); /* no number lies between them */
  expect_untouched(c, 7);
  c = make(3, 1, exponentials), c.minpts = c.maxpts;
  run(&c);
  assert_true(c.neval > c.maxpts - 2 * 127);
}

/* ---- Counts ----------------------------------------------------------------------------------------------------------- */
static void the_points_of_the_rules_are_those_of_the_original(void **state) {
  static const integer key0[] = {65, 127, 153, 273, 453, 717, 1105, 1689, 2605, 4117, 6745, 11521, 20501, 37789};
  static const integer key3[] = {33, 77, 153, 273, 453, 717, 1105, 1689, 2605, 4117, 6745, 11521, 20501, 37789};
  static const integer key4[] = {21, 39, 65, 103, 161, 255, 417, 711, 1265, 2335, 4433, 8583, 16833, 33279};
  (void)state;
  for (integer n = 2; n <= 15; ++n)
    for (integer key = 0; key <= 4; ++key) {
      if ((key == 1 && n != 2) || (key == 2 && n != 3)) continue;
      const integer num = key == 0   ? key0[n - 2]
                          : key == 1 ? 65
                          : key == 2 ? 127
                          : key == 3 ? key3[n - 2]
                                     : key4[n - 2];
      struct call c = make(n, 1, exponentials);
      c.key = key;
      c.epsrel = 10; /* met at once, but one division is always made */
      c.maxpts = 3 * num;
      calls = 0;
      run(&c);
      assert_int_equal(c.ifail, 0);
      assert_int_equal(c.neval, 3 * num);
      assert_int_equal(calls, 3 * num);
      assert_close(c.result[0], exact_exponential((int)n, 0), 1e-3, 0);
      c.maxpts = 5 * num; /* at least so many */
      c.minpts = 3 * num + 1;
      run(&c);
      assert_int_equal(c.neval, 5 * num);
    }
}

static void the_counts_are_those_of_the_original(void **state) {
  static const struct {
    const char *name;
    double tolerance;
    integer evaluations;
  } runs[] = {
      /* DCUHRE */
      {"f3_3d", 1e-3, 1651},   {"f3_3d", 1e-4, 3683},   {"f3_3d", 1e-5, 6223},    {"f3_3d", 1e-6, 7493},
      {"f3_3d", 1e-7, 9271},   {"f3_3d", 1e-8, 13081},  {"f8_8d", 1e-3, 3315},    {"f8_8d", 1e-4, 135915},
      {"f7_8d", 1e-3, 177905}, {"f5_5d", 1e-3, 344799}, {"f4_5d", 1e-3, 1307943},
  };
  (void)state;
  for (size_t i = 0; i < sizeof runs / sizeof *runs - (sanitized ? 3 : 0); ++i) {
    suite_now = suite_find(runs[i].name);
    struct call c = make(suite_now->ndim, 1, from_suite);
    c.epsrel = runs[i].tolerance;
    c.maxpts = 2000000;
    calls = 0;
    run(&c);
    print_message("  %s %g: %lld, DCUHRE %lld\n", runs[i].name, runs[i].tolerance, (long long)c.neval,
                  (long long)runs[i].evaluations);
    assert_int_equal(c.ifail, 0);
    assert_int_equal(c.neval, runs[i].evaluations);
    assert_int_equal(calls, c.neval);
    if (runs[i].evaluations != 3315) /* where the original is deceived, so are we */
      assert_close(c.result[0], suite_now->exact, runs[i].tolerance, 0);
  }
}

static void maxpts_is_never_exceeded(void **state) {
  (void)state;
  for (integer maxpts = 381; maxpts < 3000; maxpts += 97) {
    struct call c = make(3, 2, peak_and_kink);
    c.epsrel = 1e-12;
    c.maxpts = maxpts;
    calls = 0;
    run(&c);
    assert_int_equal(c.ifail, 1);
    assert_int_equal(calls, c.neval);
    assert_true(c.neval <= maxpts && c.neval + 2 * 127 > maxpts);
    assert_int_equal(c.neval % 127, 0);
    assert_int_equal(c.neval / 127 % 2, 1);
    assert_close(c.result[1], 0.654675, 0, c.abserr[1]); /* about; partial results are results */
  }
}

/* ---- Limits ----------------------------------------------------------------------------------------------------------- */
static void reversed_limits_change_the_sign(void **state) {
  (void)state;
  for (int reversed = 0; reversed < 8; ++reversed) {
    struct call c = make(3, 2, exponentials);
    double sign = 1;
    for (int j = 0; j < 3; ++j)
      if (reversed >> j & 1) c.a[j] = 1, c.b[j] = 0, sign = -sign;
    worst_x = 0;
    run(&c);
    assert_int_equal(c.ifail, 0);
    for (int k = 0; k < 2; ++k) {
      assert_close(c.result[k], sign * exact_exponential(3, k), 1e-6, 0);
      assert_true(c.abserr[k] >= 0);
    }
    assert_at_most(worst_x, 0.5);
  }
}

static void identity(const integer *ndim, const double *x, const integer *numfun, double *f) {
  (void)ndim;
  for (int k = 0; k < *numfun; ++k) f[k] = x[0] * x[0] + (k + 1) * x[1];
}
static void other_boxes(void **state) {
  (void)state;
  struct call c = make(2, 2, identity);
  c.a[0] = -1, c.b[0] = 2, c.a[1] = 10, c.b[1] = 14;
  run(&c);
  assert_int_equal(c.ifail, 0);
  assert_close(c.result[0], 12 + 3 * 48, 1e-13, 0);
  assert_close(c.result[1], 12 + 3 * 96, 1e-13, 0);
}

/* ---- WORK and restarts -------------------------------------------------------------------------------------------------- */
static void check_work(const struct call *c) {
  const int64_t n = c->ndim, k = c->numfun, s = (c->nw - 1 - 17 * k) / (2 * n + 2 * k + 2);
  const double *values = c->work, *errors = values + k * s, *centres = errors + k * s, *half = centres + n * s,
               *greatest = half + n * s, *axis = greatest + s;
  const int64_t count = (int64_t)c->work[c->nw - 1];
  double volume = 0, odd = 1;
  for (int j = 0; j < n; ++j) odd *= c->a[j] > c->b[j] ? -1 : 1;
  assert_int_equal(c->neval, points(c->key, c->ndim) * (2 * count - 1));
  for (int comp = 0; comp < k; ++comp) {
    double v = 0, e = 0;
    for (int64_t i = 0; i < count; ++i) v += values[i * k + comp], e += errors[i * k + comp];
    assert_close(odd * v, c->result[comp], 1e-12, 1e-300);
    assert_close(e, c->abserr[comp], 1e-12, 1e-300);
  }
  for (int64_t i = 0; i < count; ++i) {
    double largest = 0, box = 1;
    for (int comp = 0; comp < k; ++comp) largest = fmax(largest, errors[i * k + comp]);
    for (int j = 0; j < n; ++j) box *= 2 * half[i * n + j] / fabs(c->b[j] - c->a[j]);
    volume += box;
    assert_same_bits(greatest[i], largest);
    if (i > 0) assert_at_most(greatest[i], greatest[(i - 1) / 2]);
    assert_true(axis[i] >= 1 && axis[i] <= (double)n && axis[i] == floor(axis[i]));
    for (int j = 0; j < n; ++j)
      assert_true(centres[i * n + j] > fmin(c->a[j], c->b[j]) && centres[i * n + j] < fmax(c->a[j], c->b[j]));
  }
  assert_close(volume, 1, 1e-12, 0);
}

static void work_holds_the_regions(void **state) {
  (void)state;
  for (int threads = 1; threads <= 2; ++threads) {
    tessera_dcuhre_threads(threads);
    struct call c = make(3, 2, peak_and_kink);
    c.epsrel = 1e-4;
    c.nw = least_nw(&c) + 13;
    c.a[1] = 1, c.b[1] = 0;
    for (int64_t i = 0; i < c.nw + 1; ++i) c.work[i] = -77;
    run(&c);
    check_work(&c);
    assert_same_bits(c.work[c.nw], -77);
    assert_same_bits(c.work[c.nw - 2], -77); /* scratch is not written */
  }
  tessera_dcuhre_threads(0);
}

static void a_run_in_parts_is_the_run_as_a_whole(void **state) {
  (void)state;
  for (int variant = 0; variant < 4; ++variant) {
    struct call whole = make(3, 2, peak_and_kink);
    whole.epsrel = 1e-8;
    whole.maxpts = 60000;
    if (variant == 1) whole.a[0] = 1, whole.b[0] = 0; /* the sign goes back and forth */
    if (variant == 2) whole.ndim = 2, whole.key = 4;
    if (variant == 3) whole.ndim = 5, whole.numfun = 1;
    struct call parts = whole;
    whole.work = malloc(sizeof(double) * (size_t)whole.nw);
    assert_non_null(whole.work);
    run(&whole);
    assert_int_equal(whole.ifail, 1);

    static const integer limits[] = {1000, 1700, 2500, 20000, 60000};
    for (int i = 0; i < 5; ++i) {
      parts.maxpts = limits[i];
      parts.restar = i > 0;
      run(&parts);
      assert_int_equal(parts.ifail, 1);
      assert_true(parts.neval <= parts.maxpts);
    }
    assert_int_equal(parts.neval, whole.neval);
    for (int k = 0; k < whole.numfun; ++k) {
      assert_same_bits(parts.result[k], whole.result[k]);
      assert_same_bits(parts.abserr[k], whole.abserr[k]);
    }
    for (int64_t i = 0; i < (int64_t)whole.work[whole.nw - 1] * whole.numfun; ++i) /* the regions, too */
      assert_same_bits(parts.work[i], whole.work[i]);
    check_work(&parts);
    free(whole.work);
  }
}

static void a_restart_divides_before_it_looks(void **state) {
  (void)state;
  struct call c = make(3, 1, exponentials);
  c.epsrel = 1e-3;
  run(&c);
  assert_int_equal(c.ifail, 0);
  const integer before = c.neval;
  c.restar = 1;
  calls = 0;
  run(&c);
  assert_int_equal(c.ifail, 0);
  assert_int_equal(c.neval, before + 2 * 127);
  assert_int_equal(calls, 2 * 127);
  c.maxpts = c.neval; /* no room for a division: that is not success */
  c.nw = most_work;
  calls = 0;
  run(&c);
  assert_int_equal(c.ifail, 1);
  assert_int_equal(calls, 0);
  assert_int_equal(c.neval, before + 2 * 127);
  assert_close(c.result[0], exact_exponential(3, 0), 1e-3, 0);

  c.maxpts = 100000; /* departure: what stands in RESULT and ABSERR does not matter */
  c.result[0] = c.abserr[0] = 0;
  c.neval = 0;
  c.epsrel = 1e-9;
  run(&c);
  assert_int_equal(c.ifail, 0);
  assert_close(c.result[0], exact_exponential(3, 0), 1e-9, 0);
}

static void a_work_that_holds_no_run_is_refused(void **state) {
  static const double counts[] = {0, -1, 1.5, NAN, 1e9, INFINITY};
  (void)state;
  struct call c = make(3, 1, peak_and_kink);
  run(&c);
  const double good = c.work[c.nw - 1];
  c.restar = 1;
  for (int i = 0; i < 6; ++i) {
    c.work[c.nw - 1] = counts[i];
    run(&c);
    assert_int_equal(c.ifail, 12);
  }
  c.work[c.nw - 1] = good;
  const double first = c.work[0];
  c.work[0] = NAN;
  run(&c);
  assert_int_equal(c.ifail, 12);
  c.work[0] = first;
  c.maxpts *= 2;
  run(&c);
  assert_int_equal(c.ifail, 0);
}

/* ---- Beyond the original ------------------------------------------------------------------------------------------------ */
/* WORK as a run on a device leaves it: a result and no regions. What follows starts from the beginning, and the result stays
 * until there is a better one. */
static void a_restart_after_a_device(void **state) {
  (void)state;
  for (int i = 0; i < 7; ++i) {
    struct call c = make(3, 2, exponentials);
    const integer regions = (c.nw - 1 - 17 * 2) / (2 * 3 + 2 * 2 + 2);
    c.work[c.nw - 1] = -698;
    for (int k = 0; k < 2; ++k) {
      c.work[k] = exact_exponential(3, k) * (1 + 1e-5);
      c.work[2 * regions + k] = (i == 2 ? 1e-15 : i == 3 || i == 4 ? 0.5 : 2e-5) * exact_exponential(3, k);
    }
    c.restar = 1;
    c.neval = 30000;
    c.epsrel = 1e-4;
    if (i == 1) c.epsrel = 1e-6, c.maxpts = c.neval; /* nothing may be done */
    if (i == 2) c.epsrel = 1e-16;                    /* nothing better is found */
    if (i == 2) c.maxpts = 127 * 3, c.neval = 380;
    if (i == 3) c.epsrel = 1e-6;                                       /* it was not good */
    if (i == 4) c.epsrel = 1e-16, c.maxpts = 127 * 33, c.neval = 1000; /* and it is better now, if not good enough */
    if (i == 5) c.minpts = 40000;                                      /* good, but more is wanted */
    if (i == 6) c.work[c.nw - 1] = -697;
    calls = 0;
    run(&c);
    if (i == 6) {
      assert_int_equal(c.ifail, 12);
      continue;
    }
    const int kept = i < 3, before = i == 2 ? 380 : 30000;
    assert_int_equal(c.ifail, i == 1 || i == 2 || i == 4);
    assert_int_equal(calls, i < 2 ? 0 : i == 2 ? 127 * 3 : c.neval);
    assert_int_equal(c.neval, kept ? before : calls);
    assert_true(calls <= c.maxpts && (i != 5 || calls >= c.minpts));
    for (int k = 0; k < 2; ++k) {
      if (kept) {
        assert_same_bits(c.result[k], exact_exponential(3, k) * (1 + 1e-5));
        assert_same_bits(c.abserr[k], (i == 2 ? 1e-15 : 2e-5) * exact_exponential(3, k));
      } else {
        assert_close(c.result[k], exact_exponential(3, k), 1e-6, 0);
        assert_true(c.abserr[k] < 1e-3);
      }
    }
    if (i < 2) continue;
    if (!kept) check_work(&c); /* the regions of the host */
    const integer now = c.neval;
    c.maxpts = 100000;
    c.epsrel = 1e-7;
    c.minpts = 0;
    run(&c);
    assert_int_equal(c.ifail, 0);
    assert_true(c.neval > now);
  }
}

static integer nan_from;
static void nan_at_last(const integer *ndim, const double *x, const integer *numfun, double *f) {
  peak_and_kink(ndim, x, numfun, f);
  if (calls > nan_from) f[0] = NAN;
}
static void a_nan_is_not_success(void **state) {
  (void)state;
  static const integer from[] = {0, 1, 127, 500, 5000};
  for (int i = 0; i < 5; ++i) {
    struct call c = make(3, 2, nan_at_last);
    c.epsrel = 1;
    c.minpts = 20000;
    calls = 0;
    nan_from = from[i];
    run(&c);
    assert_int_equal(c.ifail, 1);
    assert_true(isinf(c.abserr[0]) && isinf(c.abserr[1]));
    assert_true(c.neval <= 127 * (nan_from / 127 + 1));
  }
}

static void cancelling(const integer *ndim, const double *x, const integer *numfun, double *f) {
  peak_and_kink(ndim, x, numfun, f);
  if (calls == nan_from) tessera_dcuhre_cancel();
}
static void a_run_can_be_cancelled(void **state) {
  static const integer from[] = {1, 50, 5000};
  (void)state;
  for (int i = 0; i < 3; ++i) {
    struct call c = make(3, 2, cancelling);
    c.epsrel = 1e-12;
    calls = 0;
    nan_from = from[i];
    run(&c);
    assert_int_equal(c.ifail, 1);
    assert_int_equal(calls, nan_from);
    assert_true(c.neval <= calls);
    if (i == 2) {
      assert_close(c.result[1], 0.654675, 0, c.abserr[1]);
      check_work(&c);
      c.restar = 1; /* and goes on */
      c.maxpts = 50000;
      run(&c);
      assert_true(c.neval > 49000);
      check_work(&c);
    } else {
      assert_true(isnan(c.result[0]) && isinf(c.abserr[0]));
      assert_int_equal(c.neval, 0);
      c.restar = 1; /* there is nothing to go on from */
      run(&c);
      assert_int_equal(c.ifail, 12);
    }
  }
}

static void more_dimensions_on_request(void **state) {
  (void)state;
  struct call c = make(16, 1, exponentials);
  c.key = 4;
  c.maxpts = 3 * points(4, 16);
  c.epsrel = 1;
  tessera_dcuhre_extended(1);
  run(&c);
  assert_int_equal(c.ifail, 0);
  assert_int_equal(c.neval, c.maxpts);
  assert_close(c.result[0], exact_exponential(16, 0), 1e-2, 0);
  c.ndim = 26;
  expect_untouched((c.neval = -7, c.result[0] = -9, c.abserr[0] = -10, c), 3);
  tessera_dcuhre_extended(0);
  c.ndim = 16;
  expect_untouched((c.neval = -7, c.result[0] = -9, c.abserr[0] = -10, c), 3);
}

/* The inner integral of exp(-x y z) over y and z, by DCUHRE, for the outer one over x. */
static int depth;
static double outer_x[3][2];
static void nested(const integer *ndim, const double *x, const integer *numfun, double *f) {
  (void)ndim, (void)numfun;
  if (depth == 2) {
    f[0] = exp(-outer_x[0][0] * outer_x[1][0] * x[0]);
    return;
  }
  struct call c = make(2, 1, nested);
  double *work = malloc(sizeof(double) * 5000);
  c.work = work, c.nw = 5000, c.maxpts = 195, c.epsrel = 1e-4;
  outer_x[depth][0] = x[0];
  ++depth;
  run(&c);
  --depth;
  free(work);
  f[0] = c.ifail == 0 ? c.result[0] : NAN;
}
static void the_integrand_may_call_dcuhre(void **state) {
  (void)state;
  struct call c = make(2, 1, nested);
  depth = 0;
  c.maxpts = 195;
  c.epsrel = 1e-4;
  run(&c);
  assert_int_equal(c.ifail, 0);
  /* sum over n of (-1)^n / (n! (n+1)^3) */
  double exact = 0, term = 1;
  for (int n = 0; n < 30; ++n) {
    exact += term / ((n + 1.0) * (n + 1.0) * (n + 1.0));
    term *= -1.0 / (n + 1);
  }
  assert_close(c.result[0], exact, 1e-6, 0);
}

static _Thread_local integer dummy;
static void thread_safe(const integer *ndim, const double *x, const integer *numfun, double *f) {
  ++dummy;
  double s = 0;
  for (int j = 0; j < *ndim; ++j) s += fabs(x[j] - 0.3);
  for (int k = 0; k < *numfun; ++k) f[k] = exp(-s * (k + 1));
}
static void *many(void *data) {
  struct call *c = data;
  for (int i = 0; i < 50; ++i) run(c);
  return NULL;
}
static void several_threads_may_call(void **state) {
  (void)state;
  enum { n = 4 };
  static struct call c[n];
  pthread_t thread[n];
  for (int i = 0; i < n; ++i) {
    c[i] = make(2 + i % 2, 3, thread_safe);
    c[i].maxpts = 5000;
    c[i].nw = 5000;
    c[i].work = malloc(sizeof(double) * 5000);
    assert_int_equal(pthread_create(&thread[i], NULL, many, &c[i]), 0);
  }
  for (int i = 0; i < n; ++i) pthread_join(thread[i], NULL);
  for (int i = 0; i < n; ++i) {
    struct call again = c[i];
    run(&again);
    assert_int_equal(again.neval, c[i].neval);
    for (int k = 0; k < 3; ++k) assert_same_bits(again.result[k], c[i].result[k]);
    free(c[i].work);
  }
}

/* A process that was forked has none of its parent's threads. */
static void a_forked_process_works_with_threads_of_its_own(void **state) {
  (void)state;
  tessera_dcuhre_threads(2);
  struct call c = make(3, 3, thread_safe);
  c.maxpts = 5000;
  run(&c);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    alarm(60);
    struct call again = c;
    run(&again);
    _exit(again.neval == c.neval && again.result[2] == c.result[2] ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  tessera_dcuhre_threads(0);
}

static void several_threads_may_work(void **state) {
  (void)state;
  struct call one = make(3, 3, thread_safe), two, three;
  one.epsrel = 1e-3;
  one.maxpts = 400000;
  two = three = one;
  run(&one);
  tessera_dcuhre_threads(2);
  run(&two);
  check_work(&two);
  tessera_dcuhre_threads(3);
  run(&three);
  assert_int_equal(one.ifail, 0);
  assert_int_equal(two.ifail, 0);
  assert_int_equal(two.neval, three.neval);
  for (int k = 0; k < 3; ++k) {
    assert_same_bits(two.result[k], three.result[k]);
    assert_close(two.result[k], one.result[k], 2e-3, 0);
  }
  three.restar = 1; /* also from work */
  three.epsrel = 1e-4;
  run(&three);
  assert_true(three.neval > two.neval && three.neval <= three.maxpts);
  check_work(&three);
  tessera_dcuhre_threads(0);
}

/* ---- Single precision ------------------------------------------------------------------------------------------------------ */
static void single(const integer *ndim, const float *x, const integer *numfun, float *f) {
  double s = 0;
  for (int j = 0; j < *ndim; ++j) s += (double)x[j];
  for (int k = 0; k < *numfun; ++k) f[k] = (float)exp(-(k % 3 + 1) * s);
}
static void single_precision(void **state) {
  (void)state;
  enum { many_components = 300, nw = 200000 };
  static float work[nw], result[many_components], abserr[many_components];
  for (integer numfun = 2; numfun <= many_components; numfun += many_components - 2) {
    const integer ndim = 3, minpts = 0, key = 0, length = nw;
    const float a[3] = {0, 0, 0}, b[3] = {1, 1, 1}, epsabs = 0;
    integer maxpts = 2000, restar = 0, neval = 0, ifail = -1;
    float epsrel = 1e-4f;
    scuhre_(&ndim, &numfun, a, b, &minpts, &maxpts, single, &epsabs, &epsrel, &key, &length, &restar, result, abserr,
            &neval, &ifail, work);
    assert_int_equal(ifail, 0);
    assert_int_equal(neval % 127, 0);
    for (int k = 0; k < numfun; ++k) assert_close((double)result[k], exact_exponential(3, k % 3), 1e-5, 0);
    const integer before = neval;
    restar = 1;
    scuhre_(&ndim, &numfun, a, b, &minpts, &maxpts, single, &epsabs, &epsrel, &key, &length, &restar, result, abserr,
            &neval, &ifail, work);
    assert_int_equal(ifail, 0);
    assert_int_equal(neval, before + 254);
    const integer bad = 5;
    scuhre_(&ndim, &numfun, a, b, &minpts, &maxpts, single, &epsabs, &epsrel, &bad, &length, &restar, result, abserr,
            &neval, &ifail, work);
    assert_int_equal(ifail, 2);
  }
}

/* ---- Fuzz -------------------------------------------------------------------------------------------------------------------- */
static double pick(uint64_t *seed, const double *from, int n) { return from[splitmix64(seed) % (uint64_t)n]; }
static void anything(const integer *ndim, const double *x, const integer *numfun, double *f) {
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  for (int k = 0; k < *numfun; ++k) {
    const double t = (x[0] + x[*ndim - 1]) * (k + 1);
    f[k] = t > 1.7 && t < 1.7001 ? NAN : 1 / fabs(t - 0.5);
  }
}
static void fuzz(int runs, uint64_t seed) {
  static const double reals[] = {0, 1, -1, 0.5, NAN, INFINITY, -INFINITY, 1e308, -1e308, 1e-320, 2, 1e-8};
  static const integer sizes[] = {-1, 0, 1, 2, 3, 4, 5, 8, 15, 16, 2147483647};
  static const integer amounts[] = {-2147483647 - 1, -1, 0, 1, 100, 381, 1000, 5000, 2147483647};
  int codes[13] = {0};
  for (int i = 0; i < runs; ++i) {
    struct call c = make(2, 1, anything);
    const int wild = (int)(splitmix64(&seed) % 4); /* how many arguments are drawn from the wild */
    c.ndim = 2 + (integer)(splitmix64(&seed) % 3);
    c.numfun = 1 + (integer)(splitmix64(&seed) % 3);
    c.maxpts = 500 + (integer)(splitmix64(&seed) % 5000);
    c.nw = 20000;
    c.epsrel = pow(10, -(double)(splitmix64(&seed) % 8));
    for (int w = 0; w < wild; ++w) switch (splitmix64(&seed) % 11) {
        case 0:
          c.ndim = sizes[splitmix64(&seed) % 11];
          break;
        case 1:
          c.numfun = sizes[splitmix64(&seed) % 9];
          break;
        case 2:
          c.a[splitmix64(&seed) % 5] = pick(&seed, reals, 12);
          break;
        case 3:
          c.b[splitmix64(&seed) % 5] = pick(&seed, reals, 12);
          break;
        case 4:
          c.minpts = amounts[splitmix64(&seed) % 9];
          break;
        case 5:
          c.maxpts = amounts[splitmix64(&seed) % 8];
          break;
        case 6:
          c.epsabs = pick(&seed, reals, 12);
          break;
        case 7:
          c.epsrel = pick(&seed, reals, 12);
          break;
        case 8:
          c.key = sizes[splitmix64(&seed) % 9];
          break;
        case 9:
          c.nw = amounts[splitmix64(&seed) % 8];
          break;
        case 10:
          c.restar = sizes[splitmix64(&seed) % 5];
          break;
      }
    if (c.nw > most_work) c.nw = most_work;
    if (c.numfun > most_numfun) c.numfun = most_numfun;
    calls = 0;
    run(&c);
    assert_in_range(c.ifail, 0, 12);
    ++codes[c.ifail];
    if (c.ifail >= 2) assert_int_equal(c.neval, -7);
    if (c.ifail < 2) assert_true(calls <= c.maxpts);
    if (c.ifail == 0)
      for (int k = 0; k < c.numfun; ++k)
        assert_true(c.abserr[k] <= c.epsabs || c.abserr[k] <= c.epsrel * fabs(c.result[k]));
  }
  for (int code = 0; code <= 12; ++code) {
    print_message("  IFAIL %d: %d\n", code, codes[code]);
    assert_true(codes[code] > 0);
  }
}
static void no_arguments_do_harm(void **state) {
  (void)state;
  fuzz(sanitized ? 5000 : 20000, 2026);
  tessera_dcuhre_threads(2);
  fuzz(5000, 2027);
  tessera_dcuhre_threads(0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_arguments_have_the_originals_codes),
      cmocka_unit_test(what_the_original_accepts_is_accepted),
      cmocka_unit_test(the_points_of_the_rules_are_those_of_the_original),
      cmocka_unit_test(the_counts_are_those_of_the_original),
      cmocka_unit_test(a_component_does_not_depend_on_the_others),
      cmocka_unit_test(maxpts_is_never_exceeded),
      cmocka_unit_test(reversed_limits_change_the_sign),
      cmocka_unit_test(other_boxes),
      cmocka_unit_test(work_holds_the_regions),
      cmocka_unit_test(a_run_in_parts_is_the_run_as_a_whole),
      cmocka_unit_test(a_restart_divides_before_it_looks),
      cmocka_unit_test(a_work_that_holds_no_run_is_refused),
      cmocka_unit_test(a_restart_after_a_device),
      cmocka_unit_test(a_nan_is_not_success),
      cmocka_unit_test(a_run_can_be_cancelled),
      cmocka_unit_test(more_dimensions_on_request),
      cmocka_unit_test(the_integrand_may_call_dcuhre),
      cmocka_unit_test(several_threads_may_call),
      cmocka_unit_test(several_threads_may_work),
      cmocka_unit_test(a_forked_process_works_with_threads_of_its_own),
      cmocka_unit_test(single_precision),
      cmocka_unit_test(no_arguments_do_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
