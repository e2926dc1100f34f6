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

    def points(self, shift=0.0, *, size=None, first=0, count=None) -> np.ndarray:
        """The points frac(i*vector/size + shift), i = first ... first + count - 1, as an array (count, ndim).

        shift: a number, or one for each axis (ndim,). size: that of the lattice; a smaller one has the same vector, which the
        library's own is good for from 2**10 on, in powers of two. count: as many as there are from `first` on. More than 2**24 coordinates, 128 MiB, are an
        error (ValueError) unless count says that they are wanted: the library's own lattice has 2**25 points."""
        size, ndim, first = self.size if size is None else int(size), self.ndim, int(first)
        if not 0 < size <= self.size:
            raise ValueError(f"size={size} is not between 1 and {self.size}, which the lattice has")
        there = size - first
        if not 0 <= first < size:
            raise ValueError(f"first={first}: the points are numbered from 0 to {size - 1}")
        if count is None:
            count = there
            if count * ndim > 2**24:
                raise ValueError(f"{count} points of {ndim} variables take {count * ndim * 8 / 2**30:.2g} GiB: say how many by count, or the size of a smaller lattice, "
                                 f"size={2**10} for instance; count={count} if all are wanted")
        count = int(count)
        if not 0 < count <= there:
            raise ValueError(f"count={count}: there are {there} points from number {first} on")
        shift = np.broadcast_to(np.asarray(shift, dtype=float), ndim)
        i, x = np.arange(first, first + count, dtype=np.uint64), np.empty((count, ndim))
        for j, z in enumerate(self.vector.astype(np.uint64)):
            x[:, j] = np.mod(np.mod(i * np.mod(z, np.uint64(size)), np.uint64(size)).astype(float) / size + shift[j], 1.0)
        return x

    def __repr__(self):
        return f"<Lattice of {self.ndim} variables, size {self.size}, {self.origin}>"
