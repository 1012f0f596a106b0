"""``wideberth compare``: the errors of all classifiers, with one metric or several, on the same
folds of a file.
"""

import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from threadpoolctl import threadpool_limits

from wideberth.array_types import Flags, Labels, Objects
from wideberth.cards.values import duration
from wideberth.classifiers.named import CLASSIFIERS
from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
from wideberth.cli import options
from wideberth.cli.console import in_options, say, show_json, table
from wideberth.cli.data import DataOptions, read_labelled, show_understood, sizes_in_words
from wideberth.cli.models import metric_in_words, objects_and_metric
from wideberth.cli.values import between_commas
from wideberth.cli.warmup import warm_up
from wideberth.errors import InvalidInput, UnknownName, WideberthError
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.geometry.space.space import space_if_it_fits
from wideberth.io.readers import Records
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import bind
from wideberth.metrics.named import metric as as_metric
from wideberth.objects import sample
from wideberth.progress import task

#: Objects whose distances to all others are measured in one call.
_ROWS = 1024
#: The quantile of the normal distribution for intervals that hold with confidence 95 %.
_NORMAL = 1.96


class _Measured(NamedTuple):
    """Objects and the metric that measures them."""

    objects: Objects
    metric: Metric


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of one method."""

    metric: str
    method: str
    wrong: Flags  # which objects it got wrong when they were left out
    folds: list[float]  # the share of wrong labels on each; empty if it failed
    seconds: float
    failure: str = ""

    @property
    def error(self) -> float:
        """The share of wrong labels."""
        return float(np.mean(self.folds)) if self.folds else float("nan")

    def behind(self, best: "Outcome") -> tuple[float, float]:
        r"""By how much it errs more often than another method on the same objects, and half the
        interval around that.

        The mean of the differences :math:`d_i \in \{-1, 0, 1\}` of the objects, and 1.96 times its
        standard error. It is approximate: the models of different folds share training objects.

        Examples
        --------
        >>> one, other = (
        ...     Outcome("", "", np.array(wrong, dtype=bool), [], 0.0)
        ...     for wrong in ([1, 1, 0, 0], [1, 0, 0, 0])
        ... )
        >>> difference, half = one.behind(other)
        >>> difference, round(half, 2)
        (0.25, 0.49)
        """
        differences = self.wrong.astype(float) - best.wrong
        spread = float(np.std(differences, ddof=1)) if len(differences) > 1 else 0.0
        return float(differences.mean()), _NORMAL * spread / len(differences) ** 0.5


@options.command(
    *options.LABELLED_FILES,
    options.METRICS,
    options.option(
        "model", str | None, "Some of the classifiers, with commas between them; all by default."
    ),
    options.option(
        "folds", int, "Number of folds; every method learns from all folds but one, in turn.", 5
    ),
    options.option(
        "max_memory", str, "Memory for distances; if all fit, they are measured once.", "2GB"
    ),
    *options.LABELS_APART,
    options.GROUPS,
    *options.FIRST_READING,
    options.JSON,
    examples=(
        "names.csv --target sex",
        "names.csv --target sex --metric levenshtein,ngrams --model neighbors,svm",
    ),
)
def compare(
    data: DataOptions, *, model: str | None, folds: int, max_memory: str, json: bool
) -> None:
    """Compare the errors of all classifiers, with one metric or several, on the same folds.

    The first line of the table is the error of always predicting the largest class: what a method
    must beat. Where all distances fit in memory and are expensive, they are measured once for all
    methods, and the time for them is printed separately. No time contains the compilation of code.
    """
    chosen = _chosen_models(model)
    single = chosen[0] if len(chosen) == 1 else None
    records = read_labelled(data)
    labels, splits = np.asarray(records.labels), _folds(records, folds)
    written = (
        [None]
        if data.metric is None
        else [each for each in between_commas(data.metric) if each.strip()] or [""]
    )
    show_understood(records, f"{sizes_in_words(records)}; {folds} folds.", json=json)
    outcomes = [_always_the_largest(labels, splits)]
    for each in written:
        given, metric = objects_and_metric(data, records, each, model=single)
        try:
            objects, measure = bind(given, metric)
            measure.prepare(objects)
        except WideberthError as reason:
            if len(written) == 1:
                raise
            outcomes.append(_failed(str(each), "every method", in_options(reason)))
            continue
        if not json:
            say(
                metric_in_words(data, records, metric, single)
                if each is None
                else f"Metric: {as_metric(metric)!r}."
            )
        raw = _Measured(sample.hold(objects), measure)
        once = _Measured(*_measured_once(*raw, max_memory, silent=json))
        name = metric if isinstance(metric, str) else repr(metric)
        methods = _methods(once, raw, max_memory, chosen)
        # more threads cost more time of all cores, and save none on most matrices
        with threadpool_limits(1, user_api="blas"):
            outcomes += _cross_validate(name, labels, splits, methods)
        if model is not None:
            outcomes += [
                _unsuited(name, each) for each in chosen if not CLASSIFIERS[each].suits(raw.metric)
            ]
    if json:
        show_json(_facts(outcomes, records, folds))
    else:
        print("\n".join(_in_words(outcomes, several=len(written) > 1)))


def _chosen_models(models: str | None) -> list[str]:
    """The short names of the methods to compare."""
    names = list(CLASSIFIERS) if models is None else [name.strip() for name in models.split(",")]
    for name in names:
        if name not in CLASSIFIERS:
            raise UnknownName(
                f"There is no model {name!r}.",
                advice=f"Known: {', '.join(CLASSIFIERS)}.",
                value=name,
                known=list(CLASSIFIERS),
            )
    return names


def _methods(
    once: _Measured, given: _Measured, max_memory: str, chosen: list[str]
) -> dict[str, tuple[Any, Any]]:
    """The classifiers to compare and their objects, by the names of their rows.

    A classifier that needs more than distances gets the objects as they were given; if the metric
    does not suit it, it is left out.
    """
    rows = {
        "1 nearest neighbour": (
            NeighborsClassifier(once.metric, n_neighbors=1, max_memory=max_memory),
            once.objects,
        )
    }
    for entry in (CLASSIFIERS[name] for name in chosen):
        if not entry.suits(given.metric):
            continue
        objects, metric = once if entry.suits(once.metric) else given
        model = entry.set_up(metric, sample.count(objects), max_memory=max_memory)
        landmarks = getattr(model, "landmarks", None)
        price = "" if entry.C is None else f", C = {entry.C:g}"
        rows[
            f"{entry.title}{price}" + ("" if landmarks is None else f", {landmarks} landmarks")
        ] = model, objects
    return rows


def _unsuited(metric: str, model: str) -> Outcome:
    """The row of a classifier that was asked for and does not take the metric."""
    why = (
        f"It does not take the metric {metric}; wideberth fit --model {model} without --metric "
        "finds one that suits it."
    )
    return _failed(metric, CLASSIFIERS[model].title, why)


def _failed(metric: str, method: str, why: str) -> Outcome:
    """The row of a method without a result."""
    return Outcome(metric, method, np.zeros(0, dtype=bool), [], 0.0, why)


def _always_the_largest(labels: Labels, splits: list[tuple[Any, Any]]) -> Outcome:
    """The result of always predicting the largest class."""
    wrong, shares = np.zeros(len(labels), dtype=bool), []
    for train, test in splits:
        wrong[test] = labels[test] != Counter(labels[train].tolist()).most_common(1)[0][0]
        shares.append(float(wrong[test].mean()))
    return Outcome("", "always the largest class", wrong, shares, 0.0)


def _cross_validate(
    metric: str, labels: Labels, splits: list[tuple[Any, Any]], methods: dict[str, tuple[Any, Any]]
) -> list[Outcome]:
    """The results of every method, a classifier with its objects or indices into a space, on splits
    into training and test indices; one that refuses the metric has a failure.
    """
    outcomes = []
    with task("compare", len(methods) * len(splits)):
        for name, (model, objects) in methods.items():
            warm_up(model, objects, labels)  # times are without compilation
            wrong, shares = np.zeros(len(labels), dtype=bool), list[float]()
            started, failure, repaired = time.monotonic(), "", False
            for fold, (train, test) in enumerate(splits, start=1):
                with task(f"{name}, fold {fold} of {len(splits)}", worth=1):
                    try:
                        fitted = model.fit(sample.pick(objects, train), labels[train])
                    except WideberthError as reason:
                        failure, shares = in_options(reason), []
                        break
                    wrong[test] = fitted.predict(sample.pick(objects, test)) != labels[test]
                    shares.append(float(wrong[test].mean()))
                    kernel = getattr(fitted, "kernel_report_", None)
                    repaired |= getattr(kernel, "repair", None) is not None
            title = f"{name}, repaired kernel" if repaired else name
            outcomes.append(
                Outcome(metric, title, wrong, shares, time.monotonic() - started, failure)
            )
    return outcomes


def _in_words(outcomes: list[Outcome], *, several: bool) -> Iterator[str]:
    """The table of results, the differences to the best, and why some have none."""
    guessing, *methods = outcomes
    done = [outcome for outcome in methods if outcome.folds]
    best = min(done, key=lambda outcome: outcome.error, default=guessing)
    rows = []
    for outcome in (guessing, *done):
        spread = f" ± {np.std(outcome.folds, ddof=1):.1%}" if len(outcome.folds) > 1 else ""
        difference, half = outcome.behind(best)
        beside = "best" if outcome is best else f"{100 * difference:+.1f} ± {100 * half:.1f}"
        rows.append(
            [
                *([outcome.metric] if several else []),
                outcome.method,
                f"{outcome.error:.1%}{spread}",
                beside,
                duration(outcome.seconds),
            ]
        )
    yield from table(
        [*(["metric"] if several else []), "method", "error", "points behind the best", "time"],
        rows,
    )
    yield (
        "Errors: mean ± standard deviation over the folds. Behind the best: on the same objects, ± "
        "1.96 standard errors."
    )
    yield from (
        f"{outcome.method} ({outcome.metric}): {outcome.failure}"
        for outcome in methods
        if outcome.failure
    )


def _facts(outcomes: list[Outcome], records: Records, folds: int) -> dict[str, Any]:
    """The results, for programs."""
    done = [outcome for outcome in outcomes[1:] if outcome.folds]
    best = min(done, key=lambda outcome: outcome.error, default=outcomes[0])
    methods = []
    for outcome in outcomes:
        difference, half = outcome.behind(best) if outcome.folds else (None, None)
        told: dict[str, Any] = {
            "metric": outcome.metric or None,
            "method": outcome.method,
            "failure": outcome.failure or None,
        }
        told |= {"error": outcome.error, "folds": outcome.folds, "seconds": outcome.seconds}
        methods.append(
            told
            | {
                "behind_best": difference,
                "behind_best_half_interval": half,
                "best": outcome is best,
            }
        )
    return {"objects": len(records), "folds": folds, "methods": methods}


def _folds(records: Records, folds: int) -> list[tuple[Any, Any]]:
    """Shuffled folds with the classes in the same shares, and groups on one side; the same in every
    run and for every method.
    """
    labels = records.labels or []
    largest = max(Counter(labels).values())
    if not 2 <= folds <= largest:
        raise InvalidInput(
            f"{folds} folds do not fit: the largest class has {largest} objects.",
            advice=f"Choose --folds from 2 to {largest}."
            if largest >= 2
            else "The largest class needs at least two objects.",
            value=folds,
        )
    splitter: Any = StratifiedKFold if records.groups is None else StratifiedGroupKFold
    # a class with fewer objects than folds is missing from some of them
    with warnings.catch_warnings(action="ignore"):
        cut = splitter(folds, shuffle=True, random_state=0).split(
            np.zeros(len(labels)), labels, records.groups
        )
        return [(train, test) for train, test in cut if len(test)]


def _measured_once(
    objects: Objects, metric: Metric, max_memory: str, *, silent: bool = False
) -> tuple[Any, Metric]:
    """Measure all distances once, where that saves work for the methods that follow.

    It does not for vectors, whose distances are cheaper to compute again than to store, for objects
    given by a distance matrix, and where the distances do not fit in memory.

    Objects that were measured are indices into a `wideberth.MetricSpace`, with its metric.
    """
    started = time.monotonic()
    space = space_if_it_fits(objects, metric, max_memory=parse_memory(max_memory))
    if space is None:
        return objects, metric
    with task("distances", len(space)) as measuring:
        for start in range(0, len(space), _ROWS):
            space.metric.block(space.index[start : start + _ROWS], space.index[start:])
            measuring.advance(_ROWS)
    if not silent:
        say(
            f"{space.distance_calls:,} distances, measured once, in "
            f"{duration(time.monotonic() - started)}."
        )
    return space.index, space.metric
