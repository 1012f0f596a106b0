"""Training objects as plain values and back, whatever their metric made of them.

What is read back is a collection that a user might have passed to fit, and the metric prepares and checks it like one.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Metric
from wideberth.metrics.series import SeriesSample
from wideberth.metrics.sets import SetSample
from wideberth.metrics.strings import Sequences


def sample_to_plain(objects: Any) -> dict[str, Any] | None:
    """A prepared sample as plain values; None if a model needs no objects.

    >>> sample_to_plain(Sequences(["tea", "coffee"]))
    {'kind': 'sequences', 'items': ['tea', 'coffee']}
    """
    match objects:
        case None:
            return None
        case np.ndarray():
            return {"kind": "array", "items": objects}
        case Sequences():
            return {"kind": "sequences", "items": list(objects)}
        case SeriesSample():
            return {"kind": "series", "values": objects.values, "offsets": objects.offsets, "channels": objects.channels}
        case SetSample():
            used, numbers = np.unique(objects.elements, return_inverse=True)
            names = list(objects.number_of)
            return {"kind": "sets", "members": [names[each] for each in used], "elements": numbers, "starts": objects.starts}
    raise InvalidInput(
        f"Objects kept as {type(objects).__name__} cannot go into a model file.",
        advice="Strings, sequences of tokens, vectors, series, sets and rows of distances can.",
        value=type(objects).__name__,
    )


def sample_from_plain(plain: dict[str, Any] | None, metric: Metric) -> Any:
    """The sample again, prepared; a `ValueError` where the values do not make one."""
    match plain:
        case None:
            return None
        case {"kind": "array", "items": np.ndarray() as items}:
            return metric.prepare(items)
        case {"kind": "sequences", "items": list(items)}:
            return metric.prepare(items)
        case {"kind": "series", "values": values, "offsets": offsets, "channels": int(channels)} if channels >= 1:
            parts = _cut(values, offsets, "fiu")
            if not all(len(part) % channels == 0 for part in parts):
                raise ValueError(f"series are not whole in {channels} channels")
            return metric.prepare([part.reshape(channels, -1) for part in parts])
        case {"kind": "sets", "members": list(members), "elements": elements, "starts": starts}:
            return metric.prepare([frozenset(members[each] for each in part) for part in _cut(elements, starts, "iu")])
    raise ValueError("these values are not a sample of objects")


def _cut(values: Any, starts: Any, kinds: str) -> list[NDArray[Any]]:
    """The parts of an array that begin at ``starts``, the last of which is its end."""
    for array, allowed in ((values, kinds), (starts, "iu")):
        if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in allowed:
            raise ValueError("a flat array of numbers is needed")
    if len(starts) < 1 or starts[0] != 0 or starts[-1] != len(values) or np.any(np.diff(starts.astype(np.int64)) < 0):
        raise ValueError(f"offsets do not cut {len(values)} numbers")
    return np.split(values, starts[1:-1]) if len(starts) > 1 else []
