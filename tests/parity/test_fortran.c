/* On device 0: integrands in Fortran have the values that the host's Fortran compiler gives them, before and after the program's COMMON,
 * its allocatable arrays and its SAVE variables have changed; STOP ends the run. Skipped where there is no device or no flang. The texts are in the directory TESSERA_TEST_FORTRAN.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "fortran/list.h"
#include "skip.h"
#include "solve.h"

enum { device = 0, host = -1, points = 20000 };

static double x[4 * points], here[3 * points], there[3 * points];

static void random_points(int ndim) {
  unsigned long long state = 88172645463325252ULL;
  for (int i = 0; i < ndim * points; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    x[i] = (double)(state >> 11) / 9007199254740992.0;
  }
}

static void assert_same(const char *name, int component, int ncomp, double tolerance) {
  for (int k = 0; k < ncomp; ++k) {
    if (component >= 0 && k != component) continue;
    double largest = 0, worst = 0;
    for (int i = k * points; i < (k + 1) * points; ++i) {
      assert_true(isfinite(here[i]) && isfinite(there[i]));
      largest = fmax(largest, fabs(here[i]));
      worst = fmax(worst, fabs(here[i] - there[i]));
    }
    print_message("  %-24s %d  %.2e of the largest value\n", name, k, worst / largest);
    assert_at_most(worst, tolerance * largest);
  }
}

static void texts(void **state) {
  (void)state;
  for (int k = 0; k < fortran_integrand_count; ++k) {
    const struct fortran_integrand *i = &fortran_integrands[k];
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", TESSERA_TEST_FORTRAN, i->file);
    tessera_solver *s = solver_of(i->ndim, i->ncomp);
    assert_status(s, tessera_set_integrand_file(s, TESSERA_LANGUAGE_FORTRAN, path, i->function), TESSERA_OK);
    assert_status(s, tessera_set_params(s, fortran_parameters, sizeof fortran_parameters), TESSERA_OK);
    random_points(i->ndim);
    put_int(s, TESSERA_DEVICE, host);
    assert_status(s, tessera_evaluate(s, points, x, here), TESSERA_OK);
    put_int(s, TESSERA_DEVICE, device);
    assert_status(s, tessera_evaluate(s, points, x, there), TESSERA_OK);
    print_message("  %-24s compiled in %.3f s\n", i->file, got_real(s, TESSERA_COMPILE_SECONDS));
    /* A counter in COMMON goes on in a program; on a device each evaluation is the first. */
    const int counts = strcmp(i->file, "normal_probability.f") == 0;
    for (int n = points; counts && n < 2 * points; ++n) {
      assert_true(there[n] == 4);
      here[n] = there[n];
    }
    assert_same(i->file, -1, i->ncomp, fmax(i->tolerance, 1e-12));
    tessera_destroy(s);
  }
}

/* ---- COMMON /PARS/ of the program ------------------------------------------------------------------------------------------ */
struct {
  double a, b, c[5];
  int npt;
} pars_ = {1.5, 0.5, {1, 0.5, 0.25, 0.125, 0.0625}, 5};

static void polynomial(const int *ndim, const double *z, const int *numfun, double *f) {
  static const double table[3] = {0.25, 0.5, 0.75};
  double s = 0;
  (void)numfun;
  for (int i = 0; i < *ndim; ++i) {
    if (z[i] >= 0.5) {
      s += pars_.a * z[i] * z[i];
      continue;
    }
    double p = 0;
    for (int k = pars_.npt - 1; k >= 0; --k) p = p * z[i] + pars_.c[k];
    s += pars_.b * p + table[(i + 1) % 3];
  }
  f[0] = s;
  f[1] = sin(s) + fmax(pars_.a, pars_.b) + (*ndim < 3 ? *ndim : 3);
}
static int call_polynomial(int ndim, const double *z, int ncomp, double *f, void *userdata) {
  (void)userdata;
  polynomial(&ndim, z, &ncomp, f);
  return 0;
}

static void register_fortran(void (*function)(void), const char *file, const char *entry) {
  char path[1000];
  snprintf(path, sizeof path, "%s/%s", TESSERA_TEST_FORTRAN, file);
  assert_int_equal(tessera_register_twin(function, TESSERA_LANGUAGE_FORTRAN, path, 1, entry, NULL, 0), TESSERA_OK);
}

/* The function on the host and its twin on the device at the same points, both with what the program holds now. */
static void assert_twin_agrees(tessera_solver *s, void (*function)(void), const char *what) {
  put_int(s, TESSERA_DEVICE, host);
  assert_status(s, tessera_set_twin(s, NULL, NULL), TESSERA_OK);
  assert_status(s, tessera_evaluate(s, points, x, here), TESSERA_OK);
  assert_status(s, tessera_set_twin(s, function, NULL), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, device);
  assert_status(s, tessera_evaluate(s, points, x, there), TESSERA_OK);
  assert_same(what, -1, 2, 1e-12);
}

static void common_of_the_program(void **state) {
  (void)state;
  void (*const function)(void) = (void (*)(void))polynomial;
  register_fortran(function, "common_polynomial.f", "funsub");
  tessera_solver *s = solver_of(3, 2);
  put_point(s, call_polynomial, NULL);
  random_points(3);
  for (int k = 0; k < 3; ++k) {
    pars_.a += 0.75 * k;
    pars_.c[k] -= 0.5;
    pars_.npt = 5 - k;
    assert_twin_agrees(s, function, "COMMON of the program");
  }
  tessera_destroy(s);
  assert_int_equal(tessera_register_twin(function, TESSERA_LANGUAGE_FORTRAN, NULL, 0, NULL, NULL, 0), TESSERA_OK);
}

/* ---- Allocatable arrays and a SAVE variable of the program, as gfortran lays them out ------------------------------------------ */
struct dimension {
  ptrdiff_t stride, lower, upper;
};
#define RECORD(rank)           \
  struct {                     \
    double *base;              \
    size_t offset;             \
    size_t length;             \
    int version;               \
    signed char ranks, type;   \
    short attribute;           \
    ptrdiff_t span;            \
    struct dimension of[rank]; \
  }
RECORD(1) __program_table_MOD_t;
RECORD(2) __program_table_MOD_u;
int __program_table_MOD_order = 1;
static volatile double factor __asm__("scale.7") = 1;

static void in_table(const int *ndim, const double *z, const int *numfun, double *f) {
  const struct dimension t = __program_table_MOD_t.of[0], u = __program_table_MOD_u.of[1];
  const double place = (double)t.lower + z[0] * (double)(t.upper - t.lower);
  ptrdiff_t i = (ptrdiff_t)place < t.upper - 1 ? (ptrdiff_t)place : t.upper - 1;
  (void)ndim, (void)numfun;
  if (place < 0 && (double)i > place) --i;
  const double *const at = __program_table_MOD_t.base + (i - t.lower);
  f[0] = factor * (at[0] + (place - (double)i) * (at[1] - at[0]));
  f[1] = 0;
  for (i = u.lower; i <= u.upper; ++i)
    f[1] +=
        __program_table_MOD_u.base[2 * (i - u.lower)] * pow(z[1], (double)(i - u.lower + __program_table_MOD_order));
}
static int call_in_table(int ndim, const double *z, int ncomp, double *f, void *userdata) {
  (void)userdata;
  in_table(&ndim, z, &ncomp, f);
  return 0;
}

static void arrays_of_the_program(void **state) {
  (void)state;
  static double t[3000], u[2 * 9];
  void (*const function)(void) = (void (*)(void))in_table;
  double value[2], error[2];
  for (int i = 0; i < 3000; ++i) t[i] = sqrt(1.0 + i);
  for (int i = 0; i < 18; ++i) u[i] = 1.0 / (1 + i);
  register_fortran(function, "program_table.f90", "in_table");
  tessera_solver *s = solver_of(2, 2);
  /* Before they are allocated: a sentence, and the twin is good for another time. */
  assert_status(s, tessera_set_twin(s, function, NULL), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, device);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_ERR_NO_INTEGRAND);
  assert_says(tessera_last_error(s), "the program has not allocated it");
  random_points(2);
  put_point(s, call_in_table, NULL);
  for (int k = 0; k < 3; ++k) { /* other sizes and bounds, other elements, another factor */
    const ptrdiff_t lower = 4 * k - 5, many = k == 1 ? 3000 : 20;
    t[2] += k;
    factor = 1.5 + k;
    __program_table_MOD_order = 1 + k;
    __program_table_MOD_t.base = t;
    __program_table_MOD_t.length = __program_table_MOD_u.length = sizeof(double);
    __program_table_MOD_t.span = __program_table_MOD_u.span = sizeof(double);
    __program_table_MOD_t.ranks = 1;
    __program_table_MOD_t.of[0] = (struct dimension){1, lower, lower + many - 1};
    __program_table_MOD_u.base = u;
    __program_table_MOD_u.ranks = 2;
    __program_table_MOD_u.of[0] = (struct dimension){1, 1, 2};
    __program_table_MOD_u.of[1] = (struct dimension){2, 3 - k, 3 + 2 * k};
    assert_twin_agrees(s, function, "arrays of the program");
  }
  assert_true(tessera_integrate(s, TESSERA_CUBATURE, value, error) >= 0);
  tessera_destroy(s);
  assert_int_equal(tessera_register_twin(function, TESSERA_LANGUAGE_FORTRAN, NULL, 0, NULL, NULL, 0), TESSERA_OK);
}

static void stop_ends_the_run(void **state) {
  double value, error;
  (void)state;
  tessera_solver *s = solver_of(1, 1);
  assert_status(s,
                tessera_set_integrand_source(
                    s, TESSERA_LANGUAGE_FORTRAN,
                    "double precision function f(x)\ndouble precision x\n"
                    "if (x > 0.5d0) then\nprint *, 'too large', x\nstop 3\nend if\nf = x\nend function\n",
                    "f"),
                TESSERA_OK);
  put_int(s, TESSERA_DEVICE, device);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_ERR_CALLBACK);
  tessera_destroy(s);
}

static void refused_on_the_device(void **state) {
  double value, error;
  (void)state;
  if (getenv("TESSERA_CARRIED")) skip(); /* what flang makes of it is not carried */
  tessera_solver *s = solver_of(1, 1);
  assert_status(
      s,
      tessera_set_integrand_source(
          s, TESSERA_LANGUAGE_FORTRAN,
          "double precision function f(x)\ndouble precision x, y\nread (*, *) y\nf = x*y\nend function\n", "f"),
      TESSERA_OK);
  put_int(s, TESSERA_DEVICE, device);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_ERR_COMPILE);
  assert_says(tessera_last_error(s), "reads or opens files");
  tessera_destroy(s);
}

int main(void) {
  tessera_solver *s = NULL;
  if (tessera_create(&s, 1, 1) != TESSERA_OK) return 1;
  tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return x[0]; }", "f");
  if (lacks_device(s, device)) return no_device_here();
  if (tessera_create(&s, 1, 1) != TESSERA_OK) return 1;
  tessera_set_integrand_source(s, TESSERA_LANGUAGE_FORTRAN,
                               "function f(x)\ndouble precision f, x\nf = x\nend function\n", "f");
  if (lacks_device(s, device)) return 77; /* the device is there: it is the compiler that is not */
  const struct CMUnitTest all[] = {cmocka_unit_test(texts), cmocka_unit_test(common_of_the_program),
                                   cmocka_unit_test(arrays_of_the_program), cmocka_unit_test(stop_ends_the_run),
                                   cmocka_unit_test(refused_on_the_device)};
  return cmocka_run_group_tests(all, NULL, NULL);
}
