"""Objects that are worth a look: typical ones, doubtful ones, likely wrong labels with their
enemies, and novel ones.
"""

from typing import Any

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.errors import InvalidInput
from wideberth.insight.novelty import novelty
from wideberth.insight.prototypes import prototypes
from wideberth.report.facts.errors import Judged
from wideberth.report.facts.given import GivenObjects

#: How many objects each list holds; of typical ones, for each class and in all.
LISTED, _TYPICAL, _ALL_TYPICAL = 30, 3, 60
#: The neighbour whose distance says how lonely an object is, and the share of all objects that may
#: be called novel by mistake.
_NEIGHBOR, _DELTA = 5, 0.05


def notable_facts(given: GivenObjects, judged: Judged) -> dict[str, Any]:
    """Positions of notable objects, the most notable first: ``mislabelled``, ``n_mislabelled``;
    ``doubtful``; ``typical``, with how many objects each stands for; ``novel``, with a p-value
    each; where there is none, a ``reason`` under the same name.
    """
    return {
        "mislabelled": _mislabelled(given, judged),
        "doubtful": _doubtful(given, judged),
        "typical": _typical(given),
        "novel": _novel(given),
    }


def _mislabelled(given: GivenObjects, judged: Judged) -> dict[str, Any]:
    """Objects whose label another one clearly beats, by models that have not seen them."""
    if judged.how == "own":
        return {"reason": "Nobody has answered for these objects without having seen them."}
    issues = np.flatnonzero(judged.labels.issue)
    worst = issues[np.lexsort([_nearness(given, judged)[issues], judged.labels.quality[issues]])]
    return {
        "index": judged.places[worst[:LISTED]],
        "quality": judged.labels.quality[worst[:LISTED]],
        "rather": judged.labels.alternatives[worst[:LISTED]],
        "n": len(issues),
        "judged": len(judged.places),
    }


def _nearness(given: GivenObjects, judged: Judged) -> Floats:
    """How near the other label is, beside how near the given one is, for equally probable labels; 1
    where that is not known.
    """
    found = np.ones(len(judged.places))
    if given.distances is None:
        return found
    where = np.searchsorted(given.compared, judged.places)
    known = np.flatnonzero(
        given.compared[np.minimum(where, len(given.compared) - 1)] == judged.places
    )
    rows = given.distances[where[known]].copy()
    rows[np.arange(len(known)), where[known]] = np.inf
    codes = given.labels.codes[given.compared]
    to_given = _to_label(rows, codes, given.labels.codes[judged.places[known]])
    to_other = _to_label(rows, codes, judged.labels.alternatives[known])
    with np.errstate(invalid="ignore"):
        found[known] = np.nan_to_num((1.0 + to_other) / (1.0 + to_given), nan=1.0)
    return found


def _to_label(rows: Floats, codes: Indices, wanted: Indices) -> Floats:
    """The distance from each row to the nearest column with its wanted label; infinite if there is
    none.
    """
    nearest = np.full(len(rows), np.inf)
    for code in np.unique(wanted):
        own = wanted == code
        if (codes == code).any():
            nearest[own] = rows[np.ix_(own, codes == code)].min(axis=1)
    return nearest


def _doubtful(given: GivenObjects, judged: Judged) -> dict[str, Any]:
    """Objects nearest to the border: the smallest leads of the winning label over the next, right
    or wrong.
    """
    if judged.how == "own":
        return {"reason": "Nobody has answered for these objects without having seen them."}
    ranked = np.sort(judged.scores, axis=1)
    leads = ranked[:, -1] - ranked[:, -2] if ranked.shape[1] > 1 else np.full(len(ranked), np.inf)
    known = np.flatnonzero(np.isfinite(leads))
    closest = known[np.argsort(leads[known], kind="stable")[:LISTED]]
    return {"index": judged.places[closest], "lead": leads[closest]}


def _typical(given: GivenObjects) -> dict[str, Any]:
    """The medoids of each class."""
    if given.distances is None:
        return {"reason": "The data hold no distances among these objects."}
    labels, k = given.labels.codes[given.compared], len(given.labels.classes)
    each = max(1, min(_TYPICAL, _ALL_TYPICAL // k))
    sizes = np.bincount(labels, minlength=k)
    few = min(each, int(sizes[sizes > 0].min())) if len(sizes) else each
    symmetric = (given.distances + given.distances.T) / 2
    found = prototypes(symmetric, "precomputed", k=max(1, few), y=labels, verbose=-1)
    order = np.argsort(labels[found.indices], kind="stable")[:_ALL_TYPICAL]
    return {"index": given.compared[found.indices[order]], "stands_for": found.sizes[order]}


def _novel(given: GivenObjects) -> dict[str, Any]:
    """Objects far from all others: new ones from the training objects, training objects from each
    other.
    """
    if given.is_new:
        try:
            test = novelty(given.model, given.X, _DELTA, n_neighbors=_NEIGHBOR, verbose=-1)
        except InvalidInput:  # the model does not keep its training objects
            pass
        else:
            return _listed(np.arange(len(given)), test.p_values, test.distances) | {
                "among": "the training objects"
            }
    if given.distances is None or len(given.distances) < 3:
        return {"reason": "The data hold no distances among these objects."}
    k = min(_NEIGHBOR, len(given.distances) - 1)
    symmetric = (given.distances + given.distances.T) / 2
    np.fill_diagonal(symmetric, np.inf)
    lonely = np.partition(symmetric, k - 1, axis=1)[:, k - 1]
    ordered = np.sort(lonely)
    p_values = (len(lonely) - np.searchsorted(ordered, lonely, side="left")) / len(lonely)
    return _listed(given.compared, p_values, lonely) | {"among": "each other"}


def _listed(places: Indices, p_values: Floats, distances: Floats) -> dict[str, Any]:
    order = np.lexsort([-distances, p_values])[:LISTED]
    far = order[p_values[order] <= _DELTA]
    return {
        "index": places[far],
        "p_value": p_values[far],
        "distance": distances[far],
        "n": int((p_values <= _DELTA).sum()),
        "delta": _DELTA,
        "neighbor": _NEIGHBOR,
    }
