"""The metrics that are tried on objects when the user names none: a few for each kind, the likeliest
first.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, timedelta
from numbers import Real
from typing import Any

import numpy as np

from wideberth import transforms
from wideberth.array_types import Floats, Objects, Sample
from wideberth.errors import InvalidInput, SeriesShapeWarning, WideberthError, warn_user
from wideberth.metrics.containers import as_array
from wideberth.metrics.metric import Kind, Metric
from wideberth.metrics.named import KNOWN_KINDS, metric
from wideberth.metrics.vectors.minkowski import prepare_vectors
from wideberth.objects import sample
from wideberth.wording import setting

# ---- Of which kind objects in memory are, so that metrics can be proposed for them

#: How many objects are looked at.
_KINDS_LOOKED_AT = 50
#: Kinds of objects with parts of their own, tried in this order.
_STRUCTURED: tuple[Kind, ...] = ("graphs", "trees", "molecules", "series")


def kind_of(X: Objects) -> Kind:
    """The kind of the objects of a sample.

    ============================================  ==========
    objects                                       kind
    ============================================  ==========
    texts                                         strings
    texts that rdkit, if installed, reads         molecules
    as SMILES
    rows of a table of numbers, lists of numbers  vectors
    series of numbers of different lengths        series
    three-dimensional array of numbers            series
    tables of numbers, (channels, length) each    series
    sets                                          sets
    rows of a table with other columns, dicts     rows
    graphs, trees, molecules                      as the metrics of their kinds accept them
    ============================================  ==========

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
            advice="Pass X.toarray(), or fit LinearLipschitzClassifierCV, which takes sparse "
            "counts.",
            value=type(X).__name__,
        )
    held = sample.hold(X)
    if not isinstance(held, np.ndarray) or _is_a_table_of_times(X):
        return "rows"
    if held.dtype.kind in sample.NUMERIC or (held.dtype == object and held.ndim == 2):
        return "series" if held.ndim == 3 else "vectors"
    some = (
        list(held[np.linspace(0, len(held) - 1, min(len(held), _KINDS_LOOKED_AT)).astype(int)])
        if len(held)
        else []
    )
    for kind, fits in _BY_TYPE.items():
        if some and all(map(fits, some)):
            if kind == "strings" and _are_smiles(some):
                return "molecules"
            return _vectors_or_series(held) if kind == "series" else kind
    for kind in _STRUCTURED:
        if some and _is_accepted(some, kind):
            return kind
    if some and all(isinstance(each, Mapping) for each in some):
        return "rows"
    if some and all(map(_is_a_table, some)):
        _refuse_as_series(held)
    raise InvalidInput(
        f"It is not known how to measure {sample.shown(some[0]) if some else 'nothing'}: no metric "
        "is proposed for such objects.",
        advice="Name a metric, or pass a function of two objects: "
        f"{setting('metric', shown='my_distance')}.",
        value=type(some[0]).__name__ if some else None,
    )


def _is_a_table_of_times(X: Objects) -> bool:
    """Whether an array has rows that begin with a date or a length of time."""
    if not isinstance(X, np.ndarray) or X.ndim != 2 or not X.size:
        return False
    return isinstance(X[0, 0], date | timedelta | np.datetime64 | np.timedelta64)


def _are_numbers(each: Any) -> bool:
    if isinstance(each, np.ndarray):
        return each.ndim == 1 and each.dtype.kind in sample.NUMERIC
    return (
        isinstance(each, Sequence)
        and not isinstance(each, str | bytes)
        and all(item is None or isinstance(item, Real) for item in each)
    )


#: Kinds that the types of objects tell.
_BY_TYPE: dict[Kind, Callable[[Any], bool]] = {
    "strings": lambda each: isinstance(each, str),
    "sets": lambda each: isinstance(each, AbstractSet),
    "series": _are_numbers,
}


#: What SMILES write and words do not: bonds, branches, charges, and rings as digits.
_OF_SMILES = re.compile(r"[=#()\[\]@+]|[A-Za-z]\d")
#: The share of texts with such characters from which on they may be SMILES.
_SMILES_SHOW = 0.5


def _are_smiles(some: list[str]) -> bool:
    """Whether texts are molecules: rdkit reads all of them, and half of them or more have characters
    that words lack, since "CCO" and "NO" may be words.
    """
    shown = sum(bool(_OF_SMILES.search(each)) for each in some)
    if shown < _SMILES_SHOW * len(some) or any(" " in each or not each for each in some):
        return False
    return _is_accepted(some, "molecules")


def _is_a_table(each: Any) -> bool:
    """Whether one object has rows and columns of numbers, as a series of several channels has."""
    array = as_array(each)
    return array is not None and array.ndim == 2 and array.dtype.kind in sample.NUMERIC


def _refuse_as_series(held: Sample) -> None:
    """Say why tables of numbers are no series of several channels, and whether they are if rows and
    columns are swapped.
    """
    shapes = [np.shape(each) for each in held]
    other = next((index for index, shape in enumerate(shapes) if shape[0] != shapes[0][0]), None)
    if other is not None and {shape[1:] for shape in shapes} == {shapes[0][1:]}:
        raise InvalidInput(
            "Series have shape (channels, length), with the same channels; series 0 has shape "
            f"{shapes[0]}, series {other} {shapes[other]}.",
            advice="If these are (length, channels), pass [series.T for series in X]; "
            "if not, give every series the same channels.",
            witness=(0, other),
            value=shapes[other],
        )
    metric("msm").prepare(held)


def _vectors_or_series(held: Sample) -> Kind:
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


#: Texts of more words than this are told apart by their words too.
_WORDS_OF_TEXTS = 3.0
#: How many strings are looked at.
_LOOKED_AT = 200
#: Series of fewer points have no differences of neighbouring points.
_SHORTEST_WITH_STEPS = 2
#: Fewer strings may be of one length by accident; a model by Hamming's distance then refuses all
#: other lengths.
_ALIGNED = 20


def candidate_metrics(kind: Kind, X: Objects, *, certified: bool = False) -> list[Metric]:
    """The metrics to try on objects of a kind: at most six, the one that is likeliest the best first,
    because the others are given up where they are clearly behind it (`wideberth.choice.paired`).

    The choice of the metric is worth more than that of the classifier, and no metric is best for
    all data of a kind: words by language are told apart better by their n-grams than by edits, and
    aligned DNA by the Hamming distance.

    Examples
    --------
    >>> [each.name for each in candidate_metrics("strings", 10 * ["acgt", "acga"])]
    ['hamming', 'rare_ngrams', 'ngrams', 'normalized_levenshtein']
    >>> [each.name for each in candidate_metrics("rows", [{"age": 3}])]
    ['gower', 'forest']

    What labels teach has no radius that people can read: a certified choice leaves it out.
    """
    if kind == "strings" and certified:
        return [
            *(each for each in _for_strings(X) if each.name != "rare_ngrams"),
            metric("levenshtein"),
        ]
    if kind in _PROPOSED:
        found = _PROPOSED[kind](X)
        return [each for each in found if not (certified and each.uses_labels)]
    usual = KNOWN_KINDS[kind].usual_metric
    return [] if usual is None else [metric(usual)]


def _for_strings(X: Objects) -> list[Metric]:
    held = sample.hold(X)
    some = held[np.linspace(0, len(held) - 1, min(len(held), _LOOKED_AT)).astype(int)]
    aligned = len(held) >= _ALIGNED and len({len(each) for each in held}) == 1
    by_words = (
        [metric("words")] if np.mean([len(each.split()) for each in some]) > _WORDS_OF_TEXTS else []
    )
    counted, rare, edits = (
        metric(name) for name in ("ngrams", "rare_ngrams", "normalized_levenshtein")
    )
    if aligned:
        return [metric("hamming"), rare, counted, *by_words, edits][:4]
    return [*by_words, counted, rare, edits]


def _for_vectors(X: Objects) -> list[Metric]:
    """Metrics on vectors; where numbers are missing, those that take them; where neighbouring columns
    follow each other, those on series instead of the one that labels teach.
    """
    rows = prepare_vectors(X, missing=True)
    by_spread = [metric("standardized", p=1), metric("standardized")]
    if np.isnan(rows).any():
        in_columns = np.ndim(sample.hold(X)) == 2
        return [*by_spread, *([metric("gower"), metric("forest")] if in_columns else [])]
    if follow_each_other(rows):
        return [metric("euclidean"), by_spread[1], *_for_series(X)[:4]]
    return [*by_spread, metric("euclidean"), metric("forest")]


#: Series have this many points at least; tables of fewer columns are vectors.
_SHORTEST_SERIES = 12
#: Neighbouring columns of series are correlated at least by this, ...
_FOLLOWS = 0.6
#: ... and lack at most this share of what any two columns lack to a correlation of 1.
_CLOSER = 0.5


def follow_each_other(rows: Floats) -> bool:
    """Whether neighbouring columns of a table follow each other, as the points of series do: they are
    correlated, and clearly more so than columns in a random order.

    Examples
    --------
    >>> steps = np.random.default_rng(0).normal(size=(30, 50))
    >>> follow_each_other(steps), follow_each_other(steps.cumsum(axis=1))
    (False, True)
    """
    rows = rows[:: max(1, len(rows) // _LOOKED_AT)]
    rows = rows - rows.mean(axis=0) if len(rows) else rows
    sizes = np.linalg.norm(rows, axis=0)
    rows = rows[:, sizes > 0] / sizes[sizes > 0]
    n_columns = rows.shape[1]
    if n_columns < _SHORTEST_SERIES or len(rows) < 3:
        return False
    neighbours = float((rows[:, 1:] * rows[:, :-1]).sum() / (n_columns - 1))
    # the mean over all pairs of different columns, which is that of neighbours in a random order
    pairs = float((rows.sum(axis=1) ** 2).sum() - n_columns) / (n_columns * (n_columns - 1))
    return neighbours >= _FOLLOWS and 1.0 - neighbours <= _CLOSER * (1.0 - pairs)


def _for_series(X: Objects) -> list[Metric]:
    """Metrics on series of shape (length,) or (channels, length); by places, only if all have one
    length.
    """
    shapes = {np.shape(each) for each in sample.hold(X)}
    if shapes:
        _check_orientation(shapes)
    lengths = {shape[-1] for shape in shapes}
    by_patterns, elastic = [metric("patterns")], [metric("msm"), metric("erp")]
    if not lengths or min(lengths) < _SHORTEST_WITH_STEPS:
        return [*by_patterns, *elastic]
    by_patterns.append(transforms.derivative("patterns"))
    if len(lengths) != 1:
        return [*by_patterns, *elastic]
    shape = transforms.znormalized("euclidean")
    return [transforms.total(shape, transforms.derivative(shape)), *by_patterns, *elastic]


def _check_orientation(shapes: set[tuple[int, ...]]) -> None:
    """Refuse series of one point in several channels, and warn of fewer points than channels:
    (length, channels)?
    """
    channels, longest = min(shape[0] for shape in shapes), max(shape[-1] for shape in shapes)
    if any(len(shape) != 2 for shape in shapes) or channels <= longest:
        return
    found = f"{channels} channels of {longest} {'point' if longest == 1 else 'points'} each"
    advice = (
        "If these are (length, channels), swap them: X.transpose(0, 2, 1), or [series.T for series "
        "in X]"
    )
    if longest == 1:
        raise InvalidInput(
            f"Series have shape (channels, length); these have {found}, which are no series.",
            advice=f"{advice}. If each is one vector, pass a matrix: X.reshape(len(X), -1).",
            value=(channels, longest),
        )
    warn_user(
        f"Series have shape (channels, length); these are read as {found}. {advice}.",
        SeriesShapeWarning,
    )


def _for_molecules(X: Objects) -> list[Metric]:
    return [
        metric("tanimoto", fingerprint="atom_pairs"),
        metric("tanimoto"),
        metric("tanimoto", fingerprint="features"),
    ]


def _for_rows(X: Objects) -> list[Metric]:
    return [metric("gower"), metric("forest")]


def _for_trees(X: Objects) -> list[Metric]:
    return [metric("tree_paths"), metric("tree_edit", normalized=True)]


_PROPOSED: dict[Kind, Callable[[Any], list[Metric]]] = {
    "strings": _for_strings,
    "vectors": _for_vectors,
    "series": _for_series,
    "molecules": _for_molecules,
    "trees": _for_trees,
    "rows": _for_rows,
}


def sum_of(first: Metric, second: Metric, medians: tuple[float, float]) -> Metric:
    """The sum of two metrics, each divided by its median distance, so that both count.

    Examples
    --------
    >>> sum_of(metric("levenshtein"), metric("hamming"), (2.0, 4.0))("tea", "tee")
    0.75
    """
    scaled = [
        transforms.scale(each, 1.0 / median)
        for each, median in zip((first, second), medians, strict=True)
    ]
    return transforms.total(*scaled)
