"""The second virial coefficient of the Lennard-Jones gas at many temperatures, and the Boyle temperature, where it is zero.

SPDX-License-Identifier: BSD-3-Clause"""
import numpy as np
import tessera


def mayer(r, temperature):
    potential = 4 * (r**-12 - r**-6)
    return -2 * np.pi * np.expm1(-potential / temperature) * r**2


temperatures = np.linspace(1, 6, 51)
b = tessera.quad_many(mayer, 0.05, np.inf, temperatures, rtol=1e-9, atol=1e-9)
assert np.all(b.success)
print(f"B(T=1) = {b.value[0]:.6f}, {b.evaluations} evaluations for {len(b)} temperatures")
i = int(np.argmax(b.value > 0))
low, high = temperatures[i - 1 : i + 1]
boyle = low - b.value[i - 1] * (high - low) / (b.value[i] - b.value[i - 1])
print(f"Boyle temperature {boyle:.3f}")
assert abs(boyle - 3.418) < 2e-3
