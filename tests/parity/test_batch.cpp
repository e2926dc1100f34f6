// A device batch callback against the same integrand as a text, both on device 0. The callback's kernels are compiled here at
// run time, so that nvcc is not needed. Skipped where there is no device.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" {
#include "cases.h"
#include "solve.h"
}

#include "launched.hpp"
#include "skip.h"

using namespace tessera;

namespace {

launched *the_one;
int by_params(std::int64_t n, int, const double *x, std::int64_t ldx, int, double *f, std::int64_t ldf, void *stream,
              void *params) {
  return the_one->call(n, x, ldx, f, ldf, stream, params);
}

// The callback beside the text, in solvers that `prepare` has set up.
template <class Prepare>
void assert_parity(const char *function, int ndim, int ncomp, Prepare prepare) {
  double value[2][4], error[2][4];
  int status[2];
  std::int64_t evaluations[2];
  launched l(function, ndim, ncomp);
  for (int form = 0; form < 2; ++form) {
    tessera_solver *s = device_solver(ndim, ncomp, form ? &l : nullptr);
    if (!form)
      assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, functions, function), TESSERA_OK);
    prepare(s);
    // A rule that is asked for: without rules of higher degree, which the text alone would have.
    if (got_int(s, TESSERA_RULE) == TESSERA_RULE_AUTO && ndim >= 3 && ndim <= 6)
      put_int(s, TESSERA_RULE, ndim == 3 ? TESSERA_RULE_DEGREE11 : TESSERA_RULE_DEGREE9);
    status[form] = tessera_integrate(s, TESSERA_CUBATURE, value[form], error[form]);
    if (status[form] < 0) print_error("%s: %s\n", function, tessera_last_error(s));
    assert_true(status[form] >= 0);
    evaluations[form] = got_int(s, TESSERA_EVALUATIONS);
    assert_int_equal(got_int(s, TESSERA_DEVICE_USED), device);
    tessera_destroy(s);
  }
  print_message("%-6s %2d-D: text %lld evaluations, callback %lld in %d calls\n", function, ndim,
                static_cast<long long>(evaluations[0]), static_cast<long long>(evaluations[1]), l.calls);
  assert_int_equal(status[0], status[1]);
  assert_int_equal(l.wrong_arguments, 0);
  assert_int_equal(l.points, evaluations[1]);
  for (int k = 0; k < ncomp; ++k) {
    assert_at_most(std::fabs(value[1][k] - value[0][k]), error[0][k] + error[1][k] + 1e-13 * std::fabs(value[0][k]));
    assert_at_most(std::fabs(error[1][k] - error[0][k]), 0.5 * error[0][k] + 1e-13 * std::fabs(value[0][k]));
  }
  assert_at_most(std::fabs(static_cast<double>(evaluations[1] - evaluations[0])),
                 0.05 * static_cast<double>(evaluations[0]));
}

// ---- Values ----------------------------------------------------------------------------------------------------------------

void every_shape_of_rule(void **) {
  static const struct {
    const char *function;
    int ndim, family;
    double reltol;
  } cases[] = {{"f5", 1, TESSERA_RULE_AUTO, 1e-10},  {"f4", 2, TESSERA_RULE_AUTO, 1e-10},
               {"f3", 3, TESSERA_RULE_AUTO, 1e-9},   {"f4", 5, TESSERA_RULE_AUTO, 1e-6},
               {"f5", 5, TESSERA_RULE_GM7, 1e-4},    {"f7", 6, TESSERA_RULE_DEGREE7, 1e-5},
               {"f1", 8, TESSERA_RULE_AUTO, 1e-3},   {"f4", 8, TESSERA_RULE_AUTO, 1e-3},
               {"wave", 13, TESSERA_RULE_GM7, 1e-5}, {"wave", 20, TESSERA_RULE_LOW, 1e-4}};
  for (const auto &c : cases)
    assert_parity(c.function, c.ndim, 1, [&](tessera_solver *s) {
      put_int(s, TESSERA_RULE, c.family);
      to(s, c.reltol, 200000000);
    });
}

void a_rule_with_more_points_than_a_call(void **) {
  launched l("wave", 23);
  tessera_solver *s = device_solver(23, 1, &l);
  put_int(s, TESSERA_RULE, TESSERA_RULE_GM7);
  put_int(s, TESSERA_INITIAL_REGIONS, 2);
  to(s, 1e-2, 40000000);
  const struct answer a = integrate(s);
  assert_true(a.status >= 0);
  assert_true(got_int(s, TESSERA_RULE_POINTS) > most_points);
  assert_int_equal(l.points, a.evaluations);
  assert_true(l.largest <= most_points);
  // The real part of the product of the integrals of exp(i a x).
  double modulus = 1.0, phase = 0.0;
  for (int i = 0; i < 23; ++i) {
    const double half = 0.15 * (1.0 + 0.1 * i);
    modulus *= std::sin(half) / half;
    phase += half;
  }
  assert_at_most(std::fabs(a.value - modulus * std::cos(phase)), a.error);
  tessera_destroy(s);
}

void components_and_infinite_ranges(void **) {
  assert_parity("three", 4, 3, [](tessera_solver *s) { to(s, 1e-7, 200000000); });
  const auto infinite = [](tessera_solver *s) {
    const double lower[3] = {-INFINITY, 0, -1}, upper[3] = {INFINITY, INFINITY, 1};
    assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
  };
  assert_parity("range", 3, 1, infinite);
  launched l("range", 3);
  tessera_solver *s = device_solver(3, 1, &l);
  infinite(s);
  assert_close(integrate(s).value, 1.7724538509055160273 * 2 / 3, 1e-6, 0);
  tessera_destroy(s);
}

void the_parameter_block_on_the_device(void **) {
  launched l("scaled", 2);
  the_one = &l;
  tessera_solver *s = solver_of(2, 1);
  put_int(s, TESSERA_DEVICE, device);
  assert_status(s, tessera_set_integrand_device(s, by_params, nullptr), TESSERA_OK);
  for (int i = 0; i < 3; ++i) {
    const double p[2] = {2.0 + i, 5.0};
    assert_status(s, tessera_set_params(s, p, sizeof p), TESSERA_OK);
    assert_close(integrate(s).value, 6.0 + 0.5 * i, 1e-13, 0);
  }
  tessera_destroy(s);
}

// Each has the whole device, and its own block there.
void many_integrals_one_after_another(void **) {
  constexpr int count = 20;
  launched l("scaled", 2);
  the_one = &l;
  tessera_solver *s = solver_of(2, 1);
  put_int(s, TESSERA_DEVICE, device);
  assert_status(s, tessera_set_integrand_device(s, by_params, nullptr), TESSERA_OK);
  double p[count][2], value[count], error[count];
  int status[count];
  for (int i = 0; i < count; ++i) p[i][0] = 2.0 + i, p[i][1] = 5.0;
  const auto many = [&] {
    return tessera_integrate_many(s, TESSERA_CUBATURE, count, p, sizeof p[0], nullptr, nullptr, value, error, status);
  };
  assert_status(s, many(), TESSERA_OK);
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), device);
  assert_int_equal(got_int(s, TESSERA_INLINED), -1);
  assert_int_equal(l.points, got_int(s, TESSERA_EVALUATIONS));
  for (int i = 0; i < count; ++i) {
    assert_int_equal(status[i], TESSERA_OK);
    assert_close(value[i], 6.0 + 0.5 * i, 1e-13, 0);
  }
  l.stop_at = l.calls + 1;
  l.stop_code = 17;
  assert_status(s, many(), TESSERA_SOME_FAILED);
  assert_says(tessera_last_error(s), "integral 0 (counted from 0): the device callback returned 17");
  assert_int_equal(status[0], TESSERA_ERR_CALLBACK);
  assert_int_equal(status[1], TESSERA_OK);
  assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 17);
  tessera_destroy(s);
}

// ---- Behaviour -------------------------------------------------------------------------------------------------------------

void runs_repeat_bit_by_bit(void **) {
  launched l("f4", 5);
  tessera_solver *s = device_solver(5, 1, &l), *other = device_solver(5, 1, &l);
  put_real(s, TESSERA_RELTOL, 1e-7);
  put_real(other, TESSERA_RELTOL, 1e-7);
  const struct answer a = integrate(s), b = integrate(s), c = integrate(other);
  assert_int_equal(a.status, TESSERA_OK);
  assert_close(a.value, suite_find("f4_5d")->exact, 1e-7, 0);
  assert_same_answer(a, b);
  assert_same_answer(a, c);
  assert_same_bits(got_real(s, TESSERA_COMPILE_SECONDS), 0);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, functions, "f1"), TESSERA_OK);
  assert_same_answer(a, integrate(s));  // the callback goes before a text
  assert_status(s, tessera_set_integrand_device(s, nullptr, nullptr), TESSERA_OK);
  assert_true(std::fabs(integrate(s).value - a.value) > a.error);
  assert_status(s, tessera_set_integrand_device(s, by_userdata, &l), TESSERA_OK);
  assert_same_answer(a, integrate(s));
  tessera_destroy(s);
  tessera_destroy(other);
}

// Device 0 stands for several: each is called for its regions of a step.
void several_devices_are_called_in_turn(void **) {
  setenv("TESSERA_TEST_ONE_DEVICE_AS_SEVERAL", "1", 1);
  struct answer one = {};
  for (int n = 1; n <= 3; ++n) {
    const int ordinals[3] = {device, device, device};
    launched l("f4", 5);
    tessera_solver *s = device_solver(5, 1, &l);
    assert_status(s, tessera_set_devices(s, n, ordinals), TESSERA_OK);
    to(s, 1e-6, 20000000);
    const struct answer a = integrate(s);
    assert_true(a.status >= 0);
    assert_int_equal(got_int(s, TESSERA_DEVICES_USED), n);
    assert_int_equal(l.points, a.evaluations);
    assert_int_equal(l.wrong_arguments, 0);
    if (n == 1) one = a;
    assert_int_equal(a.status, one.status);
    assert_int_equal(a.evaluations, one.evaluations);
    assert_same_bits(a.value, one.value);
    assert_same_bits(a.error, one.error);
    tessera_destroy(s);
  }
  unsetenv("TESSERA_TEST_ONE_DEVICE_AS_SEVERAL");
}

void the_callback_can_stop_the_run(void **) {
  launched l("f4", 5);
  tessera_solver *s = device_solver(5, 1, &l);
  put_real(s, TESSERA_RELTOL, 1e-7);
  l.stop_at = 1;
  l.stop_code = 17;
  struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_ERR_CALLBACK);
  assert_says(a.sentence, "returned 17");
  assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 17);
  for (const int step : {2, 4}) {  // the second call has the pieces of the first cells, whose value is there by then
    l.stop_at = l.calls + step;
    a = integrate(s);
    assert_int_equal(a.status, TESSERA_CALLBACK_STOPPED);
    assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 17);
    assert_true(std::isfinite(a.value) && a.error > 0);
  }
  l.stop_at = l.calls + 4;
  l.stop_code = -1;
  a = integrate(s);
  assert_int_equal(a.status, TESSERA_CALLBACK_STOPPED);
  assert_says(a.sentence, "exception: a reason");
  l.stop_at = 0;
  assert_int_equal(integrate(s).status, TESSERA_OK);
  tessera_destroy(s);
}

void what_is_not_written_is_not_a_value(void **) {
  launched l("f4", 5);
  tessera_solver *s = device_solver(5, 1, &l);
  l.launches = false;
  struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_NONFINITE);
  assert_says(a.sentence, "left out a point");
  l.launches = true;
  assert_int_equal(integrate(s).status, TESSERA_OK);
  l.left_out = 1;
  assert_int_equal(integrate(s).status, TESSERA_NONFINITE);
  tessera_destroy(s);
  launched spot("spot", 2);
  s = device_solver(2, 1, &spot);
  put_real(s, TESSERA_RELTOL, 1e-12);
  a = integrate(s);
  assert_int_equal(a.status, TESSERA_NONFINITE);
  tessera_destroy(s);
}

void it_is_compared_with_a_host_callback(void **) {
  launched l("f4", 5);
  tessera_solver *s = device_solver(5, 1, &l);
  put_point(s, suite_f5, nullptr);
  struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_ERR_CHECK);
  assert_says(a.sentence, "the callback and the device callback are not the same integrand: component 1 at x = (0.");
  put_point(s, suite_f4, nullptr);
  l.calls = 0;
  assert_int_equal(integrate(s).status, TESSERA_OK);
  const int calls = l.calls;
  l.calls = 0;
  assert_int_equal(integrate(s).status, TESSERA_OK);
  assert_int_equal(l.calls, calls - 1);  // once is enough
  put_point(s, suite_f4, nullptr);
  l.stop_at = l.calls + 1;
  l.stop_code = 3;
  a = integrate(s);
  assert_int_equal(a.status, TESSERA_ERR_CALLBACK);
  assert_says(a.sentence, "the device callback returned 3 while it was compared");
  l.stop_at = 0;
  put_int(s, TESSERA_DEVICE, -2);
  assert_int_equal(integrate(s).status, TESSERA_OK);
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), device);
  tessera_destroy(s);
}

int reports;
int stop_at_once(std::int64_t evaluations, int, const double *value, const double *error, std::int64_t, void *) {
  if (evaluations < 1 || !std::isfinite(*value) || !(*error >= 0)) reports = 1000;
  return ++reports >= 1;
}

void limits_and_progress(void **) {
  launched l("f4", 5);
  tessera_solver *s = device_solver(5, 1, &l);
  to(s, 1e-14, 5000000);
  struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_LIMIT_EVALUATIONS);
  assert_true(a.evaluations <= 5000000);
  assert_at_most(std::fabs(a.value - suite_find("f4_5d")->exact), a.error);
  put_int(s, TESSERA_MAX_MEMORY, 16000000); /* the calls of the run before took more */
  put_int(s, TESSERA_MAXEVAL, 400000000);
  a = integrate(s);
  assert_int_equal(a.status, TESSERA_LIMIT_MEMORY);
  assert_at_most(std::fabs(a.value - suite_find("f4_5d")->exact), a.error);
  reports = 0;
  assert_status(s, tessera_set_progress(s, stop_at_once, nullptr), TESSERA_OK);
  a = integrate(s);
  assert_int_equal(a.status, TESSERA_STOPPED);
  assert_int_equal(reports, 1);
  assert_status(s, tessera_set_progress(s, nullptr, nullptr), TESSERA_OK);
  put_real(s, TESSERA_MAX_SECONDS, 1e-9);
  assert_int_equal(integrate(s).status, TESSERA_LIMIT_TIME);
  tessera_destroy(s);
}

// A lattice run in calls of a quarter of a shift: whole shifts count, whoever ended it; before there is one, the points so far when it was
// the time.
void a_lattice_run_that_ends_early(void **) {
  constexpr std::int64_t points = std::int64_t{1} << 22, part = points / 4;
  const double a = 0.3, b = 0.33, exact = (std::cos(a) + std::cos(b) - std::cos(a + b) - 1) / (a * b);
  for (int calls = 1; calls <= 13; calls += 3)
    for (int stops = 0; stops < 2; ++stops) {
      launched l("wave", 2);
      tessera_solver *s = device_solver(2, 1, &l);
      put_int(s, TESSERA_TRANSFORM, TESSERA_TRANSFORM_NONE);
      put_int(s, TESSERA_POINTS, points);
      put_int(s, TESSERA_MAXEVAL, 1000000000);
      put_int(s, TESSERA_MAX_MEMORY, 2 * 8 * 4 * part); /* three numbers of a point, and its value */
      put_real(s, TESSERA_RELTOL, 1e-14);
      put_real(s, TESSERA_MAX_SECONDS, stops ? 1000 : time_limit);
      l.stop_code = 5;
      (stops ? l.stop_at : l.pause_at) = stops ? calls + 1 : calls;
      double value = -7, error = -7;
      const int status = tessera_integrate(s, TESSERA_LATTICE, &value, &error);
      const std::int64_t shifts = got_int(s, TESSERA_SHIFTS_USED), made = got_int(s, TESSERA_EVALUATIONS);
      print_message("  %s after %d calls: status %d, %lld shifts, %lld points, %g +- %g\n", stops ? "stopped" : "time",
                    calls, status, static_cast<long long>(shifts), static_cast<long long>(made), value, error);
      assert_int_equal(l.largest, part);
      assert_int_equal(made, calls * part);
      if (stops && calls < 4) {
        assert_status(s, status, TESSERA_ERR_CALLBACK);
      } else {
        assert_status(s, status, stops ? TESSERA_CALLBACK_STOPPED : TESSERA_LIMIT_TIME);
        assert_int_equal(shifts, calls / 4);
        assert_close(value, exact, shifts > 0 ? 1e-5 : 0.2, 0);
        assert_true(shifts > 1 ? error < 1e-5 && std::fabs(value - exact) <= error : std::isinf(error));
      }
      tessera_destroy(s);
    }
}

}  // namespace

// With an argument: the tests of that name, * and ? allowed.
int main(int argc, char **argv) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(every_shape_of_rule),
      cmocka_unit_test(a_rule_with_more_points_than_a_call),
      cmocka_unit_test(components_and_infinite_ranges),
      cmocka_unit_test(the_parameter_block_on_the_device),
      cmocka_unit_test(many_integrals_one_after_another),
      cmocka_unit_test(runs_repeat_bit_by_bit),
      cmocka_unit_test(several_devices_are_called_in_turn),
      cmocka_unit_test(the_callback_can_stop_the_run),
      cmocka_unit_test(what_is_not_written_is_not_a_value),
      cmocka_unit_test(it_is_compared_with_a_host_callback),
      cmocka_unit_test(limits_and_progress),
      cmocka_unit_test(a_lattice_run_that_ends_early),
  };
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  return on_device([&] { return cmocka_run_group_tests(tests, nullptr, nullptr); });
}
