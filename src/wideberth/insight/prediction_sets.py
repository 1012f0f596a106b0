r"""Sets of labels that contain the true one with a proved probability, for any classifier:
conformal prediction.

The strangeness of an object x with a label y is by how much another label leads over it,

.. math:: E(x, y) = \max_{y' \neq y} h(x, y') - h(x, y),

for the scores h of a classifier. *Split conformal* (Papadopoulos et al. 2002): h has learned from
other objects than those n that calibrate it; the set of x holds all y with :math:`p(x, y) >
\delta`, where p is the rank of E(x, y) among the calibration scores
(`wideberth.insight.conformal`). If calibration objects and the new one are exchangeable, the true
label is in it with a probability of at least :math:`1 - \delta`, and of at most :math:`1 - \delta +
1 / (n + 1)` where no scores are tied.

*Cross-conformal* (Vovk 2015; Barber, Candes, Ramdas & Tibshirani 2021 call a relative CV+): each
fold k in turn calibrates a copy that has learned from the others, with n_k objects, and the set
holds all y whose mean p-value :math:`\bar p = \frac1K \sum_k p_k` is above delta. Each :math:`p_k`
is one of split conformal; of a mean of p-values :math:`P(\bar p \le \delta) \le 2 \delta` is proved
(Vovk & Wang 2020), whatever their dependence. So the proved coverage is :math:`1 - 2 \delta`,
though it is usually above :math:`1 - \delta`. Folds must not depend on labels, so they are not
stratified.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from wideberth.array_types import Flags, Floats, Indices, Labels, Objects, Sample
from wideberth.cards.card import MOST_ROWS, Card, Cell, Shown, Table, as_text
from wideberth.cards.values import number, told
from wideberth.certificate import check_delta
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_classifier import MetricClassifier, class_scores, metric_classifier
from wideberth.estimators.metric_estimator import code_targets
from wideberth.estimators.model_facts import counted
from wideberth.insight import conformal
from wideberth.insight.out_of_fold import fold_scores
from wideberth.metrics.parameters import is_whole
from wideberth.objects import sample
from wideberth.objects.labels import CodedLabels
from wideberth.progress import task
from wideberth.wording import at, setting

# ---- A set of labels for each object, with what is proved about it


#: The most labels of a set that are shown.
_MOST_LABELS = 8


@dataclass(frozen=True, eq=False, repr=False)
class PredictionSets(Shown):
    """A set of labels for each object, and what is proved about them. ``sets[i]`` are the labels of
    object i.

    Attributes
    ----------
    p_values : ndarray of shape (n, k)
        For each object and class, a conformal p-value, or a mean of them: how usual it is that
        other labels lead over the true one by so much.
    members : ndarray of bool, shape (n, k)
        Whether a class is in the set of an object: its p-value is above ``delta``.
    classes : ndarray of shape (k,)
        The labels.
    delta : float
        The share of sets that may miss, as it was asked for.
    proved : float
        The probability with which the set of a new object is proved to contain its label, over the
        draw of all objects: 1 - delta, or 1 - 2 delta for "cross-conformal".
    method : {"split conformal", "cross-conformal"}
        How the sets were made.
    n_calibration : int
        The number of objects that calibrated them.
    too_few : bool
        Whether these are too few to leave out a label at ``delta``, so that all sets are full.
    assumptions : tuple of str
        Sentences that have to be true.

    Examples
    --------
    >>> values, members = np.array([[0.9, 0.02]]), np.array([[True, False]])
    >>> sets = PredictionSets(
    ...     values, members, np.array(["hard", "soft"]), 0.1, 0.9, "split conformal", 50, False, ()
    ... )
    >>> sets[0], sets.sizes
    (array(['hard'], dtype='<U4'), array([1]))
    """

    p_values: Floats
    members: Flags
    classes: NDArray[Any]
    delta: float
    proved: float
    method: Literal["split conformal", "cross-conformal"]
    n_calibration: int
    too_few: bool
    assumptions: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.members)

    def __getitem__(self, position: int) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes[self.members[position]]
        return labels

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return (self[position] for position in range(len(self)))

    @property
    def sizes(self) -> Indices:
        """The number of labels of each set, shape (n,)."""
        return np.asarray(self.members.sum(axis=1), dtype=np.intp)

    @property
    def n_empty(self) -> int:
        """The number of sets without a label: objects unlike the calibration objects of all
        labels.
        """
        return int((self.sizes == 0).sum())

    @property
    def n_full(self) -> int:
        """The number of sets with all labels, which say nothing."""
        return int((self.sizes == len(self.classes)).sum())

    def card(self) -> Card:
        """What is proved of the sets, and the first of them."""
        single = int((self.sizes == 1).sum())
        few = [
            f"{self.n_calibration:,} calibration objects are too few to leave out a label at "
            f"delta={self.delta:g}."
        ]
        promise = (
            f"The label of a new object is in its set with probability {self.proved:.10g} or more."
        )
        table = Table.of(
            ["#", "labels", "p-values"],
            range(len(self)),
            lambda place: self._row(place),
            caption="the first sets" if len(self) > MOST_ROWS else "the sets",
        )
        return Card(
            f"{counted(len(self), 'set', 'sets')} of labels ({self.method}): {single:,} with one "
            f"label, {self.n_empty:,} empty, {self.n_full:,} with all {len(self.classes)}; "
            f"{self.sizes.mean() if len(self) else 0:.2f} labels on average.",
            (("proved", promise), *(("holds if", assumption) for assumption in self.assumptions)),
            (table,) if len(self) else (),
            tuple(few) if self.too_few else (),
            words=("p-value", "holds if"),
            tone="open" if self.too_few else "good",
        )

    def _row(self, place: int) -> list[str | Cell]:
        """The labels of a set, the most usual first, with their p-values."""
        order = np.flatnonzero(self.members[place])
        order = order[np.argsort(-self.p_values[place, order], kind="stable")]
        labels = [told(label) for label in self.classes[order[:_MOST_LABELS]].tolist()]
        more = [f"and {len(order) - len(labels):,} more"] if len(order) > len(labels) else []
        usual = [number(self.p_values[place, code]) for code in order[: len(labels)]]
        if not labels:
            return [str(place), Cell("none: unlike the objects of all labels", "open"), ""]
        return [str(place), ", ".join([*labels, *more]), ", ".join(usual)]

    def __str__(self) -> str:
        return as_text(self.card())

    __repr__ = __str__


EXCHANGEABLE = (
    "{} and the new ones are drawn alike, independently or at least in an order that means nothing."
)


@dataclass(frozen=True, eq=False)
class CalibratedSets:
    """A classifier and the strangeness of objects that are new to it: split conformal, calibrated
    once for any questions.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> points = np.random.default_rng(0).normal(size=(300, 1)) + np.repeat(
    ...     [[0.0], [2.5]], 150, axis=0
    ... )
    >>> sides, known = np.repeat(["low", "up"], 150), np.arange(300) % 2 == 0
    >>> model = NeighborsClassifier(n_neighbors=25).fit(points[known], sides[known])
    >>> [
    ...     labels.tolist()
    ...     for labels in CalibratedSets.by(model, points[~known], sides[~known]).of(
    ...         [[-1.0], [1.25]], 0.05
    ...     )
    ... ]
    [['low'], ['low', 'up']]
    """

    model: Any
    scores: Floats
    assumptions: tuple[str, ...]

    @classmethod
    def by(
        cls, model: Any, X: Objects, y: Labels, *, independent: bool = False
    ) -> "CalibratedSets":
        """Calibrate a model by objects that are new to it, with their labels; an `InvalidInput` if
        they are not new.
        """
        assumed = conformal.assumptions_of_new(metric_classifier(model), X, independent=independent)
        labels = code_targets(y, sample.count(sample.hold(X)))
        codes = _codes_of_model(model.classes_, labels)
        scores = strangeness(class_scores(model, X))[np.arange(len(codes)), codes]
        known = (
            EXCHANGEABLE.format("Calibration objects"),
            *assumed,
            _no_other_label(model.classes_),
        )
        return cls(model, scores, known)

    def of(self, X: Objects, delta: float) -> PredictionSets:
        """The sets of new objects, of which a share of delta may miss."""
        n = len(self.scores)
        counts = conformal.at_least_as_large(self.scores, strangeness(class_scores(self.model, X)))
        return PredictionSets(
            p_values=conformal.p_values(counts, n),
            members=conformal.exceed(counts, n, delta),
            classes=self.model.classes_,
            delta=delta,
            proved=1.0 - delta,
            method="split conformal",
            n_calibration=n,
            too_few=bool(conformal.exceed(np.zeros(1, dtype=np.int64), n, delta)[0]),
            assumptions=self.assumptions,
        )


def predict_set(
    model: Any,
    X: Objects,
    delta: float = 0.1,
    calibration: tuple[Objects, Labels] | None = None,
    *,
    training: tuple[Objects, Labels] | None = None,
    cv: int = 5,
    random_state: int | None = 0,
    independent: bool = False,
    verbose: int = 0,
) -> PredictionSets:
    r"""Sets of labels that contain the true label of a new object with a proved probability.

    With ``calibration`` objects, which the model has not seen, the probability is at least 1 -
    delta (split conformal). Without, the ``training`` objects calibrate copies of the model fold by
    fold, and 1 - 2 delta is proved (cross-conformal); copies of a classifier that chooses its
    parameters choose them again, because objects that were left out may have no part in the choice.
    The module has the formulas. Both hold on average over the draw of all objects, not for every
    kind of object.

    Parameters
    ----------
    model : classifier
        A fitted classifier on a metric, or a fitted search for one.
    X : sample
        The new objects.
    delta : float
        The share of sets that may miss the true label, between 0 and 1.
    calibration : (X, y), optional
        Objects with labels that had no part in the model; its own training objects are refused.
    training : (X, y), optional
        All objects that the model learned from, with their labels; needed without ``calibration``.
    cv : int
        The number of folds, where there is no ``calibration``.
    random_state : int or None
        Shuffles the folds.
    independent : bool
        Whether you declare that all objects, the training objects too, were drawn independently:
        then calibration objects may also occur in the training data, and the assumptions say how
        many do. Otherwise they are refused.
    verbose : int
        0 shows progress in a terminal, 1 elsewhere too, as lines on standard error; -1 shows none.

    Returns
    -------
    PredictionSets
        The sets, some of which may be empty or contain all labels, and what is proved under which
        assumptions.

    Raises
    ------
    InvalidInput
        If calibration objects are not new to the model, or training objects are not its own.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> points = np.random.default_rng(0).normal(size=(300, 1)) + np.repeat(
    ...     [[0.0], [2.5]], 150, axis=0
    ... )
    >>> sides, known = np.repeat(["low", "up"], 150), np.arange(300) % 2 == 0
    >>> model = NeighborsClassifier(n_neighbors=25).fit(points[known], sides[known])
    >>> sets = predict_set(
    ...     model, [[-1.0], [1.25]], delta=0.05, calibration=(points[~known], sides[~known])
    ... )
    >>> [labels.tolist() for labels in sets]
    [['low'], ['low', 'up']]
    >>> (
    ...     sets.proved,
    ...     predict_set(model, [[0.0]], delta=0.05, training=(points[known], sides[known])).proved,
    ... )
    (0.95, 0.9)
    """
    check_delta(delta)
    inner = metric_classifier(model)
    if (calibration is None) == (training is None):
        raise InvalidInput(
            "Sets are calibrated either by objects that are new to the model or by those that it "
            "learned from.",
            advice=f"Pass {setting('calibration', shown='(X, y)')}, or "
            f"{setting('training', shown='(X, y)')}.",
            value=None if calibration is None else "both",
        )
    with task("prediction sets", verbose=verbose):
        if calibration is not None:
            return CalibratedSets.by(
                model, *_pair(calibration, "calibration"), independent=independent
            ).of(X, delta)
        return _cross_conformal(
            model, inner, X, delta, *_pair(training, "training"), cv, random_state
        )


def strangeness(scores: Floats) -> Floats:
    """By how much the best other label leads over each label.

    Examples
    --------
    >>> strangeness(np.array([[3.0, 1.0, -np.inf]]))
    array([[-2.,  2., inf]])
    """
    padded = np.column_stack([scores, np.full(len(scores), -np.inf)])
    second, first = np.partition(padded, -2, axis=1)[:, -2:].T
    best = np.where(
        np.arange(scores.shape[1]) == scores.argmax(axis=1)[:, None],
        second[:, None],
        first[:, None],
    )
    return np.asarray(best - scores)


def _cross_conformal(
    model: Any,
    inner: MetricClassifier,
    X: Objects,
    delta: float,
    known: Sample,
    y: Labels,
    cv: int,
    random_state: int | None,
) -> PredictionSets:
    _refuse_chosen_on_all(model, inner)
    assumed = conformal.assumptions_of_training(inner, known, y)
    labels = code_targets(y, sample.count(sample.hold(known)))
    _, found = fold_scores(
        model,
        known,
        labels,
        _folds(len(labels), cv, random_state),
        more=X,
        **_without_probabilities(model),
    )
    values, least = [], []
    for fold in found:
        own = labels.codes[fold.left_out]
        calibration = strangeness(fold.scores)[np.arange(len(own)), own]
        counts = conformal.at_least_as_large(calibration, strangeness(np.asarray(fold.more)))
        values.append(conformal.p_values(counts, len(own)))
        least.append(conformal.p_values(np.zeros(1, dtype=np.int64), len(own)))
    return PredictionSets(
        p_values=np.mean(values, axis=0),
        members=conformal.mean_exceeds(np.array(values), delta),
        classes=labels.classes,
        delta=delta,
        proved=max(0.0, 1.0 - 2.0 * delta),
        method="cross-conformal",
        n_calibration=len(labels),
        too_few=bool(conformal.mean_exceeds(np.array(least), delta)[0]),
        assumptions=(
            EXCHANGEABLE.format("Training objects"),
            *assumed,
            "The parameters of the classifier were fixed without a look at the training objects.",
            _no_other_label(labels.classes),
        ),
    )


def _without_probabilities(model: Any) -> dict[str, Any]:
    """Parameters of copies that are asked for scores only: none that chooses by a score of its own,
    perhaps of probabilities.
    """
    takes = model.get_params(deep=False)
    return {"calibrate": None} if "calibrate" in takes and takes.get("scoring") is None else {}


def _refuse_chosen_on_all(model: Any, inner: MetricClassifier) -> None:
    """Raise an error if objects that are left out had a part in the copies: in their metric, or in
    their parameters.
    """
    learned = inner.learned_from_
    if learned is not None and learned.searched and model is inner and inner.comparison() is None:
        raise InvalidInput(
            "The parameters of the model were chosen on all of its training objects, so that none "
            "can be left out.",
            advice="Pass the classifier that chose them, whose copies choose again, or objects for "
            "calibration.",
            value=type(model).__name__,
        )
    if learned is not None and learned.metric_learned and learned.metric_objects is not None:
        raise InvalidInput(
            f"{inner.metric_.name!r} took its parameters from training objects before fit, so that "
            "none can be left out.",
            advice="Name the metric, so that each copy teaches it, or pass objects for "
            "calibration.",
            value=inner.metric_.name,
        )


def _folds(n: int, cv: int, random_state: int | None) -> Iterator[tuple[Indices, Indices]]:
    if not is_whole(cv, 2) or cv > n:
        raise InvalidInput(
            f"{setting('cv', cv)} folds do not fit {n} training objects.",
            advice="Pass a whole number from 2 on, such as 5.",
            value=cv,
        )
    yield from KFold(int(cv), shuffle=True, random_state=random_state).split(np.zeros(n))


def _codes_of_model(classes: NDArray[Any], labels: CodedLabels) -> Indices:
    """The codes that a model gives to the labels of calibration objects."""
    codes = {label: code for code, label in enumerate(classes.tolist())}
    strangers = [label for label in labels.classes.tolist() if label not in codes]
    if strangers:
        first = int(np.flatnonzero(labels.classes[labels.codes] == strangers[0])[0])
        raise InvalidInput(
            f"Calibration {at('object', first)} has the label {strangers[0]!r}, which the model "
            "has not learned.",
            advice="Fit the model on objects with this label too; or leave those objects out, for "
            "sets of objects that have other labels.",
            witness=first,
            value=strangers[0],
        )
    return np.array([codes[label] for label in labels.classes.tolist()], dtype=np.intp)[
        labels.codes
    ]


def _no_other_label(classes: NDArray[Any]) -> str:
    return f"New objects have one of the {len(classes)} labels."


def _pair(given: Any, name: str) -> tuple[Objects, Labels]:
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise InvalidInput(
            f"{setting(name, shown=sample.shown(given))} is not a pair of objects and labels.",
            advice=f"Pass {setting(name, shown='(X, y)')}.",
            value=given,
        )
    return given[0], given[1]
