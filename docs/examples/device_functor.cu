// A program compiled by nvcc: the integrand is a functor with data of its own. Without a GPU it says so and ends with 77.
// nvcc device_functor.cu -ltessera
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdio>

#include "tessera.h"
#include "tessera_device.cuh"

// A bell of width w around the point (p, p, p, p).
struct bell {
  double p, w;
  __host__ __device__ double operator()(const double *x) const {
    double s = 0.0;
    for (int i = 0; i < 4; ++i) s += (x[i] - p) * (x[i] - p);
    return exp(-s / (w * w));
  }
};

int main() {
  const bell f = {0.4, 0.1};
  auto integrand = tessera::integrand_of<4>(f);  // lives as long as the solver
  tessera_solver *s = nullptr;
  double value = 0.0, error = 0.0;
  int status = tessera_create(&s, 4, 1);
  if (status == TESSERA_OK) status = integrand.set(s);
  if (status == TESSERA_OK) status = tessera_set_int(s, TESSERA_DEVICE, 0);
  if (status == TESSERA_OK) status = tessera_set_real(s, TESSERA_RELTOL, 1e-8);
  if (status == TESSERA_OK) status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  if (status != TESSERA_OK) std::printf("%s\n", tessera_last_error(s));
  tessera_destroy(s);
  if (status == TESSERA_ERR_NOT_BUILT) return 77;
  if (status != TESSERA_OK) return 1;

  const double side = 0.5 * f.w * std::sqrt(std::acos(-1.0)) * (std::erf((1.0 - f.p) / f.w) + std::erf(f.p / f.w));
  const double exact = side * side * side * side;
  std::printf("integral %.12g, estimated error %.1e, true error %.1e\n", value, error, std::fabs(value - exact));
  return std::fabs(value - exact) <= error ? 0 : 1;
}
