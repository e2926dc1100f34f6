"""Generating vectors. SPDX-License-Identifier: BSD-3-Clause"""
import ctypes.util

import numpy as np
import pytest
import tessera
from conftest import within

needs_fftw = pytest.mark.skipif(ctypes.util.find_library("fftw3") is None, reason="there is no FFTW")


def f(x):
    return np.prod(1 + (x - 0.5) / 2, axis=1)


def test_the_library_s_own_vector():
    lattice = tessera.Lattice(10)
    assert lattice.origin == "builtin" and lattice.ndim == 10 and lattice.vector.dtype == np.int64 and lattice.vector[0] == 1


def test_points_by_the_million_are_asked_for():
    lattice = tessera.Lattice(3)
    with pytest.raises(ValueError, match="0.75 GiB.*count=33554432"):
        lattice.points()
    x = lattice.points(size=2**12)
    assert x.shape == (2**12, 3) and abs(np.mean(f(x)) - 1) < 1e-3  # a lattice of its own, not the beginning of a large one
    assert np.array_equal(x[3], np.mod(3 * (lattice.vector % 2**12), 2**12) / 2**12)
    assert np.array_equal(lattice.points(first=7, count=5)[2], np.mod(9 * lattice.vector, lattice.size) / lattice.size)
    for wrong in (dict(size=0), dict(size=2**26), dict(first=-1), dict(first=2**25), dict(count=0), dict(first=2**25 - 1, count=2)):
        with pytest.raises(ValueError, match=r"size=|first=|count="):
            lattice.points(**wrong)


def test_vectors_given():
    assert tessera.Lattice.korobov(3, 101, 7).vector.tolist() == [1, 7, 49]
    lattice = tessera.Lattice.from_vector([1, 76, 20], 1021)
    assert lattice.size == 1021 and lattice.vector.tolist() == [1, 76, 20] and lattice.origin == "given"
    x = lattice.points()
    assert x.shape == (1021, 3) and np.allclose(x[5], np.array([5, 380, 100]) / 1021)
    assert np.array_equal(lattice.points(first=1019), x[1019:]) and np.array_equal(lattice.points(0.25, first=4, count=2)[1], np.mod(x[5] + 0.25, 1))
    assert np.array_equal(lattice.points([0, 0.5, 0])[:, 1], np.mod(x[:, 1] + 0.5, 1))
    within(tessera.integrate(f, [0] * 3, [1] * 3, method="lattice", rtol=1e-2, lattice=lattice), 1)
    with pytest.raises(ValueError):
        tessera.Lattice.from_vector([0, 5], 10)


@needs_fftw
def test_construction_and_files(tmp_path):
    steps = []
    lattice = tessera.Lattice.construct(6, 4096, weights=np.ones(6), progress=lambda done, steps_in_all: steps.append((done, steps_in_all)))
    assert lattice.origin == "constructed" and np.all(np.gcd(lattice.vector, 4096) == 1) and lattice.merit > 0
    assert steps and steps[-1][1] >= steps[-1][0]
    lattice.save(tmp_path / "vector")
    again = tessera.Lattice.load(tmp_path / "vector")
    assert again.ndim == 6 and np.array_equal(again.vector, lattice.vector)
    with pytest.raises(ValueError, match="shape"):
        tessera.Lattice.construct(6, 4096, weights=np.ones(5))
    with pytest.raises(ValueError, match="b3"):
        tessera.Lattice.construct(6, 4096, kernel="b3")

    def refuse(done, steps_in_all):
        raise KeyError("no")

    with pytest.raises(KeyError):
        tessera.Lattice.construct(6, 4096, progress=refuse)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(tessera.Error):
        tessera.Lattice.load(tmp_path / "nothing")
    with pytest.raises(tessera.Error):
        tessera.load_grid(tmp_path / "nothing", 3)
