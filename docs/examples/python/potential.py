"""The potential of a uniformly charged square at a point of the square itself: the singularity becomes a corner of regions.

SPDX-License-Identifier: BSD-3-Clause"""
from math import asinh

import numpy as np
import tessera

at = np.array([0.3, 0.6])
r = tessera.integrate(lambda x: 1 / np.sqrt(np.sum((x - at) ** 2, axis=1)), [0, 0], [1, 1], points=[at], rtol=1e-6, keep_regions=True)


def corner(a, b):
    return a * asinh(b / a) + b * asinh(a / b)


exact = sum(corner(a, b) for a in (0.3, 0.7) for b in (0.6, 0.4))
smallest = np.argmin(np.prod(r.regions.b - r.regions.a, axis=1))
print(f"{r.value:.8f} +- {r.error:.1e}, exact {exact:.8f}; the smallest of {len(r.regions)} regions begins at {r.regions.a[smallest]}")
assert r.success and abs(r.value - exact) <= 1e-6 * exact
