"""All families of classifiers, and the support vector machines that people would use, on one matrix
of distances.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

import wideberth as wb
from benchmarks.data import Case, Indices, Labels

Floats = NDArray[np.float64]

#: Folds inside the training half on which ours choose; few objects are soon learned from, and need
#: more of them.
FEW_OBJECTS, FOLDS_OF_FEW, FOLDS_OF_MANY = 1200, 5, 3
#: What SVMs choose from, distances being in units of their median; and their steps, which need not
#: end if a kernel is indefinite.
SVM_WIDTHS, SVM_PRICES, SVM_STEPS = (0.3, 1.0, 3.0, 10.0), (1.0, 10.0, 100.0), 100_000


@dataclass(frozen=True)
class Measured:
    """A set, a space of its objects in which all distances are known, and the matrix of them, over
    their median.
    """

    case: Case
    space: wb.MetricSpace
    distances: Floats


def measured(case: Case) -> Measured:
    space = wb.MetricSpace(case.objects, case.metric)
    distances = space.metric.block(space.index, space.index)
    return Measured(case, space, distances / np.median(distances[distances > 0]))


@dataclass(frozen=True)
class Answered:
    """The labels that a method gave, and how many training objects its distances are measured
    to.
    """

    labels: Labels
    needed: int


#: Learns from the objects with the first numbers and their labels, and answers for those with the
#: second.
Method = Callable[[Measured, Indices, Labels, Indices], Answered]
Kernel = Callable[[Floats], Floats]


def ours(make: Callable[[Any], Any], needed: Callable[[Any], Any] | None = None) -> Method:
    """A classifier of ours, made from the metric of the space; ``needed`` gives the objects that it
    needs, if not all.
    """

    def answer(given: Measured, known: Indices, labels: Labels, asked: Indices) -> Answered:
        index = given.space.index
        model = make(given.space.metric)
        set_folds(model, len(index))
        model.fit(index[known], labels)
        return Answered(
            np.asarray(model.predict(index[asked])), len(known if needed is None else needed(model))
        )

    return answer


def linear(given: Measured, known: Indices, labels: Labels, asked: Indices) -> Answered:
    """Linear scores of n-grams: for strings, and not on the distances of the others. It keeps no
    training objects.
    """
    model = wb.LinearLipschitzClassifierCV(wb.metric("ngrams", orders=(1, 2, 3)), random_state=0)
    set_folds(model, len(given.case.labels))
    model.fit([given.case.objects[each] for each in known], labels)
    return Answered(np.asarray(model.predict([given.case.objects[each] for each in asked])), 0)


def set_folds(model: Any, n_objects: int) -> None:
    """Set the number of folds in which a model chooses, if it does."""
    if "cv" in model.get_params():
        model.set_params(cv=FOLDS_OF_FEW if n_objects <= FEW_OBJECTS else FOLDS_OF_MANY)


def bare_svm(kernels: list[Kernel]) -> Method:
    """scikit-learn's SVC on a matrix, whatever its eigenvalues."""

    def answer(given: Measured, known: Indices, labels: Labels, asked: Indices) -> Answered:
        fitted, kernel = _chosen_svm(kernels, given, known, labels)
        return Answered(
            fitted.predict(kernel(given.distances[np.ix_(asked, known)] ** 2)), len(fitted.support_)
        )

    return answer


def _chosen_svm(
    kernels: list[Kernel], given: Measured, known: Indices, labels: Labels
) -> tuple[SVC, Kernel]:
    """The machine with the fewest errors on a third of the training objects, fitted to all of them,
    and its kernel.
    """
    stratify = labels if np.unique(labels, return_counts=True)[1].min() > 1 else None
    inner, held = train_test_split(
        np.arange(len(known)), test_size=1 / 3, stratify=stratify, random_state=0
    )

    def wrong(choice: tuple[Kernel, float]) -> int:
        kernel, price = choice
        fitted = _fitted_svm(given, kernel, price, known[inner], labels[inner])
        squares = given.distances[np.ix_(known[held], known[inner])] ** 2
        return int(np.sum(fitted.predict(kernel(squares)) != labels[held]))

    kernel, price = min(product(kernels, SVM_PRICES), key=wrong)
    return _fitted_svm(given, kernel, price, known, labels), kernel


def _fitted_svm(
    given: Measured, kernel: Kernel, price: float, known: Indices, labels: Labels
) -> SVC:
    squares = given.distances[np.ix_(known, known)] ** 2
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        return SVC(kernel="precomputed", C=price, max_iter=SVM_STEPS).fit(kernel(squares), labels)


def _gaussian(width: float, squares: Floats) -> Floats:
    return np.asarray(np.exp(-width * squares))


RIVALS: dict[str, Method] = {
    "SVM exp(-g d²)": bare_svm([partial(_gaussian, width) for width in SVM_WIDTHS]),
    "SVM -d²/2": bare_svm([lambda squares: -squares / 2]),
}
FAMILIES: dict[str, Method] = {
    "1-NN": ours(lambda metric: wb.NeighborsClassifier(metric, n_neighbors=1)),
    "kNN": ours(wb.NeighborsClassifier),
    "margin": ours(
        lambda metric: wb.MarginNeighborsClassifier(metric, refit=True, random_state=0),
        lambda model: model.kept_,
    ),
    "LipschitzCV": ours(lambda metric: wb.LipschitzClassifierCV(metric, random_state=0)),
    "LPMachineCV": ours(
        lambda metric: wb.LPMachineClassifierCV(metric, random_state=0),
        lambda model: model.best_estimator_.references_,
    ),
    "HilbertSVCCV": ours(
        lambda metric: wb.HilbertSVCCV(metric, repair="clip", random_state=0),
        lambda model: model.best_estimator_.support_,
    ),
    "linear, n-grams": linear,
}


def methods(case: Case) -> dict[str, Method]:
    """All that take objects of this set: linear scores of n-grams take strings."""
    strings = (
        isinstance(case.objects, list)
        and isinstance(case.objects[0], str)
        and case.metric != "tanimoto"
    )
    return {
        name: method
        for name, method in (RIVALS | FAMILIES).items()
        if strings or method is not linear
    }
