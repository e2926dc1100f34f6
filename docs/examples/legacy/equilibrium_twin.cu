// The twin of SURFACE in equilibrium.f90. The variables of module torus are its parameter block, each at a multiple of 16 bytes.
// SPDX-License-Identifier: BSD-3-Clause
struct torus {
  alignas(16) double major_radius;
  alignas(16) double elongation;
  alignas(16) double minor_radius;
};

__device__ void surface(const double *x, double *f, const torus *t) {
  const double pi = 3.14159265358979324;
  const double r = t->major_radius + x[0] * t->minor_radius * cos(x[1]);
  f[0] = t->elongation * t->minor_radius * t->minor_radius * x[0];
  f[1] = 2 * pi * r * f[0];
  f[2] = r * r * f[0];
}
