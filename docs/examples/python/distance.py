"""How far are two random points of a cube from each other? Six variables, and a singular derivative where they meet.

SPDX-License-Identifier: BSD-3-Clause"""
from math import log, sqrt

import numpy as np
import tessera

exact = (4 + 17 * sqrt(2) - 6 * sqrt(3) + 21 * log(1 + sqrt(2)) + 42 * log(2 + sqrt(3)) - 7 * np.pi) / 105
r = tessera.integrate(lambda x: np.sqrt(np.sum((x[:, :3] - x[:, 3:]) ** 2, axis=1)), np.zeros(6), np.ones(6), rtol=1e-4)
print(f"{r.method}: {r.value:.6f} +- {r.error:.1e}, exact {exact:.6f}, {r.evaluations} evaluations")
assert r.success and abs(r.value - exact) <= 1e-4 * exact
