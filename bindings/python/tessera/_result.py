"""What a run gives back.

SPDX-License-Identifier: BSD-3-Clause"""
import ctypes
import dataclasses
import functools
from ctypes import byref, c_double, c_int, c_int64
from typing import Any

import numpy as np

from ._constants import GRID, KEY
from ._library import Status, adapters, call, functions, meaning, plain
from ._options import METHOD_NAMES


class _Statistics:
    """Those of a kind, read in one call: integers from key 300 on, reals from 400."""

    def __init__(self, kind, of_kind, get, first):
        found = {name.lower(): key for name, key in KEY.items() if first <= key < first + 100}
        self.names, self.values, self.keys = tuple(found), kind * len(found), (c_int * len(found))(*found.values())
        self.one, self.get = functions[get], ctypes.cast(functions[get], ctypes.c_void_p)
        try:
            self.read = getattr(adapters(), "tessera_form_" + of_kind)
        except OSError:  # a library without them, which TESSERA_LIBRARY may name
            self.read = self._read
        else:
            self.read.restype, self.read.argtypes = None, [ctypes.c_void_p, ctypes.c_void_p, c_int, ctypes.c_void_p, ctypes.c_void_p]

    def _read(self, get, pointer, count, keys, values):
        value = self.values._type_()
        for i, key in enumerate(keys):
            values[i] = value.value if self.one(pointer, key, byref(value)) == 0 else 0

    def of(self, solver):
        values = self.values()
        self.read(self.get, solver.pointer, len(values), self.keys, values)
        return values[:]


@functools.cache
def _kinds():
    kinds = _Statistics(c_int64, "integers", "get_int", 300), _Statistics(c_double, "reals", "get_real", 400)
    names = kinds[0].names + kinds[1].names
    return kinds, names, {name: i for i, name in enumerate(names)}


class Facts:
    """All statistics of the last run that there are, as they stood. They get their names when somebody asks for all."""

    def __init__(self, solver):
        integers, reals = _kinds()[0]
        self.values, self.more = integers.of(solver) + reals.of(solver), {}

    def __getitem__(self, name):
        return self.values[_kinds()[2][name]]

    def named(self):
        return {**dict(zip(_kinds()[1], self.values)), **self.more}


# Limits at which the errors, as they then are, may meet SciPy's criterion, which is the weaker one where both tolerances are given.
_LIMITS = (Status.LIMIT_EVALUATIONS, Status.LIMIT_MEMORY, Status.LIMIT_TIME, Status.ROUNDOFF)


class Regions:
    """The regions of a cubature: len(regions) of them, and where they were kept (keep_regions=True) arrays with one row each.

    a, b: limits (n, ndim), on an infinite axis those of the mapped coordinate. estimate, error: (n, ...). axis: along which a
    region would be divided next (n,). records: as tessera_get_regions has them, to go on from."""

    def __init__(self, count, records=None, ndim=0, shape=(), is_complex=False):
        self.count, self._records, self._ndim, self._shape, self._complex = count, records, ndim, shape, is_complex

    def __len__(self):
        return self.count

    def __repr__(self):
        return f"<{self.count} regions{'' if self._records is not None else ', not kept'}>"

    @property
    def records(self):
        if self._records is None:
            raise ValueError("the regions were not kept: integrate(..., keep_regions=True), by cubature on the host")
        return self._records

    @property
    def a(self):
        return self.records[:, : self._ndim] - self.records[:, self._ndim : 2 * self._ndim]

    @property
    def b(self):
        return self.records[:, : self._ndim] + self.records[:, self._ndim : 2 * self._ndim]

    @property
    def estimate(self):
        return shaped(self._part(0), self._shape, self._complex)

    @property
    def error(self):
        return shaped_error(self._part(1), self._shape, self._complex)

    @property
    def axis(self):
        return self._part(2)[:, 0].astype(int)

    def _part(self, which):
        ncomp = (self.records.shape[1] - 2 * self._ndim - 2) // 3
        start = 2 * self._ndim + which * ncomp
        return self.records[:, start : start + ncomp]

    def __iter__(self):
        a, b, estimate, error = self.a, self.b, self.estimate, self.error
        return (Region(a[i], b[i], estimate[i], error[i]) for i in range(self.count))


@dataclasses.dataclass
class Region:
    """One of them, as SciPy has them."""

    a: Any
    b: Any
    estimate: Any
    error: Any


class ValueAndError:
    """A result whose value is its estimate too, and which can be taken apart as `value, error = result`."""

    @property
    def estimate(self):
        return self.value

    def __iter__(self):
        return iter((self.value, self.error))

    def __getitem__(self, index):
        return (self.value, self.error)[index]


@dataclasses.dataclass
class Result(ValueAndError):
    """The result of `integrate` and `quad`. `value, error = result` works as well.

    value, estimate: the integral, of the shape that f has at one point. error: an estimate of its absolute error, real, of the
    same shape. status: a member of `tessera.Status`. success: error <= atol + rtol*abs(value) everywhere, and nothing speaks
    against it. message: what the status means, and what happened. evaluations: of f. regions: of a cubature, see `Regions`.
    method: the one that gave the result. seconds: what the run took, in the library. history: (evaluations, value, error) of
    each step, where history=True. statistics: all that docs/options.md lists. rtol, atol: the tolerances."""

    value: Any
    error: Any
    status: Status
    success: bool
    evaluations: int
    regions: Regions
    message: str
    method: str
    seconds: float
    rtol: float
    atol: float
    _facts: Any = dataclasses.field(repr=False, compare=False)
    history: list = dataclasses.field(default_factory=list, repr=False)
    grid: Any = dataclasses.field(default=None, repr=False)
    state: Any = dataclasses.field(default=None, repr=False)
    domain: Any = dataclasses.field(default=None, repr=False)

    @functools.cached_property
    def statistics(self):
        return self._facts.named()

    @property
    def subdivisions(self):
        return max(0, len(self.regions) - 1)

    def short(self):
        return f"{self.value} +- {self.error} after {self.evaluations} evaluations"

    def __str__(self):
        return f"{self.value} +- {np.array2string(np.asarray(self.error), precision=1)}, {self.message} ({self.evaluations} evaluations, {self.method}, {self.seconds:.2g} s)"

    def plot(self, what=None, axes=None):
        """Draws the regions (what='regions', two variables, keep_regions=True), the convergence ('convergence', history=True)
        or both, whichever there are; takes matplotlib. Returns the axes."""
        from ._plot import plot

        return plot(self, what, axes)


def shaped(flat, shape, is_complex):
    """Components (..., ncomp) as values (..., *shape)."""
    if flat.size == 1 and flat.ndim == 1 and not shape:
        return flat[0]
    flat = np.ascontiguousarray(flat)
    if is_complex:
        flat = flat.view(complex)
    flat = flat.reshape(flat.shape[:-1] + tuple(shape))
    return flat[()]


def shaped_error(flat, shape, is_complex):
    """Errors in the same way; that of a complex value is the modulus of those of its parts."""
    if flat.size == 1 and flat.ndim == 1 and not shape:
        return flat[0]
    flat = np.ascontiguousarray(flat)
    if is_complex:
        flat = np.hypot(flat[..., 0::2], flat[..., 1::2])
    return flat.reshape(flat.shape[:-1] + tuple(shape))[()]


def judged(status, value, error, rtol, atol, text):
    """Status, success and message: SciPy's criterion where a limit ended the run."""
    status = Status(status)
    message = meaning(status)
    if status in _LIMITS and atol > 0 and rtol > 0 and _is_met(value, error, rtol, atol):
        message = f"{meaning(Status.OK)} (error <= atol + rtol*|value|); {message}"
        return Status.OK, True, message
    if status > 0 and text:
        message = plain(text)
    if status == Status.NONFINITE and " at x = " in message:
        message += " (such points may count as 0: nonfinite_policy='zero')"
    return status, status == Status.OK, message


def _is_met(value, error, rtol, atol):
    with np.errstate(invalid="ignore"):
        return bool(np.all(error <= atol + rtol * np.abs(value)))


def collect(solver, setting, status, flat_value, flat_error, history):
    """The result of a run of one integral."""
    shape, is_complex = setting.shape, setting.complex
    value, error = shaped(flat_value, shape, is_complex), shaped_error(flat_error, shape, is_complex)
    status, success, message = judged(status, value, error, setting.rtol, setting.atol, solver.last_error() if status else "")
    facts = Facts(solver)
    method = METHOD_NAMES.get(facts["method_used"], METHOD_NAMES.get(setting.method, str(setting.method)))
    records = kept_records(solver, setting) if setting.keep_regions and method == "cubature" else None
    regions = Regions(facts["regions"] if records is None else len(records), records, setting.domain.ndim, shape, is_complex)
    if method == "montecarlo":
        facts.more["chi2_components"] = chi2(solver, flat_value.size)
    return Result(value, error, status, success, facts["evaluations"], regions, message, method, facts["seconds"], setting.rtol, setting.atol,
                  facts, history, grid(solver, setting.domain.ndim) if method == "montecarlo" else None,
                  state(solver) if setting.keep_state else None, setting.domain)


def kept_records(solver, setting):
    ncomp = setting.ncomp
    count = c_int64()

    if call("get_regions", solver.pointer, 0, 0, None, byref(count)) != 0:
        return None
    records = np.empty((count.value, 2 * setting.domain.ndim + 3 * ncomp + 2))
    solver("get_regions", 0, count.value, records.ctypes.data, None)
    return records


def grid(solver, ndim):
    """The grid of VEGAS (ndim, 129), or None."""

    edges = np.empty((ndim, GRID["GRID_EDGES"]))
    return edges if call("get_grid", solver.pointer, edges.ctypes.data) == 0 else None


def chi2(solver, ncomp):

    out = np.empty(ncomp)
    return out if call("get_chi2", solver.pointer, out.ctypes.data) == 0 else None


def state(solver):

    count = c_int64()
    if call("get_state", solver.pointer, 0, None, byref(count)) != 0:
        return None
    out = np.empty(count.value)
    solver("get_state", count.value, out.ctypes.data, None)
    return out
