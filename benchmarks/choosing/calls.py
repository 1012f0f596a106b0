"""How often a fit calls a distance that is a Python function, for each pair of objects."""

import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV

import wideberth as wb
from benchmarks.results import Facts
from benchmarks.rows import Row
from benchmarks.timing import table
from wideberth.classifiers.named import CLASSIFIERS

LEARNED, ASKED, FOLDS, PRICES = 200, 20, 3, 3
HEAD = ["fit", "promised", "nothing promised"]


class Counted:
    """The number of places in which two names differ, with a count of the calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, one: str, other: str) -> float:
        self.calls += 1
        return abs(len(one) - len(other)) + sum(a != b for a, b in zip(one, other, strict=False))


def measure() -> Facts:
    names, sexes = map(np.asarray, wb.datasets.load_first_names())
    order = np.random.default_rng(0).permutation(len(names))
    known, asked = order[:LEARNED], order[LEARNED : LEARNED + ASKED]
    return {
        "promised": _counts(names[known], sexes[known], names[asked], promise=True),
        "nothing promised": _counts(names[known], sexes[known], names[asked], promise=None),
    }


def _counts(objects: Any, labels: Any, asked: Any, *, promise: bool | None) -> Facts:
    """The calls of each fit, of all fits on one space with the answers for new objects, and what
    the space says of them.
    """
    fits: Facts = {}
    for title, make in _models():
        function = Counted()
        with warnings.catch_warnings(action="ignore"):
            make(wb.metric(function, obeys_triangle=promise)).fit(objects, labels)
        fits[title] = function.calls
        print(title, promise, function.calls, file=sys.stderr, flush=True)
    function = Counted()
    space = wb.MetricSpace(objects, wb.metric(function, obeys_triangle=promise))
    with warnings.catch_warnings(action="ignore"):
        for _, make in _models():
            make(space.metric).fit(space.index, labels)
        prices = {"C": np.geomspace(2, 25, PRICES)}
        GridSearchCV(wb.LipschitzClassifier(space.metric), prices, cv=FOLDS).fit(
            space.index, labels
        )
        nearest = wb.NeighborsClassifier(space.metric).fit(space.index, labels)
    before = function.calls
    new = space.append(asked)
    for _ in range(2):
        nearest.predict(new)
    return {
        "pairs": LEARNED * (LEARNED - 1) // 2 if promise else LEARNED**2,
        "fits": fits,
        "space": before,
        "appended": function.calls - before,
        "counted": space.distance_calls,
        "called": function.calls,
    }


def _models() -> Iterator[tuple[str, Any]]:
    """Every classifier that takes any distance, and the class that chooses its parameters where
    there is one.
    """
    for entry in (each for each in CLASSIFIERS.values() if each.suits(wb.metric(Counted()))):
        yield f"`{entry.class_name}`", lambda metric, entry=entry: entry.set_up(metric, LEARNED)
        if entry.chooser_name is not None:
            choosing = entry.load_chooser()
            repair = {"repair": "clip"} if "repair" in choosing().get_params() else {}
            settings = {"cv": FOLDS, "random_state": 0, **repair}
            yield (
                f"`{choosing.__name__}`",
                lambda metric, make=choosing, settings=settings: make(metric, **settings),
            )


def quick() -> Facts:
    """As it is: it takes half a minute."""
    return measure()


def rows(facts: Facts) -> Iterator[Row]:
    """Calls of a Python function in each fit, beside the pairs of objects."""
    for title, calls in facts["promised"]["fits"].items():
        key, pairs = f"calls: {title.strip('`')}", facts["promised"]["pairs"]
        yield Row(
            topic="distance calls",
            key=key,
            ours=calls,
            peer="all pairs",
            theirs=pairs,
            unit="calls",
            noise=0.01,
        )


def page(facts: Facts) -> str:
    columns = [facts["promised"], facts["nothing promised"]]
    rows = [
        [title, *(f"{column['fits'][title] / column['pairs']:.2f}" for column in columns)]
        for title in columns[0]["fits"]
    ]
    rows.append(
        [
            "all of them and a grid search on one `MetricSpace`",
            *(f"{c['space'] / c['pairs']:.2f}" for c in columns),
        ]
    )
    rows.append(
        [
            f"twice the labels of {ASKED} new names",
            *(f"{c['appended'] / (ASKED * LEARNED):.2f}" for c in columns),
        ]
    )
    counted = " and ".join(f"{c['counted']:,} of {c['called']:,}" for c in columns)
    counter = f"The counter of the space, `distance_calls`, says {counted} calls."
    return f"## Calls of a Python function\n\n{WORDS}\n\n{table(HEAD, rows)}\n\n{counter}"


WORDS = f"""\
Calls for each pair of {LEARNED} first names, whose distance is a Python function that counts them. If it promises the triangle
inequality, a pair is one of the {LEARNED * (LEARNED - 1) // 2:,} sets of two names; if it promises nothing, one of the
{LEARNED**2:,} ways to call it. More than 1 would mean that a distance was measured twice, were it not for the 16 calls in both
directions between four names by which a promise is tried. The classes that choose do so on {FOLDS} folds; the grid search tries
{PRICES} prices on {FOLDS} folds. Those for new names are counted for each of them and each name learned."""
