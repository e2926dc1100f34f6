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

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_throw_before_there_is_a_value_is_an_error),
      cmocka_unit_test(a_later_throw_keeps_the_best_value),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
