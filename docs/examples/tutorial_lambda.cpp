// A lambda that captures, as an integrand: its address is the user data of one that captures nothing.
// SPDX-License-Identifier: BSD-3-Clause
#include <tessera.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>

// Hands any callable f(const double *x, double *fval) to a solver. The solver keeps the address: the object has to live as long as runs
// are made with it. An exception stops the run; it is kept, because the library would not say which one it was.
template <class F>
struct integrand {
  F f;
  std::exception_ptr thrown = {};

  int set(tessera_solver *s) {
    return tessera_set_integrand1(
        s,
        [](int, const double *x, int, double *fval, void *userdata) {
          auto *self = static_cast<integrand *>(userdata);
          try {
            self->f(x, fval);
          } catch (...) {
            self->thrown = std::current_exception();
            return 1;
          }
          return 0;
        },
        this);
  }
};
template <class F>
integrand(F) -> integrand<F>;

int main() {
  tessera_solver *s = nullptr;
  if (tessera_create(&s, 2, 1) != TESSERA_OK) return 1;
  const std::unique_ptr<tessera_solver, void (*)(tessera_solver *)> owner(s, tessera_destroy);

  const double a = 3;
  int calls = 0;
  integrand hill{[a, &calls](const double *x, double *fval) {
    ++calls;
    *fval = std::exp(-a * (x[0] + x[1]));
  }};
  hill.set(s);
  double value, error;
  const int status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  if (hill.thrown) std::rethrow_exception(hill.thrown);
  if (status < 0) {
    std::fprintf(stderr, "%s\n", tessera_last_error(s));
    return 1;
  }
  const double exact = std::pow((1 - std::exp(-a)) / a, 2);
  std::printf("%.10f +- %.0e, exact %.10f, %d calls\n", value, error, exact, calls);
  return status == TESSERA_OK && calls > 0 && std::fabs(value - exact) <= 1e-6 * exact ? 0 : 1;
}
