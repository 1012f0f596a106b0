"""Norm times capacity of each embedding, a line for each set."""

from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from benchmarks.guarantees.embeddings import Found

MARKS = {"Arens-Eells": ("C0", "o"), "Kuratowski": ("C1", "s"), "Hilbert": ("C3", "D")}


def draw(sets: "list[Found]", path: Path) -> None:
    """Write a dot for each embedding of each set, with a line up to the limit that is proved; the
    same outcomes give one file.
    """
    with mpl.rc_context({"svg.hashsalt": "embeddings", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(7.5, 4.8), layout="constrained")
        panel = figure.subplots()
        for name, (colour, mark) in MARKS.items():
            there = [
                (place, line)
                for place, each in enumerate(sets)
                for line in each.rivals
                if line.name.startswith(name)
            ]
            places, lines = [place for place, _ in there], [line for _, line in there]
            panel.plot(
                [line.price for line in lines], places, mark, color=colour, label=name, markersize=5
            )
            panel.hlines(
                places,
                [line.price for line in lines],
                [line.norm * line.capacity_high for line in lines],
                color=colour,
            )
        panel.set_xscale("log")
        panel.set_yticks(
            range(len(sets)),
            [f"{each.data.name}, {each.data.metric_name.partition(',')[0]}" for each in sets],
        )
        panel.invert_yaxis()
        panel.grid(alpha=0.25)
        panel.set_xlabel("norm at half the loss of a constant x capacity of the unit ball")
        figure.legend(loc="outside upper center", ncols=3, frameon=False)
        figure.savefig(path, metadata={"Date": None})
