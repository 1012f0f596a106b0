"""Objects that are probably labelled wrongly, the most doubtful first, each with the objects that
speak against its label.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Indices, Labels, Objects, Sample
from wideberth.cards.card import Card, Cell, ShownList, Table
from wideberth.cards.values import number, share, told
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_classifier import MetricClassifier, single_classifier
from wideberth.estimators.metric_estimator import code_targets
from wideberth.estimators.model_facts import counted
from wideberth.geometry.search.index import Index
from wideberth.insight.label_noise import LabelNoise
from wideberth.insight.out_of_fold import FoldScores, Refittable, cut_folds, fold_scores
from wideberth.metrics.parameters import is_whole
from wideberth.objects import sample
from wideberth.objects.labels import CodedLabels
from wideberth.progress import task
from wideberth.wording import setting

#: An issue is an object whose label is right with a smaller probability.
_RIGHT = 0.5


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
        The probability that its label is right, by models that have not seen the object and the
        noise of the labels that they show; nan if no other object has the label.
    is_label_issue : bool
        Whether the label is wrong more probably than right, and a model that has not seen the
        object predicts another one.
    given_label : label
        The label that the object has.
    predicted_label : label
        The label by a model that has not seen the object.
    enemies : tuple of Enemy
        The nearest objects with the most probable other label, nearest first.
    certified_flips : int or None
        How many labels of the other objects may be wrong, whichever they are, before the predicted
        label is another; None where the model proves nothing of the kind, or was chosen by the labels.
    stays : bool or None
        Whether that is as many as are expected to be wrong: the sum of 1 - ``label_quality`` over the
        objects that the model has seen. So this answer is not owed to wrong labels, unless there are
        more than expected.
    """

    index: int
    label_quality: float
    is_label_issue: bool
    given_label: Any
    predicted_label: Any
    enemies: tuple[Enemy, ...]
    certified_flips: int | None = None
    stays: bool | None = None

    def __repr__(self) -> str:
        doubt = ", an issue" if self.is_label_issue else ""
        return (
            f"LabelIssue({self.index}, given_label={self.given_label!r}, "
            f"predicted_label={self.predicted_label!r}, label_quality={self.label_quality:.3g}{doubt})"
        )


class LabelIssues(ShownList[LabelIssue]):
    """The labels of a sample, the most doubtful first, shown as one table: a list, with what was
    found of all of them.

    Attributes
    ----------
    noise : dict
        For each label, the share of the objects of the class that are thought to have another one;
        nan for a label that only one object has.

    Examples
    --------
    >>> near = (Enemy(1, 2.0, "teas"), Enemy(4, 3.0, "team"))
    >>> print(LabelIssues([LabelIssue(8, 0.0213, True, "hard", "soft", near)]))
    1 label is probably wrong
      object  given  more probable  quality  nearest that speak against it (distance)
           8  hard   soft              2.1%  teas (2), team (3)
    """

    def __init__(
        self, issues: Iterable[LabelIssue], noise: Mapping[Any, float] = MappingProxyType({})
    ) -> None:
        super().__init__(issues)
        self.noise = dict(noise)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self), self.noise)

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        if isinstance(key, slice):
            found.noise = self.noise
        return found

    @property
    def expected_precision(self) -> float:
        """The share of the issues that are wrong labels, as far as the model can tell: the mean of
        1 - ``label_quality`` among them; nan if there are none. Mistakes that the model makes
        firmly count as wrong labels, so that it is too high where there are many classes that the
        model mistakes for each other.
        """
        doubts = [1.0 - issue.label_quality for issue in self if issue.is_label_issue]
        return float(np.mean(doubts)) if doubts else float("nan")

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The list as columns of one length, for a frame of pandas or polars: ``index``,
        ``label_quality``, ``is_label_issue``, ``given_label``, ``predicted_label``, and of the
        nearest enemy ``enemy_index``, -1 if there is none, and ``enemy_distance``.
        """
        firsts = [issue.enemies[0] if issue.enemies else None for issue in self]
        found = {
            name: np.array([getattr(issue, name) for issue in self])
            for name in (
                *("index", "label_quality", "is_label_issue"),
                *("given_label", "predicted_label"),
            )
        }
        found["enemy_index"] = np.array([-1 if each is None else each.index for each in firsts])
        found["enemy_distance"] = np.array(
            [np.nan if each is None else each.distance for each in firsts]
        )
        return found

    def card(self) -> Card:
        """The issues among them, and a row for each, in their order."""
        wrong = sum(each.is_label_issue for each in self)
        verb = "is" if 1 in (wrong, len(self)) else "are"
        of = "" if 0 < wrong == len(self) else f"{wrong:,} of "
        table = Table.of(
            [
                "object",
                "given",
                "more probable",
                "quality",
                "nearest that speak against it (distance)",
            ],
            self,
            _row,
        )
        return Card(
            f"{of}{counted(len(self), 'label', 'labels')} {verb} probably wrong",
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

    Copies of the model learn from all folds but one and score the objects of that one. From the
    scores and the labels together follow the noise of the labels of each class and the
    probabilities :math:`\pi_j(x)` of the true class (module ``wideberth.insight.label_noise``): an object of
    class j is assumed to have another label with the probability :math:`\varepsilon_j`. The quality
    of a label is the probability that it is right,

    .. math:: \frac{(1 - \varepsilon_y) \, \pi_y(x)}{(1 - \varepsilon_y) \, \pi_y(x)
        + \sum_{j \ne y} \frac{\varepsilon_j}{k - 1} \, \pi_j(x)},

    and an object is called an issue if that is below a half and the copy predicts another label.
    So errors of a model that is often in doubt are no issues, and the mean of 1 - quality is the
    share of wrong labels to expect among the issues, ``expected_precision`` of the result.

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
    LabelIssues
        A list with a `LabelIssue` for each object, the smallest ``label_quality`` first, equal ones
        in the order of X; labels that nothing can be said about are at the end. Of its ``columns``
        pandas and polars make a frame to filter: ``pandas.DataFrame(found.columns)``.

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
    changed: dict[str, Any] = {"calibrate": None} if "calibrate" in chosen.get_params() else {}
    with task("label issues", verbose=verbose):
        again, found = fold_scores(
            chosen,
            X,
            labels,
            cut_folds(labels, cv, random_state),
            with_flips=model is chosen,  # a search has chosen by all labels
            **changed,
        )
        scores = np.empty((len(labels), len(labels.classes)))
        for fold in found:
            scores[fold.left_out] = fold.scores
        judged = JudgedLabels.by(scores, labels)
        enemies = _enemies(again, labels, judged.alternatives, n_enemies, chosen)
        withstood = _withstood(found, judged)
    return _records(X, again, labels, judged, enemies, withstood)


@dataclass(frozen=True, eq=False)
class JudgedLabels:
    """How doubtful labels are, by the scores of models that have not seen the objects: the
    probability that each label is right, nan where no model knew its class; whether it is probably
    wrong; the label by the scores; the most probable one that is not given; and the noise of each
    class, nan where no model knew it.

    Examples
    --------
    >>> scores = np.array([[3.0, 0.0], [4.0, 0.0], [0.0, 3.0], [0.0, 4.0], [3.5, 0.0]])
    >>> int(
    ...     JudgedLabels.by(
    ...         scores, CodedLabels(np.array(["hard", "soft"]), np.array([0, 0, 1, 1, 1]))
    ...     ).quality.argmin()
    ... )
    4
    """

    quality: Floats
    issue: Flags
    predicted: Indices
    alternatives: Indices
    noise: Floats

    @classmethod
    def by(cls, scores: Floats, labels: CodedLabels) -> "JudgedLabels":
        """Judge labels by out-of-fold scores of shape (n, k)."""
        objects, codes = np.arange(len(labels)), labels.codes
        known = np.isfinite(scores[objects, codes])
        noise = LabelNoise.of(scores[known], codes[known])
        true_classes = noise.true_classes(scores, codes)
        quality = np.where(known, true_classes[objects, codes], np.nan)
        predicted = scores.argmax(axis=1)
        others = true_classes
        others[objects, codes] = -1.0
        differs = predicted != codes
        issue = known & differs & (quality < _RIGHT)
        alternatives = np.where(differs, predicted, others.argmax(axis=1))
        seen = np.bincount(codes[known], minlength=len(labels.classes)) > 0
        return cls(quality, issue, predicted, alternatives, np.where(seen, noise.rates, np.nan))


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


def _withstood(found: list[FoldScores], judged: JudgedLabels) -> dict[int, tuple[int, bool]]:
    """How many wrong labels the predicted label of each object withstands, and whether that is as
    many as are expected among the labels that it was judged by.
    """
    doubts = np.where(np.isnan(judged.quality), 1.0, 1.0 - judged.quality)
    withstood = {}
    for fold in found:
        if fold.flips is not None:
            expected = doubts.sum() - doubts[fold.left_out].sum()
            for place, flips in zip(fold.left_out.tolist(), fold.flips.tolist(), strict=True):
                withstood[place] = flips, bool(flips >= expected)
    return withstood


def _records(
    X: Objects,
    again: Refittable,
    labels: CodedLabels,
    judged: JudgedLabels,
    enemies: dict[int, list[tuple[int, float]]],
    withstood: dict[int, tuple[int, bool]],
) -> LabelIssues:
    held: Sample = range(len(labels)) if again.matrix else sample.one_by_one(sample.hold(X))
    names = labels.classes.tolist()
    issues = [
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
            certified_flips=withstood[position][0] if position in withstood else None,
            stays=withstood[position][1] if position in withstood else None,
        )
        for position in np.argsort(judged.quality, kind="stable").tolist()  # nan comes last
    ]
    return LabelIssues(issues, dict(zip(names, judged.noise.tolist(), strict=True)))
