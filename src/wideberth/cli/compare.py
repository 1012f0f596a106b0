"""``wideberth compare``: the errors of all classifiers on the same folds of a file."""

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

from wideberth.classifiers.named import CLASSIFIERS
from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
from wideberth.cli.reading import chosen_metric, class_sizes, read_labelled
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.memory import parse_memory
from wideberth.geometry.measure.parallel import progress
from wideberth.geometry.space.measure_once import space_if_it_fits
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
    outcomes = _outcomes(objects, labels, splits, _methods(measure, len(records), max_memory))
    table = Table("method", "error", "time", box=None, padding=(0, 2, 0, 0))
    for outcome in outcomes:
        table.add_row(*outcome)
    Console().print(table)


def _methods(metric: Metric, n_objects: int, max_memory: str) -> dict[str, Any]:
    """The classifiers to compare, by the names of their rows."""
    rows = {"1 nearest neighbour": NeighborsClassifier(metric, n_neighbors=1, max_memory=max_memory)}
    for entry in CLASSIFIERS.values():
        model = entry.set_up(metric, n_objects, max_memory=max_memory)
        landmarks = getattr(model, "landmarks", None)
        price = "" if entry.C is None else f", C = {entry.C:g}"
        rows[f"{entry.title}{price}" + ("" if landmarks is None else f", {landmarks} landmarks")] = model
    return rows


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
    """The objects as indices into a space that has all their distances, where that pays; says what it took."""
    space, started = space_if_it_fits(objects, metric, max_memory=parse_memory(max_memory)), time.monotonic()
    if space is None:
        return objects, metric
    with progress(len(space), "distances") as advance:
        for start in range(0, len(space), _ROWS):
            space.metric.block(space.index[start : start + _ROWS], space.index[start:])
            advance(_ROWS)
    print(f"{space.distance_calls:,} distances, measured once, in {time.monotonic() - started:.2g} s.")
    return space.index, space.metric
