"""The axioms of a metric, tried on a sample: on all of its objects, or on some that are drawn at
random.

This is what ``fit`` and certificates ask where the triangle inequality is not promised, or promised
by the user. The search for broken axioms in a matrix is `wideberth.metrics.axioms`.
"""

import numpy as np

from wideberth.array_types import Indices, Sample
from wideberth.errors import BrokenAxiom, BrokenAxiomWarning, warn_user
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.geometry.measure.remembered_distances import MeasuredOnce, plain_objects
from wideberth.metrics.axioms import Violation, find_violations
from wideberth.metrics.functions import unchecked
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample
from wideberth.progress import doing
from wideberth.wording import setting

#: Objects on which a triangle inequality that is not promised is tried, in all their triangles.
EXAMINED = 150
#: Objects on which promises that the user made are tried, in all their triangles.
PROMISES_EXAMINED = 40
#: Objects of which all distances are measured for that in both directions, and from each to itself,
#: whatever is kept.
BOTH_WAYS_EXAMINED = 4
#: A promise is refuted if it is broken by more than this share of the largest distance, and worth a
#: warning from the second share on. Less may be lost in single precision, or where a kernel becomes
#: a distance (`KernelMetric`).
REFUTED, DOUBTED = 1e-3, 1e-5


@doing("axioms")
def broken_axioms(
    objects: Sample, metric: Metric, *, most: int | None, random_state: int | None
) -> list[Violation]:
    """The axioms that a distance breaks on a sample, each with its worst witness.

    All pairs and all triangles of the examined objects are tried, n^2 distances and n^3 / 6
    triangles of n objects. That none is broken proves nothing about other objects.

    At most ``most`` objects are examined, drawn at random; None examines all. The most serious
    axiom comes first; objects are named by their positions in the sample. Rows of distances to the
    objects of a matrix (`Precomputed`) have no distances to each other and break no axiom.

    Examples
    --------
    >>> backwards = Metric(lambda left, right: np.maximum(left - right.T, 0.0))
    >>> [
    ...     found.axiom
    ...     for found in broken_axioms(
    ...         np.array([[0.0], [1.0], [3.0]]), backwards, most=None, random_state=0
    ...     )
    ... ]
    ['symmetric']
    """
    examined, distances = _drawn_distances(objects, metric, most=most, random_state=random_state)
    return [violation.at(examined) for violation in find_violations(distances)]


@doing("axioms")
def broken_triangle(
    objects: Sample, metric: Metric, *, random_state: int | None
) -> Violation | None:
    """The triangle that breaks the inequality most, for methods that also work, with less to
    promise, without the inequality.

    A metric of this library that promises the axioms is trusted; a promise of the user is tried by
    `try_promises`. Without a promise, all entries of a matrix are examined; of other distances,
    those between 150 objects drawn at random.

    None if the inequality is promised or holds on the examined objects. Another axiom that is
    broken, or a promise of the user that is refuted, is a `BrokenAxiom`.

    Examples
    --------
    >>> squares = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]])
    >>> broken_triangle(np.arange(3), Precomputed(squares), random_state=0).values
    (4.0, 1.0, 1.0)
    """
    try_promises(objects, metric)
    if metric.obeys_triangle:
        return None
    most = None if isinstance(metric, Precomputed) else EXAMINED
    violations = broken_axioms(objects, metric, most=most, random_state=random_state)
    for violation in violations:
        if violation.axiom != "triangle":
            raise violation.error(metric.name)
    return violations[0] if violations else None


@doing("axioms")
def try_promises(objects: Sample, metric: Metric) -> None:
    """Try a triangle inequality that the user has promised, with symmetry and all other axioms, or
    symmetry alone, on 40 objects drawn at random.

    Nothing is tried for metrics of this library, whose promises are proved, and for metrics that
    promise neither. Of a matrix, 150 objects are tried. The draw is always the same.
    Distances that are measured once, because they are promised to be symmetric, cannot show that
    they are not: the 16 distances between 4 of the objects are measured besides, once.

    An axiom that is broken by more than a thousandth of the largest distance is a `BrokenAxiom`,
    whose witness are the positions of the objects; by more than a hundredth of that, a
    `BrokenAxiomWarning`.

    Examples
    --------
    >>> squares = Metric(
    ...     lambda left, right: (left - right.T) ** 2, name="squares", obeys_triangle=True
    ... )
    >>> try_promises(np.array([[0.0], [1.0], [2.0]]), squares)
    Traceback (most recent call last):
    ...
    wideberth.errors.BrokenAxiom: 'squares' breaks the triangle inequality at objects 0, 1, 2: ... This refutes the promise ...
    """
    if not _is_a_users_promise(metric):
        return
    table = metric.table if isinstance(metric, MeasuredOnce) else None
    if table is not None and not table.tried:
        table.tried = True
        table.calls += try_both_ways(plain_objects(objects), table.metric)
    _refute(objects, metric, EXAMINED if isinstance(metric, Precomputed) else PROMISES_EXAMINED)


def try_both_ways(objects: Sample, metric: Metric) -> int:
    """Try a promise as `try_promises` does on 4 objects, by a metric that keeps nothing; return how
    many distances it measured.

    Examples
    --------
    >>> backwards = Metric(
    ...     lambda left, right: np.maximum(left - right.T, 0.0),
    ...     name="backwards",
    ...     obeys_triangle=True,
    ... )
    >>> try_both_ways(np.array([[0.0], [1.0]]), backwards)
    Traceback (most recent call last):
    ...
    wideberth.errors.BrokenAxiom: 'backwards' is not symmetric at objects 0, 1: ... This refutes the promise ...
    """
    return _refute(objects, metric, BOTH_WAYS_EXAMINED) if _is_a_users_promise(metric) else 0


def _is_a_users_promise(metric: Metric) -> bool:
    return metric.is_symmetric and not metric.built_in


def _refute(objects: Sample, metric: Metric, most: int) -> int:
    """Raise or warn if all distances between at most so many objects refute a promise; return how
    many distances they are.
    """
    examined, distances = _drawn_distances(objects, metric, most=most, random_state=0)
    largest = float(np.abs(distances).max(initial=0.0))
    promised = "obeys_triangle" if metric.obeys_triangle else "symmetric"
    for violation in find_violations(distances):
        if violation.axiom == "triangle" and not metric.obeys_triangle:
            continue
        if not violation.excess <= REFUTED * largest:
            raise _refuted(violation.at(examined), metric, promised)
        if violation.excess > DOUBTED * largest:
            warn_user(
                f"{violation.at(examined).describe(metric.name)} This was promised. If it is "
                "rounding, certified radii are only as accurate: compute in double precision, or "
                f"withdraw {setting(promised, True)}.",
                BrokenAxiomWarning,
            )
    return distances.size


def _refuted(violation: Violation, metric: Metric, promised: str) -> BrokenAxiom:
    """Make the error for a promise of the user that a sample refutes."""
    found = violation.error(metric.name)
    return BrokenAxiom(
        f"{found.problem.marked} This refutes the promise {setting(promised, True)}.",
        advice=f"{found.advice.marked} Or withdraw the promise.",
        axiom=violation.axiom,
        witness=violation.objects,
        value=violation.values,
    )


def _drawn_distances(
    objects: Sample, metric: Metric, *, most: int | None, random_state: int | None
) -> tuple[Indices, Distances]:
    """Draw objects at random, all if they are at most ``most``; return their positions in order,
    and their distances.
    """
    if metric.accepts == "indices" and np.ndim(objects) == 2:  # rows of distances
        return np.arange(0), np.empty((0, 0))
    n = sample.count(objects)
    examined = np.arange(n)
    if most is not None and n > most:
        examined = np.sort(np.random.default_rng(random_state).choice(n, most, replace=False))
    return examined, pairwise_distances(sample.pick(objects, examined), None, unchecked(metric))
