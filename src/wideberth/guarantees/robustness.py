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

import numpy as np
from numpy.typing import ArrayLike

from wideberth.array_types import Flags, Floats, Labels, Objects
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.metric_estimator import code_targets
from wideberth.estimators.radius_rules import RadiusUnit
from wideberth.guarantees.attacks import Attack
from wideberth.rounding import SUM_ERROR
from wideberth.wording import python


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
    model: MetricClassifier,
    X: Objects,
    y: Labels,
    radii: ArrayLike,
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
    return certified_curve(radii_of_objects, right, grid, model.radius_unit(unit), attacks)


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
    >>> from wideberth.estimators.radius_rules import radius_unit
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


def _certifying(model: MetricClassifier) -> MetricClassifier:
    """The model, or an error if it has no `certified_radius`."""
    if not hasattr(model, "certified_radius"):
        raise InvalidInput(
            f"{type(model).__name__} certifies no radii.",
            advice="All classifiers on a metric do.",
            value=type(model).__name__,
        )
    return model


def _right(model: MetricClassifier, X: Objects, y: Labels, n: int) -> Flags:
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
