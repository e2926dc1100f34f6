/* The twin of DECAY in resonances.f90. SPDX-License-Identifier: BSD-3-Clause */
int decay(const int *ndim, const double u[], const int *ncomp, double f[], void *userdata) {
  const double mass = 80.377, width = 2.085, least = 1000, most = 12000;
  double both = 0.7;
  f[0] = 1;
  for (int i = 0; i < 2; ++i) {
    const double off = least + u[i] * (most - least) - mass * mass, on = mass * width, c = 2 * u[2 + i] - 1;
    f[0] *= (most - least) * on / (off * off + on * on) * 2 * (1 + c * c);
    both *= c * c;
  }
  f[0] *= 1 + both;
  return 0;
}
