"""Watson's integral: will a random walk on the cubic lattice come home? Singular at a corner.

3 - cos x - cos y - cos z would lose all digits there; sines of half the angle do not. SPDX-License-Identifier: BSD-3-Clause"""
from math import gamma, pi, sqrt

import numpy as np
import tessera

r = tessera.integrate(lambda x: 0.5 / np.sum(np.sin(x / 2) ** 2, axis=1) / pi**3, np.zeros(3), np.full(3, pi), rtol=1e-6)
exact = sqrt(6) / (96 * pi**3) * gamma(1 / 24) * gamma(5 / 24) * gamma(7 / 24) * gamma(11 / 24)
print(f"{r.value:.8f} +- {r.error:.1e}, exact {exact:.8f}; the walk returns with probability {1 - 1 / (3 * r.value):.6f}")
assert r.success and abs(r.value - exact) <= 1e-6 * exact
