"""How one object is shown, by its kind."""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from wideberth.metrics.metric import Kind, Metric
from wideberth.objects.sample import NUMERIC
from wideberth.report.drawings.images_drawn import image
from wideberth.report.drawings.ink import in_words, shortened
from wideberth.report.drawings.molecules_drawn import molecule
from wideberth.report.drawings.numbers_drawn import bars, histogram, line, vector
from wideberth.report.drawings.structures_drawn import graph, points, tree
from wideberth.report.drawings.tables_drawn import elements, table

Drawing = dict[str, Any]

#: Most tokens of a sequence that are written.
_MOST_TOKENS = 60


def drawing(shown: Any, kind: Kind | Metric) -> Drawing:
    """Describe how an object is shown, as plain data of at most a few kilobytes.

    ========  ==========================================================  ======================================================
    type      entries                                                     objects
    ========  ==========================================================  ======================================================
    "text"    "spans": pairs of a style and a text                        strings, sets, SMILES without rdkit, everything else
    "line"    "channels": a list of numbers for each                      series, very long vectors
    "bars"    "values"                                                    histograms, samples of numbers, long vectors
    "image"   "uri", "width", "height", "ink" (dark strokes on nothing)   images, molecules, trees, graphs, sets of points
    "table"   "rows": pairs of a name and a value                         rows of tables, weighted sets, short vectors
    ========  ==========================================================  ======================================================

    All have "alt", the same in words. Objects are untrusted: long ones are shortened, and
    characters that cannot be seen become escapes. Nothing is HTML; a page has to escape what it
    writes, as always.

    Parameters
    ----------
    shown : object
        The object.
    kind : str or Metric
        Its kind (`wideberth.metrics.named.KNOWN_KINDS`), or the metric that measures it.

    Returns
    -------
    dict
        Only texts, numbers, None, lists and dicts. An object that is not of its kind is shown by
        its repr.

    Examples
    --------
    >>> drawing("tea", "strings")
    {'type': 'text', 'spans': [['same', 'tea']], 'alt': 'tea'}
    >>> drawing([0.0, 1.0, 0.5], "series")["channels"]
    [[0.0, 1.0, 0.5]]
    """
    accepted = kind.accepts if isinstance(kind, Metric) else kind
    samples = (
        getattr(kind, "of", None) == "samples"
    )  # of `Wasserstein1D`, which measures histograms otherwise
    try:
        return histogram(_numbers(shown)) if samples else _BY_KIND[accepted](shown)
    except Exception:  # a report must not fail because one of its objects is odd, however odd it is
        return as_text(_brief(shown))


def as_text(text: str) -> Drawing:
    """Show a text in one style.

    Examples
    --------
    >>> as_text("tea")
    {'type': 'text', 'spans': [['same', 'tea']], 'alt': 'tea'}
    """
    alt = (
        shortened(text, 80)
        if len(text) <= 200
        else f"text of {len(text):,} characters: {shortened(text, 60)}"
    )
    return {
        "type": "text",
        "spans": [["same", shortened(text) or "(empty)"]],
        "alt": alt or "empty text",
    }


def _brief(shown: Any) -> str:
    try:
        return in_words(shown, 120)
    except Exception:  # its repr failed
        return f"object of type {type(shown).__name__}"


def _string(shown: Any) -> Drawing:
    if isinstance(shown, str):
        return as_text(shown)
    if isinstance(shown, bytes):
        return as_text(shown.decode("latin-1"))
    tokens = [in_words(token, 24) for token in shown[:_MOST_TOKENS]]
    more = f" … {len(shown) - _MOST_TOKENS:,} more" if len(shown) > _MOST_TOKENS else ""
    return as_text(" ".join(tokens)) | (
        {"alt": f"sequence of {len(shown):,} tokens{more and ''}"} if more else {}
    )


def _numbers(shown: Any) -> Any:
    return np.asarray(shown, dtype=float)


def _vector(shown: Any) -> Drawing:
    if hasattr(shown, "items"):  # a row of pandas, or a mapping
        return vector(dict(shown.items()))
    numbers = _numbers(shown)
    return image(np.asarray(shown)) if numbers.ndim >= 2 else vector(numbers)


def _series(shown: Any) -> Drawing:
    return line(np.atleast_2d(_numbers(shown)))


def _distribution(shown: Any) -> Drawing:
    masses = _numbers(shown)
    return image(np.asarray(shown)) if masses.ndim == 2 else bars(masses, "histogram")


def _set(shown: Any) -> Drawing:
    if isinstance(shown, Mapping):
        return table(shown)
    if isinstance(shown, np.ndarray) and shown.dtype.kind in NUMERIC:  # a row of 0 and 1
        return elements(np.flatnonzero(shown).tolist())
    return elements(shown)


def _points(shown: Any) -> Drawing:
    places = _numbers(shown)
    return points(places) if places.ndim == 2 and places.shape[1] > 1 else histogram(places.ravel())


def _index(shown: Any) -> Drawing:
    return as_text(shown) if isinstance(shown, str) else as_text(f"object {int(shown)}")


def _any(shown: Any) -> Drawing:
    """An object whose kind is not declared, by its type."""
    if isinstance(shown, str | bytes):
        return _string(shown)
    if isinstance(shown, AbstractSet):
        return elements(shown)
    if isinstance(shown, Mapping) or hasattr(shown, "items"):
        return (
            graph(shown)
            if "nodes" in shown and ("edges" in shown or "neighbors" in shown)
            else table(shown)
        )
    array = np.asarray(shown) if isinstance(shown, np.ndarray | list | tuple) else None
    if array is not None and array.dtype.kind in NUMERIC and array.ndim:
        return _vector(array)
    return table(shown) if isinstance(shown, tuple) else as_text(_brief(shown))


#: What shows the objects of each kind.
_BY_KIND: dict[Kind, Callable[[Any], Drawing]] = {
    "vectors": _vector,
    "strings": _string,
    "series": _series,
    "sets": _set,
    "distributions": _distribution,
    "molecules": molecule,
    "trees": tree,
    "graphs": graph,
    "points": _points,
    "rows": table,
    "indices": _index,
    "objects": _any,
}
