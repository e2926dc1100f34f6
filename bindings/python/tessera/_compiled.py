"""Compiled functions: ctypes and cffi pointers, SciPy's LowLevelCallable, numba's cfunc and jitted functions, source texts.

They are called by the library itself: no Python is in the loop. SPDX-License-Identifier: BSD-3-Clause"""
import ctypes
import os
import re
import sys

import numpy as np

from . import _library
from ._constants import LANGUAGE
from ._function import as_shape

# How a signature is written here: the result, then the arguments; d double, i int, u unsigned, l 64-bit integer, p pointer.
_FORMS = {
    "i(ipipp)": "tessera_integrand1",
    "i(lipliplp)": "tessera_integrand",
    "d(ip)": "count_point",
    "d(ipp)": "count_point_data",
    "d(p)": "point",
    "d(pp)": "point_data",
    "d(dp)": "number_data",
    "i(uppup)": "hcubature",
    "i(ppppp)": "cuba",
}
_NATIVE = ("tessera_integrand1", "tessera_integrand")


class Compiled:
    """A compiled function, see `tessera.compiled`."""

    def __init__(self, address, form, shape=(), dtype=float, userdata=None, keep=None):
        self.address, self.form, self.keep = address, form, keep
        self.shape = as_shape(shape)
        self.complex = np.dtype(dtype).kind == "c"
        self.userdata = userdata or None
        self.size = int(np.prod(self.shape, dtype=int))
        if self.form not in (*_FORMS.values(), "coordinates"):
            raise ValueError(f"there is no form {form!r}: {', '.join((*_FORMS.values(), 'coordinates'))}")

    @property
    def native(self):
        """Does the library know this form itself, and hand the parameter block on?"""
        return self.form in _NATIVE

    def install(self, solver):
        if self.form == "tessera_integrand":
            solver("set_integrand", self.address, self.userdata)
        elif self.form == "tessera_integrand1":
            solver("set_integrand1", self.address, self.userdata)
        else:
            self.record = (ctypes.c_void_p * 2)(self.address, self.userdata)
            solver("set_integrand1", ctypes.cast(getattr(_library.adapters(), "tessera_form_" + self.form), ctypes.c_void_p).value, ctypes.addressof(self.record))


class Source:
    """A source text, see `tessera.source`."""

    def __init__(self, text, function, language, shape, dtype, is_file):
        self.text, self.function, self.language, self.is_file = text, function, language, is_file
        self.shape = as_shape(shape)
        self.complex = np.dtype(dtype).kind == "c"
        self.size = int(np.prod(self.shape, dtype=int))
        self.native = True

    def install(self, solver):
        solver("set_integrand_file" if self.is_file else "set_integrand_source", self.language, os.fsencode(self.text), self.function.encode())


def source(text, function="f", language="c", *, shape=(), dtype=float, file=False) -> Source:
    """An integrand as source text in C, CUDA C++ or Fortran, compiled by the library when it is first needed.

    text: the text, or with file=True the path of a file. function: the name of the function in it. language: 'c', 'cuda',
    'fortran', 'fortran_fixed' or 'cuba'; docs/gpu.md says which forms the function may have. shape, dtype: of the value at
    one point. On the host a text takes the system's compiler, on a device (device=0) NVIDIA's NVRTC. `args` of `integrate`
    reach it as an array of double, the parameter block."""
    languages = {name.removeprefix("LANGUAGE_").lower(): number for name, number in LANGUAGE.items()}
    if language.lower() not in languages:
        raise ValueError(f"there is no language {language!r}: {', '.join(languages)}")
    return Source(os.fspath(text), function, languages[language.lower()], shape, dtype, file)


def compiled(function, form=None, *, shape=(), dtype=float, userdata=None) -> Compiled:
    """A compiled function as an integrand, where `integrate` cannot find out its form by itself.

    function: its address (a number), or a pointer of ctypes or cffi, SciPy's LowLevelCallable, numba's cfunc. form:
    'tessera_integrand1' int f(int ndim, const double *x, int ncomp, double *f, void *userdata), 'tessera_integrand' the
    same for many points (tessera.h), 'count_point' double f(int ndim, const double *x), 'point' double f(const double *x),
    both with _data for a last argument void *userdata, 'coordinates' double f(double, double, ...), 'number_data'
    double f(double, void *), 'hcubature' that of S. G. Johnson's cubature, 'cuba' that of Cuba. shape, dtype: of the value
    at one point. userdata: an address."""
    if isinstance(function, int):
        if form is None:
            raise ValueError("an address needs its form")
        return Compiled(function, form, shape, dtype, userdata)
    found = recognise(function, shape, dtype)
    if found is None:
        raise TypeError(f"{type(function).__name__} is no compiled function")
    if form is not None:
        found.form = form
    found.userdata = userdata or found.userdata
    return found


def recognise(f, shape=(), dtype=float):
    """A Compiled where f is one, else None."""
    shape, dtype = () if shape is None else shape, float if dtype is None else dtype
    if isinstance(f, ctypes._CFuncPtr):
        return _of_signature(ctypes.cast(f, ctypes.c_void_p).value, _ctypes_signature(f), shape, dtype, None, f)
    module = type(f).__module__.partition(".")[0]
    if module == "numba" and hasattr(f, "address") and hasattr(f, "_sig"):
        return _of_signature(f.address, _numba_signature(f._sig), shape, dtype, None, f)
    if module == "scipy" and type(f).__name__ == "LowLevelCallable":
        return _low_level_callable(f, shape, dtype)
    if "_cffi_backend" in sys.modules and isinstance(f, sys.modules["_cffi_backend"].FFI.CData):
        ffi = sys.modules["_cffi_backend"].FFI()
        return _of_signature(int(ffi.cast("intptr_t", f)), _text_signature(re.sub(r"\(\*\)", "", ffi.typeof(f).cname)), shape, dtype, None, f)
    return None


def _of_signature(address, signature, shape, dtype, userdata, keep):
    form = _FORMS.get(signature)
    if re.fullmatch(r"d\(d{1,6}\)", signature):
        form = "coordinates"
    if form is None:
        raise TypeError(f"a compiled function of the form {signature} (d double, i int, u unsigned, l 64 bits, p pointer) is no integrand; forms: "
                        f"{', '.join(_FORMS)}, d(d), d(dd) ...; see tessera.compiled")
    if form not in (*_NATIVE, "hcubature", "cuba") and (as_shape(shape) != () or np.dtype(dtype).kind == "c"):
        raise ValueError(f"a function of the form {signature} has one real value")
    return Compiled(address, form, shape, dtype, userdata, keep)


def _ctypes_signature(f):
    if f.argtypes is None or f.restype is None:
        raise TypeError("set argtypes and restype of the ctypes function, or name its form by tessera.compiled")

    def letter(one):
        for kind, name in ((ctypes.c_double, "d"), (ctypes.c_int, "i"), (ctypes.c_uint, "u"), (ctypes.c_int64, "l")):
            if one is kind:
                return name
        return "p" if one in (ctypes.c_void_p, ctypes.py_object) or hasattr(one, "contents") or hasattr(one, "_ndim_") else "?"

    return letter(f.restype) + "(" + "".join(map(letter, f.argtypes)) + ")"


def _numba_signature(signature):
    def letter(one):
        name = str(one)
        return {"float64": "d", "int32": "i", "uint32": "u", "int64": "l"}.get(name, "p" if name.endswith("*") else "?")

    return letter(signature.return_type) + "(" + "".join(map(letter, signature.args)) + ")"


def _text_signature(text):
    """That of C text: double (int, double *, void *)."""

    def letter(one):
        if "*" in one or "[" in one:
            return "p"
        words = " ".join(word for word in one.split() if word != "const")
        return {"double": "d", "int": "i", "unsigned int": "u", "unsigned": "u", "long": "l", "int64_t": "l", "long long": "l"}.get(words, "?")

    result, _, arguments = text.partition("(")
    return letter(result.strip()) + "(" + "".join(letter(one.strip()) for one in arguments.rstrip(") ").split(",") if one.strip()) + ")"


def _low_level_callable(f, shape, dtype):
    """The pointer lies in a capsule, whose name is the signature and whose context the user data."""
    api = ctypes.pythonapi
    for name, result, arguments in (
        ("PyCapsule_GetName", ctypes.c_char_p, [ctypes.py_object]),
        ("PyCapsule_GetPointer", ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]),
        ("PyCapsule_GetContext", ctypes.c_void_p, [ctypes.py_object]),
    ):
        getattr(api, name).restype, getattr(api, name).argtypes = result, arguments
    capsule = tuple.__getitem__(f, 0)
    name = api.PyCapsule_GetName(capsule)
    signature = _text_signature((f.signature or name.decode()))
    return _of_signature(api.PyCapsule_GetPointer(capsule, name), signature, shape, dtype, api.PyCapsule_GetContext(capsule), f)
