"""Generating vectors of lattice rules (docs/lattice.md).

SPDX-License-Identifier: BSD-3-Clause"""
import os

import numpy as np

from ._constants import KERNEL, LATTICE_KEY, LATTICE_ORIGIN
from ._library import LATTICE_PROGRESS, Handle
from ._run import Interrupted, address, interrupt

_KERNELS = {name.removeprefix("KERNEL_").lower(): number for name, number in KERNEL.items()}


class Lattice(Handle):
    """A rank-1 lattice: points i*vector/size. `vector` is an array of integers, `size` n, `merit` the squared worst-case error.

    Lattice(ndim) is the library's own vector. construct, korobov, from_vector and load make others; integrate(..., method='lattice',
    lattice=...) uses them."""

    kind = "lattice_"

    def __init__(self, ndim):
        super().__init__(int(ndim))
        self("builtin")

    @classmethod
    def construct(cls, ndim, size, *, weights=None, order=None, kernel="b2", values=None, least=0, single=False, max_memory=0,
                  device=-1, progress=None) -> "Lattice":
        """By components, with the fast algorithm of Nuyens and Cools. size: a prime or a power of 2. weights: product weights
        (ndim,), by default 1/(j+1)^2; order: weights of sets of 1, 2, ... components. kernel: 'b2', 'b4', 'b6', or 'table' with its values
        at j/size, j = 0 .. size//2. least: for size = 2^m the least 2^k for which the vector shall be good too. progress: a function of
        (steps done, steps in all). It takes FFTW (libfftw3.so.3), or on a device cuFFT."""
        self = cls(ndim)
        if weights is not None or order is not None:
            product = None if weights is None else np.ascontiguousarray(weights, dtype=float)
            orders = None if order is None else np.ascontiguousarray(order, dtype=float)
            if product is not None and product.shape != (int(ndim),):
                raise ValueError(f"weights has the shape {product.shape}, and {(int(ndim),)} was expected")
            self("set_weights", None if product is None else product.ctypes.data, 0 if orders is None else orders.size,
                 None if orders is None else orders.ctypes.data)
        if kernel not in _KERNELS:
            raise ValueError(f"there is no kernel {kernel!r}: {', '.join(_KERNELS)}")
        table = None if values is None else np.ascontiguousarray(values, dtype=float)
        self("set_kernel", _KERNELS[kernel], None if table is None else table.ctypes.data, 0 if table is None else table.size)
        for name, value in (("LEAST", least), ("PRECISION", 32 if single else 64), ("MAX_MEMORY", max_memory), ("DEVICE", device)):
            self("set_int", LATTICE_KEY["LATTICE_" + name], int(value))
        failure = []

        def hook(done, steps, userdata):
            try:
                return int(interrupt.pressed or bool(progress is not None and progress(done, steps)))
            except BaseException as error:
                failure.append(error)
                return 1

        callback = LATTICE_PROGRESS(hook)
        self("set_progress", address(callback), None)
        with interrupt:
            try:
                self("construct", int(size))
            except Exception:
                if failure:
                    raise failure[0] from None
                if not interrupt.pressed:
                    raise
            finally:
                self("set_progress", None, None)
            if interrupt.pressed:
                raise Interrupted("stopped by Ctrl-C: there is no vector")
        return self

    @classmethod
    def korobov(cls, ndim, size, a) -> "Lattice":
        """(1, a, a^2, ...) modulo size."""
        self = cls(ndim)
        self("korobov", int(size), int(a))
        return self

    @classmethod
    def from_vector(cls, vector, size) -> "Lattice":
        """A vector of integers without common divisors with size."""
        vector = np.ascontiguousarray(vector, dtype=np.int64)
        if vector.ndim != 1 or vector.size == 0:
            raise ValueError("vector is an array (ndim,)")
        self = cls(vector.size)
        self("vector", int(size), vector.ctypes.data)
        return self

    @classmethod
    def load(cls, path) -> "Lattice":
        """From a file of `save`, or of the C interface."""
        self = cls(1)
        self("load", os.fsencode(path))
        return self

    def save(self, path) -> None:
        self("save", os.fsencode(path))

    @property
    def ndim(self) -> int:
        return self.integer(LATTICE_KEY["LATTICE_NDIM"])

    @property
    def size(self) -> int:
        return self.integer(LATTICE_KEY["LATTICE_SIZE"])

    @property
    def vector(self) -> np.ndarray:
        out = np.empty(self.ndim, dtype=np.int64)
        self("get_vector", out.ctypes.data)
        return out

    @property
    def origin(self) -> str:
        """'constructed', 'korobov', 'given' or 'builtin'."""
        number = self.integer(LATTICE_KEY["LATTICE_ORIGIN"])
        return next(name.removeprefix("ORIGIN_").lower() for name, value in LATTICE_ORIGIN.items() if value == number)

    @property
    def merit(self) -> float:
        return self.real(LATTICE_KEY["LATTICE_MERIT"])

    @property
    def ratio(self) -> float:
        return self.real(LATTICE_KEY["LATTICE_RATIO"])

    def points(self, shift=0.0) -> np.ndarray:
        """The points (size, ndim), moved by a shift."""
        i = np.arange(self.size, dtype=np.uint64)[:, None]
        return np.mod(np.mod(i * self.vector.astype(np.uint64), np.uint64(self.size)).astype(float) / self.size + shift, 1.0)

    def __repr__(self):
        return f"<Lattice of {self.ndim} variables, size {self.size}, {self.origin}>"
