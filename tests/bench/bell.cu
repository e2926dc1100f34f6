// The twin of TWIN in legacy.f. SPDX-License-Identifier: BSD-3-Clause
__device__ double bell(const double *x) {
  double s = 0;
  for (int j = 0; j < TESSERA_NDIM; ++j) s += (x[j] - 0.5) * (x[j] - 0.5);
  return exp(-625 * s);
}
