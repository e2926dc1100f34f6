// A program compiled by nvcc that launches its own kernel as integrand. Without a GPU it says so and ends with 77.
// nvcc device_callback.cu -ltessera
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdio>

#include <cuda_runtime.h>

#include "tessera.h"

__global__ void wave(int64_t n, const double *x, int64_t ldx, double *f, int64_t ldf, const double *k) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double phase = k[0] * x[i] + k[1] * x[ldx + i] + k[2] * x[2 * ldx + i];
  f[i] = cos(phase);
  f[ldf + i] = sin(phase);
}

static int launch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf, void *stream,
                  void *params) {
  (void)ndim, (void)ncomp;
  wave<<<(unsigned)((n + 255) / 256), 256, 0, (cudaStream_t)stream>>>(n, x, ldx, f, ldf, (const double *)params);
  return (int)cudaGetLastError();
}

int main() {
  const double k[3] = {3.0, 4.0, 5.0};
  double value[2], error[2];
  tessera_solver *s = nullptr;
  int status = tessera_create(&s, 3, 2);
  if (status == TESSERA_OK)
    status = tessera_set_integrand_device(s, launch, nullptr);  // so that it receives the parameters
  if (status == TESSERA_OK) status = tessera_set_params(s, k, sizeof k);
  if (status == TESSERA_OK) status = tessera_set_int(s, TESSERA_DEVICE, 0);
  if (status == TESSERA_OK) status = tessera_integrate(s, TESSERA_CUBATURE, value, error);
  if (status != TESSERA_OK) std::printf("%s\n", tessera_last_error(s));
  tessera_destroy(s);
  if (status == TESSERA_ERR_NOT_BUILT) return 77;
  if (status != TESSERA_OK) return 1;

  // The product of the integrals of exp(i k x) is modulus * exp(i phase).
  double modulus = 1.0, phase = 0.0;
  for (const double q : k) modulus *= std::sin(0.5 * q) / (0.5 * q), phase += 0.5 * q;
  const double exact[2] = {modulus * std::cos(phase), modulus * std::sin(phase)};
  bool good = true;
  for (int c = 0; c < 2; ++c) {
    std::printf("integral %.12g, estimated error %.1e, true error %.1e\n", value[c], error[c],
                std::fabs(value[c] - exact[c]));
    good = good && std::fabs(value[c] - exact[c]) <= error[c];
  }
  return good ? 0 : 1;
}
