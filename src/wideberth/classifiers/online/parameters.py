"""What both online learners check of their parameters and queries."""

from math import hypot, isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from wideberth.array_types import Floats
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_estimator import Fits
from wideberth.metrics.parameters import is_number

#: How knowledge is kept, by name.
ENGINES = ("sampling", "ellipsoid", "exact")
#: With more features than this, sampling takes longer than most streams leave it: some 2 ms a pair
#: up to here, 20 for 30.
MOST_SAMPLED_FEATURES = 24


def engine_in_use(engine: str, dimension: int, noise: float) -> str:
    """The engine for so many features: "soft" if labels may be wrong.

    >>> [engine_in_use("auto", dimension, noise=0.0) for dimension in (24, 25)]
    ['sampling', 'ellipsoid']
    """
    if noise > 0:
        return "soft"
    if engine != "auto":
        return engine
    return "sampling" if dimension <= MOST_SAMPLED_FEATURES else "ellipsoid"


def check_query(query: ArrayLike, n_features: int | None) -> Floats:
    """Convert one query to a vector of ``n_features`` finite numbers, of any number if that is None
    since the query is the first one; an `InvalidInput` if it is none, or its length not finite.

    >>> check_query([1, 2], None)
    array([1., 2.])
    """
    try:
        vector = np.asarray(query, dtype=np.float64)
    except (TypeError, ValueError):
        vector = np.array(np.nan)
    expected = vector.size if n_features is None else n_features
    if vector.shape != (expected,) or not expected or not np.isfinite(vector).all():
        raise InvalidInput(
            f"A query is a vector of {expected or 'some'} finite numbers; this one is {query!r}.",
            advice="Pass one row; partial_fit and predict take many.",
            value=query,
        )
    if not isfinite(hypot(*vector)):
        raise InvalidInput(
            f"The length of a query is beyond the largest floating-point number: {query!r}.",
            advice="Give queries in a larger unit.",
            value=query,
        )
    return vector


def one_of(*known: str) -> Fits:
    """The check of a parameter that is one of some names.

    >>> one_of("exact", "sampling").value("sampling")
    True
    """
    return Fits(
        lambda value: isinstance(value, str) and value in known,
        f"Choose one of {', '.join(known)}.",
    )


def is_positive(value: Any) -> bool:
    """Whether a value is a number above 0, not infinite.

    >>> is_positive(2), is_positive(0.0)
    (True, False)
    """
    return is_number(value) and value > 0 and isfinite(value)


def share_of_wrong(what: str) -> Fits:
    """The check of the parameter ``noise``, the share of wrong labels or answers."""
    return Fits(
        lambda value: is_number(value) and 0 <= value < 0.5,
        f"Give the share of wrong {what}, below 0.5.",
    )


#: What can be done about labels and answers that contradict earlier ones.
INCONSISTENT = one_of("soften", "ignore", "error")
