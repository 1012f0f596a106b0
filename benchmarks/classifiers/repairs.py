"""Which repair of an indefinite kernel errs least, and whether the folds of the choice tell the
error of what is fitted.
"""

import sys
import time
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import wideberth as wb
from benchmarks.classifiers.families import (
    FEW_OBJECTS,
    FOLDS_OF_FEW,
    FOLDS_OF_MANY,
    Measured,
    measured,
    set_folds,
)
from benchmarks.data import REPEATS, Case, cases
from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.timing import table
from wideberth.metrics.transforms.promise_rules import closed

#: What is compared: the repairs of `HilbertSVCCV`, the others beside the first one.
REPAIRS = ("clip", "flip", "shift")


def measure() -> Facts:
    doubtful = sorted(_doubtful(), key=lambda case: len(case.labels))
    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        found = [
            kept("repairs", f"{case.name}, {case.metric_name}", partial(_on_set, case))
            for case in doubtful
        ]
    return {"sets": [each for each in found if each is not None]}


def _doubtful() -> Iterator[Case]:
    """The sets whose metric promises no kernel."""
    for case in cases():
        metric = wb.metric(case.metric) if isinstance(case.metric, str) else case.metric
        if not closed(metric.promises).negative_type:
            yield case


def _on_set(case: Case) -> Facts:
    """What each repair does in the folds of `errors`, and in how many of them the kernel that was
    chosen needed the first one.
    """
    given = measured(case)
    found: Facts = {
        "name": case.name,
        "metric": case.metric_name,
        "size": case.size,
        "asked": len(next(case.folds())[2]),
    }
    answers = {repair: _in_folds(repair, given) for repair in REPAIRS}
    first = answers[REPAIRS[0]]
    for repair, (outcome, right) in answers.items():
        # of one test set, the noise of a difference comes from the objects that only one of both
        # answers rightly
        outcome["differing"] = [
            100 * float(np.mean(one != other)) for one, other in zip(right, first[1], strict=True)
        ]
        found[repair] = outcome
        print(
            case.name,
            case.metric_name,
            repair,
            np.mean(outcome["wrong"]).round(1),
            file=sys.stderr,
            flush=True,
        )
    return found


def _in_folds(repair: str, given: Measured) -> tuple[Facts, list[Any]]:
    """What one repair does in each fold, errors and those that the folds of the choice promised in
    percent; the right answers.
    """
    case, index = given.case, given.space.index
    found: Facts = {"wrong": [], "promised": [], "seconds": [], "repaired": []}
    right = []
    for repeat, known, asked in case.folds():
        model = wb.HilbertSVCCV(given.space.metric, repair=repair, random_state=0, n_jobs=1)
        set_folds(model, len(case.labels))
        started = time.process_time()
        model.fit(index[known], case.training_labels(repeat)[known])
        found["seconds"].append(time.process_time() - started)
        right.append(model.predict(index[asked]) == case.labels[asked])
        found["wrong"].append(100 * float(np.mean(~right[-1])))
        found["promised"].append(100 * (1 - model.best_score_))
        found["repaired"].append(model.best_estimator_.kernel_report_.repair is not None)
    return found, right


def page(facts: Facts) -> str:
    indefinite = [
        each for each in facts["sets"] if any(any(each[repair]["repaired"]) for repair in REPAIRS)
    ]
    valid = [
        f"{each['name']} ({each['metric']})" for each in facts["sets"] if each not in indefinite
    ]
    heads = ["data", "metric", "n / classes", "repaired"]
    heads += [f"{repair}{what}" for repair in REPAIRS for what in ("", ", in folds", ", s")]
    lines = [
        _line(each) for each in sorted(indefinite, key=lambda each: (each["name"], each["metric"]))
    ]
    told = (
        [f"Not in the table, since no kernel that was chosen needed a repair: {', '.join(valid)}."]
        if valid
        else []
    )
    if len({each["name"] for each in indefinite}) > 1:
        lines.append(_means(indefinite))
        told += [_verdict(repair, indefinite) for repair in REPAIRS[1:]]
    return "\n\n".join([WORDS, table(heads, lines), *told])


def _line(fact: Facts) -> list[str]:
    repaired = fact[REPAIRS[0]]["repaired"]
    cells = [fact["name"], fact["metric"], fact["size"], f"{sum(repaired)} of {len(repaired)}"]
    for repair in REPAIRS:
        error = f"{np.mean(fact[repair]['wrong']):.1f}"
        if repair != REPAIRS[0]:
            error += " ({:+.1f} ± {:.1f})".format(*_difference(fact, repair))
        cells += [
            error,
            f"{np.mean(fact[repair]['promised']):.1f}",
            f"{np.mean(fact[repair]['seconds']):.1f}",
        ]
    return cells


def _difference(fact: Facts, repair: str) -> tuple[float, float]:
    """How much more a repair errs than the first one, with the standard error of that, in
    percent.
    """
    more = np.subtract(fact[repair]["wrong"], fact[REPAIRS[0]]["wrong"])
    if len(more) > 1:
        return float(more.mean()), float(more.std(ddof=1) / np.sqrt(len(more)))
    variance = fact[repair]["differing"][0] / 100 - (more[0] / 100) ** 2
    return float(more[0]), 100 * float(np.sqrt(variance / fact["asked"]))


def _means(facts: list[Facts]) -> list[str]:
    """The means over the sets."""
    shown = ("wrong", "promised", "seconds")
    values = [
        np.mean([np.mean(fact[repair][what]) for fact in facts])
        for repair in REPAIRS
        for what in shown
    ]
    return ["mean", "", "", "", *(f"{value:.1f}" for value in values)]


def _verdict(repair: str, facts: list[Facts]) -> str:
    """A repair beside the first one over all sets, and over collections: metrics on the same
    objects are not independent.
    """
    differences = [_difference(fact, repair) for fact in facts]
    collections: dict[str, list[float]] = {}
    for fact, (difference, _) in zip(facts, differences, strict=True):
        collections.setdefault(fact["name"], []).append(difference)
    over_sets = _mean_with_error([difference for difference, _ in differences])
    over_collections = _mean_with_error([float(np.mean(each)) for each in collections.values()])
    better = sum(difference < -2 * noise for difference, noise in differences)
    worse = sum(difference > 2 * noise for difference, noise in differences)
    return (
        f"*{repair}* beside *{REPAIRS[0]}*: {over_sets} points of error over {len(facts)} sets, "
        f"and {over_collections} over {len(collections)} collections of objects, the metrics on "
        f"each averaged. Beyond two standard errors of a set, it errs less on {better} and more on "
        f"{worse}."
    )


def _mean_with_error(values: list[float]) -> str:
    return f"{np.mean(values):+.2f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.2f}"


WORDS = f"""\
# Repairs of indefinite kernels

From `make bench` (`python -m benchmarks repairs`): errors in % of `HilbertSVCCV` by its `repair`, on all sets of
[errors](errors.md) whose distances promise no kernel, with all objects and the folds of that page: {REPEATS} x 2 halves, series
on the split of their archive. Settings are chosen in {FOLDS_OF_MANY} folds of the training half ({FOLDS_OF_FEW} of sets up to
{FEW_OBJECTS:,} objects). *In folds* is the error that these promised for what was chosen; *s* are seconds of CPU for a fit,
distances known. In brackets is the difference from {REPAIRS[0]}, with one standard error over the halves or, of one test set,
over its objects. *Repaired* says in how many fits with {REPAIRS[0]} the kernel that was chosen was indefinite. Folds examine and
repair the kernel of their known objects alone, and objects left out follow as in `predict`, so that they measure the model that
is fitted."""
