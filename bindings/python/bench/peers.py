"""What compare.py runs of other packages: each yields (package, form of the function, variant, run), where run() returns value,
evaluations and whether the package says that the tolerance is met (None where it says nothing of its error).

SPDX-License-Identifier: BSD-3-Clause"""
import warnings

import numpy as np

DEVIATIONS = 2.576  # of the normal distribution, what 99 % are: the confidence of Tessera's errors


class Counted:
    """f with the points it was called for."""

    def __init__(self, f):
        self.f, self.evaluations = f, 0

    def __call__(self, x):
        self.evaluations += len(x)
        return self.f(x)


def scipy(forms, d, rtol):
    from scipy.integrate import cubature

    a, b = np.zeros(d), np.ones(d)
    for form, f in forms.items():
        for rule in ("gk21", "genz-malik") if d <= 4 else ("genz-malik",):

            def run(f=f, rule=rule):
                counted = Counted(f)
                r = cubature(counted, a, b, rule=rule, rtol=rtol)
                return r.estimate, counted.evaluations, r.status == "converged"

            yield f"scipy.integrate.cubature {rule}", form, "", run


def cubature(forms, d, rtol):
    from cubature import cubature as steven

    form, f = next(iter(forms.items()))

    def run():
        counted = Counted(f)
        value, error = steven(counted, d, 1, np.zeros(d), np.ones(d), relerr=rtol, abserr=0, vectorized=True, maxEval=10**8)
        return value[0], counted.evaluations, error[0] <= rtol * abs(value[0])

    yield "cubature (PyPI)", form, "", run


def vegas(forms, d, rtol):
    """The best of three numbers of evaluations an iteration, after five iterations of warm-up that count."""
    import vegas

    form, f = next(iter(forms.items()))

    def run(per_iteration):
        integrator = vegas.Integrator([[0, 1]] * d)
        counted = Counted(f)
        batch = vegas.lbatchintegrand(lambda x: counted(x))
        integrator(batch, nitn=5, neval=per_iteration)
        r = integrator(batch, nitn=300, neval=per_iteration, rtol=rtol / DEVIATIONS)
        return r.mean, counted.evaluations, DEVIATIONS * r.sdev <= rtol * abs(r.mean) and r.Q > 1e-3

    for n in (10**4, 10**5, 10**6):
        yield "vegas", form, n, lambda n=n: run(n)


def torchquad(f, d, rtol, exact, device):
    """VEGAS to the tolerance, with the best of several numbers of points. And Gauss-Legendre grids, which have no estimate of
    their error: the smallest that is within the tolerance and stays so with the next, found by the exact value beforehand, which no user has."""
    import loguru
    import torch
    import torchquad

    loguru.logger.disable("torchquad")  # it would write lines while it is timed
    warnings.filterwarnings("ignore", category=UserWarning, module="autoray")
    where = "cpu" if device is None else f"cuda:{device}"
    domain = torch.tensor([[0.0, 1.0]] * d, dtype=torch.float64, device=where)
    largest = 2 * 10**7 if device is None else 10**8

    def grid(n):
        value = torchquad.GaussLegendre().integrate(f, dim=d, N=n**d, integration_domain=domain)
        return float(value), n**d, None

    sizes = [n for n in (3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256) if n**d <= largest]
    within = [abs(grid(n)[0] / exact - 1) <= rtol for n in sizes]
    good = [n for n, here, after in zip(sizes, within, within[1:]) if here and after]
    if good:
        yield "torchquad GaussLegendre (size known)", "torch", "", lambda n=good[0]: grid(n)

    def vegas(n):
        integrator = torchquad.VEGAS()
        counted = Counted(f)
        value = float(integrator.integrate(counted, dim=d, N=n, integration_domain=domain, seed=5, eps_rel=rtol / DEVIATIONS, max_iterations=20))
        return value, counted.evaluations, DEVIATIONS * float(integrator._get_error()) <= rtol * abs(value)

    for n in (10**5, 10**6, 10**7):
        yield "torchquad VEGAS", "torch", n, lambda n=n: vegas(n)
