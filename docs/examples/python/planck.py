"""Black-body radiation: the Stefan-Boltzmann constant from Planck's law, on a half-infinite range. SPDX-License-Identifier: BSD-3-Clause"""
import math

import tessera

h, c, k = 6.62607015e-34, 299792458.0, 1.380649e-23  # exact in the SI of 2019


def planck(x):  # a function of one number serves as well
    return x**3 * math.exp(-x) / -math.expm1(-x)


value, error = tessera.quad(planck, 0, math.inf, rtol=1e-10)
sigma = 2 * math.pi * k**4 / (h**3 * c**2) * value
print(f"sigma = {sigma:.9e} W m^-2 K^-4")
assert abs(value - math.pi**4 / 15) <= error and abs(sigma / 5.670374419e-8 - 1) < 1e-9
