"""Loss against rounds, a panel for each number of labels and dimensions."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from benchmarks.online.online import Summary
from benchmarks.online.race import DIMENSIONS, LABELS, Cell
from wideberth.plots import OnlineLossDisplay

#: Ours stand out; peers are thin.
OURS = {"sampling": ("C3", 2.2, "-"), "ellipsoid": ("C1", 1.6, "-"), "joint": ("C6", 1.6, "--")}
PEERS = {
    "Perceptron": ("C7", 1.0, "-"),
    "PA, MIRA": ("C0", 1.0, "-"),
    "PA": ("C0", 1.0, "-"),
    "MIRA": ("C0", 1.0, "--"),
    "AROW": ("C4", 1.0, "-"),
    "Chebyshev centre": ("C2", 1.0, "-"),
    "SGD log": ("C5", 1.0, "-"),
    "River ALMA": ("C9", 1.0, "-"),
    "River softmax": ("C9", 1.0, "--"),
}


def draw(found: dict[Cell, dict[str, Summary]], stream: str, path: Path) -> None:
    """Write the mean loss over the seeds, on logarithmic axes; the same outcomes give the same
    file.
    """
    with mpl.rc_context({"svg.hashsalt": stream, "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(11, 9.5), layout="constrained")
        panels = figure.subplots(len(LABELS), len(DIMENSIONS), sharex=True, squeeze=False)
        seen: dict[str, Line2D] = {}
        for row, k in zip(panels, LABELS, strict=True):
            for panel, d in zip(row, DIMENSIONS, strict=True):
                panel.set_title(f"{k} labels, {d} dimensions", fontsize=8)
                seen |= _lines(panel, found[Cell(stream, k, d)])
        figure.supxlabel("rounds")
        figure.supylabel("loss so far, mean over the seeds")
        figure.legend(
            list(seen.values()), list(seen), loc="outside upper center", ncols=6, frameon=False
        )
        figure.savefig(path, metadata={"Date": None})


def _lines(panel: Axes, found: dict[str, Summary]) -> dict[str, Line2D]:
    panel.grid(alpha=0.25)
    drawn: dict[str, Line2D] = {}
    for name, (colour, width, style) in (PEERS | OURS).items():
        if name in found:
            losses = np.diff(found[name].losses, prepend=0)
            display = OnlineLossDisplay(losses=losses, rounds=found[name].marks)
            drawn[name] = display.plot(panel, linestyle=style, color=colour, linewidth=width).line_
    panel.set(yscale="log", xlabel="", ylabel="")
    return drawn
