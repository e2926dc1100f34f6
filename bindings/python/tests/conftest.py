"""SPDX-License-Identifier: BSD-3-Clause"""
import numpy as np
import pytest


@pytest.fixture
def peak():
    """exp of a sum of squares, and its integral over the unit cube."""
    from math import erf, pi, sqrt

    def f(x):
        return np.exp(-np.sum(x * x, axis=-1))

    f.exact = lambda ndim: (sqrt(pi) / 2 * erf(1)) ** ndim
    return f


def within(result, exact):
    """Success, with an error estimate that bounds the true error."""
    assert result.success, result.message
    true = np.abs(np.asarray(result.value) - exact)
    assert np.all(true <= result.error + 1e-15 * np.abs(exact)), (true, result.error)
