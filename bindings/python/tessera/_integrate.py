"""One integral.

SPDX-License-Identifier: BSD-3-Clause"""
import dataclasses
import logging
from typing import Any

import numpy as np

from . import _compiled, _device, _jitted
from ._boxes import seed_regions
from ._constants import KEY, METHOD, SAMPLING
from ._domain import Domain
from ._function import PythonFunction, as_shape, look
from ._library import Solver, Status, address_of, call, raise_for
from ._options import device_number, method_number, set_options
from ._progress import Observer
from ._result import Result, collect, shaped, shaped_error
from ._run import INTEGRAND_ADDRESS, LIMITS_ADDRESS, Run, install


@dataclasses.dataclass
class Setting:
    """What a run is to be: shared by single integrals and many."""

    domain: Domain
    function: Any
    plain: Any  # the same function in Python, where the other may only say that it raised
    rtol: float
    atol: float
    method: int
    workers: int
    device: int
    keep_regions: bool = False
    keep_state: bool = False

    @property
    def shape(self):
        return self.function.shape

    @property
    def complex(self):
        return self.function.complex

    @property
    def ncomp(self):
        return self.function.size * (2 if self.complex else 1)


def integrate(f: Any, a: Any, b: Any, *, rtol: float = 1e-8, atol: float = 0.0, method: str = "auto", args: Any = (), points=None, workers=1, device: Any = None, vectorized: bool | None = None,
              shape=None, dtype=None, progress=None, history=False, keep_regions=False, keep_state=False, lattice=None,
              grid=None, resume=None, log=None, **options) -> Result:
    """The integral of f over a box, or between limits that are functions.

    f: a function in Python, f(x, *args) with x (npoints, ndim) that returns (npoints, ...), real or complex, as for
        scipy.integrate.cubature; or of one point x (ndim,); or of coordinates f(x0, x1, ...); with limits that are numbers, of
        one number. Which of these is found out by a few calls; vectorized=True or False says so. Or a compiled function, a
        jitted one, a source text: see `compiled`, `source` and docs/python.md.
    a, b: limits, arrays of ndim entries, or two numbers; a number beside an array is the limit of all axes. An entry may be
        infinite, or a function of the coordinates before it: it receives x[:, :j] for axis j and returns (npoints,).
    rtol, atol: the run has success when error <= max(atol, rtol*abs(value)) for all components, by the modulus for complex
        ones; at a limit of evaluations, time or memory when error <= atol + rtol*abs(value).
    method: 'auto', 'cubature', 'lattice', 'montecarlo', 'vegas', 'quadrature' (one variable), 'iterated'.
    points: where f has kinks, jumps or singularities: in one variable numbers; in several, for cubature, a list of points
        (npoints, ndim), which are made corners of the regions.
    workers: threads that call f at the same time, -1 for one per processor, or a function like map (of a pool).
    device: None the host, 'cuda', 'cuda:1' or a number a GPU, 'auto' a GPU if there is one and f has a form for it.
    shape, dtype: of the value of f at one point, for compiled functions and where f shall not be called to find out.
    progress: True for a bar, or a function of a `Progress`. history: keep the convergence (result.history).
    keep_regions, keep_state, lattice, grid, resume: see docs/python.md. log: a function of (level, line), or True for logging.
    options: those of docs/options.md, in small letters: max_seconds=10, maxeval=10**7, rule='gm7', seed=7, ...

    Returns a `Result`. Raises what f raises, `Interrupted` (a KeyboardInterrupt) upon Ctrl-C, both with the attribute `result`,
    the value so far; ValueError for what cannot be, and `Error`."""
    domain = Domain(a, b)
    args = args if isinstance(args, tuple) else (args,)
    setting = resolve(f, domain, args, rtol, atol, method, workers, device, vectorized, shape, dtype, options)
    setting.keep_regions, setting.keep_state = keep_regions, keep_state
    observer = Observer(progress, lambda value, error: (shaped(value, setting.shape, setting.complex), shaped_error(error, setting.shape, setting.complex)), history)
    solver = Solver(domain.ndim, setting.ncomp)
    run = Run(setting.function, domain, args, observer if observer.wanted else None, logger(log))
    with run:
        prepare(solver, setting, run, args, options)
        if history:
            solver("set_real", KEY["PROGRESS_SECONDS"], 0.0)
        if lattice is not None:
            solver("set_lattice", lattice.pointer)
        if grid is not None:
            set_grid(solver, grid, domain.ndim)
        status = None
        if points is not None:
            status = set_points(solver, setting, points, run)
        if resume is not None:
            set_resume(solver, setting, resume)
        value, error = np.zeros(setting.ncomp), np.zeros(setting.ncomp)
        if status is None:
            status = call("integrate", solver.pointer, setting.method, address_of(value), address_of(error))
        observer.end()
    if setting.plain is not None and raised_in_numba(solver, status):
        # The jitted function raised somewhere: it is run again from Python, where it raises the same.
        return integrate(setting.plain, a, b, rtol=rtol, atol=atol, method=method, args=args, points=points, workers=workers,
                         progress=progress, history=history, lattice=lattice, grid=grid, resume=resume, log=log, **options)
    result = None if status < 0 else collect(solver, setting, status, value, error, observer.history or [])
    if getattr(setting.function, "failure", None) is not None:  # of a function on a device
        run.fail(setting.function.failure)
    run.raise_failure(result)
    if status < 0:
        raise_for(status, solver.last_error())
    return result


def resolve(f, domain, args, rtol, atol, method, workers, device, vectorized, shape, dtype, options, params_shape=None):
    """What f is, and the setting of the run."""
    number = method_number(method)
    if isinstance(method, str) and method.lower() == "vegas":
        options.setdefault("sampling", "vegas")
    where = device_number(device)
    pool = workers if callable(workers) else None
    threads = 1 if pool is not None else 0 if workers == -1 else int(workers)
    if threads < 0:
        raise ValueError("workers is a positive number, -1 for one per processor, or a function like map")
    function, plain = f, None
    if isinstance(f, (_compiled.Compiled, _compiled.Source, PythonFunction)):
        pass
    elif where != -1 and (found := _device.recognise(f, domain, args, shape, dtype, where)) is not None:
        function = found
    elif (found := _compiled.recognise(f, shape, dtype)) is not None:
        function = found
    elif isinstance(f, str):
        raise TypeError("f is a text: say its language by tessera.source(text, function, language)")
    elif not callable(f):
        raise TypeError(f"f is no function: {type(f).__name__}")
    else:
        compiled = None
        if _jitted.is_jitted(f) and vectorized is not True:
            compiled, plain = _jitted.compile_point(f, domain, args, params_shape)
        if compiled is not None:
            function = compiled
        else:
            function = look(_device.on_host(f), domain, args, vectorized, shape, dtype, pool)
    if shape is not None and as_shape(shape) != tuple(function.shape):
        raise ValueError(f"shape={shape} is not that of the values of f, {tuple(function.shape)}")
    return Setting(domain, function, plain, float(rtol), float(atol), number, threads, where)


def prepare(solver, setting, run, args, options):
    """Everything that is said to the library before a run, where it is not what a solver begins with."""
    install(solver, run)
    solver("set_real", KEY["RELTOL"], setting.rtol)
    if setting.atol != 0:
        solver("set_real", KEY["ABSTOL"], setting.atol)
    if setting.workers != 1:
        solver("set_int", KEY["THREADS"], setting.workers)
    if setting.device != -1:
        solver("set_int", KEY["DEVICE"], setting.device)
    if setting.complex:
        solver("set_int", KEY["COMPLEX"], 1)
    if setting.keep_regions:
        solver("set_int", KEY["KEEP_REGIONS"], 1)
    if setting.keep_state:
        solver("set_int", KEY["KEEP_STATE"], 1)
    set_options(solver, options, setting.domain.ndim)
    if setting.device != -1:
        _device.find_toolkit()
    set_domain(solver, setting, run)
    function = setting.function
    if isinstance(function, PythonFunction):
        solver("set_integrand", INTEGRAND_ADDRESS, run.number)
        return
    if args and setting.plain is None and not isinstance(function, _device.DeviceFunction):
        if not function.native or getattr(function, "userdata", None):
            raise ValueError("args are handed to compiled functions as a parameter block, which functions of this form do not receive")
        block = np.ascontiguousarray(args, dtype=float)
        solver("set_params", block.ctypes.data, block.nbytes)
    function.install(solver)


def set_domain(solver, setting, run):
    domain = setting.domain
    solver("set_domain", address_of(domain.lower), address_of(domain.upper))
    if not isinstance(setting.function, PythonFunction):
        for axis in domain.functions:
            solver("set_limits", axis, LIMITS_ADDRESS, run.number)


def set_points(solver, setting, points, run):
    """Break points. Returns the status of a run that has ended already, or None."""
    domain = setting.domain
    points = np.asarray(points, dtype=float)
    if domain.ndim == 1 and setting.method in (METHOD["AUTO"], METHOD["QUADRATURE"]):
        points = np.ascontiguousarray(points.reshape(-1))
        solver("set_breakpoints", len(points), points.ctypes.data)
        return None
    if points.size == 0:
        return None
    points = points.reshape(-1, domain.ndim)
    if setting.method == METHOD["AUTO"]:
        setting.method = METHOD["CUBATURE"]
    if setting.method != METHOD["CUBATURE"]:
        raise ValueError("points are for quadrature and cubature")
    return seed_regions(solver, setting, points)


def set_grid(solver, grid, ndim):
    edges = np.ascontiguousarray(grid, dtype=float)
    if edges.shape != (ndim, 129):
        raise ValueError(f"a grid for {ndim} variables has the shape {(ndim, 129)}, not {edges.shape}")
    solver("set_grid", edges.ctypes.data)


def set_resume(solver, setting, before):
    """Goes on from where another run stood, by its method: from its regions, or the state of VEGAS."""
    if setting.method == METHOD["AUTO"]:
        setting.method = method_number(before.method)
    if before.state is not None:
        solver("set_int", KEY["SAMPLING"], SAMPLING["SAMPLING_VEGAS"])
        solver("set_state", len(before.state), np.ascontiguousarray(before.state).ctypes.data)
        return
    records = np.ascontiguousarray(before.regions.records)
    solver("set_regions", len(records), records.ctypes.data, before.evaluations)


def raised_in_numba(solver, status):
    return status in (Status.CALLBACK_STOPPED, Status.ERR_CALLBACK) and solver.integer(KEY["CALLBACK_STATUS"]) == _jitted.RAISED


def logger(log):
    if log is True:
        to = logging.getLogger("tessera")
        return lambda level, line: to.log((logging.WARNING, logging.INFO, logging.DEBUG)[min(level, 3) - 1], line)
    return log or None
