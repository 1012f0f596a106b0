"""Which classes are taken for which others, and by which objects."""

from typing import Any

import numpy as np

from wideberth.report.facts.given import GivenObjects
from wideberth.report.facts.judged import Judged

#: How many objects of a cell are listed, and the most cells of a table.
_LISTED, _MOST_CELLS = 30, 1000


def confusion_facts(given: GivenObjects, judged: Judged) -> dict[str, Any]:
    """For each label in the data and each label told, how many objects, and the first of them, the most doubtful first.

    Parameters
    ----------
    given : GivenObjects
        The model and the objects.
    judged : Judged
        Honest answers.

    Returns
    -------
    dict
        ``cells``: [true, told, count, [positions]] for every pair that occurs, the most frequent first; ``n``; a ``reason`` if no
        answer is honest.
    """
    if judged.how == "own":
        return {"reason": "Nobody has answered for these objects without having seen them."}
    own, k = given.labels.codes[judged.places], len(given.labels.classes)
    order = np.argsort(np.nan_to_num(judged.labels.quality, nan=1.0), kind="stable")
    pairs = own * k + judged.told
    found, counts = np.unique(pairs, return_counts=True)
    largest = np.argsort(-counts, kind="stable")[:_MOST_CELLS]
    cells = []
    for pair, count in zip(found[largest].tolist(), counts[largest].tolist(), strict=True):
        listed = judged.places[order[pairs[order] == pair][:_LISTED]]
        cells.append([pair // k, pair % k, count, listed.tolist()])
    return {"cells": cells, "n": len(own), "left_out": len(found) - len(cells)}
