"""The C library: where it lies, its functions as ctypes sees them, its statuses as exceptions.

SPDX-License-Identifier: BSD-3-Clause"""
import ctypes
import enum
import functools
import os
import pathlib
import re
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p

from . import _constants

Status = enum.IntEnum("Status", _constants.STATUS)
Status.__doc__ = "How a run ended, see docs/options.md: 0 the tolerance is met, > 0 why it ended before, < 0 no result."

INTEGRAND = ctypes.CFUNCTYPE(c_int, c_int64, c_int, c_void_p, c_int64, c_int, c_void_p, c_int64, c_void_p)
INTEGRAND1 = ctypes.CFUNCTYPE(c_int, c_int, c_void_p, c_int, c_void_p, c_void_p)
DEVICE_INTEGRAND = ctypes.CFUNCTYPE(c_int, c_int64, c_int, c_void_p, c_int64, c_int, c_void_p, c_int64, c_void_p, c_void_p)
LIMITS = ctypes.CFUNCTYPE(c_int, c_int, c_int, c_void_p, POINTER(c_double), POINTER(c_double), c_void_p)
PROGRESS = ctypes.CFUNCTYPE(c_int, c_int64, c_int, c_void_p, c_void_p, c_int64, c_void_p)
LATTICE_PROGRESS = ctypes.CFUNCTYPE(c_int, c_int64, c_int64, c_void_p)
LOG = ctypes.CFUNCTYPE(None, c_int, c_char_p, c_void_p)

# name: result, arguments. Addresses of arrays and functions are numbers.
_P, _I, _L, _D, _S = c_void_p, c_int, c_int64, c_double, c_char_p
_FUNCTIONS = {
    "version": (_I, []),
    "version_string": (_S, []),
    "create": (_I, [POINTER(_P), _I, _I]),
    "destroy": (None, [_P]),
    "last_error": (_S, [_P]),
    "status_string": (_S, [_I]),
    "set_domain": (_I, [_P, _P, _P]),
    "set_limits": (_I, [_P, _I, _P, _P]),
    "set_breakpoints": (_I, [_P, _I, _P]),
    "set_simplex": (_I, [_P, _I, _P]),
    "set_integrand": (_I, [_P, _P, _P]),
    "set_integrand1": (_I, [_P, _P, _P]),
    "set_integrand_source": (_I, [_P, _I, _S, _S]),
    "set_integrand_file": (_I, [_P, _I, _S, _S]),
    "set_integrand_code": (_I, [_P, _I, _P, c_size_t, _S]),
    "set_integrand_device": (_I, [_P, _P, _P]),
    "set_params": (_I, [_P, _P, c_size_t]),
    "set_int": (_I, [_P, _I, _L]),
    "set_real": (_I, [_P, _I, _D]),
    "get_int": (_I, [_P, _I, POINTER(_L)]),
    "get_real": (_I, [_P, _I, POINTER(_D)]),
    "set_progress": (_I, [_P, _P, _P]),
    "set_log": (_I, [_P, _P, _P]),
    "set_stream": (_I, [_P, _P]),
    "integrate": (_I, [_P, _I, _P, _P]),
    "evaluate": (_I, [_P, _L, _P, _P]),
    "integrate_many": (_I, [_P, _I, _L, _P, c_size_t, _P, _P, _P, _P, _P]),
    "get_regions": (_I, [_P, _L, _L, _P, POINTER(_L)]),
    "set_regions": (_I, [_P, _L, _P, _L]),
    "set_lattice": (_I, [_P, _P]),
    "get_chi2": (_I, [_P, _P]),
    "save_grid": (_I, [_P, _S]),
    "load_grid": (_I, [_P, _S]),
    "get_grid": (_I, [_P, _P]),
    "set_grid": (_I, [_P, _P]),
    "get_state": (_I, [_P, _L, _P, POINTER(_L)]),
    "set_state": (_I, [_P, _L, _P]),
    "lattice_create": (_I, [POINTER(_P), _I]),
    "lattice_destroy": (None, [_P]),
    "lattice_last_error": (_S, [_P]),
    "lattice_set_weights": (_I, [_P, _P, _I, _P]),
    "lattice_set_kernel": (_I, [_P, _I, _P, _L]),
    "lattice_set_int": (_I, [_P, _I, _L]),
    "lattice_get_int": (_I, [_P, _I, POINTER(_L)]),
    "lattice_get_real": (_I, [_P, _I, POINTER(_D)]),
    "lattice_set_progress": (_I, [_P, _P, _P]),
    "lattice_construct": (_I, [_P, _L]),
    "lattice_korobov": (_I, [_P, _L, _L]),
    "lattice_vector": (_I, [_P, _L, _P]),
    "lattice_builtin": (_I, [_P]),
    "lattice_get_vector": (_I, [_P, _P]),
    "lattice_save": (_I, [_P, _S]),
    "lattice_load": (_I, [_P, _S]),
}


class Error(RuntimeError):
    """A run that has no result. `status` is a member of `tessera.Status`, below 0."""

    status = None


class ArgumentError(Error, ValueError):
    """An argument or an option that cannot be."""


class OutOfMemory(Error, MemoryError):
    """There is not enough memory to start."""


_KINDS = {
    Status.ERR_ARGUMENT: ArgumentError,
    Status.ERR_KEY: ArgumentError,
    Status.ERR_TYPE: ArgumentError,
    Status.ERR_RANGE: ArgumentError,
    Status.ERR_UNSUPPORTED: ArgumentError,
    Status.ERR_MEMORY: OutOfMemory,
}


def _open():
    """libtessera.so in the folder lib of this package; TESSERA_LIBRARY in the environment names another one."""
    here = pathlib.Path(__file__).parent / "lib"
    named = os.environ.get("TESSERA_LIBRARY")
    names = [named] if named else [str(p) for p in sorted(here.glob("libtessera.*"))] or ["libtessera.so.0"]
    library = ctypes.CDLL(names[0])
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, "tessera_" + name)
        function.restype, function.argtypes = result, arguments
    return library


def beside(name):
    """A file that lies in the folder lib of this package, or else beside the library that is open, or where that one has its plug-ins."""
    there = pathlib.Path(_path_of(library)).resolve().parent
    places = [pathlib.Path(__file__).parent / "lib", there, there / "tessera"]
    return str(next((place / name for place in places if (place / name).exists()), there / name))


class _Found(ctypes.Structure):
    """Dl_info of <dlfcn.h>."""

    _fields_ = [("path", _S), ("base", _P), ("symbol", _S), ("address", _P)]


def _path_of(library):
    """The file of a library that is open: the loader knows it, also where /proc is not there."""
    found = _Found()
    try:
        known = ctypes.CDLL(None).dladdr(ctypes.cast(library.tessera_version, _P), byref(found))
    except AttributeError:  # a system without dladdr
        known = 0
    return os.fsdecode(found.path) if known and found.path else library._name


library = _open()
functions = {name: getattr(library, "tessera_" + name) for name in _FUNCTIONS}


_adapters = None


def adapters():
    """The compiled code of this module, in a library of its own beside the other one."""
    global _adapters
    if _adapters is None:
        _adapters = ctypes.CDLL(beside("libtessera_forms.so"))
    return _adapters


def address_of(array):
    """Where the entries of a contiguous array that may be written lie."""
    return ctypes.addressof(ctypes.c_char.from_buffer(array))


def call(name, *arguments):
    """tessera_<name>; its result."""
    return functions[name](*arguments)


@functools.cache
def meaning(status):
    """What a status means, in words."""
    return call("status_string", int(status)).decode().partition(": ")[2]


def plain(message):
    """A message of the library's without the name of the status, and with options as they are called here."""
    message = re.sub(r"^TESSERA_\w+: ", "", message)
    return re.sub(r"\bTESSERA_([A-Z_]+)\b", lambda found: found[1].lower() if found[1] in _constants.KEY else found[0], message)


def raise_for(status, message):
    kind = _KINDS.get(status, Error)
    error = kind(plain(message) or meaning(status))
    error.status = Status(status) if status in Status._value2member_map_ else status
    raise error


class Handle:
    """An object of the library: its calls raise where the status is negative."""

    kind = ""

    def __init__(self, *arguments):
        self.pointer = c_void_p()
        status = call(self.kind + "create", byref(self.pointer), *arguments)
        if status < 0:
            raise_for(status, "")

    def __del__(self, functions=functions):
        pointer, self.pointer = getattr(self, "pointer", None), None
        if pointer:
            functions[self.kind + "destroy"](pointer)

    def last_error(self):
        return call(self.kind + "last_error", self.pointer).decode(errors="replace")

    def __call__(self, name, *arguments):
        status = functions[self.kind + name](self.pointer, *arguments)
        if status < 0:
            raise_for(status, self.last_error())
        return status

    def integer(self, key):
        value = c_int64()
        self("get_int", key, byref(value))
        return value.value

    def real(self, key):
        value = c_double()
        self("get_real", key, byref(value))
        return value.value


class Solver(Handle):
    """tessera_solver."""


def version() -> str:
    """The version of the library in use."""
    return call("version_string").decode()
