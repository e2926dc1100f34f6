"""Pictures of a result, by matplotlib.

SPDX-License-Identifier: BSD-3-Clause"""
import numpy as np


def plot(result, what=None, axes=None):
    import matplotlib.pyplot as plt

    there = [name for name, is_there in (("regions", _has_regions(result)), ("convergence", bool(result.history))) if is_there]
    wanted = there if what is None else [what] if isinstance(what, str) else list(what)
    for name in wanted:
        if name not in ("regions", "convergence"):
            raise ValueError(f"there is no picture {name!r}: 'regions', 'convergence'")
        if name not in there:
            raise ValueError("the regions of a run in two variables by cubature, with keep_regions=True, can be drawn" if name == "regions"
                             else "the convergence can be drawn of a run with history=True")
    if not wanted:
        raise ValueError("there is nothing to draw: run with keep_regions=True (two variables) or history=True")
    if axes is None:
        _, axes = plt.subplots(1, len(wanted), figsize=(5 * len(wanted), 4.2), squeeze=False)
        axes = axes[0]
    for name, one in zip(wanted, np.atleast_1d(axes)):
        (_regions if name == "regions" else _convergence)(result, one)
    return axes


def _has_regions(result):
    return result.domain is not None and result.domain.ndim == 2 and result.regions._records is not None


def _regions(result, axes):
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    a, size = result.regions.a, result.regions.b - result.regions.a
    error = result.regions.error.reshape(len(a), -1).max(axis=1)
    density = np.log10(np.maximum(error / size.prod(axis=1), 1e-300))
    boxes = PatchCollection([Rectangle(corner, *extent) for corner, extent in zip(a, size)], edgecolor="0.3", linewidth=0.3)
    boxes.set_array(density)
    boxes.set_clim(max(density.min(), density.max() - 16), density.max())
    axes.add_collection(boxes)
    axes.autoscale()
    axes.set(xlabel="x[0]", ylabel="x[1]", title=f"{len(a)} regions")
    axes.figure.colorbar(boxes, ax=axes, label="log10 of error / area")


def _convergence(result, axes):
    evaluations = np.array([entry[0] for entry in result.history])
    error = np.array([np.max(entry[2]) for entry in result.history])
    shown = np.isfinite(error) & (error > 0)
    axes.loglog(evaluations[shown], error[shown], marker=".", label="error estimate")
    goal = result.atol + result.rtol * np.max(np.abs(result.value))
    if goal > 0:
        axes.axhline(goal, linestyle="--", color="0.5", label="tolerance")
    axes.set(xlabel="evaluations", ylabel="error", title=result.method)
    axes.legend()
