"""A first integral. SPDX-License-Identifier: BSD-3-Clause"""
import numpy as np
import tessera

r = tessera.integrate(lambda x: np.exp(np.prod(x, axis=1)), np.zeros(5), np.ones(5))
print(f"{r.message}: {r.value:.12f} +- {r.error:.1e} after {r.evaluations} evaluations")

exact = 1.03348486773424214  # the sum of 1/(n! (n+1)^5)
assert r.success and abs(r.value - exact) <= r.error <= 1e-8 * r.value
