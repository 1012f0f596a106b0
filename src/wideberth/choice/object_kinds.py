"""Of which kind objects in memory are, so that metrics can be proposed for them."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Real
from typing import Any

import numpy as np

from wideberth.errors import InvalidInput, WideberthError
from wideberth.metrics.containers import as_array
from wideberth.metrics.kinds import KNOWN_KINDS
from wideberth.metrics.metric import Kind
from wideberth.metrics.named import metric
from wideberth.objects import sample
from wideberth.wording import setting

#: How many objects are looked at.
_LOOKED_AT = 50
#: Kinds of objects with parts of their own, tried in this order.
_STRUCTURED: tuple[Kind, ...] = ("graphs", "trees", "molecules", "series")


def kind_of(X: Any) -> Kind:
    """The kind of the objects of a sample.

    ============================================  ==========
    objects                                       kind
    ============================================  ==========
    texts                                         strings
    rows of a table of numbers, lists of numbers  vectors
    series of numbers of different lengths        series
    three-dimensional array of numbers            series
    tables of numbers, (channels, length) each    series
    sets                                          sets
    rows of a table with other columns, dicts     rows
    graphs, trees, molecules                      as the metrics of their kinds accept them
    ============================================  ==========

    Parameters
    ----------
    X : sample
        The objects.

    Returns
    -------
    str
        A key of `wideberth.metrics.kinds.KNOWN_KINDS`.

    Raises
    ------
    InvalidInput
        If the kind is not known, or metrics cannot be proposed for it.

    Examples
    --------
    >>> kind_of(["tea", "rum"]), kind_of([[1.0, 2.0], [3.0, 4.0]]), kind_of([[1.0], [3.0, 4.0]])
    ('strings', 'vectors', 'series')
    >>> kind_of([{"nodes": ["C", "O"], "edges": [[0, 1]]}]), kind_of([{"age": 3, "city": "Rome"}])
    ('graphs', 'rows')
    """
    if hasattr(X, "tocsr"):
        raise InvalidInput(
            "Metrics are not proposed for a sparse matrix.",
            advice="Pass X.toarray(), or fit LinearLipschitzClassifierCV, which takes sparse counts.",
            value=type(X).__name__,
        )
    held = sample.hold(X)
    if not isinstance(held, np.ndarray):
        return "rows"
    if held.dtype.kind in sample.NUMERIC or (held.dtype == object and held.ndim == 2):
        return "series" if held.ndim == 3 else "vectors"
    some = list(held[np.linspace(0, len(held) - 1, min(len(held), _LOOKED_AT)).astype(int)]) if len(held) else []
    for kind, fits in _BY_TYPE.items():
        if some and all(map(fits, some)):
            return _vectors_or_series(held) if kind == "series" else kind
    for kind in _STRUCTURED:
        if some and _is_accepted(some, kind):
            return kind
    if some and all(isinstance(each, Mapping) for each in some):
        return "rows"
    if some and all(map(_is_a_table, some)):
        _refuse_as_series(held)
    raise InvalidInput(
        f"It is not known how to measure {sample.shown(some[0]) if some else 'nothing'}: no metric is proposed for such objects.",
        advice=f"Name a metric, or pass a function of two objects: {setting('metric', shown='my_distance')}.",
        value=type(some[0]).__name__ if some else None,
    )


def _are_numbers(each: Any) -> bool:
    if isinstance(each, np.ndarray):
        return each.ndim == 1 and each.dtype.kind in sample.NUMERIC
    return isinstance(each, Sequence) and not isinstance(each, str | bytes) and all(isinstance(item, Real) for item in each)


#: Kinds that the types of objects tell.
_BY_TYPE: dict[Kind, Callable[[Any], bool]] = {
    "strings": lambda each: isinstance(each, str),
    "sets": lambda each: isinstance(each, AbstractSet),
    "series": _are_numbers,
}


def _is_a_table(each: Any) -> bool:
    """Whether one object has rows and columns of numbers, as a series of several channels has."""
    array = as_array(each)
    return array is not None and array.ndim == 2 and array.dtype.kind in sample.NUMERIC


def _refuse_as_series(held: Any) -> None:
    """Say why tables of numbers are no series of several channels, and whether they are if rows and columns are swapped."""
    shapes = [np.shape(each) for each in held]
    other = next((index for index, shape in enumerate(shapes) if shape[0] != shapes[0][0]), None)
    if other is not None and {shape[1:] for shape in shapes} == {shapes[0][1:]}:
        raise InvalidInput(
            f"Series have shape (channels, length), with the same channels; series 0 has shape {shapes[0]}, series {other} "
            f"{shapes[other]}.",
            advice="If these are (length, channels), pass [series.T for series in X]; "
            "if not, give every series the same channels.",
            witness=(0, other),
            value=shapes[other],
        )
    metric("msm").prepare(held)


def _vectors_or_series(held: Any) -> Kind:
    """Lists of numbers: vectors if all have the same length, as in scikit-learn."""
    return "vectors" if len({len(each) for each in held}) == 1 else "series"


def _is_accepted(some: list[Any], kind: Kind) -> bool:
    """Whether the usual metric of a kind takes the objects."""
    usual = KNOWN_KINDS[kind].usual_metric
    try:
        metric(str(usual)).prepare(some)
    except (WideberthError, ImportError):
        return False
    return True
