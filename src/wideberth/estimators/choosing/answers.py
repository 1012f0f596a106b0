"""What the models of a fold say of the objects that it leaves out, and the candidates that say
it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from wideberth.array_types import Flags, Floats, Indices
from wideberth.errors import InvalidInput
from wideberth.estimators.choosing.scoring import CertifiedScore
from wideberth.estimators.training import Training
from wideberth.geometry.measure.remembered_distances import MeasuredOnce, index_more
from wideberth.geometry.space.measure_once import keeps_all, space_if_it_fits
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.wording import setting

# ---- The folds of a cross-validation, as scikit-learn cuts them


@dataclass(frozen=True)
class Fold:
    """The positions, in the training sample, of the objects that a fold learns from and of those
    that it leaves out.

    Attributes
    ----------
    known : ndarray of int
        The objects to learn from.
    left_out : ndarray of int
        The objects to predict.
    """

    known: Indices
    left_out: Indices


def cut_folds(training: Training, cv: Any, groups: Any, random_state: int | None) -> list[Fold]:
    """Cut the training objects into folds.

    Parameters
    ----------
    training : Training
        The objects, without those of weight 0.
    cv : int, splitter, or iterable of (train, test)
        A number of stratified and shuffled folds, a splitter of scikit-learn, or positions in the X
        of fit.
    groups : array-like of shape (n_given,), optional
        A group for each object of X, for splitters that keep groups together.
    random_state : int or None
        Shuffles the folds if ``cv`` is a number.

    Returns
    -------
    list of Fold
        Positions in ``training``.

    Raises
    ------
    InvalidInput
        If ``groups`` are given without a splitter, or there are more folds than objects of the
        largest class.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> training = Training(
    ...     np.eye(4), metric("euclidean"), np.array([0, 1, 0, 1]), np.ones(4), 2, np.arange(4), 4
    ... )
    >>> [
    ...     fold.left_out.tolist()
    ...     for fold in cut_folds(training, [([0, 1], [2, 3]), ([2, 3], [0, 1])], None, None)
    ... ]
    [[2, 3], [0, 1]]
    """
    if hasattr(cv, "split"):
        return list(_split(training, cv, _training_groups(training, groups)))
    if groups is not None:
        raise InvalidInput(
            f"{setting('cv', shown=sample.shown(cv))} ignores groups: objects of the same group "
            "may be on both sides of a fold.",
            advice=f"Pass {setting('cv', shown='sklearn.model_selection.GroupKFold(5)')}, or "
            "another splitter for groups.",
            value=cv,
        )
    if isinstance(cv, int | np.integer):
        return list(_split(training, _stratified(training, int(cv), random_state), None))
    return [
        Fold(*(np.flatnonzero(np.isin(training.positions, part)) for part in parts)) for parts in cv
    ]


def _split(training: Training, splitter: Any, groups: Any) -> Iterator[Fold]:
    """The folds of a splitter of scikit-learn."""
    keywords = {} if groups is None else {"groups": groups}
    try:
        cuts = list(splitter.split(np.zeros(len(training)), training.codes, **keywords))
    except ValueError as reason:
        raise InvalidInput(
            f"{splitter!r} cannot cut {len(training)} objects of {training.n_classes} classes: "
            f"{str(reason).rstrip('.')}.",
            advice="Pass fewer folds, or other groups.",
            value=splitter,
        ) from None
    for known, left_out in cuts:
        yield Fold(known, left_out)


def _stratified(training: Training, count: int, random_state: int | None) -> StratifiedKFold:
    """The splitter for a number of folds."""
    largest = int(np.bincount(training.codes).max())
    if not 2 <= count <= largest:
        raise InvalidInput(
            f"{setting('cv', shown=count)} folds do not fit: n_samples = {len(training)}, and the "
            f"largest class has {largest} of them.",
            advice="Pass 2 or more, up to the size of the largest class, or a classifier with a "
            "fixed C.",
            value=count,
        )
    return StratifiedKFold(count, shuffle=True, random_state=random_state)


def _training_groups(training: Training, groups: Any) -> Any:
    """The groups of the objects in the training sample, those of a positive weight."""
    if groups is None:
        return None
    held = sample.hold(groups)
    if len(held) != training.n_given:
        raise InvalidInput(
            f"There are {training.n_given} objects and {len(held)} groups.",
            advice="Pass one group for each object, in the same order.",
            value=(training.n_given, len(held)),
        )
    return held[training.positions]


# ---- The training objects of a cross-validation with distances that all folds share


@dataclass(frozen=True)
class Shared:
    """What the models of all folds learn from, and their memory budget.

    Attributes
    ----------
    objects : sample
        All training objects, prepared by ``metric``.
    metric : Metric
        Measures them; after `share_distances` it may look distances up.
    labels, weights : ndarray of shape (n,)
        Of the objects.
    max_memory : int
        Bytes that each model may use for blocks of distances.
    more : sample or None
        Other objects that they are measured against, such as references, prepared by ``metric``.
    """

    objects: Any
    metric: Metric
    labels: NDArray[Any]
    weights: Floats
    max_memory: int
    more: Any = None

    def known(self, fold: Fold, values: Floats) -> tuple[Any, NDArray[Any], Floats, Floats]:
        """The arguments of ``path`` for the objects that a fold learns from: objects, labels,
        values of C, weights.
        """
        return (
            sample.pick(self.objects, fold.known),
            self.labels[fold.known],
            values,
            self.weights[fold.known],
        )

    def left_out(self, fold: Fold) -> Any:
        """The objects that a fold leaves out."""
        return sample.pick(self.objects, fold.left_out)


def share_distances(
    training: Training,
    classes: NDArray[Any],
    *,
    max_memory: int,
    n_jobs: int | None,
    more: Any = None,
) -> Shared:
    """The objects with a metric that measures each pair once, if half of the memory holds all of
    their distances.
    """
    labels, half = classes[training.codes], max_memory // 2
    if isinstance(training.metric, MeasuredOnce):
        more = None if more is None else index_more(more, training.metric)
        return Shared(training.objects, training.metric, labels, training.weights, half, more)
    appended = 0 if more is None else len(more)
    space = space_if_it_fits(
        training.objects, training.metric, max_memory=half, n_jobs=n_jobs, appended=appended
    )
    if space is None:
        return Shared(training.objects, training.metric, labels, training.weights, max_memory, more)
    index = space.index
    return Shared(
        index,
        space.metric,
        labels,
        training.weights,
        half,
        None if more is None else space.append(more),
    )


def measure_all(shared: Shared) -> None:
    """Measure all distances that the metric keeps, if it keeps them and the memory holds all: folds
    elsewhere look them up.
    """
    metric = shared.metric
    if not keeps_all(metric):
        return
    objects, n = metric.prepare(shared.objects), sample.count(shared.objects)
    height = max(1, shared.max_memory // (np.dtype(float).itemsize * n))
    for start in range(0, n, height):
        rows = sample.pick(objects, np.arange(start, min(start + height, n)))
        metric.block(rows, objects)
        if shared.more is not None:
            metric.block(rows, metric.prepare(shared.more))


@dataclass(frozen=True, eq=False)
class Answers:
    """What the models with several values of C say of the objects that a fold leaves out.

    Attributes
    ----------
    classes : ndarray of shape (k,)
        The labels that the fold has learned, sorted.
    scores : ndarray of shape (values, n, k)
        A score for each value of C, object and class; the class with the largest score wins, the
        first of several.
    losses : ndarray of shape (values, n)
        How badly each object is classified, as the method itself measures it: smaller is better
        among equal numbers of errors.
    stable : ndarray of bool, shape (values, n), or None
        Whether the label is proved to stay within a radius, if that was asked.
    """

    classes: NDArray[Any]
    scores: Floats
    losses: Floats
    stable: Flags | None = None

    def right(self, truth: NDArray[Any]) -> Flags:
        """Which objects get their true label, shape (values, n).

        Examples
        --------
        >>> answers = Answers(
        ...     np.array(["hard", "soft"]), np.array([[[0.0, 1.0], [0.5, 0.5]]]), np.zeros((1, 2))
        ... )
        >>> answers.right(np.array(["soft", "soft"]))
        array([[ True, False]])
        """
        right: Flags = self.classes[self.scores.argmax(axis=2)] == truth
        return right


def hinge_losses(scores: Floats, classes: NDArray[Any], truth: NDArray[Any]) -> Floats:
    r"""The hinge losses of scores whose margin is 1 on either side.

    .. math:: \ell(x, y) = \max(0, 1 - \tfrac12 (h(x, y) - \max_{y' \neq y} h(x, y')))

    Parameters
    ----------
    scores : ndarray of shape (values, n, k)
        A score :math:`h(x, y)` for each value of C, object and class.
    classes : ndarray of shape (k,)
        The label of each class, sorted.
    truth : ndarray of shape (n,)
        The true labels. One that is not among the classes has the loss of the worst score.

    Returns
    -------
    ndarray of shape (values, n)
        The losses.

    Examples
    --------
    >>> hinge_losses(np.array([[[1.0, -1.0], [0.0, 0.5]]]), np.array([0, 1]), np.array([0, 0]))
    array([[0.  , 1.25]])
    """
    codes = np.searchsorted(classes, truth).clip(0, len(classes) - 1)
    objects, known = np.arange(len(truth)), classes[codes] == truth
    own = np.where(known, scores[:, objects, codes], scores.min(axis=2))
    others = scores.copy()
    others[:, objects[known], codes[known]] = -np.inf
    best = others.max(axis=2)
    losses: Floats = np.maximum(0.0, 1.0 - (own - np.where(np.isfinite(best), best, own)) / 2)
    return losses


@dataclass(frozen=True, eq=False)
class Variant:
    """A classifier of which only C is open, on the objects that all folds share.

    A child with a faster way to its `answers` or `certified_answers` overrides them; `fitted` stays
    the classifier itself.

    Attributes
    ----------
    parameters : dict
        The parameters that distinguish it from other variants.
    classifier : MetricClassifier
        Not fitted; it has these parameters, measures by the shared metric, and has a ``path`` over
        values of C.
    shared : Shared
        The objects.
    """

    parameters: dict[str, Any]
    classifier: Any
    shared: Shared

    #: Whether several variants may answer at the same time: compiled code that needs no interpreter
    #: lock gains by it.
    concurrent: ClassVar[bool] = False

    @property
    def compares_all(self) -> bool:
        """Whether all objects are measured against each other in the end; against landmarks alone
        few distances are needed.
        """
        return getattr(self.classifier, "landmarks", None) is None

    def answers(self, fold: Fold, values: Floats) -> Answers:
        """What the models with the given values of C, learned from the known objects of a fold, say
        of those left out.
        """
        return self._by_path(fold, values, None)

    def certified_answers(self, fold: Fold, values: Floats, score: CertifiedScore) -> Answers:
        """The same, with what is proved to stay within a radius."""
        return self._by_path(fold, values, score)

    def _by_path(self, fold: Fold, values: Floats, score: CertifiedScore | None) -> Answers:
        """The answers of the models of a path."""
        truth, models = (
            self.shared.labels[fold.left_out],
            self.classifier.path(*self.shared.known(fold, values)),
        )
        queries = models[0].admit_queries(self.shared.left_out(fold))
        scores = np.array([model.scores(queries) for model in models])
        stable = (
            None if score is None else np.array([score.stable(model, queries) for model in models])
        )
        return Answers(
            models[0].classes_, scores, hinge_losses(scores, models[0].classes_, truth), stable
        )

    def fitted(self, fold: Fold, C: float, calibrate: int | None = None) -> Any:
        """The classifier with this C, learned from the known objects of a fold."""
        objects, labels, _, weights = self.shared.known(fold, np.empty(0))
        return (
            clone(self.classifier)
            .set_params(C=C, calibrate=calibrate)
            .fit(objects, labels, weights)
        )
