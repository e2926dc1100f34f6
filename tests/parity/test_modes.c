/* Two peaks far apart over infinite ranges, or one at a usual place of a finite one, on the host and on device 0: both find them, with the same regions, also in a run that is stopped and goes on from a file.
 * Skipped where there is no device. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "files.h"
#include "mixtures.h"
#include "skip.h"
#include "solve.h"

enum { device = 0, members = 6 };

static tessera_solver *solver_for(const struct mixture *m, int where, double reltol, int sparse) {
  char text[4096];
  double lower[mixture_most_ndim], upper[mixture_most_ndim];
  mixture_text(m, text, sizeof text);
  mixture_limits(m, lower, upper);
  tessera_solver *s = solver_of(m->ndim, 1);
  assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, "f"), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, where);
  put_int(s, TESSERA_SELECTION, TESSERA_SELECT_BULK);
  put_int(s, TESSERA_INITIAL_REGIONS, 2);
  put_int(s, TESSERA_SPARSE, sparse);
  put_real(s, TESSERA_RELTOL, reltol);
  put_int(s, TESSERA_MAXEVAL, 20000000);
  return s;
}

static void host_and_device_find_both(void **state) {
  (void)state;
  for (int range = 0; range < mixture_ranges; ++range) {
    uint64_t seed = (uint64_t)(28125600 + range);
    int claims = 0;
    for (int i = 0; i < members; ++i) {
      const int n = 2 + i % 3;
      const struct mixture m = draw_mixture((enum mixture_range)range, n, 12, 30, &seed);
      const double reltol = i % 2 == 0 ? 1e-2 : 1e-4;
      tessera_solver *s = solver_for(&m, -1, reltol, TESSERA_SPARSE_OFF);
      const struct answer host = integrate(s);
      tessera_destroy(s);
      s = solver_for(&m, device, reltol, TESSERA_SPARSE_OFF);
      const struct answer there = integrate(s);
      tessera_destroy(s);
      assert_int_equal(there.status, host.status);
      if (there.status != TESSERA_OK) continue;
      ++claims;
      assert_int_equal(there.regions, host.regions);
      assert_int_equal(there.evaluations, host.evaluations);
      assert_close(there.value, host.value, 1e-9, 0);
      assert_close(there.value, 1, reltol, 0);
      s = solver_for(&m, device, reltol, TESSERA_SPARSE_AUTO);
      const struct answer beside_grid = integrate(s);
      tessera_destroy(s);
      if (beside_grid.status == TESSERA_OK) assert_close(beside_grid.value, 1, reltol, 0);
    }
    print_message("range %d: %d of %d runs met the tolerance\n", range, claims, members);
    assert_true(2 * claims >= members);
  }
}

/* A run that ends before it could claim anything has been looked through once, at the same step in both places. */
static void a_limit_ends_both_alike(void **state) {
  (void)state;
  uint64_t seed = 28126620;
  for (int i = 0; i < members; ++i) {
    const struct mixture m = draw_mixture(i % 2 == 0 ? everywhere : above_zero, 3 + i % 2, 12, 30, &seed);
    struct answer answers[2];
    for (int where = 0; where < 2; ++where) {
      tessera_solver *s = solver_for(&m, where == 0 ? -1 : device, 1e-8, TESSERA_SPARSE_OFF);
      put_int(s, TESSERA_MAXEVAL, 200000);
      answers[where] = integrate(s);
      tessera_destroy(s);
    }
    const struct answer host = answers[0], there = answers[1];
    assert_int_equal(host.status, TESSERA_LIMIT_EVALUATIONS);
    assert_int_equal(there.status, host.status);
    assert_int_equal(there.regions, host.regions);
    assert_int_equal(there.evaluations, host.evaluations);
    assert_close(there.value, host.value, 1e-9, 0);
    assert_true(fabs(there.value - 1) <= 3 * there.error);
  }
}

/* Many integrals in one launch, each with parameters of its own: every third has one mode. */
static const char many_text[] =
    "struct block { double centre[2][3], width[2], weight[2]; };\n"
    "double f(const double *x, const block *p) {\n"
    "  double s = 0;\n"
    "  for (int k = 0; k < 2; ++k) {\n"
    "    double q = 0, v = p->weight[k];\n"
    "    for (int j = 0; j < 3; ++j) {\n"
    "      const double d = (x[j] - p->centre[k][j]) / p->width[k];\n"
    "      q += d * d;\n"
    "      v *= 0.3989422804014327 / p->width[k];\n"
    "    }\n"
    "    s += v * exp(-0.5 * q);\n"
    "  }\n"
    "  return s;\n"
    "}\n";

static void many_in_one_launch_find_both(void **state) {
  enum { rows = 240, n = 3 };
  static struct { double centre[mixture_modes][n], width[mixture_modes], weight[mixture_modes]; } params[rows];
  static double value[rows], error[rows];
  static int status[rows];
  (void)state;
  uint64_t seed = 28129462;
  for (int i = 0; i < rows; ++i) {
    const struct mixture m = draw_mixture(i % 2 == 0 ? everywhere : above_zero, n, 8, 60, &seed);
    for (int k = 0; k < mixture_modes; ++k) {
      memcpy(params[i].centre[k], m.centre[k], sizeof params[i].centre[k]);
      params[i].width[k] = m.width[k];
      params[i].weight[k] = i % 3 == 0 ? 1 - k : m.weight[k];
    }
  }
  double lower[rows][n], upper[rows][n];
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < n; ++j) lower[i][j] = i % 2 == 0 ? -(double)INFINITY : 0, upper[i][j] = INFINITY;
  tessera_solver *s = solver_of(n, 1);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, many_text, "f"), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, device);
  put_real(s, TESSERA_RELTOL, 1e-3);
  put_int(s, TESSERA_MAXEVAL, 20000000);
  assert_true(tessera_integrate_many(s, TESSERA_CUBATURE, rows, params, sizeof params[0], lower[0], upper[0], value,
                                     error, status) >= 0);
  int claims[2] = {0, 0}, false_ones = 0;
  for (int i = 0; i < rows; ++i) {
    if (status[i] != TESSERA_OK) continue;
    ++claims[i % 3 == 0];
    false_ones += fabs(value[i] - 1) > 1e-3;
  }
  print_message("%d claims beside two modes, %d beside one, %d false; %lld evaluations\n", claims[0], claims[1],
                false_ones, (long long)got_int(s, TESSERA_EVALUATIONS));
  tessera_destroy(s);
  assert_int_equal(false_ones, 0);
  assert_true(4 * claims[0] >= rows && claims[1] == rows / 3);
}

/* Finite ranges: beside something smooth a peak in a corner, at the centre, on a face or on the diagonal, where no first region has a point. */
static const char usual_text[] =
    "struct block { double place[4], width[4], height; };\n"
    "double f(const double *x, const block *p) {\n"
    "  double q = 0, smooth = 1;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) {\n"
    "    const double d = (x[j] - p->place[j]) / p->width[j], rate = 0.5 + 0.3 * j;\n"
    "    q += d * d;\n"
    "    smooth *= rate / (1 - exp(-rate)) * exp(-rate * x[j]);\n"
    "  }\n"
    "  return smooth + p->height * exp(-q);\n"
    "}\n";
struct usual {
  double place[4], width[4], height;
};
/* The peak holds 1, as the rest does, or there is none. No two axes are alike, and no two sides, for between those rounding would choose. */
static struct usual draw_usual(int n, int kind, uint64_t *seed) {
  struct usual u = {.height = 1};
  const double along = 0.1 + 0.8 * splitmix_uniform(seed);
  for (int j = 0; j < n; ++j) {
    const int up = splitmix_uniform(seed) < 0.5, is_end = kind == 0 || (kind == 2 && j == 1);
    u.place[j] = is_end ? up : (kind == 3 ? along : 0.5) + 0.001 * splitmix_uniform(seed);
    u.width[j] = 0.005 + 0.01 * splitmix_uniform(seed);
    u.height /= u.width[j] * sqrt(acos(-1.0)) * (is_end ? 0.5 : 1);
  }
  if (kind == 4) u.height = 0;
  return u;
}
static void host_and_device_look_at_usual_places(void **state) {
  (void)state;
  int claims = 0, runs = 0;
  uint64_t seed = 28129526;
  for (int n = 2; n <= 4; ++n)
    for (int kind = 0; kind < 5; ++kind, ++runs) {
      const struct usual u = draw_usual(n, kind, &seed);
      struct answer answers[2];
      for (int where = 0; where < 2; ++where) {
        tessera_solver *s = solver_of(n, 1);
        assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, usual_text, "f"), TESSERA_OK);
        assert_status(s, tessera_set_params(s, &u, sizeof u), TESSERA_OK);
        put_int(s, TESSERA_DEVICE, where == 0 ? -1 : device);
        put_int(s, TESSERA_SELECTION, TESSERA_SELECT_BULK);
        put_int(s, TESSERA_INITIAL_REGIONS, 2);
        put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
        put_real(s, TESSERA_RELTOL, 1e-3);
        put_int(s, TESSERA_MAXEVAL, 20000000);
        answers[where] = integrate(s);
        tessera_destroy(s);
      }
      assert_int_equal(answers[1].status, answers[0].status);
      assert_int_equal(answers[1].regions, answers[0].regions);
      assert_int_equal(answers[1].evaluations, answers[0].evaluations);
      if (answers[1].status != TESSERA_OK) continue;
      ++claims;
      assert_close(answers[1].value, answers[0].value, 1e-9, 0);
      assert_close(answers[1].value, kind == 4 ? 1 : 2, 1e-3, 0);
    }
  print_message("usual places: %d of %d runs met the tolerance\n", claims, runs);
  assert_true(4 * claims >= 3 * runs);
}
static void many_in_one_launch_look_there_too(void **state) {
  enum { rows = 300 };
  static struct usual params[rows];
  static double value[rows], error[rows];
  static int status[rows];
  (void)state;
  uint64_t seed = 28129527;
  for (int i = 0; i < rows; ++i) params[i] = draw_usual(3, i % 5, &seed);
  tessera_solver *s = solver_of(3, 1);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, usual_text, "f"), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, device);
  put_real(s, TESSERA_RELTOL, 1e-3);
  put_int(s, TESSERA_MAXEVAL, 20000000);
  int claims[2] = {0, 0}, false_ones[2] = {0, 0};
  for (int looks = 0; looks < 2; ++looks) {
    put_int(s, TESSERA_LEAST_REGIONS, looks == 1 ? 0 : 1);
    assert_true(tessera_integrate_many(s, TESSERA_CUBATURE, rows, params, sizeof params[0], NULL, NULL, value, error,
                                       status) >= 0);
    for (int i = 0; i < rows; ++i) {
      if (status[i] != TESSERA_OK) continue;
      ++claims[looks];
      const double exact = i % 5 == 4 ? 1 : 2;
      false_ones[looks] += fabs(value[i] - exact) > 1e-3 * exact;
    }
  }
  print_message("usual places, many: %d claims, %d false; without a look %d, %d false\n", claims[1], false_ones[1],
                claims[0], false_ones[0]);
  tessera_destroy(s);
  assert_true(10 * claims[1] >= 9 * rows && 50 * false_ones[1] <= claims[1]);
  assert_true(false_ones[0] > 10);
}

/* Where samples would have success the regions are asked first. */
static void the_automatic_choice_has_them_too(void **state) {
  (void)state;
  int claims = 0, runs = 0;
  uint64_t seed = 28126630;
  for (int i = 0; i < 2 * members; ++i, ++runs) {
    const struct mixture m = draw_mixture(everywhere, 2 + i % 3, 12, 30, &seed);
    tessera_solver *s = solver_for(&m, device, 1e-2, TESSERA_SPARSE_AUTO);
    double value = 0, error = 0;
    if (tessera_integrate(s, TESSERA_AUTO, &value, &error) == TESSERA_OK) {
      ++claims;
      assert_close(value, 1, 1e-2, 0);
    }
    tessera_destroy(s);
  }
  print_message("automatic choice: %d of %d runs met the tolerance\n", claims, runs);
  assert_true(2 * claims >= runs);
}

/* From before the look, and from behind it. */
static void stopped_and_gone_on(void **state) {
  const char *const path = test_path("modes");
  (void)state;
  uint64_t seed = 28125610;
  for (int i = 0; i < 2; ++i) {
    const struct mixture m = draw_mixture(everywhere, 3, 12, 30, &seed);
    tessera_solver *s = solver_for(&m, device, 1e-4, TESSERA_SPARSE_AUTO);
    const struct answer all = integrate(s);
    tessera_destroy(s);
    if (all.status != TESSERA_OK) continue;
    for (int part = 1; part < 8; ++part) {
      s = solver_for(&m, device, 1e-4, TESSERA_SPARSE_AUTO);
      put_int(s, TESSERA_KEEP_STATE, 1);
      put_int(s, TESSERA_MAXEVAL, all.evaluations * part / 8);
      assert_true(is_limit(integrate(s).status));
      assert_status(s, tessera_save_state(s, path), TESSERA_OK);
      tessera_destroy(s);
      s = solver_for(&m, device, 1e-4, TESSERA_SPARSE_AUTO);
      assert_status(s, tessera_load_state(s, path), TESSERA_OK);
      const struct answer rest = integrate(s);
      tessera_destroy(s);
      assert_int_equal(rest.status, all.status);
      assert_int_equal(rest.evaluations, all.evaluations);
      assert_true(rest.value == all.value && rest.error == all.error);
    }
  }
  remove(path);
}

/* One peak, a product, of which a grid with a map goes on behind the look. */
static const char product_text[] =
    "double f(const double *x) {\n"
    "  double v = 1;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) {\n"
    "    const double t = (x[j] - 0.3 * j) / (0.2 + 0.1 * j);\n"
    "    v *= 0.31830988618379067 / ((0.2 + 0.1 * j) * (1 + t * t));\n"
    "  }\n"
    "  return v;\n"
    "}\n";

static void one_peak_beside_a_grid(void **state) {
  static const double tolerances[] = {1e-3, 1e-5, 1e-7};
  (void)state;
  for (int n = 2; n <= 5; ++n) {
    int claims = 0;
    for (int t = 0; t < 3; ++t) {
      tessera_solver *s = solver_of(n, 1);
      put_cube(s, n, -(double)INFINITY, (double)INFINITY);
      assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, product_text, "f"), TESSERA_OK);
      put_int(s, TESSERA_DEVICE, device);
      put_real(s, TESSERA_RELTOL, tolerances[t]);
      put_int(s, TESSERA_MAXEVAL, 2000000000);
      const struct answer a = integrate(s);
      print_message("%d variables, %.0e: %s, %lld evaluations, %s\n", n, tolerances[t], tessera_status_string(a.status),
                    (long long)a.evaluations, got_int(s, TESSERA_SPARSE_USED) ? "by a grid" : "by regions");
      if (a.status == TESSERA_OK) {
        ++claims;
        assert_close(a.value, 1, tolerances[t], 0);
      } else {
        assert_true(is_limit(a.status) || a.status == TESSERA_ROUNDOFF);
      }
      tessera_destroy(s);
    }
    assert_true(claims > 0);
  }
}

/* It stops next to the corner, where no region's point is: a look asks for it there, and where a limit ends the run before, what has been asked for ahead is not heard, nor seen in the value. */
static struct answer beside_corner(int n, int where, int stops, int looks) {
  char text[500];
  snprintf(text, sizeof text,
           "#include <math.h>\n"
           "int f(int n, const double *x, int m, double *v, void *p) {\n"
           "  double s = 0, most = 0;\n"
           "  for (int j = 0; j < n; ++j) s += (1 + 0.2 * j) * fabs(x[j] - 0.37), most = fmax(most, x[j]);\n"
           "  v[0] = exp(-s);\n"
           "  return most < 2e-5 ? %d : 0;\n"
           "}\n",
           stops ? 17 : 0);
  tessera_solver *s = solver_of(n, 1);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text, "f"), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, where);
  put_int(s, TESSERA_SELECTION, TESSERA_SELECT_BULK);
  put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF);
  put_int(s, TESSERA_INITIAL_REGIONS, 256);
  put_real(s, TESSERA_RELTOL, looks ? 1e-2 : 1e-12);
  put_int(s, TESSERA_MAXEVAL, looks ? 1000000 : 60000);
  const struct answer a = integrate(s);
  tessera_destroy(s);
  return a;
}
static void what_is_said_ahead_is_not_heard(void **state) {
  (void)state;
  for (int n = 2; n <= 5; ++n) {
    if (n == 3) continue; /* whose rule has points there */
    const struct answer limited = beside_corner(n, device, 1, 0), silent = beside_corner(n, device, 0, 0);
    assert_int_equal(limited.status, TESSERA_LIMIT_EVALUATIONS);
    assert_int_equal(silent.status, TESSERA_LIMIT_EVALUATIONS);
    assert_int_equal(limited.evaluations, silent.evaluations);
    assert_true(limited.value == silent.value && limited.error == silent.error);
    const struct answer there = beside_corner(n, device, 1, 1), host = beside_corner(n, -1, 1, 1);
    assert_int_equal(there.status, TESSERA_CALLBACK_STOPPED);
    assert_int_equal(host.status, TESSERA_CALLBACK_STOPPED);
  }
}

int main(int argc, char **argv) {
  tessera_solver *s = NULL;
  if (tessera_create(&s, 1, 1) != TESSERA_OK) return 1;
  tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return x[0]; }", "f");
  if (lacks_device(s, device)) return no_device_here();
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(host_and_device_look_at_usual_places),
                                     cmocka_unit_test(many_in_one_launch_look_there_too),
                                     cmocka_unit_test(host_and_device_find_both),
                                     cmocka_unit_test(a_limit_ends_both_alike),
                                     cmocka_unit_test(many_in_one_launch_find_both),
                                     cmocka_unit_test(the_automatic_choice_has_them_too),
                                     cmocka_unit_test(stopped_and_gone_on),
                                     cmocka_unit_test(one_peak_beside_a_grid),
                                     cmocka_unit_test(what_is_said_ahead_is_not_heard)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
