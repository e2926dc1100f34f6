"""Exceptions, Ctrl-C, limits, progress. SPDX-License-Identifier: BSD-3-Clause"""
import os
import signal
import threading
import time

import numpy as np
import pytest
import tessera


class Mine(Exception):
    pass


def waves(x):
    return np.cos(np.sum(x * np.arange(1, x.shape[1] + 1) * 9, axis=1))


@pytest.mark.parametrize("workers", [1, 3])
def test_an_exception_comes_out_as_itself(workers):
    calls = []

    def f(x):
        calls.append(len(x))
        if len(calls) > 60:
            raise Mine("sixty")
        return waves(x)

    with pytest.raises(Mine, match="sixty") as caught:
        tessera.integrate(f, [0] * 4, [1] * 4, rtol=1e-12, workers=workers, method="cubature")
    assert caught.value.result.evaluations > 0 and np.isfinite(caught.value.result.value)
    assert "f" in [frame.name for frame in caught.traceback]


def test_an_exception_before_any_value():
    def f(x):
        if len(x) > 6:
            raise Mine
        return waves(x)

    with pytest.raises(Mine) as caught:
        tessera.integrate(f, [0] * 3, [1] * 3)
    assert caught.value.result is None


def test_the_exception_of_a_wrong_function_is_shown():
    with pytest.raises(ZeroDivisionError):
        tessera.integrate(lambda x: 1 / 0, [0], [1])
    with pytest.raises(NameError):
        tessera.integrate(lambda x: undefined, [0], [1])  # noqa: F821


def test_an_exception_in_limits_and_in_progress():
    def limit(x):
        if len(x) > 6:
            raise Mine
        return x[:, 0]

    with pytest.raises(Mine):
        tessera.integrate(waves, [0, 0], [1, limit])
    with pytest.raises(Mine):
        tessera.integrate(waves, [0] * 5, [1] * 5, rtol=1e-12, progress=_raise, progress_seconds=0, maxeval=10**6)


def _raise(_):
    raise Mine


def press(seconds):
    timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_ctrl_c_keeps_the_value_so_far():
    before = signal.getsignal(signal.SIGINT)
    timer, start = press(0.3), time.perf_counter()
    with pytest.raises(tessera.Interrupted) as caught:
        tessera.integrate(waves, [0] * 6, [1] * 6, rtol=1e-13, maxeval=10**10)
    timer.join()
    assert time.perf_counter() - start < 5
    assert isinstance(caught.value, KeyboardInterrupt) and caught.value.result.evaluations > 0 and not caught.value.result.success
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_in_the_last_call_is_not_lost():
    calls = []

    def f(x):
        calls.append(len(x))
        if sum(calls) == last:
            os.kill(os.getpid(), signal.SIGINT)
        return np.exp(x)

    last = 0
    assert tessera.quad(f, 0, 1, vectorized=True, shape=()).success
    last = sum(calls)
    calls.clear()
    with pytest.raises(tessera.Interrupted) as caught:
        tessera.quad(f, 0, 1, vectorized=True, shape=())
    assert sum(calls) == last and caught.value.result.success
    assert tessera.quad(f, 0, 1, vectorized=True, shape=()).success


def test_ctrl_c_in_an_integral_inside_of_an_integral():
    def outer(x):
        return [tessera.integrate(waves, [0] * 6, [v[0] + 1] * 6, rtol=1e-13, maxeval=10**10).value for v in x]

    timer = press(0.3)
    with pytest.raises(tessera.Interrupted):
        tessera.integrate(outer, [0], [1], vectorized=True, shape=())
    timer.join()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_gil_is_released():
    # While a run that calls Python once in a while is under way in another thread, this one goes on.
    done = []
    thread = threading.Thread(target=lambda: done.append(tessera.integrate(waves, [0] * 5, [1] * 5, rtol=1e-13, maxeval=2 * 10**6)))
    thread.start()
    count = 0
    while thread.is_alive():
        count += 1
        time.sleep(0.001)
    assert count > 10 and done[0].evaluations > 10**6


def test_runs_of_different_threads():
    results = {}

    def run(i):
        results[i] = tessera.integrate(lambda x: x[:, 0] ** i, [0, 0], [1, 1]).value

    threads = [threading.Thread(target=run, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert np.allclose([results[i] for i in range(8)], 1 / np.arange(1.0, 9))


def test_integrals_inside_of_integrals():
    def outer(x):
        return [tessera.quad(lambda y: y * v, 0, 1).value for v in x]

    assert np.isclose(tessera.quad(outer, 0, 1, vectorized=True).value, 0.25)


def test_progress_stops_and_history_is_kept():
    seen = []

    def progress(state):
        seen.append(state)
        return state.evaluations > 20000

    r = tessera.integrate(waves, [0] * 4, [1] * 4, rtol=1e-12, progress=progress, progress_seconds=0, history=True)
    assert r.status is tessera.Status.STOPPED and not r.success and 20000 < r.evaluations < 10**6
    assert [s.evaluations for s in seen] == sorted(s.evaluations for s in seen) and len(r.history) == len(seen)
    assert seen[-1].share is None or 0 <= seen[-1].share <= 1


def test_the_bar_in_a_terminal(capsys, monkeypatch):
    import sys

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    tessera.integrate(waves, [0] * 4, [1] * 4, rtol=1e-12, maxeval=10**6, progress=True, progress_seconds=0)
    shown = capsys.readouterr().err
    assert shown.count("\r") > 1 and "evaluations" in shown and "+-" in shown and shown.endswith("\n")


def test_the_bar_in_a_notebook(monkeypatch):
    import sys
    import types

    shown = []

    class Handle:
        update = staticmethod(shown.append)

    ZMQInteractiveShell = type("ZMQInteractiveShell", (), {})
    display = types.SimpleNamespace(HTML=str, display=lambda *a, **k: Handle)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=ZMQInteractiveShell, display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    tessera.integrate(waves, [0] * 4, [1] * 4, rtol=1e-12, maxeval=10**5, progress=True, progress_seconds=0)
    assert len(shown) > 1 and all("<progress" in one for one in shown) and 'value="1.000"' in shown[-1]


def test_limits():
    r = tessera.integrate(waves, [0] * 6, [1] * 6, rtol=1e-13, maxeval=10000)
    assert r.status is tessera.Status.LIMIT_EVALUATIONS and r.evaluations <= 10000 and "maxeval" in r.message
    start = time.perf_counter()
    r = tessera.integrate(waves, [0] * 6, [1] * 6, rtol=1e-13, max_seconds=0.2)
    assert r.status is tessera.Status.LIMIT_TIME and time.perf_counter() - start < 3


def test_the_log_speaks():
    lines = []
    tessera.integrate(waves, [0] * 3, [1] * 3, method="auto", rtol=1e-6, log=lambda level, line: lines.append((level, line)))
    assert any("automatic choice" in line for _, line in lines)


def test_pictures():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    r = tessera.integrate(waves, [0] * 2, [1] * 2, method="cubature", sparse="off", keep_regions=True, history=True)
    assert len(r.plot()) == 2 and len(r.plot("regions")) == 1
    with pytest.raises(ValueError, match="history"):
        tessera.integrate(waves, [0] * 2, [1] * 2).plot("convergence")
    with pytest.raises(ValueError, match="keep_regions"):
        tessera.integrate(waves, [0] * 2, [1] * 2).plot()
