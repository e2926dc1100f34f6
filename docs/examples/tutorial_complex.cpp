// A lambda that returns a complex number, as an integrand; value and error are complex numbers too.
// SPDX-License-Identifier: BSD-3-Clause
#include <tessera.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <memory>

using complex = std::complex<double>;

// For any callable complex f(const double *x), which has to live as long as runs are made with it.
template <class F>
int set_complex_integrand(tessera_solver *s, const F &f) {
  return tessera_set_integrand1(
      s,
      [](int, const double *x, int, double *fval, void *userdata) {
        const complex value = (*static_cast<const F *>(userdata))(x);
        fval[0] = value.real();
        fval[1] = value.imag();
        return 0;
      },
      const_cast<F *>(&f));
}

int main() {
  tessera_solver *s = nullptr;
  if (tessera_create(&s, 3, 2) != TESSERA_OK) return 1;  // two doubles for one complex component
  const std::unique_ptr<tessera_solver, void (*)(tessera_solver *)> owner(s, tessera_destroy);

  const double k[3] = {2, -1, 3};
  const auto wave = [&k](const double *x) { return std::polar(1.0, k[0] * x[0] + k[1] * x[1] + k[2] * x[2]); };
  set_complex_integrand(s, wave);
  tessera_set_int(s, TESSERA_COMPLEX, 1);
  complex value, error;
  const int status = tessera_integrate(s, TESSERA_CUBATURE, reinterpret_cast<double *>(&value),
                                       reinterpret_cast<double *>(&error));
  if (status < 0) {
    std::fprintf(stderr, "%s\n", tessera_last_error(s));
    return 1;
  }
  complex exact = 1;
  for (const double kj : k) exact *= (std::polar(1.0, kj) - 1.0) / complex(0, kj);
  std::printf("%.10f %+.10f i, error %.0e, true error %.0e\n", value.real(), value.imag(), std::abs(error),
              std::abs(value - exact));
  return status == TESSERA_OK && std::abs(value - exact) <= 1e-6 * std::abs(exact) ? 0 : 1;
}
