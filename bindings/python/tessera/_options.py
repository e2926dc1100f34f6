"""Options and methods by their names: what docs/options.md calls TESSERA_MAX_SECONDS is the keyword max_seconds.

SPDX-License-Identifier: BSD-3-Clause"""
import difflib
import enum
import numbers

from . import _constants
from ._constants import KEY

METHODS = {name.lower(): value for name, value in _constants.METHOD.items()}
METHOD_NAMES = {value: name for name, value in METHODS.items()}
METHODS["vegas"] = METHODS["montecarlo"]  # with the sampling that has this name

# Options whose values have names. TESSERA_RULE_GM7 is "gm7"; what SciPy calls a rule is understood too.
_NAMED = {
    "rule": _constants.RULE,
    "selection": _constants.SELECTION,
    "splitting": _constants.SPLITTING,
    "estimate": _constants.ESTIMATE,
    "priority": _constants.PRIORITY,
    "weight": _constants.WEIGHT,
    "transform": _constants.TRANSFORM,
    "sparse": _constants.SPARSE,
    "sampling": _constants.SAMPLING,
    "generator": _constants.GENERATOR,
    "nonfinite_policy": _constants.NONFINITE_POLICY,
}
_PREFIX = {"selection": "SELECT", "splitting": "SPLIT", "nonfinite_policy": "NONFINITE"}
_SCIPY_RULES = {"genz-malik": "gm7", "gk15": "kronrod15", "gk21": "kronrod21"}
# Options that are arguments of their own.
_TAKEN = {"RELTOL", "ABSTOL", "THREADS", "DEVICE", "COMPLEX", "KEEP_REGIONS", "KEEP_GRID", "SHARED_CALLS", "WEIGHTS", "COMPLEMENT", "GATHER",
          "POINTS", "KEEP_STATE"}
_ALIAS = {"start_points": "POINTS"}  # points are something else here

OPTIONS = sorted([name.lower() for name, key in KEY.items() if key < 300 and name not in _TAKEN] + list(_ALIAS))


def method_number(method):
    """The number of a method, from its name, its number or a member of an enumeration."""
    if isinstance(method, str):
        if method.lower() not in METHODS:
            raise ValueError(f"there is no method {method!r}: {', '.join(METHODS)}")
        return METHODS[method.lower()]
    return int(method)


def _value(name, value, ndim):
    if isinstance(value, enum.Enum):
        value = value.value
    if not isinstance(value, str):
        return value
    if name not in _NAMED:
        raise ValueError(f"{name} takes a number, not {value!r}")
    prefix = _PREFIX.get(name, name.upper()) + "_"
    known = {key.removeprefix(prefix).lower(): number for key, number in _NAMED[name].items()}
    wanted = value.lower()
    if name == "rule" and wanted in _SCIPY_RULES:
        if (wanted == "genz-malik") != (ndim > 1):
            return known["auto"]  # in several variables SciPy's gk21 is a product rule, for which there is none here
        wanted = _SCIPY_RULES[wanted]
    if wanted not in known:
        raise ValueError(f"there is no {name} {value!r}: {', '.join(known)}")
    return known[wanted]


# What others call it.
_ELSEWHERE = {"epsabs": "atol", "abs_tol": "atol", "epsrel": "rtol", "rel_tol": "rtol", "limit": "maxeval", "max_subdivisions": "maxeval", "neval": "maxeval", "n": "maxeval", "maxpts": "maxeval", "maxiter": "maxeval",
              "nitn": "maxeval", "n_jobs": "workers", "threads": "workers"}


def set_option(solver, name, value, ndim):
    """One option, by the name of its keyword."""
    key = KEY.get(_ALIAS.get(name, name.upper()))
    if key is None or name not in OPTIONS:
        meant = _ELSEWHERE.get(name) or next(iter(difflib.get_close_matches(name, [*OPTIONS, "rtol", "atol", "workers", "device", "method"], 1)), None)
        raise TypeError(f"there is no argument or option {name!r}{f', did you mean {meant!r}?' if meant else ''}; options: {', '.join(OPTIONS)}")
    value = _value(name, value, ndim)
    if key >= 200:
        if not isinstance(value, numbers.Real):
            raise TypeError(f"{name} takes a number, not {value!r}")
        solver("set_real", key, float(value))
    else:
        if not isinstance(value, numbers.Real) or int(value) != value:
            raise TypeError(f"{name} takes an integer, not {value!r}")
        if not -(2**63) <= int(value) < 2**63:
            raise ValueError(f"{name} is beyond 64 bits")
        solver("set_int", key, int(value))


def set_options(solver, options, ndim):
    for name, value in options.items():
        if value is not None:
            set_option(solver, name, value, ndim)


def device_number(device):
    """-1 host, -2 a GPU if there is one, 0 and above the number of a GPU."""
    if device is None:
        return -1
    if isinstance(device, str):
        name, _, number = device.lower().partition(":")
        if name in ("cpu", "host") and not number:
            return -1
        if name in ("auto", "any") and not number:
            return -2
        if name in ("cuda", "gpu") and (number.isdecimal() or not number):
            return int(number or 0)
        raise ValueError(f"there is no device {device!r}: 'cpu', 'auto', 'cuda', 'cuda:1', or a number")
    return int(device)
