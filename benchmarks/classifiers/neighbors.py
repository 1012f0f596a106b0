"""Errors of nearest neighbours on real data, beside those that were measured without this
library.
"""

import sys
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

import wideberth as wb
from benchmarks.data import REPEATS, Case, cases
from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.timing import seconds, table

#: How many random choices are made where a set has more objects than are used.
CHOICES = 10
#: Differences of so many standard errors are called noise, and those that come from rounding the
#: reference.
NOISE, ROUNDING = 2.0, 0.05

METHODS: dict[str, int | Literal["loo"]] = {"1-NN": 1, "kNN": "loo"}


@dataclass(frozen=True)
class Error:
    """An error in percent, and the standard error of its difference from the reference."""

    mean: float
    noise: float

    def beside(self, reference: float | None) -> list[str]:
        if reference is None:
            return [f"{self.mean:.1f}", "", f"± {self.noise:.1f}"]
        difference = round(self.mean - reference, 1) + 0.0  # no negative zero
        return [f"{self.mean:.1f}", f"{reference:.1f}", f"{difference:+.1f} ± {self.noise:.1f}"]

    def is_far_from(self, reference: float) -> bool:
        return abs(self.mean - reference) > NOISE * self.noise + ROUNDING


def errors_in_folds(case: Case) -> dict[str, list[float]]:
    """The errors of both methods in percent, in every fold."""
    space = wb.MetricSpace(case.objects, case.metric)
    wrong: dict[str, list[float]] = {name: [] for name in METHODS}
    for _, known, asked in case.folds():
        for name, n_neighbors in METHODS.items():
            classifier = wb.NeighborsClassifier(space.metric, n_neighbors=n_neighbors)
            answers = classifier.fit(space.index[known], case.labels[known]).predict(
                space.index[asked]
            )
            wrong[name].append(100 * float(np.mean(answers != case.labels[asked])))
    return wrong


def summary(case: Case, folds: list[float], other_choices: list[list[float]]) -> Error:
    """The mean error, and what its difference from the reference would be by chance.

    Of the same objects in the same folds, the folds say how much an error varies. Of other objects,
    chosen at random, other choices do: ours is the mean of several, the reference a single one. A
    single test set is a sample.
    """
    if case.n_train is not None:
        share = folds[0] / 100
        return Error(
            folds[0], 100 * float(np.sqrt(share * (1 - share) / (len(case.labels) - case.n_train)))
        )
    if case.chosen_from is None:
        return Error(float(np.mean(folds)), float(np.std(folds, ddof=1) / np.sqrt(len(folds))))
    means = [float(np.mean(each)) for each in (folds, *other_choices)]
    return Error(float(np.mean(means)), float(np.std(means, ddof=1) * np.sqrt(1 + 1 / len(means))))


def row(case: Case, other_choices: list[Case]) -> list[str]:
    took, wrong = seconds(lambda: errors_in_folds(case))
    others = [errors_in_folds(each) for each in other_choices]
    cells, far = [], []
    for place, name in enumerate(METHODS):
        error = summary(case, wrong[name], [each[name] for each in others])
        reference = None if case.reference is None else case.reference[place]
        cells += error.beside(reference)
        if reference is not None and error.is_far_from(reference):
            far.append(name)
    size = case.size if case.chosen_from is None else f"{case.size} of {case.chosen_from:,}"
    line = [case.name, case.metric_name, size, *cells, ", ".join(far)]
    print(*line, f"({took:.1f} s)", file=sys.stderr, flush=True)
    return line


def lines() -> list[list[str]]:
    """A line of the table for each set."""
    choices: list[Any] = [
        [case for case in cases(choice) if not case.noise] for choice in range(CHOICES)
    ]
    found = []
    for case, *others in zip(*choices, strict=True):
        drawn = others if case.chosen_from else []
        found.append(
            kept("neighbors", f"{case.name}, {case.metric_name}", partial(row, case, drawn))
        )
    return [line for line in found if line is not None]


def measure() -> Facts:
    return {"rows": lines()}


def page(facts: Facts) -> str:
    head = [part for name in METHODS for part in (name, "reference", "difference")]
    return "\n".join(
        [
            "# Errors of nearest neighbours on real data",
            "",
            "From `make bench` (`python -m benchmarks neighbors`): errors in %, beside references "
            "that were measured without",
            f"this library. {REPEATS} x 2-fold stratified cross-validation of the objects in the "
            "order of their files; series on",
            "the split of the UCR archive. The references break ties in favour of the object that "
            "comes first; here objects that",
            "are as near [share their votes](ties.md). kNN chooses k by leaving one out, from the "
            "odd numbers up to the root of",
            "n. The references do not say which k were tried, nor the window of DTW: 0.1 was found "
            "by trying.",
            "",
            "After ± is one standard error: over the folds; of sets of which some objects were "
            "chosen, and others than for the",
            f"reference, over {CHOICES} choices; of one test set, that of a share. The last column "
            "names differences beyond",
            f"{NOISE:.0f} of them.",
            "",
            table(["data", "metric", "n / classes", *head, "beyond noise"], facts["rows"]),
            "",
        ]
    )
