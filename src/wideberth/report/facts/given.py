"""The objects that a report is about: what they are to the model, and the distances between as many
of them as time allows.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import get_tags

from wideberth.array_types import Floats, Indices, Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_classifier import (
    MetricClassifier,
    metric_classifier,
    single_classifier,
)
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.guarantees.certify import LabelledSample, recognise
from wideberth.guarantees.newness import kept_objects
from wideberth.metrics.tables.cells import ShownTable
from wideberth.objects import sample
from wideberth.objects.labels import CodedLabels
from wideberth.report.drawings.numbers_drawn import FEW_NUMBERS
from wideberth.safe_text import safe_name

#: How many objects are compared with each other: at least, at most, and as many as can be measured
#: in so many seconds.
FEWEST, MOST, SECONDS = 150, 2000, 20.0
#: From this share of objects on that the model learned from, its own answers are not shown.
NEARLY_ALL = 0.9
#: The most columns of a table of numbers: images and spectra are better drawn.
MOST_NAMED = 100


@dataclass(frozen=True, eq=False)
class GivenObjects:
    """A fitted classifier, and the labelled objects that a report shows."""

    model: MetricClassifier
    X: Objects
    labels: CodedLabels
    newness: LabelledSample  # whether the model learned from the objects
    prepared: Sample  # as the metric of the model measures them
    checked: Sample  # after the checks of scikit-learn: vectors in one array
    names: Sequence[Any] | None
    counted_from: int
    columns: Sequence[Any] | None
    dates: Collection[Any]  # columns whose numbers are days
    lines: Sequence[int] | None  # of the objects in their file

    @classmethod
    def of(
        cls,
        model: MetricClassifier,
        X: Objects,
        y: Any,
        names: Sequence[Any] | None,
        counted_from: int,
        columns: Sequence[Any] | None,
        dates: Collection[Any] = (),
        *,
        lines: Sequence[int] | None = None,
        independent: bool = False,
    ) -> "GivenObjects":
        """Check what the user passed; `wideberth.errors.InvalidInput` says what does not fit."""
        classifier = metric_classifier(model)
        newness = recognise(classifier, X, y, independent=independent)
        classes, codes = np.unique(
            np.concatenate([newness.labels, classifier.classes_]), return_inverse=True
        )
        for what, told in (("name", names), ("line", lines)):
            if told is not None and len(told) != len(newness):
                raise InvalidInput(
                    f"There are {len(newness):,} objects and {len(told):,} {what}s.",
                    advice=f"Pass a {what} for each object, or none.",
                    value=len(told),
                )
        labels = CodedLabels(classes, codes[: len(newness)].astype(np.intp))
        prepared, checked = classifier.admit_with_given(X)
        columns = getattr(classifier, "feature_names_in_", None) if columns is None else columns
        return cls(
            *(model, X, labels, newness, prepared, checked, names, counted_from),
            *(columns, dates, lines),
        )

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def classifier(self) -> MetricClassifier:
        """The outermost classifier on a metric."""
        return metric_classifier(self.model)

    @property
    def single(self) -> MetricClassifier:
        """The classifier that answers in the end."""
        return single_classifier(self.model)

    @property
    def metric(self) -> Any:
        """The metric of the model."""
        return self.classifier.metric_

    @property
    def is_matrix(self) -> bool:
        """Whether the objects are given by their distances alone."""
        return bool(get_tags(self.model).input_tags.pairwise)

    @property
    def is_new(self) -> bool:
        """Whether the model has learned from none of the objects, as far as it can tell."""
        return self.newness.kind == "new"

    @property
    def is_for_the_model(self) -> bool:
        """Whether the model answers for the objects itself, as in an evaluation: unless it learned
        from all of them or nearly all, or nobody can know.
        """
        seen = self.newness.seen
        return self.is_new or (seen is not None and len(seen) < NEARLY_ALL * len(self))

    @cached_property
    def held(self) -> Any:
        """The objects as they were passed, so that each can be picked."""
        if self.is_matrix:
            return np.arange(len(self))
        return sample.one_by_one(sample.hold(self.X, rows=self.metric.accepts == "rows"))

    @cached_property
    def compared(self) -> Indices:
        """The positions of the objects that are compared with each other: all, or some with the
        classes in their shares.
        """
        return stratified(self.labels.codes, min(max(isqrt(self.affordable()), FEWEST), MOST))

    @cached_property
    def distances(self) -> Floats | None:
        """The distances between the compared objects; None where the data do not hold them."""
        if not self.is_matrix:
            some = sample.pick(self.prepared, self.compared)
            return (
                self._each_pair_once(some)
                if self.metric.obeys_triangle
                else self.between(some, some)
            )
        matrix = np.asarray(self.X, dtype=np.float64)
        square = (
            matrix.shape[0] == matrix.shape[1]
            and self.newness.kind == "training"
            and not np.diagonal(matrix).any()
        )
        return matrix[np.ix_(self.compared, self.compared)] if square else None

    def _each_pair_once(self, objects: Objects) -> Floats:
        """The distances between prepared objects, each pair once, and none from an object to
        itself, which may be a long text.
        """
        distances = np.zeros((sample.count(objects), sample.count(objects)))
        spans = [(0, len(distances))]
        while spans:
            first, last = spans.pop()
            middle = (first + last) // 2
            if first < middle:
                left, right = slice(first, middle), slice(middle, last)
                distances[left, right] = self.between(
                    sample.pick(objects, left), sample.pick(objects, right)
                )
                distances[right, left] = distances[left, right].T
                spans += [(first, middle), (middle, last)]
        return distances

    def between(self, left: Any, right: Any) -> Floats:
        """The distances between prepared objects."""
        return pairwise_distances(
            left, right, self.metric, n_jobs=self.classifier.n_jobs, verbose=-1
        )

    def affordable(self, each: float = 1.0, seconds: float = SECONDS) -> int:
        """How many times ``each`` distances can be measured in about so many seconds, by what the
        metric declares.
        """
        return int(
            1e9 * seconds / max(self.metric.nanoseconds(self.prepared), 1.0) / max(each, 1.0)
        )

    def some(self, places: Indices) -> Any:
        """Some of the objects, in the form in which the model takes them."""
        return sample.pick(sample.hold(self.checked, rows=self.metric.accepts == "rows"), places)

    @cached_property
    def table(self) -> ShownTable | None:
        """The objects column by column, if they are rows of a table: vectors with few numbers, or
        with names for them, among these.
        """
        if self.is_matrix or self.metric.accepts not in ("rows", "vectors"):
            return None
        if self.metric.accepts == "rows":
            return ShownTable.of(self.X, self.metric, self.columns, self.dates)
        vectors = np.asarray(self.prepared)
        fits = vectors.ndim == 2 and vectors.shape[1] == len(
            self.columns if self.columns is not None else range(vectors.shape[1])
        )
        most = MOST_NAMED if self.columns is not None else FEW_NUMBERS
        if not fits or not 0 < vectors.shape[1] <= most:
            return None
        return ShownTable.of(vectors, self.metric, self.columns, self.dates)

    def row(self, place: int) -> str:
        """What to call an object: its number, with its name if it has one."""
        if self.lines is None:
            number = f"{'row' if self.counted_from else 'object'} {place + self.counted_from:,}"
        else:
            number = f"line {self.lines[place]:,}"
        return number if self.names is None else f"{safe_name(self.names[place])} ({number})"

    @property
    def class_names(self) -> list[str]:
        """The names of the classes."""
        return [safe_name(each) for each in self.labels.classes.tolist()]


def distances_an_answer(model: MetricClassifier) -> int:
    """How many distances an answer of a classifier takes, or what it costs in distances where none
    are measured.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> distances_an_answer(
    ...     NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"])
    ... )
    2
    """
    kept = kept_objects(model)
    return 20 if kept is None else sample.count(kept)


def stratified(codes: NDArray[np.intp], most: int) -> Indices:
    """Positions of at most so many objects, with the classes in their shares, in increasing order;
    the same in every run.

    Examples
    --------
    >>> stratified(np.repeat([0, 1], [30, 10]), 8)
    array([ 4,  9, 14, 16, 18, 26, 37, 39])
    """
    if len(codes) <= most:
        return np.arange(len(codes))
    shuffled = np.random.default_rng(0).permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    return np.sort(by_class[((np.arange(most) + 0.5) * len(codes) / most).astype(np.intp)])
