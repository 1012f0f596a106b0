"""Whether what was learned is worth anything: equal objects, and a model that is no better than guessing."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from wideberth.io.readers import Records
from wideberth.objects import sample
from wideberth.objects.sample import shown

#: So many objects are needed to say that a model is no better than guessing.
_ENOUGH = 10


def doubts(model: Any, records: Records, training_error: float | None) -> Iterator[str]:
    """Say in a sentence or two why a fitted model should not be relied on.

    Parameters
    ----------
    model : classifier
        Just fitted.
    records : Records
        The training objects and their labels.
    training_error : float or None
        The share of them that it classifies wrongly, if that is known.

    Yields
    ------
    str
        Nothing about a model that beats the most frequent class.
    """
    labels = records.labels or []
    if all_equal(records.objects):
        yield (
            f"all {len(records):,} objects are equal, and so nothing tells their classes apart: every answer is a guess. Name "
            "other columns of the objects with --column."
        )
        return
    (label, count), *_ = Counter(labels).most_common(1)
    guessing = 1.0 - count / len(labels)
    error, which = _error(model, training_error)
    if error is not None and error >= guessing and len(labels) >= _ENOUGH:
        yield (
            f"the model is no better than guessing: {error:.1%} of the {which} are classified wrongly, and always answering "
            f"{shown(label)} errs on {guessing:.1%}. Check --metric and --column; 'wideberth compare' shows what other models "
            "and metrics reach, and 'wideberth doctor' whether the distance fits."
        )


def all_equal(objects: Any) -> bool:
    """Whether all objects are equal; of a matrix of distances, whether these are all the same.

    Examples
    --------
    >>> all_equal(["tea", "tea"]), all_equal(np.array([[1.0, 2.0], [1.0, 3.0]]))
    (True, False)
    """
    if isinstance(objects, np.ndarray):
        return bool((objects == objects[0]).all())
    held = sample.hold(objects)
    first = sample.pick_one(held, 0)
    return all(_same(sample.pick_one(held, place), first) for place in range(sample.count(held)))


def _same(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other)) if isinstance(one, np.ndarray) else bool(one == other)


def _error(model: Any, training_error: float | None) -> tuple[float | None, str]:
    """The most honest error that the fit has measured, and on which objects."""
    rows = getattr(model, "leaderboard_", None)
    if rows:
        return rows[0]["error"], "objects that were left out"
    tried = getattr(model, "loo_errors_", None) or {}
    left_out = tried.get(getattr(model, "n_neighbors_", None))
    return (training_error, "training objects") if left_out is None else (left_out, "objects, each left out once,")
