"""A cross section with two resonances over six variables of phase space: VEGAS, and its grid for the next integrand.

SPDX-License-Identifier: BSD-3-Clause"""
import numpy as np
import tessera


def weight(x, width):
    """Two Breit-Wigner peaks in the first two variables, a slope in the others."""
    peaks = np.prod(width / np.pi / ((x[:, :2] - [0.35, 0.7]) ** 2 + width**2), axis=1)
    return peaks * np.prod(1 + x[:, 2:], axis=1)


def exact(width):
    return np.prod([np.arctan((1 - m) / width) + np.arctan(m / width) for m in (0.35, 0.7)]) / np.pi**2 * 1.5**4


first = tessera.integrate(weight, np.zeros(6), np.ones(6), method="vegas", args=(0.004,), rtol=2e-3)
second = tessera.integrate(weight, np.zeros(6), np.ones(6), method="vegas", args=(0.005,), rtol=2e-3, grid=first.grid)
for width, r in ((0.004, first), (0.005, second)):
    print(f"width {width}: {r.value:.4f} +- {r.error:.4f} (99 %), exact {exact(width):.4f}, {r.evaluations} evaluations")
    assert r.success and abs(r.value - exact(width)) <= 2e-3 * exact(width)
assert second.evaluations < first.evaluations
