"""Calls that follow one another have the bits of the first: what the library and the module keep in between does not show.
SPDX-License-Identifier: BSD-3-Clause"""
import concurrent.futures
import os
import signal
import threading

import numpy as np
import pytest
import tessera

TEXT = "double f(const double *x, const void *p) { return exp(-x[0] * x[1] * (p ? ((const double *)p)[0] : 1)); }"
SLOW = "double g(const double *x) { double s = 0; for (int k = 0; k < 200; ++k) s += sin(k * x[0] + x[1]) * cos(37 * x[2]); return fabs(s - 0.3); }"
A, B = [0, 0], [1, 1]


def text():
    return tessera.source(TEXT)


def call(f, a=A, b=B, **options):
    r = tessera.integrate(f, a, b, **options)
    return r.value, r.error, r.evaluations, r.status, r.method, len(r.regions), None if r.grid is None else r.grid.tobytes()


# What a call may leave behind in the one that follows it.
OTHERS = [
    dict(method="vegas", rtol=1e-2, seed=11),
    dict(method="vegas", rtol=1e-2, keep_state=True),
    dict(method="lattice", rtol=1e-4, transform="baker"),
    dict(method="cubature", rule="degree9", keep_regions=True, rtol=1e-11),
    dict(method="cubature", rtol=1e-13, maxeval=700),
    dict(a=[-1, 0], b=[np.inf, 2], rtol=1e-3, maxeval=20000, nonfinite_policy="zero"),
    dict(args=2.5),
    dict(points=[[0.3, 0.4]]),
    dict(workers=3),
    dict(history=True, progress=lambda p: p.evaluations > 400, progress_seconds=0),
]
WAYS = [{}, dict(method="cubature"), dict(method="vegas", rtol=1e-2), dict(method="lattice", rtol=1e-3)]


@pytest.mark.parametrize("options", WAYS, ids=str)
def test_other_calls_in_between_do_not_show(options):
    first = call(text(), **options)
    for other in OTHERS:
        call(text(), **other)
        assert call(text(), **options) == first, other


def test_what_ends_badly_does_not_show():
    first = call(text())
    with pytest.raises(tessera.Error):
        tessera.integrate(tessera.source("double f(const double *x) { return x[0] }"), A, B)
    with pytest.raises(ValueError):
        tessera.integrate(text(), A, B, method="quadrature")  # for one variable
    with pytest.raises(ZeroDivisionError):
        tessera.integrate(text(), A, B, progress=lambda p: 1 / 0, progress_seconds=0)
    assert not tessera.integrate(tessera.source("double f(const double *x) { return log(x[0] - 2); }"), A, B).success
    assert call(text()) == first


def test_ctrl_c_does_not_show():
    cube = [0] * 3, [1] * 3
    first = call(tessera.source(SLOW, "g"), *cube, maxeval=20000, method="cubature")
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(tessera.Interrupted):
        tessera.integrate(tessera.source(SLOW, "g"), *cube, rtol=1e-13, maxeval=10**10, method="cubature")
    timer.join()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert call(tessera.source(SLOW, "g"), *cube, maxeval=20000, method="cubature") == first


def test_calls_inside_a_call():
    inner = call(text())
    seen = []

    def progress(_):
        seen.append(call(text(), args=2.0) and call(text()))

    outer = call(text(), rtol=1e-11, method="cubature", progress_seconds=0)
    assert call(text(), rtol=1e-11, method="cubature", progress=progress, progress_seconds=0) == outer
    assert seen and all(one == inner for one in seen)

    def outside(x):
        return [tessera.integrate(text(), A, [1, y], args=(2.0,)).value for y in x[:, 0]]

    assert call(outside, [0], [1]) == call(outside, [0], [1])


def test_threads():
    ways = [dict(one) for one in WAYS] * 6
    first = [call(text(), **one) for one in WAYS] * 6
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        assert list(pool.map(lambda one: call(text(), **one), ways)) == first


def test_a_result_keeps_what_it_needs():
    r = tessera.integrate(text(), A, B, method="cubature", keep_regions=True, rtol=1e-9)
    estimate = r.regions.estimate.copy()
    for other in OTHERS:
        call(text(), **other)
    assert np.array_equal(r.regions.estimate, estimate) and len(r.regions) == len(estimate)
    further = tessera.integrate(text(), A, B, method="cubature", resume=r, rtol=0, maxeval=5000)
    assert further.evaluations > r.evaluations
