"""Compiled functions: no Python is in the loop. SPDX-License-Identifier: BSD-3-Clause"""
import ctypes
import math
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest
import tessera
from conftest import within

EXACT = 0.79659959929705313428  # of exp(-x y) over the unit square


def test_ctypes_functions():
    libm = ctypes.CDLL("libm.so.6")
    libm.exp.restype, libm.exp.argtypes = ctypes.c_double, [ctypes.c_double]
    within(tessera.quad(libm.exp, 0, 1), math.e - 1)
    libm.pow.restype, libm.pow.argtypes = ctypes.c_double, [ctypes.c_double] * 2
    within(tessera.integrate(libm.pow, [0, 0], [1, 1], rtol=1e-5), math.log(2))
    libm.cos.argtypes = None
    with pytest.raises(TypeError, match="argtypes"):
        tessera.quad(libm.cos, 0, 1)


def test_a_library_of_the_system(tmp_path):
    """Opened by its name alone, as where a package of the system has it: what lies beside it is found."""
    program = "import ctypes, tessera\nlibm = ctypes.CDLL('libm.so.6')\nlibm.exp.restype, libm.exp.argtypes = ctypes.c_double, [ctypes.c_double]\n" \
              "print(tessera.quad(libm.exp, 0, 1).value)"
    library = pathlib.Path(tessera._library.beside("libtessera_forms.so")).parent
    package = pathlib.Path(tessera.__file__).parent
    copy = tmp_path / "tessera"
    copy.mkdir()
    for file in package.glob("*.py"):
        (copy / file.name).symlink_to(file)
    environment = dict(os.environ, PYTHONPATH=str(tmp_path), LD_LIBRARY_PATH=str(library))
    environment.pop("TESSERA_LIBRARY", None)
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert abs(float(done.stdout) - (math.e - 1)) < 1e-8


def test_a_library_without_the_adapters(monkeypatch):
    r = tessera.quad(math.exp, 0, 1)
    monkeypatch.setattr(tessera._library, "_adapters", None)
    monkeypatch.setattr(tessera._library, "beside", lambda name: "/nowhere/" + name)
    tessera._result._kinds.cache_clear()
    try:
        again = tessera.quad(math.exp, 0, 1)
    finally:
        tessera._result._kinds.cache_clear()
    timed = [name for name in r.statistics if name.endswith("seconds")]
    assert {**again.statistics, **{name: r.statistics[name] for name in timed}} == r.statistics and again.statistics["seconds"] > 0


def callbacks():
    d, i, p = ctypes.c_double, ctypes.c_int, ctypes.POINTER(ctypes.c_double)
    v, u, q = ctypes.c_void_p, ctypes.c_uint, ctypes.POINTER(ctypes.c_int)

    def tessera_point(ndim, x, ncomp, f, userdata):
        f[0] = math.exp(-x[0] * x[1])
        return 0

    def hcubature(ndim, x, fdata, fdim, f):
        f[0] = math.exp(-x[0] * x[1])
        return 0 if ndim == 2 and fdim == 1 else 1

    def cuba(ndim, x, ncomp, f, userdata):
        f[0] = math.exp(-x[0] * x[1])
        return 0 if ndim[0] == 2 and ncomp[0] == 1 else 1

    value = lambda x: math.exp(-x[0] * x[1])  # noqa: E731
    yield ctypes.CFUNCTYPE(i, i, p, i, p, v)(tessera_point)
    yield ctypes.CFUNCTYPE(d, i, p)(lambda n, x: value(x) if n == 2 else 0)
    yield ctypes.CFUNCTYPE(d, i, p, v)(lambda n, x, data: value(x))
    yield ctypes.CFUNCTYPE(d, p)(value)
    yield ctypes.CFUNCTYPE(d, p, v)(lambda x, data: value(x))
    yield ctypes.CFUNCTYPE(d, d, d)(lambda x, y: math.exp(-x * y))
    yield ctypes.CFUNCTYPE(i, u, p, v, u, p)(hcubature)
    yield ctypes.CFUNCTYPE(i, p and q, p, q, p, v)(cuba)


@pytest.mark.parametrize("f", list(callbacks()), ids=lambda f: str(len(f.argtypes)))
def test_forms(f):
    within(tessera.integrate(f, [0, 0], [1, 1]), EXACT)


def test_addresses_and_user_data():
    factor = ctypes.c_double(3)
    f = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.POINTER(ctypes.c_double))(lambda x, data: x * data[0])
    known = tessera.compiled(ctypes.cast(f, ctypes.c_void_p).value, "number_data", userdata=ctypes.addressof(factor))
    within(tessera.quad(known, 0, 2), 6)
    with pytest.raises(ValueError, match="form"):
        tessera.compiled(12345)
    with pytest.raises(ValueError, match="sideways"):
        tessera.compiled(12345, "sideways")
    with pytest.raises(TypeError):
        tessera.compiled(math.sin)
    with pytest.raises(ValueError, match="args"):
        tessera.quad(known, 0, 1, args=(1.0,))


def test_a_return_value_other_than_zero():
    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_double), ctypes.c_int, ctypes.POINTER(ctypes.c_double), ctypes.c_void_p)
    def f(ndim, x, ncomp, out, userdata):
        return 5

    with pytest.raises(tessera.Error, match="5"):
        tessera.integrate(f, [0, 0], [1, 1])


def test_low_level_callables():
    scipy = pytest.importorskip("scipy")
    f = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int, ctypes.POINTER(ctypes.c_double), ctypes.c_void_p)(
        lambda n, x, data: math.exp(-x[0] * x[1]) * ctypes.cast(data, ctypes.POINTER(ctypes.c_double))[0])  # fmt: skip
    factor = ctypes.c_double(2)
    within(tessera.integrate(scipy.LowLevelCallable(f, ctypes.cast(ctypes.pointer(factor), ctypes.c_void_p)), [0, 0], [1, 1]), 2 * EXACT)


def test_cffi_functions():
    cffi = pytest.importorskip("cffi")
    ffi = cffi.FFI()
    ffi.cdef("double cos(double x);")
    libm = ffi.dlopen("libm.so.6")
    within(tessera.quad(ffi.addressof(libm, "cos"), 0, 1), math.sin(1))


needs_compiler = pytest.mark.skipif(not shutil.which("cc") and not shutil.which("gcc"), reason="there is no C compiler")


@needs_compiler
def test_source_texts(tmp_path):
    text = "#include <math.h>\ndouble f(const double *x) { return exp(-x[0] * x[1]); }"
    within(tessera.integrate(tessera.source(text), [0, 0], [1, 1]), EXACT)
    (tmp_path / "f.c").write_text(text)
    within(tessera.integrate(tessera.source(tmp_path / "f.c", file=True), [0, 0], [1, 1]), EXACT)
    pair = tessera.source("int g(int n, const double *x, int m, double *f, void *p) { f[0] = x[0]; f[1] = ((double *)p)[0]; return 0; }", "g", shape=2)
    within(tessera.integrate(pair, [0], [1], args=(7.0,)), [0.5, 7])
    many = tessera.integrate_many(tessera.source("double f(const double *x, const void *p) { return x[0] * *(const double *)p; }"), [0], [1], np.arange(1.0, 4))
    assert np.allclose(many.value, [0.5, 1, 1.5])
    with pytest.raises(tessera.Error, match="nonsense"):
        tessera.integrate(tessera.source("double f(const double *x) { return nonsense; }"), [0], [1])
    with pytest.raises(ValueError, match="language"):
        tessera.source(text, language="basic")


@needs_compiler
def test_limits_that_are_functions_beside_a_text():
    f = tessera.source("double f(const double *x) { return 1; }")
    within(tessera.integrate(f, [0, 0], [1, lambda x: x[:, 0]], rtol=1e-6), 0.5)


@pytest.fixture(scope="module")
def numba():
    return pytest.importorskip("numba")


def test_jitted_functions(numba):
    @numba.njit
    def point(x):
        return math.exp(-x[0] * x[1])

    @numba.njit
    def coordinates(x, y):
        return math.exp(-x * y)

    for f in (point, coordinates):
        within(tessera.integrate(f, [0, 0], [1, 1], workers=2), EXACT)


def test_jitted_functions_of_many_points(numba):
    @numba.njit
    def f(x):
        return np.exp(-x[:, 0] * x[:, 1])

    within(tessera.integrate(f, [0, 0], [1, 1]), EXACT)


def test_jitted_values(numba):
    @numba.njit
    def values(x, k):
        return np.array([x[0] * 1j * k, x[1] + 0j])

    r = tessera.integrate(values, [0, 0], [1, 1], args=(3.0,))
    within(r, np.array([1.5j, 0.5]))


def test_jitted_functions_with_parameters(numba):
    @numba.njit
    def f(x, p):
        return math.exp(-p * x)

    p = np.linspace(1, 4, 50)
    r = tessera.quad_many(f, 0, 1, p, workers=2)
    assert np.all(r.success) and np.allclose(r.value, (1 - np.exp(-p)) / p, rtol=1e-10)


def test_exceptions_of_jitted_functions(numba):
    @numba.njit
    def f(x):
        if x[0] > 0.99:
            raise ValueError("too far")
        return x[0] * x[1]

    with pytest.raises(ValueError, match="too far"):
        tessera.integrate(f, [0, 0], [1, 1])


def test_cfunc(numba):
    @numba.cfunc("float64(intc, CPointer(float64))")
    def f(n, x):
        return math.exp(-x[0] * x[1])

    within(tessera.integrate(f, [0, 0], [1, 1]), EXACT)
    within(tessera.nquad(f, [(0, 1), (0, 1)]), EXACT)


def test_nquad_of_jitted_functions(numba):
    @numba.njit
    def f(x, y):
        return x * y

    within(tessera.nquad(f, [lambda y: (0, 1 - 2 * y), (0, 0.5)]), 1 / 96)
