"""Rules for the promises of transforms: what follows from the promises of the inner metrics.

A promise is True, False or None (unknown), and each rule returns True or False only if that is
proved for all metrics with the promises given.
"""

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from wideberth.metrics.metric import Metric, Promises
from wideberth.objects.digests import Digests


def closed(promises: Promises) -> Promises:
    """Add what follows from the promises themselves.

    A Hilbertian distance is the one between points of a Hilbert space, so it obeys the triangle
    inequality, and it is of negative type, as the root of its square (Schoenberg 1938). A distance
    that lacks one of these is not Hilbertian.

    Examples
    --------
    >>> (
    ...     closed(Promises(hilbertian=True)).obeys_triangle,
    ...     closed(Promises(negative_type=False)).hilbertian,
    ... )
    (True, False)
    """
    if promises.hilbertian:
        return replace(promises, obeys_triangle=True, negative_type=True)
    if promises.obeys_triangle is False or promises.negative_type is False:
        return replace(promises, hilbertian=False)
    return promises


def all_of(values: Iterable[bool | None]) -> bool | None:
    """Combine promises of which all together are sufficient, but not necessary: True if all are
    True, otherwise None.

    Examples
    --------
    >>> all_of([True, True]), all_of([True, False])
    (True, None)
    """
    return True if all(values) else None


def any_of(values: Iterable[bool | None]) -> bool | None:
    """Combine promises of which one is sufficient: True if one is True, otherwise None.

    Examples
    --------
    >>> any_of([False, True]), any_of([False, None])
    (True, None)
    """
    return True if any(values) else None


def both_ways(values: Iterable[bool | None]) -> bool | None:
    """Combine promises that are sufficient together and each necessary: False if one is False, True
    if all are, otherwise None.

    Examples
    --------
    >>> both_ways([True, None, False]), both_ways([True, None])
    (False, None)
    """
    known = list(values)
    return False if False in known else True if all(known) else None


def common_step(steps: Iterable[float | None]) -> float | None:
    """Find a step of sums and maxima of distances with the given steps. It is the greatest common
    divisor of whole numbers, the step itself if all are equal, otherwise None.

    Examples
    --------
    >>> common_step([4, 6]), common_step([0.5, 0.5]), common_step([0.5, 0.3])
    (2, 0.5, None)
    """
    known = list(steps)
    if not all(known):
        return None
    if all(float(step).is_integer() for step in known if step):
        return math.gcd(*(int(step) for step in known if step))
    return known[0] if len(set(known)) == 1 else None


def dominating(metric: Metric) -> dict[str, float]:
    """By what a metric is bounded, with which constants: by itself too, if it has a
    `wideberth.Metric.full_name`.

    Examples
    --------
    >>> from wideberth.metrics.vectors.minkowski import Euclidean
    >>> dominating(Euclidean())
    {'euclidean': 1.0, 'manhattan': 1.0}
    """
    return ({} if metric.full_name is None else {metric.full_name: 1.0}) | dict(metric.dominated)


def call_in_full(
    call: str, metrics: Iterable[Metric], settings: Iterable[str | None] = ()
) -> str | None:
    """The `wideberth.Metric.full_name` of a transform; None if one of its metrics or settings has
    none.

    Examples
    --------
    >>> from wideberth.metrics.vectors.minkowski import Minkowski
    >>> call_in_full("cap", [Minkowski(p=3)], ["10"])
    'cap(minkowski(p=3), 10)'
    """
    texts = [*(metric.full_name for metric in metrics), *settings]
    known = [text for text in texts if text is not None]
    return f"{call}({', '.join(known)})" if len(known) == len(texts) else None


def common_parallel(metrics: Iterable[Metric]) -> str | None:
    """Find how blocks of several metrics may run in parallel: as the most restrictive of them
    allows. None if one must not run in parallel.

    Examples
    --------
    >>> from wideberth.metrics.functions import PairFunction
    >>> from wideberth.metrics.vectors.minkowski import Euclidean
    >>> common_parallel([Euclidean(), PairFunction(max)])
    'processes'
    """
    ways = {metric.parallel for metric in metrics}
    return None if None in ways else "processes" if "processes" in ways else "threads"


def known_teachers(
    own: Digests | None, metrics: Iterable[Metric], *, same_objects: bool
) -> Digests | None:
    """What a metric made of several was taught by, as `wideberth.Metric.taught_by` says it. ``own``
    are the objects that all were fitted on together, if they were. Unless all recognise objects by
    the same digests (``same_objects``), what taught one of them before is not known.

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
