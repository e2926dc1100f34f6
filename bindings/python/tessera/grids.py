"""Grids of VEGAS as arrays and files (docs/montecarlo.md).

SPDX-License-Identifier: BSD-3-Clause"""
import os

import numpy as np

from ._constants import GRID
from ._library import Solver


def save_grid(path, grid) -> None:
    """Writes a grid, an array (ndim, 129) as result.grid is, to a text file that the C interface reads too."""
    grid = np.ascontiguousarray(grid, dtype=float)
    if grid.ndim != 2 or grid.shape[1] != GRID["GRID_EDGES"]:
        raise ValueError(f"a grid has the shape (ndim, {GRID['GRID_EDGES']}), not {grid.shape}")
    solver = Solver(len(grid), 1)
    solver("set_grid", grid.ctypes.data)
    solver("save_grid", os.fsencode(path))


def load_grid(path, ndim) -> np.ndarray:
    """A grid for ndim variables from such a file, for integrate(..., method='vegas', grid=...)."""
    solver = Solver(int(ndim), 1)
    solver("load_grid", os.fsencode(path))
    grid = np.empty((int(ndim), GRID["GRID_EDGES"]))
    solver("get_grid", grid.ctypes.data)
    return grid
