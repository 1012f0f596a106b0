"""A model that is ready to be served: with the unit of its radii, what calibrates its statements, why
some are missing, and an object of its kind, made up, for descriptions and to warm it up.
"""

import json
import os
import warnings
from dataclasses import dataclass, field
from typing import Any

from wideberth.certificate import Certificate, check_delta
from wideberth.errors import InvalidInput, MissingExtra, NotCertified, WideberthError
from wideberth.estimators.metric_classifier import MetricClassifier, usual_unit
from wideberth.guarantees.certify import certify
from wideberth.insight.novelty import CalibratedNovelty
from wideberth.insight.prediction_sets import CalibratedSets
from wideberth.io.model_file.provenance import Provenance
from wideberth.io.model_file.read import SavedModel
from wideberth.io.model_file.saved_classifier import classifier_in, options_for
from wideberth.io.readers.reading import read_content
from wideberth.serve.limits import Limits

NEEDS_CALIBRATION = (
    "Objects with labels that are new to the model have to calibrate it: wideberth serve "
    "--calibrate FILE, or create_app(model, calibration=(X, y))."
)
#: Why training objects are not shown.
NOT_SHOWN = (
    "The server was started without --witnesses: it shows nothing of the objects of the model."
)

#: Why there is no change of a linear model: its words and n-grams are pieces of training texts.
NO_FEATURES_SHOWN = (
    "What would change the answer of this model is made of pieces of its training texts. "
    f"{NOT_SHOWN}"
)
#: Kinds of objects whose changes can be tried.
CHANGEABLE = ("strings", "vectors", "series")


@dataclass(frozen=True, eq=False)
class RadiusMeasure:
    """What radii are measured in."""

    unit: str | None
    name: str  # in answers: "edit", or the name of a metric
    whole: bool  # distances are whole numbers, so that a number of changes is safe
    means: str = ""  # what a distance of 1 is, where its name does not say it


@dataclass(frozen=True, eq=False)
class ServedModel:
    """A model with everything that its answers need."""

    saved: SavedModel
    delta: float
    limits: Limits
    shows_objects: bool
    radius: RadiusMeasure | None
    sets: CalibratedSets | None
    novelty: CalibratedNovelty | None
    certificates: tuple[Certificate, ...] = ()
    #: Why fields of answers are missing, by their names.
    missing: dict[str, str] = field(default_factory=dict)


def served_model(
    model: MetricClassifier | SavedModel,
    *,
    calibration: tuple[Any, Any] | None,
    independent: bool = False,
    delta: float,
    unit: str | None,
    witnesses: bool,
    limits: Limits,
) -> ServedModel:
    """Prepare a model for being served.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein").fit(
    ...     ["tea", "tee", "rum", "rom"], ["soft", "soft", "hard", "hard"]
    ... )
    >>> served = served_model(
    ...     model, calibration=None, delta=0.05, unit=None, witnesses=False, limits=Limits()
    ... )
    >>> served.radius.name, sorted(served.missing)
    ('edit', ['certificates', 'prediction_set', 'witnesses'])
    """
    check_delta(delta)
    saved = as_saved(model)
    missing: dict[str, str] = {} if witnesses else {"witnesses": NOT_SHOWN}
    if not hasattr(saved.model, "predict_proba"):
        missing["probability"] = "The model was fitted without calibrate=."
    if not can_be_changed(saved.model):
        missing["change"] = (
            "Changes are searched for between two labels or more, of strings, vectors and series "
            "only."
        )
    # a change names words of the training objects
    elif not witnesses and not saved.model.answering.measures_distances:
        missing["change"] = NO_FEATURES_SHOWN
    with warnings.catch_warnings(action="ignore"):
        return ServedModel(
            saved,
            delta,
            limits,
            witnesses,
            _radius(saved, unit, missing),
            _sets(saved.model, calibration, independent, missing),
            _novelty(saved.model, calibration, independent, missing),
            _certificates(saved.model, calibration, independent, delta, missing),
            missing,
        )


def as_saved(model: Any) -> SavedModel:
    """A model file, a classifier or what was read from a file, as the last; an `InvalidInput` if it
    is something else.
    """
    if isinstance(model, str | os.PathLike):
        return classifier_in(os.fspath(model))
    if isinstance(model, SavedModel):
        return model
    if isinstance(model, MetricClassifier) and hasattr(model, "metric_"):
        return SavedModel(model, None, Provenance())
    raise InvalidInput(
        f"A {type(model).__name__} cannot be served.",
        advice="Pass a model file, or a fitted classifier of wideberth on a metric.",
        value=type(model).__name__,
    )


def can_be_changed(model: MetricClassifier) -> bool:
    """Whether changes of the objects of a model can be tried.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> can_be_changed(NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"]))
    True
    """
    return model.metric_.accepts in CHANGEABLE and len(model.classes_) > 1


def _radius(saved: SavedModel, unit: str | None, missing: dict[str, str]) -> RadiusMeasure | None:
    """What radii are measured in; a unit that the user named and in which nothing is proved is an
    error.
    """
    model, example = saved.model, example_sample(saved)
    try:
        if unit is None and example is not None:
            unit = usual_unit(model, example)
        found = model.radius_unit(unit)
        if example is not None:
            model.certified_radius(example, unit)
    except NotCertified as reason:
        if unit is not None:
            raise
        missing["radius"] = str(reason)
        return None
    return RadiusMeasure(unit, found.label, whole=found.step == 1, means=found.means)


def _sets(
    model: MetricClassifier,
    calibration: tuple[Any, Any] | None,
    independent: bool,
    missing: dict[str, str],
) -> CalibratedSets | None:
    if calibration is None:
        missing["prediction_set"] = NEEDS_CALIBRATION
        return None
    return CalibratedSets.by(model, *calibration, independent=independent)


def _novelty(
    model: MetricClassifier,
    calibration: tuple[Any, Any] | None,
    independent: bool,
    missing: dict[str, str],
) -> CalibratedNovelty | None:
    """By calibration objects, or by the training objects themselves, if the model keeps all of
    them.
    """
    try:
        return CalibratedNovelty.by(
            model, None if calibration is None else calibration[0], independent=independent
        )
    except WideberthError as reason:
        missing["novelty"] = (
            reason.problem if calibration is not None else f"{reason.problem} {NEEDS_CALIBRATION}"
        )
        return None


def _certificates(
    model: MetricClassifier,
    calibration: tuple[Any, Any] | None,
    independent: bool,
    delta: float,
    missing: dict[str, str],
) -> tuple[Certificate, ...]:
    if calibration is None:
        missing["certificates"] = NEEDS_CALIBRATION
        return ()
    proved = certify(model, *calibration, delta=delta, independent=independent, verbose=-1)
    return tuple(found for found in proved if not found.void)


# ---- An object of the kind that a model classifies, made up: for the descriptions, and to try and
# warm up the model.

#: Made-up objects, as they are written in JSON.
_BY_KIND: dict[str, Any] = {
    "strings": "example",
    "molecules": "CCO",
    "series": [0.0, 1.0, 0.5, 0.25],
    "sets": ["a", "b"],
    "trees": ["a", [["b", []], ["c", []]]],
    "graphs": {"nodes": ["a", "b"], "edges": [[0, 1]]},
    "objects": "example",
}


def example_value(saved: SavedModel) -> Any:
    """A made-up object, as it is written in a JSON body.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> from wideberth.serve.served_model import as_saved
    >>> example_value(as_saved(NeighborsClassifier().fit([[0.0, 1.0], [1.0, 0.0]], ["up", "low"])))
    [0.0, 0.0]
    """
    options = options_for(saved, "body.jsonl")
    kind, column = options["kind"], options.get("column")
    if kind == "rows":
        numbers = options.get("numbers") or ()
        return {name: 0.0 if name in numbers else "a" for name in column or ()}
    if kind == "vectors":
        width = getattr(saved.model, "n_features_in_", None) or (
            len(column) if isinstance(column, tuple) else 1
        )
        return dict.fromkeys(column, 0.0) if isinstance(column, tuple) else [0.0] * width
    if kind == "objects" and isinstance(column, tuple):
        return dict.fromkeys(column, "a")
    return _BY_KIND[kind]


def example_sample(saved: SavedModel) -> Any:
    """A sample of one made-up object, read as requests are; None if the metric of the model takes
    other objects.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> from wideberth.serve.served_model import as_saved
    >>> example_sample(
    ...     as_saved(NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"]))
    ... )
    ['example']
    """
    options, value = options_for(saved, "body.jsonl"), example_value(saved)
    column = options.get("column")
    line = {column: value} if isinstance(column, str) else value
    try:
        records = read_content(
            json.dumps(line).encode(), "jsonl", "example", labels=False, **options
        )
        saved.model.predict(records.objects)
    except MissingExtra:
        raise
    except (WideberthError, TypeError, ValueError, LookupError, AttributeError):
        return None
    return records.objects
