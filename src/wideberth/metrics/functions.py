"""Distances given as Python functions of two objects, called pair by pair."""

import copy
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from wideberth.array_types import Floats, Sample
from wideberth.errors import InvalidInput, SlowMetricWarning, warn_user
from wideberth.metrics.metric import Distances, Metric
from wideberth.objects.sample import shown
from wideberth.wording import python

# ---- Metrics without the check of their blocks


def unchecked(metric: Metric) -> Metric:
    """Return the same metric without the check of its blocks, for those who look for broken axioms
    and report all of them. Metrics inside it are not checked either.

    Examples
    --------
    >>> import numpy as np
    >>> unchecked(Metric(lambda left, right: np.full((1, 1), np.nan))).block([1], [2])
    array([[nan]])
    """
    if metric.built_in:
        return metric
    twin = copy.copy(metric)
    twin._from_user = twin._may_overflow = False
    for name, value in metric.get_params(deep=False).items():
        inner = _unchecked_in(value)
        if inner is not value:
            setattr(twin, name, inner)
    return twin


def _unchecked_in(value: Any) -> Any:
    """Return a parameter with the metrics in it, if any, without checks."""
    if isinstance(value, Metric):
        return unchecked(value)
    if isinstance(value, Mapping) and any(isinstance(item, Metric) for item in value.values()):
        return {key: _unchecked_in(item) for key, item in value.items()}
    if isinstance(value, list | tuple) and any(isinstance(item, Metric) for item in value):
        return type(value)(_unchecked_in(item) for item in value)
    return value


#: The number of pairs in one block from which on a Python function of two objects is worth a
#: warning.
MANY_PAIRS = 10_000


class PairFunction(Metric):
    """A distance given as a Python function of two objects: correct, but slow, one call for each
    pair.

    Parameters are those of `wideberth.Metric`, except that ``function(one, other)`` takes two
    objects.

    `wideberth.metric` makes one of any function. It promises nothing unless the caller does;
    `wideberth.diagnose` looks for axioms that the function breaks. Blocks run in parallel
    processes, because Python code does not release the interpreter lock; a block of `MANY_PAIRS`
    pairs or more warns once that a function of whole blocks would be faster.

    Examples
    --------
    >>> by_length = PairFunction(lambda one, other: abs(len(one) - len(other)), separates=False)
    >>> by_length.block(["tea", "milk"], ["coffee"])
    array([[3.],
           [2.]])
    """

    parallel = "processes"
    _from_user = True
    _warned = False

    def _measure(self, left: Sample, right: Sample) -> Distances:
        if not self._warned:
            self._warned = warn_of_many_pairs(
                repr(self.name),
                len(left) * len(right),
                f"A function of two blocks, {python('wideberth.Metric')}(function),",
            )
        advice = (
            "A distance is one number. For a function of two blocks use "
            f"{python('wideberth.Metric')}(function)."
        )
        return pair_by_pair(self.function, left, right, repr(self.name), advice)


def warn_of_many_pairs(what: str, n_pairs: int, alternative: str) -> bool:
    """Warn that a Python function is about to be called for many pairs. It returns whether it did,
    from `MANY_PAIRS` pairs on; ``alternative`` is the subject of "can be a hundred times faster".

    Examples
    --------
    >>> warn_of_many_pairs("'my_distance'", 20, "A function of two blocks")
    False
    """
    if n_pairs < MANY_PAIRS:
        return False
    warn_user(
        f"{what} is a Python function, called once for each of {n_pairs:,} pairs. {alternative} "
        "can be a hundred times faster.",
        SlowMetricWarning,
    )
    return True


def pair_by_pair(
    function: Callable[[Any, Any], Any], left: Sample, right: Sample, what: str, advice: str
) -> Floats:
    """Call a function of two objects for every pair of two samples. A result that is no number is
    refused, with the two objects as the witness; what the function itself raises gets a note with
    them.

    Examples
    --------
    >>> pair_by_pair(max, [1, 5], [2, 3], "max", "Numbers only.")
    array([[2., 3.],
           [5., 5.]])
    """
    numbers = np.empty((len(left), len(right)))
    for i, one in enumerate(left):
        for j, other in enumerate(right):
            try:
                number = function(one, other)
            except Exception as error:
                error.add_note(f"{what} raised this for {shown(one)} and {shown(other)}.")
                raise
            numbers[i, j] = as_number(number, one, other, what, advice)
    return numbers


def as_number(value: Any, one: Any, other: Any, what: str, advice: str) -> float:
    """Return what a function of two objects computed as a float, or raise an `InvalidInput` with
    the two objects.

    Examples
    --------
    >>> as_number("3.5", "tea", "rum", "'my_distance'", "")
    3.5
    >>> as_number(None, "tea", "rum", "'my_distance'", "A distance is one number.")
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: 'my_distance' returned None for 'tea' and 'rum'. A distance is one number.
    """
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InvalidInput(
            f"{what} returned {shown(value)} for {shown(one)} and {shown(other)}.",
            advice=advice,
            witness=(one, other),
            value=value,
        ) from None
