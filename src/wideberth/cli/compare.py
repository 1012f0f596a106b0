"""``wideberth compare``: nearest neighbours, with and without a margin, the Lipschitz classifier, the LP machine, the SVM."""

import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.model_selection import StratifiedKFold

from wideberth.classifiers.lipschitz.classifier import LipschitzClassifier
from wideberth.classifiers.lp_machine.classifier import LPMachineClassifier
from wideberth.classifiers.margin_neighbors.classifier import MarginNeighborsClassifier
from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
from wideberth.cli.fit import make_svm
from wideberth.cli.reading import chosen_metric, class_sizes, read_labelled
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.memory import parse_memory
from wideberth.geometry.measure.parallel import progress
from wideberth.geometry.space.space import MetricSpace
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample

#: Objects whose distances to all are measured at once.
_ROWS = 1024


@dataclass(frozen=True)
class Outcome:
    """The errors of a method on the folds, and the seconds it took for all of them."""

    method: str
    errors: list[float]
    seconds: float

    def __iter__(self) -> Iterator[str]:
        spread = f" ± {np.std(self.errors, ddof=1):.1%}" if len(self.errors) > 1 else ""
        return iter((self.method, f"{np.mean(self.errors):.1%}{spread}", f"{self.seconds:.2g} s"))


def compare(
    file: str,
    column: str | None,
    target: str | None,
    metric: str | None,
    encoding: str | None,
    kind: str | None,
    C: float,
    folds: int,
    max_memory: str,
) -> None:
    """Print the errors of all methods on the objects of a file."""
    records = read_labelled(file, column, target, encoding, kind)
    labels = np.asarray(records.labels)
    objects, measure = bind(records.objects, chosen_metric(metric, records))
    splits = _split(records.labels or [], folds)
    print(f"{len(records):,} objects of {class_sizes(records.labels or [])}; {measure.name} distance; {folds} folds.")
    objects, measure = _measured_once(sample.hold(objects), measure, max_memory)
    outcomes = _outcomes(objects, labels, splits, _methods(measure, C, len(records), max_memory))
    table = Table("method", "error", "time", box=None, padding=(0, 2, 0, 0))
    for outcome in outcomes:
        table.add_row(*outcome)
    Console().print(table)


def _methods(metric: Metric, C: float, n_objects: int, max_memory: str) -> dict[str, Any]:
    svm = make_svm(metric, 1.0, n_objects, max_memory)
    rank = "" if svm.landmarks is None else f", {svm.landmarks} landmarks"
    return {
        "1 nearest neighbour": NeighborsClassifier(metric, n_neighbors=1, max_memory=max_memory),
        "k nearest neighbours, k by leave-one-out": NeighborsClassifier(metric, max_memory=max_memory),
        "nearest neighbour with a margin": MarginNeighborsClassifier(metric, max_memory=max_memory),
        f"Lipschitz, C = {C:g}": LipschitzClassifier(metric, C=C, max_memory=max_memory),
        "LP machine, C = 30": LPMachineClassifier(metric, C=30.0, max_memory=max_memory),
        f"SVM, C = 1{rank}": svm,
    }


def _outcomes(objects: Any, labels: Any, splits: list[tuple[Any, Any]], methods: dict[str, Any]) -> list[Outcome]:
    commonest = [Counter(labels[known].tolist()).most_common(1)[0][0] for known, _ in splits]
    guesses = [float(np.mean(labels[asked] != each)) for each, (_, asked) in zip(commonest, splits, strict=True)]
    outcomes = [Outcome("always the largest class", guesses, 0.0)]
    with progress(len(methods) * len(splits), "fits") as advance:
        for name, model in methods.items():
            errors, started = [], time.monotonic()
            for known, asked in splits:
                fitted = model.fit(sample.pick(objects, known), labels[known])
                errors.append(float(np.mean(fitted.predict(sample.pick(objects, asked)) != labels[asked])))
                advance(1)
            outcomes.append(Outcome(name, errors, time.monotonic() - started))
    return outcomes


def _split(labels: list[Any], folds: int) -> list[tuple[Any, Any]]:
    """Folds with the classes in the same shares, shuffled; the same ones for every method."""
    largest = max(Counter(labels).values())
    if not 2 <= folds <= largest:
        raise InvalidInput(
            f"{folds} folds do not fit: the largest class has {largest} objects.",
            advice=f"Choose --folds from 2 to {largest}." if largest >= 2 else "Classes need two objects at least.",
            value=folds,
        )
    with warnings.catch_warnings(action="ignore"):  # a class with fewer objects than folds is missing in some
        return list(StratifiedKFold(folds, shuffle=True, random_state=0).split(np.zeros(len(labels)), labels))


def _measured_once(objects: Any, metric: Metric, max_memory: str) -> tuple[Any, Metric]:
    """The objects as indices into a space that has all their distances, where those fit in memory and are dear.

    Vectors are nearer at hand than their distances, and a matrix has them already.
    """
    n = sample.count(objects)
    width = 1 if metric.step and float(metric.step).is_integer() else 8
    pairs = n * (n - 1) // 2 if metric.obeys_triangle else n * n
    if metric.accepts in ("vectors", "indices") or width * pairs > parse_memory(max_memory):
        return objects, metric
    space, started = MetricSpace(objects, metric, max_memory=max_memory), time.monotonic()
    with progress(n, "distances") as advance:
        for start in range(0, n, _ROWS):
            space.metric.block(space.index[start : start + _ROWS], space.index[start:])
            advance(_ROWS)
    print(f"{space.distance_calls:,} distances, measured once, in {time.monotonic() - started:.2g} s.")
    return space.index, space.metric
