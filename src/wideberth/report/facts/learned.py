"""What was learned, in plain words: the method, from how many objects of which classes, under which
distance, and what the doctor says of that distance.
"""

from math import isqrt
from typing import Any

import numpy as np

from wideberth.array_types import Indices, Objects
from wideberth.cards.values import duration
from wideberth.choice.rules import shown_median
from wideberth.classifiers.named import titled
from wideberth.doctor.diagnosis import Diagnosis, diagnose
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.model_facts import counted
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import spoken_name
from wideberth.metrics.precomputed import DistanceRows, Precomputed
from wideberth.report.facts.given import SECONDS, GivenObjects, stratified
from wideberth.safe_text import safe_name


def learned_facts(given: GivenObjects) -> dict[str, Any]:
    """The method, the distance, the classes and their sizes, and sentences that say so.

    ``method``, ``rule``, ``metric``, ``unit``, ``n_learned``, ``classes`` (name, size), ``summary``
    (the model's own words).
    """
    single, learned = given.single, given.classifier.n_learned
    sizes = np.bincount(given.labels.codes, minlength=len(given.labels.classes))
    return {
        "method": type(single).__name__,
        "chosen_by": type(given.model).__name__ if given.model is not single else None,
        "automatic": given.classifier.comparison() is not None,
        "rule": f"An object gets {single.decides_by}.",
        "metric": distance_in_words(given.metric),
        "unit": given.metric.unit,
        "kind": given.metric.accepts,
        "n_learned": learned,
        "n_given": len(given),
        "n_known_classes": len(given.classifier.classes_),
        "classes": [
            {"name": name, "size": size}
            for name, size in zip(given.class_names, sizes.tolist(), strict=True)
        ],
        "summary": given.classifier.summary().splitlines(),
    }


def distance_in_words(metric: Metric) -> str:
    """What a distance is called.

    Examples
    --------
    >>> import wideberth
    >>> (
    ...     distance_in_words(wideberth.metric("levenshtein")),
    ...     distance_in_words(wideberth.metric("euclidean")),
    ... )
    ('levenshtein distance (1 is one edit)', 'euclidean distance')
    """
    if isinstance(metric, Precomputed | DistanceRows):
        return "given distance"
    named = f"{safe_name(spoken_name(metric))} distance"
    return named if metric.unit is None else f"{named} (1 is one {safe_name(metric.unit)})"


def sizes_in_words(facts: dict[str, Any], most: int = 4) -> str:
    """The classes, the largest first, with their sizes.

    Examples
    --------
    >>> sizes_in_words({"classes": [{"name": "soft", "size": 2}, {"name": "hard", "size": 3}]})
    '3 labelled hard, 2 labelled soft'
    """
    ordered = sorted(facts["classes"], key=lambda each: (-each["size"], each["name"]))
    named = ", ".join(f"{each['size']:,} labelled {each['name']}" for each in ordered[:most])
    rest = len(ordered) - most
    return f"{named} and {counted(rest, 'other class', 'other classes')}" if rest > 0 else named


# ---- What an automatic choice compared, and why it took what it took

_COLUMNS = (
    "metric",
    "family",
    "error",
    "standard_error",
    "certified",
    "fit_seconds",
    "answer_microseconds",
    "objects_kept",
)


def leaderboard_facts(given: GivenObjects) -> dict[str, Any]:
    """The table of the choice, the winner first, with the words of the model about it.

    ``rows``, ``choice``, ``expected_error``; a ``reason`` if nothing was chosen.
    """
    comparison = given.classifier.comparison()
    if comparison is None:
        return {
            "reason": "The method was given: nothing else was compared with it. "
            "wideberth.AutoClassifier compares them all."
        }
    if not comparison.rows:
        return {"reason": comparison.in_words}
    rows = [
        {name: row[name] for name in _COLUMNS}
        | {
            "family": titled(row["family"]),
            "why": row["why"],
            "safe": shown_median(row["median_radius"], row["radius_unit"]),
            "an_answer": duration(None if micros is None else micros / 1e6),
        }
        for row in comparison.rows
        for micros in [row["answer_microseconds"]]
    ]
    return {
        "rows": rows,
        "choice": comparison.in_words,
        "expected_error": comparison.expected_error,
    }


# ---- How the risk depends on the setting that was chosen: the separation of margin neighbours, or
# the price C of errors

#: The most points of a curve, and the most curves.
_POINTS, _CURVES = 200, 6


def settings_facts(given: GivenObjects) -> dict[str, Any]:
    """The risk at each setting that was compared, and the setting that was taken.

    ``setting`` and ``risk``: what the axes mean; ``curves``: a name, the settings and the risks of
    each; ``taken``; a ``reason`` if no setting was compared.
    """
    single, searched = given.single, given.classifier
    if hasattr(single, "risk_curve_") and len(single.risk_curve_) > 1:
        return _by_separation(single)
    if hasattr(searched, "cv_results_"):
        return _by_price(searched)
    if searched.comparison() is not None:
        return {
            "reason": "Each method was compared with its best settings; those of the winner are in "
            "its own words below."
        }
    return {"reason": "The settings of the method were given: no others were compared."}


def _by_separation(model: MetricClassifier) -> dict[str, Any]:
    curve = model.risk_curve_
    places = np.unique(np.linspace(0, len(curve) - 1, min(_POINTS, len(curve))).astype(int))
    risk = {
        "holdout": "error on objects set aside",
        "compression": "bound on the error",
        "theory": "bound on the error",
    }.get(str(model.separation), "share of objects removed")
    return {
        "setting": "separation between classes",
        "unit": model.metric_.unit,
        "risk": risk,
        "log": False,
        "curves": [
            {"name": "", "settings": curve.separations[places], "risks": curve.risks[places]}
        ],
        "taken": model.separation_,
    }


def _by_price(model: MetricClassifier) -> dict[str, Any]:
    table = model.cv_results_
    others = [
        {name: value for name, value in candidate.items() if name != "C"}
        for candidate in table["params"]
    ]
    named = np.array(
        [", ".join(f"{name} {_short(value)}" for name, value in each.items()) for each in others]
    )
    prices = np.array([float(candidate["C"]) for candidate in table["params"]])
    risks, best = 1.0 - np.asarray(table["mean_test_score"], dtype=float), model.best_index_
    least = {name: np.nanmin(risks[named == name]) for name in dict.fromkeys(named.tolist())}
    curves = []
    for name in sorted(least, key=lambda each: (each != named[best], least[each]))[:_CURVES]:
        own = np.flatnonzero(named == name)
        own = own[np.argsort(prices[own], kind="stable")]
        curves.append({"name": name, "settings": prices[own], "risks": risks[own]})
    scoring = getattr(model, "scoring", None)
    return {
        "setting": "C, the price of an error",
        "unit": None,
        "risk": "error on folds left out"
        if scoring in (None, "accuracy")
        else "1 - score on folds left out",
        "log": True,
        "curves": curves,
        "taken": prices[best],
    }


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


# ---- What the doctor says of the distance on these objects.

#: The fewest and the most objects that are examined; the time grows with the cube.
_FEWEST, _MOST = 30, 250
#: The most letters of a text that is examined.
_LONGEST = 20_000


def doctor_facts(given: GivenObjects, *, show_objects: bool) -> dict[str, Any]:
    """Whether the distance is a metric on these objects, which methods are valid on it, and what is
    unusual.
    """
    if given.is_matrix:
        if given.distances is None:
            return {"reason": "The data hold no distances among these objects."}
        places = stratified(given.labels.codes[given.compared], _MOST)
        objects: Objects = given.distances[np.ix_(places, places)]
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
