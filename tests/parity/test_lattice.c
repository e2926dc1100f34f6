/* Lattice rules and generating vectors on the host and on device 0. Skipped where there is none.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "device_code.h"
#include "solve.h"
#include "skip.h"

enum { device = 0, most_ncomp = 4 };

static const char product_text[] = /* a smooth product, and with two components its logarithm's exponential */
    "double product(const double *x) {\n"
    "  double p = 1;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) p *= 1 + (exp(x[j]) - 1.7) / (1 + j);\n"
    "  return p;\n"
    "}\n";

static void put_text(tessera_solver *s, int language, const char *text, const char *function) {
  assert_status(s, tessera_set_integrand_source(s, language, text, function), TESSERA_OK);
}

struct lattice_answer {
  int status, transform;
  double value[most_ncomp], error[most_ncomp];
  int64_t evaluations, points, shifts;
};

static struct lattice_answer lattice_run(tessera_solver *s, int where) {
  struct lattice_answer a;
  memset(&a, 0, sizeof a);
  put_int(s, TESSERA_DEVICE, where);
  a.status = tessera_integrate(s, TESSERA_LATTICE, a.value, a.error);
  if (a.status < 0) assert_status(s, a.status, TESSERA_OK);
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), where);
  a.evaluations = got_int(s, TESSERA_EVALUATIONS);
  a.points = got_int(s, TESSERA_POINTS_USED);
  a.shifts = got_int(s, TESSERA_SHIFTS_USED);
  a.transform = (int)got_int(s, TESSERA_TRANSFORM_USED);
  return a;
}

/* The same points: values agree as sums of the same terms do. `rough`: what transcendental functions and changes of variables may
 * differ by, relative to the value. */
static void assert_lattice_parity(const char *name, tessera_solver *s, int ncomp, double rough) {
  put_int(s, TESSERA_THREADS, 0);
  const struct lattice_answer here = lattice_run(s, -1), there = lattice_run(s, device), again = lattice_run(s, device);
  for (int k = 0; k < ncomp; ++k)
    print_message("  %-34s status %d %d  %.16g %.16g  +- %.3e %.3e  %lld evaluations\n", name, here.status,
                  there.status, here.value[k], there.value[k], here.error[k], there.error[k],
                  (long long)there.evaluations);
  assert_int_equal(there.status, here.status);
  assert_int_equal(there.evaluations, here.evaluations);
  assert_int_equal(there.points, here.points);
  assert_int_equal(there.shifts, here.shifts);
  assert_int_equal(there.transform, here.transform);
  for (int k = 0; k < ncomp; ++k) {
    assert_close(there.value[k], here.value[k], rough, 0);
    assert_close(there.error[k], here.error[k], 0, 1e-6 * here.error[k] + rough * fabs(here.value[k]));
    assert_same_bits(again.value[k], there.value[k]);
    assert_same_bits(again.error[k], there.error[k]);
  }
}

/* All evaluations are used up, so that both sides stop at the same place. */
static tessera_solver *lattice_solver(int ndim, int ncomp, int64_t evaluations) {
  tessera_solver *s = solver_of(ndim, ncomp);
  put_real(s, TESSERA_RELTOL, 0);
  put_int(s, TESSERA_MAXEVAL, evaluations);
  return s;
}

/* ---- Points ---------------------------------------------------------------------------------------------------------------- */
static void changes_of_variables(void **state) {
  static const int transforms[] = {1, 2, 3, 11, 12, 13, 14, 15, 16, 21, 22, 23, 24, 25, 26};
  (void)state;
  for (size_t t = 0; t < sizeof transforms / sizeof transforms[0]; ++t) {
    char name[32];
    tessera_solver *s = lattice_solver(4, 1, 300000);
    put_text(s, TESSERA_LANGUAGE_CUDA, product_text, "product");
    put_int(s, TESSERA_TRANSFORM, transforms[t]);
    snprintf(name, sizeof name, "transform %d", transforms[t]);
    assert_lattice_parity(name, s, 1, 2e-13);
    tessera_destroy(s);
  }
}

/* No rounding at all: sums of k/2^12 are exact, so every point must be the same one. */
static void the_same_points(void **state) {
  static const char text[] =
      "double f(const double *x) {\n"
      "  double s = 0;\n"
      "  for (int j = 0; j < TESSERA_NDIM; ++j) s += (j + 1) * floor(x[j] * 4096);\n"
      "  return s;\n"
      "}\n";
  (void)state;
  for (int ndim = 1; ndim <= 40; ndim += 13)
    for (int prime = 0; prime < 2; ++prime) {
      tessera_lattice *l = NULL;
      tessera_solver *s = lattice_solver(ndim, 1, 1500000);
      put_text(s, TESSERA_LANGUAGE_CUDA, text, "f");
      put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_NONE);
      if (prime) {
        assert_int_equal(tessera_lattice_create(&l, ndim), TESSERA_OK);
        assert_int_equal(tessera_lattice_korobov(l, 40009, 17797), TESSERA_OK);
        assert_status(s, tessera_set_lattice(s, l), TESSERA_OK);
      }
      const struct lattice_answer here = lattice_run(s, -1), there = lattice_run(s, device);
      assert_int_equal(there.evaluations, here.evaluations);
      assert_same_bits(there.value[0], here.value[0]);
      assert_close(there.error[0], here.error[0], 1e-12, 0);
      tessera_destroy(s);
      tessera_lattice_destroy(l);
    }
}

static void many_variables(void **state) {
  (void)state;
  for (int ndim = 24; ndim <= 300; ndim = ndim < 33 ? ndim + 8 : ndim + 267) {
    char name[32];
    tessera_solver *s = lattice_solver(ndim, 1, 200000);
    put_text(s, TESSERA_LANGUAGE_CUDA, product_text, "product");
    put_int(s, TESSERA_TRANSFORM, ndim == 32 ? TESSERA_TRANSFORM_SIDI3 : TESSERA_TRANSFORM_BAKER);
    snprintf(name, sizeof name, "%d variables", ndim);
    assert_lattice_parity(name, s, 1, 1e-12);
    tessera_destroy(s);
  }
}

static void domains(void **state) {
  static const char gauss[] =
      "double f(const double *x) { double s = 0; for (int j = 0; j < TESSERA_NDIM; ++j) s += x[j] * x[j]; return "
      "exp(-s); }";
  const double lower[3] = {-1, 2, 0.5}, upper[3] = {3, -2, 0.75}, from[3] = {-INFINITY, 0, -INFINITY},
               to[3] = {INFINITY, INFINITY, 1};
  (void)state;
  for (int infinite = 0; infinite < 2; ++infinite)
    for (int transform = TESSERA_TRANSFORM_NONE; transform <= TESSERA_TRANSFORM_KOROBOV3; transform += 4) {
      tessera_solver *s = lattice_solver(3, 1, 300000);
      put_text(s, TESSERA_LANGUAGE_CUDA, gauss, "f");
      assert_status(s, infinite ? tessera_set_domain(s, from, to) : tessera_set_domain(s, lower, upper), TESSERA_OK);
      put_int(s, TESSERA_TRANSFORM,
              transform == 5   ? TESSERA_TRANSFORM_BAKER
              : transform == 9 ? TESSERA_TRANSFORM_TANH
                               : transform);
      assert_lattice_parity(infinite ? "infinite ranges" : "a box, one axis reversed", s, 1, 2e-13);
      tessera_destroy(s);
    }
}

static void complements(void **state) {
  static const char text[] = "double f(const double *x) { return 1 / sqrt(x[0] * x[TESSERA_NDIM + 1]); }";
  const double lower[2] = {0, 1}, upper[2] = {1, 4};
  (void)state;
  for (int box = 0; box < 2; ++box) {
    tessera_solver *s = lattice_solver(2, 1, 300000);
    put_text(s, TESSERA_LANGUAGE_CUDA, text, "f");
    put_int(s, TESSERA_COMPLEMENT, 1);
    put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_KOROBOV2);
    if (box) assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
    assert_lattice_parity("complements", s, 1, 2e-13);
    tessera_destroy(s);
  }
}

/* ---- Rules ------------------------------------------------------------------------------------------------------------------ */
static void vectors_and_rules(void **state) {
  const int64_t z[5] = {1, 18667, 10891, 12753, 11745};
  (void)state;
  for (int rule = 0; rule < 6; ++rule) {
    static const char *const names[] = {"built-in vector", "Korobov",      "the user's vector",
                                        "median",          "maximal rank", "auto"};
    tessera_lattice *l = NULL;
    tessera_solver *s = lattice_solver(5, 1, rule == 4 ? 20000000 : 1000000);
    put_text(s, TESSERA_LANGUAGE_CUDA, product_text, "product");
    put_int(s, TESSERA_TRANSFORM, rule == 5 ? TESSERA_TRANSFORM_AUTO : TESSERA_TRANSFORM_KOROBOV2);
    if (rule == 1 || rule == 2 || rule == 4) {
      assert_int_equal(tessera_lattice_create(&l, 5), TESSERA_OK);
      assert_int_equal(rule == 2 ? tessera_lattice_vector(l, 32768, z) : tessera_lattice_korobov(l, 20011, 7575),
                       TESSERA_OK);
      assert_status(s, tessera_set_lattice(s, l), TESSERA_OK);
    }
    if (rule == 3) put_int(s, TESSERA_MEDIAN, 9);
    if (rule == 4) put_int(s, TESSERA_COPIES, 2);
    if (rule == 5) put_real(s, TESSERA_RELTOL, 1e-5);
    assert_lattice_parity(names[rule], s, 1, rule == 4 ? 1e-12 : 2e-13);
    tessera_destroy(s);
    tessera_lattice_destroy(l);
  }
}

static void several_components(void **state) {
  static const char text[] =
      "void f(const double *x, double *v) {\n"
      "  v[0] = 1;\n  v[1] = x[0] * x[1];\n  v[2] = exp(x[2] + x[3]);\n  v[3] = cos(3 * x[0]) - x[3];\n"
      "}\n";
  (void)state;
  tessera_solver *s = lattice_solver(4, 4, 600000);
  put_text(s, TESSERA_LANGUAGE_CUDA, text, "f");
  put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_SIDI1);
  assert_lattice_parity("four components", s, 4, 1e-12);
  tessera_destroy(s);
}

/* ---- Forms ------------------------------------------------------------------------------------------------------------------ */
static int line(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double *a = userdata;
  (void)ncomp;
  f[0] = a[1];
  for (int j = 0; j < ndim; ++j) f[0] += a[0] * x[j];
  return 0;
}

static void forms(void **state) {
  static const char c[] =
      "int line(int ndim, const double *x, int ncomp, double *f, void *userdata) {\n"
      "  const double *a = userdata;\n"
      "  f[0] = a[1];\n"
      "  for (int j = 0; j < ndim; ++j) f[0] += a[0] * x[j];\n"
      "  return 0;\n"
      "}\n"
      "int cuba(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata) {\n"
      "  return line(*ndim, x, *ncomp, f, userdata);\n"
      "}\n";
  double params[2] = {3, 0.25};
  (void)state;
  for (int language = TESSERA_LANGUAGE_C; language <= TESSERA_LANGUAGE_CUBA; ++language) {
    tessera_solver *s = lattice_solver(3, 1, 300000);
    assert_status(s, tessera_set_params(s, params, sizeof params), TESSERA_OK);
    put_text(s, language, c, language == TESSERA_LANGUAGE_C ? "line" : "cuba");
    put_point(s, line, params); /* and is compared */
    put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_BAKER);
    assert_lattice_parity(language == TESSERA_LANGUAGE_C ? "C" : "Cuba's C", s, 1, 1e-13);
    tessera_destroy(s);
  }
  for (int ptx = 0; ptx < 2; ++ptx) {
    struct code code = code_by_nvrtc(
        "extern \"C\" __device__ void line(const double *x, double *f, const void *p) {"
        " const double *a = (const double *)p; f[0] = a[1] + a[0] * (x[0] + x[1] + x[2]); }",
        ptx ? "-rdc=true" : "-dlto", ptx);
    if (!code.bytes) continue;
    tessera_solver *s = lattice_solver(3, 1, 300000);
    assert_status(s, tessera_set_params(s, params, sizeof params), TESSERA_OK);
    const int status =
        tessera_set_integrand_code(s, ptx ? TESSERA_CODE_PTX : TESSERA_CODE_LTOIR, code.bytes, code.size, "line");
    assert_status(s, status, TESSERA_OK);
    put_point(s, line, params);
    put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_BAKER);
    assert_lattice_parity(ptx ? "PTX" : "LTO-IR", s, 1, 1e-13);
    assert_int_equal(got_int(s, TESSERA_INLINED), !ptx);
    tessera_destroy(s);
    free(code.bytes);
  }
}

/* ---- What goes wrong -------------------------------------------------------------------------------------------------------- */
static void answers_of_the_integrand(void **state) {
  static const char text[] =
      "#include <math.h>\n"
      "int bad(int ndim, const double *x, int ncomp, double *f, void *userdata) {\n"
      "  f[0] = x[0] < 0.001 ? log(-1.0) : x[1];\n  return 0;\n"
      "}\n"
      "int stops(int ndim, const double *x, int ncomp, double *f, void *userdata) {\n"
      "  f[0] = x[0];\n  return x[1] > 0.999 ? 7 : 0;\n"
      "}\n";
  double value = -5, error = -5;
  (void)state;
  tessera_solver *s = lattice_solver(2, 1, 300000);
  put_int(s, TESSERA_DEVICE, device);
  put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_NONE);
  put_text(s, TESSERA_LANGUAGE_C, text, "bad");
  assert_status(s, tessera_integrate(s, TESSERA_LATTICE, &value, &error), TESSERA_NONFINITE);
  assert_says(tessera_last_error(s), "component 1 of the integrand is");
  assert_says(tessera_last_error(s), "at x = (");
  put_text(s, TESSERA_LANGUAGE_C, text, "stops");
  value = -5;
  assert_status(s, tessera_integrate(s, TESSERA_LATTICE, &value, &error), TESSERA_ERR_CALLBACK);
  assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 7);
  assert_same_bits(value, -5);
  put_text(s, TESSERA_LANGUAGE_CUDA, product_text, "product"); /* and then all is well again */
  assert_true(tessera_integrate(s, TESSERA_LATTICE, &value, &error) >= 0);
  put_text(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return x[0] + 1; }", "f");
  double params[2] = {1, 0};
  put_point(s, line, params); /* x + y is not x + 1 */
  assert_status(s, tessera_integrate(s, TESSERA_LATTICE, &value, &error), TESSERA_ERR_CHECK);
  tessera_destroy(s);
}

/* ---- Construction ----------------------------------------------------------------------------------------------------------- */
static int64_t *constructed(int where, int ndim, int64_t n, int64_t least, int kernel, int precision, int orders,
                            double *merit) {
  static const double order[4] = {1, 0.5, 0.3, 0.1};
  tessera_lattice *l = NULL;
  int64_t used = -5, *z = calloc((size_t)ndim, sizeof *z);
  assert_non_null(z);
  assert_int_equal(tessera_lattice_create(&l, ndim), TESSERA_OK);
  assert_int_equal(tessera_lattice_set_kernel(l, kernel, NULL, 0), TESSERA_OK);
  if (orders > 0) assert_int_equal(tessera_lattice_set_weights(l, NULL, orders, order), TESSERA_OK);
  assert_int_equal(tessera_lattice_set_int(l, TESSERA_LATTICE_LEAST, least), TESSERA_OK);
  assert_int_equal(tessera_lattice_set_int(l, TESSERA_LATTICE_PRECISION, precision), TESSERA_OK);
  assert_int_equal(tessera_lattice_set_int(l, TESSERA_LATTICE_DEVICE, where), TESSERA_OK);
  const int status = tessera_lattice_construct(l, n);
  if (status != TESSERA_OK) print_error("n = %lld: %s\n", (long long)n, tessera_lattice_last_error(l));
  assert_int_equal(status, TESSERA_OK);
  assert_int_equal(tessera_lattice_get_int(l, TESSERA_LATTICE_DEVICE_USED, &used), TESSERA_OK);
  assert_int_equal(used, where);
  assert_int_equal(tessera_lattice_get_vector(l, z), TESSERA_OK);
  assert_int_equal(tessera_lattice_get_real(l, TESSERA_LATTICE_MERIT, merit), TESSERA_OK);
  tessera_lattice_destroy(l);
  return z;
}

static void the_same_vectors(void **state) {
  static const struct {
    int ndim;
    int64_t n, least;
    int kernel, precision, orders;
  } cases[] = {{20, 1009, 0, 1, 64, 0},    {20, 4001, 0, 1, 64, 0},  {12, 4001, 0, 2, 64, 3}, {10, 1009, 0, 3, 64, 0},
               {20, 1024, 0, 1, 64, 0},    {12, 4096, 16, 1, 64, 0}, {6, 64, 4, 1, 64, 2},    {8, 65536, 0, 2, 64, 0},
               {30, 1008001, 0, 1, 64, 0}, {4, 5, 0, 1, 64, 0},      {3, 4, 0, 1, 64, 0},     {10, 4001, 0, 1, 32, 0}};
  (void)state;
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
    double merit[2];
    int64_t *z[2];
    for (int there = 0; there < 2; ++there)
      z[there] = constructed(there ? device : -1, cases[c].ndim, cases[c].n, cases[c].least, cases[c].kernel,
                             cases[c].precision, cases[c].orders, &merit[there]);
    print_message("  n = %-8lld kernel %d, %d orders, %d bits: e^2 = %.12g %.12g\n", (long long)cases[c].n,
                  cases[c].kernel, cases[c].orders, cases[c].precision, merit[0], merit[1]);
    if (cases[c].precision == 64) {
      for (int j = 0; j < cases[c].ndim; ++j) {
        const int64_t a = z[0][j], b = z[1][j], n = cases[c].n;
        if (a != b && a != n - b)
          print_error("component %d: %lld on the host, %lld on the device\n", j, (long long)a, (long long)b);
        assert_true(a == b || a == n - b);
      }
      assert_close(merit[1], merit[0], 1e-9, 0);
    } else {
      assert_close(merit[1], merit[0], 1e-3, 0);
    }
    free(z[0]);
    free(z[1]);
  }
}

static int stop_at_three(int64_t done, int64_t all, void *userdata) {
  (void)all, (void)userdata;
  return done >= 3;
}

static void constructions_that_end(void **state) {
  tessera_lattice *l = NULL;
  int64_t n = 0;
  (void)state;
  assert_int_equal(tessera_lattice_create(&l, 10), TESSERA_OK);
  assert_int_equal(tessera_lattice_set_int(l, TESSERA_LATTICE_DEVICE, device), TESSERA_OK);
  assert_int_equal(tessera_lattice_set_int(l, TESSERA_LATTICE_MAX_MEMORY, 1000), TESSERA_OK);
  assert_int_equal(tessera_lattice_construct(l, 4001), TESSERA_ERR_MEMORY);
  assert_says(tessera_lattice_last_error(l), "bytes");
  assert_int_equal(tessera_lattice_set_int(l, TESSERA_LATTICE_MAX_MEMORY, 0), TESSERA_OK);
  assert_int_equal(tessera_lattice_set_progress(l, stop_at_three, NULL), TESSERA_OK);
  assert_int_equal(tessera_lattice_construct(l, 4001), TESSERA_ERR_CALLBACK);
  assert_int_equal(tessera_lattice_set_progress(l, NULL, NULL), TESSERA_OK);
  assert_int_equal(tessera_lattice_construct(l, 4002), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_lattice_set_int(l, TESSERA_LATTICE_DEVICE, 1023), TESSERA_OK);
  assert_int_equal(tessera_lattice_construct(l, 4001), TESSERA_ERR_NOT_BUILT);
  assert_int_equal(tessera_lattice_get_int(l, TESSERA_LATTICE_SIZE, &n), TESSERA_OK);
  assert_int_equal(n, 0);
  assert_int_equal(tessera_lattice_set_int(l, TESSERA_LATTICE_DEVICE, -2), TESSERA_OK);
  assert_int_equal(tessera_lattice_construct(l, 4001), TESSERA_OK);
  assert_int_equal(tessera_lattice_get_int(l, TESSERA_LATTICE_DEVICE_USED, &n), TESSERA_OK);
  assert_int_equal(n, device);
  tessera_lattice_destroy(l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changes_of_variables),
      cmocka_unit_test(the_same_points),
      cmocka_unit_test(many_variables),
      cmocka_unit_test(domains),
      cmocka_unit_test(complements),
      cmocka_unit_test(vectors_and_rules),
      cmocka_unit_test(several_components),
      cmocka_unit_test(forms),
      cmocka_unit_test(answers_of_the_integrand),
      cmocka_unit_test(the_same_vectors),
      cmocka_unit_test(constructions_that_end),
  };
  tessera_solver *s = NULL;
  double value, error;
  int status = tessera_create(&s, 1, 1);
  if (status == TESSERA_OK)
    status = tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return x[0]; }", "f");
  if (status == TESSERA_OK) status = tessera_set_int(s, TESSERA_DEVICE, device);
  if (status == TESSERA_OK) status = tessera_integrate(s, TESSERA_LATTICE, &value, &error);
  if (status == TESSERA_ERR_NOT_BUILT) {
    printf("skipped: %s\n", tessera_last_error(s));
    tessera_destroy(s);
    return no_device_here();
  }
  tessera_destroy(s);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
