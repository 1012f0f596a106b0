"""All classifiers on vectors and series: how many answers are right, and stay right within radii of
the metric.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

import wideberth as wb
from benchmarks.data import Labels, of_the_archive
from benchmarks.results import Facts
from benchmarks.timing import table

#: Radii, as shares of the median distance from an object to the nearest one of another label, both
#: to learn from.
SHARES = (0.05, 0.1, 0.2)
CHOSEN_AT = 0.1
LEARNED = 900

#: Made from a metric and the radius that parameters are chosen for.
METHODS: dict[str, Callable[[Any, float], Any]] = {
    "1-NN": lambda metric, radius: wb.NeighborsClassifier(metric, n_neighbors=1),
    "margin neighbours": lambda metric, radius: wb.MarginNeighborsClassifier(
        metric, random_state=0
    ),
    "LipschitzClassifierCV": lambda metric, radius: wb.LipschitzClassifierCV(
        metric, **_for(radius)
    ),
    "LPMachineClassifierCV": lambda metric, radius: wb.LPMachineClassifierCV(
        metric, **_for(radius)
    ),
    "HilbertSVCCV": lambda metric, radius: wb.HilbertSVCCV(metric, **_for(radius)),
}


class Case(NamedTuple):
    """Objects to learn from and to ask about."""

    name: str
    metric: Any
    known: Any
    labels: Labels
    asked: Any
    truth: Labels


def measure() -> Facts:
    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        return {"cases": [_outcomes(case) for case in _cases()]}


def _cases() -> Iterator[Case]:
    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    known, asked = order[:LEARNED], order[LEARNED:]
    for metric in ("euclidean", "manhattan"):
        yield Case("digits", metric, *_split(digits, known), *_split(digits, asked))
    gun = next(
        case for case in of_the_archive() if case.name == "GunPoint" and case.metric == "msm"
    )
    n = gun.n_train
    yield Case("GunPoint", "msm", gun.objects[:n], gun.labels[:n], gun.objects[n:], gun.labels[n:])


def _split(digits: Any, part: Any) -> tuple[Any, Labels]:
    return digits.data[part], digits.target[part]


def _outcomes(case: Case) -> Facts:
    scale = _to_other_labels(case)
    radii = [0.0, *(share * scale for share in SHARES)]
    found = {}
    for title, make in METHODS.items():
        model = make(case.metric, CHOSEN_AT * scale).fit(case.known, case.labels)
        found[title] = wb.guarantees.certified_accuracy(
            model, case.asked, case.truth, radii
        ).certified
        print(case.name, title, found[title], file=sys.stderr, flush=True)
    largest = np.unique(case.truth, return_counts=True)[1].max() / len(case.truth)
    sizes = {"learned": len(case.labels), "asked": len(case.truth), "largest_class": largest}
    return {"name": case.name, "metric": case.metric, "scale": scale, **sizes, "methods": found}


def _to_other_labels(case: Case) -> float:
    """The median distance from an object to learn from to the nearest one with another label."""
    distances = wb.pairwise_distances(case.known, None, case.metric)
    distances[case.labels[:, None] == case.labels[None, :]] = np.inf
    return float(np.median(distances.min(axis=1)))


def _for(radius: float) -> dict[str, Any]:
    return {"scoring": "certified", "radius": radius, "random_state": 0}


def page(facts: Facts) -> str:
    return "\n\n".join(["## Vectors and series", WORDS, *map(_table, facts["cases"])])


def _table(case: Facts) -> str:
    head = [
        f"{case['name']}, {case['metric']}",
        "right",
        *(f"within {share * case['scale']:.3g}" for share in SHARES),
    ]
    rows = [
        [title, *(f"{100 * share:.1f}" for share in shares)]
        for title, shares in case["methods"].items()
    ]
    return table(
        head,
        [*rows, ["the largest class", *[f"{100 * case['largest_class']:.1f}"] * (1 + len(SHARES))]],
    )


WORDS = f"""\
Radii are {", ".join(f"{100 * share:.0f}" for share in SHARES)} % of the median distance from an object to the nearest one with
another label; parameters are chosen for the middle one. Digits: {LEARNED} learned, the others asked about; GunPoint on the split
of the archive."""
