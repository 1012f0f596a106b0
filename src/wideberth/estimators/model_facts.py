"""What a fitted model tells, the same for every family: the objects that it keeps, its answers, and
why it gives them; the phrases of its summary.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Indices, Sample
from wideberth.cards.card import Card, Cell, Shown, ShownList, Table, as_text
from wideberth.cards.values import UNKNOWN, number, told
from wideberth.certificate import Certificate
from wideberth.metrics.axioms import Violation
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.rounding import TIE_BREAK


@dataclass(frozen=True, eq=False)
class Kept:
    """The objects that a fitted model keeps to measure new ones against, at least one.

    Attributes
    ----------
    objects : prepared sample
        The objects, as the metric prepared them.
    positions : ndarray of int, shape (m,)
        Where each of them stood in the X of fit, or among the references that the user gave.
    labels : ndarray of shape (m,), or None
        Their labels in the training data; None if the model does not need them, and so does not
        know them.
    own : bool
        Whether they are training objects; False for references that the user gave.

    Examples
    --------
    >>> import wideberth
    >>> kept = (
    ...     wideberth.NeighborsClassifier("levenshtein")
    ...     .fit(["tea", "rum"], ["soft", "hard"])
    ...     .kept()
    ... )
    >>> list(kept.objects), kept.positions, kept.labels.tolist(), kept.own
    (['tea', 'rum'], array([0, 1]), ['soft', 'hard'], True)
    """

    objects: Sample
    positions: Indices
    labels: NDArray[Any] | None = None
    own: bool = True

    def __len__(self) -> int:
        return sample.count(self.objects)


@dataclass(frozen=True, eq=False)
class AnsweredObjects:
    """The answers of a model for n objects, from one pass over the distances.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        The label of each object, as `predict` gives it.
    scores : ndarray of shape (n, k)
        The score of each class.
    leads : ndarray of shape (n,)
        By how much the score of the label exceeds that of the next one.
    probabilities : ndarray of shape (n, k), or None
        How probable each class is; None if the model was not calibrated.
    radii : ndarray of shape (n,), or None
        The certified radii; None if they were not asked for.
    """

    labels: NDArray[Any]
    scores: Floats
    leads: Floats
    probabilities: Floats | None
    radii: Floats | None


def leads_of(scores: Floats) -> Floats:
    """By how much the score of the best class exceeds that of the next one; its own score if there
    is no other class.

    What only breaks a tie is no lead.

    Examples
    --------
    >>> leads_of(np.array([[0.5, 2.0, 1.0]]))
    array([1.])
    """
    if scores.shape[1] == 1:
        return scores[:, 0].copy()
    best = np.sort(scores, axis=1)[:, -2:]
    ahead = best[:, 1] - best[:, 0]
    return np.where(ahead > 2.0 * scores.shape[1] * TIE_BREAK, ahead, 0.0)


#: The most pushes in a repr.
_MOST_PUSHES = 3


class _Brief:
    """Shows the fields that say something, all but those that are None, in one line."""

    def __repr__(self) -> str:
        known = ((field.name, getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]
        shown = ", ".join(f"{name}={_brief(value)}" for name, value in known if value is not None)
        return f"{type(self).__name__}({shown})"


def _brief(value: Any) -> str:
    if isinstance(value, tuple) and len(value) > _MOST_PUSHES:
        first = ", ".join(map(repr, value[:_MOST_PUSHES]))
        return f"({first}, and {len(value) - _MOST_PUSHES:,} more)"
    return repr(value.item() if isinstance(value, np.generic) else value)


@dataclass(frozen=True, repr=False)
class Push(_Brief):
    """What a training object, or a feature, adds to a score.

    Attributes
    ----------
    push : float
        What it adds to the score, positive in favour of the label.
    reference : int or None
        The position of the training object in the X of fit, or among the references that the user
        gave.
    distance : float or None
        Its distance from the object that is explained.
    label : label or None
        Its label in the training data, where the model knows it.
    feature : str or None
        The name of the feature, where scores are sums over features.
    count : float or None
        How often the feature occurs in the object, or the coordinate of a vector.
    """

    push: float
    reference: int | None = None
    distance: float | None = None
    label: Any = None
    feature: str | None = None
    count: float | None = None


@dataclass(frozen=True, repr=False)
class Explanation(_Brief, Shown):
    """Why an object got its label: a score as a sum of a baseline, and of what training objects or
    features push.

    Attributes
    ----------
    label : label
        The label that is explained.
    score : float
        Its score, or its lead over the rival: the sum of the baseline and all pushes.
    baseline : float
        The part that depends on no single training object or feature, such as an intercept.
    pushes : tuple of Push
        The other parts.
    rival : label or None
        The label that it was scored against; None if it was scored against all others, or if there
        is no other.
    changed : str or None
        The nearest text with another label, where the model can tell exactly.
    changed_label : label or None
        Its label.
    edits : int or None
        How many edits it is away, or steps of the unit that the model has learned for.
    unit : str or None
        What these are called: "edit", "word edit" or "synonym".

    Examples
    --------
    >>> why = Explanation(
    ...     "tea",
    ...     score=0.5,
    ...     baseline=0.1,
    ...     pushes=(Push(0.6, reference=3, distance=2.0), Push(-0.2, 8, 1.0)),
    ... )
    >>> round(why.baseline + sum(push.push for push in why.pushes), 6) == why.score
    True
    """

    label: Any
    score: float
    baseline: float
    pushes: tuple[Push, ...]
    rival: Any = None
    changed: str | None = None
    changed_label: Any = None
    edits: int | None = None
    unit: str | None = None

    def strongest(self) -> list[Push]:
        """The pushes that change the score, the largest first."""
        return sorted((push for push in self.pushes if push.push), key=lambda push: -abs(push.push))

    def card(self) -> Card:
        """The score, what it is made of, and what would change the label."""
        pushes = self.strongest()
        most = max((abs(push.push) for push in pushes), default=1.0)
        distant = any(push.distance is not None for push in pushes)
        labelled = any(push.label is not None for push in pushes)
        head = ["push", _pusher(pushes), *(["label"] * labelled), *(["distance"] * distant)]
        table = Table.of(
            head,
            pushes,
            lambda push: [
                Cell(f"{'+' * (push.push > 0)}{number(push.push)}", bar=push.push / most),
                _told_pusher(push),
                *([told(push.label)] if labelled else []),
                *([number(push.distance)] if distant else []),
            ],
            caption="what the score is made of, for (+) and against (-) the label",
        )
        facts = [
            (
                "score" if self.rival is None else f"lead over {told(self.rival)}",
                number(self.score),
            ),
            *([("baseline, before any push", number(self.baseline))] if self.baseline else []),
            *(
                []
                if self.changed is None
                else [("nearest text with another label", self._change())]
            ),
        ]
        return Card(
            f"Why the label is {told(self.label)}",
            tuple(facts),
            (table,) if pushes else (),
            words=("push",) if self.rival is None else ("lead", "push"),
        )

    def _change(self) -> str:
        edits = "" if self.edits is None else f", {counted(int(self.edits), 'edit', 'edits')} away"
        return f"{told(self.changed, 200)} ({told(self.changed_label)}{edits})"

    def __str__(self) -> str:
        return as_text(self.card())


def _pusher(pushes: list[Push]) -> str:
    """What pushes, as the head of a column."""
    return "feature" if any(push.feature is not None for push in pushes) else "object"


def _told_pusher(push: Push) -> str:
    """A feature with its count, or an object by its position in fit."""
    if push.feature is None:
        return UNKNOWN if push.reference is None else str(push.reference)
    often = "" if push.count in (None, 1.0) else f" ({number(push.count)} times)"
    return f"{told(push.feature)}{often}"


class Explanations(ShownList[Explanation]):
    """Explanations, one for each object, which are shown as one table.

    Examples
    --------
    >>> print(Explanations([Explanation("tea", 0.5, 0.1, (Push(0.4, 3, 2.0),), rival="rum")] * 2))
    Why 2 objects got their labels
      #  label  rival  score  pushed most by
      0  tea    rum      0.5  object 3 +0.4
      1  tea    rum      0.5  object 3 +0.4
    """

    def card(self) -> Card:
        """The card of the only one; a row for each of several."""
        if len(self) == 1:
            return self[0].card()  # type: ignore[no-any-return]
        rivals = any(each.rival is not None for each in self)
        table = Table.of(
            ["#", "label", *(["rival"] * rivals), "score", "pushed most by"],
            list(enumerate(self)),
            lambda each: [
                str(each[0]),
                told(each[1].label),
                *([told(each[1].rival)] if rivals else []),
                number(each[1].score),
                "; ".join(map(_push_in_words, each[1].strongest()[:_MOST_PUSHES])),
            ],
        )
        return Card(
            f"Why {counted(len(self), 'object', 'objects')} got their labels",
            tables=(table,) if self else (),
            words=("push",) if self else (),
        )


def _push_in_words(push: Push) -> str:
    what = "object " if push.feature is None else ""
    return f"{what}{_told_pusher(push)} {'+' * (push.push > 0)}{number(push.push)}"


@dataclass(frozen=True)
class Comparison:
    """What a model was chosen from, if kinds of models or metrics were compared.

    Attributes
    ----------
    rows : list of dict
        A row for each candidate, the winner first.
    in_words : str
        What was chosen.
    expected_error : float
        The error to expect on new objects, with an allowance for the choice; nan if nothing could
        be compared.
    """

    rows: list[dict[str, Any]]
    in_words: str
    expected_error: float


class TrainingEvidence(Protocol):
    """The training objects of a model with their labels, from which it may prove something about
    itself.

    `wideberth.guarantees.training_sample.TrainingSample` is one; ``given`` is the classifier that the user
    passed, which may have chosen the model.
    """

    @property
    def given(self) -> Any:
        """The classifier that the user passed."""

    @property
    def labels(self) -> NDArray[Any]:
        """The labels."""

    @property
    def objects(self) -> Any:
        """The objects, prepared by the metric."""

    @property
    def metric(self) -> Metric:
        """The metric between the objects."""

    @property
    def guessing(self) -> float:
        """The error of always guessing the largest class."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """What makes all bounds on this sample void."""

    @property
    def wrong(self) -> Flags:
        """Which of the objects the model gets wrong."""

    def __len__(self) -> int:
        """How many objects there are."""

    def doubts(self) -> tuple[str, ...]:
        """Why a bound that compares the sample with other draws does not hold."""

    def metric_doubts(self) -> tuple[str, ...]:
        """Why a bound that needs a metric does not hold."""

    def violations(self) -> list[Violation]:
        """The axioms that the objects break."""

    def assumed(self) -> tuple[str, ...]:
        """The assumptions of all bounds on the training sample."""

    def no_other_classes(self) -> str:
        """The assumption that there are no other classes."""

    def nothing_proved(self, kind: str, *reasons: str) -> Certificate:
        """A certificate of this kind that is void for these reasons."""


# ---- Phrases that the summaries of several classifiers share


def in_units(distance: float, metric: Metric) -> str:
    """A distance with the unit of its metric, if that has a name.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> (
    ...     in_units(2.5, metric("levenshtein")),
    ...     in_units(1, metric("levenshtein")),
    ...     in_units(2.5, metric("euclidean")),
    ... )
    ('2.5 edits', '1 edit', '2.5')
    """
    number = f"{distance:.4g}"
    if metric.unit is None:
        return number
    return f"{number} {metric.unit}" if number == "1" else f"{number} {metric.unit}s"


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun, ``one`` in the singular and ``many`` in the plural.

    Examples
    --------
    >>> counted(1, "class", "classes"), counted(1200, "class", "classes")
    ('1 class', '1,200 classes')
    """
    return f"{number:,} {one if number == 1 else many}"


def some_wrong(errors: int, n: int) -> str:
    """How many of n answers are wrong, as all faces say it.

    Examples
    --------
    >>> some_wrong(1, 104), some_wrong(0, 1), some_wrong(1200, 5000)
    ('1 of 104 answers is wrong', '0 of 1 answer are wrong', '1,200 of 5,000 answers are wrong')
    """
    return f"{errors:,} of {counted(n, 'answer', 'answers')} {'is' if errors == 1 else 'are'} wrong"


def references_in_words(n_references: int, n_objects: int | None) -> str:
    """How many of the objects are references; ``n_objects`` may be unknown.

    Examples
    --------
    >>> references_in_words(3, 10)
    'of 10 objects 3 are references, which new ones are measured against.'
    >>> references_in_words(1, None)
    'new objects are measured against 1 reference.'
    """
    if n_objects is None:
        return (
            f"new objects are measured against {counted(n_references, 'reference', 'references')}."
        )
    return (
        f"of {counted(n_objects, 'object', 'objects')} "
        f"{counted(n_references, 'is a reference', 'are references')}, which new ones are measured "
        "against."
    )


def one_label_in_words(label: Any, n_classes: int) -> str:
    """That all objects get the same label, and how that could change.

    Examples
    --------
    >>> one_label_in_words("tea", 1)
    "every object gets the label 'tea', the only one there is."
    """
    if n_classes == 1:
        return f"every object gets the label {label!r}, the only one there is."
    return (
        f"every object gets the label {label!r}. With a larger C, errors cost more than a steep "
        "score."
    )


def class_sizes(labels: Iterable[Any]) -> str:
    """Describe the classes and how many objects each has, the largest first; at most eight are
    named.

    Parameters
    ----------
    labels : iterable
        One label for each object.

    Returns
    -------
    str

    Examples
    --------
    >>> class_sizes(["tea", "rum", "tea"])
    '2 classes: tea 2, rum 1'
    """
    sizes = Counter(labels).most_common()
    shown_sizes = ", ".join(f"{label} {count:,}" for label, count in sizes[:8])
    return (
        f"{len(sizes)} class{'es' * (len(sizes) != 1)}: "
        f"{shown_sizes}{', ...' if len(sizes) > 8 else ''}"
    )
