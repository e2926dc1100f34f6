"""A run: the callbacks that the library calls, what they raised, Ctrl-C.

The library calls functions of this module with the number of a run; exceptions stay in the run and come out when the
library has returned. SPDX-License-Identifier: BSD-3-Clause"""
import _signal  # the module signal makes enumerations of what it takes and gives, which takes longer than a small integral
import ctypes
import itertools
import threading
import time

import numpy as np

from ._domain import limit_values
from ._library import INTEGRAND, LIMITS, LOG, PROGRESS

_runs = {}
_numbers = itertools.count(1)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C. `result` holds the value so far, or is None when there was none."""

    result = None


class _Interrupt:
    """Ctrl-C sets a mark while a run of the main thread is under way; a second one raises at once."""

    def __init__(self):
        self.pressed = False
        self.depth = 0
        self.taken = False

    def _handler(self, number, frame):
        if self.pressed:
            _signal.default_int_handler(number, frame)
        self.pressed = True

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            if self.depth == 0:
                self.taken = _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
                if self.taken:
                    self.pressed = False
                    _signal.signal(_signal.SIGINT, self._handler)
            self.depth += 1
        return self

    def __exit__(self, *_):
        if threading.current_thread() is threading.main_thread():
            self.depth -= 1
            if self.depth == 0 and self.taken:
                self.pressed = False
                _signal.signal(_signal.SIGINT, _signal.default_int_handler)


interrupt = _Interrupt()


def array_at(address, n, stride, columns):
    """The library's array: element (i, j) at address[j*stride + i]."""
    span = (columns - 1) * stride + n
    return np.ndarray((n, columns), float, (ctypes.c_double * span).from_address(address), strides=(8, 8 * stride))


class Run:
    """What a run of the library calls. Enter it, call the library, leave it: what a callback raised is raised then."""

    def __init__(self, function, domain, args=(), observe=None, log=None):
        self.function, self.domain, self.args = function, domain, args
        self.observe, self.log = observe, log
        self.failure = None
        self.interrupted = False
        self.start = time.perf_counter()

    def __enter__(self):
        self.number = next(_numbers)
        _runs[self.number] = self
        interrupt.__enter__()
        return self

    def __exit__(self, *_):
        self.stop_asked()  # pressed after the last look: it is not lost
        interrupt.__exit__()
        del _runs[self.number]

    def fail(self, error):
        if self.failure is None:
            self.failure = error

    def stop_asked(self):
        if interrupt.pressed and interrupt.depth:
            self.interrupted = True
        return self.interrupted or self.failure is not None

    def integrand(self, x):
        """Values (npoints, ncomp) at the library's points (npoints, ndim), a copy of which f may keep."""
        jacobian = None
        if self.domain.functions:
            x, jacobian = self.domain.raised(x)
        values = self.function.values(x, self.args)
        if jacobian is not None:
            values = np.where(jacobian[:, None] == 0, 0, values * jacobian[:, None])
        return values.view(float) if self.function.complex else values

    def limits(self, axis, x):
        """The limits of an axis as numbers, at one point of the axes before."""
        return [float(limit_values(one, x, axis).reshape(-1)[0]) for one in self.domain.functions[axis]]

    def raise_failure(self, partial):
        """What stopped the run, if anything did. `partial` is the result so far, or None."""
        if self.failure is not None:
            failure, self.failure = self.failure, None
            if isinstance(failure, Interrupted):  # that of an integral inside f
                failure.result = None
            try:
                if getattr(failure, "result", None) is None:
                    failure.result = partial
            except AttributeError:  # an exception without room for it
                pass
            raise failure
        if self.interrupted:
            stopped = Interrupted("stopped by Ctrl-C" + (f" at {partial.short()}" if partial is not None else " before there was a value"))
            stopped.result = partial
            raise stopped


@INTEGRAND
def integrand(n, ndim, x, ldx, ncomp, f, ldf, number):
    run = _runs[number]
    try:
        if run.stop_asked():
            return 1
        array_at(f, n, ldf, ncomp)[...] = run.integrand(np.array(array_at(x, n, ldx, ndim), order="F"))
    except BaseException as error:
        run.fail(error)
        return 1
    return 0


@LIMITS
def limits(ndim, axis, x, lower, upper, number):
    run = _runs[number]
    try:
        before = np.array(array_at(x, 1, 1, axis)) if axis else np.empty((1, 0))
        lower[0], upper[0] = run.limits(axis, before)
    except BaseException as error:
        run.fail(error)
        return 1
    return 0


@PROGRESS
def progress(evaluations, ncomp, value, error, remaining, number):
    run = _runs[number]
    try:
        if run.stop_asked():
            return 1
        if run.observe is not None:
            value, error = (np.array(array_at(a, 1, 1, ncomp))[0] for a in (value, error))
            if run.observe(evaluations, value, error, remaining):
                return 1
        return int(run.stop_asked())
    except BaseException as failure:
        run.fail(failure)
        return 1


@LOG
def log(level, line, number):
    run = _runs.get(number)
    try:
        if run is not None and run.log is not None:
            run.log(level, line.decode(errors="replace"))
    except BaseException as error:
        run.fail(error)


def address(callback):
    return ctypes.cast(callback, ctypes.c_void_p).value


INTEGRAND_ADDRESS = address(integrand)
LIMITS_ADDRESS = address(limits)
PROGRESS_ADDRESS = address(progress)
LOG_ADDRESS = address(log)


def install(solver, run):
    """The hooks of a run: always progress, which is where Ctrl-C is noticed."""
    solver("set_progress", PROGRESS_ADDRESS, run.number)
    if run.log is not None:
        solver("set_log", LOG_ADDRESS, run.number)

