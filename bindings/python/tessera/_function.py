"""Functions in Python: how they want their points, and what they return.

SPDX-License-Identifier: BSD-3-Clause"""
import inspect

import numpy as np

# What a function raises when it is handed an array where it wants a point.
_SHAPE_ERRORS = (TypeError, ValueError, IndexError, AttributeError)


class PythonFunction:
    """f, and how it is called: values(x) for points x (npoints, ndim) is an array (npoints, m) of float or complex.

    form: 'array' f(x), 'coordinates' f(x0, x1, ...), 'number' f(x) in one variable.
    vectorized: with all points at once, or with one after the other.
    shape, complex: of the value at one point."""

    def __init__(self, f, form, vectorized, shape, is_complex, workers=None):
        self.f, self.form, self.vectorized = f, form, vectorized
        self.shape, self.complex = tuple(shape), bool(is_complex)
        self.size = int(np.prod(self.shape, dtype=int))
        self.dtype = np.dtype(complex if self.complex else float)
        self.map = workers

    def values(self, x, args=()):
        if self.map is not None and len(x) >= 64:
            parts = np.array_split(x, min(32, len(x) // 32))
            found = np.concatenate([self._numbers(v, len(p)) for v, p in zip(self.map(_Part(self.f, self.form, self.vectorized, args), parts), parts)])
        else:
            found = self._numbers(called(self.f, self.form, self.vectorized, x, args), len(x))
        return found

    def _numbers(self, values, n):
        values = numbers(values)
        if values.shape != (n, *self.shape):
            raise ValueError(f"f returned an array of shape {values.shape} for {n} points, and {(n, *self.shape)} was expected")
        if values.dtype.kind == "c" and not self.complex:
            raise TypeError("f returned complex values after real ones: say so by dtype=complex")
        return np.ascontiguousarray(values, dtype=self.dtype).reshape(n, self.size)


class _Part:
    """A part of the points, for the map of `workers`: to be pickled where f can be."""

    def __init__(self, f, form, vectorized, args):
        self.f, self.form, self.vectorized, self.args = f, form, vectorized, args

    def __call__(self, x):
        return np.asarray(called(self.f, self.form, self.vectorized, x, self.args))


def called(f, form, vectorized, x, args):
    """f at the points x (npoints, ndim)."""
    if vectorized:
        if form == "array":
            return f(x, *args)
        if form == "number":
            return f(x[:, 0], *args)
        return f(*x.T, *args)
    if form == "array":
        return [f(row, *args) for row in np.ascontiguousarray(x)]
    if form == "number":
        return [f(value, *args) for value in x[:, 0].tolist()]
    return [f(*row, *args) for row in x.tolist()]


def numbers(values):
    """An array of float or complex."""
    values = np.asarray(values)
    if values.dtype.kind in "biuf" or values.dtype.kind == "c":
        return values
    if values.dtype.kind == "O":
        try:
            return values.astype(float)
        except TypeError:
            return values.astype(complex)
    raise TypeError(f"f returned {values.dtype}, which are no numbers")


def wants_coordinates(f, ndim, nargs):
    """Is f written as f(x0, x1, ..., *args)?"""
    if ndim == 1:
        return False
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = sum(p.default is p.empty for p in positional)
    if not positional and any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return True
    return required == ndim + nargs


def as_shape(shape):
    """A shape, given as a number or a tuple."""
    return tuple(int(n) for n in shape) if np.iterable(shape) else (int(shape),)


def look(f, domain, args=(), vectorized=None, shape=None, dtype=None, workers=None):
    """The PythonFunction that f is, by calling it at a few points of the domain."""
    form = "number" if domain.scalar else "coordinates" if wants_coordinates(f, domain.ndim, len(args)) else "array"
    if shape is not None and vectorized is not None:
        return PythonFunction(f, form, vectorized, as_shape(shape), np.dtype(dtype or float).kind == "c", workers)
    x = domain.points(6 if domain.ndim == 5 else 5)
    values, vectorized = _first_values(f, form, vectorized, x, args)
    is_complex = values.dtype.kind == "c" if dtype is None else np.dtype(dtype).kind == "c"
    return PythonFunction(f, form, vectorized, values.shape[1:], is_complex, workers)


def _first_values(f, form, vectorized, x, args):
    doubt = other_shape = None
    if vectorized is not False:
        try:
            values = numbers(called(f, form, True, x.copy(), args))  # f may write to its points
            other_shape = None if values.shape[:1] == (len(x),) else values.shape
            if vectorized or _is_vectorized(f, form, values, x, args):
                if values.shape[:1] != (len(x),):
                    raise ValueError(f"f returned an array of shape {values.shape} for {len(x)} points: the first number must be that of the points")
                return values, True
        except _SHAPE_ERRORS as error:
            if vectorized:
                raise
            doubt = error
    try:
        return numbers(called(f, form, False, x[:2].copy(), args)), False
    except _SHAPE_ERRORS as error:
        if other_shape:
            raise ValueError(f"f returned an array of shape {other_shape} for {len(x)} points, whose number has to be the first of it, and takes no "
                             f"single point: {error}") from error
        raise error from doubt
    except Exception as error:
        raise error from doubt


def _is_vectorized(f, form, values, x, args):
    """Do all points at once give what one of them gives alone?"""
    if values.shape[:1] != (len(x),):
        return False
    one = numbers(called(f, form, True, x[1:2].copy(), args))
    return one.shape == (1, *values.shape[1:]) and np.allclose(one[0], values[1], rtol=1e-6, atol=0, equal_nan=True)
