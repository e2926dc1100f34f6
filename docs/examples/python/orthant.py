"""The probability that four correlated normal variables are all positive, and its dependence on the correlation.

Many integrals in one call. For equal correlations 1/2 the probability in n variables is 1/(n+1). SPDX-License-Identifier: BSD-3-Clause"""
import numpy as np
import tessera

n, rho = 4, np.array([0.0, 0.25, 0.5, 0.75])


def density(x, rho):
    total, squares = np.sum(x, axis=1), np.sum(x * x, axis=1)
    quadratic = (squares - rho * total**2 / (1 + (n - 1) * rho)) / (1 - rho)
    determinant = (1 - rho) ** (n - 1) * (1 + (n - 1) * rho)
    return np.exp(-quadratic / 2) / np.sqrt((2 * np.pi) ** n * determinant)


r = tessera.integrate_many(density, np.zeros(n), np.full(n, np.inf), rho, rtol=1e-5)
for one, value, error in zip(rho, r.value, r.error):
    print(f"correlation {one:.2f}: {value:.7f} +- {error:.1e}")
assert np.all(r.success) and abs(r.value[0] - 1 / 16) < 1e-6 and abs(r.value[2] - 1 / 5) < 2e-6
