"""Many integrals in one call.

SPDX-License-Identifier: BSD-3-Clause"""
import dataclasses
from typing import Any

import numpy as np

from . import _compiled
from ._constants import KEY
from ._domain import Domain
from ._function import PythonFunction, called, look, numbers
from ._integrate import logger, prepare, raised_in_numba, resolve
from ._library import INTEGRAND, Solver, Status, call, meaning, plain, raise_for
from ._options import METHOD_NAMES
from ._progress import Observer
from ._result import Facts, ValueAndError, shaped, shaped_error
from ._run import Run, address, array_at


@dataclasses.dataclass
class ManyResult(ValueAndError):
    """The results of `integrate_many` and `quad_many`: value and error (count, ...), status and success (count,).

    message: about the worst of them. evaluations, seconds: of all together."""

    value: Any
    error: Any
    status: Any
    success: Any
    evaluations: int
    message: str
    method: str
    seconds: float
    rtol: float
    atol: float
    statistics: dict = dataclasses.field(repr=False)

    def __len__(self):
        return len(self.status)

    def short(self):
        return f"{int(np.sum(self.success))} of {len(self)} integrals"


class _ManyRun(Run):
    """Integrals with parameters: the points of one come with its block, those of many with their numbers."""

    def prepare_callback(self, params, shared):
        self.params, self.shared = params, shared
        row = params[0].size

        def integrand(n, ndim, x, ldx, ncomp, f, ldf, block):
            try:
                if self.stop_asked():
                    return 1
                points = np.array(array_at(x, n, ldx, ndim + shared), order="F")
                if shared:
                    points, p = points[:, :-1], self.params[points[:, -1].astype(int)]
                else:
                    p = np.array(array_at(block, 1, 1, row)).reshape(1, *params.shape[1:])
                array_at(f, n, ldf, ncomp)[...] = self.many_values(points, p)
            except BaseException as error:
                self.fail(error)
                return 1
            return 0

        self.callback = INTEGRAND(integrand)
        return address(self.callback)

    def many_values(self, x, p):
        function = self.function
        if function.vectorized:
            values = function.values(x, (p, *self.args))
        else:
            rows = p if len(p) == len(x) else np.broadcast_to(p, (len(x), *p.shape[1:]))
            values = np.concatenate([function.values(x[i : i + 1], (rows[i], *self.args)) for i in range(len(x))])
        return values.view(float) if function.complex else values


def integrate_many(f, a, b, params=None, *, rtol=1e-8, atol=0.0, method="auto", args=(), workers=1, device=None, vectorized=None,
                   shape=None, dtype=None, progress=None, log=None, **options) -> ManyResult:
    """Many integrals of one function in one call: integral i has the parameters params[i] and the limits a[i], b[i].

    f: in Python f(x, p, *args) with x (npoints, ndim) and p (1, ...), the parameters with a first axis that is broadcast;
        or of one point x (ndim,) and p = params[i]. Compiled functions of the library's forms receive the address of params[i], as
        double, as userdata; jitted ones and source texts receive params[i].
    a, b: (ndim,), the same for all, or (count, ndim). params: (count, ...), real, or None when limits alone differ.
    workers: threads, each with an integral of its own. rtol, atol, options: for each integral; max_seconds for all of them.
    method 'auto' is chosen by the first integral. All else as in `integrate`. Returns a `ManyResult`."""
    limits = [np.asarray(one, dtype=float) for one in (a, b)]
    if max(one.ndim for one in limits) > 2:
        raise ValueError("a and b are arrays (ndim,) or (count, ndim)")
    widths = [one.shape[-1] for one in limits if one.ndim]  # a number is the limit of all axes
    if len(set(widths)) > 1:
        raise ValueError(f"a is for {widths[0]} and b for {widths[1]} variables: there must be as many")
    return _many(f, *limits, params, False, rtol, atol, method, args, workers, device, vectorized, shape, dtype, progress, log, options)


def quad_many(f, a, b, params=None, *, rtol=1e-8, atol=0.0, args=(), workers=1, device=None, vectorized=None, shape=None, dtype=None,
              progress=None, log=None, **options) -> ManyResult:
    """Many integrals over one variable in one call: as `integrate_many`, with a and b numbers or (count,).

    f: in Python f(x, p, *args) with x (npoints,) and p (npoints, ...) or (1, ...): a call has the points of many integrals, each
    with its parameters; or of one number x and p = params[i]."""
    limits = [np.asarray(one, dtype=float) for one in (a, b)]
    if max(one.ndim for one in limits) > 1:
        raise ValueError("a and b are numbers or arrays (count,)")
    return _many(f, *(one[:, None] if one.ndim else one for one in limits), params, True, rtol, atol, "quadrature", args, workers, device, vectorized, shape, dtype, progress, log, options)


def _many(f, a, b, params, scalar, rtol, atol, method, args, workers, device, vectorized, shape, dtype, progress, log, options):
    args = args if isinstance(args, tuple) else (args,)
    if params is not None:
        params = np.asarray(params)
        if params.dtype.kind not in "biuf":
            raise TypeError("params are real numbers")
        params = np.ascontiguousarray(params, dtype=float)
        if params.ndim == 0 or params.size == 0:
            raise ValueError("params is empty: (count, ...)")
    counts = {name: len(one) for name, one in (("a", a), ("b", b)) if one.ndim == 2}
    if params is not None:
        counts["params"] = len(params)
    if len(set(counts.values())) > 1:
        raise ValueError(f"a, b and params are for different numbers of integrals: {', '.join(f'{name} for {n}' for name, n in counts.items())}")
    count = next(iter(counts.values()), 1)
    ndim = max((one.shape[-1] for one in (a, b) if one.ndim), default=1)
    if count == 0 or ndim == 0:
        raise ValueError("a and b are empty: there is no integral")
    a, b = (np.ascontiguousarray(np.broadcast_to(one, (count, ndim))) for one in (a, b))
    domain = Domain(a[0, 0], b[0, 0]) if scalar else Domain(a[0], b[0])
    setting, run_args = _setting(f, domain, params, args, rtol, atol, method, workers, device, vectorized, shape, dtype, options)
    observer = Observer(progress, lambda v, e: (shaped(v, setting.shape, setting.complex), shaped_error(e, setting.shape, setting.complex)), False)
    solver = Solver(ndim, setting.ncomp)
    run = _ManyRun(setting.function, domain, args, observer if observer.wanted else None, logger(log))
    with run:
        prepare(solver, setting, run, run_args, options)
        if isinstance(setting.function, PythonFunction) and params is not None:
            if scalar:
                solver("set_int", KEY["SHARED_CALLS"], 1)
            solver("set_integrand", run.prepare_callback(params, scalar), None)
        value, error = np.full((count, setting.ncomp), np.nan), np.full((count, setting.ncomp), np.inf)
        status = np.zeros(count, dtype=np.intc)
        block = params[0].nbytes if params is not None else 0
        overall = call("integrate_many", solver.pointer, setting.method, count, params.ctypes.data if params is not None else None,
                       block, a.ctypes.data, b.ctypes.data, value.ctypes.data, error.ctypes.data, status.ctypes.data)
        observer.end()
    if setting.plain is not None and (raised_in_numba(solver, overall) or np.any(np.isin(status, (Status.CALLBACK_STOPPED, Status.ERR_CALLBACK)))):
        plain = setting.plain
        return _many(plain.f, a, b, params, scalar, rtol, atol, method, args, workers, None, False, None, None, progress, log, {**options, "_in_python": True})
    result = None if overall < 0 and overall != Status.SOME_FAILED else _collect(solver, setting, overall, value, error, status)
    if getattr(setting.function, "failure", None) is not None:  # of a function on a device
        run.fail(setting.function.failure)
    run.raise_failure(result)
    if result is None:
        raise_for(overall, solver.last_error())
    return result


def _setting(f, domain, params, args, rtol, atol, method, workers, device, vectorized, shape, dtype, options):
    """The setting, and the args that are handed to the library as a parameter block."""
    in_python = options.pop("_in_python", False)
    if callable(workers):
        raise ValueError("workers is a number of threads here")
    rest = (domain, args, rtol, atol, method, workers, device, vectorized, shape, dtype, options)
    if params is None:
        return resolve(f, *rest), args
    setting = None
    if not in_python:
        try:
            setting = resolve(f, *rest, params_shape=params.shape[1:]) if _not_python(f, device) else None
        except TypeError:
            setting = None
    if setting is not None and not isinstance(setting.function, PythonFunction):
        if setting.plain is None and args:
            raise ValueError("a compiled function receives params, and no args")
        if not setting.function.native:
            raise ValueError("a compiled function with params must have the form of tessera_integrand1 or tessera_integrand: they receive them as userdata")
        return setting, ()
    function = _look(f.f if isinstance(f, PythonFunction) else f, domain, params, args, vectorized, shape, dtype)
    return resolve(function, *rest), ()


def _not_python(f, device):
    from ._jitted import is_jitted

    return is_jitted(f) or device is not None or isinstance(f, (_compiled.Compiled, _compiled.Source)) or _compiled.recognise(f) is not None


def _look(f, domain, params, args, vectorized, shape, dtype):
    if vectorized is None and domain.scalar:
        vectorized = _is_shared(f, domain, params, args)
    if vectorized is not False:
        try:
            found = look(f, domain, (params[:1], *args), vectorized, shape, dtype)
            if found.vectorized:
                return found
        except (TypeError, ValueError, IndexError, AttributeError):
            if vectorized:
                raise
    return look(f, domain, (params[0], *args), False, shape, dtype)


def _is_shared(f, domain, params, args):
    """Does f take points of many integrals, each with parameters of its own?"""
    x = domain.points(5)
    p = params[np.arange(5) * max(1, len(params) // 5) % len(params)]
    try:
        values = numbers(called(f, "number", True, x.copy(), (p.copy(), *args)))
        if values.shape[:1] != (5,):
            return False
        ones = [numbers(called(f, "number", True, x[i : i + 1].copy(), (p[i : i + 1].copy(), *args))) for i in (1, 4)]
    except (TypeError, ValueError, IndexError, AttributeError):
        return False
    return all(one.shape == (1, *values.shape[1:]) and np.allclose(one[0], values[i], rtol=1e-6, atol=0, equal_nan=True) for i, one in zip((1, 4), ones))


def _collect(solver, setting, overall, value, error, status):
    value, error = shaped(value, setting.shape, setting.complex), shaped_error(error, setting.shape, setting.complex)
    facts = Facts(solver).named()
    message = meaning(overall) if overall == 0 else plain(solver.last_error()) or meaning(overall)
    return ManyResult(value, error, status, status == 0, facts["evaluations"], message,
                      METHOD_NAMES.get(facts["method_used"], METHOD_NAMES[setting.method]), facts["seconds"], setting.rtol, setting.atol, facts)
