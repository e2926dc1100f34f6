/* Limits that are texts, on the host: as functions are, and with the parameter block. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdint.h>

#include "solve.h"

static const int methods[] = {TESSERA_CUBATURE, TESSERA_LATTICE, TESSERA_MONTECARLO, TESSERA_ITERATED};

/* A ball of the radius in the parameter block. */
static int ball(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata) {
  (void)ndim;
  double rest = *(const double *)userdata * *(const double *)userdata;
  for (int j = 0; j < axis; ++j) rest -= x[j] * x[j];
  *upper = sqrt(fmax(rest, 0));
  *lower = -*upper;
  return 0;
}
static const char ball_c[] =
    "#include <math.h>\n"
    "static double rest(int axis, const double *x, double r) {\n"
    "  double left = r * r;\n  for (int j = 0; j < axis; ++j) left -= x[j] * x[j];\n  return left;\n}\n"
    "int ball(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata) {\n"
    "  *upper = sqrt(fmax(rest(axis, x, *(const double *)userdata), 0));\n  *lower = -*upper;\n  return 0;\n}\n";
/* Of axis j of three. */
static const char *const ball_cuda[] = {
    "void limits(const double *x, double *lower, double *upper, const double *r) { *lower = -*r; *upper = *r; }\n",
    "__device__ double rest(const double *x, double r) { return r * r - x[0] * x[0]; }\n"
    "void limits(const double *x, double *lower, double *upper, const double *r) {\n"
    "  *upper = sqrt(fmax(rest(x, *r), 0.0)); *lower = -*upper; }\n",
    "__device__ double rest(const double *x, double r) { return r * r - x[0] * x[0] - x[1] * x[1]; }\n"
    "void limits(const double *x, double *lower, double *upper, const double *r) {\n"
    "  *upper = sqrt(fmax(rest(x, *r), 0.0)); *lower = -*upper; }\n"};
static const double radius = 1.25;

static int square(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ncomp, (void)userdata;
  f[0] = 0;
  for (int j = 0; j < ndim; ++j) f[0] += x[j] * x[j];
  return 0;
}
static const char square_text[] = "double f(const double *x) { return x[0] * x[0] + x[1] * x[1] + x[2] * x[2]; }\n";

enum kind { functions, texts_c, texts_cuda };
static void set_ball(tessera_solver *s, int kind) {
  for (int j = 0; j < 3; ++j) {
    const int status = kind == functions ? tessera_set_limits(s, j, ball, (void *)&radius)
                       : kind == texts_c
                           ? tessera_set_limits_source(s, j, TESSERA_LANGUAGE_C, ball_c, "ball")
                           : tessera_set_limits_source(s, j, TESSERA_LANGUAGE_CUDA, ball_cuda[j], "limits");
    assert_status(s, status, TESSERA_OK);
  }
}

/* By all methods, with a callback and with a text, what functions give. */
static void texts_give_what_functions_give(void **state) {
  (void)state;
  for (int m = 0; m < 4; ++m)
    for (int text = 0; text < 2; ++text) {
      if (sanitized && text != m % 2) continue;
      const double reltol = (m == 0 ? 1e-5 : 1e-3) * (sanitized ? 10 : 1);
      double value[3], error[3];
      for (int kind = functions; kind <= texts_cuda; ++kind) {
        tessera_solver *s = solver_of(3, 1);
        assert_status(s, tessera_set_params(s, &radius, sizeof radius), TESSERA_OK);
        if (text)
          assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, square_text, "f"), TESSERA_OK);
        else
          put_point(s, square, s); /* its userdata is not the parameter block */
        set_ball(s, kind);
        put_int(s, TESSERA_DEVICE, TESSERA_DEVICE_HOST);
        put_real(s, TESSERA_RELTOL, reltol);
        assert_status(s, tessera_integrate(s, methods[m], &value[kind], &error[kind]), TESSERA_OK);
        tessera_destroy(s);
      }
      assert_close(value[0], 0.8 * acos(-1.0) * pow(radius, 5), reltol, 4 * error[0]);
      for (int kind = texts_c; kind <= texts_cuda; ++kind) assert_close(value[kind], value[0], 1e-12, 0);
    }
}

static void a_simplex_by_limits_is_that_of_set_simplex(void **state) {
  (void)state;
  static const char simplex[] =
      "int limits(int ndim, int axis, const double *x, double *lower, double *upper, void *userdata) {\n"
      "  *lower = 0; *upper = 1;\n  for (int j = 0; j < axis; ++j) *upper -= x[j];\n  return 0;\n}\n";
  double value[2], error;
  for (int k = 0; k < 2; ++k) {
    tessera_solver *s = solver_of(4, 1);
    put_point(s, square, NULL);
    put_real(s, TESSERA_RELTOL, 1e-9);
    if (k == 1) assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, NULL), TESSERA_OK);
    for (int j = 0; k == 0 && j < 4; ++j)
      assert_status(s, tessera_set_limits_source(s, j, TESSERA_LANGUAGE_C, simplex, "limits"), TESSERA_OK);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value[k], &error), TESSERA_OK);
    assert_close(value[k], 4 * 2.0 / 720, 1e-9, 0);
    tessera_destroy(s);
  }
  assert_close(value[0], value[1], 2e-9, 0);
}

/* c x y over 0 < x < a, x < y < 2x: 3/8 c a^4. */
struct wedge {
  double a, c;
};
#define WEDGE "struct wedge { double a, c; };\n"
static const char wedge_first[] =
    WEDGE "void first(const double *x, double *l, double *u, const wedge *w) { *l = 0; *u = w->a; }\n";
static const char wedge_second[] = "void second(const double *x, double *l, double *u) { *l = x[0]; *u = 2 * x[0]; }\n";
static const char wedge_text[] = WEDGE "double f(const double *x, const wedge *w) { return w->c * x[0] * x[1]; }\n";
static int wedge_point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp;
  f[0] = ((const struct wedge *)userdata)->c * x[0] * x[1];
  return 0;
}
static tessera_solver *wedge_solver(int text) {
  tessera_solver *s = solver_of(2, 1);
  put_int(s, TESSERA_DEVICE, TESSERA_DEVICE_HOST);
  assert_status(s, tessera_set_limits_source(s, 1, TESSERA_LANGUAGE_CUDA, wedge_second, "second"), TESSERA_OK);
  assert_status(s, tessera_set_limits_source(s, 0, TESSERA_LANGUAGE_CUDA, wedge_first, "first"), TESSERA_OK);
  if (text)
    assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, wedge_text, "f"), TESSERA_OK);
  else
    put_point(s, wedge_point, NULL);
  return s;
}

static void the_parameter_block_is_theirs_too(void **state) {
  (void)state;
  enum { count = 30 };
  struct wedge w[count];
  double lower[2 * count], upper[2 * count], value[count], error[count];
  for (int i = 0; i < count; ++i) {
    w[i].a = 0.5 + 0.1 * i, w[i].c = 1 + i % 3;
    for (int j = 0; j < 2; ++j) lower[2 * i + j] = 5, upper[2 * i + j] = 5; /* of no account */
  }
  for (int text = 0; text < 2; ++text)
    for (int m = 0; m < 4; ++m) {
      tessera_solver *s = wedge_solver(text);
      put_real(s, TESSERA_RELTOL, m == 2 ? 1e-2 : 1e-4);
      assert_status(s, tessera_set_params(s, &w[7], sizeof w[7]), TESSERA_OK);
      assert_status(s, tessera_integrate(s, methods[m], value, error), TESSERA_OK);
      assert_close(value[0], 0.375 * w[7].c * pow(w[7].a, 4), 1e-4, 4 * error[0]);
      put_int(s, TESSERA_THREADS, 3);
      assert_status(s,
                    tessera_integrate_many(s, methods[m], count, w, sizeof w[0], m % 2 ? lower : NULL,
                                           m % 2 ? upper : NULL, value, error, NULL),
                    TESSERA_OK);
      for (int i = 0; i < count; ++i) assert_close(value[i], 0.375 * w[i].c * pow(w[i].a, 4), 1e-4, 6 * error[i]);
      tessera_destroy(s);
    }
}

/* One variable: the range is in the block. */
static int cosine(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                  void *userdata) {
  (void)ndim, (void)ldx, (void)ncomp, (void)ldf, (void)userdata;
  for (int64_t i = 0; i < n; ++i) f[i] = x[i] > 7 ? NAN : cos(x[i]);
  return 0;
}
static void one_variable(void **state) {
  (void)state;
  const double ranges[] = {0, 1, 2, 3, -1, 6, 1, 8};
  double value[4], error[4];
  int status[4];
  tessera_solver *s = solver_of(1, 1);
  put_batch(s, cosine, NULL);
  assert_status(s,
                tessera_set_limits_source(s, 0, TESSERA_LANGUAGE_CUDA,
                                          "void f(const double *, double *l, double *u, const double *p) {\n"
                                          "  *l = p[0], *u = p[1]; }\n",
                                          "f"),
                TESSERA_OK);
  put_real(s, TESSERA_RELTOL, 1e-10);
  assert_status(
      s, tessera_integrate_many(s, TESSERA_QUADRATURE, 4, ranges, 2 * sizeof(double), NULL, NULL, value, error, status),
      TESSERA_SOME_FAILED);
  for (int i = 0; i < 3; ++i) {
    assert_int_equal(status[i], TESSERA_OK);
    assert_close(value[i], sin(ranges[2 * i + 1]) - sin(ranges[2 * i]), 1e-10, 1e-12);
  }
  assert_says(tessera_last_error(s), "integral 3");
  assert_says(tessera_last_error(s), "x = (7."); /* in the coordinates of the user */
  put_int(s, TESSERA_SHARED_CALLS, 1);
  assert_status(
      s, tessera_integrate_many(s, TESSERA_QUADRATURE, 3, ranges, 2 * sizeof(double), NULL, NULL, value, error, NULL),
      TESSERA_ERR_UNSUPPORTED);
  assert_says(tessera_last_error(s), "TESSERA_SHARED_CALLS");
  tessera_destroy(s);
}

static void an_infinite_axis_beside_and_the_way_back(void **state) {
  (void)state;
  const double lower[] = {0, 2}, upper[] = {INFINITY, 3};
  double value, error;
  tessera_solver *s = solver_of(2, 1);
  put_int(s, TESSERA_DEVICE, TESSERA_DEVICE_HOST);
  assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
  assert_status(
      s,
      tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return exp(-x[0]); }\n", "f"),
      TESSERA_OK);
  const struct {
    const char *text;
    double value;
    int status;
  } of[] = {{"void f(const double *x, double *l, double *u) { *l = 0; *u = exp(-x[0]); }\n", 0.5, TESSERA_OK},
            {"void f(const double *x, double *l, double *u) { *l = -exp(-x[0]); *u = exp(-x[0]); }\n", 1, TESSERA_OK},
            {NULL, 1, TESSERA_OK}, /* those of the domain */
            {"void f(const double *x, double *l, double *u) { *l = *u = x[0]; }\n", 0,
             TESSERA_ALL_ZERO}}; /* equal: no call */
  put_real(s, TESSERA_RELTOL, 1e-8);
  for (int i = 0; i < 4; ++i) {
    assert_status(s, tessera_set_limits_source(s, 1, TESSERA_LANGUAGE_CUDA, of[i].text, of[i].text ? "f" : NULL),
                  TESSERA_OK);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), of[i].status);
    assert_close(value, of[i].value, 1e-8, 1e-300);
  }
  assert_status(s, tessera_set_limits(s, 1, ball, (void *)&radius), TESSERA_OK); /* the last call counts */
  assert_status(s, tessera_set_limits_source(s, 1, TESSERA_LANGUAGE_CUDA, of[1].text, "f"), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
  assert_close(value, 1, 1e-8, 0);
  assert_status(s, tessera_set_limits(s, 1, NULL, NULL), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
  assert_close(value, 1, 1e-8, 0);
  tessera_destroy(s);
}

static void what_goes_wrong_is_told(void **state) {
  (void)state;
  const struct {
    int language;
    const char *text, *name;
    int status;
    const char *says;
  } of[] = {
      {TESSERA_LANGUAGE_CUDA, "void f(const double *x, double *l, double *u) { *l = 0; *u = x[0] - 0.5; }\n", "f",
       TESSERA_ERR_CALLBACK, "the limits of axis 1 cross"},
      {TESSERA_LANGUAGE_CUDA, "void f(const double *x, double *l, double *u) { *l = 0; *u = sqrt(x[0] - 2); }\n", "f",
       TESSERA_ERR_CALLBACK, "the limits of axis 1 are 0 and "},
      {TESSERA_LANGUAGE_CUDA, "void f(const double *x, double *l, double *u) { *l = 0; }\n", "f", TESSERA_ERR_CALLBACK,
       "the limits of axis 1 are 0 and nan"},
      {TESSERA_LANGUAGE_CUDA, "void f(const double *x, double *l, double *u) { *l = 0; *u = 1 / 0.0; }\n", "f",
       TESSERA_ERR_CALLBACK, "the limits of axis 1 are 0 and inf"},
      {TESSERA_LANGUAGE_C, "int f(int n, int j, const double *x, double *l, double *u, void *p) { return 40 + j; }\n",
       "f", TESSERA_ERR_CALLBACK, "returned 41"},
      {TESSERA_LANGUAGE_CUDA, "void f(const double *x, double *l, double *u) {\n  *l = 0; *u = y; }\n", "f",
       TESSERA_ERR_COMPILE, "limits of axis 1(2): error:"},
      {TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return x[0]; }\n", "f", TESSERA_ERR_COMPILE,
       "f: limits must be void f(const double *x, double *lower, double *upper)"},
      {TESSERA_LANGUAGE_CUDA, "void g(const double *x, double *l, double *u) { *l = 0; *u = 1; }\n", "f",
       TESSERA_ERR_COMPILE, "defines no function 'f'"},
      {TESSERA_LANGUAGE_C, "int f(int n, const double *x, int m, double *v, void *p) { return 0; }\n", "f",
       TESSERA_ERR_COMPILE, "'f' has 5 parameters; it must be int f(int ndim, int axis"},
      {TESSERA_LANGUAGE_C, "", "f", TESSERA_ERR_COMPILE, "the text of the limits of axis 1 is empty"},
  };
  for (size_t i = 0; i < sizeof of / sizeof of[0]; ++i)
    for (int many = 0; many < 2; ++many) {
      double value = -7, error = -7;
      int status = 0;
      tessera_solver *s = solver_of(2, 1);
      put_int(s, TESSERA_DEVICE, TESSERA_DEVICE_HOST);
      put_point(s, square, NULL);
      assert_status(s, tessera_set_limits_source(s, 1, of[i].language, of[i].text, of[i].name), TESSERA_OK);
      if (many) {
        const int end = tessera_integrate_many(s, TESSERA_CUBATURE, 1, NULL, 0, NULL, NULL, &value, &error, &status);
        assert_int_equal(end < 0 ? end : status, of[i].status);
      } else {
        assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), of[i].status);
      }
      assert_says(tessera_last_error(s), of[i].says);
      assert_true(value == -7 && error == -7);
      if (of[i].status == TESSERA_ERR_CALLBACK)
        assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), of[i].language == TESSERA_LANGUAGE_C ? 41 : 0);
      tessera_destroy(s);
    }
}

static void bad_arguments_change_nothing(void **state) {
  (void)state;
  const char *const good = ball_cuda[0];
  double value, error;
  tessera_solver *s = solver_of(2, 1);
  put_point(s, square, NULL);
  assert_int_equal(tessera_set_limits_source(NULL, 0, TESSERA_LANGUAGE_CUDA, good, "limits"), TESSERA_ERR_ARGUMENT);
  const int axes[] = {-1, 2, INT32_MAX, INT32_MIN};
  for (int i = 0; i < 4; ++i) {
    assert_status(s, tessera_set_limits_source(s, axes[i], TESSERA_LANGUAGE_CUDA, good, "limits"),
                  TESSERA_ERR_ARGUMENT);
    assert_says(tessera_last_error(s), "axis = ");
    assert_status(s, tessera_set_limits_source(s, axes[i], TESSERA_LANGUAGE_CUDA, NULL, NULL), TESSERA_ERR_ARGUMENT);
  }
  assert_status(s, tessera_set_limits_source(s, 1, TESSERA_LANGUAGE_CUDA, good, NULL), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "function is NULL");
  assert_status(s, tessera_set_limits_source(s, 1, TESSERA_LANGUAGE_CUDA, good, ""), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_set_limits_source(s, 1, 0, good, "limits"), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "language 0");
  assert_status(s, tessera_set_limits_source(s, 1, TESSERA_LANGUAGE_CUBA, good, "limits"), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "TESSERA_LANGUAGE_CUBA");
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
  assert_close(value, 2.0 / 3, 1e-9, 0);
  /* The text is copied. */
  char text[200];
  strcpy(text, ball_cuda[0]);
  assert_status(s, tessera_set_limits_source(s, 1, TESSERA_LANGUAGE_CUDA, text, "limits"), TESSERA_OK);
  memset(text, 'x', sizeof text - 1);
  assert_status(s, tessera_set_params(s, &radius, sizeof radius), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_OK);
  assert_close(value, 2 * radius / 3 + 2 * pow(radius, 3) / 3, 1e-9, 0);
  put_int(s, TESSERA_COMPLEMENT, 1);
  assert_status(s, tessera_integrate(s, TESSERA_LATTICE, &value, &error), TESSERA_ERR_UNSUPPORTED);
  put_int(s, TESSERA_COMPLEMENT, 0);
  assert_status(s, tessera_set_simplex(s, TESSERA_SIMPLEX_DUFFY, NULL), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_ERR_UNSUPPORTED);
  assert_says(tessera_last_error(s), "do not go together");
  tessera_destroy(s);
}

static int launch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf, void *stream,
                  void *userdata) {
  (void)n, (void)ndim, (void)x, (void)ldx, (void)ncomp, (void)f, (void)ldf, (void)stream, (void)userdata;
  return 1;
}
static void what_no_device_can_do_is_refused(void **state) {
  (void)state;
  double value = -7, error = -7;
  tessera_solver *s = solver_of(3, 1);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, square_text, "f"), TESSERA_OK);
  set_ball(s, texts_cuda);
  assert_status(s, tessera_set_limits(s, 2, ball, (void *)&radius), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, 0);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_ERR_UNSUPPORTED);
  assert_says(tessera_last_error(s), "the limits of axis 2 are a function of the host");
  assert_says(tessera_last_error(s), "tessera_set_limits_source");
  set_ball(s, texts_cuda);
  assert_status(s, tessera_set_integrand_device(s, launch, NULL), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_ERR_UNSUPPORTED);
  assert_says(tessera_last_error(s), "not for a device callback");
  assert_true(value == -7 && error == -7);
  tessera_destroy(s);
}

/* A text that writes to a variable of its own runs on one thread. */
static void shared_variables_have_one_thread(void **state) {
  (void)state;
  double value, error;
  tessera_solver *s = solver_of(2, 1);
  put_point(s, square, NULL);
  put_int(s, TESSERA_THREADS, 4);
  for (int shared = 1; shared >= 0; --shared) {
    assert_status(
        s,
        tessera_set_limits_source(s, 1, TESSERA_LANGUAGE_C,
                                  shared ? "int f(int n, int j, const double *x, double *l, double *u, void *p) {\n"
                                           "  static double last; last = x[0]; *l = 0; *u = last; return 0; }\n"
                                         : "int f(int n, int j, const double *x, double *l, double *u, void *p) {\n"
                                           "  *l = 0; *u = x[0]; return 0; }\n",
                                  "f"),
        TESSERA_OK);
    assert_status(s, tessera_integrate(s, TESSERA_LATTICE, &value, &error), TESSERA_OK);
    assert_close(value, 1.0 / 3, 0, 4 * error);
    assert_int_equal(got_int(s, TESSERA_THREADS_USED), shared ? 1 : 4);
  }
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_give_what_functions_give),
      cmocka_unit_test(a_simplex_by_limits_is_that_of_set_simplex),
      cmocka_unit_test(the_parameter_block_is_theirs_too),
      cmocka_unit_test(one_variable),
      cmocka_unit_test(an_infinite_axis_beside_and_the_way_back),
      cmocka_unit_test(what_goes_wrong_is_told),
      cmocka_unit_test(bad_arguments_change_nothing),
      cmocka_unit_test(what_no_device_can_do_is_refused),
      cmocka_unit_test(shared_variables_have_one_thread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
