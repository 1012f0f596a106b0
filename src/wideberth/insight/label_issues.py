"""Objects that are probably labelled wrongly, the most doubtful first, each with the objects that
speak against its label.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Flags, Floats, Indices, Labels, Objects, Sample
from wideberth.cards.card import Card, Cell, ShownList, Table
from wideberth.cards.values import number, share, told
from wideberth.errors import InvalidInput
from wideberth.estimators.calibration import calibrated_on
from wideberth.estimators.metric_classifier import MetricClassifier, single_classifier
from wideberth.estimators.metric_estimator import code_targets
from wideberth.estimators.model_facts import counted
from wideberth.geometry.search.index import Index
from wideberth.insight.out_of_fold import Refittable, cut_folds, fold_scores
from wideberth.metrics.parameters import is_whole
from wideberth.objects import sample
from wideberth.objects.labels import CodedLabels
from wideberth.progress import task
from wideberth.rounding import SUM_ERROR
from wideberth.wording import setting

#: A label of this probability is confident, however probable labels usually are.
_CLEAR = 0.8


@dataclass(frozen=True)
class Enemy:
    """An object that speaks against the label of another one.

    Attributes
    ----------
    index : int
        Its position in X.
    distance : float
        How far it is from the doubtful object.
    object : object
        The object itself, as it was passed; of a matrix of distances its number.
    """

    index: int
    distance: float
    object: Any


@dataclass(frozen=True, repr=False)
class LabelIssue:
    """How doubtful the label of an object is. The names are those of cleanlab.

    Attributes
    ----------
    index : int
        The position of the object in X.
    label_quality : float
        The probability of its label, by a model that has not seen the object; nan if no other
        object has the label.
    is_label_issue : bool
        Whether another label is more probable and as probable as it usually is for objects that
        have it.
    given_label : label
        The label that the object has.
    predicted_label : label
        The most probable label.
    enemies : tuple of Enemy
        The nearest objects with the most probable other label, nearest first.
    """

    index: int
    label_quality: float
    is_label_issue: bool
    given_label: Any
    predicted_label: Any
    enemies: tuple[Enemy, ...]

    def __repr__(self) -> str:
        doubt = ", an issue" if self.is_label_issue else ""
        return (
            f"LabelIssue({self.index}, given_label={self.given_label!r}, "
            f"predicted_label={self.predicted_label!r}, label_quality={self.label_quality:.3g}{doubt})"
        )


class LabelIssues(ShownList[LabelIssue]):
    """How doubtful labels are, shown as one table.

    Examples
    --------
    >>> near = (Enemy(1, 2.0, "teas"), Enemy(4, 3.0, "team"))
    >>> print(LabelIssues([LabelIssue(8, 0.0213, True, "hard", "soft", near)]))
    1 of 1 label is probably wrong
      object  given  more probable  quality  nearest that speak against it
           8  hard   soft              2.1%  teas (2), team (3)
    """

    def card(self) -> Card:
        """The issues among them, and a row for each, in their order."""
        wrong = sum(each.is_label_issue for each in self)
        verb = "is" if 1 in (wrong, len(self)) else "are"
        table = Table.of(
            ["object", "given", "more probable", "quality", "nearest that speak against it"],
            self,
            _row,
        )
        return Card(
            f"{wrong:,} of {counted(len(self), 'label', 'labels')} {verb} probably wrong",
            tables=(table,) if self else (),
            words=("quality",) if self else (),
            tone="open" if wrong else "good",
        )


def _row(one: LabelIssue) -> list[str | Cell]:
    other = told(one.predicted_label)
    return [
        str(one.index),
        told(one.given_label),
        Cell(other if one.predicted_label != one.given_label else "", "open"),
        Cell(share(one.label_quality), "open" if one.is_label_issue else ""),
        ", ".join(f"{told(each.object)} ({number(each.distance)})" for each in one.enemies),
    ]


def label_issues(
    model: Any,
    X: Objects,
    y: Labels,
    *,
    cv: int = 5,
    n_enemies: int = 3,
    random_state: int | None = 0,
    verbose: int = 0,
) -> LabelIssues:
    r"""How doubtful each label is, by models that have not seen the object; the most doubtful
    first.

    Copies of the model learn from all folds but one and score the objects of that one. A softmax of
    the scores, whose temperature has the smallest log loss on them
    (`wideberth.estimators.calibration`), gives probabilities :math:`\hat p_y(x)`, and the quality
    of a label is :math:`\hat p_{y_i}(x_i)`. An object is called an issue if another label j than
    :math:`y_i` is the most probable one and, of those that reach their threshold

    .. math:: t_j = \frac{1}{|\{i : y_i = j\}|} \sum_{i : y_i = j} \hat p_j(x_i),

    the most probable one is not :math:`y_i` either (confident learning: Northcutt, Jiang & Chuang
    2021, JAIR 70). Thresholds above 0.8 count as 0.8: chance would decide which of many nearly
    certain objects are above their mean.

    The model's own opinion of its training objects would not do, because it has learned their
    labels, right or wrong.

    Parameters
    ----------
    model : classifier
        A fitted classifier on a metric, or a fitted search for one. Copies have its parameters;
        those of one that chose them by cross-validation have the chosen ones.
    X : sample
        The objects, the training objects of the model or others of their kind.
    y : array-like of shape (n,)
        Their labels.
    cv : int
        The number of stratified folds; fewer if the largest class is smaller.
    n_enemies : int
        How many enemies to find for each object.
    random_state : int or None
        Shuffles the folds.
    verbose : int
        0 shows progress in a terminal, 1 elsewhere too, as lines on standard error; -1 shows none.

    Returns
    -------
    list of LabelIssue
        Shown as a table. One for each object, the smallest ``label_quality`` first, equal ones in the order of X;
        labels that nothing can be said about are at the end.
        ``pandas.DataFrame(label_issues(...))`` is the table.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> drinks = ["tea", "teas", "tee", "team", "rum", "rums", "rumor", "rim", "tear"]
    >>> kinds = 4 * ["soft"] + 4 * ["hard"] + ["hard"]
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=3).fit(drinks, kinds)
    >>> first = label_issues(model, drinks, kinds, cv=4)[0]
    >>> first.given_label, first.predicted_label, first.is_label_issue
    ('hard', 'soft', True)
    >>> drinks[first.index], [enemy.object for enemy in first.enemies]
    ('tear', ['tea', 'teas', 'team'])
    """
    chosen = single_classifier(model)
    labels = _checked_labels(X, y, cv, n_enemies)
    changed = {"calibrate": None} if "calibrate" in chosen.get_params() else {}
    with task("label issues", verbose=verbose):
        again, found = fold_scores(
            chosen, X, labels, cut_folds(labels, cv, random_state), **changed
        )
        scores = np.empty((len(labels), len(labels.classes)))
        for fold in found:
            scores[fold.left_out] = fold.scores
        judged = JudgedLabels.by(scores, labels)
        enemies = _enemies(again, labels, judged.alternatives, n_enemies, chosen)
    return _records(X, again, labels, judged, enemies)


@dataclass(frozen=True, eq=False)
class JudgedLabels:
    """How doubtful labels are, by the scores of models that have not seen the objects: the
    probability of each label, nan where no model knew its class; whether another is more probable
    and as probable as it usually is; and the most probable one, and the most probable one that is
    not given.

    Examples
    --------
    >>> scores = np.array([[3.0, 0.0], [4.0, 0.0], [0.0, 3.0], [0.0, 4.0], [3.5, 0.0]])
    >>> JudgedLabels.by(
    ...     scores, CodedLabels(np.array(["hard", "soft"]), np.array([0, 0, 1, 1, 1]))
    ... ).issue
    array([False, False, False, False,  True])
    """

    quality: Floats
    issue: Flags
    predicted: Indices
    alternatives: Indices

    @classmethod
    def by(cls, scores: Floats, labels: CodedLabels) -> "JudgedLabels":
        """Judge labels by out-of-fold scores of shape (n, k)."""
        objects, codes = np.arange(len(labels)), labels.codes
        known = np.isfinite(scores[objects, codes])
        probabilities = calibrated_on(scores, codes).probabilities(scores)
        quality = np.where(known, probabilities[objects, codes], np.nan)
        others = probabilities.copy()
        others[objects, codes] = -1.0
        predicted = probabilities.argmax(axis=1)
        issue = known & (predicted != codes) & _confident(probabilities, labels, known)
        return cls(quality, issue, predicted, others.argmax(axis=1))


def _confident(probabilities: Floats, labels: CodedLabels, known: Flags) -> Flags:
    """Whether, of the labels whose probability reaches their threshold, another than the given one
    is the most probable.
    """
    own = probabilities[np.arange(len(labels)), labels.codes]
    sizes = np.bincount(labels.codes, weights=known, minlength=len(labels.classes))
    sums = np.bincount(
        labels.codes, weights=np.where(known, own, 0.0), minlength=len(labels.classes)
    )
    thresholds = np.minimum(
        np.divide(sums, sizes, out=np.full(len(sizes), np.inf), where=sizes > 0), _CLEAR
    )
    reached = np.where(probabilities >= thresholds * (1 - SUM_ERROR), probabilities, -1.0)
    best = reached.argmax(axis=1)
    return np.asarray((reached.max(axis=1) >= 0) & (best != labels.codes))


def _checked_labels(X: Objects, y: Labels, cv: int, n_enemies: int) -> CodedLabels:
    for name, value, least in (("cv", cv, 2), ("n_enemies", n_enemies, 0)):
        if not is_whole(value, least):
            raise InvalidInput(
                f"{setting(name, value)} is not a whole number from {least} on.",
                advice="Leave it out.",
                value=value,
            )
    labels = code_targets(y, sample.count(sample.hold(X)))
    sizes = np.bincount(labels.codes)
    if len(sizes) < 2 or sizes.max() < 2:
        raise InvalidInput(
            f"There are {len(labels)} objects with {len(sizes)} different labels: labels cannot be "
            "judged by each other.",
            advice="Pass objects of two classes or more, several of each.",
            value=len(sizes),
        )
    return labels


def _enemies(
    again: Refittable,
    labels: CodedLabels,
    alternatives: Indices,
    count: int,
    model: MetricClassifier,
) -> dict[int, list[tuple[int, float]]]:
    """For each object the nearest objects that have its most probable other label, and their
    distances.
    """
    objects, metric = again.bound
    objects = metric.prepare(objects)
    found: dict[int, list[tuple[int, float]]] = {}
    for code in np.unique(alternatives) if count else ():
        doubtful = np.flatnonzero(alternatives == code)
        enemies = np.flatnonzero(labels.codes == code)
        index = Index(
            sample.pick(objects, enemies), metric, max_memory=model.max_memory, n_jobs=model.n_jobs
        )
        near = index.nearest(sample.pick(objects, doubtful), min(count, len(enemies)))
        for position, places, distances in zip(
            doubtful.tolist(), near.indices, near.distances, strict=True
        ):
            found[position] = list(zip(enemies[places].tolist(), distances.tolist(), strict=True))
    return found


def _records(
    X: Objects,
    again: Refittable,
    labels: CodedLabels,
    judged: JudgedLabels,
    enemies: dict[int, list[tuple[int, float]]],
) -> LabelIssues:
    held: Sample = range(len(labels)) if again.matrix else sample.one_by_one(sample.hold(X))
    names = labels.classes.tolist()
    return LabelIssues(
        LabelIssue(
            index=position,
            label_quality=float(judged.quality[position]),
            is_label_issue=bool(judged.issue[position]),
            given_label=names[labels.codes[position]],
            predicted_label=names[judged.predicted[position]],
            enemies=tuple(
                Enemy(place, far, sample.pick_one(held, place))
                for place, far in enemies.get(position, ())
            ),
        )
        for position in np.argsort(judged.quality, kind="stable").tolist()  # nan comes last
    )
