"""What copies of a classifier say of objects that they have not learned from, fold by fold; each
distance once where it pays.
"""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import get_tags

from wideberth.array_types import Floats, Indices, Objects, Sample
from wideberth.errors import BrokenAxiomWarning, InvalidInput, NotCertified
from wideberth.estimators.metric_classifier import class_scores, metric_classifier
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.geometry.space.space import space_if_it_fits
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import bind
from wideberth.metrics.named import metric as as_metric
from wideberth.objects import sample
from wideberth.objects.labels import CodedLabels
from wideberth.progress import task


@dataclass(frozen=True, eq=False)
class Refittable:
    """A classifier, and the objects that copies of it learn from, in the form in which it takes
    them: themselves, indices into a space, or a matrix of distances. ``more`` are other objects to
    ask about, in the same form; of a matrix their distances to all ``objects``.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> drinks, kinds = ["tea", "tee", "rum", "rom"], np.array(["soft", "soft", "hard", "hard"])
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(drinks, kinds)
    >>> again = Refittable.of(model, drinks)
    >>> again.learn(np.array([0, 2]), kinds).predict(
    ...     again.left_out(np.array([0, 2]), np.array([1, 3]))
    ... )
    array(['soft', 'hard'], dtype='<U4')
    """

    classifier: Any
    objects: Sample
    more: Sample
    matrix: bool

    @classmethod
    def of(cls, model: Any, X: Objects, more: Objects = None, **parameters: Any) -> "Refittable":
        """A copy of a fitted classifier, with some other parameters, and the objects as they were
        passed.
        """
        matrix = bool(get_tags(model).input_tags.pairwise)
        copied = clone(model).set_params(**parameters)
        if matrix:
            return cls(copied, np.asarray(X), None if more is None else np.asarray(more), matrix)
        inner = metric_classifier(model)
        rows = inner.metric_.accepts == "rows"
        others = None if more is None else sample.hold(inner.admit_with_given(more)[1], rows=rows)
        return cls(copied, sample.hold(inner.admit_with_given(X)[1], rows=rows), others, matrix)

    def in_a_space(self, memory: int, n_jobs: int | None) -> "Refittable | None":
        """The same with objects in a space that keeps their distances; None where that does not
        pay, or would tell copies more.

        A metric that learns from objects has to learn from those of each fold alone.
        """
        parameters = self.classifier.get_params()
        if (
            self.matrix
            or "metric" not in parameters
            or not isinstance(parameters.get("references"), int | np.integer | None)
        ):
            return None  # references that are objects have no index
        if getattr(self.classifier, "measures_by_several", False):
            return None  # each distance once
        metric = as_metric(parameters["metric"])
        if bind(self.objects, metric)[1] is not metric:
            return None
        others = 0 if self.more is None else sample.count(self.more)
        space = space_if_it_fits(
            self.objects, metric, max_memory=memory // 2, n_jobs=n_jobs, appended=others
        )
        if space is None:
            return None
        index = space.index
        more = None if self.more is None else space.append(self.more)
        return Refittable(
            clone(self.classifier).set_params(metric=space.metric), index, more, matrix=False
        )

    @property
    def bound(self) -> tuple[Sample, Metric]:
        """The objects and a metric between them: of a matrix, the numbers of its rows."""
        return bind(self.objects, "precomputed" if self.matrix else self.classifier.metric)

    def learn(self, known: Indices, labels: NDArray[Any]) -> Any:
        """A copy of the classifier that has learned from some of the objects; ``labels`` are those
        of all.
        """
        objects = (
            self.objects[np.ix_(known, known)] if self.matrix else sample.pick(self.objects, known)
        )
        # the model's own fit has warned
        with warnings.catch_warnings(action="ignore", category=BrokenAxiomWarning):
            return clone(self.classifier).fit(objects, labels[known])

    def left_out(self, known: Indices, left_out: Indices) -> Sample:
        """Objects in the form in which a copy that has learned from ``known`` takes them."""
        return (
            self.objects[np.ix_(left_out, known)]
            if self.matrix
            else sample.pick(self.objects, left_out)
        )

    def others(self, known: Indices) -> Sample:
        """The objects of ``more`` in the form in which a copy that has learned from ``known`` takes
        them.
        """
        return self.more[:, known] if self.matrix else self.more


class FoldScores(NamedTuple):
    """What a copy of a classifier says of objects that it has not learned from, and of the other
    ones; -inf for classes that it does not know. ``flips`` is how many labels of the objects that
    the copy learned from may be wrong until an answer can change; None where that was not asked or is
    not proved.
    """

    left_out: Indices
    scores: Floats
    more: Floats | None
    flips: Indices | None = None


def fold_scores(
    model: Any,
    X: Objects,
    labels: CodedLabels,
    folds: Iterable[tuple[Indices, Indices]],
    more: Objects = None,
    with_flips: bool = False,
    **parameters: Any,
) -> tuple[Refittable, list[FoldScores]]:
    """The scores of the objects that each fold leaves out, by copies of a classifier that learn
    from the others.

    Where the memory of the model holds all distances of objects that are no vectors, a
    `wideberth.MetricSpace` keeps them, so that the copies measure each of them once. Classifiers
    that read the objects themselves, not their distances, do without it.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> from wideberth.objects.labels import code_labels
    >>> drinks, kinds = (
    ...     ["tea", "tee", "rum", "rom"],
    ...     code_labels(["soft", "soft", "hard", "hard"], 4),
    ... )
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     drinks, ["soft", "soft", "hard", "hard"]
    ... )
    >>> _, [first] = fold_scores(model, drinks, kinds, [(np.array([0, 2]), np.array([1, 3]))])
    >>> kinds.classes[first.scores.argmax(axis=1)]
    array(['soft', 'hard'], dtype='<U4')
    """
    inner = metric_classifier(model)
    plain = Refittable.of(model, X, more, **parameters)
    kept = plain.in_a_space(parse_memory(inner.max_memory), inner.n_jobs)
    cut = list(folds)
    if kept is not None:
        try:
            return kept, list(_scores(kept, labels, cut, with_flips))
        except InvalidInput:  # it reads the objects themselves; any other fault shows again
            pass
    return plain, list(_scores(plain, labels, cut, with_flips))


def _scores(
    again: Refittable,
    labels: CodedLabels,
    folds: list[tuple[Indices, Indices]],
    with_flips: bool,
) -> Iterator[FoldScores]:
    named = labels.classes[labels.codes]
    with task("folds", len(folds)) as working:
        for known, left_out in folds:
            copy = again.learn(known, named)
            more = None if again.more is None else _of_all(copy, again.others(known), labels)
            objects = again.left_out(known, left_out)
            flips = _flips(copy, objects) if with_flips else None
            yield FoldScores(left_out, _of_all(copy, objects, labels), more, flips)
            working.advance()


def _flips(model: Any, X: Objects) -> Indices | None:
    """How many training labels may be wrong until an answer can change; None if that is not
    proved.
    """
    try:
        found: Indices = model.certified_flips(X)
    except NotCertified:
        return None
    return found


def _of_all(model: Any, X: Objects, labels: CodedLabels) -> Floats:
    """The scores of all classes, also of those that a model does not know."""
    known = class_scores(model, X)
    scores = np.full((len(known), len(labels.classes)), -np.inf)
    scores[:, np.searchsorted(labels.classes, model.classes_)] = known
    return scores


def cut_folds(
    labels: CodedLabels, cv: int, random_state: int | None
) -> Iterator[tuple[Indices, Indices]]:
    """Positions of the objects to learn from and of those left out: stratified folds, fewer if the
    largest class is smaller.

    Examples
    --------
    >>> labels = CodedLabels(np.array(["a", "b"]), np.array([0, 1, 0, 1]))
    >>> [sorted(labels.codes[left_out].tolist()) for _, left_out in cut_folds(labels, 5, 0)]
    [[0, 1], [0, 1]]
    """
    count = min(cv, int(np.bincount(labels.codes).max()))
    splitter = StratifiedKFold(count, shuffle=True, random_state=random_state)
    # a class may have fewer objects than there are folds
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        yield from splitter.split(np.zeros(len(labels)), labels.codes)
