"""Integrals of functions of one and many variables: adaptive cubature, lattice rules, Monte Carlo, quadrature.

    import numpy as np, tessera
    r = tessera.integrate(lambda x: np.exp(-np.sum(x**2, axis=1)), [0, 0, 0], [1, 1, 1])
    print(r.value, r.error, r.message)

SPDX-License-Identifier: BSD-3-Clause"""
from ._compiled import compiled, source
from ._integrate import integrate
from ._library import ArgumentError, Error, OutOfMemory, Status, version
from ._many import ManyResult, integrate_many, quad_many
from ._progress import Progress
from ._quad import nquad, quad
from ._result import Region, Regions, Result
from ._run import Interrupted
from .grids import load_grid, save_grid
from .lattice import Lattice

__all__ = [
    "ArgumentError", "Error", "Interrupted", "Lattice", "ManyResult", "OutOfMemory", "Progress", "Region", "Regions", "Result", "Status",
    "compiled", "integrate", "integrate_many", "load_grid", "nquad", "quad", "quad_many", "save_grid", "source", "version",
]

__version__ = version()
