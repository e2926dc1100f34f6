"""The Fourier transform of a decaying correlation, on an infinite range.

The weight cos(omega x) is a part of the rule, which need not follow every wave. SPDX-License-Identifier: BSD-3-Clause"""
import math

import tessera

for omega in (1.0, 5.0, 12.0):
    r = tessera.quad(lambda x: 1 / (1 + x * x), 0, math.inf, weight="cos", wvar=omega, rtol=1e-6, atol=1e-12)
    exact = math.pi / 2 * math.exp(-omega)
    print(f"omega {omega:4.1f}: {r.value:.9e} +- {r.error:.0e}, exact {exact:.9e}, {r.evaluations} evaluations")
    assert abs(r.value - exact) <= max(1e-6 * exact, 1e-10)
