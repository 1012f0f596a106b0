"""Fits on collections beside the same fits on one machine."""

import sys
from typing import Any

import numpy as np
from sklearn.base import clone

import wideberth as wb
from benchmarks.results import Facts
from benchmarks.scaleout.cluster import cost_here, cost_on, loaded, two_workers
from benchmarks.scaleout.made_objects import all_here, partitions, texts, vectors
from benchmarks.timing import table

#: What is fitted on which objects.
MODELS = {
    "vectors": (vectors, wb.MarginNeighborsClassifier(n_jobs=1)),
    "texts": (texts, wb.LinearLipschitzClassifier("manhattan", C=0.1)),
}
N, PARTS, ASKED = 100_000, 8, 2_000
HEAD = [
    "",
    "objects",
    "one machine, CPU s",
    "MB",
    "cluster, CPU s",
    "clock, s",
    "of it client CPU",
    "MB a worker",
    "answers that differ",
]


def measure() -> Facts:
    return {name: fitted(name, N) for name in MODELS} | {"load": loaded()}


def fitted(name: str, n: int) -> Facts:
    """A model fitted on a collection of n objects, and on the same objects here."""
    make, model = MODELS[name]
    with two_workers() as client:
        wb.scaleout.fit(clone(model), *partitions(make, 400, 200))
        X, y = partitions(make, n, n // PARTS)
        cost, there = cost_on(client, lambda: wb.scaleout.fit(clone(model), X, y))
    print(name, n, cost, file=sys.stderr, flush=True)
    clone(model).fit(*all_here(make, 400, 200))
    objects, labels = all_here(make, n, n // PARTS)
    alone, here = cost_here(lambda: clone(model).fit(objects, labels))
    new, truth = make(10**6, ASKED)
    told = there.predict(new)
    found = {
        "n": n,
        "cluster": cost,
        "alone": alone,
        "differ": int(np.sum(told != here.predict(new))),
    }
    print(name, n, found, file=sys.stderr, flush=True)
    return found | {"errors": float(np.mean(told != truth)), **_compared(there, here)}


def _compared(there: Any, here: Any) -> Facts:
    """How far the values of linear programs, or the separations, are from each other."""
    if hasattr(here, "solution_"):
        return {"relative": abs(there.solution_.value / here.solution_.value - 1.0)}
    return {"relative": abs(there.separation_ - here.separation_)}


def page(facts: Facts) -> str:
    return f"## Fits on collections\n\n{words(facts['load'])}\n\n{table(HEAD, table_rows(facts))}"


def table_rows(facts: Facts) -> list[list[str]]:
    """The rows of the table."""
    return [
        [
            TITLES[name],
            f"{found['n']:,}",
            f"{found['alone']['cpu']:.0f}",
            f"{found['alone']['bytes'] / 1e6:.0f}",
            f"{found['cluster']['cpu']:.0f}",
            f"{found['cluster']['wall']:.0f}",
            f"{found['cluster']['client_cpu']:.0f}",
            f"{found['cluster']['worker_bytes'] / 1e6:.0f}",
            f"{found['differ']} of {ASKED:,}",
        ]
        for name, found in facts.items()
        if name in MODELS
    ]


def words(load: float) -> str:
    return (
        f"{WORDS} {load:.1f} processes wanted one of the cores when it was measured: count CPU, "
        "not the clock."
    )


TITLES = {
    "vectors": "`MarginNeighborsClassifier`, vectors in 4 dimensions",
    "texts": "`LinearLipschitzClassifier`, texts of 20 words, 20,000 different ones",
}
WORDS = f"""\
`scaleout.fit` beside `model.fit`, on objects that the workers make themselves, in {PARTS} partitions. The first classifier is its
objects: they come to the client, which searches a kd-tree there. Linear scores are learned where the texts are. Memory here is
what the fit took beyond the objects; that of a worker is all of it, with the libraries. *Answers that differ*: of new objects."""
