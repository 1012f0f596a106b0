"""Metrics without the check of their blocks."""

import copy
from collections.abc import Mapping
from typing import Any

from wideberth.metrics.metric import Metric


def unchecked(metric: Metric) -> Metric:
    """Return the same metric without the check of its blocks, for those who look for broken axioms and report all of them.

    Parameters
    ----------
    metric : Metric
        Any metric. Metrics inside it are not checked either.

    Returns
    -------
    Metric
        A copy, or the metric itself if it is not checked anyway.

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
