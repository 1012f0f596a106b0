"""The one table of kinds of objects: the metric that is usual for each, and the containers that hold prepared ones."""

from collections.abc import Mapping
from typing import NamedTuple

from wideberth.metrics.containers import Prepared
from wideberth.metrics.distributions.sample import Distributions
from wideberth.metrics.distributions.wasserstein import SortedSamples
from wideberth.metrics.metric import Kind
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


class KnownKind(NamedTuple):
    """What is known of a kind of objects.

    ``usual_metric``: the one for objects of a file when none is named; None if files hold no such objects, or none is usual.
    ``containers``: what its metrics prepare where an array does not do, by names in model files.
    """

    usual_metric: str | None
    containers: Mapping[str, type[Prepared]]


#: Names of containers stand in model files: a name, once written, keeps its meaning. One container may serve several kinds.
KNOWN_KINDS: dict[Kind, KnownKind] = {
    "vectors": KnownKind("euclidean", {}),
    "strings": KnownKind("levenshtein", {"sequences": Sequences, "tokens": TokenSample}),
    "series": KnownKind("msm", {"series": SeriesSample}),
    "sets": KnownKind("jaccard", {"sets": SetSample, "multisets": Multisets}),
    "distributions": KnownKind(None, {"distributions": Distributions, "sorted_samples": SortedSamples}),
    "molecules": KnownKind("tanimoto", {"fingerprints": Fingerprints}),
    "trees": KnownKind("tree_edit", {"trees": TreeSample}),
    "graphs": KnownKind("weisfeiler_lehman", {"multisets": Multisets}),
    "points": KnownKind(None, {"point_sets": PointSetSample}),
    "rows": KnownKind("gower", {"mixed_rows": MixedRows}),
    "indices": KnownKind("precomputed", {}),
    "objects": KnownKind(None, {}),
}

#: What readers call a kind, where that is not what metrics call it: the objects of a matrix of distances are its indices.
NAME_IN_DATA: dict[Kind, str] = {"indices": "distances", "distributions": "vectors", "points": "objects"}

#: The metric for a kind of objects, as readers call it, when none is named.
USUAL_METRIC: dict[str, str] = {
    NAME_IN_DATA.get(kind, kind): known.usual_metric for kind, known in KNOWN_KINDS.items() if known.usual_metric is not None
}

#: The containers that metrics prepare, by their names in model files; transforms make parts out of objects of any kind.
CONTAINERS: dict[str, type[Prepared]] = {
    **{name: container for known in KNOWN_KINDS.values() for name, container in known.containers.items()},
    "parts": PartsSample,
}
