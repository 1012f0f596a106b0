"""The table of metrics by name, the functions that turn a name or a Python function into a metric,
and the table of kinds of objects: the default metric of each, and the containers that hold its
prepared samples.
"""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np

from wideberth.array_types import Objects
from wideberth.errors import InvalidInput, UnknownName
from wideberth.metrics.containers import PartsSample, Prepared, VectorParts
from wideberth.metrics.distributions.binwise import Chi2, Hellinger, JensenShannon, TotalVariation
from wideberth.metrics.distributions.earth_mover import EarthMover
from wideberth.metrics.distributions.sample import Distributions
from wideberth.metrics.distributions.wasserstein import SortedSamples, Wasserstein1D
from wideberth.metrics.functions import PairFunction
from wideberth.metrics.metric import Kind, Metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.metrics.series.elastic import DTW, ERP, MSM, TWE
from wideberth.metrics.series.patterns import Patterns, PatternShares
from wideberth.metrics.series.sample import SeriesSample
from wideberth.metrics.sets.jaccard import Jaccard, Ruzicka, SetSample
from wideberth.metrics.sets.multisets import Multisets
from wideberth.metrics.sets.tanimoto import Fingerprints, Tanimoto
from wideberth.metrics.strings import edits, text_counts, word_edits, words_and_grams
from wideberth.metrics.strings.sample import Sequences, TokenSample
from wideberth.metrics.strings.weighted_edit import WeightedEdit
from wideberth.metrics.structures.graphs import WeisfeilerLehman
from wideberth.metrics.structures.point_sets import Hausdorff, PointSetSample
from wideberth.metrics.structures.tree_paths import TreePaths
from wideberth.metrics.structures.trees import TreeEdit, TreeSample
from wideberth.metrics.tables.forest import Forest, LeafRows
from wideberth.metrics.tables.gower import Gower
from wideberth.metrics.tables.mixed_rows import MixedRows
from wideberth.metrics.transforms.sets_of_objects import MembersSample
from wideberth.metrics.vectors.angles import Angular, Haversine
from wideberth.metrics.vectors.mahalanobis import Mahalanobis, Standardized
from wideberth.metrics.vectors.minkowski import Canberra, Chebyshev, Euclidean, Manhattan, Minkowski
from wideberth.wording import python

#: Look-up, documentation, the command line and the test suite all read this table: a metric entered
#: here is known everywhere.
METRICS: dict[str, type[Metric]] = {
    str(metric_class.name): metric_class
    for metric_class in (
        *(Euclidean, Manhattan, Chebyshev, Minkowski, Mahalanobis, Standardized),
        *(Angular, Haversine, Canberra),
        *(edits.Levenshtein, edits.Indel, edits.Hamming, edits.Damerau),
        *(edits.NormalizedLevenshtein, WeightedEdit, words_and_grams.Words),
        word_edits.WordEdit,
        *(words_and_grams.NGrams, words_and_grams.RareNGrams, words_and_grams.Affixes),
        *(MSM, DTW, ERP, TWE, Patterns),
        *(Jaccard, Ruzicka, Tanimoto),
        *(TotalVariation, Hellinger, JensenShannon, Chi2, Wasserstein1D, EarthMover),
        *(WeisfeilerLehman, TreeEdit, TreePaths, Hausdorff, Gower, Forest, Precomputed),
    )
}


def list_metrics() -> list[str]:
    """Return the names that `metric` knows, in alphabetical order.

    Returns
    -------
    list of str

    Examples
    --------
    >>> "levenshtein" in list_metrics()
    True
    """
    return sorted(METRICS)


def spoken_name(metric: Metric) -> str:
    """What a metric is called in sentences: sums by their parts, without the scales that make these
    comparable.

    Examples
    --------
    >>> from wideberth import transforms
    >>> spoken_name(transforms.total(transforms.scale("levenshtein", 0.1), "words"))
    'levenshtein + words'
    """
    call = getattr(metric, "call", "")
    if call == "total":
        return " + ".join(map(spoken_name, metric.metrics))  # type: ignore[attr-defined]
    return spoken_name(metric.metric) if call == "scale" else metric.name  # type: ignore[attr-defined]


def metric(which: str | Metric | Callable[[Any, Any], float], /, **parameters: Any) -> Metric:
    """Make a metric from a name and its parameters, or from a Python function of two objects.

    Every parameter called ``metric`` in this library accepts what this function accepts.

    Parameters
    ----------
    which : str, Metric or callable
        A name from `list_metrics`; a metric, which is returned as it is; or a function of two
        objects that returns their distance, which is called pair by pair (for a function of two
        blocks use `wideberth.Metric`).
    **parameters
        The parameters of the named metric; for a function its promises, ``name``, ``accepts``,
        ``unit`` and ``dominated``, see `wideberth.Metric`.

    Returns
    -------
    Metric

    Raises
    ------
    UnknownName
        If there is no metric of that name; the error suggests a similar one.
    InvalidInput
        If a parameter is unknown or does not fit, or parameters come with a finished metric.

    Examples
    --------
    >>> metric("minkowski", p=3)
    Minkowski(p=3)
    >>> metric(lambda one, other: abs(one - other), name="gap", obeys_triangle=True)(2, 5)
    3.0
    >>> metric("levenstein")
    Traceback (most recent call last):
    ...
    wideberth.errors.UnknownName: There is no metric 'levenstein'. Did you mean 'levenshtein'?
    """
    if isinstance(which, Metric):
        return _without_parameters(which, parameters)
    if isinstance(which, str):
        return _by_name(which)(**_checked_parameters(which, parameters))
    if callable(which):
        return PairFunction(which, **parameters)
    raise InvalidInput(
        f"A metric is a name, a Metric or a function of two objects, not {type(which).__name__} "
        f"{which!r}.",
        advice=f"{python('wideberth.list_metrics()')} lists the names.",
        value=which,
    )


def by_full_name(name: str) -> Metric | None:
    """The metric of the table that a `Metric.full_name` stands for: all with their default
    parameters, and those with others that metrics of this library are bounded by. None if there is
    none.

    Examples
    --------
    >>> by_full_name("word_edit(tokens='punctuation')"), by_full_name("minkowski(p=3)")
    (WordEdit(tokens='punctuation'), None)
    """
    if name in METRICS and name != Precomputed.name:
        return metric(name)
    further = (word_edits.WordEdit(tokens) for tokens in text_counts.WORDS_ARE)
    return next((each for each in further if each.full_name == name), None)


def bind(
    objects: Objects,
    which: str | Metric | Callable[[Any, Any], float],
    labelled: Callable[[], tuple[Any, Any]] | None = None,
) -> tuple[Any, Metric]:
    """Return the objects and their metric, fitted to them if it learns from a sample
    (`Metric.fitted`), or taught by their labels and weights, which ``labelled`` returns, if it
    learns from these (`Metric.taught`). For ``"precomputed"`` the objects are the matrix of their distances, and the
    row numbers and the metric that looks distances up in it are returned.

    Examples
    --------
    >>> bind([[0, 2], [2, 0]], "precomputed")
    (array([0, 1]), Precomputed(<2 x 2 distances>))
    """
    if isinstance(which, str) and which == Precomputed.name:
        matrix = Precomputed(objects)
        return np.arange(len(matrix.matrix)), matrix
    made = metric(which)
    if labelled is None or not made.uses_labels:
        return objects, made.fitted(objects)
    return objects, made.taught(objects, *labelled())


def _without_parameters(given: Metric, parameters: dict[str, Any]) -> Metric:
    """Return a finished metric, or refuse parameters that come with it and would be ignored."""
    if parameters:
        raise InvalidInput(
            f"{given!r} has its parameters already; {sorted(parameters)} would be lost.",
            advice="Change them with set_params, or name the metric.",
            value=parameters,
        )
    return given


def _by_name(name: str) -> type[Metric]:
    """Look a class up in the table, or raise an error that suggests a similar name."""
    if name not in METRICS:
        close = get_close_matches(name.lower(), METRICS, n=1)
        advice = f"Did you mean {close[0]!r}?" if close else f"Known: {', '.join(list_metrics())}."
        raise UnknownName(
            f"There is no metric {name!r}.", advice=advice, value=name, known=list_metrics()
        )
    return METRICS[name]


def _checked_parameters(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a named metric, or raise an error for one that it does not have or
    that is missing.
    """
    takes = METRICS[name].parameters()
    unknown = sorted(set(parameters) - set(takes))
    if unknown:
        raise InvalidInput(
            f"The metric {name!r} has no parameter {unknown[0]!r}.",
            advice=f"It takes {', '.join(takes)}." if takes else "It takes none.",
            value=unknown,
        )
    if name == Precomputed.name and "distances" not in parameters:
        raise InvalidInput(
            "The metric 'precomputed' alone has no distances.",
            advice="Pass the matrix as the objects, or here: "
            f"{python('wideberth.metric')}('precomputed', distances=matrix).",
            value=name,
        )
    return parameters


# ---- The kinds of objects


class KnownKind(NamedTuple):
    """The default metric and the containers of one kind of objects.

    The usual metric is the one for objects from a file when the user names none; None if files hold
    no objects of this kind, or if no metric is usual for them. Containers have their names in model
    files.

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
            "weighed": words_and_grams.WeighedSets,
        },
    ),
    "series": KnownKind("msm", {"series": SeriesSample, "pattern_shares": PatternShares}),
    "sets": KnownKind("jaccard", {"sets": SetSample, "multisets": Multisets}),
    "distributions": KnownKind(
        None, {"distributions": Distributions, "sorted_samples": SortedSamples}
    ),
    "molecules": KnownKind("tanimoto", {"fingerprints": Fingerprints}),
    "trees": KnownKind("tree_edit", {"trees": TreeSample, "multisets": Multisets}),
    "graphs": KnownKind("weisfeiler_lehman", {"multisets": Multisets}),
    "points": KnownKind(None, {"point_sets": PointSetSample}),
    "rows": KnownKind("gower", {"mixed_rows": MixedRows, "leaf_rows": LeafRows}),
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
    "vector_parts": VectorParts,
    "members": MembersSample,
}
