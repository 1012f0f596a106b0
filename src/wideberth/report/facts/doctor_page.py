"""What the doctor says of the distance on these objects."""

from math import isqrt
from typing import Any

import numpy as np

from wideberth.array_types import Indices
from wideberth.doctor.diagnosis import Diagnosis, diagnose
from wideberth.report.facts.given import SECONDS, GivenObjects, stratified

#: The fewest and the most objects that are examined; the time grows with the cube.
_FEWEST, _MOST = 30, 250
#: The most letters of a text that is examined.
_LONGEST = 20_000


def doctor_facts(given: GivenObjects, *, show_objects: bool) -> dict[str, Any]:
    """Whether the distance is a metric on these objects, which methods are valid on it, and what is
    unusual.

    Parameters
    ----------
    given : GivenObjects
        The model and the objects.
    show_objects : bool
        Whether to show objects that take part in a violation.

    Returns
    -------
    dict
        The verdict, facts and sentences of the diagnosis; a ``reason`` if there is none.
    """
    if given.is_matrix:
        if given.distances is None:
            return {"reason": "The data hold no distances among these objects."}
        places = stratified(given.labels.codes[given.compared], _MOST)
        objects: Any = given.distances[np.ix_(places, places)]
        metric: Any = "precomputed"
        places = given.compared[places]
    else:
        short = _short_enough(given)
        places = short[
            stratified(
                given.labels.codes[short],
                min(_MOST, max(isqrt(given.affordable(1.0, SECONDS / 2)), _FEWEST)),
            )
        ]
        objects, metric = given.some(places), given.metric
    if len(places) < 3:
        return {"reason": "Three objects are needed to examine a distance."}
    labels = given.labels.classes[given.labels.codes[places]]
    return _in_plain_data(
        diagnose(objects, metric, labels, verbose=-1), given, places, show_objects
    )


def _short_enough(given: GivenObjects) -> Indices:
    """Positions of objects that can be measured against themselves, as the doctor does: not texts
    of a million letters.
    """
    if given.metric.accepts != "strings":
        return np.arange(len(given))
    return np.array(
        [place for place in range(len(given)) if len(given.held[place]) <= _LONGEST], dtype=np.intp
    )


def _in_plain_data(
    found: Diagnosis, given: GivenObjects, places: Any, show_objects: bool
) -> dict[str, Any]:
    spread, hubs, labels = found.spread, found.hubs, found.labels
    rows = places.tolist()
    return {
        "is_metric": found.is_metric,
        "examined": len(rows),
        "n": len(given),
        "triangles": found.triangles_tried,
        "violations": [
            {
                "axiom": each.axiom,
                "share": each.share,
                "rows": [given.row(rows[place]) for place in dict.fromkeys(each.objects)]
                if show_objects
                else [],
                "values": list(each.values),
            }
            for each in found.violations
        ],
        "hilbert": [{"promise": fact.promise, "holds": fact.holds} for fact in found.spectrum],
        "spread": None
        if spread is None
        else {
            "smallest": spread.smallest,
            "lower": spread.lower_quartile,
            "median": spread.median,
            "upper": spread.upper_quartile,
            "largest": spread.largest,
            "zero_pairs": spread.zero_pairs,
        },
        "hubs": None
        if hubs is None
        else {
            "row": rows[hubs.most_popular],
            "most": hubs.most,
            "k": hubs.k,
            "orphans": hubs.orphans,
            "skewness": hubs.skewness,
        },
        "nearest_error": None if labels is None else labels.nearest_error,
        "conflicts": []
        if labels is None
        else [[rows[place] for place in each.objects] for each in labels.first_conflicts],
        "n_conflicts": 0 if labels is None else labels.conflicts,
        "methods": [
            {
                "method": each.method,
                "valid": each.valid,
                "missing": list(each.missing),
                "without": each.without,
            }
            for each in found.methods
        ],
        "repairs": [{"name": each.name, "detail": each.detail} for each in found.repairs],
    }
