"""One variable after another: quad and nquad.

SPDX-License-Identifier: BSD-3-Clause"""
from typing import Any

import numpy as np

from . import _compiled, _jitted
from ._integrate import integrate
from ._result import Result

# SciPy's names of weights: the option and the keys of its parameters.
_WEIGHTS = {
    "cos": ("cos", ("omega",)),
    "sin": ("sin", ("omega",)),
    "alg": ("algebraic", ("alpha", "beta")),
    "alg-loga": ("algebraic_log_lower", ("alpha", "beta")),
    "alg-logb": ("algebraic_log_upper", ("alpha", "beta")),
    "alg-log": ("algebraic_log_both", ("alpha", "beta")),
    "cauchy": ("cauchy", ("pole",)),
}


def quad(f: Any, a: float, b: float, *, args: Any = (), rtol: float = 1e-8, atol: float = 0.0, points: Any = None, weight: str | None = None,
         wvar: Any = None, **options: Any) -> Result:
    """The integral of f over one variable from a to b, numbers that may be infinite: Gauss-Kronrod rules with extrapolation,
    and the double-exponential rule where these end without success (docs/quadrature.md).

    f: as in `integrate`; in Python f(x, *args) of an array (npoints,) or of one number. points: where f has kinks, jumps or
    singularities. weight, wvar: a factor of the integrand that is integrated exactly, named as in scipy.integrate.quad: 'cos',
    'sin' (wvar: the frequency), 'alg', 'alg-loga', 'alg-logb', 'alg-log' (two exponents), 'cauchy' (the pole). All else as in
    `integrate`. Returns a `Result`; value, error = quad(...) works."""
    if np.ndim(a) or np.ndim(b):
        raise ValueError("quad takes limits that are numbers; quad_many takes arrays")
    if weight is not None:
        if weight not in _WEIGHTS:
            raise ValueError(f"there is no weight {weight!r}: {', '.join(_WEIGHTS)}")
        option, names = _WEIGHTS[weight]
        values = np.atleast_1d(wvar if wvar is not None else ()).tolist()
        if len(values) != len(names):
            raise ValueError(f"the weight {weight!r} takes wvar with {len(names)} number{'s' if len(names) > 1 else ''}: {', '.join(names)}")
        options.update(weight=option, **dict(zip(names, values)))
    elif wvar is not None:
        raise ValueError("wvar is for a weight")
    return integrate(f, a, b, args=args, rtol=rtol, atol=atol, points=points, method="quadrature", **options)


def nquad(f: Any, ranges: Any, args: Any = (), *, rtol: float = 1e-8, atol: float = 0.0, method: str | None = None, **options: Any) -> Result:
    """Integrals inside of one another, with the conventions of scipy.integrate.nquad: f(x0, ..., xn, *args), ranges[i] the pair
    of limits of xi, or a function of (x(i+1), ..., xn, *args) that returns it. x0 is the innermost variable.

    method: 'iterated', one variable after the other, which meets singularities at the limits well and is what is taken in up to
    three variables, or any other of `integrate`; in four and more it is 'auto', since nested rules take 65^n evaluations at
    least. Returns a `Result`."""
    ranges = list(ranges)
    n = len(ranges)
    if n == 0:
        raise ValueError("ranges is empty: there is no variable")
    args = args if isinstance(args, tuple) else (args,)
    if method is None or n == 1:
        method = "quadrature" if n == 1 else "iterated" if n <= 3 else "auto"
    compiled = isinstance(f, (_compiled.Compiled, _compiled.Source)) or _compiled.recognise(f) is not None
    if compiled:  # its variables cannot be put in another order
        if any(callable(one) for one in ranges):
            raise ValueError("a compiled function in nquad takes ranges that are numbers; integrate takes limits that are functions of the variables before")
        return integrate(f, [one[0] for one in ranges], [one[1] for one in ranges], rtol=rtol, atol=atol, method=method, args=args, **options)
    a, b = [], []
    for i in reversed(range(n)):
        one = ranges[i]
        if callable(one) and i == n - 1:
            one = one(*args)
        if not callable(one) and len(one) != 2:
            raise ValueError(f"ranges[{i}] is a pair of limits or a function that returns one")
        a.append(_End(one, 0, args) if callable(one) else one[0])
        b.append(_End(one, 1, args) if callable(one) else one[1])
    return integrate(_reversed(f, n, args), a, b, rtol=rtol, atol=atol, method=method, **options)


class _End:
    """One limit of an axis, from the coordinates before it in the library's order."""

    def __init__(self, both, which, args):
        self.both, self.which, self.args = both, which, args

    def __call__(self, x):
        return self.both(*np.asarray(x).T[::-1], *self.args)[self.which]


def _reversed(f, n, args):
    """f as a function of its variables in reverse order."""
    if _jitted.is_jitted(f):
        names = [f"x{i}" for i in range(n)]
        constants = [f"a{i}" for i in range(len(args))]
        scope = {"f": f, **dict(zip(constants, args))}
        exec(f"def g({', '.join(reversed(names))}): return f({', '.join(names + constants)})", scope)
        import numba

        return numba.njit(scope["g"])

    def reordered(*x):
        return f(*x[::-1], *args)

    return reordered
