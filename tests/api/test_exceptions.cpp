// An integrand written in C++ throws: the run stops like after a non-zero return, and nothing leaves the library.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <stdexcept>

extern "C" {
#include "solve.h"
}

namespace {

enum kind { exception, number };

struct trap {
  kind what;
  double below;  // throws where x[0] is less than this
};

void spring(const trap &t, double x) {
  if (x >= t.below) return;
  if (t.what == number) throw 42;
  throw std::runtime_error("the furnace is too hot");
}

int point(int ndim, const double *x, int, double *f, void *userdata) {
  spring(*static_cast<const trap *>(userdata), x[0]);
  f[0] = 0;
  for (int j = 0; j < ndim; ++j) f[0] += std::sqrt(x[j]);
  return 0;
}

int batch(int64_t n, int ndim, const double *x, int64_t ldx, int, double *f, int64_t, void *userdata) {
  for (int64_t i = 0; i < n; ++i) {
    spring(*static_cast<const trap *>(userdata), x[i]);
    f[i] = 0;
    for (int j = 0; j < ndim; ++j) f[i] += std::sqrt(x[j * ldx + i]);
  }
  return 0;
}

answer run(trap &t, int form, int selection, int threads) {
  tessera_solver *s = solver_of(2, 1);
  if (form == 0) put_point(s, point, &t);
  if (form == 1) put_batch(s, batch, &t);
  put_int(s, TESSERA_SELECTION, selection);
  put_int(s, TESSERA_THREADS, threads);
  put_real(s, TESSERA_RELTOL, 1e-12);
  const answer a = integrate(s);
  assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 0);
  // the solver still works
  t.below = 0;
  put_real(s, TESSERA_RELTOL, 1e-4);
  const answer calm = integrate(s);
  assert_int_equal(calm.status, TESSERA_OK);
  assert_close(calm.value, 4.0 / 3, 1e-4, 0);
  tessera_destroy(s);
  return a;
}

template <class Check>
void each_way(Check check) {
  for (int form = 0; form < 2; ++form)
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection)
      for (int threads = 1; threads <= 3; threads += 2) check(form, selection, threads);
}

void assert_words(const answer &a, kind what) {
  if (what == exception) assert_says(a.sentence, "the furnace is too hot");
  assert_says(a.sentence, "exception");
}

void a_throw_before_there_is_a_value_is_an_error(void **) {
  for (kind what : {exception, number})
    each_way([=](int form, int selection, int threads) {
      trap t = {what, 0.5};
      const answer a = run(t, form, selection, threads);
      assert_int_equal(a.status, TESSERA_ERR_CALLBACK);
      assert_words(a, what);
      assert_same_bits(a.value, -1e300);  // untouched
      assert_same_bits(a.error, -1e300);
    });
}

void a_later_throw_keeps_the_best_value(void **) {
  for (kind what : {exception, number})
    each_way([=](int form, int selection, int threads) {
      trap t = {what, 1e-4};
      const answer a = run(t, form, selection, threads);
      assert_int_equal(a.status, TESSERA_CALLBACK_STOPPED);
      assert_words(a, what);
      assert_true(a.evaluations >= 65);
      assert_close(a.value, 4.0 / 3, 1e-2, 0);
    });
}

// ---- Callbacks that are not the integrand ------------------------------------------------------------------------------

int kink(int ndim, const double *x, int, double *f, void *) {
  f[0] = 0;
  for (int j = 0; j < ndim; ++j) f[0] += std::fabs(x[j] - 0.3);
  return 0;
}

int throwing_progress(int64_t, int, const double *, const double *, int64_t, void *what) {
  if (*static_cast<kind *>(what) == number) throw 42;
  throw std::runtime_error("no more patience");
}

void throwing_log(int, const char *, void *) { throw std::runtime_error("the disk is full"); }

tessera_solver *reporting(kind &what) {
  tessera_solver *s = solver_of(3, 1);
  put_point(s, kink, nullptr);
  put_real(s, TESSERA_PROGRESS_SECONDS, 0);
  put_real(s, TESSERA_RELTOL, 1e-5);
  put_int(s, TESSERA_POINTS, 4096);
  assert_status(s, tessera_set_progress(s, throwing_progress, &what), TESSERA_OK);
  return s;
}

void a_throwing_progress_callback_stops_the_run(void **) {
  for (kind what : {exception, number})
    for (const int method : {TESSERA_CUBATURE, TESSERA_LATTICE, TESSERA_MONTECARLO}) {
      double value = 0, error = 0;
      tessera_solver *s = reporting(what);
      assert_status(s, tessera_integrate(s, method, &value, &error), TESSERA_STOPPED);
      assert_says(tessera_last_error(s), what == exception ? "no more patience" : "threw an exception");
      assert_close(value, 3 * (0.09 + 0.49) / 2, 0.5, 0);
      assert_status(s, tessera_set_int(s, TESSERA_SEED, 7), TESSERA_OK);  // it is not busy
      assert_status(s, tessera_set_progress(s, nullptr, nullptr), TESSERA_OK);
      put_real(s, TESSERA_RELTOL, 1e-2);
      assert_status(s, tessera_integrate(s, method, &value, &error), TESSERA_OK);
      tessera_destroy(s);
    }
}

void the_same_with_many_integrals(void **) {
  enum { count = 40 };
  for (kind what : {exception, number})
    for (int threads = 1; threads <= 3; threads += 2) {
      double value[count], error[count];
      int status[count];
      tessera_solver *s = reporting(what);
      put_int(s, TESSERA_THREADS, threads);
      assert_status(
          s, tessera_integrate_many(s, TESSERA_CUBATURE, count, nullptr, 0, nullptr, nullptr, value, error, status),
          TESSERA_STOPPED);
      assert_says(tessera_last_error(s), what == exception ? "no more patience" : "threw an exception");
      assert_status(s, tessera_set_int(s, TESSERA_SEED, 7), TESSERA_OK);
      tessera_destroy(s);
    }
}

void a_throwing_log_loses_nothing(void **) {
  double value = 0, error = 0;
  tessera_solver *s = solver_of(3, 1);
  put_point(s, kink, nullptr);
  put_real(s, TESSERA_RELTOL, 1e-2);
  assert_status(s, tessera_set_log(s, throwing_log, nullptr), TESSERA_OK);
  for (const int method : {TESSERA_CUBATURE, TESSERA_LATTICE, TESSERA_MONTECARLO}) {
    assert_status(s, tessera_integrate(s, method, &value, &error), TESSERA_OK);
    assert_close(value, 3 * (0.09 + 0.49) / 2, 2e-2, 0);
  }
  tessera_destroy(s);
}

int throwing_construction(int64_t, int64_t, void *) { throw std::runtime_error("no more patience"); }

void a_throw_stops_a_construction(void **) {
  tessera_lattice *l;
  assert_int_equal(tessera_lattice_create(&l, 4), TESSERA_OK);
  assert_int_equal(tessera_lattice_set_progress(l, throwing_construction, nullptr), TESSERA_OK);
  const int status = tessera_lattice_construct(l, 101);
  if (status != TESSERA_ERR_NOT_BUILT) {  // without FFTW
    assert_int_equal(status, TESSERA_ERR_CALLBACK);
    assert_says(tessera_lattice_last_error(l), "no more patience");
    assert_int_equal(tessera_lattice_set_progress(l, nullptr, nullptr), TESSERA_OK);
    assert_int_equal(tessera_lattice_construct(l, 101), TESSERA_OK);
  }
  tessera_lattice_destroy(l);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_throw_before_there_is_a_value_is_an_error),
      cmocka_unit_test(a_later_throw_keeps_the_best_value),
      cmocka_unit_test(a_throwing_progress_callback_stops_the_run),
      cmocka_unit_test(the_same_with_many_integrals),
      cmocka_unit_test(a_throwing_log_loses_nothing),
      cmocka_unit_test(a_throw_stops_a_construction),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
