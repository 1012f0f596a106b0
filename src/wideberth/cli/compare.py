"""``wideberth compare``: the errors of all classifiers on the same folds of a file."""

import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from wideberth.classifiers.named import CLASSIFIERS
from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
from wideberth.cli.reading import DataOptions, chosen_metric, class_sizes, read_labelled
from wideberth.cli.warmup import warm_up
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.memory_amounts import parse_memory
from wideberth.geometry.space.measure_once import space_if_it_fits
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.progress import task

#: Objects whose distances to all others are measured in one call.
_ROWS = 1024


class _Measured(NamedTuple):
    """Objects and the metric that measures them."""

    objects: Any
    metric: Metric


@dataclass(frozen=True)
class Outcome:
    """The result of one method.

    Attributes
    ----------
    method : str
        Its name.
    errors : list of float
        The share of wrong labels on each fold.
    seconds : float
        The time for fitting and predicting on all folds.

    Examples
    --------
    >>> list(Outcome("Lipschitz, C = 5", [0.25, 0.25], 1.5))
    ['Lipschitz, C = 5', '25.0% ± 0.0%', '1.5 s']
    """

    method: str
    errors: list[float]
    seconds: float

    def __iter__(self) -> Iterator[str]:
        """Yield the cells of a row of the table: name, mean error ± its standard deviation over the folds, time."""
        spread = f" ± {np.std(self.errors, ddof=1):.1%}" if len(self.errors) > 1 else ""
        return iter((self.method, f"{np.mean(self.errors):.1%}{spread}", f"{self.seconds:.2g} s"))


def compare(data: DataOptions, folds: int, max_memory: str) -> None:
    """Print a table of the errors and the times of all methods on the labelled objects of a file.

    The first line of the table is the error of always predicting the largest class: what a method must beat. Where all distances
    fit in memory and are expensive, they are measured once for all methods, and the time for them is printed separately. No
    time contains the compilation of code.

    Parameters
    ----------
    data : DataOptions
        The file and how to read it.
    folds : int
        Number of folds of the cross-validation, with the classes in the same shares.
    max_memory : str
        Memory budget for distances, such as ``"2GB"``, of the shared distances and of each method.

    Raises
    ------
    InvalidInput
        If there are fewer than two folds, or more than the largest class has objects.
    InvalidFile
        If the file cannot be read, or has no labels.
    """
    records = read_labelled(data)
    labels = np.asarray(records.labels)
    objects, measure = bind(records.objects, chosen_metric(data, records))
    splits = _stratified_folds(records.labels or [], folds)
    print(f"{len(records):,} objects of {class_sizes(records.labels or [])}; {measure.name} distance; {folds} folds.")
    given = _Measured(sample.hold(objects), measure)
    once = _Measured(*_measured_once(*given, max_memory))
    with threadpool_limits(1, user_api="blas"):  # more threads cost more time of all cores, and save none on most matrices here
        outcomes = _cross_validate(labels, splits, _methods(once, given, max_memory))
    table = Table("method", "error", "time", box=None, padding=(0, 2, 0, 0))
    for outcome in outcomes:
        table.add_row(*outcome)
    Console().print(table)


def _methods(once: _Measured, given: _Measured, max_memory: str) -> dict[str, tuple[Any, Any]]:
    """The classifiers to compare and their objects, by the names of their rows.

    A classifier that needs more than distances gets the objects as they were given; if the metric does not suit it, it is left
    out.
    """
    rows = {"1 nearest neighbour": (NeighborsClassifier(once.metric, n_neighbors=1, max_memory=max_memory), once.objects)}
    for entry in CLASSIFIERS.values():
        if not entry.suits(given.metric):
            continue
        objects, metric = once if entry.suits(once.metric) else given
        model = entry.set_up(metric, sample.count(objects), max_memory=max_memory)
        landmarks = getattr(model, "landmarks", None)
        price = "" if entry.C is None else f", C = {entry.C:g}"
        rows[f"{entry.title}{price}" + ("" if landmarks is None else f", {landmarks} landmarks")] = model, objects
    return rows


def _cross_validate(labels: Any, splits: list[tuple[Any, Any]], methods: dict[str, tuple[Any, Any]]) -> list[Outcome]:
    """The errors of every method, and of always predicting the largest class.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        The labels of the objects.
    splits : list of (ndarray, ndarray)
        For each fold the indices of its training objects and of its test objects.
    methods : dict
        The classifiers, each with its objects or indices into a space, by their names in the table.
    """
    largest_classes = [Counter(labels[train].tolist()).most_common(1)[0][0] for train, _ in splits]
    guesses = [float(np.mean(labels[test] != label)) for label, (_, test) in zip(largest_classes, splits, strict=True)]
    outcomes = [Outcome("always the largest class", guesses, 0.0)]
    with task("compare", len(methods) * len(splits)):
        for name, (model, objects) in methods.items():
            warm_up(model, objects, labels)  # times are without compilation
            errors, started = [], time.monotonic()
            for fold, (train, test) in enumerate(splits, start=1):
                with task(f"{name}, fold {fold} of {len(splits)}", worth=1):
                    fitted = model.fit(sample.pick(objects, train), labels[train])
                    errors.append(float(np.mean(fitted.predict(sample.pick(objects, test)) != labels[test])))
            outcomes.append(Outcome(name, errors, time.monotonic() - started))
    return outcomes


def _stratified_folds(labels: list[Any], folds: int) -> list[tuple[Any, Any]]:
    """Shuffled folds with the classes in the same shares; the same folds in every run and for every method."""
    largest = max(Counter(labels).values())
    if not 2 <= folds <= largest:
        raise InvalidInput(
            f"{folds} folds do not fit: the largest class has {largest} objects.",
            advice=f"Choose --folds from 2 to {largest}." if largest >= 2 else "The largest class needs at least two objects.",
            value=folds,
        )
    with warnings.catch_warnings(action="ignore"):  # a class with fewer objects than folds is missing from some of them
        return list(StratifiedKFold(folds, shuffle=True, random_state=0).split(np.zeros(len(labels)), labels))


def _measured_once(objects: Any, metric: Metric, max_memory: str) -> tuple[Any, Metric]:
    """Measure all distances once, where that saves work for the methods that follow.

    It does not for vectors, whose distances are cheaper to compute again than to store, for objects given by a distance matrix,
    and where the distances do not fit in memory.

    Parameters
    ----------
    objects : held sample
        The objects.
    metric : Metric
        Their metric.
    max_memory : str
        Memory budget for the distances.

    Returns
    -------
    objects : held sample
        Indices into a `wideberth.MetricSpace` that has the distances; the objects themselves where they are not measured.
    metric : Metric
        The metric on these.
    """
    space, started = space_if_it_fits(objects, metric, max_memory=parse_memory(max_memory)), time.monotonic()
    if space is None:
        return objects, metric
    with task("distances", len(space)) as measuring:
        for start in range(0, len(space), _ROWS):
            space.metric.block(space.index[start : start + _ROWS], space.index[start:])
            measuring.advance(_ROWS)
    print(f"{space.distance_calls:,} distances, measured once, in {time.monotonic() - started:.2g} s.")
    return space.index, space.metric
