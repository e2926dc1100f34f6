/* Twins on device 0: ADAPT runs its integrand there, and the answers are right. Skipped where there is no device.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include <cuba.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "files.h"
#include "solve.h"
#include "tessera_adapt.h"
#include "tessera_dcuhre.h"
#include "skip.h"

enum { compared = 64 }; /* points at which the function is called before the twin runs */

/* ---- A function and its twin --------------------------------------------------------------------------------------------- */
/* As COMMON blocks: the bell's centre and height, and a scale. */
struct shape {
  double centre[10], steepness;
};
struct shape bell_block_ = {{0.4, 0.45, 0.5, 0.55, 0.6, 0.4, 0.45, 0.5, 0.55, 0.6}, 4};
double scale_block_[2] = {1, 0};

static long calls;
double bell_(const int *ndim, const double *z);
double bell_(const int *ndim, const double *z) {
  double s = 0;
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  for (int j = 0; j < *ndim; ++j) s += (z[j] - bell_block_.centre[j]) * (z[j] - bell_block_.centre[j]);
  return scale_block_[0] * exp(-bell_block_.steepness * s);
}
static double exact(int n) {
  const double r = sqrt(bell_block_.steepness);
  double p = scale_block_[0];
  for (int j = 0; j < n; ++j)
    p *= sqrt(acos(-1.0)) / (2 * r) * (erf(r * (1 - bell_block_.centre[j])) + erf(r * bell_block_.centre[j]));
  return p;
}

/* struct shape, padded to 96 bytes, and then the scale */
static const char twin_c[] =
    "#include <math.h>\n"
    "struct block { double centre[10], steepness, unused, scale; };\n"
    "int bell(int ndim, const double *z, int ncomp, double *f, void *params) {\n"
    "  const struct block *b = params;\n  double s = 0;\n"
    "  for (int j = 0; j < ndim; ++j) s += (z[j] - b->centre[j]) * (z[j] - b->centre[j]);\n"
    "  f[0] = b->scale * exp(-b->steepness * s);\n  return 0;\n}\n";
static const char twin_cuda[] =
    "struct shape { double centre[10], steepness; };\n"
    "__device__ double bell(const double *z, const shape *b) {\n  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += (z[j] - b->centre[j]) * (z[j] - b->centre[j]);\n"
    "  return exp(-b->steepness * s);\n}\n";

static double in_cuda(const int *ndim, const double *z) {
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  double s = 0;
  for (int j = 0; j < *ndim; ++j) s += (z[j] - bell_block_.centre[j]) * (z[j] - bell_block_.centre[j]);
  return exp(-bell_block_.steepness * s);
}
static double differs(const int *ndim, const double *z) { return 1.001 * in_cuda(ndim, z); }
static double sharp(const int *ndim, const double *z) {
  double s = 0;
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  for (int j = 0; j < *ndim; ++j) s += fabs(z[j] - 0.37);
  return s < 1 ? 1 : 0;
}
static double singular(const int *ndim, const double *z) {
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  return *ndim > 1 && z[0] > 0.9 && z[1] > 0.9 ? NAN : 1;
}

typedef void (*any_function)(void);
static void put_twin(tessera_adapt_functn f, const char *text, const char *name, const void *params, size_t bytes) {
  assert_int_equal(tessera_register_twin((any_function)f, TESSERA_LANGUAGE_CUDA, text, 0, name, params, bytes),
                   TESSERA_OK);
}

/* ---- ADAPT ------------------------------------------------------------------------------------------------------------------ */
struct call {
  int ndim, mincls, maxcls, inform;
  double relreq, absest, finest, seconds;
};
enum { lenwrk = 100000 };
static double work[lenwrk];

static void run(struct call *c, tessera_adapt_functn f) {
  static const int length = lenwrk;
  static const double absreq = 0;
  struct timespec a, b;
  calls = 0;
  clock_gettime(CLOCK_MONOTONIC, &a);
  adapt_(&c->ndim, &c->mincls, &c->maxcls, f, &absreq, &c->relreq, &length, work, &c->absest, &c->finest, &c->inform);
  clock_gettime(CLOCK_MONOTONIC, &b);
  c->seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
}
static struct call make(int ndim) {
  const struct call c = {ndim, 0, 400000000, -1, 1e-6, -1, -1, 0};
  return c;
}

static void test_map_file(void **state) {
  (void)state;
  for (int n = 1; n <= 6; ++n) {
    for (int i = 0; i < 2; ++i) {
      bell_block_.steepness = 4 + 3 * i;
      scale_block_[0] = 1 + i;
      struct call c = make(n);
      run(&c, bell_);
      assert_int_equal(c.inform, 0);
      assert_int_equal(calls, compared); /* all others were on the device */
      assert_true(c.mincls > compared);
      assert_at_most(c.absest, 1e-6 * c.finest);
      assert_at_most(fabs(c.finest - exact(n)), 1e-6 * exact(n));
    }
  }
}

static void test_registered(void **state) {
  (void)state;
  put_twin(in_cuda, twin_cuda, "bell", &bell_block_, sizeof bell_block_);
  scale_block_[0] = 1;
  double first = 0;
  for (int i = 0; i < 5; ++i) {
    bell_block_.steepness = i < 4 ? 2 + i : 2;
    struct call c = make(5);
    run(&c, in_cuda);
    assert_int_equal(c.inform, 0);
    assert_int_equal(calls, compared);
    assert_at_most(fabs(c.finest - exact(5)), 1e-6 * exact(5));
    if (i == 0) first = c.finest;
    if (i == 4) assert_same_bits(c.finest, first);
  }
  /* mincls is reached; mincls < 0 starts from the beginning */
  struct call c = make(3);
  c.relreq = 1e-3;
  c.mincls = 3000000;
  run(&c, in_cuda);
  assert_int_equal(c.inform, 0);
  assert_true(c.mincls >= 3000000);
  c.mincls = -1;
  run(&c, in_cuda);
  assert_int_equal(c.inform, 0);
  assert_at_most(fabs(c.finest - exact(3)), 1e-3 * exact(3));
  /* taken away: the host again */
  assert_int_equal(tessera_register_twin((any_function)in_cuda, 0, NULL, 0, NULL, NULL, 0), TESSERA_OK);
  c = make(3);
  c.relreq = 1e-3;
  run(&c, in_cuda);
  assert_int_equal(c.inform, 0);
  assert_int_equal(calls, c.mincls);
}

/* Data that change without the twin: seen at the next call, and the host function's answer counts. */
static void test_data_in_the_text(void **state) {
  (void)state;
  static const char frozen[] =
      "__device__ double bell(const double *z) {\n  double s = 0;\n"
      "  const double centre[] = {0.4, 0.45, 0.5};\n"
      "  for (int j = 0; j < 3; ++j) s += (z[j] - centre[j]) * (z[j] - centre[j]);\n  return exp(-2 * s);\n}\n";
  put_twin(in_cuda, frozen, "bell", NULL, 0);
  bell_block_.steepness = 2;
  struct call c = make(3);
  c.relreq = 1e-4;
  run(&c, in_cuda);
  assert_int_equal(calls, compared);
  bell_block_.steepness = 2.5;
  for (int i = 0; i < 2; ++i) {
    c = make(3);
    c.relreq = 1e-4;
    run(&c, in_cuda);
    assert_int_equal(c.inform, 0);
    assert_int_equal(calls, c.mincls + (i == 0 ? compared : 0));
    assert_at_most(fabs(c.finest - exact(3)), 1e-3 * exact(3));
  }
}

static void test_fallbacks(void **state) {
  (void)state;
  bell_block_.steepness = 2;
  const double right = 1.001 * exact(3);
  static const char broken[] = "__device__ double bell(const double *z) { return sinn(z[0]); }\n";
  for (int i = 0; i < 3; ++i) {
    if (i == 0) put_twin(differs, twin_cuda, "bell", &bell_block_, sizeof bell_block_);
    if (i == 1) put_twin(differs, broken, "bell", NULL, 0);
    if (i == 2) put_twin(differs, twin_cuda, "ball", NULL, 0);
    for (int again = 0; again < 2; ++again) {
      struct call c = make(3);
      c.relreq = 1e-4;
      run(&c, differs);
      assert_int_equal(c.inform, 0);
      assert_int_equal(calls, c.mincls + (i == 0 && again == 0 ? compared : 0));
      assert_at_most(fabs(c.finest - right), 1e-3 * right);
    }
  }
  /* MAXCLS too small for a device, or for what the device makes of it: the original's counts. */
  put_twin(in_cuda, twin_cuda, "bell", &bell_block_, sizeof bell_block_);
  struct call c = make(3);
  c.maxcls = 39;
  c.relreq = 1;
  run(&c, in_cuda);
  assert_int_equal(c.mincls, 52);
  assert_int_equal(c.inform, 0);
}

static void test_endings(void **state) {
  (void)state;
  /* MAXCLS is not passed. */
  static const char sharp_text[] =
      "__device__ double sharp(const double *z) {\n  double s = 0;\n"
      "  for (int j = 0; j < TESSERA_NDIM; ++j) s += fabs(z[j] - 0.37);\n  return s < 1 ? 1 : 0;\n}\n";
  put_twin(sharp, sharp_text, "sharp", NULL, 0);
  struct call c = make(4);
  c.relreq = 1e-12;
  c.maxcls = 20000000;
  run(&c, sharp);
  assert_int_equal(c.inform, 1);
  assert_int_equal(calls, compared);
  assert_true(c.mincls <= c.maxcls && c.mincls > c.maxcls / 4);
  assert_true(c.finest > 0.1 && c.finest < 1 && c.absest > 0);
  static const char singular_text[] =
      "__device__ double singular(const double *z) { return z[0] > 0.9 && z[1] > 0.9 ? sqrt(-z[0]) : 1; }\n";
  put_twin(singular, singular_text, "singular", NULL, 0);
  c = make(2);
  run(&c, singular);
  assert_int_equal(c.inform, 1);
  assert_true(isinf(c.absest));
  assert_int_equal(calls, compared);
}

/* ---- DCUHRE and Cuhre ------------------------------------------------------------------------------------------------------ */
/* Two components: the bell and z1 times it. */
static void pair(const int *ndim, const double *z, const int *numfun, double *f) {
  double s = 0;
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  for (int j = 0; j < *ndim; ++j) s += (z[j] - bell_block_.centre[j]) * (z[j] - bell_block_.centre[j]);
  f[0] = exp(-bell_block_.steepness * s);
  if (*numfun > 1) f[1] = z[0] * f[0];
}
static int cuba_pair(const int *ndim, const double z[], const int *ncomp, double f[], void *userdata) {
  (void)userdata;
  pair(ndim, z, ncomp, f);
  return 0;
}
static const char pair_text[] =
    "#include <math.h>\nstruct shape { double centre[10], steepness; };\n"
    "int pair(const int *ndim, const double z[], const int *ncomp, double f[], void *params) {\n"
    "  const struct shape *b = params;\n  double s = 0;\n"
    "  for (int j = 0; j < *ndim; ++j) s += (z[j] - b->centre[j]) * (z[j] - b->centre[j]);\n"
    "  f[0] = exp(-b->steepness * s);\n  f[1] = z[0] * f[0];\n  return 0;\n}\n";

/* Over z1 in 0..1, the integrals of the bell and of z1 times it. */
static void exact_pair(int n, double *value) {
  const double a = bell_block_.steepness, c = bell_block_.centre[0];
  scale_block_[0] = 1;
  value[0] = exact(n);
  const double one = sqrt(acos(-1.0) / a) / 2 * (erf(sqrt(a) * (1 - c)) + erf(sqrt(a) * c));
  const double moment = c * one + (exp(-a * c * c) - exp(-a * (1 - c) * (1 - c))) / (2 * a);
  value[1] = value[0] / one * moment;
}

static void test_dcuhre(void **state) {
  (void)state;
  assert_int_equal(tessera_register_twin((any_function)pair, TESSERA_LANGUAGE_CUBA, pair_text, 0, "pair", &bell_block_,
                                         sizeof bell_block_),
                   TESSERA_OK);
  bell_block_.steepness = 4;
  for (int n = 2; n <= 5; ++n) {
    const int numfun = 2, minpts = 0, maxpts = 200000000, key = 0, nw = lenwrk;
    int restar = 0, neval = -1, ifail = -1;
    double a[6], b[6], result[2] = {0, 0}, abserr[2] = {0, 0}, expected[2];
    const double epsabs = 0, epsrel = 1e-6;
    for (int j = 0; j < n; ++j) a[j] = j == 1, b[j] = j != 1; /* the second limits are reversed */
    exact_pair(n, expected);
    calls = 0;
    /* lenwrk would be too short for so many regions in the original's terms */
    dcuhre_(&n, &numfun, a, b, &minpts, &maxpts, pair, &epsabs, &epsrel, &key, &nw, &restar, result, abserr, &neval,
            &ifail, work);
    assert_int_equal(ifail, 11);
    assert_int_equal(calls, 0);
    const int fits = 2000000, length = (fits / 66 + 2) * (2 * n + 6) + 100;
    double *array = malloc((size_t)length * sizeof *array);
    assert_non_null(array);
    int neval_before = 0;
    for (int i = 0; i < 4; ++i) { /* RESTAR = 1 starts from the beginning, if there is something to do */
      const double relative = i < 2 ? epsrel : i == 2 ? 1e-9 : 0;
      const int most = i < 3 ? fits : neval_before;
      const double before[4] = {result[0], result[1], abserr[0], abserr[1]};
      int met = i > 0;
      for (int k = 0; i > 0 && k < 2; ++k) met = met && abserr[k] <= relative * fabs(result[k]);
      restar = i > 0;
      calls = 0;
      dcuhre_(&n, &numfun, a, b, &minpts, &most, pair, &epsabs, &relative, &key, &length, &restar, result, abserr,
              &neval, &ifail, array);
      const int runs = !met && i < 3;
      assert_int_equal(calls, runs ? compared : 0);
      if (i < 2 || met) assert_int_equal(ifail, 0);
      if (i == 3 && !met) assert_int_equal(ifail, 1);
      assert_true(neval > compared && neval <= most);
      for (int k = 0; k < 2; ++k) {
        assert_at_most(fabs(result[k] + expected[k]), 1e-6 * expected[k]);
        if (!runs) {
          assert_same_bits(result[k], before[k]);
          assert_same_bits(abserr[k], before[2 + k]);
          assert_int_equal(neval, neval_before);
        }
      }
      if (i == 2) assert_true(fmax(abserr[0], abserr[1]) <= fmax(before[2], before[3]));
      neval_before = neval;
    }
    free(array);
  }
}

static void test_cuhre(void **state) {
  (void)state;
  assert_int_equal(tessera_register_twin((any_function)cuba_pair, TESSERA_LANGUAGE_CUBA, pair_text, 0, "pair",
                                         &bell_block_, sizeof bell_block_),
                   TESSERA_OK);
  for (int n = 2; n <= 6; ++n) {
    int nregions = -1, neval = -1, fail = -7;
    double integral[2], error[2], prob[2], expected[2];
    bell_block_.steepness = 3 + n;
    exact_pair(n, expected);
    calls = 0;
    Cuhre(n, 2, cuba_pair, NULL, 1, 1e-6, 0, 0, 0, 200000000, 0, NULL, NULL, &nregions, &neval, &fail, integral, error,
          prob);
    assert_int_equal(fail, 0);
    assert_int_equal(calls, compared);
    assert_true(neval > compared && nregions > 1);
    for (int k = 0; k < 2; ++k) {
      assert_at_most(error[k], 1e-6 * integral[k]);
      assert_at_most(fabs(integral[k] - expected[k]), 1e-6 * expected[k]);
    }
  }
}

/* ---- The figure: the same call on one core and on the device ------------------------------------------------------------------ */
static void test_speed(void **state) {
  (void)state;
  bell_block_.steepness = 25;
  scale_block_[0] = 1;
  put_twin(in_cuda, twin_cuda, "bell", &bell_block_, sizeof bell_block_);
  struct call there = make(8);
  there.relreq = 1e-3;
  run(&there, in_cuda); /* compiles */
  assert_int_equal(there.inform, 0);
  there = make(8);
  there.relreq = 1e-3;
  run(&there, in_cuda);
  assert_int_equal(there.inform, 0);
  assert_at_most(fabs(there.finest - exact(8)), 1e-3 * exact(8));
  assert_int_equal(tessera_register_twin((any_function)in_cuda, 0, NULL, 0, NULL, NULL, 0), TESSERA_OK);
  struct call here = make(8);
  here.relreq = 1e-3;
  tessera_adapt_extended(1);
  run(&here, in_cuda);
  tessera_adapt_extended(0);
  print_message(
      "8-D bell at 1e-3: device %.4f s, %d calls, error %.1e; host %.3f s, %d calls, error %.1e: %.0f times\n",
      there.seconds, there.mincls, fabs(there.finest / exact(8) - 1), here.seconds, here.mincls,
      fabs(here.finest / exact(8) - 1), here.seconds / there.seconds);
}

static int no_device(void) {
  double value, error;
  tessera_solver *s = solver_of(2, 1);
  assert_status(
      s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, "double one(const double *x) { return 1; }", "one"),
      TESSERA_OK);
  put_int(s, TESSERA_DEVICE, 0);
  const int status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  if (status == TESSERA_ERR_NOT_BUILT) print_message("skipped: %s\n", tessera_last_error(s));
  tessera_destroy(s);
  return status == TESSERA_ERR_NOT_BUILT;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_map_file),  cmocka_unit_test(test_registered), cmocka_unit_test(test_data_in_the_text),
      cmocka_unit_test(test_fallbacks), cmocka_unit_test(test_endings),    cmocka_unit_test(test_dcuhre),
      cmocka_unit_test(test_cuhre),     cmocka_unit_test(test_speed),
  };
  if (no_device()) return no_device_here();
  open_test_directory();
  put_file("bell.c", twin_c);
  put_file("twins.map", "bell_ c bell.c bell params=bell_block_ params=scale_block_:8\n");
  setenv("TESSERA_TWINS", test_path("twins.map"), 1);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  close_test_directory();
  return failed;
}
