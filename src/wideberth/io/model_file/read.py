"""Load an estimator from a model file: everything in the file is checked, and nothing in it runs.

The order of the checks: the archive as a whole (`Archive`), JSON and arrays (`from_json`), then the
metric, the objects, the labels and the parameters, each by the code that checks them when a user
passes them, and last what was learned, by the estimator itself.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidFile
from wideberth.estimators import restored_values
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.metric_estimator import MetricEstimator
from wideberth.estimators.training import Learned
from wideberth.io import strict_json
from wideberth.io.model_file import model_parts as parts
from wideberth.io.model_file.archive import Archive, array_from_bytes, from_json, refusal
from wideberth.io.model_file.model_parts import Origin
from wideberth.io.model_file.provenance import (
    DataNotes,
    Provenance,
    checked_provenance,
    notes_from_plain,
    provenance_of,
)
from wideberth.io.model_file.saved_vote import VOTE, vote_from_plain
from wideberth.io.model_file.write import MODEL
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import METRICS
from wideberth.metrics.precomputed import DistanceRows

Value = TypeVar("Value")
#: What is said of an estimator, whether it needs it or not.
_OF_ESTIMATOR = {
    "class",
    "parameters",
    "metric",
    "labels",
    "features",
    "feature_names",
    "objects",
    "learned_from",
    "state",
}
#: The exceptions that Python raises for values that do not make a model.
_INVALID_CONTENT = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True)
class SavedModel:
    """A model that was read from a file, with how its training objects were read."""

    model: Any  # the fitted estimator, of a class of `wideberth.io.model_file.parts.SAVABLE`
    #: how its training objects were read from their file; None if it was fitted on objects in
    #: memory
    origin: Origin | None
    provenance: Provenance  # which data, which seed and which versions the file comes from
    #: what was noted about the training objects; None if it was not fitted on a file
    notes: DataNotes | None = None


def load(path: str | os.PathLike[str], *, encode: Any = None) -> Any:
    """Load the fitted estimator that `wideberth.save` wrote; its predictions are the same.

    Files from unknown sources may be loaded: nothing in a file can run. A file that is damaged,
    that declares more data than it holds, or that names classes or metrics which this library does
    not have, is refused.

    Parameters
    ----------
    path : str or path
        The model file.
    encode : callable, or object with a method ``encode`` or ``transform``, optional
        The encoder of a model on `wideberth.transforms.embedded`, which no file holds; or a dict of
        several by their names. Another one than the model was learned with is refused.

    Returns
    -------
    estimator
        The fitted classifier or embedding, of the class that was saved. An online learner goes on
        exactly as the one that was saved, with the same guesses.

    Raises
    ------
    InvalidFile
        With the entry of the file in which the problem is, and what is wrong.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import wideberth
    >>> path = pathlib.Path(tempfile.mkdtemp(), "drinks.wb")
    >>> model = wideberth.NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"])
    >>> wideberth.save(model, path)
    >>> load(path).predict(["tee"]).tolist()
    ['soft']
    """
    return read_model(path, encode).model


def read_model(path: str | os.PathLike[str], encode: Any = None) -> SavedModel:
    """Load a model as `load` does, together with how its training objects were read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import wideberth
    >>> from wideberth.io.model_file.write import write_model
    >>> path = pathlib.Path(tempfile.mkdtemp(), "drinks.wb")
    >>> model = wideberth.NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"])
    >>> write_model(model, path, Origin("strings", "drink"))
    >>> read_model(path).origin
    Origin(kind='strings', column='drink', numbers=None, missing=(), header=True, dates=())
    """
    with Archive(path) as archive:
        fetched: set[str] = set()

        def fetch(name: str) -> NDArray[Any]:
            if name in fetched:  # many values could name one array, and each would be a copy
                raise refusal(archive.path, name, "two values of the model name it.", value=name)
            fetched.add(name)
            return _refuse_invalid(archive.path, name, lambda: array_from_bytes(archive.read(name)))

        text = archive.read(MODEL)
        described = _refuse_invalid(
            archive.path,
            MODEL,
            lambda: up_to_date(
                from_json(strict_json.parse(text.decode()), fetch),
                archive.manifest["format_version"],
            ),
        )
        for name in archive.manifest["entries"].keys() - fetched - {MODEL}:
            raise refusal(archive.path, name, "nothing in the model needs it.", value=name)
        provenance = checked_provenance(archive)
        return _refuse_invalid(
            archive.path,
            MODEL,
            lambda: _build(parts.with_encoder(described, encode), provenance),
        )


def _refuse_invalid(path: str, entry: str, read: Callable[[], Value]) -> Value:
    """Call ``read``; turn what it raises for values that do not make a model into the refusal of an
    entry.
    """
    try:
        return read()
    except InvalidFile:
        raise
    except _INVALID_CONTENT as reason:
        problem = f"it does not make a model: {type(reason).__name__}: {reason}"
        raise refusal(
            path, entry, problem, value=getattr(reason, "value", str(reason)), advice=" "
        ) from reason


def up_to_date(described: dict[str, Any], version: int) -> dict[str, Any]:
    """The values of a file of an earlier version of the format as the newest one has them.

    Version 2 gave `wideberth.AutoClassifier` the parameter ``blend``; before it, nothing was blended.

    Examples
    --------
    >>> up_to_date({"class": "AutoClassifier", "parameters": {"cv": 5}}, 1)["parameters"]
    {'blend': False, 'cv': 5}
    """
    if version < 2:
        inside = [described, described.get("estimator")]
        inside += [each.get("step") for each in described.get("steps") or []]
        inside += [each.get("classifier") for each in described.get("parts") or []]
        for each in inside:
            if isinstance(each, dict) and each.get("class") == "AutoClassifier":
                each["parameters"] = {"blend": False, **each["parameters"]}
    return described


def _build(described: dict[str, Any], provenance: Provenance) -> SavedModel:
    """The model out of the values of ``model.json``, with a check of each of them."""
    if described["class"] == parts.PIPELINE:
        model, found = _pipeline(described["steps"])
    elif described["class"] == VOTE:
        model, found = vote_from_plain(described, _estimator, _labels(described["labels"]))
    else:
        model, objects = _estimator(described)
        found = provenance_of(model, objects)
    _check_provenance(provenance, found)
    return SavedModel(
        model,
        parts.origin_from_plain(described["origin"]),
        provenance,
        notes_from_plain(described["notes"]),
    )


def _pipeline(steps: Any) -> tuple[Any, Provenance]:
    """A pipeline, and where its last step that knows it comes from."""
    if not isinstance(steps, list) or not steps:
        raise ValueError("a pipeline is a list of steps")
    made, found = [], Provenance()
    for name, described in ((each["name"], each["step"]) for each in steps):
        if described == parts.PASSTHROUGH:
            made.append((name, parts.PASSTHROUGH))
        elif described["class"] in parts.PLAIN_STEPS:
            made.append((name, parts.plain_step_from_plain(described)))
        else:
            step, objects = _estimator(described)
            made.append((name, step))
            found = provenance_of(step, objects)
    pipeline = parts.pipeline_class()(made)
    pipeline._validate_steps()
    parts.check_widths(pipeline)
    return pipeline, found


def _estimator(described: dict[str, Any]) -> tuple[Any, Any]:
    """An estimator of this library, and the objects that it holds."""
    if missing := _OF_ESTIMATOR - described.keys():
        raise ValueError(f"it lacks {', '.join(sorted(missing))}")
    chosen = parts.savable_class(described["class"])
    parameters = described["parameters"]
    state = described["state"]
    restored_values.check_complete(parameters, chosen)
    if issubclass(chosen, MetricEstimator):
        model, objects = _on_metric(chosen, parameters, described)
        state = state | {"objects": objects}
    else:
        model = chosen(**parameters)
        _restore_features(model, described, None)
    if isinstance(model, MetricClassifier):
        model.check_parameters()
    model.restore(state)
    return model, state.get("objects")


def _check_provenance(told: Provenance, found: Provenance) -> None:
    """Raise a `ValueError` if the manifest says of objects or seed what is not so; None says
    nothing.
    """
    for name in ("n_learned", "n_held", "data", "random_state"):
        if getattr(told, name) not in (None, getattr(found, name)):
            raise ValueError(
                f"the manifest says {name} = {getattr(told, name)!r}, but it is "
                f"{getattr(found, name)!r}"
            )


def _is_by_name(described: dict[str, Any], metric: Metric) -> bool:
    """Whether the metric was passed by its name, after a check that it has one."""
    by_name = described["by_name"]
    if isinstance(metric, DistanceRows):
        return True
    if type(by_name) is not bool or (by_name and metric.name not in METRICS):
        raise ValueError(f"{metric.name!r} is not the name of a metric")
    return by_name


def _on_metric(
    chosen: type[Any], parameters: dict[str, Any], described: dict[str, Any]
) -> tuple[Any, Any]:
    """An estimator with its metric and, if it is a classifier, its labels, but without what it has
    learned; and its objects.
    """
    metric = parts.metric_from_plain(described["metric"])
    objects = parts.sample_from_plain(described["objects"], metric)
    model = chosen(
        metric.name if _is_by_name(described["metric"], metric) else metric, **parameters
    )
    model.metric_ = metric
    if issubclass(chosen, MetricClassifier):
        model.classes_ = _labels(described["labels"])
        model.learned_from_ = Learned.from_plain(described["learned_from"])
    if metric.accepts == "vectors":
        _restore_features(model, described, objects)
    return model, objects


def _labels(labels: Any) -> NDArray[Any]:
    """The classes, after a check that they are different and in their order."""
    if (
        not isinstance(labels, np.ndarray)
        or labels.ndim != 1
        or not len(labels)
        or not np.array_equal(np.unique(labels), labels)
    ):
        raise ValueError("the classes are not a sorted array of different labels")
    return labels


def _restore_features(model: Any, described: dict[str, Any], objects: NDArray[Any] | None) -> None:
    """Restore the number of features and their names, which scikit-learn compares with those of new
    vectors.
    """
    width, names = described["features"], described["feature_names"]
    if type(width) is not int or width < 1 or (objects is not None and width != objects.shape[1]):
        raise ValueError(f"the vectors do not have {width!r} numbers")
    model.n_features_in_ = width
    if names is not None:
        if len(names) != width or not all(isinstance(name, str) for name in names):
            raise ValueError(f"{len(names)} names of {width} features")
        model.feature_names_in_ = np.array(names, dtype=object)
