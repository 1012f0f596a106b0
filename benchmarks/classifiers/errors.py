"""Errors of all families on all sets, on the same folds and the same distances, beside support
vector machines on the matrix.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.classifiers.families import (
    FAMILIES,
    FEW_OBJECTS,
    FOLDS_OF_FEW,
    FOLDS_OF_MANY,
    RIVALS,
    Measured,
    Method,
    measured,
    methods,
)
from benchmarks.data import REPEATS, Case, cases, of_scikit_learn
from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.rows import Row
from benchmarks.timing import table

#: Those of ours that choose their settings, which are judged beside the best rival of each set.
JUDGED = ("LipschitzCV", "LPMachineCV", "HilbertSVCCV")
#: Rivals of the judged ones, kNN among them, which is what people would try first.
BESIDE = ("kNN", *RIVALS)
#: The sets of `quick`, all of which come with scikit-learn.
QUICK = ("wine", "breast_cancer")


def measure() -> Facts:
    return outcomes(sorted(cases(), key=lambda case: len(case.labels)))


def quick() -> Facts:
    """Two small sets, all folds."""
    return outcomes([case for case in of_scikit_learn() if case.name in QUICK])


def outcomes(chosen: list[Case]) -> Facts:
    """The outcome of every method on every set, the smallest sets first."""
    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        return {"sets": [_on_set(case) for case in chosen]}


def _on_set(case: Case) -> Facts:
    distances = cache(lambda: measured(case))
    name = f"{case.name}, {case.metric_name}"
    found = {
        title: kept(
            "errors", f"{name}, {title}", lambda method=method: cell(method, case, distances)
        )
        for title, method in methods(case).items()
    }
    there = {title: each for title, each in found.items() if each is not None}
    print(
        name,
        {title: round(float(np.mean(each["wrong"])), 1) for title, each in there.items()},
        file=sys.stderr,
        flush=True,
    )
    asked = len(next(case.folds())[2])
    return {
        "name": case.name,
        "metric": case.metric_name,
        "size": case.size,
        "asked": asked,
        "methods": there,
    }


def cell(method: Method, case: Case, distances: Callable[[], Measured]) -> Facts:
    """Errors in percent, training objects needed and CPU seconds of learning and answering, one of
    each for a fold.
    """
    given = distances()
    found: Facts = {"wrong": [], "needed": [], "cpu": []}
    for repeat, known, asked in case.folds():
        labels = case.training_labels(repeat)[known]
        started = time.process_time()
        answered = method(given, known, labels, asked)
        found["cpu"].append(time.process_time() - started)
        found["wrong"].append(100 * float(np.mean(answered.labels != case.labels[asked])))
        found["needed"].append(answered.needed)
    return found


def standard_error(wrong: list[float], asked: int) -> float:
    """Over the folds; of one test set, that of a share of so many objects."""
    if len(wrong) > 1:
        return float(np.std(wrong, ddof=1) / np.sqrt(len(wrong)))
    return 100 * float(np.sqrt(wrong[0] / 100 * (1 - wrong[0] / 100) / asked))


def rows(facts: Facts) -> Iterator[Row]:
    """Those that choose beside the best rival of the set, by the differences in the same folds."""
    for each in facts["sets"]:
        found, asked = each["methods"], each["asked"]
        rivals = [name for name in BESIDE if name in found]
        for name in (name for name in JUDGED if name in found and len(rivals) == len(BESIDE)):
            best = min(rivals, key=lambda rival: float(np.mean(found[rival]["wrong"])))
            differences = np.subtract(found[name]["wrong"], found[best]["wrong"])
            noise = (
                standard_error(found[name]["wrong"], asked) * np.sqrt(2)
                if len(differences) == 1
                else None
            )
            yield Row(
                topic="accuracy",
                key=f"errors: {each['name']}, {each['metric']}, {name}",
                ours=float(np.mean(found[name]["wrong"])),
                peer=best,
                theirs=float(np.mean(found[best]["wrong"])),
                unit="% wrong",
                noise=float(
                    differences.std(ddof=1) / np.sqrt(len(differences)) if noise is None else noise
                ),
                own_noise=standard_error(found[name]["wrong"], asked),
            )


def page(facts: Facts) -> str:
    names = [*RIVALS, *FAMILIES]
    body = [
        [
            each["name"],
            each["metric"],
            each["size"],
            *(_cell(each["methods"], name, each["asked"]) for name in names),
        ]
        for each in sorted(facts["sets"], key=lambda each: (each["name"], each["metric"]))
    ]
    verdicts: dict[str, list[Row]] = {}
    for row in rows(facts):
        verdicts.setdefault(row.key.rpartition(", ")[2], []).append(row)
    told = [_verdict(name, found) for name, found in verdicts.items()]
    head = ["data", "metric", "n / classes", *names]
    return "\n\n".join(
        [
            "# Errors on real data",
            WORDS,
            table(head, body),
            "## Beside the best rival",
            BESIDE_WORDS,
            *told,
        ]
    )


def _cell(found: dict[str, Any], name: str, asked: int) -> str:
    """The error, the objects needed and the seconds; the fewest errors in bold."""
    if name not in found:
        return ""
    means = {each: round(float(np.mean(outcome["wrong"])), 1) for each, outcome in found.items()}
    error = f"**{means[name]:.1f}**" if means[name] == min(means.values()) else f"{means[name]:.1f}"
    needed, cpu = np.mean(found[name]["needed"]), np.mean(found[name]["cpu"])
    return (
        f"{error} ± {standard_error(found[name]['wrong'], asked):.1f} ({needed:,.0f}; {cpu:.2g} s)"
    )


def _verdict(name: str, found: list[Row]) -> str:
    behind = [row for row in found if row.is_behind]
    ahead = [row for row in found if row.is_ahead]
    listed = ", ".join(
        f"{row.key.partition(': ')[2].removesuffix(f', {name}')} ({row.difference:+.1f}, "
        f"{row.peer})"
        for row in behind
    )
    return (
        f"*{name}*: ahead on {len(ahead)} of {len(found)} sets, within noise on "
        f"{len(found) - len(ahead) - len(behind)}, behind on "
        f"{len(behind)}{': ' if behind else ''}{listed}."
    )


WORDS = f"""\
From `make bench` (`python -m benchmarks errors`): errors in % with one standard error, over the folds or, of one test set, of a
share; in brackets the training objects to which distances are measured for an answer, and the CPU seconds of learning, with the
choice of settings, and answering in one fold, all distances known. {REPEATS} x 2-fold stratified cross-validation, series on
the split of their archive. The fewest errors in bold. Bare SVMs (scikit-learn's `SVC` on the matrix, whatever its eigenvalues)
choose g and C on a third of the training half; kNN chooses k by leaving one out, margin neighbours their separation by a
hold-out; the others choose everything in {FOLDS_OF_MANY} folds of the training half ({FOLDS_OF_FEW} of sets up to
{FEW_OBJECTS:,} objects). HilbertSVCCV clips negative eigenvalues, needs all training objects then, and shows the number of its
support vectors. Linear scores are of n-grams up to three letters, for strings, and not of the distance in the second column.
Wrong labels are in the training half only."""
BESIDE_WORDS = """\
Those that choose their settings, beside the best of kNN and the two SVMs on each set, picked by the answers, which flatters it.
Behind and ahead are differences beyond two standard errors of the paired difference over the folds."""
