"""Which assumptions of a bound a metric violates on some objects."""

from typing import Any

from wideberth.array_types import Indices
from wideberth.geometry.measure.sampled_axioms import broken_axioms
from wideberth.metrics.axioms import Violation
from wideberth.metrics.metric import Metric

#: How many objects the axioms of a metric are tried on, in all their triangles.
TRIED = 60


def metric_doubts(objects: Any, metric: Metric, numbers: Indices | None = None) -> tuple[str, ...]:
    """The reasons why a bound that needs a metric does not hold: a broken axiom with its witness, or a missing promise.

    Promises are tried too: a metric that often breaks its promise is detected.

    Parameters
    ----------
    objects : sample
        Prepared by the metric.
    metric : Metric
        The distance.
    numbers : ndarray of int, optional
        What the objects are called, if they are not all of their sample: their positions in it.

    Returns
    -------
    tuple of str
        Empty if no axiom is broken on the objects examined and the triangle inequality is promised.

    Examples
    --------
    >>> import numpy as np
    >>> metric_doubts(np.array([[0.0], [1.0], [2.0]]), Metric(lambda a, b: (a - b.T) ** 2, name="squared", obeys_triangle=True))
    ("'squared' breaks the triangle inequality at objects 0, 1, 2: d(0, 2) = 4 > 1 + 1 = d(0, 1) + d(1, 2).",)
    """
    broken = violations_on_sample(objects, metric)
    if broken:
        named = broken if numbers is None else [violation.at(numbers) for violation in broken]
        return tuple(violation.describe(metric.name) for violation in named)
    if metric.obeys_triangle:
        return ()
    status = "does not obey" if metric.obeys_triangle is False else "does not promise to obey"
    return (f"{metric.name!r} {status} the triangle inequality, which this needs.",)


def violations_on_sample(objects: Any, metric: Metric) -> list[Violation]:
    """The axioms that prepared objects break, promised or not, tried on 60 of them that are drawn with a fixed seed.

    Examples
    --------
    >>> import numpy as np
    >>> squared = Metric(lambda left, right: (left - right.T) ** 2, name="squared", obeys_triangle=True)
    >>> [violation.axiom for violation in violations_on_sample(np.array([[0.0], [1.0], [2.0]]), squared)]
    ['triangle']
    """
    return broken_axioms(objects, metric, most=TRIED, random_state=0)
