"""Points that become corners of regions, as those of SciPy's cubature.

SPDX-License-Identifier: BSD-3-Clause"""
import itertools

import numpy as np

from ._constants import KEY, METHOD
from ._library import Status, call, raise_for


def split(lower, upper, points):
    """The box cut at each of the points that lie inside of a piece: a list of (lower, upper)."""
    boxes = [(lower, upper)]
    for point in points:
        cut = []
        for low, high in boxes:
            if not (np.all(low <= point) and np.all(point <= high)):
                cut.append((low, high))
                continue
            sides = [[(l, p), (p, h)] if l < p < h else [(l, h)] for l, p, h in zip(low, point, high)]
            for choice in itertools.product(*sides):
                cut.append(tuple(np.array(end) for end in zip(*choice)))
        boxes = cut
    return boxes


def seed_regions(solver, setting, points):
    """The next run of cubature begins with boxes that have corners at the points. Returns None, or the status with which f ended it."""
    domain = setting.domain
    low, high = np.minimum(domain.lower, domain.upper), np.maximum(domain.lower, domain.upper)
    if not (np.all(np.isfinite(low)) and np.all(np.isfinite(high))) or domain.functions:
        raise ValueError("points in several variables need limits that are finite numbers")
    if setting.device != -1:
        raise ValueError("points in several variables are for the host")
    if not np.all((points >= low) & (points <= high)):
        raise ValueError("points must lie between the limits")
    boxes = split(low, high, points)
    maxeval, keep, initial = (solver.integer(KEY[name]) for name in ("MAXEVAL", "KEEP_REGIONS", "INITIAL_REGIONS"))
    records = np.empty((len(boxes), 2 * domain.ndim + 3 * setting.ncomp + 2))
    evaluations = 0
    for name, value in (("MAXEVAL", 1), ("KEEP_REGIONS", 1), ("INITIAL_REGIONS", 1), ("SPARSE", 1)):
        solver("set_int", KEY[name], value)
    value, error = np.empty(setting.ncomp), np.empty(setting.ncomp)
    for record, (lower, upper) in zip(records, boxes):
        solver("set_domain", lower.ctypes.data, upper.ctypes.data)
        status = call("integrate", solver.pointer, METHOD["CUBATURE"], value.ctypes.data, error.ctypes.data)
        if status < 0 or status not in (Status.OK, Status.LIMIT_EVALUATIONS, Status.ROUNDOFF, Status.ALL_ZERO):
            if status < 0 and status != Status.ERR_CALLBACK:
                raise_for(status, solver.last_error())
            return status
        evaluations += solver.integer(KEY["EVALUATIONS"])
        solver("get_regions", 0, 1, record.ctypes.data, None)
    for name, value in (("MAXEVAL", maxeval), ("KEEP_REGIONS", keep), ("INITIAL_REGIONS", initial)):
        solver("set_int", KEY[name], value)
    solver("set_domain", domain.lower.ctypes.data, domain.upper.ctypes.data)
    solver("set_regions", len(records), records.ctypes.data, evaluations)
    return None
