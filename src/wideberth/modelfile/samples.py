"""Training objects as plain values and back, whatever their metric made of them.

What is read back is a collection that a user might have passed to fit, or a container whose numbers were checked, and the metric
prepares and checks it like one.
"""

from typing import Any

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.metrics.containers import Prepared
from wideberth.metrics.distributions.sample import Distributions
from wideberth.metrics.distributions.wasserstein import SortedSamples
from wideberth.metrics.metric import Metric
from wideberth.metrics.series.sample import SeriesSample
from wideberth.metrics.sets.jaccard import SetSample
from wideberth.metrics.sets.ruzicka import Multisets
from wideberth.metrics.sets.tanimoto import Fingerprints
from wideberth.metrics.strings.edits import Sequences
from wideberth.metrics.strings.weighted_edit import TokenSample
from wideberth.metrics.structures.point_sets import PointSetSample
from wideberth.metrics.structures.trees import TreeSample
from wideberth.metrics.tables.mixed_rows import MixedRows
from wideberth.metrics.transforms.parts_sample import PartsSample

#: The containers that metrics prepare, by their names in a file. A name, once written, keeps its meaning.
CONTAINERS: dict[str, type[Prepared]] = {
    "sequences": Sequences,
    "tokens": TokenSample,
    "series": SeriesSample,
    "sets": SetSample,
    "multisets": Multisets,
    "fingerprints": Fingerprints,
    "distributions": Distributions,
    "sorted_samples": SortedSamples,
    "mixed_rows": MixedRows,
    "parts": PartsSample,
    "trees": TreeSample,
    "point_sets": PointSetSample,
}


def sample_to_plain(objects: Any) -> dict[str, Any] | None:
    """A prepared sample as plain values; None if a model needs no objects.

    >>> sample_to_plain(Sequences(["tea", "coffee"]))
    {'kind': 'sequences', 'items': ['tea', 'coffee']}
    """
    if objects is None:
        return None
    if isinstance(objects, np.ndarray):
        return {"kind": "array", "items": objects}
    if isinstance(objects, PartsSample):
        return {"kind": "parts", "parts": [sample_to_plain(part) for part in objects.parts]}
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
    return None if plain is None else metric.prepare(_given(plain))


def _given(plain: dict[str, Any]) -> Any:
    """What a metric prepares and checks."""
    kind, fields = plain.get("kind"), {name: value for name, value in plain.items() if name != "kind"}
    if kind == "array" and isinstance(fields.get("items"), np.ndarray):
        return fields["items"]
    if kind == "parts" and isinstance(fields.get("parts"), list):
        return PartsSample.from_plain({"parts": [_given(part) for part in fields["parts"]]})
    if kind in CONTAINERS:
        return CONTAINERS[kind].from_plain(fields)
    raise ValueError("these values are not a sample of objects")
