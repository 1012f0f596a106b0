"""The metrics that are tried on objects when the user names none: a few for each kind, the cheapest first."""

from collections.abc import Callable
from typing import Any

import numpy as np

from wideberth import transforms
from wideberth.errors import InvalidInput, SeriesShapeWarning, warn_user
from wideberth.metrics.kinds import KNOWN_KINDS
from wideberth.metrics.metric import Kind, Metric
from wideberth.metrics.named import metric
from wideberth.objects import sample

#: Texts of more words than this are told apart by their words too.
_WORDS_OF_TEXTS = 3.0
#: How many strings are looked at.
_LOOKED_AT = 200
#: Series of fewer points have no differences of neighbouring points.
_SHORTEST_WITH_STEPS = 2
#: Fewer strings may be of one length by accident; a model by Hamming's distance then refuses all other lengths.
_ALIGNED = 20


def candidate_metrics(kind: Kind, X: Any, *, certified: bool = False) -> list[Metric]:
    """The metrics to try on objects of a kind: at most four, the cheapest first.

    The choice of the metric is worth more than that of the classifier, and no metric is best for all data of a kind: words by
    language are told apart better by their n-grams than by edits, and aligned DNA by the Hamming distance.

    Parameters
    ----------
    kind : str
        A key of `wideberth.metrics.kinds.KNOWN_KINDS`, as `wideberth.choice.object_kinds.kind_of` finds it.
    X : sample
        The objects: some metrics are only for strings of the same length, or for texts of several words.
    certified : bool
        Whether certified radii are what matters: strings are then measured in edits too.

    Returns
    -------
    list of Metric
        Empty if no metric is usual for the kind.

    Examples
    --------
    >>> [each.name for each in candidate_metrics("strings", 10 * ["acgt", "acga"])]
    ['hamming', 'ngrams', 'rare_ngrams', 'normalized_levenshtein']
    >>> [each.name for each in candidate_metrics("rows", [{"age": 3}])]
    ['gower']
    """
    if kind == "strings" and certified:
        return [*(each for each in _for_strings(X) if each.name != "rare_ngrams"), metric("levenshtein")]
    if kind in _PROPOSED:
        return _PROPOSED[kind](X)
    usual = KNOWN_KINDS[kind].usual_metric
    return [] if usual is None else [metric(usual)]


def _for_strings(X: Any) -> list[Metric]:
    held = sample.hold(X)
    some = held[np.linspace(0, len(held) - 1, min(len(held), _LOOKED_AT)).astype(int)]
    aligned = len(held) >= _ALIGNED and len({len(each) for each in held}) == 1
    by_place = [metric("hamming")] if aligned else []
    by_words = [metric("words")] if np.mean([len(each.split()) for each in some]) > _WORDS_OF_TEXTS else []
    by_grams = [metric("ngrams"), metric("rare_ngrams")]
    return [*by_words, *by_place, *by_grams, metric("normalized_levenshtein")][:4]


def _for_vectors(X: Any) -> list[Metric]:
    return [metric("euclidean"), metric("standardized"), metric("standardized", p=1)]


def _for_series(X: Any) -> list[Metric]:
    """Metrics on series of shape (length,) or (channels, length); by places, only if all have one length."""
    shapes = {np.shape(each) for each in sample.hold(X)}
    if shapes:
        _check_orientation(shapes)
    elastic = [metric("patterns"), metric("msm"), metric("erp")]
    lengths = {shape[-1] for shape in shapes}
    if len(lengths) != 1 or min(lengths) < _SHORTEST_WITH_STEPS:
        return elastic
    shape = transforms.znormalized("euclidean")
    return [transforms.total(shape, transforms.derivative(shape)), *elastic]


def _check_orientation(shapes: set[tuple[int, ...]]) -> None:
    """Refuse series of one point in several channels, and warn of fewer points than channels: (length, channels)?"""
    channels, longest = min(shape[0] for shape in shapes), max(shape[-1] for shape in shapes)
    if any(len(shape) != 2 for shape in shapes) or channels <= longest:
        return
    found = f"{channels} channels of {longest} {'point' if longest == 1 else 'points'} each"
    advice = "If these are (length, channels), swap them: X.transpose(0, 2, 1), or [series.T for series in X]"
    if longest == 1:
        raise InvalidInput(
            f"Series have shape (channels, length); these have {found}, which are no series.",
            advice=f"{advice}. If each is one vector, pass a matrix: X.reshape(len(X), -1).",
            value=(channels, longest),
        )
    warn_user(f"Series have shape (channels, length); these are read as {found}. {advice}.", SeriesShapeWarning)


def _for_molecules(X: Any) -> list[Metric]:
    return [metric("tanimoto"), metric("tanimoto", fingerprint="features"), metric("tanimoto", fingerprint="atom_pairs")]


def _for_trees(X: Any) -> list[Metric]:
    return [metric("tree_edit"), metric("tree_edit", normalized=True)]


_PROPOSED: dict[Kind, Callable[[Any], list[Metric]]] = {
    "strings": _for_strings,
    "vectors": _for_vectors,
    "series": _for_series,
    "molecules": _for_molecules,
    "trees": _for_trees,
}


def sum_of(first: Metric, second: Metric, medians: tuple[float, float]) -> Metric:
    """The sum of two metrics, each divided by its median distance, so that both count.

    Parameters
    ----------
    first, second : Metric
        Metrics on the same objects.
    medians : tuple of float
        The median distances, positive.

    Returns
    -------
    Metric

    Examples
    --------
    >>> sum_of(metric("levenshtein"), metric("hamming"), (2.0, 4.0))("tea", "tee")
    0.75
    """
    scaled = [transforms.scale(each, 1.0 / median) for each, median in zip((first, second), medians, strict=True)]
    return transforms.total(*scaled)
