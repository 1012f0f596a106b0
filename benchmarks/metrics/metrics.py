"""Errors of neighbours and of an SVM under each metric, on objects of every kind, and the time of a
distance.
"""

import warnings
from typing import Any

from benchmarks.folders import PAGES
from benchmarks.metrics.behind import behind_the_best
from benchmarks.metrics.comparison import REPEATS, ROUNDS, rows_of
from benchmarks.metrics.labelled_objects import MOST, compared
from benchmarks.results import Facts
from benchmarks.timing import table

PICTURE = PAGES / "metrics.svg"
PLOT = "![How far each metric stays behind the best of its set](metrics.svg)"


def measure() -> Facts:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = [row for case in compared() for row in rows_of(case)]
    return {"rows": rows}


def page(facts: Facts) -> str:
    rows = facts["rows"]
    parts = [
        "# Which metric",
        "",
        f"From `make bench` (`python -m benchmarks metrics`): errors in %, means over {REPEATS} "
        "halvings of each set, both",
        f"halves learned from, of at most {MOST:,} objects chosen at random (fewer where distances "
        "take long: n is in the",
        "tables). kNN chooses its number of neighbours by leaving one out, the SVM its kernel, "
        "width and price in three folds.",
        "An error of 20 % has a standard deviation of sqrt(0.2 x 0.8 / n), 1.4 points for 800 "
        "objects and 4 for 100: smaller",
        "differences say little, and the best of several is a little too good. A metric that "
        "learns from a sample learns from",
        "the training half.",
        "",
        "µs: processor time of a distance between prepared objects, in a block, warm; the fastest "
        f"of {ROUNDS}, so that other",
        "work on the machine counts little. Sums are of the metrics marked +: *equal shares*, each "
        "divided by its mean distance",
        "in the training half (`transforms.total(...).balanced`); *weights learned* from its "
        "labels (`aligned`).",
        *([facts["note"]] if "note" in facts else []),
        "",
        "## The best of each set",
        "",
        table(
            ["objects", "data", "first choice", "kNN", "best for kNN", "SVM", "best for the SVM"],
            _best(rows),
        ),
        "",
        "All of them, those that stay behind least on the mean of their sets first; not every "
        "metric was tried on every set, and",
        "what lies within a point or two of the best is as good:",
        "",
        PLOT,
        "",
    ]
    for kind in dict.fromkeys(row["kind"] for row in rows):
        parts += [f"## {kind[0].upper()}{kind[1:]}", ""]
        lines = [_line(row) for row in rows if row["kind"] == kind]
        parts += [table(["data", "n / classes", "metric", "kNN", "SVM", "µs"], lines), ""]
    return "\n".join(parts)


def draw_from(facts: Facts) -> None:
    """A panel for each kind of objects."""
    from benchmarks.metrics.metrics_plot import draw

    if facts["rows"]:
        draw(behind_the_best(facts["rows"]), PICTURE)


def _line(row: dict[str, Any]) -> list[str]:
    time = "" if row["us"] is None else f"{row['us']:.2g}"
    return [
        row["data"],
        f"{row['n']:,} / {row['classes']}",
        row["metric"],
        _shown(row["kNN"]),
        _shown(row["SVM"]),
        time,
    ]


def _best(rows: list[dict[str, Any]]) -> list[list[str]]:
    """For each set the errors of its first metric, and of the best for both models."""
    lines = []
    for data in dict.fromkeys(row["data"] for row in rows):
        own = [row for row in rows if row["data"] == data]
        cells = [own[0]["kind"], data, own[0]["metric"].removesuffix(" +")]
        for model in ("kNN", "SVM"):
            best = min((row for row in own if row[model] is not None), key=lambda row: row[model])
            cells += [
                _shown(own[0][model]),
                f"{best['metric'].removesuffix(' +')}: {_shown(best[model])}",
            ]
        lines.append(cells)
    return lines


def _shown(error: float | None) -> str:
    return "-" if error is None else f"{error:.1f}"
