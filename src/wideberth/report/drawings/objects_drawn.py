"""How one object is shown, by its kind, and what is different between two: edits of strings, columns
of rows, elements of sets.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein

from wideberth.metrics.metric import Kind, Metric
from wideberth.objects.sample import NUMERIC
from wideberth.report.drawings.ink import image, in_words, shortened
from wideberth.report.drawings.numbers_drawn import bars, histogram, line, vector
from wideberth.report.drawings.structures_drawn import graph, molecule, points, tree
from wideberth.report.drawings.tables_drawn import elements, table, two_rows, two_sets
from wideberth.safe_text import visible

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

    Only texts, numbers, None, lists and dicts. An object that is not of its kind is shown by its
    repr.

    Examples
    --------
    >>> drawing("tea", "strings")
    {'type': 'text', 'spans': [['same', 'tea']], 'alt': 'tea'}
    >>> drawing([0.0, 1.0, 0.5], "series")["channels"]
    [[0.0, 1.0, 0.5]]
    """
    accepted = kind.accepts if isinstance(kind, Metric) else kind
    # of `Wasserstein1D`, which measures histograms otherwise
    samples = getattr(kind, "of", None) == "samples"
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


# ---- What is different between two objects: edits of strings, columns of rows, elements of sets.

# ---- Two sequences with the edits between them marked: an optimal alignment, as few edits as the
# distance says

Span = list[str]  # [style, text]

#: Most characters of a text, and most tokens, that are aligned: what follows is not compared.
MOST_ALIGNED = 1000
#: Most characters that are shown, and how many of an unchanged part stay at each side of an edit.
_MOST_SHOWN, _CONTEXT = 400, 24
#: Texts with at least this many words are compared by words.
_WORDS = 4
_WORD = re.compile(r"\s+|\w+|[^\w\s]")


def marked_edits(left: Any, right: Any) -> dict[str, Any]:
    """Show how one text, or sequence of tokens, becomes another: what is removed and what is added,
    in their places.

    The spans "same" and "removed" give the left text, the spans "same" and "added" the right one,
    in visible characters. Where one of removed and added characters follows the other, the longer
    one counts the edits, and all edits together are Levenshtein's distance: an alignment with fewer
    could not be one of these. Texts of four words or more are aligned by words.

    The drawing: ``{"type": "text", "spans": [[style, text], ...], "edits": int or None, "unit":
    "edit" or "word", "alt": ...}`` with the styles "same", "removed" and "added"; "edits" is None
    if only the beginnings were compared.

    Examples
    --------
    >>> marked_edits("garten", "garden")["spans"]
    [['same', 'gar'], ['removed', 't'], ['added', 'd'], ['same', 'en']]
    >>> marked_edits("one cup of tea", "one cup of green tea")["spans"]
    [['same', 'one cup of '], ['added', 'green '], ['same', 'tea']]
    """
    whole = max(len(left), len(right)) <= MOST_ALIGNED
    left, right = left[:MOST_ALIGNED], right[:MOST_ALIGNED]
    by_words = all(isinstance(side, str) and len(side.split()) >= _WORDS for side in (left, right))
    lefts, rights = _tokens(left, by_words), _tokens(right, by_words)
    between = "" if isinstance(left, str | bytes) else " "
    edits, spans = 0, []
    for operation in Levenshtein.opcodes(lefts, rights):
        gone = lefts[operation.src_start : operation.src_end]
        come = rights[operation.dest_start : operation.dest_end]
        if operation.tag == "equal":
            spans.append(["same", _joined(gone, between)])
            continue
        edits += _word_count(gone, come) if by_words else max(len(gone), len(come))
        spans += [
            [style, _joined(part, between)]
            for style, part in (("removed", gone), ("added", come))
            if part
        ]
    spans = _short(_merged(spans))
    unit = "word" if by_words else "edit"
    counted = (
        f"{edits:,} {unit}{'' if edits == 1 else 's'}" if whole else "compared at their beginnings"
    )
    return {
        "type": "text",
        "spans": [[style, text] for style, text in spans],
        "edits": edits if whole else None,
        "unit": unit,
        "alt": f"{counted}: {_spoken(spans)}",
    }


def _tokens(sequence: Any, by_words: bool) -> Sequence[Any]:
    """What is aligned: characters, words and what stands between them, or tokens."""
    if isinstance(sequence, bytes):
        return sequence.decode("latin-1")
    if isinstance(sequence, str):
        return _WORD.findall(sequence) if by_words else sequence
    return list(sequence)


def _word_count(gone: Sequence[Any], come: Sequence[Any]) -> int:
    """How many words a change removes or adds; white space between them is none."""
    return max(sum(not token.isspace() for token in part) for part in (gone, come))


def _joined(tokens: Sequence[Any], between: str) -> str:
    return "".join(
        f"{visible(token) if isinstance(token, str) else in_words(token, 24)}{between}"
        for token in tokens
    )


def _merged(spans: list[Span]) -> list[Span]:
    """Between two equal parts, first everything that is removed, then everything that is added."""
    merged: list[Span] = []
    changes = {"removed": "", "added": ""}

    def write_changes() -> None:
        merged.extend([style, text] for style, text in changes.items() if text)
        changes.update(removed="", added="")

    for style, text in spans:
        if style == "same":
            write_changes()
            merged.append([style, text])
        else:
            changes[style] += text
    write_changes()
    return merged


def _short(spans: list[Span]) -> list[Span]:
    """The spans, if they are long together without the middles of equal parts, and only as many as
    there is room for.
    """
    if sum(len(text) for _, text in spans) <= _MOST_SHOWN:
        return spans
    short: list[Span] = []
    room = _MOST_SHOWN
    for place, (style, text) in enumerate(spans):
        shown = (
            _without_middle(text, place > 0, place + 1 < len(spans)) if style == "same" else text
        )
        short.append([style, shown if len(shown) <= room else f"{shown[:room]}…"])
        room -= len(shown)
        if room <= 0:
            break
    return short


def _without_middle(text: str, follows: bool, goes_on: bool) -> str:
    start, end = text[: _CONTEXT * follows], text[max(0, len(text) - _CONTEXT) :] if goes_on else ""
    return text if len(text) <= len(start) + len(end) + 1 else f"{start}…{end}"


def _spoken(spans: list[Span]) -> str:
    """The changes in words, for readers who do not see colours."""
    changes = [f"{style} {text.strip() or 'space'!r}" for style, text in spans if style != "same"]
    return (
        ", ".join(changes[:4]) + (", ..." if len(changes) > 4 else "")
        if changes
        else "no difference"
    )


def difference(left: Any, right: Any, kind: Kind | Metric) -> dict[str, Any] | None:
    """Describe what is different between two objects, as plain data of a few kilobytes.

    For strings `marked_edits`; for rows `wideberth.report.drawings.tables_drawn.two_rows`; for sets
    their common elements and the others. None for other kinds, whose drawings are to be shown side
    by side.

    Examples
    --------
    >>> difference("tea", "tee", "strings")["spans"]
    [['same', 'te'], ['removed', 'a'], ['added', 'e']]
    >>> difference([1.0], [2.0], "series") is None
    True
    """
    accepted = kind.accepts if isinstance(kind, Metric) else kind
    strings = isinstance(left, str) and isinstance(right, str)
    try:
        if accepted == "strings" or (accepted == "objects" and strings):
            return marked_edits(left, right)
        if accepted == "rows" or (isinstance(left, Mapping) and accepted == "sets"):
            return two_rows(left, right)
        return two_sets(left, right) if accepted == "sets" else None
    except Exception:  # odd objects are shown side by side
        return None
