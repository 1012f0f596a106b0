"""Errors on real data beside nearest neighbours and support vector machines, all on the same folds and the same distances."""

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

import wideberth as wb
from benchmarks.data import REPEATS, Case, Indices, Labels, cases
from benchmarks.timing import seconds, table

Floats = NDArray[np.float64]

#: Folds inside the training half on which LipschitzClassifierCV chooses C.
INNER_FOLDS = 3
#: What SVMs choose from, distances being in units of their median; and their steps, which need not end if a kernel is indefinite.
SVM_WIDTHS, SVM_PRICES, SVM_STEPS = (0.3, 1.0, 3.0, 10.0), (1.0, 10.0, 100.0), 100_000


@dataclass(frozen=True)
class Measured:
    """A space in which all distances are known, and the matrix of them, over their median."""

    space: wb.MetricSpace
    distances: Floats


def measure(case: Case) -> Measured:
    space = wb.MetricSpace(case.objects, case.metric)
    distances = space.metric.block(space.index, space.index)
    return Measured(space, distances / np.median(distances[distances > 0]))


#: Learns from the objects with the first numbers and their labels, and answers for those with the second.
Method = Callable[[Measured, Indices, Labels, Indices], Labels]


def on_the_space(make: Callable[[Any], Any]) -> Method:
    """A classifier of ours, made from the metric of the space."""

    def answer(measured: Measured, known: Indices, labels: Labels, asked: Indices) -> Labels:
        index = measured.space.index
        return np.asarray(make(measured.space.metric).fit(index[known], labels).predict(index[asked]))

    return answer


def svm(kernels: list[Callable[[Floats], Floats]]) -> Method:
    """A support vector machine; its kernel and C are those with the fewest errors on a third of the training objects."""

    def answer(measured: Measured, known: Indices, labels: Labels, asked: Indices) -> Labels:
        fitted, kernel = chosen_svm(kernels, measured, known, labels)
        return np.asarray(fitted.predict(kernel(measured.distances[np.ix_(asked, known)] ** 2)))

    return answer


def chosen_svm(
    kernels: list[Callable[[Floats], Floats]], measured: Measured, known: Indices, labels: Labels
) -> tuple[SVC, Callable[[Floats], Floats]]:
    """The machine with the fewest errors on a third of the training objects, fitted to all of them, and its kernel."""
    stratify = labels if np.unique(labels, return_counts=True)[1].min() > 1 else None
    inner, held = train_test_split(np.arange(len(known)), test_size=1 / 3, stratify=stratify, random_state=0)

    def wrong(choice: tuple[Callable[[Floats], Floats], float]) -> int:
        kernel, price = choice
        fitted = fitted_svm(measured, kernel, price, known[inner], labels[inner])
        squares = measured.distances[np.ix_(known[held], known[inner])] ** 2
        return int(np.sum(fitted.predict(kernel(squares)) != labels[held]))

    kernel, price = min(product(kernels, SVM_PRICES), key=wrong)
    return fitted_svm(measured, kernel, price, known, labels), kernel


def fitted_svm(measured: Measured, kernel: Callable[[Floats], Floats], price: float, known: Indices, labels: Labels) -> SVC:
    squares = measured.distances[np.ix_(known, known)] ** 2
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        return SVC(kernel="precomputed", C=price, max_iter=SVM_STEPS).fit(kernel(squares), labels)


METHODS: dict[str, Method] = {
    "1-NN": on_the_space(lambda metric: wb.NeighborsClassifier(metric, n_neighbors=1)),
    "kNN": on_the_space(wb.NeighborsClassifier),
    "Lipschitz, C = 5": on_the_space(lambda metric: wb.LipschitzClassifier(metric, C=5.0)),
    "LipschitzCV": on_the_space(lambda metric: wb.LipschitzClassifierCV(metric, cv=INNER_FOLDS, random_state=0)),
    "SVM exp(-g d²)": svm([lambda squares, width=width: np.exp(-width * squares) for width in SVM_WIDTHS]),
    "SVM -d²/2": svm([lambda squares: -squares / 2]),
}


def row(case: Case) -> list[str]:
    """The error of each method in percent, the mean over all folds, and the seconds of learning and answering in one fold."""
    measured = measure(case)
    wrong: dict[str, list[float]] = {name: [] for name in METHODS}
    spent: dict[str, list[float]] = {name: [] for name in METHODS}
    for repeat, known, asked in case.folds():
        noisy = case.training_labels(repeat)
        for name, method in METHODS.items():
            took, answers = seconds(lambda: method(measured, known, noisy[known], asked))  # noqa: B023 - called at once
            wrong[name].append(100 * float(np.mean(answers != case.labels[asked])))
            spent[name].append(took)
    cells = [f"{np.mean(wrong[name]):.1f} ({np.mean(spent[name]):.2g} s)" for name in METHODS]
    line = [case.name, case.metric_name, case.size, *cells]
    print(*line, file=sys.stderr, flush=True)
    return line


def page() -> str:
    warm_up = next(cases())  # compiled code is loaded before it is timed
    for method in METHODS.values():
        method(measure(warm_up), np.arange(0, 178, 2), warm_up.labels[::2], np.arange(1, 178, 2))
    rows = [row(case) for case in cases()]
    return "\n".join(
        [
            "# Errors on real data",
            "",
            "From `make bench` (`python -m benchmarks errors`): errors in % and, in brackets, seconds of learning and answering",
            f"in one fold, all distances known; {REPEATS} x 2-fold stratified cross-validation of the objects in the order of",
            "their files, series on the split of the UCR archive. kNN chooses k by leaving one out, LipschitzCV chooses C in",
            f"{INNER_FOLDS} folds of the training half, SVMs choose g and C on a third of it. Wrong labels are in the training",
            "half only.",
            "",
            table(["data", "metric", "n / classes", *METHODS], rows),
            "",
        ]
    )
