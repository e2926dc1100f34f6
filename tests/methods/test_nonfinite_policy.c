/* TESSERA_NONFINITE_ZERO: points at which the integrand is NaN or infinite count as 0, are counted, and the error allows for them.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "solve.h"

/* 0: 1/sqrt(r) at the centre; 1: |x0 - 1/2|^-1/2, a plane; 2: |x0 - x1|^-1/4 on the diagonal; 3: NaN in a tenth of the
 * cube; 4: nowhere finite; 5: only component 2 at the centre. */
struct singular {
  int kind;
  _Atomic long bad;
};

static int f(int ndim, const double *x, int ncomp, double *v, void *userdata) {
  struct singular *s = userdata;
  double r = 0;
  (void)ncomp;
  for (int j = 0; j < ndim; ++j) r += (x[j] - 0.5) * (x[j] - 0.5);
  switch (s->kind) {
    case 0:
      v[0] = pow(r, -0.25);
      break;
    case 1:
      v[0] = 1 / sqrt(fabs(x[0] - 0.5));
      break;
    case 2:
      v[0] = pow(fabs(x[0] - x[ndim - 1]), -0.25);
      break;
    case 3:
      v[0] = x[0] < 0.1 ? NAN : 1;
      break;
    case 4:
      v[0] = NAN;
      break;
    default:
      v[0] = 1 + r, v[1] = r == 0 ? INFINITY : -log(r);
      break;
  }
  if (!isfinite(v[0]) || (s->kind == 5 && !isfinite(v[1]))) ++s->bad;
  return 0;
}

static int f_of_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *v, int64_t ldf,
                      void *userdata) {
  for (int64_t i = 0; i < n; ++i) {
    double at[16], value[2];
    for (int j = 0; j < ndim; ++j) at[j] = x[j * ldx + i];
    f(ndim, at, ncomp, value, userdata);
    for (int k = 0; k < ncomp; ++k) v[k * ldf + i] = value[k];
  }
  return 0;
}

static tessera_solver *singular_solver(int ndim, int ncomp, struct singular *s, int batch, double reltol) {
  tessera_solver *solver = solver_of(ndim, ncomp);
  if (batch)
    put_batch(solver, f_of_batch, s);
  else
    put_point(solver, f, s);
  put_real(solver, TESSERA_RELTOL, reltol);
  put_int(solver, TESSERA_NONFINITE_POLICY, TESSERA_NONFINITE_ZERO);
  return solver;
}

/* Over the unit square; the first is 8 times the integral of (2/3)(1/(2 cos t))^(3/2) over t from 0 to pi/4, by quadrature. */
static const double exact[3] = {1.7677476264838, 2.8284271247461901, 2 / (0.75 * 1.75)};

static void single_points(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; ++kind)
    for (int batch = 0; batch < 2; ++batch)
      for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection)
        for (int policy = TESSERA_NONFINITE_ZERO; policy >= TESSERA_NONFINITE_STOP; --policy) {
          struct singular s = {kind, 0};
          tessera_solver *solver = singular_solver(2, 1, &s, batch, kind == 2 ? 1e-2 : 1e-4);
          put_int(solver, TESSERA_SELECTION, selection);
          put_int(solver, TESSERA_NONFINITE_POLICY, policy);
          const struct answer a = integrate(solver);
          print_message("  kind %d batch %d selection %d policy %d: %s; %.10g +- %.2g, %lld evaluations, %lld points\n",
                        kind, batch, selection, policy, tessera_status_string(a.status), a.value, a.error,
                        (long long)a.evaluations, (long long)got_int(solver, TESSERA_NONFINITE_POINTS));
          assert_int_equal(got_int(solver, TESSERA_NONFINITE_POINTS), policy ? s.bad : 0);
          if (policy == TESSERA_NONFINITE_STOP) {
            assert_status(solver, a.status, TESSERA_NONFINITE);
          } else {
            assert_status(solver, a.status, TESSERA_OK);
            assert_true(s.bad > 0);
            assert_at_most(fabs(a.value - exact[kind]), a.error);
          }
          tessera_destroy(solver);
        }
}

/* A tenth of the domain is no point: never a success whose error leaves it out. */
static void a_part_of_the_domain(void **state) {
  (void)state;
  for (int method = TESSERA_CUBATURE; method <= TESSERA_MONTECARLO; ++method)
    for (int kind = 3; kind < 5; ++kind)
      for (int ndim = 1; ndim <= 8; ndim += 7) {
        struct singular s = {kind, 0};
        tessera_solver *solver = singular_solver(ndim, 1, &s, 0, 1e-4);
        put_int(solver, TESSERA_MAXEVAL, 200000);
        double value = 0, error = 0;
        const int status = tessera_integrate(solver, method, &value, &error);
        print_message("  method %d kind %d %d-D: %s; %g +- %g\n", method, kind, ndim, tessera_last_error(solver), value,
                      error);
        assert_true(status != TESSERA_OK);
        assert_true(got_int(solver, TESSERA_NONFINITE_POINTS) > 0);
        assert_true(error >= (kind == 3 ? 0.1 : INFINITY)); /* of 1 */
        tessera_destroy(solver);
      }
}

static void one_component(void **state) {
  (void)state;
  struct singular s = {5, 0};
  double value[2], error[2];
  tessera_solver *solver = singular_solver(3, 2, &s, 0, 1e-4);
  assert_status(solver, tessera_integrate(solver, TESSERA_CUBATURE, value, error), TESSERA_OK);
  assert_close(value[0], 1.25, 1e-4, 0);
  assert_int_equal(got_int(solver, TESSERA_NONFINITE_POINTS), s.bad);
  assert_true(s.bad > 0);
  /* Lattice points do not hit the centre: the statistic is that of the last run. */
  assert_true(tessera_integrate(solver, TESSERA_LATTICE, value, error) >= 0);
  assert_int_equal(got_int(solver, TESSERA_NONFINITE_POINTS), 0);
  tessera_destroy(solver);
}

/* A finite integrand does not notice. */
static void nothing_changes(void **state) {
  (void)state;
  for (int method = TESSERA_CUBATURE; method <= TESSERA_MONTECARLO; ++method) {
    double value[2][2], error[2][2];
    for (int policy = 0; policy < 2; ++policy) {
      struct singular s = {0, 0};
      tessera_solver *solver = singular_solver(5, 1, &s, 0, 1e-2);
      const double lower[5] = {0.6, 0, 0, 0, 0}, upper[5] = {1, 1, 1, 1, 1};
      assert_status(solver, tessera_set_domain(solver, lower, upper), TESSERA_OK);
      put_int(solver, TESSERA_NONFINITE_POLICY, policy);
      assert_status(solver, tessera_integrate(solver, method, value[policy], error[policy]), TESSERA_OK);
      tessera_destroy(solver);
    }
    assert_same_bits(value[0][0], value[1][0]);
    assert_same_bits(error[0][0], error[1][0]);
  }
}

/* Of many integrals each is what it is alone, with its own points and its own share of the error. */
static void many_integrals(void **state) {
  enum { rows = 4 };
  const double lower[rows][2] = {{0, 0}, {0.2, 0}, {0.0999, 0}, {0, 0}},
               upper[rows][2] = {{1, 1}, {1, 1}, {1, 1}, {0.05, 1}};
  (void)state;
  for (int method = TESSERA_CUBATURE; method <= TESSERA_MONTECARLO; ++method)
    for (int batch = 0; batch < 2; ++batch)
      for (int threads = 1; threads <= 2; ++threads) {
        struct singular s = {3, 0};
        double value[rows], error[rows];
        int status[rows];
        tessera_solver *solver = singular_solver(2, 1, &s, batch, 1e-2);
        put_int(solver, TESSERA_MAXEVAL, 100000);
        put_int(solver, TESSERA_THREADS, threads);
        assert_true(tessera_integrate_many(solver, method, rows, NULL, 0, lower[0], upper[0], value, error, status) >
                    0);
        const int64_t all = got_int(solver, TESSERA_NONFINITE_POINTS);
        put_int(solver, TESSERA_THREADS, 1);
        int64_t sum = 0;
        for (int i = 0; i < rows; ++i) {
          assert_status(solver, tessera_set_domain(solver, lower[i], upper[i]), TESSERA_OK);
          struct answer a;
          a.status = tessera_integrate(solver, method, &a.value, &a.error);
          assert_int_equal(status[i], a.status);
          if (a.status < 0) continue;
          assert_same_bits(value[i], a.value);
          assert_same_bits(error[i], a.error);
          sum += got_int(solver, TESSERA_NONFINITE_POINTS);
        }
        print_message("  method %d batch %d %d threads: %lld points; statuses %d %d %d %d\n", method, batch, threads,
                      (long long)all, status[0], status[1], status[2], status[3]);
        assert_int_equal(all, sum);
        assert_true(all > 0 && status[0] != TESSERA_OK && status[3] != TESSERA_OK);
        assert_true(status[1] == TESSERA_OK || method == TESSERA_MONTECARLO); /* which does not believe in no spread */
        assert_at_most(error[1], 1e-2);
        assert_true(error[0] >= 0.1);
        tessera_destroy(solver);
      }
}

/* On a device the integrand has to do it. */
static void not_on_a_device(void **state) {
  (void)state;
  struct singular s = {0, 0};
  double value, error;
  tessera_solver *solver = singular_solver(2, 1, &s, 0, 1e-2);
  assert_status(
      solver,
      tessera_set_integrand_source(solver, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return x[0]; }", "f"),
      TESSERA_OK);
  put_int(solver, TESSERA_DEVICE, 0);
  const int status = tessera_integrate(solver, TESSERA_CUBATURE, &value, &error);
  if (status != TESSERA_ERR_NOT_BUILT) assert_status(solver, status, TESSERA_ERR_UNSUPPORTED);
  tessera_destroy(solver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(single_points),   cmocka_unit_test(a_part_of_the_domain), cmocka_unit_test(one_component),
      cmocka_unit_test(nothing_changes), cmocka_unit_test(many_integrals),       cmocka_unit_test(not_on_a_device),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
