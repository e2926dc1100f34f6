"""Integrands on CUDA devices: functions of CuPy and torch on arrays in the device's memory, device functions of numba-cuda.

SPDX-License-Identifier: BSD-3-Clause"""
import ctypes
import functools
import inspect
import os
import sys
import types

import numpy as np

from . import _dlpack
from ._constants import CODE
from ._function import as_shape, wants_coordinates
from ._library import DEVICE_INTEGRAND


def framework(f):
    """'torch' or 'cupy', whichever the text of f speaks of, else None."""
    bases = {c.__module__.partition(".")[0] for c in type(f).__mro__}
    if "torch" in bases:
        return "torch"
    plain = inspect.unwrap(f) if callable(f) else f
    plain = getattr(plain, "func", plain)  # functools.partial
    code = getattr(plain, "__code__", None)
    if code is None:
        return None
    known = dict(getattr(plain, "__globals__", {}))
    known.update((name, cell.cell_contents) for name, cell in zip(code.co_freevars, plain.__closure__ or ()) if _is_filled(cell))
    for name in (*code.co_names, *code.co_freevars):
        found = known.get(name)
        root = found.__name__.partition(".")[0] if isinstance(found, types.ModuleType) else getattr(found, "__module__", None) or ""
        if root.partition(".")[0] in ("torch", "cupy"):
            return root.partition(".")[0]
    return None


def _is_filled(cell):
    try:
        cell.cell_contents
    except ValueError:
        return False
    return True


def recognise(f, domain, args, shape, dtype, device):
    """f as something that runs on the device, or None: then the library says what it needs."""
    if type(f).__name__ == "CUDADispatcher":
        return NumbaDevice(f, domain, args, shape, dtype)
    if not callable(f):
        return None
    if type(f).__module__.partition(".")[0] in ("numba", "scipy", "ctypes"):
        if device == -2:
            return None
        raise TypeError("a function compiled for the host cannot run on a device: give a source text (tessera.source), a function of numba.cuda.jit(device=True), "
                        "or one that computes with CuPy or torch")
    name = framework(f)
    if name is None:
        if device == -2:
            return None
        raise TypeError("a function in Python runs on a device where it computes with CuPy or torch, or is a device function of numba.cuda; this one does "
                        "not show which: import cupy or torch under its own name in its module, or give a source text (tessera.source)")
    if device == -2 and not __import__(name).cuda.is_available():
        return None
    return DeviceFunction(f, name, domain, args, max(device, 0), shape, dtype)


class DeviceFunction:
    """A function of CuPy or torch that computes on the device, on the library's stream: x (npoints, ndim) to (npoints, ...)."""

    native = False

    def __init__(self, f, name, domain, args, device, shape=None, dtype=None):
        self.f, self.name, self.args, self.device = f, name, args, device
        self.module = __import__(name)
        self.coordinates = not domain.scalar and wants_coordinates(f, domain.ndim, len(args))
        self.scalar = domain.scalar
        if domain.functions:
            raise ValueError("limits that are functions of Python are for the host")
        if shape is None or dtype is None:
            values = self.at_points(domain.points(5))
            shape = tuple(values.shape[1:]) if shape is None else shape
            dtype = complex if self.is_complex(values) else float
        self.shape, self.complex = as_shape(shape), np.dtype(dtype).kind == "c"
        self.size = int(np.prod(self.shape, dtype=int))
        self.failure = None

    def at_points(self, points):
        if self.name == "torch":
            values = self.called(self.module.as_tensor(points, device=f"cuda:{self.device}"))
        else:
            with self.module.cuda.Device(self.device):
                values = self.called(self.module.asarray(points))
        if values.ndim < 1 or values.shape[0] != len(points):
            raise ValueError(f"f returned an array of shape {tuple(values.shape)} for {len(points)} points: the first number must be that of the points")
        return values

    def is_complex(self, values):
        return values.is_complex() if self.name == "torch" else values.dtype.kind == "c"

    def called(self, x):
        if self.name == "torch":
            with self.module.no_grad():
                return self._called(x)
        return self._called(x)

    def _called(self, x):
        if self.scalar:
            return self.f(x[:, 0], *self.args)
        if self.coordinates:
            return self.f(*(x[:, j] for j in range(x.shape[1])), *self.args)
        return self.f(x, *self.args)

    def stream(self, pointer):
        """The library's stream, as the current one of the package."""
        cuda = self.module.cuda
        if self.name == "torch":
            return cuda.stream(cuda.ExternalStream(pointer or 0, device=self.device))
        return cuda.ExternalStream(pointer or 0, self.device)

    def fill(self, x, out):
        """out (npoints, ncomp) from x (npoints, ndim), both on the device."""
        values = self.called(x)
        if tuple(values.shape) != (x.shape[0], *self.shape):
            raise ValueError(f"f returned an array of shape {tuple(values.shape)} for {x.shape[0]} points, and {(x.shape[0], *self.shape)} was expected")
        values = values.reshape(x.shape[0], self.size)
        if self.complex:
            out[:, 0::2], out[:, 1::2] = values.real, values.imag
        else:
            out[:] = values

    def install(self, solver):
        from_dlpack = self.module.from_dlpack
        place = (_dlpack.CUDA, self.device)

        def integrand(n, ndim, x, ldx, ncomp, f, ldf, stream, userdata):
            try:
                with self.stream(stream):
                    self.fill(from_dlpack(_dlpack.Array(x, (n, ndim), (1, ldx), place)), from_dlpack(_dlpack.Array(f, (n, ncomp), (1, ldf), place)))
            except BaseException as error:
                if self.failure is None:
                    self.failure = error
                return 1
            return 0

        self.callback = DEVICE_INTEGRAND(integrand)
        solver("set_integrand_device", ctypes.cast(self.callback, ctypes.c_void_p).value, None)


class NumbaDevice:
    """A device function of numba.cuda, as LTO-IR that is inlined into the library's kernels."""

    native = True

    def __init__(self, f, domain, args, shape, dtype):
        self.shape, self.complex = as_shape(() if shape is None else shape), np.dtype(dtype or float).kind == "c"
        self.size = int(np.prod(self.shape, dtype=int))
        if args:
            raise ValueError("args of a device function of numba: let it know them as constants")
        self.code = self.compiled(f, domain)

    def compiled(self, f, domain):
        from numba import cuda, types

        double = types.CPointer(types.float64)
        capability = cuda.get_current_device().compute_capability
        known = vars(f).setdefault("_tessera_codes", {})  # with the function, and as long as it
        key = (domain.ndim, domain.scalar, self.shape, self.complex, tuple(capability))
        if key in known:
            return known[key]
        code, _ = cuda.compile(self.point(f, domain), types.void(double, double, types.CPointer(types.uint8)), device=True, cc=capability, abi="c",
                               abi_info={"abi_name": "tessera_numba"}, output="ltoir")
        known[key] = bytes(code)
        return known[key]

    def point(self, f, domain):
        """void tessera_numba(const double *x, double *out, const void *params) around f."""
        if domain.scalar:
            call = "f(x[0])"
        elif wants_coordinates(f.py_func, domain.ndim, 0):
            call = f"f({', '.join(f'x[{j}]' for j in range(domain.ndim))})"
        else:
            call = "f(x)"
        indices = ["v"] if self.shape == () else [f"v[{i}]" for i in range(self.size)]
        lines = [f"out[{2 * i}] = {one}.real; out[{2 * i + 1}] = {one}.imag" if self.complex else f"out[{i}] = {one}" for i, one in enumerate(indices)]
        scope = {"f": f}
        exec("def tessera_numba(x, out, params):\n    v = " + call + "\n    " + "\n    ".join(lines), scope)
        return scope["tessera_numba"]

    def install(self, solver):
        solver("set_integrand_code", CODE["CODE_LTOIR"], self.code, len(self.code), b"tessera_numba")


def on_host(f):
    """f as a function of NumPy arrays: one that computes with torch receives tensors that share their memory."""
    if "torch" not in sys.modules or framework(f) != "torch":
        return f
    torch = sys.modules["torch"]

    @functools.wraps(f, updated=())
    def with_tensors(*values):
        values = [torch.from_numpy(v) if isinstance(v, np.ndarray) else v for v in values]
        with torch.no_grad():
            found = f(*values)
        return found.cpu().numpy() if isinstance(found, torch.Tensor) else found

    return with_tensors


def find_toolkit():
    """Opens the libraries of CUDA's toolkit that NVIDIA's wheels have brought, so that the library finds them; where there are none it looks for itself."""
    global _looked
    if _looked:
        return
    _looked = True
    try:
        from cuda.pathfinder import load_nvidia_dynamic_lib
    except ImportError:
        return
    folders = []
    for name in ("nvrtc", "nvJitLink", "nvvm", "cufft", "curand"):
        try:
            folder = os.path.dirname(load_nvidia_dynamic_lib(name).abs_path or "")
        except Exception:  # it is not installed
            continue
        if "-packages" in folder:  # of a wheel; the library's programs, which open it too, find what the system has
            folders.append(folder)
    before = [one for one in os.environ.get("LD_LIBRARY_PATH", "").split(":") if one]
    if set(folders) - set(before):
        os.environ["LD_LIBRARY_PATH"] = ":".join(dict.fromkeys([*before, *folders]))


_looked = False
