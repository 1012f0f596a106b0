"""Capacities against the number of objects, beside the rates of theory."""

from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from benchmarks.guarantees.capacity_rates import BOUND_SIZES, Curve, Rates
from wideberth.papers.capacities import discrepancy_rate

Floats = NDArray[np.float64]


def draw(found: Rates, path: Path) -> None:
    """Write four panels on logarithmic axes; the same curves give the same file."""
    with mpl.rc_context({"svg.hashsalt": "capacity", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(11, 8), layout="constrained")
        (discrepancies, averages), (bounds, data) = figure.subplots(2, 2)
        _rates(
            discrepancies,
            "maximum discrepancy, cube (dots) and torus (crosses)",
            found.cube,
            found.torus,
        )
        _rates(
            averages, "Rademacher average of the Lipschitz ball, matched part", found.averages, {}
        )
        _bounds(bounds, found)
        _data(data, found)
        for panel in (discrepancies, averages, bounds, data):
            panel.set_xscale("log")
            panel.grid(alpha=0.25)
            panel.set_xlabel("objects")
        figure.savefig(path, metadata={"Date": None})


def _rates(panel: Axes, title: str, curves: dict[int, Curve], others: dict[int, Curve]) -> None:
    panel.set_title(title, fontsize=8)
    panel.set_yscale("log")
    for d, curve in curves.items():
        colour = f"C{d}"
        rate = _through_last(curve, lambda n, d=d: discrepancy_rate(n, d))
        panel.plot(curve.sizes, rate, "--", color=colour, linewidth=0.8)
        panel.errorbar(
            curve.sizes,
            curve.means,
            2 * curve.errors,
            fmt="o",
            markersize=3,
            color=colour,
            label=f"d = {d}",
        )
        if d in others:
            panel.plot(others[d].sizes, others[d].means, "x", markersize=4, color=colour)
    panel.legend(
        frameon=False, title="dashed: theory, through the last mean", fontsize=7, title_fontsize=7
    )


def _through_last(curve: Curve, rate: Callable[[float], float]) -> Floats:
    values = np.array([rate(n) for n in curve.sizes])
    return np.asarray(values * curve.means[-1] / values[-1])


def _bounds(panel: Axes, found: Rates) -> None:
    panel.set_title(
        "in the plane, times sqrt n: bounds from covering numbers grow like ln n", fontsize=8
    )
    for place, (name, values) in enumerate(found.bounds.items()):
        panel.plot(
            BOUND_SIZES,
            values * np.sqrt(BOUND_SIZES),
            "o-",
            markersize=3,
            color=f"C{place}",
            label=name,
        )
    panel.legend(frameon=False, fontsize=7)


def _data(panel: Axes, found: Rates) -> None:
    panel.set_title("on real data, in shares of the first mean; dashed: n^(-1/2)", fontsize=8)
    panel.set_yscale("log")
    for place, (name, curves) in enumerate(found.data.items()):
        for mark, (ball, curve) in zip("os^", curves.items(), strict=False):
            share = curve.means / curve.means[0]
            panel.plot(
                curve.sizes,
                share,
                f"{mark}-",
                markersize=3,
                color=f"C{place}",
                label=f"{name}: {ball}",
            )
            panel.plot(curve.sizes, np.sqrt(curve.sizes[0] / curve.sizes), "k--", linewidth=0.8)
    panel.legend(frameon=False, fontsize=7)
