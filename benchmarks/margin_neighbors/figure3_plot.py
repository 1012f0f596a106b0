"""Penalties against the number of objects, and against the number of classes."""

from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

#: The curves of the figure and the one that is smallest; the others would only cover them.
DRAWN = {"Theorem 5, printed": ":", "Theorem 5, valid": "--", "cells": "-"}


def draw(
    curves: dict[str, Callable[[float, float], float]],
    lipschitz_constants: Sequence[float],
    growths: dict[str, list[float]],
    class_numbers: Sequence[int],
    path: Path,
) -> None:
    """Write both panels; the same numbers give the same file."""
    sizes = np.logspace(3, 15, 121)
    with mpl.rc_context({"svg.hashsalt": "figure3", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(11, 4.5), layout="constrained")
        left, right = figure.subplots(1, 2)
        for place, L in enumerate(lipschitz_constants):
            for name, style in DRAWN.items():
                values = [curves[name](n, L) for n in sizes]
                left.plot(sizes, values, style, color=f"C{place}", label=f"L = {L}" if style == "-" else None)
        left.set(xscale="log", ylim=(0, 1), xlabel="objects", ylabel="penalty")
        left.set_title("Figure 3; dotted: Theorem 5 as printed, dashed: as proved, solid: cells", fontsize=8)
        left.legend(frameon=False)
        for name, values in growths.items():
            right.plot(class_numbers, values, "--" if "(" in name else "-", label=name)
        right.set(xscale="log", yscale="log", ylim=(0.8, 200), xlabel="classes", ylabel="bound over that of two classes")
        right.set_title("Table 1; dashed: as printed there, solid: with all constants", fontsize=8)
        right.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
        figure.savefig(path, metadata={"Date": None})
