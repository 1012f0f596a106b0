"""How far each metric stays behind the best of its set, a panel for each kind of objects."""

from pathlib import Path
from statistics import mean, median
from textwrap import fill
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from benchmarks.metrics.behind import Behind

#: The panels of both columns, from above; columns of about as many metrics.
COLUMNS = (
    ("vectors", "pixels", "rows", "words", "texts", "sets", "histograms"),
    ("series", "DNA", "peptides", "molecules", "graphs", "trees", "points"),
)
#: The form of the mark of each set of a kind, in their order.
MARKS = "osD^vPX*"
COLOURS = {"kNN": "C1", "SVM": "C0"}
#: Points above the best, the same in all panels: a difference looks as small on molecules as it is.
TICKS = (0, 1, 2, 5, 10, 20, 40, 70)
LARGEST = 74
#: Up to here an error is as good as the best: most sets are too small to tell such differences from
#: chance.
AS_GOOD = 2.0
#: How many letters of names of sets are beside each other above a panel.
WIDTH = 66
SMALL: dict[str, Any] = {
    "fontsize": 7,
    "borderpad": 0.1,
    "handletextpad": 0.1,
    "columnspacing": 1.0,
}
TITLE = (
    "error above that of the best metric of the set, for the same classifier, in percentage "
    "points; bar: mean; right: µs a pair"
)


def draw(kinds: dict[str, list[Behind]], path: Path) -> None:
    """Write the panels, metrics from the best to the worst; the same results give the same file."""
    with mpl.rc_context({"svg.hashsalt": "metrics", "svg.fonttype": "none", "font.size": 8}):
        columns = [
            there for names in COLUMNS if (there := [name for name in names if name in kinds])
        ]
        heights = [
            [len({each.metric for each in kinds[name]}) + 2.5 for name in names]
            for names in columns
        ]
        figure = Figure(figsize=(11.5, 1.0 + 0.21 * max(map(sum, heights))), layout="constrained")
        for column, names, lines in zip(
            figure.subfigures(1, len(columns), squeeze=False)[0], columns, heights, strict=True
        ):
            for panel, name in zip(
                np.ravel(column.subplots(len(names), 1, height_ratios=lines)), names, strict=True
            ):
                _panel(panel, name, kinds[name])
        handles = [
            Line2D([], [], linestyle="", marker="o", color=colour, label=model)
            for model, colour in COLOURS.items()
        ]
        figure.legend(
            handles=handles, title=TITLE, loc="outside upper center", ncols=2, frameon=False
        )
        figure.savefig(path, metadata={"Date": None})


def _panel(panel: Axes, kind: str, marks: list[Behind]) -> None:
    metrics = list(dict.fromkeys(each.metric for each in marks))
    sets = list(dict.fromkeys(each.data for each in marks))
    panel.axvspan(0, AS_GOOD, color="C2", alpha=0.12, linewidth=0)
    for model, colour in COLOURS.items():
        shift = -0.16 if model == "kNN" else 0.16  # so that equal points of both stay visible
        for data, mark in zip(sets, MARKS, strict=False):
            own = [each for each in marks if (each.model, each.data) == (model, data)]
            places = [metrics.index(each.metric) + shift for each in own]
            panel.plot(
                [each.points for each in own],
                places,
                mark,
                color=colour,
                markersize=4.5,
                alpha=0.8,
                clip_on=False,
            )
    for place, metric in enumerate(metrics):
        own = [each for each in marks if each.metric == metric]
        panel.plot(
            [mean(each.points for each in own)] * 2,
            [place - 0.42, place + 0.42],
            color="0.25",
            linewidth=1.4,
        )
        panel.text(
            1.01,
            place,
            _cost(own),
            transform=panel.get_yaxis_transform(),
            va="center",
            fontsize=7,
            color="0.35",
        )
    panel.set_xscale(
        "function", functions=(lambda x: np.sqrt(np.maximum(x, 0)), np.square)
    )  # near ones apart, far ones inside
    panel.set_xticks(TICKS, [str(tick) for tick in TICKS])
    panel.set_xlim(0, LARGEST)
    panel.set_yticks(range(len(metrics)), [fill(metric, 36) for metric in metrics])
    panel.set_ylim(len(metrics) - 0.5, -0.5)
    panel.grid(alpha=0.3)
    panel.text(
        -0.025, 1.03, kind, transform=panel.transAxes, ha="right", fontweight="bold", fontsize=9
    )
    forms = [
        Line2D([], [], linestyle="", marker=mark, color="0.4", label=data)
        for data, mark in zip(sets, MARKS, strict=False)
    ]
    side_by_side = max(1, min(len(sets), WIDTH // (max(map(len, sets)) + 5)))
    panel.set_title(
        "\n" * (-(-len(sets) // side_by_side) - 1) + " ", fontsize=8
    )  # keeps the place of the legend free
    legend = panel.legend(
        handles=forms,
        loc="lower left",
        bbox_to_anchor=(0, 0.99),
        ncols=side_by_side,
        frameon=False,
        **SMALL,
    )
    legend.set_in_layout(False)  # else a wide one takes its width from the panels


def _cost(marks: list[Behind]) -> str:
    """The median time of a distance over the sets; nothing for sums, whose parts cost what they
    cost.
    """
    times = [each.microseconds for each in marks if each.microseconds is not None]
    return f"{float(f'{median(times):.1g}'):g}" if times else ""
