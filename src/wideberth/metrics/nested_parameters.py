"""Metrics inside the parameters of a metric: found by their names, and changed in a copy."""

import copy
from collections.abc import Mapping
from typing import Any

from wideberth.errors import InvalidInput


def metrics_in(name: str, value: Any) -> dict[str, Any]:
    """Return the metrics that a parameter holds, by the names under which `set_params` reaches them.

    Parameters
    ----------
    name : str
        The name of the parameter.
    value : object
        A metric, a list, tuple or dict with metrics in it, or anything else.

    Returns
    -------
    dict from str to Metric

    Examples
    --------
    >>> from wideberth.metrics.vectors.minkowski import Euclidean
    >>> metrics_in("parts", {"size": Euclidean(), "name": 3})
    {'parts__size': Euclidean()}
    """
    if _is_metric(value):
        return {name: value}
    return {f"{name}__{key}": item for key, item in _items(value) if _is_metric(item)}


def with_parameter(held: Any, path: str, value: Any, name: str) -> Any:
    """Copy a metric, or a list or dict of metrics, with one parameter or item changed.

    Parameters
    ----------
    held : Metric, list, tuple or dict
        What is copied.
    path : str
        The name of the parameter or the item, with ``__`` between the levels.
    value : object
        Its new value.
    name : str
        The name of ``held``, for errors.

    Returns
    -------
    Metric, list, tuple or dict

    Raises
    ------
    InvalidInput
        If there is nothing at ``path``.

    Examples
    --------
    >>> from wideberth.metrics.vectors.minkowski import Minkowski
    >>> with_parameter([Minkowski(p=3)], "0__p", 1, "metrics")
    [Minkowski(p=1)]
    """
    if _is_metric(held):
        return copy.copy(held).set_params(**{path: value})
    items = _items(held)
    for position, (key, item) in enumerate(items):
        if path == str(key) or path.startswith(f"{key}__"):
            rest = path.removeprefix(f"{key}__")
            items[position] = key, value if path == str(key) else with_parameter(item, rest, value, f"{name}__{key}")
            return dict(items) if isinstance(held, Mapping) else type(held)(item for _, item in items)
    raise InvalidInput(
        f"The parameter {name!r} has no {path.partition('__')[0]!r} in it.",
        advice=f"It holds {[str(key) for key, _ in items]}." if items else f"It is {held!r}.",
        value=path,
    )


def _is_metric(value: Any) -> bool:
    """Whether a value has parameters of its own, as metrics have."""
    return hasattr(value, "get_params") and hasattr(value, "set_params")


def _items(value: Any) -> list[tuple[Any, Any]]:
    """Return the items of a list, a tuple or a dict, each with its position or key; nothing for other values."""
    if isinstance(value, Mapping):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list | tuple) else []
