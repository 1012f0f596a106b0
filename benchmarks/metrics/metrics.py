"""Errors of neighbours and of an SVM under each metric, on objects of every kind, and the time of a distance."""

import sys
import warnings
from collections.abc import Iterator
from time import process_time
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

import wideberth as wb
from benchmarks.data import Indices
from benchmarks.folders import PAGES
from benchmarks.metrics.behind import behind_the_best
from benchmarks.metrics.candidates import MOST, Compared, compared
from benchmarks.results import Facts
from benchmarks.timing import seconds, table

#: How often a set is halved; each half is learned from once.
REPEATS = 3
#: How many objects on each side of the block whose time is taken.
TIMED = 200
#: The words for a sum with learned weights.
LEARNED = "sum, weights learned"
PICTURE = PAGES / "metrics.svg"
PLOT = "![How far each metric stays behind the best of its set](metrics.svg)"


def folds(labels: Any) -> Iterator[tuple[Indices, Indices]]:
    for repeat in range(REPEATS):
        yield from StratifiedKFold(2, shuffle=True, random_state=repeat).split(labels, labels)


def models(metric: wb.Metric) -> dict[str, Any]:
    """Neighbours, whose number is chosen by leaving one out, and an SVM that chooses its kernel and price in three folds."""
    return {"kNN": wb.NeighborsClassifier(metric), "SVM": wb.HilbertSVCCV(metric, cv=3, random_state=0)}


def taken(objects: Any, some: Indices) -> Any:
    return objects[some] if isinstance(objects, np.ndarray) else [objects[each] for each in some]


def errors(case: Compared, metric: wb.Metric, *, learn_weights: bool = False) -> dict[str, float | None]:
    """The mean error of each model over the halves, in percent; None where a model refuses the metric."""
    found: dict[str, list[float]] = {}
    learns = learn_weights or metric.fitted(case.objects) is not metric
    space = None if learns else wb.MetricSpace(case.objects, metric)
    for known, asked in folds(case.labels):
        chosen, objects = (metric, case.objects) if space is None else (space.metric, space.index)
        if learn_weights:
            chosen = metric.aligned(taken(objects, known), case.labels[known])  # type: ignore[attr-defined]
        for name, model in models(chosen).items():
            try:
                model.fit(taken(objects, known), case.labels[known])
                wrong = model.predict(taken(objects, asked)) != case.labels[asked]
            except wb.errors.WideberthError as refused:
                print(name, refused, file=sys.stderr)
                continue
            found.setdefault(name, []).append(100 * float(np.mean(wrong)))
    return {name: float(np.mean(found[name])) if name in found else None for name in ("kNN", "SVM")}


def microseconds(case: Compared, metric: wb.Metric) -> float:
    """Processor time of one distance in a block, prepared and warm."""
    fitted = metric.fitted(case.objects)
    prepared = fitted.prepare(taken(case.objects, np.arange(min(TIMED, len(case.labels)))))
    fitted.block(prepared, prepared)
    took, block = seconds(lambda: fitted.block(prepared, prepared), process_time)
    return 1e6 * took / block.size


def rows_of(case: Compared) -> Iterator[dict[str, Any]]:
    about = {"kind": case.kind, "data": case.data, "n": len(case.labels), "classes": len(np.unique(case.labels))}
    for words, metric in case.metrics.items():
        yield about | {"metric": words, "us": microseconds(case, metric)} | errors(case, metric)
    if case.learned_sum is not None:
        yield about | {"metric": LEARNED, "us": None} | errors(case, case.learned_sum, learn_weights=True)


def measure() -> Facts:
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in compared():
            for row in rows_of(case):
                rows.append(row)
                print(row, file=sys.stderr, flush=True)
    return {"rows": rows}


def page(facts: Facts) -> str:
    rows = facts["rows"]
    parts = [
        "# Which metric",
        "",
        f"From `make bench` (`python -m benchmarks metrics`): errors in %, means over {REPEATS} halvings of each set, both",
        f"halves learned from, of at most {MOST:,} objects chosen at random (400 trees, 500 series). kNN chooses its number of",
        "neighbours by leaving one out, the SVM its kernel, width and price in three folds. An error of 20 % has a standard",
        "deviation of sqrt(0.2 x 0.8 / n), 1.3 points for 1,000 objects and 4 for 100: smaller differences say little, and the",
        "best of several is a little too good. Time: microseconds of processor time for a distance between prepared objects.",
        f"*{LEARNED}*: of the metrics marked +, by `transforms.total(...).aligned` on the training half. No set of mixed rows",
        "and none of protein sequences was at hand: `gower` and the matrices of amino acids are not compared here.",
        *([facts["note"]] if "note" in facts else []),
        "",
        "## The best of each set",
        "",
        table(["objects", "data", "first choice", "kNN", "best for kNN", "SVM", "best for the SVM"], _best(rows)),
        "",
        "All of them, those that stay behind least on the mean of their sets first; not every metric was tried on every set, and",
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

    draw(behind_the_best(facts["rows"]), PICTURE)


def _line(row: dict[str, Any]) -> list[str]:
    time = "" if row["us"] is None else f"{row['us']:.2g}"
    return [row["data"], f"{row['n']:,} / {row['classes']}", row["metric"], _shown(row["kNN"]), _shown(row["SVM"]), time]


def _best(rows: list[dict[str, Any]]) -> list[list[str]]:
    """For each set the errors of its first metric, and of the best for both models."""
    lines = []
    for data in dict.fromkeys(row["data"] for row in rows):
        own = [row for row in rows if row["data"] == data]
        cells = [own[0]["kind"], data, own[0]["metric"].removesuffix(" +")]
        for model in ("kNN", "SVM"):
            best = min((row for row in own if row[model] is not None), key=lambda row: row[model])
            cells += [_shown(own[0][model]), f"{best['metric'].removesuffix(' +')}: {_shown(best[model])}"]
        lines.append(cells)
    return lines


def _shown(error: float | None) -> str:
    return "-" if error is None else f"{error:.1f}"
