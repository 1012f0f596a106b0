"""What was learned, in plain words: the method, from how many objects of which classes, under which distance."""

from typing import Any

import numpy as np

from wideberth.estimators.summary_phrases import counted
from wideberth.metrics.metric import Metric
from wideberth.metrics.precomputed import DistanceRows, Precomputed
from wideberth.report.facts.given import GivenObjects
from wideberth.report.safe_text import safe_name


def learned_facts(given: GivenObjects) -> dict[str, Any]:
    """The method, the distance, the classes and their sizes, and sentences that say so.

    Parameters
    ----------
    given : GivenObjects
        The model and the objects.

    Returns
    -------
    dict
        ``method``, ``rule``, ``metric``, ``unit``, ``n_learned``, ``classes`` (name, size), ``summary`` (the model's own words).
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
        "classes": [{"name": name, "size": size} for name, size in zip(given.class_names, sizes.tolist(), strict=True)],
        "summary": given.classifier.summary().splitlines(),
    }


def distance_in_words(metric: Metric) -> str:
    """What a distance is called.

    Examples
    --------
    >>> import wideberth
    >>> distance_in_words(wideberth.metric("levenshtein")), distance_in_words(wideberth.metric("euclidean"))
    ('levenshtein distance (1 is one edit)', 'euclidean distance')
    """
    if isinstance(metric, Precomputed | DistanceRows):
        return "given distance"
    named = f"{safe_name(metric.name)} distance"
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
