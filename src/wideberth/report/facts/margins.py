"""By how much the right label leads, class by class: a histogram of the margins."""

from typing import Any

import numpy as np

from wideberth.report.facts.given import GivenObjects
from wideberth.report.facts.judged import Judged

#: How many bars there are, and the share of the leads on either side that is drawn in the last bars.
_BARS, _TAIL = 30, 0.005
#: The most classes that get bars of their own; the largest.
_MOST_CLASSES = 10


def margin_facts(given: GivenObjects, judged: Judged) -> dict[str, Any]:
    """How many objects of each class have which lead of their label over the best other one.

    Parameters
    ----------
    given : GivenObjects
        The model and the objects.
    judged : Judged
        Honest answers.

    Returns
    -------
    dict
        ``edges`` of the bars; ``counts``: for each shown class its counts; ``below`` and ``ties``: how many leads are
        negative, so that the label is wrong, and how many are 0; a ``reason`` if there are none.
    """
    leads = judged.leads(given)
    known = np.isfinite(leads)
    if judged.how == "own" or not known.any():
        return {"reason": "There are no scores of models that have not seen the objects."}
    low, high = np.quantile(leads[known], [_TAIL, 1 - _TAIL])
    low, high = min(low, 0.0), max(high, 0.0)
    if low == high:
        return {"reason": "All labels have the same score everywhere: no label leads."}
    edges = _edges_through_zero(low, high)
    inside = np.clip(leads[known], edges[0], edges[-1])
    codes = given.labels.codes[judged.places][known]
    shown = np.argsort(-np.bincount(codes, minlength=len(given.labels.classes)), kind="stable")[:_MOST_CLASSES]
    return {
        "edges": edges,
        "counts": [[int(code), np.histogram(inside[codes == code], edges)[0]] for code in shown if (codes == code).any()],
        "ties": int((leads[known] == 0).sum()),
        "below": int((leads[known] < 0).sum()),
        "n": int(known.sum()),
        "all_classes": len(shown) == len(given.labels.classes),
    }


def _edges_through_zero(low: float, high: float) -> Any:
    """Edges of bars of equal width, one of them at 0: no bar holds right and wrong answers."""
    width = (high - low) / _BARS
    return width * np.arange(np.floor(low / width), np.ceil(high / width) + 1)
