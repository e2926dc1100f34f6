"""The integrands of compare.py over the unit cube: for one point, for arrays, as texts, with their exact integrals.

SPDX-License-Identifier: BSD-3-Clause"""
import math

import numpy as np


def gauss(x):
    s = 0.0
    for v in x:
        s += (v - 0.5) ** 2
    return math.exp(-100 * s)


def corner(x):
    s = 1.0
    for v in x:
        s += v
    return s ** -(len(x) + 1)


def waves(x):
    s = 1.0
    for v in x:
        s += v
    return math.cos(s)


def two_peaks(x):
    s = t = 0.0
    for v in x:
        s += (v - 1 / 3) ** 2
        t += (v - 2 / 3) ** 2
    return math.exp(-100 * s) + math.exp(-100 * t)


POINT = {"gauss": gauss, "corner": corner, "waves": waves, "two_peaks": two_peaks}


def arrays(name):
    """A function of NumPy arrays (npoints, ndim)."""
    return {
        "gauss": lambda x: np.exp(-100 * np.sum((x - 0.5) ** 2, axis=1)),
        "corner": lambda x: (1 + np.sum(x, axis=1)) ** -(x.shape[1] + 1.0),
        "waves": lambda x: np.cos(1 + np.sum(x, axis=1)),
        "two_peaks": lambda x: np.exp(-100 * np.sum((x - 1 / 3) ** 2, axis=1)) + np.exp(-100 * np.sum((x - 2 / 3) ** 2, axis=1)),
    }[name]


def tensors(name):
    """The same of tensors of torch, on whatever device they are."""
    import torch

    return {
        "gauss": lambda x: torch.exp(-100 * torch.sum((x - 0.5) ** 2, 1)),
        "corner": lambda x: torch.pow(1 + torch.sum(x, 1), -(x.shape[1] + 1.0)),
        "waves": lambda x: torch.cos(1 + torch.sum(x, 1)),
        "two_peaks": lambda x: torch.exp(-100 * torch.sum((x - 1 / 3) ** 2, 1)) + torch.exp(-100 * torch.sum((x - 2 / 3) ** 2, 1)),
    }[name]


def text(name):
    """The same in CUDA C++, which the host compiles too."""
    loop = "for (int j = 0; j < TESSERA_NDIM; ++j) "
    body = {
        "gauss": "double s = 0; " + loop + "s += (x[j] - 0.5) * (x[j] - 0.5); return exp(-100 * s);",
        "corner": "double s = 1; " + loop + "s += x[j]; return pow(s, -(TESSERA_NDIM + 1.0));",
        "waves": "double s = 1; " + loop + "s += x[j]; return cos(s);",
        "two_peaks": "double s = 0, t = 0; " + loop + "{ s += (x[j] - 1./3) * (x[j] - 1./3); t += (x[j] - 2./3) * (x[j] - 2./3); } return exp(-100 * s) + exp(-100 * t);",
    }[name]
    return "__device__ double f(const double *x) { " + body + " }"


def exact(name, d):
    def peak(centre):
        return math.sqrt(math.pi) / 20 * (math.erf(10 * (1 - centre)) + math.erf(10 * centre))

    if name == "gauss":
        return peak(0.5) ** d
    if name == "two_peaks":
        return 2 * peak(1 / 3) ** d
    if name == "corner":
        return sum((-1) ** k * math.comb(d, k) / (1 + k) for k in range(d + 1)) / math.factorial(d)
    return (np.exp(1j) * ((np.exp(1j) - 1) / 1j) ** d).real


# integrand, variables, relative tolerance, peers on the host
CASES = [
    ("gauss", 2, 1e-8, ("scipy", "cubature", "torchquad")),
    ("corner", 2, 1e-8, ("scipy", "cubature", "torchquad")),
    ("gauss", 3, 1e-6, ("scipy", "cubature", "torchquad")),
    ("corner", 3, 1e-6, ("scipy", "cubature", "torchquad")),
    ("waves", 3, 1e-6, ("scipy", "cubature", "torchquad")),
    ("two_peaks", 3, 1e-5, ("scipy", "cubature", "torchquad")),
    ("gauss", 4, 1e-4, ("scipy", "cubature", "vegas", "torchquad")),
    ("corner", 5, 1e-4, ("scipy", "cubature", "vegas", "torchquad")),
    ("waves", 5, 1e-4, ("scipy", "cubature", "vegas", "torchquad")),
    ("two_peaks", 4, 1e-3, ("vegas", "torchquad")),
    ("gauss", 6, 1e-3, ("vegas", "torchquad")),
    ("corner", 8, 1e-3, ("vegas", "torchquad")),
    ("gauss", 8, 1e-3, ("vegas", "torchquad")),
    ("two_peaks", 6, 1e-2, ("vegas", "torchquad")),
]
