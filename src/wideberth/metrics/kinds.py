"""The table of kinds of objects: the default metric of each kind, and the containers that hold its
prepared samples.
"""

from collections.abc import Mapping
from typing import NamedTuple

from wideberth.metrics.containers import Prepared
from wideberth.metrics.distributions.sample import Distributions
from wideberth.metrics.distributions.wasserstein import SortedSamples
from wideberth.metrics.metric import Kind
from wideberth.metrics.series.patterns import PatternShares
from wideberth.metrics.series.sample import SeriesSample
from wideberth.metrics.sets.jaccard import SetSample
from wideberth.metrics.sets.multisets import Multisets
from wideberth.metrics.sets.tanimoto import Fingerprints
from wideberth.metrics.strings.rare_grams import WeighedSets
from wideberth.metrics.strings.sample import Sequences, TokenSample
from wideberth.metrics.structures.point_sets import PointSetSample
from wideberth.metrics.structures.trees import TreeSample
from wideberth.metrics.tables.mixed_rows import MixedRows
from wideberth.metrics.transforms.parts_sample import PartsSample
from wideberth.metrics.transforms.sets_of_objects import MembersSample


class KnownKind(NamedTuple):
    """The default metric and the containers of one kind of objects.

    Attributes
    ----------
    usual_metric : str or None
        The name of the metric for objects from a file when the user names none; None if files hold
        no objects of this kind, or if no metric is usual for them.
    containers : mapping of str to type
        The classes of prepared samples that metrics of this kind use in place of arrays, by their
        names in model files.

    Examples
    --------
    >>> KNOWN_KINDS["strings"].usual_metric, sorted(KNOWN_KINDS["strings"].containers)
    ('levenshtein', ['multisets', 'sequences', 'tokens', 'weighed'])
    """

    usual_metric: str | None
    containers: Mapping[str, type[Prepared]]


#: Model files contain the names of containers: a name, once used, keeps its meaning. One container
#: may serve several kinds.
KNOWN_KINDS: dict[Kind, KnownKind] = {
    "vectors": KnownKind("euclidean", {}),
    "strings": KnownKind(
        "levenshtein",
        {
            "sequences": Sequences,
            "tokens": TokenSample,
            "multisets": Multisets,
            "weighed": WeighedSets,
        },
    ),
    "series": KnownKind("msm", {"series": SeriesSample, "pattern_shares": PatternShares}),
    "sets": KnownKind("jaccard", {"sets": SetSample, "multisets": Multisets}),
    "distributions": KnownKind(
        None, {"distributions": Distributions, "sorted_samples": SortedSamples}
    ),
    "molecules": KnownKind("tanimoto", {"fingerprints": Fingerprints}),
    "trees": KnownKind("tree_edit", {"trees": TreeSample}),
    "graphs": KnownKind("weisfeiler_lehman", {"multisets": Multisets}),
    "points": KnownKind(None, {"point_sets": PointSetSample}),
    "rows": KnownKind("gower", {"mixed_rows": MixedRows}),
    "indices": KnownKind("precomputed", {}),
    "objects": KnownKind(None, {}),
}

#: The kinds that readers and metrics call by different names: a reader's matrix of distances has
#: indices as its objects.
NAME_IN_DATA: dict[Kind, str] = {
    "indices": "distances",
    "distributions": "vectors",
    "points": "objects",
}

#: The default metric for each kind of objects, by the names that readers use.
USUAL_METRIC: dict[str, str] = {
    NAME_IN_DATA.get(kind, kind): known.usual_metric
    for kind, known in KNOWN_KINDS.items()
    if known.usual_metric is not None
}

#: The containers that metrics prepare, by their names in model files; transforms make parts out of
#: objects of any kind.
CONTAINERS: dict[str, type[Prepared]] = {
    **{
        name: container
        for known in KNOWN_KINDS.values()
        for name, container in known.containers.items()
    },
    "parts": PartsSample,
    "members": MembersSample,
}
