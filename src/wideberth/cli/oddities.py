"""What is odd about new objects beside those that a model learned from: case, characters, the scale
of their distances.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from wideberth.array_types import Indices
from wideberth.io.model_file.provenance import MOST_CHARACTERS
from wideberth.io.model_file.read import SavedModel
from wideberth.objects import sample

#: Objects whose distances are looked at.
_SOME = 30
#: The share of new objects from which on unknown characters are mentioned.
_LEAST_SHARE = 0.05
#: New objects are far away if their median distance to training objects is so many times that
#: between training objects, and close together if that between them is so small a part of it.
_FAR, _CLOSE = 4.0, 0.1
#: So many new objects are needed to say that they are close together.
_ENOUGH = 10


def characters_of(objects: Any) -> str | None:
    """All characters in strings, sorted; None if there are too many to be an alphabet.

    Examples
    --------
    >>> characters_of(["GATE", "TAG"])
    'AEGT'
    """
    found = "".join(sorted(set().union(*objects)))
    return found if len(found) <= MOST_CHARACTERS else None


def spread_of(prepared: Any, metric: Any) -> float | None:
    """The median distance between two of the objects, some of which are measured; None if that is 0
    or there are too few.

    Examples
    --------
    >>> import wideberth
    >>> spread_of(np.array([[0.0], [1.0], [3.0]]), wideberth.metric("euclidean"))
    2.0
    """
    some = _some_of(prepared)
    distances = np.asarray(metric.block(some, some))
    between = distances[~np.eye(len(distances), dtype=bool)]
    median = float(np.median(between)) if len(between) else 0.0
    return median if 0 < median < np.inf else None


def oddities(saved: SavedModel, objects: Any) -> Iterator[str]:
    """Describe what is odd about new objects, each in a sentence or two with the numbers; without
    notes on the training objects nothing is.
    """
    if saved.notes is None or not sample.count(sample.hold(objects)):
        return
    if saved.notes.characters is not None and all(isinstance(item, str) for item in objects):
        yield from _odd_characters(list(objects), saved.notes.characters)
    if saved.notes.spread is not None:
        yield from _odd_scale(saved.model, objects, saved.notes.spread)


def _odd_characters(texts: list[str], known: str) -> Iterator[str]:
    """Another case, or characters that no training object has."""
    for here, there, has, lacks in (
        ("lower", "upper", str.islower, str.isupper),
        ("upper", "lower", str.isupper, str.islower),
    ):
        other = sum(any(has(letter) for letter in text) for text in texts)
        if other > len(texts) / 2 and any(map(lacks, known)) and not any(map(has, known)):
            yield (
                f"{other:,} of {len(texts):,} objects have letters in {here} case, and all "
                f"training objects are in {there} case: each such letter counts as another one. "
                f"Write them in {there} case first, if that is not meant."
            )
            return
    strange = [set(text) - set(known) for text in texts]
    n_strange = sum(map(bool, strange))
    if n_strange >= max(1.0, _LEAST_SHARE * len(texts)):
        letters = sorted(set().union(*strange))
        shown = ", ".join(map(repr, letters[:8])) + (
            f" and {len(letters) - 8} more" if len(letters) > 8 else ""
        )
        yield (
            f"{n_strange:,} of {len(texts):,} objects have characters that no training object has: "
            f"{shown}."
        )


def _odd_scale(model: Any, objects: Any, spread: float) -> Iterator[str]:
    """Distances of another size: often other units."""
    prepared, kept = model.admit_queries(objects), model.kept()
    if kept is None:
        return
    some = _some_of(prepared)
    far = float(np.median(model.metric_.block(some, _some_of(kept.objects))))
    advice = "Are they measured in the same units, and prepared in the same way?"
    if far > _FAR * spread:
        yield (
            f"the new objects are {far:.3g} away from training objects (in the median), and these "
            f"{spread:.3g} from each other. {advice}"
        )
    elif model.metric_.accepts != "indices" and sample.count(some) >= _ENOUGH:
        close = spread_of(prepared, model.metric_)
        if close is not None and close < _CLOSE * spread:
            yield (
                f"the new objects are {close:.3g} away from each other (in the median), and "
                f"training objects {spread:.3g}. {advice}"
            )


def evenly(n: int) -> Indices:
    """The positions of some of n objects, evenly spaced.

    Examples
    --------
    >>> evenly(3), len(evenly(1000))
    (array([0, 1, 2]), 30)
    """
    return np.unique(np.linspace(0, n - 1, min(n, _SOME), dtype=np.intp))


def _some_of(prepared: Any) -> Any:
    """Some of the objects of a prepared sample."""
    return sample.pick(prepared, evenly(sample.count(prepared)))
