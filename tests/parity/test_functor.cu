// Functors of a program that nvcc compiled, on device 0. Skipped where there is none.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdio>

extern "C" {
#include "cases.h"
#include "solve.h"
}

#include "tessera_device.cuh"
#include "skip.h"

namespace {

constexpr int device = 0;

struct gaussian {
  double sharpness;
  __device__ double operator()(const double *x) const {
    double s = 0.0;
    for (int i = 0; i < 5; ++i) s += (x[i] - 0.5) * (x[i] - 0.5);
    return exp(-sharpness * s);
  }
};

struct moments {
  double shift[2];
  __device__ void operator()(const double *x, double *f) const {
    f[0] = 1.0;
    f[1] = x[0] + shift[0];
    f[2] = x[0] * x[1] * x[2] + shift[1];
  }
};

struct nowhere_finite {
  __device__ double operator()(const double *x) const { return sqrt(x[0] - 2.0); }
};

tessera_solver *device_solver(int ndim, int ncomp) {
  tessera_solver *s = solver_of(ndim, ncomp);
  put_int(s, TESSERA_DEVICE, device);
  return s;
}

// A lattice rule with the functor, and with the text on the host: the same points.
void lattice_rules(void **) {
  double value[2], error[2];
  for (const int transform : {TESSERA_TRANSFORM_NONE, TESSERA_TRANSFORM_KOROBOV3}) {
    for (const int where : {device, -1}) {
      tessera_solver *s = device_solver(5, 1);
      auto integrand = tessera::integrand_of<5>(gaussian{6.25});
      if (where == device)
        assert_status(s, integrand.set(s), TESSERA_OK);
      else
        assert_status(
            s,
            tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA,
                                         "double f(const double *x) { double s = 0; for (int i = 0; i < 5; ++i)\n"
                                         "  s += (x[i] - 0.5) * (x[i] - 0.5); return exp(-6.25 * s); }",
                                         "f"),
            TESSERA_OK);
      put_int(s, TESSERA_DEVICE, where);
      put_int(s, TESSERA_TRANSFORM, transform);
      put_real(s, TESSERA_RELTOL, 0);
      put_int(s, TESSERA_MAXEVAL, 12000000);  // more than one call takes
      put_int(s, TESSERA_POINTS, 131072);
      const int at = where == device;
      assert_true(tessera_integrate(s, TESSERA_LATTICE, &value[at], &error[at]) >= 0);
      tessera_destroy(s);
    }
    assert_close(value[1], value[0], 1e-13, 0);
    assert_close(error[1], error[0], 1e-3, 0);
  }
  tessera_solver *s = device_solver(2, 1);
  auto bad = tessera::integrand_of<2>(nowhere_finite{});
  assert_status(s, bad.set(s), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_LATTICE, value, error), TESSERA_NONFINITE);
  assert_says(tessera_last_error(s), "NaN or infinity");
  tessera_destroy(s);
}

// Monte Carlo with the functor, and with the text on the host: the same points, one call or several.
void monte_carlo(void **) {
  double value[2], error[2];
  for (const int sampling : {TESSERA_SAMPLING_PLAIN, TESSERA_SAMPLING_VEGAS})
    for (int antithetic = 0; antithetic < 2; ++antithetic) {
      for (const int where : {device, -1}) {
        tessera_solver *s = device_solver(5, 1);
        auto integrand = tessera::integrand_of<5>(gaussian{6.25});
        if (where == device)
          assert_status(s, integrand.set(s), TESSERA_OK);
        else
          assert_status(
              s,
              tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA,
                                           "double f(const double *x) { double s = 0; for (int i = 0; i < 5; ++i)\n"
                                           "  s += (x[i] - 0.5) * (x[i] - 0.5); return exp(-6.25 * s); }",
                                           "f"),
              TESSERA_OK);
        put_int(s, TESSERA_DEVICE, where);
        put_int(s, TESSERA_SAMPLING, sampling);
        put_int(s, TESSERA_ANTITHETIC, antithetic);
        put_real(s, TESSERA_RELTOL, 0);
        put_int(s, TESSERA_MAXEVAL, sampling == TESSERA_SAMPLING_PLAIN ? 12000000 : 2000000);
        put_int(s, TESSERA_POINTS, 100000);
        const int at = where == device;
        assert_true(tessera_integrate(s, TESSERA_MONTECARLO, &value[at], &error[at]) >= 0);
        tessera_destroy(s);
      }
      assert_close(value[1], value[0], 1e-9, 0);
      assert_close(error[1], error[0], 1e-6, 0);
    }
  tessera_solver *s = device_solver(2, 1);
  auto bad = tessera::integrand_of<2>(nowhere_finite{});
  assert_status(s, bad.set(s), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_MONTECARLO, value, error), TESSERA_NONFINITE);
  assert_says(tessera_last_error(s), "NaN or infinity");
  tessera_destroy(s);
}

// The generators of cuRAND give the functor and the text the same points.
void generators(void **) {
  double value[2], error[2];
  for (int generator = TESSERA_GENERATOR_XORWOW; generator <= TESSERA_GENERATOR_SOBOL_SCRAMBLED; ++generator)
    for (int antithetic = 0; antithetic < 2; ++antithetic) {
      for (int text = 0; text < 2; ++text) {
        tessera_solver *s = device_solver(5, 1);
        auto integrand = tessera::integrand_of<5>(gaussian{6.25});
        if (text == 0)
          assert_status(s, integrand.set(s), TESSERA_OK);
        else
          assert_status(
              s,
              tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA,
                                           "double f(const double *x) { double s = 0; for (int i = 0; i < 5; ++i)\n"
                                           "  s += (x[i] - 0.5) * (x[i] - 0.5); return exp(-6.25 * s); }",
                                           "f"),
              TESSERA_OK);
        put_int(s, TESSERA_GENERATOR, generator);
        put_int(s, TESSERA_ANTITHETIC, antithetic);
        put_real(s, TESSERA_RELTOL, 0);
        put_int(s, TESSERA_MAXEVAL, 12000000);
        put_int(s, TESSERA_POINTS, 100000);
        const int status = tessera_integrate(s, TESSERA_MONTECARLO, &value[text], &error[text]);
        if (status == TESSERA_ERR_NOT_BUILT) {
          assert_says(tessera_last_error(s), "cuRAND");
          tessera_destroy(s);
          skip();
        }
        assert_status(s, status, TESSERA_LIMIT_EVALUATIONS);
        tessera_destroy(s);
      }
      assert_close(value[1], value[0], 1e-9, 0);
      assert_close(error[1], error[0], 1e-4, 0);
      assert_close(value[0], std::pow(std::erf(1.25) * std::sqrt(std::acos(-1.0)) / 2.5, 5), 0, 2 * error[0]);
    }
}

void the_same_as_a_text(void **) {
  tessera_solver *s = device_solver(5, 1);
  put_int(s, TESSERA_RULE, TESSERA_RULE_DEGREE9); /* the text alone would have rules of higher degree too */
  auto integrand = tessera::integrand_of<5>(gaussian{625.0});
  assert_status(s, integrand.set(s), TESSERA_OK);
  const struct answer a = integrate(s), b = integrate(s);
  assert_int_equal(a.status, TESSERA_OK);
  assert_same_answer(a, b);
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), device);
  assert_close(a.value, suite_find("f4_5d")->exact, 1e-6, 0);
  tessera_destroy(s);
  s = device_solver(5, 1);
  put_int(s, TESSERA_RULE, TESSERA_RULE_DEGREE9);
  assert_status(s,
                tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA,
                                             "double f(const double *x) { double s = 0; for (int i = 0; i < 5; ++i)\n"
                                             "  s += (x[i] - 0.5) * (x[i] - 0.5); return exp(-625 * s); }",
                                             "f"),
                TESSERA_OK);
  const struct answer text = integrate(s);
  assert_int_equal(text.status, TESSERA_OK);
  assert_at_most(std::fabs(a.value - text.value), a.error + text.error);
  assert_at_most(std::fabs(static_cast<double>(a.evaluations - text.evaluations)),
                 0.05 * static_cast<double>(text.evaluations));
  tessera_destroy(s);
}

void several_components(void **) {
  double value[3], error[3];
  const double exact[3] = {1.0, 0.75, 2.125};
  tessera::device_integrand<3, 3, moments> integrand(moments{{0.25, 2.0}});
  for (int solver = 0; solver < 2; ++solver) {  // one functor serves both
    tessera_solver *s = device_solver(3, 3);
    assert_status(s, integrand.set(s), TESSERA_OK);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
    for (int k = 0; k < 3; ++k) assert_close(value[k], exact[k], 1e-12, 0);
    tessera_destroy(s);
  }
}

void a_functor_replaces_another(void **) {
  tessera_solver *s = device_solver(5, 1);
  auto sharp = tessera::integrand_of<5>(gaussian{625.0}), flat = tessera::integrand_of<5>(gaussian{0.0});
  assert_status(s, sharp.set(s), TESSERA_OK);
  assert_close(integrate(s).value, suite_find("f4_5d")->exact, 1e-6, 0);
  assert_status(s, flat.set(s), TESSERA_OK);
  assert_close(integrate(s).value, 1.0, 1e-12, 0);
  tessera_destroy(s);
}

void another_number_of_variables(void **) {
  tessera_solver *s = device_solver(4, 1);
  auto integrand = tessera::integrand_of<5>(gaussian{1.0});
  assert_status(s, integrand.set(s), TESSERA_OK);
  assert_int_equal(integrate(s).status, TESSERA_ERR_CALLBACK);
  assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), tessera::wrong_shape);
  tessera_destroy(s);
}

void not_a_number(void **) {
  tessera_solver *s = device_solver(1, 1);
  auto integrand = tessera::integrand_of<1>(nowhere_finite{});
  assert_status(s, integrand.set(s), TESSERA_OK);
  const struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_NONFINITE);
  assert_says(a.sentence, "NaN or infinity");
  assert_true(std::isnan(a.value));
  tessera_destroy(s);
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: there is no CUDA device\n");
    return no_device_here();
  }
  const CMUnitTest tests[] = {
      cmocka_unit_test(the_same_as_a_text),
      cmocka_unit_test(lattice_rules),
      cmocka_unit_test(monte_carlo),
      cmocka_unit_test(generators),
      cmocka_unit_test(several_components),
      cmocka_unit_test(a_functor_replaces_another),
      cmocka_unit_test(another_number_of_variables),
      cmocka_unit_test(not_a_number),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
