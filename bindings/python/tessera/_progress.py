"""Progress: a line in a terminal, a bar in a notebook, or a function of the caller's.

SPDX-License-Identifier: BSD-3-Clause"""
import dataclasses
import html
import sys
import time
from typing import Any

import numpy as np


@dataclasses.dataclass
class Progress:
    """What the function given as `progress` receives: the evaluations so far, value and error as they are, the evaluations still
    to come (a rough guess, or None), the seconds so far and those still to come (or None), and the share of the work done
    (0 to 1, or None). A true value returned ends the run with Status.STOPPED."""

    evaluations: int
    value: Any
    error: Any
    remaining: Any
    seconds: float
    seconds_left: Any
    share: Any


class Observer:
    """Hands on what the library says: to the caller's function, to a bar, to the history."""

    def __init__(self, progress, shaped, keep_history):
        self.shaped = shaped
        self.history = [] if keep_history else None
        self.start = time.perf_counter()
        self.bar = None
        self.function = None
        if progress is True:
            self.bar = _Notebook() if _in_notebook() else _Terminal(sys.stderr)
        elif callable(progress):
            self.function = progress
        elif progress:
            raise TypeError("progress is True, False or a function")

    @property
    def wanted(self):
        return self.bar is not None or self.function is not None or self.history is not None

    def __call__(self, evaluations, value, error, remaining):
        value, error = self.shaped(value, error)
        if self.history is not None:
            self.history.append((evaluations, value, error))
        seconds = time.perf_counter() - self.start
        share = evaluations / (evaluations + remaining) if remaining >= 0 and evaluations else None
        left = seconds * remaining / evaluations if share is not None else None
        state = Progress(evaluations, value, error, remaining if remaining >= 0 else None, seconds, left, share)
        if self.bar is not None:
            self.bar.show(state)
        return bool(self.function(state)) if self.function is not None else False

    def end(self):
        if self.bar is not None:
            self.bar.end()


def text(state):
    """One line about a state."""
    value, error = np.ravel(state.value), np.ravel(state.error)
    shown = f"{value[0]:.10g} +- {error[0]:.1e}" + (f" and {len(value) - 1} more" if len(value) > 1 else "")
    left = f", about {_time(state.seconds_left)} left" if state.seconds_left is not None else ""
    return f"{state.evaluations:.3g} evaluations, {shown}, {_time(state.seconds)}{left}"


def _time(seconds):
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


class _Terminal:
    """One line that is written over; where the output is no terminal, a line every ten seconds."""

    WIDTH = 20

    def __init__(self, stream):
        self.stream, self.length, self.last = stream, 0, time.perf_counter()
        self.terminal = hasattr(stream, "isatty") and stream.isatty()

    def show(self, state):
        if not self.terminal:
            if time.perf_counter() - self.last < 10:
                return
            self.last = time.perf_counter()
            self.stream.write(text(state) + "\n")
            self.stream.flush()
            return
        full = int(self.WIDTH * (state.share or 0))
        line = f"[{'#' * full}{'.' * (self.WIDTH - full)}] {text(state)}"
        self.stream.write("\r" + line.ljust(self.length))
        self.stream.flush()
        self.length = len(line)

    def end(self):
        if self.terminal and self.length:
            self.stream.write("\n")
            self.stream.flush()


class _Notebook:
    """A bar of HTML in the cell's output, that is replaced."""

    def __init__(self):
        from IPython.display import HTML, display

        self.html = HTML
        self.handle = display(HTML(""), display_id=True)
        self.last = ""

    def show(self, state):
        self.last = html.escape(text(state))
        self.handle.update(self.html(self.markup(state.share)))

    def markup(self, share):
        bar = "<progress></progress>" if share is None else f'<progress value="{share:.3f}" max="1"></progress>'
        return f"<div>{bar} {self.last}</div>"

    def end(self):
        self.handle.update(self.html(self.markup(1.0)))


def _in_notebook():
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"
