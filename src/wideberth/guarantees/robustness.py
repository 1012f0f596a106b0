r"""How robust a classifier is: what is proved by its radii, and what attacks show.

An object is *robust at r* if nothing strictly closer than r has another label. `certified_radius` proves it from below, an attack
refutes it from above:

.. math:: \text{certified radius} \;\le\; \text{true radius} \;\le\; \text{distance of an attack}

Only the first is a guarantee. The gap between the two is what neither knows.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.arrays import Flags, Floats
from wideberth.errors import InvalidInput
from wideberth.guarantees.attacks.attacked import Attack, Victim
from wideberth.guarantees.attacks.numbers import Room, attack_numbers
from wideberth.guarantees.attacks.strings import attack_string
from wideberth.metrics.strings.sample import read_sequences
from wideberth.objects import sample
from wideberth.objects.labels import code_labels
from wideberth.rounding import SUM_ERROR

__all__ = ["Attack", "Curve", "attack", "certified_accuracy"]


@dataclass(frozen=True, eq=False)
class Curve:
    """The share of objects that are classified rightly and robustly, at each of several radii.

    ``certified`` is proved: so many objects have the right label, and so has everything strictly closer to them than the radius.
    ``attacked`` is what attacks left over, an upper limit; None if there were none. ``proved`` holds the certified radius of each
    object, ``broken`` the distance of each attack; both are -inf where the label is wrong.

    It speaks of the objects that it was measured on. For new ones it is an estimate.
    """

    radii: Floats
    certified: Floats
    attacked: Floats | None
    proved: Floats
    broken: Floats | None

    def radius(self, share: float = 0.5) -> float:
        """The largest radius at which this share of the objects is still certified; -inf if fewer have the right label.

        >>> Curve(np.empty(0), np.empty(0), None, np.array([3.0, 1.0, -np.inf, 2.0]), None).radius(0.5)
        2.0
        """
        return _with_share(self.proved, share)

    def attacked_radius(self, share: float = 0.5) -> float:
        """The largest radius at which attacks left this share of the objects; no larger one can be certified for it."""
        if self.broken is None:
            raise InvalidInput(
                "There were no attacks.", advice="Pass certified_accuracy(..., attacks=attack(model, X)).", value=None
            )
        return _with_share(self.broken, share)


def certified_accuracy(model: Any, X: Any, y: Any, radii: Any, *, attacks: list[Attack] | None = None) -> Curve:
    r"""The share of objects whose label is right and stays so, whatever moves them by less than a radius.

    .. math:: A(r) = \frac1n \sum_i [\hat y(x_i) = y_i] \; [r(x_i) \ge r]

    for the certified radius r(x): nothing strictly closer than r(x) changes the label. A(0) is the accuracy. Where all distances
    are multiples of a step s, 1 for edits, r(x) is rounded up to one, which the same objects are strictly closer than: A(2) is
    the share that no single edit can change. With the ``attacks`` on the same objects (`attack`), the same share for their
    distances, above which the true one cannot be.

    >>> from wideberth import NeighborsClassifier
    >>> clf = NeighborsClassifier("levenshtein", n_neighbors=1).fit(["tea", "rum"], ["soft", "hard"])
    >>> curve = certified_accuracy(clf, ["tea", "rem"], ["soft", "hard"], [0, 1, 2])
    >>> curve.certified  # one edit of "rem" may lead to "tem", as close to "tea" as to "rum"
    array([1. , 1. , 0.5])
    """
    grid = np.atleast_1d(np.asarray(radii, dtype=np.float64))
    if grid.ndim != 1 or not (grid >= 0).all():
        raise InvalidInput(f"Radii are numbers from 0 on, not {radii!r}.", advice="Pass a list such as [0, 1, 2].", value=radii)
    proved = _whole_steps(_certifying(model).certified_radius(X), model.metric_.step)
    right = _right(model, X, y, len(proved))
    if attacks is not None and len(attacks) != len(proved):
        raise InvalidInput(
            f"There are {len(proved)} objects and {len(attacks)} attacks.",
            advice="Pass what attack(model, X) gave for the same X.",
            value=(len(proved), len(attacks)),
        )
    proved = np.where(right, proved, -np.inf)
    broken = None if attacks is None else np.where(right, [each.distance for each in attacks], -np.inf)
    return Curve(grid, _share(proved, grid), None if broken is None else _share(broken, grid), proved, broken)


def attack(model: Any, X: Any, *, towards: Any = None, max_questions: int = 2000, random_state: int = 0) -> list[Attack]:
    """For each object, the closest one with another label that an attacker finds who may only ask the model.

    Strings are edited, letter by letter, on the way to objects of other labels and where that lowers the lead; vectors and series
    go straight to such objects, then along the boundary. What is found is a fact: the changed object, its distance by the metric
    of the model, its label. It is no closer than ``certified_radius``. That nothing closer was found proves nothing.

    >>> from wideberth import NeighborsClassifier
    >>> clf = NeighborsClassifier("levenshtein", n_neighbors=1).fit(["tea", "rum"], ["soft", "hard"])
    >>> found = attack(clf, ["tea"], towards=["rum"])[0]
    >>> found.distance, found.label, clf.certified_radius(["tea"])
    (2.0, 'hard', array([1.5]))

    Parameters
    ----------
    model : metric classifier
        A fitted one, on strings, vectors or series.
    X : objects
        Those whose labels are attacked.
    towards : objects, optional
        Objects of all labels to move towards, such as those that the model learned from; X itself by default. Their letters are
        those tried in strings, and changed numbers stay within the ranges of theirs and those of X.
    max_questions : int
        How many objects the model is asked about for each object of X, at most.
    random_state : int
        Draws the steps.
    """
    kind = model.metric_.accepts if hasattr(model, "metric_") else None
    if kind not in ("strings", "vectors", "series"):
        raise InvalidInput(
            f"Attacks are known on strings, vectors and series; {type(model).__name__} has {kind or 'no metric'}.",
            advice="Fit a metric classifier on objects of these kinds, not on a matrix of distances or on a MetricSpace.",
            value=kind,
        )
    if not isinstance(max_questions, int | np.integer) or isinstance(max_questions, bool) or max_questions < 1:
        raise InvalidInput(
            f"max_questions={max_questions!r} is no number of questions.",
            advice="Pass a whole number from 1 on.",
            value=max_questions,
        )
    targets = _held(X, model, kind)
    others = targets if towards is None else _held(towards, model, kind)
    labels, labels_of_others = model.predict(targets), model.predict(others)
    enemies = {label: sample.pick(others, np.flatnonzero(labels_of_others != label)) for label in np.unique(labels)}
    seen = _letters(targets, others) if kind == "strings" else _room(targets, others, kind)
    find: Any = attack_string if kind == "strings" else attack_numbers
    attacks = []
    for place, label in enumerate(labels):
        victim = Victim(model, sample.pick_one(targets, place), label, max_questions)
        if len(model.classes_) > 1:
            find(victim, enemies[label], seen, np.random.default_rng([random_state, place]))
        attacks.append(victim.attack())
    return attacks


def _certifying(model: Any) -> Any:
    if not hasattr(model, "certified_radius"):
        raise InvalidInput(
            f"{type(model).__name__} certifies no radii.", advice="All classifiers on a metric do.", value=type(model).__name__
        )
    return model


def _right(model: Any, X: Any, y: Any, n: int) -> Flags:
    labels = code_labels(y, n)
    return np.asarray(model.predict(X) == labels.classes[labels.codes])


def _whole_steps(radii: Floats, step: float | None) -> Floats:
    """The radii rounded up to multiples of the step, if there is one: between two of these there are no distances."""
    return step * np.ceil(radii / step) if step else radii


def _with_share(values: Floats, share: float) -> float:
    """The largest number that this share of the values is not below."""
    if not 0 < share <= 1:
        raise InvalidInput(f"A share of the objects is above 0 and at most 1, not {share!r}.", advice="0.5 is half.", value=share)
    return float(np.sort(values)[-int(np.ceil(share * len(values) * (1 - SUM_ERROR)))])


def _share(values: Floats, radii: Floats) -> Floats:
    return np.asarray((values[None, :] >= radii[:, None]).mean(axis=1))


def _held(objects: Any, model: Any, kind: str) -> Any:
    """The objects, held so that each can be picked: strings as they are, vectors and series as the metric prepares them."""
    return sample.hold(read_sequences(objects)) if kind == "strings" else model.metric_.prepare(objects)


def _letters(targets: Any, others: Any) -> list[Any]:
    """All letters, or tokens, in the order of their first place."""
    return list(dict.fromkeys(letter for strings in (targets, others) for string in strings for letter in string))


def _room(targets: Any, others: Any, kind: str) -> Room:
    if kind == "vectors":
        both = np.concatenate([targets, others])
        return Room(both.min(axis=0), both.max(axis=0))
    values = np.concatenate([targets.values, others.values])
    return Room(values.min(), values.max())
