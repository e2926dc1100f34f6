"""What goes in and what comes out. SPDX-License-Identifier: BSD-3-Clause"""
import math

import numpy as np
import pytest
import tessera
from conftest import within


def test_an_array_function(peak):
    r = tessera.integrate(peak, [0, 0, 0], [1, 1, 1])
    within(r, peak.exact(3))
    assert r.status is tessera.Status.OK and r.method == "cubature" and r.evaluations > 0 and r.seconds > 0
    assert r.estimate == r.value and r.message == "the tolerance is met"
    assert len(r.regions) == r.subdivisions + 1
    value, error = r
    assert r[0] == value and r[1] == error
    assert (value, error) == (r.value, r.error)
    assert error <= 1e-8 * value


@pytest.mark.parametrize("f", [
    lambda x: np.exp(-x[:, 0] * x[:, 1]),
    lambda x: math.exp(-x[0] * x[1]),
    lambda x: np.exp(-np.prod(x)),
    lambda x, y: np.exp(-x * y),
    lambda x, y: math.exp(-x * y),
    lambda *x: math.exp(-x[0] * x[1]),
])  # fmt: skip
def test_the_form_of_a_function_is_found_out(f):
    within(tessera.integrate(f, [0, 0], [1, 1]), 0.79659959929705313428)


def test_functions_of_one_number():
    for f in (np.sin, math.sin, lambda x: x - x**3 / 6 if x < 1e-3 else math.sin(x)):
        within(tessera.integrate(f, 0, np.pi), 2)


def test_a_function_of_one_point_is_not_taken_for_one_of_many():
    # Its value at ndim points in one array has the right number of rows, and is wrong.
    within(tessera.integrate(lambda x: [x[0], x[1], x[0] * x[1], 1.0, 2.0], [0, 0], [1, 1]), [0.5, 0.5, 0.25, 1, 2])
    within(tessera.integrate(lambda x: x[0] + x[1], [0, 0], [1, 1]), 1)
    within(tessera.integrate(lambda x: 3.0, [0, 0], [1, 2]), 6)


def test_a_function_may_write_to_its_points():
    def f(x):
        x *= 2
        return x[:, 0] * x[:, 1]

    r = tessera.integrate(f, [0, 0], [1, 1])
    within(r, 1)
    alone = tessera.integrate(lambda x: 4 * x[:, 0] * x[:, 1], [0, 0], [1, 1])
    assert r.evaluations == alone.evaluations


def test_vectorized_is_said():
    seen = []

    def f(x):
        seen.append(x.shape)
        return x[..., 0]

    within(tessera.integrate(f, [0, 0], [1, 1], vectorized=False), 0.5)
    assert set(seen) == {(2,)}
    seen.clear()
    within(tessera.integrate(f, [0, 0], [1, 1], vectorized=True, shape=()), 0.5)
    assert all(len(s) == 2 for s in seen) and max(s[0] for s in seen) > 60


def test_values_of_any_shape():
    r = tessera.integrate(lambda x: x[:, 0, None, None] ** np.arange(6).reshape(2, 3), [0], [1])
    assert r.value.shape == r.error.shape == (2, 3)
    within(r, 1 / np.arange(1.0, 7).reshape(2, 3))


def test_complex_values():
    r = tessera.integrate(lambda x: np.exp(1j * x[:, 0] * x[:, 1]), [0, 0], [1, 1])
    assert r.value.dtype == complex and r.error.dtype == float
    within(r, 0.94608307036718301494 + 0.23981174200056472594j)
    r = tessera.integrate(lambda x: np.stack([x[:, 0] * 1j, x[:, 0] ** 2], axis=1), [0], [1])
    within(r, np.array([0.5j, 1 / 3]))


def test_a_function_that_becomes_complex_is_refused():
    with pytest.raises(TypeError, match="dtype=complex"):
        tessera.integrate(lambda x: x[:, 0] * (1j if len(x) > 8 else 1), [0], [1])


def test_a_shape_that_changes_is_refused():
    with pytest.raises(ValueError, match="array of shape"):
        tessera.integrate(lambda x: np.ones((len(x), 2 if len(x) > 8 else 1)), [0], [1])


def test_args():
    for args in ((2.0,), 2.0):
        within(tessera.integrate(lambda x, a: np.exp(-a * x[:, 0]), [0], [1], args=args), (1 - math.exp(-2)) / 2)


def test_infinite_ranges_and_reversed_limits():
    within(tessera.integrate(lambda x: np.exp(-np.sum(x**2, axis=1)), [-np.inf, 0], [np.inf, np.inf]), math.pi / 2)
    within(tessera.integrate(lambda x: x[:, 0], [1, 0], [0, 1]), -0.5)
    assert tessera.integrate(lambda x: x[:, 0], [1, 0], [1, 1]).value == 0


def test_limits_that_are_functions():
    within(tessera.integrate(lambda x: np.ones(len(x)), [0, 0], [1, lambda x: np.sqrt(1 - x[:, 0] ** 2)], rtol=1e-6), math.pi / 4)
    within(tessera.integrate(lambda x, y, z: 1.0, [0, 0, lambda x: -x[0]], [1, lambda x: x[0], lambda x: x[1]]), 1 / 2)
    with pytest.raises(ValueError, match="axis 1"):
        tessera.integrate(lambda x: np.ones(len(x)), [0, 0], [1, lambda x: -x[:, 0]])


def test_points_in_one_variable():
    within(tessera.integrate(lambda x: np.abs(x - 1 / 3) ** -0.5, 0, 1, points=[1 / 3]), 2 * (math.sqrt(1 / 3) + math.sqrt(2 / 3)))


def test_points_in_several_variables_become_corners():
    def f(x):
        r = np.sqrt(np.sum((x - [0.3, 0.6]) ** 2, axis=1))
        assert np.all(r > 0)
        return 1 / r

    r = tessera.integrate(f, [0, 0], [0.6, 1.2], points=[[0.3, 0.6]], rtol=1e-6, keep_regions=True)
    side = lambda a, b: a * math.asinh(b / a) + b * math.asinh(a / b)  # noqa: E731
    within(r, 4 * side(0.3, 0.6))
    assert r.regions.a.shape == (len(r.regions), 2)
    inside = (r.regions.a < [0.3, 0.6]) & (r.regions.b > [0.3, 0.6])
    assert not np.any(np.all(inside, axis=1))
    assert np.isclose(np.prod(r.regions.b - r.regions.a, axis=1).sum(), 0.72)
    with pytest.raises(ValueError, match="between the limits"):
        tessera.integrate(f, [0, 0], [1, 1], points=[[2, 2]])


def test_regions_as_arrays(peak):
    r = tessera.integrate(lambda x: peak(20 * (x - 0.3)), [0, 0], [1, 1], method="cubature", keep_regions=True, sparse=1)
    assert np.isclose(r.regions.estimate.sum(), r.value) and len(r.regions.axis) == len(r.regions)
    first = next(iter(r.regions))
    assert np.all(first.a < first.b) and first.error >= 0
    with pytest.raises(ValueError, match="keep_regions"):
        tessera.integrate(peak, [0, 0], [1, 1]).regions.a


def test_going_on_from_regions(peak):
    def f(x):
        return peak(20 * (x - 0.3))

    whole = tessera.integrate(f, [0, 0], [1, 1], method="cubature", sparse=1)
    part = tessera.integrate(f, [0, 0], [1, 1], method="cubature", sparse=1, maxeval=whole.evaluations // 2, keep_regions=True)
    assert part.status == tessera.Status.LIMIT_EVALUATIONS and not part.success
    rest = tessera.integrate(f, [0, 0], [1, 1], sparse=1, resume=part)
    assert rest.value == whole.value and rest.error == whole.error and rest.evaluations == whole.evaluations


@pytest.mark.parametrize("method", ["auto", "cubature", "lattice", "montecarlo", "vegas", "iterated"])
def test_methods(method, peak):
    r = tessera.integrate(peak, [0, 0], [1, 1], method=method, rtol=1e-3)
    within(r, peak.exact(2))
    assert r.method == {"auto": "cubature", "vegas": "montecarlo"}.get(method, method)


def test_options_have_names(peak):
    r = tessera.integrate(peak, [0, 0], [1, 1], method="cubature", rule="gm7", sparse="off", rtol=1e-4)
    assert r.statistics["rule_used"] == 7
    r = tessera.integrate(peak, [0, 0], [1, 1], method="lattice", transform="baker", shifts=8, rtol=1e-3)
    assert r.statistics["transform_used"] == 2
    assert tessera.integrate(peak, [0, 0], [1, 1], rule="genz-malik", method="cubature", rtol=1e-4).statistics["rule_used"] == 7
    for wrong, kind, text in (({"nonsense": 1}, TypeError, "nonsense"), ({"rule": "gm8"}, ValueError, "gm8"), ({"maxeval": 1.5}, TypeError, "integer"),
                              ({"maxeval": 0}, ValueError, "maxeval"), ({"maxeval": 2**70}, ValueError, "64 bits"), ({"max_seconds": "x"}, ValueError, "number"),
                              ({"method": "best"}, ValueError, "best"), ({"device": "tpu"}, ValueError, "tpu"), ({"rtol": -1}, ValueError, "reltol"),
                              ({"workers": -3}, ValueError, "workers")):  # fmt: skip
        with pytest.raises(kind, match=text):
            tessera.integrate(peak, [0, 0], [1, 1], **wrong)


@pytest.mark.parametrize("a, b", [([], []), ([0, 0], [1, 1, 1]), ([np.nan], [1]), ([[0]], [1]), (["x"], [1])])
def test_limits_that_cannot_be(a, b):
    with pytest.raises(ValueError):
        tessera.integrate(lambda x: x[:, 0], a, b)


@pytest.mark.parametrize("a, b, lengths", [([0, 0], [1], "a has 2 entries and b has 1"), ([0], np.ones(3), "a has 1 entry and b has 3"), ([0, 0], [1, 1, 1], "a has 2 entries and b has 3")])
def test_arrays_of_limits_have_as_many_entries(a, b, lengths):
    with pytest.raises(ValueError, match=lengths):
        tessera.integrate(lambda x: x[:, 0], a, b)


def test_a_number_is_the_limit_of_all_axes(peak):
    within(tessera.integrate(peak, 0, [1, 1]), peak.exact(2))
    within(tessera.integrate(peak, np.zeros(2), np.float64(1)), peak.exact(2))


def test_what_is_no_function():
    for f in (3, None, "x*x"):
        with pytest.raises(TypeError):
            tessera.integrate(f, [0], [1])
    with pytest.raises(TypeError, match="numbers"):
        tessera.integrate(lambda x: np.full(len(x), "a"), [0], [1])


def test_nan_is_reported_with_its_point():
    r = tessera.integrate(lambda x: np.where(x[:, 0] > 0.9, np.nan, x[:, 0]), [0, 0], [1, 1], method="cubature")
    assert r.status is tessera.Status.NONFINITE and not r.success and "0.9" in r.message and "nonfinite_policy='zero'" in r.message
    within(tessera.integrate(lambda x: np.where(x == 0.5, np.nan, 1.0), 0, 1, nonfinite_policy="zero", rtol=0.5), 1)
    r = tessera.integrate(lambda x: np.full(len(x), np.nan), [0, 0], [1, 1], method="cubature", nonfinite_policy="zero")
    assert r.status is tessera.Status.NONFINITE and "nonfinite_policy" not in r.message


def test_the_criterion_is_that_of_scipy_at_a_limit():
    # The run ends at its limit of evaluations; whether that is a success is error <= atol + rtol*|value|.
    def f(x):
        return np.abs(x[:, 0] - np.sqrt(2) / 2) + np.abs(x[:, 1] - np.sqrt(3) / 3)

    end = tessera.integrate(f, [0, 0], [1, 1], method="cubature", maxeval=3000, rtol=1e-12)
    assert end.status is tessera.Status.LIMIT_EVALUATIONS
    half, tenth = 0.6 * end.error, 0.1 * end.error
    both = tessera.integrate(f, [0, 0], [1, 1], method="cubature", maxeval=3000, rtol=half / end.value, atol=half)
    assert both.error == end.error and both.success and both.status is tessera.Status.OK
    less = tessera.integrate(f, [0, 0], [1, 1], method="cubature", maxeval=3000, rtol=half / end.value, atol=tenth)
    assert less.error == end.error and not less.success and less.status is tessera.Status.LIMIT_EVALUATIONS


def test_results_do_not_depend_on_workers(peak):
    one, three = (tessera.integrate(peak, [0] * 4, [1] * 4, workers=w, rtol=1e-9) for w in (1, 3))
    assert one.value == three.value and one.error == three.error and one.evaluations == three.evaluations


def test_workers_like_map(peak):
    calls = []

    def pool(f, parts):
        parts = list(parts)
        calls.append(len(parts))
        return [f(p) for p in parts]

    r = tessera.integrate(peak, [0] * 4, [1] * 4, workers=pool)
    assert r.value == tessera.integrate(peak, [0] * 4, [1] * 4).value and max(calls) > 1


def test_points_may_be_kept(peak):
    kept = []

    def f(x):
        kept.append(x)
        return peak(x)

    tessera.integrate(f, [0, 0], [1, 1])
    x = np.concatenate(kept)
    assert np.all((x > 0) & (x < 1)) and len(np.unique(x, axis=0)) > 150


def test_vegas_grids(peak, tmp_path):
    def f(x):
        return peak(12 * (x - 0.5))

    r = tessera.integrate(f, [0] * 4, [1] * 4, method="vegas", rtol=1e-3)
    assert r.grid.shape == (4, 129) and np.all(np.diff(r.grid, axis=1) > 0) and r.statistics["chi2_components"].shape == (1,)
    tessera.save_grid(tmp_path / "grid", r.grid)
    assert np.array_equal(tessera.load_grid(tmp_path / "grid", 4), r.grid)
    again = tessera.integrate(f, [0] * 4, [1] * 4, method="vegas", rtol=1e-3, grid=r.grid)
    assert again.success and again.evaluations < r.evaluations
    with pytest.raises(ValueError, match="shape"):
        tessera.integrate(f, [0] * 4, [1] * 4, method="vegas", grid=r.grid[:3])


def test_the_state_of_vegas_goes_on(peak):
    def f(x):
        return peak(12 * (x - 0.5))

    options = {"method": "vegas", "generator": "philox", "rtol": 1e-3, "seed": 5}
    whole = tessera.integrate(f, [0] * 4, [1] * 4, **options)
    part = tessera.integrate(f, [0] * 4, [1] * 4, **options, keep_state=True, progress_seconds=0,
                             progress=lambda p: p.evaluations > whole.evaluations // 2)  # fmt: skip
    assert part.status is tessera.Status.STOPPED and part.state is not None
    options["method"] = "auto"
    rest = tessera.integrate(f, [0] * 4, [1] * 4, **options, resume=part)
    assert (rest.value, rest.error, rest.evaluations) == (whole.value, whole.error, whole.evaluations)


def test_the_version_is_the_library_s():
    assert tessera.__version__ == tessera.version() and tessera.version().count(".") == 2


def test_mistakes_are_named():
    with pytest.raises(TypeError, match="did you mean 'rtol'"):
        tessera.integrate(lambda x: x[:, 0], [0], [1], epsrel=1e-6)
    with pytest.raises(TypeError, match="did you mean 'maxeval'"):
        tessera.integrate(lambda x: x[:, 0], [0], [1], max_eval=10)
    with pytest.raises(ValueError, match=r"shape \(3, 5\) for 5 points"):  # components first
        tessera.integrate(lambda x: np.array([x[:, 0], x[:, 1], x[:, 0]]), [0, 0], [1, 1])


def test_a_result_in_a_line():
    one = str(tessera.integrate(lambda x: x[:, 0], [0, 0], [1, 1], method="cubature"))
    assert one.startswith("0.5") and "the tolerance is met" in one and "cubature" in one and "\n" not in one
    assert str(tessera.integrate(lambda x: x, [0, 0], [1, 1])).startswith("[0.5 0.5] +- [")
    with pytest.raises(TypeError, match="'n', did you mean 'maxeval'"):
        tessera.integrate(lambda x: x[:, 0], [0, 0], [1, 1], n=100)
