"""Mass and moment of inertia of a ball whose density falls off, with limits that are functions. SPDX-License-Identifier: BSD-3-Clause"""
from math import pi

import numpy as np
import tessera


def density(x):
    r2 = np.sum(x * x, axis=1)
    return np.column_stack([1 - r2, (1 - r2) * (x[:, 0] ** 2 + x[:, 1] ** 2)])


def top(x):  # of the axis after the coordinates in x
    return np.sqrt(np.maximum(1 - np.sum(x * x, axis=1), 0))


r = tessera.integrate(density, [-1, lambda x: -top(x), lambda x: -top(x)], [1, top, top], rtol=1e-5)
print(f"mass {r.value[0]:.6f}, moment of inertia {r.value[1]:.6f}, {r.message}")
assert r.success and np.allclose(r.value, [8 * pi / 15, 16 * pi / 105], rtol=1e-5)
