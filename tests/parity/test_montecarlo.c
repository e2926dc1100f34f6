/* Monte Carlo on the host and on device 0: the same points, so the same values, grids and decisions. Skipped where there is no device.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "device_code.h"
#include "solve.h"
#include "skip.h"

enum { device = 0, most_ncomp = 12 };

static const char texts[] =
    "double power(const double *x) {\n"
    "  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += x[j];\n"
    "  return s * sqrt(s);\n"
    "}\n"
    "double digits(const double *x) {\n" /* sums of them are exact */
    "  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += (j + 1) * floor(x[j] * 4096);\n"
    "  return s;\n"
    "}\n"
    "double peak(const double *x) {\n" /* a normal density of deviation 0.05 around 0.3 */
    "  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += (x[j] - 0.3) * (x[j] - 0.3);\n"
    "  return exp(-200 * s) * pow(63.661977236758134, 0.5 * TESSERA_NDIM);\n"
    "}\n"
    "double gauss(const double *x) {\n"
    "  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += x[j] * x[j];\n"
    "  return exp(-s);\n"
    "}\n"
    "void copies(const double *x, double *v) {\n"
    "  for (int k = 0; k < TESSERA_NCOMP; ++k) v[k] = power(x);\n"
    "}\n"
    "double weighed(const double *x) {\n" /* TESSERA_WEIGHTS */
    "  return power(x) * x[TESSERA_NDIM] + 1e-3 * x[TESSERA_NDIM + 1];\n"
    "}\n"
    "void several(const double *x, double *v) {\n"
    "  for (int k = 0; k < TESSERA_NCOMP; ++k) v[k] = k == 0 ? 1 : cos(k * x[0]) + k * x[TESSERA_NDIM - 1];\n"
    "}\n";

struct sampling_answer {
  int status, sampling;
  double value[most_ncomp], error[most_ncomp], chi2[most_ncomp];
  int64_t evaluations, iterations, strata;
};

static struct sampling_answer sampling_run(tessera_solver *s, int where) {
  struct sampling_answer a;
  memset(&a, 0, sizeof a);
  put_int(s, TESSERA_DEVICE, where);
  a.status = tessera_integrate(s, TESSERA_MONTECARLO, a.value, a.error);
  if (a.status < 0) assert_status(s, a.status, TESSERA_OK);
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), where);
  assert_status(s, tessera_get_chi2(s, a.chi2), TESSERA_OK);
  a.evaluations = got_int(s, TESSERA_EVALUATIONS);
  a.iterations = got_int(s, TESSERA_ITERATIONS);
  a.strata = got_int(s, TESSERA_STRATA);
  a.sampling = (int)got_int(s, TESSERA_SAMPLING_USED);
  return a;
}

/* `rough`: what rounding may change, relative to the value. */
static void assert_sampling_parity(const char *name, tessera_solver *s, int ncomp, double rough) {
  put_int(s, TESSERA_THREADS, 0);
  const struct sampling_answer here = sampling_run(s, -1), there = sampling_run(s, device),
                               again = sampling_run(s, device);
  for (int k = 0; k < ncomp; ++k)
    print_message("  %-34s status %d %d  %.16g %.16g  +- %.6e %.6e  %lld evaluations\n", name, here.status,
                  there.status, here.value[k], there.value[k], here.error[k], there.error[k],
                  (long long)there.evaluations);
  assert_int_equal(there.status, here.status);
  assert_int_equal(there.evaluations, here.evaluations);
  assert_int_equal(there.iterations, here.iterations);
  assert_int_equal(there.strata, here.strata);
  assert_int_equal(there.sampling, here.sampling);
  for (int k = 0; k < ncomp; ++k) {
    assert_close(there.value[k], here.value[k], rough, 0);
    /* Both may be infinite. */
    assert_close(there.error[k], here.error[k], 0, 1e-6 * here.error[k] + rough * fabs(here.value[k]));
    assert_close(there.chi2[k], here.chi2[k], 0, 1e-6 * here.chi2[k] + 1e-9);
    assert_same_bits(again.value[k], there.value[k]);
    assert_same_bits(again.error[k], there.error[k]);
    assert_same_bits(again.chi2[k], there.chi2[k]);
  }
}

/* All evaluations are used up, so that both sides stop at the same place. */
static tessera_solver *sampling_solver(int ndim, int ncomp, const char *function, int sampling, int64_t evaluations) {
  tessera_solver *s = solver_of(ndim, ncomp);
  put_real(s, TESSERA_RELTOL, 0);
  put_int(s, TESSERA_SAMPLING, sampling);
  put_int(s, TESSERA_MAXEVAL, evaluations);
  if (function) assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, texts, function), TESSERA_OK);
  return s;
}

/* ---- Points ---------------------------------------------------------------------------------------------------------------- */
/* No rounding in the values: every point must be the same one. Sizes are such that pieces are whole, uneven and short. */
static void the_same_points(void **state) {
  static const int64_t sizes[] = {2, 3, 1000, 16384, 16385, 1048577, 3000000};
  (void)state;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    for (int ndim = 1; ndim <= 40; ndim += 13) {
      tessera_solver *s = sampling_solver(ndim, 1, "digits", TESSERA_SAMPLING_PLAIN, sizes[i]);
      put_int(s, TESSERA_POINTS, sizes[i]);
      const struct sampling_answer here = sampling_run(s, -1), there = sampling_run(s, device);
      assert_int_equal(here.evaluations, sizes[i]);
      assert_int_equal(there.evaluations, sizes[i]);
      assert_close(there.value[0], here.value[0], 1e-15, 0);
      assert_close(there.error[0], here.error[0], 1e-12, 0);
      tessera_destroy(s);
    }
}

static void plain_and_vegas(void **state) {
  (void)state;
  for (int sampling = 0; sampling < 3; ++sampling)
    for (int antithetic = 0; antithetic < 2; ++antithetic)
      for (int ndim = 1; ndim <= 10; ndim += 3) {
        char name[64];
        tessera_solver *s = sampling_solver(ndim, 1, sampling == 1 ? "power" : "peak", sampling, 2000000);
        put_int(s, TESSERA_ANTITHETIC, antithetic);
        snprintf(name, sizeof name, "sampling %d, antithetic %d, %d-D", sampling, antithetic, ndim);
        assert_sampling_parity(name, s, 1, sampling == 1 ? 1e-13 : 1e-9);
        tessera_destroy(s);
      }
}

/* Each point's weight and iteration are the same: they are what is integrated. */
static void weights_and_iterations(void **state) {
  (void)state;
  for (int sampling = TESSERA_SAMPLING_PLAIN; sampling <= TESSERA_SAMPLING_VEGAS; ++sampling)
    for (int antithetic = 0; antithetic < 2; ++antithetic) {
      char name[64];
      tessera_solver *s = sampling_solver(4, 1, "weighed", sampling, 1000000);
      put_int(s, TESSERA_WEIGHTS, 1);
      put_int(s, TESSERA_ANTITHETIC, antithetic);
      snprintf(name, sizeof name, "weights, sampling %d, antithetic %d", sampling, antithetic);
      assert_sampling_parity(name, s, 1, 1e-9);
      tessera_destroy(s);
    }
}

/* Values whose squares leave the range of double precision: both begin anew in the same unit. */
static void extreme_magnitudes(void **state) {
  static const char *const sizes[] = {"1e-290", "1e-160", "1e160", "1e300"};
  (void)state;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    for (int sampling = TESSERA_SAMPLING_PLAIN; sampling <= TESSERA_SAMPLING_VEGAS; ++sampling) {
      char text[100];
      snprintf(text, sizeof text, "double f(const double *x) { return %s * x[0] * x[1]; }", sizes[i]);
      tessera_solver *s = sampling_solver(2, 1, NULL, sampling, 1000000);
      assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, "f"), TESSERA_OK);
      put_real(s, TESSERA_RELTOL, 1e-2);
      const struct sampling_answer here = sampling_run(s, -1), there = sampling_run(s, device);
      assert_status(s, here.status, TESSERA_OK);
      assert_status(s, there.status, TESSERA_OK);
      assert_int_equal(there.evaluations, here.evaluations);
      assert_close(there.value[0], here.value[0], 1e-10, 0);
      assert_close(there.error[0], here.error[0], 1e-6, 0);
      tessera_destroy(s);
    }
}

static void many_variables(void **state) {
  static const int ndims[] = {31, 32, 33, 64, 65, 1000};
  (void)state;
  for (size_t i = 0; i < sizeof ndims / sizeof ndims[0]; ++i)
    for (int sampling = 1; sampling < 3; ++sampling) {
      char name[64];
      tessera_solver *s = sampling_solver(ndims[i], 1, "power", sampling, ndims[i] < 100 ? 100000 : 20000);
      snprintf(name, sizeof name, "sampling %d, %d variables", sampling, ndims[i]);
      assert_sampling_parity(name, s, 1, sampling == 1 ? 1e-13 : 1e-9);
      tessera_destroy(s);
    }
}

static void several_components(void **state) {
  static const int ncomps[] = {2, 8, 9, most_ncomp}; /* eight are summed as they are made, more through memory */
  (void)state;
  for (size_t i = 0; i < sizeof ncomps / sizeof ncomps[0]; ++i)
    for (int sampling = 1; sampling < 3; ++sampling)
      for (int antithetic = 0; antithetic < 2; ++antithetic) {
        char name[64];
        tessera_solver *s = sampling_solver(4, ncomps[i], "several", sampling, 500000);
        put_int(s, TESSERA_ANTITHETIC, antithetic);
        snprintf(name, sizeof name, "sampling %d, %d components", sampling, ncomps[i]);
        assert_sampling_parity(name, s, ncomps[i], sampling == 1 ? 1e-12 : 1e-8);
        tessera_destroy(s);
      }
}

static void domains(void **state) {
  const double lower[3] = {-1, 2, 0.5}, upper[3] = {3, -2, 0.75}, from[3] = {-INFINITY, 0, -INFINITY},
               to[3] = {INFINITY, INFINITY, 1};
  (void)state;
  for (int infinite = 0; infinite < 2; ++infinite)
    for (int sampling = 1; sampling < 3; ++sampling)
      for (int antithetic = 0; antithetic < 2; ++antithetic) {
        tessera_solver *s = sampling_solver(3, 1, "gauss", sampling, 500000);
        assert_status(s, infinite ? tessera_set_domain(s, from, to) : tessera_set_domain(s, lower, upper), TESSERA_OK);
        put_int(s, TESSERA_ANTITHETIC, antithetic);
        assert_sampling_parity(infinite ? "infinite ranges" : "a box, one axis reversed", s, 1,
                               sampling == 1 ? 1e-12 : 1e-9);
        tessera_destroy(s);
      }
}

/* ---- Runs ------------------------------------------------------------------------------------------------------------------- */
static void to_a_tolerance(void **state) {
  (void)state;
  for (int sampling = 0; sampling < 3; ++sampling) {
    tessera_solver *s = sampling_solver(4, 1, "peak", sampling, 200000000);
    put_real(s, TESSERA_RELTOL, sampling == 1 ? 1e-2 : 2e-4);
    put_int(s, TESSERA_DEVICE, device);
    const struct sampling_answer a = sampling_run(s, device);
    print_message("  sampling %d: %.8f +- %.1e, %lld evaluations\n", sampling, a.value[0], a.error[0],
                  (long long)a.evaluations);
    assert_int_equal(a.status, TESSERA_OK);
    assert_close(a.value[0], 1, 0, 1.5 * a.error[0]);
    assert_at_most(a.error[0], got_real(s, TESSERA_RELTOL) * a.value[0]);
    tessera_destroy(s);
  }
}

/* A grid that was learned on the host serves on the device, and the other way round. */
static void grids_are_shared(void **state) {
  (void)state;
  for (int first = -1; first <= 0; ++first) {
    tessera_solver *s = sampling_solver(3, 1, "peak", TESSERA_SAMPLING_VEGAS, 300000);
    sampling_run(s, first);
    put_int(s, TESSERA_KEEP_GRID, 1);
    put_int(s, TESSERA_WARMUP, 1);
    put_int(s, TESSERA_MAXEVAL, 30000);
    const struct sampling_answer a = sampling_run(s, -1 - first);
    assert_close(a.value[0], 1, 0, 1.5 * a.error[0]);
    assert_at_most(a.error[0], 0.02);
    tessera_destroy(s);
  }
}

/* A run that is stopped on the device goes on there with the same bits, and on the host with the same evaluations. */
static void stopped_runs_go_on(void **state) {
  (void)state;
  tessera_solver *s = sampling_solver(4, 1, "peak", TESSERA_SAMPLING_VEGAS, 3000000);
  put_int(s, TESSERA_KEEP_STATE, 1);
  put_real(s, TESSERA_PROGRESS_SECONDS, 0);
  const struct sampling_answer whole = sampling_run(s, device);
  int64_t half = whole.evaluations / 2, n = 0;
  tessera_set_progress(s, stop_at_evaluations, &half);
  assert_int_equal(sampling_run(s, device).status, TESSERA_STOPPED);
  tessera_set_progress(s, NULL, NULL);
  assert_status(s, tessera_get_state(s, 0, NULL, &n), TESSERA_OK);
  double *numbers = malloc((size_t)n * sizeof *numbers);
  assert_non_null(numbers);
  assert_status(s, tessera_get_state(s, n, numbers, NULL), TESSERA_OK);
  for (int where = device; where >= -1; --where) {
    assert_status(s, tessera_set_state(s, n, numbers), TESSERA_OK);
    const struct sampling_answer rest = sampling_run(s, where);
    assert_int_equal(rest.evaluations, whole.evaluations);
    assert_int_equal(rest.iterations, whole.iterations);
    assert_close(rest.value[0], whole.value[0], where == device ? 0 : 1e-9, 0);
    assert_close(rest.error[0], whole.error[0], where == device ? 0 : 1e-6, 0);
  }
  free(numbers);
  tessera_destroy(s);
}

/* The error falls with the root of the samples, which pass the place where the index gets a second word. */
static void the_root_law(void **state) {
  const double deviation = 1 / sqrt(12.0);
  (void)state;
  for (int64_t n = 1 << 20; n <= INT64_C(17179869184); n *= 128) {
    tessera_solver *s = sampling_solver(1, 1, NULL, TESSERA_SAMPLING_PLAIN, n);
    assert_status(
        s,
        tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return 1e6 + x[0]; }", "f"),
        TESSERA_OK);
    put_real(s, TESSERA_CONFIDENCE, 0.95);
    put_int(s, TESSERA_POINTS, n < 4294967295 ? n : 4294967295);
    const struct sampling_answer a = sampling_run(s, device);
    const double expected = 1.959964 * deviation / sqrt((double)n);
    print_message("  %11lld samples: error %.4e, expected %.4e, true %.2e\n", (long long)n, a.error[0], expected,
                  a.value[0] - 1000000.5);
    assert_int_equal(a.evaluations, n);
    assert_close(a.error[0], expected, 0.01, 0);
    assert_at_most(fabs(a.value[0] - 1000000.5), 2.5 * a.error[0]);
    tessera_destroy(s);
  }
}

struct stop {
  int calls;
};
static int stop_at_once(int64_t evaluations, int ncomp, const double *value, const double *error, int64_t left,
                        void *userdata) {
  (void)evaluations, (void)ncomp, (void)value, (void)error, (void)left;
  ++((struct stop *)userdata)->calls;
  return 1;
}

static void limits(void **state) {
  (void)state;
  for (int sampling = 1; sampling < 3; ++sampling) {
    struct stop stop = {0};
    double value = -5, error = -5;
    tessera_solver *s = sampling_solver(5, 1, "power", sampling, 100000);
    sampling_run(s, device); /* and all is compiled */
    put_int(s, TESSERA_MAXEVAL, INT64_C(4000000000000));
    put_real(s, TESSERA_MAX_SECONDS, 0.2);
    assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_LIMIT_TIME);
    assert_close(value, 4.02, 0.1, 0);
    assert_true(error > 0 && error < 0.1);
    assert_true(got_real(s, TESSERA_SECONDS) < 20);
    put_real(s, TESSERA_MAX_SECONDS, 0);
    tessera_set_progress(s, stop_at_once, &stop);
    assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_STOPPED);
    assert_int_equal(stop.calls, 1);
    tessera_destroy(s);
  }
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
  for (int sampling = 1; sampling < 3; ++sampling) {
    for (int language = TESSERA_LANGUAGE_C; language <= TESSERA_LANGUAGE_CUBA; ++language) {
      tessera_solver *s = sampling_solver(3, 1, NULL, sampling, 300000);
      assert_status(s, tessera_set_params(s, params, sizeof params), TESSERA_OK);
      const char *function = language == TESSERA_LANGUAGE_C ? "line" : "cuba";
      assert_status(s, tessera_set_integrand_source(s, language, c, function), TESSERA_OK);
      put_point(s, line, params); /* and is compared */
      assert_sampling_parity(function, s, 1, sampling == 1 ? 1e-13 : 1e-9);
      tessera_destroy(s);
    }
    for (int ptx = 0; ptx < 2; ++ptx) {
      struct code code = code_by_nvrtc(
          "extern \"C\" __device__ void line(const double *x, double *f, const void *p) {"
          " const double *a = (const double *)p; f[0] = a[1] + a[0] * (x[0] + x[1] + x[2]); }",
          ptx ? "-rdc=true" : "-dlto", ptx);
      if (!code.bytes) continue;
      tessera_solver *s = sampling_solver(3, 1, NULL, sampling, 300000);
      assert_status(s, tessera_set_params(s, params, sizeof params), TESSERA_OK);
      const int status =
          tessera_set_integrand_code(s, ptx ? TESSERA_CODE_PTX : TESSERA_CODE_LTOIR, code.bytes, code.size, "line");
      assert_status(s, status, TESSERA_OK);
      put_point(s, line, params);
      assert_sampling_parity(ptx ? "PTX" : "LTO-IR", s, 1, sampling == 1 ? 1e-13 : 1e-9);
      assert_int_equal(got_int(s, TESSERA_INLINED), !ptx);
      tessera_destroy(s);
      free(code.bytes);
    }
  }
}

/* -2: the device where there is one. */
static void any_device(void **state) {
  double value, error;
  (void)state;
  tessera_solver *s = sampling_solver(3, 1, "power", TESSERA_SAMPLING_PLAIN, 100000);
  put_int(s, TESSERA_DEVICE, -2);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_LIMIT_EVALUATIONS);
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), device);
  put_int(s, TESSERA_COMPLEMENT, 1);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_ERR_UNSUPPORTED);
  tessera_destroy(s);
}

/* ---- What goes wrong -------------------------------------------------------------------------------------------------------- */
static void answers_of_the_integrand(void **state) {
  static const char text[] =
      "#include <math.h>\n"
      "int bad(int ndim, const double *x, int ncomp, double *f, void *userdata) {\n"
      "  f[0] = x[0] < 0.0001 ? log(-1.0) : x[1];\n  return 0;\n"
      "}\n"
      "int stops(int ndim, const double *x, int ncomp, double *f, void *userdata) {\n"
      "  f[0] = x[0];\n  return x[1] > 0.9 ? 7 : 0;\n"
      "}\n";
  (void)state;
  for (int sampling = 1; sampling < 3; ++sampling)
    for (int antithetic = 0; antithetic < 2; ++antithetic) {
      double value = -5, error = -5;
      char here[256];
      tessera_solver *s = sampling_solver(2, 1, NULL, sampling, 3000000);
      put_int(s, TESSERA_POINTS, 100000);
      put_int(s, TESSERA_ANTITHETIC, antithetic);
      assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text, "bad"), TESSERA_OK);
      put_int(s, TESSERA_DEVICE, -1);
      assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_NONFINITE);
      snprintf(here, sizeof here, "%s", tessera_last_error(s));
      put_int(s, TESSERA_DEVICE, device);
      assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_NONFINITE);
      print_message("  %s\n  %s\n", here, tessera_last_error(s));
      assert_says(tessera_last_error(s), "component 1 of the integrand is");
      assert_says(tessera_last_error(s), "nan at x = (");
      if (!antithetic)
        assert_string_equal(strstr(tessera_last_error(s), "at x"), strstr(here, "at x")); /* the first one */
      assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text, "stops"), TESSERA_OK);
      value = -5;
      assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_ERR_CALLBACK);
      assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 7);
      assert_same_bits(value, -5);
      assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, texts, "power"), TESSERA_OK);
      assert_true(tessera_integrate(s, TESSERA_MONTECARLO, &value, &error) >= 0); /* and then all is well again */
      assert_status(
          s,
          tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return x[0] + 1; }", "f"),
          TESSERA_OK);
      double params[2] = {1, 0};
      put_point(s, line, params); /* x + y is not x + 1 */
      assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_ERR_CHECK);
      tessera_destroy(s);
    }
}

/* ---- Generators of cuRAND --------------------------------------------------------------------------------------------------- */
static const char *const generators[] = {"Philox", "XORWOW", "MRG32k3a", "Sobol"};

/* Every run uses up its evaluations. */
static tessera_solver *generator_solver(int ndim, int ncomp, const char *function, int generator, int64_t evaluations) {
  tessera_solver *s = sampling_solver(ndim, ncomp, function, TESSERA_SAMPLING_AUTO, evaluations);
  put_int(s, TESSERA_GENERATOR, generator);
  if (generator == TESSERA_GENERATOR_PHILOX) put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN);
  put_real(s, TESSERA_CONFIDENCE, 0.9999);
  return s;
}

/* Where the toolkit has no cuRAND there is nothing to test but the sentence. */
static void need_curand(void) {
  double value = -5, error = -5;
  tessera_solver *s = generator_solver(1, 1, "power", TESSERA_GENERATOR_XORWOW, 1000);
  put_int(s, TESSERA_DEVICE, device);
  const int status = tessera_integrate(s, TESSERA_MONTECARLO, &value, &error);
  if (status == TESSERA_ERR_NOT_BUILT) {
    assert_says(tessera_last_error(s), "cuRAND");
    assert_same_bits(value, -5);
    print_message("  %s\n", tessera_last_error(s));
    tessera_destroy(s);
    skip();
  }
  assert_status(s, status, TESSERA_LIMIT_EVALUATIONS);
  tessera_destroy(s);
}

static void generators_agree(void **state) {
  const double from[3] = {-INFINITY, 0, -INFINITY}, to[3] = {INFINITY, INFINITY, 1}, lower[3] = {-1, 2, 0.5},
               upper[3] = {3, -2, 0.75};
  (void)state;
  need_curand();
  for (int antithetic = 0; antithetic < 2; ++antithetic)
    for (int kind = 0; kind < 5; ++kind) {
      const int ncomp = kind == 1 ? 3 : kind == 2 ? most_ncomp : 1, ndim = kind == 0 ? 10 : kind < 3 ? 4 : 3;
      struct sampling_answer philox;
      for (int generator = 0; generator < 4; ++generator) {
        tessera_solver *s = generator_solver(ndim, ncomp,
                                             kind == 0  ? "power"
                                             : kind < 3 ? "several"
                                                        : "gauss",
                                             generator, 4000000);
        put_int(s, TESSERA_ANTITHETIC, antithetic);
        if (kind > 2)
          assert_status(s, kind == 3 ? tessera_set_domain(s, from, to) : tessera_set_domain(s, lower, upper),
                        TESSERA_OK);
        const struct sampling_answer a = sampling_run(s, device);
        assert_int_equal(a.status, TESSERA_LIMIT_EVALUATIONS);
        assert_int_equal(a.sampling, TESSERA_SAMPLING_PLAIN);
        assert_in_range(a.evaluations, 2000001, 4000000);
        if (generator == 0) philox = a;
        print_message("  case %d, antithetic %d, %-8s  %.12g +- %.1e\n", kind, antithetic, generators[generator],
                      a.value[0], a.error[0]);
        for (int k = 0; k < ncomp; ++k) {
          assert_at_most(fabs(a.value[k] - philox.value[k]), 1e-12 + hypot(a.error[k], philox.error[k]));
          if (philox.error[k] < 1e-12) continue; /* a constant */
          assert_true(a.error[k] > 0);
          if (generator == TESSERA_GENERATOR_SOBOL_SCRAMBLED)
            assert_at_most(a.error[k], 0.5 * philox.error[k]);
          else
            assert_close(a.error[k], philox.error[k], 0.05, 0);
        }
        if (kind == 0) assert_close(a.value[0], 11.32097423155, 0, 1e-10 + a.error[0]);
        tessera_destroy(s);
      }
    }
}

/* The numbers of a sample depend on seed and index alone, whatever is asked for at a time; the ring is passed through several
 * times. */
static void generators_are_determined(void **state) {
  (void)state;
  need_curand();
  for (int generator = 1; generator < 4; ++generator)
    for (int ndim = 1; ndim <= 1000; ndim = ndim == 1 ? 40 : ndim == 40 ? 1000 : 2000) {
      const int64_t n = ndim == 1000 ? 200000 : 3000000;
      tessera_solver *s = generator_solver(ndim, 1, "power", generator, n);
      put_int(s, TESSERA_SHIFTS, 4);
      const struct sampling_answer a = sampling_run(s, device), again = sampling_run(s, device);
      assert_same_bits(again.value[0], a.value[0]);
      assert_same_bits(again.error[0], a.error[0]);
      put_int(s, TESSERA_POINTS, 333333);
      put_int(s, TESSERA_INCREASE, 77777);
      const struct sampling_answer parts = sampling_run(s, device);
      assert_int_equal(parts.evaluations, a.evaluations);
      assert_close(parts.value[0], a.value[0], 1e-13, 0);
      if (generator == TESSERA_GENERATOR_SOBOL_SCRAMBLED)
        assert_close(parts.error[0], a.error[0], 1e-6, 0);
      else
        assert_close(parts.error[0], a.error[0], 1e-2, 0); /* pieces have estimates of their own */
      put_int(s, TESSERA_SEED, 2);
      const struct sampling_answer other = sampling_run(s, device);
      assert_true(other.value[0] != parts.value[0]);
      assert_at_most(fabs(other.value[0] - a.value[0]), hypot(a.error[0], other.error[0]));
      tessera_destroy(s);
      s = generator_solver(ndim, most_ncomp, "copies", generator, n); /* each sees the same points */
      put_int(s, TESSERA_SHIFTS, 4);
      const struct sampling_answer copies = sampling_run(s, device);
      assert_close(copies.value[most_ncomp - 1], a.value[0], 1e-13, 0);
      tessera_destroy(s);
    }
}

/* Blocks that came twice would be seen: the true errors would be larger than the errors given. */
static void errors_with_generators_are_honest(void **state) {
  (void)state;
  need_curand();
  for (int generator = 1; generator < 4; ++generator) {
    const int ndim = generator < 3 ? 40 : 4, seeds = 100;
    double exact = 0;
    int within = 0;
    tessera_solver *s = solver_of(ndim, 1);
    assert_status(
        s,
        tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA,
                                     "double f(const double *x) {\n"
                                     "  double p = 1;\n"
                                     "  for (int j = 0; j < TESSERA_NDIM; ++j) p *= exp((x[j] - 0.5) / (j + 1));\n"
                                     "  return p;\n"
                                     "}\n",
                                     "f"),
        TESSERA_OK);
    for (int j = 1; j <= ndim; ++j) exact += log(2 * j * sinh(0.5 / j));
    exact = exp(exact);
    put_real(s, TESSERA_RELTOL, 0);
    put_real(s, TESSERA_CONFIDENCE, 0.95);
    put_int(s, TESSERA_GENERATOR, generator);
    put_int(s, TESSERA_SHIFTS, 16);
    put_int(s, TESSERA_MAXEVAL, generator < 3 ? 1 << 18 : 1 << 14);
    for (int seed = 0; seed < seeds; ++seed) {
      put_int(s, TESSERA_SEED, seed);
      const struct sampling_answer a = sampling_run(s, device);
      within += fabs(a.value[0] - exact) <= a.error[0];
    }
    print_message("  %-8s %d of %d within the error\n", generators[generator], within, seeds);
    assert_true(within >= 0.95 * seeds - 4 * sqrt(0.95 * 0.05 * seeds));
    tessera_destroy(s);
  }
}

/* The error of Sobol points falls nearly like 1/n, past the first block of the sequence too, and a tolerance is met soon. */
static void sobol_points_are_even(void **state) {
  double errors[3];
  (void)state;
  need_curand();
  tessera_solver *s = generator_solver(10, 1, "power", TESSERA_GENERATOR_SOBOL_SCRAMBLED, 1);
  put_int(s, TESSERA_SHIFTS, 8);
  for (int i = 0; i < 3; ++i) {
    put_int(s, TESSERA_MAXEVAL, INT64_C(8) << (14 + 4 * i));
    const struct sampling_answer a = sampling_run(s, device);
    assert_int_equal(a.evaluations, INT64_C(8) << (14 + 4 * i));
    errors[i] = a.error[0];
    print_message("  2^%d points under 8 shifts: %.12g +- %.1e, true %.1e\n", 14 + 4 * i, a.value[0], a.error[0],
                  a.value[0] - 11.32097423155);
    assert_close(a.value[0], 11.32097423155, 0, 1e-10 + a.error[0]);
  }
  assert_at_most(errors[1], errors[0] / 5); /* independent points: 4 */
  assert_at_most(errors[2], errors[1] / 5);
  put_int(s, TESSERA_MAXEVAL, 1000000000);
  put_real(s, TESSERA_RELTOL, 1e-6);
  const struct sampling_answer a = sampling_run(s, device);
  assert_int_equal(a.status, TESSERA_OK);
  assert_close(a.value[0], 11.32097423155, 0, 1e-10 + a.error[0]);
  assert_at_most(a.error[0], 1e-6 * a.value[0]);
  put_int(s, TESSERA_MAXEVAL, 1); /* two shifts of two points */
  assert_int_equal(sampling_run(s, device).evaluations, 4);
  tessera_destroy(s);
}

static void limits_and_failures_with_generators(void **state) {
  (void)state;
  need_curand();
  for (int generator = 1; generator < 4; ++generator) {
    struct stop stop = {0};
    double value = -5, error = -5;
    tessera_solver *s = generator_solver(5, 1, "power", generator, 1000);
    put_int(s, TESSERA_DEVICE, -2);
    assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_LIMIT_EVALUATIONS);
    assert_int_equal(got_int(s, TESSERA_DEVICE_USED), device);
    put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS);
    value = -5;
    assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_ERR_UNSUPPORTED);
    assert_says(tessera_last_error(s), "TESSERA_GENERATOR");
    assert_same_bits(value, -5);
    put_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN);
    put_int(s, TESSERA_MAXEVAL, INT64_C(4000000000000));
    put_real(s, TESSERA_MAX_SECONDS, 0.2);
    assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_LIMIT_TIME);
    assert_close(value, 4.02, 0.1, 0);
    assert_true(error > 0 && error < 0.1);
    assert_true(got_real(s, TESSERA_SECONDS) < 20);
    put_real(s, TESSERA_MAX_SECONDS, 0);
    tessera_set_progress(s, stop_at_once, &stop);
    assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_STOPPED);
    tessera_set_progress(s, NULL, NULL);
    /* The point that is named is one where the integrand is not finite. */
    double x[5] = {0};
    assert_status(
        s,
        tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA,
                                     "double f(const double *x) { return x[3] < 0.001 ? log(-1.0) : x[0]; }", "f"),
        TESSERA_OK);
    assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, &value, &error), TESSERA_NONFINITE);
    print_message("  %s: %s\n", generators[generator], tessera_last_error(s));
    const char *at = strstr(tessera_last_error(s), "x = (");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "x = (%lf, %lf, %lf, %lf, %lf)", &x[0], &x[1], &x[2], &x[3], &x[4]), 5);
    assert_true(x[3] > 0 && x[3] < 0.001);
    assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, texts, "power"), TESSERA_OK);
    put_int(s, TESSERA_MAXEVAL, 100000);
    assert_true(sampling_run(s, device).status >= 0); /* and then all is well again */
    tessera_destroy(s);
  }
}

/* ---- Threefry ------------------------------------------------------------------------------------------------------------------ */
static void threefry_runs(void **state) {
  static const struct {
    const char *function;
    int ndim, ncomp;
  } cases[] = {{"digits", 1, 1}, {"digits", 10, 1}, {"digits", 35, 1}, {"several", 4, most_ncomp}, {"peak", 4, 1}};
  (void)state;
  for (int i = 0; i < 5; ++i)
    for (int sampling = TESSERA_SAMPLING_PLAIN; sampling <= TESSERA_SAMPLING_VEGAS; ++sampling) {
      tessera_solver *s = sampling_solver(cases[i].ndim, cases[i].ncomp, cases[i].function, sampling, 2000000);
      const struct sampling_answer philox = sampling_run(s, device);
      put_int(s, TESSERA_GENERATOR, TESSERA_GENERATOR_THREEFRY);
      put_int(s, TESSERA_ANTITHETIC, i == 4);
      assert_sampling_parity("Threefry", s, cases[i].ncomp, 1e-12);
      assert_true(sampling_run(s, device).value[cases[i].ncomp - 1] != philox.value[cases[i].ncomp - 1]);
      tessera_destroy(s);
    }
}

/* ---- Sobol points of our own --------------------------------------------------------------------------------------------------- */
/* No rounding in the values: every point of every shift must be the same one. Coordinates are in registers up to 32 variables. */
static void the_same_sobol_points(void **state) {
  static const int dims[] = {1, 2, 10, 31, 32, 33, 300};
  static const int64_t sizes[] = {4, 500, 5000, 300000, 20000000};
  (void)state;
  for (int d = 0; d < 7; ++d)
    for (int i = 0; i < 5; ++i) {
      if (dims[d] > 40 && i == 4) continue;
      tessera_solver *s = sampling_solver(dims[d], 1, "digits", TESSERA_SAMPLING_PLAIN, sizes[i]);
      put_int(s, TESSERA_GENERATOR, TESSERA_GENERATOR_SOBOL);
      put_int(s, TESSERA_SHIFTS, i == 3 ? 3 : 32);
      put_int(s, TESSERA_POINTS, 64);
      put_int(s, TESSERA_THREADS, 0);
      const struct sampling_answer here = sampling_run(s, -1), there = sampling_run(s, device);
      print_message("  %3d variables, %lld evaluations: %.17g %.17g\n", dims[d], (long long)here.evaluations,
                    here.value[0], there.value[0]);
      assert_int_equal(there.evaluations, here.evaluations);
      assert_int_equal(there.iterations, here.iterations);
      assert_close(there.value[0], here.value[0], 1e-15, 0);
      assert_close(there.error[0], here.error[0], 1e-9, 1e-15 * here.value[0]);
      tessera_destroy(s);
    }
}

static void sobol_runs(void **state) {
  static const double from[3] = {-INFINITY, 0, -INFINITY}, to[3] = {INFINITY, INFINITY, 1};
  static const struct {
    const char *function;
    int ndim, ncomp;
  } cases[] = {{"power", 10, 1}, {"several", 4, 3}, {"several", 4, most_ncomp}, {"gauss", 3, 1}, {"power", 40, 1}};
  (void)state;
  for (int i = 0; i < 5; ++i)
    for (int antithetic = 0; antithetic < 2; ++antithetic) {
      char name[64];
      tessera_solver *s =
          sampling_solver(cases[i].ndim, cases[i].ncomp, cases[i].function, TESSERA_SAMPLING_PLAIN, 3000000);
      put_int(s, TESSERA_GENERATOR, TESSERA_GENERATOR_SOBOL);
      put_int(s, TESSERA_ANTITHETIC, antithetic);
      if (i == 3) assert_status(s, tessera_set_domain(s, from, to), TESSERA_OK);
      snprintf(name, sizeof name, "Sobol, %s, %d-D%s", cases[i].function, cases[i].ndim,
               antithetic ? ", antithetic" : "");
      assert_sampling_parity(name, s, cases[i].ncomp, 1e-12);
      tessera_destroy(s);
    }
  /* To a tolerance: as many evaluations on both sides. */
  tessera_solver *s = sampling_solver(10, 1, "power", TESSERA_SAMPLING_PLAIN, 100000000);
  put_int(s, TESSERA_GENERATOR, TESSERA_GENERATOR_SOBOL);
  put_real(s, TESSERA_RELTOL, 1e-5);
  assert_sampling_parity("Sobol, to a tolerance", s, 1, 1e-12);
  const struct sampling_answer a = sampling_run(s, device);
  assert_int_equal(a.status, TESSERA_OK);
  assert_close(a.value[0], 11.32097423155, 0, a.error[0]);
  tessera_destroy(s);
}

/* Trained by Philox's points, then through the grid as it is, with scouts; and what is chosen by trials. */
static void sobol_points_through_a_grid(void **state) {
  static const double from[3] = {-INFINITY, 0, -INFINITY}, to[3] = {INFINITY, INFINITY, 1};
  static const struct {
    const char *function;
    int ndim, ncomp;
  } cases[] = {{"peak", 4, 1},  {"peak", 12, 1}, {"several", 4, 3}, {"several", 4, most_ncomp},
               {"gauss", 3, 1}, {"peak", 33, 1}, {"weighed", 4, 1}};
  (void)state;
  for (int i = 0; i < 7; ++i)
    for (int antithetic = 0; antithetic < 2; ++antithetic)
      for (int automatic = 0; automatic < 2; ++automatic) {
        char name[80];
        tessera_solver *s = sampling_solver(cases[i].ndim, cases[i].ncomp, cases[i].function,
                                            automatic ? TESSERA_SAMPLING_AUTO : TESSERA_SAMPLING_VEGAS, 2000000);
        put_int(s, TESSERA_GENERATOR, automatic ? TESSERA_GENERATOR_AUTO : TESSERA_GENERATOR_SOBOL);
        put_int(s, TESSERA_ANTITHETIC, antithetic);
        put_int(s, TESSERA_WEIGHTS, i == 6);
        if (i == 4) assert_status(s, tessera_set_domain(s, from, to), TESSERA_OK);
        snprintf(name, sizeof name, "%s, %s, %d-D, %d%s", automatic ? "choice" : "Sobol, grid", cases[i].function,
                 cases[i].ndim, cases[i].ncomp, antithetic ? ", antithetic" : "");
        assert_sampling_parity(name, s, cases[i].ncomp, 1e-8);
        tessera_destroy(s);
      }
}

/* The grid is given, so that all samples but the few for the scale go through it. */
static void sobol_points_through_a_given_grid(void **state) {
  (void)state;
  for (int ndim = 2; ndim <= 40; ndim += 19) { /* 2, 21 and 40: in registers and not */
    double *edges = malloc((size_t)ndim * TESSERA_GRID_EDGES * sizeof *edges);
    assert_non_null(edges);
    for (int j = 0; j < ndim; ++j)
      for (int i = 0; i < TESSERA_GRID_EDGES; ++i)
        edges[j * TESSERA_GRID_EDGES + i] = pow(i / (TESSERA_GRID_EDGES - 1.0), 1 + 0.5 * (j % 3));
    for (int ncomp = 1; ncomp <= most_ncomp; ncomp += most_ncomp - 1) {
      tessera_solver *s = sampling_solver(ndim, ncomp, "copies", TESSERA_SAMPLING_VEGAS, 3000000);
      put_int(s, TESSERA_GENERATOR, TESSERA_GENERATOR_SOBOL);
      put_int(s, TESSERA_WARMUP, 0);
      put_int(s, TESSERA_KEEP_GRID, 1);
      assert_status(s, tessera_set_grid(s, edges), TESSERA_OK);
      assert_sampling_parity("a given grid", s, ncomp, 1e-12);
      tessera_destroy(s);
    }
    free(edges);
  }
}

/* The point that is named is the integrand's, whatever the shift it is of, and through a grid as well. */
static void sobol_points_that_are_not_finite(void **state) {
  double value[most_ncomp], error[most_ncomp];
  (void)state;
  for (int run = 0; run < 4; ++run) {
    const int ncomp = run < 2 ? 1 : most_ncomp;
    double x[5] = {0};
    tessera_solver *s =
        sampling_solver(5, ncomp, NULL, run % 2 ? TESSERA_SAMPLING_VEGAS : TESSERA_SAMPLING_PLAIN, 1000000);
    put_int(s, TESSERA_GENERATOR, TESSERA_GENERATOR_SOBOL);
    put_int(s, TESSERA_WARMUP, 0);
    put_int(s, TESSERA_DEVICE, device);
    assert_status(s,
                  tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA,
                                               "void f(const double *x, double *v) {\n"
                                               "  for (int k = 0; k < TESSERA_NCOMP; ++k)\n"
                                               "    v[k] = x[3] < 0.0001 ? log(-1.0) : x[0];\n"
                                               "}\n",
                                               "f"),
                  TESSERA_OK);
    assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, value, error), TESSERA_NONFINITE);
    print_message("  %s\n", tessera_last_error(s));
    const char *at = strstr(tessera_last_error(s), "x = (");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "x = (%lf, %lf, %lf, %lf, %lf)", &x[0], &x[1], &x[2], &x[3], &x[4]), 5);
    assert_true(x[3] > 0 && x[3] < 0.0001);
    tessera_destroy(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_points),
      cmocka_unit_test(plain_and_vegas),
      cmocka_unit_test(weights_and_iterations),
      cmocka_unit_test(extreme_magnitudes),
      cmocka_unit_test(many_variables),
      cmocka_unit_test(several_components),
      cmocka_unit_test(domains),
      cmocka_unit_test(to_a_tolerance),
      cmocka_unit_test(grids_are_shared),
      cmocka_unit_test(stopped_runs_go_on),
      cmocka_unit_test(the_root_law),
      cmocka_unit_test(limits),
      cmocka_unit_test(forms),
      cmocka_unit_test(any_device),
      cmocka_unit_test(answers_of_the_integrand),
      cmocka_unit_test(threefry_runs),
      cmocka_unit_test(the_same_sobol_points),
      cmocka_unit_test(sobol_runs),
      cmocka_unit_test(sobol_points_through_a_grid),
      cmocka_unit_test(sobol_points_through_a_given_grid),
      cmocka_unit_test(sobol_points_that_are_not_finite),
      cmocka_unit_test(generators_agree),
      cmocka_unit_test(generators_are_determined),
      cmocka_unit_test(errors_with_generators_are_honest),
      cmocka_unit_test(sobol_points_are_even),
      cmocka_unit_test(limits_and_failures_with_generators),
  };
  tessera_solver *s = NULL;
  double value, error;
  int status = tessera_create(&s, 1, 1);
  if (status == TESSERA_OK)
    status = tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return x[0]; }", "f");
  if (status == TESSERA_OK) status = tessera_set_int(s, TESSERA_DEVICE, device);
  if (status == TESSERA_OK) status = tessera_integrate(s, TESSERA_MONTECARLO, &value, &error);
  if (status == TESSERA_ERR_NOT_BUILT) {
    printf("skipped: %s\n", tessera_last_error(s));
    tessera_destroy(s);
    return no_device_here();
  }
  tessera_destroy(s);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
