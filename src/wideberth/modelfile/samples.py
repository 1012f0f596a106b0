"""Training objects as plain values and back, whatever their metric made of them.

What is read back is a collection that a user might have passed to fit, or a container whose numbers were checked, and the metric
prepares and checks it like one.
"""

from typing import Any

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Metric
from wideberth.metrics.prepared import Prepared
from wideberth.metrics.series import SeriesSample
from wideberth.metrics.sets import SetSample
from wideberth.metrics.strings import Sequences

#: The containers that metrics prepare, by their names in a file. A name, once written, keeps its meaning.
CONTAINERS: dict[str, type[Prepared]] = {"sequences": Sequences, "series": SeriesSample, "sets": SetSample}


def sample_to_plain(objects: Any) -> dict[str, Any] | None:
    """A prepared sample as plain values; None if a model needs no objects.

    >>> sample_to_plain(Sequences(["tea", "coffee"]))
    {'kind': 'sequences', 'items': ['tea', 'coffee']}
    """
    if objects is None:
        return None
    if isinstance(objects, np.ndarray):
        return {"kind": "array", "items": objects}
    for kind, container in CONTAINERS.items():
        if type(objects) is container:
            return {"kind": kind, **objects.plain()}
    raise InvalidInput(
        f"Objects kept as {type(objects).__name__} cannot go into a model file.",
        advice="The objects that the metrics of wideberth.list_metrics() measure can.",
        value=type(objects).__name__,
    )


def sample_from_plain(plain: dict[str, Any] | None, metric: Metric) -> Any:
    """The sample again, prepared; a `ValueError` where the values do not make one."""
    if plain is None:
        return None
    kind, fields = plain.get("kind"), {name: value for name, value in plain.items() if name != "kind"}
    if kind == "array" and isinstance(fields.get("items"), np.ndarray):
        return metric.prepare(fields["items"])
    if kind in CONTAINERS:
        return metric.prepare(CONTAINERS[kind].from_plain(fields))
    raise ValueError("these values are not a sample of objects")
