"""What a call costs: the first one, and those that follow it, with the same integrand, and with two in turns.

Writes lines of CSV: the form of the function, the place, seconds of the first call (with what is compiled), of the shortest and the median of
those that follow, and of these what the library says that it took; "on one solver" is tessera_integrate again and again on a solver that
stays, which is what a program in C does. Usage: calls.py [--device N] [--calls N]. SPDX-License-Identifier: BSD-3-Clause"""
import argparse
import importlib.util
import statistics
import time

import numpy as np
import tessera
from tessera import _integrate, _library
from tessera._domain import Domain
from tessera._run import Run

A, B = np.zeros(3), np.ones(3)
C = "double f(const double *x) { return exp(-x[0] * x[1]) * (1 + x[2]); }"
OTHER = "double f(const double *x) { return cos(x[0] * x[1]) * (1 + x[2]); }"
EXACT = 0.79659959929705313428 * 1.5


def jitted():
    import math

    import numba

    return numba.njit(lambda x: math.exp(-x[0] * x[1]) * (1 + x[2]))


def of_torch():
    import torch

    return lambda x: torch.exp(-x[:, 0] * x[:, 1]) * (1 + x[:, 2])


def calls_of(f, other=None, **options):
    """A function that calls integrate and returns its result; with another integrand in between, whose time does not count."""

    def run():
        if other is not None:
            tessera.integrate(other, A, B, **options)
        start = time.perf_counter()
        r = tessera.integrate(f, A, B, **options)
        return time.perf_counter() - start, r.seconds, r.value

    return run


def one_solver(f, device, method):
    setting = _integrate.resolve(f, Domain(A, B), (), 1e-8, 0.0, method, 1, device, None, None, None, {})
    solver, run = _library.Solver(3, 1), Run(setting.function, setting.domain)
    value, error = np.zeros(1), np.zeros(1)
    with run:
        _integrate.prepare(solver, setting, run, (), {})
    solver("set_progress", None, None)

    def again():
        start = time.perf_counter()
        status = _library.call("integrate", solver.pointer, setting.method, value.ctypes.data, error.ctypes.data)
        seconds = time.perf_counter() - start
        if status < 0:
            _library.raise_for(status, solver.last_error())
        return seconds, solver.real(tessera._constants.KEY["SECONDS"]), value[0]

    return again


def rows(device):
    def text(source, language):
        return tessera.source(source, language=language)

    def row(form, method, make, where, **more):
        return form, method, where, lambda: calls_of(make(), method=method, device=where, **more)

    for method in ("cubature", "auto", "lattice", "vegas"):
        more = {"rtol": 1e-3} if method in ("lattice", "vegas") else {}
        yield row("C text", method, lambda: text(C, "c"), None, **more)
        if device is not None:
            yield row("CUDA text", method, lambda: text("__device__ " + C, "cuda"), device, **more)
    for where, language, head in ((None, "c", ""), (device, "cuda", "__device__ ")):
        if where is None and language == "cuda":
            continue
        yield "two texts in turns", "cubature", where, lambda: calls_of(text(head + C, language), text(head + OTHER, language), method="cubature", device=where)
        yield "text on one solver", "cubature", where, lambda: one_solver(text(head + C, language), where, "cubature")
    if importlib.util.find_spec("numba"):
        yield row("numba", "cubature", jitted, None)
        yield row("numba", "auto", jitted, None)
    yield row("NumPy", "cubature", lambda: lambda x: np.exp(-x[:, 0] * x[:, 1]) * (1 + x[:, 2]), None)
    if importlib.util.find_spec("torch") and device is not None:
        yield row("torch", "cubature", of_torch, device)
        yield row("torch with shape and dtype", "cubature", of_torch, device, shape=(), dtype=float)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", type=int, help="measure on this CUDA device too")
    parser.add_argument("--calls", type=int, default=200)
    arguments = parser.parse_args()
    print("form,method,place,first,shortest,median,in_the_library,relative_error")
    for form, method, where, make in rows(arguments.device):
        run = make()
        times = [run() for _ in range(arguments.calls + 1)]
        later = times[1:]
        place = "host" if where is None else f"cuda:{where}"
        print(f"{form},{method},{place},{times[0][0]:.3g},{min(t for t, _, _ in later):.3g},{statistics.median(t for t, _, _ in later):.3g},"
              f"{statistics.median(s for _, s, _ in later):.3g},{abs(times[-1][2] / EXACT - 1):.1e}", flush=True)


if __name__ == "__main__":
    main()
