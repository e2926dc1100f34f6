"""The integrands of bindings/python/bench are the same functions in each of their forms, and their exact integrals are right.
SPDX-License-Identifier: BSD-3-Clause"""
import pathlib
import shutil
import sys

import numpy as np
import pytest
import tessera

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import calls  # noqa: E402
import integrands  # noqa: E402


@pytest.mark.parametrize("name", integrands.POINT)
def test_the_forms_of_an_integrand_are_the_same(name):
    exact = integrands.exact(name, 3)
    many = tessera.integrate(integrands.arrays(name), np.zeros(3), np.ones(3), method="cubature", rtol=1e-6)
    assert many.success and abs(many.value / exact - 1) < 1e-6
    x = np.random.default_rng(5).random((9, 3))
    assert np.allclose(integrands.arrays(name)(x), [integrands.POINT[name](point) for point in x], rtol=1e-13, atol=0)
    if shutil.which("c++") or shutil.which("g++"):
        compiled = tessera.integrate(tessera.source(integrands.text(name), language="cuda"), np.zeros(3), np.ones(3), method="cubature", rtol=1e-6)
        assert compiled.success and abs(compiled.value / exact - 1) < 1e-6


def test_what_calls_cost_is_measured(monkeypatch, capsys):
    if not (shutil.which("cc") or shutil.which("gcc")):
        pytest.skip("there is no compiler")
    monkeypatch.setattr(sys, "argv", ["calls.py", "--calls", "2"])
    calls.main()
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.startswith("form,method,place,first,shortest")
    for line in lines:
        form, method, place, first, shortest, median, inside, error = line.split(",")
        assert place == "host" and 0 < float(inside) <= float(median) and float(first) > 0 and 0 < float(shortest) <= float(median) and float(error) < 3e-3, line
    assert {line.split(",")[0] for line in lines} >= {"C text", "two texts in turns", "NumPy"}
