"""What the rule for ties does to errors: the first class, the first object, or the majority of
those that are as near.
"""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

import wideberth as wb
from benchmarks.data import REPEATS, Case, of_file
from benchmarks.outside_data import missing
from benchmarks.results import Facts
from benchmarks.timing import table

#: How many neighbours vote.
SIZES = (1, 5, 15)
#: File, metric, and how many objects.
FILES = (
    ("words_6_languages.csv", "levenshtein", None),
    ("names_18_nationalities.csv", "levenshtein", 3000),
    ("splice_junctions.csv", "hamming", 3000),
    ("promoters.csv", "hamming", None),
)

Codes = NDArray[np.int64]


def cases() -> list[Case]:
    """Sets whose distances are whole numbers."""
    digits = load_digits()
    of_files = [
        of_file(file, metric, n, (np.nan, np.nan), 0)
        for file, metric, n in FILES
        if not missing([file])
    ]
    return [*of_files, Case("digits", "manhattan", digits.data, digits.target)]


def in_order(distances: NDArray[np.float64], codes: Codes, k: int) -> Codes:
    """The answers by k objects in the order of (distance, position): of classes with as many votes
    that of the nearest.
    """
    answers = []
    for row in distances:
        near = codes[np.argsort(row, kind="stable")[:k]]
        counts = np.bincount(near)
        answers.append(next(code for code in near if counts[code] == counts.max()))
    return np.array(answers)


def errors_of(case: Case) -> dict[str, Any]:
    """The share of queries with nearest objects of several classes, and the errors by each rule in
    all folds, in percent.
    """
    space = wb.MetricSpace(case.objects, case.metric)
    codes = np.unique(case.labels, return_inverse=True)[1]
    tied: list[float] = []
    wrong: dict[str, list[float]] = {}
    for _, known, asked in case.folds():
        distances = space.metric.block(space.index[asked], space.index[known])
        nearest = distances == distances.min(axis=1, keepdims=True)
        tied.append(
            100 * float(np.mean([len(np.unique(codes[known][row])) > 1 for row in nearest]))
        )
        by_class = np.argsort(codes[known], kind="stable")
        for k in SIZES:
            model = wb.NeighborsClassifier(space.metric, n_neighbors=k).fit(
                space.index[known], codes[known]
            )
            answers = {
                "first class": in_order(distances[:, by_class], codes[known][by_class], k),
                "first object": in_order(distances, codes[known], k),
                "shared": model.predict(space.index[asked]),
            }
            for rule, given in answers.items():
                wrong.setdefault(f"{k} {rule}", []).append(
                    100 * float(np.mean(given != codes[asked]))
                )
    print(
        case.name,
        case.metric_name,
        {name: round(float(np.mean(each)), 1) for name, each in wrong.items()},
        file=sys.stderr,
    )
    return {
        "name": case.name,
        "metric": case.metric_name,
        "size": case.size,
        "tied": float(np.mean(tied)),
        "wrong": wrong,
    }


def measure() -> Facts:
    return {"sets": [errors_of(case) for case in cases()]}


def page(facts: Facts) -> str:
    rules = [f"{k}-NN, {rule}" for k in SIZES for rule in ("first class", "first object", "shared")]
    lines = [_line(each) for each in facts["sets"]]
    return "\n\n".join(
        [
            WORDS.format(repeats=REPEATS),
            table(["data", "metric", "n / classes", "tied", *rules], lines),
        ]
    )


def _line(fact: dict[str, Any]) -> list[str]:
    cells = []
    for k in SIZES:
        cells += [
            f"{np.mean(fact['wrong'][f'{k} {rule}']):.1f}"
            for rule in ("first class", "first object")
        ]
        shared, before = (
            np.array(fact["wrong"][f"{k} {rule}"]) for rule in ("shared", "first object")
        )
        gain = shared - before
        cells.append(
            f"**{shared.mean():.1f}** ({gain.mean():+.1f} ± "
            f"{gain.std(ddof=1) / np.sqrt(len(gain)):.1f})"
        )
    return [fact["name"], fact["metric"], fact["size"], f"{fact['tied']:.0f} %", *cells]


WORDS = """\
# Ties of neighbours

From `make bench` (`python -m benchmarks ties`): errors in % where distances are whole numbers, in the same folds of {repeats} x
2-fold stratified cross-validation, by three rules. Of objects that are as near, those of the first class come first; or those
that come first in the file; or none does, and they share the votes that are left, as `NeighborsClassifier` counts
(`wideberth.geometry.classes.votes`). In brackets is the difference from the second rule, with one standard error over the folds.
"tied" is the share of queries whose nearest objects are of several classes."""
