"""The price of an option on the geometric mean of sixteen prices, which has a closed form: sixteen variables by a lattice rule.

The cube is mapped to normal variables by the Brownian bridge of principal components, so that few variables matter.
SPDX-License-Identifier: BSD-3-Clause"""
from math import erf, exp, log, sqrt
from statistics import NormalDist

import numpy as np
import tessera

n, price, strike, rate, volatility, years = 16, 100.0, 100.0, 0.05, 0.2, 1.0
times = years * np.arange(1, n + 1) / n
eigenvalues, vectors = np.linalg.eigh(np.minimum.outer(times, times))
paths = (vectors * np.sqrt(eigenvalues))[:, ::-1]
knots = np.linspace(-8, 8, 20001)  # the normal quantile by a table: NumPy has none
levels = 0.5 * (1 + np.array([erf(v / sqrt(2)) for v in knots]))


def payoff(u):
    z = np.interp(u, levels, knots)
    logs = log(price) + (rate - volatility**2 / 2) * times + volatility * z @ paths.T
    return exp(-rate * years) * np.maximum(np.exp(logs.mean(axis=1)) - strike, 0)


r = tessera.integrate(payoff, np.zeros(n), np.ones(n), method="lattice", rtol=1e-3)
mean = log(price) + (rate - volatility**2 / 2) * times.mean()
deviation = volatility * sqrt(np.minimum.outer(times, times).mean())
d = (mean - log(strike)) / deviation
cdf = NormalDist().cdf
exact = exp(-rate * years) * (exp(mean + deviation**2 / 2) * cdf(d + deviation) - strike * cdf(d))
print(f"{r.value:.4f} +- {r.error:.4f}, closed form {exact:.4f}, {r.evaluations} evaluations")
assert r.success and abs(r.value - exact) <= 1e-3 * exact
