"""What follows from promises: the steps that the proofs of all transforms share."""

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from wideberth.metrics.metric import Metric, Promises
from wideberth.objects.digests import Digests


def closed(promises: Promises) -> Promises:
    """The promises with what follows from them.

    A Hilbertian distance is the one between points of a Hilbert space, so it obeys the triangle inequality, and it is of negative
    type, as the root of its square (Schoenberg 1938). A distance that lacks one of these is not Hilbertian.

    >>> closed(Promises(hilbertian=True)).obeys_triangle, closed(Promises(negative_type=False)).hilbertian
    (True, False)
    """
    if promises.hilbertian:
        return replace(promises, obeys_triangle=True, negative_type=True)
    if promises.obeys_triangle is False or promises.negative_type is False:
        return replace(promises, hilbertian=False)
    return promises


def all_of(values: Iterable[bool | None]) -> bool | None:
    """True if all are, else None: one False among them proves nothing.

    >>> all_of([True, True]), all_of([True, False])
    (True, None)
    """
    return True if all(values) else None


def any_of(values: Iterable[bool | None]) -> bool | None:
    """True if one is, else None."""
    return True if any(values) else None


def both_ways(values: Iterable[bool | None]) -> bool | None:
    """True if all are, False if one is not, None if it depends on what nobody has said.

    >>> both_ways([True, None, False]), both_ways([True, None])
    (False, None)
    """
    told = list(values)
    return False if False in told else True if all(told) else None


def common_step(steps: Iterable[float | None]) -> float | None:
    """A step of sums and of maxima of distances with these steps: their greatest common divisor if they are whole numbers, the
    step itself if they have but one.

    >>> common_step([4, 6]), common_step([0.5, 0.5]), common_step([0.5, 0.3])
    (2, 0.5, None)
    """
    told = list(steps)
    if not all(told):
        return None
    if all(float(step).is_integer() for step in told if step):
        return math.gcd(*(int(step) for step in told if step))
    return told[0] if len(set(told)) == 1 else None


def common_parallel(metrics: Iterable[Metric]) -> str | None:
    """How blocks of all metrics may run at once: the way that suits the most delicate of them."""
    ways = {each.parallel for each in metrics}
    return None if None in ways else "processes" if "processes" in ways else "threads"


def known_teachers(own: Digests | None, metrics: Iterable[Metric], *, same_objects: bool) -> Digests | None:
    """What a metric made of several was taught by, as `wideberth.Metric.taught_by` says it.

    Parameters
    ----------
    own : ndarray of uint64, or None
        The objects that all of them were fitted on together, if they were.
    metrics : iterable of Metric
        The metrics that it is made of.
    same_objects : bool
        Whether they recognise objects by the same digests as it does; if not, what taught one of them before is not known.

    Returns
    -------
    ndarray of uint64, or None

    Examples
    --------
    >>> from wideberth.metrics.vectors.minkowski import Euclidean
    >>> known_teachers(None, [Euclidean(), Euclidean()], same_objects=True) is None
    True
    """
    before = [each.taught_by for each in metrics]
    found = [each for each in before if each is not None]
    if own is not None or not found:
        return own
    return np.unique(np.concatenate(found)) if same_objects else np.empty(0, dtype=np.uint64)
