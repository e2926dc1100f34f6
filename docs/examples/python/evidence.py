"""Bayesian model choice: the evidence of a straight line and of a parabola for the same data, and the posterior means.

The integrand has several components: the evidence and the parameters times the posterior share each evaluation. With normal
errors and priors the evidence is known, which is what is compared. SPDX-License-Identifier: BSD-3-Clause"""
import numpy as np
import tessera

t = np.linspace(-1, 1, 15)
data = 0.5 + 1.2 * t + 0.3 * np.random.default_rng(1).standard_normal(t.size)
sigma, prior = 0.3, 2.0


def exact(columns):
    """The density of the data: normal, with the covariance of errors and prior together."""
    covariance = sigma**2 * np.eye(t.size) + prior**2 * columns @ columns.T
    sign, logdet = np.linalg.slogdet(2 * np.pi * covariance)
    return np.exp(-0.5 * (data @ np.linalg.solve(covariance, data) + logdet))


for name, degree in (("line", 1), ("parabola", 2)):
    columns = t[:, None] ** np.arange(degree + 1)
    normal = (2 * np.pi * sigma**2) ** (-t.size / 2) * (2 * np.pi * prior**2) ** (-(degree + 1) / 2)

    def posterior(theta):
        residuals = data - theta @ columns.T
        density = normal * np.exp(-0.5 * np.sum(residuals**2, axis=1) / sigma**2 - 0.5 * np.sum(theta**2, axis=1) / prior**2)
        return density[:, None] * np.column_stack([np.ones(len(theta)), theta])

    limit = 4 * np.ones(degree + 1)
    r = tessera.integrate(posterior, -limit, limit, rtol=1e-6, atol=1e-12)
    assert r.success
    print(f"{name:8s} evidence {r.value[0]:.6e}, parameters {r.value[1:] / r.value[0]}")
    assert abs(r.value[0] / exact(columns) - 1) < 1e-5
