"""Host and device give the same, and the ways in which Python reaches a device. Skipped where there is no device.

As a program it needs NumPy alone: python3 test_device.py, with TESSERA_LIBRARY and PYTHONPATH set; it ends with 77 where there is no device.
SPDX-License-Identifier: BSD-3-Clause"""
import concurrent.futures
import ctypes
import math
import os
import sys
import traceback
import types

import numpy as np
import tessera
from tessera import _device, _dlpack

try:
    import pytest
except ImportError:  # as a program
    pytest = None

TEXT = "__device__ double f(const double *x) { return exp(-x[0] * x[1]); }"
EXACT = 0.79659959929705313428
PARAMS = "struct p { double a; }; __device__ double f(const double *x, const p *q) { return exp(-q->a * x[0]); }"


def there_is_a_device():
    try:
        return tessera.integrate(tessera.source(TEXT, language="cuda"), [0, 0], [1, 1], device=0).success
    except tessera.Error as error:
        if error.status == tessera.Status.ERR_NOT_BUILT:
            print(error)
            return False
        raise


def package(name):
    try:
        return __import__(name)
    except ImportError:
        return None


def close(result, exact, rtol=1e-8):
    assert result.success, result.message
    assert np.all(np.abs(np.asarray(result.value) - exact) <= rtol * np.abs(exact) + 1e-15), (result.value, exact)


def texts_on_a_device():
    f = tessera.source(TEXT, language="cuda")
    r = tessera.integrate(f, [0, 0], [1, 1], device="cuda")
    close(r, EXACT)
    assert r.statistics["device_used"] == 0
    for method in ("lattice", "montecarlo", "auto", "iterated"):
        close(tessera.integrate(f, [0, 0], [1, 1], device=0, method=method, rtol=1e-3), EXACT, 2e-3)
    host = tessera.integrate(tessera.source("#include <math.h>\ndouble f(const double *x) { return exp(-x[0] * x[1]); }"), [0, 0], [1, 1], method="montecarlo",
                             sampling="plain", generator="philox", rtol=1e-3)
    there = tessera.integrate(f, [0, 0], [1, 1], method="montecarlo", sampling="plain", generator="philox", rtol=1e-3, device=0)
    assert host.evaluations == there.evaluations and abs(host.value - there.value) <= 1e-12


def many_on_a_device():
    a = np.linspace(1, 5, 2000)
    r = tessera.quad_many(tessera.source(PARAMS, language="cuda"), 0, 1, a, device=0)
    assert np.all(r.success) and np.allclose(r.value, (1 - np.exp(-a)) / a, rtol=1e-8)
    r = tessera.integrate_many(tessera.source(PARAMS, language="cuda"), [0, 0], [1, 1], a[:50], device=0)
    assert np.all(r.success) and np.allclose(r.value, (1 - np.exp(-a[:50])) / a[:50], rtol=1e-7)


def lattices_on_a_device():
    try:
        host, there = (tessera.Lattice.construct(8, 4096, device=device) for device in (-1, 0))
    except tessera.Error as error:
        if error.status == tessera.Status.ERR_NOT_BUILT:
            return False  # FFTW or cuFFT is not there
        raise
    assert np.array_equal(host.vector, there.vector)
    return True


def refusals():
    for wrong in (lambda: tessera.integrate(lambda x: x[:, 0], [0], [1], device=0), lambda: tessera.integrate(math.sin, 0, 1, device=0),
                  lambda: tessera.integrate(ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(math.sin), 0, 1, device=0)):
        try:
            wrong()
        except TypeError as error:
            assert "CuPy or torch" in str(error)
        else:
            raise AssertionError("a function of NumPy was taken for one of a device")


def functions_of(name):
    module = package(name)
    if module is None:
        return False
    scope = {name: module, "xp": module}
    exec("def f(x, a=1.0):\n    return xp.exp(-a * x[:, 0] * x[:, 1])\ndef g(x):\n    return xp.stack([x[:, 0], x[:, 1] ** 2], 1)\n"
         "def h(x):\n    return xp.exp(1j * x[:, 0])\ndef bad(x):\n    xp.exp(x)\n    if len(x) > 5: raise KeyError('here')\n    return x[:, 0]", scope)
    close(tessera.integrate(scope["f"], [0, 0], [1, 1], device=0), EXACT)
    close(tessera.integrate(scope["f"], [0, 0], [1, 1], device=0, args=(1.0,), method="lattice", rtol=1e-4), EXACT, 2e-4)
    close(tessera.integrate(scope["g"], [0, 0], [1, 1], device=0), np.array([1 / 2, 1 / 3]))
    close(tessera.integrate(scope["h"], [0], [1], device=0, method="cubature"), (np.exp(1j) - 1) / 1j)
    try:
        tessera.integrate(scope["bad"], [0, 0], [1, 1], device=0)
    except KeyError as error:
        assert "here" in str(error)
    else:
        raise AssertionError("the exception was lost")
    return True


def numba_functions():
    numba = package("numba")
    if numba is None:
        return False
    try:
        from numba import cuda
    except ImportError:
        return False
    if not cuda.is_available():
        return False

    @cuda.jit(device=True)
    def point(x):
        return math.exp(-x[0] * x[1])

    try:
        cuda.compile(lambda x: x, numba.types.double(numba.types.double), device=True)
    except AttributeError as error:  # a numba.cuda that is older than the NumPy beside it
        print("numba.cuda does not compile here:", error)
        return False

    @cuda.jit(device=True)
    def coordinates(x, y):
        return math.exp(-x * y)

    for f in (point, coordinates):
        r = tessera.integrate(f, [0, 0], [1, 1], device=0)
        close(r, EXACT)
        assert r.statistics["inlined"] == 1
    return True


def calls_one_after_another():
    """The second has the kernels and the bits of the first, whatever was called in between."""
    text, other = tessera.source(TEXT, language="cuda"), tessera.source(PARAMS, function="f", language="cuda")
    for options in (dict(method="cubature"), dict(method="lattice", rtol=1e-4), dict(method="vegas", rtol=1e-2), dict(method="auto")):
        def call(**more):
            r = tessera.integrate(text, [0, 0], [1, 1], device=0, **{**options, **more})
            return (r.value, r.error, r.evaluations, r.status, None if r.grid is None else r.grid.tobytes()), r.statistics["compile_seconds"]

        first, _ = call()
        tessera.integrate(other, [0, 1], [2, 3], device=0, args=(2.0,), seed=5, **options)
        call(rtol=1e-1, maxeval=3000)
        second, seconds = call()
        assert first == second, (options, first, second)
        assert seconds == 0 or options["method"] == "auto", options
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            assert all(one == first for one, _ in pool.map(lambda _: call(), range(12)))
    return True


def functions_of_cupy():
    return functions_of("cupy")


def functions_of_torch():
    return functions_of("torch")


ON_A_DEVICE = [texts_on_a_device, calls_one_after_another, many_on_a_device, lattices_on_a_device, refusals, functions_of_cupy, functions_of_torch, numba_functions]

# ---- Without a device -------------------------------------------------------------------------------------------------------


def test_arrays_by_dlpack():
    memory = np.arange(12.0)
    before = len(_dlpack._alive)
    seen = np.from_dlpack(_dlpack.Array(memory.ctypes.data, (4, 3), (1, 4)))
    assert np.array_equal(seen, memory.reshape(3, 4).T) and len(_dlpack._alive) == before + 1
    del seen
    capsule = _dlpack.Array(memory.ctypes.data, (4, 3), (1, 4)).__dlpack__()
    assert len(_dlpack._alive) == before + 1
    del capsule
    assert len(_dlpack._alive) == before


def writable(array):
    """As np.from_dlpack, whose arrays cannot be written to."""
    seen = np.from_dlpack(array)
    address = seen.__array_interface__["data"][0]
    span = 1 + sum((n - 1) * abs(step) // 8 for n, step in zip(seen.shape, seen.strides))
    return np.ndarray(seen.shape, float, (ctypes.c_double * span).from_address(address), strides=seen.strides)


def fake_package(monkeypatch, name):
    """NumPy under the name of a package for devices: what runs there is then the same, on the host."""
    import contextlib

    fake = types.ModuleType(name)
    fake.__dict__.update({key: getattr(np, key) for key in ("exp", "asarray", "stack")})
    fake.from_dlpack = writable
    fake.cuda = types.SimpleNamespace(Device=lambda n: contextlib.nullcontext(), ExternalStream=lambda pointer, n: contextlib.nullcontext())
    monkeypatch.setitem(sys.modules, name, fake)
    return fake


def test_functions_of_cupy_are_called_with_arrays_of_the_device(monkeypatch):
    cupy = fake_package(monkeypatch, "cupy")
    scope = {"cupy": cupy}
    exec("def f(x, a):\n    return cupy.stack([a * x[:, 0], 1j * x[:, 1]], 1)", scope)
    monkeypatch.setattr(_dlpack, "CUDA", _dlpack.CPU)
    domain = tessera._domain.Domain([0, 0], [1, 1])
    assert _device.framework(scope["f"]) == "cupy"
    f = _device.recognise(scope["f"], domain, (2.0,), None, None, 0)
    assert f.shape == (2,) and f.complex and f.size == 2
    calls = []
    f.install(lambda *arguments: calls.append(arguments))
    assert calls[0][0] == "set_integrand_device" and calls[0][1] == ctypes.cast(f.callback, ctypes.c_void_p).value
    x, out = np.array([[0.1, 0.2, 0.3, -1], [0.4, 0.5, 0.6, -1]]), np.full((4, 5), -1.0)
    assert f.callback(3, 2, x.ctypes.data, 4, 4, out.ctypes.data, 5, None, None) == 0
    assert np.array_equal(out[:, :3], [2 * x[0, :3], [0] * 3, [0] * 3, x[1, :3]]) and np.all(out[:, 3:] == -1)
    f.f = lambda x, a: np.ones((len(x), 3))
    assert f.callback(3, 2, x.ctypes.data, 4, 4, out.ctypes.data, 5, None, None) == 1 and isinstance(f.failure, ValueError)


def test_what_a_function_computes_with(monkeypatch):
    torch = fake_package(monkeypatch, "torch")
    scope = {"torch": torch, "np": np}
    exec("def f(x):\n    return torch.exp(x)\ndef g(x):\n    return np.exp(x)\ndef outer(t):\n    return lambda x: t.exp(x)", scope)
    assert _device.framework(scope["f"]) == "torch" and _device.framework(scope["g"]) is None
    assert _device.framework(scope["outer"](torch)) == "torch" and _device.framework(math.sin) is None


def test_the_toolkit_of_wheels_is_found_by_programs_too(monkeypatch):
    places = {"nvrtc": "/v/site-packages/nvidia/cu13/lib", "nvJitLink": "/v/site-packages/nvidia/cu13/lib", "nvvm": "/v/site-packages/nvidia/cu13/nvvm/lib64",
              "cufft": "/usr/lib/x86_64-linux-gnu"}
    finder = types.ModuleType("cuda.pathfinder")
    finder.load_nvidia_dynamic_lib = lambda name: types.SimpleNamespace(abs_path=places[name] + "/lib.so")  # a KeyError where there is none
    monkeypatch.setitem(sys.modules, "cuda", types.ModuleType("cuda"))
    monkeypatch.setitem(sys.modules, "cuda.pathfinder", finder)
    monkeypatch.setattr(_device, "_looked", False)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/mine")
    _device.find_toolkit()
    assert os.environ["LD_LIBRARY_PATH"] == f"/mine:{places['nvrtc']}:{places['nvvm']}"


def test_functions_without_a_form_for_a_device_are_refused():
    refusals()
    assert tessera.integrate(lambda x: x[:, 0], [0], [1], device="auto").success


if pytest is not None:

    @pytest.mark.parametrize("one", ON_A_DEVICE, ids=lambda f: f.__name__)
    def test_on_a_device(one):
        if not there_is_a_device():
            pytest.skip("there is no device")
        if one() is False:
            pytest.skip("its package is not there")


if __name__ == "__main__":
    if not there_is_a_device():
        print("there is no device")
        sys.exit(77)
    failed = 0
    for one in ON_A_DEVICE:
        try:
            print(one.__name__, "what it needs is not there" if one() is False else "passed", flush=True)
        except Exception:
            failed += 1
            print(one.__name__, "FAILED")
            traceback.print_exc(file=sys.stdout)
    sys.exit(failed > 0)
