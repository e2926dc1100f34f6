"""One variable, nested integrals, many integrals. SPDX-License-Identifier: BSD-3-Clause"""
import math

import numpy as np
import pytest
import tessera
from conftest import within


def test_quad():
    r = tessera.quad(lambda x: math.exp(-x * x), -np.inf, np.inf)
    within(r, math.sqrt(math.pi))
    assert r.method == "quadrature"
    within(tessera.quad(lambda x: np.log(x), 0, 1), -1)
    within(tessera.quad(lambda x: np.exp(1j * x), 0, math.pi), 2j)
    with pytest.raises(ValueError, match="quad_many"):
        tessera.quad(np.sin, [0, 1], 2)


def test_weights():
    within(tessera.quad(lambda x: 1 / (1 + x), 0, np.inf, weight="sin", wvar=1.0), 0.62144962423581)
    within(tessera.quad(lambda x: np.ones_like(x), 0, 1, weight="alg", wvar=(-0.5, 0)), 2)
    within(tessera.quad(lambda x: np.ones_like(x), -1, 2, weight="cauchy", wvar=0.0), math.log(2))
    for wrong in ({"weight": "tan"}, {"weight": "alg", "wvar": 1.0}, {"wvar": 1.0}):
        with pytest.raises(ValueError):
            tessera.quad(np.sin, 0, 1, **wrong)


def test_divergence_is_reported():
    r = tessera.quad(lambda x: 1 / x, 0, 1)
    assert not r.success and r.status > 0


def test_nquad_has_scipy_s_order():
    # The inner variable comes first, and its range is a function of the outer ones.
    r = tessera.nquad(lambda x, y: x * y, [lambda y: (0, 1 - 2 * y), (0, 0.5)])
    within(r, 1 / 96)
    assert r.method == "iterated"
    within(tessera.nquad(lambda x, y, a: a * x, [lambda y, a: (0, a * y), lambda a: (0, a)], args=(2.0,)), 2.0 * 4 * 8 / 6)
    within(tessera.nquad(lambda x: x, [(0, 2)]), 2)
    within(tessera.nquad(lambda x, y, z, t: x * t, [(0, 1), (0, 2), (0, 3), (0, 4)]), 24)
    with pytest.raises(ValueError):
        tessera.nquad(lambda x: x, [])


def test_quad_many_shares_calls():
    params = np.linspace(1, 9, 1000)
    calls = []

    def f(x, p):
        calls.append(len(x))
        return np.exp(-p * x)

    for least_regions, most in ((1, 50), (0, 100)):
        calls.clear()
        r = tessera.quad_many(f, 0, 1, params, least_regions=least_regions)
        assert np.all(r.success) and len(r) == 1000
        assert np.max(np.abs(r.value - (1 - np.exp(-params)) / params)) < 1e-12
        assert len(calls) < most


def test_quad_many_of_one_point_at_a_time():
    r = tessera.quad_many(lambda x, p: math.exp(-p[0] * x), 0, 1, np.array([[1.0], [2.0]]))
    assert np.allclose(r.value, [1 - math.exp(-1), (1 - math.exp(-2)) / 2])


def test_quad_many_of_limits():
    b = np.linspace(0.5, 3, 7)
    assert np.allclose(tessera.quad_many(np.cos, 0, b).value, np.sin(b), rtol=1e-12)
    assert np.allclose(tessera.quad_many(lambda x, p: np.cos(p * x), 0, b, np.ones(7)).value, np.sin(b), rtol=1e-12)


def test_a_function_of_one_row_of_parameters_is_not_taken_for_one_of_many():
    r = tessera.quad_many(lambda x, p: np.sum(p) * x, 0, 1, np.array([[1.0, 2], [3, 4]]))
    assert np.allclose(r.value, [1.5, 3.5])
    r = tessera.quad_many(lambda x, p: p[0] * x, 0, 1, np.array([[1.0, 2], [3, 4]]))
    assert np.allclose(r.value, [0.5, 1.5])


def test_integrate_many():
    a = np.array([0.5, 1.0, 2.0])
    exact = (1 - np.exp(-a)) / a
    for f in (lambda x, p: np.exp(-p * x[:, 0]) * x[:, 1] * 2, lambda x, p: math.exp(-p * x[0]) * x[1] * 2):
        for workers in (1, 2):
            r = tessera.integrate_many(f, [0, 0], [1, 1], a, workers=workers)
            assert np.all(r.success) and np.allclose(r.value, exact, rtol=1e-7)
    r = tessera.integrate_many(lambda x: x[:, 0] * x[:, 1], [0, 0], [[1, 1], [2, 2]], rtol=1e-6)
    assert np.allclose(r.value, [0.25, 4])
    r = tessera.integrate_many(lambda x, p: np.exp(1j * p * x[:, :1]) * [1, 2], [0], [1], a)
    assert r.value.shape == (3, 2) and np.allclose(r.value[:, 1], 2 * (np.exp(1j * a) - 1) / (1j * a))


def test_many_have_statuses_of_their_own():
    r = tessera.integrate_many(lambda x, p: np.where(p > 1, np.nan, x[:, 0] + 0 * p), [0, 0], [1, 1], np.array([0.0, 2.0]), method="cubature")
    assert r.status.tolist() == [0, 7] and r.success.tolist() == [True, False] and np.isclose(r.value[0], 0.5)


def test_many_refuse():
    for arguments, text in (((0, [1, 2], np.ones(3)), "b for 2, params for 3"), (([0], [1, 2], np.ones(2)), "a for 1, b for 2"), ((0, [1, 2], [3]), "params for 1"), ((0, 1, []), "params is empty"),
                            ((0, [], None), "empty"), ((0, [[1], [2]], np.ones(2)), "numbers or arrays")):  # fmt: skip
        with pytest.raises(ValueError, match=text):
            tessera.quad_many(lambda x, p: x, *arguments)
    for arguments, text in ((([0, 0], [1], np.ones(3)), "a is for 2 and b for 1 variables"), (([0], [[1, 1], [2, 2]], None), "a is for 1 and b for 2 variables"),
                            (([[0, 0]], [[1, 1], [2, 2]], None), "a for 1, b for 2"), (([], [], np.ones(3)), "empty")):  # fmt: skip
        with pytest.raises(ValueError, match=text):
            tessera.integrate_many(lambda x, p: x[:, 0], *arguments)
    assert np.allclose(tessera.integrate_many(lambda x: x[:, 0] * x[:, 1], 0, [[1, 1], [2, 2]], rtol=1e-6).value, [0.25, 4])
    with pytest.raises(TypeError):
        tessera.quad_many(lambda x, p: x, 0, 1, np.ones(2) * 1j)


def test_exceptions_in_many():
    class Mine(Exception):
        pass

    def f(x, p):
        if np.any(np.asarray(p) > 1.5) and len(np.atleast_1d(x)) > 6:
            raise Mine("here")
        return x * p

    with pytest.raises(Mine, match="here"):
        tessera.quad_many(f, 0, 1, np.array([1.0, 2.0]))
