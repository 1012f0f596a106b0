"""What is different between two objects: edits of strings, columns of rows, elements of sets."""

from collections.abc import Mapping
from typing import Any

from wideberth.metrics.metric import Kind, Metric
from wideberth.report.drawings.edits_marked import marked_edits
from wideberth.report.drawings.tables_drawn import two_rows, two_sets


def difference(left: Any, right: Any, kind: Kind | Metric) -> dict[str, Any] | None:
    """Describe what is different between two objects, as plain data of a few kilobytes.

    Parameters
    ----------
    left, right : object
        Two objects of one kind.
    kind : str or Metric
        Their kind, or the metric that measures them.

    Returns
    -------
    dict or None
        For strings, `wideberth.report.drawings.edits_marked.marked_edits`; for rows,
        `wideberth.report.drawings.tables_drawn.two_rows`; for sets, their common elements and the others. None for other kinds,
        whose drawings are to be shown side by side.

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
