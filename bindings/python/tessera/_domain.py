"""Limits: numbers, infinities, functions of the variables before.

SPDX-License-Identifier: BSD-3-Clause"""
import functools
import math

import numpy as np


class Domain:
    """The limits of an integral. `scalar`: they were numbers and not arrays, so that f is a function of numbers. A number, or a
    function, beside an array is the limit of all axes; two arrays have as many entries."""

    def __init__(self, a, b):
        lower, lower_is_one = _entries(a, "a")
        upper, upper_is_one = _entries(b, "b")
        self.scalar = lower_is_one and upper_is_one and not callable(a) and not callable(b)
        if lower_is_one:
            lower = lower * len(upper)
        elif upper_is_one:
            upper = upper * len(lower)
        if len(lower) != len(upper):
            raise ValueError(f"a has {len(lower)} {_plural(lower)} and b has {len(upper)}: there must be as many, one for each variable")
        if not lower:
            raise ValueError("a and b are empty: there is no variable")
        self.ndim = len(lower)
        self.functions = {}  # axis: (lower, upper), of which one at least is callable
        self.lower = self._numbers(lower, 0, "a")
        self.upper = self._numbers(upper, 1, "b")
        if self.functions:
            self._complete()

    def _numbers(self, entries, which, name):
        try:
            values = list(map(float, entries))
            if not any(map(math.isnan, values)):
                return np.array(values)
        except (TypeError, ValueError):
            pass
        out = np.empty(self.ndim)
        for axis, entry in enumerate(entries):
            if callable(entry):
                pair = self.functions.setdefault(axis, [None, None])
                pair[which] = entry
                out[axis] = which
            else:
                try:
                    value = float(entry)
                except (TypeError, ValueError):
                    raise ValueError(f"{name}[{axis}] is neither a number nor a function: {entry!r}") from None
                if math.isnan(value):
                    raise ValueError(f"{name}[{axis}] is NaN")
                out[axis] = value
        return out

    def _complete(self):
        """The other limit of an axis that has one function."""
        for axis, pair in self.functions.items():
            for which, numbers in enumerate((self.lower, self.upper)):
                if pair[which] is None:
                    pair[which] = float(numbers[axis])
                    numbers[axis] = which
                if not callable(pair[which]) and not np.isfinite(pair[which]):
                    raise ValueError(f"the limits of axis {axis} must be finite where one of them is a function")

    def points(self, n):
        """n different points inside the limits, to look at the integrand: (n, ndim)."""
        t = _spread(n, self.ndim)
        x = np.empty_like(t)
        for axis in range(self.ndim):
            low, high = self.lower[axis], self.upper[axis]
            if axis in self.functions:
                low, high = (limit_values(one, x[:, :axis], axis) for one in self.functions[axis])
            x[:, axis] = _between(low, high, t[:, axis])
        return x

    def raised(self, t):
        """Points x of the domain and the Jacobian, for points t with axes from 0 to 1 where limits are functions."""
        x = t
        jacobian = np.ones(len(t))
        for axis in sorted(self.functions):
            low, high = (limit_values(one, x[:, :axis], axis) for one in self.functions[axis])
            width = high - low
            bad = ~(np.isfinite(width) & (width >= 0))
            if bad.any():
                i = int(np.argmax(bad))
                raise ValueError(
                    f"the limits of axis {axis} are {np.broadcast_to(low, len(t))[i]} and {np.broadcast_to(high, len(t))[i]} "
                    f"at {x[i, :axis].tolist()}: they must be finite and in this order"
                )
            x[:, axis] = low + width * t[:, axis]
            jacobian = jacobian * width
        return x, jacobian


def limit_values(limit, x, axis):
    """A limit at points x (npoints, axis): (npoints,), or a number."""
    if not callable(limit):
        return np.asarray(limit, dtype=float)
    try:
        values = np.asarray(limit(x), dtype=float)
    except (TypeError, ValueError, IndexError):  # a function of one point
        values = np.asarray([float(limit(row)) for row in x])
    if values.shape not in ((), (len(x),)):
        values = np.asarray([float(limit(row)) for row in x])
    return values


def _between(low, high, t):
    if np.ndim(low) or np.ndim(high) or (np.isfinite(low) and np.isfinite(high)):
        return low + (high - low) * t
    if np.isfinite(low):
        return low + np.sign(high) * t / (1 - t)
    if np.isfinite(high):
        return high + np.sign(low) * t / (1 - t)
    t = 2 * t - 1
    return t / (1 - t * t)


def _plural(entries):
    return "entry" if len(entries) == 1 else "entries"


def _entries(a, name):
    """The entries of a limit, and whether it is one for all axes."""
    if isinstance(a, np.ndarray) and a.ndim == 1:
        return a.tolist(), False
    if isinstance(a, (list, tuple)):
        return list(a), False
    if callable(a):
        return [a], True
    if isinstance(a, (float, int)):
        return [a], True
    if isinstance(a, np.ndarray) or np.isscalar(a):
        a = np.asarray(a)
        if a.ndim > 1:
            raise ValueError(f"{name} must be a number or have one dimension, not {a.ndim}")
        return a.reshape(-1).tolist(), a.ndim == 0
    return (list(a), False) if np.iterable(a) else ([a], True)


@functools.lru_cache(maxsize=64)
def _spread(n, ndim):
    """n different points of the middle half of the unit cube."""
    return np.modf(0.37 + np.outer(np.arange(1, n + 1), np.sqrt(_primes(ndim))))[0] * 0.5 + 0.25


def _primes(n):
    out, k = [], 2
    while len(out) < n:
        if all(k % p for p in out if p * p <= k):
            out.append(k)
        k += 1
    return np.array(out, dtype=float)
