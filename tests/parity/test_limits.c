/* On device 0: limits given as text give what they give on the host and what is known, by every method that runs there, single integrals and many,
 * beside a callback, a text of another language and compiled code. Skipped where there is no device. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "skip.h"
#include "solve.h"

enum { device = 0, cubature, lattice, plain, vegas, kinds };
static const int methods[] = {0, TESSERA_CUBATURE, TESSERA_LATTICE, TESSERA_MONTECARLO, TESSERA_MONTECARLO};

/* ---- Domains ------------------------------------------------------------------------------------------------------------ */
/* All texts define `rest`; f has the parameters a and c. */
struct block {
  double a, c;
};
#define BLOCK "struct block { double a, c; };\n"
struct axis_text {
  int language;
  const char *text;
};
struct domain {
  const char *name;
  int ndim;
  struct axis_text axis[4]; /* no text: that of (0, 1), or of (0, inf) */
  int infinite;             /* axis, or -1 */
  int language;             /* of the integrand */
  const char *integrand;
};
#define C_LIMITS "int limits(int n, int axis, const double *x, double *lower, double *upper, void *userdata) {\n"
static const char ball_c[] =
    "#include <math.h>\ntypedef struct { double a, c; } block;\n#define SQUARE(x) ((x) * (x))\n"
    "static double rest(int axis, const double *x, double a) {\n"
    "  double left = SQUARE(a);\n  for (int j = 0; j < axis; ++j) left -= SQUARE(x[j]);\n  return left;\n}\n" C_LIMITS
    "  const block *b = userdata;\n"
    "  *upper = sqrt(fmax(rest(axis, x, b->a), 0));\n  *lower = -*upper;\n  return 0;\n}\n";
static const char square_c[] =
    "#include <math.h>\ntypedef struct { double a, c; } block;\n#define SQUARE(x) pow(x, 2)\n"
    "static double rest(double x) { return SQUARE(x); }\n"
    "int f(int n, const double *x, int m, double *v, void *p) {\n"
    "  v[0] = ((const block *)p)->c * (rest(x[0]) + rest(x[1]) + rest(x[2]));\n  return 0;\n}\n";
static const char simplex_c[] =
    C_LIMITS "  *lower = 0; *upper = 1;\n  for (int j = 0; j < axis; ++j) *upper -= x[j];\n  return 0;\n}\n";
static const char smooth[] = BLOCK
    "__device__ double rest(double x) { return 0.5 * x; }\n"
    "double f(const double *x, const block *p) { return p->c * exp(x[0] - x[1] * rest(x[2])); }\n";
static const struct domain domains[] = {
    /* of x^2 + y^2 + z^2: 4/5 pi a^5 c */
    {"ball",
     3,
     {{TESSERA_LANGUAGE_C, ball_c}, {TESSERA_LANGUAGE_C, ball_c}, {TESSERA_LANGUAGE_C, ball_c}},
     -1,
     TESSERA_LANGUAGE_C,
     square_c},
    {"simplex",
     3,
     {{TESSERA_LANGUAGE_C, simplex_c}, {TESSERA_LANGUAGE_C, simplex_c}, {TESSERA_LANGUAGE_C, simplex_c}},
     -1,
     TESSERA_LANGUAGE_CUDA,
     smooth},
    /* 0 < x < a, x < y < 2x, of c x y: 3/8 a^4 c */
    {"wedge",
     2,
     {{TESSERA_LANGUAGE_CUDA,
       BLOCK "__device__ double rest(const block *b) { return b->a; }\n"
             "void limits(const double *x, double *l, double *u, const block *b) { *l = 0; *u = rest(b); }\n"},
      {TESSERA_LANGUAGE_CUDA,
       "__device__ double rest(const double *x) { return 2 * x[0]; }\n"
       "void limits(const double *x, double *l, double *u) { *l = x[0]; *u = rest(x); }\n"}},
     -1,
     TESSERA_LANGUAGE_CUDA,
     BLOCK "__device__ double rest(const double *x) { return x[0] * x[1]; }\n"
           "double f(const double *x, const block *p) { return p->c * rest(x); }\n"},
    /* 0 < x, 0 < y < a exp(-x), 0 < z < y, of c: a^2 c / 4 */
    {"beside an infinite axis",
     3,
     {{0, NULL},
      {TESSERA_LANGUAGE_CUDA, BLOCK
       "void limits(const double *x, double *l, double *u, const block *b) { *l = 0; *u = b->a * exp(-x[0]); }\n"},
      {TESSERA_LANGUAGE_C, C_LIMITS "  *lower = 0;\n  *upper = x[1];\n  return 0;\n}\n"}},
     0,
     TESSERA_LANGUAGE_CUDA,
     BLOCK "double f(const double *, const block *p) { return p->c; }\n"},
};
enum { ball, simplex, wedge, beside, all_domains };

static double exact(int which, const struct block *b) {
  switch (which) {
    case ball:
      return 0.8 * acos(-1.0) * pow(b->a, 5) * b->c;
    case wedge:
      return 0.375 * pow(b->a, 4) * b->c;
    default:
      return 0.25 * b->a * b->a * b->c;
  }
}

static tessera_solver *made(int which, int kind, int where) {
  const struct domain *d = &domains[which];
  double lower[4], upper[4];
  tessera_solver *s = solver_of(d->ndim, 1);
  for (int j = 0; j < d->ndim; ++j) lower[j] = 0, upper[j] = j == d->infinite ? INFINITY : 1;
  assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
  for (int j = d->ndim - 1; j >= 0; --j)
    if (d->axis[j].text)
      assert_status(s, tessera_set_limits_source(s, j, d->axis[j].language, d->axis[j].text, "limits"), TESSERA_OK);
  assert_status(s, tessera_set_integrand_source(s, d->language, d->integrand, "f"), TESSERA_OK);
  put_real(s, TESSERA_RELTOL, kind == cubature ? (which == ball ? 1e-5 : 1e-8) : 1e-3);
  if (kind == plain) put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN);
  if (kind == vegas) put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS);
  put_int(s, TESSERA_DEVICE, where);
  return s;
}

static const struct block block = {1.25, 2};

static void host_and_device_agree(void **state) {
  (void)state;
  for (int which = 0; which < all_domains; ++which)
    for (int kind = cubature; kind < kinds; ++kind) {
      double value[2], error[2];
      for (int at = 0; at < 2; ++at) {
        tessera_solver *s = made(which, kind, at == 0 ? TESSERA_DEVICE_HOST : device);
        assert_status(s, tessera_set_params(s, &block, sizeof block), TESSERA_OK);
        assert_status(s, tessera_integrate(s, methods[kind], &value[at], &error[at]), TESSERA_OK);
        assert_int_equal(got_int(s, TESSERA_DEVICE_USED), at == 0 ? TESSERA_DEVICE_HOST : device);
        if (at == 1) assert_int_equal(got_int(s, TESSERA_INLINED), 1);
        if (which != simplex) assert_close(value[at], exact(which, &block), 0, 6 * error[at]);
        tessera_destroy(s);
      }
      assert_close(value[1], value[0], 1e-13, 6 * (error[0] + error[1]));
    }
}

static void a_simplex_by_limits_is_that_of_set_simplex(void **state) {
  (void)state;
  for (int kind = cubature; kind < kinds; ++kind) {
    double value[2], error[2];
    for (int k = 0; k < 2; ++k) {
      tessera_solver *s = made(simplex, kind, device);
      assert_status(s, tessera_set_params(s, &block, sizeof block), TESSERA_OK);
      if (k == 1) {
        for (int j = 0; j < 3; ++j) assert_status(s, tessera_set_limits_source(s, j, 0, NULL, NULL), TESSERA_OK);
        assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, NULL), TESSERA_OK);
      }
      assert_status(s, tessera_integrate(s, methods[kind], &value[k], &error[k]), TESSERA_OK);
      tessera_destroy(s);
    }
    assert_close(value[1], value[0], 1e-13, 6 * (error[0] + error[1]));
  }
}

/* As many integrals, each with its block, which text and limits read; and one after another with one solver. */
static void many_integrals(void **state) {
  (void)state;
  enum { count = 40 };
  struct block blocks[count];
  double value[count], error[count];
  for (int i = 0; i < count; ++i) blocks[i].a = 0.5 + 0.05 * i, blocks[i].c = 1 + i % 3;
  for (int which = 0; which < all_domains; ++which)
    for (int kind = cubature; kind < kinds && which != simplex; ++kind) {
      tessera_solver *s = made(which, kind, device);
      if (kind != cubature) put_real(s, TESSERA_RELTOL, 1e-2);
      assert_status(
          s, tessera_integrate_many(s, methods[kind], count, blocks, sizeof blocks[0], NULL, NULL, value, error, NULL),
          TESSERA_OK);
      assert_int_equal(got_int(s, TESSERA_DEVICE_USED), device);
      for (int i = 0; i < count; ++i) assert_close(value[i], exact(which, &blocks[i]), 1e-12, 6 * error[i]);
      for (int i = 0; i < 2; ++i) {
        assert_status(s, tessera_set_params(s, &blocks[i], sizeof blocks[i]), TESSERA_OK);
        assert_status(s, tessera_integrate(s, methods[kind], value, error), TESSERA_OK);
        assert_close(value[0], exact(which, &blocks[i]), 1e-12, 6 * error[0]);
      }
      tessera_destroy(s);
    }
}

static int square(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp;
  f[0] = ((const struct block *)userdata)->c * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  return 0;
}
static int cube(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  square(ndim, x, ncomp, f, userdata);
  f[0] *= x[0];
  return 0;
}
/* A callback is compared with the text at points that the kernels have mapped. */
static void a_callback_beside(void **state) {
  (void)state;
  for (int kind = cubature; kind <= plain; ++kind) {
    double value, error;
    tessera_solver *s = made(ball, kind, device);
    assert_status(s, tessera_set_params(s, &block, sizeof block), TESSERA_OK);
    put_point(s, square, NULL);
    assert_status(s, tessera_integrate(s, methods[kind], &value, &error), TESSERA_OK);
    assert_close(value, exact(ball, &block), 0, 6 * error);
    put_point(s, cube, NULL);
    assert_status(s, tessera_integrate(s, methods[kind], &value, &error), TESSERA_ERR_CHECK);
    tessera_destroy(s);
  }
}

/* PTX that doubles the last coordinate, with limits in both languages; other limits are other kernels. */
static void compiled_code(void **state) {
  (void)state;
  static const char ptx[] =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .func f(.param .b64 f_0, .param .b64 f_1, .param .b64 f_2)\n{\n"
      "  .reg .b64 %x;\n  .reg .b64 %v;\n  .reg .f64 %d;\n"
      "  ld.param.u64 %x, [f_0];\n  ld.param.u64 %v, [f_1];\n  ld.f64 %d, [%x+8];\n  add.f64 %d, %d, %d;\n"
      "  st.f64 [%v], %d;\n  ret;\n}\n";
  const struct axis_text of[] = {
      {TESSERA_LANGUAGE_CUDA, "void limits(const double *x, double *l, double *u) { *l = 0; *u = x[0]; }\n"},
      {TESSERA_LANGUAGE_C, C_LIMITS "  *lower = x[0];\n  *upper = 1;\n  return 0;\n}\n"},
      {0, NULL}};
  const double expected[] = {1.0 / 3, 2.0 / 3, 1}; /* 2y */
  double value, error;
  tessera_solver *s = solver_of(2, 1);
  const int status = tessera_set_integrand_code(s, TESSERA_CODE_PTX, ptx, sizeof ptx - 1, "f");
  assert_status(s, status, TESSERA_OK);
  put_int(s, TESSERA_DEVICE, device);
  put_real(s, TESSERA_RELTOL, 1e-9);
  for (int i = 0; i < 3; ++i) {
    assert_status(s, tessera_set_limits_source(s, 1, of[i].language, of[i].text, of[i].text ? "limits" : NULL),
                  TESSERA_OK);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
    assert_close(value, expected[i], 1e-9, 0);
  }
  tessera_destroy(s);
}

static void one_variable(void **state) {
  (void)state;
  enum { count = 2000 };
  static double ranges[count][2], value[count], error[count];
  tessera_solver *s = solver_of(1, 1);
  for (int i = 0; i < count; ++i) ranges[i][0] = -1 + 0.001 * i, ranges[i][1] = 1 + 0.002 * i;
  assert_status(
      s,
      tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA,
                                   "double f(const double *x) { return x[0] > 6 ? nan(\"\") : cos(x[0]); }\n", "f"),
      TESSERA_OK);
  assert_status(s,
                tessera_set_limits_source(
                    s, 0, TESSERA_LANGUAGE_CUDA,
                    "void f(const double *, double *l, double *u, const double *p) { *l = p[0]; *u = p[1]; }\n", "f"),
                TESSERA_OK);
  put_int(s, TESSERA_DEVICE, device);
  put_real(s, TESSERA_RELTOL, 1e-10);
  put_real(s, TESSERA_ABSTOL, 1e-12);
  assert_status(
      s, tessera_integrate_many(s, TESSERA_QUADRATURE, count, ranges, sizeof ranges[0], NULL, NULL, value, error, NULL),
      TESSERA_OK);
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), device);
  for (int i = 0; i < count; ++i) assert_close(value[i], sin(ranges[i][1]) - sin(ranges[i][0]), 1e-10, 1e-12);
  const double beyond[] = {5, 7}; /* a point is named in the user's coordinates */
  assert_int_not_equal(
      tessera_integrate_many(s, TESSERA_QUADRATURE, 1, beyond, sizeof beyond, NULL, NULL, value, error, NULL),
      TESSERA_OK);
  assert_says(tessera_last_error(s), "x = 6.");
  tessera_destroy(s);
}

/* What ends a run on the host ends it with the same status on a device. */
static void what_goes_wrong_is_told(void **state) {
  (void)state;
  const struct {
    int language;
    const char *text, *says;
    int callback_status;
  } of[] = {
      {TESSERA_LANGUAGE_CUDA, "void limits(const double *x, double *l, double *u) { *l = 0; *u = x[0] - 0.5; }\n",
       "the limits of axis 1 cross", 0},
      {TESSERA_LANGUAGE_CUDA, "void limits(const double *x, double *l, double *u) { *l = 0; *u = sqrt(x[0] - 2); }\n",
       "the limits of axis 1 are ", 0},
      {TESSERA_LANGUAGE_CUDA, "void limits(const double *x, double *l, double *u) { *l = 0; }\n",
       "the limits of axis 1 are ", 0},
      {TESSERA_LANGUAGE_C, C_LIMITS "  *lower = -1.5e308; *upper = 1.5e308;\n  return 0;\n}\n",
       "the limits of axis 1 are ", 0},
      {TESSERA_LANGUAGE_C, C_LIMITS "  *lower = 0; *upper = 1;\n  return x[0] > 0.3 ? 40 + axis : 0;\n}\n",
       "returned 41", 41},
  };
  for (size_t i = 0; i < sizeof of / sizeof of[0]; ++i)
    for (int kind = cubature; kind < kinds; ++kind)
      for (int many = 0; many < 2; ++many) {
        int status[2], each[2] = {0, 0};
        for (int at = 0; at < 2; ++at) {
          double value = -7, error = -7;
          tessera_solver *s = made(simplex, kind, at == 0 ? TESSERA_DEVICE_HOST : device);
          assert_status(s, tessera_set_params(s, &block, sizeof block), TESSERA_OK);
          for (int j = 0; j < 3; ++j)
            assert_status(s, tessera_set_limits_source(s, j, of[i].language, j == 1 ? of[i].text : NULL, "limits"),
                          TESSERA_OK);
          status[at] = many
                           ? tessera_integrate_many(s, methods[kind], 1, NULL, 0, NULL, NULL, &value, &error, &each[at])
                           : tessera_integrate(s, methods[kind], &value, &error);
          assert_true(status[at] < 0 || each[at] < 0 || status[at] == TESSERA_CALLBACK_STOPPED);
          assert_says(tessera_last_error(s), of[i].says);
          assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), of[i].callback_status);
          if (status[at] < 0) assert_true(value == -7 && error == -7);
          /* the same solver goes on */
          assert_status(s, tessera_set_limits_source(s, 1, 0, NULL, NULL), TESSERA_OK);
          assert_status(s, tessera_integrate(s, methods[kind], &value, &error), TESSERA_OK);
          tessera_destroy(s);
        }
        assert_int_equal(status[1], status[0]);
        assert_int_equal(each[1], each[0]);
      }
}

static void points_that_are_not_finite_are_the_users(void **state) {
  (void)state;
  double value, error;
  for (int kind = cubature; kind < kinds; ++kind) {
    tessera_solver *s = solver_of(2, 1);
    assert_status(s,
                  tessera_set_integrand_source(
                      s, TESSERA_LANGUAGE_CUDA,
                      "double f(const double *x) { return x[1] < 100.5 ? sqrt(x[0]) : nan(\"\"); }\n", "f"),
                  TESSERA_OK);
    assert_status(s,
                  tessera_set_limits_source(
                      s, 1, TESSERA_LANGUAGE_CUDA,
                      "void f(const double *x, double *l, double *u) { *l = 100; *u = 100.9 + 0.1 * x[0]; }\n", "f"),
                  TESSERA_OK);
    if (kind >= plain) put_int(s, TESSERA_SAMPLING, kind == plain ? TESSERA_SAMPLING_PLAIN : TESSERA_SAMPLING_VEGAS);
    put_int(s, TESSERA_DEVICE, device);
    put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
    assert_status(s, tessera_integrate(s, methods[kind], &value, &error), TESSERA_NONFINITE);
    assert_says(tessera_last_error(s), ", 100.");
    tessera_destroy(s);
  }
}

static tessera_solver *any(void) {
  tessera_solver *s = made(wedge, cubature, device);
  assert_status(s, tessera_set_params(s, &block, sizeof block), TESSERA_OK);
  return s;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(host_and_device_agree),   cmocka_unit_test(a_simplex_by_limits_is_that_of_set_simplex),
      cmocka_unit_test(many_integrals),          cmocka_unit_test(a_callback_beside),
      cmocka_unit_test(compiled_code),           cmocka_unit_test(one_variable),
      cmocka_unit_test(what_goes_wrong_is_told), cmocka_unit_test(points_that_are_not_finite_are_the_users),
  };
  if (lacks_device(any(), device)) return no_device_here();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
