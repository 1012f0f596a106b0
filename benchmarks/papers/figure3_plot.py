"""Penalties against the number of objects, and against the number of classes."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.results import Facts

#: The curves of the figure and the one that is smallest; the others would only cover them.
DRAWN = {"Theorem 5, printed": ":", "Theorem 5, valid": "--", "cells": "-"}


def draw(
    facts: Facts, lipschitz_constants: Sequence[float], class_numbers: Sequence[int], path: Path
) -> None:
    """Write both panels; the same numbers give the same file."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "figure3", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(11, 4.5), layout="constrained")
        left, right = figure.subplots(1, 2)
        for place, L in enumerate(lipschitz_constants):
            for name, style in DRAWN.items():
                values = facts["drawn"][name][place]
                left.plot(
                    facts["sizes"],
                    values,
                    style,
                    color=f"C{place}",
                    label=f"L = {L}" if style == "-" else None,
                )
        left.set(xscale="log", ylim=(0, 1), xlabel="objects", ylabel="penalty")
        left.set_title(
            "Figure 3; dotted: Theorem 5 as printed, dashed: as proved, solid: cells", fontsize=8
        )
        left.legend(loc="lower left", bbox_to_anchor=(0.0, 0.02), framealpha=1.0)
        for name, values in facts["growths"].items():
            right.plot(class_numbers, values, "--" if "(" in name else "-", label=name)
        right.set(
            xscale="log",
            yscale="log",
            ylim=(0.8, 200),
            xlabel="classes",
            ylabel="bound over that of two classes",
        )
        right.set_title("Table 1; dashed: as printed there, solid: with all constants", fontsize=8)
        right.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
        figure.savefig(path, metadata={"Date": None})
