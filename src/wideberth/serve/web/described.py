"""What a server tells about its model: what it is, how objects are written, what is proved, and what is missing and why."""

import json
from dataclasses import asdict
from typing import Any

import wideberth
from wideberth.io.saved_classifier import options_for
from wideberth.metrics.promises import promise_names
from wideberth.serve.answers.asked_objects import MEDIA_TYPES
from wideberth.serve.example_object import example_value
from wideberth.serve.served_model import RadiusMeasure, ServedModel


def described_model(served: ServedModel) -> dict[str, Any]:
    """The facts about a model that GET /model tells; nothing of its objects.

    Parameters
    ----------
    served : ServedModel
        The model.

    Returns
    -------
    dict
        Values that JSON holds.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> from wideberth.serve.limits import Limits
    >>> from wideberth.serve.served_model import served_model
    >>> model = NeighborsClassifier("levenshtein").fit(["tea", "tee", "rum", "rom"], ["soft", "soft", "hard", "hard"])
    >>> told = described_model(served_model(model, calibration=None, delta=0.05, unit=None, witnesses=False, limits=Limits()))
    >>> told["model"], told["classes"], told["objects"]["example"]
    ('NeighborsClassifier', ['hard', 'soft'], 'example')
    """
    model, limits = served.saved.model, served.limits
    return {
        "model": type(model).__name__,
        "summary": model.summary(),
        "learned_from": model.n_learned,
        "classes": model.classes_.tolist(),
        "metric": _metric(model.metric_),
        "objects": _objects(served),
        "radius": None if served.radius is None else _radius(served.radius),
        "prediction_set": None if served.sets is None else _sets(served),
        "novelty": None if served.novelty is None else _novelty(served),
        "witnesses": served.shows_objects,
        "change": "change" not in served.missing,
        "certificates": [json.loads(found.to_json()) for found in served.certificates],
        "missing": served.missing,
        "limits": asdict(limits),
        "versions": {"server": wideberth.__version__, "model": dict(served.saved.provenance.versions)},
    }


def _metric(metric: Any) -> dict[str, Any]:
    """The name of a metric and what it promises."""
    return {"name": metric.name, "unit": metric.unit} | {name: getattr(metric, name) for name in promise_names()}


def _objects(served: ServedModel) -> dict[str, Any]:
    """How objects are written."""
    options = options_for(served.saved, "body.jsonl")
    column = options.get("column")
    return {
        "kind": options["kind"],
        "columns": [column] if isinstance(column, str) else list(column or []),
        "numbers": list(options.get("numbers") or []),
        "example": example_value(served.saved),
        "bodies": list(MEDIA_TYPES),
    }


def _radius(measure: RadiusMeasure) -> dict[str, Any]:
    """What a radius says."""
    meaning = "No object strictly closer than the value gets another label."
    if measure.whole:
        meaning += f" 'safe' is the number of {measure.name}s, any of them, that cannot change the label."
    return {"unit": measure.name, "whole": measure.whole, "meaning": meaning}


def _sets(served: ServedModel) -> dict[str, Any]:
    """What is proved about prediction sets."""
    assert served.sets is not None
    return {
        "delta": served.delta,
        "calibration_objects": len(served.sets.scores),
        "meaning": f"The label of a new object is in its set with probability {1 - served.delta:.10g} or more.",
        "assumptions": list(served.sets.assumptions),
    }


def _novelty(served: ServedModel) -> dict[str, Any]:
    """What is proved about novelty."""
    assert served.novelty is not None
    return {
        "delta": served.delta,
        "calibration_objects": len(served.novelty.own),
        "meaning": f"An object that is drawn like these is called novel with probability {served.delta:.10g} or less.",
        "assumptions": list(served.novelty.assumptions),
    }
