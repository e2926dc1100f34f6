"""Functions jitted by numba, compiled to the library's form for one point: no Python is in the loop.

SPDX-License-Identifier: BSD-3-Clause"""
import sys

import numpy as np

from ._compiled import Compiled
from ._function import PythonFunction, wants_coordinates

# What a cfunc returns where the jitted function raised: the run is then repeated in Python, which raises the same.
RAISED = 7919

_TEXT = """
def point(ndim, x, ncomp, out, userdata):
    {unpack}
    try:
        v = f({arguments})
    except Exception:
        return {raised}
    {store}
    return 0
"""


def is_jitted(f):
    return "numba" in sys.modules and hasattr(f, "py_func") and type(f).__name__ == "CPUDispatcher"


def compile_point(f, domain, args=(), params_shape=None):
    """f as a Compiled, and as a PythonFunction for the exceptions it may raise; the first is None where f takes many points at once.

    params_shape: that of the parameters of one integral, which f receives after its point; None: there are none."""
    known = f.__dict__.setdefault("_tessera_points", {})  # with the function, and as long as it
    key = (domain.ndim, domain.scalar, params_shape, _frozen(args))
    if key in known:
        return known[key]
    known[key] = found = _compile_point(f, domain, args, params_shape)
    return found


def _compile_point(f, domain, args, params_shape):
    import numba

    x = domain.points(1)[0]
    parameters = () if params_shape is None else (np.ones(params_shape)[()],)
    if domain.scalar:
        form, call, arguments = "number", (x[0],), "c[0]"
    elif wants_coordinates(f.py_func, domain.ndim, len(args) + len(parameters)):
        form, call, arguments = "coordinates", tuple(x), ", ".join(f"c[{j}]" for j in range(domain.ndim))
    else:
        form, call, arguments = "array", (x,), "c"
    try:
        value = np.asarray(f(*call, *parameters, *args))
    except (numba.core.errors.NumbaError, IndexError, TypeError):
        return None, None
    if value.dtype.kind not in "biufc":
        raise TypeError(f"the jitted function returned {value.dtype}, which are no numbers")
    is_complex = value.dtype.kind == "c"
    plain = PythonFunction(f, form, False, value.shape, is_complex)
    cfunc = _compile(numba, f, domain.ndim, arguments, args, params_shape, value, is_complex)
    return Compiled(cfunc.address, "tessera_integrand1", value.shape, value.dtype, None, cfunc), plain


def _compile(numba, f, ndim, arguments, args, params_shape, value, is_complex):
    types = numba.types
    unpack = [f"c = carray(x, ({ndim},))"]
    if params_shape is not None:
        unpack.append(f"p = carray(userdata, {params_shape or (1,)}, float64)")
        arguments += ", p" if params_shape else ", p[0]"
    names = [f"a{i}" for i in range(len(args))]
    arguments = ", ".join([arguments, *names])
    indices = ["v"] if value.shape == () else [f"w[{i}]" for i in range(value.size)]
    store = [] if value.shape == () else ["w = flat(v)"]
    if value.size > 64:
        one = "o[2 * i], o[2 * i + 1] = w[i].real, w[i].imag" if is_complex else "o[i] = w[i]"
        store += [f"o = carray(out, ({value.size * (1 + is_complex)},))", f"for i in range({value.size}):", "    " + one]
    else:
        store += [f"out[{2 * i}] = {w}.real; out[{2 * i + 1}] = {w}.imag" if is_complex else f"out[{i}] = {w}" for i, w in enumerate(indices)]
    text = _TEXT.format(unpack="\n    ".join(unpack), arguments=arguments, raised=RAISED, store="\n    ".join(store))
    scope = {"f": f, "carray": numba.carray, "float64": np.float64, "flat": _flat(numba), **dict(zip(names, args))}
    exec(compile(text, "<tessera>", "exec"), scope)
    double = types.CPointer(types.float64)
    return numba.cfunc(types.int32(types.int32, double, types.int32, double, types.voidptr))(scope["point"])


def _flat(numba):
    """An array as one row; tuples and lists stay as they are, with the entries in order."""

    def flat(v):
        raise NotImplementedError

    @numba.extending.overload(flat)
    def _(v):
        if isinstance(v, numba.types.Array):
            return lambda v: np.ravel(v)
        return lambda v: v

    return flat


def _frozen(args):
    """args, which are constants of what is compiled, as a key."""
    frozen = tuple((a.tobytes(), a.shape, str(a.dtype)) if isinstance(a, np.ndarray) else (type(a), a) for a in args)
    try:
        hash(frozen)
    except TypeError:
        raise TypeError("args of a jitted function are numbers, tuples or arrays") from None
    return frozen
