"""What the models of folds say of the objects that these leave out: the folds, the candidates, and
their answers, computed here, or by the workers of a runner, which computes those of later folds
ahead.
"""

import itertools
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pickle import PicklingError
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from wideberth.array_types import Flags, Floats, Indices, Sample
from wideberth.errors import InvalidInput
from wideberth.estimators.choosing.scoring import CertifiedScore
from wideberth.estimators.training import Training
from wideberth.geometry.measure import parallel
from wideberth.geometry.measure.remembered_distances import (
    MeasuredOnce,
    PairTable,
    index_more,
    measure_once,
    table_bytes,
)
from wideberth.geometry.space.space import keeps_all
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.progress import task
from wideberth.wording import setting

# ---- The folds of a cross-validation, as scikit-learn cuts them


@dataclass(frozen=True)
class Fold:
    """The positions, in the training sample, of the objects that a fold learns from and of those
    that it leaves out.
    """

    #: The objects to learn from.
    known: Indices
    #: The objects to predict.
    left_out: Indices


def cut_folds(training: Training, cv: Any, groups: Any, random_state: int | None) -> list[Fold]:
    """Cut the training objects into folds.

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
    """What the models of all folds learn from, and their memory budget."""

    #: All training objects, prepared by ``metric``.
    objects: Sample
    #: Measures them; after `share_distances` it may look distances up.
    metric: Metric
    #: ``labels``, ``weights``: of the objects, shape (n,).
    labels: NDArray[Any]
    weights: Floats
    #: Bytes that each model may use for blocks of distances.
    max_memory: int
    #: Other objects that they are measured against, such as references, prepared by ``metric``.
    more: Sample = None
    #: Keeps their distances, as long as it lasts.
    table: PairTable | None = None

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
    objects, metric, table = measure_once(
        training.objects, training.metric, max_memory=half, n_jobs=n_jobs, again=True
    )
    if not isinstance(metric, MeasuredOnce):
        return Shared(objects, metric, labels, training.weights, max_memory, more)
    more = None if more is None else index_more(more, metric)
    return Shared(objects, metric, labels, training.weights, half, more, table or training.table)


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
    """What the models with several values of C say of the objects that a fold leaves out."""

    #: The labels that the fold has learned, sorted, shape (k,).
    classes: NDArray[Any]
    #: Shape (values, n, k): A score for each value of C, object and class; the class with the
    #: largest score wins, the first of several.
    scores: Floats
    #: How badly each object is classified, as the method itself measures it: smaller is better
    #: among equal numbers of errors, shape (values, n).
    losses: Floats
    #: Whether the label is proved to stay within a radius, if that was asked, shape (values, n).
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

    A label that is not among the classes has the loss of the worst score.

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
    """

    #: The parameters that distinguish it from other variants.
    parameters: dict[str, Any]
    #: Not fitted; it has these parameters, measures by the shared metric, and has a ``path`` over
    #: values of C.
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
        truth = self.shared.labels[fold.left_out]
        models = self.classifier.path(*self.shared.known(fold, values))
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


@dataclass(frozen=True, eq=False)
class WithoutPrice(Variant):
    """A classifier that has no C, or chooses it while it learns: there is one model for each
    fold.
    """

    def _by_path(self, fold: Fold, values: Floats, score: CertifiedScore | None) -> Answers:
        model, truth = self.fitted(fold, float(values[0])), self.shared.labels[fold.left_out]
        queries = model.admit_queries(self.shared.left_out(fold))
        scores = model.scores(queries)[None]
        stable = None if score is None else score.stable(model, queries)[None]
        return Answers(model.classes_, scores, hinge_losses(scores, model.classes_, truth), stable)

    def fitted(self, fold: Fold, C: float, calibrate: int | None = None) -> Any:
        """The classifier, learned from the known objects of a fold."""
        objects, labels, _, weights = self.shared.known(fold, np.empty(0))
        model = clone(self.classifier)
        model.remembers = False
        return model.fit(objects, labels, weights)


# ---- Candidates on a metric that labels taught: each fold has its own

#: What a family tries on objects: values of C, and variants of which only C is open.
Candidates = tuple[Floats, list[Variant]]


class TaughtByFolds:
    """The training objects under the metrics that the labels of the known objects of each fold
    teach, each taught once, with their distances in a table as far as the memory allows. A metric
    that is made of others which a fold has taught already is what ``taught`` returns.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> rows, codes = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
    >>> taught = metric("forest", n_trees=5).taught(rows, codes)
    >>> training = Training(
    ...     *(taught.prepare(rows), taught, codes, np.ones(20), 2, np.arange(20), 20),
    ...     labels_taught=True,
    ... )
    >>> fold = Fold(np.arange(0, 20, 2), np.arange(1, 20, 2))
    >>> by_folds = TaughtByFolds(training, 10**6)
    >>> by_folds.of(fold).metric is by_folds.of(fold).metric is not taught
    True
    """

    def __init__(
        self,
        training: Training,
        max_memory: int,
        n_jobs: int | None = None,
        taught: Callable[[Fold], Metric] | None = None,
    ) -> None:
        self._training, self._room, self._n_jobs = training, max_memory, n_jobs
        self._taught = taught
        self._known: dict[bytes, Training] = {}

    def of(self, fold: Fold) -> Training:
        """The objects under the metric of a fold."""
        if not self._training.labels_taught:
            return self._training
        key = fold.known.tobytes()
        if key not in self._known:
            self._known[key] = self._in_a_table(
                self._training.taught_by(fold.known)
                if self._taught is None
                else self._training.under(self._taught(fold))
            )
        return self._known[key]

    def _in_a_table(self, taught: Training) -> Training:
        size = table_bytes(len(taught), taught.metric)
        if size > self._room:
            return taught
        self._room -= size
        known = np.asarray(taught.metric.block(taught.objects, taught.objects))
        return taught.in_a_table(size, self._n_jobs, known)

    def __getstate__(self) -> dict[str, Any]:
        """Without what was taught and measured: where a copy is sent, few folds are asked for."""
        training = self._training.without_table()
        return vars(self) | {"_training": training, "_known": {}, "_taught": None, "_room": 0}


class _CandidatesByFolds:
    """The candidates of the fold that was asked for last, made for its metric."""

    def __init__(
        self, make: Callable[[Training], Candidates], by_folds: TaughtByFolds, expected: int
    ) -> None:
        self._given = make, by_folds, expected
        self._last: tuple[bytes, list[Variant]] = b"", []
        self._making = threading.Lock()  # variants may answer at the same time

    def of(self, fold: Fold) -> list[Variant]:
        make, by_folds, expected = self._given
        with self._making:
            key, (last, variants) = fold.known.tobytes(), self._last
            if key != last:
                _, variants = make(by_folds.of(fold))
                if len(variants) != expected:
                    raise ValueError(f"{len(variants)} candidates of {expected}")
                for variant in variants:
                    variant.classifier.remembers = False
                self._last = key, variants
        return variants

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the last ones: where a copy is sent, another fold is asked for."""
        return type(self), self._given


@dataclass(frozen=True, eq=False)
class TaughtVariant(Variant):
    """A variant that each fold has under a metric of its own, which the labels of its known objects
    have taught: what it says of the others knows nothing of their labels.
    """

    place: int
    by_folds: _CandidatesByFolds
    #: Whether the variants of all objects may answer at the same time.
    together: bool

    @property
    def concurrent(self) -> bool:  # type: ignore[override]
        return self.together

    def answers(self, fold: Fold, values: Floats) -> Answers:
        return self.by_folds.of(fold)[self.place].answers(fold, values)

    def certified_answers(self, fold: Fold, values: Floats, score: CertifiedScore) -> Answers:
        return self.by_folds.of(fold)[self.place].certified_answers(fold, values, score)

    def fitted(self, fold: Fold, C: float, calibrate: int | None = None) -> Any:
        return self.by_folds.of(fold)[self.place].fitted(fold, C, calibrate)


def candidates_by_folds(
    make: Callable[[Training], Candidates], training: Training, by_folds: TaughtByFolds
) -> Candidates:
    """The candidates that ``make`` finds for training objects; where labels taught their metric,
    such that each fold has those that ``make`` finds under a metric of its own.
    """
    values, variants = make(training)
    if not training.labels_taught:
        return values, variants
    of_folds = _CandidatesByFolds(make, by_folds, len(variants))
    return values, [
        TaughtVariant(
            each.parameters, each.classifier, each.shared, place, of_folds, each.concurrent
        )
        for place, each in enumerate(variants)
    ]


# ---- The answers, computed here or elsewhere

#: The numbers of a fold and of a variant.
Place = tuple[int, int]


class _Ready(NamedTuple):
    """Answers that nobody has asked for yet, and the values of C that they are for."""

    tried: Flags
    answers: Answers


class FoldAnswers:
    """What variants say of the objects that folds leave out.

    Where a runner may take the work, all distances that the variants keep are measured first, if
    all are needed, and go with them: workers measure nothing that is known here. The first answer
    is computed here, and tells whether the others are worth to be sent.
    """

    def __init__(
        self,
        values: Floats,
        variants: Sequence[Variant],
        folds: list[Fold],
        score: CertifiedScore | None = None,
    ) -> None:
        self._values, self._variants, self._folds, self._score = values, variants, folds, score
        self._ready: dict[Place, _Ready] = {}
        self._undecided = parallel.goes_elsewhere(np.inf)
        self._sent: parallel.SentValue | None = None
        self._expected = 0.0

    def of(
        self, places: Sequence[Place], running: Flags, following: Iterable[Place] = ()
    ) -> Iterator[tuple[Place, Answers]]:
        """The answers at some places, in order, for the values of C that each variant is ``running``
        with, shape (variants, values).

        Workers that have nothing else to do compute ``following`` now, which may be asked next. It
        is used if it is asked for the same values, because the answers for some of them alone may
        differ in the last bits.
        """
        if self._undecided and places:
            self._decide(places[0], running)
        missing = [place for place in places if not self._is_ready(place, running)]
        idle = 0 if self._sent is None else -len(missing) % parallel.effective_jobs(None)
        ahead = [place for place in following if not self._is_ready(place, running)][:idle]
        computed = self._computed([*missing, *ahead], running)
        for place in places:
            ready = self._ready.pop(place, None)
            yield place, next(computed) if ready is None or place in missing else ready.answers
        for place, answers in zip(ahead, computed, strict=True):
            self._ready[place] = _Ready(running[place[1]].copy(), answers)

    def of_all(self) -> Iterator[tuple[Place, Answers]]:
        """The answers of all variants in all folds, for all values."""
        places = list(itertools.product(range(len(self._folds)), range(len(self._variants))))
        return self.of(places, np.ones((len(self._variants), len(self._values)), dtype=bool))

    def _is_ready(self, place: Place, running: Flags) -> bool:
        ready = self._ready.get(place)
        return ready is not None and np.array_equal(ready.tried, running[place[1]])

    def _decide(self, place: Place, running: Flags) -> None:
        """Compute the first answer here, and see whether the others are worth to be sent."""
        self._undecided = False
        if all(variant.compares_all for variant in self._variants):
            measure_all(self._variants[0].shared)
        started = time.perf_counter()
        (answers,) = self._computed([place], running)
        seconds = time.perf_counter() - started
        self._ready[place] = _Ready(running[place[1]].copy(), answers)
        self._expected = seconds * (len(self._folds) * len(self._variants) - 1)
        if parallel.goes_elsewhere(self._expected):
            with suppress(PicklingError):  # what cannot be sent stays here
                self._sent = parallel.sent_with_distances(
                    self._variants, for_all_threads=self._concurrent
                )

    def _computed(self, places: Sequence[Place], running: Flags) -> Iterator[Answers]:
        of_all = self._folds, self._values, self._score, running
        if self._sent is None:
            work = partial(_answers_here, self._variants, *of_all)
            n_jobs = self._variants[0].classifier.n_jobs
            yield from parallel.over_chunks(
                work, places, n_jobs=n_jobs, how="threads" if self._concurrent else None
            )
            return
        sent = partial(_answers_there, self._sent, *of_all)
        for place, (answers, warned) in zip(
            places,
            parallel.over_chunks(sent, places, how="elsewhere", expected=self._expected),
            strict=True,
        ):
            for each in warned:
                warnings.warn(each, stacklevel=2)
            with _doing(place, self._folds, running):  # done, that is
                pass
            yield answers

    @property
    def _concurrent(self) -> bool:
        """Whether variants answer at the same time."""
        return all(variant.concurrent for variant in self._variants)


def _answers_here(
    variants: Sequence[Variant],
    folds: list[Fold],
    values: Floats,
    score: CertifiedScore | None,
    running: Flags,
    place: Place,
) -> Answers:
    with _doing(place, folds, running):
        return _answers(variants, folds, values, score, running, place)


def _answers_there(
    sent: parallel.SentValue,
    folds: list[Fold],
    values: Floats,
    score: CertifiedScore | None,
    running: Flags,
    place: Place,
) -> tuple[Answers, list[Any]]:
    """The answers, and what was warned of: nobody reads that on a worker."""
    with warnings.catch_warnings(record=True, action="always") as warned:
        answers = _answers(sent.open(), folds, values, score, running, place)
    return answers, [each.message for each in warned]


def _answers(
    variants: Sequence[Variant],
    folds: list[Fold],
    values: Floats,
    score: CertifiedScore | None,
    running: Flags,
    place: Place,
) -> Answers:
    """What the candidates of a variant that are running say of the objects that a fold leaves
    out.
    """
    fold, variant, tried = folds[place[0]], variants[place[1]], values[running[place[1]]]
    return (
        variant.answers(fold, tried)
        if score is None
        else variant.certified_answers(fold, tried, score)
    )


def _doing(place: Place, folds: list[Fold], running: Flags) -> Any:
    """The task of an answer."""
    return task(f"fold {place[0] + 1} of {len(folds)}", worth=int(running[place[1]].sum()))
