r"""How robust a classifier is: what its certified radii prove, and what attacks refute.

An object is *robust within r* if no object at a distance of r or less has another label: within 1
edit means after any one edit. `certified_radius` proves it from below, as nothing strictly closer
than it has another label; an attack refutes it from above:

.. math:: \text{certified radius} \;\le\; \text{distance to another label} \;\le\; \text{distance of
    an attack}

Only the first is a guarantee. Between the two nothing is known. ``scoring="certified"`` of the
classes that choose means the same by a radius.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Flags, Floats
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_estimator import code_targets
from wideberth.estimators.radius_rules import RadiusUnit, radius_unit
from wideberth.guarantees.attacks.attacked import AdversarialSearch, Attack
from wideberth.guarantees.attacks.numbers import NumberRanges, attack_numbers
from wideberth.guarantees.attacks.strings import attack_string
from wideberth.metrics.parameters import is_whole
from wideberth.metrics.strings.sample import read_sequences
from wideberth.objects import sample
from wideberth.rounding import SUM_ERROR
from wideberth.wording import python, setting

__all__ = ["Attack", "Curve", "attack", "certified_accuracy"]


@dataclass(frozen=True, eq=False)
class Curve:
    """The share of objects that are classified correctly and robustly, at each of several radii.

    It describes the objects that it was measured on. For new ones it is an estimate.

    Attributes
    ----------
    radii : ndarray of shape (m,)
        The radii.
    certified : ndarray of shape (m,)
        The proved share at each radius: these objects have the right label, and so has everything
        within the radius of them.
    attacked : ndarray of shape (m,) or None
        The share that attacks did not refute, an upper limit of the true share; None if there were
        no attacks.
    proved : ndarray of shape (n,)
        The largest radius within which the label of each object is proved, -inf where it is wrong:
        for whole edits one less than the certified radius, rounded up; otherwise the number before
        it; never below 0, where the object stays as it is.
    broken : ndarray of shape (n,) or None
        The largest radius within which no attack changed the label of each object, in the same way,
        -inf where it is wrong.
    """

    radii: Floats
    certified: Floats
    attacked: Floats | None
    proved: Floats
    broken: Floats | None

    def radius(self, share: float = 0.5) -> float:
        """The largest radius within which this share of the objects is certified; -inf if fewer of
        them have the right label.

        Examples
        --------
        >>> Curve(np.empty(0), np.empty(0), None, np.array([3.0, 1.0, -np.inf, 2.0]), None).radius(
        ...     0.5
        ... )
        2.0
        """
        return _with_share(self.proved, share)

    def attacked_radius(self, share: float = 0.5) -> float:
        """The largest radius at which attacks left this share of the objects; no larger one can be
        certified for this share. An `InvalidInput` if there were no attacks.
        """
        if self.broken is None:
            raise InvalidInput(
                "There were no attacks.",
                advice=f"Pass {python('certified_accuracy(..., attacks=attack(model, X))')}.",
                value=None,
            )
        return _with_share(self.broken, share)


def certified_accuracy(
    model: Any,
    X: Any,
    y: Any,
    radii: Any,
    *,
    unit: str | None = None,
    attacks: list[Attack] | None = None,
) -> Curve:
    r"""The share of objects whose label is right and stays so under every change up to a radius.

    .. math:: A(r) = \frac1n \sum_i [\hat y(x_i) = y_i] \; [\hat y(x) = y_i \text{ is proved for all
        } x: d(x, x_i) \le r]

    A(0) is the accuracy, and with ``unit="edit"`` A(2) is the share of objects that are right after
    any two edits. The label is proved within r if the certified radius of the object is above r;
    where all distances are multiples of a step s, such as 1 for edits, if it is above the largest
    multiple up to r.

    Parameters
    ----------
    model : metric classifier
        A fitted one.
    X : sample
        The objects.
    y : array-like of shape (n,)
        Their true labels.
    radii : float or sequence of float
        Radii, 0 or more.
    unit : str, optional
        What the radii are measured in, "edit" or a metric's name, as in `certified_radius`; by
        default the metric of the model.
    attacks : list of Attack, optional
        The result of `attack` for the same objects and unit. The curve then also holds the share
        that they did not refute.

    Returns
    -------
    Curve
        The shares at each radius.

    Raises
    ------
    NotCertified
        If the metric does not promise the triangle inequality, or nothing is proved in the unit.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> clf = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> curve = certified_accuracy(clf, ["tea", "rem"], ["soft", "hard"], [0, 1, 2])
    >>> curve.certified  # one edit of "rem" may lead to "tem", as close to "tea" as to "rum"; two of "tea" to "rem"
    array([1. , 0.5, 0. ])
    """
    grid = np.atleast_1d(np.asarray(radii, dtype=np.float64))
    if grid.ndim != 1 or not (grid >= 0).all():
        raise InvalidInput(
            f"Radii are numbers from 0 on, not {radii!r}.",
            advice="Pass a list such as [0, 1, 2].",
            value=radii,
        )
    radii_of_objects = _certifying(model).certified_radius(X, unit)
    right = _right(model, X, y, len(radii_of_objects))
    if attacks is not None and len(attacks) != len(right):
        raise InvalidInput(
            f"There are {len(right)} objects and {len(attacks)} attacks.",
            advice="Pass what attack(model, X) gave for the same X.",
            value=(len(right), len(attacks)),
        )
    return certified_curve(radii_of_objects, right, grid, radius_unit(model.metric_, unit), attacks)


def certified_curve(
    certified: Floats,
    right: Flags,
    grid: Floats,
    measure: RadiusUnit,
    attacks: list[Attack] | None = None,
) -> Curve:
    """The curve of objects whose certified radii are known.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> edits = radius_unit(metric("levenshtein"), None)
    >>> certified_curve(
    ...     np.array([1.0, 2.0]), np.array([True, True]), np.array([0.0, 1.0]), edits
    ... ).certified
    array([1. , 0.5])
    """
    proved = np.where(right, _radii_below(certified, measure.step), -np.inf)
    distances = None if attacks is None else np.array([attempt.distance for attempt in attacks])
    broken = (
        None
        if distances is None
        else np.where(right, _radii_below(distances, measure.step), -np.inf)
    )
    reached = measure.reach(grid)
    return Curve(
        grid,
        _share(proved, reached),
        None if broken is None else _share(broken, reached),
        proved,
        broken,
    )


def attack(
    model: Any,
    X: Any,
    *,
    towards: Any = None,
    unit: str | None = None,
    max_questions: int = 2000,
    random_state: int = 0,
) -> list[Attack]:
    """Search for the closest object with another label near each object, by questions to the model
    alone.

    Strings are edited, letter by letter, on the way to objects of other labels and where that
    lowers the lead of their label; vectors and series are moved straight to such objects, then
    along the boundary. What is found is a fact, and never closer than ``certified_radius``. That
    nothing closer was found proves nothing, unless the model itself can name the nearest text, as
    `wideberth.LinearLipschitzClassifier` can: then that is the attack.

    Parameters
    ----------
    model : metric classifier
        A fitted one, on strings, vectors or series.
    X : sample
        The objects whose labels are attacked.
    towards : sample, optional
        Objects of all labels to move towards, such as the training objects; X itself by default.
        The letters of these and of X are those tried in strings, and changed numbers stay within
        the ranges of both.
    unit : str, optional
        What distances are measured in, "edit" or a metric's name, as in `certified_radius`; by
        default the metric of the model.
    max_questions : int
        How many objects the model is asked about for each object of X, at most.
    random_state : int
        The seed of the random steps.

    Returns
    -------
    list of Attack
        For each object of X the changed object, its distance in the unit, and its label.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> clf = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> found = attack(clf, ["tea"], towards=["rum"])[0]
    >>> found.distance, found.label, clf.certified_radius(["tea"])
    (2.0, 'hard', array([1.5]))
    """
    kind = model.metric_.accepts if hasattr(model, "metric_") else None
    if kind not in ("strings", "vectors", "series"):
        raise InvalidInput(
            f"Attacks are known on strings, vectors and series; {type(model).__name__} has "
            f"{kind or 'no metric'}.",
            advice="Fit a metric classifier on objects of these kinds, not on a matrix of "
            "distances or on a MetricSpace.",
            value=kind,
        )
    if not is_whole(max_questions, 1):
        raise InvalidInput(
            f"{setting('max_questions', max_questions)} is not a number of questions.",
            advice="Pass a whole number, 1 or more.",
            value=max_questions,
        )
    targets = _held(X, model, kind)
    others = targets if towards is None else _held(towards, model, kind)
    labels, labels_of_others = model.predict(targets), model.predict(others)
    enemies = {
        label: sample.pick(others, np.flatnonzero(labels_of_others != label))
        for label in np.unique(labels)
    }
    allowed = _letters(targets, others) if kind == "strings" else _ranges(targets, others, kind)
    find: Any = attack_string if kind == "strings" else attack_numbers
    measure, attacks = radius_unit(model.metric_, unit).measure, []
    for place, label in enumerate(labels):
        search = AdversarialSearch(
            model, sample.pick_one(targets, place), label, max_questions, measure
        )
        nearest = model.nearest_change(search.target, measure.name) if kind == "strings" else None
        if nearest is not None:
            search.ask([nearest[0]], np.array([nearest[1]]))
        elif len(model.classes_) > 1:
            find(search, enemies[label], allowed, np.random.default_rng([random_state, place]))
        attacks.append(search.attack())
    return attacks


def _certifying(model: Any) -> Any:
    """The model, or an error if it has no `certified_radius`."""
    if not hasattr(model, "certified_radius"):
        raise InvalidInput(
            f"{type(model).__name__} certifies no radii.",
            advice="All classifiers on a metric do.",
            value=type(model).__name__,
        )
    return model


def _right(model: Any, X: Any, y: Any, n: int) -> Flags:
    """Which objects get the label in y."""
    labels = code_targets(y, n)
    return np.asarray(model.predict(X) == labels.classes[labels.codes])


def _radii_below(distances: Floats, step: float | None) -> Floats:
    """The largest radii of closed balls in which everything is strictly closer than a distance, in
    whole steps if there are any.

    A ball of radius 0 holds the object alone, or others that are the same to the metric.
    """
    below = step * (np.ceil(distances / step) - 1.0) if step else np.nextafter(distances, -np.inf)
    return np.where(np.isposinf(distances), np.inf, np.maximum(below, 0.0))


def _with_share(values: Floats, share: float) -> float:
    """The largest number that this share of the values is not below."""
    if not 0 < share <= 1:
        raise InvalidInput(
            f"A share of the objects is above 0 and at most 1, not {share!r}.",
            advice="0.5 is half.",
            value=share,
        )
    return float(np.sort(values)[-int(np.ceil(share * len(values) * (1 - SUM_ERROR)))])


def _share(values: Floats, radii: Floats) -> Floats:
    """The share of the values that are at least as large as each radius."""
    return np.asarray((values[None, :] >= radii[:, None]).mean(axis=1))


def _held(objects: Any, model: Any, kind: str) -> Any:
    """The objects, held so that each can be picked: strings as they are, vectors and series as the
    metric prepares them.
    """
    return (
        sample.hold(read_sequences(objects))
        if kind == "strings"
        else model.metric_.prepare(objects)
    )


def _letters(targets: Any, others: Any) -> list[Any]:
    """All letters, or tokens, in the order in which they first occur."""
    return list(
        dict.fromkeys(
            letter for strings in (targets, others) for string in strings for letter in string
        )
    )


def _ranges(targets: Any, others: Any, kind: str) -> NumberRanges:
    """The ranges of the numbers in both samples: of each coordinate of vectors, of all values of
    series.
    """
    if kind == "vectors":
        both = np.concatenate([targets, others])
        return NumberRanges(both.min(axis=0), both.max(axis=0))
    values = np.concatenate([targets.values, others.values])
    return NumberRanges(values.min(), values.max())
